"""Counts of a gambling game's states, piece by piece: by formula, and by enumeration if few.

The closed form (`urcx.contrib.gambling.closed_form`) and the enumerator
(`urcx.contrib.gambling.enumerator`) are independent. This module compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from urcx.contrib.gambling import closed_form, enumerator
from urcx.contrib.gambling.rules import GamblingGame
from urcx.engine.threads import Stage, no_progress
from urcx.results.fields import COUNT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import number
from urcx.results.tables import ColouredText, Column, Note, Table, secondary

QUICK = 10**9  # enumerated by default up to this number of configurations
SHARES = 1000  # the end of a progress bar of the enumerator


def _agree(equal: object) -> str:
    return ColouredText("agrees", "good") if equal else ColouredText("DIFFERS", "bad")


@dataclass(frozen=True)
class PieceStates:
    """The configurations of the first pieces of a game."""

    pieces: Annotated[int, Field("pieces", about="the number of pieces of each player")]
    diagrams: Annotated[
        int, Field("configurations", COUNT, "configurations of these pieces, by formula")
    ]
    enumerated: Annotated[
        int | None, Field("enumerated", COUNT, "configurations visited, null without enumeration")
    ]
    any_step: Annotated[
        int,
        Field(
            secondary("on any step"),
            COUNT,
            "the same, if a piece may also be on the steps before the one on which it enters",
            key="diagrams_any_step",
        ),
    ]

    @property
    @Field(
        Column("visited", text=True, least=12),
        Format(_agree, none="not visited: add --enumerate"),
        "whether both counts are equal",
        after="enumerated",
    )
    def agree(self) -> bool | None:
        """Return whether the enumeration agrees with the formula, None without an enumeration."""
        return None if self.enumerated is None else self.enumerated == self.diagrams


STATES = Fields(
    Field(about="of the states", of=lambda _: "exact", key="exactness"),
    Field(
        about="the number of states in each convention",
        of=lambda game: {name: str(count) for name, count in game_conventions(game).items()},
        key="conventions",
    ),
)


def states_tables(game: GamblingGame, counted: Sequence[PieceStates]) -> list[Table]:
    """Return the tables of a game's states, piece by piece if they were counted so."""
    names = [piece.title for piece in game.pieces]

    def last_piece(row: PieceStates) -> str:
        return ("only " if row.pieces == 1 else "and ") + names[row.pieces - 1]

    visited = (fields_of(PieceStates) + Fields(column("<which", last_piece))).table(
        f"States of {game.name}: configurations of both players' labelled pieces",
        counted,
        [
            (
                "configurations: each piece is in its pool, home, or on a step from the one on "
                "which it enters, both home included, without counters"
            ),
            Note(
                "on any step: also on the steps before that one, where no piece can ever be",
                "on any step",
            ),
        ],
    )
    return [
        *([visited] if counted else []),
        Table(
            f"With all {len(game.pieces)} pieces, in each convention (exact)",
            ["<convention", "states"],
            [
                [name.replace("diagrams", "configurations"), number(count)]
                for name, count in game_conventions(game).items()
            ],
        ),
    ]


def visited(game: GamblingGame, *, all_of_them: bool) -> int:
    """Return the total number of configurations that `states` visits."""
    totals = (
        closed_form.labelled_diagrams(game.path, game.entries[:pieces])
        for pieces in range(1, len(game.pieces) + 1)
    )
    return sum(total for total in totals if all_of_them or total <= QUICK)


def states(
    game: GamblingGame,
    *,
    all_of_them: bool,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> tuple[PieceStates, ...]:
    """Count the configurations of a game with its first piece, its first two, and so on.

    The enumerator visits them if there are at most `QUICK`, or always with ``all_of_them``.
    """
    result = []
    for pieces in range(1, len(game.pieces) + 1):
        entries = game.entries[:pieces]
        diagrams = closed_form.labelled_diagrams(game.path, entries)
        enumerated = None
        if all_of_them or diagrams <= QUICK:
            update = stage(f"configurations of {pieces} pieces", SHARES, "thousandths")
            enumerated = enumerator.count_labelled(
                game.path,
                entries,
                threads=threads,
                executor=executor,
                progress=partial(_update_share, update),
            )
        any_step = closed_form.on_any_step(game.path, pieces, pieces)
        result.append(PieceStates(pieces, diagrams, enumerated, any_step))
    return tuple(result)


def _update_share(update: Callable[[int], None], share: float) -> None:
    update(int(share * SHARES))


def game_conventions(game: GamblingGame) -> dict[str, int]:
    """Return the number of states with all pieces, in each convention."""
    # On credit, accounts go below zero, so there are infinitely many ways to divide the counters.
    bounded = game.choices["stakes"] == "counters"
    return closed_form.labelled_conventions(
        game.path, game.entries, game.total if bounded else None
    )

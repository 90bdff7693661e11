"""Counts of a gambling game's states, piece by piece: by formula, and enumerated if they are few.

The closed form (`urcx.contrib.gambling.closed_form`) and the enumerator
(`urcx.contrib.gambling.enumerator`) know nothing of each other; this module compares them.
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

QUICK = 10**9  # diagrams enumerated by default
SHARES = 1000  # what a progress bar of the enumerator counts up to


def _agree(same: object) -> str:
    return ColouredText("agrees", "good") if same else ColouredText("DIFFERS", "bad")


@dataclass(frozen=True)
class PieceStates:
    """The diagrams of the first pieces of a game."""

    pieces: Annotated[int, Field("pieces", about="the first pieces of each player")]
    diagrams: Annotated[int, Field("diagrams", COUNT, "their diagrams, by formula")]
    enumerated: Annotated[
        int | None, Field("enumerated", COUNT, "diagrams visited, null if none were")
    ]
    any_step: Annotated[
        int,
        Field(
            secondary("on any step"),
            COUNT,
            "the same, with the steps before the one that a piece enters on",
            key="diagrams_any_step",
        ),
    ]

    @property
    @Field(
        Column("visited", text=True, least=12),
        Format(_agree, none="not visited; --enumerate does it"),
        "whether these are as many",
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

    def which(row: PieceStates) -> str:
        return ("only " if row.pieces == 1 else "and ") + names[row.pieces - 1]

    visited = (fields_of(PieceStates) + Fields(column("<which", which))).table(
        f"States of {game.name}: diagrams of labelled pieces, both players'",
        counted,
        [
            (
                "diagrams: each piece in its pool, home, or on a step from the one it enters "
                "on; both home included; counters are no part of them"
            ),
            Note(
                "on any step: the steps before that, too, where no piece ever stands",
                "on any step",
            ),
        ],
    )
    return [
        *([visited] if counted else []),
        Table(
            f"With all {len(game.pieces)} pieces, in each convention; exact",
            ["<convention", "states"],
            [[name, number(count)] for name, count in game_conventions(game).items()],
        ),
    ]


def visited(game: GamblingGame, *, all_of_them: bool) -> int:
    """Return the total number of diagrams that `states` visits."""
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
    """Count the diagrams of a game with its first piece, its first two, and so on.

    The enumerator visits those of up to `QUICK` diagrams, or ``all_of_them``.
    """
    result = []
    for pieces in range(1, len(game.pieces) + 1):
        entries = game.entries[:pieces]
        total = closed_form.labelled_diagrams(game.path, entries)
        seen = None
        if all_of_them or total <= QUICK:
            update = stage(f"diagrams of {pieces} pieces", SHARES, "thousandths")
            seen = enumerator.count_labelled(
                game.path,
                entries,
                threads=threads,
                executor=executor,
                progress=partial(_tell, update),
            )
        any_step = closed_form.on_any_step(game.path, pieces, pieces)
        result.append(PieceStates(pieces, total, seen, any_step))
    return tuple(result)


def _tell(update: Callable[[int], None], share: float) -> None:
    update(int(share * SHARES))


def game_conventions(game: GamblingGame) -> dict[str, int]:
    """Return the number of states with all pieces, in each convention."""
    # On credit, accounts go below zero, and the counters can be divided in infinitely many ways.
    bounded = game.choices["stakes"] == "counters"
    return closed_form.labelled_conventions(
        game.path, game.entries, game.total if bounded else None
    )

"""Counts of a gambling game's states, piece by piece: by formula, and enumerated if they are few.

The closed form (`urcx.gambling.closed_form`) and the enumerator (`urcx.gambling.enumerator`) know
nothing of each other; here they are held against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from urcx.engine.threads import Stage, silent
from urcx.gambling import closed_form, enumerator
from urcx.gambling.rules import GamblingGame

QUICK = 10**9  # diagrams enumerated by default
SHARES = 1000  # what a progress bar of the enumerator counts up to


@dataclass(frozen=True)
class PieceStates:
    """The diagrams of the first ``pieces`` of a game.

    ``any_step`` also counts the steps before the one on which a piece enters; ``enumerated`` is
    None if they were not visited.
    """

    pieces: int
    diagrams: int
    any_step: int
    enumerated: int | None

    @property
    def agree(self) -> bool | None:
        """Return whether the enumeration agrees with the formula, None without an enumeration."""
        return None if self.enumerated is None else self.enumerated == self.diagrams


def visited(game: GamblingGame, *, all_of_them: bool) -> int:
    """Return the total number of diagrams that `states` visits."""
    totals = (
        closed_form.diagrams(game.path, game.entries[:pieces])
        for pieces in range(1, len(game.pieces) + 1)
    )
    return sum(total for total in totals if all_of_them or total <= QUICK)


def states(
    game: GamblingGame,
    *,
    all_of_them: bool,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = silent,
) -> tuple[PieceStates, ...]:
    """Count the diagrams of a game with its first piece, its first two, and so on.

    The enumerator visits those of up to `QUICK` diagrams, or ``all_of_them``.
    """
    found = []
    for pieces in range(1, len(game.pieces) + 1):
        entries = game.entries[:pieces]
        total = closed_form.diagrams(game.path, entries)
        seen = None
        if all_of_them or total <= QUICK:
            update = stage(f"diagrams of {pieces} pieces", SHARES, "thousandths")
            seen = enumerator.count(
                game.path,
                entries,
                threads=threads,
                executor=executor,
                progress=partial(_tell, update),
            )
        any_step = closed_form.on_any_step(game.path, pieces, pieces)
        found.append(PieceStates(pieces, total, any_step, seen))
    return tuple(found)


def _tell(update: Callable[[int], None], share: float) -> None:
    update(int(share * SHARES))


def conventions(game: GamblingGame) -> dict[str, int]:
    """Return the number of states with all pieces, in each convention."""
    # On credit, accounts go below zero, and the counters can be divided in infinitely many ways.
    bounded = game.choices["stakes"] == "counters"
    return closed_form.conventions(game.path, game.entries, game.total if bounded else None)

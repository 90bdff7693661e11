"""The solved games that a report uses: the value of each start, from tablebases or solved now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from urcx.errors import TablebaseError, UsageError, printable
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.tablebase import Tablebase


@dataclass(frozen=True)
class Opening:
    """The value of a game's start, and ``how`` it was obtained: solved here, or from a ``file``.

    ``bound`` is the proven error bound of the value, or None.
    """

    rules: RuleSet
    states: int
    value: float
    bound: float | None
    how: str
    file: Path | None = None

    @property
    def is_full(self) -> bool:
        """Return whether the game has the full number of pieces of its rule set."""
        return self.rules.pieces == catalogue.ruleset(self.rules.name).pieces


def read_solutions(files: Iterable[Path]) -> tuple[Opening, ...]:
    """Return the games and values of tablebases, checked completely.

    Raises
    ------
    TablebaseError
        If a tablebase cannot be read, is damaged, or has a game outside the catalogue.
    UsageError
        If two tablebases have the same game.
    """
    openings: dict[str, Opening] = {}
    for file in files:
        with open_solution(file) as base:
            opening = _opening(base, file)
        game = opening.rules.with_pieces
        if game in openings:
            raise UsageError(f"{openings[game].file} and {file} both have {game}. Use one of them")
        openings[game] = opening
    return tuple(openings.values())


def _opening(base: Tablebase, file: Path) -> Opening:
    own = base.rules
    entry = catalogue.catalogue().rules.get(own.name)
    if entry is None or not own.plays_like(replace(entry, pieces=own.pieces)):
        raise TablebaseError(
            f"{file} has {own.with_pieces}, a game outside the catalogue. A report needs a game "
            "that urcx paths lists"
        )
    damaged = [f"{i}-{j}" for (i, j), bad in base.damaged() if bad]
    if damaged:
        raise TablebaseError(
            f"{file} is damaged (layers {', '.join(damaged)}). Make it again with urcx solve"
        )
    states = sum(base.order.size(layer) for layer in base.order.layers)
    how = f"from {printable(file.name)}, stored as {base.store}"
    rules = replace(entry, pieces=own.pieces)
    return Opening(rules, states, base.probe(Position()), base.bound, how, file)

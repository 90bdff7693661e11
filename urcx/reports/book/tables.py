"""Tablebases passed to a report: opened and checked before anything else is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from urcx.errors import TablebaseError, UnknownNameError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.header import describe_rules, same_rules
from urcx.solving.files.rgu import is_rgu, open_solution
from urcx.solving.files.tablebase import Tablebase


@dataclass(frozen=True)
class Given:
    """A tablebase's game, the value of its start, and the error bound of that value.

    ``bound`` includes rounding; it is None if the file does not state one.

    ``own`` says whether the file is in urcx's own format, which judging agents requires.
    """

    file: Path
    rules: RuleSet
    opening: float
    bound: float | None
    store: str
    states: int
    own: bool


def check_tablebases(files: Sequence[Path]) -> tuple[Given, ...]:
    """Return the games and values of tablebases.

    Raises
    ------
    TablebaseError
        If one cannot be read, is damaged, or is of a game that is not in the catalogue.
    UsageError
        If two are of the same game.
    """
    found: dict[tuple[str, int], Given] = {}
    for file in files:
        given = _read(file)
        key = (given.rules.name, given.rules.pieces)
        if key in found:
            raise UsageError(
                f"{found[key].file} and {file} are both of {key[0]} with {key[1]} pieces; "
                "give one of them"
            )
        found[key] = given
    return tuple(found.values())


def _read(file: Path) -> Given:
    with open_solution(file) as base:
        rules = _known(base)
        damaged = [f"{i}-{j}" for (i, j), bad in base.damaged() if bad]
        if damaged:
            raise TablebaseError(
                f"{file} is damaged (layers {', '.join(damaged)}); write it again with urcx solve"
            )
        states = sum(base.order.size(layer) for layer in base.order.layers)
        own = not is_rgu(file)
        return Given(file, rules, base.probe(Position()), base.bound, base.store, states, own)


def _known(base: Tablebase) -> RuleSet:
    own = base.rules
    try:
        rules = replace(catalogue.ruleset(own.name), pieces=own.pieces)
    except UnknownNameError:
        rules = None
    if rules is None or not same_rules(base.described, describe_rules(rules)):
        raise TablebaseError(
            f"{base.file} is of {own.name} with {own.pieces} pieces, a game that is not in the "
            "catalogue; the report is about those that urcx paths lists"
        )
    return rules

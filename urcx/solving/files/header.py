"""Reading and writing the headers of tablebases, which contain a file's rules and layers.

A header is validated as strictly as a user's own rules file, and against the size of the data.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from urcx.engine.files.sealed import Members, aligned
from urcx.engine.moves import MAX_STEPS
from urcx.errors import TablebaseError, UnusableFileError, quoted
from urcx.reading import TEXTS
from urcx.results.numbers import count_text
from urcx.rules.catalogue import is_known
from urcx.rules.load import NAME, TILE
from urcx.rules.model import (
    EFFECTS,
    GRANTS,
    MAX_PIECES,
    MAX_ROLL,
    Board,
    Dice,
    Path,
    RuleSet,
    fault_of_granting,
)
from urcx.solving.layered.order import Layer

STORES: dict[str, str] = {"f64": "<f8", "f32": "<f4", "u16": "<u2"}
ITEM = {"f64": 8, "f32": 4, "u16": 2}  # bytes per value
FULL_U16 = 65535  # certainty, in u16
MOST_STATES = 1 << 50
MOST_ROLLS = MAX_ROLL + 1
FRACTION = re.compile(r"[0-9]{1,18}(/[1-9][0-9]{0,17})?\Z")


def describe_rules(rules: RuleSet) -> dict[str, Any]:
    """Return everything that defines a rule set, as in a file's header.

    Flags with their default value are left out, so earlier versions can read the file.
    """
    return {
        "name": rules.name,
        "light": list(rules.path.light),
        "dark": list(rules.path.dark),
        "rosettes": sorted(rules.path.board.rosettes),
        "pieces": rules.pieces,
        "rolls": list(rules.dice.rolls),
        "probabilities": [str(p) for p in rules.dice.probabilities],
        **{name: value for name, value in rules.effects.items() if value != EFFECTS[name]},
    }


DESCRIBED = {
    *("name", "light", "dark", "rosettes", "pieces", "rolls", "probabilities"), *EFFECTS
}  # fmt: skip


def digest(meaning: Mapping[str, Any]) -> str:
    """Return the end of the names of files whose contents follow from ``meaning``."""
    return hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:16]


def check_game(file: object, own: RuleSet, rules: RuleSet, *, advice: bool = True) -> None:
    """Raise `UnusableFileError` if a file with the rules ``own`` belongs to another game.

    ``advice`` adds the options that choose the file's game.
    """
    if own.plays_like(rules):
        return
    choose = f"-p {own.pieces}"
    if not own.plays_like(replace(rules, pieces=own.pieces)):
        choose = f"--rules {own.name} {choose}"
    raise UnusableFileError(
        f"{file} is of {own.name} with {count_text(own.pieces, 'piece')}, not of "
        f"{rules.name} with {rules.pieces}{f'. Add {choose}' if advice else ''}"
    )


def rules_of(described: Members) -> RuleSet:
    """Return the rule set that a header describes, or raise `TablebaseError` if it is invalid.

    An unknown field makes it invalid, because it may be a rule of a later urcx.
    """
    for unknown in described.members.keys() - DESCRIBED:
        raise TablebaseError(
            f"{described.where}: unknown rule {described.prefix}{quoted(unknown)}. A newer urcx "
            "may have written it"
        )
    name = described.text("name")
    if not NAME.match(name):
        raise described.wrong("name", "lower-case letters, digits and hyphens")
    light, dark = (_tiles(described, key, 1, MAX_STEPS) for key in ("light", "dark"))
    tiles = tuple(dict.fromkeys((*light, *dark)))
    rosettes = frozenset(_tiles(described, "rosettes", 0, 26 * 99))
    board = Board("of the file", "", tiles, rosettes, ("A", "C"))
    path = Path("of the file", "", board, light, dark, (len(light),))
    rolls = described.several("rolls", 1, MOST_ROLLS)
    good = all(type(roll) is int and 0 <= roll <= MAX_ROLL for roll in rolls)
    if not good or rolls != sorted(set(rolls)):
        raise described.wrong("rolls", f"increasing integers up to {MAX_ROLL}")
    texts = described.several("probabilities", len(rolls), len(rolls))
    required = "a fraction above 0 for each roll, with the sum 1"
    if not all(isinstance(text, str) and FRACTION.match(text) for text in texts):
        raise described.wrong("probabilities", required)
    chances = tuple(Fraction(text) for text in texts)
    if not all(chances) or sum(chances) != 1:
        raise described.wrong("probabilities", required)
    grants: bool | frozenset[str]
    if isinstance(described.members.get(GRANTS), list):
        grants = frozenset(_tiles(described, GRANTS, 1, len(rosettes)))
        if fault := fault_of_granting(grants, path):
            raise described.wrong(GRANTS, fault.removeprefix("must be "))
    else:
        grants = described.flag(GRANTS)
    rules = RuleSet(
        name,
        "",
        path,
        described.whole("pieces", 1, MAX_PIECES),
        Dice("of the file", "", tuple(rolls), chances),
        grants,
        **{name: described.flag(name, plain) for name, plain in EFFECTS.items() if name != GRANTS},  # type: ignore[arg-type]
    )
    definitions = TEXTS.get()
    if definitions is not None and not is_known(rules):
        definitions[f"rules {name}"] = json.dumps(describe_rules(rules))
    return rules


def _tiles(described: Members, key: str, least: int, most: int) -> tuple[str, ...]:
    tiles = described.several(key, least, most)
    if not all(isinstance(tile, str) and TILE.match(tile) for tile in tiles):
        raise described.wrong(key, "a list of tiles such as B4")
    return tuple(tiles)


@dataclass(frozen=True)
class LayerEntry:
    """A layer in a file: its number of states, their offset, and their gap."""

    states: int
    offset: int
    gap: float


@dataclass(frozen=True)
class Header:
    """A tablebase's header: see `urcx.solving.files.tablebase`."""

    store: str
    rules: RuleSet
    gap: float
    rows: dict[Layer, LayerEntry]


def read_header(fields: Members, begin: int, size: int) -> Header:
    """Return a validated header, or raise `TablebaseError` if it does not fit ``size`` bytes.

    Layers follow each other from ``begin`` on, each aligned.
    """
    store = fields.choice("store", STORES)
    item = ITEM[store]
    rules = rules_of(fields.inside("rules"))
    gap = fields.number("gap", 0.0, 1.0)
    layers = rules.pieces**2
    rows: dict[Layer, LayerEntry] = {}
    at = begin
    for row in fields.items("layers", layers, layers):
        layer = row.whole("light", 0, rules.pieces - 1), row.whole("dark", 0, rules.pieces - 1)
        if layer in rows:
            raise row.wrong("dark", "part of a new layer")
        states = row.whole("states", 1, MOST_STATES)
        rows[layer] = LayerEntry(states, row.whole("offset", at, at), row.number("gap", 0.0, gap))
        at = aligned(at + states * item)
    if at != begin + size:
        raise TablebaseError(
            f"{fields.where}: its layers need {at - begin:,} bytes, and the file has {size:,}"
        )
    return Header(store, rules, gap, rows)

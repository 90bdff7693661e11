"""The built-in boards, paths, dice and rule sets, and user files beside them."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path as FilePath
from typing import TypeVar

from urcx.errors import UnknownNameError
from urcx.rules.load import Catalogue, load, read_text
from urcx.rules.model import Board, Dice, Path, RuleSet

T = TypeVar("T")
FILES = ("boards.toml", "paths.toml", "dice.toml", "rules.toml")


@cache
def catalogue() -> Catalogue:
    """Return the built-in catalogue. Treat it as read-only."""
    full = Catalogue()
    for name in FILES:
        text = resources.files("urcx.rules").joinpath("data", name).read_text(encoding="utf-8")
        full = load(name, text, full)
    return full


def read_catalogue_file(file: str | FilePath) -> tuple[Catalogue, tuple[str, ...]]:
    """Return the catalogue with a user's file added, and the names of the paths it defines.

    Raises
    ------
    CatalogueError
        If the file cannot be read or breaks the schema.
    """
    file = FilePath(file)
    base = catalogue()
    full = load(str(file), read_text(file), base)
    mine = dict.fromkeys(p.name for n, p in full.paths.items() if base.paths.get(n) is not p)
    return full, tuple(mine)


def path(name: str) -> Path:
    """Return a path of the catalogue by name or alias; raises `UnknownNameError`."""
    return lookup("path", catalogue().paths, name)


def board(name: str) -> Board:
    """Return a board of the catalogue by name; raises `UnknownNameError`."""
    return lookup("board", catalogue().boards, name)


def dice(name: str) -> Dice:
    """Return dice of the catalogue by name; raises `UnknownNameError`."""
    return lookup("dice", catalogue().dice, name)


def ruleset(name: str) -> RuleSet:
    """Return a rule set of the catalogue by name or alias; raises `UnknownNameError`."""
    return lookup("rule set", catalogue().rules, name)


def path_names() -> tuple[str, ...]:
    """Return the names of the built-in paths, aliases left out, in the order of the files."""
    return tuple(dict.fromkeys(item.name for item in catalogue().paths.values()))


def lookup(kind: str, entries: dict[str, T], name: str) -> T:
    """Return ``entries[name]``, or raise `UnknownNameError` with the nearest names."""
    try:
        return entries[name]
    except KeyError:
        raise UnknownNameError(kind, name, entries) from None

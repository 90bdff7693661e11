"""The built-in boards, paths, dice and rule sets, and the entries of users' files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from operator import index
from pathlib import Path as FilePath
from typing import TypeVar

from urcx.errors import UnknownNameError, UsageError, WrongObjectError, quoted
from urcx.reading import as_path, package_text
from urcx.rules.load import Catalogue, load, read_text
from urcx.rules.model import MAX_PIECES, Board, Dice, Path, RuleSet
from urcx.rules.position import GameLike, Position, as_position

__all__ = ["board", "dice", "path", "path_names", "ruleset"]

T = TypeVar("T")
# The attribute of a catalogue for each kind of entry, and the ending of users' files.
KINDS = {"path": "paths", "board": "boards", "dice": "dice", "rule set": "rules"}
SUFFIX = ".toml"
DEFAULT_RULES = "finkel"
MAX_SEED = 2**63 - 1
FILES = ("boards.toml", "paths.toml", "dice.toml", "rules.toml")


@cache
def catalogue() -> Catalogue:
    """Return the built-in catalogue. Treat it as read-only."""
    full = Catalogue()
    for name in FILES:
        full = load(name, package_text(f"rules/data/{name}"), full)
    return full


def read_catalogue_file(file: str | FilePath) -> tuple[Catalogue, tuple[str, ...]]:
    """Return the catalogue extended by a user's file, and the names of the file's paths.

    Raises
    ------
    CatalogueError
        If the file cannot be read or breaks the schema.
    UsageError
        If ``file`` has another type.
    """
    file = as_path(file)
    base = catalogue()
    full = load(str(file), read_text(file), base)
    names = dict.fromkeys(p.name for n, p in full.paths.items() if base.paths.get(n) is not p)
    return full, tuple(names)


def only_own(full: Catalogue) -> RuleSet | None:
    """Return the rule set of a user's file, or None if the file has none or several."""
    base = catalogue().rules
    added = {rules.name: rules for name, rules in full.rules.items() if base.get(name) is not rules}
    return next(iter(added.values())) if len(added) == 1 else None


def read_catalogue(file: str | FilePath | None) -> Catalogue:
    """Return the built-in catalogue, extended by a user's file if any. Raises `CatalogueError`."""
    return catalogue() if file is None else read_catalogue_file(file)[0]


def path(name: str | Path, *, path_file: str | FilePath | None = None) -> Path:
    """Return a path by name or alias, or the path itself.

    Parameters
    ----------
    name
        The name or alias of a path of the catalogue, ``FILE.toml:NAME`` for a path of your own
        file, or a path, which is returned.
    path_file
        Your own file, whose paths can then be named as well (see :doc:`/formats`).

    Returns
    -------
    Path

    Raises
    ------
    UnknownNameError
        If no path has this name.
    CatalogueError
        If a file cannot be used.
    UsageError
        If ``name`` has another type.

    Examples
    --------
    >>> import urcx
    >>> murray = urcx.path("murray")
    >>> murray
    <Path murray: 27 steps, 0 private and 20 shared tiles, 7 crossed more than once>
    >>> murray.light[:4]
    ('A4', 'A3', 'A2', 'A1')
    """
    full = read_catalogue(path_file)
    return resolve_entry("path", Path, full.paths, name, "bell", full)


def board(name: str | Board) -> Board:
    """Return a board of the catalogue by name, or the board itself.

    Parameters
    ----------
    name
        The name of a board of the catalogue, or a board, which is returned.

    Returns
    -------
    Board

    Raises
    ------
    UnknownNameError
        If no board has this name.
    UsageError
        If ``name`` has another type.

    Examples
    --------
    >>> import urcx
    >>> sorted(urcx.board("standard").rosettes)
    ['A1', 'A7', 'B4', 'C1', 'C7']
    """
    return resolve_entry("board", Board, catalogue().boards, name, "standard")


def dice(name: str | Dice) -> Dice:
    """Return dice of the catalogue by name, or the dice themselves.

    Parameters
    ----------
    name
        The name of dice of the catalogue, or dice, which is returned.

    Returns
    -------
    Dice

    Raises
    ------
    UnknownNameError
        If no dice have this name.
    UsageError
        If ``name`` has another type.

    Examples
    --------
    >>> import urcx
    >>> dice = urcx.dice("binary4")
    >>> dice.rolls
    (0, 1, 2, 3, 4)
    >>> [str(chance) for chance in dice.probabilities]
    ['1/16', '1/4', '3/8', '1/4', '1/16']
    """
    return resolve_entry("dice", Dice, catalogue().dice, name, "binary4")


def ruleset(
    name: str | RuleSet, *, pieces: int | None = None, path_file: str | FilePath | None = None
) -> RuleSet:
    """Return a rule set by name or alias, or the rule set itself.

    Parameters
    ----------
    name
        The name or alias of a rule set of the catalogue, ``FILE.toml:NAME`` for a rule set of your
        own file, or a rule set, which is returned.
    pieces
        The number of pieces per side, from 1 to 255, by default the number of the rule set.
    path_file
        Your own file, whose rule sets can then be named as well (see :doc:`/formats`).

    Returns
    -------
    RuleSet

    Raises
    ------
    UnknownNameError
        If no rule set has this name.
    CatalogueError
        If a file cannot be used.
    UsageError
        If ``name`` has another type, or the number of pieces is out of range.

    Examples
    --------
    >>> import urcx
    >>> urcx.ruleset("finkel")
    <RuleSet finkel: path bell, 7 pieces, dice binary4>
    >>> urcx.ruleset("finkel", pieces=3)
    <RuleSet finkel: path bell, 3 pieces, dice binary4>
    """
    full = read_catalogue(path_file)
    result = resolve_entry("rule set", RuleSet, full.rules, name, DEFAULT_RULES, full)
    if pieces is None:
        return result
    number = as_integer("pieces", pieces)
    if not 1 <= number <= MAX_PIECES:
        raise UsageError(f"pieces {number}: must be from 1 to {MAX_PIECES}")
    return replace(result, pieces=number)


@dataclass(frozen=True)
class RuleSources:
    """All sources that can decide the rules of a game.

    The first of this list wins:

    1. ``named`` and ``pieces``: a rule set or its name, and a number of pieces, from the command
       line or a caller.
    2. the game's own text, passed to `decided`.
    3. ``tablebase``, the rules of the tablebase.
    4. ``own``, the only rule set of a user's file.
    5. `DEFAULT_RULES`.

    ``known`` are the rule sets by name. ``notes`` collects lines about contradictions that are not
    errors.
    """

    named: str | RuleSet | None = None
    pieces: int | None = None
    tablebase: RuleSet | None = None
    own: RuleSet | None = None
    known: Mapping[str, RuleSet] = field(default_factory=lambda: catalogue().rules)
    notes: list[str] = field(default_factory=list, compare=False)

    @property
    def names(self) -> dict[str, RuleSet]:
        """Return the rule sets that a game may name, including the tablebase's rules."""
        base = self.tablebase
        return dict(self.known) if base is None else {base.name: base} | dict(self.known)

    def decided(
        self,
        rules: str | RuleSet | None = None,
        pieces: int | None = None,
        *,
        game: str = "the game",
    ) -> RuleSet:
        """Return the rules of a game.

        Parameters
        ----------
        rules, pieces
            The rules or their name, and the number of pieces, according to the game.
        game
            The name of the game in messages.

        Raises
        ------
        UnknownNameError
            If the name that decides is not the name of a rule set.
        UsageError
            If the game has other rules, or another number of pieces, than ``named``.
        """
        named, own = self.named, rules
        if named is not None:
            named = resolve_entry("rule set", RuleSet, self.names, named, DEFAULT_RULES)
        if isinstance(own, str):
            if named is not None and own not in self.names:
                self.notes.append(
                    f"{game} has unknown rules, {quoted(own)}. It is read as a game of {named.name}"
                )
                own = pieces = None
            else:
                own = lookup("rule set", self.names, own)
        first = named or own or self.tablebase or self.own or ruleset(DEFAULT_RULES)
        number = pieces or first.pieces
        if named is not None and self.pieces is None:
            number = named.pieces
        elif named is None and own is not None and pieces is None and self.tablebase is not None:
            base = self.tablebase
            number = base.pieces if base.plays_like(replace(own, pieces=base.pieces)) else number
        result = ruleset(first, pieces=number if self.pieces is None else self.pieces)
        stated = ruleset(own or first, pieces=pieces or result.pieces)
        if not stated.plays_like(result):
            name, other = stated.full_name, result.full_name
            if name == other:
                other = "the rules known by this name"
            raise UsageError(f"{game} is a game of {name}, not of {other}")
        if self.own and not result.plays_like(replace(self.own, pieces=result.pieces)):
            source = "the request" if named else "its text" if own else "the tablebase"
            self.notes.append(
                f"{game} is read as a game of {result.name}, because {source} says so, not of "
                f"{self.own.name}, the only rule set of the file"
            )
        return result


def resolve_position(
    position: Position | str | GameLike | None, rules: str | RuleSet | GameLike | None
) -> tuple[Position, RuleSet]:
    """Return a position and its rules from the arguments of a public function that needs both.

    Parameters
    ----------
    position
        A position, its notation, or a game, which has both. If None, the position of the game in
        ``rules``, or the start.
    rules
        A rule set, its name, or a game. If None, the rules of the game in ``position``, or
        `DEFAULT_RULES`.

    Raises
    ------
    UsageError
        As for `as_position` and `ruleset`, and if the game in ``position`` has other rules.
    """
    if rules is None:
        rules = position if isinstance(position, GameLike) else DEFAULT_RULES
    if position is None:
        position = rules if isinstance(rules, GameLike) else Position()
    resolved = rules.rules if isinstance(rules, GameLike) else ruleset(rules)
    return as_position(position, resolved), resolved


def resolve_entry(
    kind: str,
    wanted: type[T],
    entries: dict[str, T],
    value: object,
    example: str,
    full: Catalogue | None = None,
) -> T:
    """Return an entry itself, or by its name or ``FILE.toml:NAME``.

    Every public function that takes a path, board, dice or rule set also takes its name, and uses
    this function. For names in foreign texts use `lookup`, which reads no file. ``full`` is the
    catalogue of the entries, by default the built-in catalogue.

    Raises
    ------
    UnknownNameError
        If no entry has this name.
    CatalogueError
        If the file cannot be used.
    UsageError
        If ``value`` has another type.
    """
    if isinstance(value, wanted):
        return value
    if isinstance(value, str):
        file, name = split_file_name(value)
        if file and kind in KINDS:
            full, value = read_catalogue(file), name
            entries = getattr(full, KINDS[kind])
        return lookup(kind, entries, value, full)
    raise WrongObjectError(kind, wanted, value, f"a name such as {example!r}")


def split_file_name(text: str) -> tuple[str, str]:
    """Return the file and the name of ``FILE.toml:NAME``, or "" and the text if it has no file."""
    file, _, name = text.rpartition(":")
    return (file, name) if file.endswith(SUFFIX) else ("", text)


def as_integer(what: str, value: object) -> int:
    """Return an integer of Python's or numpy's type as a Python integer.

    Public functions use this to validate numbers before they compare them.

    Raises
    ------
    UsageError
        If the value is not an integer. Strings and fractions are not converted.
    """
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise WrongObjectError(what, int, value) from None


def as_seed(value: object) -> int:
    """Return a seed of random numbers, or raise `UsageError` unless it is from 0 to 2^63 - 1."""
    number = as_integer("seed", value)
    if not 0 <= number <= MAX_SEED:
        raise UsageError(f"seed {number}: must be from 0 to 2^63 - 1")
    return number


def as_float(what: str, value: object, limits: tuple[float, float] | None = None) -> float:
    """Return a number as Python's ``float``, within ``limits`` if any.

    Raises
    ------
    UsageError
        If the value is not a number (a string is not converted), or not within the limits.
    """
    if isinstance(value, str | bytes):
        raise WrongObjectError(what, float, value)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise WrongObjectError(what, float, value) from None
    if limits is not None and not limits[0] <= number <= limits[1]:
        raise UsageError(f"{what} {number:g}: must be from {limits[0]:g} to {limits[1]:g}")
    return number


def path_names() -> tuple[str, ...]:
    """Return the names of the built-in paths, without aliases, in the order of the files.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import urcx
    >>> urcx.path_names()[:5]
    ('bell', 'masters', 'murray', 'skiriuk', 'aseb')
    """
    return tuple(dict.fromkeys(item.name for item in catalogue().paths.values()))


def lookup(kind: str, entries: dict[str, T], name: str, full: Catalogue | None = None) -> T:
    """Return ``entries[name]``, or raise `UnknownNameError` with the nearest names."""
    try:
        return entries[name]
    except KeyError:
        hint = _elsewhere(kind, name, full or catalogue())
        raise UnknownNameError(kind, name, entries, hint, "urcx paths") from None


def _elsewhere(kind: str, name: str, full: Catalogue) -> str:
    """Return a hint that a name belongs to a file or to another kind of entry, or ""."""
    if kind in KINDS and name.endswith(SUFFIX):
        return f"write {name}:NAME for an entry of that file"
    if kind != "rule set" and name in full.rules:
        return f"{name} is a rule set, on the path {full.rules[name].path.name}"
    others: dict[str, Mapping[str, object]] = {
        "path": full.paths,
        "board": full.boards,
        "dice": full.dice,
    }
    kinds = [other for other, entries in others.items() if other != kind and name in entries]
    article = {"path": "a path", "board": "a board", "dice": "dice"}
    return f"{name} is the name of {article[kinds[0]]}" if kinds else ""


def is_known(rules: RuleSet) -> bool:
    """Return whether the rules equal the built-in rules of this name, except for the pieces."""
    entry = catalogue().rules.get(rules.name)
    return entry is not None and entry.plays_like(replace(rules, pieces=entry.pieces))


def game_name(rules: RuleSet) -> str:
    """Return a rule set's name, with the number of pieces unless it is the usual number."""
    entry = catalogue().rules.get(rules.name)
    return rules.name if entry is not None and entry.pieces == rules.pieces else rules.with_pieces

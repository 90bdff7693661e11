"""Gambling games: labelled pieces, counters, and the rules that the source leaves open.

They share only boards, paths and dice with the race games. Pieces differ, each enters by its own
roll on its own square, and the stakes are counters. ``data/gamble.toml`` has the built-in game with
the statements of its source. `CHOICES` lists the questions that the source leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path as FilePath
from typing import Annotated, Any

from urcx.errors import CatalogueError, UnknownNameError, UsageError
from urcx.reading import package_text
from urcx.results.fields import Field, fields_of
from urcx.results.result import Result
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.load import Catalogue, SourceText, TomlTable, parse_toml, read_text
from urcx.rules.model import MAX_ROLL, Dice, Path

MAX_PIECES = 6  # the closed form sums over all pairs of subsets
MAX_COUNTERS = 1_000_000
DEFAULT = "itti-marduk-balatu"
NAME = "urcx.gamble/1"


@dataclass(frozen=True)
class _Choice:
    """A question that the source leaves open, and its answers with explanations, the usual first.

    ``values`` maps the name of each answer to its explanation.
    """

    question: str
    values: Mapping[str, str]


CHOICES = {
    "double": _Choice(
        "Who decides that the second die is thrown?",
        {
            "risk": "the player, after seeing the first; no loses the turn",
            "together": "nobody: both dice are thrown at once; no leaves the first unchanged",
        },
    ),
    "waiting": _Choice(
        "May a player throw the second die if only the first can move a piece?",
        {
            "barred": "no: a roll that can move a piece must be used",
            "allowed": "yes, in order to wait; if both players prefer to wait, the game never ends",
        },
    ),
    "order": _Choice(
        "In what order do pieces enter?",
        {
            "strict": "as listed: all pieces before it must be on the board or home",
            "eagle": "as listed, but the last one as soon as the first is on the board or home",
        },
    ),
    "squares": _Choice(
        "On which square does a piece enter?",
        {
            "given": "on the square that the game file gives for it",
            "rolls": "on the square whose number is its roll",
        },
    ),
    "launch": _Choice(
        "Is entering the board a move over and onto rosettes?",
        {
            "lands": "a piece that enters on a rosette lands on it, and passes no rosette",
            "appears": "no: entering wins nothing, loses nothing, and grants no throw",
            "moves": "yes: it moves there from before the first step, and pays on the way",
        },
    ),
    "rosette": _Choice(
        "Does landing on a rosette grant another throw?",
        {"again": "yes, as in the standard version", "ends": "no"},
    ),
    "passing": _Choice(
        "How much does a move over several rosettes lose?",
        {"each": "the piece's counters for each rosette", "once": "the piece's counters once"},
    ),
    "leaving": _Choice(
        "Does a piece that leaves the board lose for the rosettes that it passes?",
        {"pays": "yes, including one on the last step", "free": "no"},
    ),
    "losses": _Choice(
        "Who gets the counters that a player loses?",
        {"pool": "the pool", "opponent": "the opponent"},
    ),
    "stakes": _Choice(
        "What if the pool or a player has too few counters for a payment?",
        {
            "counters": "all counters are paid, and the rest is forgotten",
            "credit": "the full amount is paid, and accounts go below zero",
        },
    ),
    "payment": _Choice(
        "For which pieces does a player pay at the end?",
        {
            "board": "pieces on the board",
            "unfinished": "pieces on the board and pieces that have not entered",
        },
    ),
    "rest": _Choice(
        "Who gets the counters left in the pool at the end?",
        {"stays": "nobody", "finisher": "the player whose pieces are home"},
    ),
}


@dataclass(frozen=True)
class Piece:
    """A labelled piece."""

    name: Annotated[str, Field(about="its name", key="piece")]
    title: Annotated[str, Field("<piece", about="its name in words")]
    roll: Annotated[int, Field("enters by", about="the roll by which it enters")]
    step: Annotated[int, Field("on step", about="the step on which it enters")]
    counters: Annotated[int, Field("counters", about="the counters that it wins and loses")]


@dataclass(frozen=True)
class GamblingGame(Result, function="gambling_game"):
    """A gambling game.

    Attributes
    ----------
    name, title : str
    path : Path
    pieces : tuple of Piece
        The pieces of each side, in the order of entering.
    counters, pool : int
        The counters that a player has at the start, and the counters that can be won.
    die : Dice
        The first die.
    doubling : Fraction
        The probability that the second die shows yes.
    doubled : tuple of int
        ``doubled[i]`` replaces ``die.rolls[i]`` if the second die shows yes.
    choices : dict of str to str
        The name of the answer to each question of `CHOICES`.

    Examples
    --------
    >>> from urcx.contrib.gambling import gambling_game
    >>> game = gambling_game()
    >>> game.total, game.entries
    (50, (4, 5, 6, 7, 10))
    """

    schema = NAME
    lists = ("placed",)
    name: Annotated[str, Field(about="name of the game", key="game")]
    title: str
    path: Path
    pieces: tuple[Piece, ...]
    counters: int
    pool: int
    die: Dice
    doubling: Fraction
    doubled: tuple[int, ...]
    choices: Mapping[str, str]

    @property
    def placed(self) -> list[Piece]:
        """Return the pieces, each with the step on which it enters."""
        return [replace(p, step=s) for p, s in zip(self.pieces, self.entries, strict=True)]

    def tables(self) -> list[Table]:
        """Return the tables of the pieces and of the choices."""
        title = (
            f"{self.title}: path {self.path.name}, die {self.die.name}, {self.counters} counters "
            f"each and {self.pool} in the pool"
        )
        return [fields_of(Piece).table(title, self.placed), self.choices_table("")]

    def choices_table(self, played: str = ", as played") -> Table:
        """Return the table of the rules that the text leaves open."""
        question, answer = (Column(title, text=True, least=24) for title in ("question", "answer"))
        return Table(
            f"Rules that the text leaves open{played}",
            ["<choice", "<value", "<others", question, answer],
            [
                [
                    name,
                    self.choices[name],
                    ", ".join(value for value in choice.values if value != self.choices[name]),
                    choice.question,
                    choice.values[self.choices[name]],
                ]
                for name, choice in CHOICES.items()
            ],
        )

    @property
    def total(self) -> int:
        """Return the number of counters in the game."""
        return 2 * self.counters + self.pool

    @property
    def entries(self) -> tuple[int, ...]:
        """Return the steps on which the pieces enter, which are the first that they can be on."""
        by_rolls = self.choices["squares"] == "rolls"
        return tuple(piece.roll if by_rolls else piece.step for piece in self.pieces)

    def choosing(self, **choices: Any) -> GamblingGame:
        """Return the game with other values for some choices, by name. None changes nothing.

        Raises
        ------
        UnknownNameError
            If there is no such choice.
        UsageError
            If a choice has no such value, or pieces would enter beyond the end of the path.
        """
        changes = {name: value for name, value in choices.items() if value is not None}
        for name, value in changes.items():
            if name not in CHOICES:
                raise UnknownNameError("choice", name, CHOICES)
            if not isinstance(value, str) or value not in CHOICES[name].values:
                values = " or ".join(CHOICES[name].values)
                raise UsageError(f"{name} {value!r}: must be {values}")
        game = replace(self, choices={**self.choices, **changes})
        shortest = min(len(self.path.light), len(self.path.dark))
        if max(game.entries) > shortest:
            raise UsageError(
                f"squares 'rolls': a piece enters on step {max(game.entries)}, but the path "
                f"{self.path.name} has {shortest} steps"
            )
        return game

    def with_pieces(self, number: int) -> GamblingGame:
        """Return the game with its first pieces only, or raise `UsageError` if it has fewer."""
        if not 1 <= number <= len(self.pieces):
            raise UsageError(f"{number} pieces: must be from 1 to {len(self.pieces)} ({self.name})")
        return replace(self, pieces=self.pieces[:number])


@cache
def built_in() -> Mapping[str, GamblingGame]:
    """Return the built-in gambling games by name. Treat it as read-only."""
    text = package_text("contrib/gambling/data/gamble.toml")
    return load_gambling("gamble.toml", text, catalogue.catalogue())


def gambling_game(name: str | GamblingGame = DEFAULT) -> GamblingGame:
    """Return a built-in gambling game by name.

    Parameters
    ----------
    name
        The name of a built-in gambling game, or a game, which is returned.

    Returns
    -------
    GamblingGame

    Raises
    ------
    UnknownNameError
        If there is no game of this name.
    UsageError
        If ``name`` is neither a name nor a gambling game.

    Examples
    --------
    >>> from urcx.contrib.gambling import gambling_game
    >>> game = gambling_game()
    >>> game.name, game.counters, game.pool
    ('itti-marduk-balatu', 15, 20)
    >>> [piece.title for piece in game.pieces]
    ['Swallow', 'Storm-bird', 'Raven', 'Rooster', 'Eagle']
    >>> game.choosing(rest="finisher").choices["rest"]
    'finisher'
    """
    return catalogue.resolve_entry("gambling game", GamblingGame, dict(built_in()), name, DEFAULT)


def read_game_file(file: str | FilePath) -> GamblingGame:
    """Return the gambling game of a user's file.

    Raises
    ------
    CatalogueError
        If the file cannot be read, breaks the schema, or has no game or several.
    """
    file = FilePath(file)
    games = load_gambling(str(file), read_text(file), catalogue.catalogue())
    if len(games) != 1:
        raise CatalogueError(f"{file} has {len(games)} gambling games: must be 1, [gamble.NAME]")
    return next(iter(games.values()))


def load_gambling(name: str, text: str, base: Catalogue) -> dict[str, GamblingGame]:
    """Return the gambling games of a TOML text.

    Parameters
    ----------
    name
        The name of the file in error messages.
    text
        The content of the file. ``data/gamble.toml`` shows the schema.
    base
        The paths and dice that the text may refer to.

    Raises
    ------
    CatalogueError
        If the text is not TOML or breaks the schema. The message names the line and the key.
    """
    data = parse_toml(name, text)  # first, because it bounds the length of keys
    source = SourceText(name, text)
    for table in data:
        if table != "gamble":
            raise source.error(table, reason="unknown table. The file has [gamble.NAME]")
    games = data.get("gamble", {})
    if not isinstance(games, dict):
        raise source.error("gamble", reason="must be tables, [gamble.NAME]")
    return {
        key: _game(TomlTable(source, "gamble", key, value), base) for key, value in games.items()
    }


def _game(entry: TomlTable, base: Catalogue) -> GamblingGame:
    entry.allow(
        "title", "path", "counters", "pool", "die", "doubling", "doubled", "choices", "piece"
    )
    path, die = entry.named("path", "name", base.paths), entry.named("die", "name", base.dice)
    doubled = _doubled(entry, die)
    game = GamblingGame(
        name=entry.name,
        title=entry.get("title", str, entry.name),
        path=path,
        pieces=_pieces(entry, path, {*die.rolls, *doubled}),
        counters=entry.whole("counters", 0, MAX_COUNTERS),
        pool=entry.whole("pool", 0, MAX_COUNTERS),
        die=die,
        doubling=_chance(entry),
        doubled=doubled,
        choices={name: next(iter(choice.values)) for name, choice in CHOICES.items()},
    )
    try:
        return game.choosing(**entry.get("choices", dict, {}))
    except UsageError as error:
        raise entry.error("choices", str(error)) from None


def _chance(entry: TomlTable) -> Fraction:
    text = entry.get("doubling", str)
    if not re.match(r"[1-9][0-9]{0,5}/[1-9][0-9]{0,5}\Z", text) or Fraction(text) >= 1:
        raise entry.error("doubling", f"{text!r}: must be a fraction below 1, such as '1/2'")
    return Fraction(text)


def _doubled(entry: TomlTable, die: Dice) -> tuple[int, ...]:
    table = entry.get("doubled", dict)
    if set(table) != {str(roll) for roll in die.rolls}:
        rolls = ", ".join(map(str, die.rolls))
        raise entry.error("doubled", f"must have a roll for each of {rolls}")
    for value in table.values():
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_ROLL:
            raise entry.error("doubled", f"{value!r}: must be a roll from 1 to {MAX_ROLL}")
    return tuple(table[str(roll)] for roll in die.rolls)


def _pieces(entry: TomlTable, path: Path, rolls: set[int]) -> tuple[Piece, ...]:
    table = entry.get("piece", dict)
    if not 1 <= len(table) <= MAX_PIECES:
        raise entry.error("piece", f"must be from 1 to {MAX_PIECES} tables, not {len(table)}")
    length = min(len(path.light), len(path.dark))
    pieces = []
    for name, value in table.items():
        piece = TomlTable(entry.source, f"gamble.{entry.name}.piece", name, value)
        piece.allow("title", "roll", "step", "counters")
        roll = piece.whole("roll", 1, MAX_ROLL)
        if roll not in rolls:
            possible_rolls = ", ".join(map(str, sorted(rolls)))
            raise piece.error("roll", f"the dice never give {roll}. They give {possible_rolls}")
        step = piece.whole("step", 1, length)
        counters = piece.whole("counters", 0, MAX_COUNTERS)
        pieces.append(Piece(name, piece.get("title", str, name), roll, step, counters))
    return tuple(pieces)

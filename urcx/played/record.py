"""A finished or unfinished game: its plies, with the position before and after each ply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from urcx.engine import moves
from urcx.engine.moves import MOVE, Move
from urcx.engine.moves import PASS as NO_MOVE
from urcx.errors import PositionError, UsageError, WrongObjectError, printable
from urcx.game import Game, as_game, check_side, legal_move, mover_path
from urcx.reading import as_path
from urcx.results.fields import RULES, TEXT, Field, Fields, column, fields_of
from urcx.results.numbers import count_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table
from urcx.results.writing import PICTURES, commented, json_text
from urcx.rules import catalogue
from urcx.rules.model import HasPicture, RuleSet
from urcx.rules.position import move_name

__all__ = ["PlayedGame"]

ROYALUR_JSON = ".royalur.json"  # the end of the names of files in RoyalUr's JSON
UNFINISHED = "unfinished"
YOU = "you"  # the name of a person in games of urcx play and of the page
PASS = "pass"  # noqa: S105 - the word for a pass


@dataclass(frozen=True)
class Ply:
    """One roll, with the move or pass that answers it."""

    roll: Annotated[int, Field("roll", about="the roll")]
    move: Annotated[Move | None, "the move, or None for a pass"]
    before: Annotated[Game, "the game before the roll"]
    after: Annotated[
        Game,
        "the game after the move or the pass",
        Field("", TEXT, "the position after it", key="position", of="position"),
    ]

    @property
    @Field("<side", about="light or dark")
    def side(self) -> str:
        """Return the side that rolled, ``"light"`` or ``"dark"``."""
        return self.before.turn

    @property
    def steps(self) -> str:
        """Return the steps of the move, such as ``0-4``, or ``pass``."""
        return PASS if self.move is None else f"{self.move.start}-{self.move.end}"

    @property
    def marks(self) -> str:
        """Return ``x`` for a capture and ``*`` for a rosette, both, or an empty string."""
        if self.move is None:
            return ""
        return "x" * self.move.captures + "*" * self.move.rosette

    def describe(self) -> str:
        """Return the move in words, such as ``A2 to B1, captures``, or ``pass``."""
        return described(self.before, self.move)


def described(game: Game, move: Move | None) -> str:
    """Return a move in words, such as ``A2 to B1, captures``, or ``pass``."""
    return moves.move_in_words(move, game.rules.path, light=game.turn == "light")


PLIES = fields_of(Ply)
PLAYED_PLY = PLIES.pick("side", "roll")
PLAYED_MOVE = Fields(NO_MOVE) + MOVE.without("rolls_again")
AFTER = PLIES.pick("position")
NUMBER = Field(Column("ply", key=True), about="the ply's number, from 1", key="ply")


@dataclass(frozen=True, init=False, repr=False)
class PlayedGame(HasPicture, Result, function="read_game"):
    """A game from its first ply on. Methods that play or take back return a new game.

    The constructor takes the start, and `urcx.read_game` reads a game from a file. A game prints as
    the list of its plies. In notebooks it is a drawing of the last position, with the moves below.

    Raises
    ------
    UsageError
        If the start is not a game, or the seed is below 0.
    PositionError
        If the game is over at its start.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame("finkel", light="you").throw(4).play("0-4").play("0-2").throw(0)
    >>> str(played.game.position), played.roll, played.result
    ('2,4/-/0-0/D', 0, 'unfinished')
    >>> [ply.steps for ply in played.passed().undo(2).plies]
    ['0-4']
    """

    schema = "urcx.game/1"
    lists = ("plies",)
    start: Annotated[
        Game,
        "the start of the game. The constructor also takes a rule set or its name",
        Field("", TEXT, "the position at the start", of="position"),
    ]
    plies: Annotated[tuple[Ply, ...], "the plies (not a parameter of the constructor)"]
    roll: Annotated[
        int | None, Field(about="a thrown roll that has not been played yet, else null")
    ]
    light: Annotated[str, Field(about="name of light's player, empty if unknown")]
    dark: Annotated[str, Field(about="name of dark's player, empty if unknown")]
    date: Annotated[str, Field(about="date of the game, empty if unknown")]
    seed: Annotated[int | None, Field(about="the seed of its dice, null if there is none")]
    more: Annotated[
        tuple[tuple[str, str], ...],
        "more names and strings, such as the metadata of other programs' files",
    ]
    undone: Annotated[
        tuple[Ply, ...],
        "plies taken back, the next one for `redo` last. Comparisons of games ignore them",
    ] = field(compare=False)

    def __init__(
        self,
        start: str | RuleSet | Game = catalogue.DEFAULT_RULES,
        *,
        light: str = "",
        dark: str = "",
        date: str = "",
        seed: int | None = None,
        more: tuple[tuple[str, str], ...] = (),
    ) -> None:
        first = start if isinstance(start, Game) else Game(start)
        if first.is_over:
            raise PositionError(f"home: a game cannot start after {first.winner} has won")
        if seed is not None and catalogue.as_integer("seed", seed) < 0:
            raise UsageError(f"seed {seed}: must be at least 0")
        self._set(start=first, plies=(), roll=None, undone=())
        self._set(light=light, dark=dark, date=date, seed=seed, more=more)

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the fields of the JSON object and of its plies."""
        notation = Field(
            about="the game in notation", of=lambda game: game.to_text(), key="notation"
        )
        return {
            "": GAMES + Fields(notation),
            "rows": Fields(NUMBER) + PLAYED_PLY + PLAYED_MOVE + AFTER,
        }

    def document(self) -> dict[str, Any]:
        """Return the JSON object as a dict."""
        return self.members()[""].record(self) | {"rows": self.records()}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each ply."""
        own = PLAYED_PLY + PLAYED_MOVE + AFTER
        return [{"ply": n, **own.record(ply)} for n, ply in enumerate(self.plies, start=1)]

    def tables(self) -> list[Table]:
        """Return the list of the game's plies."""
        move, leads = (
            Column("move", text=True, least=24),
            Column("leads to", text=True, secondary=True),
        )
        fields = PLAYED_PLY + Fields(
            column(move, Ply.describe),
            column(leads, lambda ply: ply.after.position.on(self.rules.path)),
        )
        numbered = list(enumerate(self.plies, start=1))
        cells = [[str(number), *fields.cells(ply)] for number, ply in numbered]
        notes = [] if self.roll is None else [f"roll {self.roll} has not been played yet"]
        return [Table("", [NUMBER.heading, *fields.columns], cells, notes)]

    @property
    def answer(self) -> str:
        """Return the game in one line."""
        return self.heading

    @property
    def heading(self) -> str:
        """Return the game in one line: players, rules and result."""
        light = f"{self.player('light')} (light)" if self.light else "light"
        dark = f"{self.player('dark')} (dark)" if self.dark else "dark"
        when = f", {self.date}" if self.date else ""
        ended = f"{self.winner} has won" if self.winner else f"unfinished, {self.turn} to move"
        rules = f"{self.rules.name} with {count_text(self.rules.pieces, 'piece')}"
        plies = "1 ply" if len(self.plies) == 1 else f"{len(self.plies)} plies"
        return f"{light} against {dark}, {rules}{when}: {ended} after {plies}"

    def _picture(self, *, standalone: bool) -> str:
        from urcx.played.pictures import game_svg

        return game_svg(self, standalone=standalone)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _with(self, **changes: Any) -> PlayedGame:
        """Return the game with other values of some attributes."""
        changed = copy(self)
        changed._set(**changes)  # noqa: SLF001 - still private
        return changed

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.start.rules

    @property
    @Field("", TEXT, "the position now", key="position", of="position")
    def game(self) -> Game:
        """Return the game after its last ply."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def turn(self) -> str:
        """Return the side to move, ``"light"`` or ``"dark"``."""
        return self.game.turn

    @property
    def is_over(self) -> bool:
        """Return whether a player has all pieces home."""
        return self.game.is_over

    @property
    def winner(self) -> str | None:
        """Return the winner, ``"light"`` or ``"dark"``, or None in an unfinished game."""
        return self.game.winner

    @property
    @Field(about="light, dark or unfinished")
    def result(self) -> str:
        """Return the winner, or ``unfinished``."""
        return self.winner or UNFINISHED

    def player(self, side: str) -> str:
        """Return the printable name of a side's player, or the side if there is no name."""
        check_side(side)
        return printable((self.light if side == "light" else self.dark) or side)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves for the thrown roll.

        Raises
        ------
        UsageError
            If no roll was thrown.
        """
        return self.game.legal_moves(self._thrown(None))

    def throw(self, roll: int) -> PlayedGame:
        """Return the game after a roll, which must be played next.

        Raises
        ------
        UsageError
            If the dice cannot give the roll, or another roll has not been played yet.
        PositionError
            If the game is over.
        """
        if self.roll is not None:
            raise UsageError(f"the roll {self.roll} has not been played yet")
        game = self.game
        game.legal_moves(roll)  # raises if the dice cannot give the roll, or the game is over
        return self._with(roll=catalogue.as_integer("roll", roll))

    def play(self, move: Move | str) -> PlayedGame:
        """Return the game after a move.

        Parameters
        ----------
        move
            One of `legal_moves`, or its steps as a string such as ``"0-4"``. Without a thrown roll,
            the steps determine the roll.

        Raises
        ------
        UsageError
            If the move is not legal, or needs another roll than the thrown one.
        PositionError
            If the game is over.
        """
        legal = legal_move(self.game, move)
        roll = legal.end - legal.start
        if self.roll not in (None, roll):
            name = move_name(legal.start, legal.end, mover_path(self.game))
            raise UsageError(f"{name} is not a move for the roll {self.roll}")
        return self._then(Ply(roll, legal, self.game, self.game.play(legal)))

    def passed(self, roll: int | None = None) -> PlayedGame:
        """Return the game after a pass, for the thrown roll or else ``roll``.

        Raises
        ------
        UsageError
            If there is no roll, if ``roll`` differs from the thrown one, or if a move is legal.
        PositionError
            If the game is over.
        """
        thrown = self._thrown(roll)
        return self._then(Ply(thrown, None, self.game, self.game.passed(thrown)))

    def undo(self, plies: int = 1) -> PlayedGame:
        """Return the game without its last plies. The roll of the first of these stays thrown.

        `redo` plays them again. With 0 plies, only a thrown roll is taken back.

        Raises
        ------
        UsageError
            If the game has fewer plies.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.plies):
            raise UsageError(
                f"plies {number}: must be from 0 to {len(self.plies)}, the plies played"
            )
        if not number:
            return self._with(roll=None)
        rest, taken = self.plies[:-number], self.plies[-number:]
        return self._with(plies=rest, roll=taken[0].roll, undone=self.undone + taken[::-1])

    def redo(self, plies: int = 1) -> PlayedGame:
        """Return the game with plies played again, beginning with the ply taken back last.

        Raises
        ------
        UsageError
            If fewer plies can be played again, for example because another ply was played.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.undone):
            raise UsageError(
                f"plies {number}: must be from 0 to {len(self.undone)}, the plies taken back"
            )
        if not number:
            return self
        rest, again = self.undone[:-number], self.undone[-number:]
        return self._with(plies=self.plies + again[::-1], roll=None, undone=rest)

    def at(self, plies: int) -> PlayedGame:
        """Return the game after a number of plies, with nothing thrown or taken back.

        Raises
        ------
        UsageError
            If the game has fewer plies.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.plies):
            raise UsageError(
                f"plies {number}: must be from 0 to {len(self.plies)}, the plies played"
            )
        return self._with(plies=self.plies[:number], roll=None, undone=())

    def following(self, plies: tuple[Ply, ...], roll: int | None = None) -> PlayedGame:
        """Return the game with these plies and then a roll, all checked by the caller."""
        return self._with(plies=plies, roll=roll, undone=())

    def with_seed(self, seed: int) -> PlayedGame:
        """Return the game with another seed for the dice of later plies.

        Raises
        ------
        UsageError
            If the seed is below 0.
        """
        number = catalogue.as_integer("seed", seed)
        if number < 0:
            raise UsageError(f"seed {number}: must be at least 0")
        return self._with(seed=number)

    def to_text(self) -> str:
        """Return the game in notation (:ref:`notation-of-games`)."""
        from urcx.played.notation import game_text

        return game_text(self)

    def to_rgn(self) -> str:
        """Return the game in RoyalUr's notation, RGN (see `urcx.played.royalur`)."""
        from urcx.played.royalur import rgn_text

        return rgn_text(self)

    def to_royalur_json(self) -> str:
        """Return the game in the JSON of RoyalUr-Java (see `urcx.played.royalur_json`)."""
        from urcx.played.royalur_json import royalur_json_text

        return royalur_json_text(self)

    def save(self, file: str | Path, provenance: Mapping[str, Any] | None = None) -> None:
        """Write the game to a file, which appears under its name only when it is complete.

        Parameters
        ----------
        file
            The end of its name chooses the format: RGN (``.rgn``), the JSON of RoyalUr-Java
            (``.royalur.json``), the JSON of urcx (``.json``), or a drawing (``.svg``). All other
            names get the notation of urcx.
        provenance
            How the game was made, for the JSON of urcx and for comments in notation.

        Raises
        ------
        UsageError
            If the name ends like a picture, but not in ``.svg``.
        UrcxError
            If the file cannot be written.
        """
        from urcx.engine.files.writing import atomic_file

        name = as_path(file)
        comments = {key: (provenance or {}).get(key) for key in ("command", "versions")}
        texts: dict[str, Callable[[], str]] = {
            ".rgn": self.to_rgn,
            ROYALUR_JSON: self.to_royalur_json,
            ".json": lambda: json_text(self, provenance),
            ".svg": lambda: self._picture(standalone=True),
        }
        if ending(name) not in texts and ending(name) in PICTURES:
            raise UsageError(f"cannot write a game to {name}: the only kind of picture is .svg")
        text = texts.get(ending(name), lambda: commented(comments) + self.to_text())()
        with atomic_file(name) as stream:
            stream.write(text)

    def _thrown(self, roll: int | None) -> int:
        """Return the thrown roll, or else ``roll``."""
        if self.roll is None:
            if roll is None:
                raise UsageError("no roll was thrown")
            return catalogue.as_integer("roll", roll)
        if roll not in (None, self.roll):
            raise UsageError(f"the roll is {self.roll}, not {roll}")
        return self.roll

    def _then(self, ply: Ply) -> PlayedGame:
        """Return the game with one more ply. It may repeat the ply taken back last."""
        undone = self.undone[:-1] if self.undone and self.undone[-1] == ply else ()
        return self._with(plies=(*self.plies, ply), roll=None, undone=undone)


GAMES = RULES + fields_of(PlayedGame).pick(
    "start", "light", "dark", "date", "seed", "result", "roll", "position"
)


def ending(file: Path) -> str:
    """Return the end of a file's name, which chooses the format of a game."""
    name = file.name.lower()
    return ROYALUR_JSON if name.endswith(ROYALUR_JSON) else file.suffix.lower()


def as_played(value: Any) -> PlayedGame:
    """Return a played game, or raise `UsageError` for anything else."""
    if isinstance(value, PlayedGame):
        return value
    raise WrongObjectError("game", PlayedGame, value, "a played game, such as urcx.read_game(FILE)")


def game_in(value: Any) -> Game:
    """Return a game or a played game's last position, or raise `UsageError` for anything else."""
    return value.game if isinstance(value, PlayedGame) else as_game(value)

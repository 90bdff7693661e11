"""A game that was played, or is being played: its plies, and what came before and after each."""

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
from urcx.results.writing import commented, json_text
from urcx.rules import catalogue
from urcx.rules.model import HasPicture, RuleSet
from urcx.rules.position import move_name

__all__ = ["PlayedGame"]

ROYALUR_JSON = ".royalur.json"  # the end of the names of files in RoyalUr's JSON
UNFINISHED = "unfinished"
PASS = "pass"  # noqa: S105 - the word for a pass


@dataclass(frozen=True)
class Ply:
    """One roll and what was done with it."""

    roll: Annotated[int, Field("roll", about="the roll")]
    move: Annotated[Move | None, "what was played; None is a pass"]
    before: Annotated[Game, "the game before the roll"]
    after: Annotated[
        Game,
        "the game after the move or the pass",
        Field("", TEXT, "the position that it leads to", key="position", of="position"),
    ]

    @property
    @Field("<side", about="light or dark")
    def side(self) -> str:
        """Return who rolled, ``"light"`` or ``"dark"``."""
        return self.before.turn

    @property
    def steps(self) -> str:
        """Return the move's steps, such as ``0-4``, or ``pass``."""
        return PASS if self.move is None else f"{self.move.start}-{self.move.end}"

    @property
    def marks(self) -> str:
        """Return ``x`` for a capture and ``*`` for a rosette, both, or nothing."""
        if self.move is None:
            return ""
        return "x" * self.move.captures + "*" * self.move.rosette

    def describe(self) -> str:
        """Return the move in words of the board, such as ``A2 to B1, captures``, or ``pass``."""
        return described(self.before, self.move)


def described(game: Game, move: Move | None) -> str:
    """Return a move in words of the board, such as ``A2 to B1, captures``, or ``pass``."""
    return moves.move_in_words(move, game.rules.path, light=game.turn == "light")


PLIES = fields_of(Ply)
PLAYED_PLY = PLIES.pick("side", "roll")
PLAYED_MOVE = Fields(NO_MOVE) + MOVE.without("rolls_again")
AFTER = PLIES.pick("position")
NUMBER = Field(Column("ply", key=True), about="the ply's number, from 1", key="ply")


@dataclass(frozen=True, init=False, repr=False)
class PlayedGame(HasPicture, Result, function="read_game"):
    """A game from its first ply on; to play, take back or play again returns another one.

    Whoever makes one says where it starts; `urcx.read_game` makes one of a file. It shows itself as
    the list of its plies, and is drawn in notebooks, its last position with the moves below it.

    Raises
    ------
    UsageError
        If what is given for the start is none, or the seed is below 0.
    PositionError
        If the game is over where it starts.

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
        "where it starts; to make one, a rule set or its name does as well",
        Field("", TEXT, "the position it starts in", of="position"),
    ]
    plies: Annotated[tuple[Ply, ...], "what was played; not to be given"]
    roll: Annotated[
        int | None, Field(about="a roll that was thrown and is still to be played, else null")
    ]
    light: Annotated[str, Field(about="who plays light, empty if not said")]
    dark: Annotated[str, Field(about="who plays dark")]
    date: Annotated[str, Field(about="when it was played, empty if not said")]
    seed: Annotated[int | None, Field(about="the seed of its dice, null if there is none")]
    more: Annotated[
        tuple[tuple[str, str], ...], "further names and texts, as files of other programs have them"
    ]
    undone: Annotated[
        tuple[Ply, ...],
        "plies taken back, the one that `redo` plays at the end; they make no difference to "
        "whether two games are equal",
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
            raise PositionError(f"home: a game cannot start where {first.winner} has won")
        if seed is not None and catalogue.as_integer("seed", seed) < 0:
            raise UsageError(f"seed {seed}: at least 0 is needed")
        self._set(start=first, plies=(), roll=None, undone=())
        self._set(light=light, dark=dark, date=date, seed=seed, more=more)

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object, with those of plies."""
        notation = Field(
            about="the game in notation", of=lambda game: game.to_text(), key="notation"
        )
        return {
            "": GAMES + Fields(notation),
            "rows": Fields(NUMBER) + PLAYED_PLY + PLAYED_MOVE + AFTER,
        }

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
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
        shown = PLAYED_PLY + Fields(
            column(move, Ply.describe),
            column(leads, lambda ply: ply.after.position.on(self.rules.path)),
        )
        numbered = list(enumerate(self.plies, start=1))
        cells = [[str(number), *shown.cells(ply)] for number, ply in numbered]
        notes = [] if self.roll is None else [f"roll {self.roll} is still to be played"]
        return [Table("", [NUMBER.heading, *shown.columns], cells, notes)]

    @property
    def answer(self) -> str:
        """Return the game in one line."""
        return self.heading

    @property
    def heading(self) -> str:
        """Return the game in one line: who played what, and how it ended."""
        who = f"{self.player('light')} (light)" if self.light else "light"
        other = f"{self.player('dark')} (dark)" if self.dark else "dark"
        when = f", {self.date}" if self.date else ""
        ended = f"{self.winner} has won" if self.winner else f"unfinished, {self.turn} to move"
        rules = f"{self.rules.name} with {count_text(self.rules.pieces, 'piece')}"
        plies = "1 ply" if len(self.plies) == 1 else f"{len(self.plies)} plies"
        return f"{who} against {other}, {rules}{when}: {ended} after {plies}"

    def _picture(self, *, standalone: bool) -> str:
        from urcx.played.pictures import game_svg

        return game_svg(self, standalone=standalone)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _with(self, **changes: Any) -> PlayedGame:
        """Return the game with other values of some attributes."""
        made = copy(self)
        made._set(**changes)  # noqa: SLF001 - not seen by anyone yet
        return made

    @property
    def rules(self) -> RuleSet:
        """Return the rules it is played by."""
        return self.start.rules

    @property
    @Field("", TEXT, "where it stands", key="position", of="position")
    def game(self) -> Game:
        """Return where it stands now."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def turn(self) -> str:
        """Return whose turn it is, ``"light"`` or ``"dark"``."""
        return self.game.turn

    @property
    def is_over(self) -> bool:
        """Return whether a player has all pieces home."""
        return self.game.is_over

    @property
    def winner(self) -> str | None:
        """Return who has won, ``"light"`` or ``"dark"``; None while nobody has."""
        return self.game.winner

    @property
    @Field(about="light, dark or unfinished")
    def result(self) -> str:
        """Return who has won, or ``unfinished``."""
        return self.winner or UNFINISHED

    def player(self, side: str) -> str:
        """Return the name of who plays a side, to be shown, or the side where there is none."""
        check_side(side)
        return printable((self.light if side == "light" else self.dark) or side)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves for the roll that was thrown.

        Raises
        ------
        UsageError
            If none was.
        """
        return self.game.legal_moves(self._thrown(None))

    def throw(self, roll: int) -> PlayedGame:
        """Return the game after a roll, which is to be played next.

        Raises
        ------
        UsageError
            If the dice cannot give it, or a roll is waiting to be played.
        PositionError
            If the game is over.
        """
        if self.roll is not None:
            raise UsageError(f"the roll {self.roll} is still to be played")
        game = self.game
        game.legal_moves(roll)  # raises if there is no such roll, or no turn
        return self._with(roll=catalogue.as_integer("roll", roll))

    def play(self, move: Move | str) -> PlayedGame:
        """Return the game after a move.

        Parameters
        ----------
        move
            One of `legal_moves`, or its steps as a text such as ``"0-4"``. Its roll is the one that
            was thrown, or follows from the steps if none was.

        Raises
        ------
        UsageError
            If it is not legal, or not by the roll that was thrown.
        PositionError
            If the game is over.
        """
        found = legal_move(self.game, move)
        roll = found.end - found.start
        if self.roll not in (None, roll):
            name = move_name(found.start, found.end, mover_path(self.game))
            raise UsageError(f"{name} is no move by the roll {self.roll}")
        return self._then(Ply(roll, found, self.game, self.game.play(found)))

    def passed(self, roll: int | None = None) -> PlayedGame:
        """Return the game after a pass, by the roll that was thrown or else the one given.

        Raises
        ------
        UsageError
            If no roll was thrown and none is given, both and not the same, or there is a move.
        PositionError
            If the game is over.
        """
        thrown = self._thrown(roll)
        return self._then(Ply(thrown, None, self.game, self.game.passed(thrown)))

    def undo(self, plies: int = 1) -> PlayedGame:
        """Return the game without its last plies; the roll of the first of them stands thrown.

        `redo` plays them again. Without plies, only a roll that was thrown is taken back.

        Raises
        ------
        UsageError
            If there are not so many.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.plies):
            raise UsageError(f"{number} plies to take back: there are {len(self.plies)}")
        if not number:
            return self._with(roll=None)
        kept, taken = self.plies[:-number], self.plies[-number:]
        return self._with(plies=kept, roll=taken[0].roll, undone=self.undone + taken[::-1])

    def redo(self, plies: int = 1) -> PlayedGame:
        """Return the game with plies played again, beginning with the one taken back last.

        Raises
        ------
        UsageError
            If there are not so many, because another was played since, or none was taken back.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.undone):
            raise UsageError(
                f"there is no ply to play again: {number} wanted, {len(self.undone)} taken back"
            )
        if not number:
            return self
        kept, again = self.undone[:-number], self.undone[-number:]
        return self._with(plies=self.plies + again[::-1], roll=None, undone=kept)

    def at(self, plies: int) -> PlayedGame:
        """Return the game as it stood after so many plies, with nothing thrown or taken back.

        Raises
        ------
        UsageError
            If there are not so many.
        """
        number = catalogue.as_integer("plies", plies)
        if not 0 <= number <= len(self.plies):
            raise UsageError(f"after {number} plies: there are {len(self.plies)}")
        return self._with(plies=self.plies[:number], roll=None, undone=())

    def following(self, plies: tuple[Ply, ...], roll: int | None = None) -> PlayedGame:
        """Return the game with these plies and a roll after them, which the caller has checked."""
        return self._with(plies=plies, roll=roll, undone=())

    def with_seed(self, seed: int) -> PlayedGame:
        """Return the game with another seed for the dice from now on.

        Raises
        ------
        UsageError
            If it is below 0.
        """
        number = catalogue.as_integer("seed", seed)
        if number < 0:
            raise UsageError(f"seed {number}: at least 0 is needed")
        return self._with(seed=number)

    def to_text(self) -> str:
        """Return the game in notation (:ref:`notation-of-games`)."""
        from urcx.played.notation import game_text

        return game_text(self)

    def to_rgn(self) -> str:
        """Return the game in RoyalUr's notation, RGN; see `urcx.played.royalur`."""
        from urcx.played.royalur import rgn_text

        return rgn_text(self)

    def to_royalur_json(self) -> str:
        """Return the game in the JSON of RoyalUr-Java; see `urcx.played.royalur_json`."""
        from urcx.played.royalur_json import royalur_json_text

        return royalur_json_text(self)

    def save(self, file: str | Path, provenance: Mapping[str, Any] | None = None) -> None:
        """Write the game to a file, which appears under its name only when it is complete.

        Parameters
        ----------
        file
            By the end of its name it gets the game in RGN (``.rgn``), in the JSON of RoyalUr-Java
            (``.royalur.json``), as JSON of urcx (``.json``) or as a drawing (``.svg``); else in
            notation.
        provenance
            How it is made, which JSON and, as comments, notation then say.

        Raises
        ------
        UrcxError
            If it cannot be written.
        """
        from urcx.engine.files.writing import atomic_file

        name = as_path(file)
        said = {key: (provenance or {}).get(key) for key in ("command", "versions")}
        texts: dict[str, Callable[[], str]] = {
            ".rgn": self.to_rgn,
            ROYALUR_JSON: self.to_royalur_json,
            ".json": lambda: json_text(self, provenance),
            ".svg": lambda: self._picture(standalone=True),
        }
        text = texts.get(ending(name), lambda: commented(said) + self.to_text())()
        with atomic_file(name) as stream:
            stream.write(text)

    def _thrown(self, roll: int | None) -> int:
        """Return the roll that was thrown, or else the given one."""
        if self.roll is None:
            if roll is None:
                raise UsageError("no roll was thrown")
            return catalogue.as_integer("roll", roll)
        if roll not in (None, self.roll):
            raise UsageError(f"the roll is {self.roll}, not {roll}")
        return self.roll

    def _then(self, ply: Ply) -> PlayedGame:
        """Return the game with one more ply; what was taken back stays if it is the same one."""
        undone = self.undone[:-1] if self.undone and self.undone[-1] == ply else ()
        return self._with(plies=(*self.plies, ply), roll=None, undone=undone)


GAMES = RULES + fields_of(PlayedGame).pick(
    "start", "light", "dark", "date", "seed", "result", "roll", "position"
)


def ending(file: Path) -> str:
    """Return the end of a file's name that says in which format a game is written."""
    name = file.name.lower()
    return ROYALUR_JSON if name.endswith(ROYALUR_JSON) else file.suffix.lower()


def as_played(value: Any) -> PlayedGame:
    """Return a played game; raises `UsageError` for anything else."""
    if isinstance(value, PlayedGame):
        return value
    raise WrongObjectError(
        "game", PlayedGame, value, "a game that was played, urcx.read_game(FILE)"
    )


def game_in(value: Any) -> Game:
    """Return a game, or where a played one stands; raises `UsageError` for anything else."""
    return value.game if isinstance(value, PlayedGame) else as_game(value)

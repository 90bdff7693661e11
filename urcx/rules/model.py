"""The game as frozen dataclasses: boards, paths, dice and rule sets.

`urcx.rules.load` builds the objects from TOML, with errors that name the line. Objects made by hand
check themselves, because kernels do not: each raises `UsageError` for a field that no game could
have. Steps along a path are numbered from 1 to L. Step 0 is the start pool, and L + 1 is home.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Annotated

from urcx.errors import OutOfDomainError, UsageError, WrongObjectError, quoted
from urcx.results.fields import Field
from urcx.results.numbers import count_text

__all__ = ["Board", "Dice", "Path", "RuleSet"]

MAX_PIECES = 255  # per side
MAX_ROLL = 99
GRANTS = "rosette_grants_roll"  # the flag that may also be a set of rosettes


def _tiles(what: str, value: object) -> None:
    """Raise `UsageError` unless a field is a tuple of tiles."""
    if not (isinstance(value, tuple) and all(type(t) is str and t for t in value)):
        raise UsageError(
            f"{what}: must be a tuple of tiles such as ('A4', 'A3'), not {quoted(value)}"
        )


class HasPicture:
    """An object that a notebook draws: a board, with pieces and paths on it, or dice.

    Most notebooks use the HTML, a drawing in the text colour of the page, with a caption. Others
    use the drawing as a separate file, whose colour follows the reader's colour scheme.
    """

    def _picture(self, *, standalone: bool) -> str:
        from urcx.rules.pictures import picture  # imports this module

        return picture(self, standalone=standalone)

    def _caption(self) -> list[str]:
        from urcx.rules.pictures import caption

        return caption(self)

    def _repr_html_(self) -> str | None:
        from urcx.rules.pictures import html_figure

        with suppress(Exception):
            return html_figure(self._picture(standalone=False), self._caption())
        return None

    def _repr_svg_(self) -> str | None:
        with suppress(Exception):
            return self._picture(standalone=True)
        return None


@dataclass(frozen=True)
class Board(HasPicture):
    """Tiles and rosettes.

    ``tiles`` are named column + row (``"B4"``). ``rosettes`` is a subset of the tiles. ``mirror``
    names the two columns that are exchanged between light's path and dark's.
    """

    name: str
    title: str
    tiles: tuple[str, ...]
    rosettes: frozenset[str]
    mirror: tuple[str, str]

    def __post_init__(self) -> None:
        _tiles(f"board {self.name}", self.tiles)

    def __repr__(self) -> str:
        return f"<Board {self.name}: {len(self.tiles)} tiles, {len(self.rosettes)} rosettes>"

    @property
    def columns(self) -> list[str]:
        """Return the letters of the columns, light's wing first."""
        return sorted({tile[0] for tile in self.tiles})

    @property
    def rows(self) -> range:
        """Return the numbers of the rows, including rows without a tile."""
        numbers = [int(tile[1:]) for tile in self.tiles]
        return range(min(numbers), max(numbers) + 1)

    def mirrored(self, tile: str) -> str:
        """Return the mirror image of a tile, which replaces it on dark's path."""
        a, b = self.mirror
        column = tile[0]
        return {a: b, b: a}.get(column, column) + tile[1:]


@dataclass(frozen=True)
class Path(HasPicture):
    """Both players' paths over a board.

    ``light[i - 1]`` and ``dark[i - 1]`` are the tiles of step i. ``laps`` are the lengths of
    light's laps. Within a lap no tile occurs twice.
    """

    name: str
    title: str
    board: Board
    light: tuple[str, ...]
    dark: tuple[str, ...]
    laps: tuple[int, ...]
    aliases: tuple[str, ...] = ()
    reading: str = ""

    def __post_init__(self) -> None:
        name = f"path {self.name}"
        if not isinstance(self.board, Board):
            raise WrongObjectError(f"{name}, board", Board, self.board)
        for way in (self.light, self.dark):
            _tiles(name, way)

    def __repr__(self) -> str:
        return f"<Path {self.name}: {self.describe()}>"

    @property
    def length(self) -> int:
        """Return L, the number of steps on the board, of the longer path if the two differ."""
        return max(len(self.light), len(self.dark))

    @cached_property
    def tiles(self) -> tuple[str, ...]:
        """Return every tile of either path, in light's order, then dark's."""
        return tuple(dict.fromkeys((*self.light, *self.dark)))

    @cached_property
    def crossings(self) -> tuple[tuple[int, int], ...]:
        """Return for each of `tiles` how often light's path and dark's path cross it."""
        light, dark = Counter(self.light), Counter(self.dark)
        return tuple((light[tile], dark[tile]) for tile in self.tiles)

    @property
    def crossed_once(self) -> bool:
        """Return whether neither player crosses a tile twice."""
        return all(a <= 1 and b <= 1 for a, b in self.crossings)

    @property
    def shared(self) -> int:
        """Return the number of tiles on both players' paths (the war zone)."""
        return sum(a > 0 and b > 0 for a, b in self.crossings)

    @property
    def private(self) -> tuple[int, int]:
        """Return the numbers of tiles that only light and only dark crosses."""
        light = sum(a > 0 and b == 0 for a, b in self.crossings)
        dark = sum(a == 0 and b > 0 for a, b in self.crossings)
        return light, dark

    @cached_property
    def symmetric(self) -> bool:
        """Return whether exchanging the players, step for step, leaves the game unchanged.

        It does if some renaming of the tiles turns each path into the other, including rosettes.
        Then canonical views represent positions completely.
        """
        if len(self.light) != len(self.dark):
            return False
        pairs = [*zip(self.light, self.dark, strict=True), *zip(self.dark, self.light, strict=True)]
        forward = dict(pairs)
        backward = {b: a for a, b in pairs}
        rosettes = self.board.rosettes
        return all(forward[a] == b and backward[b] == a for a, b in pairs) and all(
            (a in rosettes) == (b in rosettes) for a, b in pairs
        )

    def describe(self) -> str:
        """Return one line: steps, private and shared tiles, tiles crossed more than once."""
        light, dark = self.private
        private = str(light) if light == dark else f"{light} and {dark}"
        text = f"{self.length} steps, {private} private and {self.shared} shared tiles"
        twice = sum(max(a, b) > 1 for a, b in self.crossings)
        return f"{text}, {twice} crossed more than once" if twice else text


@dataclass(frozen=True)
class Dice(HasPicture):
    """The distribution of a roll: ``probabilities[i]`` is the exact probability of ``rolls[i]``.

    Rolls are different integers from 0 to 99. Probabilities are positive and sum to 1.
    """

    name: str
    title: str
    rolls: tuple[int, ...]
    probabilities: tuple[Fraction, ...] = field(hash=False)  # slow, and rolls usually differ

    def __post_init__(self) -> None:
        name = f"dice {self.name}"
        if not all(isinstance(part, tuple) for part in (self.rolls, self.probabilities)):
            raise UsageError(f"{name}: rolls and probabilities must be tuples")
        for roll in self.rolls:
            if type(roll) is not int or not 0 <= roll <= MAX_ROLL:
                raise UsageError(
                    f"{name}: {quoted(roll)} is not a roll, an integer from 0 to {MAX_ROLL}"
                )
        if len(set(self.rolls)) != len(self.rolls):
            raise UsageError(f"{name}: a roll comes twice")
        if len(self.probabilities) != len(self.rolls):
            raise UsageError(
                f"{name}: {len(self.probabilities)} probabilities for {len(self.rolls)} rolls"
            )
        for chance in self.probabilities:
            if type(chance) is not Fraction or chance <= 0:
                raise UsageError(f"{name}: {quoted(chance)} is not a positive Fraction")
        if sum(self.probabilities) != 1:
            raise UsageError(f"{name}: probabilities sum to {sum(self.probabilities)}, not to 1")

    def __repr__(self) -> str:
        return f"<Dice {self.name}: {min(self.rolls)} to {max(self.rolls)}, mean {self.mean}>"

    @property
    def mean(self) -> Fraction:
        """Return the mean roll."""
        return sum((roll * p for roll, p in self.items()), Fraction(0))

    def items(self) -> tuple[tuple[int, Fraction], ...]:
        """Return each roll with its exact probability, in the order of ``rolls``.

        Examples
        --------
        >>> import urcx
        >>> [f"{roll}: {p}" for roll, p in urcx.dice("binary3").items()]
        ['0: 1/8', '1: 3/8', '2: 3/8', '3: 1/8']
        """
        return tuple(zip(self.rolls, self.probabilities, strict=True))


def fault_of_granting(some: frozenset[str], path: Path) -> str:
    """Return the reason why no rule set can have these as its granting rosettes, or ""."""
    if not some or not some < path.board.rosettes:
        return "must be true, false or some of the board's rosettes, not all"
    # Otherwise canonical views, which have no colours, would not represent positions.
    if path.symmetric and any(
        (a in some) != (b in some) for a, b in zip(path.light, path.dark, strict=True)
    ):
        return "must be the same steps for both sides, because their paths are the same"
    return ""


@dataclass(frozen=True)
class RuleSet(HasPicture):
    """The rules of a game: path, pieces per side, dice, and the effects of rosettes and captures.

    If only some of the board's rosettes grant a roll, ``rosette_grants_roll`` is the set of them.
    With ``captures_blocked`` no piece moves to a tile with an enemy piece. With
    ``rosette_disarms`` a piece on a rosette of both paths cannot capture.
    Give a new flag a default, which describes games without it (see `unknown_flag`).
    """

    name: str
    title: str
    path: Path
    pieces: int
    dice: Dice
    rosette_grants_roll: bool | frozenset[str]
    rosette_protects: bool
    capture_grants_roll: bool
    aliases: tuple[str, ...] = ()
    captures_blocked: bool = False
    rosette_disarms: bool = False

    def __post_init__(self) -> None:
        title = f"rule set {self.name}"
        for kind, part in ((Path, self.path), (Dice, self.dice)):
            if not isinstance(part, kind):
                raise WrongObjectError(f"{title}, {kind.__name__.lower()}", kind, part)
        if not (self.path.light and self.path.dark):
            raise UsageError(f"{title}: the path {self.path.name} has no steps")
        if type(self.pieces) is not int or not 1 <= self.pieces <= MAX_PIECES:
            raise UsageError(
                f"{title}, pieces {quoted(self.pieces)}: must be from 1 to {MAX_PIECES}"
            )
        for name in EFFECTS:
            flag = getattr(self, name)
            if name == GRANTS and isinstance(flag, frozenset):
                if fault := fault_of_granting(flag, self.path):
                    raise UsageError(f"{title}: {name} {fault}")
            elif not isinstance(flag, bool):
                raise UsageError(f"{title}: {name} must be True or False, not {quoted(flag)}")

    @property
    def with_pieces(self) -> str:
        """Return the name with the number of pieces, such as ``finkel, 7 pieces per side``."""
        return f"{self.name}, {count_text(self.pieces, 'piece')} per side"

    @property
    def full_name(self) -> str:
        """Return the name with the number of pieces for a sentence: ``finkel with 7 pieces``."""
        return f"{self.name} with {count_text(self.pieces, 'piece')}"

    @cached_property
    def granting(self) -> frozenset[str]:
        """Return the rosettes that grant a roll."""
        flag = self.rosette_grants_roll
        if isinstance(flag, frozenset):
            return flag
        return self.path.board.rosettes if flag else frozenset()

    @property
    def effects(self) -> dict[str, bool | list[str]]:
        """Return the effects of rosettes and captures (`EFFECTS`), as in files and JSON.

        Each is true or false, or a list of tiles if only these rosettes grant a roll.
        """
        flags = {name: getattr(self, name) for name in EFFECTS}
        return {n: sorted(v) if isinstance(v, frozenset) else v for n, v in flags.items()}

    def plays_like(self, other: RuleSet) -> bool:
        """Return whether another rule set is the same game, regardless of the names.

        Raises
        ------
        UsageError
            If ``other`` is not a rule set. `urcx.ruleset` returns the rule set of a name.
        """
        if not isinstance(other, RuleSet):
            raise WrongObjectError("other", RuleSet, other)
        return self._game() == other._game()

    def _game(self) -> tuple[object, ...]:
        """Return everything that affects the game, so neither names nor titles."""
        path = self.path
        return (
            path.light,
            path.dark,
            path.board.rosettes.intersection(path.tiles),
            self.pieces,
            self.dice.rolls,
            self.dice.probabilities,
            self.granting.intersection(path.tiles),
            *(getattr(self, name) for name in EFFECTS if name != GRANTS),
        )

    def __repr__(self) -> str:
        return (
            f"<RuleSet {self.name}: path {self.path.name}, {self.pieces} pieces, "
            f"dice {self.dice.name}>"
        )


def flags_of(rules: type[RuleSet] | RuleSet) -> dict[str, bool | None]:
    """Return the flags of a kind of rule set with their defaults, None if there is none."""
    return {
        flag.name: None if flag.default is MISSING else flag.default
        for flag in fields(rules)
        if str(flag.type).startswith("bool")
    }


EFFECTS = flags_of(RuleSet)
CAPTURES = ("captures_blocked", "rosette_disarms")  # later flags that only forbid moves


def unknown_flag(rules: RuleSet, known: Collection[str] = ()) -> str:
    """Return a flag by which a rule set differs from games without the flag, or "" if none does.

    Flags without a default are known everywhere. Of the other flags, only the ``known`` ones are.
    Code that reads the rules itself, or that relies on more than the moves of the move generator,
    calls this function or `check_flags`, and lists a flag as known once it supports the flag.
    """
    later = ((name, plain) for name, plain in flags_of(rules).items() if plain is not None)
    unknown = (name for name, plain in later if getattr(rules, name) != plain and name not in known)
    return next(unknown, "")


def check_flags(what: str, rules: RuleSet, known: Collection[str] = ()) -> None:
    """Raise `OutOfDomainError` if ``rules`` have an `unknown_flag`, unsupported by ``what``."""
    if flag := unknown_flag(rules, known):
        raise OutOfDomainError(f"{what} cannot handle the rule {flag} of {rules.name}")


# The rules of a result, which are the first fields of its JSON.
GameRules = Annotated[
    RuleSet,
    "the game's rules",
    Field(about="name of the rule set", of="name"),
    Field(about="pieces per side", key="pieces", of="pieces"),
]
# The same if the number of pieces does not matter, or varies.
RulesWithPath = Annotated[
    RuleSet,
    Field(about="name of the rule set", of="name"),
    Field(about="name of its path", key="path", of="path.name"),
]
RulesWithDice = Annotated[
    RulesWithPath, Field(about="name of its dice", key="dice", of="dice.name")
]

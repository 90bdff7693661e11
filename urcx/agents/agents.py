"""Agents: who chooses the moves.

An agent is written ``name[:depth][:leaf][:ties]``, such as ``greedy``, ``panda:7`` or
``expectimax:3:advance+centre:random``, as ``optimal:FILE`` to play by a tablebase, or as
``FILE.py:NAME`` for one of the user's own, a function or an object with a method ``choose``. Among
moves that are equally good to it, its tie rule decides: the piece found ``first`` (the least
advanced, which all that look ahead do unless told otherwise), ``last`` (the most advanced), or
``random`` (each with equal chance, from the seed).
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from urcx.agents.agent_kernels import TIES
from urcx.agents.lookahead import LEAVES
from urcx.engine.moves import Move
from urcx.errors import UnknownNameError, UsageError, WrongObjectError
from urcx.game import Game, as_game
from urcx.rules.catalogue import whole
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

if TYPE_CHECKING:  # advice needs agents
    from urcx.agents.advice import Adviser


class OwnAgent(Protocol):
    """An agent of the user's: an object that chooses moves.

    It may have a ``name``, and ``move_probabilities(game, roll)``, a mapping of legal moves to
    their chances, if it chooses at random and is to say how.
    """

    def choose(self, game: Game, roll: int, rng: np.random.Generator, /) -> Move:
        """Return one of ``game.legal_moves(roll)``, of which there are two or more."""


# A function of the user's: (position, roll, legal moves, two or more) to one of the moves.
Function: TypeAlias = Callable[[Position, int, tuple[Move, ...]], Move]
Chooser: TypeAlias = Function | OwnAgent
Chance: TypeAlias = np.random.Generator | Random | int | None

MAX_DEPTH = 40
ROUNDING = 1e-9  # of chances in floating point


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent: what it does, its tie rule, and for those that look ahead their defaults.

    ``few_rolls`` is explained in `urcx.agents.lookahead`.
    """

    title: str
    ties: str
    depth: int | None = None
    leaf: str | None = None
    few_rolls: bool = False


KINDS = {
    "random": AgentKind("any legal move with equal chance", "random"),
    "first": AgentKind("the least advanced piece; one that enters counts as on step 0", "first"),
    "last": AgentKind("the most advanced piece", "last"),
    "greedy": AgentKind("any move that captures, else any to a rosette, else any", "last"),
    "gain": AgentKind(
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont", "last"
    ),
    "expectimax": AgentKind(
        "the highest leaf value after all plies looked at, over all rolls", "first", 3, "advance"
    ),
    "optimal": AgentKind(
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly", "first"
    ),
    "panda": AgentKind(
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        7,
        "advance+centre",
        few_rolls=True,
    ),
}

ONLY_TIES = ("random", "first", "last")  # what they are is a tie rule among all legal moves


@dataclass(frozen=True)
class Agent:
    """An agent, which chooses among legal moves; `urcx.agent` makes one.

    What it needs to play a rule set, such as a solution, is made ready when it is first asked, and
    kept as long as the object.

    Attributes
    ----------
    kind : str
        One of `KINDS`, or the name of one of the user's own.
    ties : str
        Which of equally good moves it plays: ``first``, ``last`` or ``random``.
    depth : int or None
        Plies that it looks ahead, its own move included, where it does.
    leaf : str or None
        What a position is worth after them: ``advance`` or ``advance+centre``.
    function : function, object or None
        The user's own function, or object with a method ``choose``.
    table : str or None
        The file of the tablebase that ``optimal`` plays by.

    Examples
    --------
    >>> import urcx
    >>> greedy = urcx.agent("greedy")
    >>> game = urcx.Game("finkel", position="2,6/7/0-0/L")
    >>> chances = greedy.move_probabilities(game, roll=1)
    >>> {f"{move.start}-{move.end}": str(chance) for move, chance in chances.items()}
    {'0-1': '0', '2-3': '0', '6-7': '1'}
    >>> greedy.choose(game, roll=1).captures
    True
    """

    kind: str
    ties: str
    depth: int | None = None
    leaf: str | None = None
    function: Chooser | None = field(default=None, hash=False)  # may have no hash
    table: str | None = None
    _advisers: dict[RuleSet, Adviser] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles have: not what was made ready."""
        return self.__dict__ | {"_advisers": {}}

    @property
    def is_own(self) -> bool:
        """Return whether it is a function or an object of the user's."""
        return self.function is not None

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return how likely the agent plays each legal move.

        Parameters
        ----------
        game
            A position with its rules.
        roll
            What the dice gave.

        Returns
        -------
        dict of Move to Fraction
            Every legal move, least advanced piece first, 0 for those it does not play; the sum is
            1. Empty if there is no legal move. An agent of the user's is asked for its
            ``move_probabilities``, if it has such a method; else for its choice, which is taken for
            certain.

        Raises
        ------
        UsageError
            If the dice cannot give the roll, or an agent of the user's fails.
        PositionError
            If the game is over.
        TooLargeError, TablebaseError
            If there is no making the agent ready to play these rules.
        """
        advice = self._adviser(game).about(game.position, roll)
        return {item.move: item.chance for item in advice}

    def values(self, game: Game, roll: int) -> dict[Move, Fraction] | None:
        """Return what each legal move is worth to the player to move.

        Parameters
        ----------
        game, roll
            As `move_probabilities` takes them.

        Returns
        -------
        dict of Move to Fraction, or None
            In units of the agent's own: a chance of winning for ``optimal``, tiles for ``gain``,
            leaf values for those that look ahead. Empty if there is no legal move; None where the
            agent has no values.

        Raises
        ------
        UsageError, PositionError, TooLargeError, TablebaseError
            As `move_probabilities` does.
        """
        adviser = self._adviser(game)
        advice = adviser.about(game.position, roll)
        if not adviser.values_moves:
            return None
        return {item.move: item.value for item in advice if item.value is not None}

    def choose(self, game: Game, roll: int, rng: Chance = None) -> Move | None:
        """Return a move that the agent plays; None if there is no legal one.

        Parameters
        ----------
        game, roll
            As `move_probabilities` takes them.
        rng
            What decides between moves if several may be played: a generator of numpy's or
            Python's, or a seed from 0; unpredictable if None.

        Raises
        ------
        UsageError, PositionError, TooLargeError, TablebaseError
            As `move_probabilities` does.
        """
        random = generator(rng)
        if self.is_own:
            moves = as_game(game).legal_moves(roll)
            if len(moves) > 1:
                return own_move(self, game, roll, moves, random)
            return moves[0] if moves else None
        played = [move for move, chance in self.move_probabilities(game, roll).items() if chance]
        if len(played) > 1:
            return played[int(random.integers(len(played)))]
        return played[0] if played else None

    def _adviser(self, game: Game) -> Adviser:
        from urcx.agents.advice import Adviser  # noqa: PLC0415 - needs agents

        rules = as_game(game).rules
        if rules not in self._advisers:
            self._advisers[rules] = Adviser(self, rules)
        return self._advisers[rules]

    @property
    def name(self) -> str:
        """Return how the agent is written, without what is the default of its kind."""
        if self.is_own:
            return self.kind
        kind = KINDS[self.kind]
        parts = [self.kind]
        if self.depth is not None:
            parts.append(str(self.depth))
        if self.table is not None:
            parts.append(self.table)
        if self.leaf is not None and self.leaf != kind.leaf:
            parts.append(self.leaf)
        if self.ties != kind.ties:
            parts.append(self.ties)
        return ":".join(parts)

    @property
    def few_rolls(self) -> bool:
        """Return whether all but the first two plies looked at see only the rolls 1, 2 and 3."""
        return not self.is_own and KINDS[self.kind].few_rolls


def agent(
    text: str | Agent | Chooser,
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> Agent:
    """Return the agent that a text says, or that plays as the user's own chooses.

    Parameters
    ----------
    text
        ``NAME[:DEPTH][:LEAF][:TIES]`` (see :doc:`/agents`), ``optimal:FILE``, or ``FILE.py:NAME``
        for one of the user's own. Or a function that is called with the position, the roll and the
        legal moves wherever there are two or more, and returns one of the moves; or an object whose
        method ``choose`` is called with the game, the roll and a generator of random numbers.
    depth, leaf, ties
        For what the text leaves open.

    Returns
    -------
    Agent

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a part is no depth from 1 to `MAX_DEPTH`, no leaf and no tie rule, comes twice, or does
        not apply to the agent; or if a file or function of the user's cannot be used.

    Examples
    --------
    >>> import urcx
    >>> panda = urcx.agent("panda:5")
    >>> panda.name, panda.depth, panda.ties
    ('panda:5', 5, 'first')
    >>> urcx.agent("greedy", ties="random").name
    'greedy:random'
    """
    if isinstance(text, Agent):
        return text
    if not isinstance(text, str):
        return _of_the_user(text)
    depth = None if depth is None else whole("depth", depth)
    name, *parts = split(text)
    if name.endswith(".py"):
        return Agent(text, "first", function=_from_file(text, name, parts))
    if name not in KINDS:
        raise UnknownNameError("agent", name, dict.fromkeys(KINDS))
    return _built_in(text, _parts(text, parts), depth, leaf, ties)


def as_several(given: str | Agent | Chooser | Sequence[str | Agent | Chooser]) -> Sequence[Any]:
    """Return several agents as they were given, or a single one as the only one of several.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if isinstance(given, str | Agent) or callable(given) or hasattr(given, "choose"):
        return [given]
    if isinstance(given, Sequence):
        return given
    raise WrongObjectError("agents", Agent, given, "a list of names such as ['greedy']")


def agents(
    texts: Sequence[str],
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> list[Agent]:
    """Return the agents that texts say; depth, leaf and tie rule are for what they leave open.

    Raises
    ------
    UnknownNameError, UsageError
        As `agent` does; and if no agent leaves open what is given.
    """
    found = [agent(text, depth=depth, leaf=leaf, ties=ties) for text in texts]
    for option, value in (("depth", depth), ("leaf", leaf), ("ties", ties)):
        if value is not None and not any(_leaves_open(text, option) for text in texts):
            *names, last = (name for name in KINDS if _leaves_open(name, option))
            what = "that looks ahead and" if option != "ties" else "that"
            raise UsageError(
                f"--{option} goes with an agent {what} leaves it open: {', '.join(names)} or {last}"
            )
    return found


def split(text: str) -> list[str]:
    r"""Return the parts of an agent's text: its name, and what follows each colon.

    The colon of a drive belongs to the file's name: ``optimal:C:\games\finkel.urcx`` has two parts,
    on every system.
    """
    return re.split(r"(?<!^[A-Za-z])(?<!:[A-Za-z]):|:(?![\\/])", text)


def _leaves_open(text: str, option: str) -> bool:
    """Return whether an agent's text does not say what one of the options does."""
    name, *parts = split(text)
    if name not in KINDS or option in _parts(text, parts):
        return False
    return name not in ONLY_TIES if option == "ties" else KINDS[name].depth is not None


def _built_in(
    text: str, said: dict[str, str], depth: int | None, leaf: str | None, ties: str | None
) -> Agent:
    """Return a built-in agent from what its text says and defaults; raises `UsageError`."""
    name = text.partition(":")[0]
    kind = KINDS[name]
    if "table" in said and name != "optimal":
        raise UsageError(f"agent {text!r}: {name} plays by no tablebase")
    if kind.depth is None and (said.keys() & {"depth", "leaf"}):
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if name in ONLY_TIES:
        if "ties" in said:
            raise UsageError(f"agent {text!r}: to {name}, no two moves are equally good")
        return Agent(name, kind.ties)
    tie = said.get("ties", ties or kind.ties)
    if tie not in TIES:
        raise UsageError(f"unknown tie rule {tie!r}; known: {', '.join(TIES)}")
    if kind.depth is None:
        return Agent(name, tie, table=said.get("table"))
    plies = int(said["depth"]) if "depth" in said else kind.depth if depth is None else depth
    if not 1 <= plies <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth {plies} is not from 1 to {MAX_DEPTH}")
    value = said.get("leaf", leaf or kind.leaf)
    if value not in LEAVES:
        raise UsageError(f"unknown leaf {value!r}; known: {', '.join(LEAVES)}")
    return Agent(name, tie, plies, value)


def _parts(text: str, parts: list[str]) -> dict[str, str]:
    """Return what the parts behind an agent's name say, as texts; raises `UsageError`."""
    said: dict[str, str] = {}
    for part in parts:
        field = "leaf" if part in LEAVES else "ties" if part in TIES else "depth"
        if field == "depth" and not part.lstrip("-").isdecimal() and "." in part:
            field = "table"
        if field == "depth" and not re.fullmatch(r"-?[0-9]{1,9}", part):
            raise UsageError(
                f"agent {text!r}: {part!r} is no depth, no leaf ({', '.join(LEAVES)}) "
                f"and no tie rule ({', '.join(TIES)})"
            )
        if field in said:
            raise UsageError(f"agent {text!r}: {part!r} is a second {field}")
        said[field] = part
    return said


def _of_the_user(given: Any) -> Agent:
    """Return the agent that a function or an object of the user's is; raises `UsageError`."""
    if not (callable(given) or hasattr(given, "choose")):
        raise WrongObjectError("agent", Agent, given, "a name such as 'greedy', a function")
    if isinstance(given, type):
        given = _made(given, given.__name__)
    if hasattr(given, "choose"):
        known = getattr(given, "name", None)
        name = known if isinstance(known, str) else f"{type(given).__name__}()"
    else:
        name = f"{getattr(given, '__name__', 'function')}()"
    return Agent(name, "first", function=given)


def _made(given: type, text: str) -> Any:
    """Return an object of a class that was given in its stead; raises `UsageError`."""
    if not hasattr(given, "choose"):
        raise UsageError(f"agent {text!r} is a class without a method choose")
    try:
        return given()
    except Exception as error:
        raise UsageError(f"agent {text!r} cannot be made: {_said(error)}") from error


def _from_file(text: str, file: str, parts: list[str]) -> Chooser:
    """Return the function or object that ``FILE.py:NAME`` names."""
    if len(parts) != 1:
        raise UsageError(f"agent {text!r}: write FILE.py:FUNCTION")
    if not FilePath(file).is_file():
        raise UsageError(f"agent {text!r}: there is no file {file}")
    name = f"urcx_agent_{FilePath(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None  # noqa: S101 - its name ends in .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"agent {text!r}: {file} fails: {_said(error)}") from error
    found: Any = getattr(module, parts[0], None)
    if isinstance(found, type):
        found = _made(found, text)
    if not (callable(found) or hasattr(found, "choose")):
        raise UsageError(f"agent {text!r}: {file} has no function {parts[0]}")
    chooser: Chooser = found
    return chooser


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def generator(rng: Chance) -> np.random.Generator:
    """Return numpy's generator, or one that Python's, a seed or nothing at all leads to.

    Raises
    ------
    UsageError
        If it is none of these.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, Random):
        return np.random.default_rng(rng.getrandbits(128))
    if rng is None:
        return np.random.default_rng()
    seed = whole("rng", rng)
    if seed < 0:
        raise UsageError(f"seed {seed}: at least 0 is needed")
    return np.random.default_rng(seed)


def own_move(
    chooser: Agent,
    game: Game,
    roll: int,
    moves: tuple[Move, ...],
    rng: np.random.Generator,
) -> Move:
    """Return the move that a user's own agent chooses.

    Raises
    ------
    UsageError
        If it raises, or returns anything but one of the moves; the message has the position.
    """
    own: Any = chooser.function
    position = game.position
    try:
        asked = getattr(own, "choose", None)
        move: Any = asked(game, roll, rng) if asked else own(position, roll, moves)
    except Exception as error:
        raise UsageError(
            f"agent {chooser.name} fails in {position} with roll {roll}: {_said(error)}"
        ) from error
    if all(move != legal for legal in moves):  # it may be anything
        said = f"{move.start}-{move.end}" if isinstance(move, Move) else repr(move)
        known = ", ".join(f"{m.start}-{m.end}" for m in moves)
        raise UsageError(
            f"agent {chooser.name} chose {said} in {position} with roll {roll}; legal: {known}"
        )
    return next(legal for legal in moves if move == legal)


def own_chances(
    chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...]
) -> tuple[Fraction, ...]:
    """Return how likely a user's own agent plays each of the legal moves.

    It is asked for its ``move_probabilities``, if it has such a method; else for its choice, with
    the same random numbers each time.

    Raises
    ------
    UsageError
        If it raises, returns no legal move, or chances that are no numbers or do not add up to 1.
    """
    asked = getattr(chooser.function, "move_probabilities", None)
    if len(moves) == 1:
        return (Fraction(1),)
    if asked is None:
        chosen = own_move(chooser, game, roll, moves, generator(0))
        return tuple(Fraction(move == chosen) for move in moves)
    where = f"in {game.position} with roll {roll}"
    try:
        given = dict(asked(game, roll))
        chances = tuple(Fraction(given.pop(move, 0)) for move in moves)
    except Exception as error:
        raise UsageError(f"agent {chooser.name} fails {where}: {_said(error)}") from error
    total = sum(chances, Fraction(0))
    if given or min(chances) < 0 or not abs(float(total) - 1.0) <= ROUNDING:
        raise UsageError(
            f"agent {chooser.name}: move_probabilities {where} must be chances of legal moves that "
            "add up to 1"
        )
    return tuple(chance / total for chance in chances)

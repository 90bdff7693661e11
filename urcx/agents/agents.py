"""Agents: the players that choose the moves.

An agent's tie-breaking rule decides among moves that it values equally. The rule ``first`` plays
the least advanced piece, and is the default of agents that look ahead. ``last`` plays the most
advanced piece, and ``random`` plays each move with equal probability, from the seed.

An agent is written in one of these forms:

- ``name[:depth][:leaf][:ties]``, such as ``greedy``, ``panda:7``,
  ``expectimax:3:advance+centre:random`` or ``expectimax:3:mine.toml``
- ``priority:WISHES[:ties]`` plays by wishes in order, such as ``priority:capture,rosette,off``
- ``optimal:FILE`` plays by a tablebase
- ``mistakes[:PERCENT][:AGENT]`` plays as another agent, except in so many percent of its decisions
- ``net:FILE[:depth]`` plays by a network
- ``engine:[seconds:]COMMAND`` lets another program play
- ``FILE.py:NAME`` is a user's function, or an object with a method ``choose``
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias

import numpy as np

from urcx.agents.agent_kernels import TIES
from urcx.agents.engines import engine_called
from urcx.agents.evaluations import SUFFIX, Evaluation, read_evaluation
from urcx.agents.function_search import FunctionSearch
from urcx.agents.kinds import ENGINE, KINDS
from urcx.agents.own_agents import Chance, CustomAgent, custom_move, from_file, generator, own_agent
from urcx.agents.search import LEAVES
from urcx.agents.wishes import SEPARATOR, as_wishes
from urcx.engine.moves import Move
from urcx.errors import UnknownNameError, UsageError, WrongObjectError, check_name, get_attribute
from urcx.game import Game, as_game
from urcx.reading import split_names
from urcx.results.fields import Field
from urcx.rules.catalogue import as_integer, catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

if TYPE_CHECKING:  # advice needs agents
    from urcx.agents.advice import Adviser

__all__ = ["Agent", "agent"]

PERFECT = "optimal"  # the kind


@dataclass(frozen=True, repr=False)
class Agent:
    """An agent, which chooses among legal moves. `urcx.agent` makes one.

    The agent prepares its data for a rule set, such as a solution, when it first plays these rules.
    The data live as long as the object.

    Attributes
    ----------
    kind : str
        One of `KINDS`, or the name of a user's agent.
    ties : str
        The tie-breaking rule: ``first``, ``last`` or ``random``.
    depth : int or None
        The search depth in plies, the agent's own move included, or None if the agent does not look
        ahead.
    leaf : str or None
        The static evaluation at the end of the search: ``advance``, ``advance+centre``, the file of
        an own evaluation, or ``weights`` for one from a dict.
    function : function, object or None
        The user's function, or object with a method ``choose``.
    table : str or None
        The file of the tablebase that ``optimal`` plays by, or of the network of ``net``.
    percent, base : int or None, Agent or None
        The percentage of decisions in which ``mistakes`` plays any legal move, and the agent that
        makes all its other decisions.
    most_nodes : int or None
        The greatest number of positions that a search may visit, or None for any number.
    wishes : tuple of str
        The wishes of ``priority``, the most important one first.
    evaluation : urcx.agents.evaluations.Evaluation or None
        The own static evaluation.

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
    function: CustomAgent | None = field(default=None, hash=False)  # may have no hash
    table: str | None = None
    percent: int = 0
    base: Agent | None = None
    most_nodes: int | None = field(default=None, compare=False)
    wishes: tuple[str, ...] = ()
    evaluation: Evaluation | None = None
    _advisers: dict[RuleSet, Adviser] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Raise `UsageError` for an unknown kind, or if a part that the kind needs is missing."""
        for text in (self.kind, self.ties):
            if not isinstance(text, str):
                raise WrongObjectError("kind and ties of an agent", str, text)
        if self.is_own:
            return
        check_name("agent", self.kind, KINDS)
        kind = KINDS[self.kind]
        if kind.depth is not None and not isinstance(self.depth, int):
            raise WrongObjectError(f"depth of {self.kind}", int, self.depth)
        if kind.chooses == "mistakes" and not isinstance(self.base, Agent):
            raise WrongObjectError(f"base of {self.kind}", Agent, self.base)
        if kind.chooses == "priority":
            as_wishes(self.wishes, self.kind)

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"

    def __str__(self) -> str:
        """Return the agent's name."""
        return self.name

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is copied and pickled, without the prepared data."""
        return self.__dict__ | {"_advisers": {}}

    @property
    def is_own(self) -> bool:
        """Return whether the agent is a user's function, object or program."""
        return self.function is not None

    @property
    def is_engine(self) -> bool:
        """Return whether the agent is another program, which any number of threads may ask."""
        return self.is_own and self.kind.startswith(f"{ENGINE}:")

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return the probability with which the agent plays each legal move.

        Parameters
        ----------
        game
            A position with its rules.
        roll
            The roll of the dice.

        Returns
        -------
        dict of Move to Fraction
            The probability of every legal move, least advanced piece first. The sum is 1. The dict
            is empty if there is no legal move. If a user's agent has no method
            ``move_probabilities``, the move that it chooses has probability 1.

        Raises
        ------
        UsageError
            If the dice cannot give the roll, or a user's agent fails.
        PositionError
            If the game is over.
        TooLargeError, TablebaseError
            If the agent cannot be prepared to play these rules.
        """
        advice = self._adviser(game).about(game.position, roll)
        return {item.move: item.chance for item in advice}

    def values(self, game: Game, roll: int) -> dict[Move, Fraction] | None:
        """Return the value of each legal move to the player to move.

        Parameters
        ----------
        game, roll
            As `move_probabilities` takes them.

        Returns
        -------
        dict of Move to Fraction, or None
            In the agent's units: a win probability for ``optimal`` and networks, tiles for
            ``gain``, and static evaluations for other agents that look ahead. The dict is empty if
            there is no legal move. The result is None if the agent does not value moves.

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
        """Return a move that the agent plays, or None if there is no legal move.

        Parameters
        ----------
        game, roll
            As `move_probabilities` takes them.
        rng
            The random numbers that decide among several moves: a generator of numpy or Python, or a
            seed from 0. None is unpredictable.

        Raises
        ------
        UsageError, PositionError, TooLargeError, TablebaseError
            As `move_probabilities` does.
        """
        random = None if rng is None else generator(rng)  # making an unpredictable one is slow
        if self.is_own:
            moves = as_game(game).legal_moves(roll)
            if len(moves) > 1:
                return custom_move(self, game, roll, moves, random or generator(None))
            return moves[0] if moves else None
        adviser = self._adviser(game)
        only = adviser.only_move(game.position, roll)
        if only is not None:
            return only
        played = [item for item in adviser.about(game.position, roll) if item.chance]
        if len(played) < 2:
            return played[0].move if played else None
        random = random or generator(None)
        if self.percent:
            shares = [float(item.chance) for item in played]
            return played[int(random.choice(len(played), p=shares))].move
        return played[int(random.integers(len(played)))].move

    def _adviser(self, game: Game) -> Adviser:
        from urcx.agents.advice import Adviser

        rules = as_game(game).rules
        if rules not in self._advisers:
            self._advisers[rules] = Adviser(self, rules)
        return self._advisers[rules]

    @property
    def name(self) -> str:
        """Return the agent as it is written, without the defaults of its kind."""
        if self.is_own:
            return self.kind
        kind = KINDS[self.kind]
        parts = [self.kind]
        if self.base is not None:
            base = [] if self.base.name == PERFECT else [self.base.name]
            return ":".join([self.kind, str(self.percent), *base])
        if self.wishes:
            parts.append(SEPARATOR.join(self.wishes))
        if self.table is not None:
            parts.append(self.table)
        if self.depth is not None and (kind.leaf is not None or self.depth != kind.depth):
            parts.append(str(self.depth))
        if self.leaf is not None and self.leaf != kind.leaf:
            parts.append(self.leaf)
        if self.ties != kind.ties:
            parts.append(self.ties)
        return ":".join(parts)

    @property
    def plays(self) -> Agent:
        """Return the agent that makes the decisions, except for deliberate mistakes."""
        return self if self.base is None else self.base

    @property
    def by_solution(self) -> bool:
        """Return whether the agent plays by a solution for which no file is named."""
        return self.plays.kind == PERFECT and self.plays.table is None

    @property
    def few_rolls(self) -> bool:
        """Return whether the search sees only the rolls 1, 2 and 3 after its first two plies."""
        return not self.is_own and KINDS[self.kind].few_rolls

    @property
    def prefers(self) -> bool:
        """Return whether the agent prefers moves for more than its tie-breaking rule."""
        return self.is_own or KINDS[self.kind].chooses != "ties"


class Named(Protocol):
    """A player with a name, of any game."""

    @property
    def name(self) -> str:
        """Return the player as it is written."""


def players(light: Named, dark: Named, *, sides: bool = False) -> str:
    """Return the players for a title: one name if both are equal. ``sides`` adds the sides."""
    if dark == light:
        return light.name
    if sides:
        return f"{light.name} (light) against {dark.name} (dark)"
    return f"{light.name} against {dark.name}"


# The players in results, by name.
LightAgent = Annotated[Agent, Field(about="the agent that plays light", of="name")]
DarkAgent = Annotated[Agent, Field(about="the agent that plays dark", of="name")]


Leaf: TypeAlias = str | Mapping[str, Any] | Callable[[Position], Any] | None

MAX_DEPTH = 40
NUMBER = re.compile("-?[0-9]{1,9}")  # a depth, or percent
PERCENT = 10  # default percentage of decisions that are mistakes


def agent(
    text: str | Agent | CustomAgent,
    *,
    depth: int | None = None,
    leaf: str | Mapping[str, Any] | Callable[[Position], Any] | None = None,
    ties: str | None = None,
    wishes: Sequence[str] | None = None,
) -> Agent:
    """Return the agent that a string names, or that plays by a user's function or object.

    Parameters
    ----------
    text
        One of these:

        - ``NAME[:DEPTH][:LEAF][:TIES]`` (see :doc:`/agents`) or ``optimal:FILE``
        - ``priority:WISHES[:TIES]``, with wishes separated by commas
        - ``engine:COMMAND`` for another program (:doc:`/engines`), or a `urcx.Engine`
        - ``FILE.py:NAME`` for a function or object in a file
        - a function of the position, the roll and the legal moves, which returns one of the moves.
          It is called if there are two legal moves or more
        - an object whose method ``choose`` takes the game, the roll and a generator of random
          numbers
    depth, leaf, ties
        Defaults for parts that the string leaves out. ``leaf`` may also be an own static
        evaluation (:ref:`own-evaluations`): the name of a TOML file, a dict of weights, or a
        function that returns the value of a position to the player to move. Finished games, in
        which the loser is to move, are positions too.
    wishes
        The wishes of ``priority`` if the string leaves them out, the most important one first. Each
        is a name (``urcx agents`` lists them), or the number of a step to land on.

    Returns
    -------
    Agent

    Raises
    ------
    UnknownNameError
        If there is no such agent, or no such wish.
    UsageError
        If a part is not a depth from 1 to `MAX_DEPTH`, a leaf or a tie-breaking rule, comes twice,
        or does not apply to the agent. The error is the same if a user's file, function or program
        cannot be used.

    Examples
    --------
    >>> import urcx
    >>> panda = urcx.agent("panda:5")
    >>> panda.name, panda.depth, panda.ties
    ('panda:5', 5, 'first')
    >>> urcx.agent("greedy", ties="random").name
    'greedy:random'
    >>> urcx.agent("priority", wishes=["capture", "off"], ties="first").name
    'priority:capture,off:first'
    >>> careful = urcx.agent("expectimax:2", leaf={"centre": 4, "exposed": -3})
    >>> careful.choose(urcx.Game("finkel", position="3,4/6/0-0/L"), roll=2)
    <Move 4-6, captures>
    """
    if isinstance(text, Agent):
        return text
    if not isinstance(text, str):
        return _user_agent(text)
    depth = None if depth is None else as_integer("depth", depth)
    name, *parts = split(text)
    if name.endswith(".py"):
        return Agent(text, "first", function=from_file(text, name, parts))
    if name in catalogue().rules:
        hint = f"it is a rule set: pass rules={name!r}, or --rules {name} on the command line"
        raise UnknownNameError("agent", name, KINDS, hint, "urcx agents")
    check_name("agent", name, KINDS)
    if name == ENGINE:
        return Agent(text, "first", function=engine_called(text))
    if KINDS[name].chooses == "mistakes":
        percent, other = _mistakes(parts)
        if not 0 <= percent <= 100:
            raise UsageError(f"agent {text!r}: percent must be from 0 to 100")
        base = agent(other, depth=depth, leaf=leaf, ties=ties, wishes=wishes)
        if base.is_own or base.base is not None:
            raise UsageError(f"agent {text!r}: mistakes cannot be based on {base.name}")
        return Agent(name, base.ties, percent=percent, base=base)
    return _built_in(text, _parts(text, parts), depth, leaf, ties, wishes)


def as_several(
    value: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
) -> Sequence[Any]:
    """Return a sequence of agents unchanged, or a single agent in a list.

    Raises
    ------
    UsageError
        If the value is neither.
    """
    if (
        isinstance(value, str | Agent)
        or callable(value)
        or get_attribute(value, "choose") is not None
    ):
        return [value]
    if isinstance(value, Sequence):
        return value
    raise WrongObjectError("agents", Agent, value, "a list of names such as ['greedy']")


def split_agents(text: str) -> list[str]:
    """Split a list of agents at its commas, except at commas in a file's name and between wishes.

    The wishes of ``priority`` end with its tie-breaking rule, or before the name of an agent.
    """
    result: list[str] = []
    for part in split_names(text):
        last = result[-1] if result else ""
        wishes = re.search(r"(?:^|:)priority:([^:]*)$", last)
        if wishes and part.partition(":")[0] not in KINDS and ".py" not in part:
            result[-1] = f"{last}{SEPARATOR}{part}"
        else:
            result.append(part)
    return result


def as_sent(player: Agent) -> Agent | str:
    """Return an agent for another process, with the absolute path of its file."""
    if player.is_own and not player.is_engine:
        file, colon, name = player.kind.rpartition(":")
        return f"{Path(file).resolve()}:{name}" if colon and file.endswith(".py") else player
    if player.table is not None:
        return replace(player, table=str(Path(player.table).resolve()))
    if player.base is not None:
        base = as_sent(player.base)
        assert isinstance(base, Agent)
        return replace(player, base=base)
    return player


def split(text: str) -> list[str]:
    r"""Split an agent's text into its name and its parts.

    A file's name may contain colons, so ``optimal:C:\games\finkel.urcx`` has two parts, and so does
    ``runs 08:04/mine.py:best``. The file is the rest between the fields on both sides.
    """
    own = re.fullmatch(r"(.*\.py)(?::(.*))?", text, re.DOTALL)
    name, *parts = text.split(":")
    kind = KINDS.get(name)
    if kind is None:
        return [part for part in own.groups() if part is not None] if own else [name, *parts]
    if kind.chooses == "mistakes":
        other = 1 if parts and NUMBER.fullmatch(parts[0]) else 0
        return [name, *parts[:other], *(split(":".join(parts[other:])) if parts[other:] else ())]
    own_leaf = kind.leaf is not None and any(part.endswith(SUFFIX) for part in parts)
    if (kind.file == "none" and not own_leaf) or name == ENGINE:
        return [name, *parts]
    first, end = 0, len(parts)
    while kind.file != "must" and first < end and _is_field(parts[first]):
        first += 1
    while end > max(first, kind.file == "must") and _is_field(parts[end - 1]):
        end -= 1
    file = [":".join(parts[first:end])] if first < end else []
    return [name, *parts[:first], *file, *parts[end:]]


def _is_field(part: str) -> bool:
    return part in LEAVES or part in TIES or NUMBER.fullmatch(part) is not None


def _mistakes(parts: list[str]) -> tuple[int, str]:
    """Return the percentage of mistakes, and the agent that makes the other decisions."""
    has_percent = bool(parts) and NUMBER.fullmatch(parts[0]) is not None
    return int(parts[0]) if has_percent else PERCENT, ":".join(parts[has_percent:]) or PERFECT


def _built_in(
    text: str,
    fields: dict[str, str],
    depth: int | None,
    leaf: Leaf,
    ties: str | None,
    wishes: Sequence[str] | None,
) -> Agent:
    """Return a built-in agent from its fields and the defaults, or raise `UsageError`."""
    name = text.partition(":")[0]
    kind = KINDS[name]
    _check_parts(text, name, fields)
    if wishes is not None and kind.chooses != "priority":
        raise UsageError(f"agent {text!r}: only priority has wishes, so leave out wishes")
    if kind.chooses == "ties":
        if "ties" in fields:
            raise UsageError(f"agent {text!r}: {name} never has ties, so leave out the rule")
        return Agent(name, kind.ties)
    tie = fields.get("ties", ties or kind.ties)
    check_name("tie-breaking rule", tie, TIES)
    if kind.chooses == "priority":
        return Agent(name, tie, wishes=as_wishes(fields.get("wishes", wishes or ()), text))
    if kind.depth is None:
        return Agent(name, tie, table=fields.get("table"))
    plies = int(fields["depth"]) if "depth" in fields else kind.depth if depth is None else depth
    if not 1 <= plies <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth must be from 1 to {MAX_DEPTH}")
    if kind.leaf is None:
        return Agent(name, tie, plies, table=fields.get("table"))
    return _search(name, plies, tie, fields.get("leaf") or leaf or kind.leaf)


def _search(name: str, plies: int, tie: str, value: Leaf) -> Agent:
    """Return an agent that searches with a named or an own evaluation of leaves."""
    if callable(value):
        function = FunctionSearch(value, name, plies, tie, few_rolls=KINDS[name].few_rolls)
        return Agent(function.name, tie, function=function)
    if isinstance(value, Mapping) or (isinstance(value, str) and value.endswith(SUFFIX)):
        evaluation = read_evaluation(value)
        return Agent(name, tie, plies, evaluation.name, evaluation=evaluation)
    check_name("leaf", value, LEAVES)
    return Agent(name, tie, plies, value)


def _check_parts(text: str, name: str, fields: dict[str, str]) -> None:
    """Raise `UsageError` if a field does not apply to the agent."""
    kind = KINDS[name]
    if "table" in fields and kind.file == "none":
        raise UsageError(f"agent {text!r}: {name} does not use a file")
    if kind.file == "must" and "table" not in fields:
        raise UsageError(f"agent {text!r}: the network's file is missing. Write {name}:FILE")
    if kind.depth is None and (fields.keys() & {"depth", "leaf"}):
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if kind.leaf is None and "leaf" in fields:
        raise UsageError(f"agent {text!r}: the network evaluates leaves, so leave out the leaf")


def _parts(text: str, parts: list[str]) -> dict[str, str]:
    """Return the parts after an agent's name as named fields, or raise `UsageError`."""
    fields: dict[str, str] = {}
    kind = KINDS.get(text.partition(":")[0])
    if kind is not None and kind.file == "must" and parts:  # a file may have any name
        fields["table"] = parts[0]
        parts = parts[1:]
    if kind is not None and kind.chooses == "priority" and parts and parts[0] not in TIES:
        fields["wishes"] = parts[0]
        parts = parts[1:]
    for part in parts:
        own = kind is not None and kind.leaf is not None and part.endswith(SUFFIX)
        field = "leaf" if own or part in LEAVES else "ties" if part in TIES else "depth"
        if field == "depth" and not part.lstrip("-").isdecimal() and re.search(r"[./\\]", part):
            field = "table"
        if field == "depth" and not NUMBER.fullmatch(part):
            raise UsageError(
                f"agent {text!r}: {part!r} must be a depth, a leaf ({', '.join(LEAVES)} or a "
                f"file.toml) or a tie-breaking rule ({', '.join(TIES)})"
            )
        if field in fields:
            raise UsageError(f"agent {text!r}: {part!r} is a second {field}")
        fields[field] = part
    return fields


def _user_agent(chooser: Any) -> Agent:
    """Return a user's function or object as an agent. Anything else raises `UsageError`."""
    chooses = callable(chooser) or get_attribute(chooser, "choose") is not None
    if not chooses or isinstance(
        chooser, np.ndarray | np.generic
    ):  # their choose does something else
        raise WrongObjectError("agent", Agent, chooser, "a name such as 'greedy', a function")
    if isinstance(chooser, type):
        chooser = own_agent(chooser, chooser.__name__)
    is_object = get_attribute(chooser, "choose") is not None
    name = get_attribute(chooser, "name" if is_object else "__name__")
    if not isinstance(name, str):
        name = f"{type(chooser).__name__}()" if is_object else "function()"
    elif not is_object:
        name += "()"
    return Agent(name, "first", function=chooser)

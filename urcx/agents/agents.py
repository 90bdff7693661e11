"""Agents: who chooses the moves.

Among moves that are equally good to it, an agent's tie rule decides: the piece found ``first`` (the
least advanced, which all that look ahead do unless told otherwise), ``last`` (the most advanced),
or ``random`` (each with equal chance, from the seed).

An agent is written ``name[:depth][:leaf][:ties]``, such as ``greedy``, ``panda:7`` or
``expectimax:3:advance+centre:random``, as ``optimal:FILE`` to play by a tablebase, as
``mistakes[:PERCENT][:AGENT]`` to play as another agent but for so many percent of its decisions, as
``net:FILE[:depth]`` to play by a network, as ``engine:[seconds:]COMMAND`` to have another program
play, or as ``FILE.py:NAME`` for one of the user's own, a function or an object with a method
``choose``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import numpy as np

from urcx.agents.agent_kernels import TIES
from urcx.agents.engines import engine_called
from urcx.agents.kinds import ENGINE, KINDS
from urcx.agents.own_agents import Chance, CustomAgent, custom_move, from_file, generator, own_agent
from urcx.agents.search import LEAVES
from urcx.engine.moves import Move
from urcx.errors import UnknownNameError, UsageError, WrongObjectError, check_name, get_attribute
from urcx.game import Game, as_game
from urcx.results.fields import Field
from urcx.rules.catalogue import as_integer, catalogue
from urcx.rules.model import RuleSet

if TYPE_CHECKING:  # advice needs agents
    from urcx.agents.advice import Adviser

__all__ = ["Agent", "agent"]

PERFECT = "optimal"  # the kind


@dataclass(frozen=True, repr=False)
class Agent:
    """An agent, which chooses among legal moves; `urcx.agent` makes one.

    What it needs to play a rule set, such as a solution, is prepared when it is first asked, and
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
        The file of the tablebase that ``optimal`` plays by, or of the network of ``net``.
    percent, base : int or None, Agent or None
        In how many percent of its decisions it plays any legal move, and as whom else, if it errs.
    most_nodes : int or None
        The most positions that it may visit when it looks ahead from one, None for any number.

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
    _advisers: dict[RuleSet, Adviser] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Raise `UsageError` for a kind that there is not, or a part that it needs."""
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

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"

    def __str__(self) -> str:
        """Return how the agent is written."""
        return self.name

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is copied and pickled: without what was prepared."""
        return self.__dict__ | {"_advisers": {}}

    @property
    def is_own(self) -> bool:
        """Return whether it is a function, an object or a program of the user's."""
        return self.function is not None

    @property
    def is_engine(self) -> bool:
        """Return whether it is another program, which any number of threads may ask."""
        return self.is_own and self.kind.startswith(f"{ENGINE}:")

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return the probability with which the agent plays each legal move.

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
            If the agent cannot be prepared to play these rules.
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
            In units of the agent's own: a chance of winning for ``optimal`` and for networks, tiles
            for ``gain``, leaf values for others that look ahead. Empty if there is no legal move;
            None where the agent has no values.

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
        random = None if rng is None else generator(rng)  # one without a seed takes its time
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
        """Return how the agent is written, without what is the default of its kind."""
        if self.is_own:
            return self.kind
        kind = KINDS[self.kind]
        parts = [self.kind]
        if self.base is not None:
            whole = self.base.name
            return ":".join([self.kind, str(self.percent), *([] if whole == PERFECT else [whole])])
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
        """Return as whom it plays, but for mistakes made on purpose."""
        return self if self.base is None else self.base

    @property
    def by_solution(self) -> bool:
        """Return whether it plays by a solution of the game, which no file is named of."""
        return self.plays.kind == PERFECT and self.plays.table is None

    @property
    def few_rolls(self) -> bool:
        """Return whether all but the first two plies looked at see only the rolls 1, 2 and 3."""
        return not self.is_own and KINDS[self.kind].few_rolls

    @property
    def prefers(self) -> bool:
        """Return whether it thinks some moves better than others, beside its tie rule."""
        return self.is_own or KINDS[self.kind].chooses != "ties"


class Named(Protocol):
    """Who plays, of whatever game."""

    @property
    def name(self) -> str:
        """Return how the agent is written."""


def players(light: Named, dark: Named, *, sides: bool = False) -> str:
    """Return who plays, for titles: one name if both are alike; ``sides`` says who is which."""
    if dark == light:
        return light.name
    if sides:
        return f"{light.name} (light) against {dark.name} (dark)"
    return f"{light.name} against {dark.name}"


# Who plays, in results: by name.
LightAgent = Annotated[Agent, Field(about="the agent that plays light", of="name")]
DarkAgent = Annotated[Agent, Field(about="the agent that plays dark", of="name")]


MAX_DEPTH = 40
NUMBER = re.compile("-?[0-9]{1,9}")  # a depth, or percent
PERCENT = 10  # of an agent's decisions in which it errs, where none is given


def agent(
    text: str | Agent | CustomAgent,
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> Agent:
    """Return the agent that a text names, or one that plays as a user's function or object chooses.

    Parameters
    ----------
    text
        ``NAME[:DEPTH][:LEAF][:TIES]`` (see :doc:`/agents`), ``optimal:FILE``, ``engine:COMMAND``
        for another program (:doc:`/engines`), or ``FILE.py:NAME`` for one of the user's own. Or a
        `urcx.Engine`; or a function that is called with the position, the roll and the
        legal moves wherever there are two or more, and returns one of the moves; or an object whose
        method ``choose`` is called with the game, the roll and a generator of random numbers.
    depth, leaf, ties
        Used where the text does not set them.

    Returns
    -------
    Agent

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a part is no depth from 1 to `MAX_DEPTH`, no leaf and no tie rule, comes twice, or does
        not apply to the agent; or if a file, function or program of the user's cannot be used.

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
    depth = None if depth is None else as_integer("depth", depth)
    name, *parts = split(text)
    if name.endswith(".py"):
        return Agent(text, "first", function=from_file(text, name, parts))
    if name in catalogue().rules:
        hint = f"it is a rule set: pass rules={name!r}, or --rules {name} on the command line"
        raise UnknownNameError("agent", name, KINDS, hint)
    check_name("agent", name, KINDS)
    if name == ENGINE:
        return Agent(text, "first", function=engine_called(text))
    if KINDS[name].chooses == "mistakes":
        percent, other = _mistakes(parts)
        if not 0 <= percent <= 100:
            raise UsageError(f"agent {text!r}: percent must be from 0 to 100")
        base = agent(other, depth=depth, leaf=leaf, ties=ties)
        if base.is_own or base.base is not None:
            raise UsageError(f"agent {text!r}: {base.name} is no agent that mistakes are made from")
        return Agent(name, base.ties, percent=percent, base=base)
    return _built_in(text, _parts(text, parts), depth, leaf, ties)


def as_several(
    value: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
) -> Sequence[Any]:
    """Return several agents as they were given, or a single one as the only one of several.

    Raises
    ------
    UsageError
        If it is neither.
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


def as_sent(player: Agent) -> Agent | str:
    """Return an agent as it is sent to another process, with the whole path of its file."""
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

    A colon may stand in a file's name, too: ``optimal:C:\games\finkel.urcx`` has two parts, and so
    has ``runs 08:04/mine.py:best``. The file is all that the fields on both sides of it leave.
    """
    own = re.fullmatch(r"(.*\.py)(?::(.*))?", text, re.DOTALL)
    name, *parts = text.split(":")
    kind = KINDS.get(name)
    if kind is None:
        return [part for part in own.groups() if part is not None] if own else [name, *parts]
    if kind.chooses == "mistakes":
        other = 1 if parts and NUMBER.fullmatch(parts[0]) else 0
        return [name, *parts[:other], *(split(":".join(parts[other:])) if parts[other:] else ())]
    if kind.file == "none" or name == ENGINE:
        return [name, *parts]
    first, end = 0, len(parts)
    while kind.file == "may" and first < end and _is_field(parts[first]):
        first += 1
    while end > max(first, kind.file == "must") and _is_field(parts[end - 1]):
        end -= 1
    file = [":".join(parts[first:end])] if first < end else []
    return [name, *parts[:first], *file, *parts[end:]]


def _is_field(part: str) -> bool:
    return part in LEAVES or part in TIES or NUMBER.fullmatch(part) is not None


def _mistakes(parts: list[str]) -> tuple[int, str]:
    """Return in how many percent of its decisions an agent errs, and as whom else it plays."""
    given = bool(parts) and NUMBER.fullmatch(parts[0]) is not None
    return int(parts[0]) if given else PERCENT, ":".join(parts[given:]) or PERFECT


def _built_in(
    text: str, given: dict[str, str], depth: int | None, leaf: str | None, ties: str | None
) -> Agent:
    """Return a built-in agent from the parts of its text and defaults; raises `UsageError`."""
    name = text.partition(":")[0]
    kind = KINDS[name]
    _check_parts(text, name, given)
    if kind.chooses == "ties":
        if "ties" in given:
            raise UsageError(f"agent {text!r}: to {name}, no two moves are equally good")
        return Agent(name, kind.ties)
    tie = given.get("ties", ties or kind.ties)
    check_name("tie rule", tie, TIES)
    if kind.depth is None:
        return Agent(name, tie, table=given.get("table"))
    plies = int(given["depth"]) if "depth" in given else kind.depth if depth is None else depth
    if not 1 <= plies <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth must be from 1 to {MAX_DEPTH}")
    if kind.leaf is None:
        return Agent(name, tie, plies, table=given.get("table"))
    value = given.get("leaf", leaf or kind.leaf)
    check_name("leaf", value, LEAVES)
    return Agent(name, tie, plies, value)


def _check_parts(text: str, name: str, value: dict[str, str]) -> None:
    """Raise `UsageError` if a part of an agent's text does not apply to it."""
    kind = KINDS[name]
    if "table" in value and kind.file == "none":
        raise UsageError(f"agent {text!r}: {name} plays by no tablebase")
    if kind.file == "must" and "table" not in value:
        raise UsageError(f"agent {text!r}: the network's file is missing; write {name}:FILE")
    if kind.depth is None and (value.keys() & {"depth", "leaf"}):
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if kind.leaf is None and "leaf" in value:
        raise UsageError(f"agent {text!r}: its leaves are valued by the network")


def _parts(text: str, parts: list[str]) -> dict[str, str]:
    """Return the parts after an agent's name by what each sets; raises `UsageError`."""
    given: dict[str, str] = {}
    kind = KINDS.get(text.partition(":")[0])
    if kind is not None and kind.file == "must" and parts:  # whatever the file's name looks like
        given["table"] = parts[0]
        parts = parts[1:]
    for part in parts:
        field = "leaf" if part in LEAVES else "ties" if part in TIES else "depth"
        if field == "depth" and not part.lstrip("-").isdecimal() and re.search(r"[./\\]", part):
            field = "table"
        if field == "depth" and not NUMBER.fullmatch(part):
            raise UsageError(
                f"agent {text!r}: {part!r} is no depth, no leaf ({', '.join(LEAVES)}) "
                f"and no tie rule ({', '.join(TIES)})"
            )
        if field in given:
            raise UsageError(f"agent {text!r}: {part!r} is a second {field}")
        given[field] = part
    return given


def _of_the_user(given: Any) -> Agent:
    """Wrap a function or an object of the user's as an agent; raises `UsageError`."""
    choosing = callable(given) or get_attribute(given, "choose") is not None
    if not choosing or isinstance(given, np.ndarray | np.generic):  # numpy's choose is another
        raise WrongObjectError("agent", Agent, given, "a name such as 'greedy', a function")
    if isinstance(given, type):
        given = own_agent(given, given.__name__)
    choosing = get_attribute(given, "choose") is not None
    known = get_attribute(given, "name" if choosing else "__name__")
    if not isinstance(known, str):
        known = f"{type(given).__name__}()" if choosing else "function()"
    elif not choosing:
        known += "()"
    return Agent(known, "first", function=given)

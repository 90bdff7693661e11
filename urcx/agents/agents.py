"""Agents: who chooses the moves.

Among moves that are equally good to it, an agent's tie rule decides: the piece found ``first`` (the
least advanced, which all that look ahead do unless told otherwise), ``last`` (the most advanced),
or ``random`` (each with equal chance, from the seed). `urcx.agents.agent_texts` makes agents from
texts, functions and objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from urcx.agents.kinds import ENGINE, KINDS
from urcx.agents.own_agents import Chance, Chooser, generator, own_move
from urcx.engine.moves import Move
from urcx.errors import WrongObjectError, check_name
from urcx.game import Game, as_game
from urcx.results.fields import member
from urcx.rules.model import RuleSet

if TYPE_CHECKING:  # advice needs agents
    from urcx.agents.advice import Adviser

__all__ = ["Agent"]


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
    function: Chooser | None = field(default=None, hash=False)  # may have no hash
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
                return own_move(self, game, roll, moves, random or generator(None))
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
LightAgent = Annotated[Agent, member(about="the agent that plays light", of="name")]
DarkAgent = Annotated[Agent, member(about="the agent that plays dark", of="name")]

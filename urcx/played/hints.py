"""Hints: what each move by a roll is worth, what it costs against the best, and who plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from urcx.agents.agent_texts import agent as as_agent
from urcx.agents.agent_texts import as_several
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.game import Game
from urcx.played.record import PlayedGame, game_in
from urcx.played.values import Chances, chance_of, opened
from urcx.results.result import Result
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@dataclass(frozen=True)
class HintMove:
    """A legal move, or the pass where there is none.

    Attributes
    ----------
    move : Move or None
        None is the pass.
    after : Game
        Where it leads to.
    chance : Fraction or None
        With which the player who moves wins after it, if both play perfectly from then on; None
        where the chances are not known. Exactly the number that the tablebase has.
    regret : Fraction or None
        How much less that is than after the best move.
    plays : tuple of Fraction
        How likely each agent that was asked plays it.
    """

    move: Move | None
    after: Game
    chance: Fraction | None
    regret: Fraction | None
    plays: tuple[Fraction, ...] = ()

    @property
    def is_best(self) -> bool:
        """Return whether no move is better; False where the chances are not known."""
        return self.regret == 0


@dataclass(frozen=True, repr=False)
class Hint(Result, function="hint"):
    """What can be done with a roll.

    Attributes
    ----------
    game : Game
        The position before the roll, with its rules.
    roll : int
    before : Fraction or None
        The chance before the roll that the player to move wins; None where it is not known.
    moves : tuple of HintMove
        Best first, else least advanced piece first; the pass alone if there is no legal move.
    agents : tuple of Agent
        Who was asked.
    bound : float or None
        How far a chance is off at most; None where nothing is proven.

    Examples
    --------
    >>> import urcx
    >>> urcx.hint(urcx.Game("finkel", "4/9/0-0/L", pieces=2), 1, agents=["first", "last"])
    Roll 1 of light in 4/9/0-0/L (finkel): wins with 43.97%
    <BLANKLINE>
    move                wins  regret  choice  first  last
    ----------------  ------  ------  ------  -----  ----
    4-5  A1 to B1     43.97%   0.00%  best              1
    0-1  start to A4  42.52%   1.45%              1
    <BLANKLINE>
    * before the roll 47.07%; regret: how much less than the best move
    * chances are off by at most 5e-13
    """

    game: Game
    roll: int
    before: Fraction | None
    moves: tuple[HintMove, ...]
    agents: tuple[Agent, ...] = ()
    bound: float | None = None

    @property
    def position(self) -> Position:
        """Return the position that the hint is for."""
        return self.game.position

    @property
    def rules(self) -> RuleSet:
        """Return its rules."""
        return self.game.rules

    @property
    def best(self) -> Move | None:
        """Return the best move; None for a pass, or where the chances are not known."""
        return self.moves[0].move if self.moves[0].regret is not None else None

    @property
    def rolled(self) -> Fraction | None:
        """Return the chance after the roll, if the best is done with it; None if not known."""
        return self.moves[0].chance


def hint(
    game: Game | PlayedGame,
    roll: int | None = None,
    tablebase: Chances | str | Path | None = None,
    *,
    agents: str | Agent | Chooser | Sequence[str | Agent | Chooser] = (),
    known: bool = True,
) -> Hint:
    """Return each legal move's chance of winning and regret, and what agents would play.

    Parameters
    ----------
    game
        A position with its rules, or a game that is being played.
    roll
        What the dice gave; by default the roll that was thrown in the game.
    tablebase
        An open tablebase or the name of one's file; None solves a small rule set at once.
    agents
        Who else is asked what to play: agents, or texts that name them.
    known
        Whether the chances are wanted at all; without them, only the agents are asked.

    Returns
    -------
    Hint

    Raises
    ------
    UsageError
        If the dice cannot give the roll, or none is given and none was thrown.
    PositionError
        If the game is over.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once; or if an agent
        cannot be prepared.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.hint(urcx.Game("finkel", "4/9/0-0/L", pieces=2), 1, agents="first")
    >>> [(f"{one.move.start}-{one.move.end}", round(float(one.regret), 3)) for one in found.moves]
    [('4-5', 0.0), ('0-1', 0.014)]
    """
    given = game_in(game)
    if roll is None:
        roll = game.roll if isinstance(game, PlayedGame) else None
        if roll is None:
            raise UsageError("no roll: say what the dice gave")
    legal = given.legal_moves(roll)
    asked = tuple(as_agent(one) for one in as_several(agents))
    plays = [one.move_probabilities(given, roll) for one in asked]
    ends: list[tuple[Move | None, Game]] = [(move, given.play(move)) for move in legal]
    if not ends:
        ends = [(None, given.passed(roll))]
    before, bound = None, None
    worth: list[Fraction | None] = [None] * len(ends)
    if known:
        with opened(given.rules, tablebase) as base:
            before, bound = chance_of(base, given, given.turn), base.bound
            worth = [chance_of(base, after, given.turn) for _, after in ends]
    best = max((one for one in worth if one is not None), default=Fraction(0))
    moves = [
        HintMove(
            move,
            after,
            value,
            None if value is None else best - value,
            tuple(shares[move] for shares in plays) if move else (),
        )
        for (move, after), value in zip(ends, worth, strict=True)
    ]
    moves.sort(key=lambda one: one.regret or Fraction(0))
    return Hint(given, int(roll), before, tuple(moves), asked, bound)

"""The loss of a policy against optimal play: exactly, or estimated from games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from urcx.agents.agents import Agent
from urcx.complexity import tiles
from urcx.complexity.game_tree import Z95
from urcx.contrib.envs.choosers import AgentChances, chances_of
from urcx.contrib.envs.states import chosen_rules, rulebook
from urcx.contrib.envs.weighing import Scale, all_games, mean_of, some_games
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import UsageError, check_booleans, check_name
from urcx.expectations.regret import regret
from urcx.played.values import open_chances
from urcx.results.numbers import count_text, percent_text
from urcx.rules import catalogue
from urcx.rules.model import Path, RuleSet
from urcx.solving.files.kept import can_be_solved
from urcx.solving.files.tablebase import Tablebase

SEATS = {"both": (0, 1), "first": (0,), "second": (1,)}
MOST_EXACT = 60_000  # positions for which a policy that decides one by one is judged exactly
MOST_GAMES = 10_000_000


@dataclass(frozen=True)
class Judgement:
    """The loss of a policy in games against optimal play.

    Attributes
    ----------
    policy : str
        The policy's name.
    rules : RuleSet
    seats : str
        The seat of the policy: ``first``, ``second``, or ``both`` in half of the games each.
    exact : bool
        Whether all games were followed. Otherwise some were played.
    wins : float
        The policy's win probability.
    error : float
        The error bound of ``wins`` if it is exact, otherwise half the width of its 95 % interval.
    perfect : float
        The win probability of optimal play in the policy's seats.
    loss : float
        The mean loss of the policy per game: ``perfect`` minus ``wins``.
    decisions : float
        The mean number of its decisions (two or more legal moves) per game.
    mistakes : float
        The mean number of decisions with a loss per game.
    number_of_games : int or None
        The number of games played, or None if all games were followed.
    won : float or None
        The policy's win rate in the games played, which varies much more than ``wins``.
    """

    policy: str
    rules: RuleSet
    seats: str
    exact: bool
    wins: float
    error: float
    perfect: float
    loss: float
    decisions: float
    mistakes: float
    number_of_games: int | None = None
    won: float | None = None

    @property
    def a_decision(self) -> float:
        """Return the mean loss of a decision."""
        return self.loss / self.decisions if self.decisions else 0.0

    @property
    def mistaken(self) -> float:
        """Return the share of decisions with a loss."""
        return self.mistakes / self.decisions if self.decisions else 0.0

    def __str__(self) -> str:
        pieces = count_text(self.rules.pieces, "piece")
        certainty = "exact" if self.exact else f"\N{PLUS-MINUS SIGN} {100 * self.error:.2f} points"
        return (
            f"{self.policy} wins {percent_text(self.wins)} of games ({certainty}) against optimal "
            f"play of {self.rules.name} with {pieces}, {100 * self.loss:.2f} points less than "
            f"optimal play would. It loses {100 * self.a_decision:.2f} points per decision, and "
            f"{percent_text(self.mistaken)} of its decisions are mistakes"
        )


def judge(  # noqa: PLR0913 - all but the policy and rules by name
    policy: Any,
    rules: str | RuleSet = "finkel",
    *,
    pieces: int | None = None,
    path: str | Path | None = None,
    path_file: str | FilePath | None = None,
    batched: bool = False,
    tablebase: Tablebase | str | FilePath | None = None,
    seats: str = "both",
    exact: bool | None = None,
    games: int = 1000,
    seed: int = 1,
) -> Judgement:
    """Return the loss of a policy against optimal play.

    The loss of a decision is the difference in win probability between the best move and the move
    chosen. Against an optimal opponent, the losses of a game add up to the difference between the
    win probabilities of optimal play and of the policy. So the loss is exact if all states can be
    visited. Otherwise it is estimated from games by the sum of losses, which varies far less than
    the winner.

    Parameters
    ----------
    policy
        One of

        - an agent of urcx, its name (see :doc:`/agents`), or your own function or object that is
          an agent (`urcx.agent`).
        - a policy of OpenSpiel, an object with ``action_probabilities``, or a bot of OpenSpiel,
          which steps in states without a history and is judged from games.
        - a function of an observation (`urcx.contrib.envs.states.Rulebook.observation`), or of an
          observation and the mask of legal actions. It returns an action, or probabilities of all
          actions. An exact judgement calls it once in each state and takes its action as certain.
          If the function draws actions at random, use ``exact=False`` or return probabilities.
        - if ``batched``, a function of an array with an observation in each row, or of this array
          and the array of masks. It returns an action for each row, or a row of probabilities.

        It is called if there are two or more legal actions.
    batched
        Whether the policy takes many observations per call, up to 65,536. Such a network is judged
        exactly in seconds.
    rules, pieces, path, path_file
        The same as for `urcx.contrib.envs.states.chosen_rules`.
    tablebase
        The solution of the rule set, open or as a file. If None, it is the solution that urcx solve
        saved, and small rule sets are solved in memory.
    seats
        ``first``: the policy begins, as light. ``second``: light begins, and the policy is dark.
        ``both``: it begins half of the games. On asymmetric paths, ``both`` is light in the games
        that it begins.
    exact
        Whether to follow all games instead of playing some. If None, all games are followed if
        there are few states. For a built-in agent or a ``batched`` policy, all games are followed
        if the rule set is small enough to be solved in memory.
    games
        The number of games to play if not all are followed, from 2 to 10,000,000.
    seed
        The seed of the games played.

    Returns
    -------
    Judgement

    Raises
    ------
    UsageError
        If an argument cannot be used, if the policy fails or plays an illegal action, or if a bot
        is to be judged exactly.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved in memory.
    TablebaseError
        If the tablebase cannot be read, or has other rules.
    UrcxError
        If games do not end.

    Examples
    --------
    >>> from urcx.contrib.envs import judge
    >>> greedy = judge("greedy", "finkel", pieces=2)
    >>> greedy.exact, round(greedy.wins, 4), round(greedy.loss, 4)
    (True, 0.3754, 0.1246)
    >>> def most_advanced(observation, mask):
    ...     return mask.nonzero()[0][-1]
    >>> last = judge(most_advanced, "finkel", pieces=2, exact=False, games=50)
    >>> last.number_of_games, last.loss > greedy.loss
    (50, True)
    >>> def rearmost(observations, masks):
    ...     return masks.argmax(axis=1)
    >>> first = judge(rearmost, "finkel", pieces=2, batched=True)
    >>> first.exact, round(first.wins, 4)
    (True, 0.1956)
    """
    check_booleans(batched=batched, exact=False if exact is None else exact)
    rules_played = chosen_rules(rules, pieces, path, path_file)
    book = rulebook(rules_played)
    check_name("seats", seats, SEATS)
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not 2 <= games <= MOST_GAMES:
        raise UsageError(f"{games:,} games: must be from 2 to {MOST_GAMES:,}")
    chances = chances_of(book, policy, batched=batched)
    if exact and not chances.by_state:
        raise UsageError(
            f"{chances.name} is a bot, so its games cannot all be followed. Leave out exact=True"
        )
    if isinstance(chances, AgentChances) and chances.policy is not None and seats == "both":
        follow = can_be_solved(rules_played) if exact is None else exact
        if follow and not layer_obstacle(rules_played):
            return _by_regret(chances.agent, rules_played, tablebase)
    if exact is None:
        few = tiles.conventions(rules_played.path, rules_played.pieces)["positions"] <= MOST_EXACT
        exact = chances.by_state and (can_be_solved(rules_played) if batched else few)
    with open_chances(rules_played, tablebase) as solution:
        scale = Scale(book, solution)
        sides = SEATS[seats]
        perfect = sum(scale.opening(side) for side in sides) / len(sides)
        if exact:
            means = all_games(scale, chances, sides)
            error = means.left + 2.0 * (solution.bound or 0.0) * means.decisions
            return Judgement(
                chances.name, rules_played, seats, True, means.won, error, perfect, means.loss,
                means.decisions, means.mistakes,
            )  # fmt: skip
        counts = some_games(scale, chances, sides, games, seed)
    means = mean_of(counts)
    spread = math.sqrt(sum((count.loss - means.loss) ** 2 for count in counts) / (games - 1))
    return Judgement(
        chances.name, rules_played, seats, False, perfect - means.loss,
        Z95 * spread / math.sqrt(games), perfect, means.loss, means.decisions, means.mistakes,
        games, means.won,
    )  # fmt: skip


def _by_regret(
    player: Agent, rules: RuleSet, tablebase: Tablebase | str | FilePath | None
) -> Judgement:
    """Return the judgement of a built-in agent, from `urcx.regret` against optimal play."""
    file = tablebase.file if isinstance(tablebase, Tablebase) else tablebase
    agent_regret = regret(player, rules, tablebase=file).regrets[0]
    side = agent_regret.side
    return Judgement(
        player.name, rules, "both", True, side.wins, agent_regret.wins_bound, 0.5, side.loss,
        side.decisions, side.mistakes,
    )  # fmt: skip

"""How far a policy is from perfect play: exactly, or from games."""

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
from urcx.rules import catalogue
from urcx.rules.model import Path, RuleSet
from urcx.solving.files.kept import can_be_solved
from urcx.solving.files.tablebase import Tablebase

SEATS = {"both": (0, 1), "first": (0,), "second": (1,)}
MOST_EXACT = 60_000  # positions, for a policy that has to be asked in each, unless it is asked for
MOST_GAMES = 10_000_000


@dataclass(frozen=True)
class Judgement:
    """How far a policy is from perfect play, in games against it.

    Attributes
    ----------
    policy : str
        The policy's name.
    rules : RuleSet
    seats : str
        Whether the policy begins: in ``both`` halves of the games, ``first`` or ``second``.
    exact : bool
        Whether all games were followed, or some played.
    wins : float
        The policy's chance of winning.
    error : float
        How far ``wins`` is off at most if it is exact; else half the width of its 95 % interval.
    perfect : float
        The chance of winning of perfect play in the policy's place.
    loss : float
        What the policy's decisions lose in a game, on average: ``perfect`` less ``wins``.
    decisions : float
        Its decisions (two or more legal moves) in a game, on average.
    mistakes : float
        Those of them that lose something.
    number_of_games : int or None
        How many were played; None if all were followed.
    won : float or None
        The share of the games played that the policy won, which varies much more than ``wins``.
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
        """Return the share of decisions that lose something."""
        return self.mistakes / self.decisions if self.decisions else 0.0

    def __str__(self) -> str:
        pieces = self.rules.pieces
        number = f"{pieces} piece{'s' if pieces > 1 else ''}"
        how = "exactly" if self.exact else f"\N{PLUS-MINUS SIGN} {self.error:.4f}"
        return (
            f"{self.policy} wins {self.wins:.4f} ({how}) against perfect play of "
            f"{self.rules.name} with {number}, {self.loss:.4f} less than perfect "
            f"play would; it loses {self.a_decision:.4f} a decision, {self.mistaken:.1%} of which "
            "are mistakes"
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
    """Return how far a policy is from perfect play.

    The loss of a decision is by how much the chance of winning under perfect play is less after it
    than after the best one. Against a perfect opponent, the losses of a game add up to what the
    policy's chance of winning lacks. So it is known exactly where all states can be gone through,
    and else estimated from games by the sum of losses, which varies far less than who wins.

    Parameters
    ----------
    policy
        One of

        - an agent of urcx, its text (see :doc:`/agents`), or a function or object of your own that
          is one (`urcx.agent`);
        - a policy of OpenSpiel, an object with ``action_probabilities``; or a bot, which is asked
          for its step in states without a history, and judged from games;
        - a function of an observation (`urcx.contrib.envs.states.Rulebook.observation`), or of an
          observation and the mask of legal actions. It returns an action, or probabilities of all
          actions. An exact judgement asks it once in each state and takes an action for certain;
          one that is drawn at random calls for ``exact=False``, or for probabilities;
        - if ``batched``, a function of many observations, one in each row of an array, or of these
          and their masks. It returns an array of as many actions, or with a row of probabilities
          for each.

        It is asked where there are two or more legal actions.
    batched
        Whether the policy takes many observations at a time, up to 65,536: what asks a network so
        is judged exactly in seconds.
    rules, pieces, path, path_file
        As `urcx.contrib.envs.states.chosen_rules` takes them.
    tablebase
        The rule set's solution, open or as a file; None for that which urcx solve has kept, or for
        small rule sets, which are solved on the fly.
    seats
        ``both``: it begins half of the games; ``first``: it begins, as light; ``second``: light
        begins, and it is dark. On paths that are not alike for both, ``both`` is light in the
        games that it begins.
    exact
        Whether to follow all games rather than play some; if None, where there are few states (the
        games of a built-in agent, or of a policy that is ``batched``, are followed wherever the
        rule set is small enough to be solved).
    games
        How many to play where they are not all followed, from 2 to 10,000,000.
    seed
        Of the games played.

    Returns
    -------
    Judgement

    Raises
    ------
    UsageError
        If an argument cannot be used, the policy fails, or plays what is not legal; or if all games
        of a bot are to be followed.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved on the fly.
    TablebaseError
        If the tablebase cannot be read, or is of other rules.
    UrcxError
        If games do not end.

    Examples
    --------
    >>> from urcx.contrib.envs import judge
    >>> found = judge("greedy", "finkel", pieces=2)
    >>> found.exact, round(found.wins, 4), round(found.loss, 4)
    (True, 0.3754, 0.1246)
    >>> def most_advanced(seen, mask):
    ...     return mask.nonzero()[0][-1]
    >>> last = judge(most_advanced, "finkel", pieces=2, exact=False, games=50)
    >>> last.number_of_games, last.loss > found.loss
    (50, True)
    >>> def rearmost(seen, masks):
    ...     return masks.argmax(axis=1)
    >>> found = judge(rearmost, "finkel", pieces=2, batched=True)
    >>> found.exact, round(found.wins, 4)
    (True, 0.1956)
    """
    check_booleans(batched=batched, exact=False if exact is None else exact)
    chosen = chosen_rules(rules, pieces, path, path_file)
    book = rulebook(chosen)
    check_name("seats", seats, SEATS)
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not 2 <= games <= MOST_GAMES:
        raise UsageError(f"{games:,} games: from 2 to {MOST_GAMES:,}")
    chances = chances_of(book, policy, batched=batched)
    if exact and not chances.by_state:
        raise UsageError(f"{chances.name} is a bot, whose games cannot all be followed")
    if isinstance(chances, AgentChances) and chances.policy is not None and seats == "both":
        follow = can_be_solved(chosen) if exact is None else exact
        if follow and not layer_obstacle(chosen):
            return _by_regret(chances.agent, chosen, tablebase)
    if exact is None:
        few = tiles.conventions(chosen.path, chosen.pieces)["positions"] <= MOST_EXACT
        exact = chances.by_state and (can_be_solved(chosen) if batched else few)
    with open_chances(chosen, tablebase) as known:
        scale = Scale(book, known)
        sides = SEATS[seats]
        perfect = sum(scale.opening(side) for side in sides) / len(sides)
        if exact:
            means = all_games(scale, chances, sides)
            error = means.left + 2.0 * (known.bound or 0.0) * means.decisions
            return Judgement(
                chances.name, chosen, seats, True, means.won, error, perfect, means.loss,
                means.decisions, means.mistakes,
            )  # fmt: skip
        counts = some_games(scale, chances, sides, games, seed)
    means = mean_of(counts)
    spread = math.sqrt(sum((count.loss - means.loss) ** 2 for count in counts) / (games - 1))
    return Judgement(
        chances.name, chosen, seats, False, perfect - means.loss,
        Z95 * spread / math.sqrt(games), perfect, means.loss, means.decisions, means.mistakes,
        games, means.won,
    )  # fmt: skip


def _by_regret(
    player: Agent, rules: RuleSet, tablebase: Tablebase | str | FilePath | None
) -> Judgement:
    """Return the judgement of a built-in agent: `urcx.regret` against perfect play."""
    file = tablebase.file if isinstance(tablebase, Tablebase) else tablebase
    found = regret(player, rules, tablebase=file).regrets[0]
    side = found.side
    return Judgement(
        player.name, rules, "both", True, side.wins, found.wins_bound, 0.5, side.loss,
        side.decisions, side.mistakes,
    )  # fmt: skip

"""The points of the strategy-complexity curve: players, what they take, and how they are judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from urcx.agents.agent_kernels import TablePolicy
from urcx.agents.agents import Agent
from urcx.agents.network_files import read_with_size, shipped_file
from urcx.contrib.learning.strength import strength_of
from urcx.engine.threads import Stage, silent
from urcx.expectations.exact_strength import strength
from urcx.results.fields import (
    COUNT,
    INTERVAL,
    Field,
    Fields,
    decimals,
    fields_of,
    member,
    percents_of,
    shown_as,
)
from urcx.results.tables import Column, key, secondary
from urcx.rules.model import RuleSet
from urcx.solving.layered.pair import LayerSource

ROUNDING = 1e-12  # of chances of winning
HALF = 0.5  # perfect play's chance of winning against itself, if each begins half of the games
TITLES = {
    "rule": "rule",
    "network": "network",
    "uniform": "table of few bits",
    "play": "exact play",
    "table": "solution",
}
# What a network learned from, by the method that its card names.
ORIGINS = {"td": "self-play", "alphazero": "self-play", "distil": "distilled"}


def scientific(value: float) -> str:
    """Return a loss as text: 0 where there is none."""
    return f"{value:.2e}" if value else "0"


LOSS = shown_as(scientific)
ERROR = shown_as(lambda error: scientific(error) if error else "")
BEST = shown_as(lambda best: "*" if best else "")


@dataclass(frozen=True)
class Point:
    """A player: the bits of its data, and its chance of winning against perfect play."""

    kind: Annotated[
        str,
        member(
            about=(
                "rule, network, uniform (a table of few bits a state), play (exact play in a "
                "file), table (the solution)"
            )
        ),
    ]
    name: Annotated[str, member(key("player"), about="an agent or a file", key="player")]
    bits: Annotated[
        int,
        member(
            "bits",
            COUNT,
            "bits of its data without headers; the program that reads them does not count",
        ),
    ]
    states: Annotated[int, "states of the game, as tables have them"]
    wins: Annotated[
        float,
        member("wins", percents_of(4), "how likely it wins; each begins half of the games"),
    ]
    error: Annotated[
        float | None,
        "the half width of the interval of an estimate, None where no loss was seen; 0 if exact",
        member("±", ERROR, "half width of the 95 % interval"),
    ]
    exactness: Annotated[str, member(about="exact or estimate")]
    ties: Annotated[
        str, member(Column("ties", text=True), about="which of equally good moves it plays")
    ]
    origin: Annotated[
        str,
        member(
            about="of a network: self-play, distilled, or empty if its card does not say",
        ),
    ] = ""
    entropy: Annotated[
        float | None,
        member(
            secondary("entropy"),
            decimals(2),
            "of a table's codes, bits a state: about what they take compressed",
        ),
    ] = None
    frontier: Annotated[
        bool,
        member(
            Column("best", text=True),
            BEST,
            "whether no other row takes as few bits and loses as little",
        ),
    ] = False

    @property
    def title(self) -> str:
        """What kind of player it is, in words."""
        return f"{TITLES[self.kind]}, {self.origin}" if self.origin else TITLES[self.kind]

    @property
    @member("loss", LOSS, "what that lacks to 1/2")
    def loss(self) -> float:
        """What its chance of winning lacks to that of perfect play, 1/2."""
        return HALF - self.wins

    @property
    @member("a state", decimals(2), "bits divided by the number of states")
    def bits_a_state(self) -> float:
        """Its bits divided by the number of states."""
        return self.bits / self.states

    @property
    @member("", INTERVAL, "95 % interval of wins if estimated", key="ci95")
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of an estimate; None if exact, or where no loss was seen."""
        if self.exactness == "exact" or self.error is None:
            return None
        return max(self.wins - self.error, 0.0), min(self.wins + self.error, HALF)


FIELDS = fields_of(Point)
POINTS = Fields(
    FIELDS.pick("player"),
    Field("", key("kind"), of="title"),
    FIELDS.pick("kind", "origin", "bits"),
    FIELDS.pick("bits_a_state").headed({"bits_a_state": secondary("a state")}),
    FIELDS.pick("entropy"),
    FIELDS.pick("wins").headed({"wins": secondary("wins")}),
    FIELDS.pick("loss", "error"),
    FIELDS.pick("ci95", "exactness", "ties", "frontier"),
)


def curve(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return points by their bits, with those on the frontier marked."""
    return tuple(
        replace(one, frontier=not any(_better(other, one) for other in points))
        for one in sorted(points, key=lambda point: (point.bits, -point.loss))
    )


def _better(one: Point, other: Point) -> bool:
    """Return whether a point is at least as good as another in both, and better in one."""
    less = one.bits <= other.bits and one.loss <= other.loss
    return less and (one.bits, one.loss) != (other.bits, other.loss)


class Judge:
    """Finds how likely players win against perfect play of a rule set.

    Parameters
    ----------
    rules, perfect
        The rule set and the policy of its perfect play.
    solution
        The layers of its solution.
    exact
        Whether over all games, or by what moves lose in some.
    games, seed
        Number of games and seed of the estimates.
    threads
        How many to use.
    stage
        What to call as each part of the work begins.
    """

    def __init__(
        self,
        rules: RuleSet,
        perfect: TablePolicy,
        solution: LayerSource,
        *,
        exact: bool,
        games: int,
        seed: int,
        threads: int,
        stage: Stage = silent,
    ) -> None:
        self.rules, self.perfect, self.solution, self.exact = rules, perfect, solution, exact
        self.games, self.seed = games, seed
        self.states = len(perfect.values)
        self.threads, self.stage = threads, stage

    def judged(self, policy: Any) -> tuple[float, float | None, str]:
        """Return a policy's chance of winning, its error and its exactness."""
        if self.exact:
            return self._followed(policy), 0.0, "exact"
        found = self.estimated(policy, self.games, self.seed)
        return found[0], found[1], "estimate"

    def estimated(self, policy: Any, games: int, seed: int) -> tuple[float, float | None]:
        """Return an estimate of a policy's chance of winning and its error."""
        found = strength_of(
            policy, self.perfect, self.rules, games=games, seed=seed, threads=self.threads,
            stage=self.stage,
        )  # fmt: skip
        return max(found.wins, 0.0), found.error if found.mistakes and math.isfinite(
            found.error
        ) else None

    def best_ties(self, policy: TablePolicy) -> int:
        """Return the tie rule by which a policy is strongest, in games that do not count."""
        games = max(self.games // 4, 2)
        wins = [
            self.estimated(policy._replace(ties=ties), games, self.seed + 1)[0] for ties in range(3)
        ]
        return next(k for k in range(3) if wins[k] > max(wins) - ROUNDING)

    def _followed(self, policy: Any) -> float:
        found = strength(
            policy,
            self.solution,
            self.rules,
            threads=self.threads,
            progress=self.stage("following all games", 2 * self.states, "states"),
        )
        wins = float(found.wins[0])
        return wins if wins < HALF - max(found.left, ROUNDING) else HALF


def network_data(agent: Agent, rules: RuleSet) -> tuple[int, str]:
    """Return the bits of a network as its file stores it, and what it learned from.

    Only the weights that playing uses count, as they are before the archive compresses them.
    """
    file = Path(agent.table) if agent.table else shipped_file(rules)
    network, stored = read_with_size(file)
    return 8 * stored, ORIGINS.get(str(network.card.get("method", "")), "")

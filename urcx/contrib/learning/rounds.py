"""Expert iteration over all states: a network learns what it finds itself by looking ahead.

At the beginning of a round the network values all states, and sweeps over these values back them up
some plies: the chance of winning that each move is then given is that of a player who searches so
many plies with this network. For the rest of the round decisions of games played by that player are
learned, as in distillation. To value all states takes less time than to search for the decisions of
a round one by one. No value is kept for the next round, which begins with those of the new network.
Nothing is known of the solution.
"""

from __future__ import annotations

from typing import NamedTuple

from urcx.agents.agent_kernels import FIRST, TablePolicy
from urcx.agents.levels import last_level, level_layers, level_memory, ranking_for
from urcx.agents.networks import Network, network_leaves, network_lookahead
from urcx.agents.policies import table_policy
from urcx.contrib.learning.checkpoints import Kept
from urcx.contrib.learning.decisions import (
    DIFFERENCES,
    DecisionSampler,
    decision_seconds,
    regret_loss,
    waning,
)
from urcx.contrib.learning.weights import PART, Trainer, kept_weights
from urcx.engine.costs import SWEPT, WEIGHT
from urcx.enumerate.rankings.ranking import why_no_layers
from urcx.errors import OutOfDomainError, TooLargeError
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder

PARTS = 2  # of a batch
EXPLORE = 0.02  # highest temperature of the games, in chances
TEMPERATURES = 0.002, 5e-4  # of the choices whose regret is made small, at first and at the end
FINISH = 0.35  # of the last round, if it is the only one; otherwise the whole round is the finish
AVERAGE = 0.03  # over which share of the steps taken the weights are averaged
VALUED = 1e-7  # processor seconds of a state's value and its copies, beside the second layer
BYTES_A_STATE = 33  # of the level, the table, and its parts while it is put together


class RoundsPlan(NamedTuple):
    """Rounds, steps of each, plies looked ahead, learning rates at the beginning and the end.

    ``regret`` says whether regret is made small at the end.
    """

    rounds: int
    steps: int
    ahead: int
    rate: float
    last_rate: float
    regret: bool = True

    @property
    def total(self) -> int:
        """Return the steps of all rounds."""
        return self.rounds * self.steps

    @property
    def turn(self) -> int:
        """Return the step from which regret is made small, not differences."""
        if not self.regret:
            return self.total
        return self.total - (self.steps if self.rounds > 1 else round(FINISH * self.steps))


class Rounds:
    """Rounds of expert iteration, a step at a time.

    Parameters
    ----------
    rules
        With a path that is alike for both sides and crossed once.
    trainer
        What is trained.
    plan
        How.
    seed, first
        Games are drawn from the seed's random streams from number ``first`` on.

    Raises
    ------
    OutOfDomainError
        If the path is another.
    UsageError
        If a roll may allow too many moves.
    """

    def __init__(
        self,
        rules: RuleSet,
        trainer: Trainer,
        plan: RoundsPlan,
        *,
        seed: int,
        first: int,
    ) -> None:
        self.rules, self.trainer, self.plan = rules, trainer, plan
        _check(rules)
        self.order = LayerOrder(rules)
        self.drawn = DecisionSampler(rules, trainer, PARTS, EXPLORE, seed, first)
        self.teacher = trainer.flat.copy()
        self._values: TablePolicy | None = None  # of the present round

    def advance(self, done: int) -> None:
        """Take a step, ``done`` having been taken."""
        trainer, plan = self.trainer, self.plan
        if done == 0:
            trainer.flat[:] = trainer.average
        if done in (0, plan.turn):
            # Slopes of another loss have another size, to which the optimiser adapts slowly.
            trainer.restart()
        if done % plan.steps == 0:
            self.teacher[:] = trainer.average
            self._values = None
        loss = DIFFERENCES
        if done >= plan.turn:
            late = (done - plan.turn) / (plan.total - plan.turn)
            loss = regret_loss(*TEMPERATURES, late)
        rate = waning(plan.rate, plan.last_rate, done / plan.total)
        self.drawn.learn(self.values(), loss, rate, AVERAGE * (done + 1))

    def values(self) -> TablePolicy:
        """Return the table of the present round: what the teacher finds by looking ahead."""
        if self._values is None:
            trainer = self.trainer
            teacher = Trainer(trainer.shape, self.teacher).network(self.rules)
            self._values = looking_ahead(teacher, self.order, self.plan.ahead, trainer.threads)
        return self._values

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays that a checkpoint keeps."""
        drawn = {f"round_{name}": kept for name, kept in self.drawn.arrays().items()}
        return {"round_teacher": kept_weights(self.teacher), **drawn}


def looking_ahead(network: Network, order: LayerOrder, plies: int, threads: int) -> TablePolicy:
    """Return the chances of winning in all states that a network finds so many plies ahead."""
    rules = order.rules
    look = network_lookahead(rules, plies + 1)  # an agent's first ply is its own move
    leaves = network_leaves(network, rules, threads)
    level = last_level(rules, look, keep=False, threads=threads, leaves=leaves)
    found = level_layers(level.values, order, threads)
    if found is None:
        raise TooLargeError(f"{plies} plies ahead values are too large to be compared exactly")
    layer, certain = found
    return table_policy(order, layer, FIRST, certain)


def _check(rules: RuleSet) -> None:
    """Raise `OutOfDomainError` if all states cannot be valued at once."""
    if reason := why_no_layers(rules):
        raise OutOfDomainError(f"there are no rounds: {reason}")


def seconds_for(rules: RuleSet, plan: RoundsPlan, units: int, later: int) -> float:
    """Return about how many processor seconds rounds take."""
    if not plan.rounds:
        return 0.0
    _check(rules)
    value = VALUED + units * later * WEIGHT.seconds + plan.ahead * SWEPT.seconds
    filled = plan.rounds * ranking_for(rules).size * value
    return filled + plan.total * PARTS * PART * decision_seconds(units, later)


def memory_of(rules: RuleSet, plan: RoundsPlan) -> float:
    """Return about how many bytes of memory rounds take."""
    if not plan.rounds:
        return 0.0
    _check(rules)
    size = ranking_for(rules).size
    look = network_lookahead(rules, plan.ahead + 1)
    return max(level_memory(size, look), BYTES_A_STATE * size)

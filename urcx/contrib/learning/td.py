"""TD(lambda) and expert iteration: learning from self-play alone.

A training has up to three parts. None of them uses the solution.

**Values.** The network plays many games against itself side by side, with some random moves. The
target of each position is its backup, the mean over rolls of the best move's value, plus the
differences seen later in the same game, weighted by lambda (`urcx.contrib.learning.td_kernels`). In
the last iterations backups look two plies ahead. The network is trained on the positions of an
iteration, in batches with the same plies of all games. The games of an iteration use the weights of
its start.

**Decisions** (optional). The network is trained on the positions after all moves of a roll, each
with its one-ply backup by the averaged weights. As in distillation, it learns the differences
between the moves of a decision first. In the last iterations, with fixed weights as a teacher, it
reduces the regret of choosing by the teacher's backups.

**Rounds** of expert iteration over all states (optional). The network learns the moves that it
prefers when it looks ahead. At the start of a round the network values all states, and sweeps back
up these values by some plies. The result is the win probability after each move for a player who
searches so many plies with this network. During the round, the network learns decisions from games
of this player, as in distillation. Valuing all states takes less time than searching for the
decisions of a round one by one. The next round begins with the values of the new network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from urcx.agents.agent_kernels import FIRST, TablePolicy
from urcx.agents.levels import last_level, level_layers, level_memory, ranking_for
from urcx.agents.networks import (
    ACTIVATIONS,
    INPUTS,
    Network,
    network_leaves,
    network_lookahead,
    number_of_inputs,
)
from urcx.agents.policies import table_policy
from urcx.contrib.learning.checkpoints import ANY_NUMBER, MOST_COUNT, Kept, are_positions
from urcx.contrib.learning.distil import (
    DIFFERENCES,
    DecisionSampler,
    between,
    decision_seconds,
    decisions_for,
    learn,
    regret_loss,
    waning,
)
from urcx.contrib.learning.distil_kernels import Decisions, Loss
from urcx.contrib.learning.gradient_kernels import MOST_MOVES
from urcx.contrib.learning.input_kernels import COLUMNS, OTHER, OTHER_HOME, OWN, OWN_HOME
from urcx.contrib.learning.settings import setting
from urcx.contrib.learning.td_kernels import (
    LookingAhead,
    SelfPlay,
    Successors,
    Traces,
    decide,
    play_on,
)
from urcx.contrib.learning.weights import (
    PART,
    VALUE,
    Trainer,
    ahead_for,
    kept_weights,
    most_inputs,
    most_moves,
    room_for,
    samples_for,
    seconds_of,
    trainer_for,
    views,
)
from urcx.engine.compiling import compute_clock
from urcx.engine.costs import SWEPT, WEIGHT
from urcx.engine.files.sealed import Members
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import OutOfDomainError, TooLargeError, UsageError
from urcx.games.game_kernels import stream
from urcx.games.simulator import dice_arrays
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder

PARTS = 2  # parts of a batch
EXPLORE = 0.02  # highest temperature of the games, in win probability
TEMPERATURES = 0.002, 5e-4  # of the choices whose regret is reduced, at first and at the end
FINISH = 0.35  # the share of a single round that reduces regret. Of several, the last one does
AVERAGE = 0.03  # the share of the steps taken over which weights are averaged
VALUED = 1e-7  # CPU seconds per state for its value and copies, without the second layer
BYTES_A_STATE = 33  # of the value table, the policy's table, and its parts during construction


class RoundsPlan(NamedTuple):
    """The plan of rounds: steps per round, plies to look ahead, first and last learning rate.

    ``regret`` is whether the last part reduces regret.
    """

    rounds: int
    steps: int
    ahead: int
    rate: float
    last_rate: float
    regret: bool = True

    @property
    def total(self) -> int:
        """Return the number of steps of all rounds."""
        return self.rounds * self.steps

    @property
    def turn(self) -> int:
        """Return the first step that reduces regret instead of differences."""
        if not self.regret:
            return self.total
        return self.total - (self.steps if self.rounds > 1 else round(FINISH * self.steps))


class Rounds:
    """Rounds of expert iteration, a step at a time.

    Parameters
    ----------
    rules
        Rules with a symmetric path that crosses no tile twice.
    trainer
        The trainer of the network.
    plan
        The plan of the rounds.
    seed, first
        Games use the random streams of the seed from number ``first`` on.

    Raises
    ------
    OutOfDomainError
        If the path is of another kind.
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
        self._values: TablePolicy | None = None  # of the current round

    def advance(self, done: int) -> None:
        """Take a step after ``done`` steps."""
        trainer, plan = self.trainer, self.plan
        if done == 0:
            trainer.flat[:] = trainer.average
        if done in (0, plan.turn):
            # The slopes of another loss have other sizes, to which the optimiser adapts slowly.
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
        """Return the table of the current round: the teacher's values with look-ahead."""
        if self._values is None:
            trainer = self.trainer
            teacher = Trainer(trainer.shape, self.teacher).network(self.rules)
            self._values = looking_ahead(teacher, self.order, self.plan.ahead, trainer.threads)
        return self._values

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
        streams = {f"round_{name}": array for name, array in self.drawn.arrays().items()}
        return {"round_teacher": kept_weights(self.teacher), **streams}


def looking_ahead(network: Network, order: LayerOrder, plies: int, threads: int) -> TablePolicy:
    """Return a network's win probabilities of all states after a search of ``plies`` plies."""
    rules = order.rules
    look = network_lookahead(rules, plies + 1)  # an agent's first ply is its own move
    leaves = network_leaves(network, rules, threads)
    level = last_level(rules, look, keep=False, threads=threads, leaves=leaves)
    layers_and_scale = level_layers(level.values, order, threads)
    if layers_and_scale is None:
        raise TooLargeError(f"ahead {plies}: values are too large to be compared exactly")
    layer, certain = layers_and_scale
    return table_policy(order, layer, FIRST, certain)


def _check(rules: RuleSet) -> None:
    """Raise `OutOfDomainError` if all states cannot be valued at once."""
    if reason := layer_obstacle(rules):
        raise OutOfDomainError(f"there are no rounds: {reason}")


def seconds_for(rules: RuleSet, plan: RoundsPlan, units: int, later: int) -> float:
    """Return an estimate of the CPU seconds of rounds."""
    if not plan.rounds:
        return 0.0
    _check(rules)
    value = VALUED + units * later * WEIGHT.seconds + plan.ahead * SWEPT.seconds
    filled = plan.rounds * ranking_for(rules).size * value
    return filled + plan.total * PARTS * PART * decision_seconds(units, later)


def memory_of(rules: RuleSet, plan: RoundsPlan) -> float:
    """Return an estimate of the memory of rounds, in bytes."""
    if not plan.rounds:
        return 0.0
    _check(rules)
    size = ranking_for(rules).size
    look = network_lookahead(rules, plan.ahead + 1)
    return max(level_memory(size, look), BYTES_A_STATE * size)


CHUNK = 16  # games that a thread plays at a time
# Means: successors of a position, more successors with each piece, CPU seconds per position without
# its values, and moves of a ply with two or more legal moves.
FOLLOW, FOLLOW_A_PIECE, A_POSITION, MOVES = 3.5, 1.5, 1e-6, 2.5
A_SAMPLE = 60  # bytes per sample
FULL = 1 << 32


@dataclass(frozen=True)
class TdSettings:
    """The settings of ``urcx train td``, each with its meaning and range."""

    units: int = setting(384, "units of the first hidden layer", 1, 1024)
    later: int = setting(0, "units of the second hidden layer, 0 for none", 0, 1024)
    activation: str = setting("squared", "squared or clipped", among=ACTIVATIONS)
    iterations: int = setting(1600, "iterations", 1, 10**7)
    games: int = setting(256, "games side by side", 1, 65_536)
    plies: int = setting(64, "plies of each game in an iteration", 1, 4096)
    rate: float = setting(4e-3, "learning rate at the beginning", 0.0, 1.0)
    last_rate: float = setting(1e-5, "learning rate at the end", 0.0, 1.0)
    batch: int = setting(256, "positions of a batch at the beginning", 1, 1 << 24)
    last_batch: int = setting(4096, "positions of a batch at the end", 1, 1 << 24)
    passes: int = setting(4, "how often the positions of an iteration are trained on", 1, 1000)
    trace: float = setting(0.8, "lambda", 0.0, 1.0)
    explore: float = setting(0.02, "share of moves that are drawn at random", 0.0, 1.0)
    inputs: str = setting("path", "path or path+threats", among=INPUTS)
    decisions: float = setting(
        0.0, "share of the iterations, the last ones, that train on decisions", 0.0, 1.0
    )
    finish: float = setting(
        0.0, "share of the iterations, the last ones, in which regret is made small", 0.0, 1.0
    )
    two_plies: float = setting(
        0.0, "share of the iterations, the last ones, whose backups look two plies ahead", 0.0, 1.0
    )
    average: float = setting(
        0.1, "over which share of the steps taken the weights are averaged", 0.0, 1.0
    )
    rounds: int = setting(
        0, "rounds of expert iteration over all states, after the iterations", 0, 1000
    )
    steps: int = setting(9000, "steps of a round, each on 1,024 decisions", 1, 10**8)
    ahead: int = setting(4, "plies that the backups of a round look ahead", 1, 6)
    round_rate: float = setting(1.5e-3, "learning rate of the rounds at their beginning", 0.0, 1.0)
    loss: str = setting(
        "regret",
        "what rounds make small in the end, regret or differences",
        among=("regret", "differences"),
    )
    last_round_rate: float = setting(1e-5, "learning rate of the rounds at their end", 0.0, 1.0)

    @property
    def plan(self) -> RoundsPlan:
        """Return the plan of the rounds."""
        rates, regret = (self.round_rate, self.last_round_rate), self.loss == "regret"
        return RoundsPlan(self.rounds, self.steps, self.ahead, *rates, regret)


def looking_ahead_for(rules: RuleSet, trainer: Trainer) -> LookingAhead:
    """Return the data to look ahead with the weights in training, for one thread."""
    rolls, shape = len(rules.dice.rolls), trainer.shape
    number = rolls * most_moves(rules) + 2

    def successors() -> Successors:
        return Successors(
            np.zeros(rolls + 1, np.int64),
            np.zeros(number, np.int64),
            np.zeros(number, np.int64),
            np.zeros(number, np.int64),
            np.zeros((number, COLUMNS), np.int64),
            samples_for(number, most_inputs(rules), shape.dense),
            np.zeros(number, np.float32),
            np.zeros(rolls, np.int64),
        )

    return LookingAhead(
        tables(rules).ways, dice_arrays(rules), ahead_for(rules, shape.seen),
        views(trainer.flat, shape), shape.squared, room_for(shape), successors(), successors(),
    )  # fmt: skip


class TdSession:
    """A training by `td`.

    Parameters
    ----------
    rules
        Rules with a symmetric path.
    settings, seed
        All results depend on them alone.
    threads
        The number of threads. Results do not depend on it.
    """

    unit = "iterations"

    def __init__(self, rules: RuleSet, settings: TdSettings, seed: int, threads: int) -> None:
        self.rules, self.settings, self.threads = rules, settings, threads
        self.total, self.done = settings.iterations + settings.plan.total, 0
        self.ends = {self.total: "steps"} | {settings.iterations: self.unit}
        self.trainer = trainer_for(rules, settings, seed, threads)
        self._teacher = self.trainer.flat.copy()
        with np.errstate(over="ignore"):  # streams wrap, and compiled code does not warn
            streams = [int(stream(seed, game)) for game in range(settings.games)]
        self._games = SelfPlay(
            np.zeros((settings.games, COLUMNS), np.int64),
            np.array(streams, np.uint64),
            np.zeros(settings.games, np.int64),
            int(settings.explore * FULL),
        )
        self._met = 0  # decisions
        number = settings.games * settings.plies
        if not settings.decisions < 1:
            number = 0
        self._samples = samples_for(number, most_inputs(rules), self.trainer.shape.dense)
        self._targets = np.zeros(number, np.float32)
        self._looks = [looking_ahead_for(rules, self.trainer) for _ in range(threads)]
        self._traces = [Traces(*np.zeros((3, settings.plies))) for _ in range(threads)]
        groups = -(-settings.games // CHUNK) if settings.decisions else 0
        if groups and most_moves(rules) > MOST_MOVES:
            raise UsageError(
                f"training on decisions needs rules with at most {MOST_MOVES} moves per roll, "
                f"and these allow {most_moves(rules)}"
            )
        self._counts = np.zeros((groups, 3))
        self._decisions = [
            decisions_for(rules, self.trainer, CHUNK * settings.plies, n) for n in self._counts
        ]
        self._number = np.zeros(groups, np.int64)
        self._rounds: Rounds | None = None
        if settings.rounds:
            self.unit = "iterations and steps"
            self._rounds = Rounds(
                rules, self.trainer, settings.plan, seed=seed, first=settings.games
            )

    def begin_with(self, network: Network) -> None:
        """Begin with a network's weights, or raise `UsageError` as `Trainer.begin_with` does."""
        self.trainer.begin_with(network)
        self._teacher[:] = self.trainer.flat

    def advance(self) -> None:
        """Play and train for an iteration, or take a step of a round."""
        settings = self.settings
        rate = between(settings.rate, settings.last_rate, self._share)
        if self._rounds is not None and self.done >= settings.iterations:
            self._rounds.advance(self.done - settings.iterations)
        elif self.done >= self.first_of(settings.decisions):
            self._learn_decisions(rate)
        else:
            self._learn_values(rate)
        self.done += 1

    @property
    def _share(self) -> float:
        """Return the share of iterations done."""
        return self.done / self.settings.iterations

    def first_of(self, share: float) -> int:
        """Return the first of the last iterations, which are a share of all."""
        return self.settings.iterations - round(self.settings.iterations * share)

    def _learn_values(self, rate: float) -> None:
        settings = self.settings
        share = self._share
        depth = 2 if share >= 1 - settings.two_plies else 1
        self._play(depth)
        batch = round(between(settings.batch, settings.last_batch, share))
        number = len(self._targets)
        batches = max(1, round(number / batch))
        for step in range(settings.passes * batches):
            k = step % batches
            first, last = k * number // batches, (k + 1) * number // batches
            self.trainer.step(self._samples, self._targets, first, last, rate, self._span)

    @property
    def _span(self) -> float:
        """Return the number of steps over which weights are averaged."""
        return self.settings.average * (self.trainer.fresh + 1)

    def _play(self, depth: int) -> None:
        def work(thread: int, first: int, last: int) -> None:
            with np.errstate(over="ignore"):  # random streams wrap, and compiled code does not warn
                play_on(
                    self._looks[thread], self._traces[thread], depth, self.settings.trace,
                    self._games, first, last, self._samples, self._targets,
                )  # fmt: skip

        for_chunks(self.settings.games, CHUNK, work, self.threads)

    def _learn_decisions(self, rate: float) -> None:
        settings = self.settings
        begin = self.first_of(settings.decisions)
        turn = max(self.first_of(settings.finish), begin)
        if self.done in (begin, turn):
            self.trainer.restart()
        if self.done <= turn:
            self._teacher[:] = self.trainer.average
        late = (self.done - turn) / max(settings.iterations - turn, 1)
        loss = DIFFERENCES if self.done < turn else regret_loss(*TEMPERATURES, late)
        self._decide()
        self._met += int(self._number.sum())
        batches = max(1, round(int(self._number.sum()) / settings.last_batch))
        for step in range(settings.passes * batches):
            self._step(loss, step % batches, batches, rate)

    def _decide(self) -> None:
        """Continue games and write their decisions, with the teacher's values."""
        net, settings = views(self._teacher, self.trainer.shape), self.settings

        def work(thread: int, first: int, last: int) -> None:
            look = self._looks[thread]._replace(net=net)
            for group in range(first, last):
                start, end = group * CHUNK, min((group + 1) * CHUNK, settings.games)
                out = self._decisions[group]
                with np.errstate(over="ignore"):
                    self._number[group] = decide(look, settings.plies, self._games, start, end, out)

        for_chunks(len(self._decisions), 1, work, self.threads)

    def _step(self, loss: Loss, k: int, batches: int, rate: float) -> None:
        """Take a step on batch k of the decisions. A batch has the same plies of all games."""
        low, high = self._number * k // batches, self._number * (k + 1) // batches

        def decisions_of(part: int) -> tuple[Decisions, int, int]:
            return self._decisions[part], low[part], high[part]

        number = max(int((high - low).sum()), 1)
        learn(self.trainer, loss, decisions_of, len(low), number, rate, self._span)

    def network(self) -> Network:
        """Return the network of averaged weights."""
        return self.trainer.network(self.rules)

    def figures(self) -> dict[str, int]:
        """Return the counts of the training so far, for the data card."""
        settings = self.settings
        iterations = min(self.done, settings.iterations)
        in_rounds = (self.done - iterations) * PARTS * PART
        return {
            "iterations": iterations,
            "games": int(self._games.ended.sum()),
            "positions": min(iterations, self.first_of(settings.decisions)) * len(self._targets),
            "decisions": self._met + in_rounds,
            "steps": self.trainer.steps,
        }

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
        games = self._games
        return {
            **self.trainer.checkpoint_arrays(),
            "teacher": kept_weights(self._teacher),
            "positions": Kept(games.positions, 0, 1 << self.rules.path.length, self._in_play),
            "streams": Kept(games.streams, *ANY_NUMBER),
            "ended": Kept(games.ended, 0, MOST_COUNT),
            **({} if self._rounds is None else self._rounds.arrays()),
        }

    def _in_play(self) -> bool:
        rows = self._games.positions[:, [OWN, OWN_HOME, OTHER, OTHER_HOME]]
        return are_positions(self.rules, rows, unfinished=True)

    def counters(self) -> dict[str, int]:
        """Return the counters of a checkpoint."""
        trainer = self.trainer
        return {
            "done": self.done,
            "steps": trainer.steps,
            "fresh": trainer.fresh,
            "decisions": self._met,
        }

    def restore(self, counters: Members) -> None:
        """Continue from a checkpoint's counters. Its arrays are already in `arrays`."""
        self.done = counters.whole("done", 0, self.total)
        self._met = counters.whole("decisions", 0, MOST_COUNT)
        self.trainer.steps = counters.whole("steps", 0, MOST_COUNT)
        self.trainer.fresh = counters.whole("fresh", 0, self.trainer.steps)


def td_seconds(rules: RuleSet, settings: TdSettings) -> float:
    """Return an estimate of the CPU seconds of a training."""
    sample = seconds_of(settings.units, settings.later)
    follow = FOLLOW + FOLLOW_A_PIECE * rules.pieces
    backup = A_POSITION + follow * VALUE * sample
    last = settings.decisions
    values = backup + settings.passes * sample
    deeper = follow * backup * max(settings.two_plies - last, 0.0)
    decisions = MOVES * (backup + settings.passes * sample)
    plies = settings.iterations * settings.games * settings.plies
    iterations = plies * ((1 - last) * values + deeper + last * decisions)
    return iterations + seconds_for(rules, settings.plan, settings.units, settings.later)


def td_tried(rules: RuleSet, settings: TdSettings, threads: int) -> float:
    """Return an estimate of the wall time of a training in seconds, from some of its steps.

    The first iteration of each kind is measured, and the iteration with the largest batch. The
    estimate of `td_seconds` for rounds is scaled by the same factor as for iterations.
    """
    alone = replace(settings, rounds=0)
    session = TdSession(rules, alone, 0, threads)
    total = settings.iterations
    decisions = session.first_of(settings.decisions)
    deeper = min(session.first_of(settings.two_plies), decisions)
    stretches = {0: deeper / 2, max(deeper - 1, 0): deeper / 2}
    stretches |= {deeper: decisions - deeper} if deeper < decisions else {}
    stretches |= {decisions: total - decisions} if decisions < total else {}
    seconds = 0.0
    for step, number in stretches.items():
        measured = []
        for _ in range(2):  # the first one loads kernels and allocates memory for a batch
            session.done = step
            began = compute_clock()
            session.advance()
            measured.append(compute_clock() - began)
        seconds += number * min(measured)
    rounds = seconds_for(rules, settings.plan, settings.units, settings.later)
    return seconds * (1.0 + rounds / td_seconds(rules, alone))


def td_memory(rules: RuleSet, settings: TdSettings) -> float:
    """Return an estimate of the memory of a training, in bytes."""
    positions = settings.games * settings.plies
    inputs = number_of_inputs(rules, settings.inputs)
    rows = positions * (1 + most_moves(rules) * (settings.decisions > 0))
    weights = (inputs + settings.later) * settings.units * 4
    parts = 6 + min(max(settings.batch, settings.last_batch), positions) / PART
    samples = rows * (A_SAMPLE + 4 * (inputs - number_of_inputs(rules)))
    return samples + weights * parts + memory_of(rules, settings.plan)

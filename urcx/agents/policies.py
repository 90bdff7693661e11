"""Policies: agents prepared for one rule set, in the form that the kernels take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import (
    TIES,
    Greedy,
    LevelPolicy,
    MistakePolicy,
    RandomPolicy,
    RankPolicy,
    SearchPolicy,
    TablePolicy,
)
from urcx.agents.agents import Agent
from urcx.agents.evaluation_kernels import LeafWeights, fill_weighed
from urcx.agents.evaluations import leaf_weights, rule_weights, weights_digest
from urcx.agents.gain_kernels import REPLIES, UNITS, GainPolicy
from urcx.agents.kinds import KINDS, open_player, player_class
from urcx.agents.levels import (
    Leaves,
    Values,
    ValueTable,
    last_level,
    level_file,
    level_memory,
    ranking_for,
    unusable,
    value_type,
)
from urcx.agents.network_tree_kernels import COLUMNS, TreePlan, WeighedPolicy
from urcx.agents.networks import (
    Network,
    network_digest,
    network_leaves,
    network_lookahead,
    network_policy,
    read_network,
    shipped,
)
from urcx.agents.priorities import priority_policy
from urcx.agents.search import (
    LARGEST,
    Lookahead,
    lookahead,
    memory_for,
    named_evaluation,
    plan_for,
)
from urcx.complexity import tiles
from urcx.engine.costs import (
    CHOICES,
    NETWORK,
    SEARCHED,
    SWEPT,
    WEIGHT,
    Cost,
    WorkEstimate,
    estimate,
)
from urcx.engine.memory import check_memory, size_text
from urcx.engine.moves import tables
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import OutOfDomainError, TooLargeError, check_name
from urcx.results.numbers import bound_text
from urcx.rules.model import RuleSet
from urcx.solving.files.header import FULL_U16, check_game
from urcx.solving.files.kept import find_solution, saved_solution_note, solving
from urcx.solving.files.tablebase import Tablebase, open_tablebase
from urcx.solving.general.solver import solve_general
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.solution import solve
from urcx.solving.ties import tie_width, width_of
from urcx.strategy.capture import MOST_ROLLS, common

LeafSource: TypeAlias = Network | LeafWeights
METHODS = ("auto", "levels", "tree")
TABLE_BITS = 14  # of a transposition table, so that it stays in a core's cache

# For the choice between value tables and search, and for estimates.
SEARCHES_A_GAME = 120  # positions with a choice
SEARCH_GROWTH = 8  # factor per ply, with pruning
PRUNED = 5.7  # the same in positions of a game
NETWORK_MOVES = 4  # to choose from
NETWORK_GROWTH = 12  # moves of all rolls
KEPT_SECONDS = 5.0  # CPU time above which a network's values of all states are cached
COARSE = 1e-9  # error bounds above this are reported (a solve has far smaller ones)


class AgentCost(NamedTuple):
    """The cost of an agent for a rule set.

    Attributes
    ----------
    work : WorkEstimate
        Time and memory to prepare it.
    choice, at_once : float
        CPU seconds per choice, for single choices and for all states of a layer together.
    memory : int
        Bytes of its values, which stay in memory.
    """

    work: WorkEstimate
    choice: float
    at_once: float
    memory: int = 0


class Policies:
    """The policies of agents for one rule set. Each agent is prepared only once.

    ``notes`` are for the user, about the preparation, such as the files written.
    """

    def __init__(
        self,
        rules: RuleSet,
        games: int,
        *,
        method: str = "auto",
        keep: bool = True,
        threads: int | None = None,
        stage: Stage = no_progress,
    ) -> None:
        check_name("method", method, METHODS)
        self.rules, self.games, self.method = rules, games, method
        self.keep, self.threads, self.stage = keep, threads, stage
        self.notes: list[str] = []
        self._made: dict[Agent, Any] = {}

    def of(self, agent: Agent) -> Any:
        """Return an agent's policy, or None for a user's agent.

        Raises
        ------
        TooLargeError, OutOfDomainError
            If the requested method of looking ahead is impossible.
        """
        if agent.is_own:
            return None
        if agent not in self._made:
            self._made[agent] = self._make(agent)
        return self._made[agent]

    def _make(self, agent: Agent) -> Any:
        ties = TIES.index(agent.ties)
        chooses = KINDS[agent.kind].chooses
        assert chooses != "program"  # `of` returns None for these
        match chooses:
            case "ties":
                made: Any = RandomPolicy(ties)
            case "greedy":
                made = Greedy(ties)
            case "priority":
                made = priority_policy(self.rules, agent.wishes, ties)
            case "gain":
                made = gain_policy(self.rules, ties)
            case "mistakes":
                made = with_mistakes(agent, self.of(agent.plays))
            case "solution":
                made = self._by_table(agent, ties)
            case "search" | "network":
                made = self._looking_ahead(agent, ties)
            case other:
                assert_never(other)
        return made

    def _looking_ahead(self, agent: Agent, ties: int) -> Any:
        look, source = agent_lookahead(agent, self.rules)
        if not self.by_levels(look, source):
            if isinstance(source, LeafWeights):
                return weighed_policy(source, self.rules, look, ties)
            if source is not None:
                return network_policy(source, self.rules, look, ties)
            plan = plan_for(self.rules, look)
            return SearchPolicy(ties, tables(self.rules).ways, plan, memory_for(plan, TABLE_BITS))
        size = ranking_for(self.rules).size
        threads = chosen_threads(self.threads)
        how = "values all states" if isinstance(source, Network) else "looks ahead"
        leaves: Leaves | None = None
        if isinstance(source, LeafWeights):
            leaves = weighed_leaves(source, self.rules)
        elif source is not None:
            leaves = network_leaves(source, self.rules, threads)
        level = last_level(
            self.rules,
            look,
            keep=self.cache_file(look, source) is not None,
            threads=threads,
            progress=self.stage(f"{agent.name} {how}", size * (len(look.weights) + 1), "states"),
            leaves=leaves,
            named="" if source is None else leaves_digest(source),
        )
        self._note(level)
        return LevelPolicy(ties, level.values, level.table)

    def cache_file(self, look: Lookahead, source: LeafSource | None = None) -> Path | None:
        """Return the cache file for the values of all states, or None if they are not cached.

        Values by a network or by weights are cached if they take long to compute.
        """
        if not self.keep:
            return None
        if source is None:
            return level_file(self.rules, look)
        if sweep_seconds(look, source, ranking_for(self.rules).size) < KEPT_SECONDS:
            return None
        return level_file(self.rules, look, leaves_digest(source))

    def by_levels(self, look: Lookahead, source: LeafSource | None = None) -> bool:
        """Return whether all states are valued in advance, instead of only states met in games."""
        if isinstance(source, LeafWeights) and not source.alike:
            if self.method == "levels":
                raise OutOfDomainError(
                    "no value tables are possible: the weights of the enemy's pieces differ. Use "
                    "--method tree"
                )
            return False
        if self.method != "auto" or unusable(self.rules, look):
            return self.method == "levels"
        size = ranking_for(self.rules).size
        file = self.cache_file(look, source)
        cached = file is not None and file.exists()
        if source is None:
            choice, read = SEARCHED.seconds * SEARCH_GROWTH ** len(look.weights), -1.0
        else:
            choice, read = choice_seconds(source, look), size * SWEPT.seconds
        values = read if cached else sweep_seconds(look, source, size)
        return bool(self.games * SEARCHES_A_GAME * choice > values)

    def cost_of(self, agent: Agent) -> AgentCost:
        """Return the estimated cost of an agent, without preparing it."""
        work = WorkEstimate(f"playing {agent.name}", 0.0)
        if agent.is_own:
            return AgentCost(work, *CHOICES["program" if agent.is_engine else "function"])
        if agent.base is not None:
            return self.cost_of(agent.base)
        if agent.depth is not None:
            return self._cost_of_looking(agent, work)
        way = KINDS[agent.kind].chooses
        if agent.by_solution and find_solution(self.rules) is None:
            work = solving(self.rules, self.threads)
        elif way == "solution" and player_class(str(agent.table)) is not None:
            return AgentCost(work, *CHOICES["file"])
        return AgentCost(work, *CHOICES[way])

    def _cost_of_looking(self, agent: Agent, nothing: WorkEstimate) -> AgentCost:
        look, source = agent_lookahead(agent, self.rules)
        plies = len(look.weights)
        if not self.by_levels(look, source):
            choice = SEARCHED.seconds * PRUNED**plies
            if source is not None:
                choice = choice_seconds(source, look)
            return AgentCost(nothing, choice, choice)
        file = self.cache_file(look, source)
        size = ranking_for(self.rules).size
        level = size * value_type(look)().itemsize
        if file is not None and file.exists():
            return AgentCost(nothing, *CHOICES["solution"], level)
        task = f"looking {plies} plies ahead over {size:,} states of {self.rules.name}"
        if source is not None:
            how = "a network" if isinstance(source, Network) else "weights"
            task = f"valuing {size:,} states of {self.rules.name} with {how}"
        work = estimate(
            task,
            (1, Cost(sweep_seconds(look, source, size), level_memory(size, look))),
            (level if file is not None else 0, Cost(disk=1)),
            threads=self.threads,
            advice="use --method tree, or fewer pieces with -p",
        )
        return AgentCost(work, *CHOICES["solution"], level)

    def _note(self, level: ValueTable) -> None:
        """Add a note if a value table was saved to the cache."""
        if level.new and level.file:
            size = size_text(level.values.nbytes)
            self.notes.append(f"cached for the next run: {level.file} ({size})")

    def file_of(self, agent: Agent) -> str | None:
        """Return the file by which an agent plays optimally: its own, or the saved solution.

        The result is None if the rule set is solved now. The errors are the same as in
        `find_solution`.
        """
        if agent.table is not None:
            return agent.table
        result = find_solution(self.rules)
        if result is None:
            return None
        if (line := saved_solution_note(result)) not in self.notes:
            self.notes.append(line)
        return str(result)

    def _by_table(self, agent: Agent, ties: int) -> Any:
        file = self.file_of(agent)
        if file is not None:
            if (player := open_player(file)) is not None:
                with player:
                    player.check_rules(self.rules)
                    return player.policy(ties)
            with open_tablebase(file) as base:
                return self._by_file(file, base, ties)
        if layer_obstacle(self.rules):
            return self._by_rank(ties)
        order = LayerOrder(self.rules)
        solution = solve(self.rules, threads=self.threads, keep=True, stage=self.stage)
        width = tie_width(solution.solved.gap)
        return table_policy(order, lambda layer: solution.layers[layer][0], ties, 1.0, width)

    def _by_rank(self, ties: int) -> RankPolicy:
        """Return optimal play on a path without layers, for which there are no tablebases."""
        states = tiles.conventions(self.rules.path, self.rules.pieces)["positions"]
        update = self.stage(f"solving {self.rules.name}", states, "states")
        solved, order, values = solve_general(self.rules, progress=update)
        return RankPolicy(ties, values, 1.0, tie_width(solved.gap), order.ranking.arrays)

    def _by_file(self, file: str, base: Tablebase, ties: int) -> TablePolicy:
        check_game(file, base.rules, self.rules)
        size = sum(base.layer(layer).nbytes for layer in base.order.layers)
        check_memory(
            size, f"the values of {file}", "solve it again with 16-bit values, --store u16"
        )
        self.notes += coarse(base)
        return table_policy(base.order, base.layer, ties, *scale_of(base))


def scale_of(base: Tablebase) -> tuple[float, float]:
    """Return the value of a certain win in a tablebase, and its tie width on the same scale."""
    certain = float(FULL_U16) if base.store == "u16" else 1.0
    return certain, certain * width_of(base)


def coarse(base: Tablebase) -> list[str]:
    """Return a note in a list if a tablebase's values are coarse, else an empty list."""
    if base.bound is None or base.bound <= COARSE:
        return []
    bound = bound_text(base.bound)
    text = (
        f"{base.file} has win probabilities within ± {bound}: an agent that plays by it cannot "
        "tell moves apart that differ by less than twice that"
    )
    return [text]


def choice_seconds(source: LeafSource, look: Lookahead) -> float:
    """Return an estimate of the seconds that a full search takes to choose a move."""
    leaves = NETWORK_MOVES * float(NETWORK_GROWTH) ** len(look.weights)
    return leaves * _leaf_cost(source)


def sweep_seconds(look: Lookahead, source: LeafSource | None, states: int) -> float:
    """Return an estimate of the CPU seconds to value all states."""
    leaves = SWEPT.seconds if source is None else _leaf_cost(source)
    return states * (leaves + len(look.weights) * SWEPT.seconds)


def _leaf_cost(source: LeafSource) -> float:
    if isinstance(source, LeafWeights):
        return SEARCHED.seconds
    return NETWORK.seconds + (source.parameters - source.first.size) * WEIGHT.seconds


def agent_lookahead(agent: Agent, rules: RuleSet) -> tuple[Lookahead, LeafSource | None]:
    """Return an agent's look-ahead, and the network or weights that value its leaves.

    They are None if the kernels of ``advance`` value them.
    """
    assert agent.depth is not None
    if agent.leaf is not None:
        evaluation = named_evaluation(agent.evaluation or agent.leaf)
        look = lookahead(rules, agent.depth, evaluation, few_rolls=agent.few_rolls)
        weights = rule_weights(evaluation, rules)
        return look, None if weights.plain(rules) else leaf_weights(weights, rules)
    return network_lookahead(rules, agent.depth), agent_network(agent, rules)


def agent_network(agent: Agent, rules: RuleSet) -> Network:
    """Return the network that an agent plays by, or raise `UsageError` if its rules differ."""
    if agent.table is None:
        return shipped(rules)
    network = read_network(agent.table)
    check_game(agent.table, network.rules, rules)
    return network


def weighed_policy(
    leaves: LeafWeights, rules: RuleSet, look: Lookahead, ties: int
) -> WeighedPolicy:
    """Return the policy that searches the full tree with an own evaluation, for one thread."""
    arrays = tables(rules)
    frames = np.zeros((len(look.scales), COLUMNS), np.int64)
    plan = TreePlan(arrays.rolls, look.weights, look.scales, frames, leaves.won)
    return WeighedPolicy(ties, arrays.ways, leaves, plan)


def weighed_leaves(leaves: LeafWeights, rules: RuleSet) -> Leaves:
    """Return a function that writes an evaluation's values (`urcx.agents.levels.last_level`)."""
    ways, table = tables(rules).ways, ranking_for(rules).arrays

    def write(_: int, first: int, last: int, out: Values) -> None:
        fill_weighed(ways, table, leaves, first, last, out)

    return write


def leaves_digest(leaves: LeafSource) -> str:
    """Return a hash of the network or weights, for the names of cached value tables."""
    return weights_digest(leaves) if isinstance(leaves, LeafWeights) else network_digest(leaves)


def gain_policy(rules: RuleSet, ties: int) -> GainPolicy:
    """Return the policy of the agent ``gain``, which breaks ties by a rule, an index of `TIES`.

    Raises
    ------
    TooLargeError
        If the values do not fit into 64 bits with the rule set's dice.
    """
    below = common(rules.dice)
    weights = [int(p * below) for p in rules.dice.probabilities]
    # Two capturing moves, and the loss of all own pieces.
    most = 2 * (max(rules.dice.rolls) + rules.path.length) + rules.pieces * rules.path.length
    if most * below**UNITS > LARGEST:
        raise TooLargeError(
            f"agent gain: values with probabilities in 1/{below} do not fit into 64 bits. Use "
            "dice with a smaller common denominator"
        )
    assert REPLIES == MOST_ROLLS
    powers = [below**k for k in range(UNITS + 1)]
    return GainPolicy(
        ties, tables(rules).rolls, np.array(weights, np.int64), np.array(powers, np.int64)
    )


def table_policy(
    order: LayerOrder,
    layer: Callable[[Layer], NDArray[Any]],
    ties: int,
    certain: float,
    tie_width: float = 0.0,
) -> TablePolicy:
    """Return the policy that plays by a solution, with its layers copied into one array.

    Values are from 0 to ``certain``. Moves within ``tie_width`` of the best are equally good.
    """
    pieces = order.rules.pieces
    first = np.zeros((pieces, pieces), np.int64)
    offsets = np.zeros((pieces, pieces, order.patterns), np.uint32)
    parts = {key: layer(key) for key in order.layers}
    for i, j in order.layers:
        offsets[i, j] = np.maximum(order.offsets((i, j)), 0)
    values = np.concatenate([parts[key] for key in order.layers])
    at = 0
    for key in order.layers:
        first[key] = at
        at += len(parts[key])
    tables = offsets, order.width, order.number, order.pattern
    return TablePolicy(ties, values, certain, tie_width, first, *tables)


def with_mistakes(agent: Agent, play: Any) -> Any:
    """Return an agent's policy: ``play``, with the agent's mistakes added."""
    return MistakePolicy(play.ties, agent.percent / 100, play) if agent.percent else play

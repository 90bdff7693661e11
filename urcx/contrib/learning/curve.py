"""Strategy complexity: the bits that a player needs for a given loss.

State-space and game-tree complexity measure the size of a game. Strategy complexity measures how
much there is to know to play it well. Every player is a program with data. The bits of the data and
the loss against optimal play give a curve, as in rate-distortion theory: from rules without any
data to networks, coarse tables and exact play. Each point is an upper bound: so many bits suffice
for this loss.

Programs do not count, because all of them are short compared with the data of any player that is
nearly optimal. A rule without data has 0 bits.

A quantised table has a code for each state: the number of the cell of 0..1 that contains its value.
The player chooses the move to the highest cell. After a move that passes the turn, the mover's win
probability is 1 minus the other player's, so cells must be symmetric about 1/2. They have equal
widths.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST, TIES, TablePolicy
from urcx.agents.agents import Agent, agent, as_several
from urcx.agents.networks import has_shipped, read_with_size, shipped_file
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import COARSE, Policies, table_policy
from urcx.complexity import tiles
from urcx.contrib.learning import strength_kernels as kernels
from urcx.contrib.learning.play_file import PlayFile
from urcx.contrib.learning.strength import strength_of
from urcx.engine.threads import Stage, chosen_threads, for_chunks, no_progress
from urcx.errors import UsageError, WrongObjectError, check_booleans, check_functions, check_name
from urcx.expectations.choices import ALL_STATES
from urcx.expectations.losses import LossFlow, strength
from urcx.reading import as_paths
from urcx.results.fields import COUNT, Field, Fields, Format, decimals, fields_of
from urcx.results.numbers import bound_text, count_text, number
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.probing import PERCENT, POINTS, points_text, wide
from urcx.solving.ties import tie_width

if TYPE_CHECKING:
    from urcx.reports.figures.plots import Drawing

MOST_BITS = 16
MOST_LEVELS = (1 << MOST_BITS) - 2  # codes from 1, plus 0 for lost games and one for won games
FEW_CODES = 20_000_000
LOOK_UP = 1 << 16  # parts of 0..1 with a tabulated first cell
CHUNK = 1 << 20  # states


def uniform_bounds(bits: int) -> NDArray[np.float64]:
    """Return the lower bounds of all cells except the first, symmetric about 1/2."""
    levels = min(1 << bits, MOST_LEVELS)
    upper = np.arange(levels // 2 + 1, levels) / levels
    # 1 - b is exact for b of 1/2 or more, and so is 1 - (1 - b).
    return np.concatenate([1.0 - upper[::-1], [0.5], upper])


class QuantisedTables:
    """The quantised tables of a solution. ``perfect`` is optimal play with all values."""

    def __init__(self, perfect: TablePolicy, threads: int) -> None:
        self.perfect, self.threads = perfect, threads
        self.states = len(perfect.values)
        # The type of the values, if memory allows it, because kernels are compiled for it anyway.
        code = perfect.values.dtype if self.states <= FEW_CODES else np.uint16
        self._codes = np.zeros(self.states, code)

    def player(self, bits: int) -> tuple[TablePolicy, float]:
        """Return the player with codes of ``bits`` bits, and their entropy in bits per state.

        Use the player before the next call, because all players have their codes in one array.
        """
        bounds = uniform_bounds(bits)
        begin = np.searchsorted(bounds, np.arange(LOOK_UP) / LOOK_UP, side="right")
        certain = len(bounds) + 2  # the code of a won game (states have codes from 1 to one less)
        counts = np.zeros((self.threads, certain), np.int64)

        def write(thread: int, first: int, last: int) -> None:
            kernels.quantise(
                self.perfect.values, self.perfect.certain, bounds, begin, first, last,
                self._codes, counts[thread],
            )  # fmt: skip

        for_chunks(self.states, CHUNK, write, self.threads)
        share = counts.sum(axis=0) / self.states
        share = share[share > 0.0]
        entropy = abs(float(share @ np.log2(share)))
        player = self.perfect._replace(values=self._codes, certain=float(certain), tie_width=0.0)
        return player, entropy


ROUNDING = 1e-12  # of win probabilities
HALF = 0.5  # the win probability of optimal play against itself, if each begins half of the games
TITLES = {
    "rule": "rule",
    "network": "network",
    "uniform": "table of few bits",
    "play": "exact play",
    "table": "solution",
}
# The source of a network's training, by the method in its card.
ORIGINS = {"td": "self-play", "alphazero": "self-play", "distil": "distilled"}


ERROR = Format(lambda error: points_text(error) if error else "")
STARRED = Format(lambda best: "*" if best else "")


@dataclass(frozen=True)
class Point:
    """A player: the bits of its data, and its win probability against optimal play."""

    kind: Annotated[
        str,
        Field(
            about=(
                "rule, network, uniform (a table of few bits per state), play (exact play in a "
                "file), table (the solution)"
            )
        ),
    ]
    name: Annotated[str, Field(key("player"), about="an agent or a file", key="player")]
    bits: Annotated[
        int,
        Field(
            "bits",
            COUNT,
            "bits of its data without headers; the program does not count",
        ),
    ]
    states: Annotated[int, "states of the game: unfinished canonical views"]
    wins: Annotated[
        float,
        Field(
            secondary("wins"),
            PERCENT,
            "its win probability; each player begins half of the games",
        ),
    ]
    error: Annotated[
        float | None,
        "the half width of the interval of an estimate, None without any loss; 0 if exact",
        Field("±", ERROR, "half width of the 95 % interval"),
    ]
    exactness: Annotated[str, Field(about="exact or estimate")]
    ties: Annotated[str, Field(Column("ties", text=True), about="its tie-breaking rule")]
    origin: Annotated[
        str, Field(about="of a network: self-play, distilled, or empty if its card has no method")
    ] = ""
    entropy: Annotated[
        float | None,
        Field(
            secondary("entropy"),
            decimals(2),
            "of a table's codes, in bits per state: about their compressed size",
        ),
    ] = None
    frontier: Annotated[
        bool,
        Field(
            Column("best", text=True),
            STARRED,
            "whether no other row has at most these bits and at most this loss",
        ),
    ] = False

    @property
    def title(self) -> str:
        """The kind of the player, in words."""
        return f"{TITLES[self.kind]}, {self.origin}" if self.origin else TITLES[self.kind]

    @property
    @Field("loss (points)", POINTS, "its mean loss: 1/2 minus its win probability")
    def loss(self) -> float:
        """The mean loss per game: the win probability of optimal play, 1/2, minus its own."""
        return HALF - self.wins

    @property
    @Field(secondary("per state"), decimals(2), "bits divided by the number of states")
    def bits_a_state(self) -> float:
        """Its bits divided by the number of states."""
        return self.bits / self.states

    @property
    @Field(about="95 % interval of wins if estimated", key="ci95")
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of an estimate, None if exact or without any loss in the games."""
        if self.exactness == "exact" or self.error is None:
            return None
        return max(self.wins - self.error, 0.0), min(self.wins + self.error, HALF)


ROW = Fields(
    fields_of(Point).pick("player"),
    Field(key("kind"), of="title"),
    fields_of(Point).pick("kind", "origin", "bits", "bits_a_state", "entropy", "wins", "loss"),
    fields_of(Point).pick("error", "ci95", "exactness", "ties", "frontier"),
)


def curve(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return points by their bits, with the points on the frontier marked."""
    return tuple(
        replace(row, frontier=not any(_better(other, row) for other in points))
        for row in sorted(points, key=lambda point: (point.bits, -point.loss))
    )


def _better(item: Point, other: Point) -> bool:
    """Return whether a point is at least as good as another in bits and loss, but not equal."""
    less = item.bits <= other.bits and item.loss <= other.loss
    return less and (item.bits, item.loss) != (other.bits, other.loss)


class Judge:
    """Computes the win probabilities of players against optimal play.

    Parameters
    ----------
    rules, perfect
        The rule set and the policy of optimal play.
    solution
        The layers of the solution.
    exact
        Whether to follow all games, or to estimate from the losses of moves in some.
    games, seed
        Number of games and seed of the estimates.
    threads
        The number of threads.
    stage
        Called at the start of each part of the work.
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
        stage: Stage = no_progress,
    ) -> None:
        self.rules, self.perfect, self.solution, self.exact = rules, perfect, solution, exact
        self.games, self.seed = games, seed
        self.states = len(perfect.values)
        self.threads, self.stage = threads, stage

    def judged(self, policy: Any) -> tuple[float, float | None, str]:
        """Return a policy's win probability, its error and its exactness."""
        if self.exact:
            return self._followed(policy), 0.0, "exact"
        estimate = self.estimated(policy, self.games, self.seed)
        return estimate[0], estimate[1], "estimate"

    def estimated(self, policy: Any, games: int, seed: int) -> tuple[float, float | None]:
        """Return an estimate of a policy's win probability, and its error."""
        estimate = strength_of(
            policy, self.perfect, self.rules, games=games, seed=seed, threads=self.threads,
            stage=self.stage,
        )  # fmt: skip
        return max(estimate.wins, 0.0), estimate.error if estimate.mistakes and math.isfinite(
            estimate.error
        ) else None

    def best_ties(self, policy: TablePolicy) -> int:
        """Return the tie-breaking rule with which a policy is strongest, in separate games."""
        games = max(self.games // 4, 2)
        wins = [
            self.estimated(policy._replace(ties=ties), games, self.seed + 1)[0] for ties in range(3)
        ]
        return next(k for k in range(3) if wins[k] > max(wins) - ROUNDING)

    def _followed(self, policy: Any) -> float:
        means = strength(
            policy,
            self.solution,
            self.rules,
            threads=self.threads,
            progress=self.stage("following all games", 2 * self.states, "states"),
        )
        wins = float(means.wins[0])
        return wins if wins < HALF - max(means.left, ROUNDING) else HALF


def network_data(agent: Agent, rules: RuleSet) -> tuple[int, str]:
    """Return the bits of a network in its file, and the source of its training.

    Only the weights needed to play count, before the archive compresses them.
    """
    file = Path(agent.table) if agent.table else shipped_file(rules)
    network, stored = read_with_size(file)
    return 8 * stored, ORIGINS.get(str(network.card.get("method", "")), "")


AGENTS = ("random", "greedy", "gain", "expectimax")
NETWORKS = ("net", "learned")
BEST = "best"  # the best of the tie-breaking rules
TIE_RULES = (*TIES, BEST)
GAMES = 4000
FEW_STATES = 1_000_000  # points are exact by default up to this number of states
LEAST_GAMES, MOST_GAMES = 2, 100_000_000
MOST_SEED = 2**63 - 3


@dataclass(frozen=True)
class Bits(Result, function="bits"):
    """The strategy-complexity curve of a rule set.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.learning import bits
    >>> curve = bits(urcx.ruleset("finkel", pieces=1), agents="greedy", table_bits=[2])
    >>> [(point.kind, point.bits) for point in curve.points][:2]
    [('rule', 0), ('uniform', 434)]
    """

    schema = "urcx.bits/1"
    lists = ("points",)
    parts: ClassVar = {"rows": ROW}
    rules: GameRules
    points: Annotated[tuple[Point, ...], "the players, fewest bits first"]
    states: Annotated[int, Field("", COUNT, "unfinished canonical views, the states of tables")]
    sample: Annotated[int, Field(about="games per estimate, 0 if all is exact", key="games")]
    seed: Annotated[int, Field(about="the seed")]
    bound: Annotated[float, Field(about="error bound of the solution's values")]
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()

    def tables(self) -> list[Table]:
        """Return a row for each player, with two decimals."""
        return self._tables(ROW)

    def wide_tables(self) -> list[Table]:
        """Return a row for each player, with more decimals."""
        return self._tables(wide(ROW))

    def _tables(self, row: Fields) -> list[Table]:
        notes = [
            (
                "bits: of the player's data, without headers and checksums. Programs do not "
                "count, so a rule has 0"
            ),
            (
                "loss: 50 % minus the win probability against optimal play. Each side begins half "
                "of the games"
            ),
            "*: no other row has at most these bits and at most this loss",
        ]
        if any(point.entropy is not None for point in self.points):
            notes.append(
                (
                    f"tables: a code for each of {self.states:,} states. The player chooses the "
                    "move to the highest code, and among equals by the tie-breaking rule"
                ),
            )
        if any(point.kind == "network" for point in self.points):
            notes.append(
                "networks: 16 bits per weight, before compression of the file. The program "
                "computes the probabilities of captures in their inputs. Distilled: learned from "
                "the solution. Self-play: learned from games against itself alone"
            )
        if self.sample:
            notes.append(
                f"estimates with 95 % intervals, from the losses of moves in {self.sample:,} "
                "games. No interval: exact, or no loss in these games"
            )
        if self.bound > COARSE:
            notes.insert(
                0,
                f"the error bound of the solution's values is {bound_text(100 * self.bound)} "
                "points, and of a move's loss twice that: smaller differences between moves are "
                "not resolved",
            )
        best = [point for point in self.points if point.frontier or point.entropy is None]
        tables = [row.table("", best, notes)]
        if len(best) < len(self.points):
            tables.append(row.table("All players", self.points))
        return tables

    def figure(self) -> Drawing:
        """Return the figure of the curve, the same as `urcx.figure`."""
        from urcx.contrib.learning.bits_plot import bits_figure

        return bits_figure(self)

    @property
    def answer(self) -> str:
        """Return the bits of the best player, and the loss of the player with the fewest bits."""
        best = min(self.points, key=lambda point: (point.loss, point.bits))
        least = min(self.points, key=lambda point: (point.bits, point.loss))
        certainty = f"estimated in {count_text(self.sample, 'game')}" if self.sample else "exact"
        loses = f"loses {points_text(best.loss)} points" if best.loss else "loses nothing"
        text = f"{self.rules.with_pieces}: {best.name} {loses} with {number(best.bits)} bits"
        if least.bits < best.bits:
            text += f", {least.name} {points_text(least.loss)} points with {number(least.bits)}"
        return f"{text} ({certainty})"


def bits(  # noqa: PLR0913 - all parameters except rules by name
    rules: str | RuleSet | None = None,
    *,
    tablebase: str | Path | None = None,
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent] = AGENTS,
    networks: str | Path | Sequence[str | Path] = (),
    play_files: str | Path | Sequence[str | Path] = (),
    table_bits: Sequence[int] = range(1, MOST_BITS + 1),
    ties: str = BEST,
    exact: bool | None = None,
    games: int = GAMES,
    seed: int = 1,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Bits:
    """Compare the bits of players with their loss, as a curve.

    Parameters
    ----------
    rules
        A rule set or its name, with a symmetric path that crosses no tile twice. By default it is
        the tablebase's, or else ``finkel``.
    tablebase
        The rule set's solution. By default it is the solution that urcx solve saved, and small
        rule sets are solved in memory.
    agents
        Rules without data, or networks.
    networks
        Files of networks. The network that comes with urcx for the rule set is always included.
    play_files
        Files of exact play.
    table_bits
        Bits per state of quantised tables, from 1 to 16 each.
    ties
        The tie-breaking rule of tables among equal codes: ``first``, ``last``, ``random``, or
        ``best``, the strongest of these in separate games.
    exact
        Whether win probabilities are computed over all games, or estimated from the losses of
        moves in some. By default they are exact for small rule sets.
    games, seed
        The number of games per estimate, from 2 to 100,000,000, and the seed, from 0.
    threads
        The number of threads, by default one per core.
    stage
        Called at the start of each part of the work.

    Returns
    -------
    Bits

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is the user's own, or optimal play itself.
    UnknownNameError
        If there is no such tie-breaking rule.
    OutOfDomainError
        If the path has no layers.
    UnusableFileError, TablebaseError
        If a file cannot be read, is damaged, or has another game.
    TooLargeError
        If there is no tablebase and the rule set is too large, or if there is not enough memory.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.learning import bits
    >>> short = urcx.ruleset("finkel", pieces=1)
    >>> curve = bits(short, agents="random", table_bits=[4])
    >>> [(point.kind, point.bits_a_state) for point in curve.points]
    [('rule', 0.0), ('uniform', 4.0), ('table', 64.0)]
    """
    check_functions(stage=stage)
    check_booleans(exact=False if exact is None else exact)
    rule_set = rule_sources(rules, tablebase=tablebase).decided()
    LayerOrder(rule_set)  # raises
    if isinstance(table_bits, str | bytes) or not isinstance(table_bits, Iterable):
        raise WrongObjectError("table_bits", int, table_bits, "a list of numbers")
    widths = [_check_range("table_bits", width, 1, MOST_BITS) for width in table_bits]
    check_name("tie rule", ties, TIE_RULES)
    games = _check_range("games", games, LEAST_GAMES, MOST_GAMES)
    seed = _check_range("seed", seed, 0, MOST_SEED)
    players = players_of(agents, networks, rule_set)
    threads = chosen_threads(threads)
    exact = small(rule_set) if exact is None else exact
    policies = Policies(rule_set, ALL_STATES if exact else games, threads=threads, stage=stage)
    with contextlib.ExitStack() as stack:
        plays = [stack.enter_context(PlayFile(file)) for file in as_paths(play_files)]
        for play in plays:
            play.check_rules(rule_set)
        flow = LossFlow(rule_set, tablebase, threads, stage, stack)
        perfect = _perfect(flow)
        judge = Judge(
            rule_set, perfect, flow.solution, exact=exact, games=games, seed=seed, threads=threads,
            stage=stage,
        )  # fmt: skip
        points = [_point(player, policies, judge) for player in players]
        rule = None if ties == BEST else TIES.index(ties)
        points += _table_points(judge, widths, rule)
        states = len(perfect.values)
        value_bits = 8 * perfect.values.itemsize * states
        sizes = [("play", str(play.file), 8 * play.data_size) for play in plays]
        for named_size in (*sizes, ("table", "solution", value_bits)):
            points.append(Point(*named_size, states, HALF, 0.0, "exact", "first"))
    return Bits(
        rule_set,
        curve(points),
        states,
        0 if exact else games,
        seed,
        flow.gap,
        (*flow.policies.notes, *policies.notes),
    )


def _point(player: Agent, policies: Policies, judge: Judge) -> Point:
    """Return the point of a rule without data, or a network."""
    kind = "network" if player.kind in NETWORKS else "rule"
    size, origin = network_data(player, judge.rules) if kind == "network" else (0, "")
    judgement = judge.judged(policies.of(player))
    return Point(kind, player.name, size, judge.states, *judgement, player.ties, origin)


def _table_points(judge: Judge, widths: Sequence[int], ties: int | None) -> list[Point]:
    """Return the points of quantised tables, each with its best tie-breaking rule by default."""
    tables = QuantisedTables(judge.perfect, judge.threads)
    points = []
    for width in widths:
        name = "1 bit" if width == 1 else f"{width} bits"
        policy, entropy = tables.player(width)
        rule = judge.best_ties(policy) if ties is None else ties
        chances = judge.judged(policy._replace(ties=rule))
        size = width * judge.states
        points.append(
            Point("uniform", name, size, judge.states, *chances, TIES[rule], entropy=entropy)
        )
    return points


def small(rules: RuleSet) -> bool:
    """Return whether a rule set's points are exact by default."""
    states = tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    return states <= FEW_STATES


def _check_range(name: str, value: int, least: int, most: int) -> int:
    number = catalogue.as_integer(name, value)
    if not least <= number <= most:
        raise UsageError(f"{name} {number:,}: must be from {least} to {most:,}")
    return number


def players_of(
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
    networks: str | Path | Sequence[str | Path],
    rules: RuleSet,
) -> list[Agent]:
    """Return the rules without data and the networks, including the one that comes with urcx.

    Raises
    ------
    UsageError
        If there is no such agent, or an agent is the user's own, or optimal play.
    """
    names = [*as_several(agents), *(["learned"] if has_shipped(rules) else [])]
    players = [agent(name) for name in names] + [
        agent(f"net:{file}") for file in as_paths(networks)
    ]
    for player in players:
        if player.is_own:
            raise UsageError(f"agent {player.name} is your own, so its bits cannot be counted")
        if player.base is not None:
            raise UsageError(
                f"agent {player.name} makes mistakes, but has the bits of {player.base.name}. "
                f"Name {player.base.name} instead"
            )
        if player.kind == "optimal":
            raise UsageError(
                f"agent {player.name} is always included as the solution. Leave it out"
            )
    return list(dict.fromkeys(players))


def _perfect(flow: LossFlow) -> TablePolicy:
    """Return optimal play as a policy, with values in their stored type."""
    if isinstance(flow.solution, MemoryStore):
        layers = flow.solution.layers
        width = tie_width(flow.gap)
        return table_policy(flow.order, lambda layer: layers[layer][0], FIRST, 1.0, width)
    by_file: TablePolicy = flow.policies.of(Agent("optimal", "first", table=str(flow.source)))
    return by_file

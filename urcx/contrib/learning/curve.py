"""Strategy complexity: how many bits a player takes to lose no more than so much.

Beside how many states a game has and how large its tree is, one may ask how much there is to know
to play it well. Every player is a program and its data. The data's bits on one axis and the chance
of winning against perfect play on the other give a curve as rate-distortion theory has it: from
rules without any data over networks and coarse tables to exact play. Each point is an upper bound:
so many bits are enough to play that well.

Programs are not counted, as all of them are short beside the data of any player that comes near to
perfect play; a rule without data has 0 bits.

A table with a code for each state, the number of the cell of 0..1 that the state's value lies in,
plays the move that leads to the highest cell. After a move that passes the turn, the mover's chance
is 1 minus the other's, so cells must be the same seen from either side: they are of equal width.
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
from urcx.results.fields import (
    COUNT,
    Field,
    Fields,
    Format,
    decimals,
    fields_of,
    percents_of,
)
from urcx.results.numbers import bound_text, count_text, number
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.ties import tie_width

if TYPE_CHECKING:
    from urcx.reports.figures.plots import Drawing

MOST_BITS = 16
MOST_LEVELS = (1 << MOST_BITS) - 2  # codes 1, 2, ... with 0 and one more for lost and won games
FEW_CODES = 20_000_000
LOOK_UP = 1 << 16  # parts of 0..1 for each of which the first cell is looked up
CHUNK = 1 << 20  # states


def uniform_bounds(bits: int) -> NDArray[np.float64]:
    """Return the lower bounds of all cells but the first, symmetric about 1/2."""
    levels = min(1 << bits, MOST_LEVELS)
    upper = np.arange(levels // 2 + 1, levels) / levels
    # 1 - b is exact for b of 1/2 or more, and so is 1 - (1 - b).
    return np.concatenate([1.0 - upper[::-1], [0.5], upper])


class QuantisedTables:
    """The quantised tables of one solution: perfect play, with the values of all states."""

    def __init__(self, perfect: TablePolicy, threads: int) -> None:
        self.perfect, self.threads = perfect, threads
        self.states = len(perfect.values)
        # Of the values' own type, for which kernels are compiled anyway, where memory allows it.
        code = perfect.values.dtype if self.states <= FEW_CODES else np.uint16
        self._codes = np.zeros(self.states, code)

    def player(self, bits: int) -> tuple[TablePolicy, float]:
        """Return who plays by codes of so many bits, and the codes' entropy in bits a state.

        The player is for use until the next one is made, as both have their codes in one array.
        """
        bounds = uniform_bounds(bits)
        begin = np.searchsorted(bounds, np.arange(LOOK_UP) / LOOK_UP, side="right")
        certain = len(bounds) + 2  # the code of a won game: those of states are 1 to one less
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


LOSS = Format(scientific)
ERROR = Format(lambda error: scientific(error) if error else "")
STARRED = Format(lambda best: "*" if best else "")


@dataclass(frozen=True)
class Point:
    """A player: the bits of its data, and its chance of winning against perfect play."""

    kind: Annotated[
        str,
        Field(
            about=(
                "rule, network, uniform (a table of few bits a state), play (exact play in a "
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
            "bits of its data without headers; the program that reads them does not count",
        ),
    ]
    states: Annotated[int, "states of the game, as tables have them"]
    wins: Annotated[
        float,
        Field(
            secondary("wins"), percents_of(4), "how likely it wins; each begins half of the games"
        ),
    ]
    error: Annotated[
        float | None,
        "the half width of the interval of an estimate, None where no loss was seen; 0 if exact",
        Field("±", ERROR, "half width of the 95 % interval"),
    ]
    exactness: Annotated[str, Field(about="exact or estimate")]
    ties: Annotated[
        str, Field(Column("ties", text=True), about="which of equally good moves it plays")
    ]
    origin: Annotated[
        str, Field(about="of a network: self-play, distilled, or empty if its card does not say")
    ] = ""
    entropy: Annotated[
        float | None,
        Field(
            secondary("entropy"),
            decimals(2),
            "of a table's codes, bits a state: about what they take compressed",
        ),
    ] = None
    frontier: Annotated[
        bool,
        Field(
            Column("best", text=True),
            STARRED,
            "whether no other row takes as few bits and loses as little",
        ),
    ] = False

    @property
    def title(self) -> str:
        """What kind of player it is, in words."""
        return f"{TITLES[self.kind]}, {self.origin}" if self.origin else TITLES[self.kind]

    @property
    @Field("loss", LOSS, "what that lacks to 1/2")
    def loss(self) -> float:
        """What its chance of winning lacks to that of perfect play, 1/2."""
        return HALF - self.wins

    @property
    @Field(secondary("a state"), decimals(2), "bits divided by the number of states")
    def bits_a_state(self) -> float:
        """Its bits divided by the number of states."""
        return self.bits / self.states

    @property
    @Field(about="95 % interval of wins if estimated", key="ci95")
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of an estimate; None if exact, or where no loss was seen."""
        if self.exactness == "exact" or self.error is None:
            return None
        return max(self.wins - self.error, 0.0), min(self.wins + self.error, HALF)


POINTS = Fields(
    fields_of(Point).pick("player"),
    Field(key("kind"), of="title"),
    fields_of(Point).pick("kind", "origin", "bits", "bits_a_state", "entropy", "wins", "loss"),
    fields_of(Point).pick("error", "ci95", "exactness", "ties", "frontier"),
)


def curve(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return points by their bits, with those on the frontier marked."""
    return tuple(
        replace(one, frontier=not any(_better(other, one) for other in points))
        for one in sorted(points, key=lambda point: (point.bits, -point.loss))
    )


def _better(item: Point, other: Point) -> bool:
    """Return whether a point is at least as good as another in both, and better in one."""
    less = item.bits <= other.bits and item.loss <= other.loss
    return less and (item.bits, item.loss) != (other.bits, other.loss)


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
        stage: Stage = no_progress,
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


AGENTS = ("random", "greedy", "gain", "expectimax")
NETWORKS = ("net", "learned")
BEST = "best"  # of the tie rules
TIE_RULES = (*TIES, BEST)
GAMES = 4000
FEW_STATES = 1_000_000  # up to which points are exact by default
LEAST_GAMES, MOST_GAMES = 2, 100_000_000
MOST_SEED = 2**63 - 3


@dataclass(frozen=True)
class Bits(Result, function="bits"):
    """The strategy-complexity curve of a rule set.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.learning import bits
    >>> found = bits(urcx.ruleset("finkel", pieces=1), agents="greedy", table_bits=[2])
    >>> [(point.kind, point.bits) for point in found.points][:2]
    [('rule', 0), ('uniform', 434)]
    """

    schema = "urcx.bits/1"
    lists = ("points",)
    parts: ClassVar = {"rows": POINTS}
    rules: GameRules
    points: Annotated[tuple[Point, ...], "fewest bits first"]
    states: Annotated[int, Field("", COUNT, "unfinished mover views, as tables have them")]
    sample: Annotated[int, Field(about="games of each estimate, 0 if all is exact", key="games")]
    seed: Annotated[int, Field(about="the seed")]
    bound: Annotated[float, Field(about="by how much values of the solution may be off")]
    notes: Annotated[tuple[str, ...], "on what was computed"] = ()

    def tables(self) -> list[Table]:
        """Return a row for each player."""
        notes = [
            (
                "bits: of the player's data, without headers and checksums; programs are not "
                "counted, so a rule has 0"
            ),
            (
                "loss: what the chance of winning against perfect play lacks to 50 %; each side "
                "begins in half of the games"
            ),
            "*: no other row takes as few bits and loses as little",
        ]
        if any(point.entropy is not None for point in self.points):
            notes.append(
                (
                    f"tables: a code for each of {self.states:,} states; the move to the highest "
                    "code, among equals by the tie rule"
                ),
            )
        if any(point.kind == "network" for point in self.points):
            notes.append(
                "networks: 16 bits a weight, before their files are compressed; chances of "
                "captures that they see are computed by the program; distilled: taught by the "
                "solution, self-play: from games against itself alone"
            )
        if self.sample:
            notes.append(
                f"estimates with 95 % intervals, from what moves lose in {self.sample:,} games; "
                "no interval: exact, or no loss was seen"
            )
        if self.bound > COARSE:
            notes.insert(
                0,
                f"values of the solution are off by at most {bound_text(self.bound)}, a "
                f"move's loss "
                "by twice that: smaller differences between moves are not resolved",
            )
        best = [point for point in self.points if point.frontier or point.entropy is None]
        tables = [POINTS.table("", best, notes)]
        if len(best) < len(self.points):
            tables.append(POINTS.table("All tables of few bits", self.points))
        return tables

    def figure(self) -> Drawing:
        """Return the figure of the curve, as `urcx.figure` does."""
        from urcx.contrib.learning.bits_plot import bits_figure

        return bits_figure(self)

    @property
    def answer(self) -> str:
        """Return in how many bits perfect play was found, and what no bits give away."""
        best = min(self.points, key=lambda point: (point.loss, point.bits))
        least = min(self.points, key=lambda point: (point.bits, point.loss))
        how = f"estimated in {count_text(self.sample, 'game')}" if self.sample else "exact"
        loses = f"loses {best.loss:.2e}" if best.loss else "loses nothing"
        text = f"{self.rules.with_pieces}: {best.name} {loses} with {number(best.bits)} bits"
        if least.bits < best.bits:
            text += f", {least.name} {least.loss:.2e} with {number(least.bits)}"
        return f"{text} ({how})"


def bits(  # noqa: PLR0913 - what else but rules is said by name
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
    """Return how many bits players take, and how well they play.

    Parameters
    ----------
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides. By
        default the tablebase's, else ``finkel``.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    agents
        Rules without data, or networks.
    networks
        Files of networks; that which comes with urcx for the rule set is always there.
    play_files
        Files of exact play.
    table_bits
        Bits a state of quantised tables, from 1 to 16 each; each is divided in three ways:
        evenly, best for values, best for decisions.
    ties
        Which of the moves that lead to equal codes these play: ``first``, ``last``, ``random``, or
        ``best``, the one of these that is strongest in games played beforehand.
    exact
        Whether chances of winning are computed over all games, or estimated by what moves lose in
        some; by default exact for small rule sets.
    games, seed
        Of each estimate, from 2 to 100,000,000, and from 0.
    threads
        By default as many as there are cores.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Bits

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is one of the user's, or perfect play itself.
    UnknownNameError
        If there is no such tie rule.
    OutOfDomainError
        If the path has no layers.
    UnusableFileError, TablebaseError
        If a file cannot be read, is damaged, or is of another game.
    TooLargeError
        If there is no tablebase and the rule set is too large, or memory does not suffice.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.learning import bits
    >>> short = urcx.ruleset("finkel", pieces=1)
    >>> found = bits(short, agents="random", table_bits=[4])
    >>> [(point.kind, point.bits_a_state) for point in found.points]
    [('rule', 0.0), ('uniform', 4.0), ('table', 64.0)]
    """
    check_functions(stage=stage)
    check_booleans(exact=False if exact is None else exact)
    chosen = rule_sources(rules, tablebase=tablebase).decided()
    LayerOrder(chosen)  # raises
    if isinstance(table_bits, str | bytes) or not isinstance(table_bits, Iterable):
        raise WrongObjectError("table_bits", int, table_bits, "a list of numbers")
    widths = [_within("table_bits", width, 1, MOST_BITS) for width in table_bits]
    check_name("tie rule", ties, TIE_RULES)
    games = _within("games", games, LEAST_GAMES, MOST_GAMES)
    seed = _within("seed", seed, 0, MOST_SEED)
    players = players_of(agents, networks, chosen)
    threads = chosen_threads(threads)
    exact = small(chosen) if exact is None else exact
    policies = Policies(chosen, ALL_STATES if exact else games, threads=threads, stage=stage)
    with contextlib.ExitStack() as stack:
        plays = [stack.enter_context(PlayFile(file)) for file in as_paths(play_files)]
        for play in plays:
            play.check_rules(chosen)
        flow = LossFlow(chosen, tablebase, threads, stage, stack)
        perfect = _perfect(flow)
        judge = Judge(
            chosen, perfect, flow.solution, exact=exact, games=games, seed=seed, threads=threads,
            stage=stage,
        )  # fmt: skip
        points = [_point(player, policies, judge) for player in players]
        rule = None if ties == BEST else TIES.index(ties)
        points += _coded(judge, widths, rule)
        states = len(perfect.values)
        whole = 8 * perfect.values.itemsize * states
        sizes = [("play", str(play.file), 8 * play.data_size) for play in plays]
        for held in (*sizes, ("table", "solution", whole)):
            points.append(Point(*held, states, HALF, 0.0, "exact", "first"))
    return Bits(
        chosen,
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
    found = judge.judged(policies.of(player))
    return Point(kind, player.name, size, judge.states, *found, player.ties, origin)


def _coded(judge: Judge, widths: Sequence[int], ties: int | None) -> list[Point]:
    """Return the points of quantised tables; the best tie rule of each if ``ties`` is None."""
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


def _within(what: str, value: int, least: int, most: int) -> int:
    number = catalogue.as_integer(what, value)
    if not least <= number <= most:
        raise UsageError(f"{what} {number:,}: it is from {least} to {most:,}")
    return number


def players_of(
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
    networks: str | Path | Sequence[str | Path],
    rules: RuleSet,
) -> list[Agent]:
    """Return the rules without data and the networks, that which comes with urcx among them.

    Raises
    ------
    UsageError
        If there is no such agent, one is the user's own, or one is perfect play.
    """
    known = [*as_several(agents), *(["learned"] if has_shipped(rules) else [])]
    found = [agent(one) for one in known] + [agent(f"net:{file}") for file in as_paths(networks)]
    for player in found:
        if player.is_own:
            raise UsageError(f"agent {player.name} is one of yours: its bits cannot be counted")
        if player.base is not None:
            raise UsageError(
                f"agent {player.name} makes mistakes: its bits are those of {player.base.name}"
            )
        if player.kind == "optimal":
            raise UsageError(
                f"agent {player.name}: the solution is always there, as the last point"
            )
    return list(dict.fromkeys(found))


def _perfect(flow: LossFlow) -> TablePolicy:
    """Return perfect play as a policy, with values as they are stored."""
    if isinstance(flow.solution, MemoryStore):
        layers = flow.solution.layers
        width = tie_width(flow.gap)
        return table_policy(flow.order, lambda layer: layers[layer][0], FIRST, 1.0, width)
    by_file: TablePolicy = flow.policies.of(Agent("optimal", "first", table=str(flow.source)))
    return by_file

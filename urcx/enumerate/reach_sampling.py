"""Reachability by sampling: a search back to the start from states drawn at random.

The method is for state spaces that are too large for the exhaustive search of
`urcx.enumerate.reach`. The states are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from typing import Annotated, Any, ClassVar

from urcx.complexity.game_tree import wilson
from urcx.engine.chunks import map_chunks, split_range
from urcx.engine.moves import after_pass, legal_moves
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.rankings.ranking import TileRanking
from urcx.enumerate.reach import closed_forms
from urcx.errors import PositionError, UsageError
from urcx.results.fields import COUNT, Field, Format
from urcx.results.numbers import number, percent_text
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import Dice, GameRules, RuleSet
from urcx.rules.position import Position

SEARCH_LIMIT = 20_000  # states that a backward search may visit
WHOLE = 1e7  # estimates below have all digits, others five
DRAWN = Format(number)
SHARE = Format(percent_text, none="-")
SHARES = Format(lambda ends: " to ".join(map(percent_text, ends)))
STATES = Format(lambda ends: " to ".join(f"{n:,.0f}" if n < WHOLE else f"{n:.5g}" for n in ends))


@dataclass(frozen=True)
class SampledReach(Result):
    """Reachability of states drawn at random, uniformly and independently, from ``closed_form``.

    ``undecided`` counts abandoned searches. If it is 0, ``reached / samples`` is an unbiased
    estimate of the share of reachable states. Otherwise ``reached / samples`` estimates a lower
    bound and ``(reached + undecided) / samples`` an upper bound.
    """

    schema = "urcx.reach-estimate/1"
    rules: GameRules
    convention: Annotated[str, Field(about="the kind of states: mover-view or positions")]
    exactness: ClassVar[Annotated[str, Field(about="exactness of the share")]] = "estimate"
    closed_form: Annotated[int, Field("unfinished states", COUNT, "all unfinished states")]
    samples: Annotated[int, Field("drawn at random", DRAWN, "number of states drawn at random")]
    seed: Annotated[int, Field(about="the seed")]
    reached: Annotated[int, Field("reachable", DRAWN, "sampled states that can be reached")]
    unreachable: Annotated[
        int, Field("unreachable", DRAWN, "sampled states that cannot be reached")
    ]
    undecided: Annotated[
        int, Field("undecided", DRAWN, "sampled states whose search was abandoned")
    ]

    @property
    @Field(about="name of the dice", of="name", after="rules")
    def dice(self) -> Dice:
        """Return the dice."""
        return self.rules.dice

    @property
    @Field(
        "share reachable",
        SHARE,
        "share of sampled states that can be reached, null if some are undecided (estimate)",
    )
    def share(self) -> float | None:
        """The share of sampled states that can be reached, or None if some are undecided."""
        return None if self.undecided else self.reached / self.samples

    @property
    @Field(
        "95 % interval",
        SHARES,
        "95 % interval of the share, with undecided states counted both ways",
    )
    def interval(self) -> list[float]:
        """The ends of the share's 95 % interval (Wilson's), undecided states counted both ways."""
        least = wilson(self.reached, self.samples)
        most = wilson(self.reached + self.undecided, self.samples)
        return [min(least), max(most)]

    @property
    @Field(about="number of reachable unfinished states (estimate)")
    def states(self) -> float | None:
        """The estimated number of reachable states, or None if some are undecided."""
        return None if self.share is None else self.share * self.closed_form

    @property
    @Field("states reachable", STATES, "95 % interval of the number of reachable states")
    def states_interval(self) -> list[float]:
        """The ends of the 95 % interval of the number of reachable states."""
        return [end * self.closed_form for end in self.interval]

    @property
    def legend(self) -> list[str]:
        """Return the note on the interval."""
        return [f"seed {self.seed}; Wilson's interval, with undecided states counted both ways"]

    def records(self) -> list[dict[str, Any]]:
        """Return the only row of CSV, with the ends of the interval."""
        ends = dict(zip(("low", "high"), self.interval, strict=True))
        return [{k: v for k, v in self.document().items() if not k.endswith("interval")} | ends]

    @property
    def answer(self) -> str:
        """Return the sentence on the share of reachable states, with its interval."""
        low, high = self.interval
        ends = f"{percent_text(low)} to {percent_text(high)}"
        share = ends if self.share is None else percent_text(self.share)
        sampled = f"{number(self.samples)} drawn, {number(self.undecided)} undecided"
        return (
            f"{self.rules.with_pieces}: {share} of {number(self.closed_form)} unfinished states "
            f"can be reached from the start (95 % interval {ends}; {sampled})"
        )


def estimate(
    rules: str | RuleSet,
    samples: int,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> SampledReach:
    """Estimate the share of unfinished states that can be reached from the start, by sampling.

    A backward search looks for the start from each sampled state. The state is unreachable if the
    search exhausts its predecessors.

    Parameters
    ----------
    rules
        A rule set or its name.
    samples
        Number of states, at least 1.
    seed
        Seed of the random numbers, at least 0.
    executor
        An executor that runs the searches, by default this process. States are drawn in this
        process, so the result does not depend on the executor.
    stage
        A function that is called as the search begins.

    Raises
    ------
    UsageError
        If the number of samples is less than 1.
    TooLargeError
        If the path has too many steps.
    UrcxError
        If the executor's workers fail, or have another version of urcx.
    """
    samples, seed = catalogue.as_integer("samples", samples), catalogue.as_seed(seed)
    if samples < 1:
        raise UsageError(f"samples {samples}: must be at least 1")
    rules = catalogue.ruleset(rules)
    turned = rules.path.symmetric
    order = TileRanking(rules.path, rules.pieces, None, "diagrams" if turned else "positions")
    drawn = (p for p in order.sample(None, seed) if rules.pieces not in p.home)
    update = stage("searching back", samples, "states")
    answers: Counter[bool | None] = Counter()
    numbers = split_range(samples)

    def cut(size: int) -> tuple[list[Position]] | None:
        chunk = numbers(size)
        return None if chunk is None else (list(islice(drawn, chunk[1] - chunk[0])),)

    map_chunks(
        _Searches(rules),
        cut,
        lambda part, _: answers.update(part),
        executor=executor,
        total=samples,
        tick=lambda: update(answers.total()),
    )
    return SampledReach(
        rules,
        "mover-view" if turned else "positions",
        closed_forms(rules)[0],
        samples,
        seed,
        answers[True],
        answers[False],
        answers[None],
    )


@dataclass(frozen=True)
class _Searches:
    """A search back from positions. It returns the number of each answer."""

    rules: RuleSet

    def __call__(self, positions: list[Position]) -> Counter[bool | None]:
        return Counter(reachable(position, self.rules) for position in positions)


def reachable(position: Position, rules: RuleSet, limit: int = SEARCH_LIMIT) -> bool | None:
    """Return whether an unfinished position is reachable, or None if ``limit`` is too low.

    If both sides have the same path, a position also counts as reachable if it can be reached with
    the players exchanged. The search explores states closest to the start first. The move generator
    verifies each predecessor.
    """
    start, goal = Position(), _view(position, rules)
    seen: set[Position] = set()
    # (progress, candidate predecessor, its successor (itself for the root), the roll between them)
    heap: list[tuple[int, Position, Position, int]] = [(0, goal, goal, -1)]
    while heap:
        _, at, child, roll = heappop(heap)
        if at in seen or (roll >= 0 and not _leads(at, child, roll, rules)):
            continue
        if at == start:
            return True
        seen.add(at)
        if len(seen) > limit:
            return None
        for before, by in _before(at, rules):
            heappush(heap, (_progress(before, rules), before, at, by))
    return False


def _view(position: Position, rules: RuleSet) -> Position:
    """Return the position as a state: its canonical view if both sides have the same path."""
    turn = rules.path.symmetric and not position.light_to_move
    return position.turned() if turn else position


def _progress(position: Position, rules: RuleSet) -> int:
    """Return the number of steps that all pieces of both sides have moved."""
    home = (len(way) + 1 for way in (rules.path.light, rules.path.dark))
    gone = sum(n * steps for n, steps in zip(position.home, home, strict=True))
    return gone + sum(position.light) + sum(position.dark)


def _leads(position: Position, child: Position, roll: int, rules: RuleSet) -> bool:
    """Return whether a position is legal, unfinished and has the child as a successor."""
    try:
        moves = legal_moves(position, roll, rules)
    except PositionError:  # finished, two pieces on a tile or too many: never occurs in a game
        return False
    after = [move.position for move in moves] or [after_pass(position)]
    return any(_view(each, rules) == child for each in after)


def _before(position: Position, rules: RuleSet) -> Iterator[tuple[Position, int]]:
    """Yield candidate predecessors with their rolls, for `_leads` to verify."""
    ways = rules.path.light, rules.path.dark
    steps = position.light, position.dark
    for side in (0, 1):
        length = len(ways[side])
        if (side == 0) != position.light_to_move:
            passed = Position(*steps, position.home, side == 0)
            yield from ((_view(passed, rules), roll) for roll in rules.dice.rolls)
        ends = [*steps[side], *([length + 1] if position.home[side] else [])]
        for end in ends:
            tile = ways[side][end - 1] if end <= length else ""
            enemy = ways[1 - side]
            captured = [()] + [(s,) for s, at in enumerate(enemy, start=1) if at == tile]
            for roll in rules.dice.rolls:
                if not 0 < roll <= end:
                    continue
                left = {step for step in steps[side] if step != end}
                if end - roll in left:
                    continue
                own_steps = tuple(sorted(left | ({end - roll} - {0})))
                homes = [*position.home]
                homes[side] -= end > length
                for returned in captured:
                    other_steps = tuple(sorted((*steps[1 - side], *returned)))
                    both = (own_steps, other_steps) if side == 0 else (other_steps, own_steps)
                    before = Position(both[0], both[1], (homes[0], homes[1]), side == 0)
                    yield _view(before, rules), roll

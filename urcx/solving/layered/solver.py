"""Value iteration with a certificate: what every position is worth under perfect play.

Operator. In mover view, V(s) = sum_r P(r) max_a +-V(s after a), plus where the mover rolls again
and minus where the turn passes; -1 a lost and +1 a won game, so that (1 + V) / 2 is the chance of
winning. Values are 64-bit floats.

Order. Pieces home never leave it. Layers (i, j) of pieces home of the mover and the other are
solved from the end of the game, (i, j) together with (j, i), each from the layers with one piece
more home. Within a pair, states are renewed in place, both layers by turns and patterns with the
greatest sum of steps first; every few sweeps the iterates are combined by reduced rank
extrapolation (R. P. Eddy, 1979).

Stopping rule. A pair is swept until no value changes by more than a hundredth of its share of the
tolerance, or than rounding allows (`LAST_CHANGE`).

Certificate. From the values found, an upper and a lower sequence are started: they are swept with
``margin`` added and subtracted, and all that the pair leads to widened by the gap of the layers
before. Let o be the most that any value moved outwards in a sweep of both, upper ones up and lower
ones down. Once o <= margin - rounding, where rounding bounds the error of one evaluation of the
operator, the true operator maps the upper sequence's values to values no greater, and the lower
ones' to none smaller: since a value was read, it has moved outwards by no more than o. As the
operator is monotone, its fixed point lies between the two. It is the value of the game, and the
only fixed point, if the game ends with probability 1 whatever is played, which the mathematics in
the documentation prove for dice that show 0, 1 and 2, where no path is crossed twice and no two
protected tiles follow each other. The widest distance of either sequence from the values stored is
the layer's gap; it holds for the exact game with the dice's probabilities as 64-bit floats (exact
for dice of two sides).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from urcx.engine.compiling import clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.errors import UrcxError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered import kernels as layer_kernels
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import NO_CHANGE, PARTS, Changes, LayerPair, Source, Values

SPAN = 5  # sweeps between extrapolations
NARROW_AT = 1e-3  # the largest change from which on sweeps are narrowed, and
NARROWER = 1e4  # how many times smaller it is when that is done anew
WITHIN = 10.0  # times the largest change: what a move may be worth less than the best, to be kept
LAST_CHANGE = 1e-15  # of a value, on the scale from -1 to 1, that rounding still allows
LEAST_MARGIN = 2.5  # times the rounding of one evaluation
SMALL_NUMBER = 1e-9
FIRST_EXCESS = 30.0  # sweeps; fewer or more only take longer
SMALL_RISE = 0.5  # of the margin, in the last sweep for the excess; see `_certify`
SHARE = 0.95  # of the tolerance, that margins use; the rest is for rounding and last changes
MOST_SWEEPS = 20_000
HALF_WAY = 40  # sweeps, for progress
MOST_EXCESS_SWEEPS = 300
# For the estimate of memory: of all moves and of narrowed sweeps, and bytes.
OPS_A_ROW, OPS_KEPT, HUGE_PAGE = 20, 12, 1 << 21
MIN_TOLERANCE, MAX_TOLERANCE = 1e-13, 1e-2

BLOCK_OF_STATES = 1 << 14  # that extrapolation takes at a time


@dataclass(frozen=True)
class LayerReport:
    """How one layer was solved: what it took, and how far its values can be from the truth.

    ``gap`` is on the scale of winning chances. ``seconds`` and ``sweeps`` are those of the pair.
    """

    layer: Layer
    states: int
    sweeps: int
    certifying: int
    seconds: float
    gap: float


class Store(Source, Protocol):
    """Where solved layers go as well."""

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap."""


class MemoryStore:
    """Layers in memory; those that nothing depends on any more are dropped unless ``keep``."""

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self.layers: dict[Layer, tuple[Values, float]] = {}

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if it is not there."""
        return self.layers.get(layer)

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap."""
        self.layers[layer] = values, gap
        if not self.keep:
            for other in [k for k in self.layers if sum(k) > sum(layer) + 1]:
                del self.layers[other]


@dataclass(frozen=True)
class Solved:
    """A solved rule set.

    ``opening`` is the chance that the player who begins wins, between ``lower`` and ``upper``;
    ``gap`` is the widest of all states' on either side. ``states`` are mover views, finished ones
    left out; ``updates`` how often one was renewed.
    """

    rules: RuleSet
    opening: float
    lower: float
    upper: float
    gap: float
    states: int
    sweeps: int
    updates: int
    seconds: float
    layers: tuple[LayerReport, ...]

    @property
    def updates_per_second(self) -> float:
        """How many states were renewed a second; 0 if that took no time."""
        return self.updates / self.seconds if self.seconds else 0.0


def check_tolerance(tolerance: float) -> None:
    """Raise `UsageError` if a tolerance is not from `MIN_TOLERANCE` to `MAX_TOLERANCE`."""
    if not MIN_TOLERANCE <= tolerance <= MAX_TOLERANCE:
        raise UsageError(
            f"tolerance {tolerance:g} is not from {MIN_TOLERANCE:g} to {MAX_TOLERANCE:g}"
        )


def solve_layers(
    rules: RuleSet,
    store: Store,
    *,
    tolerance: float = 1e-12,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    start: Source | None = None,
) -> Solved:
    """Solve a rule set whose path is crossed once and alike for both sides.

    Parameters
    ----------
    rules
        The rule set.
    store
        Where layers go as they are solved; those it has already are not solved again.
    tolerance
        How far apart the lower and upper bound of any winning chance may be.
    threads
        By default as many as there are cores. Values differ in their last bits from run to run if
        there are several; the bounds hold for each.
    progress
        Called with the number of states solved.
    start
        Values of all layers to begin with. What is found and proven does not depend on them, but
        good ones save sweeps.

    Raises
    ------
    UsageError
        If the tolerance is not from `MIN_TOLERANCE` to `MAX_TOLERANCE`.
    OutOfDomainError
        If the order is not defined for the path.
    TooLargeError
        If there is not enough memory.
    UrcxError
        If the bounds do not meet.
    """
    check_tolerance(tolerance)
    order = LayerOrder(rules)
    threads = chosen_threads(threads)
    check_memory(memory_needed(order), f"solving {rules.name}", "take fewer pieces with -p")
    began = clock()
    reports: list[LayerReport] = []
    done = 0
    for layers in order.pairs:
        if any(store.get(layer) is None for layer in layers):
            size = sum(order.size(layer) for layer in layers)
            swept = sweeps_as_states(progress, done, size)
            reports += solve_pair(order, layers, store, tolerance, threads, start, swept=swept)
        done += sum(order.size(layer) for layer in layers)
        if progress:
            progress(done)
    found = store.get((0, 0))
    assert found is not None  # noqa: S101 - the last layer
    opening = float(found[0][order.place(Position())[1]])
    return Solved(
        rules,
        opening,
        opening - found[1],
        opening + found[1],
        found[1],  # what it leads to counts in, so no layer's is wider
        sum(order.size(layer) for layer in order.layers),
        max((r.sweeps + r.certifying for r in reports), default=0),
        sum(r.states * (r.sweeps + r.certifying) for r in reports),
        clock() - began,
        tuple(reports),
    )


def sweeps_as_states(
    progress: Callable[[int], None] | None, done: int, states: int
) -> Callable[[], None]:
    """Return what to call after each sweep over states, so that a bar moves in large layers.

    How many sweeps there will be is not known: after `HALF_WAY` of them half of the states count as
    done, and so on, ever slower, until the layers are.
    """
    sweeps = 0

    def swept() -> None:
        nonlocal sweeps
        sweeps += 1
        if progress:
            progress(done + int(states * sweeps / (sweeps + HALF_WAY)))

    return swept


def solve_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    store: Store,
    tolerance: float,
    threads: int,
    start: Source | None = None,
    *,
    swept: Callable[[], None] = lambda: None,
) -> list[LayerReport]:
    """Solve two layers whose later ones are in the store, and put them there."""
    began = clock()
    pair = LayerPair(order, layers, threads)
    pair.swept = swept
    values = pair.fill(store)
    if start is not None:
        pair.take(start, values)
    # On the scale from -1 to 1, and for the distance to one side, that is tolerance over layers.
    allowed = SHARE * tolerance / (2 * order.rules.pieces - 1)
    change_allowed = max(LAST_CHANGE, allowed / 100)
    sweeps = _converge(pair, values, change_allowed)
    found = values[: pair.states + LANES].copy()  # a few more, as `sweep` asks for
    excess, raising = _excess(pair, found, values, change_allowed)
    del values  # makes room for the bounds
    found = found[: pair.states]
    gap, certifying = _certify(pair, store, found, excess, allowed)
    certifying += raising
    seconds = clock() - began
    reports = []
    for layer in layers:
        size = order.size(layer)
        at = pair.at["V", layer]
        store.put(layer, (1.0 + found[at : at + size]) / 2.0, gap / 2.0)
        reports.append(LayerReport(layer, size, sweeps, certifying, seconds, gap / 2.0))
    return reports


def _converge(pair: LayerPair, values: Values, change_allowed: float) -> int:
    """Sweep until no value changes by more than allowed; return the number of sweeps.

    Once values have come near, most sweeps compare only the moves that look best in some state.
    The last one compares all.
    """
    n = pair.states
    changes = np.empty((SPAN, n), np.float32)
    narrowed = False
    narrow_at = NARROW_AT
    for sweep in range(1, MOST_SWEEPS + 1):
        kept = (sweep - 1) % (SPAN + 1)  # the first sweep after an extrapolation is left out
        change = changes[kept - 1] if kept else NO_CHANGE
        moved = max(pair.sweep(values, values, change=change, narrowed=narrowed))
        if moved <= change_allowed:
            if not narrowed:
                return sweep
            narrowed = False
        elif moved <= narrow_at:
            pair.narrow(values, WITHIN * moved)
            narrowed = True
            narrow_at = moved / NARROWER
        if kept == SPAN:
            _extrapolate(changes, values[:n], 1.0, pair.threads)
            pair.renew_turned(values)
    raise UrcxError(f"no end after {MOST_SWEEPS} sweeps of layer {pair.layers[0]}")


def _extrapolate(changes: Changes, values: Values, largest: float, threads: int) -> None:
    """Move the values to the combination of the last iterates that should change least.

    With iterates x_1 .. x_q, of which x_q is in ``values``, and changes u_k = x_k - x_(k - 1), the
    combination is sum_k c_k x_k, the c_k adding up to 1 and minimising |sum_k c_k u_k|. What comes
    out beyond ``largest`` is cut off there.
    """
    grams = []

    def multiply(_: int, first: int, last: int) -> None:
        part = np.empty((len(changes), len(changes)))
        layer_kernels.gram(changes, first, last, part)
        grams.append(part)

    for_chunks(len(values), BLOCK_OF_STATES, multiply, threads)
    gram = np.sum(grams, axis=0)
    size = float(np.trace(gram))
    if size == 0.0:
        return
    try:
        c = np.linalg.solve(gram / size + 1e-14 * np.eye(len(changes)), np.ones(len(changes)))
    except np.linalg.LinAlgError:
        return
    if not np.isfinite(c).all() or c.sum() == 0.0:
        return
    c /= c.sum()
    # x_k is x_q less the changes after it.
    factors = -np.array([c[:k].sum() for k in range(1, len(c))])

    def combine(_: int, first: int, last: int) -> None:
        layer_kernels.combine(changes[1:], factors, largest, first, last, values)

    for_chunks(len(values), BLOCK_OF_STATES, combine, threads)


def _excess(
    pair: LayerPair, values: Values, raised: Values, change_allowed: float
) -> tuple[Values, int]:
    """Return by how much the bounds exceed values for a margin of 1, and how many sweeps that took.

    It is what adding a small number to every value in every sweep raises them by, over that number:
    about how many sweeps a game stays in the pair. The number is small enough not to change which
    moves are best, but for ties, and large beside what the values still change by. It is a start
    for the bounds, and need not be accurate: where it is too great, the bounds close in, and only
    where it rises further they would widen. ``raised`` is the array that the values come from,
    which is used up.
    """
    n = pair.states
    number = max(SMALL_NUMBER, 1000.0 * change_allowed)
    changes = np.empty((SPAN, n), np.float32)
    raised[:n] += FIRST_EXCESS * number
    pair.turn_raised(values, raised)
    for sweep in range(1, MOST_EXCESS_SWEEPS + 1):
        kept = (sweep - 1) % (SPAN + 1)
        change = changes[kept - 1] if kept else NO_CHANGE
        rise, _ = pair.sweep(raised, raised, number, change, values, narrowed=True)
        if rise <= SMALL_RISE * number:
            break
        if kept == SPAN:
            _extrapolate(changes, raised[:n], 2.0, pair.threads)
            raised[:n] -= number
            np.maximum(raised[:n], values[:n], out=raised[:n])
            raised[:n] += number
            pair.turn_raised(values, raised)
    excess = raised[:n] - values[:n]
    excess /= number
    return excess, sweep


def _certify(
    pair: LayerPair, store: Store, values: Values, excess: Values, allowed: float
) -> tuple[float, int]:
    """Return how far values can be from the truth, and how many sweeps it took to know.

    ``excess`` is used up. ``allowed`` is how far values may be from the truth beyond the gaps of
    the layers before.
    """
    n = pair.states
    rounding = rounding_of(pair.order.tables.chance)
    margin = max(LEAST_MARGIN * rounding, allowed / max(1.0, float(excess.max())))
    before = pair.gap(store)
    excess *= margin
    excess += before
    upper, lower = pair.fill(store, before), pair.fill(store, -before)
    np.add(values, excess, out=upper[:n])
    np.subtract(values, excess, out=lower[:n])
    pair.renew_turned(upper, lower)
    for sweep in range(1, MOST_SWEEPS + 1):
        rise, _ = pair.sweep(upper, lower, margin)
        _, fall = pair.sweep(lower, upper, -margin)
        if max(rise, fall) <= margin - rounding:
            np.subtract(upper[:n], values, out=excess)
            above = float(excess.max())
            np.subtract(values, lower[:n], out=excess)
            # Twice what storing a chance of winning rounds away at most.
            return max(above, float(excess.max())) + 2.0**-53, 2 * sweep
    raise UrcxError(f"the bounds of layer {pair.layers[0]} do not meet")


def rounding_of(chance: Values) -> float:
    """Return how far one evaluation of the operator can be from the truth, for values up to 1.

    With u the relative rounding of an operation: the products, whose sizes add up to no more than
    1, are off by u together, and the sum that each is added to, by u times its size, no more than
    the probabilities added so far. A hundredth more covers values that exceed 1 by a gap, and what
    is added to every value.
    """
    return float(1.01 * (1.0 + np.cumsum(chance).sum()) * 2.0**-53)


def memory_needed(order: LayerOrder) -> int:
    """Return the bytes that solving takes at most, solved layers that are needed included."""
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        beyond = sum(order.size((i + 1, j)) for i, j in layers if i + 1 < pieces)
        rows = sum(_rows(order, layer) for layer in layers)
        movable = min(max(pieces - i for i, _ in layers), order.rules.path.length + 1)
        most_ops = len(order.tables.rolls) * (1 + movable)
        # Each part of a program begins on a page of its own.
        programs = 8 * rows + min(
            4 * rows * (OPS_A_ROW + OPS_KEPT) + 2 * PARTS * chosen_threads(None) * HUGE_PAGE,
            2 * 4 * rows * most_ops,
        )
        one = 8 * (2 * states + beyond)
        kept = 8 * 2 * beyond
        finding = one + 4 * SPAN * states + 8 * states
        most = max(most, programs + kept + max(finding, 2 * one + 2 * 8 * states))
    tables = 8 * order.patterns * (len(order.layers) + 10)
    return int(most + tables) + 260_000_000


def _rows(order: LayerOrder, layer: Layer) -> int:
    here = order.offsets(layer)
    patterns = np.flatnonzero(here >= 0)
    return int(order.width[order.rules.pieces - layer[0] - order.on_lane[0][patterns]].sum())

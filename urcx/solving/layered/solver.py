"""Value iteration with certified error bounds: the value of every position under perfect play.

Operator. In mover view, V(s) = sum_r P(r) max_a +-V(s after a), plus after an extra roll and minus
if the turn passes; -1 is a lost and +1 a won game, so that (1 + V) / 2 is the winning probability.
Values are 64-bit floats.

Order. Pieces home stay there. Layers (i, j), with i of the mover's and j of the other's pieces
home, are solved from the end of the game, (i, j) together with (j, i), using the layers with one
more piece home. Within a pair, in-place value iteration alternates between the layers and takes
patterns with the greatest sum of steps first; every few sweeps the iterates are combined by reduced
rank extrapolation (R. P. Eddy, 1979).

Stopping rule. A pair is swept until no value changes by more than a hundredth of the pair's share
of the tolerance, or than rounding causes (`LAST_CHANGE`).

Certificate. An upper and a lower sequence start from the values found. They are swept with
``margin`` added and subtracted, and with the values of later layers widened by their gaps. Let o be
the most that any value moves outwards in a sweep of both: upper values up, lower values down. Once
o <= margin - rounding, where rounding bounds the error of one evaluation of the operator, the exact
operator maps the upper values to values no greater and the lower values to values no smaller,
because no value has moved outwards by more than o since it was read. As the operator is monotone,
its fixed point lies between the two. That fixed point is unique, and is the value of the game, if
the game ends with probability 1 however it is played. The documentation proves this for dice that
can show 0, 1 and 2 on paths crossed once without two adjacent protected tiles. The greatest
distance of either sequence from the stored values is the layer's gap, its error bound; it holds for
the exact game with the probabilities of the dice as 64-bit floats (which are exact for binary
dice).
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
from urcx.rules.catalogue import real
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered import kernels as layer_kernels
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import NO_CHANGE, PARTS, Changes, LayerPair, LayerSource, Values

SPAN = 5  # sweeps between extrapolations
NARROW_AT = 1e-3  # sweeps are narrowed once the largest change is below this,
NARROWER = 1e4  # and the moves selected again once it is smaller by this factor
WITHIN = 10.0  # times the largest change: moves this close to the best are kept
LAST_CHANGE = 1e-15  # change of a value, on the scale from -1 to 1, that rounding can cause
LEAST_MARGIN = 2.5  # times the rounding of one evaluation
SMALL_NUMBER = 1e-9
FIRST_EXCESS = 30.0  # sweeps; other numbers only take longer
SMALL_RISE = 0.5  # of the margin, in the last sweep for the excess; see `_excess`
SHARE = 0.95  # of the tolerance, for margins; the rest is for rounding and last changes
MOST_SWEEPS = 20_000
HALF_WAY = 40  # sweeps, for the progress bar
MOST_EXCESS_SWEEPS = 300
# For the memory estimate: ops per row of all moves and of narrowed sweeps, and bytes.
OPS_A_ROW, OPS_KEPT, HUGE_PAGE = 20, 12, 1 << 21
MIN_TOLERANCE, MAX_TOLERANCE = 1e-13, 1e-2

BLOCK_OF_STATES = 1 << 14  # that extrapolation processes at a time


@dataclass(frozen=True)
class LayerReport:
    """How one layer was solved: its cost, and the error bound of its values.

    ``gap`` is on the scale of winning probabilities. ``seconds`` and ``sweeps`` are those of the
    pair.
    """

    layer: Layer
    states: int
    sweeps: int
    certifying: int
    seconds: float
    gap: float


class Store(LayerSource, Protocol):
    """A source of solved layers that also stores them."""

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap."""


class MemoryStore:
    """Layers in memory; unless ``keep``, those no longer needed are dropped."""

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

    ``opening`` is the probability that the player who begins wins, with the bounds ``lower`` and
    ``upper``; ``gap`` is the error bound of all states. ``states`` counts unfinished mover views;
    ``updates`` counts evaluations of the operator.
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
    tolerance = real("tolerance", tolerance)
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
    start: LayerSource | None = None,
) -> Solved:
    """Solve a rule set whose path is crossed once and alike for both sides.

    Parameters
    ----------
    rules
        The rule set.
    store
        Receives the layers as they are solved; layers it already has are not solved again.
    tolerance
        The greatest allowed distance between the lower and upper bound of a winning probability.
    threads
        By default one for each core. With several threads, the last bits of the values differ from
        run to run; the bounds hold for each run.
    progress
        Called with the number of states solved so far.
    start
        Initial values of all layers. The result and its proof do not depend on them, but good ones
        save sweeps.

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
    return summed_up(order, store, reports, clock() - began)


def summed_up(
    order: LayerOrder, store: Store, reports: list[LayerReport], seconds: float
) -> Solved:
    """Return what is known of a rule set once all its layers are in a store."""
    found = store.get((0, 0))
    assert found is not None  # noqa: S101 - the last layer
    opening = float(found[0][order.place(Position())[1]])
    return Solved(
        order.rules,
        opening,
        opening - found[1],
        opening + found[1],
        found[1],  # includes the gaps of later layers, so it is the widest
        sum(order.size(layer) for layer in order.layers),
        max((r.sweeps + r.certifying for r in reports), default=0),
        sum(r.states * (r.sweeps + r.certifying) for r in reports),
        seconds,
        tuple(reports),
    )


def sweeps_as_states(
    progress: Callable[[int], None] | None, done: int, states: int
) -> Callable[[], None]:
    """Return a callback for each sweep over states, so that the bar moves during large layers.

    The number of sweeps is not known in advance: after `HALF_WAY` sweeps half of the states count
    as done, after that ever fewer, until the layers are solved.
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
    start: LayerSource | None = None,
    *,
    swept: Callable[[], None] = lambda: None,
) -> list[LayerReport]:
    """Solve a pair of layers whose later layers are in the store, and put it there.

    The work of a solution in pieces: pairs with the same number of pieces home are independent of
    each other, and a pair needs those with one more. Order, layers and a
    `urcx.solving.files.work.WorkStore` can be pickled, so a call can be sent to another process
    that shares the store's directory.

    Parameters
    ----------
    order
        The order of the rule set.
    layers
        One of its `LayerOrder.pairs`.
    store
        Supplies the later layers, and receives these two.
    tolerance
        That of the whole solution; see `solve_layers`.
    threads
        The number of threads.
    start
        Initial values, as for `solve_layers`.
    swept
        Called after each sweep.

    Returns
    -------
    list of LayerReport
    """
    began = clock()
    pair = LayerPair(order, layers, threads)
    pair.swept = swept
    values = pair.fill(store)
    if start is not None:
        pair.take(start, values)
    # Tolerance per layer, on the scale from -1 to 1 and for the distance to one side.
    allowed = SHARE * tolerance / (2 * order.rules.pieces - 1)
    change_allowed = max(LAST_CHANGE, allowed / 100)
    sweeps = _converge(pair, values, change_allowed)
    found = values[: pair.states + LANES].copy()  # a few more, which `sweep` requires
    excess, raising = _excess(pair, found, values, change_allowed)
    del values  # frees memory for the bounds
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
    """Sweep until no value changes by more than is allowed; return the number of sweeps.

    Close to convergence, most sweeps compare only the moves that are nearly best in some state. The
    last sweep compares all.
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
            extrapolate(changes, values[:n], 1.0, pair.threads)
            pair.update_turned(values)
    raise UrcxError(f"no end after {MOST_SWEEPS} sweeps of layer {pair.layers[0]}")


def extrapolate(changes: Changes, values: Values, largest: float, threads: int) -> None:
    """Replace the values by the combination of the last iterates that should change least.

    With iterates x_1 .. x_q, of which x_q is in ``values``, and changes u_k = x_k - x_(k - 1), the
    combination is sum_k c_k x_k, where the c_k add up to 1 and minimise |sum_k c_k u_k|. Results
    are clipped to ``largest`` in absolute value.
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
    """Return how far the bounds exceed the values for a margin of 1, and the sweeps it took.

    The excess is the total rise of a value when a small number is added in every sweep, divided by
    that number: roughly how many sweeps a game stays in the pair. The number is small enough not to
    change which moves are best, except for ties, and large compared with the remaining changes of
    the values. The excess starts the bounds and need not be accurate: where it is too large, the
    bounds move inwards; only where it is too small do they move outwards. ``raised`` is the array
    with the values, which is overwritten.
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
            extrapolate(changes, raised[:n], 2.0, pair.threads)
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
    """Return the error bound of the values, and the number of sweeps it took.

    ``excess`` is overwritten. ``allowed`` is the error allowed beyond the gaps of the later layers.
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
    pair.update_turned(upper, lower)
    for sweep in range(1, MOST_SWEEPS + 1):
        rise, _ = pair.sweep(upper, lower, margin)
        _, fall = pair.sweep(lower, upper, -margin)
        if max(rise, fall) <= margin - rounding:
            np.subtract(upper[:n], values, out=excess)
            above = float(excess.max())
            np.subtract(values, lower[:n], out=excess)
            # 2^-53 is twice the greatest rounding error of a stored probability.
            return max(above, float(excess.max())) + 2.0**-53, 2 * sweep
    raise UrcxError(f"the bounds of layer {pair.layers[0]} do not meet")


def rounding_of(chance: Values) -> float:
    """Return the greatest error of one evaluation of the operator, for values up to 1.

    Let u be the relative rounding error of an operation. The products have sizes that add up to at
    most 1, so their errors add up to at most u; each partial sum adds at most u times its size,
    which is at most the sum of the probabilities so far. One hundredth more covers values that
    exceed 1 by a gap, and the margin added to every value.
    """
    return float(1.01 * (1.0 + np.cumsum(chance).sum()) * 2.0**-53)


def memory_needed(order: LayerOrder) -> int:
    """Return the most bytes that solving takes, including the later layers it reads."""
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        beyond = sum(order.size((i + 1, j)) for i, j in layers if i + 1 < pieces)
        rows = sum(rows_of(order, layer) for layer in layers)
        movable = min(max(pieces - i for i, _ in layers), order.rules.path.length + 1)
        most_ops = len(order.tables.rolls) * (1 + movable)
        # Each part of a program begins on its own page.
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


def rows_of(order: LayerOrder, layer: Layer) -> int:
    """Return the number of rows of a layer."""
    here = order.offsets(layer)
    patterns = np.flatnonzero(here >= 0)
    return int(order.width[order.rules.pieces - layer[0] - order.on_lane[0][patterns]].sum())

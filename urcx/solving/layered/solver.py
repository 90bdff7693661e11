"""Value iteration with certified error bounds: the value of every position under optimal play.

Operator. In the canonical view, V(s) = sum_r P(r) max_a +-V(s after a), with plus after an extra
roll and minus if the turn passes. A lost game has the value -1 and a won game +1, so (1 + V) / 2 is
the win probability. Values are 64-bit floats.

Order. Pieces home stay there. A layer (i, j) has i of the mover's and j of the other side's pieces
home. Layers are solved from the end of the game, (i, j) together with (j, i), using the layers with
one more piece home. Within a pair, Gauss-Seidel value iteration updates V of (i, j) from V of
(j, i), then V of (j, i) from V of (i, j). If i = j, it updates the states in which the mover is
ahead, then the others (`urcx.solving.layered.pair`).

Every few sweeps the iterates are combined by reduced rank extrapolation (R. P. Eddy, 1979). The
second half of a sweep is computed from the first, and the first from the second half of the
previous sweep. Therefore only iterates of the second half are combined. No number depends on the
number of threads. Large pairs are first swept in single precision, until no value changes by more
than `COARSE` of `urcx.solving.layered.convergence`.

Stopping rule. A pair is swept until no value changes by more than rounding allows (`LAST_CHANGE`),
or by more than a small part of the pair's share of the tolerance (`FINER`).

Certificate. `urcx.solving.layered.certificate` proves the error bound. A store may already have
layers, from an earlier run or from anybody. Of their values only the range is known: they are
probabilities. They are certified like computed layers, and solved again if that fails. The
certificate depends on the values alone, so values that a run computed get the same gap again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from urcx.engine.compiling import compute_clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import chosen_threads
from urcx.errors import UsageError
from urcx.results.fields import COUNT, Field, Format, decimals
from urcx.results.numbers import bound_text, number
from urcx.rules.catalogue import as_float
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import Position
from urcx.solving.layered import convergence
from urcx.solving.layered.certificate import (
    MOST_DOUBLINGS,
    BoundsDoNotMeetError,
    certify,
    raise_values,
)
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import Layer, LayerOrder, LayerSize, order_of, solve_order
from urcx.solving.layered.pair import LayerPair, LayerSource
from urcx.solving.layered.stores import Store, drop_last_read
from urcx.sweeps.blocks import Changes, Values

LAST_CHANGE = 7e-16  # change of a value, on the scale from -1 to 1, that rounding can cause
FINER = 500.0  # the allowed error divided by the change allowed in the last sweep
READING = 2.0**-51  # bounds the rounding when values of later layers are read and widened
SMALL_NUMBER = 1e-9
SHARE = 0.95  # of the tolerance, for margins. The rest is for rounding and last changes
MIN_TOLERANCE, MAX_TOLERANCE = 1e-13, 1e-2
BOUND = Format(lambda bound: bound_text(bound, 3))


@dataclass(frozen=True)
class LayerReport(LayerSize):
    """The cost of solving a layer, and the error bound of its win probabilities.

    ``seconds`` and ``sweeps`` belong to the pair. A pair that was in the store and only certified
    has 0 sweeps.
    """

    sweeps: Annotated[int, Field(about="sweeps until values hardly changed")]
    certifying: Annotated[int, Field(about="sweeps for the certificate")]
    seconds: Annotated[float, Field(about="wall time")]
    gap: Annotated[float, Field(about="widest gap of a state (bound)")]


@dataclass(frozen=True)
class Solved:
    """A solved rule set."""

    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="values are proven from both sides")]] = "bounds"
    opening: Annotated[
        float,
        Field(
            "first player wins",
            decimals(15),
            "win probability of the first player, before the first roll",
        ),
    ]
    lower: Annotated[float, Field("at least", decimals(15), "its lower bound")]
    upper: Annotated[float, Field("at most", decimals(15), "its upper bound")]
    gap: Annotated[float, Field("widest gap of a state", BOUND, "widest gap of a state")]
    states: Annotated[
        int,
        Field(
            "states (canonical views, unfinished)", COUNT, "unfinished states, as canonical views"
        ),
    ]
    sweeps: Annotated[
        int, Field("most sweeps of a layer", Format(number), "most sweeps of a layer")
    ]
    updates: Annotated[int, Field("", COUNT, "updates of states, in all sweeps")]
    seconds: Annotated[float, Field("seconds", decimals(1), "wall time")]
    layers: Annotated[tuple[LayerReport, ...], "a report for each layer"]

    @property
    @Field(
        "updates per second",
        Format(lambda rate: f"{rate / 1e6:.1f} M"),
        "updates of states per second",
        after="updates",
    )
    def updates_per_second(self) -> float:
        """Return the updates of states per second, or 0 if solving took no time."""
        return self.updates / self.seconds if self.seconds else 0.0


def check_tolerance(tolerance: float) -> float:
    """Return the tolerance, or raise `UsageError` if it is out of range."""
    tolerance = as_float("tolerance", tolerance)
    if not MIN_TOLERANCE <= tolerance <= MAX_TOLERANCE:
        raise UsageError(
            f"tolerance {tolerance:g}: must be from {MIN_TOLERANCE:g} to {MAX_TOLERANCE:g}"
        )
    return tolerance


def solve_layers(
    rules: RuleSet,
    store: Store,
    *,
    tolerance: float = 1e-12,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
    start: LayerSource | None = None,
) -> Solved:
    """Solve a rule set whose path crosses no tile twice and is the same for both sides.

    Parameters
    ----------
    rules
        The rule set.
    store
        The store that receives the layers as they are solved. Layers that it already has are
        certified, and are solved again only if that fails.
    tolerance
        The greatest allowed distance between the lower and upper bound of a win probability.
    threads
        By default one for each core. The results do not depend on the number.
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
    order = order_of(rules)
    threads = chosen_threads(threads)
    check_memory(memory_needed(order), f"solving {rules.name}", "take fewer pieces")
    began = compute_clock()
    reports: list[LayerReport] = []
    for layers, _, swept in solve_order(order, order.pairs, progress):
        drop = partial(drop_last_read, order, layers, store)
        reports += solve_pair(
            order, layers, store, tolerance, threads, start, swept=swept, read=drop
        )
        order.forget()
    return solved_layers(order, store, reports, compute_clock() - began)


def solved_layers(
    order: LayerOrder, store: Store, reports: list[LayerReport], seconds: float
) -> Solved:
    """Return the summary of a rule set whose layers are all in a store."""
    start = store.get((0, 0))
    assert start is not None
    opening = float(start[0][order.place(Position())[1]])
    return summed_up(order.rules, opening, reports, seconds)


def summed_up(rules: RuleSet, opening: float, reports: list[LayerReport], seconds: float) -> Solved:
    """Return the summary of the reports of all layers, the start of the game last."""
    gap = reports[-1].gap
    return Solved(
        rules,
        opening,
        opening - gap,
        opening + gap,
        max(report.gap for report in reports),
        sum(report.states for report in reports),
        max(report.sweeps + report.certifying for report in reports),
        sum(report.states * (report.sweeps + report.certifying) for report in reports),
        seconds,
        tuple(reports),
    )


def solve_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    store: Store,
    tolerance: float,
    threads: int,
    start: LayerSource | None = None,
    *,
    swept: Callable[[], None] = lambda: None,
    read: Callable[[], None] = lambda: None,
) -> list[LayerReport]:
    """Solve a pair of layers whose later layers are in the store, and store the pair.

    If the pair is already in the store, its values are certified, and stay there if they are right.

    A pair is the unit of work. Pairs with the same number of pieces home are independent of each
    other, and a pair needs the pairs with one more piece home. Order, layers and a
    `urcx.solving.files.work.WorkStore` can be pickled, so a call can be sent to another process
    that shares the store's directory.

    Parameters
    ----------
    order
        The order of the rule set.
    layers
        One of its `LayerOrder.pairs`.
    store
        The store that supplies the later layers and receives the pair.
    tolerance
        The tolerance of the complete solution, as for `solve_layers`.
    threads
        The number of threads.
    start
        Initial values, as for `solve_layers`.
    swept
        Called after each sweep.
    read
        Called when the later layers have been read.

    Returns
    -------
    list of LayerReport
    """
    began = compute_clock()
    pair = LayerPair(order, layers, threads, grouped=True)
    pair.forget_rows()
    pair.swept = swept
    # Tolerance per layer, on the scale from -1 to 1 and for the distance to one side.
    allowed = SHARE * tolerance / (2 * order.rules.pieces - 1)
    change_allowed = max(LAST_CHANGE, allowed / FINER)
    small = max(SMALL_NUMBER, 1000.0 * change_allowed)
    before = pair.gap(store) + READING

    def bounded(values: Values, attempts: int) -> tuple[Values, Changes, float, int]:
        """Return values, their excess, their gap, and the number of sweeps that these needed."""
        excess, raising = raise_values(pair, values, small)
        gap, certifying = certify(pair, values, excess, before, small, allowed, attempts)
        return values, excess, gap, certifying + raising

    certified, sweeps = None, 0
    if all(store.get(layer) is not None for layer in layers):
        with suppress(BoundsDoNotMeetError):  # values that were not computed here
            certified = bounded(pair.solved(store)[0], 1)
    if certified is None:
        if start is None:
            values, sweeps = convergence.first_values(pair, store, change_allowed)
        else:
            values = pair.fill(store, np.zeros(pair.size))
            pair.take(start, values)
        read()
        sweeps += convergence.converge(pair, values, change_allowed)
        certified = bounded(values, MOST_DOUBLINGS)
    else:
        read()
    values, excess, gap, certifying = certified
    pair.forget_moves()  # frees memory before the layers are stored
    seconds = compute_clock() - began
    reports = []
    for layer in layers:
        stored = np.empty(order.size(layer))
        source = partial(_probabilities, values, excess, pair.at["V", layer])
        pair.rearrange(layer, source, stored, stored=False)
        if not _is_there(store, layer, stored, gap / 2.0):
            store.put(layer, stored, gap / 2.0)
        reports.append(LayerReport(layer, len(stored), sweeps, certifying, seconds, gap / 2.0))
    return reports


def _is_there(store: Store, layer: Layer, values: Values, gap: float) -> bool:
    """Return whether a store has a layer with these values and this gap."""
    stored = store.get(layer)
    return stored is not None and stored[1] == gap and np.array_equal(stored[0], values)


def _probabilities(values: Values, excess: Changes, begin: int, part: slice) -> Values:
    """Return the probabilities of a part of a layer, whose values ``excess`` has raised.

    The layer begins at ``begin``.
    """
    states = slice(begin + part.start, begin + part.stop)
    result = values[states] - excess[states]
    result += 1.0
    result /= 2.0
    return result

"""The plies still to come, on average, from every state to the end of the game.

Each side plays by a policy, or chooses whatever makes games longest. The value of a state is

    T(s) = 1 + sum_r P(r) max_a T(s after a), or the mean over the policy's moves instead.

Layers are settled from the end of the game, as in `urcx.solving.layered.solver`, by sweeps in
place. A game that players prolong stays in a layer for long: values are extrapolated by secants
(`urcx.sweeps.acceleration`), and the moves that are best so far are kept until the values have
settled for them (policy iteration, R. A. Howard, 1960).

Bounds. Let no value V change by more than e < 1 in a sweep over all moves. Then T(V) <= V + e, so
V / (1 - e) is a supersolution: one more sweep does not raise it, and no way of playing takes
longer. V / (1 + e) is a subsolution: the best moves by V take at least as long. This holds over all
layers together, each read as it was stored, with the greatest e of all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Any

import numpy as np

from urcx.errors import UrcxError
from urcx.expectations.choices import choose_moves, no_picks
from urcx.results.fields import COUNT, member, shown_as
from urcx.results.tables import key
from urcx.rules.position import Position
from urcx.solving.layered.certificate import rounding_of
from urcx.solving.layered.order import Layer, LayerOrder, in_turn
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.acceleration import Secants
from urcx.sweeps.blocks import NO_CHANGE, Changes, Values
from urcx.sweeps.sweep_kernels import Choosing, Greatest, PolicyMean, way_of

PERIOD = 4  # sweeps from one extrapolation to the next
EASIER = 0.1  # part of the change at which values count as settled for the kept moves
MOST_SWEEPS = 2_000  # for the moves kept
MOST_FAILURES = 2  # times that values do not settle for the moves kept
MOST_CHOICES = 400  # times that moves are chosen anew

Store = dict[Layer, Values]


def mean_plies(plies: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a mean as tables have it, to ten digits or so."""
    if plies >= 1e12:
        return f"{Context(10, rounding).create_decimal(plies):.9e}"
    places = 6 if plies < 1e6 else 3
    return f"{Decimal(plies).quantize(Decimal(1).scaleb(-places), rounding):,}"


def _home(layers: tuple[Layer, ...]) -> str:
    return ", ".join(f"{i}-{j}" for i, j in layers)


PLIES = shown_as(mean_plies)


@dataclass(frozen=True)
class LongestLayer:
    """A pair of layers, and what it took to settle."""

    layers: Annotated[
        tuple[Layer, ...], member(key("pieces home"), about="pieces home", key="home", of=_home)
    ]
    states: Annotated[int, member("states", COUNT, "states of these layers")]
    sweeps: Annotated[int, member("sweeps", about="sweeps until their values settled")]
    most: Annotated[
        float,
        member("most to come", PLIES, "the most mean plies or moves that a state has to come"),
    ]


@dataclass
class SettledPair:
    """A pair of layers: each side's values, parts, the sweeps of one at most, the greatest change.

    If both sides play alike, there is one.
    """

    values: list[dict[Layer, Values]]
    parts: int
    sweeps: int
    change: float


@dataclass
class SettledGame:
    """What is to come from the start, with who begins, and how well it is known.

    ``start[side]`` are the plies if that side begins: the policies' sides, one if both play alike.
    ``change`` is the greatest change of a value in the last sweep, rounding included; ``layers`` go
    from the end of the game to its start, with so many ``parts`` in all.
    """

    start: list[float] = field(default_factory=list)
    change: float = 0.0
    layers: list[LongestLayer] = field(default_factory=list)
    parts: int = 0


def settled_game(
    order: LayerOrder, settle: Callable[..., SettledPair], progress: Callable[[int], None],
    sides: int = 1,
) -> SettledGame:  # fmt: skip
    """Return the plies from the start, by settling pairs of layers from the end of the game.

    ``settle`` takes a pair's layers, each side's values of later ones, and what to call after each
    sweep; ``progress`` is called with the number of states done.
    """
    stores: list[dict[Layer, Values]] = [{} for _ in range(sides)]
    found = SettledGame()
    for layers, states, swept in in_turn(order, order.pairs, progress):
        pair = settle(layers, stores, swept)
        for store, values in zip(stores, pair.values, strict=True):
            for old in [layer for layer in store if sum(layer) > sum(layers[0]) + 1]:
                del store[old]
            store.update(values)
        most = max(float(part.max()) for values in pair.values for part in values.values())
        found.layers.append(LongestLayer(layers, states, pair.sweeps, most))
        found.change = max(found.change, pair.change)
        found.parts += pair.parts
    found.start = [float(store[0, 0][order.place(Position())[1]]) for store in stores]
    return found


def followed(
    order: LayerOrder, policies: Sequence[Any], threads: int, tolerance: float,
    progress: Callable[[int], None],
) -> SettledGame:  # fmt: skip
    """Return the plies from the start of the games of one or two sides.

    Each has a policy, or None, which chooses moves for the longest game; a single one plays both
    sides. ``progress`` is called with the number of states done. Sweeps end when no value changes
    by more than the tolerance.

    Raises
    ------
    UrcxError
        If the values do not settle.
    """

    def settle(
        layers: tuple[Layer, ...], stores: Sequence[Store], swept: Callable[[], None]
    ) -> SettledPair:
        return _Pair(LayerPair(order, layers, threads), policies).settle(stores, tolerance, swept)

    return settled_game(order, settle, progress, len(policies))


class _Pair:
    def __init__(self, pair: LayerPair, policies: Sequence[Any]) -> None:
        self.pair, self.way = pair, way_of(pair.rows, 1.0)
        self.sides = len(policies)
        self.free = [one is None for one in policies]
        self.operators = [
            Greatest(self.way) if one is None else PolicyMean(self.way, choose_moves(one, pair))
            for one in policies
        ]
        self.arrays: list[Values] = []

    def settle(
        self, stores: Sequence[Store], tolerance: float, swept: Callable[[], None]
    ) -> SettledPair:
        """Settle the values, with those of later layers."""
        pair = self.pair
        states = pair.states
        # What moves lead to is the other side's, whose store is the same if there is one.
        self.arrays = [pair.filled(store.__getitem__) for store in reversed(stores)]
        for array, store in zip(self.arrays, stores, strict=True):
            self._begin(array, store)
        self._turn()
        sweeps = failures = 0
        change = rounding = 0.0
        for _ in range(MOST_CHOICES):
            change = self._sweep(self.operators)
            sweeps += 1
            swept()
            most = max(float(part[:states].max()) for part in self.arrays)
            rounding = (most + 1.0) * (rounding_of(pair.order.tables.chance) + 2.0**-52)
            if change <= tolerance + rounding:
                break
            enough = max(tolerance / 2, EASIER * change) if any(self.free) else tolerance
            taken = self._settle_kept(self._kept(), enough + rounding, swept)
            sweeps += taken
            failures = failures + 1 if taken == MOST_SWEEPS else 0
            if failures > MOST_FAILURES:
                raise UrcxError(
                    f"values of layer {pair.layers[0]} of {pair.order.rules.name} do not settle: "
                    "its games may never have to end"
                )
        else:
            raise UrcxError(f"values of layer {pair.layers[0]} do not settle")
        values = [pair.values_of(array) for array in self.arrays]
        return SettledPair(values, 1, sweeps, change + rounding)

    def _begin(self, array: Values, store: Store) -> None:
        """Begin with the values of states with a piece less to come, where they are known."""
        pair, order = self.pair, self.pair.order
        pieces = order.rules.pieces
        for i, j in pair.layers:
            shape, own = pair.shape((i, j)), array[pair.own((i, j))]
            near = [layer for layer in ((i + 1, j), (i, j + 1)) if max(layer) < pieces]
            if near:
                own[:] = min(float(store[layer].min()) for layer in near)
            for layer in near:
                found, begin = store[layer], order.offsets(layer)
                for pattern, rows, columns, at in zip(
                    shape.patterns, shape.rows, shape.columns, shape.begin, strict=True
                ):
                    if begin[pattern] < 0:
                        continue
                    deep, wide = (
                        order.width[pieces - layer[k] - order.on_lane[k][pattern]] for k in (0, 1)
                    )
                    # Masks with most pieces come first, so the last rows and columns are shared.
                    part = own[at : at + rows * columns].reshape(rows, columns)
                    part = part[rows - deep :, columns - wide :]
                    known = found[begin[pattern] :][: deep * wide].reshape(deep, wide)
                    np.maximum(part, known, out=part)

    def _turn(self) -> None:
        for k in range(self.sides):
            self.pair.block.turn(self.arrays[k], self.arrays[(k + 1) % self.sides])

    def _sweep(
        self, operators: Sequence[Any], changes: Sequence[Changes] = (NO_CHANGE, NO_CHANGE)
    ) -> float:
        return max(
            self.pair.block.renew(
                array, self.arrays[(k + 1) % self.sides], operators[k], changes[k]
            )
            for k, array in enumerate(self.arrays)
        )

    def _kept(self) -> list[Any]:
        """Return what keeps the moves: the policies', and the best so far of sides without."""
        pair, found = self.pair, list(self.operators)
        for k, array in enumerate(self.arrays):
            if self.free[k]:
                picks = no_picks(pair.order, len(pair.row_ops), pair.states)
                pair.block.renew(array, array, Choosing(self.way, picks), kept=False)
                found[k] = PolicyMean(self.way, picks)
        return found

    def _settle_kept(self, kept: Sequence[Any], enough: float, swept: Callable[[], None]) -> int:
        """Sweep over kept moves until no value changes by more than enough; return the sweeps."""
        states = self.pair.states
        secants = Secants([states] * self.sides, self.pair.threads)
        for sweep in range(1, MOST_SWEEPS + 1):
            last = sweep % PERIOD == 0
            moved = self._sweep(kept, *([secants.changes] if last else []))
            swept()
            if moved <= enough:
                return sweep
            if last and secants.extrapolate([array[:states] for array in self.arrays]):
                self._turn()
        return MOST_SWEEPS


def least_and_most(value: float, change: float) -> tuple[float, float]:
    """Return the bounds of an expected number of plies whose values change by so much at most.

    Raises
    ------
    UrcxError
        If the change says nothing.
    """
    if not change < 1.0:
        raise UrcxError(f"values still change by {change:.2g} plies, which bounds nothing")
    slack = 2.0**-50
    return value / (1.0 + change) * (1.0 - slack), value / (1.0 - change) * (1.0 + slack)

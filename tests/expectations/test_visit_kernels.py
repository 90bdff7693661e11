"""Sweeps of expected visits beside a twin that passes them on one state at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from own_rules import small

from urcx.expectations import layers
from urcx.expectations.choices import no_picks
from urcx.expectations.layers import PairFlow
from urcx.expectations.tally import Tally
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import NO_CHANGE
from urcx.sweeps.layout_kernels import MARGIN, Picks

RULES = small("finkel", 3)
LAYERS = (2, 0), (0, 2)  # rows of 1 to 42 states: up to six vectors


def moves_of(pair: LayerPair) -> Any:
    """Yield row, first state, states, roll, and where the values of each move begin."""
    rows = pair.rows
    for t in range(len(rows.rows)):
        k, width = int(rows.first_op[t]), int(rows.columns[t])
        for a in range(rows.rows[t]):
            for roll in range(len(rows.chance)):
                to = [int(at) for at in rows.ops[k + 1 : k + 1 + int(rows.ops[k])]]
                yield int(rows.first_row[t]) + a, int(rows.begin[t]) + a * width, width, roll, to
                k += 1 + len(to)


def any_picks(pair: LayerPair, by_row: bool, shared: bool, astray: float, seed: int) -> Picks:
    """Return moves chosen by chance, in some rows the same one in all states."""
    random = np.random.default_rng(seed)
    rows = len(pair.row_ops)
    picks = no_picks(pair.order, rows, pair.states, by_row=by_row, shared=shared)
    for row, state, width, roll, to in moves_of(pair):
        masks = 1 << random.integers(0, len(to), width)
        if shared:
            masks |= random.integers(0, 1 << len(to), width)
        if by_row or random.random() < 0.3:
            masks[:] = masks[0]
        picks.any_of[roll, row] = np.bitwise_or.reduce(masks)
        if not by_row and len(to) > 1:  # else masks are not looked at
            picks.masks[roll * picks.stride + MARGIN + state :][:width] = masks
    return picks._replace(astray=astray)


def passed_on(flow: PairFlow, x: Any, arriving: Any) -> None:
    """Add what each state passes on to those after it, light's and then dark's, to an array."""
    pair, rows = flow.pair, flow.pair.rows
    other_side = np.empty(pair.states, np.int64)  # the state that U is of
    for begin, turned, height, width in zip(
        rows.begin, rows.turned, rows.rows, rows.columns, strict=True
    ):
        of = begin + np.arange(height * width).reshape(height, width)
        other_side[turned - pair.states :][: height * width] = of.T.ravel()
    for side, picks in enumerate(flow.chosen):
        for row, state, width, roll, to in moves_of(pair):
            masks = np.full(width, 1)
            if picks.by_row and len(to) > 1:
                masks[:] = picks.any_of[roll, row]
            elif len(to) > 1:
                masks[:] = picks.masks[roll * picks.stride + MARGIN + state :][:width]
            number = np.array([int(mask).bit_count() for mask in masks])
            for m, begin in enumerate(to):
                share = (masks >> m & 1) / number
                if len(to) > 1:
                    share = (1.0 - picks.astray) * share + picks.astray / len(to)
                share = share * rows.chance[roll] * x[side, state : state + width]
                there = begin + np.arange(width)
                if begin < pair.states:
                    arriving[side, there] += share
                elif begin < 2 * pair.states:
                    arriving[1 - side, other_side[there - pair.states]] += share


def flow_of(monkeypatch: pytest.MonkeyPatch, by_row: bool, shared: bool, astray: float) -> PairFlow:
    """Return the flow of two policies that choose by chance; see `any_picks`."""
    monkeypatch.setattr(
        layers, "choose_moves", lambda seed, pair: any_picks(pair, by_row, shared, astray, seed)
    )
    return PairFlow(LayerOrder(RULES), LAYERS, (1, 2), 1)


@pytest.mark.parametrize(
    ("by_row", "shared", "astray"),
    [
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((True, True, 0.0), (False, False, 0.0), (False, True, 0.0))
        ),
        (False, True, 0.25),
    ],
)
def test_what_is_left_is_as_passed_on_naively(
    by_row: bool, shared: bool, astray: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In either precision, and so for one, two and four vectors of a row."""
    flow = flow_of(monkeypatch, by_row, shared, astray)
    states, stride = flow.pair.states, flow.stride
    x, b = np.random.default_rng(5).random((2, 2, states))
    wanted = b - x
    passed_on(flow, x, wanted)
    for kind, off in ((np.float64, 1e-14), (np.float32, 4e-6)):
        given: Any = np.zeros((2, 2, stride), kind)
        given[:, :, MARGIN : MARGIN + states] = x, b
        left = np.zeros(2 * stride, np.float32)
        before = given.copy()
        moved = flow._sweep(
            given[0].ravel(), given[1].ravel(), (0, stride), 1.0, NO_CHANGE, left, 0.5
        )
        assert np.array_equal(given, before)
        inside = 2.0 * left.reshape(2, stride)[:, MARGIN : MARGIN + states]
        assert np.allclose(inside, wanted, rtol=1e-6, atol=off)
        assert moved == pytest.approx(np.abs(wanted).sum(), rel=1e-6)
        assert flow.moves.sum() == pytest.approx(moved, rel=1e-12)


def test_what_leaves_is_what_the_pair_does_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = flow_of(monkeypatch, False, True, 0.25)
    x = np.random.default_rng(6).random((2, flow.pair.states))
    arriving = np.zeros_like(x)
    passed_on(flow, x, arriving)
    given = np.zeros((2, flow.stride))
    given[:, MARGIN : MARGIN + flow.pair.states] = x
    waiting: dict[Any, Any] = {}
    flow.leave(given.ravel(), waiting)
    total = Tally.empty(RULES)
    flow.account(given.ravel(), total)
    left = sum(float(found.sum()) for found in waiting.values()) + float(total.wins.sum())
    assert left == pytest.approx(float(x.sum() - arriving.sum()), rel=1e-12)

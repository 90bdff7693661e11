# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of sums over the states of a pair of layers, weighted by expected visit counts.

`urcx.sweeps.layout_kernels` describes rows and chosen moves. ``visits`` has `MARGIN` entries before
the first state of the pair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import entropy_of, log_spread
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import (
    LENGTH,
    PIECES,
    ROSETTES,
    legal_starts,
    lowest,
    make_move,
    popcount,
)
from urcx.engine.vector_kernels import (
    added_up,
    all_equal,
    first_lanes,
    greater,
    greatest,
    load,
    minus,
    plus_product,
    plus_times,
    where_greater,
)
from urcx.engine.vector_types import LANES
from urcx.sweeps.layout_kernels import MARGIN
from urcx.sweeps.sweep_kernels import with_move

# The sums of a side, except plies by roll and number of legal moves.
AGAIN, CAPTURES, LANDED, LOG_PICKS, LOSS, MISTAKES, DICE, SQUARES, ENTERED, N_SUMS = range(10)
BY_LOSS, BY_COST, BY_VISITS = range(3)  # ranks of decisions
# Counts by step of the own path: own plies that begin with a piece on the step, moves to the step,
# and captures there. Step 0 has none, and L + 1 is home.
STOOD, MOVED, CAPTURED, N_BY_STEP = range(4)


class Ranked(NamedTuple):
    """The decisions with the greatest ``scores``, a heap with the least at the top.

    ``by`` is the kind of score. ``places`` are (state, roll, move played, best move), where states
    are counted over both layers. ``figures`` have the loss of each decision, on the scale from -1
    to 1, and its frequency in a game. Only states with visits above ``visited`` count.
    """

    by: int
    visited: float
    scores: NDArray[Any]
    places: NDArray[Any]
    figures: NDArray[Any]


@njit
def put_ranked(ranked, score, place, figures):
    """Replace the least decision by another with a greater score."""
    scores = ranked.scores
    last = scores.shape[0]
    at = 0
    while True:
        below = 2 * at + 1
        if below + 1 < last and scores[below + 1] < scores[below]:
            below += 1
        if below >= last or scores[below] >= score:
            break
        scores[at] = scores[below]
        # Entry by entry, because copies of rows take seconds to compile.
        for k in range(4):
            ranked.places[at, k] = ranked.places[below, k]
        for k in range(2):
            ranked.figures[at, k] = ranked.figures[below, k]
        at = below
    scores[at] = score
    for k in range(4):
        ranked.places[at, k] = place[k]
    for k in range(2):
        ranked.figures[at, k] = figures[k]


@inlined
def weigh_visits(ways, side, own, other, home, start, end, weight, sums, by_step):
    """Add a move's weight to the sums of its effects: extra roll, entry, capture, rosette, step."""
    _, theirs, _, again = make_move(ways, side, own, other, home, start, end)
    if again:
        sums[AGAIN] += weight
    if start == 0 and end <= ways[side, LENGTH]:
        sums[ENTERED] += weight
    by_step[MOVED, end] += weight
    if theirs != other:
        sums[CAPTURES] += weight
        by_step[CAPTURED, end] += weight
    if end <= ways[side, LENGTH] and (ways[side, ROSETTES] >> (end - 1)) & 1:
        sums[LANDED] += weight


@inlined
def weigh_standing(own, weight, by_step):
    """Add the weight of a ply to the steps of the mover's pieces."""
    while own:
        by_step[STOOD, lowest(own) + 1] += weight
        own &= own - 1


@njit
def account(diagrams, rows, picks, logs, visits, visited, first, last, by_choices, sums, by_step):
    """Add up the counts of some patterns, and return wins and states.

    ``by_choices[roll, k]`` receives the plies with k legal moves, ``sums`` and ``by_step`` the sums
    named by the constants. ``logs[k]`` is log10 k. Return the probability of winning by a move from
    these states, and the number of states with visits above ``visited``. Each pattern has its sums,
    which are then added to the totals, so a term passes through few additions.
    """
    ways, table, rolls = diagrams.ways, diagrams.table, diagrams.rolls
    chance, masks = rows.chance, picks.masks
    pieces = ways[0, PIECES]
    weights = np.empty(ways[0, LENGTH] + 1)
    plies = np.zeros_like(by_choices)
    here_sums = np.zeros_like(sums)
    here_by_step = np.zeros_like(by_step)
    wins_here = 0.0
    nothing = all_equal(0.0)
    least = all_equal(visited)
    unit = all_equal(1.0)
    wins = 0.0
    states = nothing
    for t in range(first, last):
        light = table.lane[0, diagrams.patterns[t]]
        dark = table.lane[1, diagrams.patterns[t]]
        home = diagrams.homes[diagrams.layer_of[t], 0]
        height = rows.rows[t]
        columns = rows.columns[t]
        for a in range(height):
            state = MARGIN + rows.begin[t] + a * columns
            sum_of_row = nothing
            for column in range(0, columns, LANES):
                some = first_lanes(load(visits, np.uint64(state + column)), columns - column)
                sum_of_row = plus_times(sum_of_row, 1.0, some)
                states = plus_times(states, 1.0, where_greater(some, least, unit, nothing))
            total = added_up(sum_of_row)
            if total == 0.0:
                continue
            own = light | table.own_steps[0, diagrams.mask[height - 1 - a]]
            weigh_standing(own, total, here_by_step)
            pool = pieces - popcount(own) - home
            for r in range(rolls.shape[0]):
                legal = legal_starts(ways, 0, pool, own, dark, rolls[r])
                count = popcount(legal)
                plies[r, count] += chance[r] * total
                weights[:count] = 0.0
                if count == 1:
                    weights[0] = total
                elif count > 1 and picks.by_row:
                    left = np.int64(picks.any_of[r, rows.first_row[t] + a])
                    spread = log_spread(logs, count, popcount(left), picks.astray)
                    here_sums[LOG_PICKS] += chance[r] * total * spread
                    share = total / popcount(left)
                    while left:
                        weights[lowest(left)] += share
                        left &= left - 1
                elif count > 1:
                    place = r * picks.stride + state
                    for m in range(count):
                        mine = nothing
                        for column in range(0, columns, LANES):
                            to = np.uint64(place + column)
                            some = load(visits, np.uint64(state + column))
                            some = first_lanes(some, columns - column)
                            some = with_move(picks, some, to, np.int64(1) << m)
                            mine = plus_times(mine, 1.0, some)
                        weights[m] = added_up(mine)
                    if picks.shared or picks.astray > 0.0:
                        for c in range(columns):
                            number = popcount(np.int64(masks[place + c]))
                            spread = log_spread(logs, count, number, picks.astray)
                            if picks.shares.shape[0] > 0:
                                spread = entropy_of(
                                    picks.shares[place + c :: masks.shape[0]][:count]
                                )
                            here_sums[LOG_PICKS] += chance[r] * visits[state + c] * spread
                if count > 1 and picks.astray > 0.0:
                    for m in range(count):
                        weights[m] += picks.astray * (total / count - weights[m])
                k = 0
                while legal:
                    start = lowest(legal)
                    legal &= legal - 1
                    weight = chance[r] * weights[k]
                    weigh_visits(
                        ways, 0, own, dark, home, start, start + rolls[r], weight, here_sums,
                        here_by_step,
                    )  # fmt: skip
                    if start + rolls[r] > ways[0, LENGTH] and home + 1 == pieces:
                        wins_here += weight
                    k += 1
        by_choices += plies
        sums += here_sums
        by_step += here_by_step
        wins += wins_here
        plies[:] = 0.0
        here_sums[:] = 0.0
        here_by_step[:] = 0.0
        wins_here = 0.0
    return wins, added_up(states)


@njit
def tally_regret(rows, picks, values, equal, visits, first, last, sums, ranked):
    """Add up the losses of the moves, and the changes by rolls, in some patterns.

    ``values`` are the values that the rows read, on the scale from -1 to 1. A move whose value is
    within ``equal`` of the best is not a mistake. ``sums`` also receives the squared changes by
    rolls (`DICE`) and the squared losses of mistakes (`SQUARES`). ``ranked`` receives the greatest
    decisions.
    """
    ops, chance, masks, by_row = rows.ops, rows.chance, picks.masks, picks.by_row
    nothing = all_equal(0.0)
    least = all_equal(ranked.visited)
    same = all_equal(equal)
    for t in range(first, last):
        losses = nothing
        mistakes = nothing
        dice = nothing
        squares = nothing
        width = np.int64(rows.columns[t])
        k = rows.first_op[t]
        for a in range(rows.rows[t]):
            state = MARGIN + rows.begin[t] + a * width
            some = nothing
            for column in range(0, width, LANES):
                counts = first_lanes(load(visits, np.uint64(state + column)), width - column)
                some = greater(some, counts)
            if greatest(some) == 0.0:
                for _ in range(chance.shape[0]):
                    k += 1 + np.int64(ops[k])
                continue
            for r in range(chance.shape[0]):
                count = np.int64(ops[k])
                k += 1
                farthest = nothing
                mask = np.int64(-1)
                part = chance[r]
                if by_row and count > 1:
                    mask = np.int64(picks.any_of[r, rows.first_row[t] + a])
                    part /= popcount(mask)
                part *= 1.0 - picks.astray
                each = chance[r] * picks.astray / max(count, 1)
                for column in range(0, width, LANES):
                    c = np.uint64(column)
                    best = load(values, np.uint64(ops[k]) + c)
                    for m in range(1, count):
                        best = greater(best, load(values, np.uint64(ops[k + m]) + c))
                    counts = first_lanes(load(visits, np.uint64(state) + c), width - column)
                    by = minus(best, load(values, np.uint64(state - MARGIN) + c))
                    rolled = plus_times(nothing, chance[r], counts)
                    dice = plus_product(dice, rolled, plus_product(nothing, by, by))
                    if count > 1:
                        weight = plus_times(nothing, part, counts)
                        to = np.uint64(r * picks.stride + state) + c
                        for m in range(count):
                            mine = nothing
                            if (mask >> m) & 1:
                                mine = weight
                                if not by_row:
                                    mine = with_move(picks, mine, to, np.int64(1) << m)
                            elif each == 0.0:
                                continue
                            if each > 0.0:
                                mine = plus_times(mine, each, counts)
                            loss = minus(best, load(values, np.uint64(ops[k + m]) + c))
                            losses = plus_product(losses, mine, loss)
                            lost = where_greater(loss, same, loss, nothing)
                            square = plus_product(nothing, lost, lost)
                            squares = plus_product(squares, mine, square)
                            mistakes = plus_times(
                                mistakes, 1.0, where_greater(loss, same, mine, nothing)
                            )
                            played = where_greater(mine, nothing, counts, nothing)
                            score = loss
                            if ranked.by == BY_COST:
                                score = plus_product(nothing, mine, lost)
                            elif ranked.by == BY_VISITS:
                                score = mine
                            seen = where_greater(played, least, score, nothing)
                            farthest = greater(farthest, seen)
                if greatest(farthest) > ranked.scores[0]:
                    for n in range(width):
                        visited = visits[state + n]
                        if visited <= ranked.visited:
                            continue
                        mine = mask if by_row else np.int64(masks[r * picks.stride + state + n])
                        chosen = mine
                        good = chance[r] * visited * (1.0 - picks.astray) / popcount(chosen)
                        if each > 0.0:
                            mine = (np.int64(1) << count) - 1
                        best_value = values[np.int64(ops[k]) + n]
                        for m in range(1, count):
                            best_value = max(best_value, values[np.int64(ops[k + m]) + n])
                        top = 0
                        while best_value - values[np.int64(ops[k + top]) + n] > equal:
                            top += 1
                        while mine != 0:
                            m = lowest(mine)
                            mine &= mine - 1
                            far = best_value - values[np.int64(ops[k + m]) + n]
                            often = each * visited + (good if (chosen >> m) & 1 else 0.0)
                            if picks.shares.shape[0] > 0:
                                place = m * masks.shape[0] + r * picks.stride + state + n
                                often = chance[r] * visited * picks.shares[place]
                            score = far
                            if ranked.by == BY_COST:
                                score = often * far if far > equal else 0.0
                            elif ranked.by == BY_VISITS:
                                score = often
                            if score > ranked.scores[0]:
                                right = top if far > equal else m
                                where = state + n - MARGIN, r, m, right
                                put_ranked(ranked, score, where, (far, often))
                k += count
        sums[DICE] += added_up(dice)
        sums[SQUARES] += added_up(squares)
        sums[LOSS] += added_up(losses)
        sums[MISTAKES] += added_up(mistakes)

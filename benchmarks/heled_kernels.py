# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of heled_players.py: boards, chances and turns as the program royalur computes them."""

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.move_kernels import popcount

CHANCE_BITS, TURN_BITS = 2.0**31, 2.0**21
LEAST, OF_BOTH = 0.91335123, 0.401785  # the guess: turns for each pip


@njit
def to_go(mask, length, pieces, home):
    """Return the pips that a side has still to go."""
    found = (length + 1) * (pieces - home - popcount(mask))
    for step in range(length):
        if (mask >> step) & 1:
            found += length - step
    return found


@njit
def list_pairs(
    patterns, begin, rows, columns, lane, steps, masks, pieces, homes, length, alike, first_row,
    turned, other_begin, other_first_row, pips, row, column, other_row, other_column,
):  # fmt: skip
    """Write the row and column of each position and of its reverse, and the pips of both sides.

    If the layers are ``alike``, each pair is written once. Returns the number of pairs.
    """
    n = 0
    for t in range(patterns.shape[0]):
        light = lane[0, patterns[t]]
        dark = lane[1, patterns[t]]
        for a in range(rows[t]):
            own = to_go(light | steps[0, masks[rows[t] - 1 - a]], length, pieces, homes[0])
            for c in range(columns[t]):
                place = begin[t] + a * columns[t] + c
                reverse = other_begin[turned[t]] + c * rows[t] + a
                if alike and reverse < place:
                    continue
                other = dark | steps[1, masks[columns[t] - 1 - c]]
                pips[n] = own + to_go(other, length, pieces, homes[1])
                row[n] = first_row[t] + a
                column[n] = c
                other_row[n] = other_first_row[turned[t]] + c
                other_column[n] = a
                n += 1
    return n


@njit
def code_boards(lane, steps, width, masks, pieces, homes, length, here, guesses, codes):
    """Write a number for each board that orders them as Heled's lists do, and the turns guessed.

    His lists have the own four first tiles, the eight shared ones (1, 0 or -1), the own last two
    and pieces home, then the other side's (-1 or 0), and theirs home.
    """
    for pattern in range(here.shape[0]):
        if here[pattern] < 0:
            continue
        light = lane[0, pattern]
        dark = lane[1, pattern]
        rows = width[pieces - homes[0] - popcount(light)]
        columns = width[pieces - homes[1] - popcount(dark)]
        for a in range(rows):
            own = light | steps[0, masks[rows - 1 - a]]
            mine = to_go(own, length, pieces, homes[0])
            for c in range(columns):
                other = dark | steps[1, masks[columns - 1 - c]]
                code = 0
                for k in range(4):
                    code = 2 * code + ((own >> k) & 1)
                for k in range(4, 12):
                    code = 3 * code + 1 + ((own >> k) & 1) - ((other >> k) & 1)
                for k in range(12, 14):
                    code = 2 * code + ((own >> k) & 1)
                code = 8 * code + homes[0]
                for k in (0, 1, 2, 3, 12, 13):
                    code = 2 * code + 1 - ((other >> k) & 1)
                place = here[pattern] + a * columns + c
                codes[place] = 8 * code + homes[1]
                theirs = to_go(other, length, pieces, homes[1])
                guess = LEAST * min(mine, theirs) + OF_BOTH * (mine + theirs)
                guesses[place] = np.rint(TURN_BITS * guess) / TURN_BITS


@njit
def chance(values, first_op, ops, row, column, passing):
    """Return 16 times the chance by moves, and how many of 16 rolls pass the turn without one."""
    k = first_op[row]
    moved = passed = 0.0
    for r in range(5):
        weight = (1.0, 4.0, 6.0, 4.0, 1.0)[r]
        count = ops[k]
        if count == 1 and ops[k + 1] == passing:
            passed += weight
        else:
            best = -1.0
            for m in range(count):
                best = max(best, values[np.int64(ops[k + 1 + m]) + column])
            moved += best * weight
        k += 1 + count
    return moved, passed


@njit
def sweep_chances(values, order, first, last, pairs, programs, places):
    """Renew the chances of some pairs of positions; return the greatest change."""
    row, column, other_row, other_column = pairs
    first_op, ops, other_first_op, other_ops = programs
    v, u, other_v, other_u = places
    most = 0.0
    for n in range(first, last):
        k = order[n]
        a, c, b, d = row[k], column[k], other_row[k], other_column[k]
        moved, passed = chance(values, first_op, ops, a, c, u[a])
        theirs, gone = chance(values, other_first_op, other_ops, b, d, other_u[b])
        one = (16 * moved + passed * (16 - theirs - gone)) / (256.0 - passed * gone)
        two = (theirs + gone * (1 - one)) / 16.0
        most = max(most, abs(values[v[a] + c] - one), abs(values[other_v[b] + d] - two))
        one = np.floor(one * CHANCE_BITS) / CHANCE_BITS
        two = np.floor(two * CHANCE_BITS) / CHANCE_BITS
        values[v[a] + c] = one
        values[other_u[b] + d] = 1 - one
        values[other_v[b] + d] = two
        values[u[a] + c] = 1 - two
    return most


@njit
def choose(keys, order, first, last, row, column, first_op, ops, chosen):
    """Write where the move of each roll but 0 leads to, that with the greatest key."""
    for n in range(first, last):
        k = first_op[row[order[n]]]
        c = column[order[n]]
        for r in range(5):
            count = ops[k]
            best = -1.0
            for m in range(count):
                place = np.int64(ops[k + 1 + m]) + c
                if keys[place] > best:
                    best = keys[place]
                    if r:
                        chosen[n, r - 1] = place
            k += 1 + count


@njit
def after(turns, chosen, n):
    """Return 16 times the turns to come after rolls but 0, those turns included."""
    total = turns[chosen[n, 0]] * 4 + turns[chosen[n, 1]] * 6
    return total + turns[chosen[n, 2]] * 4 + turns[chosen[n, 3]] + 15


@njit
def sweep_turns(turns, order, first, last, pairs, places, chosen, other_chosen):
    """Renew the turns of some pairs of positions; return the greatest change."""
    row, column, other_row, other_column = pairs
    v, u, other_v, other_u = places
    most = 0.0
    for n in range(first, last):
        k = order[n]
        a, c, b, d = row[k], column[k], other_row[k], other_column[k]
        mine = after(turns, chosen, n)
        theirs = after(turns, other_chosen, n)
        one = (16 * mine + 16 + theirs + 1) / 255.0
        two = (theirs + 1 + one) / 16.0
        most = max(most, abs(turns[v[a] + c] - one), abs(turns[other_v[b] + d] - two))
        one = np.rint(TURN_BITS * one) / TURN_BITS
        two = np.rint(TURN_BITS * two) / TURN_BITS
        turns[v[a] + c] = turns[other_u[b] + d] = one
        turns[other_v[b] + d] = turns[u[a] + c] = two
    return most

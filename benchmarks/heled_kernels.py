# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of heled_players.py: boards, win probabilities and turns as in the program royalur."""

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.move_kernels import popcount

CHANCE_BITS, TURN_BITS = 2.0**31, 2.0**21
LEAST, OF_BOTH = 0.91335123, 0.401785  # the guess: turns per pip


@njit
def to_go(mask, length, pieces, home):
    """Return the pips that a side still has to go."""
    pips = (length + 1) * (pieces - home - popcount(mask))
    for step in range(length):
        if (mask >> step) & 1:
            pips += length - step
    return pips


@njit
def list_pairs(
    patterns, begin, rows, columns, lane, steps, masks, pieces, homes, length, alike, first_row,
    turned, other_begin, other_first_row, pips, row, column, other_row, other_column,
):  # fmt: skip
    """Write the row and column of each position and of its reverse, and the pips of both sides.

    If both layers are the same (``alike``), each pair is written once. Returns the number of pairs.
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
    """Write the guessed turns of each board, and a number with the order of Heled's lists.

    His lists have the mover's first four tiles, the eight shared tiles (1, 0 or -1), the mover's
    last two tiles and pieces home, and then the other side's private tiles (-1 or 0) and pieces
    home.
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
    """Return 16 times the win probability by moves, and how many of 16 rolls are passes."""
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
    """Update the win probabilities of pairs of positions; return the greatest change."""
    row, column, other_row, other_column = pairs
    first_op, ops, other_first_op, other_ops = programs
    v, u, other_v, other_u = places
    most = 0.0
    for n in range(first, last):
        k = order[n]
        a, c, b, d = row[k], column[k], other_row[k], other_column[k]
        moved, passed = chance(values, first_op, ops, a, c, u[a])
        theirs, gone = chance(values, other_first_op, other_ops, b, d, other_u[b])
        first_value = (16 * moved + passed * (16 - theirs - gone)) / (256.0 - passed * gone)
        second_value = (theirs + gone * (1 - first_value)) / 16.0
        most = max(
            most, abs(values[v[a] + c] - first_value), abs(values[other_v[b] + d] - second_value)
        )
        first_value = np.floor(first_value * CHANCE_BITS) / CHANCE_BITS
        second_value = np.floor(second_value * CHANCE_BITS) / CHANCE_BITS
        values[v[a] + c] = first_value
        values[other_u[b] + d] = 1 - first_value
        values[other_v[b] + d] = second_value
        values[u[a] + c] = 1 - second_value
    return most


@njit
def choose(keys, order, first, last, row, column, first_op, ops, chosen):
    """Write the successor with the greatest key for each roll above 0."""
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
    """Return 16 times the turns to come after rolls above 0, including the current turns."""
    total = turns[chosen[n, 0]] * 4 + turns[chosen[n, 1]] * 6
    return total + turns[chosen[n, 2]] * 4 + turns[chosen[n, 3]] + 15


@njit
def sweep_turns(turns, order, first, last, pairs, places, chosen, other_chosen):
    """Update the turns of pairs of positions; return the greatest change."""
    row, column, other_row, other_column = pairs
    v, u, other_v, other_u = places
    most = 0.0
    for n in range(first, last):
        k = order[n]
        a, c, b, d = row[k], column[k], other_row[k], other_column[k]
        mine = after(turns, chosen, n)
        theirs = after(turns, other_chosen, n)
        first_value = (16 * mine + 16 + theirs + 1) / 255.0
        second_value = (theirs + 1 + first_value) / 16.0
        most = max(
            most, abs(turns[v[a] + c] - first_value), abs(turns[other_v[b] + d] - second_value)
        )
        first_value = np.rint(TURN_BITS * first_value) / TURN_BITS
        second_value = np.rint(TURN_BITS * second_value) / TURN_BITS
        turns[v[a] + c] = turns[other_u[b] + d] = first_value
        turns[other_v[b] + d] = turns[u[a] + c] = second_value
    return most

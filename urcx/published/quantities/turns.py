"""Events within a turn, and who is first on a tile: sections 4.4.1 and 5.2 of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from urcx.published.quantities.values import Params, Worded, changed
from urcx.rules import catalogue
from urcx.rules.model import RuleSet, check_flags
from urcx.rules.position import Position, parse_position
from urcx.strategy.dice import chances
from urcx.strategy.journey import track

Equation = dict[Any, Fraction]  # an equation: the coefficient of each state, and 1 for the constant


def _capturing_tiles(rules: RuleSet) -> list[str]:
    """Return the tiles on which light can capture."""
    check_flags("the list of tiles with captures", rules)
    stars = rules.path.board.rosettes if rules.rosette_protects else frozenset()
    return [tile for tile in rules.path.light if tile in rules.path.dark and tile not in stars]


def _captures_grant(rules: RuleSet) -> bool:
    """Return whether some capture grants an extra roll."""
    tiles = _capturing_tiles(rules)
    return bool(tiles) and (rules.capture_grants_roll or not rules.granting.isdisjoint(tiles))


def captures_a_turn(params: Params) -> str:
    """Return how many pieces can be captured in one turn.

    A capture ends the turn unless it grants an extra roll, by itself or by its tile; then another
    can follow.
    """
    rules = catalogue.ruleset(params["rules"])
    if not _capturing_tiles(rules):
        return "0"
    return "several" if _captures_grant(rules) else "1"


def roll_and_capture(params: Params) -> Worded:
    """Return whether an extra roll and a capture can occur together.

    In a turn they do if some moves by the ``rolls`` from the ``position`` yield both; with
    ``within`` "a move", if some capture grants an extra roll.
    """
    rules = catalogue.ruleset(params["rules"])
    if params.get("within") == "a move":
        tiles = ", ".join(_capturing_tiles(rules))
        if _captures_grant(rules):
            return Worded("both", f"captures on {tiles}")
        return Worded("not both", f"no capture on {tiles} grants a roll")
    rolls = [int(roll) for roll in params["rolls"]]
    lines = _lines(parse_position(params["position"]), rolls, rules)
    found = [line for line in lines if line[-1].endswith("captures")]
    if found and len(rolls) > 1:
        return Worded("both", "; ".join(found[0]))
    return Worded("not both", f"{params['rolls']} from {params['position']}")


roll_and_capture_readings = changed(("one and the same move, not a turn", {"within": "a move"}))


def _lines(position: Position, rolls: list[int], rules: RuleSet) -> Iterator[list[str]]:
    """Yield the moves of one turn by given rolls, in words; each roll after the first is extra."""
    from urcx.engine.moves import legal_moves

    for move in legal_moves(position, rolls[0], rules):
        words = f"{rolls[0]}: {move.describe(rules.path, light=position.light_to_move)}"
        if len(rolls) == 1:
            yield [words]
        elif move.rolls_again:
            for line in _lines(move.position, rolls[1:], rules):
                yield [words, *line]


def race(params: Params) -> Worded:
    """Return in words the edge of the player who begins in getting to a step first.

    With ``way`` "undisturbed", each moves a piece with every roll, and arrives when it is on the
    step or beyond. With "captures", each has one piece, which can be captured and blocked by the
    rules and must land on the step, which it may never do. The edge is significant if the
    probabilities of being first differ by ``significant`` or more.
    """
    rules = replace(catalogue.ruleset(params["rules"]), pieces=1)
    if params["way"] == "undisturbed":
        first = _undisturbed(rules, params["to"])
        second = 1 - first
    else:
        first, second = _with_captures(rules, params["to"])
    edge = first - second
    if edge >= Fraction(params["significant"]):
        words = "a significant edge"
    else:
        words = "a slight edge" if edge > 0 else "no edge"
    return Worded(words, f"{float(first):.2%} to {float(second):.2%}")


race_readings = changed(("by all the rules, with a piece each", {"way": "captures"}))


def _undisturbed(rules: RuleSet, to: int) -> Fraction:
    """Return the probability that the player to move is first."""
    way = track(rules)
    zero = chances(way.dice).get(0, Fraction(0))

    def moved(own: int, other: int) -> Fraction:
        """Return the part of the probability due to rolls above 0."""
        total = Fraction(0)
        for roll, p in chances(way.dice).items():
            end = own + roll
            if roll:
                again = end in way.rosettes
                total += p * (
                    1 if end >= to else first(end, other) if again else 1 - first(other, end)
                )
        return total

    @cache
    def first(own: int, other: int) -> Fraction:
        # A 0 passes the same race to the other side: x = a + z (1 - y), y = b + z (1 - x).
        a, b = moved(own, other), moved(other, own)
        return (a + zero * (1 - b) - zero * zero) / (1 - zero * zero)

    return first(0, 0)


def _with_captures(rules: RuleSet, to: int) -> tuple[Fraction, Fraction]:
    """Return the probabilities that the player who begins and the other one land there first."""
    start = parse_position("-/-/0-0/L")
    moves = _moves(rules, start)
    results = []
    for light in (True, False):
        rows: dict[Position, Equation] = {}
        for position, branches in moves.items():
            row: Equation = {position: Fraction(-1)}
            for p, after in branches:
                arrived = to in (after.light if position.light_to_move else after.dark)
                if arrived:
                    key: Any = 1 if position.light_to_move == light else None
                else:
                    key = after if after in moves else None  # the game is over
                if key is not None:
                    row[key] = row.get(key, Fraction(0)) + p
            rows[position] = row
        results.append(_solved(rows, start))
    return results[0], results[1]


def _moves(rules: RuleSet, start: Position) -> dict[Position, list[tuple[Fraction, Position]]]:
    """Return the successors of each position that can occur; all moves are forced."""
    from urcx.engine.moves import after_pass, legal_moves

    found: dict[Position, list[tuple[Fraction, Position]]] = {}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        if position in found or 1 in position.home:
            continue
        found[position] = []
        for roll, p in chances(rules.dice).items():
            moves = legal_moves(position, roll, rules)
            after = moves[0].position if moves else after_pass(position)
            found[position].append((p, after))
            waiting.append(after)
    return found


def _solved(rows: dict[Position, Equation], wanted: Position) -> Fraction:
    """Return the value of a state of a Markov chain, consuming its equations (each has sum 0).

    States are eliminated from the end of the game, where equations have few terms.
    """

    def progress(state: Position) -> int:
        return sum(state.light) + sum(state.dark)

    users: dict[Any, set[Position]] = {state: set() for state in rows}
    for state, row in rows.items():
        for key in row:
            if key in users:
                users[key].add(state)
    order = sorted(rows, key=progress, reverse=True)
    order.remove(wanted)
    for state in order:
        row = rows.pop(state)
        own = row.pop(state)
        for user in users.pop(state) & rows.keys():
            share = rows[user].pop(state) / -own
            for key, value in row.items():
                rows[user][key] = rows[user].get(key, Fraction(0)) + share * value
                if key in users:
                    users[key].add(user)
    last = rows[wanted]
    return last.get(1, Fraction(0)) / -last[wanted]

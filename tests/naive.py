"""Slow, obviously correct twins of the kernels: plain Python, written from the text of the rules.

Nothing here uses masks, tile polynomials or closed forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from operator import mul
from random import Random
from typing import Any, TypeVar

from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position, parse_position

State = TypeVar("State")
MASK_64 = (1 << 64) - 1


def placements(length: int, pieces: int) -> Iterator[tuple[int, ...]]:
    """Yield sorted steps of all pieces; 0, the pool, and length + 1, home, take any number."""

    def grow(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == pieces:
            yield chosen
            return
        last = chosen[-1] if chosen else 0
        for step in range(last, length + 2):
            if step not in chosen or step in (0, length + 1):
                yield from grow((*chosen, step))

    return grow(())


def diagrams(path: Path, pieces: int, dark_pieces: int | None = None) -> Iterator[Position]:
    """Yield every pair of placements in which no tile holds two pieces."""
    lights = list(placements(len(path.light), pieces))
    darks = list(placements(len(path.dark), pieces if dark_pieces is None else dark_pieces))
    for light, dark in product(lights, darks):
        on_light = tuple(step for step in light if 0 < step <= len(path.light))
        on_dark = tuple(step for step in dark if 0 < step <= len(path.dark))
        tiles = [path.light[s - 1] for s in on_light] + [path.dark[s - 1] for s in on_dark]
        if len(set(tiles)) == len(tiles):
            home = light.count(len(path.light) + 1), dark.count(len(path.dark) + 1)
            yield Position(on_light, on_dark, home)


def branches(diagram: Position, pieces: int) -> int:
    """Return light's branches: pieces on the board, and one if its pool is not empty."""
    return len(diagram.light) + (len(diagram.light) + diagram.home[0] < pieces)


def key(steps: tuple[int, ...], home: int, salt: int) -> int:
    """Return a placement's key, in unbounded integers cut to 64 bits."""
    v = (sum(1 << (step - 1) for step in steps) | home << 55) ^ salt
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
    v = (v ^ v >> 27) * 0x94D049BB133111EB & MASK_64
    return v ^ v >> 31


def checksum(found: list[Position]) -> int:
    """Return the sum of every diagram's hash, modulo 2^64."""
    total = 0
    for diagram in found:
        both = key(diagram.light, diagram.home[0], 0x9E3779B97F4A7C15) ^ key(
            diagram.dark, diagram.home[1], 0x6A09E667F3BCC909
        )
        folded = (both & 0xFFFFFFFF) * (both >> 32)
        total += folded ^ folded >> 29
    return total & MASK_64


def moves(position: Position, roll: int, rules: RuleSet) -> list[tuple[int, int, Position]]:
    """Return (from, to, position after) of every legal move, from the text of the rules."""
    mover = "L" if position.light_to_move else "D"
    ways = {"L": rules.path.light, "D": rules.path.dark}
    steps = {"L": position.light, "D": position.dark}
    home = {"L": position.home[0], "D": position.home[1]}
    enemy = "D" if mover == "L" else "L"
    way = ways[mover]
    found = []
    in_pool = rules.pieces - len(steps[mover]) - home[mover]
    for start in ([0] if in_pool else []) + list(steps[mover]):
        if roll == 0:
            continue  # nothing moves by nothing
        end = start + roll
        mine = [step for step in steps[mover] if step != start]
        theirs, mine_home = list(steps[enemy]), home[mover]
        again = False
        if end == len(way) + 1:
            mine_home += 1
        elif end > len(way):
            continue  # bearing off is exact
        else:
            tile = way[end - 1]
            if tile in [way[step - 1] for step in mine]:
                continue  # one piece a tile
            hit = [step for step in theirs if ways[enemy][step - 1] == tile]
            is_rosette = tile in rules.path.board.rosettes
            if hit and is_rosette and rules.rosette_protects:
                continue
            if hit and rules.captures_blocked:
                continue
            both = {*rules.path.light} & {*rules.path.dark} & rules.path.board.rosettes
            if hit and start and way[start - 1] in both and rules.rosette_disarms:
                continue
            theirs = [step for step in theirs if step not in hit]
            mine.append(end)
            some = rules.rosette_grants_roll
            granted = is_rosette and some if isinstance(some, bool) else tile in some
            again = granted or (bool(hit) and rules.capture_grants_roll)
        sides = {mover: (tuple(sorted(mine)), mine_home), enemy: (tuple(theirs), home[enemy])}
        after = Position(
            sides["L"][0],
            sides["D"][0],
            (sides["L"][1], sides["D"][1]),
            position.light_to_move == again,
        )
        found.append((start, end, after))
    return found


def perft(position: Position, depth: int, rules: RuleSet) -> int:
    """Return the nodes of the tree at a depth, by walking it."""
    if depth == 0:
        return 1
    if rules.pieces in position.home:
        return 0
    return sum(perft(at, depth - 1, rules) for _, after in rolled(position, rules) for at in after)


def lookahead_value(
    position: Position, plies: int, rules: RuleSet, leaf: str, depth: int, few_rolls: bool
) -> Fraction:
    """Return the value of a position to the player to move, ``plies`` before the leaves."""
    me = 0 if position.light_to_move else 1
    worth_home = rules.path.length + 2
    for side, sign in ((me, 1), (1 - me, -1)):
        if position.home[side] == rules.pieces:
            return Fraction(sign * worth_home * rules.pieces)
    if plies == 0:
        ways = rules.path.light, rules.path.dark
        steps = position.light, position.dark
        value = worth_home * (position.home[me] - position.home[1 - me])
        value += sum(steps[me]) - sum(steps[1 - me])
        # The centre is the first rosette that both players come to at the same step: B4.
        met = [a for a, b in zip(*ways, strict=False) if a == b and a in rules.path.board.rosettes]
        if leaf == "advance+centre" and met:
            for side, sign in ((me, 1), (1 - me, -1)):
                if met[0] in [ways[side][step - 1] for step in steps[side]]:
                    value += sign * 4
        return Fraction(value)
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    if few_rolls and depth - plies > 2:
        seen = sum(p for roll, p in chances.items() if roll in (1, 2, 3))
        chances = {roll: p / seen for roll, p in chances.items() if roll in (1, 2, 3)}
    total = Fraction(0)
    for roll, chance in chances.items():
        worth = []
        for after in [to for *_, to in moves(position, roll, rules)] or [passed(position)]:
            value_after = lookahead_value(after, plies - 1, rules, leaf, depth, few_rolls)
            same = after.light_to_move == position.light_to_move
            worth.append(value_after if same else -value_after)
        total += chance * max(worth)
    return total


def lookahead_values(
    position: Position, roll: int, depth: int, rules: RuleSet, leaf: str, few_rolls: bool
) -> list[tuple[int, Fraction]]:
    """Return (start, value to the mover) of every legal move."""
    found = []
    for start, _, after in moves(position, roll, rules):
        value = lookahead_value(after, depth - 1, rules, leaf, depth, few_rolls)
        same = after.light_to_move == position.light_to_move
        found.append((start, value if same else -value))
    return found


def passed(position: Position) -> Position:
    """Return the position with the other player to move."""
    return Position(position.light, position.dark, position.home, not position.light_to_move)


def rolled(position: Position, rules: RuleSet) -> list[tuple[Fraction, list[Position]]]:
    """Return the chance of each roll, and what it leads to, by a move or by a pass."""
    return [
        (chance, [to for *_, to in moves(position, roll, rules)] or [passed(position)])
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
    ]


def met(rules: RuleSet) -> dict[Position, list[tuple[Fraction, list[Position]]]]:
    """Return the unfinished positions that games come to, with what `rolled` says of them."""
    found: dict[Position, list[tuple[Fraction, list[Position]]]] = {}
    edge = [Position()]
    while edge:
        at = edge.pop()
        if at not in found and rules.pieces not in at.home:
            found[at] = rolled(at, rules)
            edge += [to for _, after in found[at] for to in after]
    return found


def visits(
    begin: Mapping[State, float], ways: Callable[[State], Iterable[tuple[State, float]]]
) -> dict[State, float]:
    """Return how often games come to each state, of which some begin in each of ``begin``.

    ``ways`` gives the states after a ply and their chances, none where a game is over.
    """
    known: dict[State, list[tuple[State, float]]] = {}
    found: dict[State, float] = defaultdict(float)
    waiting = dict(begin)
    while sum(waiting.values()) > 1e-13:
        later: dict[State, float] = defaultdict(float)
        for at, share in waiting.items():
            found[at] += share
            if at not in known:
                known[at] = list(ways(at))
            for to, chance in known[at]:
                later[to] += share * chance
        waiting = later
    return found


def random_ways(rules: RuleSet, at: Position) -> list[tuple[Position, float]]:
    """Return what random play makes of an unfinished position, for `visits`."""
    return [
        (to, float(chance) / len(after))
        for chance, after in rolled(at, rules)
        for to in after
        if rules.pieces not in at.home
    ]


def light_wins(
    rules: RuleSet, value: Callable[[Position], Any], certain: float = 1
) -> Callable[[Position], Any]:
    """Return light's chance in any position, from that of who is to move in unfinished ones.

    Chances are in units of which a certain win has ``certain``.
    """

    def chance(at: Position) -> Any:
        if rules.pieces in at.home:
            return certain * Fraction(at.home[0] == rules.pieces)
        return value(at) if at.light_to_move else certain - value(at)

    return chance


def eliminated(rows: list[tuple[Fraction, dict[int, Fraction]]]) -> list[Fraction]:
    """Return x of x[k] = b + sum of w[j] * x[j], for the (b, w) of every k, by elimination."""
    for k in range(len(rows)):
        constant, weights = rows[k]
        # Earlier unknowns have been put in terms of later ones.
        while (j := min(weights, default=k)) < k:
            factor = weights.pop(j)
            constant += factor * rows[j][0]
            for i, weight in rows[j][1].items():
                weights[i] = weights.get(i, Fraction(0)) + factor * weight
        own_part = 1 - weights.pop(k, Fraction(0))
        rows[k] = constant / own_part, {j: w / own_part for j, w in weights.items()}
    values = [Fraction(0)] * len(rows)
    for k in range(len(rows) - 1, -1, -1):
        constant, weights = rows[k]
        values[k] = constant + sum((w * values[j] for j, w in weights.items()), Fraction(0))
    return values


def by_progress(rules: RuleSet) -> list[Position]:
    """Return all unfinished positions, with either player to move, the most advanced ones first."""
    ends = len(rules.path.light) + 1, len(rules.path.dark) + 1
    unfinished = [at for at in diagrams(rules.path, rules.pieces) if rules.pieces not in at.home]
    unfinished.sort(
        key=lambda at: (sum(at.light + at.dark) + sum(map(mul, at.home, ends)), at), reverse=True
    )
    return [replace(at, light_to_move=light) for at in unfinished for light in (True, False)]


@cache
def perfect(rules: RuleSet) -> Mapping[Position, Fraction]:
    """Return light's chance in every position under perfect play, exactly.

    By policy iteration: with a choice for each position and roll, the chances are the solution of
    linear equations; where another choice is better, it is taken, until none is. Dark to move is
    light to move with the sides exchanged, where these are alike.
    """
    states = [at for at in by_progress(rules) if at.light_to_move or not rules.path.symmetric]
    number = {at: (k, False) for k, at in enumerate(states)}
    if rules.path.symmetric:
        number |= {exchanged(at): (k, True) for at, (k, _) in number.items()}
    games = [rolled(at, rules) for at in states]
    ends = {to for rolls in games for _, after in rolls for to in after if rules.pieces in to.home}
    ends |= {exchanged(at) for at in ends}
    won = {at: Fraction(at.home[0] == rules.pieces) for at in ends}

    def equation(
        moves: Iterable[tuple[Fraction, Position]],
    ) -> tuple[Fraction, dict[int, Fraction]]:
        constant, weights = Fraction(0), dict[int, Fraction]()
        for chance, to in moves:
            if to in won:
                constant += chance * won[to]
                continue
            k, other = number[to]
            constant += chance * other
            weights[k] = weights.get(k, Fraction(0)) + (-chance if other else chance)
        return constant, weights

    values: dict[Position, Fraction] = won | dict.fromkeys(number, Fraction(0))
    while True:
        rows = []
        for at, rolls in zip(states, games, strict=True):
            best = max if at.light_to_move else min
            rows.append(
                equation((chance, best(after, key=values.__getitem__)) for chance, after in rolls)
            )
        solved = eliminated(rows)
        renewed = {at: 1 - solved[k] if other else solved[k] for at, (k, other) in number.items()}
        if won | renewed == values:
            return values
        values = won | renewed


def exchanged(at: Position) -> Position:
    """Return a position with the sides exchanged."""
    return Position(at.dark, at.light, at.home[::-1], not at.light_to_move)


def perfect_value(rules: RuleSet, position: Position | str) -> Fraction:
    """Return the exact chance that who is to move in a position wins under perfect play."""
    at = parse_position(position) if isinstance(position, str) else position
    light = perfect(rules)[at]
    return light if at.light_to_move else 1 - light


def taken(position: Position, step: int, rules: RuleSet, left: int = 3) -> Fraction:
    """Return the probability that the mover captures the enemy's piece on a step, in one turn."""
    if left == 0:
        return Fraction(0)
    light = position.light_to_move
    total = Fraction(0)
    for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
        best = Fraction(0)
        for _, _, after in moves(position, roll, rules):
            if step not in (after.dark if light else after.light):
                best = Fraction(1)
            elif after.light_to_move == light:
                best = max(best, taken(after, step, rules, left - 1))
        total += chance * best
    return total


def sequence_gain(
    position: Position, starts: list[int], rules: RuleSet, known: int | None = None
) -> Fraction:
    """Return the mean gain of moving the pieces on some steps in turn, over all tuples of rolls.

    A piece that moves twice is written as -1 the second time: the piece that moved before.
    """
    light = position.light_to_move
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    total = Fraction(0)
    for rolls in product(rules.dice.rolls, repeat=len(starts)):
        if known not in (None, rolls[0]):
            continue
        weight = Fraction(1)
        for k, roll in enumerate(rolls):
            weight *= 1 if k == 0 and known is not None else chances[roll]
        at, worth, last = position, 0, 0
        for start, roll in zip(starts, rolls, strict=True):
            place = last if start == -1 else start
            made = [m for m in moves(at, roll, rules) if m[0] == place]
            if not made:
                break  # the rest of the turn is lost
            ((_, last, after),) = made
            before = (at.dark, after.dark) if light else (at.light, after.light)
            worth += roll + sum(set(before[0]) - set(before[1]))
            at = after
            if after.light_to_move != light:
                break
        end = passed(at) if at.light_to_move == light else at
        total += weight * worth
        if rules.pieces not in end.home:
            exposed = end.light if light else end.dark
            total -= weight * sum(step * taken(end, step, rules) for step in exposed)
    return total


def known_gains(position: Position, roll: int, rules: RuleSet) -> dict[int, Fraction]:
    """Return the gain of each legal move, a granted roll given to the best piece that may move."""
    found = {}
    for start, end, after in moves(position, roll, rules):
        found[start] = sequence_gain(position, [start], rules, roll)
        if after.light_to_move == position.light_to_move:
            seconds = {m[0] for r in rules.dice.rolls for m in moves(after, r, rules)}
            if seconds:
                found[start] = max(
                    sequence_gain(position, [start, -1 if s == end else s], rules, roll)
                    for s in seconds
                )
    return found


def random_positions(rules: RuleSet, number: int, seed: int) -> list[Position]:
    """Return positions that occur in random play."""
    chance = Random(seed)
    found: list[Position] = []
    at = Position()
    while len(found) < number:
        found.append(at)
        (roll,) = chance.choices(rules.dice.rolls, [float(p) for p in rules.dice.probabilities])
        at = chance.choice([after for _, _, after in moves(at, roll, rules)] or [passed(at)])
        if rules.pieces in at.home:
            at = Position()
    return found

"""A slow, plain reference implementation of the gambling kernels, from the text of the rules.

Nothing here uses arrays or closed forms. A side is 0 (light) or 1 (dark).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from urcx.contrib.gambling.rules import GamblingGame
from urcx.rules.model import Path


@dataclass(frozen=True)
class State:
    """Steps of both sides' pieces, both players' counters, and the pool's."""

    steps: tuple[tuple[int, ...], tuple[int, ...]]
    purses: tuple[int, int]
    pool: int


@dataclass(frozen=True)
class Done:
    """A move that was made, with its consequences."""

    after: State
    again: bool
    captured: bool
    landed: bool
    passed: int


def start(game: GamblingGame) -> State:
    zeros = (0,) * len(game.pieces)
    return State((zeros, zeros), (game.counters, game.counters), game.pool)


def way(game: GamblingGame, side: int) -> tuple[str, ...]:
    return (game.path.light, game.path.dark)[side]


def tile_of(game: GamblingGame, side: int, step: int) -> str | None:
    """Return the tile of a step, None for pool and home."""
    tiles = way(game, side)
    return tiles[step - 1] if 1 <= step <= len(tiles) else None


def entry(game: GamblingGame, piece: int) -> int:
    label = game.pieces[piece]
    return label.roll if game.choices["squares"] == "rolls" else label.step


def moves(game: GamblingGame, state: State, side: int, roll: int) -> dict[int, int]:
    """Return the legal moves of a roll: a map from pieces to the steps that they move to."""
    own = state.steps[side]
    home = len(way(game, side)) + 1
    last = len(game.pieces) - 1
    found = {}
    for piece, step in enumerate(own):
        if step == home or roll == 0:
            continue  # nothing moves by nothing
        if step == 0:
            needed = range(piece)
            if game.choices["order"] == "eagle" and piece == last:
                needed = range(min(1, piece))
            if roll != game.pieces[piece].roll or any(own[k] == 0 for k in needed):
                continue
            end = entry(game, piece)
        else:
            end = step + roll
        if end > home:
            continue
        tile = tile_of(game, side, end)
        others = [tile_of(game, side, s) for k, s in enumerate(own) if k != piece]
        enemies = [tile_of(game, 1 - side, s) for s in state.steps[1 - side]]
        if tile is not None:
            if tile in others:
                continue
            if tile in enemies and tile in game.path.board.rosettes:
                continue
        found[piece] = end
    return found


def paid(game: GamblingGame, due: int, there: int) -> int:
    return due if game.choices["stakes"] == "credit" else min(due, there)


def lose(game: GamblingGame, state: State, side: int, due: int) -> State:
    """Take counters from a player, and give them to the pool or the opponent, by the rules."""
    purses, pool = list(state.purses), state.pool
    amount = paid(game, due, purses[side])
    purses[side] -= amount
    if game.choices["losses"] == "opponent":
        purses[1 - side] += amount
    else:
        pool += amount
    return replace(state, purses=(purses[0], purses[1]), pool=pool)


def gain(game: GamblingGame, state: State, side: int, due: int) -> State:
    """Give a player counters from the pool."""
    purses = list(state.purses)
    amount = paid(game, due, state.pool)
    purses[side] += amount
    return replace(state, purses=(purses[0], purses[1]), pool=state.pool - amount)


def with_step(state: State, side: int, piece: int, step: int) -> State:
    rows = [list(row) for row in state.steps]
    rows[side][piece] = step
    return replace(state, steps=(tuple(rows[0]), tuple(rows[1])))


def move(game: GamblingGame, state: State, side: int, piece: int, end: int) -> Done:
    """Make a legal move."""
    begin = state.steps[side][piece]
    rosettes = game.path.board.rosettes
    value = game.pieces[piece].counters
    between = [tile_of(game, side, step) for step in range(begin + 1, end)]
    passed = sum(tile in rosettes for tile in between)
    tile = tile_of(game, side, end)
    landed = tile in rosettes
    if begin == 0 and game.choices["launch"] != "moves":
        passed = 0
    if begin == 0 and game.choices["launch"] == "appears":
        landed = False
    if tile is None and game.choices["leaving"] == "free":
        passed = 0
    captured = None
    if tile is not None:
        for k, step in enumerate(state.steps[1 - side]):
            if tile_of(game, 1 - side, step) == tile:
                captured = k
    after = with_step(state, side, piece, end)
    if captured is not None:
        after = with_step(after, 1 - side, captured, 0)
    if passed:
        times = 1 if game.choices["passing"] == "once" else passed
        after = lose(game, after, side, times * value)
    if landed:
        after = gain(game, after, side, value)
    again = landed and game.choices["rosette"] == "again"
    return Done(after, again, captured is not None, landed, passed)


def finished(game: GamblingGame, state: State, side: int) -> bool:
    return all(step == len(way(game, side)) + 1 for step in state.steps[side])


def settled(game: GamblingGame, state: State, finisher: int) -> State:
    """Return a finished game's state after the payments at its end."""
    loser = 1 - finisher
    due = 0
    for piece, step in zip(game.pieces, state.steps[loser], strict=True):
        on_board = tile_of(game, loser, step) is not None
        waiting = step == 0 and game.choices["payment"] == "unfinished"
        due += piece.counters if on_board or waiting else 0
    state = lose(game, state, loser, due)
    if game.choices["rest"] == "finisher" and state.pool > 0:
        state = gain(game, state, finisher, state.pool)
    return state


def lead(state: State, side: int) -> Fraction:
    return Fraction(state.purses[side] - state.purses[1 - side])


def value_of_move(
    game: GamblingGame, state: State, side: int, piece: int, end: int, plies: int
) -> Fraction:
    """Return a side's mean lead after a move and the plies that follow."""
    done = move(game, state, side, piece, end)
    if finished(game, done.after, side):
        return lead(settled(game, done.after, side), side)
    if done.again:
        return value(game, done.after, side, plies - 1)
    return -value(game, done.after, 1 - side, plies - 1)


def value(game: GamblingGame, state: State, side: int, plies: int) -> Fraction:
    """Return the mover's mean lead after a number of plies of optimal play."""
    if plies == 0:
        return lead(state, side)
    total = Fraction(0)
    for face, chance in enumerate(game.die.probabilities):
        total += chance * value_of_face(game, state, side, face, plies)
    return total


def best_of_roll(
    game: GamblingGame, state: State, side: int, roll: int, plies: int
) -> Fraction | None:
    values = [
        value_of_move(game, state, side, piece, end, plies)
        for piece, end in moves(game, state, side, roll).items()
    ]
    return max(values) if values else None


def value_of_second(game: GamblingGame, state: State, side: int, face: int, plies: int) -> Fraction:
    """Return the value of throwing the second die at the player's risk, if that is sensible."""
    passed = -value(game, state, 1 - side, plies - 1)
    double = best_of_roll(game, state, side, game.doubled[face], plies)
    yes = game.doubling
    return yes * (passed if double is None else double) + (1 - yes) * passed


def value_of_face(game: GamblingGame, state: State, side: int, face: int, plies: int) -> Fraction:
    single = best_of_roll(game, state, side, game.die.rolls[face], plies)
    if game.choices["double"] == "together":
        passed = -value(game, state, 1 - side, plies - 1)
        double = best_of_roll(game, state, side, game.doubled[face], plies)
        yes = game.doubling
        return yes * (passed if double is None else double) + (1 - yes) * (
            passed if single is None else single
        )
    second = value_of_second(game, state, side, face, plies)
    if single is None:
        return second
    return max(single, second) if may_throw(game, state, side, face) else single


def may_throw(game: GamblingGame, state: State, side: int, face: int) -> bool:
    """Return whether the second die may be thrown: not in order to wait, unless that is allowed."""
    first = moves(game, state, side, game.die.rolls[face])
    second = moves(game, state, side, game.doubled[face])
    return game.choices["waiting"] == "allowed" or not first or bool(second)


def kind(game: GamblingGame, state: State, side: int, end: int) -> int:
    """Return greedy's value of a move: 2 for a capture, 1 for a rosette, 0 for any other."""
    tile = tile_of(game, side, end)
    if tile is None:
        return 0
    if tile in [tile_of(game, 1 - side, step) for step in state.steps[1 - side]]:
        return 2
    return int(tile in game.path.board.rosettes)


def choice(
    game: GamblingGame, state: State, side: int, roll: int, agent: str, plies: int
) -> int | None:
    """Return the piece that an agent moves, None if none can; not for random."""
    legal = moves(game, state, side, roll)
    if not legal:
        return None
    own = state.steps[side]

    def liking(piece: int) -> tuple[Fraction, int]:
        if agent == "first":
            return Fraction(0), -own[piece]
        if agent == "last":
            return Fraction(0), own[piece]
        if agent == "greedy":
            return Fraction(kind(game, state, side, legal[piece])), own[piece]
        return value_of_move(game, state, side, piece, legal[piece], plies), own[piece]

    return max(legal, key=liking)


def throws(game: GamblingGame, state: State, side: int, face: int, agent: str, plies: int) -> bool:
    """Return whether an agent that is not random throws the second die."""
    legal = moves(game, state, side, game.die.rolls[face])
    if not legal:
        return True
    if agent == "greedy":
        more = moves(game, state, side, game.doubled[face])
        best = max(kind(game, state, side, end) for end in legal.values())
        return any(kind(game, state, side, end) > best for end in more.values())
    if agent == "winnings":
        single = best_of_roll(game, state, side, game.die.rolls[face], plies)
        assert single is not None
        better = value_of_second(game, state, side, face, plies) > single
        return better and may_throw(game, state, side, face)
    return False


def diagrams(path: Path, light: tuple[int, ...], dark: tuple[int, ...]) -> Iterator[State]:
    """Yield every pair of placements of labelled pieces in which no tile holds two."""
    places = [
        [0, *range(first, len(way) + 2)]
        for way, entries in ((path.light, light), (path.dark, dark))
        for first in entries
    ]
    for steps in product(*places):
        mine, theirs = steps[: len(light)], steps[len(light) :]
        tiles = [path.light[s - 1] for s in mine if 0 < s <= len(path.light)]
        tiles += [path.dark[s - 1] for s in theirs if 0 < s <= len(path.dark)]
        if len(set(tiles)) == len(tiles):
            yield State((mine, theirs), (0, 0), 0)

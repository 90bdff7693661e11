"""A naive simulator: random streams in unbounded integers, moves from the text of the rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import naive
import naive_wishes
import numpy as np
import pytest

from urcx.agents.search import LEAVES
from urcx.games import game_kernels
from urcx.games.match import KINDS
from urcx.games.records import Games
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position

WORD = 2**64


GOLDEN = 0x9E3779B97F4A7C15


def splitmix(state: int) -> int:
    """Return the output of SplitMix64 for a state, as published by its authors."""
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


@dataclass
class Stream:
    """A game's random stream."""

    state: int
    again: int = 0  # draws made again

    @classmethod
    def of(cls, seed: int, game: int) -> Stream:
        start = splitmix((seed + GOLDEN) % WORD)
        return cls(splitmix((start + game * GOLDEN) % WORD))

    def bits(self) -> int:
        self.state = (self.state + GOLDEN) % WORD
        return splitmix(self.state)


def bounded(half: int, n: int) -> int | None:
    """Return a 32-bit number as one of 0..n - 1, equally likely; None if it is rejected."""
    whole, left = divmod(half * n, 2**32)
    return None if left < 2**32 % n else whole


CAPTURE, ROSETTE, CENTRE, ENTER, BEAR_OFF = range(len(KINDS))  # as they are observed


Choice = tuple[int, int, Position]


Best = Callable[[Position, int, list[Choice], RuleSet], list[Choice]]


def any_move(_position: Position, _roll: int, moves: list[Choice], _rules: RuleSet) -> list[Choice]:
    return moves


def captures(position: Position, move: Choice) -> bool:
    light, dark = len(move[2].light), len(move[2].dark)
    return dark < len(position.dark) if position.light_to_move else light < len(position.light)


def tile(position: Position, step: int, rules: RuleSet) -> str:
    """Return the tile of the mover's step, "" for the pool and home."""
    way = rules.path.light if position.light_to_move else rules.path.dark
    return way[step - 1] if 0 < step <= len(way) else ""


def greedy(position: Position, _roll: int, moves: list[Choice], rules: RuleSet) -> list[Choice]:
    hits = [move for move in moves if captures(position, move)]
    rosettes = [m for m in moves if tile(position, m[1], rules) in rules.path.board.rosettes]
    return hits or rosettes or moves


def by_wishes(*wishes: str) -> Best:
    def best(position: Position, _roll: int, moves: list[Choice], rules: RuleSet) -> list[Choice]:
        return naive_wishes.wished(position, moves, rules, wishes)

    return best


def ahead(depth: int, leaf: str, few: bool) -> Best:
    def best(position: Position, roll: int, moves: list[Choice], rules: RuleSet) -> list[Choice]:
        found = dict(naive.lookahead_values(position, roll, depth, rules, leaf, few))
        return [move for move in moves if found[move[0]] == max(found.values())]

    return best


PLAYERS: dict[str, tuple[Best, str]] = {
    "random": (any_move, "random"),
    "first": (any_move, "first"),
    "last": (any_move, "last"),
    "greedy": (greedy, "last"),
    "greedy:random": (greedy, "random"),
    "priority:capture-advanced,least-risk:random": (
        by_wishes("capture-advanced", "least-risk"),
        "random",
    ),
    "priority:again-capture,flee,off": (by_wishes("again-capture", "flee", "off"), "last"),
    "expectimax:1": (ahead(1, LEAVES[0], few=False), "first"),
    "expectimax:2:random": (ahead(2, LEAVES[0], few=False), "random"),
    "expectimax:2:advance+centre:last": (ahead(2, LEAVES[1], few=False), "last"),
    "panda:4": (ahead(4, LEAVES[1], few=True), "first"),
}


@dataclass
class Record:
    """The counts of one side of a game."""

    turns: int = 0
    captures: int = 0
    rosettes: int = 0
    entries: int = 0
    borne_off: int = 0
    rolls: Counter[int] = field(default_factory=Counter)
    choices: Counter[int] = field(default_factory=Counter)
    entropy: float = 0.0
    habits: Counter[int] = field(default_factory=Counter)


def centre_tile(rules: RuleSet) -> str:
    both = zip(rules.path.light, rules.path.dark, strict=True)
    return next((a for a, b in both if a == b and a in rules.path.board.rosettes), "")


def standing(position: Position, side: int, rules: RuleSet) -> list[str]:
    way = (rules.path.light, rules.path.dark)[side]
    return [way[step - 1] for step in (position.light, position.dark)[side]]


def observe(
    position: Position,
    moves: list[Choice],
    move: Choice | None,
    after: Position,
    sides: list[Record],
    rules: RuleSet,
) -> None:
    """Count a ply for the habits."""
    k = game_kernels
    side = 0 if position.light_to_move else 1
    seen = sides[side].habits
    centre = centre_tile(rules)
    lane = set(rules.path.light) & set(rules.path.dark)
    if move is not None:
        home = (len(rules.path.light), len(rules.path.dark))[side] + 1
        kinds: dict[int, Callable[[Choice], bool]] = {
            CAPTURE: lambda m: captures(position, m),
            ROSETTE: lambda m: tile(position, m[1], rules) in rules.path.board.rosettes,
            CENTRE: lambda m: tile(position, m[1], rules) == centre != "",
            ENTER: lambda m: m[0] == 0,
            BEAR_OFF: lambda m: m[1] == home,
        }
        if len(moves) > 1:
            for kind, holds in kinds.items():
                seen[2 * kind] += any(holds(m) for m in moves)
                seen[2 * kind + 1] += holds(move) and any(holds(m) for m in moves)
        seen[k.LANDINGS] += kinds[CENTRE](move)
        there, here = tile(position, move[1], rules), tile(position, move[0], rules)
        seen[k.ENTRIES] += there in lane and here not in lane
    held = centre in standing(position, side, rules) and centre in standing(after, side, rules)
    seen[k.STAYED] += held
    for each in (0, 1):
        on = standing(after, each, rules)
        sides[each].habits[k.EXPOSED] += sum(at in lane for at in on)
        sides[each].habits[k.HELD] += centre in on


@dataclass
class Played:
    """A game of the naive simulator."""

    began: int
    won: int
    plies: int
    sides: list[Record]
    again: int


def play(light: str, dark: str, rules: RuleSet, seed: int, game: int, first: str) -> Played:
    stream = Stream.of(seed, game)
    began = {"light": 0, "dark": 1, "alternate": game % 2}.get(first)
    if began is None:
        began = stream.bits() >> 63
    slots = [roll for roll, share in zip(rules.dice.rolls, shares(rules.dice), strict=True)
             for _ in range(share)]  # fmt: skip
    position = Position(light_to_move=began == 0)
    sides = [Record(), Record()]
    plies, before = 0, None
    while rules.pieces not in position.home:
        plies += 1
        side = 0 if position.light_to_move else 1
        record = sides[side]
        record.turns += side != before
        before = side
        roll = None
        while roll is None:
            bits = stream.bits()
            slot = bounded(bits >> 32, len(slots))
            roll = None if slot is None else slots[slot]
            stream.again += slot is None
        half = bits % 2**32
        moves = sorted(naive.moves(position, roll, rules), key=lambda move: move[0])
        record.rolls[roll] += 1
        record.choices[len(moves)] += 1
        after, move = replace(position, light_to_move=not position.light_to_move), None
        if moves:
            best, ties = PLAYERS[(light, dark)[side]]
            good = best(position, roll, moves, rules)
            chosen: int | None = {"first": 0, "last": len(good) - 1}.get(ties)
            if chosen is None:
                record.entropy += math.log10(len(good))
                chosen = bounded(half, len(good))
                while chosen is None:
                    chosen = bounded(stream.bits() % 2**32, len(good))
            move = good[chosen]
            record.captures += captures(position, move)
            record.rosettes += tile(position, move[1], rules) in rules.path.board.rosettes
            on_board = bool(tile(position, move[1], rules))
            record.entries += move[0] == 0 and on_board
            record.borne_off += not on_board
            after = move[2]
        observe(position, moves, move, after, sides, rules)
        position = after
        if move is not None and after.light_to_move == (side == 0):
            continue  # the same turn
        before = None
    return Played(began, position.home.index(rules.pieces), plies, sides, stream.again)


def shares(dice: Dice) -> list[int]:
    common = math.lcm(*(p.denominator for p in dice.probabilities))
    return [int(p * common) for p in dice.probabilities]


def the_same(found: Games, row: int, ref: Played) -> None:
    """Assert that a row of the simulator's games is a game of the naive simulator."""
    assert found.results[row].tolist() == [ref.began, ref.won, ref.plies]
    for side, record in enumerate(ref.sides):
        fixed = [record.turns, record.captures, record.rosettes, record.entries, record.borne_off]
        rolls = [record.rolls[roll] for roll in found.rules.dice.rolls]
        choices = [record.choices[n] for n in range(found.rules.pieces + 1)]
        assert found.counts[row, side].tolist() == fixed + rolls + choices
        assert found.rolls[row, side].tolist() == rolls
        assert found.by_choices[row, side].tolist() == choices
        assert found.entropy[row, side] == pytest.approx(record.entropy, abs=1e-9)
        if len(found.habits):
            habits = [record.habits[k] for k in range(game_kernels.N_HABITS)]
            assert found.habits[row, side].tolist() == habits


def equal(a: Games, b: Games) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("counts", "results", "entropy", "habits")
    )

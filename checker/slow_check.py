"""The reference implementation of urcx-check: the same proof in exact fractions, for small games.

    python slow_check.py FILE

This program is plain Python with the standard library, written for readers. It shares no line with
urcx or urcx-check.c. Positions are tuples, listed in the order of the file (documentation,
"Formats"). The proof evaluates the rules in fractions, without rounding. A game of two pieces per
side takes seconds, a game of three takes minutes. The top of urcx-check.c explains the proof.
"""

from __future__ import annotations

import json
import struct
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

# The mover's pieces at home, the other player's, and the sets of steps of both sides' pieces.
State = tuple[int, int, frozenset[int], frozenset[int]]
Values = dict[State, Fraction]
KNOWN = {
    "name", "light", "dark", "rosettes", "pieces", "rolls", "probabilities",
    "rosette_grants_roll", "rosette_protects", "capture_grants_roll",
}  # fmt: skip


class Game:
    """The rules in a tablebase's header."""

    def __init__(self, rules: dict[str, Any]) -> None:
        if unknown := rules.keys() - KNOWN:
            raise ValueError(f"the rules have fields that this program does not know: {unknown}")
        self.pieces = rules["pieces"]
        self.dice = list(zip(rules["rolls"], map(Fraction, rules["probabilities"]), strict=True))
        if sum(chance for _, chance in self.dice) != 1:
            raise SystemExit("the probabilities do not sum to 1")
        light, dark = rules["light"], rules["dark"]
        self.steps = len(light)
        # The step of the other side that is on the same tile, for each step.
        self.opposite = {
            step: dark.index(tile) + 1 for step, tile in enumerate(light, 1) if tile in dark
        }
        images = dict(zip(light, dark, strict=True))
        rosettes = set(rules["rosettes"])
        grant = rules["rosette_grants_roll"]
        granting = set(grant) if isinstance(grant, list) else rosettes if grant else set()
        for tile, image in images.items():
            equal = (tile in rosettes, tile in granting) == (image in rosettes, image in granting)
            if not equal or images.get(image, tile) != tile or (image in light) != (tile in dark):
                raise SystemExit("the paths are not symmetric")
        self.grants = {step for step, tile in enumerate(light, 1) if tile in granting}
        self.safe = {
            step
            for step, tile in enumerate(light, 1)
            if tile in rosettes and rules["rosette_protects"]
        }
        self.capture_grants = rules["capture_grants_roll"]

    def successors(self, state: State, roll: int) -> list[tuple[State | None, bool]]:
        """Return the state after each legal move, None for a win, and whether the turn stays."""
        home, other_home, mine, theirs = state
        waiting = self.pieces - home - len(mine)
        moves: list[tuple[State | None, bool]] = []
        for step in sorted(mine | {0}) if roll else []:
            to = step + roll
            if (not step and not waiting) or to > self.steps + 1 or to in mine:
                continue
            left = mine - {step}
            if to == self.steps + 1:
                won = home + 1 == self.pieces
                moves.append((None, True) if won else ((other_home, home + 1, theirs, left), False))
                continue
            captured = self.opposite.get(to, 0) in theirs
            if captured and to in self.safe:
                continue
            after = theirs - {self.opposite[to]} if captured else theirs
            if to in self.grants or (captured and self.capture_grants):
                moves.append(((home, other_home, left | {to}, after), True))
            else:
                moves.append(((other_home, home, after, left | {to}), False))
        return moves or [((other_home, home, theirs, mine), False)]

    def layer(self, home: int, other_home: int) -> list[State]:
        """Return the states of a layer in the order of the file."""
        shared = [step for step in range(1, self.steps + 1) if step in self.opposite]
        private = [step for step in range(1, self.steps + 1) if step not in self.opposite]
        most, other_most = self.pieces - home, self.pieces - other_home
        patterns = []
        for digits in product(range(3), repeat=len(shared)):  # the last digit is the first tile
            tiles = list(zip(reversed(digits), shared, strict=True))
            mine = [step for holder, step in tiles if holder == 1]
            theirs = [self.opposite[step] for holder, step in tiles if holder == 2]
            if len(mine) <= most and len(theirs) <= other_most:
                patterns.append((-sum(mine) - sum(theirs), mine, theirs))
        patterns.sort(key=lambda pattern: pattern[0])  # a stable sort
        return [
            (home, other_home, frozenset(mine) | row, frozenset(theirs) | column)
            for _, mine, theirs in patterns
            for row in masks(private, most - len(mine))
            for column in masks(private, other_most - len(theirs))
        ]


def masks(private: list[int], most: int) -> list[frozenset[int]]:
    """Return the sets of at most ``most`` private tiles, in the order of the file."""
    numbers = [n for n in range(1 << len(private)) if n.bit_count() <= most]
    numbers.sort(key=lambda n: (n.bit_count(), n), reverse=True)
    return [frozenset(step for k, step in enumerate(private) if n >> k & 1) for n in numbers]


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; no field may occur twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise SystemExit(f"the header has a field twice, one of {', '.join(fields)}")
    return fields


def read(path: str) -> tuple[Game, Values]:
    """Return the rules in a tablebase, and its values in exact fractions."""
    data = Path(path).read_bytes()
    text = data[16 : 16 + int.from_bytes(data[8:16], "little")]
    header = json.loads(text, object_pairs_hook=each_once)
    if data[:8] != b"urcx-tb\n" or header["format"] != 4:
        raise SystemExit(f"{path} is not a tablebase of urcx in format 4")
    game = Game(header["rules"])
    kind, scale = {"f64": ("d", 1), "f32": ("f", 1), "u16": ("H", 65535)}[header["store"]]
    values: Values = {}
    for row in header["layers"]:
        states = game.layer(row["light"], row["dark"])
        if len(states) != row["states"]:
            raise SystemExit(f"layer {row['light']}-{row['dark']} has {len(states)} states")
        numbers = struct.unpack_from(f"<{len(states)}{kind}", data, row["offset"])
        values.update(
            (state, Fraction(value) / scale) for state, value in zip(states, numbers, strict=True)
        )
    if {state[:2] for state in values} != set(product(range(game.pieces), repeat=2)):
        raise SystemExit("the header lacks a layer")
    if not all(0 <= value <= 1 for value in values.values()):
        raise SystemExit("a value is not a probability from 0 to 1")
    return game, values


class Proof:
    """A proof in progress, with the error bounds of all values proven so far."""

    def __init__(self, game: Game, values: Values) -> None:
        self.game = game
        self.values = values
        self.errors: Values = dict.fromkeys(values, Fraction(0))
        self.gaps: dict[tuple[int, int], Fraction] = {}
        self.room = Fraction(8)  # the least slack of a state

    def after(self, state: State, roll: int, sign: int) -> list[tuple[Fraction, State | None]]:
        """Return the mover's value of each move, plus ``sign`` times its error bound."""
        values = []
        for to, again in self.game.successors(state, roll):
            value = Fraction(1)
            if to is not None:
                value = self.values[to] if again else 1 - self.values[to]
                value += sign * self.errors[to]
            values.append((value, to))
        return values

    def mean(self, state: State, sign: int) -> Fraction:
        """Return the mean over rolls of the greatest value after a move."""
        best = [max(v for v, _ in self.after(state, roll, sign)) for roll, _ in self.game.dice]
        chances = [chance for _, chance in self.game.dice]
        return sum((p * value for p, value in zip(chances, best, strict=True)), Fraction(0))

    def plies(self, states: list[State]) -> dict[State, float]:
        """Return an estimate of the plies that a game stays in a pair; the proof works with any."""
        near = Fraction(1, 1000)
        moves = {}
        for state in states:
            options = [(float(p), self.after(state, roll, 0)) for roll, p in self.game.dice]
            moves[state] = [
                (
                    p,
                    [
                        to
                        for value, to in moves_of_roll
                        if value > max(v for v, _ in moves_of_roll) - near
                    ],
                )
                for p, moves_of_roll in options
            ]
        plies = dict.fromkeys(states, 0.0)
        change = 1.0
        while change > 0.4:
            change = 0.0
            for state in states:
                new = 1.0 + sum(
                    p * max(0.0 if to is None else plies.get(to, 0.0) for to in best_moves)
                    for p, best_moves in moves[state]
                )
                change = max(change, new - plies[state])
                plies[state] = new
        return plies

    def prove(self, pair: set[tuple[int, int]]) -> None:
        """Prove a pair of layers; ``room`` is 0 or less if the proof fails."""
        states = [state for state in self.values if state[:2] in pair]
        residual = max(abs(self.mean(state, 0) - self.values[state]) for state in states)
        delta = 2 * (residual + Fraction(1, 10**15))
        behind = max(self.gaps.values(), default=Fraction(0))
        for state, plies in self.plies(states).items():
            self.errors[state] = behind + delta * Fraction(plies)
        for state in states:
            value, error = self.values[state], self.errors[state]
            self.room = min(
                self.room,
                value + error - self.mean(state, 1),
                self.mean(state, -1) - (value - error),
            )
        for layer in pair:
            self.gaps[layer] = max(self.errors[s] for s in states if s[:2] == layer)


def main(path: str) -> int:
    """Prove a tablebase; return 0 if it is proven, 1 if not."""
    game, values = read(path)
    proof = Proof(game, values)
    for i in reversed(range(game.pieces)):
        for j in reversed(range(i + 1)):
            proof.prove({(i, j), (j, i)})
            if proof.room <= 0 or proof.gaps[i, j] >= 1:
                sys.stdout.write(
                    f"NOT PROVEN: layers {i}-{j} and {j}-{i} are not near a solution\n"
                )
                return 1
    opening: State = (0, 0, frozenset(), frozenset())
    value, error = values[opening], proof.errors[opening]
    sys.stdout.write(
        "proven: the first player wins with a probability of\n"
        f"  at least {float(value - error):.17g}\n"
        f"  at most  {float(value + error):.17g}\n"
        f"any of {len(values)} values is off by at most {float(max(proof.gaps.values())):.3g}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

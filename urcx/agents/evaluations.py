"""Own static evaluations: weights as data, from a TOML file or a dict.

An evaluation is a sum over the agent's pieces, less a sum over the enemy's. ``steps`` has the
worth of a piece on each step of the path, ``home`` of a piece home. ``centre`` is added for a piece
on the centre rosette, ``rosettes`` for a piece on any rosette. ``exposed`` is added times the
probability that the enemy's next roll captures the piece by a legal move, even if the enemy does
not move next. It may be a list with a number for each step. If ``opposed`` is false, a piece on a
step on which the other side has a piece too counts nothing but its exposure. A finished game is
worth ``won`` to the winner and nothing else.

``advance`` and ``advance+centre`` are such data. Kernels compute in integers, so equal values are
exactly equal.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from urcx.agents.evaluation_kernels import LeafWeights
from urcx.engine.move_kernels import ROSETTES, SAME
from urcx.engine.moves import centre_step, tables
from urcx.errors import OutOfDomainError, UnusableFileError, UsageError, check_name, quoted
from urcx.reading import read_bytes
from urcx.rules.model import RuleSet
from urcx.solving.files.header import digest

SUFFIX = ".toml"
MOST_SOURCE = 1 << 20  # bytes of a file
MOST = 10**6  # of a weight
DECIMALS = 10**6  # weights are rounded to multiples of 1/DECIMALS

Numbers = tuple[Fraction, ...]


@dataclass(frozen=True)
class PieceWeights:
    """The worth of one side's pieces. None stands for the worth in ``advance``.

    Attributes
    ----------
    steps : tuple of Fraction or None
        A number for each step of the path, by default the step.
    home : Fraction or None
        By default the length of the path and 2 more.
    centre, rosettes : Fraction
    exposed : tuple of Fraction
        A number for each step of the path, or a single number for all steps.
    opposed : bool
        Whether a piece counts on a step on which the other side has a piece too.
    """

    steps: Numbers | None = None
    home: Fraction | None = None
    centre: Fraction = Fraction(0)
    rosettes: Fraction = Fraction(0)
    exposed: Numbers = (Fraction(0),)
    opposed: bool = True


@dataclass(frozen=True)
class Evaluation:
    """A static evaluation as data: the weights of both sides, and the worth of a won game.

    By default a won game counts as all of the agent's pieces home.
    """

    name: str
    own: PieceWeights
    enemy: PieceWeights
    won: Fraction | None = None


NAMED = {
    "advance": Evaluation("advance", PieceWeights(), PieceWeights()),
    "advance+centre": Evaluation(
        "advance+centre", PieceWeights(centre=Fraction(4)), PieceWeights(centre=Fraction(4))
    ),  # the agent in section 3.2
}
SINGLE = ("home", "centre", "rosettes")
KEYS = ("steps", *SINGLE, "exposed", "opposed")


def read_evaluation(source: str | Mapping[str, Any]) -> Evaluation:
    """Return the evaluation in a TOML file or a dict.

    Parameters
    ----------
    source
        The file, or a dict with the keys of `PieceWeights` for the agent's pieces, all optional.
        ``enemy`` has a dict with the same keys, by default the agent's values. ``won`` is the worth
        of a won game.

    Raises
    ------
    UnusableFileError
        If the file cannot be read.
    UsageError, UnknownNameError
        If it is not TOML, a key is unknown, or a value is not a number up to a million.
    """
    name = source if isinstance(source, str) else "weights"
    data = _parsed(source) if isinstance(source, str) else dict(source)
    for key in data:
        check_name(f"key of {name}", key, (*KEYS, "enemy", "won"))
    enemy = data.pop("enemy", {})
    if not isinstance(enemy, Mapping):
        raise UsageError(f"{name}: enemy {quoted(enemy)}: must be a table of weights")
    for key in enemy:
        check_name(f"key of enemy in {name}", key, KEYS)
    won = None if "won" not in data else _number(f"{name}: won", data.pop("won"))
    if won is not None and won <= 0:
        raise UsageError(f"{name}: won {float(won):g}: must be above 0")
    return Evaluation(name, _side(name, data), _side(f"{name}: enemy", {**data, **enemy}), won)


def _parsed(file: str) -> dict[str, Any]:
    try:
        text = read_bytes(file, MOST_SOURCE).decode()
        return tomllib.loads(text, parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnusableFileError(f"{file} is not a TOML file: {error}") from None


def _side(name: str, data: Mapping[str, Any]) -> PieceWeights:
    weights: dict[str, Any] = {
        key: _number(f"{name}: {key}", data[key]) for key in SINGLE if key in data
    }
    if "steps" in data:
        weights["steps"] = _numbers(f"{name}: steps", data["steps"])
    if "exposed" in data:
        exposed = data["exposed"]
        several = isinstance(exposed, Sequence | np.ndarray) and not isinstance(exposed, str)
        weights["exposed"] = _numbers(f"{name}: exposed", exposed if several else [exposed])
    if "opposed" in data:
        if not isinstance(data["opposed"], bool):
            raise UsageError(f"{name}: opposed {quoted(data['opposed'])}: must be true or false")
        weights["opposed"] = data["opposed"]
    return PieceWeights(**weights)


def _numbers(where: str, values: Any) -> Numbers:
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        raise UsageError(f"{where} {quoted(values)}: must be a list of numbers")
    return tuple(_number(where, value) for value in values)


def _number(where: str, value: Any) -> Fraction:
    """Return a weight, or raise `UsageError`."""
    try:
        size = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        size = math.nan
    if not abs(size) <= MOST:
        raise UsageError(f"{where} {quoted(value)}: must be a number from -{MOST:,} to {MOST:,}")
    return Fraction(round(size * DECIMALS), DECIMALS)


@dataclass(frozen=True)
class RuleWeights:
    """An evaluation for a rule set, with every weight.

    ``steps`` and ``exposed`` have a number for each step of the agent's pieces and of the enemy's,
    ``home``, ``centre`` and ``opposed`` one for each. ``won`` is the worth of a won game.
    """

    steps: tuple[Numbers, Numbers]
    exposed: tuple[Numbers, Numbers]
    home: Numbers
    centre: Numbers
    opposed: tuple[bool, bool]
    won: Fraction

    @property
    def alike(self) -> bool:
        """Return whether the enemy's pieces have the same weights."""
        pairs = self.steps, self.exposed, self.home, self.centre, self.opposed
        return all(own == enemy for own, enemy in pairs)

    def plain(self, rules: RuleSet) -> tuple[int, int] | None:
        """Return the worth of a piece home and of the centre, if kernels for ``advance`` serve.

        They need steps worth their number, and bounds of the gain of a move.
        """
        length = rules.path.length
        (home, _), (centre, _) = self.home, self.centre
        plain = (
            self.alike
            and self.steps[0] == tuple(range(1, length + 1))
            and not any(self.exposed[0])
            and self.opposed[0]
            and self.won == home * rules.pieces
            and home.denominator == centre.denominator == 1
            and home > length
            and centre >= 0
        )
        return (int(home), int(centre)) if plain else None


def rule_weights(evaluation: Evaluation, rules: RuleSet) -> RuleWeights:
    """Return every weight of an evaluation for a rule set, or raise `UsageError`.

    The weight of rosettes is added to the steps on them.
    """
    length, rosettes = rules.path.length, int(tables(rules).ways[0, ROSETTES])
    steps, exposed = [], []
    for side, text in ((evaluation.own, ""), (evaluation.enemy, "enemy: ")):
        every = tuple(map(Fraction, range(1, length + 1)))
        worth = every if side.steps is None else side.steps
        shown = side.exposed * length if len(side.exposed) == 1 else side.exposed
        for key, numbers in (("steps", worth), ("exposed", shown)):
            if len(numbers) != length:
                raise UsageError(
                    f"{evaluation.name}: {text}{key} has {len(numbers)} numbers: must have "
                    f"{length}, one for each step of {rules.path.name}"
                )
        on = [rosettes >> k & 1 for k in range(length)]
        steps.append(tuple(w + side.rosettes * o for w, o in zip(worth, on, strict=True)))
        exposed.append(shown)
    sides = evaluation.own, evaluation.enemy
    home = tuple(Fraction(length + 2) if side.home is None else side.home for side in sides)
    won = home[0] * rules.pieces if evaluation.won is None else evaluation.won
    if won <= 0:
        raise UsageError(
            f"{evaluation.name}: a won game is worth {float(won):g}: must be above 0. Set won"
        )
    held = bool(centre_step(rules.path))
    centre = tuple(side.centre if held else Fraction(0) for side in sides)
    opposed = evaluation.own.opposed, evaluation.enemy.opposed
    return RuleWeights((steps[0], steps[1]), (exposed[0], exposed[1]), home, centre, opposed, won)


def leaf_weights(weights: RuleWeights, rules: RuleSet) -> LeafWeights:
    """Return the weights as integers for kernels, all multiplied by the same ``unit``.

    Raises
    ------
    OutOfDomainError
        If the path differs between the sides.
    """
    if not rules.path.symmetric:
        raise OutOfDomainError(
            f"own evaluations need a path that is the same for both sides, unlike {rules.path.name}"
        )
    dice = rules.dice.probabilities
    common = math.lcm(*(p.denominator for p in dice))
    exposes = any(any(numbers) for numbers in weights.exposed)
    each = [*weights.steps, *weights.exposed, weights.home, weights.centre, (weights.won,)]
    unit = math.lcm(*(number.denominator for numbers in each for number in numbers))
    by = unit * common if exposes else unit
    length, way = rules.path.length, tables(rules).ways[0]
    middle = int(way[SAME + centre_step(rules.path)]) if centre_step(rules.path) else 0
    steps = np.zeros((2, length + 1), np.int64)
    exposed = np.zeros((2, length + 1), np.int64)
    for side in (0, 1):
        for k in range(length):
            worth = weights.steps[side][k] + weights.centre[side] * (middle >> k & 1)
            steps[side, k + 1] = int(worth * by)
            exposed[side, k + 1] = int(weights.exposed[side][k] * unit)
    return LeafWeights(
        steps=steps,
        exposed=exposed,
        home=np.array([int(worth * by) for worth in weights.home], np.int64),
        opposed=np.array([-1 if counts else 0 for counts in weights.opposed], np.int64),
        chances=np.array([int(p * common) for p in dice] if exposes else [0] * len(dice), np.int64),
        rolls=tables(rules).rolls,
        won=int(weights.won * by),
        unit=by,
        alike=weights.alike,
    )


def largest_leaf(leaves: LeafWeights, rules: RuleSet) -> int:
    """Return a number that the absolute value of no leaf exceeds."""
    total = 0
    for side in (0, 1):
        hit = abs(leaves.exposed[side]) * leaves.chances.sum()
        worth = int((abs(leaves.steps[side]) + hit).max())
        total += rules.pieces * max(worth, abs(int(leaves.home[side])))
    return max(total, leaves.won)


def weights_digest(leaves: LeafWeights) -> str:
    """Return a hash of the weights, which determine the values of all states."""
    parts = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in leaves._asdict().items()
    }
    return digest(parts)

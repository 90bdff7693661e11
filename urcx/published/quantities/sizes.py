"""The size of a game compared with others: powers, logarithms and comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from urcx.complexity import tiles
from urcx.complexity.game_tree import OtherGame, other_games
from urcx.errors import OutOfDomainError
from urcx.published.quantities.values import Params, Value, Worded
from urcx.rules import catalogue

NEAR = 10  # sizes within a factor of 10^10 are similar


def power_log10(params: Params) -> float:
    """Return log10 of b^d, or of (b c)^d if there is a c."""
    return float(params["d"] * math.log10(params["b"] * params.get("c", 1)))


def power_of(params: Params) -> int:
    """Return b^d, or (b c)^d, correct to some ten digits."""
    whole, rest = divmod(power_log10(params), 1)
    return int(round(10 ** (rest + 15)) * 10 ** (int(whole) - 15))


def other_plies(params: Params) -> Iterator[tuple[float, Params]]:
    """Yield the number of plies that the post actually uses."""
    if "d" in params:
        yield 1.0, {**params, "d": 120}


def compared(params: Params) -> str:
    """Compare the game tree given by the paper's b, c and N with that of another game.

    Figures within a factor of 10^10 are similar.
    """
    own = power_log10({"b": 2.45, "c": 5, "d": 106.35})
    printed = _other(params["game"]).gtc
    if abs(own - printed) < NEAR:
        return "similar"
    return "smaller" if own < printed else "larger"


def _other(name: str) -> OtherGame:
    return next(item for item in other_games() if item.name == name)


def other_game(params: Params) -> Value:
    """Return log10 of another game's tree, as in the paper's Table 1, or by its formula."""
    game = _other(params["game"])
    by = params.get("by", "Table 1")
    value = {
        "Table 1": game.gtc,
        "formula": game.with_chance,
        "formula without dice": game.without_chance,
    }[by]
    if value is None:
        raise OutOfDomainError(f"{game.name} has no formula")
    return round(value) if by == "Table 1" else value


def other_game_readings(params: Params) -> Iterator[tuple[str, Params]]:
    """Yield the game's formula, with and without dice."""
    counts = _other(params["game"]).counts
    yield f"its formula, {counts}", {**params, "by": "formula"}
    yield "its formula, without dice", {**params, "by": "formula without dice"}


def size_against(params: Params) -> Worded:
    """Return whether a size exceeds the figure ``than`` of another game, both as log10.

    The size is the states of a ``path``, or b^d.
    """
    if "path" in params:
        own = math.log10(tiles.diagrams(catalogue.path(params["path"]), params["pieces"]))
    else:
        own = power_log10(params)
    words = "more" if own > params["than"] else "less"
    return Worded(words, f"{own:.4g} to {params['than']}")


def share_of_time(params: Params) -> Fraction:
    """Return 2^``bits`` seconds as a share of ``years`` of ``days`` each."""
    seconds = Fraction(str(params["years"])) * Fraction(str(params["days"])) * 86_400
    return Fraction(2 ** int(params["bits"])) / seconds

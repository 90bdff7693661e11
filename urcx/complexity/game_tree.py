"""Game-tree complexity: the formula of each convention, applied to measurements of games.

The tree of this game is infinite, so every figure for its size is a convention. Each convention is
a function of measurements of games, and yields the base-10 logarithm of a number of leaves.
`convention_estimates` gives each with two intervals: ``ci95`` for the figure itself, by the
jackknife over games (which preserves correlations within a game), and ``games95``, which contains
95 % of single games if the formula is applied to each alone.

Symbols: d plies of both players (a roll with its move or pass), m moves of both, b legal moves in
the mean, b_i of a single ply, c outcomes of the dice, H the entropy of the dice in decimal digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.complexity import tiles
from urcx.reading import package_toml
from urcx.results.fields import Field, Format, decimals, fields_of
from urcx.results.numbers import interval
from urcx.results.tables import Column, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet

Array = NDArray[np.float64]
Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a probability (E. B. Wilson, 1927), for one trial or more."""
    share = hits / trials
    scale = 1 + Z95**2 / trials
    middle = (share + Z95**2 / (2 * trials)) / scale
    half = Z95 / scale * math.sqrt(share * (1 - share) / trials + Z95**2 / (4 * trials**2))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Measured:
    """Measurements of games, with one entry per game in each array.

    ``plies`` and ``moves`` of both players; ``choices``, legal moves summed over all plies (none
    for a pass); ``log_choices``, the sum of log10 of the legal moves of each move; ``log_picks``,
    the sum of -log10 of the probability with which the player chose its moves.
    """

    plies: Array
    moves: Array
    choices: Array
    log_choices: Array
    log_picks: Array


@dataclass(frozen=True)
class Constants:
    """Constants of a rule set: outcomes ``c`` and entropy ``h`` of the dice, and ``branches``.

    ``branches`` is the mean over all diagrams of how many pieces a player could move whatever the
    roll (the post's branching factor).
    """

    c: int
    h: float
    branches: float


Formula = Callable[[Measured, Constants], Array]
KEYS = Format(json=(("", list),), csv=())  # not in CSV, whose rows are of several kinds


@dataclass(frozen=True)
class Convention:
    """A convention: its notation, also in LaTeX, what it counts, and its formula.

    ``formula`` accepts means as well as single games. If ``mean_of_games``, it is applied to each
    game, and the figure is the mean of the results. ``sources`` are keys of the bibliography.
    """

    name: Annotated[str, Field("<convention", about="name of the convention", key="convention")]
    written: Annotated[
        str,
        Field(
            Column("formula", text=True, least=len("mean of sum -log p_i + d H")),
            about="how it is computed",
            key="formula",
        ),
    ]
    latex: str
    counts: Annotated[
        str,
        Field(
            Column("what it counts", text=True, secondary=True, least=24), about="what it counts"
        ),
    ]
    formula: Formula
    mean_of_games: bool = False
    sources: Annotated[
        tuple[str, ...],
        Field(kind=KEYS, about="who counts so, by keys of the bibliography (urcx cite)"),
    ] = ("urcx",)


def _per_ply(x: Measured) -> Array:
    return x.choices / x.plies


def _per_move(x: Measured) -> Array:
    return x.choices / x.moves


CONVENTIONS = (
    Convention(
        "raposo-lamont",
        "(b c)^(d/2)",
        r"(b c)^{d/2}",
        "the plies of one player; b legal moves a ply, 0 for a pass; all outcomes of the dice",
        lambda x, k: x.plies / 2 * np.log10(_per_ply(x) * k.c),
        sources=("raposo-lamont",),
    ),
    Convention(
        "raposo-lamont-both",
        "(b c)^d",
        r"(b c)^d",
        "as raposo-lamont, but the plies of both players, as for chess and backgammon",
        lambda x, k: x.plies * np.log10(_per_ply(x) * k.c),
        sources=("raposo-lamont",),
    ),
    Convention(
        "post",
        "b^d",
        r"b^d",
        "b pieces that could move whatever the roll, over all diagrams alike; plies of both",
        lambda x, k: x.plies * math.log10(k.branches),
        sources=("post",),
    ),
    Convention(
        "allis",
        "b^m",
        r"b^m",
        "b legal moves a move; moves of both, passes left out; no dice",
        lambda x, _: x.moves * np.log10(_per_move(x)),
        sources=("allis1994", "vandenherik2002"),
    ),
    Convention(
        "ludii",
        "mean of m log b",
        r"\overline{m \log b}",
        "as allis, but of each game by itself, then the mean of the logarithms",
        lambda x, _: x.moves * np.log10(_per_move(x)),
        mean_of_games=True,
        sources=("piette2020", "piette2021"),
    ),
    Convention(
        "sum-log",
        "mean of sum log b_i",
        r"\overline{\textstyle\sum \log b_i}",
        "the choices of each move multiplied along the game; no dice",
        lambda x, _: x.log_choices,
    ),
    Convention(
        "sum-log-outcomes",
        "mean of sum log (b_i c)",
        r"\overline{\textstyle\sum \log (b_i c)}",
        "as sum-log, and all outcomes of the dice at every ply",
        lambda x, k: x.log_choices + x.plies * math.log10(k.c),
    ),
    Convention(
        "sum-log-entropy",
        "mean of sum log b_i + d H",
        r"\overline{\textstyle\sum \log b_i + d H}",
        "as sum-log, and the dice by their entropy",
        lambda x, k: x.log_choices + x.plies * k.h,
    ),
    Convention(
        "entropy",
        "mean of sum -log p_i + d H",
        r"\overline{\textstyle\sum -\log p_i + d H}",
        "what the players and dice really do: its power of ten is the number of typical games",
        lambda x, k: x.log_picks + x.plies * k.h,
        sources=("shannon1948",),
    ),
)


@dataclass(frozen=True)
class Estimate:
    """A convention's figure as log10, with its intervals; None for a single game."""

    convention: Annotated[Convention, "the convention", *fields_of(Convention)]
    log10: Annotated[float, Field("log10", decimals(2), "the size of the tree")]
    ci95: Annotated[
        tuple[float, float] | None,
        Field("95 % interval", Format(partial(interval, digits=2)), "its 95 % interval"),
    ]
    games95: Annotated[
        tuple[float, float] | None,
        Field(
            secondary("95 % of games"),
            Format(partial(interval, digits=0)),
            "what 95 % of single games give",
        ),
    ]


ESTIMATE = fields_of(Estimate)


def tree_answer(
    rules: RuleSet, size: str, sizes: Collection[float], games: str, means: tuple[str, str]
) -> str:
    """Return the sentence on the size of a game tree.

    ``size`` is that by the first convention, and ``sizes`` are all, as log10; ``games`` says what
    they were found from, ``means`` are the plies of a game and the legal moves of a ply.
    """
    plies, moves = means
    low, high = round(min(sizes)), round(max(sizes))
    return (
        f"Game tree of {catalogue.game_name(rules)}: {size} as Raposo and Lamont count, 10^{low} "
        f"to 10^{high} by convention; {plies} plies, {moves} legal moves a ply ({games})"
    )


def plus_minus(value: str, half: str) -> str:
    """Return a value with half the width of its interval, in the usual form ``105.3 ± 0.1``."""
    return f"{value} ± {half}"


def with_interval(
    value: float, interval: tuple[float, float] | None, digits: int, sign: str = ""
) -> str:
    """Return a mean with so many decimals, and half the width of its interval if it has one.

    ``sign`` is ``+`` where positive values have one as well.
    """
    text = f"{value:{sign}.{digits}f}"
    if interval is None:
        return text
    return plus_minus(text, f"{(interval[1] - interval[0]) / 2:.{digits}f}")


def constants(rules: RuleSet) -> Constants:
    """Return the constants of a rule set for the conventions, computed exactly."""
    light, _ = tiles.branches(rules.path, rules.pieces)
    return Constants(
        len(rules.dice.rolls),
        entropy(rules.dice),
        light / tiles.diagrams(rules.path, rules.pieces),
    )


def symbols(rules: RuleSet) -> str:
    """Return what the symbols of the conventions' formulas are for a rule set."""
    fixed = constants(rules)
    return (
        f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes of the dice, "
        f"H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}"
    )


def entropy(dice: Dice) -> float:
    """Return the entropy of one roll in decimal digits."""
    return -sum(float(p) * math.log10(p) for p in dice.probabilities)


def convention_estimates(measured: Measured, fixed: Constants) -> tuple[Estimate, ...]:
    """Return every convention's figure with its intervals."""
    return tuple(_estimate(convention, measured, fixed) for convention in CONVENTIONS)


def at_means(measured: Measured, fixed: Constants) -> dict[str, float]:
    """Return the conventions' figures by name, from means alone.

    Conventions that are means over single games are left out.
    """
    return {
        convention.name: float(convention.formula(measured, fixed))
        for convention in CONVENTIONS
        if not convention.mean_of_games
    }


def _estimate(convention: Convention, x: Measured, fixed: Constants) -> Estimate:
    n = len(x.plies)
    single = convention.formula(x, fixed)
    if convention.mean_of_games:
        value = float(single.mean())
        error = float(single.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    else:
        columns = vars(x).values()
        value = float(convention.formula(Measured(*(np.array(a.mean()) for a in columns)), fixed))
        # The jackknife: recompute the figure without each of the games in turn.
        without = Measured(*((a.sum() - a) / max(n - 1, 1) for a in columns))
        again = convention.formula(without, fixed) if n > 1 else single
        error = math.sqrt((n - 1) / n * float(((again - again.mean()) ** 2).sum()))
    if n < 2:
        return Estimate(convention, value, None, None)
    low, high = np.quantile(single, [0.025, 0.975])
    interval = value - Z95 * error, value + Z95 * error
    return Estimate(convention, value, interval, (float(low), float(high)))


@dataclass(frozen=True)
class OtherGame:
    """Another game's figures, log10, as printed, and how its tree was estimated.

    ``formula`` is (b c)^d with ``b`` choices, ``c`` outcomes of dice (1 without any) and ``d``
    plies of both players, if the source has them; ``counts`` says what they are.
    """

    name: Annotated[str, Field("<game", about="name of another game", key="game")]
    source: Annotated[str, Field(about="where its sizes are printed")]
    ssc: Annotated[float, Field("states", decimals(0), "its number of states", key="ssc_log10")]
    gtc: Annotated[
        float, Field("as in Table 1", decimals(0), "its tree, as printed", key="gtc_log10")
    ]
    counts: Annotated[str, Field(about="what that counts")]
    b: float | None = None
    c: float | None = None
    d: float | None = None

    @property
    @Field(
        "both, dice",
        decimals(1),
        "plies of both, dice by their outcomes; null if unknown",
        key="with_chance_log10",
    )
    def with_chance(self) -> float | None:
        """Return d log10 (b c), or None if the source does not state them."""
        if self.b is None or self.c is None or self.d is None:
            return None
        return self.d * math.log10(self.b * self.c)

    @property
    @Field(
        "both, no dice",
        decimals(1),
        "plies of both, without dice; null if unknown",
        key="without_chance_log10",
    )
    def without_chance(self) -> float | None:
        """Return d log10 b, or None if the source does not state them."""
        return None if self.b is None or self.d is None else self.d * math.log10(self.b)


OTHER_GAMES = fields_of(OtherGame)


@cache
def other_games() -> tuple[OtherGame, ...]:
    """Return the other games that the sources compare with, from ``data/games.toml``."""
    return tuple(OtherGame(**row) for row in package_toml("complexity/data/games.toml")["game"])

"""Game-tree complexity: the formula of each convention, applied to measurements of games.

The game tree is infinite, so every figure for its size is a convention. A convention is a function
of measurements of games, and gives the base-10 logarithm of a number of leaves.
`convention_estimates` returns the figure of each convention with two intervals. ``ci95`` is the
interval of the figure itself, by the jackknife over games, which preserves correlations within a
game. ``games95`` contains 95 % of single games if the formula is applied to each game alone.

Symbols: d plies of both players (a roll with its move or pass), m moves of both players, b mean
number of legal moves, b_i legal moves of a single ply, c outcomes of the dice, H entropy of the
dice in decimal digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.complexity import tiles
from urcx.reading import package_toml
from urcx.results.fields import Field, Format, column, decimals, fields_of
from urcx.results.numbers import interval, with_interval
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

    - ``plies`` and ``moves`` of both players.
    - ``choices``: the legal moves of all plies, 0 for a pass.
    - ``log_choices``: the sum, over all moves, of log10 of the number of legal moves.
    - ``log_picks``: the sum, over all moves, of -log10 of the probability of the chosen move.
    """

    plies: Array
    moves: Array
    choices: Array
    log_choices: Array
    log_picks: Array


@dataclass(frozen=True)
class Constants:
    """Constants of a rule set: outcomes ``c`` and entropy ``h`` of the dice, and ``branches``.

    ``branches`` is the post's branching factor: the mean, over all configurations, of the number of
    pieces that a player could move with a suitable roll.
    """

    c: int
    h: float
    branches: float


Formula = Callable[[Measured, Constants], Array]
KEYS = Format(json=(("", list),), csv=())  # not in CSV, whose rows are of several kinds


@dataclass(frozen=True)
class Convention:
    """A convention: its notation, also in LaTeX, a description, and its formula.

    ``formula`` accepts means or single games. With ``mean_of_games`` it is applied to each game,
    and the figure is the mean of the results. ``sources`` are keys of the bibliography.
    """

    name: Annotated[str, Field("<convention", about="name of the convention", key="convention")]
    written: Annotated[
        str,
        Field(
            Column("formula", text=True, least=len("mean of sum -log p_i + d H")),
            about="the formula",
            key="formula",
        ),
    ]
    latex: str
    counts: Annotated[
        str,
        Field(
            Column("description", text=True, secondary=True, least=24),
            about="description of the convention",
        ),
    ]
    formula: Formula
    mean_of_games: bool = False
    sources: Annotated[
        tuple[str, ...],
        Field(kind=KEYS, about="its sources, as keys of the bibliography (urcx cite)"),
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
        "plies of one player; b: mean legal moves per ply, 0 for a pass; c: outcomes of the dice",
        lambda x, k: x.plies / 2 * np.log10(_per_ply(x) * k.c),
        sources=("raposo-lamont",),
    ),
    Convention(
        "raposo-lamont-both",
        "(b c)^d",
        r"(b c)^d",
        "as raposo-lamont, with the plies of both players, as for chess and backgammon",
        lambda x, k: x.plies * np.log10(_per_ply(x) * k.c),
        sources=("raposo-lamont",),
    ),
    Convention(
        "post",
        "b^d",
        r"b^d",
        "plies of both; b: mean pieces that could move with some roll, over all configurations",
        lambda x, k: x.plies * math.log10(k.branches),
        sources=("post",),
    ),
    Convention(
        "allis",
        "b^m",
        r"b^m",
        "moves of both, without passes; b: mean legal moves per move; no dice",
        lambda x, _: x.moves * np.log10(_per_move(x)),
        sources=("allis1994", "vandenherik2002"),
    ),
    Convention(
        "ludii",
        "mean of m log b",
        r"\overline{m \log b}",
        "as allis, but for each game separately; mean of the logarithms",
        lambda x, _: x.moves * np.log10(_per_move(x)),
        mean_of_games=True,
        sources=("piette2020", "piette2021"),
    ),
    Convention(
        "sum-log",
        "mean of sum log b_i",
        r"\overline{\textstyle\sum \log b_i}",
        "product of the numbers of legal moves in a game; no dice",
        lambda x, _: x.log_choices,
    ),
    Convention(
        "sum-log-outcomes",
        "mean of sum log (b_i c)",
        r"\overline{\textstyle\sum \log (b_i c)}",
        "as sum-log, with all outcomes of the dice at each ply",
        lambda x, k: x.log_choices + x.plies * math.log10(k.c),
    ),
    Convention(
        "sum-log-entropy",
        "mean of sum log b_i + d H",
        r"\overline{\textstyle\sum \log b_i + d H}",
        "as sum-log, with the entropy of the dice at each ply",
        lambda x, k: x.log_choices + x.plies * k.h,
    ),
    Convention(
        "entropy",
        "mean of sum -log p_i + d H",
        r"\overline{\textstyle\sum -\log p_i + d H}",
        "choices of the players and rolls by entropy; its power of ten counts typical games",
        lambda x, k: x.log_picks + x.plies * k.h,
        sources=("shannon1948",),
    ),
)


@dataclass(frozen=True)
class Estimate:
    """A convention's figure as log10, with its intervals, which are None for a single game."""

    convention: Annotated[Convention, "the convention", *fields_of(Convention)]
    log10: Annotated[float, Field(about="the size of the tree")]
    ci95: Annotated[tuple[float, float] | None, Field(about="its 95 % interval")]
    games95: Annotated[
        tuple[float, float] | None,
        Field(
            secondary("95 % of games"),
            Format(partial(interval, digits=0)),
            "the interval that contains 95 % of single games",
        ),
    ]


ESTIMATE = fields_of(Estimate)
LOG10 = column("log10", lambda item: with_interval(item.log10, item.ci95, 2))


def tree_answer(
    rules: RuleSet, size: str, sizes: Collection[float], games: str, means: tuple[str, str]
) -> str:
    """Return the sentence on the size of a game tree.

    ``size`` is the size by the first convention as text, and ``sizes`` are the sizes by all
    conventions, as log10. ``games`` describes the games behind them. ``means`` are the plies of a
    game and the legal moves per ply.
    """
    plies, moves = means
    low, high = round(min(sizes)), round(max(sizes))
    return (
        f"Game tree of {catalogue.game_name(rules)}: {size} as Raposo and Lamont count (plies of "
        f"one player), 10^{low} to 10^{high} by convention; {plies} plies of both players, {moves} "
        f"legal moves per ply ({games})"
    )


def constants(rules: RuleSet) -> Constants:
    """Return the constants of a rule set for the conventions, computed exactly."""
    light, _ = tiles.branches(rules.path, rules.pieces)
    return Constants(
        len(rules.dice.rolls),
        entropy(rules.dice),
        light / tiles.diagrams(rules.path, rules.pieces),
    )


def legal_moves_per_ply(rules: RuleSet) -> Fraction:
    """Return light's mean number of legal moves, exact, over all unfinished games and the dice.

    Every configuration counts once, and every roll by its probability, 0 included.
    """
    states = tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    moves = (p * tiles.legal_moves_of_roll(rules, roll) for roll, p in rules.dice.items())
    return sum(moves, Fraction(0)) / states


def legal_moves_per_roll(rules: RuleSet) -> Fraction:
    """Return the same mean over all rolls above 0, each counted once."""
    states = tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    rolls = [roll for roll in rules.dice.rolls if roll]
    return Fraction(
        sum(tiles.legal_moves_of_roll(rules, roll) for roll in rolls), states * len(rolls)
    )


def symbols(rules: RuleSet) -> str:
    """Return a note on the symbols of the conventions' formulas, with the values of a rule set."""
    fixed = constants(rules)
    return (
        f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes of the dice, "
        f"H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}, "
        "which ignores rolls. Legal moves over all unfinished configurations (exact): "
        f"{float(legal_moves_per_ply(rules)):.4f} per ply, "
        f"{float(legal_moves_per_roll(rules)):.4f} per roll if all rolls above 0 are alike"
    )


def entropy(dice: Dice) -> float:
    """Return the entropy of one roll in decimal digits."""
    return -sum(float(p) * math.log10(p) for p in dice.probabilities)


def convention_estimates(measured: Measured, fixed: Constants) -> tuple[Estimate, ...]:
    """Return every convention's figure with its intervals."""
    return tuple(_estimate(convention, measured, fixed) for convention in CONVENTIONS)


def at_means(measured: Measured, fixed: Constants) -> dict[str, float]:
    """Return the conventions' figures by name, computed from means alone.

    The result omits conventions that are means over single games.
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
        # The jackknife: compute the figure again without each game in turn.
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
    """Another game's figures, as log10 and as printed, and the formula behind its tree.

    The formula is (b c)^d with ``b`` choices, ``c`` outcomes of dice (1 without dice) and ``d``
    plies of both players, if the source states them. ``counts`` describes them.
    """

    name: Annotated[str, Field("<game", about="name of another game", key="game")]
    source: Annotated[str, Field(about="where its sizes are printed")]
    ssc: Annotated[float, Field("states", decimals(0), "its number of states", key="ssc_log10")]
    gtc: Annotated[
        float, Field("as in Table 1", decimals(0), "its tree, as printed", key="gtc_log10")
    ]
    counts: Annotated[str, Field(about="description of the tree's figure")]
    b: float | None = None
    c: float | None = None
    d: float | None = None

    @property
    @Field(
        "one, dice",
        decimals(1),
        "plies of one player, dice by their outcomes; null if unknown",
        key="one_player_log10",
    )
    def one_player(self) -> float | None:
        """Return d/2 log10 (b c), as Raposo and Lamont count Ur, or None as `with_chance`."""
        return None if self.with_chance is None else self.with_chance / 2

    @property
    @Field(
        "both, dice",
        decimals(1),
        "plies of both, dice by their outcomes, null if unknown",
        key="with_chance_log10",
    )
    def with_chance(self) -> float | None:
        """Return d log10 (b c), or None if the source does not state b, c and d."""
        if self.b is None or self.c is None or self.d is None:
            return None
        return self.d * math.log10(self.b * self.c)

    @property
    @Field(
        "both, no dice",
        decimals(1),
        "plies of both, without dice, null if unknown",
        key="without_chance_log10",
    )
    def without_chance(self) -> float | None:
        """Return d log10 b, or None if the source does not state b and d."""
        return None if self.b is None or self.d is None else self.d * math.log10(self.b)


OTHER_GAMES = fields_of(OtherGame)


@cache
def other_games() -> tuple[OtherGame, ...]:
    """Return the other games that the sources compare with, from ``data/games.toml``."""
    return tuple(OtherGame(**row) for row in package_toml("complexity/data/games.toml")["game"])

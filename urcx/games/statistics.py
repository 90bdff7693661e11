"""Measures of games: means with intervals, spread and quartiles.

A measure is a number per game, such as its plies, or a ratio of two numbers, such as legal moves
per ply. The mean of a ratio is the ratio of the sums over all games (all legal moves divided by all
plies). Its interval follows from the delta method. Spread and quartiles are computed from the
ratios of single games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.game_tree import Z95, Estimate, Measured, entropy, wilson
from urcx.errors import WrongObjectError
from urcx.games.records import Games
from urcx.results.fields import COUNT, TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import percent_text, percent_with_interval, with_interval
from urcx.results.result import Result, Rows
from urcx.results.tables import Column, Note, Table

__all__ = ["measures"]

Array = NDArray[np.float64]
SHARE = Format(percent_text)


# Measures in order: name in JSON, title, numerator, and denominator (for ratios).
MEASURES: tuple[tuple[str, str, str, str | None], ...] = (
    ("plies", "plies, both players", "plies", None),
    ("turns", "turns", "turns", None),
    ("moves", "moves", "moves", None),
    ("passes", "passes", "passes", None),
    ("decisions", "plies with two or more legal moves", "decisions", None),
    ("captures", "captures", "captures", None),
    ("rosettes", "rosettes landed on", "rosettes", None),
    ("choices_per_ply", "legal moves a ply, 0 for a pass", "choices", "plies"),
    ("choices_per_roll", "legal moves a roll above 0", "choices", "rolls"),
    ("choices_per_move", "legal moves a move", "choices", "moves"),
    (
        "choices_per_decision",
        "legal moves where there are two or more",
        "choices of decisions",
        "decisions",
    ),
    ("sum_log10_choices", "sum of log10 of the legal moves", "sum_log10_choices", None),
    ("entropy", "entropy of choices and dice, decimal digits", "entropy", None),
    # Kinds of plies: the shares of passes, entries, board moves and bearing off sum to 1.
    *(
        (f"share_{name}", f"{words}, share of plies", words, "plies")
        for name, words in (
            ("passes", "passes"),
            ("entries", "entries from the start pool"),
            ("board_moves", "moves on the board"),
            ("bearing_off", "pieces borne off"),
            ("captures", "captures"),
            ("extra_rolls", "extra rolls"),
        )
    ),
)


@dataclass(frozen=True)
class Measure:
    """A measure of games.

    Fields are None if they cannot be determined, or if the mean is exact and no games were played.
    The bound is None unless the mean is exact.
    """

    name: str
    title: Annotated[str, Field(about="description of the measure")]
    mean: Annotated[float, Field(about="mean over all games, or over all plies of all games")]
    sd: Annotated[float | None, Field(about="standard deviation of single games")]
    ci95: Annotated[tuple[float, float] | None, Field(about="95 % interval of the mean")]
    quartiles: Annotated[
        tuple[float, float, float] | None,
        Field(about="lower quartile, median and upper quartile of single games"),
    ]
    per_game: Annotated[
        float | None, Field(about="mean of the ratios of single games, if it differs from the mean")
    ] = None
    bound: Annotated[float | None, Field(about="error bound of an exact mean")] = None

    def record(self) -> dict[str, Any]:
        """Return the measure for JSON."""
        missing = [name for name in ("per_game", "bound") if getattr(self, name) is None]
        return MEASURE.without(*missing).record(self)

    def cells(self) -> list[str]:
        """Return the measure's row of a table, for `COLUMNS`. Shares are in percent."""
        if self.name.startswith("share_"):
            numbers = (self.sd, *(self.quartiles or ()))
            spread = ("" if x is None else f"{100 * x:.2f}" for x in numbers)
            return [self.title, percent_with_interval(self.mean, self.ci95), *spread]
        digits = 3 if abs(self.mean) < 10 else 2  # small means have more decimals
        quartiles = self.quartiles or ()
        integers = self.per_game is None and all(q.is_integer() for q in quartiles)
        return [
            self.title,
            with_interval(self.mean, self.ci95, digits),
            "" if self.sd is None else f"{self.sd:.{digits}f}",
            *(f"{q:.{0 if integers else digits}f}" for q in quartiles),
        ]


MEASURE = fields_of(Measure)
GTC_NAME = "urcx.gtc/1"
COLUMNS = (
    Column("measure", text=True, key=True, least=32),
    Column("mean"),
    *(
        Column(title, secondary=True)
        for title in ("deviation", "lower quartile", "median", "upper quartile")
    ),
)
SPREAD_NOTE = Note(
    "deviation and quartiles: of single games",
    *(column.title for column in COLUMNS if column.secondary),
)


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of JSON for CSV, with separate columns for intervals and quartiles."""
    flat: dict[str, Any] = {key: row[key] for key in ("mean", "sd", "exact", "bound") if key in row}
    for key, names in (
        ("ci95", ("ci95_low", "ci95_high")),
        ("quartiles", ("q1", "median", "q3")),
        ("games95", ("games95_low", "games95_high")),
    ):
        if row.get(key) is not None:
            flat |= dict(zip(names, row[key], strict=True))
    return flat


def flat_estimate(row: dict[str, Any]) -> dict[str, Any]:
    """Return a convention's row of JSON for CSV."""
    return {"kind": "gtc", "name": row["convention"], "mean": row["log10"], **flat(row)}


class Measures(Rows[Measure], function="measures"):
    """Measures of games, in order."""

    schema = GTC_NAME

    def document(self) -> dict[str, Any]:
        """Return the measures by name."""
        return {"measures": {item.name: item.record() for item in self}}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each measure."""
        return [{"name": item.name, "title": item.title, **flat(item.record())} for item in self]

    def tables(self) -> list[Table]:
        """Return the table of the measures."""
        return [Table("Measures", COLUMNS, [item.cells() for item in self], [SPREAD_NOTE])]


@dataclass(frozen=True)
class Sample(Result):
    """Games with their measures and the conventions' figures."""

    games: Games
    measures: Measures
    estimates: tuple[Estimate, ...]


def measure_table(title: str, games: Any, result: Iterable[Measure], ply: str) -> Table:
    """Return the table of the measures of games, with the note ``ply`` that defines a ply."""
    half = "±: half of its 95 % interval; " if len(games) > 1 else ""
    notes = [f"{half}mean of ratios: ratio of the sums over all plies", SPREAD_NOTE, ply]
    if games.interrupted:
        notes.insert(0, f"interrupted: {games.asked:,} games were requested")
    return Table(title, COLUMNS, [measure.cells() for measure in result], notes)


def interval_words(games: int, each: str = "") -> str:
    """Return words on the intervals of means, which a single game does not have."""
    return f"95 % interval{each}" if games > 1 else "without an interval"


def begins(first: str) -> str:
    """Return words on the first player, for a title."""
    words = {
        "alternate": "light and dark alternate as first player",
        "coin": "a coin decides the first player",
    }
    return words.get(first, f"{first} is the first player")


def plain(name: str, title: str, values: NDArray[np.generic]) -> Measure:
    """Return the measure of one number per game."""
    x = values.astype(np.float64)
    n = len(x)
    mean = float(x.mean())
    sd = float(x.std(ddof=1)) if n > 1 else None
    return Measure(name, title, mean, sd, _interval(mean, sd, n), _quartiles(x))


def ratio(name: str, title: str, above: NDArray[np.generic], below: NDArray[np.generic]) -> Measure:
    """Return the measure of a ratio per game, whose denominator may be 0 in some games.

    Raises
    ------
    ZeroDivisionError
        If the denominator is 0 in all games.
    """
    x, y = above.astype(np.float64), below.astype(np.float64)
    n = len(x)
    if not y.any():
        raise ZeroDivisionError(f"{name}: the denominator is 0 in all games")
    mean = float(x.sum() / y.sum())
    single = x[y > 0] / y[y > 0]
    # The delta method: the influence of a game on the ratio is (x - mean y) / (mean of y).
    error = float((x - mean * y).std(ddof=1) / y.mean()) if n > 1 else None
    sd = float(single.std(ddof=1)) if len(single) > 1 else None
    return Measure(
        name, title, mean, sd, _interval(mean, error, n), _quartiles(single), float(single.mean())
    )


def _interval(mean: float, sd: float | None, n: int) -> tuple[float, float] | None:
    if sd is None:
        return None
    half = Z95 * sd / math.sqrt(n)
    return mean - half, mean + half


def _quartiles(x: Array) -> tuple[float, float, float]:
    low, middle, high = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
    return low, middle, high


def measured(games: Games) -> Measured:
    """Return the inputs of the conventions of game-tree complexity."""
    by_choices = games.by_choices.sum(axis=1).astype(np.float64)
    number = np.arange(by_choices.shape[1])
    logs = np.log10(np.maximum(number, 1))
    plies = games.plies.astype(np.float64)
    return Measured(
        plies,
        plies - by_choices[:, 0],
        by_choices @ number,
        by_choices @ logs,
        games.entropy.sum(axis=1),
    )


def kinds_of_plies(counts: dict[str, Any], entries: Any, borne_off: Any) -> dict[str, Any]:
    """Return the plies of the kinds that have shares in `MEASURES`, from other counts.

    Entries and pieces borne off exclude each other: a piece that moves from the start pool home
    does not enter the board. Every extra roll is a ply that does not begin a turn.
    """
    return {
        "entries from the start pool": entries,
        "pieces borne off": borne_off,
        "moves on the board": counts["moves"] - entries - borne_off,
        "extra rolls": counts["plies"] - counts["turns"],
    }


def measures(games: Games) -> Measures:
    """Return every measure of the games, by name as in the JSON interface ``urcx.gtc/1``.

    Parameters
    ----------
    games
        The games, from `urcx.simulate`.

    Returns
    -------
    Measures
        A tuple of `Measure`.

    Raises
    ------
    UsageError
        If ``games`` has another type.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.simulate("greedy", "random", games=100, seed=1)
    >>> measures = urcx.measures(games)
    >>> [(measure.name, round(measure.mean, 2)) for measure in measures[:3]]
    [('plies', 127.85), ('turns', 103.7), ('moves', 117.63)]
    >>> measures.to_dict()["name"].tolist()[:3]
    ['plies', 'turns', 'moves']
    """
    if not isinstance(games, Games):
        raise WrongObjectError("games", Games, games)
    x = measured(games)
    by_choices = games.by_choices.sum(axis=1)
    rolls = games.rolls.sum(axis=1)
    zero = np.array([roll == 0 for roll in games.rules.dice.rolls])
    rolls_above_0 = rolls[:, ~zero].sum(axis=1)
    decisions = by_choices[:, 2:].sum(axis=1)
    chosen = by_choices[:, 2:] @ np.arange(2, by_choices.shape[1])
    light, dark = games.side("light"), games.side("dark")
    digits = x.plies * entropy(games.rules.dice)
    counts = {
        "plies": x.plies,
        "turns": light.turns + dark.turns,
        "moves": x.moves,
        "passes": x.plies - x.moves,
        "decisions": decisions,
        "captures": light.captures + dark.captures,
        "rosettes": light.rosettes + dark.rosettes,
        "choices": x.choices,
        "rolls": rolls_above_0,
        "choices of decisions": chosen,
        "sum_log10_choices": x.log_choices,
        "entropy": x.log_picks + digits,
    }
    counts |= kinds_of_plies(counts, light.entries + dark.entries, light.borne_off + dark.borne_off)
    return Measures(
        plain(name, title, counts[above])
        if below is None
        else ratio(name, title, counts[above], counts[below])
        for name, title, above, below in MEASURES
        if below is None or counts[below].any()
    )


WINNERS = {"light": "light wins", "dark": "dark wins", "first_mover": "first player wins"}


@dataclass(frozen=True)
class Tally:
    """The number of some cases and the total: games, rolls or plies.

    ``name`` names the cases. ``chance`` is their probability, if it is known.
    """

    name: str | int
    number: int
    total: int
    chance: Fraction | None = None

    @property
    def share(self) -> float:
        """Return the share of all cases."""
        return self.number / self.total

    @property
    def ci95(self) -> tuple[float, float]:
        """Return the 95 % interval of the share, for independent cases such as games."""
        return wilson(self.number, self.total)


WINS = Fields(
    Field("number", COUNT, "number of games", of="number", key="games"),
    Field(about="share of all games", key="share"),
    Field(about="95 % interval of the share", key="ci95"),
)
WON = column("share", lambda tally: percent_with_interval(tally.share, tally.ci95))
ROLLS = Fields(
    Field("<", Format("roll {}".format), "the roll", of="name", key="roll"),
    Field("number", COUNT, "frequency of the roll", of="number", key="thrown"),
    Field("share", SHARE, "share of all rolls", key="share"),
    Field("chance", TEXT, "probability of the roll", key="chance"),
)
LEGAL_MOVES = Fields(
    Field(about="a number of legal moves", of="name", key="legal_moves"),
    Field(kind=COUNT, about="plies with this number of legal moves", of="number", key="plies"),
    Field(about="share of all plies", key="share"),
)


def wins(games: Games) -> tuple[Tally, ...]:
    """Return the games won by ``light``, by ``dark`` and by the first player (``first_mover``)."""
    first, winner = games.results[:, 0], games.results[:, 1]
    won_by = {"light": winner == 0, "dark": winner == 1, "first_mover": winner == first}
    return tuple(Tally(name, int(won.sum()), len(games)) for name, won in won_by.items())


def rolls(games: Games) -> tuple[Tally, ...]:
    """Return the frequency of each roll, with its probability."""
    counts = games.rolls.sum(axis=(0, 1), dtype=np.int64)
    total, dice = int(counts.sum()), games.rules.dice
    return tuple(
        Tally(roll, int(count), total, chance)
        for roll, count, chance in zip(dice.rolls, counts, dice.probabilities, strict=True)
    )


def legal_move_counts(games: Games) -> tuple[Tally, ...]:
    """Return the numbers of plies with no legal move, one, two, and so on."""
    counts = games.by_choices.sum(axis=(0, 1), dtype=np.int64)
    total = int(counts.sum())
    return tuple(Tally(k, int(count), total) for k, count in enumerate(counts))

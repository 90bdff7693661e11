"""The figures of dice, journeys and gains."""

from __future__ import annotations

from matplotlib import rc_context
from matplotlib.ticker import MaxNLocator

from urcx.errors import UsageError
from urcx.reports.figures.labels import End, label_near
from urcx.reports.figures.plots import (
    COLOURS,
    RC,
    WIDTH,
    Drawing,
    caption,
    new_figure,
    path_look,
)
from urcx.results.result import Result
from urcx.strategy.dice import DiceChances, Distribution, chances, summary
from urcx.strategy.gain import READINGS, Gains
from urcx.strategy.journey import Journeys

WORDS = {"tables": "as in the tables", "text": "as in the text", "mended": "corrected"}
ROW = 0.22  # inches for a row of bars
FEW_TICKS, MOST_TICKS = 16, 30  # for horizontal names, and for one tick per step
MARGIN = 0.5  # of the axis of gains, for the numbers at the bars
COLUMNS = 2  # of panels, at most
MOST_ROLLS = 7  # difference of the last and first roll at which bars are too narrow for numbers


def journey_figure(result: Result) -> Drawing:
    """Return expected rolls to each step, exact and by the rule of thumb S / mean.

    Raises
    ------
    UsageError
        If the result is not about a single piece, or has only one step.
    """
    if not isinstance(result, Journeys):
        raise UsageError(
            "--plot draws the rolls of a single piece: leave out --pieces and --within"
        )
    if len(result.rows) < 2:
        raise UsageError(
            "--plot needs several steps for a curve: name several with --to, or all without it"
        )
    ticks = len(result.rows) <= MOST_TICKS
    with rc_context(RC):
        figure, (axes,) = new_figure(0.6 * WIDTH)
        thumb = [(leg.to, float(leg.approximation)) for leg in result.rows]
        passing = [(leg.to, float(leg.passing.rolls)) for leg in result.rows if leg.passing]
        colour = path_look(result.rules.path.name).colour
        curves = [
            (thumb, "tiles / mean roll", COLOURS[6], "--", "."),
            (passing, "on it or beyond", colour, "-", "o"),
        ]
        ends = []
        for points, label, paint, line, marker in curves:
            if points:
                axes.plot(
                    *zip(*points, strict=True), line, marker=marker, color=paint, ms=4, lw=1.5
                )
                ends.append(End(*points[len(points) // 2], label, paint))
        if ticks:
            goals = [leg.goal.replace(", rosette", "*") for leg in result.rows]
            upright = 90 if len(goals) > FEW_TICKS else 0
            axes.set_xticks([leg.to for leg in result.rows], goals, rotation=upright)
        axes.set_ylim(bottom=0.0)
        axes.set(xlabel="goal (*: a rosette)", ylabel="expected rolls")
        caption(
            figure,
            f"Rolls that a piece takes on average, {result.rules.name}",
            "Solid: every roll moves the piece until it is on the goal or beyond. Home needs the "
            "exact roll. Dashed: the estimate of Raposo and Lamont.",
        )
        label_near(axes, ends)
    return figure


def gain_figure(gains: Gains) -> Drawing:
    """Return the gain of sequences as bars, a panel for each reading."""
    names = [item.sequence for item in gains.of[READINGS[0]]]
    with rc_context(RC):
        figure, panels = new_figure(0.8 + ROW * len(names), len(READINGS), sharex=True, sharey=True)
        for axes, reading in zip(panels, READINGS, strict=True):
            values = [float(item.part("G")) for item in gains.of[reading]]
            bars = axes.barh(range(len(names)), values, 0.7, color=COLOURS[0])
            axes.bar_label(bars, [f"{value:.2f}" for value in values], padding=2)
            axes.axvline(0, color="#000000", lw=0.8)
            axes.set_title(WORDS[reading], loc="left")
            axes.grid(axis="y", visible=False)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
            axes.margins(x=MARGIN)
        axes = panels[0]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        panels[1].set_xlabel("gain G of moving these pieces, tiles")
        caption(
            figure,
            f"Gain of each sequence of moves in {gains.position.on(gains.rules.path)}, "
            f"{gains.rules.name}",
            f"{'All rolls' if gains.roll is None else f'First roll {gains.roll}'}. Readings: as in "
            "the tables of Raposo and Lamont, as in their text, and the mean over all rolls.",
        )
    return figure


def dice_figure(result: DiceChances) -> Drawing:
    """Return bars of each roll's probability in percent, a panel for each kind of dice.

    Raises
    ------
    UsageError
        If the result is not about each roll.
    """
    if not isinstance(result, Distribution):
        raise UsageError(f"--plot draws the probability of each roll, not of {result.what}")
    dice = result.dice
    rows = -(-len(dice) // COLUMNS)
    columns = -(-len(dice) // rows)
    with rc_context(RC):
        figure, panels = new_figure(1.9 * rows, columns, rows, sharey=True)
        for k, axes in enumerate(panels):
            if k >= len(dice):
                axes.remove()
                continue
            odds = chances(dice[k])
            shares = [100 * float(p) for p in odds.values()]
            bars = axes.bar(list(odds), shares, 0.8, color=COLOURS[0])
            narrow = 90 if max(odds) - min(odds) >= MOST_ROLLS else 0
            labels = [f"{share:.3g}" for share in shares]
            axes.bar_label(bars, labels, padding=2, rotation=narrow)
            axes.set_xticks(list(odds))
            axes.margins(y=0.15)
            axes.grid(axis="x", visible=False)
            moments = summary(dice[k])
            title = f"{dice[k].name}: mean {moments.mean}, variance {moments.variance}"
            axes.set_title(title, loc="left")
            if k + columns >= len(dice):
                axes.set_xlabel("roll")
        for axes in panels[::columns]:
            axes.set_ylabel("probability, %")
        caption(
            figure,
            "Probability of each roll",
            "Exact. Raposo and Lamont show binary4 in their Figure 5.",
        )
    return figure

"""The figures of dice, journeys and gains."""

from __future__ import annotations

from matplotlib import rc_context
from matplotlib.figure import Figure

from urcx.errors import UsageError
from urcx.reports.figures.labels import End, label_beside
from urcx.reports.figures.plots import (
    COLOURS,
    RC,
    caption,
    grouped_bars,
    new_figure,
    path_look,
)
from urcx.results.result import Result
from urcx.strategy.dice import DiceChances, Distribution, chances, summary
from urcx.strategy.gain import READINGS, Gains
from urcx.strategy.journey import Journeys

WIDTH = 4.8  # inches: fits the page of a phone
WIDE = 7.2
WORDS = {"tables": "tables", "text": "text", "mended": "corrected"}
HATCHES = ("", "///", "\\\\\\")
BAR = 0.87  # share of a place's width that its bars take
MOST_TICKS = 40  # for one tick per step
TICK = 0.34  # inches per tick
COLUMNS = 4  # of panels, at most
MOST_ROLLS = 7  # difference of the last and first roll at which bars are too narrow for numbers


def journey_figure(result: Result, width: float | None = None) -> Figure:
    """Return expected rolls to each step, exact and by the rule of thumb S / mean.

    ``width`` is in inches. By default it follows from the number of steps.

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
        room = max(WIDE, 1.2 + TICK * ticks * len(result.rows)) if width is None else width
        figure, (axes,) = new_figure(room, 0.65 * (width or WIDE))
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
                ends.append(End(*points[-1], label, paint))
        if ticks:
            goals = [leg.goal.replace(", rosette", "*") for leg in result.rows]
            axes.set_xticks([leg.to for leg in result.rows], goals, fontsize=7 if width else 8)
        axes.set_ylim(bottom=0.0)
        axes.set(xlabel="goal (*: a rosette)", ylabel="expected rolls")
        axes.set_title("How many rolls a piece takes on average", loc="left")
        caption(
            figure,
            "Solid: every roll moves the piece until it is on the goal or beyond. Home needs the "
            "exact roll. Dashed: the estimate of Raposo and Lamont.",
        )
        label_beside(axes, ends)
    return figure


def gain_figure(gains: Gains) -> Figure:
    """Return the gain of sequences in each reading as bars."""
    names = [item.sequence for item in gains.of[READINGS[0]]]
    with rc_context(RC):
        figure, (axes,) = new_figure(max(WIDTH, 0.8 + 0.95 * len(names)), 3.3)
        places = range(len(names))
        bars = [
            (WORDS[reading], places, [float(item.part("G")) for item in gains.of[reading]])
            for reading in READINGS
        ]
        grouped_bars(axes, bars, HATCHES, BAR, ".2f", fontsize=7)
        axes.axhline(0, color="#000000", lw=0.8)
        axes.set_xticks(places, names)
        axes.margins(y=0.15)
        axes.set(xlabel="sequence of pieces moved", ylabel="gain G, tiles")
        axes.set_title("Gain of each sequence, in three readings", loc="left", pad=24)
        axes.legend(
            frameon=False, fontsize=8.5, ncols=4, loc="upper left", bbox_to_anchor=(-0.02, 1.13),
            columnspacing=1.0, handlelength=1.5,
        )  # fmt: skip
        caption(
            figure,
            f"Position {gains.position.on(gains.rules.path)}, {gains.rules.name}, "
            f"{'all rolls' if gains.roll is None else f'first roll {gains.roll}'}. Readings: as in "
            "the tables of Raposo and Lamont, as in their text, and the mean over all rolls.",
        )
    return figure


def dice_figure(result: DiceChances) -> Figure:
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
        width = max(3.1 * columns, WIDTH)
        figure, panels = new_figure(width, 2.6 * rows, columns, rows, sharey=True)
        for k, axes in enumerate(panels):
            if k >= len(dice):
                axes.remove()
                continue
            odds = chances(dice[k])
            shares = [100 * float(p) for p in odds.values()]
            bars = axes.bar(list(odds), shares, 0.8, color=COLOURS[0])
            narrow = 90 if max(odds) - min(odds) >= MOST_ROLLS else 0
            labels = [f"{share:.3g}" for share in shares]
            axes.bar_label(bars, labels, fontsize=7, padding=2, rotation=narrow)
            axes.set_xticks(list(odds))
            axes.margins(y=0.15)
            axes.grid(axis="x", visible=False)
            moments = summary(dice[k])
            title = f"{dice[k].name}: mean {moments.mean}, variance {moments.variance}"
            axes.set_title(title, loc="left", fontsize=8.5)
            if k + columns >= len(dice):
                axes.set_xlabel("roll")
        for axes in panels[::columns]:
            axes.set_ylabel("probability, %")
        figure.suptitle("Probability of each roll", x=0.01, ha="left", fontsize=12)
        caption(figure, "Exact. Raposo and Lamont show binary4 in their Figure 5.")
    return figure

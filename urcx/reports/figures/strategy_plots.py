"""The figures of dice, journeys, rushes and gains: what helps at the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from urcx.errors import UsageError
from urcx.reports.figures.labels import End, label_beside
from urcx.reports.figures.plots import (
    COLOURS,
    MARKERS,
    RC,
    caption,
    grouped_bars,
    named_alike,
    new_figure,
    path_look,
    power_label,
)
from urcx.rules.model import Dice
from urcx.strategy.dice import chances, summary
from urcx.strategy.gain import READINGS, Gains
from urcx.strategy.journey import Rushes
from urcx.strategy.track import Journey, Journeys

WIDTH = 4.8  # inches: a phone's page shows it in its size
WIDE = 7.2
WORDS = {"tables": "tables", "text": "text", "mended": "corrected"}
HATCHES = ("", "///", "\\\\\\")
BAR = 0.87  # share of a place's width that its bars take
MOST_TICKS = 40  # a step for each
TICK = 0.34  # inches for each
ROW = 0.3  # inches for each path that can be rushed
DICE_HATCHES = ("", "///", "...", "xxx", "---")
DICE_BAR = 0.88  # share of a roll's width that its bars take
MOST_BESIDE = 4  # kinds of dice whose bars stand beside each other
COLUMNS = 4  # of panels for more than these, at most
MOST_ROLLS = 7  # rolls from the first to the last, from which bars are too narrow for their numbers


def journey_figure(found: Journeys, width: float | None = None) -> Figure:
    """Return expected rolls to each step, exact and by the rule of thumb S / mean.

    ``width`` is in inches; if None, it follows from the number of steps.

    Raises
    ------
    UsageError
        If there is only one step.
    """
    if len(found.rows) < 2:
        raise UsageError("one step gives no curve to draw; name several, or none for all of them")
    ticks = len(found.rows) <= MOST_TICKS
    with rc_context(RC):
        room = max(WIDE, 1.2 + TICK * ticks * len(found.rows)) if width is None else width
        figure, (axes,) = new_figure(room, 0.65 * (width or WIDE))
        steps = [leg.to for leg in found.rows]
        thumb = [float(leg.approximation) for leg in found.rows]
        passing = [(leg.to, float(leg.passing.rolls)) for leg in found.rows if leg.passing]
        chosen = [(leg.to, float(leg.chosen.rolls)) for leg in found.rows if leg.chosen]
        colour = path_look(found.rules.path.name if found.rules else "bell").colour
        curves = [
            (list(zip(steps, thumb, strict=True)), "tiles / mean roll", COLOURS[6], "--", "."),
            (passing, "on it or beyond", colour, "-", "o"),
            (chosen, "exactly on it", COLOURS[1], ":", "s"),
        ]
        ends = []
        for points, label, paint, line, marker in curves:
            if points:
                axes.plot(
                    *zip(*points, strict=True), line, marker=marker, color=paint, ms=4, lw=1.5
                )
                ends.append(End(*points[-1], label, paint))
        if ticks:
            size = 8 if width is None else 7
            axes.set_xticks(steps, [_place(leg) for leg in found.rows], fontsize=size)
        axes.set_ylim(bottom=0.0)
        axes.set(
            xlabel="goal (*: a rosette)" if found.rules else "tiles to go", ylabel="expected rolls"
        )
        axes.set_title("How many rolls a piece takes on average", loc="left")
        caption(
            figure,
            "Solid: every roll moves the piece, until it is on the goal or beyond; home needs the "
            "exact roll. Dotted: until it lands on the goal, if other pieces take the rolls that "
            "do not suit it. Dashed: the estimate of Raposo and Lamont.",
        )
        label_beside(axes, ends)
    return figure


def _place(leg: Journey) -> str:
    """Return what a journey's goal is called at an axis: ``B4*``, ``home`` or a number of tiles."""
    if leg.goal.endswith(" on"):
        return str(leg.tiles)
    return leg.goal.replace(", rosette", "*")


def rush_figure(found: Rushes) -> Figure:
    """Return how likely a rush is on each path where there is one, a dot for each kind of dice.

    Paths on which it is equally likely with all dice share a row.

    Raises
    ------
    UsageError
        If a piece can be rushed on none of them.
    """
    by_path: dict[str, dict[str, float]] = {}
    for row in found.rows:
        if row.probability:
            by_path.setdefault(row.path.name, {})[row.dice.name] = math.log10(row.probability)
    if not by_path:
        raise UsageError("--plot: there is nothing to draw, as no piece can be rushed here")
    alike: dict[tuple[tuple[str, float], ...], list[str]] = {}
    for name, sizes in by_path.items():
        alike.setdefault(tuple(sizes.items()), []).append(name)
    rows = sorted(alike.items(), key=lambda row: max(size for _, size in row[0]))
    dice = list(dict.fromkeys(row.dice.name for row in found.rows))
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDE, 1.6 + ROW * len(rows))
        for n, kind in enumerate(dice):
            dots = [(x, k) for k, (row, _) in enumerate(rows) for one, x in row if one == kind]
            if dots:
                k = n % len(COLOURS)
                look: dict[str, Any] = {"color": COLOURS[k], "ms": 6, "label": kind}
                axes.plot(*zip(*dots, strict=True), MARKERS[k], **look)
        axes.set_yticks(range(len(rows)), [named_alike(names) for _, names in rows], fontsize=8.5)
        axes.set_ylim(-0.6, len(rows) - 0.4)
        every = [x for row, _ in rows for _, x in row]
        axes.set_xlim(math.floor(min(every)) - 0.2, math.ceil(max(every)) + 0.2)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.xaxis.set_major_formatter(FuncFormatter(power_label))
        axes.set_xlabel("probability that a turn is a rush")
        # A probability's logarithm and that of the games have a constant sum.
        turned = partial(np.subtract, -math.log10(found.turns))
        above = axes.secondary_xaxis("top", functions=(turned, turned))
        above.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        above.xaxis.set_major_formatter(FuncFormatter(power_label))
        above.set_xlabel("games for one rush")
        axes.set_title(
            "How likely a rush is: from the start to home in one turn", loc="left", pad=10
        )
        figure.legend(frameon=False, fontsize=8.5, loc="outside right center")
        caption(
            figure,
            f"Exact, for a piece alone on the board. Games for one rush: if it is tried in all "
            f"{found.turns} turns of a player. A dot that is missing: it is impossible.",
        )
    return figure


def gain_figure(gains: Gains, printed: Mapping[str, str] | None = None) -> Figure:
    """Return the gain of sequences in each reading as bars, and printed figures as marks."""
    names = [item.sequence for item in gains.of[READINGS[0]]]
    with rc_context(RC):
        figure, (axes,) = new_figure(max(WIDTH, 0.8 + 0.95 * len(names)), 3.3)
        places = range(len(names))
        bars = [
            (WORDS[reading], places, [float(item.part("G")) for item in gains.of[reading]])
            for reading in READINGS
        ]
        grouped_bars(axes, bars, HATCHES, BAR, ".2f", fontsize=7)
        marks = [] if printed is None else [float(printed[n]) for n in names if n in printed]
        if printed is not None and len(marks) == len(names):
            look: dict[str, Any] = {"color": "#000000", "ms": 6, "mfc": "none"}
            axes.plot([n - 0.49 for n in places], marks, "D", label="as printed", **look)
        axes.axhline(0, color="#000000", lw=0.8)
        axes.set_xticks(places, names)
        axes.margins(y=0.15)
        axes.set(xlabel="sequence of pieces moved", ylabel="gain G, tiles")
        axes.set_title("Gain of each sequence, in three readings", loc="left", pad=24)
        axes.legend(
            frameon=False, fontsize=8.5, ncols=4, loc="upper left", bbox_to_anchor=(-0.02, 1.13),
            columnspacing=1.0, handlelength=1.5,
        )  # fmt: skip
        said = (
            f"Position {gains.position.on(gains.rules.path)}, {gains.rules.name}, "
            f"{'all rolls' if gains.roll is None else f'first roll {gains.roll}'}. Readings: as in "
            "the tables of Raposo and Lamont, as in their text, and the mean over all rolls."
        )
        if printed is not None:
            said = (
                "Position of Table 3 of Raposo and Lamont. Diamonds: as printed there. On average "
                "over all rolls (corrected) no sequence loses tiles."
            )
        caption(figure, said)
    return figure


# --- dice


def dice_figure(dice: Sequence[Dice], width: float | None = None) -> Figure:
    """Return bars of each roll's probability in percent, beside each other for several dice.

    More than `MOST_BESIDE` kinds have a panel each.

    ``width`` is the figure's in inches; if None, it follows from the number of bars.
    """
    if len(dice) > MOST_BESIDE:
        return _apart(dice)
    with rc_context(RC):
        rolls = sorted({roll for item in dice for roll in item.rolls})
        room = max(6.4, 1.2 + 0.42 * len(rolls) * len(dice)) if width is None else width
        figure, (axes,) = new_figure(room, min(4.8, 0.75 * room))
        turned = 90 if room * DICE_BAR / len(rolls) / len(dice) < 0.35 else 0  # inches per bar
        bars = [
            (
                f"{item.name}: mean {summary(item).mean}, variance {summary(item).variance}",
                list(chances(item)),
                [100 * float(p) for p in chances(item).values()],
            )
            for item in dice
        ]
        grouped_bars(axes, bars, DICE_HATCHES, DICE_BAR, ".3g", fontsize=8, rotation=turned)
        axes.set_xticks(rolls)
        axes.set(xlabel="roll", ylabel="probability, %")
        axes.set_ylim(top=(1.45 if turned else 1.3) * axes.get_ylim()[1])  # room for the legend
        axes.legend(frameon=False, fontsize=8.5, loc="upper left")
        axes.set_title("Probability of each roll", loc="left")
        caption(figure, "Exact. Raposo and Lamont show binary4 in their Figure 5.")
    return figure


def _apart(dice: Sequence[Dice]) -> Figure:
    """Return a panel for each kind of dice, all with the same axis of probabilities."""
    rows = -(-len(dice) // COLUMNS)
    columns = -(-len(dice) // rows)
    with rc_context(RC):
        figure, panels = new_figure(3.1 * columns, 2.6 * rows, columns, rows, sharey=True)
        for k, axes in enumerate(panels):
            if k >= len(dice):
                axes.remove()
                continue
            odds = chances(dice[k])
            shares = [100 * float(p) for p in odds.values()]
            bars = axes.bar(list(odds), shares, 0.8, color=COLOURS[0])
            narrow = 90 if max(odds) - min(odds) >= MOST_ROLLS else 0
            shown = [f"{share:.3g}" for share in shares]
            axes.bar_label(bars, shown, fontsize=7, padding=2, rotation=narrow)
            axes.set_xticks(list(odds))
            axes.margins(y=0.15)
            axes.grid(axis="x", visible=False)
            known = summary(dice[k])
            title = f"{dice[k].name}: mean {known.mean}, variance {known.variance}"
            axes.set_title(title, loc="left", fontsize=8.5)
            if k + columns >= len(dice):
                axes.set_xlabel("roll")
        for axes in panels[::columns]:
            axes.set_ylabel("probability, %")
        figure.suptitle("Probability of each roll", x=0.01, ha="left", fontsize=12)
        caption(figure, "Exact. Raposo and Lamont show binary4 in their Figure 5.")
    return figure

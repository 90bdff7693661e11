"""The figure of dice: the probability of each roll, Figure 5 of Raposo and Lamont."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from urcx.reports.figures.plots import RC, caption, grouped_bars, new_figure
from urcx.rules.model import Dice
from urcx.strategy.dice import chances, summary

HATCHES = ("", "///", "...", "xxx", "---")
BAR = 0.88  # share of a roll's width that its bars take


def dice_figure(dice: Sequence[Dice], width: float | None = None) -> Figure:
    """Return bars of each roll's probability in percent, beside each other for several dice.

    ``width`` is the figure's in inches; if None, it follows from the number of bars.
    """
    with rc_context(RC):
        rolls = sorted({roll for item in dice for roll in item.rolls})
        room = max(6.4, 1.2 + 0.42 * len(rolls) * len(dice)) if width is None else width
        figure, (axes,) = new_figure(room, min(4.8, 0.75 * room))
        turned = 90 if room * BAR / len(rolls) / len(dice) < 0.35 else 0  # inches per bar
        bars = [
            (
                f"{item.name}: mean {summary(item).mean}, variance {summary(item).variance}",
                list(chances(item)),
                [100 * float(p) for p in chances(item).values()],
            )
            for item in dice
        ]
        grouped_bars(axes, bars, HATCHES, BAR, ".3g", fontsize=8, rotation=turned)
        axes.set_xticks(rolls)
        axes.set(xlabel="roll", ylabel="probability, %")
        axes.set_ylim(top=(1.45 if turned else 1.3) * axes.get_ylim()[1])  # room for the legend
        axes.legend(frameon=False, fontsize=8.5, loc="upper left")
        axes.set_title("Probability of each roll", loc="left")
        caption(figure, "Exact. Raposo and Lamont show binary4 in their Figure 5.")
    return figure

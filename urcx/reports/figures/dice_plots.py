"""The figure of dice: the probability of each roll, Figure 5 of Raposo and Lamont."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from urcx.reports.figures.plots import COLOURS, RC, caption, grouped_bars, new_figure
from urcx.rules.model import Dice
from urcx.strategy.dice import chances, summary

HATCHES = ("", "///", "...", "xxx", "---")
MOST_BESIDE = 4  # kinds of dice whose bars stand beside each other
COLUMNS = 4  # of panels for more than these, at most
NARROW = 7  # rolls from the first to the last, whose bars are too narrow for their numbers
BAR = 0.88  # share of a roll's width that its bars take


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
            narrow = 90 if max(odds) - min(odds) >= NARROW else 0
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

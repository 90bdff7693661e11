"""The report's own figures: values, lengths, regrets, journeys, gains and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from urcx.play.regret import Judged
from urcx.published.figures import VERDICTS, Source
from urcx.published.verify import Verdict
from urcx.reports.plots import COLOURS, MARKERS, RC, SIGNS, End, caption, label_ends, new_figure
from urcx.strategy.gain import READINGS
from urcx.strategy.journey import Journey

WIDTH = 6.6  # inches: text stays readable where the page is as wide as a phone
HATCHES = ("", "///", "xxx", "...")


def openings_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return what beginning is worth over the number of pieces, a curve for each rule set."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in sorted(rows, key=lambda row: (row["rules"], row["pieces"])):
        curves.setdefault(row["rules"], []).append((row["pieces"], 100 * row["opening"]))
    with rc_context(RC):
        figure = _curves(curves, "who begins wins, %")
        caption(
            figure,
            "Chances before the first roll, proven to more digits than can be seen. None of the\n"
            "sources prints what beginning is worth.",
        )
    return figure


def lengths_by_pieces(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the exact mean length of a game over the number of pieces, a curve for each agent."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        curves.setdefault(row["agent"], []).append((row["pieces"], row["plies"]))
    with rc_context(RC):
        figure = _curves(curves, "plies of both players, mean of all games")
        caption(
            figure,
            "finkel's rules; exact, nothing is sampled. Passes are plies. With 7 pieces Raposo\n"
            "and Lamont measured 212.7 plies in games of their agent.",
        )
    return figure


def _curves(curves: Mapping[str, Sequence[tuple[int, float]]], label: str) -> Figure:
    figure, (axes,) = new_figure(WIDTH, 4.2)
    ends = []
    last = max(x for points in curves.values() for x, _ in points)
    for k, (name, points) in enumerate(curves.items()):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, "-", color=COLOURS[k], marker=MARKERS[k], markersize=6, lw=1.6)
        ends.append(
            End(last, y[-1], f"{SIGNS[k]} {name} {y[-1]:.2f}", COLOURS[k])
        )  # all beside the axes
    numbers = sorted({x for points in curves.values() for x, _ in points})
    axes.set_xticks(numbers)
    axes.set_xlim(numbers[0] - 0.3, numbers[-1] + 0.3)
    axes.margins(y=0.12)
    axes.set_xlabel("pieces a side, p")
    axes.set_ylabel(label)
    label_ends(axes, ends, gap=0.06)
    return figure


def regrets_figure(found: Judged) -> Figure:
    """Return what agents give away in a game against perfect play, least first."""
    rows = sorted(found.regrets, key=lambda item: -item.side.loss)
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 1.5 + 0.5 * len(rows))
        values = [100 * item.side.loss for item in rows]
        bars = axes.barh([item.agent.name for item in rows], values, color=COLOURS[0], height=0.6)
        shown = [
            f"{v:.2f} (wins {item.side.wins:.1%})" for v, item in zip(values, rows, strict=True)
        ]
        axes.bar_label(bars, shown, padding=4, fontsize=9)
        axes.set_xlim(0, 1.45 * max([*values, 1e-9]))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("chance of winning given away in a game, %")
        caption(
            figure,
            f"{found.rules.name}, {found.rules.pieces} pieces a side; exact over all states.\n"
            "The sources judge agents by games, not against perfect play.",
        )
    return figure


def journey_figure(legs: Sequence[Journey], rules: str) -> Figure:
    """Return expected rolls to each step, exact and by the rule of thumb S / mean."""
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 4.2)
        steps = [leg.to for leg in legs]
        thumb = [float(leg.approximation or 0) for leg in legs]
        passing = [(leg.to, float(leg.passing.rolls)) for leg in legs if leg.passing]
        axes.plot(steps, thumb, "--", color=COLOURS[1], lw=1.5)
        axes.plot(*zip(*passing, strict=True), "-o", color=COLOURS[0], ms=5, lw=1.5)
        ends = [
            End(steps[-1], thumb[-1], "S / mean", COLOURS[1]),
            End(passing[-1][0], passing[-1][1], "exact", COLOURS[0]),
        ]
        axes.set_xticks(steps)
        axes.set_xlabel("step; the last is home")
        axes.set_ylabel("expected rolls until there or beyond")
        label_ends(axes, ends, gap=0.06)
        caption(
            figure,
            f"{rules}, every roll moves the piece. Raposo and Lamont's rule (dashed) leaves out\n"
            "that a piece overshoots; home must be hit exactly, which takes longer still.",
        )
    return figure


def gain_figure(rows: Sequence[Mapping[str, Any]], printed: Mapping[str, str]) -> Figure:
    """Return the gain of sequences in each reading as bars, and the printed figures as marks."""
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 4.2)
        names = [row["sequence"] for row in rows]
        width = 0.8 / len(READINGS)
        for k, reading in enumerate(READINGS):
            found = [row if reading == "tables" else row[reading] for row in rows]
            values = [float(Fraction(item["G"])) for item in found]
            places = [n + (k - (len(READINGS) - 1) / 2) * width for n in range(len(rows))]
            bars = axes.bar(
                places, values, width, color=COLOURS[(0, 5, 2)[k]], hatch=HATCHES[k],
                edgecolor="white", label=reading,
            )  # fmt: skip
            axes.bar_label(bars, [f"{v:.2f}" for v in values], fontsize=7.5, padding=2)
        marks = [float(printed[name]) for name in names if name in printed]
        if len(marks) == len(names):
            axes.plot(
                [n - 0.47 for n in range(len(names))],
                marks,
                "D",
                color="#000000",
                ms=6,
                mfc="none",
                label="as printed",
            )
        axes.axhline(0, color="#000000", lw=0.8)
        axes.set_xticks(range(len(names)), names)
        axes.grid(axis="x", visible=False)
        axes.margins(y=0.15)
        axes.set_xlabel("sequence of pieces moved")
        axes.set_ylabel("gain G, tiles")
        axes.legend(
            frameon=False, fontsize=8.5, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.12)
        )
        caption(
            figure,
            "Position of Raposo and Lamont's Table 3 (diamonds: as printed there). Reckoned as\n"
            "their text says, the sums differ; in the mean over all rolls no sequence loses tiles.",
        )
    return figure


def verdicts_figure(found: Sequence[tuple[Source, Sequence[Verdict]]]) -> Figure:
    """Return the number of figures of each source by verdict, as shares of a bar."""
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 1.8 + 0.5 * len(found))
        names = [source.name for source, _ in reversed(found)]
        counts = [Counter(v.verdict for v in verdicts) for _, verdicts in reversed(found)]
        left = [0.0] * len(found)
        for k, verdict in enumerate(VERDICTS):
            shares = [100 * c[verdict] / max(sum(c.values()), 1) for c in counts]
            axes.barh(
                names, shares, 0.62, left=left, color=COLOURS[(2, 5, 1, 0)[k]], hatch=HATCHES[k],
                edgecolor="white", label=verdict,
            )  # fmt: skip
            left = [a + b for a, b in zip(left, shares, strict=True)]
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        for k, c in enumerate(counts):
            text = " / ".join(str(c[verdict]) for verdict in VERDICTS)
            axes.annotate(text, xy=(101.5, k), va="center", fontsize=9, annotation_clip=False)
        axes.set_xlabel("figures, % of the source's; their numbers beside the bars")
        axes.legend(
            frameon=False, fontsize=8.5, ncols=4, loc="lower left", bbox_to_anchor=(0.0, 1.0)
        )
        caption(
            figure,
            "Each to the digits printed. Raposo and Lamont's and Michon's tables need errata.",
        )
    return figure

"""The report's own figures: values, lengths, regrets and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from urcx.expectations.expected import Expected
from urcx.expectations.regret import Judged
from urcx.published.figures import VERDICTS, Source
from urcx.published.verify import Verdict, by_verdict
from urcx.reports.book.results import Opening, steady
from urcx.reports.figures.labels import End, label_beside, label_near
from urcx.reports.figures.plots import (
    COLOURS,
    RC,
    Look,
    caption,
    new_figure,
    path_look,
    rules_look,
)
from urcx.rules import catalogue

WIDTH = 4.8  # inches: a phone's page shows it in its size
CURVE = 3  # points that a curve needs; fewer are given in a sentence
# Agents are not drawn in the colour of a path.
PLAYERS = (Look(COLOURS[6], "o", "●"), Look(COLOURS[5], "s", "■"), Look(COLOURS[7], "D", "◆"))
HATCHES = ("", "///", "\\\\\\", "xxx", "++", "...")


def openings_figure(openings: Sequence[Opening]) -> Figure | None:
    """Return the value of the start by number of pieces, a curve for each rule set.

    None if no rule set has values for at least `CURVE` numbers of pieces.
    """
    curves: dict[str, list[tuple[int, float]]] = {}
    for item in sorted(openings, key=lambda item: (item.rules.name, item.rules.pieces)):
        points = curves.setdefault(item.rules.name, [])
        points.append((item.rules.pieces, 100 * item.opening))
    looks = {name: rules_look(catalogue.ruleset(name)) for name in curves}
    return _curves(
        curves,
        looks,
        "games won by the player who begins, %",
        "None of the sources prints what beginning is worth.",
    )


def lengths_by_pieces(means: Sequence[Expected]) -> Figure | None:
    """Return the exact mean length of a game by number of pieces, a curve for each agent.

    None if there are fewer than `CURVE` numbers of pieces.
    """
    curves: dict[str, list[tuple[int, float]]] = {}
    for item in means:
        points = curves.setdefault(item.light.name, [])
        points.append((item.rules.pieces, steady(item.measured.plies)))
    looks = dict(zip(curves, PLAYERS, strict=False))
    return _curves(
        curves,
        looks,
        "plies of both players, mean",
        "finkel's rules, passes counted. With 7 pieces Raposo and Lamont "
        "measured 212.7 plies in games of their agent.",
    )


def _curves(
    curves: Mapping[str, Sequence[tuple[int, float]]],
    looks: Mapping[str, Look],
    label: str,
    text: str,
) -> Figure | None:
    if max(map(len, curves.values())) < CURVE:
        return None
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 3.1)
        ends = []
        last = max(x for points in curves.values() for x, _ in points)
        for name, points in curves.items():
            x, y = zip(*points, strict=True)
            look = looks[name]
            axes.plot(x, y, "-", color=look.colour, marker=look.marker, markersize=6, lw=1.6)
            ends.append(End(x[-1], y[-1], f"{look.sign} {name} {y[-1]:.2f}", look.colour))
        numbers = sorted({x for points in curves.values() for x, _ in points})
        axes.set_xticks(numbers)
        axes.set_xlim(numbers[0] - 0.3, numbers[-1] + 0.3)
        axes.margins(y=0.12)
        axes.set(xlabel="pieces a side, p", ylabel=label)
        caption(figure, text)
        label_beside(axes, [end for end in ends if end.x == last])
        label_near(axes, [end for end in ends if end.x != last])
    return figure


def regrets_figure(found: Judged) -> Figure:
    """Return each agent's regret per game against perfect play, least first."""
    rows = sorted(found.regrets, key=lambda item: -item.side.loss)
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 1.0 + 0.38 * len(rows))
        values = [100 * item.side.loss for item in rows]
        colour = path_look(found.rules.path.name).colour
        bars = axes.barh([item.agent.name for item in rows], values, color=colour, height=0.6)
        shown = [
            f"{v:.2f} (wins {item.side.wins:.1%})" for v, item in zip(values, rows, strict=True)
        ]
        axes.bar_label(bars, shown, padding=4, fontsize=8.5)
        axes.set_xlim(0, 1.7 * max([*values, 1e-9]))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("chance of winning given away in a game, %")
        caption(figure, "The sources judge agents by games, not against perfect play.")
    return figure


def verdicts_figure(found: Sequence[tuple[Source, Sequence[Verdict]]]) -> Figure:
    """Return the number of figures of each source by verdict, as shares of a bar."""
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 1.2 + 0.34 * len(found))
        names = [source.name for source, _ in reversed(found)]
        counts = [by_verdict(verdicts) for _, verdicts in reversed(found)]
        left = [0.0] * len(found)
        for k, verdict in enumerate(VERDICTS):
            shares = [100 * c[verdict] / max(sum(c.values()), 1) for c in counts]
            axes.barh(
                names, shares, 0.62, left=left, hatch=HATCHES[k], edgecolor="white", label=verdict,
                color=COLOURS[(2, 5, 1, 1, 3, 0)[k]],
            )  # fmt: skip
            left = [a + b for a, b in zip(left, shares, strict=True)]
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        for k, c in enumerate(counts):
            text = " / ".join(str(c[verdict]) for verdict in VERDICTS)
            axes.annotate(text, xy=(101.5, k), va="center", fontsize=9, annotation_clip=False)
        axes.set_xlabel("figures, % of the source's; their numbers beside the bars")
        figure.legend(frameon=False, fontsize=8.5, ncols=2, loc="outside upper center")
        caption(figure, "Each figure to the digits that its source prints.")
    return figure

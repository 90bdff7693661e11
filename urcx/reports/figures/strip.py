"""The luck strip: the probability of each roll, and the win probability after it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from fractions import Fraction

from matplotlib import rc_context
from matplotlib.text import Text

from urcx.errors import UsageError
from urcx.reports.figures.labels import LINE, SIZE, extent, place_labels
from urcx.reports.figures.plots import GOLD, NAVY, RC, Drawing, caption, new_figure
from urcx.results.numbers import bound_text
from urcx.solving.probing import Probed

HEIGHT = 2.3  # inches
GAP = 0.004  # between columns, of the width of all
ROOM = 0.3  # above and below the columns for their numbers, of the height of all
MOVE_LINES = 3  # of a move in a narrow column
LEAST = 1.0  # points between the lowest and the highest column for which heights are scaled
INK = "#333333"


@dataclass(frozen=True)
class Column:
    """A roll: its probability, the mover's win probability after it, and the best move."""

    roll: int
    chance: Fraction
    value: float
    move: str


def columns_of(result: Probed) -> list[Column]:
    """Return the columns of a position, a column for each roll.

    Raises
    ------
    UsageError
        If the game is over, or the result is about a single roll.
    """
    if result.winner is not None:
        raise UsageError("--plot: the game is over, so there is no roll to draw")
    if result.roll is not None:
        raise UsageError("--plot draws all rolls: leave out --roll")
    rules = result.base.rules
    best = {item.roll: item for item in reversed(result.moves)}  # the first of each roll
    return [
        Column(
            roll,
            chance,
            float(best[roll].value),
            best[roll]
            .words(rules.path, result.position)
            .replace(", captures", " \N{MULTIPLICATION SIGN}")
            .partition(",")[0],
        )
        for roll, chance in rules.dice.items()
    ]


def strip_figure(result: Probed) -> Drawing:
    """Return the luck strip of a position.

    Each roll is a column as wide as it is likely, from the win probability before the roll to the
    one after it. The areas above and below the line are equal.

    Raises
    ------
    UsageError
        As `columns_of`.
    """
    columns = columns_of(result)
    side = "light" if result.position.light_to_move else "dark"
    before = 100 * result.value
    with rc_context(RC):
        figure, (axes,) = new_figure(HEIGHT)
        left, words = 0.0, []
        values = [before, *(100 * column.value for column in columns)]
        span = max(max(values) - min(values), LEAST)
        axes.set_ylim(min(values) - ROOM * span, max(values) + ROOM * span)
        axes.set_xlim(0.0, 1.0)
        for column in columns:
            width, middle = float(column.chance), left + float(column.chance) / 2
            value = 100 * column.value
            axes.bar(
                middle, value - before, width - 2 * GAP, bottom=before,
                color=GOLD if value >= before else NAVY, edgecolor=INK, linewidth=0.4,
            )  # fmt: skip
            number = axes.annotate(
                f"{value:.1f}", (middle, value), (0, 3 if value >= before else -3),
                textcoords="offset points", ha="center",
                va="bottom" if value >= before else "top",
            )  # fmt: skip
            # Until the layout is known, each move has room for all its lines.
            lines = (str(column.roll), str(column.chance), column.move + "\n" * (MOVE_LINES - 1))
            below = [
                axes.annotate(
                    text, (middle, 0.0), (0, -LINE * SIZE * line - 2), ha="center", va="top",
                    xycoords=("data", "axes fraction"), textcoords="offset points",
                    fontweight="bold" if line == 0 else "normal",
                )
                for line, text in enumerate(lines)
            ]  # fmt: skip
            words.append((width, [number, *below]))
            left += width
        axes.axhline(before, color=INK, lw=1.2)
        axes.set_yticks([before], [f"{before:.1f} %"])
        axes.set_xticks([])
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set_ylabel(f"{side} wins, %")
        rules = result.base.rules
        bound = (
            ""
            if result.bound is None
            else f" Proven, \N{PLUS-MINUS SIGN} {bound_text(result.bound)}."
        )
        caption(
            figure,
            f"{result.position.on(rules.path)}, {rules.with_pieces}, {side} to move",
            "Each roll is a column as wide as it is likely and as high as the win probability "
            "after it and the best move, which is written below. Line: the win probability before "
            f"the roll.{bound}",
        )
        place_labels(figure)
        room = axes.get_window_extent().width
        for share, texts in words:
            for text in texts:
                _fit(text, share * room)
    return figure


def _fit(text: Text, room: float) -> None:
    """Wrap a text to the width of its column, or leave it out if a word is wider."""
    figure = text.figure
    assert figure is not None
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    written = text.get_text().strip()
    for most in range(len(written), 0, -1):
        lines = textwrap.wrap(written, most, break_long_words=False)
        text.set_text("\n".join(lines))
        if extent(text, renderer).width <= room and len(lines) <= MOVE_LINES:
            return
    text.set_visible(False)

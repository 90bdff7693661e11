"""Dice drawn as SVG: a bar for each roll, with its probability as a fraction and in percent."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from urcx.reports.figures.board_svg import whole_svg
from urcx.rules.model import Dice

WIDE, GAP = 64, 22  # a bar, and the space between two
HIGH = 150  # the bar of the likeliest roll
ABOVE, BELOW, SIDE = 62, 40, 24
BAR = "#b98a2e"  # told from light and from dark pages: 3 to 1 at least


def dice_svg(dice: Dice, *, standalone: bool = False) -> str:
    """Return the probability of each roll as bars.

    The ink is the page's, as in `urcx.reports.figures.board_svg.board_svg`; ``standalone`` is for
    a file of its own.
    """
    pairs = list(zip(dice.rolls, dice.probabilities, strict=True))
    most = max(dice.probabilities)
    width = 2 * SIDE + len(pairs) * (WIDE + GAP) - GAP
    parts = []
    for k, (roll, chance) in enumerate(pairs):
        parts += _bar(SIDE + k * (WIDE + GAP), roll, chance, float(chance / most))
    title = f"{dice.title}: mean {dice.mean}"
    base = ABOVE + HIGH
    line = f'<path d="M0,{base}H{width}" stroke="currentColor" stroke-width="2"/>'
    parts = [f"<title>{escape(title, quote=True)}</title>", *parts, line]
    font = 'font-size="20" text-anchor="middle"'
    view = f"0 0 {width} {base + BELOW}"
    return whole_svg("dice", title, view, parts, standalone=standalone, font=font)


def _bar(x: int, roll: int, chance: Fraction, share: float) -> list[str]:
    high = round(HIGH * share, 1)
    top, middle = round(ABOVE + HIGH - high, 1), x + WIDE // 2
    words = (
        (middle, top - 32, str(chance), ""),
        (middle, top - 9, f"{100 * float(chance):.3g} %", ' font-size="17"'),
        (middle, ABOVE + HIGH + 28, str(roll), ' font-weight="600"'),
    )
    texts = "".join(f'<text x="{a}" y="{b:g}"{more}>{word}</text>' for a, b, word, more in words)
    return [
        f'<rect class="roll" x="{x}" y="{top:g}" width="{WIDE}" height="{high:g}" fill="{BAR}"/>',
        f'<g fill="currentColor">{texts}</g>',
    ]

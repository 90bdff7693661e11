"""Figures as SVG within a page: with unique ids, and colours that follow the page's theme."""

from __future__ import annotations

import re
from html import escape

from urcx.reports.figures.plots import COLOURS

POINT = 1.75  # CSS pixels: figures that fit a phone are enlarged where there is room

# Colours that the page's style sheet replaces, for light and for dark screens.
VARIABLES = {colour.lower(): f"var(--c{k})" for k, colour in enumerate(COLOURS)} | {
    "#000000": "var(--ink)",
    "#333333": "var(--ink)",
    "#ffffff": "var(--card)",
    "#dddddd": "var(--grid)",
}


def inline(drawn: bytes, prefix: str, label: str) -> str:
    """Return an SVG file as an element of a page.

    ``prefix`` makes its ids unique within the page; ``label`` describes it to screen readers.
    Black, which matplotlib omits as the default, is set by the page's style sheet.
    """
    text = drawn.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'href="#', f'href="#{prefix}-', text)
    text = re.sub(r"url\(#", f"url(#{prefix}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b(?=[;\"])", lambda m: VARIABLES.get(m[0], m[0]), text)
    head, body = text.split(">", 1)
    found = re.search(r'viewBox="([^"]*)"', head)
    box = found[1] if found else "0 0 100 100"
    width = float(box.split()[2]) * POINT
    return (
        f'<svg viewBox="{box}" style="max-width:{width:.0f}px" role="img" '
        f'aria-label="{escape(label)}">{body.strip()}'
    )

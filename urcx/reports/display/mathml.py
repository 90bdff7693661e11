"""Formulas as MathML, which browsers render natively: for the report and the documentation."""

from __future__ import annotations

import re
from html import escape

from docutils.utils.math.latex2mathml import tex2mathml

# `\(...\)` within a line and `\[...\]` on a separate line, as in LaTeX.
APPLY = "\u2061"  # between a function and its argument, invisible
MARKED = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", flags=re.DOTALL)


def mathml(latex: str, *, block: bool = False) -> str:
    r"""Return a formula as a MathML element.

    Parameters
    ----------
    latex
        The formula in LaTeX without delimiters, such as ``\frac{a}{b}``, with commands that
        docutils supports.
    block
        Whether it is a displayed formula, with limits below and above their operators.

    Raises
    ------
    docutils.utils.math.MathError
        If the formula cannot be read.
    """
    text = str(tex2mathml(latex.strip(), as_block=block))
    return re.sub(r"\n\s*", "", text).replace(
        "&ApplyFunction;", APPLY
    )  # an HTML entity that XML does not know


def has_formula(text: str) -> bool:
    r"""Return whether a text has a formula between ``\(`` and ``\)`` or ``\[`` and ``\]``."""
    return MARKED.search(text) is not None


def set_formulas(text: str) -> str:
    """Return a text as HTML, with formulas as MathML and everything else escaped."""
    parts = []
    end = 0
    for match in MARKED.finditer(text):
        parts.append(escape(text[end : match.start()]))
        inline, block = match.groups()
        if inline is not None:
            parts.append(mathml(inline))
        else:
            parts.append(f'<span class="math">{mathml(block, block=True)}</span>')
        end = match.end()
    return "".join([*parts, escape(text[end:])])

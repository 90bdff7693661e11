"""LaTeX: escaped text, formulas that may be broken over lines, and a tabular.

It needs the packages of `PACKAGES`. Everything else is plain LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PACKAGES = r"needs \usepackage{amsmath,booktabs}"
TERMS = 4  # of a sum, per line
_SIGNS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\^{}",
        "~": r"\~{}",
        "<": r"$<$",
        ">": r"$>$",
        **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    }
)


def escaped(text: str) -> str:
    """Return plain text as LaTeX."""
    text = text.translate(_SIGNS).replace("$<$=", r"$\le$").replace("$>$=", r"$\ge$")
    return re.sub('"([^"]*)"', r"``\1''", text)


def tabular(columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 0) -> str:
    """Return a table of LaTeX cells. The first ``texts`` columns are text, the others numbers."""
    lines = [
        r"\begin{tabular}{" + "l" * texts + "r" * (len(columns) - texts) + "}",
        r"\toprule",
        " & ".join(columns) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def broken(left: str, terms: Sequence[str]) -> str:
    """Return an equation whose right side is a sum, broken into lines of `TERMS` terms.

    ``terms`` include their signs, except for the first if it is positive.
    """
    parts = [" ".join(terms[k : k + TERMS]) for k in range(0, len(terms), TERMS)]
    right = " \\\\\n  &\\quad ".join(parts)
    return f"\\begin{{align*}}\n  {left} &= {right}\n\\end{{align*}}\n"

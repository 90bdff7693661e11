"""Writes drafts of entries for the OEIS: the numbers of diagrams of each path, in its own format.

    python packaging/oeis.py docs/outreach/oeis

Number and author of an entry are left open. Paths with the same numbers share a draft.
"""

from __future__ import annotations

import sys
from pathlib import Path

import urcx
from urcx.enumerate.state_space import sequence
from urcx.rules import catalogue

SHOWN = 260  # characters of terms that an entry shows at most
TERMS = 40
FIXED = (
    "%D D. J. Raposo and P. X. Lamont, Mathematical Analysis of the Royal Game of Ur, 2023.",
    "%H G. P. Michon, Analyzing the Royal Game of Ur, Numericana, 2018.",
    (
        "%F G.f. is rational, with the denominator (1 - x)^3: for large n, further pieces are in "
        "the start or at home."
    ),
)


def drafts() -> dict[str, str]:
    """Return the text of each draft, by the first path that has its numbers."""
    sharing: dict[tuple[int, ...], list[str]] = {}
    for name in urcx.path_names():
        report = sequence(catalogue.path(name), TERMS)
        assert report.terms is not None
        sharing.setdefault(tuple(report.terms), []).append(name)
    return {names[0]: _draft(names, terms) for terms, names in sharing.items()}


def _draft(names: list[str], terms: tuple[int, ...]) -> str:
    path = catalogue.path(names[0])
    count = next(
        n for n in range(len(terms), 0, -1) if len(", ".join(map(str, terms[:n]))) <= SHOWN
    )
    _, pari, mathematica = (line.rstrip() for line in sequence(path, count - 1).remarks)
    also = f"%C The same numbers belong to the paths {', '.join(names)}."
    lines = [
        "%I A000000",
        f"%S {', '.join(map(str, terms[:count]))}",
        (
            "%N Number of arrangements of n pieces of each player in the Royal Game of Ur, on "
            f"this path: {path.title}."
        ),
        (
            "%C Each player has n pieces, which are not told apart: in the start, at home, or one "
            f"on a tile of the path, {path.describe()}. On shared tiles pieces of both players "
            "exclude each other."
        ),
        (
            "%C Finished games, and the arrangement before the first move, are counted; the side "
            "to move is no part of an arrangement."
        ),
        *([also] if names[1:] else []),
        *FIXED,
        f"%o (PARI) {pari.partition(': ')[2]}",
        f"%t {mathematica.partition(': ')[2]}",
        f"%o (Python) # pip install urcx; urcx ssc --bfile --path {names[0]} -p 1..{count - 1}",
        "%K nonn",
        "%O 0,2",
        "%A _To be named_",
    ]
    return "\n".join(lines) + "\n"


def main(directory: str) -> None:
    """Write the drafts into a directory."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in drafts().items():
        (place / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])

"""Writes drafts of entries for the OEIS: the numbers of configurations of each path.

    python packaging/oeis.py docs/outreach/oeis

Drafts have no number and author yet. Paths with the same numbers share a draft.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sympy as sp

import urcx
from urcx.complexity import symbolic
from urcx.enumerate.state_space import sequence
from urcx.published.figures import references
from urcx.rules import catalogue

SHOWN = 260  # most characters of terms in an entry
TERMS = 40
BOOK, *PAGES = "finkel2007", "michon", "raposo-lamont"  # keys of the bibliography


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
    also = "; ".join(catalogue.path(name).title for name in names[1:])
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
        *([f"%C The same numbers also belong to: {also}."] if also else []),
        f"%D {_book()}",
        *(f"%H {_link(key)}" for key in PAGES),
        *(f"%F {formula}" for formula in _formulas(path)),
        f"%t {mathematica.partition(': ')[2]}",
        f"%o (PARI) {pari.partition(': ')[2]}",
        (
            f'%o (Python) import urcx; print([1] + [urcx.ssc("{names[0]}", n, enumerate=False)'
            f".exact for n in range(1, {count})])  # pip install urcx"
        ),
        "%K nonn,easy",
        "%O 0,2",
        "%A _To be named_",
    ]
    return "\n".join(lines) + "\n"


def _formulas(path: urcx.Path) -> list[str]:
    """Return a(n) as a coefficient, its generating function, recurrence and polynomial."""
    function = symbolic.generating_function(path).subs(symbolic.z, symbolic.x)
    degree = sp.degree(sp.fraction(function)[0], symbolic.x)
    n = sp.Symbol("n")
    polynomial = symbolic.quadratic(path).subs(symbolic.p, n)
    coefficient = _text(symbolic.tile_product(path))
    return [
        f"a(n) is the coefficient of x^n*y^n in {coefficient}/((1 - x)^2*(1 - y)^2).",
        f"G.f.: {_text(function)}.",
        f"a(n) = 3*a(n-1) - 3*a(n-2) + a(n-3) for n > {degree}.",
        f"a(n) = {_text(polynomial)} for n > {degree - 3}.",
    ]


def _text(expression: sp.Expr) -> str:
    return str(sp.sstr(expression)).replace("**", "^")


def _book() -> str:
    book = references()[BOOK]
    year, inside, place, pages = (
        book.fields[name] for name in ("year", "booktitle", "publisher", "pages")
    )
    pages = pages.replace("--", "-")
    return f"{book.author}, {book.title}, in: {inside}, {place}, {year}, pp. {pages}."


def _link(key: str) -> str:
    reference = references()[key]
    title = f'<a href="{reference.fields["url"]}">{reference.title}</a>'
    where = reference.fields.get("howpublished")
    return ", ".join(filter(None, [reference.author, title, where, reference.fields["year"]])) + "."


def main(directory: str) -> None:
    """Write the drafts into a directory."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in drafts().items():
        (place / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])

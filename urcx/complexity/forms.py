"""The closed forms of the sources, each within the domain stated by its source.

`evaluate_form` returns a Python integer or raises `OutOfDomainError` with the reason. `FORMS`
describes every form. Symbols: m shared tiles, n private tiles per side, p light and q dark pieces,
L steps. Raposo and Lamont write t for m and t' for n. `urcx.complexity.symbolic` has the same forms
as sympy expressions, written independently.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

from urcx.complexity import tiles
from urcx.errors import OutOfDomainError, check_name
from urcx.reading import package_toml
from urcx.rules.model import Path

MAX_PIECES = 10_000  # larger counts would not be readable


class Author(NamedTuple):
    """The author of a form: name and year, or a description, and the key in the bibliography."""

    name: str
    key: str


@dataclass(frozen=True)
class Form:
    """A closed form: its name, its author, the place where it is printed, its status and domain.

    ``note`` describes errors of the form, if there are any. ``latex`` is the formula, in the
    symbols above. A ``reading`` follows from the source's equations alone, but its text excludes
    it.
    """

    name: str
    author: Author
    source: str
    status: str
    domain: str
    function: Callable[[Path, int, int], int]
    note: str = ""
    latex: str = ""
    reading: bool = False

    @property
    def relation(self) -> str:
        """Return the left side of the equation and its sign, in LaTeX, such as ``S(p, p) =``."""
        left = "S(p, q)" if re.search(r"\bq\b", self.latex) else "S(p, p)"
        sign = {"approximation": r"\approx", "upper bound": r"\le"}.get(self.status, "=")
        return f"{left} {sign}"

    @property
    def equation(self) -> str:
        """Return the formula in LaTeX, with its left side."""
        complete = self.latex.startswith(("S", r"\gamma"))
        return self.latex if complete else f"{self.relation} {self.latex}"

    @property
    def is_right(self) -> bool:
        """Return whether the form is exact, an approximation or an upper bound, as claimed."""
        return self.status in ("exact", "approximation", "upper bound")

    @property
    def claims_exact(self) -> bool:
        """Return whether its source claims the exact number, not a bound or an estimate."""
        return self.status not in ("approximation", "upper bound") and not self.reading


def multinomial(total: int, a: int, b: int) -> int:
    """Return total! / (a! b! (total - a - b)!), or 0 if a + b exceeds the total."""
    return comb(total, a) * comb(total - a, b) if a + b <= total else 0


# Conditions of several domains.


def _equal(p: int, q: int) -> None:
    if p != q:
        raise OutOfDomainError("stated for equal numbers of pieces")


def _once(path: Path) -> None:
    if not path.crossed_once:
        raise OutOfDomainError("the path crosses tiles twice")


def _private(path: Path) -> int:
    light, dark = path.private
    if light != dark:
        raise OutOfDomainError("the players' private tiles differ in number")
    return light


def _safe_tiles(path: Path) -> int:
    if not (n := _private(path)):
        raise OutOfDomainError("needs a safe tile on each side")
    return n


# The forms.


def _reader(path: Path, p: int, q: int) -> int:
    _equal(p, q)
    _once(path)
    return reader(path.shared, _private(path), p)


def reader(m: int, n: int, p: int) -> int:
    """Return the closed form that a reader of the post sent in.

    In the sum, j is the number of light pieces on private tiles.
    """
    return sum(
        (p - p1 + 1) * (p - p2 + 1) * comb(n, j) * comb(m, p1 - j) * comb(m + n - (p1 - j), p2)
        for p1 in range(min(p, m + n) + 1)
        for p2 in range(min(p, m + n) + 1)
        for j in range(max(0, p1 - m), min(p1, n) + 1)
    )


def _michon(path: Path, p: int, q: int) -> int:
    _equal(p, q)
    _once(path)
    return michon(path.shared, _private(path), p)


def michon_f(n: int, p: int) -> int:
    """Return Michon's f(p): the ways to place p pieces off the shared tiles, with n private tiles.

    Pieces off the shared tiles are on private tiles, in the start pool or home.
    """
    return sum((1 + p - q) * comb(n, q) for q in range(min(p, n) + 1))


def michon(m: int, n: int, p: int) -> int:
    """Return Michon's Ur(p): the sum of multinomial(m; b, w) f(p - b) f(p - w)."""
    f = [michon_f(n, p - k) for k in range(min(p, m) + 1)]
    return sum(
        multinomial(m, b, w) * f[b] * f[w]
        for b in range(min(p, m) + 1)
        for w in range(min(p, m - b) + 1)
    )


def equations_gamma(n: int, k: int) -> int:
    """Return Raposo and Lamont's gamma(k) by their Eq. 21, 25 and 26, without the proviso."""
    alpha = [(n - i + 1) * comb(n, i) if i <= n else i - n + 1 for i in range(k + 1)]
    return k + 1 + sum(alpha[1:])


def raposo_gamma(n: int, k: int) -> int:
    """Return Raposo and Lamont's gamma(k) as they state it, with the proviso after Eq. 25.

    The proviso limits Eq. 20 to 25 to p' > t' (k > n). Otherwise the term for all pieces on the
    board, i' = p', is binomial(t', p').
    """
    return equations_gamma(n, k) - ((n - k) * comb(n, k) if 0 < k < n else 0)


def program_gamma(n: int, k: int) -> int:
    """Return ``sum1`` of the listing of Appendix B for k pieces outside the war zone.

    If the k pieces fit on the safe tiles, the loop omits the factor t' - i' + 1 of Eq. 20. The loop
    for larger k has this factor.
    """
    if k <= n:
        return k + 1 + sum(comb(n, i) for i in range(1, k + 1))
    return equations_gamma(n, k)


def raposo_sum(m: int, p: int, gamma: Callable[[int], int]) -> int:
    """Return Eq. 1 for 2p <= t and Eq. 2 for t/2 < p <= t, for a function gamma."""
    g = [gamma(p - i) for i in range(p + 1)]
    limits = [(p, 0, p)] if 2 * p <= m else [(p, 0, m - p), (m - p, m - p + 1, p)]
    return sum(
        g[grey] * g[black] * multinomial(m, grey, black)
        for top, first, last in limits
        for grey in range(top + 1)
        for black in range(first, last + 1)
    )


def _raposo(path: Path, p: int, q: int) -> int:
    m, n = path.shared, _private(path)
    if n == 0:
        _equal(p, q)
        if p >= m:
            raise OutOfDomainError(f"Eq. 3 is drawn for p < {m}, the war tiles")
        return raposo_murray(m, p)
    return _raposo_safe(path, p, q, raposo_gamma)


def _raposo_equations(path: Path, p: int, q: int) -> int:
    _safe_tiles(path)
    return _raposo_safe(path, p, q, equations_gamma)


def _raposo_safe(path: Path, p: int, q: int, gamma: Callable[[int, int], int]) -> int:
    m, n = path.shared, _private(path)
    _once(path)
    if p != q:
        if p + q > m:
            raise OutOfDomainError(f"Eq. 31 for unequal numbers needs p + q <= {m}, the war tiles")
        return sum(
            gamma(n, p - i) * gamma(n, q - j) * multinomial(m, i, j)
            for i in range(p + 1)
            for j in range(q + 1)
        )
    if p > m:
        raise OutOfDomainError(f"needs p <= {m}, the war tiles")
    return raposo_sum(m, p, lambda k: gamma(n, k))


def raposo_murray(m: int, p: int) -> int:
    """Return Eq. 3, for paths without safe tiles.

    The equation ignores the direction of a piece on tiles that are crossed twice. Arrangements of
    more pieces than tiles, for which Eq. 28 is undefined, count as 0.
    """
    return sum(
        (p - i + 1) * (p - j + 1) * multinomial(m, i, j)
        for i in range(min(p, m) + 1)
        for j in range(min(p, m - i) + 1)
    )


def _raposo_program(path: Path, p: int, q: int) -> int:
    _equal(p, q)
    m, n = path.shared, _safe_tiles(path)
    _once(path)
    if p >= m:
        raise OutOfDomainError(f"needs p < {m}, the war tiles")
    return raposo_program(m, n, p)


def raposo_program(m: int, n: int, p: int) -> int:
    """Return the result of the listing of Appendix B for p, t_safe = n and t_war = m.

    The print is damaged. We read it as follows:

    - Of two consecutive loop heads with the same limits, one is a misprint of the other. The loop
      runs once.
    - ``total+sum1+sum2+sum3`` means ``total+sum1*sum2*sum3``. Only products of the three
      independent choices give the paper's figures, including its worked example, 23.
    - Black's loop counts ``ib_black`` but subtracts ``ib_safe``. It means one variable, like grey's
      loop.

    `program_gamma` describes where the listing departs from the equations.
    """
    return raposo_sum(m, p, lambda k: program_gamma(n, k))


def _binomial(path: Path, p: int, q: int) -> int:
    _equal(p, q)
    _once(path)
    if len(path.light) != len(path.dark):
        raise OutOfDomainError("the players' paths differ in length")
    urns = path.length + 2
    if p > urns:
        raise OutOfDomainError(f"needs p <= {urns}, the urns")
    return comb(urns, p) ** 2


def _bits(path: Path, p: int, q: int) -> int:
    # A bit for each step, and a number for the start pool. The pieces home follow from these.
    return 1 << (len(path.light) + p.bit_length() + len(path.dark) + q.bit_length())


def _bits_pieces(path: Path, p: int, q: int) -> int:
    # The step of each piece, from 0 to L + 1, in as few bits as possible.
    light, dark = ((len(way) + 1).bit_length() for way in (path.light, path.dark))
    return 1 << (p * light + q * dark)


# The function of each form. ``data/forms.toml`` has everything else about it.
_FUNCTIONS: dict[str, Callable[[Path, int, int], int]] = {
    "tile-polynomial": tiles.diagrams,
    "reader": _reader,
    "michon": _michon,
    "raposo": _raposo,
    "raposo-equations": _raposo_equations,
    "raposo-program": _raposo_program,
    "binomial": _binomial,
    "bits": _bits,
    "bits-pieces": _bits_pieces,
}


def _form(name: str, author: str, key: str, **fields: Any) -> Form:
    return Form(name, Author(author, key), function=_FUNCTIONS[name], **fields)


FORMS: dict[str, Form] = {
    entry["name"]: _form(**entry) for entry in package_toml("complexity/data/forms.toml")["form"]
}


def chosen_forms(names: str | None, *, right: bool = False, exact: bool = False) -> tuple[str, ...]:
    """Return the forms whose names a text lists, separated by commas, or ``all``.

    Without names these are all forms. With ``right`` they are the forms that are as claimed, with
    ``exact`` the exact forms.

    Raises
    ------
    UnknownNameError
        If a form is unknown.
    """
    if names is None:
        return tuple(
            name
            for name, form in FORMS.items()
            if (form.is_right or not right) and (form.status == "exact" or not exact)
        )
    selected = [name.strip() for name in names.split(",")]
    for name in selected:
        check_name("form", name, (*FORMS, "all"))
    return tuple(name for name in FORMS if name in selected or "all" in selected)


def evaluate_form(name: str, path: Path, pieces: int, dark_pieces: int | None = None) -> int:
    """Return the value of a form for a path and numbers of pieces.

    Raises
    ------
    OutOfDomainError
        If the source does not state the form for this path and these pieces. The message gives the
        reason.
    KeyError
        If the form is unknown.
    """
    return FORMS[name].function(path, pieces, pieces if dark_pieces is None else dark_pieces)

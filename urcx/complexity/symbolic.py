"""The closed forms as sympy expressions, a proof of their equality, and consequences.

The expressions are derived from the sources independently of `urcx.complexity.forms`. Tests compare
the two modules.

The proof works with generating functions in x (light's pieces) and y (dark's pieces). A form of the
shape "sum over i, j of W[i, j] (p - i + 1) (q - j + 1)" has the generating function

    sum over p, q of S(p, q) x^p y^q  =  (sum over i, j of W[i, j] x^i y^j) / ((1-x)^2 (1-y)^2),

because (k + 1) are the coefficients of 1 / (1 - x)^2. Two such forms are therefore equal for all p
and q if and only if their polynomials W are equal. Sympy decides this identity of polynomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from urcx.complexity.forms import FORMS, chosen_forms, evaluate_form
from urcx.errors import OutOfDomainError, TooLargeError, WrongObjectError, check_name
from urcx.results.latex import PACKAGES, broken, escaped
from urcx.results.numbers import number_word
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import Path

__all__ = ["forms"]

MAX_TILES = 64  # thousands of terms, seconds of work

x, y, z = sp.symbols("x y z")
p, q = sp.symbols("p q", integer=True, nonnegative=True)
_i, _j, _k, _r, _b, _w, _s, _u = sp.symbols("i j k r b w s u", integer=True, nonnegative=True)
_p1, _p2 = sp.symbols("p_1 p_2", integer=True, nonnegative=True)


def tile_product(path: Path) -> Any:
    """Return the product over the tiles of 1 + a x + b y, not expanded."""
    factors: dict[Any, int] = {}
    for a, b in path.crossings:
        factor = 1 + a * x + b * y
        factors[factor] = factors.get(factor, 0) + 1
    return sp.Mul(*(factor**power for factor, power in factors.items()), evaluate=False)


@lru_cache(maxsize=32)
def _tile_poly(path: Path) -> Any:
    factors = (sp.Poly({(0, 0): 1, (1, 0): a, (0, 1): b}, x, y) for a, b in path.crossings)
    return prod(factors, start=sp.Poly(1, x, y))


def _pools() -> Any:
    """Return the generating function of the pieces off the board, 1 / ((1-x)^2 (1-y)^2)."""
    return 1 / ((1 - x) ** 2 * (1 - y) ** 2)


def expression(name: str, path: Path) -> Any:
    """Return a form for a path as a sympy expression in p (and q for the tile polynomial).

    Sums stay unevaluated. The tile polynomial is defined as a coefficient, so its expression is the
    generating function whose coefficient of x^p y^q is S(p, q).

    Raises
    ------
    OutOfDomainError
        If the source does not state the form for this path.
    """
    if name != "tile-polynomial":
        evaluate_form(name, path, 1)  # raises if the path is outside the domain
    return _EXPRESSIONS[name](path)


def _tile_expression(path: Path) -> Any:
    return sp.Mul(tile_product(path), _pools(), evaluate=False)


def _reader_expression(path: Path) -> Any:
    m, n = path.shared, path.private[0]
    top = sp.Min(p, m + n)
    term = (
        (p - _p1 + 1)
        * (p - _p2 + 1)
        * sp.binomial(n, _j)
        * sp.binomial(m, _p1 - _j)
        * sp.binomial(m + n - (_p1 - _j), _p2)
    )
    limits = (_j, sp.Max(0, _p1 - m), sp.Min(_p1, n))
    return sp.Sum(term, limits, (_p2, 0, top), (_p1, 0, top))


def _michon_expression(path: Path) -> Any:
    m, n = path.shared, path.private[0]
    return sp.Sum(
        _multinomial(m, _b, _w) * _michon_f(n, p - _b) * _michon_f(n, p - _w),
        (_w, 0, sp.Min(p, m - _b)),
        (_b, 0, sp.Min(p, m)),
    )


def _raposo_expression(path: Path) -> Any:
    m, n = path.shared, path.private[0]
    if n > 0:
        return _two_sums(m, n, _raposo_gamma)
    term = (p - _i + 1) * (p - _j + 1) * _multinomial(m, _i, _j)
    return sp.Sum(term, (_j, 0, sp.Min(p, m - _i)), (_i, 0, sp.Min(p, m)))


def _two_sums(m: int, n: int, gamma: Callable[[int, Any, Any], Any]) -> Any:
    """Return Eq. 1 and Eq. 2 as one piecewise expression."""
    term = gamma(n, p - _i, _r) * gamma(n, p - _j, _s) * _multinomial(m, _i, _j)
    small = sp.Sum(term, (_j, 0, p), (_i, 0, p))
    first = sp.Sum(term, (_j, 0, m - p), (_i, 0, p))
    second = sp.Sum(term, (_j, m - p + 1, p), (_i, 0, m - p))
    return sp.Piecewise((small, 2 * p <= m), (first + second, True))


_EXPRESSIONS: dict[str, Callable[[Path], Any]] = {
    "tile-polynomial": _tile_expression,
    "reader": _reader_expression,
    "michon": _michon_expression,
    "raposo": _raposo_expression,
    "raposo-equations": lambda path: _two_sums(path.shared, path.private[0], _gamma),
    "raposo-program": lambda path: _two_sums(path.shared, path.private[0], _program_gamma),
    "binomial": lambda path: sp.binomial(path.length + 2, p) ** 2,
    "bits": lambda path: 2 ** (len(path.light) + len(path.dark) + 2 * sp.ceiling(sp.log(p + 1, 2))),
    "bits-pieces": lambda path: (
        2 ** (p * sum((len(way) + 1).bit_length() for way in (path.light, path.dark)))
    ),
}


def _multinomial(total: int, a: Any, b: Any) -> Any:
    return sp.factorial(total) / (sp.factorial(a) * sp.factorial(b) * sp.factorial(total - a - b))


def _michon_f(n: int, k: Any) -> Any:
    """Return Michon's f(k) for n private tiles as an unevaluated sum."""
    return sp.Sum((1 + k - _u) * sp.binomial(n, _u), (_u, 0, k))


def _alpha(n: int, i: Any) -> Any:
    return sp.Piecewise(((n - i + 1) * sp.binomial(n, i), i <= n), (i - n + 1, True))


def _gamma(n: int, k: Any, index: Any) -> Any:
    return k + 1 + sp.Sum(_alpha(n, index), (index, 1, k))


def _raposo_gamma(n: int, k: Any, index: Any) -> Any:
    # For p' <= t', the term i' = p' (all pieces on the board) follows the proviso.
    fit = k + 1 + sp.Sum(_alpha(n, index), (index, 1, k - 1)) + sp.binomial(n, k)
    return sp.Piecewise((1, sp.Eq(k, 0)), (fit, k <= n), (_gamma(n, k, index), True))


def _program_gamma(n: int, k: Any, index: Any) -> Any:
    short = k + 1 + sp.Sum(sp.binomial(n, index), (index, 1, k))
    return sp.Piecewise((short, k <= n), (_gamma(n, k, index), True))


def threshold(path: Path) -> tuple[int, int]:
    """Return the numbers of tiles that light and dark can fill.

    They are the degrees of the tile polynomial.
    """
    return int(_tile_poly(path).degree(x)), int(_tile_poly(path).degree(y))


def quadratic(path: Path) -> Any:
    """Return the polynomial in p that equals S(p, p) if p >= T, the tiles that a side can fill.

    The polynomial also holds at p = T - 1, because its additional terms with i = T have the factor
    p - T + 1 = 0.
    """
    return sp.expand(_bilinear(path).subs(q, p))


def bilinear(path: Path) -> Any:
    """Return the polynomial in p and q that equals S(p, q) if p and q are large enough."""
    return sp.factor(_bilinear(path))


def _bilinear(path: Path) -> Any:
    terms = _tile_poly(path).terms()
    return sp.expand(sp.Add(*(ways * (p - i + 1) * (q - j + 1) for (i, j), ways in terms)))


def generating_function(path: Path) -> Any:
    """Return the rational function in z whose coefficient of z^p is S(p, p).

    With M = max(i, j) and d = |i - j|, the sum over p >= M of (p - i + 1) (p - j + 1) z^p is
    z^M ((1 + z) + d (1 - z)) / (1 - z)^3.
    """
    numerator: Counter[tuple[int]] = Counter()
    for (i, j), ways in _tile_poly(path).terms():
        first, apart = max(i, j), abs(i - j)
        numerator.update({(first,): ways * (1 + apart), (first + 1,): ways * (1 - apart)})
    return sp.Poly(dict(numerator), z).as_expr() / (1 - z) ** 3


@dataclass(frozen=True)
class ProofStep:
    """One verified identity of a proof: its statement, both sides, and whether it holds."""

    name: str
    statement: str
    left: Any
    right: Any

    @property
    def holds(self) -> bool:
        """Return whether sympy simplifies left - right to 0."""
        return bool(sp.expand(self.left - self.right) == 0)


@dataclass(frozen=True)
class Proof:
    """The steps of a proof that three forms are equal on a path for every p."""

    steps: tuple[ProofStep, ...]

    @property
    def holds(self) -> bool:
        """Return whether every step holds."""
        return all(step.holds for step in self.steps)


def prove_equal(path: Path) -> Proof:
    """Return the proof that the reader's form, Michon's and the tile polynomial agree for all p.

    Raises
    ------
    OutOfDomainError
        If reader's and Michon's forms are not stated for the path.
    """
    evaluate_form("reader", path, 1)
    evaluate_form("michon", path, 1)
    m, n = path.shared, path.private[0]
    tile = _tile_poly(path).as_expr()
    reader = sp.Add(
        *(
            sp.binomial(n, j)
            * sp.binomial(m, a - j)
            * sp.binomial(m + n - (a - j), c)
            * x**a
            * y**c
            for a in range(m + n + 1)
            for c in range(m + n + 1)
            for j in range(max(0, a - m), min(a, n) + 1)
        )
    )
    lane = sp.Add(
        *(
            sp.factorial(m)
            / (sp.factorial(b) * sp.factorial(w) * sp.factorial(m - b - w))
            * x**b
            * y**w
            for b in range(m + 1)
            for w in range(m - b + 1)
        )
    )
    wings = sp.Add(*(sp.binomial(n, k) * x**k for k in range(n + 1)))
    return Proof(
        (
            ProofStep(
                "pools",
                "k + 1, the ways to split k pieces between start and home, has the generating "
                "function 1/(1-x)^2: multiplied by (1-x)^2 all coefficients from x^2 on vanish "
                "(those of 1 and x are 1 and 2 - 2 = 0)",
                (_k + 1) - 2 * _k + (_k - 1),
                sp.Integer(0),
            ),
            ProofStep(
                "reader",
                "the reader's sum is that of W[p1, p2] (p-p1+1)(p-p2+1) with W[p1, p2] its inner "
                "sum over j; the polynomial of W is the product over the tiles",
                reader,
                tile,
            ),
            ProofStep(
                "michon: f",
                f"f(p), a convolution of k + 1 with binomial({n}, q), has the generating function "
                f"(1+x)^{n}/(1-x)^2",
                wings,
                (1 + x) ** n,
            ),
            ProofStep(
                "michon: lane",
                f"the multinomials of {m} sum to (1+x+y)^{m}",
                lane,
                (1 + x + y) ** m,
            ),
            ProofStep(
                "michon",
                "Ur(p), a convolution of the multinomials with f for each player, is therefore "
                "the coefficient of x^p y^p in the product of the three, the product over the "
                "tiles divided by (1-x)^2 (1-y)^2",
                lane * wings * wings.subs(x, y),
                tile,
            ),
        )
    )


def series_lines(path: Path, last: int) -> list[str]:
    """Return the generating function of S(p, p) as lines of PARI and of Mathematica.

    They give the terms from p = 0 to ``last``. There are none for paths of more than `MAX_TILES`.
    """
    if len(path.tiles) > MAX_TILES:
        return []
    function = generating_function(path).subs(z, x)
    pari, mathematica = sp.sstr(function).replace("**", "^"), sp.mathematica_code(function)
    return [
        f"G.f., PARI: Vec({pari} + O(x^{last + 1}))",
        f"G.f., Mathematica: CoefficientList[Series[{mathematica}, {{x, 0, {last}}}], x]",
    ]


@dataclass(frozen=True)
class Forms(Result, function="forms"):
    """The closed forms of paths as expressions, and the proof that they are equal.

    Attributes
    ----------
    paths : tuple of Path
        The paths.
    names : tuple of str
        The forms that text and LaTeX show. JSON and CSV have all forms.
    entries : tuple of dict
        The JSON object of each path: every form, consequences, and the proof.
    """

    schema = "urcx.symbolic/1"
    paths: tuple[Path, ...]
    names: tuple[str, ...]
    entries: tuple[dict[str, Any], ...]

    @property
    def answer(self) -> str:
        """Return the sentence on the proof that the forms are equal."""
        return "; ".join(map(_proven, self.entries))

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {"rows": list(self.entries)}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each form, consequence and proof of a path."""
        return [
            {
                "path": entry["path"],
                "form": name,
                **{k: v for k, v in form.items() if v is not None},
            }
            for entry in self.entries
            for name, form in [
                *entry["forms"].items(),
                *((key, entry[key]) for key in ("polynomial", "bilinear", "generating_function")),
                (
                    "proof",
                    {"holds": entry["proof"]["holds"], "reason": entry["proof"].get("reason")},
                ),
            ]
        ]

    @property
    def body(self) -> str:
        """Return the expressions of all paths."""
        several = len(self.paths) > 1
        return "\n".join(
            (f"{path.name}:\n\n" if several else "") + _text(entry, self.names)
            for path, entry in zip(self.paths, self.entries, strict=True)
        )

    @property
    def latex(self) -> str:
        """Return the expressions as LaTeX formulas."""
        both = zip(self.paths, self.entries, strict=True)
        written = [_latex(path, entry, self.names) for path, entry in both]
        return "\n".join([f"% {PACKAGES}", *written])

    def tables(self) -> list[Table]:
        """Return an empty list, because the expressions are printed as text."""
        return []


def forms(
    path: str | Path | Sequence[str | Path] = "bell", names: str | Sequence[str] | None = None
) -> Forms:
    """Return the closed forms of a path as expressions, and prove that they are equal.

    Parameters
    ----------
    path
        A path or its name in the catalogue, or several.
    names
        The forms that text and LaTeX show: names, or a string such as ``reader,michon``. By default
        all forms.

    Returns
    -------
    urcx.complexity.symbolic.Forms

    Raises
    ------
    UnknownNameError
        If a path or a form is unknown.
    TooLargeError
        If a path has more than 64 tiles.

    Examples
    --------
    >>> import urcx
    >>> expressions = urcx.forms("bell", ["reader"])
    >>> expressions.entries[0]["proof"]["holds"]
    True
    >>> expressions.entries[0]["polynomial"]["text"]
    '26873856*p**2 - 250822656*p + 561364992'
    """
    several: Any = (
        path if isinstance(path, Iterable) and not isinstance(path, str | bytes) else [path]
    )
    paths = tuple(catalogue.path(name) for name in several)
    if names is None or isinstance(names, str):
        chosen = chosen_forms(names)
    elif isinstance(names, Sequence):
        chosen = tuple(names)
        for name in chosen:
            check_name("form", name, FORMS)
    else:
        raise WrongObjectError("names", str, names, "names of forms such as 'reader,michon'")
    return Forms(paths, chosen, tuple(map(_entry, paths)))


def _proven(entry: dict[str, Any]) -> str:
    """Return the sentence on the proof that the forms of a path are equal."""
    proof = entry["proof"]
    if proof["holds"] is None:
        return f"{entry['path']}: no proof that closed forms are equal"
    steps = len(proof["steps"])
    if not proof["holds"]:
        return f"{entry['path']}: the proof that closed forms are equal fails"
    return (
        f"{entry['path']}: {number_word(len(proof['forms']))} closed forms are equal for every "
        f"number of pieces (proof in {number_word(steps)} steps, each verified)"
    )


def _both(expression: Any) -> dict[str, str]:
    return {"text": sp.sstr(expression), "latex": sp.latex(expression)}


def _entry(path: Path) -> dict[str, Any]:
    if len(path.tiles) > MAX_TILES:
        raise TooLargeError(
            f"the path {path.name} has {len(path.tiles)} tiles, but expressions are limited to "
            f"{MAX_TILES} tiles. For numbers, use urcx ssc"
        )
    expressions: dict[str, Any] = {}
    for name, form in FORMS.items():
        details = {
            "status": form.status,
            "domain": form.domain,
            "source": form.source,
            "note": form.note,
        }
        try:
            expressions[name] = {**_both(expression(name, path)), **details, "reason": None}
        except OutOfDomainError as error:
            expressions[name] = {"text": None, "latex": None, **details, "reason": str(error)}
    light, dark = threshold(path)
    proof: dict[str, Any]
    try:
        proven = prove_equal(path)
        proof = {
            "holds": proven.holds,
            "forms": ["tile-polynomial", "reader", "michon"],
            "steps": [
                {
                    "name": step.name,
                    "statement": step.statement,
                    "holds": step.holds,
                    "left": sp.sstr(sp.expand(step.left)),
                    "right": sp.sstr(step.right),
                }
                for step in proven.steps
            ],
        }
    except OutOfDomainError as error:
        proof = {"holds": None, "reason": str(error), "steps": []}
    polynomial = quadratic(path)
    return {
        "path": path.name,
        "fillable_tiles": [light, dark],
        "forms": expressions,
        "polynomial": {
            **_both(polynomial),
            "from": max(light, dark),
            "holds_from": max(light, dark) - 1,
        },
        "bilinear": _both(bilinear(path)),
        "generating_function": _both(generating_function(path)),
        "proof": proof,
    }


def _text(entry: dict[str, Any], names: Sequence[str]) -> str:
    lines = []
    for name in names:
        form = entry["forms"][name]
        if form["text"] is None:
            lines.append(f"{name} ({form['status']}): not stated here, {form['reason']}")
        else:
            lines.append(f"{name} ({form['status']}; {form['domain']}):")
            if name == "tile-polynomial":
                lines.append("  the coefficient of x^p y^q in")
            lines.append(f"  {form['text']}")
        if form["note"]:
            lines.append(f"  {form['note']}")
    if others := [name for name in FORMS if name not in names]:
        lines.append(f"Other forms, with --form all: {', '.join(others)}")
    lines.append("")
    polynomial = entry["polynomial"]
    lines += [
        f"A player can fill at most {polynomial['from']} tiles.",
        f"From p = {polynomial['holds_from']} on, but not below, S(p, p) is",
        f"  {polynomial['text']}",
        f"and for p and q from {polynomial['holds_from']} on, S(p, q) is",
        f"  {entry['bilinear']['text']}",
        "",
        "Generating function, the sum of S(p, p) z^p over all p:",
        f"  {entry['generating_function']['text']}",
        "",
    ]
    proof = entry["proof"]
    if proof["holds"] is None:
        lines.append(f"No proof that the forms agree: {proof['reason']}.")
    else:
        holds = "holds" if proof["holds"] else "does NOT hold"
        lines.append(f"Tile polynomial, reader and michon are equal for every p: the proof {holds}")
        lines += [
            f"  {k}. {step['name']}: {step['statement']} "
            f"[{'verified' if step['holds'] else 'FAILED'}]"
            for k, step in enumerate(proof["steps"], start=1)
        ]
    return "\n".join(lines) + "\n"


def _latex(path: Path, entry: dict[str, Any], names: Sequence[str]) -> str:
    """Return the text of `_text` as LaTeX, with long sums broken into lines."""
    lines = [f"\\paragraph{{{escaped(path.name)}}} Configurations with $p$ pieces per side.", ""]
    for name in names:
        form = entry["forms"][name]
        if form["latex"] is None:
            lines.append(f"% {name}: not stated here, {form['reason']}")
            continue
        relation = FORMS[name].relation
        # All other expressions have p pieces on both sides.
        left = f"{relation} [x^p y^q]" if name == "tile-polynomial" else relation.replace("q", "p")
        lines += [
            f"\\noindent {escaped(name)} ({escaped(form['status'])}; {escaped(form['domain'])}):",
            f"{{\\small \\[ {left} {form['latex']} \\]}}",
            "",
        ]
    polynomial, function = quadratic(path), generating_function(path)
    top, bottom = sp.fraction(sp.together(function))
    lines += [
        f"\\noindent For $p, q \\ge {entry['polynomial']['holds_from']}$,",
        f"\\[ S(p, p) = {sp.latex(polynomial)}, \\]",
        f"\\[ S(p, q) = {entry['bilinear']['latex']}. \\]",
        "\\noindent The generating function is",
        f"\\[ \\sum_{{p \\ge 0}} S(p, p) z^p = \\frac{{P(z)}}{{{sp.latex(bottom)}}}, \\]",
        "where",
        broken("P(z)", _terms(top)),
    ]
    if entry["proof"]["holds"]:
        lines.append(
            "\\noindent Tile polynomial, reader and michon are equal for every $p$: their "
            "generating functions in $x$ and $y$ are equal, by identities of polynomials."
        )
    return "\n".join(lines) + "\n"


def _terms(polynomial: Any) -> list[str]:
    """Return the terms of a polynomial in z as LaTeX, with signs, in ascending powers."""
    result: list[str] = []
    for (power,), factor in reversed(sp.Poly(polynomial, z).terms()):
        text = sp.latex(factor * z**power)
        result.append(text if text.startswith("-") or not result else f"+ {text}")
    return result

"""Verdicts on published figures, computed when asked for, to the precision printed.

``reproduced``: what the source says it is gives the figure. ``reproduced otherwise``: it does not,
but another form, path, number of pieces or tiles near it does, and is named. ``contradicted``: none
does; our value is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from urcx.complexity import tiles
from urcx.errors import OutOfDomainError, UnknownNameError
from urcx.published.figures import Figure, Source, sources
from urcx.published.played import Sampled
from urcx.published.quantities import QUANTITIES, Params, Value, describe
from urcx.rules import catalogue

NAMED = 3  # how many of several equally near reproductions are named


@dataclass(frozen=True)
class Verdict:
    """A figure, what we compute for it, and the verdict.

    ``computed`` is our value for what the source says the figure is. ``otherwise`` names the
    nearest variants that give the printed figure, with their exact values.
    """

    figure: Figure
    computed: str
    verdict: str
    otherwise: tuple[str, ...]

    @property
    def exact(self) -> int | None:
        """Return the exact number of diagrams, where the figure is one of a path's states."""
        params = self.figure.params
        if self.figure.quantity != "states" or "path" not in params:
            return None
        return tiles.diagrams(catalogue.path(params["path"]), params["pieces"])

    @property
    def changed(self) -> bool:
        """Return whether the verdict differs from the recorded one."""
        return self.verdict != self.figure.verdict

    @property
    def explanation(self) -> str:
        """Return how the printed figure comes about, as far as we know."""
        parts = []
        if self.otherwise:
            more = len(self.otherwise) - NAMED
            named = "; ".join(self.otherwise[:NAMED]) + (f"; and {more} more" if more > 0 else "")
            parts.append(f"given by {named}")
        if self.figure.explanation:
            parts.append(self.figure.explanation)
        return ": ".join(parts)


def matches(value: Value, printed: str) -> bool:
    """Return whether a computed value gives a printed one, to the digits printed.

    ``printed`` is a whole number (compared exactly), a decimal number (compared after rounding to
    as many decimals, halves up), a scientific one (to as many significant digits), or any other
    text. A mean of games gives whatever lies within its 95 % interval.
    """
    if isinstance(value, str):
        return value == printed
    text = printed.replace(",", "")
    try:
        wanted = Decimal(text)
    except ArithmeticError:
        return False
    if isinstance(value, Sampled):
        return value.allows(wanted)
    if "." not in text and "e" not in text.lower():
        return value == int(wanted)
    fraction = Fraction(value)
    if "e" not in text.lower():
        unit = Fraction(10) ** int(wanted.as_tuple().exponent)
        return math.floor(abs(fraction) / unit + Fraction(1, 2)) == abs(
            Fraction(wanted)
        ) / unit and (fraction * Fraction(wanted) >= 0)
    digits = len(wanted.as_tuple().digits)
    context = Context(prec=digits, rounding=ROUND_HALF_UP)
    # One division only, so that rounding happens once.
    return context.divide(Decimal(fraction.numerator), Decimal(fraction.denominator)) == wanted


def shown(value: Value) -> str:
    """Return a computed value as text: integers in full, other numbers to six digits."""
    if isinstance(value, str | Sampled):
        return str(value)
    fraction = Fraction(value)
    return f"{int(fraction):,}" if fraction.denominator == 1 else f"{float(fraction):.6g}"


def judge(figure: Figure) -> Verdict:
    """Return the verdict on a figure."""
    quantity = QUANTITIES[figure.quantity]
    computed = quantity.compute(figure.params)
    if matches(computed, figure.value):
        return Verdict(figure, shown(computed), "reproduced", ())
    found = sorted(_reproductions(figure), key=lambda item: item[0])
    nearest = tuple(text for cost, text in found if cost == found[0][0])
    verdict = "reproduced otherwise" if nearest else "contradicted"
    return Verdict(figure, shown(computed), verdict, tuple(dict.fromkeys(nearest)))


def _reproductions(figure: Figure) -> Iterator[tuple[float, str]]:
    quantity = QUANTITIES[figure.quantity]
    for cost, params in quantity.variants(figure.params):
        value = _attempt(quantity.compute, params)
        if value is not None and matches(value, figure.value):
            result = "" if isinstance(value, str) else f" ({shown(value)})"
            yield cost, describe(params) + result


def _attempt(compute: Callable[[Params], Value], params: Params) -> Value | None:
    try:
        return compute(params)
    except OutOfDomainError:
        return None


def verify(
    source: str | None = None, progress: Callable[[int], None] | None = None
) -> tuple[tuple[Source, tuple[Verdict, ...]], ...]:
    """Return the verdicts on all figures, or on one source's.

    ``progress`` is called with the number of figures judged.

    Raises
    ------
    UnknownNameError
        If there is no such source.
    """
    known = {item.name: (item, figures) for item, figures in sources()}
    if source is not None and str(source) not in known:
        raise UnknownNameError("source", str(source), known)
    chosen = [known[source]] if source is not None else list(known.values())
    found: list[tuple[Source, tuple[Verdict, ...]]] = []
    done = 0
    for item, figures in chosen:
        verdicts = []
        for figure in figures:
            verdicts.append(judge(figure))
            done += 1
            if progress:
                progress(done)
        found.append((item, tuple(verdicts)))
    return tuple(found)

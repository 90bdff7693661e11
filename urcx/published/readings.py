"""Other ways to read a printed figure, and whether it holds in one of them.

A figure is said not to hold only after other readings have been tried: the readings and variants
of its quantity (`urcx.published.quantities.values.Quantity`), those of its unit (percentage or
probability, one player or both, at least or at most: ``data/readings.toml``), and other roundings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

from urcx.errors import OutOfDomainError
from urcx.published.quantities.values import Params, Quantity, Ranged, Sampled, Value, Worded
from urcx.published.rounding import (
    ONE_SIDED,
    OTHER_ROUNDINGS,
    digits_shown,
    matches,
    number_printed,
    significant,
)
from urcx.reading import own_toml
from urcx.results.fields import member

WORDS_COST = 0.5  # other meanings of the words come before slips,
NUMBER_COST = 1.25  # and a quantity's slips before readings of any number
NEAR = Fraction(1, 10)  # of the print: how close "at least" and "at most" must be
CUT = 2  # the fewest digits for truncation: with one, 1.9 would give 1
LISTED = 8  # further variants are counted, not listed


@dataclass(frozen=True)
class Reading:
    """One way to read a printed figure, our value, and whether the figure then holds.

    ``cost`` says how far it deviates from the source; the nearest readings that hold are named.
    """

    words: Annotated[str, member(about="in words, what the source may have meant", key="reading")]
    computed: Annotated[str, member(about="what that gives")]
    holds: Annotated[bool, member(about="whether it is what is printed")]
    cost: float = NUMBER_COST

    @property
    def text(self) -> str:
        """Return the reading, with its value in brackets if it has one."""
        return f"{self.words} ({self.computed})" if self.computed else self.words


@dataclass(frozen=True)
class _Scale:
    """A reading of a number that differs by a factor."""

    words: str
    factor: Fraction
    units: tuple[str, ...]


@dataclass(frozen=True)
class Bound:
    """A reading of a number as a lower or upper bound."""

    words: str
    least: bool
    units: tuple[str, ...]


@cache
def number_readings() -> tuple[tuple[_Scale, ...], tuple[Bound, ...]]:
    """Return the readings of numbers, from ``data/readings.toml``."""
    data = own_toml("published/data/readings.toml")
    scales = (_Scale(r["words"], Fraction(r["factor"]), tuple(r["units"])) for r in data["scale"])
    bounds = (Bound(r["words"], r["least"], tuple(r["units"])) for r in data["bound"])
    return tuple(scales), tuple(bounds)


def readings(
    quantity: Quantity,
    params: Params,
    computed: Value,
    printed: str,
    describe: Callable[[Params], str],
) -> tuple[Reading, ...]:
    """Return all readings of a figure that were tried, nearest first."""
    found = [
        *_meanings(quantity, params, printed),
        *_slips(quantity, params, printed, describe),
        *_numbers(quantity.unit, computed, printed),
    ]
    return tuple(sorted(found, key=lambda reading: reading.cost))


def attempt(compute: Callable[[Params], Value], params: Params) -> Value | None:
    """Return a quantity with other parameters, or None if it is not defined."""
    try:
        return compute(params)
    except OutOfDomainError:
        return None


def _meanings(quantity: Quantity, params: Params, printed: str) -> Iterator[Reading]:
    for words, other in quantity.readings(params):
        value = attempt(quantity.compute, other)
        if value is not None:
            holds = matches(value, printed)
            yield Reading(words, _beside(value, holds=holds), holds, WORDS_COST)


def _beside(value: Value, *, holds: bool) -> str:
    """Return a value as text; empty for a text that holds, as it equals the print."""
    return "" if holds and isinstance(value, str) else digits_shown(value)


def _slips(
    quantity: Quantity, params: Params, printed: str, describe: Callable[[Params], str]
) -> list[Reading]:
    tried: dict[str, Reading] = {}
    for cost, other in quantity.variants(params):
        value = attempt(quantity.compute, other)
        if value is None or other == params:
            continue
        words = describe(other)
        holds = matches(value, printed)
        computed = _beside(value, holds=holds)
        if words not in tried or cost < tried[words].cost:
            tried[words] = Reading(words, computed, holds, cost)
    failed = [reading for reading in tried.values() if not reading.holds]
    if len(failed) > LISTED:
        highest = max(reading.cost for reading in failed)
        words = f"{len(failed)} other forms, paths, tiles or numbers near it"
        failed = [Reading(words, "", holds=False, cost=highest)]
    return [reading for reading in tried.values() if reading.holds] + failed


def _numbers(unit: str, computed: Value, printed: str) -> Iterator[Reading]:
    wanted = number_printed(printed)
    if wanted is None or isinstance(computed, str | Worded):
        return
    scales, bounds = number_readings()
    for scale in scales:
        if unit in scale.units:
            value: Any = (
                computed * scale.factor
                if isinstance(computed, Sampled | Ranged)
                else Fraction(computed) * scale.factor
            )
            yield Reading(scale.words, digits_shown(value), matches(value, printed))
    if isinstance(computed, Sampled | Ranged):
        return
    exact = Fraction(computed)
    for bound in bounds:
        if unit in bound.units:
            beyond = (exact - Fraction(wanted)) * (1 if bound.least else -1)
            holds = 0 <= beyond <= abs(Fraction(wanted)) * NEAR
            yield Reading(bound.words, digits_shown(computed), holds)
    for words, results in OTHER_ROUNDINGS.items():
        if words in ONE_SIDED and significant(wanted) < CUT:
            continue
        yield Reading(words, digits_shown(computed), Fraction(wanted) in results(exact, wanted))

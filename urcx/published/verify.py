"""Verdicts on published figures, computed on demand to the printed precision.

`MEANINGS` says what each verdict means. A figure holds if the quantity named by the source gives
it; in another reading if another meaning of the words, or a similar form, path or number of pieces
or tiles does, which is named. Otherwise it does not hold, or is inconsistent within the source if
another place there says otherwise (``against``).

A mean or rate of a sample is judged as such, whoever drew it: it holds if it lies in the 95 %
interval of the difference, and up to what chance gives among as many samples
(`urcx.published.quantities.values.allowance`) it is undecided.

What takes minutes is recorded with the figure, and the recorded value is judged; given a game's
tablebase, it is computed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from urcx.complexity import tiles
from urcx.engine.chunks import each, gather
from urcx.errors import UnknownNameError
from urcx.published.figures import (
    FAILS,
    HOLDS,
    INCONSISTENT,
    NO_CLAIM,
    OTHERWISE,
    UNDECIDED,
    VERDICTS,
    Figure,
    Source,
    samples,
    sources,
)
from urcx.published.quantities.registry import QUANTITIES, describe
from urcx.published.quantities.values import Sampled, Value, allowance, rules_from
from urcx.published.readings import Reading, readings
from urcx.published.rounding import digits_shown, matches, number_printed
from urcx.published.solutions import Solutions
from urcx.reading import several
from urcx.results.report import Report
from urcx.results.result import Rows, showing
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

NAMED = 3  # how many of several equally near readings are named


@dataclass(frozen=True)
class Verdict:
    """A figure, our value, and the verdict.

    ``computed`` is our value of the quantity named by the source. ``readings`` are all other
    readings that were tried, nearest first; none if the figure holds. ``again`` is what a recorded
    value rests on, computed again; None if it was not. ``chance`` says how far a sample is off, if
    that leaves it undecided.
    """

    figure: Figure
    computed: str
    verdict: str
    readings: tuple[Reading, ...] = ()
    again: str | None = None
    chance: str = ""

    @property
    def otherwise(self) -> tuple[str, ...]:
        """Return the nearest readings that give the printed figure, with their values."""
        holding = [reading for reading in self.readings if reading.holds]
        return tuple(r.text for r in holding if r.cost == holding[0].cost)

    @property
    def exact(self) -> int | None:
        """Return the exact number of diagrams if the figure is a number of states of a path."""
        params = self.figure.params
        if self.figure.quantity != "states" or "path" not in params:
            return None
        return tiles.diagrams(catalogue.path(params["path"]), params["pieces"])

    @property
    def recorded(self) -> bool:
        """Return whether our value was found once and recorded, and not computed again."""
        return bool(self.figure.found) and self.again is None

    @property
    def changed(self) -> bool:
        """Return whether the verdict, or the value it rests on, differs from the recorded one."""
        return self.verdict != self.figure.verdict or self.moved

    @property
    def moved(self) -> bool:
        """Return whether a recorded value came out otherwise when it was computed again.

        Values found by games may be off by the ``within`` of their parameters.
        """
        if self.again is None:
            return False
        found, again = Fraction(self.figure.found), Fraction(self.again)
        near = abs(again - found) <= Fraction(self.figure.params.get("within", 0))
        return not near and not matches(again, self.figure.found)

    @property
    def explanation(self) -> str:
        """Return the origin of the printed figure, as far as known."""
        parts = []
        if self.otherwise:
            more = len(self.otherwise) - NAMED
            named = "; ".join(self.otherwise[:NAMED]) + (f"; and {more} more" if more > 0 else "")
            parts.append(f"given by {named}")
        if self.verdict == INCONSISTENT:
            parts.insert(0, f"but {self.figure.against}")
        if self.chance:
            parts.append(self.chance)
        if self.figure.explanation:
            parts.append(self.figure.explanation)
        text = ": ".join(parts)
        return f"{text} (no other reading holds: {self.tried})" if self.tried else text

    @property
    def tried(self) -> str:
        """Return the readings tried on a figure that does not hold."""
        if self.verdict != FAILS:
            return ""
        return "; ".join(reading.words for reading in self.readings)


Found = tuple[Source, tuple[Verdict, ...]]  # a source with the verdicts on its figures


class Verdicts(Rows[Found], function="verify"):
    """Each source with the verdicts on its figures."""

    def rows_report(self) -> Report:
        """Return the report whose rows are the figures."""
        found: Report = showing().rows_report(self)
        return found


def by_verdict(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Return how many figures have each verdict, in the order of `VERDICTS`."""
    found = Counter(verdict.verdict for verdict in verdicts)
    return {name: found[name] for name in VERDICTS}


def verdict_of(figure: Figure, solutions: Solutions | None = None) -> Verdict:
    """Return the verdict on a figure, computing again what the solutions allow."""
    quantity = QUANTITIES[figure.quantity]
    params, again = figure.params, None
    if figure.found:
        again = _again(figure, solutions)
        params = {**params, "found": figure.found if again is None else again}
    computed = quantity.compute(params)
    text = digits_shown(computed, figure.value)
    sampled = isinstance(computed, Sampled)
    if figure.verdict == NO_CLAIM or (figure.verdict == UNDECIDED and not sampled):
        return Verdict(figure, text, figure.verdict, again=again)
    if matches(computed, figure.value):
        return Verdict(figure, text, HOLDS, again=again)
    if chance := _chance(computed, figure.value):
        return Verdict(figure, text, UNDECIDED, again=again, chance=chance)
    tried = readings(quantity, params, computed, figure.value, describe)
    verdict = OTHERWISE if any(reading.holds for reading in tried) else FAILS
    # How a figure came about does not make it agree with what the source says elsewhere.
    return Verdict(figure, text, INCONSISTENT if figure.against else verdict, tried, again)


def _chance(computed: Value, printed: str) -> str:
    """Return how far a sample is off, if chance may explain it among all that are judged."""
    wanted = number_printed(printed)
    if wanted is None or not isinstance(computed, Sampled):
        return ""
    off, most = computed.off(wanted), allowance(samples())
    allowed = f"{off:.1f} standard errors off, where chance allows one of {samples()} samples"
    return f"{allowed} {most:.1f}" if off <= most else ""


def _again(figure: Figure, solutions: Solutions | None) -> str | None:
    """Return what a recorded value rests on, computed from the game's solution if there is one."""
    compute = QUANTITIES[figure.quantity].again
    file = None if solutions is None else solutions.of(rules_from(figure.params))
    if compute is None or file is None:
        return None
    return str(compute(figure.params, file))


def computed_again(
    source: str | None, tablebases: Sequence[str | Path]
) -> list[tuple[Figure, RuleSet, Path]]:
    """Return the figures whose recorded values `verify` computes again, each with its game's file.

    Raises what `verify` raises for its arguments.
    """
    solutions, figures = _asked(source, tablebases)
    found = []
    for figure in figures:
        rules = rules_from(figure.params) if figure.found else None
        file = rules and solutions.of(rules)
        if rules and file and QUANTITIES[figure.quantity].again:
            found.append((figure, rules, file))
    return found


def _asked(source: str | None, tablebases: Sequence[str | Path]) -> tuple[Solutions, list[Figure]]:
    """Return the tablebases, and the figures of one source or of all."""
    figures = [figure for _, own in _chosen(source) for figure in own]
    solutions = Solutions(tablebases)
    solutions.check(figures)
    return solutions, figures


def _chosen(source: str | None) -> list[tuple[Source, tuple[Figure, ...]]]:
    """Return one source with its figures, or all."""
    known = {item.name: (item, figures) for item, figures in sources()}
    if source is not None and str(source) not in known:
        raise UnknownNameError("source", str(source), known)
    return [known[source]] if source is not None else list(known.values())


def verify(
    source: str | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    tablebases: Sequence[str | Path] = (),
    executor: Executor | None = None,
) -> Verdicts:
    """Return the verdicts on all figures, or on one source's.

    Parameters
    ----------
    source
        The name of a source; all by default.
    progress
        Called with the number of figures judged so far.
    tablebases
        Solved games, whose recorded figures are computed again; each takes minutes.
    executor
        What computes, one quantity after another; by default this process.

    Returns
    -------
    Verdicts
        A tuple of pairs: a source, and the verdicts on its figures.

    Raises
    ------
    UnknownNameError
        If there is no such source.
    UsageError
        If a tablebase is of a game of which nothing is recorded.
    TablebaseError
        If a tablebase cannot be read.
    UrcxError
        If the executor's workers fail, or have another urcx.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.verify("michon")
    >>> ((source, verdicts),) = found
    >>> source.name, verdicts[0].figure.printed, verdicts[0].verdict
    ('michon', '14', 'holds')
    >>> len(found.to_dict()["verdict"]) == len(verdicts)
    True
    """
    chosen = _chosen(source)
    files = [str(file.resolve()) for file in several(tablebases)]
    _asked(source, files)  # raises
    # Figures of one quantity share what they are computed from.
    asked: dict[str, list[Figure]] = {}
    for _, figures in chosen:
        for figure in figures:
            asked.setdefault(figure.quantity, []).append(figure)
    judged: dict[str, Iterator[Verdict]] = {}
    done = 0

    def take(part: list[Verdict], figures: list[Figure]) -> None:
        nonlocal done
        judged[figures[0].quantity] = iter(part)
        done += len(part)

    gather(
        _Judge(tuple(files)),
        each((figures,) for figures in asked.values()),
        take,
        executor=executor,
        tick=lambda: progress and progress(done),
    )
    return Verdicts(
        (item, tuple(next(judged[figure.quantity]) for figure in figures))
        for item, figures in chosen
    )


@dataclass(frozen=True)
class _Judge:
    """Judges figures, in whatever process; ``tablebases`` are files."""

    tablebases: tuple[str, ...]

    def __call__(self, figures: list[Figure]) -> list[Verdict]:
        solutions = _solutions(self.tablebases)
        return [verdict_of(figure, solutions) for figure in figures]


@lru_cache(maxsize=1)
def _solutions(files: tuple[str, ...]) -> Solutions:
    return Solutions(files)

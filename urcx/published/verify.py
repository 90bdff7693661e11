"""Verdicts on published figures, computed on demand to the printed precision.

`MEANINGS` defines the verdicts. A figure holds if computing the quantity named by the source gives
the printed figure. Otherwise we try the readings that its entry names: another meaning of the
words, a similar form, path or number of pieces or tiles, another rounding. The figure holds in
another reading if one of them gives the printed figure. It is inconsistent within the source if
another place there contradicts it (``against``). Otherwise it does not hold.

A mean or rate of games, ours or the source's, is judged as a sample. It holds if it is in the 95 %
interval of the difference. It is undecided if its deviation is within the deviation that chance
allows among all samples (`urcx.published.rounding.allowance`).

Values that take minutes are recorded with the figures, and the recorded values are judged. With the
tablebase of a game, they are computed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.complexity import tiles
from urcx.errors import UnknownNameError, UsageError, check_functions
from urcx.published.figures import (
    FAILS,
    HOLDS,
    INCONSISTENT,
    MEANINGS,
    NO_CLAIM,
    OTHERWISE,
    UNDECIDED,
    VERDICTS,
    Figure,
    Source,
    samples,
    sources,
)
from urcx.published.quantities.registry import AGAIN, QUANTITIES, describe
from urcx.published.rounding import (
    Params,
    Sampled,
    Value,
    allowance,
    digits_shown,
    matches,
    number_printed,
    read_as,
    rules_from,
)
from urcx.reading import as_paths
from urcx.results.fields import COUNT, Field, Format, fields_of
from urcx.results.numbers import count_text, grouped, number
from urcx.results.result import Rows
from urcx.results.tables import ColouredText, Column, Note, Table, Tone
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import open_tablebase

__all__ = ["verify"]

NAMED = 3  # readings that a text names, if several give the figure
COLUMNS = (
    Column("place", text=True, key=True, least=22),
    Column("printed", text=True, key=True, least=16),
    Column("computed", text=True, least=14),
    Column("verdict", text=True, least=12),
)
TONES: dict[str, Tone] = {HOLDS: "good", FAILS: "bad"}  # others are fair
SHORT = {OTHERWISE: "other reading", INCONSISTENT: "inconsistent"}  # headings
WRONG = "Figures that do not hold"  # a table's title
MAX_LISTED = 5  # printed figures that one line of the table lists


@dataclass(frozen=True)
class Reading:
    """Another way to read a printed figure, our value, and whether the figure then holds."""

    words: Annotated[str, Field(about="a possible meaning of the source, in words", key="reading")]
    computed: Annotated[str, Field(about="the value in this reading")]
    holds: Annotated[bool, Field(about="whether this reading gives the printed figure")]

    @property
    def text(self) -> str:
        """Return the reading, with its value in brackets if there is one."""
        return f"{self.words} ({self.computed})" if self.computed else self.words


def _tried(readings: Sequence[Reading]) -> str:
    """Return readings as one text, for CSV."""
    return "; ".join(
        f"{r.words}{': ' + r.computed if r.computed else ''}{' (holds)' if r.holds else ''}"
        for r in readings
    )


def _parameters(figure: Figure) -> str:
    return describe(figure.params)


TRIED = Format(json=(("", fields_of(Reading).records),), csv=(("", _tried),))


@dataclass(frozen=True)
class Verdict:
    """A figure, our value, and the verdict."""

    figure: Annotated[
        Figure,
        "the printed figure",
        Field(about="name of the source", key="source", of="source"),
        Field(about="place of the figure in the source", key="place", of="place"),
        Field(about="the quantity that the figure is a value of", key="quantity", of="quantity"),
        Field(about="parameters of the quantity", key="parameters", of=_parameters),
        Field(about="the figure as printed", key="printed", of="printed"),
        Field(about="the verdict recorded", key="recorded", of="verdict"),
    ]
    computed: Annotated[str, Field(about="our value of the figure as the source defines it")]
    verdict: Annotated[str, Field(about=f"{', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}")]
    readings: Annotated[
        tuple[Reading, ...],
        "the other readings that its entry names, none if the figure holds",
        Field("", TRIED, "other readings that were tried"),
    ] = ()
    again: Annotated[
        str | None, "a recorded value computed again, None if it was not computed again"
    ] = None
    chance: Annotated[str, "the deviation of a sample, if the verdict is undecided for it"] = ""

    @property
    def otherwise(self) -> tuple[str, ...]:
        """Return the readings that give the printed figure, with their values."""
        return tuple(reading.text for reading in self.readings if reading.holds)

    @property
    @Field("", COUNT, "the number of configurations, for figures of state spaces")
    def exact(self) -> int | None:
        """Return the exact number of configurations, if the figure is a path's number of states."""
        params = self.figure.params
        if self.figure.quantity != "states" or "path" not in params:
            return None
        return tiles.diagrams(catalogue.path(params["path"]), params["pieces"])

    @property
    def recorded(self) -> bool:
        """Return whether our value is recorded and was not computed again."""
        return bool(self.figure.found) and self.again is None

    @property
    def changed(self) -> bool:
        """Return whether the verdict or its value differs from the recorded verdict or value."""
        return self.verdict != self.figure.verdict or self.moved

    @property
    def moved(self) -> bool:
        """Return whether a recorded value changed when it was computed again.

        Values computed from games may change by ``within``, a parameter.
        """
        if self.again is None:
            return False
        recorded, again = Fraction(self.figure.found), Fraction(self.again)
        near = abs(again - recorded) <= Fraction(self.figure.params.get("within", 0))
        return not near and not matches(again, self.figure.found)

    @property
    @Field(about="origin of the printed figure, as far as known")
    def explanation(self) -> str:
        """Return the origin of the printed figure, if known, and the readings tried in vain."""
        text = self.origin
        return f"{text} (no other reading holds: {self.tried})" if self.tried else text

    @property
    def origin(self) -> str:
        """Return the origin of the printed figure, if known."""
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
        return ": ".join(parts)

    @property
    def tried(self) -> str:
        """Return the readings tried on a figure that does not hold, as text."""
        if self.verdict != FAILS:
            return ""
        return "; ".join(reading.words for reading in self.readings)

    @property
    @Field(about="method behind our value, if it is recorded and was not computed again")
    def obtained(self) -> str:
        """Return the method behind a recorded value, if it was not computed again."""
        return self.figure.how if self.recorded else ""

    @property
    def cells(self) -> list[str]:
        """Return the figure's row of a table."""
        computed = grouped(self.computed)
        if self.exact is not None:
            exact = number(self.exact)
            # A separate column would be empty in most rows and take space from the others.
            computed += " (exact)" if exact == self.computed else f" (exact: {exact})"
        if self.recorded:
            computed += " (recorded)"
        changed = ""
        if self.changed:
            same = self.verdict == self.figure.verdict
            changed = f" (recorded: {self.figure.found if same else self.figure.verdict})"
        return [self.figure.place, grouped(self.figure.printed), computed, self.toned(changed)]

    def toned(self, more: str = "") -> ColouredText:
        """Return the verdict for a table."""
        return ColouredText(self.verdict + more, TONES.get(self.verdict, "fair"))


FIELDS = fields_of(Verdict)
FIGURES = FIELDS.pick(
    *("source", "place", "quantity", "parameters", "printed", "computed", "exact", "verdict"),
    *("recorded", "explanation", "obtained", "readings"),
)


def by_verdict(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Return the number of figures with each verdict, in the order of `VERDICTS`."""
    numbers = Counter(verdict.verdict for verdict in verdicts)
    return {name: numbers[name] for name in VERDICTS}


def _counted(verdict: str) -> Callable[[Sequence[Verdict]], int]:
    return lambda verdicts: by_verdict(verdicts)[verdict]


COUNTS = tuple(
    Field(
        Column(
            SHORT.get(name, name), secondary=name == NO_CLAIM, joined=name in (FAILS, UNDECIDED)
        ),
        Format(number),
        about=f"number of figures with the verdict: {name}",
        key=name.replace(" ", "_"),
        of=_counted(name),
    )
    for name in VERDICTS
)


class SourceVerdicts(NamedTuple):
    """A source with the verdicts on its figures."""

    source: Annotated[
        Source,
        Field("<source", about="name of the source", key="name", of="name"),
        Field(about="its title", key="title", of="title"),
    ]
    verdicts: Annotated[
        tuple[Verdict, ...],
        Field("figures", Format(number), "number of figures in the source", key="figures", of=len),
        *COUNTS,
    ]

    @property
    @Field(about="summary of the verdicts and the errors")
    def summary(self) -> str:
        """Return the summary of the verdicts and the errors."""
        return self.source.summary

    def table(self) -> Table:
        """Return the source's figures, with one row for all figures of a place that hold."""
        return Table(
            f"{self.source.name}: {self.source.title}",
            COLUMNS,
            _rows(_groups(self.verdicts)),
            [self.summary, *_explanations(self.verdicts)],
        )


class Verdicts(Rows[tuple[Source, tuple[Verdict, ...]]], function="verify"):
    """Each source with the verdicts on its figures.

    ``only`` selects the verdicts whose figures are listed. The summary always counts all figures.
    With ``summary``, it is printed alone, because all figures take many screens.
    """

    schema = "urcx.verify/2"
    parts: ClassVar = {
        "sources": fields_of(SourceVerdicts),
        "rows": FIGURES,
        "rows.readings": fields_of(Reading),
    }
    only: Annotated[
        Collection[str], Field(about="verdicts whose figures are listed", key="verdicts", of=list)
    ] = VERDICTS
    summary: bool = False

    @property
    @Field(about="number of verdicts that differ from the recorded verdicts")
    def changed(self) -> int:
        """Return the number of verdicts that differ from the recorded verdicts."""
        return sum(verdict.changed for _, verdicts in self for verdict in verdicts)

    @property
    def _judged(self) -> list[SourceVerdicts]:
        return [SourceVerdicts(*item) for item in self]

    def _visible(self, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
        """Return the figures to list, none if the summary is printed alone."""
        return (
            ()
            if self.summary
            else tuple(verdict for verdict in verdicts if verdict.verdict in self.only)
        )

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        own = self.members()
        sources, figures = own["sources"].records(self._judged), self._visible(self._verdicts)
        return own[""].record(self) | {"sources": sources, "rows": own["rows"].records(figures)}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each figure, or for each source."""
        if self.summary:
            return fields_of(SourceVerdicts).records(self._judged)
        return [FIGURES.flat(verdict) for verdict in self._visible(self._verdicts)]

    @property
    def brief(self) -> int:
        """Return the number of tables about all sources."""
        return 1 + len(self._wrong_tables())

    def tables(self) -> list[Table]:
        """Return the tables: the summary, figures that do not hold, and then source by source."""
        sources = [
            SourceVerdicts(source, listed).table()
            for source, verdicts in self
            if (listed := self._visible(verdicts))
        ]
        visible = self._visible(self._verdicts)
        recorded = [RECORDED_NOTE] if any(verdict.recorded for verdict in visible) else []
        sources[-1:] = [
            replace(table, notes=[*table.notes, COMPUTED_NOTE, *recorded]) for table in sources[-1:]
        ]
        return [self._summary_table(), *self._wrong_tables(), *sources]

    @property
    def _verdicts(self) -> list[Verdict]:
        return [verdict for _, verdicts in self for verdict in verdicts]

    @property
    def answer(self) -> str:
        """Return the sentence with the number of figures for each verdict."""
        words = {
            HOLDS: ("holds as printed", "hold as printed"),
            FAILS: ("does not hold", "do not hold"),
            OTHERWISE: ("in another reading",),
            INCONSISTENT: ("inconsistent within its source", "inconsistent within their source"),
            UNDECIDED: ("undecided",),
            NO_CLAIM: ("no claim", "no claims"),
        }
        numbers = by_verdict(self._verdicts)
        every = count_text(sum(numbers.values()), "published figure")
        parts = [
            f"{numbers[name]:,} {texts[0 if numbers[name] == 1 else -1]}"
            for name, texts in words.items()
            if numbers[name]
        ]
        return f"{every} in {count_text(len(self), 'source')}: {', '.join(parts)}"

    def _summary_table(self) -> Table:
        """Return the table of the number of figures for each verdict, by source and in total."""
        numbers, judged = by_verdict(self._verdicts), self._judged
        words = [
            Note(f"{SHORT.get(name, name)}: {MEANINGS[name]}", SHORT.get(name, name))
            for name in VERDICTS
            if numbers[name] and name != HOLDS
        ]
        own = fields_of(SourceVerdicts)
        table = own.table("", judged, [Note.of(*words)] if words else [])
        if len(judged) < 2:
            return table
        total = own.cells(SourceVerdicts(judged[0].source, tuple(self._verdicts)))
        return replace(table, rows=[*table.rows, ["all", *total[1:]]])

    def _wrong_tables(self) -> list[Table]:
        """Return the table of the figures that do not hold, if all figures are listed."""
        if self.summary or len(self.only) < len(VERDICTS):
            return []
        wrong = [verdict for verdict in self._verdicts if verdict.verdict == FAILS]
        rows = [
            [f"{verdict.figure.source}, {verdict.cells[0]}", *verdict.cells[1:3]]
            for verdict in wrong
        ]
        return [Table(WRONG, COLUMNS[:3], rows)] if rows else []


COMPUTED_NOTE = (
    "computed: our value of the figure as the source defines it; (exact): the number of "
    "configurations, for figures of state spaces"
)
RECORDED_NOTE = (
    "(recorded): computed once, because it takes minutes; for the method add --json and see "
    "obtained; --tablebase FILE computes values that follow from a solution again"
)


def _groups(verdicts: tuple[Verdict, ...]) -> list[list[Verdict]]:
    """Return the verdicts by place. The figures of a place that hold share a row."""
    places: dict[str, list[list[Verdict]]] = {}
    for verdict in verdicts:
        groups = places.setdefault(verdict.figure.place, [])
        holds = verdict.verdict == HOLDS and not verdict.changed
        shared = [g for g in groups if holds and g[0].verdict == HOLDS and not g[0].changed]
        if shared:
            shared[0].append(verdict)
        else:
            groups.append([verdict])
    return [group for groups in places.values() for group in groups]


def _explanations(verdicts: tuple[Verdict, ...]) -> list[str]:
    """Return a note for each explanation, with its figures."""
    origins: dict[tuple[str, str], list[str]] = {}
    tried: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.origin:
            key = verdict.figure.place, verdict.origin
            origins.setdefault(key, []).append(verdict.figure.printed)
        if verdict.tried:
            tried.setdefault(verdict.tried, []).append(verdict.figure.printed)
    return [
        *(
            grouped(f"{'; '.join(dict.fromkeys(printed))} ({place}): {text}")
            for (place, text), printed in origins.items()
        ),
        *(
            grouped(f"no other reading of {'; '.join(dict.fromkeys(printed))} holds: {readings}")
            for readings, printed in tried.items()
        ),
    ]


def _rows(groups: list[list[Verdict]]) -> list[list[str]]:
    """Return the table's rows. Rows with equal names have a parameter that distinguishes them."""
    rows = [_row(group) for group in groups]
    same_name: dict[tuple[str, ...], list[int]] = {}
    for k, row in enumerate(rows):
        same_name.setdefault(tuple(row[:2]), []).append(k)
    for numbers in same_name.values():
        params = [groups[k][0].figure.params for k in numbers]
        own = [key for key in params[0] if any(p.get(key) != params[0][key] for p in params)]
        for k, own_params in zip(numbers, params, strict=True):
            if own and own[0] in own_params:
                rows[k][0] += f" ({describe({own[0]: own_params[own[0]]})})"
    return rows


def _row(group: list[Verdict]) -> list[str]:
    """Return the row of a figure, or of several figures of one place that hold."""
    if len(group) == 1:
        return group[0].cells
    printed = [verdict.figure.printed for verdict in group]
    text = f"{printed[0]} to {printed[-1]}" if len(printed) > MAX_LISTED else "; ".join(printed)
    return [group[0].figure.place, grouped(text), f"all {len(group)}", group[0].toned()]


class Solutions:
    """Tablebases by their rule sets.

    Raises
    ------
    UnusableFileError, TablebaseError
        If a file cannot be read, or is damaged.
    """

    def __init__(self, files: Sequence[str | Path] = ()) -> None:
        self._bases: list[tuple[RuleSet, Path]] = []
        for file in files:
            with open_tablebase(file) as base:
                self._bases.append((base.rules, Path(file)))

    def of(self, rules: RuleSet) -> Path | None:
        """Return the file of a rule set's tablebase, or None."""
        return next((file for solved, file in self._bases if solved.plays_like(rules)), None)

    def check(self, figures: Iterable[Figure]) -> None:
        """Raise `UsageError` if no recorded figure can be computed again from a tablebase."""
        recorded = [f for f in figures if f.found and f.quantity in AGAIN]
        rule_sets = [rules_from(figure.params) for figure in recorded if self._bases]
        for rules, file in self._bases:
            if file not in map(self.of, rule_sets):
                games = sorted({item.name for item in rule_sets})
                raise UsageError(
                    f"{file} is a tablebase of {rules.full_name}, and the sources have no recorded "
                    f"figures for it. Recorded figures are for: {', '.join(games) or 'no game'}"
                )


def verdict_of(figure: Figure, solutions: Solutions | None = None) -> Verdict:
    """Return the verdict on a figure, computing its value again if a solution allows it."""
    params, again = figure.params, None
    if figure.found:
        again = _again(figure, solutions)
        params = {**params, "found": figure.found if again is None else again}
    computed = QUANTITIES[figure.quantity](params)
    text = digits_shown(computed, figure.value)
    sampled = isinstance(computed, Sampled)
    if figure.verdict == NO_CLAIM or (figure.verdict == UNDECIDED and not sampled):
        return Verdict(figure, text, figure.verdict, again=again)
    if matches(computed, figure.value):
        return Verdict(figure, text, HOLDS, again=again)
    if chance := _chance(computed, figure.value):
        return Verdict(figure, text, UNDECIDED, again=again, chance=chance)
    tried = tuple(_read(figure, params, computed, reading) for reading in figure.readings)
    verdict = OTHERWISE if any(reading.holds for reading in tried) else FAILS
    # A contradiction within the source stays, even if another reading gives the figure.
    return Verdict(figure, text, INCONSISTENT if figure.against else verdict, tried, again)


def _read(figure: Figure, params: Params, computed: Value, reading: str | Params) -> Reading:
    """Return whether a figure holds in a reading that its entry names."""
    if isinstance(reading, str):
        assert isinstance(computed, int | float | Fraction)
        return Reading(reading, digits_shown(computed), read_as(reading, computed, figure.value))
    params = {**params, **reading["params"]}
    value = QUANTITIES[figure.quantity](params)
    holds = matches(value, figure.value)
    # A text that holds is the printed text, so it is not repeated.
    text = "" if holds and isinstance(value, str) else digits_shown(value)
    return Reading(reading.get("words") or describe(params), text, holds)


def _chance(computed: Value, printed: str) -> str:
    """Return the deviation of a sample as text, if chance may explain it among all samples."""
    target = number_printed(printed)
    if target is None or not isinstance(computed, Sampled):
        return ""
    off, most = computed.off(target), allowance(samples())
    text = f"{off:.1f} standard errors off. Among {samples()} samples, chance allows {most:.1f}"
    return text if off <= most else ""


def _again(figure: Figure, solutions: Solutions | None) -> str | None:
    """Return a recorded value computed again from the game's solution, None without a solution."""
    compute = AGAIN.get(figure.quantity)
    if compute is None or solutions is None:
        return None
    file = solutions.of(rules_from(figure.params))
    return None if file is None else str(compute(figure.params, file))


def recomputed_figures(
    source: str | None, tablebases: Sequence[str | Path]
) -> list[tuple[Figure, RuleSet, Path]]:
    """Return the figures whose recorded values `verify` computes again, each with its game's file.

    Raises the errors of `verify` for its arguments.
    """
    solutions, figures = _solutions_and_figures(source, tablebases)
    again = []
    for figure in figures:
        if figure.found and figure.quantity in AGAIN:
            rules = rules_from(figure.params)
            if file := solutions.of(rules):
                again.append((figure, rules, file))
    return again


def _solutions_and_figures(
    source: str | None, tablebases: Sequence[str | Path]
) -> tuple[Solutions, list[Figure]]:
    """Return the tablebases, and the figures of one source or of all sources."""
    figures = [figure for _, own in _sources(source) for figure in own]
    solutions = Solutions(tablebases)
    solutions.check(figures)
    return solutions, figures


def _sources(source: str | None) -> list[tuple[Source, tuple[Figure, ...]]]:
    """Return one source with its figures, or all sources."""
    by_name = {item.name: (item, figures) for item, figures in sources()}
    if source is not None and str(source) not in by_name:
        raise UnknownNameError("source", str(source), by_name, listed_by="urcx verify --help")
    return [by_name[source]] if source is not None else list(by_name.values())


def verify(
    source: str | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    tablebases: Sequence[str | Path] = (),
) -> Verdicts:
    """Return the verdicts on all figures, or on the figures of one source.

    Parameters
    ----------
    source
        The name of a source. By default all sources.
    progress
        A function that is called with the number of figures judged so far.
    tablebases
        Files of solved games. Recorded figures of these games are computed again, which takes
        minutes per game.

    Returns
    -------
    Verdicts
        A tuple of pairs: a source, and the verdicts on its figures.

    Raises
    ------
    UnknownNameError
        If the source is unknown.
    UsageError
        If a tablebase's game has no recorded figures.
    TablebaseError
        If a tablebase cannot be read.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.verify("michon")
    >>> ((source, verdicts),) = result
    >>> source.name, verdicts[0].figure.printed, verdicts[0].verdict
    ('michon', '14', 'holds')
    >>> len(result.to_dict()["verdict"]) == len(verdicts)
    True
    """
    if progress is not None:
        check_functions(progress=progress)
    files = [file.resolve() for file in as_paths(tablebases)]
    solutions, figures = _solutions_and_figures(source, files)
    # Figures of one quantity share cached intermediate results.
    by_quantity: dict[str, list[Figure]] = {}
    for figure in figures:
        by_quantity.setdefault(figure.quantity, []).append(figure)
    judged: dict[str, Iterator[Verdict]] = {}
    done = 0
    for quantity, group in by_quantity.items():
        judged[quantity] = iter([verdict_of(figure, solutions) for figure in group])
        done += len(group)
        if progress:
            progress(done)
    return Verdicts(
        (item, tuple(next(judged[figure.quantity]) for figure in own))
        for item, own in _sources(source)
    )

"""State-space complexity: every closed form, compared with the enumerated count.

Forms come from `urcx.complexity`, counts from `urcx.enumerate.enumerator`. Neither imports the
other, and below the published figures only this module compares them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import Annotated, Any, ClassVar, overload

from urcx.complexity import forms, tiles
from urcx.engine import compiling
from urcx.engine.costs import VISITED, duration, estimate
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.board_spaces import BoardGames, board_games
from urcx.enumerate.enumerator import HEXADECIMAL, Count
from urcx.errors import OutOfDomainError, TooLargeError, UsageError, check_booleans, check_functions
from urcx.results.fields import COUNT, Field, Fields, Format
from urcx.results.latex import PACKAGES, escaped, tabular
from urcx.results.numbers import count_text, every_digit, number, number_word, power_of_two
from urcx.results.result import Report, Result
from urcx.results.tables import ColouredText, Column, Note, Table, Tone, key
from urcx.rules import catalogue
from urcx.rules.model import Path

__all__ = ["ssc"]

VISIT_LIMIT = 20_000_000_000  # configurations enumerated by default
MOST_REASONS = 3  # with more reasons, one note names the first one
RATE_DIGITS = 1e7  # configurations per second (faster rates have no decimals)
FAR, MUCH = 10, 1000  # errors from these multiples on are factors, or have exponents
OFF_NOTE = (
    "error of each form in %, or as a factor from x10 on; = exact number, - not stated for this "
    "path and number of pieces"
)
SIGNS_NOTE = (
    "= exact number, < less, > more, - not stated for this path and number of pieces; for errors "
    "in % add --compare errors"
)
WEAKER = (
    ("approximation", "approximates the number", "approximate the number"),
    ("upper bound", "is an upper bound", "are upper bounds"),
)
FEW_PATHS = 4  # with more paths, some forms are only in the wide table
SYMBOLS = (
    "Configurations with $p$ light and $q$ dark pieces on a path of $L$ steps, with $m$ shared and "
    "$n$ private tiles per side. Light crosses tile $t$ $a_t$ times, dark $b_t$ times."
)
EXACT = tuple(name for name, form in forms.FORMS.items() if form.status == "exact")
SECONDS = Format(json=(("", lambda value: round(value, 6)),))
NAMES = Format(json=(("", list),), csv=(("", " ".join),))
NUMBERS = Format(  # only in JSON
    json=(("", lambda of: {k: None if v is None else every_digit(v) for k, v in of.items()}),),
    csv=(),
)


@dataclass(frozen=True)
class StateSpace(Result, function="ssc"):
    """The counts for one path and number of pieces: by each form, and by enumeration.

    Examples
    --------
    >>> import urcx
    >>> counts = urcx.ssc("murray", 3, enumerate=False)
    >>> counts.forms["michon"] is None, "michon" in counts.reasons
    (True, True)
    >>> counts.exact == counts.forms["tile-polynomial"]
    True
    """

    path: Annotated[Path, Field(about="name of the path", of="name")]
    pieces: Annotated[int, Field(about="pieces of light")]
    dark_pieces: Annotated[int, Field(about="pieces of dark")]
    forms: Annotated[
        dict[str, int | None],
        Field(kind=NUMBERS, about="value of each form, by name, null outside its domain"),
    ]
    reasons: Annotated[
        dict[str, str],
        Field(
            kind=Format(csv=()),
            about="reason why a form is not stated here, by name",
            key="out_of_domain",
        ),
    ]
    count: Annotated[
        Count | None,
        "the result of the enumeration, None without one",
        Field("", COUNT, "configurations visited, null if none", key="enumerated", of="diagrams"),
        Field(
            "", HEXADECIMAL, "checksum of all configurations visited", key="checksum", of="checksum"
        ),
        Field("", SECONDS, "duration of the visits", key="seconds", of="seconds"),
        Field(
            "",
            Format(json=(("", round),)),
            "configurations visited per second",
            key="diagrams_per_second",
            of="rate",
        ),
    ] = None

    @property
    def exact(self) -> int:
        """Return the number of configurations: enumerated, or else by the tile polynomial."""
        return self.count.diagrams if self.count else self.diagrams

    @cached_property
    def diagrams(self) -> int:
        """Return the number of configurations by the tile polynomial."""
        return tiles.diagrams(self.path, self.pieces, self.dark_pieces)

    @cached_property
    @Field(kind=NAMES, about="the forms that give the exact number")
    def agree(self) -> tuple[str, ...]:
        """Return the names of the forms that give the exact number."""
        return tuple(name for name, value in self.forms.items() if value == self.exact)

    @property
    def all_exact(self) -> bool:
        """Return whether all exact forms, and no others, give the exact number."""
        return set(self.agree) == set(EXACT)

    @cached_property
    @Field("", COUNT, "total branches, light to move", key="branches", of=itemgetter(0))
    @Field("", COUNT, "total branches, dark to move", key="dark_branches", of=itemgetter(1))
    def branches(self) -> tuple[int, int]:
        """Return the total branches of light and of dark, enumerated or by formula."""
        if self.count:
            return self.count.branches, self.count.dark_branches
        return tiles.branches(self.path, self.pieces, self.dark_pieces)

    @property
    @Field(about="mean branches per configuration, light to move")
    def mean_branches(self) -> float:
        """Return light's mean number of branches per configuration: the post's branching factor."""
        return self.branches[0] / self.diagrams

    @property
    @Field(kind=NUMBERS, about="the number of states in each convention")
    def conventions(self) -> dict[str, int]:
        """Return the number of states in each convention that the closed form can give."""
        return tiles.conventions(self.path, self.pieces, self.dark_pieces)

    @property
    def shown(self) -> StateSpaces:
        """Return a result with this row alone."""
        return StateSpaces((self.path,), (self.pieces,), self.dark_pieces, [self])


@dataclass(frozen=True)
class StateSpaces(Result, function="ssc"):
    """The counts for several paths and numbers of pieces.

    Attributes
    ----------
    paths : Sequence of Path
        The paths.
    pieces : Sequence of int
        The numbers of light pieces.
    dark_pieces : int or None
        The number of dark pieces, None if dark has as many as light.
    rows : Sequence of StateSpace
        A row for each path and number of pieces.
    names : Sequence of str
        The closed forms in the table.
    errors : bool
        Whether the table has the errors of forms instead of their values.
    notes : tuple of str
        Notes on rows that were not visited, with the reasons.
    unfinished : str
        After an interrupt, a description of the work done. Otherwise empty.

    Examples
    --------
    >>> import urcx
    >>> counts = urcx.ssc("bell", range(1, 4))
    >>> [row.exact for row in counts.rows]
    [248, 13112, 264304]
    """

    paths: Annotated[
        Sequence[Path],
        Field(about="names of the paths", of=lambda paths: [path.name for path in paths]),
    ]
    pieces: Annotated[
        Sequence[int], Field(kind=Format(json=(("", list),)), about="numbers of light pieces")
    ]
    dark_pieces: Annotated[
        int | None, Field(about="number of dark pieces, null if dark has as many as light")
    ]
    rows: Sequence[StateSpace]
    names: Sequence[str] = tuple(forms.FORMS)
    notes: tuple[str, ...] = ()
    unfinished: str = ""
    errors: bool = False
    schema = "urcx.ssc/1"
    lists = ("rows",)
    convention: ClassVar[
        Annotated[str, Field(about="the kind of states: configurations (diagrams)")]
    ] = "diagrams"
    exactness: ClassVar[
        Annotated[
            dict[str, str],
            Field(about="status of each form, by name: exact, bound, approximation or wrong"),
        ]
    ] = {name: form.status for name, form in forms.FORMS.items()}

    @property
    @Field("", SECONDS, "null if nothing was enumerated")
    def compile_seconds(self) -> float | None:
        """Return the seconds spent on compiling kernels, or None if nothing was enumerated."""
        return compiling.seconds() if any(row.count for row in self.rows) else None

    @property
    def answer(self) -> str:
        """Return the sentence on the counts, with the forms that agree in all rows."""
        least, most = (choose(self.rows, key=lambda row: row.exact) for choose in (min, max))
        visited = [row for row in self.rows if row.count]
        how = "each visited" if visited else "by the tile polynomial, none visited"
        if visited and len(visited) < len(self.rows):
            how = f"each visited in {len(visited)} of {len(self.rows)} rows"
        claims = [name for name in self._stated if forms.FORMS[name].claims_exact]
        right = [name for name in claims if self._gives(name)]
        wrong = [name for name in claims if name not in right]
        every = " in every row" if len(self.paths) > 1 else " at every p"
        every = every if len(self.rows) > 1 else ""
        agree = "form agrees" if len(right) == 1 else "forms agree"
        text = f"{number_word(len(right))} closed {agree}{every}"
        if wrong:
            disagree = "form does not" if len(wrong) == 1 else "forms do not"
            text += f", {number_word(len(wrong))} published {disagree}"
        statuses = [forms.FORMS[name].status for name in self._stated]
        weaker = [
            f"{number_word(n)} {singular if n == 1 else plural}"
            for status, singular, plural in WEAKER
            if (n := statuses.count(status))
        ]
        text += f"; {', '.join(weaker)}" if weaker else ""
        several = len(self.paths) > 1
        paths = count_text(len(self.paths), "path") if several else least.path.name
        numbers = number(least.exact)
        if least is not most:
            numbers += f" ({least.path.name})" if several else ""
            numbers += f" to {number(most.exact)}"
            numbers += f" ({most.path.name})" if several else ""
        return f"{paths}, {self._all_pieces}: {numbers} configurations, {how}; {text}"

    @property
    def _all_pieces(self) -> str:
        """Return the numbers of pieces of all rows as text."""
        light, dark = sorted({row.pieces for row in self.rows}), self.rows[-1].dark_pieces
        first, last = light[0], light[-1]
        text = str(last) if first == last else f"{first} to {last}"
        if len(light) < last - first + 1:
            text = f"{len(light)} numbers from {text}"
        if self.dark_pieces is not None and light != [dark]:
            return f"{text} light and {count_text(dark, 'dark piece')}"
        return f"{text} {'piece' if light == [1] else 'pieces'}"

    @property
    def _stated(self) -> list[str]:
        return [
            name for name in self.names if any(row.forms[name] is not None for row in self.rows)
        ]

    def _gives(self, name: str) -> bool:
        """Return whether a form gives the exact number in every row in which it is stated."""
        values = [(row.forms[name], row.exact) for row in self.rows]
        return all(value in (None, exact) for value, exact in values)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV, with a column for each form."""
        return [
            own | NUMBERS.json[0][1](row.forms)
            for own, row in zip(super().records(), self.rows, strict=True)
        ]

    @property
    def row_fields(self) -> Fields:
        """Return the fields of the rows of CSV, with a field for each form."""
        return super().row_fields + Fields(*(Field(kind=COUNT, key=name) for name in forms.FORMS))

    @property
    def latex(self) -> str:
        """Return the numbers as a tabular for LaTeX, and below it the formulas of the forms.

        Forms that give the exact numbers have no column.
        """
        several, unequal = len(self.paths) > 1, any(r.pieces != r.dark_pieces for r in self.rows)
        same = [name for name in self._stated if self._gives(name)]
        others = [name for name in self._stated if name not in same]
        columns = [
            *(["path"] if several else []),
            "$p$",
            *(["$q$"] if unequal else []),
            "configurations",
        ]
        rows = [
            [
                *([escaped(row.path.name)] if several else []),
                str(row.pieces),
                *([str(row.dark_pieces)] if unequal else []),
                number(row.exact),
                *(_latex_cell(row.forms[name]) for name in others),
            ]
            for row in self.rows
        ]
        table = tabular([*columns, *map(escaped, others)], rows, texts=int(several))
        give = (
            f" These forms give the exact numbers: {', '.join(map(escaped, same))}." if same else ""
        )
        paths = "; ".join(f"{path.name}: {path.describe()}" for path in self.paths)
        items = [
            f"\\item[{escaped(name)}] ({escaped(form.author.name)}) {escaped(form.status)}: "
            f"{escaped(form.domain)}\n  \\[ {form.equation} \\]\n"
            for name in self._stated
            for form in [forms.FORMS[name]]
        ]
        listed = ["\\begin{description}\n", *items, "\\end{description}\n"] if items else []
        text = f"{SYMBOLS}{give} {escaped(paths)}."
        return "".join([f"% {PACKAGES}\n", table, "\n\\medskip\\noindent ", text, "\n", *listed])

    def tables(self) -> list[Table]:
        """Return the number of configurations and every form's value, or its error."""
        return [self._table(wide=False)]

    def wide_tables(self) -> list[Table]:
        """Return also upper bounds, other readings of the forms, branches, and rates of visits."""
        return [self._table(wide=True)]

    def _table(self, *, wide: bool) -> Table:
        names = self._stated
        if not wide and len(self.names) == len(forms.FORMS):  # no form was chosen
            names = [name for name in names if not _is_minor(forms.FORMS[name])]
        unequal = any(row.pieces != row.dark_pieces for row in self.rows)
        visited = all(row.count for row in self.rows)
        mixed = not visited and any(row.count for row in self.rows)
        many = len(self.paths) > FEW_PATHS
        published = [name for name in names if name not in EXACT]
        columns: list[str | Column] = [
            *([key("path")] if len(self.paths) > 1 else []),
            Column("p", key=True),
            Column("configurations", key=True),
            *(["<visited"] if mixed else []),
            # All forms of many paths would need several blocks.
            *(Column(name, secondary=many, joined=name in published[1:]) for name in names),
        ]
        if wide:
            columns += ["branches", *(["dark branches"] if unequal else []), "mean", "visited/s"]
        cells = []
        for row in self.rows:
            cell = [row.path.name] if len(self.paths) > 1 else []
            cell += [_pieces_text(row, unequal=unequal), number(row.exact)]
            cell += ["all" if row.count else "none"] if mixed else []
            cell += [_cell(name, row, errors=self.errors) for name in names]
            if wide:
                light, dark = row.branches
                rate = row.count.rate if row.count else 0.0
                digits = 0 if rate > RATE_DIGITS else 1
                cell += [number(light), *([number(dark)] if unequal else [])]
                cell += [f"{row.mean_branches:.3f}"]
                cell += [f"{rate / 1e6:,.{digits}f} M" if row.count else "-"]
            cells.append(cell)
        return Table("", columns, cells, self._notes(names, wide=wide))

    def _notes(self, form_names: list[str], *, wide: bool) -> list[str]:
        """Return notes on signs, sources and paths, and a note for each form and reason."""
        sources: dict[str, list[str]] = {}
        for name in form_names:
            sources.setdefault(forms.FORMS[name].author.name, []).append(name)
        authors = (f"{', '.join(names)}: {author}" for author, names in sources.items())
        signs = OFF_NOTE if self.errors else SIGNS_NOTE
        notes: list[str] = [Note(signs, *form_names), Note("; ".join(authors), *form_names)]
        if len({row.count is None for row in self.rows}) > 1:
            notes.append("in rows that were not visited, the tile polynomial gives the number")
        visited = ", each visited" if all(row.count for row in self.rows) else ""
        notes.append(
            f"configurations of both players' pieces{visited}, with those that have all pieces home"
        )
        notes += [f"{path.name}: {path.describe()}" for path in self.paths]
        lucky = {name for row in self.rows for name in row.agree if name not in EXACT}
        notes += [
            Note(f"{name} ({form.source}): {form.status}", name)
            for name, form in forms.FORMS.items()
            if name in form_names and form.status != "exact"
        ]
        if lucky:
            notes.append(f"{', '.join(sorted(lucky))}: gives the exact number at some p only")
        for path in dict.fromkeys(row.path for row in self.rows):
            notes += _domain_notes([row for row in self.rows if row.path == path], wide=wide)
        return notes


@overload
def ssc(
    path: str | Path = "bell",
    pieces: int = 7,
    dark_pieces: int | None = None,
    *,
    enumerate: bool | None = True,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> StateSpace: ...


@overload
def ssc(
    path: str | Path | Sequence[str | Path],
    pieces: Sequence[int],
    dark_pieces: int | None = None,
    *,
    enumerate: bool | None = True,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> StateSpaces: ...


@overload
def ssc(
    path: list[str | Path] | tuple[str | Path, ...],
    pieces: int = 7,
    dark_pieces: int | None = None,
    *,
    enumerate: bool | None = True,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> StateSpaces: ...


@overload
def ssc(
    *,
    game: str | Sequence[str],
    pieces: int | Sequence[int] | None = None,
    symbolic: bool = False,
    stage: Stage = no_progress,
) -> BoardGames: ...


def ssc(
    path: str | Path | Sequence[str | Path] | None = None,
    pieces: int | Sequence[int] | None = None,
    dark_pieces: int | None = None,
    *,
    game: str | Sequence[str] | None = None,
    enumerate: bool | None = True,  # noqa: A002 - the option's name on the command line
    symbolic: bool = False,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> StateSpace | StateSpaces | BoardGames:
    """Return the state-space complexity of a path: every form, and the enumerated count.

    Parameters
    ----------
    path
        A path or its name in the catalogue, or several; by default Bell's path.
    pieces, dark_pieces
        Pieces of light, by default 7, and of dark, by default as many as light. For several numbers
        of light pieces, such as ``range(1, 8)``, the result has a row for each path and number.
    game, symbolic
        Instead of a path, another game or several, and whether sympy computes their numbers again:
        the result of `urcx.board_games`, which visits small versions of them, too.
    enumerate
        Whether to visit the configurations, which takes about 1 s per 10^10 configurations on two
        cores. None visits rows in order, up to a total of 2e10 configurations, and notes the rows
        that are not visited.
    executor
        An executor that visits them instead of threads of this process (:doc:`/executors`).
    stage
        A function that is called as the work on the forms, and on each row, begins.

    Returns
    -------
    StateSpace, StateSpaces or BoardGames
        A `StateSpaces` if there are several paths or numbers of pieces, with a `StateSpace` for
        each in ``rows``. A `BoardGames` for other games.

    Raises
    ------
    UnknownNameError
        If a path is unknown.
    UsageError
        If a number of pieces is not from 1 to 10,000, or the list of numbers or paths is empty.
    TooLargeError
        If the path or the pieces exceed the limits of the enumerator.

    Examples
    --------
    >>> import urcx
    >>> counts = urcx.ssc("bell", 2)
    >>> counts.exact, counts.forms["michon"], counts.forms["binomial"]
    (13112, 13112, 14400)
    >>> counts.agree
    ('tile-polynomial', 'reader', 'michon')
    >>> urcx.ssc("bell", 7, enumerate=False).exact
    137913936
    >>> counts = urcx.ssc(["bell", "masters"], range(1, 4), enumerate=False)
    >>> [row.exact for row in counts.rows]
    [248, 13112, 264304, 312, 20623, 514052]
    """
    check_functions(stage=stage)
    check_booleans(symbolic=symbolic)
    if enumerate is not None:
        check_booleans(enumerate=enumerate)
    if game is not None:
        _check_alone(path=path, dark_pieces=dark_pieces, executor=executor)
        return board_games(game, pieces, symbolic=symbolic, stage=stage)
    if symbolic:
        raise UsageError("symbolic: only for other games; urcx.forms has the forms as expressions")
    path, pieces = "bell" if path is None else path, 7 if pieces is None else pieces
    dark = None if dark_pieces is None else _pieces("dark_pieces", dark_pieces)
    path_list, several = _as_list(path)
    paths = [catalogue.path(item) for item in path_list]
    piece_list, ranged = _as_list(pieces)
    numbers = [_pieces("pieces", number) for number in piece_list]
    if not paths or not numbers:
        raise UsageError(f"{'pieces' if paths else 'path'}: must not be an empty list")
    update = stage("closed forms", len(paths) * len(numbers), "rows")
    rows: list[StateSpace] = []
    for way, light in product(paths, numbers):
        rows.append(state_spaces(way, light, dark))
        update(len(rows))
    visited, notes = ([], []) if enumerate is False else _to_visit(rows, every=bool(enumerate))
    unfinished = ""
    for k in visited:
        row = rows[k]
        label = f"{row.path.name}, {count_text(row.pieces, 'piece')}"
        try:
            update = stage(label, row.diagrams, "configurations")
            rows[k] = enumerated(row, update, executor=executor)
        except KeyboardInterrupt:
            if not (several or ranged):
                raise
            unfinished = f"{sum(row.count is not None for row in rows)} of {len(visited)} rows"
            break
    if several or ranged:
        return StateSpaces(
            tuple(paths), tuple(numbers), dark, rows, notes=tuple(notes), unfinished=unfinished
        )
    return rows[0]


def _check_alone(**values: object) -> None:
    """Raise `UsageError` if an argument that only paths have is not None."""
    for name, value in values.items():
        if value is not None:
            raise UsageError(f"{name}: cannot be combined with game")


def _to_visit(rows: list[StateSpace], *, every: bool) -> tuple[list[int], list[str]]:
    """Return the indices of rows to enumerate, and notes on the others.

    Raise `TooLargeError` if ``every`` row is to be enumerated, and one row cannot be.
    """
    from urcx.enumerate.enumerator import check_pieces, layout

    chosen: list[int] = []
    reasons: list[str] = []
    left_out: list[int] = []
    visits = 0
    for k, row in enumerate(rows):
        try:
            layout(row.path)
            check_pieces(row.pieces, row.dark_pieces)
        except TooLargeError as error:
            if every:
                raise
            reasons.append(str(error))
            continue
        if every or visits + row.diagrams <= VISIT_LIMIT:
            visits += row.diagrams
            chosen.append(k)
        else:
            left_out.append(row.diagrams)
    notes = [f"not enumerated: {reason}" for reason in reasons]
    if len(notes) > MOST_REASONS:
        notes = [f"{len(reasons)} rows not enumerated; the first one: {reasons[0]}"]
    if left_out:
        time = duration(estimate("visits", (sum(left_out), VISITED), threads=None).seconds)
        notes.append(
            f"{len(left_out)} of {len(rows)} rows not enumerated ({sum(left_out):.2g} more "
            f"configurations, about {time}): add --enumerate"
        )
    return chosen, notes


def _as_list(value: Any) -> tuple[list[Any], bool]:
    """Return a value or several values as a list, and whether there are several."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return (list(value) if several else [value]), several


def _pieces(name: str, value: object) -> int:
    number = catalogue.as_integer(name, value)
    if not 1 <= number <= forms.MAX_PIECES:
        text = number if abs(number) < 10**20 else "(a number this large)"
        raise UsageError(f"{name} {text}: must be from 1 to {forms.MAX_PIECES:,}")
    return number


def sequence(path: Path, last: int) -> Report:
    """Return the numbers of configurations of 0 to ``last`` pieces per side, for the OEIS.

    The remarks include the generating function, unless the path has too many tiles for it.
    """
    from urcx.complexity.symbolic import series_lines

    remark = (
        f"a(n): configurations with n pieces per side on the path {path.name}, {path.describe()}"
    )
    terms = [tiles.diagrams(path, n) for n in range(last + 1)]
    remarks = [remark, *series_lines(path, last)]
    return Report(StateSpaces.schema, {}, [], terms=terms, remarks=remarks)


def state_spaces(path: Path, pieces: int, dark_pieces: int | None = None) -> StateSpace:
    """Return the value of every closed form, without enumeration."""
    other = pieces if dark_pieces is None else dark_pieces
    values: dict[str, int | None] = {}
    reasons = {}
    for name in forms.FORMS:
        try:
            values[name] = forms.evaluate_form(name, path, pieces, other)
        except OutOfDomainError as error:
            values[name], reasons[name] = None, str(error)
    return StateSpace(path, pieces, other, values, reasons)


def enumerated(
    result: StateSpace,
    progress: Callable[[int], None] | None = None,
    *,
    executor: Executor | None = None,
) -> StateSpace:
    """Return the counts with the configurations enumerated too."""
    from urcx.enumerate.enumerator import count

    counted = count(
        result.path, result.pieces, result.dark_pieces, executor=executor, progress=progress
    )
    return replace(result, count=counted)


def _is_minor(form: forms.Form) -> bool:
    """Return whether only the full output has a form: another reading, or an upper bound."""
    return form.reading or form.status == "upper bound"


def _pieces_text(row: StateSpace, *, unequal: bool) -> str:
    return f"{row.pieces}+{row.dark_pieces}" if unequal else str(row.pieces)


def _cell(name: str, row: StateSpace, *, errors: bool) -> str:
    """Return a form's value, marked as equal, less or more, or return its error."""
    value = row.forms[name]
    if value is None or errors:
        return _error(value, row.exact)
    text = power_of_two(value) if "bits" in name else number(value)
    if value == row.exact:
        return ColouredText(f"={text}", "good")
    tone: Tone = "bad" if forms.FORMS[name].claims_exact else "fair"
    return ColouredText(f"{'<' if value < row.exact else '>'}{text}", tone)


def _latex_cell(value: int | None) -> str:
    text = "--" if value is None else power_of_two(value)
    return re.sub(r"2\^(\d+)", r"$2^{\1}$", text)


def _error(value: int | None, exact: int) -> str:
    """Return the error of a form's value: a percentage, or a factor from 10 on."""
    if value is None:
        return "-"
    if value == exact:
        return ColouredText("=", "good")
    if value >= MUCH * exact:
        return f"x{Decimal(value // exact):.1e}".replace("e+", "e")
    ratio = Fraction(value, exact)
    if ratio < FAR:
        # Not rounded to -100 %, because the value is positive.
        return f"{max(float(100 * (ratio - 1)), -99.9):+#.3g}".rstrip(".")
    return f"x{float(ratio):#.3g}".rstrip(".")


def _domain_notes(rows: list[StateSpace], *, wide: bool = False) -> list[str]:
    """Return a note for each form and reason, with the numbers of pieces to which it applies."""
    pieces_by_reason: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for name, reason in row.reasons.items():
            if wide or not _is_minor(forms.FORMS[name]):
                pieces_by_reason.setdefault((name, reason), []).append(row.pieces)
    everywhere = [row.pieces for row in rows]
    return [
        f"{name} is not stated here: {reason}"
        + ("" if pieces == everywhere else f" (p = {spans(pieces)})")
        for (name, reason), pieces in pieces_by_reason.items()
    ]


def spans(values: list[int]) -> str:
    """Return ascending numbers as ranges: ``1..3,5``."""
    parts: list[list[int]] = []
    for value in values:
        if parts and value == parts[-1][-1] + 1:
            parts[-1][1:] = [value]
        else:
            parts.append([value])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}..{part[-1]}" for part in parts)

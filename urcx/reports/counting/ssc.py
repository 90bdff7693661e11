"""State-space complexity: every closed form beside the enumerated count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from urcx.complexity import forms, tiles
from urcx.engine.compiling import seconds as compile_seconds
from urcx.errors import OutOfDomainError
from urcx.reports.display.output import (
    Column,
    Note,
    Report,
    Table,
    Toned,
    counted,
    number,
    power_of_two,
)
from urcx.reports.display.progress import progress
from urcx.results import Result
from urcx.rules import catalogue
from urcx.rules.model import Path

if TYPE_CHECKING:
    from urcx.enumerate.enumerator import Count

VISIT_LIMIT = 20_000_000_000  # what is enumerated without being asked for
RATE_DIGITS = 1e7  # diagrams a second from which on no digit behind the point is shown
FAR, MUCH = 10, 1000  # times the exact number: from there on a factor, and with an exponent
OFF_NOTE = (
    "other forms: by how many per cent they are off, from x10 on how many times too large; "
    "= right, - not stated"
)


@dataclass(frozen=True)
class Row(Result, function="ssc"):
    """One path and number of pieces: what each form gives, and what the enumeration found.

    ``forms`` maps a form's name to its value or, outside its domain, None; ``reasons`` says why.
    ``count`` is None if nothing was enumerated.
    """

    path: Path
    pieces: int
    dark_pieces: int
    forms: dict[str, int | None]
    reasons: dict[str, str]
    count: Count | None = None

    @property
    def exact(self) -> int:
        """Return the number of diagrams: as enumerated, or else by the tile polynomial."""
        return self.count.diagrams if self.count else self.diagrams

    @cached_property
    def diagrams(self) -> int:
        """Return the number of diagrams by the tile polynomial."""
        return tiles.diagrams(self.path, self.pieces, self.dark_pieces)

    @cached_property
    def texts(self) -> dict[str, str | None]:
        """Return the forms' values as texts, some of which have thousands of digits."""
        return {name: None if v is None else str(v) for name, v in self.forms.items()}

    @cached_property
    def agree(self) -> tuple[str, ...]:
        """Return the names of the forms that give the exact number."""
        return tuple(name for name, value in self.forms.items() if value == self.exact)

    @cached_property
    def branches(self) -> tuple[int, int]:
        """Return light's and dark's branches: as enumerated, or else by formula."""
        if self.count:
            return self.count.branches, self.count.dark_branches
        return tiles.branches(self.path, self.pieces, self.dark_pieces)

    def record(self) -> dict[str, Any]:
        """Return the row for JSON; counts are texts, so that no reader rounds them."""
        light, dark = self.branches
        exact = self.diagrams
        return {
            "path": self.path.name,
            "pieces": self.pieces,
            "dark_pieces": self.dark_pieces,
            "forms": self.texts,
            "out_of_domain": self.reasons,
            "enumerated": str(self.count.diagrams) if self.count else None,
            "branches": str(light),
            "dark_branches": str(dark),
            "mean_branches": light / exact,
            "checksum": f"{self.count.checksum:016x}" if self.count else None,
            "agree": list(self.agree),
            "seconds": round(self.count.seconds, 6) if self.count else None,
            "diagrams_per_second": round(self.count.rate) if self.count else None,
            "conventions": {
                name: str(value)
                for name, value in tiles.conventions(
                    self.path, self.pieces, self.dark_pieces
                ).items()
            },
        }

    def flat(self) -> dict[str, Any]:
        """Return the row for CSV."""
        record = self.record()
        own = ("forms", "out_of_domain", "conventions", "agree")
        flat = {key: value for key, value in record.items() if key not in own}
        values = {key: "" if value is None else value for key, value in record["forms"].items()}
        return {**flat, **values, "agree": " ".join(self.agree)}


def evaluate(path: Path, pieces: int, dark_pieces: int | None = None) -> Row:
    """Return a row with every closed form, nothing enumerated."""
    other = pieces if dark_pieces is None else dark_pieces
    values: dict[str, int | None] = {}
    reasons = {}
    for name in forms.FORMS:
        try:
            values[name] = forms.evaluate(name, path, pieces, other)
        except OutOfDomainError as error:
            values[name], reasons[name] = None, str(error)
    return Row(path, pieces, other, values, reasons)


def enumerated(row: Row) -> Row:
    """Return the row with its diagrams enumerated, behind a progress bar if it takes long."""
    from urcx.enumerate.enumerator import count  # noqa: PLC0415 - numba is slow to import

    label = f"{row.path.name}, {counted(row.pieces, 'piece')}"
    with progress(label, row.diagrams, "diagrams") as update:
        found = count(row.path, row.pieces, row.dark_pieces, progress=update)
    return Row(row.path, row.pieces, row.dark_pieces, row.forms, row.reasons, found)


def ssc(
    path: str | Path = "bell",
    pieces: int = 7,
    dark_pieces: int | None = None,
    *,
    enumerate: bool = True,  # noqa: A002 - the option's name on the command line
) -> Row:
    """Return the state-space complexity of a path: every form, and the enumerated count.

    Parameters
    ----------
    path
        A path, or the name of one in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark; dark has as many as light unless it says so.
    enumerate
        Whether to visit the diagrams; about 1 s for each 10^10 of them on two cores.

    Returns
    -------
    Row

    Raises
    ------
    UnknownNameError
        If the catalogue has no such path.
    TooLargeError
        If the enumerator cannot hold the path or the pieces.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.ssc("bell", 2)
    >>> found.exact, found.forms["michon"], found.forms["binomial"]
    (13112, 13112, 14400)
    >>> found.agree
    ('tile-polynomial', 'reader', 'michon')
    >>> urcx.ssc("bell", 7, enumerate=False).exact
    137913936
    """
    chosen = catalogue.path(path)
    light = catalogue.whole("pieces", pieces)
    dark = None if dark_pieces is None else catalogue.whole("dark_pieces", dark_pieces)
    row = evaluate(chosen, light, dark)
    return enumerated(row) if enumerate else row


def report(rows: Sequence[Row], parameters: dict[str, Any], *, wide: bool = False) -> Report:
    """Return the report on rows of one or several paths.

    Its tables say how far each wrong form is off; ``wide`` ones give every form's value instead,
    branches, and how fast diagrams were visited.
    """
    groups: dict[Path, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.path, []).append(row)
    return Report(
        schema="urcx.ssc/1",
        data={
            **parameters,
            "convention": "diagrams",
            "exactness": {name: form.status for name, form in forms.FORMS.items()},
            "compile_seconds": (
                round(compile_seconds(), 6) if any(row.count for row in rows) else None
            ),
            "rows": [row.record() for row in rows],
        },
        records=[row.flat() for row in rows],
        tables=[
            (_wide_table if wide else _table)(
                path, group, _form_notes(rows, wide=wide) if path == rows[-1].path else []
            )
            for path, group in groups.items()
        ],
    )


def _title(path: Path) -> str:
    return (
        f"State-space complexity of {path.name} in diagrams, both home included: {path.describe()}"
    )


def _pieces(row: Row, *, unequal: bool) -> str:
    return f"{row.pieces}+{row.dark_pieces}" if unequal else str(row.pieces)


def _table(path: Path, rows: list[Row], form_notes: list[str]) -> Table:
    """Return the table for most: exact numbers, and by how much the other forms are off."""
    right = [name for name, form in forms.FORMS.items() if form.status == "exact"]
    stated = [name for name in forms.FORMS if any(row.forms[name] is not None for row in rows)]
    wrong = [name for name in stated if name not in right]
    unequal = any(row.pieces != row.dark_pieces for row in rows)
    cells = []
    for row in rows:
        exact = [name for name in row.agree if name in right]
        visited = "none"
        if row.count:
            agrees = row.exact == row.diagrams
            visited = Toned("all", "good") if agrees else Toned("DIFFERS", "bad")
        agree = Toned("exact", "good") if exact == right else ", ".join(exact)
        off = (_off(row.forms[name], row.exact) for name in wrong)
        cells.append(
            [_pieces(row, unequal=unequal), number(row.exact), visited, agree or "none", *off]
        )
    return Table(
        title=_title(path),
        columns=[
            "p",
            "diagrams",
            "<visited",
            Column("agree", text=True, least=15),
            # Upper bounds are far off at best.
            *(Column(name, secondary=forms.FORMS[name].status == "upper bound") for name in wrong),
        ],
        rows=cells,
        notes=[*_domain_notes(rows), *form_notes],
    )


def _off(value: int | None, exact: int) -> str:
    """Return how far a form's value is from the exact one: a percentage, or a factor from 10 on."""
    if value is None:
        return "-"
    if value == exact:
        return Toned("=", "good")
    if value >= MUCH * exact:
        return f"x{Decimal(value // exact):.1e}".replace("e+", "e")
    ratio = Fraction(value, exact)
    if ratio < FAR:
        # A little is not nothing: what would be rounded to all is cut off.
        return f"{max(float(100 * (ratio - 1)), -99.9):+#.3g}".rstrip(".")
    return f"x{float(ratio):#.3g}".rstrip(".")


def _wide_table(path: Path, rows: list[Row], form_notes: list[str]) -> Table:
    """Return the table with everything in it."""
    unequal = any(row.pieces != row.dark_pieces for row in rows)
    cells = []
    for row in rows:
        values = [
            "-" if value is None else power_of_two(value) if "bits" in name else number(value)
            for name, value in row.forms.items()
        ]
        light, dark = row.branches
        count = row.count
        agree = "all exact forms" if _all_exact(row) else " ".join(row.agree)
        cells.append(
            [
                _pieces(row, unequal=unequal),
                number(count.diagrams) if count else "not run",
                *values,
                number(light),
                *([number(dark)] if unequal else []),
                f"{light / row.diagrams:.3f}",
                f"{count.rate / 1e6:,.{0 if count.rate > RATE_DIGITS else 1}f} M" if count else "-",
                agree,
            ]
        )
    columns = ["p", "enumerated", *forms.FORMS, "branches", "mean", "visited/s", "<agree"]
    if unequal:
        columns.insert(-3, "dark branches")
    return Table(
        title=_title(path),
        columns=columns,
        rows=cells,
        notes=[*_domain_notes(rows), *form_notes],
    )


def _all_exact(row: Row) -> bool:
    exact = {name for name, form in forms.FORMS.items() if form.status == "exact"}
    stated = {name for name in exact if row.forms[name] is not None}
    return set(row.agree) == exact == stated


def _domain_notes(rows: list[Row]) -> list[str]:
    """Return a note for each form and reason, with the piece counts that it applies to."""
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for name, reason in row.reasons.items():
            found.setdefault((name, reason), []).append(row.pieces)
    everywhere = [row.pieces for row in rows]
    return [
        f"{name} is not stated here: {reason}"
        + ("" if pieces == everywhere else f" (p = {spans(pieces)})")
        for (name, reason), pieces in found.items()
    ]


def _form_notes(rows: Sequence[Row], *, wide: bool) -> list[str]:
    agree = {name for row in rows for name in row.agree}
    exact = ", ".join(name for name, form in forms.FORMS.items() if form.status == "exact")
    if wide:
        together = any(_all_exact(row) for row in rows)
        notes = ["agree: the forms that give the exact number"]
        notes[0] += f"; all exact forms are {exact}" if together else ""
    else:
        notes = [
            "visited: how many of the diagrams, one by one",
            f"agree: which forms are right; exact: all that are exact, {exact}",
            OFF_NOTE,
        ]
    lucky = [name for name in agree if forms.FORMS[name].status != "exact"]
    notes += [
        Note(f"{name} ({forms.FORMS[name].source}): {forms.FORMS[name].status}", name)
        for name in forms.FORMS
        if forms.FORMS[name].status != "exact" and any(row.forms[name] is not None for row in rows)
    ]
    if lucky:
        notes.append(f"{', '.join(sorted(lucky))}: agrees at some p without being exact")
    if any(row.count is None for row in rows):
        which = "not run" if wide else "not visited"
        notes.append(f"rows {which} agree with the tile polynomial instead of an enumeration")
    if not wide:
        notes.append("--wide: every form's value, branches, diagrams visited a second")
    return notes


def spans(values: list[int]) -> str:
    """Return ascending numbers as ranges: ``1..3,5``."""
    parts: list[list[int]] = []
    for value in values:
        if parts and value == parts[-1][-1] + 1:
            parts[-1][1:] = [value]
        else:
            parts.append([value])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}..{part[-1]}" for part in parts)

"""State-space complexity: every closed form beside the enumerated count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from urcx.complexity import forms
from urcx.engine import compiling
from urcx.enumerate.state_space import StateSpace
from urcx.results.fields import COUNT, Field, Fields, Kind, Schema, always
from urcx.results.numbers import number, power_of_two
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, Toned
from urcx.rules.model import Path

RATE_DIGITS = 1e7  # diagrams a second from which on no decimals are shown
FAR, MUCH = 10, 1000  # times the exact number, from which on errors are factors, or have exponents
OFF_NOTE = (
    "other forms: by how many per cent they are off, from x10 on how many times too large; "
    "= right, - not stated"
)


def _counted(of: str) -> Callable[[StateSpace], Any]:
    """Return a function that gives a value from the enumeration, None without one."""
    return lambda row: getattr(row.count, of, None)


SECONDS = Kind(json=(("", lambda value: round(value, 6)),))
NAMES = Kind(json=(("", list),), csv=(("", " ".join),))
HEXADECIMAL = Kind(json=(("", "{:016x}".format),))
TEXTS = Kind(json=(("", lambda of: {k: None if v is None else str(v) for k, v in of.items()}),))
ROWS = Fields(
    Field("path", about="name of the path", of="path.name"),
    Field("pieces", about="pieces of light"),
    Field("dark_pieces", about="pieces of dark"),
    Field("forms", kind=TEXTS, about="by name, what each form gives; null outside its domain"),
    Field("out_of_domain", about="by name of a form, why it is not stated here", of="reasons"),
    Field("enumerated", "", COUNT, "diagrams visited, null if none were", _counted("diagrams")),
    Field("branches", "", COUNT, "all diagrams' branches, light to move", lambda r: r.branches[0]),
    Field("dark_branches", "", COUNT, "the same with dark to move", lambda r: r.branches[1]),
    Field("mean_branches", about="light's branches a diagram"),
    Field("checksum", "", HEXADECIMAL, "of all diagrams visited", _counted("checksum")),
    Field("agree", kind=NAMES, about="the forms that give the exact number"),
    Field("seconds", "", SECONDS, "that the visits took", _counted("seconds")),
    Field("diagrams_per_second", "", Kind(json=(("", round),)), "how fast", _counted("rate")),
    Field("conventions", kind=TEXTS, about="the number of states in each convention"),
)
SSC = Schema(
    "urcx.ssc/1",
    {
        "": Fields(
            Field("paths", about="names of the paths"),
            Field("pieces", about="numbers of pieces of light"),
            Field("dark_pieces", about="pieces of dark, null if as many as light's"),
            always("convention", "diagrams", "what is counted"),
            always(
                "exactness",
                {name: form.status for name, form in forms.FORMS.items()},
                "by name, what a form is: exact, a bound, an approximation or wrong",
            ),
            Field("compile_seconds", "", SECONDS, "null if nothing was enumerated"),
        ),
        "rows": ROWS,
    },
)


def _form(name: str) -> Callable[[StateSpace], int | None]:
    return lambda row: row.forms[name]


# A row for CSV: a column for each form; members without a single value are omitted.
COLUMNS = (
    ROWS.without("forms", "out_of_domain", "conventions", "agree")
    + Fields(*(Field(name, kind=COUNT, of=_form(name)) for name in forms.FORMS))
    + ROWS.pick("agree")
)


def ssc_report(
    rows: Sequence[StateSpace], parameters: dict[str, Any], *, wide: bool = False
) -> Report:
    """Return the report on rows of one or several paths.

    Its tables say how far each wrong form is off; ``wide`` ones give every form's value instead,
    branches, and how fast diagrams were visited.
    """
    groups: dict[Path, list[StateSpace]] = {}
    for row in rows:
        groups.setdefault(row.path, []).append(row)
    seconds = compiling.seconds() if any(row.count for row in rows) else None
    data = SSC.data(SimpleNamespace(**parameters, compile_seconds=seconds), rows=rows)
    table = _wide_table if wide else _table
    return Report(
        SSC.name,
        data,
        [COLUMNS.flat(row) for row in rows],
        [
            table(path, group, _form_notes(rows, wide=wide) if path == rows[-1].path else [])
            for path, group in groups.items()
        ],
    )


def row_report(row: StateSpace) -> Report:
    """Return the report on one row."""
    parameters = {"paths": [row.path.name], "pieces": [row.pieces], "dark_pieces": row.dark_pieces}
    return ssc_report([row], parameters)


def _title(path: Path) -> str:
    return (
        f"State-space complexity of {path.name} in diagrams, both home included: {path.describe()}"
    )


def _pieces(row: StateSpace, *, unequal: bool) -> str:
    return f"{row.pieces}+{row.dark_pieces}" if unequal else str(row.pieces)


def _table(path: Path, rows: list[StateSpace], form_notes: list[str]) -> Table:
    """Return the usual table: exact numbers, and the errors of the other forms."""
    right = [name for name, form in forms.FORMS.items() if form.status == "exact"]
    stated = [name for name in forms.FORMS if any(row.forms[name] is not None for row in rows)]
    wrong = [name for name in stated if name not in right and not forms.FORMS[name].reading]
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
    """Return the error of a form's value: a percentage, or a factor from 10 on."""
    if value is None:
        return "-"
    if value == exact:
        return Toned("=", "good")
    if value >= MUCH * exact:
        return f"x{Decimal(value // exact):.1e}".replace("e+", "e")
    ratio = Fraction(value, exact)
    if ratio < FAR:
        # Never rounded to -100: a positive value is not nothing.
        return f"{max(float(100 * (ratio - 1)), -99.9):+#.3g}".rstrip(".")
    return f"x{float(ratio):#.3g}".rstrip(".")


def _wide_table(path: Path, rows: list[StateSpace], form_notes: list[str]) -> Table:
    """Return the table with all columns."""
    unequal = any(row.pieces != row.dark_pieces for row in rows)
    cells = []
    for row in rows:
        values = [
            "-" if value is None else power_of_two(value) if "bits" in name else number(value)
            for name, value in row.forms.items()
        ]
        light, dark = row.branches
        count = row.count
        agree = "all exact forms" if row.all_exact else " ".join(row.agree)
        cells.append(
            [
                _pieces(row, unequal=unequal),
                number(count.diagrams) if count else "not run",
                *values,
                number(light),
                *([number(dark)] if unequal else []),
                f"{row.mean_branches:.3f}",
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
        notes=[*_domain_notes(rows, wide=True), *form_notes],
    )


def _domain_notes(rows: list[StateSpace], *, wide: bool = False) -> list[str]:
    """Return a note for each form and reason, with the piece counts that it applies to."""
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for name, reason in row.reasons.items():
            if wide or not forms.FORMS[name].reading:
                found.setdefault((name, reason), []).append(row.pieces)
    everywhere = [row.pieces for row in rows]
    return [
        f"{name} is not stated here: {reason}"
        + ("" if pieces == everywhere else f" (p = {spans(pieces)})")
        for (name, reason), pieces in found.items()
    ]


def _form_notes(rows: Sequence[StateSpace], *, wide: bool) -> list[str]:
    agree = {name for row in rows for name in row.agree}
    exact = ", ".join(name for name, form in forms.FORMS.items() if form.status == "exact")
    if wide:
        together = any(row.all_exact for row in rows)
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
        Note(f"{name} ({form.source}): {form.status}", name)
        for name, form in forms.FORMS.items()
        if form.status != "exact"
        and (wide or not form.reading)
        and any(row.forms[name] is not None for row in rows)
    ]
    if lucky:
        notes.append(f"{', '.join(sorted(lucky))}: agrees at some p without being exact")
    if any(row.count is None for row in rows):
        which = "not run" if wide else "not visited"
        notes.append(f"rows {which} agree with the tile polynomial instead of an enumeration")
    if not wide:
        readings = ", ".join(name for name, form in forms.FORMS.items() if form.reading)
        notes.append(
            f"--wide: every form's value, also of {readings}, branches, diagrams visited a second"
        )
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

"""The sources' figures, read from the TOML files in ``urcx/published/data``.

A file has a table ``[source]`` with ``name``, a key of the bibliography, and ``summary``, the
errors of the source and our evidence. Its ``[[figure]]`` entries have these fields:

``place``
    Place in the source.
``quantity``
    Name in `urcx.published.quantities.registry`.
``params``
    A table, or a list of tables. A mean or rate of the source's own games has their number as
    ``sample``.
``pieces``
    A list that repeats a single table of parameters for each number.
``printed``
    The figures as printed, one for each table of parameters.
``values``
    The same figures as numbers, if they are printed in words.
``verdict``
    The recorded verdict, by default ``holds``.
``explanation``
    The origin of the printed figure.
``against``
    A contradicting statement of the source: its place and words.
``found``
    Our recorded value, if it takes minutes to compute, or "" if it is computed each time.
``how``
    The command and the CPU time behind a recorded value. `urcx.published.verify.verify` computes
    such values again from the game's solution.

Each field from ``verdict`` on is one value for all figures of the entry, or a list with a value for
each.

The bibliography, ``data/references.bib``, has every work that urcx cites. The documentation's list
of references and the titles of the sources are made from it, and ``urcx cite`` prints it. Each
field of its entries is one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from urcx.complexity import forms
from urcx.complexity.game_tree import CONVENTIONS
from urcx.errors import check_name
from urcx.reading import package_text
from urcx.results.fields import Field
from urcx.results.result import Rows
from urcx.results.tables import Table
from urcx.rules.load import parse_toml

FILES = (
    "post",
    "michon",
    "raposo-lamont",
    "kwan-hartemink",
    "lamont-olieslagers",
    "kwan-notebooks",
    "heled",
    "tdur",
    "olieslagers",
    "mascolini",
    "ludii",
    "urcoach",
    "royalur-analysis",
    "cote",
    "royalur",
    "malhotra-malik",
    "downey",
    "kjellerstrand",
    "gameofur-report",
    "game-royalur",
    "royalur-site",
    "rgou",
    "casper-guo",
    "timkaiser",
)
HOLDS = "holds"
OTHERWISE = "holds in another reading"
INCONSISTENT = "inconsistent within the source"
FAILS = "does not hold"
UNDECIDED = "undecided"
NO_CLAIM = "no claim"
MEANINGS = {
    HOLDS: "computing the figure as the source defines it gives the printed figure",
    OTHERWISE: "only another reading of the words, form or parameter gives the printed figure",
    INCONSISTENT: "another place in the source contradicts the figure",
    FAILS: "no reading that we tried gives the printed figure",
    UNDECIDED: "no computation decides the figure, or chance may explain a sample",
    NO_CLAIM: "the source assumes the figure, or does not state it",
}
VERDICTS = tuple(MEANINGS)


@dataclass(frozen=True)
class Source:
    """A paper, post or report, with a summary of the verdicts."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True)
class Figure:
    """One printed figure.

    - ``value``: the figure as a number or text for the comparison, with its digits as printed.
    - ``verdict``: the recorded verdict, which is compared with the computed verdict.
    - ``found``: our recorded value if it takes minutes to compute, also in ``params``.
    - ``how``: the method behind the recorded value.
    - ``against``: the place and words of a statement in the source that contradicts the figure.
    - ``readings``: other ways to read the figure, tried if it does not hold as printed.
    """

    source: str
    place: str
    quantity: str
    params: dict[str, Any]
    printed: str
    value: str
    verdict: str
    explanation: str
    found: str = ""
    how: str = ""
    against: str = ""
    readings: tuple[str | dict[str, Any], ...] = ()


@cache
def sources() -> tuple[tuple[Source, tuple[Figure, ...]], ...]:
    """Return all sources with their figures, in the order of `FILES`."""
    return tuple(map(_source, FILES))


@cache
def samples() -> int:
    """Return the number of figures that are means or rates of the sources' own games."""
    figures_of_sources = (
        _source(name)[1] for name in FILES if "sample =" in _text(name)
    )  # skips files without samples, because parsing is slow
    return sum("sample" in figure.params for figures in figures_of_sources for figure in figures)


@cache
def _source(name: str) -> tuple[Source, tuple[Figure, ...]]:
    data = parse_toml(f"{name}.toml", _text(name))
    about = {key: value.strip() for key, value in data["source"].items()}
    source = Source(title=references()[name].short, **about)
    return source, tuple(f for entry in data["figure"] for f in _figures(source.name, entry))


@cache
def _text(name: str) -> str:
    return package_text(f"published/data/{name}.toml")


def _figures(source: str, entry: dict[str, Any]) -> list[Figure]:
    printed = entry["printed"]
    params = entry["params"]
    if isinstance(params, dict):
        params = [{**params, "pieces": n} for n in entry["pieces"]]
    own_readings = entry.get("readings", [])
    # These fields have one value for all figures, or a list with a value for each.
    defaults = {"verdict": HOLDS} | dict.fromkeys(("explanation", "found", "how", "against"), "")
    fields = [entry.get(name, default) for name, default in defaults.items()]
    rows = zip(
        printed,
        entry.get("values", printed),
        params,
        *([field] * len(printed) if isinstance(field, str) else field for field in fields),
        strict=True,
    )
    return [
        Figure(
            source, entry["place"], entry["quantity"],
            {**own, "found": recorded} if recorded else own,
            text, value, verdict, explanation, recorded, how if recorded else "", against,
            tuple(own_readings.get(text, ()) if isinstance(own_readings, dict) else own_readings),
        )
        for text, value, own, verdict, explanation, recorded, how, against in rows
    ]  # fmt: skip


ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True)
class Reference:
    """An entry of the bibliography: its key, BibTeX's kind and text, and its fields."""

    key: Annotated[str, Field(about="key of the entry")]
    kind: Annotated[str, Field(about="kind of the entry", key="type")]
    fields: dict[str, str]
    bibtex: Annotated[str, Field(about="the entry in BibTeX")]

    @property
    def author(self) -> str:
        """Return the authors, each with initials first."""
        names = [_without_latex(name) for name in self.fields.get("author", "").split(" and ")]
        names = [" ".join(reversed(name.split(", "))) for name in names]
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def title(self) -> str:
        """Return the title."""
        return _without_latex(self.fields["title"])

    @property
    def short(self) -> str:
        """Return authors, title and year, or for a page that may change the date of access."""
        note, read = self.fields.get("note", ""), self.fields.get("urldate")
        year = self.fields.get("year", "")
        when = f"read on {read}" if read else "" if year in note else year
        return _joined([self.author, self.title, note, when])

    @property
    @Field(about="the entry as text", after="kind")
    def text(self) -> str:
        """Return the complete reference as text, with its address."""
        fields = {name: _without_latex(text) for name, text in self.fields.items()}
        journal = " ".join(filter(None, [fields.get("journal"), fields.get("volume")]))
        journal += f" ({fields['number']})" if "number" in fields else ""
        inside = f"in: {fields['booktitle']}" if "booktitle" in fields else ""
        thesis = f"PhD thesis, {fields['school']}" if "school" in fields else ""
        where = [
            thesis,
            inside or journal,
            fields.get("howpublished"),
            fields.get("publisher"),
            fields.get("institution"),
        ]
        doi = f"https://doi.org/{fields['doi']}" if "doi" in fields else fields.get("url")
        pages = f"pages {fields['pages']}" if "pages" in fields else ""
        year = fields.get("year", "") if fields.get("year", "") not in self.short else ""
        preprint = f"{fields['archiveprefix']}:{fields['eprint']}" if "eprint" in fields else ""
        return _joined([self.short, *where, pages, year, doi, preprint, fields.get("addendum")])


def _without_latex(text: str) -> str:
    """Return a field's text without LaTeX's signs, and with dashes."""
    return re.sub(r"[{}\\]", "", text).replace("--", "\u2013")


def _joined(parts: Iterable[str | None]) -> str:
    return ", ".join(part for part in parts if part)


@cache
def references() -> dict[str, Reference]:
    """Return the bibliography by key: urcx itself, sources of published figures, other works."""
    return {
        entry[2]: Reference(entry[2], entry[1], dict(FIELD.findall(entry[3])), entry[0])
        for entry in ENTRY.finditer(package_text("published/data/references.bib"))
    }


@cache
def keys() -> dict[str, tuple[str, ...]]:
    """Return the keys of all names that can be cited: references, conventions, closed forms."""
    keys_of: dict[str, tuple[str, ...]] = {
        name: (form.author.key,) for name, form in forms.FORMS.items()
    }
    keys_of |= {key: (key,) for key in references()}
    for convention in CONVENTIONS:
        own = keys_of.get(convention.name, ())
        keys_of[convention.name] = tuple(dict.fromkeys((*own, *convention.sources)))
    return keys_of


def cited(names: Iterable[str] = ()) -> tuple[Reference, ...]:
    """Return the references for keys, conventions and closed forms, by default all references.

    Raises
    ------
    UnknownNameError
        If a name is unknown.
    """
    keys_of = keys()
    for name in names:
        check_name("reference", name, keys_of)
    selected = dict.fromkeys(key for name in names for key in keys_of[name]) or references()
    return tuple(references()[key] for key in selected)


class References(Rows[Reference]):
    """References as BibTeX."""

    schema = "urcx.cite/1"

    @property
    def body(self) -> str:
        """Return the entries in BibTeX."""
        return "\n".join(reference.bibtex for reference in self)

    def tables(self) -> list[Table]:
        """Return an empty list, because the entries are printed as text."""
        return []

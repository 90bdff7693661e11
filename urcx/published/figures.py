"""The sources' figures, read from the TOML files in ``urcx/published/data``.

A file has a ``[source]`` (``name``, which the bibliography has as well, and ``summary``: what is
wrong and how we know) and ``[[figure]]`` entries: ``place`` in the source; ``quantity``, a name in
`urcx.published.quantities.registry`; ``params``, a table or a list of tables; ``pieces``, a list
that repeats one table for each number; ``printed``, the figures as printed, one for each table;
``values``, the same as numbers if the print is in words; ``verdict``, one for all or one for each,
by default ``holds``; ``explanation``, and ``against``, another statement of the source that says
otherwise (its place and words), one for all or one for each. A mean or rate of games of the
source's own has their number among its ``params``, as ``sample``. Figures of a whole game that take
minutes also have ``found``, our values, one for each table ("" for those computed each
time), and ``how``, by which command and with how much processor time they were found, one for all
or one for each; `urcx.published.verify.verify` computes them again if it is given the game's
solution.

The bibliography, ``data/references.bib``, has every work that urcx cites: the documentation's list
of references and the titles of the sources are made from it, and ``urcx cite`` prints it. A field
of an entry is one line.
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
    "heled",
    "tdur",
    "olieslagers",
    "mascolini",
    "ludii",
    "urcoach",
    "cote",
    "royalur",
    "malhotra-malik",
)
HOLDS = "holds"
OTHERWISE = "holds in another reading"
INCONSISTENT = "inconsistent within the source"
FAILS = "does not hold"
UNDECIDED = "undecided"
NO_CLAIM = "no claim"
MEANINGS = {
    HOLDS: "what the source says the figure is gives it",
    OTHERWISE: "only another reading of the words, form or parameter gives it",
    INCONSISTENT: "another place of the source says otherwise",
    FAILS: "no reading that was tried gives it",
    UNDECIDED: "nothing computed decides it, or chance may explain a sample",
    NO_CLAIM: "assumed by the source, or not said by it",
}
VERDICTS = tuple(MEANINGS)


@dataclass(frozen=True)
class Source:
    """A paper, post or report, with a summary of what holds."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True)
class Figure:
    """One printed figure.

    ``value`` is the figure as a number or text for the comparison, with its digits as printed;
    ``verdict`` is the recorded verdict, which is compared with the computed one. ``found`` is our
    value if it takes minutes to compute, also among ``params``, and ``how`` how it was found.
    ``against`` is where the source says otherwise, and in which words. ``readings`` are other ways
    to read the figure, which are tried if it does not hold as it stands.
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
    """Return how many figures are means or rates of the sources' own games."""
    figures_of_sources = (
        _source(name)[1] for name in FILES if "sample" in _text(name)
    )  # few: parsing is slow
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
    # One for all, or one for each.
    shared = {"verdict": HOLDS} | dict.fromkeys(("explanation", "found", "how", "against"), "")
    given = {name: entry.get(name, usual) for name, usual in shared.items()}
    rows = zip(
        printed,
        entry.get("values", printed),
        params,
        *([one] * len(printed) if isinstance(one, str) else one for one in given.values()),
        strict=True,
    )
    return [
        Figure(
            source, entry["place"], entry["quantity"], {**own, "found": found} if found else own,
            text, value, verdict, explanation, found, how if found else "", against,
            tuple(own_readings.get(text, ()) if isinstance(own_readings, dict) else own_readings),
        )
        for text, value, own, verdict, explanation, found, how, against in rows
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
        names = [_said(name) for name in self.fields.get("author", "").split(" and ")]
        names = [" ".join(reversed(name.split(", "))) for name in names]
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def title(self) -> str:
        """Return the title."""
        return _said(self.fields["title"])

    @property
    def short(self) -> str:
        """Return authors, title and year, and when it was read, if it may change."""
        note, read = self.fields.get("note", ""), self.fields.get("urldate")
        year = self.fields.get("year", "")
        when = f"read on {read}" if read else "" if year in note else year
        return _joined([self.author, self.title, note, when])

    @property
    @Field(about="the entry in words", after="kind")
    def text(self) -> str:
        """Return the whole reference in words, with its address."""
        fields = {name: _said(text) for name, text in self.fields.items()}
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


def _said(text: str) -> str:
    """Return a field's text without LaTeX's signs, and with dashes."""
    return re.sub(r"[{}\\]", "", text).replace("--", "\u2013")


def _joined(parts: Iterable[str | None]) -> str:
    return ", ".join(part for part in parts if part)


@cache
def references() -> dict[str, Reference]:
    """Return the bibliography by keys: urcx itself, sources of published figures, other works."""
    return {
        entry[2]: Reference(entry[2], entry[1], dict(FIELD.findall(entry[3])), entry[0])
        for entry in ENTRY.finditer(package_text("published/data/references.bib"))
    }


@cache
def keys() -> dict[str, tuple[str, ...]]:
    """Return what can be cited, each with its keys: references, conventions, closed forms."""
    keys_of: dict[str, tuple[str, ...]] = {
        name: (form.author.key,) for name, form in forms.FORMS.items()
    }
    keys_of |= {key: (key,) for key in references()}
    for convention in CONVENTIONS:
        own = keys_of.get(convention.name, ())
        keys_of[convention.name] = tuple(dict.fromkeys((*own, *convention.sources)))
    return keys_of


def cited(names: Iterable[str] = ()) -> tuple[Reference, ...]:
    """Return what is to be cited for keys, conventions and closed forms; everything for none.

    Raises
    ------
    UnknownNameError
        If there is none of a name.
    """
    known = keys()
    for name in names:
        check_name("reference", name, known)
    wanted = dict.fromkeys(key for name in names for key in known[name]) or references()
    return tuple(references()[key] for key in wanted)


class References(Rows[Reference]):
    """References as BibTeX."""

    schema = "urcx.cite/1"

    @property
    def body(self) -> str:
        """Return the entries."""
        return "\n".join(reference.bibtex for reference in self)

    def tables(self) -> list[Table]:
        """Return no table."""
        return []

"""The bibliography: every work that urcx cites, read from ``data/references.bib``.

The documentation's list of references, and the titles of the sources of published figures, are made
from it; ``urcx cite`` prints it. A field of an entry is one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from urcx.complexity import forms
from urcx.complexity.game_tree import CONVENTIONS
from urcx.errors import check_name
from urcx.reading import own_text
from urcx.results.fields import Schema, fields_of, member
from urcx.results.report import Report

ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True)
class Reference:
    """An entry of the bibliography: its key, BibTeX's kind and text, and its fields."""

    key: Annotated[str, member(about="key of the entry")]
    kind: Annotated[str, member(about="kind of the entry", key="type")]
    fields: dict[str, str]
    bibtex: Annotated[str, member(about="the entry in BibTeX")]

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
    @member(about="the entry in words", after="kind")
    def text(self) -> str:
        """Return the whole reference in words, with its address."""
        given = {name: _said(text) for name, text in self.fields.items()}
        journal = " ".join(filter(None, [given.get("journal"), given.get("volume")]))
        journal += f" ({given['number']})" if "number" in given else ""
        inside = f"in: {given['booktitle']}" if "booktitle" in given else ""
        thesis = f"PhD thesis, {given['school']}" if "school" in given else ""
        where = [
            thesis,
            inside or journal,
            given.get("howpublished"),
            given.get("publisher"),
            given.get("institution"),
        ]
        doi = f"https://doi.org/{given['doi']}" if "doi" in given else given.get("url")
        pages = f"pages {given['pages']}" if "pages" in given else ""
        year = given.get("year", "") if given.get("year", "") not in self.short else ""
        preprint = f"{given['archiveprefix']}:{given['eprint']}" if "eprint" in given else ""
        return _joined([self.short, *where, pages, year, doi, preprint, given.get("addendum")])


REFERENCE = fields_of(Reference)
CITE = Schema("urcx.cite/1", {"": REFERENCE.pick(), "rows": REFERENCE})


def _said(text: str) -> str:
    """Return a field's text without LaTeX's signs, and with dashes."""
    return re.sub(r"[{}\\]", "", text).replace("--", "\u2013")


def _joined(parts: Iterable[str | None]) -> str:
    return ", ".join(part for part in parts if part)


@cache
def references() -> dict[str, Reference]:
    """Return the bibliography by keys: urcx itself, sources of published figures, other works."""
    return {
        found[2]: Reference(found[2], found[1], dict(FIELD.findall(found[3])), found[0])
        for found in ENTRY.finditer(own_text("published/data/references.bib"))
    }


@cache
def keys() -> dict[str, tuple[str, ...]]:
    """Return what can be cited, each with its keys: references, conventions, closed forms."""
    found: dict[str, tuple[str, ...]] = {
        name: (form.author.key,) for name, form in forms.FORMS.items()
    }
    found |= {key: (key,) for key in references()}
    for convention in CONVENTIONS:
        own = found.get(convention.name, ())
        found[convention.name] = tuple(dict.fromkeys((*own, *convention.sources)))
    return found


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


def references_report(found: Iterable[Reference]) -> Report:
    """Return references as BibTeX, and as rows."""
    rows = REFERENCE.records(found)
    return Report(CITE.name, {"rows": rows}, rows, body="\n".join(row["bibtex"] for row in rows))

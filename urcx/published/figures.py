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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from urcx.published.references import references
from urcx.reading import own_text
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
    ``against`` is where the source says otherwise, and in which words.
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


@cache
def sources() -> tuple[tuple[Source, tuple[Figure, ...]], ...]:
    """Return all sources with their figures, in the order of `FILES`."""
    return tuple(map(_source, FILES))


@cache
def samples() -> int:
    """Return how many figures are means or rates of the sources' own games."""
    found = (_source(name)[1] for name in FILES if "sample" in _text(name))  # few: parsing is slow
    return sum("sample" in figure.params for figures in found for figure in figures)


@cache
def _source(name: str) -> tuple[Source, tuple[Figure, ...]]:
    data = parse_toml(f"{name}.toml", _text(name))
    about = {key: value.strip() for key, value in data["source"].items()}
    source = Source(title=references()[name].short, **about)
    return source, tuple(f for entry in data["figure"] for f in _figures(source.name, entry))


@cache
def _text(name: str) -> str:
    return own_text(f"published/data/{name}.toml")


def _figures(source: str, entry: dict[str, Any]) -> list[Figure]:
    printed = entry["printed"]
    params = entry["params"]
    if isinstance(params, dict):
        params = [{**params, "pieces": n} for n in entry["pieces"]]
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
        )
        for text, value, own, verdict, explanation, found, how, against in rows
    ]  # fmt: skip

"""What visiting all diagrams of a path gives: how many there are, their branches, a checksum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from urcx.results.fields import COUNT, Fields, Kind, fields_of, member, shown_as
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.model import Path

NAME = "urcx.enumerate/1"
ROUNDED = Kind(lambda seconds: str(round(seconds, 6)), (("", lambda seconds: round(seconds, 6)),))
WHOLE = Kind(lambda value: number(round(value)), (("", round),))
HEXADECIMAL = Kind("{:016x}".format, (("", "{:016x}".format),))


@dataclass(frozen=True)
class Visit:
    """What is visited, and what for: the first members of all that is found by that."""

    path: Annotated[Path, member(about="name of the path", of="name")]
    pieces: Annotated[int, member(about="pieces of light")]
    dark_pieces: Annotated[int, member(about="pieces of dark")]
    convention: ClassVar[Annotated[str, member(about="what is visited")]] = "diagrams"
    visit: Annotated[str, member(about="what was done with each")]

    def report(self, fields: Fields, found: Any, **more: Any) -> Report:
        """Return what was found: ``fields`` of it, behind ``more`` members."""
        data = {**VISIT.record(self), **more, **fields.record(found)}
        pieces = f"{self.pieces} light and {counted(self.dark_pieces, 'dark piece')}"
        shown = Fields(*(one for one in fields if one.value(found) is not None))
        title = f"{self.path.name}, {pieces}: {self.visit}"
        table = Table(title, ["<what", "value"], shown.lines(found))
        total = int(fields.record(found)["diagrams"])
        answer = f"{self.path.name}, {pieces}: {counted(total, 'diagram')}, each visited"
        return Report(NAME, data, [data], [table], row_fields=COUNTED, answer=answer)


@dataclass(frozen=True)
class Count(Result, function="count"):
    """The result of an enumeration.

    Examples
    --------
    >>> import urcx
    >>> round(urcx.count("bell", 2).mean_branches, 3)
    1.842
    """

    path: Annotated[Path, "the path"]
    pieces: Annotated[int, "pieces of light"]
    dark_pieces: Annotated[int, "pieces of dark"]
    diagrams: Annotated[int, member("diagrams", COUNT, "diagrams visited")]
    branches: Annotated[int, member("branches", COUNT, "all diagrams' branches, light to move")]
    dark_branches: Annotated[int, member("dark branches", COUNT, "the same with dark to move")]
    checksum: Annotated[
        int | None,
        "folded over all diagrams modulo 2^64; None if they were only counted",
        member("checksum", HEXADECIMAL, "a sum folded over all diagrams"),
    ]
    seconds: Annotated[float, member("seconds", ROUNDED, "that the visits took")]
    threads: Annotated[
        int,
        "on how many threads or processes it took so long",
        member("threads", shown_as(number), "on how many threads"),
    ]

    @property
    @member(
        "mean branches",
        shown_as("{:.3f}".format),
        "light's branches a diagram",
        after="dark_branches",
    )
    def mean_branches(self) -> float:
        """Return light's mean number of branches per diagram, the post's branching factor."""
        return self.branches / self.diagrams

    @property
    @member("diagrams per second", WHOLE, "how fast", key="diagrams_per_second", after="seconds")
    def rate(self) -> float:
        """Return the number of diagrams visited per second."""
        return self.diagrams / max(self.seconds, 1e-9)

    def report(self) -> Report:
        """Return all that was counted, with the checksum if there is one."""
        visit = "branches" if self.checksum is None else "checksum"
        return Visit(self.path, self.pieces, self.dark_pieces, visit).report(COUNTED, self)


VISIT, COUNTED = fields_of(Visit), fields_of(Count)

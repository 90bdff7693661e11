"""Tables: columns that describe their content, and rows of texts.

A column is declared once, by a `Column` or, if only its alignment matters, by its title:
``"<name"`` is a column of text, ``"count"`` one of numbers. The layout on a terminal follows from
these declarations alone (`urcx.results.layout`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

LEAST = 20  # the least width of a wrapped column of text, in characters

Tone = Literal["good", "fair", "bad", "best"]


class ColouredText(str):
    """A cell shown in colour on a terminal; its text says the same without colour.

    ``good`` agrees or holds, ``fair`` holds in part, ``bad`` differs or is contradicted, ``best``
    is the best of several.
    """

    __slots__ = ("tone",)
    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Self:
        """Return the text with a tone."""
        toned = super().__new__(cls, text)
        toned.tone = tone
        return toned


class Note(str):
    """A note about some columns, omitted if none of them is shown; so is each of its ``parts``."""

    __slots__ = ("columns", "parts")
    columns: tuple[str, ...]
    parts: tuple[Note, ...]

    def __new__(cls, text: str, *columns: str, parts: tuple[Note, ...] = ()) -> Self:
        """Return the text with the titles of its columns."""
        noted = super().__new__(cls, text)
        noted.columns, noted.parts = columns, parts
        return noted

    @classmethod
    def of(cls, *parts: Note) -> Self:
        """Return one note of several, its ``parts``."""
        columns = [column for part in parts for column in part.columns]
        return cls("; ".join(parts), *columns, parts=parts)

    def without(self, columns: Collection[str]) -> str:
        """Return it as it is said where these columns are left out; empty if it is omitted."""
        parts = self.parts or (self,)
        return "; ".join(part for part in parts if not set(part.columns) <= {*columns})


@dataclass(frozen=True)
class Column:
    """The kind of content of a column, which decides its layout on a narrow terminal.

    ``title`` is its heading. A column of numbers (the default) is aligned right and never broken;
    one of ``text`` is aligned left and wraps at words, down to ``least`` characters. A ``key``
    identifies a row: it is repeated in each block of a table that does not fit. A ``secondary``
    column is left out first; ``--wide`` shows it. One that is ``joined`` says more of the column
    before it: where a table falls into blocks, both are in the same one.
    """

    title: str
    text: bool = False
    key: bool = False
    secondary: bool = False
    least: int = LEAST
    joined: bool = False


def key(title: str, *, least: int = LEAST) -> Column:
    """Return a key column of text, which identifies the rows."""
    return Column(title, text=True, key=True, least=least)


def secondary(title: str) -> Column:
    """Return a column of numbers that is omitted if there is not enough room."""
    return Column(title, secondary=True)


@dataclass(frozen=True)
class Table:
    """A titled table of texts: ``rows`` with one cell for each of ``columns``.

    A column is a `Column` or its title, with ``<`` in front for one of text. If none is a key, the
    first is. If no column has a title, the table has no heading row.
    """

    title: str
    columns: Sequence[str | Column]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @cached_property
    def heads(self) -> tuple[Column, ...]:
        """Return the columns, those given by a title as a `Column`."""
        made = tuple(
            Column(item.removeprefix("<"), text=item.startswith("<"))
            if isinstance(item, str)
            else item
            for item in self.columns
        )
        if made and not any(item.key for item in made):
            return (replace(made[0], key=True), *made[1:])
        return made

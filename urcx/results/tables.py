"""Tables: columns that describe their content, and rows of strings.

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
    """A cell with a colour on a terminal. Its text is enough without the colour.

    ``good`` means that it agrees or holds, ``fair`` that it holds in part, ``bad`` that it differs
    or is contradicted. ``best`` is the best of several.
    """

    __slots__ = ("tone",)
    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Self:
        """Return the text with a tone."""
        coloured = super().__new__(cls, text)
        coloured.tone = tone
        return coloured


class Note(str):
    """A note about some columns. The note, or a part of it, is omitted if all of them are."""

    __slots__ = ("columns", "parts")
    columns: tuple[str, ...]
    parts: tuple[Note, ...]

    def __new__(cls, text: str, *columns: str, parts: tuple[Note, ...] = ()) -> Self:
        """Return the text with the titles of its columns."""
        note = super().__new__(cls, text)
        note.columns, note.parts = columns, parts
        return note

    @classmethod
    def of(cls, *parts: Note) -> Self:
        """Return a note that consists of several, its ``parts``."""
        columns = [column for part in parts for column in part.columns]
        return cls("; ".join(parts), *columns, parts=parts)

    def without(self, columns: Collection[str]) -> str:
        """Return the text of the note when these columns are left out, or "" if it is omitted."""
        parts = self.parts or (self,)
        return "; ".join(part for part in parts if not set(part.columns) <= {*columns})


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the kind of its content, which decides its layout.

    ``title`` is the heading. A column of numbers (the default) is aligned right and never broken. A
    column of ``text`` is aligned left and wraps at words, down to ``least`` characters. A ``key``
    identifies a row, and is repeated in each block of a table that does not fit. A ``secondary``
    column is left out first. The option ``--wide`` shows it. A ``joined`` column adds to the column
    before it: if a table is split into blocks, both are in the same block. A column of
    ``losses`` of moves, in points, has the colours of their grades on a terminal.
    """

    title: str
    text: bool = False
    key: bool = False
    secondary: bool = False
    least: int = LEAST
    joined: bool = False
    losses: bool = False


MOVE_LOSS = Column("loss (points)", losses=True)


def key(title: str, *, least: int = LEAST) -> Column:
    """Return a key column of text."""
    return Column(title, text=True, key=True, least=least)


def secondary(title: str) -> Column:
    """Return a column of numbers that is left out if there is not enough room."""
    return Column(title, secondary=True)


@dataclass(frozen=True)
class Table:
    """A titled table of strings: ``rows`` with one cell for each of ``columns``.

    A column is a `Column` or its title, with ``<`` in front for text. If no column is a key, the
    first becomes the key. If no column has a title, the table has no heading row.
    """

    title: str
    columns: Sequence[str | Column]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @cached_property
    def heads(self) -> tuple[Column, ...]:
        """Return the columns, with titles replaced by a `Column`."""
        heads = tuple(
            Column(item.removeprefix("<"), text=item.startswith("<"))
            if isinstance(item, str)
            else item
            for item in self.columns
        )
        if heads and not any(item.key for item in heads):
            return (replace(heads[0], key=True), *heads[1:])
        return heads

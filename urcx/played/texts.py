"""Texts that are read word by word, and errors that name line and column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from urcx.errors import NotationError, UrcxError
from urcx.played.record import PlayedGame


@dataclass(frozen=True)
class Word:
    """A word of a text and where it begins."""

    text: str
    line: int
    column: int


@dataclass
class Text:
    """A text that is read line by line, with the name of its file for messages."""

    name: str
    lines: list[str] = field(default_factory=list)

    def wrong(self, where: Word, why: str) -> NoReturn:
        """Raise the error of a word."""
        raise NotationError(self.name, where.line, where.column, why)

    def guarded(self, where: Word, made: Callable[[], PlayedGame]) -> PlayedGame:
        """Return what a function makes; what it raises becomes an error at a word."""
        try:
            return made()
        except UrcxError as error:
            self.wrong(where, str(error))

    def words(self) -> Iterator[list[Word]]:
        """Yield the words of each line that has some, comments left out."""
        for number, line in enumerate(self.lines, start=1):
            bare = line.partition("#")[0]
            found = [Word(m[0], number, m.start() + 1) for m in re.finditer(r"\S+", bare)]
            if found:
                yield found

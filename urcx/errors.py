"""The errors that urcx raises on purpose.

All derive from `UrcxError`. The command line prints the message as one line and ends with the
class's ``exit_code``: 2 for wrong usage (a bad name, range, position or file), 1 for a
computation that could not be done.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

__all__ = ["UrcxError"]

MAX_NAMED = 12  # names listed in a message
MAX_SHOWN = 60  # characters of an object in a message


def printable(text: str) -> str:
    """Return a text with control and other non-printable characters written as escapes.

    This includes line breaks and tabs; it is meant for names and texts from foreign files.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quoted(value: object) -> str:
    """Return an object as a message shows it: the first line of its ``repr``, if long only part."""
    line = repr(value).partition("\n")[0]  # a result shows itself as a table
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."


class UrcxError(Exception):
    """An error with a message for the user: one line with what is wrong and what to do."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy is made of in another process: the message, as it was put together."""
        return _copied, (type(self), str(self))


def exception_text(error: BaseException) -> str:
    """Return what somebody else's code raised, as a message gives it: its type and text."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - it is foreign, too
        text = ""
    return f"{type(error).__name__}: {printable(' '.join(text.split()))}".removesuffix(": ")


def get_attribute(value: object, name: str) -> Any:
    """Return an attribute of an object of the user's, or None if it has none.

    Raises
    ------
    UsageError
        If asking for it fails: its ``__getattr__`` may do anything.
    """
    try:
        return getattr(value, name, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        kind = type(value).__name__
        raise UsageError(f"asking {kind} for {name} fails: {exception_text(error)}") from error


def _copied(kind: type[UrcxError], message: str) -> UrcxError:
    return kind.__new__(kind, message)


class UsageError(UrcxError, ValueError):
    """Invalid input: a range, position, rank, option or file."""

    exit_code = 2


class UnknownNameError(UsageError, LookupError):
    """An unknown name; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Mapping[str, Any], hint: str = "") -> None:
        near = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=0.65)
        # Aliases help to find a similar name, but would lengthen the list.
        own = list(dict.fromkeys(getattr(item, "name", key) for key, item in known.items()))
        some = ", ".join(own[:MAX_NAMED]) + (", ..." if len(own) > MAX_NAMED else "")
        nearest = f"did you mean {' or '.join(near)}?" if near else f"known: {some}"
        super().__init__(f"unknown {kind} {quoted(name)}; {hint or nearest}")


def check_name(kind: str, name: object, known: Iterable[str]) -> None:
    """Raise `UnknownNameError` if a name is none of those that are known."""
    names = list(known)
    if not isinstance(name, str) or name not in names:
        raise UnknownNameError(kind, str(name), dict.fromkeys(names))


def exclusive_option(**options: object) -> str:
    """Return the name of the only option that is not None, or an empty text.

    Raises
    ------
    UsageError
        If several options are not None.
    """
    chosen = [name for name, value in options.items() if value is not None]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other")
    return "".join(chosen)


def check_booleans(**values: object) -> None:
    """Raise `WrongObjectError` unless all values are True or False, of Python's or numpy's type."""
    for name, value in values.items():
        if type(value).__name__ not in ("bool", "bool_"):
            raise WrongObjectError(name, bool, value)


def check_functions(**values: object) -> None:
    """Raise `WrongObjectError` unless all values can be called."""
    for name, value in values.items():
        if not callable(value):
            raise WrongObjectError(name, FunctionType, value)


class WrongObjectError(UsageError, TypeError):
    """An object of the wrong type; the message names the right types."""

    def __init__(self, what: str, wanted: type, value: object, otherwise: str = "") -> None:
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        names = {int: "an integer", float: "a number", bool: "True or False", str: "a string"}
        kind = names.get(wanted, f"{article} {wanted.__name__}")
        either = f"{otherwise} or {kind}" if otherwise else kind
        super().__init__(f"{what}: must be {either}, not {quoted(value)} ({type(value).__name__})")


class CatalogueError(UsageError):
    """A catalogue file that breaks the schema; the message names the file, line and key."""


class PositionError(UsageError):
    """A position that cannot be parsed or breaks a rule; the message names field and reason."""


class NotationError(UsageError):
    """A game in notation that cannot be read; the message names file, line and column.

    Attributes
    ----------
    line, column : int
        Both from 1.
    why : str
        What is wrong there.
    """

    def __init__(self, name: str, line: int, column: int, why: str) -> None:
        super().__init__(f"{printable(name)}, line {line}, column {column}: {why}")
        self.line, self.column, self.why = line, column, why


class TablebaseError(UrcxError):
    """A tablebase that cannot be read, is damaged, or lacks a position."""


class BusyError(TablebaseError):
    """A directory for layers that another run is writing to."""


class UnusableFileError(UsageError, TablebaseError):
    """A file that cannot be opened, is not a tablebase, or belongs to another game."""


class OutOfDomainError(UsageError):
    """A form, ranking or order that is not defined for the given path or numbers."""


class InterruptedRunError(UrcxError):
    """Ctrl-C, raised after threads have stopped and files are closed."""

    exit_code = 130


class EngineError(UrcxError):
    """Another program that was to play and did not; the message says what it did, and where."""


class TooLargeError(UrcxError):
    """A computation refused beforehand as too large; the message has the estimate."""

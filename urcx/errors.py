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

    Line breaks and tabs count as such characters. Use it for names and texts from foreign files.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quoted(value: object) -> str:
    """Return an object's text for a message: the first line of its ``repr``, shortened if long."""
    line = repr(value).partition("\n")[0]  # a result shows itself as a table
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."


class UrcxError(Exception):
    """An error with a one-line message for the user: the cause and the remedy."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts from which another process makes a copy: the class and the message."""
        return _rebuild, (type(self), str(self))


def exception_text(error: BaseException) -> str:
    """Return the type and text of an exception from foreign code, as one line."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - its __str__ is foreign, too
        text = ""
    return f"{type(error).__name__}: {printable(' '.join(text.split()))}".removesuffix(": ")


def get_attribute(value: object, name: str) -> Any:
    """Return an attribute of a user's object, or None if the object lacks it.

    Raises
    ------
    UsageError
        If reading the attribute fails, because ``__getattr__`` of a user's class may do anything.
    """
    try:
        return getattr(value, name, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        kind = type(value).__name__
        raise UsageError(f"asking {kind} for {name} fails: {exception_text(error)}") from error


def _rebuild(kind: type[UrcxError], message: str) -> UrcxError:
    return kind.__new__(kind, message)


class UsageError(UrcxError, ValueError):
    """Invalid input: a range, position, rank, option or file."""

    exit_code = 2


class UnknownNameError(UsageError, LookupError):
    """An unknown name. The message suggests the nearest ones.

    ``listed_by`` is the command that lists all names, if there are many.
    """

    def __init__(
        self, kind: str, name: str, known: Mapping[str, Any], hint: str = "", listed_by: str = ""
    ) -> None:
        near = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=0.65)
        # Aliases help to find a similar name, but would lengthen the list.
        names = list(dict.fromkeys(getattr(item, "name", key) for key, item in known.items()))
        listed = ", ".join(names[:MAX_NAMED])
        if len(names) > MAX_NAMED:
            listed += f", ... (all: {listed_by})" if listed_by else ", ..."
        suggestion = f"did you mean {' or '.join(near)}?" if near else f"known: {listed}"
        super().__init__(f"unknown {kind} {quoted(name)}; {hint or suggestion}")


def check_name(kind: str, name: object, known: Iterable[str]) -> None:
    """Raise `UnknownNameError` unless a name is in the list of known names."""
    names = list(known)
    if not isinstance(name, str) or name not in names:
        raise UnknownNameError(kind, str(name), dict.fromkeys(names))


def exclusive_option(**options: object) -> str:
    """Return the name of the only option that is not None, or "" if all are None.

    Raises
    ------
    UsageError
        If several options are not None.
    """
    names = [name for name, value in options.items() if value is not None]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} exclude each other")
    return "".join(names)


def check_booleans(**values: object) -> None:
    """Raise `WrongObjectError` unless each value is True or False, as Python's or numpy's type."""
    for name, value in values.items():
        if type(value).__name__ not in ("bool", "bool_"):
            raise WrongObjectError(name, bool, value)


def check_functions(**values: object) -> None:
    """Raise `WrongObjectError` unless each value can be called."""
    for name, value in values.items():
        if not callable(value):
            raise WrongObjectError(name, FunctionType, value)


class WrongObjectError(UsageError, TypeError):
    """An object of the wrong type. The message names the right types."""

    def __init__(self, what: str, wanted: type, value: object, otherwise: str = "") -> None:
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        names = {int: "an integer", float: "a number", bool: "True or False", str: "a string"}
        kind = names.get(wanted, f"{article} {wanted.__name__}")
        either = f"{otherwise} or {kind}" if otherwise else kind
        super().__init__(f"{what}: must be {either}, not {quoted(value)} ({type(value).__name__})")


class CatalogueError(UsageError):
    """A catalogue file that breaks the schema. The message names the file, line and key."""


class PositionError(UsageError):
    """A position that cannot be parsed or breaks a rule. The message names field and reason."""


class NotationError(UsageError):
    """A game in notation that cannot be read. The message names file, line and column.

    Attributes
    ----------
    line, column : int
        Both from 1.
    why : str
        The reason.
    """

    def __init__(self, name: str, line: int, column: int, why: str) -> None:
        super().__init__(f"{printable(name)}, line {line}, column {column}: {why}")
        self.line, self.column, self.why = line, column, why


class TablebaseError(UrcxError):
    """A tablebase that cannot be read, is damaged, or lacks a position."""


class BusyError(TablebaseError):
    """A directory of layers into which another run is writing."""


class UnusableFileError(UsageError, TablebaseError):
    """A file that cannot be opened, is not a tablebase, or belongs to another game."""


class OutOfDomainError(UsageError):
    """A form, ranking or order that is not defined for the given path or numbers."""


class InterruptedRunError(UrcxError):
    """Ctrl-C, raised after threads have stopped and files are closed."""

    exit_code = 130


class EngineError(UrcxError):
    """A failure of another program that should play. The message names its action and the place."""


class TooLargeError(UrcxError):
    """A computation refused in advance because it is too large. The message has the estimate."""

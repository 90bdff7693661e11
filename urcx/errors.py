"""What can go wrong: every error that urcx raises on purpose.

All derive from `UrcxError`. The command line prints the message as one line and ends with the
class's ``exit_code``: 2 for wrong usage (a bad name, range, position or file), 1 for a
computation that could not be done.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

MAX_NAMED = 8  # names that a message lists
MAX_SHOWN = 60  # characters of an object in a message


def printable(text: str) -> str:
    """Return a text with all that a terminal would obey and not show written as escapes.

    Line breaks and tabs too; it is for names and texts out of foreign files.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class UrcxError(Exception):
    """An error with a message for the user: one line that says what is wrong and what to do."""

    exit_code = 1


class UsageError(UrcxError, ValueError):
    """Wrong input: a range, a position, a rank, an option or a file that makes no sense."""

    exit_code = 2


class UnknownNameError(UsageError, LookupError):
    """A name that the catalogue does not have; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Mapping[str, Any], hint: str = "") -> None:
        near = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=0.5)
        # Aliases help to find a near name, but a list is shorter without.
        own = list(dict.fromkeys(getattr(item, "name", key) for key, item in known.items()))
        some = ", ".join(own[:MAX_NAMED]) + (", ..." if len(own) > MAX_NAMED else "")
        nearest = f"did you mean {' or '.join(near)}?" if near else f"known: {some}"
        super().__init__(f"unknown {kind} {name!r}; {hint or nearest}")


class WrongObjectError(UsageError, TypeError):
    """An object of another kind than a function takes; the message says what is wanted."""

    def __init__(self, what: str, wanted: type, given: object, otherwise: str = "") -> None:
        shown = repr(given)
        if len(shown) > MAX_SHOWN:
            shown = f"{shown[:MAX_SHOWN]}..."
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        names = {int: "a whole number", float: "a number"}
        kind = names.get(wanted, f"{article} {wanted.__name__}")
        either = f"{otherwise}, or {kind}" if otherwise else kind
        super().__init__(f"{what}: {either} is wanted, not {shown} ({type(given).__name__})")


class CatalogueError(UsageError):
    """A catalogue file that breaks the schema; names the file, the line and the key."""


class PositionError(UsageError):
    """A position that cannot be read or breaks a rule; names the field and the reason."""


class TablebaseError(UrcxError):
    """A tablebase that cannot be read, is damaged, or lacks what was asked for."""


class UnusableFileError(UsageError, TablebaseError):
    """A file that cannot be opened, is no tablebase at all, or is of another game than asked."""


class OutOfDomainError(UsageError):
    """A closed form asked for a value outside the domain that its source gives."""


class InterruptedRunError(UrcxError):
    """The user's Ctrl-C, once everything is wound up."""

    exit_code = 130


class TooLargeError(UrcxError):
    """A computation refused beforehand because it would not fit; the message has the estimate."""

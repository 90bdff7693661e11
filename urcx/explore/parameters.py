"""What requests say: queries and bodies, taken apart and checked before anything is computed.

Whatever comes in is bounded here: names, lengths, numbers, nesting. What breaks a bound raises
`RefusedError`, one line with the status of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from urcx.errors import UrcxError
from urcx.reading import MOST_DIGITS, parse_json

MOST_QUERY = 4096  # bytes
MOST_BODY = 256 * 1024  # bytes
MOST_FIELDS = 20  # of a query
LONGEST_NAME = 80  # of a rule set, a path, a player
LONGEST_POSITION = 400
WHOLE = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}\Z")
RANGE = re.compile(r"([0-9]{1,4})(?:\.\.([0-9]{1,4}))?\Z")


class RefusedError(UrcxError):
    """A request that is not answered: one line, and the status of HTTP that says why."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Parameters:
    """The named values of a request; what is asked for by name is checked and returned."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)
        self.until = inf  # when the answer has to be there, by `time.monotonic`

    def in_time(self) -> None:
        """Raise `RefusedError` if the answer takes too long; asked before every longer step."""
        if monotonic() > self.until:
            raise RefusedError("this takes too long; ask for less", 503)

    def only(self, *names: str) -> None:
        """Raise `RefusedError` if there is a name that is none of these."""
        for name in self.values:
            if name not in names:
                known = ", ".join(names) or "none"
                raise RefusedError(f"unknown parameter {shown_value(name)}; known: {known}")

    def text(self, name: str, default: str | None = None, longest: int = LONGEST_NAME) -> str:
        """Return a text; ``default`` if it is missing, which is an error without one."""
        found = self.values.get(name, default)
        if found is None:
            raise RefusedError(f"{name} is missing")
        if not isinstance(found, str):
            raise RefusedError(f"{name}: a text is wanted")
        if len(found) > longest:
            raise RefusedError(f"{name}: more than {longest} characters")
        return found

    def name(self, name: str, default: str = "") -> str:
        """Return a text of one line that can be printed, such as a player's name."""
        found = self.text(name, default)
        if not found.isprintable():
            raise RefusedError(f"{name}: only characters that can be printed are wanted")
        return found

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number within bounds, None if it is missing."""
        found = self.values.get(name)
        if found is None:
            return None
        return whole_number(name, found, low, high)

    def flag(self, name: str) -> bool:
        """Return whether a flag is set: ``1`` or true; not if it is missing."""
        found = self.values.get(name, False)
        if isinstance(found, bool):
            return found
        if not isinstance(found, str) or found not in {"0", "1"}:
            raise RefusedError(f"{name}: 0 or 1 is wanted")
        return found == "1"

    def names(self, name: str, most: int) -> list[str]:
        """Return a list of texts, in a query separated by commas; empty if it is missing."""
        found = self.values.get(name) or []
        several = found.split(",") if isinstance(found, str) else found
        if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
            raise RefusedError(f"{name}: names are wanted, separated by commas")
        if len(several) > most:
            raise RefusedError(f"{name}: more than {most} names")
        if any(len(one) > LONGEST_NAME for one in several):
            raise RefusedError(f"{name}: a name has more than {LONGEST_NAME} characters")
        return list(dict.fromkeys(several))

    def items(self, name: str, most: int) -> list[Any]:
        """Return a list of anything; empty if it is missing."""
        found = self.values.get(name)
        if found is None:
            return []
        if not isinstance(found, list):
            raise RefusedError(f"{name}: a list is wanted")
        if len(found) > most:
            raise RefusedError(f"{name}: more than {most} entries")
        return found

    def span(self, name: str, default: str, largest: int, most: int) -> range:
        """Return the whole numbers of a range such as ``1..7``, or of a single number."""
        found = self.text(name, default)
        match = RANGE.match(found)
        if match is None:
            raise RefusedError(f"{name}: write a range such as 1..7, not {shown_value(found)}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= largest:
            raise RefusedError(f"{name} {found}: from 1 to {largest}, ascending, is wanted")
        if last - first >= most:
            raise RefusedError(f"{name} {found}: at most {most} numbers at a time")
        return range(first, last + 1)


def whole_number(name: str, given: Any, low: int, high: int) -> int:
    """Return a whole number within bounds, from JSON or from a query's text."""
    if isinstance(given, str) and WHOLE.match(given):
        given = int(given)
    if not isinstance(given, int) or isinstance(given, bool):
        raise RefusedError(f"{name}: a whole number is wanted")
    if not low <= given <= high:
        raise RefusedError(f"{name} {given}: from {low} to {high} is wanted")
    return given


def shown_value(text: str) -> str:
    """Return a foreign text as a message may have it: short, and in one line."""
    return ascii(text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}...")


def query(raw: bytes) -> Parameters:
    """Return the parameters of a query.

    Raises
    ------
    RefusedError
        If it is too long, is no query in UTF-8, or says something twice.
    """
    if len(raw) > MOST_QUERY:
        raise RefusedError(f"the query has more than {MOST_QUERY:,} bytes", 414)
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(raw),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except (ValueError, UnicodeError):
        raise RefusedError(
            f"the query cannot be read: write NAME=TEXT, at most {MOST_FIELDS}, with & between"
        ) from None
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise RefusedError(f"{shown_value(name)} is there twice")
        values[name] = value
    return Parameters(values)


def body(raw: bytes) -> Parameters:
    """Return the members of the JSON object that a body is.

    Raises
    ------
    RefusedError
        If `urcx.reading.parse_json` cannot read it, or it is no object.
    """
    try:
        found = parse_json(raw)
    except ValueError as error:
        raise RefusedError(f"the body is no JSON that can be read here: {error}") from None
    if not isinstance(found, dict):
        raise RefusedError("the body is no JSON object")
    return Parameters(found)


def member_of(given: Any, name: str) -> Parameters:
    """Return the members of an object inside a body; raises `RefusedError` if it is none."""
    if not isinstance(given, dict):
        raise RefusedError(f"{name}: an object is wanted")
    return Parameters(given)

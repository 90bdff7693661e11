"""The fields of each request, their limits, and the functions that check them.

A request is a dataclass. The annotation of a field names its check, which bounds names, lengths,
numbers and lists before any computation. Values come as strings from a query, and as JSON from a
body, where null means that a field is missing. A value out of bounds raises `RefusedError`, which
has one line and the status of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cache, partial
from math import inf
from time import monotonic
from typing import Annotated, Any, TypeVar, get_type_hints
from urllib.parse import parse_qsl

from urcx.errors import UrcxError
from urcx.game import SIDES
from urcx.played.notation import PLY
from urcx.reading import MOST_DIGITS, parse_json

MOST_BODY = 256 * 1024  # bytes
MOST_FIELDS = 20  # of a query
LONGEST_NAME = 80  # of a rule set, a path, a player
LONGEST_POSITION = 400
MOST_PIECES = 60  # per player, because more would delay answers
HIGHEST_ROLL = 999
MOST_AGENTS = 6  # in a request
MOST_POSITIONS = 1000  # in a request
MOST_COUNTS = 30  # numbers of pieces in an answer
MOST_PLIES = 2000  # of a game, about ten times the usual length
MOST_ACTIONS = 100  # in a request
START = "-/-/0-0/L"
INTEGER = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}\Z")
RANGE = re.compile(r"([0-9]{1,4})(?:\.\.([0-9]{1,4}))?\Z")

Schema = TypeVar("Schema", bound="Request")


class RefusedError(UrcxError):
    """The refusal of a request: one line, and the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def quoted_value(text: str) -> str:
    """Quote foreign text for a message: short, and in one line."""
    return ascii(text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}...")


# --- checks of a value. They take the name of its field for the message, and return the value


def string(name: str, value: Any, longest: int = LONGEST_NAME) -> str:
    """Check a string."""
    if not isinstance(value, str):
        raise RefusedError(f"{name}: must be a string")
    if len(value) > longest:
        raise RefusedError(f"{name}: must have at most {longest} characters")
    return value


def printable_line(name: str, value: Any) -> str:
    """Check a printable string of one line, such as a player's name."""
    if not string(name, value).isprintable():
        raise RefusedError(f"{name}: must have printable characters only")
    return str(value)


def date_text(name: str, value: Any) -> str:
    """Check a date such as 2026-11-22, or the empty string."""
    try:
        return date.fromisoformat(value).isoformat() if string(name, value) else ""
    except ValueError:
        raise RefusedError(
            f"{name} {quoted_value(value)}: must be a date such as 2026-11-22"
        ) from None


def integer(name: str, value: Any, low: int, high: int) -> int:
    """Check an integer within bounds, from JSON or from a query."""
    if isinstance(value, str) and INTEGER.match(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise RefusedError(f"{name}: must be an integer")
    if not low <= value <= high:
        raise RefusedError(f"{name} {value}: must be from {low} to {high}")
    return value


def flag(name: str, value: Any) -> bool:
    """Check a flag: 0 or 1 in a query, true or false in JSON."""
    if not isinstance(value, bool) and value not in ("0", "1"):
        raise RefusedError(f"{name}: must be 0 or 1")
    return value in (True, "1")


def items(name: str, value: Any, most: int) -> list[Any]:
    """Check a list, but not its entries."""
    if not isinstance(value, list):
        raise RefusedError(f"{name}: must be a list")
    if len(value) > most:
        raise RefusedError(f"{name}: must have at most {most} entries")
    return value


def names(name: str, value: Any, most: int) -> list[str]:
    """Check a list of names, which commas separate in a query, and return each name once."""
    entries = value.split(",") if isinstance(value, str) and value else value or []
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise RefusedError(f"{name}: must be names separated by commas")
    if len(entries) > most:
        raise RefusedError(f"{name}: must have at most {most} names")
    return list(dict.fromkeys(string(name, entry) for entry in entries))


def sides(name: str, value: Any) -> list[str]:
    """Check a list of sides."""
    entries = names(name, value, len(SIDES))
    if not set(entries) <= {*SIDES}:
        raise RefusedError(f"{name}: must be light, dark, or both")
    return entries


def plies(name: str, value: Any) -> list[str]:
    """Check a list of plies such as ``4:0-4``."""
    entries = items(name, value, MOST_PLIES)
    if not all(isinstance(entry, str) and PLY.match(entry) for entry in entries):
        raise RefusedError(f"{name}: must be plies such as 4:0-4")
    return entries


def span(name: str, value: Any, largest: int, most: int) -> range:
    """Check a range of integers such as ``1..7``, or a single integer."""
    match = RANGE.match(string(name, value))
    if match is None:
        raise RefusedError(f"{name} {quoted_value(value)}: must be a range such as 1..7")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last <= largest:
        raise RefusedError(f"{name} {value}: must be ascending, from 1 to {largest}")
    if last - first >= most:
        raise RefusedError(f"{name} {value}: must have at most {most} numbers")
    return range(first, last + 1)


def member(name: str, value: Any, schema: type[Schema]) -> Schema:
    """Check an object inside a body."""
    if not isinstance(value, dict):
        raise RefusedError(f"{name}: must be an object")
    return read(schema, value)


# --- requests


@dataclass
class Request:
    """A request without fields. ``until`` is the deadline of its answer, in `monotonic` time."""

    until: float = field(default=inf, init=False)

    def in_time(self) -> None:
        """Raise `RefusedError` after the deadline. Called before every longer step."""
        if monotonic() > self.until:
            raise RefusedError("the answer takes too long: ask for less", 503)


@dataclass
class RulesRequest(Request):
    """A rule set, by default the one with which the page opens."""

    rules: Annotated[str | None, string] = None
    pieces: Annotated[int | None, integer, 1, MOST_PIECES] = None


@dataclass
class PositionRequest(RulesRequest):
    """A position."""

    position: Annotated[str, string, LONGEST_POSITION] = START


@dataclass
class RollRequest(PositionRequest):
    """A position with a roll, or with all rolls."""

    roll: Annotated[int | None, integer, 0, HIGHEST_ROLL] = None


@dataclass
class ViewRequest(RollRequest):
    """Everything that the page shows of a position."""

    agents: Annotated[list[str], names, MOST_AGENTS] = field(default_factory=list)


@dataclass
class PositionsRequest(RulesRequest):
    """Many positions."""

    positions: Annotated[list[Any], items, MOST_POSITIONS] = field(default_factory=list)
    roll: Annotated[int | None, integer, 0, HIGHEST_ROLL] = None


@dataclass
class SolveRequest(RulesRequest):
    """A rule set to solve, or to stop solving."""

    stop: Annotated[bool, flag] = False


@dataclass
class DrawingRequest(PositionRequest):
    """A position as a drawing."""

    ways: Annotated[list[str], sides] = field(default_factory=list)


@dataclass
class BoardRequest(RulesRequest):
    """The board of a rule set or of a path."""

    path: Annotated[str | None, string] = None


@dataclass
class CountsRequest(Request):
    """Numbers of states."""

    path: Annotated[str | None, string] = None
    pieces: Annotated[range, span, MOST_PIECES, MOST_COUNTS] = range(1, 8)


@dataclass
class ReviewRequest(RulesRequest):
    """The review of a game."""

    text: Annotated[str | None, string, MOST_BODY] = None
    svg: Annotated[bool, flag] = False


@dataclass
class NewGame(PositionRequest):
    """A new game."""

    light: Annotated[str, printable_line] = ""
    dark: Annotated[str, printable_line] = ""
    seed: Annotated[int | None, integer, 0, 10**MOST_DIGITS - 1] = None
    date: Annotated[str, date_text] = ""


@dataclass
class GameRequest(RulesRequest):
    """A game, and actions on it."""

    text: Annotated[str | None, string, MOST_BODY] = None
    new: Annotated[NewGame | None, member, NewGame] = None
    undone: Annotated[list[str], plies] = field(default_factory=list)
    do: Annotated[list[Any], items, MOST_ACTIONS] = field(default_factory=list)
    agents: Annotated[list[str], names, MOST_AGENTS] = field(default_factory=list)


_hints = cache(partial(get_type_hints, include_extras=True))  # saves 0.1 ms for every request


def read(schema: type[Schema], values: Mapping[str, Any]) -> Schema:
    """Return a request, or raise `RefusedError` for an unknown field or a value out of bounds."""
    hints = _hints(schema)  # type: ignore[arg-type] # to mypy, no dataclass can be hashed
    parameters, checked = [entry.name for entry in fields(schema) if entry.init], {}
    for name, value in values.items():
        if name not in parameters:
            listed = ", ".join(parameters) or "none"
            raise RefusedError(f"unknown parameter {quoted_value(name)}; known: {listed}")
        if value is not None:
            check, *limits = hints[name].__metadata__
            checked[name] = check(name, value, *limits)
    return schema(**checked)


def query(raw: bytes) -> dict[str, str]:
    """Return the fields of a query.

    Raises
    ------
    RefusedError
        If it is not a query in UTF-8, has too many fields, or has a field twice.
    """
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
            f"the query cannot be read: it must be NAME=VALUE&NAME=VALUE, with at most "
            f"{MOST_FIELDS} parameters"
        ) from None
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise RefusedError(f"parameter {quoted_value(name)}: must occur only once")
        values[name] = value
    return values


def body(raw: bytes) -> dict[str, Any]:
    """Parse a body as a JSON object, and return its fields. Raise `RefusedError` if it is not."""
    try:
        values = parse_json(raw)
    except ValueError as error:
        raise RefusedError(f"the body is not JSON that urcx can read: {error}") from None
    if not isinstance(values, dict):
        raise RefusedError("the body must be a JSON object")
    return values

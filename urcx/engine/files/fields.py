"""JSON of files, read through one schema: every member is checked as it is taken.

Whatever a file says, what comes out is of the type and in the range asked for, or a
`TablebaseError` names the file, the member and what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NoReturn

from urcx.errors import TablebaseError

MOST_DIGITS = 18  # of a whole number, so that it fits 64 bits
LONGEST_TEXT = 200
SHOWN = 40  # characters of a wrong value


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a number with too many digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def read_json(data: bytes, where: str) -> Fields:
    """Return a JSON object's members; ``where`` is what errors call it.

    Raises
    ------
    TablebaseError
        If it is no JSON object in UTF-8, is nested too deeply, or has infinite or endless numbers.
    """
    try:
        found = json.loads(data.decode("utf-8"), parse_int=_whole, parse_constant=_no_number)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise TablebaseError(f"{where} is damaged")
    return Fields(found, where)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)  # ASCII, without control characters
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


class Fields:
    """The members of a JSON object.

    ``where`` is what errors call the object, such as ``finkel.urcx: the header``; ``prefix`` what
    stands before a member's name. Each function takes a member's name and raises `TablebaseError`
    if it is missing or not as said.
    """

    def __init__(self, members: dict[str, Any], where: str, prefix: str = "") -> None:
        self.members, self.where, self.prefix = members, where, prefix

    def wrong(self, name: str, wanted: str) -> TablebaseError:
        """Return the error that says what a member is and should be."""
        full = f"{self.prefix}{name}"
        if name not in self.members:
            return TablebaseError(f"{self.where} has no {full}")
        return TablebaseError(f"{self.where}: {full} is {_shown(self.members[name])}, not {wanted}")

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number within bounds."""
        value = self.members.get(name)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(name, f"a whole number from {least:,} to {most:,}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """Return a finite number within bounds."""
        value: Any = self.members.get(name)
        if type(value) not in (int, float) or not least <= value <= most:  # nor is it NaN
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """Return a text that can be shown: without control characters, and not too long."""
        value = self.members.get(name)
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise self.wrong(name, f"a text of up to {longest} characters that can be printed")
        return value

    def choice(self, name: str, known: Collection[str]) -> str:
        """Return a text that is one of several."""
        value = self.members.get(name)
        if not isinstance(value, str) or value not in known:
            raise self.wrong(name, f"one of {', '.join(known)}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.members.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def several(self, name: str, least: int, most: int) -> list[Any]:
        """Return a list of so many items, which are not looked at."""
        value = self.members.get(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.wrong(name, f"a list of {least:,} to {most:,} items")
        return value

    def inside(self, name: str) -> Fields:
        """Return an object's members."""
        value = self.members.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Fields(value, self.where, f"{self.prefix}{name}.")

    def items(self, name: str, least: int, most: int) -> list[Fields]:
        """Return the members of each object in a list of so many."""
        found = []
        for k, value in enumerate(self.several(name, least, most)):
            label = f"{name}[{k}]"
            if not isinstance(value, dict):
                raise Fields({label: value}, self.where, self.prefix).wrong(label, "an object")
            found.append(Fields(value, self.where, f"{self.prefix}{label}."))
        return found

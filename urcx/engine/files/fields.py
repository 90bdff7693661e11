"""JSON read from files, with every member checked as it is taken.

Whatever a file contains, a value that comes out has the requested type and range; otherwise a
`TablebaseError` names the file, the member and the fault.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from urcx.errors import TablebaseError
from urcx.reading import parse_json

LONGEST_TEXT = 200
SHOWN = 40  # characters of an invalid value in an error message


def read_json(data: bytes, where: str) -> Members:
    """Return the members of a JSON object; ``where`` names it in errors.

    Raises
    ------
    TablebaseError
        If it is not a JSON object that `urcx.reading.parse_json` reads.
    """
    try:
        found = parse_json(data)
    except ValueError as error:
        raise TablebaseError(f"{where} is damaged: {error}") from None
    if not isinstance(found, dict):
        raise TablebaseError(f"{where} is damaged: it is no JSON object")
    return Members(found, where)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)  # ASCII, without control characters
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


class Members:
    """The members of a JSON object.

    ``where`` names the object in errors, such as ``finkel.urcx: the header``; ``prefix`` precedes
    each member's name there. Each method takes a member's name and raises `TablebaseError` if the
    member is missing or invalid.
    """

    def __init__(self, members: dict[str, Any], where: str, prefix: str = "") -> None:
        self.members, self.where, self.prefix = members, where, prefix

    def wrong(self, name: str, wanted: str) -> TablebaseError:
        """Return the error that says what a member is and what it should be."""
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
        if type(value) not in (int, float) or not least <= value <= most:  # also rejects NaN
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """Return a text that is safe to print: without control characters and not too long."""
        value = self.members.get(name)
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise self.wrong(name, f"a text of up to {longest} characters that can be printed")
        return value

    def choice(self, name: str, known: Collection[str], default: str | None = None) -> str:
        """Return a text that is one of the known ones; without the member, the default if any."""
        value = self.members.get(name, default)
        if not isinstance(value, str) or value not in known:
            raise self.wrong(name, f"one of {', '.join(known)}")
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Return true or false; without the member, the default if there is one."""
        value = self.members.get(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def several(self, name: str, least: int, most: int) -> list[Any]:
        """Return a list whose length is within bounds; its items are not checked."""
        value = self.members.get(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.wrong(name, f"a list of {least:,} to {most:,} items")
        return value

    def inside(self, name: str) -> Members:
        """Return the members of a nested object."""
        value = self.members.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Members(value, self.where, f"{self.prefix}{name}.")

    def items(self, name: str, least: int, most: int) -> list[Members]:
        """Return the members of each object in a list whose length is within bounds."""
        found = []
        for k, value in enumerate(self.several(name, least, most)):
            label = f"{name}[{k}]"
            if not isinstance(value, dict):
                raise Members({label: value}, self.where, self.prefix).wrong(label, "an object")
            found.append(Members(value, self.where, f"{self.prefix}{label}."))
        return found

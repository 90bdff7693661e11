"""The wishes of the agent ``priority``, in the order of its name. Quick to import."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from urcx.errors import UsageError, WrongObjectError, check_name
from urcx.results.fields import Field
from urcx.results.tables import Column

SEPARATOR = ","
STEP = re.compile("[0-9]{1,2}")  # a wish to land on a step of the path


@dataclass(frozen=True)
class Wish:
    """A wish of the agent ``priority``: the moves that it prefers."""

    name: Annotated[str, Field("<wish", about="name of a wish")]
    title: Annotated[
        str, Field(Column("prefers moves that", text=True, least=16), about="the moves it prefers")
    ]


_ALL = (
    Wish("capture", "capture a piece"),
    Wish("capture-advanced", "capture a piece, the most advanced one if there are several"),
    Wish("rosette", "land on a rosette"),
    Wish("again", "grant a roll"),
    Wish("again-capture", "grant a roll, best the one that captures with the highest probability"),
    Wish("centre", "land on the centre rosette"),
    Wish("stay-centre", "leave the piece on the centre rosette there"),
    Wish("leave-centre", "move the piece on the centre rosette"),
    Wish("off", "bear a piece off"),
    Wish("enter", "enter a piece"),
    Wish("flee", "move the piece that the enemy's next roll captures with the highest probability"),
    Wish("safe", "end where the enemy's next roll cannot capture the piece"),
    Wish("haven", "end where no roll can ever capture the piece, such as home"),
    Wish("least-risk", "leave the enemy's next roll the lowest probability of any capture"),
    Wish("into-shared", "go to a shared tile from a private one or the pool"),
    Wish("out-of-shared", "go from a shared tile to a private one or home"),
    Wish("front", "move the most advanced piece"),
    Wish("back", "move the least advanced piece"),
)
WISHES = {wish.name: wish for wish in _ALL}


def as_wishes(wishes: str | Iterable[str], agent: str) -> tuple[str, ...]:
    """Return the wishes of an agent from its text, or from the names.

    Raises
    ------
    UnknownNameError
        If there is no such wish.
    UsageError
        If there is no wish, or a wish comes twice.
    """
    names = wishes.split(SEPARATOR) if isinstance(wishes, str) else wishes
    if not isinstance(names, Iterable):
        raise WrongObjectError("wishes", str, wishes, "a list of names such as ['capture', 'off']")
    result: list[str] = []
    for name in map(str, names):  # steps may be integers
        if not STEP.fullmatch(name):
            check_name("wish", name, WISHES)
        if name in result:
            raise UsageError(f"agent {agent!r}: {name!r} is a second wish of this name")
        result.append(name)
    if not result:
        raise UsageError(
            f"agent {agent!r}: the wishes are missing. Try: priority:capture,rosette,off"
        )
    return tuple(result)

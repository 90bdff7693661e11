"""The table of commands: each one's group in the help, and its function.

A module is imported when one of its commands is requested; the help that lists all commands imports
all modules but those of questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pkgutil import resolve_name
from typing import Any

import urcx
from urcx import contrib
from urcx.commands.questions import Question, command

# Group of the help -> command that is written out -> module in this room, and function.
WRITTEN: dict[str, dict[str, str]] = {
    "Play": {
        "play": "play:play",
        "explore": "explore:explore",
        "review": "play:review",
        "moves": "positions:moves",
        "show": "positions:show",
        "agents": "agents:agents_",
        "engine": "engine:engine",
    },
    "Solve": {
        "solve": "solve:solve",
        "probe": "solve:probe",
        "export": "solve:export",
    },
    "Count": {
        "compare": "count:compare",
        "ssc": "count:ssc",
        "reach": "count:reach",
        "paths": "count:paths",
        "enumerate": "count:enumerate_",
        "rank": "number:rank",
        "unrank": "number:unrank",
        "sample": "number:sample",
    },
    "Strategy": {
        "dice": "strategy:dice",
        "journey": "strategy:journey",
        "rush": "strategy:rush",
    },
    "Publish": {
        "verify": "publish:verify",
        "report": "publish:report",
        "cite": "cite:cite",
    },
    "More": {
        "cache": "cache:cache",
    },
}


def _groups() -> dict[str, dict[str, str | Question]]:
    """Return the commands of each group in the order of the help, questions where they say."""
    following = defaultdict(list)
    for name, module in urcx.MODULES.items():
        if name.islower():
            question = Question(module, name)
            following[question.help_after].append(question)

    def after(name: str) -> Iterator[tuple[str, Question]]:
        for question in following[name]:
            yield question.name, question
            yield from after(question.name)

    found: dict[str, dict[str, str | Question]] = {}
    for group, written in WRITTEN.items():
        found[group] = dict(after(group))
        for name, entry in written.items():
            found[group] |= {name: f"urcx.commands.{entry}", **dict(after(name))}
    studies = contrib.commands()
    return found | ({"Studies": {**studies}} if studies else {})


GROUPS = _groups()
COMMANDS = {name: entry for commands in GROUPS.values() for name, entry in commands.items()}
GROUP_OF = {name: group for group, commands in GROUPS.items() for name in commands}


def function(name: str) -> Callable[..., Any]:
    """Return the function of a command; imports its module.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    entry = COMMANDS[name]
    if isinstance(entry, Question):
        return command(entry)
    found: Callable[..., Any] = resolve_name(entry)
    return found


def summary(name: str) -> str:
    """Return the summary of a command, the first line of its docstring."""
    entry = COMMANDS[name]
    if isinstance(entry, Question):
        return entry.summary
    return (function(name).__doc__ or "").strip().split("\n")[0]

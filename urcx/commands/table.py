"""The table of commands: each one's group in the help, and its function."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from urcx import contrib

# Group of the help -> command -> its module here, with its function if that has another name.
CORE: dict[str, dict[str, str]] = {
    "Play": {
        "play": "play",
        "explore": "explore",
        "review": "play",
        "openings": "play",
        "match": "play",
        "moves": "play",
        "show": "play",
        "agents": "play:agents_",
        "engine": "play",
    },
    "Solve": {
        "solve": "solve",
        "check": "solve",
        "probe": "solve",
        "regret": "expectations",
        "mistakes": "expectations",
        "luck": "expectations",
        "export": "solve",
    },
    "Count": {
        "gtc": "expectations",
        "compare": "count",
        "ssc": "count",
        "forms": "count",
        "lengths": "expectations",
        "reach": "count",
        "perft": "count",
        "paths": "count",
        "enumerate": "count:enumerate_",
        "rank": "number",
        "unrank": "number",
        "sample": "number",
    },
    "Strategy": {
        "dice": "strategy",
        "journey": "strategy",
        "rush": "strategy",
        "gain": "strategy",
        "capture": "strategy",
    },
    "Publish": {
        "verify": "publish",
        "report": "publish",
        "cite": "publish",
    },
    "More": {
        "cache": "publish",
    },
}


GROUPS = {
    group: {
        name: f"urcx.commands.{module if ':' in module else f'{module}:{name}'}"
        for name, module in commands.items()
    }
    for group, commands in CORE.items()
}
if studies := contrib.commands():
    GROUPS["Studies"] = studies
COMMANDS = {name: entry for commands in GROUPS.values() for name, entry in commands.items()}
GROUP_OF = {name: group for group, commands in GROUPS.items() for name in commands}


def function(name: str) -> Callable[..., Any]:
    """Return the function of a command; imports its module.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    command: Callable[..., Any] = resolve_name(COMMANDS[name])
    return command


def summary(name: str) -> str:
    """Return the summary of a command, the first line of its docstring."""
    return (function(name).__doc__ or "").strip().split("\n")[0]

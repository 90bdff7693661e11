"""The table of commands: each one's group in the help, and its function.

A module is imported when one of its commands is requested; the help that lists all commands imports
all modules.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from urcx.commands.questions import Question, command

# Group of the help -> command -> module in this room, and function, in the order of the help. Where
# the module is of another room, the command follows from the function (`urcx.commands.questions`).
GROUPS: dict[str, dict[str, str]] = {
    "Play": {
        "play": "play:play",
        "explore": "explore:explore",
        "review": "play:review",
        "openings": "played.openings:openings",
        "puzzles": "played.puzzles:puzzles",
        "match": "games.match:match",
        "moves": "positions:moves",
        "show": "positions:show",
        "agents": "agents:agents_",
        "engine": "engine:engine",
    },
    "Solve": {
        "solve": "solve:solve",
        "probe": "solve:probe",
        "regret": "expectations.regret:regret",
        "mistakes": "expectations.mistakes:mistakes",
        "luck": "extremes.luck:luck",
        "bits": "bits:bits",
        "compress": "compress:compress",
        "export": "solve:export",
        "nalimov": "solving.michon.nalimov:nalimov",
    },
    "Count": {
        "gtc": "published.gtc:gtc",
        "ssc": "count:ssc",
        "lengths": "extremes.lengths:lengths",
        "shortest": "extremes.shortest:shortest",
        "longest": "extremes.longest:longest",
        "reach": "count:reach",
        "perft": "enumerate.perft:perft",
        "paths": "count:paths",
        "enumerate": "count:enumerate_",
        "rank": "number:rank",
        "unrank": "number:unrank",
        "sample": "number:sample",
        "conflicts": "count:conflicts",
    },
    "Strategy": {
        "dice": "strategy:dice",
        "journey": "journey:journey",
        "rush": "journey:rush",
        "gain": "strategy.gain:gain",
        "capture": "strategy.capture:capture",
    },
    "Publish": {
        "verify": "publish:verify",
        "report": "publish:report",
        "cite": "cite:cite",
        "rerun": "rerun:rerun",
    },
    "More": {
        "gamble": "gamble:gamble",
        "train": "learn:train",
        "cache": "cache:cache",
    },
}
GROUP_OF = {name: group for group, commands in GROUPS.items() for name in commands}


def function(name: str) -> Callable[..., Any]:
    """Return the function of a command; imports its module.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    entry = GROUPS[GROUP_OF[name]][name]
    module, _, attribute = entry.partition(":")
    if "." in module:
        return command(entry)
    found: Callable[..., Any] = getattr(import_module(f"urcx.commands.{module}"), attribute)
    return found


def summary(name: str) -> str:
    """Return the summary of a command, the first line of its docstring."""
    entry = GROUPS[GROUP_OF[name]][name]
    if "." in entry:
        return Question(entry).summary
    return (function(name).__doc__ or "").strip().split("\n")[0]

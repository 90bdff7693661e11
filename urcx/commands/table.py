"""The table of commands: each one's group in the help, and its function."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from urcx import contrib

# Group of the help -> command -> its module here, with its function if that has another name, and
# the first line of its docstring: the list of commands imports none of them.
CORE: dict[str, dict[str, tuple[str, str]]] = {
    "Count": {
        "gtc": ("expectations", "Play games and print game-tree complexity in every convention."),
        "compare": ("count", "Compare rule sets: states, win probability, length, game tree."),
        "ssc": ("count", "Count the states by every closed form, and by visiting each one."),
        "forms": ("count", "Print the closed forms as expressions, and prove them equal."),
        "lengths": ("expectations", "Compute how likely a game has each number of plies, exactly."),
        "reach": ("count", "Search all states reachable from the start, by depth."),
        "perft": ("count", "Count the game tree exactly: nodes and positions by depth."),
        "paths": ("count", "List paths, rule sets and dice, or draw a path on its board."),
        "enumerate": (
            "count:enumerate_",
            "Visit every diagram: list or count them, or check the numbering.",
        ),
        "rank": ("number", "Rank positions: print the number of each, one a line."),
        "unrank": ("number", "Unrank numbers: print the position of each, one a line."),
        "sample": ("number", "Draw uniformly distributed random positions."),
    },
    "Solve": {
        "solve": ("solve", "Solve a rule set: every position's value, with proven bounds."),
        "check": ("solve", "Check a solution: its bytes, the residual of a sweep, ties."),
        "probe": ("solve", "Look positions up in a solution: value and best moves."),
        "regret": ("expectations", "Compute what agents give away against perfect play, exactly."),
        "mistakes": (
            "expectations",
            "Find the decisions that cost an agent most in its games, exactly.",
        ),
        "luck": ("expectations", "Split what moves the chance of winning into dice and decisions."),
        "export": ("solve", "Write a tablebase in RoyalUr-Java's format, .rgu."),
    },
    "Play": {
        "play": ("play", "Play a game in the terminal, or watch two agents."),
        "explore": ("explore", "Open the game in the browser: board, values, games, counts."),
        "review": ("play", "Review games: chances at every ply, mistakes, luck and skill."),
        "openings": ("play", "Find the best reply to every sequence of rolls."),
        "match": ("play", "Play every two agents against each other: shares of wins."),
        "moves": ("play", "List the legal moves of a position, for one roll or for all."),
        "show": ("play", "Draw a position on its board."),
        "agents": ("play:agents_", "List the agents that play: depth, leaf value and tie rule."),
        "engine": ("play", "Play for other programs, by the protocol of engines."),
    },
    "Strategy": {
        "dice": ("strategy", "Print exact chances of rolls, of sequences, sums and counts."),
        "journey": ("strategy", "Print the expected rolls and turns of a piece to each step."),
        "rush": ("strategy", "Print the chance to rush a piece home in one turn, exactly."),
        "gain": ("strategy", "Print the gain of sequences, as Raposo and Lamont define it."),
        "capture": ("strategy", "Print the exact chances that pieces are captured, now or ever."),
    },
    "Publish": {
        "verify": ("publish", "Check the published figures: which hold, which do not, and why."),
        "report": (
            "publish",
            "Write one page of at most ten sheets: tables, figures and verdicts.",
        ),
        "cite": ("publish", "Print references in BibTeX: urcx, sources, conventions, forms."),
    },
    "More": {
        "cache": ("publish", "List and clear what is kept: kernels, levels, solved games."),
    },
}

GROUPS = {
    group: {
        name: (f"urcx.commands.{module if ':' in module else f'{module}:{name}'}", line)
        for name, (module, line) in commands.items()
    }
    for group, commands in CORE.items()
}
if studies := contrib.commands():
    GROUPS["Studies"] = studies
COMMANDS = {name: entry for commands in GROUPS.values() for name, (entry, _) in commands.items()}
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

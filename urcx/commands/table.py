"""The table of commands: the group of each command in the help, and its function."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from urcx import contrib

# Group of the help -> command -> its module in this package, with the function if that has another
# name, and the first line of the function's docstring. So the list of commands imports no command.
CORE: dict[str, dict[str, tuple[str, str]]] = {
    "Count": {
        "gtc": (
            "expectations",
            "Play games and print game-tree complexity in every convention.",
        ),
        "compare": ("count", "Compare rule sets: states, win probability, length, game tree."),
        "ssc": ("count", "Count the states by every closed form, and by visiting each one."),
        "forms": ("count", "Print the closed forms as expressions, and prove them equal."),
        "lengths": (
            "expectations",
            "Compute the exact probability of each length of a game, in plies.",
        ),
        "reach": ("count", "Find all states reachable from the start, by depth."),
        "perft": ("count", "Count the game tree exactly: nodes and positions by depth."),
        "paths": ("count", "List paths, rule sets and dice, or draw a path on its board."),
        "enumerate": (
            "count:enumerate_",
            "Visit every configuration: list or count them, or check ranks.",
        ),
        "rank": ("number", "Rank positions: print the rank of each, one per line."),
        "unrank": ("number", "Unrank numbers: print the position of each rank, one per line."),
        "sample": ("number", "Draw uniformly distributed random positions."),
    },
    "Solve": {
        "solve": ("solve", "Solve a rule set: the value of every position, with proven bounds."),
        "check": ("solve", "Check a solution: checksums, the residual of a sweep, ties."),
        "probe": ("solve", "Look up positions in a solution: value and best moves."),
        "regret": (
            "expectations",
            "Compute exactly how much agents lose compared with optimal play.",
        ),
        "mistakes": (
            "expectations",
            "Find the decisions in which an agent loses most per game, exactly.",
        ),
        "luck": ("expectations", "Split the movement in win probability into dice and decisions."),
        "export": ("solve", "Convert a tablebase to RoyalUr-Java's format, .rgu."),
    },
    "Play": {
        "play": ("play", "Play a game in the terminal, or watch two agents."),
        "explore": ("explore", "Open the game in the browser: board, values, games, counts."),
        "review": ("play", "Review games: win probability at every ply, mistakes, luck, skill."),
        "openings": ("play", "Find the best reply to every sequence of rolls."),
        "match": ("play", "Play agents against each other for win rates and Elo ratings."),
        "moves": ("play", "List the legal moves of a position, for one roll or for all."),
        "show": ("play", "Draw a position on its board."),
        "agents": (
            "play:agents_",
            "List the agents: how each chooses, looks ahead and breaks ties.",
        ),
        "engine": ("play", "Play for another program, by the engine protocol."),
    },
    "Strategy": {
        "dice": ("strategy", "Print exact probabilities of rolls, sequences, sums and counts."),
        "journey": ("strategy", "Print the expected rolls and turns of a piece to each step."),
        "rush": ("strategy", "Print the probability of rushing a piece home in one turn."),
        "gain": ("strategy", "Print the gain of sequences, as Raposo and Lamont define it."),
        "capture": ("strategy", "Print the exact probabilities that pieces are captured."),
    },
    "Publish": {
        "verify": ("publish", "Check the published figures: which hold, which do not, and why."),
        "report": (
            "publish",
            "Write a report of at most ten pages: tables, figures and verdicts.",
        ),
        "cite": ("publish", "Print references in BibTeX: urcx, sources, conventions, forms."),
    },
    "More": {
        "cache": ("publish", "List or clear cached kernels and value tables, and saved solutions."),
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
    """Return the function of a command, and import its module.

    Raises
    ------
    KeyError
        If there is no command of this name.
    """
    command: Callable[..., Any] = resolve_name(COMMANDS[name])
    return command

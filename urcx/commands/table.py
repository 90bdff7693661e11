"""The table of commands: the group of each command in the help, and its function."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from urcx import contrib

RESEARCH = "Research"  # the last group, whose commands the help only names

# Group of the help -> command -> its module in this package, with the function if that has another
# name, and the first line of the function's docstring. So the list of commands imports no command.
CORE: dict[str, dict[str, tuple[str, str]]] = {
    "Play": {
        "play": ("play", "Play a game in the terminal, or watch two agents."),
        "explore": ("explore", "Open the game in the browser: board, values, games, counts."),
        "review": ("play", "Review games: win probability at every ply, mistakes, luck, skill."),
        "match": ("play", "Play agents against each other for win rates and Elo ratings."),
        "moves": ("play", "List the legal moves of a position, for one roll or for all."),
        "show": ("play", "Draw a position on its board."),
        "agents": (
            "play:agents_",
            "List the agents: how each chooses, looks ahead and breaks ties.",
        ),
    },
    "Solve": {
        "solve": ("solve", "Solve a rule set: the value of every position, with proven bounds."),
        "probe": ("solve", "Look up positions in a solution: value and best moves."),
        "mistakes": (
            "expectations",
            "Find the decisions in which an agent loses most per game, exactly.",
        ),
        "luck": ("expectations", "Split the movement in win probability into dice and decisions."),
    },
    "Measure": {
        "ssc": ("count", "Count the states by every closed form, and by visiting each one."),
        "gtc": (
            "expectations",
            "Play games and print game-tree complexity in every convention.",
        ),
        "compare": ("count", "Compare rule sets: states, win probability, length, game tree."),
        "paths": ("count", "List paths, rule sets and dice, or draw a path on its board."),
        "dice": ("strategy", "Print exact probabilities of rolls, sequences, sums and counts."),
        "verify": ("publish", "Check the published figures: which hold, which do not, and why."),
        "report": (
            "publish",
            "Write a report of at most ten pages: tables, figures and verdicts.",
        ),
    },
    RESEARCH: {
        "forms": ("count", "Print the closed forms as expressions, and prove them equal."),
        "lengths": (
            "expectations",
            "Compute the exact probability of each length of a game, in plies.",
        ),
        "reach": ("count", "Find all states reachable from the start, by depth."),
        "perft": ("count", "Count the game tree exactly: nodes and positions by depth."),
        "enumerate": (
            "count:enumerate_",
            "Visit every configuration: list or count them, or check ranks.",
        ),
        "rank": ("number", "Rank positions: print the rank of each, one per line."),
        "unrank": ("number", "Unrank numbers: print the position of each rank, one per line."),
        "sample": ("number", "Draw uniformly distributed random positions."),
        "check": ("solve", "Check a solution: checksums, the residual of a sweep, ties."),
        "regret": (
            "expectations",
            "Compute exactly how much agents lose compared with optimal play.",
        ),
        "export": ("solve", "Convert a tablebase to RoyalUr-Java's format, .rgu."),
        "openings": ("play", "Find the best reply to every sequence of rolls."),
        "engine": ("play", "Play for another program, by the engine protocol."),
        "journey": ("strategy", "Print the expected rolls and turns of a piece to each step."),
        "rush": ("strategy", "Print the probability of rushing a piece home in one turn."),
        "gain": ("strategy", "Print the gain of sequences, as Raposo and Lamont define it."),
        "capture": ("strategy", "Print the exact probabilities that pieces are captured."),
        "cite": ("publish", "Print references in BibTeX: urcx, sources, conventions, forms."),
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
GROUPS[RESEARCH] |= contrib.commands()
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

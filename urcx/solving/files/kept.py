"""Saved solutions: the files in which ``urcx solve`` saves games, and the search for them.

There is one file for each game, the tablebase that was solved last, in the user's data directory
(`urcx.engine.files.cache.solved_directory`). The file's name has a hash of everything that defines
the game in the header of a tablebase. So a rule set of a user's own file is found like a built-in
one, and under any name. The file and its rules are checked like any other tablebase. Because the
user has not named the file, the file is used only if nobody else can have written it
(`urcx.engine.files.writing`), and if it is not a link.

A file appears when it is complete (`urcx.engine.files.writing`). Until then its layers are in a
directory next to it, and an interrupted run resumes from them. Only one run at a time may write
there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from urcx.complexity import tiles
from urcx.engine.costs import SOLVED, SOLVED_BY_TILES, Cost, WorkEstimate, duration, estimate, fewer
from urcx.engine.files.cache import listed, solved_directory, solved_entries, warn_once
from urcx.engine.files.writing import checked_writing, make_directory, open_own, refusal
from urcx.engine.memory import size_text
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import TablebaseError, TooLargeError, UnusableFileError
from urcx.results.numbers import count_text
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.header import ITEM, describe_rules, digest
from urcx.solving.files.work import work_directory
from urcx.solving.general.solver import general_memory
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import order_of

MOST_ON_THE_FLY = 3_000_000  # states of a game that is solved each time its solution is needed
COARSEST = 1e-9  # tolerance of saved solutions: results need no warning about such bounds
SUFFIX = ".urcx"


def place_of(rules: RuleSet) -> Path:
    """Return the file in which the solution of a game is saved, whether it exists or not."""
    directory, end = solved_directory(), _end(rules)
    matches = (file for file in listed(directory) if file.name.endswith(end))
    return next(matches, directory / f"{rules.name}{end}")


def _end(rules: RuleSet) -> str:
    """Return the end of the names of files with the solution of a game."""
    return f"-{rules.pieces}-{digest(describe_rules(rules) | {'name': ''})}{SUFFIX}"


def is_place(file: Path) -> bool:
    """Return whether a file is, or would be, in the directory of solved games."""
    return file.parent == solved_directory()


def make_place(file: Path) -> None:
    """Make the directory of solved games if a file is to be written there.

    Raises
    ------
    TablebaseError
        If the directory cannot be made, others may write to it, or the file is a link.
    """
    if not is_place(file):
        return
    if why := refusal(file.parent):
        raise TablebaseError(f"cannot write {file.parent}: {why}")
    with checked_writing(file.parent):
        make_directory(file.parent)
    for place in (file, work_directory(file)):
        if place.is_symlink():
            raise TablebaseError(f"cannot write {place}: it is a link. Remove it")


def saved_solution(rules: RuleSet) -> Path | None:
    """Return the file with the saved solution of a game, or None.

    A directory that belongs to another user, for example through HOME, is ignored.
    """
    if layer_obstacle(rules):
        return None
    file = place_of(rules)
    return file if _is_trusted(file) else None


def saved_solutions() -> list[Path]:
    """Return the files of all saved solutions, the newest first."""
    entries = [entry for entry in solved_entries() if entry.name.endswith(".urcx")]
    entries.sort(key=lambda entry: -entry.written)
    return [entry.files[0] for entry in entries if _is_trusted(entry.files[0])]


def latest_solution() -> Path | None:
    """Return the newest file of the saved solutions, or None."""
    return next(iter(saved_solutions()), None)


def _is_trusted(file: Path) -> bool:
    """Return whether a file exists and nobody else can have written it. If not, warn once."""
    if not os.path.lexists(file):
        return False
    why = refusal(file.parent)
    if why is None:
        try:
            open_own(file).close()
        except OSError as error:
            why = error.strerror or str(error)
    if why:
        warn_once(f"the solution in {file} is not used, because {why}")
    return not why


def find_solution(rules: RuleSet) -> Path | None:
    """Return the file with the saved solution of a game, or None if a small game has none.

    Raises
    ------
    TooLargeError
        If a larger game has no saved solution. The message has the command that solves the game,
        and its cost.
    """
    result = saved_solution(rules)
    if result is None:
        check_on_the_fly(rules)
    return result


def solution_named(rules: RuleSet) -> Path:
    """Return the file with a rule set's saved solution, or raise `UnusableFileError`."""
    result = saved_solution(rules)
    if result is None:
        raise UnusableFileError(f"{_not_solved(rules)}. {solve_command(rules)}")
    return result


def check_on_the_fly(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a game is too large to be solved each time it is needed."""
    if not can_be_solved(rules):
        raise TooLargeError(f"{_not_solved(rules)}. {solve_command(rules)}")


def _not_solved(rules: RuleSet) -> str:
    return f"{rules.name} with {count_text(rules.pieces, 'piece')} is not solved yet"


def can_be_solved(rules: RuleSet) -> bool:
    """Return whether a game is small enough to be solved each time its solution is needed."""
    return _states(rules) <= MOST_ON_THE_FLY


def _states(rules: RuleSet) -> int:
    kind = "positions" if layer_obstacle(rules) else "diagrams, finished left out"
    return tiles.conventions(rules.path, rules.pieces)[kind]


def solve_command(rules: RuleSet, begin: str = "Solve it first") -> str:
    """Return the advice to solve and save a game: the command, its cost, and the Python call.

    The command does not ask, so it works in scripts. ``begin`` is the beginning of the sentence.
    """
    if layer_obstacle(rules):
        return f"The path {rules.path.name} cannot have a tablebase: take fewer pieces"
    built_in = catalogue.catalogue().rules.get(rules.name)
    command = f"urcx solve --rules {rules.name}"
    own = built_in is None or not built_in.plays_like(replace(rules, pieces=built_in.pieces))
    in_python = "rules" if own else f'"{rules.name}"'
    if own:
        command += " --path-file FILE"
    if built_in is None or built_in.pieces != rules.pieces:
        command += f" -p {rules.pieces}"
        in_python = in_python if own else f"urcx.ruleset({in_python}, pieces={rules.pieces})"
    # The cost leaves out memory, because an estimate takes seconds: it numbers the layers.
    states = tiles.unfinished(rules.path, rules.pieces)
    time = duration(estimate("", (states, SOLVED), threads=None).seconds)
    size = size_text(2 * states * ITEM["f64"])
    return (
        f"{begin} (about {time}, {size} of disk while it runs): {command} --yes; in Python: "
        f"urcx.solve({in_python}, True)"
    )


def solving(rules: RuleSet, threads: int | None = None, item: int | None = None) -> WorkEstimate:
    """Estimate the work of a solution, with a file if ``item``, the size of a value, is not 0."""
    states = tiles.unfinished(rules.path, rules.pieces)
    if layer_obstacle(rules):
        threads, each, memory = 1, SOLVED_BY_TILES, general_memory(states)
    else:
        each, memory = SOLVED, memory_needed(order_of(rules))
    return estimate(
        f"solving {states:,} states of {rules.name}",
        (states, each),
        (states if item else 0, Cost(disk=8 + (item or 0))),  # the file, and its layers until then
        threads=threads,
        memory=memory,
        advice=fewer(rules.pieces),
    )


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Add the command that makes a file again to its errors, if it is a saved solution."""
    try:
        yield
    except TablebaseError as error:
        if not is_place(file):
            raise
        name, pieces, *_ = [*file.name.rsplit("-", 2), ""]
        raise type(error)(
            f"{error}. Make it again with urcx solve --rules {name} -p {pieces} --yes"
        ) from None


def check_named(file: Path, rules: RuleSet) -> None:
    """Raise `TablebaseError` if a saved solution belongs to another game than its name says."""
    if is_place(file) and not file.name.endswith(_end(rules)):
        raise TablebaseError(f"{file} has the wrong name: it is a solution of {rules.with_pieces}")


def saved_solution_note(file: Path) -> str:
    """Return the note that a saved solution is used."""
    return f"used the saved solution {file}"

"""Solved games: where ``urcx solve`` keeps them, and how whatever needs a solution finds it.

There is one file for each game, the tablebase that was solved last, in the user's data directory
(`urcx.engine.files.cache.solved_directory`). It is found by what defines the game, as the header of
a tablebase describes it: rule sets of a user's own file are found as the built-in ones are, and
under whatever name. It is checked as any other tablebase is, and so are its rules. Because no user
has named the file, nobody else may have written it either (`urcx.engine.files.writing`), and it is
not a link.

A file appears when it is complete (`urcx.engine.files.writing`). Until then its layers lie beside
it, from which an interrupted run goes on; one run at a time may write to them.
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

MOST_ON_THE_FLY = 3_000_000  # states of a game that is solved whenever its solution is needed
COARSEST = 1e-9  # tolerance of what urcx solve keeps: nobody has to be told of such bounds
SUFFIX = ".urcx"


def place_of(rules: RuleSet) -> Path:
    """Return the file in which the solution of a game is kept; it need not exist."""
    directory, end = solved_directory(), _end(rules)
    found = (file for file in listed(directory) if file.name.endswith(end))
    return next(found, directory / f"{rules.name}{end}")


def _end(rules: RuleSet) -> str:
    """Return how the names of files with the solution of a game end."""
    return f"-{rules.pieces}-{digest(describe_rules(rules) | {'name': ''})}{SUFFIX}"


def is_place(file: Path) -> bool:
    """Return whether a file is, or would be, in the directory of solved games."""
    return file.parent == solved_directory()


def make_place(file: Path) -> None:
    """Make the directory of solved games if a file is to be written there.

    Raises
    ------
    TablebaseError
        If it cannot be made, others may write to it, or there is a link where urcx would write.
    """
    if not is_place(file):
        return
    if why := refusal(file.parent):
        raise TablebaseError(f"cannot write {file.parent}: {why}")
    with checked_writing(file.parent):
        make_directory(file.parent)
    for place in (file, work_directory(file)):
        if place.is_symlink():
            raise TablebaseError(f"cannot write {place}: it is a link; remove it")


def saved_solution(rules: RuleSet) -> Path | None:
    """Return the file with the solution of a game; None if it is not kept.

    A directory of another user, as with HOME of another, has nothing.
    """
    if layer_obstacle(rules):
        return None
    file = place_of(rules)
    return file if _is_trusted(file) else None


def saved_solutions() -> list[Path]:
    """Return the files of all solved games that are kept, that of the game solved last first."""
    entries = [entry for entry in solved_entries() if entry.state == "kept"]
    entries.sort(key=lambda entry: -entry.written)
    return [entry.files[0] for entry in entries if _is_trusted(entry.files[0])]


def latest_solution() -> Path | None:
    """Return the file of the game that was solved last, of those kept; None if there is none."""
    return next(iter(saved_solutions()), None)


def _is_trusted(file: Path) -> bool:
    """Return whether a file exists that nobody else can have written; warn once about any other."""
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
    """Return the file with the solution of a game; None if it is not kept, but solved at once.

    Raises
    ------
    TooLargeError
        If it is neither kept nor small; the message has the command that solves it, and its cost.
    """
    result = saved_solution(rules)
    if result is None:
        check_on_the_fly(rules)
    return result


def solution_named(rules: RuleSet) -> Path:
    """Return the file with a rule set's solution; raises `UnusableFileError` if none is kept."""
    result = saved_solution(rules)
    if result is None:
        raise UnusableFileError(
            f"no solution of {rules.name} with {count_text(rules.pieces, 'piece')} is kept; "
            f"{solve_command(rules)}"
        )
    return result


def check_on_the_fly(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a game is too large to be solved whenever that is needed."""
    if not can_be_solved(rules):
        raise TooLargeError(
            f"no solution of {rules.name} with {count_text(rules.pieces, 'piece')} is kept, "
            f"and its "
            f"{_states(rules):,} states are too many to solve at once; {solve_command(rules)}"
        )


def can_be_solved(rules: RuleSet) -> bool:
    """Return whether a game is small enough to be solved whenever that is needed."""
    return _states(rules) <= MOST_ON_THE_FLY


def _states(rules: RuleSet) -> int:
    kind = "positions" if layer_obstacle(rules) else "diagrams, finished left out"
    return tiles.conventions(rules.path, rules.pieces)[kind]


def solve_command(rules: RuleSet) -> str:
    """Return what to do once to have a game's solution from then on, and what that takes.

    The command does not ask, so that it works in scripts.
    """
    if layer_obstacle(rules):
        return f"there are no tablebases of the path {rules.path.name}; take fewer pieces"
    known = catalogue.catalogue().rules.get(rules.name)
    command = f"urcx solve --rules {rules.name}"
    if known is None or not known.plays_like(replace(rules, pieces=known.pieces)):
        command += " --path-file FILE"
    if known is None or known.pieces != rules.pieces:
        command += f" -p {rules.pieces}"
    # Memory, for which layers are numbered, takes seconds to tell.
    states = tiles.unfinished(rules.path, rules.pieces)
    time = duration(estimate("", (states, SOLVED), threads=None).seconds)
    takes = f"about {time}, {size_text(states * ITEM['f64'])} on disk, twice that meanwhile"
    return f"solve it once: {command} --yes ({takes}), in Python urcx.solve(rules, True)"


def solving(rules: RuleSet, threads: int | None = None, item: int | None = None) -> WorkEstimate:
    """Estimate a solution; ``item`` is the size of a value where it is written to a file."""
    states = tiles.unfinished(rules.path, rules.pieces)
    if layer_obstacle(rules):
        threads, each, memory = 1, SOLVED_BY_TILES, general_memory(states)
    else:
        each, memory = SOLVED, memory_needed(order_of(rules))
    return estimate(
        f"solving {states:,} states of {rules.name}",
        (states, each),
        (states if item else 0, Cost(disk=8 + (item or 0))),  # the file, and its layers meanwhile
        threads=threads,
        memory=memory,
        advice=fewer(rules.pieces),
    )


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Let errors of a file say what mends it, if it is in the directory of solved games."""
    try:
        yield
    except TablebaseError as error:
        if not is_place(file):
            raise
        name, pieces, *_ = [*file.name.rsplit("-", 2), ""]
        raise type(error)(
            f"{error}; urcx solve --rules {name} -p {pieces} --yes writes it again"
        ) from None


def check_named(file: Path, rules: RuleSet) -> None:
    """Raise `TablebaseError` if a file in the directory of solved games is of another game."""
    if is_place(file) and not file.name.endswith(_end(rules)):
        raise TablebaseError(f"{file} is of {rules.with_pieces}: another game than its name says")


def saved_solution_note(file: Path) -> str:
    """Return the note that a kept solution is used."""
    return f"solved before: {file}"

"""The state of a running explorer: rule sets, tablebases, solved games and agents.

Rule sets have names, and come from the catalogue, a user's file, and tablebases. Win probabilities
come from a tablebase, which was opened at the start or saved when the game was solved, or from a
small game that a background thread has solved in memory. A separate process solves larger games, so
no request waits for a solution. Until a game is solved, a network that comes with urcx estimates
its win probabilities.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from urcx.engine.files.cache import solved_directory
from urcx.engine.memory import size_text
from urcx.engine.threads import Stage, Threads, no_progress
from urcx.errors import TablebaseError, UrcxError
from urcx.explore.players import Players
from urcx.explore.schema import MOST_PIECES, PositionRequest, RefusedError, RulesRequest
from urcx.explore.whole import SolvingProcess, can_be_kept, offer
from urcx.game import Game
from urcx.played.values import Estimates, SolvedGame, network_estimates
from urcx.results.numbers import count_text
from urcx.rules import catalogue
from urcx.rules.catalogue import RuleSources
from urcx.rules.load import Catalogue
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position
from urcx.solving.files.kept import can_be_solved, saved_solution, solve_command
from urcx.solving.files.tablebase import Tablebase, open_tablebase
from urcx.solving.probing import OpenSolution

MOST_SOLVED = 6  # games in memory, each of at most three million states
FIRST = "finkel"  # if the command line names no file
WHOLE = "the whole game: urcx solve --rules finkel --yes, then urcx explore"


@dataclass(frozen=True)
class PageGame:
    """The win probabilities of a rule set, or the way to get them.

    ``state`` is one of

    - ``known``
    - ``solving``, with the progress as ``share``
    - ``solvable``, if a request can have the game solved
    - ``unknown``

    In the last three states ``message`` is one line for people, and there may be ``estimates``.

    For a ``solvable`` game, ``rules`` are the rules to solve, and ``error`` is the reason why the
    last attempt failed. ``stops`` is whether a request can stop the solving, and ``seconds_left``
    the estimated time until its end. ``solved`` is the greatest smaller number of pieces with which
    the game is solved, or 0.
    """

    state: str
    solution: OpenSolution | None = None
    share: float | None = None
    message: str = ""
    estimates: Estimates | None = None
    rules: RuleSet | None = None
    error: str = ""
    stops: bool = False
    solved: int = 0
    seconds_left: float | None = None

    @property
    def chances(self) -> OpenSolution | None:
        """Return the solution, or else the estimates, or None if there are neither."""
        return self.solution or self.estimates

    @property
    def bound(self) -> float | None:
        """Return the error bound of the win probabilities, or None if no bound is proven."""
        return None if self.solution is None else self.solution.bound

    def members(self) -> dict[str, Any]:
        """Return the fields that several answers contain."""
        file = None if self.solution is None else self.solution.file
        source = None if self.estimates is None else "network"
        if self.solution is not None:
            source = "solved" if file is None else "tablebase"
        work = None if self.rules is None else offer(self.rules)
        partial = work is not None and work.kept > 0  # from a run that was stopped
        return {
            "state": self.state,
            "source": source,
            "file": None if file is None else file.name,
            "bound": self.bound,
            "share": work.share if work and partial else self.share,
            "kept": size_text(work.kept) if work and partial else None,
            "message": self.message or None,
            "error": self.error or None,
            "stops": self.stops,
            "seconds_left": self.seconds_left,
            "estimates": None if self.estimates is None else self.estimates.about,
            "at_once": self.rules is not None and can_be_solved(self.rules),
            "takes": None if work is None else work.takes,
            "fits": None if work is None else work.fits,
            "most_pieces": None if work is None else work.pieces,
            "solved_pieces": self.solved,
        }


@dataclass
class _Solving:
    """The progress of solving a small game, or the error that ended it."""

    done: int = 0
    total: int = 0
    error: str = ""

    def stage(self, _label: str, total: int, _unit: str) -> Callable[[int], None]:
        """Begin a stage. The signature is that of `urcx.engine.threads.Stage`."""
        self.done, self.total = 0, total

        def update(done: int) -> None:
            self.done = done

        return update


class Explorer:
    """Rule sets, solutions and agents, from which all answers are computed.

    Parameters
    ----------
    bases
        Open tablebases.
    full
        The catalogue with a user's entries, by default the built-in catalogue.
    agents
        More agents, written as on the command line.
    solves
        Whether requests may start to solve large games, which takes memory and disk space of this
        machine.
    """

    def __init__(
        self,
        bases: Sequence[Tablebase] = (),
        full: Catalogue | None = None,
        agents: Sequence[str] = (),
        *,
        solves: bool = True,
    ) -> None:
        entries = catalogue.catalogue() if full is None else full
        self.bases = tuple(bases)
        self._names: dict[str, RuleSet] = dict(entries.rules)
        self._paths = entries.paths
        self._own = catalogue.only_own(entries)
        self._base_rules = [self._enter(base.rules) for base in self.bases]
        self.players = Players(agents)
        self.solves = solves
        self._saved: dict[RuleSet, Tablebase] = {}  # solved earlier, and opened when needed
        self._process: SolvingProcess | None = None
        self._errors: dict[RuleSet, str] = {}  # of the last process, or of a saved tablebase
        self._solved: dict[RuleSet, SolvedGame] = {}
        self._solving: dict[RuleSet, _Solving] = {}
        self._lock = threading.Lock()
        self._solver = Threads(1)

    def without_directories(self, message: str) -> str:
        """Return a message without the directories of files."""
        names = {str(base.file): base.file.name for base in self.bases} | self.players.names
        names[f"{solved_directory()}{os.sep}"] = ""
        for place, name in names.items():
            message = message.replace(place, name)
        return message

    # --- rule sets and paths

    @property
    def rules(self) -> list[RuleSet]:
        """Return the rule sets, each once, with their usual numbers of pieces."""
        return list(dict.fromkeys(self._names.values()))

    @property
    def paths(self) -> list[Path]:
        """Return the paths, each once, including paths that only a tablebase has."""
        names = {path.name: path for path in self._paths.values()}
        for rules in self.rules:
            names.setdefault(rules.path.name, rules.path)
        return list(names.values())

    @property
    def tablebases(self) -> list[tuple[Tablebase, RuleSet]]:
        """Return the open tablebases, each with its rules under the explorer's names."""
        return list(zip(self.bases, self._base_rules, strict=True))

    @property
    def first(self) -> RuleSet:
        """Return the rule set with which the page opens."""
        return self._base_rules[0] if self.bases else self._names[FIRST]

    def ruleset(self, name: str, pieces: int | None = None) -> RuleSet:
        """Look up a rule set by name, by default with its usual number of pieces.

        Raises
        ------
        UnknownNameError
            If no rule set has this name.
        RefusedError
            If the number of pieces is not from 1 to `MOST_PIECES`.
        """
        rules = catalogue.lookup("rule set", self._names, name)
        number = rules.pieces if pieces is None else pieces
        if not 1 <= number <= MOST_PIECES:
            raise RefusedError(f"pieces {number}: must be from 1 to {MOST_PIECES}")
        return replace(rules, pieces=number)

    def requested_rules(self, request: RulesRequest) -> RuleSet:
        """Return the rule set that a request names, by default the one with which the page opens.

        A tablebase's number of pieces is the default only for its rule set. All other rule sets
        have their usual numbers of pieces.
        """
        if request.rules is None and request.pieces is None:
            return self.first
        name = self.first.name if request.rules is None else request.rules
        return self.ruleset(name, request.pieces)

    def requested_game(self, request: PositionRequest) -> Game:
        """Return the position that a request names, by default the start."""
        return Game(self.requested_rules(request), request.position)

    def sources(self, rules: RuleSet | None) -> RuleSources:
        """Return the sources of the rules of a game in notation.

        ``rules`` are the rules of the request, for texts that do not name any.
        """
        base = rules or (self._base_rules[0] if self.bases else None)
        return RuleSources(tablebase=base, own=self._own, known=self._names)

    def path(self, name: str) -> Path:
        """Look up a path by name, or raise `UnknownNameError` if no path has it."""
        names = {path.name: path for path in self.paths}
        return catalogue.lookup("path", {**names, **self._paths}, name)

    def named(self, rules: RuleSet) -> RuleSet | None:
        """Return the explorer's rule set that plays like another one, or None."""
        namesake = self._names.get(rules.name)
        for entry in ([] if namesake is None else [namesake]) + self.rules:
            same_size = replace(entry, pieces=rules.pieces)
            if same_size.plays_like(rules):
                return same_size
        return None

    def _enter(self, rules: RuleSet) -> RuleSet:
        """Return a tablebase's rules under the explorer's names. Enter them if they are new."""
        entry = self.named(rules)
        if entry is not None:
            return entry
        name, number = rules.name, 2
        while name in self._names:
            name, number = f"{rules.name}-{number}", number + 1
        path_name = rules.path.name if rules.path.name in self._paths else f"path of {name}"
        entry = replace(rules, name=name, path=replace(rules.path, name=path_name))
        self._names[name] = entry
        return entry

    # --- win probabilities

    def known(self, rules: RuleSet) -> PageGame:
        """Return the win probabilities of a rule set, or the way to get them."""
        for base, entry in self.tablebases:
            if entry.plays_like(rules):
                return PageGame("known", base)
        with self._lock:
            solved, solving = self._solved.get(rules), self._solving.get(rules)
            process = self._running(rules)
            solution = solved or (None if process else self._saved_solution(rules))
        if solution is not None:
            return PageGame("known", solution)
        return self._unknown(rules, process, solving)

    def _unknown(
        self, rules: RuleSet, process: SolvingProcess | None, solving: _Solving | None
    ) -> PageGame:
        """Return the estimates for an unsolved game, the progress of solving it, or a remedy."""
        pieces, estimates = count_text(rules.pieces, "piece"), network_estimates(rules)
        about = f"the win probabilities of {rules.name} with {pieces} are not known"
        if process is not None:
            left = process.left()
            message = f"{about} yet: being solved{left and ', '}{left}"
            return PageGame(
                "solving", None, process.share, message, estimates,
                stops=True, seconds_left=process.seconds_left(),
            )  # fmt: skip
        if solving is not None and solving.error:
            return PageGame("unknown", message=f"{about}: {solving.error}", estimates=estimates)
        if solving is not None:
            share = solving.done / solving.total if solving.total else 0.0
            message = f"{about} yet: being solved"
            return PageGame("solving", None, min(share, 1.0), message, estimates)
        solved = self._solved_pieces(rules)
        if can_be_solved(rules) or (self.solves and can_be_kept(rules)):
            message = f"{about} yet. Solve the game with POST /api/values"
            error = self.without_directories(self._errors.get(rules, ""))
            return PageGame("solvable", None, None, message, estimates, rules, error, solved=solved)
        message = f"{about}. {solve_command(rules)}"
        return PageGame("unknown", message=message, estimates=estimates, solved=solved)

    def _solved_pieces(self, rules: RuleSet) -> int:
        """Return the greatest smaller number of pieces with which a game is solved, or 0."""
        for number in range(rules.pieces - 1, 0, -1):
            fewer = replace(rules, pieces=number)
            if (
                any(entry.plays_like(fewer) for entry in self._base_rules)
                or saved_solution(fewer) is not None
            ):
                return number
        return 0

    def _running(self, rules: RuleSet) -> SolvingProcess | None:
        """Return the process that is solving a rule set, or None. The caller holds the lock."""
        process = self._process
        if process is None or process.rules != rules:
            return None
        if process.running():
            return process
        self._process = None
        self._errors[rules] = process.error
        return None

    def _saved_solution(self, rules: RuleSet) -> Tablebase | None:
        """Return the saved tablebase of a rule set, or None. The caller holds the lock."""
        if rules not in self._saved and (file := saved_solution(rules)) is not None:
            try:
                self._saved[rules] = open_tablebase(file)
            except TablebaseError as error:
                self._errors[rules] = str(error)
        return self._saved.get(rules)

    def solution(self, rules: RuleSet) -> OpenSolution:
        """Return the solution of a rule set, or raise `RefusedError` if it is not solved."""
        game = self.known(rules)
        if game.solution is None:
            raise RefusedError(game.message, 404)
        return game.solution

    def solve(self, rules: RuleSet) -> PageGame:
        """Start to solve a rule set in the background, and return its state.

        Raises
        ------
        RefusedError
            If other games are being solved, or memory or disk is too small.
        """
        if self.known(rules).state == "solvable":
            with self._lock:
                if can_be_solved(rules):
                    self._solve_small(rules)
                else:
                    self._solve_large(rules)
        return self.known(rules)

    def _solve_small(self, rules: RuleSet) -> None:
        waiting = sum(not game.error for game in self._solving.values())
        if waiting >= MOST_SOLVED:
            raise RefusedError("other games are being solved. Try again later", 429)
        if rules not in self._solving:
            self._solving[rules] = _Solving()
            self._solver.submit(self._solve, rules)

    def _solve_large(self, rules: RuleSet) -> None:
        other, work = self._process, offer(rules)
        if other is not None and other.rules != rules and other.running():
            raise RefusedError(
                f"{other.rules.with_pieces} is being solved, and only one at a time. Try again "
                "later",
                429,
            )
        if not work.fits:
            fewer = f"; with {count_text(work.pieces, 'piece')} it fits" if work.pieces else ""
            raise RefusedError(
                f"not enough memory or disk space: solving takes {work.takes}{fewer}"
            )
        if other is None or other.rules != rules:
            self._errors.pop(rules, None)
            self._process = SolvingProcess(rules, work.share)

    def stop(self, rules: RuleSet) -> PageGame:
        """End the process that is solving a rule set, if there is one, and return its state."""
        with self._lock:
            if self._process is not None and self._process.rules == rules:
                self._process.stop()
                self._process = None
        return self.known(rules)

    def close(self) -> None:
        """End the process that is solving, and close the saved tablebases."""
        with self._lock:
            if self._process is not None:
                self._process.stop()
                self._process = None
            while self._saved:
                self._saved.popitem()[1].close()

    def solve_now(self, rules: RuleSet, stage: Stage = no_progress) -> None:
        """Solve a small rule set, and wait for it, or raise `TooLargeError` if it is large."""
        self._store(rules, SolvedGame(rules, stage=stage))

    def warm_up(self) -> None:
        """Load and compile everything that the first answers need.

        Raises
        ------
        TablebaseError
            If the part of a tablebase that has its start is damaged.
        """
        for base in self.bases:
            base.probe(Position())
        game = Game(self.first)
        for roll in game.rules.dice.rolls:  # first, because networks use this kernel in theirs
            game.legal_moves(roll)
        first = self.known(self.first)
        if first.chances is not None:
            first.chances.probe(Position())

    def _solve(self, rules: RuleSet) -> None:
        progress = self._solving[rules]
        try:
            self._store(rules, SolvedGame(rules, stage=progress.stage))
        except (UrcxError, MemoryError) as error:
            progress.error = str(error) or "not enough memory"

    def _store(self, rules: RuleSet, solved: SolvedGame) -> None:
        with self._lock:
            self._solved[rules] = solved
            self._solving.pop(rules, None)
            while len(self._solved) > MOST_SOLVED:
                del self._solved[next(iter(self._solved))]


def check_base(base: Tablebase) -> None:
    """Raise `TablebaseError` if a tablebase has too many pieces for the page."""
    if base.rules.pieces > MOST_PIECES:
        raise TablebaseError(
            f"{base.file} has more than {MOST_PIECES} pieces per player, the most that the page "
            "shows"
        )

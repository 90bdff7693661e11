"""What the explorer knows while it runs: rule sets, tablebases, games it has solved, agents.

Rule sets are known by name: those of the catalogue, of a user's file, and of tablebases. Chances of
winning come from a tablebase, given or kept when the game was solved, or from a small game that a
thread in the background has solved in memory. Larger ones are solved by a process of their own;
nothing is solved while somebody waits for an answer. Until then a network that comes with urcx
estimates the chances.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path as FilePath
from typing import Any

from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import Network, network_arrays, shipped, shipped_file
from urcx.agents.search import mover_state
from urcx.engine.files.cache import solved_directory
from urcx.engine.memory import size_text
from urcx.engine.threads import Stage, Threads, no_progress
from urcx.errors import TablebaseError, UrcxError, UsageError
from urcx.explore.players import Players
from urcx.explore.schema import MOST_PIECES, PositionRequest, RefusedError, RulesRequest
from urcx.explore.whole import SolvingProcess, can_be_kept, offer
from urcx.game import Game
from urcx.played.values import SolvedGame
from urcx.reading import package_toml
from urcx.results.numbers import count_text, percent_text
from urcx.rules import catalogue
from urcx.rules.catalogue import RuleSources
from urcx.rules.load import Catalogue
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position
from urcx.solving.files.kept import can_be_solved, saved_solution, solve_command
from urcx.solving.files.tablebase import ProbedGame, Tablebase, open_tablebase
from urcx.solving.probing import OpenSolution

MOST_SOLVED = 6  # games that are kept in memory; each has at most three million states
MOST_ESTIMATES = 64  # rule sets of which it is remembered whether there is a network
FIRST = "finkel"  # where no file is given
WHOLE = "the whole game: urcx solve --rules finkel --yes, then urcx explore"


class Estimates(ProbedGame):
    """A network's values, probed like a tablebase; nothing is proven of them."""

    file: FilePath | None = None
    store = "network"
    bound: float | None = None
    gap: float | None = None

    def __init__(self, rules: RuleSet, network: Network) -> None:
        self.rules = rules
        self._arrays = network_arrays(network)
        self._lock = threading.Lock()  # the arrays have room for one thread

    def _value(self, position: Position) -> float:
        with self._lock:
            value = int(evaluate_network(self._arrays, *mover_state(position)[1]))
        return (1 + value / WON) / 2

    @cached_property
    def about(self) -> str:
        """Return where the values come from and how good they are known to be."""
        cards = package_toml("agents/data/learned/cards.toml")
        card = cards[shipped_file(self.rules).stem]
        known = f"wins {percent_text(card['wins'])} against perfect play"
        if "mistaken" in card:
            right = percent_text(1 - card["mistaken"], 1)
            known = f"plays the best move in {right} of decisions and {known}"
        if "off" in card:
            mean, most = (f"{100 * card['off'][key]:.2f}" for key in ("mean", "p95"))
            known = (
                f"is off by {mean} points on average, by less than {most} in 95 % of the positions "
                f"of games, {known}"
            )
        return f"a network's estimates; it {known}"


@lru_cache(MOST_ESTIMATES)
def network_estimates(rules: RuleSet) -> Estimates | None:
    """Return the estimates of a rule set, None if no network of it comes with urcx."""
    try:
        return Estimates(rules, shipped(rules))
    except UsageError:
        return None


@dataclass(frozen=True)
class PageGame:
    """A rule set's win probabilities, as far as they are known.

    ``state`` is ``known``; ``solving``, with the ``share`` that is done; ``solvable``, if it can be
    solved when asked for; or ``unknown``. ``message`` is one line for people where it is not known.
    Then there may be ``estimates``. ``rules`` are those that can be solved, ``error`` is what went
    wrong when they last were, and ``stops`` is whether solving can be stopped. ``solved`` is the
    greatest smaller number of pieces with which the game is solved, 0 if there is none.
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

    @property
    def chances(self) -> OpenSolution | None:
        """Return the solution, else the estimates; None without either."""
        return self.solution or self.estimates

    @property
    def bound(self) -> float | None:
        """Return how far a chance is off at most; None where nothing is known or proven."""
        return None if self.solution is None else self.solution.bound

    def members(self) -> dict[str, Any]:
        """Return the members that several answers have of it."""
        file = None if self.solution is None else self.solution.file
        source = None if self.estimates is None else "network"
        if self.solution is not None:
            source = "solved" if file is None else "tablebase"
        room = None if self.rules is None else offer(self.rules)
        begun = room is not None and room.kept > 0
        return {
            "state": self.state,
            "source": source,
            "file": None if file is None else file.name,
            "bound": self.bound,
            "share": room.share if room and begun else self.share,
            "kept": size_text(room.kept) if room and begun else None,
            "message": self.message or None,
            "error": self.error or None,
            "stops": self.stops,
            "estimates": None if self.estimates is None else self.estimates.about,
            "at_once": self.rules is not None and can_be_solved(self.rules),
            "takes": None if room is None else room.takes,
            "fits": None if room is None else room.fits,
            "most_pieces": None if room is None else room.pieces,
            "solved_pieces": self.solved,
        }


@dataclass
class _Solving:
    """A game that is being solved, or could not be."""

    done: int = 0
    total: int = 0
    error: str = ""

    def stage(self, _label: str, total: int, _unit: str) -> Callable[[int], None]:
        """Begin a stage, as `urcx.engine.threads.Stage` does."""
        self.done, self.total = 0, total

        def update(done: int) -> None:
            self.done = done

        return update


class Explorer:
    """What answers are made from.

    Parameters
    ----------
    bases
        Open tablebases.
    full
        The catalogue with a user's entries, by default the built-in one.
    agents
        Texts of further agents, as the command line takes them.
    solves
        Whether large games may be solved when somebody asks, which takes this machine's memory and
        disk.
    """

    def __init__(
        self,
        bases: Sequence[Tablebase] = (),
        full: Catalogue | None = None,
        agents: Sequence[str] = (),
        *,
        solves: bool = True,
    ) -> None:
        known = catalogue.catalogue() if full is None else full
        self.bases = tuple(bases)
        self._names: dict[str, RuleSet] = dict(known.rules)
        self._paths = known.paths
        self._own = catalogue.only_own(known)
        self._base_rules = [self._enter(base.rules) for base in self.bases]
        self.players = Players(agents)
        self.solves = solves
        self._kept: dict[RuleSet, Tablebase] = {}  # when they were solved, opened when asked for
        self._process: SolvingProcess | None = None
        self._errors: dict[RuleSet, str] = {}  # of the last process, or of what is kept
        self._solved: dict[RuleSet, SolvedGame] = {}
        self._solving: dict[RuleSet, _Solving] = {}
        self._lock = threading.Lock()
        self._solver = Threads(1)

    def without_directories(self, message: str) -> str:
        """Return a message without the directories of files."""
        names = {str(base.file): base.file.name for base in self.bases} | self.players.names
        names[f"{solved_directory()}{os.sep}"] = ""
        for full, name in names.items():
            message = message.replace(full, name)
        return message

    # --- rule sets and paths

    @property
    def rules(self) -> list[RuleSet]:
        """Return the rule sets, each once, with their own numbers of pieces."""
        return list(dict.fromkeys(self._names.values()))

    @property
    def paths(self) -> list[Path]:
        """Return the paths, each once; also those that only a tablebase has."""
        own = {path.name: path for path in self._paths.values()}
        for rules in self.rules:
            own.setdefault(rules.path.name, rules.path)
        return list(own.values())

    @property
    def tablebases(self) -> list[tuple[Tablebase, RuleSet]]:
        """Return the open tablebases, each with its rules as they are named here."""
        return list(zip(self.bases, self._base_rules, strict=True))

    @property
    def first(self) -> RuleSet:
        """Return the rule set that a page begins with."""
        return self._base_rules[0] if self.bases else self._names[FIRST]

    def ruleset(self, name: str, pieces: int | None = None) -> RuleSet:
        """Return a rule set by name, with a number of pieces if not its own.

        Raises
        ------
        UnknownNameError
            If there is none.
        RefusedError
            If there are too many pieces.
        """
        rules = catalogue.lookup("rule set", self._names, name)
        number = rules.pieces if pieces is None else pieces
        if not 1 <= number <= MOST_PIECES:
            raise RefusedError(f"{number} pieces: from 1 to {MOST_PIECES} are shown here")
        return replace(rules, pieces=number)

    def requested_rules(self, request: RulesRequest) -> RuleSet:
        """Return the rule set that a request names, by default the one that a page begins with.

        Its number of pieces is the default only for this rule set; every other has its own.
        """
        if request.rules is None and request.pieces is None:
            return self.first
        name = self.first.name if request.rules is None else request.rules
        return self.ruleset(name, request.pieces)

    def requested_game(self, request: PositionRequest) -> Game:
        """Return the position that a request names, by default its rules' start."""
        return Game(self.requested_rules(request), request.position)

    def sources(self, rules: RuleSet | None) -> RuleSources:
        """Return what says by which rules a text's game is played.

        ``rules`` are those of the request, for texts that do not say theirs.
        """
        base = rules or (self._base_rules[0] if self.bases else None)
        return RuleSources(tablebase=base, own=self._own, known=self._names)

    def path(self, name: str) -> Path:
        """Return a path by name; raises `UnknownNameError` if there is none."""
        named = {path.name: path for path in self.paths}
        return catalogue.lookup("path", {**named, **self._paths}, name)

    def named(self, rules: RuleSet) -> RuleSet | None:
        """Return the rule set known here that plays like another one; None if there is none."""
        own = self._names.get(rules.name)
        for entry in ([] if own is None else [own]) + self.rules:
            same_size = replace(entry, pieces=rules.pieces)
            if same_size.plays_like(rules):
                return same_size
        return None

    def _enter(self, rules: RuleSet) -> RuleSet:
        """Return a tablebase's rules as they are named here; enter them if they are new."""
        known = self.named(rules)
        if known is not None:
            return known
        name, number = rules.name, 2
        while name in self._names:
            name, number = f"{rules.name}-{number}", number + 1
        path_name = rules.path.name if rules.path.name in self._paths else f"path of {name}"
        own = replace(rules, name=name, path=replace(rules.path, name=path_name))
        self._names[name] = own
        return own

    # --- chances of winning

    def known(self, rules: RuleSet) -> PageGame:
        """Return what is known of a rule set's chances of winning."""
        for base, own in self.tablebases:
            if own.plays_like(rules):
                return PageGame("known", base)
        with self._lock:
            solved, solving = self._solved.get(rules), self._solving.get(rules)
            process = self._running(rules)
            solution = solved or (None if process else self._kept_solution(rules))
        if solution is not None:
            return PageGame("known", solution)
        return self._unknown(rules, process, solving)

    def _unknown(
        self, rules: RuleSet, process: SolvingProcess | None, solving: _Solving | None
    ) -> PageGame:
        """Return what is known where nothing is solved, and what is done about it."""
        pieces, guess = count_text(rules.pieces, "piece"), network_estimates(rules)
        about = f"the chances of {rules.name} with {pieces} are not known"
        if process is not None:
            left = process.left()
            message = f"{about} yet: being solved{left and ', '}{left}"
            return PageGame("solving", None, process.share, message, guess, stops=True)
        if solving is not None and solving.error:
            return PageGame("unknown", message=f"{about}: {solving.error}", estimates=guess)
        if solving is not None:
            share = solving.done / solving.total if solving.total else 0.0
            message = f"{about} yet: being solved"
            return PageGame("solving", None, min(share, 1.0), message, guess)
        solved = self._solved_pieces(rules)
        if can_be_solved(rules) or (self.solves and can_be_kept(rules)):
            message = f"{about} yet; POST /api/values has them solved"
            error = self.without_directories(self._errors.get(rules, ""))
            return PageGame("solvable", None, None, message, guess, rules, error, solved=solved)
        message = f"{about}. {solve_command(rules)}"
        return PageGame("unknown", message=message, estimates=guess, solved=solved)

    def _solved_pieces(self, rules: RuleSet) -> int:
        """Return with how many pieces, fewer than these, a game is solved; 0 if with none."""
        for number in range(rules.pieces - 1, 0, -1):
            fewer = replace(rules, pieces=number)
            if (
                any(own.plays_like(fewer) for own in self._base_rules)
                or saved_solution(fewer) is not None
            ):
                return number
        return 0

    def _running(self, rules: RuleSet) -> SolvingProcess | None:
        """Return the process that solves a rule set, if it is at work; with the lock held."""
        process = self._process
        if process is None or process.rules != rules:
            return None
        if process.running():
            return process
        self._process = None
        self._errors[rules] = process.error
        return None

    def _kept_solution(self, rules: RuleSet) -> Tablebase | None:
        """Return the tablebase that is kept of a rule set, None without any; with the lock held."""
        if rules not in self._kept and (file := saved_solution(rules)) is not None:
            try:
                self._kept[rules] = open_tablebase(file)
            except TablebaseError as error:
                self._errors[rules] = str(error)
        return self._kept.get(rules)

    def solution(self, rules: RuleSet) -> OpenSolution:
        """Return what knows the chances; raises `RefusedError` where they are not known."""
        known = self.known(rules)
        if known.solution is None:
            raise RefusedError(known.message, 404)
        return known.solution

    def solve(self, rules: RuleSet) -> PageGame:
        """Have a rule set solved in the background, and return what is known now.

        Raises
        ------
        RefusedError
            If others are being solved, or there is no room for it.
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
            raise RefusedError("other games are being solved; ask again later", 429)
        if rules not in self._solving:
            self._solving[rules] = _Solving()
            self._solver.submit(self._solve, rules)

    def _solve_large(self, rules: RuleSet) -> None:
        other, room = self._process, offer(rules)
        if other is not None and other.rules != rules and other.running():
            raise RefusedError(f"{other.rules.with_pieces} is being solved; one at a time", 429)
        if not room.fits:
            instead = f"; with {count_text(room.pieces, 'piece')} it fits" if room.pieces else ""
            raise RefusedError(f"there is no room: it takes {room.takes}{instead}")
        if other is None or other.rules != rules:
            self._errors.pop(rules, None)
            self._process = SolvingProcess(rules, room.share)

    def stop(self, rules: RuleSet) -> PageGame:
        """End the process that solves a rule set, if one does, and return what is known now."""
        with self._lock:
            if self._process is not None and self._process.rules == rules:
                self._process.stop()
                self._process = None
        return self.known(rules)

    def close(self) -> None:
        """End what is at work, and close the tablebases that were opened here."""
        with self._lock:
            if self._process is not None:
                self._process.stop()
                self._process = None
            while self._kept:
                self._kept.popitem()[1].close()

    def solve_now(self, rules: RuleSet, stage: Stage = no_progress) -> None:
        """Solve a small rule set before anybody asks; raises `TooLargeError` if it is large."""
        self._keep(rules, SolvedGame(rules, stage=stage))

    def warm_up(self) -> None:
        """Have everything loaded and compiled that the first answers need.

        Raises
        ------
        TablebaseError
            If a tablebase is damaged where its game starts.
        """
        for base in self.bases:
            base.probe(Position())
        game = Game(self.first)
        for roll in game.rules.dice.rolls:  # first, as networks have the same kernel within theirs
            game.legal_moves(roll)
        known = self.known(self.first)
        if known.chances is not None:
            known.chances.probe(Position())

    def _solve(self, rules: RuleSet) -> None:
        progress = self._solving[rules]
        try:
            self._keep(rules, SolvedGame(rules, stage=progress.stage))
        except (UrcxError, MemoryError) as error:
            progress.error = str(error) or "not enough memory"

    def _keep(self, rules: RuleSet, solved: SolvedGame) -> None:
        with self._lock:
            self._solved[rules] = solved
            self._solving.pop(rules, None)
            while len(self._solved) > MOST_SOLVED:
                del self._solved[next(iter(self._solved))]


def check_base(base: Tablebase) -> None:
    """Raise `TablebaseError` if a tablebase cannot be shown here."""
    if base.rules.pieces > MOST_PIECES:
        raise TablebaseError(f"{base.file} has more than {MOST_PIECES} pieces a side")

"""The explorer's agents: built-in agents that answer fast, and agents of the command line.

A request names an agent of the catalogue with few options, and never a file. Only the command line
names agents that read files (``net:FILE``, ``optimal:FILE``, ``FILE.py:NAME``).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath

from urcx.agents.agents import Agent, agent, split
from urcx.agents.kinds import KINDS, open_player
from urcx.agents.networks import read_network
from urcx.engine.threads import Threads
from urcx.errors import UnknownNameError, UrcxError, UsageError
from urcx.explore.schema import LONGEST_NAME, RefusedError, quoted_value
from urcx.game import Game
from urcx.played.players import perfect
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.probing import OpenSolution

# The greatest depth by agent, optimal play last. Agents that need a file or
# wishes are left out.
DEEPEST = {
    name: kind.deepest
    for name, kind in sorted(KINDS.items(), key=lambda item: item[1].chooses == "solution")
    if kind.file != "must" and kind.chooses != "priority"
}
TEXT = re.compile(r"([a-z]+)((?::[a-z0-9+]{1,20}){0,3})\Z")
MOST_ROLLS = 12  # of dice, for agents that search
MOST_NODES = 3_000_000  # positions that a search visits, in a few tenths of a second
WAIT = 15.0  # seconds that a game waits while an agent is prepared
MOST_PREPARED = 200


@dataclass
class _Ready:
    """The state of an agent for one rule set: prepared, in preparation, or failed with an error."""

    done: threading.Event
    error: str = ""


class Players:
    """The agents by name, with their options.

    ``command_line`` has the agents of the command line.
    """

    def __init__(self, command_line: Sequence[str] = ()) -> None:
        self._own: dict[str, Agent] = {}
        self.names: dict[str, str] = {}  # without directories, by the strings of the command line
        for text in command_line:
            self._enter(text)
        self._locks: dict[str, threading.Lock] = {}
        self._ready: dict[tuple[str, RuleSet], _Ready] = {}
        self._agents: dict[str, Agent] = dict(self._own)
        self._lock = threading.Lock()
        self._preparing = Threads(1)

    def _enter(self, text: str) -> None:
        """Enter an agent of the command line under its name without a directory."""
        player, name = agent(text), _without_directory(text)
        if "," in name or len(name) > LONGEST_NAME or name in self._own:
            raise UsageError(
                f"--agent {text}: its name {name} must have at most {LONGEST_NAME} characters, no "
                "comma, and differ from the names of other agents. Rename the file"
            )
        _check_file(player.plays)
        self._own[name] = player
        self.names[text] = name
        if player.plays.table is not None:
            self.names[player.plays.table] = PurePath(player.plays.table).name

    @contextmanager
    def asking(self, texts: Iterable[str]) -> Iterator[None]:
        """Reserve agents for this thread, because their arrays serve one thread at a time."""
        names = {self._resolve(text).name for text in texts}
        with ExitStack() as stack:
            for name in sorted(names):  # the same order in all threads, so none waits forever
                with self._lock:
                    lock = self._locks.setdefault(name, threading.Lock())
                stack.enter_context(lock)
            yield

    def known(self) -> list[tuple[str, str, int | None]]:
        """Return each agent's name, title, and greatest depth, or None if it does not search."""
        builtin = [(name, KINDS[name].title, depth) for name, depth in DEEPEST.items()]
        return builtin + [
            (name, "of your own" if player.is_own else KINDS[player.kind].title, None)
            for name, player in self._own.items()
        ]

    def state(self, text: str, rules: RuleSet, solution: OpenSolution | None) -> tuple[str, str]:
        """Return ``ready``, ``preparing`` or ``refused``, and the reason of a refusal.

        The first request for an agent starts its preparation in the background.

        Raises
        ------
        RefusedError, UrcxError
            If the explorer has no such agent.
        """
        player = self._resolve(text)
        if player.by_solution:
            if solution is None:
                return "refused", "optimal play needs win probabilities, which are not known"
            return "ready", ""
        if player.plays.leaf is not None and len(rules.dice.rolls) > MOST_ROLLS:
            return "refused", f"a search takes too long with more than {MOST_ROLLS} different rolls"
        ready = self._prepared(player, rules)
        if not ready.done.is_set():
            return "preparing", ""
        return ("refused", ready.error) if ready.error else ("ready", "")

    def get(self, text: str, rules: RuleSet, solution: OpenSolution | None) -> Agent:
        """Return an agent that is ready to play. Waits up to `WAIT` seconds for its preparation.

        Raises
        ------
        RefusedError
            If it cannot play these rules, or is not ready yet.
        """
        player = self._resolve(text)
        state, reason = self.state(text, rules, solution)
        if state == "preparing":
            self._prepared(player, rules).done.wait(WAIT)
            state, reason = self.state(text, rules, solution)
        if state == "preparing":
            raise RefusedError(f"agent {text} is still being prepared. Try again", 503)
        if state == "refused":
            raise RefusedError(f"agent {text}: {reason}")
        if solution is not None and player.by_solution:
            return perfect(solution, player)
        return player

    def _resolve(self, text: str) -> Agent:
        if text in self._agents:
            return self._agents[text]
        match = TEXT.match(text)
        name = match[1] if match else ""
        if match is None or name not in DEEPEST:
            names = [*DEEPEST, *self._own]
            if match is not None and name not in KINDS:
                raise UnknownNameError("agent", name, dict.fromkeys(names))
            raise RefusedError(f"agent {quoted_value(text)}: must be one of {', '.join(names)}")
        player = agent(text)
        plays = replace(player.plays, most_nodes=MOST_NODES)
        player = plays if player.base is None else replace(player, base=plays)
        if plays.kind not in DEEPEST:
            raise RefusedError(f"agent {text}: {plays.kind} is not available on this page")
        if player.by_solution and player.ties != KINDS[name].ties:
            raise RefusedError(f"agent {text}: must have no tie-breaking rule on this page")
        deepest = DEEPEST[plays.kind]
        if plays.depth is not None and deepest is not None and plays.depth > deepest:
            raise RefusedError(f"agent {text}: the depth must be at most {deepest} on this page")
        with self._lock:
            if len(self._agents) > MOST_PREPARED:
                self._agents = dict(self._own)
            self._agents[text] = self._agents.setdefault(player.name, player)
            return self._agents[text]

    def _prepared(self, player: Agent, rules: RuleSet) -> _Ready:
        key = player.name, rules
        with self._lock:
            entry = self._ready.get(key)
            if entry is None:
                if len(self._ready) > MOST_PREPARED:
                    self._ready.clear()
                entry = self._ready[key] = _Ready(threading.Event())
                self._preparing.submit(_prepare, player, rules, entry)
        return entry


def _prepare(player: Agent, rules: RuleSet, ready: _Ready) -> None:
    """Let an agent choose once, which loads and compiles everything that it needs."""
    try:
        if player.is_own:
            return
        player.move_probabilities(Game(rules), max(rules.dice.rolls))
    except (UrcxError, MemoryError) as error:
        ready.error = str(error) or "not enough memory"
    finally:
        ready.done.set()


def _check_file(player: Agent) -> None:
    """Open the file of an agent, if it has one, and raise its errors at the start."""
    if player.table is None:
        return
    if player.kind == "net":
        read_network(player.table)
        return
    with open_player(player.table) or open_tablebase(player.table):
        pass


def _without_directory(text: str) -> str:
    """Return an agent's name without the directory of its file: ``net:mine.npz``."""
    return ":".join(
        PurePath(part).name if "/" in part or "\\" in part else part for part in split(text)
    )

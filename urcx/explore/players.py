"""The agents that the explorer asks: those that answer at once, and those named at its start.

From outside an agent is a name of the catalogue with few options, never a file: what reads files
(``net:FILE``, ``optimal:FILE``, ``FILE.py:NAME``) is only what the command line named.
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

# By name, the greatest depth, perfect play last. What needs a file is not played here.
DEEPEST = {
    name: kind.deepest
    for name, kind in sorted(KINDS.items(), key=lambda item: item[1].chooses == "solution")
    if kind.file != "must"
}
TEXT = re.compile(r"([a-z]+)((?::[a-z0-9+]{1,20}){0,3})\Z")
MOST_ROLLS = 12  # of dice, for agents that look ahead
MOST_NODES = 3_000_000  # positions that they visit for an answer, some tenths of a second
WAIT = 15.0  # seconds that a game waits for an agent that is being prepared
MOST_PREPARED = 200


@dataclass
class _Ready:
    """An agent for one rule set: prepared, being prepared, or refused with a reason."""

    done: threading.Event
    error: str = ""


class Players:
    """The agents, by the texts that name them."""

    def __init__(self, further: Sequence[str] = ()) -> None:
        self.further: dict[str, Agent] = {}
        self.names: dict[str, str] = {}  # of files, by what the command line has for them
        for text in further:
            self._enter(text)
        self._locks: dict[str, threading.Lock] = {}
        self._ready: dict[tuple[str, RuleSet], _Ready] = {}
        self._agents: dict[str, Agent] = dict(self.further)
        self._lock = threading.Lock()
        self._preparing = Threads(1)

    def _enter(self, text: str) -> None:
        """Take an agent of the command line's in, under its name without a directory."""
        player, name = agent(text), _without_directory(text)
        if "," in name or len(name) > LONGEST_NAME or name in self.further:
            raise UsageError(
                f"--agent {text}: its name here, {name}, must be short, without a comma, and not "
                "that of another agent"
            )
        _look_at(player.plays)
        self.further[name] = player
        self.names[text] = name
        if player.plays.table is not None:
            self.names[player.plays.table] = PurePath(player.plays.table).name

    @contextmanager
    def asking(self, texts: Iterable[str]) -> Iterator[None]:
        """Have agents to oneself: what looks ahead has arrays that one thread at a time may use."""
        names = {self._named(text).name for text in texts}
        with ExitStack() as stack:
            for name in sorted(names):  # in this order, so that nobody waits for each other
                with self._lock:
                    lock = self._locks.setdefault(name, threading.Lock())
                stack.enter_context(lock)
            yield

    def known(self) -> list[tuple[str, str, int | None]]:
        """Return each agent's name, what it does, and the greatest depth, None without any."""
        own = [(name, KINDS[name].title, depth) for name, depth in DEEPEST.items()]
        return own + [
            (name, "of your own" if player.is_own else KINDS[player.kind].title, None)
            for name, player in self.further.items()
        ]

    def state(self, text: str, rules: RuleSet, solution: OpenSolution | None) -> tuple[str, str]:
        """Return ``ready``, ``preparing`` or ``refused``, and the reason of the last.

        An agent that is asked for the first time is prepared in the background.

        Raises
        ------
        RefusedError, UrcxError
            If there is no such agent here.
        """
        player = self._named(text)
        if player.by_solution:
            if solution is None:
                return "refused", "perfect play needs the chances of winning, which are not known"
            return "ready", ""
        if player.plays.leaf is not None and len(rules.dice.rolls) > MOST_ROLLS:
            return "refused", f"dice with more than {MOST_ROLLS} rolls take too long to look ahead"
        ready = self._prepared(player, rules)
        if not ready.done.is_set():
            return "preparing", ""
        return ("refused", ready.error) if ready.error else ("ready", "")

    def get(self, text: str, rules: RuleSet, solution: OpenSolution | None) -> Agent:
        """Return an agent that is ready to play; waits a while for one that is being prepared.

        Raises
        ------
        RefusedError
            If it cannot play these rules, or is not ready yet.
        """
        player = self._named(text)
        state, why = self.state(text, rules, solution)
        if state == "preparing":
            self._prepared(player, rules).done.wait(WAIT)
            state, why = self.state(text, rules, solution)
        if state == "preparing":
            raise RefusedError(f"{text} is still being prepared; ask again", 503)
        if state == "refused":
            raise RefusedError(f"{text}: {why}")
        if solution is not None and player.by_solution:
            return perfect(solution, player)
        return player

    def _named(self, text: str) -> Agent:
        if text in self._agents:
            return self._agents[text]
        match = TEXT.match(text)
        name = match[1] if match else ""
        if match is None or name not in DEEPEST:
            if match is not None and name not in KINDS:
                raise UnknownNameError("agent", name, dict.fromkeys([*DEEPEST, *self.further]))
            known = ", ".join([*DEEPEST, *self.further])
            raise RefusedError(f"there is no agent {quoted_value(text)} here; known: {known}")
        player = agent(text)
        plays = replace(player.plays, most_nodes=MOST_NODES)
        player = plays if player.base is None else replace(player, base=plays)
        if plays.kind not in DEEPEST:
            raise RefusedError(f"{text}: {plays.kind} is not played here")
        if player.by_solution and player.ties != KINDS[name].ties:
            raise RefusedError(f"{name} takes no tie rule here")
        deepest = DEEPEST[plays.kind]
        if plays.depth is not None and deepest is not None and plays.depth > deepest:
            raise RefusedError(f"{text}: at most depth {deepest} is played here")
        with self._lock:
            if len(self._agents) > MOST_PREPARED:
                self._agents = dict(self.further)
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
    """Ask an agent once, so that what it needs is loaded and compiled."""
    try:
        if player.is_own:
            return
        player.move_probabilities(Game(rules), max(rules.dice.rolls))
    except (UrcxError, MemoryError) as error:
        ready.error = str(error) or "not enough memory"
    finally:
        ready.done.set()


def _look_at(player: Agent) -> None:
    """Raise what is wrong with an agent's file, before anybody asks for it."""
    if player.table is None:
        return
    if player.kind == "net":
        read_network(player.table)
        return
    with open_player(player.table) or open_tablebase(player.table):
        pass


def _without_directory(text: str) -> str:
    """Return an agent's text with its file's name but not its directory: ``net:mine.npz``."""
    return ":".join(
        PurePath(part).name if "/" in part or "\\" in part else part for part in split(text)
    )

"""The run of a training: steps, checkpoints from which it goes on, and strength as it grows.

The clock decides only when a checkpoint is written and when to stop early.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from urcx.agents.agent_kernels import FIRST, TablePolicy
from urcx.agents.networks import Network, network_lookahead, network_policy, write_network
from urcx.complexity.game_tree import Z95
from urcx.contrib.learning.checkpoints import (
    MOST_COUNT,
    Checkpoint,
    read_checkpoint,
    take_up,
    write_checkpoint,
)
from urcx.contrib.learning.methods import Session
from urcx.contrib.learning.strength import perfect_policy, strength_of
from urcx.engine.compiling import clock, processor_clock
from urcx.engine.files.sealed import Members
from urcx.engine.threads import Stage
from urcx.errors import (
    InterruptedRunError,
    OutOfDomainError,
    TablebaseError,
    TooLargeError,
    UsageError,
    printable,
)
from urcx.games.simulator import simulate
from urcx.results.fields import COUNT, decimals, member, percents_of
from urcx.results.tables import Column
from urcx.rules.model import RuleSet

BETWEEN = 10.0  # seconds between checkpoints
MEASURES = 10  # strength is measured after each tenth of a training
GAMES = 2000  # of which


@dataclass(frozen=True)
class StrengthAt:
    """The strength of a network in training."""

    done: Annotated[int, member(Column("done", key=True), COUNT, "steps of the training by then")]
    seconds: Annotated[
        float, member("processor seconds", decimals(1), "processor seconds of all threads by then")
    ]
    wins: Annotated[float, member("wins", percents_of(2), "its estimated chance of winning")]
    error: Annotated[
        float, member("±", percents_of(2), "half the width of the 95 % interval of wins")
    ]


def _strengths(counters: Members, total: int) -> list[StrengthAt]:
    """Return the strengths that a checkpoint's counters have, as rows of numbers."""
    names = [field.name for field in fields(StrengthAt)]
    found = []
    for k, row in enumerate(counters.several("strengths", 0, MEASURES)):
        where = f"{counters.prefix}strengths[{k}]."
        given = dict(zip(names, row, strict=False)) if isinstance(row, list) else {}
        one = Members(given, counters.where, where)
        numbers = (one.number(name, -MOST_COUNT, MOST_COUNT) for name in names[1:])
        found.append(StrengthAt(one.whole("done", 0, total), *numbers))
    return found


class StrengthJudge:
    """Measures the strength of networks: against perfect play, or else by games against greedy."""

    def __init__(
        self,
        rules: RuleSet,
        tablebase: str | None,
        threads: int,
        stage: Stage,
        perfect: TablePolicy | None,
    ) -> None:
        self.rules, self.threads, self.perfect = rules, threads, perfect
        with suppress(OutOfDomainError, TooLargeError):
            # A method that learns from the solution has it already.
            self.perfect = perfect or perfect_policy(rules, tablebase, threads, stage)
        self.opponent = "greedy" if self.perfect is None else "optimal"

    def wins(self, network: Network) -> tuple[float, float]:
        """Return its chance of winning, and the half width of the 95 % interval."""
        if self.perfect is None:
            return self._against_greedy(network)
        policy = network_policy(network, self.rules, network_lookahead(self.rules, 1), FIRST)
        found = strength_of(policy, self.perfect, self.rules, games=GAMES, threads=self.threads)
        return found.wins, found.error

    def _against_greedy(self, network: Network) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "net.npz"
            write_network(network, file)
            games = simulate(f"net:{file}", "greedy", self.rules, games=GAMES, threads=self.threads)
        wins = float((games.to_dict()["winner"] == "light").mean())
        return wins, Z95 * math.sqrt(wins * (1 - wins) / GAMES)


class TrainingRun:
    """A training from its beginning, or its checkpoint, to its end or limit."""

    def __init__(
        self, session: Session, identity: dict[str, Any], threads: int, file: Path, kept: Path
    ) -> None:
        self.session, self.identity, self.threads = session, identity, threads
        self.file, self.kept = file, kept
        # Where each kind of steps ends, and what they are called.
        self.ends: dict[int, str] = getattr(session, "ends", {session.total: session.unit})
        self.strengths: list[StrengthAt] = []
        self.before = 0.0  # processor seconds of earlier runs
        self.began = processor_clock()
        if kept.exists():
            self._resume()
        self.resumed = session.done

    @property
    def seconds(self) -> float:
        """Return the processor seconds of all threads, those of earlier runs included."""
        return self.before + processor_clock() - self.began

    def _resume(self) -> None:
        found = read_checkpoint(self.kept)
        names = list(dict.fromkeys([*self.identity, *found.settings]))
        other = [name for name in names if found.settings.get(name) != self.identity.get(name)]
        if other:
            which = printable(" and ".join(other))
            raise UsageError(
                f"{self.kept} belongs to a training of other {which}; give the same "
                "again to go on with it, or delete it"
            )
        try:
            take_up(self.session.arrays(), found.arrays, str(self.kept))
            counters = Members(found.counters, str(self.kept), "counters.")
            self.before = counters.number("seconds", 0.0, MOST_COUNT)
            self.strengths = _strengths(counters, self.session.total)
            self.session.restore(counters)
        except TablebaseError as error:
            raise TablebaseError(f"{error}; delete it to begin anew") from None

    def save(self) -> None:
        """Write the checkpoint."""
        counters = {
            **self.session.counters(),
            "seconds": self.seconds,
            "strengths": [list(astuple(row)) for row in self.strengths],
        }
        arrays = {name: kept.array for name, kept in self.session.arrays().items()}
        write_checkpoint(self.kept, Checkpoint(self.identity, counters, arrays))

    def go(self, minutes: float | None, judge: StrengthJudge, stage: Stage) -> None:
        """Train to the end, or until the minutes are over."""
        session = self.session
        started = saved = clock()
        tick = self._bar(judge, stage)
        while session.done < session.total:
            try:
                session.advance()
                if self._due():
                    wins, error = judge.wins(session.network())
                    self.strengths.append(StrengthAt(session.done, self.seconds, wins, error))
                    tick = self._bar(judge, stage)
                elif session.done in self.ends:
                    tick = self._bar(judge, stage)
                tick(session.done)
            except KeyboardInterrupt:
                # Half a step may be done, so the training goes on from the last checkpoint.
                raise InterruptedRunError(self._after_interruption()) from None
            now = clock()
            if minutes is not None and now - started > 60 * minutes:
                break
            if now - saved > BETWEEN:
                self.save()
                saved = now
        self.save()

    def _due(self) -> bool:
        done, total = self.session.done, self.session.total
        return done * MEASURES // total > (done - 1) * MEASURES // total

    def _bar(self, judge: StrengthJudge, stage: Stage) -> Callable[[int], None]:
        """Begin a bar of the steps of one kind: each kind takes its own time, as what is left."""
        label, done = "training", self.session.done
        if self.strengths:
            label += f", {100 * self.strengths[-1].wins:.1f} % against {judge.opponent}"
        ends = self.ends
        first = max((end for end in ends if end <= done < self.session.total), default=0)
        last = min(end for end in ends if end > first)
        update = stage(label, last - first, ends[last])
        return lambda done: update(done - first)

    def _after_interruption(self) -> str:
        if not self.kept.exists():
            return "interrupted before the first checkpoint; nothing was written"
        return f"interrupted; the same command goes on from {self.kept}"

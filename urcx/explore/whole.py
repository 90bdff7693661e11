"""Games that are too large for memory: what solving them takes, and the process that does it."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import monotonic

from urcx.complexity import tiles
from urcx.engine.costs import SOME_FILES, SOME_MEMORY, WorkEstimate, duration
from urcx.engine.files.cache import solved_directory
from urcx.engine.files.sources import PACKAGE
from urcx.engine.memory import available_memory, size_text
from urcx.engine.threads import started_threads
from urcx.engine.time_left import TimeLeft
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import UrcxError
from urcx.reading import parse_json
from urcx.rules.model import RuleSet
from urcx.solving.files.header import ITEM
from urcx.solving.files.kept import can_be_solved, place_of, solving
from urcx.solving.files.work import kept_layers, work_directory
from urcx.solving.solution import solve

MOST_STATES = 2_000_000_000  # four times those of masters
SOLVED = 0.95  # of the time; the rest is for writing
OFTEN = 0.2  # seconds between two reports
STEP = 10  # to which the seconds left are rounded up
POLITE = 5  # how much the page goes before it (`os.nice`)
# The process that solves: Ctrl-C is left to this one. With -P no module of the current directory is
# imported, as multiprocessing would; the argument finds urcx in a checkout that is not installed.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path.append(sys.argv[1])
from urcx.explore.whole import main
main()
"""


@dataclass(frozen=True)
class SolveEstimate:
    """What it takes to solve a rule set here, and the most pieces with which there is room.

    ``pieces`` are 0 if not even one piece fits; ``kept`` are the bytes of what a process that was
    stopped has solved.
    """

    rules: RuleSet
    work: WorkEstimate
    pieces: int
    fits: bool
    kept: int = 0

    @property
    def share(self) -> float:
        """Return which share of all states that is, from 0 to 1."""
        return min(self.kept / (ITEM["f64"] * _states(self.rules)), 1.0)

    @property
    def takes(self) -> str:
        """Return the time, and memory and disk where they are some, in words."""
        parts = [f"about {_rounded(self.work.seconds)}"]
        if self.work.memory >= SOME_MEMORY:
            parts.append(f"{size_text(self.work.memory)} of memory")
        if self.work.disk >= SOME_FILES:
            parts.append(f"{size_text(self.work.disk)} of disk")
        return ", ".join(parts)


def _rounded(seconds: float) -> str:
    return "a minute" if 45 <= seconds < 90 else duration(seconds)


def _states(rules: RuleSet) -> int:
    return tiles.unfinished(rules.path, rules.pieces)


def can_be_kept(rules: RuleSet) -> bool:
    """Return whether a rule set can have a tablebase of a size that somebody might wait for."""
    return not layer_obstacle(rules) and _states(rules) <= MOST_STATES


def offer(rules: RuleSet) -> SolveEstimate:
    """Return what solving a rule set takes, measured against what is free now."""
    fits = _fits(rules)
    smaller = range(rules.pieces - 1, 0, -1)
    pieces = rules.pieces if fits else next((n for n in smaller if _fits(_with(rules, n))), 0)
    return SolveEstimate(
        rules, _work(rules), pieces, fits, kept_layers(work_directory(place_of(rules)))[1]
    )


def _with(rules: RuleSet, pieces: int) -> RuleSet:
    return replace(rules, pieces=pieces)


def _fits(rules: RuleSet) -> bool:
    work, memory = _work(rules), available_memory()
    if memory is not None and work.memory > memory:
        return False
    return work.disk == 0 or work.disk <= _free(solved_directory())


def _free(directory: Path) -> int:
    """Return the bytes that are free on a directory's disk; it need not exist yet."""
    for place in (directory, *directory.parents):
        with suppress(OSError):
            return shutil.disk_usage(place).free
    return 0


@lru_cache(256)
def _work(rules: RuleSet) -> WorkEstimate:
    return solving(rules, None, None if can_be_solved(rules) else ITEM["f64"])


class SolvingProcess:
    """A process that solves a rule set and writes its tablebase; it ends with this one.

    Layers that were solved are kept when it is stopped, and the next one goes on from them: from a
    ``share`` of all states.
    """

    def __init__(self, rules: RuleSet, share: float = 0.0) -> None:
        self.rules = rules
        self.share, self.error = 0.0, ""
        self._left = TimeLeft(monotonic(), SOLVED * share)  # gone through in an instant
        self._process = subprocess.Popen(  # noqa: S603 - this Python, our program
            [sys.executable, "-P", "-c", PROGRAM, str(PACKAGE.parent)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended; `running` says so
            self._process.stdin.write(pickle.dumps(rules))
        self._reading = started_threads(self._read)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            report = parse_json(line)
            if isinstance(report, str):
                self.error = report
            else:
                self.share = report

    def running(self) -> bool:
        """Return whether it is at work; if not, ``error`` says why it failed, or is empty."""
        if self._process.poll() is not None:
            self._close()
            if self._process.returncode and not self.error:
                self.error = f"the process that solved it has ended ({self._process.returncode})"
            return False
        self._left.update(monotonic(), self.share)
        return True

    def _close(self) -> None:
        self._reading.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def left(self) -> str:
        """Return how long it will still take, as far as can be told; empty at the beginning."""
        seconds = self._left.seconds(monotonic())
        if seconds is None:
            return ""
        return f"about {_rounded(STEP * max(math.ceil(seconds / STEP), 1))} left"

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        self._process.terminate()
        self._process.wait()
        self._close()


def main() -> None:
    """Solve the rule set that comes on stdin, and write shares of the work, or an error, to stdout.

    Each is a line of JSON. The process ends when its stdin does, since its parent has ended then.
    """
    rules = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the parent process alone
    reports, sys.stdout = sys.stdout, sys.stderr  # which other messages must not mix with

    def report(message: float | str) -> None:
        reports.write(f"{json.dumps(message)}\n")
        reports.flush()

    def follow() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    started_threads(follow)
    if hasattr(os, "nice"):
        os.nice(POLITE)
    parts, last = iter(((0.0, SOLVED), (SOLVED, 1.0))), 0.0  # solving, then writing

    def stage(_label: str, total: int, _unit: str) -> Callable[[int], None]:
        low, high = next(parts)

        def update(done: int) -> None:
            nonlocal last
            if monotonic() - last > OFTEN:
                last = monotonic()
                report(low + (high - low) * min(done / max(total, 1), 1.0))

        return update

    try:
        solve(rules, True, stage=stage)
    except (UrcxError, MemoryError, OSError) as error:
        report(str(error) or "not enough memory")

"""Large games: estimates of solving them, and the process that solves them."""

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

MOST_STATES = 2_000_000_000  # four times as many as masters has
SOLVED = 0.95  # the share of the time for solving. The rest is for writing the file
OFTEN = 0.2  # seconds between two reports
STEP = 10  # seconds. The time left is rounded up to a multiple
POLITE = 5  # the niceness of the process, so that the page keeps answering
# The program of the process. It ignores Ctrl-C, which the server handles. With -P it imports no
# module of the current directory, unlike multiprocessing. The argument is the folder of urcx, which
# need not be installed.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path.append(sys.argv[1])
from urcx.explore.whole import main
main()
"""


@dataclass(frozen=True)
class SolveEstimate:
    """The time, memory and disk space for solving a rule set, and whether this machine has them.

    ``pieces`` is the greatest number of pieces that fits, or 0 if none does. ``kept`` is the size
    in bytes of the part that a stopped process has solved.
    """

    rules: RuleSet
    work: WorkEstimate
    pieces: int
    fits: bool
    kept: int = 0

    @property
    def share(self) -> float:
        """Return the share of all states that a stopped process has solved, from 0 to 1."""
        return min(self.kept / (ITEM["f64"] * _states(self.rules)), 1.0)

    @property
    def takes(self) -> str:
        """Return the time, and the memory and disk space unless they are small, in words."""
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
    """Return whether a rule set can have a tablebase, of at most `MOST_STATES` states."""
    return not layer_obstacle(rules) and _states(rules) <= MOST_STATES


def offer(rules: RuleSet) -> SolveEstimate:
    """Estimate the cost of solving a rule set, and compare it with free memory and disk space."""
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
    """Return the free bytes on the disk of a directory, which need not exist yet."""
    for place in (directory, *directory.parents):
        with suppress(OSError):
            return shutil.disk_usage(place).free
    return 0


@lru_cache(256)
def _work(rules: RuleSet) -> WorkEstimate:
    return solving(rules, None, None if can_be_solved(rules) else ITEM["f64"])


class SolvingProcess:
    """A process that solves a rule set and writes its tablebase. It ends with its parent.

    A stopped process leaves its solved layers on disk, and the next process resumes from them.
    ``share`` is their share of all states.
    """

    def __init__(self, rules: RuleSet, share: float = 0.0) -> None:
        self.rules = rules
        self.share, self.error = 0.0, ""
        self._left = TimeLeft(monotonic(), SOLVED * share)  # reading them takes no time
        self._process = subprocess.Popen(  # noqa: S603 - this Python, our program
            [sys.executable, "-P", "-c", PROGRAM, str(PACKAGE.parent)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        with suppress(OSError):  # the process has ended, as `running` reports
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
        """Return whether the process is running.

        If it has failed, ``error`` is the reason, else the empty string.
        """
        if self._process.poll() is not None:
            self._close()
            if self._process.returncode and not self.error:
                code = self._process.returncode
                self.error = f"the process that was solving the game ended with exit code {code}"
            return False
        self._left.update(monotonic(), self.share)
        return True

    def _close(self) -> None:
        self._reading.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def seconds_left(self) -> float | None:
        """Return an estimate of the time left, or None at the beginning."""
        return self._left.seconds(monotonic())

    def left(self) -> str:
        """Return an estimate of the time left, in words, empty at the beginning."""
        seconds = self.seconds_left()
        if seconds is None:
            return ""
        return f"about {_rounded(STEP * max(math.ceil(seconds / STEP), 1))} left"

    def stop(self) -> None:
        """End the process, and wait for its end."""
        self._process.terminate()
        self._process.wait()
        self._close()


def main() -> None:
    """Solve the rule set from stdin, and report the progress, or an error, on stdout.

    A report is a line of JSON: the share of the work, from 0 to 1, or the message of an error. When
    stdin closes, the parent has ended, and this process ends too.
    """
    rules = pickle.load(sys.stdin.buffer)  # noqa: S301 - only the parent process writes it
    reports, sys.stdout = sys.stdout, sys.stderr  # so that only reports reach the parent

    def report(message: float | str) -> None:
        reports.write(f"{json.dumps(message)}\n")
        reports.flush()

    def end_with_parent() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    started_threads(end_with_parent)
    if hasattr(os, "nice"):
        os.nice(POLITE)
    shares, last = iter(((0.0, SOLVED), (SOLVED, 1.0))), 0.0  # solving, then writing

    def stage(_label: str, total: int, _unit: str) -> Callable[[int], None]:
        low, high = next(shares)

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

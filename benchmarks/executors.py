"""Times the same work on one thread, on several threads and on a cluster of this machine.

    python benchmarks/executors.py [WORKERS [WORD]...]

With words, only works with one of the words in their names are done. The script needs the extra
``dask``. Workers start and load their kernels before the measurement; this time has a separate
line. All results are compared with the results of one thread.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

import urcx
from urcx.engine import dask
from urcx.engine.chunks import map_chunks
from urcx.engine.dask import cluster_of

TASKS = 200  # empty tasks, to measure the overhead of a task
Work = Callable[[Executor | None, int], Any]  # executor, threads -> result, the same for all


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Start a dask scheduler and workers of one thread each; yield the address."""
    with tempfile.TemporaryDirectory() as directory:
        listed = Path(directory) / "scheduler.json"

        def begin(module: str, *more: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-P", "-m", f"distributed.cli.{module}", "--no-dashboard"]
            command += ["--scheduler-file", str(listed), "--host", "127.0.0.1", *more]
            quiet = subprocess.DEVNULL
            return subprocess.Popen(command, cwd=directory, stdout=quiet, stderr=quiet)

        started = [begin("dask_scheduler", "--port", "0")]
        try:
            while not listed.exists():
                time.sleep(0.1)
            started += [begin("dask_worker", "--nthreads", "1") for _ in range(workers)]
            time.sleep(1)  # until the file is complete
            yield json.loads(listed.read_text(encoding="utf-8"))["address"]
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


def counting(pieces: int) -> Work:
    """Return work: visiting all configurations of the masters' path."""

    def work(executor: Executor | None, threads: int) -> Any:
        counted = urcx.count("masters", pieces, executor=executor, threads=threads)
        return counted.diagrams, counted.checksum

    return work


def playing(agent: str, rules: urcx.RuleSet, games: int) -> Work:
    """Return work: games of an agent against itself."""

    def work(executor: Executor | None, threads: int) -> Any:
        games_played = urcx.simulate(
            agent, rules=rules, games=games, executor=executor, threads=threads
        )
        return games_played.counts.tobytes(), games_played.entropy.tobytes()

    return work


def solving(pieces: int) -> Work:
    """Return work: solving finkel, with a thread in each worker."""

    def work(executor: Executor | None, threads: int) -> Any:
        rules = urcx.ruleset("finkel", pieces=pieces)
        with tempfile.TemporaryDirectory() as directory:
            solution = urcx.solve(
                rules,
                executor=executor,
                layers=None if executor is None else directory,
                threads=threads if executor is None else 1,
            )
        return round(solution.solved.opening, 12)

    return work


def nothing(executor: Executor | None, threads: int) -> Any:
    """Do empty tasks, to measure their overhead."""
    tasks = iter([(1,)] * TASKS)
    map_chunks(
        abs, lambda _: next(tasks, None), lambda *_: None, executor=executor, threads=threads
    )


def processor() -> float:
    """Return the CPU seconds so far of this process and of its descendants."""
    here = psutil.Process()
    times = [process.cpu_times() for process in (here, *here.children(recursive=True))]
    return float(sum(time.user + time.system for time in times))


def measured(work: Work, executor: Executor | None, threads: int) -> tuple[Any, float, float]:
    """Return the result of work, its wall time and its CPU time, in seconds."""
    began, spent = time.perf_counter(), processor()
    result = work(executor, threads)
    return result, time.perf_counter() - began, processor() - spent


def print_row(title: str, cells: Iterable[object]) -> None:
    """Print a row."""
    line = title.ljust(30) + "".join(str(cell).rjust(18) for cell in cells)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(workers: int, words: list[str]) -> None:
    """Print wall time and CPU time for each work and executor."""
    murray = urcx.ruleset("murray")
    finkel = urcx.ruleset("finkel")
    works: list[tuple[str, Work, Work]] = [
        ("count masters, 12 pieces", counting(12), counting(3)),
        ("100,000 games, greedy", playing("greedy", finkel, 10**5), playing("greedy", finkel, 99)),
        (
            "20 games, murray, panda:4",
            playing("panda:4", murray, 20),
            playing("panda:2", murray, 9),
        ),
        ("solve finkel, 4 pieces", solving(4), solving(2)),
        (f"{TASKS} empty tasks", nothing, nothing),
    ]
    with ExitStack() as stack:
        address = stack.enter_context(cluster(workers))
        places: list[tuple[str, Executor | None, int]] = [
            ("1 thread", None, 1),
            (f"{workers} threads", None, workers),
        ]
        far = stack.enter_context(dask.cluster(address))
        cluster_of(far).wait_for_workers(workers)
        places.append((f"{workers} on a cluster", far, 1))
        print_row("wall / CPU seconds", (name for name, _, _ in places))
        for name, work, warming in works:
            if words and not any(word in name for word in words):
                continue
            expected = None
            row, warmed = [], []
            for _, executor, threads in places:
                _, clock, spent = measured(
                    lambda *where, warming=warming: [warming(*where) for _ in range(3)],
                    executor,
                    threads,
                )
                warmed.append(f"{clock:.1f} / {spent:.1f}")
                result, clock, spent = measured(work, executor, threads)
                row.append(f"{clock:.2f} / {spent:.2f}")
                expected = result if expected is None else expected
                assert result == expected, name
            print_row(name, row)
            print_row("  before: start, kernels", warmed)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2, sys.argv[2:])

"""The same work on one thread, on threads, on processes and on a cluster of this machine.

    python benchmarks/executors.py [WORKERS]

Needs the extra ``dask``. Workers are started, and have loaded their kernels, before the clock is;
what that takes is a line of its own. Results are compared to those of one thread.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import urcx
from urcx.engine.chunks import each, gather
from urcx.engine.executors import cluster_of, scheduler

TASKS = 200  # of nothing, for what a task costs
Work = Callable[[Executor | None, int], Any]  # executor, threads: what is the same for all


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Start a dask scheduler and workers of one thread each; yield the address."""
    with tempfile.TemporaryDirectory() as directory:
        listed = Path(directory) / "scheduler.json"

        def begin(module: str, *more: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard"]
            command += ["--scheduler-file", str(listed), "--host", "127.0.0.1", *more]
            quiet = subprocess.DEVNULL
            return subprocess.Popen(command, cwd=directory, stdout=quiet, stderr=quiet)

        started = [begin("dask_scheduler", "--port", "0")]
        try:
            while not listed.exists():
                time.sleep(0.1)
            started += [begin("dask_worker", "--nthreads", "1") for _ in range(workers)]
            time.sleep(1)  # until the file is whole
            import json  # noqa: PLC0415

            yield json.loads(listed.read_text(encoding="utf-8"))["address"]
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


def counting(pieces: int) -> Work:
    """Return work: visiting all diagrams of the masters' path."""

    def work(executor: Executor | None, threads: int) -> Any:
        found = urcx.count("masters", pieces, executor=executor, threads=threads)
        return found.diagrams, found.checksum

    return work


def playing(agent: str, rules: urcx.RuleSet, games: int) -> Work:
    """Return work: games of an agent against itself."""

    def work(executor: Executor | None, threads: int) -> Any:
        found = urcx.simulate(agent, rules=rules, games=games, executor=executor, threads=threads)
        return found.records.tobytes(), found.entropy.tobytes()

    return work


def solving(pieces: int) -> Work:
    """Return work: solving finkel, a thread in each worker."""

    def work(executor: Executor | None, threads: int) -> Any:
        rules = urcx.ruleset("finkel", pieces=pieces)
        with tempfile.TemporaryDirectory() as directory:
            found = urcx.solve(
                rules,
                executor=executor,
                layers=None if executor is None else directory,
                threads=threads if executor is None else 1,
            )
        # With several threads in this process the last bits differ from run to run.
        return round(found.solved.opening, 12)

    return work


def nothing(executor: Executor | None, threads: int) -> Any:
    """Do tasks of nothing, for what each of them costs."""
    gather(
        abs, each((1,) for _ in range(TASKS)), lambda *_: None, executor=executor, threads=threads
    )


def main(workers: int) -> None:
    """Print seconds for each work and executor."""
    murray = urcx.ruleset("murray")
    finkel = urcx.ruleset("finkel")
    works: list[tuple[str, Work, Work]] = [
        ("count masters, 12 pieces", counting(12), counting(3)),
        (
            "1,000,000 games, greedy",
            playing("greedy", finkel, 10**6),
            playing("greedy", finkel, 99),
        ),
        (
            "60 games of murray, panda:5",
            playing("panda:5", murray, 60),
            playing("panda:2", murray, 9),
        ),
        ("solve finkel, 5 pieces", solving(5), solving(2)),
        (f"{TASKS} tasks of nothing", nothing, nothing),
    ]
    with ExitStack() as stack:
        address = stack.enter_context(cluster(workers))
        places: list[tuple[str, Executor | None, int]] = [
            ("1 thread", None, 1),
            (f"{workers} threads", None, workers),
        ]
        for name, text in (("processes", f"local:{workers}"), ("cluster", address)):
            executor = stack.enter_context(scheduler(text))
            assert executor is not None
            client = cluster_of(executor)
            if client is not None:
                client.wait_for_workers(workers)
            places.append((f"{workers} {name}", executor, 1))
        print("work".ljust(30), *(name.rjust(14) for name, _, _ in places))
        for name, work, warming in works:
            expected = None
            row, warmed = [], []
            for _, executor, threads in places:
                began = time.perf_counter()
                for _ in range(2 * workers if executor else 1):  # so that each worker is met
                    warming(executor, threads)
                warmed.append(time.perf_counter() - began)
                began = time.perf_counter()
                found = work(executor, threads)
                row.append(time.perf_counter() - began)
                expected = found if expected is None else expected
                assert found == expected, name
            print(name.ljust(30), *(f"{seconds:12.2f} s" for seconds in row), flush=True)
            print(
                "  before: start, kernels".ljust(30), *(f"{s:12.2f} s" for s in warmed), flush=True
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

"""A mutation run: put small faults into functions, one at a time, and see whether tests notice.

    python tests/mutations.py urcx/enumerate/reach.py urcx/rules -- tests/enumerate tests/rules

Kernels run as Python, so that mutants need no compilation. No file is changed: every fault is put
into the functions of a forked process, which runs the tests that execute the changed line, those of
the mirrored directory first, and stops at the first failure. So it needs POSIX, and does not reach
processes that a test starts. Surviving mutants are printed at the end; whether one is equivalent (a
stopping rule, speed only) is left to the reader.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import FunctionType
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parents[1]
UNCOVERED, SURVIVED, FAILED, TIMEOUT = "not reached", "survived", "killed", "killed by time"


@dataclass(frozen=True)
class Known:
    """A test's time, and the lines that it executes, without any fault."""

    seconds: float
    lines: dict[str, list[int]]


def child(work: Callable[[TextIO], None], seconds: float) -> tuple[bool, str]:
    """Run a function in a forked process; return whether it completed, and what it wrote."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        pid = os.fork()
        if pid == 0:
            os.setsid()
            code = 1
            try:
                work(told)
                told.flush()
                code = 0
            finally:
                os._exit(code)
        end = time.monotonic() + seconds
        status: int | None = None
        while status is None and time.monotonic() < end:
            found, code = os.waitpid(pid, os.WNOHANG)
            status = code if found else None
            time.sleep(0.002)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if status is None:
            os.waitpid(pid, 0)
        told.seek(0)
        return status == 0, told.read()


def limit(seconds: float) -> None:
    """Limit the further processor time of this process to some seconds."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, resource.RLIM_INFINITY))


def alike(file: str, test: str) -> int:
    """Return the number of directories that a file of the package and a test have in common."""
    places = (PurePath(name).parts[1:-1] for name in (file, test.partition("::")[0]))
    return sum(one == other for one, other in zip(*places, strict=False))


class Run:
    """A plugin of pytest: collects as usual, and then runs mutants instead of tests."""

    def __init__(self, options: argparse.Namespace, out: TextIO) -> None:
        self.options, self.out = options, out
        self.files = [
            str(file.relative_to(ROOT))
            for place in options.modules
            for file in (sorted((ROOT / place).rglob("*.py")) or [ROOT / place])
            if file.name != "__init__.py"
        ]
        self.items: dict[str, Any] = {}
        self.known: dict[str, Known] = {}
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)

    def say(self, *words: object) -> None:
        """Print to the terminal, even while pytest captures output."""
        print(*words, file=self.out, flush=True)

    def pytest_configure(self) -> None:
        """Make hypothesis use the same examples each time, without a deadline."""
        from hypothesis import settings

        settings.register_profile("mutations", derandomize=True, database=None, deadline=None)
        settings.load_profile("mutations")

    def pytest_runtestloop(self, session: Any) -> bool:
        """Try all mutants."""
        from mutants import mutants

        for file in self.files:
            importlib.import_module(file.removesuffix(".py").replace("/", "."))
        self.items = {item.nodeid: item for item in self.chosen(session.items)}
        gc.unfreeze()  # collecting has frozen what was there
        gc.collect()
        for found in gc.get_objects():
            if isinstance(found, FunctionType):
                code = found.__code__
                self.functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(
                    found
                )
        gc.freeze()
        self.learn()
        numbers: dict[str, Counter[str]] = defaultdict(Counter)
        left: list[str] = []
        again = self.options.again and self.options.again.read_text("utf-8")
        for file in self.files:
            for mutant in mutants(ROOT, file, self.options.lines, self.options.seed):
                if again is not None and f"{mutant.name}  (" not in again:
                    continue
                outcome, by = self.outcome(mutant)
                numbers[file][outcome] += 1
                if outcome in (SURVIVED, UNCOVERED):
                    left.append(f"{mutant.name}  ({by})")
                self.say(f"{outcome}: {mutant.name}  ({by})")
        self.say("\nmutants, killed, survived, not reached by a test")
        for file, of in numbers.items():
            killed = of[FAILED] + of[TIMEOUT]
            self.say(f"{sum(of.values()):5}{killed:5}{of[SURVIVED]:5}{of[UNCOVERED]:5}  {file}")
        self.say("\n" + "\n".join(left))
        return True

    def chosen(self, items: list[Any]) -> list[Any]:
        """Return some cases of each test, spread evenly, without those to be skipped."""
        cases = defaultdict(list)
        for item in items:
            if item.get_closest_marker("skip") is None:
                cases[item.path, item.cls, item.originalname].append(item)
        most = self.options.cases
        return [
            group[k * len(group) // most] if len(group) > most else group[k]
            for group in cases.values()
            for k in range(min(most, len(group)))
        ]

    def learn(self) -> None:
        """Run each test once, to record its time and lines, without those that fail or skip."""
        import coverage

        file = self.options.baseline
        if file and file.exists():
            known = json.loads(file.read_text("utf-8"))
            self.known = {name: Known(*row) for name, row in known.items()}

        for k, item in enumerate(self.items.values()):
            if item.nodeid in self.known:
                continue

            def work(told: TextIO, item: Any = item) -> None:
                limit(self.options.seconds)
                tracer = coverage.Coverage(
                    data_file=None, config_file=False, source=[str(ROOT / "urcx")]
                )
                tracer.start()
                begun = time.process_time()
                passed = self.passes([item])
                seconds = time.process_time() - begun
                tracer.stop()
                data = tracer.get_data()
                lines = {
                    str(Path(file).relative_to(ROOT)): sorted(data.lines(file) or ())
                    for file in data.measured_files()
                }
                if passed:
                    json.dump((seconds, lines), told)

            done, told = child(work, 8 * self.options.seconds)
            if done and told:
                self.known[item.nodeid] = Known(*json.loads(told))
            else:
                self.known[item.nodeid] = Known(0, {})
                self.say(f"left out, as it is skipped, fails or takes too long: {item.nodeid}")
            if file and (k % 10 == 0 or k == len(self.items) - 1):
                rows = {name: (each.seconds, each.lines) for name, each in self.known.items()}
                file.write_text(json.dumps(rows), "utf-8")
        self.say(f"{len(self.known)} tests, {sum(k.seconds for k in self.known.values()):.0f} s")

    def passes(self, items: list[Any], before: Callable[[Any], None] = lambda _: None) -> bool:
        """Run tests until one fails; skipped ones do not pass."""
        from _pytest.runner import runtestprotocol

        for item, following in zip(items, [*items[1:], None], strict=True):
            before(item)
            if not all(r.passed for r in runtestprotocol(item, nextitem=following, log=False)):
                return False
        return True

    def outcome(self, mutant: Any) -> tuple[str, str]:
        """Return a mutant's fate, and the test that noticed it or how many did not."""
        touched = [
            (-alike(mutant.file, name), known.seconds, name)
            for name, known in self.known.items()
            if name in self.items
            and not set(mutant.lines).isdisjoint(known.lines.get(mutant.file, ()))
        ]
        names: list[str] = []
        total = 0.0
        for _, seconds, name in sorted(touched):
            total += seconds
            if total <= self.options.budget or not names:
                names.append(name)
        functions = self.functions[str(ROOT / mutant.file), mutant.function, mutant.first]
        if not names or not functions:
            return UNCOVERED, "no test"

        def before(item: Any) -> None:
            told.seek(0)
            told.truncate()
            told.write(item.nodeid)
            told.flush()
            limit(2 * self.known[item.nodeid].seconds + 2)

        told: TextIO

        def work(file: TextIO) -> None:
            nonlocal told
            told = file
            for each in functions:
                each.__code__ = mutant.code
            for each in gc.get_objects():
                if isinstance(each, functools._lru_cache_wrapper) and each.__module__.startswith(
                    "urcx"
                ):
                    each.cache_clear()
            good = self.passes([self.items[name] for name in names], before)
            told.seek(0, os.SEEK_END)
            told.write(f"\n{good}")

        done, said = child(work, 10 * (total + 10))
        name, _, good = said.partition("\n")
        if not done:
            return TIMEOUT, name
        return (
            (SURVIVED, f"{len(names)} of {len(touched)} tests")
            if good == "True"
            else (FAILED, name)
        )


def main() -> int:
    """Read the command line, and let pytest collect."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("modules", nargs="+", help="files or directories to break")
    parser.add_argument("--lines", type=int, default=8, help="a mutant for so many lines (8)")
    parser.add_argument("--seed", type=int, default=0, help="chooses the mutants (0)")
    parser.add_argument("--seconds", type=float, default=20, help="longest time of a test (20)")
    parser.add_argument("--budget", type=float, default=40, help="time of tests for a mutant (40)")
    parser.add_argument("--cases", type=int, default=4, help="cases of a test with many (4)")
    parser.add_argument("--again", type=Path, help="only what this earlier output names")
    parser.add_argument("--baseline", type=Path, help="file that keeps what tests come through")
    options = parser.parse_args(words[:split])
    import pytest

    sys.path.insert(0, str(ROOT))
    with (
        tempfile.TemporaryDirectory() as place,
        os.fdopen(os.dup(1), "w", encoding="utf-8") as out,
    ):
        os.environ["URCX_CACHE_DIR"] = f"{place}/cache"
        quiet = [f"--basetemp={place}/tests", "-p", "no:cacheprovider", "-p", "no:randomly"]
        quiet += ["-o", "tmp_path_retention_policy=failed"]
        return int(pytest.main([*words[split + 1 :], *quiet], plugins=[Run(options, out)]))


if __name__ == "__main__":
    sys.exit(main())

"""A dask cluster on the loopback address gives the results of one thread; errors are one line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import pytest
from command_line import assert_one_line, run

import urcx
from urcx.engine import chunks, dask
from urcx.engine.threads import Stage

if TYPE_CHECKING:
    import distributed

SMALL = urcx.ruleset("finkel", pieces=3)


def wait_for(
    condition: Callable[[], bool], seconds: float = 120.0, logs: Callable[[], str] = str
) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"the cluster does not come up\n{logs()}"
        time.sleep(0.1)


def two_workers(client: distributed.Client) -> None:
    """Wait until two workers are there, and their nannies have seen it.

    A nanny that still starts its worker does not start another one when that is killed.
    """

    def running() -> bool:
        with contextlib.suppress(OSError):  # a worker that has just been killed
            states = client.run(lambda dask_worker: dask_worker.status.name, nanny=True)
            return list(states.values()) == ["running", "running"]
        return False

    def logs() -> str:
        texts = client.run(lambda dask_worker: str(dask_worker.get_logs()), nanny=True)
        return "\n".join(texts.values())[-5000:]

    wait_for(lambda: len(client.nthreads()) == 2 and running(), logs=logs)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a dask scheduler and two workers on the loopback address."""
    pytest.importorskip("distributed")
    place = tmp_path_factory.mktemp("dask")
    listed = place / "scheduler.json"
    common = ["--scheduler-file", str(listed), "--no-dashboard"]

    def begin(module: str, *more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", f"distributed.cli.{module}", *common, *more],
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    started = [begin("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        wait_for(listed.exists)
        more = ("--host", "127.0.0.1", "--nthreads", "1", "--local-directory", str(place))
        started += [begin("dask_worker", *more) for _ in range(2)]
        wait_for(lambda: listed.read_text(encoding="utf-8").endswith("}"))
        address = json.loads(listed.read_text(encoding="utf-8"))["address"]
        # Two processes that import dask may take long where others are at work.
        with mock.patch.multiple(dask, REACHED=60.0, WORKERS=120.0):
            yield address
            with dask.cluster(address) as cluster:
                dask.cluster_of(cluster).shutdown()  # ends the workers' own children too
    finally:
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.jit
def test_a_cluster_whose_workers_are_killed_gives_the_same_bits(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "AWAY_SECONDS", 0.05)
    with dask.cluster(address) as cluster:
        client = dask.cluster_of(cluster)
        killed: list[int] = []

        def killer(after: float) -> Stage:
            """Return a stage that kills a worker once a share of the work is done."""
            two_workers(client)
            workers = list(client.run(os.getpid).values())
            aim = len(killed) + 1

            def stage(_label: str, total: int, _unit: str) -> Callable[[int], None]:
                def tell(done: int) -> None:
                    if after * total < done < total and len(killed) < aim:
                        killed.append(workers[0])
                        os.kill(workers[0], getattr(signal, "SIGKILL", signal.SIGTERM))

                return tell

            return stage

        mark = tmp_path / "mark"

        def killed_at_first() -> str:
            try:
                mark.mkdir()
            except FileExistsError:
                return "alive"
            os.kill(os.getpid(), 9)
            raise AssertionError

        two_workers(client)
        assert dask.run_on_all_workers(cluster, killed_at_first) == ["alive"]
        one = urcx.count("bell", 7, threads=1)
        other = urcx.count("bell", 7, executor=cluster, progress=killer(0.1)("", one.diagrams, ""))
        assert (one.diagrams, one.branches, one.checksum) == (
            other.diagrams,
            other.branches,
            other.checksum,
        )
        games = [
            urcx.simulate("greedy", games=20_000, threads=1),
            urcx.simulate("greedy", games=20_000, executor=cluster, stage=killer(0.1)),
        ]
        assert np.array_equal(games[0].counts, games[1].counts)
        assert np.array_equal(games[0].entropy, games[1].entropy)
        one_file, other_file = tmp_path / "one.urcx", tmp_path / "other.urcx"
        urcx.solve(SMALL, one_file, threads=1)
        urcx.solve(SMALL, other_file, threads=1, executor=cluster, stage=killer(0.01))
        assert one_file.read_bytes() == other_file.read_bytes()
        assert len(killed) == 3
        two_workers(client)
    for command in ("ssc bell -p 3", "gtc --agent random -g 200 -p 1", "solve -p 1 --json"):
        more = ("--layers", str(tmp_path)) if command.startswith("solve") else ()
        here = run(*command.split())
        there = run(*command.split(), "--scheduler", address, *more)
        assert there.code == 0, there.err
        if "--json" not in command:
            assert (there.out, there.err) == (here.out, here.err)
        else:
            assert there.json["opening"] == here.json["opening"]


BOT = "def mine(position, roll, moves):\n    return moves[0]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("__import__('pathlib').Path(__file__).unlink()", "there is no file"),
        (
            "import multiprocessing as m\nif m.parent_process(): raise ImportError('not here')",
            "fails: ImportError: not here",
        ),
    ],
)
def test_a_bot_that_workers_cannot_load_leaves_the_cluster_as_it_is(
    address: str, tmp_path: Path, lines: str, why: str
) -> None:
    file = tmp_path / "okbot.py"
    file.write_text(f"{lines}\n{BOT}")
    with dask.cluster(address) as executor:
        client = dask.cluster_of(executor)
        two_workers(client)
        before = client.run(os.getpid)
        found = run("match", f"{file}:mine", "random", "-g", "4", "--scheduler", address)
        line = assert_one_line(found, 1)
        assert line.startswith("a worker cannot start: agent ")
        assert f"{file}" in line
        assert why in line
        assert client.run(os.getpid) == before


@pytest.mark.slow
def test_what_is_wrong_with_a_cluster_is_one_line(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dask, "REACHED", 0.5)
    found = run("ssc", "bell", "-p", "1", "--scheduler", "tcp://127.0.0.1:9")
    assert "no cluster answers at tcp://127.0.0.1:9" in assert_one_line(found, 1)
    monkeypatch.undo()
    command = ("ssc", "bell", "-p", "1", "--scheduler", address)
    monkeypatch.setattr(dask, "__version__", "0.0.1")
    said = assert_one_line(run(*command), 1)
    assert "this process (0.0.1) and the worker" in said
    assert urcx.__version__ in said
    monkeypatch.undo()
    monkeypatch.setattr(chunks, "source_version", lambda: "0.0.1, sources 01234567")
    assert "this process (0.0.1, sources 01234567)" in assert_one_line(run(*command), 1)
    monkeypatch.undo()
    missing = tmp_path / "no" / "such"
    found = run("solve", "-p", "1", "--scheduler", address, "--layers", str(missing))
    assert "cannot write" in assert_one_line(found, 1)


@pytest.mark.slow
def test_what_cannot_be_reached_is_one_line_of_the_whole_process() -> None:
    pytest.importorskip("distributed")
    code = "from urcx.engine import dask; dask.REACHED = 1.0; from urcx.cli import main"
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and never says a word
        for address, said in (
            (f"tcp://127.0.0.1:{silent.getsockname()[1]}", "no cluster answers at tcp://"),
            ("tcp://127.0.0.1:1", "no cluster answers at tcp://"),
            ("tls://127.0.0.1:1", "cluster at tls://127.0.0.1:1 cannot be reached: TypeError"),
        ):
            more = ["ssc", "bell", "-p", "1", "--scheduler", address]
            found = subprocess.run(
                [sys.executable, "-P", "-c", f"{code}; main()", *more],
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
            )
            assert (found.returncode, found.stdout) == (1, "")
            (line,) = found.stderr.splitlines()
            assert said in line

"""Other programs as agents: what they are asked, how they fail, and that they end."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from asked import THREE
from engine_client import Client
from naive_simulator import equal
from own_rules import small

import urcx
from urcx.agents import engines
from urcx.agents.agents import agent, as_sent
from urcx.agents.engines import Engine
from urcx.engine.moves import Move
from urcx.errors import EngineError, UsageError
from urcx.rules.position import Position

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "engine.py"
URCX = (sys.executable, "-P", "-m", "urcx", "engine")
# A program that answers everything but `go` as the protocol has it, which the tests do instead.
PROGRAM = """
import os, random, subprocess, sys, time
file = {file!r}
open(file, "a").write(f"{{os.getpid()}}\\n")
for line in sys.stdin:
    open(file + ".log", "a").write(line)
    word, *rest = line.split()
    if word == "urgi":
        print("id name Bot\\n\\noption name rules type string default finkel\\nurgiok", flush=True)
    elif word == "isready":
        print("info string loaded\\nreadyok", flush=True)
    elif word == "position":
        position = rest[0]
    elif word == "roll":
        roll = int(rest[0])
    elif word == "go":
        {go}
    elif word == "quit":
        break
"""
HANGS = "while True: time.sleep(60)"
LEGAL = """
        import urcx
        moves = urcx.Game("finkel", position, pieces=2).legal_moves(roll)
        move = random.Random(rest[1]).choice(moves)
        print(f"bestmove {move.start}-{move.end}", flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "started"


def program(file: Path, go: str, seconds: float = 120.0) -> Engine:
    return Engine([sys.executable, "-P", "-c", PROGRAM.format(file=str(file), go=go)], seconds)


def started(file: Path) -> list[int]:
    """Return the processes that have begun to play."""
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def runs(number: int) -> bool:
    try:
        os.kill(number, 0)  # a zombie is there too
    except ProcessLookupError:
        return False
    return True


def capturing(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    """Play as the example in the documentation does."""
    return max(moves, key=lambda move: (move.captures, move.rosette, move.start))


def test_the_example_plays_the_same_games_as_a_function() -> None:
    rules = small("finkel", 3)
    with Engine([sys.executable, str(EXAMPLE)]) as example:
        for both in (("{}", "random"), ("greedy:random", "{}"), ("{}", "{}")):
            ref, found = (
                urcx.simulate(light, dark, rules, games=4)
                for own in (capturing, example)
                for light, dark in [[own if name == "{}" else name for name in both]]
            )
            assert equal(ref, found)


@pytest.mark.parametrize("text", ["gain", pytest.param("optimal", marks=pytest.mark.jit)])
def test_an_agent_of_urcx_that_is_asked_by_a_client_plays_and_values_the_same(text: str) -> None:
    client, asked = Client(*URCX, text, rules="kwan", pieces=2), agent(text)
    try:
        assert client.about[0] == f"id name urcx {urcx.__version__}, {text}"
        game = urcx.Game("kwan", "1,8/3/0-0/D", pieces=2)
        for roll in (1, 2, 3, 4):
            moves = game.legal_moves(roll)
            move, value = client.best(str(game.position), roll)
            best = asked.choose(game, roll, 1)
            assert best in moves
            assert move == f"{best.start}-{best.end}"
            values = asked.values(game, roll)
            assert value == (None if values is None else float(values[best]))
        assert client.best("1,8/3/0-0/D", 0) == ("pass", None)
        with pytest.raises(ValueError, match="error roll 9: the dice"):
            client.best("1,8/3/0-0/D", 9)
        assert client.best("A1/C4/0-0/L", 1)[0] in ("0-1", "4-5"), "it goes on"
    finally:
        client.close()
    assert client.process.returncode == 0


def test_the_same_seed_gives_the_same_games_however_they_are_played(file: Path) -> None:
    rules = small("finkel", 2)
    with program(file, LEGAL) as drawing:
        ref = urcx.simulate(drawing, "random", rules, games=8, seed=3, threads=1)
        assert len(started(file)) == 1
        seeds = re.findall(r"go seed (\d+)", file.with_name("started.log").read_text())
        assert len(set(seeds)) == len(seeds) > 20
        assert equal(ref, urcx.simulate(drawing, "random", rules, games=8, seed=3, threads=3))
        assert len(started(file)) <= 3
        assert not equal(ref, urcx.simulate(drawing, "random", rules, games=8, seed=4, threads=1))
        before = len(started(file))
        with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            away = urcx.simulate(drawing, "random", rules, games=8, seed=3, executor=pool)
        assert equal(ref, away)
        assert before < len(started(file)) <= before + 2, "one for each worker"
    ended(file)


def wait_for(done: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


def ended(file: Path) -> None:
    """Wait until no process that was started is left, not even as a zombie."""
    wait_for(lambda: not any(map(runs, started(file))), 20)


def asked(file: Path) -> None:
    """Wait until the program is asked for a move."""
    log = file.with_name("started.log")
    wait_for(lambda: log.exists() and "go seed" in log.read_text(), 60)


@pytest.mark.parametrize(
    ("go", "why"),
    [
        (HANGS, r"bestmove within 0\.5 seconds \(write a whole line"),
        ("print('bestmove 0-1', end='', flush=True); time.sleep(60)", "bestmove within 0"),
        ("print('bestmove 0-9', flush=True)", "chose '0-9'"),
        ("print('bestmove 2-4', flush=True)", "chose '2-4'"),  # legal, but by another roll
        ("print('bestmove', flush=True)", "chose ''"),
        ("print('I play \\x1b[1m0-1', flush=True)", r"wrote 'I play \\x1b\[1m0-1' instead of"),
        ("print('x' * 100_000, flush=True)", "wrote 'xxxx"),
        ("while True: print('info again', flush=True)", "ended|bestmove within 0.5"),
        ("sys.exit(3)", "ended with exit code 3 before its bestmove"),
        ("sys.exit('no idea')", r"ended with exit code 1 \('no idea'\) before its bestmove"),
        ("print('error cannot', flush=True)", "error 'cannot'"),
    ],
)  # fmt: skip
def test_what_does_not_answer_is_one_line_and_killed(file: Path, go: str, why: str) -> None:
    wrong = program(file, go, seconds=0.5 if "within 0" in why else 60.0)
    with pytest.raises(EngineError, match=why) as failed:
        agent(wrong).choose(THREE, 1)
    assert "\n" not in str(failed.value)
    assert "in 2,6/7/0-0/L with roll 1" in str(failed.value)
    assert str(failed.value).startswith(f"agent {wrong.name[:20]}")
    ended(file)


def test_a_program_that_cannot_be_played_by_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "mine"
    script.write_text("no program")
    script.chmod(0o755)
    for text, why in (
        ("engine", "write engine:COMMAND"),
        ("engine:", "the command is missing"),
        ("engine:2.5:", "the command is missing"),
        ("engine:none-of-these x", "there is no program 'none-of-these'"),
        ("engine:'x", "no closing quotation"),
        ("engine:0:python3 x", "seconds must be above 0 and at most"),
    ):
        with pytest.raises(UsageError, match=why):
            agent(text)
    with pytest.raises(UsageError, match="cannot be started"):
        agent(Engine([str(script)])).choose(THREE, 1)
    given: Any = 7
    with pytest.raises(UsageError, match="a program with its arguments"):
        Engine(given)
    with pytest.raises(UsageError, match=r"must not be a program in exact"):
        urcx.regret(f"engine:{sys.executable}", small("finkel", 1))


def test_rules_that_the_program_does_not_know_are_its_answer() -> None:
    example = agent(Engine([sys.executable, str(EXAMPLE)]))
    with pytest.raises(EngineError, match=r"error 'unknown rules masters'\Z"):
        example.choose(urcx.Game("masters", "2,6/7/0-0/L"), 1)
    changed = replace(urcx.ruleset("finkel"), capture_grants_roll=True)
    with pytest.raises(UsageError, match="finkel of urcx, and these rules differ"):
        example.choose(urcx.Game(changed, "2,6/7/0-0/L"), 1)
    with pytest.raises(EngineError, match="before its urgiok"):
        agent(Engine([sys.executable, "-P", "-c", ""])).choose(THREE, 1)


def test_a_text_says_what_is_started_and_how_long_it_may_take() -> None:
    named = agent(f"engine:2.5:{sys.executable} 'a b' c:d")
    assert named.name == f"engine:2.5:{sys.executable} 'a b' c:d"
    made: Any = named.function
    assert (made.command, made.seconds) == ((sys.executable, "a b", "c:d"), 2.5)
    assert Engine(made.command, 2.5).name == named.name
    assert Engine(made.command).name == named.name.replace("2.5:", "")
    again = copy.deepcopy(as_sent(named))  # as a worker gets it
    assert again == named
    assert hash(again.function) == hash(made)
    assert again != agent(Engine(made.command))


@pytest.mark.posix("processes that are killed")
def test_nothing_is_left_of_what_ignores_its_end(file: Path) -> None:
    deaf = program(file, f"{LEGAL}\n        {HANGS}")  # answers once, and reads no further
    agent(deaf).choose(urcx.Game("finkel", "2,6/-/0-0/L", pieces=2), 1)
    assert all(map(runs, started(file)))
    began = time.monotonic()
    deaf.close()
    assert time.monotonic() - began < 10
    assert not any(map(runs, started(file)))


@pytest.mark.posix("processes that are killed")
@pytest.mark.parametrize("leaves", ["sys.exit(3)", f"{LEGAL}\n        break"])
def test_an_engine_that_ends_by_itself_leaves_no_process_behind(file: Path, leaves: str) -> None:
    """A helper that holds the pipes neither survives nor hides the end of its engine."""
    helper = f"""
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open(file, "a").write(f"{{helper.pid}}\\n")
        {leaves}"""
    with program(file, helper.strip()) as mine:
        player = agent(mine)
        if "exit" in leaves:
            with pytest.raises(EngineError, match="ended with exit code 3 before its bestmove"):
                player.choose(THREE, 1)
        else:
            player.choose(urcx.Game("finkel", "2,6/-/0-0/L", pieces=2), 1)
        assert len(started(file)) == 2
        ended(file)


@pytest.mark.posix("processes that are killed")
def test_an_end_is_noticed_though_a_process_outside_the_group_holds_the_pipes(file: Path) -> None:
    sleeper = '[sys.executable, "-c", "import time; time.sleep(600)"]'
    leaves = f"""
        helper = subprocess.Popen({sleeper}, start_new_session=True)
        open(file, "a").write(f"{{helper.pid}}\\n")
        sys.exit(3)"""
    try:
        with pytest.raises(EngineError, match="ended with exit code 3 before its bestmove"):
            agent(program(file, leaves.strip())).choose(THREE, 1)
    finally:
        os.kill(started(file)[-1], signal.SIGKILL)


@pytest.mark.posix("forks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
def test_a_forked_process_starts_its_own_engine(file: Path) -> None:
    game = urcx.Game("finkel", "2,6/-/0-0/L", pieces=2)
    with program(file, LEGAL), program(file, LEGAL) as mine:  # two that are equal
        player = agent(mine)
        move = player.choose(game, 1, 1)
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                same = player.choose(game, 1, 1) == move
                mine.close()
                os._exit(0 if same else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert len(set(started(file))) == 2
        assert runs(started(file)[0]), "the parent's engine goes on"
        assert player.choose(game, 1, 1) == move
        assert len(started(file)) == 2
    ended(file)


@pytest.mark.parametrize(
    "remark",
    [
        "print('info ' + 'x' * 50_000, flush=True)",
        "sys.stdout.buffer.write(b'info \\xe9\\xff\\n'); sys.stdout.flush()",
        *(
            pytest.param(f"print('{text}', flush=True)", marks=pytest.mark.slow)
            for text in ("info a\\0b", "\\ufeffinfo")
        ),
    ],
)
def test_a_remark_is_one_line_however_it_looks(file: Path, remark: str) -> None:
    with program(file, f"{remark}{LEGAL}") as mine:
        for roll in (1, 2):
            assert agent(mine).choose(THREE, roll) in THREE.legal_moves(roll)


def test_both_answers_before_the_first_move_share_one_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = "input(); print('urgiok'); [input() for _ in range(3)]; time.sleep(1); print('readyok')"
    now, tell = 0.0, engines._Process._tell

    def takes_a_minute(*value: Any) -> None:
        nonlocal now
        tell(*value)
        now += 61.0 * ("isready" in value)

    monkeypatch.setattr(engines, "monotonic", lambda: now)
    monkeypatch.setattr(engines._Process, "_tell", takes_a_minute)
    with pytest.raises(EngineError, match="readyok within 60 seconds"):
        agent(Engine([sys.executable, "-uc", f"import time; {code}; input()"])).choose(THREE, 1)


@pytest.mark.posix("processes that are killed")
def test_an_engine_that_hangs_ends_with_its_worker(file: Path) -> None:
    choose = agent(program(file, HANGS, seconds=600)).choose
    worker = multiprocessing.get_context("spawn").Process(target=choose, args=(THREE, 1))
    worker.start()
    try:
        asked(file)
    finally:
        worker.terminate()
    ended(file)


def _ends_an_engine(engine: Engine, begun: Path) -> None:
    """Play a move by a program that takes too long, and wait for its end."""
    kill = os.killpg

    def killed(*value: Any) -> None:  # not at first, so that waiting is long
        if begun.exists():
            kill(*value)
        begun.touch()

    with mock.patch.object(os, "killpg", killed):
        agent(engine).choose(THREE, 1)


@pytest.mark.posix("processes that are killed")
def test_a_worker_ends_in_the_middle_of_ending_an_engine(file: Path, tmp_path: Path) -> None:
    given = program(file, HANGS, seconds=0.1), tmp_path / "begun"
    worker = multiprocessing.get_context("spawn").Process(target=_ends_an_engine, args=given)
    worker.start()
    until = time.monotonic() + 60
    while not given[1].exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.2)
    assert worker.is_alive()  # it waits
    worker.terminate()
    worker.join(30)
    found = worker.exitcode
    worker.kill()
    assert found == 1
    ended(file)

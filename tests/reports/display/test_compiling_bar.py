"""What a terminal shows while kernels are compiled, and how long that is said to take."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from urcx.commands.table import GROUP_OF
from urcx.engine import compiling
from urcx.engine.compiling import Compiled
from urcx.engine.files.cache import kernel_version
from urcx.reports.display import progress
from urcx.reports.display.progress import compilation_shown, remaining, typical

RUNS = (
    ("solve -p 2", (Compiled("offsets", 1.0), Compiled("sweep", 6.0), Compiled("turn", 3.0))),
    ("regret", (Compiled("offsets", 1.0), Compiled("sweep", 6.0), Compiled("flow", 20.0))),
    ("gtc --agent random", (Compiled("games", 2.0),)),
    ("gtc --agent expectimax", (Compiled("games", 11.0),)),
    ("match", (Compiled("games", 2.0), Compiled("games", 5.0))),  # for different types
)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "typical", lambda: RUNS)


# --- how long it will take


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("command", "kernel", "done", "left"),
    [
        # What is to come follows from the command; what comes before was in the cache.
        ("solve", "offsets", (), 10.0),
        ("regret", "offsets", (), 27.0),
        ("solve", "sweep", (), 9.0),
        # The kernels so far say more.
        ("solve", "sweep", (("offsets", 1.0), ("flow", 20.0)), 6.0),
        # A slow machine is known by what it has done; what took no time says nothing.
        ("solve", "turn", (("offsets", 2.0), ("sweep", 12.0)), 6.0),
        ("solve", "sweep", (("unknown", 60.0),), 9.0),
        # Words of the command tell what the kernels do not.
        ("gtc --agent expectimax:3 -g 50", "games", (), 11.0),
        ("gtc --agent random", "games", (), 2.0),
        # A kernel may be compiled again for other types.
        ("match a b", "games", (), 7.0),
        ("match a b", "games", (("games", 2.0),), 5.0),
        ("match a b", "games", (("games", 4.0),), 10.0),
        ("match a b", "games", (("games", 2.0), ("games", 2.0)), None),
        ("solve", "another", (), None),
    ],
)
def test_how_long_compiling_will_still_take(
    command: str, kernel: str, done: tuple[tuple[str, float], ...], left: float | None
) -> None:
    assert remaining(command, kernel, [Compiled(*one) for one in done]) == left


def test_the_list_has_every_command_and_kernels_that_exist() -> None:
    assert {line.split()[0] for line, _ in typical()} == set(GROUP_OF)
    for _, run in typical():
        for kernel, seconds, _ in run:
            module, _, name = kernel.rpartition(".")
            assert hasattr(import_module(module), name), kernel
            assert seconds > 0


# --- what is shown


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(progress, "COMPILING_AFTER", -1.0)
    monkeypatch.setattr(progress, "EVERY", 0.01)


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what stderr is now a terminal; pytest puts another in its place before each test."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)


def waited(until: Callable[[], bool]) -> None:
    for _ in range(500):
        if until():
            return
        time.sleep(0.01)
    pytest.fail("nothing was shown")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.usefixtures("at_once", "runs")
def test_a_bar_moves_while_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    seen = ""

    def states() -> set[str]:
        nonlocal seen
        seen += capsys.readouterr().err
        return set(re.findall(r"compiling, once, about 10 s [^\r\n]*", seen))

    with compilation_shown("solve"):
        with compiling.counted_compilations("offsets"):
            waited(lambda: len(states()) >= 3)
        assert capsys.readouterr().err.endswith("\x1b[2K"), "gone before a result is printed"


@pytest.mark.usefixtures("at_once")
def test_at_its_end_a_command_says_how_long_compiling_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    directory = tmp_path / "kernels" / kernel_version()
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    for kept in ("(not cached", "(once; cached from now on)"):
        with compilation_shown("solve"), compiling.counted_compilations("a.kernel"):
            pass
        lines = plain(capsys.readouterr().err).splitlines()
        assert lines[-1].startswith(f"urcx: compiled in 0 s {kept}")
        directory.mkdir(parents=True, exist_ok=True)  # as it is once something is kept


@pytest.mark.usefixtures("runs")
def test_nothing_is_shown_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "COMPILING_AFTER", -1.0)
    with compilation_shown("solve"), compiling.counted_compilations("offsets"):
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("at_once", "runs")
def test_the_bar_stands_in_for_that_of_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "SHOW_AFTER", -1.0)
    with compilation_shown("solve"), progress.progress("long work", 10, "things") as update:
        with compiling.counted_compilations("offsets"):
            update(1)
            assert progress._visible == [], "it waits until compiling is done"
        update(5)
        assert "long work" in plain(capsys.readouterr().err)
        (bar,) = progress._visible
        with compiling.counted_compilations("offsets"):
            waited(lambda: "compiling, once" in plain(capsys.readouterr().err))
            assert not bar.live.is_started
            update(6)
        assert bar.live.is_started
        update(7)
        bar.refresh()
        assert "long work" in plain(capsys.readouterr().err)


@pytest.mark.usefixtures("at_once")
def test_a_rate_leaves_compiling_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "SHOW_AFTER", 0.0)
    with progress.progress("long work", 100, "things") as update:
        with compiling.counted_compilations("offsets"):
            time.sleep(0.5)
        time.sleep(0.01)
        update(50)
        (bar,) = progress._visible
        update(50)
        rate = float(
            re.findall(r"([\d,.]+) things/s", bar.tasks[0].fields["state"])[0].replace(",", "")
        )
    capsys.readouterr()
    assert rate > 200, "50 in what is left of a second without compiling"

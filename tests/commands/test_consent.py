"""Questions and announcements before long or large work."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from unittest import mock

import pytest
from command_line import assert_one_line, run
from fuzzing import time_limit

import urcx
from urcx.agents.agents import agent
from urcx.agents.policies import Policies
from urcx.commands import consent, solve
from urcx.commands.consent import confirm_long_run
from urcx.commands.estimates import following, plies_of
from urcx.commands.publish import _computing_again
from urcx.engine import memory
from urcx.engine.costs import Cost, WorkEstimate, duration, estimate
from urcx.errors import InterruptedRunError, TooLargeError
from urcx.solving.files.kept import solving
from urcx.solving.files.rgu import open_solution
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import LayerOrder

pytest_plugins = ["command_fixtures"]

HOURS = WorkEstimate("solving 5 states", 7200.0, 3e9, 5e9, "take fewer")
SOME = WorkEstimate("solving 4 states", 83.0, 1.2e9, 0.6e9, "take fewer")


class Terminal(io.StringIO):
    """A stream that says somebody sits at it."""

    def isatty(self) -> bool:
        return True


def asked(monkeypatch: pytest.MonkeyPatch, answer: str) -> Terminal:
    """Sit at a terminal and type an answer; return where the question goes."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "200")  # one line
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    return shown


def test_an_estimate_is_counts_times_costs() -> None:
    each = Cost(2.0, memory=3.0, disk=5.0)
    work = estimate("a sum", (10, each), (4, Cost(1.0)), memory=7.0, advice="stop")
    assert work == WorkEstimate("a sum", 24.0, 37.0, 50.0, "stop")
    assert estimate("", (10, each), threads=2).seconds in (10.0, 20.0)  # on two cores, or one
    all_cores, many = (estimate("", (10, each), threads=n).seconds for n in (None, 1000))
    assert all_cores == many, "threads beyond the cores do not count"
    assert str(HOURS) == (
        "solving 5 states will take about 2 hours, up to 3.0 GB of memory, 5.0 GB on disk"
    )
    assert str(WorkEstimate("a sum", 3.0)) == "a sum will take about 3 s"
    seconds = (0.01, 45, 119, 120, 7200, 172_800, 10**9, 1e20)
    assert [duration(second) for second in seconds] == [
        "1 s", "45 s", "119 s", "2 minutes", "2 hours", "2 days", "32 years", "3e+12 years",
    ]  # fmt: skip


QUESTION = f"urcx: {HOURS}. Start? [Y/n] "


@pytest.mark.parametrize(
    ("work", "answer", "yes", "shown"),
    [
        ([], "n\n", False, ""),
        ([WorkEstimate("a sum", 179.0, 1.9e9, 0.4e9)], "n\n", False, ""),
        ([HOURS], "\n", False, QUESTION),
        ([HOURS], "Yes\n", False, QUESTION),
        ([HOURS], "n\n", True, f"urcx: {HOURS}\n"),
        # A terminal shows a bar for the time, but not how much is written to its disk.
        ([SOME], "n\n", False, f"urcx: {SOME}\n"),
        # Times and disk space add up, memory does not.
        ([WorkEstimate("first", 1.0, 2.5e9, 1e9), HOURS], "n\n", True, "3.0 GB of memory, 6.0 GB"),
    ],
)
def test_work_that_goes_on(
    work: list[WorkEstimate], answer: str, yes: bool, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = asked(monkeypatch, answer)
    confirm_long_run(*work, yes=yes)
    assert shown in stream.getvalue()
    assert bool(shown) == bool(stream.getvalue())


@pytest.mark.parametrize("size", [(200.0, 0.0, 0.0), (1.0, 3e9, 0.0), (1.0, 0.0, 2e9)])
@pytest.mark.parametrize("answer", ["n\n", "what\n", ""])
def test_long_or_large_work_is_not_begun_without_consent(
    size: tuple[float, float, float], answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asked(monkeypatch, answer)
    with pytest.raises(InterruptedRunError, match="take less") as refused:
        confirm_long_run(WorkEstimate("a sum", *size))
    assert refused.value.exit_code == 130
    assert shown.getvalue().rstrip("\n").endswith("Start? [Y/n] ")
    shown = asked(monkeypatch, "")  # Ctrl-C at the question ends its line
    monkeypatch.setattr(sys.stdin, "readline", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        confirm_long_run(HOURS)
    assert shown.getvalue().endswith("Start? [Y/n] \n")


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_without_a_terminal_long_work_is_refused_and_the_rest_announced(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asked(monkeypatch, "y\n")
    monkeypatch.setattr(sys, stream, io.StringIO("y\n"))
    notes: list[str] = []
    monkeypatch.setattr(consent, "note", notes.append)
    confirm_long_run(SOME)
    confirm_long_run(WorkEstimate("a sum", 29.0, 0.4e9, 0.4e9))
    confirm_long_run(HOURS, yes=True)
    assert notes == [str(SOME), str(HOURS)]
    with pytest.raises(TooLargeError, match=r"about 2 hours.* Add --yes to start, or take fewer"):
        confirm_long_run(HOURS)
    with pytest.raises(TooLargeError, match=r"about 32 years\b.*take less"):
        confirm_long_run(WorkEstimate("a sum", 1e9), yes=True)
    monkeypatch.setattr(memory, "available_memory", lambda: 2_500_000_000)
    with pytest.raises(TooLargeError, match=r"needs 3\.0 GB of memory, and 2\.5 GB"):
        confirm_long_run(HOURS, yes=True)
    assert shown.getvalue() == ""


# Command lines that would run for long, or for ever, or take all memory, and their errors.
REFUSED = [
    ("gtc -g 1 -p 256", 2, "must be from 1 to 255"),
    ("gtc --exact -p 50", 1, "years"),
    ("reach -p 255", 1, "memory"),
    ("sample -n 1000000000000000000", 1, "years"),
    ("sample -n 1000000000000 --json", 1, "memory"),
    ("reach --samples 1000000000000000000", 1, "years"),
    ("enumerate --path murray -p 200", 1, "years"),
    ("solve -p 255 -o x.urcx", 1, " are free"),
    ("regret -p 255", 1, "urcx solve --rules finkel -p 255"),
    ("match random optimal -p 255", 1, "urcx solve --rules finkel -p 255"),
    ("gtc -g 100000000 -p 255", 1, "memory"),
    ("gtc --agent panda:12 --method tree -g 100000", 1, "years"),
    ("journey --pieces 1..1001", 2, "must be from 1 to 15"),
    ("solve -o x.urcx", 1, "up to 1.2 GB of memory, 2.2 GB on disk"),
    ("gtc -p 255 -g 100", 1, "playing 100 games"),
    ("gtc --exact --agent random", 1, "following all games through 275,740,194 states of finkel"),
    ("match panda gain -p 30", 1, "playing 10,000 games"),
    ("lengths --threads 1", 1, "245 plies through 137,870,097 states of finkel"),
    ("reach --threads 1 -p 12", 1, "searching 1,421,329,664 states of finkel will take about 5 m"),
    ("reach --samples 10000000", 1, "searching back"),
    ("perft -d 100", 1, "counting 100 plies"),
    ("ssc --path all -p 1..10000", 1, "closed forms"),
    ("ssc -p 100 --enumerate --path masters", 1, "visiting"),
    ("moves --agent expectimax:11", 1, "looking 10 plies ahead"),
    ("compare masters -p 7 -g 100000000", 1, "playing 100,000,000 games of masters"),
]


@pytest.mark.parametrize(("line", "code", "words"), REFUSED, ids=[line for line, *_ in REFUSED])
def test_long_or_impossible_work_is_refused_at_once(
    line: str, code: int, words: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**11)  # of a large machine
    monkeypatch.setattr("urcx.games.simulator.check_memory", memory.check_memory)
    monkeypatch.setattr("shutil.disk_usage", lambda _: mock.Mock(free=10**13))
    with time_limit(60):
        assert words in assert_one_line(run(*line.split()), code)
    assert list(here.iterdir()) == []


# The measured costs, times exact counts.


@pytest.mark.jit
def test_memory_and_disk_are_what_the_work_takes() -> None:
    four, three = urcx.ruleset("finkel", pieces=4), urcx.ruleset("finkel", pieces=3)
    assert solving(four, None).memory == memory_needed(LayerOrder(four))
    peak = 5_688_819_712  # of urcx solve --rules seleucid, with eight rolls
    assert peak < memory_needed(LayerOrder(urcx.ruleset("seleucid", pieces=7))) < 1.2 * peak
    # A file takes its layers and itself.
    assert solving(three, None, 2).disk == 263_121 * (8 + 2)
    assert solving(three, None).disk == 0
    assert "130,174 states" in solving(urcx.ruleset("murray", pieces=2)).what
    # An agent's values stay in memory while its games are followed.
    ready = Policies(urcx.ruleset("finkel"), 10**9)
    rule, network = (
        following(ready, [(one, one)])[-1].memory for one in (agent("greedy"), agent("learned"))
    )
    assert network == rule + 4 * 137_913_936  # 32 bits for each diagram


def test_games_on_paths_that_cross_tiles_twice_are_known_to_be_long() -> None:
    # 12 to 40 games each of panda:3, panda:4 and panda:5 had 2,473, 1,911 and 2,619 plies on
    # murray, 1,443, 1,423 and 1,408 on skiriuk; of murray with three pieces 379.
    for name, pieces, least, most in (
        ("murray", 7, 1900, 2700), ("skiriuk", 7, 1200, 1900), ("murray", 3, 300, 500),
        ("finkel", 7, 50, 200),
    ):  # fmt: skip
        assert least < plies_of(urcx.ruleset(name, pieces=pieces)) < most


def test_a_check_reckons_with_solving_again_where_no_bound_is_known(
    one_piece: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = tmp_path / "one.rgu"
    assert run("export", str(one_piece), str(foreign)).code == 0
    with open_solution(one_piece) as base:
        (swept,) = solve._checking(base, 1)
    with open_solution(foreign) as base:
        again = solve._checking(base, 1)
        assert again[0].seconds == swept.seconds
        assert again[1].seconds == solving(base.rules, 1).seconds
        assert again[1].memory == memory_needed(base.order)
        # Where there is no room, the check goes without, and so does the estimate.
        monkeypatch.setattr(solve, "available_memory", lambda: 1000)
        assert len(solve._checking(base, 1)) == 1


def test_more_threads_than_are_useful_are_capped_with_a_note() -> None:
    result = run("reach", "-p", "1", "--threads", "100000000")
    assert result.code == 0
    assert re.match(r"urcx: --threads 100000000: this machine can start \d+", result.err)
    assert result.out == run("reach", "-p", "1", "--threads", "1").out


def test_figures_that_share_a_computation_are_estimated_once() -> None:
    finkel, file = urcx.ruleset("finkel", pieces=7), Path("finkel.urcx")

    def work(quantity: str, *params: dict[str, str]) -> list[str]:
        return [one.what for one in _computing_again((quantity, finkel, file, p) for p in params)]

    followed = "following all games through 275,740,194 states of finkel"
    pairs = [{"agent": "greedy", "opponent": "random"}, {"agent": "random", "opponent": "greedy"}]
    assert work("share", *pairs).count(followed) == 1
    assert work("perfect-plies", {})[-1] == followed
    assert work("reach", {}) == work("arrivals", {}) == ["searching 137,913,936 states of finkel"]
    assert work("opening", {}) == work("move-chance", {}) == work("centre-worth", {}) == []
    assert "playing 20,000 games" in work("regret-factor", {})[-1]

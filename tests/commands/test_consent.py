"""What is said and asked before long work, and what is estimated."""

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
from urcx.commands import consent
from urcx.commands.consent import agree
from urcx.engine import memory
from urcx.engine.work import WorkEstimate, duration
from urcx.enumerate import perft
from urcx.enumerate.costs import searching
from urcx.errors import InterruptedRunError, TooLargeError
from urcx.expectations.costs import following
from urcx.games.costs import playing, plies_of
from urcx.published import verify
from urcx.rules.model import RuleSet
from urcx.solving import costs
from urcx.solving.costs import checking, solving
from urcx.solving.files.rgu import open_solution
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import LayerOrder

pytest_plugins = ["command_fixtures"]

HOURS = WorkEstimate("solving 5 states", 7200.0, 3e9, 5e9, "take fewer")


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


def test_an_estimate_says_time_memory_and_disk() -> None:
    assert str(HOURS) == (
        "solving 5 states will take about 2 hours, up to 3.0 GB of memory, 5.0 GB on disk"
    )
    assert str(WorkEstimate("a sum", 3.0)) == "a sum will take about 3 s"
    seconds = (0.01, 45, 119, 120, 7200, 172_800, 10**9, 1e20)
    assert [duration(one) for one in seconds] == [
        "1 s", "45 s", "119 s", "2 minutes", "2 hours", "2 days", "32 years", "3e+12 years",
    ]  # fmt: skip


def test_time_memory_or_disk_is_asked_for_where_it_is_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = asked(monkeypatch, "n\n")
    for small in ((1.0, 0.0, 0.0), (179.0, 1.9e9, 0.4e9)):
        agree(WorkEstimate("a sum", *small))
    assert shown.getvalue() == ""
    for large in ((200.0, 0.0, 0.0), (1.0, 3e9, 0.0), (1.0, 0.0, 2e9)):
        shown = asked(monkeypatch, "n\n")
        with pytest.raises(InterruptedRunError, match="not begun"):
            agree(WorkEstimate("a sum", *large))
        assert shown.getvalue().endswith("Go on? [Y/n] ")


def test_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in ("\n", "y\n", "Yes\n"):
        asked(monkeypatch, answer)
        agree(HOURS)
    for answer in ("n\n", "what\n", ""):
        asked(monkeypatch, answer)
        with pytest.raises(InterruptedRunError, match="take fewer, or use --yes") as refused:
            agree(HOURS)
        assert refused.value.exit_code == 130
    shown = asked(monkeypatch, "n\n")
    agree(HOURS, yes=True)
    assert shown.getvalue() == f"urcx: {HOURS}\n"
    # A terminal shows a bar for time, but not what is written to its disk.
    shown = asked(monkeypatch, "n\n")
    agree(SOME)
    assert shown.getvalue() == f"urcx: {SOME}\n"
    # Parts add up but for memory.
    shown = asked(monkeypatch, "\n")
    agree(WorkEstimate("first", 100.0, 2.5e9, 1e9), HOURS, yes=True)
    assert "2 hours, up to 3.0 GB of memory, 6.0 GB on disk" in shown.getvalue()
    agree()
    # Ctrl-C at the question ends its line.
    shown = asked(monkeypatch, "")
    monkeypatch.setattr(sys.stdin, "readline", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        agree(HOURS)
    assert shown.getvalue().endswith("Go on? [Y/n] \n")


SOME = WorkEstimate("solving 4 states", 83.0, 1.2e9, 0.6e9, "take fewer")


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_without_a_terminal_what_is_long_is_refused_and_the_rest_told(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asked(monkeypatch, "y\n")
    monkeypatch.setattr(sys, stream, io.StringIO("y\n"))
    notes: list[str] = []
    monkeypatch.setattr(consent, "note", notes.append)
    agree(SOME)
    agree(WorkEstimate("a sum", 29.0, 0.4e9, 0.4e9))
    agree(HOURS, yes=True)
    assert notes == [str(SOME), str(HOURS)]
    assert "83 s, up to 1.2 GB of memory, 600 MB on disk" in notes[0]
    with pytest.raises(TooLargeError, match=r"about 2 hours.* add --yes to begin, or take fewer"):
        agree(HOURS)
    assert shown.getvalue() == ""


def test_what_is_impossible_is_refused_before_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = asked(monkeypatch, "\n")
    with pytest.raises(TooLargeError, match="about 32 years; take less"):
        agree(WorkEstimate("a sum", 1e9), yes=True)
    monkeypatch.setattr(memory, "available_memory", lambda: 2_500_000_000)
    with pytest.raises(TooLargeError, match=r"needs 3\.0 GB of memory, and 2\.5 GB"):
        agree(HOURS)
    assert shown.getvalue() == ""


# Estimates are counts times rates; the counts are exact.


def test_estimates_count_states() -> None:
    finkel = urcx.ruleset("finkel", pieces=7)
    assert "137,870,097 states" in solving(finkel, 1).what
    assert "137,913,936 states" in searching(finkel, 1).what
    assert "275,740,194 states" in str(_following(finkel))
    murray = urcx.ruleset("murray", pieces=2)
    assert "130,174 states" in solving(murray, 1).what


@pytest.mark.jit
def test_memory_and_disk_are_what_the_work_takes() -> None:
    four, three = urcx.ruleset("finkel", pieces=4), urcx.ruleset("finkel", pieces=3)
    assert solving(four, None).memory == memory_needed(LayerOrder(four))
    peak = 5_688_819_712  # of urcx solve --rules seleucid, with eight rolls
    assert peak < memory_needed(LayerOrder(urcx.ruleset("seleucid", pieces=7))) < 1.2 * peak
    # A file takes its layers and itself.
    assert solving(three, None, 2).disk == 263_121 * (8 + 2)
    assert solving(three, None).disk == 0
    # An agent's values stay in memory while its games are followed.
    ready = Policies(urcx.ruleset("finkel"), 10**9)
    rule, network = (
        following(ready, [(one, one)], "alternate", None)[-1].memory
        for one in (agent("greedy"), agent("learned"))
    )
    assert network == rule + 4 * 137_913_936  # 32 bits for each diagram


def _following(chosen: RuleSet) -> WorkEstimate:
    one = agent("random")
    ready = Policies(chosen, 10**9)
    return following(ready, [(one, one)], "alternate", 1)[-1]


def test_games_on_paths_that_cross_tiles_twice_are_known_to_be_long() -> None:
    # 12 to 40 games each of panda:3, panda:4 and panda:5 had 2,473, 1,911 and 2,619 plies on
    # murray, 1,443, 1,423 and 1,408 on skiriuk; of murray with three pieces 379.
    assert 1_900 < plies_of(urcx.ruleset("murray", pieces=7)) < 2_700
    assert 1_200 < plies_of(urcx.ruleset("skiriuk", pieces=7)) < 1_900
    assert 300 < plies_of(urcx.ruleset("murray", pieces=3)) < 500
    assert plies_of(urcx.ruleset("finkel", pieces=7)) < 200


def test_more_pieces_games_and_plies_take_longer() -> None:
    few, many = urcx.ruleset("finkel", pieces=2), urcx.ruleset("finkel", pieces=5)
    for work in (
        lambda chosen: solving(chosen, 1),
        lambda chosen: searching(chosen, 1),
        _following,
        lambda chosen: _games(chosen, "random", 100),
        lambda chosen: _games(chosen, "panda:4", 100),
    ):
        assert work(few).seconds < work(many).seconds
    assert _games(many, "random", 10).seconds < _games(many, "random", 1000).seconds
    assert _games(many, "greedy", 10).seconds < _games(many, "panda:5", 10).seconds
    (short,), (deep,) = (perft.cost(many, depth, divide=False) for depth in (3, 9))
    assert short.seconds < deep.seconds
    finkel = urcx.ruleset("finkel", pieces=5)
    assert solving(finkel, 16).seconds == solving(finkel, None).seconds, (
        "threads beyond the cores do not count"
    )


def _games(chosen: RuleSet, name: str, games: int) -> WorkEstimate:
    one = agent(name)
    ready = Policies(chosen, games, method="tree")
    return playing(ready, [(one, one)], games, 1)[-1]


# Command lines that would run for ever, or take all memory, and what they say.

REFUSED = [
    ("gtc -g 1 -p 256", 2, "games have from 1 to 255"),
    ("gtc --exact -p 50", 1, "years"),
    ("reach -p 255", 1, "memory"),
    ("sample -n 1000000000000000000", 1, "years"),
    ("sample -n 1000000000000 --json", 1, "memory"),
    ("reach --samples 1000000000000000000", 1, "years"),
    ("enumerate --path murray -p 200", 1, "years"),
    ("solve -p 255 -o x.urcx", 1, "GB are free"),
    ("regret -p 255", 1, "too many to solve at once"),
    ("match random optimal -p 255", 1, "too many to solve at once"),
    ("gtc -g 100000000 -p 255", 1, "memory"),
    ("gtc --agent panda:12 --method tree -g 100000", 1, "years"),
    ("journey --tiles 1..1001", 2, "1001 is not from 1 to 1000"),
]


@pytest.fixture
def large_machine(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have as much memory and disk as a large machine, so that nothing depends on this one."""
    monkeypatch.setattr(memory, "available_memory", lambda: 10**11)
    monkeypatch.setattr("urcx.games.simulator.check_memory", memory.check_memory)
    return here


@pytest.mark.parametrize(("line", "code", "words"), REFUSED, ids=[line for line, *_ in REFUSED])
def test_sizes_that_cannot_be_done_are_refused_at_once(
    line: str, code: int, words: str, large_machine: Path
) -> None:
    with time_limit(60):
        assert words in assert_one_line(run(*line.split()), code)
    assert list(large_machine.iterdir()) == []


ANNOUNCED = [
    ("solve -p 30", "urcx.solving.solution.solve", "states of finkel"),
    ("solve -p 30 -o x.urcx", "urcx.solving.solution.solve", "on disk"),
    ("gtc -p 255 -g 100", "urcx.published.gtc.gtc", "playing 100 games"),
    ("gtc --exact --agent random", "urcx.published.gtc.gtc", "following all games"),
    ("match panda gain -p 30", "urcx.games.match.match", "playing 30,000 games"),
    ("reach --samples 10000000", "urcx.enumerate.reach_sampling.estimate", "searching back"),
    ("perft -d 100", "urcx.enumerate.perft.perft", "counting 100 plies"),
    ("ssc --path all -p 1..10000", "urcx.enumerate.state_space.state_spaces", "closed forms"),
    ("ssc -p 100 --enumerate --path masters", "urcx.enumerate.state_space.enumerated", "visiting"),
    ("moves --agent expectimax:11", "urcx.agents.advice.Adviser", "looking 10 plies ahead"),
]


class BegunError(Exception):
    """What was to be announced has begun."""


@pytest.mark.parametrize(("line", "name", "words"), ANNOUNCED, ids=[row[0] for row in ANNOUNCED])
@pytest.mark.usefixtures("large_machine")
def test_what_is_long_is_announced_or_refused(
    line: str, name: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10**15}))
    monkeypatch.setattr(name, mock.Mock(side_effect=BegunError))
    shown = io.StringIO()
    monkeypatch.setattr(consent, "note", shown.write)
    with time_limit(60):
        with pytest.raises(BegunError):
            run(*line.split(), "--yes")
        refused = assert_one_line(run(*line.split()), 1)
    assert shown.getvalue() in refused
    assert re.search(r"will take about \d", shown.getvalue())
    assert words in shown.getvalue()


def test_a_check_reckons_with_solving_again_where_no_bound_is_known(
    one_piece: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = tmp_path / "one.rgu"
    assert run("export", str(one_piece), str(foreign)).code == 0
    with open_solution(one_piece) as base:
        (swept,) = checking(base, 1)
    with open_solution(foreign) as base:
        again = checking(base, 1)
        assert again[0].seconds == swept.seconds
        assert again[1].seconds == solving(base.rules, 1).seconds
        assert again[1].memory == memory_needed(base.order)
        assert all(part.advice == swept.advice for part in again)
        # Where there is no room, the check goes without, and so does the estimate.
        monkeypatch.setattr(costs, "available_memory", lambda: 1000)
        assert len(checking(base, 1)) == 1


def test_more_threads_than_are_useful_are_capped_with_a_note() -> None:
    result = run("reach", "-p", "1", "--threads", "100000000")
    assert result.code == 0
    assert re.match(r"urcx: --threads 100000000: no more than \d+ are started", result.err)
    assert result.out == run("reach", "-p", "1", "--threads", "1").out


def test_figures_that_share_a_computation_are_estimated_once() -> None:
    finkel, file = urcx.ruleset("finkel", pieces=7), Path("finkel.urcx")

    def said(quantity: str, **params: str) -> list[str]:
        return [one.what for one in verify.cost([(quantity, finkel, file, params)])]

    followed = "following all games through 275,740,194 states of finkel"
    pairs = [{"agent": "greedy", "opponent": "random"}, {"agent": "random", "opponent": "greedy"}]
    once = verify.cost([("share", finkel, file, pair) for pair in pairs])
    assert [one.what for one in once].count(followed) == 1
    assert said("perfect-plies")[-1] == followed
    assert said("reach") == said("arrivals") == ["searching 137,913,936 states of finkel"]
    assert said("opening") == said("move-chance") == said("centre-worth") == []
    assert "playing 20,000 games" in said("regret-factor")[-1]

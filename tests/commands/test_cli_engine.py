"""urcx engine in a dialogue with another program, and programs as agents of commands."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from command_line import assert_one_line, run, run_process

import urcx

pytest_plugins = ["command_fixtures"]
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "engine.py"
MINE = f"engine:{shlex.join([sys.executable, str(EXAMPLE)])}"


def said(*lines: str, agent: str = "first") -> list[str]:
    """Return what urcx answers to some lines."""
    found = run("engine", agent, stdin="".join(f"{line}\n" for line in lines))
    assert (found.code, found.err) == (0, "")
    return found.out.splitlines()


def test_it_says_who_it_is_and_plays_what_is_asked() -> None:
    assert said("\ufeffurgi\r", "quit", "isready") == [
        f"id name urcx {urcx.__version__}, first",
        "option name rules type string default finkel",
        "option name pieces type spin default 7 min 1 max 255",
        "urgiok",
    ]
    begun = ("position -/-/0-0/L", "roll 2")
    assert said(*begun, "go", "go seed 3", "", "roll 0", "go") == [
        *["bestmove 0-2"] * 2,
        "bestmove pass",
    ]
    assert said("setoption name rules value masters", "isready", *begun, "go")[0] == "readyok"
    # A move on the board by tiles, and of a player of one's own.
    assert said("position A3/C2,B2/5-5/L", "roll 4", "go") == ["bestmove 0-4"]
    assert said("position A3/C2,B2/5-5/L", "roll 4", "go", agent="greedy") == ["bestmove 2-6"]


def test_the_rest_of_a_line_that_is_too_long_is_no_command() -> None:
    assert said(f"info {'x' * 9_995}urgi", "isready")[1:] == ["readyok"]


def test_seeds_decide_where_chance_does() -> None:
    begun = ("position 1,3,6/-/0-0/L", "roll 1")
    lines = [f"go seed {seed}" for seed in (*range(20), *range(20))]
    found = said(*begun, *lines, agent="random")
    assert found[:20] == found[20:]
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("go", "position POSITION"),
        ("roll 2|go", "position"),
        ("position -/-/0-0/L|go", "roll NUMBER"),
        ("position -/-/9-0/L|roll 2|go", "home"),
        ("position -/-/7-0/D|roll 2|go", "the game is over"),
        ("position|go", "'position': must be position POSITION"),
        ("position -/-/0-0/L|roll 5|go", "roll 5"),
        ("position -/-/0-0/L|roll two|go", "roll 'two': must be an integer"),
        ("position -/-/0-0/L|roll 2|go seed 1e9", "seed '1e9': must be an integer"),
        ("position -/-/0-0/L|roll 2|go fast", "'go fast': must be go, or go seed"),
        ("setoption name pieces value 0|isready", "pieces 0: must be from 1 to 255"),
        ("setoption name rules value fnkel|isready", "did you mean finkel"),
        ("setoption name hash value 8|isready", "unknown option 'hash'; known: rules, pieces"),
        ("setoption hash 8|isready", "'setoption hash 8': must be setoption name"),
    ],
)
def test_a_question_has_one_answer_which_says_what_was_wrong(lines: str, error: str) -> None:
    *_, question = lines.split("|")
    after = ("setoption name rules value finkel", "position -/-/0-0/L", "roll 2", "go")
    first, *rest = said(*lines.split("|"), question if question == "isready" else "isready", *after)
    assert first.startswith("error ")
    assert error in first
    assert rest == ["readyok", "bestmove 0-2"], "it goes on"
    # A position that is said again is right again.
    assert said(*lines.split("|")[:-1], *after)[-1] == "bestmove 0-2"


def test_what_is_unknown_is_a_remark_whatever_bytes_it_is() -> None:
    found = run_process("engine", "first", stdin=b"stop\n\xff\x1b[1m\nisready\n" + b"x" * 30_000)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("info unknown command 'stop'; known: urgi, isready, go, setoption")
    assert "\x1b" not in found.out
    assert [line for line in found.out.splitlines() if not line.startswith("info ")] == ["readyok"]


def test_what_urcx_plays_by_is_opened_and_checked(one_piece: Path) -> None:
    begun = ("setoption name pieces value 1", "isready", "position A3/C4/0-0/D", "roll 4", "go")
    known = urcx.hint(urcx.Game("finkel", "A3/C4/0-0/D", pieces=1), 4).moves[0]
    best = f"bestmove 1-5 value {float(known.chance or 0)!r}"
    for agent in ("optimal", f"optimal:{one_piece}"):
        assert said(*begun, agent=agent) == ["readyok", best]
    assert run("engine", stdin="\n".join(begun)).out.splitlines() == ["readyok", best]
    two = ("setoption name pieces value 2", "isready", *begun)
    wrong, *rest = said(*two, agent=f"optimal:{one_piece}")
    assert "is of finkel with 1 piece, not of finkel with 2" in wrong
    assert rest == ["readyok", best]
    assert "unknown agent" in assert_one_line(run("engine", "nobody"), 2)
    assert "no such file" in assert_one_line(run("engine", "--path-file", "none"), 2).lower()


def test_programs_play_in_commands() -> None:
    line = ("match", MINE, "first", "-p", "2", "-g", "20", "--json")
    assert run(*line).json["agents"] == [MINE, "first"]
    played = run("play", "-p", "1", "--against", MINE, "--seed", "1", stdin="1\n" * 50)
    assert f"You (light) against {MINE} (dark)" in played.out
    shown = run("moves", "2,6/7/0-0/L", "--roll", "1", "--agent", MINE, "--json").json
    assert [row["plays"] for row in shown["rows"]] == ["0", "0", "1"]


@pytest.mark.posix("sleeps")
def test_a_program_that_hangs_ends_the_match_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = tmp_path / "bot.sh"
    script.write_text(
        f'echo $$ >> {file}; read x; echo urgiok; while read x; do [ "$x" = isready ] && break; '
        "done; echo readyok; sleep 1000"
    )
    line = ("match", f"engine:0.5:sh {script}", "first", "-p", "2", "-g", "4")
    message = assert_one_line(run_process(*line), 1)
    assert "bestmove within 0.5 seconds" in message
    for number in map(int, file.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)

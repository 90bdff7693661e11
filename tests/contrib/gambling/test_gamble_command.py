"""The command gamble: its answers, options, errors and files."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from unittest import mock

import fuzzing
import pytest
from command_line import assert_one_line, completed, run
from hypothesis import HealthCheck, given, settings

from urcx.contrib.gambling import enumerator, state_counts
from urcx.contrib.gambling.rules import CHOICES, gambling_game, load_gambling, read_game_file
from urcx.contrib.gambling.simulator import gamble
from urcx.errors import CatalogueError
from urcx.rules.catalogue import catalogue

pytest_plugins = ["command_fixtures"]

pytestmark = pytest.mark.usefixtures("here")


TEXT = resources.files("urcx.contrib.gambling").joinpath("data", "gamble.toml").read_text("utf-8")
GAMBLES = ("gamble", "--games", "20", "--agent", "random", "--seed", "3")


@pytest.fixture(autouse=True)
def few_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enumerate one and two pieces only, which is fast even without compilation."""
    monkeypatch.setattr(state_counts, "QUICK", 50_000)


def test_as_json() -> None:
    data = run(*GAMBLES, "--json").json
    assert data["schema"] == "urcx.gamble/1"
    assert (data["games"], data["seed"], data["light"]) == (20, 3, "random")
    assert data["choices"] == gambling_game().choices
    assert {"plies", "turns", "choices_per_ply", "choices_per_move"} <= set(data["measures"])
    for group in ("measures", "winnings"):
        for measure in data[group].values():
            low, high = measure["ci95"]
            assert low <= measure["mean"] <= high
    won = data["winnings"]
    assert won["light"]["mean"] + won["dark"]["mean"] + won["pool"]["mean"] == pytest.approx(20)
    wins = data["wins"]
    assert sum(int(wins[name]["games"]) for name in ("light", "dark", "draw")) == 20
    assert [row["convention"] for row in data["gtc"]] == ["allis", "ludii", "sum-log", "entropy"]


def test_states_in_json() -> None:
    states = run(*GAMBLES, "--json").json["states"]
    assert states["exactness"] == "exact"
    # Thirteen steps, pool and home for the swallow; twelve tiles are shared.
    one, two, *_, five = states["rows"]
    assert one == {
        "pieces": 1, "diagrams": str(15 * 15 - 12), "diagrams_any_step": str(18 * 18 - 12),
        "enumerated": str(15 * 15 - 12), "agree": True,
    }  # fmt: skip
    assert two["agree"] is True
    assert five["enumerated"] is None
    assert states["conventions"]["diagrams"] == five["diagrams"]
    on_credit = run(*GAMBLES, "--stakes", "credit", "--json").json["states"]["conventions"]
    assert not any("counters" in name for name in on_credit)
    assert any("counters" in name for name in states["conventions"])


def test_all_pieces_are_enumerated_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    count = mock.Mock(return_value=213)
    monkeypatch.setattr(enumerator, "count_labelled", count)
    assert run(*GAMBLES, "--enumerate", "--wide").out.count("DIFFERS") == 4
    entries = [call.args[1] for call in count.call_args_list]
    assert entries == [gambling_game().entries[:n] for n in range(1, 6)]


def test_as_a_table_and_csv() -> None:
    out = run(*GAMBLES, "--wide").out
    assert out.startswith("itti-marduk-balatu: ")
    assert "(20 games of random, seed 3, " in out
    assert "95 % interval)" in out
    assert "home first" in out
    assert "not visited: add --enumerate" in out
    assert all(choice.question in out for choice in CHOICES.values())
    rows = run(*GAMBLES, "--csv").rows
    assert {row["kind"] for row in rows} == {"measures", "winnings", "gtc"}
    assert all(row["ci95_low"] for row in rows)


def test_two_agents_and_who_begins() -> None:
    sides = ("gamble", "--games", "20", "--light", "greedy", "--dark", "winnings")
    out = run(*sides, "--first", "dark").out
    assert "greedy (light) against winnings (dark)" in out
    assert "dark is the first player" in out
    data = run(*sides, "--first", "light", "--json").json
    assert (data["light"], data["dark"]) == ("greedy", "winnings")
    winnings = data["winnings"]
    assert winnings["first_mover"] == {**winnings["light"], "title": "who began"}


def test_interrupted_games_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = replace(gamble("random", games=20), asked=50)
    monkeypatch.setattr("urcx.contrib.gambling.simulator.gamble", lambda *_, **__: fewer)
    result = run("gamble", "--games", "50", "--json")
    assert result.code == 130
    assert result.err == "urcx: interrupted after 20 of 50 games\n"
    assert '"interrupted": true' in result.out
    assert "interrupted: 50 games" in run("gamble").out


def test_one_gambling_game_has_a_mean_and_no_interval() -> None:
    data = run("gamble", "-g", "1", "--agent", "first", "--json").json
    assert data["winnings"]["light"]["ci95"] is None


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_is_an_option(name: str) -> None:
    choice = CHOICES[name]
    help_text = " ".join(run("gamble", "--help").out.split())
    start = help_text.index(f"--{name} ")
    said = help_text[start : help_text.find(" --", start + 3)]
    assert all(value in said for value in choice.values)
    for value in choice.values:
        data = run("gamble", "-g", "2", "--agent", "random", f"--{name}", value, "--json").json
        assert data["choices"] == {**gambling_game().choices, name: value}
    error = assert_one_line(run("gamble", f"--{name}", "maybe"), 2)
    assert error == f"{name} 'maybe': must be {' or '.join(choice.values)}"


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        """
[gamble.small]
path = "bell"
counters = 2
pool = 3
die = "binary4"
doubling = "1/3"
doubled = { 0 = 5, 1 = 5, 2 = 6, 3 = 7, 4 = 10 }
[gamble.small.piece.dog]
roll = 3
step = 3
counters = 1
""",
        encoding="utf-8",
    )
    data = run("gamble", "-g", "5", "--agent", "random", "--game-file", str(file), "--json").json
    assert data["game"] == "small"
    assert len(data["states"]["rows"]) == 1


def test_the_help_of_gamble_says_the_defaults_of_the_game() -> None:
    choices = gambling_game().choices
    helps = {item.name: item.help for item in fuzzing.subcommands()["gamble"].params}
    assert choices
    for name, value in choices.items():
        assert helps[name].endswith(f"[default: {value}]")


def tried(text: str) -> None:
    Path("mutated.toml").write_text(text, encoding="utf-8")
    result = run("gamble", "--game-file", "mutated.toml", "-g", "2", "--agent", "greedy")
    if result.code:
        assert_one_line(result, result.code)


@settings(max_examples=25, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=fuzzing.mutated(TEXT))
@pytest.mark.jit
def test_mutated_games(text: str) -> None:
    tried(text)


@pytest.mark.slow
@settings(max_examples=500, database=None, suppress_health_check=list(HealthCheck))
@given(text=fuzzing.mutated(TEXT))
@pytest.mark.jit
def test_many_mutated_games(text: str) -> None:
    tried(text)


@pytest.mark.jit
def test_a_row_for_each_gambling_game() -> None:
    games = gamble("greedy", games=6)
    columns = games.to_dict()
    assert (columns["light_plies"] + columns["dark_plies"] == columns["plies"]).all()
    counters = games.game.total
    kept = columns["light_winnings"] + columns["dark_winnings"] + columns["pool"]
    assert (kept + 2 * games.game.counters == counters).all()


ERRORS = {
    "--games 0": "games 0",
    "--agent panda": "unknown agent 'panda'",
    "--agent foo --light last --dark last": "leave out --agent",
    "--dark winnings:9": "depth must be from 1 to 4",
    "--game-file none.toml": "none.toml",
    "-g 30000000 --agent winnings:4": "30,000,000 gambling games will take",
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_one_line(line: str) -> None:
    result = run("gamble", *line.split())
    assert ERRORS[line] in assert_one_line(result, result.code)
    assert result.code != 0


@pytest.mark.posix("named pipes, and links without rights")
def test_pipes_and_links_in_circles_are_no_games() -> None:
    os.mkfifo("pipe")
    assert "regular file" in assert_one_line(run("gamble", "--game-file", "pipe"), 2)
    Path("loop").symlink_to("loop")
    assert "cannot read loop" in assert_one_line(run("gamble", "--game-file", "loop"), 2)


def test_long_games_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.contrib.gambling.simulator.gamble", mock.Mock(side_effect=KeyError))
    message = assert_one_line(run("gamble", "-g", "10000000"), 1)
    assert re.search(r"gambling games\b.* will take about \d", message)


def test_the_shell_completes_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for line, offered in {"--losses o": "opponent", "--dark gre": "greedy"}.items():
        for name, value in completed(f"urcx gamble {line}").items():
            monkeypatch.setenv(name, value)
        assert run().out.split() == [offered]


def test_games_are_nested_to_a_bound_and_files_have_an_end(tmp_path: Path) -> None:
    text = "x = {b = 1, " + " . ".join([r'"a\"."'] * 30_000) + " = 1}"
    with pytest.raises(CatalogueError, match=r"^deep.toml: .* nested more than 20 deep$"):
        load_gambling("deep.toml", text, catalogue())
    file = tmp_path / "long.toml"
    with file.open("wb") as stream:
        stream.truncate(10**12)  # takes no room
    with pytest.raises(CatalogueError, match="more than 10,000,000 bytes"):
        read_game_file(file)


@pytest.mark.posix("file names are bytes")
def test_a_games_file_may_have_a_name_that_is_not_utf_8() -> None:
    file = os.fsdecode(b"gamble\xff.toml")
    Path(file).write_text(TEXT, encoding="utf-8")
    done = run(*GAMBLES, "--game-file", file, "--json")
    assert done.code == 0, done.err.encode(errors="backslashreplace")


@pytest.mark.parametrize("games", ["1", "2"])
def test_intervals_are_promised_only_where_there_are_some(games: str) -> None:
    first = run("gamble", "--agent", "first", "-g", games).out.splitlines()[0]
    assert ("95 % interval" in first) == (games == "2")
    assert ("without an interval" in first) == (games == "1")

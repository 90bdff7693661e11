"""gamble on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from command_line import assert_one_line, run

from urcx.gambling import enumerator, state_counts
from urcx.gambling.rules import CHOICES, gambling_game
from urcx.gambling.simulator import gamble

GAMES = ("gamble", "--games", "20", "--agent", "random", "--seed", "3")


@pytest.fixture(autouse=True)
def few_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enumerate one and two pieces only, so that it takes no time without compilation either."""
    monkeypatch.setattr(state_counts, "QUICK", 50_000)


def test_as_json() -> None:
    data = run(*GAMES, "--json").json
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
    states = run(*GAMES, "--json").json["states"]
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
    on_credit = run(*GAMES, "--stakes", "credit", "--json").json["states"]["conventions"]
    assert not any("counters" in name for name in on_credit)
    assert any("counters" in name for name in states["conventions"])


def test_all_pieces_are_enumerated_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    count = mock.Mock(return_value=213)
    monkeypatch.setattr(enumerator, "count", count)
    assert run(*GAMES, "--enumerate").out.count("DIFFERS") == 4
    entries = [call.args[1] for call in count.call_args_list]
    assert entries == [gambling_game().entries[:n] for n in range(1, 6)]


def test_as_a_table_and_csv() -> None:
    out = run(*GAMES).out
    assert "20 games of random, itti-marduk-balatu, seed 3, each colour begins in turn" in out
    assert "who was home first" in out
    assert "not visited; --enumerate does it" in out
    assert all(choice.question in out for choice in CHOICES.values())
    rows = run(*GAMES, "--csv").rows
    assert {row["kind"] for row in rows} == {"measures", "winnings", "gtc"}
    assert all(row["ci95_low"] for row in rows)


def test_two_agents_and_who_begins() -> None:
    sides = ("--light", "greedy", "--dark", "winnings", "--first", "dark")
    out = run("gamble", "--games", "20", "--seed", "3", *sides).out
    assert "greedy (light) against winnings (dark)" in out
    assert "dark begins" in out
    data = run(*GAMES, "--light", "greedy", "--first", "light", "--json").json
    assert (data["light"], data["dark"]) == ("greedy", "random")
    winnings = data["winnings"]
    assert winnings["first_mover"] == {**winnings["light"], "title": "who began"}


def test_interrupted_games_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = replace(gamble("random", games=20), asked=50)
    monkeypatch.setattr("urcx.gambling.simulator.gamble", lambda *_, **__: fewer)
    result = run("gamble", "--games", "50", "--json")
    assert result.code == 130
    assert result.err == "urcx: interrupted after 20 of 50 games\n"
    assert '"interrupted": true' in result.out
    assert "interrupted: 50 games were asked for" in run("gamble").out


def test_games_depend_on_the_seed_and_not_on_threads() -> None:
    one, two = (run(*GAMES, "--threads", n, "--json").out for n in ("1", "2"))
    assert one == two
    assert one != run(*GAMES[:-1], "4", "--json").out
    # One game has a mean and no interval.
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


def test_a_match() -> None:
    arguments = ("gamble", "--match", "random, first", "--games", "10")
    data = run(*arguments, "--json").json
    assert data["agents"] == ["random", "first"]
    pairs = {(row["agent"], row["opponent"]): row for row in data["rows"]}
    assert [*pairs] == [("random", "random"), ("random", "first"), ("first", "first")]
    out = run(*arguments).out
    assert "Counters won, 10 games of each pair" in out
    line = next(line for line in out.splitlines() if line.startswith("first "))
    assert f"{pairs['random', 'first']['opponent_winnings']:+.2f} ± " in line
    rows = run(*arguments, "--csv").rows
    assert [row["agent"] for row in rows] == ["random", "random", "first"]


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

"""The reports on the gambling game."""

from __future__ import annotations

from functools import cache

from urcx.gambling.match import gamble_match, gamble_match_report
from urcx.gambling.records import Gambles, gamble_wins, winnings
from urcx.gambling.rules import gambling_game
from urcx.gambling.simulator import gamble
from urcx.gambling.state_counts import PieceStates, game_conventions

COUNTED = (PieceStates(1, 10, 12, 10), PieceStates(2, 100, 144, 99), PieceStates(3, 10**9, 1, None))


@cache
def games() -> Gambles:
    return gamble("first", "last", games=30, seed=4)


def test_whether_as_many_states_were_visited() -> None:
    report = games().report(COUNTED)
    cells = [row[3] for row in report.tables[3].rows]
    assert cells == ["agrees", "DIFFERS", "not visited; --enumerate does it"]
    assert [getattr(cell, "tone", None) for cell in cells] == ["good", "bad", None]
    assert [row["agree"] for row in report.data["states"]["rows"]] == [True, False, None]
    known = {name: str(count) for name, count in game_conventions(games().game).items()}
    assert report.data["states"]["conventions"] == known


def test_counters_and_ends_stand_side_by_side() -> None:
    report = games().report()
    rows = {row[0]: row for row in report.tables[1].rows}
    light = next(m for m in winnings(games()) if m.name == "light")
    share = gamble_wins(games())["light"] / 30
    assert rows[light.title][1] == f"{light.mean:+.3f}"
    assert rows[light.title][4] == f"{share:.2%}"
    assert rows["neither"][4] == f"{gamble_wins(games())['draw'] / 30:.2%}"
    assert report.data["wins"]["light"] == {
        "games": str(gamble_wins(games())["light"]),
        "share": share,
        "ci95": report.data["wins"]["light"]["ci95"],
    }


def test_a_match_has_each_pair_from_both_sides() -> None:
    game = gambling_game()
    pairs = gamble_match(["first", "last"], game, games=20, seed=1)
    report = gamble_match_report(game, pairs, 20, 1, ())
    assert report.data["agents"] == ["first", "last"]
    assert [(row["agent"], row["opponent"]) for row in report.records] == [
        (pair.agent.name, pair.opponent.name) for pair in pairs
    ]
    row, pair = report.records[1], pairs[1]
    assert row["winnings"] == pair.won.mean
    assert (row["opponent_winnings_ci95_low"], row["opponent_winnings_ci95_high"]) == pair.lost.ci95
    assert report.tables[0].rows[0][2].startswith(f"{pair.won.mean:+.2f}")
    assert report.tables[0].rows[1][1].startswith(f"{pair.lost.mean:+.2f}")

"""The reports on the gambling game."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from urcx.contrib.gambling.records import Gambles, gamble_wins, winnings
from urcx.contrib.gambling.simulator import gamble
from urcx.contrib.gambling.state_counts import PieceStates, game_conventions

COUNTED = (PieceStates(1, 10, 10, 12), PieceStates(2, 100, 99, 144), PieceStates(3, 10**9, None, 1))


@cache
def games() -> Gambles:
    return gamble("first", "last", games=30, seed=4)


def test_whether_as_many_states_were_visited() -> None:
    report = replace(games(), states=COUNTED)
    cells = [row[3] for row in report.tables()[3].rows]
    assert cells[:2] == ["agrees", "DIFFERS"]
    assert "--enumerate" in cells[2]
    assert [getattr(cell, "tone", None) for cell in cells] == ["good", "bad", None]
    assert [row["agree"] for row in report.document()["states"]["rows"]] == [True, False, None]
    known = {name: str(count) for name, count in game_conventions(games().game).items()}
    assert report.document()["states"]["conventions"] == known


def test_counters_and_ends_stand_side_by_side() -> None:
    report = games()
    rows = {row[0]: row for row in report.tables()[1].rows}
    light = next(m for m in winnings(games()) if m.name == "light")
    share = gamble_wins(games())["light"] / 30
    assert {"first player", "second player", "home first", "not home first"} <= set(rows)
    assert rows[light.title][1].startswith(f"{light.mean:+.3f} \u00b1 ")
    assert rows[light.title][3].startswith(f"{100 * share:.0f} % (")
    assert rows["neither"][3].startswith(f"{gamble_wins(games())['draw'] / 0.3:.0f} % (")
    assert report.document()["wins"]["light"] == {
        "games": str(gamble_wins(games())["light"]),
        "share": share,
        "ci95": report.document()["wins"]["light"]["ci95"],
    }

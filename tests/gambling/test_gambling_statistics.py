from __future__ import annotations

import math

import numpy as np
import pytest

from urcx.errors import InterruptedRunError, UnknownNameError, UsageError
from urcx.gambling import game_kernels as kernels
from urcx.gambling import match as matching
from urcx.gambling.agents import gambler
from urcx.gambling.match import gamble_match
from urcx.gambling.records import Gambles, estimates, measures, winnings, wins
from urcx.gambling.rules import gambling_game
from urcx.gambling.simulator import gamble, logged
from urcx.games.match import pair_seed

GAME = gambling_game().with_pieces(2)


@pytest.fixture(scope="module")
def played() -> Gambles:
    """Return games that several tests look at; collecting tests plays none."""
    return gamble("random", "greedy", GAME, games=30, seed=7)


def test_measures_are_what_the_games_say(played: Gambles) -> None:
    found = {m.name: m.mean for m in measures(played)}
    logs = [logged(played, k) for k in range(30)]
    plies = np.concatenate(logs)
    legal = plies[:, kernels.LEGAL]
    moved = plies[:, kernels.PIECE] >= 0
    lost = (plies[:, kernels.SECOND] == 1) & (plies[:, kernels.YES] == 0)
    assert found["plies"] == pytest.approx(len(plies) / 30)
    assert found["moves"] == pytest.approx(moved.sum() / 30)
    assert found["passes"] == pytest.approx((~moved).sum() / 30)
    assert found["decisions"] == pytest.approx((legal >= 2).sum() / 30)
    assert found["thrown"] == pytest.approx(plies[:, kernels.SECOND].sum() / 30)
    assert found["lost"] == pytest.approx(lost.sum() / 30)
    assert found["choices_per_ply"] == pytest.approx(legal.mean())
    assert found["choices_per_roll"] == pytest.approx(legal.sum() / (~lost).sum())
    assert found["choices_per_move"] == pytest.approx(legal[moved].mean())
    assert found["choices_per_decision"] == pytest.approx(legal[legal >= 2].mean())
    turns = sum(1 + int((np.diff(log[:, kernels.SIDE]) != 0).sum()) for log in logs)
    assert found["turns"] == pytest.approx(turns / 30)


def test_options_and_entropy() -> None:
    # Only random chooses by chance; dice: two bits for the first, one for each second.
    found = {m.name: m.mean for m in measures(gamble("random", game=GAME, games=20))}
    dice = found["plies"] * math.log10(4) + found["thrown"] * math.log10(2)
    assert found["entropy"] == pytest.approx(found["sum_log10_options"] + dice)
    fixed = {m.name: m.mean for m in measures(gamble("first", game=GAME, games=20))}
    dice = fixed["plies"] * math.log10(4) + fixed["thrown"] * math.log10(2)
    assert fixed["entropy"] == pytest.approx(dice)
    assert found["options_per_choice"] > 1


def test_estimates_are_the_conventions_of_gtc(played: Gambles) -> None:
    found = {m.name: m.mean for m in measures(played)}
    trees = {e.convention.name: e.log10 for e in estimates(played)}
    assert set(trees) == {"allis", "ludii", "sum-log", "entropy"}
    assert trees["allis"] == pytest.approx(found["moves"] * math.log10(found["choices_per_move"]))
    assert trees["sum-log"] == pytest.approx(found["sum_log10_options"])
    assert trees["entropy"] == pytest.approx(found["entropy"])


def test_winnings_by_everybody(played: Gambles) -> None:
    found = {m.name: m.mean for m in winnings(played)}
    ends = played.purses.tolist()
    assert found["light"] == pytest.approx(sum(end[0] - 15 for end in ends) / 30)
    assert found["dark"] == pytest.approx(sum(end[1] - 15 for end in ends) / 30)
    assert found["pool"] == pytest.approx(sum(end[2] for end in ends) / 30)
    both = found["light"] + found["dark"]
    assert found["first_mover"] + found["second_mover"] == pytest.approx(both)
    assert found["finisher"] + found["other"] == pytest.approx(both)
    assert both == pytest.approx(20 - found["pool"])
    rows = played.results.tolist()
    first = sum(end[row[0]] - 15 for end, row in zip(ends, rows, strict=True)) / 30
    home = sum(end[row[1]] - 15 for end, row in zip(ends, rows, strict=True)) / 30
    assert (found["first_mover"], found["finisher"]) == pytest.approx((first, home))


def test_wins_are_by_counters(played: Gambles) -> None:
    found = wins(played)
    ends, rows = played.purses.tolist(), played.results.tolist()
    assert found == {
        "light": sum(a > b for a, b, _ in ends),
        "dark": sum(a < b for a, b, _ in ends),
        "draw": sum(a == b for a, b, _ in ends),
        "first_mover": sum(
            end[row[0]] > end[1 - row[0]] for end, row in zip(ends, rows, strict=True)
        ),
        "finisher": sum(end[row[1]] > end[1 - row[1]] for end, row in zip(ends, rows, strict=True)),
    }
    # Being home first is not winning.
    assert found["finisher"] < 30 - found["draw"]


def test_a_match_is_games_with_each_colour() -> None:
    pairs = gamble_match(["random", "greedy"], GAME, games=9, seed=3)
    assert [(p.agent.name, p.opponent.name) for p in pairs] == [
        ("random", "random"),
        ("random", "greedy"),
        ("greedy", "greedy"),
    ]
    pair = pairs[1]
    one = gamble(
        "random", "greedy", GAME, games=5, first="coin", seed=seed(3, "random", "greedy", 0)
    )
    other = gamble(
        "greedy", "random", GAME, games=4, first="coin", seed=seed(3, "greedy", "random", 1)
    )
    mine = [*one.winnings[:, 0].tolist(), *other.winnings[:, 1].tolist()]
    theirs = [*one.winnings[:, 1].tolist(), *other.winnings[:, 0].tolist()]
    assert pair.won.mean == pytest.approx(sum(mine) / 9)
    assert pair.lost.mean == pytest.approx(sum(theirs) / 9)
    assert pair.wins == sum(a > b for a, b in zip(mine, theirs, strict=True))
    assert pair.draws == sum(a == b for a, b in zip(mine, theirs, strict=True))


def seed(number: int, light: str, dark: str, half: int) -> int:
    return pair_seed(number, gambler(light), gambler(dark), half)


@pytest.mark.parametrize(
    ("agents", "games", "error", "message"),
    [
        ([], 10, UsageError, "0 agents"),
        (["random"] * 9, 10, UsageError, "9 agents"),
        (["random", " random"], 10, UsageError, "agent random is there twice"),
        (["random", ""], 10, UnknownNameError, "unknown agent ''"),
        (["random"], 1, UsageError, "play at least 2"),
    ],
)
def test_matches_there_are_not(agents: list[str], games: int, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        gamble_match(agents, GAME, games=games, seed=1)


def test_ctrl_c_ends_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        interrupted = True

    monkeypatch.setattr(matching, "gamble", lambda *_, **__: Interrupted())
    with pytest.raises(InterruptedRunError, match="interrupted"):
        gamble_match(["random"], GAME, games=2, seed=1)

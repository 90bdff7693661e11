"""Mistakes against games followed position by position by the rules in words, and their sum."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.errors import UnknownNameError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

Found = dict[tuple[Position, Position], tuple[float, float]]  # how often, and what is lost


@cache
def slow(rules: RuleSet) -> Found:
    """Return the decisions of random games with light to move: a position, and what is played."""
    worth = naive.perfect(rules).__getitem__
    games = naive.met(rules)
    begin = {Position(): 0.5, Position(light_to_move=False): 0.5}
    visits = naive.visits(begin, partial(naive.random_ways, rules))
    found: Found = {}
    for at, rolls in games.items():
        for chance, after in rolls:
            if at.light_to_move and len(after) > 1:
                best = max(map(worth, after))
                often = visits[at] * float(chance) / len(after)
                found |= {(at, to): (often, float(best - worth(to))) for to in after}
    return found


SCORES: dict[str, Callable[[float, float], float]] = {
    "cost": lambda often, loss: often * loss,
    "loss": lambda _, loss: loss,
    "visits": lambda often, _: often,
}


@pytest.mark.jit
@pytest.mark.parametrize("by", SCORES)
def test_decisions_of_random_games_by_the_rules_in_words(by: str) -> None:
    rules = own("short")
    truth, score = slow(rules), SCORES[by]
    every = urcx.mistakes("random", rules, opponent="self", by=by, most=1000)
    assert 100 < len(every.rows) < 1000
    for one in every.rows:
        often, loss = truth[one.position, one.played.position]
        assert one.often == pytest.approx(often, abs=1e-11)
        assert one.loss == pytest.approx(loss, abs=1e-11)
        assert truth[one.position, one.best.position][1] == pytest.approx(0.0, abs=1e-12)
    found = [score(one.often, one.loss) for one in every.rows]
    wanted = [score(*one) for one in truth.values()]
    wanted = sorted((x for x in wanted if x > 1e-11), reverse=True)
    assert found == pytest.approx(wanted, abs=1e-11)
    few = urcx.mistakes("random", rules, opponent="self", by=by, most=7)
    assert [score(one.often, one.loss) for one in few.rows] == found[:7]  # some are equal


@pytest.mark.jit
@pytest.mark.parametrize("agent", ["greedy", "first", "random", "expectimax:1", "mistakes:30"])
def test_the_costs_of_all_decisions_are_the_regret(agent: str) -> None:
    rules = own("corner")
    found = urcx.mistakes(agent, rules, most=1000)
    (judged,) = urcx.regret(agent, rules).regrets
    assert found.side.loss == pytest.approx(judged.side.loss, abs=1e-14)
    assert sum(one.cost for one in found.rows) == pytest.approx(judged.side.loss, abs=found.bound)
    assert found.share == pytest.approx(1.0, abs=1e-9)
    assert sum(one.often for one in found.rows) == pytest.approx(judged.side.mistakes, abs=1e-9)
    worst = urcx.mistakes(agent, rules, by="loss", most=1).rows[0]
    assert worst == judged.worst


@pytest.mark.jit
def test_perfect_play_has_no_mistakes_but_frequent_decisions() -> None:
    rules = own("short")
    assert not urcx.mistakes("optimal", rules).rows
    assert "loses nothing" in str(urcx.mistakes("optimal", rules))
    rows = urcx.mistakes("optimal", rules, by="visits").rows
    assert len(rows) == 10
    assert all(one.best == one.played and one.often > 0.0 for one in rows)


class Drawing:
    def choose(self, game: urcx.Game, roll: int, rng: np.random.Generator) -> urcx.Move:
        return game.legal_moves(roll)[int(rng.integers(2))]


def test_what_cannot_be_asked() -> None:
    rules = own("short")
    with pytest.raises(UsageError, match="most 0"):
        urcx.mistakes("greedy", rules, most=0)
    with pytest.raises(UnknownNameError, match="order"):
        urcx.mistakes("greedy", rules, by="luck")
    with pytest.raises(UsageError, match="draws random numbers"):
        urcx.mistakes(Drawing(), rules)

"""Openings against exact fractions, and against the mean over the rolls that follow."""

from __future__ import annotations

from fractions import Fraction

import naive
import pytest
from own_rules import own

import urcx
from urcx.errors import PositionError, UsageError


@pytest.mark.jit
@pytest.mark.parametrize("begin", ["-/-/0-0/L", "3/2/0-0/D"])
def test_replies_are_the_best_by_exact_fractions(begin: str) -> None:
    rules = own("short")
    light = naive.perfect(rules).__getitem__

    found = urcx.openings(rules, begin, plies=3)
    start = urcx.Game(rules, begin)
    assert float(found.light) == pytest.approx(float(light(start.position)), abs=1e-12)
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    games: dict[tuple[int, ...], urcx.Game] = {(): start}
    means: dict[tuple[int, ...], Fraction] = {(): Fraction(0)}
    for one in found.replies:
        *before, roll = one.rolls
        game = games[tuple(before)]
        legal = game.legal_moves(roll)
        values = [light(move.position) for move in legal] or [light(naive.passed(game.position))]
        values = sorted(values if game.turn == "dark" else [1 - x for x in values])
        best = values[0] if game.turn == "dark" else 1 - values[0]
        assert one.ply.before == game
        assert one.ply.move in legal or not legal
        assert float(one.light) == pytest.approx(float(best), abs=1e-12)
        assert one.equal == values.count(values[0])
        ahead = None if one.ahead is None else pytest.approx(float(one.ahead), abs=1e-12)
        assert ahead == (float(values[1] - values[0]) if len(values) > 1 else None)
        games[one.rolls], means[one.rolls] = one.ply.after, Fraction(0)
        means[tuple(before)] += chances[roll] * one.light
    assert max(map(len, games)) == 3
    for rolls, mean in means.items():
        if len(rolls) < 3 and not games[rolls].is_over:
            assert float(mean) == pytest.approx(float(light(games[rolls].position)), abs=1e-12)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(UsageError, match="plies 6: must be from 1 to 5"):
        urcx.openings(own("short"), plies=6)
    with pytest.raises(PositionError, match="the game is over"):
        urcx.openings(urcx.ruleset("finkel", pieces=1), "-/-/1-0/D")

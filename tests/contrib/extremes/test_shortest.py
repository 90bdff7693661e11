from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import naive
import pytest
from own_rules import own

import urcx
from urcx.contrib.extremes import shortest
from urcx.contrib.extremes import shortest_game as module
from urcx.contrib.extremes.shortest_game import search_memory
from urcx.errors import TooLargeError, UrcxError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

SETS = [
    own("short", pieces=1),
    own("tiny", pieces=2),
    own("odd", pieces=1),
    own("some", pieces=2),
]


def slow(rules: RuleSet) -> tuple[int, int, Fraction]:
    """Return the length of the shortest game, the number of such games and their probability.

    The shortest plies of every state are computed again until none changes.
    """
    seen = naive.met(rules)
    least = dict.fromkeys(seen, 10_000)
    changed = True
    while changed:
        changed = False
        for at in seen:
            best = 1 + min(least.get(to, 0) for _, after in seen[at] for to in after)
            changed |= best < least[at]
            least[at] = min(best, least[at])

    @cache
    def counted(at: Position) -> tuple[int, Fraction]:
        if rules.pieces in at.home:
            return 1, Fraction(1)
        games, chance = 0, Fraction(0)
        for p, after in seen[at]:
            good = [counted(to) for to in after if least.get(to, 0) + 1 == least[at]]
            games += sum(n for n, _ in good)
            chance += p * max((q for _, q in good), default=Fraction(0))
        return games, chance

    return least[Position()], *counted(Position())


@pytest.mark.jit
@pytest.mark.parametrize("rules", SETS, ids=lambda rules: rules.name)
def test_length_number_and_chance_by_the_rules_in_words(rules: RuleSet) -> None:
    length, games, chance = slow(rules)
    found = shortest(rules)
    assert (found.length, found.number_of_games) == (length, games)
    assert found.chance == pytest.approx(float(chance), rel=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["finkel", "kwan", "blitz", "masters", "murray"])
def test_the_course_is_a_game_of_that_length(name: str) -> None:
    found = shortest(name)
    assert found.plies == found.length
    assert found.course[0].position == Position()
    chance = Fraction(1)
    for ply in found.course:
        chance *= dict(zip(found.rules.dice.rolls, found.rules.dice.probabilities, strict=True))[
            ply.roll
        ]
    assert chance == found.course_chance
    for one, other in pairwise(found.course):
        moves = {to for *_, to in naive.moves(one.position, one.roll, found.rules)}
        assert other.position in (moves or {naive.passed(one.position)})
    last = found.course[-1]
    assert last.move is not None
    assert found.rules.pieces in last.move.position.home


@pytest.mark.jit
def test_too_many_positions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POSITIONS", 100)
    with pytest.raises(TooLargeError, match="more than 100 positions"):
        shortest("finkel")


def test_what_a_piece_needs() -> None:
    # From start to A1 and on to B4 for a ply each, then two moves with an answer.
    assert search_memory(urcx.ruleset("finkel"), 0)[:1] == (6,)
    assert search_memory(urcx.ruleset("finkel"), 0)[-2:] == (2, 0)


def test_what_does_not_end() -> None:
    # From step 3, the last, only a 1 brings a piece home, and 4 is no multiple of 3.
    threes = replace(urcx.dice("binary3"), rolls=(0, 3), probabilities=(Fraction(1, 2),) * 2)
    with pytest.raises(UrcxError, match="its dice bring no piece home"):
        shortest(replace(own("corner"), dice=threes))

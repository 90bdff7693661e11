"""Tied moves: in exact fractions, in all states, and in every part of urcx."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import pytest
from own_rules import own

import urcx
from urcx.agents.advice import Adviser
from urcx.agents.agent_kernels import TIES, candidates
from urcx.agents.policies import Policies
from urcx.agents.search import mover_state
from urcx.contrib.exact import ExactSolution, solve_exactly
from urcx.engine.moves import tables
from urcx.expectations.choices import choose_moves
from urcx.played.values import SolvedGame
from urcx.rules import catalogue
from urcx.rules.load import load
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import order_of
from urcx.solving.layered.pair import LayerPair
from urcx.solving.probing import probe
from urcx.solving.ties import tie_width, width_of
from urcx.sweeps.layout_kernels import MARGIN

# Sides that meet on one tile, and have two steps of their own behind it.
TAIL = """
[board.tail]
tiles = "A1..A3 B1..B2 C1..C3"
rosettes = "A1 C1"
[path.tail]
board = "tail"
light = ["A1 B1 A2 A3"]
[dice.coin]
probabilities = { 0 = "1/3", 1 = "2/3" }
[rules.tail]
path = "tail"
pieces = 2
dice = "coin"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = false
"""


@pytest.fixture(scope="module", params=["race", "tail"])
def rules(request: pytest.FixtureRequest) -> RuleSet:
    if request.param == "race":
        return own("race")
    return load("tail.toml", TAIL, catalogue.catalogue()).rules["tail"]


@cache
def exactly(rules: RuleSet) -> ExactSolution:
    return solve_exactly(rules)


def decisions(rules: RuleSet) -> list[tuple[Position, int, tuple[int, ...]]]:
    """Return all states and rolls with several moves, and the starts of the best moves."""
    return [
        (state.position, roll, starts)
        for state in exactly(rules).policy()
        for roll, starts in state.starts.items()
        if len(urcx.legal_moves(state.position, roll, rules)) > 1
    ]


def test_best_moves_are_those_of_exact_values(rules: RuleSet) -> None:
    solved = SolvedGame(rules)
    policy, (*_, adviser) = Policies(rules, 1).of(urcx.agent("optimal")), advisers(rules)
    ways, tied, apart = tables(rules).ways, 0, 0
    for position, roll, best in decisions(rules):
        moves = solved.best_moves(position, roll)
        assert tuple(item.move.start for item in moves if item.regret == 0) == best
        assert all(item.regret > 1e-6 for item in moves[len(best) :])
        side, state = mover_state(position)
        legal = sum(1 << item.move.start for item in moves)
        mask = int(candidates(policy, ways, side, legal, roll, *state))
        assert [start for start in range(mask.bit_length()) if mask >> start & 1] == [*best]
        assert [item.move.start for item in adviser.about(position, roll) if item.best] == [*best]
        tied += len(best) > 1
        apart += len({item.value for item in moves[: len(best)]}) > 1
    assert tied == sum(item.tied for item in exactly(rules).ties) > 0
    if rules.name == "race":
        assert apart > 0  # the stored values of equally good moves differ


def advisers(rules: RuleSet) -> tuple[Adviser, ...]:
    return tuple(
        Adviser(urcx.agent(f"optimal:{ties}"), rules) for ties in ("random", "last", "first")
    )


def test_tied_moves_are_played_by_the_tie_rule(rules: RuleSet) -> None:
    by_random, by_last, by_first = advisers(rules)
    for position, roll, best in decisions(rules):
        for adviser, played in ((by_first, best[:1]), (by_last, best[-1:]), (by_random, best)):
            chances = {a.move.start: a.chance for a in adviser.about(position, roll) if a.chance}
            assert tuple(chances) == played
            assert len(set(chances.values())) == 1


@pytest.mark.parametrize("ties", TIES)
def test_all_games_are_followed_by_the_tie_rule(rules: RuleSet, ties: str) -> None:
    wanted = {(str(position), roll): best for position, roll, best in decisions(rules)}
    policy = Policies(rules, 1).of(urcx.agent(f"optimal:{ties}"))
    order, seen = order_of(rules), 0
    for layers in order.pairs:
        pair = LayerPair(order, layers, 1)
        picks = choose_moves(policy, pair)
        for state in range(pair.states):
            position = order.position(*pair.ranked(state))
            for r, roll in enumerate(rules.dice.rolls):
                if (best := wanted.get((str(position), roll))) is None:
                    continue
                moves = urcx.legal_moves(position, roll, rules)
                mask = int(picks.masks[r * picks.stride + MARGIN + state])
                played = tuple(move.start for k, move in enumerate(moves) if mask >> k & 1)
                assert played == {"first": best[:1], "last": best[-1:], "random": best}[ties]
                seen += 1
    assert seen == len(wanted)


def test_the_tie_width_is_twice_the_bound_and_rounding() -> None:
    assert tie_width(0.25) == pytest.approx(0.5)
    assert 0.0 < tie_width(0.0) < 1e-15
    assert width_of(SimpleNamespace(bound=None)) == tie_width(0.0)
    assert width_of(SimpleNamespace(bound=None, rounding=0.1)) == tie_width(0.1)
    assert width_of(SimpleNamespace(bound=0.2, rounding=0.1)) == tie_width(0.2)


def test_moves_within_the_width_of_the_best_tie_whatever_lies_between(rules: RuleSet) -> None:
    width = 0.05
    solved = SolvedGame(rules)
    policy, ways = solved.policy._replace(tie_width=width), tables(rules).ways
    for position, roll, _ in decisions(rules):
        moves = {item.move.start: item.value for item in solved.best_moves(position, roll)}
        wanted = sum(1 << s for s, value in moves.items() if value >= max(moves.values()) - width)
        side, state = mover_state(position)
        legal = sum(1 << start for start in moves)
        assert candidates(policy, ways, side, legal, roll, *state) == wanted


@pytest.mark.jit
def test_two_moves_worth_the_same_in_a_long_game() -> None:
    """Both moves are worth 49/165, and their stored values differ in the last bit."""
    game = urcx.Game(urcx.ruleset("seleucid", pieces=2), "16/11,12/1-0/D")
    found = urcx.hint(game, 2, agents="optimal")
    assert [item.move.start for item in found.moves if item.move] == [11, 12]
    assert not any(item.regret for item in found.moves)
    assert [[int(share) for share in item.plays] for item in found.moves] == [[1], [0]]
    assert all(float(item.chance or 0) == pytest.approx(49 / 165) for item in found.moves)
    assert "several best moves" in str(found)
    probed = probe(SolvedGame(game.rules), game.position, 2)
    assert "several best moves" in probed.text()
    played = urcx.PlayedGame(game).play("12-14")
    (ply,) = urcx.review(played).plies
    assert (ply.regret, ply.best) == (Fraction(0), played.plies[0].move)

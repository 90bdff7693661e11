"""Tree search over dice, self-play and gating, without training."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import naive
import naive_search
import numpy as np
import pytest
from naive_learning import mover_view
from naive_network import inputs
from searching import search_policy

from urcx.agents.agent_kernels import candidates, value_by_solution
from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import Network, network_arrays
from urcx.contrib.learning import alphazero_kernels as kernels
from urcx.contrib.learning import alphazero_kernels as search_kernels
from urcx.contrib.learning.alphazero import (
    AlphaZeroSettings,
    Searches,
    heads_of,
    network_from,
    parameters_for,
    self_play_games,
    share_won,
)
from urcx.contrib.learning.alphazero_kernels import Examples
from urcx.contrib.learning.strength import perfect_policy, strength_of
from urcx.engine.moves import tables
from urcx.errors import UnusableFileError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

pytestmark = pytest.mark.jit

TWO = catalogue.ruleset(replace(catalogue.ruleset("finkel"), pieces=2))
THREE = catalogue.ruleset(replace(catalogue.ruleset("blitz"), pieces=3))  # captures roll again
SMALL = AlphaZeroSettings(units=19, simulations=40, explore=0.5)


def _network(rules: RuleSet, settings: AlphaZeroSettings = SMALL, seed: int = 1) -> Network:
    """A network whose values and policy differ much from position to position."""
    found = parameters_for(rules, settings, seed)
    found["last"] *= 20
    found["policy"] *= 20
    return network_from(rules, found, settings.activation)


def _decisions(rules: RuleSet, number: int) -> list[tuple[Position, int]]:
    """Positions and rolls with several moves, of both sides."""
    drawn = naive.random_positions(rules, 40 * number, 5)
    found = [
        (position, roll)
        for position in drawn
        for roll in rules.dice.rolls
        if rules.pieces not in position.home and len(naive.moves(position, roll, rules)) > 1
    ]
    return found[:: len(found) // number][:number]


@pytest.mark.parametrize("later", [0, 5])
@pytest.mark.parametrize("activation", ["squared", "clipped"])
def test_values_are_those_of_playing_and_of_a_plain_network(later: int, activation: str) -> None:
    network = _network(TWO, replace(SMALL, later=later, activation=activation))
    heads, fixed = heads_of(network), network_arrays(network)
    sums, hidden = np.zeros(19, np.float32), np.zeros(later or 19, np.float32)
    positions = [position for position, _ in _decisions(TWO, 20)]
    rows = np.array([inputs(position, TWO) for position in positions])
    expected, _ = naive_search.outputs(network, rows)
    found = [
        search_kernels.forward(heads, mover_view(position), sums, hidden) for position in positions
    ]
    assert np.ptp(found) > 0.3
    np.testing.assert_allclose(found, expected, atol=1e-5)
    played_values = [evaluate_network(fixed, *mover_view(position)) / WON for position in positions]
    np.testing.assert_allclose(found, played_values, atol=0.02)


@pytest.mark.parametrize("rules", [TWO, THREE], ids=["finkel", "blitz"])
def test_a_search_is_that_of_its_definition(rules: RuleSet) -> None:
    network = _network(rules)
    policy = search_policy(network, SMALL.simulations, SMALL.explore)
    tree = policy.tree
    passes = extra = ends = 0
    for position, roll in _decisions(rules, 12):
        search = naive_search.Search(network, rules, SMALL.explore)
        root = search.node(position)
        for _ in range(SMALL.simulations):
            search.descend(root, roll)
        edges = search.edges(root, roll)
        own, own_home, other, other_home = mover_view(position)
        legal = sum(1 << edge.start for edge in edges)
        with np.errstate(over="ignore"):
            best = candidates(
                policy, tables(rules).ways, 0, legal, roll, own, own_home, other, other_home
            )
        number = len(edges)
        assert tree.visits[:number].tolist() == [edge.visits for edge in edges]
        np.testing.assert_allclose(tree.total[:number], [edge.total for edge in edges], atol=1e-4)
        most = max(edges, key=lambda edge: (edge.visits, edge.total))
        assert best == 1 << most.start
        nodes = [root]
        while nodes:
            node = nodes.pop()
            for edge in itertools.chain(*node.edges.values()):
                passes += edge.start < 0
                extra += edge.after.light_to_move == node.position.light_to_move
                ends += rules.pieces in edge.after.home and edge.visits > 0
                nodes += [edge.node] if edge.node is not None else []
    assert min(passes, extra, ends) > 0


def _racing(rules: RuleSet) -> Network:
    """A network that values progress: the sums of the steps of both sides' pieces."""
    length, pieces = rules.path.length, rules.pieces
    found = parameters_for(rules, replace(SMALL, units=1, activation="clipped"), 1)
    scale = 2 * pieces * (length + 1)
    own = np.array([*range(1, length + 1)]) / scale
    home = np.arange(pieces + 1) * (length + 1) / scale
    none = np.zeros(2 * (pieces + 1))
    found["first"][:, 0] = np.concatenate([own, -own, home, -home, none])
    found["last"][:], found["last_bias"][:] = 8, -4
    found["policy"][:] = 0
    return network_from(rules, found, "clipped")


def test_a_search_with_more_simulations_plays_better() -> None:
    perfect = perfect_policy(TWO, None)
    network = _racing(TWO)
    found = [
        strength_of(search_policy(network, number, 0.5), perfect, TWO, games=100, threads=2).wins
        for number in (3, 30, 300)
    ]
    assert found[0] + 0.01 < found[1] < found[2]
    assert found[2] > 0.46


def test_a_search_near_the_end_tends_to_exact_values() -> None:
    """The value of a decision is the value of its best move under optimal play."""
    perfect = perfect_policy(TWO, None)
    ways = tables(TWO).ways
    number = 40_000
    policy = search_policy(_racing(TWO), number, 1.0)
    off = []
    ends = itertools.product([(9, 12), (10, 14), (11, 13)], [(13,), (14,)], TWO.dice.rolls)
    for light, dark, roll in ends:
        position = Position(light, dark, (0, 1), True)
        moves = [start for start, _, _ in naive.moves(position, roll, TWO)]
        if len(moves) < 2:
            continue
        state = mover_view(position)
        chances = [value_by_solution(perfect, ways, 0, *state, start, roll) for start in moves]
        legal = sum(1 << start for start in moves)
        with np.errstate(over="ignore"):
            best = candidates(policy, ways, 0, legal, roll, *state)
        assert max(chances) - chances[moves.index(int(best).bit_length() - 1)] < 1e-6
        mean = policy.tree.total[: len(moves)].sum() / number
        off.append(mean - (2 * max(chances) - 1))
    assert len(off) > 5
    assert max(map(abs, off)) < 0.05


def _played(rules: RuleSet, threads: int = 2, seed: int = 3, **changes: Any) -> Examples:
    settings = replace(SMALL, simulations=8, **changes)
    searches = Searches.of(rules, settings, threads, noisy=True)
    return self_play_games(rules, _network(rules), searches, 20, seed)


def _position(row: np.ndarray[Any, Any]) -> Position:
    own, other = (
        tuple(step for step in range(1, 55) if int(mask) >> (step - 1) & 1) for mask in row[:2]
    )
    return Position(own, other, (int(row[2]), int(row[3])), True)


@pytest.mark.parametrize("rules", [TWO, THREE], ids=["finkel", "blitz"])
def test_examples_follow_the_rules_and_know_who_won(rules: RuleSet) -> None:
    found = _played(rules)
    start = Position((), (), (0, 0), True)
    begins = [k for k, row in enumerate(found.positions) if _position(row) == start]
    games = 0
    for first, last in zip(begins, [*begins[1:], len(found.positions)], strict=True):
        if last - first == 1 or first in {k + 1 for k in begins}:
            continue  # passes of the opening look like beginnings
        winner = found.positions[last - 1, kernels.RESULT]
        assert winner == 1  # the side with the last move has won
        games += 1
        side = 1
        for k in range(last - 1, first, -1):
            before, after = found.positions[k - 1], _position(found.positions[k])
            roll = int(before[kernels.ROLL])
            moves = naive.moves(_position(before), roll, rules)
            options = {mover_view(each): (step, each.light_to_move) for step, _, each in moves} or {
                mover_view(naive.passed(_position(before))): (-1, False)
            }
            step, keeps = options[mover_view(after)]
            side = side if keeps else -side
            assert before[kernels.RESULT] == side
            targets = found.targets[k - 1]
            if len(moves) < 2:
                assert not targets.any()
                assert found.means[k - 1] == 0
            else:
                assert targets[step] > 0
                assert set(np.flatnonzero(targets)) <= {each for each, _, _ in moves}
                assert abs(found.means[k - 1]) <= 1
    assert games > 10


def test_moves_are_drawn_by_visits_at_first_and_then_the_most_visited() -> None:
    late = _played(TWO, warm=0, noise=0.0)
    several = late.means != 0
    assert (np.sort(late.targets[several])[:, -2:] == [0, 1]).all()
    early = _played(TWO, warm=10_000)
    searched = early.targets.sum(axis=1)
    assert set(np.unique(searched)) == {0, 8}


def test_games_depend_on_the_seed_and_not_on_threads() -> None:
    one, two, other = (_played(TWO, threads, seed) for threads, seed in ((1, 3), (3, 3), (2, 4)))
    for name, array in one._asdict().items():
        assert array.dtype == getattr(two, name).dtype
        assert np.array_equal(array, getattr(two, name))
    assert not np.array_equal(one.positions[:500], other.positions[:500])


def test_the_better_network_wins_more_games() -> None:
    searches = Searches.of(TWO, replace(SMALL, units=1, simulations=6), 2)
    best = _racing(TWO)
    worse = replace(best, last=-best.last, last_bias=-best.last_bias)
    assert share_won(TWO, best, best, searches, 100, 1) == 0.5
    share = share_won(TWO, best, worse, searches, 100, 1)
    assert share > 0.8
    assert share_won(TWO, worse, best, searches, 100, 1) == pytest.approx(1 - share)


def test_noise_is_of_dirichlet_and_mixed_in() -> None:
    policy = search_policy(_network(TWO), 1, 1.0)
    draws = []
    state = np.uint64(1)
    with np.errstate(over="ignore"):
        for _ in range(4000):
            state, x = kernels.gamma(state, 2.5)
            draws.append(x)
            state = np.uint64(state)
        assert np.mean(draws) == pytest.approx(2.5, abs=5 * (2.5 / 4000) ** 0.5)
        assert np.var(draws) == pytest.approx(2.5, rel=0.2)
        for share in (0.0, 0.25):
            plan = policy.plan._replace(concentration=10.0, noise=share)
            policy.tree.prior[:2] = 0.9, 0.1
            kernels.disturb(policy.tree, plan, 2, state)
            assert policy.tree.prior[:2].sum() == pytest.approx(1)
            assert (abs(policy.tree.prior[0] - 0.9) > 1e-6) == (share > 0)
            assert policy.tree.prior[0] >= 0.9 * (1 - share)
            assert not policy.tree.total[:2].any()


def test_a_network_without_policy_cannot_search() -> None:
    plain = replace(_network(TWO), policy=None, policy_bias=None)
    with pytest.raises(UnusableFileError, match="no policy head"):
        search_policy(plain, 10, 1.0)

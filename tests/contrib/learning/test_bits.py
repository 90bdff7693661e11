"""The strategy-complexity curve: losses by a reference implementation, bits, points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own
from random_networks import made

import urcx
from urcx.agents.agent_kernels import FIRST, TIES, TablePolicy
from urcx.agents.networks import number_of_moves, write_network
from urcx.agents.policies import table_policy
from urcx.contrib.learning import curve as curve_module
from urcx.contrib.learning.compressing import compress
from urcx.contrib.learning.curve import Bits, Judge, Point, QuantisedTables, bits, curve
from urcx.errors import OutOfDomainError, UnknownNameError, UnusableFileError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve

pytestmark = pytest.mark.jit  # solves games of some 10,000 states

SHORT = own("short")


@cache
def order_of(rules: RuleSet) -> LayerOrder:
    return LayerOrder(rules)


def light_wins(rules: RuleSet, table: TablePolicy) -> Callable[[Position], float]:
    """Return light's win probability by a table, in its units."""

    def of_mover(at: Position) -> float:
        layer, place = order_of(rules).place(at)
        return float(table.values[table.first[layer] + place])

    return naive.light_wins(rules, of_mover, table.certain)


def followed(rules: RuleSet, perfect: TablePolicy, codes: TablePolicy) -> float:
    """Return the win probability of a table of codes as light, over all games, in Python."""

    def ways(at: Position) -> list[tuple[Position, float]]:
        found: dict[Position, float] = defaultdict(float)
        table = codes if at.light_to_move else perfect
        light, rule = light_wins(rules, table), TIES[table.ties]
        over = rules.pieces in at.home
        for chance, after in [] if over else naive.rolled(at, rules):
            worths = [light(to) if at.light_to_move else table.certain - light(to) for to in after]
            best = [to for to, one in zip(after, worths, strict=True) if one == max(worths)]
            best = best if rule == "random" else best[:1] if rule == "first" else best[-1:]
            for to in best:
                found[to] += float(chance) / len(best)
        return list(found.items())

    begin = {Position(light_to_move=True): 0.5, Position(light_to_move=False): 0.5}
    return sum(n for at, n in naive.visits(begin, ways).items() if at.home[0] == rules.pieces)


@cache
def perfect_of(rules: RuleSet) -> tuple[TablePolicy, MemoryStore]:
    store = MemoryStore(keep=True)
    store.layers = layers = solve(rules, keep=True).layers
    return table_policy(order_of(rules), lambda key: layers[key][0], FIRST, 1.0), store


@pytest.mark.parametrize("ties", ["first", "random"])
def test_exact_chances_are_those_followed_naively(ties: str) -> None:
    perfect, solution = perfect_of(SHORT)
    judge = Judge(SHORT, perfect, solution, exact=True, games=2, seed=1, threads=1)
    policy, _ = QuantisedTables(perfect, threads=1).player(2)
    policy = policy._replace(ties=TIES.index(ties))
    found, error, exactness = judge.judged(policy)
    assert (error, exactness) == (0.0, "exact")
    assert found == pytest.approx(followed(SHORT, perfect, policy), abs=1e-12)
    assert found < 0.5


def test_estimates_are_near_what_is_exact() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    exact = bits(rules, agents=["greedy"], table_bits=[3, 6], ties="last")
    near = bits(rules, agents=["greedy"], table_bits=[3, 6], ties="last", exact=False, games=3000)
    assert (exact.sample, near.sample) == (0, 3000)
    pairs = {(point.kind, point.name): point for point in exact.points}
    for point in near.points:
        if point.kind == "table":
            continue
        other = pairs[point.kind, point.name]
        assert point.exactness == "estimate"
        assert other.exactness == "exact"
        assert point.error is not None
        assert point.wins == pytest.approx(other.wins, abs=1.7 * point.error)
        assert point.interval == (point.wins - point.error, point.wins + point.error)
        assert other.interval is None
        assert point.entropy == pytest.approx(other.entropy, abs=1e-6) or point.entropy is None
    greedy = urcx.regret("greedy", rules).regrets[0].side
    assert pairs["rule", "greedy"].wins == pytest.approx(greedy.wins, abs=1e-12)
    assert pairs["rule", "greedy"].loss == pytest.approx(greedy.loss, abs=1e-11)


def test_bits_are_those_of_the_data(tmp_path: Path) -> None:
    file = tmp_path / "small.npz"
    network = made(SHORT, 3, card={"method": "distil"})
    write_network(network, file)
    found = bits(SHORT, agents="random", networks=[file], table_bits=[1, 5], exact=True)
    assert [(p.kind, p.bits) for p in found.points if p.kind in ("rule", "network", "table")] == [
        ("rule", 0),
        ("network", 16 * network.parameters),
        ("table", 64 * found.states),
    ]
    (learned,) = (point for point in found.points if point.kind == "network")
    assert (learned.name, learned.origin) == (f"net:{file}", "distilled")
    for width in (1, 5):
        coded = [point for point in found.points if point.bits == width * found.states]
        assert [point.kind for point in coded] == ["uniform"]
        assert all(point.bits_a_state == width for point in coded)
    assert found.states == sum(LayerOrder(SHORT).size(layer) for layer in LayerOrder(SHORT).layers)
    # A policy head, which playing does not use, counts nothing.
    steps = number_of_moves(SHORT)
    head: dict[str, Any] = {
        "policy": np.zeros((3, steps), np.float32),
        "policy_bias": np.zeros(steps, np.float32),
    }
    write_network(made(SHORT, 3, **head), file)
    first = bits(SHORT, agents=[], networks=file, table_bits=[], exact=True).points[0]
    assert (first.bits, first.origin) == (16 * network.parameters, "")


def test_a_file_of_exact_play_counts_as_many_bits_as_it_has(tmp_path: Path) -> None:
    base, file = tmp_path / "short.urcx", tmp_path / "short.play"
    solve(SHORT, base)
    made = compress(base, file, threads=1)
    found = bits(SHORT, agents=[], play_files=file, table_bits=[], exact=True)
    (play,) = (point for point in found.points if point.kind == "play")
    assert (play.wins, play.exactness) == (0.5, "exact")
    # Headers and checksums do not count, only the parts that `compress` lists.
    parts = made.network_size + made.chances_size + made.index_size + made.corrections_size
    assert play.bits == 8 * parts < 8 * file.stat().st_size
    with pytest.raises(UnusableFileError, match="short"):
        bits(own("corner"), agents=[], play_files=[file], table_bits=[])
    with pytest.raises(UnusableFileError):
        bits(SHORT, agents=[], play_files=[base], table_bits=[])


def test_the_best_tie_rule_is_none_of_the_others() -> None:
    rules = [bits(SHORT, agents=[], table_bits=[2], ties=ties, exact=True) for ties in TIES]
    best = bits(SHORT, agents=[], table_bits=[2], exact=True, games=4000)
    wins = {p.ties: p.wins for found in rules for p in found.points if p.kind == "uniform"}
    (point,) = (p for p in best.points if p.kind == "uniform")
    assert point.wins == wins[point.ties] >= max(wins.values()) - 0.01
    assert len(set(wins.values())) > 1


def point(size: int, wins: float) -> Point:
    return Point("uniform", "", size, 10, wins, 0.0, "exact", "first")


def test_the_frontier_has_no_better_player_with_as_few_bits() -> None:
    found = curve([point(5, 0.4), point(0, 0.3), point(5, 0.45), point(7, 0.45), point(9, 0.5)])
    assert [(p.bits, p.wins) for p in found if p.frontier] == [(0, 0.3), (5, 0.45), (9, 0.5)]
    assert [p.bits for p in found] == [0, 5, 5, 7, 9]


def test_where_no_loss_was_seen_there_is_no_interval() -> None:
    perfect, solution = perfect_of(SHORT)
    judge = Judge(SHORT, perfect, solution, exact=False, games=10, seed=1, threads=1)
    assert judge.judged(perfect) == (0.5, None, "estimate")


def test_a_rounded_tablebase_counts_as_many_bits_as_it_has(tmp_path: Path) -> None:
    file = tmp_path / "short.urcx"
    solve(SHORT, file, store="u16")
    found = bits(SHORT, tablebase=file, agents=[], table_bits=[], exact=True)
    assert found.points[-1].bits == 16 * found.states
    assert found.bound > 1e-6
    assert any("tell moves apart" in text for text in found.notes)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"table_bits": [0]}, "from 1 to 16"),
        ({"table_bits": [17]}, "from 1 to 16"),
        ({"games": 1}, "from 2"),
        ({"seed": -1}, "from 0"),
        ({"agents": ["optimal"]}, "optimal"),
        ({"agents": [lambda *given: given[-1][0]]}, "cannot be counted"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        bits(SHORT, **options)


def test_other_games_and_unknown_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="tie rule"):
        bits(SHORT, ties="middle")
    with pytest.raises(OutOfDomainError):
        bits(urcx.ruleset("murray", pieces=1))
    file = tmp_path / "other.npz"
    write_network(made(own("corner"), 2), file)
    with pytest.raises(UnusableFileError, match="not of short"):
        bits(SHORT, agents=[], networks=[file])
    with pytest.raises(UnusableFileError, match="cannot be opened"):
        bits(SHORT, agents=[], networks=[tmp_path / "none.npz"])


def test_networks_that_come_with_urcx_are_always_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_network(made(SHORT, 2), tmp_path / "short.npz")
    monkeypatch.setattr("urcx.agents.networks.SHIPPED", tmp_path)
    players = curve_module.players_of(["random", "learned"], (), SHORT)
    assert [player.name for player in players] == ["random", "learned"]
    assert [p.name for p in curve_module.players_of([], (), SHORT)] == ["learned"]
    assert isinstance(bits(SHORT, agents=[], table_bits=[]), Bits)

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own
from random_networks import made

import urcx
from urcx.agents import gain_kernels, policies
from urcx.agents.advice import Adviser
from urcx.agents.agent_kernels import (
    TIES,
    LevelPolicy,
    RankPolicy,
    SearchPolicy,
    TablePolicy,
    candidates,
    copy_for_thread,
)
from urcx.agents.agents import agent
from urcx.agents.levels import last_level
from urcx.agents.networks import write_network
from urcx.agents.policies import Policies, gain_policy
from urcx.agents.search import lookahead, mover_state
from urcx.complexity import tiles
from urcx.engine.moves import legal_moves, tables
from urcx.errors import TooLargeError, UnusableFileError, UsageError
from urcx.expectations.choices import LayerPolicy
from urcx.games.simulator import simulated
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position
from urcx.solving.files import kept
from urcx.solving.files.header import check_game
from urcx.solving.files.kept import check_on_the_fly
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.solution import solve
from urcx.strategy.gain import move_gains


def test_values_of_a_network_are_kept_if_they_take_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    rules = urcx.ruleset("finkel", pieces=1)
    networks = [f"net:{tmp_path / str(units)}.npz" for units in (4, 5)]
    for units in (4, 5):
        write_network(made(rules, units), tmp_path / f"{units}.npz")

    def ready(name: str) -> tuple[Any, list[str]]:
        policies = Policies(rules, 10**9)
        return policies.of(agent(name)), policies.notes

    quick, notes = ready(networks[0])
    assert isinstance(quick, LevelPolicy)
    assert not notes
    monkeypatch.setattr(policies, "KEPT_SECONDS", 0.0)
    for name in networks:
        assert len(ready(name)[1]) == 1
    assert len(list((tmp_path / "levels").iterdir())) == 2  # of different networks, in two files
    never: Any = [].pop  # what is kept is not computed again
    monkeypatch.setattr(policies, "network_leaves", lambda *_: never)
    kept, notes = ready(networks[0])
    assert not notes
    assert kept.values.tolist() == quick.values.tolist()
    order = LayerOrder(rules)
    before = [LayerPolicy.of(quick, order, 1).layer(layer) for layer in order.layers]
    layers = LayerPolicy.of(kept, order, 1)
    layers.release()  # what is let go of is read again
    for values, layer in zip(before, order.layers, strict=True):
        assert layers.layer(layer).tolist() == values.tolist()
    LayerPolicy.of(quick, order, 1).release()  # nothing to let go of


def test_progress_and_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    begun: list[tuple[str, int, str]] = []
    told: list[int] = []

    def stage(label: str, total: int, unit: str) -> Callable[[int], None]:
        begun.append((label, total, unit))
        told.clear()
        return told.append

    rules = urcx.ruleset("finkel", pieces=1)
    ready = Policies(rules, 10, method="levels", stage=stage)
    both = (agent("expectimax:2"),) * 2
    found = simulated(ready, both, 10, 1, "alternate")
    assert begun == [("expectimax:2 looks ahead", 2 * 248, "states"), ("games", 10, "games")]
    assert told[-1] == 10
    assert len(found.notes) == 1
    assert str(tmp_path) in found.notes[0]
    simulated(ready, both, 1, 1, "alternate")
    assert len(begun) == 3  # made ready once


def test_unknown_methods() -> None:
    with pytest.raises(UsageError, match="unknown method 'guess'"):
        Policies(urcx.ruleset("finkel"), 1, method="guess")


def best_starts(policy: Any, rules: RuleSet, position: Position, roll: int) -> set[int]:
    """Return which moves a policy thinks best, by their starts."""
    arrays = tables(rules)
    side, state = mover_state(position)
    legal = sum(1 << start for start, _, _ in naive.moves(position, roll, rules))
    with np.errstate(over="ignore"):  # hashes wrap; compiled code does not warn
        found = candidates(policy, arrays.ways, side, np.int64(legal), roll, *map(np.int64, state))
    return {start for start in range(rules.path.length + 1) if int(found) >> start & 1}


def chosen(rules: RuleSet, policy: Any) -> Iterator[tuple[Position, int, set[int]]]:
    """Yield positions and rolls with a choice, and the policy's best starts."""
    for position in sorted(set(naive.random_positions(rules, 150, seed=5))):
        for roll in rules.dice.rolls:
            if len(naive.moves(position, roll, rules)) > 1:
                yield position, roll, best_starts(policy, rules, position, roll)


def assert_perfect(rules: RuleSet, policy: Any, within: float = 1e-9) -> None:
    """Assert that a policy's best moves are no worse than others, by exact fractions."""
    light = naive.perfect(rules)
    cases = 0
    for position, roll, best in chosen(rules, policy):
        moves = naive.moves(position, roll, rules)
        worth = {
            start: light[to] if position.light_to_move else 1 - light[to] for start, _, to in moves
        }
        regrets = {start: max(worth.values()) - value for start, value in worth.items()}
        assert best
        # What is equal but for the last digits may be left out.
        assert all(regrets[start] < within for start in best)
        cases += 1
    assert cases > 20


TINY = own("tiny").path
BACK = replace(TINY, light=(*TINY.light, "B2"), dark=(*TINY.dark, "B2"))


# What has layers is looked up by pattern. odd has none, nor has a path that comes back to a tile,
# where both sides are alike: these are looked up by rank.
@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        (own("corner"), TablePolicy),
        (own("tiny"), TablePolicy),
        (own("odd"), RankPolicy),
        (own("tiny", path=BACK), RankPolicy),
    ],
    ids=["corner", "tiny", "odd", "back"],
)
def test_perfect_play(rules: RuleSet, kind: type) -> None:
    policy = Policies(rules, 1).of(agent("optimal"))
    assert isinstance(policy, kind)
    assert_perfect(rules, policy)


@pytest.mark.parametrize("store", ["f64", "u16"])
def test_perfect_play_by_a_file(store: str, tmp_path: Path) -> None:
    rules = own("tiny")
    file = tmp_path / "tiny.urcx"
    solve(rules, file, store=store)
    ready = Policies(rules, 1)
    policy = ready.of(agent(f"optimal:{file}"))
    assert policy.certain == (65535 if store == "u16" else 1)
    # The last move home is worth certainty in units of the file, too.
    assert_perfect(rules, policy, 2 / 65535 if store == "u16" else 1e-9)
    assert len(ready.notes) == (store == "u16")
    assert all("± " in note for note in ready.notes)


@pytest.mark.parametrize("method", ["levels", "tree"])
@pytest.mark.parametrize("text", ["expectimax:1", "expectimax:2:advance+centre", "panda:4"])
def test_looking_ahead_by_the_rules_in_words(method: str, text: str) -> None:
    rules = own("tiny")
    player = agent(text)
    assert player.depth is not None
    assert player.leaf is not None
    policy = Policies(rules, 1, method=method, keep=False).of(player)
    assert isinstance(policy, LevelPolicy if method == "levels" else SearchPolicy)
    for position, roll, best in list(chosen(rules, policy))[:40]:
        values = dict(
            naive.lookahead_values(
                position, roll, player.depth, rules, player.leaf, player.few_rolls
            )
        )
        assert best == {start for start in values if values[start] == max(values.values())}


def test_searches_or_levels_by_what_they_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    rules = own("tiny")
    look = lookahead(rules, 3, "advance", few_rolls=False)
    few, many = Policies(rules, 0), Policies(rules, 10**9)
    assert not few.by_levels(look)
    assert many.by_levels(look)
    assert Policies(rules, 0, method="levels").by_levels(look)
    assert not Policies(rules, 10**9, method="tree").by_levels(look)
    # A level that is there costs nothing, unless it is not to be used.
    last_level(rules, look)
    assert few.by_levels(look)
    assert not Policies(rules, 0, keep=False).by_levels(look)
    assert not Policies(own("odd"), 10**9).by_levels(
        lookahead(own("odd"), 3, "advance", few_rolls=False)
    )


@pytest.mark.parametrize(
    ("name", "convention", "message"),
    [
        ("tiny", "diagrams, finished left out", "urcx solve --rules tiny"),
        ("odd", "positions", "path odd"),
    ],
)
def test_only_what_is_small_is_solved_on_the_fly(
    name: str, convention: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = own(name)
    states = tiles.conventions(rules.path, rules.pieces)[convention]
    monkeypatch.setattr(kept, "MOST_ON_THE_FLY", states)
    check_on_the_fly(rules)
    monkeypatch.setattr(kept, "MOST_ON_THE_FLY", states - 1)
    with pytest.raises(TooLargeError, match=rf"{name} .*{message}"):
        check_on_the_fly(rules)
    with pytest.raises(TooLargeError, match=message):
        Policies(rules, 1).of(agent("optimal"))


def test_a_tablebase_of_another_game_is_refused(tmp_path: Path) -> None:
    rules = own("tiny")
    file = tmp_path / "tiny.urcx"
    solve(rules, file)
    with open_tablebase(file) as base:
        check_game(file, base.rules, rules)
        check_game(file, base.rules, replace(rules, name="other", title="the same by another name"))
        with pytest.raises(UnusableFileError, match=r"of tiny with 2 pieces, .* Add -p 2$"):
            check_game(file, base.rules, own("tiny", pieces=3))
        with pytest.raises(UnusableFileError, match=r"not of corner .* Add --rules tiny -p 2$"):
            check_game(file, base.rules, own("corner"))


def test_searches_of_threads_have_tables_of_their_own() -> None:
    rules = own("tiny")
    ready = Policies(rules, 1, method="tree")
    search, plain = ready.of(agent("expectimax:2")), ready.of(agent("greedy"))
    assert copy_for_thread(plain) is plain
    other = copy_for_thread(search)
    assert other.plan is search.plan
    assert all(
        not np.shares_memory(one, two)
        for one, two in zip(other.memory, search.memory, strict=True)
        if isinstance(one, np.ndarray)
    )


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        (urcx.ruleset("blitz"), 6),
        (own("tiny"), 12),  # often with no piece left to enter
        *(
            pytest.param(urcx.ruleset(name), number, marks=pytest.mark.jit)
            for name, number in (("finkel", 16), ("masters", 8), ("murray", 8))
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_kernel_chooses_as_the_fractions_say(rules: RuleSet, number: int) -> None:
    policy = gain_policy(rules, TIES.index("last"))
    ways = tables(rules).ways
    chosen = 0
    for k, position in enumerate(naive.random_positions(rules, 20 * number, seed=9)[::20]):
        roll = rules.dice.rolls[-1 - k % 4]
        moves = legal_moves(position, roll, rules)
        if not moves:
            continue
        worth = move_gains(position, roll, rules)
        side, state = mover_state(position)
        for move in moves:
            value = gain_kernels.worth_of_move(policy, ways, side, *state, move.start, roll)
            assert Fraction(int(value), int(policy.powers[-1])) == worth[move.start]
        legal = sum(1 << move.start for move in moves)
        best = sum(1 << start for start, gain in worth.items() if gain == max(worth.values()))
        found = int(candidates(policy, ways, side, legal, roll, *state))
        assert found == best
        chosen += best != legal
    assert chosen > number / 5


def test_it_gives_advice_with_its_values() -> None:
    rules = urcx.ruleset("finkel")
    adviser = Adviser(agent("gain"), rules)
    found = adviser.about(parse_position("2/3,6/5-5/L"), 4)
    # By hand, roll 4: B takes the piece on 6, 4 + 6, less the replies 3, 12, 42, 43 and 443 there.
    two = Fraction(24, 256) + Fraction(6, 256) + Fraction(4, 256)
    lost = 6 * (Fraction(4, 16) + two + Fraction(4, 4096))
    assert [(a.move.start, a.best) for a in found] == [(0, False), (2, True)]
    assert found[1].value == 10 - lost


@pytest.mark.jit
def test_it_beats_greedy() -> None:
    result = urcx.simulate("gain", "greedy", games=1000, seed=2, first="coin")
    assert result.wins("light") > 800


def test_dice_that_need_too_many_digits() -> None:
    rules = urcx.ruleset("finkel")
    fine = replace(
        rules.dice, rolls=(0, 1), probabilities=(Fraction(1, 65537), Fraction(65536, 65537))
    )
    with pytest.raises(TooLargeError, match="1/65537"):
        gain_policy(replace(rules, dice=fine), 0)


def test_the_last_piece_home_cannot_be_lost() -> None:
    rules = urcx.ruleset("finkel")
    board = 1 << 13
    value = gain_kernels.worth_of_move(
        gain_policy(rules, 0), tables(rules).ways, 0, board, 6, 1 << 4, 6, 14, 1
    )
    assert value == 16**4

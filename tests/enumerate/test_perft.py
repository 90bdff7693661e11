from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import naive
import pytest
from naive_reach import UNEVEN
from own_rules import own

import urcx
from urcx.enumerate import perft as module
from urcx.enumerate.perft import branches_of, perft
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.model import RuleSet

GOLDEN = tomllib.loads((Path(__file__).parent.parent / "golden" / "perft.toml").read_text("utf-8"))
FEW = ("finkel", "blitz", "skiriuk")  # plain Python can do no more
NAMES = sorted({rules.name for rules in catalogue().rules.values()})


def test_another_programs_counts_for_finkel() -> None:
    # perft and distinct mover-view positions of another program: see golden/perft.toml.
    levels = perft(urcx.ruleset("finkel"), 5)
    assert [level.nodes for level in levels] == [5, 28, 192, 1492, 12469]
    assert [level.positions for level in levels] == [5, 28, 104, 347, 990]


@pytest.mark.jit
@pytest.mark.parametrize("name", NAMES)
def test_golden_counts(name: str) -> None:
    rules = urcx.ruleset(name)
    golden = GOLDEN["rules"].get(name)
    walked = [naive.perft(urcx.Position(), depth, rules) for depth in range(1, 5)]
    wanted = golden["nodes"] if golden else walked
    assert wanted[:4] == walked
    assert [level.nodes for level in perft(rules, len(wanted))] == wanted


@pytest.mark.parametrize(
    "rules",
    [
        replace(UNEVEN, pieces=2, rosette_protects=False, capture_grants_roll=True),
        *map(urcx.ruleset, FEW),
        *(pytest.param(urcx.ruleset(n), marks=pytest.mark.jit) for n in NAMES if n not in FEW),
    ],
    ids=lambda rules: rules.name,
)
def test_from_random_positions_against_the_naive_walk(rules: RuleSet) -> None:
    ranking = urcx.ranking(rules.path, rules.pieces, convention="positions")
    for position in ranking.sample(6, seed=23):
        if rules.pieces in position.home:
            continue
        levels = perft(rules, 3, position)
        assert [level.nodes for level in levels] == [
            naive.perft(position, depth, rules) for depth in (1, 2, 3)
        ]


def test_divide_adds_up_to_the_whole() -> None:
    rules, position = urcx.ruleset("finkel"), urcx.parse_position("14/2,6/6-4/L")
    parts = perft(rules, 4, position, divide=True).branches
    assert parts is not None
    assert sum(nodes for _, _, nodes in parts) == perft(rules, 4, position)[-1].nodes
    finished = [nodes for _, move, nodes in parts if move and move.position.home[0] == 7]
    assert finished == [0]
    assert [nodes for _, _, nodes in branches_of(rules, 1, position)] == [1] * len(parts)


@pytest.mark.parametrize(
    ("rules", "plies"),
    # One piece per side: few enough positions to count exactly for hundreds of plies.
    [
        (own("tiny", pieces=1), 90),
        pytest.param(own("finkel", pieces=1), 60, marks=pytest.mark.jit),
    ],
    ids=["tiny", "finkel"],
)
def test_counts_beyond_64_bits(rules: RuleSet, plies: int) -> None:
    level = perft(rules, plies)[-1]
    # The same numbers by a plain dictionary of positions.
    counts = {urcx.parse_position("-/-/0-0/L"): 1}
    for _ in range(plies):
        after: dict[urcx.Position, int] = {}
        for position, n in counts.items():
            if 1 in position.home:
                continue
            for roll in rules.dice.rolls:
                moves = [after for _, _, after in naive.moves(position, roll, rules)]
                for child in moves or [naive.passed(position)]:
                    after[child] = after.get(child, 0) + n
        counts = after
    assert level.nodes == sum(counts.values()) > 1 << 64


def test_a_position_has_room_for_the_most_branches_it_can_have() -> None:
    for name, pieces in (("finkel", 7), ("finkel", 1), ("masters", 2)):
        rules = replace(urcx.ruleset(name), pieces=pieces)
        most = len(rules.dice.rolls) * (pieces + 1)  # every piece on the board, and the pool
        for depth in (1, 2, 3, 50, 200):
            count = module.bytes_a_position(rules, depth) - module.POSITION_BYTES
            assert count % 8 == 0, "whole words, of which 32 bits count"
            assert (most**depth).bit_length() <= count // 8 * 32


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    finkel = urcx.ruleset("finkel")
    for depth in (0, -1, 201):
        with pytest.raises(UsageError, match="from 1 to 200"):
            perft(finkel, depth)
    with pytest.raises(PositionError, match="game is over"):
        perft(finkel, 1, urcx.parse_position("-/-/7-0/D"))
    monkeypatch.setattr(module, "MAX_POSITIONS", 300)
    with pytest.raises(TooLargeError, match="depth 4 has more than 300 positions"):
        perft(finkel, 8)

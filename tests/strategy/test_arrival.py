"""How soon a piece is there: by the game's own moves, by a single piece's chain, by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from own_rules import own

import urcx
from urcx.engine.moves import legal_moves
from urcx.errors import UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.alone import PieceArrivals, arrival
from urcx.strategy.dice import chances
from urcx.strategy.journey import journey, track

FINKEL = urcx.ruleset("finkel")


def _by_the_games_moves(rules: RuleSet, to: int, left: int, position: Position) -> Fraction:
    """Return the probability with dark passing every turn; the turn that goes on is counted."""
    if left == 0 or position.home[0] == rules.pieces:
        return Fraction(0)
    total = Fraction(0)
    for roll, p in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        best = Fraction(0)
        for move in moves:
            if move.end == to:
                best = Fraction(1)
                break
            after = replace(move.position, light_to_move=True)
            best = max(best, _by_the_games_moves(rules, to, left - (not move.rolls_again), after))
        total += p * (best if moves else _by_the_games_moves(rules, to, left - 1, position))
    return total


@pytest.mark.parametrize(
    ("name", "pieces", "to", "turns"),
    [("finkel", 1, 8, 2), ("finkel", 3, 4, 2), ("finkel", 7, 8, 2), ("masters", 2, 7, 2)],
)
def test_against_the_games_moves(name: str, pieces: int, to: int, turns: int) -> None:
    rules = replace(urcx.ruleset(name), pieces=pieces)
    wanted = [_by_the_games_moves(rules, to, n, Position()) for n in range(1, turns + 1)]
    assert list(arrival(rules, to, pieces, turns)) == wanted


def test_tiles_and_names_say_the_same_as_steps_and_rules() -> None:
    found = urcx.arrivals("B4", within=3, pieces=range(1, 3))
    assert found == urcx.arrivals(8, FINKEL, within=3, pieces=[1, 2])
    assert found.within == {n: arrival(FINKEL, 8, n, 3) for n in (1, 2)}
    assert [*urcx.arrivals("home", own("tiny"), within=1).within] == [
        *range(1, 1 + own("tiny").pieces)
    ]
    for wrong in ("C9", "15", 0, 99):
        with pytest.raises(UsageError):
            urcx.arrivals(wrong)
    with pytest.raises(UsageError, match="no number of pieces"):
        urcx.arrivals(8, pieces=[])


def test_where_the_path_comes_back_a_tile_may_be_taken() -> None:
    rules = own("tiny")
    back = (*rules.path.light, "B2", "B1")
    rules = replace(rules, path=replace(rules.path, light=back, dark=("C1", *back[1:])))
    for to in (5, 7):
        wanted = [_by_the_games_moves(rules, to, n, Position()) for n in (1, 2, 3, 4)]
        assert list(arrival(rules, to, 2, 4)) == wanted


def test_one_piece_arrives_in_the_end_as_often_as_its_chain_says() -> None:
    for to in (4, 8):
        found = arrival(FINKEL, to, 1, 10)
        assert list(found) == sorted(found)
        limit = journey(track(FINKEL), to).hit
        assert 0 <= limit - found[-1] < Fraction(1, 10_000)


def test_more_pieces_are_never_slower() -> None:
    one, two, seven = (arrival(FINKEL, 8, pieces, 5) for pieces in (1, 2, 7))
    assert one[0] == two[0] == seven[0] == Fraction(1, 256)  # two 4s
    assert all(a <= b <= c for a, b, c in zip(one, two, seven, strict=True))
    # The paper expects three turns to the centre; even seven pieces have a quarter.
    assert seven[2] < Fraction(1, 4) < Fraction(1, 2) < seven[3]


@pytest.mark.parametrize(
    ("to", "pieces", "turns", "words"),
    [
        (0, 7, 3, "step 0"),
        (16, 7, 3, "step 16"),
        (8, 7, 0, "0 turns"),
        (8, 7, 11, "11 turns"),
        (8, 0, 3, "0 pieces"),
        (8, 16, 3, "16 pieces"),
    ],
)
def test_numbers_out_of_range(to: int, pieces: int, turns: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        arrival(FINKEL, to, pieces, turns)


def test_arrivals_by_turns_and_numbers_of_pieces() -> None:
    rules = urcx.ruleset("finkel")
    found = {n: arrival(rules, 4, n, 2) for n in (1, 2)}
    report = PieceArrivals(rules, 4, found).report()
    assert [(row["pieces"], row["turns"]) for row in report.records] == [
        (1, 1), (1, 2), (2, 1), (2, 2),
    ]  # fmt: skip
    assert [row["probability"] for row in report.records][2:] == list(map(str, found[2]))
    assert [head.title for head in report.tables[0].heads] == ["turns", "1 piece", "2 pieces"]

"""Reviews: luck and skill add up to the result, exactly, and agree with the solution."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from test_record import SMALL, play_out

import urcx
from urcx.errors import TooLargeError, UnusableFileError, WrongObjectError
from urcx.played.review import Review
from urcx.played.values import SolvedGame
from urcx.solving.files.kept import can_be_solved

pytest_plugins = ["solved_games"]

pytestmark = pytest.mark.jit


def check_sum(found: Review) -> None:
    light, dark = found.sides
    gained = (light.luck - light.lost) - (dark.luck - dark.lost)
    assert found.light_end - found.light_start == gained
    assert isinstance(gained, Fraction)


@pytest.mark.parametrize("seed", range(5))
def test_luck_and_skill_add_up_to_the_result(seed: int, two_pieces: Path) -> None:
    played = play_out(seed=seed)
    with urcx.open_tablebase(two_pieces) as base:
        found = urcx.review(played, base)
        check_sum(found)
        assert found.light_end == (1 if played.winner == "light" else 0)
        assert found.light_start == Fraction(base.probe(played.start))
        for one in found.plies:
            assert one.regret >= 0
            assert one.luck + one.before == one.rolled
            moves = base.best_moves(one.ply.before.position, one.roll)
            assert len(moves) == one.choices
            if moves:
                assert float(one.rolled) == pytest.approx(moves[0].value, abs=1e-15)
                regret = next(m.regret for m in moves if m.move == one.move)
                assert float(one.regret) == pytest.approx(regret, abs=1e-15)
            else:
                assert one.move is None
                assert one.regret == 0
    check_sum(urcx.review(played.at(len(played.plies) // 2), two_pieces))


def test_each_ply_begins_where_the_last_one_ended(two_pieces: Path) -> None:
    found = urcx.review(play_out(), two_pieces)
    ends = [found.light_start, *(one.light_after for one in found.plies)]
    assert [one.light_before for one in found.plies] == ends[:-1]
    assert ends[-1] == found.light_end


def test_luck_is_nothing_in_the_mean(two_pieces: Path) -> None:
    with urcx.open_tablebase(two_pieces) as base:
        for position in ("-/-/0-0/L", "4,7/9,12/0-0/D", "12/9/0-1/L"):
            game = urcx.Game(SMALL, position)
            chances = zip(SMALL.dice.rolls, SMALL.dice.probabilities, strict=True)
            luck = Fraction(0)
            for roll, chance in chances:
                found = urcx.hint(game, roll, base)
                assert found.rolled is not None
                assert found.before is not None
                luck += chance * (found.rolled - found.before)
            assert abs(luck) < Fraction(1, 10**11)


def test_perfect_play_loses_nothing_and_mistakes_are_those_of_who_makes_them(
    two_pieces: Path,
) -> None:
    played = play_out(agents=(f"optimal:{two_pieces}", "random"), seed=2)
    light, dark = urcx.review(played, two_pieces).sides
    assert light.mistakes == 0
    assert light.worst is None
    assert float(light.lost) < 1e-11
    assert dark.mistakes > 0
    assert dark.worst is not None
    assert dark.worst.regret == max(
        one.regret for one in urcx.review(played, two_pieces).plies if one.side == "dark"
    )
    assert dark.worst.best != dark.worst.move
    assert light.plies + dark.plies == len(played.plies)


class Alike:
    """Knows no difference between positions: all moves are best, and every ply loses nothing."""

    bound: float | None = None

    def __init__(self, rules: urcx.RuleSet) -> None:
        self.rules = rules

    def probe(self, position: object) -> float:
        del position
        return 0.5


def test_what_was_played_is_best_if_nothing_is_better() -> None:
    found = urcx.review(play_out().at(20), Alike(SMALL))
    assert any(one.choices > 1 and one.hint.moves[0].move != one.move for one in found.plies)
    assert all(one.best == one.move for one in found.plies)
    assert found.side("light").mistakes == found.side("dark").mistakes == 0
    assert "of unknown precision" in repr(found)


def test_coarse_chances_are_no_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "coarse.urcx"
    urcx.solve(SMALL, file, store="u16")
    found = urcx.review(play_out(), file)
    check_sum(found)
    assert found.bound is not None
    assert found.bound > 5e-6
    assert all(one.regret == 0 or one.regret > 2 * found.bound for one in found.plies)


@pytest.mark.parametrize("name", ["finkel", "murray"])
def test_small_games_are_solved_at_once_on_any_path(name: str) -> None:
    rules = urcx.ruleset(name, pieces=1)
    assert can_be_solved(rules)
    found = urcx.review(play_out(rules))
    check_sum(found)
    known = SolvedGame(rules)
    assert float(found.light_start) == known.probe("-/-/0-0/L")
    assert known.bound is not None
    assert known.bound < 1e-11
    assert known.probe("-/-/1-0/L") == 1.0
    assert known.probe("-/-/1-0/D") == 0.0


def test_what_cannot_be_judged_is_refused(two_pieces: Path, tmp_path: Path) -> None:
    with pytest.raises(TooLargeError, match=r"to solve at once; solve it once: urcx solve"):
        urcx.review(urcx.PlayedGame("finkel"))
    assert not can_be_solved(urcx.ruleset("finkel"))
    with pytest.raises(UnusableFileError, match="is of finkel with 2 pieces, not of blitz with 5"):
        urcx.review(urcx.PlayedGame("blitz"), two_pieces)
    with pytest.raises(UnusableFileError, match=r"none\.urcx"):
        urcx.review(urcx.PlayedGame("blitz"), tmp_path / "none.urcx")
    wrong: object = 7
    with pytest.raises(WrongObjectError, match="tablebase: a file's name"):
        urcx.review(urcx.PlayedGame(SMALL), wrong)  # type: ignore[arg-type]


def test_a_review_prints_its_sum(two_pieces: Path) -> None:
    shown = repr(urcx.review(play_out(dark="random"), two_pieces))
    assert "luck  regret  plies  decisions  mistakes" in shown
    assert "* light's chance 51.86% + (" in shown
    assert "chances off by at most" in shown

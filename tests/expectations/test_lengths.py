from __future__ import annotations

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
import urcx.expectations.lengths
from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.errors import OutOfDomainError, TooLargeError, UrcxError, UsageError
from urcx.expectations.survival_kernels import go_on, relocate
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.sweeps.layout_kernels import MARGIN, Picks, StateRows
from urcx.sweeps.sweep_kernels import PolicyMean, Way


def slow(rules: RuleSet, plies: int) -> list[float]:
    """Return the chances of games of random moves that last 0 to so many plies."""

    def ways(state: tuple[Position, int]) -> list[tuple[tuple[Position, int], float]]:
        at, ply = state
        return [((to, ply + 1), p) for to, p in naive.random_ways(rules, at) if ply < plies]

    found = [0.0] * (plies + 1)
    for (at, ply), share in naive.visits({(Position(), 0): 1.0}, ways).items():
        found[ply] += share * (rules.pieces in at.home)
    return found


@pytest.mark.jit
@pytest.mark.parametrize("name", ["short", "tiny", "wings", "peace", "harmless"])
def test_chances_by_the_rules_in_words(name: str) -> None:
    rules = own(name)
    wanted = slow(rules, 14)
    for first in ("light", "alternate"):
        found = urcx.lengths("random", rules=rules, first=first).chances[: len(wanted)]
        assert found == pytest.approx(wanted, abs=1e-14)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("light", "dark", "first", "pieces"),
    [
        ("greedy", None, "alternate", 3),  # rows are long enough for four vectors at a time
        ("optimal", "random", "light", 2),
        ("random", "first", "dark", 2),
        ("expectimax:1:advance:random", None, "coin", 2),  # several moves of a state
        ("mistakes:40", "mistakes:20:greedy:random", "light", 2),
    ],
)
def test_the_mean_is_that_of_exact_expectations(
    light: str, dark: str | None, first: str, pieces: int
) -> None:
    rules = urcx.ruleset("finkel", pieces=pieces)
    found = urcx.lengths(light, dark, rules, first=first, tail=1e-12)
    wanted = urcx.exact_measures(urcx.expected(light, dark, rules=rules, first=first))[0].mean
    assert found.mean == pytest.approx(wanted, abs=1e-8)
    assert found.tail <= 1e-12
    assert abs(found.chances.sum() + found.tail - 1.0) < 1e-12
    first_end = next(level.depth for level in urcx.reach(rules).levels if level.terminals)
    assert found.shortest >= first_end


@pytest.mark.jit
def test_games_played_lie_within_the_distribution() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    games = urcx.simulate("greedy", rules=rules, games=4000, seed=1)
    found = urcx.lengths("greedy", rules=rules)
    middle = found.quantile(0.5)
    assert middle is not None
    share = float(np.mean(np.asarray(games.plies) <= middle))
    wanted = float(found.chances[: middle + 1].sum())
    assert abs(share - wanted) < 4 * 0.5 / 4000**0.5
    assert found.sd == pytest.approx(float(np.std(games.plies)), rel=0.06)


@pytest.mark.jit
def test_pairs_of_which_hardly_any_games_go_on_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    whole = np.cumsum(urcx.lengths("greedy", rules=rules, tail=1e-9).chances)
    monkeypatch.setattr(urcx.expectations.lengths, "OVER", 1e-5)
    found = np.cumsum(urcx.lengths("greedy", rules=rules, tail=1e-9).chances)
    common = min(len(found), len(whole))
    off = found[:common] - whole[:common]
    assert 0.0 < off.max() < 1e-5
    assert off.min() > -1e-15


@pytest.mark.jit
def test_threads_change_no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urcx.expectations.lengths, "SMALL", 0)
    rules = urcx.ruleset("finkel", pieces=2)
    one, two = (urcx.lengths("random", "optimal", rules, threads=n) for n in (1, 2))
    assert (one.chances == two.chances).all()


@pytest.mark.jit
def test_a_tail_ends_the_list() -> None:
    rules = own("short")
    short, long = (urcx.lengths("random", rules=rules, tail=tail) for tail in (0.1, 1e-6))
    assert 1e-6 < short.tail <= 0.1
    assert len(short.chances) < len(long.chances)
    assert (short.chances == long.chances[: len(short.chances)]).all()
    assert short.quantile(0.95) is None
    assert long.quantile(0.95) is not None


@pytest.mark.jit
def test_games_that_go_on_too_long_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urcx.expectations.lengths, "MOST_PLIES", 10)
    with pytest.raises(UrcxError, match=r"short still go on after 10 plies .* of 0\.\d+\. "):
        urcx.lengths("random", rules=own("short"))


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"tail 0\.6: must be from 1e-12 to 0\.5"):
        urcx.lengths("random", tail=0.6)
    with pytest.raises(UsageError, match="unknown first mover"):
        urcx.lengths("random", first="me")
    with pytest.raises(OutOfDomainError, match="murray"):
        urcx.lengths("random", rules="murray")
    monkeypatch.setattr(urcx.expectations.lengths, "MOST_STATES", 100)
    with pytest.raises(TooLargeError, match="too many states to number"):
        urcx.lengths("random", rules=own("short"))


def test_masks_of_another_row_lead_to_no_read() -> None:
    # Two rows of one state, one roll: two moves, then three. A vector of the first row's masks has
    # the second row's too; beyond the first row's reads stands what is no place.
    values = np.arange(1.0, 2.0 + 2 * MOST_LANES)
    ops = np.array([2, 3, 4, 2**31, 3, 1, 2, 5], np.uint32)
    picks = np.zeros(2 + 2 * MARGIN, np.uint8)
    picks[MARGIN : MARGIN + 2] = 0b10, 0b111
    one, chance = np.ones(1, np.int64), np.ones(1)
    chance.flags.writeable = False  # as those of a rule set, for which the kernel is compiled
    out = np.zeros(2 + 2 * LANES)
    any_of = np.array([[0b10, 0b111]], np.uint8)
    chosen = PolicyMean(
        Way(np.zeros(2), np.empty(0), 0.0), Picks(False, True, any_of, picks, len(picks))
    )
    for row, reads in ((0, 0), (1, 4)):
        at = np.array([row])
        rows = StateRows(one, one, at, at, at, np.array([reads]), ops, chance)
        go_on(values, rows, chosen, out, 0, 1)
    assert out[:2].tolist() == [-values[4], -(values[1] + values[2] + values[5]) / 3]


def test_reads_are_moved_by_where_they_refer_to() -> None:
    ops = np.array([2, 0, 9, 1, 10, 77, 3, 19, 20, 25, 1, 5], np.uint32)
    given = np.array([10, 20, 30]), np.array([0, 100, -20])
    relocate(ops, np.array([0, 6]), 2, *given, 0, 2)
    assert ops.tolist() == [2, 0, 9, 1, 110, 77, 3, 119, 0, 5, 1, 5]

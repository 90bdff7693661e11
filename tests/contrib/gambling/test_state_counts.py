"""States of a gambling game, piece by piece."""

from __future__ import annotations

import pytest

from urcx.contrib.gambling import closed_form, enumerator, state_counts
from urcx.contrib.gambling.rules import gambling_game


def test_only_few_diagrams_are_visited_unless_all_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = gambling_game()
    totals = [closed_form.labelled_diagrams(game.path, game.entries[:k]) for k in (1, 2, 3)]
    monkeypatch.setattr(state_counts, "QUICK", totals[1])
    assert state_counts.visited(game, all_of_them=False) == totals[0] + totals[1]
    found = state_counts.states(game, all_of_them=False)
    assert [row.pieces for row in found] == [1, 2, 3, 4, 5]
    assert [row.enumerated for row in found] == [*totals[:2], None, None, None]
    assert [row.agree for row in found] == [True, True, None, None, None]
    assert found[1].enumerated == enumerator.count_labelled(game.path, game.entries[:2])
    assert all(row.any_step >= row.diagrams for row in found)


def test_counters_are_no_part_of_the_states_on_credit() -> None:
    game = gambling_game()
    bounded = state_counts.game_conventions(game.choosing(stakes="counters"))
    credit = state_counts.game_conventions(game.choosing(stakes="credit"))
    assert set(credit) < set(bounded)
    assert all(bounded[name] == count for name, count in credit.items())

"""How parts of the states that Michon's procedure decides are shown."""

from __future__ import annotations

from urcx.contrib.michon.result import part_text


def test_shares_are_never_rounded_to_nothing_or_all() -> None:
    assert [part_text(*pair) for pair in ((0, 5), (5, 5), (0, 0))] == ["0 %", "100 %", "0 %"]
    assert part_text(1, 10**9) == "1e-07 %"
    assert part_text(10**9 - 1, 10**9) == "99.99 %"
    assert part_text(1, 3) == "33.33 %"

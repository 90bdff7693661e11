"""The report on agents judged by perfect play."""

from __future__ import annotations

from dataclasses import replace

from own_rules import own

import urcx
from urcx.results.numbers import percent_text
from urcx.solving.probing import points_text

RULES = own("short")


def test_what_agents_give_away() -> None:
    found = urcx.regret(["random", "optimal"], RULES)
    shown = found
    random, optimal = shown.document()["rows"]
    assert random["loss"] > optimal["loss"] >= 0
    assert shown.tables()[0].rows[0][:4] == [
        "random",
        "optimal",
        percent_text(random["wins"]),
        points_text(random["loss"]),
    ]
    assert random["loss_per_decision"] * random["decisions"] >= 0.999 * random["loss"]
    assert not any("error bound" in note for note in shown.tables()[0].notes)


def test_a_coarse_solution_says_so() -> None:
    found = replace(urcx.regret(["random"], RULES), bound=1e-5)
    assert any("error bound" in note for note in found.tables()[0].notes)

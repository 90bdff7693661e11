"""Recorded values, and how a tablebase has them computed again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import urcx
from urcx.agents.network_files import shipped
from urcx.errors import TablebaseError, UnusableFileError, UsageError
from urcx.published.figures import FAILS, HOLDS, UNDECIDED, Figure, Source, sources
from urcx.published.quantities.registry import AGAIN
from urcx.published.verify import Solutions, Verdicts, verdict_of

pytest_plugins = ["solved_games"]

FIGURE = Figure(
    "somebody", "a place", "arrivals", {"rules": "finkel", "pieces": 1, "what": "shortest"},
    "6", "6", FAILS, "because", "5", "by hand",
)  # fmt: skip


def test_a_recorded_value_is_judged_as_it_stands() -> None:
    found = verdict_of(FIGURE)
    assert (found.computed, found.verdict, found.recorded, found.changed) == (
        "5", FAILS, True, False,
    )  # fmt: skip
    right = verdict_of(replace(FIGURE, value="5", verdict=HOLDS))
    assert (right.verdict, right.changed) == (HOLDS, False)
    undecided = verdict_of(replace(FIGURE, verdict=UNDECIDED))
    assert (undecided.verdict, undecided.readings) == (UNDECIDED, ())


def test_a_tablebase_computes_it_again(one_piece: Path) -> None:
    solutions = Solutions([one_piece])
    found = verdict_of(FIGURE, solutions)
    assert (found.again, found.recorded) == (found.computed, False)
    kept = replace(FIGURE, found=found.computed)
    assert not verdict_of(kept, solutions).changed
    wrong = replace(FIGURE, found=str(int(found.computed) + 1))
    assert verdict_of(wrong, solutions).changed
    near = replace(wrong, params={**FIGURE.params, "within": "1"})
    assert not verdict_of(near, solutions).moved
    assert verdict_of(replace(near, params={**FIGURE.params, "within": "0.5"}), solutions).moved
    # Another game's figure stays recorded.
    other = replace(FIGURE, params={**FIGURE.params, "pieces": 2})
    assert verdict_of(other, solutions).recorded


def test_what_is_recorded_says_so(one_piece: Path) -> None:
    source = Source("somebody", "Somebody", "all wrong")
    text = Verdicts(((source, (verdict_of(FIGURE),)),)).report(summary=False).text(wide=True)
    assert "5 (recorded)" in text
    assert "--tablebase FILE" in text
    (row,) = Verdicts(((source, (verdict_of(FIGURE),)),)).report(summary=False).records
    assert (row["obtained"], row["computed"]) == ("by hand", "5")
    wrong = verdict_of(replace(FIGURE, found="99"), Solutions([one_piece]))
    text = Verdicts(((source, (wrong,)),)).report(summary=False).text(wide=True)
    assert "(recorded: 99)" in text
    assert "--tablebase FILE" not in text


def test_tablebases_that_are_of_no_use(one_piece: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"finkel with 1 pieces, of which .* no recorded"):
        urcx.verify("heled", tablebases=[one_piece])
    with pytest.raises(UsageError, match="of: no game"):
        urcx.verify("michon", tablebases=[one_piece])
    with pytest.raises(UnusableFileError):
        urcx.verify("heled", tablebases=[tmp_path / "missing.urcx"])
    damaged = tmp_path / "damaged.urcx"
    damaged.write_bytes(b"\0" + one_piece.read_bytes()[1:])
    with pytest.raises((UnusableFileError, TablebaseError)):
        urcx.verify("heled", tablebases=[damaged])


def test_recorded_figures_say_how_they_were_found() -> None:
    kept = {
        "network",
        "longest-least",
        "nalimov-decides",
        "shortest-game",
        "longest-layer",
    }  # what no tablebase gives again
    for _, figures in sources():
        for figure in figures:
            assert bool(figure.found) == bool(figure.how), figure.place
            if figure.found:
                assert (figure.quantity in AGAIN) != (figure.quantity in kept)


def test_the_trained_agent_is_the_one_that_comes_with_urcx() -> None:
    # Another network needs its shares found again.
    command = str(shipped(urcx.ruleset("kwan")).card["command"]).partition(" -o ")[0]
    recorded = [
        figure.how
        for _, figures in sources()
        for figure in figures
        if "urcx train" in figure.how and "learned" in figure.params.values()
    ]
    assert len(recorded) == 2
    assert all(command in how for how in recorded)

"""The kept exact means: whole, consistent with each other, and beside sampled figures."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import run

import urcx
from urcx.agents.agent_texts import agent
from urcx.complexity.game_tree import CONVENTIONS
from urcx.games.statistics import MEASURES
from urcx.published import exact, gtc
from urcx.published.exact import ExactMeans, exact_means, exact_table, longest_table
from urcx.rules import catalogue
from urcx.rules.load import parse_toml


@pytest.mark.parametrize("one", exact_table(), ids=lambda one: f"{one.rules}-{one.agent}")
def test_entries_are_whole_and_add_up(one: ExactMeans) -> None:
    rules = catalogue.ruleset(one.rules)
    assert one.pieces == rules.pieces
    assert list(one.measures) == [name for name, *_ in MEASURES]
    assert list(one.gtc) == [c.name for c in CONVENTIONS if not c.mean_of_games]
    pairs = [*one.measures.values(), *one.gtc.values(), one.first_wins]
    assert all(0.0 < bound < 1e-6 for _, bound in pairs)
    means = {name: mean for name, (mean, _) in one.measures.items()}
    off = 10.0 * one.measures["plies"][1]
    assert abs(means["plies"] - means["moves"] - means["passes"]) < off
    assert abs(means["choices_per_move"] * means["moves"]
               - means["choices_per_ply"] * means["plies"]) < 10.0 * off  # fmt: skip
    # Plies that roll 0 are no rolls: the dice are thrown anew in each ply (Wald).
    zero = float(sum(p for roll, p in zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
                     if roll == 0))  # fmt: skip
    assert means["choices_per_roll"] * (1.0 - zero) == pytest.approx(means["choices_per_ply"])
    assert one.gtc["sum-log"][0] == means["sum_log10_choices"]
    assert 0.5 < one.first_wins[0] < 0.6


@pytest.mark.jit
def test_bounds_of_longest_games_hold() -> None:
    for one in longest_table():
        assert one.upper is None or 0.98 < one.lower / one.upper < 1.0
        assert one.unit in {"plies", "moves"}
        if one.pieces <= 2:
            rules = urcx.ruleset(one.rules, pieces=one.pieces)
            found = urcx.longest(rules, unit=one.unit, tolerance=1e-7)
            assert one.upper is not None
            assert one.lower < found.mean < one.upper


def test_a_sample_covers_them_for_equal_agents_of_the_catalogue_only() -> None:
    one = exact_table()[0]
    games = urcx.simulate(one.agent, rules=one.rules, games=400, seed=3)
    found = gtc.evaluated(games)
    assert found.exact == one
    for measure in found.measures:
        low, high = measure.ci95 or (0.0, 0.0)
        mean, _ = one.measures[measure.name]
        assert abs(measure.mean - mean) <= 2.5 * (high - low), measure.name
    rules, player = catalogue.ruleset(one.rules), agent(one.agent)
    assert exact_means(rules, player, player) == one
    for other in (replace(rules, pieces=2), replace(rules, path=urcx.path("masters"))):
        assert exact_means(other, player, player) is None
    assert exact_means(rules, player, agent("first")) is None
    assert exact_means(rules, agent("expectimax:1"), agent("expectimax:1")) is None


def tiny_entry() -> ExactMeans:
    """Return what the table has, for a small game."""
    one, rules = exact_table()[0], urcx.ruleset("finkel", pieces=1)
    found = urcx.expected("random", rules=rules)
    measures = {m.name: (m.mean, m.bound or 0.0) for m in urcx.exact_measures(found)}
    return replace(one, rules="finkel", pieces=1, agent="random", ties="random", measures=measures)


def test_they_stand_beside_sampled_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tiny_entry()
    monkeypatch.setattr(gtc, "exact_means", lambda *_: known)
    command = ("gtc", "--games", "50", "--agent", "random", "-p", "1", "--seed", "1")
    text = run(*command).out
    assert "exactly" in text
    assert f"{known.measures['plies'][0]:.6f}" in text
    data = run(*command, "--json").json
    row = data["measures"]["plies"]
    assert (row["exact"], row["bound"]) == known.measures["plies"]
    first = next(row for row in data["gtc"] if row["convention"] == "allis")
    assert first["exact"] == known.gtc["allis"][0]
    monkeypatch.setattr(gtc, "exact_means", lambda *_: None)
    data = run(*command, "--json").json
    assert "exact" not in data["measures"]["plies"]
    assert "exactly" not in run(*command).out


def test_the_table_is_written_from_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(__file__).parents[2] / "benchmarks" / "exact_table.py"
    spec = importlib.util.spec_from_file_location("exact_table", file)
    assert spec is not None
    assert spec.loader is not None
    writer: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    command = ("gtc", "--exact", "--agent", "random", "-p", "1", "--json")
    data = run(*command).json | {"commit": "abc1234"}
    (tmp_path / "finkel-random.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(writer, "TABLE", tmp_path / "exact.toml")
    writer.write(tmp_path)
    text = (tmp_path / "exact.toml").read_text(encoding="utf-8")
    found = parse_toml("exact.toml", text)["means"]
    assert len(found) == 1
    one = exact._entry(found[0])
    plies = data["measures"]["plies"]
    assert one.measures["plies"][0] == plies["mean"]
    assert plies["bound"] <= one.measures["plies"][1] < 1.2 * plies["bound"]
    assert (one.commit, one.pieces, one.states) == ("abc1234", 1, int(data["states"]))
    (tmp_path / "finkel-random.json").unlink()
    writer.write(tmp_path)  # again from the table itself
    assert (tmp_path / "exact.toml").read_text(encoding="utf-8") == text

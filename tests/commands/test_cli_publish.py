"""``urcx verify``: every verdict is as recorded; ``urcx report``: the files that it writes."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import assert_one_line, run, settled
from tiny_report import PLAN

import urcx
from urcx.agents.agents import agent
from urcx.complexity.game_tree import CONVENTIONS
from urcx.games.statistics import MEASURES
from urcx.published import figures, gtc
from urcx.published.figures import HOLDS, INCONSISTENT, Figure, Source
from urcx.published.gtc import ExactMeans, GameTree, exact_means, exact_table
from urcx.reports import page
from urcx.rules import catalogue
from urcx.rules.load import parse_toml

pytest_plugins = ["command_fixtures"]


def test_the_help_names_every_source() -> None:
    said = "".join(run("verify", "--help").out.split())
    assert f"{','.join(figures.FILES)}.[default:all]" in said


@pytest.mark.parametrize(
    "line",
    [
        "verify --source {} --summary",
        "verify --verdict {} --summary",
        "cite {}",
        "cache --only {}",
        "dice --dice {}",
    ],
)
@pytest.mark.jit
def test_the_default_all_can_be_typed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [item for item in figures.sources() if item[0].name in ("michon", "heled")]
    assert len(few) == 2
    for name in ("urcx.published.verify", "urcx.published.figures"):
        monkeypatch.setattr(f"{name}.sources", lambda: few)
    typed = run(*line.format("all").split(), "--json")
    usual = re.sub(r"(--\w+ )?\{\}", "", line)
    assert settled(typed.json) == settled(run(*usual.split(), "--json").json)


@pytest.mark.jit
def test_a_verdict_that_changed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from urcx.published import verify

    monkeypatch.setattr(verify.Verdict, "changed", property(lambda _: True))
    result = run("verify", "--source", "post", "--all")
    assert result.code == 1
    assert result.err.startswith("urcx: ")
    assert result.err.count("\n") == 1
    assert "137,913,936" in result.out, "the table is shown all the same"


def test_the_summary_comes_first_or_alone() -> None:
    whole = run("verify", "--source", "michon", "--all").out
    assert whole.startswith("74 published figures in 1 source: 66 hold as printed, 1 does not hold")
    alone = run("verify", "--source", "michon", "--summary").out
    assert whole.startswith(alone[: alone.index("*")])
    short = run("verify", "--source", "michon").out
    assert whole.startswith(re.split(r"\* \d+ more", short)[0].rstrip())
    assert "nothing but finished games" in short
    assert "140,939,686" not in short, "it is inconsistent, which is not to fail"
    assert "140,939,686" in whole
    assert "140,939,686" not in alone
    document = run("verify", "--source", "michon", "--summary", "--json").json
    assert document["rows"] == []
    assert document["sources"][0]["inconsistent_within_the_source"] == 7


def test_verdicts_can_be_chosen() -> None:
    for arguments in (
        ["--verdict", "inconsistent-within-the-source", "--verdict", "no-claim"],
        ["--verdict", "inconsistent-within-the-source,no claim"],
        ["--verdict", "inconsistent,no-claim"],  # as in the table's heading
    ):
        document = run("verify", "--source", "michon", *arguments, "--json").json
        assert {row["verdict"] for row in document["rows"]} == {INCONSISTENT}
        assert document["verdicts"] == [INCONSISTENT, "no claim"]
        assert document["sources"][0]["figures"] > len(document["rows"]) == 7


@pytest.mark.jit
def test_recorded_figures_are_computed_again_from_a_tablebase(
    one_piece: Path, two_pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ("--tablebase", str(one_piece))
    params = {"rules": "finkel", "pieces": 1, "what": "shortest"}
    figure = Figure("a", "a place", "arrivals", params, "9", "9", HOLDS, "", "9", "once")
    kept: list[tuple[Source, tuple[Figure, ...]]] = [(Source("a", "A", "so it is"), (figure,))]
    for name in ("urcx.published.verify", "urcx.published.figures"):
        monkeypatch.setattr(f"{name}.sources", lambda: kept)
    assert run("verify").code == 0
    assert "9 (recorded)" in run("verify", "--all").out
    found = run("verify", *table, "--json")
    assert found.code == 1, "there is a shorter game than of 9 plies"
    (row,) = json.loads(found.out)["rows"]
    assert (row["obtained"], row["recorded"]) == ("", HOLDS)
    shortest = row["computed"]
    kept[0] = kept[0][0], (replace(figure, found=shortest, value=shortest, printed=shortest),)
    assert run("verify", *table).code == 0
    monkeypatch.setattr("urcx.engine.costs.LONG", 0.0)
    said = run("verify", *table, "-y")
    assert said.code == 0
    assert re.fullmatch(r"urcx: searching \d+ states of finkel will take about 1 s\n", said.err)
    assert run("verify", "-y").err == "", "nothing is computed again without a tablebase"
    wrong = run("verify", "--source", "a", "--tablebase", "none.urcx")
    assert (wrong.code, wrong.out) == (2, "")
    assert run("verify", "--tablebase", str(two_pieces)).code == 2


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the quick report a tiny one of a single section."""
    monkeypatch.setattr(page, "plan", lambda **_: PLAN)
    monkeypatch.setattr(page, "PARTS", (("state spaces", page.states_section),))


def test_it_writes_and_replaces_a_report(tmp_path: Path) -> None:
    target = tmp_path / "report"
    for _ in range(2):
        result = run("report", "--quick", "-o", str(target))
        assert (result.code, result.out) == (0, "")
        assert result.err.startswith(f"urcx: wrote {target / 'index.html'}")
        assert "<h2>State spaces</h2>" in (target / "index.html").read_text("utf-8")
        assert json.loads((target / "report.json").read_text())["schema"] == "urcx.report/1"
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "count", mock.Mock(side_effect=KeyboardInterrupt))
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert (result.code, result.err) == (130, "urcx: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_games_that_were_cut_short_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The simulator gives back what it has when Ctrl-C comes.
    monkeypatch.setattr(page, "PARTS", (("game tree", page.tree_section),))
    monkeypatch.setattr(GameTree, "unfinished", "3 of 4 games")
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert result.code == 130
    assert "no report" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("item", exact_table(), ids=lambda item: f"{item.rules}-{item.agent}")
def test_entries_are_whole_and_add_up(item: ExactMeans) -> None:
    rules = catalogue.ruleset(item.rules)
    assert item.pieces == rules.pieces
    names = [name for name, *_ in MEASURES]
    assert list(item.measures) == [name for name in names if not name.startswith("share_")]
    assert list(item.gtc) == [c.name for c in CONVENTIONS if not c.mean_of_games]
    pairs = [*item.measures.values(), *item.gtc.values(), item.first_wins]
    assert all(0.0 < bound < 1e-6 for _, bound in pairs)
    means = {name: mean for name, (mean, _) in item.measures.items()}
    off = 10.0 * item.measures["plies"][1]
    assert abs(means["plies"] - means["moves"] - means["passes"]) < off
    assert abs(means["choices_per_move"] * means["moves"]
               - means["choices_per_ply"] * means["plies"]) < 10.0 * off  # fmt: skip
    # Plies that roll 0 are no rolls: the dice are thrown anew in each ply (Wald).
    zero = float(sum(p for roll, p in zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
                     if roll == 0))  # fmt: skip
    assert means["choices_per_roll"] * (1.0 - zero) == pytest.approx(means["choices_per_ply"])
    assert item.gtc["sum-log"][0] == means["sum_log10_choices"]
    assert 0.5 < item.first_wins[0] < 0.6


def test_a_sample_covers_them_for_equal_agents_of_the_catalogue_only() -> None:
    one = exact_table()[0]
    games = urcx.simulate(one.agent, rules=one.rules, games=400, seed=3)
    found = gtc.measure_games(games)
    assert found.exact == one
    recorded = [item for item in found.measures if not item.name.startswith("share_")]
    assert {measure.name for measure in recorded} == one.measures.keys()
    for measure in recorded:
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
    result = urcx.expected("random", rules=rules)
    measures = {m.name: (m.mean, m.bound or 0.0) for m in urcx.exact_measures(result)}
    return replace(one, rules="finkel", pieces=1, agent="random", ties="random", measures=measures)


def test_they_stand_beside_sampled_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tiny_entry()
    monkeypatch.setattr(gtc, "exact_means", lambda *_: known)
    command = ("gtc", "--games", "50", "--agent", "random", "-p", "1", "--seed", "1")
    text = run(*command, "--wide").out
    assert "exact mean" in text
    assert f"{known.measures['plies'][0]:.6f}" in text
    data = run(*command, "--json").json
    row = data["measures"]["plies"]
    assert (row["exact"], row["bound"]) == known.measures["plies"]
    first = next(row for row in data["gtc"] if row["convention"] == "allis")
    assert first["exact"] == known.gtc["allis"][0]
    monkeypatch.setattr(gtc, "exact_means", lambda *_: None)
    data = run(*command, "--json").json
    assert "exact" not in data["measures"]["plies"]
    assert "exact mean" not in run(*command).out


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
    one = gtc._entry(found[0])
    plies = data["measures"]["plies"]
    assert one.measures["plies"][0] == plies["mean"]
    assert plies["bound"] <= one.measures["plies"][1] < 1.2 * plies["bound"]
    assert (one.commit, one.pieces, one.states) == ("abc1234", 1, int(data["states"]))
    (tmp_path / "finkel-random.json").unlink()
    writer.write(tmp_path)  # again from the table itself
    assert (tmp_path / "exact.toml").read_text(encoding="utf-8") == text


def test_cite_prints_bibtex_alone() -> None:
    out = run("cite", "allis").out
    assert re.findall(r"^@(.*),$", out, re.MULTILINE) == [
        "phdthesis{allis1994",
        "article{vandenherik2002",
    ]
    assert out.startswith("@phdthesis{allis1994,\n  author = {Allis, L. V.},\n")
    everything = run("cite").out
    assert everything.startswith("@misc{urcx,\n")
    assert all(entry in everything for entry in out.split("\n\n"))
    rows = run("cite", "post", "--json").json["rows"]
    assert [(row["key"], row["type"]) for row in rows] == [("post", "misc")]
    assert rows[0]["bibtex"].endswith("}\n")
    assert [row["key"] for row in run("cite", "ludii", "--csv").rows] == [
        "ludii", "piette2020", "piette2021",
    ]  # fmt: skip
    assert "'alis'" in assert_one_line(run("cite", "alis"), 2)

"""``urcx verify``: every verdict as recorded; ``urcx report``: what it writes and leaves behind."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import run
from tiny_report import PLAN

from urcx.published.figures import HOLDS, INCONSISTENT, Figure, Source
from urcx.reports.book import build, plan, states, tree

pytest_plugins = ["command_fixtures"]

NAMES = {"source", "place", "quantity", "printed", "computed", "verdict", "explanation", "readings"}


@pytest.mark.jit
def test_the_post_holds() -> None:
    result = run("verify", "--source", "post", "--json")
    document = result.json
    assert result.err == ""
    assert document["schema"] == "urcx.verify/2"
    assert all(set(row) >= NAMES for row in document["rows"])
    assert {row["source"] for row in document["rows"]} == {"post"}
    # All but the estimates of how long a game is, which are said to be estimates.
    others = {row["printed"] for row in document["rows"] if row["verdict"] != HOLDS}
    assert others == {"8", "70", "87"}
    printed = {row["printed"].replace(",", "") for row in document["rows"]}
    # From its tables: states and branches of its program, and the binomial approximation.
    assert {"248", "13112", "137913936", "740777984", "726864992", "130873600"} <= printed


ALL = {
    "post", "michon", "raposo-lamont", "kwan-hartemink", "lamont-olieslagers", "heled", "tdur",
    "olieslagers", "mascolini", "ludii",
}  # fmt: skip


@pytest.mark.jit
@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["--source", "michon"], {"michon"}),
        pytest.param([], ALL, marks=pytest.mark.slow(90)),  # each in tests/published/test_verify.py
    ],
)
def test_sources_are_as_recorded(options: list[str], chosen: set[str]) -> None:
    result = run("verify", *options, "--csv")
    assert (result.code, result.err) == (0, "")
    table = result.rows
    assert {row["source"] for row in table} == chosen
    michon = {
        row["printed"].replace(",", ""): row["verdict"]
        for row in table
        if "michon" in row["source"]
    }
    # His 140,939,686 for seven pieces is not the number of diagrams; his 248 for one is.
    assert michon["248"] == HOLDS
    assert michon["140939686"] != HOLDS


@pytest.mark.jit
def test_a_verdict_that_changed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from urcx.published import verify

    monkeypatch.setattr(verify.Verdict, "changed", property(lambda _: True))
    result = run("verify", "--source", "post")
    assert result.code == 1
    assert result.err.startswith("urcx: ")
    assert result.err.count("\n") == 1
    assert "137,913,936" in result.out, "the table is shown all the same"


def test_the_summary_comes_first_or_alone() -> None:
    whole = run("verify", "--source", "michon").out
    assert whole.startswith("Figures and verdicts\n")
    alone = run("verify", "--source", "michon", "--summary").out
    assert whole.startswith(alone[: alone.index("*")])
    assert "140,939,686" in whole
    assert "140,939,686" not in alone
    document = run("verify", "--source", "michon", "--summary", "--json").json
    assert document["rows"] == []
    assert document["sources"][0]["inconsistent_within_the_source"] == 7


def test_verdicts_can_be_chosen() -> None:
    for arguments in (
        ["--verdict", "inconsistent-within-the-source", "--verdict", "no-claim"],
        ["--verdict", "inconsistent-within-the-source,no claim"],
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
    assert "9 (recorded)" in run("verify").out
    found = run("verify", *table, "--json")
    assert found.code == 1, "there is a shorter game than of 9 plies"
    (row,) = json.loads(found.out)["rows"]
    assert (row["obtained"], row["recorded"]) == ("", HOLDS)
    shortest = row["computed"]
    kept[0] = kept[0][0], (replace(figure, found=shortest, value=shortest, printed=shortest),)
    assert run("verify", *table).code == 0
    monkeypatch.setattr("urcx.commands.consent.LONG", 0.0)
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
    monkeypatch.setattr(plan, "quick", lambda *_: PLAN)
    monkeypatch.setattr(build, "PARTS", (("enumeration", states.enumeration),))


def test_it_writes_and_replaces_a_report(tmp_path: Path) -> None:
    target = tmp_path / "report"
    for _ in range(2):
        result = run("report", "--quick", "-o", str(target))
        assert (result.code, result.out) == (0, "")
        assert result.err.startswith(f"urcx: wrote {target / 'index.html'}: ")
        assert "Enumeration against formulas" in (target / "index.html").read_text("utf-8")
        assert json.loads((target / "report.json").read_text())["schema"] == "urcx.report/1"
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "count", mock.Mock(side_effect=KeyboardInterrupt))
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert (result.code, result.err) == (130, "urcx: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_games_that_were_cut_short_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The simulator gives back what it has when Ctrl-C comes.
    monkeypatch.setattr(build, "PARTS", (("game tree", tree.tree),))
    real: Any = vars(tree)["simulate"]

    def cut(*args: Any, **options: Any) -> Any:
        games = real(*args, **options)
        return replace(games, asked=len(games) + 1)

    monkeypatch.setattr(tree, "simulate", cut)
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert (result.code, result.err) == (130, "urcx: interrupted; no report written\n")
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_is_one_line_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    missing = str(tmp_path / "missing.urcx")
    for code, arguments, message in (
        (2, ["-o", str(tmp_path / "full")], "is not empty and no report"),
        (2, ["-o", str(tmp_path / "new"), "--seed", "-1"], "seed -1 is not from 0 to"),
        (2, ["-o", str(tmp_path / "new"), "--threads", "0"], "0 threads"),
        (2, ["-o", str(tmp_path / "new"), "--tablebase", missing], "cannot read"),
        (1, ["-o", str(tmp_path / "none" / "new")], "there is no directory"),
    ):
        result = run("report", *arguments)
        assert (result.code, result.out) == (code, ""), arguments
        assert message in result.err
        assert result.err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["full", "notes.txt"]

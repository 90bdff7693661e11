"""``urcx verify``: every verdict as recorded."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run

import urcx
from urcx.published.figures import HOLDS, INCONSISTENT, Figure, Source, sources
from urcx.published.verify import Verdicts, verdict_of

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


def test_rows_of_a_place_stand_together() -> None:
    (source, figures) = next(item for item in sources() if item[0].name == "michon")
    mixed = [*figures[1:], figures[0]]  # the first place comes again at the end
    verdicts = tuple(verdict_of(f) for f in mixed if f.quantity == "path-size")
    (_, table) = Verdicts(((source, verdicts),)).report(summary=False).tables
    places = [row[0] for row in table.rows]
    assert len(places) == len(set(places)) == 2
    assert table.rows[0][1:3] == ["8; 14", "all 2"]


@pytest.mark.jit
def test_recorded_figures_are_computed_again_from_a_tablebase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tiny.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=1), file)
    params = {"rules": "finkel", "pieces": 1, "what": "shortest"}
    figure = Figure("a", "a place", "arrivals", params, "9", "9", HOLDS, "", "9", "once")
    kept: list[tuple[Source, tuple[Figure, ...]]] = [(Source("a", "A", "so it is"), (figure,))]
    for name in ("urcx.published.verify", "urcx.published.figures"):
        monkeypatch.setattr(f"{name}.sources", lambda: kept)
    assert run("verify").code == 0
    assert "9 (recorded)" in run("verify").out
    found = run("verify", "--tablebase", str(file), "--json")
    assert found.code == 1, "there is a shorter game than of 9 plies"
    (row,) = json.loads(found.out)["rows"]
    assert (row["obtained"], row["recorded"]) == ("", HOLDS)
    shortest = row["computed"]
    kept[0] = kept[0][0], (replace(figure, found=shortest, value=shortest, printed=shortest),)
    assert run("verify", "--tablebase", str(file)).code == 0
    monkeypatch.setattr("urcx.commands.consent.LONG", 0.0)
    said = run("verify", "--tablebase", str(file), "-y")
    assert said.code == 0
    assert re.fullmatch(r"urcx: searching \d+ states of finkel will take about 1 s\n", said.err)
    assert run("verify", "-y").err == "", "nothing is computed again without a tablebase"
    wrong = run("verify", "--source", "a", "--tablebase", str(tmp_path / "none.urcx"))
    assert (wrong.code, wrong.out) == (2, "")
    urcx.solve(urcx.ruleset("finkel", pieces=2), file)
    assert run("verify", "--tablebase", str(file)).code == 2

"""Several rule sets on one command line: each has what its own command line gives."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from command_line import run, settled
from own_rules import SHORT

from urcx.commands import questions

pytest_plugins = ["command_fixtures"]

STRIP = f"{SHORT}:strip"
LINES = (
    "gtc --agent greedy -g 20",
    "gtc --agent random --exact",
    "gtc --agent random --exact -g 20",
    "lengths --agent random",
    "match greedy random -g 20",
    "match greedy random -g 20 --habits",
    "reach",
    "luck --light greedy",
    "regret --agent greedy,random",
    "solve --no-keep",
)


@pytest.mark.jit
@pytest.mark.parametrize("line", LINES)
def test_each_has_what_its_own_line_gives(line: str) -> None:
    alone = () if line.startswith("shortest") else ("--threads", "1")
    several = (*line.split(), "--rules", f"finkel,{STRIP}", "-p", "1..2", *alone)
    found = run(*several, "--label", "strip=2x4", "--json").json
    assert (found["schema"], found["question"]) == ("urcx.compare/1", line.split(maxsplit=1)[0])
    asked = [(rules, p) for rules in ("finkel", STRIP) for p in ("1", "2")]
    rows = run(*several, "--csv").rows
    for (rules, p), row in zip(asked, found["rows"], strict=True):
        own = (*line.split(), "--rules", rules, "-p", p, *alone)
        name = rules.rpartition(":")[2]
        label = f"{'2x4' if name == 'strip' else name}, p = {p}"
        assert settled(row) == {"label": label} | settled(run(*own, "--json").json)
        mine = [one for one in rows if (one["rules"], one["pieces"]) == (name, p)]
        wanted = run(*own, "--csv").rows
        assert len(mine) == len(wanted)
        for one, other in zip(mine, wanted, strict=True):
            assert one.items() >= settled(other).items()


@pytest.mark.jit
@pytest.mark.usefixtures("here")
def test_the_figure_has_labels_and_a_title_if_asked() -> None:
    line: tuple[str, ...] = (
        "lengths",
        "--rules",
        f"finkel,{STRIP}",
        "-p",
        "1",
        "--agent",
        "random",
    )
    line += ("--label", f"{STRIP}=2x4", "--label", "finkel=Finkel's game")
    titles: dict[str, tuple[str, ...]] = {"bare.svg": (), "said.svg": ("--title", "Two games")}
    for name, more in titles.items():
        assert run(*line, "--plot", name, *more).code == 0
        texts = Path(name).read_text(encoding="utf-8")
        # Letters are paths; matplotlib leaves the texts in comments.
        assert all(f"<!-- {label} -->" in texts for label in ("2x4", "Finkel's game"))
        assert ("<!-- Two games -->" in texts) == bool(more)
    assert run(*line, "--plot", "cmp.pdf").code == 0
    assert Path("cmp.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.usefixtures("here")
def test_paths_have_labels_in_table_and_figure_but_not_in_json() -> None:
    line = (
        "ssc",
        "--path",
        f"bell,{STRIP}",
        "-p",
        "1..3",
        "--no-enumerate",
        "--label",
        "strip=2x4",
    )
    assert "2x4" in run(*line).out
    assert run(*line, "--json").json["paths"] == ["bell", "strip"]
    assert run(*line, "--plot", "sizes.svg", "--title", "Two paths").code == 0
    drawn = Path("sizes.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {text} -->" in drawn for text in ("2x4", "bell", "Two paths"))
    assert "as printed" not in drawn
    assert run(*line, "--plot", "sizes.svg", "--compare", "paths").code == 0
    assert "as printed" in Path("sizes.svg").read_text(encoding="utf-8")


@pytest.mark.jit
def test_the_work_is_that_of_all_rule_sets() -> None:
    with mock.patch.object(questions, "agree", side_effect=KeyboardInterrupt) as agree:
        run("lengths", "--rules", "finkel,blitz", "-p", "1..2", "--agent", "random")
    sizes = [one.what for one in agree.call_args.args]
    assert [sum(name in what for what in sizes) for name in ("finkel", "blitz")] == [2, 2]

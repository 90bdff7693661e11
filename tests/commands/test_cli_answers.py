"""The first screen of a command: one sentence with the number, a table, a few notes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
import transcripts
from command_line import report_of, run

from urcx.reports.display import output
from urcx.results.layout import lay_out, text_of
from urcx.results.numbers import bound_text
from urcx.results.result import Report
from urcx.results.tables import Table
from urcx.results.writing import FEW_ROWS, MOST_LINES, MOST_NOTES, json_text, plain_text
from urcx.results.writing import lines as lines_of

pytest_plugins = ["command_fixtures"]

# Command lines, and the number that their first line has, from the JSON of the same command.
ANSWERS: dict[str, Callable[[Any], str]] = {
    "gtc -g 2 -p 2": lambda match: f"{match['gtc'][0]['log10']:.1f}",
    "gtc --exact -p 1 --agent random": lambda match: f"{match['gtc'][0]['log10']:.6f}",
    "ssc -p 1..7 --no-enumerate": lambda match: f"{int(match['rows'][-1]['forms']['reader']):,}",
    "ssc -p 2": lambda match: f"{int(match['rows'][-1]['enumerated']):,}",
    "verify --source post": lambda match: f"{match['sources'][0]['holds']} hold",
    "verify": lambda match: f"{sum(source['holds'] for source in match['sources']):,} hold",
    "solve -p 2": lambda match: f"{100 * match['opening']:.2f} %",
    "regret --agent greedy -p 2": lambda match: f"{100 * match['rows'][0]['loss']:.2f} points",
    "mistakes greedy -p 2": lambda match: f"{100 * match['loss']:.2f} points",
    "openings -p 2": lambda match: f"{100 * match['light']:.2f} %",
    "lengths -p 1": lambda match: f"{match['mean']:.4f}",
    "compare finkel blitz -p 1": lambda match: f"{100 * match['rows'][1]['first_wins']:.2f} %",
    "reach -p 2": lambda match: f"{int(match['states']):,}",
    "match random greedy -g 20": lambda match: f"{100 * (1 - match['rows'][0]['share']):.2f} %",
    "luck -p 1": lambda match: f"{100 * match['share']:.2f} %",
    "perft --depth 4": lambda match: f"{int(match['rows'][-1]['nodes']):,}",
    "journey": lambda match: f"{match['rows'][-1]['passing_rolls_decimal']:.4f}",
    "journey --pieces 7": lambda match: f"{match['rows'][0]['rolls']:.4f}",
    "gain 2/3,6/5-5/L --sequences BA,BB --roll 2": lambda match: match["best"]["tables"],
    "capture 2/3,6/5-5/L": lambda match: f"{100 * match['rows'][1]['chance_value']:.2f} %",
    "rush --path masters --dice binary4": (
        lambda match: f"{match['rows'][0]['probability_decimal']:.11f}"
    ),
    "dice --dice binary4": lambda match: match["summaries"][0]["mean"],
    "enumerate -p 1 --visit checksum": lambda match: match["diagrams"],
    "review game.txt games.rgn": lambda match: (
        f"{100 * match['players'][0]['loss_per_decision']:.2f} points"
    ),
    "probe finkel2.urcx": lambda match: f"{100 * match['value']:.2f} %",
    "check finkel2.urcx": lambda match: bound_text(match["bound"], 3),
    "export finkel2.urcx finkel2.rgu": lambda match: bound_text(match["bound"]),
    "review game.txt": lambda match: f"{100 * match['sides'][0]['lost']:.2f} points",
    "review game.txt --moves": lambda match: match["light"],
    "moves 2/3,6/5-5/L": lambda match: (
        f"{sum(not row['pass'] for row in match['rows'])} legal moves"
    ),
    "moves 14/13/6-6/L --roll 2": lambda _: "must pass with roll 2",
    # 15 from the pool, and 13 from A3.
    "show A3/C2,B2/5-5/L": lambda _: "light has 28 steps",
    "paths": lambda match: f"{len(match['paths'])} paths, {len(match['rules'])} rule sets",
    "agents": lambda match: f"{len(match['rows'])} agents",
    "cache": lambda _: " in ",
    "ssc --path all -p 7 --no-enumerate": lambda match: f"{len(match['rows'])} paths",
    "rush": lambda match: "{:.2%}".format(max(x["probability_decimal"] for x in match["rows"]))[
        :-1
    ],
    "forms": lambda _: "three closed forms are equal",
}


def first_screen(report: Report, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> list[str]:
    """Return the lines that a terminal of 80 columns shows of a report."""
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    output.show(report)
    return str(capsys.readouterr().out).rstrip("\n").split("\n")


@pytest.mark.jit
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "line",
    [pytest.param(x, marks=[pytest.mark.slow] if x == "verify" else []) for x in ANSWERS],
)
def test_the_first_line_has_the_number(
    line: str, two_pieces: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copyfile(two_pieces, "finkel2.urcx")
    for name in ("game.txt", "games.rgn"):
        copyfile(transcripts.KEPT.parent / "examples" / name, name)
    report = report_of(line)
    lines = first_screen(report, monkeypatch, capsys)
    assert ANSWERS[line](json.loads(json_text(report))) in lines[0]
    assert len(lines) <= MOST_LINES + FEW_ROWS or report.body, "a board is drawn above"
    notes = [text for text in lines if re.match(r"\* (?!left out|\d+ more)", text)]
    assert len(notes) <= MOST_NOTES
    if any("--wide" in text for text in lines):
        command = line.split(maxsplit=1)[0]
        option = "--all" if command == "verify" else "--wide"
        assert option in run(command, "--help").out


TABLES = [
    Table("Sizes: by pieces", ["p", "size"], [["1", "10"]], ["a", "b", "c", "d"]),
    Table("Rolls, all of them", ["roll"], [["2"]], ["e"]),
]
ANSWERED = Report("urcx.test/1", {"size": 10}, [{"size": 10}], TABLES, answer="It is 10")


def test_with_an_answer_the_first_table_is_shown_and_the_rest_is_named() -> None:
    short = plain_text(ANSWERED)
    assert short.startswith("It is 10\n\np  size\n")
    assert short.endswith("* a\n* b\n* c\n* 1 more table: Rolls; 1 more note (add --wide)\n\n")
    assert "Sizes" not in short, "the answer says what the title does"
    whole = plain_text(ANSWERED, wide=True)
    assert whole.startswith("It is 10\n\np  size\n")
    assert all(f"* {letter}\n" in whole for letter in "abcde")
    assert "Rolls, all of them" in whole
    assert "--wide" not in whole


@pytest.mark.parametrize("width", [None, 60, 80, 120])
def test_long_tables_end_early_below_an_answer(width: int | None) -> None:
    number = Table("Numbers", ["<number", "square"], [[str(k), str(k * k)] for k in range(300)])
    report = Report("urcx.test/1", {}, [], [number, TABLES[1]], answer="Squares", brief=2)
    lines = ["".join(text for text, _ in line) for line in lines_of(report, width)]
    assert len(lines) + 2 <= MOST_LINES * 80 // min(width or 80, 80) + 1, "the last one is empty"
    shown = sum(line.split() == [str(k), str(k * k)] for k in range(300) for line in lines)
    assert f"{300 - shown} more rows: add --wide" in " ".join(lines)
    assert any("2" in line for line in lines[-4:]), "short ones do not"
    assert len(lines_of(report, width, wide=True)) > 300
    assert len(lines_of(Report("urcx.test/1", {}, [], report.tables()), width)) > 300, "no answer"


@pytest.mark.parametrize("width", [60, 80])
def test_a_few_rows_are_not_worth_leaving_out(width: int) -> None:
    def shown(rows: int) -> str:
        heads = ["<number", *(f"a long number {k}" for k in range(15))]
        numbers = Table("Numbers", heads, [[str(n), *["1" * 25] * 15] for n in range(rows)])
        report = Report("urcx.test/1", {}, [], [numbers], answer="Numbers")
        return "".join(text for line in lines_of(report, width) for text, _ in line)

    rest = {rows: re.search("([0-9]+) more rows", shown(rows)) for rows in range(1, 34)}
    assert rest[1] is rest[8] is None
    assert {int(found[1]) for found in rest.values() if found} == {*range(6, 28)}


def test_without_an_answer_all_tables_are_shown() -> None:
    text = plain_text(Report("urcx.test/1", {}, [], TABLES))
    assert text == "".join(text_of(lay_out([table])) for table in TABLES)


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_programs_are_not_given_the_sentence(form: str) -> None:
    report = report_of("ssc -p 2 --no-enumerate")
    assert report.answer in run("ssc", "-p", "2", "--no-enumerate").out
    assert report.answer not in run("ssc", "-p", "2", "--no-enumerate", form).out

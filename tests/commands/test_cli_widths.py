"""On a terminal of any width every command says what it says in a pipe: no number, no word less."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from command_line import commands, run

from urcx.reports.display.output import Style
from urcx.results.layout import lay_out, lay_out_all, plain_table
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table
from urcx.results.wrapping import running

WIDTHS = (60, 80, 100, 120, 200)

# Every command with one line or more; BASE is a solution of finkel with one piece. Where nothing
# is laid out there is nothing to check: lines of one position or number each, or only files.
LINES: dict[str, tuple[str, ...]] = {
    "ssc": (
        "--path bell -p 1..15 --no-enumerate",
        "--path bell -p 1..15 --no-enumerate --wide",
        "--path murray,masters -p 7,10000 --no-enumerate",
        "-p 3 --dark-pieces 5 --no-enumerate",
        "--symbolic --path bell,murray",
        "--symbolic --latex",
    ),
    "paths": ("", "murray"),
    "enumerate": ("-p 1 --visit checksum",),
    "rank": (),
    "unrank": (),
    "sample": (),
    "conflicts": ("-p 1..2",),
    "reach": ("-p 1", "-p 1 --samples 5"),
    "moves": ("", "2/3,6/5-5/L --agent panda:1", "2/3,6/5-5/L --roll 1"),
    "show": ("2/3,6/5-5/L",),
    "play": (),
    "review": ("GAME --tablebase BASE", "GAME --moves"),
    "explore": (),
    "gtc": ("-g 20 --agent greedy", "-p 1 --exact --agent random -g 20"),
    "match": ("random greedy first -g 20 --habits", "random greedy first last panda:1 -g 20 -p 1"),
    "lengths": ("-p 1 --agent random",),
    "luck": ("-p 1 --agent greedy",),
    "shortest": ("-p 2",),
    "longest": ("-p 1", "-p 1 --against greedy"),
    "perft": ("--depth 4 --divide",),
    "agents": ("",),
    "gamble": ("-g 20", "--match random,greedy,first -g 20"),
    "solve": ("-p 1", "--check BASE", "--exact-fractions -p 1", "--exact-fractions --endings 1"),
    "probe": ("BASE 5/3/0-0/L",),
    "export": ("BASE RGU",),
    "compress": ("BASE -o PLAY",),
    "regret": ("--agent greedy,random -p 1",),
    "bits": ("--agent greedy,random --table-bits 1,12 -p 1",),
    "nalimov": ("-p 1",),
    "train": (
        "--list",
        "-p 1 --units 4 --iterations 10 --set games=4,plies=8 -o NET",
    ),
    "dice": (
        "",
        "--compare",
        "--sequence 122",
        "--table",
        "--sum 4",
        "--counts 0:20",
        "--interval 0.9",
    ),
    "journey": ("", "--pieces 1..3", "--to B4 --within 3 -p 1..3"),
    "rush": ("--path masters,aseb,skiriuk", "--path bell"),
    "gain": ("2/3,6/5-5/L --sequences BA,BB --roll 2",),
    "capture": ("", "1/6/6-6/D", "2/3,6/5-5/L --roll 2"),
    "verify": (
        "--source post",
        "--source michon --verdict does-not-hold",
        "--source raposo-lamont",
    ),
    "report": (),
    "cache": ("",),
}
ALL = [(name, line) for name, lines in LINES.items() for line in lines]


def test_every_command_is_looked_at() -> None:
    assert set(LINES) == set(commands()), "give the new command a line above"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("widths") / "finkel1.urcx"
    assert run("solve", "-p", "1", "-o", str(file)).code == 0
    file.with_suffix(".txt").write_text(
        "urcx game 1\npieces: 1\nlight: somebody\n1. light 2:0-2\n2. dark 1:0-1\n"
    )
    return file


@cache
def report_of(name: str, line: str, base: Path) -> Report:
    """Return what a command would show; computed once for all widths."""
    words = line.replace("BASE", str(base)).replace("RGU", str(base.with_suffix(".rgu")))
    words = words.replace("GAME", str(base.with_suffix(".txt")))
    words = words.replace("NET", str(base.with_suffix(".npz")))
    words = words.replace("PLAY", str(base.with_suffix(".play")))
    found: list[Report] = []
    with mock.patch.object(Style, "show", lambda _, report: found.append(report)):
        result = run(name, *words.split())
    assert result.code == 0, result.err
    (report,) = found
    return report


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W\d_]+", text))


def shown(table: Table, width: int, *, wide: bool = False) -> str:
    lines = (
        "".join(text for text, _ in line).rstrip() for line in lay_out(table, width, wide=wide)
    )
    return "\n".join(lines)


def without(table: Table, titles: list[str]) -> Table:
    """Return a table without secondary columns, nor the notes on them."""
    left = [k for k, head in enumerate(table.heads) if head.title not in titles]
    assert all(head.secondary for head in table.heads if head.title in titles)
    rows = [[row[k] for k in left] for row in table.rows]
    notes = [n for n in table.notes if not (isinstance(n, Note) and set(n.columns) <= set(titles))]
    return Table(table.title, [table.heads[k] for k in left], rows, notes)


def assert_same(text: str, whole: str, extra: str, width: int) -> None:
    """Assert that nothing is lost, nothing is broken, and nothing is wider than the terminal."""
    assert max(map(len, text.splitlines())) <= width
    for tokens in (numbers, words):
        assert not tokens(whole) - tokens(text), "lost or broken"
        assert not set(tokens(text)) - set(tokens(whole + extra)), "made up or broken"


@pytest.mark.jit
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "line"), ALL, ids=[" ".join(pair) for pair in ALL])
def test_a_terminal_says_what_a_pipe_does(name: str, line: str, width: int, base: Path) -> None:
    report = report_of(name, line, base)
    assert_same(running(report.body, width) or "-", report.body, "", width)
    for table in report.tables:
        text = shown(table, width)
        said = re.search(
            r"^\* left out to fit: (.*?); --wide shows all columns$", joined(text), re.MULTILINE
        )
        titles = said[1].split("; ") if said else []
        assert_same(text, plain_table(without(table, titles)), said[0] if said else "", width)
        assert_same(shown(table, width, wide=True), plain_table(table), "", width)
        if titles:
            assert "--wide" in run(name, "--help").out


def joined(text: str) -> str:
    """Return text with the further lines of a note put behind its first."""
    return re.sub(r"\n  (?=\S)", " ", text)


# What was wrong once, each by itself.


@pytest.mark.parametrize("width", [80, 100])
def test_what_one_sees_first_is_one_block(width: int, base: Path) -> None:
    (table,) = report_of("ssc", "--path bell -p 1..15 --no-enumerate", base).tables
    lines = shown(table, width).splitlines()
    rules = [line for line in lines if re.fullmatch("[- ]*--[- ]*", line)]
    assert len(rules) == 1
    assert len(rules[0].split()) == len(table.heads), "all columns"
    # 130,873,600 and 104,952,640 of the sources beside the exact numbers.
    seven = next(line for line in lines if line.startswith(" 7 ")).split()
    assert seven[1] == "137,913,936"
    assert f"{100 * (130_873_600 / 137_913_936 - 1):+#.3g}" in seven


@pytest.mark.parametrize(
    ("name", "line", "keys"),
    [
        ("rush", "--path masters,aseb,skiriuk", ("path", "dice")),
        ("gain", "2/3,6/5-5/L --sequences BA,BB --roll 2", ("sequence", "reading")),
        ("moves", "2/3,6/5-5/L --agent panda:1", ("roll", "move")),
    ],
)
@pytest.mark.jit
def test_blocks_repeat_what_a_row_is_about(
    name: str, line: str, keys: tuple[str, ...], base: Path
) -> None:
    table = report_of(name, line, base).tables[0]
    lines = shown(table, 60, wide=True).splitlines()
    rules = [k for k, text in enumerate(lines) if re.fullmatch("[- ]*--[- ]*", text)]
    assert len(rules) > 1
    assert all(set(keys) <= set(lines[k - 1].split()) for k in rules)


@pytest.mark.jit
def test_long_numbers_are_short_in_tables_and_whole_for_programs(base: Path) -> None:
    report = report_of("verify", "--source raposo-lamont", base)
    (row,) = [r for r in report.records if r["printed"] == "5.3e115"]
    assert len(row["computed"].replace(",", "")) == 116
    (line,) = (
        text
        for text in report.text().splitlines()
        if text.startswith("Section 3.2 and Table 1, game tree of Bell: (2.45 x 5)^106.35")
    )
    (found,) = re.findall(r"5\.28\d+e115", line)
    assert float(found) == pytest.approx(10 ** (106.35 * math.log10(2.45 * 5)), rel=1e-6)


# How a table gives way, by small ones.

PLAYED = Table(
    "Moves",
    [
        Column("roll", key=True),
        Column("chance", secondary=True),
        Column("move", text=True, key=True),
        Column("leads to", text=True, secondary=True),
        "value",
    ],
    [[str(k), "1/4", "start to A4", "1/-/0-0/D", f"{k}.5"] for k in range(6)],
    ["value: to the mover", Note("chance: of the dice", "chance")],
)


def said(tables: list[Table], width: int) -> list[str]:
    lines = ("".join(text for text, _ in line).rstrip() for line in lay_out_all(tables, width))
    return "\n".join(lines).split("\n")


def test_only_as_many_columns_are_left_out_as_must_be() -> None:
    heads = {width: shown(PLAYED, width).splitlines()[2].split() for width in (44, 40, 30)}
    assert heads[44] == ["roll", "chance", "move", "leads", "to", "value"]
    assert heads[40] == ["roll", "move", "leads", "to", "value"]
    assert heads[30] == ["roll", "move", "value"]


def test_a_note_on_columns_goes_with_them() -> None:
    assert "* chance: of the dice" in plain_table(PLAYED)
    assert "* chance: of the dice" in shown(PLAYED, 80)
    assert "* chance: of the dice" not in shown(PLAYED, 40)
    assert "* value: to the mover" in shown(PLAYED, 40)


def test_tables_that_leave_out_alike_say_so_once() -> None:
    def told(tables: list[Table]) -> list[int]:
        return [k for k, line in enumerate(said(tables, 40)) if line.startswith("* left out")]

    other = Table("Other", ["<name", Column("number", secondary=True)], [["x" * 38, "1"]] * 6)
    both = [PLAYED, PLAYED]
    assert len(told(both)) == 1
    assert told(both)[0] > said(both, 40).index("Moves", 1)
    assert len(told([PLAYED, other, PLAYED])) == 3
    assert said(both, 80).count("") > 0
    assert not [line for line in said(both, 80) if "left out" in line]


def test_where_keys_would_wrap_records_stand_one_below_the_other() -> None:
    place = "a place that is said in many words, more than fit beside"
    printed = "1234567890" * 2
    heads: list[str | Column] = ["<place", Column("printed", text=True), Column("found", text=True)]
    table = Table("", heads, [[place, printed, printed]] * 6)
    lines = shown(table, 44).splitlines()
    assert [
        line.split()[0] for line in lines if line.startswith(("place", "printed", "found"))
    ] == [
        *("place", "printed", "found"),
    ] * 6


def test_a_column_is_no_wider_than_its_head_once_that_wraps() -> None:
    table = Table("", ["<name", "a-head-of-many-parts", "b"], [["x" * 24, "12", "3"]] * 6)
    rule = next(line for line in shown(table, 44).splitlines() if line.startswith("--"))
    head = shown(table, 44).splitlines()[: shown(table, 44).splitlines().index(rule)]
    widths = [len(part) for part in rule.split()]
    start = widths[0] + 2
    assert max(len(line[start : start + widths[1]].strip()) for line in head) == widths[1]

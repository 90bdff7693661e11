"""On a terminal of any width, every command prints the same numbers and words as in a pipe.

Examples of the help must also print their kept output (``docs/transcripts.py``).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from shutil import copyfile
from unittest import mock

import pages
import pytest
import transcripts
from command_line import report_of, reports_of, run

from urcx.commands.table import GROUP_OF
from urcx.reports.display.output import Style
from urcx.results.layout import lay_out, text_of
from urcx.results.result import Report
from urcx.results.tables import Note, Table
from urcx.results.wrapping import running

pytest_plugins = ["command_fixtures"]

RULE = re.compile("[- ]*--[- ]*")  # below the heads of a block
WIDTHS = (60, 80, 120, 200)

# Commands whose examples play thousands of games, follow whole games or judge all figures.
HEAVY = ("bits", "gamble", "match", "reach", "regret", "verify")
# Those examples in small.
SMALL = {
    "urcx reach --rules murray --samples 100": "urcx reach -p 1 --samples 5",
    "urcx match random greedy expectimax:3 --games 10000": "urcx match random greedy -g 20 -p 1",
    "urcx gamble --light winnings --dark random": "urcx gamble --light first --dark random -g 20",
    "urcx bits -p 2 --table-bits 2,4,8": "urcx bits --agent greedy,random --table-bits 1,12 -p 1",
    "urcx regret --agent greedy,random -p 3": "urcx regret --agent greedy,random -p 1",
    "urcx verify --source raposo-lamont --all": "urcx verify --source michon --all",
    "urcx verify --verdict does-not-hold": "urcx verify --source post",
}
# Tables that no example has.
MORE = """
ssc --path bell -p 1..15 --no-enumerate --wide
ssc --path murray,masters -p 7,1000 --no-enumerate
ssc -p 3 --dark-pieces 5 --no-enumerate
forms --path murray
paths
enumerate -p 1 --visit checksum
moves
moves 2/3,6/5-5/L --agent panda:1
match random greedy first -g 20 --habits
gtc -p 1 --exact --agent random -g 20
perft --depth 4 --divide
gamble -g 20
check finkel2.urcx
dice
dice --table
dice --counts 0:20
capture
capture 2/3,6/5-5/L --roll 2
cache
"""


def lines(name: str) -> list[str]:
    """Return what is looked at of a command beside the examples of its help as they are."""
    found = transcripts.examples(pages.commands()[name][0]) if name in HEAVY else []
    small = [SMALL.get(line, line).removeprefix("urcx ") for line in found]
    return small + [line for line in MORE.splitlines() if line.split()[:1] == [name]]


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W\d_]+", text))


def shown(table: Table, width: int, *, wide: bool = False) -> str:
    lines = (
        "".join(text for text, _ in line).rstrip() for line in lay_out([table], width, wide=wide)
    )
    return "\n".join(lines)


def without(table: Table, titles: list[str]) -> Table:
    """Return a table without secondary columns, nor the notes on them."""
    left = [k for k, head in enumerate(table.heads) if head.title not in titles]
    assert all(head.secondary for head in table.heads if head.title in titles)
    rows = [[row[k] for k in left] for row in table.rows]
    notes = []
    for note in table.notes:
        parts = (note.parts or (note,)) if isinstance(note, Note) else ()
        kept = [part for part in parts if not set(part.columns) <= set(titles)]
        notes += ["; ".join(kept)] if kept else [] if parts else [note]
    return Table(table.title, [table.heads[k] for k in left], rows, notes)


def assert_same(text: str, whole: str, extra: str, width: int) -> None:
    """Assert that nothing is lost, nothing is broken, and nothing is wider than the terminal."""
    assert max(map(len, text.splitlines())) <= width
    for tokens in (numbers, words):
        assert not tokens(whole) - tokens(text), "lost or broken"
        assert not set(tokens(text)) - set(tokens(whole + extra)), "made up or broken"


def assert_said_at_any_width(name: str, report: Report) -> None:
    for width in WIDTHS:
        assert_same(running(report.body, width) or "-", report.body, "", width)
        for table in report.tables():
            assert_table_says_the_same(name, table, width)


def test_what_is_made_small_is_in_the_help() -> None:
    shown = {line for name in HEAVY for line in transcripts.examples(pages.commands()[name][0])}
    assert set(SMALL) <= shown


@pytest.mark.jit
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", [name for name in GROUP_OF if lines(name)])
def test_a_terminal_says_what_a_pipe_does(name: str, two_pieces: Path) -> None:
    copyfile(two_pieces, "finkel2.urcx")
    for report in (report for line in lines(name) for report in reports_of(line)):
        assert_said_at_any_width(name, report)


@pytest.mark.jit
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in HEAVY else []) for n in GROUP_OF]
)
def test_examples_in_the_help_print_what_is_kept_and_fit_terminals(name: str) -> None:
    found: list[Report] = []
    show = Style.show

    def noted(style: Style, report: Report) -> None:
        found.append(report)
        show(style, report)

    with mock.patch.object(Style, "show", noted):
        made = transcripts.transcript(pages.commands()[name][0])
    file = transcripts.KEPT / f"{name}.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    renew = f"python docs/transcripts.py {name}"
    assert transcripts.settled(made) == transcripts.settled(text), f"stale; to renew it: {renew}"
    for report in found:
        assert_said_at_any_width(name, report)


def assert_table_says_the_same(name: str, table: Table, width: int) -> None:
    text = shown(table, width)
    said = re.search(r"^\* left out to fit: (.*?) \(add --wide\)$", joined(text), re.MULTILINE)
    titles = said[1].split("; ") if said else []
    assert_same(text, text_of(lay_out([without(table, titles)])), said[0] if said else "", width)
    assert_same(shown(table, width, wide=True), text_of(lay_out([table])), "", width)
    if titles:
        reviewed = "review" if name == "play" else name  # what ends a game is its review
        assert ("--all" if name == "verify" else "--wide") in run(reviewed, "--help").out


def test_tables_of_nearly_all_commands_are_looked_at() -> None:
    # Where nothing is laid out there is nothing to check: lines of a number each, a page, a file.
    shown = {
        name
        for name, (command, _) in pages.commands().items()
        if lines(name) or transcripts.examples(command)
    }
    assert set(GROUP_OF) - shown <= {"engine", "explore", "report"}


def joined(text: str) -> str:
    """Return text with the further lines of a note put behind its first."""
    return re.sub(r"\n  (?=\S)", " ", text)


# What was wrong once, each by itself.


@pytest.mark.parametrize("width", [80, 100])
def test_what_one_sees_first_is_one_block(width: int) -> None:
    (table,) = report_of("ssc --path bell -p 1..7 --no-enumerate --compare errors").tables()
    lines = shown(table, width).splitlines()
    (rule,) = (line for line in lines if RULE.fullmatch(line))
    assert len(rule.split()) >= len(table.heads) - 2, "all columns but upper bounds"
    # 130,873,600 of a source beside the exact number.
    seven = next(line for line in lines if line.startswith("7 ")).split()
    assert seven[1] == "137,913,936"
    assert f"{100 * (130_873_600 / 137_913_936 - 1):+#.3g}" in seven


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("moves 2/3,6/5-5/L --agent panda:1", ("roll", "move")),
    ],
)
@pytest.mark.jit
def test_blocks_repeat_what_a_row_is_about(line: str, keys: tuple[str, ...]) -> None:
    table = report_of(line).tables()[0]
    lines = shown(table, 60, wide=True).splitlines()
    rules = [k for k, text in enumerate(lines) if RULE.fullmatch(text)]
    assert len(rules) > 1
    assert all(set(keys) <= set(lines[k - 1].split()) for k in rules)


@pytest.mark.jit
def test_long_numbers_are_short_in_tables_and_whole_for_programs() -> None:
    report = report_of("verify --source raposo-lamont")
    (row,) = [r for r in report.records() if r["printed"] == "5.3e115"]
    assert len(row["computed"].replace(",", "")) == 116
    place = "Section 3.2 and Table 1, game tree of Bell: (2.45 x 5)^106.35"
    (line,) = (text for text in report.text(wide=True).splitlines() if text.startswith(place))
    (found,) = re.findall(r"5\.28\d+e115", line)
    assert float(found) == pytest.approx(10 ** (106.35 * math.log10(2.45 * 5)), rel=1e-6)


def test_a_column_is_no_wider_than_its_head_once_that_wraps() -> None:
    table = Table("", ["<name", "a-head-of-many-parts", "b"], [["x" * 24, "12", "3"]] * 6)
    lines = shown(table, 44).splitlines()
    rule = next(line for line in lines if line.startswith("--"))
    name, head, _ = (len(part) for part in rule.split())
    titles = (line[name + 2 : name + 2 + head].strip() for line in lines[: lines.index(rule)])
    assert max(map(len, titles)) == head

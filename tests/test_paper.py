"""The numbers of the paper, and of the reports to authors, are those that urcx computes."""

import re
import tomllib
from pathlib import Path

import pages
import pytest

import urcx
from urcx.published.exact import exact_table

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAPER = (DOCS / "paper/paper.md").read_text(encoding="utf-8")
TEXT = " ".join(PAPER.split())
ENTRY = r"(?ms)^(?=@\w+\{([\w-]+),)(.*?^\}\n)"
ENTRIES = dict(re.findall(ENTRY, (DOCS / "paper/paper.bib").read_text(encoding="utf-8")))
NUMBER = r"\d[\d,]*\d{3}(?!\d)"  # of five digits and more, with commas or without


def test_the_paper_has_the_parts_and_the_length_that_its_journal_asks_for() -> None:
    body = PAPER.partition("\n---\n")[2]
    assert re.findall(r"(?m)^# (.*)$", body) == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact", "AI usage disclosure", "References",
    ]  # fmt: skip
    assert 750 <= len(body.split()) <= 1750
    cited = re.findall(r"@([\w-]+)", body)
    assert sorted(set(cited)) == list(ENTRIES)


def test_works_that_urcx_cites_too_are_cited_alike() -> None:
    file = ROOT / "urcx/published/data/references.bib"
    ours = dict(re.findall(ENTRY, file.read_text(encoding="utf-8")))
    shared = ENTRIES.keys() & ours.keys()
    assert len(shared) >= 5
    assert {key: ENTRIES[key] for key in shared} == {key: ours[key] for key in shared}


def test_numbers_of_the_paper() -> None:
    bell = urcx.ssc("bell", 7)
    known = {one.agent: one for one in exact_table() if (one.rules, one.pieces) == ("finkel", 7)}
    plies = [
        f"{known[agent].measures['plies'][0]:.2f}" for agent in ("random", "greedy", "optimal")
    ]
    assert f"there are {bell.exact:,} arrangements" in TEXT
    assert f"and {known['optimal'].states // 2:,} states in which" in TEXT
    assert f"wins with probability {known['optimal'].first_wins[0]:.7f} under" in TEXT
    assert f"({plies[0]}, {plies[1]} and {plies[2]} plies)" in TEXT
    program = bell.forms["raposo-program"]
    assert program is not None
    assert bell.exact / program == pytest.approx(11.3, abs=0.05)
    assert "by factors of up to eleven" in TEXT


def test_the_paper_counts_verdicts_as_the_documentation_does() -> None:
    line = re.search(
        r"(\d+) published figures in \d+ sources: (\d+) hold as printed, "
        r"(\d+) do not hold, (\d+) in another",
        (DOCS / "published.rst").read_text(encoding="utf-8"),
    )
    assert line
    figures, hold, not_, other = line.groups()
    assert f"of {figures} such figures, {hold} hold as they are printed, {other} in another" in TEXT
    assert f"and {not_} in none" in TEXT


def test_the_network_of_the_paper() -> None:
    cards = (ROOT / "urcx/agents/data/learned/cards.toml").read_text(encoding="utf-8")
    card = tomllib.loads(cards)["finkel"]
    assert (
        f"a network of {2 * card['weights'] / 1000:.0f} kB wins {card['wins']:.1%}"
        in TEXT.replace(" %", "%")
    )


@pytest.mark.jit
def test_reports_to_authors_print_what_the_errata_do() -> None:
    errata = pages.errata_page()
    known = {found.replace(",", "") for found in re.findall(NUMBER, errata)}
    reports = sorted((DOCS / "outreach").glob("*.md"))
    assert len(reports) >= 4
    for report in reports:
        text = report.read_text(encoding="utf-8")
        printed = {found.replace(",", "") for found in re.findall(NUMBER, text)}
        assert printed <= known, report.name
        assert "pip install urcx\n    urcx " in text

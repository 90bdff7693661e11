"""The numbers of the paper, and of the reports to authors, are those that urcx computes."""

import re
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import pytest

import urcx
from urcx.cli import main
from urcx.published.exact import exact_table
from urcx.published.figures import (
    FAILS,
    HOLDS,
    INCONSISTENT,
    NO_CLAIM,
    OTHERWISE,
    UNDECIDED,
    sources,
)
from urcx.published.rounding import matches, number_printed
from urcx.published.verify import FIGURES, Verdict, verdict_of
from urcx.reports.display.provenance import recorded

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


def test_the_figure_is_what_its_command_draws(capsys: pytest.CaptureFixture[str]) -> None:
    (drawn,) = re.findall(r"Drawn by `([^`]+)`\.\]\(([\w.]+)\)", TEXT)
    command, file = drawn[0], DOCS / "paper" / drawn[1]
    kept = recorded(file)
    assert kept["command"].partition(" --plot")[0] == command
    if f"Matplotlib v{mpl.__version__},".encode() not in file.read_bytes():
        pytest.skip("another release of matplotlib draws the same numbers in other bytes")
    with pytest.raises(SystemExit) as ended:
        main(["rerun", str(file)])
    assert not ended.value.code, f"stale; to renew it: {command} --plot {file}"
    assert "the same result again" in capsys.readouterr().out


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


REPORTS = {
    found[1]: text
    for text in (file.read_text("utf-8") for file in sorted((DOCS / "outreach").glob("*.md")))
    if (found := re.search(r"\n    urcx verify --source ([\w-]+) --all\n", text))
}
NUMBERS = r"\d[\d,]*(?:\.\d+)?(?:e\d+)?"


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|\d[\d.,]*\d|\d", text.lower()))


def numbers_of(text: str) -> set[str]:
    text = re.sub(r"(\d) million", r"\1e6", text)
    return {found.replace(",", "").rstrip(".") for found in re.findall(NUMBERS, text)}


def blocks_of(report: str) -> list[str]:
    """Return the rows of tables and the paragraphs of a report."""
    return re.split(r"\n\n|\n(?=[|])", report)


def stands_in(block: str, title: str, verdict: Verdict) -> bool:
    """Return whether place, printed figure and ours, at some precision, stand in a block."""
    words = words_of(block)
    place = re.split("[,:]", verdict.figure.place)[0]
    if not words_of(place) <= words | words_of(title):
        return False
    if not words_of(verdict.figure.printed) <= words:
        return False
    ours = number_printed(verdict.computed)
    if ours is None:
        return words_of(verdict.computed) <= words
    return any(matches(Fraction(ours), number) for number in numbers_of(block))


@pytest.mark.jit
def test_every_figure_that_does_not_hold_is_in_a_report_to_its_author() -> None:
    missing = []
    for source, figures in sources():
        title, *blocks = blocks_of(REPORTS.get(source.name, ""))
        wrong = [verdict_of(one) for one in figures if one.verdict in (FAILS, INCONSISTENT)]
        fitting = [[one for one in blocks if stands_in(one, title, verdict)] for verdict in wrong]
        # Each has a row or paragraph of its own: those go first that few will do for.
        for verdict, found in sorted(zip(wrong, fitting, strict=True), key=lambda one: len(one[1])):
            free = [one for one in found if one in blocks]
            if free:
                blocks.remove(free[0])
            else:
                missing.append((source.name, verdict.figure.place, verdict.figure.printed))
    assert missing == []


@pytest.mark.jit
def test_reports_to_authors_have_no_numbers_but_those_of_verify() -> None:
    assert len(REPORTS) == len(list((DOCS / "outreach").glob("*.md"))) >= 5
    for source, figures in sources():
        if source.name not in REPORTS:
            continue
        report = REPORTS[source.name]
        assert "\n    pip install urcx\n" in report
        wrong = [one for one in figures if one.verdict in (FAILS, INCONSISTENT)]
        records = [FIGURES.record(verdict_of(one)) for one in wrong]
        judged = [one for one in figures if one.verdict not in (UNDECIDED, NO_CLAIM)]
        holding = Counter(one.place for one in figures if one.verdict == HOLDS)
        of_place = Counter(one.place for one in judged)
        pairs = {(holding[place], of_place[place]) for place in of_place}
        pairs.add((holding.total(), of_place.total()))
        for part, whole in re.findall(r"(\d+) of the (\d+) (?:figures|entries|that)", report):
            assert (int(part), int(whole)) in pairs, (source.name, part, whole)
        for otherwise in re.findall(r"(\d+) more hold in another reading", report):
            assert int(otherwise) == sum(one.verdict == OTHERWISE for one in figures)
        printed = [one.printed for one in figures]
        known = numbers_of(f"{source.title} {source.summary} {printed} {records}")
        known |= {str(number) for pair in pairs for number in pair}
        known.add(str(sum(one.verdict == OTHERWISE for one in figures)))
        spoken = re.sub(r"(?m)^    .*$|`[^`]*`|version [\d.]+", "", report)
        unknown = {
            number
            for number in numbers_of(spoken) - known
            if not any(matches(Fraction(one), number) for one in known if "." in one)
        }
        assert unknown == set(), source.name

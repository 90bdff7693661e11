"""The numbers of the paper, and of the reports to authors, are those that urcx computes."""

import csv
import re
import shlex
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import matplotlib as mpl
import pytest
from recorded import recorded

import urcx
from urcx.cli import main
from urcx.complexity.game_tree import CONVENTIONS
from urcx.published.figures import (
    FAILS,
    HOLDS,
    INCONSISTENT,
    NO_CLAIM,
    OTHERWISE,
    UNDECIDED,
    sources,
)
from urcx.published.gtc import exact_table
from urcx.published.rounding import matches, number_printed
from urcx.published.verify import FIGURES, Verdict, verdict_of
from urcx.results.numbers import number_word

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAPER = (DOCS / "paper/paper.md").read_text(encoding="utf-8")
TEXT = " ".join(PAPER.split())
ENTRY = r"(?ms)^(?=@\w+\{([\w-]+),)(.*?^\}\n)"
ENTRIES = dict(re.findall(ENTRY, (DOCS / "paper/paper.bib").read_text(encoding="utf-8")))


def test_the_paper_has_the_parts_and_the_length_that_its_journal_asks_for() -> None:
    body = PAPER.partition("\n---\n")[2]
    assert re.findall(r"(?m)^# (.*)$", body) == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact statement", "AI usage disclosure", "References",
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


def claims() -> list[str]:
    """Return every phrase of the paper that has a number, with the numbers that urcx computes."""
    bell = urcx.ssc("bell", 7, enumerate=False)
    program = bell.forms["raposo-program"]
    assert program is not None
    known = {one.agent: one for one in exact_table() if (one.rules, one.pieces) == ("finkel", 7)}
    best = known["optimal"]
    plies = [
        f"{known[agent].measures['plies'][0]:.2f}" for agent in ("random", "greedy", "optimal")
    ]
    tree = [mean for mean, _ in best.gtc.values()]
    assert max(tree) - min(tree) > 100
    figures = [figure for _, found in sources() for figure in found]
    verdicts = Counter(figure.verdict for figure in figures)
    by_post, by_paper, of_bell = (
        next(figure.printed for figure in figures if figure.place.startswith(place))
        for place in (
            "How big are these numbers: log10 of b^d",
            "Section 3.2 and Table 1, game tree of Bell",
            "Table 1, SSC of Bell (p = 7)",
        )
    )
    assert matches(Fraction(program), of_bell)
    lines = len((ROOT / "checker/urcx-check.c").read_text(encoding="utf-8").splitlines())
    limit = 550  # tests/checker holds the program to it
    assert 0.9 * limit <= lines <= limit
    with (ROOT / "benchmarks/history.csv").open(encoding="utf-8", newline="") as file:
        measured = [row for row in csv.DictReader(file) if "storm_bounds.py" in row["command"]]
    ours, lower, upper = (float(row["cpu_s"]) for row in measured)
    assert [row["task"].partition(" ")[0] for row in measured] == ["solve", "Storm", "Storm"]
    (pieces,) = {row["pieces"] for row in measured}
    cards = (ROOT / "urcx/agents/data/learned/cards.toml").read_text(encoding="utf-8")
    card = tomllib.loads(cards)["finkel"]
    states = f"{best.states // 2:,} states"
    return [
        f"the game tree in {number_word(len(CONVENTIONS))} conventions",
        f"and in {number_word(len(tree))} of them exactly",
        f"the numbers that {number_word(len(sources()))} sources have published",
        f"of {len(figures):,} such figures, {verdicts[HOLDS]:,} hold as they are printed,",
        f"{verdicts[OTHERWISE]} in another reading of the words, and {verdicts[FAILS]} in none",
        f"with {number_word(urcx.ruleset('finkel').pieces)} pieces per side",
        f"there are {bell.exact:,} arrangements of the pieces and {states} in which",
        f"wins with probability {best.first_wins[0]:.7f} under",
        f"at most {limit} lines of C",
        f"by factors of up to {number_word(round(bell.exact / program))} ",
        f"the game tree as {by_paper} in one and as 10^{by_post} in another",
        "by more than a hundred orders of magnitude",
        f"take {lower + upper:.0f} seconds of a processor for the two bounds",
        (
            f"of the game with {pieces} pieces per side, "
            f"the whole of which takes `urcx` {ours} seconds"
        ),
        f"certified solutions of {states}",
        f"is {bell.exact:,} arrangements where {of_bell} was printed",
        f"(games of {plies[0]}, {plies[1]} and {plies[2]} plies on average)",
        f"a network of {2 * card['weights'] / 1000:.0f} kB that wins {100 * card['wins']:.1f} % of",
        f"({states} by the usual rules)",
    ]


# What urcx cannot compute.
CITED = (
    "4,500 years",  # the game's age, after Finkel
    "a thousand traditional games",  # Piette and others
    "Figure 4 and Table 1 of @raposo-lamont",
    "(single, double, pairs of doubles)",  # kinds of numbers, not how many
)
COUNTED = (
    "three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?"
    "|half|thirds?|quarters?|twice|double"
)


def test_every_number_of_the_paper_is_what_urcx_computes() -> None:
    rest = " ".join(PAPER.partition("\n---\n")[2].split())
    for claim in claims():
        assert claim in rest, claim
        rest = rest.replace(claim, "", 1)
    for cited in CITED:
        assert cited in rest, cited
        rest = rest.replace(cited, "")
    rest = re.sub(r"Drawn by `[^`]+`|@[\w-]+", "", rest)
    assert re.findall(rf"(?i)\b\d[\w.,^]*|\b(?:{COUNTED})\b", rest) == []


def test_the_figure_is_what_its_command_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (drawn,) = re.findall(r"Drawn by `([^`]+)`\.\]\(([\w.]+)\)", TEXT)
    command, file = drawn[0], DOCS / "paper" / drawn[1]
    kept = recorded(file)
    assert kept["command"].partition(" --plot")[0] == command
    if f"Matplotlib v{mpl.__version__},".encode() not in file.read_bytes():
        pytest.skip("another release of matplotlib draws the same numbers in other bytes")
    monkeypatch.setattr("urcx.reports.display.provenance.versions", lambda: kept["versions"])
    again = tmp_path / file.name
    with pytest.raises(SystemExit) as ended:
        main([*shlex.split(kept["command"])[1:], "--plot", str(again)])
    assert not ended.value.code
    assert again.read_bytes() == file.read_bytes(), f"stale; draw: {command} --plot {file}"


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
    ours = number_printed(verdict.computed.partition(" ±")[0])
    if ours is None:
        return words_of(verdict.computed) <= words
    return any(matches(Fraction(ours), number) for number in numbers_of(block))


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


def test_reports_to_authors_have_no_numbers_but_those_of_verify() -> None:
    assert len(REPORTS) == len(list((DOCS / "outreach").glob("*.md"))) >= 5
    for source, figures in sources():
        if source.name not in REPORTS:
            continue
        report = REPORTS[source.name]
        assert "\n    pip install urcx\n" in report
        wrong = [one for one in figures if one.verdict in (FAILS, INCONSISTENT)]
        read = [one for one in figures if one.verdict == OTHERWISE]
        records = [FIGURES.record(verdict_of(one)) for one in (*wrong, *read)]
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


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_commands_of_reports_run(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, block in re.findall(r"in a file `([^`]+)`:\n\n((?:    .*\n|\n)+)", REPORTS[name]):
        tmp_path.joinpath(file).write_text(dedent(block), encoding="utf-8")
    commands = re.findall(r"`urcx ([^`]+)`|(?m:^    urcx (.*)$)", REPORTS[name])
    for command in {one or other for one, other in commands}:
        if not command.startswith("verify "):  # run above, but for what plays games
            with pytest.raises(SystemExit) as ended:
                main(shlex.split(command))
            assert not ended.value.code, command
            assert capsys.readouterr().out, command

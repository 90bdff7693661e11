"""The report: its page, its files, and that its numbers are those of the functions."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from recorded import recorded
from tiny_report import PLAN, tiny_report

import urcx
from urcx.published.figures import FAILS, HOLDS, INCONSISTENT, VERDICTS, sources
from urcx.reports.page import Plan, Work, command, inline, plan, timeless, tree_section
from urcx.reports.solutions import Opening
from urcx.rules import catalogue

LOADING = {"src", "srcset", "data", "poster", "background", "action"}


class Page:
    """A page read strictly, as XML but for its declaration and what has no end."""

    def __init__(self, text: str) -> None:
        text = text.removeprefix("<!DOCTYPE html>").replace("<html", '<html xmlns:xlink="x"', 1)
        text = re.sub(r"<((?:meta|link|br|hr|img|input)\b[^>]*?)/?>", r"<\1/>", text)
        root = ET.fromstring(text)  # noqa: S314 - our own
        self.tags = [_name(item.tag) for item in root.iter()]
        self.attributes = [(_name(key), to) for item in root.iter() for key, to in item.items()]
        self.ids = [to for name, to in self.attributes if name == "id"]
        self.links = [to for name, to in self.attributes if name == "href"]
        self.text = " ".join(root.itertext())


def _name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _page() -> tuple[Page, str, Path]:
    _, target = tiny_report()
    text = (target / "index.html").read_text(encoding="utf-8")
    return Page(text), text, target


def _document(name: str) -> dict[str, Any]:
    _, target = tiny_report()
    document: dict[str, Any] = json.loads((target / "tables" / f"{name}.json").read_text("utf-8"))
    assert document["version"] == urcx.__version__
    return document


def test_the_page_is_well_formed_and_its_references_lead_somewhere() -> None:
    page, text, target = _page()
    assert text.startswith("<!DOCTYPE html>")
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids, link
        else:
            assert (target / link).is_file(), link
    for reference in re.findall(r"url\(#([^)]*)\)", text):
        assert reference in page.ids


def test_the_page_loads_nothing() -> None:
    page, text, _ = _page()
    assert not {"script", "link", "iframe", "object", "embed", "img"} & set(page.tags)
    assert not LOADING & {name for name, _ in page.attributes}
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert not [link for link in page.links if "//" in link]


def test_every_result_is_there_with_its_files() -> None:
    book, target = tiny_report()
    page, _, _ = _page()
    sections = [section.name for section in book.sections]
    assert sections == ["states", "tree", "optimal", "dice", "published", "colophon"]
    assert set(sections) <= set(page.ids)
    items = [item for section in book.sections for item in section.items]
    figures = [item.name for item in items if item.figure]
    assert page.tags.count("svg") == len(figures) + 1  # and the board
    files = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    expected = {f"tables/{item.name}.{suffix}" for item in items for suffix in ("csv", "json")}
    expected |= {f"figures/{name}.{suffix}" for name in figures for suffix in ("svg", "png")}
    assert files == expected | {"index.html", "report.json"}
    assert expected <= set(page.links)
    manifest = json.loads((target / "report.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == files - {"report.json"}
    assert manifest["parameters"]["seed"] == PLAN.seed
    assert all(item.obtained and item.title in page.text for item in items)
    assert len({item.title for item in items}) == len(items)


def test_the_first_page_has_the_answers_of_the_results() -> None:
    book, _ = tiny_report()
    _, text, _ = _page()
    story = text[text.index('<section id="story"') : text.index("<nav")]
    answers = [answer for _, _, answer in book.answers]
    reports = [item.report.answer for section in book.sections for item in section.items]
    assert len(answers) == 5
    assert len(set(answers) & set(reports)) == 3, "spaces, tree, losses"
    assert "finkel, 1 piece per side: the first player wins 53.00 % of games" in answers[2]
    assert all(f'href="#{section}">{question}' in story for section, question, _ in book.answers)
    assert 'class="board"' in story
    rows = [row["verdict"] for row in _document("verify")["rows"]]
    assert dict(book.verdicts) == {name: rows.count(name) for name in VERDICTS}
    assert all(f"flex-grow: {count}" in story for count in book.verdicts.values() if count)
    # Each verdict but the first has a look of its own in the bar.
    looks = [line for line in text.splitlines() if line.startswith(".bar .v")]
    assert len({look.partition("{")[2] for look in looks}) == len(VERDICTS) - 1


def test_verdicts_that_hold_are_in_the_file_alone() -> None:
    (figures,) = [figures for source, figures in sources() if source.name == "michon"]
    rows = _document("verify")["rows"]
    assert [(r["place"], r["printed"]) for r in rows] == [(f.place, f.printed) for f in figures]
    assert [row["verdict"] for row in rows] == [figure.verdict for figure in figures]
    _, text, _ = _page()
    shown = text[text.index('<section id="published"') : text.index('<section id="colophon"')]
    places: dict[str, set[str]] = {verdict: set() for verdict in VERDICTS}
    for row in rows:
        places[row["verdict"]].add(row["place"])
    wrong = places[FAILS] | places[INCONSISTENT]
    assert all(f">{place}</td>" in shown for place in wrong)
    only_right = places[HOLDS] - wrong
    assert only_right
    assert not [place for place in only_right if f">{place}</td>" in shown]
    assert "<details" not in shown, "on paper it would be left out"


def test_formulas_are_mathml_and_no_latex_is_left() -> None:
    page, text, _ = _page()
    assert page.tags.count("math") > 4
    assert not re.search(r"\\[()\[\]]|\\frac|\\sum", text)


def test_files_are_marked_with_how_they_were_made_and_have_no_times() -> None:
    _, target = tiny_report()
    made = json.loads((target / "report.json").read_text(encoding="utf-8"))["provenance"]
    for file in target.glob("tables/*.csv"):
        assert recorded(file) == recorded(file.with_suffix(".json")) == made
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(line for line in stream if not line.startswith("# ")))
        assert rows
        assert "seconds" not in rows[0]
        assert "seconds" not in _document(file.stem)


def test_counts_are_those_of_the_functions() -> None:
    rows = _document("ssc")["rows"]
    assert {row["path"] for row in rows} == {"bell", "aseb", "masters", "murray", "skiriuk"}
    assert {row["pieces"] for row in rows} == {1, 2}
    for row in rows:
        count = urcx.ssc(row["path"], row["pieces"], enumerate=False)
        assert int(row["forms"]["tile-polynomial"]) == count.exact
        assert row["enumerated"] in (None, str(count.exact))
    visited = {row["path"] for row in rows if row["enumerated"]}
    assert visited == {row["path"] for row in rows}, "a path without any"


def test_forwards_and_backwards_the_start_is_worth_the_same() -> None:
    # One goes through states from the start with both policies, the other from the end with values.
    (opening,) = _document("openings")["rows"]
    exactly = _document("gtc-exact")
    assert opening["pieces"] == exactly["pieces"] == 1
    off = exactly["wins"]["first_mover"]["bound"] + opening["bound"]
    assert abs(exactly["wins"]["first_mover"]["share"] - opening["opening"]) < off + 1e-12


def test_the_same_seed_gives_the_same_files_and_another_seed_others() -> None:
    def made(seed: int) -> str:
        work = Work(replace(PLAN, seed=seed, games=4, players=("random",), plies=1))
        (games, *_) = tree_section(work).items
        return json.dumps(timeless(games.report.document()))

    assert made(1) == made(1) != made(2)


def test_the_command_that_repeats_it() -> None:
    assert command(plan()) == "urcx report -o report/ --seed 1"
    finkel = Opening(catalogue.ruleset("finkel"), 9, 0.5, None, "", Path("somewhere/finkel.urcx"))
    again = Plan(3, (finkel,), quick=True)
    assert command(again) == "urcx report -o report/ --quick --tablebase finkel.urcx --seed 3"
    assert again.parameters()["solutions"] == ["finkel.urcx"]


def test_inline_figures_follow_the_theme_and_share_no_ids() -> None:
    drawn = (
        b'<?xml version="1.0"?><!DOCTYPE svg><svg width="72pt" viewBox="0 0 72 36"><metadata>http:'
        b'//x</metadata><defs><style type="text/css">*{}</style></defs><g id="a" style="fill: '
        b'#0072b2; stroke: #ffffff"/><use xlink:href="#a" clip-path="url(#a)"/></svg>'
    )
    text = inline(drawn, "f1", 'a "title"')
    assert text.startswith('<svg viewBox="0 0 72 36" style="max-width:108px"')
    assert "a &quot;title&quot;" in text
    assert 'id="f1-a"' in text
    assert 'href="#f1-a" clip-path="url(#f1-a)"' in text
    assert "fill: var(--c0); stroke: var(--card)" in text
    assert not re.search("http|style type|<!DOCTYPE", text)

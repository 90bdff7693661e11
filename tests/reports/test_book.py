"""The report: its page, its files, and that its numbers are those of the functions."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tiny_report import PLAN, tiny_report

import urcx
from urcx.published.figures import sources
from urcx.reports.book import files, luck, tree, verdicts
from urcx.reports.book.blocks import Picture, Sheet
from urcx.reports.book.build import command
from urcx.reports.book.plan import Plan, Work, full, quick
from urcx.reports.book.svg import inline
from urcx.reports.plots import render

VOID = {"meta", "link", "br", "hr", "img", "input", "path", "use", "rect", "image", "circle"}
LOADING = {"src", "srcset", "data", "poster", "background", "action"}


class Page(HTMLParser):
    """Reads a page strictly: every tag closed in turn, ids and references noted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "xlink:href"):
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _page() -> tuple[Page, str, Path]:
    _, target = tiny_report()
    text = (target / "index.html").read_text(encoding="utf-8")
    return Page(text), text, target


def _rows(name: str) -> list[dict[str, Any]]:
    _, target = tiny_report()
    document = json.loads((target / "tables" / f"{name}.json").read_text(encoding="utf-8"))
    assert document["schema"] == "urcx.report-table/1"
    assert document["version"] == urcx.__version__
    assert document["exactness"]
    rows: list[dict[str, Any]] = document["rows"]
    return rows


def test_the_page_is_well_formed_and_its_references_lead_somewhere() -> None:
    page, text, target = _page()
    assert text.startswith("<!DOCTYPE html>")
    assert page.open == []
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
    assert not [item for item in page.attributes if item[1] in LOADING]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert not [link for link in page.links if "//" in link]


def test_every_section_table_and_figure_is_there() -> None:
    book, target = tiny_report()
    page, _, _ = _page()
    names = [section.name for section in book.sections]
    assert names == [
        "states", "enumeration", "tree", "perfect", "dice", "verification", "errata", "colophon",
    ]  # fmt: skip
    assert set(names) <= set(page.ids)
    blocks = [block for section in book.sections for block in section.blocks]
    sheets = [block for block in blocks if isinstance(block, Sheet)]
    pictures = [block for block in blocks if isinstance(block, Picture)]
    assert page.tags.count("table") == len(sheets) == len({s.name for s in sheets})
    assert page.tags.count("svg") == len(pictures) == len({p.name for p in pictures})
    written = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    wanted = {f"tables/{s.name}.{suffix}" for s in sheets for suffix in ("csv", "json")}
    wanted |= {f"figures/{p.name}.{suffix}" for p in pictures for suffix in ("svg", "png")}
    assert written == wanted | {"index.html", "report.json"}
    manifest = json.loads((target / "report.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == written - {"report.json"}
    assert manifest["parameters"]["seed"] == PLAN.seed
    assert all(block.obtained for block in sheets)
    assert all(block.obtained for block in pictures)
    assert all(p.figure.get_supxlabel() for p in pictures), "a figure without a caption"
    for name in written:
        assert (target / name).stat().st_size > 20, name


def test_csv_and_json_have_the_same_rows() -> None:
    _, target = tiny_report()
    for file in target.glob("tables/*.csv"):
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == len(_rows(file.stem)) > 0
        assert "seconds" not in rows[0]


def test_counts_are_those_of_the_functions() -> None:
    for row in _rows("state-spaces"):
        count = urcx.ssc(row["path"], row["pieces"], enumerate=False)
        assert int(row["diagrams"]) == count.forms["tile-polynomial"]
    found = _rows("enumeration")
    assert {row["path"] for row in found} == {"bell", "aseb", "masters", "murray", "skiriuk"}
    for row in found:
        assert row["agree"] is True
    known = {(r["path"], r["pieces"]): int(r["diagrams"]) for r in _rows("state-spaces")}
    assert all(int(r["visited"]) == known[r["path"], r["pieces"]] for r in found)


def test_forwards_and_backwards_the_start_is_worth_the_same() -> None:
    # One goes through states from the start with both policies, the other from the end with values.
    (opening,) = _rows("openings")
    (optimal,) = [row for row in _rows("exact-means") if row["agent"] == "optimal"]
    assert opening["lower"] <= opening["opening"] <= opening["upper"]
    assert optimal["first_wins"] == pytest.approx(opening["opening"], abs=1e-10)
    assert optimal["pieces"] == opening["pieces"] == 1


def test_every_published_figure_is_in_its_table() -> None:
    (figures,) = [figures for source, figures in sources() if source.name == "michon"]
    rows = _rows("verify-michon")
    assert [(r["place"], r["printed"]) for r in rows] == [(f.place, f.printed) for f in figures]
    assert [row["verdict"] for row in rows] == [figure.verdict for figure in figures]


def test_errata_are_written_from_the_verdicts() -> None:
    _, text, _ = _page()
    errata = text[text.index('<section id="errata">') : text.index('<section id="colophon">')]
    for row in _rows("verify-michon"):
        wrong = row["verdict"] != "reproduced"
        assert (f"{row['printed']}, here {row['computed']}" in errata) == wrong
    assert "No other reading gives what is printed: " in errata
    assert "counted as positions; " in errata


def test_an_erratum_names_all_figures_of_one_reason() -> None:
    work = Work(Plan(sources=("michon",)))
    blocks = verdicts.errata(work).blocks
    entries = dict(blocks[1].entries)  # type: ignore[union-attr]
    table = entries["Short tracks, table of Ur(n)"]
    for printed in ("272641", "2486427", "15788044", "55892884", "140939686"):
        assert printed in table
    assert "137,913,936" in table
    assert "No other reading gives what is printed: " in table


def test_the_same_seed_gives_the_same_files_and_another_seed_others() -> None:
    def made(seed: int) -> tuple[list[str], bytes]:
        plan = Plan(seed=seed, games=4, players=("random",), plies=1)
        blocks = tree.tree(Work(plan)).blocks
        (drawn,) = [b.figure for b in blocks if isinstance(b, Picture) and b.name == "lengths"]
        return [files._json(b) for b in blocks if isinstance(b, Sheet)], render(drawn, "svg")

    first, other = made(1), made(2)
    assert first == made(1)
    assert first[0][0] != other[0][0]
    assert first[1] != other[1]


def test_the_gains_printed_are_found_for_the_figure() -> None:
    assert luck._printed() == {"AA": "-3.64", "AB": "-2.99", "BA": "-1.27", "BB": "-5.92"}


def test_the_command_that_repeats_it() -> None:
    assert command(full()) == "urcx report -o report/ --seed 1"
    again = quick(3, (Path("somewhere/finkel.urcx"),))
    assert command(again) == "urcx report -o report/ --quick --tablebase finkel.urcx --seed 3"


def test_inline_figures_follow_the_theme_and_share_no_ids() -> None:
    drawn = (
        b'<?xml version="1.0"?><!DOCTYPE svg><svg width="72pt" viewBox="0 0 72 36"><metadata>http:'
        b'//x</metadata><defs><style type="text/css">*{}</style></defs><g id="a" style="fill: '
        b'#0072b2; stroke: #ffffff"/><use xlink:href="#a" clip-path="url(#a)"/></svg>'
    )
    text = inline(drawn, "f1", 'a "title"')
    assert text.startswith('<svg viewBox="0 0 72 36" style="max-width:96px"')
    assert "a &quot;title&quot;" in text
    assert 'id="f1-a"' in text
    assert 'href="#f1-a" clip-path="url(#f1-a)"' in text
    assert "fill: var(--c0); stroke: var(--card)" in text
    assert not re.search("http|style type|<!DOCTYPE", text)

"""The report: its page, its files, and that its numbers are those of the functions."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from recorded import recorded
from tiny_report import PLAN, tiny_report

import urcx
from urcx.enumerate.counts import Count
from urcx.published.figures import FAILS, HOLDS, INCONSISTENT, OTHERWISE, VERDICTS, sources
from urcx.published.verify import Verdict
from urcx.reports.book import figures, files, luck, perfect, story, tree, verdicts
from urcx.reports.book.build import command
from urcx.reports.book.elements import Picture, Sheet
from urcx.reports.book.plan import Plan, Work, full, quick
from urcx.reports.book.results import Opening, Visited
from urcx.reports.book.svg import inline
from urcx.reports.figures.plots import render

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


def test_every_section_table_and_figure_is_there() -> None:
    book, target = tiny_report()
    page, _, _ = _page()
    names = [section.name for section in book.sections]
    assert names == [
        "states", "enumeration", "tree", "perfect", "dice", "verification", "errata",
        "colophon",
    ]  # fmt: skip
    assert set(names) <= set(page.ids)
    elements = [element for section in book.sections for element in section.elements]
    sheets = [element for element in elements if isinstance(element, Sheet)]
    pictures = [element for element in elements if isinstance(element, Picture)]
    assert page.tags.count("table") == len(sheets) == len({s.name for s in sheets})
    assert page.tags.count("svg") == len(pictures) + 1 == len({p.name for p in pictures}) + 1
    written = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    wanted = {f"tables/{s.name}.{suffix}" for s in sheets for suffix in ("csv", "json")}
    wanted |= {f"figures/{p.name}.{suffix}" for p in pictures for suffix in ("svg", "png")}
    assert written == wanted | {"index.html", "report.json"}
    manifest = json.loads((target / "report.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == written - {"report.json"}
    assert manifest["parameters"]["seed"] == PLAN.seed
    assert all(element.obtained for element in sheets)
    assert all(element.obtained for element in pictures)
    assert all(p.figure.get_supxlabel() for p in pictures), "a figure without a caption"
    for name in written:
        assert (target / name).stat().st_size > 20, name


def test_the_first_page_has_its_numbers_from_the_sections() -> None:
    book, _ = tiny_report()
    _, text, _ = _page()
    front = book.front
    assert len(front.findings) == 5
    states, counted, tree_size, beginning, agents = front.findings
    known = {(r["path"], r["pieces"]): int(r["diagrams"]) for r in _rows("state-spaces")}
    seven = urcx.ssc("bell", 7, enumerate=False).forms["tile-polynomial"]
    assert states.figure == f"{seven:,}"
    assert "by visiting" not in states.text, "this report visits no such path"
    assert all(visited <= known[where] for where, visited in _visited().items())
    assert f"{sum(_visited().values()):,} diagrams were visited" in counted.text
    logs = [r["log10"] for r in _rows("conventions-tree") if r["agent"] == "greedy"]
    assert tree_size.figure == rf"\(10^{{{min(logs):.0f}}}\) to \(10^{{{max(logs):.0f}}}\)"
    (opening,) = _rows("openings")
    assert beginning.figure == f"{100 * opening['opening']:.2f} %"
    (regret,) = _rows("regrets-finkel-1")
    assert agents.figure == f"{100 * regret['wins']:.1f} %"
    total = {name: count for _, name, count in front.verdicts}
    judged = [row["verdict"] for row in _rows("verify-michon")]
    assert total == {name: judged.count(name) for name in total}
    assert sum(total.values()) == len(judged)
    (wrong,) = front.wrong
    assert wrong.figures == len(judged)
    assert {name: count for count, name in wrong.counts} == {
        name: judged.count(name) for name in (FAILS, INCONSISTENT)
    }
    assert any(
        mark == "≠" and "prints 140,939,686, exactly 137,913,936 (and 4 more)" in line
        for mark, line in wrong.lines
    )
    story = text[text.index('<section id="story"') : text.index("<nav")]
    for one in front.findings:
        assert one.title in story
        assert f'href="#{one.section}"' in story
    assert 'class="board"' in story
    assert all(f"flex-grow: {count}" in story for count in total.values() if count)
    # Each verdict but the first has a look of its own in the bar.
    looks = [line for line in text.splitlines() if line.startswith(".bar .v")]
    assert len({look.partition("{")[2] for look in looks}) == len(VERDICTS) - 1


def test_what_a_slip_gives_is_no_number_of_states() -> None:
    source, printed = next(item for item in sources() if item[0].name == "raposo-lamont")
    bell = next(f for f in printed if f.printed == "1.2e7" and f.quantity == "states")
    found = story._wrong(source, [Verdict(bell, "96,910,213", OTHERWISE)])
    assert (found.counts, found.more) == (((1, OTHERWISE),), 0)
    assert found.lines == (("≈", f"{bell.place}: prints 1.2e7, exactly 137,913,936"),)


def _visited() -> dict[tuple[str, int], int]:
    return {(r["path"], r["pieces"]): int(r["visited"]) for r in _rows("enumeration")}


def test_the_first_page_says_that_all_was_visited_only_where_it_was() -> None:
    rules = urcx.ruleset("finkel")
    seven = urcx.ssc("bell", 7, enumerate=False).forms["tile-polynomial"]
    assert seven is not None
    count = Count(rules.path, 7, 7, seven, 0, 0, 0, 0.0, 1)
    assert "by visiting each of them" in story._states(rules, [Visited(count)]).text
    less = replace(count, diagrams=seven - 1)
    assert "by visiting" not in story._states(rules, [Visited(less)]).text
    six = replace(count, pieces=6)
    assert "by visiting" not in story._states(rules, [Visited(six)]).text


def test_contents_are_short_and_come_after_the_story() -> None:
    book, _ = tiny_report()
    _, text, _ = _page()
    nav = text[text.index("<nav") : text.index("</nav>")]
    links = re.findall(r'href="#([a-z]+)"', nav)
    assert links == [section.name for section in book.sections]
    assert text.index('id="story"') < text.index("<nav") < text.index("<main")


def test_formulas_are_mathml_and_no_latex_is_left() -> None:
    page, text, _ = _page()
    assert page.tags.count("math") > 10
    assert not re.search(r"\\[()\[\]]|\\frac|\\sum", text)
    assert "x^p" not in page.text
    assert not re.search(r"10\^\d", page.text)


def test_no_title_is_given_twice() -> None:
    book, _ = tiny_report()
    elements = [element for section in book.sections for element in section.elements]
    titles = [b.title for b in elements if isinstance(b, Picture)]
    titles += [b.table.title for b in elements if isinstance(b, Sheet)]
    assert len(titles) == len(set(titles))
    for picture in (b for b in elements if isinstance(b, Picture)):
        caption = " ".join(picture.figure.get_supxlabel().split())
        assert picture.title not in caption
        for axes in picture.figure.axes:
            # Drawn into the file, left out on the page, where the title stands above.
            inside = axes.get_title(loc="left")
            assert not inside or f"<!-- {inside} -->".encode() not in _svg(picture)


def _svg(picture: Picture) -> bytes:
    return render(picture.figure, "svg", captioned=False)


def test_published_figures_stand_under_their_place_with_what_agrees_together() -> None:
    work = Work(Plan(sources=("michon",)))
    ((source, found),) = work.verdicts
    table = verdicts._figures(source, found).table
    assert len(table.rows) < len(found)
    for row in table.rows:
        assert len(row[1].split("; ")) == len(row[2].split("; "))
    flat = [text for row in table.rows for text in row[1].split("; ")]
    assert flat == [verdict.figure.printed for verdict in found]
    wrong = [row for row in table.rows if row[3] == f"✗\u00a0{FAILS}"]
    assert len(wrong) == sum(v.verdict == FAILS for v in found)


def test_numbers_of_more_digits_than_a_table_has_room_for() -> None:
    assert verdicts.in_short("12,453,855,221,028") == "12,453,855,221,028"
    assert verdicts.in_short("123,456,789,012,345,678,901") == "123,456,789,012,345,678,901"
    assert verdicts.in_short(f"{123456 * 10**110:,}") == "1.2346e115"
    assert verdicts.in_short("a" * 50) == "a" * 50


def test_what_a_source_prints_is_looked_up() -> None:
    assert verdicts.printed("raposo-lamont", "power", b=2.45).printed == "5.3e115"
    with pytest.raises(LookupError, match="prints no power"):
        verdicts.printed("post", "power", b=9.0)


def test_too_few_points_are_no_figure() -> None:
    finkel = urcx.ruleset("finkel")
    games = [replace(finkel, pieces=p) for p in (1, 2, 3)]
    openings = [Opening(g, 9, 0.5 + 0.01 / g.pieces, None, None, None, "") for g in games]
    assert figures.openings_figure(openings[:2]) is None
    assert figures.openings_figure(openings) is not None
    light = SimpleNamespace(name="a")
    plies = [SimpleNamespace(plies=20.0 * game.pieces) for game in games]
    means: Any = [
        SimpleNamespace(light=light, rules=game, measured=mean)
        for game, mean in zip(games, plies, strict=True)
    ]
    assert figures.lengths_by_pieces(means[:2]) is None
    assert figures.lengths_by_pieces(means) is not None
    (words,) = perfect._grown(means[:2])
    assert words.paragraphs == (  # type: ignore[union-attr]
        "From 1 to 2 pieces a side the mean length grows from 20.0 to 40.0 (a).",
    )
    assert perfect._grown(means) == perfect._grown(means[:1]) == []


def test_csv_and_json_have_the_same_rows() -> None:
    _, target = tiny_report()
    made = json.loads((target / "report.json").read_text(encoding="utf-8"))["provenance"]
    for file in target.glob("tables/*.csv"):
        assert recorded(file) == recorded(file.with_suffix(".json")) == made
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(line for line in stream if not line.startswith("# ")))
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
        wrong = row["verdict"] != HOLDS
        assert (f"{row['printed']}, here {row['computed']}" in errata) == wrong
    assert "No other reading gives what is printed: " in errata
    assert "passes to and fro solved" in errata


def test_an_erratum_names_all_figures_of_one_reason() -> None:
    work = Work(Plan(sources=("michon",)))
    elements = verdicts.errata(work).elements
    entries = dict(elements[1].entries)  # type: ignore[union-attr]
    table = entries["Short tracks, table of Ur(n)"]
    for printed in ("272641", "2486427", "15788044", "55892884", "140939686"):
        assert printed in table
    assert "137,913,936" in table
    assert 'But "Short tracks", table of f(p), prints "72" for p = 3' in table


def test_the_same_seed_gives_the_same_files_and_another_seed_others() -> None:
    def made(seed: int) -> tuple[list[str], bytes]:
        plan = Plan(seed=seed, games=4, players=("random",), plies=1)
        elements = tree.tree(Work(plan)).elements
        (drawn,) = [b.figure for b in elements if isinstance(b, Picture) and b.name == "lengths"]
        return [files._json(b, {}) for b in elements if isinstance(b, Sheet)], render(drawn, "svg")

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
    assert text.startswith('<svg viewBox="0 0 72 36" style="max-width:126px"')
    assert "a &quot;title&quot;" in text
    assert 'id="f1-a"' in text
    assert 'href="#f1-a" clip-path="url(#f1-a)"' in text
    assert "fill: var(--c0); stroke: var(--card)" in text
    assert not re.search("http|style type|<!DOCTYPE", text)

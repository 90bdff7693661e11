from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import consoles
import pages
import pytest

import urcx
from urcx.complexity.forms import FORMS
from urcx.complexity.game_tree import CONVENTIONS
from urcx.errors import UnknownNameError
from urcx.published import figures
from urcx.published.figures import (
    FAILS,
    FILES,
    HOLDS,
    INCONSISTENT,
    VERDICTS,
    Figure,
    cited,
    keys,
    references,
    sources,
)
from urcx.published.quantities.registry import QUANTITIES, describe

ENTRY = {
    "place": "Table 1",
    "quantity": "states",
    "params": {"path": "bell"},
    "pieces": [1, 2],
    "printed": ["248", "13,112"],
}


def test_one_table_of_parameters_is_multiplied_by_pieces() -> None:
    entries = figures._figures("a-source", ENTRY)
    assert entries == [
        Figure(
            "a-source", "Table 1", "states", {"path": "bell", "pieces": n}, text, text,
            HOLDS, "",
        )
        for n, text in ((1, "248"), (2, "13,112"))
    ]  # fmt: skip


def test_parameters_values_verdicts_and_explanations_one_by_one() -> None:
    (first, second) = figures._figures(
        "a-source",
        {
            **ENTRY,
            "params": [{"path": "bell"}, {"path": "aseb"}],
            "values": ["2e2", "1e4"],
            "verdict": [FAILS, "no claim"],
            "explanation": "one for both",
        },
    )
    assert (first.params, second.params) == ({"path": "bell"}, {"path": "aseb"})
    assert (first.printed, first.value, second.value) == ("248", "2e2", "1e4")
    assert (first.verdict, second.verdict) == (FAILS, "no claim")
    assert first.explanation == second.explanation == "one for both"


def test_readings_for_all_or_by_what_is_printed() -> None:
    by_print = {"readings": {"248": ["rounded up"]}}
    read = [f.readings for f in figures._figures("a-source", ENTRY | by_print)]
    assert read == [("rounded up",), ()]
    for_all = {"readings": ["rounded up", {"params": {"path": "aseb"}}]}
    for figure in figures._figures("a-source", ENTRY | for_all):
        assert figure.readings == ("rounded up", {"params": {"path": "aseb"}})


def test_values_that_take_minutes_are_recorded_with_how_they_were_found() -> None:
    (first, second) = figures._figures("a-source", {**ENTRY, "found": ["248", ""], "how": "once"})
    assert (first.found, first.how, first.params["found"]) == ("248", "once", "248")
    assert (second.found, second.how) == ("", "")
    assert "found" not in second.params


def test_what_does_not_come_in_equal_numbers_is_refused() -> None:
    for name, value in {"pieces": [1], "values": ["1"], "verdict": [HOLDS], "found": ["1"]}.items():
        with pytest.raises(ValueError, match="zip"):
            figures._figures("a-source", {**ENTRY, name: value})


def test_every_file_is_read_in_order() -> None:
    sources.cache_clear()
    assert tuple(source.name for source, _ in sources()) == FILES
    data = Path(figures.__file__).parent / "data"
    known = {file.stem for file in data.glob("*.toml")} - {"exact", "longest"}
    assert known == set(FILES), "a file that nothing reads"


def test_every_figure_is_complete_and_every_quantity_used() -> None:
    for source, found in sources():
        assert all(text == text.strip() != "" for text in asdict(source).values())
        assert found
        for figure in found:
            assert figure.source == source.name
            assert figure.verdict in VERDICTS
            assert figure.place
            assert figure.printed
            assert figure.explanation or figure.verdict == HOLDS, figure.place
            assert bool(figure.against) == (figure.verdict == INCONSISTENT), figure.place
            assert "{" not in describe(figure.params)
    assert {figure.quantity for _, found in sources() for figure in found} == set(QUANTITIES)


def test_no_figure_is_there_twice() -> None:
    seen = Counter(
        (f.source, f.place, f.quantity, repr(sorted(f.params.items())), f.printed)
        for _, found in sources()
        for f in found
    )
    assert not [key for key, times in seen.items() if times > 1]


ROOT = Path(urcx.__file__).parent.parent
BIBTEX = shutil.which("bibtex")
TEXT = ROOT.joinpath("urcx/published/data/references.bib").read_text(encoding="utf-8")


def test_every_entry_is_read_whole_and_is_bibtex() -> None:
    bibliography = references()
    assert list(bibliography) == re.findall(r"^@\w+\{(.*),$", TEXT, re.MULTILINE)
    assert (
        "\n\n".join(one.bibtex.rstrip() for one in bibliography.values())
        == TEXT.partition("\n\n")[2][:-1]
    )
    for one in bibliography.values():
        lines = one.bibtex.rstrip().split("\n")[1:-1]
        assert len(one.fields) == len(lines), f"{one.key}: a field is no line, or comes twice"
        assert all(line.count("{") == line.count("}") for line in lines)
        words = {**one.fields, "url": "", "doi": ""}.values()
        assert not any(re.search(r"(?<!\\)[_%&#$]", text) for text in words), "no text of TeX's"
        assert "title" in one.fields
        wanted = {
            "article": {"author", "journal", "volume", "pages", "year", "doi"},
            "phdthesis": {"author", "school", "year"},
            "book": {"author", "publisher", "year"},
            "incollection": {"author", "booktitle", "publisher", "pages", "year"},
            "inproceedings": {"author", "booktitle", "year"},
        }
        assert wanted.get(one.kind, set()) <= set(one.fields), one.key


def test_names_come_with_initials_first_and_signs_of_latex_are_left_out() -> None:
    bibliography = references()
    assert bibliography["vandenherik2002"].text == (
        "H. J. van den Herik, J. W. H. M. Uiterwijk and J. van Rijswijck, Games solved: Now and in "
        "the future, 2002, Artificial Intelligence 134 (1-2), pages 277\u2013311, "
        "https://doi.org/10.1016/S0004-3702(01)00152-7"
    )
    assert bibliography["olieslagers"].title == "game_of_ur"
    assert bibliography["allis1994"].text.startswith(
        "L. V. Allis, Searching for Solutions in Games"
    )


def test_what_moved_and_preprints_are_named_beside_their_links() -> None:
    bibliography = references()
    assert bibliography["royalur"].text.endswith(
        "https://royalur.net/blog/review_2024, RoyalUr has been RosetteGames since July 2026"
    )
    assert bibliography["chatterjee2025"].text.endswith("978-3-031-90653-4_7, arXiv:2501.11467")
    moved = re.compile(r"royalur\.net")
    assert [
        key for key, one in bibliography.items() if moved.search(one.fields.get("url", ""))
    ] == [key for key, one in bibliography.items() if "RosetteGames" in one.bibtex]
    entries = ROOT.joinpath("CITATION.cff").read_text(encoding="utf-8").split("\n  - type: ")
    assert sum("royalur.net" in entry for entry in entries) == 1
    assert all("RosetteGames" in entry for entry in entries if moved.search(entry))


def test_sources_are_in_it_by_name_and_have_their_titles_from_it() -> None:
    assert set(FILES) <= set(references())
    titles = {source.name: source.title for source, _ in sources()}
    assert titles["michon"] == "G. P. Michon, Analyzing the Royal Game of Ur, 2018"
    assert titles["post"] == (
        "Royal Game of Ur (Background), a post of 2021 with an update of 2021-12-17"
    )
    assert titles["heled"].endswith("pages of the program royalur, read on 2026-11-22")


def test_urcx_is_in_it_as_in_its_own_citation() -> None:
    own = references()["urcx"]
    text = ROOT.joinpath("CITATION.cff").read_text(encoding="utf-8")
    assert own.fields["version"] == urcx.__version__
    assert f'version: "{own.fields["version"]}"' in text
    assert f"title: {own.title}" in text
    assert "The urcx authors" in own.author or "The urcx authors" not in text
    assert own.fields["author"].partition(",")[0].strip("{}") in text
    assert f'date-released: "{own.fields["year"]}-' in text
    assert all(references()[key].fields.get("url", "") in text for key in FILES)


def test_conventions_and_forms_can_be_cited() -> None:
    assert {*FORMS, *(one.name for one in CONVENTIONS)} <= set(keys())
    assert all(set(found) <= set(references()) and found for found in keys().values())
    assert [one.key for one in cited(["allis"])] == ["allis1994", "vandenherik2002"]
    assert [one.key for one in cited(["ludii"])] == ["ludii", "piette2020", "piette2021"]
    assert [one.key for one in cited(["reader", "binomial"])] == ["post"]
    assert len(cited()) == len(references())
    with pytest.raises(UnknownNameError, match=r"'alis'.*allis"):
        cited(["alis"])


def test_pages_cite_every_entry_and_nothing_else() -> None:
    texts = [page.read_text(encoding="utf-8") for page in consoles.pages()]
    texts.append(pages.conventions_table())
    used = set(re.findall(r"\[([a-z][a-z0-9-]*)\]_", "\n".join(texts)))
    page = pages.bibliography_page()
    listed = re.findall(r"^\.\. \[(.*?)\] ", page, re.MULTILINE)
    assert used == set(listed) == set(references())
    assert "``allis``\n    :math:`b^m`: " in texts[-1]
    assert "[allis1994]_ [vandenherik2002]_" in texts[-1]
    assert ".. [allis1994] L. V. Allis, *Searching for Solutions" in page


@pytest.mark.skipif(not BIBTEX, reason="needs TeX")
def test_bibtex_takes_it(tmp_path: Path) -> None:
    tmp_path.joinpath("all.bib").write_text(TEXT, encoding="utf-8")
    tmp_path.joinpath("all.aux").write_text(
        "\\citation{*}\n\\bibstyle{plain}\n\\bibdata{all}\n", encoding="utf-8"
    )
    done = subprocess.run(
        [str(BIBTEX), "all"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "error" not in done.stdout.lower()

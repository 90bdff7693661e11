"""The bibliography, and what is cited of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import consoles
import pages
import pytest

import urcx
from urcx.complexity.forms import FORMS
from urcx.complexity.game_tree import CONVENTIONS
from urcx.errors import UnknownNameError
from urcx.published.figures import FILES, cited, keys, references, sources

ROOT = Path(urcx.__file__).parent.parent
BIBTEX = shutil.which("bibtex")
TEXT = ROOT.joinpath("urcx/published/data/references.bib").read_text(encoding="utf-8")


def test_every_entry_is_read_whole_and_is_bibtex() -> None:
    found = references()
    assert list(found) == re.findall(r"^@\w+\{(.*),$", TEXT, re.MULTILINE)
    assert (
        "\n\n".join(one.bibtex.rstrip() for one in found.values()) == TEXT.partition("\n\n")[2][:-1]
    )
    for one in found.values():
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
    found = references()
    assert found["vandenherik2002"].text == (
        "H. J. van den Herik, J. W. H. M. Uiterwijk and J. van Rijswijck, Games solved: Now and in "
        "the future, 2002, Artificial Intelligence 134 (1-2), pages 277\u2013311, "
        "https://doi.org/10.1016/S0004-3702(01)00152-7"
    )
    assert found["olieslagers"].title == "game_of_ur"
    assert found["allis1994"].text.startswith("L. V. Allis, Searching for Solutions in Games")


def test_what_moved_and_preprints_are_named_beside_their_links() -> None:
    found = references()
    assert found["royalur"].text.endswith(
        "https://royalur.net/blog/review_2024, RoyalUr has been RosetteGames since July 2026"
    )
    assert found["chatterjee2025"].text.endswith("978-3-031-90653-4_7, arXiv:2501.11467")
    moved = re.compile(r"royalur\.net")
    assert [key for key, one in found.items() if moved.search(one.fields.get("url", ""))] == [
        key for key, one in found.items() if "RosetteGames" in one.bibtex
    ]
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

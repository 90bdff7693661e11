"""What a release is made of: the same wheel from the same commit, and one version everywhere."""

import contextlib
import datetime as dt
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import oeis
import pytest
import release
import sympy as sp

import urcx
from urcx.complexity import tiles
from urcx.rules import catalogue

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Names in conda-forge that differ.
IN_CONDA = {"matplotlib": "matplotlib-base", "xxhash": "python-xxhash"}
WRITTEN = (*dict(release.VERSIONS), "CHANGELOG.md", "pyproject.toml", "docs/paper/paper.md")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for file in WRITTEN:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def version_in(root: Path, file: str, before: str) -> str:
    text = (root / file).read_text(encoding="utf-8")
    found = re.search(f"{before}({release.VERSION})", text, re.MULTILINE)
    assert found
    return found[1]


def test_all_files_have_the_version_of_the_package() -> None:
    found = {file: version_in(ROOT, file, before) for file, before in release.VERSIONS}
    assert set(found.values()) == {urcx.__version__}, found


def test_a_release_writes_version_date_and_changelog(copied: Path) -> None:
    release.release(copied, "7.8.9", dt.date(2030, 1, 2))
    for file, before in release.VERSIONS:
        assert version_in(copied, file, before) == "7.8.9"
    changes = (copied / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "\n## Unreleased\n\n## 7.8.9 (2030-01-02)\n" in changes
    assert 'date-released: "2030-01-02"' in (copied / "CITATION.cff").read_text(encoding="utf-8")
    assert json.loads((copied / "codemeta.json").read_text())["dateModified"] == "2030-01-02"
    cited = (copied / "urcx/published/data/references.bib").read_text(encoding="utf-8")
    assert "  title = {urcx},\n  year = {2030},\n  version = {7.8.9},\n" in cited
    with pytest.raises(SystemExit, match="the next version"):
        release.release(copied, "7.8.9", dt.date(2030, 1, 2))
    with pytest.raises(SystemExit, match="a version such as"):
        release.release(copied, "7.8", dt.date(2030, 1, 2))


def test_an_address_is_written_once_and_readme_leads_there(copied: Path) -> None:
    release.publish(copied, "https://elsewhere.example/some/urcx")
    release.publish(copied, "https://host.example/some/urcx")
    assert not any(
        "elsewhere.example" in (copied / file).read_text(encoding="utf-8") for file in WRITTEN
    )
    assert "\n  repository: https://host.example/some/urcx\n" in (
        copied / "packaging/recipe.yaml"
    ).read_text(encoding="utf-8")
    written = tomllib.loads((copied / "pyproject.toml").read_text(encoding="utf-8"))
    assert written["project"]["urls"]["Issues"] == "https://host.example/some/urcx/issues"
    assert json.loads((copied / "codemeta.json").read_text())["codeRepository"].endswith("urcx")
    rules = written["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    text = "![a](docs/a.svg) [b](docs/b.rst) [c](https://c.example) [d](#d)"
    for rule in rules:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    assert text == (
        "![a](https://host.example/some/urcx/raw/v$HFPR_VERSION/docs/a.svg) "
        "[b](https://host.example/some/urcx/blob/v$HFPR_VERSION/docs/b.rst) "
        "[c](https://c.example) [d](#d)"
    )
    with pytest.raises(SystemExit, match="an address such as"):
        release.publish(copied, "urcx.example")


def test_authors_are_named_wherever_a_citation_comes_from(copied: Path) -> None:
    orcid = "0000-0002-1825-0097"
    release.name_authors(copied, [("Someone Else", "0000-0000-0000-000X")])
    release.name_authors(copied, [("Ada King Lovelace", orcid), ("Josiah Carberry", orcid)])
    assert not any("Else" in (copied / file).read_text(encoding="utf-8") for file in WRITTEN)
    cited = (copied / "urcx/published/data/references.bib").read_text(encoding="utf-8")
    assert "@misc{urcx,\n  author = {Lovelace, Ada King and Carberry, Josiah},\n" in cited
    authors = json.loads((copied / "codemeta.json").read_text())["author"]
    assert [one["familyName"] for one in authors] == ["Lovelace", "Carberry"]
    for file in ("CITATION.cff", "docs/paper/paper.md"):
        text = (copied / file).read_text(encoding="utf-8")
        assert "Carberry" in text
        assert text.count(orcid) == 2
        assert "The urcx authors" not in text
    with pytest.raises(SystemExit, match="an ORCID such as"):
        release.name_authors(copied, [("Ada Lovelace", "0000")])
    with pytest.raises(SystemExit, match="a name such as"):
        release.name_authors(copied, [("Ada", orcid)])


def test_the_recipe_needs_what_the_package_needs(copied: Path) -> None:
    text = (ROOT / "packaging/recipe.yaml").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?m)^    - ([\w-]+ [<>=\d.,]+)$", text.partition("  run:")[2]))
    needed = [re.fullmatch(r"([\w-]+)(.*)", one) for one in PROJECT["dependencies"]]
    assert listed == {f"{IN_CONDA.get(one[1], one[1])} {one[2]}" for one in needed if one}
    archive = copied / "some.tar.gz"
    archive.write_bytes(b"some")
    release.hashed(copied, archive)
    digest = hashlib.sha256(b"some").hexdigest()
    assert f"sha256: {digest}\n" in (copied / "packaging/recipe.yaml").read_text(encoding="utf-8")


def test_the_wheel_is_the_same_each_time_and_says_what_it_needs(tmp_path: Path) -> None:
    wheels: list[Path] = []
    for name in ("once", "again"):
        build = [
            sys.executable,
            "-P",
            "-m",
            "hatchling",
            "build",
            "-t",
            "wheel",
            "-d",
            str(tmp_path / name),
        ]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        wheels.extend((tmp_path / name).glob("*.whl"))
    first, second = wheels
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as packed:
        (bill,) = (name for name in packed.namelist() if "/sboms/" in name)
        listed = json.loads(packed.read(bill))
    assert listed["metadata"]["component"]["version"] == urcx.__version__
    requirements = {one["properties"][0]["value"] for one in listed["components"]}
    assert len(requirements) == len(PROJECT["dependencies"])
    names = {one["name"] for one in listed["components"]}
    assert names == {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}  # type: ignore[index]


@pytest.fixture(scope="module")
def drafts() -> dict[str, str]:
    return oeis.drafts()


def test_drafts_for_the_oeis_are_those_that_are_kept(drafts: dict[str, str]) -> None:
    place = ROOT / "docs/outreach/oeis"
    kept = {file.stem: file.read_text(encoding="utf-8") for file in place.glob("*.txt")}
    assert drafts == kept
    for text in kept.values():
        first, second = text.splitlines()[1].removeprefix("%S ").split(", ")[:2]
        assert (first, len(text.splitlines()[1]) <= oeis.SHOWN + 3) == ("1", True)
        assert int(second) > 200


def test_formulas_of_the_drafts_give_the_numbers(drafts: dict[str, str]) -> None:
    n, x, y = sp.symbols("n x y")
    for name, text in drafts.items():
        path = catalogue.path(name)
        terms = [tiles.diagrams(path, pieces) for pieces in range(oeis.TERMS)]

        def written(pattern: str, text: str = text) -> list[Any]:
            found = re.search(rf"(?m)^%F {pattern}\.$", text)
            assert found, pattern
            return [sp.sympify(part.replace("^", "**")) for part in found.groups()]

        (coefficient,) = written(r"a\(n\) is the coefficient of x\^n\*y\^n in (.*)")
        assert coefficient.diff(x, y).subs({x: 0, y: 0}) == terms[1]
        # Times (1 - x)^3, the terms are those of the numerator, and no others.
        (function,) = written(r"G\.f\.: (.*)")
        above, below = sp.fraction(function)
        assert sp.expand(below - (1 - x) ** 3) == 0
        padded = [0, 0, 0, *terms]
        third = [
            padded[k + 3] - 3 * padded[k + 2] + 3 * padded[k + 1] - padded[k]
            for k in range(oeis.TERMS)
        ]
        assert sp.Poly(above, x) == sp.Poly.from_list(third[::-1], x)
        (last,) = written(r"a\(n\) = 3\*a\(n-1\) - 3\*a\(n-2\) \+ a\(n-3\) for n > (\d+)")
        assert third[last] != 0 == any(third[last + 1 :])
        polynomial, last = written(r"a\(n\) = ([^a]*) for n > (\d+)")
        differ = [polynomial.subs(n, k) != term for k, term in enumerate(terms)]
        assert differ[last]
        assert not any(differ[last + 1 :])


def test_drafts_have_links_and_no_names_of_paths_but_in_programs(drafts: dict[str, str]) -> None:
    for text in drafts.values():
        links = re.findall(r'(?m)^%H [^<]+, <a href="(https?://[^"]+)">[^<]+</a>, .*\d{4}\.$', text)
        assert len(links) == len(re.findall("(?m)^%H", text)) == len(oeis.PAGES)
        assert re.search(r"(?m)^%D .+, in: .+, \d{4}, pp\. \d+-\d+\.$", text)
        spoken = " ".join(line for line in text.splitlines() if not line.startswith("%o"))
        names = [name for name in urcx.path_names() if re.search(rf"\b{name}\b", spoken)]
        assert names == []
        (program,) = re.findall(r"(?m)^%o \(Python\) (.*)$", text)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(program, {})  # noqa: S102 - our own line
        assert output.getvalue().strip("[]\n") == text.splitlines()[1].removeprefix("%S ")

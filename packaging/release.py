"""Prepares a release: writes version, date and public address into all files that have them.

    python packaging/release.py 0.2.0                     a version, dated today
    python packaging/release.py --url https://HOST/OWNER/urcx    the address of the repository
    python packaging/release.py --author "GIVEN FAMILY" ORCID    an author; again for each
    python packaging/release.py --sdist dist/urcx-0.2.0.tar.gz   its hash, for conda-forge

Look at the changes with git diff, and commit them (docs/releasing.rst).
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = r"\d+\.\d+\.\d+(?:rc\d+)?"
# The places of the version and of its date: a file, and the text before it.
VERSIONS = (
    ("urcx/__init__.py", r'^__version__ = "'),
    ("CITATION.cff", r'^version: "'),
    ("codemeta.json", r'"version": "'),
    ("packaging/recipe.yaml", r'^  version: "'),
    ("urcx/published/data/references.bib", r"^  version = \{"),
)
DATES = (("CITATION.cff", r'^date-released: "'), ("codemeta.json", r'"dateModified": "'))


def put(root: Path, file: str, before: str, pattern: str, text: str) -> None:
    """Replace the only place of a file that has ``pattern`` after ``before``."""
    place = root / file
    old = place.read_text(encoding="utf-8")
    new, times = re.subn(
        f"({before}){pattern}", lambda found: f"{found[1]}{text}", old, flags=re.MULTILINE
    )
    if times != 1:
        raise SystemExit(f"{file}: {times} places for {text.strip()}, must be 1")
    place.write_text(new, encoding="utf-8", newline="\n")


def release(root: Path, version: str, today: dt.date) -> None:
    """Write a version and its date, also above the unreleased entries of the changelog."""
    if not re.fullmatch(VERSION, version):
        raise SystemExit(f"{version} is not a version such as 0.2.0 or 0.2.0rc1")
    if f"\n## {version} (" in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise SystemExit(f"{version} is in CHANGELOG.md already: use the next version")
    put(root, "CHANGELOG.md", r"^## ", "Unreleased$", f"Unreleased\n\n## {version} ({today})")
    for file, before in VERSIONS:
        put(root, file, before, VERSION, version)
    for file, before in DATES:
        put(root, file, before, r"\d{4}-\d\d-\d\d", str(today))
    own_year = r"^@misc\{urcx,\n(?:  .*\n)*?  year = \{"
    put(root, "urcx/published/data/references.bib", own_year, r"\d{4}", str(today.year))


def publish(root: Path, url: str) -> None:
    """Write the public address of the repository, or replace it."""
    if not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]+", url):
        raise SystemExit(f"{url} is not an address such as https://HOST/OWNER/urcx")
    urls = f"""[project.urls]
Repository = "{url}"
Issues = "{url}/issues"
Changelog = "{url}/blob/main/CHANGELOG.md"

"""
    earlier = r"(?:\[project\.urls\]\n(?:.+\n)+\n)?(?=\[project\.scripts\])"
    put(root, "pyproject.toml", r'"urcx\[dev\]"\]\n\n', earlier, urls)
    for file, before, line in (
        ("CITATION.cff", "^license: MIT\n", f'repository-code: "{url}"\n'),
        ("codemeta.json", r'"version": "[^"]*",\n', f'  "codeRepository": "{url}",\n'),
        ("packaging/recipe.yaml", r"^  license_file: LICENSE\n", f"  repository: {url}\n"),
    ):
        put(root, file, before, rf"(?:{re.escape(line.partition(':')[0])}: .*\n)?", line)
    # A package index then shows README with pictures and links to files of the version's tag.
    for kind, old, found in (
        ("raw", r"!\[[^\]]*\]\((?!https://)[^)]*\)\n+", r"(!\[[^\]]*\])\((?!https://)([^)]*)\)"),
        ("blob", r"\[([^\]]*)\]\((?!https://|#)[^)]*\)", r"(\[[^\]]*\])\((?!https://|#)([^)]*)\)"),
    ):
        new = f"'{found}'\nreplacement = '\\1({url}/{kind}/v$HFPR_VERSION/\\2)'"
        either = f"(?:{re.escape(old)}|{re.escape(found)})"
        put(root, "pyproject.toml", "pattern = ", rf"'{either}'\nreplacement = .*", new)


def name_authors(root: Path, authors: list[tuple[str, str]]) -> None:
    """Replace "The urcx authors" by the authors, each with name and ORCID."""
    for author, orcid in authors:
        if not re.fullmatch(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", orcid):
            raise SystemExit(f"{orcid} is not an ORCID such as 0000-0002-1825-0097")
        if " " not in author or not re.fullmatch(r"[^\"{}\\]+", author):
            raise SystemExit(
                f"{author} is not a name such as Ada Lovelace: given names, family name"
            )
    names = [author.rpartition(" ")[::2] for author, _ in authors]
    cited = " and ".join(f"{family}, {given}" for given, family in names)
    put(
        root,
        "urcx/published/data/references.bib",
        r"^@misc\{urcx,\n  author = \{",
        ".*(?=\\},$)",
        cited,
    )
    put(root, "CITATION.cff", "^authors:\n", r"(?:  .*\n)+", "".join(
        f'  - family-names: "{family}"\n    given-names: "{given}"\n'
        f'    orcid: "https://orcid.org/{orcid}"\n'
        for (given, family), (_, orcid) in zip(names, authors, strict=True)
    ))  # fmt: skip
    put(root, "codemeta.json", r'^  "author": ', r"\[.*\](?=,$)", json.dumps([
        {"@type": "Person", "@id": f"https://orcid.org/{orcid}", "name": author,
         "givenName": given, "familyName": family}
        for (given, family), (author, orcid) in zip(names, authors, strict=True)
    ], ensure_ascii=False))  # fmt: skip
    put(root, "docs/paper/paper.md", "^authors:\n", r"(?:  .*\n)+", "".join(
        f'  - name: "{author}"\n    orcid: {orcid}\n    affiliation: 1\n'
        for author, orcid in authors
    ))  # fmt: skip


def hashed(root: Path, sdist: Path) -> None:
    """Write the hash of the source distribution into the recipe for conda-forge."""
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    put(root, "packaging/recipe.yaml", "sha256: ", "[0-9a-f]{64}", digest)


def main(arguments: list[str]) -> None:
    """Run the command line above."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("version", nargs="?")
    parser.add_argument("--url")
    parser.add_argument("--author", nargs=2, action="append", metavar=("NAME", "ORCID"))
    parser.add_argument("--sdist", type=Path)
    options = parser.parse_args(arguments)
    if options.version:
        release(ROOT, options.version, dt.datetime.now(tz=dt.UTC).date())
    if options.url:
        publish(ROOT, options.url)
    if options.author:
        name_authors(ROOT, options.author)
    if options.sdist:
        hashed(ROOT, options.sdist)


if __name__ == "__main__":
    main(sys.argv[1:])

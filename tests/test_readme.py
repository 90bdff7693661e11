"""README has what a reader begins with; what its console and Python print: ``test_docs.py``."""

from __future__ import annotations

import re
import tomllib

from consoles import README, commands


def test_it_has_the_two_commands_that_install_it_a_tour_and_figures() -> None:
    text = README.read_text(encoding="utf-8")
    typed = [line for line in text.splitlines() if line.startswith("    python3 -m venv .venv && ")]
    assert [line.rpartition(" && .venv/bin/")[2] for line in typed] == [
        "urcx ssc --path bell -p 1..15",
        "pytest -n auto",
    ]
    assert [re.findall(r"pip install (\S+)", line) for line in typed] == [["."], ["-e"]]
    shown = "\n".join(command for command, output in commands(README) if output.strip())
    assert {"urcx ssc", "urcx gtc", "urcx probe"} <= set(re.findall(r"urcx \w+", shown))
    pictures = re.findall(r"!\[[^\]]+\]\((.+)\)", text)
    assert "docs/board.svg" in pictures
    assert all(README.parent.joinpath(picture).is_file() for picture in pictures)


def test_what_it_leads_to_exists() -> None:
    links = re.findall(r"\]\(([^)]*)\)", README.read_text(encoding="utf-8"))
    assert len(links) > 10
    assert [link for link in links if not README.parent.joinpath(link).is_file()] == []


def test_what_a_package_index_shows_has_nothing_that_leads_into_the_repository() -> None:
    # An index shows the text alone: a picture or a file beside it is not there.
    text = README.read_text(encoding="utf-8")
    assert "](docs/board.svg)" in text
    project = tomllib.loads(README.with_name("pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    assert [part["path"] for part in hook["fragments"]] == [README.name]
    shown = text
    for change in hook["substitutions"]:
        shown = re.sub(change["pattern"], change["replacement"], shown)
    links = re.findall(r"\]\(([^)]*)\)", shown)
    assert [link for link in links if not link.startswith("https://")] == []
    assert "[The tour]" not in shown
    assert len(text) - len(shown) < 800  # nothing else is gone

"""The documentation says what is so: its commands and sessions, its generated pages, its lists."""

from __future__ import annotations

import csv
import doctest
import os
import re
import runpy
import tomllib
from pathlib import Path

import consoles
import figures
import matplotlib as mpl
import pages
import pytest
import transcripts
from explorer_pictures import SHOWN, THEMES

import urcx
from urcx.published.figures import HOLDS, VERDICTS, sources

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
WRITTEN = consoles.pages()
CONSOLES = [(page, *found) for page in WRITTEN for found in consoles.commands(page)]
SESSIONS = [page for page in WRITTEN if ">>>" in page.read_text(encoding="utf-8")]
# The tour plays a shorter match and judges one source; all are judged in tests/published.
# The second one fills a table of 552 MB.
LONG = ("urcx match random greedy expectimax:3", "urcx gtc", "urcx verify --summary")


@pytest.mark.jit
@pytest.mark.parametrize(
    ("page", "command", "output"),
    [
        pytest.param(*found, marks=[pytest.mark.slow] if found[1].startswith(LONG) else [])
        for found in CONSOLES
    ],
    ids=[f"{page.stem}: {command[:40]}" for page, command, _ in CONSOLES],
)
def test_commands_print_what_the_pages_say(page: Path, command: str, output: str) -> None:
    if os.name != "posix" and re.search(r"[|>]|/tmp/", command):
        pytest.skip("needs POSIX: a shell's pipes, and /tmp")
    found = consoles.shown(command, page)
    renew = f"python docs/transcripts.py {consoles.name(page)}"
    assert consoles.agrees(output, found), f"stale; to renew it: {renew}"


def test_the_table_of_verdicts_is_what_is_recorded() -> None:
    (output,) = (found for _, command, found in CONSOLES if command == "urcx verify --summary")
    for source, found in sources():
        judged = [figure.verdict for figure in found]
        # The last column, claims that are none, does not fit into 80 columns.
        row = [source.name, str(len(found)), *(str(judged.count(name)) for name in VERDICTS[:-1])]
        assert row in [line.split() for line in output.splitlines()]


def test_only_what_has_changed_is_written_anew(tmp_path: Path) -> None:
    shown = "   $ urcx a\n   1.5 M  done\n\n   $ urcx b\n   old\n"
    text = f"Text\n\n.. code-block:: console\n\n{shown}\nMore\n"
    page = tmp_path / "page.rst"
    page.write_text(text, encoding="utf-8")
    now = {"urcx a": "2.5 M  done\n", "urcx b": "new\n\n  two  \n"}
    assert consoles.commands(page) == [("urcx a", "1.5 M  done\n\n"), ("urcx b", "old\n\n")]
    made = consoles.renewed(page, lambda command, _: now[command])
    assert made == text.replace("   old\n", "   new\n\n     two\n")
    page = tmp_path / "page.md"
    page.write_text("```console\n$ urcx b\nold\n```\n$ urcx a\n", encoding="utf-8")
    made = consoles.renewed(page, lambda command, _: now[command])
    assert made == "```console\n$ urcx b\nnew\n\n  two\n```\n$ urcx a\n"


def test_blocks_may_leave_lines_out() -> None:
    whole = "answer\n\n1\n2\n3\n* note\n"
    for output in (whole, "answer\n\n1\n...\n", "...\n3\n* note\n", "answer\n...\n2\n...\n"):
        assert consoles.agrees(output, whole)
    for output in ("answer\n\n1\n", "...\n3\n", "2\n...\n1\n...\n", "answer 1\n...\n"):
        assert not consoles.agrees(output, whole)


def test_blocks_that_leave_lines_out_are_written_with_as_many_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ urcx a \\\n    b\n1\n...\n8\n9\n```\n", encoding="utf-8")
    ((command, output),) = consoles.commands(page)
    assert (command, output) == ("urcx a \\\n    b", "1\n...\n8\n9\n")
    made = consoles.renewed(page, lambda *_: "a\nb\nc\nd\ne\n")
    assert made == "```console\n$ urcx a \\\n    b\na\n...\nd\ne\n```\n"


def test_console_blocks_fit_a_terminal() -> None:
    assert consoles.COLUMNS == 80
    shown = [(page.name, command, output) for page, command, output in CONSOLES]
    for name in pages.commands():
        # Forms for programs are not broken into lines.
        kept = dict(transcripts.kept(name))
        shown += [(name, one, kept[one]) for one in kept if "--csv" not in one]
    wide = [
        (name, line)
        for name, command, output in shown
        for line in f"$ {command}\n{output}".splitlines()
        if len(line) > consoles.COLUMNS
    ]
    assert wide == []


def test_commands_of_console_blocks_are_what_a_reader_types() -> None:
    # Lines that are left out are marked in the block, and need no other program.
    cutting = re.compile(r"\|\s*(?:sed|cut|head|tail|awk|grep|tr)\b")
    assert [command for _, command, _ in CONSOLES if cutting.search(command)] == []


def test_what_is_neither_a_command_nor_a_page_is_not_renewed() -> None:
    with pytest.raises(ValueError, match=r"pages: tours\.rst$"):
        transcripts.renew(["tours.rst"])


@pytest.mark.jit
@pytest.mark.parametrize("file", SESSIONS, ids=lambda file: file.stem)
def test_python_sessions(file: Path) -> None:
    failures, tried = doctest.testfile(str(file), module_relative=False)
    assert tried >= 2
    assert failures == 0


def test_there_are_commands_and_sessions_to_check() -> None:
    assert len(CONSOLES) > 20
    assert {"README", "tour", "counting"} <= {file.stem for file in SESSIONS}
    assert all(any(found[1].startswith(long) for found in CONSOLES) for long in LONG)


@pytest.mark.parametrize("name", pages.commands())
def test_each_command_has_a_page_that_says_all_its_help_does(name: str) -> None:
    made = pages.command_pages()
    command, context = pages.commands()[name]
    assert f":doc:`urcx {name} <{name}>`" in made["index"]
    said, written = (
        set(re.findall("[A-Za-z0-9]+", text)) for text in (command.get_help(context), made[name])
    )
    assert {"Usage", name, "help"} <= said
    assert said - written == {"Usage"}


def test_the_page_of_questions_has_every_command() -> None:
    text = (DOCS / "commands.rst").read_text(encoding="utf-8")
    tables = text[: text.index("What all commands share")]
    named = re.findall(r"<generated/commands/(\w+)>", tables)
    assert sorted(named) == sorted(pages.commands())
    examples = re.findall(r"     - ``urcx (\w+)", tables)
    assert examples == named
    assert [name for name in re.findall(r"`(urcx\.[\w.]+)`", tables) if not _exists(name)] == []


def test_every_example_in_the_help_is_kept() -> None:
    known = pages.commands()
    for name, (command, _) in known.items():
        assert transcripts.examples(command) == [one for one, _ in transcripts.kept(name)], name
    assert {file.stem for file in transcripts.KEPT.glob("*.txt")} < set(known)


def test_pages_of_commands_show_what_examples_print() -> None:
    made = pages.command_pages()
    assert "12,14/1,2,4,8,9,14/3-0/L" not in made["show"]
    place = "A3/C2,B2/5-5/L"
    assert (
        f"   $ urcx show {place}\n   finkel, 7 pieces per side, {place}: light to move"
        in made["show"]
    )
    assert "   urcx probe finkel.urcx" in made["probe"]
    assert "   $ urcx probe finkel2.urcx" in made["probe"]


def test_mathematics_is_in_short_paragraphs_with_a_summary_and_an_example() -> None:
    files = [file for file in DOCS.glob("mathematics/*.rst") if file.stem != "index"]
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "**In short.**" in text, file.name
        assert re.search(r"code-block:: console|\*Example|by hand", text), file.name
        plain = re.sub(r":math:`[^`]*`", "x", text)
        for part in re.split(r"\n\s*\n", plain):
            if not re.match(r"\s|\.\. |\* - ", part):  # no table, figure or formula
                assert len(part.split()) <= 90, f"{file.name}: {part[:60]}"


def test_picture_of_the_board_is_current() -> None:
    kept = DOCS.joinpath("board.svg").read_text(encoding="utf-8")
    assert kept == figures.board_file(), "stale; to renew it: python docs/figures.py"


def test_a_figure_of_the_gallery_is_drawn_by_its_command() -> None:
    drawn = figures.plotted("urcx dice --plot dice.svg")
    assert b"<svg" in drawn
    with pytest.raises(ValueError, match=r"(?i)no such option: --nothing"):
        figures.plotted("urcx dice --nothing --plot dice.svg")


def test_figures_have_colours_on_light_and_dark_pages() -> None:
    light, dark = figures.variables()
    assert (
        set(light) == set(dark) == {"ink", "card", "grid", "pixels", *(f"c{k}" for k in range(8))}
    )
    assert light["c0"] != dark["c0"]


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG, from 1 to 21."""
    lights = []
    for colour in (one, other):
        parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_pages_have_the_colours_of_the_explorer_and_can_be_read() -> None:
    style = ROOT.joinpath("urcx/explore/static/style.css").read_text(encoding="utf-8")
    light, dark = figures.page_colours()
    assert light["color-background-primary"] != dark["color-background-primary"]
    for colours in (light, dark):
        assert all(colour in style for colour in colours.values())
        grounds = [colours[f"color-{name}"] for name in ("background-primary", "code-background")]
        inks = [colours[name] for name in colours if "foreground-" in name or "brand-" in name]
        assert min(_contrast(ink, ground) for ink in inks for ground in grounds) > 4.5


def test_each_picture_of_the_explorer_has_a_variant_for_dark_pages() -> None:
    names = {f"{name}{suffix}.png" for name in SHOWN for suffix in THEMES.values()}
    assert {file.name for file in DOCS.glob("explore/*.png")} == names
    assert len(names) == 2 * len(SHOWN)


@pytest.mark.jit
def test_errata_have_every_figure_that_does_not_hold() -> None:
    text = pages.errata_page()
    rows = len(re.findall(r"^   \* - ", text, flags=re.MULTILINE))
    listed = [[f for f in figures if f.verdict != HOLDS] for _, figures in sources()]
    assert rows == sum(len(figures) + 1 for figures in listed if figures)
    assert "137,913,936" in text


def test_every_public_name_is_in_the_reference() -> None:
    files = [file.read_text(encoding="utf-8") for file in DOCS.glob("api/*.rst")]
    text = "\n".join([*files, pages.further_names()])
    entries = set(
        re.findall(r"auto(?:function|class):: (?:urcx|urcx\.errors)\.(\w+)$", text, re.MULTILINE)
    )
    assert set(urcx.PUBLIC) - entries == {"UrcxError"}
    assert "automodule:: urcx.errors" in text


def test_what_pages_include_is_no_page_of_its_own() -> None:
    texts = [file.read_text(encoding="utf-8") for file in DOCS.rglob("*.rst")]
    included = set(
        re.findall(r"^\.\. include:: \S*(generated/\S+)", "\n".join(texts), re.MULTILINE)
    )
    assert included
    conf = DOCS.joinpath("conf.py").read_text(encoding="utf-8")
    assert [name for name in sorted(included) if f'"{name}"' not in conf] == []


def test_every_schema_is_listed_and_of_one_place() -> None:
    known: dict[str, set[Path]] = {}
    for file in ROOT.glob("urcx/**/*.py"):
        for name in re.findall(r'"(urcx\.[a-z-]+/\d)"', file.read_text(encoding="utf-8")):
            known.setdefault(name, set()).add(file.parent)
    assert [name for name, places in known.items() if len(places) > 1] == []
    text = DOCS.joinpath("formats.rst").read_text(encoding="utf-8")
    explained = set(re.findall(r"``(urcx\.[a-z-]+/\d)``", text))
    assert explained <= set(known) <= explained | {kind.schema for kind in pages.schemas()}


def test_citation_has_the_version_and_the_sources() -> None:
    text = ROOT.joinpath("CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f'version: "{urcx.__version__}"' in text
    assert f"license: {project['license']}" in text
    for source, _ in sources():
        words = re.findall(r"[A-Z][a-z]{3,}", source.title)
        assert all(word in text for word in words), source.title


def test_the_kept_curve_is_drawn_with_every_player_that_runs_found() -> None:
    runs = figures.kept_runs()
    assert all(run["command"].startswith("urcx bits ") and run["commit"] for run in runs)
    assert all(run["result"]["schema"] == "urcx.bits/1" for run in runs)
    found = figures.kept_curve()
    players = {(row["kind"], row["player"]) for run in runs for row in run["result"]["rows"]}
    assert {(point.kind, point.name) for point in found.points} == players
    assert not any("/" in player for _, player in players)
    assert [point.bits for point in found.points] == sorted(point.bits for point in found.points)
    assert (found.rules.name, found.rules.pieces, found.states) == ("finkel", 7, 137_870_097)
    assert DOCS.joinpath("strategy.svg").read_bytes().startswith(b"<?xml")


def test_the_picture_of_the_rooms_is_what_import_contracts_hold() -> None:
    text = ROOT.joinpath("ARCHITECTURE.md").read_text(encoding="utf-8")
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    held = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert held[0] == "__main__"
    drawn = re.findall(r"^    (\w+(?: \| \w+)*)  +\S", text, flags=re.MULTILINE)
    assert drawn == held[1:]
    described = set(re.findall(r"^\*\*(\w+)\*\*|(?<=, )\*\*(\w+)\*\*", text, re.MULTILINE))
    rooms = {room for layer in held[2:] for room in layer.split(" | ")}
    assert rooms <= {name for pair in described for name in pair}


def test_what_the_package_and_the_reference_point_to_exists() -> None:
    found = {
        (str(file.relative_to(ROOT)), name)
        for file in ROOT.glob("urcx/**/*.py")
        for name in re.findall(r"(?<!`)`(urcx(?:\.\w+)+)`", file.read_text(encoding="utf-8"))
    }
    assert len(found) > 100
    found |= {
        (file.name, name)
        for file in DOCS.glob("api/*.rst")
        for name in re.findall(r":: (urcx\.[\w.]+)$", file.read_text("utf-8"), re.MULTILINE)
    }
    assert [one for one in sorted(found) if not _exists(one[1])] == []


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_contributors_are_led_to_exist(name: str) -> None:
    text = ROOT.joinpath(name).read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`]+)`", text))
    places = set(re.findall(r"(?:(?<=\s)|^)((?:urcx|tests|docs|benchmarks)/[\w./]+)", code))
    assert [place for place in sorted(places) if not ROOT.joinpath(place).exists()] == []
    for room, about in re.findall(r"^\*\*(\w+)\*\*(.*?)\n\n", text, re.MULTILINE | re.DOTALL):
        place = ROOT / "urcx" / room if ROOT.joinpath("urcx", room).is_dir() else ROOT / "urcx"
        there = [file.as_posix() for file in place.rglob("*.py")]
        named = re.findall(r"`((?:\w+/)?\w+\.py)`", about)
        assert [one for one in named if not any(file.endswith(f"/{one}") for file in there)] == []
    assert len(places) > 10 or name == "ARCHITECTURE.md"


def _exists(name: str) -> bool:
    """Return whether a dotted name is a module's, or is in the module that it begins with."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:k])
        for file in (place.with_suffix(".py"), place / "__init__.pyi", place / "__init__.py"):
            if file.is_file():
                text = file.read_text(encoding="utf-8")
                return all(re.search(rf"\b{part}\b", text) for part in parts[k : k + 1])
    return False


def test_each_format_of_other_programs_has_its_test() -> None:
    page = (DOCS / "formats.rst").read_text(encoding="utf-8")
    table = page[page.index(".. _foreign-formats:") : page.index("JSON and CSV\n---")]
    rows = table.split("   * - ")[2:]
    named = [re.search(r"``(tests/[a-z_/]+\.py)::(test_\w+)``", row) for row in rows]
    assert all(named)
    for row in named:
        assert row
        assert f"def {row[2]}(" in (ROOT / row[1]).read_text(encoding="utf-8"), row[0]
    for name in ("RGN", "JSON", ".rgu", "Ludii", "OpenSpiel", "PettingZoo", "Gymnasium", "lines"):
        assert any(name in row.partition("\n")[0] for row in rows), name


def test_times_on_the_page_are_those_of_the_history() -> None:
    with ROOT.joinpath("benchmarks/history.csv").open(encoding="utf-8", newline="") as file:
        history = list(csv.DictReader(file))
    fields = ("wall_s", "cpu_s", "memory_mb", "command", "revision")
    measured = [[row[field] for field in fields] for row in history]
    page = DOCS.joinpath("performance.rst").read_text(encoding="utf-8")
    _, *rows = page[: page.index("Single runs")].split("   * - ")[1:]
    assert len(rows) >= 12
    for row in rows:
        task, *times, other, command, revision = re.split(r"\n +- ?", row.strip())
        times = [time.replace(",", "") for time in times]
        assert [*times, command.strip("`"), revision.strip("`")] in measured, task
        for seconds in re.findall(r"([\d.,]+) s\b", other):
            assert seconds.replace(",", "") in {wall for wall, *_ in measured}, task


def test_the_chart_of_times_is_drawn_from_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = DOCS.joinpath("performance.svg").read_bytes()
    if f"Matplotlib v{mpl.__version__},".encode() not in kept:
        pytest.skip("another release of matplotlib draws the same numbers in other bytes")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    drawn = runpy.run_path(str(ROOT / "benchmarks" / "history.py"))["chart"]()
    assert drawn == kept, "stale; draw: python benchmarks/history.py --draw"

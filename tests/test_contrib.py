"""Each study can be deleted with its folder, and nothing else is noticed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import urcx
from urcx import contrib
from urcx.agents.kinds import FILE_PLAYERS
from urcx.commands import table
from urcx.errors import UnusableFileError

STUDIES = sorted(contrib.studies())
DOCS = Path(__file__).parent.parent / "docs"

# Commands of the core that a deleted study could break: each is run in one process.
SMOKE = """
--help
agents
paths
ssc -p 1..3 --no-enumerate
match random greedy -g 4 -p 1
probe -p 1
cite
"""
PROGRAM = f"""
import urcx, urcx.cli
for name in urcx.PUBLIC:
    getattr(urcx, name)
for line in {SMOKE.strip().splitlines()!r}:
    try:
        urcx.cli.main(line.split())
    except SystemExit as end:
        assert not end.code, line
"""


@pytest.mark.jit
@pytest.mark.parametrize(
    "names",
    [STUDIES, *(pytest.param([name], marks=pytest.mark.slow) for name in STUDIES)],
    ids="-".join,
)
def test_a_study_is_deleted_with_its_folder(names: list[str], tmp_path: Path) -> None:
    package = Path(urcx.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, tmp_path / "urcx", ignore=ignored)
    for name in names:
        shutil.rmtree(tmp_path / "urcx" / "contrib" / name)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", PROGRAM],
        env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    research = done.stdout.partition("Research:")[2].partition("Options:")[0]
    listed |= set(research.replace(",", " ").split())
    studies = contrib.studies()
    gone = {command for name in names for command in studies[name].COMMANDS}
    assert not gone & listed
    assert set(table.COMMANDS) - gone <= listed


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_tests_a_page_and_light_commands(name: str) -> None:
    study = contrib.studies()[name]
    assert list(Path(__file__).parent.joinpath("contrib", name).glob("test_*.py"))
    assert study.COMMANDS or study.PUBLIC
    pages = [file.read_text("utf-8") for file in DOCS.joinpath("contrib").rglob("*.rst")]
    entries = {line.split()[-1] for page in pages for line in page.splitlines() if ":: " in line}
    assert {f"{study.__name__}.{public}" for public in study.PUBLIC} <= entries
    assert not set(study.PUBLIC) & set(urcx.PUBLIC)


def test_packages_of_studies_load_nothing_heavy() -> None:
    program = (
        "import sys; from urcx import contrib; contrib.commands();"
        "assert not {'numba', 'numpy', 'sympy', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True, env=os.environ)


def test_a_file_of_a_study_that_was_deleted_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for first, place in FILE_PLAYERS.items():
        module = place.partition(":")[0]
        monkeypatch.setitem(sys.modules, module, None)  # as if it were not there
        file = tmp_path / "best.play"
        file.write_bytes(first)
        with pytest.raises(UnusableFileError, match=rf"best\.play .*{re.escape(module)}") as no:
            urcx.agent(f"optimal:{file}").choose(urcx.Game("finkel"), 2)
        assert "\n" not in str(no.value)

"""urcx compress, and urcx solve --check of what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import assert_one_line, run

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def solved(two_pieces: Path) -> Path:
    return two_pieces


@pytest.fixture(scope="module")
def played(solved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compress") / "two.play"
    assert run("compress", str(solved), "-o", str(file)).code == 0
    return file


def test_a_table_of_what_takes_how_much(solved: Path, played: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.play"
    data = run("compress", str(solved), "-o", str(file), "--json").json
    sizes = {row["part"]: int(row["bytes"]) for row in data["rows"]}
    assert sizes.pop("best moves by plain entropy") > sizes["corrections"]
    assert sizes.pop("file") == sum(sizes.values()) == file.stat().st_size
    assert file.read_bytes() == played.read_bytes()
    assert (data["states"], data["decisions"]) == ("12869", "30301")
    shown = run("compress", str(solved), "-o", str(file)).out
    assert "decisions: states and rolls that leave a choice      30,301" in shown


def test_the_check(solved: Path, played: Path) -> None:
    line = ("solve", "--check", str(played), "--tablebase", str(solved))
    shown = run(*line)
    assert shown.code == 0
    assert "every decision comes out right" in shown.out
    data = run(*line, "--json").json
    assert (data["decisions"], data["wrong"], data["most_lost"]) == ("30301", "0", 0.0)


def test_a_check_that_fails(solved: Path, played: Path, tmp_path: Path) -> None:
    """A byte of the streams is another, with good checksums: some move is wrong."""
    from urcx.agents.play_files.play_file import PlayFile, write_play

    file = tmp_path / "x.play"
    with PlayFile(played) as play:
        data = play.contents.data.copy()
        data[len(data) // 2] ^= 255
        contents = play.contents.__class__(**{**vars(play.contents), "data": data})
        write_play(contents, file)
    line = ("solve", "--check", str(file), "--tablebase", str(solved))
    shown = run(*line, "--json")
    assert shown.code == 1
    assert int(json.loads(shown.out)["wrong"]) > 0
    assert "not perfect play" in run(*line).out


def test_what_is_refused(solved: Path, played: Path, tmp_path: Path) -> None:
    tablebase, file, other = str(solved), str(played), str(tmp_path / "y.play")
    for line, said in (
        (["compress", file, "-o", other], "is no urcx tablebase"),
        (["compress", tablebase, "-o", other, "--network", tablebase], "is not a network"),
        (["compress", tablebase, "-o", other, "--block", "0"], "blocks of 0 states"),
        (["solve", "--check", file], "--tablebase FILE"),
        (["solve", "--check", file, "--tablebase", file], "is no urcx tablebase"),
        (["solve", "--check", tablebase, "--tablebase", tablebase], "files of exact play"),
        (["regret", "--agent", f"optimal:{file}", "-p", "1"], "plays finkel with 2 pieces"),
    ):
        assert said in assert_one_line(run(*line), 2)
        assert not Path(other).exists()

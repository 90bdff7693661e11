"""urcx compress, and urcx solve --check of what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import assert_one_line, run

pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compress") / "two.urcx"
    assert run("solve", "-p", "2", "-o", str(file)).code == 0
    return file


@pytest.fixture(scope="module")
def played(solved: Path) -> Path:
    file = solved.with_suffix(".play")
    assert run("compress", str(solved), "-o", str(file)).code == 0
    return file


def test_a_table_of_what_takes_how_much(solved: Path, played: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.play"
    data = json.loads(run("compress", str(solved), "-o", str(file), "--json").out)
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
    data = json.loads(run(*line, "--json").out)
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
    shown = run("solve", "--check", str(file), "--tablebase", str(solved), "--json")
    assert shown.code == 1
    assert int(json.loads(shown.out)["wrong"]) > 0
    assert (
        "not perfect play" in run(*("solve", "--check", str(file), "--tablebase", str(solved))).out
    )


def test_what_is_refused(solved: Path, played: Path, tmp_path: Path) -> None:
    tablebase, file, other = str(solved), str(played), str(tmp_path / "y.play")
    for line, said in (
        (["compress", tablebase, "-o", "x.urcx"], "must end in .play"),
        (["compress", file, "-o", other], "is no urcx tablebase"),
        (["compress", tablebase, "-o", other, "--network", tablebase], "is not a network"),
        (["compress", tablebase, "-o", other, "--block", "0"], "blocks of 0 states"),
        (["solve", "--check", file], "--tablebase FILE"),
        (["solve", "--check", file, "--tablebase", file], "is no urcx tablebase"),
        (["solve", "-p", "1", "--tablebase", tablebase], "needs --check"),
        (["solve", "--check", tablebase, "--tablebase", tablebase], "files of exact play"),
        (["solve", "--check", "none.play", "--tablebase", tablebase], "none.play: No such file"),
        (["regret", "--agent", f"optimal:{file}", "-p", "1"], "plays finkel with 2 pieces"),
    ):
        assert said in assert_one_line(run(*line), 2)
        assert not Path(other).exists()

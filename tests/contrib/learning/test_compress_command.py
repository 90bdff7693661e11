"""The command compress: files of exact play, and their proof."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import assert_one_line, run

from urcx.contrib.learning.play_file import PlayFile, write_play

pytest_plugins = ["command_fixtures"]


@pytest.fixture(scope="module")
def played(two_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compress") / "two.play"
    assert run("compress", str(two_pieces), "-o", str(file)).code == 0
    return file


@pytest.mark.jit
def test_a_table_of_what_takes_how_much(two_pieces: Path, played: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.play"
    data = run("compress", str(two_pieces), "-o", str(file), "--json").json
    sizes = {row["part"]: int(row["bytes"]) for row in data["rows"]}
    assert sizes.pop("best moves by plain entropy") > sizes["corrections"]
    assert sizes.pop("file") == sum(sizes.values()) == file.stat().st_size
    assert file.read_bytes() == played.read_bytes()
    assert (data["states"], data["decisions"]) == ("12869", "30301")
    shown = run("compress", str(two_pieces), "-o", str(file)).out
    assert re.search("decisions: .* 30,301\n", shown)


@pytest.mark.jit
def test_the_check(two_pieces: Path, played: Path) -> None:
    line = ("compress", "--check", str(played), "--tablebase", str(two_pieces))
    shown = run(*line)
    assert shown.code == 0
    assert "every decision is right" in shown.out
    data = run(*line, "--json").json
    assert (data["decisions"], data["wrong"], data["most_lost"]) == ("30301", "0", 0.0)


@pytest.mark.jit
def test_a_check_that_fails(two_pieces: Path, played: Path, tmp_path: Path) -> None:
    # A byte of the streams is another, with good checksums: some move is wrong.
    file = tmp_path / "x.play"
    with PlayFile(played) as play:
        data = play.contents.data.copy()
        data[len(data) // 2] ^= 255
        contents = play.contents.__class__(**{**vars(play.contents), "data": data})
        write_play(contents, file)
    line = ("compress", "--check", str(file), "--tablebase", str(two_pieces))
    shown = run(*line, "--json")
    assert shown.code == 1
    assert int(json.loads(shown.out)["wrong"]) > 0
    assert "not optimal play" in run(*line).out


@pytest.mark.jit
def test_files_of_exact_play_that_are_refused(
    two_pieces: Path, played: Path, tmp_path: Path
) -> None:
    tablebase, file, other = str(two_pieces), str(played), str(tmp_path / "y.play")
    for line, said in (
        (["compress", file, "-o", other], "is not a urcx tablebase"),
        (["compress", tablebase, "-o", other, "--network", tablebase], "is not a network"),
        (["compress", tablebase, "-o", other, "--block", "0"], "blocks of 0 states"),
        (["compress", "--check", file], "--tablebase FILE"),
        (["compress", "--check", file, "--tablebase", file], "is not a urcx tablebase"),
        (
            ["compress", "--check", tablebase, "--tablebase", tablebase],
            "is not a file of exact play",
        ),
        (["compress", tablebase, "-o", other, "--tablebase", tablebase], "needs --check"),
        (["compress", "--check", file, "-o", other], "cannot be combined with --check"),
        (["check", file], "is not a urcx tablebase"),
        (["regret", "--agent", f"optimal:{file}", "-p", "1"], "finkel with 2 pieces"),
    ):
        assert said in assert_one_line(run(*line), 2)
        assert not Path(other).exists()

"""train on the command line."""

from pathlib import Path

import numpy as np
import pytest
from command_line import assert_one_line, run

from urcx.agents.network_files import read_network
from urcx.learn import runs

SMALL = ("-p", "1", "--units", "4", "--iterations", "3", "--set", "games=4,plies=8")


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "GAMES", 10)


def test_a_network_that_plays(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    data = run("train", "td", *SMALL, "-o", str(file), "--json").json
    assert data["schema"] == "urcx.train/1"
    assert (data["method"], data["rules"], data["pieces"]) == ("td", "finkel", 1)
    assert (data["done"], data["total"], data["figures"]["positions"]) == ("3", "3", 96)
    assert data["settings"]["units"] == 4
    assert [row["done"] for row in data["rows"]] == ["1", "2", "3"]
    network = read_network(file)
    assert int(data["parameters"]) == network.parameters
    assert network.card["command"].startswith("urcx train td --rules finkel -p 1 --seed 1 --set ")
    assert run("moves", "--agent", f"net:{file}", "-p", "1").code == 0
    again = tmp_path / "again.npz"
    table = run("train", "td", *SMALL, "-o", str(again), "--threads", "2")
    assert "Training by td, finkel, 1 piece a side, seed 1" in table.out
    assert f"it plays as net:{again}" in table.out
    with np.load(file) as one, np.load(again) as two:
        assert all((one[name] == two[name]).all() for name in one if name != "header")


def test_the_list_of_settings() -> None:
    rows = run("train", "--list", "--json").json["rows"]
    assert {"method": "td", "setting": "trace", "default": 0.8}.items() <= next(
        row for row in rows if row["setting"] == "trace"
    ).items()


def test_minutes_are_said(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    line = ("train", *SMALL, "-o", str(file))
    first = run(*line, "--minutes", "0.0000001")
    assert "stopped after 1 of 3 iterations; the same command goes on from there" in first.err
    second = run(*line)
    assert "1 iterations were done in an earlier run" in second.err


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        (("train",), 2, "--output FILE.npz is needed"),
        (("train", "sarsa", "-o", "x.npz"), 2, "unknown method of training"),
        (("train", *SMALL, "-o", "x.txt"), 2, "ends in .npz"),
        (("train", *SMALL, "-o", "none/x.npz"), 1, "there is no directory none"),
        (("train", *SMALL, "--set", "units=3", "-o", "x.npz"), 2, "exclude each other"),
        (("train", *SMALL, "--set", "lambda=1", "-o", "x.npz"), 2, "no setting is called lambda"),
        (("train", *SMALL, "--minutes", "0", "-o", "x.npz"), 2, "more than 0 are needed"),
        (("train", *SMALL, "--tablebase", "no.urcx", "-o", "x.npz"), 2, "cannot read no.urcx"),
        (("train", *SMALL, "--start", "no.npz", "-o", "x.npz"), 2, "no.npz cannot be opened"),
        (("train", *SMALL, "--checkpoint", "bad", "-o", "x.npz"), 2, "no checkpoint"),
    ],
)
def test_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: tuple[str, ...],
    code: int,
    text: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad").write_bytes(b"something else")
    assert text in assert_one_line(run(*line), code)
    assert not Path("x.npz").exists()

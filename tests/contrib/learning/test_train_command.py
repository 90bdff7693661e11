"""train on the command line; alphazero needs JAX and optax, and is not skipped without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import assert_one_line, run

from urcx.agents.networks import read_network
from urcx.contrib.learning import training

SMALL = ("-p", "1", "--units", "4", "--iterations", "3", "--set", "games=4,plies=8")


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 10)


def test_a_wrong_name_is_said_before_the_time_it_takes_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urcx.contrib.learning.training.Method.seconds", None)
    found = run("train", "td", *SMALL, "-o", str(tmp_path / "net.txt"))
    assert "net.txt: the name must end in .npz" in assert_one_line(found, 2)


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
    assert f"{again}, finkel, " in table.out
    assert ", by td: wins 50.00 %" in table.out
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
    assert "stopped after 1 of 3 iterations" in first.err
    second = run(*line)
    assert "1 iterations were done in an earlier run" in second.err


SETTINGS = "games=8,simulations=2,gate_games=4,window=700,batch=16,epochs=1,gate=0"


@pytest.mark.jit
def test_it_trains_a_network_with_a_policy_that_plays(tmp_path: Path) -> None:
    file = tmp_path / "two.npz"
    small = ("--rules", "finkel", "-p", "2")
    done = run(
        "train", "alphazero", *small, "--units", "6", "--iterations", "2", "--set", SETTINGS,
        "-o", str(file), "--threads", "1",
    )  # fmt: skip
    assert done.code == 0, done.err
    network = read_network(file)
    assert network.card["method"] == "alphazero"
    assert network.card["games"] == 16
    assert network.card["accepted"] == 2
    assert network.card["sources"]["noise"] == "share of noise in the root's priors (go: 0.25)"
    assert network.card["sources"].keys() == network.card["settings"].keys()
    assert network.policy is not None
    assert network.policy.shape == (6, 4 * 15)
    assert list(tmp_path.iterdir()) == [file]
    match = run("match", f"net:{file}", "random", *small, "--games", "4")
    assert match.code == 0, match.err

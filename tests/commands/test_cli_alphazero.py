"""`urcx train alphazero` from end to end; needs JAX and optax, and is not skipped without them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from urcx.agents.network_files import read_network

pytestmark = pytest.mark.jit

SETTINGS = "games=12,simulations=4,gate_games=10,window=700,batch=16,epochs=1,gate=0"


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
    assert network.card["games"] == 24
    assert network.card["accepted"] == 2
    assert network.card["sources"]["noise"] == "share of noise in the root's priors (go: 0.25)"
    assert network.card["sources"].keys() == network.card["settings"].keys()
    assert network.policy is not None
    assert network.policy.shape == (6, 4 * 15)
    assert list(tmp_path.iterdir()) == [file]
    match = run("match", f"net:{file}", "random", *small, "--games", "20")
    assert match.code == 0, match.err


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("simulations=0", "simulations 0: a whole number from 1 to 10,000 is needed"),
        ("gate=1.5", "gate 1.5: a number from 0 to 1 is needed"),
        ("playouts=3", "no setting is called playouts"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(tmp_path: Path, setting: str, said: str) -> None:
    file = tmp_path / "two.npz"
    done = run("train", "alphazero", "-p", "2", "--set", setting, "-o", str(file))
    assert done.code == 2
    assert done.err.startswith(f"urcx: {said}")
    assert done.err.count("\n") == 1
    assert not file.exists()

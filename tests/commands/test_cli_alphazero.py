"""`urcx train alphazero` from end to end; needs JAX and optax, and is not skipped without them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from urcx.agents.network_files import read_network

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

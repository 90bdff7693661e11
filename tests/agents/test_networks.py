"""Networks: their values against a naive twin, their files, the agents that play by them."""

from __future__ import annotations

import math
import tomllib
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_network import captures, logit
from numpy.typing import NDArray
from own_rules import own
from random_networks import made

import urcx
from urcx.agents.agent_kernels import candidates
from urcx.agents.agents import agent
from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import (
    SHIPPED,
    Network,
    network_arrays,
    read_network,
    shipped,
    write_network,
)
from urcx.agents.policies import Policies
from urcx.agents.search import mover_state
from urcx.engine.moves import legal_moves, masks, tables
from urcx.errors import OutOfDomainError, TablebaseError, UnusableFileError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

SMALL = urcx.ruleset("finkel", pieces=2)


def naive(network: Network, position: Position) -> float:
    """Return 2 p - 1 for the player to move, in floats, from the definition of the inputs."""
    threats, squared = network.inputs == "path+threats", network.activation == "squared"
    return math.tanh(logit(network, position, network.rules, threats=threats, squared=squared) / 2)


def assert_as_defined(network: Network, within: float = 2e-3) -> list[Position]:
    """Compare the values of many positions with the definition; return the positions."""
    arrays, rules = network_arrays(network), network.rules
    order = urcx.ranking(rules.path, 2, convention="mover-view")
    every = (order.unrank(rank) for rank in range(0, order.size, max(order.size // 300, 1)))
    compared = [position for position in every if 2 not in position.home]
    for position in compared:
        mine, theirs = masks(position)
        found = evaluate_network(arrays, mine, position.home[0], theirs, position.home[1]) / WON
        assert found == pytest.approx(naive(network, position), abs=within)
    return compared


@pytest.mark.parametrize("later", [0, 5])
@pytest.mark.parametrize("activation", ["squared", "clipped"])
def test_values_are_those_of_the_definition(later: int, activation: str) -> None:
    assert_as_defined(made(SMALL, 7, later, activation))


def test_weights_of_the_second_layer_that_16_bits_do_not_hold() -> None:
    network = made(SMALL, 7, 5)
    assert network_arrays(network).second.dtype == np.int16
    network.second[2, 3] = 12.0
    network.second[4, 3] = -9.0
    assert network_arrays(network).second.dtype == np.int32
    assert_as_defined(network, 1e-2)  # they multiply what is rounded in the first layer


@pytest.mark.parametrize(
    "rules",
    # On masters' path shared tiles are on different steps; the last one crosses tiles twice, whose
    # first steps are the same for both.
    [
        SMALL,
        own("tiny"),
        urcx.ruleset("masters", pieces=2),
        replace(SMALL, path=urcx.path("michon-short-central-backtrack")),
    ],
    ids=lambda rules: f"{rules.name}-{rules.path.name}",
)
def test_networks_that_look_ahead_see_the_captures_of_either_roll(rules: RuleSet) -> None:
    compared = assert_as_defined(made(rules, 7, 0, inputs="path+threats"))
    assert sum(captures(position, rules).any() for position in compared) > 20


@pytest.mark.parametrize(
    ("later", "inputs", "rules", "depth"),
    [
        (0, "path", SMALL, 2),
        (4, "path", SMALL, 1),
        (4, "path+threats", own("wings"), 2),
        # There what can be captured depends on the private tiles of both sides.
        (4, "path+threats", urcx.ruleset("masters", pieces=2), 1),
    ],
)
def test_all_states_at_once_are_as_one_at_a_time(
    later: int, inputs: str, rules: RuleSet, depth: int, tmp_path: Path
) -> None:
    file = tmp_path / "n.npz"
    write_network(made(rules, 6, later, inputs=inputs), file)
    text = f"net:{file}:{depth}"
    games = [
        urcx.simulate(text, "random", rules, games=40, method=method)
        for method in ("levels", "tree")
    ]
    one, other = (g.to_dict() for g in games)
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_two_plies_are_the_mean_over_rolls_of_the_best_reply(tmp_path: Path) -> None:
    network = made(SMALL, 6, 0)
    file = tmp_path / "n.npz"
    write_network(network, file)
    arrays = network_arrays(read_network(file))

    def value(position: Position) -> Fraction:
        """Return the leaf value to light."""
        side, state = mover_state(position)
        return (1 if side == 0 else -1) * Fraction(int(evaluate_network(arrays, *state)), WON)

    def after(position: Position) -> Fraction:
        """Return the value to light of a position before the roll, one ply deep."""
        if 2 in position.home:
            return Fraction(1 if position.home[0] == 2 else -1)
        total = Fraction(0)
        sign = 1 if position.light_to_move else -1
        for roll, chance in zip(SMALL.dice.rolls, SMALL.dice.probabilities, strict=True):
            moves = legal_moves(position, roll, SMALL)
            nexts = [m.position for m in moves] or [
                replace(position, light_to_move=not position.light_to_move)
            ]
            worth = [
                Fraction(1 if p.home[0] == 2 else -1) if 2 in p.home else value(p) for p in nexts
            ]
            total += chance * sign * max(sign * v for v in worth)
        return total

    game = urcx.Game(SMALL, position="4/8/0-1/L")
    found = agent(f"net:{file}:2").values(game, 2)
    assert found is not None
    assert {m: 2 * v - 1 for m, v in found.items()} == {
        m: after(m.position) for m in game.legal_moves(2)
    }


@pytest.mark.parametrize(("share", "start"), [(0.6, 2), (0.4, 5)])
def test_values_turn_by_reflection_and_the_constant_counts(
    share: float, start: int, tmp_path: Path
) -> None:
    """A network that always says 60 %: an extra roll keeps them, passing the turn leaves 40 %."""
    zero = made(SMALL, 3, 0)
    bias = math.log(share / (1 - share))
    file = tmp_path / "n.npz"
    write_network(replace(zero, last=np.zeros(3, np.float32), last_bias=bias), file)
    game = urcx.Game(SMALL, position="2,5/-/0-0/L")
    by_start = {m.start: v for m, v in (agent(f"net:{file}").values(game, 2) or {}).items()}
    assert float(by_start[2]) == pytest.approx(share, abs=1e-3)  # to a rosette: rolls again
    assert by_start[5] == 1 - by_start[2]
    for method in ("tree", "levels"):
        policy = Policies(SMALL, 1, method=method).of(agent(f"net:{file}"))
        legal = (1 << 2) | (1 << 5)
        ways = tables(SMALL).ways
        assert candidates(policy, ways, 0, legal, 2, 0b10010, 0, 0, 0) == 1 << start


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "n.npz"
    network = made(SMALL, 6, 3, card={"method": "none"})
    write_network(network, file)
    first = file.read_bytes()
    found = read_network(file)
    assert found.card == {"method": "none"}
    assert found.rules.pieces == 2
    assert found.parameters == network.parameters
    assert np.abs(found.first - network.first).max() <= 2.0**-13
    write_network(found, file)
    assert read_network(file).first.tolist() == found.first.tolist()
    assert len(file.read_bytes()) == len(first)


def test_values_that_are_not_finite_are_not_written(tmp_path: Path) -> None:
    bad = np.full(4, np.nan, np.float32)
    with pytest.raises(UsageError, match="infinities or NaN"):
        write_network(replace(made(SMALL, 4, 0), last=bad), tmp_path / "m.npz")
    assert not (tmp_path / "m.npz").exists()


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("first", np.zeros((3, 4), np.float32), "shape"),
        ("first", np.zeros((5, 4), np.float64), "type"),
        ("first", np.full((5, 4), 1e30, np.float32), "too large|shape"),
        ("first", np.array([{}], object), "damaged"),
        ("first_bias", np.full(4, np.nan, np.float32), "first_bias has infinities or NaN"),
        ("last", np.full(4, 1e30, np.float32), "too large"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    name: str, array: NDArray[Any], reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "n.npz"
    write_network(made(SMALL, 4, 0), file)
    with np.load(file) as whole:
        kept = {known: whole[known] for known in whole.files}
    np.savez(file, **(kept | {name: array}))
    with pytest.raises(TablebaseError, match=reason):
        read_network(file)


def test_files_that_are_no_networks_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "n.npz"
    with pytest.raises(UnusableFileError, match="cannot be opened"):
        read_network(file)
    file.write_text("no archive")
    with pytest.raises(UnusableFileError, match="not a network"):
        read_network(file)
    np.savez(file, other=np.zeros(3))
    with pytest.raises(UnusableFileError, match="not a network"):
        read_network(file)
    write_network(made(SMALL, 4, 0), file)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(TablebaseError, match="damaged"):
        read_network(file)


# By three: two bits or three of each byte.
@pytest.mark.parametrize("step", [29, pytest.param(3, marks=pytest.mark.slow)])
def test_any_flipped_bit_is_refused_in_one_line_or_harmless(
    step: int, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    file = tmp_path / "n.npz"
    write_network(made(SMALL, 4, 0), file)
    whole = file.read_bytes()
    refused = 0
    for at in range(0, len(whole) * 8, step):
        damaged = bytearray(whole)
        damaged[at // 8] ^= 1 << at % 8
        file.write_bytes(damaged)
        try:
            read_network(file)
        except TablebaseError:
            refused += 1
    assert refused * step > 6 * len(whole)  # not the times and attributes that archives have
    assert not recwarn.list


@pytest.mark.parametrize("shape", [f"({10**30},)", "(True,)", "(3L,)", "(3,", "(3 3,)", "(-3,)"])
def test_shapes_that_are_none_are_damage(
    shape: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    file = tmp_path / "n.npz"
    write_network(made(SMALL, 4, 0), file)
    header = f"{{'descr': '<i2', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(6)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("first.npy", array)
    with pytest.raises(TablebaseError, match=r"damaged|not a network"):
        read_network(file)
    assert not recwarn.list


def test_networks_of_other_games_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "n.npz"
    write_network(made(SMALL, 4, 0), file)
    with pytest.raises(UnusableFileError, match="of finkel with 2 pieces, not of finkel with 3"):
        urcx.simulate(f"net:{file}", "random", urcx.ruleset("finkel", pieces=3), games=1)
    with pytest.raises(OutOfDomainError, match="path bell"):
        made(replace(SMALL, path=replace(SMALL.path, dark=SMALL.path.dark[:-1])), 2, 0)
    with pytest.raises(UsageError, match="no network of kwan with 2 pieces"):
        shipped(urcx.ruleset("kwan", pieces=2))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("net", "the network's file is missing"),
        ("net:f.npz:0", "depth must be"),
        ("net:f.npz:advance", "leave out the leaf"),
        ("learned:f.npz", "does not use a file"),
    ],
)
def test_texts_that_name_no_network_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        agent(text)


def test_networks_that_come_with_urcx_are_those_of_their_cards() -> None:
    cards = tomllib.loads((SHIPPED / "cards.toml").read_text(encoding="utf-8"))
    files = sorted(SHIPPED.glob("*.npz"))
    assert {file.stem for file in files} == {*cards}
    assert sum(file.stat().st_size for file in files) <= 230_000
    for file in files:
        name, _, pieces = file.stem.partition("-")
        rules = urcx.ruleset(name, pieces=int(pieces) if pieces else None)
        network, card = shipped(rules), cards[file.stem]
        assert network.parameters == card["weights"]
        own = network.card
        same = {"method", "seed", "processor_seconds", "games", "positions", "decisions"} & {*card}
        assert len(same) >= 4
        assert {name: own[name] for name in same} == {name: card[name] for name in same}
        if "start" in card:
            assert own["start_card"]["command"].partition(" -o ")[0] == card["start"]
        assert own["command"].partition(" -o ")[0] == card["command"].partition(" -o ")[0]
        assert card["wins"] > 0.48 - card.get("within", 0)


@pytest.mark.slow
@pytest.mark.jit
def test_a_small_network_is_as_strong_as_its_card_says() -> None:
    card = tomllib.loads((SHIPPED / "cards.toml").read_text(encoding="utf-8"))["finkel-3"]
    assert card["exactness"] == "exact"
    found = urcx.regret(("learned", "learned:2"), urcx.ruleset("finkel", pieces=3)).regrets
    wins = [card["wins"], card["two_plies"]["wins"]]
    assert [one.side.wins for one in found] == pytest.approx(wins, abs=1e-11)

"""Exact play in a file: every decision against the tablebase, and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from own_rules import own
from random_networks import made

import urcx
from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import SHIPPED, network_arrays, write_network
from urcx.agents.search import mover_state
from urcx.contrib.learning import compress, play_kernels
from urcx.contrib.learning.compressing import RANKERS, Proved, prove_play, ranker
from urcx.contrib.learning.play_file import (
    PlayFile,
    decode_layer,
    play_room,
    play_tables,
    predictor_of,
)
from urcx.contrib.learning.play_kernels import looked_up_moves, prepare_play
from urcx.engine.moves import legal_moves, masks
from urcx.errors import TablebaseError, UnusableFileError, UsageError
from urcx.rules.model import RuleSet
from urcx.solving.closeness import closeness
from urcx.solving.files.tablebase import Tablebase, TablebaseLayers, write_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair

pytestmark = pytest.mark.jit
TWO = urcx.ruleset("finkel", pieces=2)
Solved = Callable[[RuleSet], Path]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """Return a function that solves a rule set and returns the tablebase's file."""
    directory = tmp_path_factory.mktemp("solved")

    def find(rules: RuleSet) -> Path:
        file = directory / f"{rules.name}-{rules.path.name}-{rules.pieces}.urcx"
        if not file.exists():
            urcx.solve(rules, file)
        return file

    return find


def wrong_decisions(file: Path, tablebase: Path, every: int = 1) -> tuple[int, int]:
    """Return the number of decisions, and the number of wrong ones.

    Legal moves come from `urcx.Game` and values from `urcx.open_tablebase`, one position at a time,
    for every ``every``-th state.
    """
    decisions = wrong = 0
    with urcx.open_tablebase(tablebase) as base, PlayFile(file) as play:
        policy = play.policy(0)
        for layer in base.order.layers:
            for rank in range(0, base.order.size(layer), every):
                position = base.order.position(layer, rank)
                board = masks(position)
                for roll in base.rules.dice.rolls:
                    game = urcx.Game(base.rules, position=position)
                    if len(game.legal_moves(roll)) < 2:
                        continue
                    decisions += 1
                    start = looked_up_moves(
                        policy.play, policy.room, roll, board[0], layer[0], board[1], layer[1]
                    )
                    values = {m.move.start: m.regret for m in base.best_moves(position, roll)}
                    wrong += values.get(int(start), 1.0) > 2 * (base.bound or 0)
    return decisions, wrong


def proved(file: Path, tablebase: Path) -> Proved:
    """Return the comparison of the file with a tablebase."""
    with PlayFile(file) as play, urcx.open_tablebase(tablebase) as base:
        return prove_play(play, base)


@pytest.mark.parametrize("block", [1, 5, 256])
def test_every_decision_comes_out_right(solved: Solved, tmp_path: Path, block: int) -> None:
    tablebase, file = solved(TWO), tmp_path / "two.play"
    found = compress(tablebase, file, block=block)
    decisions, wrong = wrong_decisions(file, tablebase, 7)
    assert wrong == 0
    assert found.decisions > decisions > 1000


@pytest.mark.parametrize("name", ["tiny", "wings", "short"])
def test_other_paths_and_rules(solved: Solved, tmp_path: Path, name: str) -> None:
    rules = own(name, pieces=3)
    tablebase, file = solved(rules), tmp_path / "x.play"
    network = tmp_path / "x.npz"
    write_network(made(rules, 16, 0), network)
    found = compress(tablebase, file, network=network, block=8)
    decisions, wrong = wrong_decisions(file, tablebase)
    assert (decisions, wrong) == (found.decisions, 0)
    assert decisions > 100
    again = proved(file, tablebase)
    assert again.decisions == found.decisions
    assert (again.wrong, again.most_lost) == (0, 0.0)
    assert again.singly > 10


def test_all_moves_of_a_layer_are_those_looked_up_singly(solved: Solved, tmp_path: Path) -> None:
    """Nothing is written for states without a decision."""
    file = tmp_path / "two.play"
    compress(solved(TWO), file, block=5)
    compared = 0
    with PlayFile(file) as play:
        policy, order = play.policy(0), play.order
        rolls = TWO.dice.rolls
        for layers in order.pairs:
            shape = LayerPair(order, layers, 1).shape(layers[0])
            states = order.size(shape.layer)
            picks = np.zeros(3 + len(rolls) * (states + 4), np.uint8)
            decode_layer(policy, order, shape, picks, 3, states + 4, 2)
            assert not picks[:3].any()
            found = picks[3:].reshape(len(rolls), -1)
            assert not found[:, states:].any()
            for state in range(0, states, 7):
                position = order.position(shape.layer, state)
                board, home = masks(position), position.home
                for r, roll in enumerate(rolls):
                    moves = [move.start for move in legal_moves(position, roll, TWO)]
                    if len(moves) < 2:
                        assert found[r, state] == 0
                        continue
                    start = looked_up_moves(
                        policy.play, policy.room, roll, board[0], home[0], board[1], home[1]
                    )
                    assert found[r, state] == 1 << moves.index(start)
                    compared += 1
    assert compared > 3000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blitz", "aseb"])
def test_long_lanes(solved: Solved, tmp_path: Path, name: str) -> None:
    rules = urcx.ruleset(name, pieces=2)
    file = tmp_path / "x.play"
    found = compress(solved(rules), file, block=64)
    decisions, wrong = wrong_decisions(file, solved(rules), 9)
    assert (decisions > 500, wrong) == (True, 0)
    assert proved(file, solved(rules)).decisions == found.decisions


@pytest.mark.slow
def test_every_decision_of_three_pieces(solved: Solved, tmp_path: Path) -> None:
    rules = urcx.ruleset("finkel", pieces=3)
    file = tmp_path / "x.play"
    found = compress(solved(rules), file)
    with urcx.open_tablebase(solved(rules)) as base:
        assert found.decisions == closeness(base.order, TablebaseLayers(base)).choices
    checked = proved(file, solved(rules))
    assert (checked.decisions, checked.wrong) == (found.decisions, 0)
    decisions, wrong = wrong_decisions(file, solved(rules), 53)
    assert (decisions > 3000, wrong) == (True, 0)


def test_decisions_are_those_that_the_solver_counts(solved: Solved, tmp_path: Path) -> None:
    """Another kernel compares action gaps."""
    with urcx.open_tablebase(solved(TWO)) as base:
        near = closeness(base.order, TablebaseLayers(base))
    found = compress(solved(TWO), tmp_path / "x.play")
    assert (found.decisions, found.equal) == (near.choices, near.equal)


@pytest.mark.parametrize("activation", ["squared", "clipped"])
def test_the_predictor_values_moves_as_its_network(activation: str) -> None:
    """The values are nearly equal, because weights have 16 bits."""
    rules = own("tiny", pieces=3)  # captures grant rolls, rosettes do not protect
    network = made(rules, 24, 0, activation)
    order, arrays = LayerOrder(rules), network_arrays(network)
    even = np.full(play_kernels.CONTEXTS, 1 << 15)
    play = play_tables(
        order, predictor_of(network), 64, even, np.zeros(1, np.uint32), np.zeros(1, np.uint8)
    )
    room = play_room(play)
    random = np.random.default_rng(3)
    compared = 0
    while compared < 300:
        layer = order.layers[random.integers(len(order.layers))]
        position = order.position(layer, int(random.integers(order.size(layer))))
        roll = int(random.integers(1, 4))
        moves = legal_moves(position, roll, rules)
        if len(moves) < 2:
            continue
        a, b = (order.spread(side, mask) for side, mask in enumerate(masks(position)))
        pattern = (a & 0xFFFFFF) + (b & 0xFFFFFF)
        rows = order.width[rules.pieces - layer[0] - order.on_lane[0][pattern]]
        row, column = (order.number[spread >> 24 & 0xFFFF] for spread in (a, b))
        room.computed[:] = 0
        assert prepare_play(play, room, pattern, rows - 1 - row, *layer, roll) == len(moves)
        for k, move in enumerate(moves):
            after = move.position
            side, state = mover_state(after)
            found = room.scores[k, column] / (1 << play_kernels.VALUE)
            assert room.starts[k] == move.start
            if rules.pieces in after.home:
                assert found > 1
                continue
            value = evaluate_network(arrays, *state) / WON
            assert found == pytest.approx(value if side == 0 else -value, abs=0.02)
            compared += 1


def test_equal_moves_and_ties(tmp_path: Path) -> None:
    """If values are equal or nearly equal, any best move is right, and ties are counted."""
    order = LayerOrder(TWO)
    random = np.random.default_rng(1)
    base = tmp_path / "x.urcx"
    steps = np.array([0.25, 0.25 + 1e-13, 0.5])
    write_tablebase(base, order, lambda at: (random.choice(steps, order.size(at)), 1e-12), "f64")
    file = tmp_path / "x.play"
    found = compress(base, file)
    assert found.equal > 1000
    assert found.unsure > 1000
    assert wrong_decisions(file, base, 5)[1] == 0
    again = proved(file, base)
    assert again.wrong == 0
    assert 0 < again.most_lost <= 2e-12


def test_the_check_finds_what_is_wrong(solved: Solved, tmp_path: Path) -> None:
    order = LayerOrder(TWO)
    random = np.random.default_rng(1)
    other = tmp_path / "x.urcx"
    write_tablebase(other, order, lambda at: (random.random(order.size(at)), 1e-12), "f64")
    file = tmp_path / "x.play"
    compress(other, file)
    assert wrong_decisions(file, solved(TWO), 9)[1] > 300
    found = proved(file, solved(TWO))
    assert found.wrong > 5000
    assert found.most_lost > 0.01


def test_it_plays_in_games(solved: Solved, tmp_path: Path) -> None:
    file = tmp_path / "x.play"
    compress(solved(TWO), file)
    player = urcx.agent(f"optimal:{file}")
    (judged,) = urcx.regret(player, TWO, tablebase=solved(TWO)).regrets
    assert judged.side.mistakes == 0
    assert judged.side.loss == pytest.approx(0.0, abs=1e-11)
    other = urcx.agent(f"optimal:{solved(TWO)}")
    ours, theirs = (urcx.simulate(x, "random", TWO, games=300, seed=5) for x in (player, other))
    assert np.array_equal(ours.results, theirs.results)
    game = urcx.Game(TWO, position="3,5/6/0-0/D")
    best = other.move_probabilities(game, 2)
    assert player.move_probabilities(game, 2) == best
    assert player.values(game, 2) is None
    move = player.choose(game, 2)
    assert move is not None
    assert best[move] == 1
    assert player.choose(urcx.Game(TWO, position="14/14/1-1/L"), 2) is None
    with pytest.raises(UsageError, match="roll 7"):
        player.choose(game, 7)
    with pytest.raises(UsageError):
        player.choose(game, 2, -1)


def test_what_cannot_be_used(solved: Solved, tmp_path: Path) -> None:
    tablebase, file = str(solved(TWO)), str(tmp_path / "x.play")
    compress(tablebase, file)
    network = tmp_path / "x.npz"
    for other in (made(TWO, 8, 4), made(TWO, 8, 0, inputs="path+threats")):
        write_network(other, network)
        with pytest.raises(UsageError, match="--set later=0"):
            compress(tablebase, file, network=network)
    write_network(made(urcx.ruleset("finkel", pieces=1), 8, 0), network)
    with pytest.raises(UnusableFileError, match="finkel with 1 piece"):
        compress(tablebase, file, network=network)
    large = made(TWO, 8, 0)
    with pytest.raises(UsageError, match="too large to code"):
        predictor_of(replace(large, first=large.first * 4000))
    with pytest.raises(UnusableFileError, match=r"finkel with 2 pieces.* -p 2"):
        urcx.agent(f"optimal:{file}").choose(urcx.Game("finkel"), 1)
    with pytest.raises(UsageError, match="blocks of 0 states"):
        compress(tablebase, file, block=0)
    with pytest.raises(TablebaseError, match="cannot write"):
        compress(tablebase, tmp_path / "none" / "x.play")


def test_the_file_is_the_same_whatever_the_threads(solved: Solved, tmp_path: Path) -> None:
    files = [tmp_path / f"{threads}.play" for threads in (1, 3)]
    for file, threads in zip(files, (1, 3), strict=True):
        compress(solved(TWO), file, threads=threads)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_entropy_of_plain_decisions(solved: Solved, tmp_path: Path) -> None:
    tablebase = solved(own("short", pieces=3))
    found = compress(tablebase, tmp_path / "x.play")
    with urcx.open_tablebase(tablebase) as base:
        assert found.plain * found.decisions == pytest.approx(_plain(base))


def _plain(base: Tablebase) -> float:
    """Return the bits of all best moves' places, by roll and number of moves, from their counts."""
    counts: dict[tuple[int, int], dict[int, int]] = {}
    for layer in base.order.layers:
        for rank in range(base.order.size(layer)):
            position = base.order.position(layer, rank)
            for roll in base.rules.dice.rolls:
                values = base.best_moves(position, roll)
                if len(values) > 1:
                    starts = sorted(m.move.start for m in values)
                    of = counts.setdefault((roll, len(values)), {})
                    place = starts.index(values[0].move.start)
                    of[place] = of.get(place, 0) + 1
    bits = 0.0
    for of in counts.values():
        total = sum(of.values())
        bits -= sum(n * np.log2(n / total) for n in of.values())
    return bits


def test_networks_that_rank_moves_are_there_where_shipped_ones_cannot() -> None:
    files = list(RANKERS.iterdir())
    assert sum(file.stat().st_size for file in files) <= 12_000
    for file in SHIPPED.glob("*.npz"):
        if "-" in file.stem:
            continue  # of fewer pieces, whose files of exact play are small
        rules = urcx.ruleset(file.stem)
        network = ranker(rules)
        assert (network.second.shape[1], network.inputs) == (0, "path")
        assert network.rules.name == rules.name
    with pytest.raises(UsageError, match="no network of kwan with 2"):
        ranker(urcx.ruleset("kwan", pieces=2))

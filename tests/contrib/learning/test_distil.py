"""Distillation: contents of decisions, slopes of losses, trainings of a small game."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from naive_network import decoded, seen
from own_rules import own

import urcx
from urcx.agents.network_kernels import WON as CERTAIN
from urcx.agents.network_kernels import evaluate_network
from urcx.agents.networks import network_arrays, read_network
from urcx.contrib.learning import Trained, train, training
from urcx.contrib.learning import distil as in_training
from urcx.contrib.learning.distil import DistilSession, DistilSettings
from urcx.contrib.learning.distil_kernels import (
    LOST,
    MADE,
    RIGHT,
    Decisions,
    Loss,
    distil_gradient,
    slopes,
)
from urcx.contrib.learning.gradient_kernels import network_chances
from urcx.contrib.learning.input_kernels import KEPT, PASSED, WON
from urcx.contrib.learning.weights import PART, room_for, samples_for, views
from urcx.engine.moves import legal_moves, masks
from urcx.errors import OutOfDomainError, TooLargeError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import LayerOrder

Move = tuple[int, int, Position]  # effect on the turn, value in 2^-40, next position


@lru_cache
def _solved(rules: RuleSet) -> tuple[LayerOrder, Any]:
    return LayerOrder(rules), urcx.solve(rules, keep=True).layers


def _chance(rules: RuleSet, position: Position) -> float:
    """Return the win probability of the player to move."""
    order, layers = _solved(rules)
    layer, rank = order.place(position)
    return float(layers[layer][0][rank])


def _session(rules: RuleSet, **settings: Any) -> DistilSession:
    return DistilSession(rules, DistilSettings(units=5, later=3, batch=1, **settings), 1, 1)


def _drawn(session: DistilSession, decisions: Decisions, d: int) -> frozenset[Move]:
    """Return the moves of a decision."""
    found = []
    for k in range(decisions.start[d], decisions.start[d + 1]):
        turn = int(decisions.turns[k])
        active = decisions.samples.active[k, : decisions.samples.number[k]].tolist()
        position = decoded(session.rules, active) if turn != WON else Position((), (), (1, 0))
        found.append((turn, round(decisions.chances[k] * 2**40), position))
    return frozenset(found)


def _decision(rules: RuleSet, position: Position, roll: int) -> frozenset[Move]:
    """Return the moves of a position, light to move, and a roll, by the solution."""
    found = []
    for move in legal_moves(position, roll, rules):
        after = move.position
        if after.home[0] == rules.pieces:
            found.append((WON, 2**40, Position((), (), (1, 0))))
            continue
        if after.light_to_move:
            found.append((KEPT, round(_chance(rules, after) * 2**40), after))
        else:
            chance = 1 - _chance(rules, after)
            found.append((PASSED, round(chance * 2**40), after.turned()))
    return frozenset(found)


@pytest.fixture(scope="module")
def decisions() -> Counter[frozenset[Move]]:
    """All decisions of a small game, with the number of pairs of position and roll of each."""
    rules = own("tiny")
    order = urcx.ranking(rules.path, rules.pieces, convention="mover-view")
    found: Counter[frozenset[Move]] = Counter()
    for rank in range(order.size):
        position = order.unrank(rank)
        if rules.pieces in position.home:
            continue
        for roll in rules.dice.rolls:
            moves = _decision(rules, position, roll)
            if roll and len(moves) > 1:
                found[moves] += 1
    return found


def test_decisions_are_drawn_from_all_alike(decisions: Counter[frozenset[Move]]) -> None:
    session = _session(own("tiny"))
    found: Counter[frozenset[Move]] = Counter()
    for _ in range(6):
        drawn = session.drawn.draw(session.perfect, 0, PART, uniform=True)
        found.update(_drawn(session, drawn, d) for d in range(PART))
    assert found.keys() <= decisions.keys()
    total, number = found.total(), decisions.total()
    for moves, pairs in decisions.items():
        mean = total * pairs / number
        assert abs(found[moves] - mean) < 5.5 * math.sqrt(mean) + 1


def test_games_are_those_of_players_who_nearly_play_perfectly() -> None:
    """With low temperatures, decisions are as frequent as in games of optimal players."""
    rules = own("tiny")
    session = _session(rules, explore=1e-6)
    worth = naive.light_wins(rules, partial(_chance, rules))
    found: Counter[frozenset[Move]] = Counter()
    for _ in range(4):
        drawn = session.drawn.draw(session.perfect, 0, PART)
        found.update(_drawn(session, drawn, d) for d in range(PART))
    played: Counter[frozenset[Move]] = Counter()
    generator = random.Random(1)
    position = start = Position((), ())
    while played.total() < found.total():
        roll = generator.choices(rules.dice.rolls, rules.dice.probabilities)[0]
        moves = legal_moves(position, roll, rules)
        if len(moves) > 1:
            played[_decision(rules, position, roll)] += 1
        after = position.turned()
        if moves:
            shuffled = generator.sample(list(moves), len(moves))
            after = max((m.position for m in shuffled), key=lambda to: round(float(worth(to)), 10))
            after = seen(after)
        position = start if rules.pieces in after.home else after
    assert len(found) > 20
    for moves_of in found.keys() | played.keys():
        a, b = found[moves_of], played[moves_of]
        assert abs(a - b) < 6 * math.sqrt(a + b) + 1


LOSSES = {
    "values": Loss(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    "differences": Loss(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    "regret": Loss(0.0, 0.0, 1.0, 0.1, 0.0, 0.0, 0.0),
    "best": Loss(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0),
    "errors": Loss(0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0),
}


def _naive_loss(name: str, v: list[float], w: list[float], logits: list[float]) -> float:
    """Return the loss of a decision, from its moves' values by network and solution."""
    number = len(v)
    best = [k for k in range(number) if w[k] == max(w)]
    if name == "values":
        return sum((a - b) ** 2 for a, b in zip(v, w, strict=True)) / number
    if name == "differences":
        apart = [(a - sum(v) / number) - (b - sum(w) / number) for a, b in zip(v, w, strict=True)]
        return sum(x * x for x in apart)
    weights = [
        math.exp(x / 0.1) if name == "regret" else math.exp(2 * y)
        for x, y in zip(v, logits, strict=True)
    ]
    drawn = [x / sum(weights) for x in weights]
    if name == "regret":
        return sum(p * (max(w) - b) for p, b in zip(drawn, w, strict=True))
    right = sum(drawn[k] for k in best)
    return -math.log(right) if name == "best" else 1 - right


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_are_those_of_the_loss(name: str) -> None:
    """Two decisions: one of four moves, two of them best, and one with a winning move."""
    decisions = Decisions(
        np.array([0, 4, 7]),
        np.array([KEPT, PASSED, PASSED, KEPT, PASSED, WON, KEPT]),
        np.array([0.5, 0.6, 0.6, 0.3, 0.9, 1.0, 0.8]),
        samples_for(7, 1),
        np.zeros(3),
    )
    session = _session(own("tiny"))
    room = room_for(session.trainer.shape)
    logits = np.array([0.3, -0.2, 0.5, 0.1, -2.0, 0.0, 1.0])

    def loss(logits: Any) -> float:
        total = 0.0
        for first, last in ((0, 4), (4, 7)):
            turns = decisions.turns[first:last].tolist()
            y = [
                9.0 if t == WON else t * float(x)
                for t, x in zip(turns, logits[first:last], strict=True)
            ]
            v = [1 / (1 + math.exp(-x)) for x in y]
            v = [1.0 if t == WON else x for t, x in zip(turns, v, strict=True)]
            y = [200.0 if t == WON else x for t, x in zip(turns, y, strict=True)]
            total += _naive_loss(name, v, decisions.chances[first:last].tolist(), y)
        return total

    room.logits[:7] = logits
    found = slopes(LOSSES[name], decisions, 0, 2, room)
    assert found == pytest.approx(loss(logits), abs=1e-6)
    for k in range(7):
        step = np.zeros(7)
        step[k] = 1e-5
        slope = (loss(logits + step) - loss(logits - step)) / 2e-5
        assert room.slopes[k] == pytest.approx(slope, abs=1e-5)
    # Of the first decision the third move's chance is 0.38, the second's 0.55, the first's 0.57.
    assert decisions.counts[[MADE, RIGHT]].tolist() == [2, 1]
    assert decisions.counts[LOST] == pytest.approx(0.1)


def test_gradients_do_not_depend_on_blocks() -> None:
    session = _session(own("tiny"), explore=1.0)
    decisions = session.drawn.draw(session.perfect, 0, PART)
    net = views(session.trainer.flat, session.trainer.shape)
    room, loss = room_for(session.trainer.shape), LOSSES["differences"]

    def gradient(low: int, high: int) -> tuple[float, Any]:
        flat = np.zeros_like(session.trainer.flat)
        own = views(flat, session.trainer.shape)
        return distil_gradient(net, True, loss, decisions, low, high, room, own), flat

    whole, all_at_once = gradient(0, PART)
    single = [gradient(d, d + 1) for d in range(PART)]
    assert whole == pytest.approx(sum(loss for loss, _ in single))
    np.testing.assert_allclose(sum(flat for _, flat in single), all_at_once, atol=1e-4, rtol=1e-3)


def test_what_is_learned_is_what_plays() -> None:
    """Values in training and in playing are equal except for rounding, also with look-ahead."""
    session = _session(own("tiny"), inputs="path+threats", explore=1.0)
    session.trainer.flat[:] = np.random.default_rng(1).normal(0, 0.3, session.trainer.flat.size)
    session.trainer.average[:] = session.trainer.flat
    decisions = session.drawn.draw(session.perfect, 0, PART)
    number = int(decisions.start[PART])
    found = np.zeros(number, np.float32)
    net = views(session.trainer.flat, session.trainer.shape)
    network_chances(net, True, decisions.samples, 0, number, room_for(session.trainer.shape), found)
    arrays = network_arrays(session.network())
    ahead = 0
    for k in range(number):
        if decisions.turns[k] == WON:
            continue
        active = decisions.samples.active[k, : decisions.samples.number[k]].tolist()
        position = decoded(session.rules, active)
        mine, theirs = masks(position)
        value = evaluate_network(arrays, mine, position.home[0], theirs, position.home[1])
        assert 2 * found[k] - 1 == pytest.approx(value / CERTAIN, abs=4e-3)
        ahead += bool(decisions.samples.dense[k].any())
    assert ahead > 20


SETTINGS = {"units": 12, "later": 4, "iterations": 300, "batch": 2, "uniform": 0.2}


def _train(file: Path, **more: Any) -> Trained:
    given = {"output": file, "settings": SETTINGS, "threads": 1, "rules": own("tiny"), **more}
    return train("distil", **given)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 400)


@pytest.mark.jit
@pytest.mark.parametrize("loss", ["regret", "differences", "values", "best"])
def test_a_small_game_is_learned(loss: str, tmp_path: Path) -> None:
    found = _train(tmp_path / "n.npz", settings={**SETTINGS, "loss": loss})
    assert found.figures["decisions"] == 300 * 2 * PART
    assert found.strengths[0].wins < 0.475
    assert found.strengths[-1].wins > 0.485


@pytest.fixture
def tiny_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use small parts of batches, and few games to measure strength."""
    monkeypatch.setattr(training, "GAMES", 4)
    monkeypatch.setattr(in_training, "PART", 4)


@pytest.mark.usefixtures("tiny_parts")
def test_beginning_with_a_network(tmp_path: Path) -> None:
    few = {**SETTINGS, "iterations": 1}
    _train(tmp_path / "a.npz", settings=few)
    first, start = read_network(tmp_path / "a.npz"), {"start": tmp_path / "a.npz"}
    found = _train(tmp_path / "b.npz", settings={**few, "rate": 0.0, "last_rate": 0.0}, **start)
    np.testing.assert_allclose(found.network.first, first.first, atol=1e-6)
    assert found.network.card["start_card"]["command"] == first.card["command"]
    with pytest.raises(UsageError, match=r"has units=12, later=4, .* inputs=path\. "):
        _train(tmp_path / "c.npz", settings={**few, "inputs": "path+threats"}, **start)


def test_games_without_a_solution(tmp_path: Path) -> None:
    with pytest.raises(OutOfDomainError, match="more than once"):
        _train(tmp_path / "n.npz", rules=urcx.ruleset("murray", pieces=1))
    with pytest.raises(TooLargeError, match="urcx solve --rules finkel"):
        _train(tmp_path / "n.npz", rules=urcx.ruleset("finkel"))

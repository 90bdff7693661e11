"""Rounds of expert iteration: the teacher's values, the losses, and their order."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive_learning import Naive
from own_rules import own

import urcx
from urcx.agents.agent_kernels import FIRST, pick_chance
from urcx.agents.networks import Network, network_lookahead, network_policy
from urcx.contrib.learning import distil_kernels, td
from urcx.contrib.learning.distil import DIFFERENCES
from urcx.contrib.learning.strength import perfect_policy, strength_of
from urcx.contrib.learning.td import (
    RoundsPlan,
    TdSession,
    TdSettings,
    looking_ahead,
    td_memory,
    td_seconds,
)
from urcx.contrib.learning.weights import PART, Trainer, shape_for, started
from urcx.engine.moves import masks
from urcx.errors import OutOfDomainError
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder

SMALL = TdSettings(
    units=6, later=3, iterations=2, games=3, plies=8, rounds=3, steps=2, ahead=2,
    inputs="path+threats",
)  # fmt: skip


def _session(rules: RuleSet, settings: TdSettings = SMALL, threads: int = 1) -> TdSession:
    session = TdSession(rules, settings, 1, threads)
    for _ in range(settings.iterations):
        session.advance()
    return session


@pytest.mark.parametrize("plies", [1, 2])
def test_the_teacher_searches_with_the_networks_values(plies: int) -> None:
    rules = own("tiny")
    shape = shape_for(rules, 6, 3, inputs="path+threats")
    generator = np.random.default_rng(3)
    flat = started(shape, generator, 6)
    flat += generator.normal(scale=0.3, size=flat.size).astype(np.float32)
    found = looking_ahead(Trainer(shape, flat).network(rules), LayerOrder(rules), plies, 1)
    naive = Naive(rules, shape, flat)
    order = urcx.ranking(rules.path, rules.pieces, convention="mover-view")
    for rank in range(order.size):
        position = order.unrank(rank)
        if rules.pieces in position.home:
            continue
        own_steps, other = masks(position)
        chance = pick_chance(found, 0, own_steps, position.home[0], other, position.home[1])
        # Networks that play have weights in fixed point.
        assert chance / found.certain == pytest.approx(naive.backup(position, plies), abs=2e-3)


def test_each_round_has_a_teacher_of_its_own_that_stays() -> None:
    session = _session(urcx.ruleset("finkel", pieces=2))
    assert session._rounds is not None
    for step in range(SMALL.plan.total):
        average, teacher = session.trainer.average.copy(), session._rounds.teacher.copy()
        before = session._rounds._values
        session.advance()
        begins = step % SMALL.steps == 0
        expected, other = (average, teacher) if begins else (teacher, average)
        assert session._rounds.teacher.tobytes() == expected.tobytes() != other.tobytes()
        assert (session._rounds._values is before) == (not begins)
    assert session.done == session.total
    assert session.figures()["decisions"] == SMALL.plan.total * td.PARTS * PART


def test_the_loss_is_a_setting() -> None:
    assert TdSettings().plan.regret
    assert not TdSettings(loss="differences").plan.regret


@pytest.mark.parametrize(
    ("number", "regret", "turn"), [(1, True, 65), (3, True, 200), (3, False, 300)]
)
def test_regret_is_made_small_at_the_end(
    number: int, regret: bool, turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the last round, or the last third of a single round; the optimiser restarts there."""
    plan = RoundsPlan(number, 100, 1, 1e-3, 1e-5, regret)
    assert plan.turn == turn
    losses: list[Any] = []

    def gradient(*given: Any) -> float:
        losses.append(given[2])
        return 0.0

    monkeypatch.setattr(distil_kernels, "distil_gradient", gradient)
    session = _session(urcx.ruleset("finkel", pieces=2), replace(SMALL, rounds=number, steps=100))
    assert session._rounds is not None
    session._rounds.plan = plan
    taken: list[float] = []
    step_by = session.trainer.step_by

    def recorded(one: Any, parts: int, size: int, rate: float, span: float) -> float:
        taken[:] = rate, span
        return step_by(one, parts, size, rate, span)

    monkeypatch.setattr(session.trainer, "step_by", recorded)
    at_the_turn = ((turn, 1), (plan.total - 1, 2)) if regret else ()
    for step, fresh in ((0, 1), (1, 2), (turn - 1, 3), *at_the_turn):
        losses.clear()
        session._rounds.advance(step)
        wave = (1 + math.cos(math.pi * step / plan.total)) / 2
        rate = (1e-5 + (1e-3 - 1e-5) * wave) * fresh / 200
        assert taken == pytest.approx([rate, 0.03 * (step + 1)])
        assert len(losses) == td.PARTS
        assert (losses[0] == DIFFERENCES) == (step < turn)
        assert (losses[0].regret > 0) == (step >= turn)
        assert session.trainer.fresh == fresh


def test_rounds_begin_with_averaged_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distil_kernels, "distil_gradient", lambda *_: 0.0)  # no gradient, no step
    session = _session(own("tiny"), replace(SMALL, average=1.0))
    average = session.trainer.average.copy()
    assert session.trainer.flat.tobytes() != average.tobytes()
    session.advance()
    assert session.trainer.flat.tobytes() == average.tobytes()
    assert session.trainer.average.tobytes() == average.tobytes()


def _wins(network: Network, rules: RuleSet) -> float:
    policy = network_policy(network, rules, network_lookahead(rules, 1), FIRST)
    return strength_of(policy, perfect_policy(rules, None, 1), rules, games=400, threads=1).wins


@pytest.mark.jit
def test_rounds_make_a_network_stronger() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    settings = TdSettings(
        units=24, iterations=12, games=32, plies=32, rounds=2, steps=400, round_rate=4e-3
    )
    session = _session(rules, settings)
    before = _wins(session.network(), rules)
    while session.done < session.total:
        session.advance()
    after = _wins(session.network(), rules)
    assert before < 0.4
    assert 0.5 - after < 0.5 * (0.5 - before)


def test_estimates_count_the_rounds() -> None:
    rules = urcx.ruleset("finkel")
    plain, more = TdSettings(), TdSettings(rounds=4)
    assert td_seconds(rules, more) > td_seconds(rules, plain) + 60
    assert td_memory(rules, more) > td_memory(rules, plain) + 2e9


def test_paths_without_layers() -> None:
    skiriuk = urcx.ruleset("skiriuk", pieces=2)
    for asked in (td_seconds, td_memory, lambda rules, plan: TdSession(rules, plan, 1, 1)):
        with pytest.raises(
            OutOfDomainError, match=r"there are no rounds: the path skiriuk crosses"
        ):
            asked(skiriuk, SMALL)


def test_one_piece_leaves_nothing_to_decide() -> None:
    with pytest.raises(OutOfDomainError, match="one piece"):
        TdSession(urcx.ruleset("finkel", pieces=1), SMALL, 1, 1)

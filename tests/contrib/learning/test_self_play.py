"""Backups and self-play against reference implementations, one position at a time."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive import passed, random_positions
from naive_learning import Naive, Option, mover_view
from naive_network import decoded, seen
from numpy.typing import NDArray
from own_rules import own

import urcx
from urcx.contrib.learning.distil import decisions_for
from urcx.contrib.learning.input_kernels import KEPT, PASSED, WON
from urcx.contrib.learning.td import TdSession, TdSettings
from urcx.contrib.learning.td_kernels import SelfPlay, decide, one_ply, play_on, two_plies
from urcx.contrib.learning.weights import Shape, samples_for, shape_for, started
from urcx.engine.moves import legal_moves
from urcx.games.game_kernels import GAMMA, LOW, draw, mixed, one_of, stream
from urcx.games.simulator import dice_slots
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

# On the last one's path pieces capture where they enter the board.
GAMES = [("finkel", 3), ("blitz", 2), ("masters", 2), ("tiny", 2)]
SMALL = TdSettings(units=6, iterations=4, games=3, plies=8, batch=8, last_batch=24)
DECIDING = replace(
    SMALL, later=3, inputs="path+threats", games=17, plies=4, decisions=0.75, finish=0.5
)
ROUNDS = replace(SMALL, iterations=2, later=3, inputs="path+threats", rounds=3, steps=2, ahead=2)


def _naive(rules: RuleSet, shape: Shape, seed: int = 2) -> tuple[Naive, NDArray[np.float32]]:
    generator = np.random.default_rng(seed)
    flat = started(shape, generator, 10)
    flat += generator.normal(scale=0.3, size=flat.size).astype(np.float32)
    flat[-1] = 0.7  # the constant, which counts when the turn passes
    return Naive(rules, shape, flat), flat


def _session(rules: RuleSet, shape: Shape, flat: NDArray[np.float32], plies: int) -> TdSession:
    settings = TdSettings(
        units=shape.units, later=shape.later, games=2, plies=plies,
        activation="squared" if shape.squared else "clipped",
        inputs="path+threats" if shape.dense else "path",
    )  # fmt: skip
    session = TdSession(rules, settings, 1, 1)
    session.trainer.flat[:] = flat
    return session


@pytest.mark.parametrize(("name", "pieces"), GAMES)
@pytest.mark.parametrize(
    ("later", "squared", "inputs"),
    [(0, True, "path"), (0, False, "path+threats"), (4, True, "path+threats")],
)
def test_backups(name: str, pieces: int, later: int, inputs: str, *, squared: bool) -> None:
    rules = own("tiny") if name == "tiny" else urcx.ruleset(name, pieces=pieces)
    shape = shape_for(rules, 20, later, squared=squared, inputs=inputs)
    naive, flat = _naive(rules, shape)
    look = _session(rules, shape, flat, 4)._looks[0]
    for number, position in enumerate(random_positions(rules, 40, seed=4)):
        view = mover_view(position)
        found = one_ply(look, look.near, view)
        assert found == pytest.approx(naive.backup(position, 1), abs=2e-6)
        assert look.near.chances[0] == pytest.approx(naive.value(position), abs=2e-6)
        if number % 10 == 0:
            found = two_plies(look, view)
            assert found == pytest.approx(naive.backup(position, 2), abs=2e-6)
            assert look.near.chances[0] == pytest.approx(naive.value(position), abs=2e-6)


def _begun(seed: int, number: int, explore: int) -> SelfPlay:
    with np.errstate(over="ignore"):
        streams = np.array([stream(seed, game) for game in range(number)], np.uint64)
    return SelfPlay(np.zeros((number, 4), np.int64), streams, np.zeros(number, np.int64), explore)


@pytest.mark.parametrize(("explore", "depth"), [(0, 1), (1 << 31, 1), (0, 2)])
def test_targets_are_backups_and_what_was_learned_later(explore: int, depth: int) -> None:
    rules = urcx.ruleset("finkel", pieces=2 if depth == 1 else 1)
    shape = shape_for(rules, 6)
    naive, flat = _naive(rules, shape)
    plies = 90 if depth == 1 else 40
    session = _session(rules, shape, flat, plies)
    samples = samples_for(2 * plies, 8)
    targets = np.zeros(2 * plies, np.float32)
    games = _begun(9, 2, explore)
    with np.errstate(over="ignore"):
        traces = session._traces[0]
        play_on(session._looks[0], traces, depth, 0.8, games, 0, 2, samples, targets)
    assert games.ended.min() > 0
    passed = kept = explored = 0
    for table in range(2):
        places = [
            decoded(rules, samples.active[n, : samples.number[n]].tolist())
            for n in range(table, 2 * plies, 2)
        ]
        assert places[0] == urcx.Game(rules).position
        ahead = 0.0
        for t in range(plies - 1, -1, -1):
            place = places[t]
            turn = 0.0
            if t + 1 < plies:
                for roll in rules.dice.rolls:
                    after = naive.best(place, roll, depth)[1]
                    if after is None:
                        continue
                    if after.light_to_move and after == places[t + 1]:
                        turn = 1.0
                        kept += 1
                        break
                    if not after.light_to_move and after.turned() == places[t + 1]:
                        turn = -1.0
                        passed += 1
                        break
                else:
                    explored += places[t + 1] != places[0]
            expected = naive.backup(place, depth) + 0.8 * turn * ahead
            target = float(targets[t * 2 + table])
            assert target == pytest.approx(min(max(expected, 0), 1), abs=2e-5)
            ahead = expected - naive.value(place)
    assert passed > 5
    assert kept > 0
    assert (explored > 0) == (explore > 0)


@pytest.mark.parametrize("explore", [0, 1 << 31])
def test_decisions_have_the_backups_of_their_moves(explore: int) -> None:
    """Each decision of a game, in order; the next one follows from the best move, or another."""
    rules = urcx.ruleset("finkel", pieces=2)
    shape = shape_for(rules, 6)
    naive, flat = _naive(rules, shape)
    session, plies, games = _session(rules, shape, flat, 4), 120, _begun(3, 1, explore)
    out = decisions_for(rules, session.trainer, plies, np.zeros(3))
    with np.errstate(over="ignore"):
        number = decide(session._looks[0], plies, games, 0, 1, out)
    assert games.ended[0] > 0
    assert number > 20
    game = iter(_followed(naive, 3, plies, explore))
    for d in range(number):
        place, roll = next(game)
        found: list[Option] = []
        for k in range(out.start[d], out.start[d + 1]):
            if out.turns[k] == WON:
                found.append((1.0, None))
                continue
            after = decoded(rules, out.samples.active[k, : out.samples.number[k]].tolist())
            found.append((float(out.chances[k]), after if out.turns[k] == KEPT else after.turned()))
        expected = naive.options(place, roll, 2)
        assert {place for _, place in found} == {place for _, place in expected}
        assert sorted(x for x, _ in found) == pytest.approx(
            sorted(x for x, _ in expected), abs=2e-6
        )
    assert set(out.turns[: out.start[number]].tolist()) >= {KEPT, PASSED}


def _followed(naive: Naive, seed: int, plies: int, explore: int) -> Iterator[tuple[Position, int]]:
    """Play a game by the stream of table 0, and yield its decisions."""
    rules, place = naive.rules, urcx.Game(naive.rules).position
    slots = dice_slots(rules.dice)
    with np.errstate(over="ignore"):
        state = np.uint64(stream(seed, 0))
        for _ in range(plies):
            state, r, half = draw(np.uint64(state), slots)
            roll = int(rules.dice.rolls[r])
            moves = legal_moves(place, roll, rules)
            after = passed(place)
            if moves:
                chosen = int(np.argmax([value for value, _ in naive.options(place, roll, 2)]))
                if len(moves) > 1:
                    yield place, roll
                    if explore:
                        state = np.uint64(state) + GAMMA
                        if int(mixed(state)) & int(LOW) < explore:
                            starts = sum(1 << move.start for move in moves)
                            state, start = one_of(state, np.uint64(half), starts)
                            chosen = [move.start for move in moves].index(int(start))
                after = moves[chosen].position
            place = urcx.Game(rules).position if rules.pieces in after.home else seen(after)


def _trained(settings: TdSettings, threads: int) -> TdSession:
    rules = own("tiny") if settings.rounds else urcx.ruleset("finkel", pieces=2)
    session = TdSession(rules, settings, 5, threads)
    while session.done < session.total:
        session.advance()
    return session


def _state(session: TdSession) -> dict[str, Any]:
    return {name: kept.array.tobytes() for name, kept in session.arrays().items()}


@pytest.mark.parametrize(
    "settings", [SMALL, DECIDING, ROUNDS], ids=["values", "decisions", "rounds"]
)
def test_the_seed_decides_and_not_the_threads(settings: TdSettings) -> None:
    one, two = _trained(settings, 1), _trained(settings, 2)
    assert _state(one) == _state(two)
    other = TdSession(one.rules, settings, 6, 1)
    other.advance()
    assert _state(other) != _state(one)
    games, plies = settings.games, settings.plies
    by_values = round(settings.iterations * (1 - settings.decisions))
    assert one.figures()["positions"] == by_values * games * plies
    assert (one.figures()["decisions"] > 0) == (settings.decisions > 0 or settings.rounds > 0)


@pytest.mark.parametrize("finish", [0.5, 1.0])
def test_the_teacher_is_the_average_and_stays_at_the_end(finish: float) -> None:
    """Decisions begin with the second of four iterations; from the third the teacher is fixed."""
    rules = urcx.ruleset("finkel", pieces=2)
    session = TdSession(rules, replace(DECIDING, finish=finish), 1, 1)
    session.advance()
    for number in range(3):
        average, teacher = session.trainer.average.copy(), session._teacher.copy()
        stays = number > (1 if finish == 0.5 else 0)
        session.advance()
        expected, other = (teacher, average) if stays else (average, teacher)
        assert session._teacher.tobytes() == expected.tobytes() != other.tobytes()

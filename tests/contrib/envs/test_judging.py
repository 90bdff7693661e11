"""Judgements of policies: exact ones agree with `urcx.regret`, estimates with exact ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_choices
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import mcts
from own_rules import own

import urcx
from urcx.contrib.envs import Judgement, judge
from urcx.contrib.envs.openspiel import load_game
from urcx.contrib.envs.states import State
from urcx.contrib.envs.weighing import WeighedMoves
from urcx.errors import TooLargeError, UnusableFileError, UsageError
from urcx.played.values import SolvedGame
from urcx.rules.model import RuleSet

SHORT = own("short")


def means(result: Judgement) -> np.ndarray[Any, Any]:
    return np.array([result.wins, result.perfect, result.loss, result.decisions, result.mistakes])


def least_advanced(seen: Any, mask: Any) -> int:
    del seen
    return int(np.flatnonzero(mask)[0])


def uniform(seen: Any, mask: Any) -> Any:
    del seen
    return mask / mask.sum()


@pytest.mark.parametrize(
    "name", ["random", "greedy", "greedy:random", "optimal", "mistakes:30:last"]
)
@pytest.mark.parametrize("rules", [SHORT, own("wings")], ids=lambda rules: rules.name)
def test_following_all_games_gives_what_regret_gives(name: str, rules: RuleSet) -> None:
    whole = judge(name, rules)
    ref = urcx.regret(name, rules).regrets[0]
    assert whole.exact
    assert whole.wins == ref.side.wins
    halves = [judge(name, rules, seats=seats, exact=True) for seats in ("first", "second")]
    assert np.allclose(sum(map(means, halves)) / 2, means(whole), rtol=0, atol=1e-9)
    for half in halves:
        assert half.error < 1e-9
        assert half.perfect - half.loss == pytest.approx(half.wins, abs=1e-9)
    assert halves[0].perfect > 0.5 > halves[1].perfect


def test_perfect_play_takes_the_first_of_equal_moves() -> None:
    state = State()
    assert WeighedMoves([state] * 4, [0.2, 0.7, 0.7, 0.1], 0.0).best == 1
    assert WeighedMoves([state] * 4, [0.2, 0.69, 0.7, 0.1], 0.02).best == 1
    moves = WeighedMoves([state] * 3, [0.2, 0.7, 0.3], 0.0)
    assert moves.lost([0.5, 0.25, 0.25]) == pytest.approx((0.35, 0.75))
    assert moves._replace(tie_width=0.45).lost([0.5, 0.25, 0.25]) == pytest.approx((0.35, 0.5))


@pytest.mark.parametrize("rules", [own("odd"), own("skiriuk", pieces=1)], ids=lambda r: r.name)
def test_paths_without_layers(rules: RuleSet) -> None:
    best = judge("optimal", rules)
    assert best.exact
    assert (best.loss, best.mistakes) == (0.0, 0.0)
    assert best.wins == pytest.approx(best.perfect, abs=1e-9)
    known = SolvedGame(rules)
    light = known.probe("-/-/0-0/L")
    assert judge("optimal", rules, seats="first").wins == pytest.approx(light, abs=1e-9)
    assert judge("optimal", rules, seats="second").wins == pytest.approx(1 - light, abs=1e-9)


def test_every_kind_of_policy_is_judged_alike() -> None:
    class Object:
        def choose(self, game: urcx.Game, roll: int, rng: Any) -> urcx.Move:
            del rng
            return game.legal_moves(roll)[0]

    class Spiel(spiel_policy.Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:
            assert state.current_player() == player_id
            return {state.legal_actions()[0]: 1.0}

    def function(position: Any, roll: int, moves: Any) -> Any:
        del position, roll
        return moves[0]

    def probabilities(seen: Any, mask: Any) -> Any:
        return np.eye(len(mask), dtype=np.float32)[least_advanced(seen, mask)]

    ref = judge("first", SHORT)
    game = load_game(SHORT)
    for policy in (
        Object(), function, Spiel(game, [0, 1]), least_advanced, probabilities, urcx.agent("first"),
    ):  # fmt: skip
        found = judge(policy, SHORT)
        assert found.exact
        assert np.allclose(means(found), means(ref), rtol=0, atol=1e-9)
    chancy = spiel_policy.UniformRandomPolicy(game)
    ref = judge("random", SHORT)
    for policy in (chancy, uniform):
        assert np.allclose(means(judge(policy, SHORT)), means(ref), rtol=0, atol=1e-9)
    assert judge(least_advanced, SHORT).policy == "least_advanced"


def fails(_seen: Any, _mask: Any) -> int:
    raise ValueError("no\nidea")


def rearmost(seen: Any, masks: Any) -> Any:
    del seen
    return masks.argmax(axis=1)


def by_start_pool(seen: Any, masks: Any) -> Any:
    """Move the last piece while others wait in the start pool, then any piece."""
    actions = masks.shape[1]
    last = np.eye(actions)[actions - 1 - masks[:, ::-1].argmax(axis=1)]
    waits = seen[:, 2 * (actions - 2)] > 0
    return np.where(waits[:, None], last, masks / masks.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    "rules", [SHORT, own("wings"), own("odd"), own("skiriuk", pieces=1)], ids=lambda r: r.name
)
@pytest.mark.parametrize("policy", [rearmost, by_start_pool])
def test_a_policy_of_batches_is_judged_as_one_state_at_a_time(policy: Any, rules: RuleSet) -> None:
    def alone(seen: Any, mask: Any) -> Any:
        return policy(seen[None], mask[None])[0]

    for seats in ("both", "first", "second"):
        ref = judge(alone, rules, seats=seats, exact=True)
        found = judge(policy, rules, seats=seats, batched=True)
        assert (found.exact, found.policy) == (True, policy.__name__)
        assert np.allclose(means(found), means(ref), rtol=0, atol=1e-11)
    ref = judge(alone, rules, exact=False, games=30, seed=2)
    found = judge(policy, rules, batched=True, exact=False, games=30, seed=2)
    assert found == replace(ref, policy=policy.__name__)


def test_a_policy_of_batches_is_asked_once_in_each_decision_that_games_come_to() -> None:
    asked: dict[bytes, int] = {}

    def act(seen: Any, masks: Any) -> Any:
        actions = masks.argmax(axis=1)
        found = [row.tobytes() for row in seen]
        assert not asked.keys() & found
        asked.update(zip(found, actions.tolist(), strict=True))
        return actions

    def alone(seen: Any, mask: Any) -> int:
        assert asked.pop(seen.tobytes()) == mask.argmax()
        return int(mask.argmax())

    def known(seen: Any) -> Any:
        return np.array([asked[row.tobytes()] for row in seen])

    ref = judge(act, SHORT, seats="first", batched=True)
    assert len(asked) > 50
    assert judge(known, SHORT, seats="first", batched=True).loss == ref.loss
    judge(alone, SHORT, seats="first", exact=True)
    assert not asked


@pytest.mark.jit
@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_more_positions_are_followed_where_batches_are_taken(
    pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pieces == 2:
        monkeypatch.setattr("urcx.contrib.envs.judging.MOST_EXACT", 20_000)  # of 26,224
    rules = urcx.ruleset("finkel", pieces=pieces)
    found = judge(rearmost, rules, batched=True)
    ref = urcx.regret("first", rules).regrets[0].side
    assert found.exact
    assert found.error < 1e-10
    assert np.allclose(
        [found.wins, found.loss, found.decisions, found.mistakes],
        [ref.wins, ref.loss, ref.decisions, ref.mistakes], rtol=0, atol=1e-11,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("greedy", "policy: must be a function, not 'greedy'"),
        (lambda _, masks: 0 * masks[:, 0] + 6, r"action 6 is not legal in .* roll \d; legal: \d"),
        (lambda _, masks: 0 * masks[:, 0] - 1, r"action -1 is not legal in .* roll \d; legal: \d"),
        (lambda _, masks: masks * 0.3, r"must return probabilities .* not 0\.6"),
        (lambda _, masks: np.where(masks, np.nan, 0), "must return probabilities .* not nan"),
        (lambda _, masks: np.full(masks.shape, 1 / 7), "plays illegal actions in .*; legal: "),
        (lambda _, masks: masks.argmax(axis=1)[:-1], r"returns an array of shape \(\d+,\) and "),
        (lambda _, masks: masks.argmax(axis=1) + 0.5, "type float64 for .* observations, not "),
        (lambda _, masks: [["a"] * 7] * len(masks), "and type <U1 for "),
        (fails, "the policy fails fails with .* observations: ValueError: no idea$"),
    ],
)  # fmt: skip
def test_what_is_no_policy_of_batches_is_said_in_one_line(policy: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text) as found:
        judge(policy, SHORT, batched=True)
    assert "\n" not in str(found.value)


def test_an_agent_that_says_how_likely_its_moves_are() -> None:
    class Chancy:
        name = "chancy"

        def choose(self, game: urcx.Game, roll: int, rng: np.random.Generator) -> urcx.Move:
            moves = game.legal_moves(roll)
            return moves[int(rng.integers(len(moves)))]

        def move_probabilities(self, game: urcx.Game, roll: int) -> dict[urcx.Move, Fraction]:
            moves = game.legal_moves(roll)
            return dict.fromkeys(moves, Fraction(1, len(moves)))

    found = judge(Chancy(), SHORT)
    assert found.policy == "chancy"
    assert np.allclose(means(found), means(judge("random", SHORT)), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("policy", "seats"),
    [(least_advanced, "first"), (uniform, "both"), (random_choices.scattered, "second")],
)
def test_estimates_are_near_what_is_exact(policy: Any, seats: str) -> None:
    ref = judge(policy, SHORT, seats=seats)
    found = judge(policy, SHORT, seats=seats, exact=False, games=400, seed=4)
    assert (ref.exact, found.exact, found.number_of_games) == (True, False, 400)
    assert 0.0 < found.error < 0.025
    assert abs(found.wins - ref.wins) < 2 * found.error
    assert found.perfect == ref.perfect
    assert found.won is not None
    assert abs(found.won - ref.wins) < 0.08
    assert abs(found.decisions - ref.decisions) < 0.1 * ref.decisions
    assert abs(found.mistakes - ref.mistakes) < 0.15 * ref.mistakes
    assert found == judge(policy, SHORT, seats=seats, exact=False, games=400, seed=4)


def test_a_tablebase_open_or_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "short.urcx"
    urcx.solve(SHORT, file=file)
    ref = judge(least_advanced, SHORT)
    with urcx.open_tablebase(file) as base:
        for known in (file, str(file), base):
            assert judge(least_advanced, SHORT, tablebase=known).loss == ref.loss
            assert judge("first", SHORT, tablebase=known).loss == pytest.approx(ref.loss, abs=1e-9)
        with pytest.raises(UnusableFileError, match=r"short with 2 pieces.* finkel"):
            judge(least_advanced, "finkel", tablebase=base)


@pytest.mark.parametrize("rules", [SHORT, own("odd")], ids=lambda rules: rules.name)
def test_whatever_knows_chances_is_a_solution(rules: RuleSet) -> None:
    class Asked:
        def __init__(self) -> None:
            self.rules, self.bound, self._known = rules, None, SolvedGame(rules)

        def probe(self, position: Any) -> float:
            return self._known.probe(position)

    known: Any = Asked()
    for seats in ("first", "second"):
        ref = judge(least_advanced, rules, seats=seats, exact=True)
        found = judge(least_advanced, rules, seats=seats, exact=True, tablebase=known)
        assert np.allclose(means(found), means(ref), rtol=0, atol=1e-11)


def test_a_bot_of_openspiel_is_judged_from_games() -> None:
    game, random = load_game(own("short", pieces=2)), np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 20, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    found = judge(bot, SHORT, games=8)
    assert not found.exact
    assert found.policy == "MCTSBot"
    assert found.loss < judge("random", SHORT).loss
    with pytest.raises(UsageError, match=r"MCTSBot is a bot, .*exact=True"):
        judge(bot, SHORT, exact=True)


def test_a_judgement_says_itself() -> None:
    found = judge("random", SHORT)
    assert str(found) == (
        f"random wins {100 * found.wins:.2f} % of games (exact) against optimal play of short with "
        f"2 pieces, {100 * found.loss:.2f} points less than optimal play would. It loses "
        f"{100 * found.a_decision:.2f} points per decision, and {100 * found.mistaken:.2f} % of "
        "its decisions are mistakes"
    )
    played = judge("random", SHORT, exact=False, games=10)
    error = f"\N{PLUS-MINUS SIGN} {100 * played.error:.2f} points"
    assert f"wins {100 * played.wins:.2f} % of games ({error})" in str(played)
    single = judge("random", "finkel", pieces=1)
    assert single.a_decision == single.mistaken == 0.0  # nothing to decide
    assert " of finkel with 1 piece, " in str(single)


class Evasive:
    """An object that raises an error on every access, whose text has two lines."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no\n{name}")


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        pytest.param(Evasive(), r"asking Evasive for \w+ fails: RuntimeError: no", id="evasive"),
        (3, "policy: must be a function, a policy of OpenSpiel or an Agent, not 3"),
        ("gredy", "unknown agent 'gredy'; did you mean greedy"),
        (lambda _: 6, r"action 6 is not legal in .* with roll \d; legal: "),
        (lambda _: 99, "action 99 is not legal"),
        (lambda _: np.full(7, 1 / 7), "plays illegal actions in .*; legal: "),
        (lambda _, mask: 0.3 * mask, r"must return probabilities .* not 0\.6"),
        (lambda _seen, _mask: "enter", "action 'enter' is not legal"),
        (fails, "the policy fails fails in .* with roll .: ValueError: no idea$"),
    ],
)
def test_what_is_no_policy_is_said_in_one_line(policy: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text) as found:
        judge(policy, SHORT)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("raised", "wanted", "text"),
    [
        (SystemExit(0), UsageError, "the policy .* fails .*: SystemExit: 0$"),
        (GeneratorExit(), UsageError, "the policy .* fails .*: GeneratorExit$"),
        (KeyboardInterrupt(), KeyboardInterrupt, "^$"),
    ],
    ids=repr,
)
def test_a_policy_that_would_end_the_program_fails(
    raised: BaseException, wanted: type[BaseException], text: str
) -> None:
    class Late:
        def __array__(self, *_: object) -> Any:
            raise raised

    class Leaving(spiel_policy.Policy):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def action_probabilities(self, *_: object) -> Any:
            raise raised

    def leaving(_seen: Any, _masks: Any) -> Any:
        raise raised

    for policy, batched in (
        (leaving, False), (leaving, True), (Leaving(), False), (lambda _: Late(), False),
    ):  # fmt: skip
        with pytest.raises(wanted, match=text):
            judge(policy, SHORT, batched=batched)


def test_policies_of_openspiel_that_fail() -> None:
    class Wrong(spiel_policy.Policy):  # type: ignore[misc]
        def __init__(self, found: Any) -> None:
            self.found = found

        def action_probabilities(self, state: Any, player_id: Any = None) -> Any:
            del state, player_id
            return self.found

    for found, said in (
        ({6: 1.0}, "the policy Wrong plays illegal actions"),
        ({0: "much"}, "the policy Wrong .* must return probabilities"),
        ({}, "whose sum is 1, not 0"),
        (None, "the policy Wrong fails in .*: TypeError"),
    ):
        with pytest.raises(UsageError, match=said):
            judge(Wrong(found), SHORT)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"seats": "third"}, "unknown seats 'third'; known: both, first, second"),
        ({"games": 1}, "1 games: must be from 2 to 10,000,000"),
        ({"seed": -1}, "seed -1: must be from 0"),
        ({"rules": "finkle"}, "unknown rule set 'finkle'"),
        ({"tablebase": 3}, "tablebase: must be .*, not 3"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        judge(least_advanced, **({"rules": SHORT} | options))


def test_large_rule_sets_need_a_tablebase() -> None:
    with pytest.raises(TooLargeError, match="urcx solve --rules finkel "):
        judge(least_advanced, "finkel")


def test_what_memory_does_not_hold_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 100_000_000)
    with pytest.raises(TooLargeError, match=r"following all games of short .*, or exact=False"):
        judge(rearmost, SHORT, batched=True)
    assert not judge(rearmost, SHORT, batched=True, exact=False, games=2).exact


def test_games_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.contrib.envs.weighing.MAX_PLIES", 3)
    for exact in (True, False):
        with pytest.raises(urcx.UrcxError, match="end within 3 plies"):
            judge(least_advanced, SHORT, exact=exact)

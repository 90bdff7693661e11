"""OpenSpiel's own tests, algorithms and errors on the game."""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyspiel
import pytest
import random_choices
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, minimax
from own_rules import TEXT, own

import urcx
from urcx.contrib.envs.openspiel import UrGame, load_game
from urcx.contrib.envs.states import rulebook
from urcx.errors import PositionError, UsageError
from urcx.played.values import SolvedGame
from urcx.rules.model import RuleSet

ALL = ["finkel", "kwan", "blitz", "masters", "masters-four-dice", "aseb", "murray", "skiriuk"]
FINKEL = "royal_game_of_ur(rules=finkel,pieces=2)"


class TestApi(api_test.EnforceAPIOnPartialTreeBase):  # type: ignore[misc]
    """The integration tests that OpenSpiel has for every game, on some of its states."""

    game_name = "royal_game_of_ur"
    game = pyspiel.load_game(FINKEL)


@pytest.fixture
def path_file(tmp_path: Path) -> Path:
    file = tmp_path / "own.toml"
    file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ALL)
def test_random_games_with_serialisation(name: str) -> None:
    game = pyspiel.load_game(f"royal_game_of_ur(rules={name},pieces=2)")
    assert game.rules == urcx.ruleset(name, pieces=2)
    random.seed(1)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_all_seven_pieces_by_default() -> None:
    game = pyspiel.load_game("royal_game_of_ur")
    assert game.rules == urcx.ruleset("finkel")
    assert pyspiel.load_game("royal_game_of_ur(rules=finkel,pieces=7)").rules == game.rules
    assert game.num_distinct_actions() == 16
    assert game.observation_tensor_shape() == [38]
    assert game.max_game_length() == game.max_chance_nodes_in_history() == 10_000
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1.0, 1.0, 0.0)


def test_a_playthrough_is_played_again_as_it_was(tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()  # its options, of which none is set
    text = generate_playthrough.playthrough(FINKEL, action_sequence=None, seed=3)
    file = tmp_path / "royal_game_of_ur.txt"
    file.write_text(text, encoding="utf-8")
    expected, actual = generate_playthrough.replay(str(file))
    assert expected == actual
    assert "GameType.chance_mode = ChanceMode.EXPLICIT_STOCHASTIC" in text
    assert 'StringLegalActions() = ["roll 0", "roll 1", "roll 2", "roll 3", "roll 4"]' in text
    assert 'ObservationString(0) = "' in text
    assert "Returns() = [" in text


def test_states_say_what_is_known() -> None:
    state = pyspiel.load_game(FINKEL).new_initial_state()
    assert (str(state), state.is_chance_node()) == ("-/-/0-0/L", True)
    chances = dict(state.chance_outcomes())
    assert list(chances.values()) == [1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16]
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 2) == "roll 2"
    state.apply_action(0)
    assert (str(state), state.legal_actions()) == ("-/-/0-0/L roll 0", [15])
    assert state.action_to_string(0, 15) == "pass"
    state.apply_action(15)
    assert state.is_chance_node()
    state.apply_action(4)
    assert (state.current_player(), state.legal_actions()) == (1, [0])
    assert state.action_to_string(1, 0) == "0-4"
    state.apply_action(0)
    assert str(state) == "-/4/0-0/D"  # step 4 is a rosette
    state.apply_action(1)
    assert state.current_player() == 1
    assert state.observation_string(0) == state.observation_string(1) == "-/4/0-0/D roll 1"
    book = rulebook(urcx.ruleset("finkel", pieces=2))
    for player in (0, 1):
        assert state.observation_tensor(player) == book.observation(state.state, player).tolist()


def test_a_game_that_lasts_too_long_is_a_draw() -> None:
    game = load_game("finkel", max_plies=3)
    state = game.new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(0)
        state.apply_action(15)
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert state.move_number() == 6
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_a_game_by_object_is_loaded_elsewhere_from_its_text(path_file: Path) -> None:
    game = load_game(own("odd"))
    again = pyspiel.load_game(str(game))
    assert again.rules.plays_like(own("odd"))
    assert again.rules.name == "odd"
    state = game.new_initial_state()
    state.apply_action(1)
    _, back = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(back) == str(state)
    named = load_game("odd", path_file=path_file, pieces=2)
    assert str(named) == str(game)
    by_text = pyspiel.load_game(f"royal_game_of_ur(rules=short,path_file={path_file})")
    assert by_text.rules == own("short")
    on_path = pyspiel.load_game(f"royal_game_of_ur(path=short,pieces=1,path_file={path_file})")
    assert on_path.rules.path == own("short").path
    assert "described=," in str(load_game("blitz", pieces=3))


def test_positions_of_ones_own() -> None:
    game = load_game("finkel")
    state = game.state_of(urcx.Game("finkel", position="2/3,6/5-5/L"), 4)
    assert (state.current_player(), state.legal_actions()) == (0, [0, 2])
    copy = state.clone()
    copy.apply_action(2)
    assert (str(copy), str(state)) == ("6/3/5-5/D", "2/3,6/5-5/L roll 4")
    with pytest.raises(UsageError, match=r"blitz, not finkel"):
        game.state_of(urcx.Game("blitz"), 1)
    with pytest.raises(UsageError, match="roll 7"):
        game.state_of(urcx.Game("finkel"), 7)
    over = urcx.Game("finkel", position="-/-/7-0/D")
    with pytest.raises(PositionError, match="game is over"):
        game.state_of(over, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules=finkle", "unknown rule set 'finkle'; did you mean finkel?"),
        ("pieces=-1", "pieces -1: must be from 1 to 255"),
        ("max_plies=0", "max_plies 0: must be from 1 to 1,000,000"),
        ("path=bel", "unknown path 'bel'"),
        ("path_file=no.toml", "no.toml"),
        ("described=AAAA", "described: not a rule set as load_game writes it"),
    ],
)
def test_wrong_parameters_are_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as found:
        pyspiel.load_game(f"royal_game_of_ur({text})")
    assert "\n" not in str(found.value)


def test_illegal_actions() -> None:
    state = load_game("finkel").new_initial_state()
    with pytest.raises(UsageError, match="outcome 9: must be from 0 to 4"):
        state.apply_action(9)
    state.apply_action(2)
    with pytest.raises(
        UsageError, match=r"action 7 is not legal in -/-/0-0/L with roll 2; legal: 0$"
    ):
        state.apply_action(7)
    with pytest.raises(UsageError, match=r"params .*: must be None"):
        state.get_game().make_py_observer(None, {"colour": 1})


@pytest.fixture
def value_iteration(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give OpenSpiel's value iteration, which needs a deep stack to search all states.

    It imports a package that it needs only for games with simultaneous moves.
    """
    if importlib.util.find_spec("cvxpy") is None:
        instead = ModuleType("cvxpy")
        instead.ECOS = None  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "cvxpy", instead)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield importlib.import_module("open_spiel.python.algorithms.value_iteration").value_iteration
    sys.setrecursionlimit(before)


def chances_after_rolls(game: UrGame, values: dict[str, float]) -> dict[str, float]:
    """Return the mover's win probability in each position, from values of states with rolls."""
    result: dict[str, float] = {}
    for text in values:
        position, _, roll = text.partition(" roll ")
        if not roll:
            continue
        rolls = zip(game.rules.dice.rolls, game.rules.dice.probabilities, strict=True)
        value = math.fsum(float(p) * values[f"{position} roll {r}"] for r, p in rolls)
        light = (1 + value) / 2
        result[position] = light if position.endswith("L") else 1 - light
    return result


@pytest.mark.parametrize(
    "rules",
    [
        own("short", pieces=1),
        own("corner"),
        pytest.param(own("finkel", pieces=1), marks=pytest.mark.slow),
        pytest.param(own("short"), marks=pytest.mark.slow),
    ],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_value_iteration_of_openspiel_finds_what_our_solver_finds(
    rules: RuleSet, value_iteration: Any
) -> None:
    game = load_game(rules)
    values = value_iteration(game, -1, 1e-13, cyclic_game=True)
    known = SolvedGame(rules)
    found = chances_after_rolls(game, values)
    assert len(found) > 50
    for position, chance in found.items():
        assert abs(chance - known.probe(position)) < 1e-9


def test_expectimax_of_openspiel_finds_the_value_from_values_one_ply_on() -> None:
    rules = own("finkel", pieces=2)
    game, known = load_game(rules), SolvedGame(rules)

    def light(state: Any) -> float:
        chance = known.probe(state.state.position)
        return 2 * (chance if state.state.side == 0 else 1 - chance) - 1

    for text in ("2/3,6/0-0/L", "8/5,7/0-0/D", "12,14/11/0-1/L"):
        game_at = urcx.Game(rules, text)
        total = 0.0
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            state = game.state_of(game_at, roll)
            value, action = minimax.expectiminimax(state, 1, light, 0)
            assert action in state.legal_actions()
            total += float(chance) * value
        assert abs(total - light(game.state_of(game_at, 0))) < 1e-9


def test_rl_environment_plays_a_game() -> None:
    game = load_game(own("short"))
    env = rl_environment.Environment(
        game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=2)
    )
    now = env.reset()
    assert now.observations["legal_actions"][1 - now.observations["current_player"]] == []
    assert len(now.observations["info_state"][0]) == game.book.size
    while not now.last():
        state = env.get_state.state
        now = env.step([random_choices.action(game.book, state)])
    assert sorted(now.rewards) == [-1.0, 1.0]

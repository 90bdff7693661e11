"""The example positions: the search for them in a small game, and the examples of urcx."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from requests_in_place import get

import urcx
from urcx.explore.app import application
from urcx.explore.boards import EXAMPLES_OF, examples
from urcx.explore.explorer import Explorer
from urcx.played.notation import parse_game
from urcx.played.values import SolvedGame

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
module = importlib.import_module("example_positions")

pytest_plugins = ["explorer_fixtures"]

PLIES = 4
PLAYERS = (urcx.agent("optimal"), urcx.agent("greedy"))


def naive(game: urcx.Game, thumb: str, share: float, plies: int) -> dict[tuple[str, int], float]:
    """Count decisions game by game, with their probabilities; one side plays a rule of thumb."""
    found: dict[tuple[str, int], float] = defaultdict(float)
    if plies == 0 or game.is_over:
        return found
    for roll, chance in zip(game.rules.dice.rolls, game.rules.dice.probabilities, strict=True):
        part = share * float(chance)
        moves = game.legal_moves(roll)
        if not moves:
            left = game.passed(roll)
        else:
            if len(moves) > 1:
                seen = game if game.turn == "light" else game.mirrored()
                found[f"{game.turn == thumb} {seen.position}", roll] += part
            played = PLAYERS[game.turn == thumb].choose(game, roll)
            assert played is not None
            left = game.play(played)
        for key, often in naive(left, thumb, part, plies - 1).items():
            found[key] += often
    return found


def test_decisions_come_up_as_often_as_game_by_game() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    known = SolvedGame(rules)
    players = module.by_thumb(rules), module.perfect_play(known)
    found = module.decisions_reached(rules, players, PLIES, 0.0)
    wanted: dict[tuple[str, int], float] = defaultdict(float)
    for thumb in ("light", "dark"):
        for key, often in naive(urcx.Game(rules), thumb, 0.5, PLIES).items():
            wanted[key] += often
    assert {
        (f"{who == 0} {place}", roll): often for (who, place, roll), often in found.items()
    } == (pytest.approx(dict(wanted)))


def test_examples_are_found_in_a_tablebase(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OPENING", PLIES)
    monkeypatch.setattr(module, "EARLY", PLIES)
    with urcx.open_tablebase(file) as base:
        found = module.found_examples(base)
        again = tomllib.loads(module.examples_text(base.rules, found))["example"]
        assert [one["position"] for one in again] == [one.position for one in found]
        for one in found:
            game = urcx.Game(base.rules, one.position)
            hint = urcx.hint(game, one.roll, base)
            if one.kind == "mistake":
                played = urcx.agent("greedy").choose(game, one.roll)
                assert played is not None
                assert one.played == played.start
                (lost,) = (m.regret for m in hint.moves if m.move and m.move.start == one.played)
            else:
                lost = hint.moves[1].regret
            assert one.apart == pytest.approx(float(lost or 0))
            assert one.apart > 0
            assert one.title(base.rules)
        assert found[-1].kind == "closest"


def test_examples_that_come_with_urcx_are_decisions() -> None:
    rules = urcx.ruleset(EXAMPLES_OF)
    kinds = [one.kind for one in examples()]
    assert kinds == ["dilemma"] * module.MOST + ["mistake"] * module.MOST + ["closest"]
    for one in examples():
        game = urcx.Game(rules, one.position)
        assert len(game.legal_moves(one.roll)) > 1
        if one.kind == "mistake":
            played = urcx.agent("greedy").choose(game, one.roll)
            assert played is not None
            assert played.start == one.played


def test_a_page_begins_with_an_example_of_its_game(file: Path) -> None:
    found = get(application(Explorer()), "/api/catalogue")
    first = examples()[0]
    decision = {"position": first.position, "roll": first.roll}
    assert found["default"] == {"rules": "finkel", "pieces": 7, **decision}
    assert len(found["examples"]) == len(examples())
    with urcx.open_tablebase(file) as base:
        default = get(application(Explorer([base])), "/api/catalogue")["default"]
    assert (default["position"], default["roll"]) == ("-/-/0-0/L", None)


@pytest.mark.jit
def test_the_example_game_has_mistakes_of_both_players() -> None:
    game = parse_game(get(application(Explorer()), "/api/catalogue")["example_game"])
    assert (game.rules, game.is_over) == (urcx.ruleset("finkel"), True)
    for side in urcx.review(game).sides:
        assert side.blunders
        assert side.graded_mistakes

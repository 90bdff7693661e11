"""Games of the package royalur, an independent implementation, against our legal moves.

It keeps pieces on the tiles of a grid and knows nothing of masks. What follows was found in its
version 0.0.6. Presets are there for finkel, masters with four dice, and aseb; the other rule sets
are put together from its own boards, paths and dice. Its three dice can state their chances but
not roll, so rolls are drawn here. Where a path comes back to a tile within one roll, a piece that
stands there blocks itself with it, not with us; none of the paths that it offers does so.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import urcx
from urcx.rules.model import Path, RuleSet

royalur = pytest.importorskip("royalur", reason="royalur, the other implementation, is missing")

pytestmark = [pytest.mark.royalur, pytest.mark.jit]

finkel, masters = royalur.GameSettings.create_finkel, royalur.GameSettings.create_masters
PATHS, DICE = royalur.PathType, royalur.DiceType

CASES: dict[str, Callable[[], Any]] = {
    "finkel": finkel,
    "masters-four-dice": masters,
    "aseb": royalur.GameSettings.create_aseb,
    "kwan": lambda: finkel().with_starting_piece_count(6),
    "masters": lambda: masters().with_dice(DICE.THREE_BINARY_0MAX.create_dice),
    "blitz": lambda: masters().with_starting_piece_count(5).with_captures_grant_extra_rolls(True),
    "murray": lambda: finkel().with_paths(PATHS.MURRAY),
    "skiriuk": lambda: finkel().with_paths(PATHS.SKIRIUK),
}
LONG = ("murray", "skiriuk")  # games of about a thousand plies

# Whether rosettes grant a roll, whether they protect, and whether captures grant a roll.
FLAGS = list(product((False, True), repeat=3))

OTHERS = [
    name
    for name in urcx.path_names()
    if name not in ("bell", "masters", "murray", "skiriuk", "aseb")
]


@pytest.mark.parametrize("name", CASES)
def test_settings_are_the_same(name: str) -> None:
    rules, theirs = urcx.ruleset(name), CASES[name]()
    path = rules.path
    assert {str(tile) for tile in theirs.board_shape.tiles} == set(path.board.tiles)
    assert {str(tile) for tile in theirs.board_shape.rosettes} == path.board.rosettes
    assert tuple(map(str, theirs.paths.light)) == path.light
    assert tuple(map(str, theirs.paths.dark)) == path.dark
    assert theirs.starting_piece_count == rules.pieces
    assert theirs.safe_rosettes == rules.rosette_protects
    assert theirs.rosettes_grant_extra_rolls == rules.rosette_grants_roll
    assert theirs.captures_grant_extra_rolls == rules.capture_grants_roll
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    given = enumerate(theirs.dice().get_roll_probabilities())
    assert {roll: p for roll, p in given if p} == chances  # sixteenths: exact as floats


@pytest.mark.parametrize("name", CASES)
def test_games_agree(name: str) -> None:
    rules = urcx.ruleset(name)
    games = 3 if name in LONG else 5
    seen = play_and_compare(rules, CASES[name](), games, seed=3)
    assert seen["plies"] > 100 * games
    assert seen["moves"] > 2 * seen["plies"]
    assert seen["captures"] > 20 * games
    assert seen["rosettes"] > 50 * games
    assert seen["rolls again"] > 50 * games
    assert seen["from the pool"] > 50 * games
    assert seen["home"] > rules.pieces * games
    assert seen["passes"] > games
    assert seen["light won"]
    assert seen["dark won"]
    assert not seen["to the own tile"]
    assert not comes_back(rules)


@pytest.mark.parametrize("flags", FLAGS, ids=str)
@pytest.mark.parametrize(
    "name", ["murray", pytest.param("masters-four-dice", marks=pytest.mark.slow)]
)
def test_flags_agree(name: str, flags: tuple[bool, bool, bool]) -> None:
    grants, protects, capture = flags
    rules = replace(
        urcx.ruleset(name),
        rosette_grants_roll=grants,
        rosette_protects=protects,
        capture_grants_roll=capture,
    )
    theirs = (
        CASES[name]()
        .with_rosettes_grant_extra_rolls(grants)
        .with_safe_rosettes(protects)
        .with_captures_grant_extra_rolls(capture)
    )
    seen = play_and_compare(rules, theirs, 1 if name in LONG else 2, seed=5)
    assert seen["plies"] > 300
    assert seen["captures"] > 80
    assert seen["rosettes"] > 150
    assert (seen["rolls again"] > 0) == (grants or capture)


@pytest.mark.parametrize(
    "name", [*OTHERS[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS[2:])]
)
def test_paths_handed_over_agree(name: str) -> None:
    # Our paths, its moves: laps repeated, twisted, and there and back.
    rules = replace(urcx.ruleset("finkel"), path=urcx.path(name))
    seen = play_and_compare(rules, finkel().with_paths(handed_over(rules.path)), 1, seed=7)
    assert seen["plies"] > 300
    assert seen["captures"] > 100
    assert seen["rosettes"] > 150
    assert (seen["to the own tile"] > 0) == comes_back(rules)
    assert comes_back(rules) == (name.startswith("michon-short") and name.endswith("backtrack"))


def test_rolls_up_to_14_agree() -> None:
    rules = urcx.ruleset("seleucid-ludii")
    seen = play_and_compare(rules, CASES["aseb"]().with_starting_piece_count(7), 20, seed=9)
    assert seen["captures"] > 400
    assert seen["rolls again"] > 400
    assert seen["home"] > 140


def comes_back(rules: RuleSet) -> bool:
    """Return whether a roll can lead from a step to another one on the same tile."""
    reach = max(rules.dice.rolls)
    return any(
        tile in way[k : k + reach]
        for way in (rules.path.light, rules.path.dark)
        for k, tile in enumerate(way, start=1)
    )


def handed_over(path: Path) -> Any:
    """Return a path in their form, between a tile for the start and a tile for home."""
    ways = (
        [royalur.Tile.from_string(tile) for tile in ("A5", *way, "A6")]
        for way in (path.light, path.dark)
    )
    return royalur.PathPair(path.name, *ways)


def play_and_compare(rules: RuleSet, theirs: Any, games: int, seed: int) -> Counter[str]:
    """Play random games with royalur; compare at every ply. Return how much was compared.

    Rolls have the chances of our dice, some of which it has not. All legal moves are compared,
    each with the position it leads to, and one of them is played.
    """
    draw = random.Random(seed)
    chances = [float(chance) for chance in rules.dice.probabilities]
    seen: Counter[str] = Counter()
    for _ in range(games):
        game = royalur.Game.create(theirs)
        position = urcx.Position()
        while not game.is_finished():
            assert position_of(game.get_current_state(), theirs) == position
            (roll,) = draw.choices(rules.dice.rolls, chances)
            game.roll_dice(royalur.model.Roll(roll))
            seen["plies"] += 1
            moves = compare_moves(game, position, roll, rules, theirs, seen)
            if moves:
                move, position = draw.choice(moves)
                game.make_move(move)
            else:
                seen["passes"] += 1
                position = replace(position, light_to_move=not position.light_to_move)
        assert position_of(game.get_current_state(), theirs) == position
        won = 0 if game.get_winner() is royalur.PlayerType.LIGHT else 1
        assert position.home[won] == rules.pieces > position.home[1 - won]
        seen[("light won", "dark won")[won]] += 1
    return seen


def compare_moves(
    game: Any,
    position: urcx.Position,
    roll: int,
    rules: RuleSet,
    theirs: Any,
    seen: Counter[str],
) -> list[tuple[Any, urcx.Position]]:
    """Compare the legal moves of a game after a roll; return theirs."""
    # After a roll without a move the next player is to roll.
    state = game.get_current_state()
    moves = game.find_available_moves() if game.is_waiting_for_move() else []
    after = [game.rules.apply_move(state, move)[-1] for move in moves]
    ref = [
        (*move_of(move, theirs), position_of(end, theirs))
        for move, end in zip(moves, after, strict=True)
    ]
    comp = []
    way = rules.path.light if position.light_to_move else rules.path.dark
    for ours in urcx.legal_moves(position, roll, rules):
        if ours.start > 0 and ours.end <= len(way) and way[ours.start - 1] == way[ours.end - 1]:
            seen["to the own tile"] += 1  # the difference
            continue
        comp.append((ours.start, ours.end, ours.captures, ours.rosette, ours.position))
        turned = ours.position.light_to_move != position.light_to_move
        assert ours.rolls_again != turned
        seen["moves"] += 1
        seen["captures"] += ours.captures
        seen["rosettes"] += ours.rosette
        seen["rolls again"] += ours.rolls_again
        seen["from the pool"] += ours.start == 0
        seen["home"] += ours.end > len(way)
    assert comp == sorted(ref)
    return [(move, leads) for move, (*_, leads) in zip(moves, ref, strict=True)]


def move_of(move: Any, theirs: Any) -> tuple[int, int, bool, bool]:
    """Return the steps of their move, whether it captures, and whether it reaches a rosette."""
    start = move.source_piece.path_index + 1 if move.has_source() else 0
    home = len(theirs.paths.get(move.player)) + 1
    end = home if move.is_scoring_piece() else move.dest_piece.path_index + 1
    return start, end, move.is_capture(), move.is_dest_rosette(theirs.board_shape)


def position_of(state: Any, theirs: Any) -> urcx.Position:
    """Return their state as a position; after the end it is the loser's turn, as in urcx."""
    light, dark = royalur.PlayerType.LIGHT, royalur.PlayerType.DARK
    steps: dict[Any, list[int]] = {light: [], dark: []}
    for tile in theirs.board_shape.tiles:
        piece = state.board.get(tile)
        if piece is not None:
            assert theirs.paths.get(piece.owner)[piece.path_index] == tile
            steps[piece.owner].append(piece.path_index + 1)
    for side in (light, dark):
        player = state.get_player(side)
        used = player.piece_count + len(steps[side]) + player.score
        assert used == theirs.starting_piece_count
    if isinstance(state, royalur.rules.WinGameState):
        to_move = state.get_winner() is not light
    else:
        to_move = state.get_turn() is light
    return urcx.Position(
        tuple(sorted(steps[light])),
        tuple(sorted(steps[dark])),
        (state.light_player.score, state.dark_player.score),
        to_move,
    )

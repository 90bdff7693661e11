"""Writes urcx/explore/data/examples.toml: instructive positions of Finkel's game.

The search in a tablebase of the complete game (``urcx solve --rules finkel -o finkel.urcx``) takes
about ten minutes on two cores:

    python benchmarks/example_positions.py finkel.urcx

`urcx.explore.boards` describes the kinds of examples. The script takes the most frequent dilemmas,
and the mistakes with the greatest product of frequency and loss.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import urcx
from urcx.agents.agents import agent
from urcx.engine.moves import Move, legal_moves
from urcx.explore.boards import Example
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.closeness import closeness
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.tablebase import Tablebase, TablebaseLayers
from urcx.solving.probing import OpenSolution

HEAD = """\
# Interesting positions of {rules} with {pieces} pieces per player, each with a roll, written by
# benchmarks/example_positions.py from a tablebase (its docstring has the criteria).
# apart: the difference of the best two moves, or the loss of a mistake; played: the step that the
# piece of a mistake leaves; often: how many times per game the decision occurs, at least.
"""
FILE = Path(urcx.__file__).parent / "explore" / "data" / "examples.toml"
MOST = 3  # of a kind
THUMB = "greedy"
OPENING, EARLY = 10, 24  # plies in which the script searches dilemmas and mistakes
RARE = 2e-5  # positions with a lower frequency per game are not followed
NEAR = 0.005  # most difference of a dilemma's best two moves
SURE = 1e-9  # least difference of moves, far above the error bound of values

Chooser = Callable[[Position, int], Move]
Decision = tuple[int, Position, int]  # the player, the position as light, the roll


def decisions_reached(
    rules: RuleSet, players: tuple[Chooser, Chooser], plies: int, rare: float
) -> dict[Decision, float]:
    """Return the frequencies of decisions in the first plies of a game.

    Each player begins half of the games. Positions with a frequency below ``rare`` at a ply are not
    followed.
    """
    counts: dict[Decision, float] = defaultdict(float)
    now = {(0, Position()): 0.5, (1, Position()): 0.5}
    dice = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    for _ in range(plies):
        after: dict[tuple[int, Position], float] = defaultdict(float)
        for (player, place), share in now.items():
            for roll, chance in dice:
                moves = legal_moves(place, roll, rules)
                if len(moves) > 1:
                    counts[player, place, roll] += share * chance
                move = (
                    players[player](place, roll) if len(moves) > 1 else moves[0] if moves else None
                )
                next_position = (
                    move.position if move else Position(place.light, place.dark, place.home, False)
                )
                if rules.pieces in next_position.home:
                    continue
                state = (
                    (player, next_position)
                    if next_position.light_to_move
                    else (1 - player, next_position.turned())
                )
                after[state] += share * chance
        now = {state: share for state, share in after.items() if share >= rare}
    return counts


def perfect_play(solution: OpenSolution) -> Chooser:
    """Return optimal play."""
    return lambda place, roll: solution.best_moves(place, roll)[0].move


def by_thumb(rules: RuleSet) -> Chooser:
    """Return the play of the rule of thumb."""
    thumb = agent(THUMB)

    def choose(place: Position, roll: int) -> Move:
        move = thumb.choose(Game(rules, place), roll)
        assert move is not None
        return move

    return choose


def dilemmas(solution: OpenSolution) -> list[Example]:
    """Return the most frequent early decisions of optimal play between nearly equal moves."""
    perfect = perfect_play(solution)
    both: dict[tuple[Position, int], float] = defaultdict(float)
    for (_, place, roll), often in decisions_reached(
        solution.rules, (perfect, perfect), OPENING, RARE
    ).items():
        both[place, roll] += often
    examples = []
    for (place, roll), often in sorted(both.items(), key=lambda item: -item[1]):
        apart = solution.best_moves(place, roll)[1].regret
        if SURE < apart < NEAR:
            examples.append(Example("dilemma", str(place), roll, apart, often))
    return _different(examples)


def common_mistakes(solution: OpenSolution) -> list[Example]:
    """Return the early mistakes by which the rule of thumb loses most."""
    rules, thumb = solution.rules, by_thumb(solution.rules)
    examples = []
    for (player, place, roll), often in decisions_reached(
        rules, (thumb, perfect_play(solution)), EARLY, RARE
    ).items():
        if player == 0:
            played = thumb(place, roll)
            (lost,) = (
                move.regret
                for move in solution.best_moves(place, roll)
                if move.move.start == played.start
            )
            examples.append(Example("mistake", str(place), roll, lost, often, played.start))
    examples.sort(key=lambda example: -example.apart * (example.often or 0.0))
    return _different([example for example in examples if example.apart > SURE])


def _different(examples: list[Example]) -> list[Example]:
    """Return the first examples with different positions and different values."""
    selected: list[Example] = []
    for example in examples:
        if all(
            example.position != other.position and example.apart != other.apart
            for other in selected
        ):
            selected.append(example)
        if len(selected) == MOST:
            break
    return selected


def found_examples(base: Tablebase) -> list[Example]:
    """Return the examples of a tablebase's game."""
    near = closeness(base.order, TablebaseLayers(base))
    closest = []
    if near.least is not None and near.position is not None and near.roll is not None:
        closest = [Example("closest", str(near.position), near.roll, near.least)]
    return [*dilemmas(base), *common_mistakes(base), *closest]


def examples_text(rules: RuleSet, examples: list[Example]) -> str:
    """Return the text of the file of examples."""
    lines = [HEAD.format(rules=rules.name, pieces=rules.pieces)]
    for example in examples:
        lines += ["[[example]]", f'kind = "{example.kind}"', f'position = "{example.position}"']
        lines += [f"roll = {example.roll}", f"apart = {example.apart:.6g}"]
        lines += [] if example.often is None else [f"often = {example.often:.6g}"]
        lines += [] if example.played is None else [f"played = {example.played}"]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    with open_solution(sys.argv[1]) as base:
        FILE.write_text(examples_text(base.rules, found_examples(base)), encoding="utf-8")

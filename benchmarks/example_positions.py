"""Write urcx/explore/data/examples.toml: positions of Finkel's game that are worth looking at.

They are found in a tablebase of the whole game (``urcx solve --rules finkel -o finkel.urcx``), in
some ten minutes on two cores:

    python benchmarks/example_positions.py finkel.urcx

`urcx.explore.boards` says which kinds there are. Of dilemmas the most frequent ones are taken, of
mistakes those that cost most: how often such a decision comes up, times what the move loses.
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
OPENING, EARLY = 10, 24  # plies in which dilemmas and mistakes are looked for
RARE = 2e-5  # games that come to a position with less are not followed on
NEAR = 0.005  # of a dilemma's best two moves
SURE = 1e-9  # by which moves must differ at least, far more than values are off

Chooser = Callable[[Position, int], Move]
Decision = tuple[int, Position, int]  # whose it is, the position as light, the roll


def decisions_reached(
    rules: RuleSet, players: tuple[Chooser, Chooser], plies: int, rare: float
) -> dict[Decision, float]:
    """Return how often decisions come up in the first plies of a game.

    Each player begins half of the games. Positions that fewer than a share ``rare`` of all games
    come to at a ply are not followed on.
    """
    found: dict[Decision, float] = defaultdict(float)
    now = {(0, Position()): 0.5, (1, Position()): 0.5}
    dice = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    for _ in range(plies):
        after: dict[tuple[int, Position], float] = defaultdict(float)
        for (who, place), share in now.items():
            for roll, chance in dice:
                moves = legal_moves(place, roll, rules)
                if len(moves) > 1:
                    found[who, place, roll] += share * chance
                move = players[who](place, roll) if len(moves) > 1 else moves[0] if moves else None
                left = (
                    move.position if move else Position(place.light, place.dark, place.home, False)
                )
                if rules.pieces in left.home:
                    continue
                state = (who, left) if left.light_to_move else (1 - who, left.turned())
                after[state] += share * chance
        now = {state: share for state, share in after.items() if share >= rare}
    return found


def perfect_play(known: OpenSolution) -> Chooser:
    """Return perfect play."""
    return lambda place, roll: known.best_moves(place, roll)[0].move


def by_thumb(rules: RuleSet) -> Chooser:
    """Return what the rule of thumb plays."""
    thumb = agent(THUMB)

    def choose(place: Position, roll: int) -> Move:
        move = thumb.choose(Game(rules, place), roll)
        assert move is not None
        return move

    return choose


def dilemmas(known: OpenSolution) -> list[Example]:
    """Return the most frequent decisions early in perfect play that are nearly equal."""
    perfect = perfect_play(known)
    both: dict[tuple[Position, int], float] = defaultdict(float)
    for (_, place, roll), often in decisions_reached(
        known.rules, (perfect, perfect), OPENING, RARE
    ).items():
        both[place, roll] += often
    found = []
    for (place, roll), often in sorted(both.items(), key=lambda item: -item[1]):
        apart = known.best_moves(place, roll)[1].regret
        if SURE < apart < NEAR:
            found.append(Example("dilemma", str(place), roll, apart, often))
    return _different(found)


def common_mistakes(known: OpenSolution) -> list[Example]:
    """Return what the rule of thumb loses most by in the first plies."""
    rules, thumb = known.rules, by_thumb(known.rules)
    found = []
    for (who, place, roll), often in decisions_reached(
        rules, (thumb, perfect_play(known)), EARLY, RARE
    ).items():
        if who == 0:
            played = thumb(place, roll)
            (lost,) = (
                one.regret
                for one in known.best_moves(place, roll)
                if one.move.start == played.start
            )
            found.append(Example("mistake", str(place), roll, lost, often, played.start))
    found.sort(key=lambda one: -one.apart * (one.often or 0.0))
    return _different([one for one in found if one.apart > SURE])


def _different(found: list[Example]) -> list[Example]:
    """Return the first examples of different positions, and of moves that lead to others."""
    kept: list[Example] = []
    for one in found:
        if all(one.position != other.position and one.apart != other.apart for other in kept):
            kept.append(one)
        if len(kept) == MOST:
            break
    return kept


def found_examples(base: Tablebase) -> list[Example]:
    """Return the examples of a tablebase's game."""
    near = closeness(base.order, TablebaseLayers(base))
    closest = []
    if near.least is not None and near.position is not None and near.roll is not None:
        closest = [Example("closest", str(near.position), near.roll, near.least)]
    return [*dilemmas(base), *common_mistakes(base), *closest]


def examples_text(rules: RuleSet, examples: list[Example]) -> str:
    """Return examples as the file has them."""
    lines = [HEAD.format(rules=rules.name, pieces=rules.pieces)]
    for one in examples:
        lines += ["[[example]]", f'kind = "{one.kind}"', f'position = "{one.position}"']
        lines += [f"roll = {one.roll}", f"apart = {one.apart:.6g}"]
        lines += [] if one.often is None else [f"often = {one.often:.6g}"]
        lines += [] if one.played is None else [f"played = {one.played}"]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    with open_solution(sys.argv[1]) as base:
        FILE.write_text(examples_text(base.rules, found_examples(base)), encoding="utf-8")

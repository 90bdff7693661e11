"""Look-ahead with a user's function as static evaluation, in Python, one position at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.search import weighted
from urcx.engine.moves import Move, legal_moves
from urcx.errors import UsageError, exception_text, get_attribute, quoted
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


class FunctionSearch:
    """A user's agent that looks ahead as `urcx.agents.search` does, in exact fractions.

    Parameters
    ----------
    function
        Returns the value of a position to the player to move, a finite number. It is also called
        for finished games, in which the loser is to move.
    kind, depth, ties
        The agent whose look-ahead and tie-breaking rule it has.
    few_rolls
        Whether deep plies see few rolls.
    """

    def __init__(
        self, function: Callable[[Position], Any], kind: str, depth: int, ties: str, *,
        few_rolls: bool,
    ) -> None:  # fmt: skip
        self.function, self.depth, self.ties, self.few_rolls = function, depth, ties, few_rolls
        written = get_attribute(function, "__name__")
        self.name = f"{kind}:{depth}:{written if isinstance(written, str) else 'function'}()"

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return a move of the highest value, by the tie-breaking rule."""
        moves = self._played(game, roll)
        return moves[0] if len(moves) == 1 else moves[int(rng.integers(len(moves)))]

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return the probability of each move that is played."""
        moves = self._played(game, roll)
        return dict.fromkeys(moves, Fraction(1, len(moves)))

    def _played(self, game: Game, roll: int) -> Sequence[Move]:
        """Return the moves that may be played, with equal probability."""
        rules, moves = game.rules, legal_moves(game.position, roll, game.rules)
        weights = weighted(rules, self.depth, 1, 1, few_rolls=self.few_rolls).weights
        light = game.position.light_to_move
        values = [self._after(move.position, rules, weights, light=light) for move in moves]
        best = [move for move, value in zip(moves, values, strict=True) if value == max(values)]
        return {"first": best[:1], "last": best[-1:], "random": best}[self.ties]

    def _after(
        self, position: Position, rules: RuleSet, weights: NDArray[np.int64], *, light: bool
    ) -> Fraction:
        """Return the value of a position to a side, with a ply to go for each row of weights."""
        sign = 1 if position.light_to_move == light else -1
        if not len(weights) or rules.pieces in position.home:
            return sign * self._leaf(position)
        total, mover = Fraction(0), position.light_to_move
        for roll, weight in zip(rules.dice.rolls, weights[-1].tolist(), strict=True):
            if weight:
                moves = [move.position for move in legal_moves(position, roll, rules)]
                passed = Position(position.light, position.dark, position.home, not mover)
                values = [
                    self._after(after, rules, weights[:-1], light=mover)
                    for after in moves or [passed]
                ]
                total += weight * max(values)
        return sign * total / int(weights[-1].sum())

    def _leaf(self, position: Position) -> Fraction:
        value: Any = self.function(position)
        try:
            return Fraction(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(
                f"the value {quoted(value)} must be a finite number ({exception_text(error)})"
            ) from None

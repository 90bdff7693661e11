"""The game as an object: a position together with its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from urcx.errors import OutOfDomainError, PositionError, UsageError, WrongObjectError
from urcx.rules import catalogue
from urcx.rules.drawing import BoardView
from urcx.rules.model import HasPicture, RuleSet
from urcx.rules.position import GameLike, Position, check, move_name, step_called

if TYPE_CHECKING:  # a game can be made without importing numpy and numba
    from urcx.engine.moves import Move

__all__ = ["Game", "Outcome"]

SIDES = ("light", "dark")
# A move of a piece. Each end is a tile or a step.
MOVE = re.compile(
    r"(start|[a-z][0-9]{1,3}|0|[1-9][0-9]{0,5})(?:-| to )(home|[a-z][0-9]{1,3}|[1-9][0-9]{0,5})\Z",
    re.IGNORECASE,
)


class Outcome(NamedTuple):
    """A roll with its exact probability, its legal moves, and the games to which they lead.

    ``games[k]`` is the game after ``moves[k]``. If there is no legal move, ``moves`` is empty and
    ``games`` has one game, the game after the pass.
    """

    roll: int
    probability: Fraction
    moves: tuple[Move, ...]
    games: tuple[Game, ...]


@dataclass(frozen=True, init=False, repr=False)
class Game(GameLike, HasPicture):
    """A position with its rules. Playing a move returns another game.

    Games are equal, and have the same hash, if their rules and positions are equal. A game prints
    its board, and a notebook draws it.

    Parameters
    ----------
    rules
        A rule set, its name, or another game, whose position is then the default.
    position
        A position or its notation, such as ``"5,8/3,6/0-0/L"``, by default the start.
    pieces
        The number of pieces per side, from 1 to 255, by default the number of the rule set.

    Attributes
    ----------
    rules : RuleSet
    position : Position

    Raises
    ------
    UnknownNameError
        If no rule set has this name.
    PositionError
        If the position breaks a rule of the board, or both players have all pieces home.
    UsageError
        If the number of pieces is out of range, or an argument has the wrong type.

    Examples
    --------
    >>> import urcx
    >>> game = urcx.Game("finkel", position="2/3,6/5-5/L")
    >>> [move.describe(game.rules.path, light=True) for move in game.legal_moves(4)]
    ['start to A1, rosette, rolls again', 'A3 to B2, captures']
    >>> game.play("A3-B2")
    Game('finkel', position='6/3/5-5/D')
    >>> game.winner is None
    True
    """

    rules: RuleSet
    position: Position

    def __init__(
        self,
        rules: str | RuleSet | GameLike = catalogue.DEFAULT_RULES,
        position: str | Position | None = None,
        *,
        pieces: int | None = None,
    ) -> None:
        if pieces is not None:
            if isinstance(rules, GameLike):
                position = rules.position if position is None else position
                rules = rules.rules
            rules = catalogue.ruleset(rules, pieces=pieces)
        start, ruleset = catalogue.resolve_position(position, rules)
        check(start, ruleset.path, ruleset.pieces)
        if start.home == (ruleset.pieces, ruleset.pieces):
            raise PositionError(
                "home: both players have all pieces home. No game reaches such a position"
            )
        object.__setattr__(self, "rules", ruleset)
        object.__setattr__(self, "position", start)

    def __str__(self) -> str:
        """Return the text of ``urcx show``: whose turn it is, and the board."""
        view = BoardView(self.rules, self.position)
        return f"{view.answer}\n\n{view.body}"

    def __repr__(self) -> str:
        """Return the expression that makes the game, if its rules have a name."""
        entry = catalogue.catalogue().rules.get(self.rules.name)
        arguments = [repr(self.rules.name)]
        if entry is None or replace(entry, pieces=self.rules.pieces) != self.rules:
            arguments = [f"<rules {self.rules.name}>"]  # from a file, or changed
        elif entry.pieces != self.rules.pieces:
            arguments.append(f"pieces={self.rules.pieces}")
        if self.position != Position():
            arguments.append(f"position={str(self.position)!r}")
        return f"Game({', '.join(arguments)})"

    @property
    def standing(self) -> str:
        """Return whose turn it is, for example ``light to move``, or who has won."""
        return f"{self.turn} to move" if self.winner is None else f"{self.winner} has won"

    def _caption(self) -> list[str]:
        return [f"{self.position.on(self.rules.path)} ({self.rules.name}): {self.standing}"]

    @property
    def turn(self) -> str:
        """Return whose turn it is, ``"light"`` or ``"dark"``."""
        return SIDES[not self.position.light_to_move]

    @property
    def is_over(self) -> bool:
        """Return whether a player has all pieces home."""
        return self.rules.pieces in self.position.home

    @property
    def winner(self) -> str | None:
        """Return the winner, ``"light"`` or ``"dark"``, or None before the end of the game."""
        return SIDES[self.position.home.index(self.rules.pieces)] if self.is_over else None

    def legal_moves(self, roll: int) -> tuple[Move, ...]:
        """Return the legal moves for a roll, least advanced piece first. No move means a pass.

        Raises
        ------
        UsageError
            If the dice cannot give the roll.
        PositionError
            If the game is over.
        """
        from urcx.engine.moves import legal_moves

        return legal_moves(self.position, roll, self.rules)

    def outcomes(self) -> tuple[Outcome, ...]:
        """Return every roll of the dice with its legal moves and the games after them.

        The mean of any value over the rolls is then one line: the side to move chooses a game of
        each outcome, and the probabilities weigh the outcomes.

        Returns
        -------
        tuple of Outcome
            In the order of ``rules.dice.rolls``. The probabilities are fractions that sum to 1.

        Raises
        ------
        PositionError
            If the game is over.

        Examples
        --------
        >>> import urcx
        >>> game = urcx.Game("finkel", position="14/14/6-6/L")
        >>> for roll, probability, moves, games in game.outcomes():
        ...     print(roll, probability, len(moves), games[0].standing)
        0 1/16 0 dark to move
        1 1/4 1 light has won
        2 3/8 0 dark to move
        3 1/4 0 dark to move
        4 1/16 0 dark to move
        """
        from urcx.engine.moves import after_pass

        outcomes = []
        for roll, probability in self.rules.dice.items():
            moves = self.legal_moves(roll)
            after = [move.position for move in moves] or [after_pass(self.position)]
            outcomes.append(Outcome(roll, probability, moves, tuple(map(self._at, after))))
        return tuple(outcomes)

    def play(self, move: Move | str) -> Game:
        """Return the game after a move.

        Parameters
        ----------
        move
            A move of `legal_moves`, or a text: its tiles, such as ``"A4-B1"``, ``"start-A3"`` or
            ``"B8-home"``, or its steps, such as ``"1-5"``. Step 0 is the start pool, and the step
            after the path's last is home. The roll is the difference of the steps.

        Raises
        ------
        UsageError
            If the move is not legal here. The message lists the legal moves for the same roll, or
            the possible rolls.
        PositionError
            If the game is over.
        """
        return self._at(legal_move(self, move).position)

    def passed(self, roll: int | None = None) -> Game:
        """Return the game after a pass: the other player is to move.

        Parameters
        ----------
        roll
            A roll without a legal move. If None, any roll of the dice without one.

        Raises
        ------
        UsageError
            If there is a legal move for the roll (without a roll, for every roll of the dice), or
            if the dice cannot give the roll.
        PositionError
            If the game is over.
        """
        from urcx.engine.moves import after_pass

        rolls = self.rules.dice.rolls if roll is None else (roll,)
        if all(self.legal_moves(value) for value in rolls):
            which = "any roll" if roll is None else f"roll {roll}"
            raise UsageError(f"{self.turn} has a legal move for {which}, and must play it")
        return self._at(after_pass(self.position))

    def mirrored(self) -> Game:
        """Return the game with the players exchanged: their pieces and whose turn it is.

        Raises
        ------
        OutOfDomainError
            If the two sides have different paths, because the result would be another game.
        """
        if not self.rules.path.symmetric:
            raise OutOfDomainError(
                f"the players cannot be exchanged: their paths on {self.rules.path.name} differ"
            )
        return self._at(self.position.turned())

    def rank(self, convention: str = "diagrams") -> int:
        """Return the position's rank among all with its path and pieces (see `urcx.ranking`).

        Parameters
        ----------
        convention
            ``diagrams`` (configurations, without a side to move), ``positions`` or ``mover-view``.

        Raises
        ------
        UsageError, OutOfDomainError, TooLargeError
            As for `urcx.ranking` and `Ranking.rank`.
        """
        from urcx.enumerate.rankings.ranking import rank

        return rank(self, convention=convention)

    def _at(self, position: Position) -> Game:
        """Return the game in another position, which must follow from this one by the rules."""
        game = object.__new__(Game)
        object.__setattr__(game, "rules", self.rules)
        object.__setattr__(game, "position", position)
        return game


def legal_move(game: Game, move: Move | str) -> Move:
    """Return a legal move by its tiles or steps, or the move itself. Raises like `Game.play`."""
    from urcx.engine.moves import Move

    if isinstance(move, Move):
        start, end = move.start, move.end
    elif isinstance(move, str):
        start, end = _ends(game, move.strip())
    else:
        raise WrongObjectError("move", Move, move, "its tiles such as 'A4-B1'")
    roll = end - start
    if roll < 0:
        raise UsageError(f"{move_name(start, end, mover_path(game))} goes backwards")
    legal = game.legal_moves(roll)
    for candidate in legal:
        if candidate.start == start and (isinstance(move, str) or candidate == move):
            return candidate
    path = mover_path(game)
    names = ", ".join(move_name(item.start, item.end, path) for item in legal) or "none"
    reason = "leads elsewhere from" if any(m.start == start for m in legal) else "is not legal in"
    where = game.position.on(game.rules.path)
    name = move_name(start, end, path)
    raise UsageError(f"{name} {reason} {where} with roll {roll}; legal: {names}")


def mover_path(game: Game) -> tuple[str, ...]:
    """Return the path of the player to move."""
    path = game.rules.path
    return path.light if game.position.light_to_move else path.dark


def _ends(game: Game, text: str) -> tuple[int, int]:
    """Return the first and last step of a move in notation."""
    match = MOVE.match(text)
    if match is None:
        raise UsageError(f"{text!r} is not a move. Write its tiles, such as A4-B1")
    path = mover_path(game)
    start, end = (
        int(word) if word.isdigit() else step_called(word, path) for word in match.groups()
    )
    return start, end


def check_side(side: str) -> None:
    """Raise `UsageError` unless a side is ``light`` or ``dark``."""
    if side not in SIDES:
        raise UsageError(f"side {side!r}: must be light or dark")


def as_game(value: object) -> Game:
    """Return a game, or raise `UsageError` for anything else."""
    if isinstance(value, Game):
        return value
    raise WrongObjectError("game", Game, value, "a position with rules, urcx.Game('finkel')")

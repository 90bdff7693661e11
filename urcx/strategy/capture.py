"""The probability that one piece captures another: in the next turn, and ever.

In the next turn. A turn continues if a move grants an extra roll, with the same or another piece
(Raposo and Lamont, Eq. 11 and 44: the sequences s). The player is assumed to do everything to
capture the piece: of several moves that grant an extra roll, the player chooses the move with the
highest probability of a capture. So no rolls are counted twice, and the sum over the sequences is a
probability.

Ever. This is for positions in which each side has one piece left (Figure 7). All moves are then
forced, so positions form a Markov chain, whose probabilities are computed exactly. Pieces only
advance, except that the hunter starts again when the prey captures it, but then the prey has
advanced. So no arrangement recurs. Both players may pass repeatedly, which leaves two equations for
each arrangement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import Annotated, ClassVar

from urcx.engine.moves import Move, after_pass, check_open, legal_moves, move_in_words
from urcx.errors import PositionError
from urcx.results.fields import TEXT, Field, Fields, Format, column
from urcx.results.numbers import percent_text
from urcx.results.result import Result
from urcx.results.tables import Table, key
from urcx.rules import catalogue
from urcx.rules.model import Dice, GameRules, RuleSet
from urcx.rules.position import EXAMPLE, GameLike, Position
from urcx.strategy.dice import chances, probability, written

__all__ = ["capture"]

MOST_ROLLS = 3  # in one turn (the paper's appendix C also stops at three moves)


@dataclass(frozen=True)
class Attempt:
    """Rolls of a turn that capture a piece, in order, and their probability."""

    rolls: tuple[int, ...]
    chance: Fraction


def sides(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the steps of the player to move and of the other player."""
    if position.light_to_move:
        return position.light, position.dark
    return position.dark, position.light


def takes(move: Move, step: int, light: bool) -> bool:
    """Return whether a move, by light if ``light``, captures the enemy piece on a step."""
    theirs = move.position.dark if light else move.position.light
    return move.captures and step not in theirs


def attempts(
    position: Position, step: int, rules: RuleSet, left: int = MOST_ROLLS
) -> tuple[Attempt, ...]:
    """Return the sequences of rolls with which the player to move captures the piece on a step.

    Parameters
    ----------
    position
        A valid, unfinished position (see `urcx.engine.moves.check_open`).
    step
        A step on which the player not to move has a piece.
    rules
        The rule set.
    left
        The greatest number of rolls in the turn, from 1.

    Returns
    -------
        The sequences, shortest first. No sequence is a prefix of another, so their probabilities
        add up.
    """
    light = position.light_to_move
    sequences: list[Attempt] = []
    for roll, chance in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        if any(takes(move, step, light) for move in moves):
            sequences.append(Attempt((roll,), chance))
        elif left > 1:
            again = (move.position for move in moves if move.rolls_again)
            turns = (attempts(after, step, rules, left - 1) for after in again)
            best = max(turns, key=total, default=())
            sequences += (Attempt((roll, *more.rolls), chance * more.chance) for more in best)
    return tuple(sorted(sequences, key=lambda attempt: (len(attempt.rolls), attempt.rolls)))


def total(sequences: Sequence[Attempt]) -> Fraction:
    """Return the probability that one of the attempts succeeds."""
    return sum((attempt.chance for attempt in sequences), Fraction(0))


def common(dice: Dice) -> int:
    """Return the least common denominator of the probabilities, 16 for four binary dice."""
    return lcm(*(p.denominator for p in dice.probabilities))


def product_text(factor: str, rolls: tuple[int, ...], dice: Dice) -> str:
    """Return a product as the paper prints it, such as ``-6*(4/16)*(6/16)``."""
    odds, below = chances(dice), common(dice)
    return "*".join([factor, *(f"({int(odds[roll] * below)}/{below})" for roll in rolls)])


MOST_SEQUENCES = 20_000  # followed in the search for the shortest

Attempts = tuple[Attempt, ...]
Shortest = tuple[tuple[tuple[int, ...], Fraction], ...]  # rolls, and their probability


def _rolls(sequences: Attempts) -> str:
    return " ".join(written(attempt.rolls) for attempt in sequences)


def _shortest(shortest: Shortest) -> str:
    return " ".join(written(rolls) for rolls, _ in shortest)


def _listed(shortest: Shortest) -> list[dict[str, str]]:
    return [{"rolls": written(rolls), "chance": str(chance)} for rolls, chance in shortest]


def _side(light: bool) -> str:
    return "light" if light else "dark"


CHANCE = Format(percent_text, (("", str), ("_value", float)))  # exactly in JSON
ROLLS = Format(_rolls, (("", _rolls),))
FEWEST = Format(_shortest, (("", _listed),))


@dataclass(frozen=True)
class Danger:
    """A piece of the player not to move, and how the player to move can capture it in one turn."""

    step: Annotated[int, Field(about="step of a piece that can be captured")]
    tile: Annotated[str, Field(key("piece on"), about="its tile")]
    attempts: Annotated[
        Attempts, Field("<all sequences", ROLLS, "sequences of rolls that capture", key="sequences")
    ]
    move: Annotated[
        Move | None,
        Field(about="with a roll: step that the move leaves, or null", key="from", of="start"),
        Field(about="with a roll: step that it reaches, or null", key="to", of="end"),
    ] = None

    @property
    @Field("captured", CHANCE, "probability of all sequences", after="attempts")
    def chance(self) -> Fraction:
        """Return the probability of being captured."""
        return total(self.attempts)

    @property
    @Field("<single rolls", ROLLS, "single rolls that capture", key="single_rolls", after="tile")
    def direct(self) -> Attempts:
        """Return the attempts with a single roll. Section 4.1 considers no others."""
        return tuple(attempt for attempt in self.attempts if len(attempt.rolls) == 1)

    @property
    @Field("by these", CHANCE, "probability of single rolls", key="single_chance", after="direct")
    def direct_chance(self) -> Fraction:
        """Return the probability of being captured by a single roll."""
        return total(self.direct)


def dangers(position: Position, rules: RuleSet, move: Move | None = None) -> tuple[Danger, ...]:
    """Return the danger of each piece on the board of the player not to move.

    ``move`` is the move that this player has made, if any.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    """
    check_open(position, rules)
    tiles = rules.path.dark if position.light_to_move else rules.path.light
    steps = sides(position)[1]
    return tuple(Danger(s, tiles[s - 1], attempts(position, s, rules), move) for s in steps)


def dangers_after(position: Position, roll: int, rules: RuleSet) -> tuple[Danger, ...]:
    """Return the dangers of all own pieces in the opponent's next turn, after each legal move.

    The turn is assumed to end even if the move grants an extra roll.

    Raises
    ------
    PositionError
        If no piece may move by the roll, the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    light = position.light_to_move
    moves = legal_moves(position, roll, rules)
    if not moves:
        where = position.on(rules.path)
        raise PositionError(f"{where}: {_side(light)} has no legal move for the roll {roll}")
    after = [(m, after_pass(m.position) if m.rolls_again else m.position) for m in moves]
    ongoing = ((move, at) for move, at in after if rules.pieces not in at.home)
    return tuple(item for move, at in ongoing for item in dangers(at, rules, move))


@dataclass(frozen=True)
class Hunt:
    """The probability that one side's only piece ever captures the other's."""

    light: Annotated[bool, Field("<hunter", about="side that captures", key="hunter", of=_side)]
    ever: Annotated[
        Fraction, Field("ever", CHANCE, "probability of a capture before a piece is home")
    ]
    shortest: Annotated[
        Shortest,
        Field(
            "<fewest rolls",
            FEWEST,
            "sequences with the fewest rolls of both sides, empty if too many to follow",
        ),
    ]

    @property
    @Field("by these", CHANCE, "probability of the shortest sequences, the paper's estimate")
    def estimate(self) -> Fraction:
        """Return the probability of the shortest sequences, the paper's estimate."""
        return sum((chance for _, chance in self.shortest), Fraction(0))


def chances_ever(position: Position, rules: RuleSet) -> tuple[Hunt, ...]:
    """Return both players' probabilities of ever capturing, the mover's first.

    The tuple is empty unless each side has one piece left.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    """
    check_open(position, rules)
    if position.home != (rules.pieces - 1, rules.pieces - 1):
        return ()
    hunters = (position.light_to_move, not position.light_to_move)
    return tuple(Hunt(x, _ever(position, rules, x), _fewest(position, rules, x)) for x in hunters)


@dataclass(frozen=True)
class Captures(Result, function="capture"):
    """The captures that can happen in a position.

    Without a ``roll``, ``exposures`` are the pieces of the player not to move, with their dangers
    in the current turn. With a roll, they are pieces of the player to move, with their dangers in
    the opponent's next turn, after each move for the roll. The piece that moved is always among
    them. ``hunts`` is not empty if there is no roll and each player has one piece left.

    Examples
    --------
    >>> import urcx
    >>> urcx.capture("1/6/6-6/D").hunts[1].shortest
    (((0, 3, 2), Fraction(3, 512)), ((1, 3, 3), Fraction(1, 64)))
    """

    schema = "urcx.capture/2"
    lists = ("exposures", "hunts")
    brief = 2
    rules: GameRules
    position: Annotated[Position, Field(kind=TEXT, about="the position")]
    roll: Annotated[int | None, Field(about="the roll of the player to move, or null")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    exposures: Annotated[tuple[Danger, ...], "pieces that may be captured in the next turn"]
    hunts: Annotated[
        tuple[Hunt, ...], "both players' probabilities of ever capturing, the mover's first"
    ] = ()

    def tables(self) -> list[Table]:
        """Return the probabilities of captures: in this turn or after each move, and ever."""
        side, members = _side(self.position.light_to_move), self.members()
        title, moves = f"Captures in {side}'s turn", Fields()
        if self.roll is not None:
            title = f"Captures in the next turn, after {side} has moved with a {self.roll}"
            moves = Fields(column(key("move"), lambda item: self._words(item.move)))
        sequences = (
            "all sequences: rolls of a turn that ends with the capture; earlier rolls of the turn "
            "grant another roll"
        )
        forced = (
            "each side has one piece left, so every move is forced; ever: before a piece is home"
        )
        tables = [
            (moves + members["rows"]).table(title, self.exposures, [sequences]),
            members["hunts"].table("Capturing the other piece, ever", self.hunts, [forced]),
        ]
        return [table for table in tables if table.rows]

    @property
    def answer(self) -> str:
        """Return the piece in the greatest danger, and its probability of being captured."""
        where = f"{self.position.on(self.rules.path)} ({self.rules.name})"
        if self.hunts:
            parts = (f"{_side(item.light)} {percent_text(item.ever)}" for item in self.hunts)
            return (
                f"{where}: probability of a capture before a piece is home: {', '.join(parts)} "
                "(exact)"
            )
        worst = max(self.exposures, key=lambda item: item.chance, default=None)
        if worst is None or not worst.chance:
            return (
                f"{where}: no piece can be captured in one turn (exact). For a position with "
                f"captures, try: urcx capture {EXAMPLE}"
            )
        after = f" after {self._words(worst.move)}" if worst.move else ""
        return (
            f"{where}: the piece on {worst.tile} has a risk of {percent_text(worst.chance)} of "
            f"being captured in one turn{after}, the greatest of all (exactly {worst.chance})"
        )

    def _words(self, move: Move) -> str:
        light = self.position.light_to_move
        return move_in_words(move, path=self.rules.path, light=light)


def capture(
    position: Position | str | GameLike,
    rules: str | RuleSet | None = None,
    *,
    roll: int | None = None,
) -> Captures:
    """Compute the exact probabilities that pieces are captured, now or ever.

    The probabilities are for the turn of the player to move, or with a roll, for the opponent's
    turn after each move for that roll. If each side has one piece left, the result also has the
    probability that it ever captures the other piece.

    Parameters
    ----------
    position, rules
        A position and its rule set (``finkel`` by default), or their notation and name, or a game
        instead of both.
    roll
        A roll of the player to move. The result is then about the opponent's turn after each move
        for the roll.

    Returns
    -------
    Captures

    Raises
    ------
    PositionError
        If the position breaks a rule, the game is over, or there is no legal move for the roll.
    UsageError
        If the dice cannot give the roll.

    Examples
    --------
    >>> import urcx
    >>> dark, light = urcx.capture("1/6/6-6/D").hunts
    >>> light.estimate
    Fraction(11, 512)
    >>> round(float(light.ever), 6)
    0.105466
    """
    position, rules = catalogue.resolve_position(position, rules)
    if roll is not None:
        after = dangers_after(position, roll, rules)
        some = (
            item for item in after if item.attempts or (item.move and item.step == item.move.end)
        )
        return Captures(rules, position, roll, tuple(some))
    exposures = dangers(position, rules)
    return Captures(rules, position, None, exposures, chances_ever(position, rules))


def _step(
    position: Position, roll: int, rules: RuleSet, light: bool
) -> tuple[Position | None, bool]:
    """Return the position after a forced roll (None if the chase ends), and whether it captures."""
    moves = legal_moves(position, roll, rules)
    if not moves:
        return after_pass(position), False
    (move,) = moves
    if move.captures and position.light_to_move == light:
        return None, True
    over = rules.pieces in move.position.home
    return (None if over else move.position), False


def _ever(start: Position, rules: RuleSet, light: bool) -> Fraction:
    """Return the probability that the hunter ever captures, from a position on."""

    @cache
    def ever(position: Position) -> Fraction:
        other = after_pass(position)
        (a, p), (b, q) = leaving(position), leaving(other)
        # v = a + p w and w = b + q v. If both sides always pass, there is never a capture.
        return Fraction(0) if p * q == 1 else (a + p * b) / (1 - p * q)

    @cache
    def leaving(position: Position) -> tuple[Fraction, Fraction]:
        """Return the probability of ever capturing after a move, and the probability of a pass."""
        captured = passed = Fraction(0)
        for roll, chance in chances(rules.dice).items():
            after, capture = _step(position, roll, rules, light)
            if capture:
                captured += chance
            elif after == after_pass(position):
                passed += chance
            elif after is not None:
                captured += chance * ever(after)
        return captured, passed

    return ever(start)


def _fewest(start: Position, rules: RuleSet, light: bool) -> Shortest:
    """Return the sequences that capture with the fewest rolls, in order."""
    rolls_of_dice = rules.dice.rolls
    level: list[tuple[tuple[int, ...], Position]] = [((), start)]
    followed = 0
    while level:
        followed += len(level) * len(rolls_of_dice)
        if followed > MOST_SEQUENCES:
            break
        hits, longer = [], []
        for (rolls, at), roll in product(level, rolls_of_dice):
            after, capture = _step(at, roll, rules, light)
            if capture:
                hits.append((*rolls, roll))
            elif after is not None:
                longer.append(((*rolls, roll), after))
        if hits:
            return tuple((rolls, probability(rules.dice, rolls)) for rolls in hits)
        level = longer
    return ()

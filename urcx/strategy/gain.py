"""The gain of a sequence of pieces, G = W + A + C (Raposo and Lamont, Eq. 6 to 12 and 36 to 45).

A sequence such as ``AB`` (`urcx.strategy.pieces`) is one turn: A moves, and B moves next if that
grants an extra roll. W counts the tiles walked, A the tiles that captured enemy pieces lose, C the
tiles that the opponent may capture in the next turn, each times its probability; a captured piece
loses as many tiles as the number of its step. The paper leaves the details open, so there are three
readings:

``text`` follows the definitions in the text, as used in the tables:

- W: each move adds the mean of the dice, times the probabilities of the rolls that led to it. A
  roll for which the piece has no legal move subtracts everything walked so far, including earlier
  moves.
- C: every tile to which a piece of the sequence can move counts in full, whatever the probability
  of moving there, once for each move of the sequence; pieces elsewhere count once.

``tables`` reproduces Tables 5 and 6 to the digit, for the position 2/3,6/5-5/L as well as for
2/3,6,8/5-4/L (the text lacks the figure; only an opponent on the rosette of step 8 makes illegal
the moves there that Table 5 treats as illegal). It has two further rules:

- In a sequence of several moves, the last may not grant an extra roll: that would be a longer
  sequence.
- Opponents that any move of the sequence can capture are assumed to be gone, as all possibilities
  are added up; they neither attack nor return.

``mended`` is the mean over all rolls: a blocked move ends the turn and subtracts nothing, a last
move may grant an extra roll (which is not used), C is weighted by the probability of getting there,
and replies are evaluated in the position that actually arises, in which captured pieces can enter
again.

A known first roll has probability 1 in all readings (section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from urcx.engine.moves import Move, after_pass
from urcx.errors import UsageError, WrongObjectError, check_name
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position
from urcx.strategy.attack import attack_probability, attempts, product_text, sides
from urcx.strategy.pieces import (
    Places,
    by_piece,
    pieces,
    place_text,
    rolls_of,
)

READINGS = ("tables", "text", "mended")


@dataclass(frozen=True)
class Term:
    """One product of a gain.

    ``part`` is W, A or C; ``move`` is the number of the move in the sequence, from 1 (0: the piece
    does not move); ``tile`` is the step of a captured piece on its own path, or None; ``rolls`` are
    all rolls whose probabilities are multiplied, the player's own first; ``replies`` says how many
    of them, at the end, are the opponent's; ``text`` is the product as the paper prints it.
    """

    part: str
    move: int
    piece: str
    tile: int | None
    rolls: tuple[int, ...]
    replies: int
    value: Fraction
    text: str

    @property
    def own_rolls(self) -> tuple[int, ...]:
        """Return the player's own rolls."""
        return self.rolls[: len(self.rolls) - self.replies]

    @property
    def reply_rolls(self) -> tuple[int, ...]:
        """Return the opponent's rolls."""
        return self.rolls[len(self.rolls) - self.replies :]


@dataclass(frozen=True)
class Gain(Result, function="gain"):
    """The gain of a sequence of pieces in one reading.

    Attributes
    ----------
    sequence : str
        Labels of the pieces.
    reading : str
        One of `READINGS`.
    terms : tuple of Term

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gain("2/3,6/5-5/L", "BA", "finkel", roll=2)
    >>> [(term.part, term.piece, str(term.value)) for term in found.terms][:2]
    [('W', 'B', '2'), ('W', 'A', '1/4')]
    """

    sequence: str
    reading: str
    terms: tuple[Term, ...]

    def part(self, name: str) -> Fraction:
        """Return W, A or C, or their sum for ``G``."""
        chosen = (term.value for term in self.terms if name in ("G", term.part))
        return sum(chosen, Fraction(0))


@dataclass
class _Turn:
    """The input of a reading, and its terms so far."""

    sequence: str
    rules: RuleSet
    roll: int | None
    reading: str
    terms: list[Term] = field(default_factory=list)

    def rolls(self, k: int) -> tuple[int, ...]:
        """Return the rolls of the k-th move, from 0."""
        return rolls_of(self.rules, self.roll if k == 0 else None)

    def add(
        self,
        part: str,
        move: int,
        piece: str,
        factors: tuple[Fraction | int, ...],
        rolls: tuple[int, ...],
        *,
        tile: int | None = None,
        replies: int = 0,
        negative: bool = False,
    ) -> None:
        """Add a term: the sum of ``factors`` times the probabilities of the unknown rolls."""
        known = int(self.roll is not None and len(rolls) > replies)
        dice = self.rules.dice
        number = "+".join(map(str, factors))
        number = f"({number})" if len(factors) > 1 else number
        text = product_text("-" * negative + number, rolls[known:], dice)
        value = (-1 if negative else 1) * sum(factors) * attack_probability(rolls[known:], dice)
        self.terms.append(Term(part, move, piece, tile, rolls, replies, Fraction(value), text))


def gain(
    position: Position | str | GameLike,
    sequence: str,
    rules: str | RuleSet | None = None,
    *,
    roll: int | None = None,
    reading: str = "mended",
) -> Gain:
    """Return the gain of a sequence of pieces of the player to move.

    Parameters
    ----------
    position, rules
        A position with the rules it is played by (``finkel`` by default), or texts that say them;
        or a game in their stead.
    sequence
        Labels of pieces (see `urcx.strategy.pieces`), one or more.
    roll
        The first roll, where it is known.
    reading
        One of `READINGS`, as the module's docstring explains.

    Returns
    -------
    Gain

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If there is no such piece or reading, the dice cannot give the roll, or the first piece may
        not move by it.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gain("2/3,6/5-5/L", "BA", "finkel", roll=2)
    >>> found.part("G"), found.part("W")
    (Fraction(15, 4), Fraction(15, 4))
    """
    position, rules = catalogue.placed(position, rules)
    places = pieces(position, rules)
    if not isinstance(sequence, str):
        raise WrongObjectError("sequence", str, sequence, "labels of pieces such as 'BA'")
    roll = None if roll is None else catalogue.whole("roll", roll)
    check_name("reading", reading, READINGS)
    for label in sequence:
        if label not in places:
            raise UsageError(f"pieces {sequence!r}: there is no piece {label!r}")
    if not sequence:
        raise UsageError("a sequence needs at least one piece")
    start = places[sequence[0]]
    for value in rolls_of(rules, roll):
        if value == roll and by_piece(position, value, start, rules) is None:
            where = place_text(start)
            raise UsageError(f"piece {sequence[0]} ({where}) may not move by the roll {roll}")
    turn = _Turn(sequence, rules, roll, reading)
    if reading == "mended":
        _mended(turn, position, places, ())
    else:
        _by_formula(turn, position, places)
    turn.terms.sort(key=lambda term: "WAC".index(term.part))
    return Gain(sequence, reading, tuple(turn.terms))


def _victim(move: Move, light: bool, before: Position) -> int:
    """Return the step of the piece captured by a move."""
    both = (before.dark, move.position.dark) if light else (before.light, move.position.light)
    (step,) = set(both[0]) - set(both[1])
    return step


def _opponents(position: Position, turn_of: Position) -> Position:
    """Return a position in which the opponent of the mover of ``turn_of`` is to move."""
    return replace(position, light_to_move=not turn_of.light_to_move)


def _by_formula(turn: _Turn, position: Position, places: Places) -> None:
    arrivals: dict[tuple[int, int], tuple[str, Position]] = {}
    _walk(turn, position, places, (), arrivals)
    gone = set()
    if turn.reading == "tables":
        gone = {term.tile for term in turn.terms if term.part == "A" and term.tile is not None}
    for label, step in places.items():
        if step and label != turn.sequence[0]:
            arrivals[0, step] = label, after_pass(position)
    for (move, step), (label, after) in sorted(arrivals.items()):
        left = _without(after, gone)
        if step > turn.rules.path.length or turn.rules.pieces in left.home:
            continue
        for attempt in attempts(left, step, turn.rules):
            replies = len(attempt.rolls)
            turn.add(
                "C", move, label, (step,), attempt.rolls, tile=step, replies=replies, negative=True
            )


def _walk(
    turn: _Turn,
    position: Position,
    places: Places,
    before: tuple[int, ...],
    arrivals: dict[tuple[int, int], tuple[str, Position]],
) -> None:
    """Add W and A of the moves after the rolls ``before``, and collect where they end."""
    k = len(before)
    label, last = turn.sequence[k], k == len(turn.sequence) - 1
    mean = turn.rules.dice.mean if turn.roll is None or k else Fraction(turn.roll)
    # The probability of a known roll is not multiplied, so it counts as one of the rolls before.
    turn.add("W", k + 1, label, (mean,), before or turn.rolls(0)[: turn.roll is not None])
    further: list[tuple[Move, tuple[int, ...]]] = []
    for roll in turn.rolls(k):
        rolls = (*before, roll)
        move = by_piece(position, roll, places[label], turn.rules)
        longer = turn.reading == "tables" and last and k > 0  # if it grants a roll
        if move is None or (longer and move.rolls_again):
            if roll:
                turn.add("W", k + 1, label, rolls, rolls, negative=True)
            continue
        if move.captures:
            tile = _victim(move, position.light_to_move, position)
            turn.add("A", k + 1, label, (tile,), rolls, tile=tile)
        arrivals.setdefault((k + 1, move.end), (label, _opponents(move.position, position)))
        if move.rolls_again and not last:
            further.append((move, rolls))
    for move, rolls in further:
        _walk(turn, move.position, {**places, label: move.end}, rolls, arrivals)


def _without(position: Position, gone: set[int]) -> Position:
    """Return a position without some of the mover's pieces, which count as home instead."""
    if position.light_to_move:
        board = tuple(step for step in position.light if step not in gone)
        return replace(position, light=board, home=(position.home[0] + len(gone), position.home[1]))
    board = tuple(step for step in position.dark if step not in gone)
    return replace(position, dark=board, home=(position.home[0], position.home[1] + len(gone)))


def _mended(turn: _Turn, position: Position, places: Places, before: tuple[int, ...]) -> None:
    k = len(before)
    label, last = turn.sequence[k], k == len(turn.sequence) - 1
    for roll in turn.rolls(k):
        rolls = (*before, roll)
        move = by_piece(position, roll, places[label], turn.rules)
        if move is None:
            _replies(turn, k, places, _opponents(position, position), rolls)
            continue
        after = {**places, label: move.end}
        turn.add("W", k + 1, label, (roll,), rolls)
        if move.captures:
            tile = _victim(move, position.light_to_move, position)
            turn.add("A", k + 1, label, (tile,), rolls, tile=tile)
        if move.rolls_again and not last:
            _mended(turn, move.position, after, rolls)
        elif turn.rules.pieces not in move.position.home:
            _replies(turn, k + 1, after, _opponents(move.position, position), rolls)


def _replies(
    turn: _Turn, moves: int, places: Places, position: Position, rolls: tuple[int, ...]
) -> None:
    """Add the opponent's possible captures in a position where the opponent is to move."""
    exposed = sides(position)[1]
    moved = turn.sequence[:moves]
    for label, step in places.items():
        if step not in exposed:
            continue  # in the pool or home
        for attempt in attempts(position, step, turn.rules):
            turn.add(
                "C",
                moved.rfind(label) + 1,
                label,
                (step,),
                (*rolls, *attempt.rolls),
                tile=step,
                replies=len(attempt.rolls),
                negative=True,
            )

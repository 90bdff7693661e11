"""The gain of a sequence of pieces, G = W + A + C (Raposo and Lamont, Eq. 6 to 12 and 36 to 45).

The mover's pieces are labelled from A on, least advanced first. Each piece in the start pool has a
separate label, because several may move in a turn. A sequence such as ``AB`` is a turn: A moves,
and B moves next if A's move grants an extra roll. W counts the tiles walked, A the tiles that
captured enemy pieces lose, and C the tiles that the opponent may capture in the next turn, each
times its probability. A captured piece loses as many tiles as the number of its step. The paper
leaves the details open, so there are three readings:

``text`` follows the definitions in the text, as used in the tables:

- W: each move adds the mean of the dice, times the probabilities of the rolls that led to it. A
  roll for which the piece has no legal move subtracts everything walked so far, including earlier
  moves.
- C: every tile to which a piece of the sequence can move counts in full, regardless of the
  probability of moving there, once for each move of the sequence. Pieces elsewhere count once.

``tables`` reproduces Tables 5 and 6 to the digit, for the position 2/3,6/5-5/L and for
2/3,6,8/5-4/L. The text lacks the figure of the position, but only an opponent on the rosette of
step 8 blocks the moves that Table 5 treats as illegal. This reading has two more rules:

- In a sequence of several moves, the last may not grant an extra roll: that would be a longer
  sequence.
- Opponents that any move of the sequence can capture are assumed to be gone, because all
  possibilities are added up. They do not attack and do not return.

``mended`` is the mean over all rolls. A blocked move ends the turn and subtracts nothing. A last
move may grant an extra roll, which is not used. C is weighted by the probability of getting there.
Replies are evaluated in the actual position, in which captured pieces can enter again.

If the first roll is known, it has probability 1 in all readings (section 4.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import partial
from string import ascii_uppercase
from typing import Annotated, ClassVar

from urcx.engine.moves import Move, after_pass, check_open, legal_moves
from urcx.errors import PositionError, TooLargeError, UsageError, WrongObjectError
from urcx.results.fields import TEXT, Field, Fields, Format, fields_of
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position, step_name
from urcx.strategy.capture import attempts, product_text, sides
from urcx.strategy.dice import probability, written

__all__ = ["gain"]

MOST_MOVES = 6  # of a sequence

Places = dict[str, int]


def pieces(position: Position, rules: RuleSet) -> Places:
    """Return the steps of the mover's pieces that are not home, by label.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If there are more pieces than letters.
    """
    check_open(position, rules)
    board = sides(position)[0]
    home = position.home[0 if position.light_to_move else 1]
    pool = rules.pieces - len(board) - home
    steps = (0,) * pool + board
    if len(steps) > len(ascii_uppercase):
        raise TooLargeError(
            f"{len(steps)} pieces are not home, but there are only {len(ascii_uppercase)} labels"
        )
    return dict(zip(ascii_uppercase, steps, strict=False))


def by_piece(position: Position, roll: int, start: int, rules: RuleSet) -> Move | None:
    """Return the legal move of the piece on a step for a roll, or None."""
    moves = legal_moves(position, roll, rules)
    return next((move for move in moves if move.start == start), None)


def rolls_of(rules: RuleSet, roll: int | None) -> tuple[int, ...]:
    """Return all rolls of the dice, or the roll alone if it is known."""
    return rules.dice.rolls if roll is None else (roll,)


def default_sequences(
    position: Position, rules: RuleSet, roll: int | None = None
) -> tuple[str, ...]:
    """Return the possible sequences, of two pieces if the first may get an extra roll.

    The pieces in the pool are interchangeable: the first that has not moved represents them all.

    Parameters
    ----------
    position, rules
        A position and its rule set.
    roll
        The first roll, if it is known.

    Raises
    ------
    PositionError
        If there is no legal move for the rolls, the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    places = pieces(position, rules)
    sequences: list[str] = []
    for first, start in _alike(places, ""):
        moves = [by_piece(position, value, start, rules) for value in rolls_of(rules, roll)]
        again = [move for move in moves if move and move.rolls_again]
        seconds = [
            label
            for label, step in _alike(places, first)
            if any(_movable(move, label == first, step, rules) for move in again)
        ]
        if any(moves):
            sequences += [first + second for second in seconds] or [first]
    if not sequences:
        rolls = "any roll" if roll is None else f"the roll {roll}"
        side = "light" if position.light_to_move else "dark"
        raise PositionError(f"{position.on(rules.path)}: {side} has no legal move for {rolls}")
    return tuple(sequences)


def _alike(places: Places, moved: str) -> list[tuple[str, int]]:
    """Return the pieces with their steps, of the pool only the moved piece and one more."""
    pool = [label for label, step in places.items() if step == 0 and label != moved][:1]
    return [(a, s) for a, s in places.items() if s or a == moved or a in pool]


def _movable(move: Move, same: bool, step: int, rules: RuleSet) -> bool:
    start = move.end if same else step
    return any(by_piece(move.position, roll, start, rules) for roll in rules.dice.rolls)


def check_sequence(sequence: str, places: Places) -> None:
    """Raise `UsageError` for a sequence that is empty, too long or has an unknown piece.

    Raises
    ------
    WrongObjectError
        If the sequence is not a string.
    """
    if not isinstance(sequence, str):
        raise WrongObjectError("sequence", str, sequence, "labels of pieces such as 'BA'")
    if not 1 <= len(sequence) <= MOST_MOVES:
        raise UsageError(
            f"sequence {sequence!r}: must have from 1 to {MOST_MOVES} pieces, such as AB"
        )
    if unknown := set(sequence) - set(places):
        labels = ", ".join(f"{a} ({f'step {s}' if s else 'start'})" for a, s in places.items())
        raise UsageError(
            f"sequence {sequence!r}: there is no piece {min(unknown)!r}. The pieces are {labels}"
        )


READINGS = ("tables", "text", "mended")
PARTS = {
    "W": "tiles walked",
    "A": "tiles that captured pieces lose",
    "C": "tiles that the opponent may capture in the next turn",
    "G": "the gain, their sum",
}
NOTES = (
    "W tiles walked, A tiles captured, C tiles the opponent may capture next, G their sum",
    "tables, text: as in Raposo and Lamont's tables, and in their text; mended: mean over rolls",
)


def rounded_gain(value: Fraction) -> str:
    """Return a fraction rounded to hundredths, halves away from zero, as the paper does."""
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return str(exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


@dataclass(frozen=True)
class Term:
    """One product of a gain."""

    part: Annotated[str, Field(key("part"), about="W, A or C")]
    move: Annotated[
        int,
        Field(
            Column("move", key=True),
            Format(lambda move: str(move or "none")),
            "number of its move in the sequence, 0 for a piece that does not move",
        ),
    ]
    piece: Annotated[str, Field("<piece", about="label of the piece")]
    tile: Annotated[
        int | None, Field("captured on", about="step of a captured piece, on its path, or null")
    ]
    rolls: Annotated[tuple[int, ...], Field("<rolls", about="the player's rolls", of=written)]
    replies: Annotated[tuple[int, ...], Field("<replies", about="the opponent's rolls", of=written)]
    text: Annotated[
        str, Field("<product", about="the product, as the paper prints it", key="product")
    ]
    value: Annotated[Fraction, Field("value", TEXT, "its value")]


@dataclass(frozen=True)
class Gain:
    """The gain of a sequence of pieces in one reading."""

    sequence: Annotated[str, Field(key("sequence"), about="labels of the pieces, in order")]
    reading: Annotated[str, Field(key("reading"), about="tables, text or mended")]
    terms: Annotated[tuple[Term, ...], "the products that add up to the gain"]

    def part(self, name: str) -> Fraction:
        """Return W, A or C, or their sum for ``G``."""
        chosen = (term.value for term in self.terms if name in ("G", term.part))
        return sum(chosen, Fraction(0))


SUM = Format(rounded_gain, (("", str), ("_rounded", rounded_gain)))
TERMS = fields_of(Term)
SUMS = fields_of(Gain) + Fields(
    *(Field(k, SUM, about, of=partial(Gain.part, name=k), key=k) for k, about in PARTS.items())
)
GAINS = SUMS + Fields(
    Field(kind=Format(json=(("", TERMS.records),), csv=()), about="its products", key="terms")
)


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
        replies: tuple[int, ...] = (),
        *,
        negative: bool = False,
    ) -> None:
        """Add a term: the sum of ``factors`` times the probabilities of the unknown rolls.

        In A and C the only factor is the step of the captured piece.
        """
        unknown = rolls[int(self.roll is not None) :] + replies
        sign, dice = "-" * negative, self.rules.dice
        number = "+".join(map(str, factors))
        number = f"({number})" if len(factors) > 1 else number
        text = product_text(sign + number, unknown, dice)
        value = Fraction((-1) ** negative * sum(factors) * probability(dice, unknown))
        tile = None if part == "W" else int(factors[0])
        self.terms.append(Term(part, move, piece, tile, rolls, replies, text, value))

    def add_move(self, k: int, move: Move, before: Position, rolls: tuple[int, ...]) -> None:
        """Add the capture of the k-th move, if it captures."""
        if move.captures:
            left = move.position.dark if before.light_to_move else move.position.light
            (step,) = {*sides(before)[1]} - {*left}
            self.add("A", k + 1, self.sequence[k], (step,), rolls)

    def add_replies(
        self, move: int, piece: str, step: int, after: Position, before: tuple[int, ...] = ()
    ) -> None:
        """Add the opponent's captures of a piece in the position after the rolls ``before``."""
        for attempt in attempts(after, step, self.rules):
            self.add("C", move, piece, (step,), before, attempt.rolls, negative=True)


def gain_of(
    position: Position,
    sequence: str,
    rules: RuleSet,
    *,
    roll: int | None = None,
    reading: str = "mended",
) -> Gain:
    """Return the gain of a sequence of pieces of the player to move, in one of `READINGS`.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If there is no such piece, the dice cannot give the roll, or the first piece has no legal
        move for it.
    """
    places = pieces(position, rules)
    check_sequence(sequence, places)
    start = places[sequence[0]]
    if roll is not None and by_piece(position, roll, start, rules) is None:
        way = rules.path.light if position.light_to_move else rules.path.dark
        where = step_name(start, way)
        raise UsageError(f"piece {sequence[0]} ({where}) has no legal move for the roll {roll}")
    turn = _Turn(sequence, rules, roll, reading)
    if reading == "mended":
        _mended(turn, position, places, ())
    else:
        _by_formula(turn, position, places)
    turn.terms.sort(key=lambda term: "WAC".index(term.part))
    return Gain(sequence, reading, tuple(turn.terms))


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
        turn.add_replies(move, label, step, left)


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
    # A known roll counts as one of the rolls before, because its probability is 1.
    turn.add("W", k + 1, label, (mean,), before or turn.rolls(0)[: turn.roll is not None])
    following: list[tuple[Move, tuple[int, ...]]] = []
    for roll in turn.rolls(k):
        rolls = (*before, roll)
        move = by_piece(position, roll, places[label], turn.rules)
        longer = turn.reading == "tables" and last and k > 0  # if it grants a roll
        if move is None or (longer and move.rolls_again):
            if roll:
                turn.add("W", k + 1, label, rolls, rolls, negative=True)
            continue
        turn.add_move(k, move, position, rolls)
        arrivals.setdefault((k + 1, move.end), (label, _opponents(move.position, position)))
        if move.rolls_again and not last:
            following.append((move, rolls))
    for move, rolls in following:
        _walk(turn, move.position, {**places, label: move.end}, rolls, arrivals)


def _without(position: Position, gone: set[int]) -> Position:
    """Return a position without some of the mover's pieces, which then count as home."""
    if not position.light_to_move:
        return _without(position.turned(), gone).turned()
    board = tuple(step for step in position.light if step not in gone)
    return replace(position, light=board, home=(position.home[0] + len(gone), position.home[1]))


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
        turn.add_move(k, move, position, rolls)
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
        turn.add_replies(moved.rfind(label) + 1, label, step, position, rolls)


@dataclass(frozen=True)
class Gains(Result, function="gain"):
    """The gains of several sequences of pieces in one position.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.gain("2/3,6/5-5/L", sequences="BA", roll=2)
    >>> [(term.part, term.piece, str(term.value)) for term in result.best("mended").terms][:2]
    [('W', 'B', '2'), ('W', 'A', '1/4')]
    """

    schema = "urcx.gain/2"
    lists = ("rows",)
    parts: ClassVar = {"rows": GAINS, "rows.terms": TERMS}
    rules: Annotated[RuleSet, Field(about="name of the rule set", of="name")]
    position: Annotated[Position, Field(kind=TEXT, about="the position")]
    roll: Annotated[int | None, Field(about="the first roll if it is known, or null")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    places: Annotated[
        Places, Field(about="step of each piece by label, 0 in the start pool", key="pieces")
    ]
    of: Annotated[Mapping[str, tuple[Gain, ...]], "the gains of all sequences, by reading"]

    def best(self, reading: str) -> Gain:
        """Return the highest gain in a reading, the first of several."""
        return max(self.of[reading], key=lambda item: item.part("G"))

    @property
    @Field(about="sequence of the highest gain, by reading", key="best")
    def best_sequences(self) -> dict[str, str]:
        """Return the sequence of the highest gain in each reading."""
        return {reading: self.best(reading).sequence for reading in READINGS}

    @property
    def rows(self) -> list[Gain]:
        """Return the gains of all sequences, by reading."""
        return [item for reading in READINGS for item in self.of[reading]]

    def tables(self) -> list[Table]:
        """Return the gain of each sequence in all readings, and the terms."""
        way = self.rules.path.light if self.position.light_to_move else self.rules.path.dark
        pieces = (f"{label}: {step_name(step, way)}" for label, step in self.places.items())
        named = fields_of(Gain)
        terms = [[*named.cells(x), *TERMS.cells(t)] for x in self.rows for t in x.terms]
        return [
            SUMS.table("", self.rows, [f"pieces {', '.join(pieces)}", *NOTES]),
            Table("Terms", [*named.columns, *TERMS.columns], terms),
        ]

    @property
    def answer(self) -> str:
        """Return the highest gain in each reading."""
        first, *others = (f"{label} in {name}" for name, label in self.best_sequences.items())
        most = self.best(READINGS[0]).part("G")
        roll = "before the roll" if self.roll is None else f"roll {self.roll}"
        return (
            f"{self.position.on(self.rules.path)} ({self.rules.name}), {roll}: the sequence with "
            f"the highest gain is {first}, {float(most):.4f} tiles (exactly {most}); "
            f"{', '.join(others)}"
        )


def gain(
    position: Position | str | GameLike,
    rules: str | RuleSet | None = None,
    *,
    sequences: str | Sequence[str] | None = None,
    roll: int | None = None,
) -> Gains:
    """Compute the gain of sequences, as Raposo and Lamont define it.

    Pieces are labelled from A on, the least advanced first. Pieces in the start pool have separate
    labels. In a sequence, each piece except the first moves only if the previous move grants a
    roll.

    Parameters
    ----------
    position, rules
        A position and its rule set (``finkel`` by default), or their notation and name, or a game
        instead of both.
    sequences
        Sequences of pieces, such as ``AB,BA``. By default all possible sequences of two pieces.
    roll
        The first roll, if it is known.

    Returns
    -------
    Gains
        The gains in three readings of the paper: ``tables``, ``text``, and ``mended``, a mean over
        all rolls. `urcx.strategy.gain` explains them.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If there is no such piece, the dice cannot give the roll, or the first piece has no legal
        move for it.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.gain("2/3,6/5-5/L", sequences="BA,BB", roll=2)
    >>> best = result.best("mended")
    >>> best.sequence, best.part("G"), best.part("W")
    ('BB', Fraction(17127, 4096), Fraction(4, 1))
    """
    position, rules = catalogue.resolve_position(position, rules)
    roll = None if roll is None else catalogue.as_integer("roll", roll)
    if sequences is None:
        sequences = default_sequences(position, rules, roll)
    elif isinstance(sequences, str):
        sequences = tuple(dict.fromkeys(part.strip().upper() for part in sequences.split(",")))
    elif not isinstance(sequences, Sequence):
        raise WrongObjectError("sequences", str, sequences, "labels of pieces such as 'BA,BB'")
    gains = {
        name: tuple(gain_of(position, s, rules, roll=roll, reading=name) for s in sequences)
        for name in READINGS
    }
    return Gains(rules, position, roll, pieces(position, rules), gains)


def move_gains(position: Position, roll: int, rules: RuleSet) -> dict[int, Fraction]:
    """Return the gain of each legal move by its start, the criterion of the agent ``gain``.

    The gain of a move that grants an extra roll is the gain of the best sequence of two pieces that
    begins with this move. The reading is ``mended`` with a known first roll.

    Raises
    ------
    PositionError
        If there is no legal move for the roll, the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    places = pieces(position, rules)
    gains: dict[int, Fraction] = {}
    for sequence in default_sequences(position, rules, roll):
        start = places[sequence[0]]
        value = gain_of(position, sequence, rules, roll=roll).part("G")
        gains[start] = max(value, gains.get(start, value))
    return gains

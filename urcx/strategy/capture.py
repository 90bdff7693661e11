"""The probability that one piece captures another: in the next turn, and ever.

A turn continues if a move grants an extra roll, with the same or another piece (Raposo and Lamont,
Eq. 11 and 44: the sequences s). The player is assumed to do everything to capture that piece: of
several moves that grant an extra roll, the one with the highest probability of a capture. So no
rolls are counted twice, and the sum over the sequences is a probability.

Whether it ever happens is for positions in which each side has one piece left (Figure 7). All moves
are then forced, so positions form a Markov chain, whose probabilities are computed exactly. Pieces
only advance, except that the hunter starts again when the prey captures it; but then the prey has
advanced. So no arrangement comes back, and within an arrangement there remain two equations,
because both players may pass repeatedly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import lcm
from typing import Annotated, Any, ClassVar

from urcx.engine.moves import Move, after_pass, check_open, legal_moves, move_in_words
from urcx.errors import PositionError
from urcx.results.fields import TEXT, Field, Fields, Kind, column, fields_of
from urcx.results.numbers import in_percent
from urcx.results.result import Result
from urcx.results.tables import Table, key
from urcx.rules import catalogue
from urcx.rules.model import Dice, GameRules, RuleSet
from urcx.rules.position import EXAMPLE, GameLike, Position
from urcx.strategy.dice import chances, probability, written

__all__ = ["capture"]

MOST_ROLLS = 3  # in one turn; the paper's appendix C also stops at three moves


@dataclass(frozen=True)
class Attempt:
    """Rolls of one turn that capture a piece, and their probability.

    ``rolls`` are the rolls in order and ``moves`` the (from, to) steps that answer them.
    """

    rolls: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]
    chance: Fraction


def sides(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the steps of the player to move and of the other."""
    if position.light_to_move:
        return position.light, position.dark
    return position.dark, position.light


def takes(move: Move, step: int, light: bool) -> bool:
    """Return whether a move captures the piece on an enemy step; ``light``: who moves."""
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
        Sequences of which none is a prefix of another, so that their probabilities add up, shortest
        first.
    """
    light = position.light_to_move
    sequences: list[Attempt] = []
    for roll, chance in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        hit = next((move for move in moves if takes(move, step, light)), None)
        if hit is not None:
            sequences.append(Attempt((roll,), ((hit.start, hit.end),), chance))
        elif left > 1:
            sequences += _after(roll, chance, moves, step, rules, left)
    return tuple(sorted(sequences, key=lambda attempt: (len(attempt.rolls), attempt.rolls)))


def _after(
    roll: int, chance: Fraction, moves: tuple[Move, ...], step: int, rules: RuleSet, left: int
) -> list[Attempt]:
    """Return the attempts that begin with the best of the moves that grant an extra roll."""
    best: list[Attempt] = []
    for move in moves:
        if not move.rolls_again:
            continue
        further = [
            Attempt(
                (roll, *more.rolls), ((move.start, move.end), *more.moves), chance * more.chance
            )
            for more in attempts(move.position, step, rules, left - 1)
        ]
        if total(further) > total(best):
            best = further
    return best


def total(sequences: list[Attempt] | tuple[Attempt, ...]) -> Fraction:
    """Return the probability that any of the attempts succeeds."""
    return sum((attempt.chance for attempt in sequences), Fraction(0))


def common(dice: Dice) -> int:
    """Return the least common denominator of the probabilities, 16 for four binary dice."""
    return lcm(*(p.denominator for p in dice.probabilities))


def product_text(factor: str, rolls: tuple[int, ...], dice: Dice) -> str:
    """Return a product as the paper prints it, such as ``-6*(4/16)*(6/16)``."""
    known, below = chances(dice), common(dice)
    return "*".join([factor, *(f"({int(known[roll] * below)}/{below})" for roll in rolls)])


TURNS = 6  # of the hunter, listed one by one
MOST_SEQUENCES = 20_000  # that are followed in the search for the shortest

Attempts = tuple[Attempt, ...]
Spread = dict[Position, Fraction]
Shortest = tuple[tuple[tuple[int, ...], Fraction], ...]  # rolls, and their chance


def _rolls(sequences: tuple[Attempt, ...]) -> str:
    return " ".join(written(attempt.rolls) for attempt in sequences)


def _shortest(shortest: Shortest) -> str:
    return " ".join(written(rolls) for rolls, _ in shortest)


def _side(light: bool) -> str:
    return "light" if light else "dark"


CHANCE = Kind(in_percent, (("", str),))  # exactly in JSON
CHANCE_AND_VALUE = Kind(in_percent, (("", str), ("_value", float)))
EACH = Kind(json=(("", lambda found: [str(chance) for chance in found]),))
ROLLS = Kind(_rolls, (("", _rolls),))
FEWEST = Kind(
    _shortest,
    (("", lambda found: [{"rolls": written(r), "chance": str(c)} for r, c in found]),),
    (("", _shortest),),
)


@dataclass(frozen=True)
class Danger:
    """A piece of the player not to move, and how the player to move can capture it in one turn."""

    step: Annotated[int, Field(about="step of a piece that can be captured")]
    tile: Annotated[str, Field(about="its tile")]
    attempts: Annotated[Attempts, Field("<all sequences", ROLLS, "that do it", key="sequences")]
    move: Annotated[
        Move | None,
        Field(about="with a roll: the step the move leaves", key="from", of="start"),
        Field(about="with a roll: the step it reaches", key="to", of="end"),
    ] = None

    @property
    @Field("in percent", CHANCE_AND_VALUE, "chance of these", after="attempts")
    def chance(self) -> Fraction:
        """Return the probability of being captured."""
        return total(self.attempts)

    @property
    @Field("<single rolls", ROLLS, "single rolls that do it", key="single_rolls", after="tile")
    def direct(self) -> tuple[Attempt, ...]:
        """Return the attempts with a single roll, the only ones considered in section 4.1."""
        return tuple(attempt for attempt in self.attempts if len(attempt.rolls) == 1)

    @property
    @Field("of these", CHANCE, "chance of these", key="single_chance", after="direct")
    def direct_chance(self) -> Fraction:
        """Return the probability of being captured by a single roll."""
        return total(self.direct)


def dangers(position: Position, rules: RuleSet, move: Move | None = None) -> tuple[Danger, ...]:
    """Return the danger of each piece on the board of the player not to move, who made a move.

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
    """Return the dangers of all own pieces in the opponent's turn, after each legal move.

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
        raise PositionError(f"{where}: no piece of {_side(light)} may move by the roll {roll}")
    after = [(m, after_pass(m.position) if m.rolls_again else m.position) for m in moves]
    ongoing = ((move, at) for move, at in after if rules.pieces not in at.home)
    return tuple(item for move, at in ongoing for item in dangers(at, rules, move))


@dataclass(frozen=True)
class Hunt:
    """The probability that one side's only piece ever captures the other's."""

    light: Annotated[bool, Field(about="whose piece captures", key="hunter", of=_side)]
    ever: Annotated[Fraction, Field(kind=CHANCE_AND_VALUE, about="before a piece is home")]
    turns: Annotated[tuple[Fraction, ...], Field(kind=EACH, about="in each of its next turns")]
    shortest: Annotated[
        Shortest, Field(kind=FEWEST, about="the fewest rolls of both; empty if too many to follow")
    ]

    @property
    @Field(kind=CHANCE, about="chance of the shortest, which the paper estimates by")
    def estimate(self) -> Fraction:
        """Return the probability of the shortest sequences, the paper's estimate."""
        return sum((chance for _, chance in self.shortest), Fraction(0))


def _in_turn(k: int) -> Field:
    return Field(f"turn {k + 1}", CHANCE, of=lambda item: item.turns[k], key=f"turn_{k + 1}")


CHANCES = fields_of(Hunt)
IN_TURNS = Fields(*map(_in_turn, range(TURNS)))  # separate columns in CSV and in the table
COLUMNS = CHANCES.pick("hunter", "shortest", "estimate", "ever") + IN_TURNS


def chances_table(hunts: Sequence[Hunt]) -> Table:
    """Return the table of the chances that one piece ever captures the other."""
    shown = Fields(
        column("<hunt", lambda item: f"{_side(item.light)} captures {_side(not item.light)}"),
        Field("<fewest rolls", FEWEST, of="shortest"),
        Field("of these", CHANCE, of="estimate"),
        *IN_TURNS,
        Field("ever", CHANCE, of="ever"),
    )
    return shown.table(
        "Chances that one piece captures the other, exactly, from the Markov chain",
        hunts,
        [
            "each side has one piece left, so every move is forced; ever: before a piece is home",
            "fewest rolls: of both players from now on; turn: of the hunter, extra rolls included",
        ],
    )


def capture_alone(position: Position, rules: RuleSet) -> bool:
    """Return whether each side has one piece left, so that all moves are forced."""
    return position.home == (rules.pieces - 1, rules.pieces - 1)


def hunt(position: Position, rules: RuleSet, *, light: bool) -> Hunt:
    """Return the chances that light's piece captures dark's, or the other way round.

    Raises
    ------
    PositionError
        If the position breaks a rule, the game is over, or a side has more pieces not home.
    """
    check_open(position, rules)
    if not capture_alone(position, rules):
        raise PositionError(
            f"home: {position} leaves a choice of pieces; the chance of ever being captured needs "
            f"{rules.pieces - 1}-{rules.pieces - 1} home"
        )
    chain = _Chain(rules, light)
    return Hunt(light, chain.ever(position), chain.turns(position), chain.shortest(position))


@dataclass(frozen=True)
class Captures(Result, function="capture"):
    """The captures that can happen in a position.

    Without a ``roll``, ``exposures`` are the pieces of the player not to move, each with its danger
    in the turn that begins. With one they are those of the player to move that the opponent may
    take in his turn, after each move of the roll; the piece that moved is always among them.
    Where no roll is known and each player has one piece left, ``hunts`` are not empty.

    Examples
    --------
    >>> import urcx
    >>> urcx.capture("1/6/6-6/D").hunts[1].shortest
    (((0, 3, 2), Fraction(3, 512)), ((1, 3, 3), Fraction(1, 64)))
    """

    schema = "urcx.capture/1"
    lists = ("exposures", "hunts")
    brief = 2
    rules: GameRules
    position: Annotated[Position, Field(kind=TEXT, about="the position")]
    roll: Annotated[int | None, Field(about="the roll of the player to move, or null")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    exposures: Annotated[tuple[Danger, ...], "pieces that may be captured in the next turn"]
    hunts: Annotated[
        tuple[Hunt, ...], "the chances of both players ever to capture, the mover's first"
    ] = ()

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object, those of moves in front of a row."""
        return super().members() | {"rows": MOVES + EXPOSURES}

    def _rows(self) -> list[dict[str, Any]]:
        fields = EXPOSURES if self.roll is None else MOVES + EXPOSURES
        return fields.records(self.exposures)

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object, with chances ever to capture if there are any."""
        hunts = {"hunts": fields_of(Hunt).records(self.hunts)} if self.hunts else {}
        return fields_of(Captures).record(self) | {"rows": self._rows()} | hunts

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each piece in danger, and for each chance ever to capture."""
        if not self.hunts:
            return self._rows()
        hunts = [{"kind": "hunt", **COLUMNS.flat(item)} for item in self.hunts]
        return [{**row, "kind": "danger"} for row in self._rows()] + hunts

    @property
    def row_fields(self) -> Fields:
        """Return the fields of pieces in danger."""
        return EXPOSURES

    def tables(self) -> list[Table]:
        """Return the chances of captures: in this turn or after each move of a roll, and ever."""
        dangers = [self._exposures_table()] if self.exposures else []
        return [*dangers, *([chances_table(self.hunts)] if self.hunts else [])]

    @property
    def answer(self) -> str:
        """Return which piece is most in danger, and how much."""
        where = f"{self.position.on(self.rules.path)} ({self.rules.name})"
        if self.hunts:
            parts = (f"{_side(item.light)}'s {in_percent(item.ever)}" for item in self.hunts)
            return f"{where}: the chance to capture before a piece is home is {', '.join(parts)}"
        if not self.exposures:
            return (
                f"{where}: no piece stands where one could be captured, the chance is 0 (exact); "
                f"for one that does: urcx capture {EXAMPLE}"
            )
        worst = max(self.exposures, key=lambda item: item.chance)
        if not worst.chance:
            return f"{where}: no piece can be captured in one turn, the chance is 0 (exact)"
        after = ""
        if worst.move:
            light = self.position.light_to_move
            after = f" after {move_in_words(worst.move, path=self.rules.path, light=light)}"
        chance = worst.chance
        return (
            f"{where}: the piece on {worst.tile} is captured with {in_percent(chance)} in one turn"
            f"{after}, more than any other (exactly {chance})"
        )

    def _exposures_table(self) -> Table:
        """Return the table of pieces that can be captured in a turn."""
        who = _side(self.position.light_to_move)
        title = f"Chances to be captured in {who}'s turn"
        moves = Fields()
        if self.roll is not None:
            title = f"Chances to be captured in the next turn, after {who} moves by {self.roll}"
            light = self.position.light_to_move
            words = partial(move_in_words, path=self.rules.path, light=light)
            moves = Fields(column(key("move"), lambda item: words(item.move)))
        shown = moves + Fields(
            column(key("piece on"), lambda item: item.tile),
            *EXPOSURES.pick("single_rolls", "single_chance", "sequences"),
            column("chance", lambda item: str(item.chance)),
            EXPOSURES["chance"],
        )
        note = "sequences: the first rolls grant another; the opponent plays only for that capture"
        return shown.table(
            f"{title} in {self.position.on(self.rules.path)} ({self.rules.name})",
            self.exposures,
            [note],
        )


DANGERS = fields_of(Danger)
MOVES = DANGERS.pick("from", "to")
EXPOSURES = DANGERS.without("from", "to")


def capture(
    position: Position | str | GameLike,
    rules: str | RuleSet | None = None,
    *,
    roll: int | None = None,
) -> Captures:
    """Print the exact chances that pieces are captured, now or ever.

    These are for the turn of the player to move; with --roll, for the opponent's turn after each
    move with that roll. If each side has one piece left, also the probability that it ever captures
    the other.

    Parameters
    ----------
    position, rules
        A position with the rules it is played by (``finkel`` by default), or texts that say them;
        or a game in their stead.
    roll
        A roll of the player to move, after whose moves the opponent's turn is looked at.

    Returns
    -------
    Captures

    Raises
    ------
    PositionError
        If the position breaks a rule, the game is over, or no piece may move by the roll.
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
    position, rules = catalogue.placed(position, rules)
    if roll is not None:
        after = dangers_after(position, roll, rules)
        some = (
            item for item in after if item.attempts or (item.move and item.step == item.move.end)
        )
        return Captures(rules, position, roll, tuple(some))
    light = position.light_to_move
    hunters = (light, not light) if capture_alone(position, rules) else ()
    hunts = (hunt(position, rules, light=hunter) for hunter in hunters)
    return Captures(rules, position, None, dangers(position, rules), tuple(hunts))


class _Chain:
    """The Markov chain of two pieces, from the hunter's point of view."""

    def __init__(self, rules: RuleSet, light: bool) -> None:
        self.rules, self.light, self.chances = rules, light, chances(rules.dice)
        self.known: Spread = {}
        self.step = cache(self._step)

    def _step(self, position: Position, roll: int) -> tuple[Position | None, bool]:
        """Return the position after a roll, None if nothing is left to follow; and a capture."""
        moves = legal_moves(position, roll, self.rules)
        if not moves:
            return after_pass(position), False
        (move,) = moves
        if move.captures and position.light_to_move == self.light:
            return None, True
        over = self.rules.pieces in move.position.home
        return (None if over else move.position), False

    def ever(self, position: Position) -> Fraction:
        """Return the probability of ever capturing from a position on."""
        if position not in self.known:
            other = after_pass(position)
            (a, p), (b, q) = self.leaving(position), self.leaving(other)
            # v = a + p w and w = b + q v; if both sides always pass, nothing ever happens.
            stuck = p * q == 1
            self.known[position] = Fraction(0) if stuck else (a + p * b) / (1 - p * q)
            self.known[other] = Fraction(0) if stuck else (b + q * a) / (1 - p * q)
        return self.known[position]

    def leaving(self, position: Position) -> tuple[Fraction, Fraction]:
        """Return the probability of ever capturing after a move, and the probability of a pass."""
        captured = passed = Fraction(0)
        for roll, chance in self.chances.items():
            after, capture = self.step(position, roll)
            if capture:
                captured += chance
            elif after == after_pass(position):
                passed += chance
            elif after is not None:
                captured += chance * self.ever(after)
        return captured, passed

    def turns(self, position: Position) -> tuple[Fraction, ...]:
        """Return the probabilities of a capture in each of the hunter's next `TURNS` turns."""
        captures = []
        now: Spread = {position: Fraction(1)}
        for _ in range(TURNS):
            now, _nothing = self.turn(now, hunting=False)
            now, captured = self.turn(now, hunting=True)
            captures.append(captured)
        return tuple(captures)

    def turn(self, now: Spread, *, hunting: bool) -> tuple[Spread, Fraction]:
        """Return the distribution after one player's turn, and the probability of a capture."""
        after: Spread = {}
        captured = Fraction(0)
        while now:
            position, weight = now.popitem()
            if (position.light_to_move == self.light) != hunting:
                after[position] = after.get(position, Fraction(0)) + weight
                continue
            for roll, chance in self.chances.items():
                then, capture = self.step(position, roll)
                if capture:
                    captured += weight * chance
                elif then is not None:
                    now[then] = now.get(then, Fraction(0)) + weight * chance
        return after, captured

    def shortest(self, position: Position) -> Shortest:
        """Return the sequences that capture with the fewest rolls, in order."""
        level: list[tuple[tuple[int, ...], Position]] = [((), position)]
        followed = 0
        while level:
            followed += len(level) * len(self.rules.dice.rolls)
            if followed > MOST_SEQUENCES:
                break
            hits, further = [], []
            for (rolls, at), roll in product(level, self.rules.dice.rolls):
                after, capture = self.step(at, roll)
                if capture:
                    hits.append((*rolls, roll))
                elif after is not None:
                    further.append(((*rolls, roll), after))
            if hits:
                return tuple((rolls, probability(self.rules.dice, rolls)) for rolls in hits)
            level = further
        return ()

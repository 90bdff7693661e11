"""The result of solving a rule set or its endings in exact fractions.

`urcx.contrib.exact.rational` computes and proves the values. Two moves are tied if their values are
the same fraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd
from operator import itemgetter
from typing import Annotated, Any, ClassVar

from urcx.contrib.exact.equations import Fractions, StateGraph
from urcx.engine.compiling import CompiledResult
from urcx.engine.moves import check_open, legal_moves
from urcx.errors import OutOfDomainError
from urcx.results.fields import COUNT, TEXT, Field, Fields, Format, column, decimals, fields_of
from urcx.results.fractions import (
    DECIMALS,
    fraction_digits,
    fraction_text,
    rounded_fraction,
)
from urcx.results.numbers import number, percent_text
from urcx.results.tables import Table
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import GameLike, Position, as_position, check
from urcx.solving.files.tablebase import MoveValue, certain_chance, ranked_moves
from urcx.solving.probing import RolledMove, move_fields, move_records, rolled_moves

Pair = tuple[int, int]
EXACT = (("", fraction_text),)  # in JSON


DIGITS = Format(  # the number of digits of a long number
    lambda value: number(len(fraction_digits(value))),
    (("", lambda value: str(len(fraction_digits(value)))),),
    whole=True,
)


@dataclass(frozen=True)
class ExactValue:
    """A position, and the mover's win probability."""

    position: Annotated[Position, Field("", TEXT, "the position")]
    value: Annotated[
        Fraction,
        Field("", Format(json=EXACT), "exact win probability of the player to move"),
        Field(
            "",
            Format(json=(("", rounded_fraction),)),
            f"the same to {DECIMALS} decimals, rounded down",
            key="decimal",
        ),
        Field(
            "digits of the denominator",
            DIGITS,
            "digits of its denominator",
            key="digits",
            of="denominator",
        ),
    ]


@dataclass(frozen=True)
class ExactState(ExactValue):
    """A state, the mover's win probability, and the starts of the best moves for each roll.

    ``starts`` has, for each roll, the steps from which best moves start, ascending, 0 for the pool.
    It is empty for a pass.
    """

    starts: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Ties:
    """Ties between moves in the states with given numbers of pieces left, the greater one first.

    A decision is a state and roll with at least two moves.
    """

    left: Annotated[
        Pair,
        Field("left", about="pieces not home, by side", of=lambda left: "{}-{}".format(*left)),
    ]
    states: Annotated[int, Field("states", COUNT, "number of states")]
    denominator: Annotated[
        int, Field("digits", DIGITS, "digits of the common denominator", key="digits")
    ]
    decisions: Annotated[int, Field("decisions", COUNT, "states and rolls with two moves or more")]
    tied: Annotated[int, Field("tied", COUNT, "decisions with two moves of exactly equal value")]
    best_tied: Annotated[int, Field("best tied", COUNT, "decisions with two best moves")]
    smallest: Annotated[
        Fraction | None,
        Field(
            "least (points)",
            Format(lambda value: f"{100 * float(value):.1e}", (("", float),)),
            "least difference in win probability between two moves that are not tied",
            key="smallest_difference",
        ),
    ]
    place: Annotated[
        tuple[Position, int] | None,
        Field("", TEXT, "position of this difference", key="smallest_at", of=itemgetter(0)),
        Field(about="roll of this difference", key="smallest_roll", of=itemgetter(1)),
    ]
    example: Annotated[
        tuple[Position, int] | None,
        Field("", TEXT, "a position with tied moves", key="tied_at", of=itemgetter(0)),
        Field(about="the roll for these moves", key="tied_roll", of=itemgetter(1)),
    ]


MOVES = move_fields(
    Format(lambda value: f"{float(value):.15f}", EXACT),
    Format(lambda regret: f"{float(regret):.3e}" if regret else "0", EXACT),
)


@dataclass(frozen=True)
class ExactSolution(CompiledResult, function="solve_exactly"):
    """A rule set, or its endings with ``left`` pieces per side, solved in fractions.

    Examples
    --------
    >>> from urcx.contrib.exact import solve_exactly
    >>> solution = solve_exactly("finkel", endings=1)
    >>> solution.states, solution.left, str(solution.start)
    (217, 1, '-/-/6-6/L')
    """

    schema = "urcx.fractions/1"
    lists = ("ties",)
    parts: ClassVar = {"moves": MOVES}
    rules: GameRules
    left: Annotated[int, Field(about="most pieces not home per side", key="pieces_left")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, with a proof")]] = "exact"
    graph: Annotated[StateGraph, "the states and their moves, as numbers"]
    fractions: Annotated[Fractions, "the probabilities of all states, over a common denominator"]
    rounds: Annotated[
        int, Field("rounds of policy iteration", Format(number), "rounds of policy iteration")
    ]
    seconds: Annotated[float, Field("seconds", decimals(1), "wall time in seconds")]
    position: Annotated[Position | None, "the position to show, by default the start"] = None

    @property
    @Field("states (unfinished)", COUNT, "unfinished states", after="exactness")
    def states(self) -> int:
        """Return the number of unfinished states: canonical views if the path is symmetric."""
        return len(self.graph.states)

    @property
    def denominator(self) -> int:
        """Return the common denominator of all probabilities."""
        return self.fractions.denominator

    @property
    def start(self) -> Position:
        """Return the start of the endings: all pieces left are in the start pools."""
        home = self.rules.pieces - self.left
        return Position((), (), (home, home))

    def value(self, position: Position | str | GameLike) -> Fraction:
        """Return the win probability of the player to move in a position, its text or a game.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        OutOfDomainError
            If more pieces are left than were solved.
        """
        position = as_position(position, self.rules)
        certain = certain_chance(position, self.rules)
        if certain is not None:
            return Fraction(certain)
        inner = as_ending(position, self.rules, self.left)
        k = int(self.graph.local[self.graph.order.index(inner)])
        return Fraction(self.fractions.numerators[k], self.denominator)

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[Fraction], ...]:
        """Return the legal moves for a roll with their values, best first, or none for a pass.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set, or the game is over.
        OutOfDomainError
            If more pieces are left than were solved.
        UsageError
            If the roll is impossible.
        """
        position = as_position(position, self.rules)
        check_open(position, self.rules)
        as_ending(position, self.rules, self.left)
        return ranked_moves(position, roll, self.rules, self.value)

    @property
    @Field("", COUNT, "states and rolls with tied moves", key="tied_decisions", after="rounds")
    def tied(self) -> int:
        """Return the number of states and rolls with two moves of exactly equal value."""
        return sum(item.tied for item in self.ties)

    def policy(self) -> Iterator[ExactState]:
        """Yield every state with its best moves. Light is to move if the path is symmetric."""
        for k in range(self.states):
            position = self._position_of(k)
            starts = {}
            for r, roll in enumerate(self.rules.dice.rolls):
                moves = legal_moves(position, roll, self.rules)
                worth = self.graph.worth(k, r, self.fractions)
                best = max(worth)
                starts[roll] = tuple(
                    move.start
                    for move, value in zip(moves, worth, strict=bool(moves))
                    if value == best
                )
            value = Fraction(self.fractions.numerators[k], self.denominator)
            yield ExactState(position, value, starts)

    @cached_property
    def ties(self) -> tuple[Ties, ...]:
        """Return the ties for each pair of numbers of pieces left, fewest first."""
        groups: dict[Pair, list[int]] = {}
        for k in range(self.states):
            home = self._position_of(k).home
            few, many = sorted(self.rules.pieces - n for n in home)
            groups.setdefault((many, few), []).append(k)
        by_total = sorted(groups, key=lambda left: (sum(left), left))
        return tuple(self._ties(left, groups[left]) for left in by_total)

    def _ties(self, left: Pair, states: list[int]) -> Ties:
        common = self.denominator
        divisor = gcd(common, *(self.fractions.numerators[k] for k in states))
        decisions = tied = best_tied = 0
        least, example = (common + 1, 0, 0), None
        for k in states:
            for r in range(len(self.graph.chances)):
                worth = sorted(self.graph.worth(k, r, self.fractions))
                steps = [high - low for low, high in pairwise(worth)]
                decisions += bool(steps)
                best_tied += steps[-1:] == [0]
                if 0 in steps:
                    tied += 1
                    example = example or (k, r)
                least = min([least, *((step, k, r) for step in steps if step)])
        apart = least[0] <= common
        return Ties(
            left,
            len(states),
            common // divisor,
            decisions,
            tied,
            best_tied,
            Fraction(least[0], common) if apart else None,
            self._place(*least[1:]) if apart else None,
            self._place(*example) if example else None,
        )

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the fields of the JSON object, including the fields of the position shown."""
        own = fields_of(ExactSolution) + fields_of(ExactValue).inside("valued")
        return super().members() | {"": own}

    @property
    def valued(self) -> ExactValue:
        """Return the value of the position shown."""
        position = self.start if self.position is None else self.position
        return ExactValue(position, self.value(position))

    @property
    def moves(self) -> tuple[RolledMove, ...]:
        """Return the moves of the position shown, for all rolls, with their values."""
        position = self.valued.position
        rolls = () if self.rules.pieces in position.home else self.rules.dice.rolls
        return rolled_moves(self, self.value, position, rolls)

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, including moves."""
        return super().document() | {"moves": move_records(MOVES, self.moves)}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV: numbers of pieces left, the position, and its moves."""
        item, own = self.valued, fields_of(ExactSolution).pick("seconds", "states")
        position = fields_of(ExactValue).record(item) | own.record(self)
        return [
            *({**row, "kind": "layer"} for row in super().records()),
            {**position, "kind": "position"},
            *(
                {"kind": "move", **row, "position": str(item.position)}
                for row in move_records(MOVES, self.moves)
            ),
        ]

    def tables(self) -> list[Table]:
        """Return the value of the position, its moves, and the ties."""
        path, where, moves = self.rules.path, self.valued.position, self.moves
        tables = [self._values(self.valued)]
        if moves:
            words = column("<move", lambda item: item.words(path, where))
            shown = Fields(MOVES["roll"], words, *MOVES.pick("value", "regret"))
            tables.append(shown.table("Its moves", moves))
        notes = [
            "left: pieces not home, by side; digits: of the common denominator",
            "decisions: states and rolls with two moves or more",
            "tied: two moves have exactly equal values",
            "least: the least difference between two moves that are not tied",
        ]
        at = Field("<at", Format(lambda at: f"{at[0].on(path)}, roll {at[1]}"), of="place")
        tables.append(Fields(*fields_of(Ties), at).table("Moves compared", self.ties, notes))
        return tables

    @property
    def answer(self) -> str:
        """Return the value of the position shown."""
        item = self.valued
        side = "light" if item.position.light_to_move else "dark"
        return (
            f"{self.rules.with_pieces}, {item.position.on(self.rules.path)}: {side}, to move, "
            f"wins {percent_text(item.value)} of games under optimal play (exact)"
        )

    def _values(self, item: ExactValue) -> Table:
        value = item.value
        lines = [
            [
                f"{'light' if item.position.light_to_move else 'dark'}, to move, wins",
                rounded_fraction(value),
            ],
            ["numerator", number(value.numerator)],
            ["denominator", number(value.denominator)],
            *fields_of(ExactValue).lines(item),
            *fields_of(ExactSolution).pick("states", "rounds", "seconds").lines(self),
        ]
        notes = ["proven: no other move is better, compared as fractions, and every game ends"]
        return Table("", ["<", "<value"], lines, notes)

    def _place(self, k: int, r: int) -> tuple[Position, int]:
        return self._position_of(k), self.rules.dice.rolls[r]

    def _position_of(self, k: int) -> Position:
        """Return a state as a position of the rule set."""
        off = self.rules.pieces - self.left
        inner = self.graph.order.ranking.unrank(int(self.graph.states[k]))
        return replace(inner, home=(inner.home[0] + off, inner.home[1] + off))


def as_ending(position: Position, rules: RuleSet, left: int) -> Position:
    """Return an ending as a position of the game with ``left`` pieces per side.

    Raises
    ------
    PositionError
        If the position breaks a rule of the rule set.
    OutOfDomainError
        If a side has more than ``left`` pieces that are not home.
    """
    check(position, rules.path, rules.pieces)
    off = rules.pieces - left
    home = position.home[0] - off, position.home[1] - off
    if min(home) < 0:
        raise OutOfDomainError(
            f"{position} has more than {left} pieces left per side. Solve it with a greater "
            "--endings"
        )
    return replace(position, home=home)

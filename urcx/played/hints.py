"""Hints: what each move by a roll is worth, what it costs against the best, and who plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar

from urcx.agents.agents import Agent, as_several
from urcx.agents.agents import agent as as_agent
from urcx.agents.own_agents import CustomAgent
from urcx.engine.moves import Move, marked
from urcx.errors import UsageError, check_booleans
from urcx.game import Game
from urcx.played.record import AFTER, PLAYED_MOVE, PlayedGame, described, game_in
from urcx.played.values import chance_of, open_chances
from urcx.results.fields import RULES, TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import bound_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import losses
from urcx.solving.probing import WinningChances
from urcx.solving.ties import note_of_ties, width_of

__all__ = ["hint"]

# A chance is kept as the fraction that the tablebase's number is; programs get the number.
CHANCE = Format(lambda value: f"{float(value):.2%}", (("", float),))


@dataclass(frozen=True)
class HintMove:
    """A legal move, or the pass where there is none."""

    move: Annotated[Move | None, "what is played; None is the pass"]
    after: Annotated[Game, "where it leads to"]
    chance: Annotated[
        Fraction | None,
        "with which the player who moves wins after it, if both play perfectly from then on; None "
        "where the chances are not known; exactly the number that the tablebase has",
        Field("wins", CHANCE, "chance of winning after it, null if not known"),
    ]
    regret: Annotated[Fraction | None, Field("regret", CHANCE, "how much less than after the best")]
    plays: Annotated[tuple[Fraction, ...], "how likely each agent that was asked plays it"] = ()

    @property
    def is_best(self) -> bool:
        """Return whether no move is better; False where the chances are not known."""
        return self.regret == 0


HINTED = fields_of(HintMove)


@dataclass(frozen=True, repr=False)
class Hint(Result, function="hint"):
    """What can be done with a roll.

    Examples
    --------
    >>> import urcx
    >>> urcx.hint(urcx.Game("finkel", "A1/B5/0-0/L", pieces=2), 1, agents=["first", "last"])
    Roll 1 of light in A1/B5/0-0/L (finkel): wins with 43.97%
    <BLANKLINE>
    move           wins  regret  choice  first  last
    -----------  ------  ------  ------  -----  ----
    A1 to B1     43.97%   0.00%  best              1
    start to A4  42.52%   1.45%              1
    <BLANKLINE>
    * before the roll 47.07%; regret: how much less than the best move
    * chances are off by at most 5e-13
    """

    schema = "urcx.hint/1"
    parts: ClassVar = {
        "rows": PLAYED_MOVE
        + HINTED
        + Fields(Field(about="how likely each agent plays it, by name, as fractions", key="plays"))
        + AFTER
    }
    game: Annotated[
        Game,
        "the position before the roll, with its rules",
        *RULES,
        Field("", TEXT, "the position", key="position", of="position"),
        Field(about="light or dark", key="to_move", of="turn"),
    ]
    roll: Annotated[int, Field(about="the roll")]
    before: Annotated[
        Fraction | None,
        Field("", CHANCE, "chance before the roll, of who is to move", key="chance"),
    ]
    moves: Annotated[
        tuple[HintMove, ...],
        "best first, else least advanced piece first; the pass alone if there is no legal move",
    ]
    agents: Annotated[tuple[Agent, ...], "who was asked"] = ()
    bound: Annotated[
        float | None, Field(about="how far a chance is off at most, null if unknown")
    ] = None
    tie_width: Annotated[float, "how far apart the chances after best moves may be"] = 0.0

    @property
    def position(self) -> Position:
        """Return the position that the hint is for."""
        return self.game.position

    @property
    def rules(self) -> RuleSet:
        """Return its rules."""
        return self.game.rules

    @property
    def best(self) -> Move | None:
        """Return the best move; None for a pass, or where the chances are not known."""
        return self.moves[0].move if self.moves[0].regret is not None else None

    @property
    @Field("", CHANCE, "chance after the roll, if the best is done", after="before")
    def rolled(self) -> Fraction | None:
        """Return the chance after the roll, if the best is done with it; None if not known."""
        return max((move.chance for move in self.moves if move.chance is not None), default=None)

    def _shares(self, move: HintMove) -> dict[str, str]:
        """Return how likely each agent plays a move."""
        return {a.name: str(share) for a, share in zip(self.agents, move.plays, strict=False)}

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        rows = [
            (PLAYED_MOVE + HINTED).record(move) | {"plays": self._shares(move)} | AFTER.record(move)
            for move in self.moves
        ]
        return self.members()[""].record(self) | {"rows": rows}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each move, with a column for each agent."""
        return [
            (PLAYED_MOVE + HINTED + AFTER).record(move)
            | {f"plays_{name}": share for name, share in self._shares(move).items()}
            for move in self.moves
        ]

    def tables(self) -> list[Table]:
        """Return each move's chance and regret, and what agents play."""
        known = self.before is not None

        def choice(item: HintMove) -> str:
            return marked(only=len(self.moves) == 1, best=item.is_best)

        move = Column("move", text=True, key=True, least=24)
        shown = Fields(column(move, lambda item: described(self.game, item.move)))
        if known:
            shown += HINTED + Fields(column("<choice", choice))
        shown += Fields(*(_share(k, one.name) for k, one in enumerate(self.agents)))
        place = self.position.on(self.rules.path)
        title = f"Roll {self.roll} of {self.game.turn} in {place} ({self.rules.name})"
        notes = []
        if self.before is not None and self.rolled is not None:
            title += f": wins with {float(self.rolled):.2%}"
            notes += [
                (
                    f"before the roll {float(self.before):.2%}; regret: how much less than the "
                    "best move"
                ),
                precision_note(self.bound),
            ]
            if sum(move.is_best for move in self.moves) > 1:
                notes.append(note_of_ties(self.tie_width))
        return [shown.table(title, self.moves, notes)]


def _share(k: int, name: str) -> Field:
    def cell(item: HintMove) -> str:
        return "" if not item.plays or not item.plays[k] else str(item.plays[k])

    return column(Column(name, key=False), cell)


def precision_note(bound: float | None) -> str:
    """Return a note on the error bound of chances."""
    if bound is None:
        return "chances of unknown precision: nothing is proven of the file"
    return f"chances are off by at most {bound_text(bound)}"


def hint(
    game: Game | PlayedGame,
    roll: int | None = None,
    tablebase: WinningChances | str | Path | None = None,
    *,
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent] = (),
    known: bool = True,
) -> Hint:
    """Return each legal move's chance of winning and regret, and what agents would play.

    Parameters
    ----------
    game
        A position with its rules, or a game that is being played.
    roll
        What the dice gave; by default the roll that was thrown in the game.
    tablebase
        An open tablebase or the name of one's file; None for the solution that urcx solve has kept,
        or to solve a small rule set at once.
    agents
        Who else is asked what to play: agents, or texts that name them.
    known
        Whether the chances are wanted at all; without them, only the agents are asked.

    Returns
    -------
    Hint

    Raises
    ------
    UsageError
        If the dice cannot give the roll, or none is given and none was thrown.
    PositionError
        If the game is over.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once; or if an agent
        cannot be prepared.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.hint(urcx.Game("finkel", "A1/B5/0-0/L", pieces=2), 1, agents="first")
    >>> [(f"{one.move.start}-{one.move.end}", round(float(one.regret), 3)) for one in found.moves]
    [('4-5', 0.0), ('0-1', 0.014)]
    """
    check_booleans(known=known)
    given = game_in(game)
    if roll is None:
        roll = game.roll if isinstance(game, PlayedGame) else None
        if roll is None:
            raise UsageError("no roll: say what the dice gave")
    legal = given.legal_moves(roll)
    asked = tuple(as_agent(one) for one in as_several(agents))
    plays = [one.move_probabilities(given, roll) for one in asked]
    ends: list[tuple[Move | None, Game]] = [(move, given.play(move)) for move in legal]
    if not ends:
        ends = [(None, given.passed(roll))]
    before, bound = None, None
    worth: Sequence[Fraction | None] = [None] * len(ends)
    lost, width = worth, 0.0
    if known:
        with open_chances(given.rules, tablebase) as base:
            before, bound = chance_of(base, given, given.turn), base.bound
            chances = [chance_of(base, after, given.turn) for _, after in ends]
            width = width_of(base)
            worth, lost = chances, losses(chances, width)
    moves = [
        HintMove(
            move, after, value, regret, tuple(shares[move] for shares in plays) if move else ()
        )
        for (move, after), value, regret in zip(ends, worth, lost, strict=True)
    ]
    moves.sort(key=lambda item: item.regret or Fraction(0))
    return Hint(given, int(roll), before, tuple(moves), asked, bound, width)

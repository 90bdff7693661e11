"""Hints: the win probability and loss of each move for a roll, and the agents that play it."""

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
from urcx.results.numbers import bound_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import MOVE_LOSS, Column, Table
from urcx.rules.drawing import win_bar
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import losses
from urcx.solving.probing import WinningChances
from urcx.solving.ties import note_of_ties, width_of

__all__ = ["hint"]

# The fraction equals the tablebase's number, which programs get.
CHANCE = Format(percent_text, (("", float),))
LOSS = Format(lambda value: f"{100 * float(value):.2f}", (("", float),))  # in points


@dataclass(frozen=True)
class HintMove:
    """A legal move, or the pass if there is none."""

    move: Annotated[Move | None, "the move, or None for the pass"]
    after: Annotated[Game, "the game after it"]
    chance: Annotated[
        Fraction | None,
        "the mover's win probability after it under optimal play, exactly as the tablebase has it; "
        "None if unknown",
        Field("wins", CHANCE, "win probability after it, null if unknown"),
    ]
    regret: Annotated[Fraction | None, Field(MOVE_LOSS, LOSS, "loss compared with the best move")]
    plays: Annotated[tuple[Fraction, ...], "the probability with which each agent plays it"] = ()

    @property
    def is_best(self) -> bool:
        """Return whether no move is better, or False if win probabilities are unknown."""
        return self.regret == 0


HINTED = fields_of(HintMove)


@dataclass(frozen=True, repr=False)
class Hint(Result, function="hint"):
    """The legal moves for a roll, with their win probabilities and losses.

    Examples
    --------
    >>> import urcx
    >>> urcx.hint(urcx.Game("finkel", "A1/B5/0-0/L", pieces=2), 1, agents=["first", "last"])
    Roll 1 of light in A1/B5/0-0/L (finkel): win probability 43.97 %
    <BLANKLINE>
    move            wins  loss (points)  choice  first  last
    -----------  -------  -------------  ------  -----  ----
    A1 to B1     43.97 %           0.00  best              1
    start to A4  42.52 %           1.45              1
    <BLANKLINE>
    * win probability before the roll 47.07 %; loss: how far below the best move
    * win probabilities are proven, ± 5e-13
    """

    schema = "urcx.hint/1"
    parts: ClassVar = {
        "rows": PLAYED_MOVE
        + HINTED
        + Fields(Field(about="probability of each agent playing it, as fractions", key="plays"))
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
        Field("", CHANCE, "win probability before the roll, of the side to move", key="chance"),
    ]
    moves: Annotated[
        tuple[HintMove, ...],
        "best first, else least advanced piece first; the pass alone if there is no legal move",
    ]
    agents: Annotated[tuple[Agent, ...], "the agents in ``plays`` of each move"] = ()
    bound: Annotated[
        float | None, Field(about="error bound of win probabilities, null if unknown")
    ] = None
    tie_width: Annotated[float, "greatest difference between equally good moves"] = 0.0

    @property
    def position(self) -> Position:
        """Return the position of the hint."""
        return self.game.position

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.game.rules

    @property
    def best(self) -> Move | None:
        """Return the best move, None for a pass or if win probabilities are unknown."""
        return self.moves[0].move if self.moves[0].regret is not None else None

    @property
    @Field("", CHANCE, "win probability after the roll, with the best move", after="before")
    def rolled(self) -> Fraction | None:
        """Return the win probability after the roll, with the best move, or None if unknown."""
        return max((move.chance for move in self.moves if move.chance is not None), default=None)

    def _shares(self, move: HintMove) -> dict[str, str]:
        """Return the probability with which each agent plays a move, by name."""
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

    @property
    def body(self) -> str:
        """Return a bar of the win probabilities, on a terminal with colours."""
        if self.rolled is None:
            return ""
        return win_bar(float(self.rolled if self.game.turn == "light" else 1 - self.rolled))

    def tables(self) -> list[Table]:
        """Return each move's win probability and loss, and the agents' choices."""

        def choice(item: HintMove) -> str:
            return marked(only=len(self.moves) == 1, best=item.is_best)

        move = Column("move", text=True, key=True, least=24)
        fields = Fields(column(move, lambda item: described(self.game, item.move)))
        if self.before is not None:
            fields += HINTED + Fields(column("<choice", choice))
        fields += Fields(*(_share(k, agent.name) for k, agent in enumerate(self.agents)))
        place = self.position.on(self.rules.path)
        title = f"Roll {self.roll} of {self.game.turn} in {place} ({self.rules.name})"
        notes = []
        if self.before is not None and self.rolled is not None:
            title += f": win probability {percent_text(self.rolled)}"
            before = percent_text(self.before)
            notes += [
                f"win probability before the roll {before}; loss: how far below the best move",
                precision_note(self.bound),
            ]
            if sum(move.is_best for move in self.moves) > 1:
                notes.append(note_of_ties(self.tie_width))
        return [fields.table(title, self.moves, notes)]


def _share(k: int, name: str) -> Field:
    def cell(item: HintMove) -> str:
        return "" if not item.plays or not item.plays[k] else str(item.plays[k])

    return column(Column(name, key=False), cell)


def precision_note(bound: float | None) -> str:
    """Return a note on the error bound of win probabilities."""
    if bound is None:
        return "win probabilities of unknown precision: the file proves nothing"
    return f"win probabilities are proven, ± {bound_text(bound)}"


def hint(
    game: Game | PlayedGame,
    roll: int | None = None,
    tablebase: WinningChances | str | Path | None = None,
    *,
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent] = (),
    known: bool = True,
) -> Hint:
    """Return the win probability and loss of each legal move, and the agents' choices.

    Parameters
    ----------
    game
        A position with its rules, or a game in progress.
    roll
        The roll of the dice, by default the roll thrown in the game.
    tablebase
        An open tablebase or the name of its file. None uses the solution saved by urcx solve, or
        solves a small rule set now.
    agents
        Agents, or their names, whose choices are added.
    known
        Whether to include win probabilities. If not, only the agents' choices are returned.

    Returns
    -------
    Hint

    Raises
    ------
    UsageError
        If the dice cannot give the roll, or there is no roll.
    PositionError
        If the game is over.
    TooLargeError
        If there is no tablebase, and the rule set is too large to solve now. If an agent cannot be
        prepared.
    TablebaseError
        If the tablebase cannot be read, is damaged, or has other rules.

    Examples
    --------
    >>> import urcx
    >>> hint = urcx.hint(urcx.Game("finkel", "A1/B5/0-0/L", pieces=2), 1, agents="first")
    >>> [(f"{row.move.start}-{row.move.end}", round(float(row.regret), 3)) for row in hint.moves]
    [('4-5', 0.0), ('0-1', 0.014)]
    """
    check_booleans(known=known)
    place = game_in(game)
    if roll is None:
        roll = game.roll if isinstance(game, PlayedGame) else None
        if roll is None:
            raise UsageError("roll: is missing, and none was thrown in the game")
    legal = place.legal_moves(roll)
    players = tuple(as_agent(agent) for agent in as_several(agents))
    plays = [player.move_probabilities(place, roll) for player in players]
    ends: list[tuple[Move | None, Game]] = [(move, place.play(move)) for move in legal]
    if not ends:
        ends = [(None, place.passed(roll))]
    before, bound = None, None
    values: Sequence[Fraction | None] = [None] * len(ends)
    regrets, width = values, 0.0
    if known:
        with open_chances(place.rules, tablebase) as base:
            before, bound = chance_of(base, place, place.turn), base.bound
            chances = [chance_of(base, after, place.turn) for _, after in ends]
            width = width_of(base)
            values, regrets = chances, losses(chances, width)
    moves = [
        HintMove(
            move, after, value, regret, tuple(shares[move] for shares in plays) if move else ()
        )
        for (move, after), value, regret in zip(ends, values, regrets, strict=True)
    ]
    moves.sort(key=lambda item: item.regret or Fraction(0))
    return Hint(place, int(roll), before, tuple(moves), players, bound, width)

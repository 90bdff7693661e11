"""Michon's procedure for a complete table of the game, and the cycles on which it stalls.

The procedure (G. P. Michon, "Analyzing the Royal Game of Ur", section on the Nalimov table) is a
retrograde analysis. It counts the successors of every position over all rolls. Finished positions
are decided. Whenever a position is decided, the counts of its predecessors decrease by one, and a
position whose count reaches 0 is decided next. So the procedure decides the least set that contains
the finished positions and every position with all successors in the set. States here are unfinished
positions, canonical views if the path is symmetric. The states that remain undecided lead to a
cycle.

Fixed point. `nalimov` has no counts. It sweeps over all states and marks states whose successors
are all marked, until nothing changes. Marks are never removed, each mark follows from earlier
marks, and in the end no unmarked state has only marked successors, so the result is the same least
set. The order of sweeps affects only the speed. Every move except a capture increases a side's
progress. Sweeps go from the end of the game, with most pieces home first and then most steps first,
so the successors of a state come before the state, except after captures.

Readings of the procedure, from the literal to the most generous:

``literal``
    A pass has a successor: the same configuration with the other side to move.
``zero-rolls``
    Rolls of 0 are ignored. (This decides too much, because the value of a state depends on these
    rolls, and passes of blocked pieces still count.)
``passes``
    Passes are solved. If both players can pass, the two positions of a configuration are two linear
    equations with known right-hand sides when all other successors are decided, so they are decided
    together. (If neither position has other successors, nobody can ever move, and both stay
    undecided.)

In the reading ``passes``, a cycle must contain a move, and progress must decrease somewhere on it,
so it contains a capture. Without captures everything is decided, except positions from which nobody
can ever move. For `left_without_captures` the procedure runs with every tile protecting the piece
on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from urcx.contrib.michon.procedure import (
    MEANING,
    PLIES,
    READINGS,
    CyclePly,
    LayerMarks,
    Procedure,
    Stall,
    reading_key,
)
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import check_functions
from urcx.results.fields import COUNT, Field, Fields, column, fields_of
from urcx.results.numbers import number
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet


def part_text(part: int, total: int) -> str:
    """Return a share in percent, rounded to 0 or 100 only if it is exactly 0 or 100."""
    if part in (0, total):
        return f"{100 if part and total else 0} %"
    percent = 100 * part / total
    return f"{percent:.2g} %" if percent < 10 else f"{min(percent, 99.99):.2f} %"


STALL = fields_of(Stall)


def _stall_records(stalls: dict[str, Stall | None]) -> dict[str, Any]:
    return {reading_key(name): stall and STALL.record(stall) for name, stall in stalls.items()}


@dataclass(frozen=True)
class Nalimov(CompiledResult, function="nalimov"):
    """The counts of a rule set's unfinished states that the procedure decides.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib import michon
    >>> table = michon.nalimov(urcx.ruleset("finkel", pieces=1))
    >>> str(table.stalls["literal"].position), table.left_without_captures
    ('14/14/0-0/L', 0)
    """

    schema = "urcx.nalimov/1"
    lists = ("layers",)
    parts: ClassVar = {"stalls.READING": STALL, "cycle": PLIES}
    rules: Annotated[GameRules, Field(about="name of the dice", key="dice", of="dice.name")]
    convention: Annotated[
        str, Field(about="convention for states: mover-view (canonical views) or positions")
    ]
    exactness: ClassVar[Annotated[str, Field(about="exact, over all states")]] = "exact"
    layers: Annotated[tuple[LayerMarks, ...], "from the end of the game"]
    left_without_captures: Annotated[
        int,
        Field(
            "",
            COUNT,
            "states that stay undecided if nobody can capture",
            key="undecided_without_captures",
        ),
    ]
    stalls: Annotated[
        dict[str, Stall | None],
        Field(about="the stall of each reading, null if it decides everything", of=_stall_records),
    ]
    sweeps: Annotated[int, Field(about="the number of sweeps over all states")]
    seconds: Annotated[float, Field(about="wall time in seconds")]

    @property
    @Field("", COUNT, "unfinished states", after="exactness")
    def states(self) -> int:
        """Return the number of unfinished states."""
        return sum(layer.states for layer in self.layers)

    def decided(self, reading: str) -> int:
        """Return the number of states that a reading decides."""
        return sum(layer.decided[reading] for layer in self.layers)

    @property
    @Field(about="number of states that each reading decides", key="decided", after="states")
    def counts(self) -> dict[str, str]:
        """Return the number of states that each reading decides, as strings."""
        return {reading_key(name): str(self.decided(name)) for name in READINGS}

    @property
    @Field(about="share of states that each reading decides", key="share", after="counts")
    def shares(self) -> dict[str, float]:
        """Return the share of states that each reading decides."""
        return {reading_key(name): self.decided(name) / self.states for name in READINGS}

    @property
    @Field("", COUNT, "states without any further capture", after="shares")
    def quiet(self) -> int:
        """Return the number of states without any further capture."""
        return sum(layer.quiet for layer in self.layers)

    @property
    def quiet_and_decided(self) -> int:
        """Return the number of quiet states that are decided, with passes solved."""
        return sum(layer.settled for layer in self.layers)

    @property
    def quiet_undecided(self) -> int:
        """Return the number of undecided quiet states, from which play can come to a standstill."""
        return self.quiet - self.quiet_and_decided

    @property
    def decided_in_contact(self) -> int:
        """Return the number of decided states with further captures, with passes solved."""
        return self.decided("passes") - self.quiet_and_decided

    @property
    @Field("undecided", COUNT, "undecided states, with passes solved", after="quiet")
    def undecided(self) -> int:
        """Return the number of undecided states, with passes solved."""
        return self.states - self.decided("passes")

    def tables(self) -> list[Table]:
        """Return the tables of readings, of undecided states, of layers, and of cycles."""
        homes = fields_of(LayerMarks).table("Decided, by pieces home", self.layers)
        return [self.readings_table(), self._left(), homes, *self._cycles()]

    @property
    def answer(self) -> str:
        """Return the number of states that the procedure decides."""
        literal, *_, most = (number(self.decided(name)) for name in MEANING)
        return (
            f"{self.rules.with_pieces}: Michon's procedure decides {literal} of "
            f"{number(self.states)} unfinished states ({self.convention}), {most} with passes "
            "solved as equations (exact)"
        )

    def readings_table(self) -> Table:
        """Return the table of the states that each reading decides."""
        decided = {name: self.decided(name) for name in MEANING}
        cells = [
            [name, number(decided[name]), part_text(decided[name], self.states), meaning]
            for name, meaning in MEANING.items()
        ]
        notes = [
            (
                "exact. A state is decided if all its successors over all rolls are decided or "
                "finished"
            ),
            "all other states lead to a cycle, on which each state waits for the next",
        ]
        return Table("", ["<reading", "decided", "share", "<meaning"], cells, notes)

    def _left(self) -> Table:
        lines = [
            ["undecided", number(self.undecided)],
            ["decided, without further captures", number(self.quiet_and_decided)],
            ["decided, with further captures", number(self.decided_in_contact)],
            ["undecided, without further captures", number(self.quiet_undecided)],
            ["undecided if nobody can capture", number(self.left_without_captures)],
        ]
        notes = [
            "every move except a capture increases a side's progress, so each cycle has a capture"
        ]
        if self.left_without_captures:
            notes.append(
                "states undecided without captures lead to positions in which nobody can ever move"
            )
        return Table("Undecided states, with passes solved", ["<", "<"], lines, notes)

    def _cycles(self) -> list[Table]:
        path = self.rules.path
        shown = Fields(
            column(PLIES["position"].heading, lambda ply: ply.position.on(path)),
            PLIES["roll"],
            column("<answer", self._answer),
            column(PLIES["after"].heading, lambda ply: ply.after.on(path)),
        )
        return [
            shown.table(
                f"A cycle in the reading {name}",
                stall.cycle,
                [
                    f"{stall.position.on(path)} is the undecided state nearest to the end. "
                    + (
                        "This is a shortest cycle through it"
                        if stall.on_cycle
                        else "It leads to this cycle"
                    )
                ],
            )
            for name, stall in self.stalls.items()
            if stall is not None
        ]

    def _answer(self, ply: CyclePly) -> str:
        if ply.move is None:
            return "pass"
        return ply.move.describe(self.rules.path, light=ply.position.light_to_move)


def nalimov(
    rules: str | RuleSet, *, threads: int | None = None, stage: Stage = no_progress
) -> Nalimov:
    """Run Michon's procedure for a full table, and show where it stalls.

    Parameters
    ----------
    rules
        The rule set, or its name.
    threads
        The number of threads, by default one per core. The result does not depend on it.
    stage
        Called at the start of each part of the work.

    Returns
    -------
    Nalimov

    Raises
    ------
    TooLargeError
        If there are too many states for memory or for the procedure.
    UsageError
        If the number of threads is below 1.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib import michon
    >>> table = michon.nalimov(urcx.ruleset("finkel", pieces=1))
    >>> table.states, table.decided("literal"), table.decided("passes")
    (217, 0, 56)
    """
    check_functions(stage=stage)
    began = compute_clock()
    rules = catalogue.ruleset(rules)
    procedure = Procedure(rules, chosen_threads(threads))
    procedure.enqueue(stage)
    procedure.run(stage, f"deciding states of {rules.name}")
    stalls = {name: procedure.stall(name) for name in READINGS}
    layers = procedure.layers()
    procedure.run(stage, "the same without captures", captures=False)
    left = sum(n.states - n.decided["passes"] for n in procedure.layers())
    return Nalimov(
        rules,
        "mover-view" if procedure.turned else "positions",
        layers,
        left,
        stalls,
        procedure.sweeps,
        compute_clock() - began,
    )

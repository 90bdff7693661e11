"""Michon's procedure for a complete table of the game, and where it stalls.

The procedure (G. P. Michon, "Analyzing the Royal Game of Ur", section on the Nalimov table) is a
retrograde analysis. It counts the successors of every position over all rolls. Finished positions
are decided; whenever a position is decided, the counts of its predecessors fall by one, and a
position whose count reaches 0 is decided next. So it decides the least set that contains the
finished positions and every position all of whose successors it contains. States here are
unfinished positions, mover views if both sides are alike. The states left over are those that lead
to a cycle.

Fixed point. `nalimov` does not keep counts: it sweeps over all states and marks those whose
successors are all marked, until nothing changes. Marks are never removed, each is justified by
earlier marks, and in the end no unmarked state has all its successors marked: that is the same
least set. The sweep order only affects the speed: every move but a capture increases a side's
progress, so in sweeps from the end of the game, most pieces home first and then most steps first, a
state's successors come before it unless a capture leads to them.

Readings of the procedure, from the literal to the most generous:

``literal``
    A pass has a successor: the same diagram with the other side to move.
``zero-rolls``
    Rolls of 0 are ignored. (This decides too much, since the value of a state depends on them, and
    passes of blocked pieces still count.)
``passes``
    Passes are solved: if both players can pass, the two positions of a diagram are two linear
    equations once everything else is known, so they are decided together when all other successors
    of both are. (If neither has any, nobody can ever move, and they stay undecided.)

Under ``passes``, a cycle must contain a move, so progress must decrease somewhere on it: it
contains a capture. Without captures everything is decided, except where nobody can ever move; for
`left_without_captures` the procedure is run with every tile protecting the piece on it.
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


def part_text(part: int, whole: int) -> str:
    """Return a share in percent, never rounded to 0 or 100 unless it is exactly that."""
    if part in (0, whole):
        return f"{100 if part and whole else 0} %"
    percent = 100 * part / whole
    return f"{percent:.2g} %" if percent < 10 else f"{min(percent, 99.99):.2f} %"


STALL = fields_of(Stall)


def _recorded(stalls: dict[str, Stall | None]) -> dict[str, Any]:
    return {reading_key(name): stall and STALL.record(stall) for name, stall in stalls.items()}


@dataclass(frozen=True)
class Nalimov(CompiledResult, function="nalimov"):
    """Which of a rule set's unfinished states the procedure decides.

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
    convention: Annotated[str, Field(about="how states are told apart: mover-view or positions")]
    exactness: ClassVar[Annotated[str, Field(about="all states are gone through")]] = "exact"
    layers: Annotated[tuple[LayerMarks, ...], "from the end of the game"]
    left_without_captures: Annotated[
        int,
        Field(
            "",
            COUNT,
            "what stays undecided if nobody could capture",
            key="undecided_without_captures",
        ),
    ]
    stalls: Annotated[
        dict[str, Stall | None],
        Field(about="where each reading stalls, null where it decides everything", of=_recorded),
    ]
    sweeps: Annotated[int, Field(about="how often all states were looked at")]
    seconds: Annotated[float, Field(about="how long it took")]

    @property
    @Field("", COUNT, "unfinished states", after="exactness")
    def states(self) -> int:
        """Return the number of unfinished states."""
        return sum(layer.states for layer in self.layers)

    def decided(self, reading: str) -> int:
        """Return how many states a reading decides."""
        return sum(layer.decided[reading] for layer in self.layers)

    @property
    @Field(about="how many each reading decides", key="decided", after="states")
    def counts(self) -> dict[str, str]:
        """Return how many states each reading decides, as texts."""
        return {reading_key(name): str(self.decided(name)) for name in READINGS}

    @property
    @Field(about="which part each reading decides", key="share", after="counts")
    def shares(self) -> dict[str, float]:
        """Return which part of the states each reading decides."""
        return {reading_key(name): self.decided(name) / self.states for name in READINGS}

    @property
    @Field("", COUNT, "states in which no capture can come any more", after="shares")
    def quiet(self) -> int:
        """Return the number of states from which no capture is possible any more."""
        return sum(layer.quiet for layer in self.layers)

    @property
    def quiet_and_decided(self) -> int:
        """Return how many quiet states are decided, passes solved."""
        return sum(layer.settled for layer in self.layers)

    @property
    def quiet_undecided(self) -> int:
        """Return how many quiet states are not: they lead to states where nobody can ever move."""
        return self.quiet - self.quiet_and_decided

    @property
    def decided_in_contact(self) -> int:
        """Return how many states are decided, passes solved, although a capture is possible."""
        return self.decided("passes") - self.quiet_and_decided

    @property
    @Field("undecided", COUNT, "states that are not decided, passes solved", after="quiet")
    def undecided(self) -> int:
        """Return how many states are not decided, passes solved."""
        return self.states - self.decided("passes")

    def tables(self) -> list[Table]:
        """Return what each reading decides, where it stalls, and what is left."""
        homes = fields_of(LayerMarks).table("Decided, by pieces home", self.layers)
        return [self.readings_table(), self._left(), homes, *self._cycles()]

    @property
    def answer(self) -> str:
        """Return how many states the procedure decides."""
        literal, *_, most = (number(self.decided(name)) for name in MEANING)
        return (
            f"{self.rules.with_pieces}: Michon's procedure decides {literal} of "
            f"{number(self.states)} unfinished states ({self.convention}), {most} with passes "
            "solved as equations (exact)"
        )

    def readings_table(self) -> Table:
        """Return the table of what each reading decides."""
        decided = {name: self.decided(name) for name in MEANING}
        cells = [
            [name, number(decided[name]), part_text(decided[name], self.states), meaning]
            for name, meaning in MEANING.items()
        ]
        notes = [
            "exact; decided: all successors are, over all rolls; finished states from the start",
            "the rest lead to a cycle, where each state waits for the next",
        ]
        return Table("", ["<reading", "decided", "share", "<which is"], cells, notes)

    def _left(self) -> Table:
        lines = [
            ["undecided", number(self.undecided)],
            ["decided, and no capture can come", number(self.quiet_and_decided)],
            ["decided, though a capture can come", number(self.decided_in_contact)],
            ["undecided, though no capture can come", number(self.quiet_undecided)],
            ["undecided if nobody could capture", number(self.left_without_captures)],
        ]
        notes = [
            "every move but a capture increases a side's progress, so each cycle has a capture"
        ]
        if self.left_without_captures:
            notes.append("what is left without captures leads to where nobody can ever move")
        return Table("Where it stalls, passes solved", ["<", "<"], lines, notes)

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
                f"A cycle, {name}",
                stall.cycle,
                [
                    f"{stall.position.on(path)} is the undecided state nearest to the end; "
                    + (
                        "a shortest cycle through it"
                        if stall.on_cycle
                        else "it leads to this cycle"
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
    """Run Michon's procedure for a full table; show where it stalls.

    Parameters
    ----------
    rules
        The rule set, or its name.
    threads
        By default one for each core; the result does not depend on it.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Nalimov

    Raises
    ------
    TooLargeError
        If there are too many states for the memory or for the procedure.
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

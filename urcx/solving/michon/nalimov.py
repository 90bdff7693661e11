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

from urcx.engine.compiling import clock
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.michon.procedure import READINGS, LayerMarks, Procedure, Stall

MAX_LINKED_STATES = 3_000_000  # for an exact search for cycles


@dataclass(frozen=True)
class Homes:
    """The states with a number of pieces home in all, and how many a reading decides."""

    home: int
    states: int
    decided: dict[str, int]


@dataclass(frozen=True)
class Nalimov(Result, function="nalimov"):
    """Which of a rule set's unfinished states the procedure decides.

    Attributes
    ----------
    rules : RuleSet
    convention : str
        ``mover-view`` or ``positions``: what a state is.
    layers : tuple of LayerMarks
    stalls : dict of str to Stall or None
        By the name of the reading; None for one that decides everything.
    left_without_captures : int
        The number of states that stay undecided, passes solved, if captures are impossible.
    sweeps : int
        The number of sweeps in the stage that took most.
    seconds : float

    Examples
    --------
    >>> import urcx
    >>> from dataclasses import replace
    >>> found = urcx.nalimov(replace(urcx.ruleset("finkel"), pieces=1))
    >>> str(found.stalls["literal"].position), found.left_without_captures
    ('14/14/0-0/L', 0)
    """

    rules: RuleSet
    convention: str
    layers: tuple[LayerMarks, ...]
    stalls: dict[str, Stall | None]
    left_without_captures: int
    sweeps: int
    seconds: float

    @property
    def states(self) -> int:
        """Return the number of unfinished states."""
        return sum(layer.states for layer in self.layers)

    @property
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
    def on_cycle(self) -> int | None:
        """Return how many states lie on a cycle with a move; None if not searched for."""
        counts = [layer.on_cycle for layer in self.layers]
        return None if None in counts else sum(n for n in counts if n is not None)

    @property
    def undecided(self) -> int:
        """Return how many states are not decided, passes solved."""
        return self.states - self.decided("passes")

    @property
    def off_cycle(self) -> int | None:
        """Return how many of these only lead to a cycle; None if cycles were not looked for."""
        return None if self.on_cycle is None else self.undecided - self.on_cycle

    def by_home(self) -> list[Homes]:
        """Return the states by both players' pieces home together, from the end of the game."""
        found: dict[int, Homes] = {}
        for layer in self.layers:
            home = sum(layer.home)
            before = found.get(home, Homes(home, 0, dict.fromkeys(READINGS, 0)))
            decided = {name: n + layer.decided[name] for name, n in before.decided.items()}
            found[home] = Homes(home, before.states + layer.states, decided)
        return list(found.values())

    def decided(self, reading: str) -> int:
        """Return how many states a reading decides."""
        return sum(layer.decided[reading] for layer in self.layers)


def nalimov(rules: str | RuleSet, *, threads: int | None = None, stage: Stage = silent) -> Nalimov:
    """Run Michon's procedure under every reading.

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
    >>> from dataclasses import replace
    >>> short = replace(urcx.ruleset("finkel"), pieces=1)
    >>> found = urcx.nalimov(short)
    >>> found.states, found.decided("literal"), found.decided("passes")
    (217, 0, 56)
    """
    began = clock()
    rules = catalogue.ruleset(rules)
    procedure = Procedure(rules, chosen_threads(threads))
    procedure.enqueue(stage)
    procedure.run(stage, f"deciding states of {rules.name}")
    stalls = {name: procedure.stall(name) for name in READINGS}
    linked = procedure.link(stage) if procedure.size <= MAX_LINKED_STATES else False
    layers = procedure.layers(linked=linked)
    procedure.run(stage, "the same without captures", captures=False)
    left = sum(n.states - n.decided["passes"] for n in procedure.layers(linked=False))
    return Nalimov(
        rules,
        "mover-view" if procedure.turned else "positions",
        layers,
        stalls,
        left,
        procedure.sweeps,
        clock() - began,
    )

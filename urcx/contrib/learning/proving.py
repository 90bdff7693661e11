"""The proof of a file of exact play: every decision decoded, and compared with a solution."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from urcx.contrib.learning import packing_kernels as packing
from urcx.contrib.learning.play_file import Decisions, Equal, PlayFile, States, Unsure, Within
from urcx.contrib.learning.play_kernels import DECODE
from urcx.contrib.learning.play_layers import go_through
from urcx.engine.threads import Stage, silent
from urcx.errors import printable
from urcx.results.fields import COUNT, TEXT, Schema, fields_of, member
from urcx.results.numbers import at_most, counted, number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import GameRules
from urcx.solving.files.tablebase import Tablebase
from urcx.solving.ties import width_of


@dataclass(frozen=True)
class Proved:
    """What came out when every decision of a file was compared with a solution."""

    rules: GameRules
    file: Annotated[Path, member("", TEXT, "name of the file")]
    tablebase: Annotated[Path, member("", TEXT, "name of the solution's file")]
    file_size: Annotated[int, member("", COUNT, "bytes of the file")]
    states: States
    decisions: Decisions
    equal: Equal
    unsure: Unsure
    within: Within
    wrong: Annotated[
        int, member("with a wrong move", COUNT, "decisions whose move is worse than that")
    ]
    most_lost: Annotated[
        float, member(about="the most that a move of the file is worse than the best, in chances")
    ]
    singly: Annotated[
        int,
        member(
            "looked up once more, one by one",
            COUNT,
            "decisions that were looked up once more, one by one",
        ),
    ]

    def report(self) -> Report:
        """Return whether every decision comes out right."""
        data = PROVED.record(self)
        lines = [
            ["rules", self.rules.with_pieces],
            ["bytes", number(self.file_size)],
            *PROVED.lines(self),
            ["most lost by a move", f"{self.most_lost:.2e}"],
        ]
        verdict = "this is not perfect play: write it again with urcx compress"
        if not self.wrong:
            right = f"right is at most {at_most(self.within)} worse than the best"
            verdict = f"every decision comes out right: {right}"
        notes = [verdict, f"compared with {printable(str(self.tablebase))}"]
        table = Table(printable(str(self.file)), ["<", "<"], lines, notes)
        answer = (
            f"{printable(self.file.name)}, {self.rules.with_pieces}: {number(self.wrong)} of "
            f"{counted(self.decisions, 'decision')} come out wrong, compared one by one"
        )
        return Report(CHECK.name, data, [data], [table], answer=answer)


PROVED = fields_of(Proved)
CHECK = Schema("urcx.check-play/1", {"": PROVED})


def prove_play(
    play: PlayFile, base: Tablebase, *, threads: int | None = None, stage: Stage = silent
) -> Proved:
    """Compare all decisions of a file with a solution.

    Raises
    ------
    UnusableFileError
        If they are of different games.
    TablebaseError
        If the tablebase is damaged.
    """
    play.check_rules(base.rules)
    states = sum(base.order.size(layer) for layer in base.order.layers)
    within = width_of(base)
    update = stage("comparing every move", states, "states")
    crew, _ = go_through(base, play.tables, DECODE, within, update, threads=threads)
    totals = np.sum([worker.tallies.totals for worker in crew], axis=0)
    return Proved(
        base.rules,
        play.file,
        base.file,
        play.size,
        states,
        int(totals[packing.DECISIONS]),
        int(totals[packing.EQUAL]),
        int(totals[packing.UNSURE]),
        within,
        int(totals[packing.WRONG]),
        max(float(worker.tallies.worst[0]) for worker in crew) / 2.0,
        int(totals[packing.SINGLE]),
    )

"""The proof of a file of exact play: every decision decoded, and compared with a solution."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from urcx.agents.play_files import packing_kernels as packing
from urcx.agents.play_files.layers import go_through
from urcx.agents.play_files.play_file import PlayFile
from urcx.agents.play_files.play_kernels import DECODE
from urcx.engine.threads import Stage, silent
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import Tablebase


@dataclass(frozen=True)
class Proved:
    """What came out when every decision of a file was compared with a solution.

    Of ``decisions``, ``wrong`` have a move that is more than ``within`` worse than the best, in
    chances of winning: twice the solution's error bound. ``most_lost`` is the most that a move is
    worse than the best. ``equal`` and ``unsure`` are as in
    `urcx.agents.play_files.compressing.Compressed`. ``singly`` decisions were looked up once more,
    one by one, as games do; those are checked as well.
    """

    file: Path
    tablebase: Path
    rules: RuleSet
    file_size: int
    states: int
    decisions: int
    equal: int
    unsure: int
    wrong: int
    most_lost: float
    within: float
    singly: int


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
    within = 2.0 * (base.bound or 0.0)
    update = stage("comparing every move", states, "states")
    crew, _ = go_through(base, play.tables, DECODE, within, update, threads=threads)
    totals = np.sum([worker.totals for worker in crew], axis=0)
    return Proved(
        play.file,
        base.file,
        base.rules,
        play.size,
        states,
        int(totals[packing.DECISIONS]),
        int(totals[packing.EQUAL]),
        int(totals[packing.UNSURE]),
        int(totals[packing.WRONG]),
        max(float(worker.worst[0]) for worker in crew) / 2.0,
        within,
        int(totals[packing.SINGLE]),
    )

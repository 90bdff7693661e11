"""The command that runs Michon's procedure: nalimov."""

from __future__ import annotations

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress_bars


@opt.command(wide=True)
def nalimov(
    *, rules: opt.Game, threads: opt.Threads = None, yes: opt.Yes = False, style: Style
) -> None:
    """Run Michon's procedure for a full table, and show where it stalls.

    urcx nalimov --rules finkel -p 3
    """
    from urcx.complexity import tiles
    from urcx.contrib.michon import result
    from urcx.contrib.michon.procedure import BYTES_A_STATE
    from urcx.engine.costs import Cost, estimate, fewer

    states = tiles.unfinished(rules.path, rules.pieces)
    work = estimate(
        f"running the procedure on {states:,} states of {rules.name}",
        (states, Cost(4e-6, memory=BYTES_A_STATE)),
        threads=threads,
        advice=fewer(rules.pieces),
    )
    confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        table = result.nalimov(rules, threads=threads, stage=stage)
    style.show(table)

"""The command that runs Michon's procedure: nalimov."""

from __future__ import annotations

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages


@opt.command(wide=True)
def nalimov(
    *, rules: opt.Game, threads: opt.Threads = None, yes: opt.Yes = False, style: Style
) -> None:
    """Run Michon's procedure for a full table; show where it stalls.

    urcx nalimov --rules finkel -p 3
    """
    from urcx.contrib.michon import result

    with stages() as stage:
        agree(*result.cost(rules, threads), yes=yes)
        table = result.nalimov(rules, threads=threads, stage=stage)
    style.show(table.report())

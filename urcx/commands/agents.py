"""The command about agents: agents."""

from __future__ import annotations

from urcx.commands import options as opt
from urcx.reports.display.output import Style


@opt.command()
def agents_(*, style: Style) -> None:
    """List the agents that play: depth, leaf value and tie rule.

    urcx agents
    """
    from urcx.agents.kinds import agents_report

    style.show(agents_report())

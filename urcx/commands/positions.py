"""The commands about positions: moves, show, perft."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.commands.places import elsewhere
from urcx.errors import UsageError
from urcx.reports.display.output import Style


@opt.command(wide=True)
def moves(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    roll: opt.OnlyRoll = None,
    agent: Annotated[
        str | None,
        option("--agent", "Show how this agent values the moves.", opt.KINDS),
    ] = None,
    depth: opt.Depth = None,
    leaf: opt.Leaf = None,
    style: Style,
    yes: opt.Yes = False,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves 2/3,6/5-5/L --roll 2 --agent panda
    """
    from urcx.agents.choices import choices

    adviser = None
    if agent is not None:
        from urcx.agents.advice import Adviser
        from urcx.agents.agent_texts import agents
        from urcx.agents.costs import valuing

        (asked,) = agents([agent], depth=depth, leaf=leaf)
        agree(valuing(game, asked), yes=yes)
        adviser = Adviser(asked, game)
    elif depth is not None or leaf is not None:
        raise UsageError("--depth and --leaf need --agent")
    style.show(choices(position, game, roll, adviser).report())


@opt.command(csv=False)
def show(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    style: Style,
) -> None:
    """Draw a position on its board.

    urcx show 2/3,6/5-5/L
    """
    from urcx.rules.drawing import Standing

    style.show(Standing(game, position).report())


@opt.command()
def perft(
    *,
    context: typer.Context,
    position: opt.OnePosition,
    game: opt.Game,
    depth: Annotated[int, option("--depth -d", "Plies to count, from 1 to 200.")] = 8,
    divide: Annotated[bool, option("--divide", "Count under each first roll and move.")] = False,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Count the game tree exactly: nodes and positions by depth.

    A ply is one roll, a 0 included, with each legal move, or the pass, as one branch.

    urcx perft --rules finkel --depth 10
    """
    from urcx.enumerate import perft as counting
    from urcx.enumerate.costs import growing
    from urcx.reports.display.progress import progress

    parts: Any = None
    if not divide:
        opt.refuse(context, "needs --divide", "scheduler")
    agree(growing(game, depth, divided=divide), yes=yes)
    with elsewhere(scheduler) as executor:
        with progress(f"perft of {game.name}", depth, "plies") as update:
            levels = counting.perft(game, depth, position, progress=update)
        if divide:
            parts = counting.divide(game, depth, position, executor=executor)
    style.show(levels.report(parts))

"""The commands about positions: moves, show."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.errors import UsageError
from urcx.reports.display.output import Style, note
from urcx.rules.position import as_position


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

    urcx moves A3/C2,B2/5-5/L --roll 2 --agent panda
    """
    from urcx.agents.advice import choices

    adviser, notes = None, list[str]()
    if agent is not None:
        from urcx.agents.advice import Adviser
        from urcx.agents.agents import agents
        from urcx.agents.policies import SEARCH_GROWTH
        from urcx.engine.costs import SEARCHED, estimate
        from urcx.solving.files.kept import solution_of, solving

        (asked,) = agents([agent], depth=depth, leaf=leaf)
        plies = max((asked.plays.depth or 1) - 1, 0)
        work = estimate(
            f"looking {plies} plies ahead from one position of {game.name}",
            (SEARCH_GROWTH**plies * len(game.dice.rolls), SEARCHED),
            advice="take a lower --depth",
        )
        if asked.by_solution and solution_of(game) is None:
            work = solving(game)
        agree(work, yes=yes)
        adviser = Adviser(asked, game)
        notes = adviser.notes
    elif depth is not None or leaf is not None:
        raise UsageError("--depth and --leaf need --agent")
    style.show(choices(as_position(position, game), game, roll, adviser).report())
    note(*notes)


@opt.command(csv=False)
def show(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    style: Style,
) -> None:
    """Draw a position on its board.

    urcx show A3/C2,B2/5-5/L
    """
    from urcx.rules.drawing import Standing

    style.show(Standing(game, as_position(position, game)).report())

"""The command that compares agents with perfect play: regret."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.commands.places import check_judging, elsewhere, spread_layers
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages


def opponents() -> list[str]:
    """Return the possible opponents: the kinds of agents, and ``self``."""
    from urcx.agents.kinds import KINDS

    return [*KINDS, "self"]


@opt.command(wide=True)
def regret(
    *,
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        option(
            "--agent",
            "Agents to judge: NAME[:DEPTH][:LEAF][:TIES]; comma separated, or repeated. "
            "[default: greedy]",
            opt.KINDS,
            several=True,
        ),
    ] = None,
    opponent: Annotated[
        str,
        option("--opponent", "Their opponent: an agent, or self.", opponents),
    ] = "optimal",
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    tolerance: Annotated[
        float,
        option(
            "--tolerance",
            "Probability of games that need not be followed to their end, from 1e-13 to 1e-2; "
            "more takes less time.",
        ),
    ] = 5e-13,
    depth: opt.Depth = None,
    leaf: opt.Leaf = None,
    ties: opt.Ties = None,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    layers: opt.Between = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Compute what agents give away against perfect play, exactly.

    urcx regret --agent greedy,random -p 3

    urcx regret --tablebase finkel.urcx --agent greedy
    """
    from urcx.agents.agent_texts import agents as parsed
    from urcx.agents.policies import Policies
    from urcx.expectations.costs import judging
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.expectations.regret import regret as judged
    from urcx.expectations.regret import with_table

    names = [name.strip() for text in agents or ["greedy"] for name in text.split(",")]
    players = parsed(names, depth=depth, leaf=leaf, ties=ties)
    check_judging(context, scheduler, tablebase)
    with stages() as stage, elsewhere(scheduler) as executor:
        ready = Policies(game, ALL_STATES, threads=threads)
        parsing.check_solution(tablebase, game)
        known = [with_table(player, tablebase) for player in players]
        other = None if opponent == "self" else with_table(parsed([opponent])[0], tablebase)
        solved = tablebase is not None
        work = judging(ready, known, other, threads, solved=solved)
        agree(*spread_layers(executor, work, game), yes=yes)
        found = judged(
            players,
            game,
            opponent=opponent,
            tablebase=tablebase,
            tolerance=tolerance,
            threads=threads,
            executor=executor,
            layers=layers,
            stage=stage,
        )
    note(*found.notes)
    style.show(found.report())

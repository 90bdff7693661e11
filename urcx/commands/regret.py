"""The command that judges agents by perfect play: regret."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.play import Depth, Leaf, Threads, Ties
from urcx.reports.output import Style, note
from urcx.reports.progress import stages


def regret(
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            help="Whom to judge: NAME[:DEPTH][:LEAF][:TIES]; may be repeated. [default: greedy]",
            show_default=False,
        ),
    ] = None,
    opponent: Annotated[
        str, typer.Option("--opponent", help="Whom they play: an agent, or self.")
    ] = "optimal",
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    tablebase: Annotated[
        FilePath | None,
        typer.Option(
            "--tablebase",
            help="The rule set's tablebase; small rule sets are solved on the fly.",
            show_default=False,
        ),
    ] = None,
    depth: Depth = None,
    leaf: Leaf = None,
    ties: Ties = None,
    threads: Threads = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Say what agents give away against perfect play, exactly over all states they visit.

    urcx regret --agent greedy --agent random -p 3
    urcx regret --tablebase finkel.urcx --agent greedy
    """
    from urcx.play.agents import agent as parsed  # noqa: PLC0415
    from urcx.play.regret import regret as judged  # noqa: PLC0415
    from urcx.reports.regret import report  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    players = [parsed(name, depth=depth, leaf=leaf, ties=ties) for name in agents or ["greedy"]]
    with stages() as stage:
        found = judged(
            players,
            chosen,
            opponent=opponent,
            tablebase=tablebase,
            threads=threads,
            stage=stage,
        )
    for text in found.notes:
        note(text)
    style.show(report(found))


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("regret", rich_help_panel="Solve")(regret)

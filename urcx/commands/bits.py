"""The command of the strategy-complexity curve: bits."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.commands.questions import draw
from urcx.errors import UsageError
from urcx.reading import listed
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages


@opt.command(wide=True)
def bits(
    *,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    agents: Annotated[
        list[str] | None,
        option(
            "--agent",
            "Players without data: NAME[:DEPTH][:LEAF][:TIES]; comma separated, or repeated. "
            "[default: random,greedy,gain,expectimax]",
            opt.KINDS,
            several=True,
        ),
    ] = None,
    networks: Annotated[
        list[FilePath] | None,
        option("--network", "A network's file; repeated for several."),
    ] = None,
    play_files: Annotated[
        list[FilePath] | None,
        option("--play", "A file of exact play, of urcx compress; repeated for several."),
    ] = None,
    table_bits: Annotated[
        str, option("--table-bits", "Bits a state of quantised tables, from 1 to 16; 0 for none.")
    ] = "1..16",
    ties: Annotated[
        str,
        option(
            "--ties",
            "Among equal codes: first (least advanced), last, random, or the best of them.",
            "urcx.learn.curve.bits:TIE_RULES",
        ),
    ] = "best",
    exact: Annotated[
        bool, option("--exact", "Exact chances of winning, over all games. [default: if small]")
    ] = False,
    games: Annotated[
        int | None,
        option(
            "--games -g",
            "Games of each estimate, from 2 to 100,000,000. [default: 4000, none if small]",
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Compute how many bits players take, and how well they play.

    Players are rules without data, networks, tables of few bits a state, files of exact play, and
    the solution.

    urcx bits -p 2 --table-bits 2,4,8

    urcx bits --tablebase finkel.urcx --plot bits.svg
    """
    from urcx.learn.curve import bits as curve
    from urcx.learn.curve.quantisers import MOST_BITS

    if exact and games is not None:
        raise UsageError("--exact needs no games; leave out --games")
    if plot is not None and game.pieces == 1:
        raise UsageError("--plot: with one piece there are no decisions to draw; take more with -p")
    none = table_bits.strip() == "0"
    widths = () if none else parsing.parse_range(table_bits, "table bits", MOST_BITS)
    names = [name for text in agents or curve.AGENTS for name in listed(text)]
    solved = parsing.check_solution(tablebase, game) is not None
    given = True if exact else None if games is None else False
    players = curve.players_of(names, networks or (), game)
    with stages() as stage:
        agree(
            *curve.cost(
                game,
                players,
                len(widths),
                curve.GAMES if games is None else games,
                threads,
                exact=given,
                solved=solved,
            ),
            yes=yes,
        )
        found = curve.bits(
            game,
            tablebase=tablebase,
            agents=names,
            networks=networks or (),
            play_files=play_files or (),
            table_bits=widths,
            ties=ties,
            exact=given,
            games=curve.GAMES if games is None else games,
            seed=seed,
            threads=threads,
            stage=stage,
        )
    style.show(found.report())
    note(*found.notes)
    draw(found, plot)

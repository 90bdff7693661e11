"""The commands of learning: train, bits and compress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.engine.costs import Cost, WorkEstimate, estimate
from urcx.engine.memory import check_memory
from urcx.engine.threads import chosen_threads
from urcx.errors import UsageError
from urcx.reports.display.output import Style, check_writable, note
from urcx.reports.display.progress import progress_bars
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.agents.agents import Agent
    from urcx.solving.files.tablebase import Tablebase


# The costs of a state: time to count and code its decisions, or to decode them (also per unit of
# the network), its share of a file of exact play, and its value and code in a quantised table.
PACKED = Cost(1.2e-6)
PACKED_UNIT = Cost(6e-9)
FILE_STATE = Cost(disk=0.12)
QUANTISED = Cost(2e-8)
QUANTISED_BYTES = Cost(memory=10)  # one table at a time


@opt.command(wide=True, file=False)
def train(
    *,
    learning: Annotated[
        str, argument("METHOD", "Method of training.", "urcx.contrib.learning.training:METHODS")
    ] = "td",
    game: opt.Game,
    output: Annotated[
        FilePath | None,
        option("--output -o", "The network's file, whose name ends in .npz."),
    ] = None,
    quick: Annotated[
        bool, option("--quick", "A small network, trained for a minute or two.")
    ] = False,
    units: Annotated[
        int | None,
        option("--units", "Units of the first hidden layer, from 1. [default: the method's]"),
    ] = None,
    iterations: Annotated[
        int | None,
        option("--iterations", "Steps of the training, from 1. [default: the method's]"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        option(
            "--set",
            "Other settings of the method, NAME=VALUE, separated by commas or repeated (see "
            "--list).",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        option(
            "--minutes",
            "Minutes after which it stops, from above 0 to 1,000,000. Run again to continue.",
        ),
    ] = None,
    start: Annotated[
        FilePath | None,
        option(
            "--start",
            "File of a network with initial weights, of the same number of units or less.",
        ),
    ] = None,
    seed: opt.Seed = 1,
    tablebase: Annotated[
        FilePath | None,
        option(
            "--tablebase",
            "The rule set's tablebase, to measure strength during the training.",
        ),
    ] = None,
    checkpoint: Annotated[
        FilePath | None,
        option(
            "--checkpoint",
            "File from which an interrupted training resumes. [default: FILE.checkpoint]",
        ),
    ] = None,
    list_: Annotated[
        bool, option("--list", "List the methods and their settings instead.")
    ] = False,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Train a network that plays as the agent net:FILE.

    An interrupted training resumes when the same command is run again, and ends with the same
    network. Networks do not depend on the number of threads.

    urcx train td --rules finkel -p 2 --quick --iterations 20 -o small.npz

    urcx train --rules finkel --tablebase finkel.urcx -o finkel.npz

    urcx train --list
    """
    from urcx.contrib.learning.settings import parsed
    from urcx.contrib.learning.training import (
        chosen_settings,
        method_settings,
        network_file,
        training_method,
    )
    from urcx.contrib.learning.training import train as train_network

    if list_:
        style.show(method_settings())
        return
    method = training_method(learning)
    if output is None:
        raise UsageError(
            "--output FILE.npz is missing: the file of the network. Try: urcx train -p 2 --quick "
            "-o small.npz"
        )
    check_writable(network_file(output))
    check_writable(checkpoint)
    chosen = parsed(settings) if settings else {}
    for name, value in (("units", units), ("iterations", iterations)):
        if value is not None:
            if name in chosen:
                raise UsageError(f"--{name} and --set {name} exclude each other")
            chosen[name] = str(value)
    plan = chosen_settings(method, chosen, quick=quick)
    if minutes is not None and not minutes > 0:
        raise UsageError(f"--minutes {minutes}: must be more than 0")
    _, memory = method.needs(game, plan)
    task = f"training by {method.name}"
    check_memory(round(memory), task, "choose smaller settings")
    seconds = method.seconds(game, plan, chosen_threads(threads))  # measured in some of its steps
    if minutes is not None:
        seconds = min(seconds, 60 * minutes)
    advice = "choose fewer --iterations, --quick, or --minutes"
    confirm_long_run(WorkEstimate(task, seconds, memory, advice=advice), yes=yes)
    with progress_bars() as stage:
        trained = train_network(
            learning,
            game,
            output=output,
            seed=seed,
            settings=chosen,
            quick=quick,
            minutes=minutes,
            start=start,
            tablebase=tablebase,
            checkpoint=checkpoint,
            threads=threads,
            stage=stage,
        )
    style.show(trained)
    if trained.resumed:
        note(f"{trained.resumed:,} {trained.unit} were done in an earlier run")
    if trained.done < trained.total:
        note(
            f"stopped after {trained.done:,} of {trained.total:,} {trained.unit}. Run the same "
            "command again to continue"
        )


@opt.command(wide=True)
def bits(
    *,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    agents: Annotated[
        list[str] | None,
        option(
            "--agent",
            "Players without data: NAME[:DEPTH][:LEAF][:TIES], separated by commas or repeated. "
            "[default: random,greedy,gain,expectimax]",
            opt.KINDS,
            several=True,
        ),
    ] = None,
    networks: Annotated[
        list[FilePath] | None,
        option("--network", "A network's file. Repeatable."),
    ] = None,
    play_files: Annotated[
        list[FilePath] | None,
        option("--play", "A file of exact play from urcx compress. Repeatable."),
    ] = None,
    table_bits: Annotated[
        str,
        option("--table-bits", "Bits per state of quantised tables, from 1 to 16, or 0 for none."),
    ] = "1..16",
    ties: Annotated[
        str,
        option(
            "--ties",
            "Move among equal codes: first (least advanced), last, random, or the best of these.",
            "urcx.contrib.learning.curve:TIE_RULES",
        ),
    ] = "best",
    exact: Annotated[
        bool, option("--exact", "Exact win probabilities, over all games. [default: if small]")
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
    """Compare the bits of players with their loss: a curve.

    Players are rules without data, networks, tables of few bits per state, files of exact play, and
    the solution.

    urcx bits -p 2 --table-bits 2,4,8

    urcx bits --tablebase finkel.urcx --plot bits.svg
    """
    from urcx.agents.agents import split_agents
    from urcx.commands import parsing
    from urcx.contrib.learning import curve
    from urcx.contrib.learning.curve import MOST_BITS

    if exact and games is not None:
        raise UsageError("--exact follows all games. Leave out --games")
    if plot is not None and game.pieces == 1:
        raise UsageError("--plot: with one piece there are no decisions to draw. Try: -p 2")
    no_tables = table_bits.strip() == "0"
    widths = () if no_tables else parsing.parse_range(table_bits, "table bits", MOST_BITS)
    names = [name for text in agents or curve.AGENTS for name in split_agents(text)]
    solved = parsing.check_solution(tablebase, game) is not None
    follow_all = True if exact else None if games is None else False
    players = curve.players_of(names, networks or (), game)
    with progress_bars() as stage:
        number = curve.GAMES if games is None else games
        confirm_long_run(
            *_estimate_bits(game, players, len(widths), number, threads, follow_all, solved),
            yes=yes,
        )
        result = curve.bits(
            game,
            tablebase=tablebase,
            agents=names,
            networks=networks or (),
            play_files=play_files or (),
            table_bits=widths,
            ties=ties,
            exact=follow_all,
            games=number,
            seed=seed,
            threads=threads,
            stage=stage,
        )
    style.show_result(result, plot)


def _estimate_bits(
    rules: RuleSet,
    players: Sequence[Agent],
    widths: int,
    games: int,
    threads: int | None,
    exact: bool | None,
    solved: bool,
) -> list[WorkEstimate]:
    """Estimate the work on a curve of players and of ``widths`` quantised tables."""
    from urcx.agents.agents import Agent
    from urcx.agents.policies import Policies
    from urcx.commands.estimates import following, playing
    from urcx.complexity import tiles
    from urcx.contrib.learning import curve
    from urcx.expectations.choices import ALL_STATES
    from urcx.solving.files.kept import solving

    exact = curve.small(rules) if exact is None else exact
    ready = Policies(rules, ALL_STATES if exact else games, threads=threads)
    perfect, other = (Agent("optimal", ties, table="-") for ties in ("first", "last"))
    tables, states = widths, tiles.unfinished(rules.path, rules.pieces)
    pairs = [(player, perfect) for player in players] + [(other, perfect)] * tables
    coding = estimate(
        f"tables of {states:,} states of {rules.name}",
        (tables * states, QUANTISED),
        (states, QUANTISED_BYTES),
        threads=threads,
        advice="choose fewer --table-bits",
    )
    work = following(ready, pairs) if exact else playing(ready, pairs, games)
    return [*([] if solved else [solving(rules, threads)]), *work, coding]


@opt.command(wide=True, file=False)
def compress(
    *,
    context: typer.Context,
    file: Annotated[FilePath | None, argument("FILE", "A tablebase that urcx solve wrote.")] = None,
    output: Annotated[
        FilePath | None,
        option("--output -o", "The file of exact play to write, whose name ends in .play."),
    ] = None,
    network: Annotated[
        FilePath | None,
        option(
            "--network",
            "A network that ranks moves, with one hidden layer and the inputs path. A better "
            "ranking makes a smaller file. [default: the network that comes with urcx, if any]",
        ),
    ] = None,
    block: Annotated[
        int,
        option(
            "--block",
            "States per block, from 1. Smaller blocks make look-ups faster and the file larger.",
        ),
    ] = 256,
    check: Annotated[
        FilePath | None,
        option("--check", "Compare every move of a file of exact play with --tablebase instead."),
    ] = None,
    tablebase: Annotated[
        FilePath | None, option("--tablebase", "With --check: the tablebase to compare with.")
    ] = None,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Write all best moves to a small file for the agent optimal:FILE.

    urcx compress finkel.urcx -o finkel.play

    urcx compress --check finkel.play --tablebase finkel.urcx

    The file has moves only, no win probabilities. --check proves it against the tablebase, move by
    move.
    """
    from urcx.contrib.learning import compressing
    from urcx.contrib.learning.play_file import SUFFIX
    from urcx.solving.files.tablebase import open_tablebase

    if check is not None:
        writing = ("file", "output", "network", "block")
        opt.reject_options(context, "cannot be combined with --check", *writing)
        _prove(check, tablebase, threads, style, yes=yes)
        return
    opt.reject_options(context, "needs --check", "tablebase")
    if file is None or output is None:
        missing = "FILE" if file is None else "--output"
        raise UsageError(f"{missing} is missing. Try: urcx compress finkel.urcx -o finkel.play")
    check_writable(output)
    if output.suffix.lower() != SUFFIX:
        raise UsageError(f"--output {output}: the name must end in {SUFFIX}")
    with open_tablebase(file) as base:
        units = compressing.chosen_predictor(base.rules, network).units
        work = _estimate_packing(
            base, units, threads, "coding", "play from the tablebase instead", FILE_STATE
        )
        confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        compressed = compressing.compress(
            file, output, network=network, block=block, threads=threads, stage=stage
        )
    style.show(compressed)


def _estimate_packing(
    base: Tablebase, units: int, threads: int | None, action: str, advice: str, *more: Cost
) -> WorkEstimate:
    """Estimate the work on all decisions if a network of ``units`` units ranks their moves."""
    from urcx.contrib.learning.compressing import compress_memory

    states = sum(map(base.order.size, base.order.layers))
    return estimate(
        f"{action} every move of {states:,} states of {base.file.name}",
        (states, PACKED),
        (states * units, PACKED_UNIT),
        *((states, cost) for cost in more),
        threads=threads,
        memory=compress_memory(base.order),
        advice=advice,
    )


def _prove(
    file: FilePath, tablebase: FilePath | None, threads: int | None, style: Style, *, yes: bool
) -> None:
    from urcx.contrib.learning.compressing import prove_play
    from urcx.contrib.learning.play_file import PlayFile
    from urcx.solving.files.tablebase import open_tablebase

    if tablebase is None:
        raise UsageError(f"--check {file} needs --tablebase FILE, the tablebase to compare with")
    with PlayFile(file) as play, open_tablebase(tablebase) as base:
        play.check_rules(base.rules)
        units = play.contents.predictor.units
        advice = "prove the file of a smaller game"
        confirm_long_run(_estimate_packing(base, units, threads, "comparing", advice), yes=yes)
        with progress_bars() as stage:
            proof = prove_play(play, base, threads=threads, stage=stage)
    style.show(proof)
    if proof.wrong:
        raise typer.Exit(1)

"""The commands for optimal play: solve, check, probe, export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.engine.memory import available_memory, size_text
from urcx.errors import InterruptedRunError, UsageError, quoted
from urcx.reading import STDIN
from urcx.reports.display.output import Style, check_writable, note
from urcx.reports.display.progress import progress_bars
from urcx.reports.display.provenance import provenance

if TYPE_CHECKING:
    from urcx.engine.costs import WorkEstimate
    from urcx.rules.model import RuleSet
    from urcx.solving.files.tablebase import Tablebase
    from urcx.solving.probing import OpenSolution as Probed

SLASHES = 3  # of a position's notation
MOST_VERIFIED = 250_000_000  # bytes: smaller files are read completely in an instant


@opt.command(wide=True, file=False)
def solve(
    *,
    context: typer.Context,
    rules: opt.Rules = None,
    pieces: opt.RulesPieces = None,
    output: Annotated[
        FilePath | None,
        option(
            "--output -o",
            "Write the tablebase to this file. [default: saved where other commands find it, "
            "except with --layers or --scheduler]",
        ),
    ] = None,
    no_keep: Annotated[bool, option("--no-keep", "Do not save the tablebase.")] = False,
    store: Annotated[
        str,
        option(
            "--store",
            "Type of the stored values: f64, f32 or u16.",
            "urcx.solving.files.tablebase:STORES",
        ),
    ] = "f64",
    tolerance: Annotated[
        float,
        option(
            "--tolerance",
            "Greatest allowed distance between lower and upper bounds, from 1e-13 to 0.01.",
        ),
    ] = 1e-12,
    layers: Annotated[
        FilePath | None,
        option(
            "--layers",
            "Directory for solved layers, from which an interrupted run continues. With "
            "--scheduler, all workers must share it. [default: next to --output]",
        ),
    ] = None,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    style: Style,
) -> None:
    """Solve a rule set: the value of every position, with proven bounds.

    The solution is saved in your data directory, where urcx probe, play, explore and other commands
    find it. If a run is interrupted, start the same command again: it continues where it stopped.
    Three pieces take a second. The full game takes about a minute on two cores, and 1.1 GB of disk.

    urcx solve --rules finkel -p 3

    urcx solve --rules finkel

    urcx solve --rules finkel -o finkel.urcx
    """
    import urcx
    from urcx.commands import parsing
    from urcx.solving.solution import prepare_file, saved, saved_file

    game = parsing.chosen_rules(rules, path_file, pieces)
    check_writable(output)
    _check_suffix(output)
    if output is not None:
        opt.reject_options(context, "cannot be combined with --output", "no_keep")
    saving = output is None and not (no_keep or layers or scheduler)
    file, why = saved_file(game, store, tolerance) if saving else (output, "")
    if file is None:
        opt.reject_options(context, "needs --output", "store")
    from urcx.solving.files.kept import solving

    item = prepare_file(game, file, layers=layers, store=store, tolerance=tolerance)
    work = solving(game, threads, item)
    if saving and file:
        work = replace(work, advice=f"{work.advice}, or do not save the solution (--no-keep)")
    try:
        with progress_bars() as stage, opt.open_executor(scheduler) as executor:
            if executor:  # its workers check their own memory
                work = replace(work, memory=0.0)
            confirm_long_run(work, yes=yes)
            solve_to = partial(
                urcx.solve, game, store=store, tolerance=tolerance, threads=threads,
                executor=executor, layers=layers, stage=stage,
            )  # fmt: skip
            result = saved(solve_to, file, why) if saving else solve_to(output)
    except KeyboardInterrupt:
        raise InterruptedRunError(_where_it_lies(file, layers)) from None
    style.show_result(result)


def _where_it_lies(output: FilePath | None, directory: FilePath | None) -> str:
    """Return the message after an interruption: the layers saved, and how to continue."""
    from urcx.solving.files.work import kept_layers, work_directory

    if directory is None and output is not None:
        directory = work_directory(output)
    if directory is None:
        return "interrupted. With -o FILE, a run saves its layers, and you can continue it later"
    layers, size = kept_layers(directory)
    if not layers:
        return "interrupted before the first layers were solved"
    return (
        f"interrupted. {layers} solved layers ({size_text(size)}) are saved in {directory}. "
        "Run the same command again to continue"
    )


def _check_suffix(output: FilePath | None) -> None:
    """Raise `UsageError` for devices, and for the suffix of another format."""
    if output is None:
        return
    if output.exists() and not output.is_file():  # even /dev/null
        raise UsageError(f"cannot write {output}: it is not a regular file")
    if output.suffix.lower() == ".rgu":
        raise UsageError(
            f"cannot write {output}: write a .urcx file first, and convert it with urcx export"
        )


def _checking_independently(base: Tablebase, threads: int | None) -> WorkEstimate:
    """Estimate the check of a tablebase by urcx-check."""
    from urcx.engine.costs import CHECKED_INDEPENDENTLY, estimate

    order = base.order
    states = order.states(order.layers)
    return estimate(
        f"checking {states:,} states of {base.file.name} by urcx-check",
        (states, CHECKED_INDEPENDENTLY),
        threads=threads,
        memory=16 * max(map(order.size, order.layers)),
        advice="check it without --independent",
    )


def _checking(base: Tablebase, threads: int | None) -> list[WorkEstimate]:
    """Estimate the check of a tablebase.

    A tablebase without a bound is solved again to find one. The check skips this if there is not
    enough memory, and so does the estimate.
    """
    from urcx.engine.costs import CHECKED, SOLVED, estimate
    from urcx.solving.layered.estimates import memory_needed

    order, advice = base.order, "look up single positions with urcx probe"
    states = order.states(order.layers)
    what = f"checking {states:,} states of {base.file.name}"
    work = [estimate(what, (states, CHECKED), threads=threads, advice=advice)]
    memory, free = memory_needed(order), available_memory()
    if base.bound is None and (free is None or memory <= free):
        what += ", and solving them again for a bound,"
        more = estimate(what, (states, SOLVED), threads=threads, memory=memory, advice=advice)
        work.append(more)
    return work


@opt.command(wide=True)
def check(
    *,
    file: Annotated[
        FilePath, argument("FILE", "A tablebase written by urcx solve, or an .rgu file.")
    ],
    independent: Annotated[
        bool,
        option(
            "--independent",
            "Prove the tablebase with urcx-check, a separate program in C. Needs a C compiler.",
        ),
    ] = False,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Check a solution: checksums, the residual of a sweep, ties.

    For an .rgu file, the error bound is computed, which takes as long as solving. The exit code is
    1 if the file is damaged or contradicts itself.

    urcx check finkel.urcx

    urcx check finkel.urcx --independent
    """
    import urcx
    from urcx.solving.checking import Checked
    from urcx.solving.files.rgu import open_solution
    from urcx.solving.files.tablebase import open_tablebase

    if independent:
        with open_tablebase(file) as base:
            work = [_checking_independently(base, threads)]
    else:
        with open_solution(file) as base:
            work = _checking(base, threads)
    confirm_long_run(*work, yes=yes)
    with progress_bars() as stage:
        result = urcx.check(file, independent=independent, threads=threads, stage=stage)
    style.show_result(result)
    if isinstance(result, Checked) and (result.damaged or result.contradicted):
        raise typer.Exit(1)


@opt.command(wide=True)
def probe(
    *,
    context: typer.Context,
    file: Annotated[
        FilePath | None,
        argument(
            "FILE",
            "A tablebase written by urcx solve, or an .rgu file. [default: the saved solution for "
            "--rules and --pieces, without these the last one saved]",
        ),
    ] = None,
    position: opt.PositionText = None,
    rules: opt.SolvedRules = None,
    pieces: opt.SolvedPieces = None,
    roll: opt.OnlyRoll = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Look up positions in a solution: value and best moves.

    You can leave out FILE: urcx probe then uses the saved solution, or solves a small rule set at
    once. With - as the position, it reads standard input: one position per line, optionally
    followed by a roll. With --json it answers each line at once. --plot draws the luck strip: how
    likely each roll is, and the win probability after it.

    urcx probe start -p 3

    urcx probe finkel.urcx A3/C2,B2/5-5/L --roll 2

    urcx probe start -p 2 --plot luck.svg

    urcx sample -p 2 -n 3 | urcx probe -p 2 -
    """
    from urcx.commands import parsing
    from urcx.played.values import open_or_solve
    from urcx.rules.position import EXAMPLE, as_position
    from urcx.solving import probing
    from urcx.solving.files.kept import latest_solution, saved_solution_note
    from urcx.solving.files.rgu import open_solution

    if file is not None and position is None and _is_position(file):
        position, file = file.as_posix(), None
    elif file is not None and not (file.suffix or file.exists() or file.is_symlink()):
        raise UsageError(f"{file} is neither a file nor a position such as {EXAMPLE} or start")
    where = parsing.position_text(position)
    if where == STDIN and plot is not None:
        raise UsageError("--plot draws one position, not those of standard input")
    named = (rules, pieces, path_file) != (None, None, None)
    if file is not None:
        opt.reject_options(
            context, f"cannot be combined with {file}", "rules", "pieces", "path_file"
        )
    last = None if file is not None or named else latest_solution()
    with ExitStack() as stack, progress_bars() as stage:
        solution: Probed
        source = file or last
        if source is not None:
            solution = stack.enter_context(open_solution(source))
        else:
            chosen = parsing.solved_rules(rules, pieces, None, path_file)
            if where != STDIN:
                as_position(where, chosen)  # raises before the work
            solution = stack.enter_context(open_or_solve(chosen, stage=stage))
        _check_roll(roll, solution.rules)
        result = None if where == STDIN else probing.probe(solution, where, roll)
        _note_damage(solution)
        if last is not None:
            note(f"last saved solution: {solution.rules.with_pieces}, {last}")
        elif file is None and solution.file is not None:
            note(saved_solution_note(solution.file))
        if result is None:
            _probe_lines(solution, roll, style)
        else:
            style.show_result(result, plot)


def _check_roll(roll: int | None, rules: RuleSet) -> None:
    if roll is not None and roll not in rules.dice.rolls:
        rolls = ", ".join(map(str, rules.dice.rolls))
        raise UsageError(f"--roll {roll}: must be one of {rolls}, the rolls of {rules.name}")


def _note_damage(solution: Probed) -> None:
    """Print a note if other positions of a small tablebase are damaged."""
    from urcx.solving.files.tablebase import Tablebase
    from urcx.solving.layered.order import layer_names

    if isinstance(solution, Tablebase) and solution.file.stat().st_size <= MOST_VERIFIED:
        wrong = layer_names(layer for layer, damaged in solution.damaged() if damaged)
        if wrong:
            note(
                f"{solution.file} is damaged in layers {', '.join(wrong)}, but not in the layer of "
                f"this position. Make it again with {solution.writer}"
            )


def _probe_lines(solution: Probed, roll: int | None, style: Style) -> None:
    """Look up the positions on the lines of standard input."""
    from urcx.commands.number import map_lines
    from urcx.results.writing import json_text
    from urcx.solving import probing

    def probed(line: str) -> probing.Probed:
        place, *rolls = line.split()
        if len(rolls) > 1 or not all(map(str.isdecimal, rolls)):
            raise UsageError(f"{quoted(line)}: write a position, optionally followed by a roll")
        return probing.probe(solution, place, int(rolls[0]) if rolls else roll)

    results = map_lines(None, probed)
    if style.form != "json":
        style.show(probing.Probings(results, base=solution))
        return

    def lines() -> Iterator[str]:
        for result in results:
            yield json_text(result, provenance(), indent=None)
            sys.stdout.flush()  # another program may wait for this line before its next question

    style.write(lines())


def _is_position(file: FilePath) -> bool:
    """Return whether an argument is a position, or rules by mistake, rather than a file's name."""
    from urcx.rules import catalogue
    from urcx.rules.position import START

    text = file.as_posix()
    notation = text.endswith(("/L", "/D")) or text.count("/") == SLASHES
    is_position = notation or text in (STDIN, START) or text in catalogue.catalogue().rules
    return is_position and not file.exists()


@opt.command(file=False)
def export(
    file: Annotated[FilePath, argument("FILE", "A tablebase written by urcx solve.")],
    output: Annotated[FilePath, argument("OUTPUT", "The .rgu file to write.")],
    values: Annotated[
        str,
        option(
            "--values",
            "Type of the stored values: percent16, f32 or f64.",
            "urcx.solving.files.rgu:VALUES",
        ),
    ] = "percent16",
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Convert a tablebase to RoyalUr-Java's format, .rgu.

    The format covers the paths bell, masters and aseb with up to 7 pieces per side. It has neither
    checksums nor error bounds.

    urcx export finkel.urcx finkel.rgu

    urcx export finkel.urcx finkel.rgu --values f64
    """
    from urcx.engine.costs import EXPORTED, Cost, estimate
    from urcx.solving.files.rgu_export import Exported, export_rgu, exported_bound
    from urcx.solving.files.rgu_keys import VALUES, check_values
    from urcx.solving.files.tablebase import open_tablebase

    check_values(values)
    check_writable(output)
    if output.exists() and file.exists() and output.samefile(file):
        raise UsageError(f"{output} is the tablebase itself. Write to another file")
    if output.suffix.lower() != ".rgu":
        raise UsageError(f"cannot write {output}: the name must end in .rgu")
    with open_tablebase(file) as base:
        states = sum(base.order.size(layer) for layer in base.order.layers)
        work = estimate(
            f"writing {states:,} states of {file.name}",
            (states, EXPORTED),
            (states, Cost(disk=int(VALUES[values][-1]))),  # numpy's names of types end in bytes
            advice="take smaller --values",
        )
        confirm_long_run(work, yes=yes)
        with progress_bars() as stage:
            size = export_rgu(
                base, output, values, stage(f"writing {output.name}", states, "states")
            )
        rules, bound = base.rules, exported_bound(base, values)
    style.show(Exported(output, rules, values, size, bound))

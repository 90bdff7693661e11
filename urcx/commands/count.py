"""The commands that count: compare, ssc, paths, enumerate, reach, perft."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path as FilePath
from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import argument, option
from urcx.commands.places import elsewhere
from urcx.complexity import forms
from urcx.engine.work import duration, spread
from urcx.errors import InterruptedRunError, TooLargeError, UsageError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import progress, stages
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.load import Catalogue
from urcx.rules.model import Path

COMPARED = ("paths", "exact", "forms", "errors")
MOST_REASONS = 3  # printed one by one for rows that are not enumerated
MAX_RECORDS = 5_000_000  # held at a time for JSON and CSV, about a gigabyte


@opt.command(wide=True)
def compare(
    rules: Annotated[
        list[str] | None,
        argument(
            "RULES",
            "Rule sets, also comma separated; see urcx paths. [default: the only one of "
            "--path-file, else finkel]",
            opt.rule_set_names,
            several=True,
        ),
    ] = None,
    pieces: Annotated[
        str | None,
        option(
            "--pieces -p",
            "Pieces a side, from 1 to 255: 7, 3..5 or 1,3,5. [default: each rule set's]",
        ),
    ] = None,
    games: Annotated[
        int,
        option("--games -g", "Games to play of what is too large to be exact, from 2."),
    ] = 2000,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Compare rule sets: states, win probability, length, game tree.

    Rule sets that are small enough to be solved at once have exact numbers. Larger ones are
    estimated from games: of optimal play if urcx solve has kept the solution, else of greedy.

    urcx compare finkel blitz masters -p 1..2

    urcx compare finkel kwan --games 500 --plot compare.svg
    """
    from urcx.expectations import compare as comparison

    chosen = parsing.compared_rules(rules or (), path_file, pieces)
    agree(*comparison.cost(chosen, games, threads), yes=yes)
    with stages() as stage:
        found = comparison.compare(chosen, games=games, seed=seed, threads=threads, stage=stage)
    style.show_result(found, plot)


@opt.command(wide=True, more=("latex", "bfile"))
def ssc(
    context: typer.Context,
    words: opt.PathWords = None,
    path: opt.PathNames = None,
    pieces: opt.PiecesRange = "1..7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    enumerate_: Annotated[
        bool | None,
        option(
            "--enumerate/--no-enumerate",
            "Visit every diagram, or none. By default rows are visited in turn, up to a total of "
            "2e10 diagrams.",
        ),
    ] = None,
    symbolic: Annotated[
        bool, option("--symbolic", "Print the expressions, and the proof that they are equal.")
    ] = False,
    form: Annotated[
        str | None,
        option(
            "--form",
            "Forms to show, comma separated, or all; --json and --csv have all. [default: all, "
            "with --latex those that are right, with --symbolic alone the exact ones]",
            "urcx.complexity.forms:FORMS",
            several=True,
        ),
    ] = None,
    label: opt.Labels = None,
    plot: opt.Plot = None,
    title: opt.Title = None,
    compare: Annotated[
        str | None,
        option(
            "--compare",
            "errors: how far off every form is, in place of its value. With --plot: paths (beside "
            "the printed curves), exact (for print), or forms (relative errors). [default: paths, "
            "exact of several]",
            COMPARED,
        ),
    ] = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Count the states by every closed form, and by visiting each one.

    What is counted are diagrams: arrangements of both players' pieces, whoever is to move.

    urcx ssc bell -p 1..15

    urcx ssc --path all -p 7 --no-enumerate

    With --wide also branches, and how fast diagrams were visited.
    """
    if enumerate_ is False:
        opt.refuse(context, "cannot be combined with --no-enumerate", "scheduler")
    numbers = parsing.parse_range(pieces, "pieces")
    dark = parsing.dark_number(dark_pieces)
    paths = parsing.chosen_paths(parsing.named_path(words, path), path_file)
    latex = style.form == "latex"
    names = forms.chosen_forms(form, right=latex, exact=symbolic and not latex)
    labels = parsing.labels_of(paths, label)
    compare = compare or ("exact" if len(paths) > 1 else "paths")
    _check_figure(compare, plot, title)
    if symbolic:
        why = "cannot be combined with --symbolic, which holds for all numbers of pieces"
        opt.refuse(context, why, "pieces", "dark_pieces", "enumerate_", "plot", "wide", "scheduler")
        opt.refuse(context, why, "bfile", "label", "title")
        from urcx.complexity.symbolic import symbolic_report

        style.show(symbolic_report(paths, names))
        return
    if plot is not None and dark is not None:
        raise UsageError("--plot draws equal numbers of pieces; leave out --dark-pieces")
    from urcx.enumerate import costs
    from urcx.enumerate.state_space import StateSpaces, sequence

    agree(costs.formulating(len(paths), numbers), yes=yes)
    if style.form == "bfile":
        _check_sequence(context, paths)
        style.show(sequence(paths[0], max(numbers)))
        return
    rows = _rows(paths, numbers, dark)
    with elsewhere(scheduler) as executor:
        interrupted = _enumerate_rows(rows, executor, everything=enumerate_, yes=yes)
    if interrupted and (style.file or plot):
        raise interrupted  # a file is written whole or not at all
    if plot is not None:
        from urcx.reports.figures import plots

        figures = {
            "exact": lambda: plots.exact_figure(rows, labels, title or ""),
            "paths": lambda: plots.paths_figure(rows),
        }
        plots.save(figures.get(compare, lambda: plots.forms_figure(rows))(), plot)
    found = StateSpaces(paths, numbers, dark, rows, names, labels)
    style.show(found.report(wide=style.wide, errors=compare == "errors"))
    if interrupted:
        raise interrupted


def _check_figure(compare: str, plot: FilePath | None, title: str | None) -> None:
    """Raise `UsageError` if there is no such comparison, or what is said is of no figure."""
    if compare not in COMPARED:
        raise UsageError(f"--compare {compare!r}: must be {', '.join(COMPARED[:-1])} or errors")
    if compare == "forms" and plot is None:
        raise UsageError("--compare forms needs --plot")
    if title is not None and (plot is None or compare != "exact"):
        raise UsageError("--title needs --plot, of several paths or with --compare exact")


def _check_sequence(context: typer.Context, paths: list[Path]) -> None:
    why = "cannot be combined with --bfile, which has one path's numbers from 0 on"
    opt.refuse(context, why, "dark_pieces", "enumerate_", "plot", "scheduler", "form")
    if len(paths) > 1:
        raise UsageError(f"--bfile takes one path, not {len(paths)}")


def _rows(paths: list[Path], numbers: tuple[int, ...], dark: int | None) -> list[Any]:
    """Return a row of closed forms for each path and number of pieces."""
    from urcx.enumerate.state_space import state_spaces

    rows = []
    with progress("closed forms", len(paths) * len(numbers), "rows") as update:
        for path in paths:
            for n in numbers:
                rows.append(state_spaces(path, n, dark))
                update(len(rows))
    return rows


def _enumerate_rows(
    rows: list[Any], executor: Executor | None, *, everything: bool | None, yes: bool
) -> InterruptedRunError | None:
    """Enumerate rows in place, up to the limit; return what to raise if it was interrupted.

    ``everything`` is True for no limit, False for no row.
    """
    if everything is False:
        return None
    from urcx.enumerate import costs
    from urcx.enumerate.state_space import VISIT_LIMIT, enumerated

    visits = 0
    left_out = []
    too_large = _too_large(rows, everything=bool(everything))
    if everything:
        agree(*spread(executor, costs.enumerating(sum(row.diagrams for row in rows))), yes=yes)
    for k, row in enumerate(rows):
        if k in too_large:
            continue
        if not everything and visits + row.diagrams > VISIT_LIMIT:
            left_out.append(row)
            continue
        visits += row.diagrams
        label = f"{row.path.name}, {counted(row.pieces, 'piece')}"
        try:
            with progress(label, row.diagrams, "diagrams") as update:
                rows[k] = enumerated(row, update, executor=executor)
        except KeyboardInterrupt:
            return InterruptedRunError(f"interrupted at {label}")
    if left_out:
        total = sum(row.diagrams for row in left_out)
        note(
            f"{len(left_out)} of {len(rows)} rows not enumerated: {total:.2g} more diagrams, "
            f"about {duration(costs.enumerating(total).seconds)}; use --enumerate to visit them"
        )
    return None


def _too_large(rows: list[Any], *, everything: bool) -> set[int]:
    """Return which rows the enumerator cannot hold, and say so; raise if it is to visit them."""
    from urcx.enumerate.layout import check_pieces, layout

    found = {}
    for k, row in enumerate(rows):
        try:
            layout(row.path)
            check_pieces(row.pieces, row.dark_pieces)
        except TooLargeError as error:
            if everything:
                raise
            found[k] = str(error)
    _say_once(list(found.values()))
    return set(found)


def _say_once(reasons: list[str]) -> None:
    """Print why rows are not enumerated; of many reasons only the first."""
    if len(reasons) > MOST_REASONS:
        note(f"{len(reasons)} rows not enumerated; the first: {reasons[0]}")
        return
    for reason in reasons:
        note(f"not enumerated: {reason}")


def drawn_names() -> list[str]:
    """Return the names of the built-in paths and rule sets, which can both be drawn."""
    return [*catalogue.path_names(), *opt.rule_set_names()]


@opt.command(wide=True)
def paths(
    name: Annotated[
        str | None,
        argument("NAME", "Path or rule set to draw; without it all are listed.", drawn_names),
    ] = None,
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """List paths, rule sets and dice, or draw a path on its board.

    urcx paths murray

    urcx paths blitz
    """
    from urcx.reports.figures import board

    full = catalogue.catalogue()
    mine: tuple[str, ...] = ()
    if name is not None:
        file, name = catalogue.in_file(name)
        path_file = FilePath(file) if file else path_file
    if path_file is not None:
        full, mine = catalogue.read_catalogue_file(path_file)
    if name is not None:
        style.show(_drawn(name, full))
        return
    found = {item.name: item for item in full.paths.values()}
    rules = {item.name: item for item in full.rules.values()}
    style.show(
        board.catalogue_report(
            list(found.values()), list(rules.values()), list(full.dice.values()), mine
        )
    )


def _drawn(name: str, full: Catalogue) -> Report:
    """Return the drawing of a path with the rule sets played on it, or of a rule set's path."""
    from urcx.reports.figures import board

    if name in full.rules and (name not in full.paths or full.paths[name].name != name):
        chosen = full.rules[name]
        return board.path_report(chosen.path, [chosen])
    if name in full.dice and name not in full.paths:
        raise UsageError(f"{name} are dice; urcx dice --dice {name}")
    path = catalogue.lookup("path", full.paths, name)
    named = {item.name: item for item in full.rules.values()}
    return board.path_report(path, [item for item in named.values() if item.path == path])


@opt.command()
def enumerate_(
    *,
    context: typer.Context,
    path: opt.OnePath,
    pieces: opt.Pieces = "1",
    dark_pieces: opt.DarkPieces = None,
    visit: Annotated[
        str,
        option(
            "--visit",
            "What to do with each diagram: write, count, branches, checksum, ranks.",
            "urcx.enumerate.visitors:VISITORS",
        ),
    ] = "write",
    order: opt.Order = "tiles",
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Visit every diagram: list or count them, or check the numbering.

    A diagram is an arrangement of both players' pieces, whoever is to move.

    urcx enumerate --path bell -p 1
    """
    from urcx.complexity import tiles
    from urcx.enumerate import costs, enumerator
    from urcx.enumerate.layout import check_pieces, layout
    from urcx.enumerate.visitors import VISITORS, list_report, visit_report
    from urcx.enumerate.visitors import visit as visited

    n, dark = parsing.parse_single(pieces, "pieces"), parsing.dark_number(dark_pieces)
    if visit not in VISITORS:
        raise UsageError(f"--visit {visit!r}: must be one of {', '.join(VISITORS)}")
    if visit != "ranks":
        opt.refuse(context, "needs --visit ranks", "order")
    if visit in ("write", "ranks"):
        opt.refuse(context, "needs --visit count, branches or checksum", "scheduler")
    layout(path)
    check_pieces(n, dark)
    total = tiles.diagrams(path, n, dark)
    if visit == "write":
        if style.form != "table":
            check_records(total)
        agree(costs.writing(path, n, dark, to_file=style.file is not None), yes=yes)
    elif visit == "ranks":
        agree(costs.proving(path, n, dark), yes=yes)
    if visit == "write" and style.form == "table":
        style.write(_lines(path, n, dark, total))
    elif visit == "write":
        diagrams = enumerator.diagrams(path, n, dark)
        style.show(list_report(path, n, dark, diagrams))
    else:
        label = f"{path.name}, {counted(n, 'piece')}"
        with elsewhere(scheduler) as executor:
            if visit != "ranks":
                agree(*spread(executor, costs.enumerating(total, path.name)), yes=yes)
            with progress(label, total, "diagrams") as update:
                found = visited(
                    visit, path, n, dark, order=order, executor=executor, progress=update
                )
        style.show(visit_report(visit, path, n, dark, found))


def check_records(total: int) -> None:
    """Raise `TooLargeError` if there are too many diagrams for one document."""
    if total > MAX_RECORDS:
        raise TooLargeError(
            f"{total:,} diagrams are too many for one JSON or CSV document; "
            "leave out --json and --csv to write them line by line"
        )


def _lines(path: Path, pieces: int, dark_pieces: int | None, total: int) -> Iterator[str]:
    """Yield every diagram in position notation, many lines per text, with a progress bar."""
    from urcx.enumerate.enumerator import diagram_lines

    done = 0
    with progress(f"{path.name}, {counted(pieces, 'piece')}", total, "diagrams") as update:
        for text in diagram_lines(path, pieces, dark_pieces):
            yield text
            done += text.count("\n")
            update(done)


@opt.command(wide=True, more=("bfile",))
def reach(
    *,
    context: typer.Context,
    game: opt.Game,
    samples: Annotated[
        int | None,
        option(
            "--samples",
            "Sample this many states instead, from 1, with a backward search from each.",
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Search all states reachable from the start, by depth.

    urcx reach --rules finkel -p 3

    urcx reach --rules murray --samples 100
    """
    if samples is None:
        opt.refuse(context, "needs --samples", "seed", "scheduler")
    else:
        opt.refuse(context, "cannot be combined with --samples", "threads", "bfile")
        catalogue.seed(seed)
    from urcx.enumerate import costs
    from urcx.enumerate import reach as search
    from urcx.enumerate import reach_sampling as sampling

    if samples is None:
        agree(costs.searching(game, threads), yes=yes)
    found: Any
    with stages() as stage, elsewhere(scheduler) as executor:
        if samples is None:
            found = search.reach(game, threads=threads, stage=stage)
        else:
            agree(*spread(executor, costs.searching_back(game, samples), threads=1), yes=yes)
            found = sampling.estimate(game, samples, seed, executor=executor, stage=stage)
    style.show(found.report())


@opt.command(wide=True, more=("bfile",))
def perft(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    depth: Annotated[int, option("--depth -d", "Plies to count, from 1 to 200.")] = 8,
    divide: Annotated[bool, option("--divide", "Count under each first roll and move.")] = False,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Count the game tree exactly: nodes and positions by depth.

    A ply is one roll, a 0 included, with each legal move, or the pass, as one branch.

    urcx perft --rules finkel --depth 10
    """
    import urcx
    from urcx.enumerate.perft import cost

    with stages() as stage:
        agree(*cost(game, depth, divide), yes=yes)
        result = urcx.perft(game, depth, position, divide=divide, stage=stage)
    style.show_result(result)

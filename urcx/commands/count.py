"""The commands that count: compare, ssc, forms, paths, enumerate, reach, perft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from itertools import product
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.engine.costs import (
    CLOSED_FORM,
    COUNTED,
    LINE,
    RANKED,
    REACHED,
    REACHED_BY_TILES,
    SEARCHED_BACK,
    SEARCHED_BACK_TWICE,
    VISITED,
    WRITTEN,
    WorkEstimate,
    estimate,
)
from urcx.errors import TooLargeError, UsageError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress, progress_bars

if TYPE_CHECKING:
    from urcx.results.result import Report
    from urcx.rules.load import Catalogue
    from urcx.rules.model import Path, RuleSet

COMPARED = ("paths", "exact", "forms", "errors")
MAX_RECORDS = 5_000_000  # in memory at once for JSON and CSV, about a gigabyte


@opt.command(wide=True)
def compare(
    rules: Annotated[
        list[str] | None,
        argument(
            "RULES",
            "Rule sets, also comma separated (see urcx paths). [default: the only rule set "
            "of --path-file, or finkel]",
            opt.rule_set_names,
            several=True,
        ),
    ] = None,
    pieces: Annotated[
        str | None,
        option(
            "--pieces -p",
            "Pieces per side, from 1 to 255: 7, 3..5 or 1,3,5. [default: as in each rule set]",
        ),
    ] = None,
    games: Annotated[
        int,
        option("--games -g", "Games to play of each larger rule set, from 2 to 100,000,000."),
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

    The numbers of small rule sets are exact. The numbers of larger rule sets are estimated from
    games: of optimal play if the rule set is solved, otherwise of the agent greedy.

    urcx compare finkel blitz masters -p 1..2

    urcx compare finkel kwan --games 500 --plot compare.svg
    """
    from urcx.commands import parsing
    from urcx.expectations import compare as comparison

    chosen = parsing.compared_rules(rules or (), path_file, pieces)
    confirm_long_run(*_comparing(chosen, games, threads), yes=yes)
    with progress_bars() as stage:
        result = comparison.compare(chosen, games=games, seed=seed, threads=threads, stage=stage)
    style.show_result(result, plot)


def _comparing(rules: Iterable[RuleSet], games: int, threads: int | None) -> list[WorkEstimate]:
    """Estimate a comparison: exact means of small rule sets, games of larger ones."""
    from urcx.agents.agents import agent
    from urcx.agents.policies import Policies
    from urcx.commands.estimates import following, judging, playing
    from urcx.enumerate.rankings.ranking import layer_obstacle
    from urcx.expectations.choices import ALL_STATES
    from urcx.expectations.compare import GREEDY, compared_player
    from urcx.solving.files.kept import can_be_solved

    work: list[WorkEstimate] = []
    for rule in rules:
        pair = (compared_player(rule),) * 2
        if can_be_solved(rule):
            work += following(Policies(rule, ALL_STATES, threads=threads), [pair])
            if not layer_obstacle(rule):
                work += judging(rule, [agent(GREEDY)], "self", None, threads)
        else:
            work += playing(Policies(rule, games, threads=threads), [pair], games)
    return work


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
            "Visit every configuration, or none. [default: visit row by row, up to 2e10 in total]",
        ),
    ] = None,
    form: Annotated[
        str | None,
        option(
            "--form",
            "Closed forms to show, comma separated, or all. JSON and CSV have all. [default: all, "
            "with --latex the correct ones]",
            "urcx.complexity.forms:FORMS",
            several=True,
        ),
    ] = None,
    game: Annotated[
        str | None,
        option(
            "--game",
            "Count the states of other games instead, comma separated, or all. -p: pieces per side "
            "of one game. --enumerate: visit a small version of its board.",
            "urcx.complexity.board_games:boards",
            several=True,
        ),
    ] = None,
    symbolic: Annotated[
        bool, option("--symbolic", "With --game: compute each number again by sympy.")
    ] = False,
    plot: opt.Plot = None,
    compare: Annotated[
        str | None,
        option(
            "--compare",
            "errors: print the error of each form instead of its value. With --plot: paths (with "
            "the published curves), exact (for print) or forms (relative errors). [default: the "
            "values, and for --plot paths, or exact if there are several paths]",
            COMPARED,
        ),
    ] = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Count the states by every closed form, and by visiting each one.

    A state here is a configuration: an arrangement of both players' pieces, without a side to move.
    --wide adds upper bounds, branches and the speed of the visit. urcx forms prints the closed
    forms themselves.

    urcx ssc bell -p 1..15

    urcx ssc -p 7 --compare errors

    urcx ssc --path all -p 7 --no-enumerate

    urcx ssc --game all
    """
    import urcx
    from urcx.commands import parsing

    if game is not None:
        visits = bool(enumerate_)
        _other_games(
            context, game, pieces, symbolic=symbolic, visits=visits, style=style, plot=plot
        )
        return
    opt.reject_options(context, "needs --game", "symbolic")
    from urcx.complexity import forms, tiles
    from urcx.enumerate.enumerator import check_pieces, layout
    from urcx.enumerate.state_space import sequence

    if enumerate_ is False:
        opt.reject_options(context, "cannot be combined with --no-enumerate", "scheduler")
    numbers = parsing.parse_range(pieces, "--pieces")
    dark = parsing.dark_number(dark_pieces)
    paths = parsing.chosen_paths(parsing.named_path(words, path), path_file)
    names = forms.chosen_forms(form, right=style.form == "latex")
    if compare is not None and compare not in COMPARED:
        raise UsageError(f"--compare {compare!r}: must be {', '.join(COMPARED[:-1])} or errors")
    if compare == "forms" and plot is None:
        raise UsageError("--compare forms needs --plot")
    if plot is not None and dark is not None:
        raise UsageError("--plot needs equal numbers of pieces: leave out --dark-pieces")
    work = estimate(
        f"{len(paths) * len(numbers):,} rows of closed forms",
        (len(paths) * sum(numbers), CLOSED_FORM),
        advice="take fewer numbers with -p",
    )
    confirm_long_run(work, yes=yes)
    if style.form == "bfile":
        _check_sequence(context, paths)
        style.show(sequence(paths[0], max(numbers)))
        return
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        if enumerate_:
            for item, n in product(paths, numbers):
                layout(item)
                check_pieces(n, dark)
            total = sum(tiles.diagrams(item, n, dark) for item, n in product(paths, numbers))
            confirm_long_run(visiting(total, "the paths", executor), yes=yes)
        result = urcx.ssc(
            paths, numbers, dark, enumerate=enumerate_, executor=executor, stage=stage
        )
    if plot is not None:
        from urcx.reports.figures import plots

        plots.save(plots.spaces_figure(result, None if compare == "errors" else compare), plot)
    errors = compare == "errors"
    style.show_result(replace(result, names=names, errors=errors))


def _other_games(
    context: typer.Context,
    game: str,
    pieces: str,
    *,
    symbolic: bool,
    visits: bool,
    style: Style,
    plot: FilePath | None,
) -> None:
    """Show the state spaces of other games."""
    import urcx
    from urcx.commands import parsing
    from urcx.enumerate.board_spaces import chosen_boards

    why = "cannot be combined with --game"
    if context.params["words"]:
        raise UsageError(f"a path {why}")
    others = ("path", "dark_pieces", "path_file", "form", "compare", "scheduler")
    opt.reject_options(context, why, *others)
    if style.form == "bfile":
        raise UsageError(f"--bfile {why}")
    boards, numbers = chosen_boards(game), None
    source = context.get_parameter_source("pieces")
    if source is not None and source.name == "COMMANDLINE":
        numbers = parsing.parse_range(pieces, "--pieces")
        if len(boards) > 1:
            raise UsageError(f"--pieces needs a single game, not {len(boards)}")
        for number in numbers:
            boards[0].check(number, "--pieces")
    with progress_bars() as stage:
        result = urcx.board_games(game, numbers, symbolic=symbolic, enumerate=visits, stage=stage)
    style.show_result(result, plot)


def _check_sequence(context: typer.Context, paths: list[Path]) -> None:
    why = "cannot be combined with --bfile, which lists the counts of one path from 0 pieces"
    opt.reject_options(context, why, "dark_pieces", "enumerate_", "plot", "scheduler", "form")
    if len(paths) > 1:
        raise UsageError(f"--bfile takes one path, not {len(paths)}")


@opt.command(more=("latex",))
def forms(
    words: opt.PathWords = None,
    path: opt.PathNames = None,
    path_file: opt.PathFile = None,
    form: Annotated[
        str | None,
        option(
            "--form",
            "Closed forms to show, comma separated, or all. JSON and CSV have all. [default: the "
            "exact ones, with --latex the correct ones]",
            "urcx.complexity.forms:FORMS",
            several=True,
        ),
    ] = None,
    *,
    style: Style,
) -> None:
    """Print the closed forms as expressions, and prove them equal.

    The expressions hold for all numbers of pieces: polynomials, and the generating function of the
    counts.

    urcx forms bell

    urcx forms bell,masters
    """
    import urcx
    from urcx.commands import parsing
    from urcx.complexity.forms import chosen_forms

    latex = style.form == "latex"
    names = chosen_forms(form, right=latex, exact=not latex)
    paths = parsing.chosen_paths(parsing.named_path(words, path), path_file)
    style.show_result(urcx.forms(paths, names))


def visiting(diagrams: int, path: str, executor: Executor | None = None) -> WorkEstimate:
    """Estimate visits of ``diagrams`` configurations, on all cores or by an executor."""
    what = f"visiting {diagrams:,} configurations of {path}"
    parts = diagrams, VISITED
    return estimate(what, parts, threads=None, executor=executor, advice="take fewer pieces")


def path_and_rule_names() -> list[str]:
    """Return the names of the built-in paths and rule sets, which can both be drawn."""
    from urcx.rules import catalogue

    return [*catalogue.path_names(), *opt.rule_set_names()]


@opt.command(wide=True)
def paths(
    name: Annotated[
        str | None,
        argument("NAME", "Path or rule set to draw. [default: list them all]", path_and_rule_names),
    ] = None,
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """List paths, rule sets and dice, or draw a path on its board.

    urcx paths

    urcx paths murray

    urcx paths blitz
    """
    from urcx.reports.figures import board
    from urcx.rules import catalogue

    entries = catalogue.catalogue()
    own: tuple[str, ...] = ()
    if name is not None:
        file, name = catalogue.split_file_name(name)
        path_file = FilePath(file) if file else path_file
    if path_file is not None:
        entries, own = catalogue.read_catalogue_file(path_file)
    if name is not None:
        style.show(_drawing(name, entries))
        return
    listed = {item.name: item for item in entries.paths.values()}
    rules = {item.name: item for item in entries.rules.values()}
    style.show(
        board.catalogue_report(
            list(listed.values()), list(rules.values()), list(entries.dice.values()), own
        )
    )


def _drawing(name: str, entries: Catalogue) -> Report:
    """Return the drawing of a path with the rule sets played on it, or of a rule set's path."""
    from urcx.reports.figures import board
    from urcx.rules import catalogue

    if name in entries.rules and (name not in entries.paths or entries.paths[name].name != name):
        chosen = entries.rules[name]
        return board.path_report(chosen.path, [chosen])
    if name in entries.dice and name not in entries.paths:
        raise UsageError(f"{name} are dice, not a path. Try: urcx dice --dice {name}")
    path = catalogue.lookup("path", entries.paths, name)
    rules = {item.name: item for item in entries.rules.values()}
    return board.path_report(path, [item for item in rules.values() if item.path == path])


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
            "Action for each configuration: write it, count it, count its branches, add it to "
            "a checksum, or check its ranks (write, count, branches, checksum, ranks).",
            "urcx.enumerate.visitors:VISITORS",
        ),
    ] = "write",
    order: opt.Order = "tiles",
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Visit every configuration: list or count them, or check ranks.

    A configuration is an arrangement of both players' pieces, without a side to move.

    urcx enumerate --path bell -p 1

    urcx enumerate --path bell -p 7 --visit count
    """
    from urcx.commands import parsing
    from urcx.complexity import tiles
    from urcx.enumerate import enumerator
    from urcx.enumerate.enumerator import check_pieces, layout
    from urcx.enumerate.visitors import VISITORS, list_report, visited
    from urcx.enumerate.visitors import visit as visit_all
    from urcx.results.numbers import count_text

    n, dark = parsing.parse_single(pieces, "--pieces"), parsing.dark_number(dark_pieces)
    if visit not in VISITORS:
        raise UsageError(f"--visit {visit!r}: must be one of {', '.join(VISITORS)}")
    if visit != "ranks":
        opt.reject_options(context, "needs --visit ranks", "order")
    if visit in ("write", "ranks"):
        opt.reject_options(context, "needs --visit count, branches or checksum", "scheduler")
    layout(path)
    check_pieces(n, dark)
    total = tiles.diagrams(path, n, dark)
    if visit == "write":
        if style.form != "table":
            check_records(total)
        work = estimate(
            f"writing {total:,} configurations of {path.name}",
            (total, WRITTEN),
            (total if style.file else 0, LINE),
            advice="take fewer pieces with -p, or --visit count",
        )
        confirm_long_run(work, yes=yes)
    elif visit == "ranks":
        what = f"ranking {total:,} configurations of {path.name}"
        confirm_long_run(
            estimate(what, (total, RANKED), advice="take fewer pieces with -p"), yes=yes
        )
    if visit == "write" and style.form == "table":
        style.write(_lines(path, n, dark, total))
    elif visit == "write":
        diagrams = enumerator.diagrams(path, n, dark)
        style.show(list_report(path, n, dark, diagrams))
    else:
        label = f"{path.name}, {count_text(n, 'piece')}"
        with opt.open_executor(scheduler) as executor:
            if visit != "ranks":
                confirm_long_run(visiting(total, path.name, executor), yes=yes)
            with progress(label, total, "configurations") as update:
                result = visit_all(
                    visit, path, n, dark, order=order, executor=executor, progress=update
                )
        style.show(visited(visit, path, n, dark, result))


def check_records(total: int) -> None:
    """Raise `TooLargeError` if there are too many configurations for one document."""
    if total > MAX_RECORDS:
        raise TooLargeError(
            f"{total:,} configurations are too many for one JSON or CSV document. "
            "Leave out --json and --csv to write them line by line"
        )


def _lines(path: Path, pieces: int, dark_pieces: int | None, total: int) -> Iterator[str]:
    """Yield every configuration in position notation, many lines at once, with a progress bar."""
    from urcx.enumerate.enumerator import diagram_lines
    from urcx.results.numbers import count_text

    done = 0
    with progress(f"{path.name}, {count_text(pieces, 'piece')}", total, "configurations") as update:
        for text in diagram_lines(path, pieces, dark_pieces):
            yield text
            done += text.count("\n")
            update(done)


def searching(rules: RuleSet, threads: int | None) -> WorkEstimate:
    """Estimate a search of all states reachable from the start."""
    from urcx.complexity import tiles
    from urcx.enumerate.rankings.ranking import layer_obstacle

    counts = tiles.conventions(rules.path, rules.pieces)
    size = counts["diagrams" if rules.path.symmetric else "positions"]
    return estimate(
        f"searching {size:,} states of {rules.name}",
        (size, REACHED_BY_TILES if layer_obstacle(rules) else REACHED),
        threads=threads,
        advice="take fewer pieces (-p), or --samples",
    )


@opt.command(wide=True, more=("bfile",))
def reach(
    *,
    context: typer.Context,
    game: opt.Game,
    samples: Annotated[
        int | None,
        option(
            "--samples",
            "Sample this many states instead, from 1, and search backwards from each.",
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Find all states reachable from the start, by depth.

    For larger rule sets, --samples estimates the share of reachable states.

    urcx reach --rules finkel -p 3

    urcx reach --rules murray --samples 100
    """
    from urcx.rules import catalogue

    if samples is None:
        opt.reject_options(context, "needs --samples", "seed", "scheduler")
    else:
        opt.reject_options(context, "cannot be combined with --samples", "threads", "bfile")
        catalogue.as_seed(seed)
    from urcx.enumerate import reach as search
    from urcx.enumerate import reach_sampling as sampling

    if samples is None:
        confirm_long_run(searching(game, threads), yes=yes)
    result: Any
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        if samples is None:
            result = search.reach(game, threads=threads, stage=stage)
        else:
            work = estimate(
                f"searching back from {samples:,} states of {game.name}",
                (samples, SEARCHED_BACK if game.path.crossed_once else SEARCHED_BACK_TWICE),
                executor=executor,
                advice="take fewer --samples",
            )
            confirm_long_run(work, yes=yes)
            result = sampling.estimate(game, samples, seed, executor=executor, stage=stage)
    style.show(result)


@opt.command(wide=True, more=("bfile",))
def perft(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    depth: Annotated[int, option("--depth -d", "Plies to count, from 1 to 200.")] = 8,
    divide: Annotated[
        bool, option("--divide", "List the counts below each first roll and move.")
    ] = False,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Count the game tree exactly: nodes and positions by depth.

    A ply is one roll with the move or the pass that answers it. Each roll (0 too) with each legal
    move, or with the pass, is a branch.

    urcx perft --rules finkel --depth 10

    urcx perft start --depth 4 --divide
    """
    import urcx
    from urcx.complexity import tiles
    from urcx.enumerate.perft import MAX_POSITIONS, bytes_a_position, check_depth

    check_depth(depth)
    most = min(2 * tiles.diagrams(game.path, game.pieces), MAX_POSITIONS)
    # The number of positions grows by a factor with each ply, up to the middle of the game.
    positions = [min(3.2**k, most) for k in range(1, depth + 1)]
    work = estimate(
        f"counting {depth} plies of {game.name}",
        (sum(positions) * (2 if divide else 1), COUNTED),
        memory=positions[-1] * bytes_a_position(game, depth),
        advice="take a lower --depth",
    )
    confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        result = urcx.perft(game, depth, position, divide=divide, stage=stage)
    style.show_result(result)

"""The commands verify, report, cite and cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.engine.costs import REPORT, WorkEstimate, estimate
from urcx.errors import UnknownNameError, UrcxError, UsageError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import progress, progress_bars
from urcx.results.numbers import count_text

if TYPE_CHECKING:
    from urcx.rules.model import RuleSet

CACHED = ("kernels", "levels", "solved")


def _verdict_names() -> dict[str, str]:
    """Return the verdicts by their names on the command line."""
    from urcx.published.figures import VERDICTS
    from urcx.published.verify import SHORT

    names = {name.replace(" ", "-"): name for name in VERDICTS}
    return names | {short.replace(" ", "-"): name for name, short in SHORT.items()}


def _verdicts(requested: list[str] | None) -> tuple[str, ...]:
    """Return the requested verdicts in their usual order, by default all."""
    verdicts = _verdict_names()
    names = [part.strip().replace(" ", "-") for text in requested or () for part in text.split(",")]
    for name in names:
        if name not in verdicts:
            raise UnknownNameError("verdict", name, verdicts)
    chosen = {verdicts[name] for name in names}
    return tuple(
        full for full in dict.fromkeys(verdicts.values()) if not requested or full in chosen
    )


@opt.command()
def verify(
    source: Annotated[
        str | None,
        option(
            "--source",
            "Only figures of this source: post, michon, raposo-lamont, kwan-hartemink, "
            "lamont-olieslagers, kwan-notebooks, heled, tdur, olieslagers, mascolini, ludii, "
            "urcoach, royalur-analysis, cote, royalur, malhotra-malik, downey, kjellerstrand, "
            "gameofur-report, game-royalur, royalur-site, rgou, casper-guo, timkaiser. "
            "[default: all]",
            "urcx.published.figures:FILES",
        ),
    ] = None,
    verdict: Annotated[
        list[str] | None,
        option(
            "--verdict",
            "Only figures with these verdicts, comma separated or repeated: holds, "
            "holds-in-another-reading, inconsistent-within-the-source, does-not-hold, undecided, "
            "no-claim. [default: all]",
            _verdict_names,
            several=True,
        ),
    ] = None,
    every: Annotated[
        bool, option("--all", "List all figures with explanations, not only figures that fail.")
    ] = False,
    summary: Annotated[
        bool, option("--summary", "Print only the number of figures with each verdict.")
    ] = False,
    tablebase: Annotated[
        list[FilePath] | None,
        option(
            "--tablebase",
            "Compute recorded figures of this solved game again, which takes minutes. Repeatable.",
            metavar="FILE",
        ),
    ] = None,
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Check the published figures: which hold, which do not, and why.

    Each figure is computed and compared with the printed one. Figures that need a solved game of
    seven pieces have recorded values. The exit code is 1 if a verdict differs from the recorded
    verdict.

    urcx verify --source raposo-lamont --all

    urcx verify --verdict does-not-hold

    urcx verify --source heled --tablebase finkel.urcx
    """
    from urcx.published.figures import sources
    from urcx.published.verify import Verdicts, recomputed_figures
    from urcx.published.verify import verify as judge

    only = _verdicts(verdict)
    if tablebase:
        again = recomputed_figures(source, tablebase)
        values = [(figure.quantity, rules, file, figure.params) for figure, rules, file in again]
        confirm_long_run(*_computing_again(values), yes=yes)
    total = sum(len(figures) for item, figures in sources() if source in (None, item.name))
    with progress("figures", total, "figures") as update:
        verdicts = judge(source, update, tablebases=tablebase or ())
    style = replace(style, wide=every or bool(verdict), remedy="add --all")
    style.show(Verdicts(verdicts, only=only, summary=summary))
    if verdicts.changed:
        note(f"{count_text(verdicts.changed, 'verdict')} changed since they were recorded")
        raise typer.Exit(1)


def _computing_again(
    figures: Iterable[tuple[str, RuleSet, FilePath, dict[str, Any]]],
) -> list[WorkEstimate]:
    """Estimate the computation of recorded values.

    ``figures`` has the quantity, rule set, tablebase and parameters of each. A computation that
    several figures share is counted once.
    """
    from urcx.agents.agents import agent
    from urcx.agents.policies import Policies
    from urcx.commands.count import searching
    from urcx.commands.estimates import following, judging, playing
    from urcx.expectations.choices import ALL_STATES
    from urcx.expectations.losses import with_tablebase
    from urcx.published.quantities.games import GAMES

    estimates: dict[Any, list[WorkEstimate]] = {}
    for quantity, rules, file, params in figures:
        ready, perfect = Policies(rules, ALL_STATES), with_tablebase(agent("optimal"), file)
        pair = perfect, perfect
        if quantity == "share":
            first, other = sorted((params["agent"], params["opponent"]))
            pair = with_tablebase(agent(first), file), with_tablebase(agent(other), file)
        key = quantity, rules, file, pair
        if key in estimates or quantity in ("opening", "move-chance", "centre-worth"):
            continue
        if quantity in ("reach", "arrivals"):
            search = searching(rules, None)
            # A search by the moves of optimal play takes longer.
            longer = 4.0 if quantity == "arrivals" else 1.0
            estimates[key] = [replace(search, seconds=longer * search.seconds)]
        elif quantity == "regret-factor":
            estimates[key] = playing(ready, [pair], GAMES)
        elif quantity == "share" and perfect not in pair:
            estimates[key] = following(ready, [pair])
        else:
            estimates[key] = judging(rules, [pair[0]], pair[1], file, None)
    return [item for several in estimates.values() for item in several]


def report(
    output: Annotated[
        FilePath,
        option("--output -o", "Directory to write. An earlier report there is replaced."),
    ] = FilePath("report"),
    quick: Annotated[
        bool,
        option("--quick", "Play fewer games with fewer pieces, in less than half the time."),
    ] = False,
    tablebase: Annotated[
        list[FilePath] | None,
        option(
            "--tablebase",
            "Tablebase to use in addition to the saved solutions. Repeatable.",
            metavar="FILE",
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
) -> None:
    """Write a report of at most ten pages: tables, figures and verdicts.

    The report uses all saved solutions and begins with the largest solved rule set. The directory
    contains index.html, which needs no other file. It also has each figure as SVG and PNG, each
    result as CSV and JSON (all verdicts are in tables/verify.csv), and the parameters in
    report.json.

    urcx report -o report/

    urcx report --quick --tablebase finkel.urcx
    """
    from urcx.engine.compiling import compute_clock
    from urcx.engine.threads import chosen_threads
    from urcx.reports import page
    from urcx.reports.directory import check_directory
    from urcx.rules import catalogue

    catalogue.as_seed(seed)
    check_directory(output)
    plan = page.plan(
        quick=quick, tablebases=tablebase or (), seed=seed, threads=chosen_threads(threads)
    )
    work = estimate("the report", (1, REPORT[quick]), threads=threads, advice="take --quick")
    confirm_long_run(work, yes=yes)
    start = compute_clock()
    with progress_bars() as stage:
        page.write_report(page.build(plan, stage), output, stage)
    note(f"wrote {output / page.PAGE} in {compute_clock() - start:.0f} s")


@opt.command()
def cite(
    names: Annotated[
        list[str] | None,
        argument(
            "NAME",
            "Keys of the bibliography, conventions of urcx gtc, or closed forms of urcx ssc. "
            "[default: all]",
            "urcx.published.figures:keys",
            several=True,
        ),
    ] = None,
    *,
    style: Style,
) -> None:
    """Print references in BibTeX: urcx, sources, conventions, forms.

    urcx cite

    urcx cite urcx

    urcx cite allis michon
    """
    from urcx.published.figures import References, cited

    style.show(References(cited(names or ())))


@opt.command(wide=True)
def cache(
    only: Annotated[
        str | None,
        option(
            "--only",
            "List, or clear, one kind: kernels (compiled code), levels (value tables of agents "
            "that look ahead) or solved (solutions). [default: all]",
            CACHED,
        ),
    ] = None,
    clear: Annotated[
        bool,
        option(
            "--clear",
            "Remove the listed files. Without --only, this includes solutions, which take minutes "
            "to compute again. Other files are made again when they are needed.",
        ),
    ] = False,
    *,
    style: Style,
) -> None:
    """List or clear cached kernels and value tables, and saved solutions.

    Solutions are in your data directory, everything else in your cache directory. You can set other
    directories with the environment variables URCX_DATA_DIR and URCX_CACHE_DIR. --only and --wide
    list each entry.

    urcx cache

    urcx cache --only solved

    urcx cache --only levels --clear
    """
    from urcx.engine.files import cache as files

    if only is not None and only not in CACHED:
        raise UsageError(f"--only {only!r}: must be one of {', '.join(CACHED)}")
    listed = [
        entry for entry in (*files.entries(), *files.solved_entries()) if only in (None, entry.kind)
    ]
    failed = 0
    if clear:
        for entry in listed:
            files.remove(entry)
        failed = sum(file.exists() for entry in listed for file in entry.files)
    root, solved = files.usable_root(), files.solved_directory()
    style.show(files.Listing(root, solved, only, clear, listed))
    if failed:
        raise UrcxError(f"cannot remove {count_text(failed, 'file')} from {root} and {solved}")

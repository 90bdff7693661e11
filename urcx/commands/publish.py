"""The commands that publish, verify, report and cite, and cache."""

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

if TYPE_CHECKING:
    from urcx.rules.model import RuleSet

CACHED = ("kernels", "levels", "solved")


def _known_verdicts() -> dict[str, str]:
    """Return the verdicts by their names on the command line."""
    from urcx.published.figures import VERDICTS

    return {name.replace(" ", "-"): name for name in VERDICTS}


def _verdicts(requested: list[str] | None) -> tuple[str, ...]:
    """Return the requested verdicts in their usual order, by default all."""
    known = _known_verdicts()
    names = [part.strip().replace(" ", "-") for text in requested or () for part in text.split(",")]
    for name in names:
        if name not in known:
            raise UnknownNameError("verdict", name, known)
    return tuple(full for name, full in known.items() if not requested or name in names)


@opt.command()
def verify(
    source: Annotated[
        str | None,
        option(
            "--source",
            "Only this source: post, michon, raposo-lamont, kwan-hartemink, lamont-olieslagers, "
            "heled, tdur, olieslagers, mascolini, ludii, urcoach, cote, royalur, malhotra-malik. "
            "[default: all]",
            "urcx.published.figures:FILES",
        ),
    ] = None,
    verdict: Annotated[
        list[str] | None,
        option(
            "--verdict",
            "Only figures of this verdict: holds, holds-in-another-reading, "
            "inconsistent-within-the-source, does-not-hold, undecided, no-claim. Several: again, "
            "or comma separated. [default: all]",
            _known_verdicts,
            several=True,
        ),
    ] = None,
    every: Annotated[
        bool, option("--all", "All figures with their explanations, not only those that fail.")
    ] = False,
    summary: Annotated[
        bool, option("--summary", "Only the number of figures with each verdict.")
    ] = False,
    tablebase: Annotated[
        list[FilePath] | None,
        option(
            "--tablebase",
            "A solved game whose recorded figures are computed again, in minutes; repeatable.",
            metavar="FILE",
        ),
    ] = None,
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Check the published figures: which hold, which do not, and why.

    urcx verify --source raposo-lamont --all

    urcx verify --verdict does-not-hold

    urcx verify --source heled --tablebase finkel.urcx

    Ends with 1 if a verdict differs from the recorded one.
    """
    from urcx.published.figures import sources
    from urcx.published.verify import Verdicts, recomputed_figures
    from urcx.published.verify import verify as judge

    only = _verdicts(verdict)
    if tablebase:
        again = recomputed_figures(source, tablebase)
        asked = [(figure.quantity, rules, file, figure.params) for figure, rules, file in again]
        confirm_long_run(*_computing_again(asked), yes=yes)
    total = sum(len(figures) for item, figures in sources() if source in (None, item.name))
    with progress("figures", total, "figures") as update:
        found = judge(source, update, tablebases=tablebase or ())
    style = replace(style, wide=every or bool(verdict), remedy="add --all")
    style.show(Verdicts(found, only=only, summary=summary))
    if found.changed:
        note(f"{found.changed} verdicts differ from the recorded ones")
        raise typer.Exit(1)


def _computing_again(
    figures: Iterable[tuple[str, RuleSet, FilePath, dict[str, Any]]],
) -> list[WorkEstimate]:
    """Estimate recorded values to be computed again: quantity, game, tablebase, parameters.

    Figures that rest on the same computation are counted once.
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
            # By the moves of optimal play alone, a search takes longer.
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
        option("--output -o", "Directory to write; an earlier report is replaced."),
    ] = FilePath("report"),
    quick: Annotated[
        bool,
        option("--quick", "Less than half the time: fewer games and pieces."),
    ] = False,
    tablebase: Annotated[
        list[FilePath] | None,
        option(
            "--tablebase",
            "A solved game to use, besides those that urcx solve has saved; repeatable.",
            metavar="FILE",
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
) -> None:
    """Write one page of at most ten sheets: tables, figures and verdicts.

    All saved solutions are used, and the biggest solved rule set stands in front. The directory
    contains index.html, which needs no other file, each figure as SVG and PNG, each result as CSV
    and JSON (all verdicts are in tables/verify.csv), and report.json with the parameters.

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
    began = compute_clock()
    with progress_bars() as stage:
        page.write_report(page.build(plan, stage), output, stage)
    note(f"wrote {output / page.PAGE}: {compute_clock() - began:.0f} s")


@opt.command()
def cite(
    names: Annotated[
        list[str] | None,
        argument(
            "NAME",
            "Keys of the bibliography, conventions of gtc or forms of ssc. [default: all]",
            "urcx.published.figures:keys",
            several=True,
        ),
    ] = None,
    *,
    style: Style,
) -> None:
    """Print references in BibTeX: urcx, sources, conventions, forms.

    urcx cite urcx

    urcx cite allis
    """
    from urcx.published.figures import References, cited

    style.show(References(cited(names or ())))


@opt.command(wide=True)
def cache(
    only: Annotated[
        str | None,
        option(
            "--only",
            "List one kind, and with --clear remove no other: kernels (compiled code), levels "
            "(tables of agents that look ahead), or solved (games). [default: all]",
            CACHED,
        ),
    ] = None,
    clear: Annotated[
        bool,
        option(
            "--clear",
            "Remove what is listed: without --only solved games too, which take minutes to solve "
            "again; the rest is made anew when it is needed.",
        ),
    ] = False,
    *,
    style: Style,
) -> None:
    """List and clear what is kept: kernels, levels, solved games.

    URCX_CACHE_DIR puts the cache elsewhere. Solved games are in your data directory, or in that of
    URCX_DATA_DIR.

    urcx cache

    urcx cache --only solved

    urcx cache --only levels --clear
    """
    from urcx.engine.files import cache as kept

    if only is not None and only not in CACHED:
        raise UsageError(f"--only {only!r}: must be one of {', '.join(CACHED)}")
    listed = [
        entry for entry in (*kept.entries(), *kept.solved_entries()) if only in (None, entry.kind)
    ]
    failed = 0
    if clear:
        for entry in listed:
            kept.remove(entry)
        failed = sum(file.exists() for entry in listed for file in entry.files)
    root, solved = kept.usable_root(), kept.solved_directory()
    style.show(kept.Listing(root, solved, only, clear, listed))
    if failed:
        raise UrcxError(f"{failed} files could not be removed from {root} or {solved}")

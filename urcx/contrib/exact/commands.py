"""The command that solves in exact fractions: exact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.errors import UsageError
from urcx.reports.display.output import Style, check_writable, note
from urcx.reports.display.progress import stages
from urcx.reports.display.provenance import provenance


@opt.command(wide=True, file=False)
def exact(
    *,
    position: opt.PositionText = None,
    rules: opt.Game,
    endings: Annotated[
        str | None,
        option(
            "--endings",
            "Only positions with at most this many pieces left on each side, from 1. "
            "[default: all]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        option(
            "--output -o",
            "Write every state's fraction and best moves: a .json or .csv file.",
        ),
    ] = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Solve a small rule set, or endings, in exact fractions.

    The values are proven, and all ties between moves are listed.

    urcx exact --endings 1 13/14/6-6/L
    """
    from urcx.commands import parsing
    from urcx.complexity import tiles
    from urcx.contrib.exact.exact_solution import as_ending, write_states
    from urcx.contrib.exact.rational import SECONDS, check_left, solve_exactly
    from urcx.engine.costs import Cost, estimate
    from urcx.rules.position import as_position

    check_writable(output)
    _check_suffix(output)
    left = None if endings is None else parsing.parse_single(endings, "endings")
    where = None
    if position is not None:
        where = as_position(parsing.position_text(position), rules)
        as_ending(where, rules, rules.pieces if left is None else left)
    checked = check_left(rules, left)
    states = tiles.unfinished(checked.path, checked.pieces)
    work = estimate(
        f"solving {states:,} states of {rules.name} in fractions",
        (states**2, Cost(SECONDS)),
        advice="take fewer pieces with -p or --endings",
    )
    agree(work, yes=yes)
    with stages() as stage:
        solution = solve_exactly(rules, left, stage=stage)
        report = solution.report(where)
        if output is not None:
            write_states(solution, output, stage, provenance())
    if output is not None:
        note(f"wrote {output}")
    style.show(report)


def _check_suffix(output: Path | None) -> None:
    """Refuse a file whose suffix does not match the format to be written."""
    if output is None or (output.exists() and not output.is_file()):
        return  # a pipe or a device has no suffix
    if output.suffix.lower() not in (".json", ".csv"):
        raise UsageError(f"cannot write {output}: exact fractions go to a .json or .csv file")

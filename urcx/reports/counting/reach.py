"""What reach shows."""

from __future__ import annotations

from typing import Any

from urcx.enumerate.reach import KINDS, PLAIN, Estimate, Reach, StateCounts
from urcx.games.statistics import wilson
from urcx.reports.display.output import Report, Table, counted, number


def reach_report(found: Reach) -> Report:
    """Return the report on a search of all states."""
    rows = [
        {
            "depth": level.depth,
            "new": str(level.new),
            "total": str(level.states),
            "terminals": str(level.terminals),
        }
        for level in found.levels
    ]
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "pieces": found.rules.pieces,
        "dice": found.rules.dice.name,
        "convention": found.convention,
        "exactness": "exact",
        "states": str(found.states),
        "terminals": str(found.terminals),
        "closed_form": str(found.closed_form),
        "closed_form_terminals": str(found.closed_form_terminals),
        "unreachable": str(found.unreachable),
        "depth": found.depth,
        "farthest": [str(position) for position in found.farthest],
        "missing": _missing(found),
        "rows": rows,
    }
    lines = [
        ["reachable, unfinished", number(found.states)],
        ["of all unfinished", number(found.closed_form)],
        ["unreachable", number(found.unreachable)],
        ["reachable, finished", number(found.terminals)],
        ["of all finished", number(found.closed_form_terminals)],
        ["most plies from the start", str(found.depth)],
        ["for example", ", ".join(map(str, found.farthest))],
    ]
    title = (
        f"Reachable states of {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side, "
    )
    title += f"{found.rules.dice.name} ({found.convention})"
    levels = [
        [str(level.depth), *(number(n) for n in (level.new, level.states, level.terminals))]
        for level in found.levels
    ]
    notes = [
        "exact; plies are rolls with their moves or passes, the fewest that lead there",
        "finished: the player to move has lost",
    ]
    tables = [
        Table(title, ["<", "<"], lines, notes),
        Table("By depth", ["plies", "new", "in all", "finished"], levels),
    ]
    return Report("urcx.reach/1", data, rows, [*tables, *_missing_tables(found)])


def estimate_report(found: Estimate, seed: int) -> Report:
    """Return the report on states drawn at random."""
    low, high = (
        bound(wilson(hits, found.samples))
        for bound, hits in ((min, found.reached), (max, found.reached + found.undecided))
    )
    share = None if found.undecided else found.reached / found.samples
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "pieces": found.rules.pieces,
        "dice": found.rules.dice.name,
        "convention": found.convention,
        "exactness": "estimate",
        "closed_form": str(found.closed_form),
        "samples": found.samples,
        "seed": seed,
        "reached": found.reached,
        "unreachable": found.unreachable,
        "undecided": found.undecided,
        "share": share,
        "interval": [low, high],
        "states": None if share is None else share * found.closed_form,
        "states_interval": [low * found.closed_form, high * found.closed_form],
    }
    lines = [
        ["unfinished states", number(found.closed_form)],
        ["drawn at random", number(found.samples)],
        ["reachable", number(found.reached)],
        ["unreachable", number(found.unreachable)],
        ["undecided", number(found.undecided)],
        ["share reachable", "-" if share is None else f"{share:.4f}"],
        ["95 % interval", f"{low:.4f} to {high:.4f}"],
        ["states reachable", f"{low * found.closed_form:.4g} to {high * found.closed_form:.4g}"],
    ]
    title = (
        f"Reachable states of {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side, "
    )
    title += f"{found.rules.dice.name} ({found.convention}), estimated"
    notes = [f"seed {seed}; the interval is Wilson's, with the undecided counted both ways"]
    record = {key: value for key, value in data.items() if not key.endswith("interval")}
    record |= {"low": low, "high": high}
    return Report("urcx.reach-estimate/1", data, [record], [Table(title, ["<", "<"], lines, notes)])


def _texts(count: StateCounts) -> dict[str, str]:
    return {
        "states": str(count.states),
        "unreachable": str(count.unreachable),
        "orphans": str(count.orphans),
    }


def _missing(found: Reach) -> dict[str, Any] | None:
    missing = found.missing
    if missing is None:
        return None
    return {
        "orphans": str(missing.orphans),
        "kinds": [
            {"mover_on_rosette": mine, "other": theirs, **_texts(count)}
            for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
        ],
        "home": [
            {"mover": mine, "other": theirs, **_texts(count)}
            for (mine, theirs), count in missing.home.items()
        ],
        "examples": [str(position) for position in missing.examples],
    }


def _missing_tables(found: Reach) -> list[Table]:
    missing = found.missing
    if missing is None:
        return []
    kinds = [
        ["on a rosette" if mine else "on no rosette", theirs, *_cells(count)]
        for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
    ]
    home = [[f"{mine}-{theirs}", *_cells(count)] for (mine, theirs), count in missing.home.items()]
    notes = ["no way: no unfinished state leads there; to the others only unreachable ones lead"]
    stuck = sum(
        count.orphans
        for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
        if not mine and theirs != PLAIN
    )
    if stuck:
        share = f"{number(stuck)} of these {number(missing.orphans)}"
        notes.append(f"in {share} the mover has no piece on a rosette, and the other none off them")
    if 0 not in found.rules.dice.rolls:
        notes.append("these dice never give 0: whoever can move has to")
    notes.append(f"unreachable, for example: {', '.join(map(str, missing.examples))}")
    columns = ["states", "unreachable", "no way"]
    return [
        Table(
            "By where the pieces stand",
            ["<the mover is", "<the other is", *columns],
            kinds,
            notes,
        ),
        Table("By pieces home", ["<mover-other", *columns], home),
    ]


def _cells(count: StateCounts) -> list[str]:
    return [number(n) for n in (count.states, count.unreachable, count.orphans)]

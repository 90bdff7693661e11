"""What ``urcx reach`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from urcx.enumerate.reach import KINDS, PLAIN, Reach
from urcx.enumerate.reach_sampling import SampledReach
from urcx.results.fields import COUNT, DICE, RULES, Field, Fields, Kind, Schema, always, decimals
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Table

# Up to which an estimated number of states is written in full; above, five digits say enough.
WHOLE = 1e7


def _texts(values: Sequence[object]) -> list[str]:
    return list(map(str, values))


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


POSITIONS = Kind(_listed, (("", _texts),))
GAME = (
    RULES
    + DICE
    + Fields(Field("convention", about="how states are told apart: mover-view or positions"))
)
LEVELS = Fields(
    Field("depth", "plies", about="the fewest plies that lead there"),
    Field("new", "new", COUNT, "unfinished states that are reached with so many"),
    Field("total", "in all", COUNT, "unfinished states reached so far", of="states"),
    Field("terminals", "finished", COUNT, "finished states reached so far"),
)
SUMMARY = Fields(
    Field("states", "reachable, unfinished", COUNT, "unfinished states that are reached"),
    Field("terminals", "reachable, finished", COUNT, "finished states that are reached"),
    Field("closed_form", "of all unfinished", COUNT, "all unfinished states"),
    Field("closed_form_terminals", "of all finished", COUNT, "all finished states"),
    Field("unreachable", "unreachable", COUNT, "unfinished states that are not reached"),
    Field("depth", "most plies from the start", about="the most plies that a state takes"),
    Field("farthest", "for example", POSITIONS, "states that take so many"),
)
COUNTS = Fields(
    Field("states", "states", COUNT, "all states of this kind"),
    Field("unreachable", "unreachable", COUNT, "those that are not reached"),
    Field("orphans", "no way", COUNT, "those to which no unfinished state leads"),
)
SORTS = (
    Fields(
        Field(
            "mover_on_rosette",
            about="whether the mover has a piece on a rosette that grants a roll",
        ),
        Field("other", about="where the other's pieces stand"),
    )
    + COUNTS
)
HOMES = (
    Fields(Field("mover", about="the mover's pieces home"), Field("other", about="the other's"))
    + COUNTS
)
REACH = Schema(
    "urcx.reach/1",
    {
        "": GAME
        + Fields(always("exactness", "exact", "all states are searched"))
        + SUMMARY
        + Fields(Field("missing", about="which are not reached, null if that was not found out")),
        "missing": Fields(
            Field("orphans", kind=COUNT, about="states to which no unfinished state leads"),
            Field("examples", kind=POSITIONS, about="states that are not reached"),
        ),
        "missing.kinds": SORTS,
        "missing.home": HOMES,
        "rows": LEVELS,
    },
)
NUMBERS = Fields(
    Field("closed_form", "unfinished states", COUNT, "all unfinished states"),
    Field("samples", "drawn at random", Kind(number), "how many were drawn at random"),
    Field("seed", about="the seed"),
    Field("reached", "reachable", Kind(number), "those that the start leads to"),
    Field("unreachable", "unreachable", Kind(number), "those that it does not lead to"),
    Field("undecided", "undecided", Kind(number), "those of which that was not found out"),
    Field(
        "share",
        "share reachable",
        decimals(4, none="-"),
        "share of those that are reached, null if some are undecided",
        exactness="estimate",
    ),
)
INTERVALS = Fields(
    Field(
        "interval",
        "95 % interval",
        Kind(lambda ends: f"{ends[0]:.4f} to {ends[1]:.4f}"),
        "its 95 % interval, the undecided counted both ways",
    ),
    Field("states", about="the share of all unfinished states", exactness="estimate"),
    Field(
        "states_interval",
        "states reachable",
        Kind(lambda ends: " to ".join(f"{n:,.0f}" if n < WHOLE else f"{n:.5g}" for n in ends)),
        "its 95 % interval",
    ),
)
ESTIMATE = Schema(
    "urcx.reach-estimate/1",
    {"": GAME + Fields(always("exactness", "estimate", "of the share")) + NUMBERS + INTERVALS},
)


def reach_report(found: Reach) -> Report:
    """Return the report on a search of all states."""
    data: dict[str, Any] = {
        **REACH.parts[""].without("missing").record(found),
        "missing": _missing(found),
        "rows": LEVELS.records(found.levels),
    }
    shown = SUMMARY.pick(
        "states",
        "closed_form",
        "unreachable",
        "terminals",
        "closed_form_terminals",
        "depth",
        "farthest",
    )
    notes = [
        "exact; plies: least number from the start, each a roll with its move or pass",
        "finished: the player to move has lost",
    ]
    tables = [
        Table(_title(found), ["<", "<"], shown.lines(found), notes),
        LEVELS.table("By depth", found.levels),
        *_missing_tables(found),
    ]
    return Report(REACH.name, data, data["rows"], tables)


def _title(found: Reach | SampledReach) -> str:
    rules = found.rules
    pieces = counted(rules.pieces, "piece")
    return (
        f"Reachable states of {rules.name}, {pieces} a side, {rules.dice.name} ({found.convention})"
    )


def estimate_report(found: SampledReach, seed: int) -> Report:
    """Return the report on a random sample of states."""
    item = SimpleNamespace(
        **vars(found),
        seed=seed,
        share=found.share,
        interval=found.interval,
        states=found.states,
        states_interval=found.states_interval,
    )
    data = ESTIMATE.data(item)
    lines = NUMBERS.lines(item) + INTERVALS.lines(item)
    notes = [f"seed {seed}; the interval is Wilson's, with the undecided counted both ways"]
    record = {key: value for key, value in data.items() if not key.endswith("interval")}
    record |= dict(zip(("low", "high"), found.interval, strict=True))
    table = Table(f"{_title(found)}, estimated", ["<", "<"], lines, notes)
    return Report(ESTIMATE.name, data, [record], [table])


def _missing(found: Reach) -> dict[str, Any] | None:
    missing = found.missing
    if missing is None:
        return None
    return {
        "orphans": str(missing.orphans),
        "kinds": [
            {"mover_on_rosette": mine, "other": theirs, **COUNTS.record(count)}
            for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
        ],
        "home": [
            {"mover": mine, "other": theirs, **COUNTS.record(count)}
            for (mine, theirs), count in missing.home.items()
        ],
        "examples": [str(position) for position in missing.examples],
    }


def _missing_tables(found: Reach) -> list[Table]:
    missing = found.missing
    if missing is None:
        return []
    kinds = [
        ["on a rosette" if mine else "on no rosette", theirs, *COUNTS.cells(count)]
        for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
    ]
    home = [
        [f"{mine}-{theirs}", *COUNTS.cells(count)] for (mine, theirs), count in missing.home.items()
    ]
    notes = ["no way: no unfinished state leads there; to the others only unreachable ones lead"]
    stuck = sum(
        count.orphans
        for (mine, theirs), count in zip(KINDS, missing.kinds, strict=True)
        if not mine and theirs != PLAIN
    )
    if stuck:
        share = f"{number(stuck)} of these {number(missing.orphans)}"
        notes.append(f"in {share} the mover has no piece on a rosette, and the other none off them")
    if isinstance(found.rules.rosette_grants_roll, frozenset):
        notes.append("a rosette here is one that grants a roll")
    if 0 not in found.rules.dice.rolls:
        notes.append("these dice never give 0: whoever can move has to")
    notes.append(f"unreachable, for example: {', '.join(map(str, missing.examples))}")
    return [
        Table(
            "By where the pieces stand",
            ["<the mover is", "<the other is", *COUNTS.columns],
            kinds,
            notes,
        ),
        Table("By pieces home", ["<mover-other", *COUNTS.columns], home),
    ]

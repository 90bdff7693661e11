"""What ``urcx solve`` shows: a solution, and the check of a tablebase."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

from urcx.engine.compiling import COMPILED
from urcx.engine.memory import size_text
from urcx.errors import printable
from urcx.results.fields import COUNT, TEXT, Field, Fields, Kind, Schema, always, decimals, shown_as
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.solving.checking import Checked
from urcx.solving.closeness import Closeness
from urcx.solving.files.tablebase import Tablebase, at_most
from urcx.solving.layered.order import Layer
from urcx.solving.solution import Solution

BOUND = shown_as(lambda bound: at_most(bound, 3))
LAYERS = Fields(
    Field("light", about="pieces home of who moves", of=lambda row: row.layer[0]),
    Field("dark", about="pieces home of the other", of=lambda row: row.layer[1]),
    Field("states", kind=COUNT, about="its states"),
    Field("sweeps", about="sweeps until values hardly changed"),
    Field("certifying", about="sweeps that bounded them"),
    Field("seconds", about="how long it took"),
    Field("gap", about="widest gap between the bounds", exactness="bound"),
)
FILE_LAYERS = LAYERS.pick("light", "dark", "states")
OFF_BY = "a value is off by at most"
SOLVED = Fields(
    Field("rules", about="name of the rule set", of="solved.rules.name"),
    Field("pieces", about="pieces a side", of="solved.rules.pieces"),
    always("exactness", "bounds", "values are proven from both sides"),
    Field(
        "opening",
        "who begins wins",
        decimals(15),
        "chance of who begins, before the first roll",
        "solved.opening",
    ),
    Field("lower", "at least", decimals(15), "its lower bound", "solved.lower"),
    Field("upper", "at most", decimals(15), "its upper bound", "solved.upper"),
    Field("gap", "widest gap of any state", BOUND, "widest gap of any state", "solved.gap"),
    Field(
        "states",
        "states (mover views, unfinished)",
        COUNT,
        "unfinished states, as mover views",
        "solved.states",
    ),
    Field(
        "sweeps",
        "most sweeps of a layer",
        shown_as(number),
        "most sweeps of a layer",
        "solved.sweeps",
    ),
    Field("updates", kind=COUNT, about="how often a state was renewed", of="solved.updates"),
    Field(
        "updates_per_second",
        "states renewed a second",
        shown_as(lambda rate: f"{rate / 1e6:.1f} M"),
        "the same, a second",
        "solved.updates_per_second",
    ),
    Field("seconds", "seconds", decimals(1), "how long it took", "solved.seconds"),
    *COMPILED,
    Field("peak_memory", "peak memory", Kind(size_text, COUNT.json), "in bytes"),
    Field("resumed_layers", about="layers kept from an earlier run", of="resumed"),
    Field(
        "damaged_layers",
        about="layers of an earlier run that were solved anew",
        of=lambda found: layer_names(found.damaged),
    ),
    Field("file", kind=TEXT, about="name of the file, null without one"),
    Field("file_size", kind=COUNT, about="its size in bytes"),
    Field("store", about="how values are stored", of=lambda f: f.store if f.file else None),
    Field(
        "bound",
        "a value in the file is off by at most",
        BOUND,
        "how far a value in the file is off at most",
        exactness="bound",
    ),
)
SOLVE = Schema("urcx.solve/1", {"": SOLVED, "rows": LAYERS})
GAME = (
    "states",
    "sweeps",
    "seconds",
    "gap",
    "opening",
    "lower",
    "upper",
)  # of the whole game, in CSV


def solution_report(found: Solution) -> Report:
    """Return the report on a solution."""
    solved = found.solved
    data = SOLVE.data(found, rows=solved.layers)
    lines = SOLVED.without("bound").lines(found)
    if found.file is not None and found.bound is not None:
        written = f"{printable(str(found.file))}, {size_text(found.file_size)}"
        lines += [["written", written], *SOLVED.pick("bound").lines(found)]
    title = f"Perfect play of {solved.rules.name}, {counted(solved.rules.pieces, 'piece')} a side"
    notes = ["chances of winning before the first roll; the true value lies between the bounds"]
    game = SOLVED.pick(*GAME).record(found)
    records = [*({**row, "kind": "layer"} for row in data["rows"]), {**game, "kind": "game"}]
    return Report(SOLVE.name, data, records, [Table(title, ["<", "<value"], lines, notes)])


def layer_names(layers: Iterable[Layer]) -> list[str]:
    """Return layers as texts such as ``1-0``."""
    return [f"{i}-{j}" for i, j in layers]


def precision(bound: float | None) -> str:
    """Return the error bound of a file's values, as text."""
    return "unknown" if bound is None else at_most(bound, 3)


def known_digits(value: float, bound: float, most: int = 12) -> str:
    """Return a probability with at most ``most`` decimals, those that its error bound proves."""
    digits = most if bound <= 0.0 else min(most, max(1, math.floor(-math.log10(bound))))
    return f"{value:.{digits}f}"


CHECKED = Fields(
    Field("file", kind=TEXT, about="name of the file", of="base.file"),
    Field("rules", about="name of its rule set", of="base.rules.name"),
    Field("store", about="how values are stored", of="base.store"),
    Field("gap", about="how far values were off before they were stored", of="base.gap"),
    Field(
        "damaged_layers",
        about="layers that are not as they were written",
        of=lambda found: layer_names(found.damaged),
    ),
    Field("residual", about="most that a value changes when computed again"),
    Field("bound", about="how far a value is off at most, null if unknown", exactness="bound"),
    Field(
        "bounded_by",
        about="check if the bound was found now, record if it was recorded",
        of=lambda f: None if f.bound is None else "check" if f.bounded else "record",
    ),
    Field("contradicted", about="whether the bound recorded cannot be true"),
    Field("last_change", about="of an .rgu file: as its maker says", of="claimed"),
)
NEAR = Fields(
    Field("choices", kind=COUNT, about="states and rolls that leave a choice"),
    Field("equal", kind=COUNT, about="those with the best two moves equal"),
    Field(
        "within",
        about="those with less than so much between them",
        of=lambda n: {f"{t:g}": str(k) for t, k in zip(n.tolerances, n.within, strict=True)},
    ),
    Field("closest", about="least difference above 0", of="least"),
    Field("closest_position", kind=TEXT, about="where that is", of="position"),
    Field("closest_roll", about="with which roll", of="roll"),
)
NEAR_KEYS = [key for one in NEAR for key in one.keys]
PROOF = Field("proof", about="file with the bound that was found")
CHECK = Schema("urcx.check/1", {"": Fields(*CHECKED, PROOF, *NEAR)})


def check_report(found: Checked, near: Closeness | None, proof: Path | None) -> Report:
    """Return the report on a tablebase's check, and on the action gaps in it.

    ``near`` is None if the file is damaged; ``proof`` is the file to which a bound was written.
    """
    base, claimed = found.base, found.claimed
    damaged = layer_names(found.damaged)
    data = CHECKED.record(found)
    data["proof"] = None if proof is None else str(proof)
    data |= dict.fromkeys(NEAR_KEYS) if near is None else NEAR.record(near)
    lines = _recorded(base)
    if claimed is not None:
        lines.append(["last change, as its maker says", f"{claimed:.2e}"])
    notes = []
    if damaged:
        every = len(damaged) >= len(base.order.layers) > 1
        lines.append(
            ["damaged layers", "all, or it is not known which" if every else ", ".join(damaged)]
        )
        notes.append("damaged values are not looked at any further")
    else:
        lines += _sound(found, near)
        notes += [
            "residual: the most that a chance changes when computed again from the others, once",
            (
                "moves are compared as stored: in f32, u16, percent16 some are equal that are not "
                "in truth"
            ),
        ]
        if found.bound is not None:
            apart = at_most(2.0 * found.bound)
            notes.append(f"moves that differ by less than {apart} may in truth lie the other way")
    if found.contradicted:
        notes.append("what is recorded cannot be true: values off by so little change by less")
    if found.why:
        notes.append(f"unknown, since {printable(found.why)}")
    if proof is not None:
        notes.append(f"the bound is written down in {printable(proof.name)}")
    title = printable(str(base.file))
    return Report(CHECK.name, data, [data], [Table(title, ["<", "<"], lines, notes)])


def _recorded(base: Tablebase) -> list[list[str]]:
    """Return what a file says of itself."""
    return [
        ["rules", f"{base.rules.name}, {counted(base.rules.pieces, 'piece')} a side"],
        ["stored as", base.store],
        ["gap, as recorded", "none" if base.gap is None else at_most(base.gap, 3)],
    ]


def file_report(base: Tablebase) -> Report:
    """Return what a tablebase is of, and how precise it is."""
    sizes = [
        SimpleNamespace(layer=layer, states=base.order.size(layer)) for layer in base.order.layers
    ]
    rows = FILE_LAYERS.records(sizes)
    rules, *others = _recorded(base)
    lines = [
        rules,
        ["layers", number(len(sizes))],
        [SOLVED["states"].title, number(sum(size.states for size in sizes))],
        *others,
        [OFF_BY, precision(base.bound)],
    ]
    table = Table(f"Tablebase {printable(str(base.file))}", ["<", "<"], lines)
    return Report(CHECK.name, {"file": str(base.file), "rows": rows}, rows, [table])


def _sound(found: Checked, near: Closeness | None) -> list[list[str]]:
    """Return the results of a check of an undamaged file."""
    assert near is not None
    how = "" if found.bound is None else ", found now" if found.bounded else ", as recorded"
    closest = "none"
    if near.least is not None:
        closest = f"{near.least:.2e}, in {near.position} with roll {near.roll}"
    return [
        [OFF_BY, precision(found.bound) + how],
        ["damaged layers", "none"],
        ["residual", f"{found.residual:.2e}"],
        ["states and rolls that leave a choice", number(near.choices)],
        ["with the best two moves equal", number(near.equal)],
        ["with less than 1e-4 between them", number(near.within[near.tolerances.index(1e-4)])],
        ["least difference otherwise", closest],
    ]

"""What ``urcx train`` shows: what was trained, and how strong it became."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from urcx.engine.compiling import COMPILED
from urcx.learn.methods import METHODS
from urcx.learn.settings import listed_settings
from urcx.learn.training import Trained
from urcx.results.fields import COUNT, RULES, Field, Fields, Schema, decimals, percents_of
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import Column

STRENGTHS = Fields(
    Field("done", Column("done", key=True), COUNT, "steps of the training by then"),
    Field("seconds", "processor seconds", decimals(1), "processor seconds of all threads by then"),
    Field("wins", "wins", percents_of(2), "its estimated chance of winning"),
    Field("error", "±", percents_of(2), "half the width of the 95 % interval of wins"),
)
TRAINED = Schema(
    "urcx.train/1",
    {
        "": RULES
        + Fields(
            Field("method", about="the method of training"),
            Field("settings", about="all its settings"),
            Field("seed", about="of the random numbers"),
            Field("threads", about="on which the network does not depend"),
            Field("file", about="the network's", of=lambda found: str(found.file)),
            Field("parameters", kind=COUNT, about="weights", of="network.parameters"),
            Field("unit", about="what the steps of the method are called"),
            Field("total", kind=COUNT, about="steps of the whole training"),
            Field("done", kind=COUNT, about="steps taken"),
            Field("resumed", kind=COUNT, about="steps taken in an earlier run"),
            Field("figures", about="counts of what was done, by name"),
            Field("seconds", about="processor seconds of all threads, earlier runs included"),
            Field("opponent", about="against whom strength was measured"),
        )
        + COMPILED,
        "rows": STRENGTHS,
    },
)


def training_report(found: Trained) -> Report:
    """Return the report on a training."""
    data = TRAINED.data(found, rows=found.strengths)
    done = ", ".join(f"{value:,} {name}" for name, value in found.figures.items())
    against = "perfect play" if found.opponent == "optimal" else found.opponent
    notes = [
        f"{counted(found.network.parameters, 'parameter')}; it plays as net:{found.file}",
        f"{done}; {counted(round(found.seconds), 'processor second')}",
        f"wins: against {against}, estimated",
    ]
    title = (
        f"Training by {found.method}, {found.rules.name}, "
        f"{counted(found.rules.pieces, 'piece')} a side, seed {found.seed}"
    )
    return Report(
        TRAINED.name, data, data["rows"], [STRENGTHS.table(title, found.strengths, notes)]
    )


@dataclass(frozen=True)
class _Line:
    method: str
    setting: str
    default: Any
    about: str


SETTINGS = Fields(
    Field("method", Column("method", text=True, key=True), about="a method of training"),
    Field("setting", Column("setting", text=True, key=True), about="one of its settings"),
    Field("default", "default", about="its value unless another is given"),
    Field("about", "<meaning", about="what it means, and its range"),
)
METHODS_LISTED = Schema("urcx.train-methods/1", {"": Fields(), "rows": SETTINGS})


def methods_report() -> Report:
    """Return the list of the methods' settings."""
    rows = [
        _Line(method.name, name, default, about)
        for method in METHODS.values()
        for name, default, about in listed_settings(method.defaults())
    ]
    data = METHODS_LISTED.data(None, rows=rows)
    notes = [f"{method.name}: {method.about}" for method in METHODS.values()]
    return Report(
        METHODS_LISTED.name,
        data,
        data["rows"],
        [SETTINGS.table("Methods of training", rows, notes)],
    )

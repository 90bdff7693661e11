"""What is shown of journeys: the expected rolls and turns of one piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from urcx.results.fields import FRACTION, Field, Fields, Kind, Schema, always
from urcx.results.fractions import percent
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, key
from urcx.rules.model import Dice, RuleSet
from urcx.strategy.journey import Journey, Leg, Track

NOTES = (
    Note("S / mean: the rule of thumb", "S / mean"),
    "a roll is any throw, a 0 too; a rosette keeps the turn going",
    "there or beyond: every roll moves the piece; lands: how often it then stands on the step",
    "chosen: until it lands, if other pieces can take unsuitable rolls (the turn ends)",
)


def _clock(times: str, unit: str) -> Callable[[Any], Fraction | None]:
    """Return a function that gives a leg's expected rolls or turns, None if it never ends."""
    return lambda leg: getattr(getattr(leg.journey, times), unit, None)


def _times(name: str, title: str, about: str) -> list[Field]:
    """Return the fields of expected rolls and turns."""
    return [
        Field(f"{name}_{unit}", f"{title}: {unit}", TIME, f"expected {unit} {about}", of)
        for unit in ("rolls", "turns")
        for of in [_clock(name, unit)]
    ]


def _name(what: str) -> Callable[[Any], str | None]:
    """Return a function that gives the name of a rule set's ``what``, None without a rule set."""
    return lambda item: getattr(item.rules, what).name if item.rules else None


TIME = Kind(lambda value: f"{float(value):.4f}", FRACTION.json, none="never")
PERCENT = Kind(lambda value: percent(value, 4), FRACTION.json)
EXACT = always("exactness", "exact", "fractions, without rounding")
LEGS = Fields(
    Field("from", about="the step it begins at, 0 in the start pool", of="journey.start"),
    Field("to", Column("step", key=True), about="the step it goes to", of="journey.to"),
    Field("tiles", about="tiles between them", of=lambda leg: leg.journey.to - leg.journey.start),
    Field("goal", key("goal"), about="what the step is called"),
    Field(
        "approximation",
        Column("S / mean", secondary=True),
        TIME,
        "the rule of thumb: tiles by the mean roll",
        of="journey.approximation",
    ),
    *_times("passing", "there or beyond", "until it stands there or beyond"),
    Field("lands", "lands, %", PERCENT, "how probable it is that it lands there", "journey.hit"),
    *_times("alone", "if so", "if it lands there"),
    *_times("chosen", "chosen", "until it lands, where other pieces can take rolls"),
)
JOURNEY = Schema(
    "urcx.journey/1",
    {
        "": Fields(
            Field(
                "rules",
                about="name of the rule set, null on a plain track",
                of=lambda item: item.rules.name if item.rules else None,
            ),
            Field("path", about="name of its path, null on a plain track", of=_name("path")),
            Field("dice", about="name of the dice", of="dice.name"),
            EXACT,
        ),
        "rows": LEGS,
    },
)


def journey_report(legs: Sequence[Leg], dice: Dice, rules: RuleSet | None) -> Report:
    """Return expected rolls and turns; without a rule set, on a plain track without end."""
    rows = LEGS.records(legs)
    data = {**journey_head(dice, rules), "rows": rows}
    return Report(JOURNEY.name, data, rows, [journey_table(legs, dice, rules)])


def journey_head(dice: Dice, rules: RuleSet | None) -> dict[str, Any]:
    """Return the JSON members about the path and the dice."""
    return JOURNEY.data(SimpleNamespace(rules=rules, dice=dice))


def journey_table(legs: Sequence[Leg], dice: Dice, rules: RuleSet | None) -> Table:
    """Return the table of journeys."""
    start = legs[0].journey.start
    where = "the start" if start == 0 else f"step {start}"
    way = f"{rules.name}, {rules.path.name}" if rules else _described(legs[0].journey.way)
    return LEGS.table(f"One piece from {where} on: {way}, {dice.name}", legs, NOTES)


def _described(way: Track) -> str:
    """Return a track in words."""
    if way.length is None and not way.rosettes:
        return "a plain track without rosettes or end"
    length = "a track without end" if way.length is None else f"a track of {way.length} steps"
    if not way.rosettes:
        return f"{length} without rosettes"
    return f"{length} with rosettes on {', '.join(map(str, sorted(way.rosettes)))}"


def one_journey(found: Journey) -> Report:
    """Return the report on one goal."""
    way = found.way
    home = way.length is not None and found.to == way.length + 1
    return journey_report([Leg(found, "home" if home else f"step {found.to}")], way.dice, None)

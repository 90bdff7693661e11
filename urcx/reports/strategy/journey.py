"""What journey and rush show: times of one piece, rushes, and one player alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

from urcx.reports.display.fractions import decimal, fraction, percent
from urcx.reports.display.output import Column, Note, Report, Table, number
from urcx.reports.display.result_fields import (
    COUNT,
    FRACTION,
    INTERVAL,
    Field,
    Fields,
    Kind,
    Schema,
    always,
    column,
    decimals,
    shown_as,
)
from urcx.reports.display.tables import key
from urcx.rules.model import Dice, RuleSet
from urcx.strategy.alone import Alone
from urcx.strategy.journey import Journey, Leg, Track, goal_name
from urcx.strategy.rush import PathRush, Rush, Rushes, Simulated
from urcx.strategy.sequences import written
from urcx.strategy.throughput import Throughput

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
    data = {**head(dice, rules), "rows": rows}
    return Report(JOURNEY.name, data, rows, [journey_table(legs, dice, rules)])


def head(dice: Dice, rules: RuleSet | None) -> dict[str, Any]:
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


def _of_simulated(get: Callable[[Simulated], Any]) -> Callable[[PathRush], Any]:
    """Return a function that gives a value of a simulation, None without a simulation."""
    return lambda row: None if row.simulated is None else get(row.simulated)


def _end(k: int) -> Callable[[PathRush], Any]:
    return _of_simulated(lambda seen: None if seen.ci95 is None else seen.ci95[k])


PATH_RUSHES = Fields(
    Field("path", key("path"), about="name of the path", of="path.name"),
    Field("dice", key("dice"), about="name of the dice", of="dice.name"),
    Field("sequences", kind=COUNT, about="sequences of rolls that do it", of="rush.sequences"),
    Field(
        "likeliest",
        Column("rolls", text=True, secondary=True),
        about="the likeliest of them, null if it never happens",
        of=lambda row: written(row.rush.likeliest) or None,
    ),
    EXACT,
    Field("probability", "probability", FRACTION, "how probable it is", "rush.probability"),
    Field(
        "simulated",
        about="the same, as simulated",
        of=_of_simulated(lambda seen: seen.probability),
        exactness="estimate",
    ),
    Field("simulated_low", about="lower end of its 95 % interval", of=_end(0)),
    Field("simulated_high", about="upper end", of=_end(1)),
    Field(
        "simulated_rolls",
        about="how many rolls were simulated",
        of=_of_simulated(lambda seen: seen.rolls),
    ),
    Field(
        "games",
        "games",
        Kind(lambda games: number(round(games)), FRACTION.json),
        "games in which it comes once",
    ),
)
RUSHED = "A piece rushed from the start to home in one turn"
RUSH_NOTE = "a piece alone on the board"
RUSH = Schema(
    "urcx.rush/1",
    {
        "": Fields(
            Field("turns", about="a player's turns in a game, in each of which it is tried"),
            Field("particles", about="pieces simulated for each row"),
            Field("seed", about="seed of the random numbers"),
        ),
        "rows": PATH_RUSHES,
    },
)


def rush_report(found: Rushes) -> Report:
    """Return the probability of rushing a piece over each path, exactly and by simulation."""
    data = RUSH.data(found, rows=found.rows)
    if any(row.rush.sequences for row in found.rows):
        return Report(RUSH.name, data, data["rows"], [rush_table(found)])
    # Nothing for a table to show.
    never = ", ".join(_never(found))
    body = f"No piece is ever rushed from the start to home in one turn: {never}\n"
    return Report(RUSH.name, data, data["rows"], body=body)


def rush_table(found: Rushes) -> Table:
    """Return the table of paths that can be rushed; the notes name the others."""
    shown = f"simulated: 95 % interval, {found.particles:,} pieces for each row, seed {found.seed}"
    notes = [
        *([Note(shown, "simulated, %")] if found.particles else []),
        RUSH_NOTE,
        f"games: for one rush, if a player tries in each of {found.turns} turns a game",
    ]
    if names := _never(found):
        notes.append(f"never: {', '.join(names)}")
    simulated = Field(
        "", Column("simulated, %", secondary=True), shown_as(_interval), of="simulated"
    )
    fields = Fields(
        *PATH_RUSHES.pick("path", "dice", "likeliest", "probability"),
        Field("", "%", PERCENT, of="rush.probability"),
        *([simulated] if found.particles else []),
        PATH_RUSHES["games"],
    )
    rows = [row for row in found.rows if row.rush.sequences]
    return fields.table(RUSHED, rows, notes)


def one_rush(found: Rush) -> Report:
    """Return what is exact of one track's row."""
    kept = PATH_RUSHES.pick("sequences", "likeliest", "exactness", "probability")
    record = kept.record(SimpleNamespace(rush=found))
    shown = Fields(
        Field("", "probability", Kind(lambda p: fraction(p) or decimal(p)), of="probability"),
        Field("", "in percent", PERCENT, of="probability"),
        Field("", "sequences of rolls", of="sequences"),
        column("the likeliest", lambda rush: written(rush.likeliest) or "none"),
    )
    table = Table(f"{RUSHED}, exactly", ["<", "<"], shown.lines(found), [RUSH_NOTE])
    return Report(RUSH.name, record, [record], [table])


def _never(found: Rushes) -> list[str]:
    """Return the paths that cannot be rushed, with the dice if not with all."""
    by_path: dict[str, list[str]] = {}
    for row in found.rows:
        if not row.rush.sequences:
            by_path.setdefault(row.path.name, []).append(row.dice.name)
    every = {row.dice.name for row in found.rows}
    return [
        name if set(dice) == every else f"{name} ({', '.join(dice)})"
        for name, dice in by_path.items()
    ]


def _interval(found: Simulated) -> str:
    """Return an interval in percent."""
    if found.ci95 is None:
        return "none seen"
    return " to ".join(f"{100 * end:.3g}" for end in found.ci95)


def _single(unit: str) -> Callable[[Alone], Fraction | None]:
    return lambda found: getattr(found.single, unit, None)


NUMBERS = Fields(
    Field("pieces", "pieces", about="number of pieces"),
    Field("rolls", "rolls", decimals(4), "expected rolls by the best choice of moves"),
    Field("rolls_worst", "worst choice", decimals(4), "expected rolls by the worst"),
    Field("rolls_a_piece", "rolls a piece", decimals(4), "rolls by the number of pieces"),
    Field("added_by_last", "by the last", decimals(6), "how many more than with a piece less"),
)
ALONE = Fields(
    Field("rules", about="name of the rule set", of="rules.name"),
    Field("path", about="name of its path", of="rules.path.name"),
    Field("dice", about="name of its dice", of="rules.dice.name"),
    always(
        "exactness",
        "computed in floating point; one_piece and bound are exact",
        "how numbers were obtained",
    ),
    Field("one_piece_rolls", "one piece, rolls", TIME, "one piece's rolls", _single("rolls")),
    Field("one_piece_turns", "one piece, turns", TIME, "one piece's turns", _single("turns")),
    Field(
        "bound_rolls_a_piece",
        "many pieces, rolls a piece, at least",
        Kind(decimal, FRACTION.json),
        "fewest rolls a piece if no roll were wasted",
        lambda found: 1 / found.long_run.bound,
    ),
    Field(
        "long_run_rolls_a_piece",
        "by the best choice",
        Kind(
            lambda ends: f"{ends[0]:.12g} to {ends[1]:.12g}" if math.isfinite(ends[1]) else "never",
            (("", lambda ends: list(ends) if math.isfinite(ends[1]) else None),),
        ),
        "bounds of rolls a piece by the best choice, the start pool never empty",
        "long_run.rolls_a_piece",
        "bound",
    ),
    Field(
        "long_run_pieces_a_roll",
        kind=Kind(json=(("", list),)),
        about="bounds of pieces home a roll",
        of="long_run.rate",
        exactness="bound",
    ),
    Field(
        "long_run_waste",
        "steps wasted a roll",
        Kind(lambda ends: f"{ends[0]:.3g} to {ends[1]:.3g}", (("", list),)),
        "bounds of the steps a roll that the best choice wastes",
        "long_run.waste",
        "bound",
    ),
)
ALONE_NOTE = (
    "rolls of one player alone until all pieces are home, 0s and rosettes' extra rolls counted"
)
LONG_RUN = Fields(
    ALONE["bound_rolls_a_piece"],
    Field("rolls_a_piece", kind=INTERVAL, of="long_run.rolls_a_piece"),
    Field("pieces_a_roll", kind=INTERVAL, of="long_run.rate"),
    Field("waste", kind=INTERVAL, of="long_run.waste"),
)
PIECES = Schema("urcx.pieces/1", {"": ALONE, "rows": NUMBERS})


def pieces_report(found: Alone) -> Report:
    """Return the expected time of one player alone, by number of pieces."""
    data = PIECES.data(found, rows=found.rows)
    rules = found.rules
    order = ("pieces", "rolls", "rolls_a_piece", "added_by_last", "rolls_worst")
    tables = [
        NUMBERS.pick(*order).table(
            f"One player alone: {rules.name}, {rules.path.name}, {rules.dice.name}",
            found.rows,
            [ALONE_NOTE],
        ),
        _long_run_table("", ALONE, found),
    ]
    return Report(PIECES.name, data, data["rows"], tables)


def _long_run_table(where: str, shown: Fields, found: Any) -> Table:
    return Table(
        f"In the long run, with a start pool that never empties{where}",
        ["<", "<"],
        shown.lines(found),
        ["at least: a piece has L + 1 steps to go, and rolls have their mean"],
    )


def throughput_report(found: Throughput) -> Report:
    """Return what is said of the long run, for one track."""
    item = SimpleNamespace(long_run=found)
    record = LONG_RUN.flat(item)
    shown = ALONE.pick("bound_rolls_a_piece", "long_run_rolls_a_piece", "long_run_waste")
    table = _long_run_table(f": {found.length} steps", shown, item)
    return Report(PIECES.name, record, [record], [table])


ARRIVAL = Schema(
    "urcx.arrival/1",
    {
        "": Fields(
            Field("rules", about="name of the rule set", of="rules.name"),
            Field("path", about="name of its path", of="rules.path.name"),
            Field("dice", about="name of its dice", of="rules.dice.name"),
            Field("to", about="the step"),
            Field("goal", about="what the step is called"),
            EXACT,
        ),
        "rows": Fields(
            Field("pieces", about="number of pieces", of=itemgetter(0)),
            Field("turns", about="number of turns", of=itemgetter(1)),
            Field(
                "probability",
                kind=FRACTION,
                about="how probable it is by the best choice that one stands there within them",
                of=itemgetter(2),
            ),
        ),
    },
)


def arrival_report(rules: RuleSet, to: int, found: Mapping[int, Sequence[Fraction]]) -> Report:
    """Return the probability that a piece stands on a step, by turns and number of pieces."""
    name = goal_name(rules.path, to)
    rows = [(n, turns, p) for n, row in found.items() for turns, p in enumerate(row, start=1)]
    data = ARRIVAL.data(SimpleNamespace(rules=rules, to=to, goal=name), rows=rows)
    turns = len(next(iter(found.values())))
    cells = [[str(k + 1), *(percent(row[k], 4) for row in found.values())] for k in range(turns)]
    table = Table(
        f"A piece on step {to} ({name}) within so many turns, %: {rules.name}, {rules.dice.name}",
        ["turns", *(f"{n} pieces" if n > 1 else "1 piece" for n in found)],
        cells,
        ["one player alone; for each number of turns the best choice of moves for it"],
    )
    return Report(ARRIVAL.name, data, data["rows"], [table])

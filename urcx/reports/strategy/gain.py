"""What ``urcx gain`` shows."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from urcx.results.fields import TEXT, Field, Fields, Schema, always, column, shown_as
from urcx.results.report import Report
from urcx.results.tables import Column, Table, Toned, key, secondary
from urcx.strategy.gain import READINGS, Gain, Term
from urcx.strategy.gains import Gains
from urcx.strategy.pieces import Places, place_text
from urcx.strategy.sequences import written

PARTS = {
    "W": "tiles walked",
    "A": "tiles that captured pieces lose",
    "C": "tiles that the opponent may take in his next turn",
    "G": "the gain, their sum",
}
NOTES = (
    "W tiles walked, A tiles captured, C tiles the opponent may take in his next turn, G the sum",
    (
        "text: as Raposo and Lamont define it. A blocked roll subtracts the whole sequence; C "
        "counts every tile that can be reached in full"
    ),
    (
        "tables: reproduces their Tables 5 and 6. A last move onto a rosette counts as blocked, "
        "and opponents that the sequence can capture attack nothing"
    ),
    (
        "mended: the mean over all rolls. Blocked rolls subtract nothing, and C is weighted by "
        "the chance of getting there"
    ),
)


def rounded_gain(value: Fraction, digits: int = 2) -> str:
    """Return a fraction rounded to decimals, halves away from zero, as the paper does."""
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return str(exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def _part(
    name: str, show: Callable[[Fraction], Any] = lambda value: value
) -> Callable[[Gain], Any]:
    """Return a function that gives a part of a gain."""
    return lambda item: show(item.part(name))


ROLLS_NOTE = "rolls: the player's own, then a stroke and the opponent's"
SEQUENCE = Field("sequence", key("sequence"), about="labels of the pieces that move, in order")
SUMS = Fields(
    *(Field(k, secondary(f"{k} exact"), TEXT, about, _part(k)) for k, about in PARTS.items()),
    *(
        Field(f"{k}_rounded", k, about=f"{k}, rounded to two decimals", of=_part(k, rounded_gain))
        for k in PARTS
    ),
)
GAINS = Fields(
    SEQUENCE,
    Field("reading", key("reading"), about="how the paper is read: tables, text or mended"),
    *SUMS,
)
TERMS = Fields(
    Field("part", key("part"), about="W, A or C"),
    Field(
        "move",
        Column("move", key=True),
        shown_as(lambda move: str(move or "stands")),
        "which move of the sequence it belongs to, 0 for a piece that stands",
    ),
    Field("piece", secondary("piece"), about="label of the piece"),
    Field("tile", about="step where somebody is captured, on that piece's path, or null"),
    Field("rolls", about="the player's own rolls", of=lambda term: written(term.own_rolls)),
    Field("replies", about="the opponent's rolls", of=lambda term: written(term.reply_rolls)),
    Field("product", "<product", about="the product as the paper prints it", of="text"),
    Field("value", "value", TEXT, "its value"),
)
SCHEMA = Schema(
    "urcx.gain/1",
    {
        "": Fields(
            Field("rules", about="name of the rule set", of="rules.name"),
            Field("position", kind=TEXT, about="the position"),
            Field("roll", about="the first roll where it is known, or null"),
            always("exactness", "exact", "fractions, without rounding"),
        ),
        "pieces": Fields(
            Field("label", about="label of a piece of the player to move", of=lambda pair: pair[0]),
            Field("step", about="its step, 0 in the start pool", of=lambda pair: pair[1]),
        ),
        "best": Fields(
            *(Field(k, about=f"the sequence of the highest gain, {k}") for k in READINGS)
        ),
        "rows": Fields(SEQUENCE, *SUMS),
        "rows.terms": TERMS,
    },
)


GAIN_COLUMNS = GAINS.pick("sequence", "reading", *(f"{k}_rounded" for k in PARTS), *PARTS)


def gain_report(found: Gains, reading: str) -> Report:
    """Return the gain of each sequence in all readings, and the terms of one of them."""
    data = SCHEMA.data(found, pieces=found.places.items())
    data["best"] = {name: found.best(name).sequence for name in READINGS}
    data["rows"] = gain_rows(found)
    return Report(
        SCHEMA.name, data, gain_records(found), [gains_table(found), terms_table(found, reading)]
    )


def one_gain(found: Gain) -> Report:
    """Return the gain of one sequence in one reading, and its terms."""
    record = GAINS.record(found)
    notes = [NOTES[0], NOTES[1 + READINGS.index(found.reading)]]
    tables = [GAIN_COLUMNS.table("Gain of a sequence", [found], notes)]
    if found.terms:
        step = Field("", "step captured", of="tile")
        tables.append(_term_columns(step).table("Terms", found.terms, [ROLLS_NOTE]))
    return Report(SCHEMA.name, record, [record], tables)


def gain_records(found: Gains) -> list[dict[str, str]]:
    """Return a row for each sequence in each reading, for CSV."""
    return GAINS.records(item for name in READINGS for item in found.of[name])


def gain_rows(found: Gains) -> list[dict[str, Any]]:
    """Return a row for each sequence: the reading ``tables``, with the other readings by name."""
    return [
        {"sequence": tables.sequence, **_reckoned(tables)}
        | {"text": _reckoned(text), "mended": _reckoned(mended)}
        for tables, text, mended in zip(*(found.of[name] for name in READINGS), strict=True)
    ]


def _reckoned(item: Gain) -> dict[str, Any]:
    return {**SUMS.record(item), "terms": TERMS.records(item.terms)}


def gains_table(found: Gains) -> Table:
    """Return the table of all sequences in all readings."""
    known = "the roll not known" if found.roll is None else f"roll {found.roll}"
    side = "light" if found.position.light_to_move else "dark"
    best = {name: found.best(name) for name in READINGS}

    def name(item: Gain) -> str:
        # The best is named in a note.
        return Toned(item.sequence, "best") if item is best[item.reading] else item.sequence

    shown = Fields(
        column(key("sequence"), name),
        *GAIN_COLUMNS.without("sequence"),
    )
    return shown.table(
        f"Gain of {side}'s sequences in {found.position} ({found.rules.name}), {known}; "
        f"{', '.join(_labels(found.places))}",
        [item for name in READINGS for item in found.of[name]],
        [*NOTES, *(f"{name}: {best[name].sequence} has the highest gain" for name in READINGS)],
    )


def _labels(places: Places) -> list[str]:
    """Return the places of the pieces, those in the pool together: ``A to C at the start``."""
    pool = [label for label, step in places.items() if step == 0]
    named = f"{pool[0]} to {pool[-1]}" if len(pool) > 1 else "".join(pool)
    board = [f"{label} on {place_text(step)}" for label, step in places.items() if step]
    return [f"{named} at the {place_text(0)}", *board] if pool else board


def terms_table(found: Gains, reading: str) -> Table:
    """Return the table of the products that a reading adds up."""

    def tile(term: Term) -> str:
        return "" if term.tile is None else f"{term.tile} {found.tile(term)}"

    shown = _term_columns(column(Column("tile", text=True, secondary=True), tile))
    return Table(
        f"Terms of the reading {reading}",
        [SEQUENCE.heading, *shown.columns],
        [[item.sequence, *shown.cells(t)] for item in found.of[reading] for t in item.terms],
        [ROLLS_NOTE],
    )


def _term_columns(tile: Field) -> Fields:
    """Return the columns of terms; ``tile`` is where somebody is captured."""

    def rolls(term: Term) -> str:
        answer = f"/{written(term.reply_rolls)}" if term.replies else ""
        return written(term.own_rolls) + answer

    return Fields(
        *TERMS.pick("part", "move", "piece"),
        tile,
        column("<rolls", rolls),
        TERMS["product"],
        column("value", lambda term: f"{float(term.value):.4f}"),
    )

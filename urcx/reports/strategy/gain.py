"""What gain and capture print."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from urcx.engine.moves import Move
from urcx.reports.display.output import Column, Report, Table, Toned
from urcx.reports.display.tables import secondary
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.attack import Attempt
from urcx.strategy.capture import Danger, alone, dangers, dangers_after, hunt
from urcx.strategy.gain import READINGS, Gain, Term, gain
from urcx.strategy.pieces import Places, pieces, place_text

PARTS = ("W", "A", "C", "G")
DANGER_FIELDS = (
    "step", "tile", "single_rolls", "single_chance", "sequences", "chance", "chance_value",
)  # fmt: skip
NOTES = (
    "W tiles walked, A tiles captured, C tiles the opponent may take in his next turn, G the sum",
    (
        "text: as Raposo and Lamont define it. A blocked roll takes back the whole sequence; C "
        "counts every tile that can be reached in full"
    ),
    (
        "tables: what gives their Tables 5 and 6. A last move onto a rosette counts as blocked, "
        "and opponents that the sequence can capture attack nothing"
    ),
    (
        "mended: the mean over all rolls. Blocked rolls take back nothing, and C is weighted by "
        "the chance of getting there"
    ),
)


def rounded(value: Fraction, digits: int = 2) -> str:
    """Return a fraction rounded to decimals, halves away from zero, as the paper does."""
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return str(exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def percent(chance: Fraction) -> str:
    """Return a chance in percent to two decimals."""
    return f"{float(chance * 100):.2f} %"


def gain_report(
    rules: RuleSet,
    position: Position,
    sequences: Sequence[str],
    roll: int | None,
    reading: str,
) -> Report:
    """Return the gain of each sequence in all readings, and the terms of one of them."""
    found = [
        {name: gain(position, s, rules, roll=roll, reading=name) for name in READINGS}
        for s in sequences
    ]
    places = pieces(position, rules)
    best = {name: max(found, key=lambda both: both[name].part("G"))[name] for name in READINGS}
    known = "the roll not known" if roll is None else f"roll {roll}"
    where = ", ".join(_labels(places))
    side = "light" if position.light_to_move else "dark"
    summary = Table(
        f"Gain of {side}'s sequences in {position} ({rules.name}), {known}; {where}",
        [
            *(Column(title, text=True, key=True) for title in ("sequence", "reading")),
            *PARTS,
            *(Column(f"{part} exact", secondary=True) for part in PARTS),
        ],
        [_cells(both[name], best[name]) for name in READINGS for both in found],
        [
            *NOTES,
            *(f"{name}: {best[name].sequence} has the highest gain" for name in READINGS),
        ],
    )
    terms = Table(
        f"Terms of the reading {reading}",
        [
            *(Column(title, text=True, key=True) for title in ("sequence", "part")),
            Column("move", key=True),
            *(secondary("piece"), Column("tile", text=True, secondary=True)),
            *("<rolls", "<product", "value"),
        ],
        [
            _term_cells(both[reading].sequence, term, position, rules)
            for both in found
            for term in both[reading].terms
        ],
        ["rolls: the player's own, then a stroke and the opponent's"],
    )
    data = {
        "rules": rules.name,
        "position": str(position),
        "roll": roll,
        "exactness": "exact",
        "pieces": [{"label": label, "step": step} for label, step in places.items()],
        "best": {name: item.sequence for name, item in best.items()},
        "rows": [_row(both) for both in found],
    }
    records = [
        {"sequence": both[name].sequence, "reading": name, **_sums(both[name])}
        for name in READINGS
        for both in found
    ]
    return Report("urcx.gain/1", data, records, [summary, terms])


def _labels(places: Places) -> list[str]:
    """Return where the pieces are, those in the pool together: ``A to C at the start``."""
    pool = [label for label, step in places.items() if step == 0]
    named = f"{pool[0]} to {pool[-1]}" if len(pool) > 1 else "".join(pool)
    board = [f"{label} on {place_text(step)}" for label, step in places.items() if step]
    return [f"{named} at the {place_text(0)}", *board] if pool else board


def _cells(item: Gain, best: Gain) -> list[str]:
    values = [item.part(part) for part in PARTS]
    name = Toned(item.sequence, "best") if item is best else item.sequence  # a note says which
    return [name, item.reading, *map(rounded, values), *map(str, values)]


def _sums(item: Gain) -> dict[str, str]:
    values = {part: item.part(part) for part in PARTS}
    return {part: str(value) for part, value in values.items()} | {
        f"{part}_rounded": rounded(value) for part, value in values.items()
    }


def _row(both: dict[str, Gain]) -> dict[str, Any]:
    return {
        "sequence": both["tables"].sequence,
        **_reckoned(both["tables"]),
        "text": _reckoned(both["text"]),
        "mended": _reckoned(both["mended"]),
    }


def _reckoned(item: Gain) -> dict[str, Any]:
    return {**_sums(item), "terms": [_term(term) for term in item.terms]}


def _term(term: Term) -> dict[str, Any]:
    own = len(term.rolls) - term.replies
    return {
        "part": term.part,
        "move": term.move,
        "piece": term.piece,
        "tile": term.tile,
        "rolls": _digits(term.rolls[:own]),
        "replies": _digits(term.rolls[own:]),
        "product": term.text,
        "value": str(term.value),
    }


def _digits(rolls: tuple[int, ...]) -> str:
    # As the paper writes sequences; dice of a user's may give rolls of two digits.
    return ("" if all(roll < 10 for roll in rolls) else ",").join(map(str, rolls))


def _term_cells(sequence: str, term: Term, position: Position, rules: RuleSet) -> list[str]:
    own = len(term.rolls) - term.replies
    shown = _digits(term.rolls[:own])
    if term.replies:
        shown += f"/{_digits(term.rolls[own:])}"
    tile = ""
    if term.tile is not None:
        light = position.light_to_move != (term.part == "A")
        tile = f"{term.tile} {_tile(rules, term.tile, light=light)}"
    return [
        sequence,
        term.part,
        str(term.move) if term.move else "stands",
        term.piece,
        tile,
        shown,
        term.text,
        f"{float(term.value):.4f}",
    ]


def _tile(rules: RuleSet, step: int, *, light: bool) -> str:
    return (rules.path.light if light else rules.path.dark)[step - 1]


def capture_report(rules: RuleSet, position: Position, roll: int | None) -> Report:
    """Return the chances of captures: in this turn, or after each move of a roll; and ever."""
    light = position.light_to_move
    data: dict[str, Any] = {
        "rules": rules.name,
        "pieces": rules.pieces,
        "position": str(position),
        "roll": roll,
        "exactness": "exact",
    }
    if roll is not None:
        rows = [
            (move, danger)
            for move, found in dangers_after(position, roll, rules)
            for danger in found
            if danger.attempts or danger.step == move.end
        ]
        title = f"Chances to be captured in the next turn, after {_side(light)} moves by {roll}"
        records = [_danger(danger, rules, light, move) for move, danger in rows]
        return _with_dangers(data, f"{title} in {position} ({rules.name})", records)
    records = [_danger(danger, rules, not light) for danger in dangers(position, rules)]
    title = f"Chances to be captured in {_side(light)}'s turn in {position} ({rules.name})"
    report = _with_dangers(data, title, records)
    if not alone(position, rules):
        return report
    hunts = [hunt(position, rules, light=hunter) for hunter in (light, not light)]
    data["hunts"] = [
        {
            "hunter": _side(item.light),
            "ever": str(item.ever),
            "ever_value": float(item.ever),
            "turns": [str(chance) for chance in item.turns],
            "shortest": [
                {"rolls": _digits(rolls), "chance": str(chance)} for rolls, chance in item.shortest
            ],
            "estimate": str(item.estimate),
        }
        for item in hunts
    ]
    cells = [
        [
            f"{_side(item.light)} captures {_side(not item.light)}",
            " ".join(_digits(rolls) for rolls, _ in item.shortest),
            percent(item.estimate),
            *(percent(chance) for chance in item.turns),
            percent(item.ever),
        ]
        for item in hunts
    ]
    chain = Table(
        "Chances that one piece captures the other, exactly, from the Markov chain",
        [
            "<hunt",
            "<fewest rolls",
            "of these",
            *(f"turn {k + 1}" for k in range(len(hunts[0].turns))),
            "ever",
        ],
        cells,
        [
            "each side has one piece left, so every move is forced; ever: before a piece is home",
            "fewest rolls: of both players from now on; turn: of the hunter, extra rolls included",
        ],
    )
    hunted = [
        {
            "kind": "hunt",
            "hunter": _side(item.light),
            "shortest": " ".join(_digits(rolls) for rolls, _ in item.shortest),
            "estimate": str(item.estimate),
            "ever": str(item.ever),
            "ever_value": float(item.ever),
            **{f"turn_{k}": str(chance) for k, chance in enumerate(item.turns, start=1)},
        }
        for item in hunts
    ]
    listed = [*({**record, "kind": "danger"} for record in records), *hunted]
    return Report("urcx.capture/1", data, listed, [*report.tables, chain], fields=report.fields)


def _side(light: bool) -> str:
    return "light" if light else "dark"


def _danger(
    danger: Danger, rules: RuleSet, light: bool, move: Move | None = None
) -> dict[str, Any]:
    """Return a row: a piece of ``light``'s or dark's, and how it can be captured."""
    made = {} if move is None else {"from": move.start, "to": move.end}
    return made | {
        "step": danger.step,
        "tile": _tile(rules, danger.step, light=light),
        "single_rolls": _rolls(danger.direct),
        "single_chance": str(danger.direct_chance),
        "sequences": _rolls(danger.attempts),
        "chance": str(danger.chance),
        "chance_value": float(danger.chance),
    }


def _rolls(found: Sequence[Attempt]) -> str:
    return " ".join(_digits(attempt.rolls) for attempt in found)


def _with_dangers(data: dict[str, Any], title: str, records: Sequence[dict[str, Any]]) -> Report:
    data["rows"] = records
    moves = any("from" in record for record in records)
    cells = [
        [
            *([f"{record['from']}-{record['to']}"] if moves else []),
            f"{record['step']} {record['tile']}",
            record["single_rolls"],
            percent(Fraction(record["single_chance"])),
            record["sequences"],
            record["chance"],
            percent(Fraction(record["chance"])),
        ]
        for record in records
    ]
    heads: list[str | Column] = [
        Column("piece on", text=True, key=True),
        *("<single rolls", "of these", "<all sequences", "chance", "in percent"),
    ]
    notes = ["sequences: the first rolls grant another; the opponent goes for that piece"]
    if not cells:
        notes = ["no piece of that side is on the board where one could be captured"]
    move = Column("move", text=True, key=True)
    table = Table(title, [move, *heads] if moves else heads, cells, notes)
    return Report("urcx.capture/1", data, records, [table], fields=DANGER_FIELDS)

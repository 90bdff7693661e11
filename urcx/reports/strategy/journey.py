"""What journey shows: one piece on its way, a piece rushed, and many pieces alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from urcx.reports.display.fractions import both, decimal, fraction, percent
from urcx.reports.display.output import Column, Note, Report, Table, number
from urcx.rules.model import Dice, Path, RuleSet
from urcx.strategy.journey import Expected, Journey
from urcx.strategy.rush import Rush, Simulated
from urcx.strategy.sequences import written
from urcx.strategy.throughput import Throughput

NOTES = (
    Note("S / mean: the rule of thumb", "S / mean"),
    "a roll is any throw, a 0 too; a rosette keeps the turn going",
    "there or beyond: every roll moves the piece; lands: how often it then stands on the step",
    "chosen: until it lands, when other pieces can take rolls that do not suit (the turn ends)",
)


@dataclass(frozen=True)
class Leg:
    """A journey and what its goal is called."""

    journey: Journey
    goal: str


def journey_report(legs: Sequence[Leg], dice: Dice, rules: RuleSet | None) -> Report:
    """Return expected rolls and turns; without a rule set, on a plain track without end."""
    records = []
    cells = []
    for leg in legs:
        item = leg.journey
        records.append(
            {
                "from": item.start,
                "to": item.to,
                "tiles": item.to - item.start,
                "goal": leg.goal,
                **both("approximation", item.approximation),
                **_times("passing", item.passing),
                **both("lands", item.hit),
                **_times("alone", item.alone),
                **_times("chosen", item.chosen),
            }
        )
        shown = (item.passing, item.alone, item.chosen)
        times = [[_short(_rolls(e)), _short(_turns(e))] for e in shown]
        lands = percent(item.hit, 4)
        row = [str(item.to), leg.goal, _short(item.approximation)]
        cells.append([*row, *times[0], lands, *times[1], *times[2]])
    columns: list[str | Column] = [
        Column("step", key=True),
        Column("goal", text=True, key=True),
        Column("S / mean", secondary=True),
        *("there or beyond: rolls", "there or beyond: turns", "lands, %"),
        *("if so: rolls", "if so: turns", "chosen: rolls", "chosen: turns"),
    ]
    start = legs[0].journey.start
    where = "the start" if start == 0 else f"step {start}"
    way = f"{rules.name}, {rules.path.name}" if rules else "a plain track without rosettes or end"
    table = Table(f"One piece from {where} on: {way}, {dice.name}", columns, cells, NOTES)
    data = {
        "rules": rules.name if rules else None,
        "path": rules.path.name if rules else None,
        "dice": dice.name,
        "exactness": "exact",
        "rows": records,
    }
    return Report("urcx.journey/1", data, records, [table])


def _short(value: Fraction | None) -> str:
    return "never" if value is None else f"{float(value):.4f}"


def _rolls(times: Expected | None) -> Fraction | None:
    return times.rolls if times else None


def _turns(times: Expected | None) -> Fraction | None:
    return times.turns if times else None


def _times(name: str, times: Expected | None) -> dict[str, Any]:
    return {
        **both(f"{name}_rolls", _rolls(times)),
        **both(f"{name}_turns", _turns(times)),
    }


@dataclass(frozen=True)
class RushRow:
    """A path and dice, the exact probability to rush a piece, and an estimate where it can be."""

    path: Path
    dice: Dice
    rush: Rush
    simulated: Simulated | None


def rush_report(rows: Sequence[RushRow], turns: int, particles: int, seed: int) -> Report:
    """Return the probability to rush a piece over each path, exactly and by simulation."""
    records = [_rush_record(row, turns) for row in rows]
    cells = []
    for row in rows:
        if not row.rush.sequences:
            continue
        cells.append(
            [
                row.path.name,
                row.dice.name,
                written(row.rush.likeliest),
                fraction(row.rush.probability),
                percent(row.rush.probability, 4),
                *([_interval(row.simulated)] if particles else []),
                number(round(1 / (turns * row.rush.probability))),
            ]
        )
    by_path: dict[str, list[str]] = {}
    for row in rows:
        if not row.rush.sequences:
            by_path.setdefault(row.path.name, []).append(row.dice.name)
    every = {row.dice.name for row in rows}
    names = [
        name if set(dice) == every else f"{name} ({', '.join(dice)})"
        for name, dice in by_path.items()
    ]
    shown = f"simulated: 95 % interval, {particles:,} pieces for each row, seed {seed}"
    notes = [
        *([Note(shown, "simulated, %")] if particles else []),
        "a piece alone on the board",
        f"games: for one rush, if a player tries in each of {turns} turns a game",
    ]
    if names:
        notes.append(f"never: {', '.join(names)}")
    table = Table(
        "A piece rushed from the start to home in one turn",
        [
            *(Column(title, text=True, key=True) for title in ("path", "dice")),
            Column("rolls", text=True, secondary=True),
            *("probability", "%"),
            *((Column("simulated, %", secondary=True),) if particles else ()),
            "games",
        ],
        cells,
        notes,
    )
    data = {"turns": turns, "particles": particles, "seed": seed, "rows": records}
    if not cells:  # nothing for a table to show
        body = f"No piece is ever rushed from the start to home in one turn: {', '.join(names)}\n"
        return Report("urcx.rush/1", data, records, body=body)
    return Report("urcx.rush/1", data, records, [table])


def _interval(found: Simulated | None) -> str:
    """Return an interval in per cent."""
    if found is None:
        return ""
    if found.ci95 is None:
        return "none seen"
    return " to ".join(f"{100 * end:.3g}" for end in found.ci95)


def _rush_record(row: RushRow, turns: int) -> dict[str, Any]:
    p, found = row.rush.probability, row.simulated
    return {
        "path": row.path.name,
        "dice": row.dice.name,
        "sequences": str(row.rush.sequences),
        "likeliest": written(row.rush.likeliest) or None,
        "exactness": "exact",
        **both("probability", p),
        "simulated": found and found.probability,
        "simulated_low": found and found.ci95 and found.ci95[0],
        "simulated_high": found and found.ci95 and found.ci95[1],
        "simulated_rolls": found and found.rolls,
        **both("games", 1 / (turns * p) if p else None),
    }


def pieces_report(
    rules: RuleSet,
    pieces: Sequence[int],
    fewest: Sequence[float],
    most: Sequence[float],
    single: Expected | None,
    long_run: Throughput,
) -> Report:
    """Return how long one player alone takes with 1, 2, ... pieces.

    ``fewest`` and ``most`` are expected rolls with the best and the worst choice, for 1 to the
    greatest of ``pieces``; ``single`` is one piece's exact time.
    """
    records = []
    cells = []
    for n in pieces:
        before = fewest[n - 2] if n > 1 else 0.0
        records.append(
            {
                "pieces": n,
                "rolls": fewest[n - 1],
                "rolls_worst": most[n - 1],
                "rolls_a_piece": fewest[n - 1] / n,
                "added_by_last": fewest[n - 1] - before,
            }
        )
        cells.append(
            [
                str(n),
                f"{fewest[n - 1]:.4f}",
                f"{fewest[n - 1] / n:.4f}",
                f"{fewest[n - 1] - before:.6f}",
                f"{most[n - 1]:.4f}",
            ]
        )
    low, high = long_run.rolls_a_piece
    bound = 1 / long_run.bound
    data = {
        "rules": rules.name,
        "path": rules.path.name,
        "dice": rules.dice.name,
        "exactness": "computed in floating point; one_piece and bound are exact",
        **both("one_piece_rolls", _rolls(single)),
        **both("one_piece_turns", _turns(single)),
        **both("bound_rolls_a_piece", bound),
        "long_run_rolls_a_piece": [low, high] if math.isfinite(high) else None,
        "long_run_pieces_a_roll": list(long_run.rate),
        "long_run_waste": list(long_run.waste),
        "rows": records,
    }
    notes = [
        "rolls of one player alone until all pieces are home, 0s and rosettes' extra rolls counted",
    ]
    lines = [
        ["one piece, rolls", _short(_rolls(single))],
        ["one piece, turns", _short(_turns(single))],
        ["many pieces, rolls a piece, at least", decimal(bound)],
        ["by the best choice", f"{low:.12g} to {high:.12g}" if math.isfinite(high) else "never"],
        ["steps wasted a roll", f"{long_run.waste[0]:.3g} to {long_run.waste[1]:.3g}"],
    ]
    tables = [
        Table(
            f"One player alone: {rules.name}, {rules.path.name}, {rules.dice.name}",
            ["pieces", "rolls", "rolls a piece", "by the last", "worst choice"],
            cells,
            notes,
        ),
        Table(
            "In the long run, with a start pool that never empties",
            ["<", "<"],
            lines,
            ["at least: a piece has L + 1 steps to go, and rolls have their mean"],
        ),
    ]
    return Report("urcx.pieces/1", data, records, tables)


def arrival_report(rules: RuleSet, to: int, found: Mapping[int, Sequence[Fraction]]) -> Report:
    """Return how probable it is that a piece stands on a step, by turns, for numbers of pieces."""
    records = [
        {"pieces": n, "turns": turns, **both("probability", p)}
        for n, row in found.items()
        for turns, p in enumerate(row, start=1)
    ]
    turns = len(next(iter(found.values())))
    cells = [[str(k + 1), *(percent(row[k], 4) for row in found.values())] for k in range(turns)]
    name = goal_name(rules.path, to)
    table = Table(
        f"A piece on step {to} ({name}) within so many turns, %: {rules.name}, {rules.dice.name}",
        ["turns", *(f"{n} pieces" if n > 1 else "1 piece" for n in found)],
        cells,
        ["one player alone; for each number of turns the best choice of moves for it"],
    )
    data = {
        "rules": rules.name,
        "path": rules.path.name,
        "dice": rules.dice.name,
        "to": to,
        "goal": name,
        "exactness": "exact",
        "rows": records,
    }
    return Report("urcx.arrival/1", data, records, [table])


def goal_name(path: Path, step: int) -> str:
    """Return what a step is called: its tile, whether it is a rosette, or home."""
    if step > len(path.light):
        return "home"
    tile = path.light[step - 1]
    return f"{tile}, rosette" if tile in path.board.rosettes else tile

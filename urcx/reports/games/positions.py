"""What moves, show and perft print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

from urcx.agents.advice import Adviser
from urcx.agents.agents import KINDS, ONLY_TIES
from urcx.engine.moves import Move, check_open, legal_moves
from urcx.enumerate.perft import Level
from urcx.reports.display.output import Column, Report, Table, Toned, number
from urcx.reports.figures.board import drawn, standing
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, check


def moves_report(
    rules: RuleSet, position: Position, roll: int | None, adviser: Adviser | None = None
) -> Report:
    """Return the legal moves for a roll, or for all that the dice give, and an agent's opinion."""
    check_open(position, rules)
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    records: list[dict[str, Any]] = []
    cells = []
    valued = False
    for value in rules.dice.rolls if roll is None else (roll,):
        found = legal_moves(position, value, rules)
        advice = adviser.about(position, value) if adviser else ()
        chance = str(chances[value])
        if not found:
            after = str(replace(position, light_to_move=not position.light_to_move))
            records.append({"roll": value, "chance": chance, "pass": True, "position": after})
            cells.append([str(value), chance, "pass", after, "", "", ""])
        for k, move in enumerate(found):
            records.append(
                {
                    "roll": value,
                    "chance": chance,
                    "pass": False,
                    "from": move.start,
                    "to": move.end,
                    "captures": move.captures,
                    "rosette": move.rosette,
                    "rolls_again": move.rolls_again,
                    "position": str(move.position),
                }
            )
            words = move.describe(rules.path, light=position.light_to_move)
            steps = f"{move.start}-{move.end}"
            cells.append([str(value), chance, f"{steps}  {words}", str(move.position), "", "", ""])
            if advice:
                said = advice[k]
                worth = None if said.value is None else float(said.value)
                valued |= worth is not None
                records[-1] |= {"value": worth, "best": said.best, "plays": str(said.chance)}
                mark = "only" if len(found) == 1 else "best" if said.best else ""
                cells[-1][-3:] = [
                    "" if worth is None else f"{worth:.4f}",
                    Toned(mark, "best") if mark else "",
                    str(said.chance) if said.chance else "",
                ]
    # What an agent does not say has no column: values, of those that have none, and what is best,
    # of those to whom all moves are as good.
    prefers = adviser is not None and adviser.agent.kind not in ONLY_TIES
    shown = [True] * 4 + [valued, prefers, adviser is not None]
    columns: list[str | Column] = [
        Column("roll", key=True),
        Column("chance", secondary=True),
        Column("move", text=True, key=True, least=24),
        Column("leads to", text=True, secondary=True),
        "value",
        "<choice",
        "plays",
    ]
    data = {
        "rules": rules.name,
        "pieces": rules.pieces,
        "position": str(position),
        "rows": records,
    }
    notes = []
    if adviser:
        data["agent"] = adviser.agent.name
        if valued:
            notes = [f"value: to the mover, in the agent's own units ({adviser.agent.name})"]
        if prefers:
            notes.append(
                "choice: best to the agent (all that have the same value), or the only move"
            )
        notes.append(f"plays: how likely {adviser.agent.name} plays it")
    table = Table(
        f"Moves of {'light' if position.light_to_move else 'dark'} in {position} ({rules.name})",
        list(compress(columns, shown)),
        [list(compress(row, shown)) for row in cells],
        notes,
    )
    return Report("urcx.moves/1", data, records, [table], body=drawn(rules, position))


def position_report(rules: RuleSet, position: Position) -> Report:
    """Return a position drawn on its board; it may be a finished one."""
    check(position, rules.path, rules.pieces)
    labels, (light, dark) = standing(rules, position)
    body = (
        f"{position} ({rules.name}), {'light' if position.light_to_move else 'dark'} to move\n\n"
        f"{drawn(rules, position)}"
    )
    data = {
        "rules": rules.name,
        "pieces": rules.pieces,
        "position": str(position),
        "to_move": "light" if position.light_to_move else "dark",
        "light": light,
        "dark": dark,
        "tiles": labels,
    }
    return Report("urcx.position/1", data, [], body=body)


AGENTS_NOTES = (
    (
        "written NAME[:DEPTH][:LEAF][:TIES], such as panda:5 or greedy:random; optimal:FILE; "
        "FILE.py:FUNCTION is one of your own"
    ),
    (
        "ties: which of equally good moves it plays, that of the piece found first (the least "
        "advanced), last (the most advanced), or any at random"
    ),
    (
        "depth: plies looked at, its own move included; leaf: what a position is worth after them: "
        "steps and pieces home less the enemy's, advance+centre with 4 for the centre rosette"
    ),
)


def agents_report() -> Report:
    """Return the list of agents, with what they are where nothing else is said."""
    records = [
        {
            "name": name,
            "title": kind.title,
            "depth": kind.depth,
            "leaf": kind.leaf,
            "ties": kind.ties,
            "looks_ahead": kind.depth is not None,
        }
        for name, kind in KINDS.items()
    ]
    cells = [
        [
            name,
            "-" if kind.depth is None else str(kind.depth),
            kind.leaf or "-",
            kind.ties,
            kind.title,
        ]
        for name, kind in KINDS.items()
    ]
    table = Table(
        "Agents",
        ["<name", "depth", "<leaf", "<ties", Column("plays", text=True, least=16)],
        cells,
        AGENTS_NOTES,
    )
    return Report("urcx.agents/1", {"rows": records}, records, [table])


PERFT_NOTE = (
    "growth: nodes a node of the ply before; distinct: different positions at that depth; "
    "positions: different ones after at most as many plies, the first included"
)


def perft_report(
    rules: RuleSet,
    position: Position,
    levels: Sequence[Level],
    parts: Sequence[tuple[int, Move | None, int]] | None,
) -> Report:
    """Return the levels of the tree, and what stands under each first branch."""
    records = []
    cells = []
    before = 1
    for level in levels:
        growth = level.nodes / before if before else 0.0
        records.append(
            {
                "depth": level.depth,
                "nodes": str(level.nodes),
                "distinct": str(level.distinct),
                "positions": str(level.positions),
                "growth": growth,
            }
        )
        cells.append(
            [
                str(level.depth),
                number(level.nodes),
                f"{growth:.4f}",
                number(level.distinct),
                number(level.positions),
            ]
        )
        before = level.nodes
    convention = "mover-view" if rules.path.symmetric else "positions"
    tables = [
        Table(
            f"perft of {rules.name} from {position}: nodes of the tree, exactly",
            ["depth", "nodes", "growth", "distinct", f"positions ({convention})"],
            cells,
            [PERFT_NOTE],
        )
    ]
    data: dict[str, Any] = {
        "rules": rules.name,
        "pieces": rules.pieces,
        "position": str(position),
        "convention": convention,
        "exactness": "exact",
        "rows": records,
    }
    if parts is not None:
        data["divide"] = [
            {
                "roll": roll,
                "from": move.start if move else None,
                "to": move.end if move else None,
                "nodes": str(nodes),
            }
            for roll, move, nodes in parts
        ]
        records = [{**record, "kind": "level"} for record in records] + [
            {"depth": levels[-1].depth, "kind": "branch", **part, "pass": part["from"] is None}
            for part in data["divide"]
        ]
        tables.append(
            Table(
                f"Nodes at depth {levels[-1].depth} under each first branch",
                ["roll", "<move", "nodes"],
                [
                    [
                        str(roll),
                        move.describe(rules.path, light=position.light_to_move) if move else "pass",
                        number(nodes),
                    ]
                    for roll, move, nodes in parts
                ],
            )
        )
    return Report("urcx.perft/1", data, records, tables)

"""What moves, show and perft print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from types import SimpleNamespace
from typing import Any

from urcx.agents.advice import Adviser
from urcx.agents.agents import KINDS, ONLY_TIES
from urcx.engine.moves import check_open, legal_moves
from urcx.enumerate.perft import Branch, Level
from urcx.reports.display.output import Column, Report, Table, Toned
from urcx.reports.display.result_fields import (
    COUNT,
    RULES,
    TEXT,
    Field,
    Fields,
    Schema,
    always,
    column,
    decimals,
)
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


def _step(end: str) -> Callable[[Branch], int | None]:
    """Return a function that gives the step at one end of a branch's move."""
    return lambda branch: getattr(branch.move, end, None)


LEVELS = Fields(
    Field("depth", "depth", about="plies after the first position"),
    Field("nodes", "nodes", COUNT, "nodes of the tree at just this depth"),
    Field("distinct", "distinct", COUNT, "different positions among them"),
    Field("positions", "", COUNT, "different positions after at most as many plies"),
    Field("growth", "growth", decimals(4), "nodes for each node of the ply before"),
)
BRANCHES = Fields(
    Field("roll", "roll", about="the first roll"),
    Field("from", about="the step that the piece leaves, null for a pass", of=_step("start")),
    Field("to", about="the step that it reaches, null for a pass", of=_step("end")),
    Field("nodes", "nodes", COUNT, "nodes under this branch, at the greatest depth"),
)
PERFT = Schema(
    "urcx.perft/1",
    {
        "": RULES
        + Fields(
            Field("position", kind=TEXT, about="the first position"),
            Field("convention", about="how positions are told apart: mover-view or positions"),
            always("exactness", "exact", "the tree is counted whole"),
        ),
        "rows": LEVELS,
        "divide": BRANCHES,
    },
)
PERFT_NOTE = (
    "growth: nodes a node of the ply before; distinct: different positions at that depth; "
    "positions: different ones after at most as many plies, the first included"
)


def perft_report(
    rules: RuleSet,
    position: Position,
    levels: Sequence[Level],
    branches: Sequence[Branch] | None,
) -> Report:
    """Return the levels of the tree, and what stands under each first branch."""
    convention = "mover-view" if rules.path.symmetric else "positions"
    item = SimpleNamespace(rules=rules, position=position, convention=convention)
    data = PERFT.data(item, rows=levels)
    records = data["rows"]
    shown = LEVELS.headed({"positions": f"positions ({convention})"})
    tables = [
        shown.pick("depth", "nodes", "growth", "distinct", "positions").table(
            f"perft of {rules.name} from {position}: nodes of the tree, exactly",
            levels,
            [PERFT_NOTE],
        )
    ]
    if branches is not None:
        depth = levels[-1].depth
        data["divide"] = BRANCHES.records(branches)
        records = [{**record, "kind": "level"} for record in records]
        records += [
            {"depth": depth, "kind": "branch", **part, "pass": part["from"] is None}
            for part in data["divide"]
        ]

        def words(branch: Branch) -> str:
            light = position.light_to_move
            return branch.move.describe(rules.path, light=light) if branch.move else "pass"

        described = Fields(BRANCHES["roll"], column("<move", words), BRANCHES["nodes"])
        title = f"Nodes at depth {depth} under each first branch"
        tables.append(described.table(title, branches))
    return Report(PERFT.name, data, records, tables)

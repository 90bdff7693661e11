"""What ``urcx moves``, ``show`` and ``perft`` show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from urcx.agents.agents import Agent
from urcx.agents.choices import Choice
from urcx.agents.kinds import ONLY_TIES
from urcx.engine.moves import Moves, after_pass
from urcx.enumerate.perft import Branch, Levels
from urcx.reports.figures.board import drawn, standing
from urcx.results.fields import (
    COUNT,
    RULES,
    TEXT,
    Field,
    Fields,
    Kind,
    Schema,
    always,
    column,
    decimals,
)
from urcx.results.report import Report
from urcx.results.tables import Column, Table, Toned
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, check


def _of_move(name: str) -> Callable[[Choice], Any]:
    """Return a function that gives an attribute of a choice's move, None for a pass."""
    return lambda choice: getattr(choice.move, name, None)


def _of_advice(name: str) -> Callable[[Choice], Any]:
    """Return a function that gives the agent's advice on a choice, None if there is none."""
    return lambda choice: getattr(choice.advice, name, None)


def _mark(choice: Choice) -> str:
    if choice.advice is None:
        return ""
    mark = "only" if choice.only else "best" if choice.advice.best else ""
    return Toned(mark, "best") if mark else ""


ROLL = Fields(
    Field("roll", Column("roll", key=True), about="a roll"),
    Field("chance", Column("chance", secondary=True), TEXT, "its probability"),
    Field("pass", about="whether there is no legal move", of=lambda choice: choice.move is None),
)
MOVE = Fields(
    Field("from", about="the step that the piece leaves, 0 in the pool", of=_of_move("start")),
    Field("to", about="the step that it reaches, one beyond the last at home", of=_of_move("end")),
    Field("captures", about="whether it captures", of=_of_move("captures")),
    Field("rosette", about="whether it lands on a rosette", of=_of_move("rosette")),
    Field("rolls_again", about="whether it grants a roll", of=_of_move("rolls_again")),
)
AFTER = Fields(
    Field(
        "position",
        Column("leads to", text=True, secondary=True),
        TEXT,
        "the position that it leads to",
        of="after",
    ),
)
ADVICE = Fields(
    Field(
        "value",
        "value",
        Kind(lambda value: f"{float(value):.4f}", (("", float),)),
        "what it is worth to the agent; null if the agent has no values",
        of=_of_advice("value"),
    ),
    Field("best", about="whether it is best to the agent", of=_of_advice("best")),
    Field(
        "plays",
        "plays",
        Kind(lambda chance: str(chance) if chance else "", (("", str),)),
        "how likely the agent plays it",
        of=_of_advice("chance"),
    ),
)
POSITION = Field("position", kind=TEXT, about="the position")
MOVES = Schema(
    "urcx.moves/1",
    {
        "": RULES + Fields(POSITION, Field("agent", about="name of the agent, if one was asked")),
        "rows": ROLL + MOVE + AFTER + ADVICE,
    },
)


def legal_moves_report(found: Moves) -> Report:
    """Return the report on the legal moves for one roll."""
    chance = dict(zip(found.rules.dice.rolls, found.rules.dice.probabilities, strict=True))
    by = found.roll, chance[found.roll]
    shown = [Choice(*by, move, move.position, only=len(found) == 1) for move in found]
    passed = Choice(*by, None, after_pass(found.position), only=True)
    return moves_report(found.rules, found.position, shown or [passed])


def moves_report(
    rules: RuleSet, position: Position, found: Sequence[Choice], agent: Agent | None = None
) -> Report:
    """Return the report on the legal moves, with the advice of an agent if one was asked."""
    light = position.light_to_move

    def words(choice: Choice) -> str:
        move = choice.move
        if move is None:
            return "pass"
        return f"{move.start}-{move.end}  {move.describe(rules.path, light=light)}"

    records = []
    for choice in found:
        own = Fields() if choice.move is None else MOVE
        said = Fields() if choice.advice is None else ADVICE
        records.append((ROLL + own + AFTER + said).record(choice))
    # Advice that an agent does not give has no column: values, if it has none, and the best move,
    # of those to whom all moves are as good.
    valued = any(choice.advice and choice.advice.value is not None for choice in found)
    prefers = agent is not None and agent.kind not in ONLY_TIES
    moves = column(Column("move", text=True, key=True, least=24), words)
    shown = Fields(*ROLL, moves, *AFTER)
    notes = []
    if valued and agent:
        shown += ADVICE.pick("value")
        notes.append(f"value: to the mover, in the agent's own units ({agent.name})")
    if prefers:
        shown += Fields(column("<choice", _mark))
        notes.append("choice: best to the agent (all that have the same value), or the only move")
    if agent:
        shown += ADVICE.pick("plays")
        notes.append(f"plays: how likely {agent.name} plays it")
    title = f"Moves of {'light' if light else 'dark'} in {position} ({rules.name})"
    data = RULES.record(SimpleNamespace(rules=rules))
    data |= {"position": str(position), "rows": records}
    data |= {"agent": agent.name} if agent else {}
    table = shown.table(title, found, notes)
    return Report(MOVES.name, data, records, [table], body=drawn(rules, position))


SHOWN = Schema(
    "urcx.position/1",
    {
        "": RULES
        + Fields(
            POSITION,
            Field("to_move", about="who is to move: light or dark"),
            Field("light", about="light's pieces in the pool (start) and home"),
            Field("dark", about="dark's"),
            Field("tiles", about="by name of a tile, who stands there on which step"),
        )
    },
)


def position_report(rules: RuleSet, position: Position) -> Report:
    """Return a position drawn on its board; it may be a finished one."""
    check(position, rules.path, rules.pieces)
    labels, (light, dark) = standing(rules, position)
    body = (
        f"{position} ({rules.name}), {'light' if position.light_to_move else 'dark'} to move\n\n"
        f"{drawn(rules, position)}"
    )
    turn = "light" if position.light_to_move else "dark"
    item = SimpleNamespace(
        rules=rules, position=position, to_move=turn, light=light, dark=dark, tiles=labels
    )
    return Report(SHOWN.name, SHOWN.data(item), [], body=body)


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


def _convention(levels: Levels) -> str:
    return "mover-view" if levels.rules.path.symmetric else "positions"


APART = "how positions are told apart: mover-view or positions"
PERFT = Schema(
    "urcx.perft/1",
    {
        "": RULES
        + Fields(
            Field("position", kind=TEXT, about="the first position"),
            Field("convention", about=APART, of=_convention),
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


def perft_report(levels: Levels, branches: Sequence[Branch] | None = None) -> Report:
    """Return the levels of the tree, and the counts under each first branch."""
    rules, position = levels.rules, levels.position
    data = PERFT.data(levels, rows=levels)
    records = data["rows"]
    tables = [levels_table(levels)]
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


def levels_table(levels: Levels) -> Table:
    """Return the table of the levels of the tree."""
    shown = LEVELS.headed({"positions": f"positions ({_convention(levels)})"})
    title = f"perft of {levels.rules.name} from {levels.position}: nodes of the tree, exactly"
    order = ("depth", "nodes", "growth", "distinct", "positions")
    return shown.pick(*order).table(title, levels, [PERFT_NOTE])

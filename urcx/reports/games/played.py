"""What is shown of games: their plies, a hint for one roll, and a review."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from urcx.engine.moves import Move
from urcx.game import Game
from urcx.played.hints import Hint, HintMove
from urcx.played.record import PASS, PlayedGame, Ply
from urcx.played.review import Review, ReviewedPly, SideReview
from urcx.results.fields import RULES, TEXT, Field, Fields, Kind, Schema, column
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, Toned
from urcx.solving.files.tablebase import at_most

# A chance is kept as the fraction that the tablebase's number is; programs get the number.
CHANCE = Kind(lambda value: f"{float(value):.2%}", (("", float),))
CHANGE = Kind(lambda value: f"{float(value):+.2%}", (("", float),))


def _of_move(name: str) -> Callable[[Any], Any]:
    """Return a function that gives an attribute of an item's move, None for a pass."""
    return lambda item: getattr(item.move, name, None)


def move_words(game: Game, move: Move | None) -> str:
    """Return a move with its steps and in words of the board, such as ``0-4  start to A1``."""
    if move is None:
        return PASS
    said = move.describe(game.rules.path, light=game.turn == "light")
    return f"{move.start}-{move.end}  {said}"


MOVE = Fields(
    Field("pass", about="whether there is no legal move", of=lambda item: item.move is None),
    Field("from", about="the step that the piece leaves, 0 in the pool", of=_of_move("start")),
    Field("to", about="the step that it reaches, one beyond the last at home", of=_of_move("end")),
    Field("captures", about="whether it captures", of=_of_move("captures")),
    Field("rosette", about="whether it lands on a rosette", of=_of_move("rosette")),
)
PLY = Fields(
    Field("side", "<side", about="light or dark"),
    Field("roll", "roll", about="the roll"),
)
AFTER = Field("position", kind=TEXT, about="the position that it leads to", of="after.position")
PLAYED = Fields(
    *RULES,
    Field("start", kind=TEXT, about="the position it starts in", of="start.position"),
    Field("light", about="who plays light, empty if not said"),
    Field("dark", about="who plays dark"),
    Field("date", about="when it was played, empty if not said"),
    Field("seed", about="the seed of its dice, null if there is none"),
    Field("result", about="light, dark or unfinished"),
    Field("roll", about="a roll that was thrown and is still to be played, else null"),
    Field("position", kind=TEXT, about="where it stands", of="game.position"),
)
NOTATION = Field("notation", about="the game in notation", of=lambda game: game.to_text())
NUMBER = Field("ply", Column("ply", key=True), about="the ply's number, from 1")
GAME = Schema(
    "urcx.game/1",
    {"": PLAYED + Fields(NOTATION), "rows": Fields(NUMBER) + PLY + MOVE + Fields(AFTER)},
)


def _heading(game: PlayedGame) -> str:
    """Return a game in one line: who played what, and how it ended."""
    who = f"{game.player('light')} (light)" if game.light else "light"
    other = f"{game.player('dark')} (dark)" if game.dark else "dark"
    when = f", {game.date}" if game.date else ""
    ended = f"{game.winner} has won" if game.winner else f"unfinished, {game.turn} to move"
    rules = f"{game.rules.name} with {counted(game.rules.pieces, 'piece')}"
    return f"{who} against {other}, {rules}{when}: {ended} after {_plies(len(game.plies))}"


def _plies(number: int) -> str:
    return "1 ply" if number == 1 else f"{number} plies"


def game_report(game: PlayedGame) -> Report:
    """Return the list of a game's plies."""
    plies = [
        SimpleNamespace(ply=number, side=one.side, roll=one.roll, move=one.move, after=one.after)
        for number, one in enumerate(game.plies, start=1)
    ]
    words = {id(item): _said(one) for item, one in zip(plies, game.plies, strict=True)}
    move = column(Column("move", text=True, least=24), lambda item: words[id(item)])
    leads = column(Column("leads to", text=True, secondary=True), lambda i: str(i.after.position))
    notes = [f"roll {game.roll} is still to be played"] if game.roll is not None else []
    table = Fields(NUMBER, *PLY, move, leads).table(_heading(game), plies, notes)
    rows = (Fields(NUMBER) + PLY + MOVE + Fields(AFTER)).records(plies)
    data = GAME.parts[""].record(game) | {"rows": rows}
    return Report(GAME.name, data, rows, [table], fields=_keys(GAME))


def _keys(schema: Schema) -> list[str]:
    return [key for field in schema.parts["rows"] for key in field.keys]


def _said(ply: Ply) -> str:
    return move_words(ply.before, ply.move)


HINTED = Fields(
    Field("chance", "wins", CHANCE, "chance of winning after it, null if not known"),
    Field("regret", "regret", CHANCE, "how much less than after the best"),
)
PLAYS = Field(
    "plays",
    about="how likely each agent plays it, by name, as fractions",
    of=lambda item: item.by_name,
)
HINT = Schema(
    "urcx.hint/1",
    {
        "": Fields(
            *RULES,
            Field("position", kind=TEXT, about="the position"),
            Field("to_move", about="light or dark", of="game.turn"),
            Field("roll", about="the roll"),
            Field(
                "chance",
                kind=CHANCE,
                about="chance before the roll, of who is to move",
                of="before",
            ),
            Field("rolled", kind=CHANCE, about="chance after the roll, if the best is done"),
            Field("bound", about="how far a chance is off at most, null if unknown"),
        ),
        "rows": Fields(*MOVE, *HINTED, PLAYS, AFTER),
    },
)


def hint_report(found: Hint) -> Report:
    """Return each move's chance and regret, and what agents play."""
    items = [_hinted(found, one) for one in found.moves]
    known = found.before is not None
    move = column(
        Column("move", text=True, key=True, least=24), lambda i: move_words(found.game, i.move)
    )
    shown = Fields(move, *(HINTED if known else ()))
    if known:
        shown += Fields(column("<choice", lambda i: _choice(found, i)))
    shown += Fields(*(_share(k, one.name) for k, one in enumerate(found.agents)))
    title = f"Roll {found.roll} of {found.game.turn} in {found.position} ({found.rules.name})"
    notes = []
    if found.before is not None and found.rolled is not None:
        title += f": wins with {float(found.rolled):.2%}"
        notes += [
            f"before the roll {float(found.before):.2%}; regret: how much less than the best move",
            *_precision(found.bound),
        ]
    rows = HINT.parts["rows"].records(items)
    flat = [{k: v for k, v in row.items() if k != "plays"} for row in rows]
    for row, item in zip(flat, items, strict=True):
        row |= {f"plays_{name}": share for name, share in item.by_name.items()}
    return Report(
        HINT.name,
        HINT.parts[""].record(found) | {"rows": rows},
        flat,
        [shown.table(title, items, notes)],
    )


def _hinted(found: Hint, one: HintMove) -> SimpleNamespace:
    shares = {a.name: str(share) for a, share in zip(found.agents, one.plays, strict=False)}
    return SimpleNamespace(
        move=one.move,
        after=one.after,
        chance=one.chance,
        regret=one.regret,
        plays=one.plays,
        by_name=shares,
        is_best=one.is_best,
    )


def _share(k: int, name: str) -> Field:
    def cell(item: Any) -> str:
        return "" if not item.plays or not item.plays[k] else str(item.plays[k])

    return column(Column(name, key=False), cell)


def _choice(found: Hint, item: Any) -> str:
    mark = "only" if len(found.moves) == 1 else "best" if item.is_best else ""
    return Toned(mark, "best") if mark else ""


def _precision(bound: float | None) -> list[str]:
    if bound is None:
        return ["chances of unknown precision: nothing is proven of the file"]
    return [f"chances are off by at most {at_most(bound)}"]


REVIEWED = Fields(
    Field("ply", Column("ply", key=True), about="the ply's number, from 1", of="number"),
    *PLY,
)
WORTH = Fields(
    Field("before", kind=CHANCE, about="the player's chance of winning before the roll"),
    Field("rolled", kind=CHANCE, about="after the roll, if the best is done with it"),
    Field("after", kind=CHANCE, about="after what was done"),
    Field("luck", "luck", CHANGE, "rolled less before: what the dice gave"),
    Field("regret", kind=CHANCE, about="rolled less after: what the decision cost"),
    Field("light", "light wins", CHANCE, "light's chance after it", of="light_after"),
    Field("choices", about="the number of legal moves"),
    Field("best_from", about="a best move", of=lambda item: getattr(item.best, "start", None)),
    Field("best_to", about="the step that it reaches", of=lambda i: getattr(i.best, "end", None)),
)
SIDE = Fields(
    Field("side", "<side", about="light or dark"),
    Field("player", "<player", about="who plays it"),
    Field("luck", "luck", CHANGE, "sum of what the dice gave"),
    Field("lost", "regret", CHANCE, "sum of what decisions cost"),
    Field("plies", "plies", about="rolls"),
    Field("decisions", "decisions", about="rolls with two legal moves or more"),
    Field("mistakes", "mistakes", about="moves that cost more than the error of the chances"),
)
REVIEW = Schema(
    "urcx.review/1",
    {
        "": Fields(
            *RULES,
            *(
                replace(one, of=f"played.{one.of or one.key}")
                for one in PLAYED.without("rules", "pieces")
            ),
            Field("light_start", kind=CHANCE, about="light's chance before the first ply"),
            Field("light_end", kind=CHANCE, about="light's chance after the last"),
            Field("bound", about="how far a chance is off at most, null if unknown"),
        ),
        "sides": SIDE,
        "rows": REVIEWED + MOVE + WORTH,
    },
)


def review_report(found: Review) -> Report:
    """Return the table of both sides' luck and skill, and that of all plies."""
    sides = found.sides
    rows = REVIEW.parts["rows"].records(found.plies)
    data = REVIEW.parts[""].record(found) | {"sides": SIDE.records(sides), "rows": rows}
    return Report(
        REVIEW.name,
        data,
        rows,
        [_sides_table(found, sides), _plies_table(found)],
        fields=_keys(REVIEW),
    )


def _sides_table(found: Review, sides: tuple[SideReview, SideReview]) -> Table:
    light, dark = sides
    worst = column(
        Column("worst", text=True, secondary=True),
        lambda side: (
            f"ply {side.worst.number}: {float(side.worst.regret):.2%}" if side.worst else ""
        ),
    )
    told = (
        f"light's chance {_plain(found.light_start)} + ({_signed(light.luck)} - "
        f"{_plain(light.lost)}) - ({_signed(dark.luck)} - {_plain(dark.lost)}) = "
        f"{_plain(found.light_end)}"
    )
    about = "luck: what the dice gave; regret: what decisions cost; both in chances of winning"
    notes = [about, told, *_precision(found.bound)]
    return Fields(*SIDE, worst).table(_heading(found.played), sides, notes)


def _plain(value: Fraction) -> str:
    return f"{float(value):.2%}"


def _signed(value: Fraction) -> str:
    return f"{float(value):+.2%}"


def _plies_table(found: Review) -> Table:
    def cost(item: ReviewedPly) -> str:
        return _plain(item.regret) if item.regret > found.tolerance else ""

    def better(item: ReviewedPly) -> str:
        if item.regret <= found.tolerance or item.best is None:
            return ""
        return f"{item.best.start}-{item.best.end}"

    move = column(Column("move", text=True, least=16), lambda item: _said(item.ply))
    shown = Fields(
        *REVIEWED,
        move,
        WORTH["luck"],
        column("regret", cost),
        column("<best", better),
        WORTH["light"],
    )
    return shown.table(
        "Every ply",
        found.plies,
        [Note("best: what would have cost nothing, where the move cost something", "best")],
    )

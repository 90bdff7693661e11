"""What is answered about games: one that is being played, and the review of one.

A game travels as text in both directions, and the server keeps nothing of it: a request says the
game in notation, what is to be done with it, and gets the game after it.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from datetime import date as calendar
from typing import Any

from urcx.errors import UsageError
from urcx.explore.boards import board_members, game_asked, rules_asked
from urcx.explore.explorer import MOST_PIECES, Explorer
from urcx.explore.parameters import (
    MOST_BODY,
    Parameters,
    RefusedError,
    member_of,
    shown_value,
    whole_number,
)
from urcx.explore.positions import view
from urcx.game import Game
from urcx.played.notation import PLY, parse_game, ply_text
from urcx.played.players import answered, rolled
from urcx.played.record import PlayedGame, Ply
from urcx.played.review import REVIEW, review
from urcx.reading import MOST_DIGITS
from urcx.rules.model import MAX_ROLL, RuleSet

MOST_PLIES = 2000  # of a game, some ten times as long as they are
MOST_ACTIONS = 100  # in a request
MOST_UNDONE = MOST_PLIES
SEEDS = 10**9  # of which one is drawn where none is given
# What is done with a game, and what is wanted for it.
ACTIONS = {
    "throw": "a whole number or null is wanted",
    "play": "a move such as A4-B1, or its steps such as 1-5, is wanted",
    "pass": "true is wanted",
    "answer": "an agent's name is wanted",
    "undo": "a whole number is wanted",
    "redo": "a whole number is wanted",
}
DRAWING = threading.Lock()  # matplotlib's settings are the whole process's


def game_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return a game after what was done with it, and all that a page shows of where it stands.

    Raises
    ------
    RefusedError, UsageError
        If the game cannot be read, or something cannot be done: then nothing of it is.
    """
    asked.only("text", "new", "rules", "pieces", "undone", "do", "agents")
    if ("text" in asked.values) == ("new" in asked.values):
        raise RefusedError("text or new: one of the two is wanted")
    if "new" in asked.values:
        played = _new(explorer, member_of(asked.values["new"], "new"))
    else:
        played = _read(explorer, asked)
    played = _with_undone(played, asked.items("undone", MOST_UNDONE))
    before = len(played.plies)
    for number, action in enumerate(asked.items("do", MOST_ACTIONS), start=1):
        what = f"do, entry {number}"
        asked.in_time()
        played = _done(explorer, played, member_of(action, what), what)
        if len(played.plies) > MOST_PLIES:
            raise RefusedError(f"games here have at most {MOST_PLIES} plies")
    rules = played.rules
    report = played.report()
    return {
        "schema": report.schema,
        **report.data,
        "rgn": _rgn(played),
        "undone": [ply_text(ply) for ply in played.undone],
        "played": _costs(explorer, played, rules, min(before, len(played.plies))),
        "board": None if explorer.named(rules) else board_members(rules.path, rules.pieces, rules),
        "view": view(explorer, played.game, played.roll, asked),
    }


def review_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return what ``urcx review --json`` gives of a game, and the figure if ``svg`` is set.

    Raises
    ------
    RefusedError
        With status 404, if the chances of winning are not known.
    """
    asked.only("text", "rules", "pieces", "svg")
    drawn = asked.flag("svg")
    played = _read(explorer, asked)
    found = review(played, explorer.solution(played.rules))
    report = found.report()
    data = {"schema": report.schema, **report.data}
    data |= {"notation": played.to_text(), "rgn": _rgn(played)}
    if drawn:
        from urcx.reports.figures.plots import render
        from urcx.reports.figures.review_plot import review_figure

        with DRAWING:
            data["svg"] = render(review_figure(found), "svg").decode()
    return data


def _new(explorer: Explorer, asked: Parameters) -> PlayedGame:
    """Return a game that begins."""
    asked.only("rules", "pieces", "position", "light", "dark", "seed", "date")
    seed = asked.whole("seed", 0, 10**MOST_DIGITS - 1)
    return PlayedGame(
        game_asked(explorer, asked),
        light=asked.name("light"),
        dark=asked.name("dark"),
        date=_date(asked.text("date", "")),
        seed=secrets.randbelow(SEEDS) if seed is None else seed,
    )


def _date(text: str) -> str:
    try:
        return calendar.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise RefusedError(f"date: {shown_value(text)} is not a date such as 2026-11-22") from None


def _read(explorer: Explorer, asked: Parameters) -> PlayedGame:
    """Return the game that a text is."""
    text = asked.text("text", longest=MOST_BODY)
    given = rules_asked(explorer, asked) if {"rules", "pieces"} & asked.values.keys() else None
    played = parse_game(text, explorer.sources(given), most=MOST_PLIES)
    if played.rules.pieces > MOST_PIECES:
        raise RefusedError(f"games here have at most {MOST_PIECES} pieces a side")
    named = explorer.named(played.rules)
    if named is None or named == played.rules:
        return played
    start = Game(named, played.start.position)  # by a path that has a name here
    about = {"light": played.light, "dark": played.dark, "date": played.date}
    again = PlayedGame(start, **about, seed=played.seed, more=played.more)
    again = _replayed(again, played.plies)
    return again if played.roll is None else again.throw(played.roll)


def _replayed(played: PlayedGame, plies: Sequence[Ply]) -> PlayedGame:
    for ply in plies:
        played = played.passed(ply.roll) if ply.move is None else played.play(ply.steps)
    return played


def _with_undone(played: PlayedGame, undone: list[Any]) -> PlayedGame:
    """Return a game with the plies that were taken back, the last of which `redo` plays first."""
    roll = played.roll
    if undone:
        ahead = played
        for one in reversed(undone):
            if not isinstance(one, str) or PLY.match(one) is None:
                raise RefusedError("undone: plies such as 4:0-4 are wanted")
            ahead = _played(ahead, one)
        ahead = ahead.undo(len(undone))
        played = ahead if roll is not None else ahead.undo(0)
    return played


def _played(played: PlayedGame, ply: str) -> PlayedGame:
    roll, _, steps = ply.rstrip("x*").partition(":")
    thrown = played if played.roll is not None else played.throw(int(roll))
    return thrown.passed(int(roll)) if steps == "pass" else thrown.play(steps)


def _done(explorer: Explorer, played: PlayedGame, asked: Parameters, what: str) -> PlayedGame:
    """Return a game after one action."""
    if len(asked.values) != 1 or not (asked.values.keys() <= {*ACTIONS}):
        raise RefusedError(f"{what}: one of {', '.join(ACTIONS)} is wanted")
    ((name, value),) = asked.values.items()
    what = f"{what}, {name}"
    match name, value:
        case "throw", None:
            return rolled(_seeded(played))
        case "throw", roll:
            return played.throw(whole_number(what, roll, 0, MAX_ROLL))
        case "play", str():
            return played.play(value)
        case "pass", True:
            return played.passed()
        case "answer", str():
            solution = explorer.known(played.rules).solution
            agent = explorer.players.get(value, played.rules, solution)
            with explorer.players.asking([value]):
                return answered(_seeded(played), agent)
        case "undo" | "redo", plies:
            number = whole_number(what, plies, 0, MOST_PLIES)
            return played.undo(number) if name == "undo" else played.redo(number)
    raise RefusedError(f"{what}: {ACTIONS[name]}")


def _seeded(played: PlayedGame) -> PlayedGame:
    """Return a game with a seed for its dice, if it has none."""
    return played.with_seed(secrets.randbelow(SEEDS)) if played.seed is None else played


def _rgn(played: PlayedGame) -> str | None:
    """Return a game in RoyalUr's notation, None if that cannot say it."""
    try:
        return played.to_rgn()
    except UsageError:
        return None


def _costs(
    explorer: Explorer, played: PlayedGame, rules: RuleSet, first: int
) -> list[dict[str, Any]]:
    """Return what the plies that a request has played were worth, where that is known."""
    known = explorer.known(rules).solution
    if known is None or first == len(played.plies):
        return []
    part = _replayed(PlayedGame(played.plies[first].before), played.plies[first:])
    rows = REVIEW.parts["rows"].records(review(part, known).plies)
    return [row | {"ply": first + k} for k, row in enumerate(rows, start=1)]

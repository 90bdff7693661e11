"""The answers about games: actions in a game, and reviews.

A game travels as text in both directions, and the server stores nothing of it. A request has the
game in notation and the actions to perform, and the answer has the game after them.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from typing import Any

from urcx.errors import UsageError
from urcx.explore.boards import board_members
from urcx.explore.explorer import Explorer
from urcx.explore.positions import view
from urcx.explore.schema import (
    MOST_PIECES,
    MOST_PLIES,
    GameRequest,
    NewGame,
    RefusedError,
    ReviewRequest,
    integer,
)
from urcx.game import Game
from urcx.played.game_review import GRADES, Review
from urcx.played.notation import parse_game, ply_text
from urcx.played.players import answered, rolled
from urcx.played.record import PlayedGame, Ply
from urcx.played.review import review
from urcx.rules.model import MAX_ROLL

SEEDS = 10**9  # the range of random seeds, for requests without a seed
# The actions in a game, and the value of each.
ACTIONS = {
    "throw": "must be an integer or null",
    "play": "must be a move such as A4-B1, or its steps such as 1-5",
    "pass": "must be true",
    "answer": "must be the name of an agent",
    "undo": "must be an integer",
    "redo": "must be an integer",
}
DRAWING = threading.Lock()  # all threads share matplotlib's settings


def game_answer(explorer: Explorer, request: GameRequest) -> dict[str, Any]:
    """Return a game after the actions, and everything that the page shows of its position.

    Raises
    ------
    RefusedError, UsageError
        If the game cannot be read, or an action is impossible. Then no action is performed.
    """
    if (request.text is None) == (request.new is None):
        raise RefusedError("text, new: must be exactly one of the two")
    played = _read(explorer, request) if request.new is None else _new(explorer, request.new)
    played = _with_undone(played, request.undone)
    before = len(played.plies)
    for number, action in enumerate(request.do, start=1):
        request.in_time()
        played = _after_action(explorer, played, action, f"do, entry {number}")
        if len(played.plies) > MOST_PLIES:
            raise RefusedError(f"the game must have at most {MOST_PLIES} plies")
    rules = played.rules
    return {
        "schema": played.schema,
        **played.document(),
        "rgn": rgn_text(played),
        "undone": [ply_text(ply) for ply in played.undone],
        "played": _losses(explorer, played, min(before, len(played.plies))),
        "board": None if explorer.named(rules) else board_members(rules.path, rules.pieces, rules),
        "view": view(explorer, played.game, played.roll, request),
    }


def review_answer(explorer: Explorer, request: ReviewRequest) -> dict[str, Any]:
    """Return the result of ``urcx review --json`` for a game, and its figure if ``svg`` is set.

    Raises
    ------
    RefusedError
        With status 404, if the win probabilities are not known.
    """
    played = _read(explorer, request)
    values = explorer.known(played.rules)
    if values.chances is None:
        raise RefusedError(values.message, 404)
    result = review(played, values.chances)
    data = {**review_members(result), "notation": played.to_text(), "rgn": rgn_text(played)}
    if request.svg:
        from urcx.reports.figures.game_plots import review_figure
        from urcx.reports.figures.plots import render

        with DRAWING:
            data["svg"] = render(review_figure(result), "svg").decode()
    return data


def review_members(result: Review) -> dict[str, Any]:
    """Return a review for the page, with its first sentence and the scale of grades."""
    grades = [
        {"name": grade.name, "sign": grade.sign, "least": float(grade.least)} for grade in GRADES
    ]
    return {
        "schema": result.schema,
        **result.document(),
        "answer": result.answer,
        "grades": grades,
    }


def _new(explorer: Explorer, request: NewGame) -> PlayedGame:
    """Return a new game."""
    return PlayedGame(
        explorer.requested_game(request),
        light=request.light,
        dark=request.dark,
        date=request.date,
        seed=secrets.randbelow(SEEDS) if request.seed is None else request.seed,
    )


def _read(explorer: Explorer, request: GameRequest | ReviewRequest) -> PlayedGame:
    """Parse the text of a game."""
    has_rules = request.rules is not None or request.pieces is not None
    default = explorer.requested_rules(request) if has_rules else None
    played = parse_game(request.text or "", explorer.sources(default), most=MOST_PLIES)
    if played.rules.pieces > MOST_PIECES:
        raise RefusedError(f"the game must have at most {MOST_PIECES} pieces per player")
    rules = explorer.named(played.rules)
    if rules is None or rules == played.rules:
        return played
    start = Game(rules, played.start.position)  # the same game under the explorer's name
    about = {"light": played.light, "dark": played.dark, "date": played.date}
    again = PlayedGame(start, **about, seed=played.seed, more=played.more)
    again = _replayed(again, played.plies)
    return again if played.roll is None else again.throw(played.roll)


def _replayed(played: PlayedGame, plies: Sequence[Ply]) -> PlayedGame:
    for ply in plies:
        played = played.passed(ply.roll) if ply.move is None else played.play(ply.steps)
    return played


def _with_undone(played: PlayedGame, undone: list[str]) -> PlayedGame:
    """Return a game with its undone plies, of which `redo` plays the last entry first."""
    if not undone:
        return played
    ahead = played
    for ply in reversed(undone):
        ahead = _after_ply(ahead, ply)
    ahead = ahead.undo(len(undone))
    return ahead if played.roll is not None else ahead.undo(0)


def _after_ply(played: PlayedGame, ply: str) -> PlayedGame:
    roll, _, steps = ply.rstrip("x*").partition(":")
    thrown = played if played.roll is not None else played.throw(int(roll))
    return thrown.passed(int(roll)) if steps == "pass" else thrown.play(steps)


def _after_action(explorer: Explorer, played: PlayedGame, action: Any, label: str) -> PlayedGame:
    """Return a game after an action. ``label`` names the action in messages."""
    if not isinstance(action, dict):
        raise RefusedError(f"{label}: must be an object")
    if len(action) != 1 or not action.keys() <= ACTIONS.keys():
        raise RefusedError(f"{label}: must be one of {', '.join(ACTIONS)}")
    ((name, value),) = action.items()
    label = f"{label}, {name}"
    match name, value:
        case "throw", None:
            return rolled(_seeded(played))
        case "throw", roll:
            return played.throw(integer(label, roll, 0, MAX_ROLL))
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
            number = integer(label, plies, 0, MOST_PLIES)
            return played.undo(number) if name == "undo" else played.redo(number)
    raise RefusedError(f"{label}: {ACTIONS[name]}")


def _seeded(played: PlayedGame) -> PlayedGame:
    """Return a game with a random seed for its dice, unless it already has a seed."""
    return played.with_seed(secrets.randbelow(SEEDS)) if played.seed is None else played


def rgn_text(played: PlayedGame) -> str | None:
    """Return a game in RoyalUr's notation, or None if that notation cannot express it."""
    try:
        return played.to_rgn()
    except UsageError:
        return None


def _losses(explorer: Explorer, played: PlayedGame, first: int) -> list[dict[str, Any]]:
    """Return the losses of the plies from an index on, or no rows if they are not known."""
    chances = explorer.known(played.rules).chances
    if chances is None or first == len(played.plies):
        return []
    part = _replayed(PlayedGame(played.plies[first].before), played.plies[first:])
    result = review(part, chances)
    rows = Review.members()["rows"].records(result.plies)
    about = {"approximate": result.approximate}
    return [row | about | {"ply": first + k} for k, row in enumerate(rows, start=1)]

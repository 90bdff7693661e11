"""The answers about positions: their values, views for the page, and checks.

Moves, the positions after them, and values come from `urcx.Game`, `urcx.hint` and
`urcx.solving.probing`. This module contains no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from urcx.agents.agents import Agent
from urcx.enumerate.rankings.ranking import CONVENTIONS, ranking
from urcx.errors import OutOfDomainError, PositionError, TooLargeError, UsageError
from urcx.explore.boards import chance_members
from urcx.explore.explorer import Explorer, PageGame
from urcx.explore.schema import (
    LONGEST_POSITION,
    GameRequest,
    PositionRequest,
    PositionsRequest,
    RefusedError,
    RollRequest,
    RulesRequest,
    SolveRequest,
    ViewRequest,
    string,
)
from urcx.game import SIDES, Game
from urcx.played.hints import Hint, HintMove, hint
from urcx.played.record import described
from urcx.played.values import chance_of
from urcx.rules.model import RuleSet
from urcx.solving import probing
from urcx.solving.probing import OpenSolution


def position_answer(explorer: Explorer, request: RollRequest) -> dict[str, Any]:
    """Return the result of ``urcx probe --json`` for a position.

    Raises
    ------
    RefusedError
        With status 404, if the win probabilities are not known.
    """
    game = explorer.requested_game(request)
    roll = _checked_roll(game, request.roll)
    return {"schema": probing.Probed.schema, **_probed(explorer.solution(game.rules), game, roll)}


def positions_answer(explorer: Explorer, request: PositionsRequest) -> dict[str, Any]:
    """Return the results of ``urcx probe --json`` for many positions.

    Raises
    ------
    RefusedError
        With status 404, if the win probabilities are not known.
    """
    rules, rows = explorer.requested_rules(request), []
    solution = explorer.solution(rules)
    for k, position in enumerate(request.positions):
        request.in_time()
        try:
            game = Game(rules, string("position", position, LONGEST_POSITION))
            rows.append(_probed(solution, game, _checked_roll(game, request.roll)))
        except (RefusedError, UsageError) as error:
            raise RefusedError(f"positions[{k}]: {error}") from None
    return {**_head("urcx.positions/1", rules), "positions": rows}


def _head(schema: str, rules: RuleSet) -> dict[str, Any]:
    return {"schema": schema, "rules": rules.name, "pieces": rules.pieces}


def _probed(solution: OpenSolution, game: Game, roll: int | None) -> dict[str, Any]:
    """Return a position's values in a solution, without the directory of its file."""
    file = None if solution.file is None else solution.file.name
    data = probing.probe(solution, game.position, roll).document()
    return {**data, "file": file, "rules": game.rules.name}


def _checked_roll(game: Game, roll: int | None) -> int | None:
    """Check a roll (None for all rolls), or raise `UsageError` if the dice have no such roll."""
    if roll is not None and not game.is_over:
        game.legal_moves(roll)
    return roll


def check_answer(explorer: Explorer, request: PositionRequest) -> dict[str, Any]:
    """Return a position in urcx's notation, or the error in one line."""
    rules = explorer.requested_rules(request)
    position = error = None
    try:
        position = str(Game(rules, request.position).position)
    except PositionError as fault:
        error = str(fault)
    head = _head("urcx.position-check/1", rules)
    return {**head, "ok": error is None, "position": position, "error": error}


def values_answer(explorer: Explorer, request: RulesRequest) -> dict[str, Any]:
    """Return the state of a rule set's win probabilities, as `PageGame` has it."""
    rules = explorer.requested_rules(request)
    return {**_head("urcx.values/1", rules), **explorer.known(rules).members()}


def solve_answer(explorer: Explorer, request: SolveRequest) -> dict[str, Any]:
    """Start or stop solving a rule set in the background, and return its state."""
    rules = explorer.requested_rules(request)
    game = explorer.stop(rules) if request.stop else explorer.solve(rules)
    return {**_head("urcx.values/1", rules), **game.members()}


def view_answer(explorer: Explorer, request: ViewRequest) -> dict[str, Any]:
    """Return everything that the page shows of a position."""
    game = explorer.requested_game(request)
    return view(explorer, game, _checked_roll(game, request.roll), request)


def view(
    explorer: Explorer, game: Game, roll: int | None, request: ViewRequest | GameRequest
) -> dict[str, Any]:
    """Return everything that the page shows of a position, for one roll or for all."""
    rules = game.rules
    values, players = explorer.known(rules), explorer.players
    agents = {name: players.state(name, rules, values.solution) for name in request.agents}
    while True:
        ready = {
            name: players.get(name, rules, values.solution)
            for name, (state, _) in agents.items()
            if state == "ready"
        }
        try:
            with players.asking(ready):
                rolls = _rolls(game, roll, values, ready, request)
            break
        except TooLargeError as error:  # a search is too large here, but not from the start
            searching = [name for name, agent in ready.items() if agent.leaf is not None]
            if not searching:
                raise
            agents |= dict.fromkeys(searching, ("refused", str(error)))
    light = None
    if values.chances is not None:
        light = float(chance_of(values.chances, game, "light"))
    return {
        **_head("urcx.view/1", rules),
        "position": str(game.position),
        "to_move": game.turn,
        "winner": game.winner,
        "sides": {side: _side(game, side) for side in SIDES},
        "ranks": _ranks(game),
        "values": values.members(),
        **_chances(game, values, light),
        "agents": [
            {"name": name, "state": state, "message": explorer.without_directories(reason) or None}
            for name, (state, reason) in agents.items()
        ],
        "rolls": rolls,
    }


def _side(game: Game, side: str) -> dict[str, Any]:
    """Return the places of a side's pieces."""
    steps, way = getattr(game.position, side), getattr(game.rules.path, side)
    home = game.position.home[SIDES.index(side)]
    return {
        "start": game.rules.pieces - home - len(steps),
        "home": home,
        "pieces": [{"step": step, "tile": way[step - 1]} for step in steps],
    }


def _ranks(game: Game) -> dict[str, Any]:
    """Return the position's rank in each convention of which it is a state."""
    ranks = {}
    for name in CONVENTIONS:
        try:
            order = ranking(game.rules.path, game.rules.pieces, convention=name)
            ranks[name] = {"rank": str(order.rank(game.position)), "size": str(order.size)}
        except (OutOfDomainError, TooLargeError):
            continue
    return ranks


def _chances(game: Game, values: PageGame, light: float | None) -> dict[str, Any]:
    """Return the win probability of the player to move, with its bounds, and light's.

    Both are before the roll.
    """
    value = lower = upper = None
    if light is not None:
        value = light if game.turn == "light" else 1.0 - light
        bound = 0.0 if game.is_over and values.solution else values.bound
        if bound is not None:
            lower, upper = max(0.0, value - bound), min(1.0, value + bound)
    return {"value": value, "lower": lower, "upper": upper, "light_value": light}


def _rolls(
    game: Game,
    roll: int | None,
    values: PageGame,
    agents: dict[str, Agent],
    request: ViewRequest | GameRequest,
) -> list[dict[str, Any]]:
    """Return all rolls, or a single roll, with their moves, best first."""
    rows = []
    for number, chance in game.rules.dice.items():
        if game.is_over or roll not in (None, number):
            continue
        request.in_time()
        advice = hint(
            game,
            number,
            values.chances,
            agents=list(agents.values()),
            known=values.chances is not None,
        )
        rows.append(
            {
                "roll": number,
                **chance_members(chance),
                "value": None if advice.rolled is None else float(advice.rolled),
                "moves": [move_members(advice, move, list(agents)) for move in advice.moves],
            }
        )
    return rows


def move_members(advice: Hint, row: HintMove, agents: Sequence[str] = ()) -> dict[str, Any]:
    """Return a move or a pass: its effects, the position after it, its value, and its players."""
    move, path = row.move, getattr(advice.rules.path, advice.game.turn)
    tiles: dict[int | None, str] = dict(enumerate(path, start=1))
    start, end = (None, None) if move is None else (move.start, move.end)
    return {
        "pass": move is None,
        "from": start,
        "to": end,
        "from_tile": tiles.get(start),
        "to_tile": tiles.get(end),
        "captures": move is not None and move.captures,
        "rosette": move is not None and move.rosette,
        "rolls_again": move is not None and move.rolls_again,
        "words": described(advice.game, move),
        "position": str(row.after.position),
        "value": None if row.chance is None else float(row.chance),
        "regret": None if row.regret is None else float(row.regret),
        "best": row.is_best,
        "plays": {name: str(share) for name, share in zip(agents, row.plays, strict=False)},
    }

"""What is answered about one position: its values, all that a page shows, whether it can be.

Moves, what they lead to and what they are worth come from `urcx.Game`, `urcx.hint` and
`urcx.solving.probing`; no rule is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from urcx.agents.agents import Agent
from urcx.enumerate.rankings.ranking import CONVENTIONS, ranking
from urcx.errors import OutOfDomainError, PositionError, TooLargeError, UsageError
from urcx.explore.boards import chance_members, game_asked, known_answer, rules_asked
from urcx.explore.explorer import Explorer, Known
from urcx.explore.parameters import LONGEST_POSITION, Parameters, RefusedError
from urcx.explore.players import MOST_AGENTS
from urcx.game import SIDES, Game
from urcx.played.hints import Hint, HintMove, hint
from urcx.played.record import described
from urcx.played.values import chance_of
from urcx.rules.model import RuleSet
from urcx.solving import probing
from urcx.solving.probing import OpenSolution

HIGHEST_ROLL = 999
MOST_POSITIONS = 1000  # in a request


def position_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return what ``urcx probe --json`` gives of a position.

    Raises
    ------
    RefusedError
        With status 404, if the chances of winning are not known.
    """
    asked.only("rules", "pieces", "position", "roll")
    game = game_asked(explorer, asked)
    roll, rules = _roll(asked, game), game.rules
    return {"schema": probing.PROBE.name, **_probed(explorer.solution(rules), game, roll)}


def positions_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return the same of many positions.

    Raises
    ------
    RefusedError
        With status 404, if the chances of winning are not known.
    """
    asked.only("rules", "pieces", "positions", "roll")
    rules, found = rules_asked(explorer, asked), []
    solution = explorer.solution(rules)
    for k, given in enumerate(asked.items("positions", MOST_POSITIONS)):
        asked.in_time()
        try:
            game = Game(
                rules, Parameters({"position": given}).text("position", "", LONGEST_POSITION)
            )
            found.append(_probed(solution, game, _roll(asked, game)))
        except (RefusedError, UsageError) as error:
            raise RefusedError(f"positions[{k}]: {error}") from None
    return {
        "schema": "urcx.positions/1",
        "rules": rules.name,
        "pieces": rules.pieces,
        "positions": found,
    }


def _probed(solution: OpenSolution, game: Game, roll: int | None) -> dict[str, Any]:
    """Return what a solution has of a position, without the directory of its file."""
    named = None if solution.file is None else solution.file.name
    found = probing.probe(solution, game.position, roll).data
    return {**found, "file": named, "rules": game.rules.name}


def _roll(asked: Parameters, game: Game) -> int | None:
    """Return the roll that is asked about, None for all; raises `UsageError` for no such roll."""
    roll = asked.whole("roll", 0, HIGHEST_ROLL)
    if roll is not None and not game.is_over:
        game.legal_moves(roll)
    return roll


def check_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return whether a position can be, in notation as urcx writes it, or what is wrong with it."""
    asked.only("rules", "pieces", "position")
    rules = rules_asked(explorer, asked)
    found: dict[str, Any] = {
        "schema": "urcx.position-check/1",
        "rules": rules.name,
        "pieces": rules.pieces,
    }
    try:
        game = game_asked(explorer, asked)
    except PositionError as error:
        return found | {"ok": False, "position": None, "error": str(error)}
    return found | {"ok": True, "position": str(game.position), "error": None}


def values_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return what is known of a rule set's chances of winning."""
    return _values(explorer, asked, explorer.known)


def solve_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Have a rule set solved in the background, or end that, and return what is known now."""
    return _values(explorer, asked, explorer.stop if asked.flag("stop") else explorer.solve, "stop")


def _values(
    explorer: Explorer, asked: Parameters, find: Callable[[RuleSet], Known], *more: str
) -> dict[str, Any]:
    asked.only("rules", "pieces", *more)
    rules = rules_asked(explorer, asked)
    return {
        "schema": "urcx.values/1",
        "rules": rules.name,
        "pieces": rules.pieces,
        **known_answer(find(rules)),
    }


def view_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return all that a page shows of a position."""
    asked.only("rules", "pieces", "position", "roll", "agents")
    game = game_asked(explorer, asked)
    return view(explorer, game, _roll(asked, game), asked)


def view(explorer: Explorer, game: Game, roll: int | None, asked: Parameters) -> dict[str, Any]:
    """Return all that a page shows of a position, for a roll or for all."""
    rules, place = game.rules, game.position
    known, players = explorer.known(rules), explorer.players
    agents = {
        name: players.state(name, rules, known.solution)
        for name in asked.names("agents", MOST_AGENTS)
    }
    while True:
        ready = {
            name: players.get(name, rules, known.solution)
            for name, (state, _) in agents.items()
            if state == "ready"
        }
        try:
            with players.asking(ready):
                rolls = _rolls(game, roll, known, ready, asked)
            break
        except TooLargeError as error:  # to look ahead from here, though not from the start
            far = [name for name, one in ready.items() if one.leaf is not None]
            if not far:
                raise
            agents |= dict.fromkeys(far, ("refused", str(error)))
    light = None
    if known.chances is not None:
        light = float(chance_of(known.chances, game, "light"))
    return {
        "schema": "urcx.view/1",
        "rules": rules.name,
        "pieces": rules.pieces,
        "position": str(place),
        "to_move": game.turn,
        "winner": game.winner,
        "sides": {side: _side(game, side) for side in SIDES},
        "ranks": _ranks(game),
        "values": known_answer(known),
        **_chances(game, known, light),
        "agents": [
            {"name": name, "state": state, "message": explorer.without_directories(why) or None}
            for name, (state, why) in agents.items()
        ],
        "rolls": rolls,
    }


def _side(game: Game, side: str) -> dict[str, Any]:
    """Return where a side's pieces are."""
    steps, way = getattr(game.position, side), getattr(game.rules.path, side)
    home = game.position.home[SIDES.index(side)]
    return {
        "start": game.rules.pieces - home - len(steps),
        "home": home,
        "pieces": [{"step": step, "tile": way[step - 1]} for step in steps],
    }


def _ranks(game: Game) -> dict[str, Any]:
    """Return the position's rank among all states, in every convention that it is a state of."""
    found = {}
    for name in CONVENTIONS:
        try:
            order = ranking(game.rules.path, game.rules.pieces, convention=name)
            found[name] = {"rank": str(order.rank(game.position)), "size": str(order.size)}
        except (OutOfDomainError, TooLargeError):
            continue
    return found


def _chances(game: Game, known: Known, light: float | None) -> dict[str, Any]:
    """Return the chances before the roll: of who is to move, with its bounds, and light's."""
    value = lower = upper = None
    if light is not None:
        value = light if game.turn == "light" else 1.0 - light
        bound = 0.0 if game.is_over and known.solution else known.bound
        if bound is not None:
            lower, upper = max(0.0, value - bound), min(1.0, value + bound)
    return {"value": value, "lower": lower, "upper": upper, "light_value": light}


def _rolls(
    game: Game, roll: int | None, known: Known, agents: dict[str, Agent], asked: Parameters
) -> list[dict[str, Any]]:
    """Return every roll, or the one asked about, with its moves, best first."""
    if game.is_over:
        return []
    dice = game.rules.dice
    found = []
    for one, chance in zip(dice.rolls, dice.probabilities, strict=True):
        if roll is not None and one != roll:
            continue
        asked.in_time()
        told = hint(
            game,
            one,
            known.chances,
            agents=list(agents.values()),
            known=known.chances is not None,
        )
        found.append(
            {
                "roll": one,
                **chance_members(chance),
                "value": None if told.rolled is None else float(told.rolled),
                "moves": [_move(told, move, list(agents)) for move in told.moves],
            }
        )
    return found


def _move(told: Hint, one: HintMove, agents: list[str]) -> dict[str, Any]:
    """Return a move or a pass: what it does, where it leads, what it is worth, who plays it."""
    move, way = one.move, getattr(told.rules.path, told.game.turn)
    tiles: dict[int | None, str] = dict(enumerate(way, start=1))
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
        "words": described(told.game, move),
        "position": str(one.after.position),
        "value": None if one.chance is None else float(one.chance),
        "regret": None if one.regret is None else float(one.regret),
        "best": one.is_best,
        "plays": {name: str(share) for name, share in zip(agents, one.plays, strict=False)},
    }

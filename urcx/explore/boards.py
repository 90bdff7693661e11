"""What is drawn and counted of a rule set: the catalogue, boards, closed forms, drawings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from typing import Any

from urcx.complexity import forms, tiles
from urcx.engine.memory import size_text
from urcx.enumerate.rankings.ranking import ranking
from urcx.enumerate.state_space import ROWS, StateSpace, state_spaces
from urcx.errors import TooLargeError
from urcx.explore.examples import EXAMPLES_OF, examples
from urcx.explore.explorer import MOST_PIECES, WHOLE, Explorer, Known
from urcx.explore.opponents import opponents
from urcx.explore.parameters import LONGEST_POSITION, Parameters, RefusedError
from urcx.explore.players import MOST_AGENTS
from urcx.game import SIDES, Game
from urcx.played.players import LAST_RESORT
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet
from urcx.rules.pictures import board_svg
from urcx.solving.files.kept import can_be_solved

START = "-/-/0-0/L"
MOST_COUNTS = 30  # numbers of pieces in an answer
# Members of a row of ``urcx ssc --json`` that only an enumeration gives.
VISITED = ("enumerated", "checksum", "seconds", "diagrams_per_second")


def rules_asked(explorer: Explorer, asked: Parameters) -> RuleSet:
    """Return the rule set that a request names, by default the one that a page begins with.

    Its number of pieces is the default only for this rule set; every other has its own.
    """
    first = explorer.first
    pieces = asked.whole("pieces", 1, MOST_PIECES)
    if "rules" not in asked.values and pieces is None:
        return first
    return explorer.ruleset(asked.text("rules", first.name), pieces)


def game_asked(explorer: Explorer, asked: Parameters) -> Game:
    """Return the position that a request names, by default its rules' start."""
    rules = rules_asked(explorer, asked)
    return Game(rules, asked.text("position", START, LONGEST_POSITION))


def catalogue_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return what there is: rule sets, paths, agents, tablebases, and where a page begins."""
    asked.only()
    first = explorer.first
    return {
        "schema": "urcx.catalogue/1",
        "default": {"rules": first.name, "pieces": first.pieces} | _opening(explorer),
        "most_pieces": MOST_PIECES,
        "most_counts": MOST_COUNTS,
        "whole": None if explorer.known(first).solution else WHOLE,
        "examples": _examples(explorer),
        "rules": [_rule_set(explorer, one) for one in explorer.rules],
        "paths": [_path(one) for one in explorer.paths],
        "agents": [
            {"name": name, "title": title, "most_depth": depth}
            for name, title, depth in explorer.players.known()
        ],
        "default_agent": LAST_RESORT,
        "opponents": [one for rules in explorer.rules for one in _opponents(rules)],
        "most_agents": MOST_AGENTS,
        "tablebases": [
            {
                "file": base.file.name,
                "rules": own.name,
                "pieces": own.pieces,
                "bound": base.bound,
                "store": base.store,
                "states": str(sum(base.order.size(layer) for layer in base.order.layers)),
                "bytes": base.file.stat().st_size,
            }
            for base, own in explorer.tablebases
        ],
    }


def _examples(explorer: Explorer) -> list[dict[str, Any]]:
    """Return the positions that are worth looking at."""
    finkel = catalogue.ruleset(EXAMPLES_OF)
    named = explorer.named(finkel)
    if named is None:
        return []
    game = {"rules": named.name, "pieces": named.pieces}
    return [
        game
        | {"title": one.title(finkel)}
        | {key: getattr(one, key) for key in ("position", "roll", "played")}
        for one in examples()
    ]


def _opening(explorer: Explorer) -> dict[str, Any]:
    """Return the position and the roll that a page begins with: an example, or the start."""
    found = _examples(explorer)
    first = explorer.first
    if found and (found[0]["rules"], found[0]["pieces"]) == (first.name, first.pieces):
        return {name: found[0][name] for name in ("position", "roll")}
    return {"position": START, "roll": None}


def _opponents(rules: RuleSet) -> list[dict[str, Any]]:
    """Return the opponents whose strength is known by a rule set, the weakest first."""
    return [
        {
            "agent": name,
            "rules": rules.name,
            "pieces": rules.pieces,
            "wins": known.wins,
            "within": known.within,
        }
        for name, known in opponents(rules).items()
    ]


def _rule_set(explorer: Explorer, rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as the catalogue lists it."""
    sizes = range(1, rules.pieces + 1)
    solvable = takewhile(lambda n: can_be_solved(replace(rules, pieces=n)), sizes)
    return {
        "name": rules.name,
        "title": rules.title,
        "aliases": list(rules.aliases),
        "path": rules.path.name,
        "board": rules.path.board.name,
        "pieces": rules.pieces,
        "dice": rules.dice.name,
        **rules.effects,
        "values": explorer.known(rules).state,
        "solvable_pieces": max(solvable, default=0),
    }


def _path(path: Path) -> dict[str, Any]:
    """Return a path as the catalogue lists it."""
    return {
        "name": path.name,
        "title": path.title,
        "about": path.describe(),
        "board": path.board.name,
        "length": path.length,
        "shared": path.shared,
        "private": list(path.private),
        "crossed_once": path.crossed_once,
    }


def known_answer(known: Known) -> dict[str, Any]:
    """Return what is known of the chances of winning, as several answers have it."""
    offer, estimates = known.offer, known.estimates
    return {
        "state": known.state,
        "source": known.source,
        "file": known.file,
        "bound": known.bound,
        "share": offer.share if offer is not None and offer.kept else known.share,
        "kept": size_text(offer.kept) if offer is not None and offer.kept else None,
        "message": known.message or None,
        "error": known.error or None,
        "stops": known.stops,
        "estimates": None if estimates is None else estimates.about,
        "at_once": known.at_once,
        "takes": None if offer is None else offer.takes,
        "fits": None if offer is None else offer.fits,
        "most_pieces": None if offer is None else offer.pieces,
        "solved_pieces": known.solved,
    }


def board_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return how a board is drawn, and the numbers that belong to it.

    A path alone has neither dice nor rules.
    """
    asked.only("rules", "path", "pieces")
    pieces = asked.whole("pieces", 1, MOST_PIECES)
    if "path" not in asked.values:
        rules = rules_asked(explorer, asked)
        return board_members(rules.path, rules.pieces, rules)
    if "rules" in asked.values:
        raise RefusedError("rules and path: one of the two is wanted")
    return board_members(explorer.path(asked.text("path")), pieces)


def board_members(path: Path, pieces: int | None, rules: RuleSet | None = None) -> dict[str, Any]:
    """Return a path's geometry; with rules, their dice; with pieces, the numbers of states."""
    places = {one: grid_place(path, one) for one in path.board.tiles}
    found: dict[str, Any] = {
        "schema": "urcx.board/1",
        "rules": None if rules is None else rules.name,
        "title": path.title if rules is None else rules.title,
        "pieces": pieces,
        "path": path.name,
        "board": path.board.name,
        "columns": 1 + max(x for x, _ in places.values()),
        "rows": 1 + max(y for _, y in places.values()),
        "tiles": [_tile(path, rules, name, place) for name, place in places.items()],
        "light": list(path.light),
        "dark": list(path.dark),
        "laps": list(path.laps),
        "home": {side: 1 + len(getattr(path, side)) for side in SIDES},
        "dice": None,
        "effects": None,
        "states": None,
        "counts": None,
    }
    if rules is not None:
        found |= {"dice": _dice(rules.dice), "effects": rules.effects}
    if pieces is not None:
        conventions = tiles.conventions(path, pieces)
        found["states"] = {name: str(number) for name, number in conventions.items()}
        found["counts"] = _counted(state_spaces(path, pieces))
    return found


def grid_place(path: Path, tile: str) -> tuple[int, int]:
    """Return a tile's column and row in a drawing, from the left and from the top, from 0.

    Rows of tiles run from left to right, light's wing below, as in `board_svg`.
    """
    board = path.board
    return int(tile[1:]) - board.rows[0], board.columns[::-1].index(tile[0])


def _tile(path: Path, rules: RuleSet | None, name: str, place: tuple[int, int]) -> dict[str, Any]:
    """Return a tile: its place, whose path crosses it at which steps, and what it does."""
    steps = {
        side: [k for k, one in enumerate(getattr(path, side), start=1) if one == name]
        for side in SIDES
    }
    shared = bool(steps["light"] and steps["dark"])
    rosette = name in path.board.rosettes
    zone = "shared" if shared else next((side for side in SIDES if steps[side]), "unused")
    safe = bool(not shared or (rules is not None and rules.rosette_protects and rosette))
    x, y = place
    return {"name": name, "x": x, "y": y, "rosette": rosette, "zone": zone, "safe": safe, **steps}


def _dice(dice: Dice) -> dict[str, Any]:
    pairs = zip(dice.rolls, dice.probabilities, strict=True)
    return {
        "name": dice.name,
        "title": dice.title,
        "mean": str(dice.mean),
        "rolls": [{"roll": roll, **chance_members(chance)} for roll, chance in pairs],
    }


def chance_members(chance: Fraction) -> dict[str, Any]:
    """Return how likely a roll is: exactly, and as a number."""
    return {"chance": str(chance), "chance_decimal": float(chance)}


def _counted(row: StateSpace) -> dict[str, Any]:
    """Return a row of ``urcx ssc --json`` without what only an enumeration gives."""
    return {key: value for key, value in ROWS.record(row).items() if key not in VISITED}


def counts_answer(explorer: Explorer, asked: Parameters) -> dict[str, Any]:
    """Return the forms and the exact number of states for a path and numbers of pieces."""
    asked.only("path", "pieces")
    path = explorer.path(asked.text("path", explorer.first.path.name))
    numbers = asked.span("pieces", "1..7", MOST_PIECES, MOST_COUNTS)
    return {
        "schema": "urcx.counts/1",
        "path": path.name,
        "pieces": list(numbers),
        "convention": "diagrams",
        "exactness": {name: form.status for name, form in forms.FORMS.items()},
        "sources": {name: form.source for name, form in forms.FORMS.items()},
        "rows": [_counted(state_spaces(path, n)) | {"ranked": _ranked(path, n)} for n in numbers],
    }


def _ranked(path: Path, pieces: int) -> str | None:
    """Return the size of the ranking, which proves the number; None for paths without one."""
    try:
        return str(ranking(path, pieces).size)
    except TooLargeError:
        return None


def drawing_answer(explorer: Explorer, asked: Parameters) -> str:
    """Return a position as SVG, a file of its own."""
    asked.only("rules", "pieces", "position", "ways")
    ways = asked.names("ways", len(SIDES))
    if not set(ways) <= {*SIDES}:
        raise RefusedError("ways: light, dark, or both are wanted")
    game = game_asked(explorer, asked)
    title = f"{game.position} ({game.rules.name})"
    return board_svg(game.rules, game.position, ways=ways, title=title, standalone=True)

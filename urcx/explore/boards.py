"""The answers about rule sets: the catalogue, boards, closed forms and drawings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from importlib import resources
from itertools import takewhile
from typing import Any

from urcx.complexity import forms, tiles
from urcx.engine.moves import legal_moves
from urcx.enumerate.rankings.ranking import ranking
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.errors import TooLargeError
from urcx.explore.explorer import WHOLE, Explorer
from urcx.explore.schema import (
    MOST_AGENTS,
    MOST_COUNTS,
    MOST_PIECES,
    START,
    BoardRequest,
    CountsRequest,
    DrawingRequest,
    RefusedError,
    Request,
)
from urcx.game import SIDES
from urcx.played.players import LAST_RESORT
from urcx.reading import package_toml
from urcx.results.fields import fields_of
from urcx.rules import catalogue
from urcx.rules.drawing import rules_in_words
from urcx.rules.model import Dice, Path, RuleSet
from urcx.rules.pictures import board_svg
from urcx.solving.files.kept import can_be_solved

# Fields of a row of ``urcx ssc --json`` that only an enumeration can fill.
VISITED = ("enumerated", "checksum", "seconds", "diagrams_per_second")
EXAMPLES_OF = "finkel"


# --- examples and opponents that come with urcx


@dataclass(frozen=True)
class Example:
    """An interesting position with a roll. Light is to move.

    There are three kinds:

    - A *dilemma* is an early decision in optimal play whose best two moves are nearly equal.
    - A *mistake* is a decision with which the agent ``greedy`` loses most, among the first plies of
      its games against optimal play. ``played`` is the step that its piece leaves.
    - The *closest* decision has the smallest difference between its best two moves in all states,
      except zero.

    ``apart`` is the loss of a mistake, and for the other kinds the difference of the best two
    moves, as a win probability.
    """

    kind: str
    position: str
    roll: int
    apart: float
    often: float | None = None
    played: int | None = None

    def title(self, rules: RuleSet) -> str:
        """Return the point of the example, in one line."""
        points = 100 * self.apart
        size = f"exactly {f'{points:.2f}' if points >= 0.01 else f'{points:.1e}'} points"
        if self.kind == "dilemma":
            return f"Opening dilemma with a {self.roll}: the best moves are {size} apart"
        if self.kind == "closest":
            return f"The closest decision of the whole game: the best moves are {size} apart"
        moves = legal_moves(self.position, self.roll, rules)
        (move,) = (move for move in moves if move.start == self.played)
        words = move.describe(rules.path, light=True)
        return f"Common mistake with a {self.roll}: {words} loses {size}"


@cache
def examples() -> tuple[Example, ...]:
    """Return the examples, which are positions of Finkel's whole game."""
    return tuple(
        Example(**entry) for entry in package_toml("explore/data/examples.toml")["example"]
    )


@cache
def example_game() -> str:
    """Return the text of a game to review: Finkel's whole game, with mistakes of both players."""
    return resources.files("urcx.explore").joinpath("data", "game.txt").read_text(encoding="utf-8")


_strengths = cache(partial(package_toml, "explore/data/opponents.toml"))


def opponents(rules: RuleSet) -> dict[str, dict[str, float]]:
    """Return the agents with a measured strength in a rule set, the weakest first.

    Each has ``wins``, its win rate against optimal play, and ``within``, half the width of the 95 %
    interval, or 0 if the rate is exact.
    """
    strengths = _strengths().get(f"{rules.name}-{rules.pieces}", {})
    ordered = sorted(strengths.items(), key=lambda item: float(item[1]["wins"]))
    return {name: {"within": 0.0} | strength for name, strength in ordered}


# --- answers


def catalogue_answer(explorer: Explorer, _: Request) -> dict[str, Any]:
    """Return the rule sets, paths, agents and tablebases, and the position of a new page."""
    first = explorer.first
    return {
        "schema": "urcx.catalogue/1",
        "default": {"rules": first.name, "pieces": first.pieces} | _opening(explorer),
        "most_pieces": MOST_PIECES,
        "most_counts": MOST_COUNTS,
        "whole": None if explorer.known(first).solution else WHOLE,
        "examples": _examples(explorer),
        "example_game": example_game() if explorer.named(catalogue.ruleset(EXAMPLES_OF)) else None,
        "rules": [_rule_set(explorer, rules) for rules in explorer.rules],
        "paths": [_path(path) for path in explorer.paths],
        "agents": [
            {"name": name, "title": title, "most_depth": depth}
            for name, title, depth in explorer.players.known()
        ],
        "default_agent": LAST_RESORT,
        "opponents": [
            {"agent": name, "rules": rules.name, "pieces": rules.pieces, **strength}
            for rules in explorer.rules
            for name, strength in opponents(rules).items()
        ],
        "most_agents": MOST_AGENTS,
        "tablebases": [
            {
                "file": base.file.name,
                "rules": rules.name,
                "pieces": rules.pieces,
                "bound": base.bound,
                "store": base.store,
                "states": str(sum(base.order.size(layer) for layer in base.order.layers)),
                "bytes": base.file.stat().st_size,
            }
            for base, rules in explorer.tablebases
        ],
    }


def _examples(explorer: Explorer) -> list[dict[str, Any]]:
    """Return the examples, if the explorer has their game."""
    finkel = catalogue.ruleset(EXAMPLES_OF)
    rules = explorer.named(finkel)
    if rules is None:
        return []
    return [
        {
            "rules": rules.name,
            "pieces": rules.pieces,
            "title": example.title(finkel),
            "position": example.position,
            "roll": example.roll,
            "played": example.played,
        }
        for example in examples()
    ]


def _opening(explorer: Explorer) -> dict[str, Any]:
    """Return the position and roll with which the page opens: an example, or the start."""
    first = explorer.first
    for example in _examples(explorer)[:1]:
        if (example["rules"], example["pieces"]) == (first.name, first.pieces):
            return {name: example[name] for name in ("position", "roll")}
    return {"position": START, "roll": None}


def _rule_set(explorer: Explorer, rules: RuleSet) -> dict[str, Any]:
    """Return the catalogue's entry of a rule set."""
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
    """Return the catalogue's entry of a path."""
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


def board_answer(explorer: Explorer, request: BoardRequest) -> dict[str, Any]:
    """Return the geometry of a board, with dice and rules unless the request names only a path."""
    if request.path is None:
        rules = explorer.requested_rules(request)
        return board_members(rules.path, rules.pieces, rules)
    if request.rules is not None:
        raise RefusedError("rules, path: must be only one of the two")
    return board_members(explorer.path(request.path), request.pieces)


def board_members(path: Path, pieces: int | None, rules: RuleSet | None = None) -> dict[str, Any]:
    """Return a path's geometry, with the dice of the rules and the numbers of states, if any."""
    places = {tile: grid_place(path, tile) for tile in path.board.tiles}
    members: dict[str, Any] = {
        "schema": "urcx.board/1",
        "rules": None if rules is None else rules.name,
        "title": path.title if rules is None else rules.title,
        "in_words": None if rules is None else rules_in_words(rules),
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
        members |= {"dice": _dice(rules.dice), "effects": rules.effects}
    if pieces is not None:
        conventions = tiles.conventions(path, pieces)
        members["states"] = {name: str(number) for name, number in conventions.items()}
        members["counts"] = _count_row(state_spaces(path, pieces))
    return members


def grid_place(path: Path, tile: str) -> tuple[int, int]:
    """Return a tile's column from the left and row from the top in a drawing, from 0.

    The board's rows run from left to right, with light's wing at the bottom, as in `board_svg`.
    """
    board = path.board
    return int(tile[1:]) - board.rows[0], board.columns[::-1].index(tile[0])


def _tile(path: Path, rules: RuleSet | None, name: str, place: tuple[int, int]) -> dict[str, Any]:
    """Return a tile: its place, the steps of both paths on it, and its effects."""
    steps = {
        side: [k for k, tile in enumerate(getattr(path, side), start=1) if tile == name]
        for side in SIDES
    }
    shared = bool(steps["light"] and steps["dark"])
    rosette = name in path.board.rosettes
    zone = "shared" if shared else next((side for side in SIDES if steps[side]), "unused")
    safe = not shared
    if rules is not None:
        safe |= rules.captures_blocked or (rules.rosette_protects and rosette)
    x, y = place
    return {"name": name, "x": x, "y": y, "rosette": rosette, "zone": zone, "safe": safe, **steps}


def _dice(dice: Dice) -> dict[str, Any]:
    pairs = dice.items()
    return {
        "name": dice.name,
        "title": dice.title,
        "mean": str(dice.mean),
        "rolls": [{"roll": roll, **chance_members(chance)} for roll, chance in pairs],
    }


def chance_members(chance: Fraction) -> dict[str, Any]:
    """Return the probability of a roll, as a fraction and as a number."""
    return {"chance": str(chance), "chance_decimal": float(chance)}


def _count_row(row: StateSpace) -> dict[str, Any]:
    """Return a row of ``urcx ssc --json``, without the fields of an enumeration."""
    return fields_of(StateSpace).without(*VISITED).record(row)


def counts_answer(explorer: Explorer, request: CountsRequest) -> dict[str, Any]:
    """Return the closed forms and the exact count for a path and each number of pieces."""
    path = explorer.path(request.path or explorer.first.path.name)
    numbers = request.pieces
    return {
        "schema": "urcx.counts/1",
        "path": path.name,
        "pieces": list(numbers),
        "convention": "diagrams",
        "exactness": {name: form.status for name, form in forms.FORMS.items()},
        "sources": {name: form.source for name, form in forms.FORMS.items()},
        "rows": [
            _count_row(state_spaces(path, n)) | {"ranked": _ranking_size(path, n)} for n in numbers
        ],
    }


def _ranking_size(path: Path, pieces: int) -> str | None:
    """Return the size of the ranking, which proves the count, or None for paths without ranking."""
    try:
        return str(ranking(path, pieces).size)
    except TooLargeError:
        return None


def drawing_answer(explorer: Explorer, request: DrawingRequest) -> str:
    """Return a position as a complete SVG file."""
    game = explorer.requested_game(request)
    title = f"{game.position} ({game.rules.name})"
    return board_svg(game.rules, game.position, ways=request.ways, title=title, standalone=True)

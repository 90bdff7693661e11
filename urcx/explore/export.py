"""The page as one file, which needs no server.

It is the server's page with another script instead of ``api.js``. The scripts become functions of
one script, and the file contains the style sheet and the icon. There are two such files:

- The file of ``urcx explore --export`` plays and shows values, by ``offline.js``. It has Finkel's
  game with three pieces, solved, and with seven pieces, estimated by the network that comes with
  urcx.
- The file of ``urcx review -o FILE.html`` has one review, and stored answers for ``stored.js``.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, shipped
from urcx.engine.threads import Stage, no_progress
from urcx.errors import UsageError
from urcx.explore.boards import board_answer, board_members, catalogue_answer, chance_members
from urcx.explore.explorer import FIRST, Explorer, PageGame
from urcx.explore.files import static_files
from urcx.explore.games import review_members, rgn_text
from urcx.explore.positions import move_members
from urcx.explore.schema import MOST_PIECES, START, BoardRequest, Request
from urcx.played.game_review import Review
from urcx.played.hints import Hint
from urcx.played.values import SolvedGame, network_estimates
from urcx.rules import catalogue
from urcx.rules.model import RuleSet, check_flags
from urcx.rules.position import Position
from urcx.solving.layered.order import LayerOrder

SMALL = 3  # pieces of the solved game
# The page opens with A2/C3,C2/0-0/L, the decision with which greedy loses most in that game.
OPENING = {"position": "3/2,3/0-0/L", "roll": 2}
ROUNDED = 2.0**-25  # the rounding error of its values as 32-bit floats
AGENTS = ("random", "greedy", "optimal", "learned")
GRADED = re.compile(rf"{'|'.join(AGENTS)}|mistakes:\d+:learned")
IMPORT = re.compile(r'^import (?:\* as (\w+)|\{ (.*?) \}) from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function) ([\w$]+))", re.MULTILINE)
# The parts of the page that need the server.
HIDDEN = "#tab-review, #tab-counts, " + ", ".join(
    f"[data-key={name}]" for name in ("review", "save", "svg", "copy")
)
HIDDEN_IN_REVIEW = ".tabs, #game, #how, .card:has([data-key=load]), [data-key=x-svg]"


def exported(stage: Stage = no_progress) -> str:
    """Return the page as one HTML file, which loads nothing else."""
    return _joined("offline", _data(stage), HIDDEN)


def review_page(review: Review) -> str:
    """Return the page with one review as one HTML file, which loads nothing else.

    Raises
    ------
    UsageError
        If the game has more pieces than the page shows.
    """
    if review.rules.pieces > MOST_PIECES:
        raise UsageError(f"the page shows at most {MOST_PIECES} pieces per player")
    return _joined("stored", _review_data(review), HIDDEN_IN_REVIEW)


def _joined(api: str, data: dict[str, Any], hidden: str) -> str:
    """Return the page as one file, with a script instead of ``api.js``, and its data."""
    files = {name: data.decode("utf-8") for name, data in static_files().items()}
    page = files["index.html"]
    page = re.sub(r'<link rel="(?:modulepreload|stylesheet|icon)".*\n', "", page)
    icon = b64encode(files["icon.svg"].encode()).decode()
    page = page.replace("static/icon.svg", f"data:image/svg+xml;base64,{icon}")
    styles = f"{files['style.css']}\n{hidden} {{ display: none !important; }}"
    stored = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    script = '<script type="module" src="static/app.js"></script>\n'
    if script not in page:
        raise ValueError("static/index.html does not load app.js as expected")
    parts = [
        f"<style>\n{styles}\n</style>",
        f'<script type="application/json" id="offline">{stored}</script>',
        f'<script type="module">\n{bundled(files, "app", api)}</script>',
    ]
    return page.replace(script, "\n".join(parts) + "\n")


def bundled(files: dict[str, str], first: str, api: str = "offline") -> str:
    """Join a script and its imports to one script, with another script instead of ``api.js``."""
    added: list[str] = []
    parts: list[str] = ["const modules = {};\n"]

    def add(name: str) -> None:
        if name in added:
            return
        added.append(name)
        text = files[f"{api if name == 'api' else name}.js"]
        for _, _, other in IMPORT.findall(text):
            add(other)
        names = EXPORT.findall(text)
        text = IMPORT.sub(_bound, text)
        text = EXPORT.sub("", text)
        parts.append(
            f"modules.{name} = (() => {{\n{text}\nreturn {{ {', '.join(names)} }};\n}})();\n"
        )

    add(first)
    return "".join(parts)


def _bound(match: re.Match[str]) -> str:
    namespace, names, module = match.groups()
    if namespace:
        return f"const {namespace} = modules.{module};\n"
    return f"const {{ {names.replace(' as ', ': ')} }} = modules.{module};\n"


def _data(stage: Stage) -> dict[str, Any]:
    """Return the data of the page: the catalogue, and both games."""
    full = catalogue.ruleset(FIRST)
    small = replace(full, pieces=SMALL)
    explorer = Explorer(solves=False)
    explorer.solve_now(small, stage)
    members = catalogue_answer(explorer, Request())
    members |= {
        "default": {"rules": full.name, "pieces": SMALL} | OPENING,
        "rules": [
            entry | {"solvable_pieces": SMALL}
            for entry in members["rules"]
            if entry["name"] == full.name
        ],
        "agents": [
            entry | {"most_depth": None} for entry in members["agents"] if entry["name"] in AGENTS
        ],
        "opponents": [
            entry
            for entry in members["opponents"]
            if entry["rules"] == full.name and GRADED.fullmatch(entry["agent"])
        ],
        "default_agent": "learned",
        "pieces": [SMALL, full.pieces],
    }
    solved = explorer.known(small).solution
    assert isinstance(solved, SolvedGame)
    table = {"table": packed(table_of(solved, stage))}
    estimated = _game(explorer, full, None)
    estimated["values"]["message"] = (
        "this file has no solution of the whole game. Solve it with urcx explore"
    )
    games = {
        f"{SMALL}": _game(explorer, small, (solved.bound or 0.0) + ROUNDED) | table,
        f"{full.pieces}": estimated | {"network": _network(shipped(full))},
    }
    return {"catalogue": members, "games": games}


def _review_data(review: Review) -> dict[str, Any]:
    """Return the answers that the page asks for, for one review."""
    played, rules = review.played, review.rules
    if review.approximate:
        about = "this file has estimates. For exact numbers solve the game, and review it again"
        values = PageGame("unknown", message=about, estimates=network_estimates(rules)).members()
    else:
        values = PageGame("known").members() | {"source": "solved", "bound": review.bound}
    entry = {"name": rules.name, "title": rules.title, "aliases": [], "pieces": rules.pieces}
    head = {"rules": rules.name, "pieces": rules.pieces, "values": values}
    return {
        "catalogue": {
            "default": {"rules": rules.name, "pieces": rules.pieces, "view": "review"}
            | {"position": START, "roll": None},
            "most_pieces": MOST_PIECES,
            "rules": [entry | {"solvable_pieces": 0}],
            "pieces": [rules.pieces],
            "default_agent": "",
            **{key: [] for key in ("paths", "agents", "opponents", "examples", "tablebases")},
        },
        "board": board_members(rules.path, rules.pieces, rules),
        "game": {
            **played.document(),
            "rgn": rgn_text(played),
            "undone": [],
            "played": [],
            "board": None,
            "view": head,
        },
        "review": review_members(review),
        "views": {
            f"{ply.ply.before.position} {ply.roll}": head | _stored_view(ply.hint)
            for ply in review.plies
            if ply.regret > 0
        },
    }


def _stored_view(hint: Hint) -> dict[str, Any]:
    """Return the fields of a view with a roll that the page needs to try a decision again."""
    assert hint.rolled is not None
    chances = dict(hint.rules.dice.items())
    moves = [move_members(hint, move) for move in hint.moves]
    roll = {"roll": hint.roll, **chance_members(chances[hint.roll]), "value": float(hint.rolled)}
    return {
        "position": str(hint.position),
        "to_move": hint.game.turn,
        "winner": None,
        "rolls": [roll | {"moves": moves}],
    }


def _game(explorer: Explorer, rules: RuleSet, bound: float | None) -> dict[str, Any]:
    """Return the board of a game, and the state of its win probabilities."""
    check_flags("the page as one file", rules)
    geometry = board_answer(explorer, BoardRequest(rules.name, rules.pieces))
    return {"geometry": geometry, "values": explorer.known(rules).members() | {"bound": bound}}


def packed(values: NDArray[Any]) -> str:
    """Encode numbers for the page: as 32-bit floats, in base64."""
    return b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def standings(rules: RuleSet) -> list[tuple[int, tuple[int, ...]]]:
    """Return all arrangements of a side that has not won: pieces home, and steps of the others.

    They are in the order of their numbers: by pieces home, then by the mask of steps.
    """
    length, pieces = rules.path.length, rules.pieces
    return [
        (home, tuple(step + 1 for step in range(length) if mask >> step & 1))
        for home in range(pieces)
        for mask in range(1 << length)
        if mask.bit_count() <= pieces - home
    ]


def table_of(solved: SolvedGame, stage: Stage = no_progress) -> NDArray[np.float32]:
    """Return the win probability of the player to move, by the numbers of both arrangements.

    The entry is 0 if both sides would be on the same tile.
    """
    sides = {standing: number for number, standing in enumerate(standings(solved.rules))}
    table = np.zeros((len(sides), len(sides)), np.float32)
    order = LayerOrder(solved.rules)
    update = stage("writing", len(order.layers), "layers")
    for done, layer in enumerate(order.layers, start=1):
        for rank in range(order.size(layer)):
            position: Position = order.position(layer, rank)
            mover, other = (position.home[0], position.light), (position.home[1], position.dark)
            table[sides[mover], sides[other]] = solved.probe(position)
        update(done)
    return table


def _network(network: Network) -> dict[str, Any]:
    """Return a network's weights."""
    return {
        "first": packed(network.first),
        "firstBias": packed(network.first_bias),
        "second": packed(network.second),
        "secondBias": packed(network.second_bias),
        "last": packed(network.last),
        "lastBias": float(network.last_bias),
        "squared": network.activation == "squared",
    }

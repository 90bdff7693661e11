"""The page as one file, which plays and shows values without a server: `urcx explore --export`.

It is the server's page with ``offline.js`` instead of ``api.js``. The scripts become functions of
one script, and the file contains the style sheet and the icon. It has Finkel's game with three
pieces, solved, and with seven pieces, estimated by the network that comes with urcx.
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
from urcx.explore.app import static_files
from urcx.explore.boards import board_answer, catalogue_answer
from urcx.explore.explorer import FIRST, Explorer
from urcx.explore.schema import BoardRequest, Request
from urcx.played.values import SolvedGame
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
HIDDEN = "#tab-review, #tab-counts, " + ", ".join(
    f"[data-key={name}]" for name in ("review", "save", "svg", "copy")
)


def exported(stage: Stage = no_progress) -> str:
    """Return the page as one HTML file, which loads nothing else."""
    files = {name: data.decode("utf-8") for name, data in static_files().items()}
    page = files["index.html"]
    page = re.sub(r'<link rel="(?:modulepreload|stylesheet|icon)".*\n', "", page)
    icon = b64encode(files["icon.svg"].encode()).decode()
    page = page.replace("static/icon.svg", f"data:image/svg+xml;base64,{icon}")
    styles = f"{files['style.css']}\n{HIDDEN} {{ display: none; }}"
    data = json.dumps(_data(stage), ensure_ascii=False).replace("<", "\\u003c")
    script = '<script type="module" src="static/app.js"></script>\n'
    if script not in page:
        raise ValueError("static/index.html does not load app.js as expected")
    parts = [
        f"<style>\n{styles}\n</style>",
        f'<script type="application/json" id="offline">{data}</script>',
        f'<script type="module">\n{bundled(files, "app")}</script>',
    ]
    return page.replace(script, "\n".join(parts) + "\n")


def bundled(files: dict[str, str], first: str) -> str:
    """Join a script and its imports to one script, with ``offline.js`` instead of ``api.js``."""
    added: list[str] = []
    parts: list[str] = ["const modules = {};\n"]

    def add(name: str) -> None:
        if name in added:
            return
        added.append(name)
        text = files["offline.js" if name == "api" else f"{name}.js"]
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

"""The page as one file, which plays and shows values without a server: `urcx explore --export`.

It is the page as it is served, with ``offline.js`` in the place of ``api.js``: scripts become
functions of one script, style sheets and the icon are written into it. It has Finkel's game with
three pieces, solved, and with seven by the network that comes with urcx.
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

SMALL = 3  # pieces of the game that is solved
# What the page opens at: the decision of that game by which greedy loses most, A2/C3,C2/0-0/L.
OPENING = {"position": "3/2,3/0-0/L", "roll": 2}
ROUNDED = 2.0**-25  # by how much its chances are off as 32-bit floats
AGENTS = ("random", "greedy", "optimal", "learned")
GRADED = re.compile(rf"{'|'.join(AGENTS)}|mistakes:\d+:learned")
IMPORT = re.compile(r'^import (?:\* as (\w+)|\{ (.*?) \}) from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function) ([\w$]+))", re.MULTILINE)
HIDDEN = "#tab-review, #tab-counts, " + ", ".join(
    f"[data-key={name}]" for name in ("review", "save", "svg", "copy")
)


def exported(stage: Stage = no_progress) -> str:
    """Return the page: one file of HTML with all that it needs."""
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
    """Return a script and those that it imports as one, ``offline.js`` in place of ``api.js``."""
    done: list[str] = []
    parts: list[str] = ["const modules = {};\n"]

    def add(name: str) -> None:
        if name in done:
            return
        done.append(name)
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
    whole, names, module = match.groups()
    if whole:
        return f"const {whole} = modules.{module};\n"
    return f"const {{ {names.replace(' as ', ': ')} }} = modules.{module};\n"


def _data(stage: Stage) -> dict[str, Any]:
    """Return what the page knows: the catalogue, and both games."""
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
    whole = _game(explorer, full, None)
    whole["values"]["message"] = (
        "this file has no solution of the whole game; urcx explore finds it"
    )
    games = {
        f"{SMALL}": _game(explorer, small, (solved.bound or 0.0) + ROUNDED) | table,
        f"{full.pieces}": whole | {"network": _network(shipped(full))},
    }
    return {"catalogue": members, "games": games}


def _game(explorer: Explorer, rules: RuleSet, bound: float | None) -> dict[str, Any]:
    """Return a game's board, and what is known of its chances."""
    check_flags("the page as one file", rules)
    geometry = board_answer(explorer, BoardRequest(rules.name, rules.pieces))
    return {"geometry": geometry, "values": explorer.known(rules).members() | {"bound": bound}}


def packed(values: NDArray[Any]) -> str:
    """Return numbers as the page reads them: 32-bit floats, in base64."""
    return b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def standings(rules: RuleSet) -> list[tuple[int, tuple[int, ...]]]:
    """Return how a side can stand that has not won: pieces home, and the steps of the others.

    In the order of their numbers: by pieces home, then by the mask of steps.
    """
    length, pieces = rules.path.length, rules.pieces
    return [
        (home, tuple(step + 1 for step in range(length) if mask >> step & 1))
        for home in range(pieces)
        for mask in range(1 << length)
        if mask.bit_count() <= pieces - home
    ]


def table_of(known: SolvedGame, stage: Stage = no_progress) -> NDArray[np.float32]:
    """Return the chance that the player to move wins, by the numbers of both sides' standings.

    0 where both would stand on the same tile.
    """
    sides = {standing: number for number, standing in enumerate(standings(known.rules))}
    table = np.zeros((len(sides), len(sides)), np.float32)
    order = LayerOrder(known.rules)
    update = stage("writing", len(order.layers), "layers")
    for done, layer in enumerate(order.layers, start=1):
        for rank in range(order.size(layer)):
            position: Position = order.position(layer, rank)
            own, other = (position.home[0], position.light), (position.home[1], position.dark)
            table[sides[own], sides[other]] = known.probe(position)
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

"""Writes the win probabilities of opponents to urcx/explore/data/opponents.toml.

They are exact, against optimal play by a tablebase (``urcx solve --rules finkel -o finkel.urcx``).
Each agent takes minutes and up to 4 GB of memory; agents that look ahead or play by a network also
need 1 GB of disk:

    python benchmarks/opponents.py finkel.urcx [AGENT ...]

Entries of other agents stay as they are.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import urcx

FILE = Path(urcx.__file__).parent / "explore" / "data" / "opponents.toml"
AGENTS = (
    *("random", "expectimax:1", "greedy", "gain", "learned"),
    *(f"mistakes:{percent}:learned" for percent in (33, 21, 12, 6)),
)
TOLERANCE = 1e-7  # share of games, far below the digits of the table
HEAD = """\
# The win rates of opponents against optimal play; each side begins half of the games. Written by
# benchmarks/opponents.py, except the rates with `within`, half the width of a 95 % interval: they
# are from thousands of games. All other rates are exact.
"""


def written(games: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return the text of the file, with the weakest opponents of each game first."""
    lines = [HEAD]
    for game, entries in games.items():
        lines.append(f"[{game}]")
        for name, numbers_by_key in sorted(entries.items(), key=lambda item: item[1]["wins"]):
            numbers = ", ".join(f"{key} = {number!r}" for key, number in numbers_by_key.items())
            lines.append(f'"{name}" = {{ {numbers} }}')
        lines.append("")
    return "\n".join(lines)


def main(tablebase: str, *agents: str) -> None:
    """Judge agents, and write the file after each."""
    with urcx.open_tablebase(tablebase) as base:
        rules = base.rules
    for name in agents or AGENTS:
        (agent_regret,) = urcx.regret(name, rules, tablebase=tablebase, tolerance=TOLERANCE).regrets
        games = tomllib.loads(FILE.read_text(encoding="utf-8"))
        game = games.setdefault(f"{rules.name}-{rules.pieces}", {"optimal": {"wins": 0.5}})
        game[name] = {"wins": round(agent_regret.side.wins, 9)}
        FILE.write_text(written(games), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

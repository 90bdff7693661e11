"""Enter how often opponents win against perfect play into urcx/explore/data/opponents.toml.

Exactly, by a tablebase (``urcx solve --rules finkel -o finkel.urcx``), which takes minutes for each
agent, up to 4 GB of memory, and 1 GB of disk for those that look ahead or play by a network:

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
TOLERANCE = 1e-7  # of games, which is far less than what is shown
HEAD = """\
# The win rates of opponents against optimal play; each side begins half of the games. Written by
# benchmarks/opponents.py, except the rates with `within`, half the width of a 95 % interval: they
# are from thousands of games. All other rates are exact.
"""


def written(kept: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return the file, the weakest opponents of each game first."""
    lines = [HEAD]
    for game, entries in kept.items():
        lines.append(f"[{game}]")
        for name, one in sorted(entries.items(), key=lambda item: item[1]["wins"]):
            numbers = ", ".join(f"{key} = {number!r}" for key, number in one.items())
            lines.append(f'"{name}" = {{ {numbers} }}')
        lines.append("")
    return "\n".join(lines)


def main(tablebase: str, *agents: str) -> None:
    """Judge agents, and write the file after each."""
    with urcx.open_tablebase(tablebase) as base:
        rules = base.rules
    for name in agents or AGENTS:
        (found,) = urcx.regret(name, rules, tablebase=tablebase, tolerance=TOLERANCE).regrets
        kept = tomllib.loads(FILE.read_text(encoding="utf-8"))
        game = kept.setdefault(f"{rules.name}-{rules.pieces}", {"optimal": {"wins": 0.5}})
        game[name] = {"wins": round(found.side.wins, 9)}
        FILE.write_text(written(kept), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

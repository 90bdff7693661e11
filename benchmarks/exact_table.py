"""Write urcx/published/data/exact.toml: exact means of random, greedy and perfect play.

Each row is one run of ``urcx gtc --exact --json``. Perfect play needs the rule sets' tablebases,
``NAME.urcx`` in a directory (``urcx solve --rules NAME -o NAME.urcx``); rule sets without one are
left out. Runs whose output is already in the directory are not repeated:

    python benchmarks/exact_table.py DIRECTORY [--rules NAME ...] [--agent NAME ...] [--only-write]

Run times on two cores, with 3 to 10 GB: minutes for finkel, kwan, blitz and aseb, half an hour or
more for the others. Entries of the table of which there is no output in the directory are kept as
they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RULES = (
    *("finkel", "kwan", "blitz", "aseb", "masters", "masters-four-dice"),
    *("seleucid", "seleucid-ludii"),
)
AGENTS = ("random", "greedy", "optimal")
TABLE = Path(__file__).parent.parent / "urcx" / "published" / "data" / "exact.toml"
HEAD = """\
# Exact means over all games of an agent against itself, each side beginning half of them:
# a mean, and by how much it is off at most. Written by benchmarks/exact_table.py; `command`
# computes an entry, `commit` is what it was run with.
"""


def main() -> None:
    """Run what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rules", nargs="*", default=RULES, choices=RULES)
    parser.add_argument("--agent", nargs="*", default=AGENTS, choices=AGENTS)
    parser.add_argument("--only-write", action="store_true")
    asked = parser.parse_args()
    if not asked.only_write:
        for rules in asked.rules:
            for agent in asked.agent:
                run(rules, agent, asked.directory)
    write(asked.directory)


def run(rules: str, agent: str, directory: Path) -> None:
    """Run a command, unless its output is there or its tablebase is missing."""
    output = directory / f"{rules}-{agent}.json"
    base = directory / f"{rules}.urcx"
    if output.exists() or (agent == "optimal" and not base.exists()):
        return
    player = f"optimal:{base}" if agent == "optimal" else agent
    command = ["urcx", "gtc", "--exact", "--rules", rules, "--agent", player, "--yes", "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    version = subprocess.run(
        ["git", "-C", str(TABLE.parent), "rev-parse", "--short", "HEAD"],  # noqa: S607
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    data = json.loads(done.stdout) | {"commit": version.stdout.strip()}
    new = output.with_suffix(".new")
    new.write_text(json.dumps(data), encoding="utf-8")
    new.rename(output)


def write(directory: Path) -> None:
    """Write the table from the outputs in the directory and the entries that it has."""
    known = tomllib.loads(TABLE.read_text(encoding="utf-8"))["means"] if TABLE.exists() else []
    entries = {(one["rules"], one["agent"]): one for one in known}
    for output in directory.glob("*.json"):
        found = json.loads(output.read_text(encoding="utf-8"))
        if found.get("schema", "").startswith("urcx.gtc/") and "left_out" in found:
            one = entry(found)
            entries[one["rules"], one["agent"]] = one
    order = [(rules, agent) for rules in RULES for agent in AGENTS]
    parts = ["\n".join(["", *lines(entries[key])]) + "\n" for key in order if key in entries]
    text = HEAD + "".join(parts)
    TABLE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(entries)} entries in {TABLE}\n")


def entry(found: dict[str, Any]) -> dict[str, Any]:
    """Return a run's entry of the table."""
    rules, agent = found["rules"], found["light"].partition(":")[0]
    player = f"optimal:{rules}.urcx" if agent == "optimal" else agent
    wins = found["wins"]["first_mover"]
    return {
        "rules": rules,
        "pieces": found["pieces"],
        "agent": agent,
        "ties": found["ties"]["light"],
        "states": int(found["states"]),
        "first_wins": [wins["share"], up(wins["bound"])],
        "command": f"urcx gtc --exact --rules {rules} --agent {player}",
        "commit": found["commit"],
        "measures": {
            name: [one["mean"], up(one["bound"])] for name, one in found["measures"].items()
        },
        "gtc": {
            one["convention"]: [one["log10"], up(one["bound"])]
            for one in found["gtc"]
            if one["log10"] is not None
        },
    }


def lines(one: dict[str, Any]) -> Iterator[str]:
    """Yield an entry's lines."""
    yield "[[means]]"
    for key, value in one.items():
        if not isinstance(value, dict):
            yield f"{key} = {pair(value) if isinstance(value, list) else json.dumps(value)}"
    for name in ("measures", "gtc"):
        yield f"[means.{name}]"
        for key, value in one[name].items():
            yield f"{key} = {pair(value)}"


def pair(value: list[float]) -> str:
    """Return a mean and its bound."""
    return f"[{value[0]!r}, {value[1]:.1e}]"


def up(bound: float) -> float:
    """Return a bound rounded up to two digits, so that it is written and read as it is."""
    return float(f"{1.05 * bound:.1e}")


if __name__ == "__main__":
    main()

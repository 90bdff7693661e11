"""Writes urcx/published/data/exact.toml: exact means of random, greedy and optimal play.

Each row is a run of ``urcx gtc --exact --json``. Optimal play needs the tablebases of rule sets,
``NAME.urcx`` in a directory (``urcx solve --rules NAME -o NAME.urcx``). Rule sets without a
tablebase are left out. Runs with an output in the directory are not repeated:

    python benchmarks/exact_table.py DIRECTORY [--rules NAME ...] [--agent NAME ...] [--only-write]

Runs need 3 to 10 GB. On two cores they take minutes for finkel, kwan, blitz and aseb, and half an
hour or more for other rule sets. Entries of the table without an output in the directory stay as
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
    """Run the missing commands and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rules", nargs="*", default=RULES, choices=RULES)
    parser.add_argument("--agent", nargs="*", default=AGENTS, choices=AGENTS)
    parser.add_argument("--only-write", action="store_true")
    options = parser.parse_args()
    if not options.only_write:
        for rules in options.rules:
            for agent in options.agent:
                run(rules, agent, options.directory)
    write(options.directory)


def run(rules: str, agent: str, directory: Path) -> None:
    """Run a command, unless its output exists or its tablebase is missing."""
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
    """Write the table from the outputs in the directory and the entries in the table."""
    means = tomllib.loads(TABLE.read_text(encoding="utf-8"))["means"] if TABLE.exists() else []
    entries = {(means_entry["rules"], means_entry["agent"]): means_entry for means_entry in means}
    for output in directory.glob("*.json"):
        data = json.loads(output.read_text(encoding="utf-8"))
        if data.get("schema", "").startswith("urcx.gtc/") and "left_out" in data:
            means_entry = entry(data)
            entries[means_entry["rules"], means_entry["agent"]] = means_entry
    order = [(rules, agent) for rules in RULES for agent in AGENTS]
    parts = ["\n".join(["", *lines(entries[key])]) + "\n" for key in order if key in entries]
    text = HEAD + "".join(parts)
    TABLE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(entries)} entries in {TABLE}\n")


def entry(data: dict[str, Any]) -> dict[str, Any]:
    """Return a run's entry of the table."""
    rules, agent = data["rules"], data["light"].partition(":")[0]
    player = f"optimal:{rules}.urcx" if agent == "optimal" else agent
    wins = data["wins"]["first_mover"]
    return {
        "rules": rules,
        "pieces": data["pieces"],
        "agent": agent,
        "ties": data["ties"]["light"],
        "states": int(data["states"]),
        "first_wins": [wins["share"], up(wins["bound"])],
        "command": f"urcx gtc --exact --rules {rules} --agent {player}",
        "commit": data["commit"],
        "measures": {
            name: [item["mean"], up(item["bound"])] for name, item in data["measures"].items()
        },
        "gtc": {
            item["convention"]: [item["log10"], up(item["bound"])]
            for item in data["gtc"]
            if item["log10"] is not None
        },
    }


def lines(entry_data: dict[str, Any]) -> Iterator[str]:
    """Yield an entry's lines."""
    yield "[[means]]"
    for key, value in entry_data.items():
        if not isinstance(value, dict):
            yield f"{key} = {pair(value) if isinstance(value, list) else json.dumps(value)}"
    for name in ("measures", "gtc"):
        yield f"[means.{name}]"
        for key, value in entry_data[name].items():
            yield f"{key} = {pair(value)}"


def pair(value: list[float]) -> str:
    """Return a mean and its bound."""
    return f"[{value[0]!r}, {value[1]:.1e}]"


def up(bound: float) -> float:
    """Return a bound rounded up to two digits, the precision of the table."""
    return float(f"{1.05 * bound:.1e}")


if __name__ == "__main__":
    main()

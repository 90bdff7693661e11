"""Makes a folder of data for an archive: solved games, play, means, counts and verdicts.

    python packaging/dataset.py DIR                         all data, which takes long
    python packaging/dataset.py DIR --rules finkel,blitz    only these rule sets
    python packaging/dataset.py DIR -p 3                    with three pieces per side
    python packaging/dataset.py DIR -p 3 --quick            without long runs
    python packaging/dataset.py DIR --check                 verifies a folder, or a download

Each file is made by one command, and has a description in `sheets`. Files that exist with their
checksum are not made again, so an interrupted run can continue. If a file does not fit into the
machine, or its command refuses, it is left out, and the manifest has the reason. Tables are also
written as Parquet if ``pyarrow`` is installed.
"""

from __future__ import annotations

import argparse
import csv
import functools
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import urcx
from urcx.engine.files.sources import PACKAGE
from urcx.errors import UrcxError
from urcx.reading import parse_json
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving import independent

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
# The names of files. A name cannot be several words of a command, an option, or another folder.
NAME = re.compile(r"\.?\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
LICENCE = "CC0-1.0"
CODEMETA = Path(__file__).parents[1] / "codemeta.json"
COMES = "comes with urcx"
# The exactness of the files in each folder; for a solution, its error bound.
EXACTNESS = {
    "solutions": "values have an error bound of {}", "play": "best moves by the solution",
    "means": "each mean has its error bound", "counts": "integers, exact",
    "networks": "estimates by a network",
}  # fmt: skip
# The fields of each file in the manifest.
MEMBERS = ("name", "what", "command", "checks", "sources", "bytes", "sha256", "bound")
MOST_PIECES, DEPTH = 15, 8  # of counts, and of game trees
SMALL, SAMPLES = 2, 200  # pieces per side of games that a check solves again; positions
TITLE = "The Royal Game of Ur and its relatives: solutions, exact means, counts"


@dataclass(frozen=True)
class Item:
    """A file of the data: its name, its description, and the urcx command that makes it.

    A file without a command is ``copied`` from the package, or is the Parquet form of ``table``.
    """

    name: str
    what: str
    command: str
    copied: Path | None = None
    table: str = ""


def tables(stem: str, what: str, command: str) -> Iterator[Item]:
    """Return a table as CSV, and as Parquet if pyarrow is installed."""
    make = f"{command} --csv -o {stem}.csv"
    yield Item(f"{stem}.csv", what, make)
    if importlib.util.find_spec("pyarrow"):
        yield Item(f"{stem}.parquet", f"{what}, as Parquet", make, table=f"{stem}.csv")


def sequence(stem: str, what: str, command: str) -> Item:
    """Return a b-file of the OEIS."""
    return Item(f"{stem}-b.txt", what, f"{command} --bfile -o {stem}-b.txt")


def game_items(rules: RuleSet) -> Iterator[Item]:
    """Return the files of a rule set, in an order in which each file has its inputs."""
    game = f"--rules {rules.name} -p {rules.pieces}"
    stem = f"{rules.name}-{rules.pieces}"
    solved = f"solutions/{stem}.urcx"
    about = f"the win probability in every position of {rules.with_pieces}"
    yield Item(solved, f"{about}, in 64 bits", f"solve {game} -o {solved}")
    small = f"solutions/{stem}-u16.urcx"
    yield Item(small, f"{about}, in 16 bits", f"solve {game} --store u16 -o {small}")
    play = f"play/{stem}.play"
    best = f"every best move of {rules.with_pieces}"
    yield Item(play, best, f"compress {solved} -o {play}")
    for agent in ("random", "greedy", f"optimal:{solved}"):
        name = agent.partition(":")[0]
        what = f"means over all games of {name} play, {rules.with_pieces}, exact"
        yield from tables(f"means/{stem}-{name}", what, f"gtc --exact {game} --agent {agent}")
    for name, what, command in (
        ("perft", "numbers of games, by plies", f"perft {game} -d {DEPTH}"),
        ("reach", "numbers of states, by plies from the start", f"reach {game}"),
    ):
        title = f"{what}, {rules.with_pieces}"
        yield from tables(f"counts/{stem}-{name}", title, command)
        yield sequence(f"counts/{stem}-{name}", title, command)


def items(rule_sets: list[RuleSet], most: int = MOST_PIECES) -> Iterator[Item]:
    """Return all files of rule sets, and the other files: counts up to ``most`` pieces."""
    for rules in rule_sets:
        yield from game_items(rules)
    for path in urcx.path_names():
        what = f"numbers of configurations of the path {path}"
        command = f"ssc --path {path} -p 1..{most}"
        yield from tables(f"counts/{path}", f"{what}, by every published formula", command)
        yield sequence(f"counts/{path}", f"{what}, by pieces per side", command)
    what = "every published figure, with what urcx computes and its verdict"
    yield from tables("verdicts", what, "verify")
    yield Item("verdicts.json", what, "verify --json -o verdicts.json")
    place = PACKAGE / "agents" / "data" / "learned"
    for file in sorted([*place.glob("*.npz"), place / "cards.toml"]):
        what = "a network; cards.toml has its training and strength"
        yield Item(f"networks/{file.name}", what, COMES, copied=file)


def digest(file: Path) -> str:
    """Return the SHA-256 sum of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def sources() -> str:
    """Return a hash of all files of urcx, code and data."""
    hashing = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            hashing.update(f"{file.relative_to(PACKAGE).as_posix()}\n".encode() + file.read_bytes())
    return hashing.hexdigest()


def sheet(name: str) -> str:
    """Return the name of a file's sheet."""
    return f"sheets/{name.replace('/', '-')}.md"


def checks(name: str) -> list[str]:
    """Return the commands that check a file; they depend on its name, not on a manifest."""
    if name.startswith("solutions/"):
        # With 16 bits, urcx-check can prove values to a hundredth at best.
        independent = [] if "-u16" in name else [f"check {name} --independent"]
        return [f"check {name}", *independent]
    if name.startswith("play/"):
        return [f"compress --check {name} --tablebase solutions/{Path(name).stem}.urcx"]
    return []


def urcx_in(place: Path, arguments: str) -> str:
    """Run a command of urcx in the folder; return its error message, or "".

    The folder may be a download, so none of its files may be imported as a module: -P leaves out
    the current directory, and the paths of PYTHONPATH become absolute.
    """
    directories = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    run = subprocess.run(
        [sys.executable, "-P", "-m", "urcx", *arguments.split()],
        cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, directories))},
    )  # fmt: skip
    if run.returncode == 0:
        return ""
    return (run.stderr.strip().splitlines() or ["no message"])[-1].removeprefix("urcx: ")


def write_parquet(table: Path, file: Path) -> None:
    """Write a table of CSV as Parquet; integers stay integers, up to 38 digits."""
    import pyarrow as pa
    from pyarrow import parquet

    with table.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(line for line in stream if not line.startswith("# "))
    columns = [pa.array(*typed(list(texts), pa)) for texts in zip(*rows, strict=True)]
    parquet.write_table(pa.table(columns, names=names), file)


def typed(texts: list[str], pa: Any) -> tuple[list[Any], Any]:
    """Return a column's values, None for empty cells, and their type in Arrow."""
    digits = max(map(len, texts), default=0)
    integer = pa.int64() if digits <= 18 else pa.decimal128(38)
    for read, kind in ((int, integer), (float, pa.float64())) if digits <= 38 else ():
        try:
            return [read(text) if text else None for text in texts], kind
        except ValueError:
            continue
    return [text or None for text in texts], pa.string()


class Dataset:
    """A folder of data and its manifest, which is written after every file."""

    def __init__(self, place: Path, *, quick: bool = False) -> None:
        self.place = place
        self.quick = quick
        self.files: dict[str, dict[str, Any]] = {}
        self.left_out: dict[str, str] = {}
        if (place / MANIFEST).is_file():
            try:
                manifest = parse_json((place / MANIFEST).read_bytes())
                entries = [{name: entry[name] for name in MEMBERS} for entry in manifest["files"]]
                self.files = {str(entry["name"]): entry for entry in entries}
            except (ValueError, LookupError, TypeError):
                why = f"{place / MANIFEST} is damaged. Delete it to make all files again"
                raise SystemExit(why) from None

    def make(self, item: Item) -> None:
        """Make a file, unless it exists unchanged, and describe it."""
        file = self.place / item.name
        entry = self.files.get(item.name)
        if entry and entry["command"] == item.command and self.intact(entry):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        reason = next((f"needs {name}" for name in self.left_out if name in item.command), "")
        if item.copied:
            shutil.copyfile(item.copied, file)
        elif item.table and not reason:
            write_parquet(self.place / item.table, file)
        elif not reason:
            reason = urcx_in(self.place, item.command + " --yes" * (not self.quick))
        if reason:
            self.left_out[item.name] = reason
            self.files.pop(item.name, None)
            print(f"left out: {item.name}: {reason}", file=sys.stderr)
            return
        self.files[item.name] = {
            "name": item.name,
            "what": item.what,
            "command": item.command,
            "checks": checks(item.name),
            "sources": sources(),
            "bytes": file.stat().st_size,
            "sha256": digest(file),
            "bound": bound(file),
        }
        self.write_sheet(self.files[item.name])
        self.write()
        print(item.name, file=sys.stderr)

    def intact(self, entry: dict[str, Any]) -> bool:
        """Return whether a file exists with its checksum."""
        file = self.place / entry["name"]
        return file.is_file() and digest(file) == str(entry["sha256"])

    def write_sheet(self, entry: dict[str, Any]) -> None:
        """Write the description of a file for readers."""
        to_check = [f"urcx {line}" for line in entry["checks"]] or [f"sha256sum -c {SUMS}"]
        comes = entry["command"] == COMES
        made = f"Comes with urcx {urcx.__version__}" if comes else (
            f"Made by: `urcx {entry['command']}`, urcx {urcx.__version__}"
        )  # fmt: skip
        exact = EXACTNESS.get(entry["name"].partition("/")[0], "each figure has its exactness")
        lines = [
            f"# {entry['name']}", "", f"{entry['what'][:1].upper()}{entry['what'][1:]}.", "",
            f"- {made}",
            f"- SHA-256 of all of urcx's files: {entry['sources']}",
            f"- SHA-256 of the file, of {entry['bytes']:,} bytes: {entry['sha256']}",
            f"- Exactness: {exact.format(entry['bound'])}",
            f"- Licence: {LICENCE}",
            *(f"- To check: `{line}`" for line in to_check),
        ]  # fmt: skip
        file = self.place / sheet(entry["name"])
        file.parent.mkdir(exist_ok=True)
        replaced(file, "\n".join(lines) + "\n")

    def write(self) -> None:
        """Write the manifest, the checksums and the cards."""
        files = sorted(self.files.values(), key=lambda entry: entry["name"])
        manifest = {
            "schema": "urcx.dataset/1", "title": TITLE, "version": urcx.__version__,
            "licence": LICENCE, "files": files,
            "left_out": [{"name": name, "why": why} for name, why in self.left_out.items()],
        }  # fmt: skip
        replaced(self.place / MANIFEST, json.dumps(manifest, indent=1) + "\n")
        authors = parse_json(CODEMETA.read_bytes())["author"]
        zenodo = {
            "title": TITLE, "upload_type": "dataset", "access_right": "open",
            "license": LICENCE.lower(), "version": urcx.__version__,
            "creators": [{"name": entry["name"]} for entry in authors],
            "description": "Made by urcx, each file by one command; README.md explains the checks.",
            "keywords": ["royal game of ur", "stochastic games", "game complexity"],
        }  # fmt: skip
        replaced(self.place / ".zenodo.json", json.dumps(zenodo, indent=1) + "\n")
        replaced(self.place / "README.md", card(files))
        sums = {entry["name"]: entry["sha256"] for entry in files}
        for name in (MANIFEST, ".zenodo.json", "README.md", *map(sheet, sums)):
            sums[name] = digest(self.place / name)
        lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
        replaced(self.place / SUMS, "".join(lines))


def check(place: Path) -> list[str]:
    """Return the errors in a folder of data, a line per error.

    The check trusts only checksums in the folder, and runs no command from it: see `checks`.
    """
    if not (place / SUMS).is_file():
        return [f"{place} has no {SUMS}"]
    lines = (place / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    sums = {name: digest_text for digest_text, _, name in (line.partition("  ") for line in lines)}
    files = (file for file in place.rglob("*") if file.is_file())
    present = {file.relative_to(place).as_posix() for file in files} - {SUMS}
    wrong = []
    for name in sorted({*sums, *present, MANIFEST}):
        if not NAME.fullmatch(name) or name not in sums:
            wrong.append(f"{name!r}: not a file of the data, or without a checksum")
        elif name not in present or digest(place / name) != sums[name]:
            wrong.append(f"{name}: missing or changed")
        else:
            wrong += wrong_in(place, name)
    return wrong


def wrong_in(place: Path, name: str) -> Iterator[str]:
    """Yield the errors from a file's own checks."""
    for line in checks(name):
        possible = "--independent" not in line or independent.compiler()
        if possible and (reason := urcx_in(place, line)):
            yield f"{name}: {reason}"
    if name.startswith("solutions/"):
        yield from differing(place / name)


def bound(file: Path) -> float | None:
    """Return the error bound of a tablebase's values, None for other files."""
    if file.suffix != ".urcx":
        return None
    with urcx.open_tablebase(file) as base:
        return base.bound


def differing(file: Path) -> list[str]:
    """Solve the game with few pieces again, the end of every game; return the differences."""
    try:
        with urcx.open_tablebase(file) as base, tempfile.TemporaryDirectory() as place:
            pieces = min(SMALL, base.rules.pieces)
            home = base.rules.pieces - pieces
            small = urcx.ruleset(base.rules, pieces=pieces)
            own_file = Path(place) / "small.urcx"
            urcx.solve(small, own_file)
            with urcx.open_tablebase(own_file) as ours:
                off = (ours.bound or 0.0) + (base.bound or 0.0)
                for here in urcx.ranking(small.path, pieces).sample(SAMPLES, seed=1):
                    if pieces in here.home:
                        continue
                    elsewhere = replace(here, home=(here.home[0] + home, here.home[1] + home))
                    if abs(ours.probe(here) - base.probe(elsewhere)) > off:
                        return [f"{file.name}: {elsewhere} differs from the game solved again"]
    except UrcxError as error:
        return [f"{file.name}: {error}"]
    return []


def card(files: list[dict[str, Any]]) -> str:
    """Return the card of the data set, with the list of its files."""
    rows = [f"| `{entry['name']}` | {entry['what']} | {entry['bytes']:,} |" for entry in files]
    lines = [
        "---", f"license: {LICENCE.lower()}", f"pretty_name: '{TITLE}'",
        "tags: [board-games, stochastic-games, combinatorics]", "---", "",
        f"# {TITLE}", "",
        f"Made by urcx {urcx.__version__}, each file by one command (see `sheets`).",
        "Values of solved games are certified: their error bound is proven. A program that shares",
        "no code with urcx can prove it again from the file alone.", "",
        f"To check a download: `sha256sum -c {SUMS}`, and in a checkout of urcx",
        "`python packaging/dataset.py DIR --check`. To read a solution: `urcx probe FILE`, or",
        "in Python `urcx.open_tablebase(FILE)`; docs/formats.rst describes every format.", "",
        "| file | what | bytes |", "|---|---|---|", *rows, "",
    ]  # fmt: skip
    return "\n".join(lines)


def replaced(file: Path, text: str) -> None:
    """Write a text in one step, so the file is never incomplete."""
    draft = file.with_name(f"{file.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(file)


def main(arguments: list[str]) -> None:
    """Run the command line above."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("place", type=Path)
    parser.add_argument("--rules", default="")
    parser.add_argument("-p", "--pieces", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if options.check:
        if wrong := check(options.place):
            raise SystemExit("\n".join(wrong))
        unproven = "" if independent.compiler() else " (urcx-check did not run: no C compiler)"
        print(f"all files are unchanged{unproven}")
        print(
            f"compare this checksum with the published one: {digest(options.place / SUMS)}  {SUMS}"
        )
        return
    names = options.rules.split(",") if options.rules else list(catalogue.catalogue().rules)
    try:
        chosen = {urcx.ruleset(name, pieces=options.pieces) for name in names}
    except UrcxError as error:
        raise SystemExit(f"{error}") from None
    options.place.mkdir(parents=True, exist_ok=True)
    made = Dataset(options.place, quick=options.quick)
    for item in items(sorted(chosen, key=lambda rules: rules.name), options.pieces or MOST_PIECES):
        made.make(item)
    made.write()


if __name__ == "__main__":
    main(sys.argv[1:])

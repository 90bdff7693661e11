"""Makes a folder of data to be archived, from nothing: solved games, play, means, counts, verdicts.

    python packaging/dataset.py DIR                         all of it, which takes long
    python packaging/dataset.py DIR --rules finkel,blitz    of these rule sets alone
    python packaging/dataset.py DIR -p 3                    with three pieces a side
    python packaging/dataset.py DIR -p 3 --quick            without what takes minutes
    python packaging/dataset.py DIR --check                 verifies a folder, or a download

Each file is made by one command, and described in `sheets`. What is there and has its sum is not
made again, so a run that ended early goes on. What a machine has no room for, or a command
refuses, is left out, with the reason in the manifest. Tables are written as Parquet too where
``pyarrow`` is installed.
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
# Of files; none can stand for several words of a command, an option, or another folder.
NAME = re.compile(r"\.?\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
LICENCE = "CC0-1.0"
CODEMETA = Path(__file__).parents[1] / "codemeta.json"
COMES = "comes with urcx"
# How exact what a folder has is; of a solution, its bound.
EXACTNESS = {
    "solutions": "values are off by at most {}", "play": "the moves are best by the solution",
    "means": "each mean stands beside its bound", "counts": "whole numbers, exact",
    "networks": "a network estimates",
}  # fmt: skip
# What the manifest has of each file.
MEMBERS = ("name", "what", "command", "checks", "sources", "bytes", "sha256", "bound")
MOST_PIECES, DEPTH = 15, 8  # of counts, and of game trees
SMALL, SAMPLES = 2, 200  # pieces a side of games that are solved anew for a check; positions
TITLE = "The Royal Game of Ur and its relatives: solutions, exact means, counts"


@dataclass(frozen=True)
class Item:
    """A file of the data: its name, what it has, and how it is made, by arguments of urcx.

    A file that no command writes is ``copied`` from the package, or Parquet of the ``table`` whose
    name stands there.
    """

    name: str
    what: str
    command: str
    copied: Path | None = None
    table: str = ""


def tables(stem: str, what: str, command: str) -> Iterator[Item]:
    """Return a table as CSV, and as Parquet where that can be written."""
    make = f"{command} --csv -o {stem}.csv"
    yield Item(f"{stem}.csv", what, make)
    if importlib.util.find_spec("pyarrow"):
        yield Item(f"{stem}.parquet", f"{what}, as Parquet", make, table=f"{stem}.csv")


def sequence(stem: str, what: str, command: str) -> Item:
    """Return a b-file of the OEIS."""
    return Item(f"{stem}-b.txt", what, f"{command} --bfile -o {stem}-b.txt")


def game_items(rules: RuleSet) -> Iterator[Item]:
    """Return what there is of a rule set, what others are made from first."""
    game = f"--rules {rules.name} -p {rules.pieces}"
    stem = f"{rules.name}-{rules.pieces}"
    solved = f"solutions/{stem}.urcx"
    about = f"the chance of winning in every position of {rules.with_pieces}"
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
        said = f"{what}, {rules.with_pieces}"
        yield from tables(f"counts/{stem}-{name}", said, command)
        yield sequence(f"counts/{stem}-{name}", said, command)


def items(chosen: list[RuleSet], most: int = MOST_PIECES) -> Iterator[Item]:
    """Return all files of some rule sets, and those that are of none: counts to ``most`` pieces."""
    for rules in chosen:
        yield from game_items(rules)
    for path in urcx.path_names():
        what = f"numbers of diagrams of the path {path}"
        command = f"ssc --path {path} -p 1..{most}"
        yield from tables(f"counts/{path}", f"{what}, by every published formula", command)
        yield sequence(f"counts/{path}", f"{what}, by pieces a side", command)
    what = "every published figure, with what urcx computes and its verdict"
    yield from tables("verdicts", what, "verify")
    yield Item("verdicts.json", what, "verify --json -o verdicts.json")
    place = PACKAGE / "agents" / "data" / "learned"
    for kept in sorted([*place.glob("*.npz"), place / "cards.toml"]):
        what = "a network, of which cards.toml has training and strength"
        yield Item(f"networks/{kept.name}", what, COMES, copied=kept)


def digest(file: Path) -> str:
    """Return the SHA-256 sum of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def sources() -> str:
    """Return one hash of all of urcx's files, code and data."""
    found = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            found.update(f"{file.relative_to(PACKAGE).as_posix()}\n".encode() + file.read_bytes())
    return found.hexdigest()


def sheet(name: str) -> str:
    """Return the name of a file's sheet."""
    return f"sheets/{name.replace('/', '-')}.md"


def checks(name: str) -> list[str]:
    """Return the commands that check a file, which its name says, whatever a manifest may say."""
    if name.startswith(
        "solutions/"
    ):  # what 16 bits leave, urcx-check proves to a hundredth at best
        independent = [] if "-u16" in name else [f"check {name} --independent"]
        return [f"check {name}", *independent]
    if name.startswith("play/"):
        return [f"compress --check {name} --tablebase solutions/{Path(name).stem}.urcx"]
    return []


def urcx_in(place: Path, arguments: str) -> str:
    """Run a command of urcx in the folder; return "" or why it failed, in its words.

    The folder may be a download, so none of its files is taken for a module: -P leaves out the
    current directory, and what PYTHONPATH names are the directories that it names here.
    """
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    run = subprocess.run(
        [sys.executable, "-P", "-m", "urcx", *arguments.split()],
        cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, named))},
    )  # fmt: skip
    if run.returncode == 0:
        return ""
    return (run.stderr.strip().splitlines() or ["no message"])[-1].removeprefix("urcx: ")


def write_parquet(table: Path, file: Path) -> None:
    """Write a table of CSV as Parquet; whole numbers stay whole, of 38 digits at most."""
    import pyarrow as pa
    from pyarrow import parquet

    with table.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(line for line in stream if not line.startswith("# "))
    columns = [pa.array(*typed(list(texts), pa)) for texts in zip(*rows, strict=True)]
    parquet.write_table(pa.table(columns, names=names), file)


def typed(texts: list[str], pa: Any) -> tuple[list[Any], Any]:
    """Return a column's values, None for what is empty, and their type in Arrow."""
    digits = max(map(len, texts), default=0)
    whole = pa.int64() if digits <= 18 else pa.decimal128(38)
    for read, kind in ((int, whole), (float, pa.float64())) if digits <= 38 else ():
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
                found = parse_json((place / MANIFEST).read_bytes())
                known = [{name: one[name] for name in MEMBERS} for one in found["files"]]
                self.files = {str(one["name"]): one for one in known}
            except (ValueError, LookupError, TypeError):
                why = f"{place / MANIFEST} is damaged; without it all is made anew"
                raise SystemExit(why) from None

    def make(self, item: Item) -> None:
        """Make a file, unless it is there as it was made, and describe it."""
        file = self.place / item.name
        known = self.files.get(item.name)
        if known and known["command"] == item.command and self.intact(known):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        why = next((f"needs {name}" for name in self.left_out if name in item.command), "")
        if item.copied:
            shutil.copyfile(item.copied, file)
        elif item.table and not why:
            write_parquet(self.place / item.table, file)
        elif not why:
            why = urcx_in(self.place, item.command + " --yes" * (not self.quick))
        if why:
            self.left_out[item.name] = why
            self.files.pop(item.name, None)
            print(f"left out: {item.name}: {why}", file=sys.stderr)
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

    def intact(self, known: dict[str, Any]) -> bool:
        """Return whether a file is there and has its sum."""
        file = self.place / known["name"]
        return file.is_file() and digest(file) == str(known["sha256"])

    def write_sheet(self, one: dict[str, Any]) -> None:
        """Write what a reader of a file wants to know."""
        to_check = [f"urcx {line}" for line in one["checks"]] or [f"sha256sum -c {SUMS}"]
        comes = one["command"] == COMES
        made = f"Comes with urcx {urcx.__version__}" if comes else (
            f"Made by: `urcx {one['command']}`, urcx {urcx.__version__}"
        )  # fmt: skip
        exact = EXACTNESS.get(one["name"].partition("/")[0], "each figure says how exact it is")
        lines = [
            f"# {one['name']}", "", f"{one['what'][:1].upper()}{one['what'][1:]}.", "",
            f"- {made}",
            f"- SHA-256 of all of urcx's files: {one['sources']}",
            f"- SHA-256 of the file, of {one['bytes']:,} bytes: {one['sha256']}",
            f"- Exactness: {exact.format(one['bound'])}",
            f"- Licence: {LICENCE}",
            *(f"- To check: `{line}`" for line in to_check),
        ]  # fmt: skip
        file = self.place / sheet(one["name"])
        file.parent.mkdir(exist_ok=True)
        replaced(file, "\n".join(lines) + "\n")

    def write(self) -> None:
        """Write the manifest, the sums and the cards."""
        files = sorted(self.files.values(), key=lambda one: one["name"])
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
            "creators": [{"name": one["name"]} for one in authors],
            "description": "Made by urcx, each file by one command; README.md says how to check.",
            "keywords": ["royal game of ur", "stochastic games", "game complexity"],
        }  # fmt: skip
        replaced(self.place / ".zenodo.json", json.dumps(zenodo, indent=1) + "\n")
        replaced(self.place / "README.md", card(files))
        sums = {one["name"]: one["sha256"] for one in files}
        for name in (MANIFEST, ".zenodo.json", "README.md", *map(sheet, sums)):
            sums[name] = digest(self.place / name)
        lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
        replaced(self.place / SUMS, "".join(lines))


def check(place: Path) -> list[str]:
    """Return what is wrong with a folder of data, a line each.

    Of what the folder says, only sums are believed, and nothing of it is run: see `checks`.
    """
    if not (place / SUMS).is_file():
        return [f"{place} has no {SUMS}"]
    lines = (place / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    sums = {name: given for given, _, name in (line.partition("  ") for line in lines)}
    files = (file for file in place.rglob("*") if file.is_file())
    there = {file.relative_to(place).as_posix() for file in files} - {SUMS}
    wrong = []
    for name in sorted({*sums, *there, MANIFEST}):
        if not NAME.fullmatch(name) or name not in sums:
            wrong.append(f"{name!r}: no file of the data, or without a sum")
        elif name not in there or digest(place / name) != sums[name]:
            wrong.append(f"{name}: not there, or not as it was made")
        else:
            wrong += wrong_in(place, name)
    return wrong


def wrong_in(place: Path, name: str) -> Iterator[str]:
    """Yield what a file's own checks say against it."""
    for line in checks(name):
        possible = "--independent" not in line or independent.compiler()
        if possible and (why := urcx_in(place, line)):
            yield f"{name}: {why}"
    if name.startswith("solutions/"):
        yield from differing(place / name)


def bound(file: Path) -> float | None:
    """Return by how much a tablebase's values are off at most, None for other files."""
    if file.suffix != ".urcx":
        return None
    with urcx.open_tablebase(file) as base:
        return base.bound


def differing(file: Path) -> list[str]:
    """Solve the game of a few pieces anew, the end of every game; return what differs."""
    try:
        with urcx.open_tablebase(file) as base, tempfile.TemporaryDirectory() as place:
            pieces = min(SMALL, base.rules.pieces)
            home = base.rules.pieces - pieces
            small = urcx.ruleset(base.rules, pieces=pieces)
            anew = Path(place) / "small.urcx"
            urcx.solve(small, anew)
            with urcx.open_tablebase(anew) as ours:
                off = (ours.bound or 0.0) + (base.bound or 0.0)
                for here in urcx.ranking(small.path, pieces).sample(SAMPLES, seed=1):
                    if pieces in here.home:
                        continue
                    there = replace(here, home=(here.home[0] + home, here.home[1] + home))
                    if abs(ours.probe(here) - base.probe(there)) > off:
                        return [f"{file.name}: {there} is not what the game solved anew has"]
    except UrcxError as error:
        return [f"{file.name}: {error}"]
    return []


def card(files: list[dict[str, Any]]) -> str:
    """Return the card of the data set, with the list of its files."""
    rows = [f"| `{one['name']}` | {one['what']} | {one['bytes']:,} |" for one in files]
    lines = [
        "---", f"license: {LICENCE.lower()}", f"pretty_name: '{TITLE}'",
        "tags: [board-games, stochastic-games, combinatorics]", "---", "",
        f"# {TITLE}", "",
        f"Made by urcx {urcx.__version__}, each file by one command; `sheets` has it.",
        "Values of solved games are certified: a bound on their error is proven, and can be proven",
        "again from the file alone, by a program that shares nothing with urcx.", "",
        f"To check a download: `sha256sum -c {SUMS}`, and in a checkout of urcx",
        "`python packaging/dataset.py DIR --check`. To read a solution: `urcx probe FILE`, or",
        "in Python `urcx.open_tablebase(FILE)`; docs/formats.rst describes every format.", "",
        "| file | what | bytes |", "|---|---|---|", *rows, "",
    ]  # fmt: skip
    return "\n".join(lines)


def replaced(file: Path, text: str) -> None:
    """Write a text in one step, so that no half of it is ever there."""
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
    asked = parser.parse_args(arguments)
    if asked.check:
        if wrong := check(asked.place):
            raise SystemExit("\n".join(wrong))
        unproven = "" if independent.compiler() else "; no C compiler is here for urcx-check"
        print(f"all files are as they were made{unproven}")
        print(f"to compare with the sum elsewhere: {digest(asked.place / SUMS)}  {SUMS}")
        return
    names = asked.rules.split(",") if asked.rules else list(catalogue.catalogue().rules)
    try:
        chosen = {urcx.ruleset(name, pieces=asked.pieces) for name in names}
    except UrcxError as error:
        raise SystemExit(f"{error}") from None
    asked.place.mkdir(parents=True, exist_ok=True)
    made = Dataset(asked.place, quick=asked.quick)
    for item in items(sorted(chosen, key=lambda rules: rules.name), asked.pieces or MOST_PIECES):
        made.make(item)
    made.write()


if __name__ == "__main__":
    main(sys.argv[1:])

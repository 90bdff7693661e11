"""A check of a tablebase without urcx: the program ``urcx-check``, compiled where it is needed.

The program, in the repository's folder ``checker``, shares no line with urcx; what it proves, and
how, is in :doc:`/mathematics/solving`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated

from urcx.engine.compiling import compute_clock
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import TablebaseError, UrcxError
from urcx.results.fields import COUNT, TEXT, Field
from urcx.results.numbers import number
from urcx.results.result import Result
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import Tablebase

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O3", "-std=c11", "-frounding-math", "-ffp-contract=off")
PLACES = (Path(__file__).parent, Path(__file__).parents[2] / "checker")  # installed; a checkout
PROVEN = re.compile(
    r"proven: .*\n +at least (\S+)\n +at most +(\S+)\nany of (\d+) values is off by at most (\S+)\n"
    r"room left in every state: (\S+)\nSHA-256 of the file: (\w+)\nrules: (.+)"
)


def compiler() -> str | None:
    """Return a C compiler of this machine, or None; none in the current directory is one."""
    there = filter(None, map(shutil.which, COMPILERS))
    return next((name for name in there if Path(name).is_absolute()), None)


@dataclass(frozen=True)
class IndependentCheck(Result, function="check"):
    """What urcx-check proved of a tablebase."""

    schema = "urcx.independent-check/1"
    file: Annotated[str, Field("", TEXT, "name of the file")]
    lower: Annotated[float, Field("who begins wins at least", about="a lower bound (bound)")]
    upper: Annotated[float, Field("and at most", about="an upper bound (bound)")]
    states: Annotated[int, Field("values", COUNT, "how many values the file has")]
    off: Annotated[
        float, Field("any is off by at most", about="of all values (bound)", key="bound")
    ]
    room: Annotated[
        float, Field("room left in every state", about="by which inequalities hold at least")
    ]
    sha256: Annotated[str, Field("SHA-256", TEXT, "the file's checksum")]
    rules: Annotated[str, Field("rules that were proven", TEXT, "as urcx-check read them")]
    compiler: Annotated[str, Field("compiled by", TEXT, "what compiled the program")]
    seconds: Annotated[float, Field(about="how long that took")]

    @property
    def legend(self) -> list[str]:
        """Return the note on the program."""
        return ["proven by urcx-check from the values alone; it shares no line with urcx"]

    @property
    def answer(self) -> str:
        """Return what was proven."""
        return (
            f"{self.file}: proven, any of {number(self.states)} values is off by at most "
            f"{self.off}; who begins wins with {self.lower} to {self.upper}"
        )


def check_independently(
    base: Tablebase, *, threads: int | None = None, stage: Stage = no_progress
) -> IndependentCheck:
    """Have urcx-check prove a tablebase; it is compiled first.

    Raises
    ------
    UrcxError
        If there is no C compiler, or the program cannot be compiled.
    TablebaseError
        If the values cannot be proven, the program refuses the file, or it read other rules.
    """
    compiled_by = compiler()
    if compiled_by is None:
        raise UrcxError(f"no C compiler is here ({', '.join(COMPILERS)}), which urcx-check needs")
    source = next(file for place in PLACES if (file := place / "urcx-check.c").is_file())
    states = base.order.states(base.order.layers)
    began = compute_clock()
    with TemporaryDirectory() as directory:
        program = Path(directory) / "urcx-check"
        made = subprocess.run(  # noqa: S603 - a compiler, our source
            [compiled_by, *FLAGS, "-o", program, source, "-lm", "-lpthread"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            raise UrcxError(f"{compiled_by} cannot compile urcx-check: {made.stderr.strip()[:200]}")
        with subprocess.Popen(  # noqa: S603 - as above
            [program, str(base.file), str(chosen_threads(threads))],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "URCX_CHECK_PROGRESS": "1"},
        ) as running:  # fmt: skip
            try:
                assert running.stdout is not None
                assert running.stderr is not None
                said = _followed(running.stderr, stage("checking without urcx", states, "states"))
                out = running.stdout.read()
            except BaseException:
                running.kill()
                raise
    match = PROVEN.search(out)
    if match is None:
        raise TablebaseError((out or said).strip().removeprefix("urcx-check: "))
    lower, upper, number, off, room, sha256, rules = match.groups()
    if rules != (ours := rules_read(base.rules)):
        raise TablebaseError(f"{base.file}: urcx-check proved the rules {rules}; urcx read {ours}")
    return IndependentCheck(
        base.file.name, float(lower), float(upper), int(number), float(off), float(room), sha256,
        rules, Path(compiled_by).name, compute_clock() - began,
    )  # fmt: skip


def rules_read(rules: RuleSet) -> str:
    """Return the rules as urcx-check prints them."""
    path, dice = rules.path, zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
    rolls = " ".join(f"{roll}:{p.numerator}/{p.denominator}" for roll, p in dice)
    shared = [
        f"{step}={path.dark.index(tile) + 1}"
        for step, tile in enumerate(path.light, start=1)
        if tile in path.dark
    ]
    grants, protects = (
        [str(step) for step, tile in enumerate(path.light, start=1) if tile in tiles]
        for tiles in (rules.granting, path.board.rosettes if rules.rosette_protects else ())
    )
    lists = (["shared", *shared], ["again", *grants], ["safe", *protects])
    parts = [f"{rules.pieces} pieces", f"rolls {rolls}", f"{len(path.light)} steps"]
    parts += [*map(" ".join, lists), *["captures again"] * rules.capture_grants_roll]
    return ", ".join(parts)


def _followed(stream: IO[str], progress: Callable[[int], None]) -> str:
    """Show how many states are done, and return what else is said."""
    said = ""
    while letter := stream.read(1):
        said += letter
        if letter == " " and (done := re.search(r"\r(\d+) ", said)):
            progress(int(done[1]))
            said = ""
    return said.removeprefix("states ")

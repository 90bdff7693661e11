"""A check of a tablebase without urcx: the program ``urcx-check``, compiled before each check.

The program is in the repository's folder ``checker`` and shares no code with urcx.
:doc:`/mathematics/solving` describes its proof.
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
from urcx.results.numbers import number, percent_text
from urcx.results.result import Result
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import Tablebase

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O3", "-std=c11", "-frounding-math", "-ffp-contract=off")
PLACES = (Path(__file__).parent, Path(__file__).parents[2] / "checker")  # installed, checkout
PROVEN = re.compile(
    r"proven: .*\n +at least (\S+)\n +at most +(\S+)\nany of (\d+) values is off by at most (\S+)\n"
    r"room left in every state: (\S+)\nSHA-256 of the file: (\w+)\nrules: (.+)"
)


def compiler() -> str | None:
    """Return a C compiler of this machine, or None. The current directory is not searched."""
    there = filter(None, map(shutil.which, COMPILERS))
    return next((name for name in there if Path(name).is_absolute()), None)


@dataclass(frozen=True)
class IndependentCheck(Result, function="check"):
    """The bounds of a tablebase that urcx-check proved."""

    schema = "urcx.independent-check/1"
    file: Annotated[str, Field("", TEXT, "name of the file")]
    lower: Annotated[
        float,
        Field("first player wins at least", about="lower bound of its win probability (bound)"),
    ]
    upper: Annotated[
        float,
        Field("first player wins at most", about="upper bound of its win probability (bound)"),
    ]
    states: Annotated[int, Field("values", COUNT, "number of values in the file")]
    off: Annotated[float, Field("error bound", about="error bound of all values", key="bound")]
    room: Annotated[
        float,
        Field("least margin of a state", about="least margin by which the inequalities hold"),
    ]
    sha256: Annotated[str, Field("SHA-256", TEXT, "the file's checksum")]
    rules: Annotated[str, Field("proven rules", TEXT, "the rules, as urcx-check read them")]
    compiler: Annotated[str, Field("compiled by", TEXT, "the compiler of the program")]
    seconds: Annotated[float, Field(about="wall time")]

    @property
    def legend(self) -> list[str]:
        """Return the note on the program."""
        return ["proven by urcx-check from the values alone; it shares no code with urcx"]

    @property
    def answer(self) -> str:
        """Return the proven bounds."""
        return (
            f"{self.file}: all {number(self.states)} values are proven without urcx "
            f"(± {self.off}); the first player wins {percent_text(self.lower)} of games"
        )


def check_independently(
    base: Tablebase, *, threads: int | None = None, stage: Stage = no_progress
) -> IndependentCheck:
    """Compile urcx-check, and prove a tablebase with it.

    Raises
    ------
    UrcxError
        If there is no C compiler, or the program cannot be compiled.
    TablebaseError
        If the program cannot prove the values, refuses the file, or reads other rules than urcx.
    """
    compiled_by = compiler()
    if compiled_by is None:
        raise UrcxError(
            f"urcx-check needs a C compiler ({', '.join(COMPILERS)}), and this machine has none. "
            "Install one, or check without --independent"
        )
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
                errors = _followed(running.stderr, stage("checking without urcx", states, "states"))
                out = running.stdout.read()
            except BaseException:
                running.kill()
                raise
    match = PROVEN.search(out)
    if match is None:
        raise TablebaseError((out or errors).strip().removeprefix("urcx-check: "))
    lower, upper, number, off, room, sha256, rules = match.groups()
    if rules != (ours := rules_read(base.rules)):
        raise TablebaseError(
            f"{base.file}: urcx-check read other rules ({rules}) than urcx ({ours})"
        )
    return IndependentCheck(
        base.file.name, float(lower), float(upper), int(number), float(off), float(room), sha256,
        rules, Path(compiled_by).name, compute_clock() - began,
    )  # fmt: skip


def rules_read(rules: RuleSet) -> str:
    """Return the rules as urcx-check prints them."""
    path, dice = rules.path, rules.dice.items()
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
    """Report the number of states done, and return the rest of the stream."""
    text = ""
    while letter := stream.read(1):
        text += letter
        if letter == " " and (done := re.search(r"\r(\d+) ", text)):
            progress(int(done[1]))
            text = ""
    return text.removeprefix("states ")

"""The provenance of a result: command, versions, seed, and definitions that are not built in.

JSON has it in the field ``provenance``, CSV in comments before its header, and figures in the
description of their metadata. Nothing in it depends on time, so the same command gives the same
file.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from urcx import __version__
from urcx.reading import TEXTS

MEMBERS = ("command", "versions", "seed", "definitions")


@dataclass
class Run:
    """The command that is running."""

    words: Sequence[str]
    seed: int | None = None


_RUN: ContextVar[Run | None] = ContextVar("run", default=None)


@contextmanager
def made_by(words: Sequence[str]) -> Iterator[None]:
    """Give results and figures that are written in this context the provenance of a command."""
    texts = TEXTS.set({})
    run = _RUN.set(Run(words))
    try:
        yield
    finally:
        _RUN.reset(run)
        TEXTS.reset(texts)


def about_run(seed: int | None, targets: Sequence[str]) -> None:
    """Add the seed to the provenance, and remove the output files from its command line.

    ``targets`` are the options that name output files. A result must not depend on its file.
    """
    run = _RUN.get()
    if run is None:
        return
    run.seed = seed
    words = iter(run.words)
    remaining = []
    for word in words:
        option = word[:2] if word[1:2] != "-" else word.partition("=")[0]
        if option not in targets:
            remaining.append(word)
        elif word == option:
            next(words, None)
    run.words = remaining


@cache
def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    import platform  # too slow to import for the help of a command
    from importlib import metadata

    libraries = {name: metadata.version(name) for name in ("numba", "numpy")}
    return {"urcx": __version__, "python": platform.python_version(), **libraries}


def provenance(seed: int | None = None) -> dict[str, Any]:
    """Return the provenance of a result written now. Without a command, ``command`` is None.

    ``seed`` is the seed of the result, or None if the result is not random.
    """
    run = _RUN.get()
    if run is None:
        return dict(zip(MEMBERS, (None, versions(), None, {}), strict=True))
    texts = dict(TEXTS.get() or {})
    command = shlex.join(["urcx", *run.words])
    return dict(zip(MEMBERS, (command, versions(), seed, texts), strict=True))


def provenance_text() -> str:
    """Return the provenance with the command's seed as a string, for the metadata of figures."""
    run = _RUN.get()
    return json.dumps(provenance(run.seed if run else None))

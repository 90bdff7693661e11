"""What a result says of how it was made: the command, the versions, the seed, what is not built in.

JSON has it as the member ``provenance``, CSV in comments before its header, figures as a
description in their metadata. Nothing in it depends on time, so the same command gives the same
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
    """Let results and figures that are written meanwhile name a command line as their origin."""
    texts = TEXTS.set({})
    run = _RUN.set(Run(words))
    try:
        yield
    finally:
        _RUN.reset(run)
        TEXTS.reset(texts)


def about_run(seed: int | None, targets: Sequence[str]) -> None:
    """Let what the command writes say its seed, and not where it was written.

    ``targets`` are the options that say where: the same result is the same wherever it goes.
    """
    run = _RUN.get()
    if run is None:
        return
    run.seed = seed
    words = iter(run.words)
    kept = []
    for word in words:
        option = word[:2] if word[1:2] != "-" else word.partition("=")[0]
        if option not in targets:
            kept.append(word)
        elif word == option:
            next(words, None)
    run.words = kept


@cache
def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    import platform  # these take longer than the help of a command may
    from importlib import metadata

    libraries = {name: metadata.version(name) for name in ("numba", "numpy")}
    return {"urcx": __version__, "python": platform.python_version(), **libraries}


def provenance(seed: int | None = None) -> dict[str, Any]:
    """Return how what is written now is made; ``command`` is None where Python was asked.

    ``seed`` is that of the result, None if there is no chance in it.
    """
    run = _RUN.get()
    if run is None:
        return dict(zip(MEMBERS, (None, versions(), None, {}), strict=True))
    texts = dict(TEXTS.get() or {})
    command = shlex.join(["urcx", *run.words])
    return dict(zip(MEMBERS, (command, versions(), seed, texts), strict=True))


def provenance_text() -> str:
    """Return the same as a text for the metadata of figures, with the seed that was given."""
    run = _RUN.get()
    return json.dumps(provenance(run.seed if run else None))

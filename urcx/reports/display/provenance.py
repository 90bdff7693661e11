"""What a result says of how it was made: the command, the versions, the seed, what is not built in.

JSON has it as the member ``provenance``, CSV in comments before its header, figures as a
description in their metadata; `recorded` reads it back. Nothing in it depends on time, so that the
same command gives the same file.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.errors import UnusableFileError
from urcx.reading import DECODER, TEXTS, parse_json, read_some

MEMBERS = ("command", "versions", "seed", "definitions")
MOST_BYTES = 1_000_000_000  # of a file that is read back
# Where the description of a figure is: by the file's first bytes, and how it was escaped.
PNG, PDF = b"\x89PNG", b"%PDF"
START = '{"command": '


@dataclass
class Run:
    """The command that is running; ``repeated`` is what a file said that it now repeats."""

    words: Sequence[str]
    seed: int | None = None
    repeated: Mapping[str, Any] | None = None


_RUN: ContextVar[Run | None] = ContextVar("run", default=None)


@contextmanager
def made_by(words: Sequence[str], repeated: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Let what is written meanwhile say that a command line made it.

    With ``repeated`` it says what was said before, and files of paths and rules have the texts that
    they had then.
    """
    texts = TEXTS.set(dict(repeated["definitions"]) if repeated else {})
    run = _RUN.set(Run(words, repeated=repeated))
    try:
        yield
    finally:
        _RUN.reset(run)
        TEXTS.reset(texts)


def repeating() -> bool:
    """Return whether a command is repeated, whose files are of no use to anybody."""
    run = _RUN.get()
    return run is not None and run.repeated is not None


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
    if run.repeated is not None:
        return dict(run.repeated)
    texts = dict(TEXTS.get() or {})
    command = shlex.join(["urcx", *run.words])
    return dict(zip(MEMBERS, (command, versions(), seed, texts), strict=True))


def provenance_text() -> str:
    """Return the same as a text for the metadata of figures, with the seed that was given."""
    run = _RUN.get()
    return json.dumps(provenance(run.seed if run else None))


def recorded(file: Path) -> dict[str, Any]:
    """Return what a file of JSON or CSV, or a figure, says of how it was made.

    Raises
    ------
    UnusableFileError
        If it cannot be read, or says nothing.
    """
    data = read_some(file, MOST_BYTES)
    try:
        found = _found(data)
        well = (
            isinstance(found["command"], str | None)
            and isinstance(found["versions"], dict)
            and isinstance(found["definitions"], dict)
            and all(isinstance(text, str) for text in found["definitions"].values())
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        well = False
    if not well:
        raise UnusableFileError(
            f"{file} does not say how it was made; JSON, CSV and figures of urcx do"
        )
    return {name: found.get(name) for name in MEMBERS}


def _found(data: bytes) -> Any:
    from html import unescape

    if data.startswith(b"{"):
        return parse_json(data)["provenance"]
    if data.startswith((b"# ", b"% ")):
        lines = re.findall(r"^[#%] (\w+): (.*)$", data.decode(), re.MULTILINE)
        return {"command": None, "seed": None, "definitions": {}} | {
            name: parse_json(text) for name, text in lines if name in MEMBERS
        }
    text = data.decode("latin-1")
    if data.startswith(PDF):
        text = re.sub(r"\\([\\()])", r"\1", text[text.index("/Subject (") :])
    elif not data.startswith(PNG):
        text = unescape(text)
    return DECODER.raw_decode(text, text.index(START))[0]

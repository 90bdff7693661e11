"""Directories that workers share with this process: found out before any work begins."""

from __future__ import annotations

import os
import platform
import secrets
import time
from concurrent.futures import Executor
from pathlib import Path

from urcx.engine.executors import everywhere
from urcx.errors import UnusableFileError, UrcxError
from urcx.reading import read_some

ATTEMPTS = 8  # a network's file system may show a new file with delay
PAUSE = 0.5  # seconds between two of them


def check_shared(executor: Executor, directory: Path) -> None:
    """Raise `UrcxError` unless an executor's workers see a directory, and can write there.

    Workers read a file that was put there for them: another directory of the same name has none.
    """
    token = secrets.token_hex(16)
    probe = directory / f".urcx-{token}"
    try:
        probe.write_text(token, encoding="ascii")
        blind = [host for host in everywhere(executor, blindness, str(probe), token) if host]
    except OSError as error:
        raise UrcxError(f"cannot write {directory}: {error.strerror or error}") from None
    finally:
        probe.unlink(missing_ok=True)
    if blind:
        raise UrcxError(
            f"the workers do not share {directory}: {blind[0]} does not see it, or cannot write "
            "there; name a directory of a file system that all of them have"
        )


def blindness(probe: str, token: str) -> str:
    """Return the name of this machine if it does not see a file's content, else nothing."""
    file = Path(probe)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE)
        try:
            found = read_some(file, len(token) + 1)
            if found == token.encode() and os.access(file.parent, os.W_OK):
                return ""
        except (OSError, UnusableFileError):
            continue
    return platform.node() or "a worker"

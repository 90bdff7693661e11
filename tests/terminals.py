"""Runs commands on a terminal, a pseudo-terminal of POSIX systems."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """What a command wrote: ``raw`` on the terminal, ``rest`` on the other stream."""

    code: int
    raw: str
    rest: str

    @property
    def text(self) -> str:
        """Return what was written on the terminal without colours and moves of the cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.raw)


def on_terminal(command: Sequence[str], stream: str, width: int) -> Shown:
    """Run a command whose ``stdout`` or ``stderr`` is a terminal of a given width."""
    import pty

    ours, theirs = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    streams = {stream: theirs, other: subprocess.PIPE}
    with subprocess.Popen(
        command,
        stdout=streams["stdout"],
        stderr=streams["stderr"],
        env={**os.environ, "COLUMNS": str(width), "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            shown += chunk
        pipe = process.stderr if stream == "stdout" else process.stdout
        assert pipe is not None
        rest = pipe.read()
    os.close(ours)
    return Shown(process.returncode, shown.decode(), rest.decode())

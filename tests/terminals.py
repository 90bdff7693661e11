"""Runs commands on a terminal, a pseudo-terminal of POSIX systems."""

from __future__ import annotations

import os
import re
import signal
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


def on_terminal(
    command: Sequence[str], stream: str, width: int, keys: str = "", wait: str = "", **more: str
) -> Shown:
    """Run a command whose ``stdout`` or ``stderr`` is a terminal of a given width.

    If there are ``keys``, ``stdin`` is this terminal, too: the next is typed each time that it
    waits with certain words; ``\\x03`` is Ctrl-C. ``more`` are variables of the environment.
    """
    import pty

    ours, theirs = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    streams = {stream: theirs, other: subprocess.PIPE}
    # A process group started in the background ignores the signal, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        command,
        stdin=theirs if keys else None,
        stdout=streams["stdout"],
        stderr=streams["stderr"],
        env={**os.environ, "COLUMNS": str(width), "TERM": "xterm", **more},
    ) as process:
        os.close(theirs)
        signal.signal(signal.SIGINT, before)
        shown, left = b"", [*keys]
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            shown += chunk
            if left and shown.endswith(wait.encode()):
                key = left.pop(0)
                if key == "\x03":
                    process.send_signal(signal.SIGINT)
                else:
                    os.write(ours, f"{key}\n".encode())
        pipe = process.stderr if stream == "stdout" else process.stdout
        assert pipe is not None
        rest = pipe.read()
    os.close(ours)
    return Shown(process.returncode, shown.decode(), rest.decode())

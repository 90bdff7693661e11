"""Complete processes, timed from outside, with their peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

URCX = str(Path(sysconfig.get_path("scripts")) / "urcx")

# Runs a command from a process with very little memory. On Linux a child's peak includes the memory
# of its parent before it becomes another program, and pytest uses much memory.
LAUNCHER = """
import json, subprocess, sys, time
try:
    import resource
except ImportError:  # not on Windows
    resource = None
with open(sys.argv[1], "wb") as out:
    began = time.perf_counter()
    subprocess.run(sys.argv[2:], check=True, stdout=out)
    seconds = time.perf_counter() - began
peak = user = cpu = None
if resource:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, cpu = used.ru_utime, used.ru_utime + used.ru_stime
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps([seconds, user, cpu, peak]))
"""


@dataclass(frozen=True)
class Ran:
    """A finished command: its output, its seconds from start to exit, and its peak memory in MiB.

    ``user`` is the CPU time of all cores without the system's, ``cpu`` the CPU time with it. These
    and ``peak`` are None if the system does not provide them.
    """

    output: str
    seconds: float
    user: float | None
    cpu: float | None
    peak: float | None

    @property
    def json(self) -> Any:
        """Return the output, read as JSON."""
        return json.loads(self.output)


def run(command: tuple[str, ...], cache: Path | None = None) -> Ran:
    """Run a command to its end, with the caches of urcx in a directory if ``cache`` is given."""
    environment = dict(os.environ)
    if cache is not None:
        environment["URCX_CACHE_DIR"] = str(cache)
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        # The user's saved solutions must not make commands faster.
        environment["URCX_DATA_DIR"] = str(Path(directory) / "data")
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, str(out), *command],
            check=True,
            capture_output=True,
            env=environment,
        )
        seconds, user, cpu, peak = json.loads(done.stdout)
        return Ran(out.read_text(), seconds, user, cpu, None if peak is None else peak / 2**20)

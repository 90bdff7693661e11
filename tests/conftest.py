"""Shared set-up: the order of tests, and a skip for each that this system cannot run."""

from __future__ import annotations

import gc
import os
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Compiling leaves much garbage, and each look for it goes through all of the tests and what they
# import: at Python's own pace that is a tenth of the run.
gc.set_threshold(50_000, 20, 20)

# Time is not measured: a machine may be busy.
settings.register_profile("urcx", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("urcx")

# Files are made as usual, whatever the umask of who runs the tests.
os.umask(0o022)

# Solved games are kept neither in the home directory nor for the next test.
KEPT = tempfile.TemporaryDirectory(prefix="urcx-tests-")
DATA = (str(Path(KEPT.name, str(number))) for number in count())
os.environ["URCX_DATA_DIR"] = next(DATA)

# What needs OpenSpiel, which comes without wheels for some Pythons.
collect_ignore = [
    f"contrib/envs/test_{name}.py"
    for name in ("judging", "openspiel", "same_games")
    if not find_spec("pyspiel")
]

# Rooms whose tests compile most kernels, and rooms that need hardly any. Two processes begin at the
# beginning and in the middle: so one compiles while the other does what needs no kernels, and later
# finds them, instead of both compiling the same ones at the same time.
COMPILING = (
    "agents", "expectations", "extremes", "games", "sweeps", "contrib",
    "published", "solving", "engine", "enumerate",
)  # fmt: skip
WITHOUT = ("strategy", "rules", "complexity", "played", "checker", "explore")
PLACES = {room: place for place, room in enumerate((*COMPILING, "", "commands"))}


def room_of(item: pytest.Item) -> str:
    """Return the folder of a test."""
    return item.nodeid.split("/")[1]


def in_turn(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return tests by room, those that need no kernels from the middle on, commands at the end."""
    without = sorted(
        (item for item in items if room_of(item) in WITHOUT),
        key=lambda item: WITHOUT.index(room_of(item)),
    )
    others = sorted(
        (item for item in items if room_of(item) not in WITHOUT),
        key=lambda item: PLACES.get(room_of(item), PLACES[""]),
    )
    middle = len(items) // 2
    return others[:middle] + without + others[middle:]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Slow tests are last, by room.
    quick = [item for item in items if "slow" not in item.keywords]
    slow = [item for item in items if "slow" in item.keywords]
    items[:] = in_turn(quick) + sorted(
        slow, key=lambda item: PLACES.get(room_of(item), len(PLACES))
    )
    uncompiled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    for item in items:
        if uncompiled and "jit" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="needs compiled kernels for its size"))
        found = item.get_closest_marker("posix")
        if found is not None and os.name != "posix":
            item.add_marker(pytest.mark.skip(reason=f"needs POSIX: {found.args[0]}"))


def pytest_collection_finish() -> None:
    gc.freeze()  # what has been collected stays to the end


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let processes begin at different ends and steal from each other, unless asked otherwise.

    Here and not among the options, where pytest-benchmark would take it for tests side by side.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_runtest_setup() -> None:
    os.environ["URCX_DATA_DIR"] = next(DATA)

"""Without the extra, one line has the command that installs it; everything else works."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from urcx.contrib.envs.extra import MissingExtraError
from urcx.errors import UrcxError
from urcx.reading import install_command


@pytest.mark.parametrize(
    ("module", "missing", "library"),
    [
        ("openspiel", "pyspiel", "OpenSpiel"),
        ("pettingzoo", "pettingzoo", "PettingZoo"),
        ("gymnasium", "gymnasium", "Gymnasium"),
    ],
)
def test_what_is_missing_is_said(
    monkeypatch: pytest.MonkeyPatch, module: str, missing: str, library: str
) -> None:
    monkeypatch.delitem(sys.modules, f"urcx.contrib.envs.{module}", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not there
    with pytest.raises(UrcxError, match=f"^{library} is not installed") as found:
        import_module(f"urcx.contrib.envs.{module}")
    assert isinstance(found.value, MissingExtraError | ImportError)
    assert install_command("envs") in str(found.value)
    assert "\n" not in str(found.value)


def test_judging_needs_none_of_them_and_the_room_nothing_heavy() -> None:
    code = (
        "import sys, urcx.contrib.envs\n"
        "assert not {'numpy', 'numba', 'pyspiel', 'gymnasium'} & set(sys.modules)\n"
        "import urcx\n"
        "urcx.contrib.envs.judge('random', urcx.ruleset('finkel', pieces=1), exact=True)\n"
        "assert not {'pyspiel', 'gymnasium', 'pettingzoo'} & set(sys.modules)\n"
        "assert not hasattr(urcx.contrib.envs, 'play')\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)

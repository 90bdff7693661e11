"""urcx check --independent: a tablebase is proven by urcx-check."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
from pathlib import Path

import pytest
from command_line import assert_one_line, run

import urcx
from urcx.solving import independent
from urcx.solving.independent import rules_read


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_the_program_is_compiled_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "solved.urcx"
    solved = json.loads(run("solve", "-p", "1", "-o", str(file), "--json").out)
    line = ("check", str(file), "--independent")
    found = json.loads(run(*line, "--json").out)
    assert found["lower"] <= solved["opening"] <= found["upper"]
    assert found["bound"] < 1e-12
    assert int(found["states"]) == 217
    assert found["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert found["rules"] == rules_read(urcx.ruleset("finkel", pieces=1))
    with monkeypatch.context() as other:
        theirs = found["rules"].replace("1:1/4 2:3/8", "1:3/8 2:1/4")
        other.setattr(independent, "rules_read", lambda _: theirs)
        assert theirs in assert_one_line(run(*line), 1)
    at = re.search(rb'"offset": (\d+)', file.read_bytes())
    assert at
    with file.open("r+b") as stream:
        stream.seek(int(at[1]))
        stream.write(struct.pack("<d", 7.0))
    assert "is no chance" in assert_one_line(run(*line), 1)
    assert_one_line(run("solve", "--independent"), 2)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "C compiler" in assert_one_line(run(*line), 1)

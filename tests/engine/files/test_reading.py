"""Names that no file can have, and files of other kinds, where a file is to be read or written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import urcx
from urcx.agents.network_files import read_network, write_network
from urcx.agents.play_files.play_file import is_play_file
from urcx.engine.files.reading import named, open_regular
from urcx.errors import UnusableFileError, UrcxError, UsageError
from urcx.rules.load import read_text
from urcx.solving.files.rgu import is_rgu, open_rgu, open_solution

ONE = urcx.ruleset("finkel", pieces=1)
IMPOSSIBLE = "a\0b"


def played() -> urcx.PlayedGame:
    return urcx.PlayedGame("finkel", light="you").throw(4).play("0-4")


READERS: list[Callable[[str], object]] = [
    open_regular,
    named,
    urcx.open_tablebase,
    open_solution,
    open_rgu,
    urcx.read_game,
    read_network,
    lambda name: read_text(Path(name)),
    lambda name: urcx.review(played(), name),
    lambda name: urcx.regret("random", "finkel", tablebase=name),
    lambda name: urcx.compress(name, "out.play"),
]
WRITERS: list[Callable[[str], object]] = [
    lambda name: urcx.solve(ONE, name),
    lambda name: urcx.compress("missing.urcx", name),
    lambda name: played().save(name),
]


@pytest.mark.parametrize("use", READERS + WRITERS)
def test_a_name_that_no_file_can_have(use: Callable[[str], object]) -> None:
    for name in (IMPOSSIBLE, "\ud800"):
        with pytest.raises(UsageError, match="a file cannot have such a name") as raised:
            use(name)
        assert str(raised.value).isprintable()


def test_layers_in_a_directory_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="a file cannot have such a name"):
        urcx.solve(ONE, layers=IMPOSSIBLE)


def test_what_a_file_begins_with(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (IMPOSSIBLE, tmp_path / "pipe", tmp_path, tmp_path / "none"):
        assert not is_rgu(name)
        assert not is_play_file(name)


@pytest.mark.parametrize(
    "read", [urcx.open_tablebase, open_solution, open_rgu, read_network], ids=lambda f: f.__name__
)
def test_pipes_are_not_waited_for(tmp_path: Path, read: Callable[[str], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnusableFileError, match="it is not a regular file"):
        read(str(tmp_path / "pipe"))


@pytest.mark.parametrize("write", [WRITERS[0], WRITERS[1]])
def test_what_is_no_file_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[str], object]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for name in ("", "."):
        with pytest.raises(UrcxError, match=r"cannot write \.: it is a directory"):
            write(name)
    for name in ("pipe", os.devnull):
        with pytest.raises(UrcxError, match=f"cannot write {name}: it is not a regular file"):
            write(name)
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]
    assert Path("pipe").is_fifo()


def test_networks_replace_no_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    network = read_network(Path(urcx.__file__).parent / "agents/data/learned/finkel.npz")
    with pytest.raises(UrcxError, match="it is not a regular file"):
        write_network(network, tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()

"""Files appear under their names once they are complete, and not before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from urcx.engine.files.atomic import atomic_file, check_target, replacing
from urcx.errors import UrcxError


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    with atomic_file(file) as stream:
        stream.write("\u2208 half")
        stream.flush()
        assert not file.exists()
    assert file.read_text(encoding="utf-8") == "\u2208 half"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_file(file) as stream:
            stream.write("new")
            raise error

    with pytest.raises(error):
        write()
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    with atomic_file(tmp_path / "out.txt") as stream:
        stream.write("x")
    assert (tmp_path / "out.txt").stat().st_mode == usual.stat().st_mode


def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.touch()
    file.chmod(0o640)
    with atomic_file(file) as stream:
        stream.write("x")
    assert file.stat().st_mode & 0o777 == 0o640


def test_an_interrupt_while_the_half_file_is_gone_is_still_an_interrupt(tmp_path: Path) -> None:
    def write() -> None:
        with atomic_file(tmp_path / "out.txt"):
            (half,) = tmp_path.iterdir()
            assert half.name.startswith(".out.txt.")
            half.unlink()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


def test_two_runs_with_one_output_do_not_mix(tmp_path: Path) -> None:
    file = tmp_path / "out"
    with replacing(file) as first:
        first.write_bytes(b"first")
        with replacing(file) as second:
            second.write_bytes(b"second")
        assert file.read_bytes() == b"second"
    assert file.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [file]


def test_a_name_as_long_as_can_be(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 255)
    with replacing(file) as temporary:
        temporary.write_bytes(b"x")
    assert file.read_bytes() == b"x"


def test_a_link_remains_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "file")
    with replacing(link) as temporary:
        temporary.write_bytes(b"x")
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"x"


def test_what_replaces_a_secret_file_is_secret_from_the_start(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.touch()
    file.chmod(0o400)
    with replacing(file) as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600
        temporary.write_bytes(b"x")
    assert file.stat().st_mode & 0o777 == 0o400


def test_pipes_and_directories_are_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name, why in ((pipe, "not a regular file"), (tmp_path, "a directory")):
        with pytest.raises(UrcxError, match=f"cannot write {name}: it is {why}"), replacing(name):
            pass
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(UrcxError, match=r"a.x00b: a file cannot have such a name"):
        check_target(tmp_path / "a\0b")
    with (
        pytest.raises(UrcxError, match="a file cannot have such a name"),
        atomic_file(tmp_path / "a\0b"),
    ):
        pass


@pytest.mark.posix("has names for open files")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_open_files_are_written_to_and_not_replaced(name: str, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\nfrom urcx.engine.files.atomic import atomic_file\n"
        f"print('before')\nwith atomic_file(Path({name!r})) as stream:\n    stream.write('here')\n"
    )
    file = tmp_path / "log"
    file.write_text("precious\n", encoding="utf-8")
    with file.open("a", encoding="utf-8") as stream:
        subprocess.run([sys.executable, "-P", "-c", code], stdout=stream, check=True)
    assert file.read_text(encoding="utf-8") == "precious\nbefore\nhere"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.posix("can lock files that others may remove")
def test_what_a_killed_run_left_is_removed_and_what_others_write_is_not(tmp_path: Path) -> None:
    file, other = tmp_path / "a.json", tmp_path / "b.json"
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from urcx.engine.files.atomic import replacing\n"
        "with replacing(Path(sys.argv[1])):\n    os.kill(os.getpid(), 9)\n"
    )
    for name in (file, other):
        assert (
            subprocess.run([sys.executable, "-P", "-c", code, name], check=False).returncode == -9
        )
    assert len(list(tmp_path.iterdir())) == 2
    with atomic_file(file) as mine:
        mine.write("mine")
        with atomic_file(file) as theirs:
            theirs.write("theirs")
        assert file.read_text(encoding="utf-8") == "theirs"
    assert file.read_text(encoding="utf-8") == "mine"
    names = sorted(found.name for found in tmp_path.iterdir())
    assert names[1:] == ["a.json"]
    assert names[0].startswith(".b.json.")

"""Files appear under their names once they are complete, and not before."""

from __future__ import annotations

from pathlib import Path

import pytest

from urcx.engine.files.atomic import atomic_file


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


def test_binary_files(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out.png", "wb") as stream:
        stream.write(b"\x89\r\n")
    assert (tmp_path / "out.png").read_bytes() == b"\x89\r\n"


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

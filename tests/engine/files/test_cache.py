"""The cache directory: which one is used, and what is in it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import platformdirs
import pytest
from owners import give_away, homeless  # noqa: F401 - a fixture

from urcx.engine.files import cache
from urcx.engine.files.writing import DAY, refusal

platform_cache_path = platformdirs.user_cache_path  # as it is outside of these tests
posix = pytest.mark.posix("owners and modes")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put all directories that could be the cache below one directory."""
    asked = tmp_path / "asked"
    monkeypatch.setenv("URCX_CACHE_DIR", str(asked))
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_: tmp_path / "user")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir(mode=0o700)
    return asked


def put(file: Path, size: int, days: float) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(bytes(size))
    used = time.time() - days * DAY
    os.utime(file, (used, used))
    return file


def other_kernels(root: Path, size: int = 10, days: float = 0, key: str = "a") -> Path:
    return put(root / "kernels" / f"0.0.9-{key * 16}" / "some.kernel", size, days)


def own_kernels(root: Path, size: int = 10, days: float = 0, name: str = "some") -> Path:
    return put(root / "kernels" / cache.kernel_version() / f"{name}.kernel", size, days)


def level(root: Path, size: int = 10, days: float = 0, key: str = "a") -> Path:
    return put(root / "levels" / f"finkel-6-{key * 16}.level", size, days)


# --- which directory


def for_all(*places: Path) -> None:
    """Make directories to which everybody may write."""
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o777)


def test_the_directory_asked_for_is_used(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cache.usable_root() == root
    assert cache.level_directory() == root / "levels"
    assert cache.kernel_directory() == root / "kernels" / cache.kernel_version()
    assert not root.exists(), "made when there is something to keep"
    assert capsys.readouterr().err == ""


@posix
@pytest.mark.parametrize("bad", ["", "kernels", "levels"])
def test_one_that_others_may_write_to_is_refused_once_in_one_line(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: str
) -> None:
    for_all(root / bad)
    assert cache.usable_root() == cache.usable_root() == tmp_path / "user"
    said = capsys.readouterr().err
    assert said == (
        f"urcx: the cache in {root} is not used, because {root / bad} can be written to by other "
        f"users; urcx uses {tmp_path / 'user'} instead (set URCX_CACHE_DIR for another directory)\n"
    )


@posix
def test_one_that_belongs_to_somebody_else_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own_kernels(root)
    give_away(root / "kernels" / cache.kernel_version(), monkeypatch)
    directory = cache.kernel_directory()
    assert directory is None or root not in directory.parents
    assert "belongs to another user" in capsys.readouterr().err


@posix
@pytest.mark.parametrize("second", ["open to all", "a file"])
@pytest.mark.parametrize("third", ["", "open to all", "a link"])
def test_a_directory_among_temporary_files_is_the_last_that_is_tried(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], second: str, third: str
) -> None:
    last = tmp_path / "tmp" / f"urcx-{os.getuid()}"
    for_all(root)
    if second == "a file":
        (tmp_path / "user").write_text("where the directory should be", "utf-8")
    else:
        for_all(tmp_path / "user")
    if third == "open to all":
        for_all(last)
    elif third == "a link":
        (tmp_path / "target").mkdir(mode=0o700)
        last.symlink_to(tmp_path / "target")
    if third:
        assert cache.usable_root() is cache.kernel_directory() is cache.level_directory() is None
        assert "; nothing is cached (set URCX_CACHE_DIR" in capsys.readouterr().err
        assert cache.entries() == []
    else:
        assert cache.usable_root() == last
        assert last.stat().st_mode & 0o777 == 0o700
        assert f"; urcx uses {last} instead" in capsys.readouterr().err


@posix
@pytest.mark.usefixtures("homeless")
def test_without_a_home_the_cache_is_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", platform_cache_path)
    cache._usable_root.cache_clear()
    cache.warn_once.cache_clear()
    assert cache.usable_root() == tmp_path / "tmp" / f"urcx-{os.getuid()}"
    said = capsys.readouterr().err
    assert "there is no home directory" in said
    assert "URCX_CACHE_DIR" in said
    assert refusal(cache.solved_directory()) == "there is no home directory"


def test_where_the_directory_cannot_be_made_the_next_is_used(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    access = os.access  # the superuser may always write
    monkeypatch.setattr(os, "access", lambda place, how: place != tmp_path and access(place, how))
    assert cache.usable_root() == tmp_path / "user"
    assert f"{root} is not used, because it cannot be made" in capsys.readouterr().err
    root.mkdir()
    cache._usable_root.cache_clear()
    assert cache.usable_root() == root, "an administrator may have filled it"


# --- what is in it


def test_kernels_come_by_version_and_levels_by_name(root: Path) -> None:
    own_kernels(root, 1)
    own_kernels(root, 2, name="other")
    other_kernels(root, 30)
    level(root, 400)
    part = put(root / "levels" / f".finkel-6-{'a' * 16}.level.{'0' * 16}.part", 5, 0)
    found = [(e.kind, e.name, len(e.files), e.size, e.current) for e in cache.entries()]
    assert found == [
        ("kernels", cache.kernel_version(), 2, 3, True),
        ("kernels", f"0.0.9-{'a' * 16}", 1, 30, False),
        ("levels", part.name, 1, 5, True),
        ("levels", f"finkel-6-{'a' * 16}", 1, 400, True),
    ]


def test_other_versions_go_unless_they_were_written_today(root: Path) -> None:
    old = other_kernels(root, days=2)
    gone = [old, put(old.parent / "deep" / "er" / "x.nbi", 10, 3)]
    stay = [own_kernels(root, days=99), other_kernels(root, key="b"), level(root, days=99)]
    beside = put(other_kernels(root, days=99, key="c").parent / "new.kernel", 10, 0)
    cache.remove_other_versions()
    assert not any(file.exists() for file in gone)
    assert not old.parent.exists()
    assert all(file.exists() for file in [*stay, beside])


def test_what_is_not_ours_is_neither_listed_nor_removed(root: Path, tmp_path: Path) -> None:
    # URCX_CACHE_DIR may name any directory, and Linux is a kernel too.
    elsewhere = put(tmp_path / "elsewhere" / "x.kernel", 10, 99)
    theirs = [
        put(root / "kernels" / "linux-6.1" / "vmlinuz", 10, 99),
        put(root / "kernels" / "notes.txt", 10, 99),
        put(root / "levels" / "thesis.npy", 10, 99),
        put(root / "photo.jpg", 10, 99),
    ]
    (root / "kernels" / f"0.0.9-{'a' * 16}").symlink_to(elsewhere.parent)
    assert cache.entries() == []
    cache.remove_other_versions()
    assert all(file.exists() for file in [*theirs, elsewhere])


def test_removing_leaves_no_empty_directory_and_nothing_else_goes(root: Path) -> None:
    nested = put(other_kernels(root).parent / "solve_0123" / "old.nbi", 10, 0)
    mine = own_kernels(root)
    for entry in cache.entries():
        if not entry.current:
            cache.remove(entry)
    assert not nested.parent.parent.exists()
    assert mine.exists()
    (last,) = cache.entries()
    cache.remove(last)
    assert list((root / "kernels").iterdir()) == []

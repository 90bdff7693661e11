"""The cache directory: which one is used, what is in it, and how large it gets."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import platformdirs
import pytest
from owners import give_away, homeless  # noqa: F401 - a fixture

from urcx.engine import bit_kernels
from urcx.engine.files import cache, private
from urcx.engine.files.sources import SOURCES
from urcx.errors import UsageError

DAY = 86400
platform_cache_path = platformdirs.user_cache_path  # as it is outside of these tests
posix = pytest.mark.posix("owners and modes")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have everything that could be used as a cache below one directory."""
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
    return put(root / "levels" / f"finkel-6-{key * 16}.npy", size, days)


# --- which directory


def for_all(*places: Path) -> None:
    """Make directories that all may write to."""
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
        f"users; urcx uses {tmp_path / 'user'} instead (URCX_CACHE_DIR names another directory)\n"
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
def test_a_directory_among_temporary_files_is_the_last_that_is_tried(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for_all(root, tmp_path / "user")
    last = tmp_path / "tmp" / f"urcx-{os.getuid()}"
    assert cache.usable_root() == last
    assert last.stat().st_mode & 0o777 == 0o700
    assert f"; urcx uses {last} instead" in capsys.readouterr().err


@posix
def test_where_no_directory_can_be_made_the_next_is_tried(root: Path, tmp_path: Path) -> None:
    for_all(root)
    (tmp_path / "user").write_text("a file where the directory should be", "utf-8")
    assert cache.usable_root() == tmp_path / "tmp" / f"urcx-{os.getuid()}"


@posix
def test_a_link_among_temporary_files_is_not_followed(root: Path, tmp_path: Path) -> None:
    for_all(root, tmp_path / "user")
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    (tmp_path / "tmp" / f"urcx-{os.getuid()}").symlink_to(target)
    assert cache.usable_root() is None


@posix
def test_where_all_are_refused_nothing_is_kept(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for_all(root, tmp_path / "user", tmp_path / "tmp" / f"urcx-{os.getuid()}")
    assert cache.usable_root() is cache.kernel_directory() is cache.level_directory() is None
    assert "; nothing is cached (URCX_CACHE_DIR names " in capsys.readouterr().err
    assert cache.entries() == []


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
    assert private.refusal(cache.solved_directory()) == "there is no home directory"


def test_where_the_directory_cannot_be_made_the_next_is_used(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    access = os.access  # nothing keeps the superuser out
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
    put(root / "levels" / f"finkel-6-{'a' * 16}.crc", 5, 0)  # whatever stands beside a level
    found = [(e.kind, e.name, len(e.files), e.size, e.current) for e in cache.entries()]
    assert found == [
        ("kernels", cache.kernel_version(), 2, 3, True),
        ("kernels", f"0.0.9-{'a' * 16}", 1, 30, False),
        ("levels", f"finkel-6-{'a' * 16}", 2, 405, True),
    ]


def test_entries_by_what_is_asked_for(root: Path) -> None:
    own_kernels(root, days=99)
    other_kernels(root, days=99)
    level(root, days=99)
    level(root, key="b")
    own, other, old, recent = cache.entries()
    asked = ("kernels", "levels", "others", "stale")
    found = {what: [e for e in (own, other, old, recent) if e.is_(what)] for what in asked}
    assert found == {
        "kernels": [own, other],
        "levels": [old, recent],
        "others": [other],
        "stale": [other, old],
    }


def outdated_kernels(root: Path, size: int, days: float = 0, name: str = "popcount") -> Path:
    directory = root / "kernels" / cache.kernel_version()
    named = cache.kernel_file(f"urcx.engine.bit_kernels.{name}", 9, "0" * 16, "a" * 16)
    return put(directory / named, size, days)


def test_kernels_of_an_earlier_source_are_as_those_of_other_versions(root: Path) -> None:
    source = Path(bit_kernels.__file__)
    now = SOURCES.digest(source)
    same = cache.kernel_file("urcx.engine.bit_kernels.popcount", 9, now, "b" * 16)
    gone = cache.kernel_file("urcx.engine.removed_kernels.popcount", 9, now, "b" * 16)
    directory = root / "kernels" / cache.kernel_version()
    put(directory / same, 1, days=99)
    put(directory / gone, 20, 0)
    outdated_kernels(root, 300)
    outdated_kernels(root, 4000, days=99, name="lowest")
    other_kernels(root, 50000)
    found = {(e.name, e.size, e.current, e.stale, e.is_("others")) for e in cache.entries()}
    ours, theirs = cache.kernel_version(), f"0.0.9-{'a' * 16}"
    assert found == {
        (ours, 1, True, False, False),
        (ours, 320, False, False, True),
        (ours, 4000, False, True, True),
        (theirs, 50000, False, False, True),
    }
    cache.make_room(0)
    assert {entry.size for entry in cache.entries()} == {1, 320, 50000}
    for entry in cache.entries():
        if entry.is_("others"):
            cache.remove(entry)
    assert [(entry.current, entry.size) for entry in cache.entries()] == [(True, 1)]


def test_what_is_not_ours_is_neither_listed_nor_removed(root: Path) -> None:
    # URCX_CACHE_DIR may name any directory, and Linux is a kernel too.
    theirs = [
        put(root / "kernels" / "linux-6.1" / "vmlinuz", 10, 99),
        put(root / "kernels" / "notes.txt", 10, 99),
        put(root / "levels" / "thesis.npy", 10, 99),
        put(root / "photo.jpg", 10, 99),
    ]
    assert cache.entries() == []
    cache.make_room(10)
    assert all(file.exists() for file in theirs)


def test_removing_leaves_no_empty_directory_and_nothing_else_goes(root: Path) -> None:
    nested = put(other_kernels(root).parent / "solve_0123" / "old.nbi", 10, 0)
    mine = own_kernels(root)
    for entry in cache.entries():
        if not entry.current:
            cache.remove(entry)
    assert not nested.parent.parent.exists()
    assert mine.exists()


# --- how large it gets


def test_what_nobody_has_used_for_a_month_goes_but_this_versions_kernels(root: Path) -> None:
    old, recent = cache.STALE_AFTER_DAYS + 1, cache.STALE_AFTER_DAYS - 1
    gone = [other_kernels(root, days=old), level(root, days=old)]
    kept = [
        other_kernels(root, days=recent, key="b"),
        level(root, days=recent, key="b"),
        own_kernels(root, days=old),
    ]
    assert [entry.stale for entry in cache.entries()] == [False, False, True, True, False]
    cache.make_room(0)
    assert not any(file.exists() for file in gone)
    assert all(file.exists() for file in kept)


def test_a_version_is_as_old_as_the_last_use_of_any_of_its_kernels(root: Path) -> None:
    directory = other_kernels(root, days=99).parent
    put(directory / "other.kernel", 10, 1)
    (entry,) = cache.entries()
    assert not entry.stale


def test_what_was_used_least_recently_goes_first(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_LIMIT", "0.000001")  # 1000 bytes
    oldest = own_kernels(root, 300, days=3)
    second = level(root, 300, days=2)
    third = other_kernels(root, 300, days=1)
    assert cache.make_room(100) == 100
    assert oldest.exists()
    assert cache.make_room(101) == 400
    assert not oldest.exists()
    assert cache.make_room(600) == 700
    assert not second.exists()
    assert third.exists()


def test_what_is_larger_than_the_limit_drives_nothing_out(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_LIMIT", "0.000001")
    file = level(root, 300)
    assert cache.make_room(1001) == 700
    put(root / "levels" / f"finkel-7-{'b' * 16}.npy", 900, 0)
    assert cache.make_room(1001) == 0
    assert file.exists()


def test_what_was_left_half_written_goes_after_a_day(root: Path) -> None:
    level(root)
    own_kernels(root)
    directory = root / "kernels" / cache.kernel_version()
    left = [put(root / "levels" / ".level.abc", 10, 2), put(directory / ".kernel.abc", 10, 2)]
    being_written = put(root / "levels" / ".level.xyz", 10, 0)
    cache.make_room(0)
    assert not any(file.exists() for file in left)
    assert being_written.exists()


@pytest.mark.parametrize(("text", "limit"), [("", cache.LIMIT), ("0", 0), ("2.5", 2_500_000_000)])
def test_the_limit_can_be_set(monkeypatch: pytest.MonkeyPatch, text: str, limit: int) -> None:
    monkeypatch.setenv("URCX_CACHE_LIMIT", text)
    assert cache.limit() == limit


@pytest.mark.parametrize("text", ["1 GB", "-1", "nan", "1e3", " "])
def test_a_limit_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("URCX_CACHE_LIMIT", text)
    with pytest.raises(UsageError, match="URCX_CACHE_LIMIT"):
        cache.limit()


def test_use_is_recorded_without_writing_each_time(root: Path) -> None:
    file = level(root, days=1)
    cache.mark_used(file)
    first = file.stat().st_mtime
    assert first > time.time() - DAY / 2
    os.utime(file, (first - 60, first - 60))
    cache.mark_used(file)
    assert file.stat().st_mtime == pytest.approx(first - 60, rel=0, abs=1)  # seconds
    cache.mark_used(root / "not there")

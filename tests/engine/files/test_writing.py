"""Files appear complete, and nothing is believed that others could have written.

Real modes, and real owners where root runs.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from owners import give_away, homeless  # noqa: F401 - a fixture

from urcx.engine.files import writing
from urcx.engine.files.writing import atomic_file, check_target, replacing
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
@pytest.mark.parametrize("gone", [False, True])
def test_a_failure_leaves_the_old_file(
    tmp_path: Path, error: type[BaseException], gone: bool
) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_file(file) as stream:
            stream.write("new")
            (half,) = set(tmp_path.iterdir()) - {file}
            assert half.name.startswith(".out.txt.")
            if gone:
                half.unlink()
            raise error

    with pytest.raises(error):
        write()
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("mode", [None, 0o640, 0o400])
def test_a_file_keeps_its_mode_even_while_it_is_written_and_a_new_one_has_the_usual(
    mode: int | None, tmp_path: Path
) -> None:
    file, usual = tmp_path / "out.txt", tmp_path / "usual"
    usual.touch()
    for there in (usual, file) if mode else ():
        there.touch()
        there.chmod(mode or 0)
    with replacing(file) as temporary:
        assert mode is None or temporary.stat().st_mode & 0o777 == mode | 0o600
        temporary.write_bytes(b"x")
    assert file.stat().st_mode == usual.stat().st_mode


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
        "from pathlib import Path\nfrom urcx.engine.files.writing import atomic_file\n"
        f"print('before')\nwith atomic_file(Path({name!r})) as stream:\n    stream.write('here')\n"
    )
    file = tmp_path / "log"
    file.write_text("precious\n", encoding="utf-8")
    with file.open("a", encoding="utf-8") as stream:
        subprocess.run([sys.executable, "-P", "-c", code], stdout=stream, check=True)
    assert file.read_text(encoding="utf-8") == "precious\nbefore\nhere"
    assert list(tmp_path.iterdir()) == [file]


def test_parts_that_killed_runs_left_a_day_ago_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    names = ("a.json", "a.json", "b.json")
    old, new, other = (tmp_path / f".{name}.{k}.part" for k, name in enumerate(names))
    for part in (old, new, other):
        part.touch()
    ago = time.time() - 2 * writing.DAY
    for part in (old, other):
        os.utime(part, (ago, ago))
    with atomic_file(file) as stream:
        stream.write("x")
    assert set(tmp_path.iterdir()) == {file, new, other}


@pytest.mark.posix("modes and links")
def test_a_file_of_our_own_is_for_nobody_else_and_replaces_a_link(tmp_path: Path) -> None:
    target, file = tmp_path / "target", tmp_path / "a" / "b" / "own"
    target.write_bytes(b"mine")
    file.parent.mkdir(parents=True)
    file.symlink_to(target)
    before = os.umask(0)
    try:
        with replacing(file, own=True) as temporary:
            temporary.write_bytes(b"x")
    finally:
        os.umask(before)
    assert not file.is_symlink()
    assert (file.read_bytes(), target.read_bytes()) == (b"x", b"mine")
    assert file.stat().st_mode & 0o022 == 0


# --- locks


def test_a_directory_is_locked_once(tmp_path: Path) -> None:
    with writing.locked(tmp_path) as first, writing.locked(tmp_path) as second:
        assert (first, second) == (True, False)
    with writing.locked(tmp_path) as again:
        assert again
    assert list(tmp_path.iterdir()) == []


# --- owners and modes

posix = pytest.mark.posix("owners and modes")


@posix
def test_what_is_the_users_own_is_believed(tmp_path: Path) -> None:
    assert writing.refusal(tmp_path) is None
    assert writing.refusal(tmp_path / "not" / "there" / "yet") is None


@posix
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o702, 0o1777])
def test_a_directory_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    inside = tmp_path / "cache"
    inside.mkdir(mode=0o700)
    tmp_path.chmod(mode)
    why = f"{tmp_path} can be written to by other users"
    assert writing.refusal(tmp_path) == why
    # So is one below it, unless it is sticky as /tmp is: others can add to it, but not put
    # something in our place.
    below = None if mode == 0o1777 else why
    assert writing.refusal(inside) == writing.refusal(inside / "later") == below


@posix
def test_links_are_followed_to_where_the_files_are(tmp_path: Path) -> None:
    open_to_all, link = tmp_path / "open", tmp_path / "link"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link.symlink_to(open_to_all / "cache")
    assert writing.refusal(link) == f"{open_to_all} can be written to by other users"


@posix
@pytest.mark.parametrize("where", ["itself", "above"])
def test_what_belongs_to_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    inside = tmp_path / "cache"
    inside.mkdir(mode=0o700)
    foreign = inside if where == "itself" else tmp_path
    give_away(foreign, monkeypatch)
    why = writing.refusal(inside)
    assert why is not None
    assert why.endswith("belongs to another user")
    assert os.getuid() != 0 or why.startswith(str(foreign) + " ")


@posix
@pytest.mark.parametrize(("alone", "refused"), [(True, False), (False, True)])
def test_a_group_may_write_if_it_is_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool, refused: bool
) -> None:
    monkeypatch.setattr(writing, "_has_nobody_else", lambda _: alone)
    tmp_path.chmod(0o770)
    assert (writing.refusal(tmp_path) is not None) == refused


@posix
@pytest.mark.parametrize(
    ("name", "members", "alone"),
    [("ann", [], True), ("ann", ["ann"], True), ("ann", ["ben"], False), ("staff", [], False)],
)
def test_a_group_is_the_users_alone_by_its_name_and_members(
    monkeypatch: pytest.MonkeyPatch, name: str, members: list[str], alone: bool
) -> None:
    import grp
    import pwd

    user = SimpleNamespace(pw_name="ann", pw_gid=1000)
    group = SimpleNamespace(gr_name=name, gr_mem=members)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: user)
    monkeypatch.setattr(grp, "getgrgid", lambda _: group)
    assert writing._has_nobody_else(1000) == alone
    assert not writing._has_nobody_else(1001)

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(grp, "getgrgid", unknown)
    assert not writing._has_nobody_else(1000)


@posix
def test_what_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory, opened = tmp_path / "shut" / "kernels", Path.stat

    def shut(place: Path, **options: Any) -> os.stat_result:
        if place == directory:
            raise PermissionError
        return opened(place, **options)

    monkeypatch.setattr(Path, "stat", shut)  # the superuser may read any mode
    assert writing.refusal(directory) == f"{directory} cannot be read"
    assert writing.refusal(tmp_path / "shut" / "levels") is None


@posix
def test_what_is_above_the_home_directory_is_not_ours_to_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "user"
    home.mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    (tmp_path / "home").chmod(0o777)
    assert writing.refusal(home / ".cache") is not None
    monkeypatch.setenv("HOME", str(home))
    assert writing.refusal(home / ".cache") is None


@posix
def test_a_file_is_opened_only_if_it_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kernel"
    file.write_bytes(b"code")
    file.chmod(0o644)
    with writing.open_own(file) as stream:
        assert stream.read() == b"code"
    (tmp_path / "link").symlink_to(file)
    with pytest.raises(OSError, match="is a link"):
        writing.open_own(tmp_path / "link")
    file.chmod(0o646)
    with pytest.raises(PermissionError, match="written to by other users"):
        writing.open_own(file)
    file.chmod(0o644)
    give_away(file, monkeypatch)
    with pytest.raises(PermissionError, match="belongs to another user"):
        writing.open_own(file)


@posix
@pytest.mark.usefixtures("homeless")
def test_no_home_is_a_reason_and_no_traceback(tmp_path: Path) -> None:
    assert writing.refusal(writing.in_home("~/.cache")) == "there is no home directory"
    assert writing.refusal(tmp_path) is None


@posix
def test_new_directories_are_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)  # regardless of the usual umask here
    try:
        writing.make_directory(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    for place in (tmp_path / "a", tmp_path / "a" / "b"):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


@posix
def test_systems_without_owners_are_not_asked_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    file = tmp_path / "kernel"
    file.write_bytes(b"code")
    file.chmod(0o666)
    monkeypatch.delattr(os, "getuid")  # as on Windows
    assert writing.refusal(tmp_path) is None
    writing.open_own(file).close()

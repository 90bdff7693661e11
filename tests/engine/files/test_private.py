"""What others could have written is not believed. Real modes, and real owners where root runs."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from owners import give_away, homeless  # noqa: F401 - a fixture

from urcx.engine.files import private

pytestmark = pytest.mark.posix("owners and modes")


def test_what_is_the_users_own_is_believed(tmp_path: Path) -> None:
    assert private.refusal(tmp_path) is None
    assert private.refusal(tmp_path / "not" / "there" / "yet") is None


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o702, 0o1777])
def test_a_directory_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    inside = tmp_path / "cache"
    inside.mkdir()
    inside.chmod(mode)
    assert private.refusal(inside) == f"{inside} can be written to by other users"


def test_so_is_one_below_it_unless_it_is_sticky(tmp_path: Path) -> None:
    inside = tmp_path / "cache"
    inside.mkdir(mode=0o700)
    tmp_path.chmod(0o777)
    assert private.refusal(inside) == f"{tmp_path} can be written to by other users"
    assert private.refusal(inside / "later") == f"{tmp_path} can be written to by other users"
    tmp_path.chmod(0o1777)  # as /tmp: others can add to it, but not put something in our place
    assert private.refusal(inside) is None


def test_links_are_followed_to_where_the_files_are(tmp_path: Path) -> None:
    open_to_all, link = tmp_path / "open", tmp_path / "link"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link.symlink_to(open_to_all / "cache")
    assert private.refusal(link) == f"{open_to_all} can be written to by other users"


@pytest.mark.parametrize("where", ["itself", "above"])
def test_what_belongs_to_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    inside = tmp_path / "cache"
    inside.mkdir(mode=0o700)
    foreign = inside if where == "itself" else tmp_path
    give_away(foreign, monkeypatch)
    why = private.refusal(inside)
    assert why is not None
    assert why.endswith("belongs to another user")
    assert os.getuid() != 0 or why.startswith(str(foreign) + " ")


@pytest.mark.parametrize(("alone", "refused"), [(True, False), (False, True)])
def test_a_group_may_write_if_it_is_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool, refused: bool
) -> None:
    monkeypatch.setattr(private, "_has_nobody_else", lambda _: alone)
    tmp_path.chmod(0o770)
    assert (private.refusal(tmp_path) is not None) == refused


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
    assert private._has_nobody_else(1000) == alone
    assert not private._has_nobody_else(1001)

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(grp, "getgrgid", unknown)
    assert not private._has_nobody_else(1000)


def test_what_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory, opened = tmp_path / "shut" / "kernels", Path.stat

    def shut(place: Path, **options: Any) -> os.stat_result:
        if place == directory:
            raise PermissionError
        return opened(place, **options)

    monkeypatch.setattr(Path, "stat", shut)  # modes do not keep the superuser out
    assert private.refusal(directory) == f"{directory} cannot be read"
    assert private.refusal(tmp_path / "shut" / "levels") is None


def test_a_file_that_is_not_there_is_not_ones_own(tmp_path: Path) -> None:
    assert not private.is_own(tmp_path / "none")
    (tmp_path / "file").write_text("")
    (tmp_path / "file").chmod(0o600)
    assert private.is_own(tmp_path / "file")


def test_what_is_above_the_home_directory_is_not_ours_to_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "user"
    home.mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    (tmp_path / "home").chmod(0o777)
    assert private.refusal(home / ".cache") is not None
    monkeypatch.setenv("HOME", str(home))
    assert private.refusal(home / ".cache") is None


def test_a_file_is_opened_only_if_it_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kernel"
    file.write_bytes(b"code")
    file.chmod(0o644)
    with private.open_own(file) as stream:
        assert stream.read() == b"code"
    file.chmod(0o646)
    with pytest.raises(PermissionError, match="written to by other users"):
        private.open_own(file)
    file.chmod(0o644)
    give_away(file, monkeypatch)
    with pytest.raises(PermissionError, match="belongs to another user"):
        private.open_own(file)


def test_a_link_is_no_file_of_ones_own(tmp_path: Path) -> None:
    file, link = tmp_path / "kernel", tmp_path / "link"
    file.touch(mode=0o600)
    link.symlink_to(file)
    assert not private.is_own(link)


@pytest.mark.usefixtures("homeless")
def test_no_home_is_a_reason_and_no_traceback(tmp_path: Path) -> None:
    assert private.refusal(private.in_home("~/.cache")) == "there is no home directory"
    assert private.refusal(tmp_path) is None


def test_new_directories_are_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)  # whatever is usual here
    try:
        private.make_directory(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    for place in (tmp_path / "a", tmp_path / "a" / "b"):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_systems_without_owners_are_not_asked_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    file = tmp_path / "kernel"
    file.write_bytes(b"code")
    file.chmod(0o666)
    monkeypatch.delattr(os, "getuid")  # as on Windows
    assert private.refusal(tmp_path) is None
    private.open_own(file).close()

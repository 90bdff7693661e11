"""Where solved games are kept, and what is found there from Python."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from own_rules import own
from owners import give_away

import urcx
from urcx.engine.files.cache import solved_directory
from urcx.errors import (
    OutOfDomainError,
    TablebaseError,
    TooLargeError,
    UnknownNameError,
    UnusableFileError,
)
from urcx.explore.explorer import Explorer
from urcx.explore.whole import offer
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import (
    find_solution,
    latest_solution,
    saved_solution,
    saved_solutions,
    solve_command,
)

ONE = urcx.ruleset("finkel", pieces=1)


def test_tests_write_to_no_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Path(os.environ["URCX_DATA_DIR"])
    assert solved_directory() == given / "solved"
    assert not given.exists()
    monkeypatch.delenv("URCX_DATA_DIR")
    assert solved_directory() == platformdirs.user_data_path("urcx", False) / "solved"


def test_it_is_kept_and_opened_by_its_rules() -> None:
    assert find_solution(ONE) is None
    with pytest.raises(
        UnusableFileError,
        match=r"^finkel with 1 piece is not solved yet.* \(about 1 s, 3 kB .*: "
        r"urcx solve --rules finkel -p 1 --yes; .* "
        r"urcx\.solve\(urcx\.ruleset\(.finkel., pieces=1\), True\)$",
    ):
        urcx.open_tablebase(ONE)
    found = urcx.solve(ONE, True)
    assert found.file == saved_solution(ONE) == latest_solution() == find_solution(ONE)
    with urcx.open_tablebase(ONE) as base:
        assert base.probe("-/-/0-0/L") == pytest.approx(found.solved.opening)
    assert urcx.solve(ONE, False).file is None


def test_a_directory_of_another_user_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.environ["URCX_DATA_DIR"]

    def refuse(call: Callable[..., Any]) -> Callable[..., Any]:
        def refusing(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if str(path).startswith(mine):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return call(path, *args, **kwargs)

        return refusing

    for name in {"stat", "lstat", "listdir", "scandir", "mkdir", "statvfs"} & set(dir(os)):
        monkeypatch.setattr(os, name, refuse(getattr(os, name)))
    assert latest_solution() is saved_solution(ONE) is find_solution(ONE) is None
    assert offer(ONE).kept == 0
    assert Explorer().known(ONE).state == "solvable"
    with pytest.raises(TablebaseError, match=r"^cannot write .* cannot be read$"):
        urcx.solve(ONE, True)


Spoil = Callable[[Path, pytest.MonkeyPatch], object]
FORGERIES: dict[str, tuple[Spoil, str]] = {
    "a directory for all": (lambda file, _: file.parent.chmod(0o777), "written to by other users"),
    "above it": (lambda file, _: file.parents[1].chmod(0o777), "written to by other users"),
    "another's directory": (lambda file, patch: give_away(file.parent, patch), "another user"),
    "a file for all": (lambda file, _: file.chmod(0o666), "can be written to by other users"),
    "another's file": (give_away, "belongs to another user"),
    "a link": (lambda file, _: as_link(file), "is a link"),
}


def as_link(file: Path) -> None:
    """Put a link under a file's name, to where the file is then."""
    elsewhere = file.parents[1] / "elsewhere.urcx"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


@pytest.mark.posix("owners and modes")
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_solution_that_others_may_have_written_is_not_believed(
    forgery: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = urcx.solve(ONE, True).file
    assert file is not None
    spoil, why = FORGERIES[forgery]
    spoil(file, monkeypatch)
    assert saved_solution(ONE) is find_solution(ONE) is latest_solution() is None
    assert Explorer().known(ONE).state == "solvable"
    warning = capsys.readouterr().err
    assert warning.startswith(f"urcx: the solution in {file} is not used, because ")
    assert why in warning
    assert warning.count("\n") == 1
    with pytest.raises(UnusableFileError, match="finkel with 1 piece is not solved"):
        urcx.open_tablebase(ONE)


@pytest.mark.posix("owners and modes")
def test_none_is_written_where_others_may_write() -> None:
    file = urcx.solve(ONE, True).file
    assert file is not None
    file.unlink()
    file.parent.chmod(0o777)
    with pytest.raises(TablebaseError, match=f"cannot write {file.parent}: .*other users"):
        urcx.solve(ONE, True)
    assert list(file.parent.iterdir()) == []


@pytest.mark.posix("links")
@pytest.mark.parametrize("end", ["", ".work"])
@pytest.mark.parametrize("there", [True, False])
def test_none_is_written_through_a_link(tmp_path: Path, end: str, there: bool) -> None:
    file = urcx.solve(ONE, True).file
    assert file is not None
    file.unlink()
    target = tmp_path / "target"
    if there and end:
        target.mkdir()
    elif there:
        target.write_text("mine")
    link = Path(f"{file}{end}")
    link.symlink_to(target)
    with pytest.raises(TablebaseError, match="it is a link"):
        urcx.solve(ONE, True)
    assert target.exists() == there
    assert not there or end or target.read_text() == "mine"
    assert not end or not there or list(target.iterdir()) == []


@pytest.mark.posix("modes")
@pytest.mark.parametrize("before", [None, 0o666])
def test_a_solution_is_believed_whatever_the_umask(before: int | None) -> None:
    if before is not None:
        file = urcx.solve(ONE, True).file
        assert file is not None
        file.chmod(before)
    umask = os.umask(0)
    try:
        found = urcx.solve(ONE, True)
    finally:
        os.umask(umask)
    assert saved_solution(ONE) == found.file


def test_a_name_is_that_of_a_file_or_of_a_rule_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnusableFileError, match=r"^finkel .* --rules finkel --yes;"):
        urcx.open_tablebase("finkel")
    with pytest.raises(UnknownNameError, match="did you mean finkel"):
        urcx.open_tablebase("finkl")
    urcx.solve(ONE, "finkel")
    with urcx.open_tablebase("finkel") as base:
        assert base.rules.pieces == 1


def test_rules_count_and_names_do_not() -> None:
    rules = own("tiny")
    found = urcx.solve(rules, True)
    renamed = replace(rules, name="other", title="the same", aliases=("third",))
    assert saved_solution(renamed) == found.file == urcx.solve(renamed, True).file
    for other in (
        replace(rules, pieces=1),
        replace(rules, capture_grants_roll=not rules.capture_grants_roll),
        replace(rules, dice=urcx.dice("binary4")),
    ):
        assert saved_solution(other) is None


def test_the_newest_solution_comes_first() -> None:
    files = [urcx.solve(rules, True).file for rules in (ONE, replace(own("tiny"), pieces=1))]
    for newest in (0, 1):
        for k, file in enumerate(files):
            assert file is not None
            os.utime(file, (0, 10**9 + (k == newest)))
        assert [*saved_solutions()] == sorted(files, key=lambda file: file != files[newest])
        assert latest_solution() == files[newest]


def test_other_paths_have_none() -> None:
    murray = urcx.ruleset("murray", pieces=1)
    with pytest.raises(OutOfDomainError, match="murray cannot have a tablebase"):
        urcx.solve(murray, True)
    assert saved_solution(murray) is None
    with pytest.raises(TooLargeError, match=r"path murray .*: take fewer pieces"):
        find_solution(urcx.ruleset("murray"))


@pytest.mark.parametrize(
    ("rules", "command"),
    [
        (urcx.ruleset("blitz"), "urcx solve --rules blitz --yes;"),
        (urcx.ruleset("blitz", pieces=7), "urcx solve --rules blitz -p 7 --yes;"),
        (own("tiny"), "urcx solve --rules tiny --path-file FILE -p 2 --yes;"),
        (
            replace(urcx.ruleset("finkel"), capture_grants_roll=True),
            "urcx solve --rules finkel --path-file FILE --yes;",
        ),
    ],
)
def test_the_command_is_that_of_the_rules(rules: RuleSet, command: str) -> None:
    assert command in solve_command(rules)


def test_agents_in_python_play_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    urcx.solve(ONE, True)
    monkeypatch.setattr("urcx.solving.files.kept.MOST_ON_THE_FLY", 1)
    game = urcx.Game(ONE)
    best = urcx.agent("optimal").choose(game, 2)
    assert best == urcx.hint(game, 2).best
    assert urcx.simulate("optimal", "greedy", ONE, games=10).notes == (
        f"used the saved solution {saved_solution(ONE)}",
    )
    with pytest.raises(TooLargeError, match="finkel with 3 pieces is not solved"):
        urcx.agent("optimal").choose(urcx.Game("finkel", pieces=3), 2)


def test_the_explorer_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.solving.files.kept.MOST_ON_THE_FLY", 1)
    explorer = Explorer()
    before = explorer.known(ONE)
    assert before.state == "solvable"
    assert "finkel with 1 piece are not known yet" in before.message
    file = urcx.solve(ONE, True).file
    assert file is not None
    known = explorer.known(ONE).members()
    assert (known["state"], known["source"], known["file"]) == ("known", "tablebase", file.name)
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    error = Explorer().known(ONE).error
    assert f"{file.name} is cut off" in error
    assert str(file.parent) not in error

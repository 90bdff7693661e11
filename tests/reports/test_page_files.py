"""A report's directory: written whole or not at all, and nobody's files are lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from urcx.errors import UrcxError, UsageError
from urcx.reports import directory as files

FILES = {"index.html": b"<p>one</p>", "tables/a.csv": b"a\n1\n"}


def there(directory: Path) -> set[str]:
    return {p.relative_to(directory).as_posix() for p in directory.rglob("*") if p.is_file()}


def test_written_and_replaced(tmp_path: Path) -> None:
    target = tmp_path / "report"
    files.check_directory(target)
    files.write_files(target, FILES, {"version": "1"})
    assert there(tmp_path) == {f"report/{name}" for name in (*FILES, "report.json")}
    manifest = json.loads((target / "report.json").read_text())
    assert manifest == {"schema": "urcx.report/1", "version": "1", "files": list(FILES)}
    files.check_directory(target)
    files.write_files(target, {"index.html": b"<p>two</p>"}, {})
    assert there(tmp_path) == {"report/index.html", "report/report.json"}
    assert (target / "index.html").read_bytes() == b"<p>two</p>"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "mine"),
        *(
            ("report.json", text)
            for text in ("{}", "no json", '{"schema": "urcx.report/1", "files": 3}')
        ),
    ],
)
def test_other_directories_are_refused(tmp_path: Path, name: str, text: str) -> None:
    files.check_directory(tmp_path)  # an empty one is taken
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match="is not empty and not a report"):
        files.check_directory(tmp_path)
    assert there(tmp_path) == {name}


def test_files_put_into_a_report_are_not_lost(tmp_path: Path) -> None:
    target = tmp_path / "report"
    files.write_files(target, FILES, {})
    (target / "tables" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"did not write, such as tables/notes.txt"):
        files.check_directory(target)
    with pytest.raises(UsageError, match="did not write"):  # put there while it was computed
        files.write_files(target, {"index.html": b""}, {})
    assert (target / "tables" / "notes.txt").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="not a directory"):
        files.check_directory(tmp_path / "file")
    with pytest.raises(UrcxError, match="there is no directory"):
        files.check_directory(tmp_path / "missing" / "report")
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    for name in (".", "..", str(tmp_path)):
        with pytest.raises(UsageError, match="separate directory"):
            files.check_directory(Path(name))
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(UrcxError, match="no permission"):
        files.check_directory(Path("report"))


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [False, True])
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, before: bool
) -> None:
    target = tmp_path / "report"
    if before:
        files.write_files(target, FILES, {})
    was = there(tmp_path)
    real = Path.write_bytes

    def write_bytes(self: Path, data: Any) -> int:
        if self.name == "a.csv":
            raise error
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    expected = UrcxError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        files.write_files(target, {**FILES, "index.html": b"new"}, {})
    assert there(tmp_path) == was
    assert list(tmp_path.iterdir()) == ([target] if before else [])


def test_the_old_report_comes_back_if_the_new_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report"
    files.write_files(target, FILES, {})
    real = Path.rename

    def rename(self: Path, other: Path) -> Path:
        if self.name == "new":
            raise PermissionError(13, "Permission denied")
        return real(self, other)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UrcxError, match="Permission denied"):
        files.write_files(target, {"index.html": b"new"}, {})
    assert (target / "index.html").read_bytes() == FILES["index.html"]
    assert [p.name for p in tmp_path.iterdir()] == ["report"]

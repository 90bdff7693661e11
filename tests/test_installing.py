"""The command that installs an extra, as this urcx itself was installed."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from urcx import reading
from urcx.reading import install_command


def recorded(monkeypatch: pytest.MonkeyPatch, origin: object, package: Path) -> None:
    """Let urcx be installed from somewhere, as ``direct_url.json`` says it, to a directory."""
    text = None if origin is None else json.dumps(origin)
    installed = mock.Mock(read_text=lambda _: text)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    monkeypatch.setattr(reading, "__file__", str(package / "urcx" / "reading.py"))


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        (None, "urcx[envs]"),
        ({"url": "file:///a%20b/urcx", "dir_info": {}}, "/a b/urcx[envs]"),
        ({"url": "file:///a/urcx.whl", "archive_info": {}}, "urcx[envs] @ file:///a/urcx.whl"),
        (
            {"url": "https://a.org/urcx", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            "urcx[envs] @ git+https://a.org/urcx",
        ),
    ],
)
@pytest.mark.posix
def test_the_command_names_where_urcx_came_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: Any, place: str
) -> None:
    recorded(monkeypatch, origin, tmp_path)
    assert install_command("envs") == f"pip install '{place}'"


def test_in_a_checkout_it_is_the_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    recorded(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, tmp_path)
    assert install_command("envs") == f"pip install -e '{tmp_path}[envs]'"
    monkeypatch.chdir(tmp_path)
    assert install_command("envs") == "pip install -e '.[envs]'"
    # Not installed at all: the directory is in PYTHONPATH.
    missing = mock.Mock(side_effect=metadata.PackageNotFoundError)
    monkeypatch.setattr(metadata, "distribution", missing)
    assert "'.[envs]'" in install_command("envs")


def test_installed_from_the_current_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {}}, tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    assert install_command("envs") == "pip install '.[envs]'"

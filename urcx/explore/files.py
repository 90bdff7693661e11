"""The files of the page, which the server sends, and which `urcx.explore.export` joins to one."""

from __future__ import annotations

from importlib import resources
from pathlib import PurePath

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def static_files() -> dict[str, bytes]:
    """Read the files of the page, and return them by name. The server has no other files."""
    directory = resources.files("urcx.explore").joinpath("static")
    return {
        file.name: file.read_bytes()
        for file in sorted(directory.iterdir(), key=lambda file: file.name)
        if file.is_file() and PurePath(file.name).suffix in TYPES
    }

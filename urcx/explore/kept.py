"""Where games are kept that were solved here, by rules and pieces."""

from __future__ import annotations

from pathlib import Path

from urcx.engine.files.cache import usable_root
from urcx.rules.model import RuleSet


def kept_directory() -> Path | None:
    """Return the directory of games that were solved, which need not exist; None without any."""
    root = usable_root()
    return root and root / "solved"


def kept_file(rules: RuleSet) -> Path | None:
    """Return the file that a solved game has or gets; None if nothing can be kept."""
    directory = kept_directory()
    return directory and directory / f"{rules.name}-{rules.pieces}.urcx"

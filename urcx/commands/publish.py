"""The commands that publish: verify."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""

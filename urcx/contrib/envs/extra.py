"""The error for an extra that is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from urcx.errors import UrcxError
from urcx.reading import install_command


class MissingExtraError(UrcxError, ImportError):
    """A library that is not installed. The message has the command that installs it."""


def needed(module: str, library: str) -> Any:
    """Return a module of a library from the extra ``envs``.

    Raises
    ------
    MissingExtraError
        If the library is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed. Install it: {install_command('envs')} ({error})"
        ) from None

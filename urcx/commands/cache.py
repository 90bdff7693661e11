"""The command about urcx's cache on disk: cache."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.options import option
from urcx.errors import UrcxError, UsageError
from urcx.reports.display.output import Style

CHOICES = ("kernels", "levels", "solved")


@opt.command(wide=True)
def cache(
    only: Annotated[
        str | None,
        option(
            "--only",
            "List one kind, and with --clear remove no other: kernels (compiled code), levels "
            "(tables of agents that look ahead), or solved (games). [default: all]",
            CHOICES,
        ),
    ] = None,
    clear: Annotated[
        bool,
        option(
            "--clear",
            "Remove what is listed: without --only solved games too, which take minutes to solve "
            "again; the rest is made anew when it is needed.",
        ),
    ] = False,
    *,
    style: Style,
) -> None:
    """List and clear what is kept: kernels, levels, solved games.

    URCX_CACHE_DIR puts the cache elsewhere. Solved games are in your data directory, or in that of
    URCX_DATA_DIR.

    urcx cache

    urcx cache --only solved

    urcx cache --only levels --clear
    """
    from urcx.engine.files import cache as kept

    if only is not None and only not in CHOICES:
        raise UsageError(f"--only {only!r}: must be one of {', '.join(CHOICES)}")
    listed = [
        entry for entry in (*kept.entries(), *kept.solved_entries()) if only in (None, entry.kind)
    ]
    failed = 0
    if clear:
        for entry in listed:
            kept.remove(entry)
        failed = sum(file.exists() for entry in listed for file in entry.files)
    root, solved = kept.usable_root(), kept.solved_directory()
    style.show(kept.Listing(root, solved, only, clear, listed).report())
    if failed:
        raise UrcxError(f"{failed} files could not be removed from {root} or {solved}")

"""The command that opens the explorer in a browser."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

from urcx.commands import options as opt
from urcx.commands.options import argument, option
from urcx.errors import UsageError
from urcx.reports.display.output import note, say
from urcx.reports.display.progress import stages

if TYPE_CHECKING:
    from urcx.explore.explorer import Explorer

HIGHEST_PORT = 65535
EXTRA = ("starlette", "uvicorn", "anyio", "h11")


def explore(
    files: Annotated[
        list[FilePath] | None,
        argument(
            "FILE",
            "Tablebases or .rgu files, to begin with the first one's game. [default: the game that "
            "urcx solve has kept last; else finkel with three pieces, solved at once]",
        ),
    ] = None,
    no_open: Annotated[bool, option("--no-open", "Do not open a browser.")] = False,
    host: Annotated[
        str, option("--host", "Address to listen on; others than this machine may then reach it.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option("--port", "Port to listen on, from 1 to 65535. [default: one that is free]"),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "--allow-origin",
            "Let pages of this origin, such as http://localhost:8888, read answers; may be "
            "repeated.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        option(
            "--allow-host",
            "Let the server be asked under this name, such as ur.example; may be repeated.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        option(
            "--agent", "Further agent: net:FILE, FILE.py:NAME or optimal:FILE; may be repeated."
        ),
    ] = None,
    path_file: opt.PathFile = None,
) -> None:
    """Open the game in the browser: board, values, games, counts.

    Chances of winning are those of every game that urcx solve has kept, or a FILE has; small games
    are solved when they are asked for.

    urcx explore finkel.urcx

    urcx explore --no-open --port 8000

    The page stands on a small JSON API, which other programs can use. Needs the extra
    urcx[explore].
    """
    if port is not None and not 1 <= port <= HIGHEST_PORT:
        raise UsageError(f"--port {port}: from 1 to {HIGHEST_PORT}")
    try:
        from urcx.explore import server
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            raise
        raise UsageError(
            f"urcx explore needs {missing}, which is not installed: pip install 'urcx[explore]'"
        ) from None
    from urcx.explore.security import checked_host, checked_origin

    origins = [checked_origin(one) for one in allow_origin or ()]
    names = [checked_host(one) for one in allow_host or ()]
    with ExitStack() as stack:
        taken = stack.enter_context(server.listening(host, port or 0))
        explorer = _explorer(stack, files or [], path_file, agent or [])
        address = server.address_of(taken, host)
        if not server.is_local(taken):
            note(
                f"other machines reach it at {server.reached_at(taken, host)}, and nobody has to "
                "log in; under other names than this machine's own it is refused without "
                "--allow-host NAME"
            )

        def ready() -> None:
            say(f"The explorer is at {address}\n")
            sys.stdout.flush()
            if not no_open:
                server.open_browser(address)

        server.serve(explorer, taken, host, origins=origins, names=names, ready=ready)


def _explorer(
    stack: ExitStack, files: list[FilePath], path_file: FilePath | None, agents: list[str]
) -> Explorer:
    """Return what answers are made from; solves a small game where no file is given."""
    from urcx.explore.explorer import WHOLE, Explorer, check_base
    from urcx.rules import catalogue
    from urcx.solving.files.kept import last_kept
    from urcx.solving.files.rgu import open_solution

    full = None if path_file is None else catalogue.read_catalogue_file(path_file)[0]
    last = last_kept()
    if not files and last is not None:
        note(f"solved last: {last}")
        files = [last]
    bases = [stack.enter_context(open_solution(file)) for file in files]
    for base in bases:
        check_base(base)
    explorer = Explorer(bases, full, agents)
    if not bases:
        with stages() as stage:
            explorer.solve_now(explorer.first, stage)
        note(f"finkel is shown with three pieces; for {WHOLE}")
    explorer.warm_up()
    return explorer

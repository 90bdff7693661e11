"""The command that opens the explorer in a browser."""

from __future__ import annotations

import inspect
import sys
from contextlib import ExitStack
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.options import argument, option
from urcx.errors import UsageError
from urcx.reports.display.output import check_writable, note, say
from urcx.reports.display.progress import progress_bars

if TYPE_CHECKING:
    from urcx.explore.explorer import Explorer

HIGHEST_PORT = 65535
EXTRA = ("starlette", "uvicorn", "anyio", "h11")


def explore(
    files: Annotated[
        list[FilePath] | None,
        argument(
            "FILE",
            "Tablebases or .rgu files. The page opens the first. [default: finkel, with the saved "
            "solution or estimates]",
        ),
    ] = None,
    no_open: Annotated[bool, option("--no-open", "Do not open a browser.")] = False,
    host: Annotated[
        str,
        option("--host", "Address to listen on. Any other address may be open to a network."),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option("--port", "Port to listen on, from 1 to 65535. [default: a free one]"),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "--allow-origin",
            "Let pages of this origin, such as http://localhost:8888, read answers. Repeatable.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        option(
            "--allow-host",
            "Accept requests for this host name, such as ur.example. Repeatable.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        option(
            "--agent",
            "Agent to add: net:FILE, optimal:FILE, engine:COMMAND or FILE.py:NAME. Repeatable.",
        ),
    ] = None,
    export: Annotated[
        FilePath | None,
        option(
            "--export",
            "Write the page to this file, which opens without urcx. It plays finkel with values: "
            "exact for three pieces, from a network for seven.",
        ),
    ] = None,
    path_file: opt.PathFile = None,
    *,
    context: typer.Context,
) -> None:
    """Open the game in the browser: board, values, games, counts.

    The page shows win probabilities for all solved games and each FILE, and can solve other games.
    It uses a JSON API that other programs can use too. Press Ctrl-C to stop the server. This
    command needs the extra urcx[explore].

    urcx explore

    urcx explore finkel.urcx

    urcx explore --no-open --port 8000

    urcx explore --export ur.html
    """
    from urcx.reading import install_command

    if port is not None and not 1 <= port <= HIGHEST_PORT:
        raise UsageError(f"--port {port}: must be from 1 to {HIGHEST_PORT}")
    try:
        from urcx.explore import server
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            raise
        raise UsageError(
            f"urcx explore needs {missing}. Install it: {install_command('explore')}"
        ) from None
    if export is not None:
        others = (
            parameter
            for parameter in inspect.signature(explore).parameters
            if parameter != "export"
        )
        opt.reject_options(context, "cannot be combined with --export", *others)
        _export(export)
        return
    origins = [server.checked_origin(origin) for origin in allow_origin or ()]
    names = [server.checked_host(name) for name in allow_host or ()]
    with ExitStack() as stack:
        socket = stack.enter_context(server.listening(host, port or 0))
        local = server.is_local(socket)
        explorer = _explorer(stack, files or [], path_file, agent or [], solves=local)
        address = server.address_of(socket, host)
        if not local:
            note(
                f"other machines can open it at {server.reached_at(socket, host)} without a login. "
                "To use another host name for this machine, add --allow-host NAME"
            )

        def ready() -> None:
            say(f"The explorer is at {address}\n")
            sys.stdout.flush()
            if not no_open:
                server.open_browser(address)

        server.serve(explorer, socket, host, origins=origins, names=names, ready=ready)


def _export(file: FilePath) -> None:
    from urcx.engine.files.writing import check_target, checked_writing, replacing
    from urcx.explore.export import exported

    check_writable(file)
    check_target(file)
    with progress_bars() as stage:
        text = exported(stage)
    with checked_writing(file), replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8")
    note(f"wrote {file}")


def _explorer(
    stack: ExitStack,
    files: list[FilePath],
    path_file: FilePath | None,
    agents: list[str],
    *,
    solves: bool,
) -> Explorer:
    """Return the explorer, with the solutions in the files open."""
    from urcx.explore.explorer import WHOLE, Explorer, check_base
    from urcx.rules import catalogue
    from urcx.solving.files.rgu import open_solution

    entries = None if path_file is None else catalogue.read_catalogue_file(path_file)[0]
    bases = [stack.enter_context(open_solution(file)) for file in files]
    for base in bases:
        check_base(base)
    explorer = Explorer(bases, entries, agents, solves=solves)
    stack.callback(explorer.close)
    explorer.warm_up()
    if explorer.known(explorer.first).solution is None:
        how = "Its button solves the game" if explorer.solves else f"For {WHOLE}"
        note(f"{explorer.first.name} is not solved, so the page shows estimates. {how}")
    return explorer

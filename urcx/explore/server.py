"""The server: it listens on a port until Ctrl-C, and opens the browser."""

from __future__ import annotations

import errno
import os
import re
import socket
import threading
import webbrowser
from asyncio import BaseTransport
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from urcx.errors import UrcxError, UsageError
from urcx.explore.app import HOST, LARGEST_HEADERS, application, plain_address
from urcx.explore.explorer import Explorer
from urcx.reports.display.output import note

MOST_CONNECTIONS = 200
IDLE = 10  # seconds until a connection without a request is closed
GRACE = 2  # seconds for the last answers when the server ends
ORIGIN = re.compile(r"https?://[A-Za-z0-9.\[\]:-]+\Z")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - only compared with, not the default


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host and a port. Port 0 stands for any free port.

    Raises
    ------
    UsageError
        If the host is not an address of this machine.
    UrcxError
        If another program uses the port, or the system refuses it.
    """
    foreign = UsageError(f"--host {host}: must be a name or an address of this machine")
    if not host:  # or Python would listen on every address
        raise foreign
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise foreign from None
    family, kind, protocol, _, address = addresses[0]
    taken = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # on Windows the option would let two servers share a port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen()
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise UrcxError(
                f"--port {port}: another program uses it on {host}. Leave out --port for a free "
                "port"
            ) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise foreign from None
        raise UrcxError(
            f"--port {port}: cannot listen on {host}: {error.strerror or error}"
        ) from None
    return taken


def address_of(taken: socket.socket, host: str) -> str:
    """Return the address of the page."""
    port = taken.getsockname()[1]
    name = "localhost" if host in EVERYWHERE else host
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def is_local(taken: socket.socket) -> bool:
    """Return whether only this machine can reach a socket."""
    return plain_address(taken.getsockname()[0]).is_loopback


def reached_at(taken: socket.socket, host: str) -> str:
    """Return the address of the page for other machines.

    If the system does not tell this machine's own address, the machine's name replaces it.
    """
    if host not in EVERYWHERE:
        return address_of(taken, host)
    other = "2001:db8::1" if host == "::" else "192.0.2.1"  # reserved for documentation
    try:
        with socket.socket(taken.family, socket.SOCK_DGRAM) as datagrams:
            datagrams.connect((other, 9))  # sends nothing, but chooses our address
            name = str(datagrams.getsockname()[0])
    except OSError:
        name = socket.gethostname()
    return address_of(taken, name)


def hosts_of(taken: socket.socket, host: str) -> set[str]:
    """Return the names under which clients may reach the server, for `host_is_ours`."""
    names = {"localhost", host}
    if not is_local(taken):
        names |= {"*", socket.gethostname()}
    return names


def checked_host(text: str) -> str:
    """Check a name such as ``ur.example``. Raise `UsageError` if no ``Host`` can be this name."""
    match = HOST.match(text)
    if match is None or match[2]:
        raise UsageError(
            f"--allow-host {text!r}: must be a name such as ur.example, without a port"
        )
    return match[1].strip("[]").lower()


def checked_origin(text: str) -> str:
    """Check an origin such as ``http://localhost:8888``. Raise `UsageError` for anything else."""
    if ORIGIN.match(text) is None:
        raise UsageError(
            f"--allow-origin {text!r}: must be an origin such as http://localhost:8888"
        )
    return text.lower()


def serve(
    explorer: Explorer,
    taken: socket.socket,
    host: str,
    *,
    origins: Sequence[str] = (),
    names: Sequence[str] = (),
    ready: Callable[[], None],
) -> None:
    """Answer requests until Ctrl-C, and raise `KeyboardInterrupt` when everything is closed.

    ``names`` are more names under which clients may reach the server. ``ready`` is called once the
    server answers.
    """
    config = uvicorn.Config(
        application(explorer, hosts=hosts_of(taken, host) | {*names}, origins=origins),
        http=_Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
    )
    _Server(config, ready).run(sockets=[taken])


class _Connection(H11Protocol):
    """A connection that closes if no complete request arrives, while uvicorn's would stay open."""

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type] # as uvicorn narrows it
        self.loop.call_later(IDLE, self._look, None)

    def _look(self, before: Any) -> None:
        """Close the connection unless it has a request now, or had a new one since ``before``."""
        if self.transport.is_closing():
            return
        now: Any = self.cycle  # the last request, None before the first
        if now is before and (now is None or now.response_complete):
            self.transport.close()
        else:
            self.loop.call_later(IDLE, self._look, now)


class _Server(uvicorn.Server):
    """A server that calls ``ready`` when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()


def open_browser(address: str) -> None:
    """Open the page in a browser, in the background. Without a browser, print a note."""
    threading.Thread(target=_open, args=(address,), daemon=True).start()


def _open(address: str) -> None:
    try:
        opened = _has_window() and webbrowser.open(address)
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        note(f"no browser could be opened. Open {address} in one")


def _has_window() -> bool:
    """Return whether the browser has a window, and does not take over this terminal."""
    browser = webbrowser.get()
    console = type(browser) is webbrowser.GenericBrowser
    return not console or "BROWSER" in os.environ

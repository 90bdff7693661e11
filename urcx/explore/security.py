"""What stands between the network and the answers: hosts, origins, sizes, headers.

A page of another site that is open in the same browser can send requests to this machine. It is
kept from reading answers, as none of them allows its origin (and `Sec-Fetch-Site` tells most such
requests apart); from pretending to be this site under a name that it has pointed here, as the
``Host`` must be one of ours; and from having anything done, as only bodies with the type
``application/json`` are taken, which no form can send.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from urcx.errors import UsageError
from urcx.explore.parameters import MOST_QUERY, RefusedError, shown_value

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

MOST_PATH = 200  # characters
LARGEST_HEADERS = 16 * 1024  # bytes of a request before its body
MOST_HEADERS = 100
API = "/api/"
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?\Z")
ORIGIN = re.compile(r"https?://[A-Za-z0-9.\[\]:-]+\Z")
# Nothing from elsewhere, nothing inline, in nobody's frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """An ASGI application that checks requests before another one sees them.

    Parameters
    ----------
    inner
        The application that answers.
    refuse
        Makes the application that answers with an error.
    hosts
        The names under which this server may be asked; see `host_is_ours`.
    origins
        The origins whose pages may read answers, such as ``http://localhost:8888``.
    """

    def __init__(
        self,
        inner: Application,
        refuse: Callable[[RefusedError], Application],
        *,
        hosts: Iterable[str],
        origins: Iterable[str] = (),
    ) -> None:
        self.inner, self.refuse = inner, refuse
        self.hosts = frozenset(host.lower() for host in hosts)
        self.origins = frozenset(origins)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or have it refused; anything but HTTP is closed."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        origin = headers.get("origin", [""])[0]
        allowed = origin if origin in self.origins else ""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_added(allowed)]
            await send(message)

        try:
            self._check(scope, headers, allowed)
        except RefusedError as error:
            await self.refuse(error)(scope, receive, sending)
            return
        if scope["method"] == "OPTIONS" and allowed:
            await _preflight(sending)
            return
        await self.inner(scope, receive, sending)

    def _check(self, scope: Message, headers: dict[str, list[str]], allowed: str) -> None:
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > LARGEST_HEADERS or len(scope["headers"]) > MOST_HEADERS:
            raise RefusedError(f"the headers have more than {LARGEST_HEADERS:,} bytes", 431)
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not host_is_ours(hosts[0], self.hosts):
            name = shown_value(hosts[0]) if hosts else "none"
            raise RefusedError(
                f"this server is not asked as the host {name}; --allow-host would admit it", 403
            )
        if scope["path"].startswith(API) and not allowed:
            origin = headers.get("origin", [f"http://{hosts[0]}"])
            site = headers.get("sec-fetch-site", ["none"])
            from_here = site in (["none"], ["same-origin"])  # typed in, or by this page
            if not from_here or not _same(origin, hosts[0]):
                raise RefusedError(
                    "pages of other origins are not answered; --allow-origin would allow one", 403
                )
        if len(scope["query_string"]) > MOST_QUERY:
            raise RefusedError(f"the query has more than {MOST_QUERY:,} bytes", 414)
        if len(scope["path"]) > MOST_PATH:
            raise RefusedError(f"the path has more than {MOST_PATH} characters", 414)


def _headers(scope: Message) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _same(origin: list[str], host: str) -> bool:
    """Return whether an origin is this server, as it was asked."""
    if len(origin) != 1:
        return False
    try:
        return urlsplit(origin[0]).netloc.lower() == host.lower()
    except ValueError:
        return False


def _added(allowed: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that every answer gets."""
    found = HEADERS | {"cross-origin-resource-policy": "cross-origin" if allowed else "same-origin"}
    if allowed:
        found |= {"access-control-allow-origin": allowed, "vary": "Origin"}
    return [(name.encode(), value.encode()) for name, value in found.items()]


async def _preflight(send: Send) -> None:
    """Say what a page of an origin that is allowed may send."""
    headers = [
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"content-type"),
        (b"access-control-max-age", b"600"),
        (b"content-length", b"0"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def host_is_ours(header: str, hosts: frozenset[str]) -> bool:
    """Return whether a ``Host`` header names this server, on whatever port.

    Names must be known, as others may have been pointed here; an address in digits cannot have
    been, and is ours if all are (``*`` among the names) or if it is known.
    """
    found = HOST.match(header)
    if found is None:
        return False
    name = found[1].strip("[]").lower()
    try:
        address = plain_address(name)
    except ValueError:
        return name in hosts
    return "*" in hosts or address.is_loopback or not hosts.isdisjoint((name, str(address)))


def plain_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return an address in digits: ``::ffff:127.0.0.1`` is 127.0.0.1. Raises `ValueError`."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def checked_host(text: str) -> str:
    """Return a name such as ``ur.example``; raises `UsageError` if a ``Host`` cannot be it."""
    found = HOST.match(text)
    if found is None or found[2]:
        raise UsageError(f"--allow-host {text!r}: write a name such as ur.example, without a port")
    return found[1].strip("[]").lower()


def checked_origin(text: str) -> str:
    """Return an origin such as ``http://localhost:8888``; raises `UsageError` if it is none."""
    if ORIGIN.match(text) is None:
        raise UsageError(f"--allow-origin {text!r}: write an origin such as http://localhost:8888")
    return text.lower()

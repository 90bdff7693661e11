"""The web application: its routes, the checks before them, and errors as answers.

Threads compute the answers, so the event loop stays free. At most `MOST_WAITING` requests wait at
the same time, each for at most `PATIENCE` seconds. Requests that may take long (games, reviews, and
all that run agents) have separate threads and time out after `LONGEST` seconds, so other requests
need not wait for them. No request holds Python's lock for long.

A page of another site in the same browser can send requests to this machine. These checks protect
urcx from it:

- It cannot read answers, because no answer allows its origin. Besides, `Sec-Fetch-Site` marks most
  such requests.
- It cannot use a name that it has pointed to this machine, because the ``Host`` must be one of the
  server's own names.
- It cannot change anything, because the server accepts only bodies of the type
  ``application/json``, which no form sends.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from urcx import __version__
from urcx.engine.threads import Threads
from urcx.errors import NotationError, TablebaseError, UnknownNameError, UrcxError, printable
from urcx.explore import boards, games, positions, schema
from urcx.explore.explorer import Explorer
from urcx.explore.files import TYPES, static_files
from urcx.explore.schema import MOST_BODY, RefusedError, body, query, quoted_value
from urcx.reports.display.output import note

Question = Callable[[Explorer, Any], Any]
Answerer = tuple[Question, type[schema.Request]]

WORKERS = 2
MOST_WAITING = 40  # requests, including requests in progress
PATIENCE = 30.0  # seconds for an answer
LONGEST = 20.0  # seconds of work on a request that may take long
SLOWEST_BODY = 10.0  # seconds for a body to arrive
MOST_QUERY = 4096  # bytes
MOST_PATH = 200  # characters
LARGEST_HEADERS = 16 * 1024  # bytes of a request before its body
MOST_HEADERS = 100
API = "/api/"
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?\Z")
HEADERS = {
    # Nothing from other sites, nothing inline, and no frames around the page.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
GET: dict[str, Answerer] = {
    "catalogue": (boards.catalogue_answer, schema.Request),
    "board": (boards.board_answer, schema.BoardRequest),
    "counts": (boards.counts_answer, schema.CountsRequest),
    "position": (positions.position_answer, schema.RollRequest),
    "view": (positions.view_answer, schema.ViewRequest),
    "check": (positions.check_answer, schema.PositionRequest),
    "values": (positions.values_answer, schema.RulesRequest),
    "drawing.svg": (boards.drawing_answer, schema.DrawingRequest),
}
POST: dict[str, Answerer] = {
    "values": (positions.solve_answer, schema.SolveRequest),
    "positions": (positions.positions_answer, schema.PositionsRequest),
    "game": (games.game_answer, schema.GameRequest),
    "review": (games.review_answer, schema.ReviewRequest),
}


def application(
    explorer: Explorer,
    *,
    hosts: Iterable[str] = ("localhost",),
    origins: Iterable[str] = (),
    patience: float = PATIENCE,
) -> Starlette:
    """Return the application that serves the page and the API.

    Parameters
    ----------
    explorer
        The source of all answers.
    hosts
        The names under which clients may reach the server, besides loopback addresses. ``*`` stands
        for all numeric addresses.
    origins
        The origins whose pages may read answers, such as ``http://localhost:8888``.
    patience
        The most seconds that a client waits for an answer.
    """
    hosts, origins = tuple(hosts), tuple(origins)
    soon, later = WorkerPool(explorer, patience), WorkerPool(explorer, patience)
    pages = static_files()
    routes = [Route(f"{API}{name}", _get(soon, later, *GET[name])) for name in GET]
    routes += [Route(f"{API}{k}", _post(later, *POST[k]), methods=["POST"]) for k in POST]
    routes += [Route(f"/static/{name}", _page(name, data)) for name, data in pages.items()]
    app = Starlette(
        routes=[*routes, Route("/", _page("index.html", pages["index.html"]))],
        middleware=[
            Middleware(Guard, hosts=hosts, origins=origins),
            Middleware(GZipMiddleware),
            Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"]),
        ],
        exception_handlers=dict.fromkeys((UrcxError, HTTPException), _error_response),
    )
    app.router.redirect_slashes = False
    return app


def _page(name: str, data: bytes) -> Any:
    headers = {"cache-control": "no-cache", "content-type": TYPES[PurePath(name).suffix]}

    async def endpoint(_: Request) -> Response:
        return Response(data, headers=headers)

    return endpoint


def _get(soon: WorkerPool, later: WorkerPool, question: Question, kind: type[Any]) -> Any:
    async def endpoint(request: Request) -> Response:
        values = query(request.scope["query_string"])
        pool = later if "agents" in values else soon
        answer = await pool.answered(question, lambda: schema.read(kind, values))
        if isinstance(answer, str):
            headers = {"content-type": TYPES[".svg"], "cache-control": "no-store"}
            return Response(answer, headers=headers)
        return document(answer)

    return endpoint


def _post(pool: WorkerPool, question: Question, kind: type[Any]) -> Any:
    async def endpoint(request: Request) -> Response:
        data = await _body(request)
        return document(await pool.answered(question, lambda: schema.read(kind, body(data))))

    return endpoint


async def _body(request: Request) -> bytes:
    """Return the body of a request. Its type must be JSON, and its size at most `MOST_BODY`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError("the body's content type must be application/json", 415)
    if request.scope["query_string"]:
        raise RefusedError("the query must be empty in a request with a body")
    parts = bytearray()
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for part in request.stream():
                parts += part
                if len(parts) > MOST_BODY:
                    raise RefusedError(f"the body has more than {MOST_BODY:,} bytes", 413)
    except ClientDisconnect:
        raise RefusedError("the connection closed before the body was complete") from None
    except TimeoutError:
        raise RefusedError(
            f"the body took more than {SLOWEST_BODY:g} seconds to arrive", 408
        ) from None
    return bytes(parts)


# --- before a request is answered


class Guard:
    """Refuse foreign and too large requests, and add protective headers to every answer.

    Parameters
    ----------
    app
        The application that answers.
    hosts, origins
        The same as in `application`. Starlette's check of hosts compares names only, so it cannot
        accept all addresses of this machine.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        allowed = headers.get("origin") in self.origins
        readers = "cross-origin" if allowed else "same-origin"
        protection = HEADERS | {"cross-origin-resource-policy": readers}

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(protection)
            await send(message)

        try:
            self._check(scope, headers, allowed=allowed)
        except RefusedError as error:
            await document(error_members(error), error.status)(scope, receive, send_protected)
        else:
            await self.app(scope, receive, send_protected)

    def _check(self, scope: Scope, headers: Headers, *, allowed: bool) -> None:
        size = sum(len(name) + len(value) for name, value in headers.raw)
        if size > LARGEST_HEADERS or len(headers.raw) > MOST_HEADERS:
            raise RefusedError(f"the headers have more than {LARGEST_HEADERS:,} bytes", 431)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not host_is_ours(hosts[0], self.hosts):
            name = quoted_value(hosts[0]) if hosts else "missing"
            raise RefusedError(
                f"Host {name}: must be a name of this server. Admit others with --allow-host", 403
            )
        if scope["path"].startswith(API) and not allowed:
            site = headers.getlist("sec-fetch-site")
            local = site in ([], ["none"], ["same-origin"])  # typed in, or sent by this page
            if not local or not _is_same_origin(headers.getlist("origin"), hosts[0]):
                raise RefusedError(
                    "pages of other origins get no answers. Allow an origin with --allow-origin",
                    403,
                )
        if len(scope["query_string"]) > MOST_QUERY:
            raise RefusedError(f"the query has more than {MOST_QUERY:,} bytes", 414)
        if len(scope["path"]) > MOST_PATH:
            raise RefusedError(f"the path has more than {MOST_PATH} characters", 414)


def _is_same_origin(origins: list[str], host: str) -> bool:
    """Return whether a request has no origin, or the same origin as its ``Host``."""
    try:
        return [urlsplit(origin).netloc.lower() for origin in origins] in ([], [host.lower()])
    except ValueError:
        return False


def host_is_ours(header: str, hosts: frozenset[str]) -> bool:
    """Return whether a ``Host`` header names this server, on any port.

    A name must be in ``hosts``, because anybody can point a name to this machine. Nobody can do so
    with a numeric address: it must be in ``hosts`` or a loopback address, or ``hosts`` contains
    ``*``.
    """
    match = HOST.match(header)
    if match is None:
        return False
    name = match[1].strip("[]").lower()
    try:
        address = plain_address(name)
    except ValueError:
        return name in hosts
    return "*" in hosts or address.is_loopback or not hosts.isdisjoint((name, str(address)))


def plain_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Parse a numeric address: ``::ffff:127.0.0.1`` is 127.0.0.1. Raises `ValueError`."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


# --- answers


class WorkerPool:
    """Threads that answer a bounded number of requests at the same time."""

    def __init__(self, explorer: Explorer, patience: float = PATIENCE) -> None:
        self.explorer, self.patience = explorer, patience
        self._threads = Threads(WORKERS)
        self._waiting = 0

    async def answered(self, question: Question, read: Callable[[], schema.Request]) -> Any:
        """Return the answer of a function to the request that ``read`` returns.

        Raises
        ------
        RefusedError
            If too many requests wait, or the answer takes too long. The thread then still computes
            the answer, and the request counts as waiting until it is complete.
        """
        if self._waiting >= MOST_WAITING:
            raise RefusedError("too many requests at the same time. Try again in a second", 429)
        self._waiting += 1
        deadline = monotonic() + self.patience
        future = asyncio.wrap_future(self._threads.submit(self._ask, question, read, deadline))
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.patience)
        except UrcxError as error:
            message = self.explorer.without_directories(str(error))
            if message == str(error):
                raise
            raise RefusedError(message, status_of(error)) from None
        except TimeoutError:
            raise self._too_long() from None

    def _ask(self, question: Question, read: Callable[[], schema.Request], deadline: float) -> Any:
        now = monotonic()
        if now > deadline:  # the client no longer waits
            raise self._too_long()
        try:
            request = read()
            request.until = now + LONGEST
            return question(self.explorer, request)
        except UrcxError:
            raise
        except Exception as error:  # noqa: BLE001 - the server must not stop
            note(f"a request failed: {type(error).__name__}: {error}")
            raise RefusedError("the request failed: an error of urcx", 500) from None

    def _too_long(self) -> RefusedError:
        return RefusedError(
            f"the answer takes more than {self.patience:g} seconds: ask for less, or try again "
            "later",
            503,
        )

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # or asyncio complains if the client no longer waits


def document(data: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer in JSON, with schema and version first."""
    fields = {"schema": data["schema"], "version": __version__, **data}
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    if status == 429:
        headers["retry-after"] = "1"
    return Response(text, status, headers)


async def _error_response(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        error = RefusedError(f"this address does not accept {request.method[:20]}", 405)
    return document(error_members(error), status_of(error))


def error_members(error: Exception) -> dict[str, Any]:
    """Return the fields of an error: one line, and its place in the text of a game."""
    if isinstance(error, HTTPException):
        message = "unknown address" if error.status_code == 404 else error.detail
    else:
        message = printable(" ".join(str(error).split()))
    members: dict[str, Any] = {"schema": "urcx.error/1", "error": message}
    if isinstance(error, NotationError):
        members |= {"line": error.line, "column": error.column}
    return members


def status_of(error: Exception) -> int:
    """Return the HTTP status of an error: 4xx for faults of the request, 5xx for other failures."""
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, HTTPException):
        return error.status_code
    kinds = {TablebaseError: 500, UnknownNameError: 404}
    return next((kinds[kind] for kind in kinds if isinstance(error, kind)), 400)

"""The web application: which address is answered by what, and how errors are said.

Answers are computed by a few threads, so that the loop of events stays free: no more questions wait
than `MOST_WAITING`, and none is waited for longer than `PATIENCE`. What may take long (games,
reviews, whatever asks agents) has threads of its own, so that the rest does not wait for it, and is
given up after `LONGEST`; nothing holds Python's lock for long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import PurePath
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from urcx import __version__
from urcx.engine.threads import Threads
from urcx.errors import NotationError, TablebaseError, UnknownNameError, UrcxError, printable
from urcx.explore import boards, games, positions
from urcx.explore.explorer import Explorer
from urcx.explore.parameters import MOST_BODY, Parameters, RefusedError, body, query
from urcx.explore.security import Application, Guard
from urcx.reports.display.output import note

Question = Callable[[Explorer, Parameters], Any]

WORKERS = 2
MOST_WAITING = 40  # questions, those at work included
PATIENCE = 30.0  # seconds for an answer
LONGEST = 20.0  # seconds that one is worked at, by the questions that may take long
SLOWEST_BODY = 10.0  # seconds for a body to arrive
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
ASKED: dict[str, Question] = {
    "catalogue": boards.catalogue_answer,
    "board": boards.board_answer,
    "counts": boards.counts_answer,
    "position": positions.position_answer,
    "view": positions.view_answer,
    "check": positions.check_answer,
    "values": positions.values_answer,
    "drawing.svg": boards.drawing_answer,
}
POSTED: dict[str, Question] = {
    "values": positions.solve_answer,
    "positions": positions.positions_answer,
    "game": games.game_answer,
    "review": games.review_answer,
}


class WorkerPool:
    """Has questions answered by threads, a bounded number at a time."""

    def __init__(self, explorer: Explorer, patience: float = PATIENCE) -> None:
        self.explorer, self.patience = explorer, patience
        self._threads = Threads(WORKERS)
        self._waiting = 0

    async def answered(self, question: Question, read: Callable[[], Parameters]) -> Any:
        """Return the answer to a question, with what ``read`` makes of what was sent.

        Raises
        ------
        RefusedError
            If too many wait, or it takes too long; it is then computed to its end all the same,
            and counts as waiting until then.
        """
        if self._waiting >= MOST_WAITING:
            raise RefusedError("too many questions at a time; ask again", 429)
        self._waiting += 1
        given_up = monotonic() + self.patience
        future = asyncio.wrap_future(self._threads.submit(self._ask, question, read, given_up))
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.patience)
        except UrcxError as error:
            raise self._without_directories(error) from None
        except TimeoutError:
            raise self._too_long() from None

    def _ask(self, question: Question, read: Callable[[], Parameters], given_up: float) -> Any:
        now = monotonic()
        if now > given_up:  # nobody waits any more, or just will not
            raise self._too_long()
        try:
            asked = read()
            asked.until = now + LONGEST
            return question(self.explorer, asked)
        except UrcxError:
            raise
        except Exception as error:  # noqa: BLE001 - the server goes on
            note(f"a question could not be answered: {type(error).__name__}: {error}")
            raise RefusedError("this could not be answered: an error of urcx", 500) from None

    def _too_long(self) -> RefusedError:
        return RefusedError(
            f"this takes more than {self.patience:g} seconds; ask for less, or again later", 503
        )

    def _without_directories(self, error: UrcxError) -> UrcxError:
        """Return an error that does not say where files are."""
        message = self.explorer.without_directories(str(error))
        return error if message == str(error) else RefusedError(message, status_of(error))

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # has been looked at, whether anybody still waits or not


def application(
    explorer: Explorer,
    *,
    hosts: Iterable[str] = ("localhost",),
    origins: Iterable[str] = (),
    patience: float = PATIENCE,
) -> Application:
    """Return the application that serves the page and the API.

    Parameters
    ----------
    explorer
        What answers are made from.
    hosts
        The names under which it may be asked, beside loopback addresses; ``*`` for all addresses
        in digits.
    origins
        The origins whose pages may read answers.
    patience
        The most seconds that an answer is waited for.
    """
    soon, later = WorkerPool(explorer, patience), WorkerPool(explorer, patience)
    pages = static_files()
    names = dict.fromkeys([*ASKED, *POSTED])
    routes = [
        Route(
            f"/api/{name}",
            _api(soon, later, ASKED.get(name), POSTED.get(name)),
            methods=[*(["GET"] if name in ASKED else ()), *(["POST"] if name in POSTED else ())],
        )
        for name in names
    ]
    routes.append(Route("/", _page("index.html", pages)))
    routes += [Route(f"/static/{name}", _page(name, pages)) for name in pages]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    for kind in (UrcxError, HTTPException):
        app.add_exception_handler(kind, _error_response)
    return Guard(app, _refusal, hosts=hosts, origins=origins)


def static_files() -> dict[str, bytes]:
    """Return the files of the page by name, read now: nothing else is ever served."""
    directory = resources.files("urcx.explore").joinpath("static")
    return {
        file.name: file.read_bytes()
        for file in sorted(directory.iterdir(), key=lambda file: file.name)
        if file.is_file() and PurePath(file.name).suffix in TYPES
    }


def _page(name: str, pages: dict[str, bytes]) -> Any:
    async def endpoint(_request: Request) -> Response:
        headers = {"cache-control": "no-cache", "content-type": TYPES[PurePath(name).suffix]}
        return Response(pages[name], headers=headers)

    return endpoint


def _api(
    soon: WorkerPool, later: WorkerPool, asked: Question | None, posted: Question | None
) -> Any:
    async def endpoint(request: Request) -> Response:
        if request.method == "POST" and posted is not None:
            sent = await _body(request)
            return document(await later.answered(posted, lambda: body(sent)))
        assert asked is not None
        said = query(request.scope["query_string"])
        pool = later if "agents" in said.values else soon
        answer = await pool.answered(asked, lambda: said)
        if isinstance(answer, str):
            headers = {"content-type": TYPES[".svg"], "cache-control": "no-store"}
            return Response(answer, headers=headers)
        return document(answer)

    return endpoint


async def _body(request: Request) -> bytes:
    """Return a request's body, which must be JSON by its type and not too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError("the body's content type must be application/json", 415)
    if request.scope["query_string"]:
        raise RefusedError("a request with a body has no query")
    parts = bytearray()
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for part in request.stream():
                parts += part
                if len(parts) > MOST_BODY:
                    raise RefusedError(f"the body has more than {MOST_BODY:,} bytes", 413)
    except ClientDisconnect:
        raise RefusedError("the body broke off") from None
    except TimeoutError:
        raise RefusedError("the body did not arrive in time", 408) from None
    return bytes(parts)


def document(data: dict[str, Any], status: int = 200) -> Response:
    """Return an answer in JSON, with schema and version first."""
    named = {"schema": data["schema"], "version": __version__, **data}
    text = json.dumps(named, ensure_ascii=False, allow_nan=False) + "\n"
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    if status == 429:
        headers["retry-after"] = "1"
    return Response(text, status, headers)


def _refusal(error: RefusedError) -> Application:
    """Return the application that answers with an error."""
    return document(_error_members(error), error.status)


async def _error_response(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        error = RefusedError(f"{request.method[:20]} is not answered here", 405)
    return document(_error_members(error), status_of(error))


def _error_members(error: Exception) -> dict[str, Any]:
    """Return an error as an answer has it: one line, and where in a game's text it is."""
    if isinstance(error, HTTPException):
        message = "there is nothing here" if error.status_code == 404 else error.detail
    else:
        message = printable(" ".join(str(error).split()))
    found: dict[str, Any] = {"schema": "urcx.error/1", "error": message}
    if isinstance(error, NotationError):
        found |= {"line": error.line, "column": error.column}
    return found


def status_of(error: Exception) -> int:
    """Return the status of HTTP that an error has: 4xx for what was asked, 5xx for what failed."""
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, HTTPException):
        return error.status_code
    if isinstance(error, TablebaseError):
        return 500
    if isinstance(error, UnknownNameError):
        return 404
    return 400  # wrong usage, or too large

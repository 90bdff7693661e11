"""Requests to the explorer's application without a network, in the form of ASGI."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp

import urcx

HOST = "localhost:8000"
# A game with rules for which a search never ends.
FAR = (
    "urcx game 1\nrules: far\npieces: 60\nlight-path: {A} {B}\ndark-path: {C} {B}\n"
    "rosettes: A4 B4 C4\nrolls: {rolls}\nflags: rosette-grants-roll capture-grants-roll\n"
).format(
    rolls=" ".join(f"{k}=1/12" for k in range(12)),
    **{column: " ".join(f"{column}{row}" for row in range(1, 13)) for column in "ABC"},
)


@dataclass(frozen=True)
class Answered:
    """An answer: its status, its headers by name, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """Return the one line of an error."""
        assert self.data["schema"] == "urcx.error/1"
        line: str = self.data["error"]
        assert line
        assert "\n" not in line
        return line


def ask(
    app: ASGIApp,
    target: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Answered:
    """Return the answer to a request; ``target`` is its path with the query as it is sent."""
    path, _, query = target.partition("?")
    given = {"host": HOST} | (headers or {})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in given.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": body or b"", "more_body": False}]

    async def receive() -> Any:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    start = sent[0]
    found = {k.decode("latin-1"): v.decode("latin-1") for k, v in start["headers"]}
    return Answered(start["status"], found, b"".join(m.get("body", b"") for m in sent[1:]))


def post(app: ASGIApp, target: str, data: Any, **headers: str) -> Answered:
    """Return the answer to a JSON body."""
    given = {"content-type": "application/json"} | headers
    return ask(app, target, method="POST", body=json.dumps(data).encode(), headers=given)


def get(app: ASGIApp, target: str) -> Any:
    """Return the data of a successful answer."""
    found = ask(app, target)
    assert found.status == 200, found.body
    assert found.headers["content-type"] == "application/json"
    assert found.data["version"] == urcx.__version__
    return found.data


def sent(app: ASGIApp, target: str, data: Any) -> Any:
    """Return the data of a successful answer to a JSON body."""
    found = post(app, target, data)
    assert found.status == 200, found.body
    return found.data

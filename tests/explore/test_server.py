"""Connections of the explorer's server."""

from __future__ import annotations

import asyncio

import pytest
import uvicorn

from urcx.explore import server
from urcx.explore.app import application
from urcx.explore.explorer import Explorer


def test_connections_without_a_request_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE", 0.05)
    config = uvicorn.Config(application(Explorer()), http=server._Connection, log_config=None)

    async def closed(sent: bytes) -> bytes:
        state = uvicorn.server.ServerState()
        loop = asyncio.get_running_loop()
        served = await loop.create_server(
            lambda: server._Connection(config, state, {}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*served.sockets[0].getsockname())
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 20)  # to the end, which is the point
        writer.close()
        served.close()
        return answer

    assert asyncio.run(closed(b"")) == b""
    assert asyncio.run(closed(b"GET / HTTP/1.1\r\nHost: local")) == b""
    whole = asyncio.run(closed(b"GET /api/check HTTP/1.1\r\nHost: localhost\r\n\r\nGET /"))
    assert whole.startswith(b"HTTP/1.1 200")

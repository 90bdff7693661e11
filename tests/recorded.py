"""Reads back how a result of JSON or CSV, a game or a figure was made."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from urcx.reports.display.provenance import MEMBERS

START = '{"command": '


def recorded(file: Path) -> dict[str, Any]:
    """Return how a file was made: its command, versions, seed and definitions."""
    found = _found(file.read_bytes())
    return {name: found[name] for name in MEMBERS}


def _found(data: bytes) -> Any:
    if data.startswith(b"{"):
        return json.loads(data)["provenance"]
    if data.startswith((b"# ", b"% ")):
        lines = re.findall(r"^[#%] (\w+): (.*)$", data.decode(), re.MULTILINE)
        return {"command": None, "seed": None, "definitions": {}} | {
            name: json.loads(text) for name, text in lines if name in MEMBERS
        }
    text = data.decode("latin-1")
    if data.startswith(b"%PDF"):
        text = re.sub(r"\\([\\()])", r"\1", text[text.index("/Subject (") :])
    elif not data.startswith(b"\x89PNG"):
        text = unescape(text)
    return json.JSONDecoder().raw_decode(text, text.index(START))[0]

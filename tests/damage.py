"""Random damage to files, and forgeries whose checksums are right, reproducible by their seeds."""

from __future__ import annotations

import copy
import io
import json
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from urcx.engine.files.sealed import CHECKSUM, HEAD, ROOM, SealedWriter, checksum
from urcx.errors import UrcxError

FEW = 48


def numbers(many: int) -> pytest.MarkDecorator:
    """Return the mark of a test of few damaged files and, among the slow ones, of many."""
    return pytest.mark.parametrize(
        ("number", "seed"),
        [
            (8, 3),
            pytest.param(FEW, 1, marks=pytest.mark.jit),
            pytest.param(many, 2, marks=pytest.mark.slow),
        ],
    )


# What members of a header become: other types, other sizes, what terminals obey.
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**63, 1e300, 0.5, "", "f32", "x" * 50, "\x1b[2J", [], [[]], {},
    [1, 2], {"gap": {}}, "1/0", "A4",
)  # fmt: skip

# What numbers become, beside what their type can hold at most and at least.
FLOATS = (math.nan, math.inf, -math.inf, -1.0, 1.5, 1e30, 5e-324, 0.0, 0.25)
WHOLE = (-1, 0, 1, 2, 3, 7, 1 << 13, 1 << 20)


def said(look: Callable[[], object]) -> str:
    """Return what comes out, or "" for an error of one line; anything else fails the test."""
    try:
        return str(look())
    except UrcxError as error:
        line = str(error)
    assert line.isprintable()
    return ""


def flipped(data: bytes, chance: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def shortened_inside(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.randrange(1, 100) :]


def lengthened(data: bytes, chance: random.Random) -> bytes:
    more = chance.randbytes(chance.randrange(1, 5000))
    return data + (more if chance.random() < 0.5 else bytes(len(more)))


def lengthened_inside(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.randrange(1, 100)) + data[at:]


def overwritten(data: bytes, chance: random.Random) -> bytes:
    at, size = chance.randrange(len(data)), chance.randrange(1, 5000)
    new = chance.choice((bytes(size), b"\xff" * size, chance.randbytes(size)))
    return (data[:at] + new[: len(data) - at] + data[at + size :])[: len(data)]


def swapped(data: bytes, chance: random.Random) -> bytes:
    size = chance.randrange(1, 1 + len(data) // 3)
    a = chance.randrange(len(data) - 2 * size + 1)
    b = chance.randrange(a + size, len(data) - size + 1)
    return (
        data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]
    )


def another_digit(data: bytes, chance: random.Random) -> bytes:
    """Edit a number in the header, as somebody might by hand."""
    places = [found.start() for found in re.finditer(rb"[0-9]", data[:1500])]
    if not places:
        return flipped(data, chance)
    at = chance.choice(places)
    return data[:at] + chance.choice((b"0", b"5", b"9", b"x", b"-")) + data[at + 1 :]


KINDS = (
    flipped, cut, shortened_inside, lengthened, lengthened_inside, overwritten, swapped,
    another_digit,
)  # fmt: skip


def damages(data: bytes, number: int, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """Yield a number of damaged copies of a file, all different from it, with descriptions."""
    chance = random.Random(seed)
    for k in range(number):
        kind = KINDS[k % len(KINDS)]
        found = kind(data, chance)
        while found == data:
            found = kind(data, chance)
        yield f"{kind.__name__}, the {k}th with seed {seed}", found


def edited(header: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a header with a few members, at any depth, left out or of a wrong type."""
    found: dict[str, Any] = json.loads(json.dumps(header))
    for _ in range(chance.choice((1, 1, 2, 4))):
        inside: Any = found
        while True:
            keys: list[Any] = list(inside) if isinstance(inside, dict) else [*range(len(inside))]
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(inside[key], dict | list) and chance.random() < 0.8:
                inside = inside[key]
                continue
            if chance.random() < 0.3:
                del inside[key]
            else:
                inside[key] = copy.deepcopy(chance.choice(ODD))
            break
    return found


def disturbed(numbers: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    """Return numbers of which one, some or all are others."""
    found = numbers.copy()
    flat = found.reshape(-1)
    at = chance.choice((chance.randrange(flat.size), slice(None, None, chance.randint(1, 9))))
    where = flat[at : at + 1] if isinstance(at, int) else flat[at]
    by = np.random.default_rng(chance.randrange(1 << 30))
    with np.errstate(over="ignore"):
        if found.dtype.kind == "f":
            what = chance.choice((*FLOATS, 1 + 1e-9, by.random(where.shape), -where))
        else:
            span = np.iinfo(found.dtype)
            some = by.integers(
                span.min, span.max, where.shape, dtype=span.dtype.newbyteorder("="), endpoint=True
            )
            what = chance.choice((span.min, span.max, *WHOLE, some, by.permutation(where)))
        where[...] = np.asarray(what).astype(found.dtype)
    return found


def forged(whole: bytes, chance: random.Random, types: Sequence[str] = ()) -> bytes:
    """Return a sealed file with other numbers, or another header, and all checksums right.

    Its data are of one of the ``types``, or as its header's ``arrays`` say.
    """
    length = int.from_bytes(whole[8:HEAD], "little")
    header = json.loads(whole[HEAD : HEAD + length])
    sealed = header.pop("data")
    begin, data = sealed["begin"], bytearray(whole[sealed["begin"] :][: sealed["size"]])
    if chance.random() < 0.3:
        header = edited(header, chance)
    else:
        at, size, kind = 0, len(data), chance.choice(types) if types else ""
        for item in header.get("arrays", ()) if not types else ():
            at += size if kind else 0
            kind, size = item["type"], math.prod(item["shape"]) * np.dtype(item["type"]).itemsize
            if size and chance.random() < 0.15:
                break
        size -= size % np.dtype(kind).itemsize
        if size:
            numbers = np.frombuffer(data, kind, size // np.dtype(kind).itemsize, at)
            data[at : at + size] = disturbed(numbers, chance).tobytes()
    out = io.BytesIO()
    writer = SealedWriter(out, whole[:8], begin - HEAD - ROOM - CHECKSUM)
    writer.write(data)
    try:
        writer.finish(header)
    except AssertionError:  # longer than there is room for
        return forged(whole, chance, types)
    return out.getvalue()


def holds_for(
    file: Path, damaged: Path, number: int, seed: int, look: Callable[[], tuple[str, ...]]
) -> None:
    """Damage a file in many ways; ``look`` must see what it sees in the whole one, or nothing."""
    whole = damaged.read_bytes()
    ref = look()
    assert all(ref)
    nothing = 0
    for what, data in damages(whole, number, seed):
        damaged.write_bytes(data)
        found = look()
        for one, other in zip(found, ref, strict=True):
            assert one in ("", other), (file, what)
        nothing += not any(found)
    damaged.write_bytes(whole)
    assert look() == ref
    assert nothing > number / 2


def sealed_again(data: bytes, chance: random.Random) -> bytes:
    """Return a sealed file with an edited header and good checksums."""
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[16 : 16 + length])
    text = b""
    while not text or len(text) > length:
        text = json.dumps(edited(header, chance)).encode()
    head = data[:16] + text.ljust(length)
    return head + checksum(head) + data[len(head) + CHECKSUM :]

"""Slow, obviously right twins of the kernels: plain Python, from the rules' words.

Nothing here knows masks, tile polynomials or closed forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from urcx.rules.model import Path
from urcx.rules.position import Position

MASK_64 = (1 << 64) - 1


def placements(length: int, pieces: int) -> Iterator[tuple[int, ...]]:
    """Yield sorted steps of all pieces; 0, the pool, and length + 1, home, take any number."""

    def grow(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == pieces:
            yield chosen
            return
        last = chosen[-1] if chosen else 0
        for step in range(last, length + 2):
            if step not in chosen or step in (0, length + 1):
                yield from grow((*chosen, step))

    return grow(())


def diagrams(path: Path, pieces: int, dark_pieces: int | None = None) -> Iterator[Position]:
    """Yield every pair of placements in which no tile holds two pieces."""
    lights = list(placements(len(path.light), pieces))
    darks = list(placements(len(path.dark), pieces if dark_pieces is None else dark_pieces))
    for light, dark in product(lights, darks):
        on_light = tuple(step for step in light if 0 < step <= len(path.light))
        on_dark = tuple(step for step in dark if 0 < step <= len(path.dark))
        tiles = [path.light[s - 1] for s in on_light] + [path.dark[s - 1] for s in on_dark]
        if len(set(tiles)) == len(tiles):
            home = light.count(len(path.light) + 1), dark.count(len(path.dark) + 1)
            yield Position(on_light, on_dark, home)


def branches(diagram: Position, pieces: int) -> int:
    """Return light's branches: pieces on the board, and one if its pool is not empty."""
    return len(diagram.light) + (len(diagram.light) + diagram.home[0] < pieces)


def key(steps: tuple[int, ...], home: int, salt: int) -> int:
    """Return a placement's key, in unbounded integers cut to 64 bits."""
    v = (sum(1 << (step - 1) for step in steps) | home << 55) ^ salt
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
    v = (v ^ v >> 27) * 0x94D049BB133111EB & MASK_64
    return v ^ v >> 31


def checksum(found: list[Position]) -> int:
    """Return the sum of every diagram's hash, modulo 2^64."""
    total = 0
    for diagram in found:
        both = key(diagram.light, diagram.home[0], 0x9E3779B97F4A7C15) ^ key(
            diagram.dark, diagram.home[1], 0x6A09E667F3BCC909
        )
        folded = (both & 0xFFFFFFFF) * (both >> 32)
        total += folded ^ folded >> 29
    return total & MASK_64

"""One player alone on the board: how many plies it takes to bring all pieces home.

A rosette's extra roll is a ply as any other, so rosettes do not matter here; a roll that nothing
can move by is waited out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urcx.errors import TooLargeError
from urcx.rules.model import RuleSet

MAX_LENGTH = 16  # 2^16 boards for each number of pieces home


def plies_alone(
    rules: RuleSet, pieces: int, best: Callable[[Iterable[float]], float] = min
) -> float:
    """Return the expected plies of light alone, its moves chosen by ``best``: `min` or `max`.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    """
    return plies_alone_each(rules, pieces, best)[-1]


def plies_alone_each(
    rules: RuleSet, pieces: int, best: Callable[[Iterable[float]], float] = min
) -> tuple[float, ...]:
    """Return the same for 1 to ``pieces`` pieces, each with the others not there."""
    length = rules.path.length
    if length > MAX_LENGTH:
        raise TooLargeError(f"{rules.path.name}: one alone is followed on {MAX_LENGTH} steps")
    chances = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    plies: dict[tuple[int, int], float] = {}
    # A move makes the board's mask greater, or brings a piece home: what follows is known already.
    for home in range(pieces, -1, -1):
        for board in range((1 << length) - 1, -1, -1):
            if board.bit_count() + home > pieces:
                continue
            total, idle = 1.0, 0.0
            for roll, chance in chances if home < pieces else []:
                found = [plies[after] for after in _moves(board, home, roll, pieces, length)]
                if found:
                    total += chance * best(found)
                else:
                    idle += chance
            plies[board, home] = total / (1 - idle) if home < pieces else 0.0
    # With some pieces home and the others in the pool, a game with fewer pieces begins.
    return tuple(plies[0, home] for home in range(pieces - 1, -1, -1))


def _moves(board: int, home: int, roll: int, pieces: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield (board, home) after each move; boards are masks with bit s - 1 for step s."""
    for start in range(max(0, length + 1 - roll + 1) if roll else 0):
        has = board >> (start - 1) & 1 if start else board.bit_count() + home < pieces
        end = start + roll
        if not has or (end <= length and board >> (end - 1) & 1):
            continue
        left = board & ~(1 << start >> 1)
        yield (left, home + 1) if end > length else (left | 1 << (end - 1), home)

"""Strategy measures: the habits that Kwan and Hartemink ask about (section VI).

They are how often a kind of move is chosen when it is possible, in plies with two or more legal
moves; how long a piece stays on the centre rosette; and how long pieces stay on shared tiles, where
they can be captured.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urcx.games import game_kernels as k
from urcx.games.statistics import Measure, ratio

Column = NDArray[np.generic]

KINDS = {
    "capture": "captures",
    "rosette": "lands on a rosette",
    "centre": "lands on the centre rosette",
    "enter": "brings a piece from the start pool",
    "bear_off": "bears a piece off",
}


def habits(counts: NDArray[np.int32], plies: NDArray[np.generic]) -> tuple[Measure, ...]:
    """Return the habits of one player from its rows of `Games.habits`.

    Parameters
    ----------
    counts
        ``habits[:, side]`` of games in which habits were observed, or such rows of several games.
    plies
        The plies of both players in each of these games.

    Habits that cannot be measured, such as those of the centre rosette on a path without one, are
    left out.
    """
    found: list[tuple[str, str, Column, Column]] = [
        (
            f"{name}_chosen",
            f"{words} when possible, of plies with two or more moves",
            counts[:, 2 * kind + 1],
            counts[:, 2 * kind],
        )
        for kind, (name, words) in enumerate(KINDS.items())
    ]
    stayed, held, exposed = (counts[:, column] for column in (k.STAYED, k.HELD, k.EXPOSED))
    landed, entries = counts[:, k.LANDINGS], counts[:, k.ENTRIES]
    found += [
        ("centre_stay", "own plies that a piece stays on the centre rosette", stayed, landed),
        ("centre_held", "share of all plies that it holds the centre rosette", held, plies),
        ("shared_stay", "plies of both on shared tiles for each entry", exposed, entries),
        ("shared_pieces", "pieces on shared tiles, mean over all plies", exposed, plies),
    ]
    return tuple(ratio(*item) for item in found if np.any(item[3]))

"""Solved games as models of probabilistic model checkers, in the Unified Markov Binary format.

    python checker/umb.py FILE.urcx FILE.umb [light|dark|none]

With the policy of one side fixed to optimal play, a game is a Markov decision process of the other
side. Its best result bounds the value of the game from one side: from above if dark's policy is
fixed, from below if light's is fixed. Without a fixed policy it is a game of two players. UMB is a
tar archive of arrays; ``umbi`` (PyPI) and Storm read it.

The states are, in this order: positions with light to move, positions with dark to move, light's
win, dark's win, and decisions. A decision is a position and a roll with at least two moves of a
side that is not fixed. A position has one choice, whose branches are the rolls. Rolls without a
decision lead to the next position at once.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

import urcx
from urcx.engine.files.writing import atomic_file, checked_writing
from urcx.engine.moves import tables
from urcx.enumerate.rankings.pattern_kernels import (
    COUNT_SHIFT,
    HALF,
    HALF_BITS,
    OWN_MASK,
    OWN_SHIFT,
    PATTERN_MASK,
)
from urcx.errors import check_name
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import Tablebase, decode_values
from urcx.solving.general import kernels as general_kernels
from urcx.solving.general.solver import GeneralOrder, general_order

Array = NDArray[Any]
FIXED = ("none", "light", "dark")  # the side that plays by the solution
SIDES = ("light", "dark")


class Model(NamedTuple):
    """States with their choices, and choices with their branches, as in UMB.

    The choices of state k are ``first_choice[k]`` to ``first_choice[k + 1]``, and the branches of a
    choice are numbered in the same way. ``player`` is the side that chooses, and ``wins`` is
    light's win probability. ``ends`` are the states in which light and dark have won.
    """

    first_choice: Array
    first_branch: Array
    target: Array
    probability: Array
    player: Array
    wins: Array
    start: int
    ends: tuple[int, int]


def export_umb(base: Tablebase, file: Path, fixed: str = "none") -> Model:
    """Write a solved game as a UMB file, which appears only when it is complete.

    Parameters
    ----------
    base
        The tablebase of the game.
    file
        The file to write.
    fixed
        The side that plays by the solution, ``light`` or ``dark``, or ``none``.

    Raises
    ------
    UsageError
        If there is no such side.
    TablebaseError
        If a layer is missing or damaged.
    """
    check_name("side", fixed, FIXED)
    model = model_of(base, fixed)
    with checked_writing(file), atomic_file(file, "wb") as stream:
        _write(stream, model, base.rules, fixed)
    return model


def model_of(base: Tablebase, fixed: str) -> Model:
    """Return the model of a solved game."""
    rules = base.rules
    order = general_order(rules)
    homes, _ = order.described()
    states = np.flatnonzero((homes < rules.pieces).all(1))
    n = len(states)
    local = np.full(order.size, -1)
    local[states] = np.arange(n)
    values = _values(base, order, states, homes[states].astype(np.int64))
    first, moves = order.moves(states)
    won = moves == general_kernels.WON
    after, passes = local[np.where(won, 0, moves) >> 1], moves & 1
    counts = np.diff(first)
    worth = np.where(won, 1.0, np.where(passes, 1.0 - values[after], values[after]))
    best = _best(worth, first, counts)
    chances = tables(rules).chance
    rolls = len(chances)
    positions = 2 * n + 2
    choices, targets = [], []  # of positions: the choice of each branch, and its target
    options, wins, players = [], [], []  # of decisions
    nodes = positions
    for side, name in enumerate(SIDES):
        to = np.where(won, 2 * n + side, after + n * np.where(passes, 1 - side, side))
        target = to[best]
        free = np.empty(0, np.int64)
        if name != fixed:
            free = np.flatnonzero(counts > 1)
            target[free] = nodes + np.arange(len(free))
            nodes += len(free)
        choices.append(side * n + np.arange(n * rolls) // rolls)
        targets.append(target)
        options.append((to[np.repeat(counts > 1, counts)] if len(free) else free, counts[free]))
        chance = worth[best][free]
        wins.append(1.0 - chance if side else chance)
        players.append(np.full(len(free), side))
    ends = np.array([2 * n, 2 * n + 1])
    choice, target, probability = _merge(
        np.concatenate([*choices, ends]),
        np.concatenate([*targets, ends]),
        np.concatenate([np.tile(chances, 2 * n), [1.0, 1.0]]),
    )
    moved = np.concatenate([to for to, _ in options])
    first_choice = np.concatenate(
        [np.arange(positions), positions + _starts(np.concatenate([c for _, c in options]))]
    )
    branches = np.bincount(choice, minlength=positions)
    return Model(
        first_choice,
        np.concatenate([_starts(branches), len(choice) + 1 + np.arange(len(moved))]),
        np.concatenate([target, moved]),
        np.concatenate([probability, np.ones(len(moved))]),
        np.concatenate([np.repeat([0, 1], n), [0, 0], *players]),
        np.concatenate([values, 1.0 - values, [1.0, 0.0], *wins]),
        int(local[order.index(Position())]),
        (2 * n, 2 * n + 1),
    )


def _best(worth: Array, first: Array, counts: Array) -> Array:
    """Return the first of the best moves of each state and roll."""
    best = np.maximum.reduceat(worth, first[:-1])
    best_moves = np.flatnonzero(worth == np.repeat(best, counts))
    return best_moves[np.searchsorted(best_moves, first[:-1])]


def _starts(counts: Array) -> Array:
    """Return the first places of groups of these sizes, and the end of the last group."""
    return np.concatenate([[0], np.cumsum(counts)])


def _merge(choice: Array, target: Array, probability: Array) -> tuple[Array, Array, Array]:
    """Return branches by choice and target; branches with the same choice and target are merged."""
    sort = np.lexsort((target, choice))
    choice, target, probability = choice[sort], target[sort], probability[sort]
    new = np.ones(len(choice), np.bool_)
    new[1:] = (choice[1:] != choice[:-1]) | (target[1:] != target[:-1])
    begin = np.flatnonzero(new)
    return choice[begin], target[begin], np.add.reduceat(probability, begin)


def _values(base: Tablebase, order: GeneralOrder, states: Array, homes: Array) -> Array:
    """Return the mover's win probability in each state, as `LayerOrder.place` for many states."""
    layers, pieces = base.order, base.rules.pieces
    masks = np.empty((2, len(states)), np.int64)
    general_kernels.write_masks(order.ranking.arrays, states, masks)
    packed = [
        layers.pattern.spread[side][0, masks[side] & HALF]
        + layers.pattern.spread[side][1, masks[side] >> HALF_BITS]
        for side in (0, 1)
    ]
    size = [layers.width[pieces - homes[:, k] - (packed[k] >> COUNT_SHIFT)] for k in (0, 1)]
    number = [layers.number[packed[k] >> OWN_SHIFT & OWN_MASK] for k in (0, 1)]
    inside = (size[0] - 1 - number[0]) * size[1] + size[1] - 1 - number[1]
    pattern = (packed[0] & PATTERN_MASK) + (packed[1] & PATTERN_MASK)
    values = np.empty(len(states))
    for layer in layers.layers:
        of = np.flatnonzero((homes == layer).all(1))
        ranks = layers.offsets(layer)[pattern[of]] + inside[of]
        values[of] = decode_values(base.layer(layer)[ranks], base.store)
    return values


def _write(stream: BinaryIO, model: Model, rules: RuleSet, fixed: str) -> None:
    """Write a model as a UMB file: a compressed archive of an index and arrays."""
    states = len(model.player)
    two = fixed == "none"
    real = {"type": "double", "size": 64}
    end = {"applies-to": ["states"], "type": {"type": "bool", "size": 1}}
    index = {
        "format-version": 0,
        "format-revision": 1,
        "model-data": {"name": rules.with_pieces, "comment": f"plays perfectly: {fixed}"},
        "file-data": {"tool": "urcx", "tool-version": urcx.__version__},
        "transition-system": {
            "time": "discrete",
            "#players": 2 if two else 1,
            **({"player-names": list(SIDES)} if two else {}),
            "#states": states,
            "#initial-states": 1,
            "#choices": len(model.first_branch) - 1,
            "#choice-actions": 0,
            "#branches": len(model.target),
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": real,
        },
        "annotations": {
            "aps": {f"{name}_wins": end for name in SIDES},
            "values": {"light_wins": {"applies-to": ["states"], "type": real}},
        },
    }
    files = {
        "state-is-initial.bin": _bits(states, model.start),
        "state-to-choices.bin": model.first_choice.astype("<u8"),
        "choice-to-branches.bin": model.first_branch.astype("<u8"),
        "branch-to-target.bin": model.target.astype("<u8"),
        "branch-to-probability.bin": model.probability.astype("<f8"),
        "annotations/values/light_wins/states/values.bin": model.wins.astype("<f8"),
    }
    for name, state in zip(SIDES, model.ends, strict=True):
        files[f"annotations/aps/{name}_wins/states/values.bin"] = _bits(states, state)
    if two:
        files["state-to-player.bin"] = model.player.astype("<u4")
    contents = {name: array.tobytes() for name, array in files.items()}
    with (
        gzip.GzipFile("", "wb", 1, stream, mtime=0) as packed,
        tarfile.TarFile(mode="w", fileobj=packed) as archive,
    ):
        for name, content in {"index.json": json.dumps(index).encode(), **contents}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _bits(states: int, state: int) -> Array:
    """Return a set of one state as bits, in complete words."""
    bits = np.zeros(-(-states // 64) * 8, np.uint8)
    bits[state >> 3] = 1 << (state & 7)
    return bits


if __name__ == "__main__":
    with urcx.open_tablebase(sys.argv[1]) as solved:
        written = export_umb(solved, Path(sys.argv[2]), *sys.argv[3:])
    print(f"{len(written.player):,} states; light wins with {written.wins[written.start]:.15f}")

"""What agents choose in all states of a pair of layers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST, RANDOM, TIES, AnyMove, ByLevel, ByTable, Greedy
from urcx.agents.agents import Agent
from urcx.agents.levels import level_layers, release
from urcx.agents.play_files.decoding import decode_layer
from urcx.agents.play_files.look_up_kernels import ByPlay
from urcx.agents.play_files.play_file import is_play_file
from urcx.agents.policies import Policies, check_rules, coarse, for_thread
from urcx.engine.vector_types import LANES
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.expectations import choice_kernels as kernels
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import FULL_U16, Tablebase, open_tablebase
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerProgram

ALL_STATES = 10**9  # query count assumed when choosing between tables and search: all states

Masks = NDArray[Any]  # 8 or 16 bits, unsigned


@dataclass(frozen=True)
class ByLayers:
    """A policy that plays by values of all states, layer by layer.

    Attributes
    ----------
    layer : callable
        Returns the values of a layer (pieces home of the mover and of the other), in the order of
        `urcx.solving.layered.order.LayerOrder`: what the player to move has, from 0 to ``certain``.
        Of any type of numbers that 64-bit floats hold exactly.
    certain : float
        The value of a won game.
    ties : int
        The tie rule, an index in `urcx.agents.agent_kernels.TIES`.
    release : callable
        Lets go of memory that reading layers took.
    """

    layer: Callable[[Layer], NDArray[Any]]
    certain: float = 1.0
    ties: int = FIRST
    release: Callable[[], None] = lambda: None

    @staticmethod
    def of(policy: Any, order: LayerOrder, threads: int) -> Any:
        """Return a policy by layers for one with values of all states, else the policy itself."""
        if isinstance(policy, ByLevel):
            level = level_layers(policy.values, order, threads)
            if level is None:
                return policy
            return ByLayers(*level, policy.ties, partial(release, policy.values))
        if not isinstance(policy, ByTable):
            return policy
        ends = np.sort(np.append(policy.first.ravel(), len(policy.values)))

        def layer(key: Layer) -> NDArray[Any]:
            begin = int(policy.first[key])
            part: NDArray[Any] = policy.values[begin : ends[np.searchsorted(ends, begin, "right")]]
            return part

        return ByLayers(layer, policy.certain, policy.ties)

    @staticmethod
    def of_tablebase(base: Tablebase, ties: int) -> ByLayers:
        """Return perfect play by an open tablebase, which is read layer by layer."""
        certain = float(FULL_U16) if base.store == "u16" else 1.0
        return ByLayers(base.layer, certain, ties, base.release)


def prepared(player: Agent, policies: Policies, stack: contextlib.ExitStack) -> Any:
    """Return an agent's policy; a tablebase that it plays by is not copied to memory.

    The stack closes the tablebase.
    """
    if player.table is None or player.kind != "optimal" or why_no_layers(policies.rules):
        return policies.of(player)
    if is_play_file(player.table):
        return policies.of(player)
    base = stack.enter_context(open_tablebase(player.table))
    check_rules(base, policies.rules)
    policies.notes += [note for note in coarse(base) if note not in policies.notes]
    return ByLayers.of_tablebase(base, TIES.index(player.ties))


@dataclass(frozen=True)
class Chosen:
    """A policy's moves in a pair of layers, as masks over the legal moves of each roll.

    ``masks[k]`` are those of the k-th layer's program: ``masks[k][roll * stride[k] + row]`` if
    ``by_row``; else all are the same array, with ``masks[k][roll * stride[k] + LANES + state]``,
    states counted over both layers. ``any_of[k][roll, row]`` are the moves chosen in some state of
    a row. ``shared`` tells whether several moves may be chosen.
    """

    by_row: bool
    shared: bool
    masks: list[Masks]
    stride: list[int]
    any_of: list[Masks]


def mask_type(rules: RuleSet) -> np.dtype[Any]:
    """Return the type of a mask of moves: at most one for each piece, or each step but home."""
    return np.dtype(np.uint8 if min(rules.pieces, rules.path.length + 1) <= 8 else np.uint16)


def chosen(policy: Any, pair: LayerPair) -> Chosen:
    """Return a policy's moves in all states of a pair of layers."""
    policy = ByLayers.of(policy, pair.order, pair.threads)
    rolls = len(pair.order.tables.rolls)
    kind = mask_type(pair.order.rules)
    by_row = isinstance(policy, AnyMove | Greedy)
    programs = pair.programs
    any_of: list[Masks] = [np.zeros((rolls, len(p.first_op)), kind) for p in programs]
    shared = policy.ties == RANDOM
    if by_row:
        for program, masks in zip(programs, any_of, strict=True):
            _choose(policy, pair, program, masks, by_row=True)
        rows = [len(program.first_op) for program in programs]
        return Chosen(True, shared, [masks.reshape(-1) for masks in any_of], rows, any_of)
    stride = pair.states + 2 * LANES
    masks = np.zeros(rolls * stride, kind)
    values = _filled(policy, pair) if isinstance(policy, ByLayers) else None
    for program, used in zip(programs, any_of, strict=True):
        at = LANES + pair.at["V", program.layer]
        if isinstance(policy, ByPlay):
            decode_layer(policy, pair.order, program, masks, at, stride, pair.threads)
        elif values is None:
            _choose(policy, pair, program, masks.reshape(rolls, -1)[:, at:], by_row=False)
        else:
            _choose_by_values(policy.ties, values, pair, program, masks, stride)

        def part(
            _: int, first: int, last: int, p: LayerProgram = program, at: int = at,
            used: Masks = used,
        ) -> None:  # fmt: skip
            kernels.all_chosen(
                p.rows, p.columns, at + p.begin, p.first_row, rolls, stride, masks,
                p.cuts[first], p.cuts[last], used,
            )  # fmt: skip

        pair.in_parts(len(program.cuts) - 1, part)
    count = len(programs)
    return Chosen(False, shared, [masks] * count, [stride] * count, any_of)


def _choose(
    policy: Any, pair: LayerPair, program: LayerProgram, picks: Masks, *, by_row: bool
) -> None:
    order, layer = pair.order, program.layer
    own = [for_thread(policy) for _ in range(pair.threads)]

    def part(thread: int, first: int, last: int) -> None:
        kernels.choose_pair(
            own[thread], order.tables.ways, order.pattern, order.tables.rolls, program.patterns,
            order.width, order.mask, layer, order.offsets(layer), program.first_row, by_row,
            program.cuts[first], program.cuts[last], picks,
        )  # fmt: skip

    pair.in_parts(len(program.cuts) - 1, part)


def _choose_by_values(
    ties: int, values: NDArray[np.float64], pair: LayerPair, program: LayerProgram, masks: Masks,
    stride: int,
) -> None:  # fmt: skip
    begin = LANES + pair.at["V", program.layer] + program.begin

    def part(_: int, first: int, last: int) -> None:
        kernels.choose_by_values(
            values, program.rows, program.columns, begin, program.first_row, program.first_op,
            program.ops, len(pair.order.tables.rolls), ties, stride, program.cuts[first],
            program.cuts[last], masks,
        )  # fmt: skip

    pair.in_parts(len(program.cuts) - 1, part)


def _filled(policy: ByLayers, pair: LayerPair) -> NDArray[np.float64]:
    """Return a policy's values of all states that moves from a pair lead to, as it compares them.

    The layout is that of the pair; with the other side to move it is ``certain`` less its value.
    """
    pieces = pair.order.rules.pieces
    values = np.zeros(pair.size)
    values[pair.won :] = policy.certain
    for program in pair.programs:
        at, to = pair.places(program)
        values[at] = policy.layer(program.layer)
        pair.turn(program, values[at].__getitem__, values[to])
        values[to] += policy.certain
    for i, j in pair.layers:
        if i + 1 == pieces:
            continue
        first = pair.at["beyond", (i, j)]
        part = values[first : first + pair.order.size((i + 1, j))]
        pair.turn(pair.shape((j, i + 1)), partial(_floats, policy.layer((j, i + 1))), part)
        part += policy.certain
    policy.release()
    return values


def _floats(values: NDArray[Any], part: slice) -> NDArray[np.float64]:
    return values[part].astype(np.float64)

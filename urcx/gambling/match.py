"""Round-robin tournaments of the gambling game: what agents win from one another."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement

import numpy as np

from urcx.engine.threads import Stage, silent
from urcx.errors import InterruptedRunError, UsageError
from urcx.gambling.agents import Gambler, gambler
from urcx.gambling.rules import GamblingGame
from urcx.gambling.simulator import gamble
from urcx.games.match import labelled, pair_seed
from urcx.games.statistics import Measure, plain

MAX_AGENTS = 8


@dataclass(frozen=True)
class Pairing:
    """The result of an agent against another: counters won by each, games won and drawn."""

    agent: Gambler
    opponent: Gambler
    games: int
    won: Measure
    lost: Measure
    wins: int
    draws: int


def gamble_match(
    agents: Sequence[str],
    game: GamblingGame,
    *,
    games: int,
    seed: int,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = silent,
) -> tuple[Pairing, ...]:
    """Play each agent against each, itself included, with half the games in each colour.

    A coin decides who begins. Arguments are those of `urcx.gambling.simulator.gamble`.

    Raises
    ------
    UsageError
        If there is no agent, the same twice, more than `MAX_AGENTS`, or fewer than 2 games; and
        what `urcx.gambling.simulator.gamble` raises.
    InterruptedRunError
        At Ctrl-C.
    """
    players = [gambler(name.strip()) for name in agents]
    names = [player.name for player in players]
    if not 1 <= len(players) <= MAX_AGENTS:
        raise UsageError(f"{len(players)} agents: from 1 to {MAX_AGENTS} play each against each")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"agent {twice} is there twice")
    if games < 2:
        raise UsageError(f"{games} games: play at least 2 of each pair")
    found = []
    for one, other in combinations_with_replacement(players, 2):
        halves = []
        for half, (light, dark) in enumerate(((one, other), (other, one))):
            played = gamble(
                light,
                dark,
                game,
                games=games // 2 if half else games - games // 2,
                seed=pair_seed(seed, light, dark, half),
                first="coin",
                threads=threads,
                executor=executor,
                stage=partial(labelled, stage, f"{one.name} - {other.name}"),
            )
            if played.interrupted:
                raise InterruptedRunError("interrupted")
            halves.append(played.winnings[:, ::-1] if half else played.winnings)
        won = np.concatenate(halves)
        found.append(
            Pairing(
                one,
                other,
                games,
                plain("won", f"{one.name} against {other.name}", won[:, 0]),
                plain("lost", f"{other.name} against {one.name}", won[:, 1]),
                int((won[:, 0] > won[:, 1]).sum()),
                int((won[:, 0] == won[:, 1]).sum()),
            )
        )
    return tuple(found)

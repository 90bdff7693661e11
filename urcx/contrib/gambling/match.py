"""Round-robin tournaments of the gambling game: what agents win from one another."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Annotated

import numpy as np

from urcx.complexity.game_tree import with_interval
from urcx.contrib.gambling.agents import Gambler, gambler
from urcx.contrib.gambling.records import GAMBLES
from urcx.contrib.gambling.rules import NAME, GamblingGame
from urcx.contrib.gambling.simulator import gamble
from urcx.contrib.gambling.state_counts import (
    STATES_MEMBERS,
    PieceStates,
    states_members,
    states_tables,
)
from urcx.engine.threads import Stage, silent
from urcx.errors import InterruptedRunError, UsageError
from urcx.games.match import labelled, pair_seed
from urcx.games.statistics import Measure, plain
from urcx.results.fields import (
    INTERVAL,
    TEXT,
    Field,
    Fields,
    Kind,
    Schema,
    always,
    fields_of,
    member,
)
from urcx.results.report import Report
from urcx.results.tables import Table

MAX_AGENTS = 8
ENDS = Kind(json=INTERVAL.csv or ())  # two members in JSON too


@dataclass(frozen=True)
class Pairing:
    """The result of an agent against another: counters won by each, games won and drawn."""

    agent: Annotated[Gambler, member(about="an agent", of="name")]
    opponent: Annotated[Gambler, member(about="whom it plays", of="name")]
    games: Annotated[int, member("", TEXT, "how many games")]
    won: Annotated[
        Measure,
        member(about="counters that the agent won, on average", key="winnings", of="mean"),
        member("", ENDS, "its 95 % interval", key="winnings_ci95", of="ci95"),
    ]
    # The opponent's winnings are separate: the pool takes part, so they are not the negative.
    lost: Annotated[
        Measure,
        member(about="counters that the opponent won", key="opponent_winnings", of="mean"),
        member("", ENDS, "its 95 % interval", key="opponent_winnings_ci95", of="ci95"),
    ]
    wins: Annotated[int, member("", TEXT, "how many the agent ended with more counters")]
    draws: Annotated[int, member("", TEXT, "how many nobody did")]


PAIRS = fields_of(Pairing).pick(
    "agent", "opponent", "games", "wins", "draws", "winnings", "winnings_ci95",
    "opponent_winnings", "opponent_winnings_ci95",
)  # fmt: skip
MATCH = Schema(
    NAME,
    {
        "": GAMBLES.pick("game", "choices", "games", "seed", "exactness")
        + Fields(
            Field("agents", about="names of the agents"), always("first", "coin", "who begins")
        ),
        "rows": PAIRS,
        **STATES_MEMBERS,
    },
    "with ``--match``",
)


def gamble_match_report(
    game: GamblingGame,
    pairs: Sequence[Pairing],
    games: int,
    seed: int,
    counted: Sequence[PieceStates],
) -> Report:
    """Return the report on games between every two agents, and on states."""
    rows = PAIRS.records(pairs)
    names = list(dict.fromkeys(pair.agent.name for pair in pairs))
    seen = {}
    for pair in pairs:
        seen[pair.opponent.name, pair.agent.name] = pair.lost
        seen[pair.agent.name, pair.opponent.name] = pair.won
    cells = [[one, *(_plus_minus(seen[one, other]) for other in names)] for one in names]
    data = {
        "game": game.name,
        "choices": dict(game.choices),
        "agents": names,
        "games": games,
        "first": "coin",
        "seed": seed,
        "exactness": "estimate",
        "rows": rows,
        "states": states_members(game, counted),
    }
    tables = [
        Table(
            f"Counters won, {games:,} games of each pair, {game.name}, seed {seed}",
            ["<agent", *names],
            cells,
            [
                (
                    "the row's counters at the end less those at the start, on average, against "
                    "the column; ± half of the 95 % interval"
                ),
                "half the games with each colour, a coin decides who begins",
            ],
        ),
        *states_tables(game, counted),
        game.choices_table(),
    ]
    apart = {pair: found for pair, found in seen.items() if pair[0] != pair[1]} or seen
    (one, other), most = max(apart.items(), key=lambda item: item[1].mean)
    does = "wins most" if most.mean > 0 else "loses least"
    answer = (
        f"{game.name}: {one} {does}, {_plus_minus(most)} counters a game against {other} "
        f"(95 % interval, {games:,} games of each pair, seed {seed})"
    )
    return Report(MATCH.name, data, rows, tables, answer=answer)


def _plus_minus(measure: Measure) -> str:
    return with_interval(measure.mean, measure.ci95, 2, "+")


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

    A coin decides who begins. Arguments are those of `urcx.contrib.gambling.simulator.gamble`.

    Raises
    ------
    UsageError
        If there is no agent, the same twice, more than `MAX_AGENTS`, or fewer than 2 games; and
        what `urcx.contrib.gambling.simulator.gamble` raises.
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

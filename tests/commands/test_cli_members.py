"""JSON has the members that its schema declares, and that the documentation therefore lists."""

from __future__ import annotations

import json

import pytest
from command_line import run
from schema_members import assert_members

from urcx.agents import kinds
from urcx.engine import moves
from urcx.engine.files.cache import CACHE
from urcx.enumerate import perft, reach, reach_sampling, state_space, visitors
from urcx.enumerate.visitors import VISITORS
from urcx.expectations import expected, regret
from urcx.games import match
from urcx.published import gtc
from urcx.results.fields import Schema
from urcx.rules import drawing

# Lines that give, together, every member of a schema.
LINES: tuple[tuple[Schema, tuple[str, ...]], ...] = (
    (state_space.SSC, ("ssc -p 1",)),
    (visitors.ENUMERATE, tuple(f"enumerate -p 1 --visit {visit}" for visit in VISITORS)),
    (reach.REACH, ("reach -p 1 --rules masters",)),
    (reach_sampling.ESTIMATE, ("reach -p 1 --samples 2",)),
    (kinds.AGENTS, ("agents",)),
    (moves.MOVES, ("moves 2/3,6/5-5/L --agent panda:1",)),
    (drawing.SHOWN, ("show",)),
    (perft.PERFT, ("perft --depth 1 --divide",)),
    (gtc.GTC, ("gtc -g 4 --agent random", "gtc -g 4 --agent greedy")),  # the latter known exactly
    (expected.EXACT_GTC, ("gtc --exact -p 1 --agent random",)),
    (match.MATCH, ("match random first -g 4 --habits -p 1",)),
    (regret.REGRET, ("regret --agent random -p 1",)),
    (CACHE, ("cache",)),
)


@pytest.mark.jit
@pytest.mark.parametrize(("schema", "lines"), LINES, ids=[f"{s.name} {s.when}" for s, _ in LINES])
def test_members_are_those_declared(schema: Schema, lines: tuple[str, ...]) -> None:
    found = [json.loads(run(*line.split(), "--json").out) for line in lines]
    assert_members(schema, found)


def test_every_declared_schema_of_counting_and_games_is_looked_at() -> None:
    rooms = (
        state_space, visitors, reach, reach_sampling, kinds, moves, drawing, perft, gtc, expected,
        match, regret,
    )  # fmt: skip
    declared = [one for room in rooms for one in vars(room).values() if isinstance(one, Schema)]
    assert [one.name for one in declared] == [one.name for one, _ in LINES if one is not CACHE]

"""JSON has the members that its schema declares, and that the documentation therefore lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run

from urcx.agents import kinds
from urcx.engine import moves
from urcx.engine.files.cache import CACHE
from urcx.enumerate import perft, reach, reach_sampling, state_space, visitors
from urcx.enumerate.visitors import VISITORS
from urcx.expectations import expected, regret
from urcx.gambling import match as gambling_match
from urcx.gambling import records
from urcx.games import match
from urcx.learn import methods, training
from urcx.learn.curve import bits
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
    (records.GAMBLE, ("gamble -g 2 --agent first",)),
    (gambling_match.MATCH, ("gamble --match random,first -g 2",)),
    (regret.REGRET, ("regret --agent random -p 1",)),
    (bits.BITS, ("bits --agent random --table-bits 2 -p 1",)),
    (training.TRAINED, ("train -p 1 --units 4 --iterations 10 --set games=4,plies=8 -o NET",)),
    (methods.METHODS_LISTED, ("train --list",)),
    (CACHE, ("cache",)),
)


def members(found: dict[str, Any], place: str) -> Iterator[set[str]]:
    """Yield the members of each object that stands at a place of a JSON object."""
    items: list[Any] = [found]
    for step in place.split(".") if place else ():
        items = [
            value
            for item in items
            if isinstance(item, dict)
            for value in (item.values() if step.isupper() else [item.get(step)])
        ]
        items = [one for item in items for one in (item if isinstance(item, list) else [item])]
    return (set(item) for item in items if isinstance(item, dict))


@pytest.mark.jit
@pytest.mark.parametrize(("schema", "lines"), LINES, ids=[f"{s.name} {s.when}" for s, _ in LINES])
def test_members_are_those_declared(schema: Schema, lines: tuple[str, ...], tmp_path: Path) -> None:
    lines = tuple(line.replace("NET", str(tmp_path / "net.npz")) for line in lines)
    found = [json.loads(run(*line.split(), "--json").out) for line in lines]
    tops = {place.split(".")[0] for place in schema.parts if place}
    for place, fields in schema.parts.items():
        declared = {key for field in fields for key in field.keys}
        seen = set().union(*(one for item in found for one in members(item, place)))
        inner = {p.rpartition(".")[2] for p in schema.parts if p.rpartition(".")[0] == place}
        if not place:
            assert {item.pop("schema") for item in found} == {schema.name}
            seen -= {"schema", "version", "provenance"} | tops
            declared -= tops
        assert seen - inner == declared - inner, place


def test_every_declared_schema_of_counting_and_games_is_looked_at() -> None:
    rooms = (
        state_space, visitors, reach, reach_sampling, kinds, moves, drawing, perft, gtc, expected,
        match, records, gambling_match, regret, bits, training, methods,
    )  # fmt: skip
    declared = [one for room in rooms for one in vars(room).values() if isinstance(one, Schema)]
    assert [one.name for one in declared] == [one.name for one, _ in LINES if one is not CACHE]

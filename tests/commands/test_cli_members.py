"""JSON has the fields that its schema declares, and so those in the documentation."""

from __future__ import annotations

import json

import pages
import pytest
from command_line import run
from schema_members import assert_members

from urcx.enumerate.visitors import VISITORS

SCHEMAS = {
    one.schema + " exactly" * one.when.startswith("with ``--exact``"): one
    for one in pages.schemas()
}
ROOMS = ("agents", "engine", "enumerate", "expectations", "games", "rules")
# Lines that give, together, every member of a schema.
LINES: dict[str, tuple[str, ...]] = {
    "urcx.ssc/1": ("ssc -p 1",),
    "urcx.board-games/1": ("ssc --game senet,checkers",),
    "urcx.enumerate/1": tuple(f"enumerate -p 1 --visit {visit}" for visit in VISITORS),
    "urcx.reach/1": ("reach -p 1 --rules masters",),
    "urcx.reach-estimate/1": ("reach -p 1 --samples 2",),
    "urcx.rank/1": ("rank -p 1 1/-/0-0/L",),
    "urcx.unrank/1": ("unrank -p 1 5",),
    "urcx.sample/1": ("sample -p 1 -n 2",),
    "urcx.agents/1": ("agents",),
    "urcx.moves/1": ("moves 2/3,6/5-5/L --agent panda:1",),
    "urcx.position/1": ("show",),
    "urcx.perft/1": ("perft --depth 1 --divide",),
    # The latter is known exactly.
    "urcx.gtc/1": ("gtc -g 4 --agent random", "gtc -g 4 --agent greedy"),
    "urcx.gtc/1 exactly": ("gtc --exact -p 1 --agent random",),
    "urcx.compare/2": ("compare blitz -p 1",),
    "urcx.lengths/1": ("lengths -p 1",),
    "urcx.luck/1": ("luck -p 1",),
    "urcx.match/1": ("match random first -g 4 --habits -p 1",),
    "urcx.mistakes/1": ("mistakes random -p 2",),
    "urcx.regret/1": ("regret --agent random -p 1",),
    "urcx.cache/1": ("cache",),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", LINES)
def test_members_are_those_declared(name: str) -> None:
    found = [json.loads(run(*line.split(), "--json").out) for line in LINES[name]]
    assert_members(SCHEMAS[name], found)


def test_every_declared_schema_of_counting_and_games_is_looked_at() -> None:
    kinds = [kind for kind in pages.results() if kind.__module__.split(".")[1] in ROOMS]
    assert {kind.schema for kind in kinds} - {"urcx.elo/1"} <= LINES.keys()  # no command prints it

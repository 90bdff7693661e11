"""What games between agents can come to, against a naive search through positions."""

from __future__ import annotations

from functools import cache

import naive
import pytest
from naive_reach import small
from own_rules import own

import urcx
from urcx.agents.agents import Agent, agent
from urcx.errors import OutOfDomainError, TooLargeError
from urcx.expectations import arrivals as module
from urcx.expectations.arrivals import reachable_states
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

State = tuple[int, Position]  # the agent to move, and the mover view


def after(state: State, agents: tuple[Agent, ...], rules: RuleSet) -> set[State]:
    mover, position = state
    if rules.pieces in position.home:
        return set()
    found = set()
    for roll in rules.dice.rolls:
        game = Game(rules, position)
        chances = agents[mover].move_probabilities(game, roll).items()
        played = [move.position for move, chance in chances if chance]
        passed = Position(position.light, position.dark, position.home, light_to_move=False)
        for child in played or [passed]:
            if child.light_to_move:
                found.add((mover, child))
            else:
                found.add((len(agents) - 1 - mover, child.turned()))
    return found


@cache
def naive_levels(agents: tuple[Agent, ...], rules: RuleSet) -> list[set[State]]:
    levels = [{(mover, Position()) for mover in range(len(agents))}]
    seen = set(levels[0])
    while levels[-1]:
        levels.append({one for state in levels[-1] for one in after(state, agents, rules)} - seen)
        seen |= levels[-1]
    return levels[:-1]


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        (("random",), small("blitz")),
        (("optimal",), small("finkel")),
        (("first", "random"), small("finkel")),
        pytest.param(("optimal",), own("tiny"), marks=pytest.mark.jit),
        pytest.param(
            ("last", "optimal"), small("finkel", 1, "binary3-0as4"), marks=pytest.mark.jit
        ),
    ],
)
def test_arrivals_are_those_of_a_naive_search(names: tuple[str, ...], rules: RuleSet) -> None:
    agents = tuple(agent(name) for name in names)
    levels = naive_levels(agents, rules)
    over = [[state for state in level if rules.pieces in state[1].home] for level in levels]
    for threads in (1, 2):
        found = reachable_states(agents, rules, threads=threads)
        assert [level.terminals for level in found.levels] == [len(level) for level in over]
        assert [level.new for level in found.levels] == [
            len(level) - len(ended) for level, ended in zip(levels, over, strict=True)
        ]
    assert found.states + found.terminals == sum(map(len, levels))
    assert found.shortest == next(k for k, ended in enumerate(over) if ended)


def test_random_play_comes_to_all_that_is_reachable() -> None:
    rules = small("finkel")
    found, all_states = reachable_states((agent("random"),), rules), urcx.reach(rules)
    assert found.levels == all_states.levels
    assert found.unseen == 0


@pytest.mark.jit
def test_what_never_occurs_is_all_else() -> None:
    rules = own("tiny")
    seen = {one for level in naive_levels((agent("optimal"),), rules) for _, one in level}
    never = [one for one in naive.diagrams(rules.path, 2) if one.home[0] < 2 and one not in seen]
    assert 0 < len(never) == reachable_states((agent("optimal"),), rules).unseen


def test_paths_without_layers_and_searches_too_large_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(OutOfDomainError, match="more than once"):
        reachable_states((agent("random"),), small("murray"))

    def refuse(*_: object) -> None:
        raise TooLargeError("too large")

    monkeypatch.setattr(module, "check_memory", refuse)
    with pytest.raises(TooLargeError):
        reachable_states((agent("random"),), small("finkel"))

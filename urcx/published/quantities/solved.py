"""Quantities of optimal play, in endings that are solved on demand and in full games.

All positions of an ending occur in the full game. Endings with k pieces left on each side are the
full game with k pieces. Endings in which one side has a single piece left depend only on each
other.

Values of full games take minutes, or gigabytes of a tablebase. They are recorded with the figures,
as the parameter ``found``, and the recorded values are judged. With a tablebase, the functions
``..._again`` compute them again.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from urcx.complexity.game_tree import Z95
from urcx.published.quantities.games import FAR, SEED
from urcx.published.rounding import (
    Params,
    Sampled,
    Worded,
    rules_from,
)
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position

TOLERANCE = 1e-12
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)  # possible tolerances of the sources
STEPS_16_BITS = 65_535


@cache
def _solved(rules: RuleSet) -> Any:
    from urcx.solving.layered.solver import solve_layers
    from urcx.solving.layered.stores import MemoryStore

    store = MemoryStore(keep=True)
    solve_layers(rules, store)
    return store


@cache
def _closeness(name: str, tolerances: tuple[float, ...]) -> Any:
    """Return the action gaps in the endings in which one side has one piece left."""
    from urcx.engine.threads import chosen_threads
    from urcx.solving.closeness import closeness
    from urcx.solving.layered.order import LayerOrder
    from urcx.solving.layered.solver import solve_pair
    from urcx.solving.layered.stores import MemoryStore

    order = LayerOrder(catalogue.ruleset(name))
    last = order.rules.pieces - 1
    store = MemoryStore(keep=True)
    for layers in order.pairs:
        if max(layers[0]) == last:
            solve_pair(order, layers, store, TOLERANCE, chosen_threads(None))
    return closeness(order, store, tolerances=tolerances, home=last)


def close_moves(params: Params) -> str:
    """Return the number of states and rolls of the endings with an action gap within ``tolerance``.

    The tolerance is a difference of win probabilities in percent. 0 counts equal values. With
    ``whether``, return only "some" or "none".
    """
    gaps = _closeness(params["rules"], TOLERANCES)
    tolerance = float(params["tolerance"])
    if not tolerance:
        number = gaps.equal
    else:
        chance = tolerance / 100
        # The tolerances are powers of ten, but the division by 100 may change the last bit.
        nearest = min(TOLERANCES, key=lambda listed: abs(math.log(listed / chance)))
        number = gaps.within[nearest]
    if not number:
        return "none"
    return "some" if "whether" in params else f"{number:,} of {gaps.choices:,}"


def tolerance(params: Params) -> Fraction:
    """Return a percentage as printed, or with ``of`` 1 as a probability."""
    return Fraction(Decimal(params["percent"])) * Fraction(params["of"]) / 100


def storage_order(params: Params) -> int:
    """Return the power of ten nearest to the step between 16-bit values, as a part of ``of``."""
    return round(math.log10(params["of"] / STEPS_16_BITS))


def key_bits(params: Params) -> int:
    """Return the number of bits of a state's key in the files of the report's program."""
    from urcx.solving.files.rgu_keys import Keys
    from urcx.solving.layered.order import LayerOrder

    return Keys(LayerOrder(catalogue.ruleset(params["rules"]))).bits


def moves_by_value(
    rules_name: str, position: str, roll: int, left: int | None = None
) -> list[tuple[float, int]]:
    """Return the win probability and the start of each legal move, best first.

    Equal numbers of pieces home are removed on both sides. So the game to solve has as many pieces
    as the side with fewer pieces home has left. A position with pieces in the pool needs ``left``.
    """
    from urcx.engine.moves import legal_moves
    from urcx.solving.layered.order import LayerOrder

    full, where = catalogue.ruleset(rules_name), parse_position(position)
    left = left or full.pieces - min(where.home)
    rules = replace(full, pieces=left)
    gone = min(where.home)
    at = replace(where, home=(where.home[0] - gone, where.home[1] - gone))
    order, store = LayerOrder(rules), _solved(rules)

    def value(after: Position) -> float:
        layer, state = order.place(after)
        chance = float(store.layers[layer][0][state])
        return chance if after.light_to_move == at.light_to_move else 1.0 - chance

    moves = [(value(move.position), move.start) for move in legal_moves(at, roll, rules)]
    return sorted(moves, reverse=True)


def better_move(params: Params) -> Worded:
    """Return the better of two moves for a roll, for each number of pieces left."""
    first, second = params["starts"]
    better, texts = set(), []
    for left in params["left"]:
        values = {
            start: value
            for value, start in moves_by_value(
                params["rules"], params["position"], params["roll"], left
            )
        }
        better.add("the second" if values[second] > values[first] else "the first")
        texts.append(f"{values[second]:.4f} to {values[first]:.4f} with {left} left")
    return Worded(" or ".join(sorted(better)), ", ".join(texts))


@cache
def _reach(rules: RuleSet) -> Any:
    from urcx.enumerate.reach import reach

    return reach(rules)


def reach_again(params: Params, _: Path) -> int:
    """Return the ``depth`` of the farthest states, or the number of ``unreachable`` states."""
    return int(getattr(_reach(rules_from(params)), params["what"]))


@cache
def _arrivals(rules: RuleSet, file: Path, players: tuple[str, ...]) -> Any:
    from urcx.agents.agents import agent
    from urcx.expectations.arrivals import reachable_states
    from urcx.expectations.losses import with_tablebase

    return reachable_states(tuple(with_tablebase(agent(name), file) for name in players), rules)


def arrivals_again(params: Params, file: Path) -> float:
    """Return the ``shortest`` game of optimal play, or the states ``unseen`` in optimal play.

    With ``of``, return the number as a percentage of ``of``.
    """
    number = getattr(_arrivals(rules_from(params), file, ("optimal",)), params["what"])
    return float(100 * number / params["of"]) if "of" in params else int(number)


@cache
def _judged(rules: RuleSet, file: Path, name: str) -> Any:
    from urcx.expectations.regret import regret

    return regret(name, rules, tablebase=file).regrets[0]


def plies_again(params: Params, file: Path) -> float:
    """Return the mean plies of a game of optimal play, of both players."""
    side = _judged(rules_from(params), file, "optimal").side
    return float(2 * side.plies)


def opening_again(_: Params, file: Path) -> float:
    """Return the win probability of the first player under optimal play."""
    from urcx.solving.files.tablebase import open_tablebase

    with open_tablebase(file) as base:
        return base.probe("-/-/0-0/L")


def move_chance(params: Params) -> Fraction:
    """Return a recorded win probability in percent, or a difference of two, times ``times``.

    With ``steps``, the source has only multiples of 1 / ``steps``, so the probability is rounded.
    """
    chance = Fraction(params["found"]) * Fraction(params.get("times", 1))
    if "steps" in params:
        chance = Fraction(100 * round(chance / 100 * params["steps"]), params["steps"])
    return chance


def move_again(params: Params, file: Path) -> float:
    """Return the win probability after a roll's move from ``start``, in percent.

    With ``than``, subtract the win probability after the move from there. Without ``start``, the
    roll has no move, and without ``roll`` it is the win probability before the roll.
    """
    from urcx.solving.files.tablebase import open_tablebase

    position = parse_position(params["position"])
    with open_tablebase(file) as base:
        if "roll" not in params:
            return 100 * base.probe(position)
        moves = {m.move.start: m.value for m in base.best_moves(position, params["roll"])}
        if "start" not in params:
            assert not moves
            passed = replace(position, light_to_move=not position.light_to_move)
            return 100 * (1.0 - base.probe(passed))
    less = moves[params["than"]] if "than" in params else 0.0
    return 100 * (moves[params["start"]] - less)


CENTRE_MOVES = {"land": "end", "stay": "start"}  # the attribute of a move that must be the centre


@cache
def _centre_gains(file: Path, games: int) -> dict[str, float]:
    """Return the mean gain of landing on the centre rosette, and of staying there.

    The gain is the difference in win probability between the best such move and the best other
    move, in points. The mean is over all decisions with both kinds of moves in games of optimal
    play.
    """
    import numpy as np

    from urcx.engine.moves import centre_step
    from urcx.solving.files.tablebase import open_tablebase

    gains: dict[str, list[float]] = {what: [] for what in CENTRE_MOVES}
    rng = np.random.default_rng(SEED)
    with open_tablebase(file) as base:
        dice, pieces, centre = base.rules.dice, base.rules.pieces, centre_step(base.rules.path)
        for roll_of in rng.spawn(games):
            position = Position()
            while pieces not in position.home:
                roll = int(roll_of.choice(dice.rolls, p=[float(p) for p in dice.probabilities]))
                moves = base.best_moves(position, roll)
                for what, place in CENTRE_MOVES.items():
                    on = [m.value for m in moves if getattr(m.move, place) == centre]
                    off = [m.value for m in moves if getattr(m.move, place) != centre]
                    if on and off:
                        gain = max(on) - max(off)
                        gains[what].append(100 * (gain if what == "land" else -gain))
                passed = replace(position, light_to_move=not position.light_to_move)
                position = moves[0].move.position if moves else passed
    return {what: sum(values) / len(values) for what, values in gains.items()}


def centre_again(params: Params, file: Path) -> float:
    """Return the mean gain of ``land`` or ``stay`` on the centre rosette, in points."""
    return _centre_gains(file, params["games"])[params["what"]]


@cache
def _first_wins(rules: RuleSet, file: Path, item: str, other: str) -> float:
    """Return the win probability of an agent against another, with each as first player in turn."""
    from urcx.agents.agents import agent
    from urcx.expectations.expected import expected
    from urcx.expectations.losses import with_tablebase

    light, dark = (with_tablebase(agent(name), file) for name in (item, other))
    return float(expected(light, dark, rules).sides[0].wins)


def share_again(params: Params, file: Path) -> float:
    """Return the win probability of an ``agent``, with each player as first player in turn."""
    if "optimal" in (params["agent"], params["opponent"]):
        weaker = params["agent"] if params["opponent"] == "optimal" else params["opponent"]
        wins = float(_judged(rules_from(params), file, weaker).side.wins)
        return wins if weaker == params["agent"] else 1.0 - wins
    names = sorted((params["agent"], params["opponent"]))  # both orders give the same games
    first = _first_wins(rules_from(params), file, *names)
    return first if params["agent"] == names[0] else 1.0 - first


def share(params: Params) -> Worded:
    """Return in words the win rate of an agent against another, with the exact win probability.

    The words are "50 %" if the source's number of ``games`` could not show the difference.
    """
    wins = 0.5 if params["agent"] == params["opponent"] else float(params["found"])
    half_interval = Z95 / 2 / math.sqrt(params["games"])
    side = "above" if wins > 0.5 else "below"
    words = f"{side} 50 %"
    if abs(wins - 0.5) <= half_interval:
        words = "50 %"
    elif max(wins, 1 - wins) >= FAR:
        words = f"far {words}"
    return Worded(words, _percent(wins))


def win_rate(params: Params) -> Sampled:
    """Return an agent's recorded win probability, with the error of the source's ``sample``.

    If the win probability was computed from games, ``within`` is half its 95 % interval.
    """
    chance = float(params["found"])
    own_error = float(params.get("within", 0)) / Z95
    return Sampled(chance, math.sqrt(chance * (1 - chance) / params["sample"] + own_error**2))


def win_percent(params: Params) -> Sampled:
    """Return an agent's win rate in games of ours, in percent, with the error of ``sample``."""
    return win_rate(params) * Fraction(100)


def sample_mean(params: Params) -> Sampled | Fraction:
    """Return a recorded mean, with the error of the source's ``sample`` if it names its size.

    ``error`` is the standard error of a sample of this size, by default that of a win rate.
    """
    mean = Fraction(params["found"])
    if "sample" not in params:
        return mean
    variance = float(mean * (1 - mean)) / params["sample"]
    return Sampled(float(mean), float(params["error"]) if "error" in params else variance**0.5)


def between(params: Params) -> Worded:
    """Return the source's range, or "outside it", with a recorded value."""
    low, high = params["range"]
    inside = low <= float(params["found"]) <= high
    return Worded(f"{low} to {high}" if inside else "outside it", params["found"])


def not_computed(params: Params) -> str:
    """Return the reason why a figure is not computed."""
    return f"not computed: {params['why']}"


def network(params: Params) -> Worded:
    """Return a network of ours and its win rate against optimal play, both recorded."""
    return Worded(f"{100 * float(params['found']):.2f} %", params["ours"])


def _percent(chance: float) -> str:
    """Return a probability in percent, with enough digits to distinguish it from 0 and 1."""
    near = min(chance, 1.0 - chance)
    digits = 2 if near == 0.0 else max(2, 1 - math.floor(math.log10(100 * near)))
    return f"{100 * chance:.{digits}f} %"


def best_against(params: Params) -> Worded:
    """Return the greatest win rate of any player against optimal play.

    Let v be the win probability of the first player under optimal play. Against optimal play, any
    first player wins with probability v at most, and any second player with 1 - v at most. The mean
    is 50 % if each player is first in half of the games.
    """
    return Worded("at most 50 %", f"by anyone against {params['opponent']} play")


def shortest_game(params: Params) -> int:
    """Return the plies of the shortest game. ``answered`` adds the answer to the last move."""
    return int(params["found"]) + (1 if params.get("answered") else 0)


def longest_least(params: Params) -> Worded:
    """Return in words whether the longest expected game has at least ``moves`` moves."""
    words = f"at least {params['moves']:,}"
    if float(params["found"]) < params["moves"]:
        words = "not proven"
    return Worded(words, f"proven: at least {float(params['found']):,.0f}")


def by_home(params: Params) -> float:
    """Return log10 of the number of configurations with two numbers of pieces ``home``.

    Either player can have either number. With ``at`` "least", greater numbers count too.
    """
    rules = rules_from(params)
    own, shared, pieces = rules.path.private[0], rules.path.shared, rules.pieces

    def diagrams(home: tuple[int, int]) -> int:
        most, others = (pieces - number for number in home)
        return sum(
            math.comb(own, k - a) * math.comb(shared, a) * math.comb(own + shared - a, other)
            for k in range(most + 1)
            for a in range(k + 1)
            for other in range(others + 1)
        )

    i, j = params["home"]
    pairs = {(i, j), (j, i)}
    if "at" in params:
        pairs = {
            (a, b)
            for a, b in product(range(pieces + 1), repeat=2)
            if (a >= i and b >= j) or (a >= j and b >= i)
        }
    return math.log10(sum(map(diagrams, pairs)))


def afterstates(params: Params) -> int:
    """Return the number of configurations, or the number that TDUr's sum counts.

    With ``owners`` "ignored", the sum ignores the owners of the pieces on shared tiles. With
    ``least`` 1, it counts only configurations in which both players have a piece there. The sum's
    upper limit for the stones in the home row has this effect.
    """
    rules = rules_from(params)
    own, shared, pieces = rules.path.private[0], rules.path.shared, rules.pieces
    least = params.get("least", 0)
    # ways[m]: the ways to place the other pieces if m pieces are on shared tiles.
    ways = [
        sum(math.comb(own, h) * (pieces - m - h + 1) for h in range(pieces - m + 1))
        for m in range(pieces + 1)
    ]
    ignored = params.get("owners") == "ignored"

    def placed(m: int, n: int) -> int:
        return math.comb(shared, m + n) * (1 if ignored else math.comb(m + n, m))

    return sum(
        ways[m] * ways[n] * placed(m, n)
        for m in range(least, pieces + 1)
        for n in range(least, pieces + 1)
    )


def regret_factor(params: Params) -> Sampled:
    """Return the factor from the mean loss of a decision to the deficit of a game.

    It is the mean ratio of the deficits and losses (regrets) printed in the source. Its error is
    the standard error of deficits measured in ``sample`` games.
    """
    points = [(50 - float(wins), float(regret)) for wins, regret in params["own"]]
    error = 50 / math.sqrt(params["sample"])  # of a deficit, in percentage points
    return Sampled(
        sum(deficit / regret for deficit, regret in points) / len(points),
        math.hypot(*(error / regret for _, regret in points)) / len(points),
    )


def implied_decisions(params: Params) -> Fraction:
    """Return the number of decisions in ``games`` that a win rate and a mean loss imply."""
    deficit = Fraction(1, 2) - Fraction(params["wins"])
    return Fraction(params["games"]) * deficit / Fraction(params["regret"])


def nalimov_decides(params: Params) -> str:
    """Return the part that Michon's procedure decides, as he describes it or in another reading."""
    return str(params["own"][params["reading"]] if "reading" in params else params["found"])

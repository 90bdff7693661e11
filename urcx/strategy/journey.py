"""One piece on its way: how many rolls and turns, as an absorbing Markov chain in fractions.

A piece never goes back here (nobody captures it), so the expected time from each step follows from
those beyond it, and is exact. Section 5.2 of Raposo and Lamont takes S / 2 rolls for S tiles.

A roll is a ply, a 0 included. A turn is a run of them: where rosettes grant rolls, landing on one
keeps the turn going.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from urcx.errors import UsageError, WrongObjectError
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet
from urcx.strategy.dice import chances


@dataclass(frozen=True)
class Track:
    """What a piece walks on: ``length`` steps to home (None: no end), and its rosettes.

    ``rosettes`` are the steps that grant a roll. Home is step ``length`` + 1, to be reached
    exactly.
    """

    dice: Dice
    length: int | None = None
    rosettes: frozenset[int] = frozenset()


def track(rules: str | RuleSet) -> Track:
    """Return light's way under a rule set, which may be given by name."""
    rules = catalogue.ruleset(rules)
    way = rules.path.light
    stars = {s for s, tile in enumerate(way, start=1) if tile in rules.path.board.rosettes}
    return Track(rules.dice, len(way), frozenset(stars if rules.rosette_grants_roll else ()))


def as_track(given: Track | str | RuleSet) -> Track:
    """Return the track given, or light's under a rule set.

    Raises
    ------
    UsageError
        If it is neither a track, nor a rule set or the name of one.
    """
    if isinstance(given, str | RuleSet):
        return track(given)
    if isinstance(given, Track):
        return given
    raise WrongObjectError("way", Track, given, "a rule set or its name")


@dataclass(frozen=True)
class Expected:
    """Expected rolls and expected turns, each for itself where they depend on choices."""

    rolls: Fraction
    turns: Fraction


@dataclass(frozen=True)
class Journey:
    """From one step to another.

    ``approximation`` is S divided by the mean roll. ``passing``: until the piece stands on the step
    or beyond, moved by every roll that it can be. ``hit`` and ``alone``: moved in the same way, how
    probable it is that it lands on the step, and the times if it does. ``chosen``: until it lands,
    where another piece can take any roll (which ends the turn), and does whenever that is better.
    None where the piece may never get there.
    """

    start: int
    to: int
    approximation: Fraction
    passing: Expected | None
    hit: Fraction
    alone: Expected | None
    chosen: Expected | None


def journey(way: Track | str | RuleSet, to: int, start: int = 0) -> Journey:
    """Return the expected rolls and turns from a step to another, 0 being the start pool.

    ``way`` is a track, or light's under a rule set.

    Raises
    ------
    UsageError
        If the steps are not in order on the track, or the dice only give 0.
    """
    way = as_track(way)
    last = None if way.length is None else way.length + 1
    if not 0 <= start < to or (last is not None and to > last):
        end = "" if last is None else f" up to {last}, home"
        raise UsageError(f"from step {start} to {to}: both must be on the path, in order{end}")
    if not way.dice.mean:
        raise UsageError(f"{way.dice.name} never moves a piece")
    chance, alone = _forced_landing(way, to, start)
    return Journey(
        start,
        to,
        (to - start) / way.dice.mean,
        _passing(way, to, start),
        chance,
        alone,
        _chosen(way, to, start),
    )


def _moves(way: Track, at: int) -> list[tuple[int, Fraction]]:
    """Return where the rolls that move a piece lead, with their probabilities."""
    end = float("inf") if way.length is None else way.length + 1
    return [(at + r, p) for r, p in chances(way.dice).items() if r and at + r <= end]


def _free(way: Track) -> tuple[frozenset[int], frozenset[int]]:
    """Return the steps that keep the clock where it is: of rolls none, of turns the rosettes.

    Either clock stands at 1 for the first roll, and goes on with every roll that neither arrives
    nor ends on a free step.
    """
    return frozenset(), way.rosettes


def _passing(way: Track, to: int, start: int) -> Expected | None:
    times = []
    for free in _free(way):
        known: dict[int, Fraction | None] = {}
        for at in range(to - 1, start - 1, -1):
            moves = _moves(way, at)
            stay = 1 - sum((p for _, p in moves), Fraction(0))
            costs = [(p, _cost(end, to, known, free)) for end, p in moves]
            known[at] = _mixed(costs, stay)
        times.append(known[start])
    return _expected(times)


def _chosen(way: Track, to: int, start: int) -> Expected | None:
    times = []
    for free in _free(way):
        known: dict[int, Fraction | None] = {}
        for at in range(to - 1, start - 1, -1):
            options = [
                (cost, p)
                for end, p in _moves(way, at)
                if end <= to and (cost := _cost(end, to, known, free)) is not None
            ]
            # If a roll is worth moving by, so are all that lead to something better.
            options.sort()
            best: Fraction | None = None
            for n in range(1, len(options) + 1):
                taken = [(p, cost) for cost, p in options[:n]]
                value = _mixed(taken, 1 - sum((p for p, _ in taken), Fraction(0)))
                if value is not None and (best is None or value < best):
                    best = value
            known[at] = best
        times.append(known[start])
    return _expected(times)


def _cost(
    end: int, to: int, known: dict[int, Fraction | None], free: frozenset[int]
) -> Fraction | None:
    """Return what is still to come after a move: nothing once the piece is there or beyond."""
    if end >= to:
        return Fraction(0)
    rest = known[end]
    return None if rest is None else rest + (end not in free)


def _mixed(costs: Iterable[tuple[Fraction, Fraction | None]], stay: Fraction) -> Fraction | None:
    """Return x = sum of p cost + stay (1 + x): what is to come; None where it never ends."""
    total = stay
    for p, cost in costs:
        if cost is None:
            return None
        total += p * cost
    return None if stay == 1 else total / (1 - stay)


def _expected(times: list[Fraction | None]) -> Expected | None:
    rolls, turns = times
    return None if rolls is None or turns is None else Expected(1 + rolls, 1 + turns)


def _forced_landing(way: Track, to: int, start: int) -> tuple[Fraction, Expected | None]:
    """Return the probability to land on a step when every roll moves, and the times if so."""
    chance = Fraction(0)
    times: list[Fraction | None] = []
    for free in _free(way):
        hit: dict[int, Fraction] = {to: Fraction(1)}
        cost: dict[int, Fraction] = {to: Fraction(0)}  # expected, and 0 where the step is missed
        for at in range(to - 1, start - 1, -1):
            moves = _moves(way, at)
            moving = sum((p for _, p in moves), Fraction(0))
            landing = [(end, p) for end, p in moves if end <= to]
            hit[at] = sum((p * hit[end] for end, p in landing), Fraction(0)) / (moving or 1)
            total = (1 - moving) * hit[at]
            total += sum(
                (p * (cost[end] + hit[end] * (end < to and end not in free)) for end, p in landing),
                Fraction(0),
            )
            cost[at] = total / (moving or 1)
        chance = hit[start]
        times.append(cost[start] / chance if chance else None)
    return chance, _expected(times)

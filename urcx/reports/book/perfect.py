"""The section on perfect play: the value of the start, lengths of games, regret of agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from urcx.expectations.expected import Expected, expected
from urcx.expectations.regret import Judged, regret
from urcx.reports.book.elements import (
    BOUNDS,
    ROUNDED,
    Element,
    Picture,
    Prose,
    Section,
    Sheet,
    listed,
)
from urcx.reports.book.figures import lengths_by_pieces, openings_figure, regrets_figure
from urcx.reports.book.plan import Work
from urcx.reports.book.results import Opening, steady
from urcx.reports.book.tables import Given, check_tablebases
from urcx.results.fields import COUNT, Field, Fields, always, decimals, percents_of, shown_as
from urcx.results.numbers import at_most, known_digits
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.solution import solve

PAIRS = ("optimal", "greedy", "random")
MOST_JUDGED = 20_000_000  # states in a tablebase used to judge agents
VISIBLE = 1e-5  # error bound of a value in the figure; the table also has less certain values


def perfect_section(work: Work) -> Section:
    """Return the section on perfect play."""
    plan = work.plan
    given = check_tablebases(plan.tablebases)
    openings = work.openings = [_solved(work, rules) for rules in _solvable(work)]
    openings += map(Opening.looked_up, given)
    means = work.means = [
        _followed(work, rules, name)
        for rules in (_with(catalogue.ruleset("finkel"), p) for p in range(1, plan.judged + 1))
        for name in PAIRS
    ]
    games: list[tuple[RuleSet, Path | None]] = [
        (_with(catalogue.ruleset("finkel"), plan.judged), None)
    ]
    games += [(item.rules, item.file) for item in given if item.own and item.states <= MOST_JUDGED]
    work.judged = [
        regret(list(plan.judges), rules, tablebase=file, threads=plan.threads, stage=work.stage)
        for rules, file in games
    ]
    elements: list[Element] = [
        Prose(*_words(openings, given)),
        _openings(openings),
        *_drawn(
            "openings",
            "How often the player who begins wins",
            openings_figure([o for o in openings if o.gap is not None and o.gap < VISIBLE]),
            BOUNDS,
        ),
        listed("exact-means", MEANS_TITLE, MEANS, means, ROUNDED, [MEANS_NOTE]),
        *_drawn("exact-lengths", "Mean length of a game", lengths_by_pieces(means), ROUNDED),
        *_grown(means),
    ]
    for found in work.judged:
        elements += _judged(found)
    return Section("perfect", "Perfect play", tuple(elements))


def _drawn(name: str, title: str, figure: Figure | None, obtained: str) -> list[Element]:
    """Return a figure, if there are enough points for one."""
    return [] if figure is None else [Picture(name, title, figure, obtained)]


def _grown(means: Sequence[Expected]) -> list[Element]:
    """Return a sentence in place of a figure whose curves would have two points."""
    numbers = sorted({item.rules.pieces for item in means})
    if len(numbers) != 2:
        return []
    few, many = (
        {m.light.name: steady(m.measured.plies) for m in means if m.rules.pieces == p}
        for p in numbers
    )
    parts = ", ".join(f"{few[name]:.1f} to {many[name]:.1f} ({name})" for name in many)
    words = f"From {numbers[0]} to {numbers[1]} pieces a side the mean length grows from {parts}."
    return [Prose(words)]


def _with(rules: RuleSet, pieces: int) -> RuleSet:
    return replace(rules, pieces=pieces)


def _solvable(work: Work) -> list[RuleSet]:
    """Return the games to solve: finkel with one piece more than the others.

    The others' paths take seconds to number, however few the pieces, so the quick report has them
    with one number of pieces only.
    """
    plan = work.plan
    found = []
    for name in plan.rules:
        most = plan.solved + (name == "finkel" and plan.solved > 1)
        least = plan.solved if plan.quick and name != "finkel" else 1
        found += [_with(catalogue.ruleset(name), p) for p in range(least, most + 1)]
    return found


def _solved(work: Work, rules: RuleSet) -> Opening:
    return Opening.solved(solve(rules, threads=work.plan.threads, stage=work.stage).solved)


def _words(openings: Sequence[Opening], given: tuple[Given, ...]) -> tuple[str, ...]:
    finkel = max(
        (item for item in openings if item.rules.name == "finkel" and item.proven),
        key=lambda item: item.rules.pieces,
    )
    first = known_digits(finkel.opening, finkel.gap or 0.0, 10)
    texts = [
        (
            "Under perfect play every position has a chance of winning,"
            r" \[V(s) = \sum_r P(r) \max_a V'(s, r, a),\] "
            "the mean over the rolls of what the best move leads to. Values are iterated from "
            "the end of the game until a lower and an upper sequence, both proven, are next to "
            f"each other. With {finkel.rules.pieces} pieces a side, the player who begins wins by "
            f"Finkel's rules with a probability of {first}."
        ),
        (
            "With the policies of both players fixed, the same states give exact means without "
            "playing a game: how often each state is visited, times what happens there. A move's "
            "loss is the winning probability that it gives away against the best move."
        ),
    ]
    if not given:
        texts.append(
            "The full games are not solved on the spot: urcx solve -o FILE writes a tablebase, and "
            "urcx report --tablebase FILE puts its value here."
        )
    return tuple(texts)


OPENINGS = Fields(
    Field("rules", "<rules", of="rules.name"),
    Field("pieces", "p", of="rules.pieces"),
    Field("states", "states", COUNT),
    Field("opening", "who begins wins", decimals(12)),
    Field("lower"),
    Field("upper"),
    Field("gap", "off by at most", shown_as(at_most, none="unknown")),
    Field("how", "<how"),
    Field("proven"),
)


def _openings(openings: Sequence[Opening]) -> Sheet:
    notes = [
        "states: mover views, unfinished; chances before the first roll, bounds in the files",
        "off by at most: the widest gap of any state, with what a tablebase rounds away",
    ]
    how = BOUNDS
    if not all(item.proven for item in openings):
        how = f"{BOUNDS}, but where unknown"
        notes.append("unknown: the file has no bounds; urcx solve --check finds and records them")
    return listed("openings", "What beginning is worth", OPENINGS, openings, how, notes)


def _followed(work: Work, rules: RuleSet, name: str) -> Expected:
    return expected(name, name, rules, threads=work.plan.threads, stage=work.stage)


def _steady(name: str) -> Callable[[Any], float]:
    return lambda item: steady(attrgetter(name)(item))


def _choices(item: Expected) -> float:
    return steady(item.measured.choices / item.measured.plies)


MEANS = Fields(
    Field("rules", of="rules.name"),
    Field("pieces", "p", of="rules.pieces"),
    Field("agent", "<both play", of="light.name"),
    Field("states", kind=COUNT),
    Field("plies", "plies", decimals(8), of=_steady("measured.plies")),
    Field("moves", "moves", decimals(8), of=_steady("measured.moves")),
    Field("choices_per_ply", "legal moves a ply", decimals(8), of=_choices),
    Field("sum_log10_choices", "sum log10 b", decimals(6), of=_steady("measured.log_choices")),
    Field("first_wins", "first wins", decimals(8), of=_steady("first_wins")),
)
MEANS_TITLE = "Exact means over all games of finkel's rules, nothing sampled"
MEANS_NOTE = "plies of both players, passes included; the sum is over the moves of a game"


REGRETS = Fields(
    Field("agent", "<agent", of="agent.name"),
    Field("opponent", of="opponent.name"),
    Field("wins", "wins", percents_of(4), of=_steady("side.wins")),
    Field("loss", "loss a game", decimals(6), of=_steady("side.loss")),
    Field("loss_per_ply", "a ply", decimals(6), of=_steady("a_ply")),
    Field("loss_per_decision", "a decision", decimals(6), of=_steady("a_decision")),
    Field("mistaken", "mistaken", percents_of(2), of=_steady("mistaken")),
)


def _judged(found: Judged) -> list[Element]:
    rules = found.rules
    name = f"regrets-{rules.name}-{rules.pieces}"
    game = Fields(always("rules", rules.name, ""), always("pieces", rules.pieces, ""))
    what = f"{rules.name}, {rules.pieces} pieces a side, against perfect play"
    title = f"What agents give away: {what}"
    first = known_digits(found.opening, found.bound, 10)
    notes = [
        "loss: chance of winning given away; decision: a ply with two or more legal moves",
        f"each side begins in half of the games; who begins wins with {first}",
    ]
    return [
        listed(name, title, game + REGRETS, found.regrets, ROUNDED, notes),
        Picture(
            f"figure-{name}",
            f"Loss a game, and games won ({rules.name}, p = {rules.pieces})",
            regrets_figure(found),
            ROUNDED,
        ),
    ]

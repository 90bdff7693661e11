"""The section on perfect play: what beginning is worth, how long games are, what agents lose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from urcx.errors import printable
from urcx.expectations.expected import Expected, expected
from urcx.expectations.regret import Judged, regret
from urcx.reports.book.elements import (
    BOUNDS,
    EXACT,
    ROUNDED,
    Block,
    Picture,
    Prose,
    Section,
    Sheet,
    sheet,
)
from urcx.reports.book.figures import lengths_by_pieces, openings_figure, regrets_figure
from urcx.reports.book.plan import Work
from urcx.reports.book.tables import Given, check_tablebases
from urcx.reports.display.output import Table, number
from urcx.reports.solving.nalimov import report as nalimov_report
from urcx.reports.solving.solve import known_digits
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import at_most
from urcx.solving.michon.nalimov import nalimov
from urcx.solving.solution import solve

PAIRS = ("optimal", "greedy", "random")
MOST_JUDGED = 20_000_000  # states of a tablebase that agents are judged by
VISIBLE = 1e-5  # of a chance: what is known less well is in the table, not in the figure
DIGITS = 12  # that do not depend on the order in which threads add up


def perfect(work: Work) -> Section:
    """Return the section on perfect play."""
    given = check_tablebases(work.plan.tablebases)
    openings = [_solved(work, rules) for rules in _solvable(work)] + [
        _table(item) for item in given
    ]
    lengths = [
        _followed(work, rules, name)
        for rules in (_with(catalogue.ruleset("finkel"), p) for p in range(1, work.plan.judged + 1))
        for name in PAIRS
    ]
    judged = regret(
        list(work.plan.judges),
        _with(catalogue.ruleset("finkel"), work.plan.judged),
        threads=work.plan.threads,
        stage=work.stage,
    )
    more = [_by_table(work, item) for item in given if item.own and item.states <= MOST_JUDGED]
    blocks: list[Block] = [
        Prose(_words(openings, given)),
        _openings(openings),
        *_drawn(
            "openings",
            "The chance of who begins",
            openings_figure([row for row in openings if row["proven"] and row["gap"] < VISIBLE]),
            BOUNDS,
        ),
        _lengths(lengths),
        *_drawn("exact-lengths", "Mean length of a game", lengths_by_pieces(lengths), ROUNDED),
        *_grown(lengths),
    ]
    for found in (judged, *more):
        blocks += _judged(found)
    blocks.append(_procedure(work))
    return Section("perfect", "Perfect play", tuple(blocks))


def _drawn(name: str, title: str, figure: Figure | None, obtained: str) -> list[Block]:
    """Return a figure, if there is enough for one."""
    return [] if figure is None else [Picture(name, title, figure, obtained)]


def _grown(rows: list[dict[str, Any]]) -> list[Block]:
    """Return in a sentence what would be a figure of two points a curve."""
    numbers = sorted({row["pieces"] for row in rows})
    if len(numbers) != 2:
        return []
    few, many = ({r["agent"]: r["plies"] for r in rows if r["pieces"] == p} for p in numbers)
    parts = ", ".join(f"{few[name]:.1f} to {many[name]:.1f} ({name})" for name in many)
    words = f"From {numbers[0]} to {numbers[1]} pieces a side the mean length grows from {parts}."
    return [Prose((words,))]


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


def _solved(work: Work, rules: RuleSet) -> dict[str, Any]:
    found = solve(rules, threads=work.plan.threads, stage=work.stage).solved
    return {
        "rules": rules.name,
        "pieces": rules.pieces,
        "states": str(found.states),
        "opening": found.opening,
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap,
        "how": "bounds, solved here",
        "proven": True,
    }


def _table(item: Given) -> dict[str, Any]:
    return {
        "rules": item.rules.name,
        "pieces": item.rules.pieces,
        "states": str(item.states),
        "opening": item.opening,
        "lower": None if item.bound is None else item.opening - item.bound,
        "upper": None if item.bound is None else item.opening + item.bound,
        "gap": item.bound,
        "how": f"looked up in {printable(item.file.name)}, values kept as {item.store}",
        "proven": item.bound is not None,
    }


def _words(openings: list[dict[str, Any]], given: tuple[Given, ...]) -> tuple[str, ...]:
    finkel = max(
        (row for row in openings if row["rules"] == "finkel" and row["proven"]),
        key=lambda row: row["pieces"],
    )
    texts = [
        (
            "Under perfect play every position has a chance of winning,"
            r" \[V(s) = \sum_r P(r) \max_a V'(s, r, a),\] "
            "the mean over the rolls of what the best move leads to. Values are iterated from "
            "the end of the game until a lower and an upper sequence, both proven, are next to "
            f"each other. With {finkel['pieces']} pieces a side, who begins Finkel's game wins "
            f"with {known_digits(finkel['opening'], finkel['gap'], 10)}."
        ),
        (
            "With the policies of both players fixed, the same states give exact means without "
            "playing a game: how often each state is visited, times what happens there. A move's "
            "loss is by how much the chance of winning under perfect play after it is below that "
            "after the best move."
        ),
    ]
    if not given:
        texts.append(
            "The full games are not solved on the spot: urcx solve writes a tablebase, and "
            "urcx report --tablebase FILE puts its value here."
        )
    return tuple(texts)


def _openings(rows: list[dict[str, Any]]) -> Sheet:
    cells = [
        [
            row["rules"],
            str(row["pieces"]),
            number(int(row["states"])),
            f"{row['opening']:.12f}",
            at_most(row["gap"]) if row["proven"] else "unknown",
            row["how"],
        ]
        for row in rows
    ]
    columns = ["<rules", "p", "states", "who begins wins", "off by at most", "<how"]
    notes = [
        "states: mover views, unfinished; chances before the first roll, bounds in the files",
        "off by at most: the widest gap of any state, with what a tablebase rounds away",
    ]
    how = BOUNDS
    if not all(row["proven"] for row in rows):
        how = f"{BOUNDS}, but where unknown"
        notes.append("unknown: the file has no bounds; urcx solve --check finds and records them")
    return sheet("openings", "What beginning is worth", columns, rows, cells, how, notes)


def _followed(work: Work, rules: RuleSet, name: str) -> dict[str, Any]:
    found: Expected = expected(name, name, rules, threads=work.plan.threads, stage=work.stage)
    measured = found.measured
    return {
        "rules": rules.name,
        "pieces": rules.pieces,
        "agent": name,
        "states": str(found.states),
        "plies": _round(float(measured.plies)),
        "moves": _round(float(measured.moves)),
        "choices_per_ply": _round(float(measured.choices / measured.plies)),
        "sum_log10_choices": _round(float(measured.log_choices)),
        "first_wins": _round(found.first_wins),
    }


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _lengths(rows: list[dict[str, Any]]) -> Sheet:
    cells = [
        [
            str(row["pieces"]),
            row["agent"],
            f"{row['plies']:.8f}",
            f"{row['moves']:.8f}",
            f"{row['choices_per_ply']:.8f}",
            f"{row['sum_log10_choices']:.6f}",
            f"{row['first_wins']:.8f}",
        ]
        for row in rows
    ]
    columns = [
        "p",
        "<both play",
        "plies",
        "moves",
        "legal moves a ply",
        "sum log10 b",
        "first wins",
    ]
    title = "Exact means over all games of finkel's rules, nothing sampled"
    notes = ["plies of both players, passes included; the sum is over the moves of a game"]
    return sheet("exact-means", title, columns, rows, cells, ROUNDED, notes)


def _by_table(work: Work, item: Given) -> Judged:
    return regret(
        list(work.plan.judges),
        item.rules,
        tablebase=item.file,
        threads=work.plan.threads,
        stage=work.stage,
    )


def _judged(found: Judged) -> list[Block]:
    rules = found.rules
    name = f"regrets-{rules.name}-{rules.pieces}"
    rows = [
        {
            "rules": rules.name,
            "pieces": rules.pieces,
            "agent": item.agent.name,
            "opponent": item.opponent.name,
            "wins": _round(item.side.wins),
            "loss": _round(item.side.loss),
            "loss_per_ply": _round(item.a_ply),
            "loss_per_decision": _round(item.a_decision),
            "mistaken": _round(item.mistaken),
        }
        for item in found.regrets
    ]
    cells = [
        [
            str(row["agent"]),
            f"{row['wins']:.4%}",
            f"{row['loss']:.6f}",
            f"{row['loss_per_ply']:.6f}",
            f"{row['loss_per_decision']:.6f}",
            f"{row['mistaken']:.2%}",
        ]
        for row in rows
    ]
    columns = ["<agent", "wins", "loss a game", "a ply", "a decision", "mistaken"]
    what = f"{rules.name}, {rules.pieces} pieces a side, against perfect play"
    title = f"What agents give away: {what}"
    first = known_digits(found.opening, found.bound, 10)
    notes = [
        "loss: chance of winning given away; decision: a ply with two or more legal moves",
        f"each side begins in half of the games; who begins wins with {first}",
    ]
    return [
        sheet(name, title, columns, rows, cells, ROUNDED, notes),
        Picture(
            f"figure-{name}",
            f"Loss a game, and games won ({rules.name}, p = {rules.pieces})",
            regrets_figure(found),
            ROUNDED,
        ),
    ]


def _procedure(work: Work) -> Sheet:
    rules = _with(catalogue.ruleset("finkel"), work.plan.reached)
    found = nalimov(rules, threads=work.plan.threads, stage=work.stage)
    report = nalimov_report(found)
    table: Table = report.tables[0]
    keys = ("rules", "pieces", "convention", "states", "decided", "share")
    record = {key: report.data[key] for key in keys}
    return Sheet("procedure", table, [record], EXACT)

"""The sections on state spaces: exact counts, the sources' forms, and the enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from urcx.complexity import forms, tiles
from urcx.enumerate.counts import Count
from urcx.enumerate.enumerator import count
from urcx.enumerate.reach import Reach, reach
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.reports.book.elements import (
    EXACT,
    Element,
    Items,
    Picture,
    Prose,
    Section,
    Sheet,
    listed,
    sheet,
)
from urcx.reports.book.figures import WIDTH
from urcx.reports.book.plan import PATHS, Plan, Work
from urcx.reports.book.results import Visited
from urcx.reports.figures.plots import forms_figure, paths_figure
from urcx.results.fields import COUNT, Field, Fields, column, shown_as
from urcx.results.numbers import number
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

RULES = ("finkel", "blitz", "masters", "aseb", "murray", "skiriuk")


def states_section(work: Work) -> Section:
    """Return the section on counts and on the closed forms that the sources give for them."""
    plan = work.plan
    rows = [state_spaces(catalogue.path(n), p) for n in PATHS for p in range(1, plan.listed + 1)]
    seven = tiles.diagrams(catalogue.path("bell"), 7)
    intro = Prose(
        "A diagram is an arrangement of both players' pieces, start pools and homes "
        r"included, without a side to move. With a tile \(t\) that light's path crosses "
        r"\(a_t\) times and dark's \(b_t\) times goes the factor \(1 + a_t x + b_t y\); "
        "the product of these over all tiles, divided for pools and homes, has the number "
        r"of diagrams of \(p\) light and \(q\) dark pieces as a coefficient,"
        rf" \[{forms.FORMS['tile-polynomial'].latex}.\] "
        "This is exact for every path, paths that cross a tile twice included.",
        f"So the game with seven pieces on Bell's path has {number(seven)} diagrams. "
        "The next section holds the formula against a program that visits "
        "every diagram and knows no formula. Sources differ in what they count: diagrams, "
        "positions (diagrams with a side to move) or mover views (positions turned so "
        "that light is to move); the second table has all of them.",
    )
    elements: list[Element] = [
        intro,
        _counts(plan),
        _conventions(),
        Picture(
            "figure-4",
            "State spaces over p: exact, and as Figure 4 of Raposo and Lamont has them",
            paths_figure(rows, WIDTH),
            EXACT,
        ),
        _written(),
        _forms(),
    ]
    for name in ("bell", "masters"):
        own = [row for row in rows if row.path.name == name]
        elements.append(_errors(own))
        elements.append(
            Picture(
                f"errors-{name}",
                f"How far the forms are off on {name} as p grows",
                forms_figure(own, WIDTH),
                EXACT,
            )
        )
    return Section("states", "State spaces", tuple(elements))


def _counts(plan: Plan) -> Sheet:
    paths = [catalogue.path(name) for name in PATHS]
    numbers = range(1, plan.listed + 1)
    records = [
        {"path": path.name, "pieces": p, "diagrams": str(tiles.diagrams(path, p)), "how": EXACT}
        for path in paths
        for p in numbers
    ]
    cells = [[str(p), *(number(tiles.diagrams(path, p)) for path in paths)] for p in numbers]
    return sheet(
        "state-spaces",
        "Diagrams, both home included, by path and pieces a side p",
        ["p", *PATHS],
        records,
        EXACT,
        cells=cells,
        notes=["by the tile polynomial; aseb and masters both have 4 private and 12 shared tiles"],
    )


def _conventions() -> Sheet:
    found = {}
    for name in RULES:
        rules = catalogue.ruleset(name)
        found[name] = (rules.pieces, tiles.conventions(rules.path, rules.pieces))
    kinds = list(dict.fromkeys(kind for _, counts in found.values() for kind in counts))
    records = [
        {"rules": name, "pieces": pieces, "convention": kind, "count": str(value), "how": EXACT}
        for name, (pieces, counts) in found.items()
        for kind, value in counts.items()
    ]
    cells = [
        [kind, *(number(counts[kind]) if kind in counts else "-" for _, counts in found.values())]
        for kind in kinds
    ]
    columns = [
        "<convention",
        *(f"{name}, p\u00a0=\u00a0{pieces}" for name, (pieces, _) in found.items()),
    ]
    return sheet(
        "conventions",
        "States of the rule sets in every convention",
        columns,
        records,
        EXACT,
        cells=cells,
        notes=["finished: one player has all pieces home; both home cannot come up in a game"],
    )


def _written() -> Items:
    symbols = (
        r"\(m\) shared tiles, \(n\) private ones a side, \(p\) light and \(q\) dark pieces, \(L\) "
        r"steps; a form of one number has \(q = p\)."
    )
    found = [(form.name, rf"\[{form.latex}\]") for form in forms.FORMS.values()]
    return Items("The forms", (("Symbols", symbols), *found))


FORMS = Fields(
    Field("form", "<form", of="name"),
    Field("source", "<source"),
    Field("status", "<status"),
    Field("domain", "<stated for"),
    Field("note", "<what is wrong with it"),
)


def _forms() -> Sheet:
    title = "Closed forms, and what each of them is"
    return listed("forms", title, FORMS, forms.FORMS.values(), EXACT, stacked=True)


def _errors(rows: list[StateSpace]) -> Sheet:
    names = list(forms.FORMS)
    path = rows[0].path
    records = [
        {
            "path": path.name,
            "pieces": row.pieces,
            "form": name,
            "value": None if value is None else str(value),
            "exact": str(row.exact),
            "relative_error": None if value is None else float(Fraction(value, row.exact) - 1),
        }
        for row in rows
        for name, value in row.forms.items()
    ]
    cells = [
        [str(row.pieces), number(row.exact), *(_error(row, name) for name in names)] for row in rows
    ]
    return sheet(
        f"forms-{path.name}",
        f"Relative errors of the forms on the path {path.name}",
        ["p", "diagrams", *names],
        records,
        EXACT,
        cells=cells,
        notes=[
            "0: the form gives the exact number; -: not stated there",
            "beyond +1000 %: how many times the exact number",
        ],
    )


def _error(row: StateSpace, name: str) -> str:
    value = row.forms[name]
    if value is None:
        return "-"
    if value == row.exact:
        return "0"
    error = Fraction(value, row.exact) - 1
    if error > 10:
        return f"× {float(value / Fraction(row.exact)):.3g}"  # noqa: RUF001 - a sign is meant
    digits = 2
    while error > -1 and f"{float(error):.{digits}%}" == f"{-1:.{digits}%}":
        digits += 1
    return f"{float(error):+.{digits}%}"


def enumeration(work: Work) -> Section:
    """Return the section that compares the formulas with the diagrams that were visited."""
    plan = work.plan
    found = work.visited = list(map(Visited, _enumerated(work)))
    visited = sum(item.count.diagrams for item in found)
    reached = [
        _reach(work, name, p) for name in plan.rules for p in range(1, _most(work, name) + 1)
    ]
    intro = Prose(
        "A depth-first search lists every placement of either side and visits every pair "
        "that does not claim one tile twice. It shares no formula with the last section. "
        f"Here it visited {number(visited)} diagrams one by one, folding each into "
        "a checksum modulo 2^64; branches are the pieces that could move if every roll "
        "were possible, as the post counts them.",
        "What the rules let happen is less than what can be laid out: the second table "
        "counts the states that play can lead to from the start.",
    )
    return Section(
        "enumeration", "Enumeration against formulas", (intro, _visited(found), _reached(reached))
    )


def _enumerated(work: Work) -> list[Count]:
    left = work.plan.visits
    found = []
    for name in PATHS:
        path = catalogue.path(name)
        share = left if name == PATHS[-1] else work.plan.visits // len(PATHS)
        for p in range(1, work.plan.listed + 1):
            size = tiles.diagrams(path, p)
            if size > share:
                break
            share -= size
            left -= size
            update = work.stage(f"visiting {name}, p = {p}", size, "diagrams")
            found.append(count(path, p, threads=work.plan.threads, progress=update))
    return found


VISITED = Fields(
    Field("path", "<path", of="count.path.name"),
    Field("pieces", "p", of="count.pieces"),
    Field("visited", "visited", COUNT, of="count.diagrams"),
    Field("formula", kind=COUNT),
    Field("branches_visited", "branches", COUNT, of="count.branches"),
    Field("branches_formula", kind=COUNT, of="branches"),
    column("mean", lambda item: f"{item.count.mean_branches:.4f}"),
    Field("checksum", "checksum", of=lambda item: f"{item.count.checksum:016x}"),
    Field("agree", "<agrees", shown_as(lambda same: "yes" if same else "NO")),
    column("<forms that give it", lambda item: ", ".join(item.exact_forms)),
)


def _visited(found: Sequence[Visited]) -> Sheet:
    note = "agrees: the tile polynomial gives the same diagrams and the same branches"
    title = "Diagrams visited one by one"
    return listed("enumeration", title, VISITED, found, EXACT, [note])


def _most(work: Work, name: str) -> int:
    longer = name != "finkel"  # the paths of the others have four times as many states
    return max(1, work.plan.reached - longer)


def _reach(work: Work, name: str, pieces: int) -> Reach:
    rules: RuleSet = replace(catalogue.ruleset(name), pieces=pieces)
    return reach(rules, threads=work.plan.threads, stage=work.stage)


REACHED = Fields(
    Field("rules", "<rules", of="rules.name"),
    Field("pieces", "p", of="rules.pieces"),
    Field("convention"),
    Field("unfinished", "unfinished states", COUNT, of="closed_form"),
    Field("reachable", "reachable", COUNT, of="states"),
    Field("unreachable", "unreachable", COUNT),
    Field("plies_to_farthest", "plies to the farthest", of="depth"),
)


def _reached(found: Sequence[Reach]) -> Sheet:
    note = "mover views; found by search from the start, all states marked"
    return listed("reachable", "States that play can reach", REACHED, found, EXACT, [note])

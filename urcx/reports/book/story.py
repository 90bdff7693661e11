"""The first page: the game, five findings, the verdicts, what does not hold; in a minute.

Every number in it is taken from the sections, so from what was computed for this report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from urcx.complexity import forms, tiles
from urcx.published.figures import VERDICTS, Source
from urcx.published.verify import Verdict
from urcx.reports.book.elements import Section, Sheet
from urcx.reports.book.plan import Work
from urcx.reports.book.tree import RULES
from urcx.reports.book.verdicts import MARKS, in_short, printed
from urcx.reports.display.output import grouped, number
from urcx.reports.figures.board_svg import board_svg
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

MOST = 5  # wrong figures of one source that the first page names


@dataclass(frozen=True)
class Finding:
    """A finding: what it is of, its figure, and a sentence or two; ``section`` has the rest."""

    title: str
    figure: str
    text: str
    section: str


@dataclass(frozen=True)
class Wrong:
    """What does not hold of one source: how many figures, some of them, and how many more.

    ``otherwise`` are those that only another reading, form or parameter gives.
    """

    source: str
    contradicted: int
    otherwise: int
    figures: int
    lines: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class Story:
    """The first page. ``verdicts`` are the numbers of figures by verdict, over all sources."""

    game: tuple[str, ...]
    board: str
    board_title: str
    findings: tuple[Finding, ...]
    verdicts: tuple[tuple[str, str, int], ...]
    wrong: tuple[Wrong, ...]


def story(work: Work, sections: Sequence[Section]) -> Story:
    """Return the first page of a report from its other pages; of a section left out, nothing."""
    rules = catalogue.ruleset(RULES)
    there = {section.name for section in sections}
    found = {b.name: b for section in sections for b in section.blocks if isinstance(b, Sheet)}
    judged = work.verdicts if "verification" in there else ()
    total = Counter(v.verdict for _, verdicts in judged for v in verdicts)
    findings: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("enumeration", lambda: _states(rules, found)),
        ("enumeration", lambda: _forms(found)),
        ("tree", lambda: _tree(found)),
        ("perfect", lambda: _beginning(found)),
        ("perfect", lambda: _agents(found)),
    )
    return Story(
        _game(rules),
        board_svg(rules),
        f"{rules.path.title}, the way of {RULES}'s rules",
        tuple(finding() for section, finding in findings if section in there),
        tuple((MARKS[name], name, total[name]) for name in VERDICTS if judged),
        tuple(_wrong(source, verdicts) for source, verdicts in judged),
    )


def _game(rules: RuleSet) -> tuple[str, ...]:
    path, dice = rules.path, rules.dice
    private, shared = path.private[0], path.shared
    star = ["a further roll"] * rules.rosette_grants_roll + ["shelter"] * rules.rosette_protects
    return (
        (
            "Two players race their pieces over a board of "
            f"{len(path.board.tiles)} tiles, as it was played in Mesopotamia 4,500 years ago. "
            f"Here each has {rules.pieces} pieces and {path.length} tiles to go, the numbered "
            f"ones: {private} are only the player's own, on the other {shared} both meet."
        ),
        (
            f"Four dice with two sides, {dice.rolls[0]} to {dice.rolls[-1]} together, say how far "
            "one piece moves. A piece that lands on an enemy sends it back to the start; a "
            f"rosette gives {' and '.join(star) or 'nothing'}; the last roll must be exact. "
            "Who has all pieces home first wins."
        ),
    )


def _states(rules: RuleSet, found: Mapping[str, Sheet]) -> Finding:
    path, pieces = rules.path.name, rules.pieces
    diagrams = tiles.diagrams(rules.path, pieces)
    seen = [
        row
        for row in found["enumeration"].records
        if (row["path"], row["pieces"]) == (path, pieces)
    ]
    counted = (
        " and by visiting each of them" if seen and int(seen[0]["visited"]) == diagrams else ""
    )
    paper = printed("raposo-lamont", "states", path=path, pieces=pieces)
    beside = "" if float(paper.value) == diagrams else f" Raposo and Lamont print {paper.printed}."
    return Finding(
        "How many arrangements there are",
        number(diagrams),
        f"of {pieces} pieces a side, exactly: by a polynomial that holds for every path"
        f"{counted}.{beside}",
        "states",
    )


def _forms(found: Mapping[str, Sheet]) -> Finding:
    rows = found["enumeration"].records
    visited = sum(int(row["visited"]) for row in rows)
    agree = sum(bool(row["agree"]) for row in rows)
    exact = [f for f in forms.FORMS.values() if f.status == "exact" and f.source != "urcx"]
    printed = [f for f in forms.FORMS.values() if f.source != "urcx"]
    return Finding(
        "Formulas against counting",
        f"{len(exact)} of {len(printed)}",
        f"closed forms of the sources are exact. {number(visited)} diagrams were visited one by "
        f"one for this report: {agree} of {len(rows)} games, by path and pieces, have as many as "
        "the polynomial says.",
        "enumeration",
    )


def _tree(found: Mapping[str, Sheet]) -> Finding:
    rows = found["conventions-tree"].records
    agent = rows[0]["agent"]
    values = {row["convention"]: row["log10"] for row in rows if row["agent"] == agent}
    paper = printed("raposo-lamont", "power", b=2.45)
    own, both = values["raposo-lamont"], values["raposo-lamont-both"]
    return Finding(
        "How large the game tree is",
        rf"\(10^{{{min(values.values()):.0f}}}\) to \(10^{{{max(values.values()):.0f}}}\)",
        f"for the same games of {agent}, by {len(values)} conventions. Raposo and Lamont's counts "
        rf"one player's plies, \(10^{{{own:.0f}}}\) here, {paper.printed} in print; by the plies "
        rf"of both, as chess and backgammon are counted, it is \(10^{{{both:.0f}}}\).",
        "tree",
    )


def _beginning(found: Mapping[str, Sheet]) -> Finding:
    openings = [row for row in found["openings"].records if row["rules"] == RULES]
    most = max(openings, key=lambda row: int(row["pieces"]))
    means = [row for row in found["exact-means"].records if row["agent"] == "optimal"]
    long = max(means, key=lambda row: int(row["pieces"]))
    return Finding(
        "What beginning is worth",
        f"{100 * most['opening']:.2f} %",
        f"is the chance to win of who begins {RULES}'s game with {_pieces(most['pieces'])} a "
        f"side, if both play perfectly. With {_pieces(long['pieces'])} such a game takes "
        f"{long['plies']:.1f} plies in the mean.",
        "perfect",
    )


def _agents(found: Mapping[str, Sheet]) -> Finding:
    (name,) = [key for key in found if key.startswith(f"regrets-{RULES}-")][:1]
    rows = sorted(found[name].records, key=lambda row: -float(row["wins"]))
    best, rest = rows[0], rows[1:]
    others = ", ".join(f"{row['agent']} {100 * row['wins']:.1f} %" for row in rest)
    return Finding(
        "What imperfect play costs",
        f"{100 * best['wins']:.1f} %",
        f"of games are won by {best['agent']} against perfect play, with "
        f"{_pieces(best['pieces'])} a side{f'; {others}' if others else ''}. Exact, over all "
        "states; no game is played for it.",
        "perfect",
    )


def _pieces(count: Any) -> str:
    return f"{count} piece" if int(count) == 1 else f"{count} pieces"


def _wrong(source: Source, verdicts: Sequence[Verdict]) -> Wrong:
    contradicted = [v for v in verdicts if v.verdict == VERDICTS[2]]
    # That a slip explains a number of states does not make it the number of states.
    miscounted = [v for v in verdicts if v.verdict == VERDICTS[1] and v.exact is not None]
    places: dict[str, list[Verdict]] = {}
    for verdict in contradicted:
        places.setdefault(verdict.figure.place, []).append(verdict)
    parts = list(places.values())
    lines = [_line([verdict]) for verdict in miscounted]
    lines += [_line(group) for group in parts[:MOST]]
    return Wrong(
        source.title,
        len(contradicted),
        sum(verdict.verdict == VERDICTS[1] for verdict in verdicts),
        len(verdicts),
        tuple(lines),
        max(len(parts) - MOST, 0),
    )


def _line(group: Sequence[Verdict]) -> str:
    """Return what is printed and what is found, of the figures of one place that are wrong."""
    last = group[-1]  # of a table that grows, the one that readers know
    more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
    here = f"here {in_short(last.computed)}" if last.exact is None else f"exactly {last.exact:,}"
    return f"{last.figure.place}: prints {grouped(in_short(last.figure.printed))}, {here}{more}"

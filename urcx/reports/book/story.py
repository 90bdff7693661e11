"""The first page, read in a minute: the game, five findings, the verdicts, what does not hold.

Every number in it comes from what the sections computed for this report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from urcx.complexity import forms, tiles
from urcx.expectations.regret import Judged
from urcx.published.figures import FAILS, INCONSISTENT, OTHERWISE, VERDICTS, Source
from urcx.published.gtc import Played
from urcx.published.verify import Verdict, by_verdict
from urcx.reports.book.elements import Section
from urcx.reports.book.plan import Work
from urcx.reports.book.results import Visited, steady
from urcx.reports.book.tree import RULES
from urcx.reports.book.verdicts import MARKS, in_short, printed
from urcx.reports.figures.board_svg import board_svg
from urcx.results.numbers import counted, grouped, number
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

MOST = 5  # wrong figures per source on the first page


@dataclass(frozen=True)
class Finding:
    """A finding: its subject, its figure, and a sentence or two; ``section`` has the details."""

    title: str
    figure: str
    text: str
    section: str


@dataclass(frozen=True)
class Wrong:
    """What does not hold in one source: the number of figures, examples, and how many more.

    ``counts`` are those of the verdicts that leave something to explain. ``lines`` have a place
    each, with the mark of its verdict; numbers of states are there as well if they hold in another
    reading, as that does not make them the number of states.
    """

    source: str
    counts: tuple[tuple[int, str], ...]
    figures: int
    lines: tuple[tuple[str, str], ...]
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
    """Return the first page of a report, from the results of the sections that it includes."""
    rules = catalogue.ruleset(RULES)
    there = {section.name for section in sections}
    judged = work.verdicts if "verification" in there else ()
    total = by_verdict(v for _, verdicts in judged for v in verdicts)
    findings: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("enumeration", lambda: _states(rules, work.visited)),
        ("enumeration", lambda: _forms(work.visited)),
        ("tree", lambda: _tree(work.played[0])),
        ("perfect", lambda: _beginning(work)),
        ("perfect", lambda: _agents(work.judged[0])),
    )
    return Story(
        _game(rules),
        board_svg(rules),
        f"{rules.path.title}, the path of {RULES}'s rules",
        tuple(finding() for section, finding in findings if section in there),
        tuple((MARKS[name], name, total[name]) for name in VERDICTS if judged),
        tuple(_wrong(source, verdicts) for source, verdicts in judged),
    )


def _game(rules: RuleSet) -> tuple[str, ...]:
    path, dice = rules.path, rules.dice
    private, shared = path.private[0], path.shared
    star = ["a further roll"] * bool(rules.granting) + ["shelter"] * rules.rosette_protects
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


def _states(rules: RuleSet, visited: Sequence[Visited]) -> Finding:
    path, pieces = rules.path.name, rules.pieces
    diagrams = tiles.diagrams(rules.path, pieces)
    counts = [item.count for item in visited]
    seen = [c.diagrams for c in counts if (c.path.name, c.pieces) == (path, pieces)]
    visiting = " and by visiting each of them" if seen[:1] == [diagrams] else ""
    paper = printed("raposo-lamont", "states", path=path, pieces=pieces)
    beside = "" if float(paper.value) == diagrams else f" Raposo and Lamont print {paper.printed}."
    return Finding(
        "How many arrangements there are",
        number(diagrams),
        f"of {pieces} pieces a side, exactly: by a polynomial that holds for every path"
        f"{visiting}.{beside}",
        "states",
    )


def _forms(found: Sequence[Visited]) -> Finding:
    visited = sum(item.count.diagrams for item in found)
    agree = sum(item.agree for item in found)
    theirs = [one for one in forms.FORMS.values() if one.author is not forms.OURS]
    exact = [one for one in theirs if one.status == "exact"]
    printed = [one for one in theirs if not one.reading]
    return Finding(
        "Formulas against counting",
        f"{len(exact)} of {len(printed)}",
        f"closed forms of the sources are exact. {number(visited)} diagrams were visited one by "
        f"one for this report: {agree} of {len(found)} games, by path and pieces, have as many as "
        "the polynomial says.",
        "enumeration",
    )


def _tree(found: Played) -> Finding:
    agent = found.games.light.name
    values = {item.convention.name: item.log10 for item in found.estimates}
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


def _beginning(work: Work) -> Finding:
    openings = [item for item in work.openings if item.rules.name == RULES]
    most = max(openings, key=lambda item: item.rules.pieces)
    means = [item for item in work.means if item.light.name == "optimal"]
    long = max(means, key=lambda item: item.rules.pieces)
    return Finding(
        "What beginning is worth",
        f"{100 * most.opening:.2f} %",
        f"of games by {RULES}'s rules are won by the player who begins, with "
        f"{counted(most.rules.pieces, 'piece')} a side and perfect play by both. With "
        f"{counted(long.rules.pieces, 'piece')} such a game takes "
        f"{steady(long.measured.plies):.1f} plies on average.",
        "perfect",
    )


def _agents(found: Judged) -> Finding:
    wins = {item.agent.name: steady(item.side.wins) for item in found.regrets}
    best, *rest = sorted(wins, key=lambda name: -wins[name])
    others = ", ".join(f"{name} {100 * wins[name]:.1f} %" for name in rest)
    return Finding(
        "What imperfect play costs",
        f"{100 * wins[best]:.1f} %",
        f"of games are won by {best} against perfect play, with "
        f"{counted(found.rules.pieces, 'piece')} a side{f'; {others}' if others else ''}. "
        "Exact, over all states; no game is played for it.",
        "perfect",
    )


def _wrong(source: Source, verdicts: Sequence[Verdict]) -> Wrong:
    counts = by_verdict(verdicts)
    named = (FAILS, INCONSISTENT, OTHERWISE)
    places: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.verdict in named and (verdict.verdict != OTHERWISE or verdict.exact is not None):
            places.setdefault((verdict.figure.place, verdict.verdict), []).append(verdict)
    lines = [(MARKS[verdict], _line(group)) for (_, verdict), group in places.items()]
    return Wrong(
        source.title,
        tuple((counts[name], name) for name in named if counts[name]),
        len(verdicts),
        tuple(lines[:MOST]),
        max(len(lines) - MOST, 0),
    )


def _line(group: Sequence[Verdict]) -> str:
    """Return the printed and the computed values of the wrong figures of one place."""
    last = group[-1]  # the number of pieces that readers know, in a table over several
    more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
    here = f"here {in_short(last.computed)}" if last.exact is None else f"exactly {last.exact:,}"
    return f"{last.figure.place}: prints {grouped(in_short(last.figure.printed))}, {here}{more}"

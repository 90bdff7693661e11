r"""The report of ``urcx report``: one page of results, and their files.

Each part is a function from a `Work` (what to compute, what was computed, progress) to a `Section`
of results. A result is shown by its own report, as in a notebook, with its figure, and written to
``tables`` and ``figures``. The page is about one rule set: the biggest with a full solution, saved
by ``urcx solve`` or passed as a tablebase; without one, finkel.

Nothing is written until all is computed. Then the template in ``reports/templates`` is filled, and
a directory is put in its place by renaming. Times appear under the title and in ``report.json``,
nowhere else. Formulas in texts are LaTeX, between ``\(`` and ``\)``, set as MathML.

To add a part: a function that returns a `Section`, listed in `PARTS`. On paper the page has ten
sheets at most; ``tests/reports/test_page_chromium.py`` counts them.
"""

from __future__ import annotations

import datetime as dt
import platform
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from matplotlib.figure import Figure

from urcx import __version__
from urcx.complexity import forms, tiles
from urcx.engine.compiling import compute_clock
from urcx.engine.compiling import seconds as compile_seconds
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.enumerator import count
from urcx.enumerate.perft import perft
from urcx.enumerate.reach import reach
from urcx.enumerate.state_space import StateSpace, StateSpaces, state_spaces
from urcx.errors import (
    InterruptedRunError,
    TablebaseError,
)
from urcx.expectations.expected import expected
from urcx.expectations.regret import regret
from urcx.published.figures import FAILS, INCONSISTENT, sources
from urcx.published.gtc import gtc
from urcx.published.verify import Verdicts, by_verdict, verify
from urcx.reports.directory import write_files
from urcx.reports.display.mathml import set_formulas
from urcx.reports.display.output import note
from urcx.reports.display.provenance import provenance
from urcx.reports.figures.figure import figure as figure_of
from urcx.reports.figures.game_plots import WIDTH
from urcx.reports.figures.plots import COLOURS, paths_figure, render
from urcx.reports.figures.strategy_plots import journey_figure
from urcx.reports.solutions import Opening, read_solutions
from urcx.results.fields import COUNT, Field, Fields, Format, decimals
from urcx.results.html import html
from urcx.results.numbers import bound_text, count_text, known_digits, number
from urcx.results.result import Report, Result
from urcx.results.writing import csv_text, json_text
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.pictures import board_svg
from urcx.solving.files.kept import saved_solution, saved_solutions
from urcx.solving.files.rgu import is_rgu
from urcx.solving.solution import solve
from urcx.strategy.capture import capture
from urcx.strategy.dice import dice_chances
from urcx.strategy.gain import gain
from urcx.strategy.journey import light_journeys

TITLE = "The complexity of the Royal Game of Ur, recomputed"
PATHS = ("bell", "aseb", "masters", "murray", "skiriuk")
RULE_SETS = ("murray", "skiriuk", "masters", "finkel", "blitz", "aseb")  # the biggest first
LIBRARIES = ("numba", "numpy", "sympy", "matplotlib", "jinja2")
SEQUENCES = ("AA", "AB", "BA", "BB")  # of Raposo and Lamont's Tables 3, 5 and 6, from
GAIN_POSITION = "2/3,6,8/5-4/L"
CAPTURE_POSITION = "1/6/6-6/D"  # of their Figure 7
MOST_JUDGED = 20_000_000  # states in a tablebase used to judge agents

EXACT = "exact"
ROUNDED = "exact but for rounding in 64 bits"
BOUNDS = "between proven bounds"
ESTIMATE = "estimate with 95 % interval"
JUDGED = "exact; means of games: estimate with 95 % interval"


# --- what is computed


@dataclass(frozen=True)
class Plan:
    """The parameters of a report.

    ``listed`` is the largest number of pieces a side of state spaces; ``visits`` the total number
    of diagrams enumerated; ``games`` the number of games of each of ``players``; ``plies`` the
    depth to which the game tree is counted; ``solved`` and ``judged`` are the largest numbers of
    pieces a side for optimal play of the ``rules``, and for exact means; ``judges`` are the agents
    held against optimal play; ``source`` is the one to verify, all if None.
    """

    seed: int = 1
    solutions: tuple[Opening, ...] = ()
    threads: int | None = None
    quick: bool = False
    listed: int = 15
    visits: int = 40_000_000_000
    games: int = 10_000
    players: tuple[str, ...] = ("panda:7", "greedy", "random")
    plies: int = 10
    rules: tuple[str, ...] = ("finkel", "blitz", "masters", "aseb")
    solved: int = 3
    judged: int = 3
    judges: tuple[str, ...] = ("expectimax:3", "gain", "greedy", "random")
    source: str | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that a report depends on, by name."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        own["solutions"] = [solution.file.name for solution in self.solutions if solution.file]
        del own["threads"]  # only affects the running time
        return own

    @property
    def front(self) -> Opening | None:
        """Return the biggest full game among the solutions; None if there is none."""
        full = [solution for solution in self.solutions if solution.is_full]
        return max(full, key=lambda item: item.states, default=None)


def plan(
    *,
    quick: bool = False,
    tablebases: Sequence[Path] = (),
    seed: int = 1,
    threads: int | None = None,
) -> Plan:
    """Return what a report computes, with all saved solutions and the tablebases.

    A saved solution that `read_solutions` refuses is left out, and a note says so.

    Raises
    ------
    TablebaseError, UsageError
        If `read_solutions` refuses a tablebase.
    """
    solutions = read_solutions(tablebases)
    games = {solution.rules.with_pieces for solution in solutions}
    for file in saved_solutions():
        try:
            (saved,) = read_solutions([file])
        except TablebaseError as error:
            note(f"{error}; the report leaves it out")
            continue
        if saved.rules.with_pieces not in games:
            solutions += (saved,)
    full = Plan(seed, solutions, threads)
    if not quick:
        return full
    return replace(
        full, quick=True, visits=2_000_000_000, games=2000, plies=7, solved=2, judged=2,
        judges=("gain", "greedy", "random"),
    )  # fmt: skip


# --- the parts of the page


@dataclass(frozen=True)
class Item:
    """A result on the page: its report, and its figure if it has one.

    ``name`` is that of its files, which have the report ``files`` if the page shows a part of it.
    ``obtained`` says how its numbers were obtained.
    """

    name: str
    title: str
    report: Result
    obtained: str = EXACT
    figure: Figure | None = None
    files: Result | None = None


@dataclass(frozen=True)
class Section:
    """A part of the report: texts, then results; ``name`` is its anchor."""

    name: str
    title: str
    texts: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Book:
    """A report: its game, the answers of its first page, its sections, the seconds of each part."""

    plan: Plan
    rules: RuleSet
    answers: tuple[tuple[str, str, str], ...]  # the section, a question, the answer
    verdicts: Mapping[str, int]
    sections: tuple[Section, ...]
    seconds: Mapping[str, float]


class Work:
    """A plan in progress: the rules in front, the progress callback, and answers so far."""

    def __init__(self, chosen: Plan, stage: Stage = no_progress) -> None:
        self.plan = chosen
        self.rules = catalogue.ruleset("finkel") if chosen.front is None else chosen.front.rules
        self.part = ""
        self.answers: list[tuple[str, str, str]] = []
        self.verdicts: dict[str, int] = {}
        self._stage = stage

    def stage(self, label: str, total: int, unit: str) -> Any:
        """Begin a piece of work; returns the function to call with the amount done."""
        return self._stage(f"{self.part}: {label}" if self.part else label, total, unit)

    def answer(self, section: str, question: str, text: str) -> None:
        """Put an answer on the first page."""
        self.answers.append((section, question, text))

    def small(self, pieces: int) -> RuleSet:
        """Return the rules in front with fewer pieces."""
        return replace(self.rules, pieces=pieces)

    @property
    def options(self) -> dict[str, Any]:
        """Return what all functions take: threads and the progress callback."""
        return {"threads": self.plan.threads, "stage": self.stage}


def states_section(work: Work) -> Section:
    """Return the section on state spaces: forms, enumeration, what can be reached."""
    plan, rows = work.plan, _visited(work)
    own = work.rules.path
    agree = all(row.exact == row.diagrams for row in rows)
    every = _spaces(rows)
    shown = _spaces([row for row in rows if row.path.name == own.name])
    text = (
        "A diagram is an arrangement of both players' pieces, start pools and homes included, "
        r"without a side to move. A tile \(t\) that light's path crosses \(a_t\) times and dark's "
        r"\(b_t\) times has the factor \(1 + a_t x + b_t y\). The product over all tiles, divided "
        "for pools and homes, has the number of diagrams as a coefficient, for every path:"
        rf" \[{forms.FORMS['tile-polynomial'].latex}.\] "
        "A program that knows no formula visits diagrams one by one, and must count as many: for "
        f"this report it visited {number(sum(row.exact for row in rows if row.count))} on "
        f"{len(PATHS)} paths. The polynomial {'gives the same numbers' if agree else 'DIFFERS'}."
    )
    work.answer("states", "How many arrangements of pieces are there?", shown.answer)
    return Section(
        "states",
        "State spaces",
        (text,),
        (
            Item(
                "ssc", f"Closed forms on the path {own.name}, and all paths", shown,
                figure=paths_figure(rows, WIDTH), files=every,
            ),
            Item(
                "conventions", "States of the rule sets, as sources count them",
                _listed(CONVENTIONS, map(catalogue.ruleset, RULE_SETS), NOTES),
            ),
            Item(
                "reach", "States that play can reach",
                reach(work.small(plan.solved), **work.options),
            ),
        ),
    )  # fmt: skip


def _spaces(rows: Sequence[StateSpace]) -> StateSpaces:
    paths = tuple(dict.fromkeys(row.path for row in rows))
    return StateSpaces(paths, tuple(dict.fromkeys(row.pieces for row in rows)), None, rows)


def _visited(work: Work) -> list[StateSpace]:
    """Return all forms of all paths; diagrams are visited as far as each path's share goes."""
    rows = []
    for name in PATHS:
        share = work.plan.visits // len(PATHS)
        for pieces in range(1, work.plan.listed + 1):
            row = state_spaces(catalogue.path(name), pieces)
            share -= row.diagrams
            if share >= 0:
                update = work.stage(f"visiting {name}, p = {pieces}", row.diagrams, "diagrams")
                threads = work.plan.threads
                row = replace(row, count=count(row.path, pieces, threads=threads, progress=update))
            rows.append(row)
    return rows


def _states(kind: str, rules: RuleSet) -> int:
    return tiles.conventions(rules.path, rules.pieces)[kind]


CONVENTIONS = Fields(
    Field("<rules", of="name", key="rules"),
    Field("p", key="pieces"),
    *(
        Field(kind, COUNT, of=partial(_states, kind), key=kind)
        for kind in (
            "diagrams", "diagrams, finished left out", "positions", "mover-view",
            "mover-view, finished left out",
        )
    ),
)  # fmt: skip


NOTES = ("finished: a player has all pieces home; mover-view: turned so that light is to move",)


def _listed(shown: Fields, rows: Iterable[Any], notes: Sequence[str]) -> Report:
    """Return a table of the report's own, with a row for each item."""
    rows = list(rows)
    records = shown.records(rows)
    return Report("urcx.report-table/1", {"rows": records}, records, [shown.table("", rows, notes)])


def tree_section(work: Work) -> Section:
    """Return the section on game-tree complexity: games of several agents, exact means, perft."""
    plan, front = work.plan, work.plan.front
    # The agent finds what is saved; any other file would stand in its name.
    optimal = ("optimal",) if front and front.file == saved_solution(front.rules) else ()
    items: list[Item] = []
    for player in (*plan.players, *optimal):
        tree = gtc(player, rules=work.rules, games=plan.games, seed=plan.seed, **work.options)
        if tree.unfinished or tree.played is None:
            raise InterruptedRunError("interrupted; no report written")
        name, report = tree.played.games.light.name, tree.shown
        shown, figure = (_answer_only(report), None) if items else (report, figure_of(tree))
        file = f"gtc-{re.sub('[^a-z0-9]+', '-', name)}"
        items.append(Item(file, f"Games of {name}", shown, ESTIMATE, figure, report))
    work.answer("tree", "How large is the game tree?", items[0].report.answer)
    exactly = expected("optimal", "optimal", work.small(plan.judged), **work.options)
    counted_tree = perft(work.rules, plan.plies, stage=work.stage)
    text = (
        "No game of this family has to end, so its tree has no size, and every figure is a "
        "convention. A convention names the plies that it counts (of one player or of both, with "
        "or without passes), the dice (by outcomes, by entropy or not at all), and the mean. "
        "Raposo and Lamont count one player's plies for this game, and those of both for chess "
        "and backgammon."
    )
    return Section(
        "tree",
        "Game-tree complexity",
        (text,),
        (
            *items,
            Item("gtc-exact", "All games of optimal play, nothing sampled", exactly, ROUNDED),
            Item("perft", "Nodes of the tree by depth", counted_tree),
        ),
    )


def _answer_only(report: Result) -> Report:
    return Report("", {}, [], answer=report.answer, body=report.body)


OPENINGS = Fields(
    Field("<rules", of="rules.name", key="rules"),
    Field("p", of="rules.pieces", key="pieces"),
    Field("states", COUNT, key="states"),
    Field("first player wins", decimals(12), of="value", key="opening"),
    Field("off by at most", Format(bound_text, none="unknown"), key="bound"),
    Field("<obtained", key="how"),
)


def optimal_section(work: Work) -> Section:
    """Return the section on optimal play: what the start is worth, and what agents lose."""
    plan = work.plan
    openings = sorted((*plan.solutions, *_solved(work)), key=lambda item: -item.states)
    own = [opening for opening in openings if opening.rules.name == work.rules.name]
    first = own[0]  # the most pieces
    work.answer(
        "optimal", "How often does the first player win?",
        f"{first.rules.with_pieces}: the first player wins {100 * first.value:.2f} % of games "
        f"under optimal play ({_precision(first)})",
    )  # fmt: skip
    # Agents are judged in the biggest game whose values are at hand, in urcx's own format.
    small = work.small(plan.judged)
    small_states = _states("mover-view, finished left out", small)
    tables = [
        opening
        for opening in openings
        if opening.file
        and not is_rgu(opening.file)
        and small_states <= opening.states <= MOST_JUDGED
    ]
    rules, file = (tables[0].rules, tables[0].file) if tables else (small, None)
    losses = regret(list(plan.judges), rules, tablebase=file, **work.options)
    work.answer("optimal", "How much do other players lose?", losses.answer)
    text = (
        r"Under optimal play every position has a win probability, \[V(s) = \sum_r P(r) \max_a "
        r"V'(s, r, a),\] the mean over the rolls of the best move's. Values are iterated from the "
        "end of the game until a lower and an upper bound, both proven, meet. With both players' "
        "choices fixed, the same states give exact means: no game is played for the losses below."
    )
    how = (
        BOUNDS if all(opening.bound is not None for opening in openings) else f"{BOUNDS}, if known"
    )
    notes = ["states: canonical views, unfinished; win probability before the first roll"]
    return Section(
        "optimal",
        "Optimal play",
        (text,),
        (
            Item(
                "openings", "Win probability at the start", _listed(OPENINGS, openings, notes), how
            ),
            Item("regret", "Losses against optimal play", losses, ROUNDED),
        ),
    )


def _precision(opening: Opening) -> str:
    if opening.bound is None:
        return "of unknown precision"
    return f"{known_digits(opening.value, opening.bound)}, proven, ± {bound_text(opening.bound)}"


def _solved(work: Work) -> list[Opening]:
    """Solve small games of each rule set, unless their solution is at hand.

    Paths but finkel's take seconds to number, so the quick report has one number of pieces there.
    """
    plan, openings = work.plan, []
    known = {solution.rules.with_pieces for solution in plan.solutions}
    for name in plan.rules:
        most = plan.solved + (name == "finkel" and plan.solved > 1)
        least = plan.solved if plan.quick and name != "finkel" else 1
        for pieces in range(least, most + 1):
            rules = replace(catalogue.ruleset(name), pieces=pieces)
            if rules.with_pieces not in known:
                one = solve(rules, **work.options).solved
                openings.append(Opening(rules, one.states, one.opening, one.gap, "solved here"))
    return openings


def dice_section(work: Work) -> Section:
    """Return the section on dice, a piece's way, gain and captures."""
    rules, finkel = work.rules, catalogue.ruleset("finkel")
    way = light_journeys(rules, range(1, len(rules.path.light) + 2))
    gains = gain(GAIN_POSITION, finkel, sequences=SEQUENCES)
    text = (
        "Chances of the dice are fractions, and so are the rolls and turns of one piece on its "
        "way. The gain of a sequence of pieces is Raposo and Lamont's: tiles walked, plus tiles "
        "captured, less tiles lost."
    )
    return Section(
        "dice",
        "Dice, ways, gain",
        (text,),
        (
            Item("dice", "Chances of each roll", dice_chances()),
            Item(
                "journey", "Rolls and turns to each step", _answer_only(way),
                figure=journey_figure(way, WIDTH), files=way,
            ),
            Item(
                "gain", "Gain of four sequences, in three readings",
                _answer_only(gains), figure=figure_of(gains), files=gains,
            ),
            Item("capture", "Chances to capture", capture(CAPTURE_POSITION, finkel)),
        ),
    )  # fmt: skip


def published_section(work: Work) -> Section:
    """Return the section on published figures that do not hold, or contradict their source."""
    chosen = work.plan.source
    total = sum(len(figures) for source, figures in sources() if chosen in (None, source.name))
    verdicts = verify(chosen, work.stage("figures", total, "figures"))
    wrong = Verdicts(verdicts, only=(INCONSISTENT, FAILS))
    work.verdicts = by_verdict(one for _, judged in verdicts for one in judged)
    work.answer("published", "Do the published figures hold?", wrong.answer)
    text = (
        "Each figure is computed again, to the digits that its source prints. Means of games are "
        "held against their 95 % interval; all else is exact. Those that do not hold, or "
        "contradict another place of their source, stand here with their explanations. All others "
        "are in tables/verify.csv, with other readings in which they hold, or why they are left "
        "undecided."
    )
    return Section(
        "published",
        "Published figures",
        (text,),
        (
            Item(
                "verify", "Figures that do not hold",
                Report("", {}, [], wrong.tables()),
                JUDGED, None, verdicts,
            ),
        ),
    )  # fmt: skip


PARTS: tuple[tuple[str, Callable[[Work], Section]], ...] = (
    ("state spaces", states_section),
    ("game tree", tree_section),
    ("optimal play", optimal_section),
    ("dice", dice_section),
    ("published figures", published_section),
)


def build(chosen: Plan, stage: Stage = no_progress) -> Book:
    """Compute a report; ``stage`` is called when each piece of work begins."""
    work = Work(chosen, stage)
    sections = []
    seconds = {}
    for k, (name, part) in enumerate(PARTS, start=1):
        began = compute_clock()
        work.part = f"{k} of {len(PARTS)}, {name}"
        sections.append(part(work))
        seconds[name] = round(compute_clock() - began, 1)
    sections.append(_colophon(chosen))
    return Book(chosen, work.rules, tuple(work.answers), work.verdicts, tuple(sections), seconds)


def command(chosen: Plan) -> str:
    """Return the command line that repeats a report."""
    files = "".join(
        f" --tablebase {solution.file.name}" for solution in chosen.solutions if solution.file
    )
    return f"urcx report -o report/{' --quick' * chosen.quick}{files} --seed {chosen.seed}"


def _colophon(chosen: Plan) -> Section:
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    repeat = (
        f"Made with urcx {__version__} by: {command(chosen)}. The same version, seed and solutions "
        "give the same page, figures and tables. Only the day and the seconds under the title "
        "differ. The parameters are in report.json."
    )
    made = f"Python {platform.python_version()}, {versions}, {sys.platform} {platform.machine()}."
    return Section("colophon", "How to repeat it", (repeat, made), ())


# --- the page and its files

PAGE = "index.html"
TIMINGS = {
    *("seconds", "compile_seconds", "diagrams_per_second", "updates_per_second"),
    *("peak_memory", "threads"),
}
POINT = 1.75  # CSS pixels: figures that fit a phone are enlarged where there is room
# Colours that the page's style sheet replaces, for light and for dark screens.
VARIABLES = {colour.lower(): f"var(--c{k})" for k, colour in enumerate(COLOURS)} | {
    "#000000": "var(--ink)",
    "#333333": "var(--ink)",
    "#ffffff": "var(--card)",
    "#dddddd": "var(--grid)",
}


def write_report(book: Book, target: Path, stage: Stage = no_progress) -> None:
    """Write a report to a directory that appears when it is complete; raises `UrcxError`.

    ``stage`` is called when drawing begins.
    """
    items = [item for section in book.sections for item in section.items]
    update = stage("drawing", len(items), "results")
    made = provenance(book.plan.seed)
    files: dict[str, bytes] = {PAGE: b""}
    for k, item in enumerate(items, start=1):
        report = item.files or item.report
        lasting = Report(report.schema, timeless(report.document()), timeless(report.records()))
        files[f"tables/{item.name}.csv"] = csv_text(lasting, made).encode()
        files[f"tables/{item.name}.json"] = json_text(lasting, made).encode()
        if item.figure is not None:
            for suffix in ("svg", "png"):
                files[f"figures/{item.name}.{suffix}"] = render(item.figure, suffix)
        update(k)
    files[PAGE] = page(book, set(files)).encode()
    manifest = {
        "version": __version__,
        "parameters": book.plan.parameters(),
        "seconds": book.seconds,
        "compile_seconds": round(compile_seconds(), 1),
        "provenance": made,
    }
    write_files(target, files, manifest)


def timeless(value: Any) -> Any:
    """Return data without what varies from run to run: times and memory."""
    if isinstance(value, Mapping):
        return {key: timeless(item) for key, item in value.items() if key not in TIMINGS}
    if isinstance(value, list | tuple):
        return [timeless(item) for item in value]
    return value


def page(book: Book, files: Iterable[str]) -> str:
    """Return the page, one HTML file that loads nothing, with links to ``files``."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("urcx.reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["formulas"] = lambda text: Markup(set_formulas(text))  # noqa: S704 - escaped there
    environment.filters["html"] = lambda report: Markup(html(report))  # noqa: S704 - escaped there
    environment.filters["svg"] = _svg
    day = dt.datetime.now(tz=dt.UTC).date().isoformat()
    kind = "quick" if book.plan.quick else "full"
    return (
        environment.get_template("report.html.j2").render(
            title=TITLE,
            about=f"urcx {__version__}, {kind} report, seed {book.plan.seed}; {day}, computed in "
            f"{sum(book.seconds.values()):.0f} s",
            book=book,
            board=Markup(board_svg(book.rules)),  # noqa: S704 - drawn here, its texts escaped
            game=_game(book.rules),
            files=sorted(files),
        )
        + "\n"
    )


def _svg(item: Item) -> Mapping[str, Any]:
    """Return an item's figure and its caption, which stands below it on the page, and wraps."""
    assert item.figure is not None
    drawn = inline(render(item.figure, "svg", captioned=False), item.name, item.title)
    caption = " ".join(item.figure.get_supxlabel().split())
    return {
        "drawn": Markup(drawn),  # noqa: S704 - drawn here, labels escaped
        "caption": re.sub(r"\$(.*?)\$", r"\\(\1\\)", caption),
    }


def _game(rules: RuleSet) -> str:
    """Return what the game is, in three sentences."""
    path, dice = rules.path, rules.dice
    stars = ["a second roll"] * bool(rules.granting) + ["shelter"] * rules.rosette_protects
    return (
        f"{rules.title}: two players race {count_text(rules.pieces, 'piece')} each along "
        f"{path.length} tiles, the numbered ones. {path.private[0]} are a player's own; on the "
        f"other {path.shared} both meet. Dice give {dice.rolls[0]} to {dice.rolls[-1]}. A piece "
        "that lands on an enemy sends it back to the start; a rosette gives "
        f"{' and '.join(stars) or 'nothing'}. The first player with all pieces home wins."
    )


def inline(drawn: bytes, prefix: str, label: str) -> str:
    """Return an SVG file as an element of a page: with unique ids, in the colours of its theme.

    ``prefix`` makes its ids unique within the page; ``label`` describes it to screen readers.
    Black, which matplotlib omits as the default, is set by the page's style sheet.
    """
    text = drawn.decode()
    text = text[text.index("<svg") :]
    for rest in (r"<metadata>.*?</metadata>", r"<style.*?</style>", r"<!--.*?-->"):
        text = re.sub(rest, "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'href="#', f'href="#{prefix}-', text)
    text = re.sub(r"url\(#", f"url(#{prefix}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b(?=[;\"])", lambda m: VARIABLES.get(m[0], m[0]), text)
    head, body = text.split(">", 1)
    viewed = re.search(r'viewBox="([^"]*)"', head)
    box = viewed[1] if viewed else "0 0 100 100"
    width = float(box.split()[2]) * POINT
    return (
        f'<svg viewBox="{box}" style="max-width:{width:.0f}px" role="img" '
        f'aria-label="{escape(label)}">{body.strip()}'
    )

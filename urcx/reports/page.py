r"""The report of ``urcx report``: one page of results, and their files.

Each part is a function from a `Work` (the plan, the answers so far, progress) to a `Section` of
results. The page shows a result by its report, as in a notebook, with its figure, and writes both
to ``tables`` and ``figures``. The page is about one rule set: the biggest with a full solution,
saved by ``urcx solve`` or passed as a tablebase, or else finkel.

Nothing is written until everything is computed. Then the template in ``reports/templates`` is
filled, and renaming moves the finished directory to its place. Only the title and ``report.json``
have times. Formulas in texts are LaTeX, between ``\(`` and ``\)``, set as MathML.

To add a part, write a function that returns a `Section`, and list it in `PARTS`. On paper the page
has at most ten sheets, which ``tests/reports/test_page_chromium.py`` counts.
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
from urcx.reports.figures.plots import COLOURS, paths_figure, render
from urcx.reports.figures.strategy_plots import journey_figure
from urcx.reports.solutions import Opening, read_solutions
from urcx.results.fields import COUNT, Field, Fields, Format
from urcx.results.html import html
from urcx.results.numbers import bound_text, number, percent_text
from urcx.results.result import Report, Result
from urcx.results.writing import csv_text, json_text
from urcx.rules import catalogue
from urcx.rules.drawing import rules_in_words
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
SEQUENCES = ("AA", "AB", "BA", "BB")  # of Raposo and Lamont's Tables 3, 5 and 6
GAIN_POSITION = "2/3,6,8/5-4/L"
CAPTURE_POSITION = "1/6/6-6/D"  # of their Figure 7
MOST_JUDGED = 20_000_000  # states in a tablebase used to judge agents

EXACT = "exact"
ROUNDED = "exact, except for rounding in 64 bits"
BOUNDS = "between proven bounds"
ESTIMATE = "estimate with 95 % interval"
JUDGED = "exact; means of games: estimate with 95 % interval"


# --- the plan


@dataclass(frozen=True)
class Plan:
    """The parameters of a report.

    Attributes
    ----------
    seed, threads, quick
        As in `plan`.
    solutions
        Solved games, saved or passed as tablebases.
    listed : int
        The largest number of pieces per side for state spaces.
    visits : int
        The number of configurations to enumerate, on all paths together.
    games, players : int, tuple of str
        The number of games of each of these agents.
    plies : int
        The depth to which the game tree is counted.
    rules, solved : tuple of str, int
        Rule sets to solve, and their largest number of pieces per side.
    judged, judges : int, tuple of str
        The largest number of pieces per side for exact means, and the agents compared with optimal
        play.
    source : str or None
        The source to verify. None verifies all sources.
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
        """Return the biggest full game among the solutions, or None."""
        full = [solution for solution in self.solutions if solution.is_full]
        return max(full, key=lambda item: item.states, default=None)


def plan(
    *,
    quick: bool = False,
    tablebases: Sequence[Path] = (),
    seed: int = 1,
    threads: int | None = None,
) -> Plan:
    """Return the plan of a report, with all saved solutions and the tablebases.

    A saved solution that `read_solutions` refuses is left out, with a note.

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
            note(f"{error} (left out of the report)")
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

    ``name`` is the name of its files. They have the report ``files`` if the page shows only a part.
    ``obtained`` is the kind of its numbers, such as exact or estimate.
    """

    name: str
    title: str
    report: Result
    obtained: str = EXACT
    figure: Figure | None = None
    files: Result | None = None


@dataclass(frozen=True)
class Section:
    """A part of the report: texts, then results. ``name`` is its anchor."""

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
        """Begin a piece of work. Return the function to call with the amount done."""
        return self._stage(f"{self.part}: {label}" if self.part else label, total, unit)

    def answer(self, section: str, question: str, text: str) -> None:
        """Put an answer on the first page."""
        self.answers.append((section, question, text))

    def small(self, pieces: int) -> RuleSet:
        """Return the rules in front with fewer pieces."""
        return replace(self.rules, pieces=pieces)

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of all functions: threads and the progress callback."""
        return {"threads": self.plan.threads, "stage": self.stage}


def states_section(work: Work) -> Section:
    """Return the section on state spaces: forms, enumeration and reachable states."""
    plan, rows = work.plan, _visited(work)
    own = work.rules.path
    agree = all(row.exact == row.diagrams for row in rows)
    every = _spaces(rows)
    front = _spaces([row for row in rows if row.path.name == own.name])
    text = (
        "A configuration is an arrangement of both players' pieces, with start pools and homes, "
        r"but without a side to move. A tile \(t\) that light's path crosses \(a_t\) times and "
        r"dark's path \(b_t\) times has the factor \(1 + a_t x + b_t y\). The product over all "
        "tiles is divided for pools and homes. It has the number of configurations as a "
        rf"coefficient, for every path: \[{forms.FORMS['tile-polynomial'].latex}.\] "
        "A program without any formula visits configurations one by one, as an independent count. "
        f"For this report it visited {number(sum(row.exact for row in rows if row.count))} on "
        f"{len(PATHS)} paths. The polynomial {'gives the same numbers' if agree else 'DIFFERS'}."
    )
    work.answer("states", "How many arrangements of pieces are there?", front.answer)
    return Section(
        "states",
        "State spaces",
        (text,),
        (
            Item(
                "ssc", f"Closed forms on the path {own.name}, and all paths", front,
                figure=paths_figure(rows), files=every,
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
    """Return all forms of all paths. Each path's share of visits limits the enumeration."""
    rows = []
    for name in PATHS:
        share = work.plan.visits // len(PATHS)
        for pieces in range(1, work.plan.listed + 1):
            row = state_spaces(catalogue.path(name), pieces)
            share -= row.diagrams
            if share >= 0:
                update = work.stage(
                    f"visiting {name}, p = {pieces}", row.diagrams, "configurations"
                )
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
        Field(heading, COUNT, of=partial(_states, kind), key=kind)
        for kind, heading in (
            ("diagrams", "configurations"),
            ("diagrams, finished left out", "unfinished"),
            ("positions", "positions"),
            ("mover-view", "canonical views"),
            ("mover-view, finished left out", "unfinished views"),
        )
    ),
)  # fmt: skip


NOTES = (
    "unfinished: no player has all pieces home; canonical views: turned so that light is to move",
)


def _listed(columns: Fields, rows: Iterable[Any], notes: Sequence[str]) -> Report:
    """Return a table that only the report has, with a row for each item."""
    rows = list(rows)
    records = columns.records(rows)
    table = columns.table("", rows, notes)
    return Report("urcx.report-table/1", {"rows": records}, records, [table])


def tree_section(work: Work) -> Section:
    """Return the section on game-tree complexity: games of several agents, exact means, perft."""
    plan, front = work.plan, work.plan.front
    # The agent uses the saved solution. Another file would appear in its name.
    optimal = ("optimal",) if front and front.file == saved_solution(front.rules) else ()
    items: list[Item] = []
    for player in (*plan.players, *optimal):
        tree = gtc(player, rules=work.rules, games=plan.games, seed=plan.seed, **work.options)
        if tree.unfinished or tree.played is None:
            raise InterruptedRunError("interrupted, no report was written")
        name, report = tree.played.games.light.name, tree.shown
        part, figure = (_answer_only(report), None) if items else (report, figure_of(tree))
        file = f"gtc-{re.sub('[^a-z0-9]+', '-', name)}"
        items.append(Item(file, f"Games of {name}", part, ESTIMATE, figure, report))
    work.answer("tree", "How large is the game tree?", items[0].report.answer)
    exact = expected("optimal", "optimal", work.small(plan.judged), **work.options)
    counted_tree = perft(work.rules, plan.plies, stage=work.stage)
    text = (
        "No game of this family has to end, so its tree has no size, and every figure follows a "
        "convention. A convention names the plies that it counts (of one or both players, with or "
        "without passes), the dice (by outcomes, by entropy or not at all), and the mean. Raposo "
        "and Lamont count the plies of one player for this game, and of both players for chess and "
        "backgammon."
    )
    return Section(
        "tree",
        "Game-tree complexity",
        (text,),
        (
            *items,
            Item("gtc-exact", "All games of optimal play, without sampling", exact, ROUNDED),
            Item("perft", "Nodes of the tree by depth", counted_tree),
        ),
    )


def _answer_only(report: Result) -> Report:
    return Report("", {}, [], answer=report.answer, body=report.body)


OPENINGS = Fields(
    Field("<rules", of="rules.name", key="rules"),
    Field("p", of="rules.pieces", key="pieces"),
    Field("states", COUNT, key="states"),
    Field("first player wins", Format(percent_text), of="value", key="opening"),
    Field("error bound", Format(bound_text, none="unknown"), key="bound"),
    Field("<obtained", key="how"),
)


def optimal_section(work: Work) -> Section:
    """Return the section on optimal play: win probability at the start, and agents' losses."""
    plan = work.plan
    openings = sorted((*plan.solutions, *_solved(work)), key=lambda item: -item.states)
    own = [opening for opening in openings if opening.rules.name == work.rules.name]
    first = own[0]  # the most pieces
    work.answer(
        "optimal", "How often does the first player win?",
        f"{first.rules.with_pieces}: the first player wins {percent_text(first.value)} of games "
        f"under optimal play ({_precision(first)})",
    )  # fmt: skip
    # Agents are judged in the biggest game with a tablebase in urcx's format.
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
        r"V'(s, r, a),\] the mean over the rolls of the win probability after the best move. "
        "Values are iterated from the end of the game until a proven lower and a proven upper "
        "bound meet. With both players' choices fixed, the same states give exact means. So the "
        "losses below need no games."
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
    return f"proven, ± {bound_text(opening.bound)}"


def _solved(work: Work) -> list[Opening]:
    """Solve small games of each rule set, unless the plan has their solution.

    Paths other than finkel's take seconds to number, so the quick report has a single number of
    pieces there.
    """
    plan, openings = work.plan, []
    games = {solution.rules.with_pieces for solution in plan.solutions}
    for name in plan.rules:
        most = plan.solved + (name == "finkel" and plan.solved > 1)
        least = plan.solved if plan.quick and name != "finkel" else 1
        for pieces in range(least, most + 1):
            rules = replace(catalogue.ruleset(name), pieces=pieces)
            if rules.with_pieces not in games:
                solution = solve(rules, **work.options).solved
                openings.append(
                    Opening(rules, solution.states, solution.opening, solution.gap, "solved here")
                )
    return openings


def dice_section(work: Work) -> Section:
    """Return the section on dice, the journey of a piece, gain and captures."""
    rules, finkel = work.rules, catalogue.ruleset("finkel")
    way = light_journeys(rules, range(1, len(rules.path.light) + 2))
    gains = gain(GAIN_POSITION, finkel, sequences=SEQUENCES)
    text = (
        "Probabilities of the dice are fractions, and so are the mean rolls and turns of one piece "
        "on its journey. The gain of a sequence of pieces is Raposo and Lamont's: tiles walked, "
        "plus tiles captured, minus tiles lost."
    )
    return Section(
        "dice",
        "Dice, journeys, gain",
        (text,),
        (
            Item("dice", "Probability of each roll", dice_chances()),
            Item(
                "journey", "Rolls and turns to each step", _answer_only(way),
                figure=journey_figure(way), files=way,
            ),
            Item(
                "gain", "Gain of four sequences, in three readings",
                _answer_only(gains), figure=figure_of(gains), files=gains,
            ),
            Item("capture", "Probability of a capture", capture(CAPTURE_POSITION, finkel)),
        ),
    )  # fmt: skip


def published_section(work: Work) -> Section:
    """Return the section on published figures that do not hold or contradict their source."""
    chosen = work.plan.source
    total = sum(len(figures) for source, figures in sources() if chosen in (None, source.name))
    verdicts = verify(chosen, work.stage("figures", total, "figures"))
    wrong = Verdicts(verdicts, only=(INCONSISTENT, FAILS))
    work.verdicts = by_verdict(verdict for _, judged in verdicts for verdict in judged)
    work.answer("published", "Do the published figures hold?", wrong.answer)
    text = (
        "Each figure is computed again, to the digits that its source prints. Means of games are "
        "compared with their 95 % interval, and everything else is exact. This table lists the "
        "figures that do not hold or contradict another place of their source, with explanations. "
        "All others are in tables/verify.csv, with other readings in which they hold, or reasons "
        "why they are undecided."
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
    """Compute a report. ``stage`` is called when each piece of work begins."""
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
    platforms = (
        f"Python {platform.python_version()}, {versions}, {sys.platform} {platform.machine()}."
    )
    return Section("colophon", "How to repeat it", (repeat, platforms), ())


# --- the page and its files

PAGE = "index.html"
TIMINGS = {
    *("seconds", "compile_seconds", "diagrams_per_second", "updates_per_second"),
    *("peak_memory", "threads"),
}
POINT = 1.5  # CSS pixels on wide screens
# Colours that the page's style sheet replaces, for light and dark screens.
VARIABLES = {colour.lower(): f"var(--c{k})" for k, colour in enumerate(COLOURS)} | {
    "#000000": "var(--ink)",
    "#333333": "var(--ink)",
    "#ffffff": "var(--card)",
    "#dddddd": "var(--grid)",
}


def write_report(book: Book, target: Path, stage: Stage = no_progress) -> None:
    """Write a report to a directory that appears when it is complete. Raises `UrcxError`.

    ``stage`` is called when drawing begins.
    """
    items = [item for section in book.sections for item in section.items]
    update = stage("drawing", len(items), "results")
    origin = provenance(book.plan.seed)
    files: dict[str, bytes] = {PAGE: b""}
    for k, item in enumerate(items, start=1):
        report = item.files or item.report
        lasting = Report(report.schema, timeless(report.document()), timeless(report.records()))
        files[f"tables/{item.name}.csv"] = csv_text(lasting, origin).encode()
        files[f"tables/{item.name}.json"] = json_text(lasting, origin).encode()
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
        "provenance": origin,
    }
    write_files(target, files, manifest)


def timeless(value: Any) -> Any:
    """Return data without the values that vary between runs: times and memory."""
    if isinstance(value, Mapping):
        return {key: timeless(item) for key, item in value.items() if key not in TIMINGS}
    if isinstance(value, list | tuple):
        return [timeless(item) for item in value]
    return value


def page(book: Book, files: Iterable[str]) -> str:
    """Return the page: one HTML file that loads nothing, with links to ``files``."""
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
            game=" ".join(rules_in_words(book.rules)),
            files=sorted(files),
        )
        + "\n"
    )


def _svg(item: Item) -> Mapping[str, Any]:
    """Return an item's figure and its caption, which wraps below the figure on the page."""
    assert item.figure is not None
    drawn = inline(render(item.figure, "svg"), item.name, item.title)
    caption = " ".join(item.figure.get_supxlabel().split())
    return {
        "drawn": Markup(drawn),  # noqa: S704 - drawn here, labels escaped
        "caption": re.sub(r"\$(.*?)\$", r"\\(\1\\)", caption),
    }


def inline(drawn: bytes, prefix: str, label: str) -> str:
    """Return an SVG file as an element of a page, with unique ids and the colours of its theme.

    ``prefix`` makes ids unique within the page, and ``label`` describes the figure to screen
    readers. The page's style sheet sets black, which matplotlib omits as the default.
    """
    text = drawn.decode()
    text = text[text.index("<svg") :]
    for rest in (r"<(metadata|title|style)\b.*?</\1>", r"<!--.*?-->"):
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

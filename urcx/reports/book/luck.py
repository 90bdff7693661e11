"""The section on dice, journeys and gain."""

from __future__ import annotations

from collections.abc import Sequence

from urcx.published.figures import sources
from urcx.reports.book.elements import EXACT, Picture, Prose, Section, Sheet
from urcx.reports.book.figures import WIDTH, gain_figure, journey_figure
from urcx.reports.book.plan import PATHS, Work
from urcx.reports.display.output import Report
from urcx.reports.figures.dice_plots import dice_figure
from urcx.reports.strategy.dice import compare_report, distribution_report
from urcx.reports.strategy.gain import capture_report, gain_report
from urcx.reports.strategy.journey import Leg, RushRow, goal_name, journey_report, rush_report
from urcx.reports.strategy.sequences import table_report
from urcx.rules import catalogue
from urcx.rules.position import parse_position
from urcx.strategy.journey import Track, journey, track
from urcx.strategy.rush import rush, simulate_rush
from urcx.strategy.sequences import equal_classes

TABLE_3 = "2/3,6,8/5-4/L"  # the position of Raposo and Lamont's Tables 3, 5 and 6
SEQUENCES = ("AA", "AB", "BA", "BB")
SHOWN = ("binary4", "binary3-0as4", "d6-substitute")  # dice in the figure
FIGURE_7 = "1/6/6-6/D"
TURNS = 106  # of a player in a game, as they have it


def luck(work: Work) -> Section:
    """Return the section on dice and gain."""
    known = catalogue.catalogue()
    dice = list(known.dice.values())
    rules = catalogue.ruleset("finkel")
    way = track(rules)
    legs = [
        Leg(journey(way, step), goal_name(rules.path, step))
        for step in range(1, rules.path.length + 2)
    ]
    gains = gain_report(rules, parse_position(TABLE_3), SEQUENCES, None, "mended")
    captures = capture_report(rules, parse_position(FIGURE_7), None)
    classes = table_report(rules.dice, equal_classes(rules.dice, (2, 3)))
    short = distribution_report(dice)
    rushes = _rushes(work)
    return Section(
        "dice",
        "Dice and gain",
        (
            Prose(
                (
                    (
                        "Chances of the dice are exact fractions throughout. One piece on its way "
                        "is a Markov chain that only goes forward, so expected rolls and turns "
                        "are fractions too; only the simulated column of the rushes is an "
                        "estimate, with its interval, beside the exact chance."
                    ),
                    (
                        "The gain of a sequence of pieces is Raposo and Lamont's: W tiles walked, "
                        "A tiles captured, C tiles lost, G their sum. Their definition, their "
                        "tables and a mean over all rolls are three different things, and all "
                        "three are here."
                    ),
                )
            ),
            *_sheets(short, ("dice", "dice-in-short")),
            Picture(
                "dice",
                "Three kinds of dice",
                dice_figure([known.dice[n] for n in SHOWN], WIDTH),
                EXACT,
            ),
            *_sheets(compare_report(dice, rules), ("dice-compared", "six-sided"), "readings"),
            *_sheets(classes, ("sequences",)),
            *_sheets(journey_report(legs, rules.dice, rules), ("journey",)),
            Picture(
                "journey",
                "Rolls to each step, and the rule of thumb",
                journey_figure([leg.journey for leg in legs], rules),
                EXACT,
            ),
            *_sheets(rushes, ("rush",), obtained=f"{EXACT}; simulated: estimate with interval"),
            *_sheets(gains, ("gain", "gain-terms")),
            Picture(
                "gain",
                "Gain of four sequences, in three readings and as printed",
                gain_figure(gains.data["rows"], _printed()),
                EXACT,
            ),
            *_sheets(captures, ("capture", "hunt"), "hunts"),
        ),
    )


def _sheets(
    report: Report, names: Sequence[str], second: str | None = None, obtained: str = EXACT
) -> list[Sheet]:
    """Return a report's tables under names; the second has the rows that ``second`` names."""
    rest = {k: v for k, v in report.data.items() if not isinstance(v, list | dict)}
    found = []
    for k, (name, table) in enumerate(zip(names, report.tables, strict=False)):
        rows = report.data[second] if k and second else report.records
        found.append(Sheet(name, table, rows, obtained, rest))
    return found


def _rushes(work: Work) -> Report:
    known = catalogue.catalogue()
    rows = []
    particles = work.plan.particles
    done = 0
    update = work.stage("rushing pieces", len(PATHS) * len(known.dice), "rows")
    for name in PATHS:
        path = catalogue.path(name)
        stars = {s for s, tile in enumerate(path.light, 1) if tile in path.board.rosettes}
        for kind in known.dice.values():
            way = Track(kind, path.length, frozenset(stars))
            found = rush(way)
            seen = simulate_rush(way, particles, work.plan.seed) if found.sequences else None
            rows.append(RushRow(path, kind, found, seen))
            done += 1
            update(done)
    return rush_report(rows, TURNS, particles, work.plan.seed)


def _printed() -> dict[str, str]:
    """Return the gains that the paper's Table 3 prints, by sequence."""
    return {
        figure.params["sequence"]: figure.printed
        for source, figures in sources()
        for figure in figures
        if source.name == "raposo-lamont" and figure.place == "Table 3, G"
    }

"""The section on dice, journeys and gain."""

from __future__ import annotations

from urcx.published.figures import sources
from urcx.reports.book.elements import EXACT, Element, Picture, Prose, Section, Sheet
from urcx.reports.book.figures import WIDTH
from urcx.reports.book.plan import PATHS, Work
from urcx.reports.figures.dice_plots import dice_figure
from urcx.reports.figures.strategy_plots import gain_figure, journey_figure
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.strategy.capture import capture
from urcx.strategy.dice import dice_sequences, distribution_report
from urcx.strategy.gain import Gains, gain
from urcx.strategy.journey import compare_dice, legs, path_rushes

TABLE_3 = "2/3,6,8/5-4/L"  # the position of Raposo and Lamont's Tables 3, 5 and 6
SEQUENCES = ("AA", "AB", "BA", "BB")
SHOWN = ("binary4", "binary3-0as4", "d6-substitute")  # dice in the figure
FIGURE_7 = "1/6/6-6/D"


def luck_section(work: Work) -> Section:
    """Return the section on dice and gain."""
    rules = catalogue.ruleset("finkel")
    return Section(
        "dice",
        "Dice and gain",
        (
            Prose(
                "Chances of the dice are exact fractions throughout. One piece on its way "
                "is a Markov chain that only goes forward, so expected rolls and turns "
                "are fractions too; only the simulated column of the rushes is an "
                "estimate, with its interval, beside the exact chance.",
                "The gain of a sequence of pieces is Raposo and Lamont's: W tiles walked, "
                "A tiles captured, C tiles lost, G their sum. Their definition, their "
                "tables and a mean over all rolls are three different things, and all "
                "three are here.",
            ),
            *_dice(rules),
            *_journeys(work, rules),
            *_gains(gain(TABLE_3, rules, sequences=SEQUENCES, reading="mended")),
            *_captures(rules),
        ),
    )


def _sheet(
    name: str,
    report: Report,
    table: int = 0,
    *,
    rows: str = "",
    obtained: str = EXACT,
) -> Sheet:
    """Return a table of a command's report, with its parameters, which are single values.

    Its rows are those of the report, or a list in its JSON by the name ``rows``.
    """
    lists = (list, dict)
    single = {key: value for key, value in report.data.items() if not isinstance(value, lists)}
    records = report.data[rows] if rows else report.records
    return Sheet(name, report.tables[table], records, obtained, single)


def _dice(rules: RuleSet) -> list[Element]:
    known = catalogue.catalogue().dice
    kinds = list(known.values())
    single, compared = distribution_report(kinds), compare_dice(kinds, rules).report()
    return [
        _sheet("dice", single),
        _sheet("dice-in-short", single, 1, rows="summaries"),
        Picture(
            "dice", "Three kinds of dice", dice_figure([known[n] for n in SHOWN], WIDTH), EXACT
        ),
        _sheet("dice-compared", compared),
        _sheet("six-sided", compared, 1, rows="readings"),
        _sheet("sequences", dice_sequences(rules.dice).report()),
    ]


def _journeys(work: Work, rules: RuleSet) -> list[Element]:
    found = legs(rules)
    plan, kinds = work.plan, catalogue.catalogue().dice.values()
    rushes = path_rushes(
        map(catalogue.path, PATHS),
        kinds,
        particles=plan.particles,
        seed=plan.seed,
        progress=work.stage("rushing pieces", len(PATHS) * len(kinds), "rows"),
    )
    return [
        _sheet("journey", found.report()),
        Picture(
            "journey",
            "Rolls to each step, and the rule of thumb",
            journey_figure(found, WIDTH),
            EXACT,
        ),
        _sheet("rush", rushes.report(), obtained=f"{EXACT}; simulated: estimate with interval"),
    ]


def _gains(found: Gains) -> list[Element]:
    report = found.report()
    return [
        _sheet("gain", report),
        _sheet("gain-terms", report, 1),
        Picture(
            "gain",
            "Gain of four sequences, in three readings and as printed",
            gain_figure(found, _printed()),
            EXACT,
        ),
    ]


def _captures(rules: RuleSet) -> list[Element]:
    report = capture(FIGURE_7, rules).report()
    return [_sheet("capture", report), _sheet("hunt", report, 1, rows="hunts")]


def _printed() -> dict[str, str]:
    """Return the gains that the paper's Table 3 prints, by sequence."""
    return {
        figure.params["sequence"]: figure.printed
        for source, figures in sources()
        for figure in figures
        if source.name == "raposo-lamont" and figure.place == "Table 3, G"
    }

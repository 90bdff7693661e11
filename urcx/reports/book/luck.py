"""The section on dice, journeys and gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from urcx.published.figures import sources
from urcx.reports.book.elements import EXACT, Element, Picture, Prose, Section, Sheet
from urcx.reports.book.figures import WIDTH, gain_figure, journey_figure
from urcx.reports.book.plan import PATHS, Work
from urcx.reports.figures.dice_plots import dice_figure
from urcx.reports.strategy import capture, dice, gain, journey, rush, sequences
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.strategy.capture import captures
from urcx.strategy.dice import summary
from urcx.strategy.dice_comparison import compare_dice
from urcx.strategy.gains import Gains, gains
from urcx.strategy.journey import legs
from urcx.strategy.rush import path_rushes
from urcx.strategy.sequences import equal_classes

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
            *_dice(rules),
            *_journeys(work, rules),
            *_gains(gains(TABLE_3, rules, SEQUENCES)),
            *_captures(rules),
        ),
    )


def _sheet(
    name: str,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
    obtained: str = EXACT,
) -> Sheet:
    """Return a table of a command's report, with the parameters that are not lists."""
    single = {key: value for key, value in parameters.items() if not isinstance(value, list)}
    return Sheet(name, table, rows, obtained, single)


def _dice(rules: RuleSet) -> list[Element]:
    known = catalogue.catalogue().dice
    kinds = list(known.values())
    short = list(map(summary, kinds))
    distribution = dice.dice_head("distribution", kinds)
    compared = compare_dice(kinds, rules)
    head = dice.dice_head("compare", kinds) | dice.COMPARE_HEAD.record(compared)
    classes = equal_classes(rules.dice, (2, 3))
    return [
        _sheet("dice", dice.probabilities_table(kinds), dice.probability_rows(kinds), distribution),
        _sheet(
            "dice-in-short",
            dice.summaries_table(short),
            dice.SUMMARIES.records(short),
            distribution,
        ),
        Picture(
            "dice", "Three kinds of dice", dice_figure([known[n] for n in SHOWN], WIDTH), EXACT
        ),
        _sheet(
            "dice-compared",
            dice.compared_table(compared),
            dice.COMPARED.records(compared.rows),
            head,
        ),
        _sheet(
            "six-sided",
            dice.substitutes_table(compared),
            dice.SUBSTITUTES.records(compared.readings),
            head,
        ),
        _sheet(
            "sequences",
            sequences.classes_table(rules.dice, classes),
            sequences.CLASSES.records(classes),
            dice.dice_head("table", [rules.dice]),
        ),
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
        _sheet(
            "journey",
            journey.journey_table(found, rules.dice, rules),
            journey.LEGS.records(found),
            journey.journey_head(rules.dice, rules),
        ),
        Picture(
            "journey",
            "Rolls to each step, and the rule of thumb",
            journey_figure([leg.journey for leg in found], rules),
            EXACT,
        ),
        _sheet(
            "rush",
            rush.rush_table(rushes),
            rush.PATH_RUSHES.records(rushes.rows),
            rush.RUSH.data(rushes),
            f"{EXACT}; simulated: estimate with interval",
        ),
    ]


def _gains(found: Gains) -> list[Element]:
    rows, head = gain.gain_records(found), gain.SCHEMA.data(found)
    return [
        _sheet("gain", gain.gains_table(found), rows, head),
        _sheet("gain-terms", gain.terms_table(found, "mended"), rows, head),
        Picture(
            "gain",
            "Gain of four sequences, in three readings and as printed",
            gain_figure(found, _printed()),
            EXACT,
        ),
    ]


def _captures(rules: RuleSet) -> list[Element]:
    found = captures(FIGURE_7, rules)
    head = capture.SCHEMA.data(found)
    return [
        _sheet("capture", capture.exposures_table(found), capture.capture_records(found), head),
        _sheet("hunt", capture.hunts_table(found.hunts), capture.HUNTS.records(found.hunts), head),
    ]


def _printed() -> dict[str, str]:
    """Return the gains that the paper's Table 3 prints, by sequence."""
    return {
        figure.params["sequence"]: figure.printed
        for source, figures in sources()
        for figure in figures
        if source.name == "raposo-lamont" and figure.place == "Table 3, G"
    }

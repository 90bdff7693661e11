"""The command about dice: dice."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.errors import UsageError
from urcx.reports.display.output import Report, Style, check_plot
from urcx.rules import catalogue
from urcx.rules.load import Catalogue
from urcx.rules.model import Dice

PAPER_ROLLS = 106  # Raposo and Lamont's turns a player in a game

DiceNames = Annotated[
    str | None,
    typer.Option(
        "--dice",
        help="Dice, comma separated; urcx paths lists them. [default: all]",
        autocompletion=opt.complete_dice,
        show_default=False,
    ),
]
RulesOf = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="Take this rule set's dice; with --compare, its path.",
        show_default=False,
        autocompletion=opt.complete_rules,
    ),
]


def dice(
    names: DiceNames = None,
    rules: RulesOf = None,
    sequence: Annotated[
        str | None,
        typer.Option(
            "--sequence",
            help="Probability of these rolls in a row, 122, and which others are as probable.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="All sequences of 2 and 3 rolls, or of --rolls.")
    ] = False,
    total: Annotated[
        int | None,
        typer.Option("--sum", help="Which rolls have this sum.", show_default=False),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            "--counts", help="How probable such counts are: 0:20 or 0:7,1:27.", show_default=False
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            help="How often each roll comes, at this level of confidence: 0.9.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="What the dice do to a piece, and Michon's die.")
    ] = False,
    rolls: Annotated[
        str | None,
        typer.Option(
            "--rolls",
            help="Rolls in a row. [default: 2..3 with --table, 1..3 with --sum, "
            f"{PAPER_ROLLS} with --counts and --interval]",
            show_default=False,
        ),
    ] = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Print how probable rolls are, exactly: single ones, sequences, sums and counts.

    Without a choice, all dice of the catalogue are shown or compared; what is asked of a sequence,
    a sum or counts is answered for binary4.

    urcx dice --sequence 122

    urcx dice --sum 4 --rolls 1..3

    urcx dice --interval 0.9 --rolls 106
    """
    from urcx.reports.strategy import dice as show  # noqa: PLC0415
    from urcx.strategy.dice import summary  # noqa: PLC0415
    from urcx.strategy.dice_comparison import compare_dice  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    check_plot(plot, output)
    given = {
        "--sequence": sequence,
        "--table": "all" if table else None,
        "--sum": None if total is None else str(total),
        "--counts": counts,
        "--interval": interval,
        "--compare": "all" if compare else None,
    }
    what, value = only_one(given)
    if rolls is not None and what in ("", "--sequence", "--compare"):
        raise UsageError("--rolls goes with --table, --sum, --counts or --interval")
    if plot is not None and what:
        raise UsageError(f"--plot draws the distribution; leave out {what}")
    if names is not None and rules is not None and not compare:
        raise UsageError("--dice and --rules both say which dice; leave out one of them")
    known = known_entries(path_file)
    several = what in ("", "--compare")
    # A comparison takes only the path from the rule set.
    found = chosen_dice(names, None if what == "--compare" else rules, known, several=several)
    if len(found) > 1 and not several:
        raise UsageError(f"{what} takes one kind of dice; choose with --dice")
    if what == "--compare":
        game = catalogue.lookup("rule set", known.rules, rules or "finkel")
        style.show(show.compare_report(compare_dice(found, game)))
    elif what:
        style.show(_answer(what, value, found[0], rolls))
    else:
        style.show(show.distribution_report([summary(item) for item in found]))
    if plot is not None:
        from urcx.reports.figures.dice_plots import dice_figure  # noqa: PLC0415
        from urcx.reports.figures.plots import save  # noqa: PLC0415

        save(dice_figure(found), plot)


def only_one(given: dict[str, str | None]) -> tuple[str, str]:
    """Return the one option that has a value, and this, or nothing; raises for several."""
    used = [(name, value) for name, value in given.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(name for name, _ in used)} exclude each other")
    return used[0] if used else ("", "")


def _answer(what: str, value: str, dice: Dice, rolls: str | None) -> Report:
    """Return the report on what an option asks of one kind of dice."""
    from urcx.reports.strategy import sequences as show  # noqa: PLC0415
    from urcx.strategy import frequencies, sequences  # noqa: PLC0415

    if what == "--sequence":
        parsed = sequences.parse_sequence(value, dice)
        return show.sequence_report(sequences.sequence_chance(dice, parsed))
    if what == "--table":
        lengths = opt.parse_range(
            "2..3" if rolls is None else rolls, "rolls", sequences.MAX_SEQUENCE
        )
        return show.table_report(dice, sequences.equal_classes(dice, lengths))
    if what == "--sum":
        lengths = opt.parse_range(
            "1..3" if rolls is None else rolls, "rolls", sequences.MAX_SUM_ROLLS
        )
        return show.sums_report(dice, sequences.sums(dice, int(value), lengths))
    number = _number_of_rolls(rolls, frequencies.MAX_ROLLS)
    if what == "--counts":
        counts = frequencies.parse_counts(value, dice)
        return show.counts_report(dice, frequencies.counts_chance(dice, counts, number))
    level = frequencies.parse_confidence(value)
    return show.interval_report(dice, frequencies.intervals(dice, number, level))


def _number_of_rolls(text: str | None, most: int) -> int:
    values = opt.parse_range(str(PAPER_ROLLS) if text is None else text, "rolls", most)
    if len(values) > 1:
        raise UsageError(f"rolls {text!r}: one number is needed here, not a range")
    return values[0]


def known_entries(file: FilePath | None) -> Catalogue:
    """Return the built-in catalogue, or with a user's file added; raises `CatalogueError`."""
    return catalogue.catalogue() if file is None else catalogue.read_catalogue_file(file)[0]


def chosen_dice(
    names: str | None, rules: str | None, known: Catalogue, *, several: bool
) -> list[Dice]:
    """Return the dice that ``--dice`` and ``--rules`` choose, without repeats."""
    if names is not None:
        wanted = [name.strip() for name in names.split(",")]
        if "" in wanted:
            raise UsageError(f"--dice {names!r}: a name is empty")
        found = [catalogue.lookup("dice", known.dice, name) for name in wanted]
        return list({item.name: item for item in found}.values())
    if rules is not None:
        return [catalogue.lookup("rule set", known.rules, rules).dice]
    return list(known.dice.values()) if several else [known.dice["binary4"]]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("dice", rich_help_panel="Strategy")(dice)

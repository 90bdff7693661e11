"""The commands about dice and pieces: dice, gain, capture."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.options import option
from urcx.errors import UsageError
from urcx.reports.display.output import Style
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.load import Catalogue
from urcx.rules.model import Dice, RuleSet

PAPER_ROLLS = 106  # Raposo and Lamont's number of turns per player and game


@opt.command(wide=True)
def dice(
    names: opt.DiceNames = None,
    rules: Annotated[
        str | None,
        option(
            "--rules", "Take this rule set's dice; with --compare, its path.", opt.rule_set_names
        ),
    ] = None,
    sequence: Annotated[
        str | None,
        option(
            "--sequence",
            "Probability of these rolls in a row, such as 122, and the others with the same.",
        ),
    ] = None,
    table: Annotated[
        bool, option("--table", "All sequences of 2 and 3 rolls, or of --rolls.")
    ] = False,
    total: Annotated[
        int | None,
        option("--sum", "Rolls that have this sum, from 1."),
    ] = None,
    counts: Annotated[
        str | None,
        option("--counts", "Probability of these counts: 0:20 or 0:7,1:27."),
    ] = None,
    interval: Annotated[
        str | None,
        option(
            "--interval",
            "Interval for the count of each roll at this confidence level, between 0 and 1: 0.9.",
        ),
    ] = None,
    compare: Annotated[
        bool, option("--compare", "Compare the dice, and Michon's die, by how fast a piece moves.")
    ] = False,
    rolls: Annotated[
        str | None,
        option(
            "--rolls",
            "Rolls in a row, from 1, at most 250 with --table, 100 with --sum and 10,000 with "
            "--counts and --interval. [default: 2..3 with --table, 1..3 with --sum, "
            f"{PAPER_ROLLS} with --counts and --interval]",
        ),
    ] = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Print exact chances of rolls, of sequences, sums and counts.

    By default all dice of the catalogue are shown or compared, and sequences, sums and counts are
    for binary4.

    urcx dice --sequence 122

    urcx dice --sum 4 --rolls 1..3

    urcx dice --interval 0.9 --rolls 106
    """
    from urcx.strategy.dice import distribution_report
    from urcx.strategy.journey import compare_dice

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
        raise UsageError("--rolls needs --table, --sum, --counts or --interval")
    if plot is not None and what:
        raise UsageError(f"--plot draws the distribution; leave out {what}")
    if names is not None and rules is not None and not compare:
        raise UsageError("--dice and --rules both say which dice; leave out one of them")
    known = catalogue.known_entries(path_file)
    several = what in ("", "--compare")
    # A comparison uses only the rule set's path.
    found = chosen_dice(names, None if what == "--compare" else rules, known, several=several)
    if len(found) > 1 and not several:
        raise UsageError(f"{what} takes one kind of dice; choose with --dice")
    if what == "--compare":
        game = parsing.chosen_rules(rules, path_file)
        style.show(compare_dice(found, game).report())
    elif what:
        style.show(_answer(what, value, found[0], rolls))
    else:
        style.show(distribution_report(found))
    if plot is not None:
        from urcx.reports.figures.dice_plots import dice_figure
        from urcx.reports.figures.plots import save

        save(dice_figure(found), plot)


def only_one(given: dict[str, str | None]) -> tuple[str, str]:
    """Return the only option given and its value, or two empty texts; raises if several are."""
    used = [(name, value) for name, value in given.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(name for name, _ in used)} exclude each other")
    return used[0] if used else ("", "")


def _answer(what: str, value: str, dice: Dice, rolls: str | None) -> Report:
    """Return the report that an option requests for one kind of dice."""
    from urcx.strategy import dice as odds

    if what == "--sequence":
        return odds.dice_sequence(value, dice).report()
    if what == "--table":
        lengths = parsing.parse_range(
            "2..3" if rolls is None else rolls, "rolls", odds.MAX_SEQUENCE
        )
        return odds.dice_sequences(dice, lengths).report()
    if what == "--sum":
        lengths = parsing.parse_range(
            "1..3" if rolls is None else rolls, "rolls", odds.MAX_SUM_ROLLS
        )
        return odds.dice_sums(int(value), dice, lengths).report()
    number = _number_of_rolls(rolls, odds.MAX_ROLLS)
    if what == "--counts":
        counts = odds.parse_counts(value, dice)
        return odds.dice_counts(counts, dice, number).report()
    level = odds.parse_confidence(value)
    return odds.dice_intervals(level, dice, number).report()


def _number_of_rolls(text: str | None, most: int) -> int:
    values = parsing.parse_range(str(PAPER_ROLLS) if text is None else text, "rolls", most)
    if len(values) > 1:
        raise UsageError(f"rolls {text!r}: one number is needed here, not a range")
    return values[0]


def chosen_dice(
    names: str | None, rules: str | None, known: Catalogue, *, several: bool
) -> list[Dice]:
    """Return the dice chosen by ``--dice`` and ``--rules``, without repeats."""
    if names is not None:
        found = [
            catalogue.coerced("dice", Dice, known.dice, name, "binary4", known)
            for name in parsing.names_listed("--dice", names)
        ]
        return parsing.distinct("dice", found)
    if rules is not None:
        return [catalogue.coerced("rule set", RuleSet, known.rules, rules, "finkel", known).dice]
    return list(known.dice.values()) if several else [known.dice["binary4"]]


@opt.command(wide=True)
def gain(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    sequences: Annotated[
        str | None,
        option(
            "--sequences",
            "Sequences of pieces, such as AB,BA. [default: all of two that can happen]",
        ),
    ] = None,
    roll: opt.KnownRoll = None,
    reading: Annotated[
        str,
        option(
            "--reading",
            "Which reading of the paper to list: of its tables, of its text, or mended, a mean "
            "over all rolls.",
            "urcx.strategy.gain:READINGS",
        ),
    ] = "tables",
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Print the gain of sequences, as Raposo and Lamont define it.

    Pieces are labelled from A on, the least advanced first; those in the start pool have separate
    labels. In a sequence, each piece but the first moves only if the move before grants a roll.

    urcx gain A3/C2,B2/5-5/L --sequences BA,BB --roll 2
    """
    import urcx

    result = urcx.gain(position, game, sequences=sequences, roll=roll, reading=reading)
    style.show_result(result, plot)


@opt.command(wide=True)
def capture(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    roll: opt.KnownRoll = None,
    style: Style,
) -> None:
    """Print the exact chances that pieces are captured, now or ever.

    These are for the turn of the player to move; with --roll, for the opponent's turn after each
    move with that roll. If each side has one piece left, also the probability that it ever captures
    the other.

    urcx capture A4/B2/6-6/D
    """
    import urcx

    style.show_result(urcx.capture(position, game, roll=roll))

"""The commands about dice and pieces: dice, journey, rush, gain, capture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.errors import UsageError, exclusive_option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages

if TYPE_CHECKING:
    from urcx.rules.load import Catalogue
    from urcx.rules.model import Dice

PAPER_ROLLS = 106  # Raposo and Lamont's number of turns per player and game
MAX_STEPS = 1000  # of a plain track


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
    from urcx.commands import parsing
    from urcx.rules import catalogue
    from urcx.strategy import rolls as limits
    from urcx.strategy.journey import compare_dice

    questions = {"--sequence": sequence, "--sum": total, "--counts": counts, "--interval": interval}
    flags = {"--table": table or None, "--compare": compare or None}
    question = exclusive_option(**flags, **questions)
    if rolls is not None and question in ("", "--sequence", "--compare"):
        raise UsageError("--rolls needs --table, --sum, --counts or --interval")
    if plot is not None and question:
        raise UsageError(f"--plot draws the distribution; leave out {question}")
    if names is not None and rules is not None and not compare:
        raise UsageError("--dice and --rules both say which dice; leave out one of them")
    several = question in ("", "--compare")
    # A comparison uses only the rule set's path.
    kinds = chosen_dice(
        names, None if compare else rules, catalogue.known_entries(path_file), several=several
    )
    if len(kinds) > 1 and not several:
        raise UsageError(f"{question} takes one kind of dice; choose with --dice")
    if compare:
        style.show(compare_dice(kinds, parsing.chosen_rules(rules, path_file)))
        return
    most = {"--table": limits.MAX_SEQUENCE, "--sum": limits.MAX_SUM_ROLLS}
    largest = most.get(question, limits.MAX_ROLLS)
    numbers = None if rolls is None else parsing.parse_range(rolls, "rolls", largest)
    result = limits.dice_chances(
        kinds,
        sequence=sequence,
        lengths=(numbers or (2, 3)) if table else None,
        sum=total,
        counts=counts,
        confidence=None if interval is None else limits.confidence_level(interval),
        rolls=None if table else numbers,
    )
    style.show(result)
    if plot is not None:
        from urcx.reports.figures.plots import save
        from urcx.reports.figures.strategy_plots import dice_figure

        save(dice_figure(kinds), plot)


def _own_dice(name: str, entries: Catalogue) -> Dice:
    """Return the dice of this name, in the catalogue or the user's file."""
    from urcx.rules import catalogue
    from urcx.rules.model import Dice

    return catalogue.coerced("dice", Dice, entries.dice, name, "binary4", entries)


def chosen_dice(
    names: str | None, rules: str | None, entries: Catalogue, *, several: bool
) -> list[Dice]:
    """Return the dice chosen by ``--dice`` and ``--rules``, without repeats."""
    from urcx.commands import parsing
    from urcx.rules import catalogue
    from urcx.rules.model import RuleSet

    if names is not None:
        kinds = [_own_dice(name, entries) for name in parsing.names_listed("--dice", names)]
        return parsing.distinct("dice", kinds)
    if rules is not None:
        return [
            catalogue.coerced("rule set", RuleSet, entries.rules, rules, "finkel", entries).dice
        ]
    return list(entries.dice.values()) if several else [entries.dice["binary4"]]


@opt.command(wide=True)
def journey(
    rules: opt.Rules = None,
    names: Annotated[
        str | None,
        option("--dice", "Dice in place of the rule set's. [default: those]", opt.dice_names),
    ] = None,
    start: Annotated[
        str,
        option("--from", "Step or tile to begin at, such as 4 or A4; 0 is the start."),
    ] = "0",
    to: Annotated[
        str | None,
        option(
            "--to", "Where to: steps, tiles or home, as in 4,8..10, B4,home. [default: every step]"
        ),
    ] = None,
    tiles: Annotated[
        str | None,
        option(
            "--tiles",
            "Numbers of tiles on a plain track instead, without rosettes or end, such as 1..12; "
            "from 1 to 1000.",
        ),
    ] = None,
    pieces: Annotated[
        str | None,
        option(
            "--pieces -p",
            "Expected time of one player alone with this many pieces, from 1 to 50, and the best "
            "rate; with --within, number of pieces, from 1 to 15. "
            "[default with --within: up to the rule set's]",
        ),
    ] = None,
    within: Annotated[
        int | None,
        option(
            "--within",
            "Probability that a piece stands on --to within this many turns, from 1 to 10, under "
            "best play with --pieces.",
        ),
    ] = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Print the expected rolls and turns of a piece to each step.

    urcx journey --rules finkel --to B4,home

    urcx journey --to B4 --within 6

    urcx journey --pieces 1..7
    """
    import urcx
    from urcx.strategy.alone import MAX_PIECES
    from urcx.strategy.journey import MAX_TILES, MOST_ALONE
    from urcx.strategy.track import Journeys

    chosen = parsing.chosen_rules(rules, path_file)
    from urcx.rules import catalogue

    entries = catalogue.known_entries(path_file)
    most = MOST_ALONE if within is None else MAX_PIECES
    if plot is not None and (within is not None or pieces is not None):
        other = "--pieces" if within is None else "--within"
        raise UsageError(f"--plot draws the rolls of one piece; leave out {other}")
    with stages() as stage:
        result = urcx.journey(
            chosen,
            None if to is None else _goals(to, len(chosen.path.light) + 1),
            int(start) if re.fullmatch("[0-9]{1,9}", start) else start,
            within=within,
            pieces=None if pieces is None else parsing.parse_range(pieces, "pieces", most),
            tiles=None if tiles is None else parsing.parse_range(tiles, "tiles", MAX_TILES),
            dice=None if names is None else _own_dice(names, entries),
            stage=stage,
        )
    if plot is None or not isinstance(result, Journeys):
        style.show(result)
        return
    from urcx.reports.figures.plots import save
    from urcx.reports.figures.strategy_plots import journey_figure

    figure = journey_figure(result)  # or nothing can be drawn
    style.show(result)
    save(figure, plot)


def _goals(text: str, home: int) -> list[int | str]:
    """Return the steps and tiles given by ``--to``: numbers, ranges, tiles and home."""
    goals: list[int | str] = []
    for word in (part.strip() for part in text.split(",")):
        tile = word and not word[:1].isdecimal()
        goals += [word] if tile else parsing.parse_range(word, "--to", home)
    return goals


@opt.command(wide=True)
def rush(
    path: Annotated[
        str | None,
        option(
            "--path",
            "Path or paths, comma separated, or all. [default: all]",
            opt.PATHS,
            several=True,
        ),
    ] = None,
    names: opt.DiceNames = None,
    turns: Annotated[
        int, option("--turns", "Turns per player and game, from 1, to give games per rush.")
    ] = PAPER_ROLLS,
    particles: Annotated[
        int,
        option("--samples", "Pieces to simulate for each row, 40 to 10,000,000; 0 for none."),
    ] = 400_000,
    seed: opt.Seed = 1,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Print the chance to rush a piece home in one turn.

    Both exactly, from the path's rosettes and the dice, and by simulation.

    urcx rush --path masters,aseb --dice binary4
    """
    import urcx
    from urcx.engine.costs import RUSHED, estimate
    from urcx.rules.catalogue import known_entries
    from urcx.strategy.journey import check_samples

    check_samples(particles)
    paths = parsing.chosen_paths("all" if path is None else path, path_file)
    kinds = chosen_dice(names, None, known_entries(path_file), several=True)
    rows = len(paths) * len(kinds)
    what = f"simulating {particles:,} pieces for each of {rows} rows"
    agree(estimate(what, (particles * rows, RUSHED), advice="take fewer --samples"), yes=yes)
    result = urcx.rush(paths, kinds, turns=turns, samples=particles, seed=seed)
    if plot is None:
        style.show(result)
        return
    from urcx.reports.figures.plots import save
    from urcx.reports.figures.strategy_plots import rush_figure

    figure = rush_figure(result)  # or nothing can be drawn
    style.show(result)
    save(figure, plot)


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

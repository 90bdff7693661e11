"""The commands about dice and pieces: dice, journey, rush, gain, capture."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.errors import UsageError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages

if TYPE_CHECKING:
    from urcx.results.report import Report
    from urcx.rules.load import Catalogue
    from urcx.rules.model import Dice, Path, RuleSet

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
    from urcx.commands import parsing
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
    from urcx.commands import parsing

    values = parsing.parse_range(str(PAPER_ROLLS) if text is None else text, "rolls", most)
    if len(values) > 1:
        raise UsageError(f"rolls {text!r}: one number is needed here, not a range")
    return values[0]


def chosen_dice(
    names: str | None, rules: str | None, known: Catalogue, *, several: bool
) -> list[Dice]:
    """Return the dice chosen by ``--dice`` and ``--rules``, without repeats."""
    from urcx.commands import parsing
    from urcx.rules import catalogue
    from urcx.rules.model import Dice, RuleSet

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
    from urcx.commands import parsing
    from urcx.rules import catalogue
    from urcx.rules.model import Dice
    from urcx.strategy import journey as chain

    if within is None:
        what, _ = only_one({"--to": to, "--tiles": tiles, "--pieces": pieces})
    else:
        what, _ = only_one({"--within": "turns", "--tiles": tiles})
    chosen = parsing.chosen_rules(rules, path_file)
    if names is not None:
        known = catalogue.known_entries(path_file)
        own = catalogue.coerced("dice", Dice, known.dice, names, "binary4", known)
        chosen = replace(chosen, dice=own)
    if start != "0" and what in ("--tiles", "--pieces", "--within"):
        raise UsageError(f"--from needs --to, and cannot be combined with {what}")
    if plot is not None and (within is not None or pieces is not None):
        left = "--within" if within is not None else what
        raise UsageError(f"--plot draws the rolls of one piece; leave out {left}")
    if within is not None:
        style.show(_arrivals(chosen, to or "", pieces, within))
    elif pieces is not None:
        style.show(_pieces(chosen, parsing.parse_range(pieces, "pieces", 50)))
    else:
        if tiles is not None:
            numbers = parsing.parse_range(tiles, "tiles", MAX_STEPS)
            found = chain.Journeys(None, chain.plain_journeys(chosen.dice, numbers))
        else:
            first = _first(start, chosen.path)
            steps = None if to is None else _steps(to, chosen.path)
            found = chain.legs(chosen, steps, first)
        if plot is None:
            style.show(found.report())
            return
        from urcx.reports.figures.plots import save
        from urcx.reports.figures.strategy_plots import journey_figure

        drawn = journey_figure(found)  # or nothing can be drawn
        style.show(found.report())
        save(drawn, plot)


def _first(text: str, path: Path) -> int:
    """Return the step given by ``--from``: a number from 0, or a tile."""
    if text[:1].isalpha():
        return _tile_step("--from", text, path)
    last = len(path.light)
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) > last:
        raise UsageError(f"--from {text}: write a tile, or a step from 0 to {last}")
    return int(text)


def _tile_step(option: str, tile: str, path: Path) -> int:
    """Return the step of light's path that is on a tile, if there is only one."""
    found = [s for s, name in enumerate(path.light, start=1) if name == tile]
    if not found:
        home = ", nor home" if option == "--to" else ""
        raise UsageError(f"{option} {tile!r}: no tile of light's path {path.name}{home}")
    if len(found) > 1:
        either = " or ".join(map(str, found))
        raise UsageError(f"{option} {tile!r}: {path.name} crosses it more than once; {either}?")
    return found[0]


def _steps(text: str, path: Path) -> list[int]:
    """Return the steps given by ``--to``: numbers, ranges, tiles and home."""
    from urcx.commands import parsing

    steps: set[int] = set()
    for word in (part.strip() for part in text.split(",")):
        if word == "home":
            steps.add(len(path.light) + 1)
        elif word[:1].isdecimal() or not word:
            steps.update(parsing.parse_range(word, "--to", len(path.light) + 1))
        else:
            steps.add(_tile_step("--to", word, path))
    return sorted(steps)


def _arrivals(rules: RuleSet, to: str, pieces: str | None, turns: int) -> Report:
    from urcx.commands import parsing
    from urcx.strategy.alone import MAX_PIECES, arrivals

    steps = _steps(to, rules.path) if to else []
    if len(steps) != 1:
        raise UsageError("--within needs one step, tile or home: --to B4")
    numbers = None if pieces is None else parsing.parse_range(pieces, "pieces", MAX_PIECES)
    return arrivals(steps[0], rules, within=turns, pieces=numbers).report()


def _pieces(rules: RuleSet, numbers: tuple[int, ...]) -> Report:
    from urcx.strategy.alone import alone

    with stages() as stage:
        return alone(rules, numbers, stage).report()


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
    from urcx.commands import parsing
    from urcx.rules import catalogue
    from urcx.strategy.journey import check_particles, cost, path_rushes

    if turns < 1:
        raise UsageError(f"--turns {turns}: a player has at least one")
    catalogue.seed(seed)
    if particles:
        check_particles(particles)
    known = catalogue.known_entries(path_file)
    paths = parsing.chosen_paths(opt.ALL if path is None else path, path_file)
    kinds = chosen_dice(names, None, known, several=True)
    agree(cost(particles, len(paths) * len(kinds)), yes=yes)
    found = path_rushes(paths, kinds, turns=turns, particles=particles, seed=seed)
    if plot is None:
        style.show(found.report())
        return
    from urcx.reports.figures.plots import save
    from urcx.reports.figures.strategy_plots import rush_figure

    drawn = rush_figure(found)  # or nothing can be drawn
    style.show(found.report())
    save(drawn, plot)


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

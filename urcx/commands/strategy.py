"""The commands for dice and single pieces: dice, journey, rush, gain, capture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.options import option
from urcx.reports.display.output import Style

if TYPE_CHECKING:
    from urcx.rules.model import Dice

PAPER_ROLLS = 106  # Raposo and Lamont's number of turns per player and game


@opt.command(wide=True)
def dice(
    names: opt.DiceNames = None,
    sequence: Annotated[
        str | None,
        option(
            "--sequence",
            "Probability of these rolls in a row, such as 122, and all sequences as likely.",
        ),
    ] = None,
    table: Annotated[
        bool, option("--table", "Probabilities of all sequences of --rolls rolls.")
    ] = False,
    total: Annotated[
        int | None, option("--sum", "Sequences of rolls with this sum, from 1.")
    ] = None,
    counts: Annotated[
        str | None,
        option("--counts", "Probability of these counts among --rolls rolls: 0:20, or 0:7,1:27."),
    ] = None,
    interval: Annotated[
        float | None,
        option(
            "--interval",
            "Intervals for the count of each roll at this level, between 0 and 1, such as 0.9.",
        ),
    ] = None,
    rolls: Annotated[
        str | None,
        option(
            "--rolls",
            "Number of rolls, from 1 (to 100 with --sum, to 10,000 with --counts, --interval). "
            "[default: 2..3 with --table, 1..3 with --sum, "
            f"{PAPER_ROLLS} with --counts and --interval]",
        ),
    ] = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Print exact probabilities of rolls, sequences, sums and counts.

    Without options, the rolls of all dice are printed. Sequences, sums and counts are for the dice
    binary4 unless you choose others.

    urcx dice

    urcx dice --sequence 122

    urcx dice --sum 4 --rolls 1..3

    urcx dice --interval 0.9 --rolls 106
    """
    import urcx
    from urcx.strategy.dice import MAX_ROLLS, MAX_SUM_ROLLS

    questions = sequence, table or None, total, counts, interval
    single = names is None and any(question is not None for question in questions)
    most = MAX_ROLLS if total is None else MAX_SUM_ROLLS
    numbers = None if rolls is None else parsing.parse_range(rolls, "--rolls", most)
    result = urcx.dice_chances(
        _listed_dice("binary4" if single else names, path_file),
        sequence=sequence,
        lengths=(numbers or (2, 3)) if table else None,
        sum=total,
        counts=counts,
        confidence=interval,
        rolls=None if table else numbers,
    )
    style.show_result(result, plot)


def _listed_dice(names: str | None, path_file: Path | None) -> list[Dice]:
    """Return the dice of these names in the catalogue or the user's file, by default all."""
    from urcx.rules import catalogue
    from urcx.rules.model import Dice

    entries = catalogue.read_catalogue(path_file)
    listed = [*entries.dice] if names is None else parsing.names_listed("--dice", names)
    kinds = [
        catalogue.resolve_entry("dice", Dice, entries.dice, name, "binary4", entries)
        for name in listed
    ]
    return parsing.distinct("dice", kinds)


@opt.command(wide=True)
def journey(
    rules: opt.Rules = None,
    names: Annotated[
        str | None,
        option("--dice", "Dice (see urcx paths). [default: as in --rules]", opt.dice_names),
    ] = None,
    start: Annotated[
        str,
        option(
            "--from", "Step or tile where the piece begins, such as 4 or A4 (0 is the start pool)."
        ),
    ] = "0",
    to: Annotated[
        str | None,
        option(
            "--to", "Goals: steps, tiles or home, such as 4,8..10 or B4,home. [default: every step]"
        ),
    ] = None,
    pieces: Annotated[
        str | None,
        option(
            "--pieces -p",
            "Expected time of one player alone to bring this many pieces home, from 1 to 15. With "
            "--within: number of pieces. [default with --within: as in --rules]",
        ),
    ] = None,
    within: Annotated[
        int | None,
        option(
            "--within",
            "Greatest probability of having a piece on --to within this many turns, from 1 to 10.",
        ),
    ] = None,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Print the expected rolls and turns of a piece to each step.

    The piece, or the pieces with --pieces, move without an opponent. --wide adds the times of a
    piece that lands on the step.

    urcx journey --rules finkel --to B4,home

    urcx journey --to B4 --within 6

    urcx journey --pieces 1..7
    """
    import urcx
    from urcx.strategy.journey import MAX_PIECES

    chosen = parsing.chosen_rules(rules, path_file)
    result = urcx.journey(
        chosen,
        None if to is None else _goals(to, len(chosen.path.light) + 1),
        int(start) if re.fullmatch("[0-9]{1,9}", start) else start,
        within=within,
        pieces=None if pieces is None else parsing.parse_range(pieces, "--pieces", MAX_PIECES),
        dice=None if names is None else _listed_dice(names, path_file)[0],
    )
    style.show_result(result, plot)


def _goals(text: str, home: int) -> list[int | str]:
    """Return the goals of ``--to``: steps as numbers, tiles and home as names."""
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
            "Paths, comma separated, or all (see urcx paths). [default: all]",
            opt.PATHS,
            several=True,
        ),
    ] = None,
    names: opt.DiceNames = None,
    turns: Annotated[
        int, option("--turns", "Turns per player and game, from 1, to compute games per rush.")
    ] = PAPER_ROLLS,
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """Print the probability of rushing a piece home in one turn.

    A rush is a piece's journey from start to home in one turn, by extra rolls.

    urcx rush

    urcx rush --path masters,aseb --dice binary4
    """
    import urcx

    paths = parsing.chosen_paths("all" if path is None else path, path_file)
    style.show_result(urcx.rush(paths, _listed_dice(names, path_file), turns=turns))


@opt.command(wide=True)
def gain(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    sequences: Annotated[
        str | None,
        option(
            "--sequences",
            "Sequences of pieces, such as AB,BA. [default: all possible ones of two moves]",
        ),
    ] = None,
    roll: opt.KnownRoll = None,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Print the gain of sequences, as Raposo and Lamont define it.

    The gain is the tiles walked, plus the tiles taken by captures, minus the tiles that the enemy
    may take in reply. Pieces are labelled A, B and so on, the least advanced first. Each piece in
    the start pool has its own label. After the first piece of a sequence, each piece moves only if
    the move before it grants an extra roll.

    urcx gain A3/C2,B2/5-5/L

    urcx gain A3/C2,B2/5-5/L --sequences BA,BB --roll 2
    """
    import urcx

    result = urcx.gain(position, game, sequences=sequences, roll=roll)
    style.show_result(result, plot)


@opt.command(wide=True)
def capture(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    roll: opt.KnownRoll = None,
    style: Style,
) -> None:
    """Print the exact probabilities that pieces are captured.

    The command looks at this turn of the player to move. With --roll, it looks at the opponent's
    next turn instead, after each move for that roll. If each side has one piece left, it also
    prints the probability that each ever captures the other.

    urcx capture A3/C2,B2/5-5/L

    urcx capture A3/C2,B2/5-5/L --roll 4

    urcx capture A4/B2/6-6/D
    """
    import urcx

    style.show_result(urcx.capture(position, game, roll=roll))

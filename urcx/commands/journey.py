"""The commands about the movement of pieces: journey, rush."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.commands.strategy import PAPER_ROLLS, chosen_dice, only_one
from urcx.errors import UsageError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet

MAX_STEPS = 1000  # of a plain track


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
            catalogue.path_names,
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
    from urcx.engine.costs import RUSHED, estimate
    from urcx.strategy.journey import check_particles, path_rushes

    if turns < 1:
        raise UsageError(f"--turns {turns}: a player has at least one")
    catalogue.seed(seed)
    if particles:
        check_particles(particles)
    known = catalogue.known_entries(path_file)
    paths = parsing.chosen_paths(parsing.ALL if path is None else path, path_file)
    kinds = chosen_dice(names, None, known, several=True)
    rows = len(paths) * len(kinds)
    what = f"simulating {particles:,} pieces for each of {rows} rows"
    agree(estimate(what, (particles * rows, RUSHED), advice="take fewer --samples"), yes=yes)
    found = path_rushes(paths, kinds, turns=turns, particles=particles, seed=seed)
    if plot is None:
        style.show(found.report())
        return
    from urcx.reports.figures.plots import save
    from urcx.reports.figures.strategy_plots import rush_figure

    drawn = rush_figure(found)  # or nothing can be drawn
    style.show(found.report())
    save(drawn, plot)

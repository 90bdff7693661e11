"""The commands about dice and single pieces: dice, journey, rush."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.errors import UsageError
from urcx.reports.output import Report, Style, check_plot
from urcx.rules import catalogue
from urcx.rules.load import Catalogue
from urcx.rules.model import Dice, Path, RuleSet

PAPER_ROLLS = 106  # Raposo and Lamont's turns a player in a game
MAX_STEPS = 1000  # of a plain track

DiceNames = Annotated[
    str | None,
    typer.Option(
        "--dice",
        help="Dice, comma separated: binary4, binary3, binary3-0as4, d6-substitute.",
        show_default=False,
    ),
]
RulesOf = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="Take this rule set's dice; with --compare, its path, too.",
        show_default=False,
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
    from urcx.reports import dice as show  # noqa: PLC0415

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
    what, value = _only_one(given)
    if rolls is not None and what in ("", "--sequence", "--compare"):
        raise UsageError("--rolls goes with --table, --sum, --counts or --interval")
    if plot is not None and what:
        raise UsageError(f"--plot draws the distribution; leave out {what}")
    known = _catalogue(path_file)
    several = what in ("", "--compare")
    found = _dice(names, rules, known, several=several)
    if len(found) > 1 and not several:
        raise UsageError(f"{what} takes one kind of dice; choose with --dice")
    if what == "--compare":
        game = catalogue.lookup("rule set", known.rules, rules or "finkel")
        style.show(show.compare_report(found, game))
    elif what:
        style.show(_answer(what, value, found[0], rolls))
    else:
        style.show(show.distribution_report(found))
    if plot is not None:
        from urcx.reports.dice_plots import dice_figure  # noqa: PLC0415
        from urcx.reports.plots import save  # noqa: PLC0415

        save(dice_figure(found), plot)


def _only_one(given: dict[str, str | None]) -> tuple[str, str]:
    """Return the one option that has a value, and this, or nothing; raises for several."""
    used = [(name, value) for name, value in given.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(name for name, _ in used)} exclude each other")
    return used[0] if used else ("", "")


def _answer(what: str, value: str, dice: Dice, rolls: str | None) -> Report:
    """Return the report on what an option asks of one kind of dice."""
    from urcx.reports import dice as show  # noqa: PLC0415
    from urcx.strategy import frequencies, sequences  # noqa: PLC0415

    if what == "--sequence":
        parsed = sequences.parse_sequence(value, dice)
        return show.sequence_report(dice, parsed, sequences.equal_class(dice, parsed))
    if what == "--table":
        lengths = opt.parse_range(rolls or "2..3", "rolls", sequences.MAX_SEQUENCE)
        return show.table_report(dice, sequences.equal_classes(dice, lengths))
    if what == "--sum":
        lengths = opt.parse_range(rolls or "1..3", "rolls", sequences.MAX_SEQUENCE)
        return show.sums_report(dice, sequences.sums(dice, int(value), lengths))
    number = _number_of_rolls(rolls, frequencies.MAX_ROLLS)
    if what == "--counts":
        counts = frequencies.parse_counts(value, dice)
        return show.counts_report(dice, frequencies.counts_chance(dice, counts, number))
    level = frequencies.parse_confidence(value)
    return show.interval_report(dice, frequencies.intervals(dice, number, level))


def _number_of_rolls(text: str | None, most: int) -> int:
    values = opt.parse_range(text or str(PAPER_ROLLS), "rolls", most)
    if len(values) > 1:
        raise UsageError(f"rolls {text!r}: one number is needed here, not a range")
    return values[0]


def _catalogue(file: FilePath | None) -> Catalogue:
    return catalogue.catalogue() if file is None else catalogue.read_catalogue_file(file)[0]


def _dice(names: str | None, rules: str | None, known: Catalogue, *, several: bool) -> list[Dice]:
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


def journey(
    rules: opt.Rules = "finkel",
    names: Annotated[
        str | None,
        typer.Option("--dice", help="Other dice than the rule set's.", show_default=False),
    ] = None,
    start: Annotated[int, typer.Option("--from", help="Step to begin at; 0 is the start.")] = 0,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Where to: steps, tiles or home, as in 4,8..10, B4,home. [default: every step]",
            show_default=False,
        ),
    ] = None,
    tiles: Annotated[
        str | None,
        typer.Option(
            "--tiles",
            help="So many tiles on a plain track instead, without rosettes or end: 1..12.",
            show_default=False,
        ),
    ] = None,
    pieces: Annotated[
        str | None,
        typer.Option(
            "--pieces",
            "-p",
            help="How long one player alone takes with so many pieces, and the best rate; with "
            "--within, so many pieces.",
            show_default=False,
        ),
    ] = None,
    within: Annotated[
        int | None,
        typer.Option(
            "--within",
            help="How probable it is that a piece stands on --to within so many turns, by best "
            "play with --pieces.",
            show_default=False,
        ),
    ] = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Print how many rolls and turns a piece takes to each step, exactly.

    urcx journey --rules finkel --to B4,home

    urcx journey --to B4 --within 6

    urcx journey --pieces 1..7
    """
    from urcx.reports import journey as show  # noqa: PLC0415
    from urcx.strategy import journey as chain  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    if within is None:
        what, _ = _only_one({"--to": to, "--tiles": tiles, "--pieces": pieces})
    else:
        what, _ = _only_one({"--within": "turns", "--tiles": tiles})
    chosen = opt.chosen_rules(rules, path_file)
    if names is not None:
        own = catalogue.lookup("dice", _catalogue(path_file).dice, names)
        chosen = replace(chosen, dice=own)
    if start and what in ("--tiles", "--pieces", "--within"):
        raise UsageError(f"--from goes with --to, not with {what}")
    if within is not None:
        style.show(_arrivals(chosen, to or "", pieces, within))
    elif pieces is not None:
        style.show(_pieces(chosen, opt.parse_range(pieces, "pieces", 50)))
    elif tiles is not None:
        way = chain.Track(chosen.dice)
        numbers = opt.parse_range(tiles, "tiles", MAX_STEPS)
        legs = [
            show.Leg(chain.journey(way, n), f"{n} tiles on" if n > 1 else "1 tile on")
            for n in numbers
        ]
        style.show(show.journey_report(legs, chosen.dice, None))
    else:
        way, path = chain.track(chosen), chosen.path
        last = len(path.light) + 1
        steps = range(start + 1, last + 1) if to is None else _steps(to, path)
        legs = [show.Leg(chain.journey(way, n, start), show.goal_name(path, n)) for n in steps]
        if not legs:
            raise UsageError(f"--from {start}: the path's steps are 0 to {last - 1}")
        style.show(show.journey_report(legs, chosen.dice, chosen))


def _steps(text: str, path: Path) -> list[int]:
    """Return the steps that ``--to`` says: numbers, ranges, tiles and home."""
    steps: set[int] = set()
    for word in (part.strip() for part in text.split(",")):
        if word == "home":
            steps.add(len(path.light) + 1)
        elif word[:1].isdecimal() or not word:
            steps.update(opt.parse_range(word, "--to", len(path.light) + 1))
        else:
            found = [s for s, tile in enumerate(path.light, start=1) if tile == word]
            if not found:
                raise UsageError(f"--to {word!r}: no tile of light's path {path.name}, nor home")
            if len(found) > 1:
                either = " or ".join(map(str, found))
                raise UsageError(f"--to {word!r}: {path.name} crosses it more than once; {either}?")
            steps.update(found)
    return sorted(steps)


def _arrivals(rules: RuleSet, to: str, pieces: str | None, turns: int) -> Report:
    from urcx.reports import journey as show  # noqa: PLC0415
    from urcx.strategy.arrival import MAX_PIECES, arrival  # noqa: PLC0415

    steps = _steps(to, rules.path) if to else []
    if len(steps) != 1:
        raise UsageError("--within needs one step, tile or home: --to B4")
    numbers = opt.parse_range(pieces or f"1..{rules.pieces}", "pieces", MAX_PIECES)
    found = {n: arrival(rules, steps[0], n, turns) for n in numbers}
    return show.arrival_report(rules, steps[0], found)


def _pieces(rules: RuleSet, numbers: tuple[int, ...]) -> Report:
    from urcx.play.alone import plies_alone_each  # noqa: PLC0415
    from urcx.reports import journey as show  # noqa: PLC0415
    from urcx.strategy import journey as chain  # noqa: PLC0415
    from urcx.strategy.throughput import throughput  # noqa: PLC0415

    way = chain.track(rules)
    return show.pieces_report(
        rules,
        numbers,
        plies_alone_each(rules, numbers[-1]),
        plies_alone_each(rules, numbers[-1], max),
        chain.journey(way, len(rules.path.light) + 1).alone,
        throughput(way),
    )


def rush(
    path: Annotated[
        str | None,
        typer.Option(
            "--path", help="Path or paths, comma separated. [default: all]", show_default=False
        ),
    ] = None,
    names: DiceNames = None,
    turns: Annotated[
        int, typer.Option("--turns", help="Turns a player has in a game, for games a rush.")
    ] = PAPER_ROLLS,
    particles: Annotated[
        int, typer.Option("--samples", help="Pieces to simulate for each row; 0 for none.")
    ] = 400_000,
    seed: opt.Seed = 1,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Print how probable it is to rush a piece from the start to home in one turn.

    Exactly, from the path's rosettes and the dice, and by simulation.

    urcx rush --path masters,aseb --dice binary4
    """
    from urcx.reports import journey as show  # noqa: PLC0415
    from urcx.strategy.journey import Track  # noqa: PLC0415
    from urcx.strategy.rush import rush as exactly  # noqa: PLC0415
    from urcx.strategy.rush import simulate_rush  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    if turns < 1:
        raise UsageError(f"--turns {turns}: a player has at least one")
    if seed < 0:
        raise UsageError(f"--seed {seed}: seeds are from 0")
    known = _catalogue(path_file)
    every = ",".join(dict.fromkeys(item.name for item in known.paths.values()))
    paths = opt.chosen_paths(every if path is None else path, path_file)
    rows = []
    for item in paths:
        stars = {s for s, tile in enumerate(item.light, 1) if tile in item.board.rosettes}
        for kind in _dice(names, None, known, several=True):
            way = Track(kind, len(item.light), frozenset(stars))
            found = exactly(way)
            estimate = (
                simulate_rush(way, particles, seed) if particles and found.sequences else None
            )
            rows.append(show.RushRow(item, kind, found, estimate))
    style.show(show.rush_report(rows, turns, particles, seed))


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    for name, function in (("dice", dice), ("journey", journey), ("rush", rush)):
        app.command(name, rich_help_panel="Strategy")(function)

"""The commands about games: play, review, openings, match, moves, show, agents, engine."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import combinations_with_replacement
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.errors import TooLargeError, UsageError
from urcx.reports.display.output import Style, check_writable, note
from urcx.reports.display.progress import progress_bars
from urcx.reports.display.provenance import provenance
from urcx.results.numbers import count_text
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.agents.agents import Agent
    from urcx.engine.threads import Stage
    from urcx.played.record import PlayedGame
    from urcx.rules.catalogue import RuleSources
    from urcx.rules.model import RuleSet
    from urcx.solving.probing import WinningChances

YOU = "you"
MOST_SECONDS = 3600.0
SEEDS = 10**9  # of which one is drawn where none is given
TABLEBASE = (
    "A tablebase or .rgu file, for the chances of winning. [default: what urcx solve has kept; "
    "small rule sets are solved at once]"
)


def play(
    context: typer.Context,
    rules: opt.SolvedRules = None,
    pieces: opt.SolvedPieces = None,
    against: Annotated[
        str | None,
        option(
            "--against",
            "Who plays against you: NAME[:DEPTH][:LEAF][:TIES], engine:COMMAND or FILE.py:NAME. "
            "[default: optimal where the chances are known, else learned or expectimax]",
            opt.KINDS,
        ),
    ] = None,
    side: Annotated[
        str, option("--side", "Your side: light, which begins, or dark.", ("light", "dark"))
    ] = "light",
    tablebase: Annotated[FilePath | None, option("--tablebase", TABLEBASE)] = None,
    save: Annotated[
        FilePath | None,
        option("--output -o --save", "Keep the game in a new file. [default: --resume's]"),
    ] = None,
    resume: Annotated[FilePath | None, option("--resume", "Go on with the game of a file.")] = None,
    seed: Annotated[
        int | None, option("--seed", "Seed of the dice, from 0. [default: one that is drawn]")
    ] = None,
    show: Annotated[bool, option("--show", "Watch two agents.")] = False,
    light: Annotated[
        str | None,
        option("--light", "With --show, who plays light. [default: --against]", opt.KINDS),
    ] = None,
    dark: Annotated[
        str | None, option("--dark", "With --show, who plays dark. [default: --against]", opt.KINDS)
    ] = None,
    pace: Annotated[
        float,
        option("--pace", "With --show, seconds between plies in a terminal, from 0 to 3600."),
    ] = 1.0,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
) -> None:
    """Play a game in the terminal, or watch two agents.

    Choose moves by number, tile or step; ? gives a hint, h lists everything else. In a pipe,
    moves are read from its lines.

    urcx play --against greedy --seed 7 -o game.txt

    urcx play -p 2 --show --light greedy --dark gain --seed 7

    yes 1 | urcx play -p 1 --seed 4
    """
    from urcx.commands import parsing

    if not show:
        opt.reject_options(context, "needs --show", "light", "dark", "pace")
    else:
        opt.reject_options(context, "cannot be combined with --show", "side")
    if side not in ("light", "dark"):
        raise UsageError(f"--side {side!r}: light or dark")
    if not 0.0 <= pace <= MOST_SECONDS:
        raise UsageError(f"--pace {pace:g}: from 0 to {MOST_SECONDS:.0f} seconds")
    if resume is not None:
        opt.reject_options(context, "cannot be combined with --resume", "rules", "pieces", "seed")
    from urcx.commands.session import Session, check_new

    began = _begun(resume, tablebase, path_file) if resume else None
    chosen = began.rules if began else parsing.solved_rules(rules, pieces, tablebase, path_file)
    if save is not None and save != resume:
        check_new(save)
    check_writable(save or resume)
    if began is not None and began.is_over:
        raise UsageError(f"{resume}: the game is over; urcx review {resume} shows it")
    with ExitStack() as stack:
        known = _known(stack, chosen, tablebase, yes=yes)
        if show:
            agents = {
                "light": _agent(light or against, chosen, known),
                "dark": _agent(dark or against, chosen, known),
            }
        else:
            agents = _opponent(began, side, against, chosen, known)
        if began is None:
            names = {one: agents[one].name if one in agents else YOU for one in ("light", "dark")}
            began = _new(chosen, names, seed)
        elif began.seed is None:
            began = began.with_seed(secrets.randbelow(SEEDS))
        Session(began, agents, known, save or resume, pace).run()


def _begun(file: FilePath, tablebase: FilePath | None, path_file: FilePath | None) -> PlayedGame:
    from urcx.commands import parsing
    from urcx.reading import STDIN

    if str(file) == STDIN:
        raise UsageError(f"--resume {STDIN}: moves come from there; name the game's file")
    return _read(file, parsing.rule_sources(None, None, tablebase, path_file))


def _read(file: FilePath, sources: RuleSources) -> PlayedGame:
    """Return the game of a file, after notes on what contradicts its rules."""
    from urcx.played.notation import read_game

    result = read_game(file, sources)
    for line in sources.notes:
        note(line)
    return result


def _new(rules: RuleSet, names: dict[str, str], seed: int | None) -> PlayedGame:
    from urcx.played.record import PlayedGame

    today = datetime.now(UTC).astimezone().date().isoformat()
    drawn = secrets.randbelow(SEEDS) if seed is None else seed
    return PlayedGame(rules, light=names["light"], dark=names["dark"], date=today, seed=drawn)


def _known(
    stack: ExitStack, rules: RuleSet, tablebase: FilePath | None, *, yes: bool
) -> WinningChances | None:
    """Return what knows the chances of winning: a file, or a small rule set solved at once.

    None where neither is there.
    """
    from urcx.played.values import open_chances
    from urcx.solving.files.kept import find_solution, saved_solution_note, solving

    if tablebase is None:
        try:
            before = find_solution(rules)
        except TooLargeError:
            return None
        if before is None:
            confirm_long_run(solving(rules), yes=yes)
    with progress_bars() as stage:
        known = stack.enter_context(open_chances(rules, tablebase, stage=stage))
    if tablebase is None and before is not None:
        note(saved_solution_note(before))
    return known


def _agent(text: str | None, rules: RuleSet, known: WinningChances | None) -> Agent:
    """Return the agent that a text names; perfect play by what is known, if that is asked for."""
    from urcx.agents.agents import agent
    from urcx.game import Game
    from urcx.played.players import opponent, perfect

    if text is None:
        return opponent(rules, known)
    result = agent(text)
    if known is not None and result.by_solution:
        return perfect(known, result)
    # Prepares it, so that one who cannot play these rules is refused before the game begins.
    result.move_probabilities(Game(rules), max(rules.dice.rolls))
    return result


def _opponent(
    began: PlayedGame | None,
    side: str,
    against: str | None,
    rules: RuleSet,
    known: WinningChances | None,
) -> dict[str, Agent]:
    """Return the agent who plays against a person, by its side; those of a game that goes on."""
    if began is not None and began.dark == YOU != began.light:
        side = "dark"
    other = "dark" if side == "light" else "light"
    if began is not None and against is None:
        named = began.player(other)
        try:
            return {other: _agent(named, rules, known)}
        except UsageError:
            note(f"{named} is no agent here; another one plays {other}, as --against would say")
    return {other: _agent(against, rules, known)}


@opt.command(wide=True)
def review(
    files: Annotated[
        list[FilePath],
        argument(
            "FILE",
            "Games in our notation, in RGN, in RoyalUr's JSON, or as its examples print them, any "
            "number in a file; - reads standard input.",
        ),
    ],
    tablebase: Annotated[FilePath | None, option("--tablebase", TABLEBASE)] = None,
    rules: Annotated[
        str | None,
        option(
            "--rules",
            "Rule set, where a game does not say it. [default: the game's, else the tablebase's, "
            "else the only one of --path-file, else finkel]",
            opt.rule_set_names,
        ),
    ] = None,
    pieces: opt.RulesPieces = None,
    moves: Annotated[bool, option("--moves", "List the moves only, without chances.")] = False,
    save: Annotated[
        FilePath | None,
        option(
            "--save",
            "Also write the game: .txt, .rgn or .royalur.json, to be read again, .json or a "
            "drawing, .svg.",
        ),
    ] = None,
    plot: opt.Plot = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    *,
    context: typer.Context,
    style: Style,
) -> None:
    """Review games: chances at every ply, mistakes, luck and skill.

    urcx review game.txt --tablebase finkel.urcx

    urcx review game.txt --moves --save game.svg

    urcx review *.rgn --csv

    Of several games it says each player's accuracy, what a decision cost and what the dice gave,
    and has a line a game.
    """
    from urcx.commands import parsing
    from urcx.played.notation import games_of
    from urcx.played.review import review as reviewed

    if moves and (plot is not None or tablebase is not None):
        raise UsageError("--plot and --tablebase cannot be combined with --moves")
    check_writable(save)
    sources = parsing.rule_sources(rules, pieces, tablebase, path_file)
    games = games_of(files, sources)
    note(*dict.fromkeys(sources.notes))
    if len(games) > 1:
        opt.reject_options(
            context, f"takes one game; here are {len(games):,}", "moves", "save", "plot"
        )
        several = [*games.values()]
        with _solved(several, tablebase, yes=yes) as stage:
            found = reviewed(several, tablebase, names=[*games], stage=stage)
        style.show(found)
        return
    (game,) = games.values()
    if save is not None:
        game.save(save, provenance(game.seed))
        note(f"wrote {save}")
    if moves:
        style.show(game)
        return
    with _solved([game], tablebase, yes=yes) as stage:
        one = reviewed(game, tablebase, stage=stage)
    style.show(one)
    if plot is not None:
        from urcx.reports.figures.game_plots import review_figure
        from urcx.reports.figures.plots import save as draw

        draw(review_figure(one), plot)


@contextmanager
def _solved(
    games: Sequence[PlayedGame], tablebase: FilePath | None, *, yes: bool
) -> Iterator[Stage]:
    """Give the stages of a review: asks before games are solved, and names what is kept of them."""
    from urcx.engine.costs import REVIEWED, estimate
    from urcx.solving.files.kept import find_solution, saved_solution_note, solving

    plies = sum(len(game.plies) for game in games)
    what = f"reviewing {plies:,} plies of {count_text(len(games), 'game')}"
    kept, work = [], [estimate(what, (plies, REVIEWED), advice="review fewer games")]
    for rules in dict.fromkeys(game.rules for game in games) if tablebase is None else ():
        file = find_solution(rules)
        if file is None:
            work.append(solving(rules))
        else:
            kept.append(saved_solution_note(file))
    confirm_long_run(*work, yes=yes)
    with progress_bars() as stage:
        yield stage
    note(*kept)


@opt.command(wide=True)
def openings(
    *,
    position: opt.OnePosition,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    plies: Annotated[int, option("--plies", "How many rolls in a row, from 1 to 5.")] = 2,
    threads: opt.Threads = None,
    style: Style,
) -> None:
    """Find the best reply to every sequence of rolls.

    urcx openings -p 3 --plies 1

    urcx openings A3/C2/0-0/L -p 2
    """
    import urcx
    from urcx.commands import parsing

    parsing.check_solution(tablebase, game)
    with progress_bars() as stage:
        result = urcx.openings(
            game, position, plies=plies, tablebase=tablebase, threads=threads, stage=stage
        )
    style.show_result(result)


@opt.command(wide=True)
def match(
    *,
    game: opt.Game,
    agents: Annotated[
        list[str],
        argument("AGENT", "NAME[:DEPTH][:LEAF][:TIES], engine:COMMAND or FILE.py:NAME.", opt.KINDS),
    ],
    games: Annotated[
        int, option("--games -g", "Games of each pair, from 2 to 100,000,000.")
    ] = 10_000,
    habits: Annotated[bool, option("--habits", "Also print habits of the agents.")] = False,
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Play every two agents against each other: shares of wins.

    Each agent has each colour in half the games of a pair; a coin decides who begins.

    urcx match random greedy expectimax:3 --games 10000
    """
    import urcx
    from urcx.agents.agents import agent
    from urcx.agents.policies import Policies
    from urcx.commands.estimates import playing

    players = [agent(text) for text in agents]
    ready = Policies(game, games * len(agents), method=method, keep=not no_cache, threads=threads)
    pairs = combinations_with_replacement(players, 2)
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        confirm_long_run(*playing(ready, pairs, games, executor), yes=yes)
        result = urcx.match(
            players,
            game,
            games=games,
            habits=habits,
            seed=seed,
            method=method,
            no_cache=no_cache,
            threads=threads,
            executor=executor,
            stage=stage,
        )
    style.show_result(result, plot)


@opt.command(wide=True)
def moves(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    roll: opt.OnlyRoll = None,
    agent: Annotated[
        str | None,
        option("--agent", "Show how this agent values the moves.", opt.KINDS),
    ] = None,
    style: Style,
    yes: opt.Yes = False,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves A3/C2,B2/5-5/L --roll 2 --agent panda
    """
    from urcx.agents.advice import choices
    from urcx.rules.position import as_position

    adviser, notes = None, list[str]()
    if agent is not None:
        from urcx.agents.advice import Adviser
        from urcx.agents.agents import agent as as_agent
        from urcx.agents.policies import SEARCH_GROWTH
        from urcx.engine.costs import SEARCHED, estimate
        from urcx.solving.files.kept import find_solution, solving

        asked = as_agent(agent)
        plies = max((asked.plays.depth or 1) - 1, 0)
        work = estimate(
            f"looking {plies} plies ahead from one position of {game.name}",
            (SEARCH_GROWTH**plies * len(game.dice.rolls), SEARCHED),
            advice="take a lower depth, as in panda:3",
        )
        if asked.by_solution and find_solution(game) is None:
            work = solving(game)
        confirm_long_run(work, yes=yes)
        adviser = Adviser(asked, game)
        notes = adviser.notes
    style.show(choices(as_position(position, game), game, roll, adviser))
    note(*notes)


@opt.command(csv=False)
def show(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    style: Style,
) -> None:
    """Draw a position on its board.

    urcx show A3/C2,B2/5-5/L
    """
    from urcx.rules.drawing import BoardView
    from urcx.rules.position import as_position, check

    place = as_position(position, game)
    check(place, game.path, game.pieces)
    style.show(BoardView(game, place))


@opt.command()
def agents_(*, style: Style) -> None:
    """List the agents that play: depth, leaf value and tie rule.

    urcx agents
    """
    from urcx.agents.kinds import KINDS, AgentKinds

    style.show(AgentKinds(KINDS.values()))


def engine(
    agent: Annotated[
        str | None,
        argument(
            "AGENT",
            "Who plays: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME. [default: optimal where the "
            "chances are known, else learned or expectimax]",
            opt.KINDS,
        ),
    ] = None,
    path_file: opt.PathFile = None,
) -> None:
    """Play for other programs, by the protocol of engines.

    It reads commands from standard input, a line each, and writes answers to standard output; the
    page on engines has the protocol. urcx match takes any program that speaks it as an agent,
    engine:COMMAND.

    echo urgi | urcx engine greedy
    """
    from urcx.agents.agents import agent as as_agent
    from urcx.commands.conversation import Conversation, lines
    from urcx.rules import catalogue

    known = catalogue.read_catalogue(path_file).rules
    player = None if agent is None else as_agent(agent)
    with ExitStack() as stack:
        conversation = Conversation(player, known, stack)
        for line in lines():
            words = line.split()
            if words[:1] == ["quit"]:
                return
            sys.stdout.write("".join(f"{answer}\n" for answer in conversation.answers(words)))
            sys.stdout.flush()

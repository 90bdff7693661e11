"""The commands for games: play, review, openings, match, moves, show, agents, engine."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
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

MOST_SECONDS = 3600.0
SEEDS = 10**9  # the seed of a game without --seed is drawn below this
TABLEBASE = (
    "Tablebase or .rgu file for win probabilities. [default: the saved solution; small rule sets "
    "are solved at once]"
)


def play(
    context: typer.Context,
    rules: opt.SolvedRules = None,
    pieces: opt.SolvedPieces = None,
    against: Annotated[
        str | None,
        option(
            "--against",
            "Your opponent: NAME[:DEPTH][:LEAF][:TIES], engine:COMMAND or FILE.py:NAME. [default: "
            "optimal if the rule set is solved, otherwise learned or expectimax]",
            opt.KINDS,
        ),
    ] = None,
    side: Annotated[
        str, option("--side", "Your side: light (moves first) or dark.", ("light", "dark"))
    ] = "light",
    tablebase: Annotated[FilePath | None, option("--tablebase", TABLEBASE)] = None,
    save: Annotated[
        FilePath | None,
        option("--output -o --save", "Save the game in a new file. [default: as in --resume]"),
    ] = None,
    resume: Annotated[
        FilePath | None, option("--resume", "Continue the game in this file.")
    ] = None,
    seed: Annotated[
        int | None, option("--seed", "Seed of the dice, from 0. [default: random]")
    ] = None,
    show: Annotated[bool, option("--show", "Watch two agents play.")] = False,
    light: Annotated[
        str | None,
        option("--light", "With --show, agent for light. [default: --against]", opt.KINDS),
    ] = None,
    dark: Annotated[
        str | None, option("--dark", "With --show, agent for dark. [default: --against]", opt.KINDS)
    ] = None,
    pace: Annotated[
        float,
        option("--pace", "With --show, seconds between plies in a terminal, from 0 to 3600."),
    ] = 1.0,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
) -> None:
    """Play a game in the terminal, or watch two agents.

    Choose a move by its number, tile or step. Type ? for a hint, and h for all other commands. You
    can also pipe moves in, one per line.

    urcx play

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
        raise UsageError(f"--side {side!r}: must be light or dark")
    if not 0.0 <= pace <= MOST_SECONDS:
        raise UsageError(f"--pace {pace:g}: must be from 0 to {MOST_SECONDS:.0f} seconds")
    if resume is not None:
        opt.reject_options(context, "cannot be combined with --resume", "rules", "pieces", "seed")
    from urcx.commands.session import Session, check_new
    from urcx.played.record import YOU

    game = _resumed_game(resume, tablebase, path_file) if resume else None
    chosen = game.rules if game else parsing.solved_rules(rules, pieces, tablebase, path_file)
    if save is not None and save != resume:
        check_new(save)
    check_writable(save or resume)
    if game is not None and game.is_over:
        raise UsageError(f"{resume}: the game is over. To see it: urcx review {resume}")
    with ExitStack() as stack:
        chances = _win_probabilities(stack, chosen, tablebase, yes=yes)
        if show:
            agents = {
                "light": _agent(light or against, chosen, chances),
                "dark": _agent(dark or against, chosen, chances),
            }
        else:
            agents = _opponent(game, side, against, chosen, chances)
        if game is None:
            names = {
                player: agents[player].name if player in agents else YOU
                for player in ("light", "dark")
            }
            game = _new_game(chosen, names, seed)
        elif game.seed is None:
            game = game.with_seed(secrets.randbelow(SEEDS))
        Session(game, agents, chances, save or resume, pace).run()


def _resumed_game(
    file: FilePath, tablebase: FilePath | None, path_file: FilePath | None
) -> PlayedGame:
    from urcx.commands import parsing
    from urcx.reading import STDIN

    if str(file) == STDIN:
        raise UsageError(
            f"--resume {STDIN}: must be a file, because moves are read from standard input"
        )
    return _read(file, parsing.rule_sources(None, None, tablebase, path_file))


def _read(file: FilePath, sources: RuleSources) -> PlayedGame:
    """Return the game in a file, and print notes where options contradict its rules."""
    from urcx.played.notation import read_game

    result = read_game(file, sources)
    for line in sources.notes:
        note(line)
    return result


def _new_game(rules: RuleSet, names: dict[str, str], seed: int | None) -> PlayedGame:
    from urcx.played.record import PlayedGame

    today = datetime.now(UTC).astimezone().date().isoformat()
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    return PlayedGame(rules, light=names["light"], dark=names["dark"], date=today, seed=seed)


def _win_probabilities(
    stack: ExitStack, rules: RuleSet, tablebase: FilePath | None, *, yes: bool
) -> WinningChances | None:
    """Return the win probabilities from a file, or by solving a small rule set at once.

    None if the rule set is large and has no solution.
    """
    from urcx.played.values import open_chances
    from urcx.solving.files.kept import find_solution, saved_solution_note, solving

    if tablebase is None:
        try:
            saved = find_solution(rules)
        except TooLargeError:
            return None
        if saved is None:
            confirm_long_run(solving(rules), yes=yes)
    with progress_bars() as stage:
        chances = stack.enter_context(open_chances(rules, tablebase, stage=stage))
    if tablebase is None and saved is not None:
        note(saved_solution_note(saved))
    return chances


def _agent(text: str | None, rules: RuleSet, chances: WinningChances | None) -> Agent:
    """Return the agent of a name, by default the strongest. ``optimal`` plays by ``chances``."""
    from urcx.agents.agents import agent
    from urcx.game import Game
    from urcx.played.players import opponent, perfect

    if text is None:
        return opponent(rules, chances)
    result = agent(text)
    if chances is not None and result.by_solution:
        return perfect(chances, result)
    # This prepares the agent: if it cannot play these rules, it is refused before the game begins.
    result.move_probabilities(Game(rules), max(rules.dice.rolls))
    return result


def _opponent(
    game: PlayedGame | None,
    side: str,
    against: str | None,
    rules: RuleSet,
    chances: WinningChances | None,
) -> dict[str, Agent]:
    """Return the agent that plays against a person, by its side. A resumed game names it."""
    from urcx.played.record import YOU

    if game is not None and game.dark == YOU != game.light:
        side = "dark"
    other = "dark" if side == "light" else "light"
    if game is not None and against is None:
        name = game.player(other)
        try:
            return {other: _agent(name, rules, chances)}
        except UsageError:
            note(
                f"{name} is not an agent, so the default agent plays {other}. Choose with --against"
            )
    return {other: _agent(against, rules, chances)}


@opt.command(wide=True)
def review(
    files: Annotated[
        list[FilePath],
        argument(
            "FILE",
            "Games in urcx's notation, in RGN, or in RoyalUr's JSON or printed form. A file may "
            "have several games. Use - for standard input.",
        ),
    ],
    tablebase: Annotated[FilePath | None, option("--tablebase", TABLEBASE)] = None,
    rules: Annotated[
        str | None,
        option(
            "--rules",
            "Rule set of games that do not name it. [default: as in --tablebase, the only rule set "
            "of --path-file, or finkel]",
            opt.rule_set_names,
        ),
    ] = None,
    pieces: opt.RulesPieces = None,
    moves: Annotated[
        bool, option("--moves", "List only the moves, without win probabilities.")
    ] = False,
    save: Annotated[
        FilePath | None,
        option(
            "--save",
            "Also write the game: .txt, .rgn or .royalur.json (which urcx reads), .json, or .svg "
            "(a drawing).",
        ),
    ] = None,
    plot: opt.Plot = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    *,
    context: typer.Context,
    style: Style,
) -> None:
    """Review games: win probability at every ply, mistakes, luck, skill.

    A review of several games has a line per game, and each player's accuracy, mean loss per
    decision and luck. urcx play -o game.txt saves a game to review. -o game.html writes the review
    as a page with the board, in one file to open or send.

    Without a solution, a network estimates the win probabilities, marked with ≈, if urcx has one
    for the rules.

    urcx review game.txt

    urcx review game.txt -o game.html

    urcx review game.txt --moves --save game.svg

    urcx review *.rgn --csv
    """
    from urcx.commands import parsing
    from urcx.played.notation import games_of
    from urcx.played.review import review as reviewed

    if moves and (plot is not None or tablebase is not None):
        raise UsageError("--plot and --tablebase cannot be combined with --moves")
    page = style.form == "table" and style.file is not None and style.file.suffix.lower() == ".html"
    if page and (moves or style.wide):
        raise UsageError(f"-o {style.file} cannot be combined with --moves or --wide")
    check_writable(save)
    sources = parsing.rule_sources(rules, pieces, tablebase, path_file)
    games = games_of(files, sources)
    note(*dict.fromkeys(sources.notes))
    if len(games) > 1:
        opt.reject_options(context, f"takes one game, not {len(games):,}", "moves", "save", "plot")
        if page:
            raise UsageError(f"-o {style.file} takes one game, not {len(games):,}")
        several = [*games.values()]
        with _review_stages(several, tablebase, yes=yes) as stage:
            result = reviewed(several, tablebase, names=[*games], stage=stage)
        style.show(result)
        return
    (game,) = games.values()
    if save is not None:
        game.save(save, provenance(game.seed))
        note(f"wrote {save}")
    if moves:
        style.show(game)
        return
    with _review_stages([game], tablebase, yes=yes) as stage:
        single = reviewed(game, tablebase, stage=stage)
    if page:
        from urcx.explore.export import review_page

        style.write([review_page(single)])
    else:
        style.show(single)
    if plot is not None:
        from urcx.reports.figures.game_plots import review_figure
        from urcx.reports.figures.plots import save as draw

        draw(review_figure(single), plot)


@contextmanager
def _review_stages(
    games: Sequence[PlayedGame], tablebase: FilePath | None, *, yes: bool
) -> Iterator[Stage]:
    """Yield the stages of a review. Ask before long work, and note the saved solutions used."""
    from urcx.engine.costs import REVIEWED, estimate
    from urcx.played.values import estimates_for
    from urcx.solving.files.kept import find_solution, saved_solution_note, solving

    plies = sum(len(game.plies) for game in games)
    what = f"reviewing {plies:,} plies of {count_text(len(games), 'game')}"
    notes, work = [], [estimate(what, (plies, REVIEWED), advice="review fewer games")]
    for rules in dict.fromkeys(game.rules for game in games) if tablebase is None else ():
        if estimates_for(rules) is not None:
            continue
        file = find_solution(rules)
        if file is None:
            work.append(solving(rules))
        else:
            notes.append(saved_solution_note(file))
    confirm_long_run(*work, yes=yes)
    with progress_bars() as stage:
        yield stage
    note(*notes)


@opt.command(wide=True)
def openings(
    *,
    position: opt.OnePosition,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    plies: Annotated[int, option("--plies", "Length of the sequences of rolls, from 1 to 5.")] = 2,
    threads: opt.Threads = None,
    style: Style,
) -> None:
    """Find the best reply to every sequence of rolls.

    The sequences begin at the start of the game, or at the given position.

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
        int, option("--games -g", "Games for each pair, from 2 to 100,000,000.")
    ] = 10_000,
    against_itself: Annotated[
        bool, option("--self", "Let each agent also play against itself.")
    ] = False,
    habits: Annotated[
        bool, option("--habits", "Also print play statistics, such as how often agents capture.")
    ] = False,
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Play agents against each other for win rates and Elo ratings.

    All pairs of the agents play. Each agent plays light in half of a pair's games, and a coin
    decides who moves first. --wide adds win rates by colour and by first player.

    urcx match random greedy

    urcx match random greedy expectimax:3 --games 10000
    """
    import urcx
    from urcx.agents.agents import agent
    from urcx.agents.policies import Policies
    from urcx.commands.estimates import playing
    from urcx.games.match import pairs_of

    players = [agent(text) for text in agents]
    ready = Policies(game, games * len(agents), method=method, keep=not no_cache, threads=threads)
    pairs = pairs_of(players, against_itself=against_itself)
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        confirm_long_run(*playing(ready, pairs, games, executor), yes=yes)
        result = urcx.match(
            players,
            game,
            games=games,
            against_itself=against_itself,
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
        option("--agent", "Show this agent's value of each move.", opt.KINDS),
    ] = None,
    style: Style,
    yes: opt.Yes = False,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves start

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

        chosen = as_agent(agent)
        plies = max((chosen.plays.depth or 1) - 1, 0)
        work = estimate(
            f"looking {plies} plies ahead from one position of {game.name}",
            (SEARCH_GROWTH**plies * len(game.dice.rolls), SEARCHED),
            advice="take a lower depth, as in panda:3",
        )
        if chosen.by_solution and find_solution(game) is None:
            work = solving(game)
        confirm_long_run(work, yes=yes)
        adviser = Adviser(chosen, game)
        notes = adviser.notes
    style.show(choices(as_position(position, game), game, roll, adviser))
    note(*notes)


@opt.command(csv=False)
def show(
    *,
    position: opt.OnePosition,
    game: opt.Game,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Draw a position on its board.

    A position lists light's pieces, dark's pieces, the numbers of pieces home and the player to
    move (L or D). Tiles such as A3 name squares, and - means no pieces on the board. --plot draws
    the board to an .svg file.

    urcx show start

    urcx show A3/C2,B2/5-5/L
    """
    from urcx.rules.drawing import BoardView
    from urcx.rules.position import as_position, check

    checked = as_position(position, game)
    check(checked, game.path, game.pieces)
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"cannot draw to {plot}: a board is drawn as .svg")
    style.show(BoardView(game, checked))
    if plot is not None:
        from urcx.engine.files.writing import atomic_file
        from urcx.game import Game
        from urcx.rules.pictures import picture

        with atomic_file(plot) as stream:
            stream.write(picture(Game(game, checked), standalone=True))
        note(f"drew {plot}")


@opt.command(wide=True)
def agents_(*, style: Style) -> None:
    """List the agents: how each chooses, looks ahead and breaks ties.

    Many commands take an agent as NAME[:DEPTH][:LEAF][:TIES]: its name, search depth, static
    evaluation and tie-breaking rule, such as expectimax:3. --wide explains the wishes of priority.

    urcx agents
    """
    from urcx.agents.kinds import KINDS, AgentKinds

    style.show(AgentKinds(KINDS.values()))


def engine(
    agent: Annotated[
        str | None,
        argument(
            "AGENT",
            "Agent that plays: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME. [default: optimal if "
            "the rule set is solved, otherwise learned or expectimax]",
            opt.KINDS,
        ),
    ] = None,
    path_file: opt.PathFile = None,
) -> None:
    """Play for another program, by the engine protocol.

    The program writes commands to this command's standard input, one per line, and reads answers
    from its standard output. The page on engines describes the protocol. Any program that speaks it
    can play as the agent engine:COMMAND.

    echo urgi | urcx engine greedy
    """
    from urcx.agents.agents import agent as as_agent
    from urcx.commands.conversation import Conversation, lines
    from urcx.rules import catalogue

    rules = catalogue.read_catalogue(path_file).rules
    player = None if agent is None else as_agent(agent)
    with ExitStack() as stack:
        conversation = Conversation(player, rules, stack)
        for line in lines():
            words = line.split()
            if words[:1] == ["quit"]:
                return
            sys.stdout.write("".join(f"{answer}\n" for answer in conversation.answers(words)))
            sys.stdout.flush()

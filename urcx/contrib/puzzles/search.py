"""Puzzles: positions with one clearly best move, which an agent misses in its own games.

An agent plays games against itself. A decision is a candidate if the best move is better than the
next best move by a margin, and the agent plays another move. So a puzzle occurs in games, has one
solution, and a natural player misses it. The network that comes with urcx determines the grade:
hard if it prefers the solution by less than `SURE` or misses it, medium if by less than `PLAIN`,
and easy otherwise. Without such a network, the margin determines the grade.

Two puzzles of a sheet never come from the same game or have the same best and missed moves, and
their positions differ by at least `APART` pieces. The selection covers as many motives as possible:
pairs of the kinds of the best move and of the missed move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from urcx.agents.agents import Agent
from urcx.agents.agents import agent as as_agent
from urcx.agents.networks import has_shipped
from urcx.agents.own_agents import CustomAgent, generator
from urcx.engine.moves import Move
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import UsageError, WrongObjectError, check_functions
from urcx.game import Game
from urcx.games.simulator import dice_slots
from urcx.played.hints import precision_note
from urcx.played.record import described
from urcx.played.values import open_chances
from urcx.results.fields import TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import MOVE_LOSS, Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import MoveValue, ranked_moves
from urcx.solving.probing import WinningChances
from urcx.solving.ties import width_of

MOST = 60  # puzzles
MOST_GAMES = 400
MOST_PLIES = 20_000  # of a game
CHOICE = 4  # candidates per puzzle
SURE, PLAIN = 0.02, 0.05  # differences by which the network prefers the solution
APART = 3  # pieces on other places
GRADES = ("easy", "medium", "hard")
PERCENT = Format(percent_text)
POINTS = Format(lambda loss: f"{100 * loss:.2f}")


@dataclass(frozen=True)
class Puzzle:
    """A position with a roll, its solution, and the agent's move. The player to move is light.

    On asymmetric paths the player to move can be dark, as in the game.
    """

    number: Annotated[int, Field(Column("no.", key=True), about="its number, from 1")]
    game: Annotated[
        Game,
        "the position, with its rules",
        Field("", TEXT, "the position", key="position", of="position"),
    ]
    roll: Annotated[int, Field("roll", about="the roll")]
    grade: Annotated[str, Field("<grade", about="its difficulty: easy, medium or hard")]
    moves: Annotated[tuple[MoveValue[float], ...], "the legal moves with their values, best first"]
    missed: Annotated[
        MoveValue[float],
        "the agent's move",
        Field(about="step that the piece leaves in the agent's move", of="move.start"),
        Field(about="step that it reaches", key="missed_to", of="move.end"),
        Field(MOVE_LOSS, POINTS, "loss of the agent's move", key="cost", of="regret"),
    ]
    prefers: Annotated[
        float | None,
        Field(
            "network (points)",
            replace(POINTS, none="-"),
            "difference in win probability between the solution and the best other move by the "
            "network that comes with urcx, negative if it misses it; null without such a network",
        ),
    ]
    source: Annotated[int, Field(about="number of its game, from 1", key="game")]
    ply: Annotated[int, Field(about="the ply in the game, from 1")]

    @property
    @Field(about="step that the piece leaves in the solution", key="from", of="start", after="roll")
    @Field(about="step that it reaches", key="to", of="end", after="roll")
    def solution(self) -> Move:
        """Return the best move."""
        return self.moves[0].move

    @property
    @Field("wins", PERCENT, "win probability after the solution", after="grade")
    def wins(self) -> float:
        """Return the win probability after the best move."""
        return self.moves[0].value

    @property
    @Field("margin (points)", POINTS, "loss of the next best move", after="grade")
    def margin(self) -> float:
        """Return the loss of the next best move."""
        return self.moves[1].regret

    @property
    def asked(self) -> str:
        """Return the question: the side to move, and the roll."""
        return f"{self.game.turn} to move, rolled {self.roll}"

    @property
    def motive(self) -> tuple[str, str]:
        """Return the kinds of the best move and of the agent's move."""
        return _move_kind(self.solution, self.game), _move_kind(self.missed.move, self.game)

    def resembles(self, other: Puzzle) -> bool:
        """Return whether the puzzle is too similar to another for the same sheet."""
        same = all(
            (mine.start, mine.end) == (its.start, its.end)
            for mine, its in (
                (self.solution, other.solution),
                (self.missed.move, other.missed.move),
            )
        )
        mine, its = (_pieces_by_place(puzzle.game.position) for puzzle in (self, other))
        apart = sum(((mine - its) | (its - mine)).values())
        return same or self.source == other.source or apart < APART


def _move_kind(move: Move, game: Game) -> str:
    """Return the kind of a move, in a word or two."""
    if move.captures:
        return "captures"
    if move.rosette:
        return "to a rosette"
    if move.end > game.rules.path.length:
        return "home"
    return "enters" if move.start == 0 else "moves on"


def _pieces_by_place(position: Position) -> Counter[tuple[str, int]]:
    """Return the number of pieces on each place, including home."""
    light, dark = ([(side, step) for step in getattr(position, side)] for side in ("light", "dark"))
    return Counter({("light home", 0): position.home[0], ("dark home", 0): position.home[1]}) + (
        Counter([*light, *dark])
    )


PUZZLE = fields_of(Puzzle)


@dataclass(frozen=True)
class Puzzles(Result, function="puzzles"):
    """Puzzles from games of an agent, easy ones first.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.puzzles import puzzles
    >>> result = puzzles(urcx.ruleset("finkel", pieces=3), most=3)
    >>> [(str(puzzle.game.position), puzzle.roll, puzzle.grade) for puzzle in result.puzzles]
    [('8/7,13,14/1-0/L', 2, 'easy'), ('4,10/6,13/0-0/L', 4, 'medium'), ('2/2,14/0-0/L', 1, 'hard')]
    """

    schema = "urcx.puzzles/1"
    lists = ("puzzles",)
    rules: GameRules
    missed_by: Annotated[Agent, Field(about="the agent that misses the solutions", of="name")]
    seed: Annotated[int, Field(about="the seed")]
    margin: Annotated[float, Field(about="least loss of the next best move")]
    games: Annotated[int, Field(about="the number of games searched")]
    puzzles: Annotated[tuple[Puzzle, ...], "the puzzles"]
    bound: Annotated[float | None, Field(about="error bound of win probabilities, null if unknown")]

    def sheet(self, file: str | Path) -> None:
        """Draw the boards on pages, and write the solutions on other pages.

        Parameters
        ----------
        file
            The name of a file, which ends in ``.html``.

        Raises
        ------
        UsageError
            If the name has another ending.
        UrcxError
            If the file cannot be written.
        """
        from urcx.contrib.puzzles.sheets import save_sheet

        if not isinstance(file, str | Path):
            raise WrongObjectError("file", Path, file, "a file name")
        save_sheet(self, Path(file))

    def tables(self) -> list[Table]:
        """Return the table of positions and rolls, and the table of solutions."""
        path, misses = self.rules.path, self.missed_by.name
        posed = PUZZLE.pick("number") + Fields(
            column(key("position"), lambda item: item.game.position.on(path)),
            *PUZZLE.pick("roll", "grade"),
        )
        solved = Fields(
            *PUZZLE.pick("number"),
            column("<best", lambda item: described(item.game, item.solution)),
            *PUZZLE.pick("wins", "margin"),
            column(f"<{misses} plays", lambda item: described(item.game, item.missed.move)),
            *PUZZLE.pick("cost", "prefers"),
        )
        notes = [
            f"which move is best? {misses} misses it. The next table has the solutions",
            "urcx show POSITION draws a board, --sheet FILE draws all boards and solutions",
        ]
        more = [
            precision_note(self.bound),
            "network: the best move minus the best other move, by the network of urcx",
        ]
        return [
            posed.table("", self.puzzles, notes),
            solved.table("Solutions", self.puzzles, more),
        ]

    @property
    def answer(self) -> str:
        """Return the number of puzzles, and the greatest loss of the agent."""
        counted = f"{self.rules.with_pieces}: {count_text(len(self.puzzles), 'puzzle')}"
        source = f"from {count_text(self.games, 'game')}, seed {self.seed}"
        if not self.puzzles:
            return f"{counted} {source}"
        most = 100 * max(puzzle.missed.regret for puzzle in self.puzzles)
        return f"{counted} in which {self.missed_by.name} loses up to {most:.2f} points ({source})"


def puzzles(
    rules: str | RuleSet = "finkel",
    *,
    missed_by: str | Agent | CustomAgent = "greedy",
    most: int = 6,
    margin: float = 0.02,
    seed: int = 1,
    tablebase: WinningChances | str | Path | None = None,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Puzzles:
    """Find positions with one clearly best move that an agent misses.

    The same seed gives the same puzzles.

    Parameters
    ----------
    rules
        A rule set or its name.
    missed_by
        The agent that misses the best move, in games against itself. An agent, or its name such as
        ``NAME[:DEPTH][:LEAF][:TIES]``.
    most
        The number of puzzles, from 1 to 60. The result has fewer if the games have fewer.
    margin
        The least loss of the next best move, a win probability between 0 and 1.
    seed
        The seed of the dice, from 0.
    tablebase
        The rule set's solution. By default it is the solution that urcx solve saved, and small
        rule sets are solved in memory.
    threads
        The number of threads that solve a small rule set, by default one per core.
    stage
        Called at the start of each stage of the work.

    Returns
    -------
    Puzzles

    Raises
    ------
    UnknownNameError
        If there is no such agent or rule set.
    UsageError
        If a number is out of range, or a user's agent fails.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved in memory, or if the
        agent needs too much memory.
    TablebaseError
        If the tablebase cannot be read, is damaged, or has other rules.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.puzzles import puzzles
    >>> result = puzzles(urcx.ruleset("finkel", pieces=2), most=4, seed=3)
    >>> all(puzzle.missed.regret >= puzzle.margin > 0.02 for puzzle in result.puzzles)
    True
    """
    check_functions(stage=stage)
    rule_set, player = catalogue.ruleset(rules), as_agent(missed_by)
    if not 1 <= (number := catalogue.as_integer("most", most)) <= MOST:
        raise UsageError(f"most {number}: must be from 1 to {MOST}")
    least = catalogue.as_float("margin", margin)
    if not 0.0 < least < 1.0:
        raise UsageError(f"margin {margin}: must be between 0 and 1, a win probability")
    seed = catalogue.as_seed(seed)
    threads = chosen_threads(threads)
    with open_chances(rule_set, tablebase, threads=threads, stage=stage) as solution:
        search = _Search(rule_set, player, solution, least, seed)
        show = stage(f"playing games of {player.name}", CHOICE * number, "candidates")
        while len(search.selected) < CHOICE * number and search.games < MOST_GAMES:
            search.play()
            show(min(len(search.selected), CHOICE * number))
        selection = chosen_puzzles(search.selected, number)
        return Puzzles(
            rule_set, player, seed, least, search.games, tuple(selection), solution.bound
        )


class _Search:
    """Plays games of an agent against itself, and selects one candidate from each."""

    def __init__(
        self, rules: RuleSet, agent: Agent, solution: WinningChances, margin: float, seed: int
    ) -> None:
        self.rules, self.agent, self.solution, self.margin = rules, agent, solution, margin
        self.random, self.slots = generator(seed), dice_slots(rules.dice)
        self.games = 0
        self.selected: list[Puzzle] = []
        self.network = as_agent("learned") if has_shipped(rules) else None

    def play(self) -> None:
        """Play a game, and select a candidate that resembles no earlier one.

        Candidates of the rarest grade so far come first, and then greater losses.
        """
        self.games += 1
        game, ply, candidates = Game(self.rules), 0, []
        while not game.is_over and ply < MOST_PLIES:
            ply += 1
            roll = self.rules.dice.rolls[self.slots[self.random.integers(len(self.slots))]]
            move = self.agent.choose(game, roll, self.random)
            if move is None:
                game = game.passed(roll)
                continue
            puzzle = self.candidate(game, roll, move, ply)
            candidates += [] if puzzle is None else [puzzle]
            game = game.play(move)
        grades = Counter(puzzle.grade for puzzle in self.selected)
        candidates.sort(key=lambda item: (grades[item.grade], -item.missed.regret))
        fresh = (
            candidate
            for candidate in candidates
            if not any(map(candidate.resembles, self.selected))
        )
        self.selected += islice(fresh, 1)

    def candidate(self, game: Game, roll: int, played: Move, ply: int) -> Puzzle | None:
        """Return the puzzle that a decision makes, if it is one."""
        if game.rules.path.symmetric and game.turn == "dark":
            game = game.mirrored()
        width = width_of(self.solution)
        moves = ranked_moves(game.position, roll, self.rules, self.solution.probe, width)
        missed = next(move for move in moves if move.move.start == played.start)
        if len(moves) < 2 or moves[1].regret < self.margin or not missed.regret:
            return None
        if self.agent.move_probabilities(game, roll)[moves[0].move]:
            return None  # the agent sometimes plays the best move
        prefers = None
        if self.network is not None:
            values = self.network.values(game, roll) or {}
            best = values.pop(moves[0].move)
            prefers = float(best - max(values.values()))
        ease = moves[1].regret if prefers is None else prefers
        grade = GRADES[int(ease < PLAIN) + int(ease < SURE)]
        return Puzzle(0, game, roll, grade, moves, missed, prefers, self.games, ply)


def chosen_puzzles(result: Sequence[Puzzle], number: int) -> list[Puzzle]:
    """Return a number of the puzzles, with all grades and motives, easy ones first."""
    left = list(result)
    selected: list[Puzzle] = []
    while left and len(selected) < number:
        grades = Counter(puzzle.grade for puzzle in selected)
        motives = Counter(puzzle.motive for puzzle in selected)

        def rank(
            item: Puzzle, counts: tuple[Counter[str], Counter[tuple[str, str]]] = (grades, motives)
        ) -> Any:
            return counts[0][item.grade], counts[1][item.motive], -item.missed.regret

        selected.append(min(left, key=rank))
        left.remove(selected[-1])
    selected.sort(key=lambda item: (GRADES.index(item.grade), -item.missed.regret))
    return [replace(puzzle, number=k) for k, puzzle in enumerate(selected, start=1)]

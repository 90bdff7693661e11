"""Puzzles: positions with one clearly best move, which an agent misses in its own games.

An agent plays games against itself. Wherever the best move is better than the next best one by a
margin, and the agent plays another, there may be a puzzle: it occurs in games, has one solution,
and is missed by a natural player. The network that comes with urcx says how hard it is: hard if it
prefers the solution by less than `SURE`, or misses it as well, medium if by less than `PLAIN`.
Where no network comes with urcx, the margin stands for that.

No two puzzles of a sheet come from one game, ask for the same move in place of the same other one,
or have positions that differ by less than `APART` pieces; and as many motives as possible are among
them: what the best move does, and what the one that is missed for it.
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
from urcx.results.fields import TEXT, Field, Fields, column, fields_of, percents_of
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import MoveValue, ranked_moves
from urcx.solving.probing import WinningChances
from urcx.solving.ties import width_of

MOST = 60  # puzzles
MOST_GAMES = 400
MOST_PLIES = 20_000  # of a game
CHOICE = 4  # times as many candidates as puzzles are looked for
SURE, PLAIN = 0.02, 0.05  # by which the network prefers the solution
APART = 3  # pieces that stand elsewhere
GRADES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Puzzle:
    """A position with a roll, its solution, and what is missed; the player to move is light.

    On a path that is not alike for both sides it is who it was in the game.
    """

    number: Annotated[int, Field(Column("no.", key=True), about="its number, from 1")]
    game: Annotated[
        Game,
        "the position, with its rules",
        Field("", TEXT, "the position", key="position", of="position"),
    ]
    roll: Annotated[int, Field("roll", about="the roll")]
    grade: Annotated[str, Field("<grade", about="how hard it is: easy, medium or hard")]
    moves: Annotated[tuple[MoveValue[float], ...], "the legal moves with their values, best first"]
    missed: Annotated[
        MoveValue[float],
        "what is played in its place",
        Field(about="step that the piece leaves in the move that is played", of="move.start"),
        Field(about="step that it reaches", key="missed_to", of="move.end"),
        Field("costs", percents_of(), "how much less likely it wins", key="cost", of="regret"),
    ]
    prefers: Annotated[
        float | None,
        Field(
            "network",
            percents_of(none="-"),
            "by how much the network that comes with urcx prefers the solution to all other moves, "
            "negative if it misses it; null without such a network",
        ),
    ]
    source: Annotated[int, Field(about="number of the game that it is from, from 1", key="game")]
    ply: Annotated[int, Field(about="the ply in that game, from 1")]

    @property
    @Field(about="step that the piece leaves in the solution", key="from", of="start", after="roll")
    @Field(about="step that it reaches", key="to", of="end", after="roll")
    def solution(self) -> Move:
        """Return the best move."""
        return self.moves[0].move

    @property
    @Field("wins", percents_of(), "chance of winning after the solution", after="grade")
    def wins(self) -> float:
        """Return the chance of winning after the best move."""
        return self.moves[0].value

    @property
    @Field("ahead by", percents_of(), "by how much it is better than the next best", after="grade")
    def margin(self) -> float:
        """Return by how much the best move is better than the next best."""
        return self.moves[1].regret

    @property
    def asked(self) -> str:
        """Return what is asked: who is to move, and the roll."""
        return f"{self.game.turn} to move, rolled {self.roll}"

    @property
    def motive(self) -> tuple[str, str]:
        """Return what the best move does, and what the other one that is played for it."""
        return _kind(self.solution, self.game), _kind(self.missed.move, self.game)

    def resembles(self, other: Puzzle) -> bool:
        """Return whether it is too much like another for both to be on one sheet."""
        same = all(
            (one.start, one.end) == (its.start, its.end)
            for one, its in ((self.solution, other.solution), (self.missed.move, other.missed.move))
        )
        one, its = (_standing(item.game.position) for item in (self, other))
        apart = sum(((one - its) | (its - one)).values())
        return same or self.source == other.source or apart < APART


def _kind(move: Move, game: Game) -> str:
    """Return what a move does, in a word."""
    if move.captures:
        return "captures"
    if move.rosette:
        return "to a rosette"
    if move.end > game.rules.path.length:
        return "home"
    return "enters" if move.start == 0 else "moves on"


def _standing(position: Position) -> Counter[tuple[str, int]]:
    """Return where pieces stand, those at home too."""
    light, dark = ([(side, step) for step in getattr(position, side)] for side in ("light", "dark"))
    return Counter({("light home", 0): position.home[0], ("dark home", 0): position.home[1]}) + (
        Counter([*light, *dark])
    )


PUZZLE = fields_of(Puzzle)


@dataclass(frozen=True)
class Puzzles(Result, function="puzzles"):
    """Puzzles from games of an agent, the easy ones first.

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
    missed_by: Annotated[Agent, Field(about="who misses the solutions", of="name")]
    seed: Annotated[int, Field(about="the seed")]
    margin: Annotated[float, Field(about="by how much solutions are better than the next best")]
    games: Annotated[int, Field(about="how many games were played to find them")]
    puzzles: Annotated[tuple[Puzzle, ...], "the puzzles"]
    bound: Annotated[float | None, Field(about="how far a chance is off at most, null if unknown")]

    def sheet(self, file: str | Path) -> None:
        """Draw the boards on pages, and the solutions on others.

        Parameters
        ----------
        file
            A file's name that ends in ``.html``.

        Raises
        ------
        UsageError
            If it ends otherwise.
        UrcxError
            If it cannot be written.
        """
        from urcx.contrib.puzzles.sheets import save_sheet

        if not isinstance(file, str | Path):
            raise WrongObjectError("file", Path, file, "a file name")
        save_sheet(self, Path(file))

    def tables(self) -> list[Table]:
        """Return the positions and rolls, and in a further table the solutions."""
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
            f"which move is best? {misses} misses it; further is the table of solutions",
            "urcx show POSITION draws a board, --sheet FILE all of them, with solutions",
        ]
        more = [
            precision_note(self.bound),
            "network: by how much that which comes with urcx prefers the best move to all others",
        ]
        return [
            posed.table("", self.puzzles, notes),
            solved.table("Solutions", self.puzzles, more),
        ]

    @property
    def answer(self) -> str:
        """Return how many there are, and what the costliest miss costs."""
        found = f"{self.rules.with_pieces}: {count_text(len(self.puzzles), 'puzzle')}"
        source = f"from {count_text(self.games, 'game')}, seed {self.seed}"
        if not self.puzzles:
            return f"{found} {source}"
        most = percent_text(max(puzzle.missed.regret for puzzle in self.puzzles))
        return f"{found} in which {self.missed_by.name} loses up to {most} ({source})"


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
    """Find positions with one clearly best move, which an agent misses.

    The same seed gives the same puzzles.

    Parameters
    ----------
    rules
        A rule set or its name.
    missed_by
        The agent that misses the best move, in games against itself. A text such as
        ``NAME[:DEPTH][:LEAF][:TIES]``, or an agent.
    most
        How many, from 1 to 60; there are fewer where not enough are found.
    margin
        By how much the best move must be better than the next best, a chance between 0 and 1.
    seed
        Of the dice, from 0.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    threads
        To solve it, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Puzzles

    Raises
    ------
    UnknownNameError
        If there is no such agent or rule set.
    UsageError
        If a number is out of range, or an agent of the user's fails.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once; or if the
        agent cannot be prepared.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.puzzles import puzzles
    >>> result = puzzles(urcx.ruleset("finkel", pieces=2), most=4, seed=3)
    >>> all(puzzle.missed.regret >= puzzle.margin > 0.02 for puzzle in result.puzzles)
    True
    """
    check_functions(stage=stage)
    chosen, player = catalogue.ruleset(rules), as_agent(missed_by)
    if not 1 <= (number := catalogue.as_integer("most", most)) <= MOST:
        raise UsageError(f"most {number}: from 1 to {MOST} puzzles")
    least = catalogue.as_float("margin", margin)
    if not 0.0 < least < 1.0:
        raise UsageError(f"margin {margin}: a chance of winning between 0 and 1 is needed")
    seed = catalogue.as_seed(seed)
    threads = chosen_threads(threads)
    with open_chances(chosen, tablebase, threads=threads, stage=stage) as known:
        search = _Search(chosen, player, known, least, seed)
        show = stage(f"playing games of {player.name}", CHOICE * number, "candidates")
        while len(search.found) < CHOICE * number and search.games < MOST_GAMES:
            search.play()
            show(min(len(search.found), CHOICE * number))
        chosen_ones = chosen_puzzles(search.found, number)
        return Puzzles(chosen, player, seed, least, search.games, tuple(chosen_ones), known.bound)


class _Search:
    """Plays games of an agent against itself, and keeps one candidate of each."""

    def __init__(
        self, rules: RuleSet, agent: Agent, known: WinningChances, margin: float, seed: int
    ) -> None:
        self.rules, self.agent, self.known, self.margin = rules, agent, known, margin
        self.random, self.slots = generator(seed), dice_slots(rules.dice)
        self.games = 0
        self.found: list[Puzzle] = []
        self.network = as_agent("learned") if has_shipped(rules) else None

    def play(self) -> None:
        """Play a game, and keep a candidate in it that resembles none before.

        It is of the grade that is rarest so far, and costs most.
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
            one = self.candidate(game, roll, move, ply)
            candidates += [] if one is None else [one]
            game = game.play(move)
        grades = Counter(one.grade for one in self.found)
        candidates.sort(key=lambda item: (grades[item.grade], -item.missed.regret))
        fresh = (
            candidate for candidate in candidates if not any(map(candidate.resembles, self.found))
        )
        self.found += islice(fresh, 1)

    def candidate(self, game: Game, roll: int, played: Move, ply: int) -> Puzzle | None:
        """Return the puzzle that a decision makes, if it is one."""
        if game.rules.path.symmetric and game.turn == "dark":
            game = game.mirrored()
        width = width_of(self.known)
        moves = ranked_moves(game.position, roll, self.rules, self.known.probe, width)
        missed = next(move for move in moves if move.move.start == played.start)
        if len(moves) < 2 or moves[1].regret < self.margin or not missed.regret:
            return None
        if self.agent.move_probabilities(game, roll)[moves[0].move]:
            return None  # it finds it sometimes
        prefers = None
        if self.network is not None:
            values = self.network.values(game, roll) or {}
            best = values.pop(moves[0].move)
            prefers = float(best - max(values.values()))
        by = moves[1].regret if prefers is None else prefers
        grade = GRADES[int(by < PLAIN) + int(by < SURE)]
        return Puzzle(0, game, roll, grade, moves, missed, prefers, self.games, ply)


def chosen_puzzles(result: Sequence[Puzzle], number: int) -> list[Puzzle]:
    """Return so many of the puzzles, of all grades and motives, the easy ones first."""
    left = list(result)
    taken: list[Puzzle] = []
    while left and len(taken) < number:
        grades = Counter(one.grade for one in taken)
        motives = Counter(one.motive for one in taken)

        def rank(
            item: Puzzle, seen: tuple[Counter[str], Counter[tuple[str, str]]] = (grades, motives)
        ) -> Any:
            return seen[0][item.grade], seen[1][item.motive], -item.missed.regret

        taken.append(min(left, key=rank))
        left.remove(taken[-1])
    taken.sort(key=lambda item: (GRADES.index(item.grade), -item.missed.regret))
    return [replace(one, number=k) for k, one in enumerate(taken, start=1)]

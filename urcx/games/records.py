"""Records of games: the counts of each game, as named columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import DarkAgent, LightAgent, players
from urcx.errors import UnknownNameError
from urcx.game import SIDES
from urcx.games import game_kernels
from urcx.results.fields import Field
from urcx.results.numbers import count_text
from urcx.results.result import Columns, Report, Result
from urcx.rules.model import GameRules

__all__ = ["Games"]

IntArray = NDArray[np.int32]
# Columns of each player in a table, in addition to the frequency of each roll.
COLUMNS = (
    "plies", "turns", "moves", "passes", "decisions", "choices", "captures", "rosettes", "entropy",
)  # fmt: skip


def side_number(side: str, *others: str) -> int:
    """Return 0 for ``"light"`` and 1 for ``"dark"``. Anything else raises `UsageError`."""
    if side not in SIDES:
        names = dict.fromkeys((*SIDES, *others))
        raise UnknownNameError("side", str(side), names)
    return SIDES.index(side)


@dataclass(frozen=True)
class SideCounts(Columns):
    """The counts of one player, with a row per game in each array.

    Attributes
    ----------
    turns, captures, rosettes, entries, borne_off : array of int, shape ``(games,)``
        Turns, moves that captured, moves that ended on a rosette, moves from the start pool to the
        board, and moves home.
    rolls : array of int, shape ``(games, values of the dice)``
        The frequency of each roll, in the order of ``rules.dice.rolls``.
    by_choices : array of int, shape ``(games, pieces + 1)``
        Plies with 0 (a pass), 1, 2, ... legal moves.
    entropy : array of float, shape ``(games,)``
        Sum of log10 of the number of moves in each random choice.
    habits : array of int, shape ``(games, counters)``
        Play statistics for `urcx.games.match`, without rows if they were not recorded.
    """

    turns: IntArray
    captures: IntArray
    rosettes: IntArray
    rolls: IntArray
    by_choices: IntArray
    entropy: NDArray[np.float64]
    habits: IntArray
    entries: IntArray
    borne_off: IntArray

    @property
    def plies(self) -> NDArray[np.int64]:
        """Return the player's plies, passes included."""
        return self._with_moves(0)

    @property
    def passes(self) -> IntArray:
        """Return the plies without a legal move."""
        return self.by_choices[:, 0]

    @property
    def moves(self) -> NDArray[np.int64]:
        """Return the plies with a move."""
        return self._with_moves(1)

    @property
    def choices(self) -> NDArray[np.int64]:
        """Return the legal moves of all plies together."""
        result: NDArray[np.int64] = self.by_choices @ np.arange(self.by_choices.shape[1])
        return result

    @property
    def decisions(self) -> NDArray[np.int64]:
        """Return the plies with two or more legal moves."""
        return self._with_moves(2)

    def _with_moves(self, least: int) -> NDArray[np.int64]:
        """Return the number of plies with ``least`` or more legal moves."""
        result: NDArray[np.int64] = self.by_choices[:, least:].sum(axis=1)
        return result


@dataclass(frozen=True)
class Games(Result, function="simulate"):
    """Games with their counts. A row of each array is a game.

    These are the columns for both players together. `side` returns the columns of one player.

    ``counts``, ``results`` and ``habits`` are raw, in the order of the kernels: turns, captures,
    rosettes landed on, entries, pieces borne off, then rolls of each value in the order of the
    dice, then plies by number of legal moves. `side`, `began`, `winner` and `plies` return the same
    data by name.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.simulate("greedy", "random", games=100, seed=1)
    >>> games.wins("light") + games.wins("dark")
    100
    >>> games.plies.shape, games.side("dark").captures.shape
    ((100,), (100,))
    """

    rules: GameRules
    light: LightAgent
    dark: DarkAgent
    seed: Annotated[int, Field(about="the seed")]
    first: Annotated[str, Field(about="the rule for the first player")]
    asked: Annotated[
        int,
        "number of games requested (after Ctrl-C fewer were played)",
        Field(about="number of games requested", key="games_asked_for"),
    ]
    counts: Annotated[IntArray, "raw counts, of shape (games, 2 for light and dark, columns)"]
    results: Annotated[
        IntArray,
        "raw, of shape (games, 3): the side that moved first, the side that won, plies of both",
    ]
    entropy: Annotated[
        NDArray[np.float64],
        "sum of log10 of the number of moves in each random choice, of shape (games, 2)",
    ]
    habits: Annotated[
        IntArray,
        "raw, of shape (games, 2, counters): play statistics for `urcx.games.match`, without rows "
        "if they were not recorded",
    ]
    notes: Annotated[tuple[str, ...], "remarks on how the agents were prepared"] = ()
    exactness: ClassVar[
        Annotated[str, Field(about="exactness of all measures; with --exact they are exact")]
    ] = "estimate"

    def __len__(self) -> int:
        """Return the number of games played."""
        return len(self.results)

    @property
    @Field(about="tie-breaking rules of light and dark", after="dark")
    def ties(self) -> dict[str, str]:
        """Return the tie-breaking rules of light and dark."""
        return {"light": self.light.ties, "dark": self.dark.ties}

    @property
    @Field(about="number of games played", after="ties")
    def games(self) -> int:
        """Return the number of games played."""
        return len(self)

    @property
    @Field(about="whether the run was interrupted", after="asked")
    def interrupted(self) -> bool:
        """Return whether fewer games were played than requested."""
        return len(self) < self.asked

    @property
    def unfinished(self) -> str:
        """Return the number of games played before an interrupt, as text, empty without one."""
        return f"{len(self):,} of {self.asked:,} games" if self.interrupted else ""

    @property
    def shown(self) -> Result:
        """Return the measures of the games."""
        from urcx.games.statistics import measures  # that module imports this one

        own = measures(self)
        return Report(own.schema, own.document(), own.records(), own.tables(), answer=self.answer)

    @property
    def answer(self) -> str:
        """Return the sentence on the number of games, the players and the mean length."""
        games = f"{count_text(len(self), 'game')} of {players(self.light, self.dark)}"
        plies = self.plies.mean() if len(self) else 0.0
        return (
            f"{self.rules.with_pieces}: {games}, seed {self.seed}, {plies:.1f} plies of both "
            "players on average"
        )

    @property
    def began(self) -> NDArray[np.str_]:
        """Return the first player of each game, ``"light"`` or ``"dark"``."""
        return np.array(SIDES)[self.results[:, 0]]

    @property
    def winner(self) -> NDArray[np.str_]:
        """Return the winner of each game, ``"light"`` or ``"dark"``."""
        return np.array(SIDES)[self.results[:, 1]]

    @property
    def plies(self) -> IntArray:
        """Return the plies of each game, of both players, passes included."""
        return self.results[:, 2]

    def wins(self, side: str) -> int:
        """Return the number of games won by ``"light"``, ``"dark"`` or the ``"first"`` player.

        Raises
        ------
        UsageError
            If the side has another name.
        """
        winner = self.results[:, 0] if side == "first" else side_number(side, "first")
        return int((self.results[:, 1] == winner).sum())

    def side(self, side: str) -> SideCounts:
        """Return the counts of ``"light"`` or ``"dark"``. Another name raises `UsageError`."""
        number = side_number(side)
        return SideCounts(
            turns=self.counts[:, number, game_kernels.TURNS],
            captures=self.counts[:, number, game_kernels.CAPTURES],
            rosettes=self.counts[:, number, game_kernels.ROSETTES_REACHED],
            rolls=self.rolls[:, number],
            by_choices=self.by_choices[:, number],
            entropy=self.entropy[:, number],
            habits=self.habits[:, number],
            entries=self.counts[:, number, game_kernels.ENTERED],
            borne_off=self.counts[:, number, game_kernels.BORNE_OFF],
        )

    @property
    def rolls(self) -> IntArray:
        """Return the rolls by game, side (0 light, 1 dark) and value, in the order of the dice."""
        first = game_kernels.N_FIXED
        return self.counts[:, :, first : first + len(self.rules.dice.rolls)]

    @property
    def by_choices(self) -> IntArray:
        """Return the plies by game, side (0 light, 1 dark) and number of legal moves, from 0."""
        return self.counts[:, :, game_kernels.N_FIXED + len(self.rules.dice.rolls) :]

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the games as columns, a row for each game.

        Returns
        -------
        dict of str to numpy.ndarray
            ``game`` (its number, from 0), ``began`` and ``winner`` (``light`` or ``dark``), and
            ``plies`` of both players. Then, for each side with a prefix as in ``light_turns``:
            ``plies``, ``turns``, ``moves``, ``passes``, ``decisions`` (two or more legal moves),
            ``choices`` (legal moves of all plies), ``captures``, ``rosettes`` landed on,
            ``entropy`` (sum of log10 of the number of moves in each random choice), and the
            frequencies of the rolls, ``roll_0`` and so on.
        """
        result: dict[str, NDArray[Any]] = {
            "game": np.arange(len(self)),
            "began": self.began,
            "winner": self.winner,
            "plies": self.plies,
        }
        for side in SIDES:
            own = self.side(side)
            result |= {f"{side}_{name}": getattr(own, name) for name in COLUMNS}
            for roll, frequency in zip(self.rules.dice.rolls, own.rolls.T, strict=True):
                result[f"{side}_roll_{roll}"] = frequency
        return result

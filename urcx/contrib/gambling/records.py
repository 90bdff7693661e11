"""Gambling games that were played: the counts of each game, and measures of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import players
from urcx.complexity.game_tree import (
    ESTIMATE,
    LOG10,
    Constants,
    Estimate,
    Measured,
    convention_estimates,
    entropy,
)
from urcx.contrib.gambling import game_kernels
from urcx.contrib.gambling.agents import Gambler
from urcx.contrib.gambling.rules import NAME, GamblingGame
from urcx.contrib.gambling.state_counts import STATES, PieceStates, states_tables
from urcx.games.statistics import (
    MEASURE,
    WINS,
    WON,
    Measure,
    Tally,
    begins,
    flat,
    flat_estimate,
    interval_words,
    measure_table,
    plain,
    ratio,
)
from urcx.results.fields import Field, Fields, fields_of
from urcx.results.numbers import count_text, percent_text, with_interval
from urcx.results.result import Result
from urcx.results.tables import Table, secondary

# The conventions of game-tree complexity that do not depend on the dice: here throwing is a choice.
CONVENTIONS = ("allis", "ludii", "sum-log", "entropy")
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Gambles(Result, function="gamble"):
    """Games that were played, with the counts of each. Each array has a row per game.

    ``counts`` has columns for each game and side (0 light, 1 dark), in the order of the constants
    of `urcx.contrib.gambling.game_kernels`: turns, second dice thrown, second dice that showed yes,
    turns lost to the second die, pieces entered, captures, rosettes landed on, rosettes passed,
    choices, and their options. Then come the plies by number of legal moves of the roll that
    counted (0 if nothing moved). An agent can pass only if the first die allows no move. `to_dict`
    names the columns.

    Examples
    --------
    >>> from urcx.contrib.gambling import gamble
    >>> games = gamble("greedy", games=10)
    >>> bool((games.purses.sum(axis=1) == games.game.total).all())
    True
    """

    schema = NAME
    parts: ClassVar = {
        "measures.NAME": MEASURE.without("bound"),
        "winnings.NAME": MEASURE.without("per_game", "bound"),
        "wins.NAME": WINS,
        "gtc": ESTIMATE,
        "states": STATES,
        "states.rows": fields_of(PieceStates),
    }
    game: Annotated[
        GamblingGame,
        "the game, with the choices for the rules that its text leaves open",
        Field(about="name of the game", of="name"),
        Field(
            about="by name, the choices for the rules that the text leaves open",
            key="choices",
            of=lambda game: dict(game.choices),
        ),
    ]
    light: Annotated[Gambler, Field(about="light's agent", of="name")]
    dark: Annotated[Gambler, Field(about="dark's agent", of="name")]
    seed: Annotated[int, Field(about="the seed")]
    first: Annotated[str, Field(about="the rule for the first player")]
    asked: Annotated[
        int,
        "the number of games requested; fewer were played if Ctrl-C interrupted them",
        Field(about="the number of games requested", key="games_asked_for"),
    ]
    counts: Annotated[IntArray, "raw counts, of shape (games, 2, columns)"]
    results: Annotated[
        IntArray,
        "of shape (games, 3): the side that began, the side that was home first, plies of both",
    ]
    purses: Annotated[
        IntArray, "of shape (games, 3): light's, dark's and the pool's counters at the end"
    ]
    sums: Annotated[
        NDArray[np.float64],
        "of shape (games, 2, 2), by game and side: the sum of log10 of the options of each choice, "
        "and the sum of log10 of the options among which chance chose",
    ]
    states: Annotated[tuple[PieceStates, ...], "the states by pieces, if they were counted"] = ()
    exactness: ClassVar[Annotated[str, Field(about="of everything except the states")]] = "estimate"

    def __len__(self) -> int:
        """Return the number of games played."""
        return len(self.results)

    @property
    @Field(about="the number of games played", after="dark")
    def games(self) -> int:
        """Return the number of games played."""
        return len(self)

    @property
    @Field(about="whether Ctrl-C interrupted the games", after="asked")
    def interrupted(self) -> bool:
        """Return whether fewer games were played than requested."""
        return len(self) < self.asked

    @property
    def by_choices(self) -> IntArray:
        """Return the plies by game, side and number of legal moves."""
        return self.counts[:, :, game_kernels.N_FIXED :]

    @property
    def winnings(self) -> IntArray:
        """Return the counters won by game and side, negative if lost."""
        return self.purses[:, :2] - self.game.counters

    @cached_property
    def won(self) -> dict[str, Tally]:
        """Return the number of games that each side ended with more counters, and of draws."""
        return {name: Tally(name, count, len(self)) for name, count in gamble_wins(self).items()}

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, including measures, conventions and states."""
        return {
            **super().document(),
            "measures": {measure.name: measure.record() for measure in gamble_measures(self)},
            "winnings": {measure.name: measure.record() for measure in winnings(self)},
            "wins": {name: WINS.record(tally) for name, tally in self.won.items()},
            "gtc": ESTIMATE.records(estimates(self)),
            "states": {
                **STATES.record(self.game),
                "rows": fields_of(PieceStates).records(self.states),
            },
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV: measures, winnings and conventions."""
        data = self.document()
        named = [
            {"kind": kind, "name": name, **flat(row)}
            for kind in ("measures", "winnings")
            for name, row in data[kind].items()
        ]
        return named + [flat_estimate(row) for row in data["gtc"]]

    def tables(self) -> list[Table]:
        """Return the measures, the counters won, the conventions, the states and the choices."""
        return [
            measure_table(
                "",
                self,
                gamble_measures(self),
                "a ply is a throw of the first die, perhaps of the second, and the move or the "
                "pass",
            ),
            self._winnings_table(winnings(self), self.won),
            Fields(*ESTIMATE.pick("convention", "formula"), LOG10).table(
                "Game-tree complexity, log10",
                estimates(self),
                [
                    (
                        "allis, ludii: legal moves of the roll that counted; sum-log: the options "
                        "of each choice, including the second die; conventions as in urcx gtc"
                    )
                ],
            ),
            *states_tables(self.game, self.states),
            self.game.choices_table(),
        ]

    @property
    def answer(self) -> str:
        """Return the mean length, the number of typical games, and light's win rate."""
        plies = gamble_measures(self)[0]
        by_convention = {estimate.convention.name: estimate for estimate in estimates(self)}
        return (
            f"{self.game.name}: {with_interval(plies.mean, plies.ci95, 1)} plies per game, "
            f"10^{by_convention['entropy'].log10:.1f} typical games. Light ends with more in "
            f"{percent_text(self.won['light'].share)} ({count_text(len(self), 'game')} of "
            f"{players(self.light, self.dark, sides=True)}, seed {self.seed}, "
            f"{begins(self.first)}, {interval_words(len(self))})"
        )

    def _winnings_table(self, measures: Sequence[Measure], tallies: dict[str, Tally]) -> Table:
        rows = []
        for measure in measures:
            share, sign = tallies.get(measure.name), "" if measure.name == "pool" else "+"
            rows.append(
                [
                    PLAYERS.get(measure.name, measure.title),
                    with_interval(measure.mean, measure.ci95, 3, sign),
                    "" if measure.sd is None else f"{measure.sd:.3f}",
                    "" if share is None else WON.cell(share),
                ]
            )
        rows.append(["neither", "", "", WON.cell(tallies["draw"])])
        return Table(
            f"Counters won, of {self.game.counters} each and {self.game.pool} in the pool",
            [
                *("<player", "mean", secondary("deviation"), "ends with more"),
            ],
            rows,
            [
                (
                    "counters at the end minus counters at the start; the player with more "
                    "counters at the end wins the game"
                )
            ],
        )

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the games as columns, a row for each game.

        Returns
        -------
        dict of str to numpy.ndarray
            ``game`` (its number, from 0), ``began`` and ``home_first`` (``light`` or ``dark``),
            ``plies`` of both, and ``pool`` (counters left in it). Then for light and for dark, as
            in ``light_turns``: ``winnings`` (counters won, below 0 if lost), ``plies``, ``turns``,
            ``thrown`` (second dice), ``lost`` (turns lost to them), ``launches``, ``captures``,
            ``rosettes`` (landed on) and ``passed`` (rosettes passed).
        """
        sides = np.array(["light", "dark"])
        result: dict[str, NDArray[Any]] = {
            "game": np.arange(len(self)),
            "began": sides[self.results[:, 0]],
            "home_first": sides[self.results[:, 1]],
            "plies": self.results[:, 2],
            "pool": self.purses[:, 2],
        }
        fields = {
            "turns": game_kernels.TURNS,
            "thrown": game_kernels.THROWN,
            "lost": game_kernels.LOST,
            "launches": game_kernels.LAUNCHES,
            "captures": game_kernels.CAPTURES,
            "rosettes": game_kernels.LANDED,
            "passed": game_kernels.PASSED,
        }
        for k, side in enumerate(("light", "dark")):
            result[f"{side}_winnings"] = self.winnings[:, k]
            result[f"{side}_plies"] = self.by_choices[:, k].sum(axis=1)
            result |= {f"{side}_{name}": self.counts[:, k, n] for name, n in fields.items()}
        return result


# Rows of the table of counters whose titles in JSON are longer.
PLAYERS = {
    "first_mover": "first player",
    "second_mover": "second player",
    "finisher": "home first",
    "other": "not home first",
}


def gamble_measures(games: Gambles) -> tuple[Measure, ...]:
    """Return every measure of play, by name as in the JSON interface ``urcx.gamble/1``.

    Names shared with ``urcx.gtc/1`` have the same meaning. The options of a choice are the moves of
    the first die, or the pass, and throwing the second die if that is allowed. After a yes of the
    second die, the moves are the options of another choice.
    """
    counts = games.counts.sum(axis=1)
    by_choices = games.by_choices.sum(axis=1)
    legal = by_choices @ np.arange(by_choices.shape[1])
    plies = games.results[:, 2]
    moves = plies - by_choices[:, 0]
    decisions = by_choices[:, 2:].sum(axis=1)
    decision_moves = by_choices[:, 2:] @ np.arange(2, by_choices.shape[1])
    result = [
        plain("plies", "plies, both players", plies),
        plain("turns", "turns", counts[:, game_kernels.TURNS]),
        plain("moves", "moves", moves),
        plain("passes", "passes, turns lost to the second die included", plies - moves),
        plain("decisions", "plies with two or more legal moves", decisions),
        plain("thrown", "second dice thrown", counts[:, game_kernels.THROWN]),
        plain("lost", "turns lost to the second die", counts[:, game_kernels.LOST]),
        plain("launches", "pieces entered", counts[:, game_kernels.LAUNCHES]),
        plain("captures", "captures", counts[:, game_kernels.CAPTURES]),
        plain("rosettes", "rosettes landed on", counts[:, game_kernels.LANDED]),
        plain("passed", "rosettes passed", counts[:, game_kernels.PASSED]),
        ratio("choices_per_ply", "legal moves a ply, 0 where nothing moves", legal, plies),
        ratio(
            "choices_per_roll",
            "legal moves a roll that was not lost to the second die",
            legal,
            plies - counts[:, game_kernels.LOST],
        ),
        ratio("choices_per_move", "legal moves a move", legal, moves),
    ]
    if decisions.any():
        text = "legal moves where there are two or more"
        result.append(ratio("choices_per_decision", text, decision_moves, decisions))
    options, nodes = counts[:, game_kernels.OPTIONS], counts[:, game_kernels.NODES]
    sums = games.sums.sum(axis=1)
    digits = _dice_digits(games)
    result += [
        ratio("options_per_choice", "options a choice, the second die among them", options, nodes),
        plain("sum_log10_options", "sum of log10 of the options", sums[:, 0]),
        plain("entropy", "entropy of choices and dice, decimal digits", sums[:, 1] + digits),
    ]
    return tuple(result)


def _dice_digits(games: Gambles) -> NDArray[np.float64]:
    """Return the entropy of the dice thrown in each game, in decimal digits."""
    yes = float(games.game.doubling)
    second = -yes * math.log10(yes) - (1 - yes) * math.log10(1 - yes)
    thrown = games.counts[:, :, game_kernels.THROWN].sum(axis=1)
    digits: NDArray[np.float64] = games.results[:, 2] * entropy(games.game.die) + thrown * second
    return digits


def estimates(games: Gambles) -> tuple[Estimate, ...]:
    """Return game-tree complexity, log10, in the conventions that make sense here.

    ``allis`` and ``ludii`` use the legal moves of the roll that counted. ``sum-log`` uses the
    options of each choice, including the second die. ``entropy`` is the entropy of players and
    dice.
    """
    by_choices = games.by_choices.sum(axis=1)
    plies = games.results[:, 2].astype(np.float64)
    sums = games.sums.sum(axis=1)
    measured = Measured(
        plies,
        plies - by_choices[:, 0],
        (by_choices @ np.arange(by_choices.shape[1])).astype(np.float64),
        sums[:, 0],
        sums[:, 1] + _dice_digits(games),
    )
    figures = convention_estimates(measured, Constants(1, 0.0, 1.0))
    return tuple(item for item in figures if item.convention.name in CONVENTIONS)


def winnings(games: Gambles) -> tuple[Measure, ...]:
    """Return the counters that players win, negative if they lose, and the rest of the pool.

    Players are light and dark, the first and the second to move, and the first home and the other.
    """
    won = games.winnings
    rows = np.arange(len(games))
    began, home = games.results[:, 0], games.results[:, 1]
    return (
        plain("light", "light", won[:, 0]),
        plain("dark", "dark", won[:, 1]),
        plain("first_mover", "who began", won[rows, began]),
        plain("second_mover", "who did not", won[rows, 1 - began]),
        plain("finisher", "who was home first", won[rows, home]),
        plain("other", "who was not", won[rows, 1 - home]),
        plain("pool", "left in the pool", games.purses[:, 2]),
    )


def gamble_wins(games: Gambles) -> dict[str, int]:
    """Return the number of games that each player ended with more counters, and of draws."""
    won = games.winnings
    lead = won[:, 0] - won[:, 1]
    ahead = np.sign(lead) * (1 - 2 * games.results[:, 0])
    finished = np.sign(lead) * (1 - 2 * games.results[:, 1])
    return {
        "light": int((lead > 0).sum()),
        "dark": int((lead < 0).sum()),
        "draw": int((lead == 0).sum()),
        "first_mover": int((ahead > 0).sum()),
        "finisher": int((finished > 0).sum()),
    }

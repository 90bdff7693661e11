"""Measures of gambling games: length, branching, counters won, and who wins."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.game_tree import Constants, Estimate, Measured, convention_estimates, entropy
from urcx.gambling import game_kernels as kernels
from urcx.gambling.records import Gambles
from urcx.games.statistics import Measure, plain, ratio

# The conventions of game-tree complexity that do not depend on the dice: here throwing is a choice.
CONVENTIONS = ("allis", "ludii", "sum-log", "entropy")


def measures(games: Gambles) -> tuple[Measure, ...]:
    """Return every measure of play, by name as in the JSON interface ``urcx.gamble/1``.

    Names shared with ``urcx.gtc/1`` have the same meaning. A choice is made among the moves of the
    first die, or the pass, and throwing the second die where that is allowed; or among the moves
    after it has said yes.
    """
    counts = games.records.sum(axis=1)
    by_choices = games.by_choices.sum(axis=1)
    legal = by_choices @ np.arange(by_choices.shape[1])
    plies = games.results[:, 2]
    moves = plies - by_choices[:, 0]
    several = by_choices[:, 2:].sum(axis=1)
    chosen = by_choices[:, 2:] @ np.arange(2, by_choices.shape[1])
    found = [
        plain("plies", "plies, both players", plies),
        plain("turns", "turns", counts[:, kernels.TURNS]),
        plain("moves", "moves", moves),
        plain("passes", "passes, turns lost to the second die included", plies - moves),
        plain("decisions", "plies with two or more legal moves", several),
        plain("thrown", "second dice thrown", counts[:, kernels.THROWN]),
        plain("lost", "turns lost to the second die", counts[:, kernels.LOST]),
        plain("launches", "pieces entered", counts[:, kernels.LAUNCHES]),
        plain("captures", "captures", counts[:, kernels.CAPTURES]),
        plain("rosettes", "rosettes landed on", counts[:, kernels.LANDED]),
        plain("passed", "rosettes passed", counts[:, kernels.PASSED]),
        ratio("choices_per_ply", "legal moves a ply, 0 where nothing moves", legal, plies),
        ratio(
            "choices_per_roll",
            "legal moves a roll that was not lost to the second die",
            legal,
            plies - counts[:, kernels.LOST],
        ),
        ratio("choices_per_move", "legal moves a move", legal, moves),
    ]
    if several.any():
        text = "legal moves where there are two or more"
        found.append(ratio("choices_per_decision", text, chosen, several))
    options, nodes = counts[:, kernels.OPTIONS], counts[:, kernels.NODES]
    sums = games.sums.sum(axis=1)
    digits = _dice_digits(games)
    found += [
        ratio("options_per_choice", "options a choice, the second die among them", options, nodes),
        plain("sum_log10_options", "sum of log10 of the options", sums[:, 0]),
        plain("entropy", "entropy of choices and dice, decimal digits", sums[:, 1] + digits),
    ]
    return tuple(found)


def _dice_digits(games: Gambles) -> NDArray[np.float64]:
    """Return the entropy of the dice thrown in each game, in decimal digits."""
    yes = float(games.game.doubling)
    second = -yes * math.log10(yes) - (1 - yes) * math.log10(1 - yes)
    thrown = games.records[:, :, kernels.THROWN].sum(axis=1)
    digits: NDArray[np.float64] = games.results[:, 2] * entropy(games.game.die) + thrown * second
    return digits


def estimates(games: Gambles) -> tuple[Estimate, ...]:
    """Return game-tree complexity, log10, in the conventions that make sense here.

    ``allis`` and ``ludii`` use the legal moves of the roll that counted; ``sum-log`` uses the
    options of each choice, the second die included; ``entropy`` is that of players and dice.
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
    found = convention_estimates(measured, Constants(1, 0.0, 1.0))
    return tuple(item for item in found if item.convention.name in CONVENTIONS)


def winnings(games: Gambles) -> tuple[Measure, ...]:
    """Return the counters that the players win, negative for losses, and those left in the pool.

    Winnings are by colour, by who began, and by who was home first.
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


def wins(games: Gambles) -> dict[str, int]:
    """Return in how many games each player had more counters at the end, or neither."""
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

"""The figure of a result, as commands draw it with ``--plot``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from urcx.errors import UrcxError, WrongObjectError
from urcx.played.values import open_or_solve
from urcx.reports.figures import (
    board_plots,
    game_plots,
    plots,
    strategy_plots,
    strip,
)
from urcx.results.result import Result, function_of
from urcx.rules.position import GameLike
from urcx.solving.probing import Probed, probe

if TYPE_CHECKING:
    from urcx.game import Game
    from urcx.reports.figures.plots import Drawing

__all__ = ["figure"]

# By the public function that returns the result.
FIGURES: dict[str, Callable[[Any], Any]] = {
    "board_games": board_plots.board_games_figure,
    "compare": game_plots.comparison_figure,
    "dice_chances": strategy_plots.dice_figure,
    "gain": strategy_plots.gain_figure,
    "gtc": game_plots.tree_figure,
    "journey": strategy_plots.journey_figure,
    "lengths": game_plots.exact_lengths_figure,
    "match": game_plots.agents_figure,
    "regret": game_plots.agents_figure,
    "probe": strip.strip_figure,
    "ssc": plots.spaces_figure,
    "review": game_plots.review_figure,
    "simulate": game_plots.simulated_figure,
}


def figure(result: Result | Game) -> Drawing:
    """Return the figure of a result, which the command of the same name draws with ``--plot``.

    The figure of a game is the luck strip of its position, as ``urcx probe --plot`` draws it: each
    roll is a column as wide as it is likely and as high as the win probability after it.

    Parameters
    ----------
    result
        The result of one of these functions: `urcx.board_games`, `urcx.compare`,
        `urcx.dice_chances`, `urcx.gain`, `urcx.gtc`, `urcx.journey`, `urcx.lengths`, `urcx.match`,
        `urcx.regret`, `urcx.review`, `urcx.simulate`, `urcx.ssc`. Or a `urcx.Game`, if its rule set
        is small or ``urcx solve`` has saved the solution.

    Returns
    -------
    matplotlib.figure.Figure
        Notebooks show it with its title and caption. ``save(FILE)`` writes it as SVG, PNG or PDF,
        with both in the metadata, and with the same bytes each time. Axes, size and texts can be
        changed as in any figure.

    Raises
    ------
    UsageError
        If ``result`` is not a result, or the game is over.
    TooLargeError
        If the rule set of a game is not solved yet and too large to solve now.
    UrcxError
        If there is no figure for the result.

    Examples
    --------
    >>> import urcx
    >>> drawing = urcx.figure(urcx.ssc("bell", [1, 2, 3], enumerate=False))
    >>> drawing.axes[0].get_xlabel()
    'pieces per side, p'
    >>> urcx.figure(urcx.Game("finkel", pieces=1)).axes[0].get_ylabel()
    'light wins, %'
    """
    if isinstance(result, GameLike):
        with open_or_solve(result.rules) as solution:
            result = probe(solution, result.position)
    if not isinstance(result, Result):
        raise WrongObjectError(
            "result", Result, result, "a Game, or a result such as urcx.ssc returns"
        )
    if (own := getattr(result, "figure", None)) is not None:
        drawing: Drawing = own()
        return drawing
    draw = FIGURES.get("probe" if isinstance(result, Probed) else function_of(result))
    if draw is None:
        names = ", ".join(f"urcx.{name}" for name in FIGURES)
        raise UrcxError(f"this result has no figure. These functions return one: {names}")
    drawn: Drawing = draw(result)
    return drawn

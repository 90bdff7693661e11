"""The figure of gtc: length of games, number of legal moves, and the game among others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from urcx.agents.agents import players
from urcx.complexity import tiles
from urcx.complexity.game_tree import OtherGame, other_games
from urcx.expectations.expected import Expected
from urcx.games.records import Games
from urcx.published.gtc import GameTree, Played, evaluated
from urcx.reports.figures.labels import End, label_near, leader, spread_labels
from urcx.reports.figures.plots import COLOURS, RC, caption, new_figure, path_look, power_label
from urcx.rules.catalogue import game_name
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from urcx.expectations.lengths import Lengths

BINS = 40
OTHER = COLOURS[6]  # not the colour of a path
WIDTH = 4.8  # inches: a phone's page shows it in its size
ROOM = 0.62  # share of the axis of states kept free for the names of conventions
SHOWN = 0.9999  # share of all games that the axis of lengths shows
OTHERS = "Squares: other games, from Table 1 of Raposo and Lamont, with the plies of both players."
MOST_STATES = 100  # log10: a game beyond this would crowd all others


def games_figure(found: Played, exact: Lengths | None = None) -> Figure:
    """Return three panels: game length, legal moves per ply, and the plane of SSC and GTC.

    ``exact`` is drawn beside the lengths of the games.
    """
    with rc_context(RC):
        figure, (length, choices, plane) = _panels(2)
        _lengths(length, found, exact)
        _choices(choices, found)
        dots = _plane(plane, found.games.rules, _sizes(found))
        caption(
            figure,
            f"{_games(found)}.{_beside(exact)} {OTHERS}{_beyond()}",
        )
        label_near(plane, dots)
    return figure


def simulated_figure(games: Games) -> Figure:
    """Return the figure of simulated games, as `games_figure` draws it."""
    return games_figure(evaluated(games))


def tree_figure(found: GameTree) -> Figure:
    """Return the figure of a game tree: of its games, or of all games if none were played.

    Exact lengths are drawn where they are known.
    """
    if found.played is not None:
        return games_figure(found.played, found.lengths)
    assert found.expected is not None
    return expected_figure(found.expected, found.lengths)


def expected_figure(found: Expected, exact: Lengths | None = None) -> Figure:
    """Return what `games_figure` shows of all games: exact means, and lengths if they are known."""
    with rc_context(RC):
        figure, panels = _panels(1 if exact is None else 2)
        if exact is not None:
            _exact_lengths(panels[0], exact)
        _shares(panels[-2], found.by_choices.sum(axis=0), path_look(found.rules.path.name).colour)
        dots = _plane(
            panels[-1], found.rules, [(name, size) for name, (size, _) in found.conventions.items()]
        )
        who = players(found.light, found.dark)
        known = "" if exact is None else f" {_mean(exact)}"
        caption(
            figure,
            f"All games of {who}, {game_name(found.rules)}; exact.{known} {OTHERS}{_beyond()}",
        )
        label_near(panels[-1], dots)
    return figure


def _panels(above: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels beside each other and a wide one below them."""
    figure, panels = new_figure(8.6, 8.2, above, 2)
    for axes in panels[above:]:
        axes.remove()
    grid = panels[0].get_gridspec()
    assert grid is not None
    return figure, [*panels[:above], figure.add_subplot(grid[1, :])]


def exact_lengths_figure(exact: Lengths) -> Figure:
    """Return the exact distribution of the length of a game."""
    with rc_context(RC):
        figure, (axes,) = new_figure(WIDTH, 3.0)
        _exact_lengths(axes, exact)
        who = players(exact.light, exact.dark)
        caption(figure, f"All games of {who}, {game_name(exact.rules)}; exact. {_mean(exact)}")
    return figure


def _exact_lengths(axes: Axes, exact: Lengths) -> None:
    last = exact.quantile(SHOWN) or len(exact.chances) - 1
    plies = np.arange(max(0, exact.shortest - 1), last + 1)
    axes.plot(plies, 100 * exact.chances[plies], color=path_look(exact.rules.path.name).colour)
    axes.axvline(exact.mean, color=OTHER, lw=1.5)
    axes.set_ylim(bottom=0.0)
    axes.set_title("Length of a game", loc="left")
    axes.set(xlabel="plies of both players", ylabel="games, %")


def _mean(exact: Lengths) -> str:
    """Return the caption's text about exact lengths."""
    last = len(exact.chances) - 1
    longer = "No game lasts"
    if exact.tail:
        longer = f"Fewer than 1 in 10^{math.floor(-math.log10(exact.tail))} games last"
    return f"Black line: the mean, {exact.mean:.2f} plies. {longer} more than {last}."


def _games(found: Played) -> str:
    games = found.games
    who = players(games.light, games.dark)
    return f"{len(games):,} games of {who}, {game_name(games.rules)}, seed {games.seed}"


def _colour(found: Played) -> str:
    rules = found.games.rules
    return path_look(rules.path.name).colour


def _lengths(axes: Axes, found: Played, exact: Lengths | None = None) -> None:
    plies = found.games.plies
    low, high = int(plies.min()), int(plies.max()) + 1
    step = max(1, math.ceil((high - low) / BINS))  # whole plies, so that all bins have equally many
    bins = np.arange(low, high + step, step)
    edges = bins - 0.5  # bars stand around the numbers that they count, as the mean does
    counts, *_ = axes.hist(plies, bins=edges.tolist(), color=_colour(found))
    if exact is not None:
        chances = np.append(exact.chances, np.zeros(max(0, int(bins[-1]) - len(exact.chances))))
        wanted = len(plies) * np.add.reduceat(chances[: bins[-1]], bins[:-1])
        axes.plot((edges[:-1] + edges[1:]) / 2, wanted, color="black", lw=1.2)
        counts = np.append(counts, wanted)
    axes.set_ylim(top=1.15 * float(np.max(counts)))  # room for the mean above the bars
    mean = next(m for m in found.measures if m.name == "plies").mean
    axes.axvline(mean, color=OTHER, lw=1.5)
    axes.annotate(
        f"mean {mean:.1f}",
        xy=(mean, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(5, -10),
        textcoords="offset points",
        color=OTHER,
    )
    axes.set_title("Length of a game", loc="left")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="plies of both players", ylabel="games")


def _choices(axes: Axes, found: Played) -> None:
    _shares(axes, found.games.by_choices.sum(axis=(0, 1), dtype=np.int64), _colour(found))


def _shares(axes: Axes, counts: Any, colour: str) -> None:
    """Draw how many of all plies have how many legal moves."""
    last = int(np.nonzero(counts)[0][-1])
    shares = counts[: last + 1] / counts.sum() * 100
    bars = axes.bar(range(last + 1), shares, color=colour)
    axes.bar_label(bars, [f"{share:.1f}" for share in shares], fontsize=8, padding=2)
    axes.set_xticks(range(last + 1))
    axes.grid(axis="x", visible=False)
    axes.set_title("Legal moves of a ply", loc="left")
    axes.set(xlabel="legal moves (0: a pass)", ylabel="plies, %")


def _beside(exact: Lengths | None) -> str:
    return "" if exact is None else " Black curve: the exact distribution."


def _shown() -> list[OtherGame]:
    return [game for game in other_games() if game.ssc < MOST_STATES]


def _beyond() -> str:
    """Return the caption's text about games outside the axes."""
    out = [game for game in other_games() if game.ssc >= MOST_STATES]
    named = ", ".join(f"{g.name} (states 10^{g.ssc:.0f}, tree 10^{g.gtc:.0f})" for g in out)
    return f" Not shown: {named}." if out else ""


def _sizes(found: Played) -> list[tuple[str, float]]:
    return [(e.convention.name, e.log10) for e in found.estimates]


def _plane(axes: Axes, rules: RuleSet, own: Sequence[tuple[str, float]]) -> list[End]:
    """Draw the plane, the game in each convention; return the other games' dots, to be labelled.

    ``own`` has the conventions' names with the size of the tree, log10.
    """
    ssc = math.log10(tiles.diagrams(rules.path, rules.pieces))
    colour = path_look(rules.path.name).colour
    others = [(game.name, game.ssc, game.gtc) for game in _shown()]
    top = 1.08 * max([y for _, y in own] + [y for *_, y in others])
    axes.set_ylim(0, top)
    # Left of the game's own dots there is room for their names: no other game comes near.
    right = 1.25 * max(x for _, x, _ in others)
    axes.set_xlim(ssc - ROOM * right, right)
    axes.set_xticks(range(0, int(right), 10))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(power_label))
    axes.plot([ssc] * len(own), [y for _, y in own], "o", color=colour, ms=5)
    gap = 0.046 * top
    heights = spread_labels([y for _, y in own], gap, gap, top - gap / 2)
    for (name, y), height in zip(own, heights, strict=True):
        axes.annotate(
            rf"{name} $10^{{{y:.0f}}}$",
            xy=(ssc, y),
            xytext=(ssc - 0.05 * right, height),
            ha="right",
            va="center",
            fontsize=8,
            color=colour,
            arrowprops=leader(colour) | {"relpos": (1.0, 0.5)},
        )
    axes.plot([x for _, x, _ in others], [y for *_, y in others], "s", color=OTHER, ms=6)
    axes.set_title(f"{rules.name} by convention, and other games", loc="left")
    axes.set(xlabel="states", ylabel="leaves of the game tree")
    return [End(x, y, name, OTHER) for name, x, y in others]

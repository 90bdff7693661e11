"""Figures of games: length and size, comparisons of rule sets and agents, and a reviewed game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from urcx.agents.agents import players
from urcx.complexity import tiles
from urcx.complexity.game_tree import OtherGame, other_games
from urcx.errors import UsageError, printable
from urcx.expectations.compare import ComparedRules, Comparison
from urcx.expectations.expected import Expected
from urcx.expectations.regret import AgentLosses
from urcx.games.match import Match
from urcx.games.records import Games
from urcx.played.record import Ply
from urcx.played.review import GRADES, Review, ReviewedPly
from urcx.published.gtc import GameTree, Played, measure_games
from urcx.reports.figures.labels import End, label_near, leader, spread_labels
from urcx.reports.figures.plots import (
    COLOURS,
    MARKERS,
    PRINTED,
    RC,
    Drawing,
    caption,
    new_figure,
    path_look,
    power_label,
)
from urcx.results.numbers import count_text
from urcx.rules.catalogue import game_name
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from urcx.expectations.lengths import Lengths

BINS = 40
OTHER = COLOURS[6]  # not the colour of a path
WIDTH = 4.8  # inches: fits the page of a phone
ROOM = 0.62  # share of the axis of states that is free for the names of conventions
SHOWN = 0.9999  # share of all games within the axis of lengths
OTHERS = "Squares: other games, from Table 1 of Raposo and Lamont, with the plies of both players."
MOST_STATES = 100  # log10: a larger game would crowd all others
FULL_WIDTH = 8.6  # inches
# Panels: an attribute of a row, the label of its axis, and the factor of its values.
PANELS = (
    ("first_wins", "first player wins, %", 100.0),
    ("plies", "plies of a game", 1.0),
    ("raposo_lamont", "tree with dice, log10", 1.0),
)
LINES = ("-", "--", "-.", ":")  # because curves of equivalent rule sets coincide
ROW = 0.3  # inches for a row of dots
LOOKS = {"light": (COLOURS[5], "o"), "dark": (COLOURS[6], "s")}
NAMED = 3  # labelled mistakes per side, the worst


def games_figure(result: Played, exact: Lengths | None = None) -> Figure:
    """Return three panels: game length, legal moves per ply, and the plane of SSC and GTC.

    ``exact`` is drawn with the lengths of the games.
    """
    with rc_context(RC):
        figure, (length, choices, plane) = _panels(2)
        _lengths(length, result, exact)
        _choices(choices, result)
        dots = _plane(plane, result.games.rules, _sizes(result))
        caption(
            figure,
            f"{_games(result)}.{_exact_curve(exact)} {OTHERS}{_beyond()}",
        )
        label_near(plane, dots)
    return figure


def simulated_figure(games: Games) -> Figure:
    """Return the figure of simulated games (see `games_figure`)."""
    return games_figure(measure_games(games))


def tree_figure(result: GameTree) -> Figure:
    """Return the figure of a game tree: of its games, or of all games if none were played.

    Exact lengths are drawn if known.
    """
    if result.played is not None:
        return games_figure(result.played, result.lengths)
    assert result.expected is not None
    return expected_figure(result.expected, result.lengths)


def expected_figure(result: Expected, exact: Lengths | None = None) -> Figure:
    """Return the panels of `games_figure` for all games: exact means, and lengths if known."""
    with rc_context(RC):
        figure, panels = _panels(1 if exact is None else 2)
        if exact is not None:
            _exact_lengths(panels[0], exact)
        _shares(panels[-2], result.by_choices.sum(axis=0), path_look(result.rules.path.name).colour)
        dots = _plane(
            panels[-1],
            result.rules,
            [(name, size) for name, (size, _) in result.conventions.items()],
        )
        agents = players(result.light, result.dark)
        mean = "" if exact is None else f" {_mean(exact)}"
        caption(
            figure,
            f"All games of {agents}, {game_name(result.rules)}; exact.{mean} {OTHERS}{_beyond()}",
        )
        label_near(panels[-1], dots)
    return figure


def _panels(above: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels in a row, and a wide panel below them."""
    figure, panels = new_figure(FULL_WIDTH, 8.2, above, 2)
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
        agents = players(exact.light, exact.dark)
        caption(figure, f"All games of {agents}, {game_name(exact.rules)}; exact. {_mean(exact)}")
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


def _games(result: Played) -> str:
    games = result.games
    agents = players(games.light, games.dark)
    return f"{len(games):,} games of {agents}, {game_name(games.rules)}, seed {games.seed}"


def _colour(result: Played) -> str:
    rules = result.games.rules
    return path_look(rules.path.name).colour


def _lengths(axes: Axes, result: Played, exact: Lengths | None = None) -> None:
    plies = result.games.plies
    low, high = int(plies.min()), int(plies.max()) + 1
    step = max(
        1, math.ceil((high - low) / BINS)
    )  # an integer, so all bins have the same number of plies
    bins = np.arange(low, high + step, step)
    edges = bins - 0.5  # bars are centred on the plies that they count, like the mean
    counts, *_ = axes.hist(plies, bins=edges.tolist(), color=_colour(result))
    if exact is not None:
        chances = np.append(exact.chances, np.zeros(max(0, int(bins[-1]) - len(exact.chances))))
        expected = len(plies) * np.add.reduceat(chances[: bins[-1]], bins[:-1])
        axes.plot((edges[:-1] + edges[1:]) / 2, expected, color="black", lw=1.2)
        counts = np.append(counts, expected)
    axes.set_ylim(top=1.15 * float(np.max(counts)))  # room for the mean above the bars
    mean = next(m for m in result.measures if m.name == "plies").mean
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


def _choices(axes: Axes, result: Played) -> None:
    _shares(axes, result.games.by_choices.sum(axis=(0, 1), dtype=np.int64), _colour(result))


def _shares(axes: Axes, counts: Any, colour: str) -> None:
    """Draw the share of plies with each number of legal moves."""
    last = int(np.nonzero(counts)[0][-1])
    shares = counts[: last + 1] / counts.sum() * 100
    bars = axes.bar(range(last + 1), shares, color=colour)
    axes.bar_label(bars, [f"{share:.1f}" for share in shares], fontsize=8, padding=2)
    axes.set_xticks(range(last + 1))
    axes.grid(axis="x", visible=False)
    axes.set_title("Legal moves of a ply", loc="left")
    axes.set(xlabel="legal moves (0: a pass)", ylabel="plies, %")


def _exact_curve(exact: Lengths | None) -> str:
    return "" if exact is None else " Black curve: the exact distribution."


def _shown() -> list[OtherGame]:
    return [game for game in other_games() if game.ssc < MOST_STATES]


def _beyond() -> str:
    """Return the caption's text about games outside the axes."""
    out = [game for game in other_games() if game.ssc >= MOST_STATES]
    named = ", ".join(f"{g.name} (states 10^{g.ssc:.0f}, tree 10^{g.gtc:.0f})" for g in out)
    return f" Not shown: {named}." if out else ""


def _sizes(result: Played) -> list[tuple[str, float]]:
    return [(e.convention.name, e.log10) for e in result.estimates]


def _plane(axes: Axes, rules: RuleSet, own: Sequence[tuple[str, float]]) -> list[End]:
    """Draw the plane with the game in each convention, and return the other games' dots for labels.

    ``own`` has the name of each convention and the size of the tree, log10.
    """
    ssc = math.log10(tiles.diagrams(rules.path, rules.pieces))
    colour = path_look(rules.path.name).colour
    others = [(game.name, game.ssc, game.gtc) for game in _shown()]
    top = 1.08 * max([y for _, y in own] + [y for *_, y in others])
    axes.set_ylim(0, top)
    # Left of the game's dots there is room for their names, because no other game is near.
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


# --- rule sets and agents compared


def comparison_figure(result: Comparison) -> Drawing:
    """Return the figure of a comparison.

    Rule sets with several numbers of pieces are curves, and others are rows of dots. Estimates have
    intervals.

    Raises
    ------
    UsageError
        If there are more curves than distinguishable colours.
    """
    curves: dict[str, list[ComparedRules]] = {}
    for row in result:
        curves.setdefault(row.rules.name, []).append(row)
    ranged = len(curves) < len(result)
    if ranged and len(curves) > len(COLOURS):
        raise UsageError(f"--plot: must be at most {len(COLOURS)} rule sets, not {len(curves)}")
    with rc_context(RC):
        height = 3.1 if ranged else 1.0 + ROW * len(result)
        figure, panels = new_figure(FULL_WIDTH, height, len(PANELS))
        if ranged:
            for axes, (name, label, scale) in zip(panels, PANELS, strict=True):
                _curves(axes, [*curves.values()], name, scale)
                axes.set(xlabel="pieces per side, p", ylabel=label)
            figure.legend(
                *panels[0].get_legend_handles_labels(), loc="outside upper left",
                ncols=min(4, len(curves)), frameon=False,
            )  # fmt: skip
            return figure
        for axes, (name, label, scale) in zip(panels, PANELS, strict=True):
            values, off = _ends(result, name, scale)
            axes.errorbar(values, range(len(result)), xerr=off, fmt="o", color=COLOURS[0])
            axes.set(xlabel=label, ylim=(len(result) - 0.5, -0.5))
            axes.set_yticks(range(len(result)), [] if axes is not panels[0] else _row_names(result))
    return figure


def agents_figure(result: Match | AgentLosses) -> Drawing:
    """Return the figure of a match or of agents' losses, with a row for each pair or agent."""
    rows: list[tuple[str, float, tuple[float, float] | None]]
    if isinstance(result, Match):
        axis = "win rate, %"
        rows = [
            (f"{pair.agent.name} against {pair.opponent.name}", pair.share, pair.ci95)
            for pair in result.pairs
            if pair.agent != pair.opponent or len(result.agents) == 1
        ]
    else:
        axis = "loss in a game, points"
        rows = [(regret.agent.name, regret.side.loss, None) for regret in result.regrets]
    with rc_context(RC):
        figure, (axes,) = new_figure(PRINTED, 1.0 + ROW * len(rows))
        values = 100 * np.array([value for _, value, _ in rows])
        ends = 100 * np.array([ci95 or (value, value) for _, value, ci95 in rows])
        off = np.abs(ends.T - values)
        axes.errorbar(values, range(len(rows)), xerr=off, fmt="o", color=COLOURS[0])
        axes.set(xlabel=axis, ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), [printable(name) for name, _, _ in rows])
    return figure


def _row_names(rows: Sequence[ComparedRules]) -> list[str]:
    return [f"{row.rules.name}, p = {row.rules.pieces}" for row in rows]


def _curves(axes: Axes, curves: Sequence[Sequence[ComparedRules]], name: str, scale: float) -> None:
    """Draw a quantity over the number of pieces, with a curve for each rule set."""
    for k, rows in enumerate(curves):
        values, off = _ends(rows, name, scale)
        pieces = [row.rules.pieces for row in rows]
        axes.errorbar(
            pieces, values, yerr=off, color=COLOURS[k], marker=MARKERS[k],
            linestyle=LINES[k % len(LINES)], label=rows[0].rules.name,
        )  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _ends(rows: Sequence[ComparedRules], name: str, scale: float) -> tuple[Any, Any]:
    """Return values, and the distances of the ends of their intervals, 0 without intervals."""
    figures = [getattr(row, name) for row in rows]
    values = np.array([figure.value for figure in figures])
    ends = np.array([figure.ci95 or (figure.value, figure.value) for figure in figures])
    return scale * values, scale * np.abs(ends.T - values)


# --- a game reviewed


def review_figure(result: Review) -> Figure:
    """Return light's win probability by ply, with a marker at each graded decision.

    The worst are labelled with the move and its loss.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(FULL_WIDTH, 4.2)
        chances = [result.light_start, *(ply.light_after for ply in result.plies)]
        axes.plot(range(len(chances)), list(map(float, chances)), color=COLOURS[0], lw=1.6)
        axes.axhline(0.5, color="#999999", lw=0.8)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(0, max(1, len(result.plies)))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(xlabel="ply", ylabel="light's win probability")
        played = result.played
        axes.set_title(
            f"{played.player('light')} (light) against {played.player('dark')} (dark), "
            f"{result.rules.name}: "
            f"{f'{played.winner} has won' if played.winner else played.result}",
            loc="left",
        )
        ends = [end for side in LOOKS for end in _mistakes(axes, result, side)]
        caption(figure, _review_caption(result))
        label_near(axes, ends)
    return figure


def _mistakes(axes: Axes, result: Review, side: str) -> list[End]:
    """Mark a side's graded decisions, and return the labels of the worst."""
    colour, marker = LOOKS[side]
    wrong = [ply for ply in result.plies if ply.side == side and ply.grade]
    axes.plot(
        [ply.number for ply in wrong],
        [float(ply.light_after) for ply in wrong],
        marker,
        color=colour,
        mec="#333333",
        ms=5,
    )

    def loss(item: ReviewedPly) -> float:
        return 100 * float(item.regret)

    worst = sorted(wrong, key=loss, reverse=True)[:NAMED]
    return [
        End(
            item.number,
            float(item.light_after),
            f"{_tiles(item.ply)} loses {_points(result, loss(item))}",
            "#333333",
        )
        for item in worst
    ]


def _tiles(ply: Ply) -> str:
    """Return the tiles of a move, without its effects."""
    return ply.describe().partition(",")[0]


def _points(result: Review, points: float, sign: str = "") -> str:
    """Return a number of points for a text, with a mark and one decimal if it is an estimate."""
    return f"≈ {points:{sign}.1f}" if result.approximate else f"{points:{sign}.2f}"


def _review_caption(result: Review) -> str:
    sides = [
        f"{side.side.capitalize()}: luck {_points(result, 100 * float(side.luck), '+')} points, "
        f"loss {_points(result, 100 * float(side.lost))} points by "
        f"{count_text(side.decisions, 'decision')} ({count_text(side.blunders, 'blunder')}, "
        f"{count_text(side.graded_mistakes, 'mistake')})"
        for side in result.sides
    ]
    source = ", estimated by a network" if result.approximate else ""
    return (
        f"Win probability under optimal play{source}. Marks: losses from {100 * GRADES[-1].least} "
        "points, light's as circles and dark's as squares. "
        f"Labels: the worst, in points. {'. '.join(sides)}."
    )

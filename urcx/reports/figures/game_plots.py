"""Figures of games: length and size, comparisons of rule sets and agents, and a reviewed game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from urcx.agents.agents import players
from urcx.complexity.game_tree import other_games
from urcx.errors import UsageError, printable
from urcx.expectations.compare import ComparedRules, Comparison
from urcx.expectations.expected import Expected
from urcx.expectations.regret import AgentLosses
from urcx.games.match import Match
from urcx.games.records import Games
from urcx.played.game_review import GRADES, Review, ReviewedPly
from urcx.played.record import Ply
from urcx.published.gtc import GameTree, Played, measure_games
from urcx.reports.figures.labels import (
    LINE,
    MOST,
    SIZE,
    End,
    label_beside,
    label_near,
    place_labels,
    shortened,
)
from urcx.reports.figures.plots import (
    COLOURS,
    CREAM,
    GOLD,
    MARKERS,
    NAVY,
    RC,
    SIGNS,
    Drawing,
    caption,
    empty_figure,
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
SHOWN = 0.9999  # share of all games within the axis of lengths
OTHERS = "Dotted: other games, from Table 1 of Raposo and Lamont, with the plies of both players."
MOST_PLACES = 200  # log10: a larger game would crowd all others
# Panels: an attribute of a row, the label of its axis, and the factor of its values.
PANELS = (
    ("first_wins", "first player wins, %", 100.0),
    ("plies", "plies of a game", 1.0),
    ("raposo_lamont", "tree, log10", 1.0),
)
LINES = ("-", "--", "-.", ":")  # because curves of equivalent rule sets coincide
ROW = 0.22  # inches for a row of dots
MAP = LinearSegmentedColormap.from_list("wins", [NAVY, CREAM, GOLD])
CELL = 0.3  # inches: the height of a cell with a number
LETTERS, LETTER = 56, 0.085  # of the names below a map, and inches of each
MOST_CELLS = 10  # agents of a match up to which there is room for numbers
DARK, LIGHT, PALE = "#23262e", "#fffdf8", 0.28  # texts on cells, light up to this win rate
LOOKS = {"light": (COLOURS[5], "o"), "dark": (COLOURS[6], "s")}
NAMED = 3  # labelled mistakes per side, the worst


def games_figure(result: Played, exact: Lengths | None = None) -> Drawing:
    """Return three panels: game length, legal moves per ply, and the size of the game tree.

    ``exact`` is drawn with the lengths of the games.
    """
    with rc_context(RC):
        figure, (length, choices, sizes) = _panels(2)
        ends = _lengths(length, result, exact)
        _shares(
            choices,
            result.games.by_choices.sum(axis=(0, 1), dtype=np.int64),
            _colour(result),
        )
        rows = [(e.convention.name, e.log10, e.ci95, e.games95) for e in result.estimates]
        _conventions(sizes, result.games.rules, rows)
        intervals = (
            " Thick: 95 % interval. Thin: 95 % of single games." if len(result.games) > 1 else ""
        )
        caption(
            figure, _tree_title(result.games.rules), f"{_games(result)}.{intervals} {_beyond()}"
        )
        label_near(length, ends)
    return figure


def simulated_figure(games: Games) -> Drawing:
    """Return the figure of simulated games (see `games_figure`)."""
    return games_figure(measure_games(games))


def tree_figure(result: GameTree) -> Drawing:
    """Return the figure of a game tree: of its games, or of all games if none were played.

    Exact lengths are drawn if known.
    """
    if result.played is not None:
        return games_figure(result.played, result.lengths)
    assert result.expected is not None
    return expected_figure(result.expected, result.lengths)


def expected_figure(result: Expected, exact: Lengths | None = None) -> Drawing:
    """Return the panels of `games_figure` for all games: exact means, and lengths if known."""
    with rc_context(RC):
        figure, panels = _panels(1 if exact is None else 2)
        if exact is not None:
            _exact_lengths(panels[0], exact)
        _shares(panels[-2], result.by_choices.sum(axis=0), path_look(result.rules.path.name).colour)
        rows = [(name, size, None, None) for name, (size, _) in result.conventions.items()]
        _conventions(panels[-1], result.rules, rows)
        agents = players(result.light, result.dark)
        caption(
            figure,
            _tree_title(result.rules),
            f"All games of {agents}, {game_name(result.rules)}; exact. {_beyond()}",
        )
        place_labels(figure)
    return figure


def _tree_title(rules: RuleSet) -> str:
    return f"Length of a game, legal moves and size of the game tree, {rules.name}"


def _panels(above: int) -> tuple[Drawing, list[Axes]]:
    """Return a figure with panels in a row, and a wide panel below them."""
    figure = empty_figure(4.9)
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.0, 1.35))
    panels = parts[0].subplots(1, above, squeeze=False).flat
    return figure, [*panels, parts[1].subplots()]


def exact_lengths_figure(exact: Lengths) -> Drawing:
    """Return the exact distribution of the length of a game."""
    with rc_context(RC):
        figure, (axes,) = new_figure(3.0)
        _exact_lengths(axes, exact)
        agents = players(exact.light, exact.dark)
        about = f"All games of {agents}, {game_name(exact.rules)}; exact. {_mean(exact)}"
        caption(figure, f"Length of a game, {exact.rules.name}", about)
        place_labels(figure)
    return figure


def _exact_lengths(axes: Axes, exact: Lengths) -> None:
    last = exact.quantile(SHOWN) or len(exact.chances) - 1
    plies = np.arange(max(0, exact.shortest - 1), last + 1)
    colour = path_look(exact.rules.path.name).colour
    axes.step(plies, 100 * exact.chances[plies], where="mid", color=colour, lw=1.3)
    axes.set_ylim(bottom=0.0)
    _draw_mean(axes, f"mean {exact.mean:.2f}", exact.mean)
    # A fixed number of ticks: others would change with the layout, and the layout with them.
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.set(xlabel="plies of both players", ylabel="games, %")


def _draw_mean(axes: Axes, text: str, mean: float) -> None:
    """Draw a line at the mean, with its label above the panel."""
    axes.axvline(mean, color=OTHER, lw=1.2)
    axes.annotate(
        text, (mean, 1.0), (0, 3), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="center", color=OTHER,
    )  # fmt: skip


def _mean(exact: Lengths) -> str:
    """Return the caption's text about exact lengths."""
    last = len(exact.chances) - 1
    longer = "No game lasts"
    if exact.tail:
        longer = f"Fewer than 1 in 10^{math.floor(-math.log10(exact.tail))} games last"
    return f"Black line: the mean. {longer} more than {last} plies."


def _games(result: Played) -> str:
    games = result.games
    agents = players(games.light, games.dark)
    return f"{len(games):,} games of {agents}, {game_name(games.rules)}, seed {games.seed}"


def _colour(result: Played) -> str:
    rules = result.games.rules
    return path_look(rules.path.name).colour


def _lengths(axes: Axes, result: Played, exact: Lengths | None = None) -> list[End]:
    """Draw the lengths of games, and the exact distribution, whose label is returned."""
    plies = result.games.plies
    low, high = int(plies.min()), int(plies.max()) + 1
    step = max(
        1, math.ceil((high - low) / BINS)
    )  # an integer, so all bins have the same number of plies
    bins = np.arange(low, high + step, step)
    edges = bins - 0.5  # bars are centred on the plies that they count, like the mean
    axes.hist(plies, bins=edges.tolist(), color=_colour(result))
    ends = []
    if exact is not None:
        chances = np.append(exact.chances, np.zeros(max(0, int(bins[-1]) - len(exact.chances))))
        expected = len(plies) * np.add.reduceat(chances[: bins[-1]], bins[:-1])
        centres = (edges[:-1] + edges[1:]) / 2
        axes.step(centres, expected, where="mid", color="black", lw=1.2)
        last = int(np.flatnonzero(expected > expected.max() / 2)[-1])
        ends.append(End(float(centres[last]), float(expected[last]), "exact", "black"))
    mean = next(m for m in result.measures if m.name == "plies").mean
    _draw_mean(axes, f"mean {mean:.1f}", mean)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.set(xlabel="plies of both players", ylabel="games")
    return ends


def _shares(axes: Axes, counts: Any, colour: str) -> None:
    """Draw the share of plies with each number of legal moves."""
    last = int(np.nonzero(counts)[0][-1])
    shares = counts[: last + 1] / counts.sum() * 100
    bars = axes.barh(range(last + 1), shares, color=colour)
    axes.bar_label(bars, [f"{share:.1f}" for share in shares], padding=2)
    axes.set_yticks(range(last + 1), ["pass", *map(str, range(1, last + 1))])
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.grid(axis="y", visible=False)
    axes.set(ylabel="legal moves", xlabel="plies, %")


def _beyond() -> str:
    """Return the caption's text about other games, within and outside the axis."""
    out = [game for game in other_games() if game.gtc >= MOST_PLACES]
    named = ", ".join(f"{game.name} (10^{game.gtc:.0f})" for game in out)
    return f"{OTHERS} Not shown: {named}." if out else OTHERS


Span = tuple[float, float] | None


def _conventions(axes: Axes, rules: RuleSet, rows: Sequence[tuple[str, float, Span, Span]]) -> None:
    """Draw the size of the tree in each convention, with the sizes of other games as lines.

    A row has a convention's name and size, the interval of the size, and the interval of 95 % of
    single games, all as log10.
    """
    colour = path_look(rules.path.name).colour
    others = sorted((game.gtc, game.name) for game in other_games() if game.gtc < MOST_PLACES)
    for place, (_, size, sure, games) in enumerate(rows):
        for span, width in ((games, 1.0), (sure, 3.5)):
            if span is not None:
                axes.plot(span, [place, place], color=colour, lw=width, solid_capstyle="butt")
        axes.plot([size], [place], "o", color=colour, ms=4.5)
    for k, (size, name) in enumerate(others):
        axes.axvline(size, color=OTHER, lw=1.0, ls=":")
        # Neighbours are at two heights.
        axes.annotate(
            name, (size, 1.0), (0, 3 + LINE * SIZE * (k % 2)), textcoords="offset points",
            xycoords=("data", "axes fraction"), ha="center", color=OTHER,
        )  # fmt: skip
    sizes = [end for _, size, sure, games in rows for end in (size, *(sure or ()), *(games or ()))]
    axes.set_xlim(0, 1.06 * max(*sizes, *(size for size, _ in others)))
    axes.xaxis.set_major_formatter(FuncFormatter(power_label))
    axes.set_yticks(range(len(rows)), [f"{name}   $10^{{{size:.1f}}}$" for name, size, *_ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("leaves of the game tree, by convention")


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
        height = 2.6 if ranged else 0.7 + ROW * len(result)
        figure, panels = new_figure(height, len(PANELS), sharey=not ranged)
        for axes, (name, label, scale) in zip(panels, PANELS, strict=True):
            axes.set_title(label, loc="left")
            if ranged:
                ends = _curves(axes, [*curves.values()], name, scale)
                continue
            values, off = _ends(result, name, scale)
            axes.errorbar(values, range(len(result)), xerr=off, fmt="o", ms=4.5, color=COLOURS[0])
            axes.xaxis.set_major_locator(MaxNLocator(nbins=3))
            axes.margins(x=0.15)
        estimated = any(row.games for row in result)
        about = f"Seed {result.seed}. Bars: 95 % intervals of estimates." if estimated else "Exact."
        title = "The first player's win probability, the length of a game and the game tree"
        if ranged:
            panels[1].set_xlabel("pieces per side, p")
            caption(figure, title, about)
            label_beside(panels[-1], ends)
        else:
            panels[0].set_yticks(range(len(result)), _row_names(result))
            panels[0].set_ylim(len(result) - 0.5, -0.5)
            caption(figure, title, about)
    return figure


def agents_figure(result: Match | AgentLosses) -> Drawing:
    """Return the figure of a match or of agents' losses, with a row for each agent.

    A match of several agents is a map of win rates, and of two agents a dot with its interval.
    """
    with rc_context(RC):
        if isinstance(result, Match):
            pairs = [p for p in result.pairs if p.agent != p.opponent or len(result.agents) == 1]
            about = f"{result.games:,} games per pair, seed {result.seed}."
            title = f"Win rates, {game_name(result.rules)}"
            if len(pairs) > 1:
                figure = _rates(result)
                caption(figure, title, f"Win rate of the row's agent, %. {about}")
                return figure
            axis, about = "win rate, %", f"{about} Bar: 95 % interval."
            names = [f"{p.agent.name} against {p.opponent.name}" for p in pairs]
            values = 100 * np.array([pair.share for pair in pairs])
            off = np.abs(100 * np.array([pair.ci95 for pair in pairs]).T - values)
        else:
            axis, about = "loss in a game, points", "Exact."
            title = f"Losses against optimal play, {game_name(result.rules)}"
            names = [regret.agent.name for regret in result.regrets]
            values = 100 * np.array([regret.side.loss for regret in result.regrets])
            off = np.zeros((2, len(values)))
        figure, (axes,) = new_figure(0.6 + ROW * len(names))
        axes.errorbar(values, range(len(names)), xerr=off, fmt="o", ms=4.5, color=COLOURS[0])
        axes.set(xlabel=axis, ylim=(len(names) - 0.5, -0.5))
        axes.margins(x=0.1)
        axes.set_yticks(range(len(names)), [_name(name, 48) for name in names])
        caption(figure, title, about)
    return figure


def _name(name: str, most: int = MOST) -> str:
    return shortened(printable(name), most)


def _rates(result: Match) -> Drawing:
    """Return a map of the win rates of agents, with numbers if there is room."""
    agents = result.agents
    pairs = [[result.share(row, column) for column in agents] for row in agents]
    rates = np.array([[np.nan if p is None else p.share for p in row] for row in pairs])
    numbered = len(agents) <= MOST_CELLS
    names = [_name(agent.name, 18) for agent in agents]
    longest = max(map(len, names))
    upright = longest > LETTERS / len(names)
    below = LETTER * longest if upright else 0.2
    figure, (axes,) = new_figure(0.4 + below + (CELL if numbered else ROW) * len(agents))
    drawn = axes.pcolormesh(
        np.ma.masked_invalid(100 * rates), cmap=MAP, vmin=0, vmax=100, edgecolors="white", lw=1.0
    )
    for (row, column), rate in np.ndenumerate(rates):
        if numbered and not np.isnan(rate):
            axes.text(
                column + 0.5, row + 0.5, f"{100 * rate:.1f}", ha="center", va="center",
                color=LIGHT if rate < PALE else DARK,
            )  # fmt: skip
    if not numbered:
        figure.colorbar(drawn, ax=axes, label="win rate, %")
    axes.set_yticks(np.arange(len(agents)) + 0.5, names)
    axes.set_xticks(np.arange(len(agents)) + 0.5, names, rotation=90 if upright else 0)
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set(ylabel="win rate of", xlabel="against")
    return figure


def _row_names(rows: Sequence[ComparedRules]) -> list[str]:
    return [f"{shortened(row.rules.name)}, p = {row.rules.pieces}" for row in rows]


def _curves(
    axes: Axes, curves: Sequence[Sequence[ComparedRules]], name: str, scale: float
) -> list[End]:
    """Draw a quantity over the number of pieces, and return the labels of its curves."""
    ends = []
    for k, rows in enumerate(curves):
        values, off = _ends(rows, name, scale)
        pieces = [row.rules.pieces for row in rows]
        axes.errorbar(
            pieces, values, yerr=off, color=COLOURS[k], marker=MARKERS[k], ms=4, lw=1.3,
            linestyle=LINES[k % len(LINES)],
        )  # fmt: skip
        label = f"{SIGNS[k]} {shortened(rows[0].rules.name, 20)}"
        ends.append(End(pieces[-1], float(values[-1]), label, COLOURS[k]))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    return ends


def _ends(rows: Sequence[ComparedRules], name: str, scale: float) -> tuple[Any, Any]:
    """Return values, and the distances of the ends of their intervals, 0 without intervals."""
    figures = [getattr(row, name) for row in rows]
    values = np.array([figure.value for figure in figures])
    ends = np.array([figure.ci95 or (figure.value, figure.value) for figure in figures])
    return scale * values, scale * np.abs(ends.T - values)


# --- a game reviewed


def review_figure(result: Review) -> Drawing:
    """Return light's win probability by ply, with a marker at each graded decision.

    The worst are labelled with the move and its loss.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(3.4)
        chances = [result.light_start, *(ply.light_after for ply in result.plies)]
        axes.plot(range(len(chances)), list(map(float, chances)), color=COLOURS[0], lw=1.6)
        axes.axhline(0.5, color="#999999", lw=0.8)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(0, max(1, len(result.plies)))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(xlabel="ply", ylabel="light's win probability")
        played = result.played
        title = (
            f"{played.player('light')} (light) against {played.player('dark')} (dark), "
            f"{result.rules.name}: "
            f"{f'{played.winner} has won' if played.winner else played.result}"
        )
        ends = [end for side in LOOKS for end in _mistakes(axes, result, side)]
        caption(figure, title, _review_caption(result))
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

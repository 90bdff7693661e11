"""The sources' figures for game length, branching and the game tree, compared with our games.

A figure is compared only with games whose rules and agents are those of its source: the paper's
figures are those of its agent, Kwan and Hartemink's concern the winner, and so on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from urcx.complexity.game_tree import Z95, Estimate, with_interval
from urcx.games.records import Games
from urcx.games.statistics import Measure
from urcx.published.figures import samples
from urcx.published.quantities.values import allowance
from urcx.results.fields import fields_of, member, shown_as
from urcx.results.tables import Column, Toned, key

PAPER_GAMES = 2000  # section 3.2
PAPER_AGENT = "panda:7"
PIECES = 7  # per side, in the paper and in the post
OTHER_PIECES = "another number of pieces"
PAPER_LOG10 = 106.35 * math.log10(2.45 * 5)
POST_PLIES = 120  # used for 10^87; the text says 140
POST_BRANCHES = 5.3
TOO_FEW = "too few games to say"

Interval = tuple[float, float] | None


def _toned(verdict: str) -> str:
    """Return a verdict on a published figure, coloured if the games bear on it."""
    if "within" in verdict:
        return Toned(verdict, "good")
    return Toned(verdict, "bad") if "beyond" in verdict or "outside" in verdict else verdict


@dataclass(frozen=True)
class PublishedMeasure:
    """A published figure and ours, as text, with a verdict in words."""

    source: Annotated[
        str, member(Column("source", text=True, least=12), about="where it is printed")
    ]
    figure: Annotated[str, member(key("figure"), about="what it is a figure of")]
    printed: Annotated[str, member("printed", about="as printed")]
    here: Annotated[str, member("here", about="as these games have it")]
    verdict: Annotated[
        str, member(Column("verdict", text=True, least=18), shown_as(_toned), "in words")
    ]


PUBLISHED = fields_of(PublishedMeasure)


def published_measures(
    games: Games, measures: tuple[Measure, ...], estimates: tuple[Estimate, ...]
) -> tuple[PublishedMeasure, ...]:
    """Return the published figures that apply to some games; only finkel has any."""
    if games.rules.name != "finkel":
        return ()
    by_name = {m.name: m for m in measures}
    gtc = {e.convention.name: e for e in estimates}
    return (*_paper(games, by_name, gtc), *_post(games, by_name, gtc))


def _paper(
    games: Games, by_name: dict[str, Measure], gtc: dict[str, Estimate]
) -> list[PublishedMeasure]:
    plies, choices = by_name["plies"], by_name["choices_per_ply"]
    half = None if plies.ci95 is None else (plies.ci95[0] / 2, plies.ci95[1] / 2)
    figure = gtc["raposo-lamont"]
    other = _other_game(games)
    rows = (
        ("N, plies a player, half of both players'", 106.35, 2, plies.mean / 2, half),
        ("b, legal moves a ply, 0 for a pass", 2.45, 2, choices.mean, choices.ci95),
        ("(b c)^N = 5.3e115, log10", PAPER_LOG10, 1, figure.log10, figure.ci95),
    )
    return [
        PublishedMeasure(
            "Raposo and Lamont, 3.2",
            name,
            f"{printed:.{digits}f}",
            with_interval(value, interval, digits + 1),
            other or _sample_verdict(printed, 0.5 * 10.0**-digits, value, interval, len(games)),
        )
        for name, printed, digits, value, interval in rows
    ]


def _other_game(games: Games, agent: str | None = PAPER_AGENT) -> str | None:
    """Return why a source's figure does not apply to these games, or None if it does.

    ``agent`` is the agent of the source, None if the source does not say.
    """
    if games.rules.pieces != PIECES:
        return OTHER_PIECES
    same = agent is None or {games.light.name, games.dark.name} == {agent}
    return None if same else "another agent than the paper's"


def _post(
    games: Games, by_name: dict[str, Measure], gtc: dict[str, Estimate]
) -> list[PublishedMeasure]:
    source = "post"
    other = _other_game(games, None)
    figure = gtc["post"]
    printed = POST_PLIES * math.log10(POST_BRANCHES)
    return [
        PublishedMeasure(
            source,
            "plies of both, an estimate",
            "140",
            with_interval(by_name["plies"].mean, by_name["plies"].ci95, 1),
            other or _inside(140, by_name["plies"].ci95),
        ),
        PublishedMeasure(
            source,
            "5.3^120, log10 (with the 140 plies of its text: 101.4)",
            "87",
            with_interval(figure.log10, figure.ci95, 1),
            other or _inside(printed, figure.ci95),
        ),
    ]


def _inside(value: float, interval: Interval) -> str:
    if interval is None:
        return TOO_FEW
    return "within the interval" if interval[0] <= value <= interval[1] else "outside the interval"


def _sample_verdict(
    printed: float, rounding: float, value: float, interval: Interval, games: int
) -> str:
    """Say whether the printed figure is compatible with a sample of the paper's size."""
    if interval is None or interval[0] == interval[1]:
        return TOO_FEW
    error = (interval[1] - interval[0]) / 2 / Z95 * math.sqrt(1 + games / PAPER_GAMES)
    off = printed - value
    z = math.copysign(max(abs(off) - rounding, 0.0), off) / error
    where = "within 95 % of samples"
    if abs(z) > Z95:
        most = allowance(samples())
        where = "within" if abs(z) <= most else "beyond"
        where += f" the {most:.1f} that chance allows one of {samples()} samples"
    return f"{z:+.1f} standard errors of both samples: {where}"

"""The sources' figures for game length, branching and the game tree, beside games of our own.

What is compared depends on the games: the paper's figures are those of its agent, Kwan and
Hartemink's concern who wins, and so on; each applies where rules and agents are as in the source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from urcx.complexity.game_tree import Z95, Estimate
from urcx.play.simulator import Games
from urcx.play.statistics import Measure

PAPER_GAMES = 2000  # section 3.2
PAPER_PLIES = 212.70  # both players', 2 x 106.35
PAPER_CHOICES = "2.45"
PAPER_LOG10 = 106.35 * math.log10(2.45 * 5)
POST_PLIES = 120  # what 10^87 is computed with; the text says 140
POST_BRANCHES = 5.3


@dataclass(frozen=True)
class PublishedMeasure:
    """A published figure beside ours, as texts, with a verdict in words."""

    source: str
    figure: str
    printed: str
    here: str
    verdict: str


def compare(
    games: Games, measures: tuple[Measure, ...], estimates: tuple[Estimate, ...]
) -> tuple[PublishedMeasure, ...]:
    """Return the published figures that games say something of; only finkel has any."""
    if games.rules.name != "finkel":
        return ()
    by_name = {m.name: m for m in measures}
    gtc = {e.convention.name: e for e in estimates}
    return (*_paper(games, by_name, gtc), *_post(by_name, gtc))


def _paper(
    games: Games, by_name: dict[str, Measure], gtc: dict[str, Estimate]
) -> list[PublishedMeasure]:
    plies, choices = by_name["plies"], by_name["choices_per_ply"]
    source = "Raposo and Lamont, 3.2"
    figure = gtc["raposo-lamont"]
    return [
        PublishedMeasure(
            source,
            "N, plies a player, half of both players'",
            f"{PAPER_PLIES / 2:.2f}",
            _with_interval(plies.mean / 2, plies.ci95, 2, half=True),
            _sample_verdict(plies, len(games)),
        ),
        PublishedMeasure(
            source,
            "b, legal moves a ply, 0 for a pass",
            PAPER_CHOICES,
            _with_interval(choices.mean, choices.ci95, 3),
            _rounding_verdict(choices, PAPER_CHOICES),
        ),
        PublishedMeasure(
            source,
            "(b c)^N, log10 of 5.3e115",
            f"{PAPER_LOG10:.1f}",
            _with_interval(figure.log10, figure.ci95, 1),
            _inside(PAPER_LOG10, figure.ci95),
        ),
    ]


def _post(by_name: dict[str, Measure], gtc: dict[str, Estimate]) -> list[PublishedMeasure]:
    source = "post"
    figure = gtc["post"]
    printed = POST_PLIES * math.log10(POST_BRANCHES)
    return [
        PublishedMeasure(
            source,
            "plies of both, an estimate",
            "140",
            _with_interval(by_name["plies"].mean, by_name["plies"].ci95, 1),
            _inside(140, by_name["plies"].ci95),
        ),
        PublishedMeasure(
            source,
            "5.3^120, log10 (with the 140 plies of its text: 101.4)",
            "87",
            _with_interval(figure.log10, figure.ci95, 1),
            _inside(printed, figure.ci95),
        ),
    ]


def _with_interval(
    value: float, interval: tuple[float, float] | None, digits: int, *, half: bool = False
) -> str:
    if interval is None:
        return f"{value:.{digits}f}"
    width = (interval[1] - interval[0]) / 2 / (2 if half else 1)
    return f"{value:.{digits}f} +- {width:.{digits}f}"


def _inside(value: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return "too few games to say"
    return "within the interval" if interval[0] <= value <= interval[1] else "outside the interval"


def _rounding_verdict(measure: Measure, printed: str) -> str:
    """Say whether some value in the interval rounds to the printed one."""
    digits = len(printed.partition(".")[2])
    unit = 0.5 * 10.0**-digits
    if measure.ci95 is None:
        return "too few games to say"
    low, high = measure.ci95
    if low < float(printed) + unit and high >= float(printed) - unit:
        return "agrees to the digits printed"
    return "outside the interval"


def _sample_verdict(plies: Measure, games: int) -> str:
    """Say whether the paper's mean could be one of 2,000 games drawn as ours are."""
    if plies.sd is None or plies.sd == 0:
        return "too few games to say"
    error = plies.sd * math.sqrt(1 / PAPER_GAMES + 1 / games)
    z = (PAPER_PLIES - plies.mean) / error
    where = "within" if abs(z) <= Z95 else "outside"
    half = Z95 * plies.sd / math.sqrt(PAPER_GAMES)
    return (
        f"{z:+.1f} standard errors of both samples: {where} what 95 % of samples of "
        f"{PAPER_GAMES:,} such games give (about +- {half / 2:.2f})"
    )

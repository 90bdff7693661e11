"""Quantities of games: means of measures, winners, agents' evaluations, and gtc's comparison.

The sources' figures for game length, branching and the game tree are compared only with games that
have the rules and agents of the source. For example, the paper's figures belong to its agent.

The data set of Côté's page has evaluations of moves by an agent that looks ahead. Its program
stores the agent's value of the move minus the static evaluation of the position before the move,
both for the player who moves, in 32-bit numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

from urcx.complexity.game_tree import Z95, Estimate
from urcx.games.records import Games
from urcx.games.statistics import Measure
from urcx.published.figures import samples
from urcx.published.rounding import Params, Ranged, Sampled, Value, allowance, rules_from
from urcx.results.fields import Field, Format, fields_of
from urcx.results.numbers import with_interval
from urcx.results.tables import ColouredText, Column, key
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position
from urcx.strategy.journey import Track, leg, track

PAPER_GAMES = 2000  # section 3.2
PAPER_AGENT = "panda:7"
PIECES = 7  # pieces per side in the paper and in the post
OTHER_PIECES = "another number of pieces"
PAPER_LOG10 = 106.35 * math.log10(2.45 * 5)
POST_PLIES = 120  # used for 10^87, while the text says 140
POST_BRANCHES = 5.3
TOO_FEW = "too few games to say"

Interval = tuple[float, float] | None


def _toned(verdict: str) -> str:
    """Return a verdict on a published figure, coloured if the games decide it."""
    if "within" in verdict:
        return ColouredText(verdict, "good")
    return ColouredText(verdict, "bad") if "beyond" in verdict or "outside" in verdict else verdict


@dataclass(frozen=True)
class PublishedMeasure:
    """A published figure and ours, as text, with a verdict in words."""

    source: Annotated[str, Field(Column("source", text=True, least=12), about="place in print")]
    figure: Annotated[str, Field(key("figure"), about="description of the figure")]
    printed: Annotated[str, Field("printed", about="the figure as printed")]
    here: Annotated[str, Field("here", about="the figure computed from these games")]
    verdict: Annotated[
        str, Field(Column("verdict", text=True, least=18), Format(_toned), "the verdict in words")
    ]


PUBLISHED = fields_of(PublishedMeasure)


def published_measures(
    games: Games, measures: tuple[Measure, ...], estimates: tuple[Estimate, ...]
) -> tuple[PublishedMeasure, ...]:
    """Return the published figures that apply to games. Only finkel has any."""
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
    """Return the reason why a source's figure does not apply to these games, or None if it does.

    ``agent`` is the agent of the source, None if the source does not name one.
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
    """Return in words whether the printed figure fits a sample of the paper's size."""
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


GAMES = 20_000
SEED = 1
FAR = 0.75  # a win rate from here on is "far above"


@cache
def _measures(rules: str, agent: str, games: int) -> dict[str, Any]:
    from urcx.games.simulator import simulate
    from urcx.games.statistics import measures

    return {m.name: m for m in measures(simulate(agent, rules=rules, games=games, seed=SEED))}


def measure(params: dict[str, Any]) -> Sampled:
    """Return the mean of a measure of games times ``times``, in the source's units.

    The error combines the errors of our games and of the source's ``sample`` games.
    """
    measure = _measures(params["rules"], params["agent"], GAMES)[params["measure"]]
    times = params.get("times", 1)
    own_error = (measure.ci95[1] - measure.ci95[0]) / 2 / Z95
    error = own_error * math.sqrt(1 + (GAMES / params["sample"] if "sample" in params else 0))
    return Sampled(measure.mean * times, error * times)


@cache
def _share(rules: str, agent: str, opponent: str) -> tuple[float, tuple[float, float]]:
    from urcx.games.match import match

    agents = list(dict.fromkeys((agent, opponent)))
    results = match(agents, rules, games=GAMES, seed=SEED)
    first, other = (results.agents[agents.index(name)] for name in (agent, opponent))
    pair = results.share(first, other)
    assert pair is not None
    return pair.share, pair.ci95


def wins(params: dict[str, Any]) -> str:
    """Return in words the win rate of an agent against another."""
    share, (low, high) = _share(params["rules"], params["agent"], params["opponent"])
    if low <= 0.5 <= high:
        return "50 %"
    if share >= FAR or share <= 1 - FAR:
        return "far above 50 %" if share > 0.5 else "far below 50 %"
    return "above 50 %" if share > 0.5 else "below 50 %"


def alone(params: dict[str, Any]) -> Value:
    """Return the mean number of plies that one player alone needs to bring its pieces home.

    It depends on the choice of moves, so the result is the range from the best choice to the worst.
    For a single piece the result is one value, and ``what`` can select another value:

    - "mean": the number of rolls whose mean sum is the path.
    - "turns": the number of turns.
    - "or beyond": the number of plies until the piece is home or beyond.
    """
    from urcx.strategy.journey import plies_alone

    rules, pieces = catalogue.ruleset(params["rules"]), params["pieces"]
    if "what" in params:
        return _piece_alone(rules, params["what"])
    low, high = (plies_alone(rules, pieces, best)[-1] for best in (min, max))
    return low if pieces == 1 else Ranged(low, high)


def _piece_alone(rules: RuleSet, what: str) -> Fraction:
    way = track(rules)
    home = len(rules.path.light) + 1
    if what == "mean":
        return home / rules.dice.mean
    times = leg(Track(rules.dice) if what == "or beyond" else way, home).passing
    assert times is not None
    return times.turns if what == "turns" else times.rolls


ROUNDING = 2.0**-24  # the relative error of a 32-bit operation
OPERATIONS = 5  # greatest number of roundings in a mean over four dice: 0.375 v, and four sums


@cache
def _search(rules: RuleSet, name: str) -> Any:
    from urcx.agents.agents import agent
    from urcx.agents.search import TreeSearch, lookahead

    chosen = agent(name)
    assert chosen.depth is not None
    look = lookahead(rules, chosen.depth, chosen.leaf or "advance", few_rolls=False)
    room = (OPERATIONS * (chosen.depth - 1) + 1) * look.bound * ROUNDING
    return TreeSearch(rules, look), look.home, room


def _present(position: Position, home: int) -> int:
    """Return the static evaluation of a position. A piece home is worth ``home``."""
    light, dark = (
        home * count + sum(pieces)
        for count, pieces in zip(position.home, (position.light, position.dark), strict=True)
    )
    return light - dark if position.light_to_move else dark - light


def evaluation(params: Params) -> Ranged:
    """Return the gain that an ``agent`` expects from a move, with the errors of 32-bit numbers."""
    search, home, room = _search(rules_from(params), params["agent"])
    position = parse_position(params["position"])
    values = {move.start: value for move, value in search.values(position, params["roll"])}
    gain = float(values[params["start"]] - _present(position, home))
    return Ranged(gain - room, gain + room)


def rules_pieces(params: Params) -> int:
    """Return the number of pieces per side."""
    return catalogue.ruleset(params["rules"]).pieces


def granting_rosettes(params: Params) -> str:
    """Return the tiles that grant an extra roll."""
    rules = catalogue.ruleset(params["rules"])
    return ", ".join(tile for tile in rules.path.tiles if tile in rules.granting)

"""The section on game-tree complexity: games, their measures, and the conventions."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from urcx.complexity.game_tree import OTHER_GAMES, other_games, with_interval
from urcx.enumerate.perft import perft
from urcx.errors import InterruptedRunError
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.published.gtc import Played, evaluated
from urcx.reports.book.elements import (
    ESTIMATE,
    EXACT,
    PRINTED,
    Picture,
    Prose,
    Section,
    Sheet,
    sheet,
)
from urcx.reports.book.plan import Work
from urcx.reports.book.verdicts import printed
from urcx.reports.figures.game_plots import choices_figure, lengths_figure, plane_figure
from urcx.results.fields import Field, Fields
from urcx.rules import catalogue

RULES = "finkel"


def tree(work: Work) -> Section:
    """Return the section on game-tree complexity."""
    played = work.played = [evaluated(_games(work, name)) for name in work.plan.players]
    first = played[0]
    by_name = {e.convention.name: e for e in first.estimates}
    own, both = by_name["raposo-lamont"], by_name["raposo-lamont-both"]
    return Section(
        "tree",
        "Game-tree complexity",
        (
            Prose(
                "No game of this family has to end, so its tree has no size: every figure "
                "is a convention. What must be said of one is whose plies it counts, "
                "whether passes are plies, whether the dice count (by their outcomes, by "
                "their entropy or not at all), and what mean is taken.",
                f"{_paper()} from the plies of one player, and compare it with chess and "
                "backgammon, which are counted by the plies of both. The same convention "
                f"gives \\(10^{{{own.log10:.1f}}}\\) for the games here, and counted as "
                f"the other two \\(10^{{{both.log10:.1f}}}\\).",
            ),
            _conventions(played),
            Picture(
                "plane",
                "One game in every convention, and other games",
                plane_figure(first),
                ESTIMATE,
            ),
            _others(first),
            _measures(played),
            Picture("lengths", "How long games are", lengths_figure(first), ESTIMATE),
            Picture("choices", "How many moves there are", choices_figure(first), ESTIMATE),
            _published(played),
            _perft(work),
        ),
    )


def _paper() -> str:
    figure = printed("raposo-lamont", "power", b=2.45)
    power = math.log10(float(figure.value))
    return f"Raposo and Lamont print {figure.printed} = \\(10^{{{power:.1f}}}\\),"


def _games(work: Work, agent: str) -> Games:
    plan = work.plan
    found = simulate(
        agent,
        rules=RULES,
        games=plan.games,
        seed=plan.seed,
        threads=plan.threads,
        stage=work.stage,
    )
    if found.interrupted:
        raise InterruptedRunError("interrupted; no report written")
    return found


def _by_agent(played: list[Played], of: str, fields: Fields) -> tuple[list[Any], list[Any]]:
    """Return what games have, for all agents together, and a record for each with its agent."""
    rows = list(zip(*(getattr(found, of) for found in played), strict=True))
    names = _names(played)
    items = [
        SimpleNamespace(agent=name, of=one)
        for row in rows
        for name, one in zip(names, row, strict=True)
    ]
    return rows, fields.records(items)


CONVENTIONS = Fields(
    Field("convention", of="of.convention.name"),
    Field("formula", of="of.convention.written"),
    Field("agent"),
    *(Field(name, of=f"of.{name}") for name in ("log10", "ci95", "games95")),
    Field("counts", of="of.convention.counts"),
)


def _conventions(played: list[Played]) -> Sheet:
    games = played[0].games
    rows, records = _by_agent(played, "estimates", CONVENTIONS)
    parameters = {"rules": games.rules.name, "games": len(games)}
    parameters |= {"seed": games.seed, "first": games.first}
    return sheet(
        "conventions-tree",
        "Game-tree complexity, log10, in each convention and for each agent",
        ["<convention", "<formula", *_names(played), "<what it counts"],
        records,
        ESTIMATE,
        [
            f"{len(games):,} games of {RULES} for each agent against itself, seed {games.seed}",
            "d plies and m moves of both players, b legal moves, c outcomes of the dice, H entropy",
        ],
        cells=[
            [
                row[0].convention.name,
                rf"\({row[0].convention.latex}\)",
                *(with_interval(e.log10, e.ci95, 2) for e in row),
                row[0].convention.counts,
            ]
            for row in rows
        ],
        parameters=parameters,
    )


def _names(played: list[Played]) -> list[str]:
    return [found.games.light.name for found in played]


MEASURES = Fields(
    Field("measure", of="of.name"),
    Field("title", of="of.title"),
    Field("agent"),
    *(Field(name, of=f"of.{name}") for name in ("mean", "sd", "ci95", "quartiles")),
)


def _measures(played: list[Played]) -> Sheet:
    rows, records = _by_agent(played, "measures", MEASURES)
    notes = ["a ply is one roll with its move or pass; a turn is a run of plies by one player"]
    columns = ["<measure", *_names(played)]
    title = f"What games are like: means of {len(played[0].games):,} games for each agent"
    cells = [
        [
            row[0].title,
            *(with_interval(m.mean, m.ci95, 3 if abs(row[0].mean) < 10 else 2) for m in row),
        ]
        for row in rows
    ]
    return sheet("measures", title, columns, records, ESTIMATE, notes, cells=cells)


def _others(found: Played) -> Sheet:
    rows = OTHER_GAMES.records(other_games())
    return Sheet("other-games", found.games_table(), rows, f"{ESTIMATE}; {PRINTED}")


def _published(played: list[Played]) -> Sheet:
    rows = [
        {"agent": found.games.light.name, **vars(item)}
        for found in played
        for item in found.published
    ]
    columns = ["<agent", "<source", "<figure", "printed", "here", "<verdict"]
    title = "The sources' figures of games beside ours"
    return sheet("published-games", title, columns, rows, ESTIMATE, grouped=True, stacked=True)


def _perft(work: Work) -> Sheet:
    rules = catalogue.ruleset(RULES)
    report = perft(rules, work.plan.plies, stage=work.stage).report()
    return Sheet("perft", report.tables[0], report.records, EXACT, {"rules": RULES})

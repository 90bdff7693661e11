"""The section on game-tree complexity: games, their measures, and the conventions."""

from __future__ import annotations

import math
from dataclasses import replace

from urcx.agents.policies import Policies
from urcx.complexity.game_tree import OTHER_GAMES, other_games, plus_minus
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
                (
                    (
                        "No game of this family has to end, so its tree has no size: every figure "
                        "is a convention. What must be said of one is whose plies it counts, "
                        "whether passes are plies, whether the dice count (by their outcomes, by "
                        "their entropy or not at all), and what mean is taken."
                    ),
                    (
                        f"{_paper()} from the plies of one player, and compare it with chess and "
                        "backgammon, which are counted by the plies of both. The same convention "
                        f"gives \\(10^{{{own.log10:.1f}}}\\) for the games here, and counted as "
                        f"the other two \\(10^{{{both.log10:.1f}}}\\)."
                    ),
                )
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
    rules = catalogue.ruleset(RULES)
    ready = Policies(rules, plan.games, threads=plan.threads, stage=work.stage)
    found = simulate(
        agent,
        rules=rules,
        games=plan.games,
        seed=plan.seed,
        threads=plan.threads,
        policies=ready,
        stage=work.stage,
    )
    if found.interrupted:
        raise InterruptedRunError("interrupted; no report written")
    return found


def _conventions(played: list[Played]) -> Sheet:
    games = played[0].games
    cells = []
    records = []
    for rows in zip(*(found.estimates for found in played), strict=True):
        first = rows[0]
        cells.append(
            [
                first.convention.name,
                rf"\({first.convention.latex}\)",
                *(_with_error(e.log10, e.ci95, 2) for e in rows),
                first.convention.counts,
            ]
        )
        records += [
            {
                "convention": e.convention.name,
                "formula": e.convention.written,
                "agent": found.games.light.name,
                "log10": e.log10,
                "ci95": e.ci95,
                "games95": e.games95,
                "counts": e.convention.counts,
            }
            for e, found in zip(rows, played, strict=True)
        ]
    names = [found.games.light.name for found in played]
    found_sheet = sheet(
        "conventions-tree",
        "Game-tree complexity, log10, in each convention and for each agent",
        ["<convention", "<formula", *names, "<what it counts"],
        records,
        cells,
        ESTIMATE,
        [
            f"{len(games):,} games of {RULES} for each agent against itself, seed {games.seed}",
            "d plies and m moves of both players, b legal moves, c outcomes of the dice, H entropy",
        ],
    )
    parameters = {"rules": games.rules.name, "games": len(games)}
    parameters |= {"seed": games.seed, "first": games.first}
    return replace(found_sheet, parameters=parameters)


def _with_error(value: float, interval: tuple[float, float] | None, digits: int) -> str:
    if interval is None:
        return f"{value:.{digits}f}"
    half = (interval[1] - interval[0]) / 2
    return plus_minus(f"{value:.{digits}f}", f"{half:.{digits}f}")


def _measures(played: list[Played]) -> Sheet:
    cells = []
    records = []
    for rows in zip(*(found.measures for found in played), strict=True):
        digits = 3 if abs(rows[0].mean) < 10 else 2
        cells.append([rows[0].title, *(_with_error(m.mean, m.ci95, digits) for m in rows)])
        records += [
            {
                "measure": m.name,
                "title": m.title,
                "agent": found.games.light.name,
                "mean": m.mean,
                "sd": m.sd,
                "ci95": m.ci95,
                "quartiles": m.quartiles,
            }
            for m, found in zip(rows, played, strict=True)
        ]
    names = [found.games.light.name for found in played]
    notes = ["a ply is one roll with its move or pass; a turn is a run of plies by one player"]
    columns = ["<measure", *names]
    title = f"What games are like: means of {len(played[0].games):,} games for each agent"
    return sheet("measures", title, columns, records, cells, ESTIMATE, notes)


def _others(found: Played) -> Sheet:
    rows = OTHER_GAMES.records(other_games())
    return Sheet("other-games", found.games_table(), rows, f"{ESTIMATE}; {PRINTED}")


def _published(played: list[Played]) -> Sheet:
    rows = [
        {"agent": found.games.light.name, **vars(item)}
        for found in played
        for item in found.published
    ]
    cells = [list(map(str, row.values())) for row in rows]
    columns = ["<agent", "<source", "<figure", "printed", "here", "<verdict"]
    title = "The sources' figures of games beside ours"
    found = sheet("published-games", title, columns, rows, cells, ESTIMATE)
    return replace(found, grouped=True, stacked=True)


def _perft(work: Work) -> Sheet:
    rules = catalogue.ruleset(RULES)
    depth = work.plan.plies
    levels = perft(rules, depth, progress=work.stage("counting the tree", depth, "plies"))
    report = levels.report()
    return Sheet("perft", report.tables[0], report.records, EXACT, {"rules": RULES})

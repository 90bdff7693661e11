"""Figures of results, drawings of games and boards, and the report that looks at published figures.

`urcx.results` asks here, when one of these is asked for. What draws a figure is named, not
imported, so that one needs no other.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from urcx.errors import UrcxError
from urcx.game import Game
from urcx.games.records import Games
from urcx.played.record import PlayedGame
from urcx.reports.figures import FIGURES
from urcx.reports.figures.board import rules_text
from urcx.reports.figures.board_svg import board_svg, in_page
from urcx.reports.figures.dice_svg import dice_svg
from urcx.reports.figures.game_svg import game_svg
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.rules.model import Board, Dice, Path, RuleSet

Picture = Board | Dice | Path | RuleSet | Game


def games_report(games: Games) -> Report:
    """Return the report on games, with what is published on such games."""
    from urcx.published.gtc import evaluated

    return evaluated(games).report()


def figure(result: Result) -> Any:
    """Return the figure of a result, one of matplotlib's."""
    place = FIGURES.get(result._function)  # noqa: SLF001 - ours, said by its class
    if place is None:
        some = ", ".join(f"urcx.{name}" for name in FIGURES)
        raise UrcxError(f"there is no figure of this result; there are of those of {some}")
    return resolve_name(f"urcx.reports.figures.{place}")(result)


def game_drawing(played: PlayedGame) -> str:
    """Return the drawing of a played game, as part of a page."""
    return in_page(game_svg(played, standalone=False))


def drawing(what: Picture | PlayedGame) -> str:
    """Return a board, what stands or leads over it, dice, or a played game as a file of SVG."""
    if isinstance(what, PlayedGame):
        return game_svg(what)
    return _drawn(what, standalone=True)


def figure_html(what: Picture) -> str:
    """Return a drawing as part of a page, with what it shows below it."""
    return in_page(_drawn(what, standalone=False), _lines(what))


def _drawn(what: Picture, *, standalone: bool) -> str:
    if isinstance(what, Game):
        title = f"{what.position.on(what.rules.path)} ({what.rules.name})"
        return board_svg(what.rules, what.position, title=title, standalone=standalone)
    if isinstance(what, Dice):
        return dice_svg(what, standalone=standalone)
    if isinstance(what, Board):
        bare = Path(what.name, what.title, what, (), (), ())
        return board_svg(bare, ways=(), standalone=standalone)
    return board_svg(what, title=what.title, standalone=standalone)


def _lines(what: Picture) -> list[str]:
    """Return what stands below a drawing."""
    if isinstance(what, Game):
        return [f"{what.position.on(what.rules.path)} ({what.rules.name}): {what.standing}"]
    if isinstance(what, RuleSet):
        return rules_text(what).splitlines()
    named = f"{what.name}: {what.title}"
    if isinstance(what, Path):
        return [named, what.describe()]
    if isinstance(what, Dice):
        return [f"{named}; mean {what.mean}"]
    return [f"{named}; {len(what.tiles)} tiles, {len(what.rosettes)} rosettes"]

"""The board of the explorer as a widget for notebooks: `urcx.widget`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from urcx.errors import UrcxError, install_command
from urcx.game import Game
from urcx.played.record import PlayedGame
from urcx.rules.catalogue import whole
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.explore.board_widget import BoardWidget
    from urcx.solving.probing import WinningChances

__all__ = ["widget"]


def widget(
    game: str | RuleSet | Game | PlayedGame = "finkel",
    tablebase: WinningChances | str | Path | None = None,
    *,
    roll: int | None = None,
) -> BoardWidget:
    """Return a board to click on in a notebook, which shows it as the last line of a cell.

    Choose a roll, then a piece or one of the moves listed; or set up any position by dragging
    pieces. The position that is shown is ``widget.game``: it changes with every move in the
    notebook, and whatever is assigned to it is shown.

    Parameters
    ----------
    game
        The position to begin with, a game that is being played, or a rule set or its name, which
        begins at the start.
    tablebase
        An open tablebase or the name of one's file; by default that which urcx solve has kept. With
        it, the board says how likely the player to move wins, and each move is listed with its
        chance, best first.
    roll
        A roll to begin with.

    Returns
    -------
    urcx.explore.board_widget.BoardWidget

    Raises
    ------
    UrcxError
        If anywidget is not installed, which the extra ``urcx[notebook]`` brings.
    UsageError
        If the game or the roll is none.
    TablebaseError
        If the tablebase cannot be read, or is of other rules.

    Examples
    --------
    >>> import urcx
    >>> board = urcx.widget(urcx.ruleset("finkel", pieces=2), roll=4)
    >>> board.play("0-4")
    >>> board.game
    Game('finkel', pieces=2, position='4/-/0-0/L')
    >>> board.game = board.game.play("0-1")
    >>> board.undo()
    >>> str(board.game.position)
    '4/-/0-0/L'
    """
    try:
        import_module("anywidget")
    except ModuleNotFoundError as missing:
        needs = f"the board for notebooks needs anywidget: {install_command('notebook')}"
        raise UrcxError(needs) from missing
    from urcx.explore.board_widget import BoardWidget

    return BoardWidget(game, tablebase, roll=None if roll is None else whole("roll", roll))

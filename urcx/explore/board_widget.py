"""What `urcx.widget` returns; needs anywidget.

The script in the browser (``static/widget.js``, with the explorer's ``static/board.js``) knows no
rule. It sends what was chosen, and draws what is in the two traits that it is sent: ``_board`` for
the rule set, ``_state`` for the position.
"""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom
from typing import Any

from anywidget import AnyWidget
from traitlets import Dict, Instance, Int, TraitError, validate

from urcx.errors import UrcxError, UsageError
from urcx.explore.boards import board_members
from urcx.game import Game
from urcx.played.hints import HintMove, hint
from urcx.played.record import PlayedGame, described
from urcx.played.values import chance_of, check_chances, opened
from urcx.reading import own_text
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import kept
from urcx.solving.files.rgu import open_solution
from urcx.solving.probing import WinningChances

IMPORT = 'import { createBoard } from "./board.js";\n'


def _static(name: str) -> str:
    return own_text(f"explore/static/{name}")


def script() -> str:
    """Return the widget's script with the board's in it, as notebooks load a single one."""
    board, own = _static("board.js"), _static("widget.js")
    if IMPORT not in own:
        raise ValueError("static/widget.js does not import the board as expected")
    return f"{board}\n{own.replace(IMPORT, '')}"


class BoardWidget(AnyWidget):  # type: ignore[misc] # anywidget has no types of its own
    """A board in a notebook; `urcx.widget` makes one.

    Attributes
    ----------
    game : Game
        The position that is shown, with its rules. Assign another to show it; to be told of
        changes, ``widget.observe(function, names="game")``.
    roll : int or None
        The roll that is chosen; None for none.
    """

    _esm = script()
    _css = _static("widget.css")

    game = Instance(Game)
    roll = Int(None, allow_none=True)
    _board = Dict().tag(sync=True)
    _state = Dict().tag(sync=True)

    def __init__(
        self,
        game: str | RuleSet | Game | PlayedGame = "finkel",
        tablebase: WinningChances | str | Path | None = None,
        *,
        roll: int | None = None,
    ) -> None:
        first = game.game if isinstance(game, PlayedGame) else Game(game)
        self._known = _known(tablebase, first.rules)
        self._past: list[Game] = []
        self._future: list[Game] = []
        self._going_back = False
        super().__init__(game=first)
        self._board = _board_of(first.rules)
        self._show()
        self.observe(self._changed, names="game")
        self.observe(self._show, names="roll")
        self.on_msg(self._answer)
        self.roll = roll

    def __repr__(self) -> str:
        return f"<BoardWidget of {self.game!r}>"

    def _repr_mimebundle_(self, **more: Any) -> Any:
        """Return the widget, and a drawing for where no widgets are, such as a saved notebook."""
        data, about = super()._repr_mimebundle_(**more)
        return {**data, "text/html": self.game._repr_html_()}, about

    def play(self, move: str) -> None:
        """Play a move, given by its steps such as ``0-4``, as a click in the notebook does.

        Raises
        ------
        UsageError
            If it is not legal, or not by the roll that is chosen.
        PositionError
            If the game is over.
        """
        # A played game knows which moves go with a roll that was thrown.
        self.game = self._thrown().play(move).game

    def pass_turn(self) -> None:
        """Pass, where the roll that is chosen leaves no legal move.

        Raises
        ------
        UsageError
            If there is a legal move, or no roll is chosen.
        PositionError
            If the game is over.
        """
        self.game = self._thrown().passed().game

    def throw(self, roll: int | None = None) -> int:
        """Choose a roll, by default one that the dice give by chance, and return it.

        Raises
        ------
        UsageError
            If the dice cannot give it.
        PositionError
            If the game is over.
        """
        dice = self.game.rules.dice
        if roll is None:
            roll = SystemRandom().choices(dice.rolls, [float(p) for p in dice.probabilities])[0]
        self.roll = roll
        return roll

    def undo(self) -> None:
        """Show the position before the last change.

        Raises
        ------
        UsageError
            If there is none.
        """
        self._go(self._past, self._future, "there is nothing to undo")

    def redo(self) -> None:
        """Show the position again that was undone last.

        Raises
        ------
        UsageError
            If there is none.
        """
        self._go(self._future, self._past, "there is nothing to do again")

    def _go(self, there: list[Game], back: list[Game], otherwise: str) -> None:
        """Show the last of some positions, and keep this one among others."""
        if not there:
            raise UsageError(otherwise)
        back.append(self.game)
        self._going_back = True
        try:
            self.game = there.pop()
        finally:
            self._going_back = False

    def _thrown(self) -> PlayedGame:
        played = PlayedGame(self.game)
        return played if self.roll is None else played.throw(self.roll)

    @validate("game")  # type: ignore[untyped-decorator]
    def _checked_game(self, proposal: Any) -> Game:
        game: Game = proposal["value"]
        if self._known is not None:
            check_chances(self._known, game.rules)
        return game

    @validate("roll")  # type: ignore[untyped-decorator]
    def _checked_roll(self, proposal: Any) -> int | None:
        roll: int | None = proposal["value"]
        if roll is not None:
            self.game.legal_moves(roll)  # raises if there is no such roll, or no turn
        return roll

    def _changed(self, change: Any) -> None:
        """Show another game, without a roll."""
        before, now = change["old"], change["new"]
        if not self._going_back:
            self._past.append(before)
            self._future.clear()
        if now.rules != before.rules:
            self._board = _board_of(now.rules)
        if self.roll is None:
            self._show()
        else:
            self.roll = None  # which shows it

    def _show(self, _change: Any = None, *, notice: str = "") -> None:
        self._state = {
            **_state_of(self.game, self.roll, self._known),
            "undo": bool(self._past),
            "redo": bool(self._future),
            "notice": notice,
        }

    def _answer(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """Do what the browser asks for, or say there why not."""
        try:
            self._do(message)
        except (UrcxError, TraitError) as error:
            self._refuse(str(error))

    def _do(self, message: Any) -> None:
        match message:
            case {"do": "play", "move": str(move)}:
                self.play(move)
            case {"do": "pass"}:
                self.pass_turn()
            case {"do": "throw"}:
                self.throw()
            case {"do": "roll", "roll": int(roll)}:
                self.throw(roll)
            case {"do": "setup", "position": str(position)}:
                self.game = Game(self.game.rules, position)
            case {"do": "undo"}:
                self.undo()
            case {"do": "redo"}:
                self.redo()
            case _:
                raise UsageError("the notebook's message is none that this widget knows")

    def _refuse(self, why: str) -> None:
        """Have the browser draw the position as it is, and say why it stays."""
        self._show(notice=why)
        self.send({"redraw": True})  # even if it has seen the same state before


def _known(tablebase: WinningChances | str | Path | None, rules: RuleSet) -> WinningChances | None:
    """Return what knows the values of a rule set, opened for as long as the widget lives.

    None where nothing is given, and no solution is kept.
    """
    tablebase = kept(rules) if tablebase is None else tablebase
    if tablebase is None:
        return None
    if isinstance(tablebase, str | Path):
        tablebase = open_solution(tablebase)
    with opened(rules, tablebase) as base:  # raises if it is of other rules
        return base


def _board_of(rules: RuleSet) -> dict[str, Any]:
    """Return what the script draws of a rule set, as the explorer's page gets it."""
    return board_members(rules.path, None, rules) | {"pieces": rules.pieces}


def _state_of(game: Game, roll: int | None, known: WinningChances | None) -> dict[str, Any]:
    """Return what the script draws of a position: whose turn it is, and the moves for a roll."""
    found: dict[str, Any] = {
        "position": str(game.position),
        "turn": game.turn,
        "said": game.standing,
        "over": game.is_over,
        "roll": roll,
        "moves": [],
        "pass": False,
    }
    if known is not None and not game.is_over:
        found["said"] += f", wins with {float(chance_of(known, game, game.turn)):.2%}"
    if roll is not None:
        told = hint(game, roll, known, known=known is not None)
        found["pass"] = told.moves[0].move is None
        found["moves"] = [_move(game, one) for one in told.moves if one.move is not None]
    return found


def _move(game: Game, one: HintMove) -> dict[str, Any]:
    assert one.move is not None
    worth = ""
    if one.chance is not None and one.regret is not None:
        worth = f"{float(one.chance):.2%}"
        worth += ", best" if one.is_best else f", {float(one.regret):.2%} less than the best"
    return {
        "from": one.move.start,
        "to": one.move.end,
        "words": described(game, one.move),
        "worth": worth,
        "best": one.is_best,
    }

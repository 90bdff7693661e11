"""A game at the terminal: people are asked for moves, agents answer, and the game is saved."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from urcx.agents.advice import Adviser, choices
from urcx.agents.agents import Agent
from urcx.engine.moves import Move
from urcx.errors import InterruptedRunError, UrcxError, UsageError
from urcx.game import SIDES, mover_path
from urcx.played.hints import hint
from urcx.played.players import choice, opponent, rolled
from urcx.played.record import PlayedGame, described, ending
from urcx.played.review import review
from urcx.played.values import chance_of, network_estimates
from urcx.reports.display.output import Style, can_paint
from urcx.reports.display.provenance import provenance
from urcx.results.layout import terminal_width
from urcx.results.result import Report, Result
from urcx.results.wrapping import running
from urcx.results.writing import PICTURES
from urcx.rules.drawing import BoardView, win_bar
from urcx.solving.probing import WinningChances

HELP = """\
Play a move by its number, by the tile of its piece ("start" for a new piece), by the tile that it \
reaches, or by both, such as A4-B1. Steps such as 1-5 work too.

  ?        hint: the win probability after each move
  u        undo: back to your last choice, with the same dice
  b        draw the board again
  s FILE   save the game, now and after each move
  h        this help
  q        quit (you can resume a saved game)
"""
KEYS = "? for a hint, u to undo, q to quit, h for help"


class Quit(Exception):  # noqa: N818 - no error
    """The player quits."""


class WrongLineError(UsageError):
    """A line of a pipe that is not a move."""


SHOWN_ONLY = (".json", *PICTURES)  # urcx does not read games from these files


def check_new(file: Path) -> None:
    """Raise `UsageError` if a game in this file could not be resumed, or if the file exists."""
    if ending(file) in SHOWN_ONLY:
        raise UsageError(
            f"{file}: a game cannot be resumed from {file.suffix}. Save it as .txt, .rgn or "
            ".royalur.json, and convert it with urcx review --save"
        )
    if file.is_file() and file.stat().st_size:
        raise UsageError(f"{file} exists already. Save the game in a new file")


@dataclass
class Session:
    """A game of people and agents at a terminal, or in a pipe.

    ``agents`` has the agents by side. People play the other sides. ``chances`` has the win
    probabilities, if there are any. The game is saved in the file ``save`` before each question and
    at the end. If only agents play, ``pace`` is the time between plies in a terminal, in seconds.
    """

    played: PlayedGame
    agents: Mapping[str, Agent]
    chances: WinningChances | None = None
    save: Path | None = None
    pace: float = 0.0

    def run(self) -> None:
        """Play to the end, or until the player quits.

        Raises
        ------
        UsageError
            If a line of a pipe is not a move.
        InterruptedRunError
            After Ctrl-C.
        UrcxError
            If the game cannot be saved.
        """
        try:
            self._begin()
            while not self.played.is_over:
                self.played = rolled(self.played)
                if self.played.turn in self.agents:
                    self._answer()
                else:
                    self._turn()
            self._write()
            self._end()
        except Quit:
            self._write()
            self._leave()
        except KeyboardInterrupt:
            if sys.stdout.isatty():
                self._say()
            self._write()
            raise InterruptedRunError(f"interrupted. {self._how_to_resume()}") from None
        except WrongLineError as error:
            self._write()
            raise WrongLineError(f"{error}. {self._how_to_resume()}") from None
        except UrcxError:
            self._write()
            raise

    # --- output

    def _say(self, text: str = "") -> None:
        wrapped = running(text, terminal_width()) if sys.stdout.isatty() else text
        sys.stdout.write(wrapped + "\n")
        sys.stdout.flush()

    def _show(self, report: Result) -> None:
        Style().show(report)
        sys.stdout.flush()

    def _player(self, side: str) -> str:
        """Return the player of a side: an agent, ``You`` for the only person, or the side."""
        if side in self.agents:
            return f"{self.agents[side].name} ({side})"
        return f"You ({side})" if self.agents else side.capitalize()

    def _rolls(self) -> str:
        """Return the player and the roll as the beginning of a sentence: ``You (light) roll 2``."""
        side = self.played.turn
        verb = "roll" if side not in self.agents and self.agents else "rolls"
        return f"{self._player(side)} {verb} {self.played.roll}"

    def _begin(self) -> None:
        game = self.played
        players = " against ".join(self._player(side) for side in self._order())
        pieces = f"{game.rules.pieces} piece{'s' if game.rules.pieces > 1 else ''}"
        self._say(f"{players}, {game.rules.name} with {pieces}, seed {game.seed}")
        if len(self.agents) < len(SIDES):
            signs = "○ light, ● dark, ✽ rosette" if can_paint() else "L light, D dark, * rosette"
            self._say(f"{signs}. Type {KEYS}")
        if game.plies:
            self._say(f"resumed at ply {len(game.plies) + 1}")

    def _order(self) -> tuple[str, ...]:
        """Return the sides, a person's side first."""
        return tuple(sorted(SIDES, key=lambda side: side in self.agents))

    def _board(self) -> None:
        game = self.played.game
        body = BoardView(game.rules, game.position).drawn(terminal_width())
        watched = len(self.agents) == len(SIDES) and not game.is_over
        if self.chances is not None and watched and can_paint():
            body += win_bar(float(chance_of(self.chances, game, "light")))
        self._say()
        Style().show(Report(body=body))

    def _end(self) -> None:
        self._board()
        winner = self.played.winner or ""
        won = "win" if winner not in self.agents and self.agents else "wins"
        self._say(f"\n{self._player(winner)} {won} after {len(self.played.plies)} plies.")
        chances = self.chances or network_estimates(self.played.rules)
        if chances is not None:
            sides, *_ = review(self.played, chances).tables()
            self._say()
            self._show(Report(listed=[replace(sides, title="Luck and skill")]))
        if self.save is not None:
            self._say(f"\nSaved in {self.save}. To see every ply: urcx review {self.save}")

    def _leave(self) -> None:
        if self.save is None:
            self._say(f"\n{self.played.to_text()}\nNot saved. To save a game, add -o FILE")
        else:
            self._say(f"\n{self._how_to_resume()}")

    def _how_to_resume(self) -> str:
        """Return a sentence with the command that continues the game, if it is saved."""
        if self.save is None:
            return "The game was not saved. To save a game, add -o FILE"
        return f"The game is saved. To continue: urcx play --resume {shlex.quote(str(self.save))}"

    # --- moves and commands

    def _write(self) -> None:
        """Save the game, if there is a file for it."""
        if self.save is not None:
            self.played.save(self.save, provenance(self.played.seed))

    def _play(self, move: Move | None) -> None:
        self.played = self.played.passed() if move is None else self.played.play(move)

    def _answer(self) -> None:
        """Play the move of an agent."""
        before = self.played
        move = choice(before, self.agents[before.turn])
        watched = len(self.agents) == len(SIDES)
        loss = self._loss(move) if watched else ""
        self._say(f"{self._rolls()}: {described(before.game, move)}{loss}")
        self._play(move)
        if watched and not self.played.is_over:
            self._board()
            self._say()
            self._wait()

    def _wait(self) -> None:
        """Pause between plies, if somebody watches in a terminal."""
        if self.pace and sys.stdout.isatty():
            self._write()
            time.sleep(self.pace)

    def _loss(self, move: Move | None) -> str:
        """Return the loss of a decision in words, or an empty string if it is unknown."""
        if self.chances is None or len(self.played.legal_moves()) < 2:
            return ""
        advice = hint(self.played, tablebase=self.chances)
        chosen = next(rated for rated in advice.moves if rated.move == move)
        if chosen.regret is None or float(chosen.regret) <= 2 * (advice.bound or 0.0):
            return " - best"
        best = described(self.played.game, advice.best)
        return f" - loses {100 * float(chosen.regret):.2f} points; best was {best}"

    def _turn(self) -> None:
        """Play a person's turn. A pass or an only move is played without asking."""
        legal = self.played.legal_moves()
        if len(legal) < 2:
            only = legal[0] if legal else None
            why = "the only move" if legal else "no legal move"
            self._say(f"{self._rolls()}: {described(self.played.game, only)} - {why}")
            self._play(only)
            return
        self._ask_for_move(legal)

    def _ask_for_move(self, legal: tuple[Move, ...]) -> None:
        self._write()
        self._board()
        self._say(f"\n{self._rolls()}:")
        for number, move in enumerate(legal, start=1):
            self._say(f"  {number}  {described(self.played.game, move)}")
        while True:
            word = self._read()
            try:
                moved = self._obey(word, legal)
            except UrcxError as error:
                if not sys.stdin.isatty():
                    raise WrongLineError(str(error)) from None
                self._say(str(error))
                continue
            if moved:
                return

    def _read(self) -> str:
        """Return the next line that is not blank. A line of a pipe is printed, as if typed."""
        while True:
            sys.stdout.write("Your move: ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                self._say()
                raise Quit
            word = line.strip()
            if not sys.stdin.isatty():
                self._say(word if word.isprintable() else repr(word))
            if word:
                return word

    def _obey(self, word: str, legal: tuple[Move, ...]) -> bool:
        """Carry out the command or move on a line, and return whether the position has changed."""
        key, _, rest = word.partition(" ")
        if word.lower() in ("q", "quit"):
            raise Quit
        if word.lower() in ("u", "undo"):
            return self._undo()
        if key.lower() in ("s", "save"):
            self._save(rest.strip())
        elif word == "?":
            self._hint()
        elif word.lower() in ("b", "board"):
            self._board()
        elif word.lower() in ("h", "help"):
            self._say(HELP)
        else:
            move = self._move_named(word, legal)
            self._say(f"You play {described(self.played.game, move)}{self._loss(move)}")
            self._play(move)
            return True
        return False

    def _move_named(self, word: str, legal: tuple[Move, ...]) -> Move:
        """Return the legal move of a number, tile or step.

        Raises
        ------
        UsageError
            If no move fits, or several.
        """
        name = word.upper()
        places = ("START", *mover_path(self.played.game), "HOME")
        by_piece = [move for move in legal if places[move.start] == name]
        by_end = [move for move in legal if places[move.end] == name]
        by_both = [
            move
            for move in legal
            if name in (f"{move.start}-{move.end}", f"{places[move.start]}-{places[move.end]}")
        ]
        by_number = [legal[int(word) - 1]] if word in map(str, range(1, len(legal) + 1)) else []
        matches = by_number or by_both or by_piece or by_end
        if len(matches) == 1:
            return matches[0]
        shown = repr(word[:20])
        if matches:
            raise UsageError(f"{shown} fits {len(matches)} moves. Choose by number")
        raise UsageError(f"{shown} is not a move here. Type 1 to {len(legal)}, a tile, or {KEYS}")

    def _undo(self) -> bool:
        played = self.played
        for k in range(len(played.plies) - 1, -1, -1):
            ply = played.plies[k]
            if ply.side not in self.agents and len(ply.before.legal_moves(ply.roll)) > 1:
                self.played = played.undo(len(played.plies) - k)
                self._say("undone. The dice will fall as before")
                return True
        raise UsageError("you have not made a choice yet, so there is nothing to undo")

    def _save(self, name: str) -> None:
        if not name and self.save is None:
            raise UsageError("the file is missing. Type s FILE")
        if name:
            check_new(Path(name))
            self.played.save(name)
            self.save = Path(name)
        self._write()
        self._say(f"saved in {self.save}")

    def _hint(self) -> None:
        game, roll = self.played.game, self.played.roll
        if self.chances is not None:
            agents = [agent for agent in self.agents.values() if agent.name != "optimal"]
            self._show(hint(self.played, tablebase=self.chances, agents=agents))
            return
        adviser = Adviser(opponent(game.rules), game.rules)
        moves = choices(game.position, game.rules, roll, adviser)
        self._show(Report(listed=moves.tables()))  # the board is already on the screen

"""A game at the terminal: asks people, lets agents answer, and keeps what was played."""

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
from urcx.reports.display.output import Style
from urcx.reports.display.provenance import provenance
from urcx.results.layout import terminal_width
from urcx.results.result import Report, Result
from urcx.results.wrapping import running
from urcx.rules.drawing import BoardView, position_board
from urcx.solving.probing import WinningChances

HELP = """\
Play a move by its number, by the tile of its piece (start for one that enters), by the tile \
it reaches, or by both, such as A4-B1; steps such as 1-5 do as well.

  ?        a hint: every move's chance of winning
  u        take back, to your last choice
  b        draw the board again
  s FILE   save the game, now and from now on
  h        this help
  q        quit; the game can be resumed
"""
KEYS = "? hint, u undo, q quit, h help"


class Quit(Exception):  # noqa: N818 - no error
    """The player has had enough."""


class WrongLineError(UsageError):
    """A line of a pipe that is no move."""


SHOWN_ONLY = (".json", ".svg")  # files of games that are not read again


def check_new(file: Path) -> None:
    """Raise `UsageError` if a game cannot be kept in a file, or one is there already."""
    if ending(file) in SHOWN_ONLY:
        raise UsageError(
            f"{file}: a game does not go on from {file.suffix}; keep it as text, .rgn or "
            ".royalur.json, of which urcx review --save makes others"
        )
    if file.is_file() and file.stat().st_size:
        raise UsageError(f"{file} is there already; a game is not written over another file")


@dataclass
class Session:
    """A game that people and agents play at a terminal, or in a pipe.

    ``agents`` are those who play a side; people play the others. ``known`` is what knows the
    chances of winning, if anything does. ``save`` is the file where the game is kept, whenever
    a person is asked, at the end and at any other. Where agents play for someone to watch in a
    terminal, ``pace`` is the time between plies, in seconds.
    """

    played: PlayedGame
    agents: Mapping[str, Agent]
    known: WinningChances | None = None
    save: Path | None = None
    pace: float = 0.0

    def run(self) -> None:
        """Play to the end, or until the player quits.

        Raises
        ------
        UsageError
            If what a pipe says is no move.
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
            self._keep()
            self._end()
        except Quit:
            self._keep()
            self._leave()
        except KeyboardInterrupt:
            if sys.stdout.isatty():
                self._say()
            self._keep()
            raise InterruptedRunError(f"interrupted; {self._kept()}") from None
        except WrongLineError as error:
            self._keep()
            raise WrongLineError(f"{error}; {self._kept()}") from None
        except UrcxError:
            self._keep()
            raise

    # --- what is said

    def _say(self, text: str = "") -> None:
        wrapped = running(text, terminal_width()) if sys.stdout.isatty() else text
        sys.stdout.write(wrapped + "\n")
        sys.stdout.flush()

    def _show(self, report: Result) -> None:
        Style().show(report)
        sys.stdout.flush()

    def _who(self, side: str) -> str:
        """Return who plays a side: ``You (light)`` where one person plays, else the side."""
        if side in self.agents:
            return f"{self.agents[side].name} ({side})"
        return f"You ({side})" if self.agents else side.capitalize()

    def _rolls(self) -> str:
        """Return who rolled what, as the beginning of a sentence."""
        side = self.played.turn
        verb = "roll" if side not in self.agents and self.agents else "rolls"
        return f"{self._who(side)} {verb} {self.played.roll}"

    def _begin(self) -> None:
        game = self.played
        whose = " against ".join(self._who(side) for side in self._order())
        pieces = f"{game.rules.pieces} piece{'s' if game.rules.pieces > 1 else ''}"
        self._say(f"{whose}, {game.rules.name} with {pieces}, seed {game.seed}")
        if len(self.agents) < len(SIDES):
            self._say(f"L light, D dark, * a rosette; {KEYS}")
        if game.plies:
            self._say(f"resumed at ply {len(game.plies) + 1}")

    def _order(self) -> tuple[str, ...]:
        """Return the sides, a person's first."""
        return tuple(sorted(SIDES, key=lambda side: side in self.agents))

    def _board(self) -> None:
        game = self.played.game
        self._draw(position_board(game.rules, game.position, terminal_width()))
        self._say("   ".join(BoardView(game.rules, game.position).pools))

    def _draw(self, text: str) -> None:
        sys.stdout.write("\n" + text)

    def _end(self) -> None:
        self._board()
        winner = self.played.winner or ""
        won = "have" if winner not in self.agents and self.agents else "has"
        self._say(f"\n{self._who(winner)} {won} won after {len(self.played.plies)} plies.")
        if self.known is not None:
            sides, *_ = review(self.played, self.known).tables()
            self._say()
            self._show(Report(listed=[replace(sides, title="Luck and skill")]))
        if self.save is not None:
            self._say(f"\nsaved in {self.save}; urcx review {self.save} shows every ply")

    def _leave(self) -> None:
        if self.save is None:
            self._say(f"\n{self.played.to_text()}\nnot saved: -o FILE keeps a game in a file")
        else:
            self._say(f"\n{self._kept()}")

    def _kept(self) -> str:
        """Return where the game is kept, and how to go on with it."""
        if self.save is None:
            return "the game was not saved, as -o FILE does"
        return f"the game is kept; go on with: urcx play --resume {shlex.quote(str(self.save))}"

    # --- what is done

    def _keep(self) -> None:
        """Save the game, where that is wanted."""
        if self.save is not None:
            self.played.save(self.save, provenance(self.played.seed))

    def _play(self, move: Move | None) -> None:
        self.played = self.played.passed() if move is None else self.played.play(move)

    def _answer(self) -> None:
        """Let an agent play."""
        before = self.played
        move = choice(before, self.agents[before.turn])
        watched = len(self.agents) == len(SIDES)
        cost = self._cost(move) if watched else ""
        self._say(f"{self._rolls()}: {described(before.game, move)}{cost}")
        self._play(move)
        if watched and not self.played.is_over:
            self._board()
            self._say()
            self._wait()

    def _wait(self) -> None:
        """Let someone watch, in a terminal."""
        if self.pace and sys.stdout.isatty():
            self._keep()
            time.sleep(self.pace)

    def _cost(self, move: Move | None) -> str:
        """Return what a decision costs, in words; nothing where that is not known."""
        if self.known is None or len(self.played.legal_moves()) < 2:
            return ""
        found = hint(self.played, tablebase=self.known)
        done = next(one for one in found.moves if one.move == move)
        if done.regret is None or float(done.regret) <= 2 * (found.bound or 0.0):
            return " - best"
        best = described(self.played.game, found.best)
        return f" - costs {float(done.regret):.2%}; best was {best}"

    def _turn(self) -> None:
        """Let a person play; a pass or an only move is played at once."""
        legal = self.played.legal_moves()
        if len(legal) < 2:
            only = legal[0] if legal else None
            why = "the only move" if legal else "no legal move"
            self._say(f"{self._rolls()}: {described(self.played.game, only)} - {why}")
            self._play(only)
            return
        self._ask_for_move(legal)

    def _ask_for_move(self, legal: tuple[Move, ...]) -> None:
        self._keep()
        self._board()
        self._say(f"\n{self._rolls()}:")
        for number, move in enumerate(legal, start=1):
            self._say(f"  {number}  {described(self.played.game, move)}")
        while True:
            word = self._read()
            try:
                done = self._obey(word, legal)
            except UrcxError as error:
                if not sys.stdin.isatty():
                    raise WrongLineError(str(error)) from None
                self._say(str(error))
                continue
            if done:
                return

    def _read(self) -> str:
        """Return the next line that says something; in a pipe it is shown, as if it were typed."""
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
        """Do what a line says; return whether the turn, or the position, is another one now."""
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
            move = self._meant(word, legal)
            self._say(f"You play {described(self.played.game, move)}{self._cost(move)}")
            self._play(move)
            return True
        return False

    def _meant(self, word: str, legal: tuple[Move, ...]) -> Move:
        """Return the move that a line means; raises `UsageError` if it means none, or several."""
        said = word.upper()
        places = ("START", *mover_path(self.played.game), "HOME")
        by_piece = [move for move in legal if places[move.start] == said]
        by_end = [move for move in legal if places[move.end] == said]
        by_both = [
            move
            for move in legal
            if said in (f"{move.start}-{move.end}", f"{places[move.start]}-{places[move.end]}")
        ]
        by_number = [legal[int(word) - 1]] if word in map(str, range(1, len(legal) + 1)) else []
        found = by_number or by_both or by_piece or by_end
        if len(found) == 1:
            return found[0]
        shown = repr(word[:20])
        if found:
            raise UsageError(f"{shown} is said of {len(found)} moves; choose by number")
        raise UsageError(
            f"{shown} is not a move here; write 1 to {len(legal)}, a tile, or one of: {KEYS}"
        )

    def _undo(self) -> bool:
        played = self.played
        for k in range(len(played.plies) - 1, -1, -1):
            ply = played.plies[k]
            if ply.side not in self.agents and len(ply.before.legal_moves(ply.roll)) > 1:
                self.played = played.undo(len(played.plies) - k)
                self._say("taken back; the dice stay as they were")
                return True
        raise UsageError("there is no choice of yours to take back")

    def _save(self, name: str) -> None:
        if not name and self.save is None:
            raise UsageError("save where? write s FILE")
        if name:
            check_new(Path(name))
            self.played.save(name)
            self.save = Path(name)
        self._keep()
        self._say(f"saved in {self.save}")

    def _hint(self) -> None:
        game, roll = self.played.game, self.played.roll
        if self.known is not None:
            asked = [agent for agent in self.agents.values() if agent.name != "optimal"]
            self._show(hint(self.played, tablebase=self.known, agents=asked))
            return
        adviser = Adviser(opponent(game.rules), game.rules)
        found = choices(game.position, game.rules, roll, adviser)
        self._show(Report(listed=found.tables()))  # the board is there already

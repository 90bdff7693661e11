"""The dialogue of `urcx engine` with another program, by the protocol of engines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from urcx import __version__
from urcx.errors import TooLargeError, UrcxError, UsageError, printable, quoted
from urcx.rules import catalogue
from urcx.rules.model import MAX_PIECES, RuleSet

if TYPE_CHECKING:
    from urcx.agents.agents import Agent
    from urcx.engine.moves import Move
    from urcx.game import Game
    from urcx.solving.probing import WinningChances

LONGEST = 10_000  # characters of a line
QUESTIONS = ("urgi", "isready", "go")
COMMANDS = (*QUESTIONS, "setoption", "position", "roll", "quit")
BY_CHANCES = ("solution", "network")  # what has chances of winning for values


def lines() -> Iterator[str]:
    """Yield the lines of standard input, whatever bytes they are."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    while line := sys.stdin.readline(LONGEST):
        yield line.removeprefix("\ufeff")
        while line and not line.endswith("\n"):  # the rest of a line that is too long
            line = sys.stdin.readline(LONGEST)


@dataclass
class Conversation:
    """What a program has said so far, and who answers it.

    ``agent`` plays, by default the strongest that is ready at once; ``known`` are the rule sets by
    name; ``stack`` closes the solution that is played by.
    """

    agent: Agent | None
    known: dict[str, RuleSet]
    stack: ExitStack
    rules: RuleSet = field(init=False)
    game: Game | None = None
    roll: int | None = None
    player: Agent | None = None  # the agent, when it is ready to play the rules
    chances: WinningChances | None = None  # by which it plays, if it has no values of its own
    wrong: dict[str, UrcxError] = field(default_factory=dict)  # of what has no answer of its own

    def __post_init__(self) -> None:
        self.rules = catalogue.ruleset(catalogue.DEFAULT_RULES)

    def answers(self, words: list[str]) -> list[str]:
        """Return the lines that answer a command.

        Each question has one answer: what was wrong with a line that is none, the next one says.
        """
        if not words:
            return []
        name = words[0]
        if name not in COMMANDS:
            return [f"info unknown command {quoted(name)}; known: {', '.join(COMMANDS)}"]
        try:
            if name in QUESTIONS:
                return self._answer(words)
            self._take(words)
        except UrcxError as error:
            if name in QUESTIONS:
                return [f"error {printable(' '.join(str(error).split()))}"]
            self.wrong[name] = error
        return []

    def _answer(self, words: list[str]) -> list[str]:
        match words:
            case ["urgi"]:
                return self._options()
            case ["isready"]:
                self._check()
                self._prepare()
                return ["readyok"]
            case ["go"]:
                return [self._best(None)]
            case ["go", "seed", number]:
                return [self._best(_whole("seed", number))]
        raise _wrong(words)

    def _take(self, words: list[str]) -> None:
        match words:
            case ["setoption", "name", option, "value", value]:
                self._set(option, value)
            case ["position", text]:
                self._place(text)
            case ["roll", number]:
                self._throw(number)
            case _:
                raise _wrong(words)

    def _check(self) -> None:
        """Raise what was wrong with the lines before, once."""
        found = list(self.wrong.values())
        self.wrong.clear()
        if found:
            raise found[0]

    def _options(self) -> list[str]:
        who = "" if self.agent is None else f", {self.agent.name}"
        return [
            f"id name urcx {__version__}{who}",
            f"option name rules type string default {catalogue.DEFAULT_RULES}",
            f"option name pieces type spin default {self.rules.pieces} min 1 max {MAX_PIECES}",
            "urgiok",
        ]

    def _set(self, name: str, value: str) -> None:
        if name == "rules":
            rules = catalogue.lookup("rule set", self.known, value)
        elif name == "pieces":
            pieces = _whole("pieces", value)
            if not 1 <= pieces <= MAX_PIECES:
                raise UsageError(f"pieces {pieces}: from 1 to {MAX_PIECES}")
            rules = replace(self.rules, pieces=pieces)
        else:
            raise UsageError(f"unknown option {quoted(name)}; known: rules, pieces")
        if rules != self.rules:
            self.player = self.chances = None
        self.rules, self.game, self.roll = rules, None, None

    def _place(self, text: str) -> None:
        from urcx.game import Game

        self.game = self.roll = None
        self.wrong.clear()  # of another position
        self.game = Game(self.rules, text)

    def _throw(self, number: str) -> None:
        self.roll = None
        self._position().legal_moves(_whole("roll", number))
        self.roll = int(number)
        self.wrong.pop("roll", None)

    def _position(self) -> Game:
        if self.game is None:
            raise UsageError("there is no position; position POSITION says which")
        return self.game

    def _prepare(self) -> Agent:
        """Return the agent that plays, once it is ready to."""
        from urcx.game import Game
        from urcx.played.players import opponent
        from urcx.played.values import open_chances

        if self.player is None:
            self.stack.close()
            if self.agent is None or self._by_a_tablebase(self.agent):
                table = None if self.agent is None else self.agent.table
                try:
                    self.chances = self.stack.enter_context(open_chances(self.rules, table))
                except TooLargeError:
                    if self.agent is not None:
                        raise
            player = self.agent or opponent(self.rules, self.chances)
            if self.chances is None:
                player.move_probabilities(Game(self.rules), max(self.rules.dice.rolls))
            self.player = player
        return self.player

    @staticmethod
    def _by_a_tablebase(agent: Agent) -> bool:
        """Return whether an agent plays by a solution, which is then opened and not loaded."""
        from urcx.agents.kinds import player_class

        first = agent.kind == "optimal" and agent.ties == "first"
        return first and (agent.table is None or player_class(agent.table) is None)

    def _best(self, seed: int | None) -> str:
        self._check()
        game, roll = self._position(), self.roll
        if roll is None:
            raise UsageError("there is no roll; roll NUMBER says which")
        if not game.legal_moves(roll):
            return "bestmove pass"
        player = self._prepare()
        if self.chances is not None:
            from urcx.played.hints import hint

            best = hint(game, roll, self.chances).moves[0]
            assert best.move is not None
            assert best.chance is not None
            return _said(best.move, "value", float(best.chance))
        move = player.choose(game, roll, seed)
        assert move is not None
        values = None if player.is_own else player.values(game, roll)
        if values is None:
            return _said(move)
        from urcx.agents.kinds import KINDS

        unit = "value" if KINDS[player.kind].chooses in BY_CHANCES else "score"
        return _said(move, unit, float(values[move]))


def _said(move: Move, unit: str = "", value: float = 0.0) -> str:
    worth = f" {unit} {value!r}" if unit else ""
    return f"bestmove {move.start}-{move.end}{worth}"


def _wrong(words: list[str]) -> UsageError:
    return UsageError(f"{quoted(' '.join(words))} is not how {words[0]} is written")


def _whole(what: str, text: str) -> int:
    from urcx.rules import catalogue

    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(catalogue.MAX_SEED))):
        raise UsageError(f"{what} {quoted(text)}: must be an integer from 0 on")
    return int(text)

"""The dialogue of `urcx engine` with another program, by the engine protocol."""

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
FORMS = {  # of the commands
    "urgi": "urgi alone",
    "isready": "isready alone",
    "go": "go, or go seed NUMBER",
    "setoption": "setoption name OPTION value VALUE",
    "position": "position POSITION",
    "roll": "roll NUMBER",
    "quit": "quit alone",
}
BY_CHANCES = ("solution", "network")  # agents whose values are win probabilities


def lines() -> Iterator[str]:
    """Yield the lines of standard input. Bytes that are not UTF-8 are replaced."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    while line := sys.stdin.readline(LONGEST):
        yield line.removeprefix("\ufeff")
        while line and not line.endswith("\n"):  # the rest of a line that is too long
            line = sys.stdin.readline(LONGEST)


@dataclass
class Conversation:
    """The state of a dialogue: rules, position and roll, and the agent that answers.

    ``agent`` plays, by default the strongest that is ready at once. ``rule_sets`` has the known
    rules by name, and ``stack`` closes the solution that the agent uses.
    """

    agent: Agent | None
    rule_sets: dict[str, RuleSet]
    stack: ExitStack
    rules: RuleSet = field(init=False)
    game: Game | None = None
    roll: int | None = None
    player: Agent | None = None  # the agent, once it is ready to play the rules
    chances: WinningChances | None = None  # of optimal play, if the agent plays by a solution
    # Errors of commands without an answer. The next question reports the first of them.
    wrong: dict[str, UrcxError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules = catalogue.ruleset(catalogue.DEFAULT_RULES)

    def answers(self, words: list[str]) -> list[str]:
        """Return the lines that answer a command.

        Only questions have an answer. An error in another command is the answer to the next
        question.
        """
        if not words:
            return []
        name = words[0]
        if name not in FORMS:
            return [f"info unknown command {quoted(name)}; known: {', '.join(FORMS)}"]
        try:
            if name in QUESTIONS:
                return self._answer(words)
            self._obey(words)
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
                self._raise_error()
                self._prepare()
                return ["readyok"]
            case ["go"]:
                return [self._best(None)]
            case ["go", "seed", number]:
                return [self._best(_integer("seed", number))]
        raise _malformed(words)

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["setoption", "name", option, "value", value]:
                self._set(option, value)
            case ["position", text]:
                self._place(text)
            case ["roll", number]:
                self._roll(number)
            case _:
                raise _malformed(words)

    def _raise_error(self) -> None:
        """Raise the first error of earlier lines, once."""
        errors = list(self.wrong.values())
        self.wrong.clear()
        if errors:
            raise errors[0]

    def _options(self) -> list[str]:
        name = "" if self.agent is None else f", {self.agent.name}"
        return [
            f"id name urcx {__version__}{name}",
            f"option name rules type string default {catalogue.DEFAULT_RULES}",
            f"option name pieces type spin default {self.rules.pieces} min 1 max {MAX_PIECES}",
            "urgiok",
        ]

    def _set(self, name: str, value: str) -> None:
        if name == "rules":
            rules = catalogue.lookup("rule set", self.rule_sets, value)
        elif name == "pieces":
            pieces = _integer("pieces", value)
            if not 1 <= pieces <= MAX_PIECES:
                raise UsageError(f"pieces {pieces}: must be from 1 to {MAX_PIECES}")
            rules = replace(self.rules, pieces=pieces)
        else:
            raise UsageError(f"unknown option {quoted(name)}; known: rules, pieces")
        if rules != self.rules:
            self.player = self.chances = None
        self.rules, self.game, self.roll = rules, None, None

    def _place(self, text: str) -> None:
        from urcx.game import Game

        self.game = self.roll = None
        self.wrong.clear()  # those errors are about another position
        self.game = Game(self.rules, text)

    def _roll(self, number: str) -> None:
        self.roll = None
        self._position().legal_moves(_integer("roll", number))
        self.roll = int(number)
        self.wrong.pop("roll", None)

    def _position(self) -> Game:
        if self.game is None:
            raise UsageError("the position is missing: send position POSITION")
        return self.game

    def _prepare(self) -> Agent:
        """Prepare the agent for the rules, and return it."""
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
        """Return whether an agent plays by a tablebase, which is opened rather than loaded."""
        from urcx.agents.kinds import player_class

        optimal = agent.kind == "optimal" and agent.ties == "first"
        return optimal and (agent.table is None or player_class(agent.table) is None)

    def _best(self, seed: int | None) -> str:
        self._raise_error()
        game, roll = self._position(), self.roll
        if roll is None:
            raise UsageError("the roll is missing: send roll NUMBER")
        if not game.legal_moves(roll):
            return "bestmove pass"
        player = self._prepare()
        if self.chances is not None:
            from urcx.played.hints import hint

            best = hint(game, roll, self.chances).moves[0]
            assert best.move is not None
            assert best.chance is not None
            return _bestmove(best.move, "value", float(best.chance))
        move = player.choose(game, roll, seed)
        assert move is not None
        values = None if player.is_own else player.values(game, roll)
        if values is None:
            return _bestmove(move)
        from urcx.agents.kinds import KINDS

        unit = "value" if KINDS[player.kind].chooses in BY_CHANCES else "score"
        return _bestmove(move, unit, float(values[move]))


def _bestmove(move: Move, unit: str = "", value: float = 0.0) -> str:
    suffix = f" {unit} {value!r}" if unit else ""
    return f"bestmove {move.start}-{move.end}{suffix}"


def _malformed(words: list[str]) -> UsageError:
    form = FORMS[words[0]]
    return UsageError(f"{quoted(' '.join(words))}: must be {form}")


def _integer(name: str, text: str) -> int:
    from urcx.rules import catalogue

    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(catalogue.MAX_SEED))):
        raise UsageError(f"{name} {quoted(text)}: must be an integer, at least 0")
    return int(text)

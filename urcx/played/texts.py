"""Reading texts word by word with errors that name line and column, and rules in texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from urcx.engine.files.sealed import Members
from urcx.errors import (
    NotationError,
    TablebaseError,
    UnknownNameError,
    UrcxError,
    UsageError,
    quoted,
)
from urcx.played.record import PlayedGame, Ply
from urcx.rules.catalogue import RuleSources, is_known
from urcx.rules.model import EFFECTS, MAX_PIECES, RuleSet
from urcx.solving.files.header import describe_rules, rules_of

MOST_PLIES = 20_000
LONGEST_LINE = 200_000  # characters
MOST_WORDS = 12  # words and lines per ply, beginnings of lines and comments included
OWN_RULES = ("light-path", "dark-path", "rosettes", "rolls", "flags")
FLAGS = tuple(name.replace("_", "-") for name in EFFECTS)


@dataclass(frozen=True)
class Word:
    """A word of a text, and the line and column of its first character."""

    text: str
    line: int
    column: int


@dataclass
class Text:
    """A text that is read line by line, with the name of its file for messages.

    ``first`` is the number of its first line in the file, and ``most`` the greatest number of
    plies. ``plies`` are the plies read so far.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    most: int = MOST_PLIES
    first: int = 1
    plies: list[Ply] = field(default_factory=list)

    def check_size(self, plies: int = 0) -> None:
        """Raise `UsageError` if there are too many plies, words or lines, or a line is too long."""
        if max(map(len, self.lines), default=0) > LONGEST_LINE:
            raise UsageError(f"{self.name} has a line of more than {LONGEST_LINE:,} characters")
        words = len(self.lines) + sum(len(line.split()) for line in self.lines)
        if plies > self.most or words > MOST_WORDS * (self.most + MOST_WORDS):
            raise UsageError(
                f"{self.name} is too long: a game may have at most {self.most:,} plies"
            )

    def wrong(self, where: Word, why: str) -> NoReturn:
        """Raise an error at a word."""
        raise NotationError(self.name, where.line, where.column, why)

    def going_on(self, where: Word, played: PlayedGame) -> None:
        """Raise an error at a word if the game is over before it."""
        if played.is_over:
            self.wrong(where, f"the game is over, {played.winner} has won")

    def guarded(self, where: Word, make: Callable[[], PlayedGame]) -> PlayedGame:
        """Return the game that a function makes. Its errors become errors at a word."""
        try:
            return make()
        except UrcxError as error:
            self.wrong(where, str(error))

    def words(self) -> Iterator[list[Word]]:
        """Yield the words of each line without comments, skipping empty lines."""
        for number, line in enumerate(self.lines, start=self.first):
            code = line.partition("#")[0]
            result = [Word(m[0], number, m.start() + 1) for m in re.finditer(r"\S+", code)]
            if result:
                yield result

    def taken(self, played: PlayedGame) -> PlayedGame:
        """Store a game's last ply if it is new, and return the game with this ply alone.

        So every ply of a long game takes the same time.
        """
        last = played.plies[-1:]
        if last and not (self.plies and last[0] is self.plies[-1]):
            self.plies.append(last[0])
        return played.following(last, played.roll)

    def complete(self, first: PlayedGame, last: PlayedGame) -> PlayedGame:
        """Return the game of all stored plies."""
        return first.following(tuple(self.plies), last.roll)


def rules_of_text(
    text: Text, tags: Mapping[str, Word], sources: RuleSources, *, default_pieces: bool
) -> RuleSet:
    """Return the rules of a game.

    ``tags`` are the text's words for ``rules``, ``pieces`` and `OWN_RULES`. With
    ``default_pieces``, a text without ``pieces`` has the rule set's number of pieces.
    """
    name, number = tags.get("rules"), tags.get("pieces")
    own = [key for key in OWN_RULES if key in tags]
    if own:
        theirs = _own_rules(text, tags, own)
        return sources.decided(theirs, theirs.pieces, game=text.name)
    named = None if name is None else sources.names.get(name.text)
    if name is not None and named is None:
        if sources.named is None:
            text.wrong(name, str(UnknownNameError("rule set", name.text, sources.names)))
        return sources.decided(name.text, game=text.name)
    pieces = None if number is None else _pieces(text, number)
    if named is not None and pieces is None and default_pieces:
        pieces = named.pieces
    return sources.decided(named, pieces, game=text.name)


def _pieces(text: Text, word: Word) -> int:
    if not re.fullmatch("[1-9][0-9]{0,3}", word.text):
        text.wrong(word, f"{quoted(word.text)} is not a number of pieces")
    if int(word.text) > MAX_PIECES:
        text.wrong(word, f"pieces {word.text}: must be from 1 to {MAX_PIECES}")
    return int(word.text)


def _own_rules(text: Text, tags: Mapping[str, Word], own: list[str]) -> RuleSet:
    missing = [key for key in (*OWN_RULES, "pieces") if key not in tags]
    if missing:
        text.wrong(tags[own[0]], f"rules that are not in urcx also need {', '.join(missing)}")
    rolls: dict[int, str] = {}
    for part in tags["rolls"].text.split():
        match = re.fullmatch(r"([0-9]{1,2})=([0-9/]+)", part)
        if match is None or int(match[1]) in rolls:
            text.wrong(tags["rolls"], f"{quoted(part)} is not a roll such as 2=3/8, or is repeated")
        rolls[int(match[1])] = match[2]
    lists = {
        key: [] if tags[key].text == "none" else tags[key].text.split()
        for key in ("light-path", "dark-path", "rosettes", "flags")
    }
    flags = lists["flags"]
    grants: bool | list[str] = FLAGS[0] in flags
    for k, flag in enumerate(flags):
        if flag.startswith(f"{FLAGS[0]}="):
            flags[k], _, tiles = flag.partition("=")
            grants = tiles.split(",")
        elif flag not in FLAGS:
            text.wrong(
                tags["flags"], f"flag {quoted(flag)}: must be none, or one of {', '.join(FLAGS)}"
            )
    name = tags.get("rules", Word("", 0, 0))
    described = {
        "name": name.text,
        "light": lists["light-path"],
        "dark": lists["dark-path"],
        "rosettes": lists["rosettes"],
        "pieces": _pieces(text, tags["pieces"]),
        "rolls": list(rolls),
        "probabilities": list(rolls.values()),
        **{flag.replace("-", "_"): flag in flags for flag in FLAGS},
        "rosette_grants_roll": grants,
    }
    try:
        return rules_of(Members(described, "rules"))
    except TablebaseError as error:
        text.wrong(name if name.line else tags["pieces"], str(error))


def described_rules(rules: RuleSet) -> dict[str, str]:
    """Return the lines of `OWN_RULES` in a text, empty for rules that urcx has by name."""
    if is_known(rules):
        return {}
    fields = describe_rules(rules)
    pairs = zip(fields["rolls"], fields["probabilities"], strict=True)
    flags = [flag for flag in FLAGS if fields.get(flag.replace("-", "_"))]
    on_path = [t for t in fields["rosettes"] if t in rules.path.tiles]
    granting = [t for t in on_path if t in rules.granting]
    if granting != on_path and flags[:1] == [FLAGS[0]]:
        flags[:1] = [f"{FLAGS[0]}={','.join(granting)}"] if granting else []
    return {
        "light-path": " ".join(fields["light"]),
        "dark-path": " ".join(fields["dark"]),
        "rosettes": " ".join(on_path) or "none",
        "rolls": " ".join(f"{roll}={Fraction(chance)}" for roll, chance in pairs),
        "flags": " ".join(flags) or "none",
    }

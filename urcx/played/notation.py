"""The notation of games: a text file with the players, the rules, and every roll and move.

A file begins with the line ``urcx game 1``. Then come lines ``name: text``, and then the turns in
order, one per line. Everything after ``#`` is a comment, and lines with nothing else are skipped::

    urcx game 1
    rules: finkel
    pieces: 7
    light: you
    dark: learned
    date: 2026-11-22
    seed: 1

    1. light 4:0-4* 2:0-2
    2. dark 0:pass
    3. light 3:?

- A turn consists of its number from 1 with a point, the player's side, and all plies of the player
  until the other player's next ply.
- A ply is the roll, a colon, and the move. A move is its steps, where 0 is the start pool and the
  step after the last one is home, or its tiles, as in ``start-A1`` and ``A4-B1``. urcx writes
  steps. ``pass`` means that the roll has no legal move. ``x`` after a move marks a capture, and
  ``*`` a rosette. Both marks may be left out, but must not be wrong.
- ``?`` instead of a move means that the roll was thrown and has not been played yet. It is the last
  ply.

The lines before the turns, each at most once:

- ``rules``: the name of a rule set, by default ``finkel``
- ``pieces``: the number of pieces per side, if it differs from the rule set
- ``start``: the position at the start of the game, if it differs from the usual start
- ``light``, ``dark``: the names of the players
- ``date``: the date, such as ``2026-11-22``
- ``result``: ``light``, ``dark`` or ``unfinished``, which must match the game
- ``seed``: an integer from 0 that determines the dice
- names that begin with ``x-``: anything else

Rules that are not in urcx need ``pieces`` and all of these lines, and their name is free:

- ``light-path``, ``dark-path``: the tiles in order, with blanks between them
- ``rosettes``: the rosettes
- ``rolls``: the rolls with their probabilities, such as ``0=1/16 1=1/4 2=3/8 3=1/4 4=1/16``
- ``flags``: the flags that hold, of ``rosette-grants-roll``, ``rosette-protects``,
  ``capture-grants-roll``, ``captures-blocked`` and ``rosette-disarms``
  (``rosette-grants-roll=A1,C1`` if only these rosettes grant a roll)

A file is text in UTF-8 of at most a million bytes and 20,000 plies. An error in the notation or in
the game's rules names line and column.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path

from urcx.errors import (
    MAX_SHOWN,
    NotationError,
    UsageError,
    printable,
    quoted,
)
from urcx.game import SIDES, Game
from urcx.played import royalur
from urcx.played.record import PASS, PlayedGame, Ply
from urcx.played.royalur_json import from_royalur_json
from urcx.played.texts import (
    MOST_PLIES,
    OWN_RULES,
    Text,
    Word,
    described_rules,
    rules_of_text,
)
from urcx.reading import STDIN, as_paths, read_bytes
from urcx.results.numbers import count_text
from urcx.rules.catalogue import DEFAULT_RULES, RuleSources
from urcx.rules.model import RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.probing import WinningChances

__all__ = ["read_game", "read_games"]

MAGIC = "urcx game"
FORMAT = 1
MOST_BYTES = 1_000_000
MOST_FILE = 100_000_000  # bytes of a file with many games
MOST_GAMES = 10_000
MOST_TRIED = 7  # pieces per side, when searching the number that makes a game legal
MOST_DIGITS = 18  # of a seed
KEYS = ("rules", "pieces", "start", "light", "dark", "date", "seed", "result", *OWN_RULES)
KEY = re.compile(r"(x-)?[a-z]+(-[a-z0-9]+)*\Z")
TURN = re.compile(r"([1-9][0-9]{0,6})\.\Z")
PLACE = "(?:[0-9]{1,4}|[A-Za-z][0-9]{1,3}|start|home)"
PLY = re.compile(rf"([0-9]{{1,3}}):(?:(pass)|(\?)|({PLACE}-{PLACE})(x?)(\*?))\Z")


def read_game(
    file: str | Path,
    rules: str | RuleSet | RuleSources | None = None,
    *,
    pieces: int | None = None,
    tablebase: WinningChances | str | Path | None = None,
    path_file: str | Path | None = None,
) -> PlayedGame:
    """Read a game from a file, in our notation or in one of RoyalUr's.

    The rules come from the first of these sources that has any: the parameters, the file, the
    tablebase, a single rule set in ``path_file``, ``finkel``.

    Parameters
    ----------
    file
        The name of a file, or ``-`` for standard input. The file is in our notation
        (:ref:`notation-of-games`), in RGN or JSON, which RoyalUr-Java writes, or has the lines that
        the examples of RoyalUr-Java and of the package ``royalur`` print (`urcx.played.royalur`).
    rules
        A rule set or its name, for files without rules. A file with other rules is refused.
    pieces
        The number of pieces per side, for files without it.
    tablebase
        A tablebase or the name of its file, for files without rules.
    path_file
        A user's file with rule sets that games may name (see :doc:`/formats`).

    Returns
    -------
    PlayedGame

    Raises
    ------
    UnusableFileError
        If the file cannot be read.
    UsageError
        If the file is not a game in a known notation. The message has line and column.

    Warns
    -----
    UserWarning
        If the rules of the game differ from those of the tablebase or of ``path_file``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import urcx
    >>> played = urcx.PlayedGame("finkel", light="you").throw(4).play("0-4").passed(0)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     file = Path(directory, "game.txt")
    ...     played.save(file)
    ...     again = urcx.read_game(file)
    >>> again == played
    True
    """
    data, name = _read(file, MOST_BYTES)
    if isinstance(rules, RuleSources):
        return parse_game(data, rules, name=name)
    sources = rule_sources(rules, pieces, tablebase, path_file)
    result = parse_game(data, sources, name=name)
    _compare(result, name, sources)
    for line in sources.notes:
        warnings.warn(line, stacklevel=2)
    return result


def read_games(
    files: str | Path | Sequence[str | Path],
    rules: str | RuleSet | None = None,
    *,
    pieces: int | None = None,
    tablebase: WinningChances | str | Path | None = None,
    path_file: str | Path | None = None,
) -> tuple[PlayedGame, ...]:
    """Read all games of one or several files, each with any number of games.

    A game begins with one of these:

    - the line ``urcx game 1``
    - the metadata of RGN, or its first turn, ``1.`` or ``(1)``
    - a line that begins with ``{`` (JSON)
    - the first line that the examples of RoyalUr print, or the line after the winner

    Parameters
    ----------
    files
        One file or several, as in `read_game`.
    rules, pieces, tablebase, path_file
        As in `read_game`, for each game.

    Returns
    -------
    tuple of PlayedGame

    Raises
    ------
    UnusableFileError, UsageError
        Like `read_game`, and if there are more than `MOST_GAMES`.

    Warns
    -----
    UserWarning
        Like `read_game`.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.read_games(["docs/examples/game.txt", "docs/examples/games.rgn"])
    >>> [(game.light, game.result) for game in games]
    [('anna', 'light'), ('anna', 'light'), ('ben', 'dark'), ('greedy', 'dark')]
    """
    sources = rule_sources(rules, pieces, tablebase, path_file)
    games = games_of(as_paths(files), sources)
    for name, game in games.items():
        _compare(game, name, sources)
    for line in dict.fromkeys(sources.notes):
        warnings.warn(line, stacklevel=2)
    return tuple(games.values())


def games_of(files: Sequence[Path], sources: RuleSources) -> dict[str, PlayedGame]:
    """Return the games of files by name: the file's name, with a number if it has several games.

    Raises the same errors as `read_games`.
    """
    result: dict[str, PlayedGame] = {}
    for file in files:
        data, name = _read(file, MOST_FILE)
        if len(data) > MOST_FILE:
            raise UsageError(
                f"{name} has more than {MOST_FILE:,} bytes. Read fewer games at a time"
            )
        lines = _lines(_decoded(data, name))
        games = list(_separated(lines))
        for number, (first, last) in enumerate(games, start=1):
            title = f"{name}:{number}" if len(games) > 1 else name
            if title in result:
                raise UsageError(f"{name} is repeated")
            if len(result) == MOST_GAMES:
                raise UsageError(f"more than {MOST_GAMES:,} games. Read fewer at a time")
            result[title] = _parsed(Text(name, lines[first:last], first=first + 1), sources)
    return result


def _read(file: str | Path, most: int) -> tuple[bytes, str]:
    """Return the bytes of a file, at most one too many, and its name for messages."""
    return read_bytes(file, most + 1), "standard input" if str(file) == STDIN else str(file)


def _compare(result: PlayedGame, name: str, sources: RuleSources) -> None:
    """Add a note if the tablebase's rules differ from the game's."""
    base = sources.tablebase
    if base is not None and not base.plays_like(result.rules):
        sources.notes.append(
            f"{name} was read as a game of {result.rules.full_name}, but the tablebase has "
            f"{base.name} with {base.pieces}"
        )


def _separated(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each game in a file, and the line after its end."""
    begins, in_plies, in_log, over = 0, False, False, False
    for k, line in enumerate(lines):
        words = line.partition("#")[0].split()
        if not words:
            continue
        log = royalur.ROLLED.match(" ".join(words)) is not None
        is_start = (
            words[:2] == MAGIC.split() or line.startswith("{") or royalur.begins(words, anew=True)
        )
        if in_plies and (is_start or over or (log and not in_log)):
            yield begins, k
            begins, in_plies, in_log = k, False, False
        in_plies |= not words[0].startswith("[")
        in_log |= log
        over = royalur.WON.match(" ".join(words)) is not None
    yield begins, len(lines)


def parse_game(
    text: str | bytes,
    rules: str | RuleSet | RuleSources | None = None,
    *,
    name: str = "the game",
    most: int = MOST_PLIES,
) -> PlayedGame:
    """Return the game of a text in notation (see `read_game`).

    Parameters
    ----------
    text
        The text, or its bytes in UTF-8.
    rules
        A rule set or its name, for texts without rules. Or all sources of rules.
    name
        The name of the text in messages.
    most
        The greatest number of plies.

    Raises
    ------
    UsageError
        If the text is too long, or not a game in a known notation (with line and column).
    """
    if len(text) > MOST_BYTES:
        raise UsageError(f"{name} has more than {MOST_BYTES:,} bytes, too many for a game")
    sources = rules if isinstance(rules, RuleSources) else RuleSources(rules)
    decoded = _decoded(text, name) if isinstance(text, bytes) else text
    return _parsed(Text(name, _lines(decoded), most), sources)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def _parsed(source: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of a text in any notation."""
    source.check_size()
    first = next(source.words(), None)
    if first is None:
        why = f"the text is empty. A game begins with {MAGIC} {FORMAT}"
        raise NotationError(source.name, 1, 1, why)
    if first[0].text.startswith("{"):
        return from_royalur_json(source, sources)
    if royalur.begins([word.text for word in first]):
        return _foreign(royalur.from_rgn, source, sources)
    if first[0].text in royalur.PLAYERS:
        return _foreign(royalur.from_log, source, sources)
    return _Reader(source, sources).game()


def _foreign(
    read: Callable[[Text, RuleSources], PlayedGame], text: Text, sources: RuleSources
) -> PlayedGame:
    """Return a game of another program. An error names rules that make the game legal.

    Such texts often lack the rules or the number of pieces, or have another name for them.
    """
    try:
        return read(text, sources)
    except NotationError as error:
        lines = [line for line in text.lines if line.strip()]
        without_rules = [line for line in lines if not royalur.says_rules(line)]

        def legal(lines: list[str], others: RuleSources) -> PlayedGame | None:
            again = Text(text.name, lines, text.most, text.first)
            with suppress(UsageError):
                played = read(again, others)
                return played if played.plies else None
            return None

        fewer = [replace(sources, pieces=pieces, notes=[]) for pieces in range(1, MOST_TRIED)]
        games = [played for others in fewer if (played := legal(lines, others))]
        fitting = [
            f"{game.rules.name} with {count_text(game.rules.pieces, 'piece')}" for game in games
        ]
        if len(games) == 1 and sources.pieces is None and not isinstance(sources.named, RuleSet):
            sources.notes.append(
                f"{text.name} was read as a game of {fitting[0]} per side, the only number that "
                "makes it legal"
            )
            return games[0]
        fitting = fitting or [
            rules.name
            for rules in dict.fromkeys(sources.names.values())
            if legal(
                without_rules, RuleSources(replace(rules, pieces=sources.pieces or rules.pieces))
            )
        ]
        if not fitting:
            raise
        hint = f"{error.why}. The game is legal by the rules of {', '.join(fitting)}"
        raise NotationError(text.name, error.line, error.column, hint) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - before.rfind(b"\n")
        raise NotationError(name, line, column, "this is not UTF-8 text") from None


class _Reader:
    """Reads a text in our notation."""

    def __init__(self, text: Text, sources: RuleSources) -> None:
        self.text, self.sources = text, sources
        self.tags: dict[str, Word] = {}

    def game(self) -> PlayedGame:
        lines = self.text.words()
        self._magic(next(lines))
        turns: list[list[Word]] = []
        for words in lines:
            if TURN.match(words[0].text):
                turns.append(words)
            elif turns:
                self.text.wrong(words[0], f"expected turn {len(turns) + 1} or the end")
            else:
                self._header(words)
        first = played = self._start()
        self.text.check_size(sum(len(words) - 2 for words in turns))
        for number, words in enumerate(turns, start=1):
            played = self._turn(played, number, words)
        played = self.text.complete(first, played)
        result = self.tags.get("result")
        if result is not None and result.text != played.result:
            self.text.wrong(result, f"the result is {played.result}, not {result.text[:MAX_SHOWN]}")
        return played

    def _magic(self, words: list[Word]) -> None:
        if [word.text for word in words[:2]] != MAGIC.split():
            if words[0].text.startswith("<"):
                self.text.wrong(
                    words[0],
                    "this is a drawing. urcx reads games from .txt, .rgn and .royalur.json",
                )
            self.text.wrong(
                words[0],
                f"this is not a game: the first line must be {MAGIC} {FORMAT} (or RGN or JSON)",
            )
        if [word.text for word in words[2:]] != [str(FORMAT)]:
            self.text.wrong(words[-1], f"this version of urcx reads format {FORMAT} of games")

    def _header(self, words: list[Word]) -> None:
        first = words[0]
        line = self.text.lines[first.line - self.text.first].partition("#")[0]
        name, colon, rest = line.partition(":")
        key = name.strip()
        if not colon or " " in key:
            self.text.wrong(first, "expected a line such as rules: finkel or 1. light 2:0-2")
        if not KEY.match(key) or (key not in KEYS and not key.startswith("x-")):
            self.text.wrong(
                first, f"unknown name {quoted(key)}; known: {', '.join(KEYS)} and x-..."
            )
        if key in self.tags:
            self.text.wrong(first, f"{key} is repeated")
        value = rest.strip()
        column = len(name) + 2 + len(rest) - len(rest.lstrip())
        self.tags[key] = Word(value, first.line, column)
        if not value:
            self.text.wrong(first, f"{key} is empty")

    def _start(self) -> PlayedGame:
        chosen = self._rules()
        start = self.tags.get("start")
        about = {"light": self._value("light"), "dark": self._value("dark"), "date": self._date()}
        seed = self._seed()
        more = tuple((k, word.text) for k, word in self.tags.items() if k.startswith("x-"))

        def make() -> PlayedGame:
            first = Game(chosen, None if start is None else start.text)
            return PlayedGame(first, **about, seed=seed, more=more)

        return make() if start is None else self.text.guarded(start, make)

    def _value(self, key: str) -> str:
        return self.tags[key].text if key in self.tags else ""

    def _date(self) -> str:
        word = self.tags.get("date")
        if word is None:
            return ""
        try:
            return date.fromisoformat(word.text).isoformat()
        except ValueError:
            self.text.wrong(word, f"{quoted(word.text)} is not a date such as 2026-11-22")

    def _seed(self) -> int | None:
        word = self.tags.get("seed")
        if word is None:
            return None
        if not re.fullmatch(rf"[0-9]{{1,{MOST_DIGITS}}}", word.text):
            self.text.wrong(word, f"{quoted(word.text)} is not an integer from 0")
        return int(word.text)

    def _rules(self) -> RuleSet:
        tags = {"rules": Word(DEFAULT_RULES, 1, 1)} | self.tags
        return rules_of_text(self.text, tags, self.sources, default_pieces=True)

    def _turn(self, played: PlayedGame, number: int, words: list[Word]) -> PlayedGame:
        if words[0].text != f"{number}.":
            self.text.wrong(words[0], f"expected turn {number}., not {words[0].text}")
        if len(words) < 2 or words[1].text not in SIDES:
            self.text.wrong(words[min(1, len(words) - 1)], "expected the side: light or dark")
        if len(words) == 2:
            self.text.wrong(words[1], "a turn needs at least one ply, such as 2:0-2")
        side = words[1].text
        self.text.going_on(words[0], played)
        if played.plies and played.plies[-1].side == side:
            self.text.wrong(
                words[1], f"{side}'s turn continues: put these plies into the line above"
            )
        for word in words[2:]:
            self.text.going_on(word, played)
            if played.turn != side:
                self.text.wrong(word, f"it is {played.turn}'s turn, which needs a new line")
            played = self.text.taken(self._ply(played, word))
        return played

    def _ply(self, played: PlayedGame, word: Word) -> PlayedGame:
        if played.roll is not None:
            self.text.wrong(word, "nothing may follow a roll that has not been played yet")
        match = PLY.match(word.text)
        if match is None:
            self.text.wrong(word, f"{quoted(word.text)} is not a ply such as 2:0-2, 0:pass or 3:?")
        roll, passes, waits, steps, *marks = match.groups()
        thrown = self.text.guarded(word, lambda: played.throw(int(roll)))
        if waits:
            return thrown
        if passes:
            return self.text.guarded(word, thrown.passed)
        after = self.text.guarded(word, lambda: thrown.play(steps))
        last = after.plies[-1]
        for mark in marks:
            if mark and mark not in last.marks:
                effect = "capture" if mark == "x" else "land on a rosette"
                self.text.wrong(word, f"{mark}: this move does not {effect}")
        return after


def game_text(played: PlayedGame) -> str:
    """Return a game in notation. `parse_game` reads it as an equal game."""
    lines = [f"{MAGIC} {FORMAT}", *_rules_lines(played.rules)]
    if played.start != Game(played.rules):
        lines.append(f"start: {played.start.position}")
    tags = {"light": played.light, "dark": played.dark, "date": played.date}
    lines += [f"{key}: {_one_line(value)}" for key, value in tags.items() if _one_line(value)]
    if played.seed is not None:
        lines.append(f"seed: {played.seed}")
    more = {_free_name(key): _one_line(value) for key, value in played.more}
    lines += [f"{key}: {value}" for key, value in more.items() if KEY.match(key) and value]
    return "\n".join([*lines, f"result: {played.result}", "", *_turn_lines(played)]) + "\n"


def _free_name(name: str) -> str:
    """Return the name of other metadata in our notation, such as ``x-start-time`` for StartTime."""
    if name.startswith("x-"):
        return name
    return "x-" + "-".join(word.lower() for word in re.findall("[A-Z]?[a-z0-9]+|[A-Z]+", name))


def _one_line(text: str) -> str:
    """Return a string for a line: printable, and without the comment sign."""
    return printable(" ".join(text.replace("#", " ").split()))


def _rules_lines(rules: RuleSet) -> list[str]:
    tags = {"rules": rules.name, "pieces": str(rules.pieces), **described_rules(rules)}
    return [f"{key}: {value}" for key, value in tags.items()]


def _turn_lines(played: PlayedGame) -> Iterator[str]:
    turns = [[side, *map(ply_text, plies)] for side, plies in groupby(played.plies, _side)]
    if played.roll is not None:
        waiting = f"{played.roll}:?"
        if turns and turns[-1][0] == played.turn:
            turns[-1].append(waiting)
        else:
            turns.append([played.turn, waiting])
    for number, words in enumerate(turns, start=1):
        yield " ".join((f"{number}.", *words))


def _side(ply: Ply) -> str:
    return ply.side


def ply_text(ply: Ply) -> str:
    """Return a ply in notation, such as ``4:0-4*`` or ``0:pass``."""
    return f"{ply.roll}:{PASS if ply.move is None else ply.steps + ply.marks}"

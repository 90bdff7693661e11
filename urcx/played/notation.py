"""The notation of whole games: a text file with the players, the rules, and every roll and move.

A file begins with the line ``urcx game 1``. Lines ``name: text`` follow, then the turns, a line
each, in order. Everything after ``#`` is a comment, and lines with nothing else are skipped::

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

- A turn is all plies of one player until the other's next: its number from 1 and a point, who
  plays, and the plies.
- A ply is the roll, a colon, and the steps of the move (0 is the start pool, the step beyond the
  last is home) or its tiles, as in ``start-A1`` and ``A4-B1``; or ``pass`` where the roll has no
  legal move. urcx writes steps. ``x`` after it says that it captures, ``*`` that it lands on a
  rosette; both may be left out, but not be wrong.
- A roll with ``?`` in place of a move was thrown and is still to be played; it is the last ply.

The lines before the turns, each at most once:

- ``rules``: a rule set's name (``finkel`` if it is left out), and ``pieces``, if a side has not as
  many as the rule set says;
- ``start``: the position in which the game starts, if that is not the rules' start;
- ``light``, ``dark``: who plays; ``date``: when, as ``2026-11-22``; ``result``: ``light``,
  ``dark`` or ``unfinished``, which must be what the game comes to;
- ``seed``: a whole number from 0 that the dice follow from, if they do;
- for rules that urcx does not have by name: ``light-path`` and ``dark-path``, their tiles in order
  with blanks between; ``rosettes``; ``rolls``, such as ``0=1/16 1=1/4 2=3/8 3=1/4 4=1/16``; and
  ``flags``, which of ``rosette-grants-roll``, ``rosette-protects`` and ``capture-grants-roll``
  hold (``rosette-grants-roll=A1,C1`` if only these rosettes grant one). All of these and ``pieces``
  then belong there, and the rules' name is free;
- names that begin with ``x-`` for anything else.

A file is text in UTF-8 of at most a million bytes and 20,000 plies. What breaks these rules, or
those of the game, is an error that names line and column.
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
    rules_said,
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
MOST_FILE = 100_000_000  # bytes, of many games
MOST_GAMES = 10_000
MOST_TRIED = 7  # pieces a side, where a game with fewer of them may be legal
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

    Its rules are those that are given here; else those that the file says; else the tablebase's;
    else the only rule set of ``path_file``; else ``finkel``.

    Parameters
    ----------
    file
        The name of a file, or ``-`` for standard input: in our notation
        (:ref:`notation-of-games`), in RGN or JSON, which RoyalUr-Java writes, or with the lines
        that its example and that of the package ``royalur`` print (`urcx.played.royalur`).
    rules
        A rule set or its name, for files that do not say theirs. A file that says others is
        refused.
    pieces
        How many pieces each side has, in the same way.
    tablebase
        A tablebase, or the name of its file, whose rules the game may have.
    path_file
        A file of the user's with rule sets that games may name (see :doc:`/formats`).

    Returns
    -------
    PlayedGame

    Raises
    ------
    UnusableFileError
        If it cannot be read.
    UsageError
        If it is no game in a notation, with line and column.

    Warns
    -----
    UserWarning
        If the rules that the game is read by are not those of the tablebase or of ``path_file``.

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
    """Read all games of some files, each of which may have any number of them.

    A game begins with the line ``urcx game 1``, with the metadata of RGN or its first turn, ``1.``
    or ``(1)``, with a line that begins with ``{`` (JSON), with the first of the lines that the
    examples of RoyalUr print, or after the one that says who has won.

    Parameters
    ----------
    files
        One file or several, as `read_game` takes them.
    rules, pieces, tablebase, path_file
        As `read_game` takes them; they apply to each game.

    Returns
    -------
    tuple of PlayedGame

    Raises
    ------
    UnusableFileError, UsageError
        As `read_game` does; and if there are more than `MOST_GAMES`.

    Warns
    -----
    UserWarning
        As `read_game` does.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.read_games(["docs/examples/game.txt", "docs/examples/games.rgn"])
    >>> [(game.light, game.result) for game in games]
    [('anna', 'light'), ('anna', 'light'), ('ben', 'dark'), ('greedy', 'dark')]
    """
    sources = rule_sources(rules, pieces, tablebase, path_file)
    found = games_of(as_paths(files), sources)
    for name, game in found.items():
        _compare(game, name, sources)
    for line in dict.fromkeys(sources.notes):
        warnings.warn(line, stacklevel=2)
    return tuple(found.values())


def games_of(files: Sequence[Path], sources: RuleSources) -> dict[str, PlayedGame]:
    """Return the games of files by their names: the file, with a number where it has several.

    Raises as `read_games` does.
    """
    result: dict[str, PlayedGame] = {}
    for file in files:
        data, name = _read(file, MOST_FILE)
        if len(data) > MOST_FILE:
            raise UsageError(
                f"{name} has more than {MOST_FILE:,} bytes; read fewer games at a time"
            )
        lines = _lines(_decoded(data, name))
        games = list(_separated(lines))
        for number, (first, last) in enumerate(games, start=1):
            called = f"{name}:{number}" if len(games) > 1 else name
            if called in result:
                raise UsageError(f"{name} is there twice")
            if len(result) == MOST_GAMES:
                raise UsageError(f"more than {MOST_GAMES:,} games; read fewer at a time")
            result[called] = _parsed(Text(name, lines[first:last], first=first + 1), sources)
    return result


def _read(file: str | Path, most: int) -> tuple[bytes, str]:
    """Return the bytes of a file, one more than may be at most, and what messages call it."""
    return read_bytes(file, most + 1), "standard input" if str(file) == STDIN else str(file)


def _compare(result: PlayedGame, name: str, sources: RuleSources) -> None:
    """Note a tablebase of other rules than those that a game is read by."""
    base = sources.tablebase
    if base is not None and not base.plays_like(result.rules):
        sources.notes.append(
            f"{name} is read as one of {result.rules.full_name}; the "
            f"tablebase is of {base.name} with {base.pieces}"
        )


def _separated(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where each game of a file begins, and where it ends."""
    begins, in_plies, in_log, over = 0, False, False, False
    for k, line in enumerate(lines):
        words = line.partition("#")[0].split()
        if not words:
            continue
        log = royalur.ROLLED.match(" ".join(words)) is not None
        anew = (
            words[:2] == MAGIC.split() or line.startswith("{") or royalur.begins(words, anew=True)
        )
        if in_plies and (anew or over or (log and not in_log)):
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
    """Return the game that a text in notation is; see `read_game`.

    Parameters
    ----------
    text
        The text, or its bytes in UTF-8.
    rules
        A rule set or its name, for texts that do not say theirs, or all that may say them.
    name
        What messages call the text.
    most
        The greatest number of plies.

    Raises
    ------
    UsageError
        If it is no game in a notation, with line and column, or too long.
    """
    if len(text) > MOST_BYTES:
        raise UsageError(f"{name} has more than {MOST_BYTES:,} bytes; games are shorter")
    sources = rules if isinstance(rules, RuleSources) else RuleSources(rules)
    given = _decoded(text, name) if isinstance(text, bytes) else text
    return _parsed(Text(name, _lines(given), most), sources)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def _parsed(source: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of a text in whatever notation."""
    source.check_size()
    first = next(source.words(), None)
    if first is None:
        why = f"the text is empty; a game begins with {MAGIC} {FORMAT}"
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
    """Return a game of another program; if it breaks, the error says by which rules it is legal.

    Such a text often does not say its rules or the number of pieces, or has another name for them.
    """
    try:
        return read(text, sources)
    except NotationError as error:
        lines = [line for line in text.lines if line.strip()]
        bare = [line for line in lines if not royalur.says_rules(line)]

        def legal(those: list[str], others: RuleSources) -> PlayedGame | None:
            again = Text(text.name, those, text.most, text.first)
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
                f"{text.name} is read as a game of {fitting[0]} a side, the only number that "
                "makes it legal"
            )
            return games[0]
        fitting = fitting or [
            rules.name
            for rules in dict.fromkeys(sources.names.values())
            if legal(bare, RuleSources(replace(rules, pieces=sources.pieces or rules.pieces)))
        ]
        if not fitting:
            raise
        hint = f"{error.why}; the whole game is legal by the rules of {', '.join(fitting)}"
        raise NotationError(text.name, error.line, error.column, hint) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - before.rfind(b"\n")
        raise NotationError(name, line, column, "this is not text in UTF-8") from None


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
                self.text.wrong(words[0], f"turn {len(turns) + 1} or the end belongs here")
            else:
                self._header(words)
        first = played = self._start()
        self.text.check_size(sum(len(words) - 2 for words in turns))
        for number, words in enumerate(turns, start=1):
            played = self._turn(played, number, words)
        played = self.text.whole(first, played)
        result = self.tags.get("result")
        if result is not None and result.text != played.result:
            self.text.wrong(
                result, f"the game comes to {played.result}, not {result.text[:MAX_SHOWN]}"
            )
        return played

    def _magic(self, words: list[Word]) -> None:
        if [word.text for word in words[:2]] != MAGIC.split():
            if words[0].text.startswith("<"):
                self.text.wrong(
                    words[0], "this is a drawing; games are read from .txt, .rgn and .royalur.json"
                )
            self.text.wrong(words[0], f"this is no game: the first line is {MAGIC} {FORMAT}")
        if [word.text for word in words[2:]] != [str(FORMAT)]:
            self.text.wrong(words[-1], f"this urcx reads format {FORMAT} of games")

    def _header(self, words: list[Word]) -> None:
        first = words[0]
        line = self.text.lines[first.line - self.text.first].partition("#")[0]
        name, colon, rest = line.partition(":")
        key = name.strip()
        if not colon or " " in key:
            self.text.wrong(first, "a line such as rules: finkel or 1. light 2:0-2 belongs here")
        if not KEY.match(key) or (key not in KEYS and not key.startswith("x-")):
            self.text.wrong(
                first, f"unknown name {quoted(key)}; known: {', '.join(KEYS)} and x-..."
            )
        if key in self.tags:
            self.text.wrong(first, f"{key} is there twice")
        value = rest.strip()
        column = len(name) + 2 + len(rest) - len(rest.lstrip())
        self.tags[key] = Word(value, first.line, column)
        if not value:
            self.text.wrong(first, f"{key} says nothing")

    def _start(self) -> PlayedGame:
        chosen = self._rules()
        start = self.tags.get("start")
        about = {"light": self._value("light"), "dark": self._value("dark"), "date": self._date()}
        seed = self._seed()
        more = tuple((k, word.text) for k, word in self.tags.items() if k.startswith("x-"))

        def made() -> PlayedGame:
            first = Game(chosen, None if start is None else start.text)
            return PlayedGame(first, **about, seed=seed, more=more)

        return made() if start is None else self.text.guarded(start, made)

    def _value(self, key: str) -> str:
        return self.tags[key].text if key in self.tags else ""

    def _date(self) -> str:
        given = self.tags.get("date")
        if given is None:
            return ""
        try:
            return date.fromisoformat(given.text).isoformat()
        except ValueError:
            self.text.wrong(given, f"{quoted(given.text)} is not a date such as 2026-11-22")

    def _seed(self) -> int | None:
        given = self.tags.get("seed")
        if given is None:
            return None
        if not re.fullmatch(rf"[0-9]{{1,{MOST_DIGITS}}}", given.text):
            self.text.wrong(given, f"{quoted(given.text)} is not a whole number from 0")
        return int(given.text)

    def _rules(self) -> RuleSet:
        said = {"rules": Word(DEFAULT_RULES, 1, 1)} | self.tags
        return rules_said(self.text, said, self.sources, as_many=True)

    def _turn(self, played: PlayedGame, number: int, words: list[Word]) -> PlayedGame:
        if words[0].text != f"{number}.":
            self.text.wrong(words[0], f"turn {number}. belongs here, not {words[0].text}")
        if len(words) < 2 or words[1].text not in SIDES:
            self.text.wrong(words[min(1, len(words) - 1)], "who plays belongs here: light or dark")
        if len(words) == 2:
            self.text.wrong(words[1], "a turn has at least one ply, such as 2:0-2")
        side = words[1].text
        self.text.going_on(words[0], played)
        if played.plies and played.plies[-1].side == side:
            self.text.wrong(words[1], f"a turn has all plies of a player: {side}'s go on above")
        for word in words[2:]:
            self.text.going_on(word, played)
            if played.turn != side:
                self.text.wrong(word, f"it is {played.turn}'s turn, in a line of its own")
            played = self.text.taken(self._ply(played, word))
        return played

    def _ply(self, played: PlayedGame, word: Word) -> PlayedGame:
        if played.roll is not None:
            self.text.wrong(word, "nothing follows a roll that is still to be played")
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
                what = "captures" if mark == "x" else "lands on a rosette"
                self.text.wrong(word, f"{mark}: nothing {what} here")
        return after


def game_text(played: PlayedGame) -> str:
    """Return a game in notation; `parse_game` reads it as an equal one."""
    lines = [f"{MAGIC} {FORMAT}", *_rules_lines(played.rules)]
    if played.start != Game(played.rules):
        lines.append(f"start: {played.start.position}")
    said = {"light": played.light, "dark": played.dark, "date": played.date}
    lines += [f"{key}: {_one_line(value)}" for key, value in said.items() if _one_line(value)]
    if played.seed is not None:
        lines.append(f"seed: {played.seed}")
    more = {_free_name(key): _one_line(value) for key, value in played.more}
    lines += [f"{key}: {value}" for key, value in more.items() if KEY.match(key) and value]
    return "\n".join([*lines, f"result: {played.result}", "", *_turn_lines(played)]) + "\n"


def _free_name(name: str) -> str:
    """Return a name of what the notation has no name for, as ``x-start-time`` for StartTime."""
    if name.startswith("x-"):
        return name
    return "x-" + "-".join(word.lower() for word in re.findall("[A-Z]?[a-z0-9]+|[A-Z]+", name))


def _one_line(text: str) -> str:
    """Return a text as a line can have it: printable, and without what would be a comment."""
    return printable(" ".join(text.replace("#", " ").split()))


def _rules_lines(rules: RuleSet) -> list[str]:
    said = {"rules": rules.name, "pieces": str(rules.pieces), **described_rules(rules)}
    return [f"{key}: {value}" for key, value in said.items()]


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

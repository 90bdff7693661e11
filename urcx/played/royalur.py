"""Games of RoyalUr's programs: RGN, and the lines that their examples print.

RoyalUr-Java writes RGN (Royal Game Notation), but does not read it. Lines ``[Name text]`` hold
metadata, with quotation marks unless the text is a single word. Then come the turns, one line for
each pair::

    [Light anna]
    [StartTime "2026-11-20T10:00:00Z"]

    1. A@A1 * A@A3 / C@C2
    2. 0 -- / C2B1

- Light's turn begins with its number and a point, dark's turn with a slash. A line has fewer than
  60 characters, and longer turns continue in the next line.
- A move is the tile left and the tile reached. A piece that enters has its column and ``@`` for the
  first. A piece that leaves has the column after the path's last tile and ``+`` for the second.
  ``x`` marks a capture, and a blank and ``*`` a rosette. The roll is left out because it follows
  from the move. If several rolls could make the move, the game is refused with these rolls, and
  cannot be written in RGN.
- A roll that moves nothing is the roll and ``--``: a pass, or at the end a roll that has not been
  played yet.
- ``#`` follows the last ply of a finished game. RoyalUr-Java also writes it after a player has
  resigned or left. Such a game is read as unfinished, with a note.

Four forms are read, also mixed:

========================= =============== ============= ======== ==============================
RoyalUr-Java              turns           move          pass     differs
========================= =============== ============= ======== ==============================
14 July 2024 on (written) ``1.`` ``/``    ``C2B1x *``   ``0 --`` as above; until 29 March 2025
                                                                 all texts have quotation marks
from 3 August 2023        ``1.`` ``/``    ``c2b1x+``    ``0-``   ``+`` for a rosette; start and
                                                                 home are tiles off the path
from 1 June 2023          ``1.`` ``~``    ``c2xb1+``    ``0-``   no coordinate that stays
from 22 December 2022     ``(1)`` ``(2)`` ``r2.c2xb1+`` ``r0``   all rolls; turns are counted
========================= =============== ============= ======== ==============================

RGN itself has no rules, so urcx writes and reads a line ``[Rules "finkel 7"]``. Rules that are not
in urcx also have lines ``[LightPath "A4 A3 ..."]``, ``[DarkPath ...]``, ``[Rosettes ...]``,
``[Rolls ...]`` and ``[Flags ...]``. A game that does not begin at the usual start has
``[Start "4/9/0-0/D"]``.

The Python package ``royalur`` has no notation of games. Its example and the example of RoyalUr-Java
print a line for each roll and each move, and urcx reads such lines: ``Light: Roll 2``,
``Light: Introduce a piece to A3``, ``Dark: Move C4 to capture B4``,
``Dark: Score a piece from C7.``, ``Light won the game!``.

If neither the text nor the caller has the number of pieces, urcx tries the rule set's number and
then smaller numbers. If exactly one of these makes the game legal, a note names it.

The facts about the formats come from the sources of RoyalUr-Java (``notation/RGN.java``) and of the
Python package. The code does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from urcx.engine.moves import Move
from urcx.errors import OutOfDomainError, printable, quoted
from urcx.game import Game, mover_path
from urcx.played.record import PlayedGame
from urcx.played.texts import OWN_RULES, Text, Word, described_rules, rules_of_text
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

PLAYERS = ("Light:", "Dark:")
# Tags of rules without a name: the names of our notation in the style of RGN.
TAGS = {key.title().replace("-", ""): key for key in (*OWN_RULES, "start")}
OUR_TAGS = {"Light", "Dark", "Rules", *TAGS}
LINE = 60  # characters, where RoyalUr-Java breaks lines
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
VALUE = r'([A-Za-z][A-Za-z0-9_.-]*|"(?:[^"\\]|\\["\\nr])*")'
PAIR = re.compile(rf"\[{VALUE} {VALUE}\]\s*\Z")
WORD = re.compile(r"\S+(?:[ \t]+(?:--|\*)#?(?!\S))?")
TURN = re.compile(r"(?:\([1-9][0-9]{0,6}\)|[1-9][0-9]{0,6}\.|[/~])\Z")
NUMBER = "0|[1-9][0-9]?"
# The plies of all forms, in this order: rolls alone, moves in small letters, moves of today.
PLIES = (
    re.compile(rf"(?P<r>r)?(?P<roll>{NUMBER})(?(r)|\s*--?)#?\Z"),
    re.compile(
        rf"(?:r(?P<roll>{NUMBER})\.)?(?P<column>[a-w]?)(?P<row>(?:{NUMBER})?)x?"
        rf"(?P<to_column>[a-w])(?P<to_row>{NUMBER})x?(?P<rosette>\+?)#?\Z"
    ),
    re.compile(
        rf"(?P<column>[A-W])(?P<row>@|{NUMBER})(?P<to_column>[A-W])(?P<to_row>\+|{NUMBER})x?"
        r"(?P<rosette>(?:\s*\*)?)#?\Z"
    ),
)
ROLLED = re.compile(r"(?:Light|Dark): Roll [0-9]")
WON = re.compile(r"(Light|Dark) won the game!\Z")
ENDED_EARLY = (
    "ends before a player has won, so it was read as unfinished (a player has resigned or left)"
)
ESCAPES = {"n": "\n", "r": "\r"}
DATE = re.compile(r"([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})")


def tile_before(way: tuple[str, ...]) -> str:
    """Return the place before a path's first tile, off the board, in RoyalUr's coordinates."""
    return _beyond(way[1], way[0]) if len(way) > 1 else way[0][0] + "0"


def tile_beyond(way: tuple[str, ...]) -> str:
    """Return the place after a path's last tile: next to it at the end of the straight board."""
    if len(way) == 1:
        return way[0][0] + "0"
    last = max(int(tile[1:]) for tile in way)
    beyond = _beyond(way[-2], way[-1])
    next_to = f"{way[0][0]}{last}"
    return beyond if int(beyond[1:]) <= last or next_to in way else next_to


def _beyond(first: str, second: str) -> str:
    column = 2 * ord(second[0]) - ord(first[0])
    return f"{chr(column)}{2 * int(second[1:]) - int(first[1:])}"


def _ends(move: Move, way: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the tiles that a move leaves and reaches, None for off the board."""
    start = way[move.start - 1] if move.start else None
    return start, way[move.end - 1] if move.end <= len(way) else None


def from_rgn(text: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of a text in RGN. Raises `NotationError` at an unreadable place."""
    about, tags, words = _parts(text)
    text.check_size(sum(TURN.match(word.text) is None for word in words))
    rules = rules_of_text(text, tags, sources, default_pieces=False)
    start = tags.get("start", Word("", 0, 0))
    first = played = text.guarded(start, lambda: started(rules, start.text or None, about))
    turns = 0
    for k, word in enumerate(words):
        last = k + 1 == len(words)
        expected = f"({turns + 1})"
        if not words[0].text.startswith("("):
            expected = f"{turns // 2 + 1}." if played.turn == "light" else "/"
        if TURN.match(word.text):
            turns += 1
            if last or TURN.match(words[k + 1].text):
                text.wrong(word, "a turn needs at least one ply, such as A@A3")
            if _goes_on(played):
                text.wrong(word, f"it is still {played.turn}'s turn")
            if word.text.replace("~", "/") != expected:
                text.wrong(word, f"expected turn {expected}, not {word.text}")
            continue
        if not turns or not (TURN.match(words[k - 1].text) or _goes_on(played)):
            text.wrong(word, f"expected {expected}, because it is {played.turn}'s turn")
        played = text.taken(_ply(text, played, word, last=last))
        ends = word.text.endswith("#")
        if ends and last and not played.is_over and not _brought_home(played):
            sources.notes.append(f"{text.name} {ENDED_EARLY}")
        elif ends != played.is_over:
            text.wrong(word, "# must follow the winning ply, and only that ply")
    return text.complete(first, played)


def started(rules: RuleSet, position: str | Position | None, about: dict[str, str]) -> PlayedGame:
    """Return a game at its start, with the players and the date of RoyalUr's metadata."""
    when = DATE.match(about.get("StartTime", "") or about.get("Date", ""))
    return PlayedGame(
        Game(rules, position),
        light=about.get("Light", ""),
        dark=about.get("Dark", ""),
        date="-".join(when.groups()) if when else "",
        more=tuple((key, value) for key, value in about.items() if key not in OUR_TAGS),
    )


def _brought_home(played: PlayedGame) -> bool:
    """Return whether the last ply has brought a piece home."""
    if played.roll is not None or not played.plies:
        return False
    last = played.plies[-1]
    return last.after.position.home != last.before.position.home


def begins(words: list[str], *, anew: bool = False) -> bool:
    """Return whether a line begins like RGN, with ``anew`` like the first turn of a game."""
    first, *more = words
    turn = first in ("(1)", "1.") if anew else TURN.match(first) is not None
    return first.startswith("[") or (turn and more[:1] not in (["light"], ["dark"]))


def _goes_on(played: PlayedGame) -> bool:
    """Return whether the player who has just moved is to move again, or the game is over."""
    return bool(played.plies) and (played.is_over or played.plies[-1].side == played.turn)


def _parts(text: Text) -> tuple[dict[str, str], dict[str, Word], list[Word]]:
    """Return the metadata, the words for the rules in it, and the words of the plies."""
    about: dict[str, str] = {}
    tags: dict[str, Word] = {}
    words: list[Word] = []
    for number, line in enumerate(text.lines, start=text.first):
        if words or not line.startswith("["):
            words += [Word(m[0], number, m.start() + 1) for m in WORD.finditer(line)]
            continue
        pair = PAIR.match(line)
        if pair is None:
            text.wrong(Word(line, number, 1), 'expected a line such as [Name "text"]')
        name, value = map(_unescaped, pair.groups())
        about[name] = value
        at = pair.start(2) + 1 + pair[2].startswith('"')
        if name == "Rules":
            rules, _, pieces = value.lower().partition(" ")
            tags["rules"] = Word(rules, number, at)
            if pieces:
                tags["pieces"] = Word(pieces, number, at)
        elif name in TAGS:
            tags[TAGS[name]] = Word(value, number, at)
    return about, tags, words


def says_rules(line: str) -> bool:
    """Return whether a line of metadata is about the rules."""
    return line.startswith("[") and line[1:].partition(" ")[0] in OUR_TAGS - {
        "Light",
        "Dark",
        "Start",
    }


def _ply(text: Text, played: PlayedGame, word: Word, *, last: bool) -> PlayedGame:
    """Return the game after a word's ply."""
    match = next((m for form in PLIES if (m := form.match(word.text))), None)
    if match is None:
        text.wrong(word, f"{quoted(word.text)} is not a ply such as A@A3, C2B1x or 0 --")
    text.going_on(word, played)
    parts = match.groupdict()
    roll = parts.get("roll")
    if roll is not None:
        played = text.guarded(word, lambda: played.throw(int(roll)))
    if "to_row" not in parts:
        waits = last and played.legal_moves()
        return played if waits else text.guarded(word, played.passed)
    way = mover_path(played.game)
    column, row = parts["column"] or parts["to_column"], parts["row"] or parts["to_row"]
    left, reached = f"{column}{row}".upper(), f"{parts['to_column']}{parts['to_row']}".upper()
    after = _move(
        text, word, played, left if left in way else None, reached if reached in way else None
    )
    move = after.plies[-1].move
    assert move is not None
    for marked, holds, effect, effects in (
        ("x" in word.text, move.captures, "capture", "captures"),
        (bool(parts["rosette"]), move.rosette, "land on a rosette", "lands on a rosette"),
    ):
        if marked != holds:
            text.wrong(word, f"this move {f'does not {effect}' if marked else effects}")
    return after


def _fitting(
    game: Game, ends: tuple[str | None, str | None], rolls: Iterable[int]
) -> dict[int, Move]:
    """Return the legal moves between two tiles, by roll."""
    way = mover_path(game)
    return {
        roll: move for roll in rolls for move in game.legal_moves(roll) if _ends(move, way) == ends
    }


def _move(
    text: Text, word: Word, played: PlayedGame, start: str | None, end: str | None
) -> PlayedGame:
    """Return the game after the legal move between two tiles, None for off the board.

    Without a thrown roll, the move determines the roll.
    """
    game, thrown = played.game, played.roll
    rolls = played.rules.dice.rolls if thrown is None else (thrown,)
    fitting = _fitting(game, (start, end), rolls)
    name = f"{start or 'start'} to {end or 'home'}"
    if not fitting:
        why = f"{name} is not legal in {game.position} with "
        if thrown is None:
            text.wrong(word, f"{why}any roll")
        ends = (_ends(move, mover_path(game)) for move in played.legal_moves())
        moves = ", ".join(f"{left or 'start'} to {to or 'home'}" for left, to in ends) or "none"
        text.wrong(word, f"{why}roll {thrown}; legal: {moves}")
    if len(fitting) > 1:
        text.wrong(
            word,
            f"the roll is missing in RGN, and {name} fits several rolls: "
            f"{' or '.join(map(str, fitting))}",
        )
    return played.play(*fitting.values())


def rgn_text(played: PlayedGame) -> str:
    """Return a game in RGN, with the rules' name in its metadata.

    Raises
    ------
    OutOfDomainError
        If several rolls fit a move.
    """
    rules = played.rules
    about = {"Rules": f"{rules.name} {rules.pieces}"}
    own = described_rules(rules)
    if played.start != Game(rules):
        own["start"] = str(played.start.position)
    about |= {tag: own[key] for tag, key in TAGS.items() if key in own}
    about |= metadata(played)
    lines = [f"[{_escaped(key)} {_escaped(value)}]" for key, value in about.items() if value]
    return "\n".join([*lines, "", *_turn_lines(played)]) + "\n"


def metadata(played: PlayedGame) -> dict[str, str]:
    """Return RoyalUr's metadata of a game, by name."""
    about = {"Light": played.light, "Dark": played.dark, "StartTime": played.date}
    about |= {key: value for key, value in played.more if value}
    if about["StartTime"] == f"{played.date}Z":  # written until June 2024, not read since
        about["StartTime"] = played.date
    return {key: value for key, value in about.items() if value}


def _turn_lines(played: PlayedGame) -> Iterator[str]:
    line, side, turns = "", "", 0
    for mover, action in _actions(played):
        word, pair = action, False
        if mover != side:
            side, turns, pair = mover, turns + 1, mover == "light"
            word = f"{(turns + 1) // 2}. {action}" if pair else f"/ {action}"
        if line and (pair or len(line) + 1 + len(word) >= LINE):
            yield line
            line = ""
        line += f" {word}" if line else word
    if line:
        yield line


def _actions(played: PlayedGame) -> Iterator[tuple[str, str]]:
    for ply in played.plies:
        action = f"{ply.roll} --"
        if ply.move is not None:
            action = _move_text(ply.before, ply.move)
        yield ply.side, f"{action}{'#' if ply.after.is_over else ''}"
    if played.roll is not None:
        yield played.turn, f"{played.roll} --"


def _move_text(game: Game, move: Move) -> str:
    way = mover_path(game)
    start, end = _ends(move, way)
    if len(_fitting(game, (start, end), game.rules.dice.rolls)) > 1:
        raise OutOfDomainError(
            f"RGN leaves out rolls, but {start or 'start'} to {end or 'home'} in {game.position} "
            "fits several rolls"
        )
    left, reached = start or f"{tile_before(way)[0]}@", end or f"{tile_beyond(way)[0]}+"
    return f"{left}{reached}{'x' * move.captures}{' *' * move.rosette}"


def _escaped(text: str) -> str:
    if BARE.match(text):
        return text
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\r", "\\r"), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return f'"{printable(text)}"'


def _unescaped(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text[1:-1])


SENTENCES = (
    (re.compile(r"Roll ([0-9]{1,2})\.?\Z"), "roll"),
    (re.compile(r"Introduce a piece to (?:capture )?([A-Z][0-9]{1,2})\.?\Z"), "enter"),
    (re.compile(r"Move ([A-Z][0-9]{1,2}) to (?:capture )?([A-Z][0-9]{1,2})\.?\Z"), "move"),
    (re.compile(r"Score a piece from ([A-Z][0-9]{1,2})\.?\Z"), "score"),
    (re.compile(r"Introduce and score a piece\.?\Z"), "through"),
)


def from_log(text: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of the lines that royalur's example prints.

    A roll without a legal move is a pass. Raises `NotationError` at an unreadable place.
    """
    first = played = PlayedGame(sources.decided(game=text.name))
    text.check_size(sum(" Roll " in line for line in text.lines))
    for words in text.words():
        line = " ".join(word.text for word in words)
        won = WON.match(line)
        if won:
            if played.winner != won[1].lower():
                text.wrong(words[0], f"{won[1].lower()} has not won, the game is {played.result}")
            continue
        played = text.taken(_sentence(text, played, words, line))
    return text.complete(first, played)


def _sentence(text: Text, played: PlayedGame, words: list[Word], line: str) -> PlayedGame:
    side, sentence = words[0], line.partition(" ")[2]
    if side.text not in PLAYERS:
        text.wrong(side, "expected a line such as Light: Roll 2")
    where = words[1] if len(words) > 1 else side
    text.going_on(side, played)
    match, kind = next(
        ((m, kind) for pattern, kind in SENTENCES if (m := pattern.match(sentence))), (None, "")
    )
    if match is None:
        text.wrong(
            where, f"{quoted(sentence)} is not a roll or a move such as Introduce a piece to A3"
        )
    if f"{played.turn.capitalize()}:" != side.text:
        text.wrong(side, f"it is {played.turn}'s turn")
    if kind == "roll":
        thrown = text.guarded(where, lambda: played.throw(int(match[1])))
        return thrown if thrown.legal_moves() else thrown.passed()
    if played.roll is None:
        text.wrong(where, "a roll must come before the move")
    ends: dict[str, Callable[[], tuple[str | None, str | None]]] = {
        "enter": lambda: (None, match[1]),
        "move": lambda: (match[1], match[2]),
        "score": lambda: (match[1], None),
        "through": lambda: (None, None),
    }
    return _move(text, where, played, *ends[kind]())

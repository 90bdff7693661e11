"""Games of other programs: RGN, the notation of RoyalUr-Java, and what the package royalur prints.

The Python package ``royalur`` (0.0.6) has no notation of games; its example prints a line for each
roll and each move (``Light: Roll 2``, ``Light: Introduce a piece to A3``, ``Dark: Move C4 to
capture B4``, ``Dark: Score a piece from C7``, ``Light won the game!``), and such lines are read.

RGN (Royal Game Notation) is what RoyalUr-Java writes, and does not read itself: metadata in lines
``[Name "text"]``, and plies such as ``(1) r2.5a3 (2) r0 (3) r4.a3b2x...``. A number in brackets
comes before the first ply of each turn. A ply is ``r`` and the roll, and unless it is a pass a
point and the move: the tile left, of which a coordinate is omitted that does not change, ``x`` for
a capture, the tile reached, and ``+`` for a rosette. Pieces enter from the place before the path's
first tile and leave to the one beyond its last. ``#`` is at the end of the ply that wins. Lines
break near 40 characters. Neither says the rules; a line ``[Rules "finkel 7"]`` does if it is there,
as in those written here, with lines ``[LightPath "A4 A3 ..."]``, ``[DarkPath ...]``,
``[Rosettes ...]``, ``[Rolls ...]`` and ``[Flags ...]`` for rules that urcx does not have by name.

Facts of the formats are from the sources of RoyalUr-Java (``notation/RGN.java``) and of the Python
package; no code is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urcx.engine.moves import Move
from urcx.errors import printable, shown
from urcx.game import mover_path
from urcx.played.record import PlayedGame, Ply
from urcx.played.texts import OWN_RULES, Text, Word, described_rules, rules_said
from urcx.rules.catalogue import RuleSources

PLAYERS = ("Light:", "Dark:")
# Tags of rules that have no name: those of our notation, as other tags are written.
TAGS = {key.title().replace("-", ""): key for key in OWN_RULES}
LINE = 40  # characters, where RoyalUr-Java breaks lines
PAIR = re.compile(r'\[([A-Za-z][A-Za-z0-9_-]*) "((?:[^"\\]|\\["\\nr])*)"\]\s*\Z')
TURN = re.compile(r"\(([1-9][0-9]{0,6})\)\Z")
ACTION = re.compile(r"r([0-9]{1,2})(?:\.([a-w]?)([0-9]{0,2})(x?)([a-z])([0-9]{1,2})(\+?))?(#?)\Z")
WON = re.compile(r"(Light|Dark) won the game!\Z")
ESCAPES = {"n": "\n", "r": "\r"}
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def tile_before(way: tuple[str, ...]) -> str:
    """Return the place before a path's first tile, off the board, by RoyalUr's coordinates."""
    return _beyond(way[1], way[0]) if len(way) > 1 else way[0][0] + "0"


def tile_beyond(way: tuple[str, ...]) -> str:
    """Return the place beyond a path's last tile: beside it at the end of the straight board."""
    if len(way) == 1:
        return way[0][0] + "0"
    last = max(int(tile[1:]) for tile in way)
    beyond = _beyond(way[-2], way[-1])
    beside = f"{way[0][0]}{last}"
    return beyond if int(beyond[1:]) <= last or beside in way else beside


def _beyond(one: str, two: str) -> str:
    column = 2 * ord(two[0]) - ord(one[0])
    return f"{chr(column)}{2 * int(two[1:]) - int(one[1:])}"


def _ends(move: Move, way: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the tile that a move leaves and the one it reaches, None off the board."""
    start = way[move.start - 1] if move.start else None
    return start, way[move.end - 1] if move.end <= len(way) else None


def from_rgn(text: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of a text in RGN. Raises `NotationError` where it cannot be read."""
    about, said, words = _parts(text)
    text.check_size(sum(word.text.startswith("r") for word in words))
    first = played = PlayedGame(
        rules_said(text, said, sources, as_many=False),
        light=about.get("Light", ""),
        dark=about.get("Dark", ""),
        date=_date(about),
        more=tuple((k, v) for k, v in about.items() if k not in {"Light", "Dark", "Rules", *TAGS}),
    )
    turns = 0
    for k, word in enumerate(words):
        last = k + 1 == len(words)
        begins = TURN.match(word.text)
        if begins:
            turns += 1
            if int(begins[1]) != turns:
                text.wrong(word, f"turn ({turns}) belongs here, not {word.text}")
            if last or TURN.match(words[k + 1].text):
                text.wrong(word, "a turn has at least one ply, such as r2.5a3")
            if _goes_on(played):
                text.wrong(word, f"it is still {played.turn}'s turn")
            continue
        if not turns or not (TURN.match(words[k - 1].text) or _goes_on(played)):
            text.wrong(word, f"({turns + 1}) belongs here: it is {played.turn}'s turn")
        played = text.taken(_action(text, played, word, last=last))
    return text.whole(first, played)


def _goes_on(played: PlayedGame) -> bool:
    """Return whether a player is to move who has just moved, or the game is over."""
    return bool(played.plies) and (played.is_over or played.plies[-1].side == played.turn)


def _parts(text: Text) -> tuple[dict[str, str], dict[str, Word], list[Word]]:
    """Return the metadata, what it says of the rules, and the words of the plies."""
    about: dict[str, str] = {}
    said: dict[str, Word] = {}
    words: list[Word] = []
    for number, line in enumerate(text.lines, start=text.first):
        if words or not line.startswith("["):
            words += [Word(m[0], number, m.start() + 1) for m in re.finditer(r"\S+", line)]
            continue
        pair = PAIR.match(line)
        if pair is None:
            text.wrong(Word(line, number, 1), 'a line such as [Name "text"] belongs here')
        about[pair[1]] = re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), pair[2])
        at = pair.start(2) + 1
        if pair[1] == "Rules":
            name, _, pieces = pair[2].lower().partition(" ")
            said["rules"] = Word(name, number, at)
            if pieces:
                said["pieces"] = Word(pieces, number, at)
        elif pair[1] in TAGS:
            said[TAGS[pair[1]]] = Word(pair[2], number, at)
    return about, said, words


def says_rules(line: str) -> bool:
    """Return whether a line says by which rules the game is played."""
    return line.startswith("[") and line[1:].partition(" ")[0] in {"Rules", *TAGS}


def _date(about: dict[str, str]) -> str:
    found = DATE.match(about.get("StartTime", "") or about.get("Date", ""))
    return found[0] if found else ""


def _action(text: Text, played: PlayedGame, word: Word, *, last: bool) -> PlayedGame:
    found = ACTION.match(word.text)
    if found is None:
        text.wrong(word, f"{shown(word.text)} is not a ply such as r2.5a3 or r0")
    text.going_on(word, played)
    roll, column, row, captures, to_column, to_row, rosette, won = found.groups()
    thrown = text.guarded(word, lambda: played.throw(int(roll)))
    if to_column is None:
        after = thrown if last and thrown.legal_moves() else text.guarded(word, thrown.passed)
    else:
        way = mover_path(thrown.game)
        reached = f"{to_column}{int(to_row)}".upper()
        left = f"{(column or to_column).upper()}{int(row or to_row)}"
        after = _move(
            text, word, thrown, left if left in way else None, reached if reached in way else None
        )
        move = after.plies[-1].move
        assert move is not None
        for said, holds, what in (
            (captures, move.captures, "captures"),
            (rosette, move.rosette, "lands on a rosette"),
        ):
            if bool(said) != holds:
                text.wrong(word, f"{'nothing' if said else 'the move'} {what} here")
    if bool(won) != after.is_over:
        text.wrong(word, "# belongs at the end of the ply that wins, and only there")
    return after


def _move(
    text: Text, word: Word, thrown: PlayedGame, start: str | None, end: str | None
) -> PlayedGame:
    """Return the game after the legal move between two tiles, None for off the board."""
    way = mover_path(thrown.game)
    legal = {_ends(move, way): move for move in thrown.legal_moves()}
    if (start, end) not in legal:
        known = ", ".join(f"{left or 'start'} to {to or 'home'}" for left, to in legal) or "none"
        text.wrong(
            word,
            f"{start or 'start'} to {end or 'home'} is not legal in {thrown.game.position} with "
            f"roll {thrown.roll}; legal: {known}",
        )
    return thrown.play(legal[start, end])


def rgn_text(played: PlayedGame) -> str:
    """Return a game in RGN, with the rules' name in its metadata."""
    rules = played.rules
    about = {"Rules": f"{rules.name} {rules.pieces}"}
    own = described_rules(rules)
    about |= {tag: own[key] for tag, key in TAGS.items() if own}
    about |= {"Light": played.light, "Dark": played.dark, "StartTime": played.date}
    about |= {k: v for k, v in played.more if PAIR.match(f'[{k} ""]')}
    lines = [f'[{key} "{_escaped(value)}"]' for key, value in about.items() if value]
    current = ""
    for action in _actions(played):
        if current and len(current) + 1 + len(action) >= LINE:
            lines.append(current)
            current = action
        elif not current:
            lines.append("")
            current = action
        else:
            current += f" {action}"
    return "\n".join([*lines, *([current] if current else [])]) + "\n"


def _actions(played: PlayedGame) -> Iterator[str]:
    turn, side = 0, ""
    for ply in played.plies:
        head = ""
        if ply.side != side:
            turn, side = turn + 1, ply.side
            head = f"({turn}) "
        yield f"{head}{_ply(ply)}{'#' if ply.after.is_over else ''}"
    if played.roll is not None:
        yield f"{'' if played.turn == side else f'({turn + 1}) '}r{played.roll}"


def _ply(ply: Ply) -> str:
    if ply.move is None:
        return f"r{ply.roll}"
    way = mover_path(ply.before)
    start, end = _ends(ply.move, way)
    left, reached = start or tile_before(way), end or tile_beyond(way)
    from_ = (left[0] if left[0] != reached[0] else "") + (
        left[1:] if left[1:] != reached[1:] else ""
    )
    captures, rosette = "x" * ply.move.captures, "+" * ply.move.rosette
    return f"r{ply.roll}.{from_.lower()}{captures}{reached.lower()}{rosette}"


def _escaped(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\r", "\\r"), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return printable(text)


SENTENCES = (
    (re.compile(r"Roll ([0-9]{1,2})\Z"), "roll"),
    (re.compile(r"Introduce a piece to (?:capture )?([A-Z][0-9]{1,2})\Z"), "enter"),
    (re.compile(r"Move ([A-Z][0-9]{1,2}) to (?:capture )?([A-Z][0-9]{1,2})\Z"), "move"),
    (re.compile(r"Score a piece from ([A-Z][0-9]{1,2})\Z"), "score"),
    (re.compile(r"Introduce and score a piece\Z"), "through"),
)


def from_log(text: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of the lines that royalur's example prints.

    A roll that leaves no move passes. Raises `NotationError` where it cannot be read.
    """
    first = played = PlayedGame(sources.decided(game=text.name))
    text.check_size(sum(" Roll " in line for line in text.lines))
    for words in text.words():
        line = " ".join(word.text for word in words)
        won = WON.match(line)
        if won:
            if played.winner != won[1].lower():
                text.wrong(words[0], f"{won[1].lower()} has not won: the game is {played.result}")
            continue
        played = text.taken(_sentence(text, played, words, line))
    return text.whole(first, played)


def _sentence(text: Text, played: PlayedGame, words: list[Word], line: str) -> PlayedGame:
    side, said = words[0], line.partition(" ")[2]
    if side.text not in PLAYERS:
        text.wrong(side, "a line such as Light: Roll 2 belongs here")
    where = words[1] if len(words) > 1 else side
    text.going_on(side, played)
    found, kind = next(
        ((m, kind) for pattern, kind in SENTENCES if (m := pattern.match(said))), (None, "")
    )
    if found is None:
        text.wrong(where, f"{shown(said)} is not a roll or a move such as Introduce a piece to A3")
    if f"{played.turn.capitalize()}:" != side.text:
        text.wrong(side, f"it is {played.turn}'s turn")
    if kind == "roll":
        thrown = text.guarded(where, lambda: played.throw(int(found[1])))
        return thrown if thrown.legal_moves() else thrown.passed()
    if played.roll is None:
        text.wrong(where, "a move comes after its roll")
    ends: dict[str, Callable[[], tuple[str | None, str | None]]] = {
        "enter": lambda: (None, found[1]),
        "move": lambda: (found[1], found[2]),
        "score": lambda: (found[1], None),
        "through": lambda: (None, None),
    }
    return _move(text, where, played, *ends[kind]())

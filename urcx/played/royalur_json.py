"""The JSON notation of RoyalUr-Java, the only notation that RoyalUr-Java reads.

One object is one game, with these fields:

- ``notation_version``: 1 and 2 are read, 2 is written
- ``metadata``: ``Light``, ``Dark``, ``StartTime`` and others, all strings
- ``settings``: the rules
- ``initial_state``: the position at the start
- ``states``, in order: every ``move`` with its roll, every ``roll`` without a legal move, and at
  the end ``roll``, ``wait4roll``, ``wait4move`` or ``win``

A piece is its step on its path, negative for dark. In version 1 it is ``{"owner": "L", "index":
3}``, counted from 0. Pieces in the start pool or home are left out.

``settings`` has the paths bell, masters, murray, skiriuk and aseb, four binary dice or three dice
of which none shows a 4, any number of pieces, and whether rosettes are safe, rosettes grant a roll
and captures grant a roll. Names before June 2024, such as ``FourBinary``, are read. Other rules
cannot be written. A game that a player has resigned or left (``resigned``, ``abandoned``) is read
as unfinished, with a note. Times (``time``, in milliseconds) are ignored, and written as 0.

The name of a file with such a game ends in ``.royalur.json``, but other names can be read too.

The facts about the format come from the sources of RoyalUr-Java (``notation/JsonNotation.java``).
The code does not.
"""

from __future__ import annotations

import json
from typing import Any

from urcx.engine.files.sealed import Members, read_json
from urcx.engine.moves import Move
from urcx.errors import TablebaseError, UsageError, quoted
from urcx.game import Game
from urcx.played.record import PlayedGame
from urcx.played.royalur import ENDED_EARLY, metadata, started
from urcx.played.texts import Text, Word
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import MAX_PIECES, MAX_ROLL, RuleSet
from urcx.rules.position import Position
from urcx.solving.files.rgu_keys import game_settings, rules_of_settings

VERSION = 2
PATHS = ("bell", "masters", "murray", "skiriuk", "aseb")
SIDES = {"L": "light", "D": "dark"}
LETTERS = {side: letter for letter, side in SIDES.items()}
ENDED = ("resigned", "abandoned")
STATES = ("move", "roll", "wait4roll", "wait4move", "win", *ENDED)
MOST_STEPS = 10**6


def from_royalur_json(text: Text, sources: RuleSources) -> PlayedGame:
    """Return the game of a text in RoyalUr's JSON, or raise `NotationError` if it is unreadable."""
    where = Word("", text.first, 1)
    try:
        fields = read_json("\n".join(text.lines).encode("utf-8", "replace"), "the JSON")
        return _game(text, fields, sources)
    except TablebaseError as error:
        text.wrong(where, str(error))


def _game(text: Text, fields: Members, sources: RuleSources) -> PlayedGame:
    if "notation_version" not in fields.members:
        raise TablebaseError(
            "this JSON is not a game of RoyalUr, because it has no notation_version (urcx reads "
            "games from .txt, .rgn and .royalur.json)"
        )
    fields.whole("notation_version", 1, VERSION)
    about = fields.inside("metadata") if fields.members.get("metadata") else Members({}, "")
    theirs = rules_of_settings(fields.inside("settings"), PATHS, MAX_PIECES)
    rules = sources.decided(theirs, theirs.pieces, game=text.name)
    states = fields.items("states", 0, len(fields.members.get("states") or ()))
    text.check_size(len(states))
    initial = fields.inside("initial_state")
    strings = {key: value for key, value in about.members.items() if isinstance(value, str)}
    first = started(rules, _position(initial, rules), strings)
    played = text.taken(_after(text, sources, first, initial))
    for state in states:
        played = text.taken(_after(text, sources, played, state))
    return text.complete(first, played)


def _piece(of: Members, name: str) -> int:
    """Return a piece's step, negative for dark, or 0 if the field is missing or null."""
    value = of.members.get(name)
    if isinstance(value, dict):
        old = of.inside(name)
        step = old.whole("index", 0, MOST_STEPS) + 1
        return step if old.choice("owner", SIDES) == "L" else -step
    return 0 if value is None else of.whole(name, -MOST_STEPS, MOST_STEPS)


def _position(initial: Members, rules: RuleSet) -> Position:
    """Return the position of a complete state."""
    pieces = initial.inside("board").inside("pieces")
    steps: dict[str, list[int]] = {"L": [], "D": []}
    ways = {"L": rules.path.light, "D": rules.path.dark}
    for tile in pieces.members:
        step = _piece(pieces, tile)
        letter = "L" if step > 0 else "D"
        if ways[letter][abs(step) - 1 : abs(step)] != (tile,):
            raise TablebaseError(
                f"{pieces.where}: {quoted(tile)} cannot hold a piece of step {step}"
            )
        steps[letter].append(abs(step))
    home = []
    for letter, own in steps.items():
        player = initial.inside("players").inside(letter)
        home.append(player.whole("score", 0, rules.pieces - len(own)))
        left = rules.pieces - len(own) - home[-1]
        player.whole("pieces", left, left)
    light, dark = (tuple(sorted(own)) for own in steps.values())
    return Position(light, dark, (home[0], home[1]), initial.choice("turn", SIDES) == "L")


def _after(text: Text, sources: RuleSources, played: PlayedGame, state: Members) -> PlayedGame:
    """Return the game after one of its states."""
    kind = state.choice("type", STATES)
    if kind == "win" and not played.is_over:
        sources.notes.append(f"{text.name} {ENDED_EARLY}")
    if kind in ("win", *ENDED):
        return played
    try:
        if SIDES[state.choice("turn", SIDES)] != played.turn or played.is_over:
            raise state.wrong("turn", f"{LETTERS[played.turn]}, or the game is over")
        if kind == "wait4roll":
            return played
        roll = state.inside("roll").whole("value", 0, MAX_ROLL)
        if played.roll != roll:
            played = played.throw(roll)
        if kind == "move":
            return _moved(played, state.inside("move"))
        return played if played.legal_moves() else played.passed()
    except UsageError as error:
        raise TablebaseError(f"{state.where}: {state.prefix.rstrip('.')}: {error}") from None


def _moved(played: PlayedGame, move: Members) -> PlayedGame:
    sign = 1 if played.turn == "light" else -1
    start, end, captured = (sign * _piece(move, name) for name in ("src", "dest", "captured"))
    after = played.play(f"{start}-{end or played.rules.path.length + 1}")
    last = after.plies[-1].move
    if last is None or last.captures != bool(captured):
        raise move.wrong("captured", "the piece that the move captures, if any")
    return after


def royalur_json_text(played: PlayedGame) -> str:
    """Return a game in RoyalUr's JSON.

    Raises
    ------
    OutOfDomainError
        If the format cannot express the rules.
    """
    if played.roll is not None and not played.legal_moves():
        played = played.passed()
    rules, start = played.rules, played.start.position
    ways = (rules.path.light, 1, start.light), (rules.path.dark, -1, start.dark)
    fields = {
        "notation_version": VERSION,
        "metadata": metadata(played),
        "settings": game_settings(rules, PATHS, "RoyalUr's JSON", MAX_PIECES),
        "initial_state": {
            "board": {
                "pieces": {
                    way[step - 1]: sign * step for way, sign, steps in ways for step in steps
                }
            },
            "players": {
                letter: {"pieces": rules.pieces - len(steps) - home, "score": home}
                for letter, (_, _, steps), home in zip("LD", ways, start.home, strict=True)
            },
            **_state("wait4roll", played.start),
        },
        "states": _states(played),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def _state(kind: str, game: Game, **more: Any) -> dict[str, Any]:
    return {"type": kind, "time": 0, "turn": LETTERS[game.turn], **more}


def _states(played: PlayedGame) -> list[dict[str, Any]]:
    states = []
    for ply in played.plies:
        roll = {"value": ply.roll}
        if ply.move is None:
            states.append(_state("roll", ply.before, roll=roll, moves=[]))
        else:
            move = _move(ply.before, ply.move)
            states.append(_state("move", ply.before, roll=roll, move=move))
    if played.winner:
        states.append({"type": "win", "time": 0, "winner": LETTERS[played.winner]})
    elif played.roll is not None:
        moves = [_move(played.game, move) for move in played.legal_moves()]
        more = {"roll": {"value": played.roll}, "moves": moves}
        states += [_state(kind, played.game, **more) for kind in ("roll", "wait4move")]
    elif states:
        states.append(_state("wait4roll", played.game))
    return states


def _move(game: Game, move: Move) -> dict[str, int]:
    """Return the pieces of a move: at its start, at its end, and the captured piece, if any."""
    path, position = game.rules.path, game.position
    way, other, theirs, sign = path.light, path.dark, position.dark, 1
    if not position.light_to_move:
        way, other, theirs, sign = path.dark, path.light, position.light, -1
    pieces = {}
    if move.start:
        pieces["src"] = sign * move.start
    if move.end <= len(way):
        pieces["dest"] = sign * move.end
    if move.captures:
        captured = next(step for step in theirs if other[step - 1] == way[move.end - 1])
        pieces["captured"] = -sign * captured
    return pieces

"""Read catalogue files: from TOML to validated dataclasses.

A file has any of the tables ``[board.NAME]``, ``[path.NAME]``, ``[dice.NAME]`` and
``[rules.NAME]``. Entries may refer to other entries of the file and to the built-in entries. The
built-in files in ``urcx/rules/data`` show the schema. Every error names the file, line and key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any, TypeVar

from urcx.errors import CatalogueError, UnusableFileError, quoted
from urcx.reading import TEXTS, read_bytes
from urcx.rules.model import (
    EFFECTS,
    GRANTS,
    MAX_PIECES,
    MAX_ROLL,
    Board,
    Dice,
    Path,
    RuleSet,
    fault_of_granting,
)

NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
TILE = re.compile(r"([A-Z])([1-9][0-9]?)\Z")
RUN = re.compile(r"([A-Z])([1-9][0-9]?)\.\.([A-Z])([1-9][0-9]?)\Z")
PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_KEY = rf"(?:{PART.pattern})(?:\s*\.\s*(?:{PART.pattern}))*"
HEADER = re.compile(rf"\s*\[\[?\s*({_KEY})\s*\]")
KEY = re.compile(rf"\s*({_KEY})\s*=")
TABLES = ("board", "path", "dice", "rules")
Entry = TypeVar("Entry")
MAX_BYTES = 10_000_000  # of a file
MOST_TILES = 26 * 99
MAX_NESTED = 20  # nesting depth of tables and lists (the schemas need four)
# The start of a dotted key with more parts than MAX_NESTED.
_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{MAX_NESTED}}}", re.MULTILINE
)


@dataclass
class Catalogue:
    """Named entries of one or several files. Aliases have their own keys."""

    boards: dict[str, Board] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    dice: dict[str, Dice] = field(default_factory=dict)
    rules: dict[str, RuleSet] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceText:
    """A file's text, for error messages with line numbers."""

    name: str
    text: str

    def keys(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the number of each line that opens a table or sets a key, with its full key."""
        table: tuple[str, ...] = ()
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := HEADER.match(line):
                table = _key_parts(header[1])
                yield number, table
            elif key := KEY.match(line):
                yield number, (*table, *_key_parts(key[1]))

    def error(self, *key: str, reason: str) -> CatalogueError:
        """Return an error with the reason and the place of a key.

        A key inside an inline table gets the table's line. A key that is only a prefix of others
        gets the line of the first of them.
        """
        lines = list(self.keys())
        inside = [(len(other), -number) for number, other in lines if other == key[: len(other)]]
        longer = [number for number, other in lines if other[: len(key)] == key]
        line = -max(inside)[1] if inside else next(iter(longer), None)
        where = f"{self.name}, line {line}" if line else self.name
        return CatalogueError(f"{where}: {'.'.join(key)}: {reason}")


def _key_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a dotted TOML key, without their quotes."""
    return tuple(part.strip("\"'") for part in PART.findall(text))


class TomlTable:
    """A table of a file, with checked access to its keys."""

    def __init__(self, source: SourceText, kind: str, name: str, data: Any) -> None:
        self.source, self.kind, self.name = source, kind, name
        if not isinstance(data, dict):
            raise self.error(None, f"must be a table, [{kind}.{name}]")
        if not NAME.match(name):
            raise self.error(None, "names are lower-case letters, digits and hyphens")
        self.data: dict[str, Any] = data
        self.needed: tuple[str, ...] = ()

    def error(self, key: str | None, reason: str) -> CatalogueError:
        """Return an error with the place of a key of the table, or of the table if it is None."""
        keys = (self.kind, self.name) if key is None else (self.kind, self.name, key)
        return self.source.error(*keys, reason=reason)

    def allow(self, *keys: str, needed: tuple[str, ...] = ()) -> None:
        """Raise `CatalogueError` if the table has other keys than these or the ``needed`` ones."""
        self.needed, allowed = needed, (*keys, *needed)
        for key in self.data:
            if key not in allowed:
                raise self.error(key, f"unknown key. A {self.kind} has {', '.join(allowed)}")

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        """Return a key's value, or raise `CatalogueError` if it is missing or has a wrong type."""
        value = self.data.get(key, default)
        if value is None:
            others = [name for name in self.needed if name not in self.data and name != key]
            raise self.error(key, f"missing; also: {', '.join(others)}" if others else "missing")
        # bool is a subclass of int, but pieces = true is a mistake.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            names = {str: "a string", int: "an integer", bool: "true or false"}
            raise self.error(key, f"must be {names.get(kind, 'a ' + kind.__name__)}")
        if isinstance(value, str) and not re.sub(r"[\n\t]", " ", value).isprintable():
            raise self.error(key, "has characters that cannot be printed")
        return value

    def whole(self, key: str, least: int, most: int) -> int:
        """Return an integer from ``least`` to ``most``. Raises like `get`."""
        value: int = self.get(key, int)
        if not least <= value <= most:
            raise self.error(key, f"must be from {least} to {most}")
        return value

    def named(self, key: str, kind: str, entries: Mapping[str, Entry]) -> Entry:
        """Return the entry that a key names, from the entries of a kind. Raises like `get`."""
        name = self.get(key, str)
        if name not in entries:
            names = ", ".join(sorted(entries))
            raise self.error(key, f"unknown {kind} {quoted(name)}; known: {names}")
        return entries[name]

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names in a list, or () if the key is missing."""
        values = self.get(key, list, [])
        for value in values:
            if not isinstance(value, str) or not NAME.match(value):
                raise self.error(key, f"{quoted(value)} is not a name")
        return tuple(values)

    def tiles(self, key: str, value: Any) -> tuple[str, ...]:
        """Return the tiles of a string such as ``"A4..A1 B1"``."""
        if not isinstance(value, str) or not value.split():
            raise self.error(key, "must be a string of tiles, such as 'A4..A1 B1'")
        tiles: list[str] = []
        for word in value.split():
            run = RUN.match(word)
            if TILE.match(word):
                tiles.append(word)
            elif run and run[1] == run[3]:
                first, last = int(run[2]), int(run[4])
                step = 1 if last >= first else -1
                tiles += [f"{run[1]}{row}" for row in range(first, last + step, step)]
            else:
                raise self.error(
                    key, f"{quoted(word)} is not a tile such as B4 or a run such as A4..A1"
                )
            if len(tiles) > MOST_TILES:
                raise self.error(key, f"more than {MOST_TILES:,} tiles, as many as can have a name")
        return tuple(tiles)

    def distinct(self, key: str, tiles: tuple[str, ...], known: tuple[str, ...] | None) -> None:
        """Raise `CatalogueError` if a tile occurs twice or is not in ``known``."""
        seen = set()
        for tile in tiles:
            if known is not None and tile not in known:
                raise self.error(key, f"tile {tile} is not on the board")
            if tile in seen:
                raise self.error(key, f"tile {tile} comes twice in one lap")
            seen.add(tile)


def _board(entry: TomlTable) -> Board:
    entry.allow("title", "tiles", "rosettes", "mirror")
    tiles = entry.tiles("tiles", entry.get("tiles", str))
    entry.distinct("tiles", tiles, None)
    text = entry.get("rosettes", str, "")
    rosettes = entry.tiles("rosettes", text) if text.split() else ()
    entry.distinct("rosettes", rosettes, tiles)
    mirror = entry.get("mirror", str, "A C").split()
    if len(mirror) != 2 or not all(re.match("[A-Z]$", column) for column in mirror):
        raise entry.error("mirror", "must name two columns, such as 'A C'")
    if mirror[0] == mirror[1]:
        raise entry.error("mirror", "must name two different columns")
    title = entry.get("title", str, entry.name)
    return Board(entry.name, title, tiles, frozenset(rosettes), (mirror[0], mirror[1]))


def _way(entry: TomlTable, key: str, board: Board) -> tuple[tuple[str, ...], ...]:
    """Return the laps of a player's path."""
    value = entry.data.get(key)
    if value is None:
        raise entry.error(key, "missing")
    laps = tuple(entry.tiles(key, lap) for lap in (value if isinstance(value, list) else [value]))
    if not laps:
        raise entry.error(key, "must have at least one lap")
    for lap in laps:
        entry.distinct(key, lap, board.tiles)
    return laps


def _path(entry: TomlTable, boards: Mapping[str, Board]) -> Path:
    entry.allow("title", "aliases", "board", "light", "dark", "reading")
    board = entry.named("board", "board", boards)
    laps = _way(entry, "light", board)
    light = tuple(tile for lap in laps for tile in lap)
    if entry.data.get("dark", "mirror") == "mirror":
        dark = tuple(board.mirrored(tile) for tile in light)
        for tile, image in zip(light, dark, strict=True):
            if image not in board.tiles:
                raise entry.error(
                    "light", f"the mirror image {image} of {tile} is not on the board"
                )
    else:
        dark = tuple(tile for lap in _way(entry, "dark", board) for tile in lap)
    return Path(
        name=entry.name,
        title=entry.get("title", str, entry.name),
        board=board,
        light=light,
        dark=dark,
        laps=tuple(map(len, laps)),
        aliases=entry.names("aliases"),
        reading=entry.get("reading", str, ""),
    )


def _dice(entry: TomlTable) -> Dice:
    entry.allow("title", "probabilities")
    key = "probabilities"
    table = entry.get(key, dict)
    rolls: dict[int, Fraction] = {}
    for roll, text in table.items():
        if not re.match(r"(0|[1-9][0-9]?)\Z", roll):
            raise entry.error(key, f"{quoted(roll)} is not a roll, an integer from 0 to {MAX_ROLL}")
        if not isinstance(text, str) or not re.match(r"[0-9]{1,18}(/0*[1-9][0-9]{0,17})?\Z", text):
            raise entry.error(key, f"{quoted(text)} is not an exact fraction such as '1/16'")
        rolls[int(roll)] = Fraction(text)
    if sum(rolls.values()) != 1:
        raise entry.error(key, f"must sum to 1, not {sum(rolls.values())}")
    if not all(rolls.values()):
        raise entry.error(key, "leave out rolls of probability 0")
    order = tuple(sorted(rolls))
    title = entry.get("title", str, entry.name)
    return Dice(entry.name, title, order, tuple(rolls[roll] for roll in order))


def _rules(entry: TomlTable, paths: Mapping[str, Path], dice: Mapping[str, Dice]) -> RuleSet:
    needed = [name for name, plain in EFFECTS.items() if plain is None]
    later = [name for name in EFFECTS if name not in needed]
    entry.allow("title", "aliases", *later, needed=("path", "pieces", "dice", *needed))
    path, die = entry.named("path", "path", paths), entry.named("dice", "dice", dice)
    pieces = entry.whole("pieces", 1, MAX_PIECES)
    grants: bool | frozenset[str]
    if isinstance(entry.data.get(GRANTS), str):
        tiles = entry.tiles(GRANTS, entry.get(GRANTS, str))
        entry.distinct(GRANTS, tiles, None)
        grants = frozenset(tiles)
        if fault := fault_of_granting(grants, path):
            raise entry.error(GRANTS, fault)
    elif isinstance(entry.get(GRANTS, object), bool):
        grants = entry.get(GRANTS, bool)
    else:
        raise entry.error(GRANTS, "must be true or false, or a string with some of the rosettes")
    return RuleSet(
        name=entry.name,
        title=entry.get("title", str, entry.name),
        path=path,
        pieces=pieces,
        dice=die,
        rosette_grants_roll=grants,
        aliases=entry.names("aliases"),
        **{n: entry.get(n, bool, plain) for n, plain in EFFECTS.items() if n != GRANTS},
    )


def _register(entry: TomlTable, target: dict[str, Any], item: Any, names: set[str]) -> None:
    """Add an item to its kind's entries. ``names`` are the names that the file has used so far."""
    replaced = target.get(item.name)
    for name in [name for name, other in target.items() if other is replaced]:
        del target[name]  # together with its aliases
    for name in (item.name, *getattr(item, "aliases", ())):
        if name in names or (name != item.name and name in target):
            raise entry.error(None, f"the name {quoted(name)} is taken by another {entry.kind}")
        names.add(name)
        target[name] = item


def read_text(file: FilePath) -> str:
    """Return the text of a user's file, or of standard input for ``-``.

    A command stores the text while it runs, because its result includes the text.

    Raises
    ------
    CatalogueError
        If the file cannot be read, is not text in UTF-8, or has more than `MAX_BYTES` bytes.
    """
    stored = TEXTS.get()
    texts = {} if stored is None else stored
    if str(file) not in texts:
        texts[str(file)] = _read_text(file)
    return texts[str(file)]


def _read_text(file: FilePath) -> str:
    try:
        data = read_bytes(file, MAX_BYTES + 1)
    except UnusableFileError as error:
        raise CatalogueError(str(error)) from None
    if len(data) > MAX_BYTES:
        raise CatalogueError(f"{file} has more than {MAX_BYTES:,} bytes, too many for such a file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CatalogueError(f"{file} is not a text file in UTF-8") from None


def parse_toml(name: str, text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Parameters
    ----------
    name
        The name of the file in messages.
    text
        The content of the file.

    Raises
    ------
    CatalogueError
        If the text is not TOML, or nested more than `MAX_NESTED` deep.
    """
    too_deep = CatalogueError(f"{name}: tables and lists are nested more than {MAX_NESTED} deep")
    if LONG_KEY.search(text):  # checked first, because the parser is quadratic in a key's parts
        raise too_deep
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:  # also raised for numbers with too many digits
        raise CatalogueError(f"{name}: {error}") from None
    # Dotted keys nest without recursion, but printing such a deep structure would fail.
    level: list[Any] = [data]
    for _ in range(MAX_NESTED + 1):
        inner = [
            item.values() if isinstance(item, dict) else item
            for item in level
            if isinstance(item, dict | list)
        ]
        level = [value for values in inner for value in values]
    if level:
        raise too_deep
    return data


def load(name: str, text: str, base: Catalogue | None = None) -> Catalogue:
    """Return ``base`` with the entries of a catalogue file added.

    An entry replaces an entry of the same name in ``base``. Two in the same file are an error.

    Parameters
    ----------
    name
        The name of the file in messages.
    text
        The content of the file, in TOML.
    base
        The entries to which the file may refer.

    Raises
    ------
    CatalogueError
        If the file is not TOML or breaks the schema. The message names the line and the key.
    """
    data = parse_toml(name, text)  # first, because it limits the length of keys
    source = SourceText(name, text)
    for table in data:
        if table not in TABLES:
            tables = ", ".join(f"[{kind}.NAME]" for kind in TABLES)
            raise source.error(table, reason=f"unknown table. A catalogue file has {tables}")
    base = base or Catalogue()
    full = Catalogue(dict(base.boards), dict(base.paths), dict(base.dice), dict(base.rules))
    builders: dict[str, tuple[dict[str, Any], Any]] = {
        "board": (full.boards, _board),
        "path": (full.paths, lambda entry: _path(entry, full.boards)),
        "dice": (full.dice, _dice),
        "rules": (full.rules, lambda entry: _rules(entry, full.paths, full.dice)),
    }
    for kind, (target, build) in builders.items():
        entries = data.get(kind, {})
        if not isinstance(entries, dict):
            raise source.error(kind, reason=f"must be tables, [{kind}.NAME]")
        names: set[str] = set()
        for key, value in entries.items():
            entry = TomlTable(source, kind, key, value)
            _register(entry, target, build(entry), names)
    return full

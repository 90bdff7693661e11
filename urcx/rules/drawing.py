"""Boards, positions and rules as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from urcx.results.drawings import Drawing
from urcx.results.fields import TEXT, Field
from urcx.results.layout import Line
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.results.wrapping import running, wrap
from urcx.rules.model import Board, GameRules, RuleSet, flags_of
from urcx.rules.position import Position

PIECES = {"light": "○", "dark": "●"}
FLOWER = "✽"
BAR = 30  # characters of a bar of win probabilities
WIDEST, WIDE, NARROW = 7, 5, 3  # characters in a tile, with and without enough room


@dataclass(frozen=True)
class BoardView(Result):
    """The places of all pieces in a position, which may be finished."""

    schema = "urcx.position/1"
    rules: GameRules
    position: Annotated[Position, Field("", TEXT, "the position")]

    @property
    @Field(about="the side to move: light or dark")
    def to_move(self) -> str:
        """Return the side to move, ``light`` or ``dark``."""
        return "light" if self.position.light_to_move else "dark"

    @property
    @Field(about="light's pieces in the pool (start) and home")
    def light(self) -> dict[str, int]:
        """Return the numbers of light's pieces in the pool (``start``) and ``home``."""
        return self._pools(self.position.light, self.position.home[0])

    @property
    @Field(about="dark's pieces in the pool (start) and home")
    def dark(self) -> dict[str, int]:
        """Return the numbers of dark's pieces in the pool (``start``) and ``home``."""
        return self._pools(self.position.dark, self.position.home[1])

    @property
    @Field(about="by name of an occupied tile, the side and the step of its piece")
    def tiles(self) -> dict[str, str]:
        """Return the piece on each occupied tile, such as ``light 4``."""
        return {tile: f"{side} {step}" for tile, side, step in self.held}

    @property
    def held(self) -> list[tuple[str, str, int]]:
        """Return each occupied tile with the side of its piece and the step on that side's path."""
        place, path = self.position, self.rules.path
        sides = ("light", place.light, path.light), ("dark", place.dark, path.dark)
        return [(way[step - 1], side, step) for side, steps, way in sides for step in steps]

    @property
    def pools(self) -> list[str]:
        """Return a text for each side about its pieces that are not on the board."""
        pairs = ("light", self.light), ("dark", self.dark)
        return [f"{side}: {of['start']} to start, {of['home']} home" for side, of in pairs]

    def _pools(self, steps: tuple[int, ...], home: int) -> dict[str, int]:
        return {"start": self.rules.pieces - len(steps) - home, "home": home}

    @property
    def body(self) -> Drawing:
        """Return the board, with both sides' pools below it."""
        return self.drawn()

    def drawn(self, width: int = 80) -> Drawing:
        """Return the board in at most ``width`` columns if it fits, with the pools below it."""
        light, dark = self.pools
        pools = Drawing(
            f"{light}   {dark}\n",
            lambda width: [[(line, "")] for line in wrap(f"  ○ {light}   ● {dark}", width)],
        )
        return position_board(self.rules, self.position, width) + pools

    def tables(self) -> list[Table]:
        """Return no table."""
        return []

    @property
    def answer(self) -> str:
        """Return the side to move or the winner, and the steps that each side has still to go."""
        place, path = self.position, self.rules.path
        pairs = (place.light, path.light, self.light), (place.dark, path.dark, self.dark)
        light, dark = (
            (of["start"] + len(steps)) * (len(way) + 1) - sum(steps) for steps, way, of in pairs
        )
        status = f"{self.to_move} to move"
        if 0 in (light, dark):
            status = f"{'dark' if light else 'light'} has won"
        return (
            f"{self.rules.with_pieces}, {place.on(path)}: {status}; light has "
            f"{count_text(light, 'step')} to go, dark {dark}"
        )


def rules_text(item: RuleSet) -> str:
    """Return a description of a rule set in short lines."""
    again, no = "grants a roll", "grants no roll"
    rosette = f"a rosette {again + only_on(item) if item.granting else no}"
    shelter = "protects" if item.rosette_protects else "does not protect"
    later = {n: getattr(item, n) for n, plain in flags_of(item).items() if plain is not None}
    more = "".join(
        f", {name.replace('_', ' ')}: {'yes' if value else 'no'}"
        for name, value in later.items()
        if value != flags_of(item)[name]
    )
    return (
        f"rules {item.name}: {item.title}\n"
        f"  {count_text(item.pieces, 'piece')} per side, dice {item.dice.name}\n"
        f"  {rosette} and {shelter}, a capture {again if item.capture_grants_roll else no}{more}"
    )


def rules_in_words(item: RuleSet) -> tuple[str, str]:
    """Return the rules for a new player in two paragraphs: the race, and the moves."""
    path, dice = item.path, item.dice
    hit = "A piece that lands on an enemy sends it back to the start."
    if item.captures_blocked:
        hit = "An enemy piece blocks its tile."
    elif item.rosette_disarms:
        hit += " A piece on a shared rosette cannot do so."
    if item.capture_grants_roll:
        hit += " The player then rolls again."
    effects = [f"a second roll{only_on(item)}"] * bool(item.granting)
    effects += ["shelter"] * item.rosette_protects
    race = (
        f"{item.title}: two players race {count_text(item.pieces, 'piece')} each along a path of "
        f"{path.length} tiles. {path.private[0] or 'No'} tiles are private to a player, and both "
        f"players share the other {path.shared}. A piece leaves the board by an exact roll, and "
        "the player who first has all pieces home wins."
    )
    moves = (
        f"The dice give {dice.rolls[0]} to {dice.rolls[-1]}, and the player moves one piece that "
        "far, but never onto another of the same side. Without a legal move the player passes. "
        f"{hit} A rosette gives {' and '.join(effects) or 'nothing'}."
    )
    return race, moves


def only_on(item: RuleSet) -> str:
    """Return the rosettes that grant a roll, in parentheses, or "" if all or no rosettes do."""
    tiles = item.effects["rosette_grants_roll"]
    return f" (only {', '.join(tiles)})" if isinstance(tiles, list) else ""


def draw_board(board: Board, labels: Mapping[str, str], width: int = 80) -> str:
    """Return the board as text: light's wing below, tiles from left to right.

    ``labels`` are written into the tiles, which are at least `WIDE` characters wide if ``width``
    columns have room for that. A label with a blank takes two lines if one is too short. A rosette
    has a star.
    """
    numbers = range(1, board.rows[-1] + 1)
    letters = board.columns[::-1]
    rows = [[f"{letter}{k}" for k in numbers] for letter in letters]
    texts = {tile: labels.get(tile, "") + "*" * (tile in board.rosettes) for tile in board.tiles}
    longest = max(len(word) for text in texts.values() for word in text.split() or [""])
    inside = max(WIDE, longest + 1)
    if 2 + (inside + 1) * len(numbers) + 1 > width:
        inside = max(NARROW, longest)
    longer = [any(len(texts.get(tile, "")) > inside for tile in row) for row in rows]

    def cell(tile: str, row: int) -> list[str]:
        head, tail = (part.center(inside) for part in _split(texts.get(tile, ""), inside))
        return [head, tail] if longer[row] else [head]

    lines = [f"   {''.join(str(k).center(inside + 1) for k in numbers)}".rstrip()]
    for letter, (edge, *cells) in zip(
        [*letters, ""], _grid(board, rows, inside, cell), strict=True
    ):
        heads = [letter, *" " * len(cells)]
        lines += [
            f"  {edge}",
            *(f"{head} {text}" for head, text in zip(heads, cells, strict=False)),
        ]
    return "\n".join(lines) + "\n"


def paint_board(board: Board, labels: Mapping[str, str], width: int) -> list[Line]:
    """Return the board as lines in two tones, as `draw_board` arranges it.

    A tile has three lines, and rosettes a flower.
    """
    numbers = range(1, board.rows[-1] + 1)
    longest = max([NARROW, *(len(word) for text in labels.values() for word in text.split())])
    inside = next((n for n in (WIDEST, WIDE) if 2 + n * len(numbers) <= width), longest)

    def cell(tile: str) -> list[tuple[str, str]]:
        head, _, tail = labels.get(tile, "").partition(" ")
        flower = FLOWER if tile in board.rosettes else ""
        return [
            (flower if head else "", "rosette"),
            (head, "tile") if head else (flower, "rosette"),
            (tail, "tile"),
        ]

    lines: list[Line] = [[("  " + "".join(str(k).center(inside) for k in numbers), "")]]
    for r, letter in enumerate(board.columns[::-1]):
        for part in range(3):
            line: Line = [(f"{letter} " if part == 1 else "  ", "")]
            for k in numbers:
                text, style = cell(f"{letter}{k}")[part]
                tone = "other " * ((r + k) % 2) + style
                on_board = f"{letter}{k}" in board.tiles
                line.append((text.center(inside), tone if on_board else ""))
            lines.append(line)
    return lines


def board_drawing(
    board: Board, labels: Mapping[str, str], width: int = 80, shown: Mapping[str, str] | None = None
) -> Drawing:
    """Return the board with labels. A terminal with colours has the labels ``shown`` instead."""
    return Drawing(draw_board(board, labels, width), partial(paint_board, board, shown or labels))


def position_board(rules: RuleSet, position: Position, width: int = 80) -> Drawing:
    """Return a position as a drawing of at most ``width`` columns, if the board fits.

    A piece is ``L`` or ``D``, on a terminal with colours a circle, with its step if its player
    crosses the tile more than once.
    """
    path = rules.path
    held, circles = {}, {}
    for tile, side, step in BoardView(rules, position).held:
        twice = str(step) if getattr(path, side).count(tile) > 1 else ""
        held[tile], circles[tile] = side[0].upper() + twice, PIECES[side] + twice
    return board_drawing(path.board, held, width, circles)


def with_signs(text: str) -> Drawing:
    """Return a text about a drawing, with a flower for each star in colours."""
    shown = text.replace("*", FLOWER)
    return Drawing(text, lambda width: [[(line, "")] for line in running(shown, width).split("\n")])


def win_bar(light: float) -> Drawing:
    """Return a bar of both sides' win probabilities, for terminals with colours only."""

    def paint(width: int) -> list[Line]:
        eighths = round(8 * BAR * light)
        text = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]
        left, right = (f"{percent_text(share, 1):>7}" for share in (light, 1 - light))
        bar = [(f"○{left} ", ""), (text.ljust(BAR)[:BAR], "chances"), (f"{right} ●", "")]
        return [[("  ", ""), *bar]] if width >= BAR + 24 else []

    return Drawing("", paint)


def _grid(
    board: Board,
    rows: Sequence[Sequence[str]],
    inside: int,
    cell: Callable[[str, int], Sequence[str]],
) -> list[list[str]]:
    """Return the lines of each row of tiles, first the edge above it, then the board's last edge.

    ``cell`` returns the lines of text in a tile, each ``inside`` wide, for its name and row.
    """
    there = {(r, c) for r, row in enumerate(rows) for c, at in enumerate(row) if at in board.tiles}
    result = []
    for r in range(len(rows) + 1):
        edge, bars = "", []
        for c in range(len(rows[0]) + 1):
            left, right = ({(r - 1, k), (r, k)} & there for k in (c - 1, c))
            edge += ("+" if left or right else " ") + ("-" if right else " ") * inside
            bars.append("|" if {(r, c - 1), (r, c)} & there else " ")
        lines = [edge.rstrip()]
        if r < len(rows):
            for texts in zip(*(cell(tile, r) for tile in rows[r]), strict=True):
                pairs = zip(bars, [*texts, ""], strict=True)
                lines.append("".join(bar + text for bar, text in pairs).rstrip())
        result.append(lines)
    return result


def _split(text: str, width: int) -> tuple[str, str]:
    """Return a label as two lines. The second is empty if one is enough."""
    if len(text) <= width:
        return text, ""
    cut = text.rfind(" ", 0, width + 1)
    return text[:cut], text[cut + 1 :]

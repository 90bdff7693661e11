"""Boards and dice as SVG drawings: tiles, rosettes, paths, pieces of a position, bars of rolls.

Every drawing follows the rules' data, so it also works for a user's path. The board looks as on the
page of ``urcx explore``. Texts next to it are in ``currentColor``, the page's text colour, on light
and dark screens and on paper. Besides the colour, the kind of line (solid, dashed) and of piece
(light, dark) distinguishes the players.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from html import escape

from urcx.errors import WrongObjectError
from urcx.rules import catalogue
from urcx.rules.drawing import rules_text
from urcx.rules.model import Board, Dice, HasPicture, Path, RuleSet
from urcx.rules.position import GameLike, Position, check, position_on

TILE = 100.0  # the side of a tile. All lengths are in hundredths of it
OUTSIDE = 70.0  # length of a path outside the board, where the path enters and leaves
EDGE = 44.0  # room for the names of columns and rows
LANE = 16.0  # distance of two paths over the same tiles
LANES = 48.0  # the greatest width of all paths over the same tiles, to leave room for numbers
STRIP = 52.0  # height of a line of text below or above the board
SIDES = ("light", "dark")
# Distinguishable with all common kinds of colour vision. Contrast at least 3 : 1 on tiles, on white
# and on a dark page.
COLOURS = {"light": "#1f6fb0", "dark": "#b4532a"}
DASHES = {"light": "", "dark": ' stroke-dasharray="16 9"'}
OWN, SHARED, LINE = "#fbf7ee", "#e9e0cd", "#8d8471"  # tiles of one side and of both, their lines
ROSETTE = "#8a6d1f"
PIECES = {"light": ("#fffdf8", "#5d5645", "#23304d"), "dark": ("#23304d", "#0f1729", "#f4efe2")}
EYES = ((14, 14), (86, 14), (14, 86), (86, 86))  # the dots of a shared tile
VIEW = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')
UNITS = 23.5  # units of a drawing per em: a standard board is 40 em wide
LETTER = 13.5  # the mean width of a letter in a line of text
STANDALONE = "svg{color:#1b1d21}@media (prefers-color-scheme:dark){svg{color:#e6e6e2}}"

BAR_WIDE, BAR_GAP = 64, 22  # a bar of a roll, and the space between two
BAR_HIGH = 150  # the bar of the most probable roll
ABOVE, BELOW, BESIDE = 62, 40, 24  # room around the bars
BAR = "#b98a2e"  # contrast at least 3 : 1 with light and dark pages

Point = tuple[float, float]


def board_svg(
    game: str | Path | RuleSet | GameLike,
    position: str | Position | None = None,
    *,
    pieces: int | None = None,
    ways: Sequence[str] = SIDES,
    title: str | None = None,
    standalone: bool = False,
) -> str:
    """Return a board as an SVG element, rows of tiles from left to right, light's wing below.

    Parameters
    ----------
    game
        A path, a rule set, the name of a path, or a `urcx.Game`, whose position is then drawn.
    position
        Pieces to draw, with the numbers in the start pools and home next to the board. If None, no
        pieces are drawn.
    pieces
        Pieces per side. The start pool has the pieces that are neither on the board nor home.
        This number is needed only if ``position`` belongs to a path, because a rule set has it.
    ways
        The sides whose paths are drawn, with the number of each step in its tile: ``light``,
        ``dark``, both or neither.
    title
        A description for screen readers, by default the path's title.
    standalone
        True for a separate file, whose colour follows the reader's colour scheme. False for a page.
        The same arguments always return the same text.

    Raises
    ------
    UnknownNameError, PositionError
        If no path has this name, or the position does not fit the path.
    """
    if isinstance(game, GameLike):
        position = game.position if position is None else position
        game = game.rules
    path, default_pieces = _path(game)
    pieces = default_pieces if pieces is None else pieces
    place = position_on(position, path) if isinstance(position, str) else position
    if place is not None:
        most = max(len(place.light) + place.home[0], len(place.dark) + place.home[1])
        check(place, path, most if pieces is None else pieces)
    board = _Drawing(path, [side for side in SIDES if side in ways])
    parts = [
        *board.tiles(),
        *board.steps(),
        *board.ways(),
        *(board.pieces(place) if place else ()),
        *board.names(),
    ]
    low, high = board.box()
    parts += board.key(high) if board.sides else []
    high += STRIP if board.sides else 0
    if place is not None:
        parts += board.strips(place, pieces, low, high)
        low, high = low - STRIP, high + STRIP
    left, right = board.ways_begin() - 40, max(board.right + OUTSIDE + 20, board.words_end(place))
    label = path.title if title is None else title
    view = f"{_n(left)} {_n(low)} {_n(right - left)} {_n(high - low)}"
    parts = [f"<title>{escape(label, quote=True)}</title>", *parts]
    return whole_svg("board", label, view, parts, standalone=standalone)


def picture(item: HasPicture, *, standalone: bool) -> str:
    """Return the drawing of a board, a path, a rule set, dice, or a game, as SVG."""
    if isinstance(item, GameLike):
        title = f"{item.position.on(item.rules.path)} ({item.rules.name})"
        return board_svg(item, title=title, standalone=standalone)
    if isinstance(item, Dice):
        return dice_svg(item, standalone=standalone)
    if isinstance(item, Board):
        bare = Path(item.name, item.title, item, (), (), ())
        return board_svg(bare, ways=(), standalone=standalone)
    if isinstance(item, Path | RuleSet):
        return board_svg(item, title=item.title, standalone=standalone)
    raise WrongObjectError("picture", HasPicture, item)


def caption(item: HasPicture) -> list[str]:
    """Return the lines below a drawing."""
    if isinstance(item, RuleSet):
        return rules_text(item).splitlines()
    if isinstance(item, Path):
        return [f"{item.name}: {item.title}", item.describe()]
    if isinstance(item, Dice):
        return [f"{item.name}: {item.title}; mean {item.mean}"]
    if isinstance(item, Board):
        counts = f"{len(item.tiles)} tiles, {len(item.rosettes)} rosettes"
        return [f"{item.name}: {item.title}; {counts}"]
    return []


def dice_svg(dice: Dice, *, standalone: bool = False) -> str:
    """Return the probability of each roll as bars.

    Lines have the colour of the page, as in `board_svg`. Use ``standalone`` for a separate file.
    """
    pairs = list(dice.items())
    most = max(dice.probabilities)
    width = 2 * BESIDE + len(pairs) * (BAR_WIDE + BAR_GAP) - BAR_GAP
    parts = []
    for k, (roll, chance) in enumerate(pairs):
        parts += _bar(BESIDE + k * (BAR_WIDE + BAR_GAP), roll, chance, float(chance / most))
    title = f"{dice.title}: mean {dice.mean}"
    base = ABOVE + BAR_HIGH
    line = f'<path d="M0,{base}H{width}" stroke="currentColor" stroke-width="2"/>'
    parts = [f"<title>{escape(title, quote=True)}</title>", *parts, line]
    font = 'font-size="20" text-anchor="middle"'
    view = f"0 0 {width} {base + BELOW}"
    return whole_svg("dice", title, view, parts, standalone=standalone, font=font)


def _bar(x: int, roll: int, chance: Fraction, share: float) -> list[str]:
    high = round(BAR_HIGH * share, 1)
    top, middle = round(ABOVE + BAR_HIGH - high, 1), x + BAR_WIDE // 2
    words = (
        (middle, top - 32, str(chance), ""),
        (middle, top - 9, f"{100 * float(chance):.3g} %", ' font-size="17"'),
        (middle, ABOVE + BAR_HIGH + 28, str(roll), ' font-weight="600"'),
    )
    size = f'width="{BAR_WIDE}" height="{high:g}"'
    texts = "".join(f'<text x="{a}" y="{b:g}"{more}>{word}</text>' for a, b, word, more in words)
    return [
        f'<rect class="roll" x="{x}" y="{top:g}" {size} fill="{BAR}"/>',
        f'<g fill="currentColor">{texts}</g>',
    ]


def whole_svg(
    kind: str,
    title: str,
    view: str,
    parts: Sequence[str],
    *,
    standalone: bool,
    font: str = 'font-size="24"',
) -> str:
    """Return a drawing with its parts, for a separate file or for a page."""
    head = (
        f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{escape(title, quote=True)}" viewBox="{view}" fill="none" '
        f'font-family="system-ui, sans-serif" {font}>'
    )
    style = f"<style>{STANDALONE}</style>" if standalone else ""
    return "\n".join([head + style, *parts, "</svg>"]) + "\n"


def html_figure(svg: str, lines: Sequence[str] = ()) -> str:
    """Return a drawing as an HTML figure, with lines of text below the drawing.

    The tiles of all boards have the same size there, if there is room.
    """
    match = VIEW.search(svg)
    assert match is not None
    text = "<br>".join(map(escape, lines))
    caption = f"<figcaption>{text}</figcaption>\n" if lines else ""
    width = round(float(match[3]) / UNITS)
    return f'<figure class="urcx" style="max-width:{width}em">\n{svg}{caption}</figure>'


def _path(game: str | Path | RuleSet) -> tuple[Path, int | None]:
    if isinstance(game, RuleSet):
        return game.path, game.pieces
    return (catalogue.path(game) if isinstance(game, str) else game), None


def _n(value: float) -> str:
    """Return a length as text, rounded to a tenth, without ``.0`` or a sign before 0."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


class _Drawing:
    """The parts of a board's drawing, each a list of SVG elements."""

    def __init__(self, path: Path, sides: Sequence[str]) -> None:
        self.path = path
        self.sides = sides
        letters = path.board.columns[::-1]
        self.heights = {letter: TILE * k for k, letter in enumerate(letters)}
        self.rows = sorted({int(tile[1:]) for tile in path.board.tiles})
        self.left = TILE * self.rows[0]
        self.right = TILE * (self.rows[-1] + 1)
        self.bottom = TILE * len(letters)

    def corner(self, tile: str) -> Point:
        """Return the upper left corner of a tile."""
        return TILE * int(tile[1:]), self.heights[tile[0]]

    def centre(self, tile: str) -> Point:
        x, y = self.corner(tile)
        return x + TILE / 2, y + TILE / 2

    def box(self) -> tuple[float, float]:
        """Return the top and the bottom of the board, including the names of its rows."""
        return -12.0, self.bottom + EDGE

    def tiles(self) -> list[str]:
        drawn = [f'<g stroke="{LINE}" stroke-width="3">']
        for tile in self.path.board.tiles:
            x, y = self.corner(tile)
            drawn.append(
                f'<rect class="tile" x="{_n(x)}" y="{_n(y)}" width="{_n(TILE)}" '
                f'height="{_n(TILE)}" fill="{self.ground(tile)}"/>'
            )
        drawn.append("</g>")
        drawn += [self.ornament(tile) for tile in self.path.board.tiles]
        flowers = [tile for tile in self.path.board.tiles if tile in self.path.board.rosettes]
        return drawn + [_rosette(*self.centre(tile)) for tile in flowers]

    def crossing(self, tile: str) -> int:
        """Return the number of sides whose paths cross a tile."""
        return sum(tile in getattr(self.path, side) for side in SIDES)

    def ground(self, tile: str) -> str:
        return SHARED if self.crossing(tile) == len(SIDES) else OWN

    def ornament(self, tile: str) -> str:
        """Return four dots on a shared tile, a frame on a tile of one side."""
        x, y = self.corner(tile)
        if self.crossing(tile) == len(SIDES):
            eyes = "".join(f'<circle cx="{_n(x + a)}" cy="{_n(y + b)}" r="5"/>' for a, b in EYES)
            return f'<g fill="{LINE}" fill-opacity="0.8">{eyes}</g>'
        return (
            f'<rect x="{_n(x + 9)}" y="{_n(y + 9)}" width="82" height="82" rx="6" '
            f'stroke="{LINE}" stroke-width="2" stroke-opacity="0.55"/>'
        )

    def names(self) -> list[str]:
        """Return letters of columns on the left and numbers of rows below, as on a chessboard."""
        drawn = ['<g class="names" fill="currentColor" fill-opacity="0.75" text-anchor="middle">']
        for letter, y in self.heights.items():
            first = min(int(t[1:]) for t in self.path.board.tiles if t[0] == letter)
            free = TILE * first if TILE * first > self.left else self.ways_begin()
            drawn.append(_text(free - 20, y + TILE / 2 + 9, letter))
        drawn += [_text(TILE * row + TILE / 2, self.bottom + 28, str(row)) for row in self.rows]
        return [*drawn, "</g>"]

    def steps(self) -> list[str]:
        """Return the numbers of the steps: light's below in each tile, dark's above.

        If a path crosses a tile again, the later steps are in the other corner.
        """
        drawn = []
        for side in self.sides:
            steps: dict[str, list[str]] = {}
            for step, tile in enumerate(getattr(self.path, side), start=1):
                steps.setdefault(tile, []).append(str(step))
            drawn.append(
                f'<g class="steps {side}" fill="{COLOURS[side]}" font-size="22" font-weight="600">'
            )
            for tile, (first, *later) in steps.items():
                x, y = self.corner(tile)
                halo = f' stroke="{self.ground(tile)}" stroke-width="7" paint-order="stroke"'
                left, right = x + 6, x + TILE - 6
                height = y + TILE - 7 if side == "light" else y + 22
                texts = (first, ",".join(later)) if side == "light" else (",".join(later), first)
                for text, at, anchor in zip(texts, (left, right), ("start", "end"), strict=True):
                    if text:
                        drawn.append(_text(at, height, text, f' text-anchor="{anchor}"{halo}'))
            drawn.append("</g>")
        return drawn

    def ways(self) -> list[str]:
        """Return both paths, next to each other on shared tiles, each lap in a separate lane."""
        drawn = []
        for side in self.sides:
            points = self._way(side)
            drawn.append(
                f'<g class="way {side}" stroke="{COLOURS[side]}" stroke-width="6" '
                'stroke-linejoin="round" stroke-linecap="butt">'
            )
            line = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            drawn.append(f'<polyline points="{line}"{DASHES[side]}/>')
            drawn.append(_head(points[-2], points[-1], COLOURS[side]))
            x, y = points[0]
            drawn.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="8" fill="{COLOURS[side]}"/>')
            drawn.append("</g>")
        return drawn

    def ways_begin(self) -> float:
        """Return the left end of the board, or of a path that leaves it there."""
        points = [point for side in self.sides for point in self._way(side)]
        return min([self.left, *(x - 25 for x, _ in points)])

    def _way(self, side: str) -> list[Point]:
        """Return the corners of a path, from before its first tile to beyond its last."""
        way: tuple[str, ...] = getattr(self.path, side)
        sign = 1 if side == "light" else -1
        laps = len(self.path.laps)
        lane = min(LANE, LANES / (2 * laps))
        lap_of = [k for k, length in enumerate(self.path.laps) for _ in range(length)]
        lap_of += [laps - 1] * (len(way) - len(lap_of))  # dark's laps may be longer than light's
        points = []
        for tile, lap in zip(way, lap_of, strict=False):
            x, y = self.centre(tile)
            shift = sign * lane * (lap + 0.5)
            points.append((x + shift, y + shift))
        first = _beyond(points[1], points[0]) if len(points) > 1 else _left_of(points[0])
        last = _beyond(points[-2], points[-1]) if len(points) > 1 else _left_of(points[0])
        return [first, *points, last]

    def pieces(self, place: Position) -> list[str]:
        drawn = []
        for side in SIDES:
            way = getattr(self.path, side)
            tiles = [way[step - 1] for step in getattr(place, side)]
            drawn += [_piece(*self.centre(tile), side) for tile in tiles]
        return drawn

    def key(self, top: float) -> list[str]:
        """Return the legend of the lines and the rosette, on a line below the board."""
        y = top + STRIP / 2
        x = self.left
        drawn = ['<g class="key" font-size="26">']
        for side in self.sides:
            drawn.append(
                f'<path d="M{_n(x)},{_n(y)}h60" stroke="{COLOURS[side]}" stroke-width="6"'
                f"{DASHES[side]}/>"
            )
            label = _text(x + 72, y + 9, f"{side}'s path")
            drawn.append(f'<g fill="currentColor">{label}</g>')
            x += 240
        if self.path.board.rosettes:
            drawn.append(_rosette(x + 20, y, 0.45))
            drawn.append(f'<g fill="currentColor">{_text(x + 50, y + 9, "rosette")}</g>')
        return [*drawn, "</g>"]

    def words_end(self, place: Position | None) -> float:
        """Return the right end of the lines of text, which are longer than small boards."""
        key = 240 * len(self.sides) + (160 if self.path.board.rosettes else 0)
        strip = 46 + LETTER * len("light: 10 in the start pool, 10 home, to move")
        return self.left + max(key if self.sides else 0, strip if place is not None else 0)

    def strips(self, place: Position, pieces: int | None, low: float, high: float) -> list[str]:
        """Return the pieces off the board: dark's in a line above, light's in a line below."""
        drawn = ['<g class="pools" font-size="26">']
        for side, home, y in (
            ("dark", place.home[1], low - STRIP / 2),
            ("light", place.home[0], high + STRIP / 2),
        ):
            words = [f"{home} home"]
            if pieces is not None:
                waiting = pieces - home - len(getattr(place, side))
                words.insert(0, f"{waiting} in the start pool")
            if place.light_to_move == (side == "light") and pieces not in place.home:
                words.append("to move")
            drawn.append(_piece(self.left + 18, y, side, 0.58))
            text = _text(self.left + 46, y + 9, f"{side}: {', '.join(words)}")
            drawn.append(f'<g fill="currentColor">{text}</g>')
        return [*drawn, "</g>"]


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}"{more}>{escape(text)}</text>'


def _beyond(before: Point, last: Point) -> Point:
    """Return the point beyond ``last``, seen from ``before``, off its tile."""
    dx, dy = last[0] - before[0], last[1] - before[1]
    length = math.hypot(dx, dy) or 1.0
    reach = (TILE / 2 + OUTSIDE / 2) / length
    return last[0] + dx * reach, last[1] + dy * reach


def _left_of(point: Point) -> Point:
    """Return the point where a path over a single tile starts and ends."""
    return point[0] - TILE / 2 - OUTSIDE / 2, point[1]


def _head(before: Point, last: Point, colour: str) -> str:
    """Return the head of an arrow whose tip is at ``last``."""
    angle = math.degrees(math.atan2(last[1] - before[1], last[0] - before[0]))
    transform = f"translate({_n(last[0])},{_n(last[1])}) rotate({_n(angle)})"
    return f'<path d="M-4,-13L22,0L-4,13Z" transform="{transform}" fill="{colour}" stroke="none"/>'


def _rosette(x: float, y: float, scale: float = 1.0) -> str:
    petals = "".join(
        f'<ellipse cx="0" cy="-24" rx="8.5" ry="17" transform="rotate({k * 45})"/>'
        for k in range(8)
    )
    return f'<g class="rosette" {_at(x, y, scale)} fill="{ROSETTE}">{petals}<circle r="7"/></g>'


def _piece(x: float, y: float, side: str, scale: float = 1.0) -> str:
    """Return a piece: a disc with five dots of the other colour, as on ancient pieces."""
    fill, edge, dots = PIECES[side]
    places = ((0, 0), (12, 12), (12, -12), (-12, 12), (-12, -12))
    marks = "".join(f'<circle cx="{a}" cy="{b}" r="4.2" fill="{dots}"/>' for a, b in places)
    # Next to the board, an edge in the page's colour separates a piece from any background.
    edge = edge if scale == 1 else "currentColor"
    return (
        f'<g class="piece {side}" {_at(x, y, scale)}>'
        f'<circle r="31" fill="{fill}" stroke="{edge}" stroke-width="4"/>{marks}</g>'
    )


def _at(x: float, y: float, scale: float) -> str:
    size = "" if scale == 1 else f" scale({scale:g})"
    return f'transform="translate({_n(x)},{_n(y)}){size}"'

"""Boards drawn as SVG: every tile, step and piece in its place, from the rules' data alone."""

from __future__ import annotations

import re
from importlib import resources
from xml.etree import ElementTree as ET

import pytest

import urcx
from urcx.errors import PositionError, UnknownNameError
from urcx.rules.catalogue import catalogue, path_names
from urcx.rules.load import load
from urcx.rules.pictures import (
    COLOURS,
    LINE,
    OWN,
    PIECES,
    ROSETTE,
    SHARED,
    board_svg,
    html_figure,
)

SVG = "{http://www.w3.org/2000/svg}"


def _drawn(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own


def _of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [item for item in root.iter() if name in item.get("class", "").split()]


def _place(item: ET.Element) -> tuple[float, float]:
    found = re.match(r"translate\(([-0-9.]+),([-0-9.]+)\)", item.get("transform", ""))
    assert found
    return float(found[1]), float(found[2])


def _tile(x: float, y: float, letters: str = "CBA") -> str:
    """Return the tile at a point: rows from left to right, columns from below."""
    return f"{letters[int(y // 100)]}{int(x // 100)}"


@pytest.mark.parametrize("name", path_names())
def test_every_tile_rosette_and_step_stands_where_the_rules_have_it(name: str) -> None:
    path = urcx.path(name)
    root = _drawn(board_svg(path))
    tiles = [(float(r.get("x", "")), float(r.get("y", ""))) for r in _of_class(root, "tile")]
    assert sorted(_tile(*at) for at in tiles) == sorted(path.board.tiles)
    rosettes = [
        _tile(*_place(item)) for item in _of_class(root, "rosette") if _place(item)[1] < 300
    ]
    assert sorted(rosettes) == sorted(path.board.rosettes)
    for side in ("light", "dark"):
        (group,) = [g for g in _of_class(root, "steps") if side in g.get("class", "")]
        seen: dict[int, str] = {}
        for text in group.iter(f"{SVG}text"):
            tile = _tile(float(text.get("x", "")), float(text.get("y", "")))
            seen |= dict.fromkeys(map(int, (text.text or "").split(",")), tile)
        assert tuple(seen[step] for step in sorted(seen)) == getattr(path, side)


@pytest.mark.parametrize("name", path_names())
def test_a_way_goes_through_its_tiles_in_turn_within_the_drawing(name: str) -> None:
    path = urcx.path(name)
    root = _drawn(board_svg(path))
    left, top, width, height = map(float, root.get("viewBox", "").split())
    for side in ("light", "dark"):
        (group,) = [g for g in _of_class(root, "way") if side in g.get("class", "")]
        line = group.find(f"{SVG}polyline")
        assert line is not None
        assert (line.get("stroke-dasharray") is not None) == (side == "dark")
        corners = [p.split(",") for p in line.get("points", "").split()]
        points = [(float(x), float(y)) for x, y in corners]
        assert tuple(_tile(*p) for p in points[1:-1]) == getattr(path, side)
        assert all(left <= x <= left + width and top <= y <= top + height for x, y in points)
    lines = [p for p in (g.find(f"{SVG}polyline") for g in _of_class(root, "way")) if p is not None]
    assert lines[0].get("points") != lines[1].get("points")


def test_pieces_stand_on_their_tiles_and_the_rest_is_said() -> None:
    root = _drawn(board_svg(urcx.ruleset("finkel"), "1,5,8/2,7,13/0-1/D", ways=()))
    for side, tiles in (("light", ["A4", "B1", "B4"]), ("dark", ["B3", "C3", "C8"])):
        pieces = [p for p in _of_class(root, "piece") if side in p.get("class", "").split()]
        on_board = [_tile(*_place(p)) for p in pieces if 0 < _place(p)[1] < 300]
        assert sorted(on_board) == tiles
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert "light: 4 in the start pool, 0 home" in said
    assert "dark: 3 in the start pool, 1 home, to move" in said
    assert _of_class(root, "way") == _of_class(root, "steps") == []
    # A path has no number of pieces.
    alone = board_svg("bell", "1/-/0-0/L")
    assert "start pool" not in alone
    assert "2 in the start pool, 0 home, to move" in board_svg("bell", "1/-/0-0/L", pieces=3)


def test_tiles_and_pieces_look_as_on_the_page() -> None:
    root = _drawn(board_svg("finkel", "1,5/2/0-0/L", pieces=7, ways=()))
    shared = [item for item in _of_class(root, "tile") if item.get("fill") == SHARED]
    assert {_tile(float(r.get("x", "")), float(r.get("y", ""))) for r in shared} == {
        f"B{k}" for k in range(1, 9)
    }
    dots = [item for item in root.iter(f"{SVG}circle") if item.get("r") == "5"]
    frames = [item for item in root.iter(f"{SVG}rect") if item.get("rx")]
    assert (len(dots), len(frames)) == (4 * 8, 12)
    script = resources.files("urcx").joinpath("explore/static/board.js").read_text("utf-8")
    light = script[script.index("const LIGHT") : script.index("const DARK")]
    colours = dict(re.findall(r"--urcx-([\w-]+): (#\w+)", light))
    assert tuple(colours[name] for name in ("tile", "shared", "line", "rosette")) == (
        OWN,
        SHARED,
        LINE,
        ROSETTE,
    )
    assert (COLOURS["light"], COLOURS["dark"]) == (colours["light-way"], colours["dark-way"])
    assert PIECES["light"][:2] == (colours["pale"], colours["edge"])
    assert PIECES["dark"][:2] == (colours["deep"], colours["deep-edge"])


def test_it_follows_the_page_shares_no_ids_and_repeats() -> None:
    inline = board_svg("masters")
    assert inline == board_svg(urcx.ruleset("masters")) == board_svg(urcx.path("masters"))
    assert "currentColor" in inline
    assert not re.search(r" id=|<style|url\(", inline), "it could not stand twice in a page"
    alone = board_svg("masters", standalone=True, title='<"A" & B>')
    assert "prefers-color-scheme:dark" in alone
    assert _drawn(alone).get("aria-label") == '<"A" & B>'
    assert "nan" not in inline
    assert "-0 " not in inline


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("side", ["light", "dark"])
@pytest.mark.parametrize("ground", ["#ffffff", "#14161a", OWN, SHARED])
def test_both_ways_are_seen_on_light_and_dark_pages(side: str, ground: str) -> None:
    a, b = sorted((_luminance(COLOURS[side]), _luminance(ground)))
    assert (b + 0.05) / (a + 0.05) >= 3.0  # the limit of WCAG for graphics


def test_paths_of_ones_own_and_refusals() -> None:
    text = '[path.x]\nboard = "standard"\nlight = "B1"\ndark = "B3 B2"\n'
    path = load("x.toml", text, catalogue()).paths["x"]
    assert _of_class(_drawn(board_svg(path)), "way")
    with pytest.raises(UnknownNameError):
        board_svg("nowhere")
    with pytest.raises(PositionError, match="step 15 is off the path"):
        board_svg("bell", "15/-/0-0/L")
    with pytest.raises(PositionError, match="more than 1"):
        board_svg("bell", "1,2/-/0-0/L", pieces=1)


def test_a_game_is_drawn_in_its_position() -> None:
    rules, place = urcx.ruleset("kwan"), "5,8/3,6/1-0/L"
    game = urcx.Game(rules, place)
    assert board_svg(game) == board_svg(rules, place)
    assert board_svg(game, "-/-/0-0/L") == board_svg(rules, "-/-/0-0/L")


def test_the_words_of_small_boards_are_within_the_drawing() -> None:
    text = (
        '[board.tiny]\ntitle = "t"\ntiles = "A1 B1 C1"\nrosettes = "B1"\nmirror = "A C"\n'
        '[path.tiny]\ntitle = "t"\nboard = "tiny"\nlight = "A1 B1"\n'
    )
    path = load("x.toml", text, catalogue()).paths["tiny"]
    drawn = _drawn(board_svg(path, "1/-/0-0/L", pieces=10))
    left, _, width, _ = map(float, drawn.attrib["viewBox"].split())
    for item in drawn.iter(f"{SVG}text"):
        if item.get("text-anchor") is None and item.text and " " in item.text:
            # Letters of system fonts are about half as wide as they are high.
            assert float(item.attrib["x"]) + 13 * len(item.text) <= left + width, item.text


def test_tiles_are_equally_large_on_all_boards_in_a_page() -> None:
    def scale(name: str) -> float:
        html = html_figure(board_svg(name), ["<one>", "two"])
        assert "<figcaption>&lt;one&gt;<br>two</figcaption>" in html
        found = re.search(r"max-width:(\d+)em", html)
        view = re.search(r'viewBox="\S+ \S+ (\S+) ', html)
        assert found
        assert view
        return float(found[1]) / float(view[1])

    assert scale("aseb") == pytest.approx(scale("bell"), rel=0.02)

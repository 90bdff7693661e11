"""The states of other games: by the product, by sympy, by sums over cases, and by visits."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, product
from math import comb, factorial
from pathlib import Path

import pytest

import urcx
from urcx.complexity import tiles
from urcx.complexity.board_games import BoardGame, boards
from urcx.complexity.board_series import formula, series_states
from urcx.complexity.polynomials import truncated_power, truncated_product
from urcx.enumerate.board_visits import visited_states
from urcx.errors import UsageError

GAMES = list(boards().values())
COUNTED = [board for board in GAMES if board.bound != "cited"]
PAGE = Path(__file__).parents[2] / "docs/mathematics/other-games.rst"


def visits(board: BoardGame) -> tuple[int, int]:
    """Return the states of a game's small version: visited, and by the product."""
    setup = board.small_setup()
    assert setup is not None
    listed = [(item.number, item.kinds, item.height) for item in setup.tiles]
    number = visited_states(listed, setup.totals, setup.alternate, setup.counted, named=setup.named)
    return number - setup.without, setup.states()


@pytest.mark.parametrize("board", COUNTED, ids=lambda board: board.name)
def test_sympy_gives_the_same_number(board: BoardGame) -> None:
    assert series_states(board) == board.states()
    if board.pieces is not None:
        fewer = board.span[0] + 1
        assert series_states(board, fewer) == board.states(fewer) != board.states()


@pytest.mark.parametrize(
    "board", [board for board in COUNTED if board.small], ids=lambda board: board.name
)
def test_visits_of_a_small_version_agree(board: BoardGame) -> None:
    visited, states = visits(board)
    assert visited == states > 500


def test_visits_of_versions_of_other_sizes() -> None:
    # Two points, two men: 9 + 12 + 12 + 9 + 9 + 8 + 4 + 4 + 2 by hand.
    backgammon = [(2, {"stack": "xy"}, 0), (2, {"pool": "x"}, 0), (2, {"pool": "y"}, 0)]
    assert visited_states(backgammon, {"x": (2, 2), "y": (2, 2)}) == 69
    # Two named tokens on a shared tile or at home, by hand: 2 x 2 places for each side.
    shared = [(1, {"shared": "rg"}, 0), (1, {"pool": "r"}, 0), (1, {"pool": "g"}, 0)]
    assert visited_states(shared, {"r": (2, 2), "g": (2, 2)}, named=True) == 4 * 4
    assert visited_states(shared, {"r": (2, 2), "g": (2, 2)}) == 3 * 3


def many(places: int, pieces: int) -> int:
    """Return the number of ways to divide equal pieces among places."""
    return comb(places + pieces - 1, pieces)


def placed(points: int, most: int, least: int = 0) -> int:
    span = range(least, most + 1)
    return sum(comb(points, i) * comb(points - i, j) for i, j in product(span, span))


def checkers() -> int:
    """Return the positions by numbers of men and kings, and of men on the first row."""
    total = 0
    for light, dark, low, high in product(range(13), range(13), range(5), range(5)):
        if low > light or high > dark:
            continue
        # Light's men are on 4 + 24 squares (low of them on the row of dark's kings), dark's
        # men on the others. Kings are on any of the remaining squares.
        for own, others in product(range(light - low, -1, -1), range(dark - high, -1, -1)):
            men = comb(4, low) * comb(4, high) * comb(24, own) * comb(24 - own, others)
            left = 32 - low - high - own - others
            kings = comb(left, light - low - own)
            total += men * kings * comb(left - (light - low - own), dark - high - others)
    return total - 1


def columns() -> int:
    """Return the positions of connect four by the heights of the columns."""
    outlines = Counter({0: 1})
    for _ in range(7):
        before, outlines = outlines, Counter()
        for stones, ways in before.items():
            outlines.update({stones + height: ways for height in range(7)})
    return sum(ways * comb(stones, stones // 2) for stones, ways in outlines.items())


def ludo() -> int:
    """Return the positions of named tokens by the numbers of tokens on the 42 common squares."""
    total = 0
    for i, j in product(range(5), repeat=2):
        stacks = sum(
            comb(42, used) * _onto(i, used) * (42 - used) ** j if used or not i else 0
            for used in range(i + 1)
        )
        total += comb(4, i) * comb(4, j) * stacks * 16 ** (4 - i) * 16 ** (4 - j)
    return total


def _onto(tokens: int, squares: int) -> int:
    """Return the ways to place named tokens on all of so many squares."""
    return sum((-1) ** k * comb(squares, k) * (squares - k) ** tokens for k in range(squares + 1))


SUMS = {
    "backgammon": sum(comb(24, m) * many(m + 2, 15 - m) * many(26 - m, 15) for m in range(16)),
    "hypergammon": sum(comb(24, m) * many(m + 2, 3 - m) * many(26 - m, 3) for m in range(4)),
    "checkers": checkers(),
    "connect-four": columns(),
    "ludo-2-named": ludo(),
    "morris-moving": placed(24, 9, 3),
    "tic-tac-toe": sum(comb(9, n) * comb(n, n // 2) for n in range(10)),
    "senet": placed(30, 5),
    "go-9": 3**81,
    "go-13": 3**169,
    "go-19": 3**361,
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_over_cases_gives_the_same_number(name: str) -> None:
    assert boards()[name].states() == SUMS[name]


def test_numbers_that_others_have_published() -> None:
    assert boards()["backgammon"].states() == 18_528_584_051_601_162_496
    assert boards()["checkers"].states() == 500_995_484_682_338_672_639
    assert boards()["connect-four"].states() == 70_728_639_995_483


def test_paths_of_ur_are_boards_too() -> None:
    for name in ("bell", "aseb", "masters", "murray", "skiriuk"):
        board = boards()[f"ur-{name}"]
        assert board.states() == tiles.diagrams(urcx.path(name), board.pieces or 0)
        assert board.states(3) == tiles.diagrams(urcx.path(name), 3)


def test_men_in_hand_are_counted_by_the_number_placed() -> None:
    total = 0
    for turn in range(18):
        own, other = (turn + 1) // 2, turn // 2  # men placed; the others are on the board or lost
        for i, j in product(range(own + 1), range(other + 1)):
            total += comb(24, i) * comb(24 - i, j)
    assert boards()["morris-placing"].states() == total


def morris_symmetries() -> list[tuple[int, ...]]:
    """Return the 16 symmetries of the board as permutations of its points, from coordinates."""
    steps = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    points = [(ring, step) for ring in range(3) for step in steps]
    turned = []
    for swap, flip, a, b in product((False, True), (False, True), (1, -1), (1, -1)):
        image = []
        for ring, step in points:
            across, down = reversed(step) if flip else step
            image.append(points.index((2 - ring if swap else ring, (a * across, b * down))))
        turned.append(tuple(image))
    return turned


def test_symmetries_of_nine_mens_morris_have_the_cycles_of_the_data() -> None:
    found: Counter[tuple[tuple[int, int], ...]] = Counter()
    for image in morris_symmetries():
        lengths: Counter[int] = Counter()
        left = set(range(24))
        while left:
            start = at = left.pop()
            length = 1
            while (at := image[at]) != start:
                left.remove(at)
                length += 1
            lengths[length] += 1
        found[tuple(sorted(lengths.items()))] += 1
    data = boards()["morris-symmetric"].symmetries
    assert found == {
        tuple(sorted((int(k), v) for k, v in item["cycles"].items())): item["of"] for item in data
    }


def test_positions_equal_by_symmetry_are_counted_once() -> None:
    symmetries = morris_symmetries()
    board = boards()["morris-symmetric"]
    two = BoardGame(
        board.name, board.about, board.bound, board.why, 2, (2, 2), board.tiles,
        {"x": (2, 2), "y": (1, 1)}, board.symmetries,
    )  # fmt: skip
    classes = set()
    for light in combinations(range(24), 2):
        for dark in set(range(24)) - {*light}:
            images = ((sorted(s[p] for p in light), s[dark]) for s in symmetries)
            classes.add(min((tuple(own), other) for own, other in images))
    assert two.states() == len(classes)


def test_powers_and_products_by_hand() -> None:
    assert truncated_power({(0,): 2, (1,): 3}, 3) == {(0,): 8, (1,): 36, (2,): 54, (3,): 27}
    assert truncated_power({(0,): 2, (1,): 3}, 3, (1,)) == {(0,): 8, (1,): 36}
    assert truncated_product([{(0,): 1, (2,): 5}, {(1,): 7}], (2,)) == {(1,): 7}
    # Two named pieces in three boxes, and in boxes of one and of two kinds.
    assert truncated_power({(0,): 1, (1,): 1, (2,): 1}, 3, named=True)[2,] == 9
    assert truncated_product([{(1,): 1}, {(1,): 1}], named=True) == {(2,): 2}


def test_named_pieces_on_tiles_for_one_piece() -> None:
    choices = [(6, {"choice": "r"}, 0)]
    assert visited_states(choices, {"r": (3, 3)}) == comb(6, 3)
    assert visited_states(choices, {"r": (3, 3)}, named=True) == comb(6, 3) * factorial(3)


@pytest.mark.parametrize("board", COUNTED, ids=lambda board: board.name)
def test_latex_has_a_factor_for_each_kind_of_tile(board: BoardGame) -> None:
    text = formula(board)
    numbers = [tile.number for tile in board.setup().tiles if tile.number > 1]
    assert all(f"^{{{n}}}" in text for n in numbers if not board.symmetries)
    assert text.count("{") == text.count("}")


def test_a_number_of_pieces_is_in_the_range_of_its_game() -> None:
    assert boards()["backgammon"].states(1) == 652  # 26 x 26 places, less 24 shared points
    for name, pieces, reason in (
        ("backgammon", 31, "1 to 30"),
        ("checkers", 0, "1 to 12"),
        ("go-9", 5, "fixed"),
    ):
        with pytest.raises(UsageError, match=reason):
            boards()[name].states(pieces)


@pytest.mark.parametrize("board", GAMES, ids=lambda board: board.name)
def test_every_game_says_what_its_number_is(board: BoardGame) -> None:
    assert board.bound in ("exact", "upper", "cited")
    assert board.why
    assert board.about
    assert (board.states() is None) == (board.bound == "cited")
    keys = re.findall(r"^@\w+\{([\w-]+),", _references(), re.MULTILINE)
    assert {figure.key for figure in board.published} <= set(keys)


def _references() -> str:
    return (Path(urcx.__file__).parent / "published/data/references.bib").read_text("utf-8")


@pytest.mark.parametrize("board", COUNTED, ids=lambda board: board.name)
def test_the_page_has_every_number(board: BoardGame) -> None:
    text = PAGE.read_text("utf-8").partition(f"* - ``{board.name}``")[2].partition("   * - ``")[0]
    states = board.states()
    assert states is not None
    size = f"{states:,}" if states < 10**25 else f"{states / 10 ** (len(str(states)) - 1):.3f}"
    assert size in text
    assert all(f"[{figure.key}]_" in text for figure in board.published)

"""State spaces and statements about them: counts by every form, curves, orders, comparisons.

The module also compares the sizes of games, as powers and logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

from urcx.complexity import forms, tiles
from urcx.complexity.board_games import boards
from urcx.complexity.game_tree import OtherGame, legal_moves_per_roll, other_games
from urcx.errors import OutOfDomainError
from urcx.published.rounding import Params, Ranged, Worded, rules_from
from urcx.rules import catalogue

PATHS = ("bell", "aseb", "masters", "murray", "skiriuk")
FIGURE_4 = "in the range of Figure 4, p = 1 to t - 1"


@cache
def _enumerated(path: str, pieces: int) -> tuple[int, int]:
    from urcx.enumerate.enumerator import count

    result = count(catalogue.path(path), pieces)
    return result.diagrams, result.branches


# Functions of m shared tiles, n private tiles and p pieces, for numbers of tiles without a path.
_BY_TILES: dict[str, Callable[[int, int, int], int]] = {
    "reader": forms.reader,
    "michon": forms.michon,
    "raposo": lambda m, n, p: forms.raposo_sum(m, p, lambda k: forms.raposo_gamma(n, k)),
    "raposo-equations": lambda m, n, p: forms.raposo_sum(
        m, p, lambda k: forms.equations_gamma(n, k)
    ),
    "raposo-program": forms.raposo_program,
}


def states(params: Params) -> int:
    """Return the number of states by a form, for a path or for numbers of ``tiles``.

    With ``convention``, return the exact number in another convention
    (`urcx.complexity.tiles.conventions`).
    """
    form, pieces = params["form"], params["pieces"]
    if "convention" in params:
        return tiles.conventions(catalogue.path(params["path"]), pieces)[params["convention"]]
    if "tiles" in params:
        m, n = params["tiles"]
        if form not in _BY_TILES:
            raise OutOfDomainError(
                f"form {form}: must be {', '.join(_BY_TILES)} for numbers of tiles"
            )
        if form.startswith("raposo") and pieces >= m:
            raise OutOfDomainError(f"pieces {pieces}: must be less than t = {m} for form {form}")
        return _BY_TILES[form](m, n, pieces)
    if form == "enumeration":
        return _enumerated(params["path"], pieces)[0]
    return forms.evaluate_form(form, catalogue.path(params["path"]), pieces)


def by_pools(params: Params) -> int:
    """Return the states with two numbers of pieces in the ``pools``: each side's start and home."""
    m, n = map(int, params["tiles"])
    a, b = map(int, params["pools"])
    own, other = int(params["pieces"]) - a, int(params["pieces"]) - b
    ways = (a + 1) * (b + 1)  # how many of them are home
    return ways * sum(
        math.comb(m, k) * math.comb(n, own - k) * math.comb(m + n - k, other)
        for k in range(own + 1)
    )


def won(params: Params) -> int:
    """Return the states in which one of the ``players`` has won, or with ``both`` both have."""
    on_board, p = sum(map(int, params["tiles"])), int(params["pieces"])
    each = sum((p - k + 1) * math.comb(on_board, k) for k in range(p + 1)) - 1
    return int(params["players"]) * each + int(params.get("both", False))


def branches(params: Params) -> int:
    """Return the total branches of all configurations, like the program of the post."""
    return _enumerated(params["path"], params["pieces"])[1]


def mean_branches(params: Params) -> Fraction:
    """Return the mean number of branches per configuration."""
    return Fraction(branches(params), _enumerated(params["path"], params["pieces"])[0])


def successors(params: Params) -> Fraction:
    """Return the mean legal moves of an unfinished state and a roll, times ``rolls``.

    The rolls above 0 count alike. With ``each``, the mean is that number of the source.
    """
    each = (
        Fraction(params["each"]) if "each" in params else legal_moves_per_roll(rules_from(params))
    )
    return each * int(params["rolls"])


def log10(params: Params) -> int:
    """Return the base-10 logarithm of the states, rounded up or down."""
    value = math.log10(states(params))
    return math.ceil(value) if params["rounding"] == "up" else math.floor(value)


def bits(params: Params) -> int:
    """Return the number of bits of an encoding, for one player or both."""
    total = states(params).bit_length() - 1
    players: int = params["players"]
    return total * players // 2


def mini_terms(params: Params) -> str:
    """Return the products of the worked example, in the order of the war tiles of each side."""
    (m, n), p = params["tiles"], params["pieces"]
    terms = [
        forms.raposo_gamma(n, p - i) * forms.raposo_gamma(n, p - j) * forms.multinomial(m, i, j)
        for j in range(p + 1)
        for i in range(p + 1)
    ]
    return " + ".join(map(str, terms))


def _curve(params: Params) -> list[tuple[int, int]]:
    """Return pairs (p, states) for all p for which the form is defined, up to the number of tiles.

    With ``within``, p ends at t - 1, as in Figure 4.
    """
    path = catalogue.path(params["path"])
    points = []
    for p in range(1, path.shared if "within" in params else path.length + 1):
        try:
            points.append((p, forms.evaluate_form(params["form"], path, p)))
        except OutOfDomainError:
            break
    return points


def shape(params: Params) -> str:
    """Return whether the number of states decreases again as pieces are added."""
    values = [value for _, value in _curve(params)]
    falls = any(a > b for a, b in zip(values, values[1:], strict=False))
    return "rises to a maximum, then falls" if falls else "rises throughout"


def largest_at(params: Params) -> str:
    """Return the number of pieces with the most states."""
    points = _curve(params)
    best = max(points, key=lambda point: point[1])[0]
    if best == catalogue.path(params["path"]).length:
        return "none: it rises throughout"
    return str(best)


def peak(params: Params) -> str:
    """Return the place of the maximum on the paths of the paper's Figure 4."""
    tops = {name: largest_at({**params, "path": name}) for name in PATHS}
    if all(text == str(catalogue.path(name).shared - 1) for name, text in tops.items()):
        return "slightly below the number of war tiles"
    if not any(text.isdecimal() for text in tops.values()):
        return "nowhere: it rises throughout"
    return ", ".join(f"{name} {text}" for name, text in tops.items())


def bound(params: Params) -> str:
    """Return the kind of bound of a form. ``direction ignored`` is exact except for directions."""
    path = catalogue.path(params["path"])
    once = tuple((min(a, 1), min(b, 1)) for a, b in path.crossings)

    def value(p: int) -> int:
        if params["form"] == "direction ignored":
            return tiles.from_crossings(once, p, p)
        return forms.evaluate_form(params["form"], path, p)

    signs = {
        (value(p) > tiles.diagrams(path, p)) - (value(p) < tiles.diagrams(path, p))
        for p in range(1, params["up_to"] + 1)
    }
    if signs <= {-1, 0}:
        return "lower bound"
    return "upper bound" if signs <= {0, 1} else "neither bound"


# The origin of Table 1's four state spaces, as the search for its figures showed.
_TABLE_1: dict[str, Params] = {
    "bell": {"form": "raposo-program", "path": "bell", "pieces": 7},
    "aseb": {"form": "raposo-program", "path": "aseb", "pieces": 7},
    "masters": {"form": "raposo-program", "tiles": [16, 4], "pieces": 7},
    "murray": {"form": "raposo", "path": "murray", "pieces": 7},
}


PIECES_1 = {"bell": 7, "aseb": 5, "masters": 7, "murray": 7}


def _sizes(params: Params) -> dict[str, int]:
    """Return the state spaces of the paths of Table 1, exact or as in the paper."""
    sizes = {}
    for name, pieces in PIECES_1.items():
        if params["form"] == "exact":
            number = pieces if params["pieces"] == "as in Table 1" else params["pieces"]
            sizes[name] = tiles.diagrams(catalogue.path(name), number)
        else:
            sizes[name] = states(_TABLE_1[name])
    return sizes


def order(params: Params) -> str:
    """Return the paths by size. ``=`` joins equal sizes, ``~`` sizes within a factor of two."""
    sizes = _sizes(params)
    order = sorted(sizes, key=lambda name: sizes[name])
    text = order[0]
    for before, after in zip(order, order[1:], strict=False):
        close = "=" if sizes[after] == sizes[before] else "~"
        text += f" {close if sizes[after] < 2 * sizes[before] else '<'} {after}"
    return text


def smallest(params: Params) -> str:
    """Return the path with the fewest states."""
    sizes = _sizes(params)
    return min(sizes, key=lambda name: sizes[name])


def below(params: Params) -> str:
    """Compare all the state spaces with the state space of another game."""
    times = min(Fraction(int(float(params["than"])), size) for size in _sizes(params).values())
    return "orders of magnitude smaller" if times >= 100 else "of the same order or larger"


def largest_two(params: Params) -> str:
    """Return the two paths with the most states."""
    sizes = _sizes(params)
    return " and ".join(sorted(sorted(sizes, key=lambda name: sizes[name])[-2:]))


def similar(params: Params) -> str:
    """Compare Murray's and Masters' state spaces."""
    sizes = _sizes(params)
    times = Fraction(sizes["murray"], sizes["masters"])
    return "similar" if times < 2 else f"Murray's is {float(times):.0f} times Masters'"


def higher(params: Params) -> str:
    """Return whether Murray's and Skiriuk's state spaces exceed Aseb's and Bell's."""
    sizes = {name: tiles.diagrams(catalogue.path(name), params["pieces"]) for name in PATHS}
    higher = min(sizes["murray"], sizes["skiriuk"]) >= 2 * max(sizes["aseb"], sizes["bell"])
    return "significantly higher" if higher else "not significantly higher"


def ratio(params: Params) -> Fraction:
    """Return the ratio of two forms, or with ``of`` the ratio of two printed figures.

    The result is rounded to a multiple of ``nearest``.
    """
    if "of" in params:
        over, under = (Fraction(Decimal(text)) for text in params["of"])
    else:
        path, pieces = catalogue.path(params["path"]), params["pieces"]
        over, under = (
            Fraction(forms.evaluate_form(params[key], path, pieces)) for key in ("over", "under")
        )
    unit = Fraction(params.get("nearest", 0))
    return round(over / under / unit) * unit if unit else over / under


def conflict_symmetry(params: Params) -> str:
    """Return whether the matrix of conflicts is symmetric.

    Rows are light's placements and columns dark's placements, in lexicographic order of their
    sorted steps. A pair conflicts if a tile would have pieces of both players.
    """
    path = catalogue.path(params["path"])
    sides = []
    for way in (path.light, path.dark):
        occupied = []
        steps = range(len(way) + 2)  # 0 is the start pool, the last one home
        for placement in combinations_with_replacement(steps, params["pieces"]):
            tiles_held = [way[step - 1] for step in placement if 0 < step <= len(way)]
            if len({*tiles_held}) == len(tiles_held):
                occupied.append({*tiles_held})
        sides.append(occupied)
    matrix = [[bool(light & dark) for dark in sides[1]] for light in sides[0]]
    symmetric = matrix == [list(column) for column in zip(*matrix, strict=True)]
    return "symmetric" if symmetric else "not symmetric"


SECONDS_A_DAY = 86_400
BYTES_AN_ENTRY = 6  # of the report's maps: a 32-bit key and a 16-bit value
NEAR = 10  # sizes within a factor of 10^10 are similar


def power_log10(params: Params) -> float:
    """Return log10 of b^d, or of (b c)^d if there is a c."""
    return float(params["d"] * math.log10(params["b"] * params.get("c", 1)))


def power(params: Params) -> int:
    """Return b^d, or (b c)^d, correct to about ten digits."""
    exponent, rest = divmod(power_log10(params), 1)
    return int(round(10 ** (rest + 15)) * 10 ** (int(exponent) - 15))


def compared(params: Params) -> str:
    """Compare the game tree for the paper's b, c and N with the game tree of another game.

    Figures within a factor of 10^10 are similar.
    """
    own = power_log10({"b": 2.45, "c": 5, "d": 106.35})
    printed = _other(params["game"]).gtc
    if abs(own - printed) < NEAR:
        return "similar"
    return "smaller" if own < printed else "larger"


def _other(name: str) -> OtherGame:
    return next(item for item in other_games() if item.name == name)


def other_game(params: Params) -> int:
    """Return log10 of another game's tree from the paper's Table 1."""
    return round(_other(params["game"]).gtc)


def _powers(log10: float) -> Ranged:
    """Return the powers of ten below and above a number, because sources round to either."""
    return Ranged(math.floor(log10), math.ceil(log10))


def game_states(params: Params) -> Ranged:
    """Return log10 of another game's number of states, rounded down and up.

    With ``cited``, take the first figure that others have published instead of our number.
    """
    board = boards()[params["game"]]
    states = None if params.get("cited") else board.states()
    return _powers(board.published[0].log10 if states is None else math.log10(states))


def game_tree(params: Params) -> Ranged | str:
    """Return log10 of another game's tree by its b, c and d, rounded down and up."""
    size = _other(params["game"]).with_chance
    return "not computed: the source states no b and d" if size is None else _powers(size)


def against(params: Params) -> Worded:
    """Return whether a size exceeds the figure ``than`` of another game, both as log10.

    The size is the number of states of a ``path``, or b^d.
    """
    if "path" in params:
        own = math.log10(tiles.diagrams(catalogue.path(params["path"]), params["pieces"]))
    else:
        own = power_log10(params)
    words = "more" if own > params["than"] else "less"
    return Worded(words, f"{own:.4g} to {params['than']}")


def share_of_time(params: Params) -> Fraction:
    """Return 2^``bits`` seconds as a share of ``years`` of ``days`` each."""
    seconds = Fraction(str(params["years"])) * Fraction(str(params["days"])) * SECONDS_A_DAY
    return Fraction(2 ** int(params["bits"])) / seconds


def path_size(params: Params) -> int:
    """Return a size of a path, named by ``what``: steps, tiles, locations or bits."""
    path = catalogue.path(params["path"])
    return {
        "steps": path.length,
        "shared": path.shared,
        "private": path.private[0],
        "locations": path.length + 2,
        "home": path.length + 1,
        "pool bits of 7 pieces": (7).bit_length(),
        "bits a location": (path.length + 1).bit_length(),
    }[params["what"]]


def michon_f(params: Params) -> int:
    """Return Michon's f(p) for the private tiles of a path."""
    return forms.michon_f(catalogue.path(params["path"]).private[0], params["pieces"])


def michon_f_line(params: Params) -> str:
    """Return the straight line that f follows, and the least p from which f follows it."""
    n = catalogue.path(params["path"]).private[0]
    slope = forms.michon_f(n, n + 2) - forms.michon_f(n, n + 1)
    root = n + 1 - Fraction(forms.michon_f(n, n + 1), slope)
    first = n + 1
    while first > 0 and forms.michon_f(n, first - 1) == slope * (first - 1 - root):
        first -= 1
    return f"{slope} (p - {root}) for p >= {first}"


def positions_a_diagram(params: Params) -> int:
    """Return the number of positions per configuration."""
    counts = tiles.conventions(catalogue.path(params["path"]), params["pieces"])
    return counts["positions"] // counts["diagrams"]


def solver_map(params: Params) -> int:
    """Return the entries of the report's map of a rule set, its states or its bytes."""
    rules = catalogue.ruleset(params["rules"])
    entries = tiles.conventions(rules.path, rules.pieces)["mover-view"]
    each = {"entries": 1, "states": 2, "bytes": BYTES_AN_ENTRY}[params["what"]]
    return entries * each + int(params.get("header", 0))


def rosette_steps(params: Params) -> str:
    """Return the steps of light's path that are rosettes."""
    path = catalogue.path(params["path"])
    steps = [s for s, tile in enumerate(path.light, start=1) if tile in path.board.rosettes]
    return ", ".join(map(str, steps))


def nodes_a_day(params: Params) -> int:
    """Return the nodes visited in a day at a rate of nodes per second."""
    return int(params["nodes_a_second"]) * SECONDS_A_DAY


def days(params: Params) -> Fraction:
    """Return the number of days to visit all configurations at a rate of nodes per second."""
    diagrams = tiles.diagrams(catalogue.path(params["path"]), params["pieces"])
    return Fraction(diagrams, nodes_a_day(params))

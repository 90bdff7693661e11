"""What published figures are figures of: each quantity computed from its parameters.

A quantity is a function from parameters to a number or a text. Some also know their variants: other
forms, numbers of pieces, paths or tiles that a source may really have used, each with a cost, so
that the nearest one that gives the printed figure can be named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from urcx.complexity import forms, tiles
from urcx.errors import OutOfDomainError
from urcx.published import chances, played, solved, strategy_gain
from urcx.published.played import Sampled
from urcx.rules import catalogue

Params = dict[str, Any]
Value = int | float | Fraction | str | Sampled

PATHS = ("bell", "aseb", "masters", "murray", "skiriuk")
SAME_SOURCE = ({"raposo", "raposo-program"}, {"enumeration", "tile-polynomial", "reader"})
MAX_COST = 2.0
SECONDS_A_DAY = 86_400
BYTES_AN_ENTRY = 6  # the report's maps: a 32-bit key and a 16-bit value


@dataclass(frozen=True)
class Quantity:
    """How to compute a quantity, how to say its parameters, and what else to try."""

    compute: Callable[[Params], Value]
    variants: Callable[[Params], Iterator[tuple[float, Params]]] = lambda _: iter(())


@cache
def _enumerated(path: str, pieces: int) -> tuple[int, int]:
    from urcx.enumerate.enumerator import count  # noqa: PLC0415 - numba is slow to import

    found = count(catalogue.path(path), pieces)
    return found.diagrams, found.branches


# Functions of m shared tiles, n private tiles and p pieces, for tiles that no path has.
_BY_TILES: dict[str, Callable[[int, int, int], int]] = {
    "reader": forms.reader,
    "michon": forms.michon,
    "raposo": lambda m, n, p: forms.raposo_sum(m, p, lambda k: forms.raposo_gamma(n, k)),
    "raposo-program": forms.raposo_program,
}


def _states(params: Params) -> int:
    form, pieces = params["form"], params["pieces"]
    if "tiles" in params:
        m, n = params["tiles"]
        if form not in _BY_TILES:
            raise OutOfDomainError(f"{form} is not a form in numbers of tiles")
        if form.startswith("raposo") and pieces >= m:
            raise OutOfDomainError("needs p < t")
        return _BY_TILES[form](m, n, pieces)
    if form == "enumeration":
        return _enumerated(params["path"], pieces)[0]
    return forms.evaluate(form, catalogue.path(params["path"]), pieces)


def _states_variants(params: Params) -> Iterator[tuple[float, Params]]:
    """Yield other forms, pieces, paths and tiles, dearer the further they are from the source."""
    own_tiles = params.get("tiles")
    for form, path, pieces in product(_BY_TILES | forms.FORMS, PATHS, range(1, 16)):
        cost = 0.0
        if form != params["form"]:
            kin = any({form, params["form"]} <= group for group in SAME_SOURCE)
            cost += 0.5 if kin else 1.5
        if pieces != params["pieces"]:
            cost += 1.0
        if path != params.get("path", path):
            cost += 2.0
        if cost > MAX_COST:
            continue
        found = {"form": form, "path": path, "pieces": pieces}
        yield cost, found
        chosen = catalogue.path(path)
        # All tiles taken for war tiles: an easy slip, since the papers call both numbers t.
        if chosen.crossed_once and form in _BY_TILES and own_tiles is None:
            yield cost + 1.0, {**found, "tiles": [chosen.length, chosen.private[0]]}


def _branches(params: Params) -> int:
    return _enumerated(params["path"], params["pieces"])[1]


def _mean_branches(params: Params) -> Fraction:
    return Fraction(_branches(params), _enumerated(params["path"], params["pieces"])[0])


def _log10(params: Params) -> int:
    value = math.log10(_states(params))
    return math.ceil(value) if params["rounding"] == "up" else math.floor(value)


def _bits(params: Params) -> int:
    total = _states(params).bit_length() - 1
    players: int = params["players"]
    return total * players // 2


def _path_size(params: Params) -> int:
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


def _path_size_variants(params: Params) -> Iterator[tuple[float, Params]]:
    for what in ("steps", "shared", "private"):
        yield 1.0, {**params, "what": what}


def _michon_f(params: Params) -> int:
    return forms.michon_f(catalogue.path(params["path"]).private[0], params["pieces"])


def _michon_f_line(params: Params) -> str:
    """Return the straight line that f follows, and from where on it does."""
    n = catalogue.path(params["path"]).private[0]
    slope = forms.michon_f(n, n + 2) - forms.michon_f(n, n + 1)
    root = n + 1 - Fraction(forms.michon_f(n, n + 1), slope)
    first = n + 1
    while first > 0 and forms.michon_f(n, first - 1) == slope * (first - 1 - root):
        first -= 1
    return f"{slope} (p - {root}) for p >= {first}"


def _positions_a_diagram(params: Params) -> int:
    counts = tiles.conventions(catalogue.path(params["path"]), params["pieces"])
    return counts["positions"] // counts["diagrams"]


def _dice_chance(params: Params) -> Fraction:
    dice = catalogue.dice(params["dice"])
    chances = dict(zip(dice.rolls, dice.probabilities, strict=True))
    return Fraction(chances[params["roll"]] * params["of"])


def _dice_mean(params: Params) -> Fraction:
    return catalogue.dice(params["dice"]).mean


def _rules_pieces(params: Params) -> int:
    return catalogue.ruleset(params["rules"]).pieces


def _solver_map(params: Params) -> int:
    rules = catalogue.ruleset(params["rules"])
    entries = tiles.conventions(rules.path, rules.pieces)["mover-view"]
    value = entries * {"entries": 1, "states": 2, "bytes": BYTES_AN_ENTRY}[params["what"]]
    if "cut_off_after" in params:  # digits are dropped, not rounded
        unit = 10 ** (len(str(value)) - params["cut_off_after"])
        value -= value % unit
    return value


def _solver_variants(params: Params) -> Iterator[tuple[float, Params]]:
    yield 1.0, {**params, "cut_off_after": 3}


def _mini_terms(params: Params) -> str:
    """Return the products of the worked example, over who holds how many war tiles."""
    (m, n), p = params["tiles"], params["pieces"]
    terms = [
        forms.raposo_gamma(n, p - i) * forms.raposo_gamma(n, p - j) * forms.multinomial(m, i, j)
        for j in range(p + 1)
        for i in range(p + 1)
    ]
    return " + ".join(map(str, terms))


def _curve(params: Params) -> list[tuple[int, int]]:
    """Return (p, states) as far as the form goes, up to the number of all tiles."""
    path = catalogue.path(params["path"])
    points = []
    for p in range(1, path.length + 1):
        try:
            points.append((p, forms.evaluate(params["form"], path, p)))
        except OutOfDomainError:
            break
    return points


def _shape(params: Params) -> str:
    values = [value for _, value in _curve(params)]
    falls = any(a > b for a, b in zip(values, values[1:], strict=False))
    return "rises to a maximum, then falls" if falls else "rises throughout"


def _other_forms(params: Params) -> Iterator[tuple[float, Params]]:
    for form in ("raposo", "raposo-program"):
        yield 1.0, {**params, "form": form}


def _largest_at(params: Params) -> str:
    points = _curve(params)
    best = max(points, key=lambda point: point[1])[0]
    if best == catalogue.path(params["path"]).length:
        return "none: it rises throughout"
    return str(best)


def _peak(params: Params) -> str:
    """Return where the maximum lies on the paths of the paper's Figure 4."""
    found = {name: _largest_at({**params, "path": name}) for name in PATHS}
    if not any(text.isdecimal() for text in found.values()):
        return "nowhere: it rises throughout"
    return ", ".join(f"{name} {text}" for name, text in found.items())


def _bound(params: Params) -> str:
    """Return which bound a form is; ``direction ignored`` is exact but for a piece's direction."""
    path = catalogue.path(params["path"])
    once = tuple((min(a, 1), min(b, 1)) for a, b in path.crossings)

    def value(p: int) -> int:
        if params["form"] == "direction ignored":
            return tiles.from_crossings(once, p, p)
        return forms.evaluate(params["form"], path, p)

    signs = {
        (value(p) > tiles.diagrams(path, p)) - (value(p) < tiles.diagrams(path, p))
        for p in range(1, params["up_to"] + 1)
    }
    if signs <= {-1, 0}:
        return "lower bound"
    return "upper bound" if signs <= {0, 1} else "neither bound"


# How Table 1's four state spaces came about, as the search for its figures finds.
_TABLE_1 = {
    "bell": {"form": "raposo-program", "path": "bell", "pieces": 7},
    "aseb": {"form": "raposo-program", "path": "aseb", "pieces": 7},
    "masters": {"form": "raposo-program", "tiles": [16, 4], "pieces": 7},
    "murray": {"form": "raposo", "path": "murray", "pieces": 7},
}


PIECES_1 = {"bell": 7, "aseb": 5, "masters": 7, "murray": 7}


def _sizes(params: Params) -> dict[str, int]:
    """Return the state spaces of the paths of Table 1, exact or as the paper has them."""
    sizes = {}
    for name, pieces in PIECES_1.items():
        if params["form"] == "exact":
            number = pieces if params["pieces"] == "as in Table 1" else params["pieces"]
            sizes[name] = tiles.diagrams(catalogue.path(name), number)
        else:
            sizes[name] = _states(_TABLE_1[name])
    return sizes


def _order(params: Params) -> str:
    """Return the paths in order of size; ``=`` and ``~`` join equal and less than double ones."""
    sizes = _sizes(params)
    order = sorted(sizes, key=lambda name: sizes[name])
    text = order[0]
    for before, after in zip(order, order[1:], strict=False):
        close = "=" if sizes[after] == sizes[before] else "~"
        text += f" {close if sizes[after] < 2 * sizes[before] else '<'} {after}"
    return text


def _smallest(params: Params) -> str:
    sizes = _sizes(params)
    return min(sizes, key=lambda name: sizes[name])


def _below(params: Params) -> str:
    """Return how all of the state spaces compare with that of another game."""
    times = min(Fraction(int(float(params["than"])), size) for size in _sizes(params).values())
    return "orders of magnitude smaller" if times >= 100 else "of the same order or larger"


def _largest_two(params: Params) -> str:
    sizes = _sizes(params)
    return " and ".join(sorted(sorted(sizes, key=lambda name: sizes[name])[-2:]))


def _similar(params: Params) -> str:
    """Return how Murray's and Masters' state spaces compare."""
    sizes = _sizes(params)
    times = Fraction(sizes["murray"], sizes["masters"])
    return "similar" if times < 2 else f"Murray's is {float(times):.0f} times Masters'"


def _higher(params: Params) -> str:
    """Return whether Murray's and Skiriuk's exceed Aseb's and Bell's at a number of pieces."""
    sizes = {name: tiles.diagrams(catalogue.path(name), params["pieces"]) for name in PATHS}
    higher = min(sizes["murray"], sizes["skiriuk"]) >= 2 * max(sizes["aseb"], sizes["bell"])
    return "significantly higher" if higher else "not significantly higher"


def _rosette_steps(params: Params) -> str:
    path = catalogue.path(params["path"])
    steps = [s for s, tile in enumerate(path.light, start=1) if tile in path.board.rosettes]
    return ", ".join(map(str, steps))


def _conflict_symmetry(params: Params) -> str:
    from urcx.enumerate.conflicts import conflicts  # noqa: PLC0415 - numba is slow to import

    matrix = conflicts(catalogue.path(params["path"]), params["pieces"]).matrix()
    return "symmetric" if (matrix == matrix.T).all() else "not symmetric"


def _nodes_a_day(params: Params) -> int:
    return int(params["nodes_a_second"]) * SECONDS_A_DAY


def _days(params: Params) -> Fraction:
    """Return how many days some nodes a second take for all diagrams."""
    diagrams = tiles.diagrams(catalogue.path(params["path"]), params["pieces"])
    return Fraction(diagrams, _nodes_a_day(params))


def _nalimov_decides(params: Params) -> str:
    """Return how far Michon's procedure comes, as he describes it."""
    from urcx.solve.nalimov import nalimov  # noqa: PLC0415 - numba is slow to import

    rules = replace(catalogue.ruleset(params["rules"]), pieces=params["pieces"])
    found = nalimov(rules)
    decided = found.decided("literal")
    if decided == found.states:
        return "the whole table"
    return f"{decided} of {found.states}" if decided else "nothing but finished games"


def _order_variants(params: Params) -> Iterator[tuple[float, Params]]:
    yield 1.0, {**params, "form": "the paper's four figures"}


def _ratio(params: Params) -> Fraction:
    path, pieces = catalogue.path(params["path"]), params["pieces"]
    over, under = (forms.evaluate(params[key], path, pieces) for key in ("over", "under"))
    return Fraction(over, under)


def _ratio_variants(params: Params) -> Iterator[tuple[float, Params]]:
    for form in ("raposo", "raposo-program"):
        yield 1.0, {**params, "under": form}


QUANTITIES: dict[str, Quantity] = {
    "states": Quantity(_states, _states_variants),
    "branches": Quantity(_branches),
    "mean-branches": Quantity(_mean_branches),
    "log10": Quantity(_log10),
    "bits": Quantity(_bits),
    "path-size": Quantity(_path_size, _path_size_variants),
    "michon-f": Quantity(_michon_f),
    "michon-f-line": Quantity(_michon_f_line),
    "positions-a-diagram": Quantity(_positions_a_diagram),
    "dice-chance": Quantity(_dice_chance),
    "dice-mean": Quantity(_dice_mean),
    "sequence-chance": Quantity(chances.sequence_chance, chances.sequence_variants),
    "sequence-class": Quantity(chances.sequence_class),
    "orders": Quantity(chances.orders),
    "with-sum": Quantity(chances.with_sum),
    "sum-chance": Quantity(chances.sum_chance, chances.sum_variants),
    "likeliest-length": Quantity(chances.likeliest_length),
    "any-of": Quantity(chances.any_of),
    "pairs-likelier": Quantity(chances.pairs_likelier),
    "dice-extreme": Quantity(chances.dice_extreme),
    "substitute": Quantity(chances.substitute),
    "expected-count": Quantity(chances.expected_count),
    "counts-chance": Quantity(chances.counts_chance, chances.counts_variants),
    "deviations": Quantity(chances.deviations),
    "normal-interval": Quantity(chances.normal_interval),
    "coverage": Quantity(chances.coverage),
    "rush": Quantity(chances.rush, chances.rush_variants),
    "rush-rolls": Quantity(chances.rush_rolls),
    "rush-path": Quantity(chances.rush_path),
    "rush-games": Quantity(chances.rush_games, chances.rush_games_variants),
    "journey": Quantity(chances.journey_time, chances.journey_variants),
    "journey-hit": Quantity(chances.journey_hit),
    "journey-rule": Quantity(chances.journey_rule),
    "turns-against-rule": Quantity(chances.turns_against_rule),
    "war-tiles-passed": Quantity(chances.war_tiles_passed),
    "rules-pieces": Quantity(_rules_pieces),
    "solver-map": Quantity(_solver_map, _solver_variants),
    "mini-terms": Quantity(_mini_terms),
    "shape": Quantity(_shape, _other_forms),
    "largest-at": Quantity(_largest_at, _other_forms),
    "peak": Quantity(_peak),
    "bound": Quantity(_bound, _other_forms),
    "order": Quantity(_order, _order_variants),
    "smallest": Quantity(_smallest, _order_variants),
    "largest-two": Quantity(_largest_two, _order_variants),
    "similar": Quantity(_similar, _order_variants),
    "higher": Quantity(_higher),
    "rosette-steps": Quantity(_rosette_steps),
    "conflict-symmetry": Quantity(_conflict_symmetry),
    "below": Quantity(_below, _order_variants),
    "ratio": Quantity(_ratio, _ratio_variants),
    "nodes-a-day": Quantity(_nodes_a_day),
    "days": Quantity(_days),
    "nalimov-decides": Quantity(_nalimov_decides),
    "measure": Quantity(played.measure),
    "wins": Quantity(played.wins),
    "power": Quantity(played.power),
    "power-log10": Quantity(played.power_log10, played.other_plies),
    "alone": Quantity(played.alone),
    "other-game": Quantity(played.other_game),
    "compared": Quantity(played.compared, played.one_player),
    "gain": Quantity(strategy_gain.gained, strategy_gain.slips),
    "gain-terms": Quantity(strategy_gain.terms, strategy_gain.as_the_tables),
    "gain-best": Quantity(strategy_gain.best),
    "gain-signs": Quantity(strategy_gain.signs),
    "gain-walks-on": Quantity(strategy_gain.walks_on),
    "gain-attacks": Quantity(strategy_gain.attacks),
    "danger": Quantity(strategy_gain.danger),
    "danger-less": Quantity(strategy_gain.danger_less),
    "capture-sequences": Quantity(strategy_gain.shortest),
    "capture-sequence": Quantity(strategy_gain.shortest_chance),
    "capture-chance": Quantity(strategy_gain.hunted),
    "war-zone": Quantity(strategy_gain.war_zone),
    "close-moves": Quantity(solved.close),
    "first-piece": Quantity(solved.first_piece),
}


def describe(params: Params) -> str:
    """Return parameters as text: ``raposo-program, bell, p = 7``."""
    parts = []
    for key, value in params.items():
        if key == "pieces":
            parts.append(f"p = {value}" if isinstance(value, int) else f"p {value}")
        elif key == "tiles":
            parts.append(f"t = {value[0]}, t' = {value[1]}")
        elif key in ("form", "path", "dice", "rules", "what", "game", "agent"):
            parts.append(str(value))
        else:
            parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)

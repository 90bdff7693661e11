"""The quantities behind the published figures, each a function of its parameters.

A quantity is a function from parameters to a number, a range or a text. Some also have variants
(slips that a source may have made) and readings (other meanings of its words)
(`urcx.published.quantities.values.Quantity`).
"""

from __future__ import annotations

from fractions import Fraction

from urcx.complexity import forms, tiles
from urcx.published.quantities import (
    chances,
    evaluations,
    played,
    sizes,
    solved,
    states,
    strategy_gain,
    turns,
    whole_games,
)
from urcx.published.quantities.values import Params, Quantity, changed
from urcx.rules import catalogue

SECONDS_A_DAY = 86_400
BYTES_AN_ENTRY = 6  # of the report's maps: a 32-bit key and a 16-bit value


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


_path_size_variants = changed(*((1.0, {"what": what}) for what in ("steps", "shared", "private")))


def _michon_f(params: Params) -> int:
    return forms.michon_f(catalogue.path(params["path"]).private[0], params["pieces"])


def _michon_f_line(params: Params) -> str:
    """Return the straight line that f follows, and from which p on."""
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


def _rolls(params: Params) -> str:
    return ", ".join(map(str, catalogue.ruleset(params["rules"]).dice.rolls))


def _granting_rosettes(params: Params) -> str:
    rules = catalogue.ruleset(params["rules"])
    return ", ".join(tile for tile in rules.path.tiles if tile in rules.granting)


def _solver_map(params: Params) -> int:
    rules = catalogue.ruleset(params["rules"])
    entries = tiles.conventions(rules.path, rules.pieces)["mover-view"]
    return entries * {"entries": 1, "states": 2, "bytes": BYTES_AN_ENTRY}[params["what"]]


def _rosette_steps(params: Params) -> str:
    path = catalogue.path(params["path"])
    steps = [s for s, tile in enumerate(path.light, start=1) if tile in path.board.rosettes]
    return ", ".join(map(str, steps))


def _nodes_a_day(params: Params) -> int:
    return int(params["nodes_a_second"]) * SECONDS_A_DAY


def _days(params: Params) -> Fraction:
    """Return the number of days to visit all diagrams at a rate of nodes per second."""
    diagrams = tiles.diagrams(catalogue.path(params["path"]), params["pieces"])
    return Fraction(diagrams, _nodes_a_day(params))


def _nalimov_decides(params: Params) -> str:
    """Return how much Michon's procedure decides, as he describes it or in another reading."""
    return str(params["own"][params["reading"]] if "reading" in params else params["found"])


_nalimov_readings = changed(
    ("rolls of 0 being no descendants", {"reading": "zero-rolls"}),
    ("passes to and fro solved", {"reading": "passes"}),
)


QUANTITIES: dict[str, Quantity] = {
    "states": Quantity(
        states.published_states,
        states.states_variants,
        readings=states.states_readings,
        unit="states",
    ),
    "branches": Quantity(states.published_branches, unit="states"),
    "mean-branches": Quantity(states.mean_branches),
    "log10": Quantity(states.log10, unit="log10"),
    "bits": Quantity(states.published_bits, unit="bits"),
    "path-size": Quantity(_path_size, _path_size_variants),
    "michon-f": Quantity(_michon_f),
    "michon-f-line": Quantity(_michon_f_line),
    "positions-a-diagram": Quantity(_positions_a_diagram),
    "dice-chance": Quantity(_dice_chance, unit="chance"),
    "dice-mean": Quantity(_dice_mean),
    "sequence-chance": Quantity(
        chances.published_sequence, chances.sequence_variants, unit="chance"
    ),
    "sequence-class": Quantity(chances.sequence_class),
    "orders": Quantity(chances.published_orders),
    "with-sum": Quantity(chances.with_sum),
    "sum-chance": Quantity(chances.sum_chance, chances.sum_variants, unit="chance"),
    "likeliest-length": Quantity(chances.likeliest_length),
    "any-of": Quantity(chances.chance_of_any, unit="chance"),
    "pairs-likelier": Quantity(chances.pairs_likelier, readings=chances.pairs_readings),
    "dice-extreme": Quantity(chances.dice_extreme),
    "substitute": Quantity(chances.published_substitute),
    "expected-count": Quantity(chances.expected_count, unit="plies"),
    "counts-chance": Quantity(chances.published_counts, unit="chance"),
    "deviations": Quantity(chances.deviations),
    "normal-interval": Quantity(chances.normal_interval),
    "coverage": Quantity(chances.coverage, unit="share"),
    "rush": Quantity(chances.published_rush, chances.rush_variants, unit="chance"),
    "rush-rolls": Quantity(chances.rush_rolls),
    "rush-path": Quantity(chances.rush_path, readings=chances.rush_path_readings),
    "rush-games": Quantity(chances.rush_games, chances.rush_variants, unit="plies"),
    "journey": Quantity(chances.journey_time, chances.journey_variants, unit="plies"),
    "journey-hit": Quantity(chances.journey_hit, readings=chances.journey_hit_readings),
    "journey-rule": Quantity(chances.journey_rule, readings=chances.journey_rule_readings),
    "turns-against-rule": Quantity(chances.turns_against_rule),
    "war-tiles-passed": Quantity(chances.war_tiles_passed),
    "rules-pieces": Quantity(_rules_pieces),
    "rolls": Quantity(_rolls),
    "granting-rosettes": Quantity(_granting_rosettes),
    "solver-map": Quantity(_solver_map, unit="states"),
    "mini-terms": Quantity(states.mini_terms),
    "shape": Quantity(states.shape, states.other_forms),
    "largest-at": Quantity(states.largest_at, states.other_forms, readings=states.figure_4),
    "peak": Quantity(states.peak, readings=states.figure_4),
    "bound": Quantity(states.bound, states.other_forms),
    "order": Quantity(states.order, states.order_variants),
    "smallest": Quantity(states.smallest, states.order_variants),
    "largest-two": Quantity(states.largest_two, states.order_variants),
    "similar": Quantity(states.similar, states.order_variants),
    "higher": Quantity(states.higher),
    "rosette-steps": Quantity(_rosette_steps),
    "conflict-symmetry": Quantity(states.conflict_symmetry),
    "below": Quantity(states.published_below, states.order_variants),
    "ratio": Quantity(
        states.published_ratio, states.ratio_variants, readings=states.ratio_readings
    ),
    "nodes-a-day": Quantity(_nodes_a_day),
    "days": Quantity(_days, unit="days"),
    "nalimov-decides": Quantity(_nalimov_decides, readings=_nalimov_readings),
    "measure": Quantity(played.published_measure, readings=played.measure_readings, unit="plies"),
    "wins": Quantity(played.published_wins),
    "power": Quantity(sizes.power_of),
    "power-log10": Quantity(sizes.power_log10, sizes.other_plies, unit="log10"),
    "alone": Quantity(played.alone_measure, readings=played.alone_readings, unit="plies"),
    "other-game": Quantity(sizes.other_game, readings=sizes.other_game_readings, unit="log10"),
    "compared": Quantity(sizes.compared),
    "gain": Quantity(strategy_gain.gained, strategy_gain.slips),
    "gain-terms": Quantity(strategy_gain.terms),
    "gain-best": Quantity(strategy_gain.best_gain),
    "gain-signs": Quantity(strategy_gain.signs),
    "gain-walks-on": Quantity(strategy_gain.walks_on),
    "gain-attacks": Quantity(strategy_gain.attacks, readings=strategy_gain.attacks_readings),
    "danger": Quantity(strategy_gain.danger, unit="chance"),
    "danger-less": Quantity(strategy_gain.danger_less, unit="chance"),
    "capture-sequences": Quantity(strategy_gain.shortest_gain),
    "capture-sequence": Quantity(strategy_gain.shortest_chance, unit="chance"),
    "war-zone": Quantity(strategy_gain.war_zone),
    "evaluation": Quantity(evaluations.evaluation),
    "close-moves": Quantity(solved.close),
    "better-move": Quantity(solved.better_move),
    "tolerance": Quantity(solved.tolerance, unit="chance"),
    "storage-order": Quantity(solved.storage_order, readings=solved.storage_readings),
    "key-bits": Quantity(solved.key_bits, unit="bits"),
    "arrangements": Quantity(chances.published_arrangements),
    "dice-outcomes": Quantity(chances.dice_outcomes),
    "against": Quantity(sizes.size_against, sizes.other_plies),
    "share-of-time": Quantity(sizes.share_of_time, unit="share"),
    "captures-a-turn": Quantity(turns.captures_a_turn),
    "roll-and-capture": Quantity(turns.roll_and_capture, readings=turns.roll_and_capture_readings),
    "race": Quantity(turns.race, readings=turns.race_readings),
    "reach": Quantity(whole_games.found, again=whole_games.reach_again),
    "arrivals": Quantity(whole_games.found, again=whole_games.arrivals_again),
    "perfect-plies": Quantity(whole_games.found, unit="plies", again=whole_games.plies_again),
    "opening": Quantity(whole_games.found, unit="chance", again=whole_games.opening_again),
    "move-chance": Quantity(whole_games.found, unit="chance", again=whole_games.move_again),
    "centre-worth": Quantity(whole_games.found, again=whole_games.centre_again),
    "share": Quantity(whole_games.share, again=whole_games.share_again),
    "win-rate": Quantity(whole_games.win_rate, unit="chance", again=whole_games.share_again),
    "network": Quantity(whole_games.network),
    "best-against": Quantity(whole_games.best_against),
    "shortest-game": Quantity(whole_games.shortest_game, readings=whole_games.shortest_readings),
    "longest-layer": Quantity(whole_games.found),
    "longest-least": Quantity(whole_games.longest_least),
    "by-home": Quantity(whole_games.by_home, readings=whole_games.by_home_readings, unit="log10"),
    "afterstates": Quantity(
        whole_games.afterstates, readings=whole_games.afterstates_readings, unit="states"
    ),
    "regret-factor": Quantity(whole_games.factor, readings=whole_games.factor_readings),
    "implied-decisions": Quantity(whole_games.implied),
}


def describe(params: Params) -> str:
    """Return parameters as text: ``raposo-program, bell, p = 7``."""
    parts = []
    for key, value in params.items():
        if key == "pieces":
            parts.append(f"p = {value}" if isinstance(value, int) else f"p {value}")
        elif key == "tiles":
            parts.append(f"t = {value[0]}, t' = {value[1]}")
        elif key in ("own", "ours", "about", "found", "within"):
            continue  # parameters used by readings only, and values recorded
        elif key in ("form", "path", "dice", "rules", "what", "game", "agent"):
            parts.append(str(value))
        else:
            parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)

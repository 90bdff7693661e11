"""The quantities behind the published figures, each a function of its parameters.

A quantity is a function from parameters to a number, a range or a text. Parameters that a figure's
``readings`` change select other meanings of the source's words, or slips that it may have made.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from urcx.published.quantities import dice, games, solved, states, strategy, whole_games
from urcx.published.rounding import Params, Value


def _nalimov_decides(params: Params) -> str:
    """Return how much Michon's procedure decides, as he describes it or in another reading."""
    return str(params["own"][params["reading"]] if "reading" in params else params["found"])


QUANTITIES: dict[str, Callable[[Params], Value]] = {
    "states": states.published_states,
    "branches": states.published_branches,
    "mean-branches": states.mean_branches,
    "log10": states.log10,
    "bits": states.published_bits,
    "path-size": states.path_size,
    "michon-f": states.michon_f,
    "michon-f-line": states.michon_f_line,
    "positions-a-diagram": states.positions_a_diagram,
    "dice-chance": dice.dice_chance,
    "dice-mean": dice.dice_mean,
    "sequence-chance": dice.published_sequence,
    "sequence-class": dice.sequence_class,
    "orders": dice.published_orders,
    "with-sum": dice.with_sum,
    "sum-chance": dice.sum_chance,
    "likeliest-length": dice.likeliest_length,
    "any-of": dice.chance_of_any,
    "pairs-likelier": dice.pairs_likelier,
    "dice-extreme": dice.dice_extreme,
    "substitute": dice.published_substitute,
    "expected-count": dice.expected_count,
    "counts-chance": dice.published_counts,
    "deviations": dice.deviations,
    "normal-interval": dice.normal_interval,
    "coverage": dice.coverage,
    "rush": dice.published_rush,
    "rush-rolls": dice.rush_rolls,
    "rush-path": dice.rush_path,
    "rush-games": dice.rush_games,
    "journey": dice.journey_time,
    "journey-hit": dice.journey_hit,
    "journey-rule": dice.journey_rule,
    "turns-against-rule": dice.turns_against_rule,
    "war-tiles-passed": dice.war_tiles_passed,
    "rules-pieces": games.rules_pieces,
    "rolls": dice.rolls,
    "granting-rosettes": games.granting_rosettes,
    "solver-map": states.solver_map,
    "mini-terms": states.mini_terms,
    "shape": states.shape,
    "largest-at": states.largest_at,
    "peak": states.peak,
    "bound": states.bound,
    "order": states.order,
    "smallest": states.smallest,
    "largest-two": states.largest_two,
    "similar": states.similar,
    "higher": states.higher,
    "rosette-steps": states.rosette_steps,
    "conflict-symmetry": states.conflict_symmetry,
    "below": states.published_below,
    "ratio": states.published_ratio,
    "nodes-a-day": states.nodes_a_day,
    "days": states.days,
    "nalimov-decides": _nalimov_decides,
    "measure": games.published_measure,
    "wins": games.published_wins,
    "power": states.power_of,
    "power-log10": states.power_log10,
    "alone": games.alone_measure,
    "other-game": states.other_game,
    "compared": states.compared,
    "gain": strategy.gained,
    "gain-terms": strategy.terms,
    "gain-best": strategy.best_gain,
    "gain-signs": strategy.signs,
    "gain-walks-on": strategy.walks_on,
    "gain-attacks": strategy.attacks,
    "danger": strategy.danger,
    "danger-less": strategy.danger_less,
    "capture-sequences": strategy.shortest_gain,
    "capture-sequence": strategy.shortest_chance,
    "war-zone": strategy.war_zone,
    "evaluation": games.evaluation,
    "close-moves": solved.close,
    "better-move": solved.better_move,
    "tolerance": solved.tolerance,
    "storage-order": solved.storage_order,
    "key-bits": solved.key_bits,
    "arrangements": dice.published_arrangements,
    "dice-outcomes": dice.dice_outcomes,
    "against": states.size_against,
    "share-of-time": states.share_of_time,
    "captures-a-turn": strategy.captures_a_turn,
    "roll-and-capture": strategy.roll_and_capture,
    "race": strategy.race,
    "reach": whole_games.found,
    "arrivals": whole_games.found,
    "perfect-plies": whole_games.found,
    "opening": whole_games.found,
    "move-chance": whole_games.found,
    "centre-worth": whole_games.found,
    "share": whole_games.share,
    "win-rate": whole_games.win_rate,
    "network": whole_games.network,
    "best-against": whole_games.best_against,
    "shortest-game": whole_games.shortest_game,
    "longest-layer": whole_games.found,
    "longest-least": whole_games.longest_least,
    "by-home": whole_games.by_home,
    "afterstates": whole_games.afterstates,
    "regret-factor": whole_games.factor,
    "implied-decisions": whole_games.implied,
}

# What a recorded value rests on, computed in minutes from the solved game in a file.
AGAIN: dict[str, Callable[[Params, Path], float | Fraction]] = {
    "reach": whole_games.reach_again,
    "arrivals": whole_games.arrivals_again,
    "perfect-plies": whole_games.plies_again,
    "opening": whole_games.opening_again,
    "move-chance": whole_games.move_again,
    "centre-worth": whole_games.centre_again,
    "share": whole_games.share_again,
    "win-rate": whole_games.share_again,
}


def describe(params: Params) -> str:
    """Return parameters as text: ``raposo-program, bell, p = 7``."""
    parts = []
    for key, value in params.items():
        if key == "pieces":
            parts.append(f"p = {value}" if isinstance(value, int) else f"p {value}")
        elif key == "tiles":
            parts.append(f"t = {value[0]}, t' = {value[1]}")
        elif key in ("own", "ours", "found", "within"):
            continue  # parameters of readings or errors, and values recorded
        elif key in ("form", "path", "dice", "rules", "what", "game", "agent"):
            parts.append(str(value))
        else:
            parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)

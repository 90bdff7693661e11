"""Quantised tables against naive twins: codes one by one, whole games in plain Python."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from naive_simulator import Stream, bounded, shares
from test_bits import SHORT, light_wins, perfect_of

from urcx.contrib.learning import quantised_tables
from urcx.contrib.learning.quantised_tables import QuantisedTables
from urcx.contrib.learning.quantisers import KINDS, Array, Quantiser
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

pytestmark = pytest.mark.jit  # solves games of some 10,000 states


def tables_of(rules: RuleSet, threads: int = 1) -> QuantisedTables:
    return QuantisedTables(rules, perfect_of(rules)[0], seed=5, threads=threads)


@pytest.mark.parametrize("store", ["f64", "u16"])
@pytest.mark.parametrize("kind", KINDS)
def test_codes_number_the_cells(kind: str, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    perfect, _ = perfect_of(SHORT)
    if store == "u16":  # as a large tablebase with rounded values
        monkeypatch.setattr(quantised_tables, "FEW_STATES", 0)
        perfect = perfect._replace(
            values=np.rint(perfect.values * 65535).astype(np.uint16), certain=65535.0
        )
    made = QuantisedTables(SHORT, perfect, seed=5, threads=2)
    for bits in (1, 3, 8, 12):
        quantiser = made.quantiser(kind, bits)
        player, entropy = made.player(quantiser)
        values = [float(value) / perfect.certain for value in perfect.values]
        codes = [1 + sum(bool(bound <= v) for bound in quantiser.bounds) for v in values[:300]]
        assert player.values[:300].tolist() == codes
        assert player.values.dtype == (np.uint16 if store == "u16" else np.float64)
        assert player.certain == len(quantiser.bounds) + 2
        _, counts = np.unique(player.values, return_counts=True)
        share = counts / len(values)
        assert entropy == pytest.approx(-sum(share * np.log2(share)))
        assert entropy <= bits


def test_a_state_has_the_mirrored_code_from_the_other_side() -> None:
    """The first pitfall: chances are reflected at 1/2, so codes are reflected at the middle one."""
    made = tables_of(SHORT)
    for kind in KINDS:
        quantiser = made.quantiser(kind, 4)
        for value in made.perfect.values[:200]:
            if abs(value - quantiser.bounds).min() > 1e-9:
                codes = [1 + int((quantiser.bounds <= v).sum()) for v in (value, 1.0 - value)]
                assert sum(codes) == quantiser.certain


def weighed(rules: RuleSet, games: int, seed: int) -> tuple[Array, Array]:
    """Return what `QuantisedTables.decisions` does, by games of perfect play in plain Python."""
    grid, narrow = quantised_tables.COARSE_GRID, quantised_tables.NARROW
    jumps, near = np.zeros((grid, grid)), np.zeros(grid)
    slots = [roll for roll, share in zip(rules.dice.rolls, shares(rules.dice), strict=True)
             for _ in range(share)]  # fmt: skip
    light = light_wins(rules, perfect_of(rules)[0])
    for game in range(games):
        stream = Stream.of(seed, game)
        position = Position(light_to_move=game % 2 == 0)
        while rules.pieces not in position.home:
            slot = None
            while slot is None:
                slot = bounded(stream.bits() >> 32, len(slots))
            moves = sorted(naive.moves(position, slots[slot], rules), key=lambda move: move[0])
            if not moves:
                position = naive.passed(position)
                continue
            values = [float(light(after)) for *_, after in moves]
            if not position.light_to_move:
                values = [1.0 - value for value in values]
            best = max(values)
            if len(moves) > 1 and best < 1.0:
                down = sorted(values, reverse=True)
                costs = [best - sum(down[: k + 1]) / (k + 1) for k in range(len(down))]
                at = [min(int(value * grid), grid - 1) for value in down]
                for k in range(1, len(down)):
                    jumps[at[0], at[k]] += costs[k] - costs[k - 1]
                if (gap := best - down[1]) < narrow:
                    near[at[0]] += (1 - gap / narrow) * gap / 2 / narrow**2
            position = moves[values.index(best)][2]
    return jumps, near


def test_decisions_are_those_of_games_played_naively(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised_tables, "GAMES", 30)
    monkeypatch.setattr(quantised_tables, "COARSE_GRID", 64)
    monkeypatch.setattr(quantised_tables, "GAMES_CHUNK", 7)
    jumps, near = weighed(SHORT, 30, seed=5)
    assert jumps.sum() > 0.0
    for threads in (1, 2):
        found = tables_of(SHORT, threads).decisions
        assert found[0] == pytest.approx(jumps, abs=1e-9)
        assert found[1] == pytest.approx(near, abs=1e-6)


def test_values_are_counted_by_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised_tables, "GRID", 32)
    monkeypatch.setattr(quantised_tables, "CHUNK", 50)
    made = tables_of(SHORT)
    expected = [0] * 32
    for value in made.perfect.values:
        expected[min(int(value * 32), 31)] += 1
    assert made.counts.tolist() == expected


def test_the_kinds_differ() -> None:
    made = tables_of(SHORT)
    found: list[Quantiser] = [made.quantiser(kind, bits) for kind in KINDS for bits in (3, 9)]
    assert all(len(one.bounds) == (1 << one.bits) - 1 for one in found)
    assert len({one.bounds.tobytes() for one in found}) == len(found)

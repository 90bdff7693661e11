"""The keys of the .rgu format, by hand and as published, and a file that another program wrote."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_values import made_up

import urcx
from urcx.solving.checking import check_tablebase
from urcx.solving.files import rgu_keys
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.rgu_keys import Keys
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.solution import solve

# finkel2p.rgu is a map that RoyalUr-Java publishes (MIT, 2023 RoyalUr.net): finkel with 2 pieces,
# percent16, 78,243 bytes. It is not part of this package; where it is at hand, name it in
# URCX_FINKEL2P_RGU. Without it, what its keys and values hash to still stands here.
PUBLISHED = Path(os.environ.get("URCX_FINKEL2P_RGU", "finkel2p.rgu"))
PUBLISHED_ENTRIES = 12_990
PUBLISHED_KEYS = "49a793b8796f900acd9dd51889d2839d4581d96392731d6a0a7bdf7be27e9ace"
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_file(), reason="URCX_FINKEL2P_RGU names no file"
)

TWO = replace(urcx.ruleset("finkel"), pieces=2)
START = urcx.parse_position("-/-/0-0/L")


def test_keys_by_hand() -> None:
    keys = Keys(LayerOrder(TWO))
    assert keys.segment_bits == [10]
    assert keys.bits == 28
    pools, light = 1 << 25 | 1 << 22, 6 + 10
    # Step 4 is A1 and C1, step 13 A8 and C8: the first and last private tiles by rows.
    assert keys.key(urcx.parse_position("4/13/0-0/L")) == pools | 1 << light | 1 << 5
    # B8 is the last of the shared tiles: the words 00000001 and 00000002 are the ranks 1 and 2.
    assert keys.key(urcx.parse_position("-/12/0-0/L")) == 2 << 25 | 1 << 22 | 1 << 6
    assert keys.key(urcx.parse_position("12/-/0-0/L")) == 1 << 25 | 2 << 22 | 2 << 6
    # 22110000 is the last of 885 words.
    assert keys.key(urcx.parse_position("5,6/7,8/0-0/L")) == 884 << 6


@pytest.mark.parametrize(
    ("name", "pieces", "bits", "maps", "total"),
    # The number of states of finkel, won ones included, is published.
    [("finkel", 7, 31, 1, 137_892_016), ("masters", 7, 34, 4, None), ("aseb", 2, 32, 1, None)],
)
def test_how_many_entries(name: str, pieces: int, bits: int, maps: int, total: int | None) -> None:
    keys = Keys(LayerOrder(replace(urcx.ruleset(name), pieces=pieces)))
    assert (keys.bits, keys.maps) == (bits, maps)
    assert sum(keys.counts) == keys.total
    assert total in (None, keys.total)


def test_no_segment_is_a_bit_short() -> None:
    for tiles in (6, 8):
        digits = rgu_keys.ternary(tiles)
        for pieces in range(1, 8):
            words = int((((digits == 1).sum(0) <= pieces) & ((digits == 2).sum(0) <= pieces)).sum())
            assert words <= 1 << rgu_keys.segment_bits(words)


def test_the_keys_of_the_published_file(tmp_path: Path) -> None:
    file = tmp_path / "two.rgu"
    with open_tablebase(made_up(tmp_path / "two.urcx", TWO, "u16")) as base:
        export_rgu(base, file, "percent16")
    data = file.read_bytes()[-6 * PUBLISHED_ENTRIES : -2 * PUBLISHED_ENTRIES]
    assert hashlib.sha256(data).hexdigest() == PUBLISHED_KEYS


@needs_published
def test_the_published_file() -> None:
    assert PUBLISHED.stat().st_size == 78_243
    with open_rgu(PUBLISHED) as found:
        assert found.rules == TWO
        assert found.store == "percent16"
        assert found.keys.total == PUBLISHED_ENTRIES
        # One piece left each, on the last tile or the last but one: exact chances.
        for text, value in (
            ("14/14/1-1/L", 4 / 7),
            ("13/14/1-1/L", 116 / 161),
            ("14/13/1-1/D", 116 / 161),
        ):
            assert found.probe(urcx.parse_position(text)) == pytest.approx(value, abs=1e-5)
        assert found.probe(START) == pytest.approx(0.51858, abs=1e-5)


@pytest.mark.jit
@needs_published
def test_the_published_values_are_ours(tmp_path: Path) -> None:
    solve(TWO, tmp_path / "two.urcx")
    with open_tablebase(tmp_path / "two.urcx") as base, open_rgu(PUBLISHED) as found:
        for layer in base.order.layers:
            for rank in range(base.order.size(layer)):
                position = base.order.position(layer, rank)
                # Half a unit of the rounding, and what it says that values last changed by.
                error = abs(found.probe(position) - base.probe(position))
                assert found.claimed is not None
                assert error <= 0.5 / 65535 + found.claimed
        assert check_tablebase(found).damaged == ()
        export_rgu(base, tmp_path / "two.rgu", "percent16")
        with open_rgu(tmp_path / "two.rgu") as ours:
            assert ours._keys.tobytes() == found._keys.tobytes()
            differ = np.abs(ours._values.astype(int) - found._values)
            assert differ.max() <= 1
            # Chances so near the middle of two units that the last digits computed decide.
            assert np.count_nonzero(differ) <= 10

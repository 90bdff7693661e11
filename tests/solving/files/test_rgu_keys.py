"""The keys of the .rgu format, by hand and as published, and a file that another program wrote."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from made_up_values import made_up

import urcx
from urcx.engine.files.sealed import Members
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
# The same table as it was published in February 2024.
OLD_HEADER = (
    b'{"author":"Padraig Lamont","game_settings":{"board_shape":"Standard","paths":"Bell",'
    b'"dice":"FourBinary","start_pieces":2,"safe_rosettes":true,"rosettes_grant_rolls":true,'
    b'"captures_grant_rolls":false}}'
)
OLD_KEYS = "5b2d7955e2b72bd1d4835142df5edb573f1e6b7666f8cd8da15fe74a0f026276"
OLD = Path(__file__).with_name("old-header.rgu")  # one piece, with a header of spring 2024
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_file(), reason="URCX_FINKEL2P_RGU names no file"
)

pytest_plugins = ["solved_games"]

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


def old_key(position: urcx.Position, words: dict[tuple[int, ...], int]) -> int:
    """Return the key that a state of finkel with two pieces had before March 2024."""
    lane = [0] * 8
    for digit, steps in ((1, position.dark), (2, position.light)):
        for step in steps:
            if 5 <= step <= 12:
                lane[step - 5] = digit
    rows = [4, 3, 2, 1, 14, 13]  # the steps of private tiles, from the first row to the last
    dark, light = (
        sum(1 << rows.index(step) for step in steps if step in rows)
        for steps in (position.dark, position.light)
    )
    pools = (2 - len(position.light) - position.home[0], 2 - len(position.dark) - position.home[1])
    return pools[0] << 28 | pools[1] << 25 | light << 19 | words[tuple(lane)] << 6 | dark


def test_a_table_with_words_of_seven_pieces(tmp_path: Path, two_pieces: Path) -> None:
    all_words = product(range(3), repeat=8)
    fitting = (word for word in all_words if max(word.count(1), word.count(2)) <= 7)
    words = {word: k for k, word in enumerate(fitting)}
    with open_tablebase(two_pieces) as base:
        order = base.order
        states = [
            (old_key(position, words), round(65535 * value))
            for layer in (*order.layers, (2, 0), (2, 1))
            for rank in range(order.size(layer))
            for position in [order.position(layer, rank)]
            for value in [1.0 if layer[0] == 2 else base.probe(position)]
        ]
        keys, values = np.array(sorted(states)).T
        data = keys.astype(">u4").tobytes()
        assert hashlib.sha256(data).hexdigest() == OLD_KEYS
        head = (
            len(OLD_HEADER).to_bytes(4, "big")
            + OLD_HEADER
            + np.array([1, len(keys)], ">u4").tobytes()
        )
        (tmp_path / "old.rgu").write_bytes(b"RGU\0" + head + data + values.astype(">u2").tobytes())
        with open_rgu(tmp_path / "old.rgu") as old:
            assert (old.rules, old.store, old.author) == (TWO, "percent16", "Padraig Lamont")
            assert old.keys.total == PUBLISHED_ENTRIES
            for layer, damaged in old.damaged():
                assert not damaged
                if layer[0] < 2:
                    assert old.layer(layer) == pytest.approx(base.layer(layer), abs=0.51 / 65535)
            for text in ("-/-/0-0/L", "5,6/7,8/0-0/D", "14/13/1-1/L", "4/12/0-1/D"):
                position = urcx.parse_position(text)
                assert old.probe(position) == pytest.approx(base.probe(position), abs=0.51 / 65535)


def test_old_names_with_the_words_of_today() -> None:
    with open_rgu(OLD) as old:
        assert old.rules == replace(TWO, pieces=1)
        assert old.store == "percent16"
        assert old.probe(START) == pytest.approx(0.53005, abs=1e-5)
        assert not any(damaged for _, damaged in old.damaged())


@pytest.mark.parametrize(
    ("path", "board", "dice", "name"),
    [
        ("Masters", "Standard", "ThreeBinary0Max", "masters"),
        ("Aseb", "Aseb", "fourbinary", "aseb"),
        ("masters", "Standard", "threebinary0max", "masters"),
    ],
)
def test_old_names(path: str, board: str, dice: str, name: str) -> None:
    rules = urcx.ruleset(name)
    settings = rgu_keys.game_settings(rules) | {"paths": path, "board_shape": board, "dice": dice}
    assert rgu_keys.rules_of_settings(Members(settings, "x")) == rules


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

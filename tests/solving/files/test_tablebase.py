"""Tablebases: written, probed, resumed, damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.engine.files.sealed import BLOCK, SealedWriter, checksum
from urcx.errors import PositionError, TablebaseError, UsageError
from urcx.rules.model import RuleSet
from urcx.solving.checking import check_tablebase
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import MAGIC, TablebaseLayers, open_tablebase, write_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.solution import solve

pytest_plugins = ["solved_games"]

ONE = replace(urcx.ruleset("finkel"), pieces=1)
START = urcx.parse_position("-/-/0-0/L")


def test_probing_gives_the_chance_of_who_moves(one_piece: Path) -> None:
    with urcx.open_tablebase(one_piece) as base:
        # Another engine's opening value; what is certain; the same seen from dark's side.
        assert base.probe(START) == pytest.approx(0.5300498395248594, abs=1e-12)
        assert base.probe(urcx.parse_position("-/-/0-0/D")) == base.probe(START)
        assert base.probe(urcx.parse_position("3/-/0-1/L")) == 0.0
        assert base.probe(urcx.parse_position("3/-/0-1/D")) == 1.0
        assert base.gap is not None
        assert base.gap < 1e-12
        assert base.rules.pieces == 1


def test_what_is_released_is_read_again(tmp_path: Path, one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        export_rgu(base, tmp_path / "one.rgu", "f64")
    for opened in (open_tablebase(one_piece), open_rgu(tmp_path / "one.rgu")):
        with opened as base:
            layers = TablebaseLayers(base)
            before = layers.get((0, 0))[0].copy()
            layers.release()
            assert np.array_equal(layers.get((0, 0))[0], before)
        base.release()  # closed: nothing to let go of


def test_best_moves_and_regrets(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        position = urcx.parse_position("8/9/0-0/D")
        (move,) = base.best_moves(position, 2)
        assert move.regret == 0.0
        assert base.best_moves(position, 0) == ()
        position = urcx.parse_position("8/9/0-0/L")
        (capture,) = base.best_moves(position, 1)
        assert capture.value > base.probe(position)


def test_errors_name_what_is_missing(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        with pytest.raises(PositionError):
            base.probe(urcx.parse_position("1,2/-/0-0/L"))
        with pytest.raises(TablebaseError, match="no layer 3-0"):
            base.layer((3, 0))
        base._layers.clear()
        with pytest.raises(TablebaseError, match="no layer 0-0"):
            base.probe(START)


def resealed(solved: Path, file: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Write a tablebase again with another header and good checksums, as no damage does."""
    data = solved.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[16 : 16 + length])
    begin, size = header["data"]["begin"], header["data"]["size"]
    with file.open("wb") as stream:
        writer = SealedWriter(stream, MAGIC, length + 3000)
        for row in header["layers"]:
            row["offset"] += writer.begin - begin
        writer.write(data[begin : begin + size])
        change(header)
        writer.finish(header)
    return file


def test_writing_it_again_is_no_damage(tmp_path: Path, one_piece: Path) -> None:
    with open_tablebase(resealed(one_piece, tmp_path / "same.urcx", lambda _: None)) as base:
        assert base.probe(START) == pytest.approx(0.5300498395248594, abs=1e-12)


def old_format(data: bytes) -> bytes:
    """Return how urcx 0.1.0 wrote a file: no checksum behind the header."""
    text = b'{"format": 3, "version": "0.1.0", "store": "f64"}'
    return data[:8] + len(text).to_bytes(8, "little") + text + data[-800:]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-100], "is cut off: it has 2,"),
        (lambda data: data[:20], "cut off within its header"),
        (lambda data: data[:12], "cut off within its header"),
        (lambda data: data + b"\0", "goes on after its end"),
        (lambda data: b"x" + data[1:], "not a urcx tablebase"),
        (lambda _: b"", "not a urcx tablebase"),
        (lambda data: data.replace(b'"format"', b'"fermat"'), "header is damaged"),
        (lambda data: data.replace(b'"gap": ', b'"gap":1'), "header is damaged"),
        (lambda data: data[:8] + b"\xff" * 8 + data[16:], "cut off within its header"),
        (lambda data: data[:8] + b"\1" + data[9:], "header is damaged"),
        (lambda data: data[:-1] + b"x", "its checksums are damaged"),
        (old_format, "format 3 of an older urcx.*write it again with urcx solve"),
    ],
)
def test_damaged_files_are_refused(
    tmp_path: Path, one_piece: Path, change: Callable[[bytes], bytes], says: str
) -> None:
    file = tmp_path / "bad.urcx"
    file.write_bytes(change(one_piece.read_bytes()))
    with pytest.raises(TablebaseError, match=says):
        open_tablebase(file)


def nested(header: dict[str, Any]) -> None:
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    header["rules"]["light"] = deep


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda h: h.pop("gap"), "the header has no gap"),
        (lambda h: h.update(gap=None), "gap is null, not a number from 0 to 1"),
        (lambda h: h.update(gap=True), "gap is true, not a number"),
        (lambda h: h.update(gap="1e-12"), 'gap is "1e-12", not a number'),
        (lambda h: h.update(gap=float("nan")), "header is damaged"),
        (lambda h: h.update(gap=-1e-3), "gap is -0.001, not"),
        (lambda h: h.update(format=9), "has a format that this version"),
        (lambda h: h.update(format="4"), "has a format that this version"),
        (lambda h: h.update(store="f99"), 'store is "f99", not one of f64, f32, u16'),
        (lambda h: h.update(store=["f64"]), "store is a list, not one of"),
        (lambda h: h.update(store="f32"), "its layers need 896 bytes, .* 1,792"),
        (lambda h: h.update(rules=[]), "rules is a list, not an object"),
        (lambda h: h["rules"].update(name="\x1b]0;gotcha\x07"), r"name is \"\\u001b]0;gotcha"),
        (lambda h: h["rules"].update(name="no name"), 'rules.name is "no name", not lower-case'),
        (lambda h: h["rules"].update(pieces=2), "layers is a list, not a list of 4 to 4 items"),
        (lambda h: h["rules"].update(pieces=10**17), "rules.pieces is 100000000000000000, not"),
        (lambda h: h["rules"].update(pieces=10**30), "header is damaged"),
        (lambda h: h["rules"].pop("rolls"), "has no rules.rolls"),
        (
            lambda h: h["rules"].update(rolls=[4, 3, 2, 1, 0]),
            "rules.rolls is a list, not increasing",
        ),
        (lambda h: h["rules"].update(probabilities=["1/0"] * 5), "not a fraction above 0"),
        (lambda h: h["rules"].update(probabilities=["1/16"] * 5), "not a fraction above 0"),
        (lambda h: h["rules"].update(light=["A4"] * 60), "rules.light is a list, not a list of 1"),
        (lambda h: h["rules"].update(light=["A4", "B1\n"]), "not a list of tiles such as B4"),
        (lambda h: h["rules"].update(light=["A4", "B1"]), "the header's rules: the path"),
        (lambda h: h["rules"].update(rosette_protects=1), "rosette_protects is 1, not true or"),
        (lambda h: h["rules"].update(rosette_grants_roll=["A1"]), "not the same steps for both"),
        (lambda h: h["rules"].update(rosette_grants_roll=["B3"]), "not true, false or some of"),
        (lambda h: h["rules"].update(rosette_grants_roll=[]), "not a list of 1 to 5 items"),
        (nested, "not a list of 1 to 54|not a list of tiles"),
        (lambda h: h.update(layers=[[]]), r"layers\[0\] is a list, not an object"),
        (lambda h: h["layers"][0].update(states=220), "number of states of layer"),
        (lambda h: h["layers"][0].update(states=10**9), "its layers need 8,000,000,000 bytes"),
        (lambda h: h["layers"][0].update(offset=3), "offset is 3, not "),
        (lambda h: h["layers"][0].update(gap=1), r"layers\[0\].gap is 1, not a number from 0 to"),
        (lambda h: h["layers"][0].update(light=1), "light is 1, not an integer from 0 to 0"),
    ],
)
def test_headers_that_are_none_of_ours_end_in_one_line(
    tmp_path: Path, one_piece: Path, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    file = resealed(one_piece, tmp_path / "bad.urcx", change)
    with pytest.raises(TablebaseError, match=says) as found:
        open_tablebase(file)
    assert str(found.value).isprintable()


def test_json_that_is_nested_too_deeply_ends_in_one_line(tmp_path: Path, one_piece: Path) -> None:
    data = one_piece.read_bytes()
    text = b'{"format": 4, "rules": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    head = data[:8] + len(text).to_bytes(8, "little") + text
    (tmp_path / "bad.urcx").write_bytes(head + checksum(head) + data[-800:])
    with pytest.raises(TablebaseError, match="the header is damaged"):
        open_tablebase(tmp_path / "bad.urcx")


def test_a_flipped_bit_is_found_wherever_values_are_read(tmp_path: Path, one_piece: Path) -> None:
    file, data = tmp_path / "bad.urcx", bytearray(one_piece.read_bytes())
    data[-70] ^= 1
    file.write_bytes(data)
    with open_tablebase(file) as base:
        checked = check_tablebase(base, threads=1)
        assert checked.damaged == ((0, 0),)
        assert (checked.residual, checked.bound) == (None, None)
        says = r"bad.urcx is damaged \(layer 0-0\).*urcx solve"
        for read in (
            lambda: base.probe(START),
            lambda: base.best_moves(START, 1),
            lambda: base.layer((0, 0)),
            lambda: TablebaseLayers(base).get((0, 0)),
            lambda: export_rgu(base, tmp_path / "x.rgu", "f64"),
            lambda: urcx.regret("random", ONE, tablebase=file),
            lambda: urcx.simulate(f"optimal:{file}", "random", ONE, games=1),
        ):
            with pytest.raises(TablebaseError, match=says):
                read()
    assert [p.name for p in tmp_path.iterdir()] == ["bad.urcx"]


def test_only_the_block_that_is_read_is_verified(tmp_path: Path) -> None:
    """Damage elsewhere does not keep a position from being probed: files are large."""
    file = tmp_path / "two.urcx"
    order = LayerOrder(replace(ONE, pieces=2))
    write_tablebase(file, order, lambda layer: (np.full(order.size(layer), 0.5), 0.0), "f64")
    with open_tablebase(file) as base:
        assert base.rows[0, 0].offset + 8 * order.place(START)[1] > BLOCK + base.rows[1, 1].offset
    data = bytearray(file.read_bytes())
    data[base.rows[1, 1].offset] ^= 1
    file.write_bytes(data)
    with open_tablebase(file) as base:
        assert base.probe(START) == 0.5
        with pytest.raises(TablebaseError, match="layer 1-1"):
            base.layer((1, 1))


@pytest.mark.parametrize("value", [np.nan, -0.1, 1.5, np.inf])
def test_values_that_are_no_chances_are_damage(tmp_path: Path, value: float) -> None:
    """Whoever wrote them: agents rely on values that can be compared."""
    file = tmp_path / "odd.urcx"
    order = LayerOrder(ONE)
    write_tablebase(file, order, lambda layer: (np.full(order.size(layer), value), 0.0), "f32")
    with open_tablebase(file) as base:
        with pytest.raises(TablebaseError, match="damaged"):
            base.probe(START)
        with pytest.raises(TablebaseError, match="damaged"):
            base.layer((0, 0))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(TablebaseError, match="cannot read"):
        open_tablebase(tmp_path / "none.urcx")
    with pytest.raises(UsageError, match="unknown store 'f16'"):
        solve(ONE, store="f16")
    with pytest.raises(TablebaseError, match="cannot write"):
        solve(ONE, tmp_path / "nowhere" / "x.urcx", threads=1)


@pytest.mark.jit
def test_the_optimal_agent_plays_by_a_file_or_on_the_fly(tmp_path: Path) -> None:
    rules: RuleSet = replace(ONE, pieces=2)
    file = tmp_path / "two.urcx"
    solve(rules, file)
    by_file, on_the_fly = (
        urcx.simulate(agent, "greedy", rules, games=2000, seed=4)
        for agent in (f"optimal:{file}", "optimal")
    )
    assert by_file.wins("light") > 0.6 * len(by_file)
    assert (by_file.counts == on_the_fly.counts).all()
    with pytest.raises(TablebaseError, match="with 2 pieces, not of finkel with 7"):
        urcx.simulate(f"optimal:{file}", games=2)


def test_optimal_needs_a_file_where_there_are_many_states() -> None:
    with pytest.raises(urcx.UrcxError, match="urcx solve --rules finkel "):
        urcx.simulate("optimal", games=2)
    with pytest.raises(UsageError, match="does not use a file"):
        urcx.agent("greedy:x.urcx")

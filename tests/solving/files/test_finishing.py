"""A finished file that is written while its layers are still being solved."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from own_rules import own

from urcx.errors import TablebaseError
from urcx.solving.files import tablebase, work
from urcx.solving.files.finishing import FinishedFile
from urcx.solving.files.tablebase import open_tablebase, write_tablebase
from urcx.solving.files.work import WorkStore
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import Values

RULES = own("tiny")


@pytest.fixture
def order() -> LayerOrder:
    return LayerOrder(RULES)


@pytest.fixture
def made(order: LayerOrder) -> dict[Layer, tuple[Values, float]]:
    """Return made-up layers."""
    chance = np.random.default_rng(3)
    return {layer: (chance.random(order.size(layer)), 1e-13) for layer in order.layers}


def part_of(file: Path) -> Path:
    return file.with_name(f".{file.name}.part")


@pytest.mark.parametrize("store", ["f64", "u16"])
def test_layers_are_written_as_they_come(
    store: str,
    order: LayerOrder,
    made: dict[Layer, tuple[Values, float]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tablebase, "CHUNK", 100)  # several parts a layer
    file, kept = tmp_path / "one.urcx", WorkStore(tmp_path / "one.work", order, 1e-12)
    shown: list[int] = []
    with FinishedFile(file, order, kept, store) as finished:
        done = 0
        for layer in order.layers:
            kept.put(layer, *made[layer])
            done += order.size(layer)
            until = time.monotonic() + 20
            while finished._done < done and time.monotonic() < until:
                time.sleep(0.01)
            assert finished._done == done
            assert part_of(file).exists() or layer == order.layers[-1]
        size = finished.finish(shown.append)
    assert shown[-1] == sum(map(order.size, order.layers))
    at_once = tmp_path / "at-once.urcx"
    assert write_tablebase(at_once, order, made.__getitem__, store) == size
    assert at_once.read_bytes() == file.read_bytes()
    with open_tablebase(file) as base:
        assert not any(damaged for _, damaged in base.damaged())


def test_nothing_is_left_of_it_where_solving_fails(
    order: LayerOrder, made: dict[Layer, tuple[Values, float]], tmp_path: Path
) -> None:
    file, kept = tmp_path / "one.urcx", WorkStore(tmp_path / "one.work", order, 1e-12)
    kept.put(order.layers[0], *made[order.layers[0]])
    with pytest.raises(KeyboardInterrupt), FinishedFile(file, order, kept, "f64"):
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["one.work"]
    assert WorkStore(tmp_path / "one.work", order, 1e-12).resumed == 1


def test_a_layer_that_is_damaged_or_gone_is_told(
    order: LayerOrder, made: dict[Layer, tuple[Values, float]], tmp_path: Path
) -> None:
    file, kept = tmp_path / "one.urcx", WorkStore(tmp_path / "one.work", order, 1e-12)
    for layer in order.layers[:-1]:
        kept.put(layer, *made[layer])
    with FinishedFile(file, order, kept, "f64") as finished:
        i, j = order.layers[-1]
        with pytest.raises(TablebaseError, match=f"layer {i}-{j} is gone from the disk; run again"):
            finished.finish(lambda _: None)
    kept.put(order.layers[-1], *made[order.layers[-1]])
    i, j = order.layers[0]
    damaged = tmp_path / "one.work" / f"{i}-{j}.layer"
    whole = bytearray(damaged.read_bytes())
    whole[-work.ROOM // 2] ^= 1
    damaged.write_bytes(whole)
    with (
        FinishedFile(file, order, kept, "f64") as finished,
        pytest.raises(TablebaseError, match=f"{i}-{j}.layer"),
    ):
        finished.finish(lambda _: None)
    assert not file.exists()
    assert not part_of(file).exists()

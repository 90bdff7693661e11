from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own
from owners import give_away
from small_levels import look_for, ranking_once

import urcx
from urcx.agents import levels
from urcx.agents.levels import (
    ValueTable,
    last_level,
    level_file,
    level_memory,
    unusable,
    value_type,
)
from urcx.agents.search import LEAVES, Lookahead
from urcx.engine import memory
from urcx.engine.files.sealed import SealedWriter
from urcx.errors import OutOfDomainError, TooLargeError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@pytest.fixture(autouse=True)
def quick_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "ranking_for", ranking_once)


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_values_that_do_not_fit_32_bits_take_64() -> None:
    rules = own("finkel", pieces=1)
    deep = look_for(rules, 8)  # 16^7 = 2^28
    assert value_type(look_for(rules, 7)) is np.int32
    assert value_type(deep) is np.int64
    level = last_level(rules, deep, keep=False)
    assert level.values.dtype == np.int64
    assert int(np.abs(level.values).max()) == deep.won * int(deep.scales[-1]) > 2**31
    assert level_memory(1000, deep) - level_memory(1000, look_for(rules, 7)) == 8000


def test_progress_ends_with_all_states_of_all_levels() -> None:
    rules = own("finkel", pieces=1)
    told: list[int] = []
    last_level(rules, look_for(rules, 4), keep=False, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 4 * 248  # three levels and the leaves


def test_progress_can_interrupt(cache_dir: Path) -> None:
    rules = own("finkel", pieces=1)

    def interrupt(done: int) -> None:
        if done > 248:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        last_level(rules, look_for(rules, 3), progress=interrupt)
    assert files(cache_dir) == []


def files(directory: Path) -> list[Path]:
    return [file for file in directory.rglob("*") if file.is_file()]


def both(rules: RuleSet, look: Lookahead) -> tuple[ValueTable, ValueTable]:
    return last_level(rules, look), last_level(rules, look)


def test_the_second_call_reads_what_the_first_has_kept(cache_dir: Path) -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 3)
    first, second = both(rules, look)
    assert (first.new, second.new) == (True, False)
    assert first.file == second.file == level_file(rules, look)
    assert files(cache_dir) == [level_file(rules, look)]
    assert np.array_equal(first.values, second.values)
    third = last_level(rules, look, keep=False)
    assert np.array_equal(third.values, first.values)
    assert not second.values.flags.writeable
    assert not third.values.flags.writeable


def test_what_means_something_else_is_kept_elsewhere() -> None:
    finkel = own("finkel", pieces=1)
    looks = [
        (finkel, look_for(finkel, 3)),
        (finkel, look_for(finkel, 4)),
        (finkel, look_for(finkel, 4, few=True)),
        (finkel, look_for(finkel, 3, "advance+centre")),
    ]
    board = replace(finkel.path.board, rosettes=frozenset({"B4"}))
    few = replace(finkel, path=replace(finkel.path, board=board))
    looks.append((few, look_for(few, 3)))
    kept = {level_file(rules, look) for rules, look in looks}
    assert len(kept) == len(looks)


def another(file: Path, array: np.ndarray[Any, Any], **header: str) -> None:
    """Write a sealed file with good checksums, but not what its name promises."""
    with file.open("wb") as stream:
        writer = SealedWriter(stream, levels.KIND, 200)
        writer.write(array.view(np.uint8))
        writer.finish({"format": levels.FORMAT, "level": file.stem, "values": "<i4", **header})


SPOILT: dict[str, Callable[[Path], object]] = {
    "text": lambda file: file.write_text("something else"),
    "another type": lambda file: another(file, np.zeros(248, np.float32), values="<f4"),
    "another size": lambda file: another(file, np.zeros(247, np.int32)),
    "another level": lambda file: another(
        file, np.zeros(248, np.int32), level="finkel-2-0123456789abcdef"
    ),
    "beyond": lambda file: another(file, np.full(248, np.iinfo(np.int32).max, np.int32)),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_file_that_cannot_be_used_is_made_again(spoil: Callable[[Path], None]) -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 3)
    first = last_level(rules, look)
    ref = first.values.copy()
    assert first.file is not None
    spoil(first.file)
    again, kept = both(rules, look)
    assert again.new
    assert np.array_equal(again.values, ref)
    assert not kept.new
    assert np.array_equal(kept.values, ref)


def test_a_cache_that_cannot_be_written_is_survived(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = cache_dir / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("URCX_CACHE_DIR", str(blocked))
    rules = own("finkel", pieces=1)
    first, second = both(rules, look_for(rules, 3))
    assert first.file is second.file is None
    assert first.new
    assert second.new
    assert files(cache_dir) == [blocked]


@pytest.mark.posix("owners and modes")
def test_a_strangers_level_is_not_believed(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 3)
    level = last_level(rules, look)
    assert level.file is not None
    assert level.file.stat().st_mode & 0o022 == 0
    assert [place.stat().st_mode & 0o777 for place in level.file.parents[:2]] == [0o700, 0o700]
    level.file.chmod(0o646)
    assert last_level(rules, look).new
    assert level.file.stat().st_mode & 0o022 == 0, "one of our own is in its place"
    give_away(level.file, monkeypatch)
    assert last_level(rules, look).new
    assert files(cache_dir) == [level.file]


def test_nothing_half_written_stays(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(writer: object, data: object) -> None:  # noqa: ARG001
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SealedWriter, "write", full)
    rules = own("finkel", pieces=1)
    level = last_level(rules, look_for(rules, 3))
    assert level.file is None
    assert level.new
    assert files(cache_dir) == []


def test_what_is_not_to_be_kept_is_neither_written_nor_read(cache_dir: Path) -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 3)
    assert last_level(rules, look, keep=False).file is None
    assert files(cache_dir) == []
    last_level(rules, look)
    assert last_level(rules, look, keep=False).new


def test_refuses_paths_without_levels() -> None:
    lame = urcx.ruleset("finkel")
    lame = replace(lame, path=replace(lame.path, name="lame", dark=lame.path.dark[:-1]))
    twice = "crosses tiles more than once"
    for rules, why in (
        (urcx.ruleset("murray"), twice),
        (urcx.ruleset("skiriuk"), twice),
        (lame, "lame differs"),
    ):
        with pytest.raises(OutOfDomainError, match=why):
            last_level(rules, look_for(rules, 2))
        assert why in unusable(rules, look_for(rules, 2))


def test_refuses_what_does_not_fit_in_memory(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = cache_dir / "meminfo"
    meminfo.write_text("MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "CGROUP", cache_dir)
    rules = urcx.ruleset("finkel")
    look = look_for(rules, 3)
    # The 137,913,936 diagrams of the closed form, two levels of four bytes each and 50 MB.
    with pytest.raises(
        TooLargeError, match=r"all 137,913,936 states of finkel needs 1\.2 GB"
    ) as said:
        last_level(rules, look)
    assert "1.0 GB are free; use fewer pieces, or --method tree" in str(said.value)
    assert unusable(rules, look) == "they need 1.2 GB of memory, and 1.0 GB are free"
    rules = own("finkel", pieces=3)
    assert unusable(rules, look_for(rules, 3)) == ""
    assert level_memory(ranking_once(rules).size, look_for(rules, 3)) < 10**9


@pytest.fixture
def quick_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the naive twin remember what it has found; hashing rules again and again is slow."""
    twin, known = naive.lookahead_value, {}

    def remembered(
        position: Position, plies: int, rules: RuleSet, leaf: str, depth: int, few: bool
    ) -> Fraction:
        key = (position, plies, id(rules), leaf, depth if few else 0)
        if key not in known:
            known[key] = twin(position, plies, rules, leaf, depth, few)
        return known[key]

    monkeypatch.setattr(naive, "lookahead_value", remembered)


def agree(rules: RuleSet, depth: int, leaf: str, few: bool, every: int = 1) -> None:
    look = look_for(rules, depth, leaf, few)
    level = last_level(rules, look, keep=False, threads=2)
    ranking = ranking_once(rules)
    scale = int(look.scales[-1])
    assert len(level.values) == ranking.size
    for rank in range(0, ranking.size, every):
        diagram = ranking.unrank(rank)
        if diagram.home == (rules.pieces, rules.pieces):
            continue  # no game comes to it
        dark_to_move = replace(diagram, light_to_move=False)
        ref = -naive.lookahead_value(dark_to_move, depth - 1, rules, leaf, depth, few)
        assert int(level.values[rank]) == ref * scale, (diagram, depth)


@pytest.mark.usefixtures("quick_twin")
@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize(
    "name",
    [
        "finkel",
        "head-on",
        # The sweeps go over 3^10 and 3^12 patterns.
        *(pytest.param(name, marks=pytest.mark.jit) for name in ("blitz", "masters", "aseb")),
    ],
)
def test_every_diagram_of_one_piece_agrees_with_the_naive_look_ahead(
    name: str, leaf: str, few: bool
) -> None:
    rules = own(name, pieces=1)
    for depth in (1, 2, 3, 5):
        agree(rules, depth, leaf, few)


@pytest.mark.usefixtures("quick_twin")
def test_every_diagram_of_two_pieces_head_on_agrees_with_the_naive_look_ahead() -> None:
    agree(own("head-on", pieces=2), 3, "advance+centre", few=False)


@pytest.mark.jit
@pytest.mark.usefixtures("quick_twin")
@pytest.mark.parametrize(
    ("name", "pieces", "depth", "leaf", "few"),
    [
        pytest.param("finkel", 2, 3, "advance+centre", False, marks=pytest.mark.slow),
        ("blitz", 2, 2, "advance", False),
        pytest.param("masters", 2, 2, "advance+centre", True, marks=pytest.mark.slow),
        pytest.param("aseb", 2, 2, "advance", True, marks=pytest.mark.slow),
        ("head-on", 3, 4, "advance+centre", True),
    ],
)
def test_diagrams_of_more_pieces_agree_with_the_naive_look_ahead(
    name: str, pieces: int, depth: int, leaf: str, few: bool
) -> None:
    agree(own(name, pieces=pieces), depth, leaf, few, every=5)


def test_values_do_not_depend_on_the_number_of_threads() -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 4)
    ref = last_level(rules, look, keep=False, threads=1).values
    for threads in (2, 3, 8):
        assert np.array_equal(ref, last_level(rules, look, keep=False, threads=threads).values)

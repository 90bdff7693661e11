from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.commands.count import MAX_RECORDS, check_records
from urcx.complexity import tiles
from urcx.engine import chunks
from urcx.enumerate import enumerator, kernels
from urcx.enumerate.enumerator import Count, layout
from urcx.enumerate.rankings.ranking import Marks
from urcx.enumerate.visitors import list_report, visit, visited
from urcx.errors import OutOfDomainError, TooLargeError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.load import load
from urcx.rules.model import Path

# Uneven on purpose: crossings 3 + 0, 1 + 2, 0 + 1, 1 + 1, and paths of different lengths.
ODD = """
[board.odd]
tiles = "A1..A4 B1"
[path.odd]
board = "odd"
light = ["A1 A2 A4", "A1", "A1"]
dark = ["A2 A3 A4", "A2 B1"]
"""


def odd_path() -> Path:
    return load("odd.toml", ODD, catalogue()).paths["odd"]


def small_paths() -> list[Path]:
    return [*(urcx.path(name) for name in urcx.path_names()), odd_path()]


@pytest.mark.parametrize(
    ("path", "pieces", "dark"),
    [(path, 1, 1) for path in small_paths()] + [(path, 1, 2) for path in small_paths()[::4]],
    ids=lambda given: getattr(given, "name", None),
)
def test_visits_what_the_naive_search_finds(path: Path, pieces: int, dark: int) -> None:
    ref = list(naive.diagrams(path, pieces, dark))
    comp = list(enumerator.diagrams(path, pieces, dark))
    assert sorted(comp) == sorted(ref)
    assert len(set(comp)) == len(comp)


@pytest.mark.parametrize("name", ["bell", "odd"])
def test_two_and_three_pieces_against_the_naive_search(name: str) -> None:
    path = odd_path() if name == "odd" else urcx.path(name)
    for pieces, dark in ((2, 2), (3, 1)):
        ref = list(naive.diagrams(path, pieces, dark))
        assert sorted(enumerator.diagrams(path, pieces, dark)) == sorted(ref)
        count = enumerator.count(path, pieces, dark)
        assert count.diagrams == len(ref)
        assert count.branches == sum(naive.branches(d, pieces) for d in ref)
        assert count.mean_branches == count.branches / len(ref)
        assert replace(count, seconds=0.5).rate == 2 * len(ref)
        assert count.dark_branches == sum(naive.branches(d.turned(), dark) for d in ref)
        assert count.checksum == naive.checksum(ref)


@pytest.mark.jit
@pytest.mark.parametrize("path", small_paths(), ids=lambda path: path.name)
@pytest.mark.parametrize(("pieces", "dark"), [(2, 2), (3, 3), (2, 4), (5, 1)])
def test_agrees_with_the_tile_polynomial(path: Path, pieces: int, dark: int) -> None:
    count = enumerator.count(path, pieces, dark)
    assert count.diagrams == tiles.diagrams(path, pieces, dark)
    assert (count.branches, count.dark_branches) == tiles.branches(path, pieces, dark)


@pytest.mark.jit
def test_result_does_not_depend_on_threads_blocks_or_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = urcx.path("skiriuk")
    results = set()
    for threads, block, seconds in ((1, 2048, 0.02), (2, 64, 1e-9), (5, 17, 1.0)):
        monkeypatch.setattr(enumerator, "BLOCK", block)
        monkeypatch.setattr(chunks, "HERE_SECONDS", seconds)
        count = enumerator.count(path, 3, threads=threads)
        results.add((count.diagrams, count.branches, count.dark_branches, count.checksum))
    assert len(results) == 1


def test_a_lost_or_doubled_diagram_changes_the_checksum() -> None:
    diagrams = list(enumerator.diagrams(urcx.path("bell"), 1))
    whole = enumerator.count(urcx.path("bell"), 1).checksum
    sums = {naive.checksum(diagrams[:k] + diagrams[k + 1 :]) for k in range(len(diagrams))}
    sums |= {naive.checksum([*diagrams, extra]) for extra in diagrams}
    assert whole not in sums
    assert len(sums) == 2 * len(diagrams)


def test_lines_are_the_diagrams_in_notation() -> None:
    path = urcx.path("bell")
    lines = "".join(enumerator.diagram_lines(path, 2)).splitlines()
    assert lines == [str(diagram) for diagram in enumerator.diagrams(path, 2)]
    assert {urcx.parse_position(line) for line in lines} == set(naive.diagrams(path, 2))


def test_search_emits_each_node_once_whatever_the_room() -> None:
    # Four slots, the first must be filled and has two options: 2 * C(3, k) sets of k + 1.
    first = np.array([0, 2, 3, 4, 5], np.int64)
    steps = np.array([[1, 0], [2, 0], [3, 1], [4, 2], [5, 3]], np.int64)
    seen: list[list[int]] = []
    for room in (4, 5, 100):
        state = np.zeros((5, 2), np.int64)
        masks = np.empty(room, np.int64)
        home = np.empty(room, np.int64)
        kernels.start_walk(state)
        collected: list[int] = []
        while state[0, 0] >= 0:
            n = kernels.place(first, steps, 4, 1, 3, False, state, masks, home)
            collected += masks[:n].tolist()
        seen.append(collected)
    assert seen[0] == seen[1] == seen[2]
    assert Counter(mask.bit_count() for mask in seen[0]) == {1: 2, 2: 6, 3: 6}
    assert all((mask & 0b11).bit_count() == 1 for mask in seen[0])


def test_kernels_do_not_write_to_the_layout() -> None:
    arrays = layout(urcx.path("murray"))
    for array in (arrays.light_first, arrays.light_steps, arrays.dark_first, arrays.dark_steps):
        assert not array.flags.writeable
    enumerator.count(urcx.path("murray"), 1)


def test_progress_is_told_what_was_visited() -> None:
    told: list[int] = []
    count = enumerator.count(urcx.path("bell"), 2, progress=told.append)
    assert told
    assert told == sorted(told)
    assert told[-1] <= count.diagrams


def test_an_interrupt_stops_the_threads() -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        enumerator.count(urcx.path("murray"), 5, progress=interrupt)
    assert threading.active_count() == before


def test_refuses_to_run_on_no_thread() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        enumerator.count(urcx.path("bell"), 1, threads=0)


@pytest.mark.parametrize("pieces", [0, -1, 256])
def test_refuses_numbers_of_pieces_it_cannot_hold(pieces: int) -> None:
    with pytest.raises(TooLargeError, match="from 1 to 255"):
        enumerator.count(urcx.path("bell"), pieces)
    with pytest.raises(TooLargeError, match="from 1 to 255"):
        enumerator.count(urcx.path("bell"), 1, pieces)


def test_refuses_paths_with_too_many_steps() -> None:
    path = own("long").path
    with pytest.raises(TooLargeError, match="60 steps"):
        enumerator.count(path, 1)
    # Sixty steps are too many on however few tiles.
    there_and_back = replace(path, light=path.light[:2] * 30, dark=path.light[:2] * 30)
    with pytest.raises(TooLargeError, match="60 steps on 2 tiles"):
        layout(there_and_back)
    assert tiles.diagrams(path, 1) == 4 + 2 * 2 * 60 + 60 * 59  # pools and tiles, by hand


@pytest.mark.jit
def test_many_pieces_home() -> None:
    # Past the tiles only the splits between pool and home grow: the block must hold them all.
    path = odd_path()
    assert enumerator.count(path, 255, 200).diagrams == tiles.diagrams(path, 255, 200)


BELL = urcx.path("bell")
FOUND = Count(BELL, 2, 1, 1000, 2345, 1500, 0x12, 0.5, 2)


def test_only_the_checksum_is_folded_where_it_is_asked_for() -> None:
    path = urcx.path("bell")
    folded, counted = visit("checksum", path, 2), visit("branches", path, 2)
    assert isinstance(folded, Count)
    assert isinstance(counted, Count)
    assert folded.checksum == urcx.count("bell", 2).checksum
    assert counted.checksum is None
    assert (counted.diagrams, counted.branches) == (folded.diagrams, folded.branches)


def test_ranks_are_those_of_the_order() -> None:
    marks = visit("ranks", urcx.path("bell"), 2, order="pattern")
    assert isinstance(marks, Marks)
    assert marks.bijective
    assert marks.size == urcx.count("bell", 2).diagrams
    with pytest.raises(OutOfDomainError):
        visit("ranks", urcx.path("murray"), 1, order="pattern")


def test_a_checksum_is_no_number() -> None:
    shown = visited("checksum", BELL, 2, 1, FOUND)
    assert shown.document()["checksum"] == "0000000000000012"
    assert ["checksum", "0000000000000012"] in shown.tables()[0].rows
    assert ["configurations per second", "2,000"] in shown.tables()[0].rows
    assert shown.records() == [shown.document()]
    assert "branches" not in shown.document()


def test_branches_only_where_asked_for() -> None:
    shown = visited("branches", BELL, 2, 1, FOUND)
    assert (shown.document()["branches"], shown.document()["mean_branches"]) == ("2345", 2.345)
    assert ["mean branches", "2.345"] in shown.tables()[0].rows
    assert "checksum" not in shown.document()


def test_ranks_that_are_no_bijection() -> None:
    shown = visited("ranks", BELL, 2, None, Marks("pattern", 10, 8, 1, 0))
    assert shown.document()["dark_pieces"] == 2
    assert shown.document()["bijective"] is False
    assert ["ranks hit repeatedly", "1"] in shown.tables()[0].rows
    assert "seconds" not in shown.document()


def test_diagrams_are_rows_as_long_as_they_fit() -> None:
    shown = list_report(BELL, 1, None, [urcx.Position()])
    assert shown.document()["rows"] == shown.records() == [{"diagram": "-/-/0-0/L"}]
    check_records(MAX_RECORDS)
    with pytest.raises(TooLargeError, match="--json"):
        check_records(MAX_RECORDS + 1)

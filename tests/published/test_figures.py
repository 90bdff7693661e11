from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from urcx.published import figures
from urcx.published.figures import FAILS, FILES, HOLDS, INCONSISTENT, VERDICTS, Figure, sources
from urcx.published.quantities.registry import QUANTITIES, describe

ENTRY = {
    "place": "Table 1",
    "quantity": "states",
    "params": {"path": "bell"},
    "pieces": [1, 2],
    "printed": ["248", "13,112"],
}


def test_one_table_of_parameters_is_multiplied_by_pieces() -> None:
    found = figures._figures("a-source", ENTRY)
    assert found == [
        Figure(
            "a-source", "Table 1", "states", {"path": "bell", "pieces": n}, text, text,
            HOLDS, "",
        )
        for n, text in ((1, "248"), (2, "13,112"))
    ]  # fmt: skip


def test_parameters_values_verdicts_and_explanations_one_by_one() -> None:
    (first, second) = figures._figures(
        "a-source",
        {
            **ENTRY,
            "params": [{"path": "bell"}, {"path": "aseb"}],
            "values": ["2e2", "1e4"],
            "verdict": [FAILS, "no claim"],
            "explanation": "one for both",
        },
    )
    assert (first.params, second.params) == ({"path": "bell"}, {"path": "aseb"})
    assert (first.printed, first.value, second.value) == ("248", "2e2", "1e4")
    assert (first.verdict, second.verdict) == (FAILS, "no claim")
    assert first.explanation == second.explanation == "one for both"


def test_readings_for_all_or_by_what_is_printed() -> None:
    by_print = {"readings": {"248": ["rounded up"]}}
    read = [f.readings for f in figures._figures("a-source", ENTRY | by_print)]
    assert read == [("rounded up",), ()]
    for_all = {"readings": ["rounded up", {"params": {"path": "aseb"}}]}
    for figure in figures._figures("a-source", ENTRY | for_all):
        assert figure.readings == ("rounded up", {"params": {"path": "aseb"}})


def test_values_that_take_minutes_are_recorded_with_how_they_were_found() -> None:
    (first, second) = figures._figures("a-source", {**ENTRY, "found": ["248", ""], "how": "once"})
    assert (first.found, first.how, first.params["found"]) == ("248", "once", "248")
    assert (second.found, second.how) == ("", "")
    assert "found" not in second.params


def test_what_does_not_come_in_equal_numbers_is_refused() -> None:
    for name, value in {"pieces": [1], "values": ["1"], "verdict": [HOLDS], "found": ["1"]}.items():
        with pytest.raises(ValueError, match="zip"):
            figures._figures("a-source", {**ENTRY, name: value})


def test_every_file_is_read_in_order() -> None:
    sources.cache_clear()
    assert tuple(source.name for source, _ in sources()) == FILES
    data = Path(figures.__file__).parent / "data"
    known = {file.stem for file in data.glob("*.toml")} - {"exact", "longest"}
    assert known == set(FILES), "a file that nothing reads"


def test_every_figure_is_complete_and_every_quantity_used() -> None:
    for source, found in sources():
        assert all(text == text.strip() != "" for text in asdict(source).values())
        assert found
        for figure in found:
            assert figure.source == source.name
            assert figure.verdict in VERDICTS
            assert figure.place
            assert figure.printed
            assert figure.explanation or figure.verdict == HOLDS, figure.place
            assert bool(figure.against) == (figure.verdict == INCONSISTENT), figure.place
            assert "{" not in describe(figure.params)
    assert {figure.quantity for _, found in sources() for figure in found} == set(QUANTITIES)


def test_no_figure_is_there_twice() -> None:
    seen = Counter(
        (f.source, f.place, f.quantity, repr(sorted(f.params.items())), f.printed)
        for _, found in sources()
        for f in found
    )
    assert not [key for key, times in seen.items() if times > 1]

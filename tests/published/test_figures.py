from __future__ import annotations

from dataclasses import asdict

import pytest

from urcx.published import figures
from urcx.published.figures import FILES, Figure, Source, sources

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
            "reproduced", "",
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
            "verdict": ["contradicted", "no claim"],
            "explanation": "one for both",
        },
    )
    assert (first.params, second.params) == ({"path": "bell"}, {"path": "aseb"})
    assert (first.printed, first.value, second.value) == ("248", "2e2", "1e4")
    assert (first.verdict, second.verdict) == ("contradicted", "no claim")
    assert first.explanation == second.explanation == "one for both"


def test_what_does_not_come_in_equal_numbers_is_refused() -> None:
    for name, value in (("pieces", [1]), ("values", ["1"]), ("verdict", ["reproduced"])):
        with pytest.raises(ValueError, match="zip"):
            figures._figures("a-source", {**ENTRY, name: value})


def test_sources_are_read_in_order_and_without_blanks() -> None:
    sources.cache_clear()
    found = sources()
    assert [source.name for source, _ in found] == list(FILES)
    for source, its in found:
        assert isinstance(source, Source)
        assert all(text == text.strip() for text in asdict(source).values())
        assert {figure.source for figure in its} == {source.name}

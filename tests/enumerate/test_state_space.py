"""State-space complexity: forms compared with the count, without output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import urcx
from urcx.complexity.forms import FORMS
from urcx.enumerate.state_space import StateSpace, StateSpaces, enumerated, state_spaces
from urcx.errors import UsageError, WrongObjectError
from urcx.results.result import Report
from urcx.results.tables import ColouredText


def test_the_public_function_enumerates_and_agrees() -> None:
    counts = urcx.ssc("bell", 2)
    assert counts.count is not None
    assert counts.exact == counts.count.diagrams == counts.diagrams == counts.forms["michon"]
    assert counts.branches == (counts.count.branches, counts.count.dark_branches)
    assert counts.all_exact
    assert counts.conventions["diagrams, both home left out"] == counts.exact - 1
    wrong: Any = "2"
    with pytest.raises(WrongObjectError, match="pieces"):
        urcx.ssc("bell", wrong)


def test_without_a_count_the_tile_polynomial_is_exact() -> None:
    counts = urcx.ssc("bell", 7, enumerate=False)
    assert counts.count is None
    assert counts.exact == 137_913_936  # Michon's page
    assert counts.mean_branches == counts.branches[0] / 137_913_936


def test_a_form_outside_its_domain_has_a_reason() -> None:
    counts = state_spaces(urcx.path("murray"), 3, 4)
    missing = {name for name, value in counts.forms.items() if value is None}
    assert missing == set(counts.reasons)
    assert missing
    assert not counts.all_exact
    assert set(counts.agree) <= set(FORMS) - missing
    assert (counts.pieces, counts.dark_pieces) == (3, 4)


def test_progress_ends_at_the_number_of_diagrams() -> None:
    seen: list[int] = []
    counts = enumerated(state_spaces(urcx.path("bell"), 3), seen.append)
    assert counts.count is not None
    assert counts.count.diagrams == counts.diagrams
    assert all(0 <= done <= counts.diagrams for done in seen)


@pytest.mark.parametrize("enumerate_too", [True, False])
@pytest.mark.parametrize(
    ("pieces", "dark", "message"),
    [
        (3, -2, "dark_pieces -2: must be from 1 to 10,000"),
        (3, 0, "dark_pieces 0: must be from 1 to 10,000"),
        (-1, None, "pieces -1: must be from 1 to 10,000"),
        (0, None, "pieces 0: must be"),
        (10_001, 1, "pieces 10001: must be"),
        (7, 2**63, "dark_pieces 9223372036854775808: must be"),
        (10**5000, 1, "pieces .a number this large.: must be"),
    ],
    ids=range(7),
)
def test_numbers_of_pieces_are_looked_at(
    pieces: int, dark: int | None, message: str, enumerate_too: bool
) -> None:
    with pytest.raises(UsageError, match=f"^{message}"):
        urcx.ssc("bell", pieces, dark, enumerate=enumerate_too)


def spaces(*rows: StateSpace) -> StateSpaces:
    names = "tile-polynomial,reader,michon,raposo,raposo-program,binomial,bits,bits-pieces"
    return StateSpaces([urcx.path("bell")], [7], None, rows, tuple(names.split(",")))


def report_on(*rows: StateSpace, wide: bool = False, errors: bool = False) -> Report:
    report = replace(spaces(*rows), errors=errors)
    return Report(
        report.schema,
        report.document(),
        report.records(),
        report.wide_tables() if wide else report.tables(),
        answer=report.answer,
    )


def cells(*rows: StateSpace, **how: bool) -> dict[str, str]:
    """Return the first row of the table by headings."""
    table = report_on(*rows, **how).tables()[0]
    return dict(zip((head.title for head in table.heads), table.rows[0], strict=True))


def test_values_are_marked_as_equal_less_or_more() -> None:
    counts = urcx.ssc("bell", 7, enumerate=False)
    row = cells(counts)
    assert row["configurations"] == "137,913,936"
    # 17,179,869,184 states by the post's 34 bits; 11,440^2 by its binomial.
    assert (row["bits"], row["binomial"]) == (">2^34", "<130,873,600")
    tones = {name: text.tone for name, text in row.items() if isinstance(text, ColouredText)}
    assert tones == tones | {
        **dict.fromkeys(("tile-polynomial", "reader", "michon"), "good"),
        **dict.fromkeys(("raposo", "raposo-program"), "bad"),
        **dict.fromkeys(("binomial", "bits", "bits-pieces"), "fair"),
    }
    assert {row[name] for name in ("tile-polynomial", "reader", "michon")} == {"=137,913,936"}
    off = cells(counts, errors=True)
    assert (off["bits"], off["binomial"], off["reader"]) == ("x125", "-5.10", "=")


def test_upper_bounds_are_in_the_full_output_or_chosen() -> None:
    result = urcx.ssc("bell", [1, 2], enumerate=False)
    usual, wide = ({head.title for head in tables[0].heads} for tables in (
        result.tables(), result.wide_tables()
    ))  # fmt: skip
    assert wide >= {"bits", "bits-pieces", *usual}
    assert not usual & {"bits", "bits-pieces"}
    chosen = replace(result, names=("michon", "bits")).tables()[0]
    assert "bits" in {head.title for head in chosen.heads}


def test_the_answer_says_which_forms_are_right() -> None:
    rows = [urcx.ssc("bell", p, enumerate=False) for p in (1, 2)]
    answer = spaces(*rows).answer
    assert answer.startswith(
        "bell, 1 to 2 pieces: 248 to 13,112 configurations, by the tile polynomial"
    )
    loose = "; one approximates the number, two are upper bounds"
    same = "three closed forms agree at every p, two published forms do not"
    assert answer.endswith(same + loose)
    # With one piece all are right but approximations and bounds, which claim nothing else.
    alone = report_on(rows[0]).answer
    assert alone.endswith("; five closed forms agree" + loose)
    rows[0].forms["reader"] = 249
    wrong = report_on(rows[0]).answer
    assert wrong.endswith("; four closed forms agree, one published form does not" + loose)


@pytest.mark.parametrize(
    ("pieces", "dark", "start"),
    [
        ([1], None, "bell, 1 piece: 248 configurations, "),
        ([2], 2, "bell, 2 pieces: 13,112 configurations, "),
        ([1, 2], 2, "bell, 1 to 2 light and 2 dark pieces: 1,832 to 13,112 configurations, "),
        ([3, 1], None, "bell, 2 numbers from 1 to 3 pieces: 248 to 264,304 configurations, "),
    ],
)
def test_the_answer_holds_for_all_rows(pieces: list[int], dark: int | None, start: str) -> None:
    assert urcx.ssc("bell", pieces, dark, enumerate=False).answer.startswith(start)


def test_the_answer_names_the_paths_of_the_extremes() -> None:
    answer = urcx.ssc(["masters", "bell"], [1, 3], enumerate=False).answer
    assert "248 (bell) to 514,052 (masters) configurations" in answer


def test_what_was_visited_is_told_from_what_was_not() -> None:
    report = report_on(urcx.ssc("bell", 2), urcx.ssc("bell", 3, enumerate=False))
    assert "each visited in 1 of 2 rows" in str(report.answer)
    assert [row[2] for row in report.tables()[0].rows] == ["all", "none"]
    assert any("not visited" in note for note in report.tables()[0].notes)
    assert "visited" not in cells(urcx.ssc("bell", 2))
    assert cells(urcx.ssc("bell", 2))["configurations"] == "13,112"
    first, second = report.document()["rows"]
    assert first["enumerated"] == first["forms"]["michon"]
    assert (second["enumerated"], second["seconds"], second["checksum"]) == (None, None, None)
    assert report.document()["compile_seconds"] is not None
    assert report.records()[1]["michon"] == second["forms"]["michon"]
    assert "forms" not in report.records()[1]


def test_wide_tables_have_every_value() -> None:
    table = report_on(urcx.ssc("bell", 7, 6, enumerate=False), wide=True).tables()[0]
    heads = [head.title for head in table.heads]
    assert "dark branches" in heads
    assert table.rows[0][0] == "7+6"
    assert table.rows[0][heads.index("visited/s")] == "-"


def test_why_a_form_is_not_stated() -> None:
    rows = [urcx.ssc("murray", p, enumerate=False) for p in (1, 2, 3)]
    (note,) = (
        n for n in report_on(*rows).tables()[0].notes if n.startswith("michon is not stated")
    )
    assert rows[0].reasons["michon"] in note
    assert "(p = " not in note, "it is so at all numbers"
    rows[1].reasons.clear()
    (note,) = (
        n for n in report_on(*rows).tables()[0].notes if n.startswith("michon is not stated")
    )
    assert note.endswith(" (p = 1,3)")

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import urcx
from urcx.errors import UnknownNameError
from urcx.published.figures import VERDICTS, Figure, sources
from urcx.published.quantities import QUANTITIES, Value
from urcx.published.verify import judge, matches

COMPUTED = {"post", "raposo-lamont", "kwan-hartemink"}


def _figure(place: str, source: str, printed: str | None = None) -> Figure:
    (figure,) = [
        figure
        for item, figures in sources()
        for figure in figures
        if item.name == source
        and figure.place.startswith(place)
        and printed in (None, figure.printed)
    ]
    return figure


@pytest.mark.parametrize(
    "source",
    [
        # Some are enumerated or played for.
        pytest.param(item.name, marks=pytest.mark.jit if item.name in COMPUTED else ())
        for item, _ in sources()
    ],
)
def test_verdicts_are_as_recorded(source: str) -> None:
    changed = [
        (verdict.figure.place, verdict.figure.printed, verdict.verdict)
        for _, verdicts in urcx.verify(source)
        for verdict in verdicts
        if verdict.changed
    ]
    assert changed == []


def test_every_figure_is_well_formed() -> None:
    for source, figures in sources():
        assert source.summary
        assert source.title
        assert figures
        for figure in figures:
            assert figure.quantity in QUANTITIES
            assert figure.verdict in VERDICTS
            if figure.verdict != "reproduced":
                assert figure.explanation, figure.place


def test_table_1_of_the_paper_is_found_by_search() -> None:
    # Which listing and parameters give the printed figures is nowhere recorded as data.
    wanted = {
        "Table 1, SSC of Bell": "raposo-program, bell, p = 7 (12,218,269)",
        "Table 1, SSC of Aseb": "raposo-program, aseb, p = 7 (190,622,886)",
        "Table 1, SSC of Masters": "raposo-program, masters, p = 7, t = 16, t' = 4 (4,285,157,080)",
    }
    for place, otherwise in wanted.items():
        assert judge(_figure(place, "raposo-lamont")).otherwise == (otherwise,)


@pytest.mark.jit
def test_a_changed_figure_is_noticed() -> None:
    figure = _figure("Programmatic count, state", "post", "137,913,936")
    assert judge(figure).verdict == "reproduced"
    wrong = judge(replace(figure, printed="137,913,937", value="137,913,937"))
    assert wrong.verdict == "contradicted"
    assert wrong.computed == "137,913,936"
    assert wrong.changed


@pytest.mark.jit
def test_a_figure_of_other_parameters_is_named() -> None:
    figure = _figure("Programmatic count, state", "post", "13,112")
    found = judge(replace(figure, params={**figure.params, "pieces": 3}))
    assert found.verdict == "reproduced otherwise"
    assert all(text.endswith("bell, p = 2 (13,112)") for text in found.otherwise)


@pytest.mark.parametrize(
    ("value", "printed", "same"),
    [
        (137_913_936, "137,913,936", True),
        (137_913_936, "137,913,937", False),
        (12_218_269, "1.2e7", True),
        (12_500_000, "1.2e7", False),  # halves go up
        (12_500_000, "1.3e7", True),
        (12_499_999, "1.2e7", True),
        (121_658_293, "1.2e7", False),  # the exponent counts
        (999_999_999, "1.00e9", True),
        (Fraction(726_864_992, 137_913_936), "5.3", True),
        (Fraction(25, 4), "6.25", True),
        (Fraction(25, 2), "12", False),
        (5, "five", False),
        ("lower bound", "lower bound", True),
        ("lower bound", "upper bound", False),
    ],
)
def test_comparison_to_the_printed_digits(value: Value, printed: str, same: bool) -> None:
    assert matches(value, printed) is same


def test_one_source_and_unknown_sources() -> None:
    ((source, verdicts),) = urcx.verify("michon")
    assert source.name == "michon"
    assert {verdict.figure.source for verdict in verdicts} == {"michon"}
    with pytest.raises(UnknownNameError, match="did you mean michon"):
        urcx.verify("mishon")


def test_every_quantity_is_used_and_every_source_has_a_file() -> None:
    used = {figure.quantity for _, figures in sources() for figure in figures}
    assert used == set(QUANTITIES)

"""State-space complexity: forms beside the count, with nothing shown."""

from __future__ import annotations

from typing import Any

import pytest

import urcx
from urcx.complexity.forms import FORMS
from urcx.enumerate.state_space import enumerated, state_spaces
from urcx.errors import UsageError, WrongObjectError


def test_the_public_function_enumerates_and_agrees() -> None:
    found = urcx.ssc("bell", 2)
    assert found.count is not None
    assert found.exact == found.count.diagrams == found.diagrams == found.forms["michon"]
    assert found.branches == (found.count.branches, found.count.dark_branches)
    assert found.all_exact
    assert found.conventions["diagrams, both home left out"] == found.exact - 1
    wrong: Any = "2"
    with pytest.raises(WrongObjectError, match="pieces"):
        urcx.ssc("bell", wrong)


def test_without_a_count_the_tile_polynomial_is_exact() -> None:
    found = urcx.ssc("bell", 7, enumerate=False)
    assert found.count is None
    assert found.exact == 137_913_936  # Michon's page
    assert found.mean_branches == found.branches[0] / 137_913_936


def test_a_form_outside_its_domain_has_a_reason() -> None:
    found = state_spaces(urcx.path("murray"), 3, 4)
    missing = {name for name, value in found.forms.items() if value is None}
    assert missing == set(found.reasons)
    assert missing
    assert not found.all_exact
    assert set(found.agree) <= set(FORMS) - missing
    assert (found.pieces, found.dark_pieces) == (3, 4)


def test_progress_ends_at_the_number_of_diagrams() -> None:
    seen: list[int] = []
    found = enumerated(state_spaces(urcx.path("bell"), 3), seen.append)
    assert found.count is not None
    assert found.count.diagrams == found.diagrams
    assert all(0 <= done <= found.diagrams for done in seen)


@pytest.mark.parametrize("enumerate_too", [True, False])
@pytest.mark.parametrize(
    ("pieces", "dark", "message"),
    [
        (3, -2, "dark_pieces: -2 is not from 1 to 10000"),
        (3, 0, "dark_pieces: 0 is not from 1 to 10000"),
        (-1, None, "pieces: -1 is not from 1 to 10000"),
        (0, None, "pieces: 0 is not"),
        (10_001, 1, "pieces: 10001 is not"),
        (7, 2**63, "dark_pieces: 9223372036854775808 is not"),
        (10**5000, 1, "pieces: a number this large is not"),
    ],
    ids=range(7),
)
def test_numbers_of_pieces_are_looked_at(
    pieces: int, dark: int | None, message: str, enumerate_too: bool
) -> None:
    with pytest.raises(UsageError, match=f"^{message}"):
        urcx.ssc("bell", pieces, dark, enumerate=enumerate_too)

"""What visiting all diagrams gives, by visitor."""

from __future__ import annotations

import pytest

import urcx
from urcx.enumerate.enumerator import Count
from urcx.enumerate.rankings.ranking_base import Marks
from urcx.enumerate.visitors import visit
from urcx.errors import OutOfDomainError


def test_only_the_checksum_is_folded_where_it_is_asked_for() -> None:
    path = urcx.path("bell")
    folded, counted = visit("checksum", path, 2), visit("branches", path, 2)
    assert isinstance(folded, Count)
    assert isinstance(counted, Count)
    assert folded.checksum == urcx.count("bell", 2).checksum
    assert counted.checksum is None
    assert counted.diagrams == folded.diagrams


def test_ranks_are_those_of_the_order() -> None:
    marks = visit("ranks", urcx.path("bell"), 2, order="pattern")
    assert isinstance(marks, Marks)
    assert marks.bijective
    assert marks.size == urcx.count("bell", 2).diagrams
    with pytest.raises(OutOfDomainError):
        visit("ranks", urcx.path("murray"), 1, order="pattern")

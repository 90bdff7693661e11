"""The examples in the docstrings of `urcx.envs` print what they show."""

from __future__ import annotations

import doctest

from urcx.envs import judging


def test_the_example_of_judging() -> None:
    failed, tried = doctest.testmod(judging)
    assert (failed, tried) == (0, 9)

from __future__ import annotations

import numpy as np
import pytest
from gambling_replay import SMALL

from urcx.contrib.gambling import simulator as gambling
from urcx.contrib.gambling.simulator import gamble
from urcx.errors import UnknownNameError, UrcxError, UsageError


def test_games_do_not_depend_on_threads_or_number() -> None:
    one, two, more = (
        gamble("random", "greedy", SMALL, games=n, seed=4, threads=t)
        for n, t in ((70, 1), (70, 3), (75, 2))
    )
    for name in ("counts", "results", "purses", "sums"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
        assert np.array_equal(getattr(one, name), getattr(more, name)[:70])
    other = gamble("random", "greedy", SMALL, games=70, seed=5)
    assert not np.array_equal(one.purses, other.purses)


@pytest.mark.parametrize(
    ("first", "expected"),
    [("light", [0, 0, 0, 0]), ("dark", [1, 1, 1, 1]), ("alternate", [0, 1, 0, 1])],
)
def test_who_begins(first: str, expected: list[int]) -> None:
    found = gamble("random", game=SMALL, games=4, first=first)
    assert found.results[:, 0].tolist() == expected


def test_arguments_out_of_range() -> None:
    with pytest.raises(UsageError, match="games 0"):
        gamble(games=0)
    with pytest.raises(UsageError, match="seed -1"):
        gamble(seed=-1)
    with pytest.raises(UsageError, match="unknown first mover 'me'"):
        gamble(first="me")
    with pytest.raises(UnknownNameError, match="unknown gambling game"):
        gamble(game="ur")
    with pytest.raises(UsageError, match="threads 0"):
        gamble(threads=0)


def test_a_game_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambling, "MAX_PLIES", 5)
    with pytest.raises(UrcxError, match="game 0 of random and random does not end within 5 plies"):
        gamble("random", games=1)


def test_ctrl_c_keeps_the_games_that_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def stage(_label: str, _total: int, _unit: str):  # type: ignore[no-untyped-def] # noqa: ANN202
        def tell(done: int) -> None:
            if done:
                raise KeyboardInterrupt

        return tell

    found = gamble("random", game=SMALL, games=100_000, threads=1, stage=stage)
    assert found.interrupted
    assert 0 < len(found) < 100_000
    assert (found.results[:, 2] > 0).all()
    monkeypatch.setattr("urcx.games.simulator.map_chunks", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        gamble("random", game=SMALL, games=10)


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt

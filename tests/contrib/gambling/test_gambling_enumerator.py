from __future__ import annotations

from dataclasses import replace

import naive_gamble
import pytest

import urcx
from urcx.contrib.gambling import closed_form as forms
from urcx.contrib.gambling import enumerator as labelled
from urcx.contrib.gambling.rules import gambling_game
from urcx.errors import TooLargeError, UsageError


@pytest.mark.parametrize("name", ["bell", "murray", "aseb"])
@pytest.mark.parametrize(("light", "dark"), [((1,), (1,)), ((4,), (2, 9)), ((1, 5), (3,))])
def test_visits_what_the_naive_search_finds(
    name: str, light: tuple[int, ...], dark: tuple[int, ...]
) -> None:
    path = urcx.path(name)
    found = sum(1 for _ in naive_gamble.diagrams(path, light, dark))
    assert labelled.count_labelled(path, light, dark) == found


@pytest.mark.parametrize(
    "pieces",
    [
        1,
        2,
        *(pytest.param(n, marks=pytest.mark.jit) for n in (3, 4)),
        pytest.param(5, marks=[pytest.mark.jit, pytest.mark.slow]),
    ],
)
def test_gambles(pieces: int) -> None:
    game = gambling_game().with_pieces(pieces)
    counts = {labelled.count_labelled(game.path, game.entries, threads=n) for n in (1, 3)}
    assert counts == {forms.labelled_diagrams(game.path, game.entries)}


@pytest.mark.parametrize("beginnings", [1, 20, 300])
def test_where_threads_begin_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, beginnings: int
) -> None:
    monkeypatch.setattr(labelled, "BEGINNINGS", beginnings)
    game = gambling_game()
    count = labelled.count_labelled(game.path, game.entries[3:], game.entries[2:3])
    assert count == forms.labelled_diagrams(game.path, game.entries[3:], game.entries[2:3])


@pytest.mark.jit
@pytest.mark.parametrize("name", ["bell", "masters", "skiriuk", "aseb"])
def test_on_any_step(name: str) -> None:
    path = urcx.path(name)
    assert labelled.count_labelled(path, (1, 1, 1)) == forms.on_any_step(path, 3, 3)
    assert labelled.count_labelled(path, (1, 1), (1, 1, 1)) == forms.on_any_step(path, 2, 3)


def test_progress_ends_at_one() -> None:
    told: list[float] = []
    labelled.count_labelled(urcx.path("aseb"), (4, 5), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def test_what_cannot_be_enumerated() -> None:
    path = urcx.path("aseb")
    with pytest.raises(TooLargeError, match="0 pieces: from 1 to 8"):
        labelled.count_labelled(path, ())
    with pytest.raises(TooLargeError, match="9 pieces: from 1 to 8"):
        labelled.count_labelled(path, (1,) * 9)
    for step in (0, 17):
        with pytest.raises(UsageError, match=f"step {step}: must be from 1 to 16"):
            labelled.count_labelled(path, (step,))
    many = tuple(f"A{k}" for k in range(1, 65))
    with pytest.raises(TooLargeError, match="64 tiles: at most 63"):
        labelled.count_labelled(replace(path, light=many, dark=many), (1,))


def test_as_many_tiles_as_there_are_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    path = urcx.path("aseb")
    monkeypatch.setattr(labelled, "MAX_TILES", len(path.tiles))
    assert labelled.count_labelled(path, (4,), (5,)) == forms.labelled_diagrams(path, (4,), (5,))
    monkeypatch.setattr(labelled, "MAX_TILES", len(path.tiles) - 1)
    with pytest.raises(TooLargeError, match=f"{len(path.tiles)} tiles: at most"):
        labelled.count_labelled(path, (4,), (5,))

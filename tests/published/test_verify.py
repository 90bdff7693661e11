from __future__ import annotations

import math
from dataclasses import replace

import pytest

import urcx
from urcx.errors import UnknownNameError
from urcx.published import verify as module
from urcx.published.figures import (
    FAILS,
    HOLDS,
    INCONSISTENT,
    NO_CLAIM,
    OTHERWISE,
    UNDECIDED,
    Figure,
    Source,
    samples,
    sources,
)
from urcx.published.quantities import games
from urcx.published.quantities.registry import QUANTITIES
from urcx.published.rounding import Sampled, allowance
from urcx.published.verify import NAMED, Reading, Verdict, Verdicts, verdict_of
from urcx.results.layout import lay_out, text_of


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


# What is found by playing, or by solving endings.
LONG = (
    "measure", "wins", "branches", "mean-branches", "close-moves", "better-move",
    "key-bits", "evaluation",
)  # fmt: skip


@pytest.mark.parametrize("source", [item.name for item, _ in sources()])
def test_verdicts_are_as_recorded(source: str) -> None:
    # Without what is enumerated, solved or played for at length.
    (figures,) = [figures for item, figures in sources() if item.name == source]
    chosen = [
        figure
        for figure in figures
        if figure.quantity not in LONG and figure.params.get("form") != "enumeration"
    ]
    assert chosen
    verdicts = [verdict_of(figure) for figure in chosen]
    assert [(v.figure.place, v.verdict) for v in verdicts if v.changed] == []
    item = next(item for item, _ in sources() if item.name == source)
    table = Verdicts(((item, tuple(verdicts)),)).report(summary=False)
    assert source in table.text()
    assert len(table.records) == len(chosen)


@pytest.mark.jit
@pytest.mark.parametrize(
    "source",
    [
        "post", "kwan-hartemink", "lamont-olieslagers", "cote",
        pytest.param("raposo-lamont", marks=pytest.mark.slow),  # 2,000 games of its agent
    ],
)  # fmt: skip
def test_verdicts_on_what_is_enumerated_played_or_solved(source: str) -> None:
    seen: list[int] = []
    ((_, verdicts),) = urcx.verify(source, progress=seen.append)
    assert [(v.figure.place, v.verdict) for v in verdicts if v.changed] == []
    assert seen == sorted(seen)
    assert seen[-1] == len(verdicts)


def _sample(monkeypatch: pytest.MonkeyPatch, off: float, against: str = "") -> Verdict:
    """Return the verdict on a sample's mean that is so many standard errors off."""
    monkeypatch.setitem(QUANTITIES, "made up", lambda _: Sampled(100.0, 2.0))
    printed = f"{100 + 2 * off:.6f}"
    params = {"sample": 2000}
    return verdict_of(
        Figure("post", "there", "made up", params, printed, printed, FAILS, "", against=against)
    )


def test_a_sample_is_wrong_only_beyond_what_chance_gives_among_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = allowance(samples())
    # All of them lie within it with 99 %; each does with erf(most / sqrt(2)).
    assert samples() == 11
    assert math.erf(most / math.sqrt(2)) ** 11 == pytest.approx(0.99, rel=1e-9)
    for off, verdict in ((1.9, HOLDS), (2.1, UNDECIDED), (most - 0.01, UNDECIDED)):
        assert _sample(monkeypatch, off).verdict == verdict
        assert _sample(monkeypatch, -off).verdict == verdict
    assert "2.1 standard errors off" in _sample(monkeypatch, 2.1).explanation
    assert _sample(monkeypatch, most + 0.01).verdict == FAILS
    assert _sample(monkeypatch, most + 0.01, against="it says so").verdict == INCONSISTENT


@pytest.mark.jit
@pytest.mark.slow
def test_the_papers_game_length_is_left_undecided_by_its_size() -> None:
    found = verdict_of(_figure("Section 3.2, N", "raposo-lamont"))
    assert (found.verdict, found.changed) == (UNDECIDED, False)
    assert "of 11 samples" in found.chance
    # Of a thousand times as many games it would be wrong, whatever is recorded.
    figure = replace(found.figure, params={**found.figure.params, "sample": 2_000_000})
    assert verdict_of(figure).verdict == FAILS


def test_what_a_source_says_otherwise_elsewhere_is_said() -> None:
    figure = _figure("Table 1, SSC of Bell", "raposo-lamont")
    found = verdict_of(figure)
    assert found.verdict == INCONSISTENT
    assert found.explanation.startswith(f"but {figure.against}: given by raposo-program, bell")
    assert verdict_of(replace(figure, against="")).verdict == OTHERWISE


def test_figures_found_by_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "GAMES", 60)
    games._measures.cache_clear()
    games._share.cache_clear()
    params = {"rules": "kwan", "agent": "random", "measure": "plies", "sample": 60}
    found = games.measure(params)
    half = games.measure({**params, "times": 0.5})
    assert half.value == found.value / 2
    assert 100 < found.value < 200
    pair = {"rules": "kwan", "agent": "greedy", "opponent": "random"}
    assert games.wins(pair) == "far above 50 %"
    assert games.wins({**pair, "agent": "random", "opponent": "greedy"}) == "far below 50 %"
    assert games.wins({**pair, "agent": "random"}) == "50 %"
    games._measures.cache_clear()
    games._share.cache_clear()


def test_what_does_not_hold_is_quoted() -> None:
    # An accusation quotes the wording that it is about, and says where it stands.
    failing = [figure for _, figures in sources() for figure in figures if figure.verdict == FAILS]
    assert failing
    for figure in failing:
        assert figure.explanation.count('"') >= 2, figure.place


@pytest.mark.jit
def test_a_changed_figure_is_noticed() -> None:
    figure = _figure("Programmatic count, state", "post", "137,913,936")
    assert verdict_of(figure).verdict == HOLDS
    wrong = verdict_of(replace(figure, printed="137,913,937", value="137,913,937"))
    assert wrong.verdict == FAILS
    assert wrong.computed == "137,913,936"
    assert wrong.changed


def test_one_source_and_unknown_sources() -> None:
    ((source, verdicts),) = urcx.verify("michon")
    assert source.name == "michon"
    assert {verdict.figure.source for verdict in verdicts} == {"michon"}
    with pytest.raises(UnknownNameError, match="did you mean michon"):
        urcx.verify("mishon")


def test_what_is_said_of_a_figure() -> None:
    figure = Figure("post", "a place", "states", {"path": "bell", "pieces": 1}, "9", "9", "", "")
    near = tuple(Reading(f"way {k}", str(k), holds=True) for k in range(5))
    failed = Reading("no way", "8", holds=False)
    found = Verdict(figure, "9", OTHERWISE, (failed, *near))
    assert found.otherwise == tuple(f"way {k} ({k})" for k in range(5))
    assert found.explanation == "given by way 0 (0); way 1 (1); way 2 (2); and 2 more"
    assert replace(found, readings=near[:NAMED]).explanation.endswith("way 1 (1); way 2 (2)")
    assert found.tried == ""
    because = replace(figure, explanation="because")
    plain = replace(found, figure=because, readings=(Reading("far off", "", holds=True),))
    assert plain.explanation == "given by far off: because"
    wrong = Verdict(because, "9", FAILS, (failed, Reading("nor so", "7", holds=False)))
    assert wrong.otherwise == ()
    assert wrong.tried == "no way; nor so"
    assert wrong.explanation == "because (no other reading holds: no way; nor so)"
    assert Verdict(because, "9", HOLDS).explanation == "because"
    assert wrong.changed
    assert not replace(wrong, figure=replace(because, verdict=FAILS)).changed


def test_the_exact_number_beside_a_figure_of_states() -> None:
    figure = _figure("Programmatic count, state", "post", "13,112")
    assert Verdict(figure, "", "").exact == 13_112
    assert Verdict(replace(figure, params={"pieces": 2}), "", "").exact is None
    assert Verdict(replace(figure, quantity="measure"), "", "").exact is None


def test_figures_that_claim_nothing_show_our_value_all_the_same() -> None:
    figure = replace(_figure("Programmatic count, state", "post", "248"), verdict=NO_CLAIM)
    wrong = replace(figure, value="7")
    assert (verdict_of(wrong).computed, verdict_of(wrong).verdict, verdict_of(wrong).readings) == (
        "248", NO_CLAIM, (),
    )  # fmt: skip


def test_a_verdict_whose_column_is_left_out_is_not_explained() -> None:
    judged = [
        (one, tuple(Verdict(x, x.value, x.verdict) for x in found)) for one, found in sources()
    ]
    table = Verdicts(judged).report(summary=True).tables[0]
    assert "; no claim: assumed" in text_of(lay_out([table]))
    narrow = " ".join(text_of(lay_out([table], 80)).split())
    assert "left out to fit: no claim" in narrow
    assert "undecided: nothing computed" in narrow
    assert "no claim: assumed" not in narrow


def test_progress_counts_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = _figure("Programmatic count, state", "post", "248")
    ours = [(Source(name, name, name), (figure,) * n) for name, n in (("a", 2), ("b", 3))]
    monkeypatch.setattr(module, "sources", lambda: ours)
    seen: list[int] = []
    found = module.verify(progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 5
    assert [(source.name, len(verdicts)) for source, verdicts in found] == [("a", 2), ("b", 3)]

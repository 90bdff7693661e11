from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import urcx
from urcx.agents.networks import shipped
from urcx.errors import TablebaseError, UnknownNameError, UnusableFileError, UsageError
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
from urcx.published.quantities.registry import AGAIN, QUANTITIES
from urcx.published.rounding import READINGS, Ranged, Sampled, Worded, allowance, matches
from urcx.published.verify import NAMED, Reading, Solutions, Verdict, Verdicts, verdict_of
from urcx.results.layout import lay_out, text_of

pytest_plugins = ["solved_games"]


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


# Quantities that play games or solve endings.
LONG = (
    "measure", "wins", "branches", "mean-branches", "close-moves", "better-move",
    "key-bits", "evaluation",
)  # fmt: skip


@pytest.mark.parametrize("source", [item.name for item, _ in sources()])
def test_verdicts_are_as_recorded(source: str) -> None:
    # Without figures that need long enumerations, solutions or games.
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
    table = Verdicts(((item, tuple(verdicts)),))
    assert source in table.text(wide=True)
    assert len(table.records()) == len(chosen)


@pytest.mark.jit
@pytest.mark.parametrize(
    "source",
    [
        "post", "kwan-hartemink", "lamont-olieslagers", "gameofur-report",
        pytest.param("cote", marks=pytest.mark.slow),
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
    assert samples() == 78
    assert math.erf(most / math.sqrt(2)) ** 78 == pytest.approx(0.99, rel=1e-9)
    for off, verdict in ((1.9, HOLDS), (2.1, UNDECIDED), (most - 0.01, UNDECIDED)):
        assert _sample(monkeypatch, off).verdict == verdict
        assert _sample(monkeypatch, -off).verdict == verdict
    assert "2.1 standard errors off" in _sample(monkeypatch, 2.1).explanation
    assert _sample(monkeypatch, most + 0.01).verdict == FAILS
    assert _sample(monkeypatch, most + 0.01, against="it says so").verdict == INCONSISTENT


@pytest.mark.jit
@pytest.mark.slow
def test_the_papers_game_length_is_left_undecided_by_its_size() -> None:
    verdict = verdict_of(_figure("Section 3.2, N", "raposo-lamont"))
    assert (verdict.verdict, verdict.changed) == (UNDECIDED, False)
    assert "78 samples" in verdict.chance
    # With a thousand times as many games it would fail, with any recorded verdict.
    figure = replace(verdict.figure, params={**verdict.figure.params, "sample": 2_000_000})
    assert verdict_of(figure).verdict == FAILS


def test_what_a_source_says_otherwise_elsewhere_is_said() -> None:
    figure = _figure("Table 1, SSC of Bell", "raposo-lamont")
    verdict = verdict_of(figure)
    assert verdict.verdict == INCONSISTENT
    assert verdict.explanation.startswith(f"but {figure.against}: given by raposo-program, bell")
    assert verdict_of(replace(figure, against="")).verdict == OTHERWISE


def test_figures_found_by_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "GAMES", 60)
    games._measures.cache_clear()
    games._share.cache_clear()
    params = {"rules": "kwan", "agent": "random", "measure": "plies", "sample": 60}
    value = games.measure(params)
    half = games.measure({**params, "times": 0.5})
    assert half.value == value.value / 2
    assert 100 < value.value < 200
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
    verdict = Verdict(figure, "9", OTHERWISE, (failed, *near))
    assert verdict.otherwise == tuple(f"way {k} ({k})" for k in range(5))
    assert verdict.explanation == "given by way 0 (0); way 1 (1); way 2 (2); and 2 more"
    assert replace(verdict, readings=near[:NAMED]).explanation.endswith("way 1 (1); way 2 (2)")
    assert verdict.tried == ""
    because = replace(figure, explanation="because")
    plain = replace(verdict, figure=because, readings=(Reading("far off", "", holds=True),))
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
    table = Verdicts(judged, summary=True).tables()[0]
    assert "; no claim: the source" in text_of(lay_out([table]))
    narrow = " ".join(text_of(lay_out([table], 80)).split())
    assert "left out to fit: no claim" in narrow
    assert "undecided: " in narrow
    assert "no claim: the source" not in narrow


def test_progress_counts_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = _figure("Programmatic count, state", "post", "248")
    ours = [(Source(name, name, name), (figure,) * n) for name, n in (("a", 2), ("b", 3))]
    monkeypatch.setattr(module, "sources", lambda: ours)
    seen: list[int] = []
    found = module.verify(progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 5
    assert [(source.name, len(verdicts)) for source, verdicts in found] == [("a", 2), ("b", 3)]


FIGURES = [figure for _, figures in sources() for figure in figures]
FAILING = [figure for figure in FIGURES if figure.verdict == FAILS]
PLAYED = ("measure", "wins")


def _printings(value: Fraction, digits: int) -> Iterator[tuple[str, Fraction]]:
    """Yield a value in so many digits: rounded, cut off and rounded up, by integers alone."""
    exponent = math.floor(math.log10(value)) - digits + 1
    while value / Fraction(10) ** exponent >= 10**digits:
        exponent += 1
    while value / Fraction(10) ** exponent < 10 ** (digits - 1):
        exponent -= 1
    scaled = value / Fraction(10) ** exponent
    for name, whole in (
        ("rounded", math.floor(scaled + Fraction(1, 2))),
        ("cut off", math.floor(scaled)),
        ("up", math.ceil(scaled)),
        ("even", round(scaled)),
    ):
        yield name, whole * Fraction(10) ** exponent


def _again(figure: Figure) -> Iterator[tuple[str, bool]]:
    """Yield for a number whether it holds in a reading, found by other means than the readings'."""
    value = QUANTITIES[figure.quantity](figure.params)
    try:
        printed = Decimal(figure.value.replace(",", ""))
    except ArithmeticError:
        return
    if isinstance(value, str | Worded):
        return
    digits = len(printed.as_tuple().digits)
    for words, factor in (
        ("percent or chance", 100), ("chance or percent", Fraction(1, 100)),
        ("both players or one, positions or diagrams", 2), ("one of two", Fraction(1, 2)),
        ("as it is", 1),
    ):  # fmt: skip
        if isinstance(value, Sampled | Ranged):
            yield words, matches(value * Fraction(factor), figure.value)
            continue
        for name, result in _printings(Fraction(value) * factor, digits):
            # One reading at a time: with two, small numbers would hold by chance.
            if (factor == 1 and (digits > 1 or name == "even")) or name == "rounded":
                yield f"{words}, {name}", result == Fraction(printed)


@pytest.mark.parametrize(
    "figure", [f for f in FAILING if f.quantity not in PLAYED], ids=lambda f: f.printed
)
def test_failing_figures_hold_in_no_reading(figure: Figure) -> None:
    verdict = verdict_of(figure)
    assert verdict.verdict == FAILS
    assert [words for words, holds in _again(figure) if holds] == []
    # The entry names some other meanings, and the explanation lists each.
    assert verdict.readings
    assert not any(reading.holds for reading in verdict.readings)
    assert all(reading.words in verdict.explanation for reading in verdict.readings)


def test_readings_are_named_where_they_decide() -> None:
    for figure in FIGURES:
        if figure.verdict == OTHERWISE:
            assert figure.readings, figure.place
        if figure.readings and figure.verdict not in (HOLDS, FAILS):
            verdict = verdict_of(figure)
            assert verdict.verdict in (OTHERWISE, INCONSISTENT)
            assert len(verdict.otherwise) == len(figure.readings), figure.place
        for reading in figure.readings:
            if isinstance(reading, str):
                assert reading in READINGS
            else:
                changed = reading["params"]
                assert changed != {key: figure.params.get(key) for key in changed}, figure.place


def test_premises_are_not_judged() -> None:
    printed = {figure.printed for figure in FIGURES if figure.verdict == NO_CLAIM}
    assert printed == {"70", "complex and large"}


def test_a_figure_is_tried_in_its_own_readings_alone() -> None:
    figure = next(f for f in FIGURES if f.quantity == "coverage")
    assert verdict_of(figure).otherwise == ("at least so much (93.1701)",)
    assert verdict_of(replace(figure, value="99")).verdict == FAILS
    without = verdict_of(replace(figure, readings=()))
    assert (without.verdict, without.readings) == (FAILS, ())


def test_parameters_of_a_reading_replace_those_of_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(QUANTITIES, "made up", lambda params: params["pieces"] + params["more"])
    change = {"params": {"pieces": 2}}
    figure = Figure(
        "post", "a place", "made up", {"pieces": 1, "more": 7}, "9", "9", FAILS, "",
        readings=(change, {"words": "of three", "params": {"pieces": 3}}),
    )  # fmt: skip
    verdict = verdict_of(figure)
    assert verdict.verdict == OTHERWISE
    assert [(r.text, r.holds) for r in verdict.readings] == [
        ("p = 2, more 7 (9)", True), ("of three (10)", False),
    ]  # fmt: skip
    # A text that holds is not repeated in brackets.
    monkeypatch.setitem(QUANTITIES, "made up", lambda params: str(params["pieces"]))
    assert verdict_of(replace(figure, value="3", printed="3")).otherwise == ("of three",)


FIGURE = Figure(
    "somebody", "a place", "arrivals", {"rules": "finkel", "pieces": 1, "what": "shortest"},
    "6", "6", FAILS, "because", "5", "by hand",
)  # fmt: skip


def test_a_recorded_value_is_judged_as_it_stands() -> None:
    verdict = verdict_of(FIGURE)
    assert (verdict.computed, verdict.verdict, verdict.recorded, verdict.changed) == (
        "5", FAILS, True, False,
    )  # fmt: skip
    right = verdict_of(replace(FIGURE, value="5", verdict=HOLDS))
    assert (right.verdict, right.changed) == (HOLDS, False)
    undecided = verdict_of(replace(FIGURE, verdict=UNDECIDED))
    assert (undecided.verdict, undecided.readings) == (UNDECIDED, ())


def test_a_tablebase_computes_it_again(one_piece: Path) -> None:
    solutions = Solutions([one_piece])
    verdict = verdict_of(FIGURE, solutions)
    assert (verdict.again, verdict.recorded) == (verdict.computed, False)
    kept = replace(FIGURE, found=verdict.computed)
    assert not verdict_of(kept, solutions).changed
    wrong = replace(FIGURE, found=str(int(verdict.computed) + 1))
    assert verdict_of(wrong, solutions).changed
    near = replace(wrong, params={**FIGURE.params, "within": "1"})
    assert not verdict_of(near, solutions).moved
    assert verdict_of(replace(near, params={**FIGURE.params, "within": "0.5"}), solutions).moved
    # Another game's figure stays recorded.
    other = replace(FIGURE, params={**FIGURE.params, "pieces": 2})
    assert verdict_of(other, solutions).recorded


def test_what_is_recorded_says_so(one_piece: Path) -> None:
    source = Source("somebody", "Somebody", "all wrong")
    verdicts = Verdicts(((source, (verdict_of(FIGURE),)),))
    text = verdicts.text(wide=True)
    assert "5 (recorded)" in text
    assert "--tablebase FILE" in text
    (row,) = verdicts.records()
    assert (row["obtained"], row["computed"]) == ("by hand", "5")
    wrong = verdict_of(replace(FIGURE, found="99"), Solutions([one_piece]))
    text = Verdicts(((source, (wrong,)),)).text(wide=True)
    assert "(recorded: 99)" in text
    assert "--tablebase FILE" not in text


def test_tablebases_that_are_of_no_use(one_piece: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"finkel with 1 piece.*no recorded"):
        urcx.verify("heled", tablebases=[one_piece])
    with pytest.raises(UsageError, match="for: no game"):
        urcx.verify("michon", tablebases=[one_piece])
    with pytest.raises(UnusableFileError):
        urcx.verify("heled", tablebases=[tmp_path / "missing.urcx"])
    damaged = tmp_path / "damaged.urcx"
    damaged.write_bytes(b"\0" + one_piece.read_bytes()[1:])
    with pytest.raises((UnusableFileError, TablebaseError)):
        urcx.verify("heled", tablebases=[damaged])


def test_recorded_figures_say_how_they_were_found() -> None:
    kept = {
        "network",
        "longest-least",
        "nalimov-decides",
        "shortest-game",
        "longest-layer",
        "sample-mean",
        "between",
        "win-percent",
    }  # what no tablebase gives again
    for _, figures in sources():
        for figure in figures:
            assert bool(figure.found) == bool(figure.how), figure.place
            if figure.found:
                assert (figure.quantity in AGAIN) != (figure.quantity in kept)


def test_the_trained_agent_is_the_one_that_comes_with_urcx() -> None:
    # Another network needs its shares found again.
    command = str(shipped(urcx.ruleset("kwan")).card["command"]).partition(" -o ")[0]
    recorded = [
        figure.how
        for _, figures in sources()
        for figure in figures
        if "urcx train" in figure.how and "learned" in figure.params.values()
    ]
    assert len(recorded) == 2
    assert all(command in how for how in recorded)

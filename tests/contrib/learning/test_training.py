"""Training: checkpoints, interruption, the data card, strength; settings and wrong input."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import damages
from numpy.typing import NDArray
from own_rules import own

import urcx
from urcx.agents.networks import read_network
from urcx.contrib.learning import Trained, td, train, training
from urcx.contrib.learning import distil as in_training
from urcx.contrib.learning.checkpoints import (
    Checkpoint,
    are_positions,
    read_checkpoint,
    write_checkpoint,
)
from urcx.contrib.learning.distil import between
from urcx.contrib.learning.settings import listed_settings, parsed, with_changes
from urcx.contrib.learning.td import TdSettings
from urcx.contrib.learning.training import METHODS
from urcx.errors import (
    InterruptedRunError,
    OutOfDomainError,
    PositionError,
    TablebaseError,
    TooLargeError,
    UsageError,
)
from urcx.rules.position import check

SMALL = {
    "units": 6, "iterations": 6, "games": 4, "plies": 8, "two_plies": 0.2,
}  # fmt: skip


def _rules() -> Any:
    return urcx.ruleset("finkel", pieces=1)


def _train(file: Path, **more: Any) -> Trained:
    given = {"rules": _rules(), "output": file, "settings": SMALL, "threads": 1, **more}
    return train("td", **given)


def _weights(file: Path) -> dict[str, bytes]:
    """All arrays of a network's file except the header."""
    with np.load(file) as archive:
        return {name: archive[name].tobytes() for name in archive if name != "header"}


def _card(file: Path) -> dict[str, Any]:
    """The data card without entries that depend on the clock."""
    card = dict(read_network(file).card)
    assert card.pop("processor_seconds") >= 0
    return card


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("whole") / "net.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "GAMES", 2)
        found = _train(file)
    assert (found.done, found.total, found.resumed) == (6, 6, 0)
    assert found.opponent == "optimal"
    assert [at.done for at in found.strengths] == [1, 2, 3, 4, 5, 6]
    assert not file.with_name("net.npz.checkpoint").exists()
    return file


def _interrupting(
    after: int, iterations: int = 0
) -> Callable[[str, int, str], Callable[[int], None]]:
    """A stage that interrupts after a number of steps; steps of rounds follow iterations."""

    def stage(label: str, _total: int, unit: str) -> Callable[[int], None]:
        before = iterations if unit == "steps" else 0

        def tick(done: int) -> None:
            if before + done == after:
                raise KeyboardInterrupt

        return tick if label.startswith("training") else lambda _: None

    return stage


@pytest.mark.jit
def test_an_interrupted_training_ends_with_the_same_network(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "net.npz"
    with pytest.raises(InterruptedRunError, match="before the first checkpoint"):
        _train(file, stage=_interrupting(2))
    monkeypatch.setattr(training, "BETWEEN", 0.0)
    with pytest.raises(InterruptedRunError, match=r"continue from .*net\.npz\.checkpoint"):
        _train(file, stage=_interrupting(4))
    assert not file.exists()
    found = _train(file, threads=2)
    assert found.resumed == 3  # the step that was interrupted is taken again
    assert _weights(file) == _weights(whole)
    assert {**_card(file), "threads": 1} == _card(whole)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["net.npz"]


@pytest.mark.jit
@pytest.mark.parametrize(
    "more",
    [
        {"later": 3, "decisions": 0.7, "finish": 0.4},
        {"iterations": 1, "rounds": 2, "steps": 2, "ahead": 2, "round_rate": 1.0},
    ],
    ids=["decisions", "rounds"],
)
def test_later_phases_go_on_where_they_were(
    more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "GAMES", 2)
    monkeypatch.setattr(training, "BETWEEN", 0.0)
    settings = {**SMALL, **more}
    whole, file = tmp_path / "whole.npz", tmp_path / "net.npz"
    rules = own("tiny")  # with one piece there are no decisions
    bars = {}

    def stage(label: str, number: int, unit: str) -> Callable[[int], None]:
        if label.startswith("training"):
            bars[unit] = number
        return lambda _: None

    total = _train(whole, settings=settings, rules=rules, stage=stage).total
    assert bars == ({"iterations": 1, "steps": 4} if "rounds" in more else {"iterations": 6})
    for last in range(2, total + 1):
        interrupting = _interrupting(last, settings["iterations"])
        with pytest.raises(InterruptedRunError):
            _train(file, settings=settings, rules=rules, stage=interrupting)
    found = _train(file, settings=settings, rules=rules, threads=2)
    assert found.resumed == total - 1
    assert _weights(file) == _weights(whole)
    assert found.figures["decisions"] > 0


DISTIL = {"units": 12, "later": 4, "iterations": 10, "batch": 2, "uniform": 0.2}


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        pytest.param("td", SMALL, marks=pytest.mark.jit),
        ("distil", {**DISTIL, "loss": "regret", "inputs": "path+threats"}),
        ("distil", {**DISTIL, "loss": "best"}),
    ],
)
def test_what_stops_early_goes_on_where_it_was_and_only_the_seed_decides(
    method: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_training, "PART", 4)  # threads share batches
    files, kept = [tmp_path / name for name in ("a.npz", "b.npz", "c.npz")], tmp_path / "kept"

    def trained(file: Path, **more: Any) -> Trained:
        given = {"output": file, "settings": settings, "threads": 1, **more}
        return train(method, own("tiny"), **given)

    whole = trained(files[0])
    stopped = trained(files[1], minutes=1e-9, checkpoint=kept)
    assert kept.exists()
    assert stopped.done < stopped.total == whole.done
    assert stopped.figures.items() <= read_network(files[1]).card.items()
    assert trained(files[1], checkpoint=kept, threads=2).resumed == stopped.done
    assert not kept.exists()
    trained(files[2], seed=2)
    one, same, other = map(_weights, files)
    assert one == same != other


def test_the_card_says_how_it_was_made(whole: Path) -> None:
    card = _card(whole)
    assert card["command"] == (
        "urcx train td --rules finkel -p 1 --seed 1 "
        "--set units=6,iterations=6,games=4,plies=8,two_plies=0.2 -o net.npz"
    )
    assert card["settings"]["plies"] == 8
    assert (card["iterations"], card["positions"]) == (6, 6 * 4 * 8)
    assert card["version"] == urcx.__version__
    json.dumps(card)


def test_checkpoints_of_other_trainings_and_damaged_ones(tmp_path: Path) -> None:
    file, kept = tmp_path / "net.npz", tmp_path / "net.npz.checkpoint"
    _train(file, minutes=1e-9)
    with pytest.raises(UsageError, match=r"other seed.* same again"):
        _train(file, seed=3)
    with pytest.raises(UsageError, match="other rules"):
        train("td", replace(_rules(), pieces=2), output=file, settings=SMALL)
    with pytest.raises(UsageError, match="other settings"):
        _train(file, settings={**SMALL, "rate": 0.5})
    good = read_checkpoint(kept)
    fewer = {name: array for name, array in good.arrays.items() if name != "flat"}
    for broken, error in (
        (replace(good, arrays=fewer), "no usable array flat"),
        (replace(good, counters={}), r"counters\.seconds.*\. Delete it"),
    ):
        write_checkpoint(kept, broken)
        with pytest.raises(TablebaseError, match=error):
            _train(file)
    both = np.full_like(good.arrays["positions"], 0)
    both[0, :2] = 1 << 6  # on one tile
    for name, array in (
        *((name, np.full_like(good.arrays[name], -1)) for name in ("positions", "square", "ended")),
        ("positions", both),
        ("positions", np.full_like(both, 1)),  # more pieces than there are
        *((name, np.full_like(good.arrays[name], np.nan)) for name in ("flat", "mean", "average")),
        ("teacher", np.full_like(good.arrays["teacher"], 1e30)),
        ("mean", np.full_like(good.arrays["mean"], 1e6)),  # of slopes with these squares
    ):
        write_checkpoint(kept, replace(good, arrays={**good.arrays, name: array}))
        with pytest.raises(TablebaseError, match=rf"no usable array {name}\. Delete it"):
            _train(file)
    wrong: dict[str, list[Any]] = {
        "fresh": ["x", -1, 1000, None, 0.5],
        "done": [-1, 7, []],
        "seconds": ["nan"],
        "strengths": [5, [5], [[1, 1, 1, "x"]], [[]]],
    }
    for counter, value in ((name, value) for name, values in wrong.items() for value in values):
        write_checkpoint(kept, replace(good, counters={**good.counters, counter: value}))
        with pytest.raises(TablebaseError, match=rf"counters\.{counter}.*\. Delete it"):
            _train(file)
    for name in ("\x1b[2J", "x\ny"):
        write_checkpoint(kept, replace(good, settings={**good.settings, name: 1}))
        with pytest.raises(UsageError) as raised:
            _train(file)
        assert str(raised.value).isprintable()
    write_checkpoint(kept, good)
    for _, text in damages(kept.read_bytes(), 20):
        kept.write_bytes(text)
        with pytest.raises(TablebaseError):
            _train(file)


@pytest.mark.jit
def test_a_network_that_cannot_be_written_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _train(tmp_path / "whole.npz")
    file = tmp_path / "net.npz"

    def full(*_: object) -> None:
        raise UsageError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(training, "write_network", full)
        with pytest.raises(UsageError, match="no space"):
            _train(file)
    assert not file.exists()
    again = _train(file)
    assert again.resumed == again.total
    assert np.array_equal(again.network.first, whole.network.first)
    assert not file.with_name("net.npz.checkpoint").exists()


@pytest.mark.parametrize("path", ["bell", "murray", "skiriuk"])
def test_positions_are_those_that_break_no_rule(path: str) -> None:
    rules = replace(_rules(), path=urcx.path(path), pieces=3)
    length = rules.path.length
    chance = np.random.default_rng(4)
    masks = 1 << chance.integers(-1, length + 1, (3, 2, 2000)).clip(0) >> 1
    own, other = np.bitwise_or.reduce(masks)
    homes = chance.integers(-1, 3, (2, 2000))
    rows = np.column_stack([own, homes[0], other, homes[1]])
    found = [are_positions(rules, rows[k : k + 1]) for k in range(2000)]
    ref = []
    for light, home, dark, other_home in rows.tolist():
        steps, others = (tuple(s + 1 for s in range(30) if mask >> s & 1) for mask in (light, dark))
        position = urcx.Position(steps, others, (int(home), int(other_home)))
        try:
            check(position, rules.path, 3)
        except PositionError:
            ref.append(False)
        else:
            ref.append(True)
    assert found == ref
    assert 50 < sum(found) < 1950
    good = np.array(found)
    assert are_positions(rules, rows[good])
    assert not are_positions(rules, rows)
    for home in (2, 3):
        row = np.array([[0, home, 1, 0]])
        assert are_positions(rules, row)
        assert are_positions(rules, row, unfinished=True) == (home == 2)


def test_checkpoints_keep_everything(tmp_path: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "none": np.zeros((0, 4), np.int16),
        "b": np.array([1 << 63], np.uint64),
    }
    given = Checkpoint({"seed": 1}, {"done": 3, "text": "x"}, dict(arrays))
    write_checkpoint(tmp_path / "x", given)
    found = read_checkpoint(tmp_path / "x")
    assert (found.settings, found.counters) == (given.settings, given.counters)
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)
    with pytest.raises(TablebaseError, match=r"^cannot write .*x: No such file"):
        write_checkpoint(tmp_path / "none" / "x", given)


@pytest.mark.jit
def test_it_learns(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    rules = urcx.ruleset("finkel", pieces=2)
    settings = {"units": 32, "iterations": 60, "games": 64, "plies": 32}
    train("td", rules, output=file, settings=settings)
    strong = urcx.regret([f"net:{file}", "greedy", "random"], rules).regrets
    wins = [one.side.wins for one in strong]
    assert wins[0] > wins[1] + 0.02
    assert wins[1] > wins[2]


@pytest.mark.jit
def test_beginning_with_a_network(tmp_path: Path, whole: Path) -> None:
    file = tmp_path / "net.npz"
    found = _train(file, start=whole, settings={**SMALL, "iterations": 1, "rate": 0.0})
    assert found.network.card["start_card"]["command"] == read_network(whole).card["command"]
    assert found.network.card["command"].endswith(" --start net.npz -o net.npz")
    np.testing.assert_allclose(found.network.first, read_network(whole).first, atol=1e-4)
    with pytest.raises(
        UsageError, match=r"has units=6, later=0, activation=squared, inputs=path\. Use"
    ):
        _train(file, start=whole, settings={**SMALL, "units": 5})
    with pytest.raises(UsageError, match="finkel with 1 piece"):
        train("td", "blitz", output=file, start=whole, settings=SMALL)
    _train(file, start=whole, minutes=1e-9)
    with pytest.raises(UsageError, match="other start"):
        _train(file)


def test_without_a_solution_greedy_is_the_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any) -> None:
        raise TooLargeError("too large")

    monkeypatch.setattr(training, "perfect_policy", none)
    found = _train(tmp_path / "net.npz", settings={**SMALL, "iterations": 1})
    assert found.opponent == "greedy"
    assert 0 < found.strengths[-1].wins < 1


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"seed": -1}, "seed -1"),
        ({"minutes": 0}, "minutes 0"),
        ({"settings": {"unit": 1}}, "unknown setting unit; known: units"),
        ({"settings": {"units": 0}}, "units 0: must be an integer from 1 to 1,024"),
        ({"settings": {"units": 1.5}}, "units 1.5"),
        ({"settings": {"units": "x"}}, "units x"),
        ({"settings": {"rate": "nan"}}, "rate nan: must be a number from 0 to 1"),
        ({"settings": {"rate": True}}, "rate True"),
        ({"settings": {"activation": "tanh"}}, "activation tanh: must be"),
        ({"settings": "units=4"}, "settings: must be None or a Mapping, not 'units=4'"),
        ({"file": "net.txt"}, r"net\.txt: .*\.npz"),
        ({"threads": 0}, "threads"),
    ],
)
def test_wrong_arguments(tmp_path: Path, more: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError, match=error):
        _train(**{"file": tmp_path / "net.npz", **more})
    assert not list(tmp_path.iterdir())


def test_unknown_methods_and_paths_that_are_not_alike(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown method of training 'tdd'; did you mean td"):
        train("tdd", _rules(), output=tmp_path / "net.npz")
    with pytest.raises(UsageError, match="unknown method of training '7'; known: td"):
        train(7, _rules(), output=tmp_path / "net.npz")  # type: ignore[arg-type]
    path = _rules().path
    crooked = replace(path, dark=(*path.dark[1::-1], *path.dark[2:]))
    rules = replace(_rules(), path=crooked)
    if not crooked.symmetric:
        with pytest.raises(OutOfDomainError, match=r"path .*both sides"):
            train("td", rules, output=tmp_path / "net.npz", settings=SMALL)


def test_settings_as_texts() -> None:
    assert parsed(["units=5, rate=0.1", "plies=3"]) == {"units": "5", "rate": "0.1", "plies": "3"}
    found = with_changes(TdSettings(), parsed(["units=5,rate=1e-3,activation=clipped"]))
    assert (found.units, found.rate, found.activation) == (5, 0.001, "clipped")
    for wrong in ("units", "=3", "units=", "units=1,units=2"):
        with pytest.raises(UsageError, match="--set"):
            parsed([wrong])
    for method in METHODS.values():
        names = [one.name for one in listed_settings(method.name, method.defaults())]
        assert set(method.quick) <= set(names)
        quick = with_changes(method.defaults(), method.quick)
        assert method.needs(_rules(), quick)[0] < method.needs(_rules(), method.defaults())[0]


def test_the_time_of_a_training_is_that_of_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Iterations take 1 s with one ply of look-ahead, 10 s with two, 5 s with decisions."""
    now, tried = 0.0, []

    def advance(self: td.TdSession) -> None:
        nonlocal now
        tried.append(self.done)
        now += 1.0 if self.done < 60 else 10.0 if self.done < 80 else 5.0

    monkeypatch.setattr(td.TdSession, "advance", advance)
    monkeypatch.setattr(td, "compute_clock", lambda: now)
    rules = urcx.ruleset("finkel", pieces=2)
    alone = TdSettings(units=4, iterations=100, games=4, plies=4, two_plies=0.4, decisions=0.2)
    assert td.td_tried(rules, alone, 1) == pytest.approx(60 * 1 + 20 * 10 + 20 * 5)
    assert tried == [0, 0, 59, 59, 60, 60, 80, 80]
    rounds = replace(alone, rounds=2, steps=1000)
    longer = td.td_seconds(rules, rounds) / td.td_seconds(rules, alone)
    assert longer > 2
    assert td.td_tried(rules, rounds, 1) == pytest.approx(360 * longer)
    way, tried = METHODS["td"], []
    assert way.seconds(rules, alone, 2) == pytest.approx(td.td_seconds(rules, alone) / 2)
    assert not tried  # it is short
    monkeypatch.setattr("urcx.contrib.learning.training.SOME_TIME", 0.0)
    assert way.seconds(rules, alone, 1) == pytest.approx(360)


def test_what_needs_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match=r"training by td needs .* are free"):
        _train(tmp_path / "net.npz")


def test_schedules() -> None:
    assert between(1e-2, 1e-4, 0.5) == pytest.approx(1e-3)
    assert between(0.0, 1.0, 0.25) == 0.25

"""The data that a release has: made, gone on with, checked, and found out where it is damaged."""

import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import dataset
import pytest
from dataset import Dataset, game_items, items

import urcx
from urcx.cli import main
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.rules import catalogue

ONE = urcx.ruleset("finkel", pieces=1)
as_a_process = dataset.urcx_in


def in_this_process(place: Path, line: str) -> str:
    """Do what ``dataset.urcx_in`` does, without a start of Python for each command."""
    err = io.StringIO()
    with (
        contextlib.chdir(place),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main(line.split())
    message = err.getvalue().strip().splitlines()[-1:]
    return message[0].removeprefix("urcx: ") if ended.value.code else ""


@pytest.fixture(scope="module", autouse=True)
def quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dataset, "urcx_in", in_this_process)
        yield


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a game, for all tests; those that change it copy it."""
    place = tmp_path_factory.mktemp("kept")
    assert not made(place, list(game_items(ONE))).left_out
    return place


def made(place: Path, chosen: list[dataset.Item], *, quick: bool = False) -> Dataset:
    found = Dataset(place, quick=quick)
    for item in chosen:
        found.make(item)
    found.write()
    return found


def test_a_game_is_written_described_and_checked(kept: Path) -> None:
    manifest = json.loads((kept / dataset.MANIFEST).read_text(encoding="utf-8"))
    names = {one["name"] for one in manifest["files"]}
    assert names == {item.name for item in game_items(ONE)}
    lines = (kept / dataset.SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    there = {file.relative_to(kept).as_posix() for file in kept.rglob("*") if file.is_file()}
    assert sums.keys() == there - {dataset.SUMS}
    for name, digest in sums.items():
        assert hashlib.sha256((kept / name).read_bytes()).hexdigest() == digest
    for name in names:
        assert sums[name] in (kept / dataset.sheet(name)).read_text(encoding="utf-8")
        assert f"`{name}`" in (kept / "README.md").read_text(encoding="utf-8")
    solved = next(one for one in manifest["files"] if one["name"].endswith("finkel-1.urcx"))
    assert 0 < solved["bound"] < 1e-12
    assert dataset.check(kept) == []


def test_what_was_lost_or_changed_is_found_and_made_again(kept: Path, tmp_path: Path) -> None:
    place = shutil.copytree(kept, tmp_path / "copy")
    names = [item.name for item in game_items(ONE)]
    times = {name: (place / name).stat().st_mtime_ns for name in names}
    (place / "counts/finkel-1-reach.csv").unlink()
    with (place / "counts/finkel-1-perft-b.txt").open("a") as stream:
        stream.write("9 9\n")
    broken = ["counts/finkel-1-perft-b.txt", "counts/finkel-1-reach.csv"]
    assert [line.partition(":")[0] for line in dataset.check(place)] == broken
    made(place, list(game_items(ONE)))
    assert (
        sorted(name for name in names if (place / name).stat().st_mtime_ns != times[name]) == broken
    )


def test_of_a_download_nothing_is_believed_but_sums_and_nothing_of_it_is_run(
    kept: Path, tmp_path: Path
) -> None:
    place = shutil.copytree(kept, tmp_path / "copy")
    manifest = json.loads((place / dataset.MANIFEST).read_text(encoding="utf-8"))
    for one in manifest["files"]:
        one["checks"] = ["match bad.py:f random --games 2", "perft -d 1 -o written"]
    (place / dataset.MANIFEST).write_text(json.dumps(manifest)[:-1])
    (place / "bad.py").write_text("open('run', 'w')\ndef f(game, roll):\n    return 0\n")
    (place / "play/finkel-1.play").unlink()
    option = place / "play/x --output=written.play"
    option.write_text("")
    sums = place / dataset.SUMS
    sums.write_text(f"{sums.read_text()}{dataset.digest(option)}  play/{option.name}\n")
    broken = [line.partition(":")[0] for line in dataset.check(place)]
    assert broken == ["'bad.py'", "manifest.json", "play/finkel-1.play", f"'play/{option.name}'"]
    assert not {"run", "written", "written.play"} & {file.name for file in place.rglob("*")}


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"files": 1}', '{"files": [{"name": []}]}', "\ud800", "[" * 100_000]
)
def test_a_damaged_manifest_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / dataset.MANIFEST).write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(SystemExit, match=r"^.*manifest\.json is damaged\b.*$"):
        Dataset(tmp_path)


def test_tables_are_parquet_too(kept: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for file in sorted(kept.rglob("*.csv")):
        found = parquet.read_table(file.with_suffix(".parquet")).to_pylist()
        lines = [line for line in file.read_text().splitlines() if not line.startswith("# ")]
        names = lines[0].split(",")
        assert [list(row) for row in found] == [names] * (len(lines) - 1)
        for row, line in zip(found, lines[1:], strict=True):
            said = ["" if value is None else str(value) for value in row.values()]
            assert said == line.split(",")


@pytest.mark.parametrize(
    ("texts", "values", "kind"),
    [
        (["1", "", "-2"], [1, None, -2], "int64"),
        (["1", "1" + "0" * 30], [Decimal(1), Decimal(10) ** 30], "decimal128(38, 0)"),
        (["1", "1" + "0" * 40], ["1", "1" + "0" * 40], "string"),
        (["1", "0.5"], [1.0, 0.5], "double"),
        (["1", "bell"], ["1", "bell"], "string"),
    ],
)
def test_numbers_of_a_table_lose_no_digit(texts: list[str], values: list[Any], kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.array(*dataset.typed(texts, pa))
    assert column.to_pylist() == values
    assert str(column.type) == kind


def test_values_of_another_game_are_found_out(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A whole and sound file, but not of the game that it says: the check solves that game anew.
    file = kept / "solutions/finkel-1.urcx"
    assert dataset.differing(file) == []
    other, solve = replace(ONE, dice=urcx.dice("binary3")), urcx.solve
    monkeypatch.setattr(urcx, "solve", lambda _, file: solve(other, file))
    (found,) = dataset.differing(file)
    assert "differs from the game solved again" in found


def test_what_a_machine_cannot_make_is_left_out_with_the_reason(tmp_path: Path) -> None:
    solve = dataset.Item("a.urcx", "nothing", "solve --rules nosuch -o a.urcx")
    found = made(tmp_path, [solve, dataset.Item("a.play", "nothing", "compress a.urcx -o a.play")])
    assert "nosuch" in found.left_out["a.urcx"]
    assert found.left_out["a.play"] == "needs a.urcx"
    assert json.loads((tmp_path / dataset.MANIFEST).read_text())["left_out"][0]["name"] == "a.urcx"
    assert dataset.check(tmp_path) == []
    assert dataset.check(tmp_path / "none") == [f"{tmp_path}/none has no SHA256SUMS"]


def test_commands_are_processes_that_say_why_they_failed(tmp_path: Path) -> None:
    for line in ("perft -d 1 -o one", "perft --rules nosuch", "check one"):
        why = as_a_process(tmp_path, line)
        assert why == in_this_process(tmp_path, line)
        assert bool(why) == (line != "perft -d 1 -o one")
    assert (tmp_path / "one").is_file()


def test_names_of_files_are_all_different() -> None:
    names = [item.name for item in items([ONE, urcx.ruleset("kwan")])]
    assert len(names) == len(set(names)) > 50


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({one.name for one in catalogue.catalogue().rules.values()}))
def test_every_rule_set_with_two_pieces(name: str, tmp_path: Path) -> None:
    rules = urcx.ruleset(name, pieces=2)
    chosen = list(game_items(rules))
    if layer_obstacle(rules):  # no tablebase, and so no best moves; other means take minutes
        chosen = [item for item in chosen if not item.name.endswith(("random.csv", "greedy.csv"))]
        found = made(tmp_path, [item for item in chosen if not item.table], quick=True)
        assert all(file.startswith("counts/") for file in found.files)
        reasons = [why for why in found.left_out.values() if not why.startswith("needs solutions/")]
        assert reasons
        assert all("tablebase" in why for why in reasons)
    else:
        assert not made(tmp_path, chosen, quick=True).left_out
    assert dataset.check(tmp_path) == []


@pytest.mark.jit
@pytest.mark.slow
def test_what_is_of_no_rule_set(tmp_path: Path) -> None:
    found = made(tmp_path, list(items([], 3)), quick=True)
    assert dataset.check(tmp_path) == []
    assert not found.left_out
    assert {"verdicts.csv", "verdicts.json", "counts/bell-b.txt"} < found.files.keys()

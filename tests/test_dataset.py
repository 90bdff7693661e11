"""The data that a release has: made, gone on with, checked, and found out where it is damaged."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import dataset
import pytest
from dataset import Dataset, game_items, items

import urcx

ONE = urcx.ruleset("finkel", pieces=1)


def made(place: Path, chosen: list[dataset.Item]) -> Dataset:
    found = Dataset(place)
    for item in chosen:
        found.make(item)
    found.write()
    return found


def test_a_game_is_written_described_and_checked(tmp_path: Path) -> None:
    found = made(tmp_path, list(game_items(ONE)))
    assert not found.left_out
    manifest = json.loads((tmp_path / dataset.MANIFEST).read_text(encoding="utf-8"))
    names = {one["name"] for one in manifest["files"]}
    assert names == {item.name for item in game_items(ONE)}
    for line in (tmp_path / dataset.SUMS).read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
        sheet = tmp_path / "sheets" / f"{name.replace('/', '-')}.md"
        assert digest in sheet.read_text(encoding="utf-8")
        assert f"`{name}`" in (tmp_path / "README.md").read_text(encoding="utf-8")
    solved = next(one for one in manifest["files"] if one["name"].endswith("finkel-1.urcx"))
    assert 0 < solved["bound"] < 1e-12
    assert Dataset(tmp_path).check() == []

    # What is there is not made again; what was lost or changed is.
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in names}
    (tmp_path / "counts/finkel-1-reach.csv").unlink()
    with (tmp_path / "counts/finkel-1-perft-b.txt").open("a") as stream:
        stream.write("9 9\n")
    assert [line.partition(":")[0] for line in Dataset(tmp_path).check()] == [
        "counts/finkel-1-perft-b.txt", "counts/finkel-1-reach.csv",
    ]  # fmt: skip
    made(tmp_path, list(game_items(ONE)))
    again = {name for name in names if (tmp_path / name).stat().st_mtime_ns != times[name]}
    assert again == {"counts/finkel-1-perft-b.txt", "counts/finkel-1-reach.csv"}


def test_values_of_another_game_are_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A whole and sound file, but not of the game that it says: the check solves that game anew.
    urcx.solve(ONE, tmp_path / "one.urcx")
    assert dataset.differing(tmp_path / "one.urcx") == []
    other, solve = replace(ONE, dice=urcx.dice("binary3")), urcx.solve
    monkeypatch.setattr(urcx, "solve", lambda _, file: solve(other, file))
    (found,) = dataset.differing(tmp_path / "one.urcx")
    assert "is not what the game solved anew has" in found


def test_what_a_machine_cannot_make_is_left_out_with_the_reason(tmp_path: Path) -> None:
    found = made(tmp_path, [dataset.Item("a.urcx", "nothing", "solve --rules nosuch -o a.urcx")])
    assert "nosuch" in found.left_out["a.urcx"]
    assert json.loads((tmp_path / dataset.MANIFEST).read_text())["left_out"][0]["name"] == "a.urcx"
    assert Dataset(tmp_path).check() == [f"{tmp_path} has no manifest.json with files"]


def test_names_of_files_are_all_different() -> None:
    names = [item.name for item in items([ONE, urcx.ruleset("kwan")])]
    assert len(names) == len(set(names)) > 50


@pytest.mark.slow(300)
def test_all_rule_sets_with_three_pieces(tmp_path: Path) -> None:
    dataset.main([str(tmp_path), "-p", "3"])
    assert Dataset(tmp_path).check() == []

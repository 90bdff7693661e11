"""urcx-check, a separate program, proves our tablebases; its reference implementation agrees."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import own_rules
import pytest
from damage import damages, edited

import urcx
from urcx.engine.files.sealed import checksum
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import TablebaseError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.independent import rules_read

CHECKER = Path(__file__).parents[2] / "checker"
COMPILER = next(filter(shutil.which, ("cc", "gcc", "clang")), "")
# Memory is not freed at the end, and a header may claim more memory than there is.
ASAN = "exitcode=99:detect_leaks=0:allocator_may_return_null=1"
GUARDS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BUILD = ("-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-frounding-math", "-ffp-contract=off")

LAYERED = [name for name, rules in catalogue.catalogue().rules.items() if not layer_obstacle(rules)]
OWN = [
    name
    for name in ("short", "corner", "tiny", "wings", "some")
    if not layer_obstacle(own_rules.own(name))
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not COMPILER:
        pytest.skip("no C compiler")
    made = tmp_path_factory.mktemp("checker") / "urcx-check"
    source = CHECKER / "urcx-check.c"
    subprocess.run([COMPILER, *BUILD, "-o", made, source, "-lm", "-lpthread"], check=True)
    return made


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program with the compiler's checks of every access and operation."""
    made = tmp_path_factory.mktemp("guarded") / "urcx-check"
    source = CHECKER / "urcx-check.c"
    command = [COMPILER, *BUILD, "-g", *GUARDS, "-o", str(made), str(source), "-lm", "-lpthread"]
    if not COMPILER or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"no C compiler with {GUARDS[0]}")
    return made


def run(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(
        words, capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=300,
        env={**os.environ, "ASAN_OPTIONS": ASAN, "UBSAN_OPTIONS": "exitcode=99"},
    )  # fmt: skip


def proven(*command: object) -> tuple[float, float, float]:
    """Return the proven bounds of the opening, and the proven error bound of all values."""
    ended = run(*command)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return bounds_in(ended.stdout)


def bounds_in(text: str) -> tuple[float, float, float]:
    match = re.search(
        r"at least (\S+)\n +at most +(\S+)\nany of \d+ values is off by at most (\S+)", text
    )
    assert match, text
    low, high, off = map(float, match.groups())
    return low, high, off


def solved(rules: RuleSet, directory: Path, store: str = "f64") -> tuple[Path, float]:
    """Return a tablebase of a rule set, and the win probability of the first player."""
    file = directory / "solved.urcx"
    return file, urcx.solve(rules, file, store=store).solved.opening


@pytest.mark.parametrize("name", OWN)
def test_the_slow_twin_proves_the_same(name: str, program: Path, tmp_path: Path) -> None:
    file, value = solved(own_rules.own(name), tmp_path)
    low, high, off = proven(program, file)
    assert f"\nrules: {rules_read(own_rules.own(name))}\n" in run(program, file).stdout
    slow_low, slow_high, slow_off = proven(sys.executable, CHECKER / "slow_check.py", file)
    assert max(low, slow_low) <= value <= min(high, slow_high)
    assert high - low <= 2.01 * off + 2e-16  # of 16 digits, rounded outward
    assert max(off, slow_off) <= 1e-12


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in {"finkel", "aseb"} else [pytest.mark.slow])
        for name in LAYERED
    ],
)
def test_rule_sets_of_one_piece_are_proven(name: str, program: Path, tmp_path: Path) -> None:
    rules = urcx.ruleset(name, pieces=1)
    file, value = solved(rules, tmp_path)
    low, high, off = proven(program, file)
    assert f"\nrules: {rules_read(rules)}\n" in run(program, file).stdout
    assert low <= value <= high
    assert high - low <= 2.01 * off + 2e-16  # of 16 digits, rounded outward
    assert off <= 1e-12


@pytest.mark.parametrize("name", ["blitz", "finkel"])
def test_games_of_two_pieces_are_proven(name: str, program: Path, tmp_path: Path) -> None:
    file, value = solved(urcx.ruleset(name, pieces=2), tmp_path)
    bounds = {proven(program, file, threads)[:2] for threads in (1, 3)}
    assert all(low <= value <= high and high - low < 1e-12 for low, high in bounds)
    said = run(program, file).stdout
    assert hashlib.sha256(file.read_bytes()).hexdigest() in said


@pytest.mark.parametrize(("store", "most"), [("f32", 1e-5), ("u16", 0.02)])
def test_rounded_values_are_proven_within_what_they_are(
    store: str, most: float, program: Path, tmp_path: Path
) -> None:
    file, value = solved(urcx.ruleset("finkel", pieces=2), tmp_path, store)
    low, high, off = proven(program, file)
    assert low <= value <= high
    assert off <= most


def header_of(data: bytes) -> tuple[dict[str, Any], int]:
    """Return a file's header, and the place of the data after it."""
    end = 16 + int.from_bytes(data[8:16], "little")
    return json.loads(data[16:end]), end


def with_header(data: bytes, text: bytes) -> bytes:
    """Return a file with another header of the same length, and its checksum."""
    header, _ = header_of(data)
    begin = header["data"]["begin"]
    head = data[:8] + len(text).to_bytes(8, "little") + text
    start = head + checksum(head)
    assert len(start) <= begin
    return start.ljust(begin, b"\0") + data[begin:]


def claim(file: Path, flag: str, claimed: bool) -> None:
    """Change the rules in a file's header."""
    header, _ = header_of(file.read_bytes())
    header["rules"][flag] = claimed
    file.write_bytes(with_header(file.read_bytes(), json.dumps(header).encode()))


def test_rules_that_it_does_not_know_are_refused(program: Path, tmp_path: Path) -> None:
    file, _ = solved(urcx.ruleset("finkel", pieces=1), tmp_path)
    claim(file, "x", claimed=True)
    ended = run(program, file)
    assert ended.returncode == 2
    assert "does not know" in ended.stderr
    assert "does not know" in run(sys.executable, CHECKER / "slow_check.py", file).stderr


@pytest.mark.parametrize(
    ("flag", "claimed"),
    [("rosette_protects", False), ("rosette_grants_roll", False), ("capture_grants_roll", True)],
)
def test_a_solution_of_other_rules_is_not_taken_for_one_of_these(
    flag: str, claimed: bool, program: Path, tmp_path: Path
) -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    value = urcx.solve(own_rules.own("finkel", pieces=1, **{flag: claimed})).solved.opening
    file, _ = solved(rules, tmp_path)
    claim(file, flag, claimed)
    for command in ((program, file), (sys.executable, CHECKER / "slow_check.py", file)):
        ended = run(*command)  # the order of threads decides whether the error suffices
        if ended.returncode == 0:  # then the bounds are wide, and hold for these rules
            low, high, off = bounds_in(ended.stdout)
            assert off > 0.01
            assert low <= value <= high


def test_one_wrong_value_in_ten_thousand_widens_the_bounds_or_fails(
    program: Path, tmp_path: Path
) -> None:
    file, value = solved(urcx.ruleset("finkel", pieces=2), tmp_path)
    data = file.read_bytes()
    header, _ = header_of(data)
    chance = random.Random(7)
    for off in (1e-9, 1e-4, 0.3):
        row = chance.choice(header["layers"])
        at = row["offset"] + 8 * chance.randrange(row["states"])
        (right,) = struct.unpack_from("<d", data, at)
        wrong = right - off if right > 0.5 else right + off
        file.write_bytes(data[:at] + struct.pack("<d", wrong) + data[at + 8 :])
        ended = run(program, file)
        if ended.returncode == 0:
            low, high, most = bounds_in(ended.stdout)
            assert low <= value <= high
            assert most >= off * 0.99
        else:
            assert ended.stdout.startswith("NOT PROVEN")


MEMBERS = ("capture_grants_roll", "pieces", "store", "layers", "offset")


@pytest.mark.parametrize("name", MEMBERS)
def test_all_three_refuse_a_header_with_a_member_twice(
    name: str, program: Path, tmp_path: Path
) -> None:
    """If readers used different fields, a proof could be about another game."""
    file, _ = solved(own_rules.own("tiny"), tmp_path)
    data = file.read_bytes()
    header, _ = header_of(data)
    text = json.dumps(header, separators=(",", ":"))
    wrong, value = next(re.finditer(rf'"{name}":(true|false|\d+|"\w+"|\[.*?\])', text)).span()
    file.write_bytes(with_header(data, f"{text[:value]},{text[wrong:]}".encode()))
    for command in ((program, file), (sys.executable, CHECKER / "slow_check.py", file)):
        ended = run(*command)
        assert ended.returncode in (1, 2)
        assert re.search(rf"{name}.* twice|twice.* {name}", ended.stderr), ended
    with pytest.raises(TablebaseError, match=f"'{name}' is there twice"):
        urcx.open_tablebase(file)


def test_a_header_that_ends_within_the_rules_is_not_read_beyond(
    guarded: Path, tmp_path: Path
) -> None:
    file, _ = solved(urcx.ruleset("finkel", pieces=1), tmp_path)
    data = file.read_bytes()
    header, end = header_of(data)
    for name in header["rules"]:
        length = data.index(f'"{name}"'.encode()) + len(name) + 2 - 16
        file.write_bytes(data[:8] + length.to_bytes(8, "little") + data[16:])
        ended = run(guarded, file)
        assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1), ended
    assert end > 16 + length


def test_a_header_without_a_layer_is_refused(guarded: Path, tmp_path: Path) -> None:
    file, _ = solved(urcx.ruleset("finkel", pieces=2), tmp_path)
    data = file.read_bytes()
    header, _ = header_of(data)
    for k in range(len(header["layers"])):
        rows = header["layers"][:k] + header["layers"][k + 1 :]
        file.write_bytes(with_header(data, json.dumps({**header, "layers": rows}).encode()))
        for command in ((guarded, file), (sys.executable, CHECKER / "slow_check.py", file)):
            ended = run(*command)
            assert ended.returncode in (1, 2)
            assert "layer" in ended.stderr, ended


def rewritten(data: bytes, chance: random.Random) -> bytes:
    """Return a file whose header lacks characters, or has some twice or changed."""
    end = 16 + int.from_bytes(data[8:16], "little")
    text = data[16:end]
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(text))
        size = chance.choice((0, 1, 1, 10, len(text)))
        new = (b"", bytes([chance.choice(b'"\\{}[],:/-0 9et\0\n\xff')]), text[at : at + 30])
        text = text[:at] + chance.choice(new) + text[at + size :]
        text = text or b"{"
    data = data if chance.random() < 0.5 else data[:-1]
    return data[:8] + len(text).to_bytes(8, "little") + text + data[end:]


@pytest.mark.parametrize(("store", "seed"), [("f64", 1), ("f32", 2), ("u16", 3)])
@pytest.mark.parametrize("number", [60, pytest.param(500, marks=pytest.mark.slow(60))])
def test_nothing_in_a_file_leads_it_out_of_its_memory(
    store: str, seed: int, number: int, guarded: Path, tmp_path: Path
) -> None:
    file, _ = solved(urcx.ruleset("finkel", pieces=1), tmp_path, store)
    data = file.read_bytes()
    header, end = header_of(data)
    chance = random.Random(seed)
    damaged = damages(data, number, seed)
    for case in range(number):
        new = next(damaged)[1]
        if case % 3 == 1:
            new = rewritten(data, chance)
        elif case % 3 == 2:
            text = json.dumps(edited(header, chance)).encode()
            new = data[:8] + len(text).to_bytes(8, "little") + text + data[end:]
        file.write_bytes(new)
        ended = run(guarded, file, 1)
        assert ended.returncode in (0, 1, 2), (case, ended)
        assert "runtime error" not in ended.stderr, (case, ended)


def test_files_that_cannot_be_used_are_refused_in_a_line(program: Path, tmp_path: Path) -> None:
    file, _ = solved(urcx.ruleset("finkel", pieces=1), tmp_path)
    data = file.read_bytes()
    header, end = header_of(data)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    chance = random.Random(5)
    assert run(program, pipe).returncode == run(program, tmp_path / "none").returncode == 2
    for case in range(200):
        text = json.dumps(edited(header, chance)).encode()
        size = min(len(text), len(data)) if case % 2 else chance.randrange(len(data))
        file.write_bytes(data[:8] + len(text).to_bytes(8, "little") + text + data[end:][:size])
        ended = run(program, file)
        assert ended.returncode in (0, 1, 2), ended
        assert (len(ended.stderr.splitlines()) == 1) == (ended.returncode == 2), ended


def test_it_is_small_and_shares_nothing() -> None:
    source = (CHECKER / "urcx-check.c").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 550
    assert all(line.startswith("#include <") for line in source.splitlines() if "include" in line)
    slow = (CHECKER / "slow_check.py").read_text(encoding="utf-8")
    assert not re.search(r"^\s*(from|import) urcx", slow, re.MULTILINE)


@pytest.mark.skipif(not shutil.which("coqc"), reason="no Coq")
def test_the_lemma_is_proven(tmp_path: Path) -> None:
    copy = shutil.copy(CHECKER / "certificate.v", tmp_path)
    ended = run("coqc", copy)
    assert ended.returncode == 0, ended.stderr
    # What it rests on: two axioms of the standard library's real numbers, and nothing of ours.
    assumed = set(re.findall(r"^([\w.]+)$|^([\w.]+) *:", ended.stdout, re.MULTILINE))
    names = {one or other for one, other in assumed} - {"Axioms"}
    assert {name.split(".")[0] for name in names} == {
        "ClassicalDedekindReals",
        "FunctionalExtensionality",
    }

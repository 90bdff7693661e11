"""Bad input: one line on stderr, the right exit code, nothing written, nothing computed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from command_line import assert_one_line, commands, run, run_process

# Arguments, and what the message says.
WRONG_USAGE = [
    # Names.
    ("ssc --path bel", ["'bel'", "did you mean bell"]),
    ("solv", ["no such command 'solv'", "'solve'? See urcx --help"]),
    ("show 5", ["1 field where four belong"]),
    ("ssc --path bell,mury", ["'mury'", "murray"]),
    ("ssc --path ,", ["--path ','", "empty"]),
    ("paths skiryuk", ["'skiryuk'", "skiriuk"]),
    ("ssc --rules finkel", ["--rules", "use --path bell"]),
    ("ssc --rules=blitz", ["use --path masters"]),
    ("gtc --path bell", ["use --rules finkel"]),
    ("reach finkel", ["'finkel'", "use --rules finkel"]),
    ("verify post", ["use --source post"]),
    ("gtc greedy", ["use --agent greedy"]),
    ("play greedy", ["use --against greedy"]),
    ("solve finkel", ["finkel is a rule set", "use --rules finkel"]),
    ("train foo", ["unknown method of training 'foo'"]),
    ("show blitz", ["rule set", "use --rules blitz"]),
    ("ssc bell --path aseb", ["bell", "aseb", "leave out one"]),
    ("rank 6,3/16/0-0/L", ["step 16", "--path masters"]),
    ("rank 6,3/11/9-0/L", ["-p 11"]),
    ("paths binary4", ["binary4 are dice", "urcx dice --dice binary4"]),
    ("enumerate --path zzzzzz", ["'zzzzzz'", "known:", "aseb"]),
    ("rank --path Bell", ["'Bell'", "bell"]),
    ("conflicts --path bel", ["'bel'", "bell"]),
    ("verify --source pst", ["'pst'", "post"]),
    ("rank --convention positoins", ["'positoins'", "positions"]),
    ("rank --order tile", ["'tile'", "tiles"]),
    ("enumerate --visit all", ["'all'", "write", "count"]),
    ("ssc --compare shapes", ["'shapes'", "paths", "forms"]),
    # Ranges.
    ("ssc -p 0", ["pieces '0'"]),
    ("ssc -p 0..3", ["'0..3'"]),
    ("ssc -p 7..3", ["'7..3'", "3..7"]),
    ("ssc -p a", ["'a'", "1..15"]),
    ("ssc -p -1", ["'-1'"]),
    ("ssc -p 1..", ["'1..'"]),
    ("ssc -p ..3", ["'..3'"]),
    ("ssc -p 1...3", ["'1...3'"]),
    ("ssc -p 1,", ["'1,'"]),
    ("ssc -p 1.5", ["'1.5'"]),
    ("ssc -p 1-3", ["'1-3'"]),
    ("ssc -p \u0663", ["'\u0663'"]),
    ("ssc -p 1..1000000000", ["1000000000"]),
    ("ssc -p 99999999999999999999999999", ["99999999999999999999999999"]),
    ("ssc --dark-pieces 0", ["dark pieces '0'"]),
    ("ssc --dark-pieces 1..3", ["dark pieces '1..3'", "one number"]),
    ("enumerate -p 1..3", ["'1..3'", "one number"]),
    ("conflicts -p 3..1", ["'3..1'"]),
    ("sample -n 0", ["-n"]),
    ("sample -n many", ["-n", "write a whole number"]),
    ("solve --tolerance small", ["--tolerance", "write a number"]),
    ("sample --seed -1", ["seed -1 is not from 0 to 2^63 - 1"]),
    # Options that do not go together.
    ("ssc --json --csv", ["--json", "--csv"]),
    ("paths --json --csv", ["--json", "--csv"]),
    ("verify --csv --json", ["--json", "--csv"]),
    ("ssc --latex", ["--latex", "--symbolic"]),
    ("ssc --symbolic -p 3", ["--pieces", "--symbolic"]),
    ("enumerate -p 1 --order foo", ["--order", "--visit ranks"]),
    ("enumerate -p 1 --visit count --order tiles", ["--order", "--visit ranks"]),
    ("reach -p 1 --seed 1", ["--seed", "--samples"]),
    ("reach -p 1 --samples 5 --seed -1", ["seed -1", "from 0"]),
    ("reach -p 1 --samples 5 --threads 0", ["--threads", "--samples"]),
    ("enumerate --path bell,masters", ["one path", "bell", "masters"]),
    ("rank --convention mover-view --dark-pieces 3", ["mover-view", "equal"]),
    ("rank --order pattern --path murray", ["murray crosses tiles more than once", "tiles"]),
    # The command line itself.
    ("sc", ["'sc'", "urcx --help"]),
    ("sscc", ["'sscc'", "ssc"]),
    ("ssc --pth bell", ["--pth", "--path"]),
    ("--bogus", ["--bogus"]),
    ("ssc bel", ["'bel'", "did you mean bell"]),
    ("ssc -p", ["-p"]),
    ("paths bell masters", ["masters"]),
    ("ssc --plot figure.gif", ["figure.gif", ".svg"]),
    ("conflicts --plot figure", ["figure", ".svg"]),
    # Files to read.
    ("ssc --path-file none.toml", ["none.toml", "No such file"]),
    ("ssc --path-file .", ["cannot read", "irectory"]),
]


def names(directory: str = ".") -> list[str]:
    """Return what is in a directory."""
    return sorted(file.name for file in Path(directory).iterdir())


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("arguments", "words"), WRONG_USAGE, ids=[a for a, _ in WRONG_USAGE])
def test_wrong_usage(arguments: str, words: list[str]) -> None:
    message = assert_one_line(run(*arguments.split()), 2)
    assert all(word in message for word in words), message
    assert names() == []


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_refuses_an_unknown_option(name: str) -> None:
    assert "--no-such-option" in assert_one_line(run(name, "--no-such-option"), 2)


@pytest.mark.parametrize(
    "arguments",
    ["ssc --path bel", "ssc -p 7..3", "ssc --json --csv", "nonsense", "rank --bogus"],
)
def test_wrong_usage_as_a_process(arguments: str) -> None:
    # typer draws tracebacks and boxes of its own when it runs a process.
    assert_one_line(run_process(*arguments.split()), 2)


def test_messages_are_sentences_with_one_stop_at_most() -> None:
    assert ".;" not in assert_one_line(run("nonsense"), 2)


@pytest.mark.parametrize(
    "arguments",
    [
        "enumerate -p 300",
        "enumerate -p 1 --dark-pieces 300",
        "enumerate -p 300 --visit count",
        "rank -p 300",
        "sample -p 300",
        "conflicts -p 300",
        "ssc -p 300 --enumerate",
    ],
)
def test_too_many_pieces_for_the_enumerator(arguments: str) -> None:
    message = assert_one_line(run(*arguments.split()), 1)
    assert "300" in message, "which"
    assert "255" in message, "why"


def test_too_many_placements_for_a_matrix() -> None:
    message = assert_one_line(run("conflicts", "-p", "9", "--plot", "conflicts.svg"), 1)
    assert "fewer pieces" in message
    assert names() == []


def test_rows_that_do_not_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The text is written as it comes; JSON would first hold 138 million rows.
    def visited(*_: object, **__: object) -> None:
        pytest.fail("visited before the size was checked")

    monkeypatch.setattr("urcx.enumerate.enumerator.diagram_blocks", visited)
    monkeypatch.setattr("urcx.enumerate.rankings.ranking_base.diagram_blocks", visited)
    message = assert_one_line(run("enumerate", "-p", "7", "--json"), 1)
    assert "137,913,936" in message or "137913936" in message
    assert_one_line(run("enumerate", "--path", "murray", "-p", "7", "--visit", "ranks"), 1)


# Path files.


@pytest.mark.parametrize(
    ("line", "key", "word"),
    [
        ('light = "A4 B9"', "path.mine.light", "B9"),
        ('light = "A4 A4"', "path.mine.light", "twice"),
        ('ligth = "A4"', "path.mine.ligth", "unknown key"),
        ("light = 7", "path.mine.light", "text"),
    ],
)
def test_a_malformed_path_file_names_line_and_key(line: str, key: str, word: str) -> None:
    Path("mine.toml").write_text(f'[path.mine]\nboard = "standard"\n{line}\n', encoding="utf-8")
    for command in ("ssc", "paths", "enumerate", "rank", "sample", "conflicts"):
        message = assert_one_line(run(command, "--path-file", "mine.toml"), 2)
        assert message.startswith(f"mine.toml, line 3: {key}: ")
        assert word in message


def test_a_path_file_without_paths_needs_a_choice() -> None:
    Path("mine.toml").write_text("# nothing\n", encoding="utf-8")
    message = assert_one_line(run("ssc", "--path-file", "mine.toml"), 2)
    assert "mine.toml" in message
    assert "--path" in message
    assert run("ssc", "--path-file", "mine.toml", "--path", "bell", "--no-enumerate").code == 0


def test_a_command_for_one_path_refuses_a_file_with_two() -> None:
    text = "".join(f'[path.{n}]\nboard = "standard"\nlight = "B1"\n' for n in ("one", "two"))
    Path("mine.toml").write_text(text, encoding="utf-8")
    message = assert_one_line(run("rank", "--path-file", "mine.toml"), 2)
    assert "one, two" in message
    assert run("rank", "--path-file", "mine.toml", "--path", "two", "-p", "1").code == 0


# Lines of filters.


@pytest.mark.parametrize(
    ("command", "line", "words"),
    [
        ("rank", "1,1/-/0-0/L", ["light", "step 1"]),
        ("rank", "-/x/0-0/L", ["dark", "'x'"]),
        ("rank", "-/-/0/L", ["home", "'0'"]),
        ("rank", "-/-/0-0/W", ["turn", "'W'"]),
        ("rank", "15/-/0-0/L", ["light", "step 15"]),
        ("rank", "6/6/0-0/L", ["dark", "B2"]),
        ("rank", "1,2/-/6-0/L", ["light", "more than 7"]),
        ("rank", "nonsense", ["1 field ", "four belong"]),
        ("unrank", "137913936", ["137913936", "0..137913935"]),
        ("unrank", "-1", ["-1", "0..137913935"]),
        ("unrank", "9" * 99, ["0..137913935"]),
        ("unrank", "x", ["'x'"]),
        ("unrank", "1.0", ["'1.0'"]),
        ("unrank", "1_0", ["'1_0'"]),
        ("unrank", "\u0663", ["\u0663"]),
        ("unrank", "1 2", ["'1 2'"]),
    ],
)
def test_a_bad_line_is_named_by_its_number(command: str, line: str, words: list[str]) -> None:
    message = assert_one_line(run(command, "-p", "7", stdin=f"\n{line}\n"), 2)
    assert message.startswith("line 2: ")
    assert all(word in message for word in words)


def test_a_line_of_millions_of_digits_is_not_repeated_in_full() -> None:
    message = assert_one_line(run("unrank", "-p", "7", stdin="9" * 100_000), 2)
    assert message.startswith("line 1: ")
    assert len(message) < 1000


def test_the_lines_before_a_bad_one_are_answered() -> None:
    result = run("unrank", "-p", "7", stdin="0\n1\nx\n2\n")
    assert result.out == run("unrank", "-p", "7", stdin="0\n1\n").out
    assert result.err.startswith("urcx: line 3: ")
    assert result.code == 2


def test_mover_view_has_no_state_whose_mover_has_won() -> None:
    options = ("rank", "-p", "1", "--convention", "mover-view")
    message = assert_one_line(run(*options, stdin="-/-/1-0/L\n"), 2)
    assert "won" in message
    # The other player is still to move here, and so it is a state.
    assert run(*options, stdin="-/-/0-1/L\n").code == 0


@pytest.mark.parametrize("command", ["rank", "unrank"])
def test_a_line_that_is_no_text(command: str) -> None:
    # What Python makes of other bytes depends on the locale; this is the strict one.
    result = run_process(command, stdin=b"\xff\xfe\n", PYTHONIOENCODING="utf-8:strict")
    assert_one_line(result, 2)


# Files to write.


@pytest.mark.parametrize("option", ["-o", "--plot"])
@pytest.mark.parametrize(
    ("file", "word"),
    [("none/out.svg", "none"), ("folder.svg", "directory"), ("file/out.svg", "file")],
)
def test_an_unwritable_file_is_refused_before_anything_is_computed(
    option: str, file: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object, **__: object) -> None:
        pytest.fail("computed before the output was checked")

    monkeypatch.setattr("urcx.enumerate.state_space.state_spaces", computed)
    Path("file").touch()
    Path("folder.svg").mkdir()
    message = assert_one_line(run("ssc", "-p", "1", option, file), 1)
    assert f"cannot write {file}" in message
    assert word in message
    assert names() == ["file", "folder.svg"]
    assert names("folder.svg") == []


@pytest.mark.parametrize(
    "command", ["ssc", "paths", "enumerate", "rank", "unrank", "sample", "conflicts", "verify"]
)
def test_every_command_refuses_an_unwritable_file(command: str) -> None:
    assert "cannot write none/x" in assert_one_line(run(command, "-o", "none/x"), 1)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_directory_without_permission() -> None:
    Path("locked").mkdir(mode=0o500)
    message = assert_one_line(run("ssc", "-p", "1", "-o", "locked/x"), 1)
    assert "permission" in message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_special_file_is_not_replaced() -> None:
    # As `-o /dev/null` would be, with the rights to do so.
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDWR | os.O_NONBLOCK)
    try:
        run("ssc", "-p", "1", "--no-enumerate", "--json", "-o", "pipe")
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()
    assert names() == ["pipe"]
    # A tablebase is written in more than one place at once: no pipe can take it.
    assert "a file of its own" in assert_one_line(run("solve", "-p", "1", "-o", "pipe"), 2)
    assert Path("pipe").is_fifo()


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    base, game = tmp_path / "p1.urcx", tmp_path / "g.txt"
    assert run("solve", "-p", "1", "-o", str(base), "-y").code == 0
    line = ("play", "-p", "1", "--show", "--light", "greedy", "--dark", "random", "--seed", "3")
    assert run(*line, "-o", str(game)).code == 0
    for arguments in (
        ("probe", str(base), "-o", str(base)),
        ("regret", "-p", "1", "--tablebase", str(base), "-o", str(base)),
        ("match", f"optimal:{base}", "random", "-p", "1", "-g", "4", "-o", str(base)),
        ("compress", str(base), "-o", str(base)),
        ("review", str(game), "-o", str(game)),
        ("review", str(game), "--save", str(game)),
    ):
        before = base.read_bytes(), game.read_bytes()
        assert "write to another file" in assert_one_line(run(*arguments), 2), arguments
        assert (base.read_bytes(), game.read_bytes()) == before
    named = tmp_path / "bell"  # as a path is, which is no file
    for _ in "again":
        with contextlib.chdir(tmp_path):
            assert run("paths", "bell", "-o", named.name).code == 0
    twice = ("review", str(game), "--save", str(tmp_path / "a.svg"), "--plot")
    assert "name two files" in assert_one_line(run(*twice, str(tmp_path / "a.svg")), 2)
    for name in ("g.svg", "g.json"):
        found = run("play", "-p", "1", "-o", str(tmp_path / name))
        assert "a game does not go on from" in assert_one_line(found, 2)

"""Bad input: one line on stderr, the right exit code, nothing written, nothing computed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import assert_one_line, commands, names, run, run_process

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.usefixtures("here")

# Command lines that end with 2, and what the message says, in parts. Messages of functions are
# tested with these; here are those of the command line, and that others reach it.
WRONG_USAGE = """
solv                                          -> no such command 'solv'; 'solve'; urcx --help
--bogus                                       -> no such option: --bogus; urcx --help
solve --bogus                                 -> no such option: --bogus; urcx solve --help
solve --peices 3                              -> --peices; --pieces
match                                         -> missing; urcx match random greedy
ssc -p                                        -> -p
paths skiryuk                                 -> 'skiryuk'; skiriuk
ssc --rules finkel                            -> --rules; --path bell
ssc --rules=blitz                             -> --path masters
gtc --path bell                               -> --rules finkel
reach finkel                                  -> 'finkel'; --rules finkel
verify post                                   -> --source post
gtc greedy                                    -> --agent greedy
play greedy                                   -> --against greedy
solve finkel                                  -> unexpected; finkel; --rules finkel
show blitz                                    -> rule set; --rules blitz
ssc bell --path aseb                          -> bell; aseb; leave out
rank 6,3/16/0-0/L                             -> step 16; --path masters
rank 6,3/11/9-0/L                             -> -p 11
paths binary4                                 -> binary4 are dice; urcx dice --dice binary4
rank --path Bell                              -> 'Bell'; bell
ssc bel                                       -> 'bel'; did you mean bell
ssc --bfile --no-enumerate                    -> --no-enumerate cannot
verify --source pst                           -> 'pst'; post
verify --verdict does-not-hol                 -> 'does-not-hol'; did you mean does-not-hold
enumerate --visit all                         -> 'all'; write; count
ssc --compare shapes                          -> 'shapes'; paths; forms
ssc --dark-pieces 0                           -> --dark-pieces '0'
ssc --dark-pieces 1..3                        -> --dark-pieces '1..3'; one number
enumerate -p 1..3                             -> '1..3'; one number
sample -n many                                -> -n; write
solve --tolerance small                       -> --tolerance; write
solve --tolerance 1                           -> tolerance
ssc --json --csv                              -> --json; --csv; exclude each other
ssc --no-header                               -> --no-header; --csv or --latex or --bfile
enumerate -p 1 --order foo                    -> --order; --visit ranks
reach -p 1 --seed 1                           -> --seed; --samples
reach -p 1 --samples 5 --threads 0            -> --threads; --samples
enumerate --path bell,masters                 -> one path; bell; masters
rank --convention mover-view --dark-pieces 3  -> mover-view; equal
ssc --plot figure.gif                         -> figure.gif; .svg
report --seed -1                              -> seed -1: must be from 0 to
report --threads 0                            -> threads 0
report --tablebase none.urcx                  -> cannot read
ssc --path-file none.toml                     -> none.toml; No such file
ssc --path-file .                             -> cannot read; irectory
dice --dice binary5                           -> 'binary5'; binary4
dice --sum 0                                  -> --sum 0
dice --sum 4 --rolls 1..999                   -> 999
dice --sum 4 --rolls=                         -> --rolls=; is empty. Write
dice --counts 0=20                            -> '0=20'; 0:7,1:27
dice --interval 0.9 --rolls 10001             -> 10001; 10,000
dice --table --sum 4                          -> --table and --sum exclude
dice --rolls 3                                -> --rolls: needs
dice --table --dice binary3,binary4           -> --table; kind of dice
dice --table --plot x.svg                     -> --plot; not of table
dice -o x.png                                 -> x.png; --plot
show start --plot x.png                       -> x.png; .svg
solve -p 0                                    -> --pieces '0'; to 255
journey --to 16                               -> 16; 1 to 15
journey --to B9                               -> 'B9'; bell
journey --rules murray --to B4                -> 'B4'; 8 or 20
journey --from 15                             -> --from 15; 1 to 14
journey --from Z9                             -> 'Z9'; bell
journey --to 3 --pieces 3                     -> --to; --pieces; --within
journey --within 3                            -> --within; --to B4
journey --within 3 --to 3,4                   -> --within; --to B4
journey --within 11 --to 3                    -> within 11; 1 to 10
journey --within 3 --to 3 -p 16               -> pieces '16'; 15
journey --within 3 --to 3 --from 2            -> --from; --within
rush --path bel                               -> 'bel'; bell
rush --turns 0                                -> --turns 0
gtc --agent panda:0                           -> depth must be
gtc --light last --dark first --agent foo     -> leave out --agent
gtc --method levels --rules murray            -> no value tables are possible: the path murray
journey --pieces 1..3 --plot a.svg            -> leave out --pieces
journey --to B4 --plot a.svg                  -> --plot; several steps
probe start -p 1 --roll 2 --plot a.svg        -> --plot; leave out --roll
probe - -p 1 --plot a.svg                     -> --plot; standard input
match random random                           -> twice
match random --games 1                        -> games 1
perft --rules finkle                          -> did you mean finkel
gain -/-/7-0/D                                -> the game is over
gain 2/3,6/5-5/L --sequences A --roll 2       -> A (start) has no legal move for the roll 2
capture 1/16/6-6/D                            -> step 16 is off the path bell
solve --no-keep --store u16                   -> --store needs --output
solve --rules murray -p 1 -o x.urcx           -> murray cannot have a tablebase
check none.urcx                               -> cannot read none.urcx
solve -p 1 -o x.rgu                           -> urcx export
export x.urcx x.foo                           -> must end in .rgu
regret -p 1 --tolerance 1                     -> 1e-13 to 0.01
regret --rules murray -p 1                    -> the path murray crosses tiles more than once
mistakes greedy -p 1 --by luck                -> unknown order 'luck'
mistakes greedy -p 1 --most 0                 -> most 0: must be from 1 to 1,000
mistakes                                      -> missing; urcx mistakes greedy -p 3
openings -p 1 --plies 0                       -> plies 0: must be from 1 to 5
regret --tablebase none.urcx                  -> none.urcx
lengths -p 1 --tail 2                         -> tail
luck -p 1 --layers x                          -> --layers. See urcx luck --help
probe foo                                     -> foo is neither a file nor a position; A3/C2,B2/5-
probe -p 2 foo                                -> foo is neither a file nor a position
show foo                                      -> 1 field; A3/C2,B2/5-5/L
regret foo                                    -> foo; urcx regret --agent
play --side red                               -> light or dark
play --light greedy                           -> needs --show
play --show --side dark                       -> cannot be combined with --show
play --show --pace 4000                       -> from 0 to 3600 seconds
play --pace 1                                 -> needs --show
play --resume game.txt --seed 1               -> cannot be combined with --resume
play --resume none.txt                        -> cannot read none.txt
play --against nobody                         -> unknown agent 'nobody'
ssc --no-enumerate --scheduler tcp://a:1      -> --scheduler cannot be combined with --
enumerate -p 1 --scheduler tcp://a:1          -> --scheduler needs --
reach -p 1 --scheduler tcp://a:1              -> --scheduler needs --
lengths --rules finkel,blitz                  -> urcx compare
luck --rules finkel,blitz                     -> urcx compare
perft --rules finkel,none.toml:x              -> urcx compare
gtc -p 1..2                                   -> urcx compare
solve -p 1..2                                 -> urcx compare
regret -p 1..2                                -> urcx compare
compare finkel,,blitz                         -> a name is empty
compare finkel blits                          -> did you mean blitz
cite bibtex                                   -> 'bibtex'; known:
compare -p 2..1                               -> runs backwards
compare -p 1..300                             -> must be from 1 to 255
compare -p 1 --games 1                        -> from 2 to 100,000,000
compare -p 1 --seed -1                        -> seed
ssc --compare all                             -> must be paths, exact, forms or errors
gtc -p 2..1                                   -> runs backwards
ssc -p 10000000000000000000000                -> must be from 1 to 10,000
ssc --path bell,aseb --bfile                  -> one path
ssc --dark-pieces 2 --bfile                   -> --dark-pieces
ssc --bfile --csv                             -> exclude each other
ssc --latex --json                            -> exclude each other
ssc --form michn                              -> 'michn'
reach -p 1 --samples 3 --bfile                -> --bfile
"""
# Command lines that end with 1: what was meant is clear, and cannot be done.
IMPOSSIBLE = """
enumerate -p 300                              -> 300; 255
rank -p 300                                   -> 300; 255
sample -p 300                                 -> 300; 255
ssc -p 300 --enumerate                        -> 300; 255
journey --rules murray --pieces 2             -> 16 steps
dice --table --rolls 60                       -> fewer rolls
regret --agent greedy                         -> urcx solve --rules finkel --yes; 2.2 GB
play --rules masters --against optimal        -> solve
report -o none/new                            -> there is no directory
play -o none/game.txt                         -> there is no directory none
"""


def cases(text: str) -> list[tuple[str, list[str]]]:
    """Return command lines, each with the parts of its message."""
    split = (line.split(" -> ") for line in text.strip().splitlines())
    return [(line.strip(), said.strip().split("; ")) for line, said in split]


LINES = [(2, *case) for case in cases(WRONG_USAGE)] + [(1, *case) for case in cases(IMPOSSIBLE)]


@pytest.mark.parametrize(("code", "line", "words"), LINES, ids=[line for _, line, _ in LINES])
def test_what_cannot_be_done_is_one_line(code: int, line: str, words: list[str]) -> None:
    message = assert_one_line(run(*line.split()), code)
    assert all(word in message for word in words), message
    assert names() == []


@pytest.mark.parametrize("value", ["0", "0..3", "7..3", "a", "-1", "1..", "..3", "1...3", "1,",
                                   "1.5", "1-3", "\u0663", "1..1000000000", "9" * 26])  # fmt: skip
def test_what_is_no_range_of_pieces_is_repeated(value: str) -> None:
    assert value in assert_one_line(run("ssc", "-p", value), 2)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_refuses_an_unknown_option(name: str) -> None:
    assert "--no-such-option" in assert_one_line(run(name, "--no-such-option"), 2)


@pytest.mark.parametrize("arguments", ["ssc --path bel", "nonsense", "rank --bogus"])
def test_wrong_usage_as_a_process(arguments: str) -> None:
    # typer draws tracebacks and boxes of its own when it runs a process.
    assert ".;" not in assert_one_line(run_process(*arguments.split()), 2), "one stop at most"


def test_rows_that_do_not_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The text is written as it comes; JSON would first hold 138 million rows.
    def visited(*_: object, **__: object) -> None:
        pytest.fail("visited before the size was checked")

    monkeypatch.setattr("urcx.enumerate.enumerator.diagram_blocks", visited)
    monkeypatch.setattr("urcx.enumerate.rankings.ranking.diagram_blocks", visited)
    message = assert_one_line(run("enumerate", "-p", "7", "--json"), 1)
    assert "137,913,936" in message or "137913936" in message
    assert_one_line(run("enumerate", "--path", "murray", "-p", "7", "--visit", "ranks"), 1)


# Path files.


@pytest.mark.parametrize("command", ["ssc", "paths", "enumerate", "rank", "sample"])
def test_a_malformed_path_file_names_line_and_key(command: str) -> None:
    Path("mine.toml").write_text('[path.mine]\nboard = "standard"\nlight = "A4 B9"\n')
    message = assert_one_line(run(command, "--path-file", "mine.toml"), 2)
    assert message.startswith("mine.toml, line 3: path.mine.light: ")
    assert "B9" in message


def test_a_command_for_one_path_needs_a_choice_from_a_file_of_none_or_two() -> None:
    Path("mine.toml").write_text("# nothing\n", encoding="utf-8")
    message = assert_one_line(run("ssc", "--path-file", "mine.toml"), 2)
    assert "mine.toml" in message
    assert "--path" in message
    assert run("ssc", "--path-file", "mine.toml", "--path", "bell", "--no-enumerate").code == 0
    text = "".join(f'[path.{n}]\nboard = "standard"\nlight = "B1"\n' for n in ("one", "two"))
    Path("mine.toml").write_text(text, encoding="utf-8")
    assert "one, two" in assert_one_line(run("rank", "--path-file", "mine.toml"), 2)
    assert run("rank", "--path-file", "mine.toml", "--path", "two", "-p", "1").code == 0


# Lines of filters.


@pytest.mark.parametrize(
    ("command", "line", "words"),
    [
        ("rank", "1,1/-/0-0/L", ["light", "step 1"]),
        ("rank", "-/x/0-0/L", ["dark", "'x'"]),
        ("rank", "-/-/0/L", ["home", "'0'"]),
        ("rank", "-/-/0-0/W", ["turn", "'W'"]),
        ("rank", "6/6/0-0/L", ["dark", "B2"]),
        ("unrank", "137913936", ["137913936", "137913935"]),
        ("unrank", "-1", ["-1", "137913935"]),
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


def test_a_line_that_is_no_text() -> None:
    # What Python makes of other bytes depends on the locale; this is the strict one.
    result = run_process("rank", stdin=b"\xff\xfe\n", PYTHONIOENCODING="utf-8:strict")
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


@pytest.mark.parametrize("command", ["paths", "enumerate", "rank", "unrank", "sample", "verify"])
def test_every_command_refuses_an_unwritable_file(command: str) -> None:
    assert "cannot write none/x" in assert_one_line(run(command, "-o", "none/x"), 1)


def test_nothing_is_written_over_what_is_read(one_piece: Path) -> None:
    base, game = Path("p1.urcx"), Path("g.txt")
    base.write_bytes(one_piece.read_bytes())
    line = "play -p 1 --show --light greedy --dark random --seed 3 -o g.txt"
    assert run(*line.split()).code == 0
    before = base.read_bytes(), game.read_bytes()
    for line in (
        "probe p1.urcx -o p1.urcx",
        "regret -p 1 --tablebase p1.urcx -o p1.urcx",
        "match optimal:p1.urcx random -p 1 -g 4 -o p1.urcx",
        "review g.txt -o g.txt",
        "review g.txt --save g.txt",
    ):
        assert "rite to another file" in assert_one_line(run(*line.split()), 2), line
        assert (base.read_bytes(), game.read_bytes()) == before
    for _ in "again":  # the name of a path is no file
        assert run("paths", "bell", "-o", "bell").code == 0
    picture = run("review", "g.txt", "--moves", "--save", "a.gif")
    assert "the only kind of picture is .svg" in assert_one_line(picture, 2)
    twice = run("review", "g.txt", "--save", "a.svg", "--plot", "a.svg")
    assert "a.svg would be written twice" in assert_one_line(twice, 2)
    for name in ("g.svg", "g.json", "g.gif"):
        found = run("play", "-p", "1", "-o", name)
        assert "a game cannot be resumed from" in assert_one_line(found, 2)

"""urcx play in a pipe and in a terminal, saved and resumed; and urcx review."""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import COMMAND, assert_one_line, run
from own_rules import SHORT
from recorded import recorded
from terminals import on_terminal

import urcx
from urcx.commands import session
from urcx.played.notation import read_game
from urcx.rules import catalogue

pytest_plugins = ["command_fixtures"]

pytestmark = pytest.mark.jit

# A game whose first choice is of two moves, with a roll of 4: 0-4 onto a rosette, and 1-5.
TWO = ("play", "-p", "2", "--seed", "4")
FIRST = "1. light 1:0-1\n2. dark 1:0-1\n3. light 4:?"


def saved(file: Path) -> str:
    """Return the turns of a saved game."""
    return file.read_text(encoding="utf-8").partition("\n\n")[2].rstrip()


def test_a_game_from_a_pipe_is_played_to_its_end() -> None:
    found = run(*TWO, "--against", "greedy", stdin="1\n" * 200)
    assert (found.code, found.err) == (0, "")
    for words in (
        "You (light) against greedy (dark), finkel with 2 pieces, seed 4\n",
        "\nYou (light) roll 1: start to A4 - the only move\n",
        "  1  start to A1, rosette, rolls again\n  2  A4 to B1\nYour move: 1\n",
        "You play start to A1, rosette, rolls again - best\n",
        "Luck and skill\n",
        "* light's win probability 51.86 % + (",
    ):
        assert words in found.out
    assert " wins after " in found.out or " win after " in found.out
    for agent in ("greedy", "random"):
        one, other = (run(*TWO, "--against", agent, stdin="1\n" * 200) for _ in range(2))
        assert one == other


@pytest.mark.parametrize("word", ["2", "1-5", "a4", "A4", "B1", "b1", "A4-B1"])
def test_a_move_is_chosen_by_number_steps_or_tile(word: str) -> None:
    found = run(*TWO, stdin=f"{word}\n").out
    assert f"Your move: {word}\nYou play A4 to B1 - loses " in found
    assert "best was start to A1, rosette, rolls again" in found
    assert "You play start " in run(*TWO, stdin="start\n").out


def test_a_hint_says_chances_and_what_the_agent_would_play() -> None:
    found = run(*TWO, "--against", "first", stdin="?\n").out
    assert "Roll 4 of light in A4/C4/0-0/L (finkel): win probability " in found
    heads = next(line for line in found.splitlines() if line.startswith("move "))
    assert heads.split() == ["move", "wins", "loss", "(points)", "choice", "first"]
    assert "  best " in found
    large = run("play", "--seed", "4", stdin="?\n").out  # the network's chances
    assert "in the agent's own units (learned)" in large
    assert large.count("+-----+") < 20  # no second board


def test_what_is_quit_is_kept_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "my game.txt"
    found = run(*TWO, "-o", str(file), stdin="q\n")
    assert found.code == 0
    assert f"urcx play --resume '{file}'\n" in found.out
    assert saved(file) == FIRST
    assert read_game(file).light == "you"
    made = recorded(file)
    assert made["command"] == shlex.join(["urcx", *TWO, "-o", str(file)])
    assert made["versions"]["urcx"] == urcx.__version__
    assert [*tmp_path.iterdir()] == [file]
    again = run("play", "--resume", str(file), stdin="2\n")
    assert again.code == 0
    assert "against optimal (dark), finkel with 2 pieces, seed 4\n" in again.out
    assert "resumed at ply 3\n" in again.out
    assert saved(file).startswith(FIRST.replace("?", "1-5"))
    # As it would have gone on.
    whole = run(*TWO, stdin="2\n" * 300).out
    assert run("play", "--resume", str(file), stdin="2\n" * 300).code == 0
    assert read_game(file).is_over
    assert f"after {len(read_game(file).plies)} plies" in whole
    over = assert_one_line(run("play", "--resume", str(file)), 2)
    assert over.startswith(f"{file}: the game is over")
    assert over.endswith(f"urcx review {file}")


def test_without_a_file_the_game_is_printed() -> None:
    found = run(*TWO, stdin="q\n")
    assert f"result: unfinished\n\n{FIRST}\n\nNot saved." in found.out
    assert run(*TWO, stdin="").code == 0  # the end of a pipe is an end too
    assert f"{FIRST}\n\nNot saved" in run(*TWO, stdin="").out


def test_taking_back_goes_to_the_last_choice(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    found = run(*TWO, "-o", str(file), stdin="1\nu\nb\n2\nundo\n")
    assert found.code == 0
    assert found.out.count("undone. The dice will fall as before\n") == 2
    assert found.out.count("You (light) roll 4:\n") == 3
    assert saved(file) == FIRST
    early = run(*TWO, "-o", str(tmp_path / "other.txt"), stdin="u\n")
    assert early.code == 2
    assert "nothing to undo. The game is saved" in early.err
    every = tmp_path / "every.txt"
    line = (*TWO, "--against", "greedy", "-o", str(every))
    assert run(*line, stdin="2\n" * 4 + "u\n" * 4).code == 0
    assert saved(every) == FIRST


class Leaving:
    """Plays a few moves, and then raises something."""

    def __init__(self, error: BaseException) -> None:
        self.left, self.error = 4, error

    def choose(self, game: urcx.Game, roll: int, rng: object) -> urcx.Move:
        del rng
        self.left -= 1
        if not self.left:
            raise self.error
        return game.legal_moves(roll)[0]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("no more")])
def test_what_two_agents_played_is_kept_whatever_happens(
    error: BaseException, tmp_path: Path
) -> None:
    player, file = urcx.agent(Leaving(error)), tmp_path / "game.txt"
    game = urcx.PlayedGame(urcx.Game("finkel", pieces=2), seed=4)
    with pytest.raises(urcx.UrcxError, match=r"interrupted.*The game is saved|no more"):
        session.Session(game, {"light": player, "dark": player}, save=file).run()
    assert len(read_game(file).plies) > 3


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("3", "'3' is not a move here. Type 1 to 2, a tile, or ? "),
        ("0", "'0' is not a move here"),
        ("B4", "'B4' is not a move here"),
        ("\x1b[31m", "is not a move here"),
        ("x" * 500, "'xxxxxxxxxxxxxxxxxxxx' is not a move here"),
        ("s nowhere/at/all", "cannot write nowhere/at/all"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_wrong_line_of_a_pipe_ends_the_game_and_keeps_it(word: str, why: str) -> None:
    for more, end in (
        ((), "The game was not saved"),
        (("-o", "game.txt"), "urcx play --resume game.txt"),
    ):
        found = run(*TWO, *more, stdin=f"{word}\n")
        assert found.code == 2
        assert found.err.startswith("urcx: ")
        assert why in found.err
        assert end in found.err
        assert found.err.count("\n") == 1
        assert "\x1b" not in found.out
    assert saved(Path("game.txt")) == FIRST


def test_two_moves_to_one_tile_are_told_apart_by_number() -> None:
    # On Skiriuk's path steps 5 and 23 are one tile, B1, which 3 and 21 reach by a 2.
    played = urcx.PlayedGame(urcx.Game("skiriuk", "3,21/-/0-0/L")).throw(2)
    here, legal = session.Session(played, {}), played.legal_moves()
    assert [move.start for move in legal] == [0, 3, 21]
    assert [here._move_named(word, legal).start for word in ("2", "A2", "21-23", "B3")] == [
        3,
        3,
        21,
        21,
    ]
    with pytest.raises(urcx.UrcxError, match="'b1' fits 2 moves"):
        here._move_named("b1", legal)


def test_a_game_is_saved_on_the_way_and_over_nothing(tmp_path: Path) -> None:
    file, taken = tmp_path / "game.txt", tmp_path / "taken.txt"
    taken.write_text("mine")
    found = run(*TWO, stdin=f"s {file}\n2\nq\n")
    assert f"saved in {file}\n" in found.out
    assert saved(file).startswith(FIRST.replace("?", "1-5"))
    assert "s FILE" in run(*TWO, stdin="s\n").err
    assert "exists already" in run(*TWO, stdin=f"s {taken}\n").err
    assert "exists already" in assert_one_line(run(*TWO, "-o", str(taken)), 2)
    assert taken.read_text() == "mine"


def test_the_other_side_and_the_agent_of_a_game_that_goes_on(tmp_path: Path) -> None:
    file, other = tmp_path / "game.txt", tmp_path / "game.rgn"
    found = run(*TWO, "--side", "dark", "--against", "greedy", "-o", str(file), stdin="q\n")
    again = run("play", "--resume", str(file), stdin="q\n")
    for shown in (found, again):
        assert "You (dark) against greedy (light)" in shown.out
    assert read_game(file).dark == "you"
    file.write_text(file.read_text().replace("greedy", "Anna"))
    found = run("play", "--resume", str(file), stdin="q\n")
    assert "Anna is not an agent" in found.err
    assert "You (dark) against optimal (light)" in found.out
    # Games of other notations go on with a seed of their own.
    other.write_text('[Rules "finkel 1"]\n\n(1) r2.5a3 (2) r0\n')
    assert run("play", "--resume", str(other), stdin="").code == 0
    assert read_game(other).plies[1].move is None


def test_agents_play_for_who_watches(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    line = ("play", "-p", "2", "--show", "--seed", "3", "--light", "greedy", "--dark", "random")
    began = time.monotonic()
    found = run(*line, "--pace", "100", "-o", str(file))
    assert time.monotonic() - began < 60, "waits in a pipe"
    assert found.code == 0
    assert found.out.startswith("greedy (light) against random (dark), finkel with 2 pieces")
    assert all(words in found.out for words in (" - loses ", " - best\n"))
    played = read_game(file)
    assert played.is_over
    assert found.out.count(" rolls ") - found.out.count("rolls again") == len(played.plies)
    assert f"{played.player(played.winner or '')} ({played.winner}) wins" in found.out
    assert f"Saved in {file}. To see every ply: urcx review {file}" in found.out


def test_a_tablebase_gives_chances_and_the_opponent(one_piece: Path, tmp_path: Path) -> None:
    base, small = str(one_piece), str(tmp_path / "one.rgu")
    found = run("play", "-p", "1", "--tablebase", base, "--seed", "1").out
    assert "against optimal (dark)" in found
    assert "Luck and skill" in found
    assert run("play", "--tablebase", base, "--seed", "1").out == found  # its own rules
    assert run("export", base, small).code == 0
    assert "finkel with 1 piece" in run("play", "--tablebase", small, "--seed", "1").out
    wrong = assert_one_line(run("play", "-p", "2", "--tablebase", base), 2)
    assert wrong == f"{base} is of finkel with 1 piece, not of finkel with 2"


@pytest.mark.posix("pseudo-terminals")
def test_a_terminal_is_asked_again_and_an_interrupt_keeps_the_game(tmp_path: Path) -> None:
    width, file = 60, tmp_path / "g.txt"
    line = [*COMMAND, *TWO, "-o", str(file)]
    plain = {"TERM": "dumb", "NO_COLOR": "1"}
    found = on_terminal(line, "stdout", width, "x?h2\x03", "Your move: ", **plain)
    assert found.code == 130
    assert found.rest.startswith(
        "urcx: interrupted. The game is saved. To continue: urcx play --res"
    )
    assert "'x' is not a move here. Type 1 to 2" in " ".join(found.raw.split())
    assert max(map(len, found.raw.splitlines())) <= width
    assert "\x1b" not in found.raw
    assert "(points)" in found.raw
    assert saved(file).startswith(FIRST.replace("?", "1-5"))


GAME = """urcx game 1
pieces: 1
light: anna
dark: greedy
1. light 2:0-2
2. dark 4:0-4* 1:4-5
3. light 0:pass
"""


@pytest.fixture
def game(here: Path) -> str:
    (here / "game.txt").write_text(GAME)
    return "game.txt"


def test_a_review_in_every_form(game: str) -> None:
    shown = run("review", game)
    assert shown.code == 0
    assert shown.out.startswith("The game is unfinished. Light (anna) lost ")
    assert "* finkel, 1 piece per side: win probabilities are proven, " in shown.out
    data = run("review", game, "--json").json
    assert data["schema"] == "urcx.review/1"
    assert (data["light"], data["dark"], data["result"]) == ("anna", "greedy", "unfinished")
    assert [row["roll"] for row in data["rows"]] == [2, 4, 1, 0]
    assert [row["pass"] for row in data["rows"]] == [False, False, False, True]
    light, dark = data["sides"]
    gained = (light["luck"] - light["lost"]) - (dark["luck"] - dark["lost"])
    assert data["light_end"] - data["light_start"] == pytest.approx(gained, abs=1e-15)
    for row in data["rows"]:
        assert row["luck"] == pytest.approx(row["rolled"] - row["before"], abs=1e-15)
        assert row["regret"] == pytest.approx(row["rolled"] - row["after"], abs=1e-15)
    rows = run("review", game, "--csv").rows
    assert [float(row["luck"]) for row in rows] == [row["luck"] for row in data["rows"]]
    assert list(rows[0]) == list(data["rows"][0])


def test_many_games_are_summed_in_every_form(game: str, one_piece: Path) -> None:
    Path("more.rgn").write_text(2 * '[Rules "finkel 1"]\n[Light "ben"]\n\n(1) r2.5a3 (2) r0\n')
    data = run("review", game, "more.rgn", "--json").json
    assert (data["schema"], data["games"]) == ("urcx.reviews/1", 3)
    assert [row["game"] for row in data["rows"]] == [game, "more.rgn:1", "more.rgn:2"]
    assert {one["player"]: one["games"] for one in data["players"]} == {
        "anna": 1,
        "greedy": 1,
        "ben": 2,
        "dark": 2,
    }
    single = run("review", game, "--json").json
    first, light = data["rows"][0], single["sides"][0]
    for key in ("luck", "lost", "decisions", "mistakes"):
        assert first[f"light_{key}"] == light[key]
    rows = run("review", game, "more.rgn", "--csv").rows
    assert list(rows[0]) == list(first)
    assert [float(row["dark_luck"]) for row in rows] == [row["dark_luck"] for row in data["rows"]]
    shown = run("review", game, "-", "--wide", stdin=Path("more.rgn").read_text()).out
    assert shown.startswith("3 games: ")
    assert "standard input:2" in shown
    base = ("--tablebase", str(one_piece))
    assert run("review", game, "more.rgn", "--json", *base).json["rows"] == data["rows"]
    for option in ("--moves", "--save=x.txt", "--plot=x.svg"):
        wrong = assert_one_line(run("review", game, "more.rgn", option), 2)
        assert wrong == f"{option.partition('=')[0]} takes one game, not 3"
    Path("more.rgn").write_text("(1) r0\n\n(1) r0 (2) r9\n")
    wrong = assert_one_line(run("review", game, "more.rgn", "-o", "out.txt"), 2)
    assert wrong.startswith("more.rgn, line 3, column 12: roll 9")
    assert not Path("out.txt").exists()
    blitz = '[Rules "blitz 1"]\n\n(1) r0'
    Path("more.rgn").write_text(blitz)
    wrong = assert_one_line(run("review", game, "more.rgn", *base), 2)
    assert wrong.startswith("game more.rgn: ")


def test_a_review_by_a_tablebase_is_the_same(game: str, one_piece: Path) -> None:
    own = run("review", game, "--json").json
    base = str(one_piece)
    assert run("export", base, "finkel1.rgu", "--values", "f64").code == 0
    for file in (base, "finkel1.rgu"):
        found = run("review", game, "--tablebase", file, "--json").json
        assert found["rows"] == own["rows"]
        assert file != base or found["bound"] == own["bound"]


def test_games_are_listed_exported_and_drawn(game: str) -> None:
    for suffix in ("txt", "rgn", "royalur.json", "json", "svg"):
        found = run("review", game, "--moves", "--save", f"out.{suffix}")
        assert found.code == 0
        assert found.err == f"urcx: wrote out.{suffix}\n"
        assert "  2  dark      4  start to C1, rosette, rolls again" in found.out
    assert read_game("out.txt") == read_game(game)
    assert recorded(Path("out.txt"))["command"].endswith("--save out.txt")
    for theirs in ("out.rgn", "out.royalur.json"):
        assert read_game(theirs).plies == read_game(game).plies
        listed = run("review", theirs, "--moves", "--json").json
        assert listed["rows"] == run("review", game, "--moves", "--json").json["rows"]
    data = json.loads(Path("out.json").read_text())
    assert data.pop("provenance")["command"] == f"urcx review {game} --moves --save out.json"
    assert data["schema"] == "urcx.game/1"
    assert data["notation"] == read_game(game).to_text()
    assert run("review", game, "--moves", "--json").json == data
    found = run("review", game, "--plot")
    assert (found.code, found.err) == (0, "urcx: drew review.svg\n")
    assert Path("review.svg").read_bytes().startswith(b"<?xml")
    assert "anna against greedy, finkel: unfinished" in Path("out.svg").read_text()
    assert ">  2. D 4:0-4* 1:4-5<" in Path("out.svg").read_text()


@pytest.mark.parametrize(
    ("text", "line", "why", "code"),
    [
        (GAME.replace("2:0-2", "2:0-3"), "", "game.txt, line 5, column 10: start-A2 is not", 2),
        ("(1) r9", "", "game.txt, line 1, column 5: roll 9", 2),
        ("", "", "game.txt, line 1, column 1: the text is empty", 2),
        (GAME, "--rules blitz", "game.txt is a game of finkel with 1 piece, not of blitz", 2),
        (GAME, "--tablebase none.urcx", "none.urcx", 2),
        (GAME, "--moves --plot x.svg", "--plot and --tablebase cannot be combined with --moves", 2),
        (GAME, "--save none/x.txt", "there is no directory none", 1),
        (GAME, "--plot x.txt", "the name must end in .svg, .png, .pdf", 2),
        (
            "urcx game 1\npieces: 6\n1. light 2:0-2\n", "",
            "finkel with 6 pieces is not solved", 1,
        ),
        ("urcx game 1\nrules: murray\n", "", "path murray", 1),
    ],
)  # fmt: skip
def test_what_cannot_be_reviewed_is_one_line(
    game: str, text: str, line: str, why: str, code: int
) -> None:
    Path(game).write_text(text)
    assert why in assert_one_line(run("review", game, *line.split()), code)


def test_a_review_is_written_as_a_page(game: str) -> None:
    found = run("review", game, "-o", "game.html")
    assert (found.code, found.out, found.err) == (0, "", "urcx: wrote game.html\n")
    page = Path("game.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert '"light": "anna"' in page
    assert run("review", game, "--json", "-o", "json.html").code == 0
    assert json.loads(Path("json.html").read_text())["schema"] == "urcx.review/1"
    Path("broken.txt").write_text(GAME.replace("2:0-2", "2:0-3"))
    for line, why in (
        (f"{game} --moves -o x.html", "-o x.html cannot be combined with --moves"),
        (f"{game} - -o x.html", "-o x.html takes one game, not 2"),
        ("broken.txt -o x.html", "start-A2 is not"),
    ):
        assert why in assert_one_line(run("review", *line.split(), stdin=GAME), 2)
        assert not Path("x.html").exists()
    assert "no directory none" in assert_one_line(run("review", game, "-o", "none/x.html"), 1)


def test_a_game_without_a_solution_is_reviewed(here: Path) -> None:
    (here / "whole.txt").write_text("urcx game 1\n1. light 2:0-2\n")
    found = run("review", "whole.txt")
    assert (found.code, found.err) == (0, "")
    assert "Light lost \u2248 0.0 points" in found.out
    assert "urcx solve --rules finkel --yes" in found.out
    assert run("review", "whole.txt", "--json").json["approximate"]


def test_a_game_without_a_solution_ends_with_its_estimated_luck_and_skill() -> None:
    line = "play --show --light greedy --dark greedy --seed 3 --pace 0"
    end = run(*line.split()).out.partition("Luck and skill\n")[2]
    assert "\u2248 luck (points)  \u2248 loss (points)" in end
    assert "urcx solve --rules finkel --yes" in end


def test_rules_come_from_the_game_the_tablebase_or_the_file(tmp_path: Path) -> None:
    base, file, strip = tmp_path / "strip.urcx", tmp_path / "g.rgn", ("--path-file", str(SHORT))
    assert run("solve", "--rules", "strip", *strip, "-p", "2", "-o", str(base)).code == 0
    known = catalogue.read_catalogue_file(SHORT)[0].rules["strip"]
    played = urcx.PlayedGame(replace(known, pieces=2), light="you", seed=1).throw(1).play("0-1")
    text = played.to_rgn()
    silent = text[text.index("1. ") :]

    def rules(said: str, *line: str) -> tuple[str, int]:
        file.write_text(said)
        found = run("review", str(file), "--json", *line)
        assert found.err == ""
        return found.json["rules"], found.json["pieces"]

    bare = f'[Rules "strip 2"]\n\n{silent}'
    for said in (text, bare, bare.replace(" 2", ""), silent):
        assert rules(said, *strip, "--tablebase", str(base)) == ("strip", 2)
    assert rules(text) == rules(bare, "--tablebase", str(base)) == ("strip", 2)
    assert rules(bare, *strip) == ("strip", 2)
    assert rules(silent, *strip) == ("strip", 3)
    # The same where a game goes on.
    file.write_text(bare)
    line = ("--resume", str(file), "--against", "first", "-o", str(tmp_path / "on.txt"))
    went_on = run("play", *line, "--tablebase", str(base), stdin="q\n")
    assert went_on.out.startswith("You (light) against first (dark), strip with 2 pieces")
    # What cannot be true together is one line, an error or a note.
    wrong = run("review", str(file), *strip, "--rules", "finkel")
    assert "is a game of strip with 2 pieces, not of finkel with 7" in assert_one_line(wrong, 2)
    file.write_text('[Rules "kwan 1"]\n\n(1) r0\n')
    assert "strip.urcx is of strip with 2 pieces, not of kwan with 1" in assert_one_line(
        run("review", str(file), "--tablebase", str(base)), 2
    )
    found = run("review", str(file), *strip)
    assert found.code == 0
    assert found.err.startswith(
        f"urcx: {file} is read as a game of kwan, because its text says so, not of strip"
    )

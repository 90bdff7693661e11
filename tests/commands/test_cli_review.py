"""urcx review as one uses it: games in every form, by a tablebase, drawn, listed and exported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import assert_one_line, run
from own_rules import SHORT

import urcx
from urcx.played.notation import read_game
from urcx.rules import catalogue

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.jit

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
    assert "anna (light) against greedy (dark), finkel with 1 piece: unfinished" in shown.out
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


def test_a_review_by_a_tablebase_is_the_same(game: str, one_piece: Path) -> None:
    own = run("review", game, "--json").json
    base = str(one_piece)
    assert run("export", base, "finkel1.rgu", "--values", "f64").code == 0
    for file in (base, "finkel1.rgu"):
        found = run("review", game, "--tablebase", file, "--json").json
        assert found["rows"] == own["rows"]
        assert file != base or found["bound"] == own["bound"]


def test_games_are_listed_exported_and_drawn(game: str) -> None:
    for suffix in ("txt", "rgn", "json", "svg"):
        found = run("review", game, "--moves", "--save", f"out.{suffix}")
        assert found.code == 0
        assert found.err == f"urcx: wrote out.{suffix}\n"
        assert "  2  dark      4  0-4  start to C1, rosette, rolls again" in found.out
    assert read_game("out.txt") == read_game(game)
    assert read_game("out.rgn").plies == read_game(game).plies
    data = json.loads(Path("out.json").read_text())
    assert data["schema"] == "urcx.game/1"
    assert data["notation"] == read_game(game).to_text()
    assert json.loads(run("review", game, "--moves", "--json").out) == data
    found = run("review", game, "--plot")
    assert (found.code, found.err) == (0, "urcx: drew review.svg\n")
    assert Path("review.svg").read_bytes().startswith(b"<?xml")
    assert "anna against greedy, finkel: unfinished" in Path("out.svg").read_text()
    assert ">  2. D 4:0-4* 1:4-5<" in Path("out.svg").read_text()


@pytest.mark.parametrize(
    ("text", "line", "why", "code"),
    [
        (GAME.replace("2:0-2", "2:0-3"), "", "game.txt, line 5, column 10: 0-3 is no move by", 2),
        ("(1) r9", "", "game.txt, line 1, column 5: roll 9", 2),
        ("", "", "game.txt, line 1, column 1: the text is empty", 2),
        (GAME, "--rules blitz", "game.txt is a game of finkel with 1 pieces, not of blitz", 2),
        (GAME, "--tablebase none.urcx", "none.urcx", 2),
        (GAME, "--moves --plot x.svg", "--plot and --tablebase cannot be combined with --moves", 2),
        (GAME, "--save none/x.txt", "there is no directory none", 1),
        (GAME, "--plot x.txt", "the name must end in .svg, .png, .pdf", 2),
        (
            "urcx game 1\n1. light 2:0-2\n", "",
            "too many to solve now; solve it once with: urcx solve --rules finkel -p 7 -o FILE", 1,
        ),
        ("urcx game 1\nrules: murray\n", "", "no tablebases of the path murray", 1),
    ],
)  # fmt: skip
def test_what_cannot_be_reviewed_is_one_line(
    game: str, text: str, line: str, why: str, code: int
) -> None:
    Path(game).write_text(text)
    assert why in assert_one_line(run("review", game, *line.split()), code)


def test_rules_come_from_the_game_the_tablebase_or_the_file(tmp_path: Path) -> None:
    base, file, strip = tmp_path / "strip.urcx", tmp_path / "g.rgn", ("--path-file", str(SHORT))
    assert run("solve", "--rules", "strip", *strip, "-p", "2", "-o", str(base)).code == 0
    known = catalogue.read_catalogue_file(SHORT)[0].rules["strip"]
    played = urcx.PlayedGame(replace(known, pieces=2), light="you", seed=1).throw(1).play("0-1")
    text = played.to_rgn()
    silent = text[text.index("(1)") :]

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
    for number, more in enumerate((strip, ("--tablebase", str(base)))):
        line = ("--resume", str(file), "--against", "first", "-o", str(tmp_path / f"{number}.txt"))
        went_on = run("play", *line, *more, stdin="q\n")
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
    assert found.err.startswith(f"urcx: {file} is read as one of kwan, as it says, not of strip")

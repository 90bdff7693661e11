"""The explorer plays, writes and reviews games as the functions do."""

from __future__ import annotations

from typing import Any

from own_rules import SHORT
from requests_in_place import post, sent
from starlette.types import ASGIApp

import urcx
from urcx.played.notation import parse_game
from urcx.rules import catalogue

pytest_plugins = ["explorer_fixtures"]

GAME = (
    "urcx game 1\npieces: 2\nlight: you\nseed: 4\n\n1. light 1:0-1\n2. dark 1:0-1\n3. light 4:?\n"
)


def after(app: ASGIApp, **asked: Any) -> Any:
    """Return the explorer's answer to a request for a game."""
    return sent(app, "/api/game", asked)


def test_games_go_on_as_the_functions_play_them(app: ASGIApp) -> None:
    played = urcx.PlayedGame(urcx.Game("finkel", pieces=2), light="you", seed=4)
    new = {"rules": "finkel", "pieces": 2, "light": "you", "seed": 4}
    done = [{"throw": None}, {"play": "0-1"}, {"throw": 1}, {"play": "0-1"}, {"throw": None}]
    found = after(app, new=new, do=done)
    played = played.throw(1).play("0-1").throw(1).play("0-1").throw(4)
    assert found["notation"] == played.to_text()
    assert found["rgn"] == played.to_rgn()
    assert [one["ply"] for one in found["played"]] == [1, 2]
    assert [one["roll"] for one in found["view"]["rolls"]] == [4]
    assert found["view"]["position"] == str(played.game.position)
    review = urcx.review(played)
    assert [one["regret"] for one in found["played"]] == [float(p.regret) for p in review.plies]
    cost = after(app, text=found["notation"], do=[{"play": "1-5"}])["played"]
    assert cost[0]["regret"] > 0.0
    assert (cost[0]["best_from"], cost[0]["best_to"]) == (0, 4)
    assert cost[0]["ply"] == 3


def test_plies_are_taken_back_and_played_again_over_several_requests(app: ASGIApp) -> None:
    back = after(app, text=GAME, do=[{"undo": 2}])
    assert back["undone"] == ["1:0-1", "1:0-1"]
    assert back["roll"] == 1
    assert back["played"] == []
    one = after(app, text=back["notation"], undone=back["undone"], do=[{"redo": 1}])
    assert one["undone"] == ["1:0-1"]
    assert len(one["rows"]) == 1
    so_far = {"text": one["notation"], "undone": one["undone"]}
    assert after(app, **so_far, do=[{"throw": 2}, {"play": "0-2"}])["undone"] == []
    kept = after(app, **so_far)
    assert (kept["notation"], kept["undone"]) == (one["notation"], one["undone"])


def test_agents_answer_until_the_game_is_over(app: ASGIApp) -> None:
    found = after(app, new={"pieces": 1, "seed": 9}, do=[{"answer": "greedy"}] * 9)
    while found["result"] == "unfinished":
        found = after(app, text=found["notation"], do=[{"answer": "random"}])
    assert found["view"]["winner"] == found["result"]
    wrong = post(app, "/api/game", {"text": found["notation"], "do": [{"throw": None}]})
    assert (wrong.status, "over" in wrong.error) == (400, True)


def test_a_game_by_rules_of_one_s_own_brings_its_board(app: ASGIApp) -> None:
    strip = catalogue.read_catalogue_file(SHORT)[0].rules["strip"]
    known = sent(app, "/api/game", {"text": urcx.PlayedGame(strip, seed=1).to_text()})
    assert known["board"] is None
    assert known["view"]["rules"] == "strip"
    foreign = urcx.PlayedGame(strip, seed=1).to_text().replace("rolls: 1=1/2 2=1/2", "rolls: 1=1/1")
    other = after(app, text=foreign, do=[{"answer": "last"}])
    assert other["board"]["light"] == list(strip.path.light)
    assert [one["roll"] for one in other["board"]["dice"]["rolls"]] == [1]


def test_broken_notation_says_line_and_column(app: ASGIApp) -> None:
    for target in ("/api/game", "/api/review"):
        found = post(app, target, {"text": GAME.replace("1:0-1", "1:0-2", 1)})
        assert found.status == 400
        assert (found.data["line"], found.data["column"]) == (6, 10)
        assert "line 6, column 10" in found.error


def test_rules_are_the_page_s_where_a_game_does_not_say_them(app: ASGIApp) -> None:
    asked = {"rules": "finkel", "pieces": 3}
    whole = post(app, "/api/game", {"text": GAME}).data
    for text in (GAME, f"# mine\n{GAME}", whole["rgn"], parse_game(GAME).to_royalur_json()):
        found = post(app, "/api/game", {"text": text, **asked})
        assert found.status == 200, found.error
        assert found.data["pieces"] == whole["pieces"] == 2
    bare = whole["rgn"].replace('[Rules "finkel 2"]\n', "")
    assert bare != whole["rgn"]
    assert post(app, "/api/game", {"text": bare, **asked}).data["pieces"] == 3


def test_what_is_written_of_rules_of_ones_own_is_read_again(app: ASGIApp) -> None:
    strip = catalogue.read_catalogue_file(SHORT)[0].rules["strip"]
    rgn = sent(app, "/api/game", {"new": {"rules": "strip"}, "do": [{"answer": "first"}]})["rgn"]
    bare = "\n".join(line for line in rgn.split("\n") if line[:1] != "[" or "Rules" in line)
    for text in (rgn, bare, bare[bare.index("1. ") :]):
        asked = {} if "Rules" in text else {"rules": "strip"}
        found = sent(app, "/api/game", {"text": text, **asked})
        assert (found["rules"], found["pieces"], found["board"]) == ("strip", strip.pieces, None)
    # Without a word, they are the tablebase's.
    silent = sent(app, "/api/game", {"text": "(1) r0\n"})
    assert (silent["rules"], silent["pieces"]) == ("finkel", 2)

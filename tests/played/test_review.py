"""Reviews: luck and skill add up to the result, exactly, and agree with the solution."""

from __future__ import annotations

import re
from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import mean

import pytest
from test_record import SMALL, play_out

import urcx
from urcx.errors import (
    NotationError,
    TooLargeError,
    UnusableFileError,
    UsageError,
    WrongObjectError,
)
from urcx.played import notation
from urcx.played.game_review import GRADES, Review
from urcx.played.values import SolvedGame, network_estimates
from urcx.results import layout
from urcx.solving.files.kept import can_be_solved

pytest_plugins = ["solved_games"]


def check_sum(found: Review) -> None:
    light, dark = found.sides
    gained = (light.luck - light.lost) - (dark.luck - dark.lost)
    assert found.light_end - found.light_start == gained
    assert isinstance(gained, Fraction)


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(5))
def test_luck_and_skill_add_up_to_the_result(seed: int, two_pieces: Path) -> None:
    played = play_out(seed=seed)
    with urcx.open_tablebase(two_pieces) as base:
        found = urcx.review(played, base)
        check_sum(found)
        assert found.light_end == (1 if played.winner == "light" else 0)
        assert found.light_start == Fraction(base.probe(played.start))
        for one in found.plies:
            assert one.regret >= 0
            assert one.luck + one.before == one.rolled
            moves = base.best_moves(one.ply.before.position, one.roll)
            assert len(moves) == one.choices
            if moves:
                assert float(one.rolled) == pytest.approx(moves[0].value, abs=1e-15)
                regret = next(m.regret for m in moves if m.move == one.move)
                assert float(one.regret) == pytest.approx(regret, abs=1e-15)
            else:
                assert one.move is None
                assert one.regret == 0
    check_sum(urcx.review(played.at(len(played.plies) // 2), two_pieces))


@pytest.mark.jit
def test_each_ply_begins_where_the_last_one_ended(two_pieces: Path) -> None:
    found = urcx.review(play_out(), two_pieces)
    ends = [found.light_start, *(one.light_after for one in found.plies)]
    before = [one.before if one.side == "light" else 1 - one.before for one in found.plies]
    assert before == ends[:-1]
    assert ends[-1] == found.light_end


@pytest.mark.jit
def test_luck_is_nothing_in_the_mean(two_pieces: Path) -> None:
    with urcx.open_tablebase(two_pieces) as base:
        for position in ("-/-/0-0/L", "4,7/9,12/0-0/D", "12/9/0-1/L"):
            game = urcx.Game(SMALL, position)
            chances = zip(SMALL.dice.rolls, SMALL.dice.probabilities, strict=True)
            luck = Fraction(0)
            for roll, chance in chances:
                found = urcx.hint(game, roll, base)
                assert found.rolled is not None
                assert found.before is not None
                luck += chance * (found.rolled - found.before)
            assert abs(luck) < Fraction(1, 10**11)


@pytest.mark.jit
def test_perfect_play_loses_nothing_and_mistakes_are_those_of_who_makes_them(
    two_pieces: Path,
) -> None:
    played = play_out(agents=(f"optimal:{two_pieces}", "random"), seed=2)
    light, dark = urcx.review(played, two_pieces).sides
    assert light.mistakes == 0
    assert light.worst is None
    assert float(light.lost) < 1e-11
    assert dark.mistakes > 0
    assert dark.worst is not None
    assert dark.worst.regret == max(
        one.regret for one in urcx.review(played, two_pieces).plies if one.side == "dark"
    )
    assert dark.worst.best != dark.worst.move
    assert light.plies + dark.plies == len(played.plies)


class Alike:
    """Knows no difference between positions: all moves are best, and every ply loses nothing."""

    bound: float | None = None

    def __init__(self, rules: urcx.RuleSet) -> None:
        self.rules = rules

    def probe(self, position: object) -> float:
        del position
        return 0.5


@pytest.mark.jit
def test_what_was_played_is_best_if_nothing_is_better() -> None:
    found = urcx.review(play_out().at(20), Alike(SMALL))
    assert any(one.choices > 1 and one.hint.moves[0].move != one.move for one in found.plies)
    assert all(one.best == one.move for one in found.plies)
    assert found.side("light").mistakes == found.side("dark").mistakes == 0
    assert "of unknown precision" in repr(found)


@pytest.mark.jit
def test_coarse_chances_are_no_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "coarse.urcx"
    urcx.solve(SMALL, file, store="u16")
    found = urcx.review(play_out(), file)
    check_sum(found)
    assert found.bound is not None
    assert found.bound > 5e-6
    assert all(one.regret == 0 or one.regret > 2 * found.bound for one in found.plies)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["finkel", "murray"])
def test_small_games_are_solved_at_once_on_any_path(name: str) -> None:
    rules = urcx.ruleset(name, pieces=1)
    assert can_be_solved(rules)
    found = urcx.review(play_out(rules))
    check_sum(found)
    known = SolvedGame(rules)
    assert float(found.light_start) == known.probe("-/-/0-0/L")
    assert known.bound is not None
    assert known.bound < 1e-11
    assert known.probe("-/-/1-0/L") == 1.0
    assert known.probe("-/-/1-0/D") == 0.0


@pytest.mark.jit
def test_what_cannot_be_judged_is_refused(two_pieces: Path, tmp_path: Path) -> None:
    large = urcx.ruleset("finkel", pieces=6)  # urcx has no network for it
    assert not can_be_solved(large)
    with pytest.raises(TooLargeError, match=r": urcx solve --rules finkel -p 6 --yes"):
        urcx.review(urcx.PlayedGame(large))
    with pytest.raises(UnusableFileError, match="is of finkel with 2 pieces, not of blitz with 5"):
        urcx.review(urcx.PlayedGame("blitz"), two_pieces)
    with pytest.raises(UnusableFileError, match=r"none\.urcx"):
        urcx.review(urcx.PlayedGame("blitz"), tmp_path / "none.urcx")
    wrong: object = 7
    with pytest.raises(WrongObjectError, match="tablebase: must be a file name"):
        urcx.review(urcx.PlayedGame(SMALL), wrong)  # type: ignore[call-overload]


@pytest.mark.jit
def test_a_review_prints_its_sum(two_pieces: Path) -> None:
    shown = repr(urcx.review(play_out(dark="random"), two_pieces))
    assert "luck (points)  loss (points)  ??  ?  ?!  plies  decisions" in shown
    assert "* light's win probability 51.86 % + (" in shown
    assert "win probabilities are proven, ± " in shown
    assert "≈" not in shown


@pytest.mark.jit
def test_colours_of_losses_have_the_scale_of_the_grades() -> None:
    least = {grade.name: float(100 * grade.least) for grade in GRADES}
    assert ((least["blunder"], "bad"), (least["inaccuracy"], "fair")) == layout.GRADES


def test_grades_are_of_the_loss_and_are_counted_by_side(two_pieces: Path) -> None:
    for game in GAMES:
        found = urcx.review(game, two_pieces)
        for ply in found.plies:
            lost = float(ply.regret)
            graded = "blunder" if lost >= 0.08 else "mistake" if lost >= 0.04 else "inaccuracy"
            assert ply.grade == (graded if lost >= 0.02 else None)
        for side in found.sides:
            grades = [ply.grade for ply in found.plies if ply.side == side.side]
            counts = (side.blunders, side.graded_mistakes, side.inaccuracies)
            assert counts == tuple(map(grades.count, ("blunder", "mistake", "inaccuracy")))
            assert sum(counts) <= side.mistakes
        rows = found.document()["rows"]
        assert [row["grade"] for row in rows] == [ply.grade for ply in found.plies]
        worst = found.tables()[1]
        number = sum(row["grade"] is not None for row in rows)
        assert len(worst.rows) == min(number, 8) or worst.title == "Every ply"


@pytest.mark.jit
def test_the_first_sentence_is_the_coach_s(two_pieces: Path) -> None:
    won = urcx.review(GAMES[0], two_pieces)
    light, dark = won.sides
    assert won.answer.startswith(f"{won.played.result.capitalize()} won. Light (anna) lost ")
    for side, name in ((light, "Light (anna)"), (dark, "Dark (ben)")):
        turn = "took" if side.luck < 0 else "gave"
        lost, luck = 100 * float(side.lost), 100 * abs(float(side.luck))
        told = f"{name} lost {lost:.2f} points by decisions and the dice {turn} {luck:.2f}; "
        assert told in won.answer
    early = urcx.review(urcx.PlayedGame(SMALL).play("0-2"), two_pieces)
    assert early.answer.startswith("The game is unfinished. Light lost 0.00 points")
    assert early.answer.count("no blunders or mistakes") == 2


@pytest.mark.jit
def test_a_game_without_a_solution_is_reviewed_by_its_network() -> None:
    played = play_out(urcx.ruleset("finkel"), agents=("greedy", "greedy"), seed=5)
    found = urcx.review(played)
    network = network_estimates(played.rules)
    assert network is not None
    check_sum(found)
    assert (found.approximate, found.bound) == (True, None)
    assert found.light_start == Fraction(network.probe(played.start))
    for ply in found.plies:
        after = Fraction(network.probe(ply.ply.after))
        assert ply.after == (after if ply.ply.after.turn == ply.side else 1 - after)
    data = found.document()
    assert (data["approximate"], data["bound"]) == (True, None)
    assert not urcx.review(GAMES[0]).document()["approximate"]
    shown = found.text(wide=True)
    light = found.side("light")
    assert f"Light (greedy) lost ≈ {100 * float(light.lost):.1f} points" in shown
    assert "≈ luck (points)  ≈ loss (points)" in shown
    assert "≈ light wins" in shown
    numbers = re.findall(r"\d\.\d+", shown)
    assert {len(number) for number in numbers} == {3}, "one decimal"
    assert "urcx solve --rules finkel --yes" in repr(found)


@pytest.mark.jit
def test_estimates_among_many_games_are_marked() -> None:
    whole = play_out(urcx.ruleset("finkel"), agents=("greedy", "greedy"), seed=5, light="anna")
    found = urcx.review([GAMES[0], whole])
    assert [row.approximate for row in found.rows] == [False, True]
    assert (found.rows[1].light, found.rows[1].dark) == urcx.review(whole).sides
    assert "loses least, ≈ " in found.answer
    assert "≈ loss per decision (points)" in repr(found)
    assert "urcx solve --rules finkel --yes" in repr(found)
    assert "≈" not in repr(urcx.review(GAMES))


GAMES = [
    play_out(seed=seed, agents=agents, light=light, dark=dark)
    for seed, agents, light, dark in (
        (3, ("greedy", "random"), "anna", "ben"),
        (4, ("random", "greedy"), "ben", "anna"),
        (5, ("greedy", "greedy"), "anna", "anna"),
        (6, ("random", "first"), "", ""),
    )
]
LOG = """Light: Roll 2
Light: Introduce a piece to A3
Dark: Roll 0
"""


def log(game: urcx.PlayedGame) -> str:
    """Return a game as the example of the package royalur prints it."""
    lines = []
    for ply in game.plies:
        side = ply.side.capitalize()
        way = getattr(game.rules.path, ply.side)
        lines.append(f"{side}: Roll {ply.roll}")
        if ply.move is not None:
            start = way[ply.move.start - 1] if ply.move.start else ""
            end = way[ply.move.end - 1] if ply.move.end <= len(way) else ""
            said = f"Move {start} to {end}" if start and end else f"Score a piece from {start}"
            lines.append(f"{side}: {said if start else f'Introduce a piece to {end}'}")
    return "\n".join([*lines, f"{game.result.capitalize()} won the game!", ""])


@pytest.mark.parametrize("form", ["to_text", "to_rgn", "bare", "log"])
def test_a_file_of_many_games_is_read_as_each_of_them(form: str, tmp_path: Path) -> None:
    texts = {
        "to_text": [f"# a comment\n\n{game.to_text()}" for game in GAMES],
        "to_rgn": [game.to_rgn() for game in GAMES],
        "bare": [game.to_rgn().partition("\n\n")[2] for game in GAMES],
        "log": [log(game) for game in GAMES],
    }[form]
    file, single = tmp_path / "games", tmp_path / "one"
    file.write_text("\n".join(texts))
    found = urcx.read_games(file, SMALL)
    for game, text, again in zip(GAMES, texts, found, strict=True):
        single.write_text(text)
        assert again == urcx.read_game(single, SMALL)
        assert [ply.steps for ply in again.plies] == [ply.steps for ply in game.plies]
    both = urcx.read_games([file, str(single)], SMALL)
    assert both == (*found, found[-1])


def test_games_of_all_notations_stand_in_one_file(tmp_path: Path) -> None:
    one, two, three, _ = GAMES
    file = tmp_path / "games"
    texts = [log(one), two.to_rgn(), three.to_text(), log(two), two.to_text(), one.to_rgn()]
    file.write_bytes("\n".join(texts).replace("\n", "\r\n").encode("utf-8-sig"))
    found = urcx.read_games(file, SMALL)
    assert [game.plies for game in found] == [
        game.plies for game in (one, two, three, two, two, one)
    ]
    assert [game.light for game in found] == ["", "ben", "anna", "", "ben", "anna"]


def test_what_is_wrong_is_named_by_the_line_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, good = tmp_path / "games.txt", GAMES[0].to_text()
    lines = good.count("\n")
    for text, line, column, why in (
        ("urcx game 1\npieces: 2\nboard: x\n", 3, 1, "unknown name 'board'"),
        ("urcx game 1\npieces: 2\n1. light 2:0-3\n", 3, 10, "is not a move for the roll 2"),
        ('[Rules "finkel 2"]\n\n(1) r2.5a4\n', 3, 5, "start to A4 is not legal"),
        ("[Rules finkel 2]\n(1) r0\n", 1, 1, "a line such as"),
        ("(1) r0 (3) r0", 1, 8, "expected turn (2)"),
        (f"{LOG}Light: Roll 7", 4, 8, "roll 7: the dice"),
    ):
        file.write_text(good + text)
        with pytest.raises(NotationError) as wrong:
            urcx.read_games(file)
        assert (wrong.value.line, wrong.value.column) == (lines + line, column)
        assert why in wrong.value.why
        assert str(wrong.value).startswith(f"{file}, line {lines + line}, column {column}: ")
    with pytest.raises(UsageError, match="is repeated"):
        urcx.read_games([saved(tmp_path)] * 2)
    with pytest.raises(UnusableFileError, match="cannot read"):
        urcx.read_games([saved(tmp_path), tmp_path / "none.txt"])
    monkeypatch.setattr(notation, "MOST_GAMES", 2)
    file.write_text(good * 3)
    with pytest.raises(UsageError, match="more than 2 games"):
        urcx.read_games(file)
    monkeypatch.setattr(notation, "MOST_FILE", 100)
    with pytest.raises(UsageError, match="has more than 100 bytes"):
        urcx.read_games(file)


def saved(directory: Path) -> Path:
    file = directory / "a.txt"
    GAMES[0].save(file)
    return file


@pytest.mark.jit
def test_sums_by_player_are_those_of_the_reviews_of_all_games() -> None:
    found = urcx.review(GAMES)
    single = [urcx.review(game) for game in GAMES]
    for row, whole in zip(found.rows, single, strict=True):
        assert (row.light, row.dark) == whole.sides
        assert (row.light_start, row.light_end) == (whole.light_start, whole.light_end)
    by_name = {one.player: one for one in found.players}
    assert by_name.keys() == {"anna", "ben", "light", "dark"}
    for name, one in by_name.items():
        own = [
            [ply for ply in review.plies if review.played.player(ply.side) == name]
            for review in single
        ]
        own = [plies for plies in own if plies]
        lost = [sum((ply.regret for ply in plies), Fraction(0)) for plies in own]
        decisions = [sum(ply.is_decision for ply in plies) for plies in own]
        wrong = sum(ply.regret > 1e-9 for plies in own for ply in plies)
        assert (one.games, one.lost, one.decisions) == (len(own), sum(lost), sum(decisions))
        assert (one.mistakes, one.accuracy) == (wrong, 1 - wrong / sum(decisions))
        assert one.loss_per_decision == sum(lost) / sum(decisions)
        assert one.luck == sum(ply.luck for plies in own for ply in plies)
        assert one.luck_per_game == one.luck / len(own)
        low, high = one.accuracy_ci95 or (1, 0)
        assert low < 1 - wrong / sum(decisions) < high
        if len(own) == 1:
            assert one.loss_ci95 is None
            continue
        # The delta method, written out.
        r = float(sum(lost) / sum(decisions))
        left = [float(x) - r * n for x, n in zip(lost, decisions, strict=True)]
        error = sqrt(sum(x * x for x in left) / (len(own) - 1) / len(own)) / mean(decisions)
        assert one.loss_ci95 == pytest.approx(
            (max(r - 1.96 * error, 0), r + 1.96 * error), rel=1e-4
        )
    assert by_name["anna"].games == 3
    assert by_name["anna"].won == sum(
        game.player(game.winner or "light") == "anna" for game in GAMES
    )
    losses = [one.loss_per_decision or 0 for one in found.players]
    assert losses == sorted(losses)
    best = found.players[0]
    assert f"{best.player} loses least, {100 * float(losses[0]):.2f} points" in found.answer


@pytest.mark.jit
def test_games_of_different_rules_are_reviewed_each_by_its_own(tmp_path: Path) -> None:
    other = play_out(urcx.ruleset("blitz", pieces=1), light="anna", dark="ben")
    found = urcx.review([GAMES[0], other, GAMES[1]], names=["a", "b", "c"])
    assert [(row.game, row.rules.name) for row in found.rows] == [
        ("a", "finkel"),
        ("b", "blitz"),
        ("c", "finkel"),
    ]
    assert (found.rows[1].light, found.rows[1].dark) == urcx.review(other).sides
    file = tmp_path / "two.urcx"
    urcx.solve(SMALL, file)
    assert urcx.review(GAMES, file).players == urcx.review(GAMES).players
    with pytest.raises(UnusableFileError, match=r"^game b: .*two\.urcx is of finkel with 2 pieces"):
        urcx.review([GAMES[0], other], file, names=["a", "b"])
    with pytest.raises(TooLargeError, match=r"^game 2: .*urcx solve"):
        urcx.review([GAMES[0], urcx.PlayedGame(urcx.ruleset("finkel", pieces=6))])


@pytest.mark.jit
def test_nothing_to_decide_and_nothing_to_review() -> None:
    played = urcx.PlayedGame(urcx.Game(SMALL), light="anna").passed(0)
    found = urcx.review([played, played])
    assert found.answer == "2 games: no decisions"
    assert [(one.accuracy, one.loss_per_decision, one.loss_ci95) for one in found.players] == [
        (None, None, None)
    ] * 2
    assert "anna" in repr(found)
    with pytest.raises(UsageError, match="there are no games"):
        urcx.review([])
    with pytest.raises(UsageError, match="names: must be one for each of 2 games"):
        urcx.review([played, played], names=["a"])

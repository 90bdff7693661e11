from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import naive
import numpy as np
import pytest

import urcx
from urcx.agents.agents import Agent, Chooser, agent
from urcx.agents.lookahead import LEAVES
from urcx.agents.policies import Policies
from urcx.engine import memory
from urcx.engine.moves import Move
from urcx.errors import TooLargeError, UnknownNameError, UrcxError, UsageError
from urcx.games import game_kernels, simulator
from urcx.games.habits import KINDS, of_side
from urcx.games.simulator import FIRST_MOVERS, MAX_SEED, Games, dice_slots, simulate
from urcx.games.statistics import Measure, measures
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position, check

# --- a naive simulator: SplitMix64 and bounded draws in unbounded integers, moves from the words

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


def splitmix(state: int) -> int:
    """Return the output of SplitMix64 for a state, as its authors print it."""
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


@dataclass
class Stream:
    """A game's random stream."""

    state: int
    again: int = 0  # draws made again

    @classmethod
    def of(cls, seed: int, game: int) -> Stream:
        start = splitmix((seed + GOLDEN) % WORD)
        return cls(splitmix((start + game * GOLDEN) % WORD))

    def bits(self) -> int:
        self.state = (self.state + GOLDEN) % WORD
        return splitmix(self.state)


def bounded(half: int, n: int) -> int | None:
    """Return the n-th part of 0..2^32 - 1 that 32 bits are in, None for one number too many."""
    whole, left = divmod(half * n, 2**32)
    return None if left < 2**32 % n else whole


CAPTURE, ROSETTE, CENTRE, ENTER, BEAR_OFF = range(len(KINDS))  # as they are observed

Choice = tuple[int, int, Position]
Best = Callable[[Position, int, list[Choice], RuleSet], list[Choice]]


def any_move(_position: Position, _roll: int, moves: list[Choice], _rules: RuleSet) -> list[Choice]:
    return moves


def captures(position: Position, move: Choice) -> bool:
    light, dark = len(move[2].light), len(move[2].dark)
    return dark < len(position.dark) if position.light_to_move else light < len(position.light)


def tile(position: Position, step: int, rules: RuleSet) -> str:
    """Return the tile of the mover's step, "" for the pool and home."""
    way = rules.path.light if position.light_to_move else rules.path.dark
    return way[step - 1] if 0 < step <= len(way) else ""


def greedy(position: Position, _roll: int, moves: list[Choice], rules: RuleSet) -> list[Choice]:
    hits = [move for move in moves if captures(position, move)]
    rosettes = [m for m in moves if tile(position, m[1], rules) in rules.path.board.rosettes]
    return hits or rosettes or moves


def ahead(depth: int, leaf: str, few: bool) -> Best:
    def best(position: Position, roll: int, moves: list[Choice], rules: RuleSet) -> list[Choice]:
        found = dict(naive.lookahead_values(position, roll, depth, rules, leaf, few))
        return [move for move in moves if found[move[0]] == max(found.values())]

    return best


PLAYERS: dict[str, tuple[Best, str]] = {
    "random": (any_move, "random"),
    "first": (any_move, "first"),
    "last": (any_move, "last"),
    "greedy": (greedy, "last"),
    "greedy:first": (greedy, "first"),
    "greedy:random": (greedy, "random"),
    "expectimax:1": (ahead(1, LEAVES[0], few=False), "first"),
    "expectimax:2:random": (ahead(2, LEAVES[0], few=False), "random"),
    "expectimax:2:advance+centre:last": (ahead(2, LEAVES[1], few=False), "last"),
    "panda:4": (ahead(4, LEAVES[1], few=True), "first"),
}


@dataclass
class Record:
    """What is counted of one side of a game."""

    turns: int = 0
    captures: int = 0
    rosettes: int = 0
    rolls: Counter[int] = field(default_factory=Counter)
    choices: Counter[int] = field(default_factory=Counter)
    entropy: float = 0.0
    habits: Counter[int] = field(default_factory=Counter)


def centre_tile(rules: RuleSet) -> str:
    both = zip(rules.path.light, rules.path.dark, strict=True)
    return next((a for a, b in both if a == b and a in rules.path.board.rosettes), "")


def standing(position: Position, side: int, rules: RuleSet) -> list[str]:
    way = (rules.path.light, rules.path.dark)[side]
    return [way[step - 1] for step in (position.light, position.dark)[side]]


def observe(
    position: Position,
    moves: list[Choice],
    move: Choice | None,
    after: Position,
    sides: list[Record],
    rules: RuleSet,
) -> None:
    """Count a ply for the strategy measures."""
    k = game_kernels
    side = 0 if position.light_to_move else 1
    seen = sides[side].habits
    centre = centre_tile(rules)
    lane = set(rules.path.light) & set(rules.path.dark)
    if move is not None:
        home = (len(rules.path.light), len(rules.path.dark))[side] + 1
        kinds: dict[int, Callable[[Choice], bool]] = {
            CAPTURE: lambda m: captures(position, m),
            ROSETTE: lambda m: tile(position, m[1], rules) in rules.path.board.rosettes,
            CENTRE: lambda m: tile(position, m[1], rules) == centre != "",
            ENTER: lambda m: m[0] == 0,
            BEAR_OFF: lambda m: m[1] == home,
        }
        if len(moves) > 1:
            for kind, holds in kinds.items():
                seen[2 * kind] += any(holds(m) for m in moves)
                seen[2 * kind + 1] += holds(move) and any(holds(m) for m in moves)
        seen[k.LANDINGS] += kinds[CENTRE](move)
        there, here = tile(position, move[1], rules), tile(position, move[0], rules)
        seen[k.ENTRIES] += there in lane and here not in lane
    held = centre in standing(position, side, rules) and centre in standing(after, side, rules)
    seen[k.STAYED] += held
    for each in (0, 1):
        on = standing(after, each, rules)
        sides[each].habits[k.EXPOSED] += sum(at in lane for at in on)
        sides[each].habits[k.HELD] += centre in on


@dataclass
class Played:
    """A game of the naive simulator."""

    began: int
    won: int
    plies: int
    sides: list[Record]
    again: int


def play(light: str, dark: str, rules: RuleSet, seed: int, game: int, first: str) -> Played:
    stream = Stream.of(seed, game)
    began = {"light": 0, "dark": 1, "alternate": game % 2}.get(first)
    if began is None:
        began = stream.bits() >> 63
    slots = [roll for roll, share in zip(rules.dice.rolls, shares(rules.dice), strict=True)
             for _ in range(share)]  # fmt: skip
    position = Position(light_to_move=began == 0)
    sides = [Record(), Record()]
    plies, before = 0, None
    while rules.pieces not in position.home:
        plies += 1
        side = 0 if position.light_to_move else 1
        record = sides[side]
        record.turns += side != before
        before = side
        roll = None
        while roll is None:
            bits = stream.bits()
            slot = bounded(bits >> 32, len(slots))
            roll = None if slot is None else slots[slot]
            stream.again += slot is None
        half = bits % 2**32
        moves = sorted(naive.moves(position, roll, rules), key=lambda move: move[0])
        record.rolls[roll] += 1
        record.choices[len(moves)] += 1
        after, move = replace(position, light_to_move=not position.light_to_move), None
        if moves:
            best, ties = PLAYERS[(light, dark)[side]]
            good = best(position, roll, moves, rules)
            chosen: int | None = {"first": 0, "last": len(good) - 1}.get(ties)
            if chosen is None:
                record.entropy += math.log10(len(good))
                chosen = bounded(half, len(good))
                while chosen is None:
                    chosen = bounded(stream.bits() % 2**32, len(good))
            move = good[chosen]
            record.captures += captures(position, move)
            record.rosettes += tile(position, move[1], rules) in rules.path.board.rosettes
            after = move[2]
        observe(position, moves, move, after, sides, rules)
        position = after
        if move is not None and after.light_to_move == (side == 0):
            continue  # the same turn
        before = None
    return Played(began, position.home.index(rules.pieces), plies, sides, stream.again)


def shares(dice: Dice) -> list[int]:
    common = math.lcm(*(p.denominator for p in dice.probabilities))
    return [int(p * common) for p in dice.probabilities]


def the_same(found: Games, row: int, ref: Played) -> None:
    """Assert that a row of the simulator's games is a game of the naive simulator."""
    assert found.results[row].tolist() == [ref.began, ref.won, ref.plies]
    for side, record in enumerate(ref.sides):
        fixed = [record.turns, record.captures, record.rosettes]
        rolls = [record.rolls[roll] for roll in found.rules.dice.rolls]
        choices = [record.choices[n] for n in range(found.rules.pieces + 1)]
        assert found.records[row, side].tolist() == fixed + rolls + choices
        assert found.rolls[row, side].tolist() == rolls
        assert found.by_choices[row, side].tolist() == choices
        assert found.entropy[row, side] == pytest.approx(record.entropy, abs=1e-9)
        if len(found.habits):
            habits = [record.habits[k] for k in range(game_kernels.N_HABITS)]
            assert found.habits[row, side].tolist() == habits


def ruleset(name: str, pieces: int | None = None) -> RuleSet:
    rules: RuleSet = urcx.ruleset(name)
    return rules if pieces is None else replace(rules, pieces=pieces)


def by_levels(rules: RuleSet) -> Policies:
    return Policies(rules, 1, method="levels", keep=False)


RULES = ["finkel", "kwan", "blitz", "masters", "murray", "skiriuk", "aseb"]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    ("light", "dark"), [("random", "greedy"), ("greedy:random", "last"), ("random", "random")]
)
def test_games_are_those_of_the_naive_simulator(name: str, light: str, dark: str) -> None:
    rules = ruleset(name)
    observed = light != dark
    found = simulate(
        light, dark, rules, games=3, seed=20 + len(name), first="coin", habits=observed
    )
    assert len(found) == 3
    assert len(found.habits) == (3 if observed else 0)
    for game in range(3):
        the_same(found, game, play(light, dark, rules, found.seed, game, "coin"))


@pytest.mark.jit
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    ("light", "dark"), [("random", "greedy"), ("greedy:random", "random"), ("random", "last")]
)
def test_many_games_are_those_of_the_naive_simulator(name: str, light: str, dark: str) -> None:
    rules = ruleset(name, 4)
    observed = "greedy" in light + dark
    found = simulate(light, dark, rules, games=20, seed=MAX_SEED, habits=observed)
    for game in range(20):
        the_same(found, game, play(light, dark, rules, MAX_SEED, game, "alternate"))


@pytest.mark.parametrize("rules", [ruleset("murray", 2), ruleset("masters", 3)])
def test_games_between_agents_with_ties(rules: RuleSet) -> None:
    for light, dark in (("greedy", "greedy:random"), ("first", "last")):
        found = simulate(light, dark, rules, games=3, seed=9, first="dark")
        for game in range(3):
            the_same(found, game, play(light, dark, rules, 9, game, "dark"))


@pytest.mark.parametrize(
    ("name", "pieces", "light", "dark"),
    [
        ("finkel", 2, "expectimax:1", "expectimax:2:random"),
        ("finkel", 1, "panda:4", "expectimax:2:advance+centre:last"),
        pytest.param("blitz", 2, "expectimax:2:random", "expectimax:1", marks=pytest.mark.jit),
        pytest.param("aseb", 2, "expectimax:2:random", "expectimax:1", marks=pytest.mark.jit),
    ],
)
def test_games_that_look_ahead_are_those_of_the_naive_simulator(
    name: str, pieces: int, light: str, dark: str
) -> None:
    rules = ruleset(name, pieces)
    found = simulate(light, dark, rules, games=4, seed=3, policies=by_levels(rules))
    for game in range(4):
        the_same(found, game, play(light, dark, rules, 3, game, "alternate"))


# --- dice and draws


def test_rolls_drawn_again_are_those_of_the_naive_simulator() -> None:
    # 2^32 leaves nearly n numbers over: one of some 4,100 draws is made again.
    n = max(range(2**20 - 5000, 2**20), key=lambda n: 2**32 % n)
    third = Fraction(n // 3, n)
    dice = Dice("uneven", "", (1, 2, 4), (third, third, 1 - 2 * third))
    slots = Counter(dice_slots(dice).tolist())
    assert [slots[k] for k in range(3)] == shares(dice)
    game = next(game for game in range(3000) if drawn_again(4, game, n))
    rules = replace(ruleset("finkel", 1), dice=dice)
    found = simulate("last", rules=rules, games=game + 1, seed=4)
    ref = play("last", "last", rules, 4, game, "alternate")
    assert ref.again > 0
    the_same(found, game, ref)


def drawn_again(seed: int, game: int, n: int) -> bool:
    """Say whether one of a game's first ten draws of n slots is made again."""
    stream = Stream.of(seed, game)
    return any(bounded(stream.bits() >> 32, n) is None for _ in range(10))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 16, 1_000_003])
def test_no_number_is_drawn_with_a_greater_chance(n: int) -> None:
    # Of the 2^32 numbers as many lead to each; only those at the edges need a look.
    each = 2**32 // n
    for k in (0, 1, n // 2, n - 1):
        edge = -(-k * 2**32 // n)
        for half in range(max(edge - 2, 0), min(edge + 3, 2**32)):
            found = int(game_kernels.below(np.uint64(half), n))
            assert found == (n if bounded(half, n) is None else bounded(half, n))
    first = next(x for x in range(3) if bounded(x, n) is not None)
    assert bounded(first + each - 1, n) == 0
    assert n == 1 or bounded(first + each, n) != 0


def test_a_choice_is_drawn_again_where_it_would_favour_some() -> None:
    state = 12345
    with np.errstate(over="ignore"):
        after, chosen = one_of(state, 0, 0b1011)
    stream = Stream(state)
    ref = bounded(stream.bits() % 2**32, 3)
    assert ref is not None
    assert chosen == (0, 1, 3)[ref]
    assert after == stream.state
    assert one_of(state, 2**31, 0b1011) == (state, 1)


def one_of(state: int, half: int, mask: int) -> tuple[int, int]:
    found = game_kernels.one_of(np.uint64(state), np.uint64(half), np.int64(mask))
    return int(found[0]), int(found[1])


def test_dice_that_are_too_fine_are_refused() -> None:
    dice = Dice("fine", "", (1, 2), (Fraction(1, 2**21), 1 - Fraction(1, 2**21)))
    with pytest.raises(TooLargeError, match="fine: probabilities in 1/2097152 are too fine"):
        simulate("first", rules=replace(ruleset("finkel", 1), dice=dice), games=1)


# --- seeds, threads, first movers


def equal(a: Games, b: Games) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("records", "results", "entropy", "habits")
    )


def test_games_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "CHUNK", 3)  # so that threads take turns
    rules = ruleset("blitz", 1)
    games = [
        simulate("random", "greedy", rules, games=40, seed=6, habits=True, threads=threads)
        for threads in (1, 2, 3)
    ]
    assert equal(games[0], games[1])
    assert equal(games[0], games[2])


def test_a_game_does_not_depend_on_how_many_are_played() -> None:
    rules = ruleset("finkel", 2)
    many, few = (simulate("random", rules=rules, games=n, seed=6, first="coin") for n in (12, 5))
    assert np.array_equal(many.records[:5], few.records)
    assert np.array_equal(many.results[:5], few.results)


def test_every_seed_has_games_of_its_own() -> None:
    rules = ruleset("finkel", 2)
    seeds = (0, 1, 2, 2**32, MAX_SEED)
    seen = {simulate("random", rules=rules, games=4, seed=s).records.tobytes() for s in seeds}
    assert len(seen) == len(seeds)
    records = simulate("random", rules=rules, games=20, seed=0).records
    assert len({record.tobytes() for record in records}) == 20


def test_first_movers() -> None:
    rules = ruleset("finkel", 1)
    began = {
        first: simulate("last", rules=rules, games=64, seed=2, first=first).results[:, 0].tolist()
        for first in FIRST_MOVERS
    }
    assert began["light"] == [0] * 64
    assert began["dark"] == [1] * 64
    assert began["alternate"] == [0, 1] * 32
    assert began["coin"] == [Stream.of(2, game).bits() >> 63 for game in range(64)]
    assert 12 < sum(began["coin"]) < 52  # 32 +- 5 standard deviations of 4


def test_where_dark_begins_the_sides_are_exchanged() -> None:
    rules = ruleset("skiriuk", 2)
    light = simulate("random", "greedy", rules, games=6, seed=2, first="light", habits=True)
    dark = simulate("greedy", "random", rules, games=6, seed=2, first="dark", habits=True)
    assert np.array_equal(light.records, dark.records[:, ::-1])
    assert np.array_equal(light.entropy, dark.entropy[:, ::-1])
    assert np.array_equal(light.habits, dark.habits[:, ::-1])
    assert np.array_equal(light.results[:, :2], 1 - dark.results[:, :2])
    assert np.array_equal(light.results[:, 2], dark.results[:, 2])


def test_dark_is_as_light_by_default() -> None:
    rules = ruleset("finkel", 1)
    found = simulate("greedy", rules=rules, games=1)
    assert found.light == found.dark == agent("greedy")
    assert not found.interrupted


# --- agents that are functions of the user's


def own_last(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[-1]


def own_first(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[0]


def own_greedy(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return max(moves, key=lambda move: (move.captures, move.rosette, move.start))


@pytest.mark.parametrize(
    ("own", "same"), [(own_last, "last"), (own_first, "first"), (own_greedy, "greedy")]
)
@pytest.mark.parametrize("name", ["masters", "murray", "finkel"])
def test_an_own_agent_plays_the_same_games(own: Chooser, same: str, name: str) -> None:
    rules = ruleset(name, 2)

    def played(light: str | Chooser, dark: str | Chooser | None = None) -> Games:
        return simulate(light, dark, rules, games=4, seed=8, first="coin", habits=True)

    assert equal(played(same, "random"), played(own, "random"))
    assert equal(played("greedy:random", same), played("greedy:random", own))
    assert equal(played(same, same), played(own))


def test_an_own_agent_meets_one_that_looks_ahead() -> None:
    rules = ruleset("finkel", 1)
    text = "expectimax:2:random"
    ref = simulate("last", text, rules, games=5, seed=8, policies=by_levels(rules))
    assert equal(ref, simulate(own_last, text, rules, games=5, seed=8, policies=by_levels(rules)))


def test_an_own_agent_is_asked_where_there_is_a_choice() -> None:
    rules = ruleset("masters", 3)
    seen: list[tuple[Position, int, tuple[Move, ...]]] = []

    def watching(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
        seen.append((position, roll, moves))
        return moves[-1]

    found = simulate("last", watching, rules, games=2, seed=8)
    assert len(seen) == found.by_choices[:, 1, 2:].sum()
    for position, roll, moves in seen:
        check(position, rules.path, rules.pieces)
        assert not position.light_to_move
        assert len(moves) > 1
        assert [move.position for move in moves] == [
            after for _, _, after in sorted(naive.moves(position, roll, rules), key=lambda m: m[0])
        ]


def test_an_own_agent_that_chooses_no_legal_move() -> None:
    def stray(position: Position, _roll: int, _moves: tuple[Move, ...]) -> Move:
        return Move(0, 9, False, False, False, position)

    with pytest.raises(
        UsageError, match=r"agent stray\(\) chose 0-9 in \S+/\S+/\d-\d/[LD] with roll"
    ):
        simulate(stray, rules=ruleset("finkel", 2), games=1)


def test_an_own_agent_that_chooses_no_move_at_all() -> None:
    def empty(_position: Position, _roll: int, _moves: tuple[Move, ...]) -> None:
        return None

    with pytest.raises(UsageError, match=r"agent empty\(\) chose None in \S+/[LD] .*; legal: 0-"):
        simulate(empty, rules=ruleset("finkel", 2), games=1)  # type: ignore[arg-type]


def test_an_own_agent_that_fails() -> None:
    def failing(_position: Position, _roll: int, _moves: tuple[Move, ...]) -> Move:
        raise ZeroDivisionError("no way")

    message = (
        r"agent failing\(\) fails in \S+/\S+/\d-\d/[LD] with roll \d: ZeroDivisionError: no way"
    )
    with pytest.raises(UsageError, match=message):
        simulate("first", failing, ruleset("finkel", 2), games=3)


def test_an_own_agent_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Weight:\n    n: int\n"
        "def back(position, roll, moves):\n    return moves[Weight(-1).n]\n"
    )
    rules = ruleset("finkel", 2)
    found = simulate(f"{file}:back", "random", rules, games=3)
    assert found.light.name == f"{file}:back"
    assert equal(found, simulate("last", "random", rules, games=3))


# --- habits


def test_habits_are_ratios_over_all_games() -> None:
    rules = ruleset("finkel", 2)
    found = simulate("random", "greedy", rules, games=5, seed=1, habits=True)
    ref = [play("random", "greedy", rules, 1, game, "alternate") for game in range(5)]
    for side in (0, 1):
        total: Counter[int] = Counter()
        for game in ref:
            total.update(game.sides[side].habits)
        plies = sum(game.plies for game in ref)
        means = {measure.name: measure.mean for measure in of_side(found, side)}
        k = game_kernels
        for kind, name in enumerate(("capture", "rosette", "centre", "enter", "bear_off")):
            assert means[f"{name}_chosen"] == pytest.approx(total[2 * kind + 1] / total[2 * kind])
        assert means["centre_stay"] == pytest.approx(total[k.STAYED] / total[k.LANDINGS])
        assert means["centre_held"] == pytest.approx(total[k.HELD] / plies)
        assert means["shared_stay"] == pytest.approx(total[k.EXPOSED] / total[k.ENTRIES])
        assert means["shared_pieces"] == pytest.approx(total[k.EXPOSED] / plies)
    assert means["capture_chosen"] == 1  # what greedy is


def test_habits_that_games_say_nothing_of_are_left_out() -> None:
    rules = ruleset("finkel", 1)  # one piece never has two moves
    found = simulate("random", rules=rules, games=3, habits=True)
    names = {measure.name for measure in of_side(found, 0)}
    assert {"centre_held", "shared_pieces"} <= names
    assert not any(name.endswith("_chosen") for name in names)


# --- interruptions and failures


@dataclass
class Interrupting:
    """Progress that presses Ctrl-C once some games are done, and an agent that waits for it."""

    after: int
    free: int  # choices made before the agent waits
    pressed: threading.Event = field(default_factory=threading.Event)
    choices: int = 0

    def stage(self, label: str, _total: int, _unit: str) -> Callable[[int], None]:
        def tick(done: int) -> None:
            if label == "games" and done >= self.after:
                self.pressed.set()
                raise KeyboardInterrupt

        return tick

    def choose(self, _position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
        self.choices += 1
        if self.choices > self.free:
            assert self.pressed.wait(60)
        return moves[-1]


@pytest.mark.parametrize("habits", [False, True])
def test_an_interrupted_run_keeps_the_games_that_were_finished(habits: bool) -> None:
    rules = ruleset("finkel", 2)
    ref = simulate("last", rules=rules, games=500, seed=5, habits=habits)
    free = int(ref.by_choices[:4, :, 2:].sum())  # four games, then it waits
    ctrl_c = Interrupting(4, free)
    found = simulate(
        ctrl_c.choose, rules=rules, games=500, seed=5, habits=habits, stage=ctrl_c.stage
    )
    assert found.interrupted
    assert found.asked == 500
    n = len(found)
    assert 4 <= n < 500
    for name in ("records", "results", "entropy"):
        assert np.array_equal(getattr(found, name), getattr(ref, name)[:n])
    assert np.array_equal(found.habits, ref.habits[: n if habits else 0])


@pytest.mark.jit
def test_compiled_games_can_be_interrupted() -> None:
    def stage(label: str, _total: int, _unit: str) -> Callable[[int], None]:
        def tick(done: int) -> None:
            if label == "games" and done:
                raise KeyboardInterrupt

        return tick

    found = simulate("random", games=400_000, threads=2, stage=stage)
    assert found.interrupted
    assert 0 < len(found) < 400_000
    assert (found.rolls.sum(axis=(1, 2)) == found.results[:, 2]).all()
    assert (found.results[:, 2] > 0).all()


def test_interrupted_before_the_first_game() -> None:
    def pressing(_position: Position, _roll: int, _moves: tuple[Move, ...]) -> Move:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(pressing, rules=ruleset("finkel", 2), games=3)


def test_games_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "MAX_PLIES", 20)
    rules = ruleset("finkel", 2)
    for light in ("first", own_first):
        with pytest.raises(
            UrcxError, match=r"game 0 of \w+(\(\))? and last does not end within 20 plies"
        ):
            simulate(light, "last", rules, games=2, seed=1)
    longest = int(simulate("last", rules=ruleset("finkel", 1), games=1, seed=0).results[0, 2])
    monkeypatch.setattr(simulator, "MAX_PLIES", longest)
    assert len(simulate("last", rules=ruleset("finkel", 1), games=1, seed=0)) == 1


def test_progress_and_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    begun: list[tuple[str, int, str]] = []
    told: list[int] = []

    def stage(label: str, total: int, unit: str) -> Callable[[int], None]:
        begun.append((label, total, unit))
        told.clear()
        return told.append

    rules = ruleset("finkel", 1)
    ready = Policies(rules, 10, method="levels", stage=stage)
    found = simulate("expectimax:2", rules=rules, games=10, policies=ready, stage=stage)
    assert begun == [("expectimax:2 looks ahead", 2 * 248, "states"), ("games", 10, "games")]
    assert told[-1] == 10
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"kept for the next run: {tmp_path}")
    simulate("expectimax:2", rules=rules, games=1, policies=ready, stage=stage)
    assert len(begun) == 3  # made ready once


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "0 games: play from 1 to"),
        ({"games": 10**9}, "1,000,000,000 games"),
        ({"seed": -1}, "seed -1 is not from 0"),
        ({"seed": 2**63}, "seed 9223372036854775808 is not"),
        ({"first": "loser"}, "unknown first mover 'loser'; known: light, dark, alternate, coin"),
        ({"threads": 0}, "0 threads"),
        ({"light": "expectimax:0"}, "depth 0 is not from 1 to 40"),
        ({"light": "expectimax:-3"}, "depth -3 is not from 1 to 40"),
        ({"light": "panda:41"}, "depth 41 is not from 1 to 40"),
        ({"light": "panda:x"}, "'x' is no depth, no leaf"),
        ({"light": "panda:"}, "'' is no depth, no leaf"),
        ({"light": "panda:3:4"}, "'4' is a second depth"),
        ({"light": "panda:advance:3:advance+centre"}, "is a second leaf"),
        ({"light": "greedy:last:first"}, "'first' is a second ties"),
        ({"light": "random:3"}, "random does not look ahead"),
        ({"light": "greedy:advance"}, "greedy does not look ahead"),
        ({"light": "last:first"}, "no two moves are equally good"),
        ({"light": "nowhere.py:f"}, "there is no file nowhere.py"),
        ({"light": "nowhere.py"}, "write FILE.py:FUNCTION"),
    ],
)
def test_bad_input(options: dict[str, str | int], message: str) -> None:
    arguments = {"light": "first", "games": 1, **options}
    with pytest.raises(UsageError) as said:
        simulate(**arguments)  # type: ignore[arg-type]
    assert message in str(said.value)


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="greedi"):
        simulate("greedi", games=1)
    with pytest.raises(UnknownNameError, match="finkl"):
        simulate("first", rules="finkl", games=1)
    with pytest.raises(UsageError, match="unknown tie rule 'none'"):
        agent("greedy", ties="none")
    with pytest.raises(UsageError, match="unknown leaf 'none'"):
        agent("panda", leaf="none")
    with pytest.raises(UsageError, match="unknown method 'guess'"):
        Policies(ruleset("finkel"), 1, method="guess")


def test_files_of_agents_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("raise RuntimeError('not today')\n")
    with pytest.raises(UsageError, match=r"broken\.py fails: RuntimeError: not today"):
        agent(f"{file}:f")
    file.write_text("f = 3\n")
    for name in ("f", "g"):
        with pytest.raises(UsageError, match=rf"broken\.py has no function {name}"):
            agent(f"{file}:{name}")


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("panda", Agent("panda", "first", 7, "advance+centre")),
        ("expectimax:random:2", Agent("expectimax", "random", 2, "advance")),
        ("greedy", Agent("greedy", "last")),
        ("random", Agent("random", "random")),
    ],
)
def test_agents_read_their_defaults(text: str, ref: Agent) -> None:
    assert agent(text) == ref
    assert agent(ref.name) == ref
    assert agent(ref) is ref


def test_what_a_text_leaves_open_is_filled_in() -> None:
    found = agent("panda:3", depth=5, leaf="advance", ties="random")
    assert found == Agent("panda", "random", 3, "advance")
    assert found.name == "panda:3:advance:random"
    assert agent("random", depth=5, leaf="advance", ties="last") == Agent("random", "random")


def test_refuses_more_games_than_memory_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemAvailable: 1000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    with pytest.raises(TooLargeError, match=r"1,000,000 games needs .* play fewer games"):
        simulate("first", games=1_000_000)


# --- values of other programs


@dataclass(frozen=True)
class Oracle:
    """What another program found, and from how many games, for `agrees`."""

    games: int
    digits: int = 1


def agrees(measure: Measure, games: int, printed: float, oracle: Oracle) -> bool:
    """Say whether a printed mean lies within four standard errors of both samples.

    The standard error is that of the difference of two means, of our games and of the other
    program's, which are taken to scatter as ours; half a printed digit is added.
    """
    assert measure.ci95 is not None
    one = (measure.ci95[1] - measure.ci95[0]) / 2 / 1.959963984540054 * math.sqrt(games)
    error = one * math.sqrt(1 / games + 1 / oracle.games)
    return abs(measure.mean - printed) <= 4 * error + 0.5 * 10.0**-oracle.digits


def share_agrees(found: Games, printed: float, oracle: Oracle) -> bool:
    share = float((found.results[:, 0] == found.results[:, 1]).mean())
    error = math.sqrt(share * (1 - share) * (1 / len(found) + 1 / oracle.games))
    return bool(abs(share - printed) <= 4 * error + 0.0005)


def by_name(found: Games) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures(found)}


@pytest.mark.jit
def test_random_play_agrees_with_another_program() -> None:
    # Another program's 300,000 games.
    found = simulate("random", games=100_000, seed=1)
    seen = by_name(found)
    means = Oracle(300_000)
    for name, printed, digits in (
        ("plies", 156.52, 2),
        ("moves", 143.8, 1),
        ("turns", 130.6, 1),
        ("choices_per_ply", 2.501, 3),
        ("choices_per_move", 2.722, 3),
    ):
        assert agrees(seen[name], len(found), printed, replace(means, digits=digits)), name
    assert share_agrees(found, 0.511, means)
    sd = seen["plies"].sd
    assert sd is not None
    # The error of a standard deviation, as for a normal distribution.
    error = sd * math.sqrt(1 / (2 * len(found)) + 1 / (2 * means.games))
    assert abs(sd - 22.4) <= 4 * error + 0.05


@pytest.mark.jit
def test_greedy_play_agrees_with_another_program() -> None:
    # Another program's 776,238 games; it breaks ties towards the most advanced piece.
    oracle = Oracle(776_238, digits=2)
    found = simulate("greedy", games=100_000, seed=1)
    seen = by_name(found)
    assert agrees(seen["plies"], len(found), 120.57, oracle)
    assert agrees(seen["choices_per_ply"], len(found), 1.732, replace(oracle, digits=3))
    assert share_agrees(found, 0.510, oracle)
    other = simulate("greedy:random", games=10_000, seed=1)
    assert not agrees(by_name(other)["plies"], len(other), 120.57, oracle)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("depth", "plies", "choices", "wrong"),
    [
        (2, 178.9, 2.355, "expectimax:2:random"),
        pytest.param(3, 183.8, 2.268, "expectimax:3:last", marks=pytest.mark.slow),
    ],
)
def test_looking_ahead_agrees_with_another_program(
    depth: int, plies: float, choices: float, wrong: str
) -> None:
    # Another program's means. How many games it played is not known: 2,000 are assumed, as many as
    # the paper has. Its ties go to the least advanced piece; another rule is noticed.
    rules = ruleset("finkel")
    oracle = Oracle(2000)
    method = "tree" if depth == 2 else "levels"  # whichever is quicker

    def both_agree(text: str) -> bool:
        ready = Policies(rules, 1, method=method, keep=False)
        found = simulate(text, rules=rules, games=20_000, seed=1, policies=ready)
        seen = by_name(found)
        return agrees(seen["plies"], len(found), plies, oracle) and agrees(
            seen["choices_per_ply"], len(found), choices, replace(oracle, digits=3)
        )

    assert both_agree(f"expectimax:{depth}")
    assert not both_agree(wrong)

"""Quantities of dice and of single pieces: sections 4 and 5 of the paper, and Michon's dice."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from urcx.errors import OutOfDomainError
from urcx.published.rounding import Params, Worded, rounded
from urcx.rules import catalogue
from urcx.rules.model import Dice
from urcx.strategy import dice as odds
from urcx.strategy.dice import chance, chances, probability, summary, written
from urcx.strategy.journey import (
    ExpectedTimes,
    Journey,
    Track,
    arrival,
    leg,
    path_track,
    track,
)
from urcx.strategy.rush import rush_chance

PAPER_PATHS = ("bell", "masters", "skiriuk", "murray", "aseb")
FAR = 40  # tiles, so far that the start no longer matters


def _dice(params: Params) -> Dice:
    return catalogue.dice(params["dice"])


def sequence_chance(params: Params) -> Fraction:
    """Return the probability of a sequence times ``of``, with ``any_order`` in all its orders.

    ``rounded_first`` is a part of the sequence. Its probability is rounded to two digits before the
    multiplication.
    """
    dice, text = _dice(params), params["sequence"]
    rolls = odds.sequence_rolls(text, dice)
    value: Fraction = params["of"] * probability(dice, rolls)
    if params.get("any_order"):
        value *= odds.orders(rolls)
    if part := params.get("rounded_first"):
        first = 100 * probability(dice, odds.sequence_rolls(part, dice))
        value *= rounded(first, 2) / first
    return value


def sequence_class(params: Params) -> str:
    """Return the sequences of equal probability, in ascending order, as written in Table 2.

    With ``among``, return only sequences of that list, in its order.
    """
    dice = _dice(params)
    rolls = odds.sequence_rolls(params["sequence"], dice)
    texts = [written(member) for member in odds.equal_class(dice, rolls).members]
    if "among" in params:
        candidates = {text: odds.sequence_rolls(text, dice) for text in params["among"]}
        target = probability(dice, rolls)
        texts = [t for t, other in candidates.items() if probability(dice, other) == target]
    return " = ".join(f"P({text})" for text in texts)


def orders(params: Params) -> int:
    """Return the number of orders of the rolls of a sequence."""
    return odds.orders(params["sequence"])


def arrangements(params: Params) -> str:
    """Return the arrangements of the letters of a sequence, in alphabetical order."""
    return " ".join(sorted({"".join(letters) for letters in permutations(params["sequence"])}))


def dice_outcomes(params: Params) -> int:
    """Return the number of different rolls."""
    return len(_dice(params).rolls)


def with_sum(params: Params) -> str:
    """Return the multisets of ``rolls`` rolls whose sum is ``sum``."""
    sums = odds.sums(_dice(params), params["sum"], [params["rolls"]])
    return " ".join(written(row.rolls) for row in sums.rows)


def sum_chance(params: Params) -> Fraction:
    """Return the probability of reaching a sum within ``up_to`` rolls, or the totals added up.

    The totals of all lengths count a sequence such as 40 again, because its first roll already has
    the sum.
    """
    total = odds.sums(_dice(params), params["sum"], range(1, params["up_to"] + 1))
    return Fraction(params["of"] * (total.added if params["what"] == "added" else total.reached))


def likeliest_length(params: Params) -> str:
    """Return the most probable number of rolls for even sums."""
    dice = _dice(params)
    for total in range(2, params["up_to"] + 1, 2):
        sums = odds.sums(dice, total, range(1, total + 1))
        best = max(sums.lengths, key=lambda item: item.total).length
        if best != total // 2:
            return f"not S / 2: {best} for {total}"
    return "S / 2"


def any_of(params: Params) -> Fraction:
    """Return the probability of ``rolls`` times ``of``.

    With ``less``, subtract the probability of those rolls first. With ``over``, divide by the
    probability of those rolls.
    """
    dice = _dice(params)

    def total(rolls: list[int]) -> Fraction:
        return sum((chance(dice, roll) for roll in rolls), Fraction(0))

    value = total(params["rolls"]) - total(params.get("less", []))
    return Fraction(params["of"] * value / (total(params["over"]) if "over" in params else 1))


def pairs_likelier(params: Params) -> str:
    """Return the pairs with the roll ``with`` that are likelier than each of the rolls ``than``."""
    dice = _dice(params)
    threshold = max(chance(dice, roll) for roll in params["than"])
    less = []
    for roll in dice.rolls:
        pair = sorted((params["with"], roll))
        if probability(dice, pair) <= threshold:
            less.append(written(pair))
    return f"all but {', '.join(less)}" if less else "all"


def dice_extreme(params: Params) -> str:
    """Return the greatest roll, or the likeliest rolls."""
    dice = _dice(params)
    likeliest = summary(dice).likeliest if params["what"] == "likeliest" else (max(dice.rolls),)
    return ", ".join(map(str, likeliest))


def substitute(params: Params) -> str:
    """Return the ways to read 5 and 6 of a die that keep the mean as the likeliest roll.

    Michon's section on the dice reads 5 as 0 and 6 as 2.
    """
    readings = []
    for five, six in combinations_with_replacement(range(5), 2):
        faces = [1, 2, 3, 4, five, six]
        likeliest = [roll for roll in range(5) if faces.count(roll) == max(map(faces.count, faces))]
        mean = Fraction(sum(faces), len(faces))
        if mean == _dice(params).mean and likeliest == [mean]:
            readings.append(f"5 as {five}, 6 as {six}")
    return "; ".join(readings)


def expected_count(params: Params) -> Fraction:
    """Return the expected frequency of a roll."""
    return Fraction(params["rolls"] * chance(_dice(params), params["roll"]))


def counts_chance(params: Params) -> Fraction:
    """Return the probability of counts by Eq. 13 and 14, times ``of``."""
    dice = _dice(params)
    counts = odds.counts_by_roll(params["counts"])
    counts_chance = odds.counts_chance(dice, counts, params["rolls"])
    return Fraction(params["of"] * counts_chance.exactly)


def deviations(params: Params) -> float:
    """Return z of Eq. 15."""
    level = Fraction(params["confidence"])
    return odds.deviations(level)


def normal_interval(params: Params) -> str:
    """Return the interval of Eq. 15 in integers."""
    level = Fraction(params["confidence"])
    interval = odds.count_interval(_dice(params), params["roll"], params["rolls"], level)
    return f"{interval.rounded[0]} to {interval.rounded[1]}"


def coverage(params: Params) -> Fraction:
    """Return the true probability of the interval of Eq. 15, in percent."""
    level = Fraction(params["confidence"])
    interval = odds.count_interval(_dice(params), params["roll"], params["rolls"], level)
    return 100 * interval.rounded_coverage


def _way(params: Params) -> Track:
    return path_track(catalogue.path(params["path"]), _dice(params))


def rush(params: Params) -> Fraction:
    """Return the probability of rushing a piece, or of a ``sequence``, times ``of``."""
    if "sequence" in params:
        return sequence_chance(params)
    return Fraction(params["of"] * rush_chance(_way(params)).probability)


def rush_rolls(params: Params) -> str:
    """Return the rolls that rush a piece."""
    rush = rush_chance(_way(params))
    return written(rush.likeliest) if rush.sequences else "not possible"


def rush_path(params: Params) -> str:
    """Return the paths on which rushing a piece is most probable."""
    chances = {p: rush_chance(_way({**params, "path": p})).probability for p in PAPER_PATHS}
    return " and ".join(p for p, value in chances.items() if value == max(chances.values()))


def rush_games(params: Params) -> Fraction:
    """Return the number of games per rush of a player, with an attempt in every turn."""
    chance_of_one = rush({**params, "of": 1})
    if not chance_of_one:
        raise OutOfDomainError(f"path {params['path']}: no piece can be rushed")
    return 1 / (Fraction(params["turns"]) * chance_of_one)


def _times(item: Journey, way: str) -> ExpectedTimes:
    times: ExpectedTimes | None = getattr(item, way)
    assert times is not None
    return times


def journey(params: Params) -> Fraction:
    """Return the expected rolls or turns to a step, with a stop on the rosette ``via`` if any.

    ``way`` is a field of `urcx.strategy.journey.Journey`.
    """
    way = track(catalogue.ruleset(params["rules"]))
    what, to = params["what"], params["to"]
    if "via" not in params:
        return Fraction(getattr(_times(leg(way, to), params["way"]), what))
    legs = (leg(way, params["via"]), leg(way, to, params["via"]))
    times = [Fraction(getattr(_times(item, params["way"]), what)) for item in legs]
    return sum(times, Fraction(0)) - int(what == "turns" and params["via"] in way.rosettes)


def journey_hit(params: Params) -> Worded:
    """Return in words whether a piece that moves with every roll probably lands on a step.

    With ``turns``, return whether a player with several pieces probably reaches the step within
    this number of turns.
    """
    rules = catalogue.ruleset(params["rules"])
    if "turns" in params:
        hit = arrival(rules, params["to"], rules.pieces, params["turns"])[-1]
    else:
        hit = leg(track(rules), params["to"]).hit
    words = "likely" if hit > Fraction(1, 2) else "less likely than not"
    return Worded(words, f"{float(hit):.1%}")


def journey_rule(params: Params) -> str:
    """Return the formula for the expected rolls for S tiles, if S is not small.

    By renewal theory the mean overshoot of S is E[r (r - 1)] / (2 E[r]). The Markov chain confirms
    it. With ``of`` "tiles a roll", return the number of rolls whose mean sum is S.
    """
    dice = _dice(params)
    if params.get("of") == "tiles a roll":
        return f"S / {dice.mean}"
    square = sum((p * r * (r - 1) for r, p in chances(dice).items()), Fraction(0))
    extra = square / (2 * dice.mean) / dice.mean
    exact = _times(leg(Track(dice), FAR), "passing").rolls
    if abs(exact - (FAR / dice.mean + extra)) > Fraction(1, 10**6):
        return f"{float(exact)} for {FAR}"
    return f"S / {dice.mean} + {extra}"


def turns_against_rule(params: Params) -> str:
    """Return in words whether the expected turns to a step are less than S / 2."""
    way = track(catalogue.ruleset(params["rules"]))
    turns = _times(leg(way, params["to"]), "passing").turns
    return "less than S / 2" if turns < Fraction(params["to"], 2) else "not less than S / 2"


def war_tiles_passed(params: Params) -> int:
    """Return the number of shared tiles before a step of light's path."""
    path = catalogue.path(params["path"])
    return sum(tile in path.dark for tile in path.light[: params["to"] - 1])


def dice_chance(params: Params) -> Fraction:
    """Return the probability of a roll, times ``of``."""
    kind = catalogue.dice(params["dice"])
    return Fraction(chance(kind, params["roll"]) * params["of"])


def _by_roll(params: Params) -> dict[int, Fraction]:
    """Return the probabilities of the rolls of ``dice``, or ``chances`` of the rolls from 0."""
    if "chances" in params:
        return dict(enumerate(map(Fraction, params["chances"])))
    return dict(chances(_dice(params)))


def landing(params: Params) -> Fraction:
    """Return the probability that the sum is ``sum`` after one of the numbers of ``rolls``, added.

    With ``first``, only the roll that reaches the sum counts, so later rolls of 0 do not. With
    ``given``, return the probability if the sum is ``sum`` after one of these numbers of rolls,
    each equally likely before. With ``what`` "mean", return the mean number of rolls.
    """
    lengths = range(max([*params["rolls"], *params.get("given", [])]) + 1)
    total, by_roll = params["sum"], _by_roll(params)
    sums, at = {0: Fraction(1)}, []
    for _ in lengths:
        at.append(sums.get(total, Fraction(0)))
        if "first" in params:
            sums.pop(total, None)
        after: dict[int, Fraction] = {}
        for (have, so_far), (roll, p) in product(sums.items(), by_roll.items()):
            if have + roll <= total:
                after[have + roll] = after.get(have + roll, Fraction(0)) + so_far * p
        sums = after
    mean = params.get("what") == "mean"
    value = sum((at[n] * (n if mean else 1) for n in params["rolls"]), Fraction(0))
    if "given" in params:
        value /= sum((at[n] for n in params["given"]), Fraction(0))
    return value


def last_pieces(params: Params) -> str:
    """Return the exact win probability of the player to move, if each player has one piece left.

    No piece can be captured. ``left`` has the steps to home, first of the player to move. Landing
    that many steps from home as in ``rosettes`` grants a roll.
    """
    by_roll = _by_roll(params)

    def moved(own: int, other: int) -> tuple[Fraction, Fraction]:
        """Return the part of the probability that comes from moves, and the chance of a pass."""
        wins = Fraction(0)
        rolls = [roll for roll in by_roll if 0 < roll <= own]
        for roll in rolls:
            rest = own - roll
            again = rest in params["rosettes"]
            value = Fraction(1)
            if rest:
                value = win(rest, other) if again else 1 - win(other, rest)
            wins += by_roll[roll] * value
        return wins, 1 - sum((by_roll[roll] for roll in rolls), Fraction(0))

    def win(own: int, other: int) -> Fraction:
        # Both may pass in turn, so x = a + c (1 - y) and y = b + d (1 - x).
        (a, c), (b, d) = moved(own, other), moved(other, own)
        return (a + c * (1 - b - d)) / (1 - c * d)

    return str(win(*params["left"]))


def dice_mean(params: Params) -> Fraction:
    """Return the mean roll."""
    return catalogue.dice(params["dice"]).mean


def rolls(params: Params) -> str:
    """Return the possible rolls."""
    return ", ".join(map(str, catalogue.ruleset(params["rules"]).dice.rolls))

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import naive
import pytest

import urcx
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.results.writing import json_text
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import parse_position
from urcx.strategy.capture import attempts, total
from urcx.strategy.dice import chances
from urcx.strategy.gain import (
    READINGS,
    default_sequences,
    gain,
    gain_of,
    move_gains,
    pieces,
    rounded_gain,
)

FINKEL: RuleSet = urcx.ruleset("finkel")
EXAMPLE = "2/3,6/5-5/L"
WITH_8 = "2/3,6,8/5-4/L"  # an opponent on the rosette 8, which forbids what Table 5 subtracts
SEQUENCES = ("AA", "AB", "BA", "BB")
FOUND = gain(WITH_8, sequences=SEQUENCES)


def f(numerator: int, *below: int) -> Fraction:
    """Return a product as the paper writes it: a number times sixteenths."""
    value = Fraction(numerator)
    for part in below:
        value *= Fraction(part, 16)
    return value


# Table 5 and 6 of the paper, term for term.
WALK = {
    "AA": 2 - f(2, 6) + f(2, 1) - f(4 + 4, 1, 1),
    "AB": 2 - f(2, 6) + f(2, 1) - f(4 + 2, 1, 6),
    "BA": 2 + f(2, 6) - f(2 + 4, 6, 1),
    "BB": 2 + f(2, 6) - f(2 + 4, 6, 1),
}
ATTACK = {"AA": f(6, 1, 6), "AB": f(6, 1, 1), "BA": f(6, 1), "BB": f(6, 1) + f(6, 6, 6)}
ON_5 = -f(5, 6) - f(5, 4, 4)
ON_6 = -f(6, 4) - f(6, 4, 6)
ON_7 = -f(7, 1) - f(7, 4, 4)
CAPTURE = {
    "AA": ON_5 + ON_6 + ON_7,
    "AB": ON_5 + ON_6,
    "BA": ON_5 + ON_6,
    "BB": ON_5 + ON_6 + ON_5 + ON_6 + ON_7,
}
# Table 3 as printed; what is wrong in it is marked and has its reason below.
TABLE_3 = {
    "AA": ("1.35*", "0.14", "-5.13", "-3.64"),
    "AB": ("1.24*", "0.02", "-4.25", "-2.99"),
    "BA": ("2.61", "0.38", "-4.25", "-1.27"),
    "BB": ("2.61", "0.84*", "-9.38", "-5.92*"),
}


@pytest.mark.parametrize("position", [EXAMPLE, WITH_8])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_tables_5_and_6(position: str, sequence: str) -> None:
    found = gain_of(parse_position(position), sequence, FINKEL, reading="tables")
    assert found.part("W") == WALK[sequence]
    assert found.part("A") == ATTACK[sequence]
    assert found.part("C") == CAPTURE[sequence]
    assert found.part("G") == WALK[sequence] + ATTACK[sequence] + CAPTURE[sequence]
    for part, printed in zip("WACG", TABLE_3[sequence], strict=True):
        assert (rounded_gain(found.part(part)) == printed.rstrip("*")) == (
            not printed.endswith("*")
        )


def test_what_is_wrong_in_table_3() -> None:
    position = parse_position(EXAMPLE)
    for sequence, wrong in (("AA", "1.35"), ("AB", "1.24")):
        found = gain_of(position, sequence, FINKEL, reading="tables")
        cents = [Fraction(rounded_gain(term.value)) for term in found.terms if term.part == "W"]
        assert rounded_gain(sum(cents, Fraction(0))) == wrong
    found = gain_of(position, "BB", FINKEL, reading="tables")
    first = f(6, 1)  # the attack of the first move was left out
    assert rounded_gain(found.part("A") - first) == "0.84"
    assert rounded_gain(found.part("G") - first) == "-5.92"


def test_terms_are_listed_as_printed() -> None:
    found = gain_of(parse_position(EXAMPLE), "AA", FINKEL, reading="tables")
    texts = [term.text for term in found.terms if term.part == "W"]
    assert texts == ["2", "-2*(6/16)", "2*(1/16)", "-(4+4)*(1/16)*(1/16)"]
    captures = [(t.tile, t.replies, t.text) for t in found.terms if t.part == "C"]
    assert captures[:2] == [(5, (2,), "-5*(6/16)"), (5, (1, 1), "-5*(4/16)*(4/16)")]
    assert [tile for tile, _, _ in captures] == [5, 5, 6, 6, 7, 7]
    (attack,) = [t for t in found.terms if t.part == "A"]
    assert (attack.tile, attack.rolls, attack.text) == (6, (4, 2), "6*(1/16)*(6/16)")


def test_text_and_mended_by_hand() -> None:
    # AB: A may roll 1, 3 or 4; after a 4, B may roll 1, 3 or 4.
    position = parse_position(WITH_8)
    walked = f(1, 4) + f(3, 4) + f(4, 1) + f(1, 1, 4) + f(3, 1, 4) + f(4, 1, 1)
    mended = gain_of(position, "AB", FINKEL)
    assert mended.part("W") == walked
    # B on 5 after 43: 3 takes it by 2 or 11. On 6 after 44: by 3, by 12; and the captured piece
    # comes back to 4 with a 4 and takes it by 2, or lets the piece on 3 take it by 3.
    on_5 = f(5, 1, 4) * (f(1, 6) + f(1, 4, 4))
    on_6 = f(6, 1, 1) * (f(1, 4) + f(1, 4, 6) + f(1, 1, 6) + f(1, 1, 4))
    assert mended.part("C") == -on_5 - on_6
    text = gain_of(position, "AB", FINKEL, reading="text")
    assert text.part("C") == CAPTURE["AB"] - f(6, 1, 6) - f(6, 1, 4)
    assert text.part("W") == WALK["AB"]
    # An opponent on 6 takes tile 7 by a 1, of which the sequence 13 is a part.
    longer = gain_of(position, "AA", FINKEL, reading="text")
    back = f(6, 1, 6) + f(6, 1, 4)
    assert longer.part("C") == CAPTURE["AA"] - f(7, 4) + f(7, 4, 4) - back
    # Without an opponent on 8 the roll 4 from there is free, and counts.
    free = gain_of(parse_position(EXAMPLE), "AA", FINKEL, reading="text")
    assert free.part("W") == WALK["AA"] + f(4 + 4, 1, 1)


@pytest.mark.parametrize(
    ("name", "number"), [("finkel", 4), ("blitz", 3), ("masters", 2), ("murray", 3), ("aseb", 2)]
)
@pytest.mark.jit
def test_mended_is_the_mean_over_all_rolls_and_replies(name: str, number: int) -> None:
    rules = urcx.ruleset(name)
    for position in naive.random_positions(rules, 40 * number, seed=5)[::40]:
        places = pieces(position, rules)
        for sequence in default_sequences(position, rules)[:3]:
            starts = [
                -1 if label in sequence[:k] else places[label] for k, label in enumerate(sequence)
            ]
            expected = naive.sequence_gain(position, starts, rules)
            assert gain_of(position, sequence, rules).part("G") == expected


def test_a_known_roll_is_one_part_of_the_mean() -> None:
    odds = chances(FINKEL.dice)
    for position in naive.random_positions(FINKEL, 300, seed=8)[::50]:
        places = pieces(position, FINKEL)
        for sequence in default_sequences(position, FINKEL)[:2]:
            parts = Fraction(0)
            for roll, chance in odds.items():
                starts = [start for start, _, _ in naive.moves(position, roll, FINKEL)]
                if places[sequence[0]] in starts:
                    parts += chance * gain_of(position, sequence, FINKEL, roll=roll).part("G")
                else:
                    parts += chance * naive.sequence_gain(position, [99], FINKEL, roll)
            assert gain_of(position, sequence, FINKEL).part("G") == parts


def test_known_roll_by_hand() -> None:
    # Roll 4 with B captures on 6; the text's example has 3 and 12 as replies.
    found = gain_of(parse_position(EXAMPLE), "BA", FINKEL, roll=4, reading="tables")
    assert [found.part(part) for part in "WAC"] == [4, 6, ON_6]
    longer = gain_of(parse_position(EXAMPLE), "BB", FINKEL, roll=2, reading="tables")
    assert longer.part("W") == 2 + 2 - f(2 + 4, 1)
    assert longer.part("A") == f(6, 6)


@pytest.mark.parametrize(
    "name", ["finkel", *(pytest.param(n, marks=pytest.mark.jit) for n in ("masters", "kwan"))]
)
def test_gains_of_moves(name: str) -> None:
    rules = urcx.ruleset(name)
    compared = 0
    for k, position in enumerate(naive.random_positions(rules, 240, seed=3)[::24]):
        roll = (2, 3, 4)[k % 3]
        expected = naive.known_gains(position, roll, rules)
        if expected:
            assert move_gains(position, roll, rules) == expected
            compared += 1
    assert compared > 5


def test_attempts_are_the_sequences_of_rolls_that_capture() -> None:
    # With nothing to choose, all triples of rolls tell the chance, and the shortest beginnings.
    position = parse_position("6/3/6-6/D")
    hits: dict[tuple[int, ...], Fraction] = {}
    odds = chances(FINKEL.dice)
    for rolls in product(odds, repeat=3):
        at = position
        for k, roll in enumerate(rolls, start=1):
            after = [p for _, _, p in naive.moves(at, roll, FINKEL)]
            if not after:
                break
            (at,) = after
            if not at.light:
                weight = odds[rolls[0]] * odds[rolls[1]] * odds[rolls[2]]
                hits[rolls[:k]] = hits.get(rolls[:k], Fraction(0)) + weight
                break
            if at.light_to_move:
                break
    found = attempts(position, 6, FINKEL)
    assert {item.rolls: item.chance for item in found} == hits
    assert [item.rolls for item in found] == [(3,), (1, 2)]
    assert total(found) == f(1, 4) + f(1, 4, 6)


def test_pieces_in_the_pool_stand_for_each_other() -> None:
    start = parse_position("-/-/0-0/L")
    assert "".join(pieces(start, FINKEL)) == "ABCDEFG"
    assert default_sequences(start, FINKEL) == ("AA", "AB")
    assert gain_of(start, "AB", FINKEL).part("G") == gain_of(start, "FC", FINKEL).part("G")
    assert pieces(parse_position("2,9/-/3-0/D"), FINKEL) == dict.fromkeys("ABCDEFG", 0)
    # Nobody can gain a roll: single pieces. And no second piece where none could move.
    assert default_sequences(parse_position("9/-/6-0/L"), FINKEL) == ("A",)


def test_longer_sequences_and_other_readings_go_on() -> None:
    start = parse_position("-/-/0-0/L")
    three = gain_of(start, "AAB", FINKEL)
    assert {term.move for term in three.terms} == {1, 2, 3}
    assert three.part("G") > gain_of(start, "AA", FINKEL).part("G")
    last = parse_position("14/-/6-0/L")  # the last piece home: nothing can be lost any more
    for reading in READINGS:
        found = gain_of(last, "A", FINKEL, roll=1, reading=reading)
        assert [found.part(part) for part in "GC"] == [1, 0]


def test_what_has_no_gain() -> None:
    position = parse_position(EXAMPLE)
    for sequences, roll, words in (
        ("AB,", None, "from 1 to 6"),
        ("AB,AC", None, "no piece 'C'.* A .start., B .step 2."),
        ("ABABABA", None, "from 1 to 6"),
        ("A", 2, "no legal move for the roll 2"),
        ("A", 7, "give 0, 1, 2, 3, 4"),
    ):
        with pytest.raises(UsageError, match=words):
            gain(position, sequences=sequences, roll=roll)
    assert [item.sequence for item in gain(position, sequences="ba, AB,BA").of["text"]] == [
        "BA",
        "AB",
    ]
    with pytest.raises(PositionError, match="light has no legal move for the roll 0"):
        default_sequences(position, FINKEL, 0)
    with pytest.raises(PositionError, match="the game is over"):
        move_gains(parse_position("-/-/7-0/L"), 1, FINKEL)
    # A piece before an opponent on the rosette, with dice that give nothing but 1.
    ones = replace(FINKEL, dice=Dice("one", "one", (1,), (Fraction(1),)))
    with pytest.raises(PositionError, match="light has no legal move for any roll"):
        default_sequences(parse_position("7/8/6-0/L"), ones)


def test_more_pieces_than_letters() -> None:
    with pytest.raises(TooLargeError, match="27 pieces"):
        pieces(parse_position("-/-/0-0/L"), replace(FINKEL, pieces=27))


@pytest.mark.parametrize("reading", ["tables", "text"])
def test_pieces_that_stand_count_where_they_are(reading: str) -> None:
    position = parse_position("2,6/3/5-6/L")
    stays = gain_of(position, "A", FINKEL, roll=1, reading=reading)
    assert stays.part("C") == ON_6
    assert {(term.move, term.piece) for term in stays.terms if term.part == "C"} == {(0, "B")}
    goes = gain_of(position, "B", FINKEL, roll=1, reading=reading)
    assert goes.part("C") == ON_7


def test_gains_of_several_sequences_are_those_of_each() -> None:
    position = parse_position(WITH_8)
    for reading, gains in FOUND.of.items():
        each = (gain_of(position, sequence, FINKEL, reading=reading) for sequence in SEQUENCES)
        assert gains == tuple(each)
        assert FOUND.best(reading).part("G") == max(item.part("G") for item in gains)
    assert FOUND.places == pieces(position, FINKEL)
    default = gain(WITH_8, "finkel", roll=2).of["text"]
    assert [x.sequence for x in default] == [*default_sequences(position, FINKEL, 2)]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("text", [EXAMPLE, WITH_8])
def test_dark_gains_what_light_does_in_its_place(text: str, sequence: str, reading: str) -> None:
    position = parse_position(text)
    light = gain_of(position, sequence, FINKEL, reading=reading)
    dark = gain_of(position.turned(), sequence, FINKEL, reading=reading)
    assert not position.turned().light_to_move
    assert dark.terms == light.terms


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 8), "0.13"), (Fraction(-1, 8), "-0.13"), (Fraction(2, 3), "0.67"), (3, "3.00")],
)
def test_halves_are_rounded_away_from_zero(value: Fraction | int, text: str) -> None:
    assert rounded_gain(Fraction(value)) == text


def test_terms_say_whose_rolls_and_on_what_step() -> None:
    terms = gain(EXAMPLE, sequences=["BB"]).of["tables"][0].terms
    assert {term.tile for term in terms if term.part == "W"} == {None}
    assert {(term.rolls, term.tile) for term in terms if term.part == "A"} == {
        ((4,), 6), ((2, 2), 6),
    }  # fmt: skip
    assert {term.rolls for term in terms if term.part == "C"} == {()}, "whatever led there"
    # Light's step 12 is the corner C7, which dark comes to with step 16.
    found = gain("10/16/0-0/L", "masters", sequences=["G"], roll=2)
    (term,) = (term for term in found.of["mended"][0].terms if term.part == "A")
    assert term.tile == 16
    mended = [term for term in FOUND.of["mended"][3].terms if term.part == "C"]
    assert all(term.rolls and term.replies for term in mended)


def test_json_has_each_sequence_in_each_reading_with_its_terms() -> None:
    data = json.loads(json_text(FOUND))
    assert [(row["sequence"], row["reading"]) for row in data["rows"]] == [
        (sequence, reading) for reading in READINGS for sequence in SEQUENCES
    ]
    text = FOUND.of["text"][1]
    row = data["rows"][5]
    assert (row["G"], len(row["terms"])) == (str(text.part("G")), len(text.terms))
    assert row["G_rounded"] == rounded_gain(text.part("G"))
    assert data["best"] == {name: FOUND.best(name).sequence for name in READINGS}
    assert data["pieces"] == FOUND.places
    assert "terms" not in FOUND.records()[0]
    assert len(FOUND.tables()[1].rows) == sum(len(item.terms) for item in FOUND.rows)

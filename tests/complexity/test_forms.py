from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import comb

import pytest

import urcx
from urcx.complexity import forms, tiles
from urcx.errors import OutOfDomainError
from urcx.published.figures import Figure, sources

ONCE = ("bell", "masters", "aseb")
EXACT = [name for name, form in forms.FORMS.items() if form.status == "exact"]


@pytest.mark.parametrize("name", ONCE)
def test_exact_forms_agree(name: str) -> None:
    path = urcx.path(name)
    for pieces in (*range(1, 20), 50):
        exact = tiles.diagrams(path, pieces)
        for form in EXACT:
            assert forms.evaluate_form(form, path, pieces) == exact


def test_upper_bounds_are_bounds() -> None:
    for name in urcx.path_names():
        path = urcx.path(name)
        for pieces in range(1, 12):
            exact = tiles.diagrams(path, pieces)
            assert exact <= forms.evaluate_form("bits", path, pieces)
            assert exact <= forms.evaluate_form("bits-pieces", path, pieces)


def test_michons_short_table_follows_from_one_slip() -> None:
    # His sum with 79 instead of f(3) = 72 gives these numbers, except a digit at four pieces.
    f = [1, 8, 30, 79, 129, 192, 256, 320]

    def ur(n: int) -> int:
        return sum(
            forms.multinomial(8, b, w) * f[n - b] * f[n - w]
            for b in range(n + 1)
            for w in range(n + 1)
        )

    slip = [1, 248, 13_112, 272_641, 2_786_427, 15_788_044, 55_892_884, 140_939_686]
    assert [ur(n) for n in range(8)] == slip
    printed = [f.printed for f in _michons_table()]
    differs = [n for n, text in enumerate(printed) if int(text) != slip[n]]
    assert (differs, printed[4]) == ([4], "2486427")


def _michons_table() -> list[Figure]:
    (figures,) = [figures for source, figures in sources() if source.name == "michon"]
    return [f for f in figures if f.place == "Short tracks, table of Ur(n)"]


def test_the_papers_worked_example() -> None:
    # Appendix A: p = t' = 1, t = 2 gives 23, by the equations and by the listing.
    for gamma in (forms.raposo_gamma, forms.equations_gamma):
        assert forms.raposo_sum(2, 1, partial(gamma, 1)) == 23
    assert forms.raposo_program(2, 1, 1) == 23


def _fortran_listing(p: int, t_safe: int, t_war: int) -> float:  # noqa: C901 - as printed
    """Return the result of the listing, loop by loop, with its variables."""

    def fact(number: float) -> float:
        z = 1.0
        for i in range(1, int(number) + 1):
            z = z * i
        return z

    def sum_over_safe(left: int) -> float:
        total = 0.0
        if left == 0:
            total = 0.0
        elif left <= t_safe:
            for safe in range(1, left + 1):
                total += fact(t_safe) / (fact(safe) * fact(t_safe - safe))
        else:
            for safe in range(1, left + 1):
                delta = safe - t_safe
                a = (delta - abs(delta)) / 2 + t_safe
                total += fact(t_safe) * (abs(delta) + 1) / (fact(a) * fact(t_safe - a))
        return total + left + 1

    if 2 * p <= t_war:
        top1, top2, top3, cont = p, 0, p, 2.0
    else:
        top1, top2, top3, cont = p, 0, t_war - p, 1.0
    total = 0.0
    while cont < 3:
        for ig in range(top1 + 1):
            for ib in range(top2, top3 + 1):
                sum3 = fact(t_war) / (fact(ib) * fact(ig) * fact(t_war - ib - ig))
                total += sum_over_safe(p - ig) * sum_over_safe(p - ib) * sum3
        cont += 1.0
        top1, top2, top3 = t_war - p, t_war - p + 1, p
    return total


@pytest.mark.parametrize(("t_war", "t_safe"), [(8, 6), (12, 4), (16, 4), (2, 1), (5, 3)])
def test_program_against_the_listing_followed_step_by_step(t_war: int, t_safe: int) -> None:
    for p in range(1, t_war):
        ref = _fortran_listing(p, t_safe, t_war)
        assert forms.raposo_program(t_war, t_safe, p) == pytest.approx(ref, rel=1e-12)


def test_program_and_equations_differ_only_where_the_pieces_fit_the_safe_tiles() -> None:
    for k in range(12):
        same = forms.program_gamma(6, k) == forms.equations_gamma(6, k)
        assert same == (k == 0 or k > 6)


@pytest.mark.parametrize(("m", "n"), [(8, 6), (12, 4)])
def test_equations_become_exact_with_both_errors_mended(m: int, n: int) -> None:
    # p' - i' pieces, not t' - i', are split between pool and home; and no arrangement of the
    # war tiles may be left out.
    for p in range(1, m + 1):
        gamma = [sum((k - i + 1) * comb(n, i) for i in range(k + 1)) for k in range(p + 1)]
        whole = sum(
            gamma[p - i] * gamma[p - j] * forms.multinomial(m, i, j)
            for i in range(p + 1)
            for j in range(p + 1)
        )
        assert whole == forms.michon(m, n, p)
        if p > 2:  # with only one of them mended it is not
            for wrong in (forms.raposo_gamma, forms.equations_gamma):
                assert forms.raposo_sum(m, p, partial(wrong, n)) != whole


def test_the_proviso_after_eq_25_makes_one_piece_right() -> None:
    # "all the pieces are on the board": binomial(t', p') ways; pieces placed one by one.
    for n in (1, 4, 6):
        for k in range(n + 1):
            on_board = sum(1 for _ in combinations(range(n), k))
            others = forms.raposo_gamma(n, k) - on_board
            assert others == forms.equations_gamma(n, k) - (n - k + 1) * on_board or k == 0
    bell = urcx.path("bell")
    assert forms.evaluate_form("raposo", bell, 1) == tiles.diagrams(bell, 1) == 248
    assert forms.evaluate_form("raposo", bell, 7) == 96_910_213
    assert forms.evaluate_form("raposo-equations", bell, 1) == 2_108
    assert forms.evaluate_form("raposo-equations", bell, 7) == 121_658_293


def test_eq_31_for_unequal_numbers() -> None:
    bell = urcx.path("bell")
    assert forms.evaluate_form("raposo", bell, 2, 3) == forms.evaluate_form("raposo", bell, 3, 2)
    with pytest.raises(OutOfDomainError, match="p \\+ q <= 8"):
        forms.evaluate_form("raposo", bell, 5, 7)


@pytest.mark.parametrize(
    ("name", "path", "pieces", "dark", "reason"),
    [
        ("reader", "murray", 1, 1, "twice"),
        ("michon", "skiriuk", 1, 1, "twice"),
        ("reader", "bell", 1, 2, "equal numbers"),
        ("michon", "bell", 1, 2, "equal numbers"),
        ("raposo-program", "murray", 1, 1, "safe tile"),
        ("raposo-equations", "murray", 1, 1, "safe tile"),
        ("raposo-equations", "bell", 9, 9, "p <= 8"),
        ("raposo-program", "bell", 1, 2, "equal numbers"),
        ("binomial", "murray", 1, 1, "twice"),
        ("raposo", "skiriuk", 1, 1, "twice"),
        ("raposo-program", "michon-double-short", 1, 1, "twice"),
    ],
)
def test_outside_its_domain_a_form_says_so(
    name: str, path: str, pieces: int, dark: int, reason: str
) -> None:
    with pytest.raises(OutOfDomainError, match=reason):
        forms.evaluate_form(name, urcx.path(path), pieces, dark)


@pytest.mark.parametrize(
    ("name", "path", "most"),
    [
        ("raposo", "bell", 8),
        ("raposo", "murray", 19),
        ("raposo-program", "bell", 7),
        ("binomial", "bell", 16),
    ],
)
def test_up_to_the_end_of_its_domain_a_form_has_a_value(name: str, path: str, most: int) -> None:
    assert forms.evaluate_form(name, urcx.path(path), most) > 0
    with pytest.raises(OutOfDomainError, match=f"needs p <|drawn for p <|p <= {most}"):
        forms.evaluate_form(name, urcx.path(path), most + 1)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "private tiles differ") for name in ("reader", "michon", "raposo")),
        ("raposo-program", "private tiles differ"),
        ("binomial", "differ in length"),
    ],
)
def test_sides_that_differ_are_outside_the_domain(name: str, reason: str) -> None:
    bell = urcx.path("bell")
    path = replace(bell, light=bell.light[:12])
    assert path.crossed_once
    with pytest.raises(OutOfDomainError, match=reason):
        forms.evaluate_form(name, path, 1)


def test_unequal_numbers_where_a_form_is_stated_for_them() -> None:
    bell = urcx.path("bell")
    uneven = replace(bell, light=bell.light[:12])
    # One light piece and two dark ones: by hand, light's place and then dark's, tile by tile.
    for path in (bell, uneven):
        both = set(path.light) & set(path.dark)
        by_hand = 0
        for at in ("pool", "home", *path.light):
            free = len(path.dark) - (at in both)
            by_hand += 3 + 2 * free + free * (free - 1) // 2
        assert forms.evaluate_form("tile-polynomial", path, 1, 2) == by_hand
    # Twelve steps and fourteen take four bits each, pool and home included.
    assert forms.evaluate_form("bits-pieces", uneven, 1, 2) == 2 ** (4 + 2 * 4)
    assert forms.evaluate_form("bits-pieces", replace(bell, light=bell.light[:6]), 5, 2) == 2 ** (
        15 + 8
    )
    assert forms.evaluate_form("bits-pieces", replace(bell, light=bell.light[:7]), 5, 2) == 2 ** (
        20 + 8
    )
    assert forms.evaluate_form("bits", uneven, 1, 4) == 2 ** (12 + 1 + 14 + 3)


def test_the_papers_form_is_too_low_where_tiles_are_crossed_twice() -> None:
    assert {"tile-polynomial", "reader", "michon"} <= set(EXACT)
    murray = urcx.path("murray")
    assert all(
        forms.evaluate_form("raposo", murray, p) < tiles.diagrams(murray, p) for p in range(1, 20)
    )


def test_sources_give_general_formulas() -> None:
    # A constant of one path and one number of pieces would contradict the others' columns.
    for name in ("binomial", "bits", "bits-pieces"):
        assert not {"16", "34", "56"} & set(re.findall(r"[0-9]+", forms.FORMS[name].source))
        assert "L" in forms.FORMS[name].source

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import urcx
from urcx.complexity import forms, symbolic, tiles
from urcx.errors import OutOfDomainError
from urcx.rules.model import Path

PATHS = ("bell", "masters", "murray", "skiriuk", "michon-double-short")


def test_each_form_has_an_expression() -> None:
    lacking = set(forms.FORMS) - {"tile-polynomial"} - set(symbolic._EXPRESSIONS)
    assert not lacking, f"write {lacking} in urcx.complexity.symbolic"


def value(name: str, path: Path, pieces: int) -> int:
    """Return a form's value at p = q = ``pieces``, from its expression."""
    if name == "tile-polynomial":
        return coefficient(path, pieces)
    return int(unfold(symbolic.expression(name, path).subs(symbolic.p, pieces)))


def unfold(term: Any) -> Any:
    """Evaluate nested sums from the outside in, so that every limit is a number when it is used.

    (sympy's ``doit`` starts with the innermost sum and looks for closed forms with symbolic
    limits.)
    """
    if isinstance(term, sp.Sum):
        *inner, (index, low, high) = term.limits
        body = sp.Sum(term.function, *inner) if inner else term.function
        return sum((unfold(body.subs(index, at)) for at in range(int(low), int(high) + 1)), sp.S(0))
    if term.args:
        return term.func(*map(unfold, term.args))
    return term


def coefficient(path: Path, pieces: int) -> int:
    """Return S(p, p), extracted from the tile polynomial by sympy."""
    return int(
        sum(
            ways * (pieces - i + 1) * (pieces - j + 1)
            for (i, j), ways in sp.Poly(
                symbolic.tile_product(path).doit(), symbolic.x, symbolic.y
            ).terms()
            if i <= pieces and j <= pieces
        )
    )


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("form", list(forms.FORMS))
def test_expressions_give_what_the_integers_give(path: str, form: str) -> None:
    chosen = urcx.path(path)
    for pieces in (1, 2, 5):
        try:
            wanted = forms.evaluate_form(form, chosen, pieces)
        except OutOfDomainError as error:
            with pytest.raises(OutOfDomainError, match=str(error).split("(")[0][:12]):
                symbolic.expression(form, chosen)
            continue
        assert value(form, chosen, pieces) == wanted


def test_the_generating_function_has_the_pools_as_well() -> None:
    path, x, y = urcx.path("bell"), symbolic.x, symbolic.y
    series = symbolic.expression("tile-polynomial", path).doit().series(x, 0, 3).removeO()
    found = series.coeff(x, 2).series(y, 0, 3).removeO().coeff(y, 2)
    assert found == forms.evaluate_form("tile-polynomial", path, 2)


@pytest.mark.parametrize("path", PATHS)
def test_quadratic_holds_from_one_below_the_tiles_and_not_before(path: str) -> None:
    chosen = urcx.path(path)
    quadratic = symbolic.quadratic(chosen)
    assert sp.degree(quadratic, symbolic.p) == 2
    top, other = symbolic.threshold(chosen)
    assert top == other == len(set(chosen.light))
    for pieces in (top - 1, top, top + 1, top + 40):
        assert quadratic.subs(symbolic.p, pieces) == tiles.diagrams(chosen, pieces)
    assert quadratic.subs(symbolic.p, top - 2) != tiles.diagrams(chosen, top - 2)


@pytest.mark.parametrize("path", PATHS)
def test_bilinear_polynomial_for_unequal_numbers(path: str) -> None:
    chosen = urcx.path(path)
    top, _ = symbolic.threshold(chosen)
    bilinear = symbolic.bilinear(chosen)
    for p, q in ((top, top + 3), (top + 5, top - 1)):
        assert bilinear.subs({symbolic.p: p, symbolic.q: q}) == tiles.diagrams(chosen, p, q)


@pytest.mark.parametrize("path", PATHS)
def test_generating_function_has_the_counts_as_coefficients(path: str) -> None:
    chosen = urcx.path(path)
    function = symbolic.generating_function(chosen)
    numerator, denominator = sp.fraction(sp.cancel(function))
    assert sp.expand(denominator**2 - (1 - symbolic.z) ** 6) == 0  # (1 - z)^3, up to its sign
    # Multiply the series of counts by the denominator: beyond the numerator nothing may be left.
    top = sp.degree(numerator, symbolic.z)
    counts = [1, *(tiles.diagrams(chosen, p) for p in range(1, top + 6))]
    series = sp.Poly(sp.Add(*(c * symbolic.z**k for k, c in enumerate(counts))), symbolic.z)
    product = series * sp.Poly(denominator, symbolic.z)
    for power in range(top + 6):
        wanted = sp.Poly(numerator, symbolic.z).coeff_monomial(symbolic.z**power)
        assert product.coeff_monomial(symbolic.z**power) == wanted


@pytest.mark.parametrize("path", ["bell", "masters", "aseb"])
def test_forms_are_proved_equal(path: str) -> None:
    proof = symbolic.prove_equal(urcx.path(path))
    assert [step.name for step in proof.steps if not step.holds] == []
    assert proof.holds


def test_a_false_identity_is_not_proved() -> None:
    proof = symbolic.prove_equal(urcx.path("bell"))
    reader = proof.steps[1]
    false = symbolic.ProofStep(
        reader.name, reader.statement, reader.left + symbolic.x, reader.right
    )
    assert not false.holds
    assert not symbolic.Proof((*proof.steps[:1], false)).holds


def test_no_proof_outside_the_domain() -> None:
    with pytest.raises(OutOfDomainError, match="twice"):
        symbolic.prove_equal(urcx.path("murray"))


def test_text_or_latex_and_the_proof() -> None:
    plain = urcx.forms(["bell", "murray"])
    bell, murray = plain.document()["rows"]
    assert bell["forms"]["michon"]["text"] in plain.body
    assert bell["polynomial"]["latex"] in plain.latex
    assert bell["proof"]["holds"] is True
    assert murray["proof"]["holds"] is None
    assert f"No proof that the forms agree: {murray['proof']['reason']}." in plain.body
    forms = [row["form"] for row in plain.records() if row["path"] == "bell"]
    assert forms[-4:] == ["polynomial", "bilinear", "generating_function", "proof"]

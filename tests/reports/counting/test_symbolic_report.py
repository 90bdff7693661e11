"""The report on symbolic results."""

from __future__ import annotations

import urcx
from urcx.reports.counting.symbolic import symbolic_report


def test_text_or_latex_and_the_proof() -> None:
    paths = [urcx.path("bell"), urcx.path("murray")]
    plain, latex = symbolic_report(paths, latex=False), symbolic_report(paths, latex=True)
    assert plain.data == latex.data
    bell, murray = plain.data["rows"]
    assert bell["forms"]["michon"]["text"] in plain.body
    assert bell["polynomial"]["latex"] in latex.body
    assert bell["proof"]["holds"] is True
    assert murray["proof"]["holds"] is None
    assert f"No proof that the forms agree: {murray['proof']['reason']}." in plain.body
    forms = [row["form"] for row in plain.records if row["path"] == "bell"]
    assert forms[-4:] == ["polynomial", "bilinear", "generating_function", "proof"]

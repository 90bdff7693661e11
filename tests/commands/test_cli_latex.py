"""LaTeX for a paper, and b-files of the OEIS."""

from __future__ import annotations

import re
import shutil
import subprocess
from math import comb
from pathlib import Path

import pytest
import sympy as sp
from command_line import run

import urcx
from urcx.complexity import forms, tiles
from urcx.results.latex import escaped

pytest_plugins = ["command_fixtures"]

LATEX = (
    "ssc bell -p 1..7 --no-enumerate",
    "ssc bell,murray,aseb -p 3..5 --no-enumerate --form all",
    "ssc bell -p 3 --dark-pieces 4 --no-enumerate",
    "ssc murray -p 2 --no-enumerate --form michon",
    "forms bell --form all",
    "forms --path murray,masters",
)
DOCUMENT = r"\documentclass{article}\usepackage{amsmath,booktabs}\begin{document}%s\end{document}"


def latex(line: str) -> str:
    result = run(*line.split(), "--latex")
    assert (result.code, result.err) == (0, "")
    return result.out


def check(text: str) -> None:
    """Assert that braces, delimiters and environments end where they should, and rows fit."""
    plain = re.sub(r"(?<!\\)%.*", "", text)
    found = re.findall(
        r"\\begin\{[a-z*]+\}|\\end\{[a-z*]+\}|\\left(?![a-z])|\\right(?![a-z])|\\\[|\\\]"
        r"|(?<!\\)[{}$]",
        re.sub(r"\\[lr]ceil|\\[{}$]", "", plain),
    )
    ends = {"{": "}", r"\[": r"\]", r"\left": r"\right"}
    open_ones: list[str] = []
    for word in found:
        if word == "$":
            if open_ones[-1:] == ["$"]:
                open_ones.pop()
            else:
                assert not {"$", r"\]"} & set(open_ones), "a formula in a formula"
                open_ones.append("$")
        elif word in ends or word.startswith(r"\begin"):
            open_ones.append(ends.get(word, word.replace("begin", "end")))
        else:
            assert open_ones.pop() == word
    assert open_ones == []
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", plain, re.DOTALL
    ):
        rows = [row for row in body.split("\n") if "\\\\" in row]
        assert {row.count("&") for row in rows} == {len(columns) - 1}
    # Outside of formulas these are no letters of TeX's.
    outside = re.sub(r"\$[^$]*\$|\\\[.*?\\\]|\\begin\{align\*\}.*?\\end\{align\*\}", "", plain,
                     flags=re.DOTALL)  # fmt: skip
    assert not re.search(r"[<>\"#^]|(?<!\\)_", outside)


@pytest.mark.parametrize("line", LATEX)
def test_latex_is_complete(line: str) -> None:
    check(latex(line))


@pytest.mark.parametrize(
    "broken", [r"\[ x", r"{x", r"\left( x", r"\begin{tabular}{rr} 1 \\ \end{tabular}", "p < q",
               r"\begin{a}{\end{a}}"],
)  # fmt: skip
def test_what_is_not_complete_is_noticed(broken: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        check(broken)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs TeX")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", LATEX)
def test_latex_is_compiled(line: str) -> None:
    Path("page.tex").write_text(DOCUMENT % f"\n{latex(line)}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert Path("page.pdf").exists()


def test_forms_are_chosen_and_wrong_ones_only_by_name() -> None:
    assert {name for name in forms.FORMS if not forms.FORMS[name].is_right} == {
        "raposo", "raposo-equations", "raposo-program",
    }  # fmt: skip
    for line in ("ssc bell -p 3 --no-enumerate", "forms bell"):
        usual = latex(line)
        assert "raposo" not in usual
        assert "reader" in usual
        assert "raposo-program" in latex(f"{line} --form all")
        chosen = latex(f"{line} --form tile-polynomial,michon")
        assert "tile-polynomial" in chosen
        assert "michon" in chosen
        assert not re.search("reader|binomial|bits", re.sub(r"\\binom|Tile.*", "", chosen))
    table = run("ssc", "-p", "3", "--no-enumerate", "--form", "raposo,binomial").out
    assert re.search(r"^ *p +configurations +raposo +binomial$", table, re.MULTILINE)
    text = run("forms", "--form", "michon").out
    assert "michon (exact" in text
    assert "reader (exact" not in text
    assert run("ssc", "-p", "1", "--no-enumerate").out.count("raposo") >= 1, "as before"


def test_latex_has_the_numbers() -> None:
    text = latex("ssc bell -p 6..7 --no-enumerate --form tile-polynomial,binomial,bits")
    exact = [tiles.diagrams(urcx.path("bell"), p) for p in (6, 7)]
    assert f"6 & {exact[0]:,} & {comb(16, 6) ** 2:,} & $2^{{34}}$ \\\\" in text
    assert f"7 & {exact[1]:,} &" in text


def test_plain_text_is_escaped() -> None:
    assert escaped('a_b^c 5 % & "d" <= {e}') == r"a\_b\^{}c 5 \% \& ``d'' $\le$ \{e\}"


# b-files


def bfile(*arguments: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the comments of a b-file, and its terms."""
    result = run(*arguments, "--bfile")
    assert (result.code, result.err) == (0, "")
    assert result.out.isascii()
    assert result.out.endswith("\n")
    lines = result.out.split("\n")[:-1]
    comments = [line for line in lines if line.startswith("#")]
    terms = lines[len(comments) :]
    assert all(re.fullmatch(r"[0-9]+ [0-9]+", line) for line in terms)
    return comments, [(int(line.split()[0]), int(line.split()[1])) for line in terms]


@pytest.mark.parametrize("path", ["bell", "murray"])
def test_a_bfile_of_ssc_begins_with_none_and_has_the_generating_function(path: str) -> None:
    comments, terms = bfile("ssc", path, "-p", "3..9")
    wanted = [(0, 1), *((p, tiles.diagrams(urcx.path(path), p)) for p in range(1, 10))]
    assert terms == wanted
    (pari,) = (line for line in comments if line.startswith("# G.f., PARI: "))
    (mathematica,) = (line for line in comments if line.startswith("# G.f., Mathematica: "))
    series = re.fullmatch(r"Vec\((.*) \+ O\(x\^10\)\)", pari.partition("PARI: ")[2])
    other = re.fullmatch(
        r"CoefficientList\[Series\[(.*), \{x, 0, 9\}\], x\]", mathematica.partition("ica: ")[2]
    )
    assert series
    assert other
    x = sp.Symbol("x")
    for text in (series[1], other[1]):
        top, bottom = sp.fraction(sp.together(sp.sympify(text.replace("^", "**"))))
        product = sp.Poly(bottom, x) * sp.Poly(sum(a * x**n for n, a in terms), x)
        for n in range(10):
            assert product.coeff_monomial(x**n) == sp.Poly(top, x).coeff_monomial(x**n)


def test_bfiles_of_perft_and_reach() -> None:
    comments, terms = bfile("perft", "--depth", "3")
    assert terms == [(0, 1), (1, 5), (2, 28), (3, 192)]
    assert "# a(n): nodes of the game tree of finkel, 7 pieces per side" in comments[2]
    _, terms = bfile("reach", "-p", "1")
    assert terms == list(enumerate([1, 4, 20, 36, 49, 43, 35, 18, 9, 2]))


def test_a_bfile_without_comments() -> None:
    assert run("perft", "--depth", "2", "--bfile", "--no-header").out == "0 1\n1 5\n2 28\n"

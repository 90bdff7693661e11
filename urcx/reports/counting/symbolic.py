"""What ``urcx ssc --symbolic`` shows: expressions, polynomial, generating function, proof."""

from __future__ import annotations

from typing import Any

import sympy as sp

from urcx.complexity import symbolic
from urcx.complexity.forms import FORMS
from urcx.errors import OutOfDomainError, TooLargeError
from urcx.results.report import Report
from urcx.rules.model import Path

MAX_TILES = 64  # some thousands of terms, seconds of work


def symbolic_report(paths: list[Path], *, latex: bool) -> Report:
    """Return the symbolic results for paths; ``latex`` chooses the notation of the text."""
    entries = [_entry(path) for path in paths]
    records = [
        {"path": entry["path"], "form": name, **{k: v for k, v in form.items() if v is not None}}
        for entry in entries
        for name, form in [
            *entry["forms"].items(),
            *((key, entry[key]) for key in ("polynomial", "bilinear", "generating_function")),
            ("proof", {"holds": entry["proof"]["holds"], "reason": entry["proof"].get("reason")}),
        ]
    ]
    body = "\n".join(_text(entry, "latex" if latex else "text") for entry in entries)
    return Report("urcx.symbolic/1", {"rows": entries}, records, body=body)


def _both(expression: Any) -> dict[str, str]:
    return {"text": sp.sstr(expression), "latex": sp.latex(expression)}


def _entry(path: Path) -> dict[str, Any]:
    if len(path.tiles) > MAX_TILES:
        raise TooLargeError(
            f"the path {path.name} has {len(path.tiles)} tiles; expressions are worked out for at "
            f"most {MAX_TILES} (numbers for any: leave out --symbolic)"
        )
    found: dict[str, Any] = {}
    for name, form in FORMS.items():
        about = {
            "status": form.status,
            "domain": form.domain,
            "source": form.source,
            "note": form.note,
        }
        try:
            found[name] = {**_both(symbolic.expression(name, path)), **about, "reason": None}
        except OutOfDomainError as error:
            found[name] = {"text": None, "latex": None, **about, "reason": str(error)}
    light, dark = symbolic.threshold(path)
    proof: dict[str, Any]
    try:
        proven = symbolic.prove_equal(path)
        proof = {
            "holds": proven.holds,
            "forms": ["tile-polynomial", "reader", "michon"],
            "steps": [
                {
                    "name": step.name,
                    "statement": step.statement,
                    "holds": step.holds,
                    "left": sp.sstr(sp.expand(step.left)),
                    "right": sp.sstr(step.right),
                }
                for step in proven.steps
            ],
        }
    except OutOfDomainError as error:
        proof = {"holds": None, "reason": str(error), "steps": []}
    quadratic = symbolic.quadratic(path)
    return {
        "path": path.name,
        "fillable_tiles": [light, dark],
        "forms": found,
        "polynomial": {
            **_both(quadratic),
            "from": max(light, dark),
            "holds_from": max(light, dark) - 1,
        },
        "bilinear": _both(symbolic.bilinear(path)),
        "generating_function": _both(symbolic.generating_function(path)),
        "proof": proof,
    }


def _text(entry: dict[str, Any], notation: str) -> str:
    lines = [f"{entry['path']}: closed forms for p pieces a side", ""]
    for name, form in entry["forms"].items():
        if form["text"] is None:
            lines.append(f"{name} ({form['status']}): not stated here, {form['reason']}")
        else:
            lines.append(f"{name} ({form['status']}; {form['domain']}):")
            if name == "tile-polynomial":
                lines.append("  the coefficient of x^p y^q in")
            lines.append(f"  {form[notation]}")
        if form["note"]:
            lines.append(f"  {form['note']}")
        lines.append("")
    polynomial = entry["polynomial"]
    lines += [
        f"From p = {polynomial['from']} on, the tiles that a player can fill, S(p, p) is",
        f"  {polynomial[notation]}",
        f"(it holds from p = {polynomial['holds_from']}, not before) and S(p, q), likewise,",
        f"  {entry['bilinear'][notation]}",
        "",
        "Generating function, the sum of S(p, p) z^p over all p:",
        f"  {entry['generating_function'][notation]}",
        "",
    ]
    proof = entry["proof"]
    if proof["holds"] is None:
        lines.append(f"No proof that the forms agree: {proof['reason']}.")
    else:
        lines.append("Proof that tile polynomial, reader and michon agree for every p:")
        lines += [
            f"  {k}. {step['name']}: {step['statement']} "
            f"[{'verified' if step['holds'] else 'FAILED'}]"
            for k, step in enumerate(proof["steps"], start=1)
        ]
        lines.append("  The identity holds." if proof["holds"] else "  The identity does NOT hold.")
    return "\n".join(lines) + "\n"

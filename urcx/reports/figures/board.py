"""Paths and the catalogue, with boards drawn as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import Column, Table
from urcx.rules.drawing import draw_position
from urcx.rules.model import Dice, Path, RuleSet


def steps_by_tile(path: Path) -> dict[str, str]:
    """Return each tile's steps: ``L5`` and ``D5``, or ``5`` if both players' steps agree."""
    labels = {}
    for tile in path.board.tiles:
        light = [str(s) for s, at in enumerate(path.light, start=1) if at == tile]
        dark = [str(s) for s, at in enumerate(path.dark, start=1) if at == tile]
        if light == dark:
            labels[tile] = ",".join(light)
        else:
            texts = [f"{side}{','.join(s)}" for side, s in (("L", light), ("D", dark)) if s]
            labels[tile] = " ".join(texts)
    return labels


def path_record(path: Path) -> dict[str, object]:
    """Return a path for JSON."""
    return {
        "name": path.name,
        "title": path.title,
        "aliases": list(path.aliases),
        "board": path.board.name,
        "steps": path.length,
        "light": list(path.light),
        "dark": list(path.dark),
        "laps": list(path.laps),
        "rosettes": sorted(path.board.rosettes),
        "shared": path.shared,
        "private": list(path.private),
        "crossings": {
            tile: list(times) for tile, times in zip(path.tiles, path.crossings, strict=True)
        },
        "crossed_once": path.crossed_once,
        "symmetric": path.symmetric,
        "reading": path.reading,
    }


def rules_record(item: RuleSet) -> dict[str, object]:
    """Return a rule set for JSON."""
    return {
        "name": item.name,
        "title": item.title,
        "aliases": list(item.aliases),
        "path": item.path.name,
        "pieces": item.pieces,
        "dice": item.dice.name,
        **item.effects,
    }


def rules_text(item: RuleSet) -> str:
    """Return a description of a rule set in short lines."""
    again, no = "grants a roll", "grants no roll"
    rosette = f"a rosette {again + _only(item) if item.granting else no}"
    shelter = "protects" if item.rosette_protects else "does not protect"
    return (
        f"rules {item.name}: {item.title}\n"
        f"  {counted(item.pieces, 'piece')} a side, dice {item.dice.name}\n"
        f"  {rosette} and {shelter}, a capture {again if item.capture_grants_roll else no}"
    )


def _only(item: RuleSet) -> str:
    """Return on which rosettes a roll is granted; empty if on all or none."""
    some = item.effects["rosette_grants_roll"]
    return f" (only {', '.join(some)})" if isinstance(some, list) else ""


def path_report(path: Path, rules: Sequence[RuleSet] = ()) -> Report:
    """Return a drawing of a path, with its steps on each tile and the rule sets that use it."""
    about = [f"{path.name}: {path.title}", f"{path.board.name} board, {path.describe()}"]
    if path.aliases:
        about.append(f"also called {', '.join(path.aliases)}")
    if path.reading:
        about.append(f"reading: {path.reading}")
    about += map(rules_text, rules)
    key = (
        "Steps as written, or L (light) and D (dark) where they differ; * is a rosette.\n"
        f"Home is step {path.length + 1}."
    )
    drawing = draw_position(path.board, steps_by_tile(path))
    return Report(
        schema="urcx.path/1",
        data={**path_record(path), "rules": [*map(rules_record, rules)]},
        records=[
            {"side": side, "step": step, "tile": tile, "rosette": tile in path.board.rosettes}
            for side, way in (("light", path.light), ("dark", path.dark))
            for step, tile in enumerate(way, start=1)
        ],
        body="\n".join(about) + "\n\n" + drawing + "\n" + key + "\n",
    )


def catalogue_report(
    paths: list[Path], rules: list[RuleSet], dice: list[Dice], own: tuple[str, ...]
) -> Report:
    """Return the list of paths, rule sets and dice; ``own`` names a user file's paths."""
    records = [path_record(path) for path in paths]
    rule_rows = [*map(rules_record, rules)]
    dice_rows = [
        {
            "name": item.name,
            "title": item.title,
            "probabilities": {
                str(roll): str(p) for roll, p in zip(item.rolls, item.probabilities, strict=True)
            },
            "mean": str(item.mean),
        }
        for item in dice
    ]
    tables = [
        Table(
            "Paths (urcx paths NAME draws one)",
            [
                "<name",
                "steps",
                *(Column(title, secondary=True) for title in ("private", "shared", "twice")),
                Column("title, and other names", text=True, least=24),
            ],
            [
                [
                    path.name + (" (yours)" if path.name in own else ""),
                    str(path.length),
                    "+".join(dict.fromkeys(map(str, path.private))),
                    str(path.shared),
                    str(_twice(path)),
                    "; ".join([path.title, *path.aliases]),
                ]
                for path in paths
            ],
        ),
        Table(
            "Rule sets",
            [
                *("<name", "<path", "pieces", "<dice", "<rosette", "<rosette", "<capture"),
                Column("title", text=True, least=24),
            ],
            [
                [
                    item.name,
                    item.path.name,
                    str(item.pieces),
                    item.dice.name,
                    f"rolls again{_only(item)}" if item.granting else "no roll",
                    "protects" if item.rosette_protects else "no shelter",
                    "rolls again" if item.capture_grants_roll else "no roll",
                    "; ".join([item.title, *item.aliases]),
                ]
                for item in rules
            ],
        ),
        Table(
            "Dice",
            ["<name", Column("probabilities", text=True, least=38), "mean", "<title"],
            [
                [
                    item.name,
                    "  ".join(
                        f"{r}: {p}" for r, p in zip(item.rolls, item.probabilities, strict=True)
                    ),
                    str(item.mean),
                    item.title,
                ]
                for item in dice
            ],
        ),
    ]
    return Report(
        schema="urcx.paths/1",
        data={"paths": records, "rules": rule_rows, "dice": dice_rows},
        records=[
            *(
                {"kind": "path", **_flat(row), **_crossings(p)}
                for p, row in zip(paths, records, strict=True)
            ),
            *({"kind": "rules", **_flat(row)} for row in rule_rows),
            *({"kind": "dice", **_flat(row)} for row in dice_rows),
        ],
        tables=tables,
    )


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row for CSV: aliases and probabilities as one text each, other lists omitted."""
    flat: dict[str, object] = {}
    for key, value in row.items():
        if key == "aliases" and isinstance(value, list):
            flat[key] = "; ".join(value)
        elif key == "probabilities" and isinstance(value, dict):
            flat[key] = "; ".join(f"{roll}: {chance}" for roll, chance in value.items())
        elif not isinstance(value, list | dict):
            flat[key] = value
    return flat


def _crossings(path: Path) -> dict[str, int]:
    """Return the numbers of a path's tiles in the table, for CSV."""
    light, dark = path.private
    return {"private_light": light, "private_dark": dark, "twice": _twice(path)}


def _twice(path: Path) -> int:
    """Return how many tiles a player crosses more than once."""
    return sum(max(ab) > 1 for ab in path.crossings)

"""Paths and the catalogue, with boards drawn as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from urcx.results.fields import TEXT, Field, Fields, Format, column
from urcx.results.numbers import count_text, number_word
from urcx.results.result import Report
from urcx.results.tables import Column, secondary
from urcx.rules.drawing import board_drawing, only_on, rules_text, with_signs
from urcx.rules.model import EFFECTS, Dice, Path, RuleSet

NARROW_TERMINAL = 60  # columns that a drawing may take


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


def _crossings(path: Path) -> dict[str, list[int]]:
    return {tile: list(times) for tile, times in zip(path.tiles, path.crossings, strict=True)}


def _twice(path: Path) -> int:
    """Return the number of tiles that a player crosses more than once."""
    return sum(max(ab) > 1 for ab in path.crossings)


def _named(item: Path | RuleSet) -> str:
    """Return a title with the other names."""
    return "; ".join([item.title, *item.aliases])


def _distinct(numbers: tuple[int, ...]) -> str:
    return "+".join(dict.fromkeys(map(str, numbers)))


def _effect(name: str) -> Field:
    # A list of some rosettes is not in CSV. Effects without a default have separate columns.
    some = Format(
        lambda value: "yes" if value else "no",
        csv=(("", lambda value: None if isinstance(value, list) else value),),
    )
    later = EFFECTS[name] is not None
    heading = Column(name.replace("_", " "), text=True, secondary=True) if later else ""
    return Field(heading, some, of=lambda item: item.effects[name], key=name)


def _chances(item: Dice) -> dict[str, str]:
    return {str(r): str(p) for r, p in zip(item.rolls, item.probabilities, strict=True)}


def _listed(chances: Mapping[str, str], between: str = "; ") -> str:
    return between.join(f"{roll}: {chance}" for roll, chance in chances.items())


LIST = Format(json=(("", list),), csv=())
TEXTS = Format(json=(("", list),), csv=(("", "; ".join),))
NAME = Fields(Field("<name", key="name"), Field(key="title"))
PATHS = Fields(
    NAME,
    Field(kind=TEXTS, key="aliases"),
    Field(of="board.name", key="board"),
    Field("steps", of="length", key="steps"),
    *(Field(kind=LIST, key=name) for name in ("light", "dark", "laps")),
    Field(kind=LIST, of=lambda path: sorted(path.board.rosettes), key="rosettes"),
    Field(secondary("shared"), key="shared"),
    Field(secondary("private"), replace(LIST, cell=_distinct), key="private"),
    Field(kind=Format(csv=()), of=_crossings, key="crossings"),
    *(Field(key=name) for name in ("crossed_once", "symmetric", "reading")),
)
# More numbers of a path's tiles, for CSV.
TILES = Fields(
    Field(of=lambda path: path.private[0], key="private_light"),
    Field(of=lambda path: path.private[1], key="private_dark"),
    Field(secondary("twice"), of=_twice, key="twice"),
)
RULE_SETS = Fields(
    NAME,
    Field(kind=TEXTS, key="aliases"),
    Field("<path", of="path.name", key="path"),
    Field("pieces", key="pieces"),
    Field("<dice", of="dice.name", key="dice"),
    *map(_effect, EFFECTS),
    column(
        Column("on a rosette", text=True, secondary=True),
        lambda item: f"rolls again{only_on(item)}" if item.granting else "no roll",
    ),
    column("<rosette", lambda item: "protects" if item.rosette_protects else "no shelter"),
    column("<capture", lambda item: "rolls again" if item.capture_grants_roll else "no roll"),
    column(Column("title", text=True, least=24, secondary=True), _named),
)
DICE = Fields(
    NAME,
    Field(
        Column("probabilities", text=True, least=38),
        Format(lambda chances: _listed(chances, "  "), csv=(("", _listed),)),
        of=_chances,
        key="probabilities",
    ),
    Field("mean", TEXT, key="mean"),
    Field("<title", of="title"),
)


def path_report(path: Path, rules: Sequence[RuleSet] = ()) -> Report:
    """Return a drawing of a path, with its steps on each tile and the rule sets that use it."""
    about = [f"{path.name}: {path.title}", f"{path.board.name} board, {path.describe()}"]
    if path.aliases:
        about.append(f"other names: {', '.join(path.aliases)}")
    if path.reading:
        about.append(f"reading: {path.reading}")
    about += map(rules_text, rules)
    key = (
        "\nNumbers are steps, with L (light) and D (dark) if they differ; * is a rosette.\n"
        f"Home is step {path.length + 1}.\n"
    )
    drawing = board_drawing(path.board, steps_by_tile(path), width=NARROW_TERMINAL)
    return Report(
        schema="urcx.path/1",
        data={**PATHS.record(path), "rules": RULE_SETS.records(rules)},
        rows=[
            {"side": side, "step": step, "tile": tile, "rosette": tile in path.board.rosettes}
            for side, way in (("light", path.light), ("dark", path.dark))
            for step, tile in enumerate(way, start=1)
        ],
        body="\n".join(about) + "\n\n" + drawing + with_signs(key),
    )


def catalogue_report(
    paths: list[Path], rules: list[RuleSet], dice: list[Dice], own: tuple[str, ...]
) -> Report:
    """Return the list of paths, rule sets and dice. ``own`` names a user file's paths."""
    named = column("<name", lambda path: path.name + (" (yours)" if path.name in own else ""))
    first = sorted(paths, key=lambda path: path.name not in own)
    title = column(Column("title, and other names", text=True, least=24), _named)
    columns = Fields(named, PATHS.pick("steps", "private", "shared"), TILES.pick("twice"), title)
    kinds: dict[str, tuple[Fields, Sequence[Any]]] = {
        "path": (PATHS + TILES, paths),
        "rules": (RULE_SETS, rules),
        "dice": (DICE, dice),
    }
    return Report(
        schema="urcx.paths/1",
        data={
            "paths": PATHS.records(paths),
            "rules": RULE_SETS.records(rules),
            "dice": DICE.records(dice),
        },
        rows=[
            {"kind": kind, **fields.flat(item)}
            for kind, (fields, items) in kinds.items()
            for item in items
        ],
        listed=[
            columns.table("Paths", first, ["urcx paths NAME draws a path or a rule set's path"]),
            RULE_SETS.table("Rule sets", rules),
            DICE.table("Dice", dice),
        ],
        answer=f"{count_text(len(paths), 'path')}, {count_text(len(rules), 'rule set')}, and "
        f"{number_word(len(dice))} kinds of dice (urcx dice)",
        brief=2,
    )

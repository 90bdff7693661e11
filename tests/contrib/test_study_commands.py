"""All commands of studies: the first line has the number; the function returns the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from command_line import report_of, run
from schema_members import assert_members

import urcx
from urcx import contrib
from urcx.results.writing import json_text

pytest_plugins = ["command_fixtures"]
pytestmark = [pytest.mark.jit, pytest.mark.usefixtures("here")]

TRAIN = "train -p 1 --units 4 --iterations 10 --set games=4,plies=8 -o net.npz"
LEARNING = "urcx.contrib.learning"


def there(lines: Iterable[str]) -> list[str]:
    """Return the command lines whose study exists, because a study can be deleted."""
    return [line for line in lines if line.split(maxsplit=1)[0] in contrib.commands()]


# Command lines, with the number in their first lines, from the JSON of the same command.
ANSWERS: dict[str, Callable[[Any], str]] = {
    "bits -p 1 --agent greedy --table-bits 2": lambda data: data["rows"][0]["bits"],
    "compress BASE -o two.play": lambda data: f"{int(data['decisions']):,}",
    "exact -p 1": lambda data: f"{100 * float(data['decimal']):.2f} %",
    "gamble -g 20 --agent random": lambda data: f"{data['measures']['plies']['mean']:.1f}",
    "longest -p 2": lambda data: f"{data['mean']:.6f}",
    "nalimov -p 1": lambda data: f"{data['decided']['literal']} of {data['states']}",
    "puzzles -p 2 --most 3": lambda data: (
        f"{100 * max(x['cost'] for x in data['rows']):.2f} points"
    ),
    "shortest -p 2": lambda data: f"{data['length']} {data['unit']}",
    TRAIN: lambda data: f"{100 * data['rows'][-1]['wins']:.2f} %",
    "train --list": lambda data: f"{len(data['rows'])} settings",
}


@pytest.mark.parametrize("line", there(ANSWERS))
def test_the_first_line_has_the_number(line: str, two_pieces: Path) -> None:
    report = report_of(line.replace("BASE", str(two_pieces)))
    assert ANSWERS[line](json.loads(json_text(report))) in report.text().splitlines()[0]


SCHEMAS = {
    "bits --agent random --table-bits 2 -p 1": f"{LEARNING}.curve:Bits",
    "gamble -g 2 --agent first": "urcx.contrib.gambling.records:Gambles",
    TRAIN: f"{LEARNING}.training:Trained",
    "train --list": f"{LEARNING}.training:MethodSettings",
}


@pytest.mark.parametrize("line", there(SCHEMAS))
def test_json_has_the_members_of_its_schema(line: str) -> None:
    assert_members(resolve_name(SCHEMAS[line]), [run(*line.split(), "--json").json])


RESULTS: dict[str, dict[str, Any]] = {
    "bits -p 1 --agent greedy --table-bits 2": {"agents": "greedy", "table_bits": [2]},
    "longest -p 1": {},
    "nalimov -p 1": {},
    "shortest -p 1": {},
}


@pytest.mark.parametrize("line", there(RESULTS))
def test_commands_print_what_the_functions_return(line: str) -> None:
    name = line.split(maxsplit=1)[0]
    study = import_module(contrib.commands()[name][0].partition(":")[0].rpartition(".")[0])
    result = getattr(study, name)(urcx.ruleset("finkel", pieces=1), **RESULTS[line])
    shown = repr(result).replace("call text(wide=True)", "add --wide")
    assert shown == run(*line.split()).out.rstrip("\n")

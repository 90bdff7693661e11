"""What type checkers see of urcx where it is installed from its wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import names
import pytest

import urcx

ROOT = Path(__file__).parent.parent

RIGHT = """\
from fractions import Fraction

import urcx
from urcx import Agent, Game, Games, Move, Path, Position, RuleSet

rules: RuleSet = urcx.ruleset("finkel")
path: Path = rules.path
game: Game = urcx.Game(rules, pieces=3)
moves: tuple[Move, ...] = game.legal_moves(2)
position: Position = game.play(moves[0]).position
greedy: Agent = urcx.agent("greedy")
chances: dict[Move, Fraction] = greedy.move_probabilities(game, 2)
games: Games = urcx.simulate(greedy, rules=rules, games=2)
wins: int = games.wins("light")
diagrams: int = urcx.count(path, 1).diagrams
row: urcx.Tablebase = urcx.open_tablebase("finkel.urcx")


def mine(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[-1]


urcx.simulate(mine, "random")
"""
# Each line is wrong, and mypy says so by this code.
WRONG = {
    'urcx.count(7, "bell")': "arg-type",
    'urcx.Game("finkel").play(2)': "arg-type",
    'urcx.agent("greedy").choose("finkel", 2)': "arg-type",
    'urcx.simulate("greedy", games="many")': "arg-type",
    'x: int = urcx.ssc("bell", 7)': "assignment",
    "urcx.no_such_name": "attr-defined",
    "urcx.Game().no_such_name": "attr-defined",
    "urcx.simulate(lambda position: position)": "arg-type",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment in which the wheel is installed, and nothing else.

    Reading the types of all that urcx needs would take mypy four times as long.
    """
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = place.glob("*.whl")
    environment = place / "environment"
    venv.create(environment, with_pip=False)
    variables = {"base": str(environment), "platbase": str(environment)}
    site = Path(sysconfig.get_path("purelib", "venv", variables))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    scripts = Path(sysconfig.get_path("scripts", "venv", variables))
    return next(scripts.glob("python.exe" if sys.platform == "win32" else "python"))


def test_mypy_sees_the_types_of_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    wrong = ["import urcx", *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(wrong) + "\n")
    found = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "mypy", "--strict", "--verbose", "--no-error-summary"),
            *("--config-file=", "--python-executable", str(installed), "right.py", "wrong.py"),
        ],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": ""} | _system(),
    )
    said = found.stdout.splitlines()
    errors = {line.split(":")[1]: line for line in said if ": error: " in line}
    assert not [line for line in said if line.startswith("right.py")]
    assert len(errors) == len(WRONG), found.stdout + found.stderr[-500:]
    for number, (line, code) in enumerate(WRONG.items(), start=2):
        assert errors[str(number)].endswith(f"[{code}]"), line
    # It was the wheel that mypy read, and not this checkout.
    parsed = [line for line in found.stderr.splitlines() if "Parsing" in line and "(urcx)" in line]
    assert len(parsed) == 1
    assert str(installed.parent.parent) in parsed[0]


def _system() -> dict[str, str]:
    """Return what Windows needs in the environment; PYTHONPATH and MYPYPATH are left out."""
    import os

    return {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMP") if name in os.environ}


def test_public_names_are_those_that_modules_list() -> None:
    text = names.STUB.read_text(encoding="utf-8")
    listed: dict[str, str] = {}
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, ast.ImportFrom) and statement.module != "typing":
            (name,) = statement.names
            assert name.name == name.asname  # "as" says that it is exported
            listed[name.name] = str(statement.module)
    assert listed == urcx.PUBLIC
    assert sorted(vars(urcx)["__all__"]) == sorted(["__version__", *listed])
    for file, content in names.files().items():
        assert file.read_text(encoding="utf-8") == content, "to renew it: python docs/names.py"


def test_every_public_name_is_there_and_where_it_is_said_to_be() -> None:
    for name, module in urcx.PUBLIC.items():
        found: Any = getattr(urcx, name)
        assert not isinstance(found, ModuleType)
        assert found.__module__ == module


def test_no_public_name_is_a_module_whatever_was_imported_before() -> None:
    # Importing a submodule sets its name in the package, over whatever was there.
    package = Path(urcx.__file__).parent
    rooms = {item.stem for item in package.iterdir() if item.is_dir() or item.suffix == ".py"}
    assert not rooms & set(urcx.PUBLIC)
    modules = [
        ".".join(("urcx", *file.relative_to(package).with_suffix("").parts))
        for file in sorted(package.rglob("*.py"))
        if file.name not in {"__init__.py", "__main__.py"}
    ]
    program = (
        "import importlib, types, urcx\n"
        f"for name in {modules!r}:\n    importlib.import_module(name)\n"
        "for name in urcx.PUBLIC:\n"
        "    found = getattr(urcx, name)\n"
        "    assert not isinstance(found, types.ModuleType), name\n"
        "    module = importlib.import_module(urcx.PUBLIC[name])\n"
        "    assert found is getattr(module, name), name\n"
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True, cwd=ROOT)


def test_import_of_urcx_and_making_a_game_need_neither_numba_nor_numpy() -> None:
    program = (
        "import sys, urcx\n"
        "game = urcx.Game('finkel', pieces=3, position='5,8/3,6/0-0/L')\n"
        "assert hash(game.mirrored()) and game.turn == 'light'\n"
        "assert not {'numba', 'numpy', 'sympy', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True, cwd=ROOT)

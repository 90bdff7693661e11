"""The help, the welcome and the completion of the command line."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import get_args

import pytest
from command_line import commands, completed, run, run_process

import urcx
from urcx.commands import table


def test_without_a_command_it_welcomes_with_hints() -> None:
    result = run()
    assert (result.code, result.err) == (0, "")
    assert run_process() == result, "as a module"
    hints = re.findall(r"^  urcx (\S+)", result.out, re.MULTILINE)
    assert "--help" in hints
    assert len(hints) >= 2
    assert set(hints) - {"--help"} <= set(commands())
    assert hints[:2] == ["play", "explore"], "what most people come for"


def test_ctrl_c_while_it_is_loaded_is_one_line() -> None:
    code = """
import sys
from urcx.__main__ import main

class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "urcx.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
main()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "urcx: interrupted\n")


def test_version() -> None:
    for arguments in (["--version"], ["--version", "ssc"]):
        found = run(*arguments)
        assert (found.code, found.out, found.err) == (0, f"urcx {urcx.__version__}\n", "")


def test_the_defaults_of_commands_are_those_of_their_functions() -> None:
    compared = 0
    for name in set(table.GROUP_OF) & set(urcx.PUBLIC):
        options = inspect.signature(table.function(name)).parameters
        for parameter in inspect.signature(getattr(urcx, name)).parameters.values():
            default = options[parameter.name].default if parameter.name in options else None
            if type(default) is type(parameter.default) and default is not None:
                assert default == parameter.default, f"urcx {name}: {parameter.name}"
                compared += 1
    assert compared > 20


def test_the_help_lists_every_command_on_one_screen() -> None:
    listed = commands()
    assert listed.keys() == table.GROUP_OF.keys()
    named = {name for name, line in listed.items() if not line}
    assert named == set(table.GROUPS[table.RESEARCH])
    assert not named & {"play", "explore", "review", "match", "solve", "probe", "ssc", "gtc"}
    assert all(len(line) > 10 for name, line in listed.items() if name not in named)
    whole = run("--help").out
    assert len(whole.splitlines()) <= 40
    assert whole.index("Play:") < whole.index("Research:") < whole.index("Options:")
    lines = whole.partition("Play:")[2].partition("Options:")[0]
    longer = re.findall(r"^(.*)\n   ", lines, re.MULTILINE)
    assert not longer, "shorten the first line of the docstring, to fit into a line of the help"
    assert run("-h") == run("--help")


def test_options_stand_in_panels() -> None:
    help_text = run("gtc", "--help").out
    panels = dict(re.findall(r"^(\w+):\n((?:  .*\n?)+)", help_text, re.MULTILINE))
    assert list(panels) == ["Game", "Players", "Method", "Output"]
    assert "--rules" in panels["Game"]
    assert "--light" in panels["Players"]
    assert "--games" in panels["Method"]
    assert "--json" in panels["Output"]


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_explains_itself_and_its_options(name: str) -> None:
    result = run(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: urcx {name}")
    usage, _, rest = result.out.partition("\n\n")
    assert f"urcx {name}" in rest, "an example"
    assert not re.search(r"\S  \[", rest), "one space before a default"
    assert usage
    # Every option has a text: beside it, or on the next line when its names are long.
    lines = rest.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        option = re.match(r"  (-\S.*?)(?:  +(\S.*))?$", line)
        if option:
            assert option[2] or re.match(r" {10,}\S", after), line


def test_an_option_has_the_same_short_name_everywhere() -> None:
    pairs: dict[str, set[str]] = {}
    for name in commands():
        for short, long in re.findall(r"^  (-\w), (--[a-z-]+)", run(name, "-h").out, re.MULTILINE):
            pairs.setdefault(short, set()).add(long)
            pairs.setdefault(long, set()).add(short)
    assert all(len(partners) == 1 for partners in pairs.values()), pairs


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["ssc", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    # What makes `urcx --help` quick; asserted by what is loaded, as times depend on the machine.
    code = (
        "import sys\nfrom urcx.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stderr.split())
    assert "urcx.cli" in loaded
    assert not loaded & {"numpy", "numba", "sympy", "matplotlib"}
    modules = {name for name in loaded if name.startswith("urcx.commands.")}
    assert modules == {"urcx.commands.table"} or arguments[:1] in ([], ["ssc"])


@pytest.mark.parametrize("name", table.COMMANDS)
def test_the_list_has_the_first_line_of_a_commands_help(name: str) -> None:
    _, line = table.GROUPS[table.GROUP_OF[name]][name]
    assert line == str(table.function(name).__doc__).strip().splitlines()[0]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ssc --path bell,mas", "bell,masters"),
        ("solve --rules mas", "masters masters-four-dice"),
        ("journey --dice tet", "tetrahedron"),
        ("paths ski", "skiriuk"),
        ("match random gre", "greedy"),
        ("gtc --agent expecti", "expectimax"),
        ("verify --source ra", "raposo-lamont"),
        ("verify --verdict no-claim,hol", "no-claim,holds no-claim,holds-in-another-reading"),
        ("gtc --method le", "levels"),
        ("enumerate --visit ch", "checksum"),
        ("solve --store u", "u16"),
        ("regret --agent random,gre", "random,greedy"),
        ("regret --opponent se", "self"),
        ("cache --only le", "levels"),
        ("perft --rules bell,mas", ""),  # takes one
    ],
)
def test_the_shell_completes_names(
    monkeypatch: pytest.MonkeyPatch, line: str, offered: str
) -> None:
    for name, value in completed(f"urcx {line}").items():
        monkeypatch.setenv(name, value)
    assert run().out.split() == offered.split()


def test_the_shell_asks_a_process() -> None:
    assert run_process(**completed("urcx paths ski")).out == "skiriuk\n"


@pytest.mark.parametrize("name", ["gtc", "solve", "report"])
def test_each_example_stands_on_a_line_of_its_own(name: str) -> None:
    examples = [line for line in run(name, "--help").out.splitlines() if f"urcx {name} " in line]
    assert len(examples[1:]) > 1, "besides the usage"
    assert all(line.count(f"urcx {name} ") == 1 for line in examples)


# Options whose values are numbers, or ranges of them, written as texts.
NUMBERS = {"pieces", "dark_pieces", "endings", "tiles", "rolls"}


@pytest.mark.parametrize("name", sorted(commands()))
def test_the_help_of_a_number_says_its_range(name: str) -> None:
    parameters = inspect.signature(table.function(name), eval_str=True).parameters
    for parameter in parameters.values():
        kind, *declared = get_args(parameter.annotation) or (parameter.annotation,)
        number = parameter.name in NUMBERS or bool({int, float} & {kind, *get_args(kind)})
        if number and declared:
            said = r"from \d|between \d|one of the dice's|\d to \d"
            assert re.search(said, declared[0].help), f"urcx {name}: {parameter.name}"

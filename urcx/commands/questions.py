"""Commands that follow from the function that answers them: options, help and course.

A question is the public function of a module in the room of its subject.
Its signature gives the options, its docstring as far as the parameters the help, the first sentence
on a parameter that option's help (and "By default ..." what stands there in brackets);
``Annotated[str, NAMES]`` says which values there are. Parameters that many questions have (rules,
agents, threads ...) are options of `urcx.commands.options`, the same everywhere; ``agent`` is an
argument, and ``agents`` are without a default. ``drawn`` is true with ``--plot``. Beside the
function, its module has

- ``HELP_AFTER``, which command of the help it follows, or the heading of the group that it begins;
- ``EXAMPLES``, command lines for the help;
- ``NEEDS``, which options have no effect without which others;
- ``MORE``, which forms its report has besides JSON and CSV.

A result may have ``notes``, and say as ``unfinished`` what was done before an interrupt.

The module is read, not imported, until the command is run, so that help and completion are quick.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path as FilePath
from pkgutil import resolve_name
from typing import Annotated, Any

import typer

import urcx
from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.places import elsewhere
from urcx.errors import InterruptedRunError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages
from urcx.reports.figures import FIGURES

# Parameters of functions that are the same options in every command.
SHARED: dict[str, tuple[Any, Any]] = {
    "position": (opt.OnePosition, inspect.Parameter.empty),
    "first": (opt.First, "alternate"),
    "seed": (opt.Seed, 1),
    "method": (opt.Method, "auto"),
    "no_cache": (opt.NoCache, False),
    "roll": (opt.KnownRoll, None),
    "tablebase": (opt.Solution, None),
    "threads": (opt.Threads, None),
}
ESTIMATED = ("gtc", "match", "perft", "regret", "mistakes", "luck", "lengths")
WITHIN = ("dark", "stage", "drawn")  # said with light; made by the command
NAMES = {"games": "--games -g", "depth": "--depth -d"}  # of options with a short one
TYPES = {"bool": bool, "int": int, "float": float, "str": str}


@dataclass(frozen=True)
class Question:
    """A question as its module states it: the module's name, and that of its public function."""

    module: str
    name: str

    @cached_property
    def text(self) -> str:
        """Return the module's text."""
        place = FilePath(urcx.__file__).parent.joinpath(*self.module.split(".")[1:])
        return place.with_suffix(".py").read_text(encoding="utf-8")

    @property
    def help_after(self) -> str:
        """Return where it stands in the help: after which command, or in which group first."""
        return self.text.partition('\nHELP_AFTER = "')[2].partition('"')[0]

    @cached_property
    def tree(self) -> ast.Module:
        """Return the module's text, parsed."""
        return ast.parse(self.text)

    @property
    def summary(self) -> str:
        """Return the first line of the function's docstring, without parsing the module."""
        return self.text.partition(f"\ndef {self.name}(")[2].split('"""')[1].split("\n")[0]

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """Return the definitions of the module's functions."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}

    @property
    def function(self) -> ast.FunctionDef:
        """Return the definition of the function that answers."""
        return self.functions[self.name]

    @cached_property
    def parameters(self) -> dict[str, tuple[str, ast.expr | None]]:
        """Return the annotation of each parameter, and its default."""
        arguments = self.function.args
        lacking = [None] * (len(arguments.args) - len(arguments.defaults))
        defaults = [*lacking, *arguments.defaults, *arguments.kw_defaults]
        every = zip([*arguments.args, *arguments.kwonlyargs], defaults, strict=True)
        return {one.arg: (ast.unparse(one.annotation or one), default) for one, default in every}

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """Return what the module calls by a name."""
        named = (node for node in self.tree.body if isinstance(node, ast.Assign))
        return {ast.unparse(node.targets[0]): node.value for node in named}

    def default(self, name: str) -> Any:
        """Return the default of a parameter, or what stands for none.

        It may have a name, of the module's own or imported from another one of urcx.
        """
        given = self.parameters[name][1]
        if given is None:
            return inspect.Parameter.empty
        return ast.literal_eval(self.constant(given.id) if isinstance(given, ast.Name) else given)

    def constant(self, name: str) -> ast.expr:
        """Return what the module, or the one from which it imports it, calls by a name."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
                return Question(str(node.module), "").constant(name)
        return self.constants[name]

    @property
    def rules(self) -> Any:
        """Return the options of the rules."""
        return opt.SolvedGame if "tablebase" in self.parameters else opt.Game

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return what the docstring says of each parameter, as the help has it."""
        doc = ast.get_docstring(self.function) or ""
        section = doc.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        found: dict[str, str] = {}
        for names, text in re.findall(r"^(\S.*)\n((?: +.*\n?)+)", section, re.MULTILINE):
            plain = " ".join(text.replace("``", "").split())
            said, _, default = plain.partition(" By default ")
            first = re.split(r"(?<=\.) ", said)[0]
            for name in names.split(", "):
                # Any other default than None stands in the signature, and so in the help.
                unsaid = default and self.default(name) is None
                words = f" [default: {re.split(r'[.;]', default)[0]}]" if unsaid else ""
                found[name] = first + words
        return found

    @property
    def help(self) -> str:
        """Return the help: what the docstring says before the parameters, and examples."""
        doc = ast.get_docstring(self.function) or ""
        examples = ast.literal_eval(self.constants["EXAMPLES"])
        return "\n\n".join([
            doc.partition("\n\nParameters\n")[0], *(f"urcx {example}" for example in examples)
        ])  # fmt: skip

    def agents(self, name: str) -> Any:
        """Return the option or argument of the agents that are asked about, or of the only one."""
        if name == "agent":
            return Annotated[Any, opt.one_agent(self.texts[name])]
        default = self.default(name)
        default = None if default is inspect.Parameter.empty else default
        return Annotated[opt.Agents, opt.several(default, self.texts[name])]

    @property
    def drawings(self) -> dict[str, tuple[Any, Any]]:
        """Return the options that name what is drawn to."""
        return {"plot": (opt.Plot, None)} if self.name in FIGURES else {}

    def option(self, name: str) -> tuple[Any, Any]:
        """Return the option of a parameter that is this question's own, and its default."""
        annotation, _ = self.parameters[name]
        known = re.fullmatch(r"Annotated\[(.*), (\w+)\]", annotation)
        words = re.findall(r"\w+", known[1] if known else annotation)
        kind: Any = next(TYPES[word] for word in words if word in TYPES)
        values = f"{self.module}:{known[2]}" if known else None
        names = NAMES.get(name, f"--{name.replace('_', '-')}")
        made = opt.option(names, self.texts[name], values)
        return Annotated[kind | None if "None" in words else kind, made], self.default(name)


def command(question: Question) -> Callable[..., Any]:
    """Return the command of a question."""
    nothing = inspect.Parameter.empty
    taken: dict[str, tuple[Any, Any]] = {"context": (typer.Context, nothing)}
    # What is asked about comes first in the help.
    for one in sorted(question.parameters, key=lambda name: name not in ("position", "rules")):
        if one == "light":
            sides = opt.sides(question.default(one), question.texts[one])
            taken["players"] = Annotated[opt.Players, sides], nothing
        elif one in ("agent", "agents"):
            taken[one] = question.agents(one), nothing
        elif one == "executor":
            taken["scheduler"] = opt.Scheduler, None
        elif one == "rules":
            taken[one] = question.rules, nothing
        elif one not in WITHIN:
            taken[one] = SHARED[one] if one in SHARED else question.option(one)
    if question.name in ESTIMATED:
        taken["yes"] = opt.Yes, False
    taken |= question.drawings
    taken["style"] = Style, nothing

    def answer(context: typer.Context, style: Style, **given: Any) -> None:
        _answer(question, context, style, given)

    kind = inspect.Parameter.KEYWORD_ONLY
    vars(answer)["__signature__"] = inspect.Signature(
        [
            inspect.Parameter(one, kind, default=default, annotation=annotation)
            for one, (annotation, default) in taken.items()
        ]
    )
    answer.__name__ = question.name
    answer.__doc__ = question.help
    more = question.constants.get("MORE")
    return opt.command(wide=True, more=ast.literal_eval(more) if more else ())(answer)


def _answer(
    question: Question, context: typer.Context, style: Style, given: dict[str, Any]
) -> None:
    """Ask whether to begin, compute, and show what was found."""
    module = import_module(question.module)
    parameters = question.parameters
    yes, plot = (given.pop(one, None) for one in ("yes", "plot"))
    if "players" in given:
        given["light"], given["dark"] = given.pop("players")
    for one, needed in getattr(module, "NEEDS", {}).items():
        if not all(given[other] for other in needed):
            opt.refuse(context, f"needs {' and '.join(f'--{other}' for other in needed)}", one)
    scheduler = given.pop("scheduler", None)
    ask = getattr(module, question.name)
    with stages() as stage, elsewhere(scheduler) as executor:
        given |= {"stage": stage, "executor": executor, "drawn": plot is not None}
        if "tablebase" in parameters:
            parsing.check_solution(given["tablebase"], given["rules"])
        if question.name in ESTIMATED:
            work = resolve_name(f"urcx.commands.estimates:_{question.name}")
            agree(*_called(work, given), yes=bool(yes))
        found = _called(ask, given)
    style.show(found.report())
    note(*getattr(found, "notes", ()))
    draw(found, plot)
    if getattr(found, "unfinished", ""):
        raise InterruptedRunError(f"interrupted after {found.unfinished}")


def draw(found: Any, plot: FilePath | None) -> None:
    """Draw the figure of a result to a file, if there is one."""
    if plot is not None:
        from urcx.reports.figures.plots import save
        from urcx.reports.results import figure

        save(figure(found), plot)


def _called(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Call a function with those of the arguments that it takes, all if it takes ``**given``."""
    taken = inspect.signature(function).parameters
    return function(**{k: what for k, what in given.items() if k in taken or "given" in taken})

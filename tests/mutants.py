"""Small faults to put into functions: the mutants that `tests/mutations.py` tries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType

BINARY: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Add(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
    ast.Mod: ast.FloorDiv(),
    ast.Pow: ast.Mult(),
    ast.LShift: ast.RShift(),
    ast.RShift: ast.LShift(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
    ast.BitXor: ast.BitOr(),
}
COMPARED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Annotations and defaults are no part of a function's code, and texts of errors are not tested by
# the letter.
SKIPPED = {"annotation", "returns", "decorator_list", "defaults", "kw_defaults", "type_params"}


@dataclass(frozen=True)
class Mutant:
    """A function with one fault: its place, a description, and the code."""

    file: str
    function: str
    first: int  # line of the function
    lines: range
    change: str
    code: CodeType

    @property
    def name(self) -> str:
        """Return the place and the description of the fault, on one line."""
        return f"{self.file}:{self.lines.start} {self.function}: {self.change}"


@dataclass(frozen=True)
class _Site:
    """A node of a syntax tree, with possible replacements."""

    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST
    shown: str = ""

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node

    @property
    def change(self) -> str:
        return self.shown or f"{ast.unparse(self.old)} -> {ast.unparse(self.new)}"


def mutants(root: Path, file: str, lines_each: int, seed: int) -> Iterator[Mutant]:
    """Yield mutants of all functions of a file: one per number of lines, at least two."""
    tree = ast.parse((root / file).read_text("utf-8"))
    for name, function in _functions(tree):
        sites = list(_sites(function))
        chance = Random(f"{seed}:{file}:{name}")
        chance.shuffle(sites)
        sites = _spread(sites)
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        for site in sites[: max(2, length // lines_each)]:
            site.put(site.new)
            ast.fix_missing_locations(tree)
            try:
                code = compile(tree, str(root / file), "exec", dont_inherit=True)
            except SyntaxError:
                continue
            finally:
                site.put(site.old)
            first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
            found = next(
                c for c in _codes(code) if (c.co_qualname, c.co_firstlineno) == (name, first)
            )
            where = site.old if hasattr(site.old, "lineno") else site.parent
            lines = range(where.lineno, where.end_lineno + 1)  # type: ignore[attr-defined]
            yield Mutant(file, name, first, lines, site.change, found)


def _functions(
    tree: ast.Module | ast.ClassDef, inside: str = ""
) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield f"{inside}{node.name}", node


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _spread(sites: list[_Site]) -> list[_Site]:
    """Return sites in an order in which no line comes twice before all have come once."""
    seen: dict[int, int] = {}
    keyed = []
    for site in sites:
        line = getattr(site.old, "lineno", 0) or getattr(site.parent, "lineno", 0)
        keyed.append((seen.get(line, 0), site))
        seen[line] = seen.get(line, 0) + 1
    return [site for _, site in sorted(keyed, key=lambda pair: pair[0])]


def _sites(function: ast.FunctionDef) -> Iterator[_Site]:
    """Yield all sites of a function that can be changed."""
    for k, statement in enumerate(function.body):
        if not (k == 0 and ast.get_docstring(function) is not None):
            yield from _replaced(function, "body", k, statement)
            yield from _below(statement)


def _below(node: ast.AST) -> Iterator[_Site]:
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    for field, value in ast.iter_fields(node):
        if field in SKIPPED:
            continue
        if isinstance(value, list):
            for k, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield from _replaced(node, field, k, each)
                    yield from _below(each)
        elif isinstance(value, ast.AST):
            yield from _replaced(node, field, None, value)
            yield from _below(value)


def _replaced(parent: ast.AST, field: str, index: int | None, old: ast.AST) -> Iterator[_Site]:
    """Yield the possible replacements of a node."""

    def site(new: ast.AST, shown: str = "") -> _Site:
        return _Site(parent, field, index, old, new, shown)

    if isinstance(old, ast.operator):
        new = BINARY.get(type(old))
        if new is not None:
            yield site(new, f"{ast.unparse(parent)}: {type(old).__name__} -> {type(new).__name__}")
    elif isinstance(old, ast.cmpop):
        other = COMPARED[type(old)]
        yield site(other, f"{ast.unparse(parent)}: {type(old).__name__} -> {type(other).__name__}")
    elif isinstance(old, ast.expr):
        yield from (site(new) for new in _expressions(old))
        if field == "test" and isinstance(parent, ast.If):
            for value in (True, False):
                yield site(ast.Constant(value), f"if {ast.unparse(old)} -> if {value}")
    elif _removable(old):
        yield site(ast.copy_location(ast.Pass(), old), f"removed: {ast.unparse(old)[:60]}")


def _expressions(old: ast.expr) -> Iterator[ast.expr]:  # noqa: C901 - a case for each kind
    match old:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BoolOp(op=ast.And(), values=values):
            yield ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(values=values):
            yield ast.BoolOp(ast.And(), values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Name) and func.id in CALLED:
                yield ast.Call(ast.Name(CALLED[func.id], ast.Load()), args, keywords)
                return  # in another order they are the same
            for k, (one, two) in enumerate(zip(args, args[1:], strict=False)):
                if type(one) is type(two) and ast.dump(one) != ast.dump(two):
                    yield ast.Call(func, [*args[:k], two, one, *args[k + 2 :]], keywords)


def _removable(node: ast.AST) -> bool:
    """Return whether a statement can be left out without leaving a name undefined."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Return)

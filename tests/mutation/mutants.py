"""Small changes to a module's code, one at a time, each of which a test should notice.

Left alone: annotations, decorators, docstrings, messages of errors, and the defaults and ranges of
options, which are settings and no computation.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NO_COMPUTATION = (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.arg)
FIELDS_LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params", "bases"}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: Path
    line: int
    last_line: int
    change: str  # "before → after", as code
    tree: ast.Module


def mutants(path: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    original = ast.parse(path.read_text(encoding="utf-8"))
    made = []
    for number, node in enumerate(_nodes(original)):
        for change in range(len(_changed(node))):
            tree = copy.deepcopy(original)
            target = list(_nodes(tree))[number]
            after = _changed(target)[change]
            text = f"{_code(target)} → {_code(after)}"
            _Replace(target, after).visit(tree)
            made.append(
                Mutant(
                    path, target.lineno, target.end_lineno, text, ast.fix_missing_locations(tree)
                )
            )
    return made


def _nodes(node: ast.AST) -> Iterator[Any]:
    """The expressions and statements that compute something, in order."""
    for field, value in ast.iter_fields(node):
        if field in FIELDS_LEFT_ALONE:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, NO_COMPUTATION):
                continue
            if isinstance(child, ast.Call) and getattr(child.func, "id", "") == "option":
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _nodes(child)


def _changed(node: ast.AST) -> list[ast.AST]:
    """The node as its mutants have it."""
    match node:
        case ast.Compare(left, [operator], right) if type(operator) in COMPARISONS:
            return [ast.Compare(left, [COMPARISONS[type(operator)]()], right)]
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            return [ast.BinOp(left, ARITHMETIC[type(operator)](), right)]
        case ast.AugAssign(target, operator, value) if type(operator) in ARITHMETIC:
            return [ast.AugAssign(target, ARITHMETIC[type(operator)](), value)]
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            return [ast.BoolOp(other, values)]
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            return [operand]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(value) | float(value)):
            return [ast.Constant(value + 1)]
        case ast.Return(ast.Constant(None)):
            return []
        case ast.Return(ast.expr()):
            return [ast.Return(ast.Constant(None))]
        case ast.Expr(ast.Call()):
            return [ast.Pass()]
        case ast.IfExp(test, body, otherwise):
            return [ast.IfExp(test, otherwise, body)]
    return []


def _code(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())[:90]


class _Replace(ast.NodeTransformer):
    """One node by another, found by identity."""

    def __init__(self, before: ast.AST, after: ast.AST) -> None:
        self.before, self.after = before, after

    def visit(self, node: ast.AST) -> Any:
        return ast.copy_location(self.after, node) if node is self.before else super().visit(node)

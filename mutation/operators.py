"""The changes: each a small slip a person could make, at every place of a module where it fits.

Left alone are docstrings, type annotations, texts for people (strings, the inside of a raise,
``__repr__``), asserts, ``__all__``, caches (only time would change), and slack: a float below
``SLACK`` is a safety margin, of which more is as good, so only its sign is changed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SLACK = 1e-6

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
FUNCTIONS = {
    "min": "max",
    "floor": "ceil",
    "minimum": "maximum",
    "any": "all",
}
FUNCTIONS |= {there: here for here, there in FUNCTIONS.items()}
#: Decorators without which, or with other numbers in which, only time changes.
CACHES = {"cache", "cached_property", "lru_cache"}
#: Decorators without which nothing works at all.
KEPT_DECORATORS = {
    "classmethod",
    "contextmanager",
    "dataclass",
    "overload",
    "property",
    "setter",
    "staticmethod",
}

Edit = Callable[[], Callable[[], None]]


@dataclass(frozen=True)
class Mutant:
    """One change: where it is and how it reads before and after.

    ``before`` and ``after`` are the whole statement, or the head of a compound one; they identify
    the change wherever the lines of the file move to.
    """

    module: str
    function: str
    line: int
    last_line: int
    operator: str
    before: str
    after: str
    number: int


def mutants(source: str, module: str) -> list[Mutant]:
    """List every change of a module, in the order of the source."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    for number, (body, place, function, operator, edit) in enumerate(_edits(tree)):
        statement = body[place]
        lines = statement.lineno, _last_line(statement)
        undo = edit()
        after = _head(body[place])
        undo()
        found.append(Mutant(module, function, *lines, operator, _head(statement), after, number))
    return found


def changed(source: str, number: int) -> ast.Module:
    """Return the module's tree with one change in it, ready to be compiled."""
    tree = ast.parse(source)
    edit = next(edit for place, (*_, edit) in enumerate(_edits(tree)) if place == number)
    edit()
    return ast.fix_missing_locations(tree)


def _head(statement: ast.stmt) -> str:
    """Write a statement, without the statements inside it."""
    head = copy.copy(statement)
    for part in ("body", "orelse", "finalbody", "handlers"):
        if hasattr(head, part):
            setattr(head, part, [])
    return " ".join(ast.unparse(ast.fix_missing_locations(head)).split())


def _last_line(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return statement.lineno
    return max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or 0


def _edits(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], int, str, str, Edit]]:
    """Give every change with the statement, as a place in a body, and the function it is in."""
    for body, place, function in _statements(tree.body, ""):
        for operator, edit in _on_statements(body, place):
            yield body, place, function, operator, edit
        for expression, owner, key in _expressions(body[place]):
            for operator, new in _on_expressions(expression):
                yield body, place, function, operator, _put(owner, key, new)


def _statements(body: list[ast.stmt], function: str) -> Iterator[tuple[list[ast.stmt], int, str]]:
    for place, statement in enumerate(body):
        if isinstance(statement, ast.Assert) or _is_text(statement) or _is_export(statement):
            continue
        name = getattr(statement, "name", "")
        if name in ("__repr__", "__str__"):
            continue
        yield body, place, function
        inside = f"{function}.{name}".strip(".") if name else function
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, part, []), inside)
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body, function)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str | type(...))
    )


def _is_export(statement: ast.stmt) -> bool:
    """Exports, slots and type aliases."""
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.Import | ast.ImportFrom)
    name = getattr(statement.targets[0], "id", "")
    alias = isinstance(statement.value, ast.Subscript | ast.BinOp) and name != name.upper()
    return name in ("__all__", "__slots__") or (alias and name[:1].isupper())


def _on_statements(body: list[ast.stmt], place: int) -> Iterator[tuple[str, Edit]]:
    statement = body[place]

    def instead(new: ast.stmt) -> Edit:
        return _put(body, place, ast.copy_location(new, statement))

    if isinstance(statement, ast.Raise | ast.AugAssign | ast.Expr):
        yield "drop statement", instead(ast.Pass())
    elif isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Name):
        if not isinstance(statement.targets[0], ast.Tuple):
            yield "drop statement", instead(ast.Pass())
    elif isinstance(statement, ast.Break):
        yield "swap break and continue", instead(ast.Continue())
    elif isinstance(statement, ast.Continue):
        yield "swap break and continue", instead(ast.Break())
    elif isinstance(statement, ast.Return) and statement.value is not None:
        if not (isinstance(statement.value, ast.Constant) and statement.value.value is None):
            yield "return nothing", instead(ast.Return(ast.Constant(None)))
    elif isinstance(statement, ast.With) and statement.items[0].optional_vars is None:
        yield "drop with", instead(ast.If(ast.Constant(True), statement.body, []))
    if isinstance(statement, ast.If | ast.While) and not _has_own_opposite(statement.test):
        yield "negate condition", _put(statement, "test", ast.UnaryOp(ast.Not(), statement.test))
    if isinstance(statement, ast.FunctionDef):
        for index, decorator in enumerate(statement.decorator_list):
            if _name_of(decorator) not in KEPT_DECORATORS | CACHES:
                rest = [*statement.decorator_list[:index], *statement.decorator_list[index + 1 :]]
                yield "drop decorator", _put(statement, "decorator_list", rest)


def _name_of(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return str(name)


def _has_own_opposite(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)


Place = tuple[ast.expr, ast.AST | list[ast.AST], int | str]


def _expressions(node: ast.AST) -> Iterator[Place]:
    """Give the expressions of one statement with where they hang, outermost first."""
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment", "ctx"):
            continue
        if isinstance(value, list):
            if value and isinstance(value[0], ast.stmt | ast.excepthandler):
                continue
            for index, one in enumerate(value):
                if field != "decorator_list" or _name_of(one) not in CACHES:
                    yield from _expression(one, value, index)
        else:
            yield from _expression(value, node, field)


def _expression(node: object, owner: ast.AST | list[ast.AST], key: int | str) -> Iterator[Place]:
    if isinstance(node, ast.expr):
        yield node, owner, key
    if isinstance(node, ast.AST) and not isinstance(node, ast.stmt):
        yield from _expressions(node)


def _on_expressions(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Compare):
        for index, comparison in enumerate(node.ops):
            for other in COMPARISONS[type(comparison)]:
                ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
                yield "comparison", ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield "arithmetic", ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield "drop sign or not", node.operand
    elif isinstance(node, ast.BoolOp):
        opposite = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and or", ast.BoolOp(opposite, node.values)
    elif isinstance(node, ast.Constant):
        for value in _other_values(node.value):
            yield "constant", ast.Constant(value)
    elif isinstance(node, ast.Name) and node.id in FUNCTIONS:
        yield "function", ast.Name(FUNCTIONS[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        yield "function", ast.Attribute(node.value, FUNCTIONS[node.attr], node.ctx)
    elif isinstance(node, ast.IfExp) and not _has_own_opposite(node.test):
        yield "swap branches", ast.IfExp(node.test, node.orelse, node.body)


def _other_values(value: object) -> Sequence[float]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        if value == 0:
            return [1.0]
        larger = value + 1 if abs(value) < 1e15 else 2 * value
        return [-value] if abs(value) < SLACK else [larger, -value]
    return []


def _put(owner: Any, key: Any, new: object) -> Edit:
    """Return an edit that hangs something else in a place, and gives back its undoing."""

    def write(value: object) -> object:
        if isinstance(owner, list):
            old, owner[key] = owner[key], value
        else:
            old = getattr(owner, key)
            setattr(owner, key, value)
        return old

    def edit() -> Callable[[], None]:
        old = write(new)

        def undo() -> None:
            write(old)

        return undo

    return edit

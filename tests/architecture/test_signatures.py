"""A signature that users read shows values, not the names of private constants."""

from __future__ import annotations

import ast
from pathlib import Path

import manyviews

PACKAGE = Path(manyviews.__file__).parent


def private_defaults(source: str) -> list[str]:
    """Defaults of public functions and constructors that are, or contain, a private name."""
    return [
        f"line {default.lineno}: {function.name} has the default {ast.unparse(default)}"
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (function.name == "__init__" or not function.name.startswith("_"))
        for default in (*function.args.defaults, *function.args.kw_defaults)
        if default is not None and any(map(is_private, ast.walk(default)))
    ]


def is_private(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.startswith("_")
    return False


def test_no_default_is_a_private_name():
    found = {
        str(path.relative_to(PACKAGE)): wrong
        for path in PACKAGE.rglob("*.py")
        if (wrong := private_defaults(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_private_names_are_noticed():
    wrong = "class A:\n    def __init__(self, a=1, *, combine=_CONCAT): ..."
    assert private_defaults(wrong) == ["line 2: __init__ has the default _CONCAT"]
    assert private_defaults("def f(a=room._LIMIT): ...")
    assert private_defaults("def f(a=(1, _B)): ...")
    assert not private_defaults("def f(a=CONCAT, b='concat', *, c): ...")
    assert not private_defaults("def _f(a=_B): ...")

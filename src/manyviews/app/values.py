"""From text to a value and back, constructors included, without ever evaluating code."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from manyviews.app.lookup import SettingsError, find_constructor

WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "none": None}
CALL = re.compile(r"\s*[A-Za-z_][\w.]*\s*\(.*\)\s*", re.DOTALL)


def parse_value(text: str) -> Any:
    """Read a value: a JSON or Python literal, a bare word, or the call of a constructor.

    Parameters
    ----------
    text : str
        Such as ``6``, ``0.1``, ``true``, ``null``, ``"text"``, ``[1, 2]``, ``word`` or
        ``PerView(StandardScaler(with_mean=false))``.

    Returns
    -------
    object
        The value; text that is none of these is itself the value.

    Examples
    --------
    >>> parse_value("6"), parse_value("true"), parse_value("mean"), parse_value("[a, 1]")
    (6, True, 'mean', ['a', 1])
    >>> parse_value("{text: StandardScaler(with_mean=false), links: passthrough}")
    {'text': StandardScaler(with_mean=False), 'links': 'passthrough'}
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except ValueError:  # not JSON; a literal of Python's perhaps
        pass
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        if CALL.fullmatch(text):
            raise SettingsError(
                f"the expression {text!r} has an error in its syntax; "
                "write it as Name(parameter=value)."
            ) from error
        return text
    if not _is_written_as_value(body):
        return text
    return _value(body, text)


def parse_settings(value: Any) -> Any:
    """Read what a configuration file holds: its strings may be calls of constructors."""
    if isinstance(value, Mapping):
        return {key: parse_settings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [parse_settings(item) for item in value]
    if isinstance(value, str) and CALL.fullmatch(value):
        return parse_value(value)
    return value


def as_setting(value: Any) -> Any:
    """Return what a configuration file holds for a value: the reverse of :func:`parse_settings`.

    Examples
    --------
    >>> from manyviews import MergeViews
    >>> as_setting({"a": (1, 2), "b": MergeViews(fill="zero")})
    {'a': [1, 2], 'b': "MergeViews(fill='zero')"}
    """
    value = _plain(value)
    if isinstance(value, Mapping):
        return {str(key): as_setting(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_setting(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return expression(value)


def expression(value: Any) -> str:
    """Write a value so that :func:`parse_value` reads it again; others as Python shows them."""
    value = _plain(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {expression(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(expression(item) for item in value) + "]"
    parameters = _parameters(value)
    if parameters is None:
        return repr(value)
    defaults = {name: p.default for name, p in signature(type(value)).parameters.items()}
    given = [
        f"{name}={expression(item)}"
        for name, item in parameters.items()
        if defaults.get(name, Parameter.empty) is Parameter.empty
        or expression(item) != expression(defaults[name])
    ]
    return f"{_public_name(type(value))}({', '.join(given)})"


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are words here: fill=nan is a setting


def _is_written_as_value(node: ast.AST) -> bool:
    """Whether text is a value in Python's or JSON's writing, rather than words with signs."""
    if any(isinstance(part, ast.Call) for part in ast.walk(node)):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub | ast.UAdd) and _is_number(node.operand)
    if isinstance(node, ast.Name):
        return node.id.lower() in WORDS
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _value(node: ast.AST, text: str) -> Any:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str()):
            return node.value
        case ast.Name():
            return WORDS.get(node.id.lower(), node.id)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()) if _is_number(node.operand):
            number = _value(node.operand, text)
            return -number if isinstance(node.op, ast.USub) else number
        case ast.List():
            return [_value(item, text) for item in node.elts]
        case ast.Tuple():
            return tuple(_value(item, text) for item in node.elts)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {
                _value(key, text): _value(item, text)
                for key, item in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.Call():
            return _built(node, text)
    raise SettingsError(
        f"the expression {text!r} holds {ast.unparse(node)!r}, and only literals, lists, dicts and "
        "constructors are understood; write it out."
    )


def _built(call: ast.Call, text: str) -> Any:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        raise SettingsError(f"the expression {text!r} unpacks arguments; write them out.")
    name = _dotted(call.func, text)
    constructor = find_constructor(name)
    positional = [_value(argument, text) for argument in call.args]
    named = {str(keyword.arg): _value(keyword.value, text) for keyword in call.keywords}
    try:
        signature(constructor).bind(*positional, **named)
    except TypeError as error:
        known = ", ".join(signature(constructor).parameters) or "none"
        raise SettingsError(
            f"{name} cannot be built from {ast.unparse(call)!r} ({error}); its parameters are "
            f"{known}."
        ) from error
    return constructor(*positional, **named)


def _dotted(node: ast.AST, text: str) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, text)}.{node.attr}"
    raise SettingsError(f"the expression {text!r} calls something that is not a class by its name.")


def _plain(value: Any) -> Any:
    """Return a NumPy scalar or array as Python's own."""
    to_list: Callable[[], Any] | None = getattr(value, "tolist", None)
    return value if to_list is None else to_list()


def _parameters(value: Any) -> dict[str, Any] | None:
    if isinstance(value, type):
        return None
    if hasattr(value, "get_params"):
        return dict(value.get_params(deep=False))
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    return None


def _public_name(cls: type) -> str:
    """Return the short name of an exported class of ours, else the path without private parts."""
    parts = cls.__module__.split(".")
    public = parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))]
    for depth in range(
        min(2, len(public)), len(public) + 1
    ):  # a room exports what its modules hold
        module = ".".join(public[:depth])
        if module and getattr(import_module(module), cls.__name__, None) is cls:
            is_ours = public[0] == "manyviews" and depth == 2
            return cls.__name__ if is_ours else f"{module}.{cls.__name__}"
    return f"{cls.__module__}.{cls.__name__}"

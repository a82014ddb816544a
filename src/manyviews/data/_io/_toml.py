"""A small writer of TOML: what ``tomllib`` reads back as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def dumps(document: Mapping[str, Any]) -> str:
    r"""Write text, numbers, booleans, lists of them, and tables of tables.

    Examples
    --------
    >>> print(dumps({"format": 1, "views": {"a b": {"file": "a\nb.csv"}}}), end="")
    format = 1
    <BLANKLINE>
    [views."a b"]
    file = "a\nb.csv"
    """
    lines = _table(document, ())
    return "\n".join(lines).lstrip("\n") + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = []
    if path and (values or not tables):
        lines += ["", f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in values.items()]
    for key, inner in tables.items():
        lines += _table(inner, (*path, key))
    return lines


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
    return key if bare else _string(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _string(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"{value!r} has no form in TOML here.")


def _string(text: str) -> str:
    return f'"{"".join(map(_character, text))}"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    code = ord(character)
    return f"\\u{code:04X}" if code < 32 or code == 127 else character

"""Settings typed by name, from text to values and to an estimator, and back to text.

From the top: settings from ``name=value`` and files; an estimator built from them, by signatures
alone and without code per method; text to values, constructors included, without evaluating code.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from reprlib import repr as short
from typing import Any

from manyviews.app.lookup import SettingsError, find_constructor, suggest
from manyviews.base import BaseMultiView, accepts, declared, described
from manyviews.data import refuse_absent
from manyviews.exceptions import FileFormatError
from manyviews.maths import Options

# -- settings and the estimator that they make -----------------------------------------------------

Settings = dict[tuple[str, ...], Any]
"""Values by the path of names that leads to them: ``("affinity", "gamma")``."""

PAIR = re.compile(r'((?:[^"=]|"[^"]*")+)=(.*)', re.DOTALL)


def read_settings(pairs: Iterable[str], config: Path | None = None) -> Settings:
    """Collect settings from a configuration file and from ``name=value``, the latter winning.

    Parameters
    ----------
    pairs : iterable of str
        Such as ``n_clusters=6`` or ``affinity.gamma=0.1``; a name with other characters than
        letters, digits, ``_`` and ``-`` stands in double quotes.
    config : Path, optional
        A ``.toml`` or ``.json`` file of the same names, in which a table is a common beginning;
        the ``config.json`` of a fitted model will do.

    Returns
    -------
    dict
        Values by path, those of the file first.

    Examples
    --------
    >>> read_settings(["n_clusters=6", "affinity.gamma=0.1"])
    {('n_clusters',): 6, ('affinity', 'gamma'): 0.1}
    """
    settings: Settings = {}
    if config is not None:
        for name, value in _from_file(config).items():
            settings[_path(name)] = parse_settings(value)
    for pair in pairs:
        found = PAIR.fullmatch(pair)
        if not found:
            raise SettingsError(f"{pair!r} sets nothing; write it as name=value.")
        path = _path(found[1].strip())
        settings.pop(path, None)  # what comes later also acts later
        settings[path] = parse_value(found[2].strip())
    return settings


def build(
    cls: type, settings: Settings, *, seed: int | None = None, view_names: Sequence[str] = ()
) -> Any:
    """Make an estimator with the settings, refusing names and values that it does not take.

    Parameters
    ----------
    cls : type
        The class of the method.
    settings : dict
        What :func:`read_settings` returns.
    seed : int, optional
        Becomes every ``random_state`` that the settings leave open.
    view_names : sequence of str
        Names by which one value for all views may be set apart: ``affinity.text.gamma``.

    Returns
    -------
    estimator
        Not fitted.

    Examples
    --------
    >>> from manyviews import PerView
    >>> pairs = ["transformer=StandardScaler()", "transformer.with_std=false"]
    >>> build(PerView, read_settings(pairs))
    PerView(transformer=StandardScaler(with_std=False))
    >>> build(PerView, read_settings(["transformer=none"]))
    Traceback (most recent call last):
        ...
    manyviews.app.lookup.SettingsError: transformer=None should be a transformer with ...
    """
    known = constructor_parameters(cls)
    for path in settings:
        if path[0] not in known and not (len(path) > 1 and "steps" in known):
            raise SettingsError(
                f"{cls.__name__} has no parameter {path[0]!r}; {suggest(path[0], known)}"
            )
    given = {path[0]: value for path, value in settings.items() if len(path) == 1}
    defaults = {n: None if p.default is Parameter.empty else p.default for n, p in known.items()}
    direct = {n: v for n, v in given.items() if not _is_table_of(defaults[n], v)}
    missing = [n for n, p in known.items() if p.default is Parameter.empty and n not in direct]
    if missing:
        raise SettingsError(
            f"{cls.__name__} needs a value for {missing[0]!r}; give it with --set {missing[0]}=…."
        )
    estimator: Any = cls(**direct)
    for path, value in settings.items():
        if path[0] not in direct or len(path) > 1:
            estimator = _assigned(estimator, path, value, cls.__name__, tuple(view_names))
    _refuse_wrong(estimator)
    return estimator if seed is None else _seeded(estimator, seed, settings)


def check_settings(cls: type, settings: Settings) -> None:
    """Refuse what :func:`build` would, as far as that is known before the data are read.

    What is set for one view waits, as the names of the views are in the data.

    Examples
    --------
    >>> from manyviews import MergeViews
    >>> check_settings(MergeViews, read_settings(["fill=median"]))
    Traceback (most recent call last):
        ...
    manyviews.app.lookup.SettingsError: fill='median' should be 'mean', 'zero', or 'nan'.
    """
    heads = {name: p.default for name, p in constructor_parameters(cls).items()}
    heads |= {path[0]: value for path, value in settings.items() if len(path) == 1}
    build(
        cls,
        {
            path: value
            for path, value in settings.items()
            if len(path) == 1 or path[1] in (_parts(heads.get(path[0])) or ())
        },
    )


def constructor_parameters(cls: type) -> dict[str, Parameter]:
    """Return the named parameters of a constructor, in order."""
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {name: p for name, p in signature(cls).parameters.items() if p.kind in kinds}


def resolved(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as a configuration file holds them."""
    if not hasattr(estimator, "get_params"):
        return {}
    return {name: as_setting(v) for name, v in estimator.get_params(deep=False).items()}


def _from_file(config: Path) -> Mapping[str, Any]:
    readers = {".toml": tomllib.loads, ".json": json.loads}
    if config.suffix not in readers:
        raise SettingsError(f"the configuration {config} should end in .toml or .json; rename it.")
    refuse_absent(config)
    try:
        content = readers[config.suffix](config.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"the configuration {config} cannot be read ({error}); correct it."
        ) from error
    if not isinstance(content, Mapping):
        raise FileFormatError(f"the configuration {config} should be a table of names and values.")
    if "method" in content and isinstance(content.get("parameters"), Mapping):
        return dict(content["parameters"])
    return content


def _path(name: str) -> tuple[str, ...]:
    """Read a dotted name; ``__`` separates as well, as in scikit-learn."""
    try:
        table = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{name!r} is not a name; write parameter or parameter.part, and put parts with other "
            "characters than letters, digits, '_' and '-' in double quotes."
        ) from error
    path: list[str] = []
    while isinstance(table, Mapping):
        ((key, table),) = table.items()
        path.extend(part for part in key.split("__") if part)
    return tuple(path)


def _is_table_of(current: Any, value: Any) -> bool:
    """Whether a dict speaks of parts of an object, rather than being a value itself."""
    parts = _parts(current)
    return isinstance(value, Mapping) and bool(parts) and set(value) <= set(parts or ())


def _assigned(
    current: Any, path: tuple[str, ...], value: Any, where: str, views: tuple[str, ...]
) -> Any:
    """Return the same with a value put at the end of a path; nothing given is changed."""
    if not path:
        if not _is_table_of(current, value):
            return value
        for name, item in value.items():
            current = _assigned(current, (name,), item, where, views)
        return current
    head, rest = path[0], path[1:]
    parts = _parts(current)
    if parts is not None and head not in parts and head in views:
        current, parts = dict.fromkeys(views, current), None
    if isinstance(current, Mapping):
        inner = _assigned(current.get(head), rest, value, f"{where}.{head}", views)
        return {**current, head: inner}
    if parts is None:
        if current is not None and views and head not in views:
            raise SettingsError(
                f"{where} is {current!r}, which has no part {head!r}; "
                f"for one view name it ({', '.join(views)})."
            )
        return {head: _assigned(None, rest, value, f"{where}.{head}", views)}
    if head not in parts:
        raise SettingsError(f"{where} has no parameter {head!r}; {suggest(head, parts)}")
    return _with_part(current, head, _assigned(parts[head], rest, value, f"{where}.{head}", views))


def _parts(current: Any) -> dict[str, Any] | None:
    """Return the parameters of an object that has some; steps of pipelines count."""
    if isinstance(current, type):
        return None
    if hasattr(current, "get_params"):
        return {n: v for n, v in current.get_params(deep=True).items() if "__" not in n}
    if is_dataclass(current):
        return {field.name: getattr(current, field.name) for field in fields(current)}
    return None


def _with_part(current: Any, name: str, value: Any) -> Any:
    if not hasattr(current, "set_params"):
        return replace(current, **{name: value})
    from sklearn.base import clone

    return clone(current).set_params(**{name: value})


def _refuse_wrong(owner: Any, where: str = "") -> None:
    """Hold methods and options of ours, and those inside, to what they declare.

    Others check themselves when they are fitted.
    """
    ours = isinstance(owner, BaseMultiView | Options)
    cls: type = type(owner)
    hints = declared(cls) if ours else {}
    for name, value in (_parts(owner) or {}).items():
        if name in hints:
            _refuse_value(f"{where}{name}", value, hints[name])
        if isinstance(value, Mapping):
            for key, item in value.items():
                _refuse_wrong(item, f"{where}{name}.{key}.")
        elif ours and isinstance(value, list | tuple):
            for item in value:
                _refuse_wrong(item, f"{where}{name}.")
        else:
            _refuse_wrong(value, f"{where}{name}.")


def _refuse_value(name: str, value: Any, hint: Any) -> None:
    """Refuse a value by the name that a user has typed, down to the view."""
    if accepts(hint, value):
        return
    for key, item in value.items() if isinstance(value, Mapping) else ():
        if not accepts(hint, {key: item}):
            raise SettingsError(f"{name}.{key}={short(item)} should be {described(hint)}.")
    raise SettingsError(f"{name}={short(value)} should be {described(hint)}.")


def _seeded(estimator: Any, seed: int, settings: Settings) -> Any:
    if not hasattr(estimator, "get_params"):
        return estimator
    chosen = {"__".join(path) for path in settings}
    states = {
        name: seed
        for name in estimator.get_params(deep=True)
        if name.split("__")[-1] == "random_state" and name not in chosen
    }
    return estimator.set_params(**states) if states else estimator


# -- text to values, and back ----------------------------------------------------------------------

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

"""From settings by name to an estimator, by the signatures alone: no code per method."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from inspect import Parameter, signature
from pathlib import Path
from reprlib import repr as short
from typing import Any

from manyviews.app.lookup import SettingsError, suggest
from manyviews.app.values import as_setting, parse_settings, parse_value
from manyviews.base import BaseMultiView, accepts, declared, described
from manyviews.data import refuse_absent
from manyviews.exceptions import FileFormatError
from manyviews.maths import Options

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

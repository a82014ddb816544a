"""From a name that a person types to a class: exported methods, scikit-learn's, third parties'."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from inspect import isclass
from pathlib import Path

from manyviews.registry import classes, estimators

OPEN_PACKAGES = ("manyviews", "sklearn")
"""Packages whose classes may be built from text by their full path."""


class SettingsError(ValueError):
    """Something was typed that names nothing that exists, or cannot be understood."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Say which known names are close to a mistyped one, as the end of a sentence.

    Examples
    --------
    >>> suggest("n_cluster", ["n_clusters", "tol"])
    "did you mean 'n_clusters'?"
    """
    names = list(known)
    by_lower = {other.lower(): other for other in names}
    near = get_close_matches(name.lower(), by_lower, n=3)
    if near:
        return f"did you mean {' or '.join(repr(by_lower[other]) for other in near)}?"
    return f"there are {', '.join(names)}." if names else "there are none."


def find_method(name: str) -> type:
    """Return the class of a method: an exported name, scikit-learn's, or ``package.module:Class``.

    Examples
    --------
    >>> find_method("PerView").__name__
    'PerView'
    >>> find_method("sklearn.cluster:KMeans").__name__
    'KMeans'
    """
    if ":" in name or "." in name:
        return _third_party(name)
    exported = estimators()
    if name in exported:
        return exported[name]
    foreign = _scikit_learn_classes()
    if name in foreign:
        return foreign[name]
    hint = suggest(name, [*exported, *foreign])
    raise SettingsError(
        f"there is no method {name!r}; "
        + (hint if hint.startswith("did you mean") else suggest(name, exported))
    )


def find_constructor(name: str) -> type:
    """Return a class that may be built from text, by short name or by full dotted path.

    Short names are those that our rooms export and those of scikit-learn's estimators; full paths
    must lead into one of these two packages.

    Examples
    --------
    >>> find_constructor("StandardScaler").__module__.split(".")[0]
    'sklearn'
    """
    if "." in name:
        return _by_path(name)
    exported = classes()
    if name in exported:
        return exported[name]
    foreign = _scikit_learn_classes()
    if name in foreign:
        return foreign[name]
    raise SettingsError(f"there is no class {name!r}; {_hint(name, [*exported, *foreign])}")


def import_from_here() -> None:
    """Let modules in the current folder be imported, as ``python -m`` does."""
    here = str(Path.cwd())
    if not {"", here} & set(sys.path):
        sys.path.insert(0, here)


def _hint(name: str, known: list[str]) -> str:
    text = suggest(name, known)
    if text.startswith("did you mean"):
        return text
    return "give a class that manyviews exports or a scikit-learn estimator."


def _third_party(name: str) -> type:
    module_name, _, class_name = name.rpartition(":" if ":" in name else ".")
    import_from_here()
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise SettingsError(
            f"the module of {name!r} cannot be imported ({error}); "
            "give the method as 'package.module:Class' and install its package."
        ) from error
    found = getattr(module, class_name, None)
    if not isclass(found):
        classes = [key for key, value in vars(module).items() if isclass(value)]
        raise SettingsError(
            f"there is no class {class_name!r} in {module_name!r}; {suggest(class_name, classes)}"
        )
    if not hasattr(found, "fit"):
        raise SettingsError(f"{name!r} has no fit and so is no method; name another class.")
    return found


def _by_path(name: str) -> type:
    module_name, _, class_name = name.rpartition(".")
    if name.split(".")[0] not in OPEN_PACKAGES:
        raise SettingsError(
            f"{name!r} is neither of manyviews nor of scikit-learn, and nothing else is built from "
            "text; use it from Python."
        )
    try:
        found = getattr(import_module(module_name), class_name, None)
    except ImportError as error:
        raise SettingsError(
            f"there is no module {module_name!r}; check the path {name!r}."
        ) from error
    if not isclass(found) or found.__module__.split(".")[0] not in OPEN_PACKAGES:
        raise SettingsError(f"{name!r} is not a class; check the path.")
    return found


@cache
def _scikit_learn_classes() -> dict[str, type]:
    from sklearn.utils.discovery import all_estimators

    return dict(all_estimators())

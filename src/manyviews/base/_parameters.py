"""Parameters are what their annotations say, or are refused in one sentence.

A constructor declares each parameter once, where it stands: ``n_clusters: Count = 8``,
``mode: Literal["pairwise", "centroid"] = "pairwise"``, ``gamma: ByView[Positive] = 0.01``. The
words are those of :mod:`manyviews.typing`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from inspect import signature
from operator import or_
from reprlib import Repr
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from manyviews.exceptions import ParameterError
from manyviews.maths import Options
from manyviews.typing import LARGEST, Having, Interval


class _OneLine(Repr):
    """Values in a few characters, arrays too without a line break."""

    def repr(self, value: Any) -> str:
        return " ".join(super().repr(value).split())


_SHORT = _OneLine()
_SHORT.maxstring = _SHORT.maxother = 60  # one line of a terminal has room for the sentence
_NUMBERS = {
    int: ((int, np.integer), "an integer"),
    float: ((int, float, np.integer, np.floating), "a number"),
}
_PLAIN = {
    bool: "True or False",
    str: "a string",
    types.NoneType: "None",
    np.ndarray: "an array",
    np.random.RandomState: "a RandomState",
    np.random.Generator: "a Generator",
}


def check_params(owner: Any) -> None:
    """Hold the parameters of an estimator, or of options, to the annotations of its constructor.

    Options among them (``affinity=RBF(gamma=1)``, also by view) are held to theirs.

    Raises
    ------
    ParameterError
        Naming the first parameter that is not what it should be, and what it should be.

    Examples
    --------
    >>> from manyviews.cluster import CoSphericalKMeans
    >>> check_params(CoSphericalKMeans(n_clusters=2.5))
    Traceback (most recent call last):
        ...
    manyviews.exceptions.ParameterError: n_clusters=2.5 should be an integer of at least 1.
    """
    cls: type = type(owner)
    of = f" of {cls.__name__}" if isinstance(owner, Options) else ""
    for name, hint in declared(cls).items():
        value = getattr(owner, name)
        place = _first_wrong(name, value, hint)
        if place is not None:
            where, wrong, expected = place
            raise ParameterError(
                f"{where}={_SHORT.repr(wrong)}{of} should be {described(expected)}"
                f"{_and_smaller(wrong)}."
            )
        for inside in _options_in(value):
            check_params(inside)


def check_argument(name: str, value: Any, hint: Any) -> None:
    """Hold an argument of a method or function to an annotation, as parameters are.

    Examples
    --------
    >>> from manyviews.typing import Count
    >>> check_argument("k", 0, Count)
    Traceback (most recent call last):
        ...
    manyviews.exceptions.ParameterError: k=0 should be an integer of at least 1.
    """
    if not accepts(hint, value):
        raise ParameterError(
            f"{name}={_SHORT.repr(value)} should be {described(hint)}{_and_smaller(value)}."
        )


def _and_smaller(value: Any) -> str:
    """Say what goes without saying of numbers that anyone would choose."""
    too_large = isinstance(value, float | np.floating) and LARGEST < abs(float(value)) < np.inf
    return f", and up to {LARGEST:g}" if too_large else ""


@cache
def declared(cls: type) -> dict[str, Any]:
    """Return what each parameter of a constructor may be, by name.

    Examples
    --------
    >>> from manyviews.cluster import CoSphericalKMeans
    >>> described(declared(CoSphericalKMeans)["tol"])
    'a number of at least 0'
    """
    # a dataclass inherits fields from other modules, whose names only the class resolves
    source = cls if is_dataclass(cls) else cls.__init__  # type: ignore[misc]
    hints = get_type_hints(source, include_extras=True)
    return {name: hints.get(name, Any) for name in signature(cls).parameters if name in hints}


def accepts(hint: Any, value: Any) -> bool:
    """Whether a value is what an annotation says.

    Examples
    --------
    >>> from manyviews.typing import Count
    >>> accepts(Count | None, 3), accepts(Count | None, 0), accepts(Count | None, True)
    (True, False, False)
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is Annotated:
        kind, *conditions = arguments
        return accepts(kind, value) and all(
            value in each for each in conditions if isinstance(each, Interval | Having)
        )
    if origin in (Union, types.UnionType):
        return any(accepts(each, value) for each in arguments)
    if origin is Literal:
        plain = value.item() if isinstance(value, np.generic) else value  # as of a grid of words
        return isinstance(plain, str | int | bool) and any(
            type(plain) is type(each) and plain == each for each in arguments
        )
    if hint in _NUMBERS:
        if not isinstance(value, _NUMBERS[hint][0]) or isinstance(value, bool | np.timedelta64):
            return False  # NumPy counts times among its integers
        return not isinstance(value, int | np.integer) or abs(int(value)) < 2**63
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray)
    if origin is Callable or hint is Callable:
        return callable(value) and not isinstance(value, type)
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return _is_sequence(value, Sequence, len(arguments)) and all(
            accepts(each, item) for each, item in zip(arguments, value, strict=True)
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            accepts(arguments[0], key) and accepts(arguments[1], item)
            for key, item in value.items()
        )
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return _is_sequence(value, origin) and all(accepts(arguments[0], item) for item in value)
    return isinstance(value, origin or hint)


def described(hint: Any) -> str:
    """Say what an annotation asks for, as the end of "should be …".

    Examples
    --------
    >>> from manyviews.typing import ByView, Positive, Share
    >>> described(Share | Literal["auto"])
    "a number from 0 to 1, or 'auto'"
    >>> described(ByView[Positive])
    'a number above 0, for all views or one for each in a list or dict'
    """
    one, others = _by_view(hint)
    if one is not None and not others:
        return f"{described(one)}, for all views or one for each in a list or dict"
    phrases = list(dict.fromkeys(_phrases(reduce(or_, others) if others else hint)))
    if one is not None:
        phrases.insert(0, f"{described(one)} for each view in a list or dict")
    if len(phrases) < 3:
        return ", or ".join(phrases)
    return f"{', '.join(phrases[:-1])}, or {phrases[-1]}"


def _phrases(hint: Any, beside: Sequence[Any] = ()) -> Iterator[str]:
    """Say each of the kinds that an annotation allows; ``beside`` are said in the same breath."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        for each in arguments:
            yield from _phrases(each, arguments)
    elif origin is Literal:
        yield from map(repr, arguments)
    elif origin is Annotated:
        kind, *conditions = arguments
        said = " ".join(str(each) for each in conditions)
        yield said if kind is Any else f"{next(_phrases(kind))} {said}"
    elif hint in _NUMBERS:
        yield _NUMBERS[hint][1]
    elif (origin or hint) in _PLAIN:
        yield _PLAIN[origin or hint]
    elif origin is Callable or hint is Callable:
        yield "a function"
    elif origin is tuple and arguments[-1:] != (Ellipsis,):
        yield f"a tuple of {' and '.join(described(each) for each in arguments)}"
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        if not arguments or arguments[1] is Any:
            yield "a dict"
        elif _all_in(arguments[1], beside):
            yield "a dict with one of these for each"
        else:
            yield f"a dict with {described(arguments[1])} for each"
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        if arguments[0] is Any:
            yield "a list"
        elif _all_in(arguments[0], beside):
            yield "a list of these"
        else:
            yield f"a list of which each is {described(arguments[0])}"
    else:
        name = (origin or hint).__name__
        yield f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _by_view(hint: Any) -> tuple[Any, list[Any]]:
    """What each view may have, if a list or dict may say so, and what else may be given.

    Nothing else if it is what each view may have, as ``ByView`` says it; None if not by view.
    """
    arguments = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else ()
    each = [get_args(kind)[-1] for kind in arguments if get_origin(kind) in (list, Mapping)]
    if len(each) != 2 or each[0] != each[1]:
        return None, []
    others = [kind for kind in arguments if get_origin(kind) not in (list, Mapping)]
    return each[0], [] if others and reduce(or_, others) == each[0] else others


def _all_in(hint: Any, kinds: Sequence[Any]) -> bool:
    """Whether all that an annotation allows is among these kinds."""
    union = get_origin(hint) in (Union, types.UnionType)
    return all(each in kinds for each in (get_args(hint) if union else (hint,)))


def _first_wrong(where: str, value: Any, hint: Any) -> tuple[str, Any, Any] | None:
    """Where the first value stands that its annotation refuses, that value and what it may be."""
    if accepts(hint, value):
        return None
    one, _ = _by_view(hint)
    named = dict(enumerate(value)) if isinstance(value, list) else value
    if one is not None and isinstance(named, Mapping):
        for key, item in named.items():
            if not accepts(one, item):
                return f"{where}[{key!r}]", item, one
    return where, value, hint


def _is_sequence(value: Any, kind: type, length: int | None = None) -> bool:
    listed = isinstance(value, list | tuple | range if kind is Sequence else kind) or (
        kind is Sequence and isinstance(value, np.ndarray) and value.ndim == 1
    )
    return listed and (length is None or len(value) == length)


def _options_in(value: Any) -> Iterator[Options]:
    """Options among the parameters, alone or by view; estimators check themselves in ``fit``."""
    if isinstance(value, Options):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _options_in(item)

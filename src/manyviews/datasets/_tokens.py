"""Bags of tokens in two views, with as much dependency as one wants [@ando2007]."""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._bags import bag_of_tokens
from manyviews.datasets._sizes import check_between, check_size, check_switch
from manyviews.maths import generator
from manyviews.typing import IntArray, RandomState

MOST_CLASSES = 100_000
"""The lists of the classes are drawn one by one, some ten thousand in a second."""


def make_token_views(
    n_objects: int = 30_000,
    n_classes: int = 10,
    vocabulary: int = 1000,
    class_vocabulary: int = 500,
    n_tokens: tuple[int, int] = (7, 7),
    *,
    consecutive: bool = False,
    dependency: float = 0.0,
    super_classes: bool = False,
    random_state: RandomState = None,
) -> Dataset:
    """Two bags of tokens per object, drawn from token lists that belong to its class.

    Each view has its own vocabulary, and each class a random list from it in each view. An object
    has a random class and ``n_tokens`` tokens from the two lists of that class: independently
    drawn, or consecutive ones from a random place on, which makes tokens of a view depend on
    each other: [@ando2007], section 4.2.1.

    Symbols
    -------
    s → ``vocabulary``; t → ``class_vocabulary``; q₁, q₂ → ``n_tokens``; K → ``n_classes``;
    r → ``dependency``; T → the lists; p → the place where consecutive tokens start.

    Deviations
    ----------
    The paper gives neither s nor t nor q. The defaults were chosen so that the supervised accuracy
    it reports, 23 % with 100 labels on naive Bayes data, comes out: scikit-learn's
    ``LogisticRegression()`` on the two bags side by side, trained on the first 100 objects and
    tested on the next 1000, reaches 22.9 % on average over the seeds 0 to 9 (standard deviation
    2.8), while EM with multinomials on all 30,000 objects comes to 100 % (seeds 0 to 2), near
    which the paper is too. Independent tokens are drawn with replacement. With another number of
    classes, the second view pairs each class with the one half that number further on.

    Parameters
    ----------
    n_objects : int
        How many objects.
    n_classes : int
        How many classes; even and at least 4 with ``super_classes``.
    vocabulary : int
        How many tokens a view has in all.
    class_vocabulary : int
        How many of them are in the list of a class, drawn without repetition.
    n_tokens : (int, int)
        How many tokens an object has in each view.
    consecutive : bool
        Draw consecutive tokens (around the end of the list to its start) instead of independent
        ones: the data that are not naive Bayes.
    dependency : float
        Probability that both views start at the same place of their lists, which makes them
        depend on each other even when the class is known; needs ``consecutive``.
    super_classes : bool
        Let pairs of classes share a list: 1 & 2, 3 & 4, … in the first view and, with 10 classes,
        1 & 6, 2 & 7, … in the second, so that only both views together tell the class.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first`` and ``second``, sparse counts of shape (n_objects, vocabulary); ``y`` from
        0 to ``n_classes - 1``. With ``super_classes``, ``extra`` has the super class in each view
        under ``"first"`` and ``"second"``.

    Examples
    --------
    >>> views, y = make_token_views(100, vocabulary=50, class_vocabulary=10, random_state=0)
    >>> views["first"].shape, float(views["first"].sum())
    ((100, 50), 700.0)
    """
    n_objects = check_size(n_objects, "n_objects")
    consecutive = check_switch(consecutive, "consecutive")
    super_classes = check_switch(super_classes, "super_classes")
    n_classes = _check_classes(n_classes, super_classes=super_classes)
    vocabulary = check_size(vocabulary, "vocabulary")
    class_vocabulary = _check_class_vocabulary(class_vocabulary, vocabulary)
    counts = _check_tokens(n_tokens)
    dependency = _check_dependency(dependency, consecutive=consecutive)
    rng = generator(random_state)
    labels = rng.integers(n_classes, size=n_objects)
    groups = _list_of_each(labels, n_classes) if super_classes else (labels, labels)
    if consecutive:
        places = _consecutive_places(n_objects, class_vocabulary, counts, dependency, rng)
    else:
        places = [rng.integers(class_vocabulary, size=(n_objects, count)) for count in counts]
    matrices = {}
    for name, group, place in zip(("first", "second"), groups, places, strict=True):
        lists = _token_lists(n_classes, vocabulary, class_vocabulary, rng)
        matrices[name] = bag_of_tokens(lists[group[:, np.newaxis], place], vocabulary)
    extra = dict(zip(matrices, groups, strict=True)) if super_classes else {}
    return Dataset(Views(matrices), labels, extra=extra, name="token_views")


def _list_of_each(labels: IntArray, n_classes: int) -> tuple[IntArray, IntArray]:
    """Super classes: neighbours in the first view, classes half the number apart in the second."""
    return labels // 2, labels % (n_classes // 2)


def _consecutive_places(
    n_objects: int,
    class_vocabulary: int,
    counts: tuple[int, int],
    dependency: float,
    rng: np.random.Generator,
) -> list[IntArray]:
    starts = rng.integers(class_vocabulary, size=(2, n_objects))
    tied = rng.random(n_objects) < dependency
    starts[1, tied] = starts[0, tied]
    return [
        (start[:, np.newaxis] + np.arange(count)) % class_vocabulary
        for start, count in zip(starts, counts, strict=True)
    ]


def _token_lists(
    n_classes: int, vocabulary: int, class_vocabulary: int, rng: np.random.Generator
) -> IntArray:
    """For each class, tokens drawn without repetition; classes may share some."""
    return np.stack(
        [rng.choice(vocabulary, class_vocabulary, replace=False) for _ in range(n_classes)]
    )


def _check_classes(n_classes: int, *, super_classes: bool) -> int:
    if not super_classes:
        return check_size(n_classes, "n_classes", minimum=2, maximum=MOST_CLASSES)
    return check_size(n_classes, "n_classes", minimum=4, maximum=MOST_CLASSES, multiple_of=2)


def _check_class_vocabulary(class_vocabulary: int, vocabulary: int) -> int:
    class_vocabulary = check_size(class_vocabulary, "class_vocabulary")
    if class_vocabulary > vocabulary:
        raise ValueError(
            f"class_vocabulary={class_vocabulary} is larger than vocabulary={vocabulary}, from "
            "which it is drawn without repetition; make it smaller."
        )
    return class_vocabulary


def _check_tokens(n_tokens: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(n_tokens, tuple | list) or len(n_tokens) != 2:
        raise ValueError(f"n_tokens={n_tokens!r} cannot be used; give one number for each view.")
    first, second = (check_size(count, "each of n_tokens") for count in n_tokens)
    return first, second


def _check_dependency(dependency: float, *, consecutive: bool) -> float:
    dependency = check_between(dependency, "dependency", 0.0, 1.0)
    if dependency > 0 and not consecutive:
        raise ValueError(
            f"dependency={dependency:g} ties the places where consecutive tokens start; "
            "set consecutive=True, or dependency=0."
        )
    return dependency

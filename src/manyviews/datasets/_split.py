"""Views made from one matrix by dealing out its features at random [@bickel2005]."""

from __future__ import annotations

import numpy as np

from manyviews.data import Views
from manyviews.datasets._sizes import check_size
from manyviews.exceptions import NumberOfViewsError, ViewsError
from manyviews.maths import generator
from manyviews.typing import RandomState, ViewsLike


def split_features(X: ViewsLike, n_views: int = 2, random_state: RandomState = None) -> Views:
    """Deal the features of one matrix out at random to several views.

    This makes views where nature gives none, as in section 5 of [@bickel2005]: every feature
    goes to exactly one view, and no view gets more than one feature more than another.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Views of one view
        One row per object.
    n_views : int
        How many views to make, at most one per feature.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Views
        Views ``view0``, ``view1``, … of the same kind as the matrix. Inside a view the features
        keep their order and their names; without names they are called ``x0``, ``x1``, … after
        their column, so that one can see where they went. Object names and gaps are kept.

    Examples
    --------
    >>> import numpy as np
    >>> views = split_features(np.arange(10.0).reshape(2, 5), 2, random_state=0)
    >>> {name: list(features) for name, features in views.feature_names.items()}
    {'view0': ['x2', 'x3', 'x4'], 'view1': ['x0', 'x1']}
    """
    whole = X if isinstance(X, Views) else Views(X)
    if whole.n_views != 1:
        raise NumberOfViewsError(
            f"X has {whole.n_views} views ({', '.join(map(repr, whole.names))}) and one is split "
            "at a time; choose it with views.subset([...])."
        )
    source = whole.names[0]
    matrix = whole[source]
    n_features = int(matrix.shape[1])
    n_views = check_size(n_views, "n_views")
    if n_views > n_features:
        raise ViewsError(
            f"view {source!r} has {n_features} features, which cannot be dealt out to {n_views} "
            "views; ask for fewer views."
        )
    default = np.array([f"x{column}" for column in range(n_features)], dtype=object)
    features = whole.feature_names.get(source, default)
    dealt = np.array_split(generator(random_state).permutation(n_features), n_views)
    columns = {f"view{position}": np.sort(part) for position, part in enumerate(dealt)}
    return Views(
        {name: matrix[:, own] for name, own in columns.items()},
        observed=np.repeat(whole.observed, n_views, axis=1),
        feature_names={name: features[own] for name, own in columns.items()},
        sample_ids=whole.sample_ids,
    )

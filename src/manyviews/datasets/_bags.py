"""Drawn tokens as counts."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.typing import IntArray


def bag_of_tokens(tokens: IntArray, vocabulary: int) -> sparse.csr_array:
    """Count the tokens of each object; places are 32-bit, as some of scikit-learn's methods want.

    Examples
    --------
    >>> bag_of_tokens(np.array([[0, 2, 2], [1, 1, 0]]), 3).toarray()
    array([[1., 0., 2.],
           [1., 2., 0.]])
    """
    n_objects, count = tokens.shape
    ends = np.arange(0, n_objects * count + 1, count, dtype=np.int32)
    parts = np.ones(tokens.size), tokens.ravel().astype(np.int32), ends
    bag = sparse.csr_array(parts, shape=(n_objects, vocabulary))
    bag.sum_duplicates()
    return bag

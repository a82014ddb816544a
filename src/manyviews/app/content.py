"""What a loaded model holds, looked at before compiled code takes it for granted.

A file without code can still hurt: an index beyond its array ends the process, a tree that leads
back to itself never ends. So every sparse matrix is checked, every tree, and every object of ours
that says how: by a method ``check_indices`` that raises a ``ValueError``. A search tree of
scikit-learn's is built again from its rows. What cannot be checked is not trusted in the first
place (:mod:`manyviews.app.model`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import sparse_fault
from manyviews.typing import AnyArray

SEARCH_TREES = {"sklearn.neighbors._ball_tree", "sklearn.neighbors._kd_tree"}
"""Where they are defined."""


def checked(model: Any) -> Any:
    """Return the model, its search trees built anew; raise ValueError if an index in it is wild."""
    return _Inspection().of(model)


class _Inspection:
    """One walk over everything that a model holds; what was seen is not looked at again."""

    def __init__(self) -> None:
        self.results: dict[int, Any] = {}
        self.kept: list[Any] = []  # so that no number of ``id`` is given twice

    def of(self, value: Any) -> Any:
        """Check a value and all that it holds; return it, or what is to stand in its place."""
        if value is None or isinstance(value, str | bytes | int | float | complex | type):
            return value
        if id(value) not in self.results:
            self.kept.append(value)
            self.results[id(value)] = value  # for what leads back to it
            self.results[id(value)] = self._looked_at(value)
        return self.results[id(value)]

    def _looked_at(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                self._renew(value.ravel(), range(value.size))
            return value
        if isinstance(value, Mapping):
            self._renew(value, list(value))
        elif isinstance(value, list):
            self._renew(value, range(len(value)))
        elif isinstance(value, tuple | set | frozenset):
            return self._renewed(value)
        elif sparse.issparse(value):
            _check_sparse(value)
        elif _is_search_tree(value):
            return _rebuilt(value)
        else:
            self._renew(getattr(value, "__dict__", {}), list(getattr(value, "__dict__", {})))
            _check_object(value)
        return value

    def _renew(self, holder: Any, keys: Any) -> None:
        for key in keys:
            found = holder[key]
            renewed = self.of(found)
            if renewed is not found:
                holder[key] = renewed

    def _renewed(self, values: Any) -> Any:
        """A tuple or set with its members looked at; itself if they stay as they are."""
        members = list(values)
        renewed = [self.of(member) for member in members]
        if all(new is old for new, old in zip(renewed, members, strict=True)):
            return values
        make = getattr(type(values), "_make", type(values))  # a named tuple has its own way
        return make(renewed)


def _check_sparse(matrix: Any) -> None:
    if matrix.format not in {"csr", "csc", "coo", "bsr"}:
        raise ValueError(f"a sparse matrix is stored as {matrix.format}, which no model of ours is")
    fault = sparse_fault(matrix)
    if fault is not None:
        raise ValueError(f"a sparse matrix has {fault}")


def _check_object(value: Any) -> None:
    from joblib import cpu_count
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.ensemble import BaseEnsemble
    from sklearn.metrics import DistanceMetric
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
    from sklearn.tree import BaseDecisionTree

    if hasattr(type(value), "check_indices"):
        value.check_indices()
    elif isinstance(value, DistanceMetric):
        raise ValueError("a distance stands outside of a search tree, where it cannot be checked")
    elif hasattr(value, "children_left") and hasattr(value, "node_count"):  # a tree by itself
        check_tree(value)
    elif isinstance(value, BaseDecisionTree) and hasattr(value, "tree_"):
        _check_same_features([value.tree_.n_features], [value.n_features_in_])
    elif isinstance(value, BaseEnsemble) and hasattr(value, "estimators_"):
        _check_ensemble(value)
    elif isinstance(value, SVC | SVR | NuSVC | NuSVR | OneClassSVM) and hasattr(value, "support_"):
        _check_support_vectors(value)
    elif isinstance(value, OneHotEncoder) and hasattr(value, "categories_"):
        _check_categories(value)
    elif hasattr(value, "_fit_X"):
        _check_neighbors(value)
    elif isinstance(value, KMeans | MiniBatchKMeans) and hasattr(value, "cluster_centers_"):
        _check_width(value, value.cluster_centers_)
        value._n_threads = cpu_count()  # OpenMP ends the process for -1 or 10**6


# -- scikit-learn's trees ------------------------------------------------------------------------


def check_tree(tree: Any) -> None:
    """Refuse a decision tree that leads astray: every child comes after its only parent."""
    n_nodes, left, right = tree.node_count, tree.children_left, tree.children_right
    inner = np.flatnonzero(left != -1)
    children = np.concatenate([left[inner], right[inner]])
    parents = np.concatenate([inner, inner])
    if (
        n_nodes < 1
        or (children <= parents).any()
        or (children >= n_nodes).any()
        or (np.bincount(children, minlength=1) > 1).any()
    ):
        raise ValueError("a decision tree has a branch that leads out of it or back")
    features = tree.feature[inner]
    if ((features < 0) | (features >= tree.n_features)).any():
        raise ValueError(f"a decision tree asks for another feature than its {tree.n_features}")
    if _depth(left, right) > tree.max_depth:
        raise ValueError("a decision tree is deeper than it says")


def _depth(left: AnyArray, right: AnyArray) -> int:
    level, depth = np.array([0]), 0
    while len(level := level[left[level] != -1]):
        level, depth = np.concatenate([left[level], right[level]]), depth + 1
    return depth


def _check_ensemble(ensemble: Any) -> None:
    """Members that are trees get rows as the ensemble takes them, or the columns it chooses."""
    from sklearn.tree import BaseDecisionTree

    members = np.asarray(ensemble.estimators_, dtype=object).ravel()
    chosen = getattr(ensemble, "estimators_features_", None)
    widths = [ensemble.n_features_in_] * len(members) if chosen is None else list(map(len, chosen))
    if all(isinstance(member, BaseDecisionTree) for member in members):
        _check_same_features([member.n_features_in_ for member in members], widths)


def _check_same_features(found: list[int], expected: list[int]) -> None:
    if found != expected:
        raise ValueError("a decision tree has other features than what it is a part of")


def _is_search_tree(value: Any) -> bool:
    """Whether it is a KDTree or BallTree; those of single precision have no public name."""
    return type(value).__module__ in SEARCH_TREES


def _rebuilt(tree: Any) -> Any:
    """The same search tree, of its rows only: where its nodes point to cannot be trusted."""
    from sklearn.metrics import DistanceMetric

    _, _, _, _, leaf_size, *_, metric, weights = tree.__getstate__()
    if not isinstance(metric, DistanceMetric) or not isinstance(leaf_size, int):
        raise ValueError("a search tree has no distance")
    rows = np.asarray(tree.data)
    return type(tree)(rows, leaf_size=leaf_size, metric=metric, sample_weight=weights)


# -- what other compiled code of scikit-learn's trusts -------------------------------------------


def _check_support_vectors(machine: Any) -> None:
    """LIBSVM computes with these lengths; scikit-learn keeps some of the arrays twice."""
    from sklearn.base import is_classifier

    held: dict[str, list[Any]] = {}
    for name, value in vars(machine).items():
        held.setdefault(name.strip("_"), []).append(value)
    (support,), (counts,) = held["support"], held["n_support"]
    n_vectors, n_sides = len(support), len(counts)
    n_pairs = n_sides * (n_sides - 1) // 2
    is_precomputed = machine.kernel == "precomputed"
    shapes: dict[str, set[tuple[int, ...]]] = {
        "support_vectors": {(0, 0) if is_precomputed else (n_vectors, machine.n_features_in_)},
        "dual_coef": {(n_sides - 1, n_vectors)},
        "intercept": {(n_pairs,)},
        "probA": {(0,), (n_pairs,)},
        "probB": {(0,), (n_pairs,)},
    }
    fits = all(array.shape in shapes[name] for name in shapes for array in held.get(name, []))
    inside = not n_vectors or 0 <= support.min() <= support.max() < machine.shape_fit_[0]
    counted = counts.min() >= 0 and counts.sum() <= n_vectors  # of classes: others have none
    if not (fits and inside and (counted or not is_classifier(machine)) and "impl" not in held):
        raise ValueError("a support vector machine has arrays that do not fit together")


def _check_neighbors(model: Any) -> None:
    """There are rows to compare with, as wide as new ones, and each has a target of its own."""
    rows, targets = model._fit_X, getattr(model, "_y", None)
    _check_width(model, rows)
    classes = getattr(model, "classes_", None)
    if not rows.shape[0] or (targets is not None and len(targets) != rows.shape[0]):
        raise ValueError(f"a {type(model).__name__} has not one target for each of its rows")
    if targets is None or classes is None:
        return
    listed = classes if isinstance(classes, list) else [classes]  # one for each output
    for codes, names in zip(targets.reshape(len(targets), -1).T, listed, strict=True):
        if not _all_below(codes, len(names)):
            raise ValueError(f"a {type(model).__name__} has targets of no class")


def _check_width(model: Any, rows: Any) -> None:
    if rows.ndim != 2 or rows.shape[1] != model.n_features_in_:
        raise ValueError(f"a {type(model).__name__} keeps rows of other features than it takes")


def _check_categories(encoder: Any) -> None:
    """The columns of what it returns are counted beforehand and filled by these codes."""
    n_features = len(encoder.categories_)
    none = [None] * n_features
    grouped = encoder._infrequent_enabled
    rare = encoder._infrequent_indices if grouped else none
    codes = encoder._default_to_infrequent_mappings if grouped else none
    dropped = encoder._drop_idx_after_grouping
    widths = []
    for names, few, new, drop in zip(
        encoder.categories_, rare, codes, none if dropped is None else dropped, strict=True
    ):
        n_codes = len(names) if few is None else len(names) - len(few) + 1
        if new is not None and not (len(new) == len(names) and _all_below(new, n_codes)):
            raise ValueError("a one-hot encoder has codes of no category")
        if drop is not None and not 0 <= drop < n_codes:
            raise ValueError("a one-hot encoder drops what is no category")
        widths.append(n_codes - (drop is not None))
    if encoder._n_features_outs != widths:
        raise ValueError("a one-hot encoder has other columns than categories")


def _all_below(codes: AnyArray, n_codes: int) -> bool:
    return bool(codes.min(initial=0) >= 0 and codes.max(initial=0) < n_codes)

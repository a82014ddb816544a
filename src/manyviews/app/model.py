"""Fitted models in files that hold data, not code: skops, with a short list of trusted types.

From the top: saving and loading; which types are trusted; archives and their damage; the content
of a loaded model, checked.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import version
from inspect import isclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from scipy import sparse

from manyviews._version import __version__
from manyviews.data import check_size, refuse_absent, replaced_file, sparse_fault
from manyviews.exceptions import FileFormatError
from manyviews.typing import AnyArray

FORMAT = 1
"""Version of what is saved; files with a higher one are refused."""

NOTE = "manyviews.json"
"""The member of the archive that tells the format and the versions; skops passes over it."""

SCHEMA = "schema.json"
"""The member in which skops describes all others."""

CSR_TYPES = ("scipy.sparse._csr.csr_array", "scipy.sparse._csr.csr_matrix")

CLOSED_PARTS = {"app", "testing", "__main__", "externals", "datasets", "tests", "conftest"}
"""Parts of trusted packages whose classes do things when they are built."""

CHECKED = {
    "sklearn.tree._tree.Tree",
    *(f"sklearn.neighbors._kd_tree.KDTree{bits}" for bits in ("", "32", "64")),
    *(f"sklearn.neighbors._ball_tree.BallTree{bits}" for bits in ("", "32", "64")),
}
"""Compiled types that use numbers from the file as addresses, and whose content is checked."""

UNCHECKED = {
    "sklearn.cluster._bisect_k_means.BisectingKMeans",
    "sklearn.decomposition._lda.LatentDirichletAllocation",
    "sklearn.ensemble._gb.GradientBoostingClassifier",
    "sklearn.ensemble._gb.GradientBoostingRegressor",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
}
"""Types that hand numbers from the file to compiled code, which nobody checks."""

MEMORY_OF_JSON = 20
"""Bytes that Python's objects may take for one byte of JSON: an empty dict is 64 for three."""


class UntrustedTypeError(FileFormatError):
    """A model file holds objects of types that are not known to be harmless."""


def save_model(model: Any, path: str | os.PathLike[str], *, allow_pickle: bool = False) -> None:
    """Save a fitted model in a ``.skops`` file, or in a ``.pkl`` file if that is allowed.

    The file appears only when it is complete, and only if it can be read back.

    Parameters
    ----------
    model : estimator
        A method of ours, scikit-learn's, a pipeline of them, or a third party's.
    path : path
        Ends in ``.skops``; or in ``.pkl``, a format that runs code when it is loaded.
    allow_pickle : bool
        Whether a ``.pkl`` file may be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from manyviews import MergeViews
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(MergeViews().fit([[1.0], [2.0]]), Path(folder) / "model.skops")
    ...     load_model(Path(folder) / "model.skops").transform([[3.0]])
    array([[3.]])
    """
    target = Path(path)
    if _is_pickle(target):
        _refuse_pickle(target, allow_pickle)
        data = pickle.dumps({"format": FORMAT, "versions": versions(), "model": model})
    else:
        data = _packed(model)
    with replaced_file(target) as temporary:
        temporary.write_bytes(data)


def load_model(
    path: str | os.PathLike[str],
    trust: Iterable[str] = (),
    allow_pickle: bool = False,
    *,
    max_bytes: int | None = None,
) -> Any:
    """Load a model that :func:`save_model` saved.

    Neither code nor wild indices come in by a ``.skops`` file: types are trusted by name, and what
    compiled code relies on is checked. A file that was damaged is refused. Whether the model is a
    good one, nobody can tell: one that was forged with care can give wrong answers, or fail with
    an error of any kind when it is asked.

    Parameters
    ----------
    path : path
        A ``.skops`` or ``.pkl`` file.
    trust : iterable of str
        Full names of further types that the file may hold, such as ``package.module.Class``.
    allow_pickle : bool
        Whether a ``.pkl`` file may be loaded, which runs whatever code is in it.
    max_bytes : int, optional
        How much memory its content may take, as in :func:`manyviews.read`.

    Returns
    -------
    estimator
        The fitted model.
    """
    source = Path(path)
    refuse_absent(source)
    if _is_pickle(source):
        _refuse_pickle(source, allow_pickle)
        return _unpickled(source)
    data = source.read_bytes()
    _check_size(data, source, max_bytes)
    _check_format(_note(data, source).get("format"), source)
    refused = sorted(set(_foreign_types(data, source)) - set(trust))
    if refused:
        raise UntrustedTypeError(
            f"{source} holds objects of the type {refused[0]}"
            + (f" and of {len(refused) - 1} more ({', '.join(refused[1:])})" * (len(refused) > 1))
            + ", not trusted to be harmless; if you know where the file comes from, allow it: "
            + " ".join(f"--trust {name}" for name in refused)
            + "."
        )
    return _unpacked(data, source)


def foreign_types(path: str | os.PathLike[str]) -> list[str]:
    """Return the types in a model file that loading it must be told to trust."""
    source = Path(path)
    return [] if _is_pickle(source) else _foreign_types(source.read_bytes(), source)


# -- types that are trusted ------------------------------------------------------------------------


def is_trusted(name: str) -> bool:
    """Whether a type is trusted without asking: ours, scikit-learn's, NumPy's scalars, CSR.

    The name must be that of a class where it is defined: a module also has other names in it, and
    skops would call whatever they stand for. Of scikit-learn's compiled classes only those are
    trusted whose content is checked.

    Examples
    --------
    >>> is_trusted("manyviews.data.views.Layout"), is_trusted("manyviews.registry.import_module")
    (True, False)
    """
    if name in CSR_TYPES:
        return True
    module_name, _, class_name = name.rpartition(".")
    parts = module_name.split(".")
    if parts[0] not in ("manyviews", "sklearn", "numpy") or name in UNCHECKED:
        return False
    if CLOSED_PARTS & set(parts) or "_testing" in parts:
        return False
    try:
        module = import_module(module_name)
    except ImportError:  # no such module, hence no such type
        return False
    found = getattr(module, class_name, None)
    if not isclass(found) or found.__module__ != module_name:
        return False
    if parts[0] == "sklearn" and not str(module.__file__).endswith(".py"):
        return name in CHECKED or _is_distance(found)
    return parts[0] != "numpy" or _is_numpy_scalar(found)


def _is_distance(found: type) -> bool:
    """Whether a type is a distance, which the search tree around it checks."""
    from sklearn.metrics import DistanceMetric

    return issubclass(found, DistanceMetric)


def _is_numpy_scalar(found: type) -> bool:
    return issubclass(found, np.generic | np.dtype)


# -- archives --------------------------------------------------------------------------------------


def _packed(model: Any) -> bytes:
    import skops.io

    try:
        buffer = io.BytesIO(skops.io.dumps(model))
        with ZipFile(buffer, "a") as archive:
            note = {"format": FORMAT, "versions": versions(), "members": _checksums(archive)}
            archive.writestr(NOTE, json.dumps(note))
        data = buffer.getvalue()
        checked(skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data)))  # our own
    except Exception as error:  # skops passes on whatever an object's own code raises
        raise FileFormatError(
            f"{type(model).__name__} cannot be saved without pickle ({_brief(error)}); "
            "allow it with --allow-pickle if whoever loads the model trusts you."
        ) from error
    return data


def _unpacked(data: bytes, source: Path) -> Any:
    import skops.io

    try:
        return checked(skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data)))
    except ImportError as error:
        raise FileFormatError(
            f"{source} needs a module that cannot be imported ({_brief(error)}); install it."
        ) from error
    except Exception as error:  # damaged contents fail in whatever reads them
        raise _damaged(source, error) from error


def _foreign_types(data: bytes, source: Path) -> list[str]:
    import skops.io

    try:
        asked = skops.io.get_untrusted_types(data=data)
        with ZipFile(io.BytesIO(data)) as archive:
            held = {f"{n.get('__module__')}.{n.get('__class__')}" for n in _nodes(archive)}
    except Exception as error:  # skops checks little of what it reads
        raise _damaged(source, error) from error
    return sorted({name for name in asked if not is_trusted(name)} | (held & UNCHECKED))


def _check_size(data: bytes, source: Path, max_bytes: int | None) -> None:
    """Refuse what would grow too much: members are read as often as they are named."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            size = MEMORY_OF_JSON * sum(archive.getinfo(m).file_size for m in (SCHEMA, NOTE))
            check_size(source, size, max_bytes)
            for node in _nodes(archive):
                if "file" in node:
                    size += _member_size(archive, node)
                    check_size(source, size, max_bytes)
    except FileFormatError:
        raise
    except Exception as error:  # a damaged archive fails anywhere
        raise _damaged(source, error) from error


def _member_size(archive: ZipFile, node: Mapping[str, Any]) -> int:
    info = archive.getinfo(node["file"])
    if node.get("__loader__") != "SparseMatrixNode":
        return info.file_size
    with archive.open(info) as member, ZipFile(member) as inner:
        return info.file_size + sum(part.file_size for part in inner.infolist())


def _nodes(archive: ZipFile) -> Iterator[dict[str, Any]]:
    """All that the schema of an archive describes."""
    waiting = [json.loads(archive.read(SCHEMA))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
        inner = node.values() if isinstance(node, dict) else node
        waiting.extend(each for each in inner if isinstance(each, dict | list))


def _note(data: bytes, source: Path) -> dict[str, Any]:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            note, found = json.loads(archive.read(NOTE)), _checksums(archive)
    except Exception as error:  # a damaged archive fails anywhere
        raise _damaged(source, error) from error
    if not isinstance(note, dict):
        return {}
    if note.get("members", found) != found:  # files of before have none
        raise FileFormatError(
            f"{source} is not as it was saved: it is damaged, or was edited; fit it again."
        )
    return note


def _checksums(archive: ZipFile) -> dict[str, int]:
    """Checksum of each member, which zip compares when it is read; but for the note itself."""
    return {info.filename: info.CRC for info in archive.infolist() if info.filename != NOTE}


def _unpickled(source: Path) -> Any:
    try:
        content = pickle.loads(source.read_bytes())  # noqa: S301 (asked for by allow_pickle)
        found, model = content["format"], content["model"]
    except OSError:
        raise
    except Exception as error:  # unpickling runs any code, which raises anything
        raise _damaged(source, error) from error
    _check_format(found, source)
    return model


def _check_format(found: Any, source: Path) -> None:
    if not isinstance(found, int) or found < 1:
        raise FileFormatError(f"{source} is damaged or not a model of ours; fit it again.")
    if found > FORMAT:
        raise FileFormatError(
            f"{source} is of format {found} and this version of manyviews ({__version__}) reads "
            f"formats up to {FORMAT}; install a newer manyviews."
        )


def _is_pickle(path: Path) -> bool:
    if path.suffix not in (".skops", ".pkl"):
        raise FileFormatError(f"{path} should end in .skops or .pkl to be a model; rename it.")
    return path.suffix == ".pkl"


def _refuse_pickle(path: Path, allow_pickle: bool) -> None:
    if not allow_pickle:
        raise FileFormatError(
            f"{path} is a pickle, which runs code when it is loaded; if you trust who wrote it, "
            "allow it with --allow-pickle."
        )


def _damaged(source: Path, error: Exception) -> FileFormatError:
    return FileFormatError(
        f"{source} is damaged or not a model of ours ({_brief(error)}); fit it again."
    )


def _brief(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(" .:")
    return text if len(text) <= 200 else f"{text[:200]}…"


PACKAGES = ("numpy", "scipy", "scikit-learn", "skops")


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of those it computes with.

    Examples
    --------
    >>> sorted(versions())
    ['manyviews', 'numpy', 'python', 'scikit-learn', 'scipy', 'skops']
    """
    found = {"python": platform.python_version(), "manyviews": __version__}
    return found | {name: version(name) for name in PACKAGES}


# -- the content of a loaded model, looked at before compiled code takes it for granted ------------
#
# A file without code can still hurt: an index beyond its array ends the process, a tree that leads
# back to itself never ends. So every sparse matrix is checked, every tree, and every object of ours
# that says how: by a method ``check_indices`` that raises a ``ValueError``. A search tree of
# scikit-learn's is built again from its rows. What cannot be checked is not trusted in the first
# place (``UNCHECKED``).

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

"""Fitted models in files that hold data, not code: skops, with a short list of trusted types."""

from __future__ import annotations

import io
import json
import os
import pickle
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from inspect import isclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from manyviews._version import __version__
from manyviews.app.content import checked
from manyviews.app.versions import versions
from manyviews.data import check_size, refuse_absent, replaced_file
from manyviews.exceptions import FileFormatError

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
    import numpy as np

    return issubclass(found, np.generic | np.dtype)


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
    """What each member should be, which zip compares when it is read; but for the note itself."""
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

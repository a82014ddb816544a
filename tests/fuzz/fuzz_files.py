"""Files of views with damage: of bytes, and of what the bytes stand for."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from anndata import AnnData
from fuzz_damage import WILD, damaged_archive, damaged_array, damaged_bytes
from fuzz_judge import Case
from scipy import sparse

from manyviews import MergeViews, Views, read, write

KINDS = (
    "own.npz",
    "foreign.npz",
    "own.h5mu",
    "cells.h5ad",
    "csv",
    "parquet",
    "svmlight",
    "tables",
)
COUNT = 250 * len(KINDS)


@cache
def _intact() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="intact"))
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.poisson(0.4, size=(30, 12)).astype(float))
    dense = rng.normal(size=(30, 4))
    views = Views(
        {"dense": dense, "counts": counts, "gaps": [*rng.normal(size=(28, 2)), None, None]},
        feature_names={"dense": ["a", "b", "c", "d"]},
        sample_ids=[f"object {i}" for i in range(30)],
    )
    y = ["ja", "nein", None] * 10
    for name in ("own.npz", "own.h5mu"):
        write(views, folder / name, y=y)
    write(views, folder / "csv", y=y)
    write(views, folder / "parquet", y=y, format="parquet")
    write(views, folder / "svmlight", y=y, format="svmlight")
    parts = {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr}
    np.savez(
        folder / "foreign.npz",
        view_dense=dense,
        y=np.arange(30) % 2,
        ids=np.arange(30),
        view_counts_shape=counts.shape,
        **{f"view_counts_{name}": part for name, part in parts.items()},
    )
    cells = AnnData(counts, layers={"dense": counts.toarray()})
    cells.obs_names, cells.obs["kind"] = [f"object {i}" for i in range(30)], y
    cells.write_h5ad(folder / "cells.h5ad")
    shutil.copytree(folder / "csv", folder / "tables")
    shutil.copy(folder / "parquet" / "dense.parquet", folder / "tables" / "again.parquet")
    for name in ("views.toml", "observed.csv", "counts.svmlight"):
        (folder / "tables" / name).unlink()
    text = (folder / "csv" / "gaps.csv").read_text()
    (folder / "tables" / "gaps.csv").write_text(text.replace(",", ";"))
    return folder


def case(number: int) -> Case:
    """The file and the damage of a number."""
    rng = np.random.default_rng([16, number])
    kind = KINDS[number % len(KINDS)]

    def act() -> None:
        with tempfile.TemporaryDirectory() as scratch:
            source, target = _intact() / kind, Path(scratch) / kind
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
            _damage(rng, target)
            _use(*read(target, labels="kind" if kind == "cells.h5ad" else None))

    return Case(f"{kind} with damage {number}", act)


def _damage(rng: np.random.Generator, target: Path) -> None:
    if target.is_dir():
        files = sorted(path for path in target.rglob("*") if path.is_file())
        target = files[int(rng.integers(len(files)))]
    if target.suffix == ".npz" and rng.random() < 0.7:
        target.write_bytes(damaged_archive(rng, target.read_bytes()))
    elif target.suffix in (".h5mu", ".h5ad") and rng.random() < 0.7:
        _damage_group(rng, target)
    elif target.suffix in (".csv", ".svm", ".toml") and rng.random() < 0.7:
        target.write_text(_damaged_text(rng, target.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        target.write_bytes(damaged_bytes(rng, target.read_bytes()))


def _damage_group(rng: np.random.Generator, target: Path) -> None:
    """Change one dataset or attribute of an HDF5 file, or put something else in its place."""
    with h5py.File(target, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = str(rng.choice(names))
        found = file[name]
        attributes = list(found.attrs)
        if attributes and rng.random() < 0.2:
            found.attrs[str(rng.choice(attributes))] = rng.choice([-1.0, 1e18])
            return
        values = found[()] if isinstance(found, h5py.Dataset) else np.arange(3)
        del file[name]
        match int(rng.integers(5)):
            case 0:
                file[name] = h5py.SoftLink("/nowhere")
            case 1:
                file[name] = h5py.ExternalLink("/etc/passwd", "/")
            case 2:
                file.create_group(name)
            case 3:
                pass
            case _ if np.asarray(values).dtype.kind in "iufb":
                changed = damaged_array(rng, values)
                file[name] = np.zeros(3) if changed.dtype.kind in "UM" else changed
            case _:
                file[name] = rng.bytes(5)


def _damaged_text(rng: np.random.Generator, text: str) -> str:
    """Change one word of a text file."""
    words = (
        "",
        "nan",
        "inf",
        "-1",
        str(WILD[int(rng.integers(len(WILD)))]),
        "1e999",
        "ä",
        '"',
        "\n",
    )
    pieces = text.replace(",", " , ").split(" ")
    pieces[int(rng.integers(len(pieces)))] = words[int(rng.integers(len(words)))]
    return " ".join(pieces).replace(" , ", ",")


def _use(views: Views, y: Any) -> None:
    """Touch every number of what was read."""
    np.asarray(views)
    for name in views.names:
        views[name] @ np.ones(views[name].shape[1])
    views[::-1].concatenate()
    MergeViews().fit_transform(views)
    with tempfile.TemporaryDirectory() as folder:
        write(views, Path(folder) / "again.npz", y=y)

"""Writes the files of format version 1 that every later release must read; run it never again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from manyviews import Dataset, Views, write

FILES = {"version_1.npz": "auto", "version_1.h5mu": "auto", "version_1": "auto"}
FILES |= {"version_1_parquet": "parquet"}


def dataset() -> Dataset:
    """Four objects, two views, a gap of each kind, an object seen in no view."""
    text = sparse.csr_array(np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, 0.1], [0, 0, 0]]))
    views = Views(
        {"text": text, "sensors/left": np.float32([[0.1, 2], [np.nan, -0.0], [3, 4], [5, 6]])},
        observed=np.array([[1, 1], [1, 1], [1, 0], [0, 0]], dtype=bool),
        feature_names={"text": ["naïve", "price", "a,b"]},
        sample_ids=["ann", "bob", "cem", "dör"],
    )
    extra = {"split": np.array([0, 0, 1, 1], dtype=np.int8), "wide": np.eye(4, 2)}
    y = np.array(["news", None, "sport", None], dtype=object)
    return Dataset(views, y, ("news", "sport"), extra, "four")


if __name__ == "__main__":
    for name, view_format in FILES.items():
        write(dataset(), Path(__file__).with_name(name), format=view_format)

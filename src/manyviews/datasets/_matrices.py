"""Reading the data sets that are matrices: views, single views, kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manyviews.data import Dataset, Views, read
from manyviews.datasets._corpora import as_codes
from manyviews.datasets._digits import load_digits_views
from manyviews.datasets._home import DataHome
from manyviews.datasets._registry import DatasetInfo, expect_kind, find_files


def load_matrix(name: str, *, data_home: DataHome = None) -> Dataset:
    """Read a data set of one view, such as the smaller sets of the UCI repository.

    They are sonar, ionosphere, pima, vertebral3, balance_scale, bupa, wine and
    breast_cancer_wisconsin; make two views of one with :func:`split_features`. Some are sorted by
    class and some code missing values as zeros: ``info(name).description`` tells.

    Parameters
    ----------
    name : str
        Which data set.
    data_home : path, optional
        The data folder: see :func:`get_data_home`.

    Returns
    -------
    Dataset
        With the one view ``X``.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("sonar").views
    {'X': 60}
    >>> views, y = datasets.load_matrix("sonar")  # doctest: +SKIP
    """
    return _load(expect_kind(name, "matrix"), data_home)


def load_views(name: str, *, data_home: DataHome = None) -> Dataset:
    """Read a data set of several views."""
    entry = expect_kind(name, "views")
    if name == "digits_views":
        return load_digits_views()
    dataset = _load(entry, data_home)
    return _three_of_phonemes(dataset) if name == "phonemes" else dataset


def load_kernels(name: str, *, data_home: DataHome = None) -> Dataset:
    """Read precomputed kernels; each view is one, objects by objects."""
    return _load(expect_kind(name, "kernels"), data_home)


def _load(entry: DatasetInfo, data_home: DataHome) -> Dataset:
    (path,) = find_files(entry, data_home).values()
    dataset = read(path)
    if not dataset.label_names:
        y, label_names = as_codes(np.asarray(dataset.y))
        return replace(dataset, name=entry.name, y=y, label_names=label_names)
    return replace(dataset, name=entry.name, y=np.asarray(dataset.y, dtype=np.int64))


def _three_of_phonemes(dataset: Dataset) -> Dataset:
    """Keep one view of each kind; the file has the acoustics three times over."""
    given, extra = dataset.views, dict(dataset.extra)
    views = given.subset(["acoustic", "context", "articulatory"])
    coefficients = [f"c{number}" for number in range(given["acoustic"].shape[1])]
    extra["acoustic_var"] = given["acoustic_var"]
    extra["acoustic_states"] = given["acoustic_states"].reshape(len(given), 3, 3, -1)
    named = Views(views, feature_names={"acoustic": coefficients}, sample_ids=extra.pop("phoneme"))
    return replace(dataset, views=named, extra=extra)

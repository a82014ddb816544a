"""One door to all data sets: whatever the kind, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from manyviews.data import Dataset
from manyviews.datasets._corpora import ParallelCorpus, SequenceSet, TaggedCorpus
from manyviews.datasets._home import DataHome
from manyviews.datasets._matrices import load_kernels, load_matrix, load_views
from manyviews.datasets._registry import Kind, info
from manyviews.datasets._text import load_parallel, load_sequences, load_tagged

Loaded: TypeAlias = Dataset | TaggedCorpus | ParallelCorpus | SequenceSet

_BY_KIND: dict[Kind, Callable[..., Loaded]] = {
    "views": load_views,
    "matrix": load_matrix,
    "kernels": load_kernels,
    "tagged": load_tagged,
    "parallel": load_parallel,
    "sequences": load_sequences,
}


def load(name: str, *, data_home: DataHome = None, **options: Any) -> Loaded:
    """Read a data set by its name, after checking its files against their checksums.

    Nothing is downloaded: the original sources keep their data in other forms than the one read
    here. ``info(name)`` says what the views are, what to beware of (many sets are sorted by class:
    shuffle), whom to cite, the licence and the source.

    Parameters
    ----------
    name : str
        One of those that :func:`available` lists.
    data_home : path, optional
        The data folder: see :func:`get_data_home`.
    **options
        Of the kind of data: ``split`` for a tagged corpus, ``languages`` for a parallel one.

    Returns
    -------
    Dataset, TaggedCorpus, ParallelCorpus or SequenceSet
        By the kind of the data set: a Dataset for views, a single matrix and kernels. Where a view
        is missing for some objects it is unobserved; ``views.drop_unobserved()`` keeps the others.

    Raises
    ------
    DatasetNotFoundError
        When its files are not in the data folder.
    FileFormatError
        When a file is not the one that was registered.

    Examples
    --------
    >>> from manyviews import datasets
    >>> digits = datasets.load("digits_views")
    >>> len(digits.views), digits.views.names
    (1797, ('pixels', 'fourier', 'profiles'))
    """
    return _BY_KIND[info(name).kind](name, data_home=data_home, **options)

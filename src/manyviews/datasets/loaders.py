"""One door to all data sets: whatever the kind, by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from manyviews.data import Dataset, Views, read
from manyviews.datasets.catalogue import DataHome, DatasetInfo, Kind, expect_kind, find_files, info
from manyviews.datasets.corpora import (
    ParallelCorpus,
    SequenceSet,
    TaggedCorpus,
    as_codes,
    load_parallel,
    load_sequences,
    load_tagged,
)
from manyviews.typing import FloatArray

Loaded: TypeAlias = Dataset | TaggedCorpus | ParallelCorpus | SequenceSet


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


def load_bbc(*, data_home: DataHome = None) -> Dataset:
    """BBC news articles cut into four segments: raw counts of terms, views missing by nature.

    2225 articles in 5 classes. A short article has fewer than four segments, and its other views
    are unobserved; 685 articles have all four. Rows are sorted by class: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("bbc").views
    {'seg1': 4659, 'seg2': 4633, 'seg3': 4665, 'seg4': 4684}
    >>> views, y = datasets.load_bbc()  # doctest: +SKIP
    """
    return load_views("bbc", data_home=data_home)


def load_bbcsport(*, data_home: DataHome = None) -> Dataset:
    """BBC Sport articles cut into two segments: raw counts of terms, views missing by nature.

    737 articles in 5 classes. 644 are observed in ``seg1``, 637 in ``seg2``, 544 in both. Rows are
    sorted by class: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("bbcsport").views
    {'seg1': 3183, 'seg2': 3203}
    >>> views, y = datasets.load_bbcsport()  # doctest: +SKIP
    """
    return load_views("bbcsport", data_home=data_home)


def load_bbcsport4(*, data_home: DataHome = None) -> Dataset:
    """BBC Sport articles cut into four segments, those only that have all of them.

    116 articles in 5 uneven classes (tennis has 5 articles). Rows are sorted by class: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("bbcsport4").views
    {'seg1': 1991, 'seg2': 2063, 'seg3': 2113, 'seg4': 2158}
    >>> views, y = datasets.load_bbcsport4()  # doctest: +SKIP
    """
    return load_views("bbcsport4", data_home=data_home)


def load_citeseer(*, data_home: DataHome = None) -> Dataset:
    """Papers of Citeseer: which words they use and which papers they cite.

    3312 papers in 6 classes. Columns of ``cites`` are the papers in the order of the rows, so
    choose rows with care: the columns stay. Papers that cite none of the others have an empty row,
    which counts as observed.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("citeseer").views
    {'words': 3703, 'cites': 3312}
    >>> views, y = datasets.load_citeseer()  # doctest: +SKIP
    """
    return load_views("citeseer", data_home=data_home)


def load_cora(*, data_home: DataHome = None) -> Dataset:
    """Papers on machine learning: which words they use and which papers they cite.

    2708 papers in 7 classes. Columns of ``cites`` are the papers in the order of the rows, so
    choose rows with care: the columns stay. Papers that cite none of the others have an empty row,
    which counts as observed.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("cora").views
    {'words': 1433, 'cites': 2708}
    >>> views, y = datasets.load_cora()  # doctest: +SKIP
    """
    return load_views("cora", data_home=data_home)


def load_course(*, data_home: DataHome = None) -> Dataset:
    """Web pages of computer-science departments: text of the page, and of links to it.

    1051 pages, 230 of them of courses. Weights, with rows of unit length, not counts. Five pages
    have an empty row in ``link`` and five in ``page``, which count as observed. Rows are sorted by
    class: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("course").views
    {'link': 1840, 'page': 3000}
    >>> views, y = datasets.load_course()  # doctest: +SKIP
    """
    return load_views("course", data_home=data_home)


def load_football_kernels(*, data_home: DataHome = None) -> Dataset:
    """Football players and clubs on Twitter: nine precomputed kernels, the last close to noise.

    248 objects in 20 classes; each view is a kernel, objects by objects, ``kernel0`` to
    ``kernel8`` since their meaning is not documented. The file numbers the classes from 1 to 20:
    ``y`` counts from 0 and ``label_names`` hold those numbers. Choosing rows leaves all columns:
    choose the columns of the training objects yourself.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("football_kernels").views
    {'kernel0': 248, 'kernel1': 248, 'kernel2': 248, 'kernel3': 248, 'kernel4': 248,
     'kernel5': 248, 'kernel6': 248, 'kernel7': 248, 'kernel8': 248}
    >>> views, y = datasets.load_football_kernels()  # doctest: +SKIP
    """
    return load_kernels("football_kernels", data_home=data_home)


def load_kumar_synthetic2(*, data_home: DataHome = None) -> Dataset:
    """Points of two clusters in three views of two features: Kumar's "synthetic data 2" itself.

    1000 points; :func:`manyviews.datasets.make_kumar2` draws from the densities that the thesis
    prints, from which this file differs.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("kumar_synthetic2").views
    {'x1': 2, 'x2': 2, 'x3': 2}
    >>> views, y = datasets.load_kumar_synthetic2()  # doctest: +SKIP
    """
    return load_views("kumar_synthetic2", data_home=data_home)


def load_leaves100(*, data_home: DataHome = None) -> Dataset:
    """Leaves of a hundred plant species: margin, shape and texture.

    1600 leaves, 16 of each species. The texture of the first leaf is unobserved (it does not exist
    in the source). Rows are sorted by class: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("leaves100").views
    {'margin': 64, 'shape': 64, 'texture': 64}
    >>> views, y = datasets.load_leaves100()  # doctest: +SKIP
    """
    return load_views("leaves100", data_home=data_home)


def load_mfeat(*, data_home: DataHome = None) -> Dataset:
    """Handwritten digits as six sets of features (UCI Multiple Features).

    2000 digits, 200 of each. Rows are sorted by class: shuffle. Scales differ widely between the
    views: standardise.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("mfeat").views
    {'fou': 76, 'fac': 216, 'kar': 64, 'pix': 240, 'zer': 47, 'mor': 6}
    >>> views, y = datasets.load_mfeat()  # doctest: +SKIP
    """
    return load_views("mfeat", data_home=data_home)


def load_nutrimouse(*, data_home: DataHome = None) -> Dataset:
    """Mice on five diets: expression of genes and fatty acids in the liver.

    40 mice; ``y`` is the diet, ``extra["y_genotype"]`` the genotype (0 PPAR-alpha deficient,
    1 wild type), by which rows are sorted.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("nutrimouse").views
    {'gene': 120, 'lipid': 21}
    >>> views, y = datasets.load_nutrimouse()  # doctest: +SKIP
    """
    return load_views("nutrimouse", data_home=data_home)


def load_phonemes(*, data_home: DataHome = None) -> Dataset:
    """English phonemes: how they sound, what follows them, how they are made.

    39 phonemes in 8 families, one of which has a single member. ``extra`` has variances, the
    states of the acoustic model, counts and IPA symbols.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("phonemes").views
    {'acoustic': 13, 'context': 40, 'articulatory': 24}
    >>> views, y = datasets.load_phonemes()  # doctest: +SKIP
    """
    return load_views("phonemes", data_home=data_home)


def load_protein_fold12(*, data_home: DataHome = None) -> Dataset:
    """Protein domains of 27 folds in twelve views, each an embedding of unknown making.

    694 domains. ``extra["test"]`` marks the usual test rows, ``extra["test_in_train"]`` those of
    them that repeat a training sequence. Likely embedded with the test rows, so results are
    transductive; scales differ by four orders of magnitude. Sorted by class within both parts.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("protein_fold12").views
    {'C': 27, 'S': 27, 'H': 27, 'V': 27, 'P': 27, 'Z': 27, 'L1': 27, 'L4': 27, 'L14': 27,
     'L30': 27, 'SW1': 27, 'SW2': 27}
    >>> views, y = datasets.load_protein_fold12()  # doctest: +SKIP
    """
    return load_views("protein_fold12", data_home=data_home)


def load_protein_fold_seq(*, data_home: DataHome = None) -> Dataset:
    """Protein domains of 27 folds: amino-acid composition and four physical properties.

    694 domains. ``extra["test"]`` marks the usual test rows, ``extra["test_in_train"]`` those of
    them that repeat a training sequence: drop them for a clean comparison. Sorted by class within
    both parts.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("protein_fold_seq").views
    {'composition': 20, 'hydrophobicity': 21, 'volume': 21, 'polarity': 21,
     'polarizability': 21}
    >>> views, y = datasets.load_protein_fold_seq()  # doctest: +SKIP
    """
    return load_views("protein_fold_seq", data_home=data_home)


def load_pubmed(*, data_home: DataHome = None) -> Dataset:
    """Papers on diabetes: weighted words, and links by citation in either direction.

    19717 papers in 3 classes. Columns of ``links`` are the papers in the order of the rows, so
    choose rows with care: the columns stay.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("pubmed").views
    {'words': 500, 'links': 19717}
    >>> views, y = datasets.load_pubmed()  # doctest: +SKIP
    """
    return load_views("pubmed", data_home=data_home)


def load_reuters5_600(*, data_home: DataHome = None) -> Dataset:
    """News in English and their machine translations into four languages.

    600 documents, 100 in each of 6 numbered classes, in blocks of one class: shuffle. Very common
    terms have negative weights: clip or drop them where a method needs non-negative input.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("reuters5_600").views
    {'EN': 21531, 'FR': 24893, 'GR': 34279, 'IT': 15506, 'SP': 11547}
    >>> views, y = datasets.load_reuters5_600()  # doctest: +SKIP
    """
    return load_views("reuters5_600", data_home=data_home)


def load_tcga_breast(*, data_home: DataHome = None) -> Dataset:
    """Breast tumours of three subtypes: micro-RNA, messenger RNA and proteins.

    220 tumours. The 70 of ``extra["test"]`` have no protein view: it is unobserved, and that goes
    with the split. Sorted by class within both parts: shuffle.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("tcga_breast").views
    {'mirna': 184, 'mrna': 200, 'protein': 142}
    >>> views, y = datasets.load_tcga_breast()  # doctest: +SKIP
    """
    return load_views("tcga_breast", data_home=data_home)


def load_three_sources(*, data_home: DataHome = None) -> Dataset:
    """News stories as told by BBC, Guardian and Reuters, views missing by nature.

    416 stories in 6 topics, called ``3sources`` in :func:`load`. A source that did not report a
    story is unobserved: 352, 302 and 294 stories are told by each, 169 by all three.
    ``extra["y_multilabel"]`` holds overlapping topics.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("3sources").views
    {'bbc': 3560, 'guardian': 3631, 'reuters': 3068}
    >>> views, y = datasets.load_three_sources()  # doctest: +SKIP
    """
    return load_views("3sources", data_home=data_home)


def load_webkb(*, data_home: DataHome = None) -> Dataset:
    """Web pages of four universities: which words they use and which pages they link to.

    877 pages in 5 uneven classes; ``extra["university"]`` tells the university (0 Cornell, 1 Texas,
    2 Washington, 3 Wisconsin), by which rows are ordered. Columns of ``cites`` are the pages in the
    order of the rows, so choose rows with care: the columns stay. No link leaves a university.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("webkb").views
    {'words': 1703, 'cites': 877}
    >>> views, y = datasets.load_webkb()  # doctest: +SKIP
    """
    return load_views("webkb", data_home=data_home)


def load_wiki_uai2010(*, data_home: DataHome = None) -> Dataset:
    """Pages of Wikipedia: which words they use and links in either direction.

    3067 pages in 19 unnamed classes, one of nine pages. A smaller, binary, undirected version of
    the Wikipedia set that papers use: not to be quoted as that one.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("wiki_uai2010").views
    {'words': 4973, 'links': 3067}
    >>> views, y = datasets.load_wiki_uai2010()  # doctest: +SKIP
    """
    return load_views("wiki_uai2010", data_home=data_home)


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


def load_digits_views() -> Dataset:
    """Scikit-learn's 1797 digits of 8 × 8 pixels as pixels, Fourier magnitudes and profiles.

    ``pixels`` are the 64 grey values from 0 to 16; ``fourier`` the 34 magnitudes of
    :func:`fourier_magnitudes`, which do not change when a digit is moved round the edges;
    ``profiles`` the sums of the 8 rows and of the 8 columns. The last two are computed from the
    first, so the views are neither independent nor complementary in what they know: the set is for
    showing and testing, not for judging methods. Needs no files and no network.

    Returns
    -------
    Dataset
        1797 objects, about 180 in each of ten classes, in no order.

    Examples
    --------
    >>> from manyviews.datasets import load_digits_views
    >>> views, y = load_digits_views()
    >>> views.names, views.layout.widths
    (('pixels', 'fourier', 'profiles'), (64, 34, 16))
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    views = Views(
        {
            "pixels": digits.data,
            "fourier": fourier_magnitudes(digits.images),
            "profiles": row_and_column_sums(digits.images),
        },
        feature_names={
            "pixels": digits.feature_names,
            "fourier": [f"frequency_{row}_{column}" for row, column in kept_frequencies()],
            "profiles": [f"{line}_{index}" for line in ("row", "column") for index in range(8)],
        },
    )
    label_names = tuple(str(digit) for digit in digits.target_names)
    return Dataset(views, digits.target.astype(np.int64), label_names, name="digits_views")


def kept_frequencies(size: int = 8) -> list[tuple[int, int]]:
    """Frequencies (row, column) of which no two are conjugates in an even-sized real image.

    Of a real image F[-u, -v] is the conjugate of F[u, v]. So of the columns only 0 to size/2 are
    kept, and in columns 0 and size/2, which are conjugate to themselves, only rows 0 to size/2:
    34 of the 64 magnitudes of an 8 × 8 image. The others repeat one of these.
    """
    half = size // 2
    return [
        (row, column)
        for row in range(size)
        for column in range(half + 1)
        if column not in (0, half) or row <= half
    ]


def fourier_magnitudes(images: FloatArray) -> FloatArray:
    """Magnitudes of the 2-D discrete Fourier transform, each distinct one once."""
    rows, columns = np.array(kept_frequencies(images.shape[1])).T
    return np.abs(np.fft.rfft2(images))[:, rows, columns]


def row_and_column_sums(images: FloatArray) -> FloatArray:
    """Ink in each row from the top, then in each column from the left."""
    return np.hstack([images.sum(axis=2), images.sum(axis=1)])


_BY_KIND: dict[Kind, Callable[..., Loaded]] = {
    "views": load_views,
    "matrix": load_matrix,
    "kernels": load_kernels,
    "tagged": load_tagged,
    "parallel": load_parallel,
    "sequences": load_sequences,
}

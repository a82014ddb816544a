"""Handwritten digits that come with scikit-learn, seen in three ways."""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.typing import FloatArray


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

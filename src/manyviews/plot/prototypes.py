"""Clusters of several clusterings as images, one row of small ones for each clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyviews.plot._shared import new_figure
from manyviews.typing import FloatArray


class PrototypesDisplay:
    """Rows of images: the mean of each cluster, clustering by clustering.

    Parameters
    ----------
    images : mapping of sequences of 2-D arrays
        By the name of a clustering: one image per cluster.
    captions : mapping of sequences of str, optional
        By the same names: a word or number under each image.
    title : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
        After :meth:`plot`.
    axes_ : array of matplotlib Axes, clusterings × clusters
        After :meth:`plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> PrototypesDisplay({"pixels": [np.eye(3), np.ones((3, 3))]}).plot().axes_.shape
    (1, 2)
    """

    figure_: Any
    axes_: Any

    def __init__(
        self,
        images: Mapping[str, Sequence[FloatArray]],
        *,
        captions: Mapping[str, Sequence[str]] | None = None,
        title: str = "",
    ) -> None:
        self.images = images
        self.captions = captions
        self.title = title

    def plot(self, *, figure: Any = None) -> PrototypesDisplay:
        """Draw into a figure, a new one by default."""
        width = max(len(row) for row in self.images.values())
        if figure is None:
            figure = new_figure(1.6 + 0.75 * width, 0.5 + 1.05 * len(self.images))
        axes = figure.subplots(len(self.images), width, squeeze=False)
        for row, (name, images) in zip(axes, self.images.items(), strict=True):
            for place, ax in enumerate(row):
                ax.set_axis_off()
                if place < len(images):
                    ax.imshow(images[place], cmap="Greys")
                    ax.set_title(self._caption(name, place), y=-0.32, fontsize="small")
            row[0].text(-0.15, 0.5, name, transform=row[0].transAxes, ha="right", va="center")
        figure.suptitle(self.title, fontsize="medium")
        self.figure_, self.axes_ = figure, axes
        return self

    def _caption(self, name: str, place: int) -> str:
        return self.captions[name][place] if self.captions is not None else ""

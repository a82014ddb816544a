"""Any scikit-learn transformer, applied to each view on the objects that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from manyviews.base import BaseMultiViewTransformer, Labels, MultiViewTags, ViewTags, split_labelled
from manyviews.data import Layout, Views, in_row_order, per_view, spread_rows
from manyviews.exceptions import UnobservedViewsError
from manyviews.typing import AnyArray, BoolArray, ByView, Having, Matrix, ViewsLike, is_sparse

PASSTHROUGH: Literal["passthrough"] = "passthrough"
Transformer: TypeAlias = (
    Annotated[Any, Having("a transformer", "fit_transform", "transform")] | Literal["passthrough"]
)


class PerView(BaseMultiViewTransformer):
    """Apply a transformer to each view and give views back: the first step of a pipeline.

    A clone is fitted to each view, on the objects observed in it; names, presence mask and
    sample ids stay as they are. Transformers that learn from labels see the labelled objects only.

    Parameters
    ----------
    transformer : transformer, "passthrough", list or dict
        One for all views, a list with one per view, or a dict by view name.

    Attributes
    ----------
    transformers_ : dict
        The fitted transformer of each view, or ``"passthrough"``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    output_layout_ : Layout
        The same for the views that ``transform`` gives.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> from manyviews import PerView, Views
    >>> views = Views({"size": [[1.0], [3.0], None], "colour": np.eye(3)})
    >>> scaled = PerView({"size": StandardScaler(), "colour": "passthrough"}).fit_transform(views)
    >>> scaled["size"].ravel()
    array([-1.,  1., nan])
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, missing_cells=True)

    transformers_: dict[str, Any]
    output_layout_: Layout

    def __init__(self, transformer: ByView[Transformer] = PASSTHROUGH) -> None:
        self.transformer = transformer

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # the result is a Views, not an array
        return tags

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.preprocessing import MaxAbsScaler

        yield cls()
        yield cls(MaxAbsScaler())

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Fit one transformer per view, on the objects observed in it."""
        self._fit_each(X, y)
        return self

    def fit_transform(self, X: ViewsLike, y: Any = None) -> Views:  # type: ignore[override]
        """Fit, then transform the same objects (by each transformer's own ``fit_transform``)."""
        self._refuse_other_order(X, y)
        views, outputs = self._fit_each(X, y)
        return self._gather(views, outputs)

    def transform(self, X: ViewsLike) -> Views:
        """Transform each view; what is unobserved stays so."""
        views = self._new_views(X)
        outputs = {}
        for name, matrix in views.items():
            seen = views.observed_in(name)
            if seen.any():
                outputs[name] = _apply(self.transformers_[name], _rows(matrix, seen))
        return self._gather(views, outputs)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns of all views side by side: ``view__feature``."""
        return self.output_layout_.column_names()

    def _fit_each(self, X: ViewsLike, y: Any) -> tuple[Views, dict[str, Matrix]]:
        views = self._fit_views(X)
        y = in_row_order(y, views.sample_ids)
        labels = None if y is None else split_labelled(y)
        given = per_view(self.transformer, views.names, parameter="transformer")
        outputs, self.transformers_ = {}, {}
        for name, transformer in given.items():
            _refuse_unobserved(name, views)
            seen = views.observed_in(name)
            self.transformers_[name], outputs[name] = _fit_one(
                transformer, _rows(views[name], seen), _of_rows(y, seen), labels, seen
            )
        self.output_layout_ = Layout(
            views.names,
            tuple(int(outputs[name].shape[1]) for name in views.names),
            self._features_out(views.layout),
        )
        return views, outputs

    def _features_out(self, layout: Layout) -> dict[str, AnyArray]:
        features = {}
        for name, transformer in self.transformers_.items():
            given = layout.feature_names.get(name)
            if transformer == PASSTHROUGH:
                names = given
            elif hasattr(transformer, "get_feature_names_out"):
                names = transformer.get_feature_names_out(given)
            else:
                names = None
            if names is not None:
                features[name] = np.asarray(names, dtype=object)
        return features

    def _gather(self, views: Views, outputs: dict[str, Matrix]) -> Views:
        layout = self.output_layout_
        matrices = {
            name: _spread(outputs.get(name), views.observed_in(name), layout.width(name))
            for name in views.names
        }
        return Views(
            matrices,
            observed=views.observed,
            feature_names=layout.feature_names,
            sample_ids=views.sample_ids,
        )


def _refuse_unobserved(name: str, views: Views) -> None:
    if not views.observed_in(name).any():
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object and teaches nothing; leave it out."
        )


def _fit_one(
    transformer: Any, rows: Matrix, targets: Any, labels: Labels | None, seen: BoolArray
) -> tuple[Any, Matrix]:
    if transformer == PASSTHROUGH:
        return PASSTHROUGH, rows
    fitted = clone(transformer)
    if labels is None or not _learns_from_labels(fitted):
        return fitted, _as_output(fitted.fit_transform(rows))
    labelled = labels.labelled[seen]
    if labelled.all():
        return fitted, _as_output(fitted.fit_transform(rows, targets))
    fitted.fit(rows[labelled], targets[labelled])
    return fitted, _apply(fitted, rows)


def _learns_from_labels(transformer: Any) -> bool:
    """Whether labels matter to it; univariate selectors do not say so in their tags."""
    return get_tags(transformer).target_tags.required or hasattr(transformer, "score_func")


def _apply(transformer: Any, rows: Matrix) -> Matrix:
    return rows if transformer == PASSTHROUGH else _as_output(transformer.transform(rows))


def _as_output(result: Any) -> Matrix:
    return sparse.csr_array(result) if is_sparse(result) else np.asarray(result)


def _rows(matrix: Matrix, seen: BoolArray) -> Matrix:
    return matrix if seen.all() else matrix[seen]


def _of_rows(y: Any, seen: BoolArray) -> Any:
    return None if y is None else np.asarray(y)[seen]


def _spread(rows: Matrix | None, seen: BoolArray, width: int) -> Matrix:
    """Put the observed rows back at their places."""
    if rows is None:
        return np.full((len(seen), width), np.nan)
    return rows if seen.all() else spread_rows(rows, np.flatnonzero(seen), len(seen))

"""Ways to spoil a good toy: wrapped methods, changed views, changed answers."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from contract_toys import ToyCentroidClassifier, ToyCrossCovariance, ToyKMeans, ToyProjection
from scipy.sparse import issparse

from manyviews.data import Views

KMEANS = ToyKMeans(random_state=0)
CLASSIFIER = ToyCentroidClassifier()
PROJECTION = ToyProjection(n_components=2)
ADDITIVE = ToyCrossCovariance()

COUNTER = itertools.count()


def mutant(toy, **changes):
    """Return a toy some methods of which are wrapped; a change gets self, the old method, and
    its arguments."""
    kind = type(toy)

    def wrap(name, change):
        def method(self, *args, **options):
            return change(self, getattr(super(made, self), name), *args, **options)

        return method

    methods = {name: wrap(name, change) for name, change in changes.items()}
    made = type(f"Bad{kind.__name__}", (kind,), methods)
    return made(**toy.get_params(deep=False))


def giving(spoil):
    """A change that reads its views through ``spoil``."""
    return lambda self, old, X, *y: old(spoil(X), *y)


def saying(spoil):
    """A change that gives its answer through ``spoil``."""
    return lambda self, old, X, *rest: spoil(old(X, *rest))


def blind_in(toy, spoil, *methods):
    """A toy that spoils its views in ``fit`` and in the methods named."""
    return mutant(toy, **dict.fromkeys(("fit", *methods), giving(spoil)))


def afterwards(do):
    """A change to ``fit`` that does something in the end."""

    def fit(self, old, X, *y):
        old(X, *y)
        do(self)
        return self

    return fit


def each(spoil):
    """Spoil each array of a dict, list or tuple of arrays."""

    def spoilt(X):
        if isinstance(X, dict):
            return {name: spoil(view) for name, view in X.items()}
        return [spoil(view) for view in X] if isinstance(X, list | tuple) else X

    return spoilt


def arrays(spoil):
    """Spoil each dense array of floats in a dict."""
    return each(lambda view: spoil(view) if isinstance(view, np.ndarray) else view)


def last_is(value):
    """Put something else into the last view."""

    def spoilt(X):
        if not isinstance(X, dict):
            return X
        name = list(X)[-1]
        return {**X, name: np.full_like(X[name], value)}

    return spoilt


def with_views(spoil):
    """Spoil what is not a Views already, and that by way of a Views."""
    return lambda X: spoil(X if isinstance(X, Views) else Views(X))


def mask_forgotten(X):
    sparse = isinstance(X, Views) and all(issparse(matrix) for _, matrix in X.items())
    return dict(X.items()) if sparse else X


def holes_filled(views):
    return {name: np.nan_to_num(matrix) for name, matrix in views.items()}


def only_when(condition, spoil):
    """A change to an answer, or to a fit, under a condition on the views."""
    return lambda self, old, X, *rest: spoil(old(X, *rest)) if condition(X) else old(X, *rest)


def fails_when(condition):
    """A change that breaks down under a condition on the views."""

    def method(self, old, X, *rest):
        if condition(X):
            raise RuntimeError("broken")
        return old(X, *rest)

    return method


def is_dict_where(condition):
    return lambda X: isinstance(X, dict) and any(condition(view) for view in X.values())


def is_multimodal(X):
    return hasattr(X, "mod")


def is_frame(X):
    return hasattr(X, "columns")


def plus_rows(answer):
    return answer + np.arange(len(answer))[:, None]


def plus_one(answer):
    return answer + 1


def write_into(X):
    if isinstance(X, dict):
        next(iter(X.values()))[0] = 0.0
    return X


def touch(X):
    if isinstance(X, dict):
        for view in X.values():
            view *= 1.0
    return X


def fitted_shift(self, old, X, *y):
    old(X, *y)
    self._shift = next(COUNTER)
    return self


def asked(self, old, X):
    self._asked = getattr(self, "_asked", 0) + 1
    return old(X) + self._asked


def keep_names(self, old, X, *y):
    kept = getattr(self, "view_names_", None)
    old(X, *y)
    self.view_names_ = self.view_names_ if kept is None else kept
    return self


def remember(self, old, X, *y):
    before = hasattr(self, "axes_")
    old(X, *y)
    self.axes_ = {name: axes * (2.0 if before else 1.0) for name, axes in self.axes_.items()}
    return self


def nonsense_is_the_default(self, old, X, *y):
    if not isinstance(self.n_components, int):
        self.n_components = 1
    return old(X, *y)


def only_int_seeds(self, old, X, *y):
    if not isinstance(self.random_state, int):
        raise TypeError("no int")
    return old(X, *y)


def by_first_view(pick):
    """Let one view alone decide what the projection gives."""

    def transform(self, old, X):
        views = self._new_views(X)
        name = pick(views.names)
        return self._standardised(name, views[name]) @ self.axes_[name].T

    return transform


def centred_on_first(self, old, X, *y):
    old(X, *y)
    for name, (_, spread) in self.moments_.items():
        self.moments_[name] = next(iter(Views(X)[:1].subset([name]).items()))[1][0], spread
    return self


def plus_first_feature(self, old, X):
    return old(X) + np.asarray(Views(X))[:, :1]


def plus_last_digit(self, old, X):
    return old(X) + np.asarray(Views(X))[:, :1].copy().view(np.int64) % 2


def matched_by_place(self, old, X):
    named = isinstance(X, dict) and len(X) == len(self.view_names_)
    return old(dict(zip(self.view_names_, X.values(), strict=True)) if named else X)


def absent_are_none(self, old, X):
    return old({name: X.get(name) for name in self.view_names_} if isinstance(X, dict) else X)


def strangers_dropped(self, old, X):
    known = self.view_names_
    return old({n: v for n, v in X.items() if n in known} if isinstance(X, dict) else X)


def resized(self, old, X):
    if isinstance(X, dict):
        widths = dict(zip(self.layout_.names, self.layout_.widths, strict=True))
        X = {name: np.resize(view, (len(view), widths[name])) for name, view in X.items()}
    return old(X)


def zero_if_any_gap(self, old, X):
    return np.where(self._new_views(X).observed.all(axis=1), old(X), 0)


def drop_before_fit(self, old, X, *y):
    for name in [n for n in vars(self) if n.endswith("_")]:
        delattr(self, name)
    return old(X, *y)


def lax_labels(toy_y):
    """A classifier that changes labels before it learns from them."""
    return mutant(CLASSIFIER, fit=lambda self, old, X, y: old(X, toy_y(np.asarray(y))))


def two_of(y):
    y = np.array(y)
    y[: len(y) // 2] = 5
    return y


def minus_one_is_a_class(y):
    return np.where(y == -1, 9, y) if y.dtype.kind in "iu" else y


def fit_shorter_of_both(self, old, X, y):
    size = min(len(y), len(Views(X)))
    return old(Views(X)[:size], y[:size])


def crash_on_one(X):
    return len(Views(X)) == 1


def divide_by_spread(self, old, X, *y):
    old(X, *y)
    bare = {n: np.asarray(m).std(axis=0) for n, m in Views(X).items()}
    self.moments_ = {n: (mean, bare[n]) for n, (mean, _) in self.moments_.items()}
    return self


def divided_quietly(self, old, X):
    with np.errstate(all="ignore"):
        return old(X)


def accepts_none(self, old, X, y=None):
    return old(X, np.arange(len(Views(X))) % 2 if y is None else y)


def warned(self, old, X, *y):
    warnings.warn("look out", UserWarning, stacklevel=2)
    return old(X, *y)


def printed(self, old, X, *y):
    print("hello")
    return old(X, *y)


def drawn(self, old, X, *y):
    np.random.random()  # noqa: NPY002 (the fault)
    return old(X, *y)


def without_ids(views):
    return Views(dict(views.items()))


class WithScratch(ToyProjection):
    def __init__(self, n_components=1):
        super().__init__(n_components)
        self.scratch = {}


class ForgetsInPickle(ToyProjection):
    def __getstate__(self):
        kept = {**super().__getstate__()}
        if "axes_" in kept:
            kept["axes_"] = {name: 0 * axes for name, axes in kept["axes_"].items()}
        return kept


class KeepsWhatOnlyPickleStores(ToyProjection):
    def fit(self, X, y=None):
        super().fit(X, y)
        self.by_pair_ = {("one", "other"): 1.0}  # skops has text keys only
        return self


class WithoutPredict(ToyKMeans):
    @property
    def predict(self):
        raise AttributeError("predict")


def set_hidden(self):
    self.hidden = 1


def grow(self):
    self.n_components += 1


def reverse(name):
    def do(self):
        if hasattr(self, name):
            setattr(self, name, getattr(self, name)[::-1])

    return do


def spoil_history(self):
    self.objective_history_ = np.array([np.nan])


def reads_views(X):
    return isinstance(X, Views)


def is_sparse_dict(X):
    return isinstance(X, dict) and any(issparse(view) for view in X.values())

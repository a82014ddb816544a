"""What an estimator is and takes, as the checks ask it, and the clone they work on."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.utils import get_tags

from manyviews.base import ViewTags

N_GROUPS = 3
"""How many groups the contract's objects fall into."""

FEW_STARTS = 3


def prepared(estimator: Any) -> Any:
    """Return a clone that is quick and repeatable: seeded, few starts, as many clusters as groups.

    Every ``random_state`` is set to 0, ``n_init`` to at most three and ``n_clusters`` to at most
    the number of groups in the contract's data; all other parameters stay as they are.
    """
    ready = clone(estimator)
    params = ready.get_params()
    seeds = {name: 0 for name in params if name.split("__")[-1] == "random_state"}
    limits = {"n_init": FEW_STARTS, "n_clusters": N_GROUPS}
    fewer = {
        name: most
        for name, most in limits.items()
        if isinstance(params.get(name), int) and params[name] > most
    }
    return ready.set_params(**seeds, **fewer)


def view_tags(estimator: Any) -> ViewTags:
    """Return what the estimator takes of views."""
    return getattr(estimator, "view_tags", ViewTags())


def number_of_views(estimator: Any) -> int:
    """How many views the checks use: three, or the nearest number that the estimator takes."""
    tags = view_tags(estimator)
    most = 3 if tags.max_views is None else min(3, tags.max_views)
    return max(most, tags.min_views)


def takes_several_views(estimator: Any) -> bool:
    """Whether there can be more than one view."""
    return number_of_views(estimator) > 1


def takes_unobserved(estimator: Any) -> bool:
    """Whether objects may lack one of several views."""
    return view_tags(estimator).unobserved and takes_several_views(estimator)


def needs_every_view(estimator: Any) -> bool:
    """Whether objects that lack one of several views have to be refused."""
    return not view_tags(estimator).unobserved and takes_several_views(estimator)


def takes_sparse(estimator: Any) -> bool:
    """Whether views may be sparse."""
    return view_tags(estimator).sparse


def takes_dense_only(estimator: Any) -> bool:
    """Whether sparse views have to be refused."""
    return not view_tags(estimator).sparse


def takes_labels(estimator: Any) -> bool:
    """Whether ``fit`` needs ``y``."""
    return bool(get_tags(estimator).target_tags.required or is_classifier(estimator))


def n_groups(estimator: Any) -> int:
    """How many groups its data have: two for classifiers that know no more."""
    tags = get_tags(estimator).classifier_tags
    return 2 if tags is not None and not tags.multi_class else N_GROUPS


def is_additive(estimator: Any) -> bool:
    """Whether its statistics add up over subsets of the objects."""
    return view_tags(estimator).additive


def is_transformer(estimator: Any) -> bool:
    """Whether it transforms."""
    return hasattr(estimator, "transform")


def predicts(estimator: Any) -> bool:
    """Whether it predicts."""
    return hasattr(estimator, "predict")


def gives_groups(estimator: Any) -> bool:
    """Whether its predictions are classes or clusters."""
    return bool(is_classifier(estimator) or is_clusterer(estimator))


def has_param(name: str) -> Any:
    """Return a rule of application: the estimator has a parameter of that name."""

    def applies(estimator: Any) -> bool:
        return name in estimator.get_params(deep=False)

    return applies


def has_deterministic_start(estimator: Any) -> bool:
    """Whether nothing is left to chance, or can be so.

    So it is for estimators without any ``random_state``, and for those that name in
    ``_deterministic_start`` the parameters with which they start without drawing.
    """
    random = any(name.split("__")[-1] == "random_state" for name in estimator.get_params())
    return not random or hasattr(estimator, "_deterministic_start")


def deterministic(estimator: Any) -> Any:
    """Return a clone that leaves nothing to chance."""
    return clone(estimator).set_params(**getattr(estimator, "_deterministic_start", {}))


def with_pandas(estimator: Any) -> bool:  # noqa: ARG001 (the signature of every applies)
    """Whether DataFrames can be tried here."""
    return find_spec("pandas") is not None

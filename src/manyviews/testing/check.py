"""One rule of the contract: a name, a sentence, to whom it applies, and the code that tries it.

From the top: the rule; the clone of an estimator that rules are tried on, and tags of estimators,
by which rules say to whom they apply.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from manyviews.base import ViewTags
from manyviews.exceptions import ViewsWarning

# -- a rule ----------------------------------------------------------------------------------------


def always(estimator: Any) -> bool:  # noqa: ARG001 (the signature of every applies)
    """Apply to every estimator."""
    return True


@dataclass(frozen=True)
class Check:
    """A named rule that an estimator keeps or breaks.

    Calling it with an estimator raises ``AssertionError`` if the rule is broken. The estimator
    itself is never fitted: the check works on clones with their random states set.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import estimator_checks
    >>> check = estimator_checks(MergeViews())[0]
    >>> check.name, check.applies(MergeViews())
    ('fit_returns_self', True)
    >>> check(MergeViews())
    """

    name: str
    rule: str
    """The rule in one line."""
    run: Callable[[Any], None]
    applies: Callable[[Any], bool] = always

    def __call__(self, estimator: Any) -> None:
        """Try the rule on an estimator."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", ViewsWarning)  # many rules make odd views;
                # that plain ones are not warned of is the rule no_warning_on_good_data.
                self.run(prepared(estimator))
        except Exception as error:
            raise AssertionError(self._report(estimator, error)) from error

    def __repr__(self) -> str:
        return self.name

    def _report(self, estimator: Any, error: Exception) -> str:
        plain = isinstance(error, AssertionError)
        found = str(error) if plain else f"{type(error).__name__}: {error}"
        return f"{type(estimator).__name__} breaks {self.name} ({self.rule}) {found}"


def rule(applies: Callable[[Any], bool] = always) -> Callable[[Callable[[Any], None]], Check]:
    """Make a check of a function; the first line of its docstring is the rule."""

    def make(run: Callable[[Any], None]) -> Check:
        first_line = (run.__doc__ or "").strip().split("\n")[0]
        return Check(run.__name__, first_line, run, applies)

    return make


# -- the estimator: the clone that is tried, and to whom a rule applies ----------------------------

N_GROUPS = 3
"""How many groups the contract's objects fall into."""

FEW_STARTS = 3
"""Restarts at most, to be quick: more than one, so that the best of several is chosen."""


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

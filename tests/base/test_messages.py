"""Reports and warnings, as every method says them."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import report, warn_not_converged, warn_of_minutes, warn_user
from manyviews.exceptions import ViewsWarning
from manyviews.similarity import IncompleteGaussianMixture, ViewStructure, warn_of_empty_views


def test_a_report_begins_with_the_method(capsys):
    report(IncompleteGaussianMixture(), "start 1 of 2")
    assert capsys.readouterr().out == "IncompleteGaussianMixture: start 1 of 2\n"


def test_a_warning_of_no_convergence_names_method_and_remedy():
    with pytest.warns(ConvergenceWarning) as caught:
        warn_not_converged(IncompleteGaussianMixture(), "stopped", "scale the views")
    assert str(caught[0].message) == "IncompleteGaussianMixture stopped; scale the views."


def test_a_warning_of_minutes_names_method_work_and_remedy():
    said = r"^IncompleteGaussianMixture fits 9 objects, which takes minutes; take 8\.$"
    with pytest.warns(UserWarning, match=said):
        warn_of_minutes(IncompleteGaussianMixture(), "fits 9 objects", "take 8")


@pytest.mark.parametrize(
    ("warn", "category"),
    [
        (lambda: warn_user("look out", UserWarning), UserWarning),
        (lambda: IncompleteGaussianMixture(2, max_iter=1).fit(rows()), ConvergenceWarning),
        (
            lambda: warn_of_empty_views(
                {"a": ViewStructure(0.9, 2.0, False), "b": ViewStructure(0.1, 1.0, True)}, "so"
            ),
            ViewsWarning,
        ),
    ],
)
def test_a_warning_shows_the_line_of_the_user(warn, category):
    with pytest.warns(category) as caught:
        warn()
    assert caught[0].filename == __file__


def rows():
    return np.random.default_rng(0).standard_normal((40, 3))

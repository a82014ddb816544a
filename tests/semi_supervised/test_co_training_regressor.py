"""Co-training for numbers: COREG with views in place of distances."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from manyviews import Views
from manyviews.exceptions import ViewsError
from manyviews.semi_supervised import CoTrainingRegressor
from manyviews.semi_supervised.co_training.co_training_regressor import gains


def curves(n_objects=200, n_known=20, seed=0):
    """Two views that bend a number differently, with some noise; few of the numbers known."""
    rng = np.random.default_rng(seed)
    number = rng.uniform(-1, 1, n_objects)
    noise = 0.05 * rng.standard_normal((2, n_objects, 3))
    views = {
        "a": np.column_stack([number, number**2, np.sin(3 * number)]) + noise[0],
        "b": np.column_stack([np.exp(number), number**3, np.cos(2 * number)]) + noise[1],
    }
    return Views(views), np.where(np.arange(n_objects) < n_known, number, np.nan), number


def plain_gain(known, y, row, number, k):
    """The paper's criterion for one object, written out with refits."""

    def error(rows, numbers, at):
        others = np.arange(len(rows)) != at
        model = KNeighborsRegressor(k).fit(rows[others], numbers[others])
        return (numbers[at] - model.predict(rows[at : at + 1])[0]) ** 2

    omega = np.argsort(np.linalg.norm(known - row, axis=1))[:k]
    more_rows, more_numbers = np.vstack([known, row]), np.append(y, number)
    return sum(error(known, y, at) - error(more_rows, more_numbers, at) for at in omega)


def test_gains_are_those_of_learning_again():
    rng = np.random.default_rng(1)
    known, y, rows = rng.random((15, 2)), rng.random(15), rng.random((6, 2))
    proposed = rng.random(6)
    found = gains(
        np.linalg.norm(rows[:, None] - known, axis=2),
        np.linalg.norm(known[:, None] - known, axis=2),
        y,
        proposed,
        3,
    )
    expected = [
        plain_gain(known, y, row, number, 3) for row, number in zip(rows, proposed, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("estimator", [None, Ridge()], ids=repr)
def test_without_unknown_numbers_it_is_the_mean_of_the_regressors(estimator):
    views, _, number = curves()
    model = CoTrainingRegressor(estimator).fit(views, number)
    assert model.n_iter_ == 0
    alone = [
        CoTrainingRegressor(estimator)
        .fit(views.subset([name]), number)
        .predict(views.subset([name]))
        for name in views.names
    ]
    np.testing.assert_allclose(model.predict(views), np.mean(alone, axis=0))


def test_with_one_view_nobody_teaches():
    views, y, _ = curves()
    one, known = views["a"], ~np.isnan(y)
    model = CoTrainingRegressor(Ridge()).fit({"a": one}, y)
    assert model.n_iter_ == 0
    ridge = Ridge().fit(one[known], y[known])
    np.testing.assert_allclose(model.predict({"a": one}), ridge.predict(one))


def test_teaching_lowers_the_error_in_the_mean():
    errors = {1: [], 100: []}
    for seed in range(5):
        views, y, number = curves(seed=seed)
        asked = np.isnan(y)
        for rounds in errors:
            found = CoTrainingRegressor(max_iter=rounds).fit(views, y).predict(views)
            errors[rounds].append(np.mean((found - number)[asked] ** 2))
    assert np.mean(errors[100]) < np.mean(errors[1])


def test_a_view_is_taught_what_others_say_and_never_an_object_twice():
    views, y, _ = curves()
    model = CoTrainingRegressor(max_iter=10).fit(views, y)
    objects = np.concatenate([taught for taught, _ in model.taught_.values()])
    assert len(np.unique(objects)) == len(objects) > 0
    assert np.isnan(y[objects]).all()
    assert model.n_iter_ <= 10


def test_units_of_views_and_numbers_do_not_matter():
    views, y, _ = curves(n_objects=80)
    found = CoTrainingRegressor().fit(views, y).predict(views)
    other = {"a": 2.0**10 * views["a"], "b": 2.0**-7 * views["b"]}
    moved = CoTrainingRegressor().fit(other, 4.0 * y).predict(other)
    np.testing.assert_allclose(moved, 4.0 * found, rtol=1e-6)


def test_order_of_views_does_not_matter():
    views, y, _ = curves(n_objects=80)
    found = CoTrainingRegressor().fit(views, y).predict(views)
    turned = views.subset(["b", "a"])
    np.testing.assert_allclose(CoTrainingRegressor().fit(turned, y).predict(turned), found)


def test_a_view_without_known_numbers_waits_to_be_taught():
    views, y, _ = curves()
    observed = views.observed.copy()
    observed[~np.isnan(y), 1] = False
    gaps = Views(dict(views.items()), observed=observed)
    model = CoTrainingRegressor().fit(gaps, y)
    assert len(model.taught_["b"][0])
    only = model.predict({"a": None, "b": views["b"][-3:]})
    np.testing.assert_allclose(only, model.view_predictions(views[-3:])["b"])
    with pytest.raises(ViewsError, match="shows no object whose number is known"):
        CoTrainingRegressor().fit(gaps, np.where(np.arange(len(y)) == 0, 1.0, np.nan))


def test_it_reports_what_it_does(capsys):
    views, y, _ = curves(n_objects=60)
    CoTrainingRegressor(max_iter=2, verbose=2).fit(views, y)
    said = capsys.readouterr().out
    assert "round 1 taught" in said
    assert "in 2 rounds" in said


def test_it_has_to_be_fitted():
    with pytest.raises(NotFittedError):
        CoTrainingRegressor().predict({"a": [[1.0]]})

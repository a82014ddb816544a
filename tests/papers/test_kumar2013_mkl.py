"""Chapters 5 and 6: the tables are typed right, and the claims that hold are measured to hold."""

from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np
import pytest

from manyviews.mkl import KernelLibrary
from papers._frame import DataFolder, load_experiment, silent
from papers.kumar2013_mkl import k_space, methods, published, splits

needs_data = pytest.mark.skipif(
    not os.environ.get("MANYVIEWS_DATA"), reason="MANYVIEWS_DATA names no data folder"
)


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("kumar2013-mkl")


@pytest.fixture
def nowhere(tmp_path) -> DataFolder:
    return DataFolder(tmp_path)


def drawn_split(n_features: int, n_objects: int = 100, seed: int = 0) -> splits.Split:
    """Two classes that the first feature tells by its size, and features that tell nothing."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_objects, n_features))
    y = (np.abs(rows[:, 0]) > 0.7).astype(int)
    return splits.scaled(splits.cut(rows, y, seed))


@pytest.mark.parametrize(
    ("table", "row", "column", "value", "spread"),
    [
        ("5.2", "Targ. Align", "Sonar p=793", 80.24, 4.2),
        ("5.2", "MKL (SILP/Simple)", "Vertebral p=13", 78.42, 3.55),
        ("5.2", "UFO-MKL", "Ionosphere p=13", 96.14, 1.9),
        ("5.2", "TS-MKL", "Pima p=117", 75.78, 3.02),
        ("6.1", "TS-MKL Polynomial-2", "Sonar", 83.57, 2.9),
        ("6.3", "TS-MKL RF", "Ionosphere", 92.71, 3.5),
        ("5.3", "Sonar p=793", "UFO-MKL", 3.018, None),
        ("5.3", "Pima p=117", methods.RATIO, 67.05, None),
        ("two-circles", "linear", "accuracy", 54.0, None),
    ],
)
def test_published_numbers_are_those_of_the_thesis(experiment, table, row, column, value, spread):
    known = experiment.paper.table(table)
    assert known.published(row, column) == value
    assert known.published_spread(row, column) == spread


def test_two_tables_publish_the_same_numbers(experiment):
    first, second = experiment.paper.table("6.1"), experiment.paper.table("6.3")
    assert second.rows == (*first.rows, published.FOREST)
    assert second.values[:-1] == first.values


def test_a_split_leaves_a_fifth_to_test_and_no_object_on_both_sides():
    rows = np.arange(208.0)[:, None]
    split = splits.cut(rows, np.arange(208), seed=3)
    assert (len(split.train), len(split.test)) == (166, 42)  # as many as the thesis says of Sonar
    assert np.array_equal(np.sort(np.concatenate([split.y_train, split.y_test])), np.arange(208))
    assert np.array_equal(split.train[:, 0], split.y_train)
    assert not np.array_equal(split.y_test, splits.cut(rows, np.arange(208), seed=4).y_test)


def test_features_are_scaled_by_the_training_objects_alone():
    train, test = np.array([[0.0, 5.0], [4.0, 5.0]]), np.array([[8.0, 6.0]])
    split = splits.scaled(splits.Split(train, np.zeros(2), test, np.zeros(1)))
    assert split.train.tolist() == [[-1.0, -1.0], [1.0, -1.0]]
    assert split.test.tolist() == [[3.0, 1.0]]


def test_features_may_have_unit_variance_instead():
    train, test = np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[4.0, 6.0]])
    split = splits.of_unit_variance(splits.Split(train, np.zeros(2), test, np.zeros(1)))
    assert split.train.tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    assert split.test.tolist() == [[2.0, 1.0]]


def test_a_feature_of_one_value_is_left_out():
    assert splits.without_constants(np.array([[1.0, 7.0], [2.0, 7.0]])).tolist() == [[1.0], [2.0]]


def test_both_sets_of_kernels_have_as_many_as_the_thesis_says():
    split = drawn_split(8, 40)
    for p, number in {"13": 13, "117": published.N_KERNELS["Pima"]}.items():
        model = methods.learners()[published.AVERAGE](methods.kernels_of(p), 0)
        assert len(model.fit(split.train, split.y_train).kernel_names_) == number


def test_the_best_kernel_is_found_on_a_single_feature():
    split = drawn_split(12, 150)
    whole = methods.learners()[published.BEST](methods.kernels_of("13"), 0)
    assert methods.best_of_many(split) > 90.0 > methods.accuracy(whole, split)


def test_what_is_not_measured_needs_no_data(nowhere):
    assert np.isnan(methods.many_kernels(published.UFO, "Sonar p=13", 0, nowhere))


def test_a_forest_tells_what_no_weighted_sum_of_linear_kernels_tells():
    split = drawn_split(3, 150)
    kernels = KernelLibrary(["linear"], on="features")
    model, right = methods.fitted_forest(kernels, split, seed=0, n_trees=50)
    linear = methods.learners()[published.LINEAR](kernels, 0)
    assert right > methods.accuracy(linear, split) + 10.0
    assert methods.kernel_share(model, model.kernel_names_[0]) > 0.5
    assert len({each.landmarks_[0].tobytes() for each in model.estimator_.draws_}) == 5


def test_a_product_counts_for_both_its_kernels():
    model = SimpleNamespace(
        kernel_names_=["a", "b", "a × b", "b × b"], kernel_weights_=np.array([1.0, 2.0, 3.0, 4.0])
    )
    assert methods.kernel_share(model, "a") == pytest.approx(0.4)
    assert methods.kernel_share(model, "b") == pytest.approx(0.9)


def test_separation_of_three_pairs_by_hand():
    values = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 0.5]])
    same = np.array([True, True, False])
    assert [k_space.separation(values, same, degrees) for degrees in (0, 90)] == [0.5, 0.5]
    assert k_space.separation(values, same, 45) == 1.0  # 2 and 2 against 1.5


def test_both_kernels_together_tell_pairs_better_than_one():
    first, both, second = (k_space.figure_5_1(degrees, 0)[0] for degrees in ("0", "45", "90"))
    assert both > max(first, second) + 0.02


def test_no_direction_of_linear_kernels_tells_pairs_on_two_circles():
    assert all(abs(k_space.figure_6_1(degrees, 0)[0] - 0.5) < 0.02 for degrees in ("0", "45"))


def test_products_of_kernels_tell_two_circles_and_sums_do_not(experiment, nowhere):
    measured = experiment.run("two-circles", seeds=range(2), data=nowhere, progress=silent)
    linear, polynomial = measured.values[:, :, 0].T
    assert (linear < 65.0).all()
    assert (polynomial == 100.0).all()


def test_a_table_is_measured_as_it_is_shaped(experiment, nowhere, monkeypatch):
    monkeypatch.setattr(methods, "uci_split", lambda name, seed, data: drawn_split(3, 60, seed))
    measured = experiment.run("6.1", seeds=range(2), data=nowhere, progress=silent)
    methods.single_features.cache_clear()
    assert measured.values.shape == (2, 4, 4)
    assert np.isfinite(measured.values).all()
    by_method = measured.values.mean(axis=(0, 2))
    assert by_method[2] > by_method[1] + 10.0  # products of features against sums


def test_times_are_taken_at_the_parameters_that_were_chosen(monkeypatch, nowhere):
    split = drawn_split(2, 60)
    model = methods.learners(100)[published.TWO_STAGE](["linear", "rbf"], 0)
    methods.settled(model, split)
    assert isinstance(model.C, float)
    assert model.regularization == model.regularization_
    monkeypatch.setattr(methods, "uci_split", lambda name, seed, data: split)
    aligned, ufo, two_stage, ratio = methods.seconds("Pima p=117", 0, nowhere)
    assert np.isnan(ufo)
    assert ratio == pytest.approx(aligned / two_stage)


def test_weight_goes_to_the_feature_that_tells(monkeypatch, nowhere):
    monkeypatch.setattr(
        methods, "uci_split", lambda name, seed, data, **_: drawn_split(5, 80, seed)
    )
    for row in ("1,000 steps", "exact"):
        right, loss, share = methods.solver(row, 0, nowhere)
        assert right > 80.0
        assert 0.0 < loss < 1.0  # of no kernel at all it is one
        assert share < 0.5


@needs_data
def test_features_of_ionosphere_make_442_kernels():
    split = splits.uci_split("Ionosphere", 0, DataFolder.locate(None))
    assert 13 * split.train.shape[1] + 13 == published.N_KERNELS["Ionosphere"]


@needs_data
def test_products_of_features_tell_sonar_better_than_sums():
    data = DataFolder.locate(None)
    linear, polynomial = (
        np.mean([methods.single_features(method, "Sonar", seed, data) for seed in range(3)])
        for method in (published.LINEAR, published.POLYNOMIAL_2)
    )
    assert polynomial > linear
    assert abs(polynomial - 83.57) < 2 * 2.9


@needs_data
def test_two_stages_put_little_weight_on_the_kernel_of_noise():
    right, noise, largest = methods.football(published.TWO_STAGE, 0, DataFolder.locate(None))
    assert right > 80.0
    assert noise < 1 / 9 < largest

from __future__ import annotations

import json

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import manyviews
from manyviews import Views, diagnose
from manyviews.data import split_labelled
from manyviews.exceptions import ViewsError
from manyviews.explain import Diagnosis
from manyviews.explain.single_view import (
    accuracies,
    agreement,
    column_variances,
    deal_folds,
    discriminate,
    fill_cells,
    out_of_fold,
    reduce_view,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    dense = 2.0 * np.eye(3)[y] + rng.normal(size=(120, 3))
    counts = rng.poisson(0.2 + 2.0 * np.eye(3)[y].repeat(10, axis=1)).astype(float)
    return {"dense": dense, "text": sparse.csr_array(counts)}, y


@pytest.fixture(scope="module")
def found(data):
    return diagnose(*data)


def test_the_front_door_leads_here():
    assert manyviews.diagnose is diagnose


def test_the_same_seed_gives_the_same_answer_on_any_number_of_workers(data, found):
    with joblib.parallel_config(backend="threading"):
        assert diagnose(*data, n_jobs=2).to_dict() == found.to_dict()
    assert diagnose(*data, random_state=1).to_dict() != found.to_dict()


def test_the_global_generator_and_the_data_stay_untouched(data):
    views, y = data
    before, copy = np.random.get_state()[1].copy(), views["dense"].copy()  # noqa: NPY002
    diagnose(views, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.testing.assert_array_equal(views["dense"], copy)


def test_every_form_of_the_views_gives_the_same_answer(data, found):
    views, y = data
    assert diagnose(Views(views), y).to_dict() == found.to_dict()
    as_list = diagnose(list(views.values()), y)
    assert [v.quality for v in as_list.per_view] == [v.quality for v in found.per_view]


def test_names_do_not_matter_and_labels_may_be_words(data, found):
    views, y = data
    words = np.array(["x", "y", "z"], dtype=object)[y]
    other = diagnose({"first": views["dense"], "second": views["text"]}, words)
    assert [v.quality for v in other.per_view] == [v.quality for v in found.per_view]
    assert other.joint.class_counts == {"x": 40, "y": 40, "z": 40}


def test_everything_survives_json(found):
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def test_frames_have_one_row_per_view_and_per_pair(found):
    assert list(found.to_frame().index) == ["dense", "text"]
    assert found.to_frame().loc["text", "kind"] == "sparse"
    pairs = found.pairs_to_frame()
    assert list(pairs.index) == [("dense", "text")]
    assert pairs["first_correlation"].iloc[0] == found.per_pair[0].correlations[0]
    alone = diagnose(np.random.default_rng(0).normal(size=(50, 2)))
    assert isinstance(alone.pairs_to_frame(), pd.DataFrame)
    assert alone.pairs_to_frame().empty


def test_it_prints_aligned_tables_and_findings(found):
    text = repr(found)
    heads, line, first, second = text.split("\n\n")[2].splitlines()
    assert set(line) == {"─"}
    assert heads.index("quality") == first.index(f"{found.per_view[0].quality:.2f} ±")
    assert second.startswith("text")
    assert "All views together" in text
    for finding in found.findings:
        assert finding.sentence in text


def test_no_table_is_wider_than_a_page_or_a_terminal(data):
    views, y = data
    dense, text = Views(views)["dense"], Views(views)["text"]
    views = Views({"pixels": dense, "text": text, "profiles": -dense}, observed=_some(3))
    for found in (diagnose(views, y), diagnose(views)):
        tables = repr(found).split("\n\n")[1:4]
        assert max(len(line) for table in tables for line in table.splitlines()) <= 100


def _some(n_views):
    observed = np.ones((120, n_views), dtype=bool)
    observed[::4, 0] = False
    return observed


def test_names_are_escaped_in_a_notebook(data):
    views, y = data
    html = diagnose({"<b>": views["dense"], "text": views["text"]}, y)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<td style='text-align:left'><b>" not in html


def test_it_is_frozen(found):
    assert isinstance(found, Diagnosis)
    with pytest.raises(AttributeError):
        found.findings = ()


def test_many_objects_are_measured_on_a_subset_and_that_is_said(data):
    views, y = data
    found = diagnose(views, np.where(np.arange(120) < 40, y, -1), max_objects=60)
    assert (found.joint.n_objects, found.joint.n_measured) == (120, 60)
    assert any(finding.kind == "subset" for finding in found.findings)
    assert found.joint.labelled == pytest.approx(1 / 3)
    assert found.joint.n_folds == 5  # all 40 labelled objects are among the 60


def test_one_view_is_diagnosed_too(data):
    views, y = data
    found = diagnose({"dense": views["dense"]}, y)
    assert found.per_pair == ()
    assert found.per_view[0].gain is None
    assert found.joint.quality == found.per_view[0].quality


def test_too_few_shared_objects_are_not_compared():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
    a[:25], b[35:] = np.nan, np.nan
    pair = diagnose([a, b]).per_pair[0]
    assert pair.note == "only 10 objects have both"
    assert pair.p_value is None


def test_tiny_data_are_survived():
    found = diagnose([np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [5.0]])])
    assert found.per_view[0].silhouette is not None
    assert diagnose([np.ones((2, 1)), np.zeros((2, 3))]).joint.note == "no view varies"


def test_bad_input_is_refused_in_one_sentence(data):
    views, y = data
    with pytest.raises(ValueError, match="y has 3 labels for 120 objects"):
        diagnose(views, [0, 1, 1])
    with pytest.raises(ValueError, match="max_objects=1 should be an integer of at least 2"):
        diagnose(views, y, max_objects=1)
    with pytest.raises(ValueError, match="n_jobs=0 should be an integer from 1 to 1000"):
        diagnose(views, y, n_jobs=0)
    with pytest.raises(ViewsError, match="infinity"):
        diagnose([[[np.inf, 1.0], [2.0, 3.0]]])


# -- the steps -----------------------------------------------------------------------------------


def test_folds_deal_out_every_class_evenly():
    labels = split_labelled(np.array([0] * 11 + [1] * 7 + [2] + [-1] * 4))
    folds = deal_folds(labels, np.random.default_rng(0))
    assert (folds.n_folds, folds.n_classes) == (5, 2)
    for code, size in ((0, 11), (1, 7)):
        counts = np.bincount(folds.fold[folds.codes == code], minlength=5)
        assert counts.sum() == size
        assert counts.max() - counts.min() <= 1
    assert (~folds.used).sum() == 5
    assert deal_folds(split_labelled([0, 0, 1, -1]), np.random.default_rng(0)) is None


def test_the_discriminant_is_that_of_scikit_learn():
    from sklearn.covariance import LedoitWolf
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(2)
    codes = np.arange(90) % 3
    points = np.eye(3)[codes] @ rng.normal(size=(3, 5)) + rng.normal(size=(90, 5))
    residuals = points - np.array([points[codes == c].mean(axis=0) for c in range(3)])[codes]
    pooled = LedoitWolf(assume_centered=True).fit(residuals).covariance_

    class Pooled:
        def fit(self, X):
            self.covariance_ = pooled
            return self

    reference = LinearDiscriminantAnalysis(
        solver="lsqr", covariance_estimator=Pooled(), priors=np.full(3, 1 / 3)
    )
    new = rng.normal(size=(200, 5))
    expected = reference.fit(points, codes).predict(new)
    np.testing.assert_array_equal(discriminate(points, codes, new), expected)


def test_classes_without_spread_fall_to_the_nearest_mean():
    codes = discriminate(
        np.array([[0.0], [0.0], [4.0], [4.0]]), np.array([0, 0, 7, 7]), [[1.0], [3.0]]
    )
    np.testing.assert_array_equal(codes, [0, 7])


def test_out_of_fold_predictions_do_not_see_their_own_label():
    rng = np.random.default_rng(3)
    labels = split_labelled(rng.integers(2, size=60))
    folds = deal_folds(labels, rng)
    wide = rng.normal(size=(60, 200))
    values = accuracies(out_of_fold(wide, np.ones(60, dtype=bool), folds), folds)
    assert abs(values.mean() - 0.5) < 0.2


def test_accuracies_are_balanced_as_in_scikit_learn():
    from sklearn.metrics import balanced_accuracy_score

    rng = np.random.default_rng(4)
    labels = split_labelled(rng.choice(3, p=[0.7, 0.2, 0.1], size=200))
    folds = deal_folds(labels, rng)
    predictions = rng.integers(3, size=200)
    expected = [
        balanced_accuracy_score(folds.codes[folds.fold == f], predictions[folds.fold == f])
        for f in range(5)
    ]
    np.testing.assert_allclose(accuracies(predictions, folds), expected)


def test_expected_agreement_by_hand():
    labels = split_labelled([0, 0, 0, 0, 1, 1])
    folds = deal_folds(labels, np.random.default_rng(0))
    first, second = np.array([0, 0, 1, 1, 1, 1]), np.array([0, 1, 0, 1, 1, -1])
    share, expected = agreement(first, second, folds)
    assert share == pytest.approx(3 / 5)
    # class 0: 0.5 * 0.5 + 0.5 * 0.5 on four objects; class 1: certain on one
    assert expected == pytest.approx((4 * 0.5 + 1) / 5)


def test_missing_cells_become_means_dense_and_sparse_alike():
    rows = np.array([[1.0, 0.0, np.nan], [np.nan, 2.0, np.nan], [3.0, 0.0, np.nan]])
    expected = np.array([[1.0, 0.0, 0.0], [2.0, 2.0, 0.0], [3.0, 0.0, 0.0]])
    np.testing.assert_array_equal(fill_cells(rows), expected)
    np.testing.assert_array_equal(fill_cells(sparse.csr_array(rows)).toarray(), expected)
    np.testing.assert_allclose(
        column_variances(sparse.csr_array(expected)), column_variances(expected), atol=1e-15
    )


def test_reduced_views_are_centred_and_of_total_variance_one():
    rng = np.random.default_rng(5)
    seen = np.arange(50) >= 10
    matrix = rng.normal(size=(50, 6)) * [1, 10, 100, 1, 1, 0]
    scores = reduce_view(matrix, seen, 0)
    assert scores.shape == (50, 5)
    assert not scores[~seen].any()
    np.testing.assert_allclose(scores[seen].mean(axis=0), 0.0, atol=1e-12)
    assert np.square(scores[seen]).sum() / 40 == pytest.approx(1.0)
    # all components kept: distances between the standardised rows survive
    kept = matrix[seen][:, :5]
    kept = (kept - kept.mean(axis=0)) / kept.std(axis=0) / np.sqrt(5)
    np.testing.assert_allclose(scores[seen] @ scores[seen].T, kept @ kept.T, atol=1e-12)


# -- real data -----------------------------------------------------------------------------------


@pytest.mark.data
def test_breast_cancer_omics_lack_a_view_and_all_predict(data_folder):
    file = np.load(data_folder / "tcga_breast" / "tcga_breast.npz")
    found = diagnose(
        {name: file[f"view_{name}"] for name in ("mirna", "mrna", "protein")}, file["y"]
    )
    kinds = {finding.kind for finding in found.findings}
    assert {"unobserved", "dependent_given_class"} <= kinds
    assert not {"near_chance", "contradiction", "duplicates"} & kinds
    assert all(view.quality > 0.8 for view in found.per_view)
    assert found.joint.complete == pytest.approx(150 / 220)


def test_a_narrow_sparse_view_is_taken_by_its_values():
    rng = np.random.default_rng(6)
    y = np.arange(90) % 3
    column = (4.0 * y + rng.normal(size=90))[:, None]
    dense, narrow = diagnose([column], y), diagnose([sparse.csr_array(column)], y)
    assert narrow.per_view[0].quality == dense.per_view[0].quality > 0.9


def test_repeated_rows_and_gaps_in_sparse_views_are_survived():
    matrix = sparse.csr_array(np.repeat([[0.0, 1.0, 0.1], [2.0, 0.3, 0.0], [1.0, 0.0, 5.0]], 4, 0))
    matrix.data[0] = np.nan
    found = diagnose([matrix, np.arange(12.0)[:, None]])
    assert found.per_view[0].missing_cells == pytest.approx(1 / 36)
    assert found.per_view[0].n_clusters in {2, 3}

"""Members' answers are combined as the papers say, whoever is silent; plain loops agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.neighbors import KNeighborsClassifier

from manyviews.ensemble import members as combining

N_CLASSES = 4


@st.composite
def label_vectors(draw, *, silent=True):
    """Remembered vectors with true classes, and new vectors, of the same members."""
    members = draw(st.integers(1, 5))
    codes = st.integers(-1 if silent else 0, N_CLASSES - 1)
    remembered = draw(arrays(np.int32, (draw(st.integers(2, 25)), members), elements=codes))
    labels = draw(arrays(np.int64, len(remembered), elements=st.integers(0, N_CLASSES - 1)))
    new = draw(arrays(np.int32, (draw(st.integers(1, 10)), members), elements=codes))
    return remembered, labels, new


def plain_nearest(remembered, labels, vector):
    """Classes of those that agree with a vector in most members, object by object."""
    agreements = [
        sum(1 for mine, theirs in zip(vector, other, strict=True) if mine == theirs >= 0)
        for other in remembered
    ]
    nearest = [
        label
        for label, n in zip(labels, agreements, strict=True)
        if n == max(agreements, default=0)
    ]
    return np.bincount(nearest, minlength=N_CLASSES)


@settings(deadline=None, max_examples=30)
@given(vectors=label_vectors())
def test_nearest_vectors_are_those_of_a_plain_loop(vectors):
    remembered, labels, new = vectors
    found = combining.nearest_counts(remembered, labels, new, N_CLASSES)
    expected = [plain_nearest(remembered, labels, vector) for vector in new]
    assert np.array_equal(found, expected)


@settings(deadline=None, max_examples=30)
@given(vectors=label_vectors())
def test_left_out_is_really_left_out(vectors):
    remembered, labels, _ = vectors
    found = combining.nearest_counts(remembered, labels, None, N_CLASSES)
    for row, vector in enumerate(remembered):
        rest = np.arange(len(labels)) != row
        assert np.array_equal(found[row], plain_nearest(remembered[rest], labels[rest], vector))


@settings(deadline=None, max_examples=20)
@given(vectors=label_vectors(silent=False))
def test_nearest_are_at_the_hamming_distance_of_scikit_learn(vectors):
    remembered, labels, new = vectors
    brute = KNeighborsClassifier(1, metric="hamming", algorithm="brute").fit(remembered, labels)
    least, _ = brute.kneighbors(new)
    counts = combining.nearest_counts(remembered, labels, new, N_CLASSES)
    from scipy.spatial.distance import cdist

    distances = cdist(new, remembered, "hamming")
    for row, found in enumerate(counts):
        near = np.isclose(distances[row], least[row, 0])
        assert np.array_equal(found, np.bincount(labels[near], minlength=N_CLASSES))


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    remembered, new = rng.integers(-1, 3, (60, 4)), rng.integers(-1, 3, (40, 4))
    labels = rng.integers(0, 3, 60)
    whole = [combining.nearest_counts(remembered, labels, given, 3) for given in (new, None)]
    monkeypatch.setattr(combining, "_BLOCK", 7)
    parts = [combining.nearest_counts(remembered, labels, given, 3) for given in (new, None)]
    for one, other in zip(whole, parts, strict=True):
        assert np.array_equal(one, other)


@settings(deadline=None, max_examples=30)
@given(vectors=label_vectors(silent=False))
def test_one_member_is_its_nearest_neighbour_rule(vectors):
    """A label is taken for the class that most often had it when left out."""
    remembered, labels, new = vectors
    one, asked = remembered[:, :1], new[:, :1]
    found = combining.nearest_counts(one, labels, asked, N_CLASSES).argmax(axis=1)
    for code, answer in zip(asked[:, 0], found, strict=True):
        called = labels[one[:, 0] == code] if (one == code).any() else labels
        assert answer == np.bincount(called).argmax()


@settings(deadline=None, max_examples=30)
@given(vectors=label_vectors(silent=False))
def test_vectors_of_true_labels_make_it_a_majority_vote(vectors):
    """Why vectors are left out: members that know their objects by heart leave CRV no choice."""
    _, _, new = vectors
    labels = np.arange(N_CLASSES)
    by_heart = np.repeat(labels[:, None], new.shape[1], axis=1)
    crv = combining.nearest_counts(by_heart, labels, new, N_CLASSES)
    votes = combining.vote_counts(new, N_CLASSES)
    assert np.array_equal(crv > 0, votes == votes.max(axis=1, keepdims=True))


def test_vectors_correct_what_members_always_get_wrong():
    """Two members take class 1 for class 2; the vector knows, the vote does not."""
    remembered = np.array([[0, 0, 0], [0, 0, 0], [2, 2, 1], [2, 2, 1], [2, 2, 2], [2, 2, 2]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    new = np.array([[2, 2, 1]])
    assert combining.nearest_counts(remembered, labels, new, 3).argmax() == 1
    assert combining.vote_counts(new, 3).argmax() == 2


def test_nobody_to_agree_with_leaves_the_prior():
    remembered, labels = np.array([[0], [1], [1]]), np.array([0, 1, 1])
    found = combining.nearest_counts(remembered, labels, np.array([[-1], [2]]), 3)
    assert np.array_equal(found, [[1, 2, 0], [1, 2, 0]])


def test_many_members_do_not_overflow():
    rng = np.random.default_rng(1)
    remembered = rng.integers(0, 27, (50, 300))
    labels = np.arange(50) % 27
    found = combining.nearest_counts(remembered, labels, remembered, 27)
    assert np.array_equal(found.argmax(axis=1), labels)
    assert np.array_equal(found.sum(axis=1), np.ones(50))


def test_modified_product_by_hand():
    shares = np.array([[[0.0, 0.6, 0.4]], [[0.9, 0.1, 0.0]]])
    kept = combining.modified(shares, 0.05)
    assert np.allclose(kept, [[[0.05, 0.6, 0.4]], [[0.9, 0.1, 0.05]]])
    by_hand = np.array([0.05 * 0.9, 0.6 * 0.1, 0.4 * 0.05])
    assert np.allclose(combining.product(kept), by_hand / by_hand.sum())


@pytest.mark.parametrize(("k", "kappa", "m"), [(1, 0, 27), (1, 1, 2), (9, 4, 3)])
def test_moderation_by_hand(k, kappa, m):
    shares = np.zeros((1, 1, m))
    shares[0, 0, 0], shares[0, 0, -1] = kappa / k, 1 - kappa / k
    found = combining.moderated(shares, np.array([k]))
    assert found[0, 0, 0] == pytest.approx((kappa + 1) / (k + m))
    assert found.sum() == pytest.approx(1.0)


@settings(deadline=None, max_examples=20)
@given(
    shares=arrays(np.float64, (3, 4, 3), elements=st.floats(0.01, 1.0)),
    silent=arrays(np.bool_, (3, 4)),
)
def test_product_is_over_those_who_speak(shares, silent):
    shares = shares / shares.sum(axis=2, keepdims=True)
    said = np.where(silent[:, :, None], np.nan, shares)
    found = combining.product(said)
    for row in range(4):
        speaking = shares[~silent[:, row], row]
        if len(speaking):
            by_hand = speaking.prod(axis=0)
            assert np.allclose(found[row], by_hand / by_hand.sum())
        else:
            assert not found[row].any()


def test_normalised_falls_back_on_the_prior():
    prior = np.array([0.3, 0.7])
    found = combining.normalised(np.array([[0.0, 0.0], [1.0, 3.0]]), prior)
    assert np.allclose(found, [[0.3, 0.7], [0.25, 0.75]])

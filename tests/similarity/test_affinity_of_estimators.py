"""Every similarity as the affinity of a spectral clustering: fit, predict, set, save."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from manyviews.app.model import load_model, save_model
from manyviews.cluster import FusedSpectral
from manyviews.data import Views
from manyviews.metrics import adjusted_rand_score
from manyviews.similarity import RBF, Cosine, KNNGraph, Linear, LowRankKernel, SelfTuningRBF

AFFINITIES = [
    RBF(),
    Cosine(),
    SelfTuningRBF(),
    KNNGraph(8),
    KNNGraph(8, "similarity", symmetric="mean"),
    KNNGraph(8, "similarity", kernel=RBF(), symmetric="mutual"),
    LowRankKernel(RBF(), 20),
    LowRankKernel(RBF(), 20, method="cholesky"),
    LowRankKernel(RBF(), 200, method="fourier"),
    {"text": KNNGraph(8, metric="cosine"), "place": RBF()},
]
NAMES = [f"{type(one).__name__}-{number}" for number, one in enumerate(AFFINITIES)]


def three_groups(*, gaps):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 20)
    text = np.abs(rng.standard_normal((60, 9))) + 6.0 * np.repeat(np.eye(3), 3, axis=1)[y]
    place = np.array([[0.0, 6.0], [6.0, 0.0], [6.0, 6.0]])[y] + 0.5 * rng.standard_normal((60, 2))
    observed = np.ones((60, 2), dtype=bool)
    if gaps:
        observed[::7, 0] = observed[3::7, 1] = False
    return Views({"text": sparse.csr_array(text), "place": place}, observed=observed), y


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_groups_are_found_and_found_again(affinity, gaps, tmp_path):
    views, y = three_groups(gaps=gaps)
    model = FusedSpectral(3, affinity, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert np.array_equal(model.predict(views), model.labels_)
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    assert np.array_equal(again.predict(views[:20]), model.labels_[:20])


def test_a_grid_reaches_into_the_similarity_of_a_view():
    given = {"text": RBF(gamma=1.0), "place": Linear()}
    model = clone(FusedSpectral(3, given)).set_params(affinity__text__gamma=0.25)
    assert model.affinity["text"].gamma == 0.25
    assert given["text"].gamma == 1.0
    inner = FusedSpectral(3, LowRankKernel(RBF(), 5)).set_params(affinity__kernel__gamma=2.0)
    assert inner.affinity.kernel.gamma == 2.0

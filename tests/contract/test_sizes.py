"""Two hundred thousand objects: what cannot be held is said in a sentence, before it is tried."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from manyviews import Views
from manyviews.cluster import (
    BregmanWard,
    CoEMMixture,
    CoRegularizedSpectral,
    CoTrainedSpectral,
    FusedSpectral,
    HybridTree,
    MinDisagreementSpectral,
)
from manyviews.embed import CCA, KernelCCA
from manyviews.ensemble import ViewSubsetEnsemble
from manyviews.exceptions import MemoryLimitError
from manyviews.maths import Gaussian, LowRank, Mahalanobis, to_dense
from manyviews.mkl import (
    AverageKernel,
    BestKernel,
    KernelLibrary,
    LandmarkClassifier,
    LpMKL,
    SimpleMKL,
    TargetAlignment,
    TwoStageMKL,
)
from manyviews.semi_supervised import (
    CoLaplacianRLS,
    CoLaplacianSVM,
    CoRLS,
    SpectralGraphTransducer,
    TransductiveSVM,
)
from manyviews.similarity import (
    RBF,
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    IncompleteLinear,
    IncompleteRBF,
    KernelFeatures,
    KNNGraph,
    LowRankKernel,
    SelfTuningRBF,
    UnconditionalMeanImputer,
    fit_similarities,
)

MANY, WIDE = 200_000, 100_000
SMALL = 2**29
"""No refusal takes more than that: views, copies of them and a sample, but no large array."""


@pytest.fixture(autouse=True)
def a_usual_laptop(monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "4GiB")


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    return Views({"a": rng.random((MANY, 3)), "b": rng.random((MANY, 2))})


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    places = np.arange(MANY), rng.integers(WIDE, size=MANY)
    words = sparse.csr_array((np.ones(MANY), places), shape=(MANY, WIDE))
    return Views({"words": words, "place": rng.random((MANY, 2))})


@pytest.fixture(scope="module")
def y():
    return np.arange(MANY) % 2


def told(act, *, size, remedy):
    """Whether an act ends in the sentence, with a size, a remedy, and little memory used."""
    tracemalloc.start()
    try:
        with pytest.raises(
            MemoryLimitError, match=r"^[^\n]* MANYVIEWS_MAX_MEMORY=\d+GB\.$"
        ) as error:
            act()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert re.search(rf"would take {size} of memory", str(error.value)), str(error.value)
    assert remedy in str(error.value)
    assert peak < SMALL


@pytest.mark.parametrize(
    "model",
    [
        CoRegularizedSpectral(affinity="rbf"),
        CoTrainedSpectral(affinity="rbf"),
        FusedSpectral(affinity="rbf"),
        MinDisagreementSpectral(affinity="rbf"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_spectral_methods_name_graphs_and_low_rank(model, many):
    told(lambda: model.fit(many), size="298 GiB", remedy="KNNGraph()")
    told(lambda: model.fit(many), size="298 GiB", remedy="LowRankKernel()")


def test_the_remedies_are_smaller(many):
    some = many[:3000]
    for affinity in (KNNGraph(), LowRankKernel()):
        _, grams = fit_similarities(some, affinity)
        assert not any(isinstance(gram, np.ndarray) for gram in grams.values())


@pytest.mark.parametrize(
    "learner",
    [AverageKernel, BestKernel, LpMKL, SimpleMKL, TargetAlignment, TwoStageMKL],
)
def test_a_kernel_learnt_from_all_objects_is_too_large(learner, many, y):
    told(lambda: learner("rbf").fit(many, y), size="298 GiB", remedy="unlabelled")


def test_a_third_of_the_objects_are_too_many_landmarks(many, y):
    for similarity in ("rbf", "self_tuning"):
        model = LandmarkClassifier(similarity)
        told(lambda model=model: model.fit(many, y), size="199 GiB", remedy="n_landmarks=300")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_machines_on_all_objects(kernel, many, y):
    model = TransductiveSVM(kernel)
    told(lambda: model.fit(many, y), size="298 GiB", remedy="loss='squared_hinge'")


def test_co_regularised_least_squares(many, y):
    told(lambda: CoRLS("rbf").fit(many, y), size="298 GiB", remedy="LowRankKernel()")
    model = CoRLS("linear", solver="dual")
    told(lambda: model.fit(many, y), size="298 GiB", remedy="LowRankKernel()")


@pytest.mark.parametrize("learner", [CoLaplacianRLS, CoLaplacianSVM])
def test_laplacian_machines_of_many_labels(learner, many, y, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "2MB")
    some, labels = many[:1500], y[:1500]
    with pytest.raises(MemoryLimitError, match=r"1,500 labelled objects .* label fewer objects"):
        learner("linear", intrinsic=0.0, solver="primal").fit(some, labels)


def test_a_graph_of_a_dense_kernel(many, y):
    model = SpectralGraphTransducer("rbf")
    told(lambda: model.fit(many, y), size="298 GiB", remedy="KNNGraph()")


def test_pivots_stop_where_the_memory_ends(many, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "20MB")
    model = KernelCCA(kernel=RBF(gamma=300.0), cholesky_tol=1e-3)
    tracemalloc.start()
    with pytest.raises(MemoryLimitError, match=r"a factor of rank 512 .* .max_rank of KernelCCA"):
        model.fit(many[:9000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 9000**2  # bytes: an eighth of what all pairs would take
    exact = KernelCCA(kernel="rbf", cholesky_tol=0.0)
    with pytest.raises(MemoryLimitError, match=r"among 9,000 objects .* a cholesky_tol above 0"):
        exact.fit(many[:9000])


@pytest.mark.parametrize("kernel", [IncompleteLinear(), IncompleteRBF(sigma=1.0), "rbf"])
def test_features_that_are_similarities(kernel, many):
    told(lambda: KernelFeatures(kernel).fit_transform(many), size="298 GiB", remedy="fit on fewer")


def test_similarities_filled_for_unobserved_views(many, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "2MB")
    some = many[:600]
    partly = some.with_observed({"a": np.arange(600) < 400})
    with pytest.raises(MemoryLimitError, match="600 to 600 objects"):
        fit_similarities(partly, {"a": SelfTuningRBF(), "b": KNNGraph()})


def test_products_and_sparse_similarities_made_dense():
    factor = np.ones((MANY, 2))
    told(lambda: to_dense(LowRank(factor, factor)), size="298 GiB", remedy="fewer objects")
    told(lambda: to_dense(sparse.csr_array((MANY, MANY))), size="298 GiB", remedy="of one kind")


def test_all_kernels_of_a_library_kept(many, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "10MB")
    library = KernelLibrary(["linear", "rbf"], keep=True)
    with pytest.raises(MemoryLimitError, match=r"4 kernels among 900 objects.*keep=False"):
        library.fitted(many[:900])


@pytest.mark.parametrize(
    "model",
    [
        BregmanWard(view_weights="balanced"),
        HybridTree(view_weights=None),
        IncompleteGaussianMixture(covariance="diag"),
        ConditionalMeanImputer(IncompleteGaussianMixture(covariance="diag")),
        UnconditionalMeanImputer(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sparse_views_are_not_made_dense_in_silence(model, wide):
    told(lambda: model.fit(wide), size="149 GiB", remedy="PerView(TruncatedSVD(100))")


def test_one_wide_array_and_one_wide_frame(wide):
    told(lambda: np.asarray(wide), size="149 GiB", remedy="PerView(TruncatedSVD(100))")
    told(lambda: wide.to_frame(), size="149 GiB", remedy="PerView(TruncatedSVD(100))")


def test_full_covariances_of_many_features(wide):
    mixture = CoEMMixture(2, likelihood=Gaussian(covariance="full"), view_weights=None, n_init=1)
    told(lambda: mixture.fit(wide[:2000]), size="149 GiB", remedy="covariance='diag'")
    told(
        lambda: IncompleteGaussianMixture().fit(wide[:2000]),
        size="75 GiB",
        remedy="covariance='diag'",
    )
    told(
        lambda: CCA(solver="covariance").fit(wide[:2000]),
        size="75 GiB",
        remedy="solver='randomized'",
    )
    rows = np.zeros((3, WIDE))
    told(lambda: Mahalanobis().fitted(rows), size="75 GiB", remedy="SquaredEuclidean()")


def test_members_that_take_no_sparse_views(wide, y):
    class DenseOnly(RandomForestClassifier):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = False
            return tags

    model = ViewSubsetEnsemble(DenseOnly(5))
    told(lambda: model.fit(wide, y), size="149 GiB|112 GiB|99 GiB", remedy="takes sparse views")


# -- new objects, some at a time -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (FusedSpectral(2, n_init=1), "predict"),
        (AverageKernel("rbf"), "decision_function"),
        (LandmarkClassifier("rbf", n_landmarks=200), "decision_function"),
        (SpectralGraphTransducer("rbf", n_components=10), "decision_function"),
        (TransductiveSVM("rbf"), "decision_function"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_asking_for_many_takes_no_more_memory_than_asking_for_few(
    model, method, many, y, monkeypatch
):
    model.fit(many[:200], y[:200])
    few = many[:6000]
    whole = getattr(model, method)(few)
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "200kB")
    tracemalloc.start()
    parts = getattr(model, method)(few)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(parts, whole, rtol=1e-9, atol=1e-12)
    assert peak < 6000 * 200 * 8 / 2

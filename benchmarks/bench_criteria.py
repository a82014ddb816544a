"""Criteria for what to label next beside scikit-activeml's, and rankings of 100,000 objects.

The scores are compared on the same arrays of probabilities, since a whole query is mostly the
prediction of the pool, which both leave to the same classifier: the rows of ``rank`` show that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks._measure import Comparison, compare, growing, peer, seconds_by_size
from manyviews import MergeViews, Views
from manyviews.acquire import (
    entropy,
    kl_to_mean,
    least_confident,
    margin,
    rank,
    vote_entropy,
)
from manyviews.typing import FloatArray

N_MEMBERS = 5
N_LABELS = 200


def scores(n_objects: int, n_classes: int) -> Iterator[Comparison]:
    """Each score beside the function behind the query strategy of the same name."""
    uncertainty = peer("skactiveml.pool", "uncertainty_scores")
    divergence = peer("skactiveml.pool", "average_kl_divergence")
    votes_entropy = peer("skactiveml.pool", "vote_entropy")
    rng = np.random.default_rng(0)
    one = rng.dirichlet(np.ones(n_classes), size=n_objects)
    committee = rng.dirichlet(np.ones(n_classes), size=(N_MEMBERS, n_objects))
    votes, classes = committee.argmax(axis=2).T, np.arange(n_classes)
    size = f"{n_objects:,} × {n_classes}"

    def row(
        name: str, ours: Callable[[FloatArray], FloatArray], theirs: Callable[[], object]
    ) -> Comparison:
        table = one if name.startswith("UncertaintySampling") else committee
        return compare(
            f"{size}, {ours.__name__} / {name}", lambda: ours(table), theirs, at_most=0.1
        )

    for ours, method in (
        (entropy, "entropy"),
        (margin, "margin_sampling"),
        (least_confident, "least_confident"),
    ):
        name = f"UncertaintySampling {method}"
        yield row(name, ours, partial(uncertainty, one, method=method))
    yield row("QueryByCommittee vote_entropy", vote_entropy, lambda: votes_entropy(votes, classes))
    # theirs clips the probabilities in place
    yield row("QueryByCommittee KL_divergence", kl_to_mean, lambda: divergence(committee.copy()))


def queries(n_objects: int, n_classes: int) -> Iterator[Comparison]:
    """The ten best of all by fitted logistic regressions, prediction included."""
    wrapped = peer("skactiveml.classifier", "SklearnClassifier")
    pool = "skactiveml.pool"
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(n_objects, 20))
    y = np.full(n_objects, -1)
    y[:N_LABELS] = rng.permutation(np.arange(N_LABELS) % n_classes)
    theirs_y = np.where(y < 0, np.nan, y)
    views = Views({"a": wide[:, :10], "b": wide[:, 10:]})
    parts = [np.arange(part, N_LABELS, N_MEMBERS) for part in range(N_MEMBERS)]
    learner = LogisticRegression()
    ours = [make_pipeline(MergeViews(), learner).fit(views[part], y[part]) for part in parts]
    classes = np.arange(n_classes)
    theirs = [wrapped(learner, classes=classes).fit(wide[part], y[part]) for part in parts]
    size = f"{n_objects:,} × {n_classes}"

    sampling = peer(pool, "UncertaintySampling")(method="entropy", random_state=0)
    yield compare(
        f"{size}, rank entropy / UncertaintySampling.query",
        lambda: rank(ours[0], views, y, criterion="entropy", n=10),
        lambda: sampling.query(wide, theirs_y, theirs[0], fit_clf=False, batch_size=10),
        repeats=5,
    )
    voting = peer(pool, "QueryByCommittee")(method="KL_divergence", random_state=0)
    yield compare(
        f"{size}, rank kl_to_mean / QueryByCommittee.query",
        lambda: rank(ours, views, y, criterion="kl_to_mean", n=10),
        lambda: voting.query(wide, theirs_y, theirs, fit_ensemble=False, batch_size=10),
        repeats=5,
    )
    informed = peer(pool, "GreedyBALD")(random_state=0)
    yield compare(
        f"{size}, rank kl_to_mean / GreedyBALD.query, the same mutual information",
        lambda: rank(ours, views, y, criterion="kl_to_mean", n=10),
        lambda: informed.query(wide, theirs_y, theirs, fit_ensemble=False, batch_size=10),
        repeats=5,
    )


def growth(*sizes: int) -> Comparison:
    """A score's time over the number of objects: it should be a line."""
    rng = np.random.default_rng(0)
    tables = {size: rng.dirichlet(np.ones(10), size=(N_MEMBERS, size)) for size in sizes}
    counts, seconds = seconds_by_size(
        {size: partial(kl_to_mean, table) for size, table in tables.items()}
    )
    return growing("kl_to_mean", counts, seconds, at_most=1.1)


SHORT = (
    partial(scores, 100_000, 2),
    partial(scores, 100_000, 10),
    partial(growth, 25_000, 200_000),
)
ALL = (*SHORT, partial(queries, 100_000, 2), partial(queries, 100_000, 10))

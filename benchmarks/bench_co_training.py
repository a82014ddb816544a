"""``CoTraining`` until all is labelled, beside a bare loop on sums, mvlearn's and sslearn's.

All see two views, of ten Gaussian features if nothing else is said, and ten labels per class. The
pool is a quarter of the objects and each view labels one in fifty objects per round, so that the
number of rounds does not grow with the objects. sslearn lets both views choose together and is
given twice as many; mvlearn stops when the pool cannot be filled up any more and leaves it
unlabelled. Both refuse sparse views and are given dense copies of them; mvlearn knows two classes
only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews.semi_supervised import CoTraining
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

SIZES = (5_000, 20_000, 100_000)
PEER_SIZE = 5_000
N_FEATURES = 10
N_LABELS = 10
REPEATS = 5


@dataclass(frozen=True)
class Task:
    """Objects in two views, few of them labelled, and what all methods are told."""

    views: list[Any]
    y: IntArray
    truth: IntArray
    kind: str = ""

    @property
    def n_classes(self) -> int:
        return int(self.truth.max()) + 1

    @property
    def pool_size(self) -> int:
        return len(self.y) // 4

    @property
    def per_class(self) -> int:
        return len(self.y) // (50 * self.n_classes)

    def accuracy(self, labels: Any) -> float:
        return float((np.asarray(labels) == self.truth).mean())


def run() -> Iterator[Comparison]:
    yield from taught()
    yield from logistic_regression()
    yield from other_views()
    yield small_rounds(draw(PEER_SIZE))


def draw(n_objects: int) -> Task:
    rng = np.random.default_rng(0)
    truth = np.arange(n_objects) % 2
    shift = 1.5 * (2 * truth[:, None] - 1) / np.sqrt(N_FEATURES)
    views = [rng.standard_normal((n_objects, N_FEATURES)) + shift for _ in range(2)]
    return few_labels(views, truth)


def few_labels(views: list[Any], truth: IntArray, kind: str = "") -> Task:
    n_labels = N_LABELS * (int(truth.max()) + 1)
    return Task(views, np.where(np.arange(len(truth)) < n_labels, truth, -1), truth, kind)


def blobs(n_objects: int, n_classes: int, width: int, gap: float) -> Task:
    """Gaussian clouds around as many centres as there are classes."""
    rng = np.random.default_rng(0)
    truth = np.arange(n_objects) % n_classes
    views = []
    for _ in range(2):
        centres = rng.standard_normal((n_classes, width))
        centres -= centres.mean(axis=0)
        centres *= gap / np.linalg.norm(centres, axis=1, keepdims=True)
        views.append(rng.standard_normal((n_objects, width)) + centres[truth])
    return few_labels(views, truth, f"{n_classes} classes, {width} features")


def texts(n_objects: int, n_classes: int, n_words: int = 2_000, length: int = 40) -> Task:
    """Sparse counts of words, seven in ten by Zipf's law, the others of the class."""
    rng = np.random.default_rng(0)
    truth = np.arange(n_objects) % n_classes
    rows = np.repeat(np.arange(n_objects), length)
    usual = 1 / np.arange(1, n_words + 1)
    views: list[Matrix] = []
    for _ in range(2):
        shared = rng.choice(n_words, size=(n_objects, length), p=usual / usual.sum())
        own = rng.permutation(n_words)[: 100 * n_classes].reshape(n_classes, 100)
        special = own[truth[:, None], rng.integers(100, size=shared.shape)]
        words = np.where(rng.random(shared.shape) < 0.3, special, shared).ravel()
        counts = csr_array((np.ones(len(words)), (rows, words)), shape=(n_objects, n_words))
        counts.sum_duplicates()
        views.append(counts)
    return few_labels(views, truth, f"{n_classes} classes, {n_words:,} words, sparse")


def counted(task: Task) -> Task:
    """The same with no feature below zero, and every other one turned: counts go by shares."""
    turned = np.where(np.arange(N_FEATURES) % 2, -1.0, 1.0)
    return replace(task, views=[view * turned - (view * turned).min() for view in task.views])


def taught() -> Iterator[Comparison]:
    """Members that learn from the objects of a round only."""
    members = (
        GaussianNB(),
        BernoulliNB(),
        MultinomialNB(),
        ComplementNB(),
        SGDClassifier(loss="log_loss", random_state=0),
    )
    for member in members:
        rows = []
        for n_objects in SIZES:
            task = draw(n_objects)
            if isinstance(member, MultinomialNB | ComplementNB):
                task = counted(task)
            # Others learn by scikit-learn's own partial_fit, which checks its input in each round.
            at_most = 2.0 if isinstance(member, GaussianNB) else None
            rows.append(beside_sums(task, member, at_most))
        yield from rows
        yield exponent(rows, SIZES)
    yield lessons_alone(draw(SIZES[0]), members[-1])


def lessons_alone(task: Task, member: Any) -> Comparison:
    """What no loop around ``partial_fit`` can be quicker than: its calls, and no question asked."""
    lessons: list[tuple[IntArray, IntArray]] = []
    sums_loop(task, lessons)

    def teach() -> None:
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for view in task.views:
                taught = clone(member)
                for added, codes in lessons:
                    taught.partial_fit(view[added], codes, classes=[0, 1])

    name = f"{type(member).__name__}, {len(task.y):,} objects: calls of partial_fit alone"
    return compare(f"{name}; sums by hand", teach, lambda: sums_loop(task), repeats=REPEATS)


def exponent(rows: list[Comparison], sizes: tuple[int, ...]) -> Comparison:
    growth = growth_exponent(sizes, [row.seconds for row in rows])
    named = replace(rows[-1], name=f"the same: growth exponent {growth:.2f}", extra_bytes=None)
    return replace(named, goal="at most 1.1", met=growth <= 1.1)


def beside_sums(task: Task, member: Any, at_most: float | None) -> Comparison:
    """A member that is taught by ``partial_fit``, beside a loop that adds up sums by hand."""
    scores = task.accuracy(co_train(task, member).transduction_), task.accuracy(sums_loop(task))
    name = f"{type(member).__name__}, {len(task.y):,} objects; sums by hand"
    return compare(
        f"{name} (accuracy {scores[0]:.3f}; {scores[1]:.3f})",
        lambda: co_train(task, member),
        lambda: sums_loop(task),
        at_most=at_most,
        repeats=REPEATS,
    )


def logistic_regression() -> Iterator[Comparison]:
    sizes = (PEER_SIZE, 4 * PEER_SIZE)
    rows = []
    for n_objects in sizes:
        task = draw(n_objects)
        rows.append(beside_peer("plain loop", plain_loop, task, LogisticRegression(), None))
    yield from rows
    yield exponent(rows, sizes)
    task = draw(PEER_SIZE)
    for name, peer in peers().items():
        for member in (LogisticRegression(), GaussianNB()):
            yield beside_peer(name, peer, task, member, 0.2)


def other_views() -> Iterator[Comparison]:
    """Logistic regression of several classes, many features, and words."""
    tasks = (
        blobs(PEER_SIZE, n_classes=5, width=N_FEATURES, gap=3.0),
        blobs(PEER_SIZE, n_classes=2, width=200, gap=3.0),
        blobs(PEER_SIZE, n_classes=5, width=200, gap=4.0),
        texts(PEER_SIZE, n_classes=2),
        texts(PEER_SIZE, n_classes=5),
    )
    for task in tasks:
        yield beside_refits(task)
        for name, peer in peers().items():
            if name != "mvlearn" or task.n_classes == 2:
                yield beside_peer(name, peer, task, LogisticRegression(), 0.2)


def beside_refits(task: Task) -> Comparison:
    title = f"LogisticRegression, {task.kind}, {len(task.y):,} objects"
    return compare(
        f"{title}; refitted in every round",
        lambda: co_train(task, LogisticRegression()),
        lambda: co_train(task, LogisticRegression(), incremental=False),
        repeats=3,
    )


def beside_peer(
    name: str, peer: Callable[[Task, Any], Any], task: Task, member: Any, at_most: float | None
) -> Comparison:
    scores = task.accuracy(co_train(task, member).transduction_), task.accuracy(peer(task, member))
    kind = f" {task.kind}," if task.kind else ""
    title = f"{type(member).__name__},{kind} {len(task.y):,} objects; {name}"
    return compare(
        f"{title} (accuracy {scores[0]:.3f}; {scores[1]:.3f})",
        lambda: co_train(task, member),
        lambda: peer(task, member),
        at_most=at_most,
        repeats=1 if is_sparse(task.views[0]) else REPEATS,
    )


def small_rounds(task: Task) -> Comparison:
    """Blum & Mitchell's own pool of 75 and one object per class and view."""

    def fit(incremental: Any) -> Any:
        model = CoTraining(
            GaussianNB(),
            pool_size=75,
            per_class=1,
            confirm=False,
            max_iter=None,
            incremental=incremental,
            view_weights=None,
            random_state=0,
        )
        return model.fit(task.views, task.y)

    return compare(
        f"GaussianNB, {len(task.y):,} objects, pool of 75, one per class; refitted in every round",
        lambda: fit("auto"),
        lambda: fit(False),
        repeats=1,
    )


def co_train(task: Task, member: Any, incremental: Any = "auto") -> CoTraining:
    model = CoTraining(
        member,
        pool_size=task.pool_size,
        per_class=task.per_class,
        confirm=False,  # as the peers
        view_weights=None,
        max_iter=None,
        incremental=True if isinstance(member, SGDClassifier) else incremental,
        random_state=0,
    )
    return model.fit(task.views, task.y)


class Sums:
    """Gaussian naive Bayes by counts, sums and sums of squares, and nothing around it."""

    def __init__(self) -> None:
        self.counts = np.zeros(2)
        self.sums, self.squares = np.zeros((2, 2, N_FEATURES))

    def add(self, rows: FloatArray, labels: IntArray) -> None:
        for code in (0, 1):
            mine = rows[labels == code]
            self.counts[code] += len(mine)
            self.sums[code] += mine.sum(axis=0)
            self.squares[code] += (mine**2).sum(axis=0)

    def shares(self, rows: FloatArray) -> FloatArray:
        scores = np.empty((len(rows), 2))
        for code in (0, 1):
            mean = self.sums[code] / self.counts[code]
            spread = self.squares[code] / self.counts[code] - mean**2 + 1e-9
            scores[:, code] = -0.5 * ((rows - mean) ** 2 / spread).sum(axis=1)
            scores[:, code] += np.log(self.counts[code]) - 0.5 * np.log(spread).sum()
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        return scores / scores.sum(axis=1, keepdims=True)


def sums_loop(task: Task, lessons: list[tuple[IntArray, IntArray]] | None = None) -> IntArray:
    """Co-training on the sums; what was learnt from in each round is added to ``lessons``."""
    members = [Sums(), Sums()]

    def learn(codes: IntArray, added: IntArray) -> None:
        if lessons is not None:
            lessons.append((added, codes[added]))
        for member, view in zip(members, task.views, strict=True):
            member.add(view[added], codes[added])

    def ask(rows: IntArray) -> list[FloatArray]:
        return [m.shares(v[rows]) for m, v in zip(members, task.views, strict=True)]

    return rounds(task, learn, ask)


def plain_loop(task: Task, member: Any) -> IntArray:
    """The same with any classifier, trained from scratch in every round."""
    members = [clone(member), clone(member)]

    def learn(codes: IntArray, added: IntArray) -> None:  # noqa: ARG001 (the signature of learn)
        known = codes >= 0
        for each, view in zip(members, task.views, strict=True):
            each.fit(view[known], codes[known])

    def ask(rows: IntArray) -> list[FloatArray]:
        return [m.predict_proba(v[rows]) for m, v in zip(members, task.views, strict=True)]

    return rounds(task, learn, ask)


def rounds(
    task: Task,
    learn: Callable[[IntArray, IntArray], None],
    ask: Callable[[IntArray], list[FloatArray]],
) -> IntArray:
    """Co-training without records, gaps or checks."""
    codes = task.y.copy()
    queue = np.random.default_rng(0).permutation(np.flatnonzero(codes < 0))
    learn(codes, np.flatnonzero(codes >= 0))
    while len(queue):
        pool = queue[: task.pool_size]
        best = np.zeros(len(pool))
        taken = np.full(len(pool), -1)
        for shares in ask(pool):
            for code in (0, 1):
                sure = shares[:, code]
                mine = np.flatnonzero(sure > 0.5)
                mine = mine[np.argsort(-sure[mine])[: task.per_class]]
                mine = mine[sure[mine] > best[mine]]
                best[mine], taken[mine] = sure[mine], code
        added = taken >= 0
        codes[pool[added]] = taken[added]
        learn(codes, pool[added])
        queue = np.concatenate([pool[~added], queue[task.pool_size :]])
    return codes


def peers() -> dict[str, Callable[[Task, Any], Any]]:
    """Those that are installed."""
    found: dict[str, Callable[[Task, Any], Any]] = {}
    try:
        from mvlearn.semi_supervised import CTClassifier

        found["mvlearn"] = lambda task, member: by_mvlearn(CTClassifier, task, member)
    except ImportError:
        print("mvlearn is not installed")
    try:
        from sslearn.wrapper import CoTraining as SSLearnCoTraining

        found["sslearn"] = lambda task, member: by_sslearn(SSLearnCoTraining, task, member)
    except ImportError:
        print("sslearn is not installed")
    return found


def dense(task: Task) -> list[FloatArray]:
    return [view.toarray() if is_sparse(view) else view for view in task.views]


def by_mvlearn(peer: Any, task: Task, member: Any) -> Any:
    views = dense(task)
    model = peer(
        clone(member),
        clone(member),
        p=task.per_class,
        n=task.per_class,
        unlabeled_pool_size=task.pool_size,
        num_iter=len(task.y),
        random_state=0,
    )
    model.fit(views, np.where(task.y < 0, np.nan, task.y))
    shares = sum(
        member.predict_proba(view)
        for member, view in zip((model.estimator1_, model.estimator2_), views, strict=True)
    )
    return shares.argmax(axis=1)


def by_sslearn(peer: Any, task: Task, member: Any) -> Any:
    views = dense(task)
    model = peer(member, max_iterations=len(task.y), poolsize=task.pool_size, random_state=0)
    counts = dict.fromkeys(range(task.n_classes), 2 * task.per_class)
    model.fit(views[0], task.y, X2=views[1], number_per_class=counts)
    return model.predict(*views)

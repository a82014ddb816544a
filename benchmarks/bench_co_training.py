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
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from benchmarks._measure import Comparison, compare, growing, peer
from manyviews.semi_supervised import CoTraining
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

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


MEMBERS = {
    "GaussianNB": GaussianNB(),
    "BernoulliNB": BernoulliNB(),
    "MultinomialNB": MultinomialNB(),
    "ComplementNB": ComplementNB(),
    "SGDClassifier": SGDClassifier(loss="log_loss", random_state=0),
    "LogisticRegression": LogisticRegression(),
}
TAUGHT = tuple(MEMBERS)[:-1]
"""Members that learn from the objects of a round only."""


def taught(kind: str, *sizes: int) -> Iterator[Comparison]:
    rows = []
    for n_objects in sizes:
        task = draw(n_objects)
        if kind in ("MultinomialNB", "ComplementNB"):
            task = counted(task)
        # Others learn by scikit-learn's own partial_fit, which checks its input in each round.
        at_most = 2.0 if kind == "GaussianNB" else None
        rows.append(beside_sums(task, MEMBERS[kind], at_most=at_most))
    yield from rows
    yield growing(f"{kind}, taught", sizes, [row.seconds for row in rows], at_most=1.1)


def lessons_alone(kind: str, n_objects: int) -> Comparison:
    """What no loop around ``partial_fit`` can be quicker than: its calls, and no question asked."""
    task, member = draw(n_objects), MEMBERS[kind]
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


def beside_sums(task: Task, member: Any, *, at_most: float | None) -> Comparison:
    """A member that is taught by ``partial_fit``, beside a loop that adds up sums by hand."""
    scores = task.accuracy(co_train(task, member).transduction_), task.accuracy(sums_loop(task))
    row = compare(
        f"{type(member).__name__}, {len(task.y):,} objects; sums by hand",
        lambda: co_train(task, member),
        lambda: sums_loop(task),
        at_most=at_most,
        repeats=REPEATS,
    )
    return replace(row, found=f"accuracy {scores[0]:.3f}; {scores[1]:.3f}")


def logistic_regression(*sizes: int) -> Iterator[Comparison]:
    rows = [
        beside_loop("plain loop", plain_loop, draw(n), LogisticRegression(), None) for n in sizes
    ]
    yield from rows
    yield growing("LogisticRegression", sizes, [row.seconds for row in rows], at_most=1.1)


def beside_peer(name: str, kind: str, what: str, n_objects: int) -> Comparison:
    """Another package on the same task."""
    return beside_loop(name, PEERS[name](), TASKS[what](n_objects), MEMBERS[kind], 0.2)


def beside_refits(what: str, n_objects: int) -> Comparison:
    task = TASKS[what](n_objects)
    title = f"LogisticRegression, {task.kind}, {len(task.y):,} objects"
    return compare(
        f"{title}; refitted in every round",
        lambda: co_train(task, LogisticRegression()),
        lambda: co_train(task, LogisticRegression(), incremental=False),
        repeats=REPEATS,
    )


def beside_loop(
    name: str, loop: Callable[[Task, Any], Any], task: Task, member: Any, at_most: float | None
) -> Comparison:
    scores = task.accuracy(co_train(task, member).transduction_), task.accuracy(loop(task, member))
    kind = f" {task.kind}," if task.kind else ""
    row = compare(
        f"{type(member).__name__},{kind} {len(task.y):,} objects; {name}",
        lambda: co_train(task, member),
        lambda: loop(task, member),
        at_most=at_most,
        repeats=1 if is_sparse(task.views[0]) else REPEATS,  # the peers take minutes on words
    )
    return replace(row, found=f"accuracy {scores[0]:.3f}; {scores[1]:.3f}")


def small_rounds(n_objects: int, repeats: int = REPEATS) -> Comparison:
    """Blum & Mitchell's own pool of 75 and one object per class and view."""
    task = draw(n_objects)

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
        repeats=repeats,
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


def dense(task: Task) -> list[FloatArray]:
    return [view.toarray() if is_sparse(view) else view for view in task.views]


def by_mvlearn(kind: Any, task: Task, member: Any) -> Any:
    views = dense(task)
    model = kind(
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


def by_sslearn(kind: Any, task: Task, member: Any) -> Any:
    views = dense(task)
    model = kind(member, max_iterations=len(task.y), poolsize=task.pool_size, random_state=0)
    counts = dict.fromkeys(range(task.n_classes), 2 * task.per_class)
    model.fit(views[0], task.y, X2=views[1], number_per_class=counts)
    return model.predict(*views)


PEERS: dict[str, Callable[[], Callable[[Task, Any], Any]]] = {
    "mvlearn": lambda: partial(by_mvlearn, peer("mvlearn.semi_supervised", "CTClassifier")),
    "sslearn": lambda: partial(by_sslearn, peer("sslearn.wrapper", "CoTraining")),
}
TASKS: dict[str, Callable[[int], Task]] = {
    "two clouds": draw,
    "five clouds": partial(blobs, n_classes=5, width=N_FEATURES, gap=3.0),
    "two wide clouds": partial(blobs, n_classes=2, width=200, gap=3.0),
    "five wide clouds": partial(blobs, n_classes=5, width=200, gap=4.0),
    "two kinds of text": partial(texts, n_classes=2),
    "five kinds of text": partial(texts, n_classes=5),
}
SHORT = (
    partial(taught, "GaussianNB", 5_000, 20_000),
    partial(logistic_regression, 1_000, 4_000),
    *(partial(beside_peer, name, "LogisticRegression", "two clouds", 1_000) for name in PEERS),
    partial(beside_refits, "five clouds", 1_000),
    partial(small_rounds, 500),
)
ALL = (
    *(partial(taught, kind, 5_000, 20_000, 100_000) for kind in TAUGHT),
    partial(lessons_alone, TAUGHT[-1], 5_000),
    partial(logistic_regression, PEER_SIZE, 4 * PEER_SIZE),
    *(
        partial(beside_peer, name, kind, "two clouds", PEER_SIZE)
        for name in PEERS
        for kind in ("LogisticRegression", "GaussianNB")
    ),
    *(partial(beside_refits, what, PEER_SIZE) for what in TASKS if what != "two clouds"),
    *(
        partial(beside_peer, name, "LogisticRegression", what, PEER_SIZE)
        for name in PEERS
        for what in TASKS
        if what != "two clouds" and (name != "mvlearn" or what.startswith("two"))
    ),
    partial(small_rounds, PEER_SIZE, 1),
)

"""``manyviews demo``: a short tour on digits, made of steps that can be added to."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from rich.console import Console

    from manyviews.data import Dataset, Views

HIDDEN_SHARE = 0.3
"""Of the (digit, view) pairs. A judgement: a digit shows two of its three views on average."""
N_FOLDS = 3
"""Of the cross-validation: five take half as long again and change no accuracy by over 0.002."""
N_DIGITS = 10  # the classes, 0 to 9
N_DRAWS = 3
"""Of twenty labels. A judgement: one draw is luck, and each fits three methods for the tour."""
N_NOISE = 20
"""Columns of the view of noise, between the 16 and 64 of the narrowest and the widest view. With
5 or 64 columns all views together reach the same adjusted Rand index, 0.78."""
N_STARTS = 40
"""Of k-means: from ten the plain views end anywhere between 0.46 and 0.53, from forty at 0.46."""
TOGETHER = "all together"
PLAIN = "KMeans, all together"
BALANCED = "KMeans, all balanced"
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Set before NumPy is loaded: on matrices as small as these, threads cost more than they help."""


@dataclass
class Tour:
    """State that the steps share: the data, where to show and to write, and what was found."""

    console: Console | None
    """None when nothing is to be shown but the JSON document at the end."""
    out: Path
    dataset: Dataset
    found: dict[str, Any] = field(default_factory=dict)

    def say(self, content: Any = "") -> None:
        """Show a sentence or a table."""
        if self.console is not None:
            self.console.print(content)

    def working(self) -> AbstractContextManager[Any]:
        """Return a sign of life for a terminal."""
        return nullcontext() if self.console is None else self.console.status("working …")


Step = Callable[[Tour], None]


def show_the_data(tour: Tour) -> None:
    """The same digits, seen in three ways"""  # noqa: D400 (a heading on the screen)
    from manyviews.app.cli.info import contents

    content = contents(tour.dataset)
    tour.found["data"] = content
    tour.say(
        f"{content['n_objects']:,} handwritten digits, which scikit-learn ships, as their 64 "
        "pixels, as the magnitudes of their Fourier coefficients, and as row and column sums."
    )
    rows = [(v["name"], v["n_features"], v["kind"], v["density"]) for v in content["views"]]
    tour.say(
        frame.table(("view", "features", "kind", "density"), rows, right=("features", "density"))
    )


def compare_views(tour: Tour) -> None:
    """Each view alone, and all together"""  # noqa: D400
    complete = _accuracies(tour.dataset.views, tour.dataset.y)
    tour.found["accuracy"] = complete
    tour.say(
        f"Logistic regression, accuracy over {N_FOLDS} folds, by scikit-learn's cross_val_score "
        "on the views as they are:"
    )
    rows = [(name, _percent(a)) for name, a in complete.items()]
    tour.say(frame.table(("view", "accuracy"), rows, right=("accuracy",)))


def hide_some_views(tour: Tour) -> None:
    """The same with views missing"""  # noqa: D400
    from manyviews.datasets import hide_views

    views = hide_views(tour.dataset.views, HIDDEN_SHARE, "random", seed=0)
    gappy = _accuracies(views, tour.dataset.y)
    seen = {**dict(zip(views.names, views.observed.mean(axis=0), strict=True)), TOGETHER: 1.0}
    right = {name: accuracy * float(seen[name]) for name, accuracy in gappy.items()}
    tour.found["accuracy_with_views_hidden"] = gappy
    tour.found["share_right_with_views_hidden"] = right
    tour.say(
        f"{HIDDEN_SHARE:.0%} of all (digit, view) pairs are hidden at random, and every digit "
        "keeps at least one view. A view alone can say nothing of the digits that it does not show:"
    )
    rows = [(n, _percent(seen[n]), _percent(gappy[n]), _percent(right[n])) for n in gappy]
    columns = ("view", "digits shown", "accuracy on them", "right of all digits")
    tour.say(frame.table(columns, rows, right=columns[1:]))


def cluster_the_digits(tour: Tour) -> None:
    """Ten clusters without labels: each view, all together, and with a view of noise"""  # noqa: D400
    from manyviews.metrics import adjusted_rand_score

    views, y = tour.dataset.views, tour.dataset.y
    clusters = {name: _clusters(views.subset([name])) for name in views.names}
    clusters[TOGETHER] = _clusters(views)
    spoilt, remarks = _clusters_beside_noise(views)
    found = {name: float(adjusted_rand_score(y, c)) for name, c in clusters.items()}
    found |= _k_means_scores(views, y)
    noisy = {TOGETHER: float(adjusted_rand_score(y, spoilt)), **_k_means_scores(_noisy(views), y)}
    tour.found["adjusted_rand_index"] = found
    tour.found["adjusted_rand_index_with_noise"] = noisy
    tour.found["warnings"] = remarks
    tour.say(
        "CoRegularizedSpectral as it is, on each view alone and on all; beside it scikit-learn's "
        "KMeans on the same views side by side, as they are and balanced (each divided by its "
        f"size). The last column adds a view of {N_NOISE} random numbers for each digit. Adjusted "
        "Rand index against the digits (0 by chance, 1 the same):"
    )
    rows = [(n, _two_digits(value), _two_digits(noisy.get(n))) for n, value in found.items()]
    columns = ("clusters by", "three views", "and noise")
    tour.say(frame.table(columns, rows, right=columns[1:]))
    tour.say(_what_clusters_show(found, noisy))
    for remark in remarks:
        tour.say(f"CoRegularizedSpectral says of the noise: {remark}")
    _draw(tour, "clusters", lambda plots: _prototypes(plots, tour.dataset, clusters))


def learn_from_twenty_labels(tour: Tour) -> None:
    """Twenty labels, two of each digit, and the rest unlabelled"""  # noqa: D400
    found = _accuracies_with_few_labels(tour.dataset.views, tour.dataset.y)
    tour.found["accuracy_with_twenty_labels"] = found
    tour.say(
        f"Accuracy on the digits without a label, mean of {N_DRAWS} draws. The first rows have "
        "seen the twenty labelled digits only; the others all digits, in three views:"
    )
    rows = [(name, _percent(share)) for name, share in found.items()]
    tour.say(frame.table(("learnt by", "accuracy"), rows, right=("accuracy",)))


def diagnose_the_views(tour: Tour) -> None:
    """What the diagnosis says of the three views"""  # noqa: D400
    from manyviews import diagnose

    diagnosis = diagnose(tour.dataset.views, tour.dataset.y, max_objects=1000, random_state=0)
    tour.found["findings"] = [finding.sentence for finding in diagnosis.findings]
    for finding in diagnosis.findings:
        tour.say(f"  • {finding.sentence}")
    _draw(tour, "diagnosis", lambda plots: plots.DiagnosisDisplay.from_diagnosis(diagnosis))


STEPS: list[Step] = [
    show_the_data,
    compare_views,
    hide_some_views,
    cluster_the_digits,
    learn_from_twenty_labels,
    diagnose_the_views,
]
"""The tour, in order; a step is a function whose docstring is its heading."""


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("manyviews-demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for the pictures.",
)
@frame.json_option
def demo(out: Path, as_json: bool) -> None:
    """Show on digits what several views are good for.

    Needs no data and no network, and takes well under a minute.
    """
    for variable in THREADS:
        os.environ.setdefault(variable, "1")

    from manyviews.datasets import load_digits_views

    out.mkdir(parents=True, exist_ok=True)
    tour = Tour(None if as_json else frame.console(), out, load_digits_views())
    take(tour, STEPS)
    frame.emit(tour.found, as_json=as_json, show=lambda screen: _show_end(tour, screen))


def take(tour: Tour, steps: list[Step]) -> None:
    """Take the steps of a tour one after the other, with a sign of life on a terminal."""
    for number, step in enumerate(steps, 1):
        heading = (step.__doc__ or step.__name__).strip()
        tour.say(f"\n{number}/{len(steps)}  {heading}\n")
        with tour.working():
            step(tour)


def _accuracies(views: Views, y: Any) -> dict[str, float]:
    """Cross-validated accuracy of each view on what it shows, and of all together."""
    found = {}
    for name in views.names:
        shown = views.observed_in(name)
        found[name] = _accuracy(views.subset([name])[shown], y[shown])
    return {**found, TOGETHER: _accuracy(views, y)}


def _accuracy(views: Views, y: Any) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from manyviews import MergeViews, PerView

    model = make_pipeline(
        PerView(StandardScaler()), MergeViews(), LogisticRegression(max_iter=1000)
    )
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    return float(cross_val_score(model, views, y, cv=folds).mean())


def _accuracies_with_few_labels(views: Views, y: Any) -> dict[str, float]:
    """Accuracy of each view and of all, without and with the unlabelled digits."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from manyviews import MergeViews, PerView
    from manyviews.semi_supervised import (
        CoTraining,
        SeededSphericalKMeans,
        SpectralGraphTransducer,
    )

    scaled = PerView(StandardScaler()).fit_transform(views)
    supervised = make_pipeline(MergeViews(), LogisticRegression(max_iter=1000))
    helped = (
        CoTraining(random_state=0),
        SeededSphericalKMeans(),
        SpectralGraphTransducer(),
    )
    draws: dict[str, list[float]] = {}
    for seed in range(N_DRAWS):
        rng = np.random.default_rng(seed)
        of_digit = [np.flatnonzero(y == digit) for digit in range(N_DIGITS)]
        known = np.concatenate([rng.choice(rows, 2, replace=False) for rows in of_digit])
        labels = np.full(len(y), -1)
        labels[known] = y[known]
        rest = labels < 0
        for name in (*views.names, TOGETHER):
            chosen = scaled if name == TOGETHER else scaled.subset([name])
            right = supervised.fit(chosen[known], y[known]).score(chosen[rest], y[rest])
            draws.setdefault(name, []).append(right)
        for model in helped:
            right = np.mean(model.fit(scaled, labels).transduction_[rest] == y[rest])
            draws.setdefault(type(model).__name__, []).append(right)
    return {name: float(np.mean(each)) for name, each in draws.items()}


def _clusters(views: Views) -> Any:
    from manyviews.cluster import CoRegularizedSpectral

    return CoRegularizedSpectral(N_DIGITS, random_state=0).fit(views).labels_


def _noisy(views: Views) -> Views:
    """Return the views and one more of random numbers, which knows nothing of the digits."""
    import numpy as np

    from manyviews import Views

    noise = np.random.default_rng(0).standard_normal((len(views), N_NOISE))
    return Views({**{name: views[name] for name in views.names}, "noise": noise})


def _clusters_beside_noise(views: Views) -> tuple[Any, list[str]]:
    """Return the clusters of the views and noise, and what was warned of on the way."""
    import warnings

    from manyviews.exceptions import ViewsWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ViewsWarning)
        labels = _clusters(_noisy(views))
    return labels, [str(each.message) for each in caught]


def _k_means_scores(views: Views, y: Any) -> dict[str, float]:
    """Adjusted Rand index of k-means on the views side by side, plain and balanced."""
    from sklearn.cluster import KMeans

    from manyviews import MergeViews
    from manyviews.metrics import adjusted_rand_score

    model = KMeans(N_DIGITS, n_init=N_STARTS, random_state=0)
    merged = {PLAIN: MergeViews(), BALANCED: MergeViews(balance=True)}
    return {
        name: float(adjusted_rand_score(y, model.fit_predict(merge.fit_transform(views))))
        for name, merge in merged.items()
    }


def _what_clusters_show(found: dict[str, float], noisy: dict[str, float]) -> str:
    """Say in a sentence which clustering was best, also if it was a view alone."""
    best = max(found, key=found.__getitem__)
    alone = "" if best in noisy else " alone, which nobody can know without labels"
    return (
        f"Best is {best}{alone}; all views together reach {found[TOGETHER]:.2f} "
        f"({noisy[TOGETHER]:.2f} beside noise), k-means on balanced views "
        f"{found[BALANCED]:.2f} ({noisy[BALANCED]:.2f} beside noise)."
    )


def _prototypes(plots: Any, dataset: Dataset, found: dict[str, Any]) -> Any:
    """Mean image of each cluster, with the share of its commonest digit; clusters by that digit."""
    import numpy as np

    images, captions = {}, {}
    pixels, y = dataset.views["pixels"].reshape(-1, 8, 8), np.asarray(dataset.y)
    for name, labels in found.items():
        counts = np.array([np.bincount(y[labels == c], minlength=N_DIGITS) for c in set(labels)])
        means = np.array([pixels[labels == c].mean(axis=0) for c in set(labels)])
        order = np.lexsort((-counts.max(axis=1), counts.argmax(axis=1)))
        images[name] = means[order]
        captions[name] = [f"{row.argmax()}: {row.max() / row.sum():.0%}" for row in counts[order]]
    return plots.PrototypesDisplay(
        images,
        captions=captions,
        title="the mean digit of each cluster, and the share of its commonest digit",
    ).plot()


def _draw(tour: Tour, name: str, make: Callable[[Any], Any]) -> None:
    """Draw a picture; without matplotlib, say so and go on."""
    from manyviews.exceptions import MissingExtraError

    path = tour.out / f"{name}.png"
    pictures = tour.found.setdefault("pictures", {})
    try:
        frame.draw(make, path)
    except MissingExtraError as error:
        pictures[name] = None
        tour.say(f"\nNo picture: {error}")
    else:
        pictures[name] = str(path)


def _two_digits(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _show_end(tour: Tour, screen: Console) -> None:
    screen.print("\nGo on with: manyviews info FILE, manyviews diagnose FILE, manyviews methods")
    for path in filter(None, tour.found.get("pictures", {}).values()):
        screen.print(path, soft_wrap=True)

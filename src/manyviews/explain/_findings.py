"""From numbers to sentences: one rule per function, thresholds from one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from manyviews.explain import _thresholds as limit
from manyviews.explain._pair_findings import PAIR_RULES
from manyviews.explain._report import Finding, JointReport, PairReport, ViewReport
from manyviews.explain._words import enumerate_names, is_near_chance, percent, plural

Rule = Callable[
    [Sequence[ViewReport], Sequence[PairReport], JointReport],
    Iterable[Finding],
]
_ORDER = ("problem", "advice", "good", "note")


def find(
    views: Sequence[ViewReport], pairs: Sequence[PairReport], joint: JointReport
) -> tuple[Finding, ...]:
    """Apply every rule; problems first, notes last."""
    found = [finding for rule in RULES for finding in rule(views, pairs, joint)]
    return tuple(sorted(found, key=lambda finding: _ORDER.index(finding.severity)))


def empty_views(
    views: Sequence[ViewReport], _: Sequence[PairReport], __: JointReport
) -> Iterable[Finding]:
    """A view never changes, or is never observed."""
    for view in views:
        if view.observed == 0.0:
            sentence = f"{view.name} is observed for no object: leave it out."
            yield Finding("empty_view", "problem", (view.name,), sentence)
        elif view.constant_features == view.n_features:
            sentence = f"{view.name} is constant and can tell no two objects apart: leave it out."
            yield Finding("constant_view", "problem", (view.name,), sentence)


def unobserved(
    views: Sequence[ViewReport], _: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Some objects lack some views."""
    lacking = {view.name: 1.0 - view.observed for view in views if view.observed > 0.0}
    lacking = {name: share for name, share in lacking.items() if share > limit.UNOBSERVED_SHARE}
    if not lacking:
        return
    if len(lacking) == 1:
        ((name, share),) = lacking.items()
        what = f"{percent(share)} of the objects lack {name}"
    else:
        shares = enumerate_names([f"{name} {percent(share)}" for name, share in lacking.items()])
        what = f"objects lack views ({shares}) and only {percent(joint.complete)} have all"
    sentence = f"{what}: prefer methods that take unobserved views."
    numbers = {**lacking, "complete": joint.complete}
    yield Finding("unobserved", "advice", tuple(lacking), sentence, numbers)


def gaps(
    views: Sequence[ViewReport], _: Sequence[PairReport], __: JointReport
) -> Iterable[Finding]:
    """Cells are missing, or rows hold nothing."""
    for view in views:
        if view.empty_rows > limit.EMPTY_ROWS and view.constant_features < view.n_features:
            sentence = (
                f"{percent(view.empty_rows)} of the rows of {view.name} hold nothing but zeros: "
                "if that means unobserved, say so with Views(..., observed=...)."
            )
            numbers = {"share": view.empty_rows}
            yield Finding("empty_rows", "advice", (view.name,), sentence, numbers)
        if view.missing_cells > 0.0:
            sentence = (
                f"{percent(view.missing_cells)} of the cells of {view.name} are missing in rows "
                "that are observed (here filled by the mean): fill them before choosing a method."
            )
            numbers = {"share": view.missing_cells}
            yield Finding("missing_cells", "advice", (view.name,), sentence, numbers)


def scales(
    views: Sequence[ViewReport], _: Sequence[PairReport], __: JointReport
) -> Iterable[Finding]:
    """Views, or the features of one, live on very different scales."""
    varying = [view for view in views if view.spread > 0.0]
    for view in varying:
        if (
            view.kind == "dense"
            and view.n_features - view.constant_features >= 3
            and view.dominant_share >= limit.DOMINANT_SHARE
        ):
            sentence = (
                f"one of the {view.n_features} features of {view.name} carries "
                f"{percent(view.dominant_share)} of its variance: scale the features with "
                "PerView(StandardScaler())."
            )
            numbers = {"share": view.dominant_share}
            yield Finding("dominant_feature", "advice", (view.name,), sentence, numbers)
    if len(varying) < 2:
        return
    small, large = (pick(varying, key=lambda view: view.spread) for pick in (min, max))
    factor = large.spread / small.spread
    if factor >= limit.SCALE_FACTOR:
        how = "" if "sparse" not in {small.kind, large.kind} else "with_mean=False"
        sentence = (
            f"the scales of {small.name} and {large.name} differ by a factor of {factor:,.0f}: "
            f"scale with PerView(StandardScaler({how}))."
        )
        names = (small.name, large.name)
        yield Finding("scales", "advice", names, sentence, {"factor": factor})


def labels(
    _: Sequence[ViewReport], __: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Labels are few, uneven, or do not allow a measurement."""
    if joint.measure == "silhouette":
        return
    counts = joint.class_counts
    if joint.quality is None:
        sentence = f"how well the views predict could not be measured: {joint.note}."
        yield Finding("no_quality", "problem", (), sentence)
    if joint.labelled < limit.FEW_LABELS:
        sentence = (
            f"only {percent(joint.labelled)} of the objects are labelled: look at semi-supervised "
            "methods."
        )
        yield Finding("few_labels", "advice", (), sentence, {"share": joint.labelled})
    alone = [name for name, count in counts.items() if count == 1]
    if alone and joint.quality is not None:
        sentence = (
            f"{plural(len(alone), 'class', 'classes')} with a single labelled object "
            f"({enumerate_names(alone)}) took no part in the accuracies."
        )
        yield Finding("single_object_class", "note", (), sentence, {"classes": float(len(alone))})
    smallest, largest = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    if 1 < counts[smallest] < limit.FEW_PER_CLASS:
        sentence = (
            f"class {smallest} has only {counts[smallest]} labelled objects: take the accuracies "
            "as rough."
        )
        numbers = {"count": float(counts[smallest])}
        yield Finding("small_class", "note", (), sentence, numbers)
    ratio = counts[largest] / counts[smallest]
    if ratio >= limit.IMBALANCE:
        sentence = (
            f"class {largest} is {ratio:.0f} times as frequent as class {smallest}: judge by "
            "balanced accuracy, as here, rather than by accuracy."
        )
        yield Finding("imbalance", "note", (), sentence, {"ratio": ratio})


def near_chance(
    views: Sequence[ViewReport], _: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """A view alone tells nothing: of the labels if there are any, else of clusters."""
    for view in views:
        if view.quality is None or view.chance is None or not is_near_chance(view, joint):
            continue
        numbers = {"quality": view.quality, "chance": view.chance}
        if joint.measure == "silhouette":
            sentence = (
                f"{view.name} shows no clear clusters (silhouette {view.quality:.2f}, a Gaussian "
                f"cloud has {view.chance:.2f}): expect little from clustering it alone."
            )
            yield Finding("no_clusters", "note", (view.name,), sentence, numbers)
        else:
            yield _weak_view(view, view.quality, view.chance, numbers)


def _weak_view(
    view: ViewReport, quality: float, chance: float, numbers: dict[str, float]
) -> Finding:
    error = view.quality_error or 0.0
    evidence = f"(balanced accuracy {quality:.2f} ± {error:.2f}, chance {chance:.2f})"
    if quality - chance < limit.NEAR_CHANCE * (1.0 - chance):
        sentence = f"{view.name} is near chance {evidence}: drop it, or check how it was made."
        return Finding("near_chance", "problem", (view.name,), sentence, numbers)
    sentence = f"{view.name} is not clearly above chance {evidence}: label more objects to know."
    return Finding("unclear_quality", "advice", (view.name,), sentence, numbers)


def gains(
    views: Sequence[ViewReport], _: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """A view raises or lowers the accuracy of the others, or adds nothing."""
    idle = []
    enough = sum(joint.class_counts.values()) * limit.MIN_GAIN >= 1.0
    for view in views:
        if view.gain is None or view.gain_error is None or joint.quality is None:
            continue
        clear = abs(view.gain) >= max(limit.MIN_GAIN, limit.STANDARD_ERRORS * view.gain_error)
        numbers = {"gain": view.gain, "error": view.gain_error, "joint": joint.quality}
        if clear:
            yield _clear_gain(view, _others(view, views), joint, numbers)
        elif (
            enough
            and view.gain + view.gain_error < limit.MIN_GAIN
            and not is_near_chance(view, joint)
        ):
            idle.append(view)
    if len(idle) == 1:
        sentence = f"{idle[0].name} adds nothing beyond {_others(idle[0], views)}."
        numbers = {"gain": idle[0].gain or 0.0, "error": idle[0].gain_error or 0.0}
        yield Finding("adds_nothing", "advice", (idle[0].name,), sentence, numbers)
    elif idle:
        names = tuple(view.name for view in idle)
        sentence = (
            f"{enumerate_names(names)} each add nothing beyond the other views, taken one at a "
            "time: fewer views may do."
        )
        numbers = {f"gain of {view.name}": view.gain or 0.0 for view in idle}
        yield Finding("adds_nothing", "advice", names, sentence, numbers)


def _clear_gain(
    view: ViewReport, others: str, joint: JointReport, numbers: dict[str, float]
) -> Finding:
    gain, quality = numbers["gain"], numbers["joint"]
    where = "" if joint.complete == 1.0 else " over all objects"  # not only where a view is there
    change = (
        f"balanced accuracy{where} by {100 * abs(gain):.1f} points "
        f"(± {100 * numbers['error']:.1f}), from {quality - gain:.2f} to {quality:.2f}"
    )
    if gain > 0:
        sentence = f"adding {view.name} to {others} raises {change}."
        return Finding("adds", "good", (view.name,), sentence, numbers)
    sentence = (
        f"adding {view.name} to {others} lowers {change}: leave it out, or weigh the views instead "
        "of putting them side by side."
    )
    return Finding("harms", "problem", (view.name,), sentence, numbers)


def _others(view: ViewReport, views: Sequence[ViewReport]) -> str:
    names = [other.name for other in views if other is not view]
    return enumerate_names(names) if len(names) <= 2 else "the other views"


def together(
    views: Sequence[ViewReport], _: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """All views against the best one; of two views, what each adds says as much."""
    best = next((view for view in views if view.name == joint.best_view), None)
    if best is None or best.quality is None or best.together is None or len(views) < 3:
        return
    if joint.gain is None or joint.gain_error is None:
        return
    numbers = {"gain": joint.gain, "error": joint.gain_error}
    numbers.update(joint=best.together, best=best.quality)  # both on the objects that have it
    clear = abs(joint.gain) >= max(limit.MIN_GAIN, limit.STANDARD_ERRORS * joint.gain_error)
    everywhere = best.observed == 1.0
    if clear and joint.gain > 0:
        where = "" if everywhere else f" on the objects that have {best.name}"
        sentence = (
            f"all views together beat {best.name}, the best of them, by {100 * joint.gain:.1f} "
            f"points of balanced accuracy (± {100 * joint.gain_error:.1f}){where}."
        )
        yield Finding("views_help", "good", (best.name,), sentence, numbers)
    elif clear or joint.gain + joint.gain_error < limit.MIN_GAIN:
        where = "" if everywhere else " on the objects that have it"
        instead = f"use {best.name} alone" if everywhere else f"trust {best.name} where it is there"
        sentence = (
            f"all views together are no better than {best.name} alone{where} when put side by "
            f"side: weigh the views, or {instead}."
        )
        yield Finding("views_do_not_help", "advice", (best.name,), sentence, numbers)


def subset(
    _: Sequence[ViewReport], __: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Not every object was looked at."""
    if joint.n_measured < joint.n_objects:
        sentence = (
            f"{joint.n_measured:,} of {joint.n_objects:,} objects, chosen at random, stand for all."
        )
        numbers = {"measured": float(joint.n_measured), "objects": float(joint.n_objects)}
        yield Finding("subset", "note", (), sentence, numbers)


RULES: tuple[Rule, ...] = (
    empty_views,
    labels,
    near_chance,
    unobserved,
    gaps,
    scales,
    *PAIR_RULES,
    together,
    gains,
    subset,
)

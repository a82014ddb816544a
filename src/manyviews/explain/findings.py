"""From numbers to sentences: one rule per function, and the limits that the rules decide by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from manyviews.explain.report import (
    Diagnosis,
    Finding,
    JointReport,
    PairReport,
    Severity,
    ViewReport,
)

__all__ = ["with_findings"]

STANDARD_ERRORS = 2.5
"""A difference counts when it is this many standard errors over folds away from nothing."""
MIN_GAIN = 0.01
"""And when it is at least this large (balanced accuracy: one point). That a view adds less is
only said with at least 1 / MIN_GAIN labelled objects, since one object is then one point."""
NEAR_CHANCE = 0.15
"""A view is near chance when it covers less than this share of the way from chance to 1."""
STRUCTURE = 0.05
"""Clusters are real when their silhouette beats that of a Gaussian cloud by this much."""
CONTRADICTION = 0.05
"""Two clusterings have nothing in common when their adjusted Rand index is below this."""
AGREEMENT = 0.5
"""Two clusterings say the same when their adjusted Rand index is at least this."""
SIGNIFICANCE = 0.01
"""A p-value up to this speaks for dependence..."""
NO_EVIDENCE = 0.1
"""... and one above this gives no reason to doubt independence."""
STRONG_DEPENDENCE = 0.1
"""Dependence from this on breaks an assumption of independence; below, it only strains it."""
MIN_DEPENDENCE = 0.02
"""Dependence below this is too weak to matter even if it is significant."""
DUPLICATE_DEPENDENCE = 0.9
"""Views are near duplicates when their dependence reaches this..."""
DUPLICATE_CORRELATION = 0.95
"""... and so does their first held-out canonical correlation this."""
UNOBSERVED_SHARE = 0.01
"""A view is worth calling incomplete when more than this share of the objects lack it."""
EMPTY_ROWS = 0.01
"""Rows of zeros are worth a question when more than this share of the rows are like that."""
SCALE_FACTOR = 10.0
"""Views are on different scales when their spreads differ by this factor."""
DOMINANT_SHARE = 0.9
"""One feature outweighs a view when it carries this share of the variance."""
FEW_LABELS = 0.1
"""A smaller share of labelled objects calls for semi-supervised methods."""
IMBALANCE = 10.0
"""Classes are imbalanced when the largest is this many times the smallest."""
FEW_PER_CLASS = 10
"""Accuracies are uncertain when a class has fewer labelled objects than this."""
LARGEST_CLUSTER = 0.95
"""Clusters of which one holds more than this are outliers, not structure."""


def percent(share: float) -> str:
    """A share as a percentage that is never rounded to 0 or 100."""
    if 0.0 < share < 0.01:
        return "less than 1%"
    if 0.99 < share < 1.0:
        return "more than 99%"
    return f"{share:.0%}"


def plural(count: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else many}"


def enumerate_names(names: Sequence[str], most: int = 6) -> str:
    """Names as in a sentence: ``a, b and c``; beyond six, the rest by number."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def is_near_chance(view: ViewReport, joint: JointReport) -> bool:
    """Whether a measured view alone is hardly better than no view."""
    if view.quality is None or view.chance is None:
        return False
    if joint.measure == "silhouette":
        return not has_clusters(view)
    beyond = view.quality - view.chance
    error = view.quality_error or 0.0
    return beyond < NEAR_CHANCE * (1.0 - view.chance) or (beyond <= STANDARD_ERRORS * error)


def has_clusters(view: ViewReport) -> bool:
    """Whether a view falls into clusters that are neither chance nor a few outliers."""
    if view.silhouette is None or view.silhouette_chance is None or view.largest_cluster is None:
        return False
    return (
        view.silhouette - view.silhouette_chance >= STRUCTURE
        and view.largest_cluster <= LARGEST_CLUSTER
    )


def empty_views(diagnosis: Diagnosis) -> Iterable[Finding]:
    """A view never changes, or is never observed."""
    for view in diagnosis.per_view:
        if view.observed == 0.0:
            sentence = f"{view.name} is observed for no object: leave it out."
            yield Finding("empty_view", "problem", (view.name,), sentence)
        elif view.constant_features == view.n_features:
            sentence = f"{view.name} is constant and can tell no two objects apart: leave it out."
            yield Finding("constant_view", "problem", (view.name,), sentence)


def unobserved(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Some objects lack some views."""
    views, joint = diagnosis.per_view, diagnosis.joint
    lacking = {view.name: 1.0 - view.observed for view in views if view.observed > 0.0}
    lacking = {name: share for name, share in lacking.items() if share > UNOBSERVED_SHARE}
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


def gaps(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Cells are missing, or rows hold nothing."""
    for view in diagnosis.per_view:
        if view.empty_rows > EMPTY_ROWS and view.constant_features < view.n_features:
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


def scales(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Views, or the features of one, live on very different scales."""
    varying = [view for view in diagnosis.per_view if view.spread > 0.0]
    for view in varying:
        if (
            view.kind == "dense"
            and view.n_features - view.constant_features >= 3
            and view.dominant_share >= DOMINANT_SHARE
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
    if factor >= SCALE_FACTOR:
        how = "" if "sparse" not in {small.kind, large.kind} else "with_mean=False"
        sentence = (
            f"the scales of {small.name} and {large.name} differ by a factor of {factor:,.0f}: "
            f"scale with PerView(StandardScaler({how}))."
        )
        names = (small.name, large.name)
        yield Finding("scales", "advice", names, sentence, {"factor": factor})


def labels(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Labels are few, uneven, or do not allow a measurement."""
    joint = diagnosis.joint
    if joint.measure == "silhouette":
        return
    counts = joint.class_counts
    if joint.quality is None:
        sentence = f"how well the views predict could not be measured: {joint.note}."
        yield Finding("no_quality", "problem", (), sentence)
    if joint.labelled < FEW_LABELS:
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
    if 1 < counts[smallest] < FEW_PER_CLASS:
        sentence = (
            f"class {smallest} has only {counts[smallest]} labelled objects: take the accuracies "
            "as rough."
        )
        numbers = {"count": float(counts[smallest])}
        yield Finding("small_class", "note", (), sentence, numbers)
    ratio = counts[largest] / counts[smallest]
    if ratio >= IMBALANCE:
        sentence = (
            f"class {largest} is {ratio:.0f} times as frequent as class {smallest}: judge by "
            "balanced accuracy, as here, rather than by accuracy."
        )
        yield Finding("imbalance", "note", (), sentence, {"ratio": ratio})


def near_chance(diagnosis: Diagnosis) -> Iterable[Finding]:
    """A view alone tells nothing: of the labels if there are any, else of clusters."""
    views, joint = diagnosis.per_view, diagnosis.joint
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
    if quality - chance < NEAR_CHANCE * (1.0 - chance):
        sentence = f"{view.name} is near chance {evidence}: drop it, or check how it was made."
        return Finding("near_chance", "problem", (view.name,), sentence, numbers)
    sentence = f"{view.name} is not clearly above chance {evidence}: label more objects to know."
    return Finding("unclear_quality", "advice", (view.name,), sentence, numbers)


def gains(diagnosis: Diagnosis) -> Iterable[Finding]:
    """A view raises or lowers the accuracy of the others, or adds nothing."""
    views, joint = diagnosis.per_view, diagnosis.joint
    idle = []
    enough = sum(joint.class_counts.values()) * MIN_GAIN >= 1.0
    for view in views:
        if view.gain is None or view.gain_error is None or joint.quality is None:
            continue
        clear = abs(view.gain) >= max(MIN_GAIN, STANDARD_ERRORS * view.gain_error)
        numbers = {"gain": view.gain, "error": view.gain_error, "joint": joint.quality}
        if clear:
            yield _clear_gain(view, _others(view, views), joint, numbers)
        elif enough and view.gain + view.gain_error < MIN_GAIN and not is_near_chance(view, joint):
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


def together(diagnosis: Diagnosis) -> Iterable[Finding]:
    """All views against the best one; of two views, what each adds says as much."""
    views, joint = diagnosis.per_view, diagnosis.joint
    best = next((view for view in views if view.name == joint.best_view), None)
    if best is None or best.quality is None or best.together is None or len(views) < 3:
        return
    if joint.gain is None or joint.gain_error is None:
        return
    numbers = {"gain": joint.gain, "error": joint.gain_error}
    numbers.update(joint=best.together, best=best.quality)  # both on the objects that have it
    clear = abs(joint.gain) >= max(MIN_GAIN, STANDARD_ERRORS * joint.gain_error)
    everywhere = best.observed == 1.0
    if clear and joint.gain > 0:
        where = "" if everywhere else f" on the objects that have {best.name}"
        sentence = (
            f"all views together beat {best.name}, the best of them, by {100 * joint.gain:.1f} "
            f"points of balanced accuracy (± {100 * joint.gain_error:.1f}){where}."
        )
        yield Finding("views_help", "good", (best.name,), sentence, numbers)
    elif clear or joint.gain + joint.gain_error < MIN_GAIN:
        where = "" if everywhere else " on the objects that have it"
        instead = f"use {best.name} alone" if everywhere else f"trust {best.name} where it is there"
        sentence = (
            f"all views together are no better than {best.name} alone{where} when put side by "
            f"side: weigh the views, or {instead}."
        )
        yield Finding("views_do_not_help", "advice", (best.name,), sentence, numbers)


def subset(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Not every object was looked at."""
    joint = diagnosis.joint
    if joint.n_measured < joint.n_objects:
        sentence = (
            f"{joint.n_measured:,} of {joint.n_objects:,} objects, chosen at random, stand for all."
        )
        numbers = {"measured": float(joint.n_measured), "objects": float(joint.n_objects)}
        yield Finding("subset", "note", (), sentence, numbers)


def duplicates(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Two views are nearly the same."""
    for pair in diagnosis.per_pair:
        if is_duplicate(pair):
            first, second = pair.views
            sentence = (
                f"{first} and {second} are nearly the same (dependence {pair.dependence:.2f}, "
                f"first held-out correlation {pair.correlations[0]:.2f}): keep one of them."
            )
            yield Finding("duplicates", "problem", pair.views, sentence, _numbers(pair))


def is_duplicate(pair: PairReport) -> bool:
    """Whether two views are nearly the same up to scale and rotation."""
    return (
        pair.dependence is not None
        and pair.dependence >= DUPLICATE_DEPENDENCE
        and bool(pair.correlations)
        and pair.correlations[0] >= DUPLICATE_CORRELATION
    )


def dependence_given_class(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Co-training's assumption: given the class, one view tells nothing about the other."""
    views, pairs, joint = diagnosis.per_view, diagnosis.per_pair, diagnosis.joint
    weak = {view.name for view in views if is_near_chance(view, joint)}
    tested = [pair for pair in pairs if pair.given == "class" and not is_duplicate(pair)]
    dependent = [pair for pair in tested if _is_dependent(pair)]
    independent = [
        pair for pair in tested if _is_independent(pair) and not weak.intersection(pair.views)
    ]
    strong = [pair for pair in dependent if (pair.dependence or 0.0) >= STRONG_DEPENDENCE]
    yield from _about_pairs(
        strong,
        "dependent_given_class",
        "advice",
        "dependent given the class",
        "co-training's assumption fails",
    )
    yield from _about_pairs(
        [pair for pair in dependent if pair not in strong],
        "weakly_dependent_given_class",
        "note",
        "weakly dependent given the class",
        "co-training's assumption holds only roughly",
    )
    yield from _about_pairs(
        independent,
        "independent_given_class",
        "good",
        "conditionally independent given the class as far as the test can see",
        "co-training's assumption holds",
    )


def dependence_alone(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Without labels: whether the views have anything in common at all."""
    views, pairs, joint = diagnosis.per_view, diagnosis.per_pair, diagnosis.joint
    if joint.measure != "silhouette":
        return
    tested = [pair for pair in pairs if pair.given == "nothing" and not is_duplicate(pair)]
    yield from _about_pairs(
        [pair for pair in tested if _is_dependent(pair)],
        "something_in_common",
        "good",
        "dependent",
        "methods that look for what views share have something to find",
    )
    yield from _about_pairs(
        [p for p in tested if _is_independent(p) and not _contradict(p, views, joint)],
        "nothing_in_common",
        "problem",
        "independent as far as the test can see",
        "there is nothing for a multi-view method to agree on",
    )


def contradiction(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Each view has clusters of its own, and those of one say nothing about those of the other.

    With labels, two views that both predict them agree on something and do not contradict.
    """
    views, pairs, joint = diagnosis.per_view, diagnosis.per_pair, diagnosis.joint
    for pair in pairs:
        if not _contradict(pair, views, joint):
            continue
        sentence = (
            f"{pair.views[0]} and {pair.views[1]} contradict each other: each falls into clear "
            f"clusters, but those have nothing in common (adjusted Rand index "
            f"{pair.cluster_agreement:.2f}), so no consensus method can help."
        )
        yield Finding("contradiction", "problem", pair.views, sentence, _numbers(pair))


def _contradict(pair: PairReport, views: Sequence[ViewReport], joint: JointReport) -> bool:
    both = [view for view in views if view.name in pair.views]
    useful = joint.measure != "silhouette" and not any(is_near_chance(v, joint) for v in both)
    return (
        pair.cluster_agreement is not None
        and pair.cluster_agreement < CONTRADICTION
        and all(has_clusters(view) for view in both)
        and _is_independent(pair)
        and not useful
    )


def consensus(diagnosis: Diagnosis) -> Iterable[Finding]:
    """Without labels: clear clusters that two views share."""
    views, pairs, joint = diagnosis.per_view, diagnosis.per_pair, diagnosis.joint
    if joint.measure != "silhouette":
        return
    clear = {view.name for view in views if has_clusters(view)}
    agreeing = [
        pair
        for pair in pairs
        if clear.issuperset(pair.views)
        and not is_duplicate(pair)
        and (pair.cluster_agreement or 0.0) >= AGREEMENT
    ]
    if agreeing:
        sentence = (
            f"the clusters of {_name_pairs(agreeing)} agree (adjusted Rand index "
            f"{max(pair.cluster_agreement or 0.0 for pair in agreeing):.2f}): consensus "
            "clustering can build on them."
        )
        names = tuple(dict.fromkeys(name for pair in agreeing for name in pair.views))
        yield Finding("consensus", "good", names, sentence, _numbers(agreeing[0]))


def _is_dependent(pair: PairReport) -> bool:
    return (
        pair.p_value is not None
        and pair.dependence is not None
        and pair.p_value <= SIGNIFICANCE
        and pair.dependence >= MIN_DEPENDENCE
    )


def _is_independent(pair: PairReport) -> bool:
    return pair.p_value is not None and pair.p_value > NO_EVIDENCE


def _about_pairs(
    pairs: Sequence[PairReport], kind: str, severity: Severity, what: str, so: str
) -> Iterable[Finding]:
    """One sentence for all pairs of which the same is true, the most telling pair first."""
    if not pairs:
        return
    ranked = sorted(pairs, key=lambda pair: -(pair.dependence or 0.0))
    strengths = _span([pair.dependence or 0.0 for pair in ranked], "{:.2f}")
    p_values = _span([pair.p_value or 0.0 for pair in ranked], "{:.3f}")
    sentence = f"{_name_pairs(ranked)} are {what} (dependence {strengths}, p {p_values}): {so}."
    names = tuple(dict.fromkeys(name for pair in ranked for name in pair.views))
    yield Finding(kind, severity, names, sentence, _numbers(ranked[0]))


def _span(values: Sequence[float], form: str) -> str:
    low, high = (form.format(max(pick(values), 0.0)) for pick in (min, max))
    return low if low == high else f"{low} to {high}"


def _name_pairs(pairs: Sequence[PairReport]) -> str:
    if len(pairs) == 1:
        return f"{pairs[0].views[0]} and {pairs[0].views[1]}"
    return enumerate_names([f"{first}–{second}" for first, second in (p.views for p in pairs)])


def _numbers(pair: PairReport) -> dict[str, float]:
    known = {
        "dependence": pair.dependence,
        "p_value": pair.p_value,
        "cluster_agreement": pair.cluster_agreement,
        "first_correlation": pair.correlations[0] if pair.correlations else None,
    }
    return {name: value for name, value in known.items() if value is not None}


RULES: tuple[Callable[[Diagnosis], Iterable[Finding]], ...] = (
    empty_views,
    labels,
    near_chance,
    unobserved,
    gaps,
    scales,
    duplicates,
    dependence_given_class,
    dependence_alone,
    contradiction,
    consensus,
    together,
    gains,
    subset,
)


def with_findings(diagnosis: Diagnosis) -> Diagnosis:
    """Apply every rule to what was measured; problems first, notes last."""
    found = [finding for rule in RULES for finding in rule(diagnosis)]
    order = ("problem", "advice", "good", "note")
    found.sort(key=lambda finding: order.index(finding.severity))
    return replace(diagnosis, findings=tuple(found))

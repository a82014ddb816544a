"""Rules about pairs: duplicates, dependence given the class, agreement and contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyviews.explain import _thresholds as limit
from manyviews.explain._report import Finding, JointReport, PairReport, Severity, ViewReport
from manyviews.explain._words import enumerate_names, has_clusters, is_near_chance


def duplicates(
    _: Sequence[ViewReport], pairs: Sequence[PairReport], __: JointReport
) -> Iterable[Finding]:
    """Two views are nearly the same."""
    for pair in pairs:
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
        and pair.dependence >= limit.DUPLICATE_DEPENDENCE
        and bool(pair.correlations)
        and pair.correlations[0] >= limit.DUPLICATE_CORRELATION
    )


def dependence_given_class(
    views: Sequence[ViewReport], pairs: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Co-training's assumption: given the class, one view tells nothing about the other."""
    weak = {view.name for view in views if is_near_chance(view, joint)}
    tested = [pair for pair in pairs if pair.given == "class" and not is_duplicate(pair)]
    dependent = [pair for pair in tested if _is_dependent(pair)]
    independent = [
        pair for pair in tested if _is_independent(pair) and not weak.intersection(pair.views)
    ]
    strong = [pair for pair in dependent if (pair.dependence or 0.0) >= limit.STRONG_DEPENDENCE]
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


def dependence_alone(
    views: Sequence[ViewReport], pairs: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Without labels: whether the views have anything in common at all."""
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


def contradiction(
    views: Sequence[ViewReport], pairs: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Each view has clusters of its own, and those of one say nothing about those of the other.

    With labels, two views that both predict them agree on something and do not contradict.
    """
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
        and pair.cluster_agreement < limit.CONTRADICTION
        and all(has_clusters(view) for view in both)
        and _is_independent(pair)
        and not useful
    )


def consensus(
    views: Sequence[ViewReport], pairs: Sequence[PairReport], joint: JointReport
) -> Iterable[Finding]:
    """Without labels: clear clusters that two views share."""
    if joint.measure != "silhouette":
        return
    clear = {view.name for view in views if has_clusters(view)}
    agreeing = [
        pair
        for pair in pairs
        if clear.issuperset(pair.views)
        and not is_duplicate(pair)
        and (pair.cluster_agreement or 0.0) >= limit.AGREEMENT
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
        and pair.p_value <= limit.SIGNIFICANCE
        and pair.dependence >= limit.MIN_DEPENDENCE
    )


def _is_independent(pair: PairReport) -> bool:
    return pair.p_value is not None and pair.p_value > limit.NO_EVIDENCE


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


PAIR_RULES = (duplicates, dependence_given_class, dependence_alone, contradiction, consensus)

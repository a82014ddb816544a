"""The page that ``LocalPatternClassifier.describe`` gives its user [@rueping2005].

What the global model goes by, where it is not to be relied on, and a typical object of each such
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from textwrap import fill, indent
from typing import Any

from manyviews.base import aligned

__all__ = [
    "Confusion",
    "LocalPattern",
    "LocalPatternReport",
    "PatternFeature",
    "WeightedFeature",
]

WIDTH = 100
"""Characters of a line, as many as a page of the guide has for code."""


@dataclass(frozen=True)
class WeightedFeature:
    """One feature of a model on few features."""

    name: str
    weights: tuple[float, ...]
    """Per standard deviation of the feature: one for two classes, speaking for the second, else
    one for each class; of trees, the importance. Empty for models that have no weights."""


@dataclass(frozen=True)
class PatternFeature:
    """One feature by which a local pattern is described, in the units of the data."""

    name: str
    medoid: float | None
    """Its value in the typical object; None where the view is unobserved."""
    inside: float | None
    """Its mean in the pattern."""
    elsewhere: float | None
    """Its mean over all other objects."""
    information: float
    """What it tells about the clusters, in nats; of a classifier, the weight that it has."""


@dataclass(frozen=True)
class Confusion:
    """What the global model takes objects of a class for."""

    truth: Any
    answer: Any
    n_objects: int


@dataclass(frozen=True)
class LocalPattern:
    """A place where the local model answers."""

    n_objects: int
    """Objects of ``fit`` in it."""
    share: float
    """Their share of all objects."""
    n_labelled: int
    medoid: int
    """Row of the typical object in ``fit``."""
    sample_id: Any
    """Its id, if the objects have ids."""
    medoid_class: Any
    """Its class; None if it is unlabelled."""
    medoid_global: Any
    """What the global model takes it for."""
    medoid_local: Any
    """What the local model takes it for."""
    features: tuple[PatternFeature, ...]
    """The most informative ones first."""
    global_accuracy: float | None
    """Share of its labelled objects that the global model gets right when they are left out."""
    local_accuracy: float | None
    """The same of the local model."""
    mistakes: tuple[Confusion, ...]
    """What the global model gets wrong there, the most frequent mistakes first."""


@dataclass(frozen=True, repr=False)
class LocalPatternReport:
    """The answer of ``describe``; prints as a page."""

    n_objects: int
    n_labelled: int
    classes: tuple[Any, ...]
    detector: str
    max_local: float
    global_model: str
    """The class of the estimator."""
    global_features: tuple[WeightedFeature, ...]
    """The heaviest first; none for a model that takes views."""
    global_views: tuple[str, ...]
    local_model: str
    local_views: tuple[str, ...]
    n_local_features: int
    global_accuracy: float
    """Of the global model alone, over all labelled objects, each left out in turn."""
    local_accuracy: float
    """Of the local model alone."""
    combined_accuracy: float
    """Of both together; the patterns were chosen by this number."""
    local_share: float
    """Share of the objects of ``fit`` in which the local model answers; at most ``max_local``."""
    disagreement: float
    """Share of them that get another answer than the global model's; at most ``local_share``."""
    patterns: tuple[LocalPattern, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types that JSON can hold; classes and ids that are none as text."""
        found: dict[str, Any] = _plain(asdict(self))
        return found

    def with_class_names(self, names: Sequence[str]) -> LocalPatternReport:
        """The same page with other names for the classes, by the numbers that they have in it.

        Parameters
        ----------
        names : sequence of str
            Name of each class, by its number.
        """

        def named(value: Any) -> Any:
            known = isinstance(value, int) and 0 <= value < len(names)
            return names[value] if known else value

        patterns = tuple(
            replace(
                each,
                medoid_class=named(each.medoid_class),
                medoid_global=named(each.medoid_global),
                medoid_local=named(each.medoid_local),
                mistakes=tuple(
                    replace(one, truth=named(one.truth), answer=named(one.answer))
                    for one in each.mistakes
                ),
            )
            for each in self.patterns
        )
        classes = tuple(named(each) for each in self.classes)
        return replace(self, classes=classes, patterns=patterns)

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


# The page -----------------------------------------------------------------------------------------


def as_text(found: LocalPatternReport) -> str:
    """The global model, what it costs to believe it, and each pattern."""
    parts = [*_global_part(found), _bounds(found)]
    if not found.patterns:
        parts.append("Local patterns\n" + _wrapped(_why_none(found), "   "))
    for number, pattern in enumerate(found.patterns, start=1):
        parts.extend(_pattern_part(pattern, number, found.detector))
    return "\n\n".join(parts)


def _global_part(found: LocalPatternReport) -> list[str]:
    views = ", ".join(found.global_views)
    count = len(found.global_features)
    if not count:
        return ["Global model\n" + _wrapped(f"{found.global_model}, on all of {views}.", "   ")]
    title = f"{found.global_model} on {_counted(count, 'feature')} of {views}."
    rows = [[each.name, *(f"{w:+.2f}" for w in each.weights)] for each in found.global_features]
    widest = max(len(each.weights) for each in found.global_features)
    if not widest:
        return ["Global model\n" + _wrapped(title, "   ") + "\n" + _indented([["feature"], *rows])]
    heads = [str(each) for each in found.classes]
    if widest == 1:
        linear = any(weight < 0 for each in found.global_features for weight in each.weights)
        for_what = f"for {heads[1]}" if len(heads) == 2 else "weight"
        heads = [for_what if linear or len(heads) == 2 else "importance"]
    elif widest != len(heads):
        heads = [f"weight {place + 1}" for place in range(widest)]
    said = "Weights are per standard deviation of a feature."
    table = _indented([["feature", *heads], *rows])
    return ["Global model\n" + _wrapped(f"{title} {said}", "   ") + "\n" + table]


def _bounds(found: LocalPatternReport) -> str:
    n_features = _counted(found.n_local_features, "feature")
    sentences = [
        f"Left-out accuracy on {_counted(found.n_labelled, 'labelled object')}: "
        f"{found.global_accuracy:.3f} by the global model alone, {found.local_accuracy:.3f} by the "
        f"local model alone ({found.local_model} on {n_features} of "
        f"{', '.join(found.local_views)}), {found.combined_accuracy:.3f} by both together.",
        f"The local model answers for {found.local_share:.1%} of the {found.n_objects} objects "
        f"(allowed: {found.max_local:.1%}), and {found.disagreement:.1%} get another answer than "
        "the global model's.",
    ]
    return "What it is worth\n" + "\n".join(_wrapped(each, "   ") for each in sentences)


def _why_none(found: LocalPatternReport) -> str:
    if found.max_local == 0:
        return "none, as max_local=0 allows none: the global model answers everywhere."
    return (
        "none pays: wherever one was sought, the local model loses as much as it gains, or more "
        "objects are alike than max_local allows. The global model answers everywhere."
    )


def _pattern_part(pattern: LocalPattern, number: int, detector: str) -> list[str]:
    size = f"{_counted(pattern.n_objects, 'object')} ({pattern.share:.1%})"
    lines = [f"Local pattern {number}: {size}"]
    if pattern.global_accuracy is not None and pattern.local_accuracy is not None:
        lines.append(
            _wrapped(
                f"Here the global model is right in {pattern.global_accuracy:.0%} and the local "
                f"model in {pattern.local_accuracy:.0%} of "
                f"{_counted(pattern.n_labelled, 'labelled object')} left out.",
                "   ",
            )
        )
    if pattern.mistakes:
        said = ", ".join(
            f"{each.n_objects} × {each.truth} taken for {each.answer}" for each in pattern.mistakes
        )
        lines.append(_wrapped(f"What the global model gets wrong: {said}.", "   "))
    name = f"row {pattern.medoid}" if pattern.sample_id is None else str(pattern.sample_id)
    truth = "unlabelled" if pattern.medoid_class is None else f"{pattern.medoid_class}"
    lines.append(
        _wrapped(
            f"Typical object: {name} ({truth}; global model: {pattern.medoid_global}, local "
            f"model: {pattern.medoid_local}).",
            "   ",
        )
    )
    last = "weight" if detector == "classifier" else "nats"
    heads = ["feature", "typical", "mean inside", "mean elsewhere", last]
    rows = [
        [
            each.name,
            _number(each.medoid),
            _number(each.inside),
            _number(each.elsewhere),
            f"{each.information:+.2f}" if last == "weight" else f"{each.information:.3f}",
        ]
        for each in pattern.features
    ]
    return ["\n".join(lines) + "\n" + _indented([heads, *rows])]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _wrapped(text: str, indent: str) -> str:
    return fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _indented(table: list[list[str]]) -> str:
    """Names to the left, numbers to the right."""
    return indent("\n".join(aligned(table, numbers=range(1, len(table[0])))), "   ")

"""Generated views with a known truth: the right finding appears and the wrong ones do not."""

from __future__ import annotations

import numpy as np
import pytest

from manyviews import Views, diagnose
from manyviews.datasets import hide_views, load_digits_views

N = 300


def kinds(diagnosis) -> set[str]:
    return {finding.kind for finding in diagnosis.findings}


def of_kind(diagnosis, kind):
    found = [finding for finding in diagnosis.findings if finding.kind == kind]
    assert len(found) == 1, [str(finding) for finding in diagnosis.findings]
    return found[0]


def classes(rng, n_classes=3):
    return rng.permutation(np.arange(N) % n_classes)


def around_class(rng, y, *, width=4, distance=2.0, noise=1.0):
    """Points around one random centre per class."""
    centres = distance * rng.normal(size=(y.max() + 1, width))
    return centres[y] + noise * rng.normal(size=(len(y), width))


def far_apart(rng, y):
    """Points around the corners of a simplex, far from each other."""
    return 8.0 * np.eye(4)[y] + rng.normal(size=(len(y), 4))


def test_copies_are_called_duplicates_and_add_nothing():
    rng = np.random.default_rng(0)
    y = classes(rng)
    text = around_class(rng, y, width=6, distance=1.0)
    turn, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    copy = 3 * text @ turn + 0.02 * rng.normal(size=text.shape)
    found = diagnose({"text": text, "copy": copy}, y)
    assert of_kind(found, "duplicates").views == ("text", "copy")
    assert set(of_kind(found, "adds_nothing").views) == {"text", "copy"}
    assert not {"adds", "near_chance", "contradiction", "independent_given_class"} & kinds(found)


@pytest.mark.parametrize("seed", range(3))
def test_views_that_are_independent_given_the_class_suit_co_training(seed):
    rng = np.random.default_rng(seed)
    y = classes(rng)
    found = diagnose({"a": around_class(rng, y), "b": around_class(rng, y, width=6)}, y)
    assert "holds" in of_kind(found, "independent_given_class").sentence
    assert not {
        "dependent_given_class",
        "weakly_dependent_given_class",
        "duplicates",
        "near_chance",
        "contradiction",
    } & kinds(found)


def test_views_that_share_more_than_the_class_do_not():
    rng = np.random.default_rng(1)
    y = classes(rng)
    shared = 1.5 * rng.normal(size=(N, 3))
    a = np.hstack([around_class(rng, y, width=3)[:, :3] + shared, rng.normal(size=(N, 1))])
    b = np.hstack([around_class(rng, y, width=3)[:, :3] + shared, rng.normal(size=(N, 1))])
    found = diagnose({"a": a, "b": b}, y)
    assert "fails" in of_kind(found, "dependent_given_class").sentence
    assert not {"independent_given_class", "duplicates", "near_chance"} & kinds(found)
    assert found.per_pair[0].given == "class"


def test_views_that_need_each_other_raise_the_accuracy():
    rng = np.random.default_rng(2)
    y = classes(rng, n_classes=4)
    first, second = y % 2, y // 2
    a = around_class(rng, first, width=3, distance=4.0)
    b = around_class(rng, second, width=3, distance=4.0)
    found = diagnose({"a": a, "b": b}, y)
    assert {finding.views for finding in found.findings if finding.kind == "adds"} == {
        ("a",),
        ("b",),
    }
    assert found.joint.gain == pytest.approx(0.5, abs=0.1)
    assert not {"adds_nothing", "near_chance", "harms"} & kinds(found)


def test_a_view_that_only_repeats_less_clearly_adds_nothing():
    rng = np.random.default_rng(3)
    y = classes(rng)
    text = around_class(rng, y, distance=3.0)
    links = text[:, :2] + 2.0 * rng.normal(size=(N, 2))
    found = diagnose({"text": text, "links": links}, y)
    finding = of_kind(found, "adds_nothing")
    assert finding.views == ("links",)
    assert finding.sentence == "links adds nothing beyond text."


def test_a_view_of_noise_is_near_chance():
    rng = np.random.default_rng(4)
    y = classes(rng)
    found = diagnose({"signal": around_class(rng, y), "noise": rng.normal(size=(N, 8))}, y)
    assert of_kind(found, "near_chance").views == ("noise",)
    assert not {"contradiction", "independent_given_class", "duplicates"} & kinds(found)
    report = found.per_view[1]
    assert report.chance == pytest.approx(1 / 3)
    assert abs(report.quality - 1 / 3) < 0.1


def test_contradictory_clusterings_are_found_without_labels():
    rng = np.random.default_rng(5)
    one, other = classes(rng), classes(rng, n_classes=4)
    views = {"topic": far_apart(rng, one), "author": far_apart(rng, other)}
    found = diagnose(views)
    assert set(of_kind(found, "contradiction").views) == {"topic", "author"}
    assert not {"consensus", "something_in_common", "duplicates"} & kinds(found)
    assert found.per_view[0].n_clusters == 3
    assert found.per_view[1].n_clusters == 4


def test_contradictory_clusterings_are_found_with_the_labels_of_one_of_them():
    rng = np.random.default_rng(5)
    one, other = classes(rng), classes(rng, n_classes=4)
    views = {"topic": far_apart(rng, one), "author": far_apart(rng, other)}
    found = diagnose(views, one)
    assert {"contradiction", "near_chance"} <= kinds(found)


def test_shared_clusters_are_a_consensus_not_a_contradiction():
    rng = np.random.default_rng(6)
    y = classes(rng)
    views = {"a": far_apart(rng, y), "b": far_apart(rng, y)}
    found = diagnose(views)
    assert {"consensus", "something_in_common"} <= kinds(found)
    assert not {"contradiction", "nothing_in_common", "no_clusters"} & kinds(found)
    assert found.joint.measure == "silhouette"
    assert found.per_pair[0].agreement > 0.9


def test_noise_without_labels_has_no_clusters_and_nothing_in_common():
    rng = np.random.default_rng(7)
    found = diagnose([rng.normal(size=(N, 5)), rng.normal(size=(N, 5))])
    assert {"no_clusters", "nothing_in_common"} <= kinds(found)
    assert not {"contradiction", "consensus", "something_in_common"} & kinds(found)


def test_outliers_are_not_taken_for_clusters_that_contradict():
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(N, 3)), rng.normal(size=(N, 3))
    a[0], b[1] = 60.0, 60.0
    assert "contradiction" not in kinds(diagnose([a, b]))


def test_missing_views_and_cells_are_told_apart():
    rng = np.random.default_rng(9)
    y = classes(rng)
    text, sensor = around_class(rng, y), around_class(rng, y)
    sensor[: N // 3] = np.nan
    text[5:35, 0] = np.nan
    found = diagnose({"text": text, "sensor": sensor}, y)
    assert of_kind(found, "unobserved").sentence.startswith("33% of the objects lack sensor")
    assert of_kind(found, "missing_cells").views == ("text",)
    assert found.per_pair[0].shared == pytest.approx(2 / 3)
    assert found.per_view[0].missing_cells == pytest.approx(30 / (4 * N))
    assert "near_chance" not in kinds(found)


def test_several_incomplete_views_share_one_sentence():
    rng = np.random.default_rng(10)
    y = classes(rng)
    observed = np.ones((N, 3), dtype=bool)
    observed[:60, 0], observed[40:160, 1] = False, False
    views = Views([around_class(rng, y) for _ in range(3)], observed=observed)
    finding = of_kind(diagnose(views, y), "unobserved")
    assert finding.numbers["complete"] == pytest.approx(140 / N)
    assert finding.views == ("view0", "view1")


def test_with_gaps_a_view_and_all_views_are_compared_on_the_same_objects():
    rng = np.random.default_rng(17)
    y = classes(rng)
    observed = np.ones((N, 3), dtype=bool)
    observed[:150, 0], observed[160:, 1:] = False, False  # half have the best view, and only that
    strong = around_class(rng, y, distance=4.0)
    weak = [around_class(rng, y, distance=0.7) for _ in range(2)]
    found = diagnose(Views({"a": strong, "b": weak[0], "c": weak[1]}, observed=observed), y)
    best, joint = found.per_view[0], found.joint
    assert joint.best_view == "a"
    assert joint.quality < best.quality - 0.1  # over all objects: the weak views stand in
    assert best.together - best.quality == pytest.approx(joint.gain)
    text = repr(found)
    assert "of each view on the objects that have it" in text
    assert f"{joint.quality:.2f} ± {joint.quality_error:.2f} over all objects" in text
    assert f"{best.together:.2f} ± {best.together_error:.2f} on those that have a (" in text
    heads, _, row, *_ = text.split("\n\n")[2].splitlines()
    assert row[heads.index("all views there") :].startswith(f"{best.together:.2f} ±")
    finding = of_kind(found, "views_do_not_help")
    assert "on the objects that have it" in finding.sentence
    assert finding.sentence.endswith("trust a where it is there.")
    assert finding.numbers["joint"] - finding.numbers["best"] == pytest.approx(joint.gain)
    (adds,) = (f for f in found.findings if f.kind == "adds" and f.views == ("a",))
    assert "balanced accuracy over all objects by" in adds.sentence


def test_digits_with_hidden_views_are_not_compared_across_sets_of_objects():
    views, y = load_digits_views()
    found = diagnose(hide_views(views[::3], 0.3, seed=0), y[::3])
    for view in found.per_view:
        assert view.together > view.quality
    best = next(view for view in found.per_view if view.name == found.joint.best_view)
    assert best.quality > found.joint.quality  # which is no contradiction, as the sets differ:
    assert "over all objects" in repr(found)
    assert f"on those that have {best.name}" in repr(found)


def test_without_gaps_all_views_are_one_number_on_one_set():
    rng = np.random.default_rng(18)
    y = classes(rng)
    found = diagnose({"a": around_class(rng, y), "b": around_class(rng, y)}, y)
    assert all(view.together == found.joint.quality for view in found.per_view)
    assert "all views there" not in repr(found)
    assert "objects that have" not in repr(found)


def test_scales_and_dominant_features():
    rng = np.random.default_rng(11)
    y = classes(rng)
    a, b = around_class(rng, y), around_class(rng, y)
    b = b * 1000
    b[:, 0] *= 50
    found = diagnose({"a": a, "b": b}, y)
    assert of_kind(found, "scales").numbers["factor"] > 1000
    assert of_kind(found, "dominant_feature").views == ("b",)
    assert not {"scales", "dominant_feature"} & kinds(diagnose({"a": a, "b": 2 * a + 1}, y))


def test_constant_and_never_observed_views_are_left_out():
    rng = np.random.default_rng(12)
    y = classes(rng)
    views = {"text": around_class(rng, y), "flat": np.ones((N, 3)), "gone": None}
    found = diagnose(views, y)
    assert of_kind(found, "constant_view").views == ("flat",)
    assert of_kind(found, "empty_view").views == ("gone",)
    assert [view.note for view in found.per_view] == ["", "constant", "never observed"]
    assert found.per_view[1].quality is None
    assert found.joint.quality == pytest.approx(found.per_view[0].quality)
    assert all(pair.p_value is None for pair in found.per_pair)


def test_few_labels_and_uneven_classes():
    rng = np.random.default_rng(13)
    truth = np.where(np.arange(N) < 275, 0, 1)
    y = np.full(N, -1)
    y[:22], y[275:277] = 0, 1
    found = diagnose([around_class(rng, truth), around_class(rng, truth)], y)
    assert {"few_labels", "imbalance", "small_class"} <= kinds(found)
    assert found.joint.n_folds == 2
    assert found.joint.labelled == pytest.approx(24 / N)


def test_without_two_labels_per_class_the_quality_is_unavailable_in_words():
    rng = np.random.default_rng(14)
    truth = classes(rng, n_classes=2)
    y = [None] * N
    y[0], y[int(np.flatnonzero(truth != truth[0])[0])] = "a", "b"
    found = diagnose([around_class(rng, truth), around_class(rng, truth)], y)
    assert "two labelled objects" in of_kind(found, "no_quality").sentence
    assert found.joint.quality is None
    assert all("two labelled" in view.note for view in found.per_view)
    assert found.per_pair[0].given == "nothing"
    assert "could not be measured" in repr(found)


def test_a_class_with_one_object_is_set_aside():
    rng = np.random.default_rng(15)
    y = classes(rng, n_classes=2).astype(object)
    points = around_class(rng, y.astype(int))
    y[3] = 9
    found = diagnose([points, points[:, ::-1] + rng.normal(size=points.shape)], y)
    assert "(9)" in of_kind(found, "single_object_class").sentence
    assert found.per_view[0].chance == pytest.approx(0.5)


def test_empty_rows_raise_the_question_whether_they_are_observed():
    rng = np.random.default_rng(16)
    y = classes(rng)
    links = (rng.random((N, 30)) < 0.2).astype(float)
    links[:90] = 0.0
    assert of_kind(diagnose({"a": around_class(rng, y), "links": links}, y), "empty_rows").numbers[
        "share"
    ] == pytest.approx(0.3, abs=0.02)

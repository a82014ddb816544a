from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from manyviews.data import Views
from papers._frame import DataFolder, load_experiment, run_experiment
from papers.desa2005 import pages as _pages


def pages(n: int = 60, seed: int = 0) -> tuple[Views, np.ndarray]:
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    views = {
        name: np.eye(3)[classes] + rng.normal(0, 0.1, size=(n, 3)) for name in ("page", "link")
    }
    return Views(views), classes


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
def test_hiding_leaves_a_share_paired_and_splits_the_rest(share):
    observed = _pages.hide(200, share, seed=3)
    first, second = observed.T
    assert (first & second).sum() == round(200 * share)
    assert (first & ~second).sum() == (second & ~first).sum() == round(100 * (1 - share))
    assert (observed != _pages.hide(200, share, seed=4)).any()


@pytest.mark.parametrize("method", _pages.METHODS)
def test_every_way_finds_clusters_that_both_views_show(method):
    views, classes = pages()
    observed = _pages.hide(len(views), 0.5, seed=0)
    labels = _pages.WAYS[method](views.with_observed(observed), 3, 0)
    first, second = observed.T
    groups = [first, ~first] if method == "Alt. B" else [first | second]  # B has its own numbers
    for group in groups:
        assert adjusted_rand_score(classes[group], labels[group]) == 1.0


def test_unpaired_pages_follow_the_nearest_paired_page_of_their_view():
    views, _ = pages()
    observed = _pages.hide(len(views), 0.4, seed=1)
    labels = _pages.joint_and_nearest(views.with_observed(observed), 3, 0)
    paired = np.flatnonzero(observed.all(axis=1))
    for page in np.flatnonzero(~observed.all(axis=1)):
        name = views.names[int(np.flatnonzero(observed[page])[0])]
        gaps = [np.linalg.norm(views[name][page] - views[name][other]) for other in paired]
        assert labels[page] == labels[paired[int(np.argmin(gaps))]]


def test_published_tables_agree_where_they_repeat_each_other():
    paper = load_experiment("desa2005").paper
    by_share = paper.table("table-3-webkb")
    for key, share in (("table-1-webkb", "90%"), ("table-2-webkb", "50%")):
        for group in _pages.GROUPS:
            assert paper.table(key).published(group, "sM-D") == by_share.published(group, share)


@pytest.mark.data
@pytest.mark.parametrize(("corpus", "kept"), list(zip(_pages.CORPORA, (735, 1041), strict=True)))
def test_pages_that_stay_have_both_views_at_unit_length(corpus, kept, data_folder):
    views, classes = _pages.load(corpus, str(data_folder))
    assert len(views) == len(classes) == kept
    for name in views.names:
        np.testing.assert_allclose((views[name] ** 2).sum(axis=1), 1.0)


@pytest.mark.data
def test_report_on_pages_explains_every_difference(data_folder):
    report = run_experiment(
        load_experiment("desa2005"),
        data=DataFolder(data_folder),
        tables=["section-3-webkb"],
        seeds=range(1),
    )
    assert "unexplained" not in {cell.reason for cell in report.cells}
    assert all(0 < cell.values[0] < 1.88 for cell in report.cells)

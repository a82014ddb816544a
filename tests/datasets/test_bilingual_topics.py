"""Documents in two languages: what is drawn, and how much a pair has in common."""

from __future__ import annotations

import numpy as np
import pytest

from manyviews.datasets import make_bilingual_topics


def test_views_are_counts_with_words_and_the_languages_share_none():
    dataset = make_bilingual_topics(50, length=20, random_state=0)
    views = dataset.views
    assert views.names == ("en", "fr")
    for name in views.names:
        assert (views[name].sum(axis=1) == 20).all()
        words = views.feature_names[name].tolist()
        assert len(words) == len(set(words)) == views[name].shape[1]
    assert not set(views.feature_names["en"]) & set(views.feature_names["fr"])
    assert dataset.label_names[0] == "fishing"
    assert (dataset.extra["second"] != dataset.y).all()


def test_the_seed_decides():
    one, other = (make_bilingual_topics(30, random_state=seed).views for seed in (1, 2))
    assert one.equals(make_bilingual_topics(30, random_state=1).views)
    assert not one.equals(other)


def test_words_belong_to_the_topics_of_their_document():
    dataset = make_bilingual_topics(200, general=0.0, focus=1.0, random_state=0)
    for name in ("en", "fr"):
        topic_of = np.arange(dataset.views[name].shape[1]) // 12
        rows, columns = dataset.views[name].nonzero()
        assert np.array_equal(topic_of[columns], dataset.y[rows])


@pytest.mark.parametrize(("focus", "general"), [(0.8, 0.3), (0.5, 0.1)])
def test_shares_of_words_are_those_asked_for(focus, general):
    dataset = make_bilingual_topics(
        400, length=50, focus=focus, general=general, fidelity=0.0, random_state=0
    )
    counts = dataset.views["fr"].toarray()
    main = np.arange(counts.shape[1]) // 12 == dataset.y[:, None]
    assert counts[:, -20:].mean() * 20 / 50 == pytest.approx(general, abs=0.01)
    assert counts[main].sum() / counts.sum() == pytest.approx((1 - general) * focus, abs=0.01)


def test_a_faithful_pair_has_words_in_common_and_an_unfaithful_one_its_topics():
    def shared(fidelity):
        views = make_bilingual_topics(300, fidelity=fidelity, random_state=0).views
        english, french = (views[name].toarray() > 0 for name in ("en", "fr"))
        return (english & french).sum() / french.sum()

    assert shared(1.0) == 1.0
    assert shared(0.0) < shared(0.5) < 0.9


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_topics": 9}, "more than the 8 topics"),
        ({"n_topics": 1}, "at least 2"),
        ({"fidelity": 1.5}, "from 0 to 1"),
        ({"length": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_bilingual_topics(10, **wrong)

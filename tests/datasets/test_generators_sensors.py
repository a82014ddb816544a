from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyviews.datasets import make_two_sensors
from manyviews.datasets.sensors import KINDS, N_BANDS, N_STATISTICS, SHARES_OF_CLUTTER


@settings(deadline=None)
@given(
    n_objects=st.integers(1, 60),
    share=st.floats(0.0, 1.0),
    subsurface=st.floats(0.0, 1.0),
    seed=st.integers(0, 99),
)
def test_mines_are_as_many_as_asked(n_objects, share, subsurface, seed):
    made = make_two_sensors(n_objects, share, subsurface, random_state=seed)
    assert made.views.layout.widths == (420, 9)
    assert made.views.observed.all()
    assert made.y.sum() == round(share * n_objects)
    kinds = made.extra["kind"]
    assert (kinds == "buried mine").sum() == round(subsurface * made.y.sum())
    np.testing.assert_array_equal(np.isin(kinds, KINDS[3:]), made.y == 1)


def test_clutter_is_of_three_kinds():
    kinds = make_two_sensors(4_000, random_state=0).extra["kind"]
    shares = [(kinds == kind).sum() / 3_600 for kind in KINDS[:3]]
    assert_allclose(shares, SHARES_OF_CLUTTER, atol=0.03)


@pytest.mark.parametrize(
    ("sensor", "alike", "apart"),
    [
        ("eoir", ("ground", "buried mine"), ("stone", "surface mine")),
        ("eoir", ("ground", "metal"), ("ground", "stone")),
        ("sar", ("ground", "stone"), ("metal", "buried mine")),
    ],
)
def test_each_sensor_is_blind_to_something_else(sensor, alike, apart):
    """Distances of means of kinds, in standard errors of what no difference gives."""
    views, _, *_ = made = make_two_sensors(6_000, share=0.4, random_state=0)
    kinds = made.extra["kind"]

    def distance(one, other):
        rows = [views[sensor][kinds == kind] for kind in (one, other)]
        gap = rows[0].mean(axis=0) - rows[1].mean(axis=0)
        spread = sum(part.var(axis=0).sum() / len(part) for part in rows)
        return float((gap**2).sum() / spread)

    assert distance(*alike) < 3.0
    assert distance(*apart) > 30.0


def test_features_of_neighbouring_bands_are_alike():
    rows = make_two_sensors(1_000, random_state=0).views["eoir"]
    bands = rows.reshape(-1, N_STATISTICS, N_BANDS)
    near = [np.corrcoef(bands[:, 0, k], bands[:, 0, k + 1])[0, 1] for k in range(N_BANDS - 1)]
    assert min(near) > 0.8


def test_same_seed_same_sensors():
    one, other = make_two_sensors(random_state=3), make_two_sensors(random_state=3)
    assert one.views.equals(other.views)
    assert np.array_equal(one.y, other.y)
    assert not one.views.equals(make_two_sensors(random_state=4).views)


@pytest.mark.parametrize(
    "wrong", [{"n_objects": 0}, {"share": 1.2}, {"subsurface": -0.1}, {"share": "many"}]
)
def test_impossible_campaigns_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name}="):
        make_two_sensors(**wrong)

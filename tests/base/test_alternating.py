"""The template for alternating methods: restarts, loop, history, warnings."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import AlternatingMixin, BaseMultiView, alternate
from manyviews.typing import Count


class Climb(AlternatingMixin, BaseMultiView):
    """Halve the distance from a random start to the nearest whole number's summit."""

    def __init__(
        self, n_init: Count = 4, max_iter: Count = 100, tol=1e-9, random_state=0, verbose=0
    ):
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _start(self, problem, rng):
        return rng.uniform(0, 10)

    def _step(self, problem, state):
        return state + (round(state) - state) / 2

    def _objective(self, state):
        return round(state) - abs(state - round(state))

    def _store(self, problem, state):
        self.summit_ = state


def starts(n_init, seed=0):
    return [rng.uniform(0, 10) for rng in np.random.default_rng(seed).spawn(n_init)]


def test_the_best_start_is_kept():
    model = Climb(n_init=6).fit([[1.0]])
    assert round(model.summit_) == max(round(start) for start in starts(6))
    assert model.converged_


def test_the_first_starts_do_not_depend_on_their_number():
    def taken(n_init):
        found = []

        class Watched(Climb):
            def _start(self, problem, rng):
                found.append(super()._start(problem, rng))
                return found[-1]

        Watched(n_init=n_init).fit([[1.0]])
        return found

    assert taken(2) == taken(9)[:2]
    assert len(set(taken(9))) == 9


def test_too_few_objects_are_refused():
    class Demanding(Climb):
        def _min_objects(self):
            return 3

    with pytest.raises(ValueError, match="minimum of 3 is required by Demanding"):
        Demanding().fit([[1.0], [2.0]])


def test_history_begins_at_the_start_and_counts_the_steps():
    model = Climb(n_init=1).fit([[1.0]])
    start = starts(1)[0]
    assert model.objective_history_[0] == pytest.approx(round(start) - abs(start - round(start)))
    assert len(model.objective_history_) == model.n_iter_ + 1
    assert (np.diff(model.objective_history_) >= 0).all()


def test_stopping_early_warns():
    with pytest.warns(ConvergenceWarning, match="Climb did not converge in max_iter=1 steps"):
        model = Climb(max_iter=1).fit([[1.0]])
    assert not model.converged_
    assert model.n_iter_ == 1


@pytest.mark.parametrize("name", ["n_init", "max_iter"])
def test_counts_below_one_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 should be an integer of at least 1"):
        Climb(**{name: 0}).fit([[1.0]])


def test_progress_is_reported_when_asked(capsys):
    Climb(n_init=2).fit([[1.0]])
    assert capsys.readouterr().out == ""
    Climb(n_init=2, verbose=1).fit([[1.0]])
    assert capsys.readouterr().out.count("Climb: start") == 2
    Climb(n_init=1, verbose=2).fit([[1.0]])
    assert "step 1, objective" in capsys.readouterr().out


def test_an_objective_that_is_not_a_number_stops_the_run():
    with pytest.raises(FloatingPointError, match="nan at step 2"):
        alternate(1.0, lambda x: x * 10, lambda x: np.nan if x > 50 else x, max_iter=9, tol=0)


def test_without_hooks_nothing_can_be_built():
    class Half(AlternatingMixin, BaseMultiView):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()


def test_a_method_may_say_that_it_is_too_early_to_stop():
    found = alternate(
        0, lambda x: x + 1, lambda _: 1.0, max_iter=20, tol=0.0, may_stop=lambda x: x >= 7
    )
    assert (found.converged, found.n_iter) == (True, 7)

    class Patient(Climb):
        def _may_stop(self, state):
            return False

    with pytest.warns(ConvergenceWarning):
        assert Patient(max_iter=80).fit([[1.0]]).n_iter_ == 80

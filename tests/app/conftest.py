"""Files of views, and methods of a third party, for the tests of the command line."""

from __future__ import annotations

import sys
from textwrap import dedent

import numpy as np
import pytest
from click.testing import CliRunner

from manyviews import Views, write
from manyviews.app.cli import cli

TOYS = dedent(
    '''
    """Toy methods [@toy2020]."""

    from pathlib import Path

    import numpy as np
    from manyviews.base import BaseMultiViewClassifier, BaseMultiViewClusterer, ViewTags
    from manyviews.compose import MergeViews
    from sklearn.base import BaseEstimator


    class ToyClusterer(BaseMultiViewClusterer):
        """Cut the objects by the sign of their sum.

        Parameters
        ----------
        n_clusters : int
            How many, which is ``two``.
        view_weights : dict or None
            One weight per view.
        noise : object
            Ignored.
        """

        view_tags = ViewTags(unobserved=True, sparse=True, min_views=2)

        def __init__(self, n_clusters=2, *, view_weights=None, noise=None, random_state=None):
            self.n_clusters = n_clusters
            self.view_weights = view_weights
            self.noise = noise
            self.random_state = random_state

        def fit(self, X, y=None):
            views = self._fit_views(X)
            if self.n_clusters != 2:
                raise ValueError(f"n_clusters={self.n_clusters} should be 2.")
            print("talking while fitting")
            self.got_labels_ = y is not None
            self.objective_history_ = np.array([0.0, 1.5])
            self.n_iter_, self.converged_ = 1, True
            self.view_weights_ = np.arange(1.0, views.n_views + 1)
            self.labels_ = self.predict(views)
            return self

        def predict(self, X):
            wide = np.asarray(self._new_views(X))
            return (np.nansum(wide, axis=1) > 0).astype(int)


    class ToyClassifier(BaseMultiViewClassifier):
        """Nearest mean, unlabelled objects left aside."""

        view_tags = ViewTags(unobserved=True)

        def __init__(self, shrink=0.0):
            self.shrink = shrink

        def fit(self, X, y=None):
            views = self._fit_views(X)
            labels = self._fit_labels(y, views)
            self.merge_ = MergeViews().fit(views)
            wide = self.merge_.transform(views)
            codes = range(len(labels.classes))
            self.means_ = np.array([wide[labels.codes == code].mean(axis=0) for code in codes])
            return self

        def predict_proba(self, X):
            wide = self.merge_.transform(self._new_views(X))
            near = np.exp(-((wide[:, None] - self.means_) ** 2).sum(axis=2))
            near += 1e-12
            return near / near.sum(axis=1, keepdims=True)

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]


    class Interrupted(ToyClusterer):
        """A person gets impatient."""

        def fit(self, X, y=None):
            raise KeyboardInterrupt


    class Crowded(ToyClusterer):
        """Somebody else fills the folder in the meantime."""

        def fit(self, X, y=None):
            Path("out").mkdir(exist_ok=True)
            Path("out/theirs.txt").write_text("theirs")
            return super().fit(X, y)


    class Broken(ToyClusterer):
        """A bug."""

        def fit(self, X, y=None):
            return {}["nothing"]


    class Transductive(BaseEstimator):
        """Says nothing of new objects."""

        def __init__(self, required):
            self.required = required

        def fit(self, X, y=None):
            self.embedding_ = np.asarray(X)[:, :2]
            return self


    NOT_A_CLASS = 3
    '''
)


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """A module of a third party on the path, under a name that is its own in each test."""
    name = f"toys_{abs(hash(str(tmp_path)))}"
    folder = tmp_path / "third_party"
    folder.mkdir()
    (folder / f"{name}.py").write_text(TOYS, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    yield name
    sys.modules.pop(name, None)


@pytest.fixture
def views():
    rng = np.random.default_rng(1)
    sign = np.repeat([-1.0, 1.0], 15)[:, None]
    return Views(
        {
            "size": [*(sign[:28] * 2 + rng.normal(size=(28, 3)) * 0.1), None, None],
            "colour": sign + rng.normal(size=(30, 2)) * 0.1,
        },
        sample_ids=[f"o{i}" for i in range(30)],
    )


@pytest.fixture
def data(views, tmp_path):
    """A file of views: a class unknown for two objects, and a second labelling."""
    y = np.repeat([0, 1], 15)
    y[[0, 29]] = -1
    path = tmp_path / "data.npz"
    extra = {"other": np.array(["a", "b", "c"] * 10), "table": np.zeros((30, 2))}
    write(views, path, y=y, label_names=("low", "high"), extra=extra)
    return path


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MANYVIEWS_DEBUG", raising=False)

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def fails(run):
    """Run what must fail: one sentence, no output, no traceback."""

    def invoke(*arguments, code=1):
        result = run(*arguments, code=code)
        assert result.stdout == ""
        lines = [line for line in result.stderr.splitlines() if not line.startswith("Warning: ")]
        assert len(lines) == 1, lines
        assert lines[0].startswith("Error: ")
        assert "Traceback" not in result.stderr
        return lines[0]

    return invoke

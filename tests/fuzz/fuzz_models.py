"""Saved models with damage: of bytes, of the description of the model, and of its arrays.

Every other one is a forgery without checksums: it may fail with whatever error when it is asked,
but it may neither crash nor hang.
"""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from fuzz_damage import damaged_archive, damaged_bytes
from fuzz_judge import Case
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder
from sklearn.svm import SVC

from manyviews import MergeViews
from manyviews.app.model import NOTE, load_model, save_model
from manyviews.testing.answers import answers
from manyviews.testing.check import prepared, takes_sparse
from manyviews.testing.data import problem_for
from manyviews.testing.runner import contract_instances

MODELS = [
    *(prepared(instance) for instance in contract_instances()),
    make_pipeline(MergeViews(), RandomForestClassifier(3, random_state=0)),
    make_pipeline(MergeViews(), KNeighborsClassifier(algorithm="kd_tree")),
    make_pipeline(MergeViews(), KNeighborsClassifier(algorithm="ball_tree")),
    make_pipeline(MergeViews(), KNeighborsClassifier(algorithm="brute")),
    make_pipeline(MergeViews(), KMeans(3, n_init=1, random_state=0)),
    make_pipeline(MergeViews(), KBinsDiscretizer(3), SVC()),
    make_pipeline(
        MergeViews(),
        KBinsDiscretizer(4, encode="ordinal"),
        OneHotEncoder(min_frequency=8, sparse_output=False),
    ),
]
COUNT = 12 * len(MODELS)


@cache
def _saved(which: int) -> tuple[bytes, Any]:

    estimator = MODELS[which]
    problem = problem_for(estimator)
    X, new = problem.X, problem.new
    if takes_sparse(estimator) and which % 2:
        X, new = ({k: sparse.csr_array(np.abs(v)) for k, v in each.items()} for each in (X, new))
    model = clone(estimator).fit(X, problem.y if problem.y is not None else problem.groups)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        save_model(model, path)
        return path.read_bytes(), new


def case(number: int) -> Case:
    """The model and the damage of a number."""
    rng = np.random.default_rng([17, number])
    which = number % len(MODELS)

    forged = number // len(MODELS) % 2 == 1

    def act() -> None:
        content, new = _saved(which)
        damage = damaged_archive if forged or rng.random() < 0.85 else damaged_bytes
        damaged = damage(rng, content)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.skops"
            path.write_bytes(_without_checksums(damaged) if forged else damaged)
            model = load_model(path)
            with suppress(Exception) if forged else nullcontext():
                answers(model, new)

    kind = "forged" if forged else "saved"
    return Case(f"a {kind} {MODELS[which]!r} with damage {number}", act)


def _without_checksums(content: bytes) -> bytes:
    """The archive with a note that knows of no checksums, as models saved before had none."""
    packed = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as source, ZipFile(packed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == NOTE:
                note = json.loads(data)
                data = json.dumps({k: v for k, v in note.items() if k != "members"}).encode()
            target.writestr(name, data)
    return packed.getvalue()

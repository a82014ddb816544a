"""A model file of a stranger's may be refused, or load and answer; it may not crash or hang."""

from __future__ import annotations

import io
import json
import os
import zipfile

import numpy as np
import pytest
from joblib import cpu_count
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import BallTree, KernelDensity, KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from manyviews import MergeViews
from manyviews.app.model import NOTE, UntrustedTypeError, checked, load_model, save_model
from manyviews.cluster import HybridTree
from manyviews.embed import KernelCCA
from manyviews.ensemble import MultiRepresentedKNN
from manyviews.exceptions import FileFormatError
from manyviews.mkl import TwoStageMKL
from manyviews.similarity import Linear
from manyviews.testing import contract_instances
from manyviews.testing.check import prepared
from manyviews.testing.data import problem_for

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 4)), np.arange(60) % 3
X[:, 0] += Y
WORDS = {
    "one": sparse.csr_array((RNG.random((60, 8)) < 0.4) * 1.0),
    "two": sparse.csr_array((RNG.random((60, 9)) < 0.4) * 1.0),
}
DENSE = {"one": X, "two": X[:, :3] + RNG.normal(size=(60, 3))}
VARIANCES = {"V": np.ones(4)}
WILD = 10**6


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


def rewrite(path, edit):
    """Let ``edit`` change the members of a model file: the schema, the arrays, the CSR parts."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    loaded = {name: opened(name, content) for name, content in members.items()}
    edit(loaded)
    loaded[NOTE].pop("members", None)  # a forger leaves no checksums that do not fit
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in loaded.items():
            archive.writestr(name, closed(name, content))


def opened(name, content):
    if name.endswith(".json"):
        return json.loads(content)
    loaded = np.load(io.BytesIO(content))
    return dict(loaded) if name.endswith(".npz") else loaded


def closed(name, content):
    if name.endswith(".json"):
        return json.dumps(content)
    buffer = io.BytesIO()
    np.savez(buffer, **content) if name.endswith(".npz") else np.save(buffer, content)
    return buffer.getvalue()


def refused(path, match):
    with pytest.raises(FileFormatError, match=match) as caught:
        load_model(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def instances():
    """One instance of every estimator of ours, as the contract takes them."""
    return list({type(instance): instance for instance in contract_instances()}.values())


@pytest.mark.parametrize("estimator", instances(), ids=lambda estimator: type(estimator).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_estimator_of_ours_is_loaded_unasked(path, estimator):
    problem = problem_for(prepared(estimator))
    model = prepared(estimator).fit(problem.X, problem.y)
    save_model(model, path)
    assert type(load_model(path)) is type(model)


# -- sparse matrices -----------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["indices", "indptr"])
@pytest.mark.parametrize(
    "model",
    [
        MultiRepresentedKNN(n_neighbors=3),
        KernelCCA(n_components=2, kernel=Linear()),
        make_pipeline(MergeViews(), KNeighborsClassifier()),
        make_pipeline(MergeViews(), SVC()),
    ],
    ids=["MultiRepresentedKNN", "KernelCCA", "KNeighborsClassifier", "SVC"],
)
def test_wild_indices_of_sparse_matrices(path, model, part):
    save_model(model.fit(WORDS, Y), path)
    assert load_model(path) is not None

    def edit(members):
        parts = [content[part] for content in members.values() if "indptr" in content]
        assert parts
        for values in parts:
            values[len(values) // 2] = WILD

    rewrite(path, edit)
    refused(path, "CSR")


def test_a_sparse_matrix_of_another_format_does_not_slip_in(path):
    save_model(MultiRepresentedKNN(n_neighbors=3).fit(WORDS, Y), path)

    def edit(members):
        for name in [name for name in members if name.endswith(".npz")]:
            buffer = io.BytesIO()
            sparse.save_npz(buffer, sparse.dia_array(np.eye(4)))
            members[name] = opened(name, buffer.getvalue())

    rewrite(path, edit)
    refused(path, "stored as dia")


# -- trees ---------------------------------------------------------------------------------------


def change_nodes(field, place, value):
    def edit(members):
        nodes = [a for a in members.values() if getattr(a, "dtype", None) and a.dtype.names]
        assert nodes
        nodes[0][field][place] = value

    return edit


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [
        ("left_child", 0, WILD),
        ("right_child", 0, -7),
        ("left_child", 1, 0),  # back to the root: predict never ends
        ("right_child", 0, 1),  # both sides are one
        ("feature", 0, WILD),
        ("feature", 0, -3),
    ],
)
@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(random_state=0), RandomForestClassifier(3, random_state=0)]
)
def test_decision_trees_that_lead_astray(path, model, field, place, value):
    save_model(model.fit(X, Y), path)
    rewrite(path, change_nodes(field, place, value))
    refused(path, "decision tree")


def change_json(path, key, value):
    """Set every number that the schema has under a key."""

    def walk(node):
        if isinstance(node, dict):
            content = node.get("content")
            if isinstance(content, dict) and key in content:
                content[key]["content"] = json.dumps(value)
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    rewrite(path, lambda members: walk(members["schema.json"]))


def test_a_decision_tree_that_is_deeper_than_it_says(path):
    model = DecisionTreeClassifier(random_state=0).fit(X, Y)
    save_model(model, path)
    change_json(path, "max_depth", 1)  # decision_path would write beyond its array
    refused(path, "deeper than it says")


def test_trees_that_are_asked_for_features_that_nobody_gives(path):
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    save_model(model, path)
    change_json(path, "n_features_in_", 2)
    refused(path, "decision tree")


@pytest.mark.parametrize(
    "model",
    [
        IsolationForest(n_estimators=5, max_features=2, random_state=0),
        BaggingClassifier(n_estimators=3, max_features=2, random_state=0),
        BaggingClassifier(KNeighborsClassifier(), n_estimators=3, random_state=0),
        RandomForestClassifier(5, max_leaf_nodes=6, random_state=0),
        KMeans(3, n_init=1, random_state=0),
        SVR(),
        OneClassSVM(),
        OneVsRestClassifier(SVC(kernel="linear")),
    ],
    ids=lambda model: type(model).__name__,
)
def test_honest_models_of_scikit_learn_are_trusted(path, model):
    save_model(model.fit(X, Y), path)
    np.testing.assert_array_equal(load_model(path).predict(X), model.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(algorithm="kd_tree", leaf_size=5),
        KNeighborsClassifier(algorithm="ball_tree", p=3),
        KNeighborsClassifier(
            algorithm="ball_tree", metric="seuclidean", metric_params={"V": [1] * 4}
        ),
    ],
    ids=["kd_tree", "ball_tree", "seuclidean"],
)
def test_search_trees_are_built_again(path, model):
    """Whatever their nodes point to in the file, they answer by their rows."""
    save_model(model.fit(X, Y), path)

    def edit(members):
        for values in members.values():
            indices = getattr(values, "dtype", None) == np.int64 and values.size == len(X)
            if indices and not np.array_equal(values, Y):  # wild targets are refused
                values[...] = WILD
            if getattr(values, "dtype", None) and values.dtype.names:
                values["idx_end"] = WILD

    expected = model.kneighbors(X)
    rewrite(path, edit)
    for found, right in zip(load_model(path).kneighbors(X), expected, strict=True):
        np.testing.assert_array_equal(found, right)


def test_a_tree_of_densities_keeps_its_weights(path):
    model = KernelDensity().fit(X, sample_weight=1.0 + Y)
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).score_samples(X), model.score_samples(X))


def test_search_trees_of_single_precision_and_inside_of_tuples():
    model = MergeViews()
    model.trees_ = (NearestNeighbors().fit(X), BallTree(X), None)
    again = checked(model)
    assert again.trees_[1] is not None
    np.testing.assert_array_equal(again.trees_[1].query(X)[1], BallTree(X).query(X)[1])


# -- other numbers that compiled code trusts -----------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "value"), [(np.int32, WILD), (np.int32, -1)], ids=["beyond", "before"]
)
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_support_vector_machines_with_wild_numbers(path, kernel, dtype, value):
    save_model(SVC(kernel=kernel).fit(X @ X.T if kernel == "precomputed" else X, Y), path)

    def edit(members):
        for array in members.values():
            if getattr(array, "dtype", None) == dtype and array.size:
                array[-1] = value

    rewrite(path, edit)
    refused(path, "support vector machine")


def test_a_support_vector_machine_with_too_few_coefficients(path):
    save_model(SVC().fit(X, Y), path)

    def edit(members):
        for name, array in members.items():
            if getattr(array, "ndim", 0) == 2 and len(array) == 2:
                members[name] = array[:1]

    rewrite(path, edit)
    refused(path, "support vector machine")


def test_rows_that_are_narrower_than_those_they_are_compared_with(path):
    save_model(KNeighborsClassifier(algorithm="brute").fit(X, Y), path)
    rewrite(path, lambda members: members.update(narrow(members)))
    refused(path, "other features than it takes")
    save_model(KMeans(3, n_init=1, random_state=0).fit(X), path)
    rewrite(path, lambda members: members.update(narrow(members)))
    refused(path, "other features than it takes")


def narrow(members):
    return {n: a[:, :2].copy() for n, a in members.items() if getattr(a, "ndim", 0) == 2}


@pytest.mark.parametrize("wild", ["right side", "feature", "root"])
def test_a_forest_of_kernels_that_leads_astray(path, wild):
    model = TwoStageMKL(combiner="forest", n_trees=20, random_state=0).fit(DENSE, Y)
    forest = model.combination_
    save_model(model, path)
    load_model(path)

    def edit(members):
        for array in members.values():
            if isinstance(array, np.ndarray) and array.dtype == np.int64:
                if wild == "root" and np.array_equal(array, forest.roots):
                    array[-1] = WILD
                elif wild != "root" and np.array_equal(array, forest.nodes):
                    array[0] = WILD << 24 if wild == "right side" else 0xFFFF

    rewrite(path, edit)
    refused(path, "a forest has nodes that point out of it")


@pytest.mark.parametrize("value", [WILD, -1, 0])
def test_a_tree_of_splits_that_leads_astray(path, value):
    model = HybridTree(n_clusters=3).fit(DENSE)
    nodes = model.tree_.split_nodes
    save_model(model, path)

    def edit(members):
        for array in members.values():
            if isinstance(array, np.ndarray) and np.array_equal(array, nodes):
                array[-1] = value

    rewrite(path, edit)
    refused(path, "a tree of splits")


def test_what_cannot_be_checked_is_not_trusted_unasked(path):
    model = GradientBoostingClassifier(n_estimators=2).fit(X, Y)
    save_model(model, path)
    name = "sklearn.ensemble._gb.GradientBoostingClassifier"
    with pytest.raises(UntrustedTypeError, match=f"--trust {name}"):
        load_model(path)
    np.testing.assert_array_equal(load_model(path, trust=[name]).predict(X), model.predict(X))


# -- sizes ---------------------------------------------------------------------------------------


def test_a_model_that_grows_too_much_is_refused_before_it_does(path, monkeypatch):
    model = MergeViews().fit(X)
    model.spare_ = np.ones(3)
    save_model(model, path)

    def edit(members):
        for name, array in members.items():
            if getattr(array, "shape", None) == (3,):
                members[name] = np.zeros(1_000_000)

    rewrite(path, edit)
    assert path.stat().st_size * 300 < 8_000_000
    monkeypatch.setattr("manyviews.data.io.safety.ALWAYS", 4_000_000)
    with monkeypatch.context() as patch:
        patch.setattr("skops.io.get_untrusted_types", lambda **_: pytest.fail("read too early"))
        refused(path, r"would become 8\.\d MB in memory .* MANYVIEWS_MAX_BYTES=8")
    assert len(load_model(path, max_bytes=10_000_000).spare_) == 1_000_000


def test_a_member_that_is_named_again_and_again_counts_each_time(path):
    model = MergeViews().fit(X)
    model.spare_ = [np.zeros(10_000)]
    save_model(model, path)

    def edit(members):
        listed = members["schema.json"]["content"]["content"]["spare_"]["content"]
        listed[:] = [{**listed[0], "__id__": number} for number in range(100)]

    rewrite(path, edit)
    with pytest.raises(FileFormatError, match="would become"):
        load_model(path, max_bytes=4_000_000)
    assert len(load_model(path, max_bytes=16_000_000).spare_) == 100


def test_the_compressed_parts_of_a_sparse_matrix_count(path, monkeypatch):
    model = MergeViews().fit(X)
    model.spare_ = sparse.csr_array(np.eye(3))
    save_model(model, path)

    def edit(members):
        for name in [name for name in members if name.endswith(".npz")]:
            members[name]["more"] = np.zeros(100_000)

    rewrite(path, edit)
    monkeypatch.setenv("MANYVIEWS_MAX_BYTES", "500000")
    refused(path, "would become")
    monkeypatch.setenv("MANYVIEWS_MAX_BYTES", "5000000")
    assert load_model(path).spare_.shape == (3, 3)
    monkeypatch.setenv("MANYVIEWS_MAX_BYTES", "much")
    with pytest.raises(ValueError, match="MANYVIEWS_MAX_BYTES='much' is no number of bytes"):
        load_model(path)


# -- what was not looked at ------------------------------------------------------------------------


def wild_codes(members):
    """Codes of rare categories, by which the encoder fills its columns."""
    for array in members.values():
        if isinstance(array, np.ndarray) and array.dtype == np.int64 and array.ndim == 1:
            array[:] = WILD


def all_longer(members):
    for name, array in members.items():
        if isinstance(array, np.ndarray) and array.dtype == float and array.ndim == 1:
            members[name] = np.concatenate([array] * 50)


@pytest.mark.parametrize(
    ("encoder", "edit"),
    [
        (OneHotEncoder(min_frequency=8, sparse_output=False), wild_codes),
        (OneHotEncoder(sparse_output=False), all_longer),
        (KBinsDiscretizer(3, encode="onehot-dense"), all_longer),
    ],
)
def test_encoders_whose_codes_lead_out_of_their_columns(path, encoder, edit):
    levels = RNG.integers(0, 6, size=(60, 4)).astype(float)
    model = make_pipeline(MergeViews(), encoder).fit(levels)
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).transform(levels), model.transform(levels))
    rewrite(path, edit)
    refused(path, "a one-hot encoder")


def without_rows(members):
    for name, array in members.items():
        if isinstance(array, np.ndarray) and array.shape == X.shape:
            members[name] = array[:0]


@pytest.mark.parametrize("edit", [wild_codes, without_rows])
def test_neighbours_that_are_not_there_or_of_no_class(path, edit):
    metric = {"metric": "seuclidean", "metric_params": VARIANCES}
    model = make_pipeline(MergeViews(), KNeighborsClassifier(algorithm="brute", **metric))
    save_model(model.fit(X, Y), path)
    rewrite(path, edit)
    refused(path, "a KNeighborsClassifier has")


def test_neighbours_of_several_outputs_are_loaded(path):
    model = make_pipeline(MergeViews(), KNeighborsClassifier()).fit(X, np.column_stack([Y, Y % 2]))
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).predict(X), model.predict(X))


def test_threads_are_as_many_as_the_machine_has(path):
    model = make_pipeline(MergeViews(), KMeans(3, n_init=1, random_state=0)).fit(X)
    model[-1]._n_threads = -1
    save_model(model, path)
    assert load_model(path)[-1]._n_threads == cpu_count()


@pytest.mark.parametrize(
    "note", [b"[" * 100_000, b"[1]", b" " * (20 << 20)], ids=["deep", "a list", "long"]
)
def test_a_note_that_is_none(path, note):
    save_model(MergeViews().fit(X), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, NOTE: note}.items():
            archive.writestr(name, content)
    refused(path, "is damaged or not a model|would become 419.6 MB")


def test_a_note_whose_compressed_bytes_are_damaged(path):
    save_model(MergeViews().fit(X), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        start = archive.getinfo(NOTE).header_offset + 30 + len(NOTE)
    content = bytearray(path.read_bytes())
    content[start : start + 12] = bytes(byte ^ 0xFF for byte in content[start : start + 12])
    path.write_bytes(content)
    refused(path, "is damaged or not a model")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_is_no_model(path):
    os.mkfifo(path)
    refused(path, "is a pipe or a device")

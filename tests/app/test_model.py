"""Models come back as they were, and nothing but models comes back."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from functools import partial

import numpy as np
import pytest
import skops.io
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView, Views
from manyviews.app.model import (
    FORMAT,
    NOTE,
    UntrustedTypeError,
    foreign_types,
    is_trusted,
    load_model,
    save_model,
)
from manyviews.exceptions import FileFormatError


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    return Views(
        {
            "size": [*rng.normal(size=(38, 3)), None, None],
            "text": sparse.csr_array((rng.random((40, 6)) < 0.4) * 1.0),
        },
        feature_names={"size": ["width", "height", "größe"]},
        sample_ids=[f"object {i}" for i in range(40)],
    )


@pytest.fixture
def y():
    return np.array(["news", "sport"] * 20, dtype=object)


def saved_and_loaded(model, path, **options):
    save_model(model, path)
    return load_model(path, **options)


@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(), KNeighborsClassifier(algorithm="kd_tree"), RandomForestClassifier(3)],
    ids=lambda classifier: type(classifier).__name__,
)
def test_a_pipeline_predicts_the_same_after_loading(views, y, tmp_path, classifier):
    scale = PerView({"size": StandardScaler(), "text": "passthrough"})
    dense = make_pipeline(scale, MergeViews(indicator=True), ToDense(), classifier)
    trust = [f"{__name__}.ToDense"]
    save_model(dense.fit(views, y), tmp_path / "model.skops")
    assert foreign_types(tmp_path / "model.skops") == trust
    again = load_model(tmp_path / "model.skops", trust=trust)
    np.testing.assert_array_equal(again.predict_proba(views), dense.predict_proba(views))
    assert again.predict(views).dtype == object
    assert again[0].layout_.feature_names["size"].tolist() == ["width", "height", "größe"]


class ToDense(StandardScaler):
    def __init__(self):
        super().__init__(with_mean=False)

    def transform(self, X, copy=None):
        return super().transform(X).toarray()


def test_views_masks_and_sparsity_come_back(views, tmp_path):
    model = PerView().fit(views)
    model.training_views_ = views
    again = saved_and_loaded(model, tmp_path / "model.skops")
    assert again.training_views_.equals(views)
    assert again.layout_.names == views.names
    assert again.transform(views).equals(model.transform(views))


def test_fitted_attributes_of_every_plain_kind_come_back(tmp_path):
    model = MergeViews().fit([[1.0], [2.0]])
    model.mixed_ = np.array(["a", None, 3, 2.5, (1, "x")], dtype=object)
    model.by_number_ = {0: np.float32(0.5), 3: np.array([True])}
    model.rng_ = np.random.default_rng(5)
    model.csr_ = sparse.csr_matrix(np.eye(2))
    expected = np.random.default_rng(5).normal(size=3)
    again = saved_and_loaded(model, tmp_path / "model.skops")
    assert again.mixed_.tolist() == ["a", None, 3, 2.5, (1, "x")]
    assert again.by_number_[0] == 0.5
    assert list(again.by_number_) == [0, 3]
    np.testing.assert_array_equal(again.rng_.normal(size=3), expected)
    assert (again.csr_ != model.csr_).nnz == 0


def test_calibrated_and_nested_models_need_no_trust(views, y, tmp_path):
    inner = CalibratedClassifierCV(LogisticRegression(), cv=2)
    model = make_pipeline(MergeViews(), inner).fit(views, y)
    again = saved_and_loaded(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(views), model.predict_proba(views))


def test_what_cannot_be_saved_leaves_no_file(tmp_path):
    model = MergeViews().fit([[1.0]])
    model.by_pair_ = {(0, 1): 2.0}
    with pytest.raises(FileFormatError, match=r"MergeViews cannot be saved.*--allow-pickle"):
        save_model(model, tmp_path / "model.skops")
    assert list(tmp_path.iterdir()) == []


def test_a_pickle_needs_permission_both_ways(views, tmp_path):
    model, path = PerView().fit(views), tmp_path / "model.pkl"
    with pytest.raises(FileFormatError, match="--allow-pickle"):
        save_model(model, path)
    save_model(model, path, allow_pickle=True)
    with pytest.raises(FileFormatError, match="--allow-pickle"):
        load_model(path)
    assert load_model(path, allow_pickle=True).transform(views).equals(model.transform(views))


@pytest.mark.parametrize("content", [b"", b"nonsense", pickle.dumps([1]), pickle.dumps({"a": 1})])
def test_a_damaged_pickle_is_one_sentence(tmp_path, content):
    (tmp_path / "model.pkl").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"model\.pkl is damaged"):
        load_model(tmp_path / "model.pkl", allow_pickle=True)


def test_the_name_tells_the_format(tmp_path):
    with pytest.raises(FileFormatError, match=r"\.skops or \.pkl"):
        save_model(MergeViews(), tmp_path / "model.joblib")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "absent.skops")


def test_code_hidden_in_a_file_is_named_and_not_run(tmp_path):
    mark = tmp_path / "mark"
    model = MergeViews()
    model.fill = partial(os.mkdir, str(mark))
    path = tmp_path / "model.skops"
    save_model(model, path)
    with pytest.raises(UntrustedTypeError, match=r"functools\.partial.*posix\.mkdir|nt\.mkdir"):
        load_model(path)
    with pytest.raises(UntrustedTypeError, match="mkdir"):
        load_model(path, trust=["functools.partial"])
    assert not mark.exists()


def test_a_model_that_was_edited_is_refused(views, tmp_path):
    path = tmp_path / "model.skops"
    save_model(PerView(StandardScaler(with_mean=False)).fit(views), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content if name == NOTE else content + b" ")
    with pytest.raises(FileFormatError, match="is not as it was saved"):
        load_model(path)


def rewritten(path, edit):
    """Change the schema inside a model file by hand, as an attacker would."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    note = json.loads(members[NOTE])
    members[NOTE] = json.dumps({key: note[key] for key in note if key != "members"})
    edit(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("manyviews.registry", "import_module"),  # a name in our module, not a class of ours
        ("manyviews.app.model", "load_model"),
        ("manyviews.data", "Views"),  # not where it is defined
        ("numpy", "memmap"),
        ("sklearn.utils._testing", "TempMemmap"),
        ("manyviews.no_such_module", "Thing"),
        ("subprocess", "Popen"),
    ],
)
def test_a_trusted_package_does_not_lend_its_trust_to_what_it_imports(tmp_path, module, name):
    path = tmp_path / "model.skops"
    save_model(MergeViews(), path)

    def edit(members):
        schema = json.loads(members["schema.json"])
        call = {"__class__": name, "__module__": module, "__loader__": "ConstructorFromReduceNode"}
        call["content"] = schema["content"]
        members["schema.json"] = json.dumps({**call, "protocol": schema["protocol"]}).encode()

    rewritten(path, edit)
    assert not is_trusted(f"{module}.{name}")
    with pytest.raises(UntrustedTypeError, match=rf"{module}\.{name}"):
        load_model(path)


def test_a_file_from_the_future_is_refused(tmp_path):
    path = tmp_path / "model.skops"
    save_model(MergeViews(), path)
    note = json.dumps({"format": FORMAT + 1}).encode()
    rewritten(path, lambda members: members.update({NOTE: note}))
    with pytest.raises(FileFormatError, match=rf"format {FORMAT + 1}.*newer manyviews"):
        load_model(path)


def test_a_skops_file_of_others_is_not_ours(tmp_path):
    path = tmp_path / "model.skops"
    skops.io.dump(MergeViews(), path)
    with pytest.raises(FileFormatError, match="not a model of ours"):
        load_model(path)


def test_damage_anywhere_is_one_sentence_or_harmless(views, tmp_path):
    path = tmp_path / "model.skops"
    save_model(MergeViews().fit(views), path)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    damaged = [whole[: int(end)] for end in rng.integers(0, len(whole), 40)]
    damaged += [
        whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        for place in rng.integers(0, len(whole), 150)
    ]
    messages = []
    for content in damaged:
        path.write_bytes(content)
        try:
            load_model(path)
        except FileFormatError as error:
            messages.append(str(error))
    assert len(messages) > len(damaged) / 2
    assert all(str(path) in message and "\n" not in message for message in messages)


def test_the_file_is_replaced_only_when_complete(views, tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    save_model(MergeViews("zero").fit(views), path)
    monkeypatch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(OSError("disk")))
    with pytest.raises(OSError, match="disk"):
        save_model(MergeViews("nan").fit(views), path)
    monkeypatch.undo()
    assert load_model(path).fill == "zero"
    assert [file.name for file in tmp_path.iterdir()] == ["model.skops"]


def test_the_archive_says_its_versions(tmp_path):
    path = tmp_path / "model.skops"
    save_model(MergeViews(), path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        note = json.loads(archive.read(NOTE))
    assert note["format"] == FORMAT
    assert {"python", "manyviews", "numpy", "scipy", "scikit-learn", "skops"} == set(
        note["versions"]
    )

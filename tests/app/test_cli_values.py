"""From text to parameters: literals, constructors, paths, files, and what is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from manyviews import MergeViews, PerView
from manyviews.app.lookup import SettingsError, find_constructor, find_method
from manyviews.app.settings import (
    as_setting,
    build,
    check_settings,
    expression,
    parse_settings,
    parse_value,
    read_settings,
    resolved,
)
from manyviews.exceptions import FileFormatError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("6", 6),
        ("-3", -3),
        ("0.1", 0.1),
        ("1e-3", 0.001),
        ("true", True),
        ("False", False),
        ("null", None),
        ("None", None),
        ('"6"', "6"),
        ("'a b'", "a b"),
        ("mean", "mean"),
        ("nan", "nan"),
        ("NaN", "NaN"),
        ("two words", "two words"),
        ("a-b", "a-b"),
        ("path/to.csv", "path/to.csv"),
        ("a.b", "a.b"),
        ("[1, two, 'three']", [1, "two", "three"]),
        ("(1, 2)", (1, 2)),
        ('{"a": 1, b: [true]}', {"a": 1, "b": [True]}),
        ("", ""),
        ("1 + 1", "1 + 1"),
        ("__import__", "__import__"),
    ],
)
def test_literals_and_words(text, value):
    found = parse_value(text)
    assert found == value
    assert type(found) is type(value)


def test_constructors_nest_and_take_views_by_name():
    text = "PerView({text: StandardScaler(with_mean=false), links: MinMaxScaler((0, 2))})"
    found = parse_value(text)
    assert isinstance(found, PerView)
    assert found.transformer["text"].with_mean is False
    assert found.transformer["links"].feature_range == (0, 2)


@pytest.mark.parametrize("name", ["sklearn.preprocessing.StandardScaler", "StandardScaler"])
def test_scikit_learn_by_short_name_and_by_path(name):
    assert find_constructor(name) is StandardScaler


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("__import__('os')", "no class '__import__'"),
        ("os.system('true')", "neither of manyviews nor of scikit-learn"),
        ("sklearn.utils.os.system('true')", "no module"),
        ("sklearn.clone(1)", "is not a class"),
        ("sklearn.no_such.Thing()", "no module"),
        ("StandrdScaler()", "did you mean 'StandardScaler'"),
        ("StandardScaler(1 + 1)", "only literals"),
        ("StandardScaler(with_men=false)", "its parameters are copy, with_mean, with_std"),
        ("StandardScaler(*[1])", "unpacks"),
        ("StandardScaler(**{'copy': true})", "unpacks"),
        ("(lambda: 1)()", "not a class by its name"),
        ("[x for x in StandardScaler()]", "only literals"),
        ("StandardScaler(with_mean=)", "syntax"),
        ("PerView(open('x'))", "no class 'open'"),
        ("'a'.join(['b'])", "not a class by its name"),
        ("Qqqqzzzz()", "give a class that manyviews exports"),
    ],
)
def test_nothing_else_is_called(text, says):
    with pytest.raises(SettingsError, match=says.replace("(", r"\(")):
        parse_value(text)


words = st.text(st.characters(codec="utf-8", exclude_characters="()"), max_size=8)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(plain_values)
@settings(deadline=None, max_examples=50)
def test_what_is_written_reads_back(value):
    assert parse_value(json.dumps(value)) == value
    assert parse_settings(json.loads(json.dumps(as_setting(value)))) == value
    assert parse_value(expression([value])) == [value]


def test_objects_are_written_as_constructors_and_read_back():
    model = PerView({"a": StandardScaler(with_std=False), "b": make_pipeline(MinMaxScaler((0, 2)))})
    again = parse_settings(resolved(model))["transformer"]
    assert again["a"].get_params() == model.transformer["a"].get_params()
    assert again["b"].steps[0][1].feature_range == [0, 2]
    assert expression(MergeViews()) == "MergeViews()"
    assert as_setting(np.arange(2)) == [0, 1]
    assert as_setting(np.float64(0.5)) == 0.5


def test_a_dotted_or_underscored_path_and_quoted_names():
    found = read_settings(['view_weights."my.view"=2', "a__b.c=x=y", "a.b.c=3"])
    assert found == {("view_weights", "my.view"): 2, ("a", "b", "c"): 3}


@pytest.mark.parametrize("pair", ["n_clusters", "=3", "a b=3", ".a=1"])
def test_what_sets_nothing_is_refused(pair):
    with pytest.raises(SettingsError):
        read_settings([pair])


@dataclass(frozen=True)
class Kernel:
    gamma: float = 1.0
    degree: int = 2


class Method(BaseEstimator):
    def __init__(self, size, *, kernel=Kernel(), scaler=None, view_weights=None, random_state=None):
        self.size = size
        self.kernel = kernel
        self.scaler = scaler
        self.view_weights = view_weights
        self.random_state = random_state

    def fit(self, X, y=None):
        return self


def made(*pairs, **options):
    return build(Method, read_settings(["size=1", *pairs]), **options)


def test_parts_of_objects_are_replaced_and_defaults_stay():
    assert made("kernel.gamma=0.1").kernel == Kernel(0.1, 2)
    assert made().kernel == Kernel()
    scaled = made("scaler=PerView(StandardScaler())", "scaler.transformer.with_std=false")
    assert scaled.scaler.transformer.with_std is False


def test_one_view_is_set_apart_from_one_value_for_all():
    kernel = made("kernel.text.gamma=0.1", view_names=["text", "links"]).kernel
    assert kernel == {"text": Kernel(0.1), "links": Kernel()}


def test_weights_by_view():
    model = made("view_weights.text=2", "view_weights.links=1", view_names=["text", "links"])
    assert model.view_weights == {"text": 2, "links": 1}


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ("sise=2", "Method has no parameter 'sise'; did you mean 'size'"),
        ("kernel.gama=2", "Method.kernel has no parameter 'gama'; did you mean 'gamma'"),
        ("kernel.x=2", "there are gamma, degree"),
        ("size.x=2", "which has no part 'x'"),
    ],
)
def test_unknown_names_are_refused_with_those_there_are(pair, says):
    with pytest.raises(SettingsError, match=says):
        made(pair, view_names=["text"])


@pytest.mark.parametrize(
    ("method", "pair", "says"),
    [
        ("MergeViews", "fill=median", "fill='median' should be 'mean', 'zero', or 'nan'."),
        ("MergeViews", "indicator=1", "indicator=1 should be True or False."),
        ("HyperplaneKNN", "n_neighbors=2.5", "n_neighbors=2.5 should be an integer of at least 1"),
        ("HyperplaneKNN", "penalty=nan", "penalty='nan' should be a number of at least 0"),
        ("LabelledOnly", "estimator=HyperplaneKNN(0)", "estimator.n_neighbors=0 should be"),
        ("TwoStageMKL", "kernels=KernelLibrary(keep=yes)", "kernels.keep='yes' should be True or"),
        ("TwoStageMKL", "kernels=[KernelLibrary()]", "kernels=[KernelLibrary"),
        ("PerView", "transformer=LogisticRegression()", "transformer=LogisticRegression() should"),
        ("PerView", "transformer.text=drop", "transformer.text='drop' should be a transformer"),
        ("MultiRepresentedKNN", "n_neighbors.text=0", "n_neighbors.text=0 should be an integer"),
        ("MultiRepresentedKNN", "view_weights.text=-1", "view_weights.text=-1 should be a number"),
    ],
)
def test_a_value_that_is_not_taken_is_refused_by_the_name_that_was_typed(method, pair, says):
    with pytest.raises(SettingsError) as caught:
        build(find_method(method), read_settings([pair]), view_names=["text", "links"])
    assert str(caught.value).startswith(says)
    assert str(caught.value).endswith(".")


def test_steps_of_a_pipeline_are_held_to_what_they_declare():
    steps = "steps=[[scale, PerView()], [merge, MergeViews()], [classify, LogisticRegression()]]"
    with pytest.raises(SettingsError, match=r"^merge\.fill='median' should be 'mean'"):
        build(Pipeline, read_settings([steps, "merge.fill=median"]))


@pytest.mark.parametrize(
    ("method", "pairs", "says"),
    [
        ("HyperplaneKNN", ["penalty=-1"], "penalty=-1 should be"),
        (
            "LabelledOnly",
            ["estimator=HyperplaneKNN()", "estimator.penalty=-1"],
            "estimator.penalty",
        ),
        ("HyperplaneKNN", ["penalti=1"], "did you mean 'penalty'"),
    ],
)
def test_settings_are_checked_before_the_data_are_read(method, pairs, says):
    with pytest.raises(SettingsError, match=says):
        check_settings(find_method(method), read_settings(pairs))


def test_what_is_set_for_one_view_waits_for_the_names_of_the_views():
    settings = read_settings(["transformer.text=drop", "transformer.links=StandardScaler()"])
    check_settings(PerView, settings)
    with pytest.raises(SettingsError, match=r"transformer.text='drop'"):
        build(PerView, settings, view_names=["text", "links"])


def test_a_required_parameter_is_asked_for():
    with pytest.raises(SettingsError, match="Method needs a value for 'size'"):
        build(Method, {})


def test_the_seed_goes_everywhere_but_where_one_is_set():
    model = made("scaler=LogisticRegression()", seed=7)
    assert model.random_state == 7
    assert model.scaler.random_state == 7
    assert made("random_state=3", seed=7).random_state == 3
    assert build(PerView, {}, seed=7).transformer == "passthrough"


def test_steps_of_a_pipeline():
    steps = "steps=[[scale, StandardScaler()], [classify, LogisticRegression()]]"
    model = build(Pipeline, read_settings([steps, "classify.C=0.5"]))
    assert model.named_steps["classify"].C == 0.5
    assert isinstance(model.named_steps["classify"], LogisticRegression)


TOML = """
size = 3
scaler = "StandardScaler()"
[kernel]
gamma = 0.5
[view_weights]
t = 2
"""
JSON = {"size": 3, "scaler": "StandardScaler()", "kernel": {"gamma": 0.5}, "view_weights": {"t": 2}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.toml", TOML),
        ("c.json", json.dumps(JSON)),
        ("c.json", json.dumps({"method": "x:Method", "parameters": JSON})),
    ],
)
def test_a_file_sets_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    model = build(Method, read_settings(["size=4"], tmp_path / name))
    assert (model.size, model.kernel, model.view_weights) == (4, Kernel(0.5), {"t": 2})
    assert isinstance(model.scaler, StandardScaler)


@pytest.mark.parametrize(("name", "text"), [("c.toml", "a = "), ("c.json", "[1]"), ("c.json", "{")])
def test_a_damaged_file_is_named(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=name.replace(".", r"\.")):
        read_settings([], tmp_path / name)


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"\.toml or \.json"):
        read_settings([], tmp_path / "c.yaml")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("PerVieww", "did you mean 'PerView'"),
        ("no.such.module:Thing", "cannot be imported"),
        ("sklearn.cluster:KMean", "did you mean 'KMeans'"),
        ("json:JSONDecoder", "has no fit"),
    ],
)
def test_unknown_methods(name, says):
    with pytest.raises(SettingsError, match=says):
        find_method(name)


def test_a_class_is_called_as_its_room_exports_it():
    from manyviews.mkl import KernelLibrary, TwoStageMKL
    from manyviews.mkl.library import RelativeRBF

    assert expression(KernelLibrary(["rbf"])) == "KernelLibrary(kernels=['rbf'])"
    assert expression(TwoStageMKL()) == "TwoStageMKL()"
    assert expression(RelativeRBF(times=2.0)).startswith("manyviews.mkl.library.RelativeRBF(")
    assert expression(LogisticRegression()) == "sklearn.linear_model.LogisticRegression()"

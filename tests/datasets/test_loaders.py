"""Real data by name: counts, masks, traps and texts as their descriptions state them."""

from __future__ import annotations

import gzip
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import manyviews.datasets as datasets
from manyviews import Dataset
from manyviews.datasets.corpora import read_iob, read_table
from manyviews.exceptions import FileFormatError
from manyviews.typing import is_sparse

DATA = os.environ.get("MANYVIEWS_DATA")


def entries_of(*kinds):
    return [
        pytest.param(entry, id=entry.name, marks=pytest.mark.data if entry.files else ())
        for entry in datasets.available()
        if entry.kind in kinds
    ]


MATRICES = entries_of("views", "matrix", "kernels")


@pytest.fixture(scope="module")
def loaded():
    """Each matrix data set, read once."""
    held = {}

    def load(name):
        if name not in held:
            held[name] = datasets.load(name)
        return held[name]

    return load


@pytest.mark.parametrize("entry", MATRICES)
def test_a_matrix_data_set_is_what_its_entry_says(entry, loaded):
    dataset = loaded(entry.name)
    views, y = dataset
    assert isinstance(dataset, Dataset)
    assert dataset.name == entry.name
    assert len(views) == entry.n_objects
    assert dict(zip(views.names, views.layout.widths, strict=True)) == entry.views
    assert len(views.drop_unobserved()) == entry.n_complete
    assert dataset.label_names == entry.classes
    np.testing.assert_array_equal(np.unique(y), np.arange(len(entry.classes)))
    assert y.dtype == np.int64
    assert all(len(column) == len(views) for column in dataset.extra.values())


@pytest.mark.parametrize(
    ("name", "present", "complete"),
    [
        ("3sources", {"bbc": 352, "guardian": 302, "reuters": 294}, 169),
        ("bbc", {"seg1": 1543, "seg2": 1524, "seg3": 1574, "seg4": 1549}, 685),
        ("bbcsport", {"seg1": 644, "seg2": 637}, 544),
        ("tcga_breast", {"mirna": 220, "mrna": 220, "protein": 150}, 150),
        ("leaves100", {"margin": 1600, "shape": 1600, "texture": 1599}, 1599),
    ],
)
@pytest.mark.data
def test_views_are_unobserved_where_the_source_has_none(name, present, complete, loaded):
    views = loaded(name).views
    assert dict(zip(views.names, views.observed.sum(axis=0).tolist(), strict=True)) == present
    assert int(views.observed.all(axis=1).sum()) == complete
    assert views.observed.any(axis=1).all()
    for view, matrix in views.items():
        absent = matrix[~views.observed_in(view)]
        assert absent.nnz == 0 if is_sparse(matrix) else np.isnan(absent).all()


SORTED = {
    *("bbc", "bbcsport", "bbcsport4", "course", "leaves100", "mfeat", "sonar", "wine"),
    "vertebral3",
}


@pytest.mark.parametrize("entry", MATRICES)
def test_the_sets_that_are_sorted_by_class_are_those_that_say_so(entry, loaded):
    steps = np.diff(loaded(entry.name).y)
    is_sorted = bool((steps >= 0).all() or (steps <= 0).all())
    assert is_sorted == (entry.name in SORTED)
    assert ("Rows are sorted by class: shuffle" in entry.description) == is_sorted


@pytest.mark.data
class TestParticulars:
    def test_cora_has_the_citations_of_the_papers(self, loaded):
        views = loaded("cora").views
        cites = views["cites"]
        assert (cites.nnz, cites.diagonal().sum()) == (5429, 0)
        assert views["words"].nnz == 49216
        assert set(views["words"].data) == {1.0}
        assert views.sample_ids[0] == "31336"

    def test_citeseer_cites_itself_124_times(self, loaded):
        cites = loaded("citeseer").views["cites"]
        assert (cites.nnz, cites.diagonal().sum()) == (4715, 124)

    def test_pubmed_links_have_no_direction(self, loaded):
        links = loaded("pubmed").views["links"]
        assert (links != links.T).nnz == 0
        assert (links.nnz + links.diagonal().sum()) / 2 == 44327

    def test_no_link_of_webkb_leaves_a_university(self, loaded):
        dataset = loaded("webkb")
        university = dataset.extra["university"]
        linking, linked = dataset.views["cites"].nonzero()
        assert (university[linking] == university[linked]).all()
        assert np.bincount(university).tolist() == [195, 187, 230, 265]
        assert dataset.views["cites"].nnz == 1608

    def test_course_has_five_empty_rows_in_each_view_that_count_as_observed(self, loaded):
        views = loaded("course").views
        assert [int((np.diff(matrix.indptr) == 0).sum()) for _, matrix in views.items()] == [5, 5]
        assert views.observed.all()

    def test_three_sources_keeps_terms_ids_and_overlapping_topics(self, loaded):
        dataset = datasets.load_three_sources()
        assert dataset.views.equals(loaded("3sources").views)
        assert dataset.views.feature_names["bbc"][0] == "unemploy"
        assert dataset.views.sample_ids[0] == "001"
        multilabel = dataset.extra["y_multilabel"]
        assert multilabel.shape == (416, 6)
        assert multilabel[np.arange(416), dataset.y].all()

    @pytest.mark.parametrize("name", ["protein_fold12", "protein_fold_seq"])
    def test_protein_folds_mark_the_usual_split_and_its_leak(self, name, loaded):
        extra = loaded(name).extra
        assert (extra["test"].sum(), extra["test_in_train"].sum()) == (383, 49)
        assert extra["test"][extra["test_in_train"]].all()

    def test_tcga_has_no_protein_in_its_test_split(self, loaded):
        dataset = loaded("tcga_breast")
        np.testing.assert_array_equal(dataset.views.observed_in("protein"), ~dataset.extra["test"])

    def test_nutrimouse_has_a_second_labelling(self, loaded):
        assert np.bincount(loaded("nutrimouse").extra["y_genotype"]).tolist() == [20, 20]

    def test_breast_cancer_keeps_missing_cells_as_nan_in_observed_rows(self, loaded):
        views = loaded("breast_cancer_wisconsin").views
        assert np.isnan(views["X"]).sum() == 16
        assert views.observed.all()
        column = list(views.feature_names["X"]).index("Bare_Nuclei")
        assert np.isnan(views["X"][:, column]).sum() == 16

    def test_reuters_rows_come_in_six_blocks_and_have_negative_weights(self, loaded):
        dataset = loaded("reuters5_600")
        assert np.flatnonzero(np.diff(dataset.y)).tolist() == [99, 199, 299, 399, 499]
        assert all((matrix.data < 0).any() for _, matrix in dataset.views.items())

    def test_football_kernels_are_kernels_and_their_classes_count_from_zero(self, loaded):
        dataset = datasets.load_football_kernels()
        assert dataset.label_names == tuple(str(number) for number in range(1, 21))
        for kernel in dict(dataset.views.items()).values():
            np.testing.assert_allclose(kernel, kernel.T, atol=1e-6)
            np.testing.assert_allclose(np.diag(kernel), 1.0, atol=1e-6)
        with np.load(Path(DATA) / "football_kernels" / "football.npz") as arrays:
            np.testing.assert_array_equal(dataset.y + 1, arrays["y"])

    def test_the_last_football_kernel_is_close_to_noise(self, loaded):
        dataset = loaded("football_kernels")
        right = {}
        for name, kernel in dataset.views.items():
            others = np.where(np.eye(len(kernel), dtype=bool), -np.inf, kernel)
            right[name] = np.mean(dataset.y[others.argmax(axis=1)] == dataset.y)
        assert right["kernel0"] == pytest.approx(0.77, abs=0.005)
        assert right["kernel8"] == pytest.approx(0.08, abs=0.005)

    def test_phonemes_have_three_views_and_the_rest_beside_them(self, loaded):
        dataset = datasets.load_phonemes()
        views = dataset.views
        counts = dataset.extra["next_counts"]
        np.testing.assert_allclose(views["context"], counts / counts.sum(axis=1, keepdims=True))
        np.testing.assert_array_equal(counts.sum(axis=1), dataset.extra["unigram_counts"])
        assert dataset.extra["acoustic_states"].shape == (39, 3, 3, 13)
        assert views.sample_ids[:3].tolist() == ["AA", "AE", "AH"]
        assert dataset.label_names[dataset.y[list(views.sample_ids).index("M")]] == "nasal"
        assert views.feature_names["acoustic"][12] == "c12"
        assert views.feature_names.keys() == set(views.names)

    def test_loaded_data_can_be_pickled_and_not_written_to(self, loaded):
        dataset = loaded("nutrimouse")
        assert pickle.loads(pickle.dumps(dataset)).views.equals(dataset.views)
        with pytest.raises(ValueError, match="read-only"):
            dataset.views["gene"][0, 0] = 1.0


TAGGED = [
    ("jnlpba", "train", 16807, 445090, 27803 + 8481 + 844 + 6192 + 3430),
    ("jnlpba", "dev", 1739, 47461, 2466 + 1052 + 107 + 526 + 400),
    ("jnlpba", "test", 3856, 101039, 8662),
    ("wnut17", "train", 3394, 62730, 1975),
    ("wnut17", "dev", 1009, 15733, 836),
    ("wnut17", "test", 1287, 23394, 1079),
    ("btc", "train", 6338, 99933, 4084 + 2665 + 2030),
    ("btc", "dev", 1000, 15023, 1194 + 380 + 156),
    ("btc", "test", 2001, 35425, 2650 + 1090 + 636),
    ("wikigold", "all", 1696, 39007, 3558),
    ("astro_titles", "train", 4000, 46398, 9177),
    ("astro_titles", "dev", 500, 5930, 1146),
    ("astro_titles", "test", 500, 5909, 1140),
    ("astro_tdac", "all", 74, 19012, 2137),
    ("astro_tdac", "wiesp_sample", 20, 7454, 628),
    ("germeval2014", "dev", 2200, 41653, 2674),
    ("germeval2014", "test", 5100, 96499, 6178),
    ("german_ler", "dev", 6666, 214443, 5044),
    ("german_ler", "test", 6673, 216768, 5322),
]


@pytest.mark.data
class TestTexts:
    @pytest.mark.parametrize(("name", "split", "sentences", "tokens", "entities"), TAGGED)
    def test_splits_have_the_published_counts(self, name, split, sentences, tokens, entities):
        corpus = datasets.load_tagged(name, split=split)
        assert (len(corpus), corpus.n_tokens, corpus.n_entities) == (sentences, tokens, entities)
        assert set(corpus.splits) == {split}

    def test_the_table_of_splits_leaves_out_no_corpus(self):
        assert {row[0] for row in TAGGED} == {given.id for given in entries_of("tagged")}

    @pytest.mark.parametrize("name", ["wnut17", "astro_tdac", "germeval2014"])
    def test_the_whole_is_its_splits_in_order(self, name):
        corpus, entry = datasets.load(name), datasets.info(name)
        assert len(corpus) == entry.n_objects
        assert corpus.entity_types == entry.classes
        for split in dict.fromkeys(corpus.splits.tolist()):
            alone = datasets.load(name, split=split)
            assert corpus.part(split).sentences == alone.sentences
            assert corpus.part(split).tags == alone.tags

    def test_tags_are_iob2_and_as_many_as_tokens(self):
        corpus = datasets.load_tagged("wikigold")
        for tokens, tags in zip(corpus.sentences, corpus.tags, strict=True):
            assert len(tokens) == len(tags)
            for before, tag in zip(("O", *tags), tags, strict=False):
                assert not tag.startswith("I-") or before[2:] == tag[2:]

    def test_documents_of_different_splits_have_different_numbers(self):
        corpus = datasets.load_tagged("jnlpba")
        kept = {s: set(corpus.documents[corpus.splits == s]) for s in ("train", "dev", "test")}
        assert {split: len(numbers) for split, numbers in kept.items()} == {
            "train": 1800,
            "dev": 200,
            "test": 404,
        }
        assert len(set(corpus.documents)) == 2404
        assert datasets.load_tagged("wikigold").documents is None

    @pytest.mark.parametrize("entry", entries_of("parallel"))
    def test_parallel_texts_are_aligned(self, entry):
        corpus = datasets.load(entry.name)
        assert corpus.languages == entry.languages
        assert len(corpus) == entry.n_objects
        columns = [*corpus.texts.values(), *corpus.meta.values()]
        assert {len(column) for column in columns} == {entry.n_objects}
        assert all(line.strip() for lines in corpus.texts.values() for line in lines)
        lengths = [[len(line) for line in lines] for lines in corpus.texts.values()]
        assert np.corrcoef(lengths).min() > 0.7

    def test_meta_says_which_debate_or_act_a_line_is_from(self):
        hansard = datasets.load_parallel("hansard_en_fr", languages=["fr"])
        assert hansard.languages == ("fr",)
        assert len(set(hansard.meta["debate"])) == 280
        assert set(hansard.meta["n_sentences"]) == {5, 6, 7, 8}
        assert all(line.isascii() for line in hansard.texts["fr"])
        laws = datasets.load_parallel("canada_laws_en_fr", languages=["en"])
        assert len(set(laws.meta["act"])) == 782
        assert list(laws.meta) == ["act", "section", "act_title"]

    def test_multiloc_proteins_are_in_the_published_places(self):
        proteins = datasets.load_sequences()
        counts = dict(zip(proteins.label_names, np.bincount(proteins.y).tolist(), strict=True))
        assert counts["cytoplasmic"] == 1411
        assert counts["vacuolar"] == 63
        assert proteins.label_names == datasets.info("multiloc").classes
        assert len(set(proteins.sequences)) == len(set(proteins.sample_ids)) == 5959
        first = proteins.sample_ids.index("P20698")
        assert proteins.label_names[proteins.y[first]] == "ER"
        assert re.fullmatch("[A-Z]+", "".join(proteins.sequences))


def zipped(path, text):
    with gzip.open(path, "wt", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path


def test_blank_lines_part_sentences_however_many_there_are(tmp_path):
    path = zipped(tmp_path / "a.iob.gz", "\nAnn\tB-PER\nLee\tI-PER\n\n\nhush\tO\n\n")
    assert read_iob(path) == ((("Ann", "Lee"), ("hush",)), (("B-PER", "I-PER"), ("O",)))


def test_unicode_line_ends_inside_a_token_do_not_end_a_line(tmp_path):
    path = zipped(tmp_path / "a.iob.gz", "a\u2028b\tO\nc\u0085\tO\n")
    assert read_iob(path)[0] == (("a\u2028b", "c\u0085"),)


@pytest.mark.parametrize("line", ["word", "word\tPER", "word O"])
def test_a_line_that_is_no_token_and_tag_is_named(line, tmp_path):
    path = zipped(tmp_path / "a.iob.gz", f"ok\tO\n{line}\n")
    with pytest.raises(FileFormatError, match=r"a\.iob\.gz, line 2, is '"):
        read_iob(path)


def test_quotes_in_a_table_are_plain_characters(tmp_path):
    path = zipped(tmp_path / "t.tsv.gz", 'a\tb\n"x\t1\ny"\t2\n')
    assert read_table(path) == {"a": ('"x', 'y"'), "b": ("1", "2")}


def test_a_split_that_a_corpus_lacks_is_refused():
    corpus = datasets.TaggedCorpus((("a",),), (("O",),), np.array(["dev"]))
    with pytest.raises(ValueError, match="no split 'train' in this corpus; it has 'dev'"):
        corpus.part("train")

"""Data to try things on: generators from the papers, and real data by name.

``available()`` lists the real data sets, ``info(name)`` describes one, ``load(name)`` reads it.
Their files are looked for in the folder named by the environment variable ``MANYVIEWS_DATA``.
"""

from manyviews.datasets.affinities import (
    make_complementary_affinities,
    make_contradictory_affinities,
    make_desa_affinities,
    make_low_quality_affinities,
)
from manyviews.datasets.catalogue import (
    DatasetInfo,
    DatasetNotFoundError,
    FileInfo,
    available,
    get_data_home,
    info,
)
from manyviews.datasets.corpora import (
    ParallelCorpus,
    SequenceSet,
    TaggedCorpus,
    load_parallel,
    load_sequences,
    load_tagged,
)
from manyviews.datasets.derived import hide_views, split_features
from manyviews.datasets.documents import make_bilingual_topics, make_token_views
from manyviews.datasets.hierarchy import HierarchicalDataset, make_hierarchical_views
from manyviews.datasets.loaders import (
    load,
    load_bbc,
    load_bbcsport,
    load_bbcsport4,
    load_citeseer,
    load_cora,
    load_course,
    load_digits_views,
    load_football_kernels,
    load_kumar_synthetic2,
    load_leaves100,
    load_matrix,
    load_mfeat,
    load_nutrimouse,
    load_phonemes,
    load_protein_fold12,
    load_protein_fold_seq,
    load_pubmed,
    load_reuters5_600,
    load_tcga_breast,
    load_three_sources,
    load_webkb,
    load_wiki_uai2010,
)
from manyviews.datasets.points import (
    make_correlated_views,
    make_kumar1,
    make_kumar2,
    make_two_circles,
    make_two_moons_two_lines,
)
from manyviews.datasets.sensors import make_two_sensors

__all__ = [
    "DatasetInfo",
    "DatasetNotFoundError",
    "FileInfo",
    "HierarchicalDataset",
    "ParallelCorpus",
    "SequenceSet",
    "TaggedCorpus",
    "available",
    "get_data_home",
    "hide_views",
    "info",
    "load",
    "load_bbc",
    "load_bbcsport",
    "load_bbcsport4",
    "load_citeseer",
    "load_cora",
    "load_course",
    "load_digits_views",
    "load_football_kernels",
    "load_kumar_synthetic2",
    "load_leaves100",
    "load_matrix",
    "load_mfeat",
    "load_nutrimouse",
    "load_parallel",
    "load_phonemes",
    "load_protein_fold12",
    "load_protein_fold_seq",
    "load_pubmed",
    "load_reuters5_600",
    "load_sequences",
    "load_tagged",
    "load_tcga_breast",
    "load_three_sources",
    "load_webkb",
    "load_wiki_uai2010",
    "make_bilingual_topics",
    "make_complementary_affinities",
    "make_contradictory_affinities",
    "make_correlated_views",
    "make_desa_affinities",
    "make_hierarchical_views",
    "make_kumar1",
    "make_kumar2",
    "make_low_quality_affinities",
    "make_token_views",
    "make_two_circles",
    "make_two_moons_two_lines",
    "make_two_sensors",
    "split_features",
]

"""Common spaces of several views, search across them, and features learnt from pairs."""

from manyviews.embed._canonical._cca import CCA
from manyviews.embed._canonical._kernel_cca import KernelCCA
from manyviews.embed._features._log_linear import LogLinearMixtureFeatures
from manyviews.embed._features._subspace import SubspaceFeatures
from manyviews.embed._retrieval._classifier import CrossViewClassifier
from manyviews.embed._retrieval._retriever import CrossViewRetriever, Retrieved, keyword_queries
from manyviews.embed._translation._corpus import PairedCorpus, paired_corpus
from manyviews.embed._translation._lexicon import Lexicon
from manyviews.embed._translation._translator import WordTranslator

__all__: list[str] = [
    "CCA",
    "CrossViewClassifier",
    "CrossViewRetriever",
    "KernelCCA",
    "Lexicon",
    "LogLinearMixtureFeatures",
    "PairedCorpus",
    "Retrieved",
    "SubspaceFeatures",
    "WordTranslator",
    "keyword_queries",
    "paired_corpus",
]

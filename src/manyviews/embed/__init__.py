"""Common spaces of several views, search across them, and features learnt from pairs."""

from manyviews.embed.canonical.cca import CCA
from manyviews.embed.canonical.kernel_cca import KernelCCA
from manyviews.embed.features.log_linear import LogLinearMixtureFeatures
from manyviews.embed.features.subspace import SubspaceFeatures
from manyviews.embed.retrieval.classifier import CrossViewClassifier
from manyviews.embed.retrieval.retriever import CrossViewRetriever, Retrieved, keyword_queries
from manyviews.embed.translation.corpus import PairedCorpus, paired_corpus
from manyviews.embed.translation.translator import Lexicon, WordTranslator

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

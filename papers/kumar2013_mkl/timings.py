"""Table 5.3: CPU seconds of learning a kernel and its SVM at parameters that are known."""

from __future__ import annotations

from time import process_time
from typing import Any

from papers._frame import DataFolder
from papers.kumar2013_mkl import published
from papers.kumar2013_mkl.methods import kernels_of, learners
from papers.kumar2013_mkl.splits import Split, uci_split

RATIO = f"{published.ALIGNMENT} / {published.TWO_STAGE}"
COLUMNS = (published.ALIGNMENT, published.UFO, published.TWO_STAGE, RATIO)


def seconds(row: str, seed: int, data: DataFolder) -> list[float]:
    """Seconds of each method of the table, and how much longer alignment takes."""
    name, p = row.split(" p=")
    split = uci_split(name, seed, data)
    aligned, two_stage = (
        timed_fit(settled(learners()[method](kernels_of(p), seed), split), split)
        for method in (published.ALIGNMENT, published.TWO_STAGE)
    )
    return [aligned, float("nan"), two_stage, aligned / two_stage]


def settled(model: Any, split: Split) -> Any:
    """The same classifier with the parameters that it chooses for these objects."""
    model.fit(split.train, split.y_train)
    found: dict[str, Any] = {"C": model.C_}
    if hasattr(model, "regularization_"):
        found["regularization"] = model.regularization_
    return model.set_params(**found)


def timed_fit(model: Any, split: Split) -> float:
    """CPU seconds of one fit, base kernels included."""
    start = process_time()
    model.fit(split.train, split.y_train)
    return process_time() - start

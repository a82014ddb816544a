"""What the parameters of an ensemble may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from manyviews.typing import Having, Interval

Inside: TypeAlias = Annotated[float, Interval(0, 1, above=True, below=True)]
"""A part of the whole, neither nothing nor all."""
Select: TypeAlias = Literal["random", "cv", "validation"]
Combine: TypeAlias = Literal["crv", "vote", "modified_product", "moderation"]
Subsets: TypeAlias = Literal["auto", "all"] | Sequence[str | Sequence[str]]
Objects: TypeAlias = Annotated[Any, Having("objects", "__len__")]
Labels: TypeAlias = Annotated[Any, Having("their labels", "__len__")]
Validation: TypeAlias = Inside | tuple[Objects, Labels] | Literal["left_out"]
Splitter: TypeAlias = Annotated[Any, Having("a splitter", "split")]
Split: TypeAlias = tuple[
    Annotated[Any, Having("rows to train on", "__len__")],
    Annotated[Any, Having("rows left out", "__len__")],
]
Folds: TypeAlias = Annotated[int, Interval(2)] | Splitter | Sequence[Split]
Grid: TypeAlias = Mapping[str, Sequence[Any]]
ParamGrid: TypeAlias = Grid | Sequence[Grid] | None

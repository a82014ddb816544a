"""Options that belong together, as one object whose parameters grids can read and set."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self


class Options:
    """Base of option objects, each a dataclass: ``RBF(gamma="median")``, ``Multinomial(alpha=1)``.

    It has scikit-learn's ``get_params`` and ``set_params``, so that ``clone`` copies it and a grid
    reaches into it (``affinity__gamma``). Being fitted leaves it as it is: what is learnt from
    data is returned, never kept here.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Smoothing(Options):
    ...     alpha: float = 1.0
    >>> Smoothing().set_params(alpha=0.5)
    Smoothing(alpha=0.5)
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name, with those of options inside if ``deep``."""
        params = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{key}": v for key, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; ``inner__name`` reaches into options inside."""
        known = self.get_params(deep=False)
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}; "
                    f"its parameters are {list(known)}."
                )
            if inner:
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

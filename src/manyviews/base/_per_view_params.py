"""Parameters given per view are reached by name: ``affinity__text__gamma``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator


class PerViewParams(BaseEstimator):
    """``get_params`` and ``set_params`` that look into dicts of values by view name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, with those inside per-view dicts if ``deep``."""
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            for name, value in super().get_params(deep=False).items():
                if isinstance(value, Mapping):
                    params.update(_inside(name, value))
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters; the dict a user gave is replaced, never changed."""
        direct = {key: value for key, value in params.items() if "__" not in key}
        if direct:
            super().set_params(**direct)
        for key, value in params.items():
            if "__" in key:
                self._set_nested(key, value)
        return self

    def _set_nested(self, key: str, value: Any) -> None:
        name, rest = key.split("__", 1)
        current = super().get_params(deep=False).get(name)
        if not isinstance(current, Mapping):
            super().set_params(**{key: value})
            return
        view, _, parameter = rest.partition("__")
        if view not in current:
            raise ValueError(
                f"Invalid parameter {key!r} for {type(self).__name__}: {name} has no view "
                f"{view!r}; its views are {list(current)}."
            )
        if parameter:
            current[view].set_params(**{parameter: value})
        else:
            setattr(self, name, {**current, view: value})


def _inside(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for view, value in values.items():
        found[f"{name}__{view}"] = value
        if hasattr(value, "get_params") and not isinstance(value, type):
            found.update({f"{name}__{view}__{k}": v for k, v in value.get_params().items()})
    return found

"""What ``views.toml`` says, checked, and the files that it names."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from manyviews.data._io._damage import DamageError, check_version, reading

TOML = "views.toml"
LABELS = "labels.csv"
OBSERVED = "observed.csv"
MARKER = "manyviews_format"
VERSION = 1

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".svmlight": "svmlight",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
}

_TYPES: dict[str, tuple[type, ...]] = {
    "file": (str,),
    "format": (str,),
    "id": (str,),
    "separator": (str,),
    "sparse": (bool,),
    "dtype": (str,),
    "index_dtype": (str,),
    "n_features": (int,),
    "first_index": (int,),
    "feature_names": (bool, dict),
}


def read_config(folder: Path) -> dict[str, Any]:
    """Parse ``views.toml`` and refuse what is not understood."""
    path = folder / TOML
    if not path.is_file():
        raise FileNotFoundError(
            f"the folder {folder} has no {TOML}; write one that names the views."
        )
    with reading(path, "TOML file"):
        try:
            config = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise DamageError(f"it is not valid TOML: {error}; correct it there.") from error
        check_version(config.get(MARKER, VERSION), VERSION)
        views = config.get("views")
        if not isinstance(views, dict) or not views:
            raise DamageError(
                'it names no views; add tables such as [views.text] with file = "text.csv".'
            )
        for name, view in views.items():
            _check_view(name, view)
        _check_rest(config)
    return config


def _check_view(name: str, view: object) -> None:
    if not isinstance(view, dict) or "file" not in view:
        raise DamageError(f'the view {name!r} names no file; add file = "…" to it.')
    for key, value in view.items():
        if key not in _TYPES:
            raise DamageError(f"the view {name!r} has the unknown entry {key!r}; remove it.")
        if not isinstance(value, _TYPES[key]) or (isinstance(value, bool) and int in _TYPES[key]):
            raise DamageError(
                f"the view {name!r} has an entry {key!r} of the wrong type; correct it."
            )
    kind = format_of(view)
    if kind not in FORMATS.values():
        raise DamageError(
            f"the view {name!r} is in no format that is known here ({kind!r}); give "
            'format = "csv", "parquet" or "svmlight".'
        )
    if len(view.get("separator", ",")) != 1:
        raise DamageError(
            f"the view {name!r} has a separator that is not one character; correct it."
        )
    if view.get("n_features", 0) < 0 or view.get("first_index", 0) not in {0, 1}:
        raise DamageError(
            f"the view {name!r} has n_features or first_index out of range; correct it."
        )


def _check_rest(config: Mapping[str, Any]) -> None:
    for key in ("labels", "observed", "name"):
        if not isinstance(config.get(key, ""), str):
            raise DamageError(f"{key!r} is not a string; correct it.")
    names = config.get("label_names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DamageError("'label_names' is not a list of strings; correct it.")
    for key in ("y", "sample_ids", "extra"):
        if not isinstance(config.get(key, {}), dict):
            raise DamageError(f"{key!r} is not a table; correct it.")


def format_of(view: Mapping[str, Any]) -> str:
    """Format of a view's file: as stated, else by its suffix."""
    suffix = Path(view["file"]).suffix.lower()
    return str(view.get("format", FORMATS.get(suffix, suffix)))


def inside(folder: Path, file: str) -> Path:
    """Path of a file of the folder; outside of it nothing is read."""
    path = folder / file
    if "\0" in file or not path.resolve().is_relative_to(folder.resolve()):
        raise DamageError(
            f"{TOML} names the file {file!r}, which is outside of the folder; move it there."
        )
    if not path.is_file():
        raise DamageError(
            f"{TOML} names the file {file!r}, which is not there; add it, or take out its name."
        )
    return path


def files_of(config: Mapping[str, Any]) -> set[str]:
    """Names of all files that belong to a folder of views."""
    return {TOML, LABELS, OBSERVED, *_named(config)}


def _named(config: Mapping[str, Any]) -> Iterator[str]:
    for key in ("labels", "observed"):
        yield config.get(key, TOML)
    for view in config["views"].values():
        yield view["file"]
        names = view.get("feature_names")
        if isinstance(names, dict):
            yield str(names.get("file"))

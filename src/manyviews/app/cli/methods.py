"""``manyviews methods``: every exported estimator, described from its signature and docstring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from inspect import Parameter

    from rich.console import Console

MIXINS = {
    "ClassifierMixin": "classifier",
    "ClusterMixin": "clusterer",
    "DensityMixin": "density estimator",
    "RegressorMixin": "regressor",
    "OutlierMixin": "outlier detector",
    "TransformerMixin": "transformer",
}


@click.command()
@click.argument("name", required=False)
@frame.json_option
def methods(name: str | None, as_json: bool) -> None:
    """List the methods, or describe one.

    NAME is one of the list, or package.module:Class for a method of a third party.
    """
    from manyviews.app.lookup import find_method

    if name is None:
        rooms = listed()
        frame.emit(rooms, as_json=as_json, show=lambda console: _show_list(rooms, console))
        return
    method = described(find_method(name))
    frame.emit(method, as_json=as_json, show=lambda console: _show_method(method, console))


def listed() -> dict[str, list[dict[str, Any]]]:
    """Return the exported methods by room."""
    from manyviews.registry import estimators

    rooms: dict[str, list[dict[str, Any]]] = {}
    for name, cls in estimators().items():
        rooms.setdefault(cls.__module__.split(".")[1], []).append({"name": name, **_summary(cls)})
    return rooms


def described(cls: type) -> dict[str, Any]:
    """Return all that a method's class says of itself."""
    from manyviews.app.cli.docstrings import documentation
    from manyviews.app.settings import constructor_parameters
    from manyviews.base import BaseMultiView, declared

    ours = issubclass(cls, BaseMultiView)
    hints = declared(cls) if ours else {}
    doc = documentation(cls)
    documented = doc.entries("Parameters")
    return {
        "name": cls.__name__,
        "path": f"{cls.__module__}:{cls.__qualname__}",
        **_summary(cls),
        "text": doc.text,
        "takes": _takes(cls),
        "parameters": [
            _parameter(name, parameter, documented.get(name), hints.get(name))
            for name, parameter in constructor_parameters(cls).items()
        ],
        "attributes": [
            {"name": entry.name, "type": entry.type, "description": entry.description}
            for entry in doc.entries("Attributes").values()
        ],
        "notes": doc.sections.get("Notes", ""),
    }


def _summary(cls: type) -> dict[str, Any]:
    from manyviews.app.cli.docstrings import documentation, papers

    bases = {base.__name__ for base in cls.__mro__}
    kinds = [kind for mixin, kind in MIXINS.items() if mixin in bases]
    return {"kind": " ".join(kinds), "purpose": documentation(cls).purpose, "papers": papers(cls)}


def _takes(cls: type) -> dict[str, Any] | None:
    tags = getattr(cls, "view_tags", None)
    if tags is None:
        return None
    return {
        "min_views": tags.min_views,
        "max_views": tags.max_views,
        "unobserved_views": tags.unobserved,
        "sparse_views": tags.sparse,
        "missing_cells": tags.missing_cells,
    }


def _parameter(name: str, parameter: Parameter, entry: Any, hint: Any) -> dict[str, Any]:
    from manyviews.app.settings import as_setting
    from manyviews.base import described as in_words

    required = parameter.default is parameter.empty
    annotation = "" if parameter.annotation is parameter.empty else parameter.annotation
    return {
        "name": name,
        "type": entry.type if entry and entry.type else _type_name(annotation),
        "may_be": None if hint is None else in_words(hint),
        "required": required,
        "default": None if required else as_setting(parameter.default),
        "description": entry.description if entry else "",
    }


def _type_name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _show_list(rooms: dict[str, list[dict[str, Any]]], console: Console) -> None:

    for room, entries in rooms.items():
        rows = [(m["name"], m["kind"], m["purpose"], m["papers"]) for m in entries]
        console.print(frame.table(("name", "kind", "purpose", "papers"), rows, title=room))
    console.print("Describe one with: manyviews methods NAME")


def _show_method(method: dict[str, Any], console: Console) -> None:

    kind = f" ({method['kind']})" if method["kind"] else ""
    console.print(f"{method['name']}{kind}, {method['path']}", soft_wrap=True)
    console.print(f"\n{method['text']}\n")
    if method["papers"]:
        console.print(f"Papers: {', '.join(method['papers'])}")
    if method["takes"]:
        console.print(f"Takes {_in_words(method['takes'])}.\n")
    parameters = [
        (p["name"], p["may_be"] or p["type"], _default(p), p["description"])
        for p in method["parameters"]
    ]
    columns = ("name", "may be", "default", "description")
    if parameters:
        console.print(frame.table(columns, parameters, title="Parameters"))
    if method["attributes"]:
        rows = [tuple(a.values()) for a in method["attributes"]]
        console.print(frame.table(("name", "type", "description"), rows, title="After fitting"))
    if method["notes"]:
        console.print(f"\n{method['notes']}")


def _default(parameter: dict[str, Any]) -> str:
    from json import dumps

    value = parameter["default"]
    if parameter["required"]:
        return "required"
    return str(value) if isinstance(value, bool | None) else dumps(value, ensure_ascii=False)


def _in_words(takes: dict[str, Any]) -> str:
    least, most = takes["min_views"], takes["max_views"]
    if most is None:
        number = f"{least} or more views"
    else:
        number = f"{least} to {most} views" if most > least else f"{most} views"
    if most == 1:
        number = "one view"
    accepted = [
        name for name in ("unobserved_views", "sparse_views", "missing_cells") if takes[name]
    ]
    refused = [
        name
        for name in ("unobserved_views", "sparse_views", "missing_cells")
        if name not in accepted
    ]
    words = number
    if accepted:
        words += f"; {_list(accepted)} too"
    return f"{words}; no {_list(refused)}" if refused else words


def _list(names: list[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)

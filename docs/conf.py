"""How the site is built; everything it shows is computed from the package itself."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

import manyviews
from manyviews.explain import findings
from manyviews.registry import estimators

sys.path.insert(0, str(Path(__file__).parents[1]))  # benchmarks and papers are not installed
from benchmarks.quality._report import REFERENCE, expanded, rows
from benchmarks.quality._sets import SETS

CONDITIONS = {"complete": "complete", "gaps": "30 % hidden", "noise": "with a noise view"}

_, _, LISTED = Path(__file__).with_name("reference.md").read_text().partition("## The rooms")
ROOMS = re.findall(r"^   (manyviews[.\w]+)$", LISTED, flags=re.M)


def passed_on(room: str) -> list[str]:
    """Names that a room only passes on: they are described where they are at home."""
    module = import_module(room)
    return [
        name
        for name in getattr(module, "__all__", [])
        if name in manyviews.__all__ or not getattr(module, name).__module__.startswith(room)
    ]


project = "manyviews"
author = "The manyviews developers"
copyright = author
release = manyviews.__version__
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
]
exclude_patterns = ["_build", "_templates", "figures", "generated/gallery/*.ipynb"]
templates_path = ["_templates"]
nitpicky = False

html_theme = "furo"
html_title = "manyviews"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c86", "color-brand-content": "#0b5c86"},
    "dark_css_variables": {"color-brand-primary": "#7cc4ea", "color-brand-content": "#7cc4ea"},
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_substitutions = {  # the limits that the findings are decided by, as they stand in the code
    name: f"{value:g}" for name, value in vars(findings).items() if isinstance(value, float)
}
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_context = {
    "passed_on": {room: passed_on(room) for room in ROOMS},
    "estimators": list(estimators()),
}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = False  # values, not the names of constants
strip_signature_backslash = True  # lets napoleon keep the last underscore of fitted attributes
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Objective", "Symbols", "Algorithm", "Deviations", "Complexity"]

bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
bibtex_default_style = "plain"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

plot_formats = [("png", 130)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = False
plot_pre_code = ""

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "copyfile_regex": r"(?!)",
    "remove_config_comments": True,
}

_CITED = re.compile(r"\[@(?P<keys>[a-z]+\d{4}[a-z]?(?:; ?@[a-z]+\d{4}[a-z]?)*)\]")


def cite(*event: Any) -> None:
    """Turn the papers named in docstrings, ``[@key]``, into links to the references."""
    lines: list[str] = event[-1]
    lines[:] = [_CITED.sub(_as_role, line) for line in lines]


def _as_role(found: re.Match[str]) -> str:
    keys = found["keys"].replace("@", "").replace(" ", "").replace(";", ",")
    return f":cite:t:`{keys}`"


def leave_out(*event: Any) -> bool | None:
    """Leave out what scikit-learn adds to every class, such as ``set_score_request``."""
    name, home = event[2], getattr(event[3], "__module__", None) or ""
    theirs = home.startswith("sklearn.") and name not in ("fit_predict", "fit_transform", "score")
    return theirs or None


def unlink_words(app: Any, doctree: Any) -> None:  # noqa: ARG001 (an event's signature)
    """Keep plain words in types, such as *shape*, from linking to whatever is called so."""
    for reference in list(doctree.findall(addnodes.pending_xref)):
        if reference.get("refspecific") and reference["reftarget"].islower():
            reference.replace_self(reference.children)


def use_first(*event: Any) -> None:
    """Show the example of a class or function before its parameters."""
    what, lines = event[1], event[-1]
    starts = [i for i, line in enumerate(lines[1:]) if re.fullmatch("-{3,}", line)]
    heads = {lines[i]: i for i in starts}
    if what not in ("class", "function") or "Examples" not in heads:
        return
    first, start = starts[0], heads["Examples"]
    end = next((i for i in starts if i > start), len(lines))
    example = [*lines[start:end], ""]
    del lines[start:end]
    lines[first:first] = example


def shorten_theirs(*event: Any) -> None:
    """Keep the first sentence of a method of scikit-learn's: the rest is of arrays and versions."""
    found, lines = event[3], event[-1]
    if event[1] == "method" and (found.__module__ or "").startswith("sklearn."):
        del lines[lines.index("") if "" in lines else len(lines) :]


def mathematics_last(app: Any, doctree: Any) -> None:  # noqa: ARG001 (an event's signature)
    """Show the methods of a class before the notes on its mathematics."""
    for content in doctree.findall(addnodes.desc_content):
        names = [part.astext() if isinstance(part, nodes.rubric) else "" for part in content]
        members = [i for i, part in enumerate(content) if isinstance(part, addnodes.desc)]
        if "Notes" in names and members:
            notes = content[names.index("Notes") : members[0]]
            for part in notes:
                content.remove(part)
            content.extend(notes)


def part_attributes(*event: Any) -> None:
    """Give attributes that are described together, ``a_, b_ : type``, an entry each.

    Napoleon does so for parameters; of attributes it would take the first for the type.
    """
    lines: list[str] = event[-1]
    if "Attributes" not in lines:
        return
    start = lines.index("Attributes") + 2
    end = next((i for i in range(start, len(lines)) if not lines[i].strip()), len(lines))
    entries: list[list[str]] = []
    for line in lines[start:end]:
        if line[:1].strip():
            entries.append([])
        entries[-1].append(line)
    parted = []
    for head, *text in entries:
        names, colon, kind = head.partition(" : ")
        for name in names.split(", "):
            parted += [name + colon + kind, *text]
    lines[start:end] = parted


def name_attributes(app: Any, doctree: Any) -> None:  # noqa: ARG001 (an event's signature)
    """Head the attributes of a class with the word of its docstring, and see that all are there.

    A name that ends in an underscore is a link in reStructuredText, and would lose it.
    """
    for described in doctree.findall(addnodes.desc):
        if described["objtype"] != "class":
            continue
        for head in list(described.findall(nodes.field_name)):
            if head.astext() == "Variables":
                head.replace_self(nodes.field_name("", "Attributes"))
        signature = described[0]
        printed = {strong.astext() for strong in described.findall(addnodes.literal_strong)}
        lost = _attributes_of(signature["module"], signature["fullname"]) - printed
        if lost:
            logging.getLogger(__name__).warning(
                "%s does not print %s", signature["ids"][0], ", ".join(sorted(lost))
            )


def _attributes_of(module: str, name: str) -> set[str]:
    """Names under the heading *Attributes* in the docstring of a class."""
    text = getdoc(getattr(import_module(module), name)) or ""
    _, _, section = text.partition("\nAttributes\n----------\n")
    lines = section.partition("\n\n")[0].splitlines()
    heads = [line.partition(" : ")[0] for line in lines if line[:1].strip()]
    return {attribute for head in heads for attribute in head.split(", ")}


def write_measured(app: Any) -> None:
    """Turn the numbers that ``python -m papers`` has found into a table for the guide."""
    here = Path(app.srcdir)
    kept = json.loads((here.parent / "papers" / "found" / "desa2005.json").read_text())
    cells = next(table for table in kept["tables"] if table["key"] == "section-2")["cells"]
    columns = list(dict.fromkeys(cell["column"] for cell in cells))
    lines = ["noise", *columns], ["---"] * (1 + len(columns)), ["*published*"]
    lines[2].extend(f"*{cell['published']}*" for cell in cells[: len(columns)])
    rows = [[cells[i]["row"], *map(_measured, cells[i : i + len(columns)])]
            for i in range(0, len(cells), len(columns))]  # fmt: skip
    text = "\n".join(f"| {' | '.join(line)} |" for line in [*lines, *rows])
    note = f"Measured on {kept['date'][:10]} with NumPy {kept['versions']['numpy']}."
    target = here / "generated" / "desa2005.inc"
    target.parent.mkdir(exist_ok=True)
    target.write_text(f"{text}\n\n{note} Bold: not within the spread of the published number.\n")


def _measured(cell: dict[str, Any]) -> str:
    text = f"{cell['mean']:.3f} ± {cell['spread']:.3f}"
    return text if cell["verdict"] == "within the spread" else f"**{text}**"


def write_quality(app: Any) -> None:
    """Turn what ``make quality`` has kept into a table for each task."""
    here = Path(app.srcdir)
    kept = json.loads((here.parent / "benchmarks" / "quality" / "found.json").read_text())
    cells = expanded(kept["found"])
    for task, reference in REFERENCE.items():
        by_condition = {
            condition: {
                row.recipe: row
                for row in rows(
                    [c for c in cells if (c["task"], c["condition"]) == (task, condition)], task
                )
            }
            for condition in CONDITIONS
        }
        lines = [
            ["", *(CONDITIONS[condition] for condition in by_condition), f"against {reference}"],
            ["---", *["---:"] * (len(CONDITIONS) + 1)],
        ]
        for name, row in by_condition["complete"].items():
            means = (found.get(name) for found in by_condition.values())
            shown = [f"{found.mean:.3f}" if found else "–" for found in means]
            title = f"**`{name}`**" if row.kind in ("default", "recipe") else name
            note = "" if row.sets == len(SETS) else f" (on {row.sets} sets)"
            against = f"{row.difference:+.3f} ± {row.error:.3f}"
            lines.append([title + note, *shown, "–" if name == reference else against])
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        versions = ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
        target = here / "generated" / f"quality_{task.replace(' ', '_')}.inc"
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"{text}\n\nMeasured on {kept['date']} with {versions}.\n")


def setup(app: Any) -> None:
    """Connect the hooks."""
    app.connect("builder-inited", write_measured)
    app.connect("builder-inited", write_quality)
    app.connect("autodoc-process-docstring", shorten_theirs, priority=200)
    app.connect("autodoc-process-docstring", use_first, priority=300)  # all before napoleon
    app.connect("autodoc-process-docstring", part_attributes, priority=400)
    app.connect("autodoc-process-docstring", cite)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("doctree-read", unlink_words)
    app.connect("doctree-read", name_attributes)
    app.connect("doctree-read", mathematics_last)

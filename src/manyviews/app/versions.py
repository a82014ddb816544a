"""The versions that a result may depend on, as they go into files."""

from __future__ import annotations

import platform
from importlib.metadata import version

from manyviews._version import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "skops")


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of those it computes with.

    Examples
    --------
    >>> sorted(versions())
    ['manyviews', 'numpy', 'python', 'scikit-learn', 'scipy', 'skops']
    """
    found = {"python": platform.python_version(), "manyviews": __version__}
    return found | {name: version(name) for name in PACKAGES}

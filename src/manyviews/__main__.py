"""``python -m manyviews`` is the same as the command ``manyviews``."""

from __future__ import annotations

from manyviews.app.cli import main

if __name__ == "__main__":
    main()

"""Common spaces of several views, search across them, and features learnt from pairs."""

__all__: list[str] = []

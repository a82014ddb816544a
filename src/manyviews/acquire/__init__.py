"""Say what to label or measure next."""

__all__: list[str] = []

"""The few errors and warnings we raise, each one sentence: what is wrong, where, what to do."""

from __future__ import annotations


class ViewsError(ValueError):
    """The views as given cannot be used."""


class UnknownViewError(ViewsError, KeyError):
    """A view is named that is not there, or one that is needed is not named."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class UnknownObjectError(ViewsError, KeyError):
    """An object is named that is not there."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class UnknownLabelsError(ViewsError):
    """Labels are named that are not there."""


class NumberOfViewsError(ViewsError):
    """A method got fewer or more views than its mathematics allows."""


class UnobservedViewsError(ViewsError):
    """Some views are unobserved and the method cannot work without them."""


class ParameterError(ValueError, TypeError):
    """A parameter is of a type, a size or a name that the method does not know."""


class MemoryLimitError(ViewsError, MemoryError):
    """An array that a method needs would take more memory than one array may take.

    It is raised before the memory is asked for, and says the size, what to do instead, and how to
    raise the limit: by the environment variable ``MANYVIEWS_MAX_MEMORY``, such as ``64GB``. Without
    it the limit is a quarter of the memory of the machine, or of the container.
    """


class ViewsWarning(UserWarning):
    """The views can be used, but something about them makes a poor answer likely.

    A view without structure, or one whose variance is that of a single feature, say. The message
    names the view and what to do.
    """


class FileFormatError(ValueError):
    """A file is damaged, or is not one of ours."""


class MissingExtraError(ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional package: pip install 'manyviews[{extra}]'.")

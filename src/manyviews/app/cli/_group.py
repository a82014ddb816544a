"""Commands that load on use, and errors that leave as one sentence with an exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, TextIO

import click

from manyviews.app.lookup import SettingsError, suggest
from manyviews.exceptions import MemoryLimitError

EXPECTED = (ValueError, OSError, ImportError, ArithmeticError, NotImplementedError)
"""Errors whose own message is meant for the user."""

INTERRUPTED = 130

LONGEST = 600
"""Characters of a message that is still a sentence."""


class LazyCommand(NamedTuple):
    """Where a command is, and what the list of commands says of it."""

    target: str
    """``module:name``, the module being one of this package."""
    help: str


class WrongUsageError(click.ClickException):
    """Something was asked for that does not exist."""

    exit_code = 2


class LazyGroup(click.Group):
    """A group that imports a command when it is invoked and turns errors into sentences."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Names of the commands, in the order in which one meets them."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in self.lazy:
            return None
        module, _, name = self.lazy[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name those that are spelt like it."""
        if args and args[0] not in self.lazy and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}; {suggest(args[0], self.lazy)}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's signature)
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in self.lazy.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises becomes one sentence unless debugging."""
        with warnings_as_sentences(), errors_as_sentences(debug=bool(ctx.params.get("debug"))):
            return super().invoke(ctx)


@contextmanager
def errors_as_sentences(*, debug: bool) -> Iterator[None]:
    """Turn errors into click's, which print ``Error: …`` and set the exit code."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if debug:
            raise
        raise _as_click(error) from error


def _as_click(error: Exception) -> click.ClickException:
    kind = WrongUsageError if isinstance(error, SettingsError) else click.ClickException
    return kind(sentence(error))


def sentence(error: Exception) -> str:
    """Say in one line what an error says."""
    if isinstance(error, MemoryError) and not isinstance(error, MemoryLimitError):
        text = "there is not enough memory for this; use fewer objects or features."
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    elif isinstance(error, EXPECTED) and str(error):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error} (see where with 'manyviews --debug …')"
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    return f"{line[:LONGEST]}… (read all of it with 'manyviews --debug …')"


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show warnings as one line each on the error stream."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        yield


def _show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 (the signature of warnings.showwarning)
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,
    line: str | None = None,  # noqa: ARG001
) -> None:
    click.echo(f"Warning: {' '.join(str(message).split())}", file=file or sys.stderr)

"""The command line: ``manyviews COMMAND …``; a command's module is loaded when it is asked for."""

from __future__ import annotations

import signal
import sys

import click

from manyviews._version import __version__
from manyviews.app.cli.frame import LazyCommand, LazyGroup

COMMANDS = {
    "methods": LazyCommand("methods:methods", "List the methods, or describe one."),
    "fit": LazyCommand("fit:fit", "Fit a method to files of views."),
    "predict": LazyCommand("predict:predict", "Apply a fitted model to new objects."),
    "explain": LazyCommand("explain:explain", "Tell why a fitted model says what it says."),
    "plan": LazyCommand("plan:plan", "Say what to label or measure next."),
    "retrieve": LazyCommand("retrieve:retrieve", "Search objects by words, or by other objects."),
    "info": LazyCommand("info:info", "Tell what is in files of views."),
    "diagnose": LazyCommand("diagnose:diagnose", "Tell whether the views can help each other."),
    "datasets": LazyCommand("datasets:datasets", "List, describe and export data sets."),
    "demo": LazyCommand("demo:demo", "Show on digits what several views are good for."),
}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with 'manyviews demo', or with 'manyviews info FILE' on data of your own.",
)
@click.version_option(__version__, prog_name="manyviews", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, envvar="MANYVIEWS_DEBUG", help="Show where an error arose.")
def cli(debug: bool) -> None:
    """Learn from objects seen through several views, with few labels and with views missing."""


def main() -> None:
    """Run the command line; the entry point of the ``manyviews`` script."""
    signal.signal(signal.SIGTERM, _leave)
    cli.main(prog_name="manyviews")


def _leave(number: int, frame: object) -> None:  # noqa: ARG001 (the signature of a handler)
    """End as an error would, so that nothing half written stays."""
    sys.exit(128 + number)


__all__ = ["COMMANDS", "cli", "main"]

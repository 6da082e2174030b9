"""The command line in this process, and the pages that it writes."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

from privboost.cli import app

Run = Callable[..., tuple[int, str, str]]
"""Runs a command with its arguments; returns the exit code, standard output and standard error."""

Report = Callable[..., dict[str, Any]]
"""Runs an audit with its arguments; returns its report."""

VOID = frozenset({"col", "img", "input", "meta", "wbr"})


def exit_code(*arguments: str) -> int:
    """Run the command line in this process and return its exit code, including that of argparse."""
    try:
        return app.main(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)


class Markup(HTMLParser):
    """Collect the elements of a page, its text, and every closing tag that does not match."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element, and push it on the stack unless it is void."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Pop the innermost element, which must be this one."""
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        """Add the content of a text node."""
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of every element with a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def is_well_formed(self) -> bool:
        """Return whether all elements are closed in the right order."""
        return not self.wrong and not self.open

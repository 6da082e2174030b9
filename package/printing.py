"""Format untrusted values as strings that are safe to print."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from typing import TextIO

SHOWN = 120
"""Maximum length of a formatted value; longer ones are truncated."""
LONGEST_MESSAGE = 4000
"""Maximum length of a message."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


class Unquoted(str):
    """A description of a value, which `format_value` returns without quotes."""

    __slots__ = ()


def format_value(value: object) -> str:
    """Return a value as a string that is safe to print, truncated to SHOWN characters."""
    if isinstance(value, Unquoted):
        string: str = value
    elif isinstance(value, bytes):
        string = repr(value.decode("utf-8", "backslashreplace"))
    elif isinstance(value, dict | list):
        try:
            string = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            string = f"a {type(value).__name__}"
    elif value is None or isinstance(value, bool):
        string = json.dumps(value)
    else:
        string = str(value) if isinstance(value, float) else _repr(value)
    return make_printable(string if len(string) <= SHOWN else f"{string[:SHOWN]}…")


def make_printable(string: str) -> str:
    """Escape control characters and all others that are invalid in a terminal, UTF-8 or XML."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), string)


def make_printable_json(document: str) -> str:
    """Escape the same characters within the strings of a JSON document, as JSON does."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


def shorten(message: str, length: int = LONGEST_MESSAGE) -> str:
    """Return a string of at most `length` characters, without its middle if it is longer."""
    half = (length - 1) // 2
    return message if len(message) <= length else f"{message[:half]}…{message[-half:]}"


def truncate(string: str, length: int) -> str:
    """Return a string of at most `length` characters, without its end if it is longer."""
    return string if len(string) <= length else f"{string[: length - 1]}…"


def suggest(name: str, names: Iterable[str]) -> str:
    """Return a question with the known names near to an unknown one, ignoring case; empty if none is near."""
    known = list(names)
    near = [other for other in known if other.casefold() == name.casefold()]
    if not near:
        by_folded = {other.casefold(): other for other in known}
        near = [by_folded[folded] for folded in get_close_matches(name.casefold(), by_folded)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def say(message: str) -> None:
    """Print a message of privboost to standard error, with control characters escaped."""
    write_message(sys.stderr, f"privboost: {make_printable(message)}\n")


def write_message(stream: TextIO | None, string: str) -> None:
    """Write to standard error; if it is closed or full, nothing is written and nothing is lost by it."""
    if stream is None:
        return
    try:
        stream.write(string)
        stream.flush()
    except OSError:
        discard(stream)


def discard(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device, or the flush at exit fails again."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        # An integer too long to convert, or an object whose __repr__ fails.
        return f"a {type(value).__name__} that cannot be shown"

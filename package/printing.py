"""Values of unknown origin as strings that are safe to print."""

from __future__ import annotations

import json
import re

SHOWN = 120
"""Length of the longest value that is shown whole."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


class Unquoted(str):
    """A description of a value, which is shown without quotes."""

    __slots__ = ()


def shown(value: object) -> str:
    """Return the beginning of a value as a string that is safe to print."""
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
    return printable(string if len(string) <= SHOWN else f"{string[:SHOWN]}…")


def printable(string: str) -> str:
    """Escape every character that can upset a terminal, a file in UTF-8 or one in XML."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), string)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        # A long integer, or an object whose own method fails.
        return f"a {type(value).__name__} that cannot be shown"

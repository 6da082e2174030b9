"""Names of Python objects on a command line: `module:name`, `folder/file.py:name`, `module:name()`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_NAMED = re.compile(r"(?P<module>[\w./\\~-]+):(?P<name>[^\W\d]\w*(\.[^\W\d]\w*)*)(?P<called>\(\))?")


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a Python object, taken apart."""

    text: str
    """The whole name, as the user wrote it."""
    module: str
    """The name of the module, or the path of its file."""
    names: tuple[str, ...]
    """Attributes to follow from the module to the object."""
    called: bool
    """Whether the object is what the last attribute returns when it is called."""

    @property
    def is_file(self) -> bool:
        """Return whether the module is given by its file."""
        return self.module.endswith(".py")

    @property
    def module_name(self) -> str:
        """Return the name under which the module is imported."""
        return Path(self.module).stem if self.is_file else self.module


def parse_named(text: str) -> Named | None:
    """Return the parts of a name; None for a string that does not name a Python object."""
    parts = _NAMED.fullmatch(text)
    if parts is None:
        return None
    return Named(text, parts["module"], tuple(parts["name"].split(".")), parts["called"] is not None)


def same_target(one: str, other: str) -> bool:
    """Return whether two strings may name the same target: `file.py:name` is the same as `file:name`."""
    return _by_module(one) == _by_module(other)


def _by_module(text: str) -> str:
    named = parse_named(text)
    return text if named is None else f"{named.module_name}:{text.partition(':')[2]}"

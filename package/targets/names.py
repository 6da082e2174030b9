"""Parse names of Python objects: `module:name`, `folder/file.py:name`, `module:name(arguments)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_NAMED = re.compile(
    r"(?P<module>[\w./\\~-]+):(?P<name>[^\W\d]\w*(\.[^\W\d]\w*)*)(\((?P<arguments>.*)\))?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Named:
    """The parsed name of a Python object."""

    source: str
    """The whole name, as the user wrote it."""
    module: str
    """The name of the module, or the path of its file."""
    names: tuple[str, ...]
    """Attributes to follow from the module to the object."""
    arguments: str | None = None
    """Arguments to call the last attribute with, whose result is then the object; None: it is not called."""

    @property
    def is_called(self) -> bool:
        """Return whether the last attribute is to be called."""
        return self.arguments is not None

    @property
    def is_file(self) -> bool:
        """Return whether the module is given as a file."""
        return self.module.endswith(".py")

    @property
    def module_name(self) -> str:
        """Return the name to import the module by."""
        return Path(self.module).stem if self.is_file else self.module


def parse_named(source: str) -> Named | None:
    """Return the parsed name, or None if the string does not name a Python object."""
    parts = _NAMED.fullmatch(source)
    if parts is None:
        return None
    return Named(source, parts["module"], tuple(parts["name"].split(".")), parts["arguments"])


def same_target(one: str, other: str) -> bool:
    """Return whether two strings name the same target; `file.py:name` equals `file:name`."""
    return _by_module(one) == _by_module(other)


def _by_module(source: str) -> str:
    named = parse_named(source)
    return source if named is None else f"{named.module_name}:{source.partition(':')[2]}"

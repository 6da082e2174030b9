"""Programs to start a target from: every operation of the table as a function, one of them complete."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from textwrap import indent
from typing import TYPE_CHECKING

from privboost.gate.profiles import DEFAULT_PROFILE

if TYPE_CHECKING:
    from privboost.gate.profile import Profile
    from privboost.gate.protocol.operation import Operation

STUBS = {
    "python": 'def {name}(args):\n    """Result: {meaning}.\n\n{arguments}\n    """\n'
    '    raise NotImplementedError("{name}")',
    "javascript": "// Result: {meaning}.\n{arguments}\n"
    "function {name}(args) {{ throw new Unsupported('{name}'); }}",
    "c": "/* Result: {meaning}.\n{arguments} */\n"
    "static Kind {name}(const Object *args) {{ (void)args; return UNSUPPORTED; }}",
}
"""A function that supports nothing, by language."""
LANGUAGES = tuple(STUBS)
MARGINS = {"python": "    ", "javascript": "// ", "c": "   "}
BETWEEN = {"python": "\n\n\n", "javascript": "\n\n", "c": "\n\n"}
ENTRIES = {"python": '    "{name}": {name},', "javascript": "  {name},", "c": '    {{ "{name}", {name} }},'}


def skeleton(profile: Profile, language: str) -> str:
    """Return a program that greets, answers one operation, and supports no other.

    Requires: one of LANGUAGES.
    """
    stubs = BETWEEN[language].join(
        _stub(operation, language)
        for name, operation in profile.operations.items()
        if name != profile.page.complete
    )
    table = "\n".join(ENTRIES[language].format(name=name) for name in profile.operations)
    options = "" if profile.name == DEFAULT_PROFILE else f"--profile {profile.name} "
    parts = {
        "STUBS": stubs,
        "TABLE": table,
        "COMPLETE": _read(profile.folder("skeletons"), language).rstrip("\n"),
        "OPERATION": profile.page.complete,
        "PAGE": profile.page.path,
        "OPTIONS": options,
    }
    template = _read(files(__package__) / "skeletons", language)
    return re.sub("@([A-Z]+)@", lambda match: parts[match[1]], template)


def _read(folder: Traversable, language: str) -> str:
    return folder.joinpath(f"{language}.txt").read_text("utf-8")


def _stub(operation: Operation, language: str) -> str:
    lines = [f"Label: {operation.label}"]
    lines += [f"{name}: {kind.words.replace('`', '')}" for name, kind in operation.arguments.items()]
    for word, kinds in operation.by_word.items():
        lines += [f"{name}, with {word}: {kind.words.replace('`', '')}" for name, kind in kinds.items()]
    lines += [f"{name}, optional: {kind.words.replace('`', '')}" for name, kind in operation.optional.items()]
    return STUBS[language].format(
        name=operation.name,
        meaning=operation.meaning.replace("`", ""),
        arguments=indent("\n".join(lines), MARGINS[language]),
    )

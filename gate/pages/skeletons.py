"""Programs to start a target from: every operation of the table as a function, one of them complete."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

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
    template = profile.folder("skeletons").joinpath(f"{language}.txt").read_text("utf-8")
    return template.replace("@STUBS@", stubs).replace("@TABLE@", table)


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

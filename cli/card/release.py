"""The owner's file of a release, `release.toml`: statements that no other file makes.

```toml
format = "privboost-release"
version = 1
name = "Risk of a disease"
[library]
name = "diffprivlib"
version = "0.6.6"
[guarantee]                 # not for a model of privboost, which says this itself; only `unit` then
epsilon = 1.0
[pyramid]                   # keys of `questions.PYRAMID`
threat_model = "…"
[registry.basic]            # fields of the registry, as in its records
intended_use = "…"
[evidence]
targets = ["cmd:…"]         # targets of audits, gates and checks that test this release
```

Every member is optional but the first three.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from privboost.errors import PreconditionError, UsageError
from privboost.files import read_file
from privboost.limits import PAIR_RELATIONS
from privboost.strict_json import JsonValue

from .answers import AnswerKind, AnswerSource, CardAnswer
from .questions import PYRAMID, REGISTRY, SHARED, VARIANTS, RegistryField

FORMAT, VERSION = "privboost-release", 1
NAME = "release.toml"
LARGEST = 1 << 20
"""Maximum size of the file, in bytes."""
LONGEST = 5_000
"""Maximum length of a statement."""
MEMBERS = ("format", "version", "name", "library", "guarantee", "pyramid", "registry", "evidence")
NUMBERS = ("epsilon", "delta", "rho")
TEXTS = ("unit", "composition", "mechanisms", "public_inputs", "stated_in")
SAID_BY_A_MODEL = (*NUMBERS, "relation", "variant", "composition", "mechanisms", "public_inputs")
"""Members of the guarantee that a model of privboost states itself."""
DERIVED = frozenset(f"privacy_loss.privacy_parameters.{name}" for name in NUMBERS)
"""Fields of the registry that the guarantee answers, and nothing else."""


@dataclass(frozen=True, slots=True)
class OwnersRelease:
    """What the owner of a release states."""

    name: CardAnswer
    library: CardAnswer | None
    guarantee: Mapping[str, CardAnswer]
    pyramid: Mapping[str, CardAnswer]
    registry: Mapping[str, CardAnswer]
    """Answers by the path of the field."""
    targets: tuple[str, ...]


def read_release(path: Path, file: str) -> OwnersRelease:
    """Return the statements of a file, which is called `file` on the card.

    Ensures: UsageError with the path of the first member that is not as expected.
    """
    try:
        content = tomllib.loads(read_file(path, LARGEST).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            f"{file}: expected TOML of at most {LARGEST} bytes, got an error ({error})"
        ) from None
    try:
        return _read(JsonValue(content, "release"), file)
    except PreconditionError as error:
        member = error.label.removeprefix("release").removeprefix(".") or "the file"
        raise UsageError(f"{file}: {member}: expected {error.expected}, got {error.got}") from None


def _read(document: JsonValue, file: str) -> OwnersRelease:
    _only(document, MEMBERS)
    document.member("format").equal_to(FORMAT)
    document.member("version").equal_to(VERSION)
    evidence = _table(document, "evidence", ("targets",))
    targets = tuple(each.line() for each in evidence["targets"].items()) if "targets" in evidence else ()
    return OwnersRelease(
        _read_statement(document.member("name"), file),
        _library(document, file),
        _guarantee(document, file),
        {
            name: _read_statement(value, file)
            for name, value in _table(document, "pyramid", tuple(PYRAMID)).items()
        },
        _registry(document, file),
        targets,
    )


def _only(table: JsonValue, names: tuple[str, ...]) -> None:
    if not isinstance(table.value, dict):
        raise table.refusal("a table")
    if unknown := sorted(set(table.value) - set(names)):
        raise PreconditionError(table.path, f"some of {', '.join(names)}", unknown[0])


def _table(document: JsonValue, name: str, names: tuple[str, ...]) -> dict[str, JsonValue]:
    """Return the members of a table that a document may have."""
    if not document.has(name):
        return {}
    table = document.at(name)
    _only(table, names)
    return {each: table.at(each) for each in names if table.has(each)}


def _read_statement(value: JsonValue, file: str, plain: Any = None) -> CardAnswer:
    text = value.text() if plain is None else str(plain)
    if not text.strip() or len(text) > LONGEST:
        raise value.refusal(f"a string of 1 to {LONGEST} characters")
    return CardAnswer(text, AnswerKind.STATED, AnswerSource(file, value.path.removeprefix("release.")), plain)


def _library(document: JsonValue, file: str) -> CardAnswer | None:
    members = _table(document, "library", ("name", "version"))
    if not members:
        return None
    words = [value.text() for value in members.values()]
    return CardAnswer(" ".join(words), AnswerKind.STATED, AnswerSource(file, "library"))


def _guarantee(document: JsonValue, file: str) -> dict[str, CardAnswer]:
    members = _table(document, "guarantee", (*NUMBERS, "relation", "variant", *TEXTS))
    answers = {}
    for name, value in members.items():
        if name in NUMBERS:
            number = value.number(0, 1 if name == "delta" else None)
            answers[name] = CardAnswer(f"{number:g}", AnswerKind.STATED, _source(value, file), number)
        elif name == "variant":
            value.among(VARIANTS)
            answers[name] = _read_statement(value, file)
        elif name == "relation":
            value.among(PAIR_RELATIONS)
            answers[name] = _read_statement(value, file)
        else:
            answers[name] = _read_statement(value, file)
    if "delta" in answers and "epsilon" not in answers:
        raise PreconditionError("release.guarantee", "the member epsilon with delta", "none")
    return answers


def _source(value: JsonValue, file: str) -> AnswerSource:
    return AnswerSource(file, value.path.removeprefix("release."))


def _registry(document: JsonValue, file: str) -> dict[str, CardAnswer]:
    """Return the stated fields of the registry."""
    fields = {each.path: each for each in REGISTRY if each.path not in DERIVED}
    if not document.has("registry"):
        return {}
    groups: dict[str, list[RegistryField]] = {}
    for each in fields.values():
        groups.setdefault(each.group, []).append(each)
    registry = document.at("registry")
    _only(registry, tuple(groups))
    answers = {}
    for group, members in groups.items():
        for name, value in _table(registry, group, tuple(each.name for each in members)).items():
            field = fields[f"{group}.{name}"]
            answers[field.path] = _field(field, value, file)
    return answers


def _field(field: RegistryField, value: JsonValue, file: str) -> CardAnswer:
    if field.path == "basic.publication_date":
        if isinstance(value.value, date) and not isinstance(value.value, datetime):
            return _read_statement(value, file, value.value.isoformat())
        try:
            return _read_statement(value, file, date.fromisoformat(value.text()).isoformat())
        except ValueError:
            raise value.refusal("a date such as 2026-03-31") from None
    if field.is_list:
        items = [each.text() for each in value.items(empty=False)]
        return CardAnswer("; ".join(items), AnswerKind.STATED, _source(value, file), items)
    if field.words:
        value.among(field.words)
    return _read_statement(value, file)


def check_agreement(release: OwnersRelease, file: str, model: str) -> None:
    """Raise UsageError if the owner states what a model of privboost says itself."""
    for name in SAID_BY_A_MODEL:
        if name in release.guarantee:
            raise UsageError(
                f"{file}: guarantee.{name}: expected no such member, since {model} states it; got "
                f"{release.guarantee[name].text!r}"
            )
    assert set(SHARED) <= {each.path for each in REGISTRY}

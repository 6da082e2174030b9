"""The files of a release: a model, the owner's file, reports of tests, and the files that witness them.

A file is recognised by its content. What cannot be read is an error: a report that is cut off must not go
unseen.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privboost.errors import PreconditionError, UsageError
from privboost.files import read_file
from privboost.strict_json import JsonValue, parse

from .answers import CardFile
from .release import NAME, OwnersRelease, check_agreement, read_release

DEEPEST, MOST_FILES = 4, 2_000
"""Limits on the folders below that of the release, and on the number of its files."""
LARGEST = 1 << 26
"""Maximum size of a model or a report, in bytes; a witness may be larger, and is not read."""
BEGINNING = 4096
WITNESS, CARD = "privboost-audit-witness", "privboost-card"
MODEL, AUDIT, STABILITY = "privboost-model", "privboost-audit-report", "privboost-stability-report"
GATE = "report of the gate"
KINDS = {MODEL: "model", AUDIT: "report of an audit", STABILITY: "report of a check of stability", GATE: GATE}
UNREAD = (WITNESS, "privboost-stability-witness", "privboost-transcript")
"""Formats of files that a card names and does not read."""
GATE_MEMBERS = {"format", "protocol", "profile", "target", "verdict", "headline", "passed"}
_FORMAT = re.compile(rb'\A\s*\{\s*"format"\s*:\s*"([a-z-]{1,60})"')


@dataclass(slots=True)
class ReleaseFolder:
    """The files of a release."""

    root: Path
    model: JsonValue | None = None
    model_text: str = ""
    model_file: str = ""
    release: OwnersRelease | None = None
    release_file: str = ""
    reports: list[tuple[str, str, JsonValue]] = field(default_factory=list)
    """Kind, file and content of reports."""
    witnesses: set[str] = field(default_factory=set)
    files: list[CardFile] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Files that a card does not read."""

    def date_of(self, file: str) -> str:
        """Return the date of a file that was read."""
        return next(each.modified for each in self.files if each.path == file)


def read_folder(given: Path) -> ReleaseFolder:
    """Return the files of a release, given by its folder or by its model.

    Ensures: UsageError if there is neither a model nor an owner's file, if there are two of one, or if a file
        cannot be read.
    """
    if given.is_file():
        folder = ReleaseFolder(given.parent)
        _add(folder, given, given.name)
        if folder.model is None:
            raise UsageError(f"MODEL_OR_FOLDER: expected a model of privboost as JSON, got '{given}'")
        return folder
    if not given.is_dir():
        raise UsageError(f"MODEL_OR_FOLDER: expected a model or a folder, got no '{given}'")
    folder = ReleaseFolder(given)
    for path in _paths(given):
        _add(folder, path, path.relative_to(given).as_posix())
    if folder.model is None and folder.release is None:
        expected = f"a folder with a model of privboost or a {NAME}"
        raise UsageError(f"MODEL_OR_FOLDER: expected {expected}, got '{given}' with neither")
    if folder.model is not None and folder.release is not None:
        check_agreement(folder.release, folder.release_file, folder.model_file)
    return folder


def _paths(root: Path) -> Iterator[Path]:
    """Yield the regular files of a folder by name; links are not followed."""
    count = 0
    for current, folders, names in os.walk(root):
        depth = len(Path(current).relative_to(root).parts)
        folders[:] = sorted(folders) if depth < DEEPEST else []
        for name in sorted(names):
            path = Path(current, name)
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MOST_FILES:
                raise UsageError(
                    f"MODEL_OR_FOLDER: expected at most {MOST_FILES} files, got more in '{root}'"
                )
            yield path


def _add(folder: ReleaseFolder, path: Path, file: str) -> None:
    """Read a file, if it is one of a card."""
    if path.name == NAME:
        if folder.release is not None:
            raise UsageError(f"MODEL_OR_FOLDER: expected one {NAME}, got {folder.release_file} and {file}")
        folder.release, folder.release_file = read_release(path, file), file
        _note(folder, path, file, "the owner's file")
        return
    if path.suffix != ".json":
        folder.others.append(file)
        return
    stated = _stated_format(path, file)
    if stated in UNREAD or stated == CARD:
        if stated == WITNESS:
            folder.witnesses.add(file)
        folder.others.append(file)
        return
    text = _text(path, file)
    document = _parse(text, file)
    kind = _kind_of(document.value)
    if kind is None:
        folder.others.append(file)
        return
    _note(folder, path, file, KINDS[kind])
    if kind != MODEL:
        folder.reports.append((kind, file, document))
        return
    if folder.model is not None:
        raise UsageError(f"MODEL_OR_FOLDER: expected one model, got {folder.model_file} and {file}")
    folder.model, folder.model_text, folder.model_file = document, text, file


def _stated_format(path: Path, file: str) -> str:
    """Return the format that a file of ours states at its beginning; an empty string if it states none."""
    try:
        with path.open("rb") as stream:
            match = _FORMAT.match(stream.read(BEGINNING))
    except OSError as error:
        raise UsageError(
            f"{file}: expected a file that can be read, got an error ({error.strerror})"
        ) from None
    return match[1].decode("ascii") if match else ""


def _text(path: Path, file: str) -> str:
    try:
        return read_file(path, LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{file}: expected JSON in UTF-8 of at most {LARGEST} bytes, got {reason}") from None


def _parse(text: str, file: str) -> JsonValue:
    try:
        return parse(text, "document")
    except PreconditionError as error:
        raise UsageError(f"{file}: expected {error.expected}, got {error.got}") from None


def _kind_of(value: Any) -> str | None:
    """Return the kind of a document; None if a card does not read it."""
    if not isinstance(value, dict):
        return None
    if value.get("format") in (MODEL, AUDIT, STABILITY):
        return str(value["format"])
    return GATE if value.keys() >= GATE_MEMBERS else None


def _note(folder: ReleaseFolder, path: Path, file: str, what: str) -> None:
    content = read_file(path)
    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    digest = hashlib.sha256(content).hexdigest()
    folder.files.append(CardFile(file, what, len(content), modified, digest))

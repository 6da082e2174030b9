"""Output folders: checked before the work starts, and never left with half a file."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .errors import UsageError


def prepare_directory(directory: Path) -> None:
    """Make a folder and its parents where they are missing, or say why it cannot be written to.

    Ensures: UsageError with what was expected and what was found if files cannot be made in the folder.
    """
    expected = "a folder that exists or can be made, and written to"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except FileExistsError:
        raise UsageError(f"output: expected {expected}, got the file '{directory}'") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"output: expected {expected}, got '{directory}' ({reason})") from None


def write_files(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder by name and return their paths.

    Requires: the names have no folder part.
    Ensures: a reader sees the old or the new content of a file, never a part of it.
    """
    prepare_directory(directory)
    return [_write_file(directory / name, content) for name, content in contents.items()]


def _write_file(path: Path, content: bytes) -> Path:
    if path.is_dir():
        raise UsageError(f"output: expected to write the file '{path}', got a folder of that name")
    with new_file(path) as stream:
        stream.write(content)
    return path


@contextmanager
def new_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file beside its destination, and rename it when the block ends without an error.

    Requires: the path is not that of a folder; `mode` has the permissions, from which the umask is taken off.
    Ensures: a reader sees the old or the new content, never a part of it; nothing is left after an error.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        # Path.open takes no opener.
        with open(beside, "xb", opener=partial(os.open, mode=mode)) as stream:
            yield stream
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)

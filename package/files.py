"""Files: inputs have a maximum size, folders are checked before the work, outputs are written atomically."""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .errors import UsageError

LARGEST_FILE = 1 << 29
"""Maximum size of a file that is read, in bytes."""


def read_file(path: Path, most: int | None = None) -> bytes:
    """Read a file of at most `most` bytes, LARGEST_FILE by default.

    Ensures: OSError for a larger one, such as a device that never ends.
    """
    with path.open("rb") as stream:
        return read_stream(stream, most)


def read_stream(stream: BinaryIO, most: int | None = None) -> bytes:
    """Read the rest of a stream, as `read_file` does."""
    most = LARGEST_FILE if most is None else most
    content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes")
    return content


def prepare_directory(directory: Path) -> None:
    """Create a folder and its parents if they do not exist.

    Ensures: UsageError if no file can be created in the folder.
    """
    expected = "a folder that exists or can be created, and is writable"
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
    """Write files to a folder and return their paths; `contents` maps names to bytes.

    Requires: the names have no folder part.
    Ensures: each file is replaced atomically; UsageError for one that cannot be written.
    """
    prepare_directory(directory)
    return [_write_file(directory / name, content) for name, content in contents.items()]


def _write_file(path: Path, content: bytes) -> Path:
    if path.is_dir():
        raise UsageError(f"output: expected to write the file '{path}', got a folder of that name")
    # A link to an open file, as /dev/stdout is, which others use.
    leads_to_stream = path.is_symlink() and str(path.readlink()).startswith("/proc/")
    if path.exists() and (not path.is_file() or leads_to_stream):
        raise UsageError(f"output: expected to write the file '{path}', got a device or a pipe")
    try:
        with new_file(path) as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"output: expected to write '{path}', got an error ({error.strerror})") from None
    return path


@contextmanager
def new_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a temporary file in the same folder, and rename it to `path` if the block succeeds.

    Requires: the path is not that of a folder; `mode` holds the permissions before the umask is applied.
    Ensures: the file is replaced atomically; after an error no temporary file is left.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        # Path.open takes no opener.
        with open(temporary, "xb", opener=partial(os.open, mode=mode)) as stream:
            yield stream
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

"""Outputs of the calls in a worker process, written at once, so that they survive the end of the process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def create(path: Path) -> None:
    """Create an empty journal, or empty one that exists."""
    path.write_bytes(b"")


@contextmanager
def writing(path: Path | None) -> Iterator[BinaryIO | None]:
    """Open a journal that was created; None without a path.

    A worker does not create the file, so that it cannot do so while its folder is being deleted.
    """
    if path is None:
        yield None
        return
    with path.open("r+b", buffering=0) as file:
        yield file


def write(file: BinaryIO, output: Any) -> None:
    """Write the output of one call."""
    file.write(pickle.dumps(output))


def read(path: Path) -> list[Any]:
    """Return the outputs in a journal of this process's own workers; one that was cut off is left out."""
    outputs: list[Any] = []
    if not path.exists():
        return outputs
    with path.open("rb") as file:
        while True:
            try:
                outputs.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return outputs

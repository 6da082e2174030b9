"""Outputs of the calls in a worker process, written at once, so that they survive the end of the process."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO


def create(path: Path) -> None:
    """Create an empty journal, or empty one that exists; there is none if that fails."""
    with suppress(OSError):
        path.write_bytes(b"")


@contextmanager
def open_journal(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """Open a journal that was created; yield a function that writes the output of one call.

    A worker does not create the file, so that it cannot do so while its folder is being deleted. A journal
    that cannot be written, for instance on a full disk, is deleted: it would name the wrong call as the last.
    """
    with ExitStack() as files:
        file: BinaryIO | None = None
        if path is not None:
            with suppress(OSError):
                file = files.enter_context(path.open("r+b", buffering=0))

        def write(output: Any) -> None:
            nonlocal file
            if file is None or path is None:
                return
            content = pickle.dumps(output)
            with suppress(OSError):
                if file.write(content) == len(content):
                    return
            file = None
            path.unlink(missing_ok=True)

        yield write


def read(path: Path) -> list[Any]:
    """Return the outputs in a journal of this process's own workers; one that was cut off is left out."""
    outputs: list[Any] = []
    with path.open("rb") as file:
        while True:
            try:
                outputs.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return outputs

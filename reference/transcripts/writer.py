"""Write the transcript of a private run.

A transcript is evidence for an auditor who has access to the data. It contains raw masses and the noise, so
it is as secret as the sample, and a private learner does not release it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from privboost.errors import UsageError
from privboost.reference.data import Sample
from privboost.reference.learners.ensemble import Ensemble, sample_private_ensemble
from privboost.reference.learners.records import Record
from privboost.reference.learners.splitting import Setting
from privboost.reference.privacy.bits import BitSource

from .header import header_record
from .lines import line_of


def write_transcript(
    target: str | os.PathLike[str] | TextIO, setting: Setting, sample: Sample, bits: BitSource
) -> Ensemble:
    """Run the private ensemble, write its transcript to a path or a stream, and return the ensemble.

    Paper: sec-solv.
    Requires: the requirements of `sample_private_ensemble`; the parameters are rationals and surds.
    Ensures: a file is readable by its owner only, and is written completely or not at all; equal runs
    write equal bytes.
    """
    if isinstance(target, (str, os.PathLike)):
        with _new_file(Path(target)) as stream:
            return _write(stream, setting, sample, bits)
    return _write(target, setting, sample, bits)


def _write(stream: TextIO, setting: Setting, sample: Sample, bits: BitSource) -> Ensemble:
    """Write every record of a run as a line, as soon as it is made."""

    def record(entry: Record) -> None:
        stream.write(f"{line_of(entry)}\n")

    record(header_record(setting))
    return sample_private_ensemble(setting, sample, bits, record=record)


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """Open a temporary file in the same directory, and rename it after everything is written."""
    if path.is_dir():
        raise UsageError(f"transcript: expected to write the file '{path}', got a folder of that name")
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="ascii", newline="\n") as stream:  # noqa: PTH123 - not a path
            yield stream
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

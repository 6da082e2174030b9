"""The outputs of a running audit as JSON lines, so that it can go on after a crash.

The first line is a header: the command that makes the calls, the seed, and a digest of the pairs. Every
further line has the next outputs of one pair, as in a witness, or a choice of pairs. Reading executes
nothing, and a last line that was cut off is ignored.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from privboost.auditor.pairs.pair import Pair
from privboost.errors import PreconditionError, UsageError
from privboost.files import read_file
from privboost.printing import format_value, say
from privboost.strict_json import JsonValue, parse

from .witness import OutputsOfPair, outputs_from_json, outputs_to_json, pair_to_json

FORMAT, VERSION = "privboost-audit-calls", 1
NAME = "calls.jsonl"
LARGEST = 1 << 33
"""Maximum size of a file, in bytes."""


class CallsFile:
    """A recorder that appends all outputs to a file, after those that the file has already."""

    def __init__(
        self,
        path: Path,
        command: str,
        seed: int,
        pairs: Sequence[Pair],
        *,
        resume: bool,
        tested: int | None = None,
    ) -> None:
        """Prepare a file; `tested` pairs at most are chosen among those given, if it is not all of them."""
        self._path, self._header = path, _header(command, seed, pairs)
        self.recorded: list[list[OutputsOfPair]] = [
            [] for _ in range(len(pairs) if tested is None else tested)
        ]
        """The outputs in the file, by pair, in the order of calls."""
        self._choices: dict[str, JsonValue] = {}
        if resume and path.exists():
            self._read()
        self._file: TextIO | None = None

    def __enter__(self) -> CallsFile:
        # The old file is replaced only by a complete new one.
        try:
            handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        except OSError as error:
            self._give_up(error)
            return self
        self._file = open(handle, "w", encoding="ascii")  # noqa: PTH123 - not a path; closed below
        self._write(self._header)
        for purpose, choice in self._choices.items():
            self.record_choice(purpose, choice.value)
        for index, blocks in enumerate(self.recorded):
            for outputs in blocks:
                self(index, outputs)
        Path(name).replace(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def __call__(self, pair: int, outputs: OutputsOfPair) -> None:
        """Append the next outputs of a pair."""
        self._write({"pair": pair, "outputs": outputs_to_json(outputs)})

    def chosen_before(self, name: str) -> JsonValue | None:
        """Return the choice of a name in the file; None if there is none."""
        return self._choices.get(name)

    def record_choice(self, name: str, document: Any) -> None:
        """Append a choice of pairs."""
        self._write({"choice": name, "document": document})

    def remove(self) -> None:
        """Delete the file of an audit that is complete."""
        self._path.unlink(missing_ok=True)

    def _write(self, document: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(document, allow_nan=False) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Go on without the file: an audit is not lost because it could not be resumed."""
        say(f"'{self._path}' cannot be written ({error.strerror}), so this audit cannot be resumed")
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        self._file = None

    def _read(self) -> None:
        """Read the file; raise UsageError if it is of another audit."""
        header, *lines = _lines(self._path)
        if header.value != self._header:
            stated = header.value.get("command") if isinstance(header.value, dict) else None
            wanted = (
                f"the audit that was interrupted, {format_value(stated)}" if stated else "a file of calls"
            )
            got = self._header["command"]
            raise UsageError(f"expected {wanted}, got {got!r} or other pairs, with '{self._path}'")
        for line in lines:
            if isinstance(line.value, dict) and "choice" in line.value:
                name, document = line.members("choice", "document")
                self._choices[name.text()] = document
                continue
            index, outputs = line.members("pair", "outputs")
            self.recorded[index.whole(0, len(self.recorded) - 1)].append(outputs_from_json(outputs))


def seed_in(path: Path) -> int | None:
    """Return the seed in the header of a file of calls; None if there is no such file."""
    if not path.exists():
        return None
    header = _lines(path)[0].value
    seed = header.get("seed") if isinstance(header, dict) else None
    return seed if isinstance(seed, int) else None


def _lines(path: Path) -> list[JsonValue]:
    """Return the lines of a file as JSON, without a last one that is not complete."""
    try:
        content = read_file(path, LARGEST).decode("ascii").splitlines(keepends=True)
        complete = [line for line in content if line.endswith("\n")]
        if not complete:
            raise UsageError(f"expected a file of calls, got '{path}', which has no header")
        return [parse(line, f"{path}, line {number}") for number, line in enumerate(complete, start=1)]
    except (OSError, ValueError, PreconditionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"expected a file of calls, got '{path}' ({reason})") from None


def _header(command: str, seed: int, pairs: Sequence[Pair]) -> dict[str, Any]:
    content = json.dumps([pair_to_json(pair) for pair in pairs], sort_keys=True)
    digest = hashlib.sha256(content.encode("ascii")).hexdigest()
    return {
        "format": FORMAT,
        "version": VERSION,
        "command": command,
        "seed": seed,
        "pairs": f"sha256:{digest}",
    }

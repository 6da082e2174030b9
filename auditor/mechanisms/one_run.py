"""Programs that read a file and print their output, as mechanisms: `exec:./release {input}`.

The program is started once for each call. In its arguments these words are replaced:

| word                        | by                                                                |
|-----------------------------|-------------------------------------------------------------------|
| `{input}`, `{input.json}`   | the path of a file with the input as JSON, written as for `cmd:`  |
| `{input.csv}`               | the path of a file with the input as CSV                          |
| `{seed}`                    | an integer below 2^63, another for each call                      |

In CSV a list of numbers or strings has one of them per line. A list of lists has one row per line. A list of
objects with the same keys has a header, and so has an object of lists of one length, which are its columns.

The output is what the program prints: JSON, a number (also inf and nan), or any other text. An exit code
other than 0, a timeout and a program that prints nothing are failed calls. Without `{seed}` the program is
taken to have randomness of its own.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from privboost.auditor.values.failures import EXITED, HUNG, failure
from privboost.errors import PreconditionError, TargetError, UsageError
from privboost.printing import format_value
from privboost.strict_json import parse
from privboost.targets.conversation import DEFAULT_LIMITS, FaultError, FaultKind, Limits, Pipes
from privboost.targets.programs import Program, program_of
from privboost.targets.values import from_json_values, to_json_values

from .mechanism import Mechanism

SEED = "{seed}"
_INPUT = re.compile(r"\{input(?:\.(json|csv))?\}")


@dataclass(frozen=True, slots=True)
class OneRun:
    """A program that is started once for each call."""

    program: Program
    limits: Limits = DEFAULT_LIMITS

    @classmethod
    def of(cls, command_line: str, limits: Limits = DEFAULT_LIMITS) -> OneRun:
        """Return the mechanism of a command line.

        Ensures: UsageError if the program does not exist, or if it is not told where its input is.
        """
        program = program_of(command_line, "exec")
        if not any(map(_INPUT.search, program.command)):
            expected = "{input}, {input.json} or {input.csv} among the arguments of the program"
            raise UsageError(f"exec: expected {expected}, got {command_line!r}")
        return cls(program, limits)

    def mechanism(self) -> Mechanism:
        """Return the program as a mechanism."""
        takes_seed = any(SEED in word for word in self.program.command)
        return Mechanism(self.program.name, self, repeats=None if takes_seed else False)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return the output of one run."""
        seed = str(rng.integers(1 << 63))
        with tempfile.TemporaryDirectory(prefix="privboost-") as folder:

            def path_of(match: re.Match[str]) -> str:
                path = Path(folder) / f"input.{match[1] or 'json'}"
                path.write_text(self._content(data, is_csv=match[1] == "csv"), "utf-8")
                return str(path)

            words = [_INPUT.sub(path_of, word).replace(SEED, seed) for word in self.program.command]
            try:
                return _value(self._run(replace(self.program, command=tuple(words))))
            except FaultError as error:
                fault = error.fault
                if fault.kind not in (FaultKind.CRASH, FaultKind.HANG):
                    raise TargetError(self.program.name, fault.expected, fault.got) from None
                hung = fault.kind is FaultKind.HANG
                message = f"expected {fault.expected}, got {fault.got}" if hung else fault.got
                # The name of the folder differs on every call and says nothing about the data.
                return failure(HUNG if hung else EXITED, fault.kind.value, message.replace(folder, "…"))

    def _run(self, program: Program) -> bytes:
        pipes = Pipes(program, self.limits.line)
        try:
            return pipes.read_all(self.limits.answer)
        finally:
            pipes.kill()

    def _content(self, data: Any, *, is_csv: bool) -> str:
        """Return the content of the file of an input."""
        values = to_json_values(data, "data for a program")
        if not is_csv:
            return json.dumps(values)
        rows = _rows_of(values)
        if rows is None:
            raise TargetError(
                self.program.name, "a list, or an object of columns, for CSV", format_value(data)
            )
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(rows)
        return buffer.getvalue()


def _rows_of(values: Any) -> Sequence[Sequence[Any]] | None:
    """Return the rows of an input as CSV; None if it is no table."""
    if isinstance(values, dict):
        columns = list(values.values())
        if not all(isinstance(column, list) for column in columns) or len(set(map(len, columns))) != 1:
            return None
        return [list(values), *zip(*columns, strict=True)]
    if not isinstance(values, list):
        return None
    if values and all(isinstance(row, dict) and row.keys() == values[0].keys() for row in values):
        return [list(values[0]), *([row[name] for name in values[0]] for row in values)]
    if any(isinstance(row, dict) for row in values):
        return None
    return [row if isinstance(row, list) else [row] for row in values]


def _value(output: bytes) -> Any:
    """Return the printed output of a program as a value: JSON, a number, or else a string."""
    text = output.decode("utf-8", "replace").strip()
    if not text:
        return failure(EXITED, "silence", "the program ended without an output")
    try:
        return from_json_values(parse(text, "output").value)
    except PreconditionError:
        pass
    try:
        return float(text)
    except ValueError:
        return text

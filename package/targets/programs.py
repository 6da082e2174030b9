"""Programs under test: a command line of the user, or a Python object in its own process (`host`)."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from privboost.errors import UsageError

from .names import Named


@dataclass(frozen=True, slots=True)
class Program:
    """A command to run and its working directory."""

    name: str
    """The name of the target, as the user wrote it."""
    command: tuple[str, ...]
    folder: str


def program_of(command_line: str, kind: str = "cmd") -> Program:
    """Return the program of a command line, which is split like a shell does but not run by a shell.

    `kind` is the word before the colon in the name of the target.

    Ensures: UsageError if the program does not exist or is not executable.
    """
    try:
        words = shlex.split(command_line)
    except ValueError as error:
        raise UsageError(f"{kind}: expected a command line, got {command_line!r} ({error})") from None
    if not words:
        raise UsageError(f"{kind}: expected a program to run, such as './program argument', got nothing")
    if shutil.which(words[0]) is None:
        reason = "there is no such file" if not Path(words[0]).exists() else "it is not executable"
        raise UsageError(f"{kind}: expected a program that can be run, got {words[0]!r}: {reason}")
    return Program(f"{kind}:{command_line.strip()}", tuple(words), str(Path.cwd()))


def host_program(named: Named) -> Program:
    """Return the program that hosts a Python object and reports its faults as answers."""
    # -P: modules in the current folder must not shadow those that the host imports.
    command = (sys.executable, "-P", "-m", f"{__package__}.host", "--faults", named.source)
    return Program(named.source, command, str(Path.cwd()))

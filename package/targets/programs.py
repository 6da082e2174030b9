"""Programs to be started: a user's own command line, or a Python object in a process of its own (`host`)."""

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
    """What to start, and in which folder."""

    name: str
    """The target that it is, as the user wrote it."""
    words: tuple[str, ...]
    folder: str


def program_of(command_line: str) -> Program:
    """Return the program of a command line, which is split as a shell does and not run by one.

    Ensures: UsageError if there is no such program.
    """
    try:
        words = shlex.split(command_line)
    except ValueError as error:
        raise UsageError(f"cmd: expected a command line, got {command_line!r} ({error})") from None
    if not words:
        raise UsageError("cmd: expected a program to run, such as 'cmd:./program --flag', got nothing")
    if shutil.which(words[0]) is None:
        reason = "there is no such file" if not Path(words[0]).exists() else "it is not executable"
        raise UsageError(f"cmd: expected a program that can be run, got {words[0]!r}: {reason}")
    return Program(f"cmd:{command_line.strip()}", tuple(words), str(Path.cwd()))


def hosted(named: Named) -> Program:
    """Return the program that runs a Python object, and reports its faults as answers."""
    # -P: modules of the current folder must not replace those that the host itself imports.
    words = (sys.executable, "-P", "-m", f"{__package__}.host", "--faults", named.text)
    return Program(named.text, words, str(Path.cwd()))

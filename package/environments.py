"""Environments of their own for programs that need other libraries, made only when somebody asks for them.

A requirements file in pip's format makes an environment of Python, a file NAME.package.json one of Node.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from .errors import NoVerdictError, UsageError
from .files import prepare_directory, read_file, write_files

NODE_SUFFIX = ".package.json"
STAMP = "made"
"""The file that is written when an environment is complete; it holds the digest of the requirements."""
POLL, PATIENCE = 0.2, 10.0
"""Seconds between two looks at a program that runs, and in which one that is stopped can end by itself."""
LONGEST_TAIL = 500
"""Maximum length of the end of an installer's messages in an error."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment and its interpreter."""

    folder: Path
    program: Path
    """Its Python, or the Node of the system."""

    def command(self, folder: Path | None = None) -> str:
        """Return the beginning of the command line of a script, for use in a folder if one is given."""
        modules = self.folder / "node_modules"
        if not modules.exists():
            return shlex.quote(_path_from(folder, self.program))
        return shlex.join(["env", f"NODE_PATH={_path_from(folder, modules)}", "node"])

    def target_of(self, script: Path) -> str:
        """Return the target of the gate for a script in this environment."""
        return f"cmd:{self.command()} {shlex.quote(str(script))}"


class InstallError(NoVerdictError):
    """Report an environment that could not be made (exit code 4)."""

    def __init__(self, requirements: Path, command: Sequence[str], messages: str) -> None:
        self.requirements = requirements
        self.command = tuple(command)
        self.messages = messages.strip()[-LONGEST_TAIL:]
        super().__init__(
            f"{requirements}: expected an environment with these requirements; "
            f"got an error of {' '.join(self.command)}: {self.messages}"
        )


def find_environment(requirements: Path, folder: Path) -> Environment | None:
    """Return the environment that `make_environment` has made in a folder for this content of the file."""
    environment = Environment(folder, _program(requirements, folder))
    stamp = folder / STAMP
    is_made = stamp.is_file() and stamp.read_text("utf-8").strip() == _digest(requirements)
    return environment if is_made and environment.program.exists() else None


def make_environment(
    requirements: Path,
    folder: Path,
    progress: Callable[[str], None] | None = None,
    stop: Event | None = None,
) -> Environment:
    """Make an environment for a requirements file in a folder; `progress` gets what is done next.

    `stop` ends the installer when it is set.

    Ensures: an environment that was made before is kept if the file has the same content; a half-made or
        outdated one is removed and made again. UsageError if the file or the folder cannot be used;
        InstallError if something cannot be installed.
    """
    show = progress or (lambda _: None)
    made = find_environment(requirements, folder)
    if made is not None:
        return made
    _clear(folder)
    show(f"making the environment {folder}")
    if is_for_node(requirements):
        shutil.copy(requirements, folder / "package.json")
        show(f"installing {requirements.name}")
        options: tuple[str, ...] = ("--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder))
        _run(requirements, ("npm", "install", *options), stop)
    else:
        _run(requirements, (sys.executable, "-m", "venv", str(folder / "python")), stop)
        show(f"installing {requirements.name}")
        options = ("--quiet", "--disable-pip-version-check", "--requirement", str(requirements))
        _run(requirements, (str(_program(requirements, folder)), "-m", "pip", "install", *options), stop)
    write_files(folder, {STAMP: f"{_digest(requirements)}\n".encode()})
    return Environment(folder, _program(requirements, folder))


def is_for_node(requirements: Path) -> bool:
    """Return whether a requirements file is that of npm."""
    return requirements.name.endswith(NODE_SUFFIX)


def _path_from(folder: Path | None, path: Path) -> str:
    return str(path) if folder is None else os.path.relpath(path, folder)


def _program(requirements: Path, folder: Path) -> Path:
    """Return the path of the interpreter."""
    if is_for_node(requirements):
        return Path(shutil.which("node") or "node")
    return folder / "python" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _digest(requirements: Path) -> str:
    """Return the digest of a requirements file and of the version of Python that makes the environment."""
    try:
        content = read_file(requirements)
    except OSError as error:
        expected = "a file of requirements (NAME.txt, or NAME.package.json for npm)"
        message = f"expected {expected}, got '{requirements}' ({error.strerror})"
        raise UsageError(message, argument="requirements") from None
    version = f"{sys.version_info.major}.{sys.version_info.minor}\n"
    return hashlib.sha256(version.encode() + content).hexdigest()


def _clear(folder: Path) -> None:
    """Make a folder empty, if it holds nothing but an environment.

    Ensures: UsageError for a folder with other files.
    """
    ours = {STAMP, "python", "package.json", "package-lock.json", "node_modules"}
    names = {path.name for path in folder.glob("*") if not path.name.startswith(f".{STAMP}.")}
    if others := sorted(names - ours):
        expected = "an empty folder, or one with an environment"
        raise UsageError(f"expected {expected}, got '{folder}' with {others[0]}", argument="folder")
    shutil.rmtree(folder, ignore_errors=True)
    prepare_directory(folder)


def _run(requirements: Path, command: Sequence[str], stop: Event | None) -> None:
    """Run a command of an installer."""
    try:
        code, messages = run_program(command, stop or Event())
    except OSError as error:
        raise InstallError(requirements, command, str(error)) from None
    if code:
        raise InstallError(requirements, command, messages)


def run_program(
    command: Sequence[str],
    stop: Event,
    folder: Path | None = None,
    report: Callable[[str], object] | None = None,
) -> tuple[int, str]:
    """Run a command in a folder, without input, and return its exit code and what it printed as messages.

    `report` gets the last line of the messages while the command runs.

    Ensures: once `stop` is set, or after an error, the process has ended.
    """
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "messages"
        with path.open("wb") as messages:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages
            )

        def look() -> None:
            lines = path.read_text("utf-8", "replace").split("\n")[:-1]
            if report is not None and lines:
                report(lines[-1])

        try:
            code = _wait(process, stop, look)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        return code, path.read_text("utf-8", "replace")


def _wait(process: subprocess.Popen[bytes], stop: Event, look: Callable[[], None]) -> int:
    """Wait for a process, which is asked to end when `stop` is set, and return its exit code."""
    while not stop.is_set():
        try:
            return process.wait(POLL)
        except subprocess.TimeoutExpired:
            look()
    process.terminate()
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()

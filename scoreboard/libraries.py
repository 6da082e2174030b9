"""The libraries of a scoreboard: one adapter each in a folder, with the files that belong to it.

| file                  | meaning                                                                          |
|-----------------------|----------------------------------------------------------------------------------|
| `NAME_adapter.py`     | answers the gate's requests by calling the library; `.js` for Node               |
| `NAME.txt`            | what pip installs for it, with versions; without it the adapter runs as it is    |
| `NAME.package.json`   | what npm installs for it                                                         |
| `NAME.known.txt`      | known failures, for `privboost gate --xfails`                                    |
| `NAME.toml`           | address of its pages, another program than the adapter, audits, stability checks |
| `NAME_trials.py`      | functions that these call; with `NAME_pairs.json` not used by the adapter        |
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from privboost.errors import UsageError
from privboost.files import read_file

PYTHON, NODE = "{python}", "{node}"
"""Words of a program that stand for the interpreter of the library's environment."""
ADAPTERS = {"_adapter.py": PYTHON, "_adapter.js": NODE}
"""Endings of adapters, with what runs one."""
REQUIREMENTS = (".txt", ".package.json")
KNOWN = ".known.txt"
OF_TRIALS = ("_trials", "_pairs")
"""Endings of the names of files that only audits and checks of stability use, such as NAME_trials.py."""
REQUIRED = ("operation", "about", "target")
TEXTS = (*REQUIRED, "claim", "stated_in", "issue", "true_if", "reproduction")
"""Members of the description of an audit or a check of stability that are strings."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
LONGEST_TIMEOUT = 100_000
LARGEST = 1 << 20
"""Maximum size of a file, in bytes."""

Tool = Literal["audit", "stability"]
TOOLS: tuple[Tool, ...] = get_args(Tool)


@dataclass(frozen=True, slots=True)
class LibraryTrial:
    """An audit or a check of stability, as a library's file describes it."""

    tool: Tool
    operation: str
    """The column of the scoreboard that it belongs to."""
    about: str
    """What is tried, in a few words."""
    target: str
    """As on the command line; `{python}` stands for the interpreter of the environment."""
    options: tuple[str, ...]
    claim: str = ""
    """What the library's documentation claims, in our words."""
    stated_in: str = ""
    """The place of that sentence."""
    issue: str = ""
    """The public issue that a refutation belongs to, or the place where the library documents it."""
    true_if: str = ""
    """What would make the claim true."""
    reproduction: str = ""
    """Lines of Python that show the failure without privboost."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library of the scoreboard."""

    name: str
    folder: Path
    program: str
    """The command of the adapter, run in `folder`."""
    home: str = ""
    """Address of the library's pages."""
    requirements: Path | None = None
    known: Path | None = None
    timeout: float | None = None
    """Seconds for one answer to the gate, if the library has its own."""
    trials: tuple[LibraryTrial, ...] = ()
    digest: str = ""
    """Of all files that can change what its adapter answers."""
    trials_digest: str = ""
    """Of all files that can change the results of its audits and checks of stability."""


def read_libraries(folder: Path) -> tuple[Library, ...]:
    """Return the libraries of a folder, by name.

    Ensures: UsageError if it has none, or if a file cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"FOLDER: expected a folder with adapters, got '{folder}'")
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    names = {path.stem: "" for path in paths if path.suffix == ".toml"}
    for path in paths:
        for ending, interpreter in ADAPTERS.items():
            if path.name.endswith(ending):
                names[path.name.removesuffix(ending)] = f"{interpreter} {path.name}"
    if not names:
        endings = " or ".join(f"NAME{ending}" for ending in ADAPTERS)
        raise UsageError(f"FOLDER: expected a folder with adapters {endings}, found none in '{folder}'")
    return tuple(_read_library(folder, name, names[name], set(names)) for name in sorted(names))


def _read_library(folder: Path, name: str, program: str, names: set[str]) -> Library:
    if NAME.fullmatch(name) is None:
        expected = "a name of letters, digits, dots, hyphens and underscores"
        raise UsageError(f"FOLDER: {folder / name}: expected {expected}, got '{name}'")
    stated = _read_stated(folder / f"{name}.toml")
    requirements = next((p for ending in REQUIREMENTS if (p := folder / f"{name}{ending}").is_file()), None)
    known = folder / f"{name}{KNOWN}"
    program = _text(stated, "program", program)
    if not program:
        raise UsageError(
            f"FOLDER: {name}.toml: expected an adapter {name}_adapter.py beside it, or the member program"
        )
    return Library(
        name,
        folder,
        program,
        home=_text(stated, "home", ""),
        requirements=requirements,
        known=known if known.is_file() else None,
        timeout=_timeout(f"{name}.toml", stated),
        trials=tuple(trial for tool in TOOLS for trial in _trials(name, tool, stated)),
        digest=_digest(folder, name, names, (f"{name}.toml", *(f"{name}{each}" for each in OF_TRIALS))),
        trials_digest=_digest(folder, name, names, (f"{name}.toml", f"{name}{KNOWN}")),
    )


def _read_stated(path: Path) -> Mapping[str, Any]:
    """Return the members of a library's own file; none if there is no such file."""
    if not path.is_file():
        return {}
    try:
        stated = tomllib.loads(read_file(path, LARGEST).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"FOLDER: {path.name}: expected TOML, got an error ({error})") from None
    _check_members(path.name, stated, {"program", "home", "timeout", *TOOLS})
    return stated


def _check_members(where: str, stated: Mapping[str, Any], allowed: set[str]) -> None:
    for member in stated:
        if member not in allowed:
            raise UsageError(
                f"FOLDER: {where}: expected the members {', '.join(sorted(allowed))}, got '{member}'"
            )


def _text(stated: Mapping[str, Any], member: str, default: str, where: str = "") -> str:
    value = stated.get(member, default)
    if not isinstance(value, str):
        raise UsageError(f"FOLDER: {where}{member}: expected a string, got {value!r}")
    return value


def _timeout(where: str, stated: Mapping[str, Any]) -> float | None:
    value = stated.get("timeout")
    if value is not None and (type(value) not in (int, float) or not 0 < value < LONGEST_TIMEOUT):
        raise UsageError(f"FOLDER: {where}: timeout: expected a number of seconds > 0, got {value!r}")
    return None if value is None else float(value)


def _trials(name: str, tool: Tool, stated: Mapping[str, Any]) -> list[LibraryTrial]:
    tables = stated.get(tool, [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise UsageError(f"FOLDER: {name}.toml: expected tables [[{tool}]], got {tables!r}")
    trials = []
    for number, each in enumerate(tables, 1):
        where = f"{name}.toml: [[{tool}]] {number}: "
        _check_members(where.removesuffix(": "), each, {*TEXTS, "options"})
        options = each.get("options", [])
        if not isinstance(options, list) or not all(isinstance(word, str) for word in options):
            raise UsageError(f"FOLDER: {where}options: expected a list of strings, got {options!r}")
        texts = {member: _text(each, member, "", where) for member in TEXTS}
        for member in REQUIRED:
            if not texts[member]:
                raise UsageError(f"FOLDER: {where}expected the member {member}")
        trials.append(LibraryTrial(tool, options=tuple(options), **texts))
    return trials


def _digest(folder: Path, name: str, names: set[str], without: tuple[str, ...]) -> str:
    """Return a digest of the files of a library, and of those that belong to no library, which it may use.

    What NAME.toml says is in the arguments of the tasks, or only shown. `without` has beginnings of names.
    """
    others = tuple(other for other in names if other != name and not name.startswith(other))
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith((*others, *without)):
            content = read_file(path)
            digest.update(f"{path.name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()

"""Names of targets on the command line.

| name                     | target                                                                          |
|--------------------------|---------------------------------------------------------------------------------|
| cmd:./impl --stdio       | a program that speaks JSON lines (`restarting`)                                 |
| module:factory           | the object that a function or class returns, with a method `answer(op, args)`,  |
| folder/file.py:factory   | in a process of its own (`targets.host`); imports from the current folder work  |
| fast, reference          | the learners of this project (`implementations`)                                |
| faulty:NAME              | an implementation with one mistake                                              |
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privboost.errors import UsageError
from privboost.gate.trees.implementations import load_implementation
from privboost.printing import format_value, make_printable
from privboost.targets.conversation import Limits
from privboost.targets.names import Named, parse_named
from privboost.targets.programs import host_program, program_of

from .in_process import PythonTarget
from .restarting import LIMITS, ProcessTarget
from .target import Target

BUILT_IN = ("fast", "reference")


def load_target(name: str, limits: Limits = LIMITS) -> Target:
    """Return the target with a name; a Python object is loaded by the first request.

    Ensures: UsageError, with the kinds of names, for any other string.
    """
    kind, _, command = name.partition(":")
    if name in BUILT_IN or kind == "faulty":
        return PythonTarget(name, load_implementation(name), limits.answer)
    if kind == "cmd":
        return ProcessTarget(program_of(command), limits)
    named = _factory(name)
    if named is None:
        kinds = "module:factory, 'cmd:./program --flag', faulty:NAME or one of " + ", ".join(BUILT_IN)
        raise UsageError(f"target: expected {kinds}, got {format_value(name)}")
    return ProcessTarget(host_program(named), limits, faults=True)


def reproduction(name: str, request: Mapping[str, Any]) -> str:
    """Return a shell command that sends a request to a target."""
    op, args = request["op"], request["args"]
    if name.startswith("cmd:"):
        line = json.dumps({"id": 1, "op": op, "args": args})
        return f"echo {shlex.quote(line)} | {name.removeprefix('cmd:')}"
    call = f"({_literal(op)}, {_literal(args)})"
    named, prefix = _factory(name), ""
    if named is None or named.module == "faulty":
        target = f"load_target({_literal(name)})"
        program = f"from {__name__} import load_target; print({target}.ask{call})"
    else:
        folder = shlex.quote(str(Path(named.module).parent))
        prefix = f"PYTHONPATH={folder} " if named.is_file else ""
        factory = ".".join((named.module_name, *named.names))
        program = f"import {named.module_name}; print({factory}().answer{call})"
    return f"{prefix}python -c {shlex.quote(program)}"


def _factory(name: str) -> Named | None:
    """Return the parsed name of a factory; None if it is no name, or ends in ()."""
    named = parse_named(name)
    return None if named is None or named.is_called else named


def _literal(value: Any) -> str:
    """Return a Python literal with double quotes, since the shell command uses single quotes."""
    if isinstance(value, str):
        return make_printable(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(name)}: {_literal(entry)}' for name, entry in value.items())}}}"
    return repr(value)

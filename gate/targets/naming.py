"""What a user writes for a target of the gate, and the target that it stands for.

| string                   | what is asked                                                                   |
|--------------------------|---------------------------------------------------------------------------------|
| cmd:./impl --stdio       | a program that speaks JSON lines (`process`)                                    |
| module:factory           | what a function or class makes: its method `answer(op, args)`, in a process     |
| folder/file.py:factory   | of its own (`targets.host`); the current folder can be imported from            |
| fast, reference          | the learners here (`bodies`)                                                    |
| faulty:NAME              | an implementation with one mistake                                              |
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privboost.errors import UsageError
from privboost.gate.implementations import body_of
from privboost.printing import printable, shown
from privboost.targets.conversation import Limits
from privboost.targets.names import Named, parse_named
from privboost.targets.programs import hosted, program_of

from .in_process import PythonTarget
from .restarting import LIMITS, ProcessTarget
from .target import Target

BODIES = ("fast", "reference")


def load_target(text: str, limits: Limits = LIMITS) -> Target:
    """Return the target that a string stands for; a Python object is not loaded before it is asked.

    Ensures: UsageError, with what is known, for a string that stands for nothing.
    """
    kind, _, rest = text.partition(":")
    if text in BODIES or kind == "faulty":
        return PythonTarget(text, body_of(text), limits.answer)
    if kind == "cmd":
        return ProcessTarget(program_of(rest), limits)
    named = _factory(text)
    if named is None:
        kinds = "module:factory, 'cmd:./program --flag', faulty:NAME or one of " + ", ".join(BODIES)
        raise UsageError(f"target: expected {kinds}, got {shown(text)}")
    return ProcessTarget(hosted(named), limits, faults=True)


def reproduction(name: str, request: Mapping[str, Any]) -> str:
    """Return one line for a shell that asks a target the same request."""
    op, args = request["op"], request["args"]
    if name.startswith("cmd:"):
        line = json.dumps({"id": 1, "op": op, "args": args})
        return f"echo {shlex.quote(line)} | {name.removeprefix('cmd:')}"
    asked = f"({_literal(op)}, {_literal(args)})"
    named, prefix = _factory(name), ""
    if named is None or named.module == "faulty":
        target = f"load_target({_literal(name)})"
        program = f"from {__name__} import load_target; print({target}.ask{asked})"
    else:
        folder = shlex.quote(str(Path(named.module).parent))
        prefix = f"PYTHONPATH={folder} " if named.is_file else ""
        factory = ".".join((named.module_name, *named.names))
        program = f"import {named.module_name}; print({factory}().answer{asked})"
    return f"{prefix}python -c {shlex.quote(program)}"


def _factory(text: str) -> Named | None:
    """Return the name of a factory, which is always called and hence written without ()."""
    named = parse_named(text)
    return None if named is None or named.called else named


def _literal(value: Any) -> str:
    """Return a value as Python writes it, with double quotes, since the shell takes the single ones."""
    if isinstance(value, str):
        return printable(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(name)}: {_literal(entry)}' for name, entry in value.items())}}}"
    return repr(value)

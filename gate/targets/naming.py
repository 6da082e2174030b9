"""Names of targets on the command line.

| name                     | target                                                                          |
|--------------------------|---------------------------------------------------------------------------------|
| cmd:./impl --stdio       | a program that speaks JSON lines (`restarting`)                                 |
| module:factory           | the object that a function or class returns, with a method `answer(op, args)`,  |
| folder/file.py:factory   | in a process of its own (`targets.host`); imports from the current folder work  |
| fast, reference          | an implementation of the profile                                                |
| faulty:NAME              | an implementation with one mistake                                              |
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from privboost.errors import UsageError
from privboost.gate.check import Target
from privboost.gate.plan import DEFAULT_TIMEOUT
from privboost.gate.profile import Profile
from privboost.gate.profiles import DEFAULT_PROFILE, load_profile
from privboost.printing import format_value, make_printable
from privboost.targets.names import Named, parse_named
from privboost.targets.programs import host_program, program_of

from .in_process import PythonTarget
from .restarting import LIMITS, ProcessTarget

FAULTY = "faulty:"


def load_target(name: str, profile: Profile | None = None, timeout: float = DEFAULT_TIMEOUT) -> Target:
    """Return the target with a name; a Python object is loaded by the first request.

    Ensures: UsageError, with the kinds of names, for any other string.
    """
    limits = replace(LIMITS, start=timeout, answer=timeout)
    profile = profile or load_profile()
    if name in profile.implementations or name.startswith(FAULTY):
        return PythonTarget(name, load_implementation(name, profile), timeout)
    kind, _, command = name.partition(":")
    if kind == "cmd":
        return ProcessTarget(program_of(command), limits)
    named = _factory(name)
    if named is None:
        own = ", ".join(profile.implementations)
        kinds = f"module:factory, 'cmd:./program argument', faulty:NAME or one of {own}"
        raise UsageError(f"target: expected {kinds}, got {format_value(name)}")
    return ProcessTarget(host_program(named), limits, faults=True)


def load_implementation(name: str, profile: Profile) -> Any:
    """Return an implementation of a profile, which has a method `answer(op, args)`."""
    if name.startswith(FAULTY):
        return profile.load_faulty(name.removeprefix(FAULTY))
    return profile.implementations[name]()


def reproduction(name: str, requests: Sequence[Mapping[str, Any]], profile: str = DEFAULT_PROFILE) -> str:
    """Return a shell command that sends requests to a target, one after the other."""
    if name.startswith("cmd:"):
        lines = (json.dumps({"id": index, **request}) for index, request in enumerate(requests, 1))
        quoted = " ".join(map(shlex.quote, lines))
        say = "echo" if len(requests) == 1 else "printf '%s\\n'"
        return f"{say} {quoted} | {name.removeprefix('cmd:')}"
    named, prefix = _factory(name), ""
    if named is None or named.module == "faulty":
        imported, own = f"from {__name__} import load_target", ""
        if profile != DEFAULT_PROFILE:
            imported += f"; from {load_profile.__module__} import load_profile"
            own = f", load_profile({_literal(profile)})"
        target, method = f"load_target({_literal(name)}{own})", "ask"
    else:
        folder = shlex.quote(str(Path(named.module).parent))
        prefix = f"PYTHONPATH={folder} " if named.is_file else ""
        factory = ".".join((named.module_name, *named.names))
        imported, target, method = f"import {named.module_name}", f"{factory}()", "answer"
    if len(requests) > 1:
        imported, target = f"{imported}; target = {target}", "target"
    sent = (f"({_literal(each['op'])}, {_literal(each['args'])})" for each in requests)
    program = "; ".join((imported, *(f"print({target}.{method}{arguments})" for arguments in sent)))
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

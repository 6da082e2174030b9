"""Load Python objects by name, and distinguish names that do not exist from code that fails."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from privboost.errors import TargetError, UsageError
from privboost.printing import make_printable

from .arguments import parse_arguments
from .names import Named


def load_object(named: Named, *, kinds: str, suits: Callable[[Any], bool]) -> Any:
    """Return the object with this name, and add the folder of its module to `sys.path`.

    Error messages for a missing module suggest the alternatives in `kinds`. Those for a missing name list the
    names whose values satisfy `suits`.
    Ensures: UsageError if there is no such object; TargetError if the module or the function raises an error.
    """
    value: Any = _module_of(named, kinds)
    for name in named.names:
        if not hasattr(value, name):
            raise UsageError(f"target: expected a name of {_names_of(value, suits)}, got {named.source!r}")
        value = getattr(value, name)
    return value if named.arguments is None else _result_of(value, named.arguments, named.source)


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Return whether a callable accepts `count` positional arguments; true if its signature is unknown."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def join_names(names: Iterable[str]) -> str:
    """Return the sorted names, separated by commas."""
    return ", ".join(sorted(names)) or "none"


def describe_error(error: BaseException) -> str:
    """Return an error in one line, with the file and the line that raised it."""
    message = " ".join(message_of(error).split())
    # The message of a syntax error already contains its location.
    return f"{type(error).__name__}: {message}{'' if isinstance(error, SyntaxError) else _origin(error)}"


def message_of(error: BaseException) -> str:
    """Return the message of an error as a string that is safe to print."""
    try:
        return make_printable(str(error))
    except Exception:
        return "an error that cannot be shown"


def _module_of(named: Named, kinds: str) -> ModuleType:
    path = Path(named.module).expanduser()
    if named.is_file and not path.is_file():
        raise UsageError(f"target: expected a file, got no '{path}' for {named.source!r}")
    folder = str(path.resolve().parent if named.is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(named.module_name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{named.module_name}.".startswith(f"{error.name}."):
            raise UsageError(_no_module(str(error.name), named.source, kinds)) from None
        raise TargetError(named.source, "a module that can be imported", describe_error(error)) from error
    if named.is_file and Path(module.__file__ or "").resolve() != path.resolve():
        taken = module.__file__ or "a built-in module"
        expected = "a name that no other module has"
        raise UsageError(f"target: expected {expected}, got {taken} for {named.source!r}")
    return module


def _no_module(name: str, source: str, kinds: str) -> str:
    here = join_names(path.stem for path in Path.cwd().glob("*.py") if path.stem.isidentifier())
    expected = f"an installed module, one of this folder ({here}) or {kinds}"
    return f"target: expected {expected}, got no module {name!r} for {source!r}"


def _names_of(owner: Any, suits: Callable[[Any], bool]) -> str:
    """Describe an object and list its public names whose values satisfy `suits`."""
    names = [name for name, value in vars(owner).items() if not name.startswith("_") and suits(value)]
    label = f"module {owner.__name__}" if isinstance(owner, ModuleType) else type(owner).__name__
    return f"{label} ({join_names(names)})"


def _result_of(factory: Any, arguments: str, source: str) -> Any:
    args, named = parse_arguments(arguments, source)
    try:
        inspect.signature(factory).bind(*args, **named)
    except ValueError:
        # The signature of a compiled function may be unknown.
        pass
    except TypeError as error:
        expected = f"arguments that fit ({error})" if arguments else "a function without arguments to call"
        raise UsageError(f"target: expected {expected}, got {source!r}") from None
    try:
        return factory(*args, **named)
    except (Exception, SystemExit) as error:
        raise TargetError(source, "a function that returns an object", describe_error(error)) from error


def _origin(error: BaseException) -> str:
    """Return the file and line that raised an error, ignoring Python's import machinery."""
    origin, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith("<frozen"):
            origin = f" ({Path(name).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return origin

"""Read the arguments of a call in a target string: literals, and calls of objects named by their module.

Nothing is evaluated: `Class(epsilon=1, bounds=(0, 1), domain=module.Domain(low=0))` is parsed, and only
objects with a dotted name that starts at a module are called, as the target itself is. Operators, other names
and subscripts are refused.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from typing import Any

from privboost.errors import TargetError, UsageError

Arguments = tuple[list[Any], dict[str, Any]]

EXPECTED = "literals such as 1, 'a', (0, 1) or {'a': 1}, or calls such as module.Class(1)"
LONGEST = 100_000
"""Maximum length of the arguments; deeper nesting than Python's parser allows is refused as well."""


def parse_arguments(content: str, source: str) -> Arguments:
    """Return the positional and named arguments in a string; `source` is the whole target, for messages.

    Ensures: UsageError for anything but literals and calls of named objects.
    """
    call = _parse(f"f({content})", source)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise _refusal(content, source)
    return _arguments(call, source)


def split_options(content: str, source: str) -> tuple[str, dict[str, str]]:
    """Return the name and the options of `name(key=value, …)`; `name,key=value,…` is read as well.

    Values are strings, for the caller to read; `source` is the whole target, for messages.
    Ensures: UsageError for any other string, and for a key that is given twice.
    """
    name, called, inside = content.strip().partition("(")
    if called and "," not in name:
        if not inside.endswith(")"):
            raise UsageError(f"target: expected name(key=value, …), got {source!r}")
        parts = split_outside_brackets(inside[:-1])
    else:
        name, *parts = split_outside_brackets(content)
    options: dict[str, str] = {}
    for part in filter(None, parts):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not key.isidentifier() or key in options:
            raise UsageError(f"target: expected name(key=value, …), got {part!r} in {source!r}")
        options[key] = value
    return name.strip(), options


def split_outside_brackets(options: str) -> list[str]:
    """Return the parts between commas that are in no brackets: 'a,b=(0, 1)' gives 'a' and 'b=(0, 1)'."""
    parts, depth = [""], 0
    for character in options:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def split_call(source: str) -> tuple[str, str | None]:
    """Return the dotted name and the arguments of `module.Class(arguments)`; None if it is not called.

    Ensures: UsageError for any other string.
    """
    tree = _parse(source, source)
    called = isinstance(tree, ast.Call)
    name = _dotted_name(tree.func if isinstance(tree, ast.Call) else tree)
    if name is None or "." not in name:
        raise UsageError(f"target: expected module.Class(arguments), got {source!r}")
    return name, source.strip()[source.strip().index("(") + 1 : -1] if called else None


def split_module(name: str, source: str) -> tuple[str, tuple[str, ...]]:
    """Return the module of a dotted name, which is imported, and the attributes that follow.

    Ensures: UsageError if the first part of the name is no module; TargetError if importing it fails.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):
                raise TargetError(source, "a module that can be imported", str(error)) from error
        except (Exception, SystemExit) as error:
            raise TargetError(source, "a module that can be imported", repr(error)) from error
        else:
            return module, tuple(parts[count:])
    raise UsageError(
        f"target: expected an installed module or one of this folder, got {name!r} in {source!r}"
    )


def _parse(content: str, source: str) -> ast.expr:
    try:
        if len(content) > LONGEST:
            raise ValueError("too long")
        return ast.parse(content.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"target: expected name(arguments) with {EXPECTED}, got {source!r}") from None


def _arguments(call: ast.Call, source: str) -> Arguments:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        raise _refusal("*", source)
    named = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _refusal("**", source)
        named[keyword.arg] = _value(keyword.value, source)
    return [_value(argument, source) for argument in call.args], named


def _value(node: ast.expr, source: str) -> Any:
    """Return the value of an argument."""
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            entries = [_value(entry, source) for entry in node.elts]
            return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](entries)
        case ast.Dict():
            if None in node.keys:
                raise _refusal("**", source)
            keys = [_value(key, source) for key in node.keys if key is not None]
            return dict(zip(keys, (_value(value, source) for value in node.values), strict=True))
        case ast.Call():
            function = _object(node.func, source)
            args, named = _arguments(node, source)
            return _call(function, args, named, source)
        case ast.Attribute():
            return _object(node, source)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _refusal(ast.unparse(node), source) from None


def _object(node: ast.expr, source: str) -> Any:
    name = _dotted_name(node)
    if name is None or "." not in name:
        raise _refusal(ast.unparse(node), source)
    module, names = split_module(name, source)
    value: Any = importlib.import_module(module)
    for part in names:
        if not hasattr(value, part):
            raise UsageError(f"target: expected a name of {module}, got {name!r} in {source!r}")
        value = getattr(value, part)
    return value


def _call(function: Any, args: list[Any], named: dict[str, Any], source: str) -> Any:
    try:
        return function(*args, **named)
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise TargetError(source, "arguments that can be made", reason) from error


def _dotted_name(node: ast.expr) -> str | None:
    """Return a dotted name, or None if the expression is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := _dotted_name(node.value)) is not None:
        return f"{owner}.{node.attr}"
    return None


def _refusal(got: str, source: str) -> UsageError:
    return UsageError(f"target: expected {EXPECTED} as arguments, got {got!r} in {source!r}")

"""A Python object behind the protocol, in a process of its own: `python -m … module:factory`.

Its own prints go to standard error, and it cannot read the requests.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from .target import NAMED, Answer, answer_of, described

USAGE = 2


def main(text: str) -> int:
    """Answer requests until they end."""
    requests, answers = _private_pipes()
    body = body_of(text)
    if isinstance(body, str):
        print(f"privboost: error: {body}", file=sys.stderr)
        return USAGE
    for line in requests:
        request = json.loads(line)
        answer = answer_of(body, request["op"], request["args"], None)
        answers.write(_line(request["id"], answer))
        answers.flush()
    return 0


def body_of(text: str) -> Any:
    """Return the object that a text names, or, as a text, why there is none."""
    parts = NAMED.fullmatch(text)
    assert parts is not None, text
    path = Path(parts["module"]).expanduser()
    by_file = path.suffix == ".py"
    sys.path.insert(0, str(path.resolve().parent if by_file else Path.cwd()))
    module = path.stem if by_file else parts["module"]
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            return f"target: expected an installed module, found no {error.name!r} for {text!r}"
        return f"target: expected {text!r} to be imported, found {described(error)}"
    for name in parts["name"].split("."):
        if not hasattr(found, name):
            public = ", ".join(sorted(known for known in vars(found) if not known.startswith("_")))
            return f"target: expected a name of {module} ({public}), found {text!r}"
        found = getattr(found, name)
    try:
        body = found() if callable(found) else None
    except Exception as error:
        return f"target: expected {text!r} to make an object, found {described(error)}"
    if not callable(getattr(body, "answer", None)):
        wanted = "a function or class that makes an object with a method answer(op, args)"
        return f"target: expected {wanted}, found a {type(found).__name__} for {text!r}"
    return body


def _line(number: Any, answer: Answer) -> bytes:
    members: dict[str, Any] = {"id": number}
    for kind in ("unsupported", "error", "fault"):
        if getattr(answer, kind) is not None:
            members[kind] = getattr(answer, kind)
    if answer.has_result:
        members["result"] = answer.result
    return (json.dumps(members) + "\n").encode("ascii")


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes of the protocol; what the target takes for them is nothing, and standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

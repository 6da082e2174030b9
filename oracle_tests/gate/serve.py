"""An implementation of this project as a program: `python -m privboost.oracle_tests.gate.serve fast`.

It speaks the gate's protocol, JSON lines on standard input and output, and ends with its input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO

from privboost.errors import UsageError

from .bodies import body_of
from .wire import to_wire

USAGE = 2


def answer_line(body: Any, line: bytes) -> dict[str, Any]:
    """Return the answer to one line; a line that is no request is answered with an error.

    A crash of the body is raised: as an answer it would pass for a refusal.
    """
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return {"id": None, "error": "expected one JSON object per line, found something else"}
    if not isinstance(request, Mapping):
        return {"id": None, "error": f"expected a JSON object, found a {type(request).__name__}"}
    number, op, args = request.get("id"), request.get("op"), request.get("args", {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        return {"id": number, "error": "expected 'op', a text, and 'args', an object"}
    try:
        return {"id": number, "result": to_wire(body.answer(op, args))}
    except NotImplementedError as error:
        return {"id": number, "unsupported": str(error)}
    except ValueError as error:
        return {"id": number, "error": str(error)}


def serve(body: Any, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line, at once, until there are no more."""
    for line in requests:
        answers.write((json.dumps(answer_line(body, line)) + "\n").encode("ascii"))
        answers.flush()


def main(words: list[str]) -> int:
    """Serve the implementation that the only word names."""
    try:
        if len(words) != 1:
            raise UsageError(f"serve: expected fast, reference or faulty:NAME, found {len(words)} words")
        body = body_of(words[0])
    except UsageError as error:
        print(f"privboost: error: {error}", file=sys.stderr)
        return USAGE
    serve(body, sys.stdin.buffer, sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

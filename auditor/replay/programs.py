"""Programs in any language under replay: they ask for every draw on their output, and get its value.

    > {"id": 1, "op": "replay", "args": {"data": [0, 1, 1]}}
    < {"id": 1, "draw": {"site": "release.c:31", "law": "laplace", "parameters": {"scale": 2}}}
    > {"id": 1, "value": -0.25}
    < {"id": 1, "result": 1.75}

docs/audit_protocol.md describes this for authors of programs. The draws are recorded, frozen and moved as
those of Python code are.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.values.failures import EXITED, HUNG, RAISED, failure
from privboost.errors import PreconditionError, TargetError
from privboost.printing import format_value
from privboost.strict_json import parse
from privboost.targets.conversation import DEFAULT_LIMITS, FaultError, FaultKind, Limits, Pipes
from privboost.targets.programs import Program
from privboost.targets.values import from_json_values, to_json_values

from .recording import Drawing, current, inside

PROGRAM_LAWS: dict[str, tuple[str, ...]] = {
    "laplace": ("scale",),
    "normal": ("scale",),
    "exponential": ("scale",),
    "gumbel": ("scale",),
    "logistic": ("scale",),
    "geometric": ("p",),
    "random": (),
}
"""The laws that a program may ask for, and their parameters; geometric draws begin at 1."""

LONGEST_SITE = 200


@dataclass(slots=True)
class AskingProgram:
    """A program that asks for its draws; it is started on the first call, and again after it has ended."""

    program: Program
    limits: Limits = DEFAULT_LIMITS
    _pipes: Pipes | None = None
    _requests: int = 0
    _line: bytes = field(default=b"", repr=False)

    def mechanism(self) -> Mechanism:
        """Return the program as a mechanism, which can be called while a run is recorded."""
        return Mechanism(self.program.name, self.call)

    def call(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one output; all draws are those of the recorder."""
        del rng
        given = json.dumps(to_json_values(data, "data for a command"))
        try:
            return self._converse(given)
        except FaultError as error:
            self.close()
            fault = error.fault
            if fault.kind not in (FaultKind.CRASH, FaultKind.HANG):
                raise TargetError(self.program.name, fault.expected, fault.got) from None
            # Identifiers of requests say nothing about the data.
            got = re.sub(r" to request \d+", "", fault.got)
            return failure(HUNG if fault.kind is FaultKind.HANG else EXITED, fault.kind.value, got)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the program."""
        if self._pipes is not None:
            self._pipes.kill()
            self._pipes = None

    def _converse(self, data: str) -> Any:
        """Send a request, answer its draws, and return its result."""
        seconds = self.limits.answer
        if self._pipes is None or not self._pipes.is_open:
            seconds = self.limits.start
            with inside():
                # To start a program is no part of what it draws.
                self._pipes = Pipes(self.program, self.limits.line)
        self._requests += 1
        self._send(f'{{"id": {self._requests}, "op": "replay", "args": {{"data": {data}}}}}')
        while True:
            members = self._read(seconds)
            if "draw" not in members:
                return self._result(members)
            value = self._draw(members["draw"])
            self._send(json.dumps({"id": self._requests, "value": value}))
            seconds = self.limits.answer

    def _send(self, line: str) -> None:
        assert self._pipes is not None
        self._pipes.send(line.encode("utf-8") + b"\n")

    def _read(self, seconds: float) -> dict[str, Any]:
        """Return the members of the next line, which belongs to the request."""
        assert self._pipes is not None
        self._line = self._pipes.line(self._requests, seconds)
        try:
            members = parse(self._line, "answer").value
        except PreconditionError as error:
            raise self._refuse(f"one JSON object per line ({error.expected})") from None
        if not isinstance(members, dict) or members.get("id") != self._requests:
            raise self._refuse(f"one JSON object per line, with the id {self._requests}")
        kinds = [kind for kind in ("draw", "result", "error", "unsupported") if kind in members]
        if len(kinds) != 1:
            raise self._refuse("one of draw, result, error and unsupported")
        return members

    def _refuse(self, expected: str) -> TargetError:
        return TargetError(self.program.name, expected, f"the line {format_value(self._line)}")

    def _result(self, members: dict[str, Any]) -> Any:
        """Return the output of a call; an error is one."""
        if "unsupported" in members:
            raise TargetError(
                self.program.name,
                "the operation 'replay' (docs/audit_protocol.md#draws)",
                "that the program does not support it",
            )
        if "error" in members:
            return failure(RAISED, "error", str(members["error"]))
        return from_json_values(members["result"])

    def _draw(self, draw: Any) -> float:
        """Return the value of a draw that is asked for."""
        site, law, parameters = self._check_draw(draw)
        recorder = current()
        if recorder is None:
            raise RuntimeError("programs can ask for draws only while a run is recorded")

        def sample(coins: Any) -> float:
            with inside():
                return float(getattr(np.random.default_rng(coins), law)(**parameters))

        return float(recorder.draw(Drawing((site, law), parameters, None, None, sample)))

    def _check_draw(self, draw: Any) -> tuple[str, str, dict[str, float]]:
        """Return the call site, the law and the parameters of a draw."""
        if not isinstance(draw, dict) or not draw.keys() <= {"site", "law", "parameters"}:
            raise self._refuse("a draw with site, law and parameters")
        site, law, parameters = draw.get("site"), draw.get("law"), draw.get("parameters", {})
        if not isinstance(site, str) or not 0 < len(site) <= LONGEST_SITE or not site.isprintable():
            raise self._refuse("a site such as release.c:31")
        if not isinstance(law, str) or law not in PROGRAM_LAWS:
            raise self._refuse(f"one of the laws {', '.join(PROGRAM_LAWS)}")
        if not isinstance(parameters, dict) or parameters.keys() != set(PROGRAM_LAWS[law]):
            raise self._refuse(f"the parameters {', '.join(PROGRAM_LAWS[law]) or '{}'} of {law}")
        numbers = {name: from_json_values(value) for name, value in parameters.items()}
        for name, number in numbers.items():
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            most = 1.0 if name == "p" else math.inf
            if not is_number or not (0 < number <= most if name == "p" else 0 <= number < most):
                raise self._refuse(f"{name}: a number {'in (0, 1]' if name == 'p' else '>= 0'}")
        return site, law, {name: float(number) for name, number in numbers.items()}

"""The table of operations: arguments, ranges, results, labels, tolerances, rules and refusals.

It makes the page docs/gate_protocol.md, the schema of requests, the vectors of refusals and the skeletons.
"""

from __future__ import annotations

from privboost.gate.protocol.hello import HELLO
from privboost.gate.protocol.operation import Operation

from .operations_of_learner import OPERATIONS_OF_LEARNER, OPERATIONS_OF_SAMPLERS
from .operations_of_losses import OPERATIONS_OF_LOSSES
from .operations_of_trees import OPERATIONS_OF_TREES

TABLE = (*OPERATIONS_OF_LOSSES, *OPERATIONS_OF_TREES, *OPERATIONS_OF_SAMPLERS, *OPERATIONS_OF_LEARNER)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in TABLE}
"""Every operation besides `hello`, by name."""
WITH_HELLO = {HELLO.name: HELLO, **OPERATIONS}

"""The statistical auditor of privacy claims about any callable or command.

`audit(mechanism, pair, epsilon=1.0)` calls a mechanism on two neighbouring inputs, guesses from its outputs
which one was used, and turns right guesses into a lower confidence bound on epsilon, valid at every time.
"""

from privboost.errors import TargetError

from .audit import Progress, audit, recheck
from .result import AuditResult, FixedBound, PairResult, Point, Power, Verdict
from .sequential import SequentialTest
from .subject import Pair, Subject
from .verdict import Settings

__all__ = [
    "AuditResult",
    "FixedBound",
    "Pair",
    "PairResult",
    "Point",
    "Power",
    "Progress",
    "SequentialTest",
    "Settings",
    "Subject",
    "TargetError",
    "Verdict",
    "audit",
    "recheck",
]

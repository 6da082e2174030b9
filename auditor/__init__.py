"""Statistical audits of privacy claims, for any Python function or program.

`audit(mechanism, pair, epsilon=1.0)` calls a mechanism on two neighbouring inputs in random order, guesses
from each output which input was used, and turns correct guesses into a lower confidence bound on epsilon. The
bound is valid at every time. `check_stability(function, inputs="vector:10", bound=1)` searches two inputs on
which a deterministic step moves by more than is claimed. `replay(mechanism, pair, epsilon=1.0)` runs both
inputs with the same draws, and says what noise does not hide. `one_run(fit, canaries, score)` bounds epsilon
by one training with many canaries, and `audit_scores(inside, outside)` by scores of such canaries.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from privboost.auditor.betting.wealth import Power
from privboost.auditor.files import saving
from privboost.auditor.files.sentences import explain
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.replay.check import replay
from privboost.auditor.replay.libraries import mark_release
from privboost.auditor.replay.result import (
    FindingKind,
    PairReplay,
    RecordReplayResult,
    ReplayFinding,
    ReplayVerdict,
)
from privboost.auditor.running.calling import Progress
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.sequential import SequentialTest
from privboost.errors import TargetError

from .audit import audit
from .claims import PrivacyClaim, parse_claim
from .estimator_audit import audit_estimator
from .result import WRITERS, AuditResult, FixedBound, PairResult, Point, Verdict
from .run import recheck

if TYPE_CHECKING:
    from privboost.auditor.canaries.check import audit_scores, one_run
    from privboost.auditor.canaries.result import OneRunResult
    from privboost.auditor.stability.check import check_stability
    from privboost.auditor.stability.result import ComparedPair, StabilityResult, StabilityVerdict

__all__ = [
    "AuditPlan",
    "AuditResult",
    "ComparedPair",
    "FindingKind",
    "FixedBound",
    "Mechanism",
    "OneRunResult",
    "Pair",
    "PairReplay",
    "PairResult",
    "Point",
    "Power",
    "PrivacyClaim",
    "Progress",
    "RecordReplayResult",
    "ReplayFinding",
    "ReplayVerdict",
    "SequentialTest",
    "StabilityResult",
    "StabilityVerdict",
    "TargetError",
    "Verdict",
    "audit",
    "audit_estimator",
    "audit_scores",
    "check_stability",
    "explain",
    "mark_release",
    "one_run",
    "parse_claim",
    "recheck",
    "replay",
]

_LOADED_LATER = {
    "canaries.check": ("audit_scores", "one_run"),
    "canaries.result": ("OneRunResult",),
    "stability.check": ("check_stability",),
    "stability.result": ("ComparedPair", "StabilityResult", "StabilityVerdict"),
}
"""Names that an audit does not need, by their modules."""

# Results stand below the files that show them.
WRITERS.update(saving.WRITERS)


def __getattr__(name: str) -> Any:
    """Return a public name whose module is loaded when the name is used."""
    for module, names in _LOADED_LATER.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

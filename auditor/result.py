"""The result of an audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from privboost.auditor.betting.wealth import Power
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.columns import UnmatchedPart
from privboost.auditor.values.events import Event
from privboost.errors import PreconditionError
from privboost.files import write_files

from .claims import PrivacyClaim
from .numbers import format_bound


class Verdict(StrEnum):
    """The three answers of an audit; none of them says that a mechanism is private."""

    VIOLATION = "VIOLATION"
    """The claim is refuted, up to the stated error probability."""
    CONSISTENT = "CONSISTENT"
    """The claim was not refuted, by a run that would have caught a violation of the stated size."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """The run was too short, or the outputs could not be tested completely."""


class Sight(StrEnum):
    """What a few calls on the inputs of a pair show, the most suspicious first; none of them is a verdict."""

    FAILURE = "failure"
    """An error, an end of the process or a timeout on one side only."""
    TYPE = "type"
    """Outputs of another type."""
    ENTRIES = "entries"
    """Another number of entries, or other keys."""
    NOT_FINITE = "not_finite"
    """NaN or an infinity on one side only."""
    CONSTANT = "constant"
    """A number without noise, where other inputs have some."""
    FAR = "far"
    """Values farther apart than noise of the claim's size explains."""
    NOTHING = "nothing"
    REFUSED = "refused"
    """Both inputs fail."""


@dataclass(frozen=True, slots=True)
class Required:
    """What a run has to catch to be CONSISTENT, and how many calls would do."""

    factor: float
    """The multiple of the claim that has to be caught."""
    epsilon: float
    """The log odds of the sides on an event, under this multiple of the claim."""
    share: float
    """The share of the calls on which the event is seen."""
    met: bool = True
    """Whether the run would have caught it."""
    calls: int | None = None
    """If it would not: the number of calls that do, over all pairs; None if it is too great to name."""
    calls_on_one_pair: int | None = None
    """The same for an audit of one pair."""


@dataclass(frozen=True, slots=True)
class NoiselessPart:
    """A part of the outputs that has one value on all calls of the left side and another on the right one."""

    name: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class SharedNoise:
    """Two numbers of the outputs that both vary, with the same difference on all calls of one side."""

    first: str
    second: str
    side: str


@dataclass(frozen=True, slots=True)
class Point:
    """The state of the test of one pair after some calls."""

    calls: int
    bound: float
    """The lower confidence bound on the parameter of the claim; 0 carries no information."""
    log_wealth: float
    """Natural logarithm of the wealth against the claim; the claim is refuted at log(1 / error)."""


@dataclass(frozen=True, slots=True)
class FixedBound:
    """The cross-check: an event chosen on the first part of the calls and counted on the rest."""

    events: tuple[Event, ...]
    """The outputs on which a side is guessed, left first."""
    right: int
    wrong: int
    bound: float
    exceeds: bool = False
    """Whether the bound is above a claim that the test does not refute."""
    decided_after: int | None = None
    """If it is: calls on the pair that refute the claim if the event keeps its odds; None if too many."""


@dataclass(frozen=True, slots=True)
class CellCount:
    """How often each side gave an output in one cell of the guesser's partition."""

    event: Event
    left: int
    right: int

    @property
    def guess(self) -> int:
        """Return the side that is guessed: -1 for left, 1 for right, 0 for neither."""
        return self.event.side


@dataclass(frozen=True, slots=True)
class FailedCalls:
    """How often each side raised an error, ended its process or did not answer, in one way."""

    text: str
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result on one pair."""

    pair: Pair
    error: float
    """The error probability allotted to this pair."""
    curve: tuple[Point, ...] = field(repr=False)
    cells: tuple[CellCount, ...] = field(repr=False)
    """The partition at the end of the run: the one used against the claim if it is refuted, else against the
    bound. Ordered partitions are in order; others have the cells that differ most first."""
    fixed: FixedBound | None
    failures: tuple[FailedCalls, ...] = ()
    """Calls without an output, by what happened, most frequent first."""
    refuted: bool = False
    """Whether the claim is refuted on this pair."""
    note: str = ""
    """What was not tested of the outputs."""
    n_stuck: int = 0
    """Number of outputs if all of them are one number with many digits, and 0 if they are not."""
    side_calls: tuple[int, int] = (0, 0)
    """Number of calls on the left and on the right input that are counted in the cells."""
    shared_noise: SharedNoise | None = None
    """Numbers of the outputs that seem to share their noise, if the claim is refuted."""
    constant: tuple[str, ...] = ()
    """The sides, "left" or "right", on which every call gave the same output, if the claim is refuted."""
    noiseless: tuple[NoiselessPart, ...] = ()
    """Parts of the outputs that differ without noise although other parts vary, if the claim is refuted."""
    projected: tuple[int, float] | None = None
    """If a claim is refuted without a wrong guess: a number of calls, and the bound if none ever is."""

    @property
    def calls(self) -> int:
        """Return the number of calls, both sides together."""
        return self.curve[-1].calls if self.curve else 0

    @property
    def bound(self) -> float:
        """Return the lower confidence bound on the parameter of the claim at the end."""
        return self.curve[-1].bound if self.curve else 0.0

    @property
    def log_e_value(self) -> float:
        """Return the natural logarithm of the wealth against the claim at the end."""
        return self.curve[-1].log_wealth if self.curve else 0.0


@dataclass(frozen=True, slots=True)
class TriedPair:
    """A pair of described inputs on which a few calls were made, and what they show."""

    pair: Pair
    sight: Sight
    left: str = ""
    right: str = ""
    """An output of each side."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The pairs of described inputs that were tried, from which those of the audit were chosen."""

    inputs: str
    """The description of the inputs."""
    relation: str
    """The neighbouring relation of the pairs."""
    pairs: tuple[TriedPair, ...]
    calls: int
    """Number of calls by which pairs were chosen; no test uses them."""
    untried: int = 0
    """Number of pairs of the list that were not tried: the claim was refuted before, or there was no time."""
    search_budget: int = 0
    """Greatest number of calls of the search among them; 0 if there was no search."""
    smallest: AuditResult | None = None
    """The test of the smallest pair that shows the violation, on coins of its own."""
    shrinking_calls: int = 0
    """Number of calls by which the smallest pair was looked for."""
    beyond: tuple[TriedPair, ...] = ()
    """Pairs with an input that is not as described; they do not affect the verdict."""
    beyond_tests: tuple[AuditResult, ...] = ()
    """Tests of the worst of them, each with an error probability of its own."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the classes of the pairs that were tried, each once."""
        return tuple(dict.fromkeys(key for tried in self.pairs for key in tried.pair.classes))

    def classes_of(self, name: str) -> tuple[str, ...]:
        """Return the classes of the pair of a name; none if there is no such pair."""
        pairs = (tried.pair for tried in (*self.pairs, *self.beyond))
        return next((pair.classes for pair in pairs if pair.name == name), ())


Writers: TypeAlias = Mapping[str, Callable[[Any], str]]
"""How a result is written, by the ending of a file."""

WRITERS: dict[str, Callable[[], Writers]] = {}
"""What loads the writers of a class of results, by its name."""

FRAGMENT = "fragment"
"""The writer of a part of a page, for notebooks."""


class Reported:
    """A result that is printed as its report, shown by a notebook and saved as a file."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the report."""
        return WRITERS[type(self).__name__]()[".txt"](self).rstrip("\n")

    def _repr_html_(self) -> str:
        return WRITERS[type(self).__name__]()[FRAGMENT](self)

    def save(self, path: Path | str) -> None:
        """Write the report to a file, by its ending: .html (a page), .json or .txt.

        Ensures: PreconditionError for another ending; UsageError if the file cannot be written.
        """
        writers, file = WRITERS[type(self).__name__](), Path(path)
        if file.suffix not in writers:
            endings = ", ".join(ending for ending in writers if ending != FRAGMENT)
            raise PreconditionError("path", f"a file that ends in {endings}", str(path))
        write_files(file.parent, {file.name: writers[file.suffix](self).encode("utf-8")})


@dataclass(frozen=True, slots=True)
class AuditResult(Reported):
    """The verdict on a claim, with the results on all pairs.

    `print(result)` prints the report, a notebook shows it with its plots, and `result.save("report.html")`
    writes it.
    """

    target: str
    claim: PrivacyClaim
    confidence: float
    seed: int
    verdict: Verdict
    pairs: tuple[PairResult, ...]
    power: tuple[Power, ...]
    interrupted: bool = False
    seconds: float = 0.0
    cut_short: str = ""
    """Why the calls ended early, if not by an interrupt: the workers died, or the cluster is gone."""
    left_out: tuple[str, ...] = ()
    """Pairs that were not tested, each with the reason."""
    relation: str | None = None
    """The neighbouring relation that the target states for its claim."""
    confirmation: AuditResult | None = None
    """The result of a repetition on fresh coins, if there was one."""
    promise: str = ""
    """What the documentation of the target says about its claim."""
    envelope: tuple[tuple[float, float], ...] = ()
    """Points (epsilon, delta) below the curve delta(epsilon), all at once with the stated confidence."""
    required: Required | None = None
    """What the run had to catch to be CONSISTENT."""
    tried: Tried | None = None
    """If inputs are described: the pairs that were tried."""
    rest: AuditResult | None = None
    """The result of a second audit that ignores the parts of the outputs that differ without noise."""
    ignored: tuple[str, ...] = ()
    """Parts of the outputs that were not tested."""
    shared_by: int | None = None
    """The number of pairs that share calls and error probability, if it is not that of the tested ones."""
    unmatched: tuple[UnmatchedPart, ...] = ()
    """Parts that were to be ignored and that no output has."""
    seeded: bool | None = None
    """Whether the target gives the same outputs again with the same seed; None if that is not known."""

    @property
    def bound(self) -> float:
        """Return the greatest bound over pairs; it holds with the stated confidence for all pairs at once."""
        return max((entry.bound for entry in self.pairs), default=0.0)

    @property
    def contested(self) -> tuple[PairResult, ...]:
        """Return the pairs on which the cross-check exceeds a claim that the test does not refute."""
        return tuple(entry for entry in self.pairs if entry.fixed is not None and entry.fixed.exceeds)

    @property
    def deciding_calls(self) -> int | None:
        """Return the number of calls, over all pairs, that should decide; None if it is not known."""
        if self.required is not None and not self.required.met:
            return self.required.calls
        after = [entry.fixed.decided_after for entry in self.contested if entry.fixed is not None]
        known = [calls for calls in after if calls is not None]
        return (
            (self.shared_by or len(self.pairs)) * max(known) if known and len(known) == len(after) else None
        )

    @property
    def noiseless(self) -> tuple[NoiselessPart, ...]:
        """Return the parts of the outputs that differ without noise on some pair, each once."""
        parts = {part.name: part for entry in reversed(self.pairs) for part in entry.noiseless}
        return tuple(parts[name] for name in sorted(parts))

    @property
    def calls(self) -> int:
        """Return the number of calls over all pairs."""
        return sum(entry.calls for entry in self.pairs)

    def __repr__(self) -> str:
        return (
            f"<AuditResult {self.verdict}: {self.target}, claim {self.claim.spelling}, "
            f"bound {format_bound(self.bound, self.claim.value)}, {self.calls} calls>"
        )

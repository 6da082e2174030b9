"""What triage sees of an output: its form, which noise rarely changes, and its numbers.

Forms are compared exactly. Numbers are compared in units of their noise: two outputs of calls with the same
generator share their noise if the mechanism takes it from there, so that they differ by what the data change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from privboost.auditor.result import Sight
from privboost.auditor.values.columns import Column, ColumnKind, Leaves, Path
from privboost.auditor.values.failures import failure_string
from privboost.auditor.values.tagged_json import output_to_json
from privboost.printing import truncate

FORMS = frozenset({Sight.FAILURE, Sight.TYPE, Sight.ENTRIES, Sight.NOT_FINITE})
"""What differs in the form of outputs."""

FAR = 20.0
"""Outputs are far apart if they differ by this multiple of epsilon, in units of their noise; of Laplace noise
whose scale fits the claim they differ by epsilon at most."""

LEAST_SHARE = 1 / 8
"""Share of the noise of other inputs below which that of an input is not believed: it has few outputs."""

MOST_NUMBERS = 256
"""Maximum number of columns of an output whose numbers are compared."""

FEW = 0.15
"""Share of inputs with a constant number up to which a column varies, so that a constant is suspicious."""

LONGEST_SHOWN = 60

_FORMS = (
    ColumnKind.NUMBER,
    ColumnKind.NONE,
    ColumnKind.EMPTY,
    ColumnKind.LENGTH,
    ColumnKind.STRING,
    ColumnKind.OPAQUE,
)
_NUMBERS = (ColumnKind.NUMBER, ColumnKind.NUMBER_IN_STRING)


Specials = frozenset[tuple[Column, str]]
"""Where NaN and infinities stand."""


@dataclass(frozen=True, slots=True)
class Look:
    """One output, as triage reads it."""

    failure: tuple[str, str] | None
    """The kind and the name of the error of a failed call."""
    forms: dict[Path, tuple[ColumnKind, int]]
    """What stands at each path, with the length of a list."""
    special: Specials
    """Where NaN and infinities stand."""
    numbers: dict[Column, float]
    strings: dict[Column, str]
    shown: str


Looks = Sequence[Look]
Noise = Mapping[Column, float]
"""By how much numbers vary between calls on one input, by column."""


@dataclass(frozen=True, slots=True)
class Typical:
    """The noise of typical inputs."""

    noise: Noise
    varied: frozenset[Column] = frozenset()
    """Columns in which nearly no input has a constant number."""
    unsteady: Specials = frozenset()
    """NaN and infinities that only some calls on one input have: those that noise makes."""


def look_at(output: Any) -> Look:
    """Return what triage reads of a plain output."""
    failed = failure_string(output)
    if failed is not None:
        return Look(
            (output["failed"], output["error"]), {}, frozenset(), {}, {}, truncate(failed, LONGEST_SHOWN)
        )
    forms: dict[Path, tuple[ColumnKind, int]] = {}
    special: set[tuple[Column, str]] = set()
    numbers: dict[Column, float] = {}
    strings: dict[Column, str] = {}
    for column, value in Leaves().of((), output):
        if column.kind in _FORMS and column.of is None:
            forms[column.path] = (column.kind, value if column.kind is ColumnKind.LENGTH else 1)
        if column.kind is ColumnKind.STRING:
            strings[column] = value
        elif column.kind in _NUMBERS and len(numbers) < MOST_NUMBERS:
            number = _to_float(value)
            if math.isfinite(number):
                numbers[column] = number
            else:
                special.add((column, str(number)))
    shown = truncate(str(output_to_json(output)), LONGEST_SHOWN)
    return Look(None, forms, frozenset(special), numbers, strings, shown)


def _to_float(value: Any) -> float:
    """Return a number as a float; one beyond their range as the greatest, since it is not infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.nextafter(math.inf, 0), 1 if value > 0 else -1)


def compare_forms(left: Look, right: Look, unsteady: Specials = frozenset()) -> Sight:
    """Return what differs in the forms of two outputs, but for what noise makes."""
    if left.failure is not None and right.failure is not None:
        return Sight.REFUSED
    if left.failure != right.failure:
        return Sight.FAILURE
    if any(left.forms[path][0] != right.forms[path][0] for path in left.forms.keys() & right.forms.keys()):
        return Sight.TYPE
    if left.forms != right.forms:
        return Sight.ENTRIES
    return Sight.NOT_FINITE if (left.special ^ right.special) - unsteady else Sight.NOTHING


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the outputs of a pair show."""

    sight: Sight
    score: float
    """The difference of the numbers in units of their noise."""
    left: str = ""
    right: str = ""
    """An output of each side."""

    @property
    def rank(self) -> tuple[int, float]:
        """Return a key by which pairs are sorted, the most suspicious first."""
        return list(Sight).index(self.sight), -self.score


def compare(left: Looks, right: Looks, typical: Typical, epsilon: float) -> Comparison:
    """Return what the outputs of two inputs show, of calls with the same generators in the same order.

    What differs in form differs between all outputs of the two sides.
    """
    shown = left[0].shown, right[0].shown
    sights = {compare_forms(own, other, typical.unsteady) for own in left for other in right}
    if sights <= FORMS:
        return Comparison(compare_forms(left[0], right[0], typical.unsteady), math.inf, *shown)
    if Sight.REFUSED in sights:
        return Comparison(Sight.REFUSED, 0.0, *shown)
    noises, score, constant = [noise_of(looks) for looks in (left, right)], 0.0, False
    for column, usual in typical.noise.items():
        distance = _distance(left, right, column)
        own = min(noise.get(column, usual) for noise in noises) if len(left) > 1 else usual
        scale = max(own, LEAST_SHARE * usual)
        score += distance / scale if scale else math.inf if distance else 0.0
        constant = constant or (not own and bool(distance) and column in typical.varied)
    if constant:
        return Comparison(Sight.CONSTANT, score, *shown)
    far = len(left) > 1 and score >= FAR * max(epsilon, 1.0)
    return Comparison(Sight.FAR if far else Sight.NOTHING, score, *shown)


def noise_of(looks: Looks) -> Noise:
    """Return by how much the numbers of outputs vary: the mean distance from the median, by column."""
    values: dict[Column, list[float]] = {}
    for look in looks:
        for column, number in look.numbers.items():
            values.setdefault(column, []).append(number)
        for column, string in look.strings.items():
            # Strings that differ count as numbers at distance 1.
            values.setdefault(column, []).append(float(string != looks[0].strings.get(column)))
    return {column: _deviation(numbers) for column, numbers in values.items()}


def spread_of(looks: Looks) -> Noise:
    """Return by how much the numbers of outputs of different inputs vary, few of which may be extreme."""
    middles = noise_of(looks)
    values: dict[Column, list[float]] = {column: [] for column in middles}
    for look in looks:
        for column, number in look.numbers.items():
            values[column].append(number)
    medians = {column: median(own) if own else 0.0 for column, own in values.items()}
    spreads = {
        column: median(abs(number - medians[column]) for number in own) if own else 0.0
        for column, own in values.items()
    }
    return {column: spreads[column] or middles[column] for column in middles}


def typical_noise(inputs: Sequence[Looks]) -> Typical:
    """Return the median of the noise of some inputs, by column; the mean where the median is 0."""
    noises = [noise_of(looks) for looks in inputs]
    columns = {column for noise in noises for column in noise}
    by_column = {column: [noise[column] for noise in noises if column in noise] for column in columns}
    return Typical(
        {column: median(own) or sum(own) / len(own) for column, own in by_column.items()},
        frozenset(column for column, own in by_column.items() if own.count(0.0) <= FEW * len(own)),
        frozenset().union(*map(_find_unsteady, inputs)),
    )


def _find_unsteady(looks: Looks) -> Specials:
    """Return the NaN and infinities that some outputs of one input have, and others have not."""
    specials = [look.special for look in looks]
    return frozenset.union(*specials) - frozenset.intersection(*specials)


def _deviation(numbers: Sequence[float]) -> float:
    middle = median(numbers)
    return min(sum(abs(number - middle) / len(numbers) for number in numbers), math.nextafter(math.inf, 0))


def _distance(left: Looks, right: Looks, column: Column) -> float:
    """Return the median difference of a number, or of a string, between calls with the same generator."""
    differences = [
        abs(own.numbers[column] - other.numbers[column])
        if column in own.numbers and column in other.numbers
        else float(own.strings.get(column) != other.strings.get(column))
        for own, other in zip(left, right, strict=True)
    ]
    return median(differences)

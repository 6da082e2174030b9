"""Known failures: a file that the tested project owns, one id of a check or pattern per line.

    # The logarithm has base e until version 2.
    values/bayes_risk/loss=log*
    learner/train/as_printed          # not ours

An entry that matches nothing, or whose checks do not fail, is a failure itself: the file must not rot.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from privboost.errors import UsageError

from .check import Outcome, Status


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One line of the file."""

    pattern: str
    line: int

    def matches(self, check: str) -> bool:
        """Return whether a check is meant; an id means itself, whatever characters it has."""
        return check == self.pattern or fnmatchcase(check, self.pattern)

    def may_match(self, check: str) -> bool:
        """Return whether a check, or some case of it, whose id goes on after a slash, could be meant."""
        case = f"{check}/"
        beginnings = (self.pattern[:end] for end in range(len(self.pattern) + 1))
        of_case = self.pattern.startswith(case) or any(fnmatchcase(case, start) for start in beginnings)
        return of_case or self.matches(check)


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry that should go, and why."""

    entry: KnownFailure
    reason: str


def read_xfails(path: Path) -> tuple[KnownFailure, ...]:
    """Return the entries of a file."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--xfails: expected a text file, found '{path}' ({reason})") from None
    return parse_xfails(text)


def parse_xfails(text: str) -> tuple[KnownFailure, ...]:
    """Return the entries of a text; a `#` at the start of a line or after a space begins a comment."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return tuple(KnownFailure(line, number) for number, line in enumerate(lines, start=1) if line)


def expected_ids(entries: Collection[KnownFailure], outcomes: Iterable[Outcome]) -> frozenset[str]:
    """Return the ids of the cases that fail as the file says."""
    bad = [outcome.check for outcome in outcomes if outcome.is_bad]
    return frozenset(check for check in bad if any(entry.matches(check) for entry in entries))


def stale_entries(
    entries: Collection[KnownFailure], outcomes: Collection[Outcome], unasked: Collection[str]
) -> tuple[Stale, ...]:
    """Return the entries that match nothing or no failure.

    Requires: `unasked` are the checks that were not run; an entry that may match a case of one is left alone.
    """
    found = []
    for entry in entries:
        matched = [outcome for outcome in outcomes if entry.matches(outcome.check)]
        if not matched and not any(entry.may_match(check) for check in unasked):
            found.append(Stale(entry, "matches no check; --list and the JSON report have the ids"))
        elif matched and not any(outcome.is_bad for outcome in matched):
            passed = sum(outcome.status is Status.PASS for outcome in matched)
            found.append(
                Stale(entry, f"nothing fails any more: {passed} pass, {len(matched) - passed} skipped")
            )
    return tuple(found)

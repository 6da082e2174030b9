"""Known failures: a file owned by the tested project, with one id or pattern per line.

    # The logarithm has base e until version 2.
    values/bayes_risk/loss=log*
    learner/train/as_printed          # not ours

The comment directly above an entry, or else after it, is its note: reports of known failures repeat it.
An entry that matches nothing, or only cases that do not fail, is a failure itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from privboost.errors import UsageError
from privboost.files import read_file

from .check import Outcome, Status

LEVEL = re.compile(r"[a-z]+/")
"""The beginning of an entry. A wildcard there would hide failures of every level, also new ones."""

COMMENT = re.compile(r"(?:^|(?<=\s))#")
LONGEST, MOST_ENTRIES = 500, 10_000
"""Maximum length of an entry, and maximum number of entries, which bound the time to match them."""
LARGEST = 1 << 24
"""Maximum size of a file, in bytes."""


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One entry of the file: an id, or a pattern with wildcards."""

    pattern: str
    line: int
    note: str = ""
    """The comment above the entry, or after it."""

    def matches(self, check: str) -> bool:
        """Return whether the entry matches an id; an id always matches itself, even with wildcards in it."""
        return check == self.pattern or _compile(self.pattern).match(check) is not None

    def may_match(self, check: str) -> bool:
        """Return whether the entry could match a check or a case, whose id is `check` and a suffix."""
        case = f"{check}/"
        return self.pattern.startswith(case) or _has_beginning_for(self.pattern, case) or self.matches(check)


@lru_cache(maxsize=MOST_ENTRIES)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def _has_beginning_for(pattern: str, string: str) -> bool:
    """Return whether a beginning of the pattern matches a string, in time proportional to both lengths."""
    tokens = _tokens(pattern)
    positions = {0}
    for character in string:
        for position, token in enumerate(tokens):
            # A star may stand for nothing.
            if token == "*" and position in positions:
                positions.add(position + 1)
        positions = {
            position + (tokens[position] != "*")
            for position in positions
            if position < len(tokens) and _fits(tokens[position], character)
        }
    return bool(positions)


def _tokens(pattern: str) -> list[str]:
    """Return the characters of a pattern, and its character classes such as [ab] as one item each."""
    tokens, position = [], 0
    while position < len(pattern):
        start, end = position, -1
        if pattern[start] == "[":
            first = start + 1 + (pattern[start + 1 : start + 2] == "!")
            end = pattern.find("]", first + 1)
        position = end + 1 if end >= 0 else start + 1
        tokens.append(pattern[start:position])
    return tokens


def _fits(token: str, character: str) -> bool:
    if len(token) > 1:
        return _compile(token).match(character) is not None
    return token in ("*", "?", character)


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry that should be removed, and why."""

    entry: KnownFailure
    reason: str


def read_xfails(path: Path) -> tuple[KnownFailure, ...]:
    """Return the entries of a file."""
    try:
        content = read_file(path, LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"expected a text file, got '{path}' ({reason})", argument="xfails") from None
    return parse_xfails(content)


def parse_xfails(content: str) -> tuple[KnownFailure, ...]:
    """Return the entries of a string; a `#` at the start of a line or after a space starts a comment."""
    entries = tuple(_entries(content))
    if len(entries) > MOST_ENTRIES:
        raise UsageError(f"expected at most {MOST_ENTRIES} entries, got {len(entries)}", argument="xfails")
    for entry in entries:
        if len(entry.pattern) > LONGEST:
            expected = f"an id or a pattern of at most {LONGEST} characters"
            raise _refusal(entry, f"expected {expected}, got {len(entry.pattern)}")
        if not LEVEL.match(entry.pattern):
            expected = "an id, or a pattern that begins with a level, such as values/link/*"
            raise _refusal(entry, f"expected {expected}, got '{entry.pattern}'")
    return entries


def _entries(content: str) -> Iterator[KnownFailure]:
    """Yield the entries; entries without a line between them have the comment above them in common."""
    above: list[str] = []
    ended = True
    for index, line in enumerate(content.splitlines(), start=1):
        pattern, comment = COMMENT.split(line, 1) if COMMENT.search(line) else (line, "")
        if pattern.strip():
            yield KnownFailure(pattern.strip(), index, " ".join(above) or comment.strip())
            ended = True
        elif comment.strip():
            above = [comment.strip()] if ended else [*above, comment.strip()]
            ended = False
        else:
            above = []


def _refusal(entry: KnownFailure, message: str) -> UsageError:
    return UsageError(f"line {entry.line}: {message}", argument="xfails")


def hidden_counts(
    entries: Iterable[KnownFailure], outcomes: Iterable[Outcome]
) -> tuple[tuple[KnownFailure, int], ...]:
    """Return the patterns that match several failed cases, with their number."""
    failed = [outcome.check for outcome in outcomes if outcome.is_bad]
    counts = ((entry, sum(map(entry.matches, failed))) for entry in entries)
    return tuple((entry, count) for entry, count in counts if count > 1)


def expected_ids(entries: Collection[KnownFailure], outcomes: Iterable[Outcome]) -> frozenset[str]:
    """Return the ids of the failed cases that the file lists."""
    failed = [outcome.check for outcome in outcomes if outcome.is_bad]
    return frozenset(check for check in failed if any(entry.matches(check) for entry in entries))


def stale_entries(
    entries: Collection[KnownFailure], outcomes: Collection[Outcome], unasked: Collection[str]
) -> tuple[Stale, ...]:
    """Return the entries that match nothing, or no failed case.

    Requires: `unasked` holds the ids of checks that were not run; entries that may match them are not stale.
    """
    stale = []
    for entry in entries:
        matched = [outcome for outcome in outcomes if entry.matches(outcome.check)]
        if not matched and not any(entry.may_match(check) for check in unasked):
            stale.append(Stale(entry, "matches no check; the list of checks has the ids"))
        elif matched and not any(outcome.is_bad for outcome in matched):
            passed = sum(outcome.status is Status.PASS for outcome in matched)
            stale.append(
                Stale(entry, f"no matching case fails: {passed} pass, {len(matched) - passed} skipped")
            )
    return tuple(stale)

"""The options of `privboost audit`, and what they choose: the claim and the pairs."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_output, add_workers, seed, whole_number
from privboost.errors import PreconditionError, UsageError

if TYPE_CHECKING:
    from privboost.auditor.mechanisms.known_loss import Claimed
    from privboost.auditor.pairs.pair import Pair

DEFAULT_CONFIDENCE = 0.95
DEFAULT_CALLS, DEFAULT_SECONDS = 100_000, 45.0
"""Whichever is reached first, where nothing else is asked for: a minute on a laptop, report included."""

DEFAULT_TIMEOUT = 30.0
"""Seconds without an answer after which a target is given up: fewer than a run takes by default."""

MOST_CALLS = 10_000_000
GREATEST_CLAIM = 16
"""As `auditor.betting.GREATEST_NULL`, which is not imported for a help text."""

EPILOG = """
TARGET is module:function or file.py:function, called with (data, rng); cmd:PROGRAM, which speaks JSON lines;
fast:PROTOCOL or reference:NAME, the learners here; bank:NAME or broken:NAME, mechanisms of known privacy.

Exit codes: 0 CONSISTENT, 1 VIOLATION, 2 bad command line, 3 privboost is broken, 4 INCONCLUSIVE or a target
that cannot be audited, 130 interrupted (Ctrl-C) before a violation was found; the bound so far is printed.
With --replay: 0 the file states what its outputs give, 1 it does not. With --rerun as well TARGET has to be
given, and to be the one in the file, since a file may name any program.
"""

_REAL = re.compile(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?|\d+/\d*[1-9]\d*", re.ASCII | re.IGNORECASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG.strip()
    parser.add_argument("target", nargs="?", metavar="TARGET", help="what to audit")
    parser.add_argument(
        "--epsilon",
        type=_real(0, GREATEST_CLAIM),
        metavar="E",
        help=f"the claim, from 0 to {GREATEST_CLAIM} (default: the target's own)",
    )
    parser.add_argument(
        "--delta", type=_real(0, 1), default=0.0, metavar="D", help="of the claim (default 0)"
    )
    parser.add_argument(
        "--confidence",
        type=_real(0, 1),
        default=DEFAULT_CONFIDENCE,
        metavar="C",
        help="of the bound, for all pairs together (default 0.95)",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--calls",
        type=whole_number(1, MOST_CALLS),
        metavar="N",
        help=f"of all pairs and both sides together (default: {DEFAULT_CALLS}, or {DEFAULT_SECONDS:.0f} s)",
    )
    length.add_argument(
        "--minutes", type=_real(0, 100_000, above=True), metavar="M", help="call for so long instead"
    )
    parser.add_argument(
        "--timeout",
        type=_real(0, 1_000_000, above=True),
        default=DEFAULT_TIMEOUT,
        metavar="S",
        help=f"seconds without an answer after which a target is given up (default {DEFAULT_TIMEOUT:.0f})",
    )
    parser.add_argument("--no-stop", action="store_true", help="go on after a violation, for a better bound")
    _add_pair_arguments(parser)
    add_workers(parser, 1, "call")
    parser.add_argument(
        "--seed", type=seed, metavar="S", help="fix sides and streams (default: from the system)"
    )
    parser.add_argument("--low-bits", action="store_true", help="look at the lowest bits of floats too")
    add_output(parser, required=False)
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="recompute the bound of a witness file instead"
    )
    parser.add_argument(
        "--rerun", action="store_true", help="with TARGET and --replay: call the target again as well"
    )


def _add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--relation",
        choices=("exchange", "add_remove"),
        help="use pairs of this relation only (default: all)",
    )
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="a JSON file with pairs of inputs")
    parser.add_argument(
        "--pattern",
        type=_pattern,
        action="append",
        metavar="vector:N",
        help="the usual pairs of N query answers; histogram:N for counts of N cells",
    )
    parser.add_argument(
        "--search",
        type=whole_number(1, MOST_CALLS),
        metavar="N",
        help="choose the most telling pair by N calls of their own, then audit that one alone",
    )


def chosen_pairs(options: argparse.Namespace, target: Claimed) -> tuple[Pair, ...]:
    """Return the pairs to audit: those that were asked for, else those of the target."""
    from privboost.auditor.pairs.file import pairs_from_file
    from privboost.auditor.pairs.patterns import vector_pairs

    relation = options.relation or "exchange"
    try:
        given = pairs_from_file(options.pairs) if options.pairs else ()
        for kind, length in options.pattern or ():
            given += vector_pairs(length, relation, histogram=kind == "histogram")
    except PreconditionError as error:
        raise UsageError(f"--{'pairs' if options.pairs else 'pattern'}: {error}") from None
    found = given or target.pairs
    if not found:
        wanted = (
            "neighbouring inputs to tell apart; give --pattern vector:N, or --pairs FILE with a list such as"
        )
        example = '[{"name": "one row", "left": [0, 1], "right": [1, 1]}]'
        raise UsageError(f"{options.target} brings no pairs: expected {wanted} {example}")
    chosen = tuple(pair for pair in found if options.relation in (None, pair.relation))
    if not chosen:
        has = ", ".join(sorted({pair.relation for pair in found}))
        raise UsageError(f"--relation: expected one that a pair has ({has}), got {options.relation}")
    return chosen


def searched_pairs(
    options: argparse.Namespace, target: Claimed, pairs: tuple[Pair, ...], executor: Executor | None
) -> tuple[Pair, ...]:
    """Return the most telling of some pairs, by calls that the audit does not see."""
    from privboost.auditor.running.search import search

    if not options.search:
        return pairs
    if len(pairs) == 1:
        print("privboost: --search is left out: there is one pair, and nothing to choose", file=sys.stderr)
        options.search = None
        return pairs
    print(
        f"privboost: searching among {len(pairs)} pairs with {options.search:,} calls of their own",
        file=sys.stderr,
    )
    try:
        (best,) = search(
            target.mechanism,
            pairs,
            options.search,
            options.seed,
            epsilon=options.epsilon,
            delta=options.delta,
            low_bits=options.low_bits,
            executor=executor,
        )
    except PreconditionError as error:
        raise UsageError(f"--search: {error}") from None
    return (best.pair,)


def claim_of(options: argparse.Namespace, target: Claimed) -> float:
    """Return the claim that was asked for, else that of the target."""
    found = target.epsilon if options.epsilon is None else options.epsilon
    if found is None:
        raise UsageError(f"--epsilon: expected the claim to audit, since {options.target} states none")
    return float(found)


def check_settings(options: argparse.Namespace) -> None:
    """Refuse a claim or a confidence that no test takes."""
    from privboost.auditor import Settings

    try:
        Settings(options.epsilon, options.delta, options.confidence)
    except PreconditionError as error:
        raise UsageError(f"--{error}") from None


def _real(least: int, most: int, *, above: bool = False) -> Callable[[str], float]:
    """Return a reader of numbers such as 0.1, 3/8 and 1e-6 in a range, of which the least may be left out."""

    def read(text: str) -> float:
        number = Fraction(text) if len(text) <= 60 and _REAL.fullmatch(text) else None
        if number is None or not least <= number <= most or (above and number == least):
            expected = f"a number {'above' if above else 'from'} {least} to {most} such as 0.1, 3/8 or 1e-6"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{text}'")
        return float(number)

    return read


def _pattern(text: str) -> tuple[str, int]:
    kind, _, length = text.partition(":")
    if kind not in {"vector", "histogram"} or not re.fullmatch(r"[1-9]\d{0,3}", length, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected vector:N or histogram:N, got '{text}'")
    return kind, int(length)

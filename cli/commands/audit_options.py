"""Options of `privboost audit`, and the target and pairs that they select."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, add_output, add_workers, seed, whole_number
from privboost.errors import PreconditionError, UsageError
from privboost.limits import (
    ANSWERS,
    AS_GIVEN,
    CANARIES,
    CONFIDENCE,
    ESTIMATOR,
    EXCHANGE,
    GREATEST_NULL,
    MOST_CANARIES,
    MOST_IN_A_GROUP,
    PAIR_RELATIONS,
    POWER,
    RELATIONS,
    SKELETONS,
)
from privboost.printing import say, shorten

if TYPE_CHECKING:
    from privboost.auditor.mechanisms.mechanism import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.running.plan import AuditPlan

DEFAULT_CALLS, DEFAULT_SECONDS = 100_000, 180.0
"""Default limits, of which the first to be reached applies: some minutes on a laptop, if calls are slow."""

TABLE_SECONDS = 60.0
"""Default time limit with --table, whose pairs are all tested: less, since an estimator is slow to load."""

CONFIRMED_AT, CONFIRMING_CALLS = 0.999999, 13
"""The confidence of --confirm, and by how much its calls may exceed those of the violation."""

DEFAULT_TIMEOUT = 30.0
"""Default timeout for an answer, in seconds, which is shorter than a default run."""

MOST_CALLS = 10_000_000
LONGEST_NAMES = 2_000
"""Maximum number of characters of the names of pairs in a message."""

FLAGS = {
    "--low-bits": "also test the lowest bits of floating-point outputs",
    "--no-stop": "continue after a violation, for a better bound",
    "--envelope": "also report lower bounds on delta at several epsilon",
    "--all-pairs": "after a violation continue with the other pairs (default for --table)",
    "--keep-refused": "use pairs of --table even if the estimator refuses an input, such as one with a "
    "missing value",
    "--no-failures": "end without a verdict if a call fails (default: errors, exits and timeouts are "
    "outputs)",
    "--confirm": "repeat a violation on its best pair alone, with fresh coins, at error probability "
    "1/1000000",
}
"""Options without a value that decide which calls are made and how they are tested, with their help."""

FILE_FLAGS = {
    "--resume": "with -o DIR of an audit that was interrupted, and the same options: continue after its "
    "calls",
    "--rerun": "with TARGET and --replay: also call the target again and compare its outputs; if it does "
    "not take seeds, test fresh calls instead (--calls, --seed)",
}
"""Options without a value that continue from files."""

EPILOG = """
TARGET is one of:
  module:function                  a Python function of (data, rng);
  'module:Class(1, b=(0, 1))'      an object with call(data, rng), made with these arguments
  file.py:function                 the module may also be given as a file
  'cmd:PROGRAM'                    a program that reads and writes JSON lines
  'exec:PROGRAM {input}'           a program that reads a file and prints its output
  fast:PROTOCOL, reference:NAME    a learner of privboost
  bank:NAME                        a mechanism whose claim is true
  broken:NAME                      a mechanism whose claim is false
'privboost targets' lists all names and their arguments, which are written as in a call.

Instead of TARGET, an estimator with fit(X, y) and a table:
  --estimator 'module.Class(epsilon=1, bounds=(0, 1))' --table rows.csv --label y

Instead of many calls, one training with many canaries (docs/one_run.md):
  --scores in.csv out.csv          scores that you have
  --one-run --estimator … --input table:schema.toml,label=COLUMN

For a first run see docs/audit.md.

Exit codes: 0 CONSISTENT, 1 VIOLATION, 2 bad command line, 3 privboost is broken, 4 INCONCLUSIVE or a target
that cannot be audited, 130 interrupted (Ctrl-C; 143 by SIGTERM,
129 by SIGHUP) before a violation was found; the bound so far is printed.
With --replay: 0 the recomputed bound is the one in the file, 1 it is not. --rerun requires TARGET on the
command line, equal to the one in the file, since a file may name any program. A target that does not take
seeds gets fresh calls: 4 if they do not refute what the file refutes, 1 if they refute what it does not.
"""

_REAL = re.compile(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?|\d+/\d*[1-9]\d*", re.ASCII | re.IGNORECASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the target, the claim, the pairs, and how many calls are made."""
    option = partial(add_option, parser)
    parser.epilog = EPILOG.strip()
    parser.add_argument("target", nargs="?", metavar="TARGET", help="mechanism to audit, see below")
    option(
        "--epsilon E",
        _real(0, GREATEST_NULL),
        f"claimed epsilon, from 0 to {GREATEST_NULL} (default: that of the target)",
    )
    option("--delta D", _real(0, 1), "claimed delta (default: that of the target, else 0)")
    option(
        "--claim C",
        str,
        "claim instead of --epsilon and --delta: eps:1,delta:1e-6; delta:1e-6,eps:1 for a bound on "
        "delta; gdp:1; zcdp:0.1; rdp:2=0.5,8=1.2; or a JSON file with points [epsilon, delta]",
    )
    option(
        "--group K",
        whole_number(1, MOST_IN_A_GROUP),
        "the inputs of each pair differ in K rows; test what the claim promises to such groups",
    )
    option(
        "--confidence C",
        _real(0, 1),
        f"confidence of the bound, over all pairs together (default {CONFIDENCE:g})",
    )
    option(
        "--power F",
        _real(1, 1_000, above=True),
        f"CONSISTENT requires a run that would have caught F times the claim (default {POWER:g})",
    )
    option(
        "--ignore ATTRIBUTE",
        str,
        "do not test this attribute or key of the outputs, such as n_samples_seen_; may be repeated",
        action="append",
    )
    length = parser.add_mutually_exclusive_group()
    add_option(
        length,
        "--calls N",
        whole_number(1, MOST_CALLS),
        f"total number of calls (default: {DEFAULT_CALLS}, but at most {DEFAULT_SECONDS:.0f} s)",
    )
    add_option(
        length,
        "--minutes M",
        _real(0, 100_000, above=True),
        "duration of the audit in minutes, instead of --calls",
    )
    option(
        "--timeout S",
        _real(0, 1_000_000, above=True),
        "timeout for an answer of the target, or with --dask for a worker of the cluster, in seconds",
        default=DEFAULT_TIMEOUT,
    )
    for flag, purpose in FLAGS.items():
        parser.add_argument(flag, action="store_true", help=purpose)
    add_pair_arguments(parser)
    parser.add_argument(
        "--beyond",
        action="store_true",
        help="also try inputs that --input excludes, and list them apart; they never change the verdict",
    )
    option(
        "--search N",
        whole_number(1, MOST_CALLS),
        "first use N separate calls to select the most revealing pair, then audit only that one",
    )
    add_workers(parser, 1, "call the mechanism")
    option("--seed S", seed, "random seed (default: a new one, which is printed)")
    add_output(parser, required=False)
    _add_canary_arguments(parser)
    option("--replay FILE", Path, "recompute the bound of a witness file instead of auditing")
    for flag, purpose in FILE_FLAGS.items():
        parser.add_argument(flag, action="store_true", help=purpose)
    parser.add_argument(
        "--skeleton",
        choices=SKELETONS,
        help="print a program to start from, to be audited as 'cmd:PROGRAM'",
    )


def _add_canary_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of one training with many canaries, and of scores that exist."""
    parser.add_argument(
        "--scores",
        nargs=2,
        type=Path,
        metavar=("IN", "OUT"),
        help="instead of TARGET: CSV files with the scores of canaries that were in one training and of "
        "those that were not, each decided by a fair coin; bounds epsilon without further calls",
    )
    parser.add_argument(
        "--one-run",
        action="store_true",
        help="fit --estimator once, with canaries at the corners of --input table:schema.toml,label=COLUMN",
    )
    add_option(
        parser,
        "--canaries N",
        whole_number(2, MOST_CANARIES),
        f"number of canaries of --one-run (default {CANARIES:,})",
    )


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that give pairs of inputs, also for an estimator."""
    option = partial(add_option, parser)
    option(
        "--estimator 'module.Class(a=1)'",
        str,
        "audit an estimator with a method fit instead of TARGET; requires --table or --pairs",
    )
    option(
        "--table FILE",
        Path,
        "CSV file with a header, from which neighbouring tables are made for --estimator",
    )
    option("--label COLUMN", str, "column of the labels in --table")
    parser.add_argument(
        "--relation",
        choices=PAIR_RELATIONS,
        metavar="NAME",
        help=f"use only pairs of this neighbouring relation: {', '.join(PAIR_RELATIONS)} (default: that of "
        "the target, else all pairs); as_given: do not check that the inputs of a pair are neighbours",
    )
    option(
        "--only WORDS",
        str,
        "use only pairs whose name contains these words; may be repeated",
        action="append",
    )
    option(
        "--without WORDS",
        str,
        "leave out pairs whose name contains these words; may be repeated",
        action="append",
    )
    option(
        "--input DESCRIPTION",
        str,
        "describe the inputs, and let neighbours be made that break functions: vector:10,low=0,high=1; "
        "integers:5; rows:20,columns=3; strings:6; table:schema.toml; json:examples.json; or a Hypothesis "
        "strategy, mine.py:strategy",
    )
    option("--pairs FILE", Path, "JSON file with pairs of neighbouring inputs")
    option(
        "--pattern answers:N",
        _pattern,
        "for a mechanism whose input is a vector of N query answers, each of which changes by at most 1 with "
        "one row (histogram:N: N counts): use standard pairs; may be repeated",
        action="append",
    )


def name_target(options: argparse.Namespace) -> str | None:
    """Return the target string of the options, if any: TARGET, or that of the estimator."""
    return options.target if options.estimator is None else f"{ESTIMATOR}{options.estimator}"


def choose_pairs(options: argparse.Namespace, target: Claimed) -> tuple[Pair, ...]:
    """Return the pairs to audit: those in the options, or by default those of the target."""
    pairs = _given_pairs(options, target) or target.pairs
    if not pairs:
        raise UsageError(f"{name_target(options)} brings no pairs: expected {_wanted_pairs(options)}")
    relation = relation_of(options, target)
    if relation == AS_GIVEN:
        pairs = tuple(replace(pair, relation=AS_GIVEN) for pair in pairs)
    # Which relation answers and unchecked inputs have cannot be told from the inputs.
    kept = (None, relation) if relation not in RELATIONS else (relation, ANSWERS, AS_GIVEN)
    chosen = tuple(pair for pair in pairs if relation is None or pair.relation in kept)
    if not chosen:
        has = ", ".join(sorted({pair.relation for pair in pairs}))
        advice = f'; add "relation": "{relation}" to the pair in {options.pairs}' if options.pairs else ""
        raise UsageError(f"--relation: expected one that a pair has ({has}), got {relation}{advice}")
    named = select_pairs(options, chosen)
    _check_neighbours(options, named)
    return named


def select_pairs(options: argparse.Namespace, pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Return the pairs whose names have the words of --only, and not those of --without."""
    from privboost.auditor.pairs.pair import select_by_name

    only, without = options.only or (), options.without or ()
    named = select_by_name(pairs, only, without)
    if not named:
        names = shorten(", ".join(repr(pair.name) for pair in pairs), LONGEST_NAMES)
        excluding = select_by_name(pairs, only, ())
        option, got = ("--without", without) if excluding else ("--only", only)
        wanted = "words that leave a pair" if excluding else "words in the name of a pair"
        raise UsageError(f"{option}: expected {wanted} ({names}), got {list(got)}")
    return named


def _check_neighbours(options: argparse.Namespace, pairs: tuple[Pair, ...]) -> None:
    """Raise UsageError with advice for a pair whose inputs are no neighbours."""
    from privboost.auditor.pairs.relations import check_neighbours

    try:
        check_neighbours(pairs, options.group or 1)
    except PreconditionError as error:
        option = "--pairs: " if options.pairs else ""
        raise UsageError(
            f"{option}{error}. If the inputs are answers to queries, each of which changes by at most 1 with "
            'one row, write "relation": "answers" in the pair; if they are something else, --relation '
            "as_given leaves them unchecked; if they differ in several rows, give --group"
        ) from None


def relation_of(options: argparse.Namespace, target: Claimed) -> str | None:
    """Return the neighbouring relation of the options, or by default that of the target."""
    return options.relation or target.relation


def _given_pairs(options: argparse.Namespace, target: Claimed) -> tuple[Pair, ...]:
    """Return the pairs that the options give: from a file, from patterns, from a table."""
    from privboost.auditor.mechanisms.estimators import needs_labels
    from privboost.auditor.pairs.file import pairs_from_file
    from privboost.auditor.pairs.neighbours import table_pairs
    from privboost.auditor.pairs.patterns import answer_pairs
    from privboost.auditor.pairs.tables import read_table

    relation = relation_of(options, target)
    if options.pattern and relation not in RELATIONS:
        raise UsageError(
            "--pattern: expected --relation exchange or --relation add_remove with it, the relation of the "
            "claim: an exchanged row may move answers up and down at once"
        )
    try:
        given = pairs_from_file(options.pairs) if options.pairs else ()
        for kind, length in options.pattern or ():
            given += answer_pairs(length, relation or EXCHANGE, histogram=kind == "histogram")
    except PreconditionError as error:
        raise UsageError(f"--{'pairs' if options.pairs else 'pattern'}: {error}") from None
    if not options.table:
        return given
    if options.label is None and needs_labels(target.mechanism):
        raise UsageError(
            "--label: expected the name of the column of labels, because fit needs labels; got none"
        )
    return given + table_pairs(read_table(options.table, options.label))


def _wanted_pairs(options: argparse.Namespace) -> str:
    if str(name_target(options)).startswith(ESTIMATOR):
        return (
            "a table to make neighbours of; give --table FILE and --label COLUMN, or --input "
            "table:schema.toml,label=COLUMN"
        )
    return (
        "neighbouring inputs to tell apart; give one of three. --input describes the inputs, and neighbours "
        "are made: --input vector:10,low=0,high=1 for a function of about ten rows, each a number from 0 to "
        "1 (also integers:5, rows:20,columns=3, strings:6, table:schema.toml, json:examples.json). --pairs "
        "FILE has a JSON list of two inputs that differ in one row: [[[0.2, 0.5, 1], [0.2, 0.5, 0]]] for a "
        "claim about exchanged rows, [[[0.2, 0.5, 1], [0.2, 0.5]]] for one about added and removed rows. "
        "--pattern answers:N is for an input that is a vector of N query answers and not of rows"
    )


def accept_pairs(
    options: argparse.Namespace,
    target: Claimed,
    pairs: tuple[Pair, ...],
    seed: int,
    executor: Executor | None,
) -> tuple[tuple[Pair, ...], dict[str, str]]:
    """Return the pairs whose inputs are accepted by an estimator, and why others are not, by their names."""
    from privboost.auditor.running.search import refusals

    if not options.table or options.keep_refused:
        return pairs, {}
    reasons = refusals(target.mechanism, pairs, seed, executor)
    accepted = tuple(pair for pair in pairs if pair.name not in reasons)
    if not accepted:
        (name, reason), *_ = reasons.items()
        raise UsageError(f"--only: expected a pair whose inputs are accepted, got {name!r}: {reason}")
    return accepted, reasons


def search_pairs(
    options: argparse.Namespace,
    target: Claimed,
    pairs: tuple[Pair, ...],
    plan: AuditPlan,
    executor: Executor | None,
) -> tuple[Pair, ...]:
    """Return the most revealing pair, selected by calls that the audit does not use."""
    if not options.search:
        return pairs
    if len(pairs) == 1:
        say("--search is left out: there is only one pair")
        return pairs
    from privboost.auditor.running.search import search

    say(f"searching among {len(pairs)} pairs with {options.search:,} separate calls")
    epsilon, delta = plan.claim.representative()
    try:
        (best,) = search(
            target.mechanism,
            pairs,
            options.search,
            plan.seed,
            epsilon=epsilon,
            delta=delta,
            low_bits=plan.low_bits,
            executor=executor,
        )
    except PreconditionError as error:
        raise UsageError(f"--search: {error}") from None
    return (best.pair,)


def _real(least: int, most: int, *, above: bool = False) -> Callable[[str], float]:
    """Return a parser for numbers such as 0.1, 3/8 and 1e-6 in a range; `above` excludes the least."""

    def read(argument: str) -> float:
        number = Fraction(argument) if len(argument) <= 60 and _REAL.fullmatch(argument) else None
        if number is None or not least <= number <= most or (above and number == least):
            expected = f"a number {'above' if above else 'from'} {least} to {most} such as 0.1, 3/8 or 1e-6"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{argument}'")
        return float(number)

    return read


def _pattern(argument: str) -> tuple[str, int]:
    kind, _, length = argument.partition(":")
    if kind not in {"answers", "histogram"} or not re.fullmatch(r"[1-9]\d{0,3}", length, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected answers:N or histogram:N, got '{argument}'")
    return kind, int(length)

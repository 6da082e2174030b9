"""Search two inputs on which a deterministic step moves by more than is claimed.

The target is a function of a data set without noise: a sum of clamped rows, a
histogram, a resize. It is called on hostile neighbours of the described inputs,
and the results are compared exactly. One pair is enough to refute a claim; that
none was found does not show that the claim is true.
"""

from __future__ import annotations

import argparse
import shlex
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, add_output, number_between, seed, whole_number
from privboost.cli.exit_codes import INTERRUPTED, NO_VERDICT, NOT_CONFORMING
from privboost.errors import PreconditionError, UsageError
from privboost.files import prepare_directory, write_files
from privboost.limits import ADD_REMOVE, DISTANCES, INPUT_RELATIONS
from privboost.printing import say
from privboost.progress import Watch
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

from .audit_replay import check_same_target, refuse_unread
from .audit_report import COLUMNS, fit_rows

if TYPE_CHECKING:
    from privboost.auditor.stability.calls import Caller
    from privboost.auditor.stability.plan import SearchPlan
    from privboost.auditor.stability.result import StabilityResult
    from privboost.auditor.stability.search import StabilityProgress

DEFAULT_TRIES, DEFAULT_SECONDS, DEFAULT_TIMEOUT = 2_000, 60.0, 10
MOST_TRIES = 10_000_000
READ = frozenset({"run", "debug", "format", "target", "replay", "rerun", "timeout"})
"""The options that a replay reads."""

EPILOG = """
TARGET is one of:
  module:function             a Python function of one data set, a list of rows
  file.py:function            the module may also be given as a file
  'module:Class(1, b=(0, 1))' an object that is called with a data set
  'cmd:PROGRAM'               a program that reads and writes JSON lines
  'exec:PROGRAM {input}'      a program that reads a file and prints its result

--input describes the data sets: vector:10 (about ten numbers;
vector:10,size=10 exactly ten), vector:10,low=0,high=1, integers:5,
rows:20,columns=3, strings:6,categories=a|b, table:schema.toml,
json:examples.json, mine.py:strategy (a Hypothesis strategy).

For a first run see docs/stability.md.

Exit codes: 0 none found, 1 a counterexample, 2 bad command line, 3 privboost is
broken, 4 no input has a result or a target that is not deterministic, 130
interrupted (Ctrl-C; 143 by SIGTERM, 129 by SIGHUP) before a counterexample was
found. With --replay: 0 the file agrees with the recomputed result, 1 it does
not. --rerun requires TARGET on the command line, equal to the one in the file,
since a file may name any program.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the target, its inputs, the claim, and how many inputs are tried."""
    option = partial(add_option, parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG.strip()
    parser.add_argument("target", nargs="?", metavar="TARGET", help="step to check, see below")
    option("--input D", str, "the data sets that the claim is about, see below")
    parser.add_argument(
        "--relation",
        choices=INPUT_RELATIONS,
        metavar="NAME",
        help=f"what one step changes in a data set: {', '.join(INPUT_RELATIONS)} (default {ADD_REMOVE}, "
        "where order has no meaning)",
    )
    parser.add_argument(
        "--distance",
        choices=DISTANCES,
        metavar="NAME",
        help=f"how far two results are apart: {', '.join(DISTANCES)} (default {DISTANCES[0]}: the difference "
        "of two numbers)",
    )
    option("--bound B", str, "claimed bound, such as 1 or 1/10, or module:function of the number of steps")
    option("--d-in K", whole_number(1, 64), "the bound is for up to K steps (default 1)")
    option("--tries N", whole_number(1, MOST_TRIES), f"number of pairs to try (default {DEFAULT_TRIES})")
    option(
        "--minutes M",
        number_between(0, 100_000),
        f"duration of the search in minutes (default: at most {DEFAULT_SECONDS:.0f} s)",
    )
    option(
        "--timeout S",
        number_between(0, 1_000_000),
        "timeout for an answer of the target, in seconds",
        default=DEFAULT_TIMEOUT,
    )
    parser.add_argument(
        "--beyond",
        action="store_true",
        help="also try inputs beyond the description; they are listed and never change the verdict",
    )
    option("--seed S", seed, "random seed of the inputs (default: a new one, which is printed)")
    add_output(parser, required=False)
    option("--replay FILE", Path, "check a witness file instead of searching")
    parser.add_argument(
        "--rerun", action="store_true", help="with TARGET and --replay: also call the target again"
    )


def run(options: argparse.Namespace) -> Table:
    """Search a counterexample, or check that of a witness file, and return the report."""
    if options.replay:
        return _replay(options)
    if options.target is None:
        raise UsageError("TARGET: expected what to check, such as mine.py:total; --help lists the kinds")
    if options.rerun:
        raise UsageError("--rerun: expected --replay FILE with it")
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.stability.search import search

    with ExitStack() as stack:
        try:
            caller = _start(options, stack)
            plan = _make_plan(options, caller)
            say(f"checking {options.target}, {plan.n_inputs:,} pairs of inputs, seed {plan.seed}")
            with Watch(_progress_line) as watch:
                result = search(caller, plan, watch)
        except PreconditionError as error:
            wrong = f"expected {error.expected}, got {error.got}"
            raise UsageError(wrong, argument=error.label) from None
        ignore_further_stops()
    return _report(options, result, _command(options, plan))


def _make_plan(options: argparse.Namespace, caller: Caller) -> SearchPlan:
    from privboost.auditor.stability.calls import load_bounds
    from privboost.auditor.stability.plan import make_plan

    bound = options.bound
    if bound is not None and ":" in bound:
        bounds = load_bounds(bound, options.d_in or 1, float(options.timeout))
        bound = dict(enumerate(bounds, 1)).__getitem__
    return make_plan(
        caller.declared,
        inputs=options.input,
        relation=options.relation,
        distance=options.distance,
        bound=bound,
        d_in=options.d_in,
        seed=options.seed,
        n_inputs=options.tries or DEFAULT_TRIES,
        seconds=DEFAULT_SECONDS if options.minutes is None else 60 * float(options.minutes),
        beyond=options.beyond,
    )


def _start(options: argparse.Namespace, stack: ExitStack) -> Caller:
    """Return what calls the target; a module of the user runs in a process of its own."""
    from privboost.auditor.stability.calls import DirectCaller, ProcessCaller
    from privboost.auditor.stability.steps import find_step, is_program
    from privboost.targets.conversation import Limits

    timeout = float(options.timeout)
    if is_program(options.target):
        return DirectCaller(find_step(options.target, Limits(start=timeout, answer=timeout)))
    return stack.enter_context(ProcessCaller(options.target, timeout))


def _progress_line(elapsed: float, progress: StabilityProgress) -> str:
    from privboost.auditor.files.stability_report import distance_string

    greatest = "" if progress.greatest is None else f", greatest move {distance_string(progress.greatest)}"
    rate = progress.inputs / max(elapsed, 1e-6)
    return (
        f"{progress.inputs:,} of {progress.of:,} pairs of inputs{greatest}, {rate:,.0f} pairs/s; "
        "Ctrl-C stops and reports what was tried"
    )


def _command(options: argparse.Namespace, plan: SearchPlan) -> str:
    """Return the command that tries the same inputs."""
    words = ["privboost", "stability", options.target]
    for name in ("input", "relation", "distance", "bound", "d_in"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    words += ["--beyond"] if options.beyond else []
    return shlex.join([*words, "--seed", str(plan.seed), "--tries", str(plan.n_inputs)])


def _report(options: argparse.Namespace, result: StabilityResult, command: str) -> Table:
    from privboost.auditor.files import stability_report as words
    from privboost.auditor.files.report import COMMANDS
    from privboost.auditor.stability.result import StabilityVerdict

    contents = _contents(result, command) if options.output else {}
    rows = [*words.lines(result, command), *(("file", str(options.output / name)) for name in contents)]
    found = result.verdict is StabilityVerdict.COUNTEREXAMPLE
    code = NOT_CONFORMING if found else INTERRUPTED if result.interrupted else None
    if code is None and result.verdict is StabilityVerdict.INCONCLUSIVE:
        code = NO_VERDICT
    return Table(
        "stability",
        COLUMNS,
        tuple(fit_rows(options, rows)),
        result.verdict is StabilityVerdict.NONE_FOUND,
        words.headline(result),
        code,
        {"report": words.to_document(result, command)},
        (lambda: write_files(options.output, contents)) if contents else None,
        COMMANDS,
    )


def _contents(result: StabilityResult, command: str) -> dict[str, bytes]:
    """Return the files of a result by name; there is a witness if there is a counterexample."""
    from privboost.auditor.files.stability_page import stability_page
    from privboost.auditor.files.stability_report import to_json_text
    from privboost.auditor.files.stability_witness import witness_bytes

    advice, contents = [], {}
    if result.counterexample is not None:
        contents["witness.json"] = witness_bytes(result)
        again = f"privboost stability {shlex.quote(result.target)} --replay witness.json --rerun"
        advice = [
            ("Compare the recorded results:", "privboost stability --replay witness.json"),
            ("Also call the target again, if it can be loaded by the same name:", again),
        ]
    return {
        "report.html": stability_page(result, command, advice).encode("utf-8"),
        "report.json": to_json_text(result, command).encode("utf-8"),
        **contents,
    }


# Replay ---------------------------------------------------------------------------------------------------


def _replay(options: argparse.Namespace) -> Table:
    """Check the counterexample of a witness file."""
    from privboost.auditor.files import stability_report as words
    from privboost.auditor.files.stability_witness import read_witness, replay

    refuse_unread(options, READ)
    if options.target is not None and not options.rerun:
        raise UsageError(f"--replay: expected no TARGET without --rerun, got {options.target!r}")
    try:
        witness = read_witness(options.replay)
        with ExitStack() as stack:
            if options.rerun:
                check_same_target(options.target, witness.target)
            caller = _start(options, stack) if options.rerun else None
            differences = replay(witness, caller)
    except PreconditionError as error:
        raise UsageError(f"--replay: {error}") from None
    example = witness.example
    again = " and the target called again" if options.rerun else ""
    agreement = f"the results compared{again}: as the file states"
    rows = [("replay", line) for line in differences or [agreement]]
    rows += [
        ("target", witness.target),
        ("claim", words.claim_sentence(example.claim)),
        *words.example_lines(example),
        ("inputs", f"{witness.described}, as the file says"),
    ]
    outcome = "THE FILE DOES NOT AGREE with the recomputed result" if differences else "the file agrees"
    document = {
        "differences": differences,
        "rerun": options.rerun,
        "as_the_file_says": ["target", "inputs", "classes"],
        "counterexample": words.example_to_json(example),
    }
    summary, rows = f"{outcome}; {words.move_sentence(example.moved, example.bound)}", fit_rows(options, rows)
    return Table("stability", COLUMNS, tuple(rows), not differences, summary, document=document)

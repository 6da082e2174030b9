"""What `privboost audit` prints and writes, and the command that repeats it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.exit_codes import INTERRUPTED, NO_VERDICT, NOT_CONFORMING
from privboost.extras import install_line, is_installed
from privboost.files import write_files
from privboost.limits import ADD_REMOVE, EXCHANGE, POWER
from privboost.printing import say
from privboost.tables import Format, Table, terminal_width

from .audit_options import FLAGS

if TYPE_CHECKING:
    from privboost.auditor.files.calls_file import CallsFile
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.result import AuditResult
    from privboost.auditor.running.plan import AuditPlan

    Recordings = Mapping[str, Recording]
    """The outputs of an audit, of its repetition with --confirm and of the smallest pair, by file."""

COLUMNS = ("quantity", "value")
WITNESSES = WITNESS, CONFIRMATION, SMALLEST = "witness.json", "confirmation.json", "smallest.json"
"""The files of outputs."""

OTHER_RELATIONS = {
    EXCHANGE: "For a claim about exchanged rows only:",
    ADD_REMOVE: "For a claim about added and removed rows only:",
}
SLOW = 60.0
"""Duration in seconds from which advice on a longer run names parallel processes."""


def arguments_of(
    options: argparse.Namespace, plan: AuditPlan, relation: str | None, candidates: int
) -> list[str]:
    """Return the command of an audit, without its length and its output.

    With one candidate a search is left out.
    """
    claim, arguments = plan.claim, ["privboost", "audit", *_target_arguments(options)]
    if claim.kind == "eps" and claim.group == 1:
        arguments += ["--epsilon", repr(claim.value), "--delta", repr(claim.fixed)]
    else:
        arguments += ["--claim", claim.spelling]
    arguments += ["--confidence", repr(plan.confidence), "--seed", str(plan.seed)]
    arguments += ["--relation", relation] if relation else []
    arguments += ["--pairs", str(options.pairs)] if options.pairs else []
    arguments += ["--input", options.input] if options.input else []
    arguments += ["--beyond"] if options.beyond else []
    repeated = {"pattern": [f"{kind}:{size}" for kind, size in options.pattern or ()]}
    repeated |= {name: getattr(options, name) or [] for name in ("only", "without", "ignore")}
    for name, values in repeated.items():
        arguments += [argument for value in values for argument in (f"--{name}", value)]
    arguments += ["--power", repr(plan.power)] if plan.power != POWER else []
    arguments += ["--search", str(options.search)] if options.search and candidates > 1 else []
    return arguments + [flag for flag in FLAGS if getattr(options, flag[2:].replace("-", "_"))]


def command_of(arguments: Sequence[str], result: AuditResult, calls: int) -> str:
    """Return the command that makes the same calls; for a target that takes no seeds, that of a new audit."""
    words = list(arguments)
    if result.tried is not None and result.tried.search_budget and "--search" not in words:
        words += ["--search", str(result.tried.search_budget)]
    if result.seeded is False:
        at = words.index("--seed")
        del words[at : at + 2]
    return shlex.join([*words, "--calls", str(calls)])


def _target_arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments that name the target, and its table if it is an estimator."""
    named = [options.target] if options.estimator is None else ["--estimator", options.estimator]
    named += ["--table", str(options.table)] if options.table else []
    return named + (["--label", options.label] if options.label is not None else [])


def report_files(
    options: argparse.Namespace,
    plan: AuditPlan,
    result: AuditResult,
    recordings: Recordings,
    *,
    command: str,
    calls_file: CallsFile | None,
) -> Table:
    """Return the report as a table; once it is printed, files are written and recorded calls removed."""
    names = ["report.html", "report.json", WITNESS, *_plot_names(result)]
    names += [CONFIRMATION] if result.confirmation is not None else []
    names += [SMALLEST] if result.tried is not None and result.tried.smallest is not None else []

    def write() -> None:
        write_files(options.output, _contents(plan, result, recordings, command))
        if calls_file is not None and not (result.interrupted or result.cut_short):
            calls_file.remove()

    table = report_table(options, result, command, [options.output / name for name in names])
    return replace(table, write=write)


def _contents(plan: AuditPlan, result: AuditResult, recordings: Recordings, command: str) -> dict[str, bytes]:
    """Return the report, the plots and the witnesses by file name."""
    from privboost.auditor.files.page import audit_page
    from privboost.auditor.files.report import to_json_text
    from privboost.auditor.files.saving import draw_plots
    from privboost.auditor.files.witness import make_witness, witness_bytes

    def witness(audited: AuditResult, recording: Recording) -> bytes:
        return witness_bytes(
            make_witness(result.target, audited, recording, low_bits=plan.low_bits, stop=plan.stop)
        )

    plots, replay = draw_plots(result), "--replay witness.json"
    by_law = "; it does not take seeds, so fresh calls are tested" if result.seeded is False else ""
    advice = [
        ("Recompute the bound from the recorded outputs:", f"privboost audit {replay}"),
        (
            f"Also call the target again, if it can be loaded by the same name{by_law}:",
            f"privboost audit {shlex.quote(result.target)} {replay} --rerun",
        ),
        *_further_options(plan.stop, result),
    ]
    if result.seeded is not False:
        chosen = "A seed can be chosen in favour of a verdict. For new calls give another, or none:"
        advice.insert(2, (chosen, "--seed"))
    contents = {
        "report.html": audit_page(result, plots, command, advice).encode("utf-8"),
        "report.json": to_json_text(result, command).encode("utf-8"),
        WITNESS: witness(result, recordings[WITNESS]),
        **plots,
    }
    if result.confirmation is not None:
        contents[CONFIRMATION] = witness(result.confirmation, recordings[CONFIRMATION])
    if result.tried is not None and result.tried.smallest is not None:
        contents[SMALLEST] = witness(result.tried.smallest, recordings[SMALLEST])
    return contents


def _further_options(stopped: bool, result: AuditResult) -> list[tuple[str, str]]:
    """Return options that decide, or that show more of a violation, each after its purpose."""
    from privboost.auditor.files.sentences import best_pair
    from privboost.auditor.result import Verdict

    top = best_pair(result)
    if result.verdict is Verdict.INCONCLUSIVE:
        return _deciding_options(result)
    if result.verdict is not Verdict.VIOLATION or top is None:
        return []
    further = [("For a greater bound, continue after the violation:", "--no-stop")] if stopped else []
    others = {entry.pair.relation for entry in result.pairs} & OTHER_RELATIONS.keys() - {top.pair.relation}
    if top.pair.relation in OTHER_RELATIONS and result.relation is None:
        further += [(OTHER_RELATIONS[other], f"--relation {other}") for other in sorted(others)]
    if result.rest is not None and result.rest.verdict is Verdict.INCONCLUSIVE:
        further += _deciding_options(result.rest)
    return further


def _deciding_options(result: AuditResult) -> list[tuple[str, str]]:
    """Return the options that make a run long enough for a verdict, each after what it takes."""
    from privboost.auditor.files.sentences import best_pair, required_violation

    required = result.required
    rate = result.calls / result.seconds if result.seconds and result.calls else 0.0

    def describe(calls: int) -> str:
        return f"{calls:,} calls" + (f", {calls / rate / 60:.1f} min at this rate" if rate else "")

    if required is None or required.met:
        if not result.contested:
            return []
        calls, purpose = result.deciding_calls, "To see whether the cross-check is right"
        named = f"--calls {calls}" if calls else "--seed S"
        return [(f"{purpose}, {describe(calls) if calls else 'new calls'}:", named)]
    violation = f"To find a violation of {required_violation(result)}"
    lines = []
    if required.calls is not None:
        lines.append((f"{violation}, {describe(required.calls)}:", f"--calls {required.calls}"))
    top, one = best_pair(result), required.calls_on_one_pair
    # Where nothing tells the sides apart, no pair is worth more calls than the others.
    if one is not None and len(result.pairs) > 1 and top is not None and top.bound > 0:
        pair = shlex.quote(top.pair.name)
        purpose = f"{violation} on this pair of {len(result.pairs)} only, {describe(one)}:"
        lines.append((purpose, f"--only {pair} --calls {one}"))
    if rate and (required.calls or 0) / rate > SLOW:
        lines.append(("To make calls in several processes at once:", "--jobs N"))
    return lines or [
        (f"No feasible number of calls finds {required_violation(result)}; require less:", "--power F")
    ]


def _plot_names(result: AuditResult) -> list[str]:
    if not is_installed("matplotlib"):
        say(f"no plots, since matplotlib is not installed; run: {install_line('plots')}")
        return []
    from privboost.auditor.files.plots import plots_of

    return list(plots_of(result))


def fit_rows(options: argparse.Namespace, rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Wrap the rows of a text; on a terminal the table wraps its cells to the width that there is."""
    from privboost.auditor.files.report import wrap_lines

    is_text = getattr(options, "format", Format.TEXT) == Format.TEXT
    return wrap_lines(rows) if is_text and terminal_width() is None else rows


def report_table(
    options: argparse.Namespace, result: AuditResult, command: str, files: Sequence[Path] = ()
) -> Table:
    """Return the report as a table that begins with the verdict."""
    from privboost.auditor.files import sentences
    from privboost.auditor.files.report import COMMANDS, lines, to_document
    from privboost.auditor.result import Verdict

    further = [("option", " ".join(advice)) for advice in _further_options(not options.no_stop, result)]
    rows = [*lines(result, command), *(("file", str(path)) for path in files), *further]
    rows = fit_rows(options, rows)
    codes = {Verdict.VIOLATION: NOT_CONFORMING, Verdict.INCONCLUSIVE: NO_VERDICT}
    code = codes.get(result.verdict)
    if result.interrupted and result.verdict is not Verdict.VIOLATION:
        code = INTERRUPTED
    conforming, summary = result.verdict is Verdict.CONSISTENT, sentences.headline(result)
    document = {"report": to_document(result, command)}
    return Table("audit", COLUMNS, tuple(rows), conforming, summary, code, document, commands=COMMANDS)

"""Reports of a record and replay: sentences, lines for a terminal, and a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privboost.auditor.numbers import count_with_noun, format_number
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.replay.result import (
    Doubt,
    FindingKind,
    PairReplay,
    RecordReplayResult,
    ReplayFinding,
    ReplayVerdict,
)
from privboost.auditor.values.tagged_json import output_to_json, to_json
from privboost.printing import make_printable_json, truncate

from .report import REPRODUCE, Line, versions, wrap_lines

FORMAT, VERSION = "privboost-replay-report", 1
SCHEMA = Path(__file__).with_name("replay_report_schema.json")
SHOWN_PAIRS, SHOWN_FINDINGS, LONGEST = 5, 8, 80

DOUBTS = {
    Doubt.NO_DRAW: "no draw was seen: the target has no noise, or takes it from a source that is not "
    "recorded, such as a library that draws in Rust or C++",
    Doubt.HIDDEN_COINS: "with all recorded draws frozen, a second run on the same input has another "
    "output: some of its randomness is not recorded",
    Doubt.NOT_LINEAR: "the output is not a sum of values and recorded noise, for instance the index of a "
    "noisy maximum; its loss is not weighed",
    Doubt.CONTROL_FLOW: "draws or their scales differ between the runs, so that the loss is not weighed",
    Doubt.OTHER_LAW: "for this noise, or a release without a stated epsilon, the loss is not known",
    Doubt.MIXED_LAWS: "Gaussian and other noise are added to the same outputs",
    Doubt.TOO_MANY: "there are too many draws",
    Doubt.NO_OUTPUT: "neither input has an output",
    Doubt.ENDED: "the target ended its process or did not answer in time",
}
"""Why a pair is undecided, in words."""

STATE_HINT = (
    "; if it calls np.random.RandomState(self.random_state), let it call sklearn.utils.check_random_state: "
    "random_state is a RandomState here"
)


# Sentences ------------------------------------------------------------------------------------------------


def finding_sentence(finding: ReplayFinding) -> str:
    """Return a finding in words, with its weight first."""
    weight = "proof" if finding.is_proof else "suspicion"
    return f"{weight}, {finding.kind}: {_what(finding)}"


def _what(finding: ReplayFinding) -> str:
    site, name = finding.site, finding.name
    left, right = (_value(side) for side in (finding.left, finding.right))
    amount, limit = (None if x is None else format_number(x) for x in (finding.amount, finding.limit))
    match finding.kind:
        case FindingKind.UNNOISED_OUTPUT:
            part = "the sum of outputs " if name else ""
            return (
                f"{part}{site} is {left} on the left and {right} on the right; one of the two is the same in "
                f"{finding.runs} runs with fresh coins, and never met in {finding.runs} on the other input"
            )
        case FindingKind.UNNOISED_RELEASE:
            apart = "" if amount is None else f", {amount} apart"
            stated = "without a finite epsilon" if limit is None else f"with sensitivity {limit}"
            return f"{site}: {name} releases {left} and {right}{apart}, {stated}: without noise"
        case FindingKind.MOVED_TOO_FAR:
            return f"{site}: the value of {name} moves by {amount}; its sensitivity is {limit}"
        case FindingKind.SCALE_FROM_DATA:
            return f"{site}: {name} is {left} on the left and {right} on the right"
        case FindingKind.NUMBER_OF_DRAWS:
            counts = [0 if side is None else side for side in (finding.left, finding.right)]
            return f"{site}: {name} draws {counts[0]} values on the left and {counts[1]} on the right"
        case FindingKind.ORDER_OF_DRAWS:
            return "the same lines draw in another order on the right"
        case FindingKind.LOSS:
            return f"{site}: {_loss_sentence(finding, amount, limit)}"
        case FindingKind.REUSED_COINS:
            return f"{site}: the draw starts from the same state of a generator as the one at {finding.left}"
        case FindingKind.FIXED_SEED:
            return f"{site}: the draws are the same in every run, so that whoever has the code knows them"
        case FindingKind.SEED_FROM_CLOCK:
            return f"{site}: the draws are the same in two runs at the same time, which can be guessed"


def _loss_sentence(finding: ReplayFinding, amount: str | None, limit: str | None) -> str:
    if finding.name == "delta":
        return f"the noise needs a delta of {amount} at the claimed epsilon; claimed is {limit}"
    return f"the noise hides what moves at a loss of {amount}; claimed is {limit}"


def _value(value: Any) -> str:
    if value is None:
        return "(none)"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return format_number(value) if number else truncate(" ".join(repr(value).split()), LONGEST)


def meaning(result: RecordReplayResult) -> str:
    """Return the meaning of the verdict."""
    match result.verdict:
        case ReplayVerdict.FINDING if result.is_proved:
            return (
                "The claim is false on a pair, provided that it is about these inputs and that this part is "
                "published. Each part of an output has an error probability of 1e-9."
            )
        case ReplayVerdict.FINDING:
            return "Something is suspicious, but no violation is proved. An audit of the pair can confirm it."
        case ReplayVerdict.NOTHING_FOUND:
            return (
                "On these pairs, with the coins of this run, recorded noise or stated releases hide what "
                "differs, at a loss within the claim."
            )
        case ReplayVerdict.UNDECIDED:
            return "Nothing was found, and nothing can be said about some pairs."


def limitations(result: RecordReplayResult) -> str:
    """Return the conclusions that the verdict does not allow."""
    if result.verdict is ReplayVerdict.FINDING:
        return "It does not say that other lines are right, or how great the loss is at most."
    return (
        "It does not say that the claim is true: other inputs may differ, the law of the noise itself is not "
        "tested, and only recorded sources are seen."
    )


def headline(result: RecordReplayResult) -> str:
    """Return verdict, claim and the first finding as one sentence."""
    tried = f"{result.verdict}: {result.target}, epsilon {format_number(result.epsilon)}"
    tried += f", delta {format_number(result.delta)}" if result.delta else ""
    tried += f"; {count_with_noun(len(result.pairs), 'pair')}"
    found = all_findings(result)
    if found:
        kinds = dict.fromkeys(f"{'proof' if each.is_proof else 'suspicion'} {each.kind}" for _, each in found)
        return f"{tried}; {', '.join(kinds)}"
    losses = [entry.loss for entry in result.pairs if entry.loss is not None]
    greatest = f"; greatest loss {format_number(max(losses))}" if losses else ""
    doubts = dict.fromkeys(str(doubt) for entry in result.pairs for doubt in entry.doubts)
    return tried + greatest + (f"; {', '.join(doubts)}" if doubts else "")


def all_findings(result: RecordReplayResult) -> list[tuple[PairReplay, ReplayFinding]]:
    """Return all findings with their pairs, proofs first; one of a kind and a line is listed once."""
    found: dict[tuple[str, str, str], tuple[PairReplay, ReplayFinding]] = {}
    for entry in result.pairs:
        for finding in entry.findings:
            found.setdefault((finding.kind, finding.site, finding.name), (entry, finding))
    return sorted(found.values(), key=lambda each: not each[1].is_proof)


def suspicious_pair(result: RecordReplayResult) -> Pair | None:
    """Return the pair of the first suspicion, which an audit can confirm."""
    return next((entry.pair for entry, finding in all_findings(result) if not finding.is_proof), None)


def pair_file(pair: Pair) -> bytes:
    """Return a pair as a file for `privboost audit --pairs`."""
    members = {"name": pair.name, "relation": pair.relation}
    members |= {"left": to_json(pair.left), "right": to_json(pair.right)}
    return (json.dumps([members], ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


# Lines ----------------------------------------------------------------------------------------------------


def lines(result: RecordReplayResult, reproduce: str = "", audit: str = "") -> list[Line]:
    """Return the report as named lines, the verdict first."""
    claim = f"epsilon {format_number(result.epsilon)}, delta {format_number(result.delta)}"
    named = [("verdict", str(result.verdict)), ("target", result.target), ("claim", claim)]
    found = all_findings(result)
    for entry, finding in found[:SHOWN_FINDINGS]:
        named.append(("finding", finding_sentence(finding)))
        named.append(("pair", pair_sentence(entry)))
    if len(found) > SHOWN_FINDINGS:
        named.append(("finding", f"and {len(found) - SHOWN_FINDINGS} more"))
    named += [("undecided", sentence) for sentence in doubt_sentences(result)]
    named += [("it means", meaning(result)), ("it does not mean", limitations(result))]
    named += list(_seen_lines(result))
    if audit:
        named.append(("audit", audit))
    named.append(("seed", str(result.seed)))
    return [*named, (REPRODUCE, reproduce)] if reproduce else named


def pair_sentence(entry: PairReplay) -> str:
    """Return a pair: its name and its inputs."""
    inputs = " against ".join(
        truncate(" ".join(repr(side).split()), LONGEST) for side in (entry.pair.left, entry.pair.right)
    )
    return f"{entry.pair.name}: {inputs}"


def doubt_sentences(result: RecordReplayResult) -> list[str]:
    """Return why pairs are undecided, with the number of pairs."""
    counts: dict[Doubt, int] = {}
    for entry in result.pairs:
        for doubt in entry.doubts:
            counts[doubt] = counts.get(doubt, 0) + 1
    error = next((f" ({entry.error})" for entry in result.pairs if entry.error), "")
    error += STATE_HINT if "Cannot cast scalar from dtype('O')" in error else ""
    return [
        f"{count_with_noun(count, 'pair')}: {DOUBTS[doubt]}{error if doubt is Doubt.NO_OUTPUT else ''}"
        for doubt, count in counts.items()
    ]


def _seen_lines(result: RecordReplayResult) -> Iterator[Line]:
    pairs = count_with_noun(len(result.pairs), "pair")
    runs = count_with_noun(sum(entry.runs for entry in result.pairs), "run")
    draws, releases = (
        max((getattr(each, name) for each in result.pairs), default=0) for name in ("draws", "releases")
    )
    yield (
        "runs",
        f"{pairs}, {runs}, {result.seconds:.1f} s" + (" (interrupted)" if result.interrupted else ""),
    )
    yield (
        "seen",
        f"at most {count_with_noun(draws, 'draw')} and {count_with_noun(releases, 'release')} in a run",
    )
    losses = [entry.loss for entry in result.pairs if entry.loss is not None]
    if losses:
        yield "greatest loss", f"{format_number(max(losses))}, of the pairs on which it can be told"
    spent = [entry.spent for entry in result.pairs if entry.spent is not None]
    if spent:
        yield (
            "budgets",
            f"the releases of a run state {format_number(max(spent))} in total, by adding them up",
        )


def to_text(result: RecordReplayResult, reproduce: str = "") -> str:
    """Return the report for a terminal."""
    return "".join(f"{name:<17}  {line}\n" for name, line in wrap_lines(lines(result, reproduce)))


# JSON -----------------------------------------------------------------------------------------------------


def to_document(result: RecordReplayResult, reproduce: str = "", audit: str = "") -> dict[str, Any]:
    """Return the report as a JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "epsilon": result.epsilon,
        "delta": result.delta,
        "inputs": result.described,
        "seed": result.seed,
        "verdict": str(result.verdict),
        "proved": result.is_proved,
        "seconds": round(result.seconds, 3),
        "interrupted": result.interrupted,
        "pairs": [_pair_to_json(entry) for entry in result.pairs],
        "audit": audit,
        "reproduce": reproduce,
        "versions": versions(result.target),
    }


def _pair_to_json(entry: PairReplay) -> dict[str, Any]:
    return {
        "name": entry.pair.name,
        "relation": entry.pair.relation,
        "classes": list(entry.pair.classes),
        "left": to_json(entry.pair.left),
        "right": to_json(entry.pair.right),
        "verdict": str(entry.verdict),
        "findings": [_finding_to_json(finding) for finding in entry.findings],
        "doubts": [str(doubt) for doubt in entry.doubts],
        "draws": entry.draws,
        "releases": entry.releases,
        "loss": None if entry.loss is None else to_json(entry.loss),
        "spent": None if entry.spent is None else to_json(entry.spent),
        "runs": entry.runs,
        "error": entry.error,
    }


def _finding_to_json(finding: ReplayFinding) -> dict[str, Any]:
    return {
        "kind": str(finding.kind),
        "proof": finding.is_proof,
        "site": finding.site,
        "name": finding.name,
        "left": output_to_json(finding.left),
        "right": output_to_json(finding.right),
        "amount": None if finding.amount is None else to_json(finding.amount),
        "limit": None if finding.limit is None else to_json(finding.limit),
        "runs": finding.runs,
        "text": finding_sentence(finding),
    }


def to_json_text(result: RecordReplayResult, reproduce: str = "", audit: str = "") -> str:
    """Return the report as a JSON string."""
    document = to_document(result, reproduce, audit)
    return make_printable_json(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"

"""`make adapters`: gate published libraries by their adapters, and write docs/mechanisms_results.md.

Every library has an environment of its own in build/adapters, which is made when it is missing. The report of
a run is build/adapters/NAME.json; what the page shows of all runs is docs/mechanisms_results.json. A failure
that NAME.known.txt does not explain is shown as a verdict on its operation only: it may be new to the
maintainers of the library, who are told first.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privboost.environments import NODE_SUFFIX, Environment, find_environment, make_environment
from privboost.errors import UsageError
from privboost.files import write_files
from privboost.gate.check import REFUSAL, WIRE, Outcome, Status
from privboost.gate.known_failures import KnownFailure, read_xfails
from privboost.gate.plan import GatePlan
from privboost.gate.profiles import load_profile
from privboost.gate.reports.document import to_json_text
from privboost.gate.reports.tally import headline
from privboost.gate.result import GateResult, Progress
from privboost.gate.run import run_plan
from privboost.progress import Watch

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS, BUILD = ROOT / "examples" / "adapters", ROOT / "build" / "adapters"
RESULTS, PAGE = ROOT / "docs" / "mechanisms_results.json", ROOT / "docs" / "mechanisms_results.md"
SUFFIX = "_adapter"
TIMEOUT = 300.0
"""Seconds for one answer: some libraries need minutes for the draws of a request."""
PASSED, KNOWN, FAILED, NOTHING = "pass", "known", "fail", "not asked"
SIGNS = {PASSED: "✓", KNOWN: "!", FAILED: "✗", NOTHING: "–"}
REFUSALS = "refusals"
HEAD = """# Published libraries at the gate

For users and maintainers of libraries of differential privacy who want to know what the profile
[mechanisms](mechanisms_protocol.md) says about them. A short [adapter](../examples/adapters/serve.py) calls
each in an environment of its own:

    make adapters                     # makes the environments in build/adapters, and gates all libraries
    make adapters ONLY="opendp"       # one of them

| sign | meaning |
| --- | --- |
| ✓ | all cases that were asked pass |
| ! | some fail, for the reasons [below](#known-failures): published bugs and documented choices |
| ✗ | some fail for another reason |
| – | the library, or its adapter, does not have the operation |

The last row is about wrong arguments of all operations. ✓ is no proof: see
[what conforming means](gate.md#what-conforming-means).
"""


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter, and the requirements of its library."""

    name: str
    script: Path
    requirements: Path | None
    """None if it runs with the Python of privboost."""

    @property
    def known(self) -> Path:
        """Return the path of the list of known failures, which may not exist."""
        return self.script.with_name(f"{self.name}.known.txt")

    def find(self) -> Environment | None:
        """Return its environment; None if it was not made."""
        if self.requirements is None:
            return Environment(BUILD / self.name, Path(sys.executable))
        return find_environment(self.requirements, BUILD / self.name)

    def make(self, watch: Watch[[str]]) -> Environment:
        """Return its environment, which is made if it is missing."""
        return self.find() or make_environment(self._require_file(), BUILD / self.name, watch)

    def _require_file(self) -> Path:
        assert self.requirements is not None
        return self.requirements


def adapters(names: Iterable[str] = ()) -> list[Adapter]:
    """Return the adapters with some names, or all."""
    found = {}
    for script in sorted(ADAPTERS.glob(f"*{SUFFIX}.*")):
        name = script.stem.removesuffix(SUFFIX)
        files = [ADAPTERS / f"{name}.txt", ADAPTERS / f"{name}{NODE_SUFFIX}"]
        found[name] = Adapter(name, script, next(filter(Path.exists, files), None))
    if unknown := sorted(set(names) - set(found)):
        raise UsageError(f"expected adapters ({', '.join(found)}), got '{unknown[0]}'", argument="names")
    return [found[name] for name in names or found]


def gate(adapter: Adapter, environment: Environment) -> GateResult:
    """Run the gate over an adapter."""
    xfails = read_xfails(adapter.known) if adapter.known.exists() else ()
    target = environment.target_of(adapter.script)
    plan = GatePlan(target, load_profile("mechanisms"), timeout=TIMEOUT, xfails=xfails, shrinks=False)

    def line(_: float, step: Progress) -> str:
        return f"{adapter.name}: check {step.done} of {step.of}, {step.bad} failing"

    with Watch(line) as watch:
        return run_plan(plan, watch)


def summarise(result: GateResult, known: str, seconds: float) -> dict[str, Any]:
    """Return what the page says about a run; nothing about a failure that is not known but its operation."""
    hello = result.hello
    assert hello is not None, "the adapter did not answer"
    parts: dict[str, list[Outcome]] = {}
    for outcome in result.outcomes:
        if outcome.level != WIRE and outcome.request is not None:
            part = REFUSALS if outcome.level == REFUSAL else outcome.request["op"]
            parts.setdefault(part, []).append(outcome)
    return {
        "library": hello.name,
        "version": hello.version,
        "date": datetime.now(UTC).date().isoformat(),
        "cpu_seconds": round(seconds),
        "cases": result.coverage.n_judged,
        "verdicts": {part: judge(result, outcomes) for part, outcomes in parts.items()},
        "reasons": explain(known, result),
    }


def judge(result: GateResult, outcomes: Sequence[Outcome]) -> str:
    """Return the verdict on some outcomes."""
    if all(outcome.status is Status.SKIP for outcome in outcomes):
        return NOTHING
    bad = {outcome.check for outcome in outcomes if outcome.is_bad}
    return FAILED if bad - result.xfailed else KNOWN if bad else PASSED


def explain(known: str, result: GateResult) -> list[dict[str, Any]]:
    """Return the reasons of known failures with their labels; a reason is the comment above its entries."""
    reasons: dict[str, list[str]] = {}
    reason, is_open = "", False
    for line in map(str.strip, known.splitlines()):
        if line.startswith("#"):
            reason, is_open = f"{reason if is_open else ''} {line.lstrip('# ')}".strip(), True
        elif line:
            reasons.setdefault(reason, []).append(line)
            is_open = False
    rows = []
    for reason, patterns in reasons.items():
        entries = [KnownFailure(pattern, 1) for pattern in patterns]
        failed = [
            outcome
            for outcome in result.outcomes
            if outcome.is_bad and any(entry.matches(outcome.check) for entry in entries)
        ]
        labels = sorted({outcome.label for outcome in failed})
        rows.append({"reason": reason, "labels": labels, "cases": len(failed)})
    return rows


def render(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page."""
    runs = list(results.values())
    names = [*load_profile("mechanisms").operations, REFUSALS]
    rows = [
        [f"`{name}`" if name != REFUSALS else name]
        + [SIGNS[run["verdicts"].get(name, NOTHING)] for run in runs]
        for name in names
    ]
    parts = [HEAD, _table(["operation", *(run["library"] for run in runs)], rows)]
    parts += ["\n## Runs\n", "CPU time is that of privboost and of the library together.\n"]
    facts = [[run[key] for key in ("library", "version", "date", "cases", "cpu_seconds")] for run in runs]
    parts.append(_table(["library", "version", "date", "cases", "CPU seconds"], facts))
    parts.append("\n## Known failures\n")
    reasons = [
        [run["library"], row["reason"], ", ".join(f"`{label}`" for label in row["labels"]), row["cases"]]
        for run in runs
        for row in run["reasons"]
    ]
    parts.append(_table(["library", "reason", "labels", "cases"], reasons))
    new = sum(verdict == FAILED for run in runs for verdict in run["verdicts"].values())
    parts.append(f"\nVerdicts with ✗, whose reasons are told to the maintainers first: {new}.")
    return "\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def cpu_seconds() -> float:
    """Return the processor time of this process and of the programs that have ended."""
    usages = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def read_results() -> dict[str, dict[str, Any]]:
    """Return the summaries of all runs by the names of adapters."""
    results: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Gate adapters, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of adapters (default: all)")
    parser.add_argument("--environments", action="store_true", help="make the environments only")
    options = parser.parse_args(arguments)
    for adapter in adapters(options.names):
        with Watch[str](lambda _, step: step) as watch:
            environment = adapter.make(watch)
        if options.environments:
            continue
        start = cpu_seconds()
        result = gate(adapter, environment)
        print(headline(result))
        known = adapter.known.read_text("utf-8") if adapter.known.exists() else ""
        results = read_results() | {adapter.name: summarise(result, known, cpu_seconds() - start)}
        ordered = {name: results[name] for name in sorted(results)}
        write_files(BUILD, {f"{adapter.name}.json": to_json_text(result).encode()})
        text = json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"
        write_files(RESULTS.parent, {RESULTS.name: text.encode(), PAGE.name: render(ordered).encode()})
    return 0


if __name__ == "__main__":
    sys.exit(main())

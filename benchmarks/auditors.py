"""Published auditors on mechanisms of known loss: the table of docs/calibrate.md.

python benchmarks/auditors.py --install    makes an environment for each library in build/auditors first

Each library is judged as `privboost calibrate --auditor` judges it. An auditor that assumes Gaussian noise is
judged on that mechanism only.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from privboost.auditor.files.judging_page import conclusion_of
from privboost.auditor.judging.programs import AuditorTarget, auditor_of, check_auditor
from privboost.auditor.judging.trials import (
    JudgedAuditor,
    JudgedCase,
    judge_auditors,
    judging_cases,
)
from privboost.environments import find_environment, make_environment
from privboost.progress import counting

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS, ENVIRONMENTS = ROOT / "examples" / "auditors", ROOT / "build" / "auditors"
LEVEL, DELTA = 0.05, 1e-5
MECHANISMS = ("laplace", "randomised_response", "gaussian")


@dataclass(frozen=True)
class PublishedAuditor:
    """A function of a library, and the mechanisms that it is judged on."""

    requirements: str
    script: str
    arguments: str = ""
    mechanisms: tuple[str, ...] = MECHANISMS


AUDITORS = (
    PublishedAuditor("jax-privacy.txt", "jax_privacy_auditor.py", "epsilon_clopper_pearson"),
    PublishedAuditor("jax-privacy.txt", "jax_privacy_auditor.py", "epsilon_one_run"),
    PublishedAuditor("jax-privacy.txt", "jax_privacy_auditor.py", "epsilon_from_gdp", ("gaussian",)),
    PublishedAuditor("opake-auditing.txt", "opake_auditor.py"),
    PublishedAuditor("privacy-estimates.txt", "privacy_estimates_auditor.py"),
)


def main() -> int:
    """Print the table; the exit code is 1 if a library is not installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--install", action="store_true", help="install the libraries, each in its environment"
    )
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--our-runs", type=int, default=100)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    groups: dict[tuple[str, ...], list[AuditorTarget]] = {}
    for auditor in AUDITORS:
        target = _target_of(auditor, install=options.install)
        if target is None:
            print(f"{auditor.requirements} is not installed; --install installs it", file=sys.stderr)
            return 1
        groups.setdefault(auditor.mechanisms, []).append(target)
    print("| auditor | false at ε = 0 | false at the exact ε |", " | ".join(MECHANISMS), "|")
    print("|---|---|---|", "---|" * len(MECHANISMS), sep="")
    conclusions = []
    for mechanisms, targets in groups.items():
        with counting("tasks done") as watch:
            judged = judge_auditors(
                targets,
                [check_auditor(target) for target in targets],
                judging_cases(mechanisms, DELTA),
                runs=options.runs,
                our_runs=options.our_runs,
                calls=options.calls,
                level=LEVEL,
                jobs=options.jobs,
                progress=watch,
            )
        for each in judged if mechanisms == MECHANISMS else judged[:-1]:
            print(_row(each), flush=True)
            conclusions.append(conclusion_of(each))
    print("", *conclusions, sep="\n")
    return 0


def _target_of(auditor: PublishedAuditor, *, install: bool) -> AuditorTarget | None:
    requirements = SCRIPTS / auditor.requirements
    folder = ENVIRONMENTS / requirements.stem
    if install:
        environment = make_environment(requirements, folder, lambda line: print(line, file=sys.stderr))
    else:
        found = find_environment(requirements, folder)
        if found is None:
            return None
        environment = found
    return auditor_of(f"{environment.target_of(SCRIPTS / auditor.script)} {auditor.arguments}".strip(), 300)


def _row(judged: JudgedAuditor) -> str:
    cells = [judged.title]
    for has_equal_inputs in (True, False):
        cases = [case for case in judged.cases if case.case.has_equal_inputs == has_equal_inputs]
        worst = max(cases, key=lambda case: case.false / case.runs if case.runs else -1)
        cells.append(_rate(worst, judged.confidence))
    by_name = {case.case.mechanism: case for case in judged.cases if not case.case.has_equal_inputs}
    cells += [f"{by_name[name].tightness:.2f}" if name in by_name else "–" for name in MECHANISMS]
    return f"| {' | '.join(cells)} |"


def _rate(case: JudgedCase, confidence: float) -> str:
    if not case.runs:
        return f"no bounds ({case.refusal})"
    low, high = case.interval(confidence)
    name = f", {case.case.mechanism}" if case.false else ""
    return f"{case.false} of {case.runs} ({low:.1%} to {high:.1%}{name})"


if __name__ == "__main__":
    sys.exit(main())

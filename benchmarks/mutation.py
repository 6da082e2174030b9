"""Change the core of the fast learner in one place at a time, and check that a test fails.

    pip install cosmic-ray
    python benchmarks/mutation.py [--sample N] [--seed S] [--modules NAME ...] [--jobs N] [--results FILE]
    python benchmarks/mutation.py --again           # run surviving mutants again, for example with new tests
    python benchmarks/mutation.py --list            # print the mutants and check mutants.json; no tests

The operators of cosmic-ray make the mutants, and its test runner runs each of them in a copy of the checkout.
Mutants are shuffled with the seed, so that the first N are a uniform sample. A mutant runs the tests that
cover the changed line, then all tests of the fast learner, then the gate, up to the first failure. Results
are appended to a file as JSON lines, and an interrupted run is resumed from it. Surviving mutants that are
equivalent to the program are explained in `mutants.json`; an entry without a matching mutant is an error.

The runner of cosmic-ray alone would run one fixed command for all mutants, which takes minutes for each.
"""

from __future__ import annotations

import argparse
import ast
import json
import queue
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privboost.tables import Format, Table, render

try:
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator
    from cosmic_ray.testing import run_tests
    from cosmic_ray.work_item import TestOutcome
except ImportError:
    sys.exit(
        "benchmarks/mutation.py: expected cosmic-ray, which is not installed; run: pip install cosmic-ray"
    )

ROOT = Path(__file__).resolve().parent.parent
EXPLAINED = Path(__file__).resolve().parent / "mutants.json"
FAST = Path("privboost/fast")
GROWTH = ("alphas", "draws", "fit", "grower", "leaves", "split_laws", "splits", "trees")
TWINS = "kernels/twins"
MODULES = (*(f"growth/{name}" for name in GROWTH), "bits", "budgets", "loss", "estimators/forest", TWINS)
TESTS = ("fast/test_*.py", "reference/test_noisy_nets.py")
LEFT_OUT = ("cluster", "test_uci")
"""Parts of the names of tests that are not run: they start processes, or repeat others at real sizes."""
GATE = ("-m", "privboost", "gate", "fast", "--level", "mechanisms", "--level", "learner")
TEST_SECONDS, MUTANT_SECONDS = 120, 1800
"""Time limits of a single test and of a mutant."""
MEMORY = 8 << 20
"""Memory limit of a mutant, in KiB."""
KINDS = ("killed", "timeout", "equivalent", "survived")

REPLACED = {
    "BinaryOperator": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div FloorDiv_Mul Mod_Mul Pow_Mul "
    "LShift_RShift RShift_LShift BitAnd_BitOr BitOr_BitAnd BitXor_BitAnd",
    "ComparisonOperator": "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt "
    "Is_IsNot IsNot_Is",
    "UnaryOperator": "Delete_USub Delete_Not Delete_Invert",
}
OTHERS = (
    "AddNot NumberReplacer ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd "
    "ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer RemoveDecorator ZeroIterationForLoop"
)
OPERATORS = (
    *(f"Replace{kind}_{swap}" for kind, swaps in REPLACED.items() for swap in swaps.split()),
    *OTHERS.split(),
)
"""One replacement for every operator, and for comparisons also the one that moves the boundary. Cosmic-ray
has eleven for every binary operator; most of them, such as ** for -, fail in any test that runs the line."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change."""

    module: str
    operator: str
    occurrence: int
    line: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> str:
        """Return an identifier that is stable while the module does not change."""
        return f"{self.module}:{self.line}:{self.operator}:{self.occurrence}"


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield all distinct changes of a module that are not equivalent by their syntax tree."""
    seen = {behaviour(source)}
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        positions = (p for node in ast_nodes(get_ast(source)) for p in operator.mutation_positions(node))
        for occurrence, _ in enumerate(positions):
            changed = mutate_code(source, operator, occurrence)
            try:
                changed_behaviour = behaviour(changed)
            except SyntaxError:
                # The operators of cosmic-ray also match the stars of arguments.
                continue
            if changed_behaviour not in seen:
                seen.add(changed_behaviour)
                pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
                line, before, after = next((n, a, b) for n, (a, b) in enumerate(pairs, 1) if a != b)
                yield Mutant(module, name, occurrence, line, before.strip(), after.strip(), changed)


def behaviour(source: str) -> str:
    """Return the syntax tree without annotations, options of data classes and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call):
                    decorator.keywords = []
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)


# Running tests -------------------------------------------------------------------------------------------


def python(tree: Path, module: str, *arguments: str) -> str:
    """Return a shell command that runs Python on a tree; the NumPy passes need numba switched off."""
    threads = (f"{name}_NUM_THREADS=1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA"))
    numpy = ["PRIVBOOST_NUMPY_ONLY=1"] if module == TWINS else []
    return shlex.join(["env", *threads, *numpy, f"PYTHONPATH={tree}", sys.executable, *arguments])


def pytest(tree: Path, module: str, *arguments: str) -> str:
    """Return a shell command that runs tests up to the first failure, with a time limit for each."""
    limits = ("-o", f"faulthandler_timeout={TEST_SECONDS}", "-o", "faulthandler_exit_on_timeout=true")
    skipped = ("-k", " and ".join(f"not {part}" for part in LEFT_OUT))
    return python(
        tree, module, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *limits, *skipped, *arguments
    )


def test_files(tree: Path) -> list[str]:
    """Return the files of tests of the fast learner."""
    folder = tree / "privboost" / "oracle_tests" / "unit"
    return sorted(path.relative_to(tree).as_posix() for pattern in TESTS for path in folder.glob(pattern))


def covering_tests(tree: Path, modules: Collection[str]) -> dict[str, dict[int, list[str]]]:
    """Return the tests that run each line of each module, those that run the fewest lines of it first.

    Requires: modules that are run in the same way: the twins, or any others.
    """
    from coverage import CoverageData

    coverage = ("--cov", "privboost.fast", "--cov-context", "test", "--cov-report", "")
    command = pytest(tree, next(iter(modules)), *coverage, *test_files(tree))
    tests = subprocess.run(command, shell=True, cwd=tree, check=False, stdout=subprocess.PIPE, text=True)
    if tests.returncode:
        sys.exit(f"benchmarks/mutation.py: the tests fail without any change:\n{tests.stdout[-2000:]}")
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    return {module: _tests_by_line(data, module) for module in modules}


def _tests_by_line(data: Any, module: str) -> dict[int, list[str]]:
    # The options of the project make coverage record relative paths.
    contexts = data.contexts_by_lineno((FAST / f"{module}.py").as_posix())
    by_line = {line: {name.partition("|")[0] for name in names if name} for line, names in contexts.items()}
    lines = Counter(name for names in by_line.values() for name in names)
    return {line: sorted(names, key=lambda name: (lines[name], name)) for line, names in by_line.items()}


def run_mutant(tree: Path, mutant: Mutant, tests: Mapping[int, list[str]]) -> dict[str, Any]:
    """Run the tests and the gate on a tree with one mutant."""
    target = tree / FAST / f"{mutant.module}.py"
    original, start = target.read_text("utf-8"), time.monotonic()
    first, last = statement(mutant)
    covering = list(dict.fromkeys(name for line in range(first, last + 1) for name in tests.get(line, [])))
    commands = [
        f"exec 2>&1 && cd {shlex.quote(str(tree))} && ulimit -v {MEMORY}",
        *([pytest(tree, mutant.module, *covering)] if covering else []),
        pytest(tree, mutant.module, *test_files(tree)),
        python(tree, mutant.module, *GATE),
    ]
    target.write_text(mutant.source, "utf-8")
    try:
        outcome, output = run_tests(shlex.join(["bash", "-c", " && ".join(commands)]), MUTANT_SECONDS)
    finally:
        target.write_text(original, "utf-8")
    if outcome is TestOutcome.INCOMPETENT:
        raise RuntimeError(output)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    if outcome is TestOutcome.SURVIVED:
        kind, by = "survived", ""
    elif output == "timeout" or re.search(r"^Timeout \(", output, re.MULTILINE):
        kind, by = "timeout", ""
    else:
        kind, by = "killed", failed[0] if failed else "the gate or an import"
    return {"kind": kind, "by": by, "tests": len(covering), "seconds": round(time.monotonic() - start, 2)}


def statement(mutant: Mutant) -> tuple[int, int]:
    """Return the first and the last line of the simple statement, or of the head of a compound one."""
    lines = (mutant.line, mutant.line)
    for node in ast.walk(ast.parse(mutant.source)):
        if isinstance(node, ast.stmt) and node.lineno <= mutant.line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            lines = (node.lineno, max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or 0)
    return lines


def plant(tree: Path) -> None:
    """Copy the checkout to a tree with the layout of an installation."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = sorted(options["package-dir"].items())
    for package, folder in folders:
        target = tree.joinpath(*package.split("."))
        shutil.copytree(ROOT / folder, target, ignore=shutil.ignore_patterns("*.pyc"), dirs_exist_ok=True)
    for folder in ("docs", "tools"):
        shutil.copytree(ROOT / folder, tree / folder)
    shutil.copy2(ROOT / "pyproject.toml", tree)


class Results:
    """The results file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self.known = {entry["key"]: entry for entry in map(json.loads, lines)}

    def add(self, mutant: Mutant, result: Mapping[str, Any]) -> None:
        """Append a result."""
        change = {name: value for name, value in asdict(mutant).items() if name != "source"}
        entry = {"key": mutant.key, **change, **result}
        self.known[mutant.key] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def is_current(self, mutant: Mutant) -> bool:
        """Return whether there is a result for the same change."""
        entry = self.known.get(mutant.key)
        return bool(entry) and (entry["before"], entry["after"]) == (mutant.before, mutant.after)


def run(mutants: Sequence[Mutant], results: Results, snapshot: Path, jobs: int) -> None:
    """Run mutants, each in one of several copies of the snapshot, and keep the results."""
    trees: queue.Queue[Path] = queue.Queue()
    for index in range(jobs):
        trees.put(shutil.copytree(snapshot, snapshot.parent / f"tree{index}"))
    print("measuring coverage …", file=sys.stderr)
    modules = sorted({mutant.module for mutant in mutants})
    runs = ([name for name in modules if (name == TWINS) is is_twin] for is_twin in (False, True))
    tests = {name: lines for run in runs if run for name, lines in covering_tests(snapshot, run).items()}

    def run_one(mutant: Mutant) -> tuple[Mutant, dict[str, Any]]:
        tree = trees.get()
        try:
            return mutant, run_mutant(tree, mutant, tests[mutant.module])
        finally:
            trees.put(tree)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_one, mutant) for mutant in mutants]
        for done, future in enumerate(as_completed(futures), 1):
            mutant, result = future.result()
            results.add(mutant, result)
            outcome = f"{result['kind']} {result['by']} in {result['seconds']} s"
            print(f"{done} of {len(mutants)}: {mutant.key} {outcome}", file=sys.stderr)


Change = tuple[str, str, str]


def change_of(mutant: Mutant) -> Change:
    """Return the change of a mutant, which does not depend on line numbers."""
    return mutant.module, mutant.before, mutant.after


def explanations(mutants: Sequence[Mutant]) -> dict[Change, str]:
    """Return the reasons why some surviving mutants are equivalent to the program.

    Requires: all mutants of their modules, so that entries without a mutant are detected.
    """
    entries = json.loads(EXPLAINED.read_text("utf-8"))
    reasons = {(entry["module"], entry["before"], entry["after"]): entry["why"] for entry in entries}
    modules, made = {mutant.module for mutant in mutants}, set(map(change_of, mutants))
    stale = [str(change) for change in reasons if change[0] in modules and change not in made]
    if stale:
        sys.exit("\n".join([f"{EXPLAINED.name}: expected changes that a mutant makes, got", *stale]))
    return reasons


def kind_of(mutant: Mutant, results: Results, explained: Collection[Change]) -> str:
    """Return the kind of result of a mutant that was run."""
    kind: str = results.known[mutant.key]["kind"]
    return "equivalent" if kind == "survived" and change_of(mutant) in explained else kind


def summary(
    mutants: Sequence[Mutant], chosen: Sequence[Mutant], results: Results, explained: Collection[Change]
) -> Table:
    """Return the counts per module."""
    made = Counter(mutant.module for mutant in mutants)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in chosen:
        if results.is_current(mutant):
            for name in (mutant.module, "total"):
                counts[name][kind_of(mutant, results, explained)] += 1
    made["total"] = len(mutants)
    rows = []
    for name in [*(name for name in MODULES if name in counts), "total"]:
        kinds, total = counts[name], counts[name].total()
        detected = kinds["killed"] + kinds["timeout"]
        share = f"{100 * detected / total:.1f} %" if total else "-"
        rows.append((name, str(made[name]), str(total), *(str(kinds[kind]) for kind in KINDS), share))
    columns = ("module", "mutants", "run", *KINDS, "detected")
    return Table("benchmarks/mutation.py", columns, tuple(rows), not counts["total"]["survived"])


def main() -> int:
    """Run the benchmark, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sample", type=int, help="size of a uniform sample; default: all mutants")
    parser.add_argument("--seed", type=int, default=0, help="seed of the order of the mutants")
    parser.add_argument("--modules", nargs="+", choices=MODULES, default=MODULES, help="modules of fast/")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument(
        "--results", type=Path, default=Path("mutation.jsonl"), help="JSON lines; results in it are kept"
    )
    parser.add_argument("--again", action="store_true", help="run survivors without an explanation again")
    parser.add_argument(
        "--list", action="store_true", help="print the mutants and check mutants.json, but run no tests"
    )
    options = parser.parse_args()
    results = Results(options.results)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder) / "snapshot"
        plant(snapshot)
        print("making mutants …", file=sys.stderr)
        mutants = [
            mutant
            for name in options.modules
            for mutant in mutants_of(name, (snapshot / FAST / f"{name}.py").read_text("utf-8"))
        ]
        random.Random(options.seed).shuffle(mutants)
        chosen = mutants[: options.sample]
        explained = explanations(mutants)
        if options.list:
            print("".join(f"{m.key}\n  - {m.before}\n  + {m.after}\n" for m in chosen), end="")
            return 0
        todo = [mutant for mutant in chosen if not results.is_current(mutant)]
        if options.again:
            known = [mutant for mutant in chosen if results.is_current(mutant)]
            todo = [mutant for mutant in known if kind_of(mutant, results, explained) == "survived"]
        if todo:
            run(todo, results, snapshot, options.jobs)
    table = summary(mutants, chosen, results, explained)
    print(render(table, Format.TEXT), end="")
    for mutant in sorted(chosen, key=lambda mutant: (MODULES.index(mutant.module), mutant.line)):
        if results.is_current(mutant) and kind_of(mutant, results, explained) == "survived":
            print(f"{mutant.key}\n  - {mutant.before}\n  + {mutant.after}")
    return 0 if table.conforming else 1


if __name__ == "__main__":
    sys.exit(main())

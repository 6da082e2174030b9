"""Change the core of the fast learner in one place at a time, and see whether a test notices.

    python benchmarks/mutation.py [--sample N] [--seed S] [--modules NAME ...] [--jobs N] [--results FILE]
    python benchmarks/mutation.py --quick 0.3           # first without long tests, and without the gate
    python benchmarks/mutation.py --again               # then, or with new tests, the survivors once more
    python benchmarks/mutation.py --list                # the mutants, without a run

Mutants are made by the operators of cosmic-ray, in copies of the checkout. They are taken in an order that is
shuffled with the seed, so that the first N are a uniform sample. What asks a mutant: the tests of the fast
learner that run the changed line, the quickest killers first, up to the first failure; then the gate. Results
are appended to a file as JSON lines, and a run that was ended goes on where it was. Survivors that do the
same as the program are explained in `mutants.json`, by what they change; an entry of a change that is no
longer made is an error.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import math
import os
import queue
import random
import resource
import shutil
import signal
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

ROOT = Path(__file__).resolve().parent.parent
EXPLAINED = Path(__file__).resolve().parent / "mutants.json"
GROWTH = ("alphas", "draws", "fit", "grower", "leaves", "split_laws", "splits", "trees")
MODULES = (
    *(f"growth/{name}" for name in GROWTH),
    *("links", "spending", "randomness", "forest", "twins"),
)
TESTS = ("test_fast_*.py", "test_noisy_nets.py")
LEFT_OUT = ("cluster", "test_fast_uci")
"""Tests that are not asked, by a part of their names: they start processes, or are others at real sizes."""
LEVELS = ("mechanisms", "learner")
SECONDS, FACTOR = 5.0, 10.0
"""A test may take so many seconds of the processor, and this many times what it takes without a mutation."""
IMPORT_SECONDS, GATE_SECONDS = 30.0, 120.0
PATIENCE = 900.0
"""Seconds after which a mutant is ended in any case."""
MEMORY = 8 << 30
KINDS = ("killed", "timeout", "explained", "survived")

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
"""One replacement of every operator, and for comparisons also the one that moves the boundary. Cosmic-ray has
eleven of every binary operator; most of them, such as ** for -, fail in any test that runs the line."""


# Mutants -------------------------------------------------------------------------------------------------


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
        """Return a name that stays the same while the module does."""
        return f"{self.module}:{self.line}:{self.operator}:{self.occurrence}"


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield all changes of a module that are not the same program, each once."""
    try:
        from cosmic_ray.ast import Visitor, get_ast
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator
    except ImportError:
        sys.exit(
            "cosmic-ray is missing; into the environment that has privboost[test]: pip install cosmic-ray"
        )

    class Count(Visitor):  # type: ignore[misc, unused-ignore]
        """Counts the places where an operator can be applied."""

        def __init__(self, operator: Any) -> None:
            self.operator, self.found = operator, 0

        def visit(self, node: Any) -> Any:
            """Count the places at one node."""
            self.found += len(list(self.operator.mutation_positions(node)))
            return node

    seen = {behaviour(source)}
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        count = Count(operator)
        count.walk(get_ast(source))
        for occurrence in range(count.found):
            changed = mutate_code(source, operator, occurrence)
            try:
                does = behaviour(changed)
            except SyntaxError:
                # The stars of arguments are taken for operators.
                continue
            if does not in seen:
                seen.add(does)
                pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
                line, before, after = next((n, a, b) for n, (a, b) in enumerate(pairs, 1) if a != b)
                yield Mutant(module, name, occurrence, line, before.strip(), after.strip(), changed)


def behaviour(source: str) -> str:
    """Return what a program does: without annotations, options of data classes and texts of docstrings."""
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


# The worker: a process that has imported everything but the mutant, and forks ------------------------------


class Watch:
    """A pytest plugin: chooses and orders tests, bounds the time of each, and writes down what happens."""

    def __init__(self, tests: Sequence[str] | None, limits: Mapping[str, float], notes: Path) -> None:
        self.order = None if tests is None else {name: place for place, name in enumerate(tests)}
        self.limits, self.notes = limits, notes
        self.coverage: Any = None
        self.seconds: dict[str, float] = {}

    def note(self, text: str) -> None:
        """Write down what is going on, for the process that waits."""
        with self.notes.open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the chosen tests, in their order."""
        items[:] = [item for item in items if not any(part in item.nodeid for part in LEFT_OUT)]
        if self.order is not None:
            items[:] = [item for item in items if item.nodeid in self.order]
            items.sort(key=lambda item: self.order[item.nodeid] if self.order else 0)

    def pytest_runtest_setup(self, item: Any) -> None:
        """Set the alarm; what is cached is forgotten where the lines that a test runs are counted."""
        self.note(item.nodeid)
        if self.coverage is not None:
            forget_caches()
            self.coverage.switch_context(item.nodeid)
            return
        # Nobody handles this signal, so that it ends the process, whatever it is doing.
        signal.setitimer(signal.ITIMER_PROF, SECONDS + FACTOR * self.limits.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write down a failure, and how long a test took."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.note(f"FAILED {report.nodeid}")


def forget_caches() -> None:
    """Forget results that functions of the fast learner and of its tests keep."""
    for name, module in list(sys.modules.items()):
        if name.startswith("privboost.fast") or "test_" in name:
            for value in list(vars(module).values()):
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()


def forget_modules() -> None:
    """Make the next import read the fast learner, and all that imports it, again; compiled passes stay."""
    kept = ("privboost.errors", "privboost.reference", "privboost.tables", "privboost.fast.compiled")
    for name in [name for name in sys.modules if name.startswith("privboost.")]:
        if not name.startswith(kept):
            parent, _, last = name.rpartition(".")
            if hasattr(sys.modules.get(parent), last):
                delattr(sys.modules[parent], last)
            del sys.modules[name]


def pytest_run(tree: Path, files: Collection[str], watch: Watch | None, *options: str) -> int:
    """Run tests in this process, and return pytest's exit code."""
    import pytest

    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main(
        [*arguments, "--rootdir", str(tree), "-c", str(tree / "pyproject.toml"), *options, *files],
        plugins=[watch] if watch else [],
    )
    return int(code)


def test_files(tree: Path) -> list[str]:
    """Return the files of tests of the fast learner."""
    folder = tree / "privboost" / "oracle_tests"
    return sorted(path.relative_to(tree).as_posix() for pattern in TESTS for path in folder.glob(pattern))


def work(tree: Path) -> None:
    """Answer requests, one per line: fork, let the child run the tests, say what became of it."""
    os.chdir(tree)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    output = os.open(tree / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # All that is imported, and compiled, here need not be so in every child.
    pytest_run(tree, test_files(tree), None, "-k", "kernels")
    forget_modules()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(tree, json.loads(line))), file=answers, flush=True)


def answer(tree: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return what the tests say of the tree with one module changed."""
    target = tree / "privboost" / "fast" / f"{request['module']}.py"
    notes, stamp, original = tree / "notes.txt", target.stat(), target.read_bytes()
    notes.write_text("")
    if request["source"] is not None:
        target.write_text(request["source"], "utf-8")
    start = time.monotonic()
    child = os.fork()
    if not child:
        child_main(tree, request)
    status = wait(child, PATIENCE)
    target.write_bytes(original)
    os.utime(target, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    lines = notes.read_text("utf-8").splitlines()
    failed = [line.removeprefix("FAILED ") for line in lines if line.startswith("FAILED ")]
    found = {"seconds": round(time.monotonic() - start, 2), "by": (failed or lines or ["import"])[-1]}
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
        return {**found, "kind": "timeout"}
    return {**found, "kind": "killed" if status else "survived"}


def wait(child: int, seconds: float) -> int | None:
    """Return the status with which a child ends, or None if it has to be ended; what it started ends too."""
    end, status = time.monotonic() + seconds, None
    while status is None and time.monotonic() < end:
        pid, found = os.waitpid(child, os.WNOHANG)
        status = found if pid else None
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def child_main(tree: Path, request: dict[str, Any]) -> None:
    """Run the tests, and the gate if they pass, and end with 0 if all is well."""
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.dont_write_bytecode = True
        if request["source"] is not None:
            signal.setitimer(signal.ITIMER_PROF, IMPORT_SECONDS)
        if request["numpy"]:
            os.environ["PRIVBOOST_NUMPY_ONLY"] = "1"
        watch = Watch(request["tests"], request["limits"], tree / "notes.txt")
        if request["source"] is None:
            code = measure(tree, watch)
        else:
            files = {name.partition("::")[0] for name in request["tests"]}
            code = pytest_run(tree, sorted(files), watch)
            code = 0 if code == 5 else code  # 5: no test has been collected
            if not code and request["gate"]:
                signal.setitimer(signal.ITIMER_PROF, GATE_SECONDS)
                watch.note("gate")
                code = gate(watch)
    finally:
        sys.stdout.flush()
        os._exit(code)


def gate(watch: Watch) -> int:
    """Return 0 if the fast learner passes some levels of the gate."""
    from privboost.oracle_tests.gate.check import Level
    from privboost.oracle_tests.gate.naming import load_target
    from privboost.oracle_tests.gate.run import run_gate

    found = run_gate(load_target("fast"), tuple(Level(name) for name in LEVELS))
    if not found.passed:
        watch.note("FAILED gate: " + (found.failures[0].check if found.failures else "broken"))
    return 0 if found.passed else 1


def measure(tree: Path, watch: Watch) -> int:
    """Write down how long every test takes, and which lines it runs; return 0 if all pass."""
    from coverage import Coverage

    paths = {name: str(tree / "privboost" / "fast" / f"{name}.py") for name in MODULES}
    watch.coverage = Coverage(data_file=None, include=list(paths.values()), config_file=False)
    watch.coverage.start()
    code = pytest_run(tree, test_files(tree), watch)
    watch.coverage.stop()
    data = watch.coverage.get_data()
    lines = {name: data.contexts_by_lineno(path) for name, path in paths.items()}
    found = {"seconds": watch.seconds, "lines": lines}
    (tree / "measured.json").write_text(json.dumps(found), "utf-8")
    return code or gate(watch)


# The main process ----------------------------------------------------------------------------------------


class Worker:
    """A worker in a copy of the tree of its own."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker", str(tree)],
            env={**os.environ, **threads, "PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self.read() != "ready\n":
            raise RuntimeError(f"a worker did not start: {self.tail()}")

    def read(self) -> str:
        """Return the next line of the worker."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def tail(self) -> str:
        """Return the end of what the tests have printed."""
        return (self.tree / "output.txt").read_text("utf-8", "replace")[-3000:]

    def ask(self, **request: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        assert self.process.stdin is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self.read())
        return found

    def measured(self, module: str) -> dict[str, Any]:
        """Return the seconds and lines of every test of the unchanged program."""
        nothing = {"source": None, "tests": None, "limits": {}}
        found = self.ask(module=module, numpy=module == "twins", **nothing)
        if found["kind"] != "survived":
            raise RuntimeError(f"the unchanged program fails: {found}\n{self.tail()}")
        result: dict[str, Any] = json.loads((self.tree / "measured.json").read_text("utf-8"))
        return result

    def close(self) -> None:
        """Let the worker end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def plant(tree: Path) -> None:
    """Copy the checkout as it is installed, with compiled passes that numba has kept."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = sorted(options["package-dir"].items())
    for package, folder in folders:
        target = tree.joinpath(*package.split("."))
        shutil.copytree(ROOT / folder, target, ignore=shutil.ignore_patterns("*.pyc"), dirs_exist_ok=True)
    shutil.copy2(ROOT / "pyproject.toml", tree)


def digest(tree: Path) -> str:
    """Return a name of the learner and its tests as they are."""
    contents = hashlib.sha256()
    learner = sorted((tree / "privboost").glob("fast/**/*.py"))
    for path in [*learner, *(tree / name for name in test_files(tree))]:
        contents.update(path.read_bytes())
    return contents.hexdigest()[:16]


class Results:
    """The results file, and what is known of the tests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self.known = {entry["key"]: entry for entry in map(json.loads, lines)}

    def add(self, mutant: Mutant, found: Mapping[str, Any]) -> None:
        """Append a result."""
        shown = {name: value for name, value in asdict(mutant).items() if name != "source"}
        entry = {"key": mutant.key, **shown, **found}
        self.known[mutant.key] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def is_current(self, mutant: Mutant) -> bool:
        """Return whether a mutant has a result, of the same change."""
        entry = self.known.get(mutant.key)
        return bool(entry) and (entry["before"], entry["after"]) == (mutant.before, mutant.after)

    def killers(self, module: str) -> Counter[str]:
        """Return how many mutants of a module each test has killed."""
        return Counter(entry["by"] for entry in self.known.values() if entry["module"] == module)


def tests_of(mutant: Mutant, measured: Mapping[str, Any], killers: Counter[str]) -> list[str]:
    """Return the tests that run the changed line, or all for one that is run by imports; killers first."""
    seconds: dict[str, float] = measured["seconds"]
    contexts = measured["lines"][mutant.module]
    # A statement of many lines is known by its first one, and by others that it comes back to.
    first, last = statement(mutant)
    ran = {name for line in range(first, last + 1) for name in contexts.get(str(line), [])}
    chosen = [name for name in seconds if not ran or "" in ran or name in ran]
    return sorted(chosen, key=lambda name: (-killers[name] / (0.05 + seconds[name]), seconds[name]))


def statement(mutant: Mutant) -> tuple[int, int]:
    """Return the first and the last line of the simple statement, or of the head of a compound one."""
    found = (mutant.line, mutant.line)
    for node in ast.walk(ast.parse(mutant.source)):
        if isinstance(node, ast.stmt) and node.lineno <= mutant.line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            found = (node.lineno, max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or 0)
    return found


def measured_by(worker: Worker, results: Path, modules: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return seconds and lines of the tests, from beside the results if learner and tests are the same."""
    path, name = results.with_suffix(".measured.json"), digest(worker.tree)
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    kept = kept if kept.get("digest") == name else {"digest": name}
    for module in modules:
        mode = "numpy" if module == "twins" else "compiled"
        if mode not in kept:
            print(f"measuring the tests, {mode} passes …", file=sys.stderr)
            kept[mode] = worker.measured(module)
            path.write_text(json.dumps(kept), "utf-8")
    return {module: kept["numpy" if module == "twins" else "compiled"] for module in modules}


def run(mutants: Sequence[Mutant], results: Results, snapshot: Path, jobs: int, longest: float) -> None:
    """Ask all mutants with tests that take at most `longest`, and keep the results."""
    workers: queue.Queue[Worker] = queue.Queue()
    for number in range(jobs):
        tree = snapshot.parent / f"tree{number}"
        shutil.copytree(snapshot, tree)
        workers.put(Worker(tree))
    first = workers.get()
    measured = measured_by(first, results.path, sorted({mutant.module for mutant in mutants}))
    workers.put(first)

    def ask(mutant: Mutant) -> tuple[Mutant, dict[str, Any]]:
        worker = workers.get()
        try:
            known = measured[mutant.module]
            tests = tests_of(mutant, known, results.killers(mutant.module))
            tests = [name for name in tests if known["seconds"][name] <= longest]
            return mutant, {"tests": len(tests)} | worker.ask(
                module=mutant.module,
                source=mutant.source,
                tests=tests,
                limits={name: known["seconds"][name] for name in tests},
                numpy=mutant.module == "twins",
                gate=longest == math.inf,
            )
        finally:
            workers.put(worker)

    start, counts = time.monotonic(), Counter[str]()
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(ask, mutant) for mutant in mutants]):
            mutant, found = done.result()
            results.add(mutant, found)
            counts[found["kind"]] += 1
            said = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
            total = sum(counts.values())
            print(
                f"{total} of {len(mutants)}: {said}, {(time.monotonic() - start) / 60:.0f} min; {mutant.key} "
                f"{found['kind']} by {found['by']} in {found['seconds']} s",
                file=sys.stderr,
            )
    while not workers.empty():
        workers.get().close()


Change = tuple[str, str, str]


def change_of(mutant: Mutant) -> Change:
    """Return what a mutant changes, which stays the same if lines move."""
    return mutant.module, mutant.before, mutant.after


def explanations(mutants: Sequence[Mutant]) -> dict[Change, str]:
    """Return why some survivors do the same as the program.

    Requires: all mutants of their modules, so that entries of changes that are not made any more are found.
    """
    entries = json.loads(EXPLAINED.read_text("utf-8"))
    found = {(entry["module"], entry["before"], entry["after"]): entry["why"] for entry in entries}
    modules, made = {mutant.module for mutant in mutants}, set(map(change_of, mutants))
    for change in found:
        if change[0] in modules and change not in made:
            sys.exit(f"{EXPLAINED.name} explains what is no mutant any more: {change}")
    return found


def kind_of(mutant: Mutant, results: Results, explained: Collection[Change]) -> str:
    """Return what became of a mutant that was asked."""
    kind: str = results.known[mutant.key]["kind"]
    return "explained" if kind == "survived" and change_of(mutant) in explained else kind


def summary(
    mutants: Sequence[Mutant], asked: Sequence[Mutant], results: Results, explained: Collection[Change]
) -> Table:
    """Return the counts per module."""
    made = Counter(mutant.module for mutant in mutants)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in asked:
        if results.is_current(mutant):
            for name in (mutant.module, "in all"):
                counts[name][kind_of(mutant, results, explained)] += 1
    made["in all"] = len(mutants)
    rows = []
    for name in [*(name for name in MODULES if name in counts), "in all"]:
        found, total = counts[name], counts[name].total()
        noticed = found["killed"] + found["timeout"]
        share = f"{100 * noticed / total:.1f} %" if total else "-"
        rows.append((name, str(made[name]), str(total), *(str(found[kind]) for kind in KINDS), share))
    columns = ("module", "mutants", "asked", *KINDS, "noticed")
    return Table("benchmarks/mutation.py", columns, tuple(rows), not counts["in all"]["survived"])


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sample", type=int, help="so many mutants, drawn uniformly; default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the mutants")
    parser.add_argument("--modules", nargs="+", choices=MODULES, default=MODULES, help="of fast/")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, default=Path("mutation.jsonl"), help="JSON lines, continued")
    parser.add_argument(
        "--quick", type=float, default=math.inf, metavar="S", help="no test of more than S seconds, no gate"
    )
    parser.add_argument("--again", action="store_true", help="ask the survivors that nobody explains again")
    parser.add_argument("--list", action="store_true", help="list the mutants, and run nothing")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker)
        return 0
    results = Results(options.results)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder) / "snapshot"
        plant(snapshot)
        print("making mutants …", file=sys.stderr)
        mutants = [
            mutant
            for name in options.modules
            for mutant in mutants_of(
                name, (snapshot / "privboost" / "fast" / f"{name}.py").read_text("utf-8")
            )
        ]
        random.Random(options.seed).shuffle(mutants)
        chosen = mutants[: options.sample]
        if options.list:
            print("".join(f"{m.key}\n  - {m.before}\n  + {m.after}\n" for m in chosen), end="")
            return 0
        todo = [mutant for mutant in chosen if not results.is_current(mutant)]
        explained = explanations(mutants)
        if options.again:
            asked = [mutant for mutant in chosen if results.is_current(mutant)]
            todo = [mutant for mutant in asked if kind_of(mutant, results, explained) == "survived"]
        if todo:
            run(todo, results, snapshot, options.jobs, options.quick)
    table = summary(mutants, chosen, results, explained)
    print(render(table, Format.TEXT), end="")
    for mutant in sorted(chosen, key=lambda mutant: (MODULES.index(mutant.module), mutant.line)):
        if results.is_current(mutant) and kind_of(mutant, results, explained) == "survived":
            print(f"{mutant.key}\n  - {mutant.before}\n  + {mutant.after}")
    return 0 if table.conforming else 1


if __name__ == "__main__":
    sys.exit(main())

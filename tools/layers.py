"""Which folder may import what, the order of the rooms inside a folder, and the checks that read the source.

`FOLDERS` is the one table: the tests enforce it, and docs/architecture.svg is drawn from it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass

ANY = frozenset({"*"})
INTEGER_MATH = frozenset({"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod"})
"""What the reference may use of the `math` module: functions from integers to integers."""
DYNAMIC_IMPORTS = frozenset({"importlib", "runpy", "ctypes"})
OURS = frozenset({"privboost", "tools"})
STATIC = frozenset({"reference", "fast"})
"""Folders that share no code, which an import by name at run time could hide."""
ABSOLUTE = frozenset({"oracle_tests"})
"""Folders whose files import each other by their installed name: pytest knows tests by another name, and a
class that is imported under two names is two classes."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder at the top of the checkout."""

    purpose: str
    imports: tuple[str, ...]
    """The folders that it may import."""
    rooms: tuple[str, ...]
    """Its modules and sub-packages, lowest first: a room imports only rooms that stand before it."""
    distributions: frozenset[str] = frozenset()
    """What it may import besides the standard library."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FOLDERS = {
    "package": Folder(
        "errors, strict JSON, files, pages, plots; worker processes; targets",
        (),
        _words(
            "__init__ limits errors extras printing tables progress files environments strict_json pages "
            "plotting workers targets __main__"
        ),
        frozenset({"matplotlib", "distributed"}),
    ),
    "reference": Folder(
        "the paper, literally, in exact arithmetic",
        ("package",),
        _words("__init__ erratum exact data losses trees privacy mechanisms learners errata transcripts"),
    ),
    "symbolic": Folder(
        "derivations with computer algebra; the paper's Figure 1",
        ("package", "reference"),
        _words(
            "__init__ algebra formulas comparison partial_losses derive printed closed_forms "
            "sections registry loss_formulas figure1"
        ),
        frozenset({"sympy", "mpmath", "matplotlib"}),
    ),
    "proofs_check": Folder(
        "the ledger of the paper's claims, proof engines, a small trusted kernel",
        ("package", "reference", "symbolic"),
        _words(
            "__init__ kernel entry language engines hypotheses proofs coq_links claims book index assembly "
            "ledger record second_opinion consistency pages"
        ),
        frozenset({"sympy", "z3", "cvc5"}),
    ),
    "fast": Folder(
        "the vectorised learner, scikit-learn style",
        ("package",),
        _words(
            "arrays bits gaussian concentrated kernels protocol budgets cells labels features observed "
            "schema checks domain admission loss rows growth files estimators __init__"
        ),
        frozenset({"numpy", "scipy", "sklearn", "numba", "dask", "pyarrow", "matplotlib"}),
    ),
    "auditor": Folder(
        "lower bounds on the privacy loss of any mechanism",
        ("package", "reference", "fast"),
        _words(
            "numbers values pairs inputs mechanisms betting claims guessing result running calibration "
            "judging conclusion run smallest described audit estimator_audit stability replay canaries files "
            "__init__"
        ),
        frozenset({"hypothesis", "numpy", "scipy", "sklearn", "threadpoolctl", "matplotlib"}),
    ),
    "study": Folder(
        "the paper's experiments",
        ("package", "fast"),
        _words("__init__ grid simulation data outcome models store report run"),
        frozenset({"numpy", "scipy", "numba", "pandas", "pyarrow", "matplotlib"}),
    ),
    "gate": Folder(
        "conformance checks for implementations in any language",
        ("package", "reference", "fast", "auditor"),
        _words(
            "__init__ protocol check profile profiles mistakes pages known_failures plan targets vectors "
            "checks shrink result reports run kill_matrix trees mechanisms"
        ),
        frozenset({"numpy"}),
    ),
    "scoreboard": Folder(
        "libraries side by side: verdicts of the gate, audits and checks of stability",
        ("package", "auditor", "gate"),
        _words("__init__ libraries tasks run index findings public page saving"),
    ),
    "cli": Folder(
        "the command line and the report",
        _words("package reference symbolic proofs_check fast auditor study gate scoreboard"),
        _words("__init__ exit_codes arguments card commands report app"),
        frozenset({"sklearn"}),
    ),
    "tools": Folder(
        "programs of the Makefile, which are not installed",
        _words("package reference symbolic proofs_check fast auditor study gate scoreboard cli"),
        _words(
            "__init__ layers environments vector_archive architecture coverage_gate new sessions action site "
            "fast_inputs coq_development coq_statements hollowings coq_hollow coq_budgets coq_links "
            "extraction mutations fuzzed_files fuzzing kills"
        ),
        ANY,
    ),
    "oracle_tests": Folder(
        "the gate as tests of any target; our own tests",
        _words("package reference symbolic proofs_check fast auditor study gate scoreboard cli tools"),
        _words("__init__ conformance plugin support unit"),
        ANY,
    ),
}
"""The folders, lowest first. `package` is the root package `privboost`; all but `tools` are installed."""

NARROW = {
    "reference": (("privboost.errors", "privboost.strict_json", "privboost.reference"), frozenset[str]()),
    "proofs_check/kernel": (("privboost.reference.exact", "privboost.proofs_check.kernel"), frozenset[str]()),
    "proofs_check/language": (("privboost.proofs_check.kernel",), frozenset[str]()),
    "proofs_check/book/formulas": (
        ("privboost.proofs_check.kernel", "privboost.proofs_check.language"),
        frozenset[str](),
    ),
    "proofs_check/book/blocks": (("privboost.proofs_check.book.formulas",), frozenset[str]()),
    "package/__init__": ((), frozenset[str]()),
    "package/__main__": (("privboost.cli",), frozenset[str]()),
    "package/plotting": (("privboost.errors", "privboost.printing"), frozenset({"matplotlib"})),
    "package/workers": (
        ("privboost.errors", "privboost.extras", "privboost.progress", "privboost.workers"),
        frozenset({"distributed"}),
    ),
    "oracle_tests/conformance": (("privboost",), ANY),
    "oracle_tests/plugin": (("privboost",), ANY),
    "benchmarks": (("privboost",), ANY),
}
"""Parts with a rule of their own: what they may import of the project, and which distributions.

`package/__main__` is the one exception to the arrows: three lines that start the command line.
"""


@dataclass(frozen=True, slots=True)
class Import:
    """One import: a module, or a name of a module."""

    line: int
    relative: bool
    module: str
    """The absolute name of the module."""
    name: str = ""


def module_of(path: str) -> str:
    """Return the name by which a file is imported, given by its path in the checkout."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    if parts[0] == "tools":
        return ".".join(parts)
    return ".".join(["privboost", *(parts[1:] if parts[0] == "package" else parts)])


def package_of(path: str) -> str:
    """Return the package that relative imports of a file start from."""
    module = module_of(path)
    return module if path.endswith("__init__.py") else module.rpartition(".")[0]


def location_of(module: str) -> tuple[str, str]:
    """Return the folder of a module and its room: the file or sub-package right below the folder."""
    parts = module.split(".")
    if parts[0] == "privboost":
        parts = parts[1:]
    folder = parts.pop(0) if parts and parts[0] in FOLDERS else "package"
    return folder, parts[0] if parts else "__init__"


def imports_of(path: str, source: str, modules: Set[str]) -> Iterator[Import]:
    """Yield what a file imports anywhere in it; `from package import module` yields the module."""
    package = package_of(path)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, False, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.rsplit(".", node.level - 1)[:1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                is_module = inner in modules or base == "privboost"
                yield Import(node.lineno, bool(node.level), *((inner,) if is_module else (base, alias.name)))


def check_imports(sources: Mapping[str, str], paths: Collection[str] = ()) -> list[str]:
    """Return one complaint for every import that the table forbids, or that is written the wrong way.

    `paths` are those of all files of the checkout, if they are more than the sources.
    """
    modules = {module_of(path) for path in paths}
    packages = {module_of(path) for path in paths if path.endswith("/__init__.py")}
    return [
        f"{path}:{item.line}: {item.module} {item.name}".rstrip() + f": {complaint}"
        for path, source in sources.items()
        for item in imports_of(path, source, modules)
        if (complaint := _complaint(path, item, packages))
    ]


def _complaint(path: str, item: Import, packages: Set[str]) -> str:
    """Return a complaint about an import, or an empty string."""
    folder, _, _ = path.partition("/")
    parts = [part for part in NARROW if path == f"{part}.py" or path.startswith(f"{part}/")]
    narrow = max(parts, key=len, default="")
    if item.module.partition(".")[0] not in OURS:
        return _foreign_complaint(
            folder, NARROW[narrow][1] if narrow else FOLDERS[folder].distributions, item
        )
    package = package_of(path)
    is_sibling = item.module == package or (
        item.module.rpartition(".")[0] == package and item.module not in packages
    )
    if item.relative != (is_sibling and folder not in ABSOLUTE):
        return "a file of the same folder is imported by relative name, any other by absolute name"
    target, _ = location_of(item.module)
    if item.name.startswith("_") and not item.name.endswith("__") and target != folder:
        return "a private name stays in its folder"
    if narrow:
        is_allowed = any(f"{item.module}.".startswith(f"{part}.") for part in NARROW[narrow][0])
    else:
        is_allowed = target == folder or target in FOLDERS[folder].imports
    return "" if is_allowed else f"{narrow or folder} may not import this part of privboost"


def _foreign_complaint(folder: str, allowed: frozenset[str], item: Import) -> str:
    top, _, _ = item.module.partition(".")
    if folder in STATIC and top in DYNAMIC_IMPORTS:
        return f"{folder} must not import by name at run time"
    if folder != "oracle_tests" and f"{item.module}.{item.name}".startswith("unittest"):
        return "only tests replace parts of a program"
    return "" if allowed == ANY or top in sys.stdlib_module_names | allowed else f"{folder} may not use it"


def check_attributes(sources: Mapping[str, str]) -> list[str]:
    """Return one complaint for every private name that is reached through a module of another folder."""
    modules = {module_of(path) for path in sources}
    complaints = []
    for path, source in sources.items():
        nodes = list(ast.walk(ast.parse(source)))
        bound = {
            alias.asname or alias.name: module
            for node in nodes
            if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
            for alias in node.names
            if (module := ".".join(filter(None, (getattr(node, "module", ""), alias.name)))) in modules
        }
        for node in nodes:
            match node:
                case ast.Attribute(attr=name) if name.startswith("_") and not name.endswith("__"):
                    owner = ast.unparse(node.value)
                    if owner in bound and location_of(bound[owner])[0] != path.partition("/")[0]:
                        complaints.append(f"{path}:{node.lineno}: {owner}.{name} is private")
    return complaints


def import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the modules of privboost that each module imports, at the top or inside a function."""
    modules = {module_of(path): path for path in sources}
    return {
        module: {item.module for item in imports_of(path, sources[path], modules.keys())}.union(
            _named_modules(path, sources[path])
        )
        & modules.keys() - {module}
        for module, path in modules.items()
    }


def _named_modules(path: str, source: str) -> Iterator[str]:
    """Yield the names of modules that a package has in strings, to be loaded when they are needed."""
    if path.endswith("__init__.py"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{module_of(path)}.{node.value}"


def check_rooms(sources: Mapping[str, str]) -> list[str]:
    """Return one complaint for every room that imports a room of its folder above it, or has no place."""
    complaints = []
    for module, imported in import_graph(sources).items():
        folder, room = location_of(module)
        order = FOLDERS[folder].rooms
        if room not in order:
            complaints.append(f"{module}: {room} is no room of {folder} in the table")
            continue
        for target in sorted(imported):
            target_folder, target_room = location_of(target)
            above = order[order.index(room) + 1 :] if target_folder == folder else ()
            # The `__init__` of a folder gathers its public names from all of its rooms.
            if target_room in above and room != "__init__":
                complaints.append(f"{module} imports {target}, which stands above it")
    return complaints


def check_cycles(sources: Mapping[str, str]) -> list[str]:
    """Return the modules that import each other in a circle."""
    graph, size = import_graph(sources), -1
    # A module that imports no other one, or that no other one imports, is in no circle.
    while size != len(graph):
        size, used = len(graph), set().union(*graph.values())
        graph = {module: graph[module] & graph.keys() for module in graph.keys() & used}
        graph = {module: imported for module, imported in graph.items() if imported}
    return sorted(graph)


def check_no_floats(path: str, source: str) -> list[str]:
    """Return one complaint for every place of a file that makes a float."""
    complaints = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex()):
                complaint = f"the literal {node.value!r}"
            case ast.Call(func=ast.Name(id="float" | "complex" as maker)):
                complaint = f"a call of {maker}"
            case ast.Attribute(value=ast.Name(id="math" | "cmath"), attr=attribute) if (
                attribute not in INTEGER_MATH
            ):
                complaint = f"math.{attribute}"
            case ast.ImportFrom(module="math" | "cmath", names=names) if {
                alias.name for alias in names
            } - INTEGER_MATH:
                complaint = "an import of functions on floats"
            case _:
                continue
        complaints.append(f"{path}:{node.lineno}: {complaint}")
    return complaints

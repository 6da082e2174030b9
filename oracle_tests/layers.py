"""Which folder may import what, and the check that reads it from the source.

The reference stands on the standard library alone, the fast learner never sees the reference, and folders
import each other by absolute name and their own files by relative name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

OWN = frozenset({"reference", "symbolic", "proofs_check", "fast", "auditor", "oracle_tests", "study"})
"""The folders that are installed as `privboost.<folder>`; `package` is the root package itself."""

ANY = frozenset({"*"})
INTEGER_MATH = frozenset({"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod"})
"""What the reference may use of the `math` module: functions from integers to integers."""

INSTALLED = ("oracle_tests.gate", "oracle_tests.faulty")
"""Packages that files of `oracle_tests` may import by absolute name: pytest knows tests under another name
than the installed one, and a class that is imported under both names is two classes."""

PRODUCTS = ("oracle_tests.gate.", "oracle_tests.faulty.")
"""What is tested where the tests are: pytest would load a second copy of it by relative name."""

DYNAMIC_IMPORTS = frozenset({"importlib", "runpy", "ctypes"})


@dataclass(frozen=True, slots=True)
class Layer:
    """What a folder may import besides the standard library, `privboost.errors` and itself."""

    modules: frozenset[str]
    distributions: frozenset[str]


LAYERS = {
    "reference": Layer(frozenset(), frozenset()),
    "symbolic": Layer(frozenset({"reference", "files"}), frozenset({"sympy", "mpmath", "matplotlib"})),
    "proofs_check": Layer(frozenset({"symbolic", "reference", "files"}), frozenset({"sympy", "z3", "cvc5"})),
    "proofs_check/kernel": Layer(frozenset({"reference.exact"}), frozenset()),
    "fast": Layer(
        frozenset(), frozenset({"numpy", "scipy", "sklearn", "numba", "dask", "pyarrow", "matplotlib"})
    ),
    "auditor": Layer(
        frozenset({"reference", "fast", "files", "printing", "targets", "workers"}),
        frozenset({"numpy", "scipy", "matplotlib"}),
    ),
    "study": Layer(
        OWN - {"oracle_tests"} | {"files"}, frozenset({"numpy", "scipy", "numba", "pyarrow", "matplotlib"})
    ),
    "package": Layer(ANY, frozenset()),
    "package/__init__": Layer(frozenset(), frozenset()),
    "package/errors": Layer(frozenset(), frozenset()),
    "oracle_tests": Layer(ANY, ANY),
    "benchmarks": Layer(ANY, ANY),
}


def layer_of(path: str) -> str:
    """Return the name of the most special layer that holds a file, given by its path in the checkout."""
    stem = path.removesuffix(".py")
    holders = [name for name in LAYERS if stem == name or stem.startswith((f"{name}/", f"{name}_"))]
    if not holders:
        raise LookupError(f"{path} belongs to no layer")
    return max(holders, key=len)


def check_imports(path: str, source: str) -> list[str]:
    """Return one complaint for every import of a file that its layer forbids."""
    complaints = []
    for line, level, module in _imports(ast.parse(source)):
        if level > 1:
            complaint = "a relative import names a file of the same folder"
        elif level == 1:
            complaint = _relative_complaint(path, module)
        elif module.partition(".")[0] == "privboost":
            complaint = _own_complaint(path, module.partition(".")[2])
        else:
            complaint = _foreign_complaint(path, module.partition(".")[0])
        if complaint:
            complaints.append(f"{path}:{line}: {'.' * level}{module}: {complaint}")
    return complaints


def _imports(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    """Yield line, level and full name of everything that is imported anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, 0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module in {"", "privboost"}:
                # `from privboost import fast` and `from . import fast` name the module in the list of names.
                names = [f"{module}.{alias.name}".removeprefix(".") for alias in node.names]
            else:
                names = [module]
            yield from ((node.lineno, node.level, name) for name in names)


def _relative_complaint(path: str, module: str) -> str:
    """Return what is wrong with an import from the same folder: a special layer leans on itself alone."""
    name = layer_of(path)
    target = f"{path.rpartition('/')[0]}/{module.replace('.', '/')}"
    return (
        ""
        if "/" not in name or layer_of(target) == name
        else f"{name} may not import this part of its folder"
    )


def _foreign_complaint(path: str, top: str) -> str:
    """Return what is wrong with an import from outside privboost, or nothing."""
    name = layer_of(path)
    if top in DYNAMIC_IMPORTS and name == "reference":
        return "the reference must not import by name at run time"
    allowed = LAYERS[name].distributions
    return "" if top in sys.stdlib_module_names | allowed or allowed == ANY else f"{name} may not use it"


def _own_complaint(path: str, rest: str) -> str:
    """Return what is wrong with an import of `privboost.<rest>`, or nothing."""
    name = layer_of(path)
    folder = path.rpartition("/")[0].replace("/", ".")
    if folder == "package":
        inside = rest.partition(".")[0] not in OWN
    else:
        inside = f"{rest}.".startswith(f"{folder.removeprefix('package.')}.") and not _is_product(path, rest)
        inside = inside and not rest.startswith(INSTALLED)
    if inside:
        return "a file of the same folder is imported by relative name"
    granted = LAYERS[name].modules | {"errors"} | ({folder.partition(".")[0]} if "/" not in name else set())
    allowed = granted >= ANY or any(f"{rest}.".startswith(f"{grant}.") for grant in granted)
    return "" if allowed else f"{name} may not import this part of privboost"


def _is_product(path: str, rest: str) -> bool:
    """Return whether a test imports a part of its folder that it tests, as it is installed."""
    return path.startswith("oracle_tests/test_") and f"{rest}.".startswith(PRODUCTS)


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

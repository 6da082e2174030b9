"""The arrows between folders and rooms, and no floats in the reference, read from the source."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from itertools import chain

import pytest

from privboost.oracle_tests.support.checkout import ROOT
from tools.layers import FOLDERS, check_attributes, check_cycles, check_imports, check_no_floats, check_rooms

MOST_MODULES = 30
INTERNAL_CYCLE = "privboost.reference.exact"
"""Numbers of the tower are made from each other: the one circle of modules that is meant."""

MODEL = "gate/trees/faulty/"
"""An implementation that shares no code with the others; its classes have the words of the protocol."""

SAME_NAME = {
    "Level": {"gate/mechanisms/levels.py", "gate/trees/levels.py"},
    # Each has its own measure of how far a run is.
    "Progress": {"auditor/running/calling.py", "gate/result.py", "study/run.py"},
    # Other questions, other answers.
    "Verdict": {
        "auditor/result.py",
        "gate/reports/tally.py",
        "proofs_check/entry.py",
        "reference/losses/predicates.py",
    },
    # Both sides of an erratum at a point; the outputs of an audit as a file.
    "Witness": {"auditor/files/witness.py", "reference/erratum.py"},
}
"""Classes of one name in several modules, and why each keeps it."""


@cache
def sources() -> dict[str, str]:
    """Return the source of every Python file, by its path in the checkout."""
    paths = chain.from_iterable(sorted((ROOT / folder).rglob("*.py")) for folder in (*FOLDERS, "benchmarks"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def of_folder(folder: str) -> dict[str, str]:
    """Return the sources of one folder."""
    return {path: source for path, source in sources().items() if path.startswith(f"{folder}/")}


def product() -> dict[str, str]:
    """Return the sources that users install, without the tests."""
    return {
        path: source
        for path, source in sources().items()
        if path.split("/")[0] in set(FOLDERS) - {"oracle_tests", "tools"}
    }


def repeated_classes(files: dict[str, str]) -> dict[str, list[str]]:
    """Return the classes whose name occurs in several modules other than one of fast and one of reference."""
    where = defaultdict(list)
    for path, source in files.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not path.startswith(MODEL):
                where[node.name].append(path)
    return {
        name: paths
        for name, paths in where.items()
        if len(paths) > 1 and sorted(path.split("/")[0] for path in paths) != ["fast", "reference"]
    }


@pytest.mark.parametrize("folder", [*FOLDERS, "benchmarks"])
def test_layers__folder_imports_only_what_it_may(folder: str) -> None:
    assert of_folder(folder), f"{folder} has no Python file"
    assert check_imports(of_folder(folder), sources().keys()) == []


def test_layers__no_private_name_is_reached_through_a_module() -> None:
    assert check_attributes(sources()) == []


@pytest.mark.parametrize(
    ("source", "owner"),
    [
        ("from privboost.auditor import audit", "audit"),
        ("import privboost.auditor.audit as module", "module"),
        ("import privboost.auditor.audit", "privboost.auditor.audit"),
    ],
)
def test_layers__private_name_of_another_folder_is_noticed(source: str, owner: str) -> None:
    files = {"gate/run.py": f"{source}\n{owner}._x", "auditor/audit.py": "_x = 1"}
    assert check_attributes(files) == [f"gate/run.py:2: {owner}._x is private"]


def test_layers__no_room_imports_a_room_above_it() -> None:
    installed = {path: source for path, source in sources().items() if not path.startswith("benchmarks/")}
    assert check_rooms(installed) == []


def test_layers__every_room_of_the_table_exists() -> None:
    missing = [
        f"{folder}/{room}"
        for folder, entry in FOLDERS.items()
        for room in entry.rooms
        if not (ROOT / folder / room / "__init__.py").is_file()
        and not (ROOT / folder / f"{room}.py").is_file()
    ]
    assert missing == []


def test_layers__no_modules_import_each_other_in_a_circle() -> None:
    assert [module for module in check_cycles(product()) if not module.startswith(INTERNAL_CYCLE)] == []


def test_layers__every_folder_with_python_is_in_the_table() -> None:
    ignored = {"benchmarks", "build", "dist", "docs", "report"}
    tops = {path.relative_to(ROOT).parts[0] for path in ROOT.glob("*/*.py")}
    assert {top for top in tops if not top.startswith(".")} - ignored == set(FOLDERS)


def test_layers__no_folder_has_too_many_modules() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in sources():
        counts[path.rpartition("/")[0]] += 1
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_layers__one_class_of_each_name() -> None:
    assert {name: set(paths) for name, paths in repeated_classes(product()).items()} == SAME_NAME


def test_layers__second_class_of_a_name_is_noticed() -> None:
    files = {"gate/check.py": "class Twin: ...", "study/grid.py": "class Twin: ..."}
    assert repeated_classes(files) == {"Twin": ["gate/check.py", "study/grid.py"]}
    assert repeated_classes({"gate/check.py": "class Twin: ...", f"{MODEL}model.py": "class Twin: ..."}) == {}
    assert repeated_classes({"fast/loss.py": "class Twin: ...", "reference/loss.py": "class Twin: ..."}) == {}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("reference/losses/square.py", "import numpy"),
        ("reference/losses/square.py", "def f():\n    from sympy import sqrt"),
        ("reference/losses/square.py", "from privboost.symbolic import derive"),
        ("reference/losses/square.py", "from privboost import symbolic"),
        ("reference/losses/square.py", "from privboost.files import write_files"),
        ("reference/losses/square.py", "from privboost.reference.losses.loss import Loss"),
        ("reference/losses/square.py", "from ..exact import sqrt"),
        ("reference/losses/square.py", "from ...symbolic import derive"),
        ("reference/losses/square.py", "import importlib"),
        ("fast/domain.py", "import privboost.reference.losses"),
        ("fast/domain.py", "from privboost import reference"),
        ("fast/domain.py", "import importlib"),
        ("fast/domain.py", "from privboost.symbolic.derive import link"),
        ("symbolic/derive.py", "import scipy.optimize"),
        ("symbolic/derive.py", "from privboost.proofs_check import ledger"),
        ("proofs_check/kernel/terms.py", "import sympy"),
        ("proofs_check/kernel/terms.py", "from privboost.reference.losses import SQUARE"),
        ("proofs_check/kernel/terms.py", "from privboost.proofs_check.ledger import entries"),
        ("auditor/audit.py", "from privboost.symbolic import derive"),
        ("auditor/audit.py", "from privboost.fast.domain import _private"),
        ("auditor/audit.py", "from unittest.mock import patch"),
        ("package/errors.py", "from privboost.reference import exact"),
        ("package/__init__.py", "from privboost.reference import exact"),
        ("package/__init__.py", "from .errors import UsageError"),
        ("package/tables.py", "import numpy"),
        ("package/tables.py", "from privboost.errors import UsageError"),
        ("gate/check.py", "from privboost.study import grid"),
        ("gate/check.py", "from privboost.cli import app"),
        ("study/grid.py", "from privboost.oracle_tests import plugin"),
        ("cli/commands/prove.py", "from ..arguments import seed"),
        ("cli/app.py", "from tools.sessions import run"),
        ("oracle_tests/conformance/test_gate.py", "from tools.sessions import run"),
        ("oracle_tests/plugin.py", "from tools.sessions import run"),
        ("tools/site.py", "from tools.sessions import run"),
        ("tools/site.py", "from privboost.oracle_tests.support.checkout import ROOT"),
        ("oracle_tests/unit/cli/test_cli.py", "from .test_audit import run"),
    ],
)
def test_layers__violation_is_rejected(path: str, source: str) -> None:
    assert len(check_imports({path: source})) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "reference/losses/square.py",
            "from fractions import Fraction\nfrom privboost.errors import Undecided",
        ),
        ("reference/losses/square.py", "from privboost.reference.exact import sqrt\nfrom .names import name"),
        ("symbolic/derive.py", "import sympy\nfrom privboost.reference.losses import SQUARE"),
        (
            "proofs_check/kernel/terms.py",
            "from privboost.reference.exact import Surd\nfrom .polynomials import P",
        ),
        ("fast/domain.py", "import numpy\nfrom sklearn.base import BaseEstimator"),
        (
            "cli/commands/losses.py",
            "from privboost.errors import UsageError\nfrom privboost.reference import losses",
        ),
        ("oracle_tests/support/x.py", "import flint\nfrom tools.layers import FOLDERS"),
    ],
)
def test_layers__allowed_import_is_accepted(path: str, source: str) -> None:
    assert check_imports({path: source}) == []


def test_layers__room_below_another_is_rejected() -> None:
    files = {
        "gate/check.py": "from privboost.gate.reports.text import summary",
        "gate/reports/text.py": "",
    }
    assert len(check_rooms(files)) == 1
    assert check_rooms({"gate/unheard_of.py": ""}) == [
        "privboost.gate.unheard_of: unheard_of is no room of gate in the table"
    ]


def test_layers__circle_is_found() -> None:
    files = {
        "gate/check.py": "from .result import R",
        "gate/result.py": "def f():\n    from .check import C",
        "gate/run.py": "from .check import C",
    }
    assert check_cycles(files) == ["privboost.gate.check", "privboost.gate.result"]


def test_reference__makes_no_float() -> None:
    files = of_folder("reference")
    assert files
    assert [complaint for path, source in files.items() for complaint in check_no_floats(path, source)] == []


@pytest.mark.parametrize(
    "source",
    ["x = 0.5", "x = 1e3", "x = 2j", "x = float(3)", "import math\nx = math.sqrt(2)", "from math import log"],
)
def test_reference__float_is_rejected(source: str) -> None:
    assert len(check_no_floats("reference/made_up.py", source)) == 1


@pytest.mark.parametrize(
    "source", ["x = isinstance(y, float)", "import math\nx = math.isqrt(9)", "x = 1 << 3"]
)
def test_reference__integer_code_is_accepted(source: str) -> None:
    assert check_no_floats("reference/made_up.py", source) == []

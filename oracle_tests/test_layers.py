"""The arrows between the folders, and the absence of floats from the reference, read from the source."""

from __future__ import annotations

import pytest

from .checkout import ROOT, needs_checkout
from .layers import check_imports, check_no_floats, layer_of

FOLDERS = (
    "auditor",
    "benchmarks",
    "fast",
    "oracle_tests",
    "package",
    "proofs_check",
    "reference",
    "study",
    "symbolic",
)


def sources(folder: str) -> dict[str, str]:
    """Return the text of every Python file of a folder, by its path in the checkout."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@needs_checkout
@pytest.mark.parametrize("folder", FOLDERS)
def test_layers__folder_imports_only_what_it_may(folder: str) -> None:
    found = sources(folder)
    assert found, f"{folder} has no Python file"
    assert [complaint for path, text in found.items() for complaint in check_imports(path, text)] == []


@needs_checkout
def test_layers__every_folder_with_python_has_a_layer() -> None:
    ignored = {"build", "dist", "report"}
    tops = {path.relative_to(ROOT).parts[0] for path in ROOT.glob("*/*.py")}
    assert {top for top in tops if not top.startswith(".")} - ignored == set(FOLDERS)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("reference/losses/square.py", "import numpy"),
        ("reference/losses/square.py", "def f():\n    from sympy import sqrt"),
        ("reference/losses/square.py", "from privboost.symbolic import losses"),
        ("reference/losses/square.py", "from privboost import symbolic"),
        ("reference/losses/square.py", "from privboost.files import write_files"),
        ("reference/losses/square.py", "from privboost.reference.losses.loss import Loss"),
        ("reference/losses/square.py", "from ..exact import sqrt"),
        ("reference/losses/square.py", "from ...symbolic import losses"),
        ("reference/losses/square.py", "import importlib"),
        ("fast/learner.py", "import privboost.reference.losses"),
        ("fast/learner.py", "from privboost import reference"),
        ("fast/learner.py", "from privboost.symbolic.registry import derivations"),
        ("symbolic/losses.py", "import scipy.optimize"),
        ("symbolic/losses.py", "from privboost.proofs_check import ledger"),
        ("proofs_check/kernel.py", "import sympy"),
        ("proofs_check/kernel.py", "from privboost.reference.losses import SQUARE"),
        ("proofs_check/kernel.py", "from privboost.symbolic import losses"),
        ("proofs_check/kernel.py", "from .ledger import ENTRIES"),
        ("auditor/betting.py", "from privboost.symbolic import losses"),
        ("package/errors.py", "from privboost.reference import exact"),
        ("package/errors.py", "from . import files"),
        ("package/__init__.py", "from privboost.reference import exact"),
        ("package/__init__.py", "from .cli import main"),
        ("package/cli.py", "import numpy"),
        ("package/cli.py", "from privboost.errors import UsageError"),
        ("package/commands/prove.py", "from ..errors import UsageError"),
        ("oracle_tests/test_cli.py", "from privboost.oracle_tests.generate import vector_files"),
    ],
)
def test_layers__violation_is_rejected(path: str, source: str) -> None:
    assert len(check_imports(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "reference/losses/square.py",
            "from fractions import Fraction\nfrom privboost.errors import Undecided",
        ),
        ("reference/losses/square.py", "from privboost.reference.exact import sqrt\nfrom . import names"),
        ("symbolic/losses.py", "import sympy\nfrom privboost.reference.losses import SQUARE"),
        (
            "proofs_check/kernel.py",
            "from privboost.reference.exact import Surd\nfrom .kernel_terms import Term",
        ),
        ("fast/learner.py", "import numpy\nfrom sklearn.base import BaseEstimator"),
        (
            "package/commands/losses.py",
            "from privboost.errors import UsageError\nfrom privboost.reference import losses",
        ),
        (
            "oracle_tests/adapters.py",
            "import flint\nfrom privboost.reference import exact\nfrom . import layers",
        ),
    ],
)
def test_layers__allowed_import_is_accepted(path: str, source: str) -> None:
    assert check_imports(path, source) == []


def test_layers__file_outside_every_folder_is_rejected() -> None:
    with pytest.raises(LookupError):
        layer_of("somewhere/else.py")


@needs_checkout
def test_reference__makes_no_float() -> None:
    found = sources("reference")
    assert found
    assert [complaint for path, text in found.items() for complaint in check_no_floats(path, text)] == []


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

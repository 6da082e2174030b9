"""Optional dependencies: which extra of privboost installs a module, and the error for a missing one."""

from __future__ import annotations

import importlib.util

from .errors import MissingExtraError

EXTRA_OF = {
    "cvc5": "second-opinion",
    "distributed": "scale",
    "matplotlib": "plots",
    "hypothesis": "strategies",
    "numba": "compiled",
    "pandas": "study",
    "pyarrow": "scale",
    "sympy": "proofs",
    "z3": "proofs",
}
"""The extra that installs a module."""


def is_installed(module: str) -> bool:
    """Return whether a top-level module can be found; it is not imported."""
    return importlib.util.find_spec(module) is not None


def demand(wanted_by: str, *modules: str, extra: str | None = None) -> None:
    """Raise MissingExtraError unless all modules are installed.

    The error names the extras that install the missing modules, or `extra` if it is given.
    """
    missing = [module for module in modules if not is_installed(module)]
    if missing:
        extras = (extra,) if extra else tuple(dict.fromkeys(EXTRA_OF[module] for module in missing))
        raise MissingExtraError(wanted_by, missing, install_line(*extras))


def install_line(*extras: str) -> str:
    """Return the command that installs extras, and its form for a checkout."""
    return "{} (in a checkout: {})".format(*install_commands(*extras))


def install_commands(*extras: str) -> tuple[str, str]:
    """Return the command that installs extras from the package index, and from a checkout."""
    names = ",".join(extras)
    return f"pip install 'privboost[{names}]'", f"pip install '.[{names}]'"

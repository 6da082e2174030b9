"""A mark for tests that need OCaml with Zarith, to build the program extracted from Coq."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def can_build() -> bool:
    """Return whether OCaml and Zarith are installed."""
    if shutil.which("ocamlfind") is None:
        return False
    return subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True, check=False).returncode == 0


needs_ocaml = pytest.mark.skipif(not can_build(), reason="OCaml or Zarith is not installed; run `make coq`")

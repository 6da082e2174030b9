"""The line of the target's code that draws: not one of NumPy, of `random`, of the harness or of an import."""

from __future__ import annotations

import os
import random
import secrets
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FrameType

import numpy as np

_HERE = Path(__file__).resolve().parent
_AUDITOR = _HERE.parent
_STANDARD = sysconfig.get_path("stdlib")
_INSTALLED = tuple({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
_RUNS = str(_HERE / "runs.py")
_IMPORT_SYSTEM = "<frozen importlib."
_DRAWING = frozenset({random.__file__, secrets.__file__})

PASSED, COUNTED, IGNORED = "passed", "counted", "ignored"


@lru_cache(maxsize=4096)
def kind_of(file: str) -> str:
    """Return whether a frame of a file is passed over, is the call site, or makes a draw of no interest.

    Draws that the harness and the standard library make for themselves, such as names of files, are ignored.
    """
    path = Path(file).resolve()
    if file in _DRAWING or _HERE in path.parents or _AUDITOR / "running" in path.parents:
        return PASSED
    if f"{os.sep}numpy{os.sep}" in file and path.is_relative_to(Path(np.__file__).parent):
        return PASSED
    if f"{os.sep}scipy{os.sep}stats{os.sep}" in file or f"{os.sep}scipy{os.sep}_lib{os.sep}" in file:
        return PASSED
    if path.parent == _AUDITOR / "mechanisms":
        if path.name in ("estimators.py", "other_projects.py"):
            return IGNORED
        return PASSED if path.name == "mechanism.py" else COUNTED
    is_standard = file.startswith(_STANDARD) and not file.startswith(_INSTALLED)
    return IGNORED if is_standard and "site-packages" not in file else COUNTED


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a frame belongs to an import that the target makes, and not to one around the harness.

    A module is imported once in a process. What its body draws is not drawn again in another run, and is no
    noise: compared, it would be a draw that the second run lacks.
    """
    while frame is not None and frame.f_code.co_filename != _RUNS:
        if frame.f_code.co_filename.startswith(_IMPORT_SYSTEM):
            return True
        frame = frame.f_back
    return False


def find_site(frame: FrameType | None, skip: str = "") -> str | None:
    """Return the first line that counts as file:line, from a frame outwards; None if it is ignored.

    Draws of modules while they are imported are ignored.
    `skip` is a part of a path whose files are passed over, such as a library's folder of mechanisms.
    """
    if is_importing(frame):
        return None
    while frame is not None:
        file = frame.f_code.co_filename
        kind = PASSED if skip and skip in file else kind_of(file)
        if kind == COUNTED:
            return f"{Path(file).name}:{frame.f_lineno}"
        if kind == IGNORED:
            return None
        frame = frame.f_back
    return "privboost"

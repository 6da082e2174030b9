"""Fits by the program that is extracted from the Coq proofs, instead of by `fit_trees`.

`make extracted` builds the program. It reads rows on its standard input, and its bits from the operating
system or from a tape, on which it draws what `fit_trees` draws from the same bits.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from privboost.errors import ExtractedProgramError, PreconditionError
from privboost.fast.arrays import Array
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical
from privboost.fast.protocol import LeafRule, SplitLaw
from privboost.fast.rows.parts import LocalRows, Part, Rows

from .setting import Setting
from .trees import Candidates, Tree

PROGRAM = "privboost_extracted"
VARIABLE = "PRIVBOOST_EXTRACTED"
BUILT = Path(__file__).resolve().parents[2] / "build" / "extracted" / PROGRAM
"""Where `make extracted` builds the program, in a checkout."""


def find_program() -> Path:
    """Return the extracted program: that of the environment variable, on the PATH, or of this checkout."""
    given = os.environ.get(VARIABLE)
    found = Path(given) if given else Path(shutil.which(PROGRAM) or BUILT)
    if found.is_file() and os.access(found, os.X_OK):
        return found
    wanted = f"expected the program that `make extracted` builds (it needs Coq), as {VARIABLE} or on the PATH"
    raise ExtractedProgramError(f"backend: {wanted}; got {found}, which is not an executable file")


def check_extractable(setting: Setting, rows: Rows) -> None:
    """Raise PreconditionError unless a fit is by the default protocol, from rows of this process."""
    if (setting.protocol.split_law, setting.protocol.leaf) != (SplitLaw.UNIFORM, LeafRule.NOISY_NET):
        wanted = "protocol='sound_net' for backend='extracted'"
        raise PreconditionError("protocol", wanted, repr(setting.protocol.name))
    if setting.parameters.delta:
        raise PreconditionError("delta", "0 for backend='extracted'", setting.parameters.delta)
    if not isinstance(rows, LocalRows):
        raise PreconditionError("X", "rows in memory for backend='extracted'", type(rows).__name__)


def fit_extracted(setting: Setting, rows: Rows, tape: bytes | None = None) -> tuple[tuple[Tree, float], ...]:
    """Return the fitted trees and their coefficients; without a tape the bits are those of the system."""
    check_extractable(setting, rows)
    args = fit_arguments(setting, rows) | ({} if tape is None else {"tape": tape.hex()})
    request = json.dumps({"id": 0, "op": "fit", "args": args})
    done = subprocess.run([find_program()], input=request + "\n", capture_output=True, text=True, check=False)
    # What the program printed may tell about rows, and stays out of the message.
    answer = json.loads(done.stdout) if done.returncode == 0 else {}
    if "result" not in answer:
        raise ExtractedProgramError(
            f"backend: the extracted program ended without a model, exit code {done.returncode}"
        )
    candidates = Candidates.of(setting.domain)
    return tuple(
        (_tree_of(tree, setting.parameters.depth, candidates), 1.0) for tree in answer["result"]["trees"]
    )


def fit_arguments(setting: Setting, rows: Rows) -> dict[str, Any]:
    """Return the arguments of a fit, as the extracted program reads them."""
    parameters = setting.parameters
    return {
        "sampler": "fast",
        "relation": setting.protocol.relation.value,
        "trees": str(parameters.trees),
        "depth": str(parameters.depth),
        "size": str(setting.size),
        "epsilon": str(parameters.epsilon),
        "alpha": str(parameters.boost_alpha),
        "domain": features_of(setting.domain),
        "rows": list(_list_rows(rows)),
    }


def features_of(domain: Domain) -> list[dict[str, Any]]:
    """Return the features of a domain, as the extracted program reads them."""
    return [
        {
            "kind": "categorical" if isinstance(feature, Categorical) else "quantised",
            "n_values": feature.values,
        }
        for feature in domain.features
    ]


def _list_rows(rows: Rows) -> Iterator[dict[str, Any]]:
    """Yield the codes and the label of every row."""
    taken: list[tuple[Array, Array]] = []
    rows.ask(_take, taken)
    for codes, signs in taken:
        for x, y in zip(codes.T.tolist(), signs.tolist(), strict=True):
            yield {"x": x, "y": y}


def _take(part: Part, taken: list[tuple[Array, Array]]) -> tuple[Part, Array]:
    """Add the codes and labels of a part to a list."""
    taken.append((part.codes, part.signs))
    return part, np.zeros(0)


def _tree_of(tree: Mapping[str, Any], depth: int, candidates: Candidates) -> Tree:
    """Return a tree that the extracted program describes."""
    chosen = np.array([int(index) for level in tree["splits"] for index in level], dtype=np.int64)
    values = np.array([int(value) for value in tree["values"]], dtype=np.int64)
    return Tree(depth, *candidates.tests(chosen), values)

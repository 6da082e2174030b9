"""Everything that a fit shows to somebody who may not see its rows, and the rows as the learner sees them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from privboost.fast.estimators import boosted
from privboost.fast.growth import fit
from privboost.fast.rows.parts import Part, Rows

Array = NDArray[Any]

RELEASED = ("trees_", "coefficients_")
"""Fitted attributes that are released with noise."""


@dataclass(slots=True)
class Observation:
    """What a call shows: exception, warnings, public attributes, and the released trees."""

    error: str = ""
    warnings: list[str] = field(default_factory=list)
    public: str = ""
    trees: list[Any] = field(default_factory=list)

    def output(self) -> dict[str, Any]:
        """Return the observation as the output of a mechanism to be audited."""
        return asdict(self)

    @property
    def apart_from_trees(self) -> tuple[str, tuple[str, ...], str]:
        """Return everything that must not depend on the content of any row."""
        return self.error, tuple(self.warnings), self.public


def observe(call: Callable[[], Any]) -> Observation:
    """Observe a call that returns a fitted classifier, whether it succeeds or not."""
    seen = Observation()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = call()
            seen.public, seen.trees = _public(model), _trees(model)
        except Exception as error:
            # Whatever is raised is seen, with the exceptions that it comes from.
            seen.error = " from ".join(map(_describe, _chain(error)))
    seen.warnings = [f"{entry.category.__name__}: {entry.message}" for entry in caught]
    return seen


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error} {sorted(vars(error).items())}"


def _public(model: Any) -> str:
    """Return the parameters, the fitted attributes and the model file, without what is released."""
    fitted = {name: value for name, value in vars(model).items() if name not in RELEASED}
    document = json.loads(model.to_json())
    del document["trees"]
    shown = {name: value for name, value in fitted.items() if name not in ("random_state", "domain")}
    return repr(sorted(shown.items())) + json.dumps(document, sort_keys=True, ensure_ascii=False)


def _trees(model: Any) -> list[Any]:
    return [[tree.feature.tolist(), tree.value.tolist(), tree.values.tolist()] for tree in model.trees_]


@contextmanager
def recorded_rows() -> Iterator[list[Array]]:
    """Record the rows that reach the boosted learner: a row of codes per feature, and one of labels -1, 1."""
    recorded: list[Array] = []
    learn = fit.fit_trees

    def record(setting: Any, rows: Rows, *arguments: Any) -> Any:
        parts: list[Array] = []

        def note(part: Part) -> tuple[Part, None]:
            parts.append(np.vstack((part.codes, part.signs)).astype(np.int64))
            return part, None

        rows.tell(note)
        recorded.append(np.concatenate(parts, axis=1))
        return learn(setting, rows, *arguments)

    with patch.object(boosted, "fit_trees", record):
        yield recorded


class HereClient:
    """Stand-in for a Dask client: runs the functions of the workers at once, in this process."""

    def compute(self, tasks: list[Any]) -> list[Any]:
        """Return the results of delayed tasks."""
        return [task.compute(scheduler="synchronous") for task in tasks]

    def submit(self, function: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        """Return the result of a call."""
        return function(*arguments)

    def gather(self, results: list[Any]) -> list[Any]:
        """Return results as they are."""
        return results


@contextmanager
def dask_in_this_process() -> Iterator[None]:
    """Let Dask arrays be fitted without a cluster."""
    import dask.distributed

    with patch.object(dask.distributed, "default_client", HereClient):
        yield

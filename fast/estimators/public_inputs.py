"""Checks of the public inputs of a fit: the domain, the classes, and the source of randomness.

An input that voids the privacy guarantee, such as a domain read from the data, is a doubt. The fit goes on,
but its privacy ledger lists the doubts and guarantees nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from privboost.errors import PreconditionError
from privboost.fast.bits import Bits, bits_from
from privboost.fast.cells import Categories, is_list, plain
from privboost.fast.domain import Domain, warn_not_private
from privboost.fast.features import TWO_DECADES, Numeric, Spacing
from privboost.fast.labels import Labels

OBSERVED = "observed"
"""Value of `domain` and `classes` that reads them from the data, which is not private."""

MANY_CLASSES = (
    "two classes. For more, fit one model for each class against the rest, each with an equal share of "
    "epsilon, and predict the class with the largest score"
)
SEEDED = "random_state is fixed, so anyone who knows it knows the noise"
REVEAL = "raise_and_reveal"
"""Value of `invalid` with which errors tell about rows."""
OBSERVED_CLASSES = "the classes were read from the data"
SEARCHED = (
    "fitted by sklearn.model_selection, whose scores and choices read the data without paying; "
    "every fit spends epsilon again"
)
META = "fitted by {}, which may read the rows itself or fit more than once"
HELPERS = ("sklearn.base", "sklearn.utils", "sklearn.pipeline")
"""Modules of scikit-learn that are no reason for a doubt; pipelines are looked at by their steps."""


def public_labels(classes: Any, y: Any) -> tuple[Labels, list[str]]:
    """Return the two public labels, and a doubt if they were read from the data.

    Requires: two sorted labels. Scorers of scikit-learn take the greater one for positive, and the columns of
    probabilities to be sorted, whatever an estimator says.
    """
    if isinstance(classes, str) and classes == OBSERVED:
        return Labels(*map(plain, _observed_labels(y))), [OBSERVED_CLASSES]
    wanted = "the two public labels, such as (0, 1), or 'observed' to read them from y without privacy"
    if (
        classes is None
        or isinstance(classes, str | Mapping | set | frozenset)
        or not hasattr(classes, "__len__")
    ):
        raise PreconditionError("classes", wanted, repr(classes))
    labels = [plain(label) for label in classes]
    Categories(labels, "classes")
    if len(labels) > 2:
        raise PreconditionError("classes", MANY_CLASSES, labels)
    if len(labels) < 2 or labels[0] == labels[1]:
        raise PreconditionError("classes", wanted, labels)
    try:
        in_order = sorted(labels)
    except TypeError:
        raise PreconditionError("classes", "two labels of one type", labels) from None
    if labels != in_order:
        meaning = "as in scikit-learn, where the second one is the positive class"
        raise PreconditionError("classes", f"the labels sorted, {tuple(in_order)}, {meaning}", labels)
    return Labels(*labels), []


def _observed_labels(y: Any) -> NDArray[Any]:
    """Return the two labels that occur in y, and warn that this is not private."""
    assert_all_finite(np.asarray(y), input_name="y")
    check_classification_targets(y)
    labels = np.unique(y)
    if labels.size > 2:
        wanted = f"{MANY_CLASSES}. Only binary classification is supported"
        raise PreconditionError("y", wanted, type_of_target(y))
    if labels.size < 2:
        raise PreconditionError("classes", "two labels", f"{labels.size} class")
    warn_not_private(OBSERVED_CLASSES)
    return labels


def given_domain(domain: Any) -> Domain | None:
    """Return the domain of a Domain or a schema, and None for bounds, which need the number of features."""
    if domain is None:
        wanted = "public bounds (lo, hi), a list of them, a Domain, or a schema; they are not read from X"
        raise PreconditionError("domain", wanted, None)
    if isinstance(domain, Domain):
        return domain
    if isinstance(domain, Mapping | PathLike) or (isinstance(domain, str) and domain != OBSERVED):
        return Domain.from_schema(domain if isinstance(domain, Mapping) else fspath(domain))
    return None


FINE_VALUES = 20
"""Number of values of a feature that is given by bounds, in a fit with a delta."""


def domain_of_bounds(
    domain: Any,
    X: Any,  # noqa: N803
    names: Sequence[str] | None,
    *,
    fine: bool = False,
) -> Domain:
    """Return a domain of numeric features from one pair of public bounds, or one pair for each feature.

    Fine cuts are twice as many, and at equal ratios of 1 + x from 0 to 100 or more.
    """
    if isinstance(domain, str):
        return Domain.observed(X).rename(names)
    try:
        bounds = np.asarray(domain, dtype=np.float64)
    except (TypeError, ValueError):
        bounds = np.empty(0)
    has_rows_only = is_list(X)
    if bounds.shape == (2,):
        if has_rows_only:
            wanted = "one pair (lo, hi) for each feature, because a list of rows does not tell their number"
            raise PreconditionError("domain", wanted, repr(domain))
        bounds = np.tile(bounds, (X.shape[1], 1))
    if bounds.ndim != 2 or bounds.shape[1:] != (2,):
        raise PreconditionError("domain", "a pair (lo, hi), or one pair for each feature", repr(domain))
    if not has_rows_only and len(bounds) != X.shape[1]:
        raise PreconditionError("domain", f"bounds of {X.shape[1]} features", f"bounds of {len(bounds)}")
    pairs = [(lo, hi) for lo, hi in bounds.tolist()]
    if not fine:
        return Domain.from_bounds(pairs).rename(names)
    spacings: list[Spacing | None] = ["ratio" if lo == 0 and hi >= TWO_DECADES else None for lo, hi in pairs]
    features = zip(range(len(pairs)), pairs, spacings, strict=True)
    named = (Numeric(f"x{index}", *pair, FINE_VALUES, spacing) for index, pair, spacing in features)
    return Domain(tuple(named)).rename(names)


def bits_and_doubts(random_state: Any) -> tuple[Bits, list[str]]:
    """Return the source of random bits, and a doubt if it is seeded."""
    if random_state is None:
        return bits_from(None), []
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        return bits_from(int.from_bytes(random_state.bytes(16), "little")), [SEEDED]
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return bits_from(int(random_state)), [SEEDED]
    raise PreconditionError("random_state", "None, a whole number or a NumPy generator", repr(random_state))


def doubts_of_caller(estimator: object) -> list[str]:
    """Return the doubts because of meta-estimators that call the fit and may read the data.

    The callers' frames are searched for meta-estimators. A pipeline is one if it fits a transformer; it is
    not if all of its steps are frozen or stateless. A function of scikit-learn that works for a
    meta-estimator, perhaps in another process, counts as well.
    """
    objects: dict[str, str] = {}
    functions: dict[str, str] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        package = ".".join(module.split(".")[:2])
        caller = _fitting_object(frame)
        if package == "sklearn.model_selection":
            functions[package] = SEARCHED
        elif isinstance(caller, Pipeline):
            for name in (name for _, step in caller.steps[:-1] for name in _fitted_parts(step)):
                objects[name] = f"{name} of a pipeline was fitted to the rows without privacy"
        elif caller is not None and caller is not estimator:
            objects[type(caller).__name__] = META.format(type(caller).__name__)
            functions.pop(package, None)
        elif package.startswith("sklearn.") and package not in HELPERS:
            functions[package] = META.format(package)
        frame = frame.f_back
    return [*objects.values(), *functions.values()]


def _fitting_object(frame: FrameType) -> Any:
    """Return the estimator whose method for fitting a frame runs, or None."""
    code = frame.f_code
    if "fit" not in code.co_name or code.co_varnames[: code.co_argcount][:1] != ("self",):
        return None
    caller = frame.f_locals.get("self")
    return caller if hasattr(caller, "get_params") else None


def _fitted_parts(step: Any) -> Iterator[str]:
    """Yield the class names of the transformers that a step of a pipeline fits to the rows."""
    if step is None or isinstance(step, str | FrozenEstimator):
        return
    parts = [getattr(step, name, ()) for name in ("steps", "transformers", "transformer_list")]
    if any(parts):
        inner = [part[1] for listed in parts for part in listed]
        for part in (*inner, getattr(step, "remainder", None)):
            yield from _fitted_parts(part)
    elif not hasattr(step, "__sklearn_tags__") or step.__sklearn_tags__().requires_fit:
        yield type(step).__name__


def refuse_weights(arguments: Mapping[str, Any]) -> None:
    """Raise an error for sample weights and for unknown arguments."""
    for name, value in arguments.items():
        if name != "sample_weight":
            raise TypeError(f"fit() got an unexpected keyword argument '{name}'")
        if value is not None:
            raise PreconditionError(
                "sample_weight",
                "None, because the learner sets weights itself, with noise for its public bound on them",
                type(value).__name__,
            )


def whole(value: Any, name: str, least: int = 1) -> int:
    """Return an integer that is at least `least`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise PreconditionError(name, f"a whole number >= {least}", repr(value))
    return int(value)

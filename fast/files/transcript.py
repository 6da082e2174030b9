"""Transcripts: every step of a fit as JSON lines, in the format that the reference replays exactly.

A transcript contains raw masses and the noise itself, so it is as secret as the rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from privboost.fast.features import Categorical, Feature
from privboost.fast.growth import Setting
from privboost.fast.growth.setting import Record
from privboost.fast.protocol import GRID

FORMAT, VERSION = "privboost-transcript", 1


class TranscriptWriter:
    """Writes one line for every record: exact numbers as strings such as "3/8", floats as JSON numbers."""

    def __init__(self, setting: Setting, write: Callable[[str], object]) -> None:
        self._write = write
        self.record(_header(setting))

    def record(self, record: Record) -> None:
        """Write the header or one record of a fit."""
        self._write(json.dumps(_plain(record), ensure_ascii=False) + "\n")


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.integer | np.bool_):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _header(setting: Setting) -> Record:
    """Return the header, which contains everything that is public about a fit."""
    protocol, parameters = setting.protocol, setting.parameters
    return {
        "kind": "header",
        "format": FORMAT,
        "version": VERSION,
        "protocol": {"name": protocol.name, **protocol.choices},
        "parameters": {
            "trees": parameters.trees,
            "depth": parameters.depth,
            "epsilon": parameters.epsilon,
            "beta_tree": parameters.beta_tree,
            "bound": parameters.bound,
            "zeta": parameters.zeta,
            "alphas": parameters.alphas,
            "alpha_share": parameters.alpha_share,
            "grid": Fraction(1, GRID),
            "boost_alpha": parameters.boost_alpha,
            **({"delta": parameters.delta, "rho": parameters.rho} if parameters.delta else {}),
        },
        "domain": [_attribute(feature) for feature in setting.domain.features],
        "size": setting.size,
        "trees": parameters.trees,
    }


def _attribute(feature: Feature) -> Record:
    if isinstance(feature, Categorical):
        return {"kind": "categorical", "name": feature.name, "values": list(feature.value_names)}
    # The format has regular cuts only. The codes of other cuts, from 0 to n_values, are regular.
    lo, hi = (feature.lo, feature.hi) if feature.is_regular else (0, feature.values)
    return {
        "kind": "quantised",
        "name": feature.name,
        "n_values": feature.values,
        "lo": Fraction(lo),
        "hi": Fraction(hi),
    }

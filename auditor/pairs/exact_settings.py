"""Settings of the fast learner as the reference has them.

The two learners share no code. Everything is carried over by its public value: a choice by its name, a domain
by its bounds.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Feature, Numeric
from privboost.fast.growth.setting import Setting
from privboost.fast.protocol import CHOICES, Parameters
from privboost.reference import data
from privboost.reference.learners import protocol as exact_protocol
from privboost.reference.learners.boosting import INITIAL_BOUND
from privboost.reference.learners.ensemble import setting_of_tree
from privboost.reference.learners.splitting import Setting as ExactSetting


def binary_domain(attributes: int) -> Domain:
    """Return the fast learner's domain {0, 1}^attributes."""
    return Domain(tuple(Numeric(f"x{index}", 0.0, 1.0, 2) for index in range(attributes)))


def exact_setting(setting: Setting, tree: int = 0) -> ExactSetting:
    """Return the reference's setting of tree 0, 1, ... of a fit."""
    choices: dict[str, Any] = {
        name: getattr(exact_protocol, kind.__name__, data.Relation)(getattr(setting.protocol, name).value)
        for name, kind in CHOICES.items()
    }
    values = {field.name: getattr(setting.parameters, field.name) for field in fields(Parameters)}
    values["rho"] = setting.parameters.rho
    first = ExactSetting(
        exact_protocol.Protocol(name=setting.protocol.name, **choices),
        exact_protocol.Parameters(**values),
        data.Domain(tuple(map(_attribute, setting.domain.features))),
        setting.size,
        INITIAL_BOUND,
    )
    return setting_of_tree(first, tree)


def _attribute(feature: Feature) -> data.Attribute:
    if isinstance(feature, Categorical):
        return data.Categorical(feature.name, feature.categories)
    # A feature that is not cut regularly is carried over by its codes.
    lo, hi = (feature.lo, feature.hi) if feature.is_regular else (0, feature.values)
    return data.Quantised(feature.name, feature.values, Fraction(lo), Fraction(hi))

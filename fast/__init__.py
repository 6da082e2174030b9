"""The fast learner: private classifiers with scikit-learn's interface.

It shares no code with `privboost.reference`, so that their agreement is evidence for both.
"""

from privboost.fast.estimators.boosted import PrivateBoostedTreesClassifier
from privboost.fast.estimators.effects import FeatureEffect
from privboost.fast.estimators.export import export_text, plot_effects, plot_tree
from privboost.fast.estimators.forest import PrivateForestClassifier
from privboost.fast.rows.sources import ArraySource, ParquetSource

from .budgets import Guarantee, PrivacyLedger
from .checks import ColumnCheck, DomainCheck
from .domain import Domain, NonPrivateWarning
from .features import Categorical, Date, Numeric
from .protocol import AS_PRINTED, SOUND, SOUND_NET, Protocol

__all__ = [
    "AS_PRINTED",
    "SOUND",
    "SOUND_NET",
    "ArraySource",
    "Categorical",
    "ColumnCheck",
    "Date",
    "Domain",
    "DomainCheck",
    "FeatureEffect",
    "Guarantee",
    "NonPrivateWarning",
    "Numeric",
    "ParquetSource",
    "PrivacyLedger",
    "PrivateBoostedTreesClassifier",
    "PrivateForestClassifier",
    "Protocol",
    "export_text",
    "plot_effects",
    "plot_tree",
]

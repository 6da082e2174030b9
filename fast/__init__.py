"""The vectorised learner, independent of `privboost.reference` so that their agreement is evidence."""

from .domain import Categorical, Domain, NonPrivateWarning, Numeric
from .estimators import PrivateBoostedTreesClassifier
from .export import export_text, plot_tree
from .forest import PrivateForestClassifier
from .protocol import AS_PRINTED, SOUND, SOUND_NET, Protocol
from .sources import ArraySource, ParquetSource
from .spending import PrivacyLedger

__all__ = [
    "AS_PRINTED",
    "SOUND",
    "SOUND_NET",
    "ArraySource",
    "Categorical",
    "Domain",
    "NonPrivateWarning",
    "Numeric",
    "ParquetSource",
    "PrivacyLedger",
    "PrivateBoostedTreesClassifier",
    "PrivateForestClassifier",
    "Protocol",
    "export_text",
    "plot_tree",
]

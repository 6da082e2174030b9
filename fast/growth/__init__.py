"""Growing private trees: the public setting of a fit, its random draws, and the fit itself."""

from privboost.fast.rows.parts import LocalRows

from .draws import Draws, Sampled
from .fit import fit_trees
from .setting import Setting
from .trees import Candidates, Tree

__all__ = ["Candidates", "Draws", "LocalRows", "Sampled", "Setting", "Tree", "fit_trees"]

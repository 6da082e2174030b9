"""The table of operations of this paper's learner, and readers of their arguments."""

"""The profile of the gate for the learner of this paper: operations, answers, checks, mistakes."""

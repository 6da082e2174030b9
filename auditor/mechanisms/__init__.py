"""What can be audited: Python functions, programs, learners, mechanisms of known privacy loss."""

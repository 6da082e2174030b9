"""The rows that a learner passes over: in memory, in files, on a cluster."""

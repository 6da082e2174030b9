"""Claims that a deterministic step moves its result by at most d, searched for counterexamples."""

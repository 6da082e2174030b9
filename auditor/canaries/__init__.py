"""Many canaries in one training: scores, guesses, bounds and results."""

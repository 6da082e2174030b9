"""The checks of trees: properties, samples, the learner, privacy."""

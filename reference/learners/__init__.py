"""The learners of the paper, noise-free and private, for every reading of it."""

"""The learners of the paper, noise-free and private, for every interpretation of the paper."""

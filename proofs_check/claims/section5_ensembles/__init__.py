"""The computations of `section5_ensembles.md`, by name in `computed`."""

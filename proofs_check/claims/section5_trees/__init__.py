"""The computations of `section5_trees.md`, by name in `computed`."""

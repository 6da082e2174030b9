"""The computations of `section2_losses.md`, by name in `computed`."""

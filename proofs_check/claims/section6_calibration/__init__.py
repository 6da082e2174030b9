"""The computations of `section6_calibration.md`, by name in `computed`."""
